"""Which rows of a table hold its headers, where its document does not say so."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from veritab.schema import Cell

_NUMERIC = re.compile(
    r"[-+\u2212\u2013(]?\s?[$€£¥]?\s?[-+\u2212]?\d[\d.,'\u2019\s]*(?:[eE][-+]?\d+)?\s?[%‰€$£¥)]{0,2}"
    r"|\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[ T][\d:.]+Z?)?"
    r"|\d{1,2}:\d\d(?::\d\d)?"
    r"|[-+\u2212]?\d[\d.,]*\s?[-\u2013]\s?\d[\d.,]*\s?%?"
)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_MOST_TITLES = 5
_MOST_HEADS = 4
_LOOKED_AT = 100


def is_numeric(text: str) -> bool:
    """Whether a text is a number, an amount, a range of numbers, a date or a time."""
    return _NUMERIC.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a text can head a column: words, or a year."""
    return not is_numeric(text) or _YEAR.fullmatch(text) is not None


def with_header(rows: Sequence[Sequence[Cell]], bold: Collection[int] = ()) -> list[tuple[Cell, ...]]:
    """The rows of a table without markup, with the cells that look like headers marked so.

    Lines that fill a single cell above wider rows are titles and are passed over. The next rows hold headers when they
    are `bold` and those after them are not. Otherwise the next row does when a row follows it, its cells are filled
    (the first may be empty, above row labels) and distinct, and each is text, or a year above a column of something
    else. Merged header cells make the row below a header too, and so do gaps that the row below fills.
    """
    marked = [tuple(row) for row in rows]
    first = _first_candidate(marked)
    for row in range(first, min(first + _depth(marked, first, bold), len(marked) - 1)):
        marked[row] = tuple(cell._replace(header=True) for cell in marked[row])
    return marked


def _first_candidate(rows: Sequence[Sequence[Cell]]) -> int:
    filled = [sum(bool(cell.text) for cell in row) for row in rows[: _MOST_TITLES + 1]]
    first = next((index for index, count in enumerate(filled) if count > 1), 0)
    # A single name is no title when it stands over some of the columns only.
    return first - 1 if first and rows[first - 1] and not rows[first - 1][0].text else first


def _depth(rows: Sequence[Sequence[Cell]], first: int, bold: Collection[int]) -> int:
    """How many rows hold headers from this one on."""
    if not rows:
        return 0
    strong = 0
    while first + strong in bold:
        strong += 1
    if 0 < strong <= _MOST_HEADS and first + strong < len(rows):
        return strong
    if _heads(rows, first):
        row = rows[first]
        deepest = max(cell.row_span for cell in row)
        return 2 if deepest == 1 and any(cell.column_span > 1 for cell in row) else deepest
    return 2 if _heads_in_two(rows, first) else 0


def _heads(rows: Sequence[Sequence[Cell]], row: int) -> bool:
    below = rows[row + 1 : row + 1 + _LOOKED_AT]
    texts = [cell.text for cell in rows[row]]
    while texts and not texts[-1]:
        texts.pop()
    named = texts[1:] if texts and not texts[0] else texts
    if len(rows[row]) == 1 and rows[row][0].column_span > 1:
        return False  # a title over the whole width
    if all(line[0].text.endswith(":") for line in rows[row : row + _LOOKED_AT] if line):
        return False  # each row has its name in front
    if not below or not named or not all(named) or len({text.casefold() for text in named}) < len(named):
        return False
    return all(not is_numeric(text) or _heads_as_year(text, below, at) for at, text in enumerate(texts) if text)


def _heads_as_year(text: str, below: Iterable[Sequence[Cell]], column: int) -> bool:
    values = [row[column].text for row in below if column < len(row) and row[column].text]
    return bool(_YEAR.fullmatch(text)) and not all(_YEAR.fullmatch(value) for value in values)


def _heads_in_two(rows: Sequence[Sequence[Cell]], first: int) -> bool:
    """Whether a row names groups of columns, with gaps that the names in the row below fill, above rows of numbers."""
    if first + 2 >= len(rows) or any(cell.column_span > 1 for row in rows[first : first + 2] for cell in row):
        return False
    upper, lower, body = ([cell.text for cell in row] for row in rows[first : first + 3])
    width = max(len(upper), len(lower))
    upper += [""] * (width - len(upper))
    lower += [""] * (width - len(lower))
    names = [text for text in (*upper, *lower) if text]
    filled = all(a or b for a, b in zip(upper[1:], lower[1:], strict=True))
    named = all(map(is_name, names)) and not any(map(is_numeric, lower))
    gaps = sum(not text for text in upper[1:])
    return filled and named and 0 < gaps < width and sum(map(bool, lower)) > 1 and any(map(is_numeric, body))
