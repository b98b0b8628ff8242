"""Listening: an application behind a socket that drops slow clients and shuts down gracefully."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import h11
import orjson
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from veritab.errors import InputError, VeritabError
from veritab.web.guards import SECURITY
from veritab.web.limits import Limits
from veritab.web.problems import MEDIA_TYPE, ProblemDetails
from veritab.web.workers import share_of

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names that a server on this machine alone has."""
_BACKLOG = 512
_SWITCH_SECONDS = 0.001


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address, taken before anything slow is opened; port 0 takes any that is free."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        message = f"{host!r} is not an address of this machine; try 127.0.0.1, or 0.0.0.0 for every network"
        raise InputError(message) from None
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        raise _no_address(host, port, error) from None
    return opened


def _no_address(host: str, port: int, error: OSError) -> VeritabError:
    match error.errno:
        case errno.EADDRINUSE:
            return InputError(f"port {port} on {host} is taken; stop what listens there, or give another --port")
        case errno.EACCES:
            return InputError(f"port {port} may not be taken by this user; give a --port above 1023")
        case _:
            return InputError(f"{host!r} port {port} cannot be listened on ({error.strerror}); give another --host")


def address_of(opened: socket.socket) -> str:
    """The address to open in a browser."""
    host, port = opened.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def serve(app: FastAPI, opened: socket.socket) -> None:
    """Answer until stopped (SIGINT, SIGTERM): then take nothing new, finish what was begun, and return."""
    _share_the_interpreter()
    server_for(app).run(sockets=[opened])


def _share_the_interpreter() -> None:
    """Let the thread that answers everybody have its turn at once while others compute.

    Python threads hand the interpreter on every five milliseconds, of which an answer takes several; and looking for
    garbage stops them all, for as long as there are objects, of which the models and the corpus have many.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.collect()
    gc.freeze()


def server_for(app: FastAPI) -> Server:
    """The server of an application, with the application's limits."""
    limits: Limits = app.state.limits

    class Connection(BoundedConnection):
        pass

    Connection.limits = limits
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=max(1, round(limits.idle_seconds)),
        timeout_graceful_shutdown=max(1, round(limits.shutdown_seconds)),
        h11_max_incomplete_event_size=limits.header_bytes,
    )
    return Server(config, app)


class Server(uvicorn.Server):
    """Lets the application refuse new requests from the moment the server is asked to stop."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; at the second signal at once. The signal ends here, so that the command can print its last line."""
        self.force_exit = self.should_exit
        self.stop()

    def stop(self) -> None:
        """Refuse new work, finish what was begun, and end."""
        self._app.state.workers.refuse()
        self._app.state.readers.refuse()
        self.should_exit = True


class BoundedConnection(H11Protocol):
    """A connection that must send its headers in time, take its answer in time, and not be one too many."""

    limits: Limits

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._headers = _Timer(self.loop, self._headers_too_slow)
        self._rest = _Timer(self.loop, self._cut_off)
        self._reading = _Timer(self.loop, self._cut_off)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        own = sum(isinstance(each, BoundedConnection) and each._host == self._host for each in self.connections)
        if len(self.connections) > self.limits.connections or own > share_of(self.limits.connections):
            whose = "of yours are" if len(self.connections) <= self.limits.connections else "are"
            detail = f"too many connections {whose} open; come back later"
            self._end(ProblemDetails(503, detail, headers={"Retry-After": "5"}))
        else:
            self._headers.start(self.limits.header_seconds)

    @property
    def _host(self) -> str:
        return self.client[0] if self.client else ""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.SEND_BODY:
            self._rest.stop()
        if self.conn.their_state is not h11.IDLE:
            self._headers.stop()
        elif not self._headers.runs:  # the first bytes of another request on the same connection
            self._headers.start(self.limits.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._headers, self._rest, self._reading):
            timer.stop()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._reading.start(self.limits.write_seconds)
        elif self.conn.their_state is h11.SEND_BODY:
            # Answered before the body was there, which may come yet, but not for ever.
            self._rest.start(self.limits.body_seconds)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading.start(self.limits.write_seconds)

    def resume_writing(self) -> None:
        self._reading.stop()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        self._end(ProblemDetails(400, "this is not an HTTP request that can be read, or its headers are too long"))

    # -- the end

    def _headers_too_slow(self) -> None:
        if self.transport.is_closing():
            return
        if self.conn.trailing_data[0]:
            self._end(ProblemDetails(408, "the headers did not come in time"))
        else:
            self.transport.close()

    def _cut_off(self) -> None:
        """Abort the connection: closing it properly would wait for a client that does not read."""
        self.transport.abort()

    def _end(self, problem: ProblemDetails) -> None:
        """Answer without the application, and close."""
        self._headers.stop()
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(_as_bytes(problem))
        self.transport.close()
        self._reading.start(self.limits.write_seconds)


class _Timer:
    """Something that happens unless it is stopped in time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, then: Callable[[], None]) -> None:
        self._loop = loop
        self._then = then
        self._handle: asyncio.TimerHandle | None = None

    @property
    def runs(self) -> bool:
        return self._handle is not None

    def start(self, seconds: float) -> None:
        self.stop()
        self._handle = self._loop.call_later(seconds, self._fire)

    def stop(self) -> None:
        if self._handle:
            self._handle.cancel()
            self._handle = None

    def _fire(self) -> None:
        self._handle = None
        self._then()


def _as_bytes(problem: ProblemDetails) -> bytes:
    """A whole answer on the wire."""
    body = orjson.dumps(problem.as_json())
    headers = {
        "Content-Type": MEDIA_TYPE,
        "Content-Length": str(len(body)),
        "Connection": "close",
        **SECURITY,
        **problem.headers,
    }
    lines = [f"HTTP/1.1 {problem.status} {problem.title}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body
