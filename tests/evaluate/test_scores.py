"""Scores of predictions: official numbers and ours, aligned by id, never dividing by zero, by groups of claims."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veritab import datasets
from veritab.errors import InputError
from veritab.evaluate.predictions import Prediction, read_predictions
from veritab.evaluate.scores import PredictionScores, score, within_budget
from veritab.evaluate.slices import SLICINGS, by_claim_only, by_table_size, partition_of
from veritab.schema import Claim, ElementId, Example, Kind, Label

S, R, N = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO


def sentence(page: str, number: int = 0) -> ElementId:
    return ElementId(page, Kind.SENTENCE, (number,))


def cell(row: int = 0, page: str = "A") -> ElementId:
    return ElementId(page, Kind.CELL, (0, row, 0))


def gold(id: str, label: Label | None, *sets: set[ElementId], **more: Any) -> Example:
    return Example(Claim(id, "A claim."), label, tuple(map(frozenset, sets)), **more)


def said(id: str, label: Label | None, *evidence: ElementId, fever: bool = True) -> Prediction:
    """A prediction as a file of FEVER or of FEVEROUS would hold it."""
    pieces: list[Any] = [[each.page, each.path[0]] if fever else str(each) for each in evidence]
    record = {"id": id, "predicted_label": str(label or ""), "predicted_evidence": pieces}
    return Prediction(id, label, evidence, 1, record)


A, B, C = map(sentence, "ABC")


def values(scores: PredictionScores) -> dict[str, float]:
    return {name: metric.value for name, metric in scores.metrics.items()}


def test_predictions_are_matched_by_id() -> None:
    examples = [gold("1", S, {A}), gold("2", R, {B})]
    scores = score(examples, [said("2", R, B), said("1", S, A)], "fever")
    assert [row.id for row in scores.claims] == ["1", "2"]
    assert values(scores)["score"] == 1.0


def test_the_figures_of_a_claim_are_as_worked_out_by_hand() -> None:
    examples = [gold("1", S, {A, B}), gold("2", R, {A}, {C}), gold("3", N), gold("4", S, {sentence("A", 7)})]
    answers = [said("1", S, A, C), said("2", R, C), said("3", S, A), said("4", N)]
    scores = score(examples, answers, "fever")
    assert scores.n == 4
    assert scores.official == {
        "strict": 0.25,
        "label_accuracy": 0.5,
        "precision": (0.5 + 1 + 1) / 3,
        "recall": 1 / 3,
        "f1": pytest.approx(2 * (5 / 6) * (1 / 3) / (5 / 6 + 1 / 3)),
    }
    told = values(scores)
    assert told["evidence_share"] == pytest.approx((0.5 + 1 + 0) / 3)
    assert told["named_precision"] == pytest.approx((0.5 + 1) / 2)
    assert told["page_recall"] == pytest.approx((0 + 1 + 0) / 3)
    # SUPPORTS: one hit, said twice, gold twice. REFUTES: all right. NOT ENOUGH INFO: never right.
    assert (told["f1_supports"], told["f1_refutes"], told["f1_not_enough_info"]) == (0.5, 1.0, 0.0)
    assert told["macro_f1"] == pytest.approx(0.5)
    assert scores.confusion() == {
        "SUPPORTS": {"SUPPORTS": 1, "NOT ENOUGH INFO": 1},
        "REFUTES": {"REFUTES": 1},
        "NOT ENOUGH INFO": {"SUPPORTS": 1},
    }
    assert [(row.complete, row.strict, row.recall) for row in scores.claims] == [
        (False, False, 0.0),
        (True, True, 1.0),
        (None, False, None),
        (False, False, 0.0),
    ]


def test_feverous_asks_for_evidence_where_there_is_not_enough_too() -> None:
    scores = score(
        [gold("1", N, {A}), gold("2", N, {cell()})], [said("1", N), said("2", N, cell(), fever=False)], "feverous"
    )
    assert [row.complete for row in scores.claims] == [False, True]
    assert scores.official["strict"] == 0.5


def test_records_of_the_data_set_are_scored_as_they_are() -> None:
    record: dict[str, Any] = {"label": "SUPPORTS", "evidence": [[[1, 2, "A", 0]], [[1, 3, "A", 0]]]}
    scores = score([gold("1", S, {A}, record=record)], [said("1", S, A)], "fever")
    assert scores.official["strict"] == 1.0
    record = {"label": "SUPPORTS", "evidence": [{"content": ["A_sentence_0"], "context": {}}]}
    scores = score([gold("1", S, {A}, record=record)], [said("1", S, A, fever=False)], "feverous")
    assert scores.official["strict"] == 1.0


def test_where_the_official_f1_divides_by_zero_ours_is_zero_and_that_is_told() -> None:
    scores = score([gold("1", S, {A})], [said("1", S, B)], "fever")
    assert scores.official["f1"] is None
    assert scores.as_dict()["evidence_f1"] == 0.0
    assert "division by zero" in scores.notes[0]


def test_a_set_in_which_nothing_asks_for_evidence_has_no_figures_of_evidence() -> None:
    scores = score([gold("1", N)], [said("1", N, A)], "fever")
    assert scores.official["precision"] == 1.0
    assert scores.as_dict()["evidence_precision"] is None
    assert "no claim of the gold asks for evidence" in scores.notes[0]


def test_claims_without_gold_evidence_are_told() -> None:
    scores = score([gold("1", S), gold("2", S, {A})], [said("1", S), said("2", S, A)], "fever")
    assert scores.notes == (
        "1 of the claims have no evidence in the gold; officially that is a recall of 1 and a score of 0",
    )


def test_a_title_in_another_unicode_form_is_found_by_us_and_the_difference_is_told() -> None:
    composed, decomposed = "Zürich", "Zu\u0308rich"
    record = {"label": "SUPPORTS", "evidence": [[[1, 2, composed, 0]]]}
    answer = replace(
        said("1", S, sentence(decomposed)),
        record={"id": "1", "predicted_label": "SUPPORTS", "predicted_evidence": [[decomposed, 0]]},
    )
    scores = score([gold("1", S, {sentence(composed)}, record=record)], [answer], "fever")
    assert scores.claims[0].complete
    assert scores.official["strict"] == 0.0
    assert "page titles are written in another way" in scores.notes[-1]


def test_nothing_said_is_wrong() -> None:
    scores = score([gold("1", S, {A})], [Prediction("1", None, (), 0, {})], "fever")
    assert scores.claims[0].predicted is None
    assert scores.confusion() == {"SUPPORTS": {"none": 1}}
    assert values(scores)["macro_f1"] == 0.0


@pytest.mark.parametrize("task", ["fm2", "faviq"])
def test_tasks_of_two_labels_have_accuracy_and_no_evidence(task: Any) -> None:
    scores = score([gold("1", S, silver=True), gold("2", R)], [said("1", S), said("2", N)], task)
    told = scores.as_dict()
    assert (told["score"], told["label_accuracy"], told["evidence_recall"]) == (0.5, 0.5, None)
    assert scores.official == {"accuracy": 0.5}
    assert list(scores.metrics) == ["score", "label_accuracy", "macro_f1", "f1_supports", "f1_refutes"]


def test_fm2_passages_are_scored_where_the_gold_names_them() -> None:
    examples = [gold("1", S, record={"gold_passages": [7, "8"]}), gold("2", R)]
    answer = replace(said("1", S), record={"predicted_evidence": ["9", {"id": 7}, 8]})
    scores = score(examples, [answer, said("2", R)], "fm2")
    assert scores.official == {"accuracy": 1.0, "R-Precision": 0.5, "Recall@5": 1.0, "Recall@10": 1.0}
    assert scores.metrics["R-Precision"].n == 1


def test_silver_evidence_is_never_scored_as_gold() -> None:
    examples = [gold("1", S, {A}, silver=True), gold("2", S, {B})]
    scores = score(examples, [said("1", S, A), said("2", S)], "fever")
    assert [(row.strict, row.recall, row.complete) for row in scores.claims] == [
        (True, None, None),
        (False, 0.0, False),
    ]
    assert (scores.official["recall"], scores.metrics["evidence_share"].n) == (0.0, 1)
    assert "1 of the claims have evidence that was found, not annotated" in scores.notes[0]


def test_only_what_fits_the_budget_counts() -> None:
    pages = [sentence("A", number) for number in range(7)]
    assert within_budget(pages, "fever") == frozenset(pages[:5])
    cells = [cell(row) for row in range(27)]
    assert within_budget([*cells, *pages], "feverous") == frozenset(cells[:25]) | frozenset(pages[:5])


# -- refused --


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([said("1", S)], "'2' has no prediction"),
        ([said("1", S), said("1", S), said("2", S)], "'1' has two predictions"),
        ([said("1", S), said("2", S), said("3", S)], "for '3', which is not among the claims"),
    ],
)
def test_what_does_not_match_is_named(answers: list[Prediction], message: str) -> None:
    with pytest.raises(InputError, match=message):
        score([gold("1", S, {A}), gold("2", S, {A})], answers, "fever")


def test_gold_without_labels_is_an_error_and_not_a_zero() -> None:
    with pytest.raises(
        InputError, match="1 of the 2 claims of the gold have no label, the first is '2'; unscored is not zero"
    ):
        score([gold("1", S), gold("2", None)], [said("1", S), said("2", S)], "fever")
    with pytest.raises(InputError, match="the gold holds no claims"):
        score([], [], "fever")


def test_by_line_needs_as_many_predictions_as_claims() -> None:
    with pytest.raises(InputError, match="2 claims need as many predictions, not 1"):
        score([gold("0", S), gold("0", S)], [said("0", S)], "fever", by_line=True)


# -- properties --

labels = st.sampled_from([S, R, N])
ids = st.sampled_from([A, B, C, cell(0), cell(1)])
claims = st.tuples(
    labels, st.lists(st.sets(ids, min_size=1, max_size=3), max_size=2), labels, st.lists(ids, max_size=7)
)


@settings(max_examples=50)
@given(st.lists(claims, min_size=1, max_size=12))
def test_every_figure_is_a_share_inside_its_interval(made: list[Any]) -> None:
    examples = [gold(str(number), label, *sets) for number, (label, sets, _, _) in enumerate(made)]
    answers = [said(str(number), label, *found, fever=False) for number, (_, _, label, found) in enumerate(made)]
    scores = score(examples, answers, "feverous")
    groups = [scores.metrics, *(group for groups in scores.slices.values() for group in groups.values())]
    for metrics in groups:
        assert all(0 <= metric.low <= metric.high <= 1 for metric in metrics.values())
        assert all(metric.low - 1e-9 <= metric.value <= metric.high + 1e-9 for metric in metrics.values())
    assert scores.metrics["label_accuracy"].value == fmean(row.right for row in scores.claims)
    for by, named in scores.slices.items():
        assert sum(group["label_accuracy"].n for group in named.values()) == len(made), by


@settings(max_examples=30)
@given(st.lists(st.tuples(labels, labels), min_size=2, max_size=30))
def test_macro_f1_is_that_of_scikit_learn_over_the_classes_of_the_gold(pairs: list[tuple[Label, Label]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="the extra `evaluate` is not installed")
    examples = [gold(str(number), label) for number, (label, _) in enumerate(pairs)]
    answers = [said(str(number), label) for number, (_, label) in enumerate(pairs)]
    told = values(score(examples, answers, "fm2"))
    classes = sorted({label for label, _ in pairs})
    theirs = metrics.f1_score(
        [str(label) for label, _ in pairs], [str(label) for _, label in pairs],
        labels=classes, average=None, zero_division=0,
    )  # fmt: skip
    assert told["macro_f1"] == pytest.approx(float(theirs.mean()))
    for label, f1 in zip(classes, theirs, strict=True):
        assert told[f"f1_{label.lower().replace(' ', '_')}"] == pytest.approx(float(f1))


# -- slices --


def test_claims_are_grouped_in_the_usual_ways() -> None:
    examples = [
        gold("1", S, {A}, challenge="Other"),
        gold("2", R, {cell(0), sentence("B")}, challenge="Numerical Reasoning"),
        gold("3", N),
        Example(Claim("4", "word " * 30), S, (frozenset({cell(0), cell(1), A, B, C}),), "Other"),
    ]
    answers = [said(each.claim.id, each.label, fever=False) for each in examples]
    slices = score(examples, answers, "feverous").slices
    counts = {
        by: {name: metrics["label_accuracy"].n for name, metrics in groups.items()} for by, groups in slices.items()
    }
    assert counts == {
        "label": {"SUPPORTS": 2, "REFUTES": 1, "NOT ENOUGH INFO": 1},
        "challenge": {"Numerical Reasoning": 1, "Other": 2, "none": 1},
        "evidence_kind": {"text": 1, "text and tables": 2, "no evidence": 1},
        "hops": {"1 page": 1, "2 pages": 1, "3 pages or more": 1, "no evidence": 1},
        "cells": {"no cells": 2, "1 cell": 1, "2 to 5 cells": 1},
        "claim_length": {"up to 8 words": 3, "26 words or more": 1},
    }
    assert [list(groups) for groups in slices.values()] == [list(groups) for groups in counts.values()]


def test_a_slicing_that_says_nothing_is_left_out() -> None:
    assert score([gold("1", S, {A})], [said("1", S, A)], "fever").slices == {}


def test_table_size_needs_somebody_who_knows_the_tables() -> None:
    rows = {"A": 5, "B": 11, "C": 31}
    slicing = by_table_size(lambda table: rows.get(table.page))
    sizes = [slicing.of(gold("1", S, {cell(0, page)})) for page in "ABCD"]
    assert sizes == ["up to 10 rows", "11 to 30 rows", "31 rows or more", "unknown"]
    assert slicing.of(gold("1", S, {A})) == "no table"
    assert slicing.of(gold("1", S, {cell(0, "A"), cell(0, "C")})) == "31 rows or more"


def test_easy_and_hard_are_told_or_follow_from_a_claim_only_model() -> None:
    examples = [gold("1", S), gold("2", R), gold("3", R, record={"id": "3", "partition": "easy"})]
    assert partition_of(examples, [{"id": 1, "partition": "hard"}]) == {"1": "HARD"}
    model = [{"id": id, "predicted_label": "SUPPORTS"} for id in (1, 2, 9)]
    assert partition_of(examples, model) == {"1": "EASY", "2": "HARD"}
    assert partition_of(examples) == {"3": "EASY"}
    answers = [said("1", S), said("2", S), said("3", R)]
    slices = score(examples, answers, "fm2", slicings=[by_claim_only(partition_of(examples, model))]).slices
    accuracies = {name: metrics["label_accuracy"].value for name, metrics in slices["claim_only"].items()}
    assert accuracies == {"EASY": 1.0, "HARD": 0.0, "unknown": 1.0}


def test_a_partition_that_does_not_fit_is_told() -> None:
    with pytest.raises(InputError, match="'1' has neither a partition"):
        partition_of([gold("1", S)], [{"id": "1"}])
    with pytest.raises(InputError, match="no id of the claim-only file is in the gold"):
        partition_of([gold("1", S)], [{"id": "7", "partition": "EASY"}])


# -- real data --


def test_the_golden_vector_keeps_its_digits_on_the_way_through(data_folder: Path) -> None:
    folder = data_folder / "fever"
    examples = list(datasets.load(folder / "scorer_actual.jsonl.gz"))
    ids = [example.claim.id for example in examples]
    predictions = read_predictions(folder / "scorer_predictions.jsonl.gz", "fever", ids, by_line=True)
    told = score(examples, predictions, "fever", by_line=True, slicings=SLICINGS[:1]).as_dict()
    assert [
        told[name] for name in ("score", "label_accuracy", "evidence_precision", "evidence_recall", "evidence_f1")
    ] == [
        0.32573257325732574,
        0.5208520852085209,
        0.1043804380438068,
        0.44224422442244227,
        0.1688970477815144,
    ]
    assert told["n"] == 9999
