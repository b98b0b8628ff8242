"""Characters, white space, sentences."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab import text


@given(st.text())
def test_squeezing_twice_changes_nothing_more(raw: str) -> None:
    once = text.squeeze(raw)
    assert text.squeeze(once) == once
    assert "\x00" not in once
    assert once == once.strip()


@given(st.text())
def test_sentences_lie_inside_their_paragraph_in_order(raw: str) -> None:
    paragraph = text.squeeze(raw)
    spans = list(text.sentences(paragraph))
    assert all(paragraph[start:end].strip() == paragraph[start:end] != "" for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert "".join(paragraph[start:end] for start, end in spans).replace(" ", "") == paragraph.replace(" ", "")


def test_abbreviations_and_initials_do_not_end_a_sentence() -> None:
    paragraph = "J. R. R. Tolkien met Dr. Smith in the U.S. Senate. He left at 3.5 p.m. sharp."
    assert [paragraph[a:b] for a, b in text.sentences(paragraph)] == [
        "J. R. R. Tolkien met Dr. Smith in the U.S. Senate.",
        "He left at 3.5 p.m. sharp.",
    ]


def test_a_web_address_becomes_a_token_and_the_full_stop_stays() -> None:
    assert text.mask_urls("See https://example.org/a_(b)?c=1. Then go.") == "See <URL>. Then go."


def test_a_very_long_paragraph_is_split_like_a_short_one() -> None:
    paragraph = "It rose by 3.5 points in the U.S. that year. " * 2000
    assert {paragraph[a:b] for a, b in text.sentences(paragraph)} == {"It rose by 3.5 points in the U.S. that year."}
    marks = list(text.sentences("“" * 100_000))
    assert (marks[0][0], marks[-1][1]) == (0, 100_000)
    assert all(one[1] == other[0] for one, other in pairwise(marks))


def test_a_unit_after_a_number_ends_a_sentence() -> None:
    paragraph = "It rises to 8,849 m. The base lies 3 km away, at 5,400 m. “Base Camp” is there."
    assert [paragraph[a:b] for a, b in text.sentences(paragraph)] == [
        "It rises to 8,849 m.",
        "The base lies 3 km away, at 5,400 m.",
        "“Base Camp” is there.",
    ]


# -- words --


def test_words_are_runs_of_letters_and_digits_in_lower_case_without_accents() -> None:
    assert text.words("L'Équipe's 2,000 AC/DC-fans, snake_case…") == "l equipe s 2 000 ac dc fans snake case".split()
    assert text.words("Москва 東京 Straße") == ["москва", "東京", "strasse"]
    assert text.words("") == text.words("…!?") == []


@given(st.text())
def test_any_text_has_words_and_both_unicode_forms_have_the_same(raw: str) -> None:
    found = text.words(raw)
    assert all(found)
    clean = text.squeeze(raw)
    assert text.words(text.nfd(clean)) == text.words(clean)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Snake_case, AC/DC's 2,000", ["Snake", "case", "AC", "DC", "s", "2", "000"]),
        ("Éclair – 東京!", ["Éclair", "東京"]),
        ("กรุงเทพมหานคร is a city", ["กรุงเทพมหานคร", "is", "a", "city"]),
        ("हिन्दी", ["हिन", "दी"]),
        ("é Ever\u00adest\x00", ["é", "Ever\u00adest\x00"]),
        ("", []),
    ],
)
def test_words_have_their_place_in_any_script(raw: str, expected: list[str]) -> None:
    assert [raw[start:end] for start, end in text.word_spans(raw)] == expected


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])) | st.text("aß_ \u093f\u094d\u0e38ही½²\u0301٣\u200b"))
def test_places_and_words_of_a_text_are_the_same(raw: str) -> None:
    """Also where Python and the tokenizer disagree on what a letter is: vowel signs, fractions, marks."""
    normal = text.nfc(raw)
    forms = [text.words(normal[start:end]) for start, end in text.word_spans(normal)]
    assert [form for found in forms for form in found] == text.words(normal)
    assert all(len(found) <= 1 for found in forms)


def test_a_word_nobody_would_write_is_not_a_word() -> None:
    assert text.words("a " + "x" * 101 + " b") == ["a", "b"]


def test_terms_are_the_stems_of_words() -> None:
    assert text.terms("Mountains climbing CLIMBED") == ["mountain", "climb", "climb"]
    assert text.terms("\x00\ud800climbing") == ["climb"]


def test_terms_with_meaning_come_once_in_order_without_stop_words() -> None:
    assert text.content_terms("The mountain and the mountains of Nepal") == ["mountain", "nepal"]
    assert text.content_terms("") == []


def test_a_text_of_stop_words_keeps_them() -> None:
    assert text.content_terms("The Who") == ["the", "who"]
    assert text.content_terms("to be or not to be") == ["to", "be", "or", "not"]


# -- tokens


def test_words_for_comparison_are_split_at_hyphens_and_keep_numbers_whole() -> None:
    assert [token.text for token in text.tokenize_words("O'Brien-Smith ran 1,234.5 m")] == [
        "O", "Brien", "Smith", "ran", "1,234.5", "m",
    ]  # fmt: skip


def test_tokens_of_a_sentence_keep_words_whole_and_count_brackets() -> None:
    tokens = text.tokenize('The U.S. (a "well-known" place) won (twice.')
    assert [(token.text, token.depth) for token in tokens if token.is_word] == [
        ("The", 0), ("U.S", 0), ("a", 1), ("well-known", 2), ("place", 1), ("won", 0), ("twice", 0),
    ]  # fmt: skip


@given(st.text(max_size=80))
def test_every_token_is_where_it_says(raw: str) -> None:
    for token in (*text.tokenize(raw), *text.tokenize_words(raw)):
        assert raw[token.start : token.end] == token.text


def test_stems_lose_accents_case_and_plural_endings() -> None:
    assert text.stems("Málaga's Games, cities & 1,234 boxes") == ("malaga", "s", "game", "city", "1234", "box")


def test_words_made_from_one_another_share_a_root() -> None:
    assert text.root("discovery") == text.root("discovered") == text.root("discoverer")
    assert text.root("population") == text.root("populous")
