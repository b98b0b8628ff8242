"""Rankings against gold: hand-made figures, agreement with trec_eval, and files that come back as they went."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.errors import FormatError, InputError, MissingExtra, NotFound
from veritab.evaluate.levels import RankedList, project
from veritab.evaluate.retrieval import (
    Level,
    RetrievalScores,
    as_table,
    compare,
    evaluate_budget,
    evaluate_rankings,
    evaluate_slices,
    trec_measures,
)
from veritab.evaluate.slices import by_challenge, by_evidence, by_pages
from veritab.evaluate.trec import read_run, write_qrels, write_run
from veritab.schema import Claim, Element, ElementId, Example, Hit, Kind, Label


def sentence(page: str, number: int = 0) -> ElementId:
    return ElementId(page, Kind.SENTENCE, (number,))


def cell(page: str, row: int = 0, table: int = 0) -> ElementId:
    return ElementId(page, Kind.CELL, (table, row, 0))


def example(*sets: set[ElementId], id: str = "1", silver: bool = False, challenge: str = "") -> Example:
    evidence = tuple(map(frozenset, sets))
    return Example(Claim(id, "A claim."), Label.SUPPORTS, evidence, challenge, silver)


def hits(*scored: tuple[ElementId, float]) -> list[Hit]:
    return [Hit(Element(id, "text"), score, "test") for id, score in scored]


def values(scores: RetrievalScores) -> dict[str, float]:
    return {name: metric.value for name, metric in scores.metrics.items()}


A, B, C, D, E = (sentence(page) for page in "ABCDE")

# -- levels ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "found", "projected"),
    [
        (Level.PAGE, "Korean Air_cell_1_19_0", "Korean Air"),
        (Level.PAGE, "Korean Air", "Korean Air"),
        (Level.PAGE, "Zu\u0308rich", "Zürich"),
        (Level.TABLE, "Korean Air_cell_1_19_0", "Korean Air_table_1"),
        (Level.TABLE, "Korean Air_header_cell_1_0_0", "Korean Air_table_1"),
        (Level.TABLE, "Korean Air_table_caption_1", "Korean Air_table_1"),
        (Level.TABLE, "Korean Air_table_1", "Korean Air_table_1"),
        (Level.TABLE, "Korean Air_sentence_1", None),
        (Level.SENTENCE, "Korean Air_sentence_1", "Korean Air_sentence_1"),
        (Level.SENTENCE, "Korean Air_item_1_2", None),
        (Level.SENTENCE, "Korean Air_passage_1", None),
        (Level.TEXT, "Korean Air_item_1_2", "Korean Air_item_1_2"),
        (Level.TEXT, "Korean Air_passage_1", "Korean Air_passage_1"),
        (Level.TEXT, "Korean Air_cell_1_19_0", None),
        (Level.CELL, "Korean Air_header_cell_1_0_0", "Korean Air_header_cell_1_0_0"),
        (Level.CELL, "Korean Air_table_caption_1", None),
        (Level.ELEMENT, "Korean Air_title", "Korean Air_title"),
    ],
)
def test_a_level_says_what_an_element_is_there(level: Level, found: str, projected: str | None) -> None:
    assert (None if (key := project(found, level)) is None else str(key)) == projected


def test_a_title_is_no_element() -> None:
    with pytest.raises(InputError, match="'Korean Air' is not an element id"):
        evaluate_rankings([example({A})], [["Korean Air"]], Level.SENTENCE)


def test_hits_ids_and_texts_are_the_same_ranking() -> None:
    gold = [example({A, B})]
    forms: list[RankedList] = [hits((C, 2.0), (A, 1.0)), [C, A], [str(C), str(A)]]
    first, *others = [evaluate_rankings(gold, [ranking], Level.SENTENCE) for ranking in forms]
    assert all(other == first for other in others)
    assert values(first)["recall@5"] == 0.5


def test_what_is_ranked_twice_counts_once_and_what_has_no_place_takes_no_rank() -> None:
    ranking = [cell("X", 1), sentence("Y"), cell("X", 2), cell("X", 3, table=1), cell("Y")]
    gold = [example({cell("Y", 5)})]
    assert values(evaluate_rankings(gold, [ranking], Level.TABLE, (2, 3)))["hit@2"] == 0
    assert values(evaluate_rankings(gold, [ranking], Level.TABLE, (2, 3)))["hit@3"] == 1
    assert values(evaluate_rankings(gold, [ranking], Level.PAGE, (1, 2)))["hit@2"] == 1


# -- figures -----------------------------------------------------------------------------------------------


def test_the_figures_of_one_claim_are_those_of_its_best_set() -> None:
    scores = evaluate_rankings(
        [example({A, B, C}, {D, E})], [[sentence("X"), A, D, B, C]], Level.SENTENCE, (1, 2, 4, 5)
    )
    assert values(scores) == {
        "hit@1": 0,
        "recall@1": 0,
        "full_coverage@1": 0,
        "hit@2": 1,
        "recall@2": 1 / 3,
        "full_coverage@2": 0,
        "hit@4": 1,
        "recall@4": 2 / 3,
        "full_coverage@4": 0,
        "hit@5": 1,
        "recall@5": 1,
        "full_coverage@5": 1,
        "r_precision": 1 / 3,
    }


def test_kilt_divides_by_the_size_of_each_set_and_trec_by_that_of_their_union() -> None:
    scores = evaluate_rankings([example({A}, {B, C})], [[A, D, E]], trec=("Rprec", "R@3", "P@3", "RR"))
    assert values(scores)["r_precision"] == 1
    assert values(scores)["Rprec"] == pytest.approx(1 / 3)
    assert values(scores)["R@3"] == pytest.approx(1 / 3)
    assert values(scores)["P@3"] == pytest.approx(1 / 3)
    assert values(scores)["RR"] == 1


def test_gold_behind_the_last_cut_off_still_counts_for_a_large_set() -> None:
    scores = evaluate_rankings([example({A, B, C})], [[D, E, C]], at=(1,))
    assert values(scores)["r_precision"] == pytest.approx(1 / 3)


def test_mrr_is_the_mean_of_rr_and_an_empty_ranking_counts_as_zero() -> None:
    gold = [example({A}, id="1"), example({A}, id="2"), example({A}, id="3")]
    scores = evaluate_rankings(gold, [[B, C, D, A], [B, A], []], trec=("RR",))
    assert scores.values["RR"] == (0.25, 0.5, 0.0)
    assert scores.metric("RR").value == 0.25


def test_unscored_is_not_zero() -> None:
    gold = [
        example({A}, id="found"),
        example(id="no evidence"),
        example({cell("A")}, id="no sentences"),
        example({A}, {cell("A")}, id="no sentences needed"),
        example({A}, id="silver", silver=True),
    ]
    scores = evaluate_rankings(gold, [[A]] * 5, Level.SENTENCE, (1,))
    assert scores.claims == ("found",)
    assert (scores.left_out, scores.silver) == (4, 1)
    assert scores.metric("recall@1").value == 1


def test_figures_of_no_claims_are_no_figures() -> None:
    scores = evaluate_rankings([example({A})], [[A]], Level.CELL, trec=("RR",))
    assert scores.metrics == {}
    with pytest.raises(NotFound, match="all 1 claims were left out"):
        scores.metric("recall@1")


def test_a_figure_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(NotFound, match=r"no metric 'recall@7' here; the metrics are: hit@1, recall@1"):
        evaluate_rankings([example({A})], [[A]], at=(1,)).metric("recall@7")


def test_rankings_can_be_found_by_claim() -> None:
    gold = [example({A}, id="1"), example({A}, id="2")]
    assert evaluate_rankings(gold, {"2": [A]}, at=(1,)).values["hit@1"] == (0, 1)
    with pytest.raises(InputError, match="a ranking for claim '3', which is not among the examples"):
        evaluate_rankings(gold, {"3": [A]})


def test_misaligned_rankings_are_refused() -> None:
    with pytest.raises(InputError, match="1 examples need as many rankings, not 2"):
        evaluate_rankings([example({A})], [[A], [B]])
    with pytest.raises(InputError, match="a ranking is a list, not a text: 'A'"):
        evaluate_rankings([example({A})], ["A"])


def test_ranks_start_at_one() -> None:
    with pytest.raises(InputError, match="from 1 upwards"):
        evaluate_rankings([example({A})], [[A]], at=(0, 1))


@pytest.mark.parametrize("name", ["P@0", "P", "recall", "R@-1", "", "RR@x"])
def test_a_measure_that_trec_does_not_know_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="is not a measure"):
        evaluate_rankings([example({A})], [[A]], trec=(name,))


def test_trec_measures_need_the_extra_and_the_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    evaluate_rankings([example({A})], [[A]])
    with pytest.raises(MissingExtra, match=r"veritab\[evaluate\]"):
        evaluate_rankings([example({A})], [[A]], trec=("RR",))


# -- properties --------------------------------------------------------------------------------------------

IDS = st.sampled_from([sentence(page, number) for page in "ABCD" for number in (0, 1)])
SETS = st.frozensets(IDS, min_size=1, max_size=4)
RANKINGS = st.lists(IDS, max_size=10)
CUT_OFFS = (1, 2, 3, 5, 8)


def metrics(
    gold: list[frozenset[ElementId]], ranking: list[ElementId], level: Level = Level.SENTENCE
) -> dict[str, float]:
    claim = replace(example(), evidence=tuple(gold))
    return values(evaluate_rankings([claim], [ranking], level, CUT_OFFS))


@given(st.lists(SETS, min_size=1, max_size=3), RANKINGS, st.sampled_from([Level.PAGE, Level.SENTENCE]))
def test_figures_are_shares_that_grow_with_k(
    gold: list[frozenset[ElementId]], ranking: list[ElementId], level: Level
) -> None:
    found = metrics(gold, ranking, level)
    assert all(0 <= value <= 1 for value in found.values())
    for name in ("hit", "recall", "full_coverage"):
        series = [found[f"{name}@{k}"] for k in CUT_OFFS]
        assert series == sorted(series)
    assert all(found[f"full_coverage@{k}"] <= found[f"recall@{k}"] <= found[f"hit@{k}"] for k in CUT_OFFS)


@given(st.lists(SETS, min_size=1, max_size=3), RANKINGS, st.data())
def test_a_gold_item_in_the_place_of_a_wrong_one_never_lowers_a_figure(
    gold: list[frozenset[ElementId]], ranking: list[ElementId], data: st.DataObject
) -> None:
    ranking = list(dict.fromkeys(ranking))
    union = frozenset().union(*gold)
    wrong = [place for place, id in enumerate(ranking) if id not in union]
    place = data.draw(st.sampled_from([*wrong, len(ranking)]))
    item = data.draw(st.sampled_from(sorted(union)))
    if item in ranking:
        return
    better = metrics(gold, [*ranking[:place], item, *ranking[place + 1 :]])
    assert all(better[name] >= value for name, value in metrics(gold, ranking).items())


@given(SETS, RANKINGS, st.integers(0, 10), st.data())
def test_a_gold_item_put_anywhere_never_lowers_a_figure_of_one_set(
    gold: frozenset[ElementId], ranking: list[ElementId], place: int, data: st.DataObject
) -> None:
    item = data.draw(st.sampled_from(sorted(gold)))
    better = metrics([gold], [*ranking[:place], item, *ranking[place:]])
    assert all(better[name] >= value for name, value in metrics([gold], ranking).items())


@given(st.lists(SETS, min_size=1, max_size=3), SETS, RANKINGS)
def test_another_gold_set_never_lowers_a_figure(
    gold: list[frozenset[ElementId]], other: frozenset[ElementId], ranking: list[ElementId]
) -> None:
    more = metrics([*gold, other], ranking)
    assert all(more[name] >= value for name, value in metrics(gold, ranking).items())


@given(st.lists(st.tuples(SETS, RANKINGS), min_size=1, max_size=4))
def test_with_one_gold_set_our_figures_are_those_of_trec_eval(
    claims: list[tuple[frozenset[ElementId], list[ElementId]]],
) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    gold = [example(set(one), id=str(number)) for number, (one, _) in enumerate(claims)]
    rankings = {str(number): list(dict.fromkeys(ranking)) for number, (_, ranking) in enumerate(claims)}
    ours = evaluate_rankings(gold, rankings, Level.SENTENCE, (1, 5), trec=trec_measures((1, 5)))
    qrels = {each.claim.id: {str(id): 1 for id in each.evidence[0]} for each in gold}
    run = {claim: {str(id): -float(rank) for rank, id in enumerate(found)} for claim, found in rankings.items()}
    wanted = {"recall.1,5", "P.1,5", "success.1,5", "Rprec", "recip_rank"}
    theirs: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    names = {"Rprec": "Rprec", "r_precision": "Rprec", "RR": "recip_rank"}
    for k in (1, 5):
        names |= {f"recall@{k}": f"recall_{k}", f"R@{k}": f"recall_{k}", f"P@{k}": f"P_{k}", f"hit@{k}": f"success_{k}"}
    for our_name, their_name in names.items():
        expected = [theirs.get(each.claim.id, {}).get(their_name, 0.0) for each in gold]
        assert ours.values[our_name] == pytest.approx(expected), our_name


# -- budgets -----------------------------------------------------------------------------------------------


def test_sentences_and_cells_have_budgets_of_their_own() -> None:
    ranking = [*(sentence("S", n) for n in range(6)), *(cell("T", n) for n in range(26))]
    fits = example({sentence("S", 4), cell("T", 24)}, id="1")
    too_late = example({sentence("S", 5), cell("T", 25), cell("T", 0)}, id="2")
    scores = evaluate_budget([fits, too_late], [ranking, ranking])
    assert scores.values == {"recall@5+25": (1, 1 / 3), "full_coverage@5+25": (1, 0)}


@pytest.mark.parametrize(
    ("spender", "sentence_fits", "cell_fits"),
    [
        ("P_item_0_0", True, False),
        ("P_table_caption_0", True, False),
        ("P_header_cell_0_0_0", True, False),
        ("P_cell_0_0_0", True, False),
        ("P_sentence_0", False, True),
        ("P_title", False, True),
        ("P_section_0", False, True),
    ],
)
def test_each_kind_spends_the_budget_the_official_scorer_says(
    spender: str, sentence_fits: bool, cell_fits: bool
) -> None:
    ranking = [spender, str(A), str(cell("A"))]
    gold = [example({A}, id="1"), example({cell("A")}, id="2")]
    scores = evaluate_budget(gold, [ranking, ranking], sentences=1, cells=1)
    assert scores.values["full_coverage@1+1"] == (sentence_fits, cell_fits)


def test_repetitions_spend_the_budget_as_in_the_official_scorer() -> None:
    assert values(evaluate_budget([example({B})], [[A, A, A, A, A, B]]))["full_coverage@5+25"] == 0
    assert values(evaluate_budget([example({B})], [[A, A, A, A, B]]))["full_coverage@5+25"] == 1


def test_a_claim_with_nothing_to_find_is_left_out_of_the_budget_too() -> None:
    scores = evaluate_budget([example(), example(set()), example({A}, silver=True)], [[A], [A], [A]])
    assert (scores.metrics, scores.left_out, scores.silver) == ({}, 3, 1)


# -- intervals ---------------------------------------------------------------------------------------------


def test_a_proportion_has_a_wilson_interval() -> None:
    gold = [example({A}, id=str(number)) for number in range(10)]
    metric = evaluate_rankings(gold, [[A]] * 8 + [[B]] * 2, at=(1,)).metric("hit@1")
    # Eight of ten, as in any textbook: 0.490 to 0.943.
    assert (metric.value, metric.method) == (0.8, "wilson")
    assert [metric.low, metric.high] == pytest.approx([0.4902, 0.9433], abs=1e-4)


def test_certainty_is_not_had_from_three_claims() -> None:
    gold = [example({A}, id=str(number)) for number in range(3)]
    metric = evaluate_rankings(gold, [[A]] * 3, at=(1,)).metric("recall@1")
    assert (metric.value, metric.high) == (1, 1)
    assert metric.low == pytest.approx(0.4385, abs=1e-4)


def test_a_mean_of_shares_has_a_bootstrap_interval() -> None:
    gold = [example({A, B, C}, id=str(number)) for number in range(40)]
    rankings: list[RankedList] = [[A, B, C][: number % 4] for number in range(40)]
    scores = evaluate_rankings(gold, rankings, at=(5,))
    metric = scores.metric("recall@5")
    plain = random.Random(1)
    means = [fmean(plain.choices(scores.values["recall@5"], k=40)) for _ in range(4000)]
    cuts = quantiles(means, n=40)
    assert metric.method == "bootstrap"
    assert metric.value == pytest.approx(0.5)
    assert [metric.low, metric.high] == pytest.approx([cuts[0], cuts[-1]], abs=0.02)


def test_the_same_rankings_give_the_same_result() -> None:
    gold = [example({A, B}, id=str(number)) for number in range(9)]
    rankings: list[RankedList] = [[A, B][: number % 3] for number in range(9)]
    assert evaluate_rankings(gold, rankings) == evaluate_rankings(gold, rankings)


# -- comparing and slicing ---------------------------------------------------------------------------------


def scored(*recalls: int) -> RetrievalScores:
    gold = [example({A}, id=str(number)) for number in range(len(recalls))]
    return evaluate_rankings(gold, [[A] if recall else [B] for recall in recalls], at=(1,))


def test_two_systems_are_compared_claim_by_claim() -> None:
    result = compare(scored(0, 0, 0, 0, 0, 1, 0, 1), scored(1, 1, 1, 1, 1, 1, 0, 0), "recall@1")
    assert (result.first, result.second, result.difference) == (0.25, 0.75, 0.5)
    assert (result.better, result.worse, result.same) == (5, 1, 2)
    # Of the 64 ways to give six differences a sign, 14 make a sum of 4 or more either way.
    assert result.p_value == pytest.approx(14 / 64, abs=0.015)
    assert -1 <= result.low < 0.5 < result.high <= 1
    assert str(result).startswith("recall@1: 0.250 -> 0.750, +0.500 [")
    assert result.better == 5


def test_a_system_does_not_differ_from_itself() -> None:
    result = compare(scored(0, 1, 1), scored(0, 1, 1), "recall@1")
    assert (result.difference, result.low, result.high, result.p_value) == (0, 0, 0, 1)


def test_a_large_difference_is_no_chance() -> None:
    result = compare(scored(*[0] * 50), scored(*[1] * 50), "hit@1")
    assert result.p_value < 0.001
    assert (result.low, result.high) == (1, 1)


def test_only_the_same_claims_can_be_compared() -> None:
    with pytest.raises(InputError, match="same claims"):
        compare(scored(1, 1), scored(1), "recall@1")
    with pytest.raises(NotFound, match="no metric 'P@1'"):
        compare(scored(1, 1), scored(1, 0), "P@1")


def test_slices_score_each_group_alone() -> None:
    gold = [
        example({A, sentence("A", 1)}, id="1", challenge="Numerical Reasoning"),
        example({A, B}, {A}, id="2"),
        example({A, B}, id="3"),
    ]
    rankings: list[RankedList] = [[A], [B], [B]]
    slices = evaluate_slices(gold, rankings, by_pages, at=(1,))
    assert list(slices) == ["multiple pages", "single page"]
    assert slices["multiple pages"].claims == ("3",)
    assert slices["single page"].values["recall@1"] == (1.0, 0.5)
    assert list(evaluate_slices(gold, rankings, by_challenge)) == ["Numerical Reasoning", "none"]


@pytest.mark.parametrize(
    ("evidence", "pages", "kind"),
    [
        (example(), "no evidence", "no evidence"),
        (example({A}), "single page", "text"),
        (example({cell("A"), ElementId("A", Kind.TABLE_CAPTION, (0,))}), "single page", "tables"),
        (example({cell("A"), B}), "multiple pages", "text and tables"),
    ],
)
def test_examples_are_sliced_by_what_their_evidence_is(evidence: Example, pages: str, kind: str) -> None:
    assert (by_pages(evidence), by_evidence(evidence)) == (pages, kind)


# -- showing -----------------------------------------------------------------------------------------------


def test_a_result_is_shown_as_json_and_a_table() -> None:
    scores = replace(scored(1, 1, 0, 0), left_out=2)
    value, low, high, method, _ = scores.metrics["hit@1"]
    assert (value, method) == (0.5, "wilson")
    assert [low, high] == pytest.approx([0.15, 0.85], abs=1e-3)
    shown: dict[str, Any] = scores.as_dict()
    assert (shown["level"], shown["n"], shown["left_out"], shown["figures"]["hit@1"]) == ("page", 4, 2, 0.5)
    assert shown["intervals"]["hit@1"] == {"low": low, "high": high, "method": "wilson"}
    nothing = evaluate_rankings([example()], [[A]])
    assert as_table({"bm25": scores, "none": nothing}).splitlines() == [
        "| metric | bm25 | none |",
        "| --- | --- | --- |",
        "| hit@1 | 0.500 [0.150, 0.850] | – |",
        "| recall@1 | 0.500 [0.150, 0.850] | – |",
        "| full_coverage@1 | 0.500 [0.150, 0.850] | – |",
        "| r_precision | 0.500 [0.150, 0.850] | – |",
        "| claims scored | 4 | 0 |",
        "| claims left out | 2 | 1 |",
    ]


# -- TREC files --------------------------------------------------------------------------------------------


def test_a_run_is_written_as_trec_wants_it(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    write_run(path, {"c 1": hits((sentence("São Paulo"), 2.5), (cell("100%"), 1.25))}, "my tag")
    assert path.read_text(encoding="utf-8").splitlines() == [
        "c%201 Q0 São%20Paulo_sentence_0 1 2.5 my%20tag",
        "c%201 Q0 100%25_cell_0_0_0 2 1.25 my%20tag",
    ]
    assert read_run(path) == {"c 1": ["São Paulo_sentence_0", "100%_cell_0_0_0"]}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("scores", [(1.0, 2.0), (1.0, 1.0), (float("nan"), 1.0), (1.000000001, 1.0)])
def test_scores_that_do_not_descend_are_replaced_so_that_trec_eval_keeps_the_order(
    tmp_path: Path, scores: tuple[float, float]
) -> None:
    write_run(tmp_path / "run", {"1": hits((A, scores[0]), (B, scores[1]))}, "t")
    assert [line.split()[4] for line in (tmp_path / "run").read_text().splitlines()] == ["2.0", "1.0"]
    assert read_run(tmp_path / "run") == {"1": [str(A), str(B)]}


def test_a_run_and_its_qrels_can_be_brought_to_a_level(tmp_path: Path) -> None:
    write_run(tmp_path / "run", {"1": [A, sentence("A", 1), cell("B C"), "B C"]}, "t", Level.PAGE)
    assert read_run(tmp_path / "run") == {"1": ["A", "B C"]}
    gold = [example({cell("B C"), cell("B C", 1)}, {A}), example(id="2"), example({A}, id="3", silver=True)]
    write_qrels(tmp_path / "qrels", gold, Level.PAGE)
    assert (tmp_path / "qrels").read_text() == "1 0 A 1\n1 0 B%20C 1\n"
    write_qrels(tmp_path / "qrels", gold)
    assert (tmp_path / "qrels").read_text().splitlines() == [
        "1 0 A_sentence_0 1",
        "1 0 B%20C_cell_0_0_0 1",
        "1 0 B%20C_cell_0_1_0 1",
    ]


def test_ir_measures_reads_what_we_write_and_agrees(tmp_path: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    gold = [example({sentence("São Paulo"), B}, id="1"), example({C}, id="2"), example({D}, id="3")]
    rankings: dict[str, RankedList] = {"1": [A, sentence("São Paulo"), B], "2": hits((C, 1.0), (A, 1.0))}
    write_run(tmp_path / "run", rankings, "t")
    write_qrels(tmp_path / "qrels", gold)
    run = list(ir_measures.read_trec_run(str(tmp_path / "run")))
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels")))
    theirs = ir_measures.calc_aggregate([ir_measures.RR, ir_measures.R @ 2], qrels, run)
    ours = evaluate_rankings(gold, read_run(tmp_path / "run"), Level.ELEMENT, trec=("RR", "R@2"))
    assert {name: ours.metric(name).value for name in ("RR", "R@2")} == pytest.approx(
        {str(measure): value for measure, value in theirs.items()}
    )
    # Half for the first, all for the second, nothing for the third, which no line of the run mentions.
    assert ours.metric("RR").value == 0.5


TEXTS = st.text(st.characters(codec="utf-8"), min_size=1)


@given(st.dictionaries(TEXTS, st.lists(TEXTS, min_size=1, unique=True), max_size=3))
def test_every_id_comes_back_as_it_went(
    tmp_path_factory: pytest.TempPathFactory, rankings: dict[str, list[str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "run"
    write_run(path, rankings, "t")
    assert read_run(path) == rankings


def test_a_run_is_ordered_by_score_then_by_rank(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1 Q0 c 3 0.5 t\n2 Q0 x 1 1 t\n\n1 Q0 b 2 1 t\n1 Q0 a 1 1 t\n1 Q0 d 9 2e0 t\n")
    assert read_run(path) == {"1": ["d", "a", "b", "c"], "2": ["x"]}


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("1 Q0 a 1 0.5", "expected 'claim Q0 document rank score tag', not '1 Q0 a 1 0.5'"),
        ("1 Q0 a b 1 0.5 t", "expected"),
        ("1 Q0 a first 0.5 t", "expected"),
        ("1 Q0 a 1 high t", "expected"),
        ("1 Q0 %FF 1 0.5 t", "expected"),
        ("1 Q0 a 1 nan t", "the score is not a number"),
        ("1 Q0 z 2 0.5 t", "'z' was already ranked for claim '1'; rank it once"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, what: str) -> None:
    path = tmp_path / "run"
    path.write_text(f"1 Q0 z 1 1 t\n{line}\n")
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert "line 2: " in str(caught.value)
    assert what in str(caught.value)


def test_what_is_no_run_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file"):
        read_run(tmp_path / "missing")
    with pytest.raises(InputError, match="cannot read"):
        read_run(tmp_path)
    (tmp_path / "bytes").write_bytes(b"1 Q0 \xff 1 1 t\n")
    with pytest.raises(FormatError, match="not UTF-8"):
        read_run(tmp_path / "bytes")


def test_a_run_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "run"
    write_run(path, {"1": [A]}, "t")
    with pytest.raises(InputError, match="empty id or tag"):
        write_run(path, {"1": [B], "": [B]}, "t")
    with pytest.raises(InputError, match="not text"):
        write_run(path, {"1": ["\ud800"]}, "t")
    assert read_run(path) == {"1": [str(A)]}
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*missing.* to write .run. into"):
        write_run(tmp_path / "missing" / "run", {"1": [A]}, "t")
