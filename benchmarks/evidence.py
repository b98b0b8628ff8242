"""The evidence that a verdict shows, against what writers of claims name: precision and recall, end to end.

    python -m benchmarks.evidence [--claims 60] [--fit]     prints and writes results/evidence.md

The almanac's claims are split in halves by a hash of their text: weights and shares are chosen on one half (`--fit`
fits the weights anew and prints them), and the other is only measured. Each claim is checked once, with all that the
official budgets allow, and cut afterwards, as `check.evidence = "cut"` does; so both lists belong to one verdict.

What counts: an element that a verdict shows is right if the claim's gold set names it. Of several sets the one counts
of which most is shown. Titles, sections and headers are context on both sides: they are shown with their cells, and
writers name them as context and not as evidence.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Report
from benchmarks.retrieval import almanac_examples
from veritab import Checker, Settings, datasets
from veritab.schema import COMPUTED, ElementId, Example, Kind, Label, Verdict
from veritab.verify import shown
from veritab.verify.evidence import DESCRIPTION

RESULTS = Path(__file__).parent / "results" / "evidence.md"
_CONTEXT = frozenset({Kind.TITLE, Kind.SECTION, Kind.HEADER_CELL, Kind.TABLE})
_SHARES = (0.0, 0.05, 0.1, 0.13, 0.15, 0.2, 0.3)
_PENALTY, _STEPS = 1.0, 40


@dataclass(frozen=True)
class Shown:
    """A claim with gold evidence, and the verdict on it with all evidence that the budgets allow."""

    example: Example
    verdict: Verdict


@dataclass(frozen=True)
class Figures:
    """Precision and recall over claims, by element (micro) and by claim (macro), and how much is shown."""

    claims: int
    micro_precision: float
    micro_recall: float
    macro_precision: float
    macro_recall: float
    size: float

    @classmethod
    def of(cls, pairs: Sequence[tuple[frozenset[ElementId], frozenset[ElementId]]]) -> Figures:
        """The figures of pairs of what is shown and what is gold."""
        right = [len(found & gold) for found, gold in pairs]
        found, gold = [len(each) for each, _ in pairs], [len(each) for _, each in pairs]
        return cls(
            len(pairs),
            sum(right) / max(1, sum(found)),
            sum(right) / max(1, sum(gold)),
            _mean(hits / max(1, of) for hits, of in zip(right, found, strict=True)),
            _mean(hits / of for hits, of in zip(right, gold, strict=True)),
            _mean(found),
        )

    def row(self, *names: str) -> list[str]:
        numbers = (self.macro_precision, self.macro_recall, self.micro_precision, self.micro_recall)
        return [*names, str(self.claims), *(f"{number:.3f}" for number in numbers), f"{self.size:.1f}"]


_COLUMNS = ["half", "evidence", "claims", "precision", "recall", "micro precision", "micro recall", "elements"]


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / max(1, len(found))


def is_tuned_on(example: Example) -> bool:
    """Whether a claim belongs to the half that choices were made on."""
    return hashlib.sha256(example.claim.text.encode()).digest()[-1] % 2 == 0


def check_all(examples: Iterable[Example]) -> list[Shown]:
    """The verdicts on claims, with all evidence."""
    settings = Settings().replaced({"check.evidence": "official", "verify.threads": 1})
    kept = [example for example in examples if any(gold_of(each) for each in example.evidence)]
    found = []
    with Checker.open(None, settings) as checker:
        for example, verdict in zip(kept, checker.check_many(each.claim for each in kept), strict=True):
            found.append(Shown(example, verdict))
            print(f"\r  {len(found)} of {len(kept)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def gold_of(ids: Iterable[ElementId]) -> frozenset[ElementId]:
    """A gold set without context."""
    return frozenset(id for id in ids if id.kind not in _CONTEXT)


def measure(some: Sequence[Shown], cut: Callable[[Verdict], Verdict]) -> Figures:
    """The figures of some verdicts whose evidence is cut."""
    return Figures.of([_pair(each.example, cut(each.verdict)) for each in some])


def _pair(example: Example, verdict: Verdict) -> tuple[frozenset[ElementId], frozenset[ElementId]]:
    found = gold_of(hit.element.id for hit in verdict.evidence)
    sets = [gold for each in example.evidence if (gold := gold_of(each))]
    return found, max(sets, key=lambda gold: len(found & gold) / len(gold))


# -- fitting -----------------------------------------------------------------------------------------------


def fit_weights(some: Sequence[Shown]) -> list[float]:
    """The bias and the weights of a logistic regression on which elements are gold."""
    rows: list[list[float]] = []
    right: list[float] = []
    for each in some:
        hits = each.verdict.evidence
        _, gold = _pair(each.example, each.verdict)
        features = shown.extract_piece_features(shown.claim_as_read(each.verdict).text, hits)
        for hit, values in zip(hits, features, strict=True):
            if hit.by not in (COMPUTED, DESCRIPTION) and hit.element.kind not in _CONTEXT:
                rows.append([1.0, *values])
                right.append(float(hit.element.id in gold))
    inputs, wanted = np.array(rows), np.array(right)
    weights = np.zeros(inputs.shape[1])
    penalty = _PENALTY * np.eye(len(weights))
    penalty[0, 0] = 0.0
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (likely - wanted) + penalty @ weights
        weights -= np.linalg.solve((inputs.T * (likely * (1 - likely))) @ inputs + penalty, slope)
    return [round(float(weight), 3) for weight in weights]


# -- the report --------------------------------------------------------------------------------------------


def report_all(tuned: Sequence[Shown], held: Sequence[Shown], report: Report) -> None:
    """Both halves before and after, and what other shares would give."""
    everything: Callable[[Verdict], Verdict] = lambda verdict: verdict  # noqa: E731
    before, after = measure(held, everything), measure(held, shown.cut_evidence)
    report.promise(
        "precision of the evidence shown, by claim, on the half that nothing was chosen on",
        f"{before.macro_precision:.3f} → {after.macro_precision:.3f}",
        "≥ .35",
        kept=after.macro_precision >= 0.35,
    )
    lost = before.macro_recall - after.macro_recall
    report.promise(
        "— recall", f"{before.macro_recall:.3f} → {after.macro_recall:.3f}", "at most .02 lower", kept=lost <= 0.02
    )
    rows = [_COLUMNS]
    for name, some in (("tuned on", tuned), ("held out", held)):
        rows += [measure(some, everything).row(name, "official"), measure(some, shown.cut_evidence).row(name, "cut")]
    report.table("Both halves", rows)
    by_label = [["label", *_COLUMNS[1:]]]
    for label in Label:
        some = [each for each in held if each.verdict.label is label]
        if some:
            by_label += [measure(some, everything).row(str(label), "official")]
            by_label += [measure(some, shown.cut_evidence).row(str(label), "cut")]
    report.table("The held-out half, by the label of the verdict", by_label)
    _report_shares(tuned, held, report)
    _report_smallest([*tuned, *held], report)


def _report_shares(tuned: Sequence[Shown], held: Sequence[Shown], report: Report) -> None:
    """Precision against recall: what a larger or smaller share would give."""
    chosen = shown.SHARE
    rows = [["share of the likeliest", "tuned on: precision", "recall", "held out: precision", "recall", "elements"]]
    for share in _SHARES:
        shown.SHARE = share
        one, other = measure(tuned, shown.cut_evidence), measure(held, shown.cut_evidence)
        numbers = (one.macro_precision, one.macro_recall, other.macro_precision, other.macro_recall)
        rows.append([f"{share:.2f}", *(f"{number:.3f}" for number in numbers), f"{other.size:.1f}"])
    shown.SHARE = chosen
    report.table(f"Other shares (the one in use is {chosen:.2f})", rows)


def _report_smallest(every: Sequence[Shown], report: Report) -> None:
    decided = [each.verdict for each in every if each.verdict.label is not Label.NOT_ENOUGH_INFO]
    sizes = sorted(len(verdict.certificate.smallest or ()) for verdict in decided if verdict.certificate.smallest)
    if sizes:
        report.note(
            "The smallest evidence",
            f"Of {len(decided)} verdicts other than NOT ENOUGH INFO {len(sizes)} name a small part that keeps them: "
            f"the median has {sizes[len(sizes) // 2]} elements, nine of ten at most "
            f"{sizes[math.ceil(0.9 * len(sizes)) - 1]}.",
        )


def main() -> None:
    """Check the claims and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=60, help="how many claims of each half")
    parser.add_argument("--fit", action="store_true", help="fit the weights on the first half, and print them")
    options: Any = parser.parse_args()
    examples = almanac_examples()
    halves = [[each for each in examples if is_tuned_on(each) is tuned][: options.claims] for tuned in (True, False)]
    tuned, held = map(check_all, halves)
    if options.fit:
        print("bias and weights:", fit_weights(tuned))
    report = Report("Evidence that a verdict shows", "python -m benchmarks.evidence")
    report_all(tuned, held, report)
    tables = check_all(list(datasets.load("almanac/reasoning"))[: options.claims])
    everything = measure(tables, lambda verdict: verdict)
    report.table(
        "Claims that are computed over tables (`almanac/reasoning`)",
        [_COLUMNS, everything.row("neither", "official"), measure(tables, shown.cut_evidence).row("neither", "cut")],
    )
    report.note(
        "How these figures were taken",
        "Weights were fitted on all 168 claims of the half tuned on. Whether to cut by a fixed likelihood, by a share "
        "or by both was decided with the figures of both halves in view, which flatters a little.",
    )
    report.write(RESULTS)


if __name__ == "__main__":
    main()
