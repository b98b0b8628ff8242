"""What a reader of numbers and dates gives: quantities, dates, and ranges of them."""

from __future__ import annotations

from calendar import isleap
from dataclasses import dataclass, replace
from typing import TypeAlias

from veritab.text import Span


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit; `step` is the value of one unit of its last written digit: 100,000 for "1.2 million"."""

    value: float
    unit: str = ""
    span: Span = (0, 0)
    step: float = 1.0
    ordinal: bool = False


@dataclass(frozen=True, slots=True)
class Date:
    """A day, a month or a year, as far as the text says; a bare number such as 1931 is read as a year.

    `years` is how many years are meant, beginning with `year`: 10 for a decade, 100 for a century. A year before Christ
    is negative: 44 BC is -44, and the year after -1 is 1. A day that its month does not have is never held.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    span: Span = (0, 0)
    years: int = 1

    def in_year(self, year: int) -> Date:
        """The same day or month in a year, without the day where that year does not have it."""
        kept = self.day and self.month and has_day(year, self.month, self.day)
        return replace(self, year=year, day=self.day if kept else None)


def has_day(year: int | None, month: int, day: int) -> bool:
    """Whether a month has a day; in an unknown year February has 29."""
    last = 30 if month in (4, 6, 9, 11) else 31
    if month == 2:
        last = 29 if year is None or isleap(year) else 28
    return 1 <= day <= last


NumberOrDate: TypeAlias = Quantity | Date


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers or dates joined by dashes: from low to high, the two sides of a score, or a record such as 5–3–2.

    A record has its third and later numbers in `more`.
    """

    low: NumberOrDate
    high: NumberOrDate
    span: Span = (0, 0)
    more: tuple[NumberOrDate, ...] = ()

    @property
    def parts(self) -> tuple[NumberOrDate, ...]:
        """Every end of the range, in the order written."""
        return (self.low, self.high, *self.more)
