"""Claims made of answers that people wrote from cells: true as they stand, false with one value changed.

A value is changed for another one of its column, or for a year or number near it, and only where no row of the table
makes the changed sentence true as well.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veritab.build.mutations import Mutation, number, year
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
_MOST_TIMES = 5
_MOST_WORDS = 9
_BLANK = re.compile(r"[\W_]*|n/?a|tba|tbd|none|unknown|yes|no", re.IGNORECASE)
_SUMMED = re.compile(
    r"(?:sub-?|grand )?totals?\b.*|majority|turnout|swing|career|average|overall|margin.*", re.IGNORECASE
)
_YEAR = re.compile(r"1[0-9]\d\d|20[0-2]\d")
_NUMBER = re.compile(r"[\d,.]+")
_HEDGE = re.compile(
    r"\b(?:over|than|about|around|nearly|almost|approximately|least|most|until|before|after|since|by) $"
)


class PlacedAnswer(NamedTuple):
    """An answer written from the cells of a table that has an address."""

    answer: TableAnswer
    table: PlacedTable


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
        for new, rule in _other_values(old, column, rows, rng):
            if _says(sentence, new) or new.casefold() in title or _may_hold(new, row, anchors, rows):
                continue
            changed = Mutation(old, new, "value").apply(sentence)
            if changed != sentence:
                yield _Change(changed, rule, (row, column), old, new)
                break


def _can_change(text: str, sentence: str) -> bool:
    if _BLANK.fullmatch(text) or text.count(" ") >= _MOST_WORDS:
        return False
    places = list(re.finditer(rf"(?<![\w$€£.,–-]){re.escape(text)}(?![\w–]|[.,]\d|-\w)", sentence))
    return len(places) == 1 and not _HEDGE.search(sentence[: places[0].start()])


def _says(sentence: str, text: str) -> bool:
    """Whether a value stands in a sentence, whatever its case."""
    if _BLANK.fullmatch(text):
        return False
    return bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", sentence, re.IGNORECASE))


def _other_values(
    old: str, column: int, rows: Sequence[Sequence[str]], rng: random.Random
) -> Iterator[tuple[str, str]]:
    """Other values of the column, then years and numbers near the old one."""
    values = sorted({row[column] for row in rows[1:]} - {old})
    values = [each for each in values if _is_like(each, old)]
    rng.shuffle(values)
    changes = [*year(old, rng), *number(old, rng)]
    near = [(each.new, "near number") for each in changes if each.old == old and _is_plausible(each.new, old)]
    yield from [*((each, "other value of the column") for each in values), *near]


def _is_like(one: str, other: str) -> bool:
    """Whether one value can stand where another does: of the same kind, and not the same in other words."""
    if _BLANK.fullmatch(one) or _SUMMED.fullmatch(one) or one.count(" ") >= _MOST_WORDS:
        return False
    for pattern in (_YEAR, _NUMBER):
        if bool(pattern.fullmatch(one)) != bool(pattern.fullmatch(other)):
            return False
    if not _is_plausible(one, other):
        return False
    if one[:1].isupper() != other[:1].isupper() or one[:1].isdigit() != other[:1].isdigit():
        return False
    first, second = set(re.findall(r"\w+", one.casefold())), set(re.findall(r"\w+", other.casefold()))
    return bool(first) and not first <= second and not second <= first


def _is_plausible(new: str, old: str) -> bool:
    """Whether a number could be another: of about its size, or written in as many digits."""
    if not old[:1].isdigit():
        return True
    if _NUMBER.fullmatch(new) and _NUMBER.fullmatch(old):
        sizes = [float(each.replace(",", "").strip(".") or 0) for each in (new, old) if each.count(".") < 2]
        return len(sizes) == 2 and min(sizes) > 0 and max(sizes) / min(sizes) <= _MOST_TIMES
    return sum(map(str.isdigit, new)) == sum(map(str.isdigit, old))


def _may_hold(new: str, row: int, anchors: dict[int, str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row that has the new value says all else that the sentence says of the old row."""
    if _has(rows[row], new):
        return True
    return any(_has(each, new) and all(_has(each, text) for text in anchors.values()) for each in rows[1:])


def _has(row: Sequence[str], text: str) -> bool:
    """Whether a row has a value, alone or among others in one cell."""
    wanted = text.casefold()
    return any(wanted in cell.casefold() or (len(cell) > 3 and cell.casefold() in wanted) for cell in row)
