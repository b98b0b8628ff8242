"""KILT's measures: evidence sets as places of a ranking, answers, and answers with their pages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.errors import FormatError, InputError
from veritab.evaluate.json_records import JsonRecords
from veritab.evaluate.kilt import score_kilt
from veritab.evaluate.official_kilt import kilt_outcomes, kilt_score
from veritab.evaluate.retrieval import Level, evaluate_rankings
from veritab.schema import Claim, ElementId, Example, Kind, Label


def output(answer: str | None, *pages: str) -> dict[str, Any]:
    told = {"answer": answer} if answer is not None else {}
    return {**told, "provenance": [{"wikipedia_id": page, "title": f"Page {page}"} for page in pages]}


def record(*outputs: dict[str, Any], id: str = "1") -> dict[str, Any]:
    return {"id": id, "input": "A claim.", "output": list(outputs)}


def scored(found: str, *sets: str, at: tuple[int, ...] = (1, 5)) -> dict[str, float]:
    """The measures of pages, one letter each, against gold sets of pages."""
    return kilt_score(
        [record(output("SUPPORTS", *found))], [record(*(output("SUPPORTS", *pages) for pages in sets))], at
    )


def test_r_precision_is_that_of_the_best_way_to_the_answer() -> None:
    assert scored("axb", "ab", "z")["Rprec"] == 0.5
    assert scored("zab", "ab", "z")["Rprec"] == 1.0


def test_a_page_ranked_twice_takes_one_place() -> None:
    assert scored("aab", "ab")["Rprec"] == 1.0


def test_a_set_takes_its_place_where_its_last_page_is_found() -> None:
    # x and y keep their places, and the set of a and b comes after them: a x y b is x, y, {a, b}.
    assert scored("axyb", "ab", at=(2, 3)) == {
        "accuracy": 1.0, "KILT-AC": 0.0, "Rprec": 0.5,
        "precision@2": 0.0, "precision@3": 1 / 3,
        "recall@2": 0.0, "recall@3": 1.0,
        "success_rate@2": 0.0, "success_rate@3": 1.0,
    }  # fmt: skip


def test_recall_is_the_share_of_the_different_sets() -> None:
    assert scored("ax", "a", "b", "a", at=(2,))["recall@2"] == 0.5


def test_half_a_set_is_no_success() -> None:
    assert scored("a", "ab")["success_rate@5"] == 0.0


def test_a_page_of_two_sets_counts_for_both() -> None:
    assert scored("ab", "a", "ab", at=(2,))["recall@2"] == 1.0


def test_nothing_found_is_worth_nothing() -> None:
    assert set(scored("", "ab").values()) == {0.0, 1.0}
    assert scored("", "ab")["accuracy"] == 1.0


def test_recall_at_one_is_not_told_because_kilt_does_not() -> None:
    assert "recall@1" not in scored("a", "a")


@pytest.mark.parametrize(("answer", "right"), [("SUPPORTS", 1), (" SUPPORTS ", 1), ("supports", 0), ("", 0)])
def test_answers_are_compared_letter_by_letter(answer: str, right: int) -> None:
    gold = record(output("SUPPORTS", "a"), output(None, "b"))
    score = kilt_score([record(output(answer, "a"))], [gold])
    assert (score["accuracy"], score["KILT-AC"]) == (right, right)


def test_an_answer_without_its_pages_is_no_kilt_answer() -> None:
    outcome = kilt_outcomes([record(output("SUPPORTS", "x"))], [record(output("SUPPORTS", "a"))])[0]
    assert outcome.right
    assert not outcome.kilt_right


def test_guesses_are_matched_by_id_in_any_order_and_none_may_be_missing() -> None:
    gold = [record(output("SUPPORTS", "a"), id="1"), record(output("REFUTES", "b"), id="2")]
    guesses = [record(output("REFUTES", "b"), id="2"), record(output("SUPPORTS", "a"), id=" 1 ")]
    assert kilt_score(guesses, gold)["KILT-AC"] == 1.0
    with pytest.raises(InputError, match="no guess for id '1'"):
        kilt_score(guesses[:1], gold)
    with pytest.raises(InputError, match="'2' of an earlier one"):
        kilt_score([guesses[0], guesses[0]], gold)


def test_a_guess_has_exactly_one_output() -> None:
    with pytest.raises(InputError, match="2 outputs"):
        kilt_score([record(output("a"), output("b"))], [record(output("a", "p"))])


sets = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True), min_size=1, max_size=3)


@given(st.lists(st.sampled_from("abcdef"), max_size=6), sets)
def test_r_precision_is_that_of_our_own_rankings(found: list[str], gold: list[list[str]]) -> None:
    evidence = tuple(frozenset(ElementId(page, Kind.TITLE) for page in pages) for pages in gold)
    ours = evaluate_rankings([Example(Claim("1", "x"), Label.SUPPORTS, evidence)], [found], Level.PAGE)
    assert scored("".join(found), *map("".join, gold))["Rprec"] == ours.metric("r_precision").value


@given(st.lists(st.sampled_from("abcdef"), max_size=6), sets)
def test_deep_enough_recall_is_the_share_of_sets_that_were_found_whole(found: list[str], gold: list[list[str]]) -> None:
    score = scored("".join(found), *map("".join, gold), at=(100,))
    different = {frozenset(pages) for pages in gold}
    whole = [pages <= set(found) for pages in different]
    assert score["recall@100"] == pytest.approx(sum(whole) / len(whole))
    assert score["success_rate@100"] == any(whole)


# -- files --


def read(*records: dict[str, Any]) -> JsonRecords:
    return JsonRecords(list(enumerate(records, 1)), [])


GOLD = (record(output("SUPPORTS", "a"), id="1"), record(output("REFUTES", "b"), id="2"))


def test_a_file_is_scored_with_intervals_and_slices() -> None:
    scores = score_kilt(
        read(record(output("SUPPORTS", "a"), id="1"), record(output("SUPPORTS", "b"), id="2")), read(*GOLD)
    )
    told = scores.as_dict()
    assert (told["task"], told["n"], told["score"], told["label_accuracy"]) == ("kilt", 2, 0.5, 0.5)
    assert told["evidence_precision"] is None
    assert told["official"]["Rprec"] == 1.0
    assert told["intervals"]["score"]["method"] == "wilson"
    assert told["slices"]["label"]["SUPPORTS"]["score"] == 1.0


@pytest.mark.parametrize(
    ("guess", "message"),
    [
        ({"id": "2", "predicted_label": "SUPPORTS"}, "line 2: this is a prediction of FEVER's family"),
        (record(output("SUPPORTS"), id="1"), "line 2: the id '1' was already on line 1"),
        (record(output("SUPPORTS"), id="7"), "line 2: the gold has no claim '7'"),
        ({"id": "2", "output": []}, "line 2: the output is \\[\\]"),
        ({"id": "2", "output": [{"provenance": ["a"]}]}, "line 2: the provenance is"),
        ({"output": [{}]}, "line 2: no id"),
    ],
)
def test_every_fault_is_told_by_its_line(guess: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        score_kilt(read(GOLD[0], guess), read(*GOLD))


def test_a_missing_guess_is_told() -> None:
    with pytest.raises(FormatError, match="the claim '2' has no guess"):
        score_kilt(read(GOLD[0]), read(*GOLD))


def test_gold_without_answers_is_refused() -> None:
    with pytest.raises(InputError, match="line 1 of the gold has no output"):
        score_kilt(read(GOLD[0]), read({"id": "1", "input": "A claim."}))
