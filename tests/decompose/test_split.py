"""Claims of several assertions become parts, and claims of one stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.decompose import split_claim

SPLIT: dict[str, tuple[str, ...]] = {
    # the same subject
    "Ada Stern was born in 1900 in Paris and won the Nobel Prize in 1950": (
        "Ada Stern was born in 1900 in Paris",
        "Ada Stern won the Nobel Prize in 1950",
    ),
    "Lodz is a city in Poland and has 670,000 inhabitants.": (
        "Lodz is a city in Poland.",
        "Lodz has 670,000 inhabitants.",
    ),
    "Ada Stern was born in Rome, moved to Paris and died in 1950.": (
        "Ada Stern was born in Rome.",
        "Ada Stern moved to Paris.",
        "Ada Stern died in 1950.",
    ),
    "The Glass Bell was written by Ada Stern, published by Fox Press and had 10 reprints.": (
        "The Glass Bell was written by Ada Stern.",
        "The Glass Bell was published by Fox Press.",
        "The Glass Bell had 10 reprints.",
    ),
    "The bridge was opened in 1932 but was closed again in 1940.": (
        "The bridge was opened in 1932.",
        "The bridge was closed again in 1940.",
    ),
    "Ada Stern plays the piano, and also wrote two operas.": (
        "Ada Stern plays the piano.",
        "Ada Stern wrote two operas.",
    ),
    "Night Train is a film that stars Ada Stern and was released in 1990.": (
        "Night Train is a film that stars Ada Stern.",
        "Night Train was released in 1990.",
    ),
    "Trinidad and Tobago is a country and has 1.4 million inhabitants.": (
        "Trinidad and Tobago is a country.",
        "Trinidad and Tobago has 1.4 million inhabitants.",
    ),
    "Ada Stern (born 4 May 1900) studied in Rome and taught in Oslo.": (
        "Ada Stern (born 4 May 1900) studied in Rome.",
        "Ada Stern taught in Oslo.",
    ),
    "Night Train (2005 film) was shot in Oslo and won a prize.": (
        "Night Train (2005 film) was shot in Oslo.",
        "Night Train (2005 film) won a prize.",
    ),
    "The affair nearly led to a war, and was started by the French.": (
        "The affair nearly led to a war.",
        "The affair was started by the French.",
    ),
    "The march was led by Ada Stern and resulted in two deaths.": (
        "The march was led by Ada Stern.",
        "The march resulted in two deaths.",
    ),
    # a lead belongs to both, unless the second has a date of its own
    "In 1990, Ada Stern moved to Rome and won a prize.": (
        "In 1990, Ada Stern moved to Rome.",
        "In 1990, Ada Stern won a prize.",
    ),
    "In 1990, Ada Stern moved to Rome and won a prize in 1995.": (
        "In 1990, Ada Stern moved to Rome.",
        "Ada Stern won a prize in 1995.",
    ),
    "Lodz lies in Poland and, as of 2019, has 670,000 inhabitants.": (
        "Lodz lies in Poland.",
        "As of 2019, Lodz has 670,000 inhabitants.",
    ),
    # another subject
    "The coach of Riga is Ada Stern, while the coach of Oslo is Ben Holt.": (
        "The coach of Riga is Ada Stern.",
        "The coach of Oslo is Ben Holt.",
    ),
    "At the 1998 Games, Ada Stern won the gold, while Eva Holt won the silver.": (
        "At the 1998 Games, Ada Stern won the gold.",
        "At the 1998 Games, Eva Holt won the silver.",
    ),
    "The Glass Bell has 300 pages and it is set in Oslo.": (
        "The Glass Bell has 300 pages.",
        "The Glass Bell is set in Oslo.",
    ),
    "Ada Stern went to Yale and her father was a lawyer.": (
        "Ada Stern went to Yale.",
        "Ada Stern's father was a lawyer.",
    ),
    "Ada Stern was born in 1900; she was elected mayor in 1940.": (
        "Ada Stern was born in 1900.",
        "Ada Stern was elected mayor in 1940.",
    ),
    # asides
    "Xanten, which is a city in Germany, has 3 rivers.": ("Xanten is a city in Germany.", "Xanten has 3 rivers."),
    "Henri Petit, a French painter, died in 1900.": (
        "Henri Petit was a French painter.",
        "Henri Petit died in 1900.",
    ),
    "Ada Stern, who wrote novels and poems, has lived in Oslo.": (
        "Ada Stern wrote novels and poems.",
        "Ada Stern has lived in Oslo.",
    ),
    "Ada Stern married Ben Holt, who was born in Rome.": ("Ada Stern married Ben Holt.", "Ben Holt was born in Rome."),
    "The palace is in Riga, which is far to the west of Oslo.": (
        "The palace is in Riga.",
        "Riga is far to the west of Oslo.",
    ),
    # both
    "Both Paris and Lyon are cities in France.": ("Paris is a city in France.", "Lyon is a city in France."),
    "Both Ada Stern and Ben Holt were born in 1900.": ("Ada Stern was born in 1900.", "Ben Holt was born in 1900."),
    "Both Riga and Oslo have an opera house.": ("Riga has an opera house.", "Oslo has an opera house."),
    # sentences
    "Ada Stern was born in 1900. She won the Nobel Prize in 1950.": (
        "Ada Stern was born in 1900.",
        "Ada Stern won the Nobel Prize in 1950.",
    ),
}

WHOLE = """
The Nile is longer than the Danube and the Rhine.
The tower was rebuilt between 1900 and 1910.
China has more inhabitants than Japan and Korea combined.
Simon and Garfunkel won gold in 1900 and 1904.
Two of Paris, Lyon and Lille lie on the Seine.
Ada Stern won gold in 1900 and 1904.
Ada Stern wrote and directed The Glass Bell.
Ada Stern wrote, directed and starred in The Glass Bell.
The Glass Bell was written and directed by Ada Stern.
The film directed by Ada Stern and Ben Holt was a hit.
The film starring Ada Stern and Ben Holt was a hit.
The song was sung by Ada Stern and Ben Holt in 1990.
No player won gold and set a record.
Only one player won gold and set a record.
A town in France has 300 inhabitants and lies on the Seine.
Ada Stern said that the bank was closed and the money was gone.
Ada Stern and Ben Holt won gold and silver respectively.
Ada Stern not only won the race but also set a record.
Either Riga or Oslo won the cup and lost the final.
If Riga wins the cup, Oslo loses it and is relegated.
Did Ada Stern win gold and set a record?
Both Ada Stern and Ben Holt were married to each other.
Both Ada Stern and Ben Holt won the same prize.
Ada Stern is interested in art but he likes music.
Ada Stern met Ben Holt and he was the mayor of Oslo.
Ada Stern did not win because she was ill and was tired.
Ada Stern was in the army and a politician before she managed a team.
Ada Stern could not swim while she was a child.
Ada Stern had a stroke but recovered from it.
The coach of Riga, a club from Latvia, is Ada Stern.
Kellogg's products are sold in 180 countries and made in 18.
The car is made in Lodz and Riga.
Live and Let Die is a film.
"I came and was seen" is a song by Ada Stern.
The house had a garden, but it was small.
In the 1990 season Ada Stern came in first and Eva Holt came in last.
The two dams are the Varn Dam which opened in 1915 and has a height of 350 m.
Ada Stern had a rank in the Riga Guard, which can be kept in retirement.
Ada Stern ran two races in Riga and won medals in both.
More than 70 patients were treated at home while over 50 were treated in Riga.
Fewer than 90 critics saw The Glass Bell and had a high opinion of Ada Stern.
Ada Stern was presumed deceased and left behind in Riga.
The moth belongs to the family Varnidae, and the class Insecta found in Riga.
The guests were led out by the Riga Police and the Oslo Guard after the base was attacked.
Great and Small is a series of films starring Ada Stern and produced by Fox.
""".strip().splitlines()


@pytest.mark.parametrize("claim", SPLIT)
def test_a_claim_of_several_assertions_becomes_parts_that_stand_alone(claim: str) -> None:
    assert split_claim(claim) == SPLIT[claim]


@pytest.mark.parametrize("claim", WHOLE)
def test_what_belongs_together_stays_together(claim: str) -> None:
    assert split_claim(claim) == (claim,)


@pytest.mark.parametrize(
    "claim", ["", " ", ".", "?!", "Paris", "and", "and and and", ",,,", "“", "(" * 50, "🎉🎉", "\x00"]
)
def test_what_is_not_a_claim_is_its_own_part(claim: str) -> None:
    assert split_claim(claim) == (claim,)


@given(st.text(max_size=300))
def test_any_text_has_at_least_one_part_and_none_is_empty(claim: str) -> None:
    found = split_claim(claim)
    assert found
    assert all(part.strip() for part in found) or found == (claim,)


WORDS = (
    "Ada Stern Riga and , but was is born won which who , a city in 1900 the ; while it his released by and has".split()
)


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=30))
def test_words_in_any_order_are_taken_without_complaint(words: list[str]) -> None:
    claim = " ".join(words)
    found = split_claim(claim)
    assert found == (claim,) or len(found) > 1


@pytest.mark.parametrize("claim", SPLIT)
def test_parts_of_parts_are_the_parts(claim: str) -> None:
    assert all(split_claim(part) == (part,) for part in split_claim(claim))


@pytest.mark.parametrize(
    "claim", ["Ada was and " * 160, "a, which is " * 160, "(" * 1900, "and was, " * 200, "Both A and B " * 150]
)
@pytest.mark.parametrize("times", [1, 100])
def test_a_very_long_claim_without_sense_stays_whole(claim: str, times: int) -> None:
    (whole,) = split_claim(claim * times)
    assert whole.strip() == (claim * times).strip()


def test_white_space_inside_a_claim_does_not_matter() -> None:
    assert split_claim("Lodz is a city  in\nPoland and\thas 670,000 inhabitants.") == (
        "Lodz is a city in Poland.",
        "Lodz has 670,000 inhabitants.",
    )
