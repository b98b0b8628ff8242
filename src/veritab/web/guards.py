"""The middleware of every request, outermost first: answers' headers, counts, errors, then what may come in."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from veritab.web import workers
from veritab.web.keys import Keys
from veritab.web.limits import DOCUMENT_PATHS, Limits
from veritab.web.metrics import Metrics
from veritab.web.problems import CLIENT_GONE, ProblemDetails, RequestRefused, describe_error, problem_response

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
OPEN_TO_ALL = frozenset({"/healthz", "/readyz"})
"""What a machine that watches the server asks, key or no key."""
_CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_READING = frozenset({"GET", "HEAD"})
_OWN_SITE = frozenset({"same-origin", "none"})
_FOR_PROGRAMS = ("/v1/", "/report", "/metrics", "/openapi.json")


async def _refuse(scope: Scope, receive: Receive, send: Send, problem: ProblemDetails) -> None:
    await problem_response(Request(scope), problem)(scope, receive, send)


class SecureHeaders:
    """Puts the security headers on every answer, errors too."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store" if scope["method"] != "GET" else "no-cache")
            await send(message)

        await self.app(scope, receive, send_secured)


class RequestCounter:
    """Counts every answer by its route and status, and how long it took."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        started, status = time.monotonic(), CLIENT_GONE

        async def send_counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_counted)
        finally:
            seconds = time.monotonic() - started
            self.metrics.count_request(_route(scope), _method(scope), status, seconds)


def _route(scope: Scope) -> str:
    """The pattern that served a request; one name for all that nothing serves."""
    route = scope.get("route")
    return str(getattr(route, "path_format", None) or getattr(route, "path", None) or "other")


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in _CHANGING or method in ("GET", "HEAD", "OPTIONS") else "other"


class UnexpectedErrors:
    """Answers an unexpected error with a problem that gives no internals away; the log has the whole of it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        started = False

        async def send_watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, send_watched)
        except Exception as error:
            problem = describe_error(error)
            if started:  # half an answer is out: closing the connection is the only honest end
                raise
            await _refuse(scope, receive, send, problem)


class HeaderLimit:
    """Counts a request's line and headers; `server` stops only those that are still coming in."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self.limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            line = len(scope.get("raw_path") or b"") + len(scope.get("query_string", b""))
            size = line + sum(len(name) + len(value) + 4 for name, value in scope["headers"])
            if size > self.limits.header_bytes:
                detail = f"the address and the headers have {size:,} bytes; {self.limits.header_bytes:,} are read"
                return await _refuse(scope, receive, send, ProblemDetails(431, detail, headers={"Connection": "close"}))
        await self.app(scope, receive, send)


class KnownHosts:
    """Serves only the names it is meant to have, so that no foreign page can reach a local server by renaming it."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self.app = app
        self.hosts = frozenset(host.lower().strip("[]") for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self.hosts and scope["path"] not in OPEN_TO_ALL:
            name = _host_name(Headers(scope=scope).get("host", ""))
            if name not in self.hosts:
                detail = f"this server does not answer to the name {name[:100]!r}; --allow-host NAME makes it do so"
                return await _refuse(scope, receive, send, ProblemDetails(421, detail))
        await self.app(scope, receive, send)


def _host_name(host: str) -> str:
    """The name without the port, in small letters; nothing where it cannot be read."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


class KeyRequired:
    """Asks for a key where the server has any, and notes whose request it is: the key's, or the address's."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self.app = app
        self.keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        name = self.keys.identify(Headers(scope=scope).get("authorization"))
        if name is None and self.keys and scope["path"] not in OPEN_TO_ALL:
            detail = "this server needs an API key; send the header Authorization: Bearer KEY"
            # A browser asks its user for a password when the scheme is Basic; the password is the key.
            scheme = "Bearer" if scope["path"].startswith("/v1/") else 'Basic realm="veritab", charset="UTF-8"'
            return await _refuse(
                scope, receive, send, ProblemDetails(401, detail, headers={"WWW-Authenticate": scheme})
            )
        before = workers.client.set(name or _address(scope))
        try:
            await self.app(scope, receive, send)
        finally:
            workers.client.reset(before)


def _address(scope: Scope) -> str:
    """Where a request comes from; of the newer addresses the network, of which a household has as many as it likes."""
    host = str((scope.get("client") or ("",))[0])
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    return str(address.ipv4_mapped or ipaddress.ip_network((address.packed[:8] + bytes(8), 64)))


class SameOrigin:
    """Refuses what a browser sends on behalf of a page of another site.

    A link may lead to a page from anywhere, but not to work: where a click would have a claim checked, `/check` shows
    the claim and waits to be told (`is_foreign`). Everything else that another site has a browser fetch, a picture, a
    frame, a script's request, is refused before it costs anything.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN_TO_ALL:
            headers = Headers(scope=scope)
            changing, reading = scope["method"] in _CHANGING, scope["method"] in _READING
            if (changing or (reading and not _is_link(scope["path"], headers))) and not _is_own(headers):
                detail = "a page of another site may not send this; open this server's own page"
                return await _refuse(scope, receive, send, ProblemDetails(403, detail))
        await self.app(scope, receive, send)


def is_foreign(request: Request) -> bool:
    """Whether a page of another site led a browser here."""
    return not _is_own(request.headers)


def _is_link(path: str, headers: Headers) -> bool:
    """Whether a browser was led to a page by a link; what is fetched for programs is none, nor what is downloaded."""
    if headers.get("sec-fetch-site") is None:  # an old browser, which sends an origin only where it wants to read
        return False
    is_page = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return is_page and not path.startswith(_FOR_PROGRAMS)


def _is_own(headers: Headers) -> bool:
    """Programs send neither header; browsers send at least one of them with every form."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in _OWN_SITE
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != ""
    except ValueError:
        return False


class BodyLimit:
    """Counts a body while it comes in, and does not wait for ever for the rest; `server` minds slow readers."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self.limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        most, seconds = self._bounds(scope)
        if _declared_length(Headers(scope=scope)) > most:
            return await _refuse(scope, receive, send, describe_error(_too_large(most)))
        until = asyncio.get_running_loop().time() + seconds
        size, complete = 0, False

        async def receive_bounded() -> Message:
            nonlocal size, complete
            if complete:  # nothing but the client's going away can come now, whenever that is
                return await receive()
            try:
                # Not wait_for, which takes what came at the last moment and forgets that somebody called it off.
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise RequestRefused(408, "the body did not come in time; send it faster", connection="close") from None
            size += len(message.get("body", b""))
            complete = not message.get("more_body", False)
            if size > most:
                raise _too_large(most)
            return message

        await self.app(scope, receive_bounded, send)

    def _bounds(self, scope: Scope) -> tuple[int, float]:
        """How large a body may be, and how long it may take to come."""
        if _has_files(scope) and scope["path"] in DOCUMENT_PATHS:
            return self.limits.documents_bytes, self.limits.documents_seconds
        files = _has_files(scope) and not scope["path"].startswith("/v1/")
        return self.limits.upload_bytes if files else self.limits.body_bytes, self.limits.body_seconds


def _has_files(scope: Scope) -> bool:
    kind = Headers(scope=scope).get("content-type", "")
    return kind.lower().startswith("multipart/form-data")


def _declared_length(headers: Headers) -> int:
    """The length that a request declares, 0 where it declares none; the body is counted anyway."""
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0


def _too_large(most: int) -> RequestRefused:
    return RequestRefused(413, f"the body is larger than {most:,} bytes; send less at a time", connection="close")
