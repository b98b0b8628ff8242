"""How well cells are found in their tables: `python -m benchmarks.cells` prints it and writes results/cells.md.

Needs the public data sets (VERITAB_DATA). `--fit` prints the weights of veritab.retrieve.cells instead. They are fitted
on the FEVEROUS claims and FeTaQA sentences with even ids; those with odd ids are held back, and reported beside them.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks.corpus_r import gold_table, records
from benchmarks.report import Report
from veritab.evaluate.metrics import Metric
from veritab.evaluate.retrieval import Level, evaluate_rankings
from veritab.retrieve.cells import cell_features, rank_cells
from veritab.schema import Cell, Claim, ElementId, Example, Kind, Label, Page, Place, Table, TableBlock

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "cells.md"


@dataclass(frozen=True)
class Case:
    """A claim, the table it is about, and where the cells lie that settle it."""

    id: int
    claim: str
    table: Table
    gold: frozenset[Place]


# -- FEVEROUS ----------------------------------------------------------------------------------------------


def feverous_cases() -> list[Case]:
    """The claims whose whole table is known, each with those of its gold cells that lie in that table."""
    cases = (_feverous_case(record) for record in records("feverous/full_table_gold_cells"))
    return [case for case in cases if case.gold]


def _feverous_case(record: dict[str, Any]) -> Case:
    grid = [record["table"]["header"], *record["table"]["rows"]]
    table = gold_table(record)
    gold = frozenset(place for cell in record["cells"] if (place := _place_in(cell, table, grid)))
    return Case(int(record["id"]), record["claim"], _table(table, grid, _headers(record, table, grid)), gold)


def _place_in(cell: dict[str, Any], table: ElementId, grid: list[list[str]]) -> Place | None:
    """Where a gold cell lies; cells of other tables and pages are left out.

    Some were not located because their text was cleaned in two ways; where their table is this one, their address says
    where they are.
    """
    id = ElementId.parse(cell["id"])
    if (id.page, id.path[:1]) != (table.page, table.path):
        return None
    row, column = cell["grid_position"] or id.path[1:]
    return (row, column) if row < len(grid) and column < len(grid[row]) else None


def _headers(record: dict[str, Any], table: ElementId, grid: list[list[str]]) -> frozenset[Place]:
    """Which cells are headers; the record does not say, but the context of the gold cells names some.

    One header in the first row or in the first column stands for all of them; a gold cell there that is none, against.
    """
    around = [id for evidence in record["evidence"] for near in evidence["context"].values() for id in near]
    content = [id for evidence in record["evidence"] for id in evidence["content"]]
    ids = [ElementId.parse(id) for id in {*around, *content} if re.search(r"_cell_\d+_\d+_\d+$", id)]
    known = {
        id.path[1:]: id.kind is Kind.HEADER_CELL for id in ids if (id.page, id.path[:1]) == (table.page, table.path)
    }
    top = [is_header for (row, _), is_header in known.items() if row == 0]
    left = [is_header for (row, column), is_header in known.items() if column == 0 and row > 0]
    first_row = all(top) if top else not (left and all(left))
    return frozenset(
        (row, column)
        for row, line in enumerate(grid)
        for column in range(len(line))
        if (row == 0 and first_row) or (column == 0 and left and all(left) and (row > 0 or not first_row))
    )


def _table(id: ElementId, grid: Sequence[Sequence[str]], headers: frozenset[Place]) -> Table:
    rows = tuple(
        tuple(Cell(html.unescape(text), header=(row, column) in headers) for column, text in enumerate(line))
        for row, line in enumerate(grid)
    )
    (number,) = id.path
    return Page(id.page, (TableBlock(number, rows),)).table(number)


# -- FeTaQA ------------------------------------------------------------------------------------------------


def fetaqa_cases() -> list[Case]:
    """Sentences that answer questions over larger tables, with the cells their writers highlighted."""
    return [_fetaqa_case(record) for record in records("fetaqa/dev")]


def _fetaqa_case(record: dict[str, Any]) -> Case:
    grid = record["table_array"]
    id = ElementId(record["table_page_title"], Kind.TABLE, (0,))
    table = _table(id, grid, frozenset((0, column) for column in range(len(grid[0]))))
    gold = frozenset((row, column) for row, column in record["highlighted_cell_ids"])
    return Case(record["feta_id"], record["answer"], table, gold)


# -- what is measured --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Coverage:
    """How many claims have all their gold cells among the first `limit`, and the mean share of gold cells there."""

    claims: int
    limit: int
    complete: Metric
    recall: Metric

    def __str__(self) -> str:
        return f"{self.complete} complete, {self.recall} of the cells, {self.claims:,} claims"


Ranker: TypeAlias = Callable[[str, Table, int], list[tuple[ElementId, float]]]


def in_reading_order(claim: str, table: Table, limit: int) -> list[tuple[ElementId, float]]:
    """What a selector must beat: small tables fit into 25 cells as they are."""
    places = [(row, position) for row, cells in enumerate(table.rows) for position in range(len(cells))]
    return [(table.cell_id(place), 0.0) for place in places[:limit]]


def cell_coverage(limit: int = 25, cases: Sequence[Case] | None = None, rank: Ranker = rank_cells) -> Coverage:
    """The coverage of the first `limit` cells, over the FEVEROUS claims unless others are given."""
    if cases is None:
        cases = feverous_cases()
    gold = [frozenset(map(case.table.cell_id, case.gold)) for case in cases]
    # What the evidence says of the claim does not matter here.
    examples = [
        Example(Claim(str(case.id), case.claim), Label.SUPPORTS, (cells,))
        for case, cells in zip(cases, gold, strict=True)
    ]
    found = [[id for id, _ in rank(case.claim, case.table, limit)] for case in cases]
    scores = evaluate_rankings(examples, found, Level.CELL, (limit,))
    complete, recall = (scores.metric(f"{name}@{limit}") for name in ("full_coverage", "recall"))
    return Coverage(len(scores.claims), limit, complete, recall)


def halves(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The cases that weights were fitted on, those that were held back, and all."""
    return {
        "fitted on": [case for case in cases if case.id % 2 == 0],
        "held back": [case for case in cases if case.id % 2],
        "all": list(cases),
    }


def large(cases: Sequence[Case], limit: int) -> list[Case]:
    """The cases in which a choice has to be made at all."""
    return [case for case in cases if sum(map(len, case.table.rows)) > limit]


# -- the weights -------------------------------------------------------------------------------------------

_FEVEROUS_COUNTS = 3
_RIDGE = 1.0


def fit() -> list[float]:
    """The weight of every sign, and the offset: a ridge logistic regression."""
    cases = halves(feverous_cases())["fitted on"] * _FEVEROUS_COUNTS + halves(fetaqa_cases())["fitted on"]
    rows, gold, counts = [], [], []
    for case in cases:
        signs = list(cell_features(case.claim, case.table))
        rows += [(*values, 1.0) for _, values in signs]
        gold += [float(place in case.gold) for place, _ in signs]
        counts += [len(signs) ** -0.5] * len(signs)
    x, y, w = np.array(rows), np.array(gold), np.array(counts)
    ridge = np.diag([_RIDGE] * (x.shape[1] - 1) + [0.0])
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (w * (p - y)) + ridge @ weights
        weights -= np.linalg.solve((x * (w * p * (1 - p))[:, None]).T @ x + ridge, slope)
    return [round(float(weight), 2) for weight in weights]


def main() -> None:
    if "--fit" in sys.argv[1:]:
        print(fit())
        return
    report = Report("Cells, measured", "python -m benchmarks.cells")
    feverous = feverous_cases()
    held = cell_coverage(25, halves(feverous)["held back"])
    what = "FEVEROUS claims with all gold cells of the table in the first 25, held back"
    report.promise(what, f"{held.complete} ({held.claims} claims)", "≥ .75", kept=held.complete.value >= 0.75)
    for title, every in (("FEVEROUS", feverous), ("FeTaQA dev, answers as claims", fetaqa_cases())):
        for name, cases in halves(every).items():
            for limit in (10, 25):
                report.note(title, f"{name}, first {limit}: {cell_coverage(limit, cases)}")
        for name, rank in (("first 25", rank_cells), ("in reading order", in_reading_order)):
            report.note(title, f"all, {name}: {cell_coverage(25, every, rank)}")
            report.note(title, f"tables of more than 25 cells, {name}: {cell_coverage(25, large(every, 25), rank)}")
    report.note("What counts", "Gold cells in other tables or pages than the given one are left out.")
    report.write(RESULTS)


if __name__ == "__main__":
    main()
