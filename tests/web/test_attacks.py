"""What was once enough to stop the server: each is refused, or done, and the others never notice.

How long the server took and how much memory, before and after, is in benchmarks/results/attacks.md.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi._compat import ModelField
from fastapi.routing import APIRoute, iter_route_contexts
from starlette.testclient import TestClient

from tests.retrieve.corpora import WORLD, build, fill, indexed
from tests.web.seen import BROWSER, drawn
from tests.web.serving import Waiting, exchange, served, until, without_models
from tests.web.test_api import LINES, is_problem
from veritab.cancel import cancelled_by, stop_if_cancelled
from veritab.corpus.store import Store
from veritab.errors import Cancelled, NotFound
from veritab.pipeline import Checker
from veritab.retrieve.search import matches
from veritab.schema import Page, Sentence
from veritab.web import bodies
from veritab.web.app import create_app
from veritab.web.keys import Keys
from veritab.web.limits import Limits
from veritab.web.problems import MOST_FAULTS, RequestRefused
from veritab.web.workers import Workers, WorkerSlot, client, share_of

JSON = {"content-type": "application/json"}


# -- bodies ------------------------------------------------------------------------------------------------


def many(value: str, count: int, before: str, after: str) -> bytes:
    return (before + ",".join([value] * count) + after).encode()


HUGE = {
    "bad cells": ("/v1/judge", many("{}", 300_000, '{"claim":"a","evidence":[{"table":{"rows":[[', "]]}}]}")),
    "bad rows": ("/v1/judge", many("[{}]", 200_000, '{"claim":"a","evidence":[{"table":{"rows":[', "]}}]}")),
    "bad pieces": ("/v1/judge", many("5", 400_000, '{"claim":"a","evidence":[', "]}")),
    "bad claims": ("/v1/check", many("{}", 300_000, '{"claims":[', "]}")),
    "bad pairs": ("/v1/judge", many("{}", 300_000, '{"pairs":[', "]}")),
    "bad queries": ("/v1/search", many("{}", 300_000, '{"queries":[', "]}")),
    "lists in lists": ("/v1/check", many("[]", 300_000, '{"claims":[', "]}")),
    "unknown members": ("/v1/check", b'{"claim":"a"' + b"".join(b',"%x":1' % n for n in range(90_000)) + b"}"),
    "a million cells": ("/v1/judge", many("1", 500_000, '{"claim":"a","evidence":[{"table":{"rows":[[', "]]}}]}")),
}


@pytest.mark.parametrize("attack", HUGE)
def test_a_body_of_too_much_is_refused_before_it_is_validated(
    client: TestClient, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def validate(*_: Any, **__: Any) -> None:
        raise AssertionError("it was validated")

    monkeypatch.setattr(ModelField, "validate", validate)
    path, body = HUGE[attack]
    assert len(body) < 1 << 20
    told = is_problem(client.post(path, content=body, headers=JSON), 400)["detail"]
    assert "more than 50,000 values" in told or "members" in told


def test_signs_inside_of_texts_are_no_values(client: TestClient) -> None:
    text = 'a, "quoted", [b] and {c}, ' * 10_000
    assert client.post("/v1/judge", json={"claim": "a, b", "evidence": [text]}).status_code == 200
    for never_closed in (b'"' + b'\\"' * 400_000, b'"' + b'\\"' * 400_000 + b"\\", b'"' * 3 + b"\\" * 900_000):
        is_problem(client.post("/v1/check", content=b"[" * 60_000 + never_closed, headers=JSON), 400)


def test_large_bodies_are_parsed_and_validated_beside_the_event_loop(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []
    read = bodies.read_json

    def seen(*given: Any) -> Any:
        threads.append(threading.current_thread().name)
        return read(*given)

    monkeypatch.setattr(bodies, "read_json", seen)
    assert client.post("/v1/search", json={"queries": [{"query": "moon"}] * 2}).status_code == 200
    assert not threads[0].startswith("veritab-worker")  # so small a one is read faster than it is handed over
    body = json.dumps({"queries": [{"query": "moon"}] * 2}) + " " * 5000
    assert client.post("/v1/search", content=body, headers=JSON).status_code == 200
    assert len(threads) == 2
    assert threads[1].startswith("veritab-worker")


def test_every_route_that_takes_a_body_bounds_it(checker: Checker) -> None:
    routes = [context.original_route for context in iter_route_contexts(create_app(checker).routes)]
    taking = [route for route in routes if isinstance(route, APIRoute) and route.body_field]
    assert len(taking) > 4
    assert all(isinstance(route, bodies.BoundedRoute) for route in taking)


def test_faults_are_told_up_to_a_hundred_and_each_in_our_words(client: TestClient) -> None:
    told = is_problem(client.post("/v1/check", json={"claims": [{"id": 5}] * 1000}), 400)["errors"]
    assert len(told) == MOST_FAULTS
    assert told[0] == {"where": "body.claims.0.id", "what": "it is a number; expected a text"}
    assert told[1] == {"where": "body.claims.0.claim", "what": "it is missing"}
    # One fault of a table is enough: a table of nothing else would have as many as cells.
    rows = [["a", {}, []]] * 5000
    told = is_problem(client.post("/v1/judge", json={"claim": "a", "evidence": [{"table": {"rows": rows}}]}), 400)
    assert {each["where"] for each in told["errors"]} == {"body.evidence.0.table.rows.0.1"}
    for body, what in (
        ({"query": "a", "k": 0}, "it is too small; give 1 or more"),
        ({"query": "a", "k": "x"}, "it is a text; expected a whole number"),
        ({"query": "a", "kind": "x"}, "it is none of 'page'"),
        ({"query": "a", "other": 1}, "nothing of this name is known here; leave it out"),
        ({"query": "a", "page": "b" * 2001}, "it has 2,001 characters; at most 2,000 are read"),
        ([], "it is a list; expected an object"),
    ):
        assert what in is_problem(client.post("/v1/search", json=body), 400)["detail"]


def test_a_table_of_too_many_cells_is_told_how_many_are_read(client: TestClient) -> None:
    table = {"header": ["a"] * 10, "rows": [["1"] * 10] * 2000}
    told = is_problem(client.post("/v1/judge", json={"claim": "K2 is high.", "evidence": [{"table": table}]}), 400)
    assert "20,010 cells" in told["detail"]
    assert "at most 20,000" in told["detail"]
    told = is_problem(client.post("/v1/judge", json={"claim": "K2 is high.", "evidence": [table["rows"]] * 2}), 400)
    assert "40,000 cells" in told["detail"]
    told = is_problem(client.post("/v1/judge", json={"claim": "K2 is high.", "evidence": [[["4 " * 2501]]]}), 400)
    assert "5,002 characters; at most 5,000" in told["detail"]


def test_a_claim_to_judge_is_no_longer_than_one_to_check(client: TestClient) -> None:
    for body in ({"claim": "a" * 2001, "evidence": ["b"]}, {"pairs": [{"claim": "a" * 2001, "evidence": ["b"]}]}):
        assert "at most 2,000" in is_problem(client.post("/v1/judge", json=body), 400)["detail"]


# -- forms -------------------------------------------------------------------------------------------------


def test_a_form_has_few_parts_with_short_names(checker: Checker) -> None:
    limits = Limits(form_files=3, form_fields=2, body_bytes=1000)
    with TestClient(create_app(checker, limits=limits), headers={"accept": "application/json"}) as asking:
        several = [("file", (f"{number}.txt", b"K2 is high.")) for number in range(4)]
        for form in (
            {"files": several},
            {"files": several[:1], "data": {"a": "1", "b": "2", "c": "3"}},
            {"files": several[:1], "data": {"a": "1" * 1001}},
            {"files": [("file", ("a" * 100_000, b"K2 is high."))]},
            {"files": [("a" * 100_000, ("x.txt", b"K2 is high."))]},
        ):
            told = is_problem(asking.post("/file", **form), 400)["detail"]
            assert "it may hold 3 files and 2 other fields" in told
        assert "more than 2 fields" in is_problem(asking.post("/text", data=dict.fromkeys("abc", "1")), 400)["detail"]
        assert is_problem(asking.post("/text", data={"text": "a" * 1001}), 413)
        assert is_problem(asking.post("/text", content=b"text=a", headers={"content-type": "text/plain"}), 415)
        assert asking.post("/file", files=several[:1], follow_redirects=False).status_code == 303


def test_a_file_is_read_from_where_it_was_spooled(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    from starlette.datastructures import UploadFile

    async def read(*_: Any) -> bytes:
        raise AssertionError("the whole file was read into memory")

    monkeypatch.setattr(UploadFile, "read", read)
    with TestClient(create_app(checker)) as asking:
        answer = asking.post("/file", files={"file": ("x.txt", b"K2 is high.\n")}, follow_redirects=False)
        assert answer.status_code == 303


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"id,claim\r1,K2 is high.\r2,Everest is high.\r", 303),
        (b"K2 is high.\rEverest is high.\r", 303),
        (b"claim," + b"a" * 140_000 + b"\nK2 is high.,b\n", 400),
        (b"claim,b\n" + b"a" * 140_000 + b",c\n", 400),
        (b'claim\n"K2 is high\n', 400),
        (b'claim\n"K2" is high\n', 400),
        (b"[" * 100_000, 400),
        (b'["K2 is high.",]', 400),
        (b'["K2 is high."', 400),
    ],
    ids=lambda value: repr(value[:20]) if isinstance(value, bytes) else None,
)
def test_a_file_of_claims_is_read_or_refused_in_our_words(client: TestClient, content: bytes, status: int) -> None:
    headers = {"accept": "application/json"}
    answer = client.post("/file", files={"file": ("claims.csv", content)}, headers=headers, follow_redirects=False)
    assert answer.status_code == status, answer.text
    if status == 400:
        told = is_problem(answer, 400)["detail"]
        assert told.startswith("claims.csv")
        assert not any(words in told for words in ("field limit", "newline", "Expecting", "unexpected"))


# -- names and addresses -----------------------------------------------------------------------------------


def test_a_title_that_nothing_has_costs_a_few_looks_whatever_its_length(tmp_path: Path) -> None:
    with indexed(tmp_path, WORLD) as store:
        asked: list[str] = []
        database: sqlite3.Connection = store._db
        database.set_trace_callback(asked.append)
        with pytest.raises(NotFound, match="did you mean 'Mount Everest'") as told:
            store.page("Mount Eve" + "r" * 1_000_000)
        assert len(asked) < 20
        assert len(str(told.value)) < 1000
        with pytest.raises(NotFound, match=r"corpus\Z"):
            store.page("x" * 1_000_000)
        database.set_trace_callback(None)


def test_the_title_of_a_page_is_bounded_at_every_door(client: TestClient) -> None:
    long = "Mount " * 3000
    assert is_problem(client.get("/page", params={"title": long}), 400)
    assert is_problem(client.get("/v1/search", params={"q": "high", "page": long}), 400)
    assert is_problem(client.post("/v1/search", json={"query": "high", "page": long * 30}), 400)
    assert is_problem(client.get(f"/v1/pages/{long}"), 404)


def test_a_line_and_headers_beyond_the_limit_are_refused_however_they_come() -> None:
    waiting = Waiting()
    with served(create_app(waiting, limits=Limits(header_bytes=32 << 10), pages=False)) as (_, address):  # type: ignore[arg-type]
        for head in (
            b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: " + b"a" * 39_000,
            b"GET /healthz HTTP/1.1\r\nHost: a\r\n" + b"\r\n".join(b"X-%d: a" % n for n in range(4000)),
            b"GET /healthz?" + b"a" * 39_000 + b" HTTP/1.1\r\nHost: a",
        ):
            answer = exchange(address, head + b"\r\nConnection: close\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 431 "), answer[:100]
            assert b"application/problem+json" in answer
            assert b"32,768 are read" in answer
        fits = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: " + b"a" * 30_000 + b"\r\nConnection: close\r\n\r\n"
        assert exchange(address, fits).startswith(b"HTTP/1.1 200 ")


def test_what_is_not_served_for_a_method_names_all_it_is_served_for(client: TestClient) -> None:
    for path, allowed in (
        ("/v1/check", "GET, POST"),
        ("/v1/search", "GET, POST"),
        ("/v1/judge", "POST"),
        ("/v1/pages/K2", "GET"),
        ("/text", "GET, HEAD, POST"),
        ("/", "GET, HEAD"),
    ):
        answer = client.request("PUT", path)
        is_problem(answer, 405)
        assert answer.headers["allow"] == allowed


# -- other sites -------------------------------------------------------------------------------------------

LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
WORK = ("/check?claim=K2", "/report?claim=K2", "/v1/check?claim=K2", "/v1/search?q=K2", "/v1/pages/K2", "/metrics")


@pytest.mark.parametrize("path", [*WORK, "/page?title=K2", "/search?q=K2", "/suggest?q=K"])
@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
        {"origin": "https://elsewhere.example"},
    ],
)
def test_another_site_may_have_nothing_fetched(client: TestClient, headers: dict[str, str], path: str) -> None:
    is_problem(client.get(path, headers=headers), 403)


@pytest.mark.parametrize("path", [path for path in WORK if not path.startswith("/check")])
def test_a_link_from_another_site_leads_to_no_work(client: TestClient, path: str) -> None:
    is_problem(client.get(path, headers=LINK), 403)


def test_a_link_from_another_site_shows_the_claim_and_waits(client: TestClient) -> None:
    answer = client.get("/check?claim=K2+is+high.&at=1", headers=LINK | BROWSER, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?claim=K2+is+high."
    page = drawn(client, answer.headers["location"])
    assert page.cssselect("[name=claim]")[0].text_content().strip() == "K2 is high."
    assert "Press Check" in page.text_content()
    assert "Press Check" not in drawn(client, "/").text_content()


def test_links_between_pages_and_from_mail_and_bookmarks_work_as_before(client: TestClient) -> None:
    for site in ("none", "same-origin"):
        own = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        for path in WORK:
            assert client.get(path, headers=own, follow_redirects=False).status_code == 200
    assert client.get("/page?title=K2", headers=LINK).status_code == 200
    assert client.get("/healthz", headers={"sec-fetch-site": "cross-site"}).status_code == 200


# -- work that nobody waits for ----------------------------------------------------------------------------


def test_work_ends_when_its_time_is_up_or_nobody_waits_for_it() -> None:
    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    def endless() -> None:
        begun.release()
        try:
            while True:
                stop_if_cancelled()
        finally:
            ended.release()

    async def use() -> None:
        workers = Workers(1, 2, seconds=0.05)
        with pytest.raises(RequestRefused) as refused:
            await workers.run(endless)
        assert refused.value.status_code == 504
        assert begun.acquire(timeout=10)
        assert await asyncio.to_thread(ended.acquire, timeout=10)
        workers.seconds = 30
        task = asyncio.ensure_future(workers.run(endless))
        assert await asyncio.to_thread(begun.acquire, timeout=10)
        task.cancel()
        assert await asyncio.to_thread(ended.acquire, timeout=10)
        assert await workers.run(lambda: 5) == 5
        assert workers.close()

    asyncio.run(use())


def test_checking_judging_and_searching_can_be_cancelled(checker: Checker) -> None:
    called_off = threading.Event()
    called_off.set()
    for work in (
        lambda: checker.check("K2 is higher than Mount Everest."),
        lambda: list(checker.check_many(["K2 is high."])),
        lambda: checker.search("highest mountain"),
        lambda: checker.search("highest mountain", "cell"),
        lambda: checker.judge([("K2 is higher than Everest.", [[["name", "m"], ["K2", "8611"], ["Everest", "8849"]]])]),
    ):
        with cancelled_by(called_off), pytest.raises(Cancelled):
            work()
        work()  # the same once nobody calls it off


def test_a_page_whose_reader_has_gone_is_not_made(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(*_: Any, **__: Any) -> list[Any]:
        begun.set()
        try:
            while True:
                stop_if_cancelled()
        finally:
            ended.set()

    monkeypatch.setattr(matches.Search, "search", endless)
    with served(create_app(checker)) as (_, address):
        with socket.create_connection(address) as connection:
            connection.sendall(b"GET /search?q=moon HTTP/1.1\r\nHost: a\r\n\r\n")
            assert begun.wait(10)
        assert ended.wait(10)


# -- one client among others -------------------------------------------------------------------------------


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    stand_in = Waiting()
    yield stand_in
    stand_in.go.set()


def test_one_client_cannot_take_all_places(waiting: Waiting) -> None:
    app = create_app(waiting, limits=Limits(workers=1, queue=7), pages=False)  # type: ignore[arg-type]
    greedy = TestClient(app, client=("10.0.0.1", 1))
    with greedy, ThreadPoolExecutor(10) as clients:
        modest = TestClient(app, client=("10.0.0.2", 1))
        modest.portal = greedy.portal
        until(lambda: app.state.opened or waiting.begun == [])
        asked = [clients.submit(greedy.post, "/v1/check", json={"claim": f"greedy {n}"}) for n in range(6)]
        until(lambda: app.state.workers.taken == 6)
        told = is_problem(greedy.post("/v1/check", json={"claim": "one more"}), 503)["detail"]
        assert "too much of your work" in told
        asked += [clients.submit(modest.post, "/v1/check", json={"claim": f"modest {n}"}) for n in range(2)]
        until(lambda: app.state.workers.taken == 8)
        waiting.go.set()
        assert [each.result().status_code for each in asked] == [200] * 8
    # Clients take turns: the second of the modest one is done before the third that the greedy one had waiting.
    order = [text.split()[0] for text in waiting.begun]
    assert order[:5] == ["greedy", "greedy", "modest", "greedy", "modest"] or order[:5] == [
        "greedy",
        "modest",
        "greedy",
        "modest",
        "greedy",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one address on the loopback")
def test_one_address_cannot_take_all_connections(waiting: Waiting) -> None:
    limits = Limits(connections=4, header_seconds=5)
    with served(create_app(waiting, limits=limits, pages=False)) as (server, address):  # type: ignore[arg-type]
        held = [socket.create_connection(address) for _ in range(3)]
        until(lambda: len(server.server_state.connections) == 3)
        refused = exchange(address)
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"too many connections of yours" in refused
        with socket.create_connection(address, source_address=("127.0.0.2", 0)) as other:
            other.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            assert other.recv(100).startswith(b"HTTP/1.1 200 ")
        for connection in held:
            connection.close()


class Noting(Workers):
    """Notes whose requests it admits."""

    def __init__(self) -> None:
        super().__init__(1, 8)
        self.clients: list[str] = []

    def admit(self) -> WorkerSlot:
        self.clients.append(client.get())
        return super().admit()


def test_keys_tell_clients_apart_behind_one_address_and_networks_hold_together(waiting: Waiting) -> None:
    waiting.go.set()
    noting = Noting()

    def ask(app: Any, host: str, headers: dict[str, str]) -> None:
        app.state.workers = noting
        answer = TestClient(app, client=(host, 1)).post("/v1/check", json={"claim": "x"}, headers=headers)
        assert answer.status_code == 200

    keyed = create_app(waiting, keys=Keys(["a" * 20, "b" * 20]), pages=False)  # type: ignore[arg-type]
    for key in ("a", "b", "a"):
        ask(keyed, "10.0.0.1", {"authorization": f"Bearer {key * 20}"})
    assert noting.clients[0] == noting.clients[2] != noting.clients[1]
    assert "a" * 20 not in noting.clients
    noting.clients.clear()
    opened = create_app(waiting, pages=False)  # type: ignore[arg-type]
    for host in ("2001:db8::1", "2001:db8::ffff", "2001:db8:0:1::1", "::ffff:10.0.0.1", "10.0.0.1"):
        ask(opened, host, {})
    assert noting.clients[0] == noting.clients[1] != noting.clients[2]
    assert noting.clients[3:] == ["10.0.0.1", "10.0.0.1"]
    noting.close()


def test_a_share_leaves_a_quarter_for_others() -> None:
    assert [share_of(places) for places in (1, 2, 4, 34)] == [1, 2, 3, 26]


# -- a corpus that changes under a running server ----------------------------------------------------------


def test_what_is_ingested_and_indexed_while_the_server_runs_is_found_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    indexed(folder, WORLD).close()
    new = Page("Zugspitze", (Sentence(0, "The Zugspitze is 2,962 metres high."),))
    claim = {"claim": "The Zugspitze is 2,962 metres high."}
    with Checker.open(folder, without_models()) as checker, TestClient(create_app(checker)) as asking:

        def ask() -> dict[str, Any]:
            answer = asking.post("/v1/check", json=claim)
            assert answer.status_code == 200, answer.text
            return dict(answer.json())

        before = ask()
        assert before["corpus"]["pages"] == 3
        assert before["evidence"] == []
        fill(folder, (*WORLD[1:], new))  # one page is gone, another is new
        between = ask()
        assert between["corpus"]["pages"] == 3
        assert between["corpus"]["revision"] != before["corpus"]["revision"]
        assert between["corpus"]["indexed"] is False
        assert asking.post("/v1/check", json={"claim": "Mount Everest is 8,849 metres high."}).status_code == 200
        with Store.open(folder) as store:
            build(store)
        after = ask()
        assert "indexed" not in after["corpus"]
        assert after["corpus"]["revision"] == between["corpus"]["revision"]
        assert after["evidence"][0]["id"] == "Zugspitze_sentence_0"
        assert after["certificate"]["searched"]["pages"] == 3
        assert asking.get("/v1/search", params={"q": "Zugspitze"}).json()["hits"]
        assert asking.get("/readyz").json()["corpus"]["revision"] == after["corpus"]["revision"]
        assert "3 pages" in drawn(asking, "/").text_content()
        with Store.open(folder) as store:
            build(store, rebuild=True)
        assert ask()["evidence"] == after["evidence"]


def test_searches_go_on_while_the_index_is_changed_under_them(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    indexed(folder, WORLD).close()
    with Checker.open(folder, without_models()) as checker, ThreadPoolExecutor(4) as clients:
        stop = threading.Event()

        def search() -> int:
            count = 0
            while not stop.is_set():
                checker.search("mountain")
                checker.check("Mount Everest is 8,849 metres high.")
                count += 1
            return count

        asked = [clients.submit(search) for _ in range(3)]
        for number in range(5):
            fill(folder, (*WORLD, Page(f"Peak {number}", (Sentence(0, f"Peak {number} is a mountain."),))))
            with Store.open(folder) as store:
                build(store)
            assert checker.search(f"Peak {number}")[0].element.id.page == f"Peak {number}"
        stop.set()
        assert all(each.result(30) for each in asked)


def test_lines_of_a_stream_are_bounded_like_all_else(client: TestClient) -> None:
    path, body = HUGE["bad claims"]
    assert is_problem(client.post(path, content=body, headers=JSON | LINES), 400)
    assert json.loads(client.post("/v1/check", json={"claims": ["K2 is high."]}, headers=LINES).text)["label"]
