"""Wikitext: what each piece of markup becomes, and whole files of it."""

from __future__ import annotations

import bz2
import gzip
import pickle
import re
from pathlib import Path

import pytest

from veritab.corpus.streams import RawRecord
from veritab.corpus.wikipedia import FLAGGED
from veritab.corpus.wikitext import WikitextReader
from veritab.schema import Cell, Item, Kind, Link, ListBlock, Page, Problem, Redirect, Section, Sentence, TableBlock

UNKNOWN = "templates without a known expansion left out"


def read(text: str, *, title: str = "X", drop_flagged: bool = True) -> list[Page | Redirect | Problem]:
    return list(WikitextReader(drop_flagged).parse(RawRecord("x.wiki", text.encode(), title)))


def page(text: str, *, title: str = "X") -> Page:
    found = [result for result in read(text, title=title) if isinstance(result, Page)]
    assert len(found) == 1
    return found[0]


def sentences(text: str) -> list[str]:
    return [block.text for block in page(text).blocks if isinstance(block, Sentence)]


def items(text: str) -> list[list[tuple[int, str]]]:
    blocks = [block for block in page(text).blocks if isinstance(block, ListBlock)]
    return [[(item.level, item.text) for item in block.items] for block in blocks]


def tables(text: str) -> list[TableBlock]:
    return [block for block in page(text).blocks if isinstance(block, TableBlock)]


def rows(text: str) -> list[list[str]]:
    (table,) = tables(text)
    return [[cell.text for cell in row] for row in table.rows]


# -- titles, redirects, files ------------------------------------------------------------------------------


def test_a_file_is_called_by_its_name_without_suffix_and_underscores(tmp_path: Path) -> None:
    path = tmp_path / "washington,_D.C..wiki"
    path.write_text("A city.", encoding="utf-8")
    (raw,) = WikitextReader().cut(path)
    assert isinstance(raw, RawRecord)
    assert list(WikitextReader().parse(raw)) == [Page("Washington, D.C.", (Sentence(0, "A city."),))]


def test_a_title_given_by_the_caller_wins() -> None:
    assert page("Text.", title="Given").title == "Given"


@pytest.mark.parametrize(
    "text", ["#REDIRECT [[toronto]]", "#redirect: [[Toronto#History|x]]\n[[Category:Y]]", "\n# Redirect [[Toronto]]"]
)
def test_a_redirect_is_no_page(text: str) -> None:
    assert read(text) == [Redirect("X", "Toronto")]


def test_a_redirect_that_leads_to_no_article_is_told() -> None:
    assert read("#REDIRECT [[File:X.png]]") == [Problem("X", "x.wiki", "a redirect to no article", lost=True)]


def test_an_empty_page_is_told() -> None:
    assert read("<!-- nothing -->[[Category:X]]") == [Problem("X", "x.wiki", "nothing left on the page", lost=True)]


def test_bytes_that_are_not_utf8_are_replaced_and_told() -> None:
    problem, found = WikitextReader().parse(RawRecord("x.wiki", b"Caf\xe9 au lait.", "X"))
    assert problem == Problem("X", "x.wiki", "bytes that are not UTF-8 were replaced")
    assert isinstance(found, Page)
    assert found.blocks == (Sentence(0, "Caf� au lait."),)


def test_a_byte_order_mark_is_not_text() -> None:
    assert sentences("\ufeff== A ==\nText.") == ["Text."]


def test_the_reader_and_its_records_can_be_sent_to_another_process() -> None:
    reader, raw = pickle.loads(pickle.dumps((WikitextReader(drop_flagged=True), RawRecord("x.wiki", b"A b."))))
    assert reader == WikitextReader(drop_flagged=True)
    assert len(list(reader.parse(raw))) == 1


# -- running text ------------------------------------------------------------------------------------------


def test_lines_are_one_paragraph_until_an_empty_line() -> None:
    assert page("One is\nhere. Two.\n\nThree.").blocks == (
        Sentence(0, "One is here."),
        Sentence(1, "Two.", (), 13),
        Sentence(2, "Three."),
    )


def test_links_keep_their_targets_and_the_letters_after_them() -> None:
    (block,) = page("[[dog]]s like [[Cat (animal)#Food|the cat]] and [[Anzio|]].").blocks
    assert block == Sentence(
        0, "dogs like the cat and Anzio.", (Link(0, 4, "Dog"), Link(10, 17, "Cat (animal)"), Link(22, 27, "Anzio"))
    )


def test_links_that_lead_to_no_article_keep_at_most_their_words() -> None:
    text = (
        "A [[#below|b]] [[wikt:c|c]] [[:Category:D|d]] [[Category:E]]"
        "[[File:F.png|thumb|An [[e]] [[f|g]]]][[de:H]]i [[Help:J]]."
    )
    assert page(text).blocks == (Sentence(0, "A b c d i Help:J."),)


def test_a_link_in_a_link_is_one_link() -> None:
    (block,) = page("See [[A|{{flag|Brazil}}]] now.").blocks
    assert block == Sentence(0, "See Brazil now.", (Link(4, 10, "A"),))


def test_links_outside_keep_their_label() -> None:
    text = "See [http://a.org the site], [//b.org it], [http://c.org] or https://d.org/e."
    assert sentences(text) == ["See the site, it, <URL> or <URL>."]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("'''bold''' and ''italic''", "bold and italic"),
        ("'''''both''''' 's", "both 's"),
        ("L'''amour'' est '''là'''", "L'amour est là"),
        ("the 90''''s'''", "the 90's"),
        ("a<!-- b -->c<!-- open", "ac"),
        ('a<ref>b</ref>c<ref name="d" />e<REF name=f>{{cite|g}}</REF>', "ace"),
        ("a<ref name=b>c<ref>d</ref>e", "ace"),
        ("x<sup>2</sup> H<sub>2</sub>O 1<sup>st</sup>", "x² H2O 1st"),
        ("10<sup>−6</sup> a<sup>(n)</sup> b<sup>1234567</sup>", "10⁻⁶ a⁽ⁿ⁾ b1234567"),
        ("<nowiki>[[a]] ''b'' {{c}}</nowiki> d", "[[a]] ''b'' {{c}} d"),
        ("<math>\\{|x|\\} = [[1]]</math> is", "\\{|x|\\} = [[1]] is"),
        ("a&nbsp;&amp;&#x2009;b &lt;c&gt;", "a & b <c>"),
        ("a<br />b <small>c</small> <b\n>d</b> 1 < 2 > 0 <foo>", "a b c d 1 < 2 > 0 <foo>"),
        ('a<span style="visibility: hidden;">b<span>c</span></span>d', "ad"),
        ('a<div style="display:none">b</div> <span style="color:red">c</span>', "a c"),
        ("__NOTOC__ a __b__", "a __b__"),
        ("<poem>a<ref>b</ref>\nc</poem>", "a c"),
        ("a <gallery>\nFile:B.png|c\n</gallery>", "a"),
        ("{{{1|default}}} {{{x}}}", "default"),
    ],
)
def test_markup_in_a_line(written: str, shown: str) -> None:
    assert sentences(written) == [shown]


def test_what_is_never_closed_is_read_as_text_and_told() -> None:
    found = read("A {{b|c and [[d|e.\n\n== F ==\nG [[h]].")
    assert found == [
        Problem("X", "[[d|e.", "a bracket that is never closed is read as text"),
        Page("X", (Sentence(0, "A b|c and d|e."), Section(0, "F", 2), Sentence(1, "G h.", (Link(2, 3, "H"),)))),
    ]


def test_an_open_link_does_not_swallow_the_parameters_after_it() -> None:
    assert rows("{{Infobox a|b=[[c|d=e}}") == [["X"], ["B", "c"], ["D", "e"]]


def test_quotations_and_rules_stand_for_themselves() -> None:
    assert page("A <blockquote>B.</blockquote> C.\n----\nD.\n<pre>E\n {{f}}</pre>").blocks == (
        Sentence(0, "A"),
        Sentence(1, "B."),
        Sentence(2, "C."),
        Sentence(3, "D."),
        Sentence(4, "E {{f}}"),
    )


def test_a_page_without_line_ends_is_told() -> None:
    found = read("A b c. == D == " * 400)
    assert found[0] == Problem("X", "x.wiki", "no line ends: headings, lists and tables cannot be told apart")


def test_a_page_escaped_as_in_a_dump_is_unescaped() -> None:
    problem, found = read("A&lt;ref&gt;b&lt;/ref&gt; &amp;amp; c.")
    assert problem == Problem("X", "x.wiki", "escaped as if still inside XML; unescaped once")
    assert isinstance(found, Page)
    assert found.blocks == (Sentence(0, "A & c."),)


# -- sections ----------------------------------------------------------------------------------------------


def test_headings_have_levels_and_links() -> None:
    assert page("A.\n== [[B]] ==\n=== C<!-- d --> ===  \nE = f.\n=G=").blocks == (
        Sentence(0, "A."),
        Section(0, "B", 2, (Link(0, 1, "B"),)),
        Section(1, "C", 3),
        Sentence(1, "E = f."),
        Section(2, "G", 1),
    )


def test_sections_without_evidence_are_left_out_with_their_subsections() -> None:
    text = "A.\n== References ==\nB. {{odd}}\n=== C ===\nD.\n== E ==\nF.\n==External links==\n* G"
    assert read(text) == [Page("X", (Sentence(0, "A."), Section(0, "E", 2), Sentence(1, "F.")))]


@pytest.mark.parametrize(
    "notice",
    [
        "{{Unreferenced|date=May 2010}}",
        "{{multiple issues|\n{{orphan}}\n{{Refimprove}}\n}}",
        "{{More_citations_needed}}",
    ],
)
def test_a_page_that_lacks_citations_is_left_out(notice: str) -> None:
    text = notice + "\nA.\n== B ==\nC."
    assert read(text) == [Problem("X", "x.wiki", FLAGGED)]
    (kept,) = read(text, drop_flagged=False)
    assert isinstance(kept, Page)
    assert kept.blocks == (Sentence(0, "A."), Section(0, "B", 2), Sentence(1, "C."))


def test_a_section_that_lacks_citations_is_left_out() -> None:
    text = "A.\n== B ==\n{{unreferenced section}}\nC.\n=== D ===\nE.\n== F ==\nG."
    assert read(text) == [
        Problem("X", "section", FLAGGED),
        Page("X", (Sentence(0, "A."), Section(0, "F", 2), Sentence(1, "G."))),
    ]


# -- lists -------------------------------------------------------------------------------------------------


def test_lists_are_nested_by_their_prefix() -> None:
    text = "* a [[b]]\n** c\n*** d\n* e\n*** f\n*# g\n\n* h\n# i"
    assert items(text) == [[(0, "a b"), (1, "c"), (2, "d"), (0, "e"), (1, "f"), (1, "g")], [(0, "h")], [(0, "i")]]
    first = page(text).blocks[0]
    assert isinstance(first, ListBlock)
    assert first.items[0] == Item("a b", (Link(2, 3, "B"),), 0, False)
    assert first.items[5] == Item("g", (), 1, True)


def test_terms_have_definitions() -> None:
    assert items("; a : b\n: c\n; [[d:e|f]]\n: g\n\n: h\n:: i") == [
        [(0, "a"), (1, "b"), (1, "c"), (0, "f"), (1, "g")],
        [(0, "h"), (1, "i")],
    ]


def test_lists_written_in_html_are_lists() -> None:
    assert items("<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>") == [[(0, "a"), (0, "b"), (1, "c")]]
    assert items("<ul>\n<li>a <div>b</div></li>\n<li>c</li>\n</ul>") == [[(0, "a b"), (0, "c")]]


# -- tables ------------------------------------------------------------------------------------------------


def test_a_table_has_its_caption_spans_headers_and_links() -> None:
    text = """{| class="wikitable sortable"
|+ style="x" | Forms of [[iron]]
|- style="y"
! rowspan="2" | Form !! colspan=2 scope="col" | Range
|-
! From || To
|-
!scope="row"| [[Alpha iron|Alpha]]
| 0 || rowspan='1', colspan="1" | 912<br>K
|}"""
    assert tables(text) == [
        TableBlock(
            0,
            (
                (Cell("Form", (), True, 2), Cell("Range", (), True, 1, 2)),
                (Cell("From", (), True), Cell("To", (), True)),
                (Cell("Alpha", (Link(0, 5, "Alpha iron"),), True), Cell("0"), Cell("912\nK")),
            ),
            "Forms of iron",
            (Link(9, 13, "Iron"),),
        )
    ]


def test_cells_hold_pipes_lists_and_lines() -> None:
    text = """{| class=wikitable
| [[a|b]] {{convert|5|km|mi}} || {{nowrap|[[c|d]]}}
e
| style="f" |
* g
* h
| [[Chk|!!!]] || {{plainlist|
* i
* j
}} || k
|}"""
    assert rows(text) == [["b 5 km", "d\ne", "g\nh", "!!!", "i\nj", "k"]]


def test_a_table_without_end_ends_with_its_section() -> None:
    text = '{| class="wikitable"\n| a\n|-\n| b\n\n== C ==\nD.'
    problem, found = read(text)
    assert problem == Problem("X", "table", "a table is never closed; it is read up to the end of its section")
    assert isinstance(found, Page)
    assert found.blocks == (
        TableBlock(0, ((Cell("a"),), (Cell("b"),))),
        Section(0, "C", 2),
        Sentence(0, "D."),
    )


def test_a_table_in_a_table_stands_for_itself_when_it_holds_data() -> None:
    text = '{| class="wikitable"\n| a\n{| class="wikitable"\n| b\n|}\n| c\n{|\n| d || e\n|}\n|}'
    assert [[[cell.text for cell in row] for row in table.rows] for table in tables(text)] == [
        [["a", "c\nd\ne"]],
        [["b"]],
    ]


def test_a_table_for_layout_gives_its_blocks_only() -> None:
    text = '{|\n| loose || prose\n|-\n|\n* a\n{| class="infobox"\n| b\n|}\nC.\n|}\nD.'
    assert page(text).blocks == (
        ListBlock(0, (Item("a"),)),
        TableBlock(0, ((Cell("b"),),), infobox=True),
        Sentence(0, "C."),
        Sentence(1, "D."),
    )


def test_tables_without_text_are_left_out() -> None:
    assert read('A.\n{| class="wikitable"\n| [[File:A.png]]\n|-\n|\n|}') == [Page("X", (Sentence(0, "A."),))]


def test_hidden_and_empty_rows_are_left_out() -> None:
    assert rows('{| class="wikitable"\n|-\n|-\n| a\n|- style="display: none"\n| b\n|-\n|}') == [["a"]]


def test_a_table_written_in_html_is_a_table() -> None:
    text = (
        '<table class="wikitable"><caption>A</caption><tr><th colspan="2">b</th></tr>'
        "<tr><td>c</td><td>[[d|e]]</td></tr></table>"
    )
    (table,) = tables(text)
    assert table.caption == "A"
    assert table.rows == (
        (Cell("b", (), True, 1, 2),),
        (Cell("c"), Cell("e", (Link(0, 1, "D"),))),
    )


def test_a_flag_names_its_cell_only_where_nothing_else_does() -> None:
    assert rows('{| class="wikitable"\n| {{flagicon|France}} || {{flagicon|France}} [[Paris]]\n|}') == [
        ["France", "Paris"]
    ]


def test_a_ragged_table_keeps_every_cell() -> None:
    assert rows('{| class="wikitable"\n| a || b\n|-\n| c\n|-\n| d || e || f\n|}') == [
        ["a", "b"],
        ["c"],
        ["d", "e", "f"],
    ]


def test_prose_before_the_first_cell_comes_before_the_table() -> None:
    assert page('{| class="wikitable"\nLost.\n| a\n|}').blocks == (Sentence(0, "Lost."), TableBlock(0, ((Cell("a"),),)))


# -- infoboxes ---------------------------------------------------------------------------------------------


def test_an_infobox_is_a_table_of_what_a_reader_sees() -> None:
    text = """{{Infobox mountain
| name = '''Everest'''
| image = Everest.jpg
| caption = The north face
| image_size = 200px
| photo = [[File:E.jpg]]
| colour = #fff
| map = Nepal
| logo = E.svg
| eye_color = blue
| elevation_m = {{convert|8849|m|ft}}
| first ascent =
| names = {{plainlist|
* [[Sagarmatha]]
* Chomolungma
}}
| note = <!-- none -->
}}
Text."""
    assert page(text).blocks == (
        TableBlock(
            0,
            (
                (Cell("Everest", (), True, 1, 2),),
                (Cell("Eye color", (), True), Cell("blue")),
                (Cell("Elevation m", (), True), Cell("8,849 m")),
                (Cell("Names", (), True), Cell("Sagarmatha\nChomolungma", (Link(0, 10, "Sagarmatha"),))),
            ),
            infobox=True,
        ),
        Sentence(0, "Text."),
    )


@pytest.mark.parametrize("name", ["Infobox", "infobox_person", "Taxobox", "Geobox|River", "Football club infobox"])
def test_infoboxes_are_known_by_name(name: str) -> None:
    assert tables(f"{{{{{name} | label1 = a | data1 = b | a = b }}}}")[0].infobox


def test_an_infobox_in_an_infobox_adds_its_rows() -> None:
    assert rows("{{Infobox a|b=c|module={{Infobox d|embed=yes|name=x|e=f}}}}") == [["X"], ["B", "c"], ["E", "f"]]


def test_the_plain_infobox_names_its_own_rows() -> None:
    text = "{{Infobox|title=A|header1=B|label3=D|data3=d|label2=C|data2=c|data4=E}}"
    assert rows(text) == [["A"], ["B"], ["C", "c"], ["D", "d"], ["E"]]


# -- templates ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("{{convert|8,849|m|ft}}", "8,849 m"),
        ("{{convert|1500|to|2000|km2}}", "1,500 to 2,000 km²"),
        ("{{convert|6|ft|2|in|m}}", "6 ft 2 in"),
        ("{{lang|fr|''été''}} {{lang-de|ja}} {{transl|ru|ISO|da}}", "été ja da"),
        ("{{nowrap|a b}} {{small|1=c=d}} {{abbr|e|f}}", "a b c=d e"),
        ("{{flag|France}} {{flagcountry|GER}} {{FRA}}", "France GER FRA"),
        ("{{birth date|1879|3|14|df=y}} {{Birth date and age|1950|May}}", "14 March 1879 May 1950"),
        (
            "{{death date and age|1955|04|18|1879|3|14}} {{dts|18 April 1955}} {{start date|1883}}",
            "18 April 1955 18 April 1955 1883",
        ),
        ("{{sortname|Ada|Lovelace|dab=x}}", "Ada Lovelace"),
        ("a{{nbsp}}b{{ndash}}c{{snd}}d", "a b–c – d"),
        ("{{ubl|a|b}} {{hlist|c|d}}", "a b c d"),
        ("{{IPAc-en|d|ɒ|g}} {{IPA-fr|paʁi}}", "/dɒg/ paʁi"),
        ("{{url|example.org}} {{URL|http://a.org|b}}", "<URL> b"),
        ("{{as of|2020|5}} {{As of|2019|lc=y}}", "As of May 2020 as of 2019"),
        ("{{frac|1|2}} {{frac|3|1|4}} {{frac|8}}", "1/2 3 1/4 1/8"),
        ("a{{citation needed|date=May 2010}}b{{cite web|url=x}}{{sfn|y}} {{age|1900|1|1}}", "ab"),
        ("{{coord|43|42|N|79|24|W}} {{coord|43.7|-79.4}}{{coord|1|2|display=title}}", "43°42′N 79°24′W 43.7°N 79.4°W"),
        ("{{formatnum:1234567}} {{val|1.2|0.1|e=3|u=m}} {{height|ft=6|in=1}}", "1,234,567 1.2±0.1×10³ m 6 ft 1 in"),
        ("{{ship|HMS|Hood|51}} {{HMS|Hood}} {{circa|1500}}", "HMS Hood HMS Hood c. 1500"),
        ("{{DEFAULTSORT:a}}b{{#if:c|d}} {{PAGENAME}}", "b X"),
    ],
)
def test_templates_show_what_a_reader_sees(written: str, shown: str) -> None:
    assert read(written) == [Page("X", page(written).blocks)]
    assert " ".join(sentences(written)) == shown


def test_a_name_to_sort_by_is_one_link() -> None:
    (block,) = page("{{sortname|Ada|King|Ada Lovelace}}").blocks
    assert block == Sentence(0, "Ada King", (Link(0, 8, "Ada Lovelace"),))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("{{main|A}}", ["Main article: A."]),
        ("{{Main article|A|B|C}}", ["Main articles: A, B and C."]),
        ("{{see also|A}}", ["See also: A."]),
        (
            "{{about|dogs|cats|Cat|mice|Mouse}}",
            ["This article is about dogs.", "For cats, see Cat.", "For mice, see Mouse."],
        ),
        ("{{for|a|B}}", ["For a, see B."]),
        ("{{redirect|A|b|C}}", ['"A" redirects here.', "For b, see C."]),
        ("{{distinguish|A}}", ["Not to be confused with A."]),
    ],
)
def test_notes_above_the_text_are_sentences(written: str, shown: list[str]) -> None:
    assert sentences(f"{written}\nText.") == [*shown, "Text."]


def test_unknown_templates_are_left_out_and_told_once() -> None:
    text = "A {{odd|b}} {{Even_more}} {{odd}}{{c1}}{{d1}}{{e1}}{{f1}}."
    assert read(text) == [
        Problem("X", "odd, Even_more, c1, d1, e1", UNKNOWN),
        Page("X", (Sentence(0, "A ."),)),
    ]


def test_signs_spelled_as_templates_make_tables_and_links() -> None:
    text = "{{nowrap|\n{{(!}} class=wikitable\n{{!}} a {{!}}{{!}} {{!((}}b{{!}}c{{))!}}\n{{!)}}\n}}"
    assert rows(text) == [["a", "c"]]


# -- dumps -------------------------------------------------------------------------------------------------

DUMP = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">
  <siteinfo><sitename>W</sitename></siteinfo>
  <page><title>A &amp; B</title><ns>0</ns><id>1</id>
    <revision><id>10</id><text xml:space="preserve">Old.</text></revision>
    <revision><id>11</id><text xml:space="preserve">New [[c]] &lt;ref&gt;d&lt;/ref&gt;.</text></revision></page>
  <page><title>Talk:A</title><ns>1</ns><id>2</id><revision><id>12</id><text>No.</text></revision></page>
  <page><title>E</title><ns>0</ns><id>3</id><redirect title="A &amp; B" />
    <revision><id>13</id><text>#WEITERLEITUNG [[A]]</text></revision></page>
  <page><title>F</title><ns>0</ns><id>4</id><revision><id>14</id><text deleted="deleted" /></revision></page>
  <page><title>G</title><ns>0</ns><id>5</id><revision><id>15</id><text>Last.</text></revision></page>
</mediawiki>"""
FIRST = Page("A & B", (Sentence(0, "New c .", (Link(4, 5, "C"),)),), revision="11")


def read_dump(path: Path) -> list[Page | Redirect | Problem]:
    reader = WikitextReader()
    return [
        found
        for raw in reader.cut(path)
        for found in (reader.parse(raw) if isinstance(raw, RawRecord) else iter((raw,)))
    ]


@pytest.mark.parametrize(
    ("name", "pack"), [("w.xml", bytes), ("w.xml.bz2", bz2.compress), ("w.xml-p1p9.gz", gzip.compress)]
)
def test_a_dump_gives_its_articles_and_redirects(tmp_path: Path, name: str, pack: type[bytes]) -> None:
    path = tmp_path / name
    path.write_bytes(pack(DUMP.encode()))
    assert read_dump(path) == [
        FIRST,
        Redirect("E", "A & B"),
        Problem("F", f"{name}:F", "a page without title or text", lost=True),
        Page("G", (Sentence(0, "Last."),), revision="15"),
    ]


@pytest.mark.parametrize("damage", ["", "</oops>", "\x00", "&unknown;"])
def test_a_damaged_dump_gives_the_pages_before_the_damage(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "w.xml"
    before, after = DUMP[: DUMP.index("<title>F")], DUMP[DUMP.index("<title>F") :]
    path.write_text(before + damage + (after if damage else ""), encoding="utf-8")
    *found, problem = read_dump(path)
    assert found == [FIRST, Redirect("E", "A & B")]
    assert isinstance(problem, Problem)
    assert problem.lost
    assert problem.what.startswith("the file is cut or damaged: ")


def test_a_dump_cut_while_compressed_gives_the_pages_before(tmp_path: Path) -> None:
    path = tmp_path / "w.xml.gz"
    path.write_bytes(gzip.compress(DUMP.encode())[:-40])
    problem = read_dump(path)[-1]
    assert isinstance(problem, Problem)
    assert problem.what.startswith("the file is cut or damaged: ")


# -- hostile pages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 20_000,
        "[[" * 20_000,
        "{{nowrap|a" * 20_000 + "}}" * 20_000,
        "[[a|" * 20_000 + "]]" * 20_000,
        "{{Infobox a|b=" * 20_000 + "}}" * 20_000,
        "<!--" * 20_000,
        "<ref>" * 20_000,
        "<" * 50_000,
        "<ref " + "a" * 100_000,
        '<span style="display:none">' * 20_000,
        "<nowiki>" * 20_000,
        "</poem>" + "<poem>" * 20_000,
        "<ul>" * 20_000 + "<li>a" * 20_000,
        "'" * 50_000 + "''''' '''" * 20_000,
        '{| class="wikitable"\n| a\n' * 20_000,
        "{|\n" * 20_000,
        "*" * 20_000 + "a",
        "=" * 20_000,
        ";" + "a:" * 20_000,
        "{{dts|2000|" + "9" * 20_000 + "|" + "9" * 20_000 + "}} {{x|" + "9" * 20_000 + "=y}}",
        "\x01a\x02b\x03" * 1000,
    ],
)
def test_a_hostile_page_is_read_or_reported(text: str) -> None:
    assert read(text)


def test_spans_that_cover_everything_are_told() -> None:
    text = '{| class="wikitable"\n' + '| rowspan="9999" colspan="9999" | a\n|-\n' * 2000 + "|}"
    problem, found = read(text)
    assert isinstance(problem, Problem)
    assert problem.where == "table_0"
    assert isinstance(found, Page)
    assert len(found.tables[0].rows) == 2000


# -- real pages --------------------------------------------------------------------------------------------

MARKUP = ("[[", "]]", "{{", "}}", "'''", "<ref", "{|", "|}", "&nbsp;", "<span", "<br")


def test_real_pages_are_read_without_a_trace_of_markup(data_folder: Path) -> None:
    files = sorted((data_folder / "wiki" / "wikitext").glob("*.txt"))
    assert files
    for path in files:
        found = read_dump(path)
        assert found, path.name
        for result in found:
            if isinstance(result, Page):
                texts = [text for text, _ in result.texts()]
                assert not [text for text in texts if any(sign in text for sign in MARKUP)], path.name
                assert all(0 <= link.start < link.end <= len(text) for text, links in result.texts() for link in links)


def test_element_ids_are_those_of_the_published_page(data_folder: Path) -> None:
    path = data_folder / "feverous" / "sample_processed_page_with_element_ids.wikitext.txt"
    marked = re.findall(
        r"([^\n]*?)<span style=\"visibility: hidden;[^\"]*\">(_\w+)</span>", path.read_text(encoding="utf-8")
    )
    expected = [(id.lstrip("_"), _words(text)) for text, id in marked if id != "_table_infobox_0"]
    (found,) = read_dump(path)
    assert isinstance(found, Page)
    elements = [element for element in found.elements if element.kind not in (Kind.TITLE, Kind.TABLE)]
    ids = [(str(element.id).removeprefix(f"{found.title}_"), element.text) for element in elements]
    assert ids[:-1] == expected
    assert ids[-1][0] == "sentence_24"
    assert ids[-1][1].startswith("Credits to the contents of this page")


def _words(text: str) -> str:
    """What a line of that page shows: it has links, headings and cells with attributes, nothing else."""
    text = re.sub(r"\[\[[^|\]]*\|([^\]]*)\]\]", r"\1", text)
    return re.sub(r"^(?:== |[!|][^|]*\|)", "", text).strip()


def test_the_bundled_pages_are_read_without_a_problem() -> None:
    folder = Path(__file__).parents[2] / "src" / "veritab" / "corpus" / "almanac" / "pages"
    files = sorted(folder.rglob("*.wiki"))
    assert files
    for path in files:
        for found in read_dump(path):
            assert isinstance(found, Page | Redirect), found
            if isinstance(found, Page):
                assert not [text for text, _ in found.texts() if any(sign in text for sign in MARKUP)], path.name
                assert all(len({len(line) for line in table.places}) == 1 for table in found.tables), path.name


# -- categories --------------------------------------------------------------------------------------------


def test_categories_are_kept_once_each_and_shown_nowhere() -> None:
    read_page = page(
        "It flows.\n\n[[Category:Rivers of Africa|Nile]]\n[[ category : rivers of Africa ]]\n"
        "<!-- [[Category:Hidden]] --> <nowiki>[[Category:Quoted]]</nowiki>\n"
        "See [[:Category:Named only]]. [[Kategorie:Fluss]] [[File:Nile.jpg]]"
    )
    assert read_page.categories == ("Fluss", "Rivers of Africa")
    assert not any("Rivers" in text for text, _ in read_page.texts())
