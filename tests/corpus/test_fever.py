"""FEVER's pages: titles, tokenised text, numbered lines, links, the database, and what is wrong with them."""

from __future__ import annotations

import bz2
import gzip
import json
import pickle
import re
import sqlite3
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.corpus import fever
from veritab.corpus.fever import FeverReader, id_of, title_of
from veritab.corpus.streams import RawRecord
from veritab.corpus.tokenised import detokenise
from veritab.errors import FormatError, NotFound
from veritab.schema import ElementId, Link, Page, Problem, Redirect, Sentence

FOX = {
    "id": "Fox_Broadcasting_Company",
    "text": "The Fox Broadcasting Company -LRB- often shortened to Fox -RRB- is an American English language network .",
    "lines": (
        "0\tThe Fox Broadcasting Company -LRB- often shortened to Fox -RRB- is an American English language network "
        "that is owned by 21st Century Fox .\t21st Century Fox\t21st Century Fox\tAmerican\tUnited States\t"
        "English language\tEnglish language\tnetwork\ttelevision network\n1\t\n2\t\n"
        "3\tIt was launched on October 9 , 1986 , as a competitor to the `` Big Three '' networks .\n4\t"
    ),
}


def read(path: Path) -> list[Page | Redirect | Problem]:
    reader = FeverReader()
    return [one for raw in reader.cut(path) for one in (reader.parse(raw) if isinstance(raw, RawRecord) else (raw,))]


def parse(record: dict[str, Any], **fields: str) -> list[Page | Redirect | Problem]:
    return list(FeverReader().parse(RawRecord("w:1", json.dumps(record).encode(), **fields)))  # type: ignore[arg-type]


def page_of(results: Iterable[Page | Redirect | Problem]) -> Page:
    (page,) = [one for one in results if isinstance(one, Page)]
    return page


def problems_of(results: Iterable[Page | Redirect | Problem]) -> list[tuple[str, bool]]:
    return [(one.what, one.lost) for one in results if isinstance(one, Problem)]


def numbered(page: Page) -> list[tuple[int, str]]:
    return [(block.number, block.text) for block in page.blocks if isinstance(block, Sentence)]


def write_lines(path: Path, *records: dict[str, Any] | bytes) -> Path:
    lines = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in records]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


# -- titles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "title"),
    [
        ("Soul_Food_-LRB-film-RRB-", "Soul Food (film)"),
        ("2001-COLON-_A_Space_Odyssey", "2001: A Space Odyssey"),
        ("-LSB-x-RSB-_-LCB-y-RCB-", "[x] {y}"),
        ("AC/DC", "AC/DC"),
        ("Beyonce\u0301", "Beyoncé"),
    ],
)
def test_an_id_and_its_title_stand_for_each_other(id: str, title: str) -> None:
    assert title_of(id) == title
    assert title_of(id_of(title)) == title


@given(st.text(st.characters(exclude_characters="_-", exclude_categories=("C", "Z"))))
def test_every_title_without_underscores_comes_back_from_its_id(text: str) -> None:
    title = title_of(text)
    assert title_of(id_of(title)) == title


# -- tokenised text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokenised", "natural"),
    [
        ("Apple Inc. , was founded", "Apple Inc., was founded"),
        ("Soul Food -LRB- 1997 -RRB- .", "Soul Food (1997)."),
        ("(  [  ˈdɑːlaɪ  ] (  US  ) )", "([ˈdɑːlaɪ] (US))"),
        ("a -LCB- b -RCB- and -lsb- c -rsb-", "a {b} and [c]"),
        ("`` 7 Things '' is a song", '"7 Things" is a song'),
        ("`` Love or Lust , '' featured", '"Love or Lust," featured'),
        ("`` -LRB- I Ca n't Get No -RRB- Satisfaction ''", '"(I Can\'t Get No) Satisfaction"'),
        ('said " yes " and " no " .', 'said "yes" and "no".'),
        ("women 's tennis , I 'm , we 've , they 'll", "women's tennis, I'm, we've, they'll"),
        ("Do n't Stop", "Don't Stop"),
        ("won the World Drivers ' Championship", "won the World Drivers' Championship"),
        ("Workers ' and Peasants ' Red Army", "Workers' and Peasants' Red Army"),
        ("' A Milli ' , abbreviated", "'A Milli', abbreviated"),
        (
            "the singles ' Misery Business ' , ' Crush ' , and ' X ' .",
            "the singles 'Misery Business', 'Crush', and 'X'.",
        ),
        ("the ` classic ' line-up", "the 'classic' line-up"),
        ("Brian 'Poppa ' Clay", "Brian 'Poppa' Clay"),
        ("in the '70s , hold 'em ' ,", "in the '70s, hold 'em',"),
        ("' How Ya Doin ' ? '", "'How Ya Doin'?'"),
        ("( February 13 , 1919 - October 17 , 1991 )", "(February 13, 1919 - October 17, 1991)"),
        ("1984 -- 85 season", "1984 – 85 season"),
        ("at 318.9 m , .38 and 1,000", "at 318.9 m, .38 and 1,000"),
        ("$ 9.99 million , US$ 5 , # 1 , 50 %", "$9.99 million, US$5, #1, 50%"),
        ("C# 5 and % of # x", "C# 5 and % of # x"),
        ("beginning at 9:00 p.m. EST. .", "beginning at 9:00 p.m. EST."),
        ("Hardwired ... to Self-Destruct", "Hardwired... to Self-Destruct"),
        ("a . . . b", "a... b"),
        ("Gon na Kiss Me Goodbye ? , 'T was", "Gonna Kiss Me Goodbye?, 'Twas"),
        (") It was adapted", ") It was adapted"),
        ("stopped here (", "stopped here ("),
        ("''", '"'),
        ("", ""),
    ],
)
def test_tokenised_text_reads_naturally(tokenised: str, natural: str) -> None:
    assert detokenise(tokenised) == natural


def test_natural_text_stays_as_it_is() -> None:
    text = "He said \"yes\" (twice); the Bells' show, at $9.99 - 50% off - wasn't \"rock 'n' roll\"."
    assert detokenise(text) == text


TOKENS = """
    ' ` `` '' " x s Xs X as , . ... ! ? ( ) [ 's n't -LRB- -RRB- -- - 5 $ # % gon na 'T was 'x 'em 'X x' Inc. C# US$ ’ “
""".split()


@given(st.lists(st.one_of(st.sampled_from(TOKENS), st.text(max_size=4)), max_size=12).map(" ".join))
def test_a_second_pass_changes_nothing(text: str) -> None:
    once = detokenise(text)
    assert detokenise(once) == once


@given(st.lists(st.sampled_from(TOKENS), max_size=12).map(" ".join))
def test_words_and_their_order_survive(text: str) -> None:
    def letters(some: str) -> str:
        return "".join(re.findall(r"\w", re.sub("-[LR]RB-", "", some)))

    assert letters(detokenise(text)) == letters(text)


def test_a_very_long_text_of_quotation_marks_is_read_like_a_short_one() -> None:
    assert detokenise("x ' s ` y '' " * 20_000) == " ".join(["x' s 'y\""] * 20_000)


@pytest.mark.parametrize("bracket", ["(", ")", "( ", "-LRB-", "(x"])
def test_a_very_long_run_of_brackets_is_read_like_a_short_one(bracket: str) -> None:
    assert detokenise(bracket * 150_000) == detokenise(bracket) * 150_000


# -- pages -------------------------------------------------------------------------------------------------


def test_sentences_keep_the_numbers_of_their_lines_and_blank_lines_leave_gaps() -> None:
    page = page_of(parse(FOX))
    assert page.title == "Fox Broadcasting Company"
    assert numbered(page) == [
        (
            0,
            "The Fox Broadcasting Company (often shortened to Fox) is an American English language network that is "
            "owned by 21st Century Fox.",
        ),
        (3, 'It was launched on October 9, 1986, as a competitor to the "Big Three" networks.'),
    ]
    third = page.element(ElementId.parse("Fox Broadcasting Company_sentence_3"))
    assert third.text.startswith("It was launched")


def test_links_are_found_in_any_order_and_point_to_titles() -> None:
    (first, _) = page_of(parse(FOX)).blocks
    assert isinstance(first, Sentence)
    assert [(first.text[link.start : link.end], link.target) for link in first.links] == [
        ("American", "United States"),
        ("English language", "English language"),
        ("network", "Television network"),
        ("21st Century Fox", "21st Century Fox"),
    ]


def links_of(lines: str) -> tuple[list[tuple[str, str]], list[tuple[str, bool]]]:
    results = parse({"id": "A", "lines": lines})
    (block,) = page_of(results).blocks
    assert isinstance(block, Sentence)
    return [(block.text[link.start : link.end], link.target) for link in block.links], problems_of(results)


def test_a_repeated_anchor_takes_the_next_place() -> None:
    page = page_of(parse({"id": "A", "lines": "0\tParis and Paris .\tParis\tParis\tParis\tParis,_Texas"}))
    assert page.blocks[0].links == (Link(0, 5, "Paris"), Link(10, 15, "Paris, Texas"))  # type: ignore[union-attr]


def test_a_longer_anchor_keeps_its_place_from_a_shorter_one() -> None:
    links, problems = links_of("0\tNew York City is big .\tNew York\tNew_York\tNew York City\tNew_York_City")
    assert links == [("New York City", "New York City")]
    assert problems == [("link anchors inside longer ones", False)]


def test_an_anchor_prefers_whole_words_and_never_begins_inside_one() -> None:
    assert links_of("0\tArtists like art and buses .\tart\tArt\tbus\tBus\tists\tX") == (
        [("art", "Art"), ("bus", "Bus")],
        [("link anchors inside longer ones", False)],
    )


def test_anchors_that_are_not_found_are_told_of_once_for_a_page() -> None:
    links, problems = links_of("0\tOne sentence .\tTwo\tTwo\tThree\tThree\tsentence\tSentence_-LRB-word-RRB-#Use\tlone")
    assert links == [("sentence", "Sentence (word)")]
    assert problems == [("link anchors not found in their sentence", False)]


def test_an_anchor_is_detokenised_like_its_sentence() -> None:
    assert links_of("0\tThe men 's event -LRB- 2012 -RRB- .\tmen 's event -LRB- 2012 -RRB-\tEvent")[0] == [
        ("men's event (2012)", "Event")
    ]


def test_stray_newlines_stay_inside_their_sentence() -> None:
    page = page_of(parse({"id": "A", "lines": "0\tOne\nhalf and 7\nhalf .\n1\tTwo .\n"}))
    assert numbered(page) == [(0, "One half and 7 half."), (1, "Two.")]


def test_lines_out_of_order_keep_their_numbers_and_repeated_ones_get_new_ones() -> None:
    results = parse({"id": "A", "lines": "2\tTwo .\n0\tZero .\n2\tAgain .\n5\tFive ."})
    assert numbered(page_of(results)) == [(2, "Two."), (0, "Zero."), (6, "Again."), (5, "Five.")]
    assert problems_of(results) == [("line numbers out of order or repeated", False)]


def test_a_line_without_a_number_is_kept() -> None:
    results = parse({"id": "A", "lines": "No number here .\n0\tZero ."})
    assert numbered(page_of(results)) == [(1, "No number here."), (0, "Zero.")]
    assert problems_of(results) == [("a line without a number", False)]


@pytest.mark.parametrize("lines", ["", "  ", "0\t\n1\t", "\n"])
def test_an_empty_page_is_told_of_and_not_lost(lines: str) -> None:
    assert problems_of(parse({"id": "Empty", "text": "", "lines": lines})) == [("an empty page", False)]


def test_the_nameless_record_that_begins_the_dump_is_an_empty_page() -> None:
    assert problems_of(parse({"id": "", "text": "", "lines": ""})) == [("an empty page", False)]


def test_a_page_without_lines_is_split_from_its_text() -> None:
    results = parse({"id": "A", "text": "First one . Second one .", "lines": None})
    assert numbered(page_of(results)) == [(0, "First one."), (1, "Second one.")]
    assert problems_of(results) == [("a page without lines; its text was split into sentences", False)]


@pytest.mark.parametrize(
    ("record", "what"),
    [
        ({"id": "A", "text": 5, "lines": ["0\tx"]}, "a record without lines"),
        ({"id": "A"}, "a record without lines"),
        ({"id": 7, "lines": "0\tSomething ."}, "a page without a title"),
        ({"id": "_", "lines": "0\tSomething ."}, "a page without a title"),
        ({"page": "A", "line": 0, "text": 5}, "a line without text"),
    ],
)
def test_records_of_wrong_types_are_lost_and_told_of(record: dict[str, Any], what: str) -> None:
    assert problems_of(parse(record)) == [(what, True)]


def test_a_record_keeps_its_own_title_when_its_file_has_a_name_too() -> None:
    assert page_of(parse(FOX, title="wiki-001")).title == "Fox Broadcasting Company"
    assert page_of(parse({"lines": "0\tSomething ."}, title="Given")).title == "Given"


def test_control_characters_and_decomposed_letters_are_cleaned() -> None:
    page = page_of(parse({"id": "A", "lines": "0\tCafe\u0301 \x00\x01a\u200b\x02b\x03 \ud800 ."}))
    assert numbered(page) == [(0, "Café ab.")]


def test_of_an_absurd_number_of_links_some_are_kept() -> None:
    links, problems = links_of("0\t" + "a " * 50_000 + "".join(f"\ta\tT{n}" for n in range(50_000)))
    assert 0 < len(links) <= 500
    assert problems[0][1] is False


def test_the_reader_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(FeverReader())) == FeverReader()


# -- files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_json_lines_are_read_plain_and_compressed(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "wiki-001.jsonl"
    path.write_bytes(pack((json.dumps(FOX) + "\n").encode() * 2))
    assert [one.title for one in read(path) if isinstance(one, Page)] == ["Fox Broadcasting Company"] * 2


def test_bad_lines_between_good_ones_lose_only_themselves(tmp_path: Path) -> None:
    one, two = ({"id": name, "lines": "0\tText ."} for name in ("One", "Two"))
    bad = [
        b"not json",
        b"[1]",
        b"[" * 100_000,
        b'{"id": "Caf\xe9", "lines": "0\\tx"}',
        b'{"id": "N\x00ul", "lines": "0\\tx"}',
    ]
    results = read(write_lines(tmp_path / "w.jsonl", one, *bad, two))
    assert [page.title for page in results if isinstance(page, Page)] == ["One", "Caf\ufffd", "Nul", "Two"]
    assert problems_of(results) == [
        ("not JSON: Expecting value", True),
        ("not JSON: not an object", True),
        ("not JSON: nested too deeply", True),
        ("bytes that are not UTF-8 were replaced", False),
    ]
    assert [one.where for one in results if isinstance(one, Problem)] == [
        "w.jsonl:2",
        "w.jsonl:3",
        "w.jsonl:4",
        "w.jsonl:5",
    ]


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert read(path) == []


def test_a_line_beyond_the_limit_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fever, "LARGEST_RECORD", 2**20)
    long = {"id": "Long", "lines": "0\t" + "x" * 2**21}
    results = read(write_lines(tmp_path / "w.jsonl", long, {"id": "Short", "lines": "0\tx"}))
    assert problems_of(results) == [("a line is longer than 1 MB", True)]
    assert page_of(results).title == "Short"


def test_a_truncated_archive_gives_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "w.jsonl.gz"
    lines = "".join(json.dumps({"id": f"P{n}", "lines": f"0\t{n * 7919} {'x ' * 100}"}) + "\n" for n in range(20_000))
    packed = gzip.compress(lines.encode())
    path.write_bytes(packed[: len(packed) // 2])
    results = read(path)
    assert sum(isinstance(one, Page) for one in results) > 1000
    (problem,) = [one for one in results if isinstance(one, Problem)]
    assert problem.what.startswith("the file is cut or damaged")


def test_a_missing_file_and_a_mislabelled_one_are_the_callers_to_mend(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read(tmp_path / "absent.jsonl")
    (tmp_path / "plain.jsonl.gz").write_bytes(b"{}\n")
    with pytest.raises(FormatError):
        read(tmp_path / "plain.jsonl.gz")


# -- slices ------------------------------------------------------------------------------------------------


def sentence(page: str, line: Any, text: str) -> dict[str, Any]:
    return {"page": page, "line": line, "text": text}


def test_consecutive_lines_of_a_slice_make_one_page(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "s.jsonl",
        sentence("Hugo_-LRB-film-RRB-", 0, ") Hugo is a film ."),
        sentence("Hugo_-LRB-film-RRB-", 4, "It won ."),
        sentence("Ibiza", 2, "( It ) is an island ."),
    )
    raws = list(FeverReader().cut(path))
    assert [raw.where for raw in raws] == ["s.jsonl:1-2", "s.jsonl:3"]
    pages = [one for one in read(path) if isinstance(one, Page)]
    assert [page.title for page in pages] == ["Hugo (film)", "Ibiza"]
    assert [numbered(page) for page in pages] == [[(0, "Hugo is a film."), (4, "It won.")], [(2, "(It) is an island.")]]


def test_a_bad_line_inside_a_page_of_a_slice_leaves_the_page_whole(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "s.jsonl",
        sentence("A", 0, "Zero ."),
        b"garbage",
        b'{"page": "A", "line": 1, "te',
        sentence("A", "x", "No number ."),
        sentence("A", 2, "Two ."),
    )
    results = read(path)
    assert numbered(page_of(results)) == [(0, "Zero."), (3, "No number."), (2, "Two.")]
    assert problems_of(results) == [
        ("not JSON: Expecting value", False),
        ("not JSON: Unterminated string starting at", False),
        ("a line without a number", False),
    ]


def test_a_line_of_a_slice_whose_page_has_no_name_takes_no_other_line_with_it(tmp_path: Path) -> None:
    path = tmp_path / "slice.jsonl"
    lines = [("A", 0, "One ."), ("", 0, "Whose ?"), ("A", 1, "Two .")]
    records = [json.dumps({"page": page, "line": line, "text": text}) for page, line, text in lines]
    path.write_text("\n".join(records))
    results = read(path)
    assert [(one.title, one.blocks) for one in results if isinstance(one, Page)] == [
        ("A", (Sentence(0, "One."),)),
        ("A", (Sentence(1, "Two."),)),
    ]
    assert problems_of(results) == [("a page without a title", True), ("a page in several pieces", False)]


def test_a_page_of_a_slice_that_comes_back_is_told_of_and_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", sentence("A", 0, "a"), sentence("B", 0, "b"), sentence("A", 1, "c"))
    results = read(path)
    assert [one.title for one in results if isinstance(one, Page)] == ["A", "B", "A"]
    assert problems_of(results) == [("a page in several pieces", False)]


# -- the database ------------------------------------------------------------------------------------------


def database(path: Path, *rows: tuple[Any, Any, Any]) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE documents (id PRIMARY KEY, text, lines)")
    connection.executemany("INSERT INTO documents VALUES (?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def test_the_database_is_read_where_it_lies(tmp_path: Path) -> None:
    rows = [(f"Page_{n}", "text", f"0\tSentence {n} .\n1\t\n2\tMore .") for n in range(40)]
    path = database(tmp_path / "fe ver?.db", ("Beyonce\u0301", "", "0\tA singer ."), *rows)
    before = path.read_bytes()
    path.chmod(0o444)
    pages = [one for one in read(path) if isinstance(one, Page)]
    assert [page.title for page in pages] == ["Beyoncé", *(f"Page {n}" for n in range(40))]
    assert numbered(pages[-1]) == [(0, "Sentence 39."), (2, "More.")]
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    positions = [raw.position for raw in FeverReader().cut(path) if isinstance(raw, RawRecord)]
    assert positions == sorted(positions)
    assert positions[-1] == len(before)


def test_odd_rows_of_the_database_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fever, "LARGEST_RECORD", 2**20)
    path = database(
        tmp_path / "fever.db",
        ("Null", None, None),
        (5, "", "0\tx"),
        ("Empty", "", ""),
        ("Blob", "", b"0\tCaf\xe9 \x00here ."),
        ("Long", "", "0\t" + "x" * (2**20 + 1)),
        ("Good", "", "0\tGood ."),
    )
    results = read(path)
    assert [(one.title, numbered(one)) for one in results if isinstance(one, Page)] == [
        ("Blob", [(0, "Caf\ufffd here.")]),
        ("Good", [(0, "Good.")]),
    ]
    assert problems_of(results) == [
        ("a record without lines", True),
        ("a page without a title", True),
        ("an empty page", False),
        ("bytes that are not UTF-8 were replaced", False),
        ("a row is longer than 1 MB", True),
    ]


def test_a_damaged_database_gives_what_can_be_read(tmp_path: Path) -> None:
    path = database(tmp_path / "fever.db", *((f"P{n}", "", f"0\t{'word ' * 200}{n}") for n in range(200)))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    results = read(path)
    last = results[-1]
    assert isinstance(last, Problem)
    assert last.what.startswith("the file is cut or damaged")
    assert last.lost


def test_another_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE wiki (id, data)")
    connection.close()
    with pytest.raises(FormatError, match="documents"):
        read(path)


# -- the public slice --------------------------------------------------------------------------------------


def test_the_public_slice_reads_without_a_problem(data_folder: Path) -> None:
    path = data_folder / "fever" / "sentences.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path.name} in {path.parent}; the folder that VERITAB_DATA names lacks it")
    reader = FeverReader()
    raws = list(islice(reader.cut(path), 500))
    results = [one for raw in raws if isinstance(raw, RawRecord) for one in reader.parse(raw)]
    assert len(results) == len(raws) == 500
    for page in results:
        assert isinstance(page, Page)
        for _, text in numbered(page):
            assert detokenise(text) == text
            assert not re.search(r"-[LR][RSC]B-|``|''|\s[,.;](?=\s|$)", text)
