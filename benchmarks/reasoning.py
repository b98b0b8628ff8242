"""How well tables are reasoned over: `python -m benchmarks.reasoning` prints it and writes results/reasoning.md.

Needs the public data sets (VERITAB_DATA); `--parts` names some of tabfact, facts, almanac, speed. What a model
makes of the facts is measured by `benchmarks.models`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

import veritab
from benchmarks.cells import Case, feverous_cases
from benchmarks.corpus_r import DATA, records
from benchmarks.report import Report
from benchmarks.tabfact import Statement, read_statements, table, tables, typed_table
from veritab.reason.facts import truncate_facts
from veritab.reason.page import page_reasoning
from veritab.reason.reasoner import MIN_CONFIDENCE, Reasoner
from veritab.reason.tables import TypedTable
from veritab.schema import Element, ElementId, Kind, Label, Page, Table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "reasoning.md"
CLAIMS = ROOT / "examples" / "almanac" / "reasoning.jsonl"
_WORDS = 200


# -- TabFact: the reasoner alone ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Decided:
    """What the reasoner said of a statement, whether it was right, and how long it took."""

    right: bool | None
    guess: bool
    sure: float
    seconds: float


def decide(statement: Statement) -> Decided:
    typed = typed_table(statement)
    started = time.perf_counter()
    found = page_reasoning(statement.text, [typed])
    seconds = time.perf_counter() - started
    right = None if found.answer is None else found.answer == statement.label
    return Decided(right, (found.true > 0.5) == statement.label, found.confidence, seconds)


def tabfact(report: Report) -> None:
    statements = list(read_statements(DATA, "val"))
    tables(DATA)
    with multiprocessing.Pool() as pool:
        found = pool.map(decide, statements, chunksize=64)
    answered = [each.right for each in found if each.right is not None]
    share, accuracy = len(answered) / len(found), sum(answered) / len(answered)
    report.promise("TabFact val: statements decided", f"{share:.1%}", "50 %", kept=share >= 0.5)
    report.promise("TabFact val: right where decided", f"{accuracy:.1%}", "82 %", kept=accuracy >= 0.82)
    train = [statement.label for statement in read_statements(DATA, "train_partial")]
    majority = sum(train) * 2 >= len(train)
    rest = [s.label == majority for s, each in zip(statements, found, strict=True) if each.right is None]
    overall = (sum(answered) + sum(rest)) / len(found)
    report.note("TabFact val", f"{len(found):,} statements; over all, the rest guessed by majority: {overall:.1%}")
    leaning = sum(each.guess for each in found) / len(found)
    report.note("TabFact val", f"over all, the side it leans to taken where it cannot say: {leaning:.1%}")
    for least in (0.6, 0.68, 0.75, 0.85):
        kept = [each.guess for each in found if each.sure >= least]
        line = f"sure to {least:.2f}: {len(kept) / len(found):.1%} decided, {sum(kept) / len(kept):.1%} right"
        report.note(
            "TabFact val",
            line + (" (as shipped, before unexplained words are counted)" if least == MIN_CONFIDENCE else ""),
        )


# -- facts: are the cells that matter among them ------------------------------------------------------------


def cells_told(claim: str, given: Table | TypedTable) -> frozenset[ElementId]:
    """The cells behind the first words of the facts."""
    told = truncate_facts(Reasoner().reason(claim, given).facts, _WORDS)
    return frozenset(cell for fact in told for cell in fact.cells)


@dataclass(frozen=True)
class Linked:
    """A statement and the squares of its table that it mentions."""

    statement: str
    table: str
    cells: frozenset[tuple[int, int]]


def _squares(links: list[dict[str, Any]]) -> frozenset[tuple[int, int]]:
    """Where the links point; those to the title of the page have no place in the table."""
    return frozenset((link["row"], link["col"]) for link in links if link["row"] >= 0)


def linked_cells(linked: Linked) -> bool:
    given = table(DATA, linked.table)
    told = cells_told(linked.statement, given)
    return all(given.grid[row][column] in told for row, column in linked.cells if column < len(given.grid[row]))


def gold_cells(case: Case) -> bool:
    told = cells_told(case.claim, case.table)
    return all(case.table.grid[row][column] in told for row, column in case.gold)


def told(report: Report) -> None:
    links = [
        Linked(record["statement"], record["table_id"], _squares(record["cell_links"]))
        for record in records("tabfact/entailed_cell_links")
        if record["split"] == "val"
    ]
    tables(DATA)
    with multiprocessing.Pool() as pool:
        found = pool.map(linked_cells, links, chunksize=32)
        golden = pool.map(gold_cells, feverous_cases(), chunksize=8)
    share, gold = sum(found) / len(found), sum(golden) / len(golden)
    report.promise(f"TabFact: linked cells in the first {_WORDS} words", f"{share:.1%}", "85 %", kept=share >= 0.85)
    report.promise(f"FEVEROUS: gold cells in the first {_WORDS} words", f"{gold:.1%}", "75 %", kept=gold >= 0.75)
    report.note("Facts", f"all linked cells for {sum(found):,} of {len(found):,} statements on tables never fitted on")
    report.note("Facts", f"all gold cells for {sum(golden)} of {len(golden)} claims")


# -- a set of ours -----------------------------------------------------------------------------------------


def almanac(report: Report) -> None:
    store = veritab.open_corpus()
    scores: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    scopes: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for line in CLAIMS.read_bytes().splitlines():
        record = orjson.loads(line)
        found = page_reasoning(record["claim"], *evidence_of(store, record))
        gold = {ElementId.parse(id) for evidence in record["evidence"] for id in evidence["content"]}
        score = found.label == Label(record["label"]), gold <= set(found.cells)
        scores[record["operation"]].append(score)
        scopes[record["scope"]].append(score)
        if not all(score):
            report.note("Almanac claims that fail", f"{record['operation']}: {record['claim']}")
    every = [score for group in scores.values() for score in group]
    right, both = sum(right for right, _ in every) / len(every), sum(map(all, every)) / len(every)
    report.promise("almanac: 200 claims decided right", f"{right:.1%}", "95 %", kept=right >= 0.95)
    report.promise("almanac: decided right, with the right cells", f"{both:.1%}", "95 %", kept=both >= 0.95)
    rows = [["operation", "claims", "right", "with cells"]]
    for name, group in [*sorted(scores.items()), *sorted(scopes.items())]:
        rows.append([name, str(len(group)), str(sum(r for r, _ in group)), str(sum(map(all, group)))])
    report.table("Almanac by operation and scope", rows)


def evidence_of(store: veritab.Corpus, record: dict[str, Any]) -> tuple[list[Table], list[Element]]:
    """The tables, and the sentences or list items, that a claim of the reasoning set names."""
    named = record["table"]
    ids = [ElementId.parse(id) for id in ([named] if isinstance(named, str) else named)]
    page = store.page(ids[0].page)
    tables = [page.table(id.path[0]) for id in ids if id.kind is Kind.TABLE]
    texts = [element for id in ids if id.kind is not Kind.TABLE for element in _elements(page, id)]
    return tables, texts


def _elements(page: Page, id: ElementId) -> list[Element]:
    """A sentence, or a list with the sentence right before it, which says what it lists."""
    if id.kind is not Kind.LIST:
        return [page.element(id)]
    start = page.elements.index(page.element(id))
    items = [each for each in page.elements if each.kind is Kind.ITEM and each.id.path[:1] == id.path]
    return [page.elements[start - 1], *items]


# -- speed -------------------------------------------------------------------------------------------------


def _wide(height: int, width: int) -> Table:
    """A table of names, teams, years and numbers, made by rule."""
    header = ["Player", "Team", "Year", *(f"Score {n}" for n in range(1, width - 2))]
    rows = [
        [
            f"Player {row}",
            f"Team {row % 30}",
            str(1950 + row % 70),
            *(str(row * 7919 % (100 + n)) for n in range(3, width)),
        ]
        for row in range(height)
    ]
    return Table.of(rows, header=header, title="Scores")


_ASKED = (
    "Player 17 has a higher score 2 than Player 23.",
    "Player 3 of Team 3 has the highest score 1.",
    "There are more than 4 players of Team 5 with a score 3 above 50.",
    "The average score 1 of Team 7 is 43.",
    "Player 12 played for Team 12 in 1962.",
)


def speed(report: Report) -> None:
    for height, runs, least, wanted in ((30, 40, 0.03, "30 ms"), (10_000, 3, 1.0, "1 s")):
        seconds = []
        for _ in range(runs):
            for claim in _ASKED:
                given = _wide(height, 8)
                started = time.perf_counter()
                page_reasoning(claim, [given])
                seconds.append(time.perf_counter() - started)
        middle = statistics.median(seconds)
        shown = f"{middle * 1000:.1f} ms" if middle < 1 else f"{middle:.2f} s"
        report.promise(f"a claim on a {height:,} x 8 table, first time", shown, wanted, kept=middle < least)
        report.note(
            "Speed", f"{height:,} rows: slowest {max(seconds) * 1000:.0f} ms, fastest {min(seconds) * 1000:.1f} ms"
        )


_PARTS: dict[str, Callable[[Report], None]] = {"tabfact": tabfact, "facts": told, "almanac": almanac, "speed": speed}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="*", choices=tuple(_PARTS), default=list(_PARTS))
    options = parser.parse_args(arguments)
    report = Report("Reasoning over tables", "python -m benchmarks.reasoning")
    for part in options.parts:
        _PARTS[part](report)
    if set(options.parts) == set(_PARTS):
        report.write(RESULTS)


if __name__ == "__main__":
    main()
