"""Questions that can be read in several ways, as AmbigQA writes them: their readings, and which can be crossed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from veritab.build.answers.equivalence import PagesOf, same_answer
from veritab.build.questions.normal_form import normal_form
from veritab.build.questions.refusals import holds_answer
from veritab.build.records import LeftOut, read_lines
from veritab.datasets.records import Record
from veritab.errors import short_repr
from veritab.text import content_terms, squeeze, terms

EXAMPLE = '{"id": 1, "disambiguations": [{"question": "...", "answers": ["..."]}, {"question": "...", "answers": []}]}'


class ReadingOfQuestion(NamedTuple):
    """One way to read an ambiguous question, asked so that nothing else is meant, and what answers it."""

    place: int
    question: str
    answers: tuple[str, ...] = ()


class AmbiguousQuestion(NamedTuple):
    """A question of a file with its readings, and where it stands."""

    where: str
    id: str
    readings: tuple[ReadingOfQuestion, ...]


# -- reading -----------------------------------------------------------------------------------------------


def read_ambiguous(path: Path) -> Iterator[AmbiguousQuestion | LeftOut]:
    """The questions of a file in AmbigQA's shape, or what is wrong with a line in its place."""
    return read_lines(path, _question_of, f"question with its readings; expected lines such as {EXAMPLE}")


def _question_of(where: str, id: str, record: Record) -> AmbiguousQuestion:
    return AmbiguousQuestion(where, id, tuple(_readings(record)))


def _readings(record: Record) -> Iterator[ReadingOfQuestion]:
    for place, each in enumerate(_listed(record)):
        question = each.get("question") if isinstance(each, dict) else None
        if not isinstance(question, str) or not squeeze(question):
            raise ValueError(f"reading {place + 1} has no question: {short_repr(each)}")
        given: Any = next((each[key] for key in ("answers", "answer") if each.get(key) is not None), [])
        answers = given if isinstance(given, list) else [given]
        if not all(isinstance(answer, str) for answer in answers):
            raise ValueError(f"the answer of reading {place + 1} is {short_repr(given)}; expected a text or several")
        yield ReadingOfQuestion(place, squeeze(question), tuple(dict.fromkeys(filter(None, map(squeeze, answers)))))


def _listed(record: Record) -> list[Any]:
    """The readings, under "disambiguations", or as AmbigQA was published: those of the first who found several."""
    given: Any = record.get("disambiguations")
    annotations: Any = record.get("annotations")
    if given is None and isinstance(annotations, list):
        pairs = [each.get("qaPairs") for each in annotations if isinstance(each, dict)]
        given = next((each for each in pairs if each), None)
        if given is None:
            raise ValueError("nobody found several readings: it has one answer")
    if not isinstance(given, list) or not given:
        raise ValueError(f"no readings, only {', '.join(record)[:200] or 'nothing'}; expected e.g. {EXAMPLE}")
    return given


def distinct_readings(
    readings: Sequence[ReadingOfQuestion], pages_of: PagesOf | None = None
) -> list[ReadingOfQuestion]:
    """Each question once, the answered one of equals; and only answers that no other reading has, in any words."""
    kept: dict[str, ReadingOfQuestion] = {}
    for each in sorted(readings, key=lambda each: (not each.answers, each.place)):
        kept.setdefault(normal_form(each.question), each)
    found: list[ReadingOfQuestion] = []
    known: list[str] = []
    for each in sorted(kept.values()):
        if not _share_an_answer(each.answers, known, pages_of):
            found.append(each)
        known += each.answers
    return found


def _share_an_answer(some: Iterable[str], others: Collection[str], pages_of: PagesOf | None) -> bool:
    """Whether an answer of one reading may answer another: of what was in 1908 it may be said that it was on a day."""
    return any(same_answer(one, other, pages_of) for one in some for other in others)


# -- what can be crossed -----------------------------------------------------------------------------------

_TIME = "year|date|day|month|season|century|decade|time"
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
_HEAD = re.compile(
    r"\b(?:what|which)\b (?:(?:is|was|are|were) the (?P<named>(?:[\w'’-]+ ){1,4}?)(?=of\b)"
    r"|(?P<asked>(?:[\w'’-]+ ){1,3}?)(?=(?:is|was|are|were|do|does|did|has|have|had|will|can)\b))"
)
_LOOSE = frozenset(
    content_terms(
        """currently current now today present presently ever world overall total original originally actually really
        official officially legal legally generally usually mainly mostly primarily specifically entire whole exact
        exactly real full first time history worldwide globally general type kind sort name normally sometimes often
        commonly artist band group singer performer person people individual"""
    )
)
"""Words that one reading of a question may add without another answer: "Where does tea come from in the world?"."""
_CHARACTER = content_terms("character")
_FROM_THEN_ON = re.compile(r"\b(?:as of|after|since|before|until|prior to|by|from)\b")
_MEASURE = "number|population|percentage|age|height|length"
_ASKED = (
    ("a time", re.compile(rf"\bwhen\b|\b(?:what|which) (?:\w+ ){{0,2}}?(?:{_TIME})\b")),
    ("a number", re.compile(r"\bhow (?:many|much|old|long|far|tall|big|high|large|often|deep|fast|heavy)\b")),
    ("a number", re.compile(rf"\bwhat (?:is|was|are|were) the (?:\w+ )?(?:{_MEASURE})\b")),
    ("a place", re.compile(r"\bwhere\b")),
    ("a person", re.compile(r"\b(?:who|whose|whom)\b")),
    ("a reason", re.compile(r"\bwhy\b")),
    ("a way", re.compile(r"\bhow\b")),
)
_THING = "a thing"
_NAMED = frozenset({_THING, "a place", "a person"})


def asked_for(question: str) -> str:
    """What sort of answer a question asks for: a time, a number, a place, a person, a reason, a way, or a thing."""
    lower = question.lower()
    found = [(match.start(), sort) for sort, pattern in _ASKED if (match := pattern.search(lower))]
    return min(found)[1] if found else _THING


def why_not_crossed(
    asked: ReadingOfQuestion, answered: ReadingOfQuestion, answer: str, pages_of: PagesOf | None = None
) -> str:
    """Why a reading cannot be asked with another's answer to make a false claim; empty where it can."""
    sorts = {asked_for(asked.question), asked_for(answered.question)}
    if len(sorts) > 1 and not (_THING in sorts and sorts <= _NAMED):
        return f"one reading asks for {' and another for '.join(sorted(sorts))}"
    own, other = (_own_terms(one, another) for one, another in ((asked, answered), (answered, asked)))
    if not own and not other:
        return "its readings ask the same in other words"
    if not own or not other:
        return "one reading only says more than the other, so that both may have the same answer"
    if own <= _LOOSE:
        return "the other reading does not rule the answer out by its words"
    if _FROM_THEN_ON.search(asked.question.lower()) and all(each.isdigit() or each in _LOOSE for each in own | other):
        return "the readings ask for the same at times that may have the same answer"
    if any(term in own ^ other for term in _CHARACTER):
        return "one reading asks for a character and another for somebody else"
    if _head(asked.question) != _head(answered.question):
        return "one reading asks for another sort of thing than the other"
    if sorts == {"a time"} and _YEAR.search(asked.question):
        return "the other reading says a time already"
    if _share_an_answer([answer], asked.answers, pages_of):
        return "its readings have the same answer"
    if holds_answer(asked.question, answer):
        return "the other reading holds the answer already"
    return ""


def _own_terms(one: ReadingOfQuestion, other: ReadingOfQuestion) -> frozenset[str]:
    """What the words of one reading have that those of the other lack."""
    return frozenset(content_terms(one.question)) - frozenset(content_terms(other.question))


def _head(question: str) -> str:
    """The noun that is asked for: "what metro area" asks for an area; empty where no noun says it."""
    found = _HEAD.search(question.lower())
    return (terms(found["named"] or found["asked"]) or [""])[-1] if found else ""
