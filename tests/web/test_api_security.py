"""What the malicious send: names that climb, markup, odd characters, headers in disguise, pages of other sites."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from tests.web.serving import Waiting, exchange, served
from tests.web.test_api import is_problem
from veritab.pipeline import Checker
from veritab.web.app import create_app
from veritab.web.guards import SECURITY

CLIMBING = [
    "../../etc/passwd",
    "..%2F..%2Fetc%2Fpasswd",
    "....//....//etc/passwd",
    "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "C:\\windows\\win.ini",
    "..\\..\\pyproject.toml",
    ".",
    "..",
]
ODD = [
    "--help",
    "-rf",
    "--corpus=/etc",
    "\x00",
    "K2\x00.wiki",
    "a\r\nSet-Cookie: x=1",
    "‮ҳ̸🏔",
    "\u0000\u0001",
    "K2'; DROP TABLE page; --",
    "%",
    "%00",
    "*" * 300,
    "a" * 5000,
    " ",
    "<script>alert(1)</script>",
    "{title}",
    "${7*7}{{7*7}}",
]


@pytest.mark.parametrize("name", CLIMBING + ODD, ids=lambda name: ascii(name[:24]))
@pytest.mark.parametrize("place", ["/v1/pages/", "/v1/elements/"])
def test_a_name_is_looked_up_in_the_corpus_and_nowhere_else(client: TestClient, place: str, name: str) -> None:
    answer = client.get(place + quote(name, safe=""))
    assert is_problem(answer, answer.status_code)["status"] in (400, 404)
    assert "root:" not in answer.text
    assert "set-cookie" not in answer.headers
    assert set(SECURITY) <= {name for name in SECURITY if answer.headers[name] == SECURITY[name]}


@pytest.mark.parametrize("suffix", ["_sentence_0", "_cell_0_0_0", "_title"])
@pytest.mark.parametrize("name", CLIMBING + ODD, ids=lambda name: ascii(name[:24]))
def test_an_id_on_a_page_of_that_name_is_not_there(client: TestClient, name: str, suffix: str) -> None:
    answer = client.get("/v1/elements/" + quote(name + suffix, safe=""))
    assert is_problem(answer, answer.status_code)["status"] in (400, 404)


def test_an_id_with_numbers_beyond_all_bounds_is_not_there(client: TestClient) -> None:
    for name in ("K2_sentence_999999999", "K2_cell_99999999_0_0", "K2_sentence_-1", "K2_sentence_9" + "9" * 1000):
        answer = client.get(f"/v1/elements/{name}")
        assert is_problem(answer, answer.status_code)["status"] in (400, 404)


@pytest.mark.parametrize(
    "claim",
    [
        "<script>alert(1)</script> is higher than K2.",
        "K2 is <img src=x onerror=alert(1)> m high.",
        "--help",
        "-",
        "K2 ‮is 🏔🏔 higher \u200bthan\u00a0Mount Everest.",
        "ｋ２ ｉｓ ８６１１ ｍ ｈｉｇｈ．",
        "'; DROP TABLE page; -- is higher than K2.",
        '"title:K2" AND kind:table OR (page:"',
        "a" * 2000,
        "1" * 2000,
        "(" * 2000,
        "ä́̂" * 600,
        "\U0010ffff",
    ],
    ids=lambda claim: ascii(claim[:24]),
)
def test_whatever_a_claim_holds_it_is_data(client: TestClient, claim: str) -> None:
    for answer in (client.post("/v1/check", json={"claim": claim}), client.get("/v1/search", params={"q": claim})):
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"] == SECURITY["Content-Security-Policy"]


def test_a_policy_allows_no_script_that_is_not_a_file_of_ours(client: TestClient) -> None:
    policy = client.get("/healthz").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "http" not in policy


def test_no_answer_sets_a_cookie_or_lets_other_sites_read(client: TestClient) -> None:
    for path in ("/v1/pages/K2", "/healthz", "/nowhere", "/openapi.json"):
        answer = client.get(path, headers={"origin": "https://elsewhere.example"})
        assert not [name for name in answer.headers if name.startswith(("set-cookie", "access-control-"))]
    asked = {"origin": "https://elsewhere.example", "access-control-request-method": "POST"}
    answer = client.options("/v1/check", headers=asked)
    is_problem(answer, 405)
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"origin": "http://testserver"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "https://elsewhere.example"}, 403),
        ({"origin": "http://testserver:81"}, 403),
        ({"origin": "http://testserver.elsewhere.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://["}, 403),
        ({"origin": "http://testserver", "sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_a_page_of_another_site_may_not_post(client: TestClient, headers: dict[str, str], status: int) -> None:
    answer = client.post("/v1/search", json={"query": "moon"}, headers=headers)
    assert answer.status_code == status
    if status != 200:
        is_problem(answer, status)


def test_a_local_server_answers_to_its_own_names_only(checker: Checker) -> None:
    client = TestClient(create_app(checker, hosts=["localhost", "127.0.0.1", "::1"], pages=False))
    for host in ("localhost", "LOCALHOST:8321", "127.0.0.1:1", "[::1]:8321"):
        assert client.get("/v1/pages/K2", headers={"host": host}).status_code == 200
    for host in ("elsewhere.example", "localhost.elsewhere.example", "", "[", "127.0.0.1.elsewhere.example:80", "a@b"):
        told = is_problem(client.get("/v1/pages/K2", headers={"host": host}), 421)
        assert "--allow-host" in told["detail"]


def test_nothing_of_a_request_becomes_a_header_of_its_answer() -> None:
    waiting = Waiting()
    waiting.go.set()
    with served(create_app(waiting, pages=False)) as (_, address):  # type: ignore[arg-type]
        for path in (
            b"/%0d%0aSet-Cookie:%20a=b",
            b"/v1/elements/%0d%0aX-Injected:%201",
            b"/v1/check?claim=%0d%0aX-A:b",
        ):
            answer = exchange(address, b"GET " + path + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            head = answer.partition(b"\r\n\r\n")[0].lower()
            assert not [line for line in head.split(b"\r\n") if line.startswith((b"set-cookie", b"x-injected", b"x-a"))]
        bad = exchange(address, b"GET /healthz HTTP/1.1\r\nHost: a\x00b\r\nConnection: close\r\n\r\n")
        assert bad.startswith(b"HTTP/1.1 400 ")


def test_the_host_that_a_request_names_appears_in_no_answer(client: TestClient) -> None:
    for path in ("/openapi.json", "/nowhere", "/v1/pages", "/v1/pages/K2", "/metrics"):
        answer = client.get(path, headers={"host": "elsewhere.example"})
        assert "elsewhere.example" not in answer.text
        assert "elsewhere.example" not in json.dumps(dict(answer.headers))
