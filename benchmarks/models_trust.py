"""Whether a verdict can be trusted: its probabilities, what the claim alone gives away, what other evidence changes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus_r import FILES
from benchmarks.models_figures import accuracy, labelled, labels_by, predicted, right, risk
from benchmarks.models_kept import Reader, code, say
from benchmarks.models_sets import FEVEROUS_TABLES, ROWS, TABFACT, Sets, almanac_cases, sample
from benchmarks.models_tables import is_fitted_on, profile_of
from benchmarks.report import Report
from veritab.datasets.normalise import LABELS, NOT_ENOUGH, page_title, plain_text
from veritab.train.examples import VerdictExample
from veritab.train.sources.pages import is_held_out
from veritab.verify.calibrate import Calibration
from veritab.verify.fit import expected_calibration_error

CAREFUL = "careful"
"""The profile that would rather say nothing than something wrong."""
ALMANAC = "almanac"
NAMES = (*(row.name for row in ROWS), FEVEROUS_TABLES, TABFACT, ALMANAC)
TWO_WAY = frozenset({*(row.name for row in ROWS if row.ways == 2), TABFACT})


class Answered(NamedTuple):
    """A set, what the model says of its claims, and which half of them it may be fitted on."""

    name: str
    logits: NDArray[np.float64]
    labels: NDArray[np.int64]
    fitting: NDArray[np.bool_]

    def half(self, *, fitting: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """One half; of a set with two labels only the claims and the logits of those."""
        kept = self.fitting == fitting
        if self.name not in TWO_WAY:
            return self.logits[kept], self.labels[kept]
        kept &= self.labels < NOT_ENOUGH
        logits = self.logits[kept].copy()
        logits[:, NOT_ENOUGH] = -1e4
        return logits, self.labels[kept]


def answered(reader: Reader, sets: Sets, name: str) -> Answered:
    """What a model says of a set."""
    pairs = [case.pair() for case in almanac_cases()] if name == ALMANAC else sets.pairs(name, reader.model)
    logits = reader.logits([(pair.claim, pair.evidence) for pair in pairs], name)
    fitting = np.array([is_fitted_on(pair.claim) for pair in pairs], dtype=bool)
    return Answered(name, logits, np.array([pair.label for pair in pairs]), fitting)


# -- calibration -------------------------------------------------------------------------------------------


def calibration(report: Report, readers: Sequence[Reader], sets: Sets) -> None:
    """The calibration of the card, which one half of the claims of every set made, on the other half."""
    for reader in readers:
        found = [answered(reader, sets, name) for name in NAMES]
        made = Calibration.of(reader.model.card.calibration)
        heading = f"Calibration: {reader.name}"
        rows = [["set, other half", "n", "ECE before", "ECE after", "area of risk", "at 50 %", "at 80 %", "at 100 %"]]
        for each in found:
            logits, labels = each.half(fitting=False)
            if not len(labels):
                continue
            before, after = (c.probabilities(logits) for c in (Calibration(), made))
            errors = [f"{expected_calibration_error(p, labels):.3f}" for p in (before, after)]
            rows.append([each.name, f"{len(labels):,}", *errors, *risk(after, labels).cells()])
        report.table(heading, rows)
        _labels(report, heading, found, made)
        report.note(heading, _abstaining(found, *profile_of(reader, CAREFUL)))
        report.note(
            heading, "Fitted by `python -m benchmarks.fit_calibration`; of sets with two labels only these count."
        )


def _abstaining(found: Sequence[Answered], profile: str, made: Calibration) -> str:
    """What the careful profile says of the halves that it was not fitted on."""
    if profile != CAREFUL:
        return f"The card has no profile {CAREFUL!r}; `benchmarks.fit_calibration` fits it."
    sure, hit = decided(made, *pooled([each.half(fitting=False) for each in found if each.name not in TWO_WAY]))
    kept = sure >= made.abstain
    wrong, before = (1 - float(some.mean()) if len(some) else 0.0 for some in (hit[kept], hit))
    return (
        f"The profile {CAREFUL!r} says SUPPORTS and REFUTES from a probability of {made.abstain:.3f} on: of what the "
        f"default says so in the other halves of sets with three labels {float(kept.mean()):.1%}, with {wrong:.1%} "
        f"errors rather than {before:.1%}."
    )


def decided(made: Calibration, logits: Any, labels: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How probable those labels are that say SUPPORTS or REFUTES, and which are right; the others are no answers."""
    said = labels_by(replace(made, abstain=0.0), logits)
    places = np.flatnonzero(said < NOT_ENOUGH)
    sure = made.probabilities(logits)[places, said[places]].astype(np.float64)
    return sure, said[places] == np.asarray(labels)[places]


def pooled(halves: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Several sets as one."""
    logits, labels = zip(*halves, strict=True)
    return np.concatenate(logits), np.concatenate(labels)


def _labels(report: Report, heading: str, found: Sequence[Answered], made: Calibration) -> None:
    """What the thresholds do to the labels of sets with three of them."""
    rows = [["set, other half", "accuracy, likeliest label", "by thresholds", "macro F1, likeliest", "by thresholds"]]
    for each in found:
        logits, labels = each.half(fitting=False)
        if each.name in TWO_WAY or not len(labels):
            continue
        plain, moved = accuracy(logits, labels.tolist()), labelled(logits, labels.tolist(), made)
        rows.append([each.name, str(plain), str(moved), f"{plain.macro_f1:.1%}", f"{moved.macro_f1:.1%}"])
    report.table(f"{heading}, thresholds", rows)


# -- what the claim alone says, and other evidence ---------------------------------------------------------

_TAUGHT = (
    ("nli/snli", "hypothesis"),
    ("nli/mnli", "hypothesis"),
    ("fever/train_pairs", "claim"),
    ("vitaminc/real", "claim"),
    ("tabfact/train_partial", "statement"),
    ("infotabs/train", "hypothesis"),
)
_SWAPPED = 300


def claim_only(report: Report, readers: Sequence[Reader], sets: Sets) -> None:
    """What a model that sees the claim only gets, and what becomes of the verdict when its evidence is swapped."""
    reader = readers[0]
    blind = _claim_only_model(sets)
    heading = "What the evidence is worth"
    rows = [
        [
            "set",
            "n",
            "majority",
            "claim-only words",
            reader.name,
            f"{reader.name}, no evidence",
            f"{reader.name}, swapped",
            "S or R that moved",
            "NEI after the swap",
        ]
    ]
    moved_least = 1.0
    for name in NAMES:
        ways = 2 if name in TWO_WAY else 3
        pairs = sample(_pairs(sets, name, reader), _SWAPPED, "swapped")
        labels = [pair.label for pair in pairs]
        says = reader.logits([(pair.claim, pair.evidence) for pair in pairs], name)
        other = reader.logits(_swapped(pairs), f"{name}, evidence swapped")
        empty = reader.logits([(pair.claim, "") for pair in pairs], f"{name}, no evidence")
        before, after = predicted(says), predicted(other)
        decided = before < NOT_ENOUGH
        moved = float((after[decided] != before[decided]).mean()) if decided.any() else 0.0
        moved_least = min(moved_least, moved)
        majority = right(labels, [max(set(labels), key=labels.count)] * len(labels)).value
        rows.append(
            [
                name,
                str(len(pairs)),
                f"{majority:.1%}",
                str(accuracy(np.array(blind.scores(pairs)), labels, ways)),
                str(accuracy(says, labels, ways)),
                f"{accuracy(empty, labels, ways).value:.1%}",
                f"{accuracy(other, labels, ways).value:.1%}",
                f"{moved:.1%}",
                f"{float((after == NOT_ENOUGH).mean()):.1%}",
            ]
        )
    report.table(heading, rows)
    report.note(heading, "Evidence is swapped at random between the claims of a set; labels are those of the claims.")
    report.note(heading, f"Samples of at most {_SWAPPED} claims a set; two-way sets by the likelier of two labels.")
    report.promise(
        "evidence swapped at random: S or R verdicts that move, least over the sets",
        f"{moved_least:.1%}",
        "the label moves (≥ 50 %)",
        kept=moved_least >= 0.5,
    )


def _pairs(sets: Sets, name: str, reader: Reader) -> list[VerdictExample]:
    return [case.pair() for case in almanac_cases()] if name == ALMANAC else sets.pairs(name, reader.model)


def _swapped(pairs: Sequence[VerdictExample]) -> list[tuple[str, str]]:
    """Each claim with the evidence of another one, drawn by chance."""
    order = list(range(len(pairs)))
    random.Random("swap").shuffle(order)
    other = dict(zip(order, order[1:] + order[:1], strict=True))
    return [(pair.claim, pairs[other[place]].evidence) for place, pair in enumerate(pairs)]


def _claim_only_model(sets: Sets) -> Any:
    from veritab.papers import baselines

    folder = sets.kept.folder / f"claim-only-{code()}" if sets.kept.folder else None
    if folder and (folder / "baseline.json").is_file():
        return baselines.load(folder)
    say("fitting the claim-only model")
    made = baselines.fit("claim-only", _taught())
    if folder:
        made.save(folder)
    return made


def _taught() -> list[VerdictExample]:
    """The claims of everything that verdict models are trained on, without their evidence."""
    return [
        VerdictExample(plain_text(record[claim]), "", LABELS[record["label"]])
        for name, claim in _TAUGHT
        for record in FILES.records(name)
        if record["label"] in LABELS and not (name == "vitaminc/real" and is_held_out(page_title(record["page"])))
    ]
