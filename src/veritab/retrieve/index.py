"""What retrieval keeps beside a corpus: the three sub-indexes, the names, and a note of what they were built from.

Building and bringing up to date are one thing: pages are compared by number and digest with what the index holds, and
only the difference is written. Each batch is committed sub-indexes first, names last; a run that was stopped finds its
last batch half done and does it again, because writing a page begins with removing it. While pages are written the note
says that the index is incomplete, and it cannot be opened.

BM25 weighs words by how many entries have them, and tantivy counts removed entries until it merges the segments they
are in: after changes, scores differ a little from those of an index built anew, until then.
"""

from __future__ import annotations

import ctypes
import json
import logging
import shutil
import sqlite3
import sys
import time
from array import array
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from veritab.cancel import stop_if_cancelled
from veritab.corpus import open_corpus
from veritab.corpus.database import take_lock
from veritab.corpus.shards import ShardedStore
from veritab.corpus.store import FILE as STORE_FILE
from veritab.corpus.store import Revision, Store, quote_path
from veritab.engine import Engine, ThisProcess
from veritab.errors import DamagedStore, InputError, NotFound, StaleIndex, StoreBusy, StoreError
from veritab.files import make_folder_like, partial_path, why_unwritable
from veritab.retrieve.index_errors import damaged_index, has_wrong_checksum, translate_errors
from veritab.retrieve.name_index import FILE, NameIndex, NameIndexWriter, open_names
from veritab.retrieve.shards import DividedIndex, OpenSearcher, ShardSearcher
from veritab.retrieve.sparse import (
    SUB_INDEXES,
    SparseIndex,
    SparseIndexWriter,
    SubIndex,
    entries,
    find_leftovers,
)
from veritab.schema import Redirect

log = logging.getLogger(__name__)

FOLDER = "index"
FORMAT = 2
_NOTE = "index.json"
_LOCK = "writer.lock"
_BATCH = 20_000
_PATIENCE = 300
# A task that runs twice meets itself, as when a shard is filled: it waits so many seconds for the other to end.
_SHARD_PATIENCE = 30.0


def shards_of(store: Store) -> tuple[Store, ...]:
    """The corpora of one file that a corpus is made of, each with an index of its own; itself where there is one."""
    return store.shards if isinstance(store, ShardedStore) else (store,)


def folder_of_index(store: Store) -> Path:
    """The folder that the index of a corpus is in: of its own, or inside those of its shards."""
    return store.folder if isinstance(store, ShardedStore) else store.folder / FOLDER


class IndexProgress(NamedTuple):
    """How far building is: pages done of pages to do."""

    done: int
    total: int


class NearWord(NamedTuple):
    """A word of the corpus that an unknown word may be a misspelling of, as a page writes it."""

    word: str
    term: str


class Index:
    """Everything that finds things in a corpus, open for reading."""

    def __init__(self, store: Store, apart: OpenSearcher | None = None) -> None:
        """`apart` searches the shards of a corpus apart, where that is wanted; what is found is the same."""
        self.store = store
        self.apart = apart
        self._folder = store.folder / FOLDER
        self._folders = [each.folder / FOLDER for each in shards_of(store)]
        self.near_words: dict[str, tuple[NearWord, ...]] = {}
        """What `spelling` found for words that are not in the corpus."""
        self.revision = store.revision()
        """The state of the corpus that can be found by it."""
        notes = self._check()
        with ExitStack() as opened:
            self._searcher: ShardSearcher | None = None
            if apart and len(self._folders) > 1:
                self._searcher = opened.enter_context(closing(apart(self._folders)))
            self.pages, self.texts, self.tables = map(self._open_sub_index, SUB_INDEXES)
            self.names = opened.enter_context(closing(open_names(self._folders)))
            self._check_parts(notes)
            opened.pop_all()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open_sub_index(self, sub_index: SubIndex) -> SparseIndex:
        if self._searcher:
            return DividedIndex(self._folder, sub_index, self._folders, self._searcher)
        return SparseIndex(self._folder, sub_index, self._folders)

    def _sub_indexes(self) -> tuple[SparseIndex, ...]:
        return self.pages, self.texts, self.tables

    def _check(self) -> list[dict[str, Any]]:
        """What each shard's index was built from, or that of the one there is."""
        return [_check_note(each, self.store) for each in shards_of(self.store)]

    def _check_parts(self, notes: Sequence[Mapping[str, Any]]) -> None:
        """Whether all parts are of one building: files may have been copied together from two."""
        if not _belong_together(notes, self._sub_indexes(), self.names):
            self._check()  # another process may be changing it
            raise damaged_index(self._folder, _MIXED)

    def refresh(self) -> None:
        """See what was written to the corpus and the index since they were opened."""
        state = self.store.revision()
        notes = self._check()
        for sub_index in self._sub_indexes():
            sub_index.refresh()
        if self._searcher:
            self._searcher.refresh()
        self.names.refresh()
        self.near_words.clear()
        self._check_parts(notes)
        self.revision = state

    def check_integrity(self) -> list[str]:
        """What is wrong with the files, which opening does not notice; empty when all is well. Reads all of them."""
        left = {path for folder in self._folders for path in _leftovers(folder)}
        with translate_errors(self._folder):
            folders = (folder for sub_index in self._sub_indexes() for folder in sub_index.folders)
            wrong = [
                f"{path} does not hold what was written"
                for folder in folders
                for path in sorted(folder.iterdir())
                if path.suffix not in (".json", ".lock") and path not in left and has_wrong_checksum(path)
            ]
        return wrong + self.names.check_integrity()

    def leftovers(self) -> list[Path]:
        """Files that are no part of the index: it was stopped while it wrote them; none while a process is at work."""
        return [path for folder in self._folders for path in _leftovers_at_rest(folder)]

    def close(self) -> None:
        if self._searcher:
            self._searcher.close()
        self.names.close()


def _check_note(part: Store, corpus: Store) -> dict[str, Any]:
    """What the index of a corpus, or of one of its shards, was built from; an error unless it is whole and of now."""
    command = f"veritab index {quote_path(corpus.folder)}"
    what = "the index" if part is corpus else f"the index of its shard {part.folder.name!r}"
    note = read_note(part.folder / FOLDER)
    if note is None:
        lacks = "has no index yet" if part is corpus else f"lacks {what}"
        raise NotFound(f"the corpus {str(corpus.folder)!r} {lacks}; build it with: {command}")
    if note["format"] != FORMAT:
        raise StaleIndex(f"{what} was built by another version of Veritab; build it anew with: {command}")
    state = part.revision()
    if note["corpus"] != state.corpus:
        raise StaleIndex(f"{what} was built from another corpus; build it anew with: {command}")
    if note["entries"] is None:
        raise StaleIndex(f"building {what} has not come to its end; wait for it, or finish it with: {command}")
    if note["revision"] != state.number:
        raise StaleIndex(
            f"the corpus changed after {what.replace('the', 'its', 1)} was built; bring it up to date with: {command}"
        )
    return note


def is_indexed(store: Store) -> bool:
    """Whether a corpus has an index of the state that it is in."""
    return all(map(_is_indexed, shards_of(store)))


def _is_indexed(store: Store) -> bool:
    note = read_note(store.folder / FOLDER)
    state = store.revision()
    return note is not None and note["entries"] is not None and (note["corpus"], note["revision"]) == state


def open_index(path: Path | str | None = None, apart: OpenSearcher | None = None) -> Index:
    """The index of the corpus in a folder; that of the bundled almanac (None) is built when it is first opened.

    `apart` searches shards apart.
    """
    corpus = open_corpus(path)
    if not isinstance(corpus, Store):
        corpus.close()
        raise no_index_of(path)
    try:
        return Index(corpus, apart) if path is not None else _almanac(corpus)
    except BaseException:
        corpus.close()
        raise


def no_index_of(path: Path | str | None) -> InputError:
    """What to say of a published database used in place."""
    return InputError(
        f"{str(path)!r} is a FEVEROUS database, which has no index; make a corpus of it with: "
        f"veritab ingest {quote_path(path or '')} --into DIR, then: veritab index DIR"
    )


def _almanac(store: Store) -> Index:
    try:
        return Index(store)
    except (NotFound, StaleIndex, DamagedStore) as error:
        _build_almanac(store, rebuild=isinstance(error, DamagedStore))
        return Index(store)


def _build_almanac(store: Store, *, rebuild: bool) -> None:
    """Whoever comes second waits for the first to finish."""
    for _ in range(_PATIENCE):
        try:
            for _ in build_index(store, rebuild=rebuild):
                pass
            return
        except StoreBusy:
            time.sleep(0.2)
            rebuild = False
    raise StoreBusy(f"another process has been building the index of the almanac for long; see {str(store.folder)!r}")


_MIXED = "its parts do not belong together"


def _belong_together(notes: Sequence[Mapping[str, Any]], sub_indexes: Iterable[SparseIndex], names: NameIndex) -> bool:
    """Whether sub-indexes and names are those the notes were written for."""
    counts = Counter({sub_index.sub_index.name: len(sub_index) for sub_index in sub_indexes})
    noted = sum((Counter(note["entries"]) for note in notes), Counter())
    return +counts == noted and names.built_from() == [(note["corpus"], note["revision"]) for note in notes]


def read_note(folder: Path) -> dict[str, Any] | None:
    """What an index was built from, and how many entries it has (None while it is not whole); None without an index."""
    path = folder / _NOTE
    with translate_errors(folder):
        if not path.is_file():
            return None
        content = path.read_bytes()
    try:
        note = json.loads(content)
        found = {"format": int(note["format"]), "corpus": str(note["corpus"]), "revision": int(note["revision"])}
        return found | {"entries": note.get("entries")}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise damaged_index(folder, f"{_NOTE} cannot be read") from None


def build_index(store: Store, *, rebuild: bool = False) -> Generator[IndexProgress, None, None]:
    """Build the index of a corpus, or bring it up to date, with progress.

    Everything can be found from the last report on; what follows that is only tidying up.
    """
    if isinstance(store, ShardedStore):
        yield from build_shards(store, ThisProcess(), rebuild=rebuild)
        return
    folder = store.folder / FOLDER
    if reason := why_unwritable(folder if folder.exists() else store.folder):
        if rebuild or not _is_current(store):
            raise StoreError(f"cannot write the index in {str(folder)!r}: {reason}")
        yield IndexProgress(0, 0)
        return
    with translate_errors(folder):
        make_folder_like(folder, store.folder / STORE_FILE)
        lock = _take_lock(folder)
    try:
        state = store.revision()
        note = None if rebuild else _usable_note(folder, state)
        if note is None:
            _clear(folder)
        else:
            _remove_leftovers(folder)
        if note is not None and note["entries"] is not None:
            sub_indexes = [SparseIndex(folder, sub_index) for sub_index in SUB_INDEXES]
            with closing(NameIndex(folder)) as names:
                if not _belong_together([note], sub_indexes, names):
                    raise damaged_index(folder, _MIXED)
            if note["revision"] == state.number:
                yield IndexProgress(0, 0)
                return
        yield from _update(folder, store, state)
    finally:
        lock.close()


def build_shards(store: Store, engine: Engine, *, rebuild: bool = False) -> Iterator[IndexProgress]:
    """Build the indexes of a corpus's shards, or bring them up to date, each as one item of an engine's work.

    Shards that are up to date are left alone. While it goes on, all pages of a shard count as to be done; the last
    report counts those that were.
    """
    to_do = [shard for shard in shards_of(store) if rebuild or not _is_indexed(shard)]
    pages = [len(shard) for shard in to_do]
    done = written = 0
    yield IndexProgress(0, sum(pages))
    build = partial(_build_shard, rebuild=rebuild)
    for size, changed in zip(pages, engine.map(build, [shard.folder.absolute() for shard in to_do]), strict=True):
        done += size
        written += changed
        yield IndexProgress(done, sum(pages))
    yield IndexProgress(written, written)


def _build_shard(folder: Path, *, rebuild: bool) -> int:
    """Bring the index of one shard up to date; how many of its pages that took."""
    written = 0
    with Store.open(folder) as shard, closing(_once_free(shard, rebuild=rebuild)) as building:
        for step in building:
            stop_if_cancelled()
            written = step.total
    return written


def _once_free(shard: Store, *, rebuild: bool) -> Generator[IndexProgress, None, None]:
    """Build an index; who is at it already may be a task whose command was killed, and which soon ends."""
    give_up = time.monotonic() + _SHARD_PATIENCE
    while True:
        try:
            with closing(build_index(shard, rebuild=rebuild)) as building:
                yield from building
            return
        except StoreBusy:
            if time.monotonic() > give_up:
                raise
        stop_if_cancelled()
        time.sleep(0.5)


def _is_current(store: Store) -> bool:
    try:
        with Index(store):
            return True
    except (NotFound, StaleIndex):
        return False


def _partial_notes(folder: Path) -> list[Path]:
    return list(folder.glob(f".{_NOTE}.*.partial"))


def _leftovers_at_rest(folder: Path) -> list[Path]:
    if why_unwritable(folder):
        return _leftovers(folder)
    lock = take_lock(folder / _LOCK)
    if lock is None:
        return []
    with closing(lock):
        return _leftovers(folder)


def _leftovers(folder: Path) -> list[Path]:
    """Files that a process had begun when it was ended, and that are no part of the index."""
    return sorted(
        [*_partial_notes(folder), *(path for sub_index in SUB_INDEXES for path in find_leftovers(folder, sub_index))]
    )


def _remove_leftovers(folder: Path) -> None:
    left = _leftovers(folder)
    if not left:
        return
    log.debug("%d files in %s were left over from an index that was stopped", len(left), folder)
    for sub_index in SUB_INDEXES:
        if any(path.parent.name == sub_index.name for path in left):
            SparseIndexWriter(folder, sub_index).collect_garbage()
    with translate_errors(folder):
        for path in left:
            path.unlink(missing_ok=True)  # tantivy removes only what it knows


def _update(folder: Path, store: Store, state: Revision) -> Iterator[IndexProgress]:
    _write_note(folder, state, None)
    with _Writer(folder) as writer:
        last = IndexProgress(0, 0)
        for last in writer.update(store):
            yield last
        writer.finish(state)
        _write_note(folder, state, {sub_index.name: len(SparseIndex(folder, sub_index)) for sub_index in SUB_INDEXES})
        yield last


def _usable_note(folder: Path, state: Revision) -> dict[str, Any] | None:
    """The note of an index that can be brought up to date; None where one must begin anew."""
    try:
        note = read_note(folder)
    except DamagedStore:
        return None
    return note if note and note["format"] == FORMAT and note["corpus"] == state.corpus else None


def _clear(folder: Path) -> None:
    """Begin anew; the note goes first, so that what is left is not taken for an index."""
    with translate_errors(folder):
        names = (_NOTE, FILE, f"{FILE}-wal", f"{FILE}-shm")
        for path in (*(folder / name for name in names), *_partial_notes(folder)):
            path.unlink(missing_ok=True)
        for sub_index in SUB_INDEXES:
            if (folder / sub_index.name).exists():
                shutil.rmtree(folder / sub_index.name)


def _write_note(folder: Path, state: Revision, counts: dict[str, int] | None) -> None:
    note = {"format": FORMAT, "corpus": state.corpus, "revision": state.number, "entries": counts}
    with translate_errors(folder), partial_path(folder / _NOTE) as partial:
        partial.write_text(json.dumps(note), encoding="utf-8")


def _take_lock(folder: Path) -> sqlite3.Connection:
    lock = take_lock(folder / _LOCK)
    if lock is None:
        raise StoreBusy(f"another process is building the index in {str(folder)!r}; wait for it, then run again")
    return lock


class _Writer:
    """Writes pages to the sub-indexes and their names to the name index, batch by batch."""

    def __init__(self, folder: Path) -> None:
        self._names = NameIndexWriter(folder)
        self._sub_indexes: dict[str, SparseIndexWriter] = {}
        try:
            begun = next(self._names.pages(), None) is not None
            for sub_index in SUB_INDEXES:
                self._sub_indexes[sub_index.name] = SparseIndexWriter(folder, sub_index, begun=begun)
        except BaseException:
            self._abandon()
            raise

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind:
            self._abandon()
        else:
            for writer in self._sub_indexes.values():
                writer.close()

    def _abandon(self) -> None:
        self._names.abandon()
        for writer in self._sub_indexes.values():
            writer.abandon()

    def update(self, store: Store) -> Iterator[IndexProgress]:
        """Write what differs."""
        numbers = array("q", (number for number, _, _ in _differences(self._names.pages(), store.digests())))
        yield IndexProgress(0, len(numbers))
        for start in range(0, len(numbers), _BATCH):
            batch = numbers[start : start + _BATCH].tolist()
            with self._names:
                for done, _ in enumerate(self._write(store, batch), 1):
                    if done % 500 == 0:
                        yield IndexProgress(start + done, len(numbers))
                for writer in self._sub_indexes.values():
                    writer.commit()
            give_back_memory()
        self._write_redirects(store)
        yield IndexProgress(len(numbers), len(numbers))

    def finish(self, state: Revision) -> None:
        """Everything is in."""
        self._names.finish(state)
        self._names.close()

    def _write(self, store: Store, batch: list[int]) -> Iterator[None]:
        # Also a page the names do not know may be in the sub-indexes, from a batch that was cut off.
        for writer in self._sub_indexes.values():
            writer.remove(batch)
        for number in batch:
            self._names.remove(number)
        digests = store.digests_by_number(batch)
        yield from (None for _ in range(len(batch) - len(digests)))
        for number, page in store.pages_by_number(digests):
            self._names.add(number, digests[number], page)
            for sub_index, found in entries(page).items():
                self._sub_indexes[sub_index.name].add(number, found)
            yield

    def _write_redirects(self, store: Store) -> None:
        new = ((redirect.title, redirect.target) for redirect in store.redirects())
        different = _differences(self._names.redirects(), new)
        while batch := list(islice(different, _BATCH)):
            with self._names:
                for title, old, target in batch:
                    if old is not None:
                        self._names.remove_redirect(title)
                    if target is not None:
                        self._names.add_redirect(Redirect(title, target))


def give_back_memory() -> None:
    """Return what is free to the system: memory freed by another thread than took it piles up unused in glibc."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


_Key = TypeVar("_Key", int, str)
_Value = TypeVar("_Value", bytes, str)
_BLOCK = 1000


def _differences(
    old: Iterable[tuple[_Key, _Value]], new: Iterable[tuple[_Key, _Value]]
) -> Iterator[tuple[_Key, _Value | None, _Value | None]]:
    """Where two lists, each in the order of its keys, differ: the key, what it had, what it has.

    They are read in blocks, because most blocks are equal which Python compares at once.
    """
    olds, news = iter(old), iter(new)
    before: list[tuple[_Key, _Value]] = []
    after: list[tuple[_Key, _Value]] = []
    while True:
        before += islice(olds, _BLOCK - len(before))
        after += islice(news, _BLOCK - len(after))
        if not before and not after:
            return
        if before == after:
            before, after = [], []
            continue
        # Both are known up to here; what lies beyond begins the next blocks, which so stay in step.
        ends = [block[-1][0] for block in (before, after) if len(block) == _BLOCK]
        end = min(ends) if ends else max(block[-1][0] for block in (before, after) if block)
        had = {key: value for key, value in before if key <= end}
        has = {key: value for key, value in after if key <= end}
        for key in sorted(had.keys() | has.keys()):
            if had.get(key) != has.get(key):
                yield key, had.get(key), has.get(key)
        before, after = before[len(had) :], after[len(has) :]
