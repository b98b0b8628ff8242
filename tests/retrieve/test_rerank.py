"""A model reads what was found beside the claim: the best texts and cells stay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from veritab.errors import InputError
from veritab.models.candidates import UNREAD, CandidateScore, CandidateText
from veritab.retrieve.candidate_text import candidate_text, row_candidates
from veritab.retrieve.cells import rank_cells
from veritab.retrieve.rerank import CrossEncoderReranker
from veritab.schema import (
    Cell,
    Claim,
    Element,
    ElementId,
    Hit,
    Item,
    Kind,
    ListBlock,
    Page,
    Section,
    Selector,
    Sentence,
    Table,
    TableBlock,
)

PEAKS = Table.of(
    [["Everest", "8,849 m", "Nepal"], ["K2", "8,611 m", "Pakistan"], ["Makalu", "", "Nepal"]],
    header=["Mountain", "Height", "Country"],
    title="Peaks",
    caption="Highest",
    sections=["Asia", "Himalaya"],
)
CLAIM = Claim("1", "K2 is 8,611 m high.")


class Words:
    """A model that likes some words: what it gives a text or a cell is their sum."""

    def __init__(self, **worth: float) -> None:
        self.worth = worth
        self.read: list[str] = []

    def scores(self, claims_and_candidates: Sequence[tuple[str, CandidateText]]) -> list[CandidateScore]:
        self.read += [each.text for _, each in claims_and_candidates]
        return [
            CandidateScore(self._sum(text), tuple(self._sum(text[start:end]) for start, end in spans))
            for _, (text, spans) in claims_and_candidates
        ]

    def _sum(self, text: str) -> float:
        return sum(worth for word, worth in self.worth.items() if word in text)


def sentences(*texts: str, title: str = "Page") -> list[Hit]:
    page = Page(title, tuple(Sentence(number, text) for number, text in enumerate(texts)))
    return [Hit(element, 0.5, "first") for element in page.elements if element.kind is Kind.SENTENCE]


def table_hit(table: Table, score: float = 0.5) -> Hit:
    return Hit(Element(table.id, table.caption), score, "tables")


def selected(model: Any, hits: Sequence[Hit], *tables: Table, **options: Any) -> list[Hit]:
    known = {table.id: table for table in tables}
    selector: Selector = CrossEncoderReranker(model, known.__getitem__, **options)
    (found,) = selector.select([CLAIM], [hits])
    return found


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.element.text for hit in hits]


# -- what is read ------------------------------------------------------------------------------------------


def test_a_text_is_read_after_its_title_and_sections() -> None:
    page = Page(
        "K2", (Sentence(0, "It is high."), Section(0, "Climbs", 2), Section(1, "Winter", 3), Sentence(1, "Hard."))
    )
    read = {element.id.path: candidate_text(element).text for element in page.elements if element.kind is Kind.SENTENCE}
    assert read == {(0,): "K2: It is high.", (1,): "K2. Climbs › Winter: Hard."}


def test_items_captions_and_titles_are_texts_too() -> None:
    page = Page("K2", (Section(0, "Names", 2), ListBlock(0, (Item("Chhogori"),)), TableBlock(0, (), "Routes")))
    read = [candidate_text(element).text for element in page.elements if element.text]
    assert read == ["K2", "K2: Names", "K2. Names: Chhogori", "K2. Names: Routes", "K2. Names: Routes"]


@pytest.mark.parametrize("title", ["Evidence", "Table"])
def test_titles_that_stand_for_none_are_not_read(title: str) -> None:
    assert candidate_text(Element(ElementId(title, Kind.SENTENCE, (0,)), "It is high.")).text == "It is high."


def test_a_long_title_leaves_room_for_the_text() -> None:
    text = candidate_text(Element(ElementId("T" * 5000, Kind.SENTENCE, (0,)), "It is high.")).text
    assert text == "T" * 119 + "…: It is high."


def test_a_row_is_read_with_its_headers_and_each_cell_has_its_span() -> None:
    rows = row_candidates(PEAKS)
    assert [read.text for read, _ in rows] == [
        "Peaks. Asia › Himalaya. Highest: Mountain; Height; Country.",
        "Peaks. Asia › Himalaya. Highest: Mountain is Everest; Height is 8,849 m; Country is Nepal.",
        "Peaks. Asia › Himalaya. Highest: Mountain is K2; Height is 8,611 m; Country is Pakistan.",
        "Peaks. Asia › Himalaya. Highest: Mountain is Makalu; Country is Nepal.",
    ]
    for read, ids in rows:
        assert [read.text[start:end] for start, end in read.spans] == [PEAKS.element(id).text for id in ids]
    assert row_candidates(PEAKS, [2]) == rows[2:3]


def test_the_header_of_a_row_is_a_cell_and_names_those_that_have_no_other() -> None:
    rows = ((Cell("Born", header=True), Cell("1912")), (Cell("Died", header=True), Cell("1954"), Cell("Wilmslow")))
    box = Page("Alan Turing", (TableBlock(0, rows, infobox=True),)).tables[0]
    found = row_candidates(box)
    assert [read.text for read, _ in found] == ["Alan Turing: Born is 1912.", "Alan Turing: Died is 1954; Wilmslow."]
    assert [id.kind for id in found[0][1]] == [Kind.HEADER_CELL, Kind.CELL]
    title = ((Cell("Alan Turing", header=True, column_span=2),),)
    named = Page("Alan Turing", (TableBlock(0, title + rows[:1], infobox=True),)).tables[0]
    assert [read.text for read, _ in row_candidates(named)] == ["Alan Turing: Alan Turing.", found[0][0].text]
    born = candidate_text(named.element(ElementId("Alan Turing", Kind.CELL, (0, 1, 1))))
    assert (born.text, [born.text[slice(*span)] for span in born.spans]) == (found[0][0].text, ["1912"])


def test_headers_over_headers_are_named_from_the_outside() -> None:
    rows = (
        (Cell("Group", header=True, column_span=2),),
        (Cell("Wins", header=True), Cell("Losses", header=True)),
        (Cell("3"), Cell("4")),
    )
    table = Page("Cup", (TableBlock(0, rows),)).tables[0]
    assert row_candidates(table)[-1][0].text == "Cup: Group Wins is 3; Group Losses is 4."


def test_a_cell_over_several_rows_is_read_in_each() -> None:
    rows = ((Cell("Nepal", row_span=2), Cell("Everest")), (Cell("Makalu"),))
    table = Page("Peaks", (TableBlock(0, rows),)).tables[0]
    assert [read.text for read, _ in row_candidates(table)] == ["Peaks: Nepal; Everest.", "Peaks: Nepal; Makalu."]


def test_a_long_row_becomes_several_candidates_and_nothing_is_lost() -> None:
    wide = Table.of([["Row", *(f"value {n}" for n in range(99)), "x" * 5000, "end"]])
    found = row_candidates(wide)
    assert len(found) > 3
    assert all(len(read.text) <= 900 for read, _ in found)
    assert all(read.text.startswith("Row; ") for read, _ in found[1:])
    assert {id for _, ids in found for id in ids} == {wide.cell_id((0, n)) for n in range(102)}
    for read, ids in found:
        for (start, end), id in zip(read.spans, ids, strict=True):
            assert wide.element(id).text.startswith(read.text[start:end])


def test_a_single_cell_is_read_with_its_headers() -> None:
    cell = PEAKS.element(PEAKS.cell_id((2, 1)))
    text, ((start, end),) = candidate_text(cell)
    assert text == "Peaks. Asia › Himalaya. Highest: Height is 8,611 m."
    assert text[start:end] == "8,611 m"


# -- what is chosen ----------------------------------------------------------------------------------------


def test_the_texts_the_model_likes_best_stay_best_first() -> None:
    hits = sentences("It is old.", "It is high.", "It is cold.", "It is a high and cold place.")
    found = selected(Words(high=2, cold=1), hits, sentences=3)
    assert texts(found) == ["It is a high and cold place.", "It is high.", "It is cold."]
    assert [hit.score for hit in found] == pytest.approx([0.952574, 0.880797, 0.731059], abs=1e-6)
    assert {hit.by for hit in found} == {"selector"}


def test_equal_ones_come_by_their_addresses_and_no_element_twice() -> None:
    hits = sentences("b", "c", "a")
    assert texts(selected(Words(), [*reversed(hits), *hits])) == ["b", "c", "a"]


def test_what_is_not_read_follows_behind_in_its_order() -> None:
    hits = sentences(*(f"text {number}" for number in range(9)))
    model = Words(**{"text 3": -9.0, "text 8": 9.0})
    found = selected(model, hits[::-1], candidates=6, sentences=9)
    assert len(model.read) == 6
    assert texts(found) == [f"text {number}" for number in (8, 4, 5, 6, 7, 3, 2, 1, 0)]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_a_table_becomes_the_cells_that_model_and_words_like() -> None:
    found = selected(Words(Pakistan=9), [table_hit(PEAKS)], PEAKS, cells=3)
    assert set(texts(found)) == {"K2", "8,611 m", "Pakistan"}
    assert all(hit.element == PEAKS.element(hit.element.id) for hit in found)


def test_the_weight_of_the_model_goes_from_nothing_to_everything() -> None:
    model = Words(Nepal=5, Everest=3)
    by_words = [id for id, _ in rank_cells(CLAIM.text, PEAKS)]
    found = selected(model, [table_hit(PEAKS)], PEAKS, cell_weight=0)
    read = [id for id in by_words if PEAKS.element(id).text]
    assert [hit.element.id for hit in found[: len(read)]] == read
    assert texts(selected(model, [table_hit(PEAKS)], PEAKS, cell_weight=1))[:3] == ["Nepal", "Nepal", "Everest"]


def test_cells_that_were_not_read_follow_behind() -> None:
    found = selected(Words(), [table_hit(PEAKS)], PEAKS)
    assert found[-1].element.id == PEAKS.cell_id((3, 1))
    assert len(found) == 12
    assert found[-1].score < found[-2].score


def test_texts_and_tables_share_what_may_be_read() -> None:
    model = Words()
    hits = [*sentences(*(f"text {number}" for number in range(50))), table_hit(PEAKS)]
    selected(model, hits, PEAKS, candidates=6)
    assert sum(text.startswith("Page: ") for text in model.read) == 3
    assert len(model.read) == 6


def test_a_better_table_is_preferred_where_cells_are_alike() -> None:
    other = Table.of([[cell.text for cell in row] for row in PEAKS.rows[1:]], title="Aaa")
    hits = [table_hit(other, 0.1), table_hit(PEAKS, 0.9)]
    found = selected(Words(**{"8,611 m": 2.0}), hits, other, PEAKS, cells=1)
    assert [hit.element.id.page for hit in found] == ["Peaks"]


def test_scores_of_tables_may_be_zero_or_less() -> None:
    found = selected(Words(), [table_hit(PEAKS, -3.0)], PEAKS, cells=2)
    assert set(texts(found)) == {"K2", "8,611 m"}


def test_a_cell_that_was_found_comes_once_and_alone_where_its_table_was_not() -> None:
    cell = Hit(PEAKS.element(PEAKS.cell_id((2, 1))), 0.9, "cells")
    (alone,) = selected(Words(**{"8,611 m": 4.0, "Height": -9.0}), [cell])
    assert alone.score == pytest.approx(0.982014, abs=1e-6)
    ids = [hit.element.id for hit in selected(Words(), [cell, table_hit(PEAKS)], PEAKS)]
    assert len(ids) == len(set(ids)) == 12


def test_budgets_are_those_of_the_task() -> None:
    page = Page("P", (ListBlock(0, tuple(Item(f"item {n}") for n in range(9))),))
    items = [Hit(element, 0.5, "first") for element in page.elements if element.kind is Kind.ITEM]
    found = selected(Words(), [*items, *sentences(*"abcdefgh")], sentences=2, cells=4)
    assert [hit.element.kind for hit in found].count(Kind.ITEM) == 4
    assert len(found) == 6
    assert selected(Words(), [table_hit(PEAKS)], PEAKS, cells=0) == []


def test_no_hits_are_no_work() -> None:
    model = Words()
    assert CrossEncoderReranker(model).select([CLAIM, CLAIM], [[], []]) == [[], []]
    assert selected(model, [table_hit(Table.of([]))], Table.of([])) == []
    assert model.read == []


def test_a_model_that_reads_nothing_leaves_the_order_by_words() -> None:
    class Blind(Words):
        def _sum(self, text: str) -> float:
            return UNREAD

    found = selected(Blind(), [table_hit(PEAKS)], PEAKS, cells=4)
    assert [hit.element.id for hit in found] == [id for id, _ in rank_cells(CLAIM.text, PEAKS, 4)]


@pytest.mark.parametrize("options", [{"cells": -1}, {"sentences": -1}, {"candidates": -1}])
def test_budgets_below_nothing_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(InputError, match="is -1; it must be 0 or more"):
        CrossEncoderReranker(Words(), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_is_a_share(weight: float) -> None:
    with pytest.raises(InputError, match="it must lie between 0 and 1"):
        CrossEncoderReranker(Words(), cell_weight=weight)


def test_a_table_without_content_is_refused() -> None:
    with pytest.raises(InputError, match=r"'Peaks_table_0' is a table, .* give CrossEncoderReranker a table_of"):
        CrossEncoderReranker(Words()).select([CLAIM], [[table_hit(PEAKS)]])


def test_of_ten_thousand_rows_only_the_best_are_read() -> None:
    rows = [[f"peak {n}", f"{n * 7 % 1000} m", f"country {n % 50}", "a note"] for n in range(10_000)]
    big = Table.of(rows, header=["Mountain", "Height", "Country", "Note"], title="Big")
    model = Words(**{"peak 77": 9.0})
    (found,) = CrossEncoderReranker(model, lambda _: big).select(
        [Claim("", "peak 77 is 539 m high")], [[table_hit(big)]]
    )
    assert len(model.read) == 100
    assert "peak 77" in texts(found)


def test_the_model_that_ships_can_be_the_one(tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason="makes the tiny model; pip install 'veritab[train]'")
    from tests.models.tiny import make_selector
    from veritab.models import open_selector

    model = open_selector(make_selector(tmp_path))
    hits = sentences("minus minus", "two one", "half", title="one")
    assert texts(selected(model, hits, sentences=2)) == ["two one", "half"]
