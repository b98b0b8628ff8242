"""Originals beside the verdict: the page of a PDF with its marks, the sheet with its cells, for who may see them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from tests.web.seen import drawn, words
from tests.web.six_documents import CLAIM, write_six_documents
from tests.web.test_uploads import bring, finished, serving, visitor
from veritab.pipeline import Checker

REPORT = "Annual report of Port Selva"


@pytest.fixture(scope="module")
def client(checker: Checker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with serving(checker, tmp_path_factory.mktemp("originals")) as asking:
        yield asking


@pytest.fixture(scope="module")
def token(client: TestClient, tmp_path_factory: pytest.TempPathFactory) -> str:
    files = write_six_documents(tmp_path_factory.mktemp("six"))
    brought = bring(client, *((path.name, path.read_bytes()) for path in files))
    assert finished(client, brought)["state"] == "ready"
    return brought


def yellow(content: bytes) -> int:
    """How many pixels are marked."""
    with Image.open(io.BytesIO(content)) as picture:
        red, green, blue = np.moveaxis(np.asarray(picture.convert("RGB")), -1, 0)
    return int(((red > 200) & (green > 190) & (blue < 190)).sum())


def test_evidence_leads_to_its_page_of_the_original_with_marks(client: TestClient, token: str) -> None:
    verdict = drawn(client, f"/check?{urlencode({'claim': CLAIM, 'corpus': token})}")
    assert words(verdict, ".card a.original")[0] == "See page 2 of annual report.pdf"
    page = drawn(client, verdict.cssselect(".card a.original")[0].attrib["href"])
    (picture,) = page.cssselect("#original img")
    assert picture.attrib["alt"].startswith("Page 2 of annual report.pdf, with the evidence marked")
    marked = client.get(picture.attrib["src"])
    assert marked.headers["content-type"] == "image/png"
    assert marked.headers["cache-control"].startswith("private")
    plain = client.get("/original.png", params={"title": REPORT, "page": 2, "corpus": token})
    assert yellow(plain.content) == 0
    assert yellow(marked.content) > 1000


def test_a_sheet_is_shown_with_its_cells(client: TestClient, token: str) -> None:
    page = drawn(client, f"/original?title=budget&mark=cell_0_1_2&corpus={token}")
    assert words(page, "table.sheet td.evidence") == ["Evidence: 515"]
    assert words(page, "table.sheet thead th") == ["A", "B", "C"]


def test_the_page_of_a_document_leads_to_its_original_and_names_the_file(client: TestClient, token: str) -> None:
    page = drawn(client, f"/page?{urlencode({'title': REPORT, 'mark': 'cell_0_1_1', 'corpus': token})}")
    assert "Source: annual report.pdf" in words(page, ".document header")[0]
    assert "page=2" in page.cssselect(".document header a")[0].attrib["href"]
    notes = client.get("/page", params={"title": "notes", "corpus": token}).text
    assert "See the original" not in notes  # a text has no pages


def test_originals_are_as_private_as_their_documents(client: TestClient, token: str) -> None:
    stranger = visitor(client)
    for path in ("/original", "/original.png"):
        assert stranger.get(path, params={"title": REPORT, "page": 2}).status_code == 404
        assert stranger.get(path, params={"title": REPORT, "page": 2, "corpus": "guess"}).status_code == 404


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"title": REPORT, "page": "3"}, 404),
        ({"title": REPORT, "page": "0"}, 400),
        ({"title": REPORT, "page": "2001"}, 400),
        ({"title": REPORT, "page": "x"}, 400),
        ({"title": "", "page": "1"}, 400),
        ({"title": "nobody", "page": "1"}, 404),
        ({"title": "x" * 5000, "page": "1"}, 400),
        ({"title": "notes", "page": "1"}, 400),
        ({"title": REPORT, "page": "1", "mark": ["nonsense"] * 900}, 200),
    ],
)
def test_what_cannot_be_shown_is_told(client: TestClient, token: str, asked: dict[str, str], status: int) -> None:
    assert client.get("/original.png", params={**asked, "corpus": token}).status_code == status


def test_a_page_without_an_original_says_so(client: TestClient) -> None:
    answer = client.get("/original", params={"title": "K2"})
    assert answer.status_code == 404
    assert "no original to show" in answer.text


def test_the_original_is_kept_with_a_kept_corpus(checker: Checker, tmp_path: Path) -> None:
    report, *_ = write_six_documents(tmp_path)
    with serving(checker, tmp_path, keep_in=tmp_path / "kept") as client:
        brought = bring(client, (report.name, report.read_bytes()))
        assert finished(client, brought)["documents"][0]["pages"] == 2
        client.post(f"/documents/{brought}/keep", data={"name": "Selva"})
    with serving(checker, tmp_path, keep_in=tmp_path / "kept") as client:
        assert client.get("/original.png", params={"title": REPORT, "page": 2, "corpus": "Selva"}).status_code == 200
