"""Evidence: what a caller may hand over, and which of the retrieved hits are read."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab import Claim, Element, ElementId, Evidence, Hit, Kind, Page, Table
from veritab.errors import InputError
from veritab.schema import GIVEN, Item, ListBlock, Section, Sentence, TableBlock
from veritab.verify.evidence import (
    BRIDGE,
    PRECEDING,
    EvidenceInput,
    TableGatherer,
    parse_evidence,
    select_readable,
    sentence_before,
)

ROWS = [["Mountain", "Height (m)"], ["Everest", "8,849"], ["K2", "8,611"]]
TALL, OTHER = "K2 is 8,611 m high.", "Everest is 8,849 m high."


def pieces(evidence: Evidence) -> list[Element | Table]:
    return [*evidence.elements, *evidence.tables]


def text_of(piece: Table | Element) -> str:
    return piece.text if isinstance(piece, Element) else " ".join(cell.text for row in piece.rows for cell in row)


def page(title: str, text: str) -> Page:
    return Page(title, (Sentence(0, text),))


# -- what a caller hands over ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        ROWS,
        [ROWS],
        (tuple(map(tuple, ROWS)),),
        {"table": {"header": ROWS[0], "rows": ROWS[1:], "caption": "Peaks"}},
        [{"table": {"rows": ROWS}}],
        [{"table": ROWS}],
        Table.of(ROWS[1:], header=ROWS[0]),
        [Table.of(ROWS[1:], header=ROWS[0])],
        iter([ROWS]),
    ],
)
def test_rows_and_objects_become_one_table(given: Any) -> None:
    (table,) = parse_evidence(given).tables
    assert text_of(table) == "Mountain Height (m) Everest 8,849 K2 8,611"


def test_evidence_of_a_caller_is_in_no_order_and_names_its_source() -> None:
    found = parse_evidence([TALL, OTHER])
    assert not found.ranked
    assert {(hit.score, hit.by) for hit in found.hits} == {(1.0, GIVEN)}
    assert parse_evidence(found) is found


def test_a_text_is_read_sentence_by_sentence() -> None:
    found = parse_evidence(f"{TALL} {OTHER}")
    assert [each.text for each in found.elements if each.kind is Kind.SENTENCE] == [TALL, OTHER]


def test_lines_with_bullets_become_the_items_of_a_list() -> None:
    found = parse_evidence("Rivers.\n* Nile: 6,650 km\n2) Danube: 2,850 km\nThe end.")
    assert [each.text for each in found.elements if each.kind is Kind.ITEM] == ["Nile: 6,650 km", "Danube: 2,850 km"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (page("K2", TALL), {"title": "K2", "text": OTHER}),
        ({"title": "K2", "text": OTHER}, page("K2", TALL)),
        (page("K2", TALL), page("K2", OTHER)),
        (page("K2", TALL).elements[1], page("K2", OTHER).elements[1]),
        (Page("K2", (ListBlock(0, (Item("K2: 8,611 m"),)),)), {"title": "K2", "text": "* Everest: 8,849 m"}),
        ({"title": "K2", "text": TALL}, {"title": "K2", "text": OTHER}),
        ({"title": "T", "table": [ROWS[0], ROWS[1]]}, Table.of(ROWS[2:], header=ROWS[0], title="T")),
        (Table.of(ROWS[2:], header=ROWS[0], title="T"), {"title": "T", "table": [ROWS[0], ROWS[1]]}),
        (Table.of(ROWS[2:], header=ROWS[0], title="T"), Table.of(ROWS[1:2], header=ROWS[0], title="T")),
    ],
)
def test_all_evidence_with_the_same_title_is_kept(one: Any, other: Any) -> None:
    found = pieces(parse_evidence([one, other]))
    text = " ".join(map(text_of, found))
    assert ("8,611" in text, "8,849" in text) == (True, True)
    assert len({(type(piece), piece.id) for piece in found}) == len(found)
    again: list[EvidenceInput] = list(found)
    assert [piece.id for piece in pieces(parse_evidence(again))] == [piece.id for piece in found]


def test_a_second_page_with_a_title_is_numbered_and_the_same_page_is_kept_once() -> None:
    one, other = page("notes", TALL), page("notes", OTHER)
    ids = {str(element.id) for element in parse_evidence([one, other]).elements if element.kind is Kind.SENTENCE}
    assert ids == {"notes_sentence_0", "notes (2)_sentence_0"}
    twice: list[EvidenceInput] = [one, one, one.elements[1]]
    assert parse_evidence(twice) == parse_evidence([one])


def test_two_tables_with_one_address_are_numbered() -> None:
    one, other = Table.of(ROWS[1:2], header=ROWS[0]), Table.of(ROWS[2:], header=ROWS[0])
    assert one.id == other.id
    assert [str(table.id) for table in parse_evidence([one, other]).tables] == ["Table_table_0", "Table_table_1"]


def test_a_table_that_gets_another_number_keeps_its_sections() -> None:
    tables = [Table.of([row], header=ROWS[0], sections=["Asia"]) for row in ROWS[1:]]
    second = parse_evidence(tables).tables[1]
    assert (str(second.id), second.context[-1].text) == ("Table_table_1", "Asia")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "evidence is a list, not 3"),
        (None, "evidence is a list, not None"),
        (b"text", "evidence is a list, not b'text'"),
        ([3], "3 is not evidence"),
        ([None], "None is not evidence"),
        ({"rows": ROWS}, "has neither a text nor a table"),
        ({"text": 3}, "the text of evidence is a text, not 3"),
        ({"title": 3, "text": "x"}, "the title of evidence is a text, not 3"),
        ({"table": {"header": ["a"]}}, "has no rows"),
        ({"table": {"rows": 3}}, "a table is a list, not 3"),
        ({"table": {"rows": ["ab"]}}, "a row is a list, not 'ab'"),
        ({"table": {"rows": [["a"]], "caption": 3}}, "the caption of a table is a text, not 3"),
        ({"table": "a,b"}, "a table is a list, not 'a,b'"),
    ],
)
def test_wrong_evidence_is_refused_with_the_value_and_a_remedy(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as raised:
        parse_evidence(given)
    assert "expected" in str(raised.value) or " is a text, not " in str(raised.value)


# -- what evidence holds -----------------------------------------------------------------------------------


def test_cells_and_captions_of_whole_tables_are_found_by_their_addresses() -> None:
    block = TableBlock(0, Table.of(ROWS[1:], header=ROWS[0]).rows, "Highest")
    sentence = page("Peaks", TALL).elements[1]
    (table,) = Page("Peaks", (block,)).tables
    evidence = Evidence.of([sentence], [table])
    ids = [
        ElementId("Peaks", Kind.CELL, (0, 2, 1)),
        sentence.id,
        ElementId("Peaks", Kind.TABLE_CAPTION, (0,)),
        ElementId("Elsewhere", Kind.CELL, (0, 0, 0)),
    ]
    assert [element.text for element in evidence.find(ids)] == ["8,611", TALL, "Highest"]


# -- what a retriever found --------------------------------------------------------------------------------


def sentence(number: int, score: float) -> Hit:
    return Hit(Element(ElementId("K2", Kind.SENTENCE, (number,)), f"Sentence {number}."), score, "selector")


def cell(row: int, score: float, title: str = "Peaks") -> Hit:
    return Hit(Element(ElementId(title, Kind.CELL, (0, row, 0)), ROWS[row][0]), score, "selector")


def test_cells_are_read_that_score_a_share_of_the_best_and_texts_that_score_a_tenth_of_it() -> None:
    hits = [cell(1, 1.0), cell(2, 0.5), cell(2, 0.4, "Hills"), sentence(0, 0.05), sentence(1, 0.04)]
    assert select_readable(hits, 0.5) == [hits[0], hits[1], hits[3]]
    assert select_readable(hits, 0.0) == hits
    assert select_readable([], 0.5) == []


def test_the_rows_are_read_that_a_text_names_and_the_claim_does_not() -> None:
    (table,) = Page("Peaks", (TableBlock(0, Table.of(ROWS[1:], header=ROWS[0]).rows),)).tables
    said = Hit(Element(ElementId("News", Kind.SENTENCE, (0,)), f"Lightning struck {ROWS[2][0]}."), 0.9, "selector")
    hits = [said, cell(1, 0.1)]
    found = TableGatherer(lambda id: table, 0.5).gather(Claim("", "Lightning struck a high peak."), hits)
    assert [hit.element.text for hit in found.hits if hit.by == BRIDGE] == ROWS[2]
    named = TableGatherer(lambda id: table, 0.5).gather(Claim("", f"Lightning struck {ROWS[2][0]}."), hits)
    assert BRIDGE not in {hit.by for hit in named.hits}


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), max_size=8), st.floats(0, 1))
def test_every_hit_is_read_or_background(given_hits: list[tuple[bool, float]], threshold: float) -> None:
    hits = [cell(1, score) if is_cell else sentence(n, score) for n, (is_cell, score) in enumerate(given_hits)]
    (table,) = Page("Peaks", (TableBlock(0, Table.of(ROWS).rows),)).tables
    found = TableGatherer(lambda id: table, threshold).gather(Claim("", "K2 is high."), hits)
    assert {*found.hits, *found.background} == set(hits)
    assert not {*found.hits} & {*found.background}
    assert found.ranked


def test_the_whole_tables_of_retrieved_cells_are_gathered_and_those_of_the_background_are_not_read() -> None:
    tables = {
        each.id: each
        for title in ("Peaks", "Hills")
        for each in Page(title, (TableBlock(0, Table.of(ROWS).rows),)).tables
    }
    hits = [cell(1, 1.0), cell(2, 0.9), sentence(0, 0.6), cell(1, 0.1, "Hills")]
    found = TableGatherer(tables.__getitem__, 0.5).gather(Claim("", "K2 is high."), hits)
    assert (list(found.hits), list(found.background)) == (hits[:3], hits[3:])
    assert [table.id.page for table in found.tables] == ["Peaks", "Hills"]
    assert [table.id.page for table in found.read_tables] == ["Peaks"]


def test_infoboxes_and_first_sentences_of_named_pages_are_read_after_what_was_found() -> None:
    infobox = TableBlock(0, Table.of([["Height", "8,611 m"]]).rows, infobox=True)
    other = TableBlock(1, Table.of(ROWS).rows)
    peak = Page("K2", (Sentence(0, "K2 is a mountain."), infobox, other))
    gatherer = TableGatherer(lambda id: peak.table(id.path[0]), 0.5, lambda claim: [peak] if "K2" in claim else [])
    hits = [sentence(3, 1.0)]
    named, unnamed = (gatherer.gather(Claim("", f"{name} is high."), hits) for name in ("K2", "Everest"))
    assert [str(table.id) for table in named.tables] == ["K2_table_0"]
    assert list(named.hits[:1]) == hits
    assert [str(hit.element.id) for hit in named.hits[1:]] == ["K2_sentence_0", "K2_cell_0_0_1"]
    assert (unnamed.tables, unnamed.background) == ((), ())


def test_a_sentence_comes_after_the_one_that_it_leans_on() -> None:
    texts = ["The levy rises to 25 crowns.", "Guests under 16 remain exempt.", "No school will be closed."]
    levy = Page("Budget", tuple(Sentence(number, text) for number, text in enumerate(texts)))
    gatherer = TableGatherer(lambda id: levy.table(id.path[0]), preceding=lambda id: sentence_before(levy, id))

    def gather(claim: str, number: int) -> list[tuple[str, str]]:
        hits = [Hit(levy.element(ElementId("Budget", Kind.SENTENCE, (number,))), 0.9, "selector")]
        return [(hit.element.text, hit.by) for hit in gatherer.gather(Claim("", claim), hits).hits]

    assert gather("Guests under 16 pay no levy.", 1) == [(texts[0], PRECEDING), (texts[1], "selector")]
    assert gather("Guests under 16 pay nothing.", 1) == [(texts[1], "selector")]  # it says nothing more of the claim
    assert gather("The levy rises.", 0) == [(texts[0], "selector")]


def test_a_sentence_leans_on_none_of_another_section() -> None:
    page = Page(
        "Budget", (Section(0, "Revenue", 2), Sentence(0, "The levy rises."), Section(1, "Notes", 2), Sentence(1, "x"))
    )
    assert sentence_before(page, ElementId("Budget", Kind.SENTENCE, (1,))) is None


def test_a_sentence_whose_number_follows_a_gap_leans_on_none() -> None:
    page = Page("Budget", (Sentence(4, "Guests pay a levy."), Sentence(6, "Guests under 16 remain exempt.")))
    assert sentence_before(page, ElementId("Budget", Kind.SENTENCE, (6,))) is None
    assert sentence_before(page, ElementId("Budget", Kind.SENTENCE, (4,))) is None
