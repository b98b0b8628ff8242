"""Whether a verdict stays when nothing that matters changes: the order of the evidence, the wording of the claim."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from benchmarks.models_figures import predicted, with_interval
from benchmarks.models_kept import Reader
from benchmarks.models_sets import ROWS, Sets, almanac_cases, fm2_cases, sample
from benchmarks.report import Report
from veritab.datasets.normalise import NOT_ENOUGH
from veritab.text import sentences
from veritab.verify.render import render

_EACH = 200
_HEADING = "Sensitivity"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"


def sensitivity(report: Report, readers: Sequence[Reader], sets: Sets) -> None:
    """How many labels change, for each model."""
    for reader in readers:
        _order_of_elements(report, reader)
        _order_of_sentences(report, reader, sets)
        _paraphrases(report, reader, sets)


# -- order -------------------------------------------------------------------------------------------------


def _order_of_elements(report: Report, reader: Reader) -> None:
    cases = [case for case in (*almanac_cases(), *fm2_cases()) if len(case.evidence) > 1]
    cases = sample(cases, _EACH, "order")
    chance = random.Random("order")
    given = [(case.claim, case.pair().evidence) for case in cases]
    shuffled = [(case.claim, render(chance.sample(case.evidence, len(case.evidence))).text) for case in cases]
    texts = sum(one != other for one, other in zip(given, shuffled, strict=True))
    labels = _changed(reader, given, shuffled)
    report.promise(
        f"evidence in another order, {reader.name}: labels that change",
        f"{labels:.1%} ({texts} of {len(cases)} texts differ)",
        "0 %",
        kept=labels == 0,
    )


def _order_of_sentences(report: Report, reader: Reader, sets: Sets) -> None:
    """The sentences of the text in another order, which rendering would never give."""
    chance = random.Random("sentences")
    given, shuffled = [], []
    for row in ROWS:
        for pair in sample(sets.pairs(row.name, reader.model), _EACH, "sentences"):
            parts = [pair.evidence[start:end] for start, end in sentences(pair.evidence)]
            if len(parts) > 2:
                given.append((pair.claim, pair.evidence))
                shuffled.append((pair.claim, " ".join(chance.sample(parts, len(parts)))))
    if given:
        share = with_interval(_changed(reader, given, shuffled), len(given))
        report.note(
            _HEADING,
            f"{reader.name}: the sentences of the rendered text shuffled, titles and all: {share} of {len(given):,} "
            "labels change.",
        )


def _changed(reader: Reader, given: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> float:
    before, after = predicted(reader.logits(given, "as it is")), predicted(reader.logits(other, "changed"))
    return float((before != after).mean()) if len(before) else 0.0


# -- wording -----------------------------------------------------------------------------------------------

_SHORT = {
    "did not": "didn't",
    "does not": "doesn't",
    "do not": "don't",
    "is not": "isn't",
    "was not": "wasn't",
    "were not": "weren't",
    "are not": "aren't",
    "has not": "hasn't",
    "have not": "haven't",
    "had not": "hadn't",
    "cannot": "can't",
    "will not": "won't",
    "would not": "wouldn't",
}
_LONG = {short: long for long, short in _SHORT.items()}
_ABOUT = {"approximately": "about", "around": "about", "roughly": "about", "about": "approximately"}
_SPELLED = {
    name: str(number)
    for number, name in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)
}


def _words(pairs: Mapping[str, str]) -> Callable[[str], str]:
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, pairs)) + r")\b")
    return lambda claim: pattern.sub(lambda found: pairs[found[0]], claim)


def _about(claim: str) -> str:
    """Only before numbers, where these words mean one thing."""
    return re.sub(r"\b(approximately|around|roughly|about) (?=\d)", lambda found: f"{_ABOUT[found[1]]} ", claim)


def _grouping(claim: str) -> str:
    """1,000 as 1000 and 1000000 as 1,000,000; four digits without a comma may be a year."""
    ungrouped = re.sub(r"\b\d{1,3}(?:,\d{3})+\b", lambda found: found[0].replace(",", ""), claim)
    if ungrouped != claim:
        return ungrouped
    return re.sub(r"(?<![\d.,])\d{5,}(?![\d.,]*\d)", lambda found: f"{int(found[0]):,}", claim)


def _dates(claim: str) -> str:
    turned = re.sub(rf"\b(\d{{1,2}}) ({_MONTHS}) (\d{{4}})\b", r"\2 \1, \3", claim)
    return turned if turned != claim else re.sub(rf"\b({_MONTHS}) (\d{{1,2}}), (\d{{4}})\b", r"\2 \1 \3", claim)


PARAPHRASES: Mapping[str, Callable[[str], str]] = {
    "no full stop at the end": lambda claim: claim.removesuffix("."),
    "lower case": str.lower,
    "contracted": _words(_SHORT),
    "not contracted": _words(_LONG),
    "about, approximately": _about,
    "digits grouped or not": _grouping,
    "day and month turned": _dates,
    "small numbers in digits": _words(_SPELLED),
    "no article at the beginning": lambda claim: re.sub(r"^(?:The|A|An) (?=\w)", "", claim),
    "curly apostrophes": lambda claim: claim.replace("'", "’"),
}
"""Ways to write a claim that change nothing of what it says."""


def _paraphrases(report: Report, reader: Reader, sets: Sets) -> None:
    pairs = [pair for row in ROWS for pair in sample(sets.pairs(row.name, reader.model), _EACH, "paraphrase")]
    rows = [["the claim", "claims", "labels that change", "of them between S and R"]]
    changes: list[bool] = []
    for name, rewrite in PARAPHRASES.items():
        found = [(pair, rewritten) for pair in pairs if (rewritten := rewrite(pair.claim)) != pair.claim]
        found = sample(found, _EACH, name)
        if not found:
            continue
        before = predicted(reader.logits([(pair.claim, pair.evidence) for pair, _ in found], "as it is"))
        after = predicted(reader.logits([(claim, pair.evidence) for pair, claim in found], name))
        moved = before != after
        turned = moved & (before < NOT_ENOUGH) & (after < NOT_ENOUGH)
        changes += moved.tolist()
        rows.append([name, str(len(found)), f"{moved.mean():.1%}", f"{turned.mean():.1%}"])
    if changes:
        rows.append(["all", str(len(changes)), f"{np.mean(changes):.1%}", ""])
    report.table(f"{_HEADING} to wording: {reader.name}", rows)
