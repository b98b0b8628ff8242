"""The report: one page that needs nothing else, with a place for every error."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.evaluate.sample_runs import made_run
from veritab.errors import NotFound
from veritab.evaluate.attribution import Fault
from veritab.evaluate.error_pages import choose
from veritab.evaluate.report import p_in_words, report, write_report
from veritab.evaluate.scored_runs import ScoredRun

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Read(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.said: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        self.ids.update(filter(None, [given.get("id")]))
        self.links += filter(None, [given.get("href")])
        if tag not in ("meta", "input", "br", "hr", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        self.said.append(data)


@pytest.fixture
def runs(tmp_path: Path) -> list[ScoredRun]:
    return [
        made_run(tmp_path, "first", wrong=range(6), bare=(1, 8)),
        made_run(tmp_path, "second", wrong=(2, 9), oracle="evidence"),
    ]


def test_the_page_is_whole_and_its_links_lead_somewhere(runs: list[ScoredRun]) -> None:
    page = Read(report(runs))
    assert not page.unbalanced
    assert not page.open
    assert page.links
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert max(page.ids.values()) == 1


def test_the_page_runs_nothing_and_fetches_nothing(runs: list[ScoredRun]) -> None:
    html = report(runs)
    page = Read(html)
    assert not page.tags.keys() & {"script", "img", "iframe", "link", "object", "form"}
    assert set(re.findall(r"https?://[^\s\"'<)]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in html.replace("&#x27;", "'")
    assert page.tags["svg"] >= 4


def test_every_error_has_a_place_with_gold_and_answers(runs: list[ScoredRun]) -> None:
    html = report(runs)
    wrong = {result.id for run in runs for result in run.results if result.fault is not Fault.NONE}
    assert Read(html).tags["article"] == len(wrong) == 8
    article = html[html.index('id="claim-2"') : html.index('id="claim-3"')]
    assert "Claim 1 of 0 is about page 1." in article
    assert "Page 1_sentence_1" in article
    assert str(Fault.PAGE) in article
    assert "No evidence was found." in article


def test_one_run_alone_has_no_comparison(runs: list[ScoredRun]) -> None:
    ids = Read(report(runs[:1])).ids
    assert {"scores", "faults", "slices", "errors"} <= set(ids)
    assert not {"tests", "changed", "differences", "stages", "curve"} & set(ids)


def test_several_runs_have_tests_changes_and_costs(runs: list[ScoredRun]) -> None:
    page = Read(report(runs))
    assert {"tests", "changed", "differences", "stages"} <= set(page.ids)
    assert {"mended", "broken", "exact McNemar", "second against first"} <= set(page.said)


def test_a_run_without_errors_says_so(tmp_path: Path) -> None:
    page = Read(report([made_run(tmp_path, "perfect")]))
    assert "There are none." in page.said
    assert page.tags["article"] == 0


def test_what_a_claim_or_a_run_says_cannot_become_markup(tmp_path: Path) -> None:
    run = made_run(tmp_path, "<b>run", wrong=(0,))
    hostile = "<script>alert(1)</script>\"'&"
    first, *others = run.results
    told = first._replace(claim=hostile, challenge=hostile, evidence=(("<i>_sentence_0",),))
    page = Read(report([replace(run, results=(told, *others))]))
    assert not page.tags.keys() & {"script", "i", "b"}
    assert hostile in "".join(page.said)
    assert not page.unbalanced


def test_errors_are_chosen_of_every_kind(tmp_path: Path) -> None:
    run = made_run(tmp_path, "run", wrong=range(20), bare=(25, 26), evidence={27: ["Page 6_sentence_0"]})
    assert [page.place for page in choose([run], 3)] == [0, 25, 27]
    assert [page.place for page in choose([run], 5)] == [0, 1, 25, 26, 27]
    assert len(choose([run], 100)) == 23
    assert choose([run], 0) == []


def test_a_curve_over_claims_shows_the_last_run_alone(tmp_path: Path) -> None:
    runs = [made_run(tmp_path, "small", wrong=(1,), claims=10), made_run(tmp_path, "large", wrong=(1,))]
    ids = Read(report(runs, by="claims")).ids
    assert "curve" in ids
    assert "tests" not in ids


def test_a_corpus_that_is_not_there_is_told_only_where_it_was_asked_for(runs: list[ScoredRun], tmp_path: Path) -> None:
    write_report(runs, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(NotFound):
        write_report(runs, tmp_path / "other.html", corpus=tmp_path / "nowhere")
    assert not (tmp_path / "other.html").exists()


def test_a_small_p_value_is_not_said_to_be_nothing() -> None:
    assert p_in_words(0.00003) == "< 0.0001"
    assert p_in_words(0.0421) == "0.0421"


# -- in a browser --


@pytest.mark.browser
@pytest.mark.slow
def test_nothing_runs_over_the_edge_and_nothing_is_fetched(
    browser: Browser, runs: list[ScoredRun], tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    write_report(runs, file)
    told: list[str] = []
    for width, scheme in ((360, "dark"), (1280, "light")):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        page.on("console", lambda message: told.append(message.text))
        page.on("request", lambda request: told.append(request.url) if request.url != file.as_uri() else None)
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.click("#errors a")
        assert "#claim-" in page.url
        context.close()
    assert told == []
