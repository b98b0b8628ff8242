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
from veritab.web.problems import CLIENT_GONE, RequestRefused, describe_error
from veritab.web.workers import Workers, WorkerSlot

NDJSON = "application/x-ndjson"
_STOPS = frozenset({CLIENT_GONE, 503, 504})
_BATCH = 8

T = TypeVar("T")


class BatchRequest(NamedTuple, Generic[T]):
    """The items of a request, what answers some of them, and how the answers are put together."""

    items: Sequence[T]
    answer: Callable[[Sequence[T]], list[dict[str, Any]]]
    identify: Callable[[T], dict[str, Any]]
    """What identifies an item in a line of a stream where its answer failed."""
    many: str | None = None
    """The name of the list of answers; None for a request of one item."""
    join: Callable[[Sequence[dict[str, Any]]], dict[str, Any]] | None = None
    """What makes one document of many answers where it is more than a list of them."""
    size: int = _BATCH
    """How many are answered at a time, and within the time for a claim."""


async def respond_batch(request: Request, workers: Workers, batch: BatchRequest[T]) -> Response:
    """The answers in one document, or a line each for who accepts a stream."""
    limits: Limits = request.app.state.limits
    streamed = wants_stream(request)
    most = limits.stream_claims if streamed else limits.claims
    if len(batch.items) > most:
        remedy = "send fewer at a time" if streamed else f"send fewer, or ask for a stream (Accept: {NDJSON})"
        raise InputError(f"{len(batch.items):,} in one request; at most {most:,} are answered; {remedy}")
    place = workers.admit()
    if streamed:
        return _LineResponse(_answer_lines(workers, limits, batch), place)
    with place:
        answers = await while_connected(request, _answer_all(workers, limits.seconds, batch))
    if batch.many is None:
        return json_response(answers[0])
    return json_response(batch.join(answers) if batch.join else {batch.many: answers})


def wants_stream(request: Request) -> bool:
    """Whether the client accepts a stream of lines."""
    return any(NDJSON in accepted.lower() for accepted in request.headers.getlist("accept"))


def json_response(value: Any) -> Response:
    """A value as JSON."""
    return Response(_dump(value), media_type="application/json")


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Work that is cancelled when the client has gone."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise RequestRefused(CLIENT_GONE, "the client has gone")
        return task.result()
    finally:
        gone.cancel()
        task.cancel()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _answer_all(workers: Workers, seconds: float, batch: BatchRequest[T]) -> list[dict[str, Any]]:
    """The answers, a few things at a time, so that a request of a hundred claims does not keep a worker to itself."""
    answers: list[dict[str, Any]] = []
    for start in range(0, len(batch.items), batch.size):
        some = batch.items[start : start + batch.size]
        answers += await workers.work(seconds, batch.answer, some)
    return answers


async def _answer_lines(workers: Workers, limits: Limits, batch: BatchRequest[T]) -> AsyncIterator[bytes]:
    until = time.monotonic() + limits.stream_seconds
    for item in batch.items:
        left = until - time.monotonic()
        try:
            (answer,) = await workers.work(max(0.001, min(left, limits.seconds)), batch.answer, [item])
            yield _dump(answer) + b"\n"
        except Exception as error:
            problem = describe_error(error)
            yield _dump({**batch.identify(item), "problem": problem.as_json()}) + b"\n"
            if problem.status in _STOPS:
                return


class _LineResponse(StreamingResponse):
    """A stream that gives its place back however it ends."""

    def __init__(self, lines: AsyncIterator[bytes], place: WorkerSlot) -> None:
        super().__init__(lines, media_type=NDJSON, headers={"X-Accel-Buffering": "no"})
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._place:
            await super().__call__(scope, receive, send)


def _dump(value: Any) -> bytes:
    return orjson.dumps(value, default=str, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
