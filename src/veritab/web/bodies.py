"""The bodies of requests: bounded before they are read further, read and validated off the event loop.

One thread answers everybody, so nothing that takes long may happen in it; and a thread beside it still stops the whole
process while it is inside a library's single call. So a body is counted by its bytes (`guards.BodyLimit`), then by its
values, before it is parsed, looked through for what is too deep or too wide, and only then validated: whatever it
holds, each of these steps is over in milliseconds. What is small is read at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias
from urllib.parse import parse_qsl

from fastapi._compat import ModelField
from fastapi.routing import APIRoute
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from veritab.web.api.work import while_connected
from veritab.web.limits import Limits
from veritab.web.problems import RequestRefused, refuse_faults

# A few claims are read faster than another thread takes over, whatever they hold.
_SMALL = 4 << 10
_DEEPEST = 8
_MOST_MEMBERS = 100
# One that is never closed ends with the body: were it no match, each quote in it would be tried again.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_BODILESS = frozenset({"GET", "HEAD"})
_FORM = "application/x-www-form-urlencoded"
_FILES = "multipart/form-data"

Answer: TypeAlias = Callable[[Request], Awaitable[Response]]


class BoundedRoute(APIRoute):
    """A route whose bodies are bounded, and whose work ends when its client has gone; every router has it."""

    def get_route_handler(self) -> Any:
        answer: Answer = super().get_route_handler()
        field = self.body_field

        async def answer_bounded(request: Request) -> Response:
            bounded = _BoundedRequest(request, field)
            if request.method in _BODILESS:  # with a body, listening for the client's end would swallow it
                return await while_connected(bounded, answer(bounded))
            return await answer(bounded)

        return answer_bounded


class _BoundedRequest(Request):
    """A request whose JSON comes validated, and whose forms have few parts."""

    def __init__(self, request: Request, field: ModelField | None) -> None:
        super().__init__(request.scope, request.receive)
        self._field = field

    async def json(self) -> Any:
        """The body as the route wants it: models, which the framework lets through as they are."""
        if not hasattr(self, "_json"):
            data, state = await self.body(), self.app.state
            if len(data) <= _SMALL:
                self._json = read_json(data, self._field, state.limits)
            else:
                self._json = await state.readers.run(read_json, data, self._field, state.limits)
        return self._json

    async def _get_form(self, **_: Any) -> FormData:
        """A form; the framework's bounds are wider, and its words are not ours."""
        limits: Limits = self.app.state.limits
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == _FILES:
            return await self._read_files(limits)
        if kind != _FORM:
            raise RequestRefused(415, f"a form is expected here, sent as {_FORM} or as {_FILES}")
        if self._form is None:
            data = await self.body()
            self._form = FormData(await self.app.state.readers.run(_read_fields, data, limits.form_fields))
        return self._form

    async def _read_files(self, limits: Limits) -> FormData:
        most = {"max_files": limits.form_files, "max_fields": limits.form_fields}
        try:
            return await super()._get_form(**most, max_part_size=limits.body_bytes)
        except RequestRefused:
            raise
        except HTTPException:
            raise RequestRefused(
                400,
                f"the form cannot be read: it may hold {limits.form_files:,} files and {limits.form_fields:,} other "
                f"fields of {limits.body_bytes:,} bytes, each with its name",
            ) from None


def read_json(data: bytes, field: ModelField | None, limits: Limits) -> Any:
    """A body of JSON as what a route wants of it."""
    _refuse_many(data, limits.body_values)
    try:
        value = json.loads(data)
    except RecursionError:
        raise RequestRefused(400, "the body cannot be read; send JSON, not nested deeper than a table is") from None
    except ValueError as error:  # bytes that are no text have no place of their own
        raise RequestRefused(400, f"body: it is not JSON; look at character {getattr(error, 'pos', 0)}") from None
    _refuse_odd(value)
    if field is None:
        return value
    found, faults = field.validate(value, {}, loc=("body",))
    if faults:
        raise refuse_faults(faults, value)
    return found


def _refuse_many(data: bytes, most: int) -> None:
    """Refuse JSON of too many values by its signs; those inside of texts count only where there might be too many."""
    if _count_signs(data) > most and _count_signs(_STRING.sub(b"", data)) > most:
        raise RequestRefused(400, f"the body holds more than {most:,} values; send fewer at a time")


def _count_signs(data: bytes) -> int:
    """What begins or parts values."""
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def _refuse_odd(value: Any) -> None:
    """Refuse what no shape of ours is like: an object of a great many members, or lists in lists in lists."""
    waiting = [(value, 1)]
    while waiting:
        held, depth = waiting.pop()
        if not isinstance(held, dict | list):
            continue
        if isinstance(held, dict) and len(held) > _MOST_MEMBERS:
            raise RequestRefused(400, f"an object in the body has {len(held):,} members; none here has so many")
        if depth > _DEEPEST:
            raise RequestRefused(400, f"the body is nested deeper than {_DEEPEST} levels; a table needs no more")
        waiting += ((each, depth + 1) for each in (held.values() if isinstance(held, dict) else held))


def _read_fields(data: bytes, most: int) -> list[tuple[str, str]]:
    try:
        return parse_qsl(data.decode("latin-1"), keep_blank_values=True, max_num_fields=most, errors="replace")
    except ValueError:
        raise RequestRefused(400, f"the form has more than {most:,} fields; send fewer") from None
