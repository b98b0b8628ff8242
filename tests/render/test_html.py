"""The report for readers: whole, safe, and in need of nothing else."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from lxml import html

from tests.render.made import CELL, ITEM, REFUTES, SENTENCE, SUPPORTS, UNKNOWN, Found, hit, peaks_page, verdict
from veritab.errors import InputError
from veritab.render import write
from veritab.render.html import HtmlReport, draw_article
from veritab.render.markup import Markup, joined, tag
from veritab.schema import (
    Certificate,
    Claim,
    Context,
    CountedRows,
    Element,
    ElementId,
    Flip,
    Hit,
    Kind,
    ModelUse,
    PartVerdict,
    Searched,
    Table,
    Uncertainty,
    Verdict,
)

PEAKS = peaks_page().tables[0]
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&amp;</title></style>"


def drawn(*verdicts: Verdict, **options: Any) -> Any:
    out = io.StringIO()
    assert write("html", iter(verdicts), out, **options) == len(verdicts)
    return parsed(out.getvalue())


def parsed(page: str) -> Any:
    return html.document_fromstring(page)


def tables(id: ElementId) -> Table:
    return peaks_page().table(id.path[0])


def words(tree: Any, path: str) -> list[str]:
    return [" ".join(node.text_content().split()) for node in tree.xpath(path)]


def test_a_report_counts_its_verdicts_by_label() -> None:
    tree = drawn(verdict(), verdict(label=REFUTES), verdict(), title="Peaks")
    assert words(tree, "//fieldset/label") == ["All 3", "Supported 2", "Refuted 1", "Not enough information 0"]
    assert tree.xpath("//input[@id='show-unknown']/@disabled")
    assert words(tree, "//title") == words(tree, "//h1") == ["Peaks"]
    assert words(tree, "//p[@class='corpus']") == ["Checked against peaks · 3 pages · revision r1"]


def test_each_label_can_be_shown_alone_without_a_script() -> None:
    tree = drawn(verdict(), verdict(label=REFUTES))
    style = tree.xpath("//style")[0].text
    for name in ("supports", "refutes", "unknown"):
        assert f"body:has(#show-{name}:checked) .verdict:not(.{name})" in style
    assert [node.get("class") for node in tree.xpath("//main/article")] == ["verdict supports", "verdict refutes"]
    assert {node.get("for") for node in tree.xpath("//fieldset/label")} == set(tree.xpath("//fieldset/input/@id"))


def test_a_verdict_shows_its_scores_reasoning_parts_and_certificate() -> None:
    shown = verdict(
        SENTENCE, label=REFUTES, parts=[{"text": "A part.", "label": "REFUTES"}], confidence=0.9, smallest=[SENTENCE]
    )
    tree = drawn(shown)
    assert words(tree, "//article//ul[@class='scores']/li") == [
        "Supported 5 %",
        "Refuted 90 %",
        "Not enough information 5 %",
    ]
    assert words(tree, "//ul[@class='reasons']/li") == ["height of Peak 3 = 8,003 m"]
    assert words(tree, "//ol[@class='claim-parts']/li/p") == ["A part.", "Refuted 0 %"]
    assert words(tree, "//dl/dt") == ["Confidence", "Enough for the verdict", "Corpus"]
    assert words(tree, "//dl//code") == [SENTENCE]


def test_words_of_the_claim_are_marked_in_sentences_and_cells_in_their_tables() -> None:
    tree = drawn(
        replace(verdict(SENTENCE, ITEM), evidence=(hit(SENTENCE), hit(ITEM), hit(CELL, "reasoner"))), tables=tables
    )
    assert words(tree, "//blockquote/mark") == ["Peak 3", "Peak"]
    (cell,) = tree.xpath("//td[contains(@class, 'evidence')]")
    assert cell.text_content() == "Key evidence: 8,003"
    assert cell.get("class") == "evidence key"
    assert words(tree, "//caption") == ["Peaks and their heights"]
    assert words(tree, "//tr[@class='left-out']") == ["2 rows left out", "15 rows left out"]
    assert tree.xpath("//table//th[@colspan='2']/text()") == ["Height"]
    assert tree.xpath("//div[@class='scroll']/@tabindex") == ["0"]


def test_what_decides_comes_first_and_is_marked() -> None:
    shown = drawn(verdict(ITEM, SENTENCE, CELL, smallest=[CELL]), tables=tables)
    first, *rest = shown.xpath("//article[starts-with(@class, 'card')]")
    assert first.get("class") == "card key"
    assert first.xpath(".//td[@class='evidence key']")
    assert [card.get("class") for card in rest] == ["card", "card"]


def test_many_places_of_evidence_wait_behind_the_first_four() -> None:
    hits = tuple(Hit(Element(ElementId(f"Page {n}", Kind.SENTENCE, (0,)), "Text."), 1.0, "t") for n in range(9))
    tree = drawn(replace(verdict(), evidence=hits))
    assert len(tree.xpath("//section[@class='evidence']/article[starts-with(@class, 'card')]")) == 4
    assert words(tree, "//section[@class='evidence']/details/summary") == ["5 more places that were read"]


def test_an_uncertain_answer_says_so_and_why() -> None:
    tree = drawn(replace(verdict(), uncertainty=Uncertainty.CLOSE_SCORES))
    assert words(tree, "//article//p[@class='uncertain']") == ["uncertain two labels have close scores"]
    assert not drawn(verdict()).xpath("//p[@class='uncertain']")


def test_no_evidence_and_no_claims_are_said() -> None:
    assert words(drawn(verdict(label=UNKNOWN)), "//article//p[@class='none']") == ["No evidence was found."]
    assert words(drawn(), "//p[@class='none']") == ["There were no claims."]


def hostile() -> Verdict:
    """A verdict that holds markup wherever text can stand."""
    title = HOSTILE
    cell = Element(
        ElementId(title, Kind.CELL, (0, 1, 1)),
        HOSTILE,
        context=(
            Context(ElementId(title, Kind.SECTION, (0,)), HOSTILE),
            Context(ElementId(title, Kind.TABLE_CAPTION, (0,)), HOSTILE),
            Context(ElementId(title, Kind.HEADER_CELL, (0, 0, 1)), HOSTILE),
            Context(ElementId(title, Kind.HEADER_CELL, (0, 1, 0)), HOSTILE),
        ),
    )
    sentence = Element(ElementId(title, Kind.SENTENCE, (0,)), HOSTILE, context=cell.context[:1])
    id = ElementId(HOSTILE, Kind.TITLE)
    certificate = Certificate(
        parts=(PartVerdict(HOSTILE, REFUTES, {REFUTES: 1.0}, (id,)),),
        missing=(HOSTILE,),
        smallest=(id,),
        flips=(Flip(id, REFUTES),),
        searched=Searched(1, (HOSTILE,), 1),
        model=ModelUse(HOSTILE, HOSTILE),
    )
    hits = Hit(cell, 1.0, HOSTILE), Hit(sentence, 1.0, HOSTILE)
    corpus = {"name": HOSTILE, "revision": HOSTILE}
    return Verdict(Claim(HOSTILE, HOSTILE), REFUTES, {REFUTES: 1.0}, hits, (HOSTILE,), certificate, corpus)


def pages() -> Iterator[str]:
    out = io.StringIO()
    write("html", [hostile()], out, title=HOSTILE, note=HOSTILE, language=HOSTILE)
    yield out.getvalue()
    yield HtmlReport(title=HOSTILE, note=HOSTILE).text_page(f"{HOSTILE}\n{HOSTILE}", [Found(0, 30)], [hostile()])


@pytest.mark.parametrize("page", list(pages()), ids=["report", "text"])
def test_whatever_text_holds_it_stays_text(page: str) -> None:
    tree = parsed(page)
    assert not tree.xpath("//script | //img | //iframe | //object")
    assert not [name for node in tree.iter() for name in node.attrib if name.startswith("on")]
    assert len(tree.xpath("//title")) == len(tree.xpath("//style")) == 1
    assert page.count("&lt;script&gt;") > 10


@pytest.mark.parametrize("page", list(pages()), ids=["report", "text"])
def test_nothing_is_loaded_from_anywhere(page: str) -> None:
    tree = parsed(page)
    assert not tree.xpath("//@src | //link | //*[@srcset]")
    assert all(address.startswith("#") for address in tree.xpath("//@href"))
    assert "url(" not in page
    assert "@import" not in page
    (policy,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'")


@pytest.mark.parametrize("page", list(pages()), ids=["report", "text"])
def test_every_link_inside_the_page_leads_to_one_place(page: str) -> None:
    tree = parsed(page)
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert {address[1:] for address in tree.xpath("//@href")} <= set(ids)


def test_a_text_comes_back_marked_up_with_a_note_for_each_sentence() -> None:
    body = "Peaks rise.\n\nPeak 3 is high. Nobody knows."
    page = HtmlReport().text_page(body, [Found(13, 28), Found(0, 11)], [verdict(SENTENCE), verdict(label=REFUTES)])
    tree = parsed(page)
    section = tree.xpath("//section[@class='text']")[0]
    assert words(section, "p") == ["Peaks rise.2", "Peak 3 is high.1 Nobody knows."]
    assert [(mark.get("class"), mark.get("id")) for mark in section.xpath(".//mark")] == [
        ("refutes", "sentence-2"),
        ("supports", "sentence-1"),
    ]
    assert section.xpath(".//a/@href") == ["#verdict-2", "#verdict-1"]
    assert tree.xpath("//a[@class='back']/@href") == ["#sentence-1", "#sentence-2"]


def test_a_sentence_over_two_lines_is_marked_on_both_and_numbered_once() -> None:
    tree = parsed(HtmlReport().text_page("One\ntwo.", [Found(0, 8)], [verdict()]))
    assert words(tree, "//section[@class='text']/p") == ["One1", "two."]
    assert len(tree.xpath("//section[@class='text']//mark")) == 2


def test_a_text_needs_as_many_verdicts_as_sentences() -> None:
    with pytest.raises(InputError, match="2 sentences and 1 verdicts were given"):
        HtmlReport().text_page("Text.", [Found(0, 1), Found(1, 2)], [verdict()])


def test_markup_escapes_all_but_markup() -> None:
    assert tag("p", "<", Markup("<b>"), None, 3, class_='a"b', hidden=False, tabindex=0) == (
        '<p class="a&quot;b" tabindex="0">&lt;<b>3</p>'
    )
    assert joined("a\x00b\ud800") == "ab"
    assert tag("input", disabled=True) == "<input disabled>"


def test_the_same_verdicts_make_the_same_page() -> None:
    one, other = io.StringIO(), io.StringIO()
    for out in (one, other):
        write("html", [verdict(SENTENCE, label=SUPPORTS)], out, tables=tables)
    assert one.getvalue() == other.getvalue()


def test_a_wide_table_takes_the_width_of_the_window_and_keeps_its_first_column() -> None:
    wide = Table.of([[f"Peak {n}", *map(str, range(9))] for n in range(4)], header=["Name", *"ABCDEFGHI"], title="Wide")
    hits = tuple(Hit(wide.element(id), 0.9, "selector") for id in wide.grid[1][1:] if id)
    shown = replace(verdict(), evidence=hits)
    page = parsed(str(draw_article(shown, 1, lambda id: wide)))
    assert page.cssselect(".card.wide .scroll.wide")
    assert [cell.text_content() for cell in page.cssselect("tbody .first")] == [f"Peak {n}" for n in range(4)]
    assert not parsed(str(draw_article(verdict(CELL), 1, lambda id: PEAKS))).cssselect(".wide")


def test_gaps_say_what_is_left_out_and_what_did_not_count_is_tinted() -> None:
    rows = CountedRows(PEAKS.id, (3, 12, 20), 20, (0, 1), "snow as Weather", "without snow as Weather")
    shown = verdict(CELL)
    shown = replace(shown, certificate=replace(shown.certificate, rows=(rows,)))
    page = parsed(str(draw_article(shown, 1, lambda id: PEAKS)))
    assert all("without snow as Weather left out" in row.text_content() for row in page.cssselect(".left-out"))
    assert [cell.text_content() for cell in page.cssselect("td.key")] == [
        "Key evidence: 8,001",
        "Key evidence: 8,010",
        "Key evidence: 8,018",
    ]
    assert page.cssselect("td.read")
    unsettled = replace(shown, label=UNKNOWN)
    assert not parsed(str(draw_article(unsettled, 1, lambda id: PEAKS))).cssselect(".evidence.key, .read")
