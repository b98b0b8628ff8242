"""The route for whole texts: their claims are found and checked, and the answer says where in the text each stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.decompose import ExtractedClaim, extract_claims, number_claims
from veritab.errors import InputError
from veritab.render.json import text_verdict_to_json
from veritab.schema import Claim
from veritab.web.api.shapes import TextBody, TextVerdictsShape
from veritab.web.api.work import NDJSON, BatchRequest, respond_batch, wants_stream, while_connected
from veritab.web.corpora import Chosen
from veritab.web.limits import Limits

if TYPE_CHECKING:
    from veritab.pipeline import Checker


class _Statement(NamedTuple):
    """A sentence of the text, and the claim that it makes."""

    found: ExtractedClaim
    claim: Claim


def add(routes: APIRouter) -> None:
    """Add the route."""

    def check(request: Request, checker: Checker, some: Sequence[_Statement]) -> list[dict[str, Any]]:
        verdicts = list(checker.check_many(each.claim for each in some))
        for verdict in verdicts:
            request.app.state.metrics.count_claim(str(verdict.label))
        return [text_verdict_to_json(each.found, verdict) for each, verdict in zip(some, verdicts, strict=True)]

    @routes.post("/text", tags=["check"], summary="Check a whole text", response_model=TextVerdictsShape)
    async def check_text(request: Request, body: TextBody, chosen: Chosen) -> Response:
        """Find the sentences of a text that make a claim, and check each of them against the corpus.

        A verdict has the place of its sentence, `start` and `end`, counted in characters (Unicode code points) of the
        text as it was sent; `text` is the sentence as written and `claim` as checked, made to stand alone. The `title`
        says what "it" is before the text names anything. Questions, opinions, what is said of the future
        and headings are passed over, and so are sentences of more than 1,500 characters. With
        `Accept: application/x-ndjson`, each verdict is a line, written as soon as it is there.
        """
        limits: Limits = request.app.state.limits
        refuse_long_text("the text", body.text, limits)
        statements = await while_connected(request, request.app.state.readers.run(_find, body.text, body.title))
        _refuse_many(len(statements), limits, streamed=wants_stream(request))
        batch = BatchRequest(statements, lambda some: check(request, chosen.checker, some), _identify, "verdicts")
        return await respond_batch(request, request.app.state.workers, batch)


def refuse_long_text(what: str, text: str, limits: Limits) -> None:
    """Refuse a text or a document that is too long, and say what to do instead."""
    if len(text) > limits.text_characters:
        most = limits.text_characters
        raise InputError(f"{what} has {len(text):,} characters, and one may have {most:,}; cut it in parts")


def _find(text: str, title: str) -> list[_Statement]:
    found = extract_claims(text, title=title)
    return [_Statement(*each) for each in zip(found, number_claims(found), strict=True)]


def _refuse_many(count: int, limits: Limits, *, streamed: bool) -> None:
    most = limits.stream_claims if streamed else limits.claims
    if count > most:
        remedy = "cut it in parts" if streamed else f"cut it in parts, or ask for a stream (Accept: {NDJSON})"
        raise InputError(f"the text makes {count:,} claims, and one may make {most:,}; {remedy}")


def _identify(statement: _Statement) -> dict[str, Any]:
    found, claim = statement
    return {"start": found.start, "end": found.end, "text": found.text, "id": claim.id, "claim": claim.text}
