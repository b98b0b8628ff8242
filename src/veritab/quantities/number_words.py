"""Numbers in words: "two hundred and fifty thousand", "three and a half million"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from veritab.lexicon.numbers import FRACTIONS_AFTER_NUMBERS, ORDINALS, SCALES, SMALL_CARDINALS, TENS
from veritab.quantities.patterns import PART, SPELLED_PIECE
from veritab.quantities.types import NumberOrDate, Quantity
from veritab.quantities.units import parse_unit
from veritab.text import Span


def fraction_value(text: str) -> float:
    """The value of a half or of some quarters."""
    found = PART.search(text)
    return FRACTIONS_AFTER_NUMBERS[found[0].lower()] if found else 1.0


def parse_number_words(match: re.Match[str]) -> Iterator[NumberOrDate]:
    """The numbers in a run of number words, one or several."""
    end = match.start("unit") if match["unit"] else match.end()
    pieces = list(SPELLED_PIECE.finditer(match.string, match.start(), end))
    words = ["", *(piece[0].lower() for piece in pieces), ""]
    numbers: list[Quantity] = []
    share: float | None = None
    for before, word, after, piece in zip(words, words[1:], words[2:], pieces, strict=False):
        goes_on = numbers and not numbers[-1].ordinal
        if not piece["part"]:
            longer = _extended(numbers[-1], word) if goes_on and share is None else None
            if longer:
                numbers[-1] = replace(longer, span=(longer.span[0], piece.end()))
            else:
                start = piece.start() if numbers else match.start()
                numbers.append(_number_of(word, (start, piece.end()), share))
            share = None
        elif after in SCALES and not (goes_on and before not in SCALES):
            share = fraction_value(word)
        elif goes_on:
            # "A million and a half" has half a million more.
            whole = SCALES.get(before, 1)
            value, span = numbers[-1].value + fraction_value(word) * whole, (numbers[-1].span[0], piece.end())
            numbers[-1] = replace(numbers[-1], value=value, step=whole / 10, span=span)
    if match["unit"]:
        numbers[-1] = replace(numbers[-1], unit=parse_unit(match["unit"]), span=(numbers[-1].span[0], match.end()))
    yield from numbers


def _number_of(word: str, span: Span, share: float | None) -> Quantity:
    value = SMALL_CARDINALS.get(word) or TENS.get(word) or ORDINALS.get(word) or SCALES.get(word, 0)
    step = float(value) if value >= 1000 else 1.0
    if share is not None:
        return Quantity(value * share, "", span, step / 10)
    return Quantity(float(value), "", span, step, word in ORDINALS)


def _extended(number: Quantity, word: str) -> Quantity | None:
    """The number with one word more: "two hundred" with "fifty" goes on, "two" with "five" does not."""
    if number.ordinal:
        return None
    scale = SCALES.get(word)
    if scale:
        # In "two million five hundred thousand" the thousand counts only what follows the million.
        below = number.value % (scale * 1000 if scale >= 1000 else 1000)
        step = number.step * scale if number.step < 1 else float(scale) if scale >= 1000 else 1.0
        return replace(number, value=number.value - below + (below or 1) * scale, step=step)
    value = SMALL_CARDINALS.get(word) or TENS.get(word) or ORDINALS.get(word, 0)
    room = 10 if value < 10 else 100
    if number.value < 20 or number.value % room:
        return None
    return replace(number, value=number.value + value, step=1.0, ordinal=word in ORDINALS)
