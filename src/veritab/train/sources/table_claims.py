"""Claims made by rule from the rows of Wikipedia's tables: several cells in one sentence, or two rows compared.

As in `mutated`, a false value is put into the claim or into the evidence with the same chance, so that the claim alone
does not tell what it is; where the row or its cells are taken away, nobody can tell.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from veritab.schema import Element, Kind, Table
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext, checked, weighted
from veritab.train.sources.evidence import row_elements, sentence, shown
from veritab.train.sources.mutations import number, year
from veritab.train.sources.normalise import NOT_ENOUGH, REFUTES, SUPPORTS, title_key
from veritab.train.sources.pages import held_out_titles, split
from veritab.train.sources.sampling import removed_sentence, removed_table, way_of
from veritab.train.sources.simplify import fit
from veritab.train.sources.tabular import wiki_table

SAMPLING: Mapping[str, float] = MappingProxyType({"rest": 1.0})
"""How often each way of finding evidence that does not settle a claim is taken."""
_SHAPES = {"row": 0.7, "compared": 0.15, "shared": 0.15}
_MOST_ROWS = 40
_MOST_WORDS, _MOST_HEADER_WORDS = 9, 5
_BLANK = re.compile(r"[\W_]*|n/?a|tba|tbd|none|unknown|yes|no", re.IGNORECASE)
_AMOUNT = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_RANK = re.compile(r"\b(?:rank|pos|position|place|no|year|date|season|week|round|seed|number|id|code)\b\.?|#", re.I)
_ROW = (
    "{where}{key} has {first} as {first_name}{second}.",
    "{where}the {first_name} of {key} is {first}{second}.",
    "{where}{key} ({first_name}: {first}){with_second}.",
    "{where}{key} had {first} for {first_name}{second}.",
    "{where}{first} is listed as the {first_name} for {key}{second}.",
)
_SECOND = (" and {value} as {name}", ", and the {name} is {value}", " with {value} for {name}")
_WITH_SECOND = (" has {value} as {name}", " is listed with {value} for {name}", " had the {name} {value}")
_COMPARED = (
    "{where}{one} has a {more} {name} than {other}.",
    "{where}the {name} of {one} is {more} than that of {other}.",
)
_SHARED = (
    "{where}both {one} and {other} have {value} as {name}.",
    "{where}{one} and {other} have the same {name}, {value}.",
    "{where}the {name} is {value} for {one} as well as for {other}.",
)


class TableClaim(NamedTuple):
    """A claim that was made, its table cut to a few rows, and the rows and cells it was made of."""

    pair: VerdictExample
    table: Table
    used: frozenset[tuple[int, int]]
    """(row, column) of the table."""
    sentences: tuple[str, ...]


class _Source:
    """A table as lines of text, with what names its rows."""

    def __init__(self, record: dict[str, Any], chance: random.Random) -> None:
        self.record = record
        self.title = record["title"]
        lines = record["data"][:_MOST_ROWS]
        chosen = sorted(chance.sample(range(len(lines)), min(len(lines), 6)))
        self.table = wiki_table({**record, "data": [lines[each] for each in chosen]}).table
        self.rows = [[cell.text for cell in row] for row in self.table.rows]
        self.header = self.rows[0]
        self.columns = [
            column
            for column, name in enumerate(self.header)
            if name
            and not _BLANK.fullmatch(name)
            and name.count(" ") < _MOST_HEADER_WORDS
            and self.header.count(name) == 1
        ]
        self.key = self._key()

    def _key(self) -> int | None:
        """The column that names the rows: the first whose texts are names, each once in the table."""
        for column in self.columns:
            texts = [row[column] for row in self.rows[1:] if column < len(row)]
            names = [text for text in texts if text and not _AMOUNT.fullmatch(text) and _fits(text)]
            everywhere = [row[column][0] for row in self.record["data"] if column < len(row)]
            if len(names) == len(self.rows) - 1 and len(set(everywhere)) == len(everywhere):
                return column
        return None

    def value(self, row: int, column: int) -> str:
        text = self.rows[row][column] if column < len(self.rows[row]) else ""
        return text if _fits(text) else ""

    def where(self, chance: random.Random) -> str:
        """The page, and now and then the section, that the claim is about."""
        section = re.sub(r".* -- ", "", self.record["section_title"]).strip()
        forms = [f"In {self.title}, ", f"According to the table of {self.title}, ", f"For {self.title}, "]
        if section:
            forms += [f"In the {section.lower()} of {self.title}, ", f"In {self.title} ({section}), "]
        return chance.choice(forms)


def _fits(text: str) -> bool:
    return bool(text) and not _BLANK.fullmatch(text) and text.count(" ") < _MOST_WORDS


def _name(header: str) -> str:
    """A column's name inside a sentence."""
    return header if header.isupper() or not header[:1].isalpha() else header[0].lower() + header[1:]


class _Told(NamedTuple):
    """A true claim and a false one that differ in one cell, and the cells they are made of, the differing one first."""

    true: str
    false: str
    cells: tuple[tuple[int, int], ...]
    other: str
    """What the differing cell says where the false claim is true."""


def _row_claim(source: _Source, key: int, chance: random.Random) -> _Told | None:
    row = chance.randrange(1, len(source.rows))
    known = [c for c in source.columns if c != key and source.value(row, c)]
    if not known:
        return None
    columns = chance.sample(known, min(len(known), chance.choice((1, 2, 2))))
    at = chance.randrange(len(columns))
    false = _other_value(source, row, columns[at], chance)
    if not false:
        return None
    template, second, where = chance.choice(_ROW), chance.choice(_SECOND), source.where(chance)
    if "with_second" in template:
        if len(columns) < 2:
            return None
        second = chance.choice(_WITH_SECOND)

    def told(values: Sequence[str]) -> str:
        more = second.format(value=values[1], name=_name(source.header[columns[1]])) if len(columns) > 1 else ""
        return _sentence(
            template.format(
                where=where,
                key=source.value(row, key),
                first=values[0],
                first_name=_name(source.header[columns[0]]),
                second=more,
                with_second=more,
            )
        )

    values = [source.value(row, column) for column in columns]
    changed = [false if place == at else value for place, value in enumerate(values)]
    others = tuple((row, column) for place, column in enumerate(columns) if place != at)
    return _Told(told(values), told(changed), ((row, columns[at]), (row, key), *others), false)


def _other_value(source: _Source, row: int, column: int, chance: random.Random) -> str:
    """Another row's value of the column, or a number or year that is off."""
    said = source.value(row, column)
    around = {source.value(each, column) for each in range(1, len(source.rows)) if each != row}
    others = [value for value in sorted(around) if value and value.casefold() != said.casefold()]
    others = [value for value in others if value not in said and said not in value]
    changes = [*year(said, chance), *number(said, chance)]
    if changes and (not others or chance.random() < 0.5):
        made = chance.choice(changes).made(said)
        return made if made != said else ""
    return chance.choice(others) if others else ""


def _compared(source: _Source, key: int, chance: random.Random) -> _Told | None:
    """Which of two rows has more; the false claim says the other way round."""
    numeric = [
        column
        for column in source.columns
        if column != key and not _RANK.search(source.header[column]) and len(_amounts(source, column)) >= 2
    ]
    if not numeric:
        return None
    column = chance.choice(numeric)
    amounts = _amounts(source, column)
    one, other = chance.sample(sorted(amounts), 2)
    if amounts[one] == amounts[other]:
        return None
    template, where = chance.choice(_COMPARED), source.where(chance)
    words = ("higher", "lower") if amounts[one] > amounts[other] else ("lower", "higher")
    said = [
        _sentence(
            template.format(
                where=where,
                one=source.value(one, key),
                other=source.value(other, key),
                more=word,
                name=_name(source.header[column]),
            )
        )
        for word in words
    ]
    # Where the other claim is true, the first row has so much more or less.
    factor = chance.choice((1.5, 2, 3))
    new = amounts[other] / factor - 1 if amounts[one] > amounts[other] else amounts[other] * factor + 1
    if new < 0:
        return None
    shown_as = f"{new:,.0f}" if "," in source.value(one, column) else f"{new:.0f}"
    if float(shown_as.replace(",", "")) == amounts[other]:
        return None
    return _Told(said[0], said[1], ((one, column), (other, column), (one, key), (other, key)), shown_as)


def _amounts(source: _Source, column: int) -> dict[int, float]:
    """The numbers of a column whose cells are nothing else."""
    found = {row: source.value(row, column) for row in range(1, len(source.rows))}
    return {row: float(text.replace(",", "")) for row, text in found.items() if _AMOUNT.fullmatch(text)}


def _shared(source: _Source, key: int, chance: random.Random) -> _Told | None:
    """What two rows have in common."""
    for column in chance.sample(source.columns, len(source.columns)):
        values = {row: source.value(row, column) for row in range(1, len(source.rows))}
        pairs = [(a, b) for a in values for b in values if a != b and values[a] and values[a] == values[b]]
        if column == key or not pairs:
            continue
        one, other = chance.choice(pairs)
        different = _other_value(source, one, column, chance)
        if not different:
            continue
        template, where = chance.choice(_SHARED), source.where(chance)

        names = {"where": where, "one": source.value(one, key), "other": source.value(other, key)}
        said = [
            _sentence(template.format(**names, value=value, name=_name(source.header[column])))
            for value in (values[one], different)
        ]
        cells = ((one, column), (other, column), (one, key), (other, key))
        return _Told(said[0], said[1], cells, different)
    return None


_MAKERS = {"row": _row_claim, "compared": _compared, "shared": _shared}


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


# -- evidence ----------------------------------------------------------------------------------------------


def _evidence(source: _Source, cells: Sequence[tuple[int, int]], chance: random.Random) -> list[Element]:
    """The cells, often with the rest of their rows, now and then with another row."""
    wanted = dict.fromkeys(row for row, _ in cells)
    if chance.random() < 0.3:
        wanted[chance.randrange(1, len(source.rows))] = None
    whole = chance.random() < 0.5
    found = []
    for row in wanted:
        own = {column for place, column in cells if place == row}
        for element in row_elements(source.table, row):
            if whole or not own or element.id.path[2] in own:
                found.append(element)
    return found


def _changed(elements: Sequence[Element], told: _Told, both: bool) -> list[Element]:
    """The evidence with the other value in the differing cell, or in both cells that share it."""
    places = set(told.cells[:2] if both else told.cells[:1])
    return [replace(each, text=told.other) if each.id.path[1:] in places else each for each in elements]


def _lacking(source: _Source, told: _Told, chance: random.Random) -> list[Element]:
    """Evidence that does not settle the claim: other rows, or the row without the cell that differs."""
    rows = {row for row, _ in told.cells}
    if chance.random() < 0.5:
        row, column = told.cells[0]
        return [each for each in row_elements(source.table, row) if each.id.path[2] != column]
    others = [row for row in range(1, len(source.rows)) if row not in rows]
    chosen = chance.sample(others, min(len(others), chance.choice((1, 1, 2))))
    return [each for row in chosen for each in row_elements(source.table, row)]


def _with_cells(before: Sequence[Element], cells: Sequence[Element]) -> list[Element]:
    """The sentences and the cells; nothing where there is no cell."""
    return [*before, *cells] if any(each.kind is Kind.CELL for each in cells) else []


def _unsettling(
    way: str, source: _Source, told: _Told, before: Sequence[Element], chance: random.Random, *, settled: bool
) -> list[Element]:
    """Evidence that does not settle the claim; nothing where this way has none.

    `settled` is a claim that its cells decide alone: one that they refute, or that says nothing besides them.
    """
    if way == "rest":
        return _with_cells(before, _lacking(source, told, chance))
    gold = [*before, *_evidence(source, told.cells, chance)]
    if way == "removed_table":
        return removed_table(gold)
    return [] if settled else removed_sentence(gold, chance)


def made(
    given: SourceContext,
    *,
    pairs: int = 30_000,
    introduction: float = 0.3,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[TableClaim]:
    """Claims of tables in the order of their file, round after round, so many at most."""
    ways = checked(sampling or SAMPLING, ("rest", "removed_sentence", "removed_table"), "sampling")
    left = pairs
    barred = held_out_titles(given.data)
    for turn in range(20):
        before = left
        for record in given.data.records("wiki/tables"):
            if left == 0:
                return
            chance = given.chance("table", turn, record["table_id"])
            if title_key(record["title"]) in barred or len(record["data"]) < 2 or not record["header"]:
                continue
            if each := _made(record, chance, introduction, partly, ways):
                left -= 1
                yield each
        if left == before:
            return


def _made(
    record: dict[str, Any], chance: random.Random, introduction: float, partly: float, ways: Mapping[str, float]
) -> TableClaim | None:
    source = _Source(record, chance)
    shape = weighted(chance, _SHAPES)
    told = _MAKERS[shape](source, source.key, chance) if source.key is not None else None
    if not told:
        return None
    label = chance.choice((SUPPORTS, REFUTES, NOT_ENOUGH))
    false = chance.random() < 0.5
    claim = told.false if false else told.true
    opening = list(split(record["intro"] or ""))[:6] if chance.random() < introduction else []
    alone = claim
    claim, said = _with_sentence(claim, opening, record["title"], chance)
    # What the page begins with comes first in the address order, too.
    before = [sentence(source.table.id.page, number, text) for number, text in said]
    if label == NOT_ENOUGH:
        evidence = _unsettling(way_of(ways, chance), source, told, before, chance, settled=false or claim == alone)
    else:
        cells = _evidence(source, told.cells, chance)
        if false == (label == SUPPORTS):
            cells = _changed(cells, told, shape == "shared")
        # What the cells refute is refuted, whatever the sentence says.
        left_out = partly and label == REFUTES and chance.random() < partly
        evidence = _with_cells([] if left_out else before, cells)
    if not evidence:
        return None
    pair = VerdictExample(claim, shown(evidence), label)
    return TableClaim(pair, source.table, frozenset(told.cells), tuple(text for _, text in said))


def _with_sentence(
    claim: str, introduction: Sequence[str], title: str, chance: random.Random
) -> tuple[str, list[tuple[int, str]]]:
    """The claim, half of the time joined to what the introduction says, and the sentences that are shown for it."""
    fitting = fit(title, introduction, chance) if introduction else []
    if not fitting:
        return claim, []
    chosen = chance.choice(fitting)
    if chance.random() < 0.5:
        claim = f"{chosen.short.removesuffix('.')}, and {claim[0].lower()}{claim[1:]}"
    return claim, [(chosen.number, chosen.text)]


def table_claims(
    given: SourceContext,
    *,
    pairs: int = 30_000,
    introduction: float = 0.3,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
) -> Iterator[VerdictExample]:
    """Claims made of the rows of Wikipedia's tables; `sampling` says how often which evidence settles none of them.

    So often as `partly` says, a claim that its cells refute is not shown the sentence that it also tells.
    """
    made_of = made(given, pairs=pairs, introduction=introduction, partly=partly, sampling=sampling)
    return (each.pair for each in made_of)
