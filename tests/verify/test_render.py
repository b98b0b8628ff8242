"""Evidence as the text a model reads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.schema import (
    Cell,
    Element,
    ElementId,
    Item,
    Kind,
    ListBlock,
    Page,
    Passage,
    Section,
    Sentence,
    Table,
    TableBlock,
)
from veritab.verify.render import MOST, count_words, render


def head(text: str, *, row_span: int = 1, column_span: int = 1) -> Cell:
    return Cell(text, header=True, row_span=row_span, column_span=column_span)


TURING = Page(
    "Alan Turing",
    (
        Sentence(0, "He was a mathematician."),
        Sentence(1, "He was born in London"),
        TableBlock(
            0,
            (
                (head("Alan Turing", column_span=2),),
                (head("Born"), Cell("23 June 1912")),
                (head("Running", column_span=2),),
                (head("Best time"), Cell("2:46:03")),
            ),
            infobox=True,
        ),
        Section(0, "Career", 2),
        Section(1, "War", 3),
        Sentence(2, "He broke codes."),
        TableBlock(
            1,
            (
                (head("Year", row_span=2), head("Results", column_span=2)),
                (head("Wins"), head("Losses")),
                (head("1947"), Cell("3"), Cell("4")),
                (head("1948"), Cell("5"), Cell("")),
            ),
            caption="Races",
        ),
        ListBlock(0, (Item("Enigma."), Item("Lorenz"))),
    ),
)
FILM = Page("Soul Food (film)", (Sentence(0, "It is a film of 1997."), Passage(0, "It had a cast.")))
EVERY = [*TURING.elements, *FILM.elements]


def of_kind(page: Page, *kinds: Kind) -> list[Element]:
    return [element for element in page.elements if element.kind in kinds]


def test_titles_sections_and_captions_come_once_before_what_stands_under_them() -> None:
    evidence = of_kind(TURING, Kind.SENTENCE, Kind.CELL, Kind.ITEM) + of_kind(FILM, Kind.SENTENCE)
    assert render(evidence).text == (
        "Alan Turing. He was a mathematician. He was born in London. Born is 23 June 1912. Running: Best time is 2:46:03. "
        "Career › War: He broke codes. Races: 1947: Results Wins is 3; Results Losses is 4. 1948: Results Wins is 5. "
        "Enigma; Lorenz. Soul Food (film). It is a film of 1997."
    )


def test_a_caption_or_a_heading_alone_is_a_sentence() -> None:
    assert render(of_kind(TURING, Kind.TABLE_CAPTION)).text == "Alan Turing. Career › War: Races."
    assert render(of_kind(TURING, Kind.SECTION)[1:]).text == "Alan Turing. Career › War."
    assert render(of_kind(TURING, Kind.TITLE)).text == "Alan Turing."


def test_headers_as_evidence_are_plain_text_of_their_row_unless_a_cell_shows_them() -> None:
    headers = [element for element in of_kind(TURING, Kind.HEADER_CELL) if element.id.path[0] == 1]
    assert render(headers).text.endswith("Races: Year; Results. Wins; Losses. 1947. 1948.")
    cell = next(element for element in of_kind(TURING, Kind.CELL) if element.text == "3")
    assert render([*headers, cell]).text.endswith("Races: Year. Losses. 1947: Results Wins is 3. 1948.")


@pytest.mark.parametrize("title", ["Evidence", "Table"])
def test_a_title_that_nobody_gave_is_not_printed(title: str) -> None:
    page = Page(title, (Sentence(0, "Tea is hot."),))
    assert render(page.elements).text == "Tea is hot."


def test_facts_come_last_in_their_order_and_end_as_sentences() -> None:
    found = render(of_kind(FILM, Kind.SENTENCE), facts=["b is 2", "a is 1."])
    assert found.text == "Soul Food (film). It is a film of 1997. b is 2. a is 1."


def test_nothing_gives_nothing() -> None:
    assert render([]) == ("", (), ())
    empty = Element(ElementId("Page", Kind.SENTENCE, (0,)), "")
    assert render([empty]) == ("", (empty.id,), ())


@given(st.permutations(EVERY), st.integers(0, len(EVERY)))
def test_the_same_set_in_any_order_gives_the_same_text(order: list[Element], kept: int) -> None:
    some = order[:kept]
    assert render(some, most=1000).text == render(sorted(some, key=lambda each: str(each.id)), most=1000).text
    assert render(some + some, most=1000) == render(some, most=1000)


@given(st.permutations(EVERY), st.integers(-1, 90))
def test_what_does_not_fit_is_dropped_from_the_end(order: list[Element], most: int) -> None:
    found = render(order, most=most)
    assert [*found.used, *found.dropped] == [element.id for element in order]
    assert count_words(found.text) <= max(most, 0)
    more = render(order, most=most + 10)
    assert more.used[: len(found.used)] == found.used


@given(st.lists(st.text(max_size=60), max_size=4), st.integers(1, 12), st.lists(st.text(max_size=20), max_size=3))
def test_whatever_the_text_the_room_is_kept(texts: list[str], most: int, facts: list[str]) -> None:
    evidence = [Element(ElementId("Evidence", Kind.SENTENCE, (n,)), text) for n, text in enumerate(texts)]
    found = render(evidence, most=most, facts=facts)
    assert count_words(found.text) <= most
    assert found.text == " ".join(found.text.split())


def test_facts_are_kept_before_elements() -> None:
    found = render(of_kind(TURING, Kind.SENTENCE), facts=["one two three four", "five six"], most=11)
    assert found.text == "Alan Turing. He was a. one two three four. five six."
    assert len(found.dropped) == 2
    assert render(of_kind(TURING, Kind.SENTENCE), facts=["one two three"], most=2).text == "Alan Turing."[:0]


def test_a_piece_longer_than_all_the_room_is_cut_at_a_word() -> None:
    element = Element(ElementId("Evidence", Kind.SENTENCE, (0,)), "alpha beta gamma delta")
    found = render([element], most=14, length=len)
    assert (found.text, found.used, found.dropped) == ("alpha beta.", (element.id,), ())
    without_spaces = replace(element, text="山" * 50)
    assert render([without_spaces], most=10, length=len).text == "山" * 9 + "."


@pytest.mark.parametrize(
    "text", ["word " * 200_000, "x" * 1_000_000, "山" * 1_000_000, "a\u0301" * 500_000, "\x00 " * 500_000]
)
def test_of_a_million_characters_only_a_few_pages_are_looked_at(text: str) -> None:
    measured = 0

    def measure(part: str) -> int:
        nonlocal measured
        measured += len(part)
        return count_words(part)

    long = Element(ElementId("Evidence", Kind.SENTENCE, (0,)), text)
    assert count_words(render([long, *EVERY], facts=[text], length=measure).text) <= MOST
    assert measured < 500_000


def test_most_of_many_sentences_are_dropped_and_never_measured() -> None:
    measured: list[str] = []

    def measure(part: str) -> int:
        measured.append(part)
        return count_words(part)

    many = [Element(ElementId("Evidence", Kind.SENTENCE, (n,)), "It is so.") for n in range(20_000)]
    assert len(render(many, length=measure).dropped) > 19_000
    assert len(measured) < 1_000


def test_a_cell_of_a_table_without_headers_is_its_text() -> None:
    cells = [element for element in Table.of([["Nile", "6650"]]).elements() if element.kind is Kind.CELL]
    assert render(cells).text == "Nile; 6650."


def test_what_comes_twice_counts_where_it_comes_first() -> None:
    one, two = (Element(ElementId("Tea", Kind.SENTENCE, (n,)), "word " * 6) for n in range(2))
    found = render([one, two, one], most=8)
    assert (found.used, found.dropped) == ((one.id,), (two.id,))


def test_a_cell_over_several_rows_has_the_names_of_all_of_them() -> None:
    rows = (
        (Cell("Metal", header=True), Cell("Number", header=True), Cell("Isolated", header=True)),
        (Cell("Magnesium", header=True), Cell("12"), Cell("1808", row_span=2)),
        (Cell("Calcium", header=True), Cell("20")),
    )
    page = Page("Metals", (TableBlock(0, rows),))
    cells = [element for element in page.elements if element.kind is Kind.CELL]
    assert render(cells).text == (
        "Metals. Magnesium: Number is 12; Magnesium, Calcium: Isolated is 1808. Calcium: Number is 20."
    )
