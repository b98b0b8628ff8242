"""The store: pages by title, links resolved when read, and every way a file can be wrong."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import subprocess
import threading
import unicodedata
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from veritab.corpus.packing import FORMAT
from veritab.corpus.store import FILE, Store, pack_page, quote_path
from veritab.errors import DamagedStore, DiskFull, InputError, NewerStore, NotFound, StoreBusy
from veritab.schema import Cell, Item, Kind, Link, ListBlock, Origin, Page, Redirect, Region, Sentence, TableBlock

EVEREST = Page(
    "Mount Everest",
    (
        Sentence(0, "Everest lies in Nepal and Tibet.", (Link(16, 21, "Nepal"), Link(26, 31, "Tibet"))),
        TableBlock(0, ((Cell("Country", header=True), Cell("Nepal", (Link(0, 5, "Nepal"),))),)),
        ListBlock(0, (Item("see K2", (Link(4, 6, "Savage Mountain"),)),)),
    ),
    revision="7",
)
NEPAL = Page("Nepal", (Sentence(0, "Home of Everest.", (Link(8, 15, "Chomolungma"),)),))
K2 = Page("K2", (Sentence(0, "Second to Everest.", (Link(10, 17, "Mount Everest"),)),))


def fill(store: Store, *reads: Page | Redirect, source: str = "test") -> None:
    number = store.source_id(source, "reader")
    with store.transaction():
        for record, read in enumerate(reads):
            if isinstance(read, Page):
                store.add(number, pack_page(read), b"digest", record)
            else:
                store.add_redirect(number, read, b"digest")
        store.finish(number)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Store.create(tmp_path / "corpus") as store:
        fill(store, EVEREST, NEPAL, K2, Redirect("Chomolungma", "Mount Everest"), Redirect("Savage Mountain", "K2"))
    return tmp_path / "corpus"


def test_a_page_is_found_by_title_redirect_and_close_spelling_in_either_unicode_form(folder: Path) -> None:
    with Store.create(folder) as store:
        fill(store, Page("Brasília", (Sentence(0, "A city."),)), source="more")
    with Store.open(folder) as store:
        assert store.page("Mount Everest").revision == "7"
        for name in ("Chomolungma", "Mount_Everest", "mount Everest", "chomolungma"):
            assert store.page(name).title == "Mount Everest"
        assert store.page(unicodedata.normalize("NFD", "Brasília")).title == "Brasília"
        assert store.element("K2_sentence_0").text == "Second to Everest."
        assert "K2" in store
        assert "Lhotse" not in store


def test_a_link_to_a_missing_page_keeps_its_words_and_loses_its_target(folder: Path) -> None:
    with Store.open(folder) as store:
        page = store.page("Mount Everest")
    assert page.blocks[0] == Sentence(0, "Everest lies in Nepal and Tibet.", (Link(16, 21, "Nepal"),))
    assert page.links == ("Nepal", "K2")


def test_a_target_that_arrives_later_is_linked_from_then_on(folder: Path) -> None:
    with Store.create(folder) as store:
        fill(store, Page("Tibet", (Sentence(0, "High."),)), source="later")
        assert store.page("Mount Everest").links == ("Nepal", "Tibet", "K2")


def test_a_circle_of_redirects_leads_nowhere_and_is_told_of(folder: Path) -> None:
    with Store.create(folder) as store:
        circle = (Redirect("A", "B"), Redirect("B", "C"), Redirect("C", "A"), Redirect("D", "Nowhere"))
        fill(store, *circle, source="circle")
        assert store.resolve("A") is None
        assert list(store.broken_redirects()) == ["A", "B", "C", "D"]
        with pytest.raises(NotFound):
            store.page("A")


def test_pages_and_titles_come_in_order(folder: Path) -> None:
    with Store.open(folder) as store:
        assert list(store.titles()) == ["K2", "Mount Everest", "Nepal"]
        assert [page.title for page in store.pages()] == ["K2", "Mount Everest", "Nepal"]
        assert [redirect.title for redirect in store.redirects()] == ["Chomolungma", "Savage Mountain"]
        assert store.counts() == {"pages": 3, "redirects": 2, "links": 5}


def test_a_missing_page_suggests_near_ones(folder: Path) -> None:
    with (
        Store.open(folder) as store,
        pytest.raises(NotFound, match="no page 'Mount Evrest' in this corpus; did you mean 'Mount Everest'"),
    ):
        store.page("Mount Evrest")


def test_a_page_can_be_removed_with_its_links(folder: Path) -> None:
    with Store.create(folder) as store:
        store.remove("Nepal")
        assert store.page("Mount Everest").links == ("K2",)


# -- readers and writers --


def test_readers_see_committed_pages_while_a_writer_works(folder: Path) -> None:
    with Store.open(folder) as reader, Store.create(folder) as writer:
        number = writer.source_id("more", "reader")
        with writer.transaction():
            writer.add(number, pack_page(Page("Lhotse", (Sentence(0, "x."),))), b"", 0)
            assert "Lhotse" not in reader
            assert reader.page("K2").title == "K2"
        assert "Lhotse" in reader


def test_a_second_writer_is_told_to_wait(folder: Path) -> None:
    with Store.create(folder), pytest.raises(StoreBusy, match="another process is writing"):
        Store.create(folder)
    Store.create(folder).close()


def test_threads_read_through_one_store(folder: Path) -> None:
    found: list[str] = []
    with Store.open(folder) as store:
        threads = [threading.Thread(target=lambda: found.append(store.page("K2").title)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == ["K2"] * 4
        assert len(store._connections) <= 1, "a thread that ended left its connection open"


def test_a_failed_transaction_leaves_nothing_behind(folder: Path) -> None:
    with Store.create(folder) as store:
        number = store.source_id("more", "reader")

        def fails_half_way() -> None:
            with store.transaction():
                store.add(number, pack_page(Page("Lhotse", (Sentence(0, "x."),))), b"", 0)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fails_half_way()
        assert "Lhotse" not in store


# -- files that are wrong --


def test_a_folder_without_a_corpus_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="veritab ingest SOURCE --into"):
        Store.open(tmp_path)


def test_a_file_where_a_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(InputError, match="a corpus is a folder"):
        Store.create(tmp_path / "x")


def test_a_newer_store_asks_for_an_upgrade_and_is_left_alone(folder: Path) -> None:
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()
    before = (folder / FILE).read_bytes()
    for opening in (Store.open, Store.create):
        with pytest.raises(NewerStore, match="pip install -U veritab"):
            opening(folder)
    assert (folder / FILE).read_bytes() == before


@pytest.mark.parametrize("keep", [50, 5000])
def test_a_truncated_store_is_told_of(folder: Path, keep: int) -> None:
    data = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(data[:keep])
    with pytest.raises(DamagedStore, match="cut short"):
        Store.open(folder)


def test_a_foreign_file_is_told_of(folder: Path) -> None:
    (folder / FILE).write_bytes(b"PK\x03\x04" * 500)
    with pytest.raises(DamagedStore, match="not a corpus file"):
        Store.open(folder)
    (folder / FILE).unlink()
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(DamagedStore, match="not a Veritab corpus"):
        Store.open(folder)


def test_damage_in_the_middle_is_an_error_of_ours(folder: Path) -> None:
    data = bytearray((folder / FILE).read_bytes())
    data[8192 : len(data)] = os.urandom(len(data) - 8192)
    (folder / FILE).write_bytes(data)
    with Store.open(folder) as store, pytest.raises(DamagedStore, match="ingest its sources again"):
        list(store.pages())


def test_a_full_disk_keeps_what_was_committed(folder: Path) -> None:
    with Store.create(folder) as store:
        # A cap on the file is how SQLite itself lets one try a full disk.
        pages = store._pragma("page_count")
        store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
        number = store.source_id("more", "reader")
        big = Page("Big", tuple(Sentence(n, os.urandom(2000).hex()) for n in range(100)))
        with pytest.raises(DiskFull, match="free some, then run the same command"), store.transaction():
            store.add(number, pack_page(big), b"", 0)
    with Store.open(folder) as store:
        assert list(store.titles()) == ["K2", "Mount Everest", "Nepal"]
        assert store.check_integrity() == []


def test_a_closed_store_is_one_file_that_can_be_copied(folder: Path, tmp_path: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == [FILE, "writer.lock"]
    shutil.copytree(folder, tmp_path / "copy")
    with Store.open(tmp_path / "copy") as store:
        assert len(store) == 3


def test_a_store_is_read_while_its_newest_pages_are_still_in_the_log(folder: Path) -> None:
    """A checkpoint writes the first page, with the new size, before the others: then the file is rightly short."""
    with Store.create(folder) as writer:
        fill(writer, *(Page(f"P{n}", (Sentence(0, os.urandom(5000).hex()),)) for n in range(20)), source="more")
        pages = writer._pragma("page_count")
        with (folder / FILE).open("r+b") as file:
            file.seek(28)
            file.write(pages.to_bytes(4, "big"))
        assert (folder / FILE).stat().st_size < pages * 8192
        with Store.open(folder) as reader:
            assert len(reader) == 23
            assert reader.page("P7").title == "P7"


def test_a_store_whose_making_was_stopped_at_once_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    connection = sqlite3.connect(folder / FILE)
    connection.execute("PRAGMA page_size = 8192")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert (folder / FILE).stat().st_size
    with Store.create(folder) as store:
        fill(store, K2)
        assert "K2" in store


def test_a_redirect_that_has_a_page_of_its_name_is_not_a_redirect(folder: Path) -> None:
    with Store.create(folder) as store:
        fill(store, Redirect("K2", "Nepal"), source="more")
        assert list(store.shadowed_redirects()) == ["K2"]
        assert [redirect.title for redirect in store.redirects()] == ["Chomolungma", "Savage Mountain"]
        assert store.page("K2").title == "K2"


def test_a_page_whose_bytes_are_damaged_is_an_error_of_ours_and_found_by_a_deep_check(folder: Path) -> None:
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("UPDATE pages SET data = zeroblob(50) WHERE title = 'K2'")
    connection.close()
    with Store.open(folder) as store:
        with pytest.raises(DamagedStore, match="the page 'K2' is damaged"):
            store.page("K2")
        (wrong,) = store.check_integrity()
        assert "'K2'" in wrong


def test_an_element_is_found_through_a_redirect(folder: Path) -> None:
    with Store.open(folder) as store:
        assert str(store.element("Chomolungma_sentence_0").id) == "Mount Everest_sentence_0"


def test_removing_takes_a_title_and_not_what_a_redirect_leads_to(folder: Path) -> None:
    with Store.create(folder) as store:
        with pytest.raises(NotFound):
            store.remove("Chomolungma")
        assert "Mount Everest" in store


def test_a_corpus_that_is_just_being_made_is_not_there_yet(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    with pytest.raises(NotFound, match="no corpus in"):
        Store.open(tmp_path)


# -- by number, for indexes --


def test_the_revision_differs_after_every_change_and_after_nothing_else(folder: Path) -> None:
    with Store.create(folder) as store:
        seen = [store.revision()]
        changed = Page("Nepal", (Sentence(0, "Changed."),))
        changes: list[Callable[[], None]] = [
            lambda: fill(store, EVEREST, NEPAL, K2, Redirect("Chomolungma", "Mount Everest")),  # a redirect went
            lambda: fill(store, EVEREST, changed, K2, Redirect("Chomolungma", "Mount Everest")),
            lambda: store.remove("K2"),
            lambda: fill(store, Page("Lhotse"), source="more"),
            lambda: fill(store, Redirect("Lhotze", "Lhotse"), source="other"),
        ]
        for change in changes:
            change()
            seen.append(store.revision())
            assert seen[-1].corpus == seen[0].corpus
        assert len(set(seen)) == len(seen)
        fill(store, Page("Lhotse"), source="more")
        assert store.revision() == seen[-1]
    with Store.open(folder) as store:
        assert store.revision() == seen[-1]


def test_two_corpora_are_told_apart_even_with_the_same_pages(folder: Path, tmp_path: Path) -> None:
    with Store.create(tmp_path / "other") as other, Store.open(folder) as store:
        assert other.revision().corpus != store.revision().corpus != ""


def test_copies_of_a_corpus_that_change_apart_never_come_to_the_same_revision(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    with Store.open(folder) as one, Store.open(tmp_path / "copy") as other:
        assert one.revision() == other.revision()
    revisions = set()
    for place, page in ((folder, Page("Lhotse")), (tmp_path / "copy", Page("Makalu"))):
        with Store.create(place) as store:
            fill(store, page, source="more")
            revisions.add(store.revision())
    assert len(revisions) == 2


def as_earlier_version(folder: Path) -> None:
    """Make a corpus like those which did not tell their state."""
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("DROP TABLE state")
        connection.execute("DROP TABLE removed")
    connection.close()


def test_a_corpus_of_an_earlier_version_is_known_by_what_it_holds(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    shutil.copytree(folder, tmp_path / "moved")
    with sqlite3.connect(tmp_path / "moved" / FILE) as connection:
        connection.execute("UPDATE pages SET title = 'K3' WHERE title = 'K2'")
    connection.close()
    with Store.create(tmp_path / "other") as store:
        fill(store, EVEREST, NEPAL, K2)
    revisions = []
    for place in (folder, tmp_path / "copy", tmp_path / "moved", tmp_path / "other"):
        as_earlier_version(place)
        with Store.open(place) as store:
            revisions.append(store.revision())
    assert revisions[0] == revisions[1]
    assert len({revision.corpus for revision in revisions}) == 3


def test_a_corpus_of_an_earlier_version_keeps_its_name_when_it_is_written_to(folder: Path) -> None:
    as_earlier_version(folder)
    with Store.open(folder) as store:
        before = store.revision()
    with Store.create(folder) as store:
        assert store.revision() == before
        store.remove("K2")
        assert store.revision().corpus == before.corpus
        assert store.revision().number != before.number
        fill(store, K2, source="more")
        assert "K2" in store


def test_a_failed_transaction_is_no_revision(folder: Path) -> None:
    with Store.create(folder) as store:
        before = store.revision()

        def fails_half_way() -> None:
            with store.transaction():
                store.add(store.source_id("more", "reader"), pack_page(Page("Lhotse")), b"", 0)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fails_half_way()
        assert store.revision() == before


def test_pages_are_known_by_numbers_which_are_never_given_twice(folder: Path) -> None:
    with Store.create(folder) as store:
        numbers = store.numbers_by_title(["K2", "Nepal", "nowhere", "Chomolungma"])
        assert set(numbers) == {"K2", "Nepal"}
        assert store.titles_by_number([*numbers.values(), 999]) == {number: title for title, number in numbers.items()}
        store.remove("K2")
        fill(store, Page("Lhotse"), source="more")
        lhotse = store.numbers_by_title(["Lhotse"])["Lhotse"]
        assert lhotse > max(numbers.values())
        fill(store, Page("Lhotse", (Sentence(0, "Changed."),)), source="more")
        assert store.numbers_by_title(["Lhotse"]) == {"Lhotse": lhotse}


def test_digests_come_in_the_order_of_numbers(folder: Path) -> None:
    with Store.create(folder) as store:
        source = store.source_id("more", "reader")
        with store.transaction():
            for record, digest in enumerate((b"z", b"a", b"m")):
                store.add(source, pack_page(Page(f"P{record}")), digest, record)
        numbers = store.numbers_by_title(["P0", "P1", "P2"])
        every = list(store.digests())
        assert [number for number, _ in every] == sorted(number for number, _ in every)
        assert [digest for _, digest in every[3:]] == [b"z", b"a", b"m"]
        assert store.digests_by_number([numbers["P1"], 999]) == {numbers["P1"]: b"a"}


def test_pages_by_number_keep_their_links_as_written_and_skip_numbers_nobody_has(folder: Path) -> None:
    with Store.open(folder) as store:
        number = store.numbers_by_title(["Mount Everest"])["Mount Everest"]
        ((found, page),) = store.pages_by_number([999, number])
        assert (found, page) == (number, EVEREST)


def test_many_targets_are_resolved_at_once(folder: Path) -> None:
    with Store.open(folder) as store:
        targets = ["K2", "Chomolungma", "Tibet", *(f"Nowhere {n}" for n in range(1200))]
        resolved = store.resolve_all(targets)
        assert len(resolved) == len(targets)
        assert {target: page for target, page in resolved.items() if page} == {
            "K2": "K2",
            "Chomolungma": "Mount Everest",
        }


def test_a_path_in_a_message_can_be_pasted_into_a_shell() -> None:
    for path in ("plain", "with space", "it's", 'dq"x', "semi;$HOME", "~", "-dash", "both ' and space"):
        shown = quote_path(path)
        (word,) = shlex.split(shown)
        assert word in (path, f"./{path}")
        assert not word.startswith("-")
        done = subprocess.run(["sh", "-c", f"printf %s {shown}"], capture_output=True, text=True, check=True)
        assert done.stdout == word


# -- originals ---------------------------------------------------------------------------------------------

LOCATED = Page(
    "Harvest report",
    (Sentence(0, "Wheat rose."), TableBlock(0, ((Cell("Wheat", header=True), Cell("12")),), "Table 1")),
    located={
        (Kind.SENTENCE, (0,)): (Region(1, 72.0, 80.12, 200.5, 92.0), Region(2, 72.0, 72.0, 90.0, 84.0)),
        (Kind.TABLE_CAPTION, (0,)): (Region(2, 72.0, 100.0, 120.0, 112.0),),
        (Kind.CELL, (0, 0, 0)): (Region(2, 72.0, 120.0, 120.0, 140.0),),
        (Kind.CELL, (0, 0, 1)): (Region(2, 120.0, 120.0, 160.0, 140.0),),
    },
    file="reports/harvest.pdf",
    name="reports/harvest",
)


def test_a_page_comes_back_with_where_its_elements_stand(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        fill(store, LOCATED)
    with Store.open(tmp_path) as store:
        page = store.page("reports/harvest")
        assert page == LOCATED
        assert page.located == LOCATED.located
        element = store.element("Harvest report_header_cell_0_0_0")
        assert element.origin == Origin("reports/harvest.pdf", (Region(2, 72.0, 120.0, 120.0, 140.0),))
        assert element.origin.page == 2
        assert next(store.pages_by_number([1]))[1].file == "reports/harvest.pdf"


# How earlier versions wrote it: no corpus is read again for nothing.
PACKED_BEFORE = (
    rb'[["s",0,["Everest lies in Nepal and Tibet.",16,21,"Nepal",26,31,"Tibet"],0],["t",0,[[{"h":["Country"'
    rb',1,1,1]},["Nepal",0,5,"Nepal"]]],"",0],["l",0,[[["see K2",4,6,"Savage Mountain"],0,0]]]]'
)


def test_where_elements_stand_is_kept_beside_the_page_and_changes_none_of_its_bytes() -> None:
    plain = replace(LOCATED, located={}, file="", name="")
    assert pack_page(LOCATED, b"%PDF").data == pack_page(plain).data
    assert pack_page(plain).original is None
    assert zlib.decompress(pack_page(EVEREST).data) == PACKED_BEFORE


def test_a_corpus_of_an_earlier_version_opens_and_can_be_written_to(folder: Path) -> None:
    with sqlite3.connect(folder / FILE) as database:
        database.execute("DROP TABLE originals")
    database.close()
    with Store.open(folder) as store:
        before = store.revision()
        assert store.page("Chomolungma").file == ""
        assert len(list(store.pages())) == 3
        with pytest.raises(NotFound, match="no original to show"):
            store.original("K2")
    with Store.create(folder) as store:
        assert store.revision() == before
        fill(store, LOCATED, source="more")
        assert store.page("Harvest report").file == "reports/harvest.pdf"


def test_regions_that_change_alone_change_the_page(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        fill(store, LOCATED)
        before = store.revision()
        fill(store, LOCATED)
        assert store.revision() == before
        fill(store, replace(LOCATED, located={}))
        assert store.revision() != before
        assert store.page("Harvest report").located == {}


# -- what pages are sorted under ---------------------------------------------------------------------------

SORTED = replace(NEPAL, categories=("Countries", "Himalayas"))


def test_a_page_keeps_its_categories_and_the_store_lists_them(folder: Path) -> None:
    with Store.create(folder) as store:
        fill(store, EVEREST, SORTED, K2)
    with Store.open(folder) as store:
        assert store.page("Nepal").categories == ("Countries", "Himalayas")
        assert store.page("K2").categories == ()
        assert list(store.categories()) == [("Nepal", "Countries"), ("Nepal", "Himalayas")]


def test_other_categories_are_a_change_and_go_with_their_page(folder: Path) -> None:
    with Store.create(folder) as store:
        before = store.revision()
        fill(store, EVEREST, SORTED, K2)
        between = store.revision()
        fill(store, EVEREST, replace(NEPAL, categories=("Countries",)), K2)
        assert len({before, between, store.revision()}) == 3
        assert list(store.categories()) == [("Nepal", "Countries")]
        store.remove("Nepal")
        assert list(store.categories()) == []


def test_a_corpus_of_an_earlier_version_has_no_categories_until_it_is_read_again(folder: Path) -> None:
    database = sqlite3.connect(folder / FILE)
    database.execute("DROP TABLE categories")
    database.close()
    with Store.open(folder) as store:
        assert store.page("Nepal").categories == ()
        assert list(store.categories()) == []
    with Store.create(folder) as store:
        fill(store, EVEREST, SORTED, K2)
        assert store.page("Nepal").categories == ("Countries", "Himalayas")


def test_hubs_are_the_pages_that_link_to_most_others(folder: Path) -> None:
    with Store.open(folder) as store:
        assert next(store.hubs(1)) == ("Mount Everest", ("Nepal", "K2"))
        assert {title for title, _ in store.hubs(10)} == {"Mount Everest", "Nepal", "K2"}
