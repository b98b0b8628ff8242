"""What sentences say of things: "with an elevation of 8,611 m", "(1867 – 1934)", "The tower opened in 1889".

The value has to stand right by the words that name it, and these by the subject: a sentence says many things of many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from veritab.lexicon.measures import ATTRIBUTE_DIMENSIONS, DATE_ATTRIBUTES, DATE_VERBS
from veritab.quantities import Date, Quantity, Range, Reading, dimension, parse_quantities

_ABOUT = r"(?:about |around |approximately |roughly |some |over |nearly )?"
_NAME = r"[A-Z][\w.'’-]*(?:,? (?:(?:of|de|the|upon) )?[A-Z][\w.'’-]*)*"
_WHERE = rf"(?: (?:in|at|near) (?:the )?{_NAME},?)?(?: by {_NAME},?)?"
_MEASURES = {
    "height": r"(?:height|elevation|altitude) (?:of|is|was)|rises to(?: a height of)?|stands(?: at)?(?: a height of)?",
    "length": r"length (?:of|is|was)|runs for",
    "depth": r"(?:maximum |greatest )?depth (?:of|is|was)",
    "width": r"width (?:of|is|was)",
    "area": r"area (?:of|is|was)|covers(?: an area of)?|covering(?: an area of)?",
    "population": r"population (?:of|is|was)|is home to|inhabited by",
}
_EVENTS = {
    "born": "born|baptised",
    "died": "died",
    "founded": "founded|established|formed",
    "built": "built|constructed",
    "opened": "opened|inaugurated",
    "completed": "completed|finished",
    "released": "released|published",
    "launched": "launched",
    "dissolved": "dissolved|disbanded",
}
_BEFORE = tuple((name, re.compile(rf"\b(?:{words}) {_ABOUT}\Z")) for name, words in _MEASURES.items()) + tuple(
    (name, re.compile(rf"\b(?:{words}){_WHERE}(?: on| in| about| around{'|' if name in ('born', 'died') else ''}) \Z"))
    for name, words in _EVENTS.items()
)
_AFTER = (
    ("height", re.compile(r"\A(?: \([^)]*\))? (?:tall|high)\b")),
    ("length", re.compile(r"\A(?: \([^)]*\))? long\b")),
    ("depth", re.compile(r"\A(?: \([^)]*\))? deep\b")),
    ("width", re.compile(r"\A(?: \([^)]*\))? wide\b")),
    ("population", re.compile(r"\A (?:inhabitants|people|residents)\b")),
)
_LIFE = re.compile(r"\A[^()]{0,80}\([^()]*\Z")


def sentence_attributes(text: str) -> Iterator[tuple[str, Reading]]:
    """What a sentence says of its subject: "with an elevation of 8,611 m", "(1867 – 1934)"."""
    for found in parse_quantities(text):
        before, after = text[: found.span[0]], text[found.span[1] :]
        if isinstance(found, Range):
            in_brackets = _LIFE.match(before) and isinstance(found.low, Date) and isinstance(found.high, Date)
            if in_brackets:
                yield "born", found.low
                yield "died", found.high
            continue
        names = [name for name, pattern in _BEFORE if pattern.search(before)]
        names += [name for name, pattern in _AFTER if pattern.match(after)]
        for name in dict.fromkeys(names):
            if isinstance(found, Date) != (name in DATE_ATTRIBUTES):
                continue
            if isinstance(found, Date) or ATTRIBUTE_DIMENSIONS.get(name) == dimension(found.unit):
                yield name, found


_VERBS = "|".join(sorted(map(re.escape, DATE_VERBS), key=len, reverse=True))
_ASIDE = rf"(?: \([^()]*\)|, [^,;.]*,|:| (?:on|in|at|near) (?:the )?{_NAME})?"
_WHEN = re.compile(r",? (?:in|on) (?=\d|[A-Z][a-z]+ \d)")


def named_dates(text: str, name: str) -> Iterator[tuple[str, Date]]:
    """When a sentence or an item says that something of this name began or ended: "the bridge was opened in 1932"."""
    name = name.removeprefix("the ").removeprefix("The ")
    if name not in text:
        return
    begins = rf"(?:\A|; |, while |, and )(?:[Tt]he )?{re.escape(name)}{_ASIDE} (?:was |were )?(?:officially )?"
    for found in re.finditer(rf"{begins}(?P<verb>{_VERBS}){_WHERE}", text):
        if date := _date_at(text, found.end()):
            yield DATE_VERBS[found["verb"]], date


_SAID = re.compile(
    rf"{_ASIDE} (?:(?:(?:was|were) \w+|\w+ed)(?: (?:in|on) [\w ]{{4,20}})? and )?"
    rf"(?:is|are|was|were|stands|measures|rises) {_ABOUT}\Z"
)


def named_measures(text: str, name: str) -> Iterator[tuple[str, Quantity]]:
    """How high, long or wide a sentence says that its subject is: "The Shard, completed in 2012, is 310 m high"."""
    name = name.removeprefix("the ").removeprefix("The ")
    begins = re.match(rf"(?:The )?{re.escape(name)}\b", text, re.IGNORECASE)
    if not begins:
        return
    for found in parse_quantities(text):
        if isinstance(found, Quantity) and _SAID.fullmatch(text, begins.end(), found.span[0]):
            for attribute, pattern in _AFTER:
                if pattern.match(text[found.span[1] :]) and ATTRIBUTE_DIMENSIONS[attribute] == dimension(found.unit):
                    yield attribute, found


def dated_event(text: str, event: str) -> Date | None:
    """The date right after an event, in a sentence that begins with it: "Spain joined the Communities on 1 May"."""
    return _date_at(text, len(event)) if text.startswith(event) else None


def _date_at(text: str, place: int) -> Date | None:
    """The date that a text gives from a place on, of which the year is known."""
    when = _WHEN.match(text, place)
    if not when:
        return None
    date = next((each for each in parse_quantities(text[when.end() :]) if each.span[0] == 0), None)
    return date if isinstance(date, Date) and date.year is not None else None
