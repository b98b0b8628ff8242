"""Decide whether something rose or fell by a sentence that gives it for two years.

"In 2025 it sold 412,000 loaves, after 388,000 the year before" settles "It sold more loaves in 2025 than in 2024". The
sentence may hold no other numbers, and all that the claim says besides has to stand in it or above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.quantities import Date, Quantity, Range, dimension, parse_quantities
from veritab.reason.joined.concluding import conclude_joined
from veritab.reason.reasoner import Reasoning
from veritab.schema import Element, Kind
from veritab.text import squeeze, stems

_MAX_CLAIM, _MAX_SENTENCES = 160, 500
_UP = "more|higher|larger|bigger|greater|rose|grew|increased|went up|climbed"
_DOWN = "fewer|less|lower|smaller|fell|dropped|declined|decreased|went down|shrank"
_BEFORE = r"(?:the|a) (?:year|season) (?:before|earlier)|the (?:previous|preceding) (?:year|season)"
_THAN = re.compile(
    rf"(?:In (?P<first>\d{{4}}),? )?(?P<who>.*?) ?\b(?P<word>{_UP}|{_DOWN}) (?P<what>[^\W\d][\w -]*?)"
    rf"(?: in (?P<later>\d{{4}}))? than (?:(?:in|for|during) )?(?:(?P<earlier>\d{{4}})|{_BEFORE})",
)
_CHANGED = re.compile(
    rf"(?:In (?P<first>\d{{4}}),? )?(?P<what>[^\d]+?) (?P<word>{_UP}|{_DOWN})"
    rf"(?: in (?P<later>\d{{4}}))?(?: (?:from|compared with|over) (?:(?P<earlier>\d{{4}})|{_BEFORE}))?",
)
_LATER_FIRST = re.compile(r",? (?:after|against|up from|down from|compared (?:with|to)|from)(?: about| some)? ?\Z")
_TIME = re.compile(rf"[^,;]{{0,30}}?\b(?:(?:in|for) (?P<year>\d{{4}})|{_BEFORE})\b")
_IN_YEAR = re.compile(r"[^,;]{0,30}?\bin (?P<year>\d{4})\b(?! to)")
_CLAUSE = re.compile(r"[;:]|, (?!\d)|\b(?:and|but|while|whereas|although|when)\b")
_PLAIN = frozenset(stems("the a an its their his her of in at on for it they has had have was were is are did there"))
_TEXTS = frozenset({Kind.SENTENCE, Kind.PASSAGE, Kind.ITEM})


class _Change(NamedTuple):
    """What a claim says rose or fell, and between which years, where it says so."""

    stems: frozenset[str]
    rises: bool
    later: int | None
    earlier: int | None


class _Two(NamedTuple):
    """A value for a year and for one before, with the words of their clause."""

    later: Quantity
    earlier: Quantity
    clause: frozenset[str]
    year: int | None
    year_before: int | None
    said: str


def decide_change(claim: str, elements: Iterable[Element]) -> Reasoning | None:
    """What sentences say of a claim that something rose or fell; None where they leave it open or disagree."""
    said = _parse(squeeze(claim).rstrip(" .")) if len(claim) <= _MAX_CLAIM else None
    if said is None:
        return None
    found: list[Reasoning] = []
    for element in [each for each in elements if each.kind in _TEXTS][:_MAX_SENTENCES]:
        two = _read(element.text)
        if two and (answer := _answer(said, two, element)) is not None:
            found.append(conclude_joined(claim, answer, two.said, [element.id]))
    return found[0] if found and len({each.answer for each in found}) == 1 else None


def _parse(claim: str) -> _Change | None:
    matched = _THAN.fullmatch(claim) or _CHANGED.fullmatch(claim)
    if not matched:
        return None
    groups = matched.groupdict()
    text = f"{groups.get('who') or ''} {groups['what']}"
    words = frozenset(stems(text)) - _PLAIN
    later = groups["later"] or groups["first"]
    if (groups["later"] and groups["first"]) or not words or not words.isdisjoint(TABLE_STOP_STEMS):
        return None
    rises = re.fullmatch(_UP, groups["word"]) is not None
    return _Change(words, rises, int(later) if later else None, int(groups["earlier"]) if groups["earlier"] else None)


def _read(sentence: str) -> _Two | None:
    """The two values of a sentence that gives nothing else; None where it is not of this kind."""
    values = [each for each in parse_quantities(sentence) if not isinstance(each, Date)]
    match values:
        case [Quantity() as later, Quantity() as earlier]:
            return _read_with_earlier(sentence, later, earlier)
        case [Range(low=Quantity() as earlier, high=Quantity() as later)]:
            return _read_from_to(sentence, earlier, later)
    return None


def _read_with_earlier(sentence: str, later: Quantity, earlier: Quantity) -> _Two | None:
    """Of "412,000 loaves, after 388,000 the year before"."""
    between, after = sentence[later.span[1] : earlier.span[0]], sentence[earlier.span[1] :]
    told, joint = _TIME.match(after), _LATER_FIRST.search(between)
    if not told or not joint or _CLAUSE.search(between[: joint.start()]):
        return None
    years = _years(sentence[: later.span[0]]) | _years(between)
    year = years.pop() if len(years) == 1 else None
    before = int(told["year"]) if told["year"] else year - 1 if year else None
    return _join(sentence, later, earlier, between[: joint.start()], year, before)


def _read_from_to(sentence: str, earlier: Quantity, later: Quantity) -> _Two | None:
    """Of "fell from 450 to 312 in 2025"."""
    after = sentence[later.span[1] :]
    if not sentence[: earlier.span[0]].rstrip().endswith("from"):
        return None
    years, told = _years(sentence[: earlier.span[0]]), _IN_YEAR.match(after)
    year = int(told["year"]) if told else years.pop() if len(years) == 1 else None
    return _join(sentence, later, earlier, _CLAUSE.split(after)[0], year, None)


def _join(
    sentence: str, later: Quantity, earlier: Quantity, beside: str, year: int | None, before: int | None
) -> _Two | None:
    if later.ordinal or earlier.ordinal or (earlier.unit and dimension(later.unit) != dimension(earlier.unit)):
        return None
    first = min(later.span[0], earlier.span[0])
    start = max((match.end() for match in _CLAUSE.finditer(sentence[:first])), default=0)
    return _Two(later, earlier, frozenset(stems(sentence[start:first] + beside)), year, before, sentence.rstrip("."))


def _years(text: str) -> set[int]:
    return {each.year for each in parse_quantities(text) if isinstance(each, Date) and each.year and each.years == 1}


def _answer(said: _Change, two: _Two, element: Element) -> bool | None:
    above = " ".join((element.id.page, *(near.text for near in element.context)))
    around = frozenset(stems(f"{above} {element.text}"))
    # What rose has to stand beside the numbers: another clause of the sentence may speak of something else.
    if not said.stems <= around or said.stems.isdisjoint(two.clause):
        return None
    year = two.year or next(iter(_years(above)), None)
    for stated, known in ((said.later, year), (said.earlier, two.year_before or (year - 1 if year else None))):
        if stated is not None and stated != known:
            return None
    apart = two.later.value - two.earlier.value
    if 0 < abs(apart) < max(two.later.step, two.earlier.step) / 2:
        return None
    return apart > 0 if said.rises else apart < 0
