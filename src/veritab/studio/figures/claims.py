"""What was written: claims by highlight, type, page rule and mutation, and how long they are (FEVEROUS, 7.5.1)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from veritab.datasets.statistics import Spread
from veritab.studio.figures.effort import Effort, EffortCounter
from veritab.studio.figures.rows import WritingRow
from veritab.studio.figures.values import Figure, Tally, mean_figure
from veritab.studio.vocabulary import Pool


class ClaimLengths(NamedTuple):
    """How many words claims have: mean, quartiles, and how many claims there are of each length (figure 3)."""

    mean: Figure
    spread: Spread | None
    counts: Mapping[int, int]


class ClaimFigures(NamedTuple):
    """The claims of a studio, and what writing them took.

    All claims written for a highlight count under its page rule, as in the paper, where they are as many as all claims.
    Words are those between white space, as FEVEROUS counts them.
    """

    claims: int
    effort: Mapping[str, Effort]
    effort_by_page_rule: Mapping[str, Effort]
    by_highlight: Tally
    by_type: Tally
    by_page_rule: Tally
    by_mutation: Tally
    by_truth: Tally
    lengths: ClaimLengths
    lengths_by_type: Mapping[str, ClaimLengths]
    lengths_by_highlight: Mapping[str, ClaimLengths]
    skips: Tally


class ClaimCounter:
    """Counts claims as they were written; practice is left out."""

    def __init__(self) -> None:
        self.claims = 0
        self.effort: defaultdict[str, EffortCounter] = defaultdict(EffortCounter)
        self.effort_by_page_rule: defaultdict[str, EffortCounter] = defaultdict(EffortCounter)
        self.named: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.lengths: Counter[int] = Counter()
        self.lengths_by_type: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.lengths_by_highlight: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.skips: Counter[str] = Counter()

    def add(self, row: WritingRow) -> None:
        """Count what one person wrote for one highlight."""
        if row.pool != Pool.WORK:
            return
        if row.skipped is not None:
            self.skips[row.skipped] += 1
            return
        self.effort[row.kind].add(row.seconds, row.operations)
        if row.page_rule is not None:
            self.effort_by_page_rule[row.page_rule].add(row.seconds, row.operations)
        for claim in row.claims:
            self.claims += 1
            length = len(claim.text.split())
            self.lengths[length] += 1
            if claim.type is not None:
                self.lengths_by_type[claim.type][length] += 1
            if row.highlight is not None:
                self.lengths_by_highlight[row.highlight][length] += 1
            for what, name in (
                ("highlight", row.highlight),
                ("type", claim.type),
                ("page rule", row.page_rule),
                ("mutation", claim.mutation),
                ("truth", claim.truth),
            ):
                if name is not None:
                    self.named[what][name] += 1

    def result(self) -> ClaimFigures:
        """The figures of all that was counted."""
        return ClaimFigures(
            claims=self.claims,
            effort={kind: each.result() for kind, each in sorted(self.effort.items())},
            effort_by_page_rule={rule: each.result() for rule, each in sorted(self.effort_by_page_rule.items())},
            by_highlight=Tally.of(self.named["highlight"]),
            by_type=Tally.of(self.named["type"]),
            by_page_rule=Tally.of(self.named["page rule"]),
            by_mutation=Tally.of(self.named["mutation"]),
            by_truth=Tally.of(self.named["truth"]),
            lengths=_lengths(self.lengths),
            lengths_by_type={name: _lengths(each) for name, each in sorted(self.lengths_by_type.items())},
            lengths_by_highlight={name: _lengths(each) for name, each in sorted(self.lengths_by_highlight.items())},
            skips=Tally.of(self.skips),
        )


def _lengths(counts: Counter[int]) -> ClaimLengths:
    total = sum(length * count for length, count in counts.items())
    return ClaimLengths(
        mean_figure(total, counts.total(), "claim"), Spread.of(counts) if counts else None, dict(sorted(counts.items()))
    )
