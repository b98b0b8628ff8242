"""What builders read and write: claims and questions by line, and records of built claims with where each is from.

A builder yields `BuiltRecord`s and, for what it could not build, `LeftOut`s with the reason: nothing is dropped in
silence. A record is written as FEVEROUS writes one, with `origin` and `silver` besides, and `datasets.load` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from veritab.corpus.streams import open_stream
from veritab.datasets import DataSet, load
from veritab.datasets.example_rows import EARLIER, origin_of
from veritab.datasets.lines import records_of
from veritab.datasets.records import GoldText, Record
from veritab.datasets.registry import REGISTRY
from veritab.errors import FormatError, InputError, NotFound, short_repr
from veritab.schema import Claim, Element, ElementId, Example, Kind, Label, Problem, refuse_long
from veritab.text import squeeze

UNKNOWN = "unknown"
"""What stands for the label of a claim whose label does not follow from how it was built."""
_QUESTION = re.compile(
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b.*\?$",
    re.IGNORECASE | re.DOTALL,
)
_JSON_STARTS = (b"{", b"[", b"PAR1")


class ClaimOrigin(NamedTuple):
    """Where a built claim is from: the file or data set, the record there, the rule and the seed it was built with."""

    source: str
    record: str
    rule: str
    seed: int


@dataclass(frozen=True, slots=True)
class BuiltRecord:
    """A claim that was built, with its label and evidence; any one evidence set is enough."""

    id: str
    claim: str
    label: Label | None
    """None is "unknown": how the claim was built does not tell."""
    origin: ClaimOrigin
    evidence: tuple[tuple[ElementId, ...], ...] = ()
    quotes: tuple[GoldText, ...] = ()
    """Evidence in its own words, where it has no address that the corpus knows."""
    silver: bool = False
    """Whether the evidence was found, not annotated."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else the rule has to say of the claim: written beside the origin."""

    def as_dict(self, element_of: Callable[[ElementId], Element | None] | None = None) -> dict[str, Any]:
        """The record as JSON has it; contexts beyond the title are those that `element_of` finds."""
        return {
            "id": self.id,
            "claim": self.claim,
            "label": str(self.label) if self.label else UNKNOWN,
            "evidence": [
                {"content": [str(id) for id in ids], "context": {str(id): _context(id, element_of) for id in ids}}
                for ids in self.evidence
            ],
            **({"quotes": [quoted._asdict() for quoted in self.quotes]} if self.quotes else {}),
            "challenge": "",
            "origin": {**self.origin._asdict(), **self.details},
            "silver": self.silver,
        }

    def as_example(self) -> Example:
        """The record as a data set has it: for audits, splits and statistics."""
        sets = tuple(frozenset(ids) for ids in self.evidence)
        return Example(Claim(self.id, self.claim), self.label, sets, silver=self.silver, record=self.as_dict())


def _context(id: ElementId, element_of: Callable[[ElementId], Element | None] | None) -> list[str]:
    element = element_of(id) if element_of else None
    return [str(each.id) for each in element.context] if element else [str(ElementId(id.page, Kind.TITLE))]


def earlier_origin(example: Example) -> dict[str, Any]:
    """The origin of a claim that was itself built, for the details of what is built of it; nothing of any other."""
    origin = origin_of(example)
    return {EARLIER: dict(origin)} if origin else {}


class LeftOut(NamedTuple):
    """Something that could not be built, or a line that could not be read: where, whose, and why."""

    where: str
    """The line or record of the file."""
    record: str
    """The id there; empty where there is none."""
    reason: str
    rule: str = ""
    """The rule that could not be used; empty where nothing at all could be built of the line."""

    def __str__(self) -> str:
        return f"{self.where}{f' ({self.record})' if self.record else ''}: {self.reason}"


Built: TypeAlias = BuiltRecord | LeftOut
"""What a builder yields."""

# -- claims ------------------------------------------------------------------------------------------------


class GivenClaim(NamedTuple):
    """A claim that others are built of, and where it stands; `example.label` is None where the file has none."""

    where: str
    example: Example


class ClaimSource:
    """A file or data set of claims, with or without labels and evidence: any that `datasets.load` reads, or lines."""

    def __init__(self, name: str | Path, data: Path | None = None) -> None:
        self.name = name if isinstance(name, str) and name in REGISTRY else Path(name).name
        self._path = Path(name)
        self._data_set: DataSet | None = None
        if (isinstance(name, str) and name in REGISTRY) or self._path.is_dir() or _is_json(self._path):
            self._data_set = load(name, data=data)

    def __iter__(self) -> Iterator[GivenClaim | LeftOut]:
        """Each claim where it stands, or what is wrong there."""
        return self._lines() if self._data_set is None else self._records(self._data_set)

    def _records(self, data_set: DataSet) -> Iterator[GivenClaim | LeftOut]:
        seen: set[str] = set()
        for where, each in data_set.by_line():
            if isinstance(each, Problem):
                yield LeftOut(where, "", each.what)
            elif each.claim.id in seen:
                # What is built is named by it, and two claims of one name could not be told apart when they are rated.
                yield LeftOut(where, each.claim.id, "an earlier claim has this id; give each its own")
            else:
                seen.add(each.claim.id)
                yield _given(where, each)

    def _lines(self) -> Iterator[GivenClaim | LeftOut]:
        found = 0
        with open_stream(self._path) as stream:
            for number, line in enumerate(stream, 1):
                try:
                    text = squeeze(line.decode("utf-8-sig" if number == 1 else "utf-8"))
                except UnicodeDecodeError:
                    yield LeftOut(f"line {number}", "", "it is not UTF-8; save the file in that encoding")
                    continue
                if text:
                    found += 1
                    yield _given(f"line {number}", Example(Claim(str(number), text), None))
        if not found:
            raise FormatError(f"{str(self._path)!r} holds no claim; expected one a line, or records as JSON lines")


def _is_json(path: Path) -> bool:
    if not path.exists():
        raise NotFound(f"there is neither a data set nor a file called {str(path)!r}; `veritab data` lists the names")
    with open_stream(path) as stream:
        return stream.peek(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_JSON_STARTS)


def _given(where: str, example: Example) -> GivenClaim | LeftOut:
    try:
        refuse_long("a claim", example.claim.text)
    except InputError as error:
        return LeftOut(where, example.claim.id, str(error))
    if not any(map(str.isalpha, example.claim.text)):
        return LeftOut(where, example.claim.id, f"{example.claim.text[:80]!r} is not a claim; expected a sentence")
    if _QUESTION.match(example.claim.text):
        return LeftOut(
            where, example.claim.id, "it asks and claims nothing; `veritab build questions` makes it a claim"
        )
    return GivenClaim(where, example)


# -- questions ---------------------------------------------------------------------------------------------


class _Named(Protocol):
    @property
    def where(self) -> str: ...

    @property
    def id(self) -> str: ...


_Question = TypeVar("_Question", bound=_Named)


class AnsweredQuestion(NamedTuple):
    """A question of a file with its answers, where it stands, and what else the file says of it."""

    where: str
    id: str
    text: str
    answers: tuple[str, ...]
    record: Record


def read_questions(path: Path) -> Iterator[AnsweredQuestion | LeftOut]:
    """The questions of a file of JSON lines, {"id", "question", "answer"}; what is wrong with a line in its place.

    The answer is a text or a list of texts, also under "answers"; a question may have none.
    """
    return read_lines(path, _question_of, 'question; expected lines such as {"question": "...", "answer": ""}')


def _question_of(where: str, id: str, record: Record) -> AnsweredQuestion:
    text = record.get("question")
    if not isinstance(text, str) or not squeeze(text):
        raise ValueError(f"no question, only {', '.join(record)[:200] or 'nothing'}")
    return AnsweredQuestion(where, id, squeeze(text), _answers(record), record)


def read_lines(
    path: Path, question_of: Callable[[str, str, Record], _Question], expected: str
) -> Iterator[_Question | LeftOut]:
    """What each record of a file says, by `question_of` its place, id and record, or what is wrong with it.

    A record without an id gets the number of its line, from 0.
    """
    if not path.exists():
        raise NotFound(f"no file {str(path)!r}; give a path that exists")
    found = 0
    for number, line in enumerate(records_of(path)):
        if line.record is None:
            yield LeftOut(line.where, "", line.wrong)
            continue
        id = line.record.get("id")
        named = str(id).strip() if isinstance(id, int | str) and not isinstance(id, bool) else ""
        named = named or str(number)
        try:
            yield question_of(line.where, named, line.record)
            found += 1
        except ValueError as error:
            yield LeftOut(line.where, named, str(error))
    if not found:
        raise FormatError(f"{str(path)!r} holds no {expected}")


REPEATED = "an earlier question has this id; give each its own"


def refuse_repeated(questions: Iterable[_Question | LeftOut]) -> Iterator[_Question | LeftOut]:
    """The questions, but of one id the first alone: what is built is named by it."""
    seen: set[str] = set()
    for each in questions:
        if isinstance(each, LeftOut):
            yield each
        elif each.id in seen:
            yield LeftOut(each.where, each.id, REPEATED)
        else:
            seen.add(each.id)
            yield each


def _answers(record: Record) -> tuple[str, ...]:
    given: Any = next((record[key] for key in ("answer", "answers") if record.get(key) is not None), [])
    listed = given if isinstance(given, list) else [given]
    if not all(isinstance(each, str) for each in listed):
        raise ValueError(f"the answer is {short_repr(given)}; expected a text, or a list of texts")
    return tuple(dict.fromkeys(filter(None, map(squeeze, listed))))
