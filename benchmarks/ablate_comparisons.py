"""What comparing values across tables, lists and sentences adds: `python -m benchmarks.ablate_comparisons` prints it.

Each set is decided by the semantic parser alone, with all comparisons, and with each operation left out or alone.
Writes results/comparisons.md. Needs the public data sets (VERITAB_DATA).
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import orjson

import veritab
from benchmarks.corpus_r import DATA, records
from benchmarks.reasoning import CLAIMS, evidence_of
from benchmarks.report import Report
from benchmarks.tabfact import read_statements, tables
from veritab.reason import comparisons
from veritab.reason.comparisons import ClaimComparison, Operation
from veritab.reason.page import page_reasoning
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.reasoner import Reasoner, Reasoning
from veritab.reason.tables import TypedTable
from veritab.schema import Context, Element, ElementId, Kind, Table

RESULTS = Path(__file__).parent / "results" / "comparisons.md"
_STATEMENTS, _PAIRS = 2000, 3000
_VARIANTS: dict[str, frozenset[Operation]] = {
    "parser alone": frozenset(),
    "with comparisons": frozenset(Operation),
    **{f"only {operation}": frozenset({operation}) for operation in Operation},
    **{f"without {operation}": frozenset(Operation) - {operation} for operation in Operation},
}


@dataclass(frozen=True)
class Case:
    """A claim with its evidence; the label is None where the evidence is not enough, `cells` are gold where known."""

    group: str
    claim: str
    label: bool | None
    tables: Callable[[], Sequence[Table | TypedTable]]
    elements: Sequence[Element] = ()
    cells: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """What one variant made of a case."""

    answer: bool | None
    right: bool
    cites_gold: bool


def main() -> None:
    report = Report("Comparisons of values, ablated", "python -m benchmarks.ablate_comparisons")
    for name, cases in _sets():
        tables(DATA)
        with multiprocessing.Pool() as pool:
            outcomes = pool.map(decide, cases, chunksize=16)
        groups = [name, *sorted({f"{name}: {case.group}" for case in cases if case.group})]
        for group in groups:
            kept = [o for case, o in zip(cases, outcomes, strict=True) if group in (name, f"{name}: {case.group}")]
            report.table(f"{group} ({len(kept):,})", _rows(kept, with_cells=any(case.cells for case in cases)))
    report.write(RESULTS)


def decide(case: Case) -> dict[str, Outcome]:
    """The outcome of every variant; the parser runs once for all of them."""
    known: list[Reasoning] = []
    reason = Reasoner.reason

    def remember(self: Reasoner, claim: str, given: Iterable[Table | TypedTable]) -> Reasoning:
        if not known:
            known.append(reason(self, claim, given))
        return known[0]

    typed = [each if isinstance(each, TypedTable) else TypedTable.of(each) for each in case.tables()]
    outcomes = {}
    with patch.object(Reasoner, "reason", remember):
        for name, operations in _VARIANTS.items():
            with patch.object(comparisons, "parse_comparisons", partial(_parse_some, operations)):
                found = page_reasoning(case.claim, typed, case.elements)
            right = found.answer is not None and found.answer is case.label
            outcomes[name] = Outcome(found.answer, right, right and case.cells <= {str(id) for id in found.cells})
    return outcomes


_parse_all = comparisons.parse_comparisons


def _parse_some(operations: frozenset[Operation], claim: ParsedClaim) -> Iterator[ClaimComparison]:
    return (comparison for comparison in _parse_all(claim) if comparison.operation in operations)


def _rows(outcomes: Sequence[dict[str, Outcome]], *, with_cells: bool) -> list[list[str]]:
    rows = [["", "decided", "right", "precision", "changed answers", *(["with gold cells"] if with_cells else [])]]
    for name in _VARIANTS:
        decided = [each[name] for each in outcomes if each[name].answer is not None]
        right = sum(each.right for each in decided)
        changed = sum(each[name].answer is not each["parser alone"].answer for each in outcomes)
        precision = f"{right / len(decided):.1%}" if decided else "–"
        row = [name, str(len(decided)), str(right), precision, str(changed)]
        rows.append([*row, str(sum(each.cites_gold for each in decided))] if with_cells else row)
    return rows


# -- the sets ----------------------------------------------------------------------------------------------


def _sets() -> Iterator[tuple[str, list[Case]]]:
    store = veritab.open_corpus()
    yield "Almanac reasoning claims", list(_reasoning_claims(store))
    yield "Almanac claims, gold evidence", list(_almanac_claims(store))
    statements = random.Random(0).sample(list(read_statements(DATA, "val")), _STATEMENTS)
    yield "TabFact val", [Case("", each.text, each.label, partial(_typed, each)) for each in statements]
    pairs = random.Random(0).sample(list(records("vitaminc/real")), _PAIRS)
    yield "VitaminC, one sentence each", list(map(_vitaminc_case, pairs))


def _typed(statement: Any) -> list[TypedTable]:
    return [statement.typed()]


def _label(record: dict[str, Any]) -> bool | None:
    return {"SUPPORTS": True, "REFUTES": False}.get(record["label"])


def _reasoning_claims(store: veritab.Corpus) -> Iterator[Case]:
    for record in map(orjson.loads, CLAIMS.read_bytes().splitlines()):
        given, texts = evidence_of(store, record)
        cells = frozenset(id for evidence in record["evidence"] for id in evidence["content"])
        yield Case(record["scope"], record["claim"], _label(record), partial(list, given), texts, cells)


def _almanac_claims(store: veritab.Corpus) -> Iterator[Case]:
    for record in map(orjson.loads, CLAIMS.with_name("claims.jsonl").read_bytes().splitlines()):
        ids = [ElementId.parse(id) for evidence in record["evidence"] for id in evidence["content"]]
        if not ids:
            continue
        in_tables = (Kind.CELL, Kind.HEADER_CELL, Kind.TABLE_CAPTION)
        places = dict.fromkeys((id.page, id.path[0]) for id in ids if id.kind in in_tables)
        given = [store.page(page).table(number) for page, number in places]
        texts = [store.element(id) for id in dict.fromkeys(ids) if id.kind in (Kind.SENTENCE, Kind.ITEM)]
        yield Case("", record["claim"], _label(record), partial(list, given), texts)


def _vitaminc_case(record: dict[str, Any]) -> Case:
    page = record["page"].replace("_", " ")
    title = Context(ElementId(page, Kind.TITLE), page)
    sentence = Element(ElementId(page, Kind.SENTENCE, (0,)), record["evidence"], (), (title,))
    return Case("", record["claim"], _label(record), list, [sentence])


if __name__ == "__main__":
    main()
