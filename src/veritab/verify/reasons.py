"""Says in a line which evidence speaks for or against a claim, with its words and its page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from veritab.schema import CELLS, Element, Label
from veritab.text import shorten
from veritab.verify.compose import Piece
from veritab.verify.render import PLACEHOLDERS

_TOGETHER = "taken together, "
_SPEAKS = re.compile(r" speaks? (?:for|against) it, (?:over )?\d+ %")
_LONGEST = 140
_MOST_QUOTED = 3
_SIDES = {Label.SUPPORTS: "for", Label.REFUTES: "against"}


def say_what_speaks(pieces: Sequence[Piece], label: Label, score: float) -> str:
    """That these pieces speak for or against the claim; empty where they leave it open."""
    if label not in _SIDES or not pieces:
        return ""
    quotes = [quote_piece(piece) for piece in pieces[:_MOST_QUOTED]]
    left = len(pieces) - len(quotes)
    quotes += [f"{left} more piece{'s' * (left != 1)}"] if left else []
    named = " and ".join(filter(None, [", ".join(quotes[:-1]), quotes[-1]]))
    verb = "speaks" if len(pieces) == 1 else "together speak"
    return f"{named} {verb} {_SIDES[label]} it, {format_score(score)}"


def say_together(what: str, label: Label, score: float) -> str:
    """What evidence says that is too much to be quoted."""
    if label not in _SIDES:
        return f"{_TOGETHER}{what} leave it open, {format_score(score)}"
    return f"{_TOGETHER}{what} speak {_SIDES[label]} it, {format_score(score)}"


def tells_reading(line: str) -> bool:
    """Whether a line says what a reading gave."""
    return line.startswith(_TOGETHER) or bool(_SPEAKS.search(line))


def quote_piece(piece: Piece) -> str:
    """The words of a piece and its page; of a row its name, and what each column says."""
    words = " · ".join(dict.fromkeys(filter(None, [*_row_name(piece[0]), *map(_words, piece)])))
    page = piece[0].id.page
    return f"“{shorten(words, _LONGEST)}”{'' if page in PLACEHOLDERS else f' ({page})'}"


def _row_name(element: Element) -> list[str]:
    """What the headers beside a cell call its row."""
    return [near.text for near in element.context if near.id.kind in CELLS and near.id.path[1] == element.id.path[1]]


def _words(element: Element) -> str:
    """What an element says; a cell under a header, with that."""
    if element.kind not in CELLS:
        return element.text
    place, page = element.id.path[1], element.id.page
    near = (each for each in element.context if each.id.kind in CELLS and each.id.path[1] < place)
    # Over an infobox stands what its page is about.
    above = [each.text for each in near if each.text != page]
    return f"{above[0]}: {element.text}" if above and element.text else element.text


def format_score(score: float) -> str:
    """A probability for readers, never as certain as 100 %."""
    return "over 99 %" if score > 0.99 else f"{100 * score:.0f} %"


def join_unique(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines without the empty ones, each once."""
    return tuple(dict.fromkeys(filter(None, lines)))
