"""Skips, flags, reports and approvals, counted by hand."""

from __future__ import annotations

from tests.studio.figures.samples import S, annotate
from veritab.studio.figures.handling import HandlingCounter, measure_approval
from veritab.studio.figures.rows import MemberRow
from veritab.studio.figures.values import Figure


def test_refusals_are_counted_by_reason_author_and_annotator() -> None:
    counter = HandlingCounter()
    for row in (
        annotate("1", "a", S, author="ibis"),
        annotate("2", "a", None, author="ibis", skipped="typo"),
        annotate("3", "b", S, author="heron", flagged="vague"),
        annotate("4", "b", None, author="ibis", reported="language"),
        annotate("5", "b", None, reported="language"),
        annotate("6", "b", None, reported="unverifiable"),
    ):
        counter.add(row)
    found = counter.result()
    assert found.overall.shown == 6
    assert found.overall.skipped == Figure(1 / 6, 6)
    assert found.overall.flagged == Figure(1 / 6, 6)
    assert found.overall.reported == Figure(3 / 6, 6)
    assert found.overall.reports.counts == {"language": 2, "unverifiable": 1}
    assert list(found.by_author) == ["heron", "ibis"]
    assert found.by_author["ibis"].skips.counts == {"typo": 1}
    assert found.by_author["ibis"].reported == Figure(1 / 3, 3)
    assert found.by_annotator["b"].reported == Figure(3 / 4, 4)


def test_nothing_shown_is_no_share() -> None:
    assert HandlingCounter().result().overall.skipped == Figure(None, 0, "no claim shown")


def test_approval_is_of_those_decided_upon_by_kind_of_task() -> None:
    found = measure_approval(
        [
            MemberRow("a", "verify", "approved", 0.9, approved=True),
            MemberRow("b", "verify", "rejected", 0.4, approved=False),
            MemberRow("c", "verify", "paused", 0.8, approved=True),
            MemberRow("d", "verify", "phase two", None),
            MemberRow("d", "write", "waiting"),
        ]
    )
    assert list(found) == ["verify", "write"]
    assert found["verify"].approved == Figure(2 / 3, 3)
    assert found["verify"].accuracy == Figure((0.9 + 0.4 + 0.8) / 3, 3)
    assert found["verify"].stages.n == 4
    assert found["write"].approved == Figure(None, 0, "no member decided upon")
