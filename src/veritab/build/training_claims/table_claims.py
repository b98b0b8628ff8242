"""Claims generated from the rows of Wikipedia's tables: several cells in one sentence, or two rows compared.

As in `mutated_claims`, a false value is put into the claim or into the evidence equally often, so that the claim alone
does not give its label away; where the row or its cells are taken away, the label is NOT ENOUGH INFO.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from veritab.build.elements import row_elements, sentence
from veritab.build.library import split
from veritab.build.mutations import number, year
from veritab.build.sampling import check_weights, drop_cells, drop_sentence, pick_way, random_stream, weighted_choice
from veritab.build.training_claims.built import BuiltClaim
from veritab.build.training_claims.sentence_claims import claim_sentences
from veritab.datasets.normalise import NOT_ENOUGH, REFUTES, SUPPORTS, title_key
from veritab.datasets.tabular import wiki_table
from veritab.schema import Element, Kind, Table

SAMPLING: Mapping[str, float] = MappingProxyType({"rest": 1.0})
"""How often each way of finding evidence that does not settle a claim is taken."""
_SHAPES = {"row": 0.7, "compared": 0.15, "shared": 0.15}
_MOST_ROWS = 40
_MOST_ROUNDS = 20
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
    """A generated claim, its table cut to a few rows, and the cells it was made of."""

    built: BuiltClaim
    table: Table
    used: frozenset[tuple[int, int]]
    """(row, column) of the table."""
    sentences: tuple[str, ...]


class _TableView:
    """A table as lines of text, with what names its rows."""

    def __init__(self, record: dict[str, Any], rng: random.Random) -> None:
        self.record = record
        self.title = record["title"]
        lines = record["data"][:_MOST_ROWS]
        chosen = sorted(rng.sample(range(len(lines)), min(len(lines), 6)))
        self.table = wiki_table({**record, "data": [lines[each] for each in chosen]})
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

    def where(self, rng: random.Random) -> str:
        """The page, and now and then the section, that the claim is about."""
        section = re.sub(r".* -- ", "", self.record["section_title"]).strip()
        forms = [f"In {self.title}, ", f"According to the table of {self.title}, ", f"For {self.title}, "]
        if section:
            forms += [f"In the {section.lower()} of {self.title}, ", f"In {self.title} ({section}), "]
        return rng.choice(forms)


def _fits(text: str) -> bool:
    return bool(text) and not _BLANK.fullmatch(text) and text.count(" ") < _MOST_WORDS


def _name(header: str) -> str:
    """A column's name inside a sentence."""
    return header if header.isupper() or not header[:1].isalpha() else header[0].lower() + header[1:]


class _ClaimVersions(NamedTuple):
    """Two versions of a claim, true and false, that differ in one cell; and their cells, the differing one first."""

    true: str
    false: str
    cells: tuple[tuple[int, int], ...]
    other: str
    """The value of the differing cell for which the false version is true."""


def _row_claim(source: _TableView, key: int, rng: random.Random) -> _ClaimVersions | None:
    row = rng.randrange(1, len(source.rows))
    known = [c for c in source.columns if c != key and source.value(row, c)]
    if not known:
        return None
    columns = rng.sample(known, min(len(known), rng.choice((1, 2, 2))))
    at = rng.randrange(len(columns))
    false = _other_value(source, row, columns[at], rng)
    if not false:
        return None
    template, second, where = rng.choice(_ROW), rng.choice(_SECOND), source.where(rng)
    if "with_second" in template:
        if len(columns) < 2:
            return None
        second = rng.choice(_WITH_SECOND)

    def phrase(values: Sequence[str]) -> str:
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
    return _ClaimVersions(phrase(values), phrase(changed), ((row, columns[at]), (row, key), *others), false)


def _other_value(source: _TableView, row: int, column: int, rng: random.Random) -> str:
    """Another row's value of the column, or a number or year that is off."""
    text = source.value(row, column)
    around = {source.value(each, column) for each in range(1, len(source.rows)) if each != row}
    others = [value for value in sorted(around) if value and value.casefold() != text.casefold()]
    others = [value for value in others if value not in text and text not in value]
    changes = [*year(text, rng), *number(text, rng)]
    if changes and (not others or rng.random() < 0.5):
        changed = rng.choice(changes).apply(text)
        return changed if changed != text else ""
    return rng.choice(others) if others else ""


def _compared(source: _TableView, key: int, rng: random.Random) -> _ClaimVersions | None:
    """Which of two rows has more; the false claim says the other way round."""
    numeric = [
        column
        for column in source.columns
        if column != key and not _RANK.search(source.header[column]) and len(_amounts(source, column)) >= 2
    ]
    if not numeric:
        return None
    column = rng.choice(numeric)
    amounts = _amounts(source, column)
    one, other = rng.sample(sorted(amounts), 2)
    if amounts[one] == amounts[other]:
        return None
    template, where = rng.choice(_COMPARED), source.where(rng)
    words = ("higher", "lower") if amounts[one] > amounts[other] else ("lower", "higher")
    texts = [
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
    factor = rng.choice((1.5, 2, 3))
    new = amounts[other] / factor - 1 if amounts[one] > amounts[other] else amounts[other] * factor + 1
    if new < 0:
        return None
    shown_as = f"{new:,.0f}" if "," in source.value(one, column) else f"{new:.0f}"
    if float(shown_as.replace(",", "")) == amounts[other]:
        return None
    return _ClaimVersions(texts[0], texts[1], ((one, column), (other, column), (one, key), (other, key)), shown_as)


def _amounts(source: _TableView, column: int) -> dict[int, float]:
    """The numbers of a column whose cells are nothing else."""
    found = {row: source.value(row, column) for row in range(1, len(source.rows))}
    return {row: float(text.replace(",", "")) for row, text in found.items() if _AMOUNT.fullmatch(text)}


def _shared(source: _TableView, key: int, rng: random.Random) -> _ClaimVersions | None:
    """What two rows have in common."""
    for column in rng.sample(source.columns, len(source.columns)):
        values = {row: source.value(row, column) for row in range(1, len(source.rows))}
        pairs = [(a, b) for a in values for b in values if a != b and values[a] and values[a] == values[b]]
        if column == key or not pairs:
            continue
        one, other = rng.choice(pairs)
        different = _other_value(source, one, column, rng)
        if not different:
            continue
        template, where = rng.choice(_SHARED), source.where(rng)

        names = {"where": where, "one": source.value(one, key), "other": source.value(other, key)}
        texts = [
            _sentence(template.format(**names, value=value, name=_name(source.header[column])))
            for value in (values[one], different)
        ]
        cells = ((one, column), (other, column), (one, key), (other, key))
        return _ClaimVersions(texts[0], texts[1], cells, different)
    return None


_SHAPE_MAKERS = {"row": _row_claim, "compared": _compared, "shared": _shared}


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


# -- evidence ----------------------------------------------------------------------------------------------


def _evidence(source: _TableView, cells: Sequence[tuple[int, int]], rng: random.Random) -> list[Element]:
    """The cells, often with the rest of their rows, now and then with another row."""
    wanted = dict.fromkeys(row for row, _ in cells)
    if rng.random() < 0.3:
        wanted[rng.randrange(1, len(source.rows))] = None
    whole = rng.random() < 0.5
    found = []
    for row in wanted:
        own = {column for place, column in cells if place == row}
        for element in row_elements(source.table, row):
            if whole or not own or element.id.path[2] in own:
                found.append(element)
    return found


def _with_false_value(elements: Sequence[Element], versions: _ClaimVersions, both: bool) -> list[Element]:
    """The evidence with the other value in the differing cell, or in both cells that share it."""
    places = set(versions.cells[:2] if both else versions.cells[:1])
    return [replace(each, text=versions.other) if each.id.path[1:] in places else each for each in elements]


def _other_cells(source: _TableView, versions: _ClaimVersions, rng: random.Random) -> list[Element]:
    """Evidence that does not settle the claim: other rows, or the row without the cell that differs."""
    rows = {row for row, _ in versions.cells}
    if rng.random() < 0.5:
        row, column = versions.cells[0]
        return [each for each in row_elements(source.table, row) if each.id.path[2] != column]
    others = [row for row in range(1, len(source.rows)) if row not in rows]
    chosen = rng.sample(others, min(len(others), rng.choice((1, 1, 2))))
    return [each for row in chosen for each in row_elements(source.table, row)]


def _with_cells(before: Sequence[Element], cells: Sequence[Element]) -> list[Element]:
    """The sentences and the cells; nothing where there is no cell."""
    return [*before, *cells] if any(each.kind is Kind.CELL for each in cells) else []


def _unsettling_evidence(
    way: str,
    source: _TableView,
    versions: _ClaimVersions,
    before: Sequence[Element],
    rng: random.Random,
    *,
    settled: bool,
) -> list[Element]:
    """Evidence that does not settle the claim; nothing where this way has none.

    `settled` is a claim that its cells decide alone: one that they refute, or that says nothing besides them.
    """
    if way == "rest":
        return _with_cells(before, _other_cells(source, versions, rng))
    gold = [*before, *_evidence(source, versions.cells, rng)]
    if way == "removed_table":
        return drop_cells(gold)
    return [] if settled else drop_sentence(gold, rng)


def make_claims(
    records: Callable[[], Iterable[dict[str, Any]]],
    *,
    seed: int,
    introduction: float = 0.3,
    partly: float = 0.0,
    sampling: Mapping[str, float] | None = None,
    held_out: frozenset[str] = frozenset(),
) -> Iterator[TableClaim]:
    """Claims of the tables of `wiki/tables`, in the order of their file, round after round.

    `sampling` weighs the ways to find evidence for NOT ENOUGH INFO. `partly` is the share of claims refuted by their
    cells that are shown without the sentence they also state.
    """
    ways = check_weights(sampling or SAMPLING, ("rest", "removed_sentence", "removed_table"), "sampling")
    for turn in range(_MOST_ROUNDS):
        has_made = False
        for record in records():
            if title_key(record["title"]) in held_out or len(record["data"]) < 2 or not record["header"]:
                continue
            rng = random_stream(seed, "table", turn, record["table_id"])
            if each := _make_claim(record, rng, introduction, partly, ways):
                has_made = True
                yield each
        if not has_made:
            return


def _make_claim(
    record: dict[str, Any], rng: random.Random, introduction: float, partly: float, ways: Mapping[str, float]
) -> TableClaim | None:
    source = _TableView(record, rng)
    shape = weighted_choice(rng, _SHAPES)
    versions = _SHAPE_MAKERS[shape](source, source.key, rng) if source.key is not None else None
    if not versions:
        return None
    label = rng.choice((SUPPORTS, REFUTES, NOT_ENOUGH))
    false = rng.random() < 0.5
    claim = versions.false if false else versions.true
    introduction_sentences = list(split(record["intro"] or ""))[:6] if rng.random() < introduction else []
    table_claim = claim
    claim, shown = _with_sentence(claim, introduction_sentences, record["title"], rng)
    # What the page begins with comes first in the address order, too.
    before = [sentence(source.table.id.page, number, text) for number, text in shown]
    if label == NOT_ENOUGH:
        evidence = _unsettling_evidence(
            pick_way(ways, rng), source, versions, before, rng, settled=false or claim == table_claim
        )
    else:
        cells = _evidence(source, versions.cells, rng)
        if false == (label == SUPPORTS):
            cells = _with_false_value(cells, versions, shape == "shared")
        # What the cells refute is refuted, whatever the sentence says.
        left_out = partly and label == REFUTES and rng.random() < partly
        evidence = _with_cells([] if left_out else before, cells)
    if not evidence:
        return None
    built = BuiltClaim(claim, evidence, label)
    return TableClaim(built, source.table, frozenset(versions.cells), tuple(text for _, text in shown))


def _with_sentence(
    claim: str, introduction: Sequence[str], title: str, rng: random.Random
) -> tuple[str, list[tuple[int, str]]]:
    """The claim, half of the time joined to what the introduction says, and the sentences that are shown for it."""
    fitting = claim_sentences(title, introduction, rng) if introduction else []
    if not fitting:
        return claim, []
    chosen = rng.choice(fitting)
    if rng.random() < 0.5:
        claim = f"{chosen.short.removesuffix('.')}, and {claim[0].lower()}{claim[1:]}"
    return claim, [(chosen.number, chosen.text)]
