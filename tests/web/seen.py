"""Pages as tests look at them."""

from __future__ import annotations

from lxml import html
from starlette.testclient import TestClient

BROWSER = {"Accept": "text/html"}


def drawn(client: TestClient, path: str, status: int = 200) -> html.HtmlElement:
    """The page at a path, as a browser asks for it."""
    answer = client.get(path, headers=BROWSER)
    assert answer.status_code == status, answer.text[:500]
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return html.document_fromstring(answer.text)


def words(element: html.HtmlElement, query: str) -> list[str]:
    """The texts of what a selector finds."""
    return [" ".join(found.text_content().split()) for found in element.cssselect(query)]
