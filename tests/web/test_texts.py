"""Whole texts and scores over HTTP: offsets that hold, streams, bounds that are told, and the shape scorers have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.verify.tiny import make_reader
from tests.web.serving import Waiting, served
from veritab.pipeline import Checker
from veritab.schema import Claim, Verdict
from veritab.settings import Select, Settings, Verify
from veritab.web.app import create_app
from veritab.web.limits import Limits

LINES = {"accept": "application/x-ndjson"}
TEXT = "Is it high? 🏔\r\nMount Everest is higher than K2. It is in Nepal."
HEIGHTS = "K2 is 8,611 m high, Everest 8,849 m."


def problem(answer: Any) -> str:
    """What a refused request is told."""
    assert answer.status_code == 400, answer.text
    return str(answer.json()["detail"])


# -- texts -------------------------------------------------------------------------------------------------


def test_a_text_comes_back_as_its_claims_with_offsets_that_hold(client: TestClient) -> None:
    verdicts = client.post("/v1/text", json={"text": TEXT}).json()["verdicts"]
    assert [TEXT[each["start"] : each["end"]] for each in verdicts] == [each["text"] for each in verdicts]
    assert [each["id"] for each in verdicts] == ["1", "2"]
    assert verdicts[1]["text"] == "It is in Nepal."
    assert verdicts[1]["claim"] == "Mount Everest is in Nepal."
    assert {"label", "scores", "evidence", "certificate", "corpus"} <= verdicts[0].keys()


def test_a_text_is_streamed_a_line_for_each_claim(client: TestClient) -> None:
    answer = client.post("/v1/text", json={"text": TEXT}, headers=LINES)
    assert answer.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert lines == client.post("/v1/text", json={"text": TEXT}).json()["verdicts"]


class OneThenWait(Waiting):
    """Checks the first claim at once, and the others when it may."""

    def check_many(self, claims: Iterable[Claim]) -> Iterator[Verdict]:
        for claim in claims:
            if claim.id == "1":
                yield self._verdict(claim)
            else:
                yield from super().check_many([claim])


def test_a_line_is_there_as_soon_as_its_claim_is_checked() -> None:
    waiting = OneThenWait()
    body = json.dumps({"text": "Riga has 3 rivers. Oslo had 7 by accident. Rome has 7 hills."})
    with (
        served(create_app(waiting, pages=False)) as (_, address),  # type: ignore[arg-type]
        closing(HTTPConnection(*address, timeout=20)) as connection,
    ):
        connection.request("POST", "/v1/text", body, {**LINES, "content-type": "application/json"})
        answer = connection.getresponse()
        lines = [answer.readline()]
        assert not waiting.go.is_set()
        waiting.go.set()
        told = [json.loads(line) for line in (*lines, *answer)]
    assert [("problem" in line, line["start"]) for line in told] == [(False, 0), (True, 19), (False, 43)]
    assert told[1]["claim"] == "Oslo had 7 by accident."
    assert "secret" not in json.dumps(told)


def test_the_title_says_what_it_is(client: TestClient) -> None:
    body = {"text": "It has 3 rivers. The old name of Riga is lost.", "title": "Riga"}
    assert client.post("/v1/text", json=body).json()["verdicts"][0]["claim"] == "Riga has 3 rivers."


def test_a_text_that_claims_nothing_has_no_verdicts(client: TestClient) -> None:
    assert client.post("/v1/text", json={"text": "Is it high?"}).json() == {"verdicts": []}
    assert client.post("/v1/text", json={"text": "Is it high?"}, headers=LINES).text == ""


def test_any_character_may_stand_in_a_text(client: TestClient) -> None:
    text = "Riga\x00 has\x0c 3 rivers. \u200bOslo has 7 bridges\ufffe."
    verdicts = client.post("/v1/text", json={"text": text}).json()["verdicts"]
    assert [text[each["start"] : each["end"]] for each in verdicts] == [each["text"] for each in verdicts]


def test_a_text_too_long_or_with_too_many_claims_is_told_with_the_remedy(checker: Checker) -> None:
    limits = Limits(text_characters=200, claims=2, stream_claims=3)
    with TestClient(create_app(checker, limits=limits)) as client:
        said = problem(client.post("/v1/text", json={"text": "a" * 201}))
        assert said == "the text has 201 characters, and one may have 200; cut it in parts"
        four = {"text": "Riga has 3 rivers. Oslo has 2. Rome has 7 hills. Bern has 9 bears."}
        said = problem(client.post("/v1/text", json=four))
        assert said == (
            "the text makes 4 claims, and one may make 2; cut it in parts, or ask for a stream (Accept: "
            "application/x-ndjson)"
        )
        said = problem(client.post("/v1/text", json=four, headers=LINES))
        assert said == "the text makes 4 claims, and one may make 3; cut it in parts"
    assert create_app(checker, limits=limits).openapi()["components"]["schemas"]["TextBody"]["properties"]["text"] == {
        "maxLength": 200,
        "minLength": 1,
        "title": "Text",
        "type": "string",
    }


# -- scores ------------------------------------------------------------------------------------------------


def test_documents_and_claims_side_by_side_get_labels_and_probabilities(client: TestClient) -> None:
    body = {"docs": [HEIGHTS, HEIGHTS], "claims": ["Everest is higher than K2.", "K2 is higher than Everest."]}
    found = client.post("/v1/score", json=body).json()
    assert found.keys() == {"labels", "probabilities"}
    assert found["labels"] == [1, 0]
    assert found["probabilities"][0] > 0.5 > found["probabilities"][1]


@pytest.mark.parametrize(
    ("body", "labels"),
    [
        ({"doc": HEIGHTS, "claims": ["Everest is higher than K2.", "K2 is higher than Everest."]}, [1, 0]),
        ({"docs": [HEIGHTS, "Tea is hot."], "claim": "Everest is higher than K2."}, [1, 0]),
        ({"docs": [[["Peak", "Height"], ["K2", "8,611 m"]]], "claims": ["The height of K2 is 8,611 m."]}, [1]),
    ],
)
def test_one_document_stands_for_many_claims_and_one_claim_for_many(
    client: TestClient, body: dict[str, Any], labels: list[int]
) -> None:
    assert client.post("/v1/score", json=body).json()["labels"] == labels


def test_one_document_and_one_claim_get_one_number(client: TestClient) -> None:
    table = {"title": "Peaks", "table": {"header": ["Peak", "Height"], "rows": [["K2", "8,611 m"]]}}
    found = client.post("/v1/score", json={"doc": table, "claim": "The height of K2 is 8,611 m."}).json()
    assert found.keys() == {"label", "probability"}
    assert found["label"] == 1


def test_scores_are_streamed_a_line_for_each_claim(client: TestClient) -> None:
    body = {"doc": HEIGHTS, "claims": ["Everest is higher than K2.", "K2 is higher than Everest."]}
    lines = [json.loads(line) for line in client.post("/v1/score", json=body, headers=LINES).text.splitlines()]
    assert [line["label"] for line in lines] == [1, 0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"docs": ["a", "b"], "claims": ["K2 is high."]}, "2 docs and 1 claims do not pair up; give as many of each"),
        ({"docs": ["a"]}, "the body has neither claim nor claims; give one of the two"),
        ({"claims": ["K2 is high."]}, "the body has neither doc nor docs; give one of the two"),
        ({"doc": "a", "docs": ["a"], "claim": "K2 is high."}, "the body has doc and docs; give one of the two"),
        ({"doc": "a", "claim": "x" * 2001}, "a claim of 2,001 characters .* is too long"),
        ({"doc": "a" * 100_001, "claim": "K2 is high."}, "a document has 100,001 characters, and one may have 100,000"),
    ],
)
def test_what_does_not_pair_up_is_told(client: TestClient, body: dict[str, Any], message: str) -> None:
    assert re.match(message, problem(client.post("/v1/score", json=body)))


def test_a_long_document_is_read_to_its_end(tmp_path: Path) -> None:
    filler = " ".join(f"Tea is hot, people say, number {n}." for n in range(200))
    model = make_reader(tmp_path / "model")
    settings = Settings(select=Select(model="none"), verify=Verify(model=str(model)))
    with Checker.open(None, settings) as checker, TestClient(create_app(checker)) as client:
        body = {"docs": [f"{filler} Certainly yes. {filler}", filler], "claim": "Tea is hot."}
        assert client.post("/v1/score", json=body).json()["labels"] == [1, 0]
