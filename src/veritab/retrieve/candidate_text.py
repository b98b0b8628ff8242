"""Elements and rows of tables as the texts that a reranker reads beside a claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from veritab.models.candidates import CandidateText
from veritab.schema import CELLS, Context, Element, ElementId, Kind, Table

# The titles of evidence that came without one, which are placeholders.
_PLACEHOLDERS = frozenset({"Evidence", "Table"})
# A caption may be as long as an article; what it explains must still fit beside it.
_LONGEST_LEAD = 120
_LONGEST_NAME = 80
_MOST = 400


def candidate_text(element: Element) -> CandidateText:
    """An element as the selector reads it: "Title. Section: text"; a cell after its headers, with its span."""
    if element.kind is Kind.TITLE:
        return CandidateText(element.text)
    lead = _lead(element.id.page, element.context)
    if element.kind not in CELLS:
        return CandidateText(lead + element.text)
    headers = [near for near in element.context if near.id.kind is Kind.HEADER_CELL and near.text]
    # A cell that reaches over several rows has headers beside it in all of them.
    beside = [near.text for near in headers if near.id.path[1] >= element.id.path[1]]
    above = [near for near in headers if near.id.path[1] < element.id.path[1]]
    over = _column_names(above)
    names = over or _column_prefix(" ".join(reversed(beside)))
    label = "".join(f"{_clip(text)}; " for text in reversed(beside)) if over else ""
    start = len(lead + label + names)
    return CandidateText(f"{lead}{label}{names}{element.text}.", ((start, start + len(element.text)),))


def row_candidates(
    table: Table, rows: Iterable[int] | None = None, *, most: int = _MOST
) -> list[tuple[CandidateText, tuple[ElementId, ...]]]:
    """The rows of a table as the selector reads them, each with the addresses of its cells in the order of its spans.

    "Title. Section. Caption: row header; column header is cell; column header is cell." Of a row with more than `most`
    characters several candidates are made, which all begin with its first cell. Empty cells are not read.
    """
    caption = table.caption_element
    lead = _lead(table.id.page, [*table.context, *([Context(caption.id, caption.text)] if caption else [])])
    wanted = range(len(table.places)) if rows is None else rows
    printed = (_printed(table, row, most) for row in wanted)
    return [_row_text(lead, cells) for row in printed for cells in _split_row(row, most)]


class _Printed(NamedTuple):
    """A cell as it is printed in its row: what stands before it, its text, and its address."""

    before: str
    text: str
    id: ElementId

    @property
    def length(self) -> int:
        return len(self.before) + len(self.text)


def _printed(table: Table, row: int, most: int) -> list[_Printed]:
    cells: list[_Printed] = []
    after_header = False
    for place in dict.fromkeys(place for place in table.places[row] if place):
        cell, id = table.rows[place[0]][place[1]], table.cell_id(place)
        if not cell.text:
            continue
        # Headers name themselves; above those of rows stand those of other rows.
        names = "" if cell.header else _column_names(table.column_headers(id))
        # In an infobox the header of the row is all there is to name the cell.
        joint = " is " if after_header and not names and not cell.header else "; "
        cells.append(_Printed((joint if cells else "") + names, cell.text[:most], id))
        after_header = cell.header
    return cells


def _column_names(above: Sequence[Context]) -> str:
    """The headers above a cell, outermost first; the title of the page, as over an infobox, names no column."""
    names = (near.text for near in reversed(above) if near.text and near.text != near.id.page)
    return _column_prefix(" ".join(dict.fromkeys(names)))


def _split_row(row: Sequence[_Printed], most: int) -> Iterator[list[_Printed]]:
    """The cells of a row in stretches of about `most` characters; the later ones begin with its first cell."""
    part: list[_Printed] = []
    length = 0
    for cell in row:
        if length and length + cell.length > most:
            yield part
            part, length = [row[0]._replace(text=row[0].text[:_LONGEST_NAME])], 0
        part.append(cell)
        length += cell.length
    if part:
        yield part


def _row_text(lead: str, cells: Sequence[_Printed]) -> tuple[CandidateText, tuple[ElementId, ...]]:
    text = lead
    spans: list[tuple[int, int]] = []
    for cell in cells:
        start = len(text) + len(cell.before)
        text += cell.before + cell.text
        spans.append((start, len(text)))
    return CandidateText(f"{text}.", tuple(spans)), tuple(cell.id for cell in cells)


def _lead(title: str, context: Iterable[Context]) -> str:
    """What stands above: "Title. Section › Subsection. Caption: "."""
    near = list(context)
    sections = " › ".join(each.text for each in near if each.id.kind is Kind.SECTION and each.text)
    captions = [each.text for each in near if each.id.kind is Kind.TABLE_CAPTION]
    parts = ["" if title in _PLACEHOLDERS else title, sections, *captions]
    shown = [_clip(part, _LONGEST_LEAD) for part in parts if part]
    return f"{'. '.join(shown)}: " if shown else ""


def _column_prefix(header: str) -> str:
    return f"{_clip(header)} is " if header else ""


def _clip(text: str, most: int = _LONGEST_NAME) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
