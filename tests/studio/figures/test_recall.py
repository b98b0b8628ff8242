"""How much of the evidence is found: by hand, and over evidence of which all is known."""

from __future__ import annotations

import math
from random import Random

import pytest

from tests.studio.figures.samples import N, R, S, annotate, collect
from veritab.studio.figures.recall import chapman, estimate_unfound, measure_super_annotation
from veritab.studio.figures.values import Figure
from veritab.studio.vocabulary import Pool

# -- super-annotators --------------------------------------------------------------------------------------


def test_precision_and_recall_are_pooled_over_pieces() -> None:
    found = measure_super_annotation(
        collect(
            annotate("1", "a", S, "0", "1"),
            annotate("1", "b", S, "7"),
            annotate("2", "a", R, "3"),
            annotate("3", "a", S, "0"),  # no super-annotator saw it
            annotate("1", "expert", S, "0", "1", "2", "3", pool=Pool.SUPER),
            annotate("2", "expert", R, "3", pool=Pool.SUPER),
        )
    )
    assert found.overall == (3, Figure(3 / 4, 4), Figure(3 / 9, 9))
    assert found.by_annotator["a"] == (2, Figure(1.0, 3), Figure(3 / 5, 5))
    assert found.by_annotator["b"] == (1, Figure(0.0, 1), Figure(0.0, 4))


def test_what_any_super_annotator_chose_was_to_be_found() -> None:
    found = measure_super_annotation(
        collect(
            annotate("1", "expert", S, "0", pool=Pool.SUPER),
            annotate("1", "a", S, "0", "1"),
            annotate("1", "other expert", S, "1", "2", pool=Pool.SUPER),
        )
    )
    assert found.overall == (1, Figure(1.0, 2), Figure(2 / 3, 3))


def test_evidence_where_super_annotators_found_none_is_wrong() -> None:
    found = measure_super_annotation(collect(annotate("1", "a", S, "0"), annotate("1", "x", N, pool=Pool.SUPER)))
    assert found.overall.precision == Figure(0.0, 1)
    assert found.overall.recall.value is None
    assert "no evidence of super-annotators" in found.overall.recall.reason


def test_without_super_annotators_there_is_nothing_to_compare() -> None:
    found = measure_super_annotation(collect(annotate("1", "a", S, "0"), annotate("1", "b", S, "0")))
    assert found.overall.answers == 0
    assert found.overall.precision.value is None
    assert found.by_annotator == {}


# -- capture and recapture ---------------------------------------------------------------------------------


def test_chapman_by_hand() -> None:
    # Ten were found by the one, fifteen by the other, five by both: 11 * 16 / 6 - 1 pieces.
    estimate = chapman(3, 10, 15, 5)
    assert estimate.total == pytest.approx(176 / 6 - 1)
    assert estimate.variance == pytest.approx(11 * 16 * 5 * 10 / (36 * 7))
    assert estimate.found == 20
    assert estimate.recall == pytest.approx(12.5 / (176 / 6 - 1))
    unfound = 176 / 6 - 1 - 20
    spread = math.exp(1.959964 * math.sqrt(math.log(1 + estimate.variance / unfound**2)))
    assert estimate.low == pytest.approx(20 + unfound / spread, rel=1e-5)
    assert estimate.high == pytest.approx(20 + unfound * spread, rel=1e-5)
    assert estimate.recall_low == pytest.approx(12.5 / estimate.high)
    assert estimate.recall_high == pytest.approx(12.5 / estimate.low)


def test_where_both_found_the_same_nothing_is_left() -> None:
    estimate = chapman(2, 7, 7, 7)
    assert (estimate.total, estimate.variance, estimate.low, estimate.high, estimate.recall) == (7, 0, 7, 7, 1)


def test_where_they_share_nothing_there_is_still_an_estimate() -> None:
    estimate = chapman(2, 3, 4, 0)
    assert estimate.total == 4 * 5 - 1
    assert estimate.low >= estimate.found == 7


def test_claims_count_where_two_people_answered_alike_with_evidence() -> None:
    found = estimate_unfound(
        collect(
            annotate("1", "a", S, "0", "1"), annotate("1", "b", S, "1", "2", "3"),
            annotate("2", "a", S, "0"), annotate("2", "b", R, "0"), annotate("2", "c", R, "0", "5"),  # b and c
            annotate("3", "a", N, "0"), annotate("3", "b", N, "0"),  # not evidence for anything
            annotate("4", "a", S, "0"), annotate("4", "b", S),
            annotate("5", "a", S, "0"), annotate("5", "b", R, "0"),
        )
    )  # fmt: skip
    assert found.estimate == chapman(2, 2 + 1, 3 + 2, 1 + 1)
    assert "independently" in found.assumption


def test_without_two_such_answers_there_is_no_estimate() -> None:
    found = estimate_unfound(collect(annotate("1", "a", S, "0"), annotate("1", "b", R, "0")))
    assert found.estimate is None
    assert found.reason == "no claim that two people answered alike, with evidence"


def test_the_interval_holds_the_truth_about_95_times_in_100() -> None:
    random = Random(7)
    pieces, rounds, held = 60, 400, 0
    for _ in range(rounds):
        one, other = ({piece for piece in range(pieces) if random.random() < 0.6} for _ in range(2))
        estimate = chapman(1, len(one), len(other), len(one & other))
        held += estimate.low <= pieces <= estimate.high
    assert 0.91 <= held / rounds <= 0.99
