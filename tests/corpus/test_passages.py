"""Passages: tables and JSON lines of them, KILT's pages, and the way from pages to passages and back."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.corpus import passages
from veritab.corpus.draft import Draft
from veritab.corpus.passages import PassageReader, as_passages, split_passages, write_passages
from veritab.corpus.streams import RawRecord
from veritab.errors import FormatError, InputError, NotFound
from veritab.schema import Cell, ElementId, Item, Link, ListBlock, Page, Passage, Problem, Redirect, Section, Sentence
from veritab.text import squeeze, title_form


def read(path: Path, reader: PassageReader = PassageReader()) -> list[Page | Redirect | Problem]:  # noqa: B008
    return [one for raw in reader.cut(path) for one in (reader.parse(raw) if isinstance(raw, RawRecord) else (raw,))]


def parse(*records: dict[str, Any], sentences: bool = False) -> list[Page | Redirect | Problem]:
    data = "\n".join(map(json.dumps, records)).encode()
    return list(PassageReader(sentences).parse(RawRecord("p:1", data)))


def pages_of(results: Iterable[Page | Redirect | Problem]) -> list[Page]:
    return [one for one in results if isinstance(one, Page)]


def problems_of(results: Iterable[Page | Redirect | Problem]) -> list[tuple[str, bool]]:
    return [(one.what, one.lost) for one in results if isinstance(one, Problem)]


def texts(page: Page) -> list[str]:
    return [block.text for block in page.blocks if isinstance(block, Passage)]


def write_lines(path: Path, *lines: dict[str, Any] | str | bytes) -> Path:
    data = [
        line if isinstance(line, bytes) else line.encode() if isinstance(line, str) else json.dumps(line).encode()
        for line in lines
    ]
    path.write_bytes(b"".join(line + b"\n" for line in data))
    return path


# -- tables ------------------------------------------------------------------------------------------------


def test_consecutive_rows_of_one_title_make_one_page(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "psgs.tsv",
        "id\ttext\ttitle",
        "1\tAaron is a prophet.\tAaron",
        '2\t"He said ""no"" to them."\tAaron',
        '3\tIt is a song.\t"""Heroes"" (song)"',
    )
    assert [raw.where for raw in PassageReader().cut(path)] == ["psgs.tsv:2-3", "psgs.tsv:4"]
    aaron, heroes = pages_of(read(path))
    assert texts(aaron) == ["Aaron is a prophet.", 'He said "no" to them.']
    assert aaron.element(ElementId.parse("Aaron_passage_1")).text == 'He said "no" to them.'
    assert heroes.title == '"Heroes" (song)'


def test_quotation_marks_that_are_no_csv_stay(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.tsv", "id\ttext\ttitle", '1\t"A" and "B"\tX', '2\t"half\tX')
    assert [texts(page) for page in pages_of(read(path))] == [['"A" and "B"', '"half']]


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "p.tsv", b'\xef\xbb\xbf"ID"\tTitle\tText\tyear', "1\tX\tOne.\t1999", "2\tX\tTwo.\t2000"
    )
    assert [texts(page) for page in pages_of(read(path))] == [["One.", "Two."]]


def test_a_table_without_a_header_is_read_as_dpr_orders_it(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.tsv", "1\tOne.\tX", "2\tTwo.\tY")
    assert [(page.title, texts(page)) for page in pages_of(read(path))] == [("X", ["One."]), ("Y", ["Two."])]


def test_a_row_with_too_few_columns_leaves_its_page_whole(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.tsv", "id\ttext\ttitle", "1\tOne.\tX", "2\tbroken", "3\tThree.\tX")
    results = read(path)
    assert [texts(page) for page in pages_of(results)] == [["One.", "Three."]]
    assert problems_of(results) == [("a row with too few columns", False)]


def test_a_row_with_too_few_columns_on_its_own_is_lost(tmp_path: Path) -> None:
    assert problems_of(read(write_lines(tmp_path / "p.tsv", "id\ttext\ttitle", "2\tbroken"))) == [
        ("a row with too few columns", True)
    ]


def test_a_tab_inside_the_text_is_told_of_and_kept_as_a_space(tmp_path: Path) -> None:
    results = read(write_lines(tmp_path / "p.tsv", "id\ttext\ttitle", "1\tOne\ttwo\tthree.\tX"))
    assert [(page.title, texts(page)) for page in pages_of(results)] == [("X", ["One two three."])]
    assert problems_of(results) == [("a row with too many columns", False)]


def test_bytes_that_are_not_utf8_are_replaced_and_nul_bytes_dropped(tmp_path: Path) -> None:
    results = read(write_lines(tmp_path / "p.tsv", "id\ttext\ttitle", b"1\tCaf\xe9 n\x00ul \x01x\x02y\x03.\tX"))
    (page,) = pages_of(results)
    assert page.blocks == (Passage(0, "Caf\ufffd nul xy."),)
    assert problems_of(results) == [("bytes that are not UTF-8 were replaced", False)]


@pytest.mark.parametrize("content", [b"", b"id\ttext\ttitle\n", b"\n\n"])
def test_a_file_without_records_holds_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p.tsv"
    path.write_bytes(content)
    assert read(path) == []


def test_a_line_beyond_the_limit_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passages, "LARGEST_RECORD", 2**20)
    path = write_lines(tmp_path / "p.tsv", "x" * 2**21, "id\ttext\ttitle", "1\tOne.\tX")
    results = read(path)
    assert problems_of(results) == [("a line is longer than 1 MB", True)]
    assert [texts(page) for page in pages_of(results)] == [["One."]]


def test_a_group_beyond_the_limit_goes_on_as_another_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passages, "LARGEST_RECORD", 50)
    path = write_lines(tmp_path / "p.tsv", "id\ttext\ttitle", *(f"{n}\tA text of words {n}.\tX" for n in range(4)))
    results = read(path)
    assert [len(texts(page)) for page in pages_of(results)] == [2, 2]
    assert problems_of(results) == [("a page in several pieces", False)]


def test_a_truncated_archive_gives_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv.gz"
    rows = "".join(f"{n}\t{n * 7919} {'x ' * 100}\tPage {n // 2}\n" for n in range(20_000))
    packed = gzip.compress(f"id\ttext\ttitle\n{rows}".encode())
    path.write_bytes(packed[: len(packed) // 2])
    results = read(path)
    assert len(pages_of(results)) > 1000
    (problem,) = [one for one in results if isinstance(one, Problem)]
    assert problem.what.startswith("the file is cut or damaged")


def test_a_missing_file_is_the_callers_to_mend(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read(tmp_path / "absent.tsv")
    (tmp_path / "plain.tsv.gz").write_bytes(b"id\ttext\ttitle\n")
    with pytest.raises(FormatError):
        read(tmp_path / "plain.tsv.gz")


# -- JSON lines --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "title", "text"),
    [
        ({"id": "1", "text": "A town .", "title": "Ulm"}, "Ulm", "A town ."),
        ({"_id": "1", "title": "Ulm", "text": "A town.", "metadata": {"url": "x"}}, "Ulm", "A town."),
        ({"id": 3, "contents": '"Ulm"\nA town.\nOn a river.'}, "Ulm", "A town. On a river."),
        ({"id": 3, "contents": '"A" or "B"\nTwo letters.'}, 'A" or "B', "Two letters."),
        ({"id": "p-9", "contents": "A town."}, "p-9", "A town."),
        ({"_id": 9, "title": "", "text": "A town."}, "9", "A town."),
        (
            {"url": "/wiki/AC/DC", "text": "AC/DC are a band ( from Sydney ) ."},
            "AC/DC",
            "AC/DC are a band (from Sydney).",
        ),
        (
            {"url": "https://en.wikipedia.org/wiki/Ren%C3%A9_%28film%29#Plot", "text": "A film ."},
            "René (film)",
            "A film.",
        ),
        ({"url": "/wiki/Are_We_Done_Yet?", "text": "A film ."}, "Are We Done Yet?", "A film."),
        ({"url": "http://example.org/some/page_one/", "text": "A page ."}, "Page one", "A page."),
    ],
)
def test_each_kind_of_record_gives_a_title_and_a_text(record: dict[str, Any], title: str, text: str) -> None:
    (page,) = parse(record)
    assert isinstance(page, Page)
    assert (page.title, texts(page)) == (title, [text])


def test_consecutive_records_of_one_title_make_one_page(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "p.jsonl",
        {"id": "1", "text": 'One. "title": "Z"', "title": "X"},
        {"id": "2", "text": "Two.", "title": "X"},
        {"id": "3", "contents": '"Y"\nThree.'},
        {"id": "4", "contents": '"Y"\nFour.'},
        {"id": "5", "text": "Five."},
        {"id": "6", "text": "Six."},
    )
    assert [raw.where for raw in PassageReader().cut(path)] == ["p.jsonl:1-2", "p.jsonl:3-4", "p.jsonl:5", "p.jsonl:6"]
    assert [(page.title, len(texts(page))) for page in pages_of(read(path))] == [("X", 2), ("Y", 2), ("5", 1), ("6", 1)]


def test_lines_that_are_no_json_are_told_of(tmp_path: Path) -> None:
    good = {"title": "X", "text": "One."}
    results = read(write_lines(tmp_path / "p.jsonl", "garbage", good, "{broken", b"[" * 100_000, good))
    assert [texts(page) for page in pages_of(results)] == [["One.", "One."]]
    assert problems_of(results) == [
        ("not JSON: Expecting value", True),
        ("not JSON: Expecting property name enclosed in double quotes", False),
        ("not JSON: nested too deeply", False),
    ]


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"title": "X", "text": 5}, ("a record without text", True)),
        ({"title": "X"}, ("a record without text", True)),
        ({"title": "X", "text": ["One."]}, ("a record without text", True)),
        ({"title": ["X"], "text": "One."}, ("a page without a title", True)),
        ({"text": "One."}, ("a page without a title", True)),
        ({"title": "X", "text": " "}, ("an empty page", False)),
        ({"url": "/wiki/X", "text": ""}, ("an empty page", False)),
    ],
)
def test_records_of_wrong_types_are_told_of(record: dict[str, Any], problem: tuple[str, bool]) -> None:
    assert problems_of(parse(record)) == [problem]


def test_passages_become_sentences_on_demand() -> None:
    (page,) = parse(
        {"title": "X", "text": "One is first. Two is second."}, {"title": "X", "text": "Three."}, sentences=True
    )
    assert isinstance(page, Page)
    assert page.blocks == (
        Sentence(0, "One is first."),
        Sentence(1, "Two is second.", (), 14),
        Sentence(2, "Three."),
    )


def test_the_reader_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(PassageReader(sentences=True))) == PassageReader(sentences=True)


# -- KILT --------------------------------------------------------------------------------------------------

KILT: dict[str, Any] = {
    "_id": "290",
    "wikipedia_id": "290",
    "wikipedia_title": "Ulm",
    "text": [
        "Ulm\n",
        "Ulm is a city on the Danube. It is old.\n",
        "Section::::History.\n",
        "BULLET::::- Founded in 850\n",
        "BULLET::::- Besieged\n",
        "BULLET::::-- Twice\n",
        "Section::::History.:Modern times.\n",
        "BULLET::::1. First\n",
        "It has a minster.\n",
    ],
    "anchors": [
        {"text": "minster", "href": "Ulm%20Minster", "paragraph_id": 8, "start": 9, "end": 16},
        {"text": "Danube", "href": "Danube#Course", "paragraph_id": 1, "start": 21, "end": 27},
        {"text": "Besieged", "href": "siege", "paragraph_id": 4, "start": 12, "end": 20},
    ],
}


def test_a_page_of_kilt_keeps_its_sections_lists_and_links() -> None:
    (page,) = parse(KILT)
    assert isinstance(page, Page)
    assert page.title == "Ulm"
    assert page.blocks == (
        Passage(0, "Ulm is a city on the Danube. It is old.", (Link(21, 27, "Danube"),)),
        Section(0, "History", 2),
        ListBlock(0, (Item("Founded in 850"), Item("Besieged", (Link(0, 8, "Siege"),)), Item("Twice", (), 1))),
        Section(1, "Modern times", 3),
        ListBlock(1, (Item("First", (), 0, True),)),
        Passage(1, "It has a minster.", (Link(9, 16, "Ulm Minster"),)),
    )


def test_a_page_of_kilt_becomes_sentences_on_demand() -> None:
    (page,) = parse(KILT, sentences=True)
    assert isinstance(page, Page)
    assert [block.text for block in page.blocks if isinstance(block, Sentence)] == [
        "Ulm is a city on the Danube.",
        "It is old.",
        "It has a minster.",
    ]


@pytest.mark.parametrize(
    "anchor",
    [
        5,
        {},
        {"href": "X", "paragraph_id": 0, "start": 0, "end": 99},
        {"href": "X", "paragraph_id": 7, "start": 0, "end": 1},
        {"href": "X", "paragraph_id": "0", "start": 0, "end": 1},
        {"href": "X", "paragraph_id": 0, "start": 3, "end": 3},
        {"href": 5, "paragraph_id": 0, "start": 0, "end": 3},
        {"href": "X", "text": "Two", "paragraph_id": 0, "start": 0, "end": 3},
        {"href": "X", "paragraph_id": 0, "start": 2, "end": 5},
    ],
)
def test_an_anchor_that_cannot_be_used_is_told_of_once(anchor: Any) -> None:
    good = {"href": "One", "paragraph_id": 0, "start": 0, "end": 3}
    results = parse({"wikipedia_title": "X", "text": ["One \x01two."], "anchors": [good, anchor, anchor]})
    (page,) = pages_of(results)
    assert page.blocks == (Passage(0, "One two.", (Link(0, 3, "One"),)),)
    assert problems_of(results) == [("link anchors not found in their paragraph", False)]


def test_a_paragraph_that_is_not_text_leaves_its_page_whole() -> None:
    results = parse({"wikipedia_title": "X", "text": ["One.", 5, None, "Section::::", "Two."], "anchors": None})
    assert [texts(page) for page in pages_of(results)] == [["One.", "Two."]]
    assert problems_of(results) == [
        ("link anchors not found in their paragraph", False),
        ("a paragraph that is not text", False),
        ("a paragraph that is not text", False),
    ]


# -- from pages to passages --------------------------------------------------------------------------------


def test_text_is_split_after_so_many_words() -> None:
    assert list(split_passages("a b\tc\n d  e", 2)) == ["a b", "c d", "e"]
    assert list(split_passages(" ".join("w" * 250))) == [" ".join("w" * 100)] * 2 + [" ".join("w" * 50)]
    assert list(split_passages("  ")) == []


def test_a_passage_needs_at_least_one_word() -> None:
    with pytest.raises(InputError, match="0 words"):
        list(split_passages("a b", 0))


@given(st.text(), st.integers(1, 7))
def test_no_word_is_lost_or_moved_by_splitting(text: str, size: int) -> None:
    stretches = [passage.split() for passage in split_passages(text, size)]
    assert [word for stretch in stretches for word in stretch] == text.split()
    assert all(len(stretch) == size for stretch in stretches[:-1])


def page_of_everything() -> Page:
    draft = Draft("Ulm", source="here", revision="7")
    draft.sentence("Ulm is a city on the Danube.", (Link(21, 27, "Danube"),))
    draft.sentence("It is old.", number=4)
    draft.section("History", 2)
    draft.list([Item("Founded in 850"), Item("Free Imperial City", (Link(0, 18, "Free imperial city"),))])
    draft.table(
        [
            [Cell("Year", header=True), Cell("Event", header=True), Cell("Where", header=True)],
            [Cell("1376", header=True, row_span=2), Cell("Siege"), Cell("Ulm\nBavaria")],
            [Cell("Treaty"), Cell("")],
        ],
        "Events",
    )
    return draft.page()


def test_passages_do_not_reach_over_a_heading_and_keep_their_links() -> None:
    page = as_passages(page_of_everything(), 5)
    assert page == Page(
        "Ulm",
        (
            Passage(0, "Ulm is a city on"),
            Passage(1, "the Danube. It is old.", (Link(4, 10, "Danube"),)),
            Section(0, "History", 2),
            Passage(2, "Founded in 850 Free Imperial", (Link(15, 28, "Free imperial city"),)),
            Passage(3, "City"),
        ),
        "here",
        "7",
    )
    assert [context.text for context in page.element(ElementId.parse("Ulm_passage_3")).context] == ["Ulm", "History"]


def test_rows_of_tables_become_words_on_demand() -> None:
    page = as_passages(page_of_everything(), tables=True)
    assert texts(page)[-1] == (
        "Founded in 850 Free Imperial City Events "
        "Year: 1376; Event: Siege; Where: Ulm Bavaria. Year: 1376; Event: Treaty."
    )


def test_an_infobox_is_told_by_the_headers_beside_its_values() -> None:
    draft = Draft("Ulm")
    draft.table(
        [
            [Cell("Ulm", header=True, column_span=2)],
            [Cell("State", header=True), Cell("Baden-Württemberg")],
            [Cell("Arms", header=True), Cell("")],
            [Cell("a photograph", column_span=2)],
        ],
        infobox=True,
    )
    assert texts(as_passages(draft.page(), tables=True)) == ["State: Baden-Württemberg. a photograph."]


def test_cutting_twice_is_cutting_once() -> None:
    once = as_passages(page_of_everything(), 3)
    assert as_passages(once, 3) == once


def test_a_page_without_prose_has_no_passages() -> None:
    assert as_passages(Page("X")) == Page("X")


# -- writing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["out.tsv", "out.tsv.gz"])
def test_written_passages_come_back_as_they_were(tmp_path: Path, name: str) -> None:
    pages = [
        Page("Ulm", (Passage(0, 'He said "no".'), Passage(1, '"Quoted"'))),
        Page('"Heroes"', (Passage(0, "1\u00bd tabs are gone"),)),
    ]
    assert write_passages(pages, tmp_path / name) == 3
    assert read(tmp_path / name) == pages


def test_the_table_is_dprs(tmp_path: Path) -> None:
    write_passages([Page("Ulm", (Passage(0, 'A "city".'), Passage(1, "Old.")))], tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text() == 'id\ttext\ttitle\n1\t"A ""city""."\tUlm\n2\tOld.\tUlm\n'


def test_a_page_of_sentences_is_cut_before_it_is_written(tmp_path: Path) -> None:
    page = page_of_everything()
    assert write_passages([page], tmp_path / "out.tsv") == 2
    (back,) = pages_of(read(tmp_path / "out.tsv"))
    assert texts(back) == texts(as_passages(page))


# Without slashes, since a web address does not come back as it was.
words = st.text(st.characters(exclude_categories=["C"], exclude_characters="/")).map(squeeze).filter(bool)


@given(st.dictionaries(words.map(title_form), st.lists(words, min_size=1, max_size=3), max_size=4))
def test_any_passages_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, list[str]]
) -> None:
    pages = [Page(title, tuple(Passage(n, text) for n, text in enumerate(found))) for title, found in content.items()]
    path = tmp_path_factory.mktemp("written") / "out.tsv"
    write_passages(pages, path)
    assert read(path) == pages


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.tsv"
    path.write_text("old")

    def failing() -> Iterator[Page]:
        yield Page("X", (Passage(0, "One."),))
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError):
        write_passages(failing(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_passages_give_the_same_bytes(tmp_path: Path) -> None:
    pages = [Page("X", (Passage(0, "One."),))]
    for name in ("a.tsv.gz", "b.tsv.gz"):
        write_passages(pages, tmp_path / name)
    assert (tmp_path / "a.tsv.gz").read_bytes() == (tmp_path / "b.tsv.gz").read_bytes()


# -- public data -------------------------------------------------------------------------------------------


def test_the_public_introductions_read_without_a_problem(data_folder: Path) -> None:
    path = data_folder / "wiki" / "passages.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path.name} in {path.parent}; the folder that VERITAB_DATA names lacks it")
    reader = PassageReader()
    raws = list(islice(reader.cut(path), 500))
    results = [one for raw in raws if isinstance(raw, RawRecord) for one in reader.parse(raw)]
    assert len(pages_of(results)) == len(raws) == 500
    assert not any(" ," in text or "( " in text for page in pages_of(results) for text in texts(page))
