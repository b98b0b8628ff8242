"""What goes into the API and what comes out of it, as the OpenAPI document shows it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

from veritab.schema import LONGEST_CLAIM, Claim

_NO_TEXT = frozenset(map(chr, (*range(9), *range(14, 32), 127)))


def _text(value: str) -> str:
    """A text with something in it that a person could have typed."""
    odd = next((character for character in value if character in _NO_TEXT), None)
    if odd is not None:
        raise ValueError(f"the control character U+{ord(odd):04X} is in it; leave it out")
    if not value.strip():
        raise ValueError("it is empty; write a sentence")
    return value


Text = Annotated[str, Field(min_length=1), AfterValidator(_text)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_CLAIM), AfterValidator(_text)]
"""A title; nothing that is longer has one."""
Id = Annotated[str, Field(max_length=200)]
CellText = Annotated[str, Field(max_length=5000)]
CellScalar: TypeAlias = CellText | int | float | bool | None
# The first fault of a table is enough: of a large one with nothing else, hundreds of thousands would be noted.
TableRow = Annotated[list[CellScalar], Field(fail_fast=True)]
TableRows = Annotated[list[TableRow], Field(fail_fast=True)]
LabelName: TypeAlias = Literal["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
KindName: TypeAlias = Literal[
    "page", "section", "sentence", "item", "passage", "table", "table_caption", "cell", "header_cell"
]


class _RequestShape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _ResponseShape(BaseModel):
    model_config = ConfigDict(extra="allow")


# -- in ----------------------------------------------------------------------------------------------------


class ClaimBody(_RequestShape):
    """A claim with a name of the caller's, which comes back with its verdict."""

    id: Id = ""
    claim: Text


def claim_of(given: str | ClaimBody) -> Claim:
    """A claim of a request."""
    return Claim("", given) if isinstance(given, str) else Claim(given.id, given.claim)


def _claim_kind(value: Any) -> str:
    return "a text" if isinstance(value, str) else "a claim"


ClaimOrText = Annotated[
    Annotated[Text, Tag("a text")] | Annotated[ClaimBody, Tag("a claim")], Discriminator(_claim_kind)
]


class ClaimsBody(_RequestShape):
    """Several claims, answered in their order."""

    claims: list[ClaimOrText] = Field(min_length=1)


class TableBody(_RequestShape):
    """A table as rows of cells; the header is one row of names, or several."""

    header: TableRows | TableRow | None = None
    rows: TableRows
    caption: CellText | None = None


class EvidenceBody(_RequestShape):
    """A piece of evidence with a title: a text, a table, or both."""

    title: str | None = Field(None, max_length=LONGEST_CLAIM)
    text: str | None = None
    table: TableBody | None = None


def _evidence_kind(value: Any) -> str:
    return "a text" if isinstance(value, str) else "some rows" if isinstance(value, list) else "a piece"


EvidenceOrText = Annotated[
    Annotated[str, Tag("a text")] | Annotated[EvidenceBody, Tag("a piece")] | Annotated[TableRows, Tag("some rows")],
    Discriminator(_evidence_kind),
]


def count_cells(piece: str | EvidenceBody | list[list[CellScalar]]) -> int:
    """How many cells of tables a piece of evidence has."""
    if isinstance(piece, EvidenceBody):
        header = piece.table.header or [] if piece.table else []
        rows = piece.table.rows if piece.table else []
        return sum(len(each) if isinstance(each, list) else 1 for each in (*header, *rows))
    return 0 if isinstance(piece, str) else sum(map(len, piece))


class PairBody(_RequestShape):
    """A claim and the evidence to judge it by."""

    id: Id = ""
    claim: Text
    evidence: Annotated[list[EvidenceOrText], Field(fail_fast=True)]


class PairsBody(_RequestShape):
    """Several claims, each with its own evidence, answered in their order."""

    pairs: list[PairBody] = Field(min_length=1)


class QueryBody(_RequestShape):
    """What to look for, of which kind, on which page."""

    query: Text
    kind: KindName | None = None
    page: Name | None = None
    k: int = Field(10, ge=1)


class QueriesBody(_RequestShape):
    """Several searches, answered in their order."""

    queries: list[QueryBody] = Field(min_length=1)


def _one_or_many(many: str) -> Any:
    """Told by the member that only one of them has; what was read before is told by the same."""
    return Discriminator(lambda value: "many" if many in (value if isinstance(value, dict) else dir(value)) else "one")


CheckBody = Annotated[Annotated[ClaimBody, Tag("one")] | Annotated[ClaimsBody, Tag("many")], _one_or_many("claims")]
JudgeBody = Annotated[Annotated[PairBody, Tag("one")] | Annotated[PairsBody, Tag("many")], _one_or_many("pairs")]
SearchBody = Annotated[Annotated[QueryBody, Tag("one")] | Annotated[QueriesBody, Tag("many")], _one_or_many("queries")]


# -- in: texts and documents -------------------------------------------------------------------------------


def _whole_text(value: str) -> str:
    """A text of any characters; only those that nobody could send back are replaced, each by one."""
    if not value.strip():
        raise ValueError("it is empty; send a text")
    return value.encode("utf-8", "replace").decode()


class TextBody(_RequestShape):
    """A whole text, and what it is about."""

    text: Annotated[str, Field(min_length=1), AfterValidator(_whole_text)]
    title: str = Field("", max_length=300)


class ScoreBody(_RequestShape):
    """Documents and claims in lists of the same length, or one document for all claims, or one claim for all."""

    doc: EvidenceOrText | None = None
    docs: list[EvidenceOrText] | None = Field(None, min_length=1)
    claim: Text | None = None
    claims: list[Text] | None = Field(None, min_length=1)


def evidence_to_library(given: str | list[TableRow] | EvidenceBody) -> Any:
    """A piece of evidence as the library takes it."""
    if isinstance(given, str | list):
        return given
    return given.model_dump(exclude_unset=True, exclude_none=True)


# -- out ---------------------------------------------------------------------------------------------------


class ContextShape(_ResponseShape):
    """Context that helps to understand an element: its page's title, its sections, its headers."""

    id: str
    text: str


class OriginalShape(_ResponseShape):
    """The document's file, and where the element stands in it: a page of a PDF, or cells of a sheet.

    A region is the page and the left, top, right and bottom of a box on it, in points, or in columns and rows.
    """

    file: str
    page: int | None = None
    sheet: int | None = None
    cells: str | None = None
    regions: list[list[float]] = []


class EvidenceShape(_ResponseShape):
    """An element of the evidence; `by` names the stage that found it."""

    id: str
    kind: str
    text: str
    score: float
    by: str
    context: list[ContextShape] = []
    original: OriginalShape | None = None


class ScoresShape(_ResponseShape):
    """The probability of each label; the three sum to 1."""

    supports: float = Field(alias="SUPPORTS")
    refutes: float = Field(alias="REFUTES")
    not_enough_info: float | None = Field(None, alias="NOT ENOUGH INFO")


class VerdictShape(_ResponseShape):
    """The label of a claim with its scores, its evidence, what was computed and what the answer rests on."""

    id: str | None = None
    claim: str
    label: LabelName
    scores: ScoresShape
    uncertain: bool
    uncertain_because: str | None = None
    evidence: list[EvidenceShape]
    reasoning: list[str]
    certificate: dict[str, Any]
    corpus: dict[str, Any]


class JudgementShape(VerdictShape):
    """A verdict on the evidence of the request: ids of the `cells` computed with, derived facts, and what was read."""

    cells: list[str]
    facts: list[str]
    model: str | None = None
    read: list[str] | None = None


class JudgementsShape(_ResponseShape):
    """The verdicts on several claims, in the order of the request."""

    verdicts: list[JudgementShape]


class VerdictsShape(_ResponseShape):
    """The verdicts of several claims, in the order of the request."""

    verdicts: list[VerdictShape]


class EditShape(_ResponseShape):
    """Words of a claim and those that take their place; the element is the piece of evidence that says them."""

    start: int
    end: int
    old: str
    new: str
    kind: str
    element: str | None = None


class CorrectionShape(_ResponseShape):
    """A claim, its verdict, and where it was refuted the edits that put it right with the evidence that asks for them.

    `tried` is how many edited claims were read.
    """

    id: str | None = None
    claim: str
    outcome: Literal["corrected", "nothing to correct", "not enough info", "no correction found"]
    correction: str | None
    edits: list[EditShape]
    evidence: list[EvidenceShape]
    tried: int
    verdict: VerdictShape
    corrected_verdict: VerdictShape | None


class CorrectionsShape(_ResponseShape):
    """The corrections of several claims, in the order of the request."""

    corrections: list[CorrectionShape]


class TextVerdictShape(VerdictShape):
    """The verdict on a sentence of a text, the sentence as written, and its place in the text."""

    start: int
    end: int
    text: str


class TextVerdictsShape(_ResponseShape):
    """The verdicts on the sentences of a text that make a claim, in their order."""

    verdicts: list[TextVerdictShape]


class ScoreShape(_ResponseShape):
    """Whether a document supports a claim, and the probability of that."""

    label: Literal[0, 1]
    probability: float


class ScoresOfManyShape(_ResponseShape):
    """The same for each claim, in the order of the request."""

    labels: list[Literal[0, 1]]
    probabilities: list[float]


class MatchShape(_ResponseShape):
    """A search result; the highlights are the spans of its text that match the query."""

    id: str
    page: str
    kind: str
    text: str
    score: float
    highlights: list[list[int]] = []
    context: list[ContextShape] = []


class SearchShape(_ResponseShape):
    """The results of a search, best first."""

    query: str
    hits: list[MatchShape]


class SearchesShape(_ResponseShape):
    """The results of several searches, in the order of the request."""

    searches: list[SearchShape]


class LinkShape(_ResponseShape):
    """A link in a text: the stretch it covers and the page it points to."""

    text: str
    target: str
    start: int
    end: int


class ElementShape(_ResponseShape):
    """An element with its context and its links."""

    id: str
    kind: str
    text: str
    context: list[ContextShape]
    links: list[LinkShape]
    original: OriginalShape | None = None


class PageShape(_ResponseShape):
    """A page as FEVEROUS writes it: `order` names its blocks, and each has a member of its name."""

    title: str
    order: list[str]


class CorpusShape(_ResponseShape):
    """The corpus that claims are checked against."""

    name: str
    revision: str
    pages: int


class ReadDocumentShape(_ResponseShape):
    """What was read of one document."""

    name: str
    pages: int
    texts: int
    tables: int
    problem_count: int
    problems: list[str]


class HeldCorpusShape(CorpusShape):
    """A corpus by the id that `?corpus=` takes; of documents that were brought, also what was read of them."""

    id: str
    state: Literal["waiting", "reading", "ready", "stopped", "failed", "gone"]
    done: int = 0
    total: int = 0
    error: str = ""
    documents: list[ReadDocumentShape] = []
    left_out: list[str] = []
    seconds_held: float | None = None


class CorporaShape(_ResponseShape):
    """The corpora that everybody may ask."""

    corpora: list[HeldCorpusShape]


class AliveShape(_ResponseShape):
    """The server answers."""

    status: Literal["alive"]


class ReadyShape(_ResponseShape):
    """The server can check claims."""

    status: Literal["ready"]
    corpus: CorpusShape
    database: Literal["here", "away"] | None = Field(
        None, description="Whether the database answers that several servers share; not there where none do."
    )


class FaultShape(_ResponseShape):
    """One thing that is wrong with a request, and where in it."""

    where: str
    what: str


class ProblemShape(_ResponseShape):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str | None = None
    errors: list[FaultShape] | None = None
