"""FEVEROUS pages: read as they are, written so that they read back the same."""

from __future__ import annotations

import gzip
import json
import sqlite3
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.corpus.draft import Draft
from veritab.corpus.feverous import (
    FeverousDatabase,
    FeverousReader,
    dump,
    page_from_json,
    page_to_json,
    read_text,
    write_jsonl,
    write_sqlite,
    write_text,
)
from veritab.corpus.inline import clean_line, clean_lines, link_mark
from veritab.corpus.packing import pack, unpack
from veritab.corpus.streams import RawRecord
from veritab.errors import DamagedStore, FormatError, NotFound
from veritab.schema import Cell, ElementId, Item, Link, Page, Problem, Redirect, Sentence

MARKUP = st.text(alphabet="ab [']|&;#_<>/ref{}lt=é\u0301\n", max_size=14)
TARGETS = st.sampled_from(["London", "A_b", "C&D", "AT&amp;T", "x|y", "[z]", "Pi (π)", "É"])
TEXTS = st.lists(st.one_of(MARKUP, st.builds(link_mark, TARGETS, MARKUP)), max_size=5).map("".join)


@st.composite
def pages(draw: st.DrawFn) -> Page:
    """Any page a reader could have made."""
    draft = Draft(
        draw(st.sampled_from(["P", "Brasília", "A_b", "X_header"])), revision=draw(st.sampled_from(["", "7"]))
    )
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.integers(0, 4))
        text, links = clean_line(draw(TEXTS), urls=False)
        if kind == 0 and text:
            draft.section(text, draw(st.integers(1, 6)), links)
        elif kind == 1 and text:
            draft.paragraph(text, links)
        elif kind == 2 and text:
            draft.passage(text, links)
        elif kind == 3:
            levels = draw(st.lists(st.tuples(st.integers(0, 1), TEXTS), min_size=1, max_size=4))
            level = -1
            items = []
            for deeper, raw in levels:
                level = min(level + 1, level + deeper) if level >= 0 else 0
                items.append(Item(*clean_line(raw, urls=False), level, draw(st.booleans()) if level != 0 else False))
            draft.list(_same_order_on_a_level(items))
        else:
            cells = st.builds(
                lambda raw, header, down, across: Cell(
                    *clean_lines(raw.replace("\n", "\x04"), urls=False), header, down, across
                ),
                TEXTS,
                st.booleans(),
                st.integers(1, 3),
                st.integers(1, 3),
            )
            draft.table(
                draw(st.lists(st.lists(cells, max_size=3), max_size=3)), text, links, infobox=draw(st.booleans())
            )
    return draft.page()


def _same_order_on_a_level(items: Iterable[Item]) -> list[Item]:
    """Items of one list are all numbered or all not, as in every source."""
    kept = [item for item in items if item.text]
    if not kept:
        return []
    # The first item opens the list, so it stands at its outermost level.
    base = kept[0].level
    kept = [item._replace(level=max(item.level - base, 0)) for item in kept]
    known: dict[int, bool] = {}
    out = []
    for item in kept:
        known = {level: ordered for level, ordered in known.items() if level <= item.level}
        out.append(item._replace(ordered=known.setdefault(item.level, item.ordered)))
    return out


def read_back(line: str) -> Page:
    (page,) = [one for one in page_from_json(json.loads(line)) if isinstance(one, Page)]
    return page


@given(pages())
def test_a_page_written_and_read_again_is_the_same_page_byte_for_byte(page: Page) -> None:
    if not page.blocks:
        return
    line = dump(page)
    again = read_back(line)
    assert again == page
    assert dump(again) == line


@given(pages())
def test_a_page_packed_for_the_store_unpacks_to_itself(page: Page) -> None:
    assert unpack(page.title, pack(page), "", page.revision) == page


@given(TEXTS)
def test_text_in_feverous_notation_reads_back(raw: str) -> None:
    text, links = clean_line(raw, urls=False)
    assert read_text(write_text(text, links)) == (text, links)


@pytest.mark.parametrize(
    ("raw", "text", "links"),
    [
        ("The [[Roman_Republic|Republic]] fell.", "The Republic fell.", (Link(4, 12, "Roman Republic"),)),
        (
            "In [[Veii]] and [[Po_(river)#Delta|the Po]].",
            "In Veii and the Po.",
            (Link(3, 7, "Veii"), Link(12, 18, "Po (river)")),
        ),
        ("The [[A|U.S.", "The U.S.", ()),
        ("Department]] of State", "Department of State", ()),
        ("an [[x [[A|a]] b", "an x a b", (Link(5, 6, "A"),)),
        ("[[A|b|c]] d", "c d", (Link(0, 1, "A"),)),
        ("empty [[|]] link", "empty link", ()),
        ("AT&amp;T &lt; x", "AT&T < x", ()),
        ("''it'' {{{1}}}</ref> ends", "it ends", ()),
    ],
)
def test_what_the_dump_gets_wrong_reads_as_a_person_would_read_it(raw: str, text: str, links: tuple[Link, ...]) -> None:
    assert read_text(raw) == (text, links)


RECORD = {
    "title": "Sa\u0303o",
    "order": ["sentence_0", "section_0", "table_0", "list_0", "sentence_2", "sentence_9"],
    "sentence_0": "One [[B|b]].",
    "section_0": {"value": "S", "level": 2},
    "table_0": {
        "type": "infobox",
        "caption": "C",
        "table": [
            [{"id": "header_cell_0_0_0", "value": "H", "is_header": True, "row_span": "1", "column_span": "2"}],
            [
                {"id": "cell_0_1_0", "value": "x", "is_header": False, "row_span": 1, "column_span": 1},
                {"id": "cell_0_1_1", "value": "y", "is_header": False, "row_span": 1, "column_span": 1},
                {"id": "cell_0_1_2", "value": "over-wide", "is_header": False, "row_span": 1, "column_span": 1},
            ],
            [{"id": "cell_0_2_0", "value": "short", "is_header": False, "row_span": 1, "column_span": 1}],
        ],
    },
    "list_0": {
        "type": "unordered_list",
        "list": [
            {"id": "item_0_0", "value": "a", "level": 0, "type": "ordered_list"},
            {"id": "item_0_1", "value": "b", "level": 1},
        ],
    },
    "sentence_2": "Three.",
}


def test_a_published_record_reads_with_every_cell_and_its_gaps() -> None:
    found = list(page_from_json(RECORD))
    assert found[0] == Problem("São", "sentence_9", "`order` names something the page does not hold")
    page = found[1]
    assert isinstance(page, Page)
    assert page.title == "São"
    assert [str(element.id) for element in page.elements] == [
        "São_title",
        "São_sentence_0",
        "São_section_0",
        "São_table_0",
        "São_table_caption_0",
        "São_header_cell_0_0_0",
        "São_cell_0_1_0",
        "São_cell_0_1_1",
        "São_cell_0_1_2",
        "São_cell_0_2_0",
        "São_list_0",
        "São_item_0_0",
        "São_item_0_1",
        "São_sentence_2",
    ]
    assert page.blocks[3].items[1].ordered  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"sentence_0": 7}, "content of the wrong shape: TypeError"),
        ({"section_0": [1]}, "content of the wrong shape: TypeError"),
        ({"table_0": {"type": "table"}}, "content of the wrong shape: KeyError"),
        (
            {"table_0": {"type": "table", "table": [None, [{"value": "x"}]]}},
            "a row that is no list of cells; left empty",
        ),
        ({"sentence_3": "Unlisted."}, "content that `order` does not name; added at the end"),
    ],
)
def test_a_damaged_part_is_told_of_and_the_rest_kept(change: dict[str, object], what: str) -> None:
    found = list(page_from_json(RECORD | change))
    assert what in [one.what for one in found if isinstance(one, Problem)]
    assert any(isinstance(one, Page) for one in found)


def test_a_record_without_title_and_a_line_that_is_no_json_are_lost() -> None:
    reader = FeverousReader()
    for data in (b'{"order": []}', b"{", b"[1]", b"\xff"):
        (problem,) = reader.parse(RawRecord("f:1", data))
        assert isinstance(problem, Problem)
        assert problem.lost


@pytest.fixture
def sample() -> list[Page | Redirect]:
    return [
        Page("Brasília", (Sentence(0, "It is the capital of Brazil.", (Link(21, 27, "Brazil"),)),)),
        Page("Brazil", (Sentence(0, "A country."),), revision="9"),
        Redirect("Brasil", "Brazil"),
    ]


@pytest.mark.parametrize(("name", "write"), [("out.jsonl", write_jsonl), ("out.db", write_sqlite)])
def test_a_corpus_written_to_a_file_reads_back(
    name: str, write: object, sample: list[Page | Redirect], tmp_path: Path
) -> None:
    path = tmp_path / name
    assert list(write(sample, path)) == sample  # type: ignore[operator]
    reader = FeverousReader()
    read = [one for raw in reader.cut(path) if isinstance(raw, RawRecord) for one in reader.parse(raw)]
    assert read == sample
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_the_database_is_used_in_place_in_either_unicode_form(sample: list[Page | Redirect], tmp_path: Path) -> None:
    path = tmp_path / "wiki.db"
    list(write_sqlite(sample, path))
    before = path.read_bytes()
    keys = {key for (key,) in sqlite3.connect(path).execute("SELECT id FROM wiki")}
    assert unicodedata.normalize("NFD", "Brasília") in keys
    with FeverousDatabase(path) as database:
        assert database.page("Brasília") == database.page(unicodedata.normalize("NFD", "Brasília")) == sample[0]
        assert database.page("Brasil") == sample[1]
        assert database.element("Brazil_sentence_0").text == "A country."
        assert list(database.titles()) == ["Brasil", "Brasília", "Brazil"]
        with pytest.raises(NotFound, match=r"no page 'Bolivia' in wiki\.db"):
            database.page("Bolivia")
    assert path.read_bytes() == before


def test_another_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(FormatError, match="not a FEVEROUS database"):
        FeverousDatabase(path)


def test_the_official_ids_all_parse_and_print_back(data_folder: Path) -> None:
    ids = []
    for name in ("official_records_dev50", "official_records_train10"):
        with gzip.open(data_folder / "feverous" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            for line in file:
                for evidence in json.loads(line)["evidence"]:
                    ids += evidence["content"]
                    ids += [near for context in evidence["context"].values() for near in context]
    assert len(ids) > 500
    assert all(str(ElementId.parse(id)) == unicodedata.normalize("NFC", id) for id in ids)


def test_show_json_has_the_keys_that_feverous_has() -> None:
    page = Page("P", (Sentence(0, "One."), Sentence(1, "Two.", (), 5)))
    assert page_to_json(page) == {
        "title": "P",
        "order": ["sentence_0", "sentence_1"],
        "sentence_0": "One.",
        "sentence_1": "Two.",
        "offsets": {"sentence_1": 5},
    }


def test_one_bad_cell_costs_no_table() -> None:
    cells = [{"value": "x", "row_span": "two"}, "loose", None, {"value": 7}]
    found = list(page_from_json({"title": "P", "order": ["table_0"], "table_0": {"table": [cells]}}))
    page = found[-1]
    assert isinstance(page, Page)
    assert [cell.text for cell in page.tables[0].rows[0]] == ["x", "loose", "", "7"]
    assert {one.what for one in found if isinstance(one, Problem)} == {
        "a span that is no number; taken as 1",
        "a cell or item of the wrong shape; only its text is kept",
    }


def test_bullets_and_numbers_side_by_side_read_back() -> None:
    draft = Draft("P")
    draft.list([Item("a"), Item("b", (), 1), Item("c", (), 1, True), Item("d", (), 0, True)])
    assert read_back(dump(draft.page())) == draft.page()


def test_a_circle_of_redirects_in_a_database_leads_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "wiki.db"
    list(write_sqlite([Redirect("A", "B"), Redirect("B", "A"), Page("C", (Sentence(0, "c."),))], path))
    with FeverousDatabase(path) as database:
        with pytest.raises(NotFound, match="no page 'A'"):
            database.page("A")
        assert list(database.redirects()) == [Redirect("A", "B"), Redirect("B", "A")]


def test_a_damaged_database_is_never_read_in_part(tmp_path: Path) -> None:
    path = tmp_path / "wiki.db"
    list(write_sqlite([Page(f"P{n}", (Sentence(0, "text " * 50),)) for n in range(500)], path))
    whole = path.read_bytes()
    path.write_bytes(whole[:40_000] + b"\xff" * 8192 + whole[48_192:])
    with FeverousDatabase(path) as database, pytest.raises(DamagedStore):
        list(database.pages())
    path.write_bytes(whole)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE wiki SET data = 'not json' WHERE id = 'P3'")
    connection.close()
    with FeverousDatabase(path) as database:
        with pytest.raises(DamagedStore, match="not JSON"):
            database.page("P3")
        with pytest.raises(DamagedStore, match="not JSON"):
            list(database.pages())


def test_a_writing_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="cannot write"):
        list(write_sqlite([Redirect("A", "B"), Redirect("A", "C")], tmp_path / "x.db"))
    assert list(tmp_path.iterdir()) == []
