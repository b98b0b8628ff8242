"""What statements can be made about: a table, its rows as things with names, and words for what its columns measure."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from benchmarks.tabfact import Statement, records
from veritab.quantities import Quantity
from veritab.reason.programs.values import sort_key
from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.schema import Table

_SPELLED = "zero one two three four five six seven eight nine ten eleven twelve".split()
ORDINALS = ["", "", "second", "third", "fourth", "fifth"]
PARTICIPLES = frozenset(
    """opened completed founded established built born released published launched elected appointed introduced closed
    discovered inaugurated formed created""".split()
)
# A word of a header, then the adjectives for much of it and for little.
_ADJECTIVES = {
    "height": ("tall", "short"),
    "elevation": ("high", "low"),
    "length": ("long", "short"),
    "depth": ("deep", "shallow"),
    "area": ("large", "small"),
    "population": ("populous", ""),
    "weight": ("heavy", "light"),
    "width": ("wide", "narrow"),
    "mass": ("heavy", "light"),
    "speed": ("fast", "slow"),
    "age": ("old", "young"),
    "size": ("large", "small"),
    "distance": ("long", "short"),
    "duration": ("long", "short"),
    "capacity": ("large", "small"),
    "altitude": ("high", "low"),
    "diameter": ("large", "small"),
    "price": ("expensive", "cheap"),
    "density": ("dense", ""),
}
_SPACED = re.compile(r" (?=[,.;:%)\]!?]|'s\b)|(?<=[(\[]) ")


class MadeStatement(Statement):
    """A sentence made from a table of Wikipedia."""

    def typed(self) -> TypedTable:
        return TypedTable.of(wiki_tables(self.data)[self.table])


@cache
def wiki_tables(data: Path) -> dict[str, Table]:
    """Wikipedia's tables by their id, without the spaces that splitting texts into words put before signs."""
    found = {}
    for record in records(data / "wiki" / "tables.jsonl.gz"):
        header, *rows = [[_SPACED.sub("", cell[0]) for cell in row] for row in (record["header"], *record["data"])]
        found[record["table_id"]] = Table.of(rows, header=header, title=record["title"])
    return found


@dataclass
class Subject:
    """A table that statements can be made about, and the chance that chooses among its rows and words."""

    table: TypedTable
    chance: random.Random
    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.table.key is not None:
            self.names = [_named(text) for text in self.table.columns[self.table.key].texts]

    @property
    def usable(self) -> bool:
        return 4 <= self.table.height <= 30 and len(set(self.names)) == self.table.height and all(self.names)

    @cached_property
    def noun(self) -> str:
        """What the rows are, in the plural."""
        header = self.table.columns[self.table.key or 0].name.lower()
        word = re.sub(r"\(.*?\)|[^a-z ]", "", header).strip()
        if not word or len(word) > 25 or word in ("name", "title"):
            return "entries"
        return word if word.endswith("s") else f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"

    @cached_property
    def one(self) -> str:
        return "entry" if self.noun == "entries" else self.noun.removesuffix("s")

    @cached_property
    def numbers(self) -> list[Column]:
        return [c for c in self._others if c.type is ColumnType.NUMBER and len(self.order(c)) == self.table.height]

    @cached_property
    def dates(self) -> list[Column]:
        return [c for c in self._others if c.type is ColumnType.DATE and len(self.order(c)) == self.table.height]

    @cached_property
    def sorts(self) -> list[Column]:
        """The columns whose values come more than once."""
        words = [c for c in self._others if c.type in (ColumnType.ENTITY, ColumnType.TEXT) and all(c.texts)]
        return [c for c in words if 1 < len(set(c.texts)) < self.table.height and max(map(len, c.texts)) < 40]

    @property
    def _others(self) -> list[Column]:
        own = [column for column in self.table.columns if column.number != self.table.key and column.header]
        return [c for c in own if c.name.lower() not in ("rank", "#", "no.", "pos.", "position")]

    def order(self, column: Column) -> list[tuple[float, int]]:
        """The rows of a column from its lowest value to its highest."""
        found = ((sort_key(value, column.unit), row) for row, value in enumerate(column.values))
        return sorted((place, row) for place, row in found if place is not None)

    def pick(self, *options: str) -> str:
        return self.chance.choice(options)

    def rows(self, count: int) -> list[int]:
        return self.chance.sample(range(self.table.height), count)

    def count(self, number: int) -> str:
        return _SPELLED[number] if number < len(_SPELLED) and self.chance.random() < 0.6 else f"{number:,}"

    def group(self) -> str:
        """The rows as a group, its size said or not."""
        size = self.count(self.table.height)
        return self.pick(f"the {self.noun}", f"the {size} {self.noun}", f"{size} {self.noun}", f"all the {self.noun}")


def _named(text: str) -> str:
    return re.sub(r"\s*\(.*?\)|\s*\[.*?\]", "", text).strip()


def heading(column: Column) -> str:
    """What a column measures, as a sentence names it."""
    name = re.sub(r"\(.*?\)|\[.*?\]", " ", " ".join(dict.fromkeys(column.header)))
    return re.sub(r"\s+", " ", name).strip().lower()


def written(column: Column, value: float) -> str:
    number = f"{value:,.10g}" if value == int(value) or abs(value) < 1000 else f"{value:,.1f}"
    unit = "" if column.unit in ("", "%") else f" {column.unit}"
    return f"{number}{' %' if column.unit == '%' else unit}"


def cell_said(column: Column, row: int) -> str:
    """A value of a column as a claim says it."""
    value = column.values[row]
    return written(column, value.value) if isinstance(value, Quantity) else column.texts[row]


def is_countable(column: Column) -> bool:
    return heading(column).endswith("s") and not column.unit


def adjectives(column: Column) -> tuple[str, str]:
    return next((pair for word, pair in _ADJECTIVES.items() if word in heading(column).split()), ("", ""))


def comparison(adjective: str, ending: str) -> str:
    """An adjective with its comparison: "taller", "most populous"."""
    if adjective in ("populous", "expensive"):
        return f"{'more' if ending == 'er' else 'most'} {adjective}"
    stem = adjective[:-1] + "i" if adjective.endswith("y") else adjective.removesuffix("e")
    return f"{stem}{ending}"


def has_more(subject: Subject, column: Column, up: bool) -> str:
    """What is said of the one that has more, before "than"."""
    head, adjective = heading(column), adjectives(column)[0 if up else 1]
    options = [f"has a {'higher' if up else 'lower'} {head}", f"has a {'greater' if up else 'smaller'} {head}"]
    if is_countable(column):
        options = [f"has {'more' if up else 'fewer'} {head}"]
    if adjective:
        options += [f"is {comparison(adjective, 'er')}"] * 2
    return subject.chance.choice(options)


def is_most(subject: Subject, column: Column, up: bool, before: str = "") -> str:
    """What is said of the one that has the most: "is the tallest", "has the third highest area"."""
    head, adjective = heading(column), adjectives(column)[0 if up else 1]
    options = [f"has the {before}{'highest' if up else 'lowest'} {head}"]
    if is_countable(column):
        options = [f"has the {before}{'most' if up else 'fewest'} {head}"]
    if adjective:
        options += [f"is the {before}{comparison(adjective, 'est')}"] * 2
    return subject.chance.choice(options)


def as_list(names: Sequence[str], joint: str = "and") -> str:
    return f"{', '.join(names[:-1])} {joint} {names[-1]}" if len(names) > 1 else names[0]


def some_part(s: Subject) -> tuple[str, list[int]] | None:
    """Some of the rows, as a sentence names them, and which they are."""
    if not s.sorts:
        return None
    column = s.chance.choice(s.sorts)
    value = s.chance.choice(column.texts)
    rows = [row for row, text in enumerate(column.texts) if text == value]
    size = s.pick("", "", f"{s.count(len(rows))} ")
    said = s.pick(
        f"the {size}{s.noun} in {value}",
        f"the {size}{s.noun} with {value} as their {heading(column)}",
        f"the {size}{value} {s.noun}",
    )
    return (said, rows) if 2 < len(rows) < s.table.height else None


def some_demand(s: Subject) -> tuple[str, list[int]] | None:
    """A demand on the rows, as the end of a sentence in the plural, and the rows that meet it."""
    kinds = [*s.numbers, *s.dates, *s.sorts]
    if not kinds:
        return None
    column = s.chance.choice(kinds)
    head = heading(column)
    if column in s.sorts:
        value = s.chance.choice(column.texts)
        rows = [row for row, text in enumerate(column.texts) if text == value]
        return s.pick(
            f"have {value} as their {head}", f"are in {value}", f"belong to {value}", f"stand in {value}"
        ), rows
    order = s.order(column)
    place = s.chance.randrange(1, len(order))
    limit, up = order[place][0], s.chance.random() < 0.5
    rows = sorted(row for value, row in order if (value > limit if up else value < limit))
    if column.type is ColumnType.DATE:
        verb = next((word for word in head.split() if word in PARTICIPLES), "established")
        year = int(limit)
        if s.chance.random() < 0.4:
            low, high = sorted((year, int(s.chance.choice(order)[0])))
            rows = sorted(row for value, row in order if low <= int(value) <= high)
            ends = s.pick(f"between {low} and {high}", f"from {low} to {high}")
            return f"were {verb} {ends}", rows
        rows = sorted(row for value, row in order if (int(value) > year if up else int(value) < year))
        return f"were {verb} {'after' if up else 'before'} {year}", rows
    said, more = written(column, limit), ("more" if up else "fewer" if is_countable(column) else "less")
    return s.pick(
        f"have {more} than {said} {head}" if is_countable(column) else f"have a {head} of {more} than {said}",
        f"have {'over' if up else 'under'} {said} {head}",
    ), rows
