"""Requests of one thing or of many, answered at once or line by line as things are done."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from veritab.errors import InputError
from veritab.web.limits import Limits
from veritab.web.problems import CLIENT_GONE, Refused, problem_of
from veritab.web.workers import Place, Workers

NDJSON = "application/x-ndjson"
_STOPS = frozenset({CLIENT_GONE, 503, 504})
_PIECE = 8

T = TypeVar("T")


class Asked(NamedTuple, Generic[T]):
    """What a request asks for: things, what is done with some of them, and how the answers are put together."""

    things: Sequence[T]
    do: Callable[[Sequence[T]], list[dict[str, Any]]]
    named: Callable[[T], dict[str, Any]]
    """What stands in a line of a stream in place of an answer that failed."""
    many: str | None = None
    """The name of the list of answers; None where one thing was asked for."""


async def answered(request: Request, workers: Workers, asked: Asked[T]) -> Response:
    """The answers in one document, or a line each for who accepts a stream."""
    limits: Limits = request.app.state.limits
    streamed = wants_stream(request)
    most = limits.stream_claims if streamed else limits.claims
    if len(asked.things) > most:
        remedy = "send fewer at a time" if streamed else f"send fewer, or ask for a stream (Accept: {NDJSON})"
        raise InputError(f"{len(asked.things):,} in one request; at most {most:,} are answered; {remedy}")
    place = workers.admitted()
    if streamed:
        return _Lines(_lines(workers, limits, asked), place)
    with place:
        answers = await while_connected(request, _all(workers, limits.seconds, asked))
    return json_answer(answers[0] if asked.many is None else {asked.many: answers})


def wants_stream(request: Request) -> bool:
    """Whether the caller asked for lines."""
    return any(NDJSON in accepted.lower() for accepted in request.headers.getlist("accept"))


def json_answer(value: Any) -> Response:
    """A value as JSON."""
    return Response(_json(value), media_type="application/json")


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Work that is called off when the client is gone."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Refused(CLIENT_GONE, "nobody waits for the answer")
        return task.result()
    finally:
        gone.cancel()
        task.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _all(workers: Workers, seconds: float, asked: Asked[T]) -> list[dict[str, Any]]:
    """The answers, a few things at a time, so that nobody's hundred claims keep a worker to themselves."""
    answers: list[dict[str, Any]] = []
    for start in range(0, len(asked.things), _PIECE):
        piece = asked.things[start : start + _PIECE]
        answers += await workers.work(seconds, asked.do, piece)
    return answers


async def _lines(workers: Workers, limits: Limits, asked: Asked[T]) -> AsyncIterator[bytes]:
    until = time.monotonic() + limits.stream_seconds
    for thing in asked.things:
        left = until - time.monotonic()
        try:
            (answer,) = await workers.work(max(0.001, min(left, limits.seconds)), asked.do, [thing])
            yield _json(answer) + b"\n"
        except Exception as error:
            problem = problem_of(error)
            yield _json({**asked.named(thing), "problem": problem.as_json()}) + b"\n"
            if problem.status in _STOPS:
                return


class _Lines(StreamingResponse):
    """A stream that gives its place back however it ends."""

    def __init__(self, lines: AsyncIterator[bytes], place: Place) -> None:
        super().__init__(lines, media_type=NDJSON, headers={"X-Accel-Buffering": "no"})
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._place:
            await super().__call__(scope, receive, send)


def _json(value: Any) -> bytes:
    return orjson.dumps(value, default=str, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
