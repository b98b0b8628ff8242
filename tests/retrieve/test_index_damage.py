"""An index with something wrong: always told, with the command that mends it, and never used."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.retrieve.corpora import EVEREST, K2, NEPAL, WORLD, build, fill, indexed, town
from veritab.corpus.database import take_lock
from veritab.corpus.store import Store
from veritab.errors import DamagedStore, NotFound, StaleIndex, StoreBusy, StoreError, VeritabError
from veritab.retrieve import index as module
from veritab.retrieve.index import FOLDER, FORMAT, Index, IndexProgress, read_note
from veritab.retrieve.index_errors import translate_errors
from veritab.retrieve.name_index import FILE

NOTE = "index.json"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with an index that was changed once, so that it has files of every kind."""
    folder = tmp_path_factory.mktemp("good")
    indexed(folder, (*WORLD, *(town(number) for number in range(9)))).close()
    indexed(folder, (*WORLD, *(town(number) for number in range(8)))).close()
    return folder


@pytest.fixture
def copy(good: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(good, tmp_path / "copy")
    with Store.open(tmp_path / "copy") as store:
        yield store


def use(store: Store) -> list[object]:
    """Open the index and ask everything of it."""
    with Index(store) as index:
        found: list[object] = [index.names.targets(["everest", "town 1", "k2"]), index.names.complete("t", 9)]
        for sub_index in (index.pages, index.texts, index.tables):
            weights = dict.fromkeys(sub_index.sub_index.fields, 1.0)
            found.append(sub_index.search("town river everest table", weights, 99, phrases=[("mount everest", 1.0)]))
            found.append(sub_index.search("everest", weights, 99, pages=range(20)))
            found.append(sub_index.largest("everest", "body", 9))
        return found


def test_a_corpus_without_an_index_says_how_to_build_it(tmp_path: Path) -> None:
    folder = tmp_path / "my corpus"
    fill(folder, WORLD)
    with Store.open(folder) as store, pytest.raises(NotFound, match=f"build it with: veritab index '{folder}'"):
        Index(store)


def test_the_index_of_another_corpus_is_refused_and_replaced(copy: Store, tmp_path: Path) -> None:
    with indexed(tmp_path / "other", [K2]) as other:
        shutil.rmtree(other.folder / FOLDER)
        shutil.copytree(copy.folder / FOLDER, other.folder / FOLDER)
        with pytest.raises(StaleIndex, match=r"another corpus; build it anew with: veritab index "):
            Index(other)
        build(other)
        with Index(other) as index:
            assert len(index.pages) == 1


def test_an_index_is_refused_by_a_corpus_that_was_restored_and_then_changed_otherwise(tmp_path: Path) -> None:
    """Also after as many changes as the index has seen; bringing it up to date leaves nothing of the other ones."""
    folder = tmp_path / "corpus"
    fill(folder, [EVEREST, NEPAL])
    shutil.copy(folder / "corpus.sqlite", tmp_path / "backup")
    indexed(folder, [EVEREST, NEPAL, K2]).close()
    shutil.copy(tmp_path / "backup", folder / "corpus.sqlite")
    fill(folder, [EVEREST, NEPAL, town(1)])
    with Store.open(folder) as store:
        with pytest.raises(StaleIndex, match=f"veritab index {folder}"):
            Index(store)
        build(store)
        with Index(store) as index:
            assert index.pages.search("savage", {"body": 1}, 9) == []
            assert len(index.pages.search("river", {"body": 1}, 9)) == 1


def test_corpora_of_earlier_versions_do_not_take_each_others_index(tmp_path: Path) -> None:
    stores = []
    for name, page in (("one", EVEREST), ("other", K2)):
        fill(tmp_path / name, [page])
        with sqlite3.connect(tmp_path / name / "corpus.sqlite") as connection:
            connection.execute("DROP TABLE state")
        connection.close()
        stores.append(Store.open(tmp_path / name))
        build(stores[-1])
    one, other = stores
    use(one)
    shutil.rmtree(other.folder / FOLDER)
    shutil.copytree(one.folder / FOLDER, other.folder / FOLDER)
    with pytest.raises(StaleIndex, match="another corpus"):
        Index(other)
    one.close()
    other.close()


@pytest.fixture
def shadows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where folders are shadowed, as all now look as if nobody could write to them."""
    folder = tmp_path / "shadows"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(os, "access", lambda *_: False)
    return folder


def test_an_index_leaves_no_shadow_once_it_is_open(copy: Store, shadows: Path) -> None:
    with Index(copy) as index:
        searcher = index.pages
        for _ in range(3):
            assert list(shadows.iterdir()) == []
            assert len(searcher.search("everest", {"body": 1}, 9)) == 3
            index.refresh()
    assert list(shadows.iterdir()) == []


@pytest.mark.parametrize("part", ["pages/meta.json", "tables/meta.json", FILE, "tables", "note"])
def test_an_index_that_cannot_be_opened_leaves_no_shadow(copy: Store, shadows: Path, part: str) -> None:
    path = copy.folder / FOLDER / part
    if part == "note":
        note = path.with_name(NOTE)
        note.write_text(json.dumps(json.loads(note.read_text()) | {"entries": {}}))
    elif path.is_dir():
        for victim in path.glob("*.term"):
            put(victim, victim.read_bytes()[:-9])
    else:
        put(path, b"{garbage" * 100)
    with pytest.raises(DamagedStore) as told:
        Index(copy)
    # The error still holds on to what failed: nothing was left to the garbage collector.
    assert told.value.__traceback__
    assert list(shadows.iterdir()) == []


def test_a_refresh_that_fails_keeps_what_was_open(copy: Store, shadows: Path) -> None:
    with Index(copy) as index:
        meta = copy.folder / FOLDER / "pages" / "meta.json"
        put(meta, b"{garbage")
        with pytest.raises(DamagedStore):
            index.refresh()
        assert len(index.pages.search("everest", {"body": 1}, 9)) == 3
    assert list(shadows.iterdir()) == []


@pytest.mark.parametrize("error", [StoreBusy("busy"), ZeroDivisionError(), KeyboardInterrupt()])
@pytest.mark.parametrize("path", [None, "folder"])
def test_a_corpus_whose_index_cannot_be_opened_is_closed_again(
    copy: Store, monkeypatch: pytest.MonkeyPatch, error: BaseException, path: str | None
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    closed: list[Store] = []
    monkeypatch.setattr(module, "open_corpus", lambda _: copy)
    monkeypatch.setattr(Store, "close", lambda store: closed.append(store))
    if path is None:
        (copy.folder / FOLDER / NOTE).unlink()
        monkeypatch.setattr(module, "build_index", fails)
        monkeypatch.setattr(module, "_PATIENCE", 1)
    else:
        monkeypatch.setattr(module, "open_names", fails)
    with pytest.raises(type(error)):
        module.open_index(path)
    assert closed == [copy]
    monkeypatch.undo()


@pytest.mark.parametrize("format", [FORMAT - 1, FORMAT + 1])
def test_an_index_of_another_version_is_refused_and_replaced(copy: Store, format: int) -> None:
    note = copy.folder / FOLDER / NOTE
    note.write_text(json.dumps(json.loads(note.read_text()) | {"format": format}))
    with pytest.raises(StaleIndex, match="another version of Veritab"):
        Index(copy)
    build(copy)
    assert read_note(copy.folder / FOLDER) == json.loads(note.read_text())
    use(copy)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"format": "x"}', b"[" * 100_000])
def test_a_damaged_note_is_told_of_and_replaced(copy: Store, content: bytes) -> None:
    (copy.folder / FOLDER / NOTE).write_bytes(content)
    with pytest.raises(DamagedStore, match=f"veritab index --rebuild {copy.folder}"):
        Index(copy)
    build(copy)
    use(copy)


def test_the_parts_of_two_indexes_do_not_make_one(copy: Store, tmp_path: Path) -> None:
    older = tmp_path / "older"
    shutil.copytree(copy.folder, older)
    fill(copy.folder, (*WORLD, *(town(number) for number in range(10))))
    build(copy)
    for part in ("texts", FILE):
        mixed = tmp_path / f"mixed {part}"
        shutil.copytree(copy.folder, mixed)
        target = mixed / FOLDER / part
        if target.is_dir():
            shutil.rmtree(target)
            shutil.copytree(older / FOLDER / part, target)
        else:
            shutil.copy(older / FOLDER / part, target)
        with Store.open(mixed) as store, pytest.raises(DamagedStore, match="do not belong together"):
            Index(store)
        fill(mixed, WORLD)
        with Store.open(mixed) as store, pytest.raises(DamagedStore, match="do not belong together"):
            build(store)


@pytest.mark.parametrize("whole", [True, False], ids=["finished", "unfinished"])
def test_a_sub_index_that_is_gone_is_not_begun_anew_beside_the_others(copy: Store, whole: bool) -> None:
    note = copy.folder / FOLDER / NOTE
    if not whole:
        note.write_text(json.dumps(json.loads(note.read_text()) | {"entries": None}))
    shutil.rmtree(copy.folder / FOLDER / "texts")
    fill(copy.folder, WORLD)
    with pytest.raises(DamagedStore, match=f"veritab index --rebuild {copy.folder}"):
        build(copy)
    build(copy, rebuild=True)
    use(copy)


def put(path: Path, content: bytes) -> None:
    """Put another file in its place: whoever has the old one mapped into memory must not lose it under his feet."""
    aside = path.with_name("aside")
    aside.write_bytes(content)
    aside.replace(path)


def harmed(data: bytes, how: str) -> bytes | None:
    middle = len(data) // 2
    return {
        "missing": None,
        "empty": b"",
        "cut in half": data[:middle],
        "cut by one": data[:-1],
        "overwritten": random.Random(1).randbytes(len(data)),
    }[how]


def complaint(store: Store, expected: list[object]) -> str:
    """What using an index complains of; nothing when all answers are right."""
    try:
        assert use(store) == expected, "silently wrong"
    except VeritabError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("how", ["missing", "empty", "cut in half", "cut by one", "overwritten"])
def test_a_harmed_file_is_told_of_or_does_no_harm_and_building_anew_mends_it(copy: Store, how: str) -> None:
    expected = use(copy)
    folder = copy.folder / FOLDER
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size):
        data = path.read_bytes()
        content = harmed(data, how)
        if content is None:
            path.unlink()
        else:
            put(path, content)
        told = complaint(copy, expected)
        assert told == "" or ("veritab index" in told and str(copy.folder) in told), path.name
        put(path, bytes(data))
    assert use(copy) == expected


@pytest.mark.parametrize("part", ["pages/meta.json", "texts/.managed.json", FILE, "tables"])
def test_bringing_a_damaged_index_up_to_date_says_to_build_it_anew(copy: Store, part: str) -> None:
    path = copy.folder / FOLDER / part
    if path.is_dir():
        (victim,) = list(path.glob("*.term"))[:1]
        put(victim, victim.read_bytes()[:-9])
    else:
        put(path, b"{garbage" * 100)
    fill(copy.folder, WORLD)
    with pytest.raises(DamagedStore, match=f"veritab index --rebuild {copy.folder}"):
        build(copy) and Index(copy)
    build(copy, rebuild=True)
    use(copy)


@pytest.mark.parametrize("part", [FILE, "pages", "texts", "tables"])
def test_a_damaged_index_is_not_called_up_to_date(copy: Store, part: str) -> None:
    path = copy.folder / FOLDER / part
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    with pytest.raises(DamagedStore, match="build it anew with: veritab index --rebuild"):
        build(copy)


def test_nothing_else_in_the_folder_is_touched(copy: Store) -> None:
    (copy.folder / FOLDER / "vectors").mkdir()
    (copy.folder / FOLDER / "vectors" / "x").write_text("mine")
    build(copy, rebuild=True)
    assert (copy.folder / FOLDER / "vectors" / "x").read_text() == "mine"


def test_a_read_only_folder_can_be_searched_and_says_why_it_cannot_be_built(copy: Store) -> None:
    expected = use(copy)
    everything = [copy.folder, *copy.folder.rglob("*")]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        if os.access(copy.folder, os.W_OK):
            pytest.skip("this user may write anywhere")
        with Store.open(copy.folder) as store:
            assert use(store) == expected
            with Index(store) as index:
                index.refresh()
                assert len(index.pages) == 11
            with pytest.raises(StoreError, match="this user may not write there; change its permissions, or copy it"):
                build(store, rebuild=True)
    finally:
        for path in everything:
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o600, 0o700), (0o640, 0o750), (0o644, 0o755)])
def test_whoever_may_read_the_corpus_may_read_the_index(copy: Store, file_mode: int, folder_mode: int) -> None:
    (copy.folder / "corpus.sqlite").chmod(file_mode)
    shutil.rmtree(copy.folder / FOLDER)
    build(copy)
    assert (copy.folder / FOLDER).stat().st_mode & 0o777 == folder_mode
    modes = {path.stat().st_mode & 0o444 for path in (copy.folder / FOLDER).rglob("*") if path.is_file()}
    assert modes == {0o444}  # the folder keeps others out


def test_a_corpus_is_made_for_its_owner(tmp_path: Path) -> None:
    indexed(tmp_path / "corpus", WORLD).close()
    files = [path for path in (tmp_path / "corpus").iterdir() if path.name != "writer.lock"]  # it holds nothing
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "corpus", *files)}
    assert modes.pop("corpus") == modes.pop("index") == 0o700
    assert set(modes.values()) == {0o600}


# -- a disk that cannot be written --

READ_ONLY = """
import sys
from veritab.corpus.ingest import Ingest
from veritab.corpus.database import take_lock
from veritab.corpus.store import Store
from veritab.errors import StoreError
from veritab.retrieve.index import Index, build_index

folder = sys.argv[1]
with Store.open(folder) as store:
    with Index(store) as index:
        print(len(index.pages), index.check_integrity(), index.leftovers())
    print(list(build_index(store)))
    try:
        list(build_index(store, rebuild=True))
    except StoreError as error:
        print(error)
try:
    Store.create(folder)
except StoreError as error:
    print(error)
"""


def test_a_read_only_disk_is_called_that_and_can_be_searched(copy: Store, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    script = 'mount --bind "$1" "$2" && mount -o remount,ro,bind "$2" && exec "$3" -c "$4" "$2"'
    words = [str(copy.folder), str(tmp_path / "disk"), sys.executable]
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount anything")
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *words, READ_ONLY], capture_output=True, text=True, check=True
    )
    told, up_to_date, index, store = done.stdout.splitlines()
    assert told == "11 [] []"
    assert up_to_date == "[IndexProgress(done=0, total=0)]"
    disk = tmp_path / "disk"
    remedy = "its disk is read-only; copy it to one that can be written"
    assert index == f"cannot write the index in {str(disk / FOLDER)!r}: {remedy}"
    assert store == f"cannot write to the corpus in {str(disk)!r}: {remedy}"


# -- what a killed process leaves --


@pytest.fixture
def left(copy: Store) -> list[Path]:
    """Files as a writer leaves them that was ended in the middle, some of which tantivy knows."""
    pages = copy.folder / FOLDER / "pages"
    segment = json.loads((pages / "meta.json").read_text())["segments"][0]["segment_id"].replace("-", "")
    files = [
        copy.folder / FOLDER / ".index.json.0123abcd.partial",
        pages / ".tmpAbCdEf",
        pages / f"{segment}.9999.del",
        pages / "00112233445566778899aabbccddeeff.idx",
        pages / "00112233445566778899aabbccddeeff.store",
    ]
    for file in files:
        file.write_bytes(b"half a file")
    managed = json.loads((pages / ".managed.json").read_text())
    (pages / ".managed.json").write_text(json.dumps([*managed, files[3].name]))
    return files


def test_what_a_killed_process_left_is_no_damage(copy: Store, left: list[Path]) -> None:
    with Index(copy) as index:
        assert index.check_integrity() == []
        assert index.leftovers() == sorted(left)


def test_what_a_killed_process_left_is_removed_by_the_next_index(copy: Store, left: list[Path]) -> None:
    expected = use(copy)
    assert build(copy) == [IndexProgress(0, 0)]
    assert not [path for path in left if path.exists()]
    assert use(copy) == expected
    with Index(copy) as index:
        assert index.leftovers() == []


def test_what_a_process_left_that_was_killed_at_its_beginning_is_removed_too(copy: Store) -> None:
    left = copy.folder / FOLDER / ".index.json.0123abcd.partial"
    left.write_bytes(b"{")
    (copy.folder / FOLDER / NOTE).unlink()
    build(copy)
    assert not left.exists()


def test_nothing_is_called_left_over_while_a_process_is_at_work(copy: Store, left: list[Path]) -> None:
    lock = take_lock(copy.folder / FOLDER / "writer.lock")
    assert lock
    with contextlib.closing(lock), Index(copy) as index:
        assert index.leftovers() == []


def test_a_file_of_a_segment_that_was_changed_is_still_damage(copy: Store, left: list[Path]) -> None:
    pages = copy.folder / FOLDER / "pages"
    file = next(path for path in sorted(pages.glob("*.idx")) if path not in left)
    content = bytearray(file.read_bytes())
    content[10] ^= 1
    file.write_bytes(content)
    with Index(copy) as index:
        assert index.check_integrity() == [f"{file} does not hold what was written"]


def test_an_index_built_anew_is_seen_by_those_who_have_it_open(copy: Store) -> None:
    with Index(copy) as index:
        assert "everest" in index.names.targets(["everest"])
        fill(copy.folder, [K2, EVEREST])
        build(copy, rebuild=True)
        index.refresh()
        assert len(index.pages) == 2
        assert "town 1" not in index.names.targets(["town 1"])
        fill(copy.folder, [K2, EVEREST, NEPAL])
        build(copy)
        index.refresh()
        assert "nepal" in index.names.targets(["nepal"])


def test_bytes_that_changed_on_disk_are_found_by_a_deep_check(copy: Store) -> None:
    with Index(copy) as index:
        assert index.check_integrity() == []
    for path in sorted((copy.folder / FOLDER).rglob("*.*")):
        if path.suffix in (".idx", ".pos", ".term", ".fast", ".fieldnorm", ".store", ".del"):
            data = bytearray(path.read_bytes())
            data[3] ^= 1
            put(path, bytes(data))
            with contextlib.suppress(DamagedStore), Index(copy) as index:
                assert index.check_integrity() == [f"{path} does not hold what was written"]
            data[3] ^= 1
            put(path, bytes(data))
    with Index(copy) as index:
        assert index.check_integrity() == []


def test_a_panic_of_the_search_engine_is_an_error_of_ours(copy: Store) -> None:
    class PanicException(BaseException):  # as pyo3 makes it: no Exception, and not to be imported
        pass

    with (
        pytest.raises(DamagedStore, match=f"does not hold what was written; .* veritab index --rebuild {copy.folder}"),
        translate_errors(copy.folder / FOLDER),
    ):
        raise PanicException("index out of range")
    with pytest.raises(KeyboardInterrupt), translate_errors(copy.folder / FOLDER):
        raise KeyboardInterrupt
