"""A client of the chat-completions protocol, with limits on the time and the size of an answer."""

from __future__ import annotations

import http.client
import json
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from veritab.errors import EndpointError, InputError
from veritab.text import printable

_log = logging.getLogger(__name__)

_PATH = "/chat/completions"
_LARGEST = 1 << 20
_STRETCH = 1 << 16
_LONGEST_WAIT = 30.0
_FIRST_WAIT = 0.5
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Message(NamedTuple):
    """One message of a conversation: its role and its content."""

    role: str
    content: str


@dataclass(frozen=True)
class Endpoint:
    """A server, a model on it, and the limits of a request."""

    address: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    """How many seconds one answer may take, from the first byte sent to the last received."""
    retries: int = 2
    """How often a request is repeated that times out or fails."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"endpoint is {self.address!r}; expected e.g. http://127.0.0.1:8080/v1")
        if not self.model.strip():
            raise InputError("no model was named for the endpoint; give the name that its server knows")
        if self.key is not None and (not self.key or not self.key.isascii() or not self.key.isprintable()):
            raise InputError("the key for the endpoint is empty or holds what no header may; give it as it was issued")
        if not 0 < self.timeout <= 3600:
            raise InputError(f"timeout is {self.timeout!r}; expected seconds, up to 3600")
        if not 0 <= self.retries <= 10:
            raise InputError(f"retries is {self.retries!r}; expected 0 to 10")
        if self.key and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            _log.warning("the key is sent unencrypted to %s; https would hide it", parts.hostname)

    @property
    def url(self) -> str:
        """Where conversations are sent."""
        base = self.address.rstrip("/")
        return base if base.endswith(_PATH) else base + _PATH

    def ask(self, messages: Sequence[Message], options: Mapping[str, Any]) -> str:
        """What the model says next."""
        request = {"model": self.model, **options, "messages": [message._asdict() for message in messages]}
        body = json.dumps(request).encode()
        for attempt in range(self.retries + 1):
            try:
                return _content(self._answer(body), self.url)
            except _Failed as failed:
                if attempt == self.retries or not failed.again:
                    raise EndpointError(self._describe(failed, attempt + 1)) from failed
                time.sleep(failed.wait if failed.wait is not None else _FIRST_WAIT * 2**attempt)
        raise AssertionError("the last attempt either answers or fails")

    def _describe(self, failed: _Failed, attempts: int) -> str:
        times = f" after {attempts} attempts" if attempts > 1 else ""
        return f"the language model at {self.url!r} gave no answer{times}: {failed}; {failed.remedy}"

    def _answer(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.url, body, headers, method="POST")
        until = time.monotonic() + self.timeout
        try:
            with _opener().open(request, timeout=self.timeout) as response:
                return _read(response, until, self.timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(error) from None
        except TimeoutError:
            raise _too_slow(self.timeout) from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise _too_slow(self.timeout) from None
            raise _Failed(f"{error.reason}", "is its server running?", again=True) from None
        except (http.client.HTTPException, OSError) as error:
            raise _Failed(f"{type(error).__name__}: {error}", "is its server running?", again=True) from None


class _Failed(Exception):
    """One attempt failed; `again` says whether another may do better, `wait` how long its server asks to wait."""

    def __init__(self, what: str, remedy: str, *, again: bool = False, wait: float | None = None) -> None:
        super().__init__(what)
        self.remedy = remedy
        self.again = again
        self.wait = wait


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key and the claims to a server that nobody named."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _opener() -> urllib.request.OpenerDirector:
    # No proxy from the environment: settings alone say where claims are sent.
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects())


def _read(response: http.client.HTTPResponse, until: float, timeout: float) -> bytes:
    """The whole answer; a server that dribbles is no faster than one that is silent."""
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(_STRETCH):
        pieces.append(piece)
        size += len(piece)
        if size > _LARGEST:
            raise _Failed(f"its answer is longer than {_LARGEST // 1024:,} KB", "name an endpoint that answers briefly")
        if time.monotonic() > until:
            raise _too_slow(timeout)
    return b"".join(pieces)


def _too_slow(timeout: float) -> _Failed:
    return _Failed(f"it took longer than {timeout:g} s", "give it more time with `timeout`", again=True)


def _refused(error: urllib.error.HTTPError) -> _Failed:
    reason = " ".join(printable(error.read(_STRETCH).decode(errors="replace")).split())[:200]
    what = f"HTTP {error.code}{f' ({reason})' if reason else ''}"
    if error.code in (401, 403):
        return _Failed(what, "give its key with `key_file`")
    if error.code in _AGAIN:
        return _Failed(
            what,
            "try again later, or ask less at once",
            again=True,
            wait=_parse_retry_after(error.headers.get("Retry-After", "")),
        )
    return _Failed(what, "see that the address and the model are right")


def _parse_retry_after(value: str) -> float | None:
    """The seconds to wait before a retry, as the server states them; dates are not supported."""
    return min(float(value), _LONGEST_WAIT) if value.isascii() and value.isdigit() else None


def _content(body: bytes, url: str) -> str:
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        content = None
    if not isinstance(content, str):
        shown = body[:80].decode(errors="replace")
        raise _Failed(f"it answered {shown!r}, which is no chat completion", f"see that {url!r} is the right address")
    return content
