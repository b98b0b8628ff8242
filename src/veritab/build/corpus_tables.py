"""Claims over the tables of any corpus, by the shapes of `table_claims`, with the addresses of the cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from veritab.build.records import Built, BuiltRecord, ClaimOrigin, LeftOut
from veritab.build.sampling import random_stream
from veritab.build.table_claims import ClaimTable, table_versions
from veritab.errors import InputError
from veritab.schema import ElementId, Label, Page, Table

RULE = "table"
_MOST_TRIED = 6


def build_of_pages(pages: Iterable[Page], source: str, seed: int, *, per_table: int = 1) -> Iterator[Built]:
    """Two claims, a true one and a false one, of each table; as many pairs as asked for, or why there are fewer."""
    tables = 0
    for page in pages:
        for table in page.tables:
            tables += 1
            yield from _of_table(table, source, seed, per_table)
    if not tables:
        raise InputError(f"{source} holds no table; claims of its sentences are made by `veritab build mutate`")


def _of_table(table: Table, source: str, seed: int, per_table: int) -> Iterator[Built]:
    name = str(table.id)
    try:
        view = ClaimTable.of(table)
    except ValueError as error:
        yield LeftOut(name, "", str(error), RULE)
        return
    made: set[str] = set()
    for place in range(per_table):
        for turn in range(_MOST_TRIED):
            found = table_versions(view, random_stream(seed, "corpus table", name, place, turn))
            if found and found[1].true not in made:
                break
        else:
            yield LeftOut(name, "", "none of the shapes of claims fits its rows", RULE)
            return
        shape, versions = found
        made.add(versions.true)
        cells = tuple(dict.fromkeys(filter(None, (view.address(row, column) for row, column in versions.cells))))
        yield from _pair(
            f"{name}-{place}", versions.true, versions.false, shape, cells, ClaimOrigin(source, name, shape, seed)
        )


def _pair(
    id: str, true: str, false: str, shape: str, cells: tuple[ElementId, ...], origin: ClaimOrigin
) -> Iterator[BuiltRecord]:
    yield BuiltRecord(f"{id}-true", true, Label.SUPPORTS, origin, (cells,))
    yield BuiltRecord(f"{id}-false", false, Label.REFUTES, origin, (cells,))
