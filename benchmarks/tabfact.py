"""TabFact's statements and tables, as the benchmarks of reasoning read them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from veritab.reason.tables import TypedTable
from veritab.schema import Table


@dataclass(frozen=True)
class Statement:
    """A sentence about a table, true or false."""

    text: str
    label: bool
    table: str
    data: Path

    def typed(self) -> TypedTable:
        """The table the sentence is about."""
        return TypedTable.of(table(self.data, self.table))


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a gzipped file of JSON Lines."""
    with gzip.open(path) as lines:
        yield from map(orjson.loads, lines)


def read_statements(data: Path, part: str) -> Iterator[Statement]:
    """The statements of `train_partial` or `val`."""
    for record in records(data / "tabfact" / f"{part}.jsonl.gz"):
        yield Statement(record["statement"], record["label"] == "ENTAILED", record["table_id"], data)


@cache
def tables(data: Path) -> dict[str, dict[str, Any]]:
    """All tables by their id."""
    return {record["table_id"]: record for record in records(data / "tabfact" / "tables.jsonl.gz")}


def table(data: Path, id: str) -> Table:
    """A table of TabFact as Veritab holds it."""
    record = tables(data)[id]
    return Table.of(record["rows"], header=record["header"], title=record["page_title"])


def typed_table(statement: Statement) -> TypedTable:
    """The table a statement is about."""
    return statement.typed()
