"""Claims are judged by the evidence handed over: texts, tables and elements, without a corpus and without retrieval.

A verdict model reads the evidence, and what can be computed over its tables, lists, numbers and dates votes with it.
Without a model, what can be computed decides alone, and where nothing can be, the answer is NOT ENOUGH INFO.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from veritab.errors import InputError
from veritab.schema import (
    CELLS,
    Block,
    Claim,
    Element,
    ElementId,
    Hit,
    Item,
    Kind,
    Label,
    ListBlock,
    Page,
    Sentence,
    Table,
    TableBlock,
    Verdict,
)
from veritab.text import sentences, squeeze, title_form

if TYPE_CHECKING:
    from veritab.verify.verdicts import ModelVerifier

Evidence: TypeAlias = str | Mapping[str, Any] | Sequence[Sequence[object]] | Table | Element | Hit | Page
"""A text; {"title", "text"}; {"table": {"header", "rows", "caption"}}; rows of cells; or what a page is made of."""

TITLE = "Evidence"
"""The page of texts and tables that come without a title."""

_EXPECTED = 'expected a text, {"title", "text"}, {"table": {"header", "rows", "caption"}} or rows of cells'
_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)])\s+(?=\S)")


def judge(
    claim: str | Claim,
    evidence: Evidence | Iterable[Evidence],
    *,
    model: str | Path | None = "verdict",
    verifier: ModelVerifier | None = None,
) -> Verdict:
    """What the evidence says of the claim, and what was computed over which cells.

    `model` names the verdict model, one that ships or a folder; None leaves the answer to the reasoner alone. It is
    opened by the first claim and stays open. A `verifier` has its model with it.
    """
    if verifier is None and model is not None:
        verifier = _opened(model)
    return judge_all([(claim, evidence)], verifier)[0]


@lru_cache(maxsize=1)
def _opened(model: str | Path) -> ModelVerifier:
    # Its many patterns take a while to compile, which `import veritab` and the other commands need not wait for.
    from veritab.verify.verdicts import ModelVerifier

    return ModelVerifier.open(model)


def judge_all(
    pairs: Iterable[tuple[str | Claim, Evidence | Iterable[Evidence]]], verifier: ModelVerifier | None
) -> list[Verdict]:
    """What evidence says of each of several claims, which the verifier's model reads together; None has none."""
    asked, given = [], []
    for claim, evidence in pairs:
        asked.append(claim if isinstance(claim, Claim) else Claim("", _text(claim, "a claim")))
        given.append(_Given(evidence))
    from veritab.verify.computed import ComputingVerifier
    from veritab.verify.reading import Given

    judge = ComputingVerifier() if verifier is None else verifier
    return judge.judge(asked, [Given(each.elements, each.tables) for each in given])


class Scores(NamedTuple):
    """For each claim whether its document supports it, 1 or 0, and how likely that is."""

    labels: list[int]
    probabilities: list[float]


def score(
    docs: Sequence[Evidence | Iterable[Evidence]],
    claims: Sequence[str | Claim],
    *,
    model: str | Path = "verdict",
    verifier: ModelVerifier | None = None,
) -> Scores:
    """Whether each document supports the claim beside it: the form in which programs ask for grounding."""
    for name, given in (("docs", docs), ("claims", claims)):
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise InputError(f"{name} is a list, one entry for each claim, not {_short(given)}")
    if len(docs) != len(claims):
        raise InputError(f"{len(docs)} docs and {len(claims)} claims do not pair up; give as many of each")
    verdicts = judge_all(zip(claims, docs, strict=True), verifier or _opened(model))
    labels = [int(verdict.label is Label.SUPPORTS) for verdict in verdicts]
    return Scores(labels, [verdict.scores[Label.SUPPORTS] for verdict in verdicts])


def gathered(evidence: Evidence | Iterable[Evidence]) -> list[Table | Element]:
    """The evidence as the tables and elements that it is judged by, each with the address that a verdict names."""
    given = _Given(evidence)
    return [*given.tables, *given.elements]


# -- what may be given -------------------------------------------------------------------------------------


def _listed(evidence: Any) -> list[Any]:
    """The pieces of evidence; one piece need not be put in a list, not even a table of rows."""
    if isinstance(evidence, str | Mapping | Table | Element | Hit | Page):
        return [evidence]
    if not _is_list(evidence):
        raise InputError(f"evidence is a list, not {_short(evidence)}; {_EXPECTED}, in a list")
    pieces = list(evidence)
    return [pieces] if pieces and all(_is_row(piece) for piece in pieces) else pieces


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_row(value: object) -> bool:
    """Whether this is one row of cells rather than a table of rows."""
    return isinstance(value, list | tuple) and not any(map(_is_list, value))


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} is a text, not {_short(value)}")
    return squeeze(value)


def _short(value: object) -> str:
    try:
        shown = repr(value)
    except (RecursionError, ValueError):  # nested too deep, or a number of thousands of digits
        return f"<{type(value).__name__}, too deep or too long to show>"
    return shown if len(shown) <= 80 else f"{shown[:79]}…"


class _Given:
    """The evidence as tables and elements, each piece with an address of its own.

    What comes with addresses keeps them unless another piece has them too; what comes without gets free ones.
    """

    def __init__(self, evidence: Any) -> None:
        self._blocks: dict[str, list[Block]] = {}
        self._tables: dict[ElementId, Table] = {}
        self._elements: dict[ElementId, Element] = {}
        self._free: dict[tuple[str, Kind], int] = {}
        pieces = [piece.element if isinstance(piece, Hit) else piece for piece in _listed(evidence)]
        for piece in pieces:
            self._take_addressed(piece)
        for piece in pieces:
            self._take(piece)
        for title, blocks in self._blocks.items():
            self._keep_page(Page(title, tuple(blocks)))

    @property
    def tables(self) -> list[Table]:
        return list(self._tables.values())

    @property
    def elements(self) -> list[Element]:
        return list(self._elements.values())

    # -- what has an address

    def _take_addressed(self, piece: Any) -> None:
        match piece:
            case Element():
                title = self._title(piece.id.page, lambda title: self._has_other(_on_page(piece, title)))
                self._keep(_on_page(piece, title))
            case Page():
                title = self._title(piece.title, lambda title: self._clashes(replace(piece, title=title)))
                self._keep_page(replace(piece, title=title))
            case Table():
                self._keep_table(piece)

    def _title(self, title: str, is_taken: Callable[[str], bool]) -> str:
        """The title, or where other evidence has it, the title with a number: "notes (2)"."""
        numbered = (f"{title} ({number})" for number in count(2))
        return next(each for each in chain((title,), numbered) if not is_taken(each))

    def _clashes(self, page: Page) -> bool:
        tables = any(not _is_same(self._tables.get(table.id, table), table) for table in page.tables)
        return tables or any(self._has_other(element) for element in page.elements if element.kind not in CELLS)

    def _has_other(self, element: Element) -> bool:
        known = self._elements.get(element.id)
        return known is not None and known.text != element.text

    def _keep_page(self, page: Page) -> None:
        for table in page.tables:
            self._keep_table(table)
        for element in page.elements:
            if element.kind not in CELLS:
                self._keep(element)

    def _keep(self, element: Element) -> None:
        self._elements.setdefault(element.id, element)
        kind = Kind.LIST if element.kind is Kind.ITEM else element.kind
        if element.id.path and kind not in CELLS:
            self._use(element.id.page, kind, element.id.path[0])

    def _keep_table(self, table: Table) -> None:
        known = self._tables.get(table.id)
        if known and not _is_same(known, table):
            # Tables made of rows are all the first of their page.
            number = self._use(table.id.page, Kind.TABLE)
            block = TableBlock(number, table.rows, table.caption, infobox=table.infobox)
            table = Table(Page(table.id.page), block, table.context)
        self._tables.setdefault(table.id, table)
        self._use(table.id.page, Kind.TABLE, table.id.path[0])

    def _use(self, title: str, kind: Kind, number: int | None = None) -> int:
        """Takes a number for a piece of a page, the next free one where none is given."""
        free = self._free.get((title, kind), 0)
        used = free if number is None else number
        self._free[title, kind] = max(free, used + 1)
        return used

    # -- what has none

    def _take(self, piece: Any) -> None:
        match piece:
            case Element() | Page() | Table():
                pass
            case str():
                self._add_text(TITLE, piece)
            case Mapping():
                self._take_mapping(piece)
            case _ if _is_list(piece):
                self._add_table(TITLE, Table.of(piece))
            case _:
                raise InputError(f"{_short(piece)} is no evidence; {_EXPECTED}")

    def _take_mapping(self, piece: Mapping[str, Any]) -> None:
        title = title_form(_text(piece.get("title") or "", "the title of evidence")) or TITLE
        if "text" not in piece and "table" not in piece:
            raise InputError(f"evidence {_short(dict(piece))} has neither a text nor a table; {_EXPECTED}")
        if piece.get("text") is not None:
            if not isinstance(piece["text"], str):
                raise InputError(f"the text of evidence is a text, not {_short(piece['text'])}; {_EXPECTED}")
            self._add_text(title, piece["text"])
        if piece.get("table") is not None:
            self._add_table(title, _table(piece["table"]))

    def _add_table(self, title: str, table: Table) -> None:
        block = TableBlock(self._use(title, Kind.TABLE), table.rows, table.caption, infobox=table.infobox)
        self._blocks.setdefault(title, []).append(block)

    def _add_text(self, title: str, text: str) -> None:
        """Running text as sentences, and lines with bullets as a list."""
        blocks = self._blocks.setdefault(title, [])
        items: list[Item] = []
        for line in [*text.splitlines(), ""]:
            bullet = _BULLET.match(line)
            if bullet:
                items.append(Item(squeeze(line[bullet.end() :])))
                continue
            if items:
                blocks.append(ListBlock(self._use(title, Kind.LIST), tuple(items)))
                items = []
            paragraph = squeeze(line)
            for start, end in sentences(paragraph):
                blocks.append(Sentence(self._use(title, Kind.SENTENCE), paragraph[start:end], offset=start))


def _on_page(element: Element, title: str) -> Element:
    return replace(element, id=ElementId(title, element.id.kind, element.id.path))


def _is_same(one: Table, other: Table) -> bool:
    return (one.rows, one.caption, one.infobox) == (other.rows, other.caption, other.infobox)


def _table(given: Any) -> Table:
    """A table of JSON: an object with its rows, or the rows alone."""
    if not isinstance(given, Mapping):
        return Table.of(given)
    if "rows" not in given:
        raise InputError(f"the table {_short(dict(given))} has no rows; {_EXPECTED}")
    caption = given.get("caption")
    return Table.of(
        given["rows"] if given["rows"] is not None else [],
        header=given.get("header"),
        caption=_text(caption, "the caption of a table") if caption is not None else "",
    )
