"""FEVER's score to the last digit: its golden test, its worked example, and every odd case of its program."""

from __future__ import annotations

import gzip
import json
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.errors import InputError
from veritab.evaluate.official import OfficialScores, fever_outcomes, fever_score

NEI = "NOT ENOUGH INFO"


def lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def record(
    label: str = "SUPPORTS", predicted: str = "SUPPORTS", evidence: Any = (), *groups: list[tuple[Any, Any]]
) -> dict[str, Any]:
    gold = [[[None, None, page, line] for page, line in group] for group in groups]
    pieces = [list(piece) for piece in evidence] if isinstance(evidence, tuple) else evidence
    return {"label": label, "predicted_label": predicted, "evidence": gold, "predicted_evidence": pieces}


A0, A1, B0 = ("A", 0), ("A", 1), ("B", 0)


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        (
            9999,
            (0.32573257325732574, 0.5208520852085209, 0.1043804380438068, 0.44224422442244227, 0.1688970477815144),
        ),
        (100, (0.26, 0.48, 0.09189189189189195, 0.3783783783783784, 0.14787200994097552)),
    ],
)
def test_the_golden_vector_comes_out_to_the_last_digit(
    claims: int, expected: tuple[float, ...], data_folder: Path
) -> None:
    folder = data_folder / "fever"
    predictions, actual = lines(folder / "scorer_predictions.jsonl.gz"), lines(folder / "scorer_actual.jsonl.gz")
    assert len(predictions) == len(actual) == 9999
    assert fever_score(predictions[:claims], actual[:claims]) == expected


def test_half_the_evidence_is_worth_no_recall_and_no_score() -> None:
    whole = [("page1", 1), ("page2", 2)]
    some = record("REFUTES", "REFUTES", (("page1", 1),), whole)
    more = record("REFUTES", "REFUTES", (("page1", 1), ("page2", 2), ("page3", 3)), whole)
    strict, accuracy, precision, recall, f1 = fever_score([some, more])
    assert (strict, accuracy, precision, recall) == (0.5, 1.0, (1 + 2 / 3) / 2, 0.5)
    assert f1 == pytest.approx(0.625)


def test_labels_are_compared_without_regard_to_case() -> None:
    assert fever_score([record("Supports", "SUPPORTS", (A0,), [A0])]).label_accuracy == 1


def test_any_group_is_enough_and_all_groups_count_for_precision() -> None:
    outcome = fever_outcomes([record("SUPPORTS", "SUPPORTS", (A1, B0), [A0], [A1])])[0]
    assert outcome == (True, True, 0.5, 1.0)


def test_not_enough_info_needs_no_evidence_and_is_not_looked_at() -> None:
    right = record(NEI, NEI, (A0,), [(None, None)])
    wrong = record(NEI, "SUPPORTS", (A0,), [(None, None)])
    assert [tuple(each) for each in fever_outcomes([right, wrong])] == [
        (True, True, None, None),
        (False, False, None, None),
    ]


def test_evidence_is_looked_at_whatever_the_label_that_was_predicted() -> None:
    assert fever_outcomes([record("SUPPORTS", NEI, (A0,), [A0])])[0] == (False, False, 1.0, 1.0)


def test_only_the_first_five_pieces_count() -> None:
    noise = tuple(("N", number) for number in range(5))
    late = record("SUPPORTS", "SUPPORTS", (*noise, A0), [A0])
    assert fever_outcomes([late])[0] == (True, False, 0.0, 0.0)
    assert fever_outcomes([late], max_evidence=6)[0] == (True, True, 1 / 6, 1.0)
    assert fever_outcomes([late], max_evidence=None)[0] == (True, True, 1 / 6, 1.0)


def test_a_piece_named_twice_counts_twice() -> None:
    assert fever_outcomes([record("SUPPORTS", "SUPPORTS", (A0, A0, B0), [A0])])[0].precision == 2 / 3


def test_no_predicted_evidence_is_precise() -> None:
    assert fever_outcomes([record("SUPPORTS", "SUPPORTS", (), [A0])])[0] == (True, False, 1.0, 0.0)


def test_no_gold_evidence_is_found_but_not_strictly() -> None:
    assert fever_outcomes([record("SUPPORTS", "SUPPORTS", (A0,))])[0] == (True, False, 0.0, 1.0)


def test_only_claims_with_not_enough_info_have_precision_one_and_recall_zero() -> None:
    assert fever_score([record(NEI, NEI, (), [(None, None)])]) == OfficialScores(1.0, 1.0, 1.0, 0.0, 0.0)


def test_where_the_official_f1_divides_by_zero_there_is_none() -> None:
    assert fever_score([record("SUPPORTS", "REFUTES", (B0,), [A0])]) == OfficialScores(0.0, 0.0, 0.0, 0.0, None)


def test_no_predictions_have_no_score() -> None:
    with pytest.raises(InputError, match="no predictions"):
        fever_score([])


@pytest.mark.parametrize("piece", [("A", 0), ["A"], ["A", 0, 1], [0, "A"], ["A", "0"], ["A", 0.0], "A_0"], ids=repr)
def test_the_form_of_evidence_is_looked_at_only_where_the_label_is_right(piece: Any) -> None:
    wrong = record("SUPPORTS", "REFUTES", [piece], [A0])
    assert fever_outcomes([wrong])[0].right is False
    with pytest.raises(InputError, match="is not evidence; expected a list such as"):
        fever_score([record("SUPPORTS", "SUPPORTS", [piece], [A0])])


def test_a_tuple_is_no_piece_even_where_nobody_complains() -> None:
    assert fever_outcomes([record("SUPPORTS", "REFUTES", [("A", 0)], [A0])])[0] == (False, False, 0.0, 0.0)


def test_true_passes_for_the_number_one() -> None:
    assert fever_outcomes([record("SUPPORTS", "SUPPORTS", [["A", True]], [A1])])[0].strict


def test_gold_may_stand_apart_and_is_matched_by_its_place() -> None:
    predicted = [{"id": 9, "predicted_label": "SUPPORTS", "predicted_evidence": [["A", 0]]}]
    actual = [{"id": 1, "label": "SUPPORTS", "evidence": [[[1, 2, "A", 0]]]}]
    before = deepcopy(predicted)
    assert fever_score(predicted, actual) == (1, 1, 1, 1, 1)
    assert predicted == before


@pytest.mark.parametrize(
    ("predicted", "actual", "message"),
    [
        ({"predicted_label": "SUPPORTS"}, None, "prediction 0 has no predicted_evidence"),
        ({"predicted_evidence": []}, None, "prediction 0 has no predicted_label"),
        ({"predicted_label": "SUPPORTS", "predicted_evidence": []}, None, "no gold label"),
        ({"predicted_label": "SUPPORTS", "predicted_evidence": []}, [], "1 predictions for 0 gold records"),
        ({"predicted_label": "SUPPORTS", "predicted_evidence": []}, [{"evidence": []}], "gold record 0 has no label"),
    ],
)
def test_what_is_missing_is_told(predicted: dict[str, Any], actual: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fever_score([predicted], actual)


# -- by definition --

pieces = st.tuples(st.sampled_from("AB"), st.integers(0, 2))
labels = st.sampled_from(["SUPPORTS", "REFUTES", NEI])
records = st.builds(
    lambda label, predicted, evidence, groups: record(label, predicted, tuple(evidence), *groups),
    labels,
    labels,
    st.lists(pieces, max_size=7),
    st.lists(st.lists(pieces, min_size=1, max_size=3), min_size=1, max_size=3),
)


@given(st.lists(records, min_size=1, max_size=8))
def test_the_score_is_what_the_paper_says(claims: list[dict[str, Any]]) -> None:
    strict, accuracy, precision, recall, f1 = fever_score(claims)
    right = [each["label"] == each["predicted_label"] for each in claims]
    told = [{tuple(piece) for piece in each["predicted_evidence"][:5]} for each in claims]
    groups = [[{(piece[2], piece[3]) for piece in group} for group in each["evidence"]] for each in claims]
    whole = [any(group <= named for group in some) for some, named in zip(groups, told, strict=True)]
    verifiable = [number for number, each in enumerate(claims) if each["label"] != NEI]
    assert accuracy == sum(right) / len(claims)
    assert strict == sum(
        ok and (found or each["label"] == NEI) for ok, found, each in zip(right, whole, claims, strict=True)
    ) / len(claims)
    if verifiable:
        assert recall == sum(whole[number] for number in verifiable) / len(verifiable)
        exact = sum(_exact_precision(claims[number]) for number in verifiable) / len(verifiable)
        assert precision == pytest.approx(float(exact))
        assert f1 == (pytest.approx(2 * precision * recall / (precision + recall)) if precision + recall else None)


def _exact_precision(claim: dict[str, Any]) -> Fraction:
    named = [tuple(piece) for piece in claim["predicted_evidence"][:5]]
    gold = {(piece[2], piece[3]) for group in claim["evidence"] for piece in group}
    return Fraction(sum(piece in gold for piece in named), len(named)) if named else Fraction(1)
