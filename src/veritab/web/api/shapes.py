"""What goes into the API and what comes out of it, as the OpenAPI document shows it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

_NO_TEXT = frozenset(map(chr, (*range(9), *range(14, 32), 127)))


def _text(value: str) -> str:
    """A text with something in it that a person could have typed."""
    odd = next((character for character in value if character in _NO_TEXT), None)
    if odd is not None:
        raise ValueError(f"the control character U+{ord(odd):04X} stands in it; leave it out")
    if not value.strip():
        raise ValueError("it is empty; write a sentence")
    return value


Text = Annotated[str, Field(min_length=1), AfterValidator(_text)]
Id = Annotated[str, Field(max_length=200)]
CellValue: TypeAlias = str | int | float | bool | None
Row: TypeAlias = list[CellValue]
LabelName: TypeAlias = Literal["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
KindName: TypeAlias = Literal[
    "page", "section", "sentence", "item", "passage", "table", "table_caption", "cell", "header_cell"
]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Out(BaseModel):
    model_config = ConfigDict(extra="allow")


# -- in ----------------------------------------------------------------------------------------------------


class NamedClaim(_In):
    """A claim with a name of the caller's, which comes back with its verdict."""

    id: Id = ""
    claim: Text


def _claim_kind(value: Any) -> str:
    return "a text" if isinstance(value, str) else "a claim"


ClaimGiven = Annotated[
    Annotated[Text, Tag("a text")] | Annotated[NamedClaim, Tag("a claim")], Discriminator(_claim_kind)
]


class ManyClaims(_In):
    """Several claims, answered in their order."""

    claims: list[ClaimGiven] = Field(min_length=1)


class TableGiven(_In):
    """A table as rows of cells; the header is one row of names, or several."""

    header: list[Row] | Row | None = None
    rows: list[Row]
    caption: str | None = None


class PieceGiven(_In):
    """A piece of evidence with a title: a text, a table, or both."""

    title: str | None = None
    text: str | None = None
    table: TableGiven | None = None


def _evidence_kind(value: Any) -> str:
    return "a text" if isinstance(value, str) else "rows" if isinstance(value, list) else "a piece"


EvidenceGiven = Annotated[
    Annotated[str, Tag("a text")] | Annotated[PieceGiven, Tag("a piece")] | Annotated[list[Row], Tag("rows")],
    Discriminator(_evidence_kind),
]


class Pair(_In):
    """A claim and the evidence to judge it by."""

    id: Id = ""
    claim: Text
    evidence: list[EvidenceGiven]


class ManyPairs(_In):
    """Several claims, each with its own evidence, answered in their order."""

    pairs: list[Pair] = Field(min_length=1)


class Query(_In):
    """What to look for, of which kind, on which page."""

    query: Text
    kind: KindName | None = None
    page: Text | None = None
    k: int = Field(10, ge=1)


class ManyQueries(_In):
    """Several searches, answered in their order."""

    queries: list[Query] = Field(min_length=1)


def _one_or_many(many: str) -> Any:
    return Discriminator(lambda value: "many" if isinstance(value, dict) and many in value else "one")


CheckBody = Annotated[Annotated[NamedClaim, Tag("one")] | Annotated[ManyClaims, Tag("many")], _one_or_many("claims")]
JudgeBody = Annotated[Annotated[Pair, Tag("one")] | Annotated[ManyPairs, Tag("many")], _one_or_many("pairs")]
SearchBody = Annotated[Annotated[Query, Tag("one")] | Annotated[ManyQueries, Tag("many")], _one_or_many("queries")]


# -- out ---------------------------------------------------------------------------------------------------


class Near(_Out):
    """A neighbour that helps to understand an element: its page's title, its sections, its headers."""

    id: str
    text: str


class Evidence(_Out):
    """An element that the verdict rests on; `by` says who found it."""

    id: str
    kind: str
    text: str
    score: float
    by: str
    context: list[Near] = []


class Scores(_Out):
    """How sure each label is; together they make 1."""

    supports: float = Field(alias="SUPPORTS")
    refutes: float = Field(alias="REFUTES")
    not_enough_info: float | None = Field(None, alias="NOT ENOUGH INFO")


class VerdictMade(_Out):
    """What the evidence says of a claim, with what was computed and how sure it is."""

    id: str | None = None
    claim: str
    label: LabelName
    scores: Scores
    evidence: list[Evidence]
    reasoning: list[str]
    certificate: dict[str, Any]
    corpus: dict[str, Any]


class Verdicts(_Out):
    """The verdicts of several claims, in the order they were asked."""

    verdicts: list[VerdictMade]


class FoundElement(_Out):
    """Something a search found; the highlights are the stretches of its text that were looked for."""

    id: str
    page: str
    kind: str
    text: str
    score: float
    highlights: list[list[int]] = []
    context: list[Near] = []


class Found(_Out):
    """What a search found, best first."""

    query: str
    hits: list[FoundElement]


class ManyFound(_Out):
    """What several searches found, in the order they were asked."""

    searches: list[Found]


class LinkMade(_Out):
    """A link in a text: the stretch it covers and the page it points to."""

    text: str
    target: str
    start: int
    end: int


class ElementMade(_Out):
    """An element with its context and its links."""

    id: str
    kind: str
    text: str
    context: list[Near]
    links: list[LinkMade]


class PageMade(_Out):
    """A page as FEVEROUS writes it: `order` names its blocks, and each stands under its name."""

    title: str
    order: list[str]


class CorpusMade(_Out):
    """The corpus that claims are checked against."""

    name: str
    revision: str
    pages: int


class Alive(_Out):
    """The server answers."""

    status: Literal["alive"]


class Ready(_Out):
    """The server can check claims."""

    status: Literal["ready"]
    corpus: CorpusMade


class Wrong(_Out):
    """One thing that is wrong with a request, and where in it."""

    where: str
    what: str


class ProblemMade(_Out):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str | None = None
    errors: list[Wrong] | None = None
