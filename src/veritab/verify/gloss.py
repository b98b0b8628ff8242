"""Says in the words of a claim what the numbers of its evidence are: "146.6 m (481 ft, about 480 feet)".

A model that reads does not convert units, round or count years. What can be worked out number by number is written
beside each number that the claim may be about; which of them it is about stays for the model to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from veritab.quantities import Date, Quantity, Range, age, agree, convert, parse_quantities, parse_unit
from veritab.reason.hedges import holds_roughly
from veritab.schema import Evidence
from veritab.text import content_terms

MOST_NOTES = 10
NO_BIRTHS: Mapping[str, Date] = {}
_LARGE = 1000
_SCALED = re.compile(r"(?<![a-z])(?:k|m|mn|bn|thousand|million|billion|trillion)\b", re.IGNORECASE)
_CURRENCIES = frozenset(["", "€", "$", "£"])
_SMALLEST, _LARGEST = 1e-3, 1e12
_NEAR = 0.1
_DEGREE = "(?:(?:(?P<slight>just|slightly|a little|a bit|little)|well|far|much) )?"
# In the order in which they are tried: "no more than" is not "more than".
_BOUND_WORDS = {
    "at most": "(?:(?:no|not|never) (?:more than|over|above)|(?:not|never) exceed(?:s|ed|ing)?|at most|up to)",
    "at least": "(?:(?:no|not|never) (?:less than|fewer than|under|below)|at least)",
    "about": "(?:about|around|roughly|approximately|nearly|almost|close to|some|circa|not quite)",
    "more": f"{_DEGREE}(?:more than|over|above|in excess of|upwards of|exceed(?:s|ed|ing)?)",
    "less": f"{_DEGREE}(?:less than|fewer than|under|below|short of)",
}
_BOUNDS = {bound: re.compile(rf"\b{words}(?: an?| the)? $", re.IGNORECASE) for bound, words in _BOUND_WORDS.items()}
_LONGEST_BOUND = 40
_HEDGES = {"not": "almost", "close": "about"}
_PARTS = {"half": 0.5, "a quarter of": 0.25, "a third of": 1 / 3, "three quarters of": 0.75, "": 1.0}
_WORDED = re.compile(r"\b(half |a quarter of |a third of |three quarters of |)an? ([a-z]{3,})\b", re.IGNORECASE)
_HEADER_UNIT = re.compile(r"\(([^()]{1,14})\)[^().;:]{0,40}? is (?=\d)")
_YEARS = r"(?:\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|\w+teen|ten|eleven|twelve)"
_AGE = re.compile(
    rf"\b(?:aged?|at the age of|turned|at) {_YEARS}\b|\b{_YEARS}[ -]years?[ -]old\b|"
    rf"\b(?:was|were|is|only|just|about|over|under|nearly|almost) {_YEARS} when\b",
    re.IGNORECASE,
)
_OLDEST = 110


class _Stated(NamedTuple):
    """A number of a claim, and how the claim bounds it."""

    value: Quantity
    bound: str
    slight: bool
    words: str

    def holds(self, value: Quantity) -> bool | None:
        """Whether a value, in the same unit, is as the claim says; None where opinions differ."""
        stated = self.value.value
        if self.bound == "about":
            hedge = self.words.split()[0].lower()
            return holds_roughly(value, self.value, _HEDGES.get(hedge, hedge))
        if not self.bound:
            return agree(value, self.value)
        if self.bound in ("at least", "at most"):
            return value.value >= stated if self.bound == "at least" else value.value <= stated
        beyond = value.value > stated if self.bound == "more" else value.value < stated
        return beyond and (not self.slight or abs(value.value - stated) <= _NEAR * abs(stated))


def gloss(claim: str, text: str, births: Mapping[str, Date] = NO_BIRTHS, most: int = MOST_NOTES) -> str:
    """The text with what its numbers are in the words of the claim, beside them."""
    notes = [*_number_notes(claim, text), *_age_notes(claim, text, births)]
    for place, note in sorted(notes[:most], reverse=True):
        text = f"{text[:place]} ({note}){text[place:]}"
    return text


def _number_notes(claim: str, text: str) -> Iterator[tuple[int, str]]:
    stated = list(_stated(claim))
    for quantity in _quantities(text) if stated else ():
        end = quantity.span[1]
        if text[end : end + 2] == " (" or text[: quantity.span[0]].endswith("("):  # "146.6 m (481 ft)"
            continue
        notes = [note for each in stated if (note := _note(each, quantity, text[slice(*quantity.span)])).text]
        if notes:
            yield end, max(notes, key=lambda note: note.holds).text


def _stated(claim: str) -> Iterator[_Stated]:
    """The numbers of a claim that a text may give otherwise: with a unit, large, or bounded."""
    for value in (*parse_quantities(claim), *_worded(claim)):
        if not isinstance(value, Quantity) or value.ordinal or not (value.unit or abs(value.value) >= _LARGE):
            continue
        before, words = claim[max(0, value.span[0] - _LONGEST_BOUND) : value.span[0]], claim[slice(*value.span)]
        found = ((bound, match) for bound, pattern in _BOUNDS.items() if (match := pattern.search(before)))
        bound, match = next(found, ("", None))
        if not bound and value.step < 0:
            continue
        slight = bool(match and match.groupdict().get("slight"))
        yield _Stated(value, bound, slight, f"{match[0].strip().lower()} {words}" if match else words)


def _worded(claim: str) -> Iterator[Quantity]:
    """Numbers without a numeral: "half a mile", "a month"; the second is one only after a bound."""
    for match in _WORDED.finditer(claim):
        unit, part = parse_unit(match[2]), _PARTS[match[1].strip().lower()]
        if unit:
            yield Quantity(part, unit, match.span(), step=part if match[1] else -1.0)


def _quantities(text: str) -> Iterator[Quantity]:
    """The numbers of a text, with the units that stand in the headers of their columns."""
    headers = {match.end(): parse_unit(match[1]) for match in _HEADER_UNIT.finditer(text)}
    for each in parse_quantities(text):
        for value in each.parts if isinstance(each, Range) else (each,):
            if isinstance(value, Quantity) and not value.ordinal:
                yield replace(value, unit=value.unit or headers.get(value.span[0], ""))


class _Note(NamedTuple):
    text: str = ""
    holds: bool = False


def _note(stated: _Stated, value: Quantity, written: str) -> _Note:
    """What a number is in the unit of the claim, and whether it is as the claim says; nothing where both are plain."""
    unit, is_large = stated.value.unit, abs(value.value) >= _LARGE
    alike = bool(_SCALED.search(written)) == bool(_SCALED.search(stated.words))
    if unit:
        converted, same = convert(value, unit), value.unit == unit and (alike or not is_large)
    else:
        # A claim may leave out the currency.
        converted, same = replace(value, unit="") if is_large and value.unit in _CURRENCIES else None, alike
    if converted is None or (same and not stated.bound) or not _SMALLEST <= abs(converted.value) < _LARGEST:
        return _Note()
    number = _number(converted.value)
    shown = f"{unit}{number}" if unit in _CURRENCIES else f"{number} {unit}"
    parts = [] if same or shown == written else [shown]
    holds = bool(stated.holds(converted))
    return _Note(", ".join(dict.fromkeys([*parts, stated.words] if holds else parts)), holds)


def _number(value: float) -> str:
    rounded = float(f"{value:.3g}")
    for size, word in ((1e9, "billion"), (1e6, "million")):
        if abs(rounded) >= size:
            return f"{rounded / size:g} {word}"
    return f"{float(f'{value:.4g}'):,.0f}" if abs(value) >= _LARGE else f"{float(f'{value:.3g}'):g}"


def find_births(claim: str, evidence: Evidence) -> dict[str, Date]:
    """When those were born whose pages a claim names, by the infoboxes among the evidence."""
    if not _AGE.search(claim):
        return {}
    named = set(content_terms(claim))
    births: dict[str, Date] = {}
    for table in evidence.tables:
        if table.infobox and not named.isdisjoint(content_terms(table.id.page)):
            lines = (row for row in table.rows if len(row) > 1 and row[0].text.lower() == "born")
            dates = (each for row in lines for each in parse_quantities(row[1].text) if isinstance(each, Date))
            born = next((date for date in dates if date.year is not None), None)
            if born:
                births[table.id.page] = born
    return births


def _age_notes(claim: str, text: str, births: Mapping[str, Date]) -> Iterator[tuple[int, str]]:
    """How old those whose birth is known were at each date, where the claim gives an age."""
    if not births or not _AGE.search(claim):
        return
    for each in parse_quantities(text):
        if not isinstance(each, Date) or each.year is None or each.years > 1:
            continue
        ages = ((name, age(born, each)) for name, born in births.items())
        notes = [f"{name} aged {_whole(years)}" for name, years in ages if years and 0 < years.value <= _OLDEST]
        if notes:
            yield each.span[1], "; ".join(notes)


def _whole(years: Quantity) -> str:
    """An age in whole years; a year without a day leaves two."""
    return f"{years.value:.0f}" if not years.step else f"{years.value - 1:.0f} or {years.value:.0f}"
