"""The API answers programs: claims, evidence, searches, pages and elements."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from starlette.testclient import TestClient

from tests.web.serving import Waiting, without_models
from veritab.errors import EndpointError, InputError, NotFound
from veritab.models import shipped
from veritab.pipeline import Checker
from veritab.render.json import verdict_from_json, verdict_to_json
from veritab.schema import Claim, Evidence, Label, Reading, Uncertainty, Verdict
from veritab.verify.calibrate import Calibration
from veritab.verify.decide import CalibratedDecider
from veritab.web.app import create_app
from veritab.web.keys import Keys
from veritab.web.problems import describe_error

LINES = {"accept": "application/x-ndjson"}
KEY = "a-key-that-is-long-enough"
LOWER = "Mount Everest is lower than K2."
HIGHER = "Mount Everest is higher than K2."


def is_problem(answer: Any, status: int) -> dict[str, Any]:
    """What a problem says; fails where the answer is none."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert told["status"] == status
    assert told["title"]
    assert told["type"] == "about:blank"
    return told


# -- check -------------------------------------------------------------------------------------------------


def test_a_claim_gets_its_verdict_with_the_evidence(client: TestClient, checker: Checker) -> None:
    verdict = client.post("/v1/check", json={"claim": HIGHER}).json()
    assert verdict == verdict_to_json(checker.check(HIGHER))
    assert sum(verdict["scores"].values()) == pytest.approx(1)
    assert verdict["evidence"]
    assert verdict["corpus"]["name"] == "almanac"
    assert "id" not in verdict


def test_what_the_api_answers_is_read_back_as_the_same_verdict(client: TestClient) -> None:
    told = client.get("/v1/check", params={"claim": HIGHER}).json()
    assert verdict_to_json(verdict_from_json(told)) == told


def test_the_address_alone_can_hold_a_claim(client: TestClient) -> None:
    asked = client.get("/v1/check", params={"claim": HIGHER}).json()
    assert asked == client.post("/v1/check", json={"claim": HIGHER}).json()


def test_many_claims_are_answered_in_their_order_under_their_names(client: TestClient) -> None:
    asked = [HIGHER, {"id": "seven", "claim": LOWER}, "Nobody knows this."]
    verdicts = client.post("/v1/check", json={"claims": asked}).json()["verdicts"]
    assert [each["claim"] for each in verdicts] == [HIGHER, LOWER, "Nobody knows this."]
    assert [each.get("id") for each in verdicts] == [None, "seven", None]


def test_a_stream_has_a_line_for_each_claim(client: TestClient) -> None:
    asked = [HIGHER, {"id": "7", "claim": LOWER}]
    answer = client.post("/v1/check", json={"claims": asked}, headers=LINES)
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [(line["claim"], line.get("id")) for line in lines] == [(HIGHER, None), (LOWER, "7")]
    assert lines == client.post("/v1/check", json={"claims": asked}).json()["verdicts"]


def test_more_claims_than_fit_one_batch_all_come_back(client: TestClient) -> None:
    asked = [f"K2 is higher than {number} m." for number in range(20)]
    verdicts = client.post("/v1/check", json={"claims": asked}).json()["verdicts"]
    assert [each["claim"] for each in verdicts] == asked


@pytest.mark.slow
@pytest.mark.skipif("verdict" not in shipped(), reason="this installation has no verdict model")
def test_the_shipped_models_answer_through_the_api() -> None:
    highest = "Mount Everest is the highest mountain on Earth above sea level."
    with Checker.open() as checker, TestClient(create_app(checker)) as client:
        verdict = client.post("/v1/check", json={"claim": highest}).json()
        judged = client.post("/v1/judge", json={"claim": highest, "evidence": [highest]}).json()
        assert verdict["certificate"]["model"]
        assert verdict["evidence"] == verdict_to_json(checker.check(highest))["evidence"]
    assert (verdict["label"], judged["label"]) == ("SUPPORTS", "SUPPORTS")
    assert judged["certificate"]["model"]


# -- judge -------------------------------------------------------------------------------------------------

TABLE = {"table": {"header": ["Mountain", "Height"], "rows": [["Mount Everest", "8,849 m"], ["K2", "8,611 m"]]}}


@pytest.mark.parametrize(
    "evidence",
    [
        ["K2 is 8,611 m high, Mount Everest is 8,849 m high."],
        [{"title": "Mountains", "text": "K2 is 8,611 m high, Mount Everest is 8,849 m high."}],
        [TABLE],
        [[["Mountain", "Height in m"], ["Mount Everest", 8849], ["K2", 8611]]],
    ],
)
def test_a_claim_is_judged_by_texts_and_tables(client: TestClient, evidence: list[Any]) -> None:
    assert client.post("/v1/judge", json={"claim": HIGHER, "evidence": evidence}).json()["label"] == "SUPPORTS"


def test_pairs_are_judged_in_their_order(client: TestClient) -> None:
    pairs = [{"id": "a", "claim": HIGHER, "evidence": [TABLE]}, {"claim": HIGHER, "evidence": ["Nothing of that."]}]
    verdicts = client.post("/v1/judge", json={"pairs": pairs}).json()["verdicts"]
    assert [(each.get("id"), each["label"]) for each in verdicts] == [("a", "SUPPORTS"), (None, "NOT ENOUGH INFO")]
    lines = client.post("/v1/judge", json={"pairs": pairs}, headers=LINES).text.splitlines()
    assert [json.loads(line) for line in lines] == verdicts


def test_a_judgement_has_all_that_a_check_has_and_what_was_computed_with(client: TestClient) -> None:
    checked = client.post("/v1/check", json={"claim": HIGHER}).json()
    judged = client.post("/v1/judge", json={"claim": HIGHER, "evidence": [TABLE]}).json()
    assert set(checked) <= set(judged)
    assert set(judged["cells"]) <= {each["id"] for each in judged["evidence"]}
    assert judged["cells"]
    assert verdict_from_json(judged).label is Label.SUPPORTS


def test_a_server_with_a_language_model_judges_by_it_too(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    class RefutingModel:
        """A language model that refutes everything."""

        def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
            scores = {label: float(label is Label.REFUTES) for label in Label}
            return [Reading(scores, by="llm", calibrated=False) for _ in claims]

    pipeline = replace(checker.pipeline, verify=RefutingModel(), decide=CalibratedDecider(Calibration()), compute=False)
    monkeypatch.setattr(checker, "pipeline", pipeline)
    with TestClient(create_app(checker)) as client:
        judged = client.post("/v1/judge", json={"claim": HIGHER, "evidence": ["Mount Everest and K2."]}).json()
    assert (judged["label"], judged["certificate"]["by"]) == ("REFUTES", "llm")


def test_an_uncertain_answer_says_so(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = {Label.SUPPORTS: 0.41, Label.REFUTES: 0.4, Label.NOT_ENOUGH_INFO: 0.19}
    unsure = Verdict(Claim("", HIGHER), Label.SUPPORTS, scores, uncertainty=Uncertainty.CLOSE_SCORES)
    monkeypatch.setattr(checker, "check_many", lambda claims: iter([unsure]))
    monkeypatch.setattr(checker, "check", lambda claim: unsure)
    with TestClient(create_app(checker)) as client:
        answer = client.post("/v1/check", json={"claim": HIGHER}).json()
        page = client.get("/check", params={"claim": HIGHER}).text
    assert (answer["uncertain"], answer["uncertain_because"]) == (True, "two labels have close scores")
    assert "two labels have close scores" in page


def test_evidence_that_is_none_is_told_where_it_stands(client: TestClient) -> None:
    told = is_problem(client.post("/v1/judge", json={"claim": HIGHER, "evidence": ["x", 5]}), 400)
    assert told["errors"][0]["where"] == "body.evidence.1"
    is_problem(client.post("/v1/judge", json={"claim": HIGHER, "evidence": [{"title": "only"}]}), 400)


# -- search, pages, elements -------------------------------------------------------------------------------


def test_a_search_finds_the_best_first_of_one_kind_on_one_page(client: TestClient) -> None:
    found = client.get("/v1/search", params={"q": "second highest mountain", "kind": "sentence", "page": "K2", "k": 3})
    hits = found.json()["hits"]
    assert hits[0]["id"] == "K2_sentence_0"
    assert {(hit["page"], hit["kind"]) for hit in hits} == {("K2", "sentence")}
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_searches_come_together_or_line_by_line(client: TestClient) -> None:
    asked = {"queries": [{"query": "moon", "k": 1}, {"query": "highest mountain", "kind": "table", "k": 2}]}
    searches = client.post("/v1/search", json=asked).json()["searches"]
    assert [len(each["hits"]) for each in searches] == [1, 2]
    lines = client.post("/v1/search", json=asked, headers=LINES).text.splitlines()
    assert [json.loads(line) for line in lines] == searches


def test_a_page_comes_as_feverous_writes_it_under_any_of_its_names(client: TestClient) -> None:
    page = client.get("/v1/pages/Mount Everest").json()
    assert page["title"] == "Mount Everest"
    assert all(name in page for name in page["order"])
    assert client.get("/v1/pages/mount_Everest").json() == page


def test_every_piece_of_evidence_can_be_opened(client: TestClient) -> None:
    evidence = client.post("/v1/check", json={"claim": HIGHER}).json()["evidence"]
    assert evidence
    for hit in evidence:
        element = client.get(f"/v1/elements/{hit['id']}").json()
        assert (element["id"], element["text"], element["context"]) == (hit["id"], hit["text"], hit["context"])


def test_what_is_not_there_is_told(client: TestClient) -> None:
    assert "Mount Nowhere" in is_problem(client.get("/v1/pages/Mount Nowhere"), 404)["detail"]
    assert "K2_sentence_999" in is_problem(client.get("/v1/elements/K2_sentence_999"), 404)["detail"]
    assert "expected e.g." in is_problem(client.get("/v1/elements/K2"), 400)["detail"]


# -- problems ----------------------------------------------------------------------------------------------


def test_every_error_is_a_problem(client: TestClient) -> None:
    assert "/openapi.json" in is_problem(client.get("/v1/nothing"), 404)["detail"]
    is_problem(client.get("/v1/check/"), 404)
    is_problem(client.get("/v1/check"), 400)
    refused = client.delete("/v1/check")
    is_problem(refused, 405)
    assert refused.headers["allow"]
    assert "Content-Type" in is_problem(client.post("/v1/check", content=b'{"claim": "x"}'), 415)["detail"]


def test_an_accident_tells_nothing_of_the_inside() -> None:
    with TestClient(create_app(Waiting(), pages=False), raise_server_exceptions=False) as client:  # type: ignore[arg-type]
        told = is_problem(client.post("/v1/check", json={"claim": "an accident"}), 500)
        assert "secret" not in json.dumps(told)
        assert "log" in told["detail"]


def test_a_language_model_that_fails_is_told_without_its_address() -> None:
    told = describe_error(EndpointError("the language model at 'http://10.0.0.7/v1' gave no answer"))
    assert told.status == 502
    assert "10.0.0.7" not in told.detail


def test_in_a_stream_an_accident_takes_the_place_of_one_verdict() -> None:
    waiting = Waiting()
    waiting.go.set()
    with TestClient(create_app(waiting, pages=False)) as client:  # type: ignore[arg-type]
        asked = {"claims": ["one", {"id": "2", "claim": "an accident"}, "three"]}
        lines = [json.loads(line) for line in client.post("/v1/check", json=asked, headers=LINES).text.splitlines()]
    assert [line["claim"] for line in lines] == ["one", "an accident", "three"]
    assert lines[1]["id"] == "2"
    assert lines[1]["problem"]["status"] == 500
    assert "secret" not in json.dumps(lines)


# -- what machines watch -----------------------------------------------------------------------------------


def test_the_server_tells_that_it_is_alive_and_ready(client: TestClient, checker: Checker) -> None:
    assert client.get("/healthz").json() == {"status": "alive"}
    for _ in range(200):
        if (answer := client.get("/readyz")).status_code == 200:
            break
    assert answer.json() == {"status": "ready", "corpus": checker.corpus}


def test_the_server_is_not_ready_before_a_claim_could_be_checked() -> None:
    client = TestClient(create_app(Waiting(), pages=False))  # type: ignore[arg-type]  # its lifespan never begins
    assert client.get("/readyz").headers["retry-after"] == "1"
    is_problem(client.get("/readyz"), 503)


def test_the_metrics_count_requests_by_route_and_claims_by_label(checker: Checker) -> None:
    with TestClient(create_app(checker, pages=False)) as client:
        label = client.post("/v1/check", json={"claim": HIGHER}).json()["label"]
        for name in ("K2", "Mount Everest", "nowhere"):
            client.get(f"/v1/pages/{name}")
        client.get('/no/"route"%0A')
        answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    assert 'veritab_requests_total{route="/v1/check",method="POST",status="200"} 1' in lines
    assert 'veritab_requests_total{route="/v1/pages/{title}",method="GET",status="200"} 2' in lines
    assert 'veritab_requests_total{route="/v1/pages/{title}",method="GET",status="404"} 1' in lines
    assert 'veritab_requests_total{route="other",method="GET",status="404"} 1' in lines
    assert f'veritab_claims_total{{label="{label}"}} 1' in lines
    assert 'veritab_request_seconds_bucket{route="/v1/pages/{title}",le="+Inf"} 3' in lines
    assert "veritab_queue_length 0" in lines
    memory = next(line for line in lines if line.startswith("process_resident_memory_bytes "))
    assert 10_000_000 < int(memory.split()[1]) < 10_000_000_000


# -- keys --------------------------------------------------------------------------------------------------


def test_with_keys_nobody_comes_in_without_one(checker: Checker) -> None:
    with TestClient(create_app(checker, keys=Keys([KEY, "another-key-of-the-house"]))) as client:
        for wrong in (
            "",
            "Bearer",
            "Bearer nope",
            f"Bearer {KEY}x",
            f"Bearer {KEY[:-1]}",
            f"Digest {KEY}",
            "Basic %%%",
        ):
            refused = client.get("/v1/pages/K2", headers={"authorization": wrong})
            is_problem(refused, 401)
            assert refused.headers["www-authenticate"] == "Bearer"
        for right in (f"Bearer {KEY}", f"bearer {KEY}", "Bearer another-key-of-the-house"):
            assert client.get("/v1/pages/K2", headers={"authorization": right}).status_code == 200
        is_problem(client.get("/metrics"), 401)
        is_problem(client.get("/openapi.json"), 401)
        assert client.get("/healthz").status_code == 200
        password = base64.b64encode(f"anybody:{KEY}".encode()).decode()
        assert client.get("/metrics", headers={"authorization": f"Basic {password}"}).status_code == 200


def test_a_browser_is_asked_for_a_key_as_a_password(checker: Checker) -> None:
    client = TestClient(create_app(checker, keys=Keys([KEY])))
    assert client.get("/").headers["www-authenticate"].startswith("Basic ")


def test_keys_are_read_from_a_file_one_a_line(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"# the house\n\n{KEY}\n", encoding="utf-8")
    assert Keys.read(file).identify(f"Bearer {KEY}")
    assert Keys.read(file).identify("Bearer # the house") is None
    file.write_text("# nobody\n", encoding="utf-8")
    with pytest.raises(InputError, match="no API key"):
        Keys.read(file)
    file.write_text("short\n", encoding="utf-8")
    with pytest.raises(InputError, match="16"):
        Keys.read(file)
    with pytest.raises(NotFound, match="one key a line"):
        Keys.read(tmp_path / "none")


# -- the command -------------------------------------------------------------------------------------------


def test_without_the_extra_the_command_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from veritab.cli import main\nsys.argv = ['veritab', 'serve']\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "pip install 'veritab[web]'" in done.stderr


@pytest.mark.slow
def test_the_command_tells_its_address_answers_and_leaves_in_peace(tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text(without_models().as_toml(), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "veritab",
        "serve",
        "--config",
        str(config),
        "--keep-uploads",
        str(tmp_path),
        "--port",
    ]
    with subprocess.Popen([*command, "0"], stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr
            told = next(line for line in server.stderr if line.startswith("listening on "))
            port = told.partition("http://127.0.0.1:")[2].partition("/")[0]
            with urlopen(f"http://localhost:{port}/v1/elements/K2_sentence_0", timeout=30) as answer:
                assert json.load(answer)["id"] == "K2_sentence_0"
            second = subprocess.run([*command, port], capture_output=True, text=True, timeout=60, check=False)
            assert second.returncode == 2
            assert f"port {port} on 127.0.0.1 is taken" in second.stderr
            server.send_signal(signal.SIGTERM)
            assert server.wait(30) == 0
            assert server.stderr.read().splitlines()[-1] == "stopped"
        finally:
            server.kill()
