"""What was written, counted by hand."""

from __future__ import annotations

from veritab.studio.figures.claims import ClaimCounter, ClaimFigures
from veritab.studio.figures.rows import OperationCounts, WritingRow, WrittenClaim
from veritab.studio.figures.values import Figure
from veritab.studio.vocabulary import ClaimType, HighlightKind, MutationType, PageRule, Pool, PrescribedTruth, TaskKind


def counted(*rows: WritingRow) -> ClaimFigures:
    counter = ClaimCounter()
    for row in rows:
        counter.add(row)
    return counter.result()


def three(first: str, second: str, third: str, mutation: MutationType) -> tuple[WrittenClaim, ...]:
    return (
        WrittenClaim(first, ClaimType.HIGHLIGHT_ONLY, truth=PrescribedTruth.TRUE),
        WrittenClaim(second, ClaimType.BEYOND_HIGHLIGHT),
        WrittenClaim(third, ClaimType.MUTATED, mutation=mutation),
    )


FROM_TABLE = WritingRow(
    "ibis",
    TaskKind.FEVEROUS_CLAIMS,
    three("One two.", "One two three four.", "One two three.", MutationType.NEGATION),
    highlight=HighlightKind.TABLE,
    page_rule=PageRule.SEVERAL_PAGES,
    seconds=300,
    operations=OperationCounts(searches=1, hyperlinks=2),
)
FROM_SENTENCES = WritingRow(
    "heron",
    TaskKind.FEVEROUS_CLAIMS,
    three("One.", "One two.", "One two three four five.", MutationType.NEGATION),
    highlight=HighlightKind.SENTENCES,
    page_rule=PageRule.SAME_PAGE,
    seconds=500,
    operations=OperationCounts(),
)


def test_claims_count_under_highlight_type_page_rule_and_mutation() -> None:
    found = counted(FROM_TABLE, FROM_TABLE, FROM_SENTENCES)
    assert found.claims == 9
    assert found.by_highlight.counts == {"table": 6, "sentences": 3}
    assert found.by_type.counts == {"I": 3, "II": 3, "III": 3}
    assert found.by_page_rule.counts == {"several pages": 6, "same page": 3}
    assert found.by_mutation == (3, {"negation": 3})
    assert found.by_truth == (3, {"true": 3})


def test_lengths_are_words_between_white_space() -> None:
    found = counted(FROM_TABLE, FROM_SENTENCES)
    assert found.lengths.mean == Figure((2 + 4 + 3 + 1 + 2 + 5) / 6, 6)
    assert found.lengths.counts == {1: 1, 2: 2, 3: 1, 4: 1, 5: 1}
    assert found.lengths_by_type["II"].mean == Figure(3.0, 2)
    assert found.lengths_by_highlight["table"].mean == Figure(3.0, 3)
    assert found.lengths_by_highlight["table"].spread is not None
    assert found.lengths_by_highlight["table"].spread.median == 3


def test_effort_is_of_a_whole_task_and_apart_for_several_pages() -> None:
    found = counted(FROM_TABLE, FROM_SENTENCES)
    effort = found.effort[TaskKind.FEVEROUS_CLAIMS]
    assert effort.seconds == Figure(400.0, 2)
    assert effort.hyperlinks == Figure(1.0, 2)
    assert found.effort_by_page_rule[PageRule.SEVERAL_PAGES].hyperlinks == Figure(2.0, 1)
    assert found.effort_by_page_rule[PageRule.SEVERAL_PAGES].searches == Figure(1.0, 1)


def test_a_skipped_highlight_has_a_reason_and_no_effort() -> None:
    found = counted(FROM_TABLE._replace(claims=(), skipped="formatting"), FROM_TABLE._replace(claims=(), skipped=""))
    assert found.skips.counts == {"": 1, "formatting": 1}
    assert found.effort == {}
    assert found.lengths.mean == Figure(None, 0, "no claim")
    assert found.lengths.spread is None


def test_practice_is_left_out() -> None:
    assert counted(FROM_TABLE._replace(pool=Pool.PRACTICE), FROM_TABLE._replace(pool=Pool.CALIBRATION)).claims == 0
