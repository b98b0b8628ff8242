"""What people did with claims other than answer them, and who was let in (FEVEROUS, 3.2; FEVER, 3.4)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from veritab.studio.figures.rows import AnnotationRow, MemberRow
from veritab.studio.figures.values import Figure, Tally, mean_figure

# -- skips, flags and reports ------------------------------------------------------------------------------


class Refusals(NamedTuple):
    """How many of the claims shown were skipped, flagged and reported, and for which reasons."""

    shown: int
    skipped: Figure
    flagged: Figure
    reported: Figure
    skips: Tally
    flags: Tally
    reports: Tally


class HandlingFigures(NamedTuple):
    """Refusals in all, by the author of the claim, and by who refused it. A claim shown to two people counts twice."""

    overall: Refusals
    by_author: Mapping[str, Refusals]
    by_annotator: Mapping[str, Refusals]


class _RefusalCounter:
    def __init__(self) -> None:
        self.shown = 0
        self.skips: Counter[str] = Counter()
        self.flags: Counter[str] = Counter()
        self.reports: Counter[str] = Counter()

    def add(self, row: AnnotationRow) -> None:
        self.shown += 1
        for counts, reason in ((self.skips, row.skipped), (self.flags, row.flagged), (self.reports, row.reported)):
            if reason is not None:
                counts[reason] += 1

    def result(self) -> Refusals:
        return Refusals(
            shown=self.shown,
            skipped=mean_figure(self.skips.total(), self.shown, "claim shown"),
            flagged=mean_figure(self.flags.total(), self.shown, "claim shown"),
            reported=mean_figure(self.reports.total(), self.shown, "claim shown"),
            skips=Tally.of(self.skips),
            flags=Tally.of(self.flags),
            reports=Tally.of(self.reports),
        )


class HandlingCounter:
    """Counts skips, flags and reports; its memory grows with people and reasons."""

    def __init__(self) -> None:
        self._overall = _RefusalCounter()
        self._by_author: defaultdict[str, _RefusalCounter] = defaultdict(_RefusalCounter)
        self._by_annotator: defaultdict[str, _RefusalCounter] = defaultdict(_RefusalCounter)

    def add(self, row: AnnotationRow) -> None:
        """Count what was done with one claim."""
        self._overall.add(row)
        self._by_annotator[row.annotator].add(row)
        if row.author is not None:
            self._by_author[row.author].add(row)

    def result(self) -> HandlingFigures:
        """The refusals of all that was counted."""
        by_author, by_annotator = (
            {name: counter[name].result() for name in sorted(counter)}
            for counter in (self._by_author, self._by_annotator)
        )
        return HandlingFigures(self._overall.result(), by_author, by_annotator)


# -- members -----------------------------------------------------------------------------------------------


class ApprovalFigures(NamedTuple):
    """How many of the people decided upon were approved for a kind of task, and how many people are at which stage."""

    approved: Figure
    accuracy: Figure
    """The mean share of right verdicts in calibration."""
    stages: Tally


def measure_approval(members: Iterable[MemberRow]) -> dict[str, ApprovalFigures]:
    """The approval rate for each kind of task."""
    by_kind: defaultdict[str, list[MemberRow]] = defaultdict(list)
    for member in members:
        by_kind[member.kind].append(member)
    return {kind: _approval(by_kind[kind]) for kind in sorted(by_kind)}


def _approval(members: Iterable[MemberRow]) -> ApprovalFigures:
    members = list(members)
    decided = [member.approved for member in members if member.approved is not None]
    scores = [member.accuracy for member in members if member.accuracy is not None]
    return ApprovalFigures(
        mean_figure(sum(decided), len(decided), "member decided upon"),
        mean_figure(sum(scores), len(scores), "member with graded verdicts"),
        Tally.of(Counter(member.stage for member in members)),
    )
