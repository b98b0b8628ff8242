"""Claims, the evidence handed to verifiers, what these say, and verdicts; the protocols of the stages between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeAlias

from veritab.errors import InputError
from veritab.schema.pages import CELLS, Element, ElementId, Kind, Table


class Label(StrEnum):
    """What evidence says of a claim."""

    SUPPORTS = "SUPPORTS"
    REFUTES = "REFUTES"
    NOT_ENOUGH_INFO = "NOT ENOUGH INFO"


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence to check. Never a label: a verifier cannot see gold by accident."""

    id: str
    text: str


LONGEST_CLAIM = 2000
"""The most characters of a claim, at every door; a longer text is several claims."""


def refuse_long(what: str, text: str, most: int = LONGEST_CLAIM) -> None:
    """Refuse a text that is too long for a claim or a query, and say what to do instead."""
    if len(text) > most:
        raise InputError(
            f"{what} of {len(text):,} characters ({text[:30]!r}…) is too long; at most {most:,} are read, so cut it "
            "into sentences"
        )


class WordChange(NamedTuple):
    """A word of a text, where it stands, and what it is read as."""

    start: int
    end: int
    written: str
    read: str


class ReadClaim(NamedTuple):
    """A claim as it is read, and the words of it that are read as others; capitals that were left out are not told."""

    claim: Claim
    changes: tuple[WordChange, ...] = ()


EvidenceSet: TypeAlias = frozenset[ElementId]


@dataclass(frozen=True, slots=True)
class Example:
    """A claim with its answer; any one evidence set is enough. Silver evidence was found, not annotated.

    The label is None where a file does not tell it; `record` is what the file says of the claim, in its own words.
    """

    claim: Claim
    label: Label | None
    evidence: tuple[EvidenceSet, ...] = ()
    challenge: str = ""
    silver: bool = False
    record: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


# -- evidence ----------------------------------------------------------------------------------------------

COMPUTED = "reasoner"
"""Who finds the cells that an answer was computed from."""
GIVEN = "given"
"""Who finds evidence that the caller handed over."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An element that was found, how well it fits, and who found it."""

    element: Element
    score: float
    by: str


@dataclass(frozen=True, slots=True)
class DerivedFact:
    """A sentence worked out from table cells, such as a count or a difference, and those cells."""

    text: str
    cells: tuple[ElementId, ...] = ()


@dataclass(frozen=True, slots=True)
class CountedRows:
    """Which rows of a table an answer was computed from, of how many, and what tells them from the others."""

    table: ElementId
    rows: tuple[int, ...]
    """The rows that count, by their place in the table from 0, headers included."""
    of: int
    """How many rows below the headers were looked through."""
    columns: tuple[int, ...] = ()
    """The columns that were looked at, by their place from 0, first the one that names the rows."""
    condition: str = ""
    """What the rows that count have: "Italy as Winner"."""
    others: str = ""
    """What the others are, where one can say it: "without Italy as Winner"."""


@dataclass(frozen=True, slots=True)
class Computation:
    """What executing a claim's logical form over tables, lists and sentences gives."""

    answer: bool | None = None
    """Whether the claim holds; None where computing cannot decide."""
    probability: float = 0.5
    """The probability that the claim is true."""
    lines: tuple[str, ...] = ()
    """What was computed, in a line or two."""
    cells: tuple[ElementId, ...] = ()
    """The elements the answer rests on: the values, and what names them."""
    facts: tuple[DerivedFact, ...] = ()
    """What a careful reader would work out from the tables, most relevant first."""
    read: tuple[ElementId, ...] = ()
    """All elements that were looked through for it."""
    rows: tuple[CountedRows, ...] = ()
    """The rows that count, table by table."""
    program: str = ""
    """The logical form with its result: count(rows where Winner is "Italy") = 4, not 5."""

    @property
    def label(self) -> Label:
        if self.answer is None:
            return Label.NOT_ENOUGH_INFO
        return Label.SUPPORTS if self.answer else Label.REFUTES

    @property
    def confidence(self) -> float:
        return max(self.probability, 1 - self.probability)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a verifier is handed: elements, the whole tables they stand in, and what was computed over both."""

    hits: tuple[Hit, ...] = ()
    """What is read."""
    tables: tuple[Table, ...] = ()
    background: tuple[Hit, ...] = ()
    """What was retrieved with too low a score to be read; it is still computed with and shown."""
    ranked: bool = True
    """Whether a retriever ranked the hits, best first; evidence that a caller gives is in no order."""
    computation: Computation | None = None

    @classmethod
    def of(cls, elements: Iterable[Element] = (), tables: Iterable[Table] = (), *, ranked: bool = False) -> Evidence:
        """Evidence that a caller hands over, every element of it with the same score."""
        return cls(tuple(Hit(element, 1.0, GIVEN) for element in elements), tuple(tables), ranked=ranked)

    @property
    def elements(self) -> list[Element]:
        """Every element, read or not."""
        return [hit.element for hit in (*self.hits, *self.background)]

    @property
    def read_tables(self) -> list[Table]:
        """The tables whose rows may be read: of retrieved evidence, those that a hit stands in."""
        if not self.ranked:
            return list(self.tables)
        ids = {hit.element.id.table for hit in self.hits}
        return [table for table in self.tables if table.id in ids]

    def find(self, ids: Iterable[ElementId]) -> Iterator[Element]:
        """The elements with these ids, cells and captions of the tables among them; unknown ids are left out."""
        elements = {element.id: element for element in self.elements}
        tables = {table.id: table for table in self.tables}
        for id in ids:
            table = tables.get(id.table) if id.table else None
            if id in elements:
                yield elements[id]
            elif table and id.kind in CELLS:
                yield table.element(id)
            elif table and id.kind is Kind.TABLE_CAPTION and table.caption_element:
                yield table.caption_element


# -- what a verifier says ----------------------------------------------------------------------------------


class Reason(StrEnum):
    """Why evidence does not settle a claim."""

    EMPTY_CLAIM = "empty claim"
    NOT_A_STATEMENT = "not a statement"
    NO_EVIDENCE = "no evidence"
    OFF_TOPIC = "off topic"
    SUBJECT_NOT_NAMED = "subject not named"
    OTHER_SCRIPT = "other script"
    OTHER_LANGUAGE = "other language"
    NO_SCORES = "no scores"
    UNPARSED_ANSWER = "unparsed answer"


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A reason, in words for the reader."""

    reason: Reason
    text: str


@dataclass(frozen=True, slots=True)
class ModelUse:
    """How a model read the evidence."""

    name: str
    sha256: str = ""
    profile: str = ""
    temperature: float | None = None
    reading: str = ""
    tokens: int = 0
    dropped: tuple[ElementId, ...] = ()
    """Evidence that did not fit, the first hundred pieces of it."""
    dropped_in_all: int = 0
    answer: str = ""
    """The beginning of a language model's answer that could not be parsed."""


class PieceReading(NamedTuple):
    """A piece of evidence as it was read, and the probabilities of the labels by it alone."""

    text: str
    scores: Mapping[Label, float]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a verifier makes of one claim and its evidence; scores alone are enough."""

    scores: Mapping[Label, float] | None = None
    """Probabilities of the three labels; None where the verifier cannot say, with `unsettled` saying why."""
    by: str = ""
    used: tuple[ElementId, ...] = ()
    """The evidence that was read, or that the answer cites."""
    cited: tuple[ElementId, ...] = ()
    """The evidence that a verifier names as its reason, where it can."""
    lines: tuple[str, ...] = ()
    """What a reader of the verdict should know of it."""
    unsettled: Unsettled | None = None
    calibrated: bool = False
    """Whether the scores are calibrated probabilities."""
    model: ModelUse | None = None
    facts: tuple[DerivedFact, ...] = ()
    """The derived facts that were read."""
    text: str = ""
    """What was read, as one text."""
    pieces: tuple[PieceReading, ...] = ()
    """What each of the best pieces says alone, where these were read too."""
    few: PieceReading | None = None
    """What the best few pieces say together, without derived facts, where these were read too."""


# -- the answer --------------------------------------------------------------------------------------------


class Uncertainty(StrEnum):
    """Why an answer is uncertain."""

    CLOSE_SCORES = "two labels have close scores"
    DISAGREEMENT = "what was computed and what was read disagree"
    MISSING_SHARDS = "part of the corpus could not be searched"


@dataclass(frozen=True, slots=True)
class Flip:
    """A piece of evidence without which the label is another one."""

    id: ElementId
    to: Label


@dataclass(frozen=True, slots=True)
class Searched:
    """Where evidence was looked for: pages in the corpus, titles that were read, candidates that were scored."""

    pages: int
    read: tuple[str, ...]
    candidates: int
    missing: tuple[str, ...] = ()
    """The shards of the corpus that could not be searched."""
    shards: int = 0
    """Of how many, where any is missing."""


@dataclass(frozen=True, slots=True)
class PartVerdict:
    """The verdict on one assertion of a claim that makes several."""

    text: str
    label: Label
    scores: Mapping[Label, float]
    evidence: tuple[ElementId, ...] = ()
    """What settles this part; none where nothing does."""
    unsettled: Unsettled | None = None
    answer: str = ""
    reasoning: tuple[str, ...] = ()
    """Why this part holds or fails, in a line or two."""
    rows: tuple[CountedRows, ...] = ()
    """The rows that were counted for it, table by table."""
    computed: Label | None = None
    """What computing says, where it decides."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a verdict rests on, what would change it, what was searched, and which model read."""

    confidence: float | None = None
    """The score of the label."""
    calibrated: bool = True
    """Whether the confidence is a calibrated probability; what a rule or a language model says is not."""
    by: str = ""
    model: ModelUse | None = None
    computed: Label | None = None
    """What computing says, where it decides."""
    program: str = ""
    """The logical form that was executed, with its result."""
    rows: tuple[CountedRows, ...] = ()
    """The rows that it counts, table by table."""
    unsettled: Unsettled | None = None
    smallest: tuple[ElementId, ...] | None = None
    """The least evidence that keeps the label; None where it was not worked out, or no small part of it does."""
    flips: tuple[Flip, ...] | None = None
    missing: tuple[str, ...] | None = None
    """Words of the claim that occur nowhere in the evidence; None where they were not looked for."""
    cited: tuple[ElementId, ...] = ()
    """The evidence that a language model named as its reason."""
    searched: Searched | None = None
    facts: tuple[DerivedFact, ...] = ()
    parts: tuple[PartVerdict, ...] = ()
    read_as: str = ""
    """The claim as it was read, where that is not as it was typed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a claim, with the evidence it rests on and what was computed over which cells.

    The label has the highest score, and the scores sum to one.
    """

    claim: Claim
    label: Label
    scores: Mapping[Label, float]
    evidence: tuple[Hit, ...] = ()
    reasoning: tuple[str, ...] = ()
    certificate: Certificate = field(default_factory=Certificate)
    corpus: Mapping[str, Any] = field(default_factory=dict)
    uncertainty: Uncertainty | None = None

    @property
    def uncertain(self) -> bool:
        return self.uncertainty is not None

    @property
    def confidence(self) -> float:
        """The score of the label."""
        return self.scores[self.label]


# -- the stages of the pipeline ----------------------------------------------------------------------------


class Retriever(Protocol):
    """Claims find elements."""

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]: ...


class Selector(Protocol):
    """Hits become fewer and better hits; a table may be swapped for its cells."""

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]: ...


class Verifier(Protocol):
    """Claims are read against evidence; a verifier sees the evidence it is handed and nothing else."""

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]: ...


class Decider(Protocol):
    """What was computed and what was read become a verdict; the only place where a label is set."""

    def decide(
        self, claims: Sequence[Claim], evidence: Sequence[Evidence], readings: Sequence[Reading]
    ) -> list[Verdict]: ...
