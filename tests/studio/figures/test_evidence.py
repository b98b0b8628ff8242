"""What was found, counted by hand."""

from __future__ import annotations

import pytest

from tests.studio.figures.samples import N, R, S, annotate, pieces
from veritab.studio.figures.evidence import EvidenceCounter, EvidenceFigures, names_title
from veritab.studio.figures.rows import AnnotationRow
from veritab.studio.figures.values import Figure


def counted(*rows: AnnotationRow) -> EvidenceFigures:
    counter = EvidenceCounter()
    for row in rows:
        counter.add(row)
    return counter.result()


def test_sets_are_counted_where_there_is_evidence() -> None:
    found = counted(
        annotate("1", "ibis", S, evidence=(pieces("0"), pieces("0", "1"))),
        annotate("2", "ibis", R, evidence=(pieces("2"), frozenset())),
        annotate("3", "ibis", N),
    )
    assert found.answers == 3
    assert found.sets == Figure(1.5, 2)
    assert found.several_sets == 1
    assert found.pieces_per_set == (3, {1: 2, 2: 1})
    assert found.labels.counts == {"NOT ENOUGH INFO": 1, "REFUTES": 1, "SUPPORTS": 1}


def test_a_piece_of_two_sets_counts_once_and_header_cells_are_cells() -> None:
    ids = "K2_cell_0_3_1", "K2_header_cell_0_0_1", "K2_sentence_4", "K2_item_0_2", "K2_table_caption_0"
    found = counted(annotate("1", "ibis", S, evidence=(pieces(*ids), pieces("K2_sentence_4"))))
    assert found.pieces == (5, {"cell": 2, "item": 1, "sentence": 1, "table_caption": 1})
    assert found.sentence_positions == (1, {4: 1})
    assert found.row_positions == (2, {0: 1, 3: 1})


def test_sections_come_with_the_row() -> None:
    found = counted(annotate("1", "ibis", S, "0", "9", sections=(-1, 2)), annotate("2", "ibis", S, "1", sections=(-1,)))
    assert found.section_positions == (3, {-1: 2, 2: 1})


@pytest.mark.parametrize(
    ("claim", "title", "is_named"),
    [
        ("Alfred Wright was a priest.", "Alfred Wright", True),
        ("Alfred Cecil Wright was a priest.", "Alfred Wright", False),
        ("The film Heat was made in 1995.", "Heat (1995 film)", True),
        ("BEYONCE sang.", "Beyoncé", True),
        ("She overheated.", "Heat", False),
        ("The Shulin district.", "Shulin District", True),
        ("What is it?", "???", False),
    ],
)
def test_a_title_is_named_by_its_words_in_a_row(claim: str, title: str, is_named: bool) -> None:
    assert names_title(claim, title) is is_named


def test_one_page_of_the_evidence_that_the_claim_names_is_enough() -> None:
    found = counted(
        annotate("1", "ibis", S, "K2_sentence_0", "Pakistan_sentence_0", text="K2 is high."),
        annotate("2", "ibis", S, "K2_sentence_0", text="The second highest mountain is cold."),
        annotate("3", "ibis", N, text="K2 is old."),
    )
    assert found.title_in_claim == Figure(0.5, 2)


def test_challenges_and_ratings_are_counted_and_a_rating_without_a_label_takes_time_too() -> None:
    found = counted(
        annotate("1", "ibis", S, challenge="Other", rating="perfect", seconds=10.0),
        annotate("2", "ibis", None, rating="incomprehensible", seconds=30.0),
        annotate("3", "ibis", None, skipped="typo", seconds=500.0),
    )
    assert found.answers == 1
    assert found.challenges.counts == {"Other": 1}
    assert found.ratings.counts == {"incomprehensible": 1, "perfect": 1}
    assert found.effort["feverous-verification"].seconds == Figure(20.0, 2)


def test_without_answers_nothing_is_measured() -> None:
    found = counted()
    assert found.sets == Figure(None, 0, "no answer with evidence")
    assert found.title_in_claim.value is None
    assert found.effort == {}
