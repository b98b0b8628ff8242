"""Evidence that does not settle a claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from tests.build.pages import CORPUS, HandmadeCorpus
from tests.commands import veritab
from veritab.build.elements import find_element
from veritab.build.records import Built, BuiltRecord, GivenClaim, LeftOut
from veritab.build.unsettling import Unsettler, keep_unsettled
from veritab.datasets.example_rows import built_of
from veritab.errors import InputError
from veritab.schema import Cell, Claim, Element, ElementId, Example, Label, Page, Sentence, TableBlock, Verdict

S, R, N = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO


def given(text: str, label: Label | None, *evidence: str) -> GivenClaim:
    ids = frozenset(map(ElementId.parse, evidence))
    return GivenClaim("line 1", Example(Claim("1", text), label, (ids,) if ids else ()))


def unsettled(way: str, claim: GivenClaim) -> Built:
    (made,) = Unsettler(CORPUS, ways=[way]).unsettle([claim], "test")
    return made


def contents(made: Built) -> list[str]:
    assert isinstance(made, BuiltRecord)
    assert made.label is N
    return [str(id) for gold in made.evidence for id in gold]


def test_the_deciding_sentence_is_taken_away() -> None:
    claim = given("The delta of the river begins north of Cairo.", S, "Nile_sentence_1", "Nile_sentence_2")
    assert contents(unsettled("without", claim)) == ["Nile_sentence_2"]


def test_the_cells_of_a_table_are_taken_away_together() -> None:
    claim = given("The Nile flows in Egypt.", S, "Nile_sentence_2", "Capitals_cell_0_1_1", "Capitals_header_cell_0_1_0")
    assert contents(unsettled("without", claim)) == ["Nile_sentence_2"]


def test_a_refuted_claim_keeps_nothing_that_may_refute_it_by_itself() -> None:
    claim = given(
        "The Nile is a short river of northeastern Africa and its delta begins north of Vienna.", R, "Nile_sentence_0"
    )
    more = GivenClaim(
        "line 1",
        Example(claim.example.claim, R, (frozenset({*claim.example.evidence[0], ElementId.parse("Nile_sentence_1")}),)),
    )
    made = unsettled("without", more)
    assert isinstance(made, LeftOut)
    assert made.reason == "what is left may refute it by itself"


def test_a_table_is_taken_away_whole_and_none_is_left_to_a_refuted_claim() -> None:
    supported = given("The Nile flows in Egypt.", S, "Nile_sentence_2", "Capitals_table_0")
    assert contents(unsettled("without", supported)) == ["Nile_sentence_2"]
    two = given("The Danube flows in Rome.", R, "Nile_sentence_2", "Capitals_table_0", "Rivers_table_0")
    made = next(iter(Unsettler(DATED, ways=["without"]).unsettle([two], "test")))
    assert isinstance(made, LeftOut)
    assert made.reason == "what is left may refute it by itself"


DATED = HandmadeCorpus(
    [
        Page(
            "Joe Bloggs",
            (
                Sentence(0, "Joe Bloggs is a singer who was born in 1958."),
                Sentence(1, "The first record came out in 1964 with four brothers."),
                Sentence(2, "Critics praise the videos for their dances."),
            ),
        ),
        Page("Rivers", (TableBlock(0, ((Cell("Danube"), Cell("Austria")),)),)),
        *CORPUS.pages(),
    ]
)


@pytest.mark.parametrize("label", [S, R])
def test_a_refuted_date_is_not_left_with_another_date_of_the_page(label: Label) -> None:
    claim = given("Joe Bloggs was born in 2009.", label, "Joe Bloggs_sentence_0")
    found = {
        id
        for seed in range(12)
        for made in Unsettler(DATED, seed=seed, ways=["nearest"]).unsettle([claim], "test")
        for id in contents(made)
    }
    dated = {"Joe Bloggs_sentence_1"} if label is S else set()
    assert found == {"Joe Bloggs_sentence_2"} | dated


def test_other_sentences_of_the_page_say_neither_the_claim_nor_what_settles_it() -> None:
    claim = given("The delta of the Nile begins north of Cairo.", S, "Nile_sentence_1")
    assert "Nile_sentence_1" not in contents(unsettled("nearest", claim))


@pytest.mark.parametrize(
    "claim",
    [
        "The Nile is a canal.",
        "The Nile does not flow in Africa.",
        "The Nile is Austrian.",
        "The Nile always floods Cairo.",
    ],
)
def test_what_any_sentence_of_its_page_may_settle_has_no_nearest_one(claim: str) -> None:
    made = unsettled("nearest", given(claim, R, "Nile_sentence_0"))
    assert isinstance(made, LeftOut)
    assert "so little that any sentence" in made.reason


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (given("Cairo is old.", None, "Cairo_sentence_0"), "it has no label"),
        (given("Cairo is old.", N, "Cairo_sentence_0"), "not enough info already"),
        (given("Cairo is old.", S), "no evidence with an address"),
        (given("Rome is old.", S, "Rome_sentence_0"), "the corpus has no 'Rome_sentence_0'"),
        (given("Cairo is old.", S, "Cairo_sentence_9"), "the corpus has no 'Cairo_sentence_9'"),
    ],
)
def test_a_claim_that_nothing_can_be_taken_from_is_told_with_the_reason(claim: GivenClaim, reason: str) -> None:
    made = unsettled("nearest", claim)
    assert isinstance(made, LeftOut)
    assert reason in made.reason


def test_one_piece_of_evidence_cannot_lose_any() -> None:
    made = unsettled("without", given("Cairo is a capital.", S, "Cairo_sentence_0"))
    assert isinstance(made, LeftOut)
    assert made.rule == "without"


def test_no_claim_comes_twice_unless_every_way_is_asked_for() -> None:
    claim = given("The delta of the river begins north of Cairo.", S, "Nile_sentence_1", "Nile_sentence_2")
    made = list(Unsettler(CORPUS).unsettle([claim], "test"))
    assert len([each for each in made if isinstance(each, BuiltRecord)]) == 1
    every = list(Unsettler(CORPUS, every=True).unsettle([claim], "test"))
    assert [each.origin.rule for each in every if isinstance(each, BuiltRecord)] == ["without", "nearest"]


def test_what_is_built_of_a_built_claim_is_first_of_all_built_of_its_question() -> None:
    claim = given("The delta of the Nile begins north of Cairo.", S, "Nile_sentence_1")
    first = {"source": "asked.jsonl", "record": "q7", "rule": "right", "seed": 0}
    (made,) = Unsettler(CORPUS, ways=["nearest"]).unsettle(
        [claim._replace(example=replace(claim.example, record={"origin": first}))], "built.jsonl"
    )
    assert isinstance(made, BuiltRecord)
    assert (made.origin.source, made.origin.record) == ("built.jsonl", "1")
    assert made.as_dict()["origin"]["earlier"] == first
    assert built_of(made.as_example()) == ("asked.jsonl", "q7")
    (alone,) = Unsettler(CORPUS, ways=["nearest"]).unsettle([claim], "built.jsonl")
    assert isinstance(alone, BuiltRecord)
    assert built_of(alone.as_example()) == ("built.jsonl", "1")


def test_a_way_that_does_not_exist_is_named_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'nearest'"):
        Unsettler(CORPUS, ways=["nearst"])


class Says:
    """A judge that gives one label."""

    def __init__(self, label: Label) -> None:
        self._label = label

    def judge(self, pairs: Iterable[tuple[Claim, Sequence[Element]]]) -> list[Verdict]:
        return [Verdict(claim, self._label, {self._label: 1.0}) for claim, _ in pairs]


def test_what_the_checker_still_settles_is_left_out() -> None:
    unsettler = Unsettler(CORPUS, ways=["nearest"])
    claim = given("The delta of the Nile begins north of Cairo.", S, "Nile_sentence_1")
    (kept,) = keep_unsettled(unsettler.unsettle([claim], "test"), Says(N), partial(find_element, CORPUS))
    assert isinstance(kept, BuiltRecord)
    (left,) = keep_unsettled(unsettler.unsettle([claim], "test"), Says(S), partial(find_element, CORPUS))
    assert isinstance(left, LeftOut)
    assert "evidence enough (SUPPORTS)" in left.reason


def test_the_command_makes_evidence_that_does_not_settle_claims() -> None:
    made = veritab("build", "nei", "almanac/claims", "--ways", "nearest")
    assert {each["label"] for each in made.lines} == {"NOT ENOUGH INFO"}
    assert "it has not enough info already" in made.err
