"""Where two people were born, died or are buried: "A and B were born in the same town", "A was a native of B"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

from veritab.reason.joined.concluding import conclude_joined
from veritab.reason.measurements import without_brackets
from veritab.reason.reasoner import Reasoning
from veritab.reason.subjects import Subjects, SubjectValue
from veritab.text import stems

_ATTRIBUTES = {"born": "birthplace", "died": "death place", "buried": "burial"}
_NAME = r"(?-i:[A-Z])[\w' .-]*"
_VERB = r"(?:(?:was|were|is|are|lies|lie) )?(?P<verb>born|died|buried)"
_TOWNS = r"towns?|city|cities|village"
_GRAVES = r"church|abbey|cathedral|cemetery"
_SAME = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<one>.+?) and (?P<other>.+?) {_VERB} in (?P<same>the same|different) (?P<noun>{_TOWNS}|place|{_GRAVES})",
        rf"(?P<one>.+?) {_VERB} in (?P<same>the same) (?P<noun>{_TOWNS}|place|{_GRAVES}) as (?P<other>.+?)"
        r"(?: was| did| is)?",
    )
)
_IN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<one>.+?) (?:was|were) (?P<both>both )?(?P<verb>born) in (?P<place>{_NAME})",
        rf"(?P<one>.+?) (?P<both>both )?(?P<verb>died) in (?P<place>{_NAME})",
        rf"(?P<one>.+?) was a (?P<verb>native) of (?P<place>{_NAME})",
    )
)
_PARTS = re.compile(r"\s*(?:[,;/]|\bnear\b)\s*")
_MAX_PAIRS = 9


def decide_places(claim: str, text: str, subjects: Subjects) -> Iterator[Reasoning]:
    """The answers that birthplaces and graves give."""
    for pattern in _SAME:
        if found := pattern.fullmatch(text):
            yield from _compare(claim, found, subjects)
    for pattern in _IN:
        if found := pattern.fullmatch(text):
            attribute = _ATTRIBUTES.get(found["verb"].lower(), "birthplace")
            people = found["one"].split(" and ") if found.groupdict().get("both") else [found["one"]]
            yield from _place_all(claim, people, attribute, found["place"], subjects)


def _find(subjects: Subjects, name: str, attribute: str) -> list[SubjectValue]:
    return [value for value in subjects.values(name) if value.attribute == attribute]


def _compare(claim: str, found: re.Match[str], subjects: Subjects) -> Iterator[Reasoning]:
    attribute = _ATTRIBUTES[found["verb"].lower()]
    # A grave is in a church, and people are born in towns.
    if (attribute == "burial") is not bool(re.fullmatch(_GRAVES, found["noun"], re.IGNORECASE)):
        return
    pairs = product(*(_find(subjects, found[name], attribute) for name in ("one", "other")))
    for one, other in islice(pairs, _MAX_PAIRS):
        same = _are_same(one.text, other.text, subjects)
        if same is not None and one.subject != other.subject:
            said = f"{attribute} of {one.subject} = {one.text}, of {other.subject} = {other.text}"
            yield conclude_joined(claim, same is (found["same"].lower() == "the same"), said, (*one.ids, *other.ids))


def _are_same(one: str, other: str, subjects: Subjects) -> bool | None:
    """Whether two places are the same town; None where one may lie in the other, or both in a third."""
    first, second = ([stems(part) for part in _PARTS.split(without_brackets(text))] for text in (one, other))
    if not first[0] or not second[0]:
        return None
    if first[0] == second[0]:
        # One Springfield lies in Illinois, another in Ohio.
        rest = [{word for part in parts[1:] for word in part} for parts in (first, second)]
        return None if all(rest) and rest[0].isdisjoint(rest[1]) else True
    words = [{word for part in parts for word in part} for parts in (first, second)]
    # What comes last is the country, which two towns may share; anything else may be the town of both.
    shared = {part for part in first[1:] if part in second[1:]}
    if first[-1] == second[-1] and not _is_town(_PARTS.split(without_brackets(one))[-1], subjects):
        shared.discard(first[-1])
    if shared or not set(first[0]).isdisjoint(words[1]) or not set(second[0]).isdisjoint(words[0]):
        return None
    return False


def _place_all(claim: str, people: list[str], attribute: str, place: str, subjects: Subjects) -> Iterator[Reasoning]:
    """The answer to where people were born: false where one was not born there, true where all were."""
    judged = []
    for person in people:
        values = _find(subjects, person, attribute)
        answers = {_lies_in(value.text, place, subjects) for value in values}
        if len(answers) != 1:
            return
        judged.append((answers.pop(), values[0]))
    false = [value for answer, value in judged if answer is False]
    if not false and not all(answer for answer, _ in judged):
        return
    deciding = false[:1] or [value for _, value in judged]
    said = ", ".join(f"{attribute} of {value.subject} = {value.text}" for value in deciding)
    yield conclude_joined(claim, not false, said, [id for value in deciding for id in value.ids])


def _lies_in(text: str, place: str, subjects: Subjects) -> bool | None:
    """Whether a birthplace is a town or in it; another place is not, where the pages say that it is a town too."""
    parts = [stems(part) for part in _PARTS.split(without_brackets(text))]
    wanted = stems(place)
    if wanted in parts:
        return True
    if not wanted or any(not set(wanted).isdisjoint(part) for part in parts) or "near" in text.split():
        return None
    return False if _is_town(place, subjects) else None


def _is_town(name: str, subjects: Subjects) -> bool:
    """Whether the pages say that a place is a town: it lies in a country, has inhabitants and no capital."""
    attributes = {value.attribute for value in subjects.values(name)}
    return {"country", "population"} <= attributes and "capital" not in attributes
