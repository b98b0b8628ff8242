"""A language model as a verifier: what it says is parsed strictly, and a server's moods are met with patience."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from veritab import Checker, Settings
from veritab.errors import EndpointError, InputError, NotFound
from veritab.schema import Claim, Context, Element, ElementId, Hit, Kind, Label
from veritab.settings import record
from veritab.verify import endpoint
from veritab.verify.llm import Answer, LlmVerifier, read_answer

GOOD = '{"label": "REFUTES", "evidence": [2], "why": "8,611 m is less than 8,849 m."}'
CLAIM = Claim("1", "K2 is higher than Mount Everest.")


def hits() -> list[Hit]:
    title = Context(ElementId("K2", Kind.TITLE), "K2")
    header = Context(ElementId("K2", Kind.HEADER_CELL, (0, 0, 0)), "Height")
    return [
        Hit(Element(ElementId("K2", Kind.SENTENCE, (0,)), "K2 is a mountain.", context=(title,)), 0.9, "selector"),
        Hit(Element(ElementId("K2", Kind.CELL, (0, 1, 0)), "8,611 m", context=(title, header)), 0.8, "selector"),
        Hit(Element(ElementId("K2", Kind.SENTENCE, (0,)), "K2 is a mountain.", context=(title,)), 0.1, "again"),
    ]


# -- a server that plays a part --


class Server:
    """A real server on this machine; each request is answered by the next of its parts, the last one for ever."""

    def __init__(self, *parts: Callable[[BaseHTTPRequestHandler], None]) -> None:
        self.parts = list(parts)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer._lock:
                    outer.asked.append(body)
                    outer.headers.append({"path": self.path, **self.headers})
                    part = outer.parts.pop(0) if len(outer.parts) > 1 else outer.parts[0]
                    outer.at_once += 1
                    outer.most_at_once = max(outer.most_at_once, outer.at_once)
                try:
                    part(self)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the client has gone, as it should
                finally:
                    with outer._lock:
                        outer.at_once -= 1

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def reply(status: int, body: str | bytes, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    data = body.encode() if isinstance(body, str) else body

    def part(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return part


def says(content: str) -> Callable[[BaseHTTPRequestHandler], None]:
    return reply(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}))


def waits(seconds: float) -> Callable[[BaseHTTPRequestHandler], None]:
    def part(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(seconds)
        says(GOOD)(handler)

    return part


def dribbles(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(80):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    servers = []

    def begin(*parts: Callable[[BaseHTTPRequestHandler], None]) -> Server:
        servers.append(Server(*parts))
        return servers[-1]

    yield begin
    for server in servers:
        server.close()


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between attempts, which the tests do not wait."""
    told: list[float] = []

    class Clock:
        monotonic = staticmethod(time.monotonic)
        sleep = staticmethod(told.append)

    monkeypatch.setattr(endpoint, "time", Clock)
    return told


def verifier(server: Server, **settings: Any) -> LlmVerifier:
    return LlmVerifier(server.address, "tiny", **{"timeout": 5.0, **settings})


# -- what it says --


def test_a_good_answer_is_a_verdict_marked_as_the_language_models(start: Callable[..., Server]) -> None:
    server = start(says(GOOD))
    (verdict,) = verifier(server, key="secret").verify([CLAIM], [hits()])
    assert verdict.label is Label.REFUTES
    assert verdict.scores == {Label.SUPPORTS: 0.0, Label.REFUTES: 1.0, Label.NOT_ENOUGH_INFO: 0.0}
    assert [(str(hit.element.id), hit.by) for hit in verdict.evidence] == [
        ("K2_cell_0_1_0", "llm"),
        ("K2_sentence_0", "selector"),
    ]
    assert verdict.certificate == {"by": "llm", "model": "tiny", "cited": ["K2_cell_0_1_0"]}
    assert verdict.reasoning == ("the language model says: 8,611 m is less than 8,849 m.",)


def test_the_question_holds_the_claim_and_each_piece_once_with_its_headers(start: Callable[..., Server]) -> None:
    server = start(says(GOOD))
    verifier(server, key="secret").verify([CLAIM], [hits()])
    (asked,) = server.asked
    assert asked["model"] == "tiny"
    assert asked["temperature"] == 0
    assert asked["messages"][1]["content"] == (
        "Claim: K2 is higher than Mount Everest.\n\nEvidence:\n[1] K2. K2 is a mountain.\n[2] K2. Height is 8,611 m."
    )
    assert server.headers[0]["path"] == "/v1/chat/completions"
    assert server.headers[0]["Authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("said", "flaw"),
    [
        ("It is refuted by [2].", "not one JSON object"),
        ("", "not one JSON object"),
        (GOOD + GOOD, "not one JSON object"),
        (f"Sure! ```json\n{GOOD}\n```", "not one JSON object"),
        ("[" * 100_000, "not one JSON object"),
        ('["REFUTES", [2]]', "not an object with a label"),
        ('{"label": "REFUTES"}', "not an object with a label"),
        ('{"label": "REFUTES", "evidence": [2], "sure": 1}', "not an object with a label"),
        ('{"label": "FALSE", "evidence": [2]}', "label is none of the three"),
        ('{"label": "refutes", "evidence": [2]}', "label is none of the three"),
        ('{"label": ["REFUTES"], "evidence": [2]}', "label is none of the three"),
        ('{"label": "REFUTES", "evidence": [3]}', "not a list of numbers that were given"),
        ('{"label": "REFUTES", "evidence": [0]}', "not a list of numbers that were given"),
        ('{"label": "REFUTES", "evidence": [true]}', "not a list of numbers that were given"),
        ('{"label": "REFUTES", "evidence": ["2"]}', "not a list of numbers that were given"),
        ('{"label": "REFUTES", "evidence": 2}', "not a list of numbers that were given"),
        ('{"label": "SUPPORTS", "evidence": []}', "decides and names no evidence"),
        ('{"label": "REFUTES", "evidence": [2], "why": 7}', "reason is no text"),
    ],
)
def test_whatever_else_it_says_is_not_enough_info_and_marked_as_unread(
    said: str, flaw: str, start: Callable[..., Server]
) -> None:
    (verdict,) = verifier(start(says(said))).verify([CLAIM], [hits()])
    assert verdict.label is Label.NOT_ENOUGH_INFO
    assert flaw in verdict.certificate["unparsed"]
    assert len(verdict.certificate["answer"]) <= 200
    assert verdict.certificate["by"] == "llm"
    assert "could not be read" in verdict.reasoning[0]
    assert [hit.by for hit in verdict.evidence] == ["selector", "selector"]


def test_a_code_fence_around_the_object_alone_is_let_pass() -> None:
    assert read_answer(f"```json\n{GOOD}\n```", 2) == read_answer(GOOD, 2)
    assert read_answer('{"label": "NOT ENOUGH INFO", "evidence": []}', 2) == Answer(Label.NOT_ENOUGH_INFO, ())


def test_without_evidence_or_without_words_nobody_is_asked(start: Callable[..., Server]) -> None:
    server = start(says(GOOD))
    empty, wordless = verifier(server).verify([CLAIM, Claim("2", " … ")], [[], hits()])
    assert empty.label is wordless.label is Label.NOT_ENOUGH_INFO
    assert server.asked == []
    assert verifier(server).verify([], []) == []


def test_many_claims_keep_their_order_and_no_more_are_asked_at_once_than_allowed(start: Callable[..., Server]) -> None:
    server = start(waits(0.05))
    claims = [Claim(str(n), f"Claim {n}.") for n in range(9)]
    verdicts = verifier(server, concurrency=3).verify(claims, [hits()] * 9)
    assert [verdict.claim for verdict in verdicts] == claims
    assert 1 < server.most_at_once <= 3


# -- a server's moods --


def test_a_busy_server_is_asked_again_when_it_says(start: Callable[..., Server], slept: list[float]) -> None:
    server = start(reply(429, "busy", Retry_After="3"), reply(503, "", Retry_After="99999"), says(GOOD))
    (verdict,) = verifier(server, retries=2).verify([CLAIM], [hits()])
    assert verdict.label is Label.REFUTES
    assert slept == [3.0, 30.0]


def test_a_failing_server_is_asked_again_and_then_given_up(start: Callable[..., Server], slept: list[float]) -> None:
    server = start(reply(500, '{"error": "out of\nmemory"}'))
    with pytest.raises(EndpointError, match=r"after 3 attempts: HTTP 500 \(.*out of memory.*try again later"):
        verifier(server, retries=2).verify([CLAIM], [hits()])
    assert len(server.asked) == 3
    assert slept == [0.5, 1.0]


def test_a_key_that_is_refused_is_told_at_once_and_not_shown(start: Callable[..., Server]) -> None:
    server = start(reply(401, "no"))
    with pytest.raises(EndpointError, match="HTTP 401") as caught:
        verifier(server, key="secret").verify([CLAIM], [hits()])
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(verifier(server, key="secret"))
    assert len(server.asked) == 1


def test_an_unknown_model_is_told_at_once(start: Callable[..., Server]) -> None:
    server = start(reply(404, "model not found"))
    with pytest.raises(EndpointError, match=r"HTTP 404 \(model not found\); see that the address and the model"):
        verifier(server).verify([CLAIM], [hits()])
    assert len(server.asked) == 1


@pytest.mark.parametrize("part", [waits(4.0), dribbles], ids=["silent", "dribbling"])
def test_a_server_that_takes_too_long_is_left(part: Any, start: Callable[..., Server]) -> None:
    server = start(part)
    with pytest.raises(EndpointError, match=r"took longer than 0\.2 s; give it more time"):
        verifier(server, timeout=0.2, retries=0).verify([CLAIM], [hits()])
    assert server.at_once == 1  # it is still answering


def test_an_answer_without_end_is_not_read_to_its_end(start: Callable[..., Server]) -> None:
    server = start(reply(200, b"x" * (3 << 20)))
    with pytest.raises(EndpointError, match="longer than 1,024 KB"):
        verifier(server).verify([CLAIM], [hits()])


@pytest.mark.parametrize(
    "body", ["<html>Welcome</html>", "{}", '{"choices": []}', '{"choices": [{"message": null}]}', "1"]
)
def test_a_server_that_speaks_something_else_is_told(body: str, start: Callable[..., Server]) -> None:
    with pytest.raises(EndpointError, match="which is no chat completion"):
        verifier(start(reply(200, body))).verify([CLAIM], [hits()])


def test_nothing_is_sent_where_a_redirect_points(start: Callable[..., Server]) -> None:
    other = start(says(GOOD))
    server = start(reply(307, "", Location=f"{other.address}/chat/completions"))
    with pytest.raises(EndpointError, match="HTTP 307"):
        verifier(server, key="secret").verify([CLAIM], [hits()])
    assert other.asked == []


def test_a_proxy_in_the_environment_is_not_used(start: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, server = start(says(GOOD)), start(says(GOOD))
    monkeypatch.setenv("http_proxy", proxy.address)
    verifier(server).verify([CLAIM], [hits()])
    assert proxy.asked == []


def test_where_no_server_listens_is_told(start: Callable[..., Server]) -> None:
    server = start(says(GOOD))
    gone = verifier(server, retries=1)
    server.close()
    with pytest.raises(EndpointError, match=r"after 2 attempts: .*is its server running\?"):
        gone.verify([CLAIM], [hits()])


# -- settings --


def test_settings_open_a_verifier_with_a_key_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret\n")
    opened = LlmVerifier.open(
        {"endpoint": "https://host.example/v1/", "model": "m", "key_file": str(tmp_path / "key"), "timeout": 9}
    )
    assert opened == LlmVerifier("https://host.example/v1/", "m", "secret", timeout=9)


def test_a_key_may_lie_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"endpoint": "https://host.example/v1", "model": "m", "key_variable": "SOME_KEY"}
    monkeypatch.setenv("SOME_KEY", "secret")
    assert LlmVerifier.open(settings).key == "secret"
    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(NotFound, match="'SOME_KEY' is not set"):
        LlmVerifier.open(settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"endpoint": "http://h/v1"}, "needs 'model'"),
        ({"model": "m"}, "needs 'endpoint'"),
        ({"endpoint": "file:///etc/passwd", "model": "m"}, r"endpoint is 'file:///etc/passwd'; expected e\.g\."),
        ({"endpoint": "http://h/v1", "model": " "}, "no model was named"),
        ({"endpoint": "http://h/v1", "model": "m", "time_out": 3}, "did you mean 'timeout'"),
        ({"endpoint": "http://h/v1", "model": "m", "key": "a\nb"}, "no header may"),
        ({"endpoint": "http://h/v1", "model": "m", "key": "a", "key_file": "b"}, "key and key_file are given"),
        ({"endpoint": "http://h/v1", "model": "m", "timeout": 0}, "timeout is 0"),
        ({"endpoint": "http://h/v1", "model": "m", "retries": 99}, "retries is 99; expected 0 to 10"),
        ({"endpoint": "http://h/v1", "model": "m", "concurrency": 0}, "concurrency is 0; expected 1 to 64"),
        ({"endpoint": "http://h/v1", "model": "m", "options": {"stream": True}}, "options has 'stream'"),
    ],
)
def test_settings_that_cannot_be_meant_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LlmVerifier.open(settings)


def test_a_key_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="cannot read the language model's key"):
        LlmVerifier.open({"endpoint": "http://h/v1", "model": "m", "key_file": str(tmp_path / "none")})


# -- by settings --


def settings_for(**llm: Any) -> Settings:
    off = {"retrieve": {"dense": False}, "select": {"model": "none"}, "verify": {"model": "llm"}}
    return Settings.of({**off, "llm": llm})


def test_settings_let_a_language_model_decide(start: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret\n")
    server = start(says('{"label": "SUPPORTS", "evidence": [1], "why": "It says so."}'))
    settings = settings_for(endpoint=server.address, model="tiny", key_file=str(tmp_path / "key"), options={"seed": 1})
    with Checker.open(settings=settings) as checker:
        verdict = checker.check("Mount Everest is higher than K2.")
        kept = record(checker)
    assert verdict.label is Label.SUPPORTS
    assert verdict.evidence[0].by == "llm"
    assert (verdict.certificate["by"], verdict.certificate["model"]) == ("llm", "tiny")
    assert "confidence" not in verdict.certificate
    assert verdict.corpus["read"]
    assert server.asked[0]["seed"] == 1
    assert server.headers[0]["Authorization"] == "Bearer secret"
    assert kept["models"] == {}
    assert "secret" not in json.dumps(kept)


def test_a_language_model_without_an_address_is_refused() -> None:
    with pytest.raises(InputError, match=r"the language model needs 'endpoint', e.g. 'http"):
        Checker.open(settings=settings_for(model="tiny"))


def test_no_server_is_asked_unless_settings_say_so() -> None:
    assert Settings().verify.model != "llm"


def test_a_claim_of_signs_alone_is_none(start: Callable[..., Server]) -> None:
    server = start(says(GOOD))
    (verdict,) = verifier(server).verify([Claim("", "?!")], [hits()])
    assert verdict.reasoning == ("the claim says nothing",)
    assert not server.asked


def test_a_key_sent_in_the_clear_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    opened = LlmVerifier("http://example.invalid/v1", "tiny", key="secret")
    assert opened._asked is opened._asked
    assert len(caplog.records) == 1
