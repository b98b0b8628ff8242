"""What forbids a claim of the game, and what its author is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.studio.game.writers import NILE
from veritab.audit.giveaways import Giveaway
from veritab.schema import LONGEST_CLAIM
from veritab.studio.advice import AdviceCode
from veritab.studio.game.claim_checks import KnownClaims, claim_advice, claim_faults, learn_giveaways

GOOD = "The longest river of Africa ends in the Mediterranean."
GOLD = ["Nile_sentence_0"]


def codes(text: str, **about: object) -> set[AdviceCode]:
    return {advice.code for advice in claim_advice(text, NILE, **about)}  # type: ignore[arg-type]


# -- forced


def test_one_sentence_with_one_or_two_pieces_may_be_published() -> None:
    assert claim_faults(GOOD, GOLD, NILE) == []
    assert claim_faults(GOOD, ["Nile_sentence_0", "Nile_cell_0_1_2"], NILE) == []
    assert claim_faults(GOOD, ["Nile_cell_0_1_0", "Nile_cell_0_1_1", "Nile_cell_0_1_2"], NILE) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Write a claim"),
        (" \n\t ", "Write a claim"),
        ("…!?", "Write a claim"),
        ("x" * 100_000, "The claim has 100,000 characters"),
        ("The Nile is long. The Rhine is short.", "A claim is one sentence"),
        ("The Nile is long.\nThe Rhine is short", "A claim is one sentence"),
    ],
)
def test_what_is_not_one_sentence_is_forbidden(text: str, told: str) -> None:
    (fault,) = claim_faults(text, GOLD, NILE)
    assert told in fault


@pytest.mark.parametrize(
    ("gold", "told"),
    [
        ([], "Choose the evidence"),
        (["Nile_sentence_0", "Nile_sentence_1", "Nile_sentence_2"], "You have chosen 3 pieces of evidence"),
        (["Rhine_sentence_0"], "'Rhine_sentence_0' is of another page"),
        (["Nile_sentence_77"], "choose evidence that the page has"),
        (["<script>"], "is not an element id"),
    ],
)
def test_evidence_is_one_or_two_pieces_of_the_page(gold: list[str], told: str) -> None:
    (fault,) = claim_faults(GOOD, gold, NILE)
    assert told in fault


def test_markup_is_text() -> None:
    claim = "<b>The Nile</b> is <script>alert(1)</script> {{long}} [[river|x]]."
    assert claim_faults(claim, GOLD, NILE) == []


@pytest.mark.parametrize("claim", ["Нил впадает в Средиземное море.", "尼罗河流入地中海。", "النيل نهر طويل."])
def test_a_claim_in_another_script_is_told_and_not_refused(claim: str) -> None:
    assert claim_faults(claim, GOLD, NILE) == []
    assert AdviceCode.OTHER_SCRIPT in codes(claim)
    assert AdviceCode.OTHER_SCRIPT not in codes(GOOD)


@given(st.text(max_size=200), st.lists(st.text(max_size=30), max_size=3))
def test_whatever_is_typed_is_answered(text: str, gold: list[str]) -> None:
    claim_advice(text, NILE, truth=False, known=KnownClaims((GOOD,), ()))
    claim_faults(text, gold, NILE)


# -- told


def test_a_claim_without_fault_is_told_nothing() -> None:
    assert codes("The Nile flows through several countries before it ends in an ocean.") == {AdviceCode.VAGUE_COUNT}
    assert codes("The waters of the Nile end in an ocean.") == set()
    assert codes("") == set()


def test_the_author_is_told_what_may_be_wrong() -> None:
    assert AdviceCode.PRONOUN in codes("It ends in an ocean.")
    assert AdviceCode.TITLE_MISSING in codes("Two rivers meet at Khartoum.")
    assert AdviceCode.COPIED in codes("It is about 6,650 km long.")
    assert AdviceCode.NEARLY_COPIED in codes(
        "The Nile is a big river of Africa that flows north into the Mediterranean Sea."
    )
    assert codes("The waters of the Nile end in an ocean.", is_gold_first=True) == {AdviceCode.GOLD_FIRST}


def test_a_near_copy_of_another_claim_about_the_page_is_named() -> None:
    known = KnownClaims(("The Nile ends in a lake.", "The waters of the Nile end in the ocean."))
    (advice,) = claim_advice("The waters of the Nile end in an ocean.", NILE, known=known)
    assert (advice.code, "The waters of the Nile end in the ocean." in advice.message) == (AdviceCode.NEAR_CLAIM, True)


def test_negation_gives_a_false_claim_away_where_the_game_has_few_claims() -> None:
    claim = "The Nile does not end in an ocean."
    assert codes(claim, truth=False) == {AdviceCode.PLAIN_NEGATION}
    assert codes(claim, truth=True) == set()


def test_words_give_away_what_they_go_with_in_this_game() -> None:
    known = KnownClaims(
        (), (Giveaway("only", "false", 9, 10, 1.0, True), Giveaway("the nile", "true", 6, 7, 1.0, True))
    )
    claim = "The Nile does not end only in an ocean."
    (told,) = claim_advice(claim, NILE, truth=False, known=known)
    assert (told.code, told.message) == (
        AdviceCode.GIVEAWAY,
        "“only” gives the claim away: 9 of the 10 claims with it are false.",
    )
    (told,) = claim_advice(claim, NILE, truth=True, known=known)
    assert "“the nile”" in told.message


def test_what_forbids_comes_first() -> None:
    advice = claim_advice("It is long. It is wet.", NILE)
    assert advice[0].code is AdviceCode.SEVERAL_SENTENCES
    (too_long,) = claim_advice("a" * (LONGEST_CLAIM + 1), NILE)
    assert too_long.code is AdviceCode.TOO_LONG


def test_giveaways_are_learned_from_enough_claims_of_both_kinds() -> None:
    claims = [
        (f"River number {number} is {'never' if number % 2 else 'also'} long.", not number % 2) for number in range(120)
    ]
    found = learn_giveaways(claims)
    assert found is not None
    assert {each.thing: each.label for each in found if " " not in each.thing} == {"never": "false", "also": "true"}
    assert learn_giveaways(claims[:99]) is None
    assert learn_giveaways([claim for claim in claims * 2 if claim[1]]) is None
