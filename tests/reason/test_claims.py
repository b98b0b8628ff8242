"""What a claim says by itself: its numbers, how it relates to them, and the words that ask for a computation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.lexicon.cues import CUE_WORDS
from veritab.quantities import Date, Quantity
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.programs.programs import Relation
from veritab.text import stem


def said(claim: str) -> list[tuple[str, Relation]]:
    """The numbers of a claim as written, and how it relates to them."""
    parsed = ParsedClaim(claim)
    return [(parsed.phrase(number.span), number.relation) for number in parsed.numbers]


@pytest.mark.parametrize(
    ("claim", "number", "relation"),
    [
        ("It has more than 30 floors.", "30", Relation.ABOVE),
        ("It has fewer than five wheels.", "five", Relation.BELOW),
        ("It is no longer than 40 km.", "40 km", Relation.AT_MOST),
        ("No fewer than three came.", "three", Relation.AT_LEAST),
        ("It came nearer than 240 km.", "240 km", Relation.BELOW),
        ("It goes further down than 1,642 m.", "1,642 m", Relation.ABOVE),
        ("At least two did.", "two", Relation.AT_LEAST),
        ("At most one prime minister did.", "one", Relation.AT_MOST),
        ("They held it for sixteen years or more.", "sixteen years", Relation.AT_LEAST),
        ("He was already past sixty.", "sixty", Relation.ABOVE),
        ("It was removed before the year 2000.", "2000", Relation.BELOW),
        ("From 1950 onwards it grew.", "1950", Relation.AT_LEAST),
        ("They lived into the twentieth century.", "twentieth century", Relation.AT_LEAST),
        ("The books add up to 36 pieces.", "36", Relation.IS),
        ("up to 36 pieces", "36", Relation.AT_MOST),
        ("score of over 99", "99", Relation.ABOVE),
    ],
)
def test_words_around_a_number_relate_a_value_to_it(claim: str, number: str, relation: Relation) -> None:
    assert (number, relation) in said(claim)


@pytest.mark.parametrize("claim", ["They appeared between 1862 and 1880.", "They opened from 1862 to 1880."])
def test_both_ends_of_a_range_are_limits(claim: str) -> None:
    assert said(claim) == [("1862", Relation.AT_LEAST), ("1880", Relation.AT_MOST)]
    assert len(ParsedClaim(claim).ranges) == 1


def test_a_vote_between_two_teams_is_no_range() -> None:
    assert ParsedClaim("between 3 teams of 4 players").ranges == ()


@pytest.mark.parametrize(
    ("claim", "percent", "relation"),
    [
        ("More than half of the people came.", 50, Relation.ABOVE),
        ("It holds less than two fifths of the lake.", 40, Relation.BELOW),
        ("A third of all votes went to him.", 100 / 3, Relation.IS),
        ("The majority of titles went there.", 50, Relation.ABOVE),
        ("About 43 per cent of it came from there.", 43, Relation.IS),
    ],
)
def test_shares_in_words_are_percentages(claim: str, percent: float, relation: Relation) -> None:
    (number,) = ParsedClaim(claim).numbers
    assert isinstance(number.value, Quantity)
    assert (number.value.unit, number.relation) == ("%", relation)
    assert number.value.value == pytest.approx(percent)


def test_a_third_place_is_no_share() -> None:
    (number,) = ParsedClaim("It came in third.").numbers
    assert isinstance(number.value, Quantity)
    assert number.value.ordinal


@pytest.mark.parametrize(
    ("claim", "times"),
    [
        ("It has twice as many seats.", 2),
        ("It is more than nine times as large.", 9),
        ("The population quadrupled.", 4),
        ("It is half as long.", 0.5),
    ],
)
def test_multiples_say_how_many_times_as_much(claim: str, times: float) -> None:
    (multiple,) = ParsedClaim(claim).multiples
    assert isinstance(multiple.value, Quantity)
    assert multiple.value.value == times


@pytest.mark.parametrize("claim", ["It is the only one.", "Not one region grew.", "It is one of the oldest."])
def test_one_may_stand_for_a_thing(claim: str) -> None:
    assert ParsedClaim(claim).numbers == ()


def test_a_number_within_a_word_is_none() -> None:
    assert ParsedClaim("It is an eight-thousander.").numbers == ()


def test_ordinals_name_places() -> None:
    assert ParsedClaim("the third oldest").ordinals == (1, 3)
    assert ParsedClaim("the third-oldest").ordinals == (1, 3)


@pytest.mark.parametrize(
    ("claim", "cue", "given"),
    [
        ("at least two moonwalks", "low", False),
        ("the least known", "low", True),
        ("Most of the ten belong there.", "high", False),
        ("It has the most seats.", "high", True),
        ("Symphony No. 2 is long.", "not", False),
        ("There is no symphony.", "not", True),
        ("No more than three did.", "none", False),
        ("Karnali is larger than any other province.", "than any", True),
        ("None came as near to it as Giotto.", "no than", True),
        ("SCORES WERE THE SAME", "same", True),
        ("scores were the same", "same", True),
    ],
)
def test_cues_are_what_words_ask_for(claim: str, cue: str, given: bool) -> None:
    assert (cue in ParsedClaim(claim).cues) is given


def test_every_word_of_a_cue_gives_it() -> None:
    for name, words in CUE_WORDS.items():
        for word in map(stem, words.split()):
            if word not in ("no", "most", "least"):
                assert name in ParsedClaim(f"it is {word} so").cues, (name, word)


def test_dates_keep_their_months() -> None:
    (number,) = ParsedClaim("It was granted in May 1914.").numbers
    assert isinstance(number.value, Date)
    assert (number.value.year, number.value.month) == (1914, 5)


@given(st.text(max_size=200))
def test_any_text_can_be_asked(text: str) -> None:
    parsed = ParsedClaim(text)
    assert parsed.cues is not None
    for number in (*parsed.numbers, *parsed.multiples):
        assert 0 <= number.span[0] < number.span[1] <= len(parsed.words)


def test_a_text_of_100_kb_is_read_only_so_far() -> None:
    parsed = ParsedClaim("more than 12 of 30 and " * 5000)
    assert len(parsed.words) <= 120
    assert len(parsed.numbers) <= 12
