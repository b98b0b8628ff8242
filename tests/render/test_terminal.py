"""Verdicts as a terminal shows them, at any width."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from veritab.render.json import certificate_from_json
from veritab.render.terminal import draw_verdict, draw_verdict_line
from veritab.schema import (
    Certificate,
    Claim,
    CountedRows,
    Element,
    ElementId,
    Hit,
    Label,
    Page,
    PartVerdict,
    Sentence,
    Table,
    TableBlock,
    Uncertainty,
    Verdict,
)

ROWS = [[f"Mountain {row}", f"{9000 - row}", *(f"value {row}.{column}" for column in range(12))] for row in range(40)]
TABLE = Table.of(
    ROWS, header=["Name", "Height (m)", *(f"Column {n}" for n in range(12))], title="Peaks", caption="All the peaks"
)
CELLS = [TABLE.element(ElementId.parse(f"Peaks_cell_0_{row}_{column}")) for row in (3, 30) for column in (0, 1)]
TEXT = Page("K2", (Sentence(0, "K2 is the second-highest mountain on Earth. " * 4),)).elements[1]
VERDICT = Verdict(
    Claim("", "Mountain 2 is higher than Mountain 29, and " + "it is cold there, and " * 8 + "K2 is high."),
    Label.REFUTES,
    {Label.SUPPORTS: 0.07, Label.REFUTES: 0.9, Label.NOT_ENOUGH_INFO: 0.03},
    (Hit(TEXT, 0.9, "verdict"), *(Hit(cell, 0.8, "reasoner") for cell in CELLS)),
    ('Height of Mountain 2 = 8,998 m > 8,971 m = Height of Mountain 29, so "higher" is true',),
    certificate_from_json({
        "confidence": 0.9,
        "smallest": ["K2_sentence_0"],
        "flips": [{"id": "K2_sentence_0", "to": "NOT ENOUGH INFO"}],
        "parts": [
            {"text": "Mountain 2 is higher than Mountain 29", "label": "SUPPORTS", "scores": {}, "evidence": []},
            {"text": "K2 is high", "label": "REFUTES", "scores": {}, "evidence": ["K2_sentence_0"]},
        ],
        "searched": {"pages": 226, "read": ["Peaks", "K2"], "candidates": 40},
    }),
)  # fmt: skip


def drawn(verdict: Verdict, width: int, *, all: bool = False, table: Table | None = TABLE) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None, highlight=False)
    draw_verdict(verdict, console, lambda id: table, all=all)
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_everything_fits_the_terminal(width: int) -> None:
    shown = drawn(VERDICT, width)
    assert max(map(len, shown.splitlines())) <= width
    for words in (
        "✘ REFUTES",
        "Part by part",
        'so "higher" is true',
        "All the peaks",
        "K2_sentence_0",
        "226 pages",
    ):
        assert words in " ".join(shown.split())
    assert re.search(r"▸ Mountain 2 +│ ▸ 8998", shown)
    assert re.search(r"▸ Mountain 29 +│ ▸ 8971", shown)
    assert "Height" in shown
    assert "⋮" in shown
    assert "Mountain 15" not in shown


def test_the_rows_that_count_are_drawn_and_those_left_out_are_named() -> None:
    rows = CountedRows(TABLE.id, (3, 12, 21, 30, 39), 40, (0, 1), "snow as Weather", "without snow")
    certificate = replace(VERDICT.certificate, parts=(), rows=(rows,))
    shown = drawn(replace(VERDICT, certificate=certificate), 100)
    for number in (2, 11, 20, 29, 38):
        assert re.search(rf"▸ Mountain {number} +│ ▸ ", shown)
    assert re.search(r"Peaks_table_0 · \d+ rows without snow left out", shown)


def test_each_part_has_its_own_evidence_and_nothing_is_key_that_settles_nothing() -> None:
    scores = {Label.SUPPORTS: 0.1, Label.REFUTES: 0.2, Label.NOT_ENOUGH_INFO: 0.7}
    cells = tuple(cell.id for cell in CELLS)
    first = PartVerdict("Mountain 2 is high", Label.SUPPORTS, {Label.SUPPORTS: 0.9}, cells, None, "", ("it is 8998",))
    second = PartVerdict("K2 is cold", Label.NOT_ENOUGH_INFO, scores, (TEXT.id,))
    shown = drawn(replace(VERDICT, certificate=Certificate(parts=(first, second))), 100)
    before, after = shown.split("K2 is cold  ")
    assert "SUPPORTS 90 %\n    it is 8998\n" in before
    assert "▸ 8998" in before
    assert "K2_sentence_0" in after
    assert "NOT ENOUGH INFO 70 %" in after
    assert "More evidence" not in shown
    unsettled = replace(VERDICT, label=Label.NOT_ENOUGH_INFO, certificate=Certificate())
    assert "▹ 8998" in drawn(unsettled, 100)
    assert "▸" not in drawn(unsettled, 100)


def test_the_certificate_says_what_the_verdict_rests_on() -> None:
    shown = " ".join(drawn(VERDICT, 110).split())
    assert "Confidence 90 %" in shown
    assert "K2_sentence_0; without it: NOT ENOUGH INFO" in shown


def test_what_the_verdict_rests_on_stands_first_then_what_was_computed_and_the_rest_on_demand() -> None:
    assert drawn(VERDICT, 100).index("K2_sentence_0") < drawn(VERDICT, 100).index("Peaks_table_0")
    without = replace(VERDICT, certificate=Certificate())
    assert drawn(without, 100).index("Peaks_table_0") < drawn(without, 100).index("K2_sentence_0")
    hits = tuple(Hit(Element(ElementId.parse(f"P{n}_sentence_0"), f"Text {n}."), 0.5, "x") for n in range(9))
    many = replace(VERDICT, evidence=hits)
    assert "… and 4 more; --explain shows all" in drawn(many, 80)
    assert "P8_sentence_0" not in drawn(many, 80)
    assert "P8_sentence_0" in drawn(many, 80, all=True)


def test_a_table_that_is_gone_is_drawn_from_what_the_evidence_knows() -> None:
    shown = drawn(VERDICT, 80, table=None)
    assert "▸ 8998" in shown
    assert "Height (m)" in shown


def test_not_enough_info_says_what_found_nothing() -> None:
    nothing = replace(
        VERDICT, label=Label.NOT_ENOUGH_INFO, evidence=(), certificate=Certificate(missing=("K2 is high",))
    )
    assert "No piece of the evidence settles it" in drawn(nothing, 80)
    shown = drawn(replace(nothing, corpus={"name": "peaks"}), 80)
    assert "No evidence was found" in shown
    assert re.search(r"Nothing was found for\n +K2 is high", shown)


def test_text_is_never_markup_and_never_moves_the_cursor() -> None:
    evil = replace(VERDICT, claim=Claim("", "[red]x[/red] \x1b[2J\x07"), reasoning=("[bold]y \x1b]0;title\x07",))
    shown = drawn(evil, 100)
    assert "[red]x[/red]" in shown
    assert "[bold]y" in shown
    assert "\x1b[2J" not in shown
    assert "\x07" not in shown


def test_a_line_is_cut_to_the_terminal() -> None:
    console = Console(file=io.StringIO(), width=60, force_terminal=True, color_system=None)
    line = draw_verdict_line(VERDICT, console).plain
    assert line.startswith("✘ REFUTES          90 %  Mountain 2")
    assert len(line) == 60


def test_cells_that_span_are_drawn_once() -> None:
    from veritab.schema import Cell

    block = TableBlock(
        0,
        (
            (Cell("Name", header=True, row_span=2), Cell("Height", header=True, column_span=2)),
            (Cell("m", header=True), Cell("ft", header=True)),
            (Cell("K2"), Cell("8,611"), Cell("28,251")),
        ),
    )
    table = Page("K2", (block,)).tables[0]
    cell = table.element(ElementId.parse("K2_cell_0_2_1"))
    shown = drawn(replace(VERDICT, evidence=(Hit(cell, 1.0, "reasoner"),)), 80, table=table)
    rows = [[cell.strip() for cell in line.strip().strip("│").split("│")] for line in shown.splitlines() if "│" in line]
    assert rows == [["Name", "Height", ""], ["″", "m", "ft"], ["K2", "▸ 8,611", "28,251"]]


def test_a_long_cell_is_cut_and_rows_that_are_not_shown_leave_a_gap() -> None:
    table = Table.of([[f"River {n}", n, "wet " * 9000] for n in range(40)], header=["River", "Length", "Note"])
    hits = tuple(Hit(table.element(id), 1.0, "reasoner") for row in table.grid[1:] for id in row[1:2] if id)
    shown = drawn(replace(VERDICT, evidence=hits), 100, table=table)
    assert "▸ 6" in shown
    assert "⋮" in shown
    assert "wet wet…" in shown
    assert len(shown) < 10_000


def test_an_uncertain_answer_says_so_and_why() -> None:
    unsure = replace(VERDICT, uncertainty=Uncertainty.DISAGREEMENT)
    assert drawn(unsure, 100).startswith("✘ REFUTES  uncertain: what was computed and what was read disagree\n")
    console = Console(file=io.StringIO(), width=60, force_terminal=True, color_system=None)
    assert draw_verdict_line(unsure, console).plain.startswith("✘ REFUTES          90 %  uncertain  Mountain 2")
