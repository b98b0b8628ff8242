"""CORS: which pages of other sites may use the API from a browser; none unless the server is told."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from veritab.errors import InputError

ANY = "*"
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST",
    "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type",
    "Access-Control-Max-Age": "600",
}
_BY_BROWSERS = frozenset({b"origin", b"sec-fetch-site"})


class AllowedOrigins:
    """The origins whose pages may use the API: `https://app.example`, or any (`*`) where nobody needs a key."""

    def __init__(self, origins: Iterable[str] = (), *, keyed: bool = False) -> None:
        self._origins = frozenset(map(_parse_origin, origins))
        if keyed and ANY in self._origins:
            raise InputError(
                "every origin is allowed ('*') and keys are asked for, so that any page could use a key that it comes "
                "by; name the origins, e.g. --cors-origin https://app.example"
            )

    def __bool__(self) -> bool:
        return bool(self._origins)

    def __contains__(self, origin: str) -> bool:
        return ANY in self._origins or origin.lower() in self._origins


def _parse_origin(given: str) -> str:
    if given == ANY:
        return given
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError:
        raise _no_origin(given) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or "*" in parts.netloc:
        raise _no_origin(given)
    if parts.path or parts.query or parts.fragment or given.endswith(("?", "#")):
        raise _no_origin(given)
    usual = {"http": 80, "https": 443}[parts.scheme]
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, usual) else "")


def _no_origin(given: str) -> InputError:
    return InputError(f"{given!r} is not an origin; write the scheme, the name and the port alone: https://app.example")


class CrossOrigin:
    """Lets pages of allowed origins use /v1 and nothing else: answers preflights, and lets browsers show answers.

    Behind it such a request looks like a program's, so that the guard against other sites lets it pass.
    """

    def __init__(self, app: ASGIApp, origins: AllowedOrigins) -> None:
        self.app = app
        self.origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self.origins or not scope["path"].startswith("/v1/"):
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        allowed = bool(origin) and origin in self.origins

        async def send_allowed(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = MutableHeaders(scope=message)
                told.add_vary_header("Origin")
                if allowed:
                    told["Access-Control-Allow-Origin"] = origin
                    told["Access-Control-Expose-Headers"] = "Retry-After"
            await send(message)

        if not allowed:
            return await self.app(scope, receive, send_allowed)
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            return await Response(status_code=204, headers=_PREFLIGHT)(scope, receive, send_allowed)
        plain = [each for each in scope["headers"] if each[0] not in _BY_BROWSERS]
        await self.app({**scope, "headers": plain}, receive, send_allowed)
