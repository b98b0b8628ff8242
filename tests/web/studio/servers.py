"""Servers of a studio as processes of their own, and browsers that come to one or the other of them."""

from __future__ import annotations

import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from veritab.studio import accounts
from veritab.web.studio.sessions import LOGIN, VISITOR

START_SECONDS = 90.0
ANSWER_SECONDS = 40.0
JSON = {"Accept": "application/json", "Content-Type": "application/json"}


class StudioServer:
    """`veritab studio serve` or `veritab game serve` on a port of its own, which stays the same after a restart."""

    def __init__(self, place: str, folder: Path, *words: str, group: str = "studio") -> None:
        config = folder / "without models.toml"
        config.write_text('[verify]\nmodel = "none"\n[select]\nmodel = "none"\n[retrieve]\ndense = false\n')
        self._command = [sys.executable, "-m", "veritab", group, "serve", "--studio", place, "--config", str(config)]
        self._command += words
        self._environment = {
            **os.environ,
            "COLUMNS": "300",
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_STATE_HOME": str(folder / "state"),
        }
        self.port = 0
        self.said: list[str] = []
        self._process: subprocess.Popen[str] | None = None

    def begin(self) -> None:
        """Start, without waiting."""
        self._process = subprocess.Popen(
            [*self._command, "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr
        for line in process.stderr:
            self._lines.put(line)
        self._lines.put("")

    def wait(self) -> None:
        """Wait until it listens."""
        self.said = []
        until = time.monotonic() + START_SECONDS
        while not self.said or "listening on" not in self.said[-1]:
            line = self._lines.get(timeout=max(0.1, until - time.monotonic()))
            assert line, f"it ended before it listened: {''.join(self.said)}"
            self.said.append(line)
        self.port = int(self.said[-1].split()[2].rstrip("/").rpartition(":")[2])

    def start(self) -> None:
        """Start, and wait until it listens."""
        self.begin()
        self.wait()

    def kill(self) -> None:
        """End it as a power cut does."""
        self._signal(signal.SIGKILL)
        if self._process:
            self._process.wait(20)
            assert self._process.stderr
            self._process.stderr.close()

    def stop(self) -> int:
        """Stop it as an administrator does; what it leaves with."""
        assert self._process
        self._signal(signal.SIGTERM)
        return self._process.wait(60)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Have it stand still for a while, as a machine does that is moved to another."""
        self._signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process
        with suppress(ProcessLookupError):
            self._process.send_signal(number)


class TakingTurns(ThreadingHTTPServer):
    """A proxy in front of servers: each request goes to the next one, or to another where that one is gone."""

    daemon_threads = True

    def __init__(self, servers: Sequence[StudioServer]) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.servers = servers
        self.turns = count()
        self.answered: Counter[int] = Counter()
        """By the port of a server, how many requests it answered."""

    @property
    def home(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Passing(BaseHTTPRequestHandler):
    server: TakingTurns
    protocol_version = "HTTP/1.1"

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        first = next(self.server.turns)
        for turn in range(first, first + len(self.server.servers)):
            port = self.server.servers[turn % len(self.server.servers)].port
            asked = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
            try:
                asked.request(self.command, self.path, body or None, {**dict(self.headers), "Connection": "close"})
                answer = asked.getresponse()
            except (OSError, http.client.HTTPException):
                asked.close()
                continue
            self.server.answered[port] += 1
            with suppress(OSError, http.client.HTTPException):  # either side may go away in the middle
                self._hand_back(answer)
            asked.close()
            return
        self.send_error(502)

    def _hand_back(self, answer: http.client.HTTPResponse) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        while piece := answer.read1(65536):  # events are passed on as they come
            self.wfile.write(piece)
            self.wfile.flush()
        self.close_connection = True

    do_GET = do_POST = do_HEAD = _pass_on  # noqa: N815 - the names that the library asks for

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


@contextmanager
def taking_turns(servers: Sequence[StudioServer]) -> Iterator[TakingTurns]:
    """A proxy that runs in a thread."""
    with TakingTurns(servers) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join(10)


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: http.client.HTTPMessage
    text: str

    @property
    def place(self) -> str:
        """Where it leads to."""
        return str(self.headers["location"] or "")

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Visitor:
    """A browser that keeps its cookies, whichever server it comes to."""

    def __init__(self, login: str = "") -> None:
        self.cookies = {LOGIN: login} if login else {}

    @property
    def form_token(self) -> str:
        return accounts.form_token(self.cookies.get(LOGIN) or self.cookies.get(VISITOR, ""))

    def get(self, server: StudioServer, path: str, status: int | None = 200, **headers: str) -> Answer:
        return self._ask(server, "GET", path, None, headers, status)

    def send(self, server: StudioServer, path: str, status: int | None = 303, /, **fields: Any) -> Answer:
        """A form, with the right token."""
        body = urlencode({"form_token": self.form_token, **fields})
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._ask(server, "POST", path, body, headers, status)

    def tell(self, server: StudioServer, path: str, sent: Any, status: int | None = 200) -> Answer:
        """JSON, as the script of a page sends it."""
        headers = {**JSON, "X-Form-Token": self.form_token}
        return self._ask(server, "POST", path, json.dumps(sent), headers, status)

    def bring(self, server: StudioServer, path: str, content: bytes, status: int | None = 303, **fields: str) -> Answer:
        """A form with a file."""
        parts = {"form_token": self.form_token, **fields}
        lines = [
            f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{said}\r\n' for name, said in parts.items()
        ]
        lines.append('--x\r\nContent-Disposition: form-data; name="file"; filename="claims.txt"\r\n\r\n')
        body = "".join(lines).encode() + content + b"\r\n--x--\r\n"
        return self._ask(server, "POST", path, body, {"Content-Type": "multipart/form-data; boundary=x"}, status)

    def _ask(
        self, server: StudioServer, method: str, path: str, body: Any, headers: dict[str, str], status: int | None
    ) -> Answer:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"Accept": "text/html", "Cookie": cookies, "Sec-Fetch-Site": "same-origin", **headers}
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, path, body, sent)
            said = connection.getresponse()
            answer = Answer(said.status, said.headers, said.read().decode(errors="replace"))
        finally:
            connection.close()
        for header in said.headers.get_all("set-cookie") or ():
            for name, morsel in SimpleCookie(header).items():
                if morsel["max-age"] == "0" or not morsel.value:
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = morsel.value
        assert status in (None, answer.status), (method, path, answer.status, answer.place, answer.text[-1500:])
        return answer


def at_once(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """What comes of acts that begin at one moment."""
    barrier = threading.Barrier(len(acts))
    came: list[Any] = [None] * len(acts)

    def act(number: int) -> None:
        barrier.wait(20)
        came[number] = acts[number]()

    threads = [threading.Thread(target=act, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * ANSWER_SECONDS)
        assert not thread.is_alive(), "somebody still waits for an answer"
    return came


def until(true: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Wait until something is true, and say what."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.1)
    return found
