"""The sub-indexes: what of a page is in them, what finds it, in which order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tantivy import Query

from tests.retrieve.corpora import EVEREST, WORLD, fill, indexed
from veritab.corpus.store import Store
from veritab.retrieve.index import Index, build_index
from veritab.retrieve.sparse import (
    PAGES,
    TABLES,
    TEXTS,
    IndexEntry,
    LocalId,
    SparseHit,
    SparseIndex,
    SparseIndexWriter,
    entries,
)
from veritab.schema import Cell, Item, Kind, ListBlock, Page, Section, Sentence, TableBlock

EVERYWHERE = {"body": 1.0}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with indexed(tmp_path, WORLD) as store, Index(store) as opened:
        yield opened


def titles(index: Index, found: list[SparseHit]) -> list[str]:
    names = index.store.titles_by_number(entry.page for entry in found)
    return [names[entry.page] for entry in found]


def places(found: list[SparseHit]) -> list[LocalId]:
    return [entry.place for entry in found]


# -- what is indexed --


def test_a_page_is_found_by_its_title_its_introduction_and_its_body(index: Index) -> None:
    assert titles(index, index.pages.search("mount", {"title": 1}, 5)) == ["Mount Everest"]
    assert titles(index, index.pages.search("border", {"introduction": 1}, 5)) == ["Mount Everest"]
    assert index.pages.search("summit", {"introduction": 1}, 5) == []
    for word in ("summit", "Sherpa", "icefall", "climbers", "ascents"):
        assert titles(index, index.pages.search(word, {"body": 1}, 5)) == ["Mount Everest"], word


def test_sentences_items_captions_and_passages_are_found_each_by_itself(index: Index) -> None:
    for word, place in (
        ("highest", LocalId(Kind.SENTENCE, (0,))),
        ("icefall", LocalId(Kind.ITEM, (0, 0))),
        ("cwm", LocalId(Kind.ITEM, (0, 1))),
        ("first", LocalId(Kind.TABLE_CAPTION, (0,))),
        ("savage", LocalId(Kind.PASSAGE, (0,))),
    ):
        assert places(index.texts.search(word, EVERYWHERE, 5)) == [place], word


def test_an_entry_is_found_by_its_section_and_the_title_of_its_page(index: Index) -> None:
    found = places(index.texts.search("ascents", {"section": 1}, 9))
    assert LocalId(Kind.SENTENCE, (2,)) in found
    assert LocalId(Kind.SENTENCE, (0,)) not in found
    assert len(index.texts.search("mount everest", {"title": 1}, 99)) == 6


def test_a_table_is_found_by_caption_headers_section_title_and_cells(index: Index) -> None:
    for word, field in (
        ("first", "headers"),
        ("nationality", "headers"),
        ("ascents", "section"),
        ("everest", "title"),
        ("norgay", "body"),
    ):
        assert places(index.tables.search(word, {field: 1}, 5)) == [LocalId(Kind.TABLE, (0,))], word
    assert index.tables.search("nationality", {"body": 1}, 5) == []


def test_a_heading_ends_the_sections_of_its_level_and_below() -> None:
    page = Page(
        "P",
        (Section(0, "One", 2), Section(1, "Two", 3), Sentence(0, "a"), Section(2, "Three", 2), Sentence(1, "b")),
    )
    sections = {entry.fields["body"]: entry.fields["section"] for entry in entries(page)[TEXTS]}
    assert sections["a"] == "One Two"
    assert sections["b"] == "Three"


def test_words_are_found_in_any_form_case_and_accent(index: Index) -> None:
    for query in ("MOUNTAINS", "Móuntain", "mountain's"):
        assert places(index.texts.search(query, EVERYWHERE, 5))[0] in (
            LocalId(Kind.SENTENCE, (0,)),
            LocalId(Kind.PASSAGE, (0,)),
        )


# -- what is asked --


def test_only_some_kinds_and_only_some_pages(index: Index) -> None:
    number = index.store.numbers_by_title(["K2"])["K2"]
    assert {p.kind for p in places(index.texts.search("camp everest", EVERYWHERE, 9, kinds=[Kind.ITEM]))} == {Kind.ITEM}
    assert titles(index, index.texts.search("everest", EVERYWHERE, 9, pages=[number])) == ["K2"]
    assert index.texts.search("everest", EVERYWHERE, 9, pages=[]) == []
    assert index.texts.search("everest", EVERYWHERE, 9, kinds=[]) == []
    assert index.texts.search("everest", EVERYWHERE, 9, pages=[99, -1, 10**30]) == []
    query = Query.term_query(index.texts.schema, "body", "camp")
    assert len(index.texts.matching(query, 9, kinds=[Kind.ITEM])) == 2
    assert index.texts.matching(query, 9, pages=[number]) == []


def test_filters_do_not_change_scores(index: Index) -> None:
    every = index.texts.search("everest", EVERYWHERE, 9)
    assert index.texts.search("everest", EVERYWHERE, 9, pages=range(100), kinds=tuple(Kind)) == every


def test_words_in_a_row_count_on_top(tmp_path: Path) -> None:
    page = Page("P", (Sentence(0, "the west of the wild"), Sentence(1, "the wild west of it")))
    with indexed(tmp_path, [page]) as store, Index(store) as index:
        plain = index.texts.search("wild west", EVERYWHERE, 2)
        boosted = index.texts.search("wild west", EVERYWHERE, 2, phrases=[("Wild West", 2.0), ("one", 1.0), ("", 1.0)])
        assert plain[0].score == plain[1].score
        assert places(boosted) == [LocalId(Kind.SENTENCE, (1,)), LocalId(Kind.SENTENCE, (0,))]


def test_a_field_weighs_as_much_as_it_is_told(index: Index) -> None:
    one = index.pages.search("nepal", {"title": 1}, 1)[0].score
    two = index.pages.search("nepal", {"title": 2}, 1)[0].score
    assert two == pytest.approx(2 * one, abs=1e-3)
    assert index.pages.search("nepal", {"title": 0}, 1) == []


def test_the_longest_page_comes_first(index: Index) -> None:
    assert titles(index, index.pages.largest("everest", "body", 9)) == ["Mount Everest", "Nepal", "K2"]
    assert titles(index, index.pages.largest("everest", "body", 1)) == ["Mount Everest"]
    assert index.pages.largest("unheard", "body", 9) == []


def test_how_many_entries_have_a_word(index: Index) -> None:
    assert index.texts.frequency("body", "camp") == 2
    assert index.texts.frequency("body", "unheard") == 0
    assert (len(index.pages), len(index.texts), len(index.tables)) == (3, 8, 1)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "?!… “”",
        "\x00",
        "\ud800",
        'title:* AND (body:[a TO z] OR "x"~2) -^5 \\ / {',
        "東京 Москва عربي",
        "word" * 25_000,
        "𝕏" * 10,
    ],
    ids=["empty", "blank", "punctuation", "NUL", "surrogate", "syntax", "scripts", "endless word", "astral"],
)
def test_whatever_is_asked_is_answered(index: Index, query: str) -> None:
    assert index.texts.search(query, EVERYWHERE, 5, phrases=[(query, 1.0)]) == []


def test_a_question_among_strange_characters_is_understood(index: Index) -> None:
    assert places(index.texts.search('\x00"Khumbu\ud800 AND* (icefall', EVERYWHERE, 1)) == [LocalId(Kind.ITEM, (0, 0))]


def test_a_whole_book_as_a_query_is_cut(index: Index) -> None:
    book = "icefall " + " ".join(f"word{n}" for n in range(15_000))
    assert places(index.texts.search(book, EVERYWHERE, 1, phrases=[(book, 1.0)])) == [LocalId(Kind.ITEM, (0, 0))]


def test_stop_words_alone_are_looked_for(index: Index) -> None:
    assert titles(index, index.texts.search("in the", EVERYWHERE, 9))


@pytest.mark.parametrize(("k", "count"), [(-1, 0), (0, 0), (1, 1), (2, 2), (10**9, 4), (2**63, 4)])
def test_as_many_as_asked_for_and_no_more_than_there_are(index: Index, k: int, count: int) -> None:
    assert len(index.texts.search("mount everest nepal", {"body": 1}, k)) == count
    assert len(index.texts.largest("everest", "body", k)) == min(3, max(k, 0))


def test_other_scripts_are_found(tmp_path: Path) -> None:
    page = Page("東京", (Sentence(0, "Москва и 東京"),))
    with indexed(tmp_path, [page]) as store, Index(store) as index:
        assert len(index.texts.search("МОСКВА", EVERYWHERE, 5)) == 1
        assert len(index.pages.search("東京", {"title": 1}, 5)) == 1


# -- order --


def test_equal_scores_come_in_the_order_of_pages_and_places_wherever_one_cuts(tmp_path: Path) -> None:
    """Also when the entries lie in several segments, of which tantivy takes the largest first."""
    for size in (4, 9, 30):
        pages = [Page(f"P{n:02}", (ListBlock(0, (Item("same words"), Item("same words"))),)) for n in range(size)]
        indexed(tmp_path, pages).close()
    with Store.open(tmp_path) as store, Index(store) as index:
        every = index.texts.search("same", EVERYWHERE, 1000)
        assert len(every) == 60
        assert every == sorted(every, key=lambda entry: (entry.page, entry.place))
        for k in (1, 2, 7, 25, 59):
            assert index.texts.search("same", EVERYWHERE, k) == every[:k]
        largest = index.texts.largest("same", "body", 1000)
        assert index.texts.largest("same", "body", 7) == largest[:7]


def test_a_word_of_every_entry_still_scores_and_better_entries_come_first(tmp_path: Path) -> None:
    writer = SparseIndexWriter(tmp_path, TEXTS)
    for number in range(12_000):
        body = "invoice" if number == 7_000 else f"invoice number{number}"
        writer.add(number, [IndexEntry(LocalId(Kind.SENTENCE, (0,)), {"body": body})])
    writer.commit()
    writer.close()
    found = SparseIndex(tmp_path, TEXTS).search("invoice", EVERYWHERE, 3)
    assert [entry.page for entry in found] == [7_000, 0, 1]
    assert found[0].score > found[1].score == found[2].score > 0


def test_long_entries_are_told_apart_to_the_last_character(tmp_path: Path) -> None:
    writer = SparseIndexWriter(tmp_path, TEXTS)
    for number in range(3):
        writer.add(number, [IndexEntry(LocalId(Kind.PASSAGE, (0,)), {"body": "word " + "x" * (2_000_000 + number)})])
    writer.commit()
    writer.close()
    assert [entry.page for entry in SparseIndex(tmp_path, TEXTS).largest("word", "body", 3)] == [2, 1, 0]


def test_places_survive_being_numbers(tmp_path: Path) -> None:
    pages = [
        LocalId(Kind.ITEM, (999_999_999, 999_999_999)),
        LocalId(Kind.SENTENCE, (999_999_999,)),
        LocalId(Kind.TITLE),
    ]
    writer = SparseIndexWriter(tmp_path, TEXTS)
    writer.add(2**62, [IndexEntry(place, {"body": "word"}) for place in pages])
    writer.commit()
    writer.close()
    found = SparseIndex(tmp_path, TEXTS).search("word", EVERYWHERE, 9)
    assert sorted(places(found)) == sorted(pages)
    assert {entry.page for entry in found} == {2**62}


# -- change --


def test_nothing_is_seen_before_it_is_committed_and_nothing_stays_that_was_not(tmp_path: Path) -> None:
    writer = SparseIndexWriter(tmp_path, PAGES)
    writer.commit()
    reader = SparseIndex(tmp_path, PAGES)
    writer.add(1, entries(EVEREST)[PAGES])
    reader.refresh()
    assert len(reader) == 0
    writer.abandon()
    again = SparseIndexWriter(tmp_path, PAGES)
    again.add(2, entries(EVEREST)[PAGES])
    again.commit()
    again.remove([2, 3])
    again.add(3, entries(EVEREST)[PAGES])
    again.commit()
    reader.refresh()
    assert [entry.page for entry in reader.search("everest", {"title": 1}, 9)] == [3]
    again.close()


def test_removing_takes_every_entry_of_a_page_and_of_no_other(tmp_path: Path) -> None:
    writer = SparseIndexWriter(tmp_path, TEXTS)
    for number in (1, 2, 3):
        writer.add(number, entries(EVEREST)[TEXTS])
    writer.commit()
    writer.remove([1, 3])
    writer.commit()
    writer.close()
    assert [entry.page for entry in SparseIndex(tmp_path, TEXTS).search("camp", {"body": 1}, 9)] == [2, 2]


def test_every_row_of_a_large_table_is_found_and_the_table_is_one_hit(tmp_path: Path) -> None:
    lines = [tuple(Cell(f"{word}{row}") for word in ("name", "place")) for row in range(5000)]
    header = (Cell("Person", header=True), Cell("Town", header=True))
    page = Page("Register", (TableBlock(0, (header, *lines)),))
    writer = SparseIndexWriter(tmp_path, TABLES)
    writer.add(1, entries(page)[TABLES])
    writer.commit()
    writer.close()
    sub_index = SparseIndex(tmp_path, TABLES)
    for query in ("name0", "place4999", "person town", "name1 place2500 name4999"):
        assert [entry.page for entry in sub_index.search(query, {"headers": 1, "body": 1}, 9)] == [1]


def test_threads_search_while_the_corpus_changes(tmp_path: Path) -> None:
    wrong: list[object] = []
    with indexed(tmp_path, WORLD) as store, Index(store) as index:
        stop = threading.Event()

        def ask() -> None:
            try:
                while not stop.is_set():
                    found = index.texts.search("everest", EVERYWHERE, 3)
                    assert len(found) == 3
                    assert index.names.targets(["mount everest"])
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for size in range(1, 5):
            more = [Page(f"More {n}", (Sentence(0, "Everest again."),)) for n in range(size)]
            fill(tmp_path, (*WORLD, *more))
            for _ in build_index(store, rebuild=size == 3):
                pass
            index.refresh()
            assert len(index.texts.search("again", EVERYWHERE, 9)) == size
        stop.set()
        for thread in threads:
            thread.join()
    assert not wrong
