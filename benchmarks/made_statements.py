"""Statements made by rule from tables, true and false in equal parts: every form and many phrasings of each.

People's statements about tables seldom speak of ratios, shares or durations; without examples the ranker would not know
how such claims are worded. The tables are Wikipedia's, the sentences our own.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from benchmarks.tabfact import Statement, records
from veritab.quantities import Date, Quantity
from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.reason.values import key
from veritab.schema import Table

_SPELLED = "zero one two three four five six seven eight nine ten eleven twelve".split()
_ORDINALS = ["", "", "second", "third", "fourth", "fifth"]
_PARTICIPLES = frozenset(
    """opened completed founded established built born released published launched elected appointed introduced closed
    discovered inaugurated formed created""".split()
)
# A word of a header, then the adjectives for much of it and for little.
_ADJECTIVES = {
    "height": ("tall", "short"), "elevation": ("high", "low"), "length": ("long", "short"), "depth": ("deep", "shallow"),
    "area": ("large", "small"), "population": ("populous", ""), "weight": ("heavy", "light"), "width": ("wide", "narrow"),
    "mass": ("heavy", "light"), "speed": ("fast", "slow"), "age": ("old", "young"), "size": ("large", "small"),
    "distance": ("long", "short"), "duration": ("long", "short"), "capacity": ("large", "small"),
    "altitude": ("high", "low"), "diameter": ("large", "small"), "price": ("expensive", "cheap"), "density": ("dense", ""),
}  # fmt: skip
_STARTS = re.compile(
    r"\b(?:from|start|began|begin|born|birth|opened|founded|established|joined|launch\w*|built)\b", re.I
)
_ENDS = re.compile(r"\b(?:to|until|end|ended|died|death|closed|left|retired|demolished|decommissioned)\b", re.I)


_SPACED = re.compile(r" (?=[,.;:%)\]!?]|'s\b)|(?<=[(\[]) ")


class MadeStatement(Statement):
    """A sentence made from a table of Wikipedia."""

    def typed(self) -> TypedTable:
        return TypedTable.of(_tables(self.data)[self.table])


@cache
def _tables(data: Path) -> dict[str, Table]:
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
        found = ((key(value, column.unit), row) for row, value in enumerate(column.values))
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


def _head(column: Column) -> str:
    """What a column measures, as a sentence names it."""
    name = re.sub(r"\(.*?\)|\[.*?\]", " ", " ".join(dict.fromkeys(column.header)))
    return re.sub(r"\s+", " ", name).strip().lower()


def _written(column: Column, value: float) -> str:
    number = f"{value:,.10g}" if value == int(value) or abs(value) < 1000 else f"{value:,.1f}"
    unit = "" if column.unit in ("", "%") else f" {column.unit}"
    return f"{number}{' %' if column.unit == '%' else unit}"


def _said(column: Column, row: int) -> str:
    """A value of a column as a claim says it."""
    value = column.values[row]
    return _written(column, value.value) if isinstance(value, Quantity) else column.texts[row]


def _countable(column: Column) -> bool:
    return _head(column).endswith("s") and not column.unit


def _adjective(column: Column) -> tuple[str, str]:
    return next((pair for word, pair in _ADJECTIVES.items() if word in _head(column).split()), ("", ""))


def _compared(adjective: str, ending: str) -> str:
    """An adjective with its comparison: "taller", "most populous"."""
    if adjective in ("populous", "expensive"):
        return f"{'more' if ending == 'er' else 'most'} {adjective}"
    stem = adjective[:-1] + "i" if adjective.endswith("y") else adjective.removesuffix("e")
    return f"{stem}{ending}"


def _has_more(subject: Subject, column: Column, up: bool) -> str:
    """What is said of the one that has more, before "than"."""
    head, adjective = _head(column), _adjective(column)[0 if up else 1]
    options = [f"has a {'higher' if up else 'lower'} {head}", f"has a {'greater' if up else 'smaller'} {head}"]
    if _countable(column):
        options = [f"has {'more' if up else 'fewer'} {head}"]
    if adjective:
        options += [f"is {_compared(adjective, 'er')}"] * 2
    return subject.chance.choice(options)


def _is_most(subject: Subject, column: Column, up: bool, before: str = "") -> str:
    """What is said of the one that has the most: "is the tallest", "has the third highest area"."""
    head, adjective = _head(column), _adjective(column)[0 if up else 1]
    options = [f"has the {before}{'highest' if up else 'lowest'} {head}"]
    if _countable(column):
        options = [f"has the {before}{'most' if up else 'fewest'} {head}"]
    if adjective:
        options += [f"is the {before}{_compared(adjective, 'est')}"] * 2
    return subject.chance.choice(options)


def _listed(names: Sequence[str], joint: str = "and") -> str:
    return f"{', '.join(names[:-1])} {joint} {names[-1]}" if len(names) > 1 else names[0]


# -- one maker for each family: given whether it is to be true, a sentence, or None where the table has none ----------


def _lookup(s: Subject, true: bool) -> str | None:
    column = s.chance.choice([*s.numbers, *s.dates, *s.sorts] or [None])
    if column is None:
        return None
    row, other = s.rows(2)
    said = _said(column, row if true else other)
    if (said == _said(column, row)) != true:
        return None
    name, head = s.names[row], _head(column)
    if column.type is ColumnType.DATE:
        verb = next((word for word in head.split() if word in _PARTICIPLES), None)
        if verb:
            return s.pick(f"{name} was {verb} in {said}.", f"{said} is the year in which {name} was {verb}.")
        return s.pick(f"{name} dates from {said}.", f"The {head} of {name} is {said}.")
    if column.type is ColumnType.NUMBER:
        return s.pick(
            f"The {head} of {name} is {said}.",
            f"{name} has {said} {head}." if _countable(column) else f"{name} has a {head} of {said}.",
            f"With a {head} of {said}, {name} is on the list.",
        )
    if s.chance.random() < 0.3:
        # The same two values, denied: what was to be true is false.
        denied = _said(column, other if true else row)
        if (denied == _said(column, row)) == true:
            return None
        return s.pick(f"The {head} of {name} is not {denied}.", f"{name} is not in {denied}.",
                      f"{name} does not belong to {denied}.", f"{name} does not have {denied} as its {head}.")  # fmt: skip
    return s.pick(f"The {head} of {name} is {said}.", f"{name} has {said} as its {head}.", f"{name} belongs to {said}.")


def _limit(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column, (row, other) = s.chance.choice(s.numbers), s.rows(2)
    own, limit = key(column.values[row], column.unit), key(column.values[other], column.unit)
    if own is None or limit is None or own == limit:
        return None
    up = (own > limit) == true
    head, said, name = _head(column), _written(column, limit), s.names[row]
    words = s.pick("more than", "over") if up else s.pick("less than", "under")
    if s.chance.random() < 0.3:
        opposite = "less than" if up else "more than"
        return f"{name} does not have {s.pick('a ', '')}{head} of {opposite} {said}."
    return s.pick(f"{name} has {words} {said} {head}." if _countable(column) else f"{name} has a {head} of {words} {said}.",
                  f"The {head} of {name} is {words} {said}.")  # fmt: skip


def _compare(s: Subject, true: bool) -> str | None:
    columns = [*s.numbers, *s.dates]
    if not columns:
        return None
    column, (one, other) = s.chance.choice(columns), s.rows(2)
    a, b = key(column.values[one], column.unit), key(column.values[other], column.unit)
    if a is None or b is None or a == b:
        return None
    up = (a > b) == true
    first, second, head = s.names[one], s.names[other], _head(column)
    if column.type is ColumnType.DATE:
        verb = next((word for word in head.split() if word in _PARTICIPLES), "built")
        if s.chance.random() < 0.2:
            return f"{first} was not {verb} {'before' if up else 'after'} {second}."
        return s.pick(
            f"{first} was {verb} {'after' if up else 'before'} {second}.",
            f"{first} was {verb} {'later' if up else 'earlier'} than {second}.",
            f"{first} is {'newer' if up else 'older'} than {second}.",
        )
    if s.chance.random() < 0.2:
        return f"The {head} of {first} is not {'lower' if up else 'higher'} than that of {second}."
    tail = s.pick("", "", f", another of the {s.noun}", " does" if "has" in _has_more(s, column, up) else "")
    return s.pick(f"{first} {_has_more(s, column, up)} than {second}{tail}.",
                  f"The {head} of {first} is {'higher' if up else 'lower'} than that of {second}.")  # fmt: skip


def _difference(s: Subject, true: bool) -> str | None:
    columns = [*s.numbers, *s.dates]
    if not columns:
        return None
    column, (one, other) = s.chance.choice(columns), s.rows(2)
    a, b = column.values[one], column.values[other]
    if isinstance(a, Date) and isinstance(b, Date) and a.year and b.year:
        gap = abs(a.year - b.year)
        if gap < 2 or a.month or b.month:
            return None
        said = gap if true else gap + s.chance.choice([-1, 1, 2, 5])
        early, late = (one, other) if a.year < b.year else (other, one)
        verb = next((word for word in _head(column).split() if word in _PARTICIPLES), "completed")
        years = f"{s.count(said)} years"
        return s.pick(
            f"{s.names[early]} predates {s.names[late]} by {years}.",
            f"{s.names[early]} was {verb} {years} before {s.names[late]}.",
            f"{s.names[late]} was {verb} {years} after {s.names[early]}.",
            f"{s.names[late]} is {years} younger than {s.names[early]}.",
        )
    if not isinstance(a, Quantity) or not isinstance(b, Quantity) or a.value <= b.value:
        return None
    gap_value = a.value - b.value
    said_value = gap_value if true else gap_value * s.chance.choice([0.8, 1.1, 1.5, 2.0])
    number, head = _written(column, float(f"{said_value:.6g}")), _head(column)
    if not true and round(said_value) == round(gap_value):
        return None
    first, second = s.names[one], s.names[other]
    if _countable(column):
        return s.pick(f"{first} has {number} more {head} than {second}.", f"{second} has {number} fewer {head} than {first}.",
                      f"{first} leads {second} by {number} {head}.")  # fmt: skip
    return s.pick(f"The {head} of {first} is {number} above that of {second}.",
                  f"The difference in {head} between {first} and {second} is {number}.",
                  f"{second} lies {number} below {first} in {head}.")  # fmt: skip


def _ratio(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column, (one, other) = s.chance.choice(s.numbers), s.rows(2)
    a, b = key(column.values[one], column.unit), key(column.values[other], column.unit)
    if not a or not b or not 1.2 < a / b < 60:
        return None
    ratio = a / b
    times = max(2, int(ratio)) if ratio > 2.2 else 2
    up = s.chance.random() < 0.6
    if (ratio > times) != (up == true):
        times = int(ratio) + 1 if up != true or ratio < times else times
        if times < 2 or (ratio > times) != (up == true):
            up = (ratio > times) == true
    words = {2: "twice", 3: "three times"}.get(times, f"{s.count(times)} times")
    adjective = _adjective(column)[0] or ("many" if _countable(column) else "high")
    phrase = f"as many {_head(column)} as" if adjective == "many" else f"as {adjective} as"
    if adjective == "high":
        phrase = f"as high a {_head(column)} as"
    verb = "has" if adjective in ("many", "high") else "is"
    return f"{s.names[one]} {verb} {'more' if up else 'less'} than {words} {phrase} {s.names[other]}."


def _top(s: Subject, true: bool) -> str | None:
    columns = [*s.numbers, *s.dates]
    if not columns:
        return None
    column, up = s.chance.choice(columns), s.chance.random() < 0.7
    order = s.order(column)
    ranked = order[::-1] if up else order
    place = s.chance.choice([1, 1, 1, 1, 2, 3])
    if len({value for value, _ in order}) < len(order):
        return None
    row = (
        ranked[place - 1][1] if true else s.chance.choice([row for _, row in ranked[:6] if row != ranked[place - 1][1]])
    )
    name, before = s.names[row], f"{_ORDINALS[place]} " if place > 1 else ""
    of = s.pick("", f" of {s.group()}", f" among {s.group()}")
    if column.type is ColumnType.DATE:
        word = s.pick("newest", "latest", "youngest") if up else s.pick("oldest", "earliest")
        if place == 1 and s.chance.random() < 0.5:
            end = "last" if up else "first"
            return s.pick(f"{name} was the {end}{of}.", f"Of {s.group()}, {name} was the {end}.")
        return f"{name} is the {before}{word}{of or f' of the {s.noun}'}."
    if place == 1 and s.chance.random() < 0.5:
        more = _has_more(s, column, up)
        return s.pick(
            f"{name} {more} than any other {s.one}.",
            f"No other {s.one} {more} than {name}.",
            f"None of the other {s.noun} {more} than {name}.",
            f"{name} {more} than all the other {s.noun}.",
        )
    if place == 3 and s.chance.random() < 0.5:
        inside = row in [r for _, r in ranked[:3]]
        if inside != true:
            return None
        adjective = _adjective(column)[0 if up else 1]
        if adjective:
            return f"{name} is one of the three {_compared(adjective, 'est')} {s.noun}."
        return f"{name} is one of the three {s.noun} with the {'highest' if up else 'lowest'} {_head(column)}."
    if place > 1 and up and s.chance.random() < 0.4:
        return s.pick(f"{name} ranks {before}by {_head(column)}{of}.", f"{name} is {before}in {_head(column)}{of}.",
                      f"Counted by {_head(column)}, {name} was {before}{of}.")  # fmt: skip
    return s.pick(
        f"{name} {_is_most(s, column, up, before)}{of}.", f"Of {s.group()}, {name} {_is_most(s, column, up, before)}."
    )


def _part(s: Subject) -> tuple[str, list[int]] | None:
    """Some of the rows, as a sentence names them, and which they are."""
    if not s.sorts:
        return None
    column = s.chance.choice(s.sorts)
    value = s.chance.choice(column.texts)
    rows = [row for row, text in enumerate(column.texts) if text == value]
    size = s.pick("", "", f"{s.count(len(rows))} ")
    said = s.pick(f"the {size}{s.noun} in {value}", f"the {size}{s.noun} with {value} as their {_head(column)}",
                  f"the {size}{value} {s.noun}")  # fmt: skip
    return (said, rows) if 2 < len(rows) < s.table.height else None


def _top_of_part(s: Subject, true: bool) -> str | None:
    part = _part(s)
    if not part or not s.numbers:
        return None
    said, rows = part
    column, up = s.chance.choice([*s.numbers, *s.dates]), s.chance.random() < 0.7
    order = [(value, row) for value, row in s.order(column) if row in rows]
    if len({value for value, _ in order}) < len(order):
        return None
    best = order[-1 if up else 0][1]
    row = best if true else s.chance.choice([row for _, row in order if row != best])
    if column.type is ColumnType.DATE:
        return f"Of {said}, {s.names[row]} is the {s.pick('newest', 'latest') if up else s.pick('oldest', 'earliest')}."
    if s.chance.random() < 0.3:
        word = "highest" if up else "lowest"
        return f"The {word} {_head(column)} of {said} is {_said(column, row)}." if _said(column, row) != "" else None
    return s.pick(f"Of {said}, {s.names[row]} {_is_most(s, column, up)}.", f"{s.names[row]} {_is_most(s, column, up)} of {said}.",
                  f"{s.names[row]} {_has_more(s, column, up)} than any other of {said}.")  # fmt: skip


def _part_folded(s: Subject, true: bool) -> str | None:
    """The sum or mean over some rows, or what all, most or none of them have."""
    part = _part(s)
    if not part or not s.numbers:
        return None
    said, rows = part
    column = s.chance.choice(s.numbers)
    values, head = [key(column.values[row], column.unit) or 0 for row in rows], _head(column)
    way = s.chance.randrange(3)
    if way < 2:
        total = sum(values) / (len(values) if way else 1)
        number = _written(column, float(f"{total if true else total * s.chance.choice([0.8, 1.2, 1.5]):.5g}"))
        if way:
            return s.pick(f"On average {said} have {number} {head}.", f"The average {head} of {said} is {number}.")
        return s.pick(
            f"In all, {said} have {number} {head}.", f"{said.capitalize()} have a combined {head} of {number}."
        )
    limit = s.chance.choice([key(value, column.unit) or 0 for value in column.values])
    above = sum(value > limit for value in values)
    demand = f"a {head} of more than {_written(column, limit)}"
    size = s.count(above if true else above + 1)
    options = [f"{size.capitalize()} of {said} have {demand}."]
    if (above == len(rows)) == true:
        options += [f"All of {said} have {demand}.", f"Each of {said} has {demand}."]
    if (above == 0) == true:
        options += [f"None of {said} has {demand}.", f"Not one of {said} has {demand}."]
    if (2 * above > len(rows)) == true:
        options.append(f"Most of {said} have {demand}.")
    return s.chance.choice(options)


def _both_top(s: Subject, true: bool) -> str | None:
    columns = [*s.numbers, *s.dates]
    if len(columns) < 2:
        return None
    one, other = s.chance.sample(columns, 2)
    first, second = s.order(one), s.order(other)
    if len({value for value, _ in first}) < len(first) or len({value for value, _ in second}) < len(second):
        return None
    up, high = s.chance.random() < 0.5, s.chance.random() < 0.5
    if (first[-1 if up else 0][1] == second[-1 if high else 0][1]) != true:
        return None
    ends = []
    for column, way in ((one, up), (other, high)):
        date = ("newest" if way else "oldest") if column.type is ColumnType.DATE else ""
        ends.append(f"is the {date}" if date else _is_most(s, column, way))
    start = ends[0].replace("is the ", f"The {s.one} that is the ").replace("has the ", f"The {s.one} that has the ")
    return s.pick(f"{start} also {ends[1]}.", f"{s.names[second[-1 if high else 0][1]]} {ends[0]} and {ends[1]}.")


def _top_value(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column, up = s.chance.choice(s.numbers), s.chance.random() < 0.7
    order = s.order(column)
    value = order[-1 if up else 0][0] if true else s.chance.choice(order[1:-1])[0]
    if not true and value in (order[0][0], order[-1][0]):
        return None
    head, said, word = _head(column), _written(column, value), "highest" if up else "lowest"
    adjective = _adjective(column)[0 if up else 1]
    options = [f"The {word} {head} of {s.group()} is {said}.", f"The {word} {head} is {said}.",
               f"The {s.one} with the {word} {head} has {said}."]  # fmt: skip
    if adjective:
        options.append(f"The {_compared(adjective, 'est')} of {s.group()} has a {head} of {said}.")
    options.append(f"No {s.one} has a {head} of {'more' if up else 'less'} than {said}.")
    return s.chance.choice(options)


def _meeting(s: Subject) -> tuple[str, list[int]] | None:
    """A demand on the rows, as the end of a sentence in the plural, and the rows that meet it."""
    kinds = [*s.numbers, *s.dates, *s.sorts]
    if not kinds:
        return None
    column = s.chance.choice(kinds)
    head = _head(column)
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
        verb = next((word for word in head.split() if word in _PARTICIPLES), "established")
        year = int(limit)
        if s.chance.random() < 0.4:
            low, high = sorted((year, int(s.chance.choice(order)[0])))
            rows = sorted(row for value, row in order if low <= int(value) <= high)
            ends = s.pick(f"between {low} and {high}", f"from {low} to {high}")
            return f"were {verb} {ends}", rows
        rows = sorted(row for value, row in order if (int(value) > year if up else int(value) < year))
        return f"were {verb} {'after' if up else 'before'} {year}", rows
    said, more = _written(column, limit), ("more" if up else "fewer" if _countable(column) else "less")
    return s.pick(f"have {more} than {said} {head}" if _countable(column) else f"have a {head} of {more} than {said}",
                  f"have {'over' if up else 'under'} {said} {head}"), rows  # fmt: skip


def _count(s: Subject, true: bool) -> str | None:
    found = _meeting(s)
    if not found:
        return None
    demand, rows = found
    size = len(rows)
    way = s.chance.choice(["exactly", "", "", "at least", "at most", "fewer than", "more than"])
    low = s.chance.randint(1, 2)
    said = {"at least": size - low if true else size + low, "at most": size + low if true else size - low,
            "fewer than": size + low if true else size, "more than": size - low if true else size}.get(
        way, size if true else size + s.chance.choice([-2, -1, 1, 2]))  # fmt: skip
    if not 1 <= said <= s.table.height:
        return None
    number = f"{way} {s.count(said)}".strip()
    if said == 1:
        demand = demand.replace("have ", "has ").replace("are ", "is ").replace("were ", "was ")
    text = s.pick(
        f"{number} of {s.group().removeprefix('all ')} {demand}.", f"{number} {s.noun if said > 1 else s.one} {demand}."
    )
    if s.chance.random() < 0.2 and not way:
        text = f"There are {number} {s.noun} that {demand}."
    return text[0].upper() + text[1:]


def _quantified(s: Subject, true: bool) -> str | None:
    found = _meeting(s)
    if not found:
        return None
    demand, rows = found
    share = len(rows) / s.table.height
    single = demand.replace("have ", "has ").replace("are ", "is ").replace("were ", "was ").replace("their", "its")
    single = single.replace("belong ", "belongs ")
    if (share > 0.5) == true and s.chance.random() < 0.4:
        return s.pick(f"Most of {s.group().removeprefix('all ')} {demand}.", f"The majority of the {s.noun} {demand}.",
                      f"More than half of the {s.noun} {demand}.")  # fmt: skip
    if (share < 0.5) == true and s.chance.random() < 0.3:
        return f"Less than half of the {s.noun} {demand}."
    if (share == 1) == true and (share > 0.6) and s.chance.random() < 0.3:
        return f"The {s.noun} all {demand}."
    if (share == 1) == true and (share > 0.6):
        return s.pick(f"All of {s.group().removeprefix('all ')} {demand}.", f"Every {s.one} {single}.",
                      f"Each of the {s.noun} {single}.", f"All the {s.noun} {demand}.")  # fmt: skip
    if (share == 0) == true and share < 0.4:
        return s.pick(f"None of {s.group().removeprefix('all ')} {demand}.", f"No {s.one} {single}.",
                      f"Not one {s.one} {single}.")  # fmt: skip
    if len(rows) in (1, 2) and (len(rows) == 1) == true:
        name = s.names[rows[0]]
        return s.pick(f"{name} is the only {s.one} that {single}.", f"Only {name} {single}.",
                      f"Apart from {name}, no {s.one} {single}.", f"{name} is the only one of the {s.noun} that {single}.")  # fmt: skip
    return None


def _these(s: Subject, true: bool) -> str | None:
    found = _meeting(s)
    if not found or not 2 <= len(found[1]) <= 4:
        return None
    demand, rows = found
    said = list(rows)
    if not true:
        outside = [row for row in range(s.table.height) if row not in rows]
        if not outside:
            return None
        if len(said) > 2 and s.chance.random() < 0.5:
            said.pop()
        else:
            said[-1] = s.chance.choice(outside)
    names = _listed([s.names[row] for row in said])
    text = s.pick(f"The {s.noun} that {demand} are {names}.", f"{names} are the {s.noun} that {demand}.",
                  f"Of {s.group()}, those that {demand} are {names}.")  # fmt: skip
    return text[0].upper() + text[1:]


def _both(s: Subject, true: bool) -> str | None:
    found = _meeting(s)
    if not found or len(found[1]) < 2:
        return None
    demand, rows = found
    one, other = s.chance.sample(rows, 2)
    outside = [row for row in range(s.table.height) if row not in rows]
    if not true:
        if not outside:
            return None
        other = s.chance.choice(outside)
    pair = [s.names[one], s.names[other]]
    s.chance.shuffle(pair)
    return s.pick(f"Both {pair[0]} and {pair[1]} {demand}.", f"{pair[0]} and {pair[1]} both {demand}.",
                  f"{pair[0]} and {pair[1]} {demand}.")  # fmt: skip


def _sum(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column = s.chance.choice(s.numbers)
    if column.unit == "%" or "rank" in _head(column):
        return None
    rows = s.rows(s.chance.choice([2, 2, 3]))
    total = sum(key(column.values[row], column.unit) or 0 for row in rows)
    names, head = _listed([s.names[row] for row in rows]), _head(column)
    if s.chance.random() < 0.3 and len(rows) == 2:
        other = s.chance.choice([row for row in range(s.table.height) if row not in rows])
        alone = key(column.values[other], column.unit) or 0
        if alone == total:
            return None
        joined = s.pick("together", "combined", "put together")
        if s.chance.random() < 0.3:
            less = (
                _has_more(s, column, (alone > total) != true)
                .replace("has ", "does not have ")
                .replace("is ", "is not ")
            )
            return f"{s.names[other]} {less} than {names} {joined}."
        return f"{s.names[other]} {_has_more(s, column, (alone > total) == true)} than {names} {joined}."
    if s.chance.random() < 0.4:
        limit = total * s.chance.choice([0.7, 0.9, 1.1, 1.3])
        limit = float(f"{limit:.2g}")
        if limit == total:
            return None
        number = f"{'more' if (total > limit) == true else 'less'} than {_written(column, limit)}"
    else:
        number = _written(column, float(f"{total if true else total * s.chance.choice([0.8, 1.2, 1.5]):.6g}"))
    return s.pick(
        f"{names} together have {number} {head}."
        if _countable(column)
        else f"{names} have a combined {head} of {number}.",
        f"Taken together, {names} have {number} {head}.",
        f"{names} have {number} {head} {s.pick('in all', 'altogether', 'between them', 'in total')}.",
        f"The {head} of {names} add{'' if _countable(column) else 's'} up to {number}.",
    )


def _mean(s: Subject, true: bool) -> str | None:
    if not s.numbers:
        return None
    column = s.chance.choice(s.numbers)
    rows = list(range(s.table.height)) if s.chance.random() < 0.6 else s.rows(2)
    values = [key(column.values[row], column.unit) or 0 for row in rows]
    mean, head = sum(values) / len(values), _head(column)
    if s.chance.random() < 0.5:
        limit = float(f"{mean * s.chance.choice([0.7, 0.9, 1.1, 1.3]):.2g}")
        if limit == mean:
            return None
        number = f"{'more' if (mean > limit) == true else 'less'} than {_written(column, limit)}"
    else:
        number = _written(column, float(f"{mean if true else mean * s.chance.choice([0.7, 0.85, 1.2, 1.5]):.4g}"))
    who = s.group().removeprefix("all ") if len(rows) > 2 else f"{_listed([s.names[row] for row in rows])}"
    return s.pick(f"The average {head} of {who} is {number}.", f"The mean {head} of {who} is {number}.",
                  f"On average {who} have {number} {head}.", f"An average of {number} {head} is found for {who}.")  # fmt: skip


def _share(s: Subject, true: bool) -> str | None:
    columns = [c for c in s.numbers if not c.unit or c.unit != "%"]
    if not columns:
        return None
    column, row = s.chance.choice(columns), s.rows(1)[0]
    values = [key(value, column.unit) or 0 for value in column.values]
    total = sum(values)
    if total <= 0 or min(values) < 0:
        return None
    part, head, name = 100 * values[row] / total, _head(column), s.names[row]
    limit = s.chance.choice([5, 10, 20, 25, 40, 50, 60, 75])
    if abs(part - limit) < 1:
        return None
    words = {50: s.pick("half", "50 %", "50 per cent")}.get(
        limit, f"{s.count(limit)} {s.pick('%', 'per cent', 'percent')}"
    )
    if limit == 50 and (part > 50) == true and s.chance.random() < 0.4:
        return f"{name} has a majority of the {head}."
    how = s.pick("more than", "over") if (part > limit) == true else s.pick("less than", "under")
    if s.chance.random() < 0.3:
        said = round(part) if true else round(part) + s.chance.choice([-12, 15, 20])
        if not 1 <= said <= 99:
            return None
        return f"About {said} {s.pick('%', 'per cent')} of the {head} {s.pick('belongs to', 'comes from')} {name}."
    return s.pick(f"{name} accounts for {how} {words} of the {head}.", f"{name} makes up {how} {words} of the total {head}.",
                  f"{name} alone has {how} {words} of the {head} of {s.group().removeprefix('all ')}.")  # fmt: skip


def _share_given(s: Subject, true: bool) -> str | None:
    """Shares that the table gives, of several things together."""
    columns = [c for c in s.numbers if c.unit == "%"]
    if not columns:
        return None
    column, rows = s.chance.choice(columns), s.rows(s.chance.choice([1, 2, 2, 3]))
    values = [key(value, column.unit) or 0 for value in column.values]
    part, limit = sum(values[row] for row in rows), s.chance.choice([10, 20, 25, 33, 50, 66])
    if abs(part - limit) < 1 or max(values) > 100:
        return None
    words = {50: "half", 33: "a third", 25: "a quarter", 66: "two thirds", 20: "a fifth"}.get(limit, f"{limit} %")
    how = s.pick("more than", "over") if (part > limit) == true else s.pick("less than", "under")
    names, head = [s.names[row] for row in rows], _head(column)
    if len(rows) == 1:
        return s.pick(
            f"{names[0]} has {how} {words} of the {head}.", f"{names[0]} accounts for {how} {words} of the {head}."
        )
    return s.pick(f"{_listed(names)} together account for {how} {words} of the {head}.",
                  f"{how.capitalize()} {words} of the {head} belongs to {_listed(names, 'or')}.")  # fmt: skip


def _distinct(s: Subject, true: bool) -> str | None:
    if not s.sorts:
        return None
    column = s.chance.choice(s.sorts)
    size, head = len({text.casefold() for text in column.texts}), _head(column)
    said = size if true else size + s.chance.choice([-2, -1, 1, 2, 3])
    plural = f"{head[:-1]}ies" if head.endswith("y") else head if head.endswith("s") else f"{head}s"
    if said < 2:
        return None
    who = s.group().removeprefix("all ")
    if s.chance.random() < 0.2 and (size == s.table.height) == true:
        return f"Each of the {s.noun} has a different {head}."
    return s.pick(f"In all, {who} have {s.count(said)} different {plural}.", f"The {s.noun} come from {s.count(said)} {plural}.",
                  f"There are {s.count(said)} different {plural} among {who}.")  # fmt: skip


def _same(s: Subject, true: bool) -> str | None:
    columns = [*s.sorts, *s.dates]
    if not columns:
        return None
    column = s.chance.choice(columns)
    one, other = s.rows(2)
    alike = column.texts[one].casefold() == column.texts[other].casefold()
    pair, head = f"{s.names[one]} and {s.names[other]}", _head(column)
    if alike == true:
        if column.type is ColumnType.DATE:
            verb = next((word for word in head.split() if word in _PARTICIPLES), "completed")
            return f"{pair} were {verb} in the same year." if len(column.texts[one]) == 4 else None
        return s.pick(
            f"{pair} have the same {head}.", f"{pair} share the same {head}.", f"The {head} of {pair} is the same."
        )
    return f"{pair} have different {head}s." if column in s.sorts else None


def _lasting(s: Subject, true: bool) -> str | None:
    pairs = [(a, b) for a in s.dates for b in s.dates if _STARTS.search(a.name) and _ENDS.search(b.name) and a is not b]
    if not pairs:
        return None
    start, end = s.chance.choice(pairs)
    spans = [b.year - a.year for a, b in zip(start.values, end.values, strict=True)
             if isinstance(a, Date) and isinstance(b, Date) and a.year and b.year]  # fmt: skip
    if len(spans) < s.table.height or min(spans) < 0:
        return None
    row, other = s.rows(2)
    way = s.chance.randrange(4)
    verb = s.pick("served", "held office", "was in office", "lasted", "stayed")
    if way == 0:
        said = spans[row] if true else spans[row] + s.chance.choice([3, 5])
        return f"{s.names[row]} {verb} for {s.count(said)} years." if said > 1 else None
    if way == 1:
        limit = max(1, spans[row] + s.chance.choice([-3, -2, 2, 3]))
        if limit == spans[row]:
            return None
        return f"{s.names[row]} {verb} for {'more' if (spans[row] > limit) == true else 'less'} than {s.count(limit)} years."
    if way == 2 and spans[row] != spans[other]:
        return f"{s.names[row]} {verb} {'longer' if (spans[row] > spans[other]) == true else 'less long'} than {s.names[other]}."
    if s.chance.random() < 0.4 and abs(spans[row] - spans[other]) > 1:
        longer, shorter = (row, other) if spans[row] > spans[other] else (other, row)
        gap = spans[longer] - spans[shorter] + (0 if true else s.chance.choice([2, 4]))
        return f"{s.names[longer]} {verb} {s.pick('', 'at least ' if true else '')}{s.count(gap)} years longer than {s.names[shorter]}."
    if s.chance.random() < 0.4:
        limit = s.chance.choice(spans) or 1
        size = sum(span > limit for span in spans) + (0 if true else 1)
        return f"{s.count(size).capitalize()} of the {s.noun} {verb} for more than {s.count(limit)} years."
    best = max(range(len(spans)), key=spans.__getitem__)
    if spans.count(spans[best]) > 1:
        return None
    name = s.names[best if true else other]
    return f"No {s.one} {verb} for longer than {name}." if true or other != best else None


def _columns(s: Subject, true: bool) -> str | None:
    pairs = [(a, b) for a in s.numbers for b in s.numbers
             if a.number < b.number and a.unit == b.unit and set(_head(a).split()) & set(_head(b).split())]  # fmt: skip
    if not pairs:
        return None
    one, other = s.chance.choice(pairs)
    row = s.rows(1)[0]
    a, b = key(one.values[row], one.unit), key(other.values[row], other.unit)
    if a is None or b is None or a == b:
        return None
    first, second = _head(one), _head(other)
    if s.chance.random() < 0.5:
        gap = float(f"{abs(a - b) if true else abs(a - b) * s.chance.choice([0.7, 1.3, 2]):.6g}")
        limit = float(f"{abs(a - b) * s.chance.choice([0.5, 0.8, 1.2, 2]):.2g}")
        said, name = _written(one, gap), s.names[row]
        low, high = (first, second) if a < b else (second, first)
        how = "more" if (abs(a - b) > limit) == true else "less"
        return s.pick(f"The {high} of {name} is {said} higher than its {low}.", f"{name} has {said} more {high} than {low}.",
                      f"{name} had {said} fewer in {low} than in {high}.",
                      f"From {first} to {second} {name} {'gained' if b > a else 'lost'} {how} than {_written(one, limit)}.")  # fmt: skip
    if s.chance.random() < 0.5:
        return f"The {first} of {s.names[row]} is {'higher' if (a > b) == true else 'lower'} than its {second}."
    more = [row for row in range(s.table.height) if (key(one.values[row]) or 0) > (key(other.values[row]) or 0)]
    if (not more) == true:
        return f"No {s.one} has a higher {first} than {second}."
    return f"{s.names[row]} has more {first} than {second}." if (a > b) == true else None


MAKERS: tuple[Callable[[Subject, bool], str | None], ...] = (
    _lookup, _limit, _compare, _difference, _ratio, _top, _top, _top_value, _count, _count, _quantified, _quantified, _top_of_part, _top_of_part, _part_folded, _part_folded,
    _both_top,    _these, _both, _sum, _mean, _share, _share_given, _distinct, _same, _lasting, _columns,
)  # fmt: skip


def made_statements(data: Path, most: int, seed: int = 0) -> Iterator[Statement]:
    """So many statements about Wikipedia's tables, one of each family in turn, as many true as false."""
    chance = random.Random(seed)
    ids = sorted(_tables(data))
    chance.shuffle(ids)
    made: Counter[tuple[int, bool]] = Counter()
    each = most // (2 * len(MAKERS)) + 1
    for id in ids:
        subject = Subject(TypedTable.of(_tables(data)[id]), chance)
        if not subject.usable:
            continue
        for place, maker in enumerate(MAKERS):
            true = made[place, True] <= made[place, False]
            text = maker(subject, true) if made[place, true] < each else None
            if text:
                made[place, true] += 1
                yield MadeStatement(text, true, id, data)
        if made.total() >= most:
            return
