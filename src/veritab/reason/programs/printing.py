"""Values as people write them: 1,234.5 and 37.3 %, 9 May 1931, 12–4."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from veritab.lexicon.numbers import MONTH_NAMES, ORDINALS
from veritab.quantities import Date, Quantity, Range
from veritab.reason.programs.values import ProgramValue

_MAX_WORDS = 60
_BARE = re.compile(r"[0-9][0-9.,]{0,20}")
_SPELLED_ORDINALS = list(ORDINALS)[:10]
_BEFORE_NUMBER = frozenset("$€£¥₹₩₽₺₱₦฿") | {"CN¥", "R$"}
# Words in the plural; units written as signs (km, %) have none.
_IN_WORDS = frozenset("day week month year decade franc peso acre byte".split())
_MAX_DIGITS = 1e15


def format_value(value: ProgramValue | None) -> str:
    """A value as people write it: 66, 1,234.5, 37.3 %, 9 May 1931, 12–4."""
    match value:
        case None:
            return "nothing"
        case str():
            return value
        case Range():
            return _range(value)
        case Date():
            return _date(value)
        case Quantity():
            return _measured(_number(value), value)


def _range(value: Range) -> str:
    units = {part.unit for part in value.parts if isinstance(part, Quantity)}
    if len(units) != 1 or any(isinstance(part, Date) for part in value.parts):
        return "–".join(map(format_value, value.parts))
    numbers = [part for part in value.parts if isinstance(part, Quantity)]
    return _measured("–".join(map(_number, numbers)), numbers[-1])


def _measured(number: str, quantity: Quantity) -> str:
    """A number with its unit, which comes before the number where it is the sign of a currency."""
    unit = quantity.unit
    if not unit or quantity.ordinal:
        return number
    if unit in _BEFORE_NUMBER:
        return f"-{unit}{number[1:]}" if number.startswith("-") else f"{unit}{number}"
    if unit == "century":
        return f"{number} {'century' if number == '1' else 'centuries'}"
    return f"{number} {unit}{'s' if unit in _IN_WORDS and number != '1' else ''}"


def _number(quantity: Quantity) -> str:
    value = quantity.value
    if not math.isfinite(value) or abs(value) >= _MAX_DIGITS:
        return f"{value:.3g}"
    if value == int(value):
        return _with_ending(int(value)) if quantity.ordinal else f"{value + 0.0:,.0f}"
    text = f"{value:,.{_decimals(quantity)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _decimals(quantity: Quantity) -> int:
    """As many as were written; for a number that was computed two, or what a small one needs to show three digits."""
    written = -math.floor(math.log10(quantity.step) + 1e-9) if 0 < quantity.step < 1 else 0
    needed = 1 if quantity.unit == "%" else 2
    if abs(quantity.value) < 1:
        needed = 2 - math.floor(math.log10(abs(quantity.value)))
    return min(max(written if written < 7 else 0, needed), 12)


def _date(date: Date) -> str:
    if date.years == 100 and date.year is not None:
        century = (date.year - 1) // 100 + 1 if date.year > 0 else -(date.year // 100)
        return f"{_with_ending(century)} century{'' if date.year > 0 else ' BC'}"
    parts = [str(date.day)] if date.day else []
    if date.month:
        parts.append(MONTH_NAMES[date.month - 1])
    if date.year is not None:
        decade = "s" if date.years == 10 else ""
        parts.append(f"{abs(date.year)}{decade}{' BC' if date.year < 0 else ''}")
    return " ".join(parts) or "a day"


def _with_ending(number: int) -> str:
    ending = "th" if 10 <= abs(number) % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(abs(number) % 10, "th")
    return f"{number:,}{ending}"


def ordinal_word(number: int) -> str:
    """A rank in words where people use words: second, but 21st."""
    return _SPELLED_ORDINALS[number - 1] if 1 <= number <= len(_SPELLED_ORDINALS) else _with_ending(number)


def quote_value(value: ProgramValue | None) -> str:
    """A value inside a sentence, words in quotation marks."""
    if not isinstance(value, str) or _BARE.fullmatch(value):
        return format_value(value)
    return f'"{truncate(value, _MAX_WORDS)}"'


def truncate(text: str, length: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def join_items(items: Sequence[str], most: int = 3, of: int = 0) -> str:
    """Items in a phrase: a, b and c, or a, b, c and 7 more; `of` is how many there are where not all are given."""
    count = max(of, len(items))
    if count > most + 1:
        return f"{', '.join(items[:most])} and {count - most:,} more"
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
