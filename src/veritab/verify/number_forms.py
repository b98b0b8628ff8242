"""Writes numbers and dates in one form, so that a model sees that two are the same: "12345" as "12,345".

A model reads pieces of words, and digits that are grouped otherwise are other pieces. Evidence and claim are written as
prose writes them; a number of four digits, which may be a year, is written in a claim as its evidence writes it.
"""

from __future__ import annotations

import re
from functools import lru_cache

_MONTHS = "January February March April May June July August September October November December".split()
_LONG = re.compile(r"(?<![\w.,:/#-])[1-9]\d{4,14}(?![\w/:-]|,\d)")
_ISO_DATE = re.compile(r"(?<![\w-])(\d{4})-(\d{2})-(\d{2})(?:[T ]00:00(?::00)?)?(?![\w-])")
_FOUR_DIGITS = re.compile(r"(?<![\w.,:/#-])[1-9],?\d{3}(?![\w/:-]|,\d)")


@lru_cache(maxsize=4096)
def write_numbers(text: str) -> str:
    """A text with long numbers grouped by thousands, and dates with the names of their months."""
    return _LONG.sub(lambda found: f"{int(found[0]):,}", _ISO_DATE.sub(_write_date, text))


def _write_date(found: re.Match[str]) -> str:
    year, month, day = found[1], int(found[2]), int(found[3])
    return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= len(_MONTHS) and 1 <= day <= 31 else found[0]


def write_as_in(evidence: str, claim: str) -> str:
    """A claim with its numbers of four digits as the evidence groups them."""
    if not (found := _FOUR_DIGITS.findall(claim)):
        return claim
    known = set(_FOUR_DIGITS.findall(evidence))
    for number in found:
        other = number.replace(",", "") if "," in number else f"{number[0]},{number[1:]}"
        if number not in known and other in known:
            claim = re.sub(rf"(?<![\w.,]){number}(?![\w]|,\d)", other, claim)
    return claim
