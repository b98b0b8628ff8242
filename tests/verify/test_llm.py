"""A language model as a verifier: its answers are parsed strictly, and failing servers are retried."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from veritab import Checker, Settings
from veritab.errors import EndpointError, InputError, NotFound
from veritab.schema import (
    Certificate,
    Claim,
    Context,
    Element,
    ElementId,
    Evidence,
    Hit,
    Kind,
    Label,
    ModelUse,
    Reading,
    Reason,
    Verdict,
)
from veritab.settings import record
from veritab.verify import endpoint
from veritab.verify.judge import decider_for, judge_evidence
from veritab.verify.llm import LlmAnswer, LlmVerifier, parse_answer
from veritab.verify.model import NOTHING_TO_READ

GOOD = '{"label": "REFUTES", "evidence": [2], "why": "8,611 m is less than 8,849 m."}'
CLAIM = Claim("1", "K2 is higher than Mount Everest.")


def evidence() -> Evidence:
    title = Context(ElementId("K2", Kind.TITLE), "K2")
    header = Context(ElementId("K2", Kind.HEADER_CELL, (0, 0, 0)), "Height")
    hits = [
        Hit(Element(ElementId("K2", Kind.SENTENCE, (0,)), "K2 is a mountain.", context=(title,)), 0.9, "selector"),
        Hit(Element(ElementId("K2", Kind.CELL, (0, 1, 0)), "8,611 m", context=(title, header)), 0.8, "selector"),
        Hit(Element(ElementId("K2", Kind.SENTENCE, (0,)), "K2 is a mountain.", context=(title,)), 0.1, "again"),
    ]
    return Evidence(tuple(hits))


# -- a local server --


class Request(BaseHTTPRequestHandler):
    """A request and what it asks."""

    asked: dict[str, Any]

    def log_message(self, *_: object) -> None:
        pass


Response: TypeAlias = Callable[[Request], None]


class Server:
    """A real server on this machine; each request gets the next of its responses, and the last one from then on."""

    def __init__(self, *responses: Response) -> None:
        self.responses = list(responses)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.unanswered: set[Request] = set()
        self.most_at_once = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(Request):
            def do_POST(self) -> None:
                self.asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer._lock:
                    outer.asked.append(self.asked)
                    outer.headers.append({"path": self.path, **self.headers})
                    respond = outer.responses.pop(0) if len(outer.responses) > 1 else outer.responses[0]
                    outer.unanswered.add(self)
                    outer.most_at_once = max(outer.most_at_once, len(outer.unanswered))
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client has gone, as it should
                    respond(self)

            def end_headers(self) -> None:
                # Before the answer leaves: the client may ask again as soon as it has it.
                with outer._lock:
                    outer.unanswered.discard(self)
                super().end_headers()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def reply(status: int, body: str | bytes, **headers: str) -> Response:
    data = body.encode() if isinstance(body, str) else body

    def respond(request: Request) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    return respond


def says(content: str) -> Response:
    return reply(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}))


def waits(seconds: float) -> Response:
    def respond(request: Request) -> None:
        time.sleep(seconds)
        says(GOOD)(request)

    return respond


def quotes_the_claim(request: Request) -> None:
    claim = request.asked["messages"][1]["content"].partition("\n")[0]
    time.sleep(0.05)
    says(json.dumps({"label": "SUPPORTS", "evidence": [1], "why": claim}))(request)


def dribbles(request: Request) -> None:
    request.send_response(200)
    request.end_headers()
    for _ in range(80):
        request.wfile.write(b" ")
        request.wfile.flush()
        time.sleep(0.05)


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    servers = []

    def begin(*responses: Response) -> Server:
        servers.append(Server(*responses))
        return servers[-1]

    yield begin
    for server in servers:
        server.close()


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between attempts, which the tests do not wait."""
    waits: list[float] = []

    class Clock:
        monotonic = staticmethod(time.monotonic)
        sleep = staticmethod(waits.append)

    monkeypatch.setattr(endpoint, "time", Clock)
    return waits


def verifier(server: Server, **settings: Any) -> LlmVerifier:
    return LlmVerifier(server.address, "tiny", **{"timeout": 5.0, **settings})


def read(verifier: LlmVerifier, claim: Claim = CLAIM) -> Reading:
    (reading,) = verifier.verify([claim], [evidence()])
    return reading


def judged(verifier: LlmVerifier, claim: Claim = CLAIM, found: Evidence | None = None) -> Verdict:
    (verdict,) = judge_evidence([claim], [found or evidence()], verifier, decider_for(verifier), parts=False)
    return verdict


# -- answers --


def test_a_good_answer_becomes_a_verdict_that_names_the_language_model(start: Callable[..., Server]) -> None:
    verdict = judged(verifier(start(says(GOOD)), key="secret"))
    cell = evidence().hits[1].element.id
    assert verdict.label is Label.REFUTES
    assert verdict.scores == {Label.SUPPORTS: 0.0, Label.REFUTES: 1.0, Label.NOT_ENOUGH_INFO: 0.0}
    assert [str(hit.element.id) for hit in verdict.evidence] == ["K2_cell_0_1_0", "K2_sentence_0"]
    assert verdict.certificate == Certificate(
        confidence=1.0, calibrated=False, by="llm", model=ModelUse("tiny"), cited=(cell,)
    )
    assert verdict.reasoning == ("the language model says: 8,611 m is less than 8,849 m.",)
    assert not verdict.uncertain


def test_the_question_holds_the_claim_and_each_piece_once_with_its_headers(start: Callable[..., Server]) -> None:
    server = start(says(GOOD))
    verifier(server, key="secret").verify([CLAIM], [evidence()])
    (asked,) = server.asked
    assert asked["model"] == "tiny"
    assert asked["temperature"] == 0
    assert asked["messages"][1]["content"] == (
        "Claim: K2 is higher than Mount Everest.\n\nEvidence:\n[1] K2. K2 is a mountain.\n[2] K2. Height is 8,611 m."
    )
    assert server.headers[0]["path"] == "/v1/chat/completions"
    assert server.headers[0]["Authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("answer", "flaw"),
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
def test_any_other_answer_is_not_enough_info_and_marked_as_unparsed(
    answer: str, flaw: str, start: Callable[..., Server]
) -> None:
    verdict = judged(verifier(start(says(answer))))
    unsettled, use = verdict.certificate.unsettled, verdict.certificate.model
    assert verdict.label is Label.NOT_ENOUGH_INFO
    assert verdict.scores == {Label.SUPPORTS: 0.25, Label.REFUTES: 0.25, Label.NOT_ENOUGH_INFO: 0.5}
    assert unsettled is not None
    assert use is not None
    assert unsettled.reason is Reason.UNPARSED_ANSWER
    assert flaw in unsettled.text
    assert len(use.answer) <= 200
    assert " ".join(answer.split()).startswith(use.answer)
    assert verdict.certificate.by == "llm"
    assert verdict.reasoning == (unsettled.text,)
    assert "could not be read" in unsettled.text
    assert [hit.by for hit in verdict.evidence] == ["selector", "selector"]


def test_a_code_fence_around_the_object_alone_is_accepted() -> None:
    assert parse_answer(f"```json\n{GOOD}\n```", 2) == parse_answer(GOOD, 2)
    assert parse_answer('{"label": "NOT ENOUGH INFO", "evidence": []}', 2) == LlmAnswer(Label.NOT_ENOUGH_INFO, ())


def test_without_evidence_or_without_words_no_question_is_sent(start: Callable[..., Server]) -> None:
    server = start(says(GOOD))
    (reading,) = verifier(server).verify([CLAIM], [Evidence()])
    assert (reading.scores, reading.unsettled) == (None, NOTHING_TO_READ)
    for claim, found in ((CLAIM, Evidence()), (Claim("2", " … "), evidence())):
        assert judged(verifier(server), claim, found).label is Label.NOT_ENOUGH_INFO
    assert server.asked == []
    assert verifier(server).verify([], []) == []


def test_many_claims_keep_their_order_within_the_limit_of_concurrent_questions(start: Callable[..., Server]) -> None:
    server = start(quotes_the_claim)
    claims = [Claim(str(n), f"Claim {n}.") for n in range(9)]
    readings = verifier(server, concurrency=3).verify(claims, [evidence()] * 9)
    assert [reading.lines for reading in readings] == [
        (f"the language model says: Claim: Claim {n}.",) for n in range(9)
    ]
    assert 1 < server.most_at_once <= 3


# -- servers that fail --


def test_a_busy_server_is_retried_after_the_wait_it_asks_for(start: Callable[..., Server], slept: list[float]) -> None:
    server = start(reply(429, "busy", Retry_After="3"), reply(503, "", Retry_After="99999"), says(GOOD))
    scores = read(verifier(server, retries=2)).scores
    assert scores is not None
    assert scores[Label.REFUTES] == 1
    assert slept == [3.0, 30.0]


def test_a_failing_server_is_retried_and_then_given_up(start: Callable[..., Server], slept: list[float]) -> None:
    server = start(reply(500, '{"error": "out of\nmemory"}'))
    with pytest.raises(EndpointError, match=r"after 3 attempts: HTTP 500 \(.*out of memory.*try again later"):
        verifier(server, retries=2).verify([CLAIM], [evidence()])
    assert len(server.asked) == 3
    assert slept == [0.5, 1.0]


def test_a_refused_key_is_an_error_at_once_and_not_shown(start: Callable[..., Server]) -> None:
    server = start(reply(401, "no"))
    with pytest.raises(EndpointError, match="HTTP 401") as caught:
        verifier(server, key="secret").verify([CLAIM], [evidence()])
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(verifier(server, key="secret"))
    assert len(server.asked) == 1


def test_an_unknown_model_is_an_error_at_once(start: Callable[..., Server]) -> None:
    server = start(reply(404, "model not found"))
    with pytest.raises(EndpointError, match=r"HTTP 404 \(model not found\); see that the address and the model"):
        verifier(server).verify([CLAIM], [evidence()])
    assert len(server.asked) == 1


@pytest.mark.parametrize("response", [waits(4.0), dribbles], ids=["silent", "dribbling"])
def test_a_server_that_takes_too_long_is_given_up(response: Response, start: Callable[..., Server]) -> None:
    server = start(response)
    with pytest.raises(EndpointError, match=r"took longer than 0\.2 s; give it more time"):
        verifier(server, timeout=0.2, retries=0).verify([CLAIM], [evidence()])


def test_an_answer_that_is_too_long_is_not_read_to_its_end(start: Callable[..., Server]) -> None:
    server = start(reply(200, b"x" * (3 << 20)))
    with pytest.raises(EndpointError, match="longer than 1,024 KB"):
        verifier(server).verify([CLAIM], [evidence()])


@pytest.mark.parametrize(
    "body", ["<html>Welcome</html>", "{}", '{"choices": []}', '{"choices": [{"message": null}]}', "1"]
)
def test_a_response_that_is_not_a_chat_completion_is_an_error(body: str, start: Callable[..., Server]) -> None:
    with pytest.raises(EndpointError, match="which is no chat completion"):
        verifier(start(reply(200, body))).verify([CLAIM], [evidence()])


def test_nothing_is_sent_where_a_redirect_points(start: Callable[..., Server]) -> None:
    other = start(says(GOOD))
    server = start(reply(307, "", Location=f"{other.address}/chat/completions"))
    with pytest.raises(EndpointError, match="HTTP 307"):
        verifier(server, key="secret").verify([CLAIM], [evidence()])
    assert other.asked == []


def test_a_proxy_in_the_environment_is_not_used(start: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, server = start(says(GOOD)), start(says(GOOD))
    monkeypatch.setenv("http_proxy", proxy.address)
    verifier(server).verify([CLAIM], [evidence()])
    assert proxy.asked == []


def test_an_address_where_no_server_listens_is_an_error(start: Callable[..., Server]) -> None:
    server = start(says(GOOD))
    gone = verifier(server, retries=1)
    server.close()
    with pytest.raises(EndpointError, match=r"after 2 attempts: .*is its server running\?"):
        gone.verify([CLAIM], [evidence()])


# -- settings --


def test_settings_open_a_verifier_with_a_key_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret\n")
    opened = LlmVerifier.open(
        {"endpoint": "https://host.example/v1/", "model": "m", "key_file": str(tmp_path / "key"), "timeout": 9}
    )
    assert opened == LlmVerifier("https://host.example/v1/", "m", "secret", timeout=9)


def test_a_key_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LlmVerifier.open(settings)


def test_a_missing_key_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="cannot read the language model's key"):
        LlmVerifier.open({"endpoint": "http://h/v1", "model": "m", "key_file": str(tmp_path / "none")})


# -- in a checker --


def settings_for(**llm: Any) -> Settings:
    off = {"retrieve": {"dense": False}, "select": {"model": "none"}, "verify": {"model": "llm"}}
    return Settings.of({**off, "llm": llm})


def test_settings_make_a_language_model_the_verifier(start: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret\n")
    server = start(says('{"label": "SUPPORTS", "evidence": [1], "why": "It says so."}'))
    settings = settings_for(endpoint=server.address, model="tiny", key_file=str(tmp_path / "key"), options={"seed": 1})
    with Checker.open(settings=settings) as checker:
        verdict = checker.check("Mount Everest is higher than K2.")
        kept = record(checker)
    assert verdict.label is Label.SUPPORTS
    assert (verdict.certificate.by, verdict.certificate.model) == ("llm", ModelUse("tiny"))
    assert set(verdict.certificate.cited) <= {hit.element.id for hit in verdict.evidence}
    assert len(verdict.certificate.cited) == 1
    assert not verdict.certificate.calibrated
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


def test_a_claim_of_punctuation_alone_says_nothing(start: Callable[..., Server]) -> None:
    server = start(says(GOOD))
    assert judged(verifier(server), Claim("", "?!")).reasoning == ("the claim says nothing",)
    assert not server.asked


def test_a_key_sent_in_the_clear_is_warned_about_once(caplog: pytest.LogCaptureFixture) -> None:
    opened = LlmVerifier("http://example.invalid/v1", "tiny", key="secret")
    assert opened._client is opened._client
    assert len(caplog.records) == 1
