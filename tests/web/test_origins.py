"""Pages of other sites use the API only where the server was told which, and then the API alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.commands import veritab
from veritab.errors import InputError
from veritab.pipeline import Checker
from veritab.web.api.origins import AllowedOrigins
from veritab.web.app import create_app
from veritab.web.keys import Keys

APP = "https://app.example"
KEY = "a-key-that-is-long-enough"
FROM_APP = {"Origin": APP, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
ELSEWHERE = FROM_APP | {"Origin": "https://evil.example"}
CLAIM = {"claim": "K2 is a mountain."}
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type, authorization"}


@pytest.fixture(scope="module")
def allowing(checker: Checker) -> Iterator[TestClient]:
    """A server that one other site may use."""
    with TestClient(create_app(checker, cors_origins=[APP])) as client:
        yield client


def test_a_preflight_is_answered(allowing: TestClient) -> None:
    answer = allowing.options("/v1/check", headers={**FROM_APP, **PREFLIGHT})
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == APP
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert {"Authorization", "Content-Type"} <= set(answer.headers["access-control-allow-headers"].split(", "))
    assert "access-control-allow-credentials" not in answer.headers


def test_the_allowed_origin_may_post_and_read_the_answer(allowing: TestClient) -> None:
    answer = allowing.post("/v1/check", json=CLAIM, headers=FROM_APP)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == APP
    assert "Origin" in answer.headers["vary"]
    assert allowing.get("/v1/check", params=CLAIM, headers=FROM_APP).status_code == 200


def test_errors_may_be_read_too(allowing: TestClient) -> None:
    answer = allowing.post("/v1/check", json={}, headers=FROM_APP)
    assert answer.status_code == 400
    assert answer.headers["access-control-allow-origin"] == APP
    assert answer.headers["access-control-expose-headers"] == "Retry-After"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://app.example", f"{APP}.evil.example", f"{APP}:8443", "null"]
)
def test_no_other_origin_gets_in(allowing: TestClient, origin: str) -> None:
    sent = FROM_APP | {"Origin": origin}
    answer = allowing.post("/v1/check", json=CLAIM, headers=sent)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    preflight = allowing.options("/v1/check", headers={**sent, **PREFLIGHT})
    assert preflight.status_code == 405
    assert "access-control-allow-origin" not in preflight.headers


def test_an_allowed_origin_has_the_api_alone(allowing: TestClient) -> None:
    answer = allowing.post("/text", data={"text": "K2 is a mountain."}, headers=FROM_APP)
    assert answer.status_code == 403
    for path in ("/", "/readyz", "/metrics", "/openapi.json"):
        assert "access-control-allow-origin" not in allowing.get(path, headers=FROM_APP).headers, path


def test_without_the_setting_no_other_site_is_let_in(client: TestClient) -> None:
    answer = client.post("/v1/check", json=CLAIM, headers=FROM_APP)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_key_is_still_asked_for_after_the_preflight(checker: Checker) -> None:
    app = create_app(checker, keys=Keys([KEY]), cors_origins=[APP])
    with TestClient(app) as client:
        assert client.options("/v1/check", headers={**FROM_APP, **PREFLIGHT}).status_code == 204
        refused = client.post("/v1/check", json=CLAIM, headers=FROM_APP)
        assert refused.status_code == 401
        assert refused.headers["access-control-allow-origin"] == APP
        keyed = {**FROM_APP, "Authorization": f"Bearer {KEY}"}
        assert client.post("/v1/check", json=CLAIM, headers=keyed).status_code == 200


def test_every_origin_is_let_in_only_where_nobody_needs_a_key(checker: Checker) -> None:
    with TestClient(create_app(checker, cors_origins=["*"])) as client:
        assert client.post("/v1/check", json=CLAIM, headers=ELSEWHERE).status_code == 200
    with pytest.raises(InputError, match="name the origins"):
        create_app(checker, keys=Keys([KEY]), cors_origins=["*"])


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("https://App.Example", "https://app.example"),
        ("https://app.example:443", "https://app.example"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
    ],
)
def test_an_origin_is_known_as_browsers_write_it(given: str, asked: str) -> None:
    assert asked in AllowedOrigins([given])


@pytest.mark.parametrize(
    "given",
    [
        "app.example",
        "https://app.example/",
        "https://*.example",
        "ftp://a",
        "null",
        "",
        "https://a@b",
        "http://a:x",
        "https://a?",
    ],
)
def test_what_is_no_origin_is_told(given: str) -> None:
    with pytest.raises(InputError, match="is not an origin; write the scheme, the name and the port alone"):
        AllowedOrigins([given])


def test_the_command_refuses_what_is_no_origin() -> None:
    done = veritab("serve", "--port", "0", "--cors-origin", "app.example")
    assert done.code == 2
    assert "'app.example' is not an origin" in done.err
