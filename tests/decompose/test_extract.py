"""Which sentences of a text are worth checking, where they stand, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.decompose import ExtractedClaim, count_passed_over, extract_claims, number_claims
from veritab.decompose.checkworthy import REASONS

KEPT = {
    "Lodz has 670,000 inhabitants.": ("number", "name"),
    "The tower was finished in 1932.": ("date",),
    "Ada Stern lived in Riga.": ("name",),
    "The north tower is taller than the south tower.": ("comparison",),
    "It opened on 4 May 1932 with forty rooms.": ("date", "number"),
    "Whales are mammals.": ("statement",),
    "The mill stood beside the river.": ("statement",),
    "Mr. J. Holt moved to Riga at 5 p.m. on Monday.": ("date", "number", "name"),
    "World War I ended in 1918.": ("date", "name"),
    "Elizabeth I was the queen of England.": ("name",),
    '"We are going to win," said Ada Stern in 2010.': ("date", "name", "quote"),
    "Ada Stern said: “The city will have 5 million inhabitants.”": ("number", "name", "quote"),
    "She would later become the mayor of Riga.": ("name",),
    "The US exported 3 million tons.": ("number", "name"),
    "The bridge (“I love it”, a visitor said) is 300 m long.": ("number",),
    "Lodz has 670,000 inhabitants!": ("number", "name"),
    "The best-selling book of Ada Stern is The Glass Bell.": ("name",),
    "Sharks eat fish and 3 kinds of birds.": ("number",),
    "May 1945 saw the end of the war.": ("date",),
}

SKIPPED = """
How many people live in Lodz?
Did Ada Stern win in 1950?
What a day in Riga!
I was born in Riga in 1950.
We sold 3 million cars in 2010.
In my opinion, Riga is older than Oslo.
You can see Riga from here.
Let's look at the numbers of 2010.
Riga will have 3 million inhabitants in 2050.
Riga should build a bridge.
Riga might win the cup in 2030.
If Riga wins the cup, Oslo is second.
Perhaps Riga is older than Oslo.
Click here to read more about Riga.
Please send 5 euros to Ada Stern.
See also the list of mayors of Riga
Don't forget to visit Riga.
The view is beautiful.
This is great.
There is a lot to say.
Early life and education
A history of Riga in five chapters
Contents:
Wow!
...
42
1.2.3
Yes.
"I came and I saw the 3 hills of Rome."
""".strip().splitlines()


@pytest.mark.parametrize("sentence", KEPT)
def test_what_can_be_checked_is_kept_with_the_reason(sentence: str) -> None:
    (found,) = extract_claims(sentence)
    assert (found.start, found.end, found.text) == (0, len(sentence), sentence)
    assert found.reasons == KEPT[sentence]


@pytest.mark.parametrize("sentence", SKIPPED)
def test_questions_wishes_advice_chatter_and_headings_are_passed_over(sentence: str) -> None:
    assert extract_claims(sentence) == []


def test_offsets_count_in_the_text_as_given() -> None:
    text = "\ufeff  Riga\r\n\r\nRiga has\r\n3 rivers.\t Is it old? \u200bIt has\x00 7 bridges.\n"
    found = extract_claims(text)
    assert [text[each.start : each.end] for each in found] == [each.text for each in found]
    assert [each.claim for each in found] == ["Riga has 3 rivers.", "Riga has 7 bridges."]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way_and_offsets_stay(end: str) -> None:
    text = end.join(
        ["The old town of Riga lies on the river and has been", "a site since 1997.", "", "- It has 3 bridges."]
    )
    found = extract_claims(text)
    assert [text[each.start : each.end] for each in found] == [each.text for each in found]
    first, _ = found
    assert first.claim.endswith("has been a site since 1997.")


def test_claims_of_a_text_are_named_by_their_place() -> None:
    claims = number_claims(extract_claims("Riga has 3 rivers. Is it old? It has 7 bridges."))
    assert [(claim.id, claim.text) for claim in claims] == [("1", "Riga has 3 rivers."), ("2", "Riga has 7 bridges.")]


def test_headings_and_list_marks_belong_to_no_sentence() -> None:
    text = (
        "# Riga\nRiga has 3 rivers.\n\nHistory\n- Riga was founded in 1201.\n2. Oslo burnt down in 1624.\n| a | 3 |\n"
    )
    assert [each.text for each in extract_claims(text)] == [
        "Riga has 3 rivers.",
        "Riga was founded in 1201.",
        "Oslo burnt down in 1624.",
    ]


def test_a_sentence_wrapped_over_lines_is_one_sentence() -> None:
    text = "The old town of Riga lies on the right bank of the river and has been\na protected site since 1997. It is visited by\n2 million people a year."
    assert len(extract_claims(text)) == 2
    assert extract_claims(text)[0].claim.endswith("has been a protected site since 1997.")


def test_a_short_first_line_without_a_stop_is_a_heading() -> None:
    text = (
        "The history of Riga since 1201\nRiga was founded by a bishop who came from the west with twenty-three ships.\n"
    )
    assert [each.text for each in extract_claims(text)] == [text.splitlines()[1]]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Berlin hat 3,7 Millionen Einwohner.", 1),
        ("Er wurde 1879 in Ulm geboren. Warum?", 1),
        ("La tour Eiffel mesure 330 mètres.", 1),
        ("Москва была основана в 1147 году.", 1),
        ("東京は日本の首都です。人口は1400万人です。", 1),
        ("¿Cuándo nació Pablo Neruda?", 0),
    ],
)
def test_sentences_of_other_languages_come_out_unchanged(text: str, claims: int) -> None:
    found = extract_claims(text)
    assert len(found) == claims
    assert all(each.claim == each.text for each in found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\n",
        ".",
        "Riga",
        "?!?!",
        "🎉 🎉",
        "\x00\x01",
        "\ud800",
        '"' * 40,
        "((((",
        "“‘“‘",
        "- ",
        "#",
        "e.g.",
        "…",
    ],
)
def test_a_text_that_says_nothing_holds_nothing_to_check(text: str) -> None:
    assert extract_claims(text) == []


def test_nested_quotes_abbreviations_and_pictures_do_no_harm() -> None:
    text = 'Dr. Ada Stern (b. 1900) said: "He told me “I won in 1950” and left." 🎉 She lived at St. Mary\'s in the U.S. until 1960. 🎉'
    found = extract_claims(text)
    assert [text[each.start : each.end] for each in found] == [each.text for each in found]
    assert found[0].text.startswith("Dr. Ada Stern (b. 1900) said")


@given(st.text(max_size=400))
def test_any_text_gives_back_its_own_words(text: str) -> None:
    _is_sound(text, extract_claims(text))


PIECES = [
    "Ada Stern",
    "she",
    "It",
    " ",
    "is",
    "was born in",
    "1900",
    ".",
    "\n",
    "\n\n",
    "- ",
    "# ",
    "the city",
    "'s",
    ",",
    '"',
    "(",
    ")",
]
PIECES += [
    "However, ",
    "he",
    "The company",
    "has 3",
    "Riga",
    "\r\n",
    "\u200b",
    "é",
    "?",
    "!",
    "they",
    "\x00",
    "🎉",
    "\ud800",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["", "Riga", "Ada Stern", "a", "\x00"]))
def test_any_words_give_back_their_own_words(pieces: list[str], title: str) -> None:
    text = " ".join(pieces)
    _is_sound(text, extract_claims(text, title=title))


def _is_sound(text: str, found: list[ExtractedClaim]) -> None:
    end = 0
    for each in found:
        assert text[each.start : each.end] == each.text != ""
        assert end <= each.start
        assert each.claim == each.claim.strip() != ""
        assert each.reasons
        assert set(each.reasons) <= set(REASONS)
        end = each.end


@pytest.mark.parametrize("unit", ["a", "word ", '"', "(", "Ada Stern ", "Word\n", "he, ", "1,"])
def test_a_hundred_thousand_characters_without_a_stop_hold_no_sentence(unit: str) -> None:
    assert extract_claims(unit * (100_000 // len(unit))) == []


def test_sentences_without_a_claim_are_counted_and_headings_are_none() -> None:
    text = "# Notes\r\n\r\nThe tower was finished in 1932. What a view! The pier will close in 2029.\r\n"
    assert count_passed_over(text, extract_claims(text)) == 2


def test_a_long_text_has_as_many_claims_as_its_paragraphs_together() -> None:
    unit = (
        "Riga is the capital of the country and lies on the right bank of the long river that flows past 3 more towns. "
        "It was founded in 1201, when a bishop from the west came with twenty-three ships and some five hundred people. "
        "Ada Stern, whose father had been the mayor of the town before the war, was born there. She said: “It is old.”\n"
    )
    times = 100_000 // len(unit)
    assert len(extract_claims(unit * times)) == times * len(extract_claims(unit))
