"""Bad input of every kind in every place of a request is told in our words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

BAD: tuple[Any, ...] = (
    None,
    True,
    5,
    -1,
    1.5,
    "",
    "  ",
    "\x07",
    "x" * 3000,
    [],
    [[]],
    {},
    {"a": 1},
    [1],
    [None],
    [""],
    [{}],
    [[{}]],
)
OF_LIBRARIES = (
    "Input should",
    "Field required",
    "valid ",
    "Extra inputs",
    "String should",
    "Value error",
    "decode",
    "got a",
)
"""Words that pydantic, FastAPI and json say."""


def bodies(bad: Any) -> list[tuple[str, Any]]:
    """Bodies with a bad value in each place."""
    table = {"claim": "K2 is high.", "evidence": [{"table": {"rows": [["a"]], "header": bad}}]}
    rows = {"claim": "K2 is high.", "evidence": [{"table": {"rows": bad}}]}
    return [
        *((path, bad) for path in ("/v1/check", "/v1/text", "/v1/judge", "/v1/score", "/v1/search")),
        ("/v1/check", {"claim": bad}),
        ("/v1/check", {"claims": bad}),
        ("/v1/check", {"claims": [bad], "id": bad}),
        ("/v1/text", {"text": bad}),
        ("/v1/text", {"text": "K2 is high.", "title": bad}),
        ("/v1/judge", {"claim": "K2 is high.", "evidence": bad}),
        ("/v1/judge", {"claim": bad, "evidence": [bad]}),
        ("/v1/judge", {"pairs": bad}),
        ("/v1/judge", table),
        ("/v1/judge", rows),
        ("/v1/score", {"docs": bad, "claims": bad}),
        ("/v1/score", {"doc": bad, "claim": "K2 is high."}),
        ("/v1/search", {"query": "k2", "kind": bad, "k": bad, "page": bad}),
        ("/v1/search", {"queries": bad}),
    ]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: json.dumps(bad)[:20])
def test_no_message_of_the_api_is_a_library_s(client: TestClient, bad: Any) -> None:
    for path, body in bodies(bad):
        answer = client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
        assert answer.status_code in (200, 400, 404), (path, body)
        if answer.status_code != 200:
            told = answer.json()
            messages = [told["detail"], *(fault["what"] for fault in told.get("errors", ()))]
            assert not [each for each in messages if any(word in each for word in OF_LIBRARIES)], (path, body)
            places = [fault["where"] for fault in told.get("errors", ())]
            assert len(places) == len(set(places)), (path, body)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"{", "body: it is not JSON; look at character 1"),
        (b'{"claim": "a" "b"}', "body: it is not JSON; look at character 14"),
        (b"null", "body: it is null; expected an object"),
        (
            b'{"claim": "\\ud800"}',
            "body.claim: it holds half of a character (a lone surrogate), which no text has; leave",
        ),
        (b"\xff\xfe", "body: it is not JSON; look at character 0"),
        (b"[" * 5000, "the body cannot be read; send JSON, not nested deeper than a table is"),
    ],
)
def test_a_body_that_is_no_json_is_told(client: TestClient, sent: bytes, message: str) -> None:
    answer = client.post("/v1/check", content=sent, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith(message)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/v1/check", "query.claim: it is missing"),
        ("/v1/check?claim=", "query.claim: it is empty; write something"),
        ("/v1/search?q=k2&k=many", "query.k: it is a text; expected a whole number"),
        ("/v1/search?q=k2&k=0", "query.k: it is too small; give 1 or more"),
        ("/v1/search?q=k2&kind=leaf", "query.kind: it is none of 'page', 'section', "),
    ],
)
def test_what_is_wrong_with_an_address_is_told(client: TestClient, address: str, message: str) -> None:
    assert client.get(address).json()["detail"].startswith(message)


def test_a_form_without_a_file_is_told(client: TestClient) -> None:
    answer = client.post(
        "/file", data={"file": "not a file"}, headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert answer.status_code == 400
    assert answer.json()["detail"] == "body.file: it is no file; choose one and send it again"
