"""Settings, a stand-in for a checker, and a real server on the loopback, for tests of the web."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI

from veritab.schema import Claim, Label, Verdict
from veritab.settings import Select, Settings, Verify
from veritab.web.server import Server, listen, server_for


def without_models() -> Settings:
    """Settings that need no weights and take milliseconds."""
    return Settings(select=Select(model="none"), verify=Verify(model="none"))


class Waiting:
    """Stands in for a checker whose claims take until `go` is set; counts what it began."""

    def __init__(self, said: str = "") -> None:
        self.said = said
        self.name = "waiting"
        self.corpus = {"name": "waiting", "revision": "0", "pages": 0}
        self.go = threading.Event()
        self.begun: list[str] = []

    def follow(self) -> None:
        """Nothing is ever ingested."""

    def check(self, text: str) -> Verdict:
        """The verdict on one claim."""
        return self._verdict(Claim("", text))

    def check_many(self, claims: Iterable[Claim]) -> Iterator[Verdict]:
        """One after the other, each when it may."""
        for claim in claims:
            self.begun.append(claim.text)
            if "accident" in claim.text:
                raise RuntimeError("the secret reason")
            assert self.go.wait(20), "nobody let the claim go"
            yield self._verdict(claim)

    def _verdict(self, claim: Claim) -> Verdict:
        return Verdict(claim, Label.NOT_ENOUGH_INFO, dict.fromkeys(Label, 1 / 3), reasoning=(self.said,))


@contextmanager
def served(app: FastAPI) -> Iterator[tuple[Server, tuple[str, int]]]:
    """The application behind a real socket, in a thread; where it listens."""
    opened = listen("127.0.0.1", 0)
    server = server_for(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
    thread.start()
    try:
        until(lambda: server.started)
        yield server, opened.getsockname()[:2]
    finally:
        server.stop()
        thread.join(20)
        opened.close()
    assert not thread.is_alive()


def until(true: Any, seconds: float = 10.0) -> None:
    """Wait for something to come true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.01)


def exchange(address: tuple[str, int], *sent: bytes, pause: float = 0.0, seconds: float = 10.0) -> bytes:
    """Send bytes piece by piece; all that comes back before the connection is closed."""
    with socket.create_connection(address, timeout=seconds) as connection:
        for piece in sent:
            try:
                connection.sendall(piece)
            except OSError:  # the server has heard enough
                break
            time.sleep(pause)
        return b"".join(received(connection))


def received(connection: socket.socket) -> Iterator[bytes]:
    """What comes until the other side closes."""
    try:
        while piece := connection.recv(65536):
            yield piece
    except ConnectionError:
        return
