"""Wikipedia HTML: what is kept, what is left out, and what hostile pages do."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from veritab.corpus.streams import RawRecord
from veritab.corpus.wikipedia import FLAGGED, WikipediaReader, drop_apparatus, link_target
from veritab.schema import Item, Link, ListBlock, Page, Problem, Redirect, Section, Sentence, TableBlock


def read(html: str | bytes, title: str = "P", *, drop_flagged: bool = True) -> list[Page | Redirect | Problem]:
    data = html.encode() if isinstance(html, str) else html
    return list(WikipediaReader(drop_flagged=drop_flagged).page(data, title, where="p.html"))


def page_of(html: str | bytes, title: str = "P", *, drop_flagged: bool = True) -> Page:
    (page,) = [one for one in read(html, title, drop_flagged=drop_flagged) if isinstance(one, Page)]
    return page


def sentences(page: Page) -> list[str]:
    return [block.text for block in page.blocks if isinstance(block, Sentence)]


def test_paragraphs_become_sentences_with_offsets_and_links() -> None:
    page = page_of(
        '<p><b>Ada</b> was born in <a href="//en.wikipedia.org/wiki/London#City">London</a>.<sup class="reference">[1]</sup> '
        'She wrote with <a href="./Charles_Babbage" rel="mw:WikiLink">Babbage</a>.</p>'
    )
    assert page.blocks == (
        Sentence(0, "Ada was born in London.", (Link(16, 22, "London"),)),
        Sentence(1, "She wrote with Babbage.", (Link(15, 22, "Charles Babbage"),), 24),
    )


def test_edit_links_reference_marks_hidden_text_and_scripts_do_not_survive() -> None:
    page = page_of(
        '<h2><span class="mw-headline">Life</span><span class="mw-editsection">[edit]</span></h2>'
        "<style>.x{color:red}</style><script>alert(1)</script>"
        '<p>It rose<sup id="a" class="reference"><a href="#n">[12]</a></sup> by 3<span style="display:none">SORT</span> points'
        '<sup class="noprint Inline-Template">[<i>citation needed</i>]</sup>.</p>'
    )
    assert page.blocks == (Section(0, "Life", 2), Sentence(0, "It rose by 3 points."))


def test_reference_marks_typed_as_text_go_too_and_links_stay_in_place() -> None:
    page = page_of('<p>It rose,[1][2] then <a href="/wiki/Fall">fell</a>. [3] In [1998] too.</p>')
    assert page.blocks == (
        Sentence(0, "It rose, then fell.", (Link(14, 18, "Fall"),)),
        Sentence(1, "In [1998] too.", (), 20),
    )


def test_hatnotes_are_sentences() -> None:
    page = page_of(
        '<div role="note" class="hatnote">For the river, see <a href="/wiki/Po_(river)">Po (river)</a>.</div><p>Po is.</p>'
    )
    assert sentences(page) == ["For the river, see Po (river).", "Po is."]


def test_nested_lists_keep_depth_and_order() -> None:
    page = page_of("<ul><li>a<ol><li>b<ul><li>c</li></ul></li><li>d</li></ol></li><li>e</li></ul>")
    assert page.blocks == (
        ListBlock(0, (Item("a"), Item("b", (), 1, True), Item("c", (), 2), Item("d", (), 1, True), Item("e"))),
    )


def test_only_wikitables_and_infoboxes_are_tables_and_layout_tables_are_looked_into() -> None:
    page = page_of(
        '<table class="infobox vcard"><tr><th colspan="2">Ada</th></tr><tr><th>Born</th><td>1815<br>London</td></tr></table>'
        '<table class="multicol"><tr><td>loose<ul><li>kept item</li></ul>'
        '<table class="wikitable"><caption>C</caption><tr><td>x</td></tr></table></td></tr></table>'
        '<table class="navbox"><tr><td>no</td></tr></table>'
    )
    box, items, inner = page.blocks
    assert isinstance(box, TableBlock)
    assert box.infobox
    assert box.rows[1][1].text == "1815\nLondon"
    assert isinstance(items, ListBlock)
    assert isinstance(inner, TableBlock)
    assert (inner.caption, inner.rows[0][0].text) == ("C", "x")


def test_empty_and_image_only_tables_are_dropped_and_numbers_stay_dense() -> None:
    page = page_of(
        '<table class="wikitable"><tr><td> </td></tr></table><table class="wikitable"><tr><td><img alt="x"></td></tr></table>'
        '<table class="wikitable"><tr><td>kept</td></tr></table>'
    )
    assert [table.id.path for table in page.tables] == [(0,)]


def test_a_flag_speaks_for_a_cell_that_holds_nothing_else() -> None:
    flag = '<span class="flagicon"><img alt="Norway"></span>'
    page = page_of(f'<table class="wikitable"><tr><td>{flag}</td><td>{flag} Oslo</td></tr></table>')
    assert [cell.text for cell in page.tables[0].rows[0]] == ["Norway", "Oslo"]


def test_a_table_inside_a_cell_or_an_item_becomes_a_table_of_its_own() -> None:
    inner = '<table class="wikitable"><tr><td>inner</td></tr></table>'
    page = page_of(f'<table class="wikitable"><tr><td>outer{inner}</td></tr></table><dl><dd>note {inner}</dd></dl>')
    assert [table.text(0, 0) for table in page.tables] == ["outer", "inner", "inner"]


@pytest.mark.parametrize(
    "name", ["References", "Further reading", "EXTERNAL LINKS", "Works", "External links &amp; References"]
)
def test_reference_sections_are_left_out_with_their_subsections(name: str) -> None:
    page = page_of(
        f"<p>In.</p><h2>{name}</h2><p>Out.</p><h3>Deeper</h3><ul><li>out</li></ul><h2>Next</h2><p>In again.</p>"
    )
    assert sentences(page) == ["In.", "In again."]
    assert [block.text for block in page.blocks if isinstance(block, Section)] == ["Next"]


def test_a_heading_inside_a_container_ends_a_left_out_section() -> None:
    page = page_of(
        '<h2>References</h2><div><p>Out.</p></div><div class="mw-heading mw-heading2"><h2>Next</h2></div><p>In.</p>'
    )
    assert sentences(page) == ["In."]


FLAG = '<table class="metadata ambox ambox-content ambox-Refimprove"><tr><td>needs citations</td></tr></table>'


def test_a_flagged_page_is_left_out_and_told_of_unless_asked_for() -> None:
    html = f"{FLAG}<p>Doubtful.</p>"
    assert read(html) == [Problem("P", "p.html", FLAGGED)]
    assert sentences(page_of(html, drop_flagged=False)) == ["Doubtful."]


def test_a_flagged_section_is_left_out_and_the_rest_kept() -> None:
    html = f"<p>In.</p><h2>A</h2><p>Before.</p>{FLAG}<p>Doubtful.</p><h3>Sub</h3><p>Also.</p><h2>B</h2><p>Fine.</p>"
    found = read(html)
    assert [type(one) for one in found] == [Problem, Page]
    assert page_of(html).blocks == (Sentence(0, "In."), Section(0, "B", 2), Sentence(1, "Fine."))


def test_a_flag_inside_a_multiple_issues_box_counts_and_a_style_box_does_not() -> None:
    inner = '<table class="ambox ambox-multiple_issues"><tr><td><table class="ambox compact-ambox ambox-Unreferenced"></table></td></tr></table>'
    assert read(f"{inner}<p>x.</p>") == [Problem("P", "p.html", FLAGGED)]
    assert sentences(page_of('<table class="ambox ambox-Orphan"></table><p>Kept.</p>')) == ["Kept."]


def test_redirects_of_both_kinds_are_read() -> None:
    rendered = '<div class="redirectMsg"><p>Redirect to:</p><ul class="redirectText"><li><a href="/wiki/Mount_Everest">x</a></li></ul></div>'
    assert read(rendered, "Chomolungma") == [Redirect("Chomolungma", "Mount Everest")]
    parsoid = '<html><head><link rel="mw:PageProp/redirect" href="./Mount_Everest"></head><body></body></html>'
    assert read(parsoid, "Sagarmatha") == [Redirect("Sagarmatha", "Mount Everest")]


def test_a_whole_saved_page_gives_title_and_article_only() -> None:
    html = (
        "<html><head><title>Alan Turing - Wikipedia</title></head><body><nav>Menu</nav><h1 id='firstHeading'>Alan Turing</h1>"
        "<div id='siteSub'>From Wikipedia</div><div id='mw-content-text'><div class='mw-parser-output'><p>He ran.</p></div></div>"
        "<div id='footer'>Privacy</div></body></html>"
    )
    page = page_of(html, "")
    assert (page.title, sentences(page)) == ("Alan Turing", ["He ran."])


def test_superscript_numbers_stay_numbers() -> None:
    assert sentences(page_of("<p>About 10<sup>6</sup> km<sup>2</sup> on the 21<sup>st</sup>.</p>")) == [
        "About 10⁶ km² on the 21st."
    ]


def test_web_addresses_become_a_token() -> None:
    assert sentences(page_of("<p>See http://example.org/x for it.</p>")) == ["See <URL> for it."]


@pytest.mark.parametrize(
    ("href", "title"),
    [
        ("/wiki/Caf%C3%A9_au_lait#x", "Café au lait"),
        ("//en.wikipedia.org/wiki/dog", "Dog"),
        ("./Foo_(film)", "Foo (film)"),
        ("/wiki/2001:_A_Space_Odyssey", "2001: A Space Odyssey"),
        ("/wiki/File:X.jpg", ""),
        ("/wiki/Wikipedia:Verifiability", ""),
        ("#cite", ""),
        ("https://example.org/wiki/Foo", ""),
        ("/w/index.php?title=Foo&redlink=1", ""),
    ],
)
def test_a_link_points_to_an_article_or_nowhere(href: str, title: str) -> None:
    assert link_target(href) == title


def test_an_enterprise_tar_streams_pages_and_redirects(tmp_path: Path) -> None:
    record = {
        "name": "Mount Everest",
        "version": {"identifier": 42},
        "redirects": [{"name": "Chomolungma"}],
        "article_body": {"html": "<html><body><section><p>It is high.</p></section></body></html>"},
    }
    lines = (json.dumps(record) + "\n" + "not json\n").encode()
    archive = tmp_path / "dump.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        member = tarfile.TarInfo("enwiki_0.ndjson")
        member.size = len(lines)
        tar.addfile(member, io.BytesIO(lines))
    reader = WikipediaReader()
    found = [one for raw in reader.cut(archive) if isinstance(raw, RawRecord) for one in reader.parse(raw)]
    assert found[0] == Redirect("Chomolungma", "Mount Everest")
    assert isinstance(found[1], Page)
    assert (found[1].revision, sentences(found[1])) == ("42", ["It is high."])
    assert isinstance(found[2], Problem)
    assert found[2].lost


# -- hostile pages --


def test_an_empty_page_is_a_lost_record() -> None:
    for html in ("", "   ", "<!-- -->"):
        (problem,) = read(html)
        assert isinstance(problem, Problem)
        assert problem.lost


def test_a_page_of_nine_megabytes_is_refused_before_it_takes_the_memory_of_a_tree() -> None:
    (problem,) = read(b"<td>x" * (9 * 2**20 // 5))
    assert problem == Problem("P", "p.html", "an HTML page larger than 8 MB", lost=True)


def test_a_table_of_ten_thousand_columns_keeps_them_all() -> None:
    row = "".join(f"<td>{n}</td>" for n in range(10_000))
    (page,) = read(f'<table class="wikitable"><tr>{row}</tr><tr>{row}</tr></table>')
    assert isinstance(page, Page)
    assert page.tables[0].width == 10_000
    assert len(page.elements) == 20_002


def test_an_absurd_span_is_bounded() -> None:
    problem, page = read(
        '<table class="wikitable"><tr><td colspan="99999" rowspan="99999">x</td><td>y</td></tr><tr><td>z</td></tr></table>',
    )
    assert isinstance(page, Page)
    assert isinstance(problem, Problem)
    assert problem.what == "a span over more than 1,000 columns; taken as so many"
    assert page.tables[0].width == 1_001
    assert [cell.text for row in page.tables[0].rows for cell in row] == ["x", "y", "z"]


def test_spans_that_would_cover_a_billion_squares_are_told_of_and_ignored() -> None:
    row = "<tr>" + '<td colspan="1000" rowspan="65000">x</td>' * 50 + "</tr>"
    found = read(f'<table class="wikitable">{row * 100}</table>')
    assert [type(one) for one in found] == [Problem, Page]
    page = found[1]
    assert isinstance(page, Page)
    assert page.tables[0].width == 50


def test_tables_nested_five_deep_and_lists_fifty_deep_are_read() -> None:
    nested = '<table class="wikitable"><tr><td>t' * 5 + "</td></tr></table>" * 5
    deep = "<ul><li>i" * 50 + "</li></ul>" * 50
    page = page_of(nested + deep)
    assert len(page.tables) == 5
    (items,) = [block for block in page.blocks if isinstance(block, ListBlock)]
    assert [item.level for item in items.items] == list(range(50))


def test_a_thousand_nested_elements_are_read_and_five_thousand_are_told_of() -> None:
    deep = "<div>" * 1000 + "<p>Deep text.</p>" + "</div>" * 1000 + "<p>After.</p>"
    (page,) = read(deep)
    assert isinstance(page, Page)
    assert sentences(page) == ["Deep text.", "After."]
    problem, page = read("<p>Before.</p>" + "<div>" * 5000 + deep)
    assert isinstance(problem, Problem)
    assert problem.what == "nested deeper than can be read; the rest was left out"
    assert isinstance(page, Page)
    assert sentences(page)[0] == "Before."


def test_a_page_cut_in_the_middle_keeps_what_came_before() -> None:
    html = '<p>Whole.</p><table class="wikitable"><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d'
    assert [cell.text for row in page_of(html).tables[0].rows for cell in row] == ["a", "b", "c", "d"]
    assert read(html)[0] == Problem("P", "p.html", "a table is never closed: the page may be cut")


def test_bytes_that_are_not_utf8_are_replaced_and_told_of() -> None:
    found = read(b"<p>caf\xe9 bar.</p><p>Later.</p>")
    assert [type(one) for one in found] == [Problem, Page]
    assert isinstance(found[1], Page)
    assert sentences(found[1]) == ["caf\ufffd bar.", "Later."]


def test_a_nul_byte_and_control_characters_end_nothing_and_are_told_of() -> None:
    html = b"<p>a\x00b \x01c\x02d\x03e\x7f.</p><p>Later.</p>"
    assert sentences(page_of(html)) == ["ab cde.", "Later."]
    assert read(html)[0] == Problem("P", "p.html", "control characters were removed")


def test_a_title_of_three_hundred_characters_is_a_title() -> None:
    assert page_of("<p>x.</p>", "T" * 300).title == "T" * 300


def test_a_page_with_indicators_before_the_article_is_read() -> None:
    html = (
        "<html><body><div class='mw-indicators'><div class='mw-parser-output'><img></div></div>"
        "<div id='mw-content-text'><div class='mw-parser-output'><p>The article.</p></div></div></body></html>"
    )
    assert sentences(page_of(html)) == ["The article."]


def test_terms_in_groups_formulas_in_blocks_and_hidden_emphasis() -> None:
    page = page_of(
        "<dl><div><dt>Term</dt><dd>Meaning</dd></div></dl>"
        "<p>So <b style='display:none'>never</b><b>always</b>.</p>"
        "<div class='mwe-math-element'><img alt='E = mc^2'></div>"
    )
    assert page.blocks == (
        ListBlock(0, (Item("Term"), Item("Meaning", (), 1))),
        Sentence(0, "So always."),
        Sentence(1, "E = mc^2"),
    )


def test_a_cell_that_looks_like_a_remembered_link_is_still_text() -> None:
    link = '<td><a href="/wiki/Paris">Paris</a></td>'
    hidden = '<td><a href="/wiki/Paris" style="display:none">Paris</a></td>'
    page = page_of(f'<table class="wikitable"><tr>{link}<td>/wiki/Paris Paris</td>{hidden}</tr></table>')
    assert [cell.text for cell in page.tables[0].rows[0]] == ["Paris", "/wiki/Paris Paris", ""]


def test_navigation_boxes_that_never_close_are_left_out() -> None:
    page = page_of("<p>Kept.</p>" + '<table class="navbox"><tr><td>' * 20_000)
    assert sentences(page) == ["Kept."]
    assert not page.tables


def test_apparatus_is_cut_before_parsing_and_nothing_else() -> None:
    html = (
        b'<p>One.</p><table class="navbox"><tr><td><table class="navbox-inner"><tr><td>no</td></tr></table></td></tr></table>'
        b'<ol class="references"><li>no</li></ol><p>Two.</p><div id="toc"><div>no</div></div><p>Three.</p>'
    )
    assert drop_apparatus(html) == b"<p>One.</p><p>Two.</p><p>Three.</p>"
    assert (
        drop_apparatus(b'<table class="navbox"><h2>Kept</h2></table>') == b'<table class="navbox"><h2>Kept</h2></table>'
    )
