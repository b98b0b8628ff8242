"""The routes under /v1: check, correct, judge and score claims and texts, search the corpus, open what it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter
from fastapi import Path as InPath
from fastapi import Query as InQuery
from starlette.requests import Request
from starlette.responses import Response

from veritab.corpus.feverous import page_to_json
from veritab.errors import InputError, NotFound
from veritab.render.json import element_to_json, judgement_to_json, match_to_json, verdict_to_json
from veritab.schema import Claim, ElementId, refuse_long
from veritab.web.api import correcting, scoring, texts
from veritab.web.api.shapes import (
    CheckBody,
    ClaimsBody,
    ElementShape,
    JudgeBody,
    JudgementShape,
    JudgementsShape,
    KindName,
    Name,
    PageShape,
    PairBody,
    PairsBody,
    QueriesBody,
    QueryBody,
    SearchBody,
    SearchesShape,
    SearchShape,
    Text,
    VerdictShape,
    VerdictsShape,
    claim_of,
    count_cells,
    evidence_to_library,
)
from veritab.web.api.work import BatchRequest, json_response, respond_batch, while_connected
from veritab.web.bodies import BoundedRoute
from veritab.web.corpora import Chosen, ChosenCorpus
from veritab.web.limits import Limits

if TYPE_CHECKING:
    from veritab.pipeline import Checker


def router() -> APIRouter:
    """The API."""
    routes = APIRouter(prefix="/v1", route_class=BoundedRoute)
    _add_checking(routes)
    texts.add(routes)
    correcting.add(routes)
    _add_judging(routes)
    scoring.add(routes)
    _add_searching(routes)
    _add_reading(routes)
    return routes


# -- check -------------------------------------------------------------------------------------------------


def _add_checking(routes: APIRouter) -> None:
    def check(request: Request, checker: Checker, claims: Sequence[Claim]) -> list[dict[str, Any]]:
        return _count_claims(request, [verdict_to_json(verdict) for verdict in checker.check_many(claims)])

    async def respond(request: Request, chosen: ChosenCorpus, claims: list[Claim], many: str | None) -> Response:
        limits: Limits = request.app.state.limits
        for claim in claims:
            refuse_long("a claim", claim.text, limits.claim_characters)
        batch = BatchRequest(claims, lambda some: check(request, chosen.checker, some), _named_claim, many)
        return await respond_batch(request, request.app.state.workers, batch)

    @routes.post("/check", tags=["check"], summary="Check claims", response_model=VerdictShape | VerdictsShape)
    async def check_claims(request: Request, body: CheckBody, chosen: Chosen) -> Response:
        """Check one claim, or several, against the corpus; evidence is found, and a verdict with it.

        With `Accept: application/x-ndjson`, each verdict is a line, written as soon as it is there.
        """
        if isinstance(body, ClaimsBody):
            return await respond(request, chosen, [claim_of(each) for each in body.claims], "verdicts")
        return await respond(request, chosen, [claim_of(body)], None)

    @routes.get("/check", tags=["check"], summary="Check one claim", response_model=VerdictShape)
    async def check_claim(request: Request, claim: Annotated[Text, InQuery()], chosen: Chosen) -> Response:
        """Check the claim in the address."""
        return await respond(request, chosen, [Claim("", claim)], None)


def _named_claim(claim: Claim) -> dict[str, Any]:
    return {"id": claim.id, "claim": claim.text} if claim.id else {"claim": claim.text}


def _count_claims(request: Request, verdicts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for verdict in verdicts:
        request.app.state.metrics.count_claim(verdict["label"])
    return verdicts


# -- judge -------------------------------------------------------------------------------------------------


def _add_judging(routes: APIRouter) -> None:
    def judge(request: Request, pairs: Sequence[PairBody]) -> list[dict[str, Any]]:
        judge_by = request.app.state.corpora.default.judge  # the models are the same whatever the corpus
        given = [(Claim(pair.id, pair.claim), _evidence(pair)) for pair in pairs]
        return _count_claims(request, [judgement_to_json(verdict) for verdict in judge_by(given)])

    @routes.post(
        "/judge", tags=["check"], summary="Judge claims by evidence", response_model=JudgementShape | JudgementsShape
    )
    async def judge_claims(request: Request, body: JudgeBody) -> Response:
        """Judge one claim, or several, by the evidence handed over: texts and tables. Nothing is searched for.

        With `Accept: application/x-ndjson`, each verdict is a line, written as soon as it is there.
        """
        pairs = body.pairs if isinstance(body, PairsBody) else [body]
        limits: Limits = request.app.state.limits
        for pair in pairs:
            refuse_long("a claim", pair.claim, limits.claim_characters)
            if len(pair.evidence) > limits.evidence_pieces:
                raise InputError(
                    f"{len(pair.evidence):,} pieces of evidence for one claim; at most {limits.evidence_pieces:,} are "
                    "read, so leave out what does not matter"
                )
            if (cells := sum(map(count_cells, pair.evidence))) > limits.evidence_cells:
                raise InputError(
                    f"{cells:,} cells of tables for one claim; at most {limits.evidence_cells:,} are read, so leave "
                    "out rows and columns that do not matter"
                )
        many = "verdicts" if isinstance(body, PairsBody) else None
        batch = BatchRequest(pairs, lambda some: judge(request, some), _identify_pair, many)
        return await respond_batch(request, request.app.state.workers, batch)


def _identify_pair(pair: PairBody) -> dict[str, Any]:
    return {"id": pair.id, "claim": pair.claim} if pair.id else {"claim": pair.claim}


def _evidence(pair: PairBody) -> list[Any]:
    """The evidence as the library takes it."""
    return [evidence_to_library(each) for each in pair.evidence]


# -- search ------------------------------------------------------------------------------------------------


def _add_searching(routes: APIRouter) -> None:
    def search(checker: Checker, query: QueryBody) -> dict[str, Any]:
        hits = checker.search(query.query, query.kind, query.k, page=query.page or None)
        return {"query": query.query, "hits": [match_to_json(hit) for hit in hits]}

    async def respond(request: Request, chosen: ChosenCorpus, queries: list[QueryBody], many: str | None) -> Response:
        limits: Limits = request.app.state.limits
        for query in queries:
            refuse_long("a query", query.query, limits.claim_characters)
            if query.k > limits.hits:
                raise InputError(f"k is {query.k}; at most {limits.hits} hits are given")
        batch = BatchRequest(
            queries,
            lambda some: [search(chosen.checker, query) for query in some],
            lambda each: {"query": each.query},
            many,
        )
        return await respond_batch(request, request.app.state.readers, batch)

    @routes.post("/search", tags=["corpus"], summary="Search the corpus", response_model=SearchShape | SearchesShape)
    async def search_many(request: Request, body: SearchBody, chosen: Chosen) -> Response:
        """Find pages, sentences, list items, tables and cells by their words; best first.

        Besides plain words: "a quoted phrase", -without, title:word, section:word, headers:word, page:"Title".
        With `Accept: application/x-ndjson`, what each search found is a line.
        """
        if isinstance(body, QueriesBody):
            return await respond(request, chosen, body.queries, "searches")
        return await respond(request, chosen, [body], None)

    @routes.get("/search", tags=["corpus"], summary="Search the corpus", response_model=SearchShape)
    async def search_one(
        request: Request,
        q: Annotated[Text, InQuery(description="What to look for.")],
        chosen: Chosen,
        kind: Annotated[KindName | None, InQuery(description="What to find; anything when not given.")] = None,
        page: Annotated[Name | None, InQuery(description="Search this page only.")] = None,
        k: Annotated[int, InQuery(ge=1, description="How many hits to give at most.")] = 10,
    ) -> Response:
        """Find what the address asks for."""
        return await respond(request, chosen, [QueryBody(query=q, kind=kind, page=page, k=k)], None)


# -- pages and elements ------------------------------------------------------------------------------------


def _add_reading(routes: APIRouter) -> None:
    async def read(request: Request, name: str, look_up: Callable[[str], dict[str, Any]]) -> Response:
        limits: Limits = request.app.state.limits
        if len(name) > limits.claim_characters:
            raise NotFound(f"nothing is called {name[:60]!r}…, a name of {len(name):,} characters")
        return json_response(await while_connected(request, request.app.state.readers.run(look_up, name)))

    @routes.get("/pages/{title:path}", tags=["corpus"], summary="Open a page", response_model=PageShape)
    async def page(
        request: Request,
        title: Annotated[str, InPath(description="The page's title; redirects are followed.")],
        chosen: Chosen,
    ) -> Response:
        """A page of the corpus as FEVEROUS page JSON."""
        return await read(request, title, lambda title: page_to_json(chosen.checker.store.page(title)))

    @routes.get("/elements/{id:path}", tags=["corpus"], summary="Open an element", response_model=ElementShape)
    async def element(
        request: Request,
        id: Annotated[str, InPath(description="The element's address, e.g. K2_sentence_0.")],
        chosen: Chosen,
    ) -> Response:
        """One element of a page, with what a reader needs beside it."""
        store = chosen.checker.store
        return await read(request, id, lambda id: element_to_json(store.element(ElementId.parse(id))))
