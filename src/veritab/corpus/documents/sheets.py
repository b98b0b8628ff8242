"""What stands on one sheet: tables below and beside each other, their titles, and notes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from veritab.corpus.documents.headers import is_name, is_numeric

SheetLine: TypeAlias = tuple[int, dict[int, str]]
"""A row's number in its sheet, and its filled cells by column."""
SheetRange: TypeAlias = tuple[int, int, int, int]
"""First row, first column, last row, last column, counted from 1."""

_MOST_TITLES = 5
_LONGEST_TITLE = 200
_SENTENCE_ENDS, _FEW_WORDS = (".", "!", "?"), 4
_LOOKED_AT = 100
_SCALE = re.compile(r"\b(?:amounts?|figures|numbers|values|prices|thousands?|millions?|billions?)\b", re.IGNORECASE)
"""What tells how the numbers of a table are to be read belongs to the table."""


@dataclass
class Part:
    """A table of a sheet with the lines above that name it; without a table, lines of text."""

    titles: list[SheetLine] = field(default_factory=list)
    table: list[SheetLine] = field(default_factory=list)


def parts_of(filled: Sequence[SheetLine], merged: Iterable[SheetRange]) -> list[Part]:
    """The tables and texts of a sheet in reading order.

    A blank row ends a table only when what follows has a header of its own, or stands in other columns; a blank column
    only when what stands beyond it has labels and a header of its own.
    """
    parts: list[Part] = []
    titles: list[SheetLine] = []
    for piece in _pieces(filled, list(merged)):
        above, table, below = _cut(piece)
        titles += above
        if not table:
            continue
        last = parts[-1] if parts and parts[-1].table else None
        if last and not _begins_table(table, last.table, bool(titles)):
            last.table += [*titles, *table]
        else:
            parts += [Part(table=[], titles=titles[:-_MOST_TITLES])] if len(titles) > _MOST_TITLES else []
            near = titles[-_MOST_TITLES:]
            named = [line for line in near if not _is_prose(_only(line), alone=len(near) == 1)]
            prose = [line for line in near if line not in named]
            parts += [Part(prose)] if prose else []
            parts.append(Part(named, table))
        titles = below
    if titles and parts and parts[-1].table and not any(is_note(_only(line)) for line in titles):
        parts[-1].table += titles  # labels, or the last values of a column
        return parts
    return [*parts, Part(titles)] if titles else parts


def _only(line: SheetLine) -> str:
    return next(iter(line[1].values()))


def _pieces(filled: Sequence[SheetLine], merged: list[SheetRange]) -> Iterator[list[SheetLine]]:
    """Lines between blank rows, those of tables beside each other apart."""
    numbers = [number for number, _ in filled]
    joined: set[int] = set()  # positions that a merged range holds together with the line before
    for top, _, bottom, _ in merged:
        joined.update(range(bisect_left(numbers, top) + 1, bisect_right(numbers, bottom)))
    band: list[SheetLine] = []
    for at, line in enumerate(filled):
        if band and line[0] - band[-1][0] > 1 and at not in joined:
            yield from _beside(band, merged)
            band = []
        band.append(line)
    if band:
        yield from _beside(band, merged)


def _beside(band: list[SheetLine], merged: Iterable[SheetRange]) -> Iterator[list[SheetLine]]:
    """The tables of a band of lines, where a blank column parts them."""
    used = {column for _, texts in band for column in texts}
    if max(used) - min(used) + 1 > len(used):
        top, bottom = band[0][0], band[-1][0]
        for first_row, first, last_row, last in merged:
            if first_row <= bottom and last_row >= top:
                used.update(range(max(first, min(used)), min(last, max(used)) + 1))
    groups: list[list[int]] = []
    for column in sorted(used):
        if groups and column - groups[-1][-1] == 1:
            groups[-1].append(column)
        else:
            groups.append([column])
    sides: list[list[int]] = []
    for group in groups:
        if sides and not (_stands_alone(band, sides[-1]) and _stands_alone(band, group)):
            sides[-1] += group
        else:
            sides.append(group)
    if len(sides) == 1:
        yield band
        return
    for side in sides:
        columns = set(side)
        lines = [(number, {at: text for at, text in texts.items() if at in columns}) for number, texts in band]
        yield [line for line in lines if line[1]]


def _stands_alone(band: Sequence[SheetLine], columns: Sequence[int]) -> bool:
    """Whether columns hold a table of their own: a header above labels and values."""
    lines = [[texts.get(column, "") for column in columns] for _, texts in band[:_LOOKED_AT]]
    wide = [line for line in lines if sum(map(bool, line)) > 1]
    if len(columns) < 2 or len(wide) < 2:
        return False
    labels = [line[0] for line in wide if line[0]]
    return all(map(is_name, wide[0])) and 2 * sum(map(is_numeric, labels)) < len(wide)


def _cut(piece: list[SheetLine]) -> tuple[list[SheetLine], list[SheetLine], list[SheetLine]]:
    """The titles above a table, the table, and the notes below it; all are titles where there is no table."""
    wide = [at for at, (_, texts) in enumerate(piece) if len(texts) > 1]
    if not wide:
        return piece, [], []
    # Right above, a single cell is a title when what follows is a header, and a label otherwise.
    first, end = (wide[0] if all(map(is_name, piece[wide[0]][1].values())) else 0), len(piece)
    left = min(min(texts) for _, texts in piece)
    while first and min(piece[first - 1][1]) > left:
        first -= 1  # a name over some columns
    while end - 1 > wide[-1] and min(piece[end - 1][1]) == left and is_note(_only(piece[end - 1])):
        end -= 1
    return piece[:first], piece[first:end], piece[end:]


def is_note(text: str) -> bool:
    """Whether a text reads like a sentence rather than a label."""
    return len(text.split()) >= _FEW_WORDS and (text.endswith(_SENTENCE_ENDS) or len(text.split()) > 2 * _FEW_WORDS)


def _is_prose(text: str, *, alone: bool) -> bool:
    """Whether a line above a table is a note that says something of its own, and not what the table is called."""
    is_sentence = is_note(text) and text.endswith(_SENTENCE_ENDS)
    return len(text) > _LONGEST_TITLE or (not alone and is_sentence and not _SCALE.search(text))


def _begins_table(lines: Sequence[SheetLine], before: Sequence[SheetLine], titled: bool) -> bool:
    """Whether lines after a blank row are a table of their own."""
    head = lines[0][1]
    names = [text.casefold() for text in head.values()]
    if len(lines) < 2 or len(names) < 2 or len(set(names)) < len(names) or not all(map(is_name, names)):
        return False
    own, other = _reach(lines), _reach(before)
    if own != other or head == before[0][1]:
        return True
    values = [texts for _, texts in lines[1 : 1 + _LOOKED_AT]]
    numbers = [column for column in head if any(is_numeric(texts.get(column, "")) for texts in values)]
    return bool(numbers) or titled


def _reach(lines: Sequence[SheetLine]) -> tuple[int, int]:
    return min(min(texts) for _, texts in lines), max(max(texts) for _, texts in lines)
