"""The index as a whole: kept up to date, finished after any crash, and never used when it is wrong."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.retrieve.corpora import WORLD, build, fill, indexed, town
from veritab.corpus.store import Store, pack_page
from veritab.errors import DiskFull, StaleIndex, StoreBusy, StoreError
from veritab.retrieve import index as module
from veritab.retrieve.index import FOLDER, Index, IndexProgress, build_index
from veritab.retrieve.name_index import FILE, NameIndexWriter
from veritab.retrieve.sparse import PAGES, SparseIndexWriter
from veritab.schema import Page, Redirect, Sentence

QUERIES = ("everest", "river town", "mountain country", "w7 w9", "table w3")


def dictionary(folder: Path) -> list[list[tuple[object, ...]]]:
    """Everything the names file knows."""
    connection = sqlite3.connect(folder / FOLDER / FILE)
    tables = ("names", "pages", "redirects", "state")
    found = [connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables]
    connection.close()
    return found


def answers(store: Store) -> list[list[tuple[int, object]]]:
    """What the queries find in every sub-index, in order, without scores."""
    with Index(store) as index:
        return [
            [(hit.page, hit.place) for hit in sub_index.search(query, {"title": 0.5, "body": 1.0}, 100)]
            for query in QUERIES
            for sub_index in (index.pages, index.texts, index.tables)
        ]


def scores(store: Store) -> dict[tuple[str, int, object], float]:
    """What texts score for the queries."""
    with Index(store) as index:
        return {
            (query, hit.page, hit.place): hit.score
            for query in QUERIES
            for hit in index.texts.search(query, {"title": 0.5, "body": 1.0}, 100)
        }


# -- keeping up --


def test_a_page_is_added_replaced_and_removed_and_an_open_index_sees_it_when_refreshed(tmp_path: Path) -> None:
    with indexed(tmp_path, WORLD) as store, Index(store) as index:

        def found(word: str) -> list[str]:
            hits = index.pages.search(word, {"body": 1}, 9)
            return list(store.titles_by_number(hit.page for hit in hits).values())

        lhotse = Page("Lhotse", (Sentence(0, "Fourth highest of all."),))
        for reads, word, expected in (
            ((*WORLD, lhotse), "fourth", ["Lhotse"]),
            ((*WORLD, Page("Lhotse", (Sentence(0, "Beside a col."),))), "col", ["Lhotse"]),
            (WORLD, "col", []),
        ):
            fill(tmp_path, reads)
            with pytest.raises(StaleIndex, match=f"up to date with: veritab index {tmp_path}"):
                index.refresh()
            assert build(store)[-1] == IndexProgress(1, 1)
            index.refresh()
            assert found(word) == expected
            assert found("fourth") == (["Lhotse"] if word == "fourth" else [])
        assert len(index.pages) == 3


def test_an_index_that_is_up_to_date_is_left_alone(tmp_path: Path) -> None:
    with indexed(tmp_path, WORLD) as store:
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / FOLDER).rglob("*") if path.suffix != ".lock"}
        assert build(store) == [IndexProgress(0, 0)]
        assert {path: path.stat().st_mtime_ns for path in before} == before


def test_an_empty_corpus_has_an_index(tmp_path: Path) -> None:
    with indexed(tmp_path, []) as store, Index(store) as index:
        assert index.pages.search("anything", {"body": 1}, 5) == []
        assert index.names.targets(["anything"]) == {}


def test_changes_leave_what_building_anew_gives(tmp_path: Path) -> None:
    """The same hits and names; scores differ only by statistics that still count what was removed."""
    pages = {number: town(number) for number in range(40)}
    indexed(tmp_path, pages.values()).close()
    for step in range(1, 6):
        for number in range(step * 3, step * 3 + 4):
            pages[number] = town(number, step)
        pages.pop(step * 5, None)
        pages[100 + step] = town(100 + step)
        redirects = [Redirect(f"Name {number}", f"Town {number}") for number in range(step, step + 3)]
        store = indexed(tmp_path, [*pages.values(), *redirects])
        changed, names, before = answers(store), dictionary(tmp_path), scores(store)
        build(store, rebuild=True)
        assert [sorted(map(repr, one)) for one in answers(store)] == [sorted(map(repr, one)) for one in changed]
        assert dictionary(tmp_path) == names
        assert scores(store) == pytest.approx(before, rel=0.2, abs=0.1)
        store.close()


def test_pages_that_are_only_added_change_nothing_else(tmp_path: Path) -> None:
    """Without removed entries the statistics are exact: added in three goes or at once is the same."""
    for count in (10, 25, 40):
        indexed(tmp_path, [town(number) for number in range(count)]).close()
    with Store.open(tmp_path) as store:
        grown = scores(store)
        build(store, rebuild=True)
        assert scores(store) == grown


def test_equal_corpora_give_equal_answers(tmp_path: Path) -> None:
    pages = [town(number) for number in range(60)]
    with indexed(tmp_path / "a", pages) as one, indexed(tmp_path / "b", pages) as other:
        assert scores(one) == scores(other)
        assert answers(one) == answers(other)


def test_a_page_that_takes_the_place_of_a_removed_one_is_not_mistaken_for_it(tmp_path: Path) -> None:
    """Both come from one record, so their digests are the same; their numbers must not be."""
    with Store.create(tmp_path) as store:
        source = store.source_id("book", "reader")
        with store.transaction():
            store.add(source, pack_page(Page("Old", (Sentence(0, "ancient"),))), b"same record", 0)
            store.finish(source)
        build(store)
        store.remove("Old")
        with store.transaction():
            store.add(source, pack_page(Page("New", (Sentence(0, "modern"),))), b"same record", 1)
            store.finish(source)
        build(store)
        with Index(store) as index:
            assert index.pages.search("ancient", {"body": 1}, 5) == []
            assert len(index.pages.search("modern", {"body": 1}, 5)) == 1


def test_progress_grows_to_the_end(tmp_path: Path) -> None:
    fill(tmp_path, [Page(f"P{n}", (Sentence(0, "x"),)) for n in range(1200)])
    with Store.open(tmp_path) as store:
        steps = build(store)
    assert [step.done for step in steps] == [0, 500, 1000, 1200, 1200]
    assert {step.total for step in steps} == {1200}


def test_new_pages_can_be_found_before_the_tidying_up(tmp_path: Path) -> None:
    with indexed(tmp_path, WORLD) as store, Index(store) as index:
        fill(tmp_path, (*WORLD, Page("Lhotse", (Sentence(0, "Fourth."),))))
        building = build_index(store)
        for step, _ in enumerate(building):
            if step == 2:
                index.refresh()
                assert len(index.pages.search("fourth", {"body": 1}, 5)) == 1
                with pytest.raises(StoreBusy):
                    build(store)
        assert build(store) == [IndexProgress(0, 0)]


# -- stopped in the middle --

KILL = """
import os, sys
from veritab.corpus.store import Store, pack_page
from veritab.retrieve import index, name_index, sparse

def die_at(owner, name, call):
    whole, calls = getattr(owner, name), []
    def dies(*args, **kwargs):
        calls.append(1)
        if len(calls) == call:
            os._exit(9)
        return whole(*args, **kwargs)
    setattr(owner, name, dies)

index._BATCH = 10
die_at({owner}, {name!r}, {call})
with Store.open(sys.argv[1]) as store:
    for _ in index.build_index(store):
        pass
"""
DEATHS = {
    "before anything is written": ("index", "_Writer", 1),
    "in the middle of a batch": ("name_index.NameIndexWriter", "add", 15),
    "between two sub-indexes": ("sparse.SparseIndexWriter", "commit", 5),
    "between sub-indexes and names": ("name_index.NameIndexWriter", "_flush", 2),
    "before redirects": ("index._Writer", "_write_redirects", 1),
    "before the names are finished": ("name_index.NameIndexWriter", "finish", 1),
    "before the note is written": ("index", "_write_note", 2),
    "while segments are merged": ("sparse.SparseIndexWriter", "close", 1),
}


def killed(folder: Path, death: str) -> None:
    owner, name, call = DEATHS[death]
    script = KILL.format(owner=owner, name=name, call=call)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 9, done.stderr.decode()


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize("first", [True, False], ids=["first build", "update"])
def test_a_build_that_was_killed_is_finished_by_the_next(tmp_path: Path, death: str, first: bool) -> None:
    if not first:
        indexed(tmp_path, [town(number, 1) for number in range(5, 40)]).close()
    fill(tmp_path, [*(town(number) for number in range(35)), Redirect("Name", "Town 1")])
    killed(tmp_path, death)
    with Store.open(tmp_path) as store:
        if death != "while segments are merged":
            with pytest.raises(StaleIndex, match=f"veritab index {tmp_path}"):
                Index(store)
        build(store)
        finished, names = answers(store), dictionary(tmp_path)
        build(store, rebuild=True)
        assert [sorted(map(repr, one)) for one in finished] == [sorted(map(repr, one)) for one in answers(store)]
        assert names == dictionary(tmp_path)


def test_building_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    fill(tmp_path, [town(number) for number in range(35)])
    killed(tmp_path, "between two sub-indexes")
    with Store.open(tmp_path) as store:
        assert build(store)[0] == IndexProgress(0, 25)


def test_an_error_in_a_batch_is_the_one_that_is_told_and_nothing_of_the_batch_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = indexed(tmp_path, WORLD)
    before = dictionary(tmp_path)[:3]
    fill(tmp_path, (*WORLD, town(1), town(2)))
    whole = SparseIndexWriter.add

    def fails(self: SparseIndexWriter, page: int, found: Iterable[object]) -> None:
        if page == 5:
            raise ZeroDivisionError("the true error")
        whole(self, page, found)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(SparseIndexWriter, "add", fails)
        with pytest.raises(ZeroDivisionError, match="the true error"):
            build(store)
    assert dictionary(tmp_path)[:3] == before
    assert build(store)[-1] == IndexProgress(2, 2)
    store.close()


def test_a_caller_who_stops_listening_leaves_a_build_to_be_finished(tmp_path: Path) -> None:
    fill(tmp_path, [Page(f"P{n}", (Sentence(0, "x"),)) for n in range(1200)])
    with Store.open(tmp_path) as store:
        building = build_index(store)
        while next(building).done < 500:
            pass
        del building
        with pytest.raises(StaleIndex, match="not come to its end"):
            Index(store)
        assert build(store)[-1] == IndexProgress(1200, 1200)
        Index(store).close()


def test_only_one_builds_at_a_time(tmp_path: Path) -> None:
    fill(tmp_path, WORLD)
    with Store.open(tmp_path) as store:
        building = build_index(store)
        next(building)
        with pytest.raises(StoreBusy, match="another process is building"):
            build(store)
        with pytest.raises(StoreBusy, match="wait for it"):
            SparseIndexWriter(tmp_path / FOLDER, PAGES)
        assert len(list(building)) == 2
        Index(store).close()


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (OSError(28, "No space left on device"), DiskFull),
        (sqlite3.OperationalError("database or disk is full"), DiskFull),
        (ValueError("An IO error occurred: 'Os { code: 28, kind: StorageFull }'"), DiskFull),
        (PermissionError(13, "Permission denied"), StoreError),
        (sqlite3.OperationalError("attempt to write a readonly database"), StoreError),
    ],
)
def test_a_full_disk_and_a_closed_folder_are_told_in_our_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, ours: type[StoreError]
) -> None:
    fill(tmp_path, WORLD)

    def fails(self: NameIndexWriter) -> None:
        raise error

    monkeypatch.setattr(NameIndexWriter, "_flush", fails)
    with Store.open(tmp_path) as store, pytest.raises(StoreError, match="index") as told:
        build(store)
    assert type(told.value) is ours


# -- comparing --


@given(
    st.dictionaries(st.integers(0, 60), st.binary(max_size=1)),
    st.dictionaries(st.integers(0, 60), st.binary(max_size=1)),
)
def test_the_differences_of_two_lists_are_found_whatever_their_lengths(
    old: dict[int, bytes], new: dict[int, bytes]
) -> None:
    expected = [(key, old.get(key), new.get(key)) for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    for block in (1, 2, 7, 100):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_BLOCK", block)
            assert list(module._differences(sorted(old.items()), sorted(new.items()))) == expected
