"""Claims made of answers that people wrote from cells: true as they stand, false with one value changed.

A value is changed for another one of its column, or for a year or number near it, and only where no row of the table
makes the changed sentence true as well.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veritab.build.mutations import Mutation
from veritab.build.near_values import BLANK, near_numbers, nearest_in_column
from veritab.build.records import Built, BuiltRecord, ClaimOrigin, LeftOut
from veritab.build.sampling import random_stream
from veritab.build.table_pages import PlacedTable
from veritab.datasets.table_questions import TableAnswer
from veritab.schema import Label
from veritab.text import sentences

RULE = "answer"
"""What the claims of answers are called where none could be made."""
_LEANS = re.compile(
    r"(?:He|She|It|They|His|Her|Its|Their|This|These|That|Those|Both|There|Then|However|Also|Additionally|Later|"
    r"Furthermore|Moreover|Other|Others|Another|The (?:film|song|album|show|series|role|award|latter|former|other))\b"
)
_LEAST_WORDS = 4
_MOST_WORDS = 9
_HEDGE = re.compile(
    r"\b(?:over|than|about|around|nearly|almost|approximately|least|most|until|before|after|since|by) $"
)


_NAME_BEFORE = re.compile(r"(?<=[\w,)] )[A-Z][\w'’.-]* $")
_NAME_AFTER = re.compile(r" [A-Z]")
"""Words of a longer name: of "the Osaka Ladies Marathon" the "Marathon" is no value by itself."""


class PlacedAnswer(NamedTuple):
    """An answer written from the cells of a table that has an address."""

    answer: TableAnswer
    table: PlacedTable


class _Other(NamedTuple):
    """Another value, and the rule that it was found by."""

    text: str
    rule: str


class _Change(NamedTuple):
    """A value of a claim changed for another, and the cell that says what is right."""

    claim: str
    rule: str
    cell: tuple[int, int]
    old: str
    new: str


def build_of_answer(placed: PlacedAnswer, source: str, seed: int, *, unpaired: bool = False) -> list[Built]:
    """The claims of each sentence of an answer; `unpaired` keeps true ones for which there is no false one."""
    answer = placed.answer
    table = placed.table.as_table()
    evidence = tuple(cell for row, column in answer.cells if (cell := table.grid[row][column]))
    found: list[Built] = []
    for place, sentence in enumerate(_sentences(answer.text)):
        id = f"{answer.id}-{place}" if place else answer.id
        if place and _LEANS.match(sentence):
            found.append(LeftOut(answer.where, id, "the sentence leans on the one before it", RULE))
            continue
        if sentence.count(" ") < _LEAST_WORDS - 1:
            found.append(LeftOut(answer.where, id, "the sentence is too short for a claim", RULE))
            continue
        changes = list(_changes(sentence, placed, random_stream(seed, "answer", id)))
        if not changes and not unpaired:
            found.append(LeftOut(answer.where, id, "no value of it can be changed so that it is surely false", RULE))
            continue
        origin = ClaimOrigin(source, answer.id, "answer as written", seed)
        found.append(BuiltRecord(f"{id}-true", sentence, Label.SUPPORTS, origin, (evidence,)))
        if changes:
            change = changes[0]
            details = {"was": change.old, "is": change.new, "cell": str(table.grid[change.cell[0]][change.cell[1]])}
            origin = origin._replace(rule=change.rule)
            found.append(BuiltRecord(f"{id}-false", change.claim, Label.REFUTES, origin, (evidence,), details=details))
    return found


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


# -- changed values ----------------------------------------------------------------------------------------


def _changes(sentence: str, placed: PlacedAnswer, rng: random.Random) -> Iterator[_Change]:
    """Each way to make the sentence false by one value of its cells, in random order."""
    answer = placed.answer
    rows = answer.table.rows
    cells = [cell for cell in answer.cells if cell[0] > 0]
    rng.shuffle(cells)
    title = answer.table.title.casefold()
    for row, column in cells:
        old = rows[row][column]
        if not _can_change(old, sentence) or old.casefold() in title:
            continue
        # What else the sentence says of the row tells it from others.
        said = {each: rows[row][each] for each in range(len(rows[row])) if each != column}
        anchors = {each: text for each, text in said.items() if _says(sentence, text) and text != old}
        if not anchors:
            continue
        for new, rule in _other_values(old, row, column, rows, rng):
            if _says(sentence, new) or new.casefold() in title or _may_hold(new, row, anchors, rows):
                continue
            changed = Mutation(old, new, "value").apply(sentence)
            if changed != sentence:
                yield _Change(changed, rule, (row, column), old, new)
                break


def _can_change(text: str, sentence: str) -> bool:
    if BLANK.fullmatch(text) or text.count(" ") >= _MOST_WORDS:
        return False
    places = list(re.finditer(rf"(?<![\w$€£.,–-]){re.escape(text)}(?![\w–]|[.,]\d|-\w)", sentence))
    if len(places) != 1:
        return False
    before, after = sentence[: places[0].start()], sentence[places[0].end() :]
    in_name = text[:1].isalpha() and (_NAME_BEFORE.search(before) or _NAME_AFTER.match(after))
    return not in_name and not _HEDGE.search(before)


def _says(sentence: str, text: str) -> bool:
    """Whether a value stands in a sentence, whatever its case."""
    if BLANK.fullmatch(text):
        return False
    return bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", sentence, re.IGNORECASE))


def _other_values(
    old: str, row: int, column: int, rows: Sequence[Sequence[str]], rng: random.Random
) -> Iterator[_Other]:
    """Values of the rows around in the column, in random order, then numbers near the old one."""
    values = nearest_in_column(rows[1:], rows[0], row - 1, [each[column] for each in rows[1:]])
    rng.shuffle(values)
    yield from (_Other(each, "neighbour in the column") for each in values)
    yield from (_Other(each, "near number") for each in near_numbers(old, rng))


def _may_hold(new: str, row: int, anchors: dict[int, str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row that has the new value says all else that the sentence says of the old row."""
    if _has(rows[row], new):
        return True
    return any(_has(each, new) and all(_has(each, text) for text in anchors.values()) for each in rows[1:])


def _has(row: Sequence[str], text: str) -> bool:
    """Whether a row has a value, alone or among others in one cell."""
    wanted = text.casefold()
    return any(wanted in cell.casefold() or (len(cell) > 3 and cell.casefold() in wanted) for cell in row)
