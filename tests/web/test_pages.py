"""The pages as a browser without script sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, quote_plus, urlsplit

import pytest
from lxml import html
from starlette.testclient import TestClient

from tests.web.hostile import BREAKING, HARM, IMAGE, SCRIPT, TITLES, hostile
from tests.web.seen import BROWSER, drawn, words
from tests.web.serving import until
from veritab.pipeline import Checker
from veritab.render.html import VerdictHtml
from veritab.render.json import certificate_from_json
from veritab.render.tables import excerpt_hits, excerpt_table, table_finder
from veritab.render.view import LABELS, VerdictView
from veritab.schema import (
    Cell,
    Certificate,
    Claim,
    ElementId,
    Hit,
    Kind,
    Label,
    ModelUse,
    Page,
    Sentence,
    TableBlock,
    Verdict,
)
from veritab.web.app import create_app
from veritab.web.pages import documents
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.examples import ALMANAC

CLAIM = "Mount Everest is taller than K2."


@pytest.fixture(scope="module")
def harm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    with hostile(tmp_path_factory.mktemp("hostile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def harmed(harm: Checker) -> Iterator[TestClient]:
    with TestClient(create_app(harm), raise_server_exceptions=False, headers=BROWSER) as asking:
        yield asking


# -- checking ----------------------------------------------------------------------------------------------


def test_the_first_page_has_a_box_and_examples_that_lead_to_their_verdicts(client: TestClient) -> None:
    page = drawn(client, "/")
    assert page.cssselect("form.claim textarea[name=claim]")
    examples = page.cssselect(".examples a")
    assert len(examples) >= 4
    first = drawn(client, examples[0].get("href"))
    assert first.cssselect("#claim")[0].text == examples[0].text


def test_a_verdict_shows_its_label_its_scores_and_its_evidence(client: TestClient, checker: Checker) -> None:
    page = drawn(client, f"/check?claim={quote_plus(CLAIM)}")
    verdict = checker.check(CLAIM)
    assert words(page, "h1") == [LABELS[verdict.label].words]
    assert len(page.cssselect(".score")) == 3
    assert page.cssselect(".score rect.fill")[0].get("width") == f"{100 * verdict.scores[Label.SUPPORTS]:.1f}%"
    assert page.cssselect(".card table td.evidence, .card table th.evidence")
    assert page.cssselect(".card blockquote mark")
    assert "226 pages" in words(page, ".certificate dl")[0]


def test_every_piece_of_evidence_leads_to_its_place_on_its_page(client: TestClient) -> None:
    page = drawn(client, f"/check?claim={quote_plus(CLAIM)}")
    for link in page.cssselect(".card footer a")[:4]:
        address = urlsplit(link.get("href"))
        shown = drawn(client, link.get("href"))
        assert address.fragment in parse_qs(address.query)["mark"]
        target = shown.get_element_by_id(address.fragment)
        assert {"marked", "evidence"} & set(target.get("class", "").split())


@pytest.mark.parametrize("claim", ["", "   ", "?!", "\u200b"])
def test_a_claim_that_says_nothing_leads_back_to_the_box(client: TestClient, claim: str) -> None:
    answer = client.get("/check", params={"claim": claim}, headers=BROWSER, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_too_long_a_claim_is_told_what_to_do_in_the_same_look(client: TestClient) -> None:
    page = drawn(client, f"/check?claim={'a' * 2001}", 400)
    assert "so cut it into sentences" in words(page, ".error")[0]
    assert page.cssselect("header.site nav a")


def test_the_word_of_a_language_model_is_called_so_and_not_calibrated() -> None:
    scores = {label: float(label is Label.SUPPORTS) for label in Label}
    verdict = Verdict(
        Claim("", CLAIM),
        Label.SUPPORTS,
        scores,
        (),
        (),
        Certificate(by="llm", calibrated=False, model=ModelUse("tiny")),
    )
    entries = {entry.name: entry.text for entry in VerdictView(verdict).entries}
    assert entries == {"Confidence": "over 99 %, not calibrated", "Language model": "tiny"}


def test_a_busy_server_says_when_to_come_back(checker: Checker) -> None:
    app = create_app(checker)
    app.state.workers.refuse()
    page = drawn(TestClient(app), f"/check?claim={quote_plus(CLAIM)}", 503)
    assert words(page, "h1") == ["Busy just now"]
    assert "Try again in 5 seconds" in words(page, ".error")[0]


def test_a_permanent_link_says_when_the_corpus_has_changed(client: TestClient, checker: Checker) -> None:
    page = drawn(client, f"/check?claim={quote_plus(CLAIM)}")
    link = page.cssselect("#link")[0].get("value")
    assert f"at={checker.corpus['revision']}" in link
    assert not drawn(client, link).cssselect(".notice")
    assert "has changed" in words(drawn(client, link.replace("at=", "at=older")), ".notice")[0]


@pytest.mark.parametrize(("format", "media_type"), [("html", "text/html; charset=utf-8"), ("json", "application/json")])
def test_a_report_is_a_file_to_keep(client: TestClient, format: str, media_type: str) -> None:
    answer = client.get("/report", params={"claim": CLAIM, "format": format})
    assert answer.headers["content-type"] == media_type
    name = answer.headers["content-disposition"]
    assert name == f'attachment; filename="veritab-mount-everest-is-taller-than-k2.{format}"'
    assert CLAIM in answer.text


def test_the_name_of_a_report_cannot_break_its_header(client: TestClient) -> None:
    answer = client.get("/report", params={"claim": 'Ü"; x=y\r\nSet-Cookie: a=b \\ é', "format": "json"})
    assert answer.status_code == 200
    assert re.fullmatch(r'attachment; filename="veritab-[a-z0-9-]+\.json"', answer.headers["content-disposition"])
    assert "set-cookie" not in answer.headers


def test_a_report_in_no_known_format_is_refused(client: TestClient) -> None:
    drawn(client, "/report?claim=x&format=exe", 400)


@pytest.mark.slow
def test_the_examples_of_the_first_page_get_the_right_verdicts() -> None:
    right = dict(zip(ALMANAC, "RSSRSN", strict=True))
    with Checker.open() as opened:
        assert {verdict.claim.text: verdict.label[0] for verdict in opened.check_many(ALMANAC)} == right


# -- what a certificate says -------------------------------------------------------------------------------


def full_verdict(checker: Checker) -> Verdict:
    found = [ElementId.parse(id) for id in ("K2_sentence_0", "K2_cell_0_2_1", "K2_header_cell_0_2_0", "K2_sentence_2")]
    hits = tuple(Hit(checker.store.element(id), 0.9, "selector") for id in found)
    scores = {Label.SUPPORTS: 0.0004, Label.REFUTES: 0.9981, Label.NOT_ENOUGH_INFO: 0.0015}
    ids = ["K2_sentence_0", "K2_sentence_9"]
    certificate = certificate_from_json(
        {
            "confidence": 0.9981,
            "smallest": ["K2_cell_0_2_1"],
            "flips": [{"id": "K2_cell_0_2_1", "to": "NOT ENOUGH INFO"}],
            "searched": {"pages": 226, "read": ["K2"] * 20, "candidates": 40},
            "parts": [{"text": "K2 is low", "label": "REFUTES", "scores": {"REFUTES": 0.9}, "evidence": ids}],
            "missing": ["is flat"],
            "facts": [{"text": "a fact", "cells": ["K2_cell_0_2_1"]}],
            "model": "verdict",
            "sha256": "abc",
        }
    )
    return Verdict(Claim("", "K2 is 12 m high."), Label.REFUTES, scores, hits, ("8,611 is not 12",), certificate)


def shown(verdict: Verdict, checker: Checker) -> html.HtmlElement:
    """A verdict as its page shows it."""
    drawn = VerdictHtml(verdict, table_finder(checker.store), PageAddresses())
    return html.fragment_fromstring(
        "".join((drawn.scores, drawn.missing, drawn.parts, drawn.reasoning, drawn.evidence, drawn.certificate)), "div"
    )


def test_the_certificate_names_what_is_enough_and_what_would_change_the_verdict(checker: Checker) -> None:
    view = VerdictView(full_verdict(checker))
    assert view.confidence == "over 99 %"
    assert [share.text for share in view.shares] == ["under 1 %", "over 99 %", "under 1 %"]
    entries = {entry.name: entry for entry in view.entries}
    assert [(name.text, words) for name, words in entries["Enough for the verdict"].evidence] == [
        ("8,611 m (28,251 ft)", "")
    ]
    assert [(name.text, words) for name, words in entries["What would change it"].evidence] == [
        ("8,611 m (28,251 ft)", "without it: NOT ENOUGH INFO")
    ]
    assert [(part.view.label, part.percent) for part in view.parts] == [(Label.REFUTES, "90 %")]
    assert [hit.element.text[:5] for card in view.parts[0].cards for hit in card.hits] == ["K2 is"]
    page = shown(full_verdict(checker), checker)
    assert "and 8 more" in words(page, "dl")[0]
    assert page.cssselect("details .reasons a")[0].get("href") == "/page?title=K2&mark=cell_0_2_1#cell_0_2_1"


def test_the_place_that_is_enough_alone_comes_first(checker: Checker) -> None:
    page = shown(full_verdict(checker), checker)
    (own,) = page.cssselect(".claim-parts .card")
    assert own.get("class") == "card key"
    cards = page.xpath("./article")
    assert [card.get("class") for card in cards] == ["card key", "card"]
    assert len(cards[0].cssselect(".evidence.key")) == 1
    assert [cell.tag for cell in cards[0].cssselect(".near")] == ["th"]


def test_where_all_evidence_is_needed_no_piece_stands_out(checker: Checker) -> None:
    verdict = full_verdict(checker)
    page = checker.store.page("K2")
    hits = tuple(Hit(element, 1.0, "x") for element in page.elements if element.kind is Kind.SENTENCE)
    certificate = Certificate(smallest=tuple(hit.element.id for hit in hits))
    view = VerdictView(replace(verdict, evidence=hits, certificate=certificate))
    assert view.takes_all
    assert not any(card.is_key for card in view.cards)
    assert f"no part smaller than all {len(hits)} pieces" in [entry.text for entry in view.entries][1]


def test_evidence_of_a_page_that_is_gone_is_still_shown(checker: Checker) -> None:
    gone = Page("Gone", (TableBlock(0, ((Cell("a", header=True),), (Cell("b"),))), Sentence(0, "It was here.")))
    hits = tuple(Hit(element, 1.0, "x") for element in gone.elements if element.kind in (Kind.CELL, Kind.SENTENCE))
    page = shown(replace(full_verdict(checker), evidence=hits), checker)
    assert set(words(page, ".card h3")) == {"Gone"}


def test_a_verdict_page_draws_parts_missing_words_and_flips(
    client: TestClient, checker: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker, "check", lambda _: full_verdict(checker))
    page = drawn(client, "/check?claim=K2+is+12+m+high.")
    assert words(page, ".missing li") == ["is flat"]
    assert "K2 is low" in words(page, ".claim-parts li")[0]
    assert "without it: NOT ENOUGH INFO" in words(page, ".certificate")[0]


@pytest.mark.parametrize(("format", "begins"), [("csv", b"number,id,claim,"), ("xlsx", b"PK"), ("annotations", b"{")])
def test_every_download_that_the_page_offers_is_a_file(
    client: TestClient, checker: Checker, monkeypatch: pytest.MonkeyPatch, format: str, begins: bytes
) -> None:
    monkeypatch.setattr(checker, "check", lambda _: full_verdict(checker))
    page = drawn(client, "/check?claim=K2+is+12+m+high.")
    (href,) = (
        link.get("href") for link in page.cssselect(".downloads a") if link.get("href").endswith(f"format={format}")
    )
    answer = client.get(href)
    assert answer.status_code == 200
    assert answer.content.startswith(begins)
    assert answer.headers["content-disposition"].startswith("attachment")


# -- pages of the corpus -----------------------------------------------------------------------------------


def test_a_page_is_shown_whole_with_its_links_to_other_pages(harmed: TestClient) -> None:
    page = drawn(harmed, "/page?title=Mount+Everest&mark=cell_0_1_1")
    assert words(page, "h1") == ["Mount Everest"]
    assert page.get_element_by_id("cell_0_1_1").get("class") == "evidence"
    links = {link.text: link.get("href") for link in page.cssselect("article a")}
    assert links == {"Nepal": "/page?title=Nepal"}, "links to pages that the corpus lacks are plain"


def test_a_redirect_leads_to_its_page_and_says_so(harmed: TestClient) -> None:
    assert "Chomolungma leads here" in words(drawn(harmed, "/page?title=Chomolungma"), "article header")[0]


def test_lists_keep_their_shape_and_tables_their_headers(harmed: TestClient) -> None:
    page = drawn(harmed, f"/page?title={quote_plus(HARM.title)}")
    assert len(page.cssselect("#list_0 > li")) == 2
    assert len(page.cssselect("#list_0 > li > ol > li")) == 1
    assert [th.get("scope") for th in page.cssselect("table th")] == ["col", "col", "row", "row"]


def test_an_element_that_is_not_there_is_told(harmed: TestClient) -> None:
    assert "no element cell_9_9_9" in words(drawn(harmed, "/page?title=Nepal&mark=cell_9_9_9"), ".notice")[0]


@pytest.mark.parametrize("title", TITLES)
def test_any_title_can_be_opened(harmed: TestClient, title: str) -> None:
    page = drawn(harmed, PageAddresses().page(title))
    assert words(page, "h1") == [title]


@pytest.mark.parametrize("path", ["/page?title=../../../etc/passwd%00", "/page?title=nix", "/static/../app.py", "/nix"])
def test_what_is_not_there_is_a_page_that_says_so(client: TestClient, path: str) -> None:
    assert drawn(client, path, 404).cssselect(".error h1")


def test_a_page_needs_a_title(client: TestClient) -> None:
    drawn(client, "/page", 400)


def test_programs_get_problems_as_json_even_from_pages(client: TestClient) -> None:
    answer = client.get("/page?title=nix", headers={"Accept": "application/json"})
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_long_table_is_cut_and_says_how_much_is_left_out() -> None:
    rows = tuple((Cell(f"{number}"),) for number in range(documents.MOST_ROWS + 5))
    (table,) = Page("Long", (TableBlock(0, rows),)).tables
    excerpt = excerpt_table(table, most_rows=documents.MOST_ROWS, most_columns=documents.MOST_COLUMNS)
    assert [row.left_out for row in excerpt.rows if row.left_out] == [5]


def test_sentences_of_one_paragraph_stay_together() -> None:
    page = Page("P", (Sentence(0, "One."), Sentence(1, "Two.", offset=5), Sentence(2, "Three.")))
    blocks = documents.PageView(page).blocks()
    paragraphs = [block for block in blocks if isinstance(block, documents.ParagraphView)]
    assert [len(block.elements) for block in paragraphs] == [2, 1]


# -- searching ---------------------------------------------------------------------------------------------


def test_search_marks_words_and_leads_to_elements(client: TestClient) -> None:
    page = drawn(client, "/search?q=everest+height&kind=cell")
    found = page.cssselect(".found h2 a")
    assert found
    assert all("mark=" in link.get("href") for link in found)
    assert "Everest" in words(page, ".found mark")


def test_search_that_finds_nothing_proposes_titles(client: TestClient) -> None:
    page = drawn(client, "/search?q=everset")
    assert "Mount Everest" in words(page, ".empty a")


def test_search_without_words_shows_some_pages(client: TestClient) -> None:
    assert len(drawn(client, "/search").cssselect(".titles li")) > 10


def test_search_for_no_known_kind_is_refused(client: TestClient) -> None:
    drawn(client, "/search?q=a&kind=nix", 400)


def test_suggestions_are_titles_with_their_addresses(client: TestClient) -> None:
    assert client.get("/suggest?q=mount+ev").json()[0] == {
        "title": "Mount Everest",
        "href": "/page?title=Mount+Everest",
    }
    assert client.get("/suggest?q=").json() == []


# -- harm --------------------------------------------------------------------------------------------------


def everything_of(client: TestClient) -> Iterator[str]:
    for text in (SCRIPT, IMAGE, BREAKING, HARM.title):
        for path in ("/check?claim=", "/search?q=", "/page?title=", "/page?title=Nepal&mark=", "/search?kind=", "/"):
            yield client.get(path + quote_plus(text)).text
        yield client.get(f"/check?claim=x+y&at={quote_plus(text)}").text
        yield client.post("/file", files={"file": (text, b"")}).text
        for sent in ({"data": {"text": f"{text} is high. Everest {text} is higher."}}, {}):
            path, given = (
                ("/text", sent) if sent else ("/file", {"files": {"file": (text, f"Everest {text}".encode())}})
            )
            answer = client.post(path, follow_redirects=False, **given)
            if answer.status_code == 303:
                until(lambda at=answer: client.get(f"{at.headers['location']}/progress").json()["over"], 20)
                yield client.get(answer.headers["location"]).text
    yield client.get("/check?claim=Harmful+mountain+number+7+is+8,000+high").text


def test_no_markup_from_outside_reaches_any_page(harmed: TestClient) -> None:
    seen = 0
    for text in everything_of(harmed):
        seen += "harmed" in text
        page = html.document_fromstring(text)
        assert [script.get("src", "").split("?")[0] for script in page.iter("script")] == ["/static/veritab.js"]
        assert all(image.get("src", "").startswith("/static/") for image in page.iter("img"))
        names = {str(name) for each in page.iter() for name in each.attrib}
        assert not [name for name in names if name.startswith("on") or name == "style"]
        links = [link.get("href", "") for link in page.iter("a")]
        assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in links)
    assert seen > 20


def test_pages_load_nothing_from_elsewhere_and_have_no_inline_script_or_style(client: TestClient) -> None:
    for path in ("/", f"/check?claim={quote_plus(CLAIM)}", "/page?title=K2", "/search?q=k2", "/text", "/file", "/nix"):
        answer = client.get(path, headers=BROWSER)
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        page = html.document_fromstring(answer.text)
        assert not page.cssselect("style, [style], script:not([src]), iframe, object, base")
        loaded = [each.get("src") or each.get("href") or "" for each in page.cssselect("script, link, img")]
        assert loaded
        assert all(address.startswith("/static/") for address in loaded)


def test_static_files_may_be_kept_and_carry_their_digest(client: TestClient) -> None:
    page = drawn(client, "/")
    answer = client.get(page.cssselect("link[rel=stylesheet]")[0].get("href"))
    assert "immutable" in answer.headers["cache-control"]
    other = client.get("/static/veritab.css?0123456789ab")  # as a page of another version names it
    assert "immutable" not in other.headers["cache-control"]
    assert answer.headers["content-type"] == "text/css; charset=utf-8"


def test_a_form_of_another_site_is_refused(client: TestClient) -> None:
    answer = client.post("/text", data={"text": "x"}, headers={"Sec-Fetch-Site": "cross-site", **BROWSER})
    assert answer.status_code == 403


def test_examples_of_another_corpus_are_its_own_sentences(harmed: TestClient, harm: Checker, tmp_path: Path) -> None:
    examples = words(drawn(harmed, "/"), ".examples li")
    texts = {block.text for page in harm.store.pages() for block in page.blocks if isinstance(block, Sentence)}
    assert examples
    assert set(examples) <= texts


def test_of_a_wide_table_only_what_matters_is_drawn() -> None:
    header = tuple(Cell(f"h{number}", header=True) for number in range(9))
    rows = tuple(tuple(Cell(f"{row}.{column}") for column in range(9)) for row in range(20))
    page = Page("Wide", (TableBlock(0, (header, *rows)),))
    element = page.element(ElementId("Wide", Kind.CELL, (0, 10, 7)))
    excerpt = excerpt_hits([Hit(element, 1.0, "x")], page.tables[0])
    assert not excerpt.is_whole
    assert [cell.text for cell in excerpt.rows[0].cells] == ["h0", "h1", "…", "h7", "…"]
    assert [cell.is_near for cell in excerpt.rows[0].cells] == [False, False, False, True, False]
    assert len([row for row in excerpt.rows[1:] if row.cells]) < 8
