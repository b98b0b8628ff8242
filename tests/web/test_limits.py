"""The server keeps standing: too much, too slow, too many, too deep, and the end."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, cast

import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from tests.web.serving import Waiting, exchange, received, served, until
from tests.web.test_api import LINES, is_problem
from veritab.errors import InputError
from veritab.pipeline import Checker
from veritab.web.app import create_app
from veritab.web.guards import BodyLimit
from veritab.web.limits import Limits
from veritab.web.server import address_of, listen

JSON = {"content-type": "application/json"}
HASTY = Limits(
    workers=1,
    queue=1,
    body_bytes=10_000,
    body_seconds=0.4,
    header_seconds=0.4,
    write_seconds=0.5,
    idle_seconds=1,
    connections=6,
)


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    stand_in = Waiting()
    yield stand_in
    stand_in.go.set()


def asking(checker: Any, limits: Limits) -> TestClient:
    return TestClient(create_app(checker, limits=limits, pages=False), raise_server_exceptions=False)


# -- too large, too deep, not JSON -------------------------------------------------------------------------


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_is_counted_while_it_comes_whatever_it_says_of_itself(waiting: Waiting, declared: bool) -> None:
    waiting.go.set()

    def pieces(size: int) -> Iterator[bytes]:
        yield b'{"claim": "'
        for _ in range(size // 100):
            yield b"a" * 100
        yield b'"}'

    def body(size: int) -> Any:
        return b"".join(pieces(size)) if declared else pieces(size)

    client = asking(waiting, Limits(body_bytes=1500))
    assert client.post("/v1/check", content=body(1000), headers=JSON).status_code == 200
    refused = client.post("/v1/check", content=body(2000), headers=JSON)
    assert "1,500 bytes" in is_problem(refused, 413)["detail"]


def test_over_the_wire_a_large_body_is_refused_before_it_is_sent(waiting: Waiting) -> None:
    with served(create_app(waiting, limits=HASTY, pages=False)) as (_, address):  # type: ignore[arg-type]
        head = b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        declared = exchange(address, head + b"Content-Length: 99999999\r\n\r\n")
        chunk = b"1000\r\n" + b"a" * 4096 + b"\r\n"
        chunked = exchange(address, head + b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 8)
    for answer in (declared, chunked):
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"application/problem+json" in answer
    assert waiting.begun == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"5",
        b"{}",
        b'{"claim": 5}',
        b'{"claim": null}',
        b'{"claim": ""}',
        b'{"claim": " \\n "}',
        b'{"claim": ["a"]}',
        b'{"claim": "a", "surprise": 1}',
        b'{"claim": "a", "claims": ["b"]}',
        b'{"claims": []}',
        b'{"claims": "a"}',
        b'{"claims": [[]]}',
        b'{"claims": ["a", {"id": 5, "claim": "b"}]}',
        b'{"claim": "a\\u0000b"}',
        b'{"claim": "a\x00b"}',
        b'{"claim": "a\\u001bb"}',
        b'{"claim": "\\ud800"}',
        b'{"claim": "\xff\xfe"}',
        b"\x00" * 100,
        b'{"claim": NaN}',
        b"9" * 5000,
        b"[" * 200_000,
        b'{"claim":' * 50_000,
        b'{"claims": ' + b"[" * 900 + b"]" * 900 + b"}",
        json.dumps({"claim": "a" * 2001}).encode(),
        json.dumps({"claims": ["a"] * 101}).encode(),
        json.dumps({"claim": "a", "id": "b" * 201}).encode(),
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_body_that_is_no_claim_is_a_problem_for_its_sender(client: TestClient, body: bytes) -> None:
    assert is_problem(client.post("/v1/check", content=body, headers=JSON), 400)["detail"]


def test_evidence_may_not_be_nested_deeper_than_a_table_nor_be_endless(client: TestClient) -> None:
    bomb = b'{"claim": "a", "evidence": ' + b"[" * 500 + b"]" * 500 + b"}"
    is_problem(client.post("/v1/judge", content=bomb, headers=JSON), 400)
    is_problem(client.post("/v1/judge", json={"claim": "a", "evidence": [[[["a"]]]]}), 400)
    assert "200" in is_problem(client.post("/v1/judge", json={"claim": "a", "evidence": ["b"] * 201}), 400)["detail"]


def test_the_message_says_how_many_are_allowed_and_what_to_do(client: TestClient) -> None:
    told = is_problem(client.post("/v1/check", json={"claims": ["a"] * 101}), 400)["detail"]
    assert "101" in told
    assert "at most 100" in told
    assert "application/x-ndjson" in told
    told = is_problem(client.post("/v1/search", json={"query": "a", "k": 101}), 400)["detail"]
    assert "101" in told


def test_limits_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="workers is 0"):
        Limits(workers=0)
    assert Limits(queue=0).queue == 0


# -- too much, too long ------------------------------------------------------------------------------------


def test_overload_is_told_at_once_and_passes(waiting: Waiting) -> None:
    with asking(waiting, Limits(workers=1, queue=1)) as client, ThreadPoolExecutor(2) as clients:
        admitted = [clients.submit(client.post, "/v1/check", json={"claim": f"{n}"}) for n in range(2)]
        until(lambda: client.app.state.workers.taken == 2)  # type: ignore[attr-defined]
        refused = client.post("/v1/check", json={"claim": "one more"})
        is_problem(refused, 503)
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        is_problem(client.post("/v1/check", json={"claims": ["a", "b"]}, headers=LINES), 503)
        assert "veritab_queue_length 1" in client.get("/metrics").text.splitlines()
        assert client.get("/healthz").status_code == 200
        waiting.go.set()
        assert [each.result().status_code for each in admitted] == [200, 200]
        assert client.post("/v1/check", json={"claim": "later"}).status_code == 200
    assert "one more" not in waiting.begun


def test_checks_that_wait_do_not_keep_readers_waiting(checker: Checker) -> None:
    app = create_app(checker, limits=Limits(workers=1, queue=0))
    busy, go = threading.Event(), threading.Event()

    def occupy() -> None:
        busy.set()
        go.wait(10)

    with TestClient(app) as client, ThreadPoolExecutor(1) as pool:
        until(lambda: app.state.opened)
        blocked = pool.submit(client.portal.call, app.state.workers.run, occupy)  # type: ignore[union-attr]
        assert busy.wait(5)
        assert client.get("/v1/pages/K2").status_code == 200
        assert client.get("/v1/search", params={"q": "moon"}).status_code == 200
        for page in ("/", "/page?title=K2", "/search?q=moon", "/suggest?q=mo"):
            assert client.get(page).status_code == 200
        go.set()
        blocked.result()


def test_what_takes_too_long_is_given_up_and_what_still_waits_never_begins(waiting: Waiting) -> None:
    with asking(waiting, Limits(workers=1, queue=5, seconds=0.3)) as client:
        until(lambda: client.app.state.opened)  # type: ignore[attr-defined]
        with ThreadPoolExecutor(2) as clients:
            asked = [clients.submit(client.post, "/v1/check", json={"claim": f"{n}"}) for n in range(2)]
            assert sorted(each.result().status_code for each in asked) == [503, 504]
        assert client.app.state.workers.waiting == 0  # type: ignore[attr-defined]
        assert client.app.state.workers.taken == 0  # type: ignore[attr-defined]
        waiting.go.set()
        assert client.post("/v1/check", json={"claim": "again"}).status_code == 200
    assert len(waiting.begun) == 2  # one of the two, and the one after them


def test_a_request_whose_turn_would_come_too_late_is_sent_away_at_once(waiting: Waiting) -> None:
    with asking(waiting, Limits(workers=1, queue=100, seconds=1)) as client, ThreadPoolExecutor(1) as clients:
        until(lambda: client.app.state.opened)  # type: ignore[attr-defined]
        begun = clients.submit(client.post, "/v1/check", json={"claim": "long"})
        until(lambda: waiting.begun)
        time.sleep(0.6)
        is_problem(client.post("/v1/check", json={"claim": "hopeless"}), 503)
        waiting.go.set()
        begun.result()
    assert waiting.begun == ["long"]


def test_a_stream_that_takes_too_long_ends_with_a_problem(waiting: Waiting) -> None:
    with asking(waiting, Limits(workers=1, seconds=0.2)) as client:
        lines = client.post("/v1/check", json={"claims": ["a", "b"]}, headers=LINES).text.splitlines()
        assert [json.loads(line)["problem"]["status"] for line in lines] == [504]
        waiting.go.set()


# -- slow clients, over the wire ---------------------------------------------------------------------------

GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"


def test_a_client_that_is_slow_with_its_headers_is_told_and_left(waiting: Waiting) -> None:
    with served(create_app(waiting, limits=HASTY, pages=False)) as (_, address):  # type: ignore[arg-type]
        trickled = exchange(address, *(GET[n : n + 1] for n in range(len(GET))), pause=0.05)
        assert trickled.startswith(b"HTTP/1.1 408 ")
        assert exchange(address) == b""  # one that says nothing at all
        second = exchange(address, GET + b"\r\n", *(GET[n : n + 1] for n in range(len(GET))), pause=0.05)
        assert second.startswith(b"HTTP/1.1 200 ")
        assert b"HTTP/1.1 408 " in second
        assert exchange(address, GET + b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_a_client_that_is_slow_with_its_body_is_told_and_left(waiting: Waiting) -> None:
    with served(create_app(waiting, limits=HASTY, pages=False)) as (_, address):  # type: ignore[arg-type]
        trickled = exchange(address, POST, *[b" "] * 20, pause=0.05)
        assert trickled.startswith(b"HTTP/1.1 408 ")
        assert b"application/problem+json" in trickled
    assert waiting.begun == []


def test_a_body_that_nobody_asked_for_may_not_trickle_for_ever(waiting: Waiting) -> None:
    with served(create_app(waiting, limits=HASTY, pages=False)) as (_, address):  # type: ignore[arg-type]
        with socket.create_connection(address, timeout=10) as connection:
            connection.sendall(POST.replace(b"/v1/check", b"/nowhere"))
            pieces = 0
            with suppress(OSError):  # the server has heard enough
                while pieces < 90:
                    connection.sendall(b" ")
                    pieces += 1
                    time.sleep(0.05)
            answer = b"".join(received(connection))
        assert answer.startswith(b"HTTP/1.1 404 ")
        assert pieces < 90
        kept = exchange(
            address, POST.replace(b"/v1/check", b"/nowhere"), b" " * 100, GET + b"Connection: close\r\n\r\n"
        )
        assert kept.count(b"HTTP/1.1 ") == 2
    assert waiting.begun == []


def test_a_client_that_does_not_read_is_cut_off_and_its_place_is_free() -> None:
    waiting = Waiting("a long story " * 50_000)
    waiting.go.set()
    app = create_app(waiting, limits=HASTY, pages=False)  # type: ignore[arg-type]
    body = json.dumps({"claims": ["a"] * 1000}).encode()
    with served(app) as (_, address), socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(address)
        lines = f"Accept: {LINES['accept']}\r\nContent-Length: {len(body)}".encode()
        connection.sendall(POST.replace(b"Content-Length: 100", lines) + body)
        until(lambda: waiting.begun)
        until(lambda: app.state.workers.taken == 0)
    assert len(waiting.begun) < 100


def test_a_client_that_goes_away_takes_its_claims_with_it(waiting: Waiting) -> None:
    app = create_app(waiting, limits=Limits(workers=1, queue=3), pages=False)  # type: ignore[arg-type]
    with served(app) as (_, address):
        until(lambda: app.state.opened)
        connections = [socket.create_connection(address) for _ in range(3)]
        for number, connection in enumerate(connections):
            body = json.dumps({"claim": f"{number}"}).encode()
            connection.sendall(POST.replace(b"100", str(len(body)).encode()) + body)
            until(lambda number=number: app.state.workers.taken == number + 1)
        until(lambda: waiting.begun == ["0"])
        for connection in connections:
            connection.close()
        until(lambda: app.state.workers.waiting == 0)
        waiting.go.set()
        until(lambda: app.state.workers.taken == 0)
    assert waiting.begun == ["0"]


def test_one_connection_too_many_is_told_so(waiting: Waiting) -> None:
    limits = Limits(connections=3, header_seconds=5)
    with served(create_app(waiting, limits=limits, pages=False)) as (_, address):  # type: ignore[arg-type]
        held = [socket.create_connection(address) for _ in range(3)]
        time.sleep(0.1)
        refused = exchange(address)
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: " in refused.lower()
        for connection in held:
            connection.close()


def test_what_is_no_http_is_a_problem_too(waiting: Waiting) -> None:
    with served(create_app(waiting, limits=HASTY, pages=False)) as (_, address):  # type: ignore[arg-type]
        for nonsense in (
            b"HELLO\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
            b"GET / HTTP/1.1\r\nA: " + b"a" * 70_000,
        ):
            answer = exchange(address, nonsense)
            assert answer.startswith(b"HTTP/1.1 400 "), nonsense[:30]
            assert b"application/problem+json" in answer


# -- the end -----------------------------------------------------------------------------------------------


def test_when_told_to_stop_the_server_finishes_what_it_began_and_takes_no_more(waiting: Waiting) -> None:
    app = create_app(waiting, limits=Limits(workers=1, queue=5), pages=False)  # type: ignore[arg-type]
    with served(app) as (server, address):
        until(lambda: app.state.opened)
        with (
            socket.create_connection(address, timeout=10) as begun,
            socket.create_connection(address, timeout=10) as late,
        ):
            body = json.dumps({"claims": ["one", "two"]}).encode()
            lines = f"Accept: {LINES['accept']}\r\nContent-Length: {len(body)}".encode()
            begun.sendall(POST.replace(b"Content-Length: 100", lines) + body)
            until(lambda: waiting.begun == ["one"])
            app.state.workers.refuse()
            late.sendall(GET.replace(b"healthz", b"readyz") + b"\r\n")
            assert late.recv(100).startswith(b"HTTP/1.1 503 ")
            late.sendall(POST.replace(b"100", b"14") + b'{"claim": "x"}')
            until(lambda: b"the server is stopping" in late.recv(4096))
            server.stop()
            waiting.go.set()
            answer = b"".join(received(begun))
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.count(b'"label":"NOT ENOUGH INFO"') == 2


def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    with listen("127.0.0.1", 0) as opened:
        port = opened.getsockname()[1]
        assert address_of(opened) == f"http://127.0.0.1:{port}/"
        with pytest.raises(InputError, match=f"port {port} on 127.0.0.1 is taken.*--port"):
            listen("127.0.0.1", port)
    with pytest.raises(InputError, match="is not an address of this machine"):
        listen("no such host.invalid", 80)


def test_what_is_called_off_at_the_last_moment_stays_called_off() -> None:
    async def called_off() -> None:
        body = asyncio.get_running_loop().create_future()

        async def receive() -> Message:
            return cast(Message, await body)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await receive()

        async def send(message: Message) -> None: ...

        scope = {"type": "http", "path": "/v1/check", "headers": []}
        task = asyncio.ensure_future(cast(Any, BodyLimit(app, Limits())(scope, receive, send)))
        await asyncio.sleep(0.01)
        body.set_result({"type": "http.request", "body": b"{}"})
        task.cancel("the server stops")
        with pytest.raises(asyncio.CancelledError, match="the server stops"):
            await task

    asyncio.run(called_off())
