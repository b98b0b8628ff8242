"""What a reader is shown of a verdict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.render.made import CELL, ITEM, REFUTES, SENTENCE, SUPPORTS, UNKNOWN, Found, hit, verdict
from veritab.render.view import Part, Span, Stretch, cards, matching_words, notes, parts, shares, stretches
from veritab.schema import Label
from veritab.text import nfc


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_shares_add_up_to_a_hundred_wherever_there_is_a_score(values: list[float]) -> None:
    told = shares(dict(zip(Label, values, strict=True)))
    assert sum(share.percent for share in told) == (100 if sum(values) > 0 else 0)
    assert [share.label for share in told] == list(Label)


def test_words_of_the_claim_are_found_in_any_form_and_neighbours_are_one() -> None:
    told = matching_words("Mount Everest is the highest mountain.", "Which mountains are near Mount Everest?")
    assert [span.text for span in told if span.matches] == ["Mount Everest", "mountain"]


def test_stop_words_do_not_match() -> None:
    assert matching_words("It is the one.", "The sea is deep.") == (Span("It is the one.", False),)


@given(st.text(max_size=60), st.text(max_size=30))
def test_no_character_of_a_text_is_lost(text: str, claim: str) -> None:
    assert "".join(span.text for span in matching_words(text, claim)) == nfc(text)


def test_a_table_is_one_card_and_texts_of_a_section_are_another() -> None:
    other = "Peaks (Asia)_cell_0_2_1"
    told = cards([hit(CELL), hit(SENTENCE), hit(other), hit(ITEM)])
    assert [[str(id) for id in card.ids] for card in told] == [[CELL, other], [SENTENCE], [ITEM]]
    assert str(told[0].table) == "Peaks (Asia)_table_0"
    assert told[2].sections == ("Heights",)
    assert told[1].table is None


def test_a_text_is_told_in_stretches_that_name_their_verdicts() -> None:
    told = stretches("One. Two. Three.", [Found(10, 16), Found(0, 4)])
    assert told == (Stretch("One.", 1), Stretch(" Two. "), Stretch("Three.", 0))


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=6))
def test_no_character_of_a_whole_text_is_lost_whatever_was_found(body: str, spans: list[tuple[int, int]]) -> None:
    told = stretches(body, [Found(*span) for span in spans])
    assert "".join(stretch.text for stretch in told) == body


def test_a_certificate_is_told_in_words() -> None:
    told = notes(
        verdict(
            confidence=0.934,
            smallest=[CELL],
            flips=[{"id": CELL, "to": "NOT ENOUGH INFO"}],
            missing=["jazz"],
            searched={"pages": 1200, "read": ["K2"], "candidates": 40},
            model="gpt",
            by="llm",
        )
    )
    assert [(note.name, note.text) for note in told] == [
        ("Confidence", "93 %"),
        ("Nothing found for", "jazz"),
        ("Enough for the verdict", "this piece of evidence alone"),
        ("Rests on", "without it: NOT ENOUGH INFO"),
        ("Searched", "1,200 pages; 40 pieces looked at; read: K2"),
        ("Decided by", "gpt (a language model's answer)"),
    ]
    assert told[2].ids == (CELL,)


def test_an_empty_certificate_says_nothing() -> None:
    assert notes(verdict()) == ()


def test_parts_have_labels_of_their_own() -> None:
    told = parts(verdict(label=REFUTES, parts=[{"text": "a", "label": "SUPPORTS"}, {"text": "b", "label": "REFUTES"}]))
    assert told == (Part("a", SUPPORTS), Part("b", REFUTES))
    assert parts(verdict(label=UNKNOWN)) == ()
