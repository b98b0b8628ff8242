"""Tables of a page combined: joined where they name the same things, stacked where their headers agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, permutations

from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.reason.tables.synthetic import SourcedText, SyntheticTable
from veritab.schema import ElementId
from veritab.text import stems

# Larger tables are read alone; a page of a hundred tables is not joined with itself ten thousand times.
_MAX_ROWS = 2000
_MAX_SQUARES = 30_000
_MAX_SQUARES_IN_ALL = 60_000
_MAX_TABLES = 8
_MAX_JOINED = 6
_SHARED = 0.5
_MIN_SHARED = 2

Name = tuple[str, ...]


def combine_tables(tables: Sequence[TypedTable]) -> tuple[TypedTable, ...]:
    """The joins and stacks of the tables of a page."""
    given = [table for table in tables[:_MAX_TABLES] if 0 < table.height <= _MAX_ROWS]
    joiner = TableJoiner()
    joins = (joiner.join(one, other) for one, other in permutations(given, 2))
    piles = (stack_tables(pile) for pile in _group_by_header(given) if sum(map(_cell_count, pile)) <= _MAX_SQUARES)
    found: list[TypedTable] = []
    for table in islice(chain(piles, filter(None, joins)), _MAX_JOINED):
        found.append(table)
        if sum(map(_cell_count, found)) > _MAX_SQUARES_IN_ALL:
            break
    return tuple(found)


def _cell_count(table: TypedTable) -> int:
    return table.height * len(table.columns)


# -- joins -------------------------------------------------------------------------------------------------


class TableJoiner:
    """Joins pairs of tables, with the names of each column read once."""

    def __init__(self) -> None:
        self._names: dict[tuple[TypedTable, int], list[Name]] = {}

    def names(self, table: TypedTable, column: int) -> list[Name]:
        """The cells of a column as normalised names; empty where there is none."""
        known = self._names.get((table, column))
        if known is None:
            known = self._names[table, column] = [stems(text[:200]) for text in table.columns[column].texts]
        return known

    def join(self, one: TypedTable, other: TypedTable) -> TypedTable | None:
        """The rows of a table with the columns of another whose rows it names; None where they share none."""
        if other.key is None or one.height * (len(one.columns) + len(other.columns)) > _MAX_SQUARES:
            return None
        rows = self._rows(other, other.key)
        column = self._shared_column(one, rows)
        if column is None or (one.key == column and one.id > other.id and self._same_names(one, other)):
            return None  # Of two tables of the same things, one order is enough.
        found = [rows.get(name) for name in self.names(one, column)]
        if column == one.key:
            # Where both tables list the same kind of things, two of one name are two things here as well.
            own = self._rows(one, column)
            found = [row if name in own else None for row, name in zip(found, self.names(one, column), strict=True)]
        return _side_by_side(one, other, other.key, found)

    def _rows(self, table: TypedTable, column: int) -> dict[Name, int]:
        """The row of each name that only one row has: nothing tells which Springfield is meant."""
        names = self.names(table, column)
        counts = Counter(names)
        return {name: row for row, name in enumerate(names) if name and counts[name] == 1}

    def _shared_column(self, table: TypedTable, rows: Mapping[Name, int]) -> int | None:
        """The column whose cells are the names of the other table's rows, for most of them."""
        best: tuple[float, int] | None = None
        for column in table.columns:
            if column.type not in (ColumnType.ENTITY, ColumnType.TEXT):
                continue
            known = [name for name in self.names(table, column.number) if name]
            found = [name for name in known if name in rows]
            if len(set(found)) < min(_MIN_SHARED, table.height) or len(found) < _SHARED * len(known):
                continue
            share = (len(found) / len(known), -column.number)
            best = max(best or share, share)
        return None if best is None else -best[1]

    def _same_names(self, one: TypedTable, other: TypedTable) -> bool:
        assert one.key is not None
        assert other.key is not None
        return set(self.names(one, one.key)) == set(self.names(other, other.key))


def _side_by_side(one: TypedTable, other: TypedTable, key: int, found: Sequence[int | None]) -> TypedTable:
    """The rows of a table, each beside the row of the other that was found for it."""
    # The names come twice, so that each value has the name of its own table beside it.
    added = [other.columns[key], *(each for each in other.columns if each.number != key)]
    taken = {each.name.casefold() for each in one.columns}
    header = [SourcedText(each.name if each.header else "", _header_id(each, one)) for each in one.columns]
    header += [SourcedText(_joined_header(each, added[0], taken), _header_id(each, other)) for each in added]
    body = [
        [
            *(_cell_text(one, row, each.number) for each in one.columns),
            *(_joined_text(other, beside, each) for each in added),
        ]
        for row, beside in enumerate(found)
    ]
    caption = " ".join(filter(None, (one.caption, other.caption)))
    made = SyntheticTable(one.id, header, body, caption=caption, context=one.table.context, joined_at=len(one.columns))
    return made.typed()


def _joined_header(column: Column, key: Column, taken: set[str]) -> str:
    """The name of an added column; where the name is taken, with what it is of: the population of the state."""
    if not column.header:
        return ""
    return f"{column.name} of {key.name}" if column is not key and column.name.casefold() in taken else column.name


def _header_id(column: Column, table: TypedTable) -> ElementId:
    return column.header_cells[-1] if column.header_cells else table.id


def _cell_text(table: TypedTable, row: int, column: int) -> SourcedText:
    return SourcedText(table.columns[column].texts[row], table.cell(row, column) or table.id)


def _joined_text(table: TypedTable, row: int | None, column: Column) -> SourcedText:
    return SourcedText("", table.id) if row is None else _cell_text(table, row, column.number)


# -- stacks ------------------------------------------------------------------------------------------------


def _group_by_header(tables: Sequence[TypedTable]) -> Iterator[list[TypedTable]]:
    """The tables that have the same headers, two or more of them."""
    groups: dict[tuple[str, ...], list[TypedTable]] = {}
    for table in tables:
        if len(table.columns) > 1 and all(column.header for column in table.columns):
            groups.setdefault(tuple(column.name.casefold() for column in table.columns), []).append(table)
    for group in groups.values():
        if len(group) > 1 and all(_are_distinguishable(one, other) for one, other in combinations(group, 2)):
            yield group


def _are_distinguishable(one: TypedTable, other: TypedTable) -> bool:
    return _table_label(one).text != _table_label(other).text


def stack_tables(tables: Sequence[TypedTable]) -> TypedTable:
    """Tables of the same headers as one, with a column for the topic of each."""
    first = tables[0]
    header = [
        SourcedText("table", first.id),
        *(SourcedText(each.name, _header_id(each, first)) for each in first.columns),
    ]
    body = [
        [_table_label(table), *(_cell_text(table, row, column.number) for column in table.columns)]
        for table in tables
        for row in range(table.height)
    ]
    return SyntheticTable(first.id, header, body, context=first.table.context[:1]).typed()


def _table_label(table: TypedTable) -> SourcedText:
    """The topic of a table: its caption, its section, or at least its number."""
    if table.caption:
        return SourcedText(table.caption, table.id)
    sections = [context for context in table.table.context[1:] if context.text]
    return SourcedText(sections[-1].text, sections[-1].id) if sections else SourcedText(str(table.id), table.id)
