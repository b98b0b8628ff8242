"""The tools that assistants call over the Model Context Protocol: check claims and texts, search, read the corpus.

Every answer is bounded: an assistant reads all of it, and pays for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from veritab import __version__
from veritab.build.correcting.correction import correct
from veritab.decompose import ExtractedClaim, extract_claims, number_claims
from veritab.errors import InputError, MissingExtra, NotFound, VeritabError, nearest_name
from veritab.render.faults import describe_faults
from veritab.render.json import correction_to_json, verdict_to_json
from veritab.schema import LONGEST_CLAIM, Claim, Element, ElementId, Hit, Kind, Page, Table, Verdict
from veritab.text import shorten, squeeze

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from veritab.pipeline import Checker

_LONGEST_QUERY = 500
_LONGEST_TEXT = 1_000
_MOST_EVIDENCE = 15
_MOST_HITS = 25
_MOST_CHARACTERS = 12_000
_MOST_ROWS = 100
_MOST_COLUMNS = 50
_MOST_NAMED = 20
_LONGEST_WHOLE_TEXT = 100_000
_MOST_CLAIMS = 20
_MOST_PAIRS = 20
_MOST_SHOWN = 3
_CERTIFICATE_FIELDS = frozenset(
    {"confidence", "smallest", "flips", "searched", "parts", "missing", "reason", "why", "model", "by"}
)
_INSTRUCTIONS = (
    "Checks claims against a corpus of documents and shows the evidence. Everything in the corpus has an address such "
    "as 'Mount Everest_cell_1_6_2'; name the addresses that an answer rests on. NOT ENOUGH INFO means that this corpus "
    "does not settle the claim, not that the claim is false."
)

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True)
class Tools:
    """What an assistant may ask of a checker; each answer is a plain value of bounded size."""

    checker: Checker

    def verify_claim(self, claim: str) -> dict[str, Any]:
        """The verdict on a claim with its evidence."""
        text = _clean_input(claim, "a claim", LONGEST_CLAIM)
        verdict = self.checker.check(Claim("", text))
        return _verdict_json(verdict)

    def correct_claim(self, claim: str) -> dict[str, Any]:
        """The smallest edit of a refuted claim that the evidence supports."""
        correction = correct(self.checker, Claim("", _clean_input(claim, "a claim", LONGEST_CLAIM)))
        record = correction_to_json(correction)
        return {
            **{name: record[name] for name in ("claim", "outcome", "correction", "edits")},
            "label": str(correction.verdict.label),
            "evidence": [_hit_json(hit) for hit in correction.evidence[:_MOST_EVIDENCE]],
            "reasoning": [shorten(line, _LONGEST_TEXT) for line in correction.verdict.reasoning[:_MOST_NAMED]],
        }

    def check_text(self, text: str, start: int = 0) -> dict[str, Any]:
        """The claims of a text from the one with this number on, each with its offsets and its verdict, in short."""
        _refuse_long("a text", text, _LONGEST_WHOLE_TEXT)
        found = extract_claims(text)
        _require_within("start", start, len(found))
        end = min(start + _MOST_CLAIMS, len(found))
        verdicts = self.checker.check_many(number_claims(found)[start:end])
        claims = [_brief_json(*each) for each in zip(found[start:end], verdicts, strict=True)]
        return {"claims": claims, "of": len(found), **({"next_start": end} if end < len(found) else {})}

    def score(self, docs: list[str], claims: list[str]) -> dict[str, Any]:
        """Whether each document supports the claim beside it."""
        if len(claims) > _MOST_PAIRS:
            raise InputError(f"{len(claims)} claims are too many for one call; give {_MOST_PAIRS} at most")
        _refuse_long("what is in docs", "".join(docs), _LONGEST_WHOLE_TEXT)
        texts = [_clean_input(claim, "a claim", LONGEST_CLAIM) for claim in claims]
        scores = self.checker.score(docs, texts)
        return {"labels": scores.labels, "probabilities": [round(each, 4) for each in scores.probabilities]}

    def search_evidence(self, query: str, kind: str | None = None, limit: int = 10) -> dict[str, Any]:
        """What fits a query best."""
        if not 1 <= limit <= _MOST_HITS:
            raise InputError(f"limit is {limit}; expected 1 to {_MOST_HITS}")
        matches = self.checker.search(_clean_input(query, "a query", _LONGEST_QUERY), kind or None, limit)
        return {"hits": [{**_element_json(match.element), "score": round(match.score, 4)} for match in matches]}

    def get_page(self, title: str, start: int = 0) -> dict[str, Any]:
        """The texts of a page with their addresses, from the one with this number on; tables are only named."""
        page = self.checker.store.page(title)
        texts = list(_page_texts(page))
        _require_within("start", start, len(texts))
        end = start + _count_fitting([len(each["text"]) + len(each["id"]) for each in texts[start:]])
        more = {"next_start": end} if end < len(texts) else {}
        return {"title": page.title, "revision": page.revision, "texts": texts[start:end], "of": len(texts), **more}

    def get_table(self, id: str, start_row: int = 0) -> dict[str, Any]:
        """The rows of a table from this one on, spans expanded; `id` may also be the address of one of its cells."""
        table = self._table(id)
        height = len(table.grid)
        _require_within("start_row", start_row, height)
        rows = [list(_row_cells(table, row)) for row in range(start_row, min(start_row + _MOST_ROWS, height))]
        rows = rows[: _count_fitting([sum(len(cell["text"]) + len(cell["id"]) for cell in row) for row in rows])]
        end = start_row + len(rows)
        more = {"next_start_row": end} if end < height else {}
        cut = {"columns_left_out": table.width - _MOST_COLUMNS} if table.width > _MOST_COLUMNS else {}
        return {
            "id": str(table.id),
            "caption": shorten(table.caption, _LONGEST_TEXT),
            "sections": [near.text for near in table.context if near.id.kind is Kind.SECTION],
            "rows": [{"row": start_row + number, "cells": cells} for number, cells in enumerate(rows)],
            "of": height,
            **cut,
            **more,
        }

    def _table(self, id: str) -> Table:
        address = ElementId.parse(id)
        if address.kind not in (Kind.TABLE, Kind.TABLE_CAPTION, Kind.CELL, Kind.HEADER_CELL):
            raise InputError(
                f"{id!r} does not lie in a table; expected e.g. 'Mount Everest_table_1' or the id of a cell"
            )
        page = self.checker.store.page(address.page)
        try:
            return page.table(address.path[0])
        except NotFound as error:
            known = ", ".join(str(table.id) for table in page.tables[:_MOST_NAMED]) or "none"
            raise NotFound(f"{error}; its tables: {known}") from None


# -- answers -----------------------------------------------------------------------------------------------


def _clean_input(text: str, what: str, longest: int) -> str:
    cleaned = squeeze(text)
    if not cleaned:
        raise InputError(f"{text!r} has no words; expected {what}")
    _refuse_long(what, cleaned, longest)
    return cleaned


def _refuse_long(what: str, text: str, longest: int) -> None:
    if len(text) > longest:
        raise InputError(f"{what} of {len(text):,} characters is too long; give {longest:,} at most")


def _require_within(name: str, value: int, end: int) -> None:
    if value and not 0 <= value < end:
        raise InputError(f"{name} is {value}; expected 0 to {max(end - 1, 0)}")


def _count_fitting(sizes: Sequence[int]) -> int:
    """How many of the first pieces an answer has room for; one at least."""
    room = _MOST_CHARACTERS
    for count, size in enumerate(sizes):
        room -= size
        if room < 0 and count:
            return count
    return len(sizes)


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as `veritab check --json` prints it, without what an assistant has no use for."""
    record = verdict_to_json(replace(verdict, evidence=()))
    record["evidence"] = [_hit_json(hit) for hit in verdict.evidence[:_MOST_EVIDENCE]]
    record["reasoning"] = [shorten(line, _LONGEST_TEXT) for line in record["reasoning"][:_MOST_NAMED]]
    record["certificate"] = {
        name: _shorten_value(each) for name, each in record["certificate"].items() if name in _CERTIFICATE_FIELDS
    }
    return {**record, "evidence_in_all": len(verdict.evidence)}


def _brief_json(found: ExtractedClaim, verdict: Verdict) -> dict[str, Any]:
    """A verdict on a sentence of a text, short enough to stand beside those on the others."""
    return {
        "start": found.start,
        "end": found.end,
        "claim": verdict.claim.text,
        "label": str(verdict.label),
        "confidence": round(verdict.confidence, 4),
        "uncertain": verdict.uncertain,
        "evidence": [
            {"id": str(hit.element.id), "text": shorten(hit.element.text, 200)}
            for hit in verdict.evidence[:_MOST_SHOWN]
        ],
        "reasoning": [shorten(line, 200) for line in verdict.reasoning[:_MOST_SHOWN]],
    }


def _hit_json(hit: Hit) -> dict[str, Any]:
    return {**_element_json(hit.element), "score": round(hit.score, 4), "by": hit.by}


def _shorten_value(value: Any) -> Any:
    """The same value with long lists and texts cut."""
    if isinstance(value, dict):
        return {name: _shorten_value(each) for name, each in list(value.items())[:_MOST_NAMED]}
    if isinstance(value, list | tuple):
        return [_shorten_value(each) for each in value[:_MOST_NAMED]]
    return shorten(value, 300) if isinstance(value, str) else value


def _element_json(element: Element) -> dict[str, Any]:
    context = [shorten(near.text, 200) for near in element.context[:_MOST_NAMED]]
    return {
        "id": str(element.id),
        "page": element.id.page,
        "kind": element.kind.value,
        "text": shorten(element.text, _LONGEST_TEXT),
        "context": context,
    }


def _page_texts(page: Page) -> Iterator[dict[str, str]]:
    for element in page.elements:
        if element.kind in (Kind.CELL, Kind.HEADER_CELL, Kind.TABLE_CAPTION, Kind.TITLE):
            continue
        if element.text or element.kind is Kind.TABLE:
            yield {"id": str(element.id), "kind": element.kind.value, "text": shorten(element.text, _LONGEST_TEXT)}


def _row_cells(table: Table, row: int) -> Iterator[dict[str, Any]]:
    for place in table.places[row][:_MOST_COLUMNS]:
        if place is None:
            yield {"id": "", "text": ""}
            continue
        id = table.cell_id(place)
        header = {"header": True} if id.kind is Kind.HEADER_CELL else {}
        yield {"id": str(id), "text": shorten(table.rows[place[0]][place[1]].text, _LONGEST_TEXT), **header}


# -- the server --------------------------------------------------------------------------------------------


def require_sdk() -> None:
    """Raise at once where the protocol's own package is missing, before anything that takes longer."""
    try:
        import mcp.server.mcpserver  # noqa: F401
    except ImportError as error:
        raise MissingExtra("veritab mcp", "mcp") from error


def create_server(checker: Checker) -> MCPServer[Any]:
    """A server with the tools; errors of a call reach the assistant as messages in our words."""
    require_sdk()
    from mcp.server.mcpserver import MCPServer
    from mcp_types import ToolAnnotations

    class PlainServer(MCPServer[Any]):
        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            _refuse_call(name, arguments, {tool.name: tool.input_schema for tool in await self.list_tools()})
            try:
                return await super().call_tool(name, arguments, context)
            except Exception as error:
                raise _explain(error, arguments) from error

    corpus = checker.corpus
    server = PlainServer(
        "veritab",
        title=f"Veritab: {corpus['name']}",
        instructions=f"{_INSTRUCTIONS} The corpus is {corpus['name']!r} with {corpus['pages']:,} pages.",
        version=__version__,
        log_level="WARNING",
    )
    tools = Tools(checker)
    one_at_a_time = Lock()  # a verdict takes every core there is
    reads_only = ToolAnnotations(read_only_hint=True, open_world_hint=False, idempotent_hint=True)

    @server.tool(annotations=reads_only)
    @_report_errors
    def verify_claim(claim: str) -> dict[str, Any]:
        """Check one claim, a single factual sentence that can be understood by itself, against the corpus.

        Answers SUPPORTS, REFUTES or NOT ENOUGH INFO with scores, the evidence with its addresses, what was computed
        over table cells, whether the answer is uncertain, and a certificate: its confidence and what was searched.
        """
        with one_at_a_time:
            return tools.verify_claim(claim)

    @server.tool(annotations=reads_only)
    @_report_errors
    def correct_claim(claim: str) -> dict[str, Any]:
        """Check one claim and, where the corpus refutes it, say what would be true: the smallest edit it supports.

        Answers the outcome, the corrected claim or null, the edits with their offsets in the claim, and the evidence
        that asks for them. Where no edit is clearly supported there is none: do not guess one.
        """
        with one_at_a_time:
            return tools.correct_claim(claim)

    @server.tool(annotations=reads_only)
    @_report_errors
    def check_text(text: str, start: int = 0) -> dict[str, Any]:
        """Check every claim that a whole text makes against the corpus, e.g. an answer before it is given.

        Each claim comes with its offsets in the text, as it was checked, its label, confidence, and the best evidence.
        Of a text with many claims the first 20 come: call again with start = next_start. verify_claim says more of one.
        """
        with one_at_a_time:
            return tools.check_text(text, start)

    @server.tool(annotations=reads_only)
    @_report_errors
    def score(docs: list[str], claims: list[str]) -> dict[str, Any]:
        """Say whether documents that you have support claims, without the corpus: docs[0] and claims[0], and so on.

        Answers labels, 1 where the document supports the claim, else 0, and probabilities. 20 pairs at most.
        """
        with one_at_a_time:
            return tools.score(docs, claims)

    @server.tool(annotations=reads_only)
    @_report_errors
    def search_evidence(query: str, kind: str | None = None, limit: int = 10) -> dict[str, Any]:
        """Search the corpus by words; "quoted phrases" and -excluded words work too.

        `kind` is one of page, section, sentence, item, passage, table, table_caption, cell, header_cell, or left out;
        `limit` is 1 to 25.
        """
        return tools.search_evidence(query, kind, limit)

    @server.tool(annotations=reads_only)
    @_report_errors
    def get_page(title: str, start: int = 0) -> dict[str, Any]:
        """Read a page by its title: sections, sentences and list items with their addresses; tables are named only.

        A long page comes in pieces: call again with start = next_start.
        """
        return tools.get_page(title, start)

    @server.tool(annotations=reads_only)
    @_report_errors
    def get_table(id: str, start_row: int = 0) -> dict[str, Any]:
        """Read a table by its address, e.g. "Mount Everest_table_1", or by that of one of its cells.

        Every square of the grid is there with the address of its cell. A long table comes in pieces: call again with
        start_row = next_start_row.
        """
        return tools.get_table(id, start_row)

    return server


def _report_errors(tool: Callable[_P, _R]) -> Callable[_P, _R]:
    """The same tool, whose known errors reach the assistant as they are."""
    from mcp.server.mcpserver.exceptions import ToolError

    @functools.wraps(tool)
    def run(*arguments: _P.args, **named: _P.kwargs) -> _R:
        try:
            return tool(*arguments, **named)
        except VeritabError as error:
            raise ToolError(str(error)) from error

    return run


def _refuse_call(name: str, arguments: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse a tool or an argument that there is not, which the protocol's own package would pass over."""
    from mcp.server.mcpserver.exceptions import ToolError

    if name not in schemas:
        raise ToolError(f"there is no tool {name[:60]!r}; there are {', '.join(schemas)}")
    known = list(schemas[name]["properties"])
    for unknown in arguments.keys() - set(known):
        near = nearest_name(unknown, known, 0.6)
        meant = f"did you mean {near!r}?" if near else f"it takes {', '.join(known)}"
        raise ToolError(f"{name} takes no argument {unknown[:60]!r}; {meant}")


def _explain(error: Exception, arguments: Mapping[str, Any]) -> Exception:
    """An error of a call as the assistant should read it: what is wrong with which argument, or what the tool said."""
    from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
    from pydantic import ValidationError

    match error, error.__cause__:
        case UnexpectedToolError(), _:
            return UnexpectedToolError("an unexpected error happened; the log of veritab mcp says what")
        case ToolError(), ValidationError() as cause:
            faults = describe_faults(cause.errors(), arguments, ())
            return ToolError("; ".join(f"{fault.where}: {fault.what}" for fault in faults[:_MOST_SHOWN]))
        case ToolError(), ToolError() as cause:
            return cause
        case _:
            return error
