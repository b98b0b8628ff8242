"""Several corpora side by side: chosen in the address, and never mixed up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.web.serving import without_models
from veritab.errors import InputError
from veritab.pipeline import Checker
from veritab.retrieve.index import build_index
from veritab.web.app import create_app
from veritab.web.corpora import Corpora

LAKES = "# Lakes\n\nLake Onda is 31 m deep and lies in the north.\n"


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    from veritab.corpus.ingest import Ingest
    from veritab.corpus.store import Store

    folder = tmp_path_factory.mktemp("corpora")
    (folder / "documents").mkdir()
    (folder / "documents" / "onda.md").write_text(LAKES)
    with Store.create(folder / "lakes") as store:
        list(Ingest(store, [folder / "documents"], workers=1))
        list(build_index(store))
    with Checker.open(folder / "lakes", without_models()) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(checker: Checker, lakes: Checker) -> Iterator[TestClient]:
    with TestClient(create_app(Corpora([checker, lakes])), raise_server_exceptions=False) as asking:
        yield asking


def test_the_first_corpus_answers_where_none_is_named(client: TestClient) -> None:
    assert client.get("/v1/check", params={"claim": "K2 is a mountain."}).json()["corpus"]["name"] == "almanac"


@pytest.mark.parametrize("ask", ["/v1/search?q=lake+onda", "/v1/pages/onda", "/v1/elements/onda_sentence_0"])
def test_what_is_looked_up_is_in_the_corpus_that_is_named(client: TestClient, ask: str) -> None:
    joint = "&" if "?" in ask else "?"
    assert "31 m" in client.get(f"{ask}{joint}corpus=lakes").text
    assert "31 m" not in client.get(ask).text


def test_a_verdict_names_the_corpus_it_was_asked_of(client: TestClient) -> None:
    verdict = client.post("/v1/check?corpus=lakes", json={"claim": "Lake Onda is 31 m deep."}).json()
    assert verdict["corpus"]["name"] == "lakes"


def test_a_corpus_that_is_not_there_is_told_with_those_that_are(client: TestClient) -> None:
    told = client.get("/v1/check", params={"claim": "x", "corpus": "seas"})
    assert told.status_code == 404
    assert told.json()["detail"] == "no corpus 'seas' on this server; it has almanac, lakes"


def test_every_link_of_a_page_stays_in_its_corpus(client: TestClient) -> None:
    page = client.get("/search?corpus=lakes&q=onda").text
    assert 'href="/text?corpus=lakes"' in page
    assert "/page?title=Lakes&amp;corpus=lakes" in page
    assert '<input type="hidden" name="corpus" value="lakes">' in page


def test_a_file_of_claims_is_checked_against_its_corpus(client: TestClient) -> None:
    sent = client.post("/file?corpus=lakes", files={"file": ("c.txt", b"Lake Onda is deep.\n")})
    assert sent.url.params["corpus"] == "lakes"
    assert "lakes" in sent.text


def test_two_corpora_of_one_name_are_refused(checker: Checker) -> None:
    with pytest.raises(InputError, match="two corpora are called 'almanac'"):
        Corpora([checker, checker])
