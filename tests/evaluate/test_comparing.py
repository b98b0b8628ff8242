"""Two runs are compared claim by claim, and only where they answered the same claims."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.sample_runs import CLAIMS, made_run
from veritab.errors import InputError
from veritab.evaluate.comparing import (
    ChangeKind,
    changed_claims,
    compare_runs,
    refuse_different_data,
    stage_costs,
    value_of,
)
from veritab.evaluate.significance import PairedLabels, holm, macro_f1_difference, mcnemar
from veritab.runs.comparing import record_differences
from veritab.schema import Label

# -- tests of significance --


@pytest.mark.parametrize(
    ("better", "worse", "p_value"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 2 / 2**5),
        (0, 6, 2 / 2**6),
        (9, 1, 2 * (1 + 10) / 2**10),
        (3, 3, 1.0),
        (2, 8, 2 * (1 + 10 + 45) / 2**10),
    ],
)
def test_mcnemar_is_exact(better: int, worse: int, p_value: float) -> None:
    assert mcnemar(better, worse) == pytest.approx(p_value, abs=1e-15)


def test_mcnemar_has_no_trouble_with_many_claims() -> None:
    assert 0 < mcnemar(5400, 5000) < 0.001
    assert mcnemar(5000, 5000) == 1.0


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_twice_the_tail_of_a_fair_coin(better: int, worse: int) -> None:
    changed = better + worse
    tail = sum(math.comb(changed, count) for count in range(min(better, worse) + 1)) / 2**changed
    assert mcnemar(better, worse) == pytest.approx(min(1, 2 * tail), rel=1e-12)


def test_holm_raises_the_smallest_most_and_keeps_their_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_lowers_a_p_value(p_values: list[float]) -> None:
    assert all(before <= after <= 1 for before, after in zip(p_values, holm(p_values), strict=True))


TRUE, FALSE, UNKNOWN = Label


def test_macro_f1_is_the_mean_over_the_labels_of_the_gold() -> None:
    claims = [PairedLabels(TRUE, TRUE, TRUE), PairedLabels(TRUE, FALSE, TRUE), PairedLabels(FALSE, FALSE, FALSE)]
    found = macro_f1_difference(claims)
    assert found.first == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert found.second == 1.0


def test_two_runs_that_say_the_same_do_not_differ_in_macro_f1() -> None:
    claims = [PairedLabels(label, TRUE, TRUE) for label in Label] * 5
    found = macro_f1_difference(claims)
    assert found.first == found.second
    assert (found.low, found.high, found.p_value) == (0.0, 0.0, 1.0)


def test_a_large_difference_in_macro_f1_is_no_chance() -> None:
    claims = [PairedLabels(label, UNKNOWN, label) for label in Label] * 20
    found = macro_f1_difference(claims)
    assert found.p_value < 0.001
    assert found.low > 0.4


def test_a_run_without_answers_is_worth_nothing() -> None:
    assert macro_f1_difference([PairedLabels(TRUE, None, TRUE)] * 4).first == 0.0


# -- runs side by side --


def test_measures_are_compared_claim_by_claim(tmp_path: Path) -> None:
    first = made_run(tmp_path, "first", wrong=range(10))
    second = made_run(tmp_path, "second", wrong=(9, 10), bare=(20,))
    ((score, accuracy, _, recall, *_, macro),) = compare_runs([first, second])
    assert (accuracy.measure, accuracy.better, accuracy.worse, accuracy.n) == ("label_accuracy", 9, 1, CLAIMS)
    assert accuracy.p_value == pytest.approx(2 * 11 / 2**10)
    assert accuracy.test == "exact McNemar"
    assert accuracy.difference == pytest.approx(8 / CLAIMS)
    assert accuracy.low < accuracy.difference < accuracy.high
    assert (score.better, score.worse) == (9, 2)
    assert (recall.better, recall.worse) == (0, 1)
    assert macro.measure == "macro_f1"
    assert macro.second > macro.first


def test_means_are_tested_by_randomisation(tmp_path: Path) -> None:
    evidence = {number: [f"Page {number % 7}_sentence_{number % 3}", "Other_sentence_0"] for number in range(CLAIMS)}
    first, second = made_run(tmp_path, "first"), made_run(tmp_path, "second", evidence=evidence)
    (tested,) = compare_runs([first, second])
    share = next(each for each in tested if each.measure == "evidence_share")
    assert share.test == "randomisation"
    assert share.difference == pytest.approx(-0.5)
    assert share.p_value < 0.001


def test_several_comparisons_with_one_run_are_corrected(tmp_path: Path) -> None:
    first = made_run(tmp_path, "first", wrong=range(6))
    others = [made_run(tmp_path, "second"), made_run(tmp_path, "third")]
    alone = compare_runs([first, others[0]])[0][1]
    both = compare_runs([first, *others])[0][1]
    assert alone.adjusted == alone.p_value == both.p_value
    assert both.adjusted == pytest.approx(2 * both.p_value)


def test_a_measure_that_one_run_lacks_is_left_out_for_it_alone(tmp_path: Path) -> None:
    first = made_run(tmp_path, "first", wrong=range(6))
    silent, second = made_run(tmp_path, "silent", bare=range(CLAIMS)), made_run(tmp_path, "second")
    tested = [{test.measure: test for test in tests} for tests in compare_runs([first, silent, second])]
    assert "named_precision" not in tested[0]
    assert tested[1]["named_precision"].adjusted == 1.0
    assert tested[1]["label_accuracy"].adjusted == pytest.approx(2 * 2 / 2**6)


def test_the_same_runs_give_the_same_numbers(tmp_path: Path) -> None:
    runs = [made_run(tmp_path, "first", wrong=range(6)), made_run(tmp_path, "second", bare=range(3))]
    assert compare_runs(runs) == compare_runs(runs)


def test_runs_on_other_claims_are_refused_with_both_named(tmp_path: Path) -> None:
    first, second = made_run(tmp_path, "first"), made_run(tmp_path, "second", seed=1)
    with pytest.raises(InputError, match=r"their claims differ \(first: 30 claims of .*second: 30 claims of"):
        refuse_different_data([first, second])


def test_runs_on_more_claims_of_the_same_file_are_refused(tmp_path: Path) -> None:
    first, second = made_run(tmp_path, "first"), made_run(tmp_path, "second", claims=10)
    with pytest.raises(InputError, match=r"30 claims of .* 10 claims of"):
        compare_runs([first, second])


def test_what_differs_between_runs_is_told(tmp_path: Path) -> None:
    first = made_run(tmp_path, "first", tags={"trained_on": "100"})
    second = made_run(tmp_path, "second", oracle="labels", wrong=(1,), tags={"trained_on": "200"})
    told = record_differences(first.record, second.record)
    assert told["tags.trained_on"] == ("100", "200")
    assert told["oracle"] == ("–", "labels")
    assert "veritab" not in told


def test_changed_claims_are_told_both_ways(tmp_path: Path) -> None:
    first = made_run(tmp_path, "first", wrong=(0, 1), bare=(5,))
    second = made_run(tmp_path, "second", wrong=(1, 2, 3), bare=(6,))
    found = changed_claims(first, second)
    assert [(change.kind, change.before.id) for change in found] == [
        (ChangeKind.MENDED, "0"),
        (ChangeKind.BROKEN, "2"),
        (ChangeKind.BROKEN, "3"),
        (ChangeKind.EVIDENCE_FOUND, "5"),
        (ChangeKind.EVIDENCE_LOST, "6"),
    ]
    assert not changed_claims(first, first)


def test_what_a_stage_costs_is_what_is_gained_where_it_is_told_the_answer(tmp_path: Path) -> None:
    plain = made_run(tmp_path, "plain", wrong=range(6), bare=range(3, 12))
    labels = made_run(tmp_path, "labels", bare=range(3, 12), oracle="labels")
    evidence = made_run(tmp_path, "evidence", wrong=range(3), oracle="evidence")
    costs = stage_costs([labels, plain, evidence])
    assert [cost.oracle for cost in costs] == ["nothing", "evidence", "labels"]
    assert costs[0].gained == 0
    assert costs[1].gained == pytest.approx((27 - 18) / CLAIMS)
    assert costs[2].gained == pytest.approx((21 - 18) / CLAIMS)
    assert costs[2].label_accuracy == 1.0
    assert stage_costs([plain]) == stage_costs([labels, evidence]) == ()


def test_an_unknown_measure_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'beauty' is not a measure"):
        value_of(made_run(tmp_path, "run").results[0], "beauty")
