"""How the wording of claims differs between labels: negation, denial, and lexical overlap with the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from veritab.audit.audit_rows import AuditRow
from veritab.evaluate.metrics import Metric, mean_metric, wilson
from veritab.lexicon.grammar import NEGATION_WORDS

_APOSTROPHES = str.maketrans("’ʼ", "''")
_NEGATION = re.compile(rf"\b(?:{'|'.join(sorted(NEGATION_WORDS))})\b|n't\b")
# What annotators write when asked to deny something without "not".
_DENIAL = re.compile(
    r"\b(?:only|merely|solely|exclusively|incapable|unable|impossible|zero|yet to|away from"
    r"|(?:fail|refus|lack|avoid|den[iy]|declin)(?:s|es|ed|ing|e|y)?|anything but|rather than|instead of)\b",
)


def negates(claim: str) -> bool:
    """Whether a claim has a word of negation."""
    return bool(_NEGATION.search(claim.lower().translate(_APOSTROPHES)))


def denies(claim: str) -> bool:
    """Whether a claim has a word of negation or of denial, such as "only" or "incapable"."""
    return negates(claim) or bool(_DENIAL.search(claim.lower()))


class Rates(NamedTuple):
    """A metric for every label, and the gap between the highest and the lowest."""

    by_label: dict[str, Metric]

    @property
    def gap(self) -> float:
        values = [metric.value for metric in self.by_label.values()]
        return max(values) - min(values) if values else 0.0

    @property
    def is_clear(self) -> bool:
        """Whether the gap is more than chance: the intervals of its two ends lie apart."""
        ordered = sorted(self.by_label.values())
        return bool(ordered) and ordered[0].high < ordered[-1].low


def negation(rows: Sequence[AuditRow], names: Sequence[str]) -> Rates:
    """The share of each label's claims that negate."""
    return _shares(rows, names, [negates(row.text) for row in rows])


def denial(rows: Sequence[AuditRow], names: Sequence[str]) -> Rates:
    """The share of each label's claims that negate or deny."""
    return _shares(rows, names, [denies(row.text) for row in rows])


def _shares(rows: Sequence[AuditRow], names: Sequence[str], found: Sequence[bool]) -> Rates:
    shares = {}
    for name in names:
        here = [each for row, each in zip(rows, found, strict=True) if row.label == name]
        share = sum(here) / len(here) if here else 0.0
        shares[name] = Metric(share, *wilson(share, len(here)), "wilson", len(here))
    return Rates(shares)


def overlap(rows: Sequence[AuditRow], names: Sequence[str]) -> Rates:
    """The mean share of a claim's words that its evidence has too, by label; without labels of unknown evidence."""
    means = {}
    for name in names:
        here = [row.overlap for row in rows if row.label == name and row.overlap is not None]
        if here:
            means[name] = mean_metric(here)
    return Rates(means)
