"""What a claim names, and how another name takes the place of one."""

from __future__ import annotations

import pytest

from tests.build.pages import HandmadeCorpus
from veritab.build.kinds import CorpusKinds
from veritab.build.mutating.mentions import find_mentions, swap_name
from veritab.schema import Page, Sentence

pytest.importorskip("lemminflect", reason="needs the extra build")

TITLES = (
    "Church",
    "Paris",
    "Rome",
    "Wales",
    "Chile",
    "Saw",
    "Nile",
    "American (song)",
    "Home",
    "The Hobbit",
    "Rio (2011 film)",
    "Rio (city)",
    "Palo Alto, California",
    "California",
    "Home for Christmas",
)
KINDS = CorpusKinds(HandmadeCorpus(Page(title, (Sentence(0, "Nothing is said."),)) for title in TITLES))


@pytest.mark.parametrize(
    ("claim", "titles"),
    [
        ("Eric Church wrote a song.", []),
        ("In Paris and Rome, it rained.", ["Paris", "Rome"]),
        ("The Saw franchise grossed much.", []),
        ("It was made by an American band.", []),
        ("The Hobbit is a book.", ["The Hobbit"]),
        ("The Nile flows north.", ["Nile"]),
        ("Home for Christmas is a film.", ["Home for Christmas"]),
        ("Home for the Holidays is a film.", []),
        ("Palo Alto, California is a city.", ["Palo Alto, California"]),
        ("Rio is a film.", []),
        ("Rio (2011 film) was released.", ["Rio (2011 film)"]),
        ("She lives in the Paris suburbs.", []),
    ],
)
def test_a_name_is_taken_whole_or_not_at_all(claim: str, titles: list[str]) -> None:
    assert [each.title for each in find_mentions(claim, KINDS)] == titles


def test_of_several_pages_of_a_name_that_of_the_evidence_is_meant() -> None:
    (mention,) = find_mentions("Rio is a film.", KINDS, ["Rio (2011 film)"])
    assert (mention.name, mention.title) == ("Rio", "Rio (2011 film)")


@pytest.mark.parametrize(
    ("claim", "new", "with_the", "said"),
    [
        ("Wales' people are proud.", "Chile", False, "Chile's people are proud."),
        ("‘Rome’ is old.", "Chile", False, "‘Chile’ is old."),
        ("The Nile is long.", "Rome", False, "Rome is long."),
        ("Rome is old.", "Nile", True, "The Nile is old."),
        ("It lies in Rome.", "Nile", True, "It lies in the Nile."),
    ],
)
def test_a_name_brings_its_article_and_its_possessive(claim: str, new: str, with_the: bool, said: str) -> None:
    (mention,) = find_mentions(claim, KINDS)
    assert swap_name(claim, mention, new, with_the=with_the) == said
