"""The plain statements that a claim may be."""

from __future__ import annotations

from dataclasses import dataclass

from veritab.reason.parsing.claims import StatedNumber

WITHIN = "within"
"""The attribute of statements that one thing lies in another, which its country tells."""


@dataclass(frozen=True)
class Amount:
    """By how much, or how many times as much; `hedge` makes it a rough number."""

    number: StatedNumber
    hedge: str = ""
    is_factor: bool = False
    slight: bool = False
    """Whether it is a limit that is hardly passed: "just under three hours"."""


@dataclass(frozen=True)
class ComparisonStatement:
    """That one thing has more, or less, of an attribute than another."""

    one: str
    other: str
    attributes: tuple[str, ...]
    up: int
    """1 where the first has more of it, -1 where less, 0 where the two only differ by so much."""
    amount: Amount | None = None
    negated: bool = False
    vague: bool = False
    """Whether the statement says vaguely by how much: "slightly taller"."""
    word: str = ""
    """The comparative."""
    must_agree: bool = False
    """Whether it does not say by what it compares, so that all attributes have to agree."""


@dataclass(frozen=True)
class AgeStatement:
    """How old someone was at death, or how long something lasted."""

    one: str
    amount: Amount
    until: str = "died"


@dataclass(frozen=True)
class SameStatement:
    """That two things have the same, or not the same, of an attribute."""

    one: str
    other: str
    attribute: str
    same: bool = True


@dataclass(frozen=True)
class ValueStatement:
    """That a thing has a value of an attribute."""

    one: str
    attributes: tuple[str, ...]
    value: str
    negated: bool = False
    confirms: bool = False
    """Whether another value does not contradict it: who was born in Copenhagen was born in Denmark."""
    year: str = ""
    """The year of which it is said, which the value has to have too."""


@dataclass(frozen=True)
class EventStatement:
    """When something happened."""

    event: str
    date: str
    confirms: bool = True
    """Whether another date does not contradict it, since such things happen more than once."""


Statement = ComparisonStatement | AgeStatement | SameStatement | ValueStatement | EventStatement
