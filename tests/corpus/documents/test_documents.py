"""Markdown, HTML and text files become pages."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from veritab.corpus.documents import SUFFIXES, DocumentReader, link_target
from veritab.corpus.sources import read_source
from veritab.corpus.streams import RawRecord
from veritab.schema import Item, Link, ListBlock, Page, Problem, Redirect, Section, Sentence, TableBlock

WINDOWS = "bytes that are not UTF-8 were read as Windows-1252"
NOT_TEXT = "not text, though its name says so"
COMPRESSED_SUFFIX = {gzip.compress: ".gz", bz2.compress: ".bz2", lzma.compress: ".xz"}


def parsed(name: str, data: bytes | str, title: str = "") -> list[Page | Redirect | Problem]:
    return list(DocumentReader().parse(RawRecord(name, data.encode() if isinstance(data, str) else data, title)))


def page_of(name: str, data: bytes | str, title: str = "") -> Page:
    (page,) = parsed(name, data, title)
    assert isinstance(page, Page), page
    return page


def told_of(name: str, data: bytes | str) -> tuple[str, Page]:
    """The page a file gives and the one problem told of it."""
    problem, page = parsed(name, data)
    assert isinstance(problem, Problem), problem
    assert isinstance(page, Page), page
    return problem.what, page


def texts(page: Page, kind: type) -> list[str]:
    return [block.text for block in page.blocks if type(block) is kind]  # type: ignore[union-attr]


def grid(page: Page, number: int = 0) -> list[list[str]]:
    return [[cell.text for cell in row] for row in page.table(number).rows]


def items(page: Page) -> list[Item]:
    return [item for block in page.blocks if isinstance(block, ListBlock) for item in block.items]


# -- files -------------------------------------------------------------------------------------------------


def test_a_reader_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(DocumentReader())) == DocumentReader()


def test_all_promised_suffixes_are_read() -> None:
    expected = ".md .markdown .html .htm .txt .text .csv .tsv .xlsx .docx .pdf"
    assert set(expected.split()) == SUFFIXES


def test_a_file_is_cut_as_one_record_and_named_by_its_stem(tmp_path: Path) -> None:
    path = tmp_path / "annual_report.v2.md"
    path.write_text("Sales rose.")
    (raw,) = DocumentReader().cut(path)
    assert raw == RawRecord("annual_report.v2.md", b"Sales rose.", file="annual_report.v2.md")
    assert isinstance(raw, RawRecord)
    assert list(DocumentReader().parse(raw)) == [Page("annual_report.v2", (Sentence(0, "Sales rose."),))]


def test_the_title_of_the_caller_comes_first_and_is_normalised() -> None:
    assert page_of("x.md", "A.", "reports/annual-2023").title == "reports/annual-2023"
    assert page_of("Cafe\u0301.TXT", "A.").title == "Café"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize(
    ("suffix", "data"),
    [(".txt", b"Sales rose."), (".md", b"*Sales* rose."), (".html", b"<p>Sales rose.</p>"), (".HTM", b"Sales rose.")],
)
def test_a_compressed_file_is_read_by_the_suffix_inside_its_name(
    tmp_path: Path, compress: Callable[[bytes], bytes], suffix: str, data: bytes
) -> None:
    path = tmp_path / f"notes.v2{suffix}{COMPRESSED_SUFFIX[compress]}"
    path.write_bytes(compress(data))
    assert list(read_source(path)) == [Page("notes.v2", (Sentence(0, "Sales rose."),))]


def test_compressed_tables_are_read_by_the_suffix_inside_their_name(tmp_path: Path) -> None:
    path = tmp_path / "sales.csv.xz"
    path.write_bytes(lzma.compress(b"Country,Sales\nNorway,12\n"))
    (page,) = read_source(path)
    assert isinstance(page, Page)
    assert grid(page) == [["Country", "Sales"], ["Norway", "12"]]


def test_a_file_of_another_kind_is_lost_with_a_reason() -> None:
    assert parsed("x.odt", "A.") == [Problem("x", "x.odt", "no reader for files of this kind", lost=True)]


@pytest.mark.parametrize("suffix", sorted(SUFFIXES - {".xlsx", ".docx", ".pdf"}))
@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_lost_with_a_reason(suffix: str, data: bytes) -> None:
    assert parsed(f"x{suffix}", data) == [Problem("x", f"x{suffix}", "nothing to read in it", lost=True)]


def test_a_line_of_two_hundred_megabytes_is_lost_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    assert list(DocumentReader().cut(path)) == [Problem("", "long.txt", "a document is larger than 16 MB", lost=True)]


@pytest.mark.parametrize("suffix", [".md", ".html", ".txt", ".csv", ".tsv"])
@pytest.mark.parametrize("data", [b"\x00" * 5000, bytes(range(256)) * 20])
def test_a_binary_file_is_lost_with_a_reason(suffix: str, data: bytes) -> None:
    assert parsed(f"x{suffix}", data) == [Problem("x", f"x{suffix}", NOT_TEXT, lost=True)]


@pytest.mark.parametrize("suffix", [".csv", ".html", ".md", ".txt"])
@pytest.mark.parametrize("data", [b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", b"PK\x03\x04a zip"])
def test_a_file_of_another_kind_is_not_read_as_text(suffix: str, data: bytes) -> None:
    assert parsed(f"x{suffix}", data) == [Problem("x", f"x{suffix}", NOT_TEXT, lost=True)]


@pytest.mark.parametrize("suffix", [".md", ".html", ".txt"])
def test_a_stray_nul_byte_is_left_out_and_told_of(suffix: str) -> None:
    what, page = told_of(f"x{suffix}", b"Sales \x00\x01rose a lot in the year.")
    assert what == "control characters were removed"
    assert texts(page, Sentence) == ["Sales rose a lot in the year."]


# -- characters --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".md", ".html", ".txt"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(suffix: str, encoding: str) -> None:
    assert texts(page_of(f"x{suffix}", "Zoë ate crème brûlée.".encode(encoding)), Sentence) == ["Zoë ate crème brûlée."]


@pytest.mark.parametrize("suffix", [".md", ".html", ".txt"])
def test_what_is_not_utf8_is_read_as_windows_1252(suffix: str) -> None:
    problem, page = parsed(f"x{suffix}", "Zoë paid 5 €.".encode("cp1252"))
    assert problem == Problem("x", f"x{suffix}", WINDOWS)
    assert isinstance(page, Page)
    assert texts(page, Sentence) == ["Zoë paid 5 €."]


def test_one_bad_byte_among_good_ones_is_replaced() -> None:
    problem, page = parsed("x.txt", "Zoë ate crème brûlée.".encode() + b" Caf\xc3")
    assert problem == Problem("x", "x.txt", "bytes that are not UTF-8 were replaced")
    assert isinstance(page, Page)
    assert texts(page, Sentence) == ["Zoë ate crème brûlée.", "Caf\ufffd"]


@pytest.mark.parametrize(
    "meta",
    [
        '<meta charset="windows-1251">',
        "<META CHARSET=windows-1251>",
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
    ],
)
def test_a_page_declares_its_characters(meta: str) -> None:
    page = page_of("x.html", f"<html><head>{meta}</head><p>Москва</p>".encode("cp1251"))
    assert texts(page, Sentence) == ["Москва"]


def test_latin_1_means_windows_1252_as_in_browsers() -> None:
    assert texts(page_of("x.html", '<meta charset="iso-8859-1"><p>5 €'.encode("cp1252")), Sentence) == ["5 €"]


@pytest.mark.parametrize("charset", ["zlib", "base64", "utf-7", "unicode_escape", "no-such", "utf-16"])
def test_a_declared_codec_that_is_no_character_set_is_ignored(charset: str) -> None:
    assert texts(page_of("x.html", f'<meta charset="{charset}"><p>Zoë +AGE-'), Sentence) == ["Zoë +AGE-"]


def test_bytes_outside_the_declared_character_set_are_replaced() -> None:
    problem, page = parsed("x.html", b'<meta charset="euc-jp"><p>\xc6\xfc\xcb\xdc \xff end')
    assert problem == Problem("x", "x.html", "bytes outside the declared character set were replaced")
    assert isinstance(page, Page)
    assert texts(page, Sentence) == ["日本 \ufffd end"]


# -- links -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("../x/other.md#part", "x/other"),
        ("other.HTML", "reports/other"),
        ("./deep/er/page.docx?raw=1", "reports/deep/er/page"),
        ("a%20b%C3%A9.md", "reports/a bé"),
        ("/top.md", "top"),
        ("wiki-style", "reports/wiki-style"),
        ("#part", ""),
        ("../../outside.md", ""),
        ("https://example.org/x.md", ""),
        ("//example.org/x.md", ""),
        ("mailto:a@example.org", ""),
        ("picture.png", ""),
        ("folder/", ""),
        ("..", ""),
        ("", ""),
        ("http://[broken", ""),
    ],
)
def test_a_relative_address_names_the_title_of_a_document(href: str, target: str) -> None:
    assert link_target(href, "reports/annual-2023") == target


def test_links_to_documents_are_kept_and_web_addresses_stay_text() -> None:
    page = page_of("x.md", "See [the *plan*](../b.md) or [us](https://a.org) at https://a.org/x.", "reports/x")
    sentence = page.blocks[0]
    assert sentence == Sentence(0, "See the plan or us at https://a.org/x.", (Link(4, 12, "b"),))


# -- Markdown ----------------------------------------------------------------------------------------------

MARKDOWN = """---
title: not read
tags: [a, b]
---
# Annual report

Sales *rose* by **5 %**. Costs
fell ~~a little~~.

Details
-------

1. First
   - inner [link](other.md)
2. Second

| Country | 2022 | 2023 |
|---------|-----:|------|
| Norway  | 10   | 12   |
| a \\| b | 20 | 25 | surplus | more |
| short |

<table><caption>Raw</caption><tr><th>k</th><td rowspan="2">v</td></tr></table>

```
code = 1
```
"""


def test_markdown_has_sections_sentences_lists_and_tables() -> None:
    page = page_of("x.md", MARKDOWN)
    assert page.blocks[:5] == (
        Section(0, "Annual report", 1),
        Sentence(0, "Sales rose by 5 %."),
        Sentence(1, "Costs fell a little.", offset=19),
        Section(1, "Details", 2),
        ListBlock(
            0,
            (
                Item("First", ordered=True),
                Item("inner link", (Link(6, 10, "other"),), level=1),
                Item("Second", ordered=True),
            ),
        ),
    )
    assert texts(page, Sentence)[-1] == "code = 1"
    assert page.table(1).caption == "Raw"
    assert grid(page, 1) == [["k", "v"]]


def test_a_ragged_markdown_table_keeps_every_cell() -> None:
    page = page_of("x.md", MARKDOWN)
    assert grid(page) == [
        ["Country", "2022", "2023"],
        ["Norway", "10", "12"],
        ["a | b", "20", "25", "surplus", "more"],
        ["short", "", ""],
    ]
    assert [[cell.header for cell in row] for row in page.table(0).rows[:2]] == [[True] * 3, [False] * 3]


def test_surplus_cells_are_found_in_quotations_and_lists_too() -> None:
    page = page_of("x.md", "> | a | b |\n> |---|---|\n> 1 | 2 | 3\n\n- | c | d |\n  |---|---|\n  | 4 | 5 | 6 |\n")
    assert grid(page) == [["a", "b"], ["1", "2", "3"]]
    assert grid(page, 1) == [["c", "d"], ["4", "5", "6"]]


def test_dashes_that_open_no_front_matter_are_a_rule() -> None:
    assert texts(page_of("x.md", "---\n\nA.\n\n---\n\nB."), Sentence) == ["A.", "B."]
    assert texts(page_of("x.md", "---\nkey: value\nnever closed"), Sentence) == ["key: value never closed"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_front_matter_is_left_out_whatever_ends_its_lines(line_end: str) -> None:
    text = "---\ntitle: not read\n\nmore: of it\n--- \nA.\n\n---\nB."
    assert texts(page_of("x.md", text.replace("\n", line_end)), Sentence) == ["A.", "B."]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_front_matter_that_never_ends_is_text(line_end: str) -> None:
    page = page_of("x.md", f"---{line_end}" + f"Sales rose.{line_end}" * 20_000)
    assert len(texts(page, Sentence)) == 20_000


def test_a_markdown_list_fifty_deep_keeps_every_level() -> None:
    found = items(page_of("x.md", "\n".join("  " * depth + f"- level {depth}" for depth in range(50))))
    assert [(item.text, item.level) for item in found] == [(f"level {depth}", depth) for depth in range(50)]


def test_markdown_nested_beyond_reason_is_read_as_text() -> None:
    problem, page = parsed("x.md", ">" * 2000 + " deep")
    assert problem == Problem("x", "x.md", "nested too deeply for Markdown; read as text")
    assert isinstance(page, Page)
    assert texts(page, Sentence)[0].endswith("> deep")


@pytest.mark.parametrize("hostile", ["[", "![", "*a **b ", "<", "[a](", "\\\\", "&#"])
def test_markdown_of_nothing_but_marks_is_kept_as_text(hostile: str) -> None:
    read = "".join(texts(page_of("x.md", hostile * 2000), Sentence))
    assert read.replace(" ", "") == hostile.replace(" ", "").replace("\\\\", "\\") * 2000


@pytest.mark.parametrize("hostile", ["`" * 3 + " ", "<!--"])
def test_markdown_of_nothing_but_empty_marks_is_a_problem(hostile: str) -> None:
    assert parsed("x.md", hostile * 2000) == [Problem("x", "x.md", "nothing to read in it", lost=True)]


# -- HTML --------------------------------------------------------------------------------------------------


def test_html_leaves_navigation_and_machinery_out() -> None:
    page = page_of(
        "x.html",
        """<!doctype html><html><head><title>t</title><style>p{}</style></head><body>
        <nav>Home</nav><div role="navigation">Menu</div><ul class="nav"><li>Tab</li></ul><div hidden>secret</div>
        <h1>Report<a class="headerlink" href="#r">¶</a></h1><script>x()</script><p>Sales rose.</p>
        <footer><p>Printed on paper.</p><ul><li><a href="/a">About</a></li><li><a href="/b">Jobs</a></li></ul>
        <ol><li>A note with <a href="#x">a link</a>.</li></ol></footer></body></html>""",
    )
    assert page.blocks == (
        Section(0, "Report", 1),
        Sentence(0, "Sales rose."),
        Sentence(1, "Printed on paper."),
        ListBlock(0, (Item("A note with a link.", ordered=True),)),
    )


def test_a_figure_gives_its_caption_to_its_table() -> None:
    page = page_of(
        "x.html",
        "<figure><table><tr><th>a<th>b<tr><td>1<td>2</table><figcaption>Sales</figcaption></figure>"
        "<figure><img src=x><figcaption>A picture of it.</figcaption></figure>",
    )
    assert page.table(0).caption == "Sales"
    assert texts(page, Sentence) == ["A picture of it."]


def test_cells_keep_spans_headers_and_links() -> None:
    page = page_of("x.html", '<table><tr><th colspan="2">h<tr><td rowspan=2><a href="y.md">y</a><br>z<td>1</table>')
    (header,), (cell, _) = page.table(0).rows
    assert (header.text, header.header, header.column_span) == ("h", True, 2)
    assert (cell.text, cell.links, cell.header) == ("y\nz", (Link(0, 1, "y"),), False)


@pytest.mark.parametrize(
    "table",
    [
        '<table role="presentation"><tr><td>Sales rose.</td><td>Costs fell.</td></tr></table>',
        "<table><tr><td><h2>A</h2>Sales rose.</td><td>Costs fell.</td></tr></table>",
        "<table><tr><td>Sales rose.<p>Costs fell.</p></td></tr></table>",
    ],
)
def test_a_layout_table_is_prose(table: str) -> None:
    page = page_of("x.html", table)
    assert not page.tables
    assert texts(page, Sentence) == ["Sales rose.", "Costs fell."]


def test_tables_nested_five_deep_leave_the_innermost_as_data() -> None:
    inner = "<table><tr><td>Norway</td><td>12</td></tr></table>"
    for depth in range(4):
        inner = f"<table><tr><td>level {depth}</td><td>{inner}</td></tr></table>"
    page = page_of("x.html", inner)
    assert len(page.tables) == 1
    assert grid(page) == [["Norway", "12"]]
    assert texts(page, Sentence) == ["level 3", "level 2", "level 1", "level 0"]


def test_a_table_in_the_cell_of_a_data_table_is_a_table_of_its_own() -> None:
    page = page_of("x.html", "<table><tr><th>a<th>b<tr><td>1<td><table><tr><td>x<td>y</table></table>")
    assert grid(page) == [["a", "b"], ["1", ""]]
    assert grid(page, 1) == [["x", "y"]]


def test_an_absurd_span_is_bounded() -> None:
    what, page = told_of(
        "x.html", '<table><tr><td colspan="99999">a</td><td rowspan="99999">b</td></tr><tr><td>c</table>'
    )
    assert what == "a span over more than 1,000 columns; taken as so many"
    assert [cell.column_span for cell in page.table(0).rows[0]] == [1000, 1]
    assert page.table(0).width == 1001


def test_ten_thousand_columns_are_kept() -> None:
    page = page_of("x.html", "<table><tr>" + "".join(f"<td>{n}" for n in range(10_000)) + "</table>")
    assert page.table(0).width == 10_000
    page = page_of("x.md", "|".join("h" * 10_000) + "\n" + "|".join("-" * 10_000) + "\n")
    assert page.table(0).width == 10_000


def test_an_html_list_fifty_deep_keeps_every_level() -> None:
    found = items(page_of("x.html", "".join(f"<ul><li>level {depth}" for depth in range(50))))
    assert [(item.text, item.level) for item in found] == [(f"level {depth}", depth) for depth in range(50)]


def test_a_page_cut_in_the_middle_keeps_what_came_before() -> None:
    whole = "<html><body><h1>Report</h1><p>Sales rose.</p><table><tr><th>Country<th>Sales<tr><td>Norway<td>12"
    what, page = told_of("x.html", whole + "</td></tr><tr><td cla")
    assert what == "a table is never closed: the page may be cut"
    assert texts(page, Sentence) == ["Sales rose."]
    assert grid(page)[:2] == [["Country", "Sales"], ["Norway", "12"]]


def test_elements_nested_beyond_reason_end_in_no_error() -> None:
    for tag in ("div", "table><tr><td", "ul><li", "span", "footer><ul><li", "figure"):
        assert parsed("x.html", f"<{tag}>" * 3000 + "deep")


# -- text --------------------------------------------------------------------------------------------------

TEXT = """Annual report
=============

Sales rose
by 5 %. Costs fell.

1. Outlook
----------
We expect:
- growth,
  steady
- profit
    * large

      of all kinds

After the list. A wrapped line may hold 12
- 3 of them as text.

1. One
2) Two

- Other
***
https://example.org stays.
"""


def test_text_has_headings_paragraphs_and_lists() -> None:
    assert page_of("x.txt", TEXT).blocks == (
        Section(0, "Annual report", 1),
        Sentence(0, "Sales rose by 5 %."),
        Sentence(1, "Costs fell.", offset=19),
        Section(1, "1. Outlook", 2),
        Sentence(2, "We expect:"),
        ListBlock(0, (Item("growth, steady"), Item("profit"), Item("large of all kinds", level=1))),
        Sentence(3, "After the list."),
        Sentence(4, "A wrapped line may hold 12 - 3 of them as text.", offset=16),
        ListBlock(1, (Item("One", ordered=True), Item("Two", ordered=True))),
        ListBlock(2, (Item("Other"),)),
        Sentence(5, "https://example.org stays."),
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_any_line_end_will_do(line_end: str) -> None:
    assert texts(page_of("x.txt", "One\ntwo.\n\nThree.\n".replace("\n", line_end)), Sentence) == ["One two.", "Three."]


def test_a_text_list_fifty_deep_keeps_every_level() -> None:
    found = items(page_of("x.txt", "\n".join(" " * depth + f"- level {depth}" for depth in range(50))))
    assert [(item.text, item.level) for item in found] == [(f"level {depth}", depth) for depth in range(50)]


def test_a_long_line_is_read_whole() -> None:
    assert len(texts(page_of("x.txt", "Sales rose. " * 100_000), Sentence)) == 100_000


def test_real_wikitext_files_read_as_text_give_pages(data_folder: Path) -> None:
    files = sorted((data_folder / "wiki" / "wikitext").glob("*.txt"))[:10]
    assert files
    for path in files:
        (raw,) = DocumentReader().cut(path)
        assert isinstance(raw, RawRecord)
        page = list(DocumentReader().parse(raw))[-1]
        assert isinstance(page, Page)
        assert any(isinstance(block, Sentence | TableBlock | ListBlock) for block in page.blocks)
