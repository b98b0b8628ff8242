"""Where pages live: one SQLite file in a folder, read by many while one writes.

Links are kept as their pages wrote them and resolved when they are read, so a target that arrives later, or a
redirect that changes, is right from that moment on: a link to a page the corpus lacks keeps its words and loses its
target.
"""

from __future__ import annotations

import json
import secrets
import shlex
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

from veritab.corpus.database import Connections, describe_damage, open_file, open_for_reading, take_lock
from veritab.corpus.packing import FORMAT, pack, pack_regions, unpack, unpack_regions
from veritab.errors import DamagedStore, DiskFull, InputError, NewerStore, NotFound, StoreBusy, StoreError
from veritab.files import why_unwritable
from veritab.schema import (
    Block,
    Cell,
    Element,
    ElementId,
    Item,
    Link,
    Links,
    ListBlock,
    Page,
    Redirect,
    Table,
    TableBlock,
)
from veritab.text import shorten, title_form

FILE = "corpus.sqlite"
MANIFEST = "shards.json"
"""The file by which a folder is a corpus of shards."""
_LOCK = "writer.lock"
_APPLICATION = 0x56455254  # "VERT", so that `file` and we ourselves know the file
_LONGEST_REDIRECT = 8
_SHORTEST_SHARED = 3
# Some tens of megabytes.
_MOST_WAITING_LINKS = 200_000
NEARBY = 3
_LONGEST_SHOWN = 300
_SCHEMA = """
CREATE TABLE sources (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, reader TEXT NOT NULL, complete INTEGER NOT NULL DEFAULT 0);
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, source INTEGER NOT NULL, revision TEXT NOT NULL,
    displaced INTEGER, digest BLOB NOT NULL, data BLOB NOT NULL);
CREATE INDEX pages_by_digest ON pages (digest);
CREATE TABLE redirects (
    title TEXT PRIMARY KEY, target TEXT NOT NULL, source INTEGER NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX redirects_by_target ON redirects (target);
CREATE INDEX redirects_by_digest ON redirects (digest);
CREATE TABLE links (
    page INTEGER NOT NULL, target TEXT NOT NULL, anchor TEXT NOT NULL, times INTEGER NOT NULL,
    PRIMARY KEY (target, anchor, page)) WITHOUT ROWID;
CREATE INDEX links_by_anchor ON links (anchor);
"""
# Which corpus this is and in which state: what an index was built from. Corpora of earlier versions have none yet.
_STATE = "CREATE TABLE IF NOT EXISTS state (corpus TEXT NOT NULL, revision INTEGER NOT NULL)"
# The highest number a removed page had: were it given again, an index would take the new page for the old one.
_REMOVED = "CREATE TABLE IF NOT EXISTS removed (number INTEGER NOT NULL)"
# What is known of documents beyond their pages: which file, by which name and title, where its elements stand in it.
# `record` is the digest of the file as it was read; that of the page changes with its title too.
_ORIGINALS = """CREATE TABLE IF NOT EXISTS originals (
    page INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL, file TEXT NOT NULL,
    sha256 BLOB NOT NULL, record BLOB NOT NULL, regions BLOB)"""
_ORIGINALS_BY_RECORD = "CREATE INDEX IF NOT EXISTS originals_by_record ON originals (record)"
# What a wiki sorts its pages under.
_CATEGORIES = """CREATE TABLE IF NOT EXISTS categories (
    page INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (page, name)) WITHOUT ROWID"""
# What work that writes in one transaction gave, kept with what it wrote: a task that runs again finds it done.
_RESULTS = """CREATE TABLE IF NOT EXISTS results (
    work TEXT NOT NULL, task INTEGER NOT NULL, result TEXT NOT NULL, PRIMARY KEY (work, task)) WITHOUT ROWID"""
_HIGHEST_NUMBER = "max(coalesce((SELECT max(id) FROM pages), 0), (SELECT number FROM removed))"


class Revision(NamedTuple):
    """A state of a corpus: its own name, and a random number that changes with every change.

    Were changes counted, a corpus restored from a copy could count its way back to the number of another state.
    """

    corpus: str
    number: int


class PackedOriginal(NamedTuple):
    """What the store keeps of a document beyond its page; `title` is the document's own, or empty."""

    name: str
    title: str
    file: str
    sha256: bytes
    regions: bytes | None


class PackedPage(NamedTuple):
    """A page ready to be written: made in a worker, cheap to send, cheap to insert."""

    title: str
    data: bytes
    revision: str
    links: list[tuple[str, str, int]]
    original: PackedOriginal | None = None
    categories: tuple[str, ...] = ()


def pack_page(page: Page, file: bytes = b"") -> PackedPage:
    """Everything the store keeps of a page, and of the file that it was read from where it has one of its own."""
    times = Counter(
        [(target, text[start:end]) for text, links in page.texts() if links for start, end, target in links]
    )
    links = [(*key, count) for key, count in times.items()]
    if not page.file:
        return PackedPage(page.title, pack(page), page.revision, links, None, page.categories)
    name = page.name or page.title
    own_title = "" if page.title == name else page.title
    original = PackedOriginal(name, own_title, page.file, sha256(file).digest(), pack_regions(page))
    return PackedPage(name, pack(page), page.revision, links, original, page.categories)


class Added(NamedTuple):
    """What writing a page did; `instead_of` names the other source whose page it replaced."""

    change: str
    instead_of: str = ""


class Removed(NamedTuple):
    """A page that went with its source; `displaced` names a source that had the same title before, if any."""

    number: int
    title: str
    displaced: str


class KeptOriginal(NamedTuple):
    """What finds a document's file again: its name in its source, the digest of what it held, and the source."""

    file: str
    sha256: bytes
    source: str


@dataclass(frozen=True)
class Source:
    """Where pages came from, and whether it was read to its end."""

    name: str
    reader: str
    complete: bool
    pages: int


class Store:
    """A corpus on disk. `Store.open(folder)` reads; `Store.create(folder)` makes or extends one."""

    def __init__(self, folder: Path, *, writable: bool) -> None:
        self.folder = folder
        self._writable = writable
        self._file = folder / FILE
        self._connections = Connections(self._connect)
        self._waiting_links: list[tuple[str, str, int | None, int]] = []
        self._changed = False
        self._lock: sqlite3.Connection | None = None
        self.elsewhere: Callable[[str], bool] = lambda title: False
        """Whether a page that is not in this file has a title, where this is a part of a corpus."""

    # -- opening and closing --

    @classmethod
    def open(cls, folder: Path | str) -> Store:
        """Open an existing corpus for reading, of one file or of shards."""
        if (Path(folder) / MANIFEST).exists():
            from veritab.corpus.shards import ShardedStore

            return ShardedStore(Path(folder))
        store = cls(Path(folder), writable=False)
        if not store._file.is_file() or not store._file.stat().st_size:
            raise NotFound(
                f"no corpus in {str(folder)!r}; make one with: veritab ingest SOURCE --into {quote_path(folder)}"
            )
        try:
            store._check()
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def create(cls, folder: Path | str) -> Store:
        """Open a corpus for writing, making it when it does not exist; one writer at a time."""
        path = make_corpus_folder(folder)
        if (path / MANIFEST).exists():
            raise InputError(f"{str(folder)!r} is a corpus of shards; only veritab ingest writes to it")
        with _translated(path):
            store = cls(path, writable=True)
            store._lock = lock_folder(path)
            try:
                store._prepare()
            except BaseException:
                store.close()
                raise
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        try:
            if self._writable and self._lock is not None:
                # Leave one whole file behind, fit to be copied or mounted read-only.
                with _translated(self.folder):
                    self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self._connections.close()
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    @property
    def _db(self) -> sqlite3.Connection:
        """This thread's own connection."""
        return self._connections.own()

    def _connect(self) -> sqlite3.Connection:
        return open_file(self._file, "mode=rwc") if self._writable else open_for_reading(self._file)

    def _check(self) -> None:
        _check_header(self._file)
        with _translated(self.folder):
            application, version = (self._pragma("application_id"), self._pragma("user_version"))
        if application != _APPLICATION and not (self._writable and self._is_blank()):
            raise DamagedStore(f"{str(self._file)!r} is an SQLite file, but not a Veritab corpus")
        if version > FORMAT:
            raise NewerStore(
                f"{str(self.folder)!r} was written by a newer Veritab (format {version}, this one reads {FORMAT}); "
                "upgrade with: pip install -U veritab"
            )

    def _is_blank(self) -> bool:
        """Whether the file is that of a store whose making was stopped before anything was in it."""
        return self._pragma("application_id") == 0 and not self._db.execute("SELECT 1 FROM sqlite_master").fetchone()

    def _prepare(self) -> None:
        if not self._file.exists():
            self._file.touch(mode=0o600)  # SQLite gives the files beside it the rights of this one
        if self._file.stat().st_size:
            self._check()
        if self._is_blank():
            self._db.execute("PRAGMA page_size = 8192")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA.split(";"):
                self._db.execute(statement)
            self._db.execute(_STATE)
            self._db.execute("INSERT INTO state VALUES (?, ?)", (secrets.token_hex(8), _new_number()))
            self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._db.execute(f"PRAGMA user_version = {FORMAT}")
            self._db.execute("COMMIT")
        state = self.revision()
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute(_STATE)
        self._db.execute("INSERT INTO state SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM state)", state)
        self._db.execute(_ORIGINALS)
        self._db.execute(_ORIGINALS_BY_RECORD)
        self._db.execute(_CATEGORIES)
        self._db.execute(_REMOVED)
        self._db.execute("INSERT INTO removed SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM removed)")
        self._db.execute("COMMIT")
        # A crash of the machine may lose the last transaction, never the file: an ingest resumes from there.
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA cache_size = -65536")
        self._db.execute("PRAGMA temp_store = FILE")

    def _pragma(self, name: str) -> int:
        value: int = self._db.execute(f"PRAGMA {name}").fetchone()[0]
        return value

    # -- reading --

    def __len__(self) -> int:
        return self._count("pages")

    def _count(self, table: str) -> int:
        with _translated(self.folder):
            value: int = self._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return value

    def __contains__(self, title: str) -> bool:
        return self.resolve(title) is not None

    def page(self, title: str) -> Page:
        """The page with that title or redirect, its links resolved."""
        with _translated(self.folder):
            row = self._row(title_form(title))
            if row is None:
                found = self.resolve(title)
                row = self._row(found) if found else None
            if row is None:
                raise NotFound(self._no_page(title))
            return self._resolved(_unpack(row))

    def element(self, id: ElementId | str) -> Element:
        """The element with that address; its page may be named by a redirect."""
        address = ElementId.parse(id) if isinstance(id, str) else id
        page = self.page(address.page)
        return page.element(ElementId(page.title, address.kind, address.path))

    def table(self, id: ElementId) -> Table:
        """The table with that address, or the one that a cell lies in."""
        return self.page(id.page).table(id.path[0])

    def original(self, title: str) -> KeptOriginal:
        """The file that the page with that title or redirect was read from."""
        page = self.page(title)
        found = self._original(page.title) if page.file else None
        if found is None:
            raise NotFound(f"{page.title!r} was not read from a file of its own; there is no original to show")
        return found

    def _original(self, title: str) -> KeptOriginal | None:
        query = """SELECT file, sha256, coalesce(sources.name, '') FROM originals JOIN pages ON pages.id = page
                   LEFT JOIN sources ON sources.id = source WHERE pages.title = ?"""
        with _translated(self.folder):
            row = self._db.execute(query, (title,)).fetchone()
        return KeptOriginal(*row) if row else None

    def original_digests(self) -> set[bytes]:
        """What tells the files apart that pages were read from."""
        with _translated(self.folder):
            return {digest for (digest,) in self._db.execute("SELECT sha256 FROM originals")}

    def titles(self) -> Iterator[str]:
        """Every title, in order."""
        with _translated(self.folder):
            for (title,) in self._db.execute("SELECT title FROM pages ORDER BY title"):
                yield title

    def pages(self, *, source: str | None = None) -> Iterator[Page]:
        """Every page, or every one of a source, in the order of titles, links resolved."""
        for row in self._rows(source):
            yield self._resolved(_unpack(row))

    def _rows(self, source: str | None) -> Iterator[Row]:
        of_source = "" if source is None else "WHERE source = (SELECT id FROM sources WHERE name = ?)"
        query = f"{self._page_query} {of_source} ORDER BY pages.title"
        with _translated(self.folder):
            yield from self._db.execute(query, () if source is None else (source,))

    def categories(self) -> Iterator[tuple[str, str]]:
        """What pages are sorted under: each title with each of its categories, in the order of titles."""
        query = "SELECT title, name FROM categories JOIN pages ON pages.id = page ORDER BY title, name"
        with _translated(self.folder):
            if self._has_table("categories"):
                yield from self._db.execute(query)

    def files(self) -> Iterator[tuple[str, str]]:
        """The pages that were read from files of their own, each title with its file, in the order of titles."""
        query = "SELECT pages.title, file FROM originals JOIN pages ON pages.id = page ORDER BY pages.title"
        with _translated(self.folder):
            if self._has_table("originals"):
                yield from self._db.execute(query)

    def hubs(self, most: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The pages that link to the most others, most first, each title with the titles that it links to."""
        for _, page in self.pages_by_number(number for _, number in self._hub_numbers(most)):
            yield page.title, self._resolved(page).links

    def _hub_numbers(self, most: int) -> list[tuple[int, int]]:
        """The pages that link to the most others, with how many these are; the count is negative, for sorting."""
        query = "SELECT -count(DISTINCT target) AS others, page FROM links GROUP BY page ORDER BY others, page LIMIT ?"
        with _translated(self.folder):
            return self._db.execute(query, (most,)).fetchall()

    def redirects(self) -> Iterator[Redirect]:
        """Every redirect, in the order of titles."""
        with _translated(self.folder):
            for title, target in self._db.execute(
                f"SELECT title, target FROM redirects WHERE {_NOT_A_PAGE} ORDER BY title"
            ):
                yield Redirect(title, target)

    def link_targets(self) -> Iterator[str]:
        """What links lead to, as their pages wrote it, whether the corpus has it or not; in order."""
        with _translated(self.folder):
            for (target,) in self._db.execute("SELECT DISTINCT target FROM links ORDER BY target"):
                yield target

    def resolve(self, title: str) -> str | None:
        """The title of the page that a title, a redirect, or a close spelling of one leads to."""
        with _translated(self.folder):
            for spelling in _spellings(title_form(title)):
                found = self._follow(spelling)
                if found:
                    return found
        return None

    def sources(self) -> list[Source]:
        """Where the pages came from."""
        query = """SELECT name, reader, complete, (SELECT count(*) FROM pages WHERE pages.source = sources.id)
                   FROM sources ORDER BY name"""
        with _translated(self.folder):
            return [Source(name, reader, bool(complete), n) for name, reader, complete, n in self._db.execute(query)]

    def counts(self) -> Mapping[str, int]:
        """How many pages, redirects and links there are."""
        return {table: self._count(table) for table in ("pages", "redirects", "links")}

    # -- reading by number, for indexes --

    def revision(self) -> Revision:
        """The state the corpus is in."""
        with _translated(self.folder):
            row = None
            if self._has_table("state"):
                row = self._db.execute("SELECT corpus, revision FROM state").fetchone()
            return Revision(*row) if row else self._revision_by_content

    @cached_property
    def _revision_by_content(self) -> Revision:
        """The state of a corpus that does not tell it: equal for copies, and for nothing else."""
        content = sha256()
        for query in (
            "SELECT id, digest FROM pages INDEXED BY pages_by_digest ORDER BY digest, id",
            "SELECT id, title FROM pages ORDER BY title",  # pages of one record have one digest
            "SELECT title, target FROM redirects ORDER BY title",
        ):
            for row in self._db.execute(query):
                content.update(repr(row).encode())
        return Revision(content.hexdigest()[:16], 0)

    def digests(self) -> Iterator[tuple[int, bytes]]:
        """The number of every page and what tells whether it changed, in the order of numbers."""
        with _translated(self.folder):
            # The index is a tenth of the table; SQLite sorts what it gives in little memory.
            yield from self._db.execute("SELECT id, digest FROM pages INDEXED BY pages_by_digest ORDER BY +id")

    def digests_by_number(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """What tells whether pages changed, by their numbers."""
        return dict(self._select("SELECT id, digest FROM pages WHERE id IN ({})", list(numbers)))

    def pages_by_number(self, numbers: Iterable[int]) -> Iterator[tuple[int, Page]]:
        """Pages by their numbers, links as they were written."""
        query = f"{self._page_query} WHERE pages.id = ?"
        with _translated(self.folder):
            for number in numbers:
                row = self._db.execute(query, (number,)).fetchone()
                if row is not None:
                    yield number, _unpack(row)

    def titles_by_number(self, numbers: Iterable[int]) -> dict[int, str]:
        """The titles of pages by their numbers."""
        return dict(self._select("SELECT id, title FROM pages WHERE id IN ({})", list(numbers)))

    def numbers_by_title(self, titles: Iterable[str]) -> dict[str, int]:
        """The numbers of pages by their exact titles."""
        return dict(self._select("SELECT title, id FROM pages WHERE title IN ({})", list(titles)))

    def resolve_all(self, targets: Iterable[str]) -> dict[str, str | None]:
        """Where links lead: the title of a page for each target, None for those that lead nowhere."""
        with _translated(self.folder):
            return self._resolve_all(list(targets))

    def _select(self, query: str, values: list[Any]) -> Iterator[tuple[Any, ...]]:
        with _translated(self.folder):
            for start in range(0, len(values), 500):
                some = values[start : start + 500]
                yield from self._db.execute(query.format(",".join("?" * len(some))), some)

    # -- what is wrong --

    def broken_redirects(self) -> Iterator[str]:
        """Redirects that lead in a circle or to no page."""
        with _translated(self.folder):
            for title in self._indirect_redirects():
                if self._follow(title) is None:
                    yield title

    def _indirect_redirects(self) -> Iterator[str]:
        """Redirects that do not point straight at a page, as most do: only these are worth following."""
        query = "SELECT title FROM redirects WHERE NOT EXISTS (SELECT 1 FROM pages WHERE pages.title = target)"
        for (title,) in self._db.execute(f"{query} ORDER BY title"):
            yield title

    def shadowed_redirects(self) -> Iterator[str]:
        """Redirects that are never followed, because a page has their title."""
        with _translated(self.folder):
            for (title,) in self._db.execute(f"SELECT title FROM redirects WHERE NOT {_NOT_A_PAGE} ORDER BY title"):
                yield title

    def check_integrity(self) -> list[str]:
        """What is wrong with the file, its tables and its pages; empty when all is well. Reads the whole file."""
        with _translated(self.folder):
            found = [row[0] for row in self._db.execute("PRAGMA integrity_check(10)")]
            if found != ["ok"]:
                return found
            wrong = []
            for row in self._db.execute(self._page_query):
                try:
                    _unpack(row)
                except DamagedStore as error:
                    wrong.append(str(error))
        return wrong[:10]

    def _row(self, title: str) -> Row | None:
        row: Row | None = self._db.execute(f"{self._page_query} WHERE pages.title = ?", (title,)).fetchone()
        return row

    @cached_property
    def _page_query(self) -> str:
        """Asks for what pages are made of; corpora of earlier versions know nothing of originals and categories."""
        known = self._has_table("originals")
        file, join = (
            ("file, name, regions", "LEFT JOIN originals ON page = pages.id") if known else ("NULL, NULL, NULL", "")
        )
        source = "coalesce((SELECT name FROM sources WHERE id = pages.source), '')"
        sorted_under = "(SELECT json_group_array(name) FROM categories WHERE categories.page = pages.id)"
        categories = sorted_under if self._has_table("categories") else "'[]'"
        return f"SELECT pages.title, data, {source}, revision, {file}, {categories} FROM pages {join}"

    def _has_table(self, name: str) -> bool:
        """Whether the corpus has a table that those of earlier versions lack."""
        return self._db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None

    def _no_page(self, title: str) -> str:
        near = self._nearby(title_form(title))
        hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
        return f"no page {shorten(title, _LONGEST_SHOWN)!r} in this corpus{hint}"

    def _nearby(self, title: str) -> list[str]:
        """Titles that begin like this one, the longest shared beginning first."""
        # No title shares more of its beginning than the two between which this one would stand.
        shared = max((_count_shared(title, each) for each in self._neighbours(title)), default=0)
        return self._beginning(title[:shared]) if shared >= _SHORTEST_SHARED else []

    def _neighbours(self, title: str) -> list[str]:
        """The titles between which one would stand."""
        return [
            row[0]
            for query in (
                "SELECT title FROM pages WHERE title >= ? ORDER BY title LIMIT 1",
                "SELECT title FROM pages WHERE title < ? ORDER BY title DESC LIMIT 1",
            )
            for row in self._db.execute(query, (title,))
        ]

    def _beginning(self, start: str) -> list[str]:
        """The first titles that begin so."""
        rows = self._db.execute(
            "SELECT title FROM pages WHERE title >= ? AND title < ? ORDER BY title LIMIT ?",
            (start, start + "\U0010ffff", NEARBY),
        )
        return [row[0] for row in rows]

    def _follow(self, title: str) -> str | None:
        """The page at the end of a chain of redirects; None for no page, a circle or a chain too long."""
        for _ in range(_LONGEST_REDIRECT):
            target = self._target(title)
            if target is None or target == title:
                return target
            title = target
        return None

    def _target(self, title: str) -> str | None:
        """The title itself where a page has it, or else where a redirect of that title points."""
        if self._db.execute("SELECT 1 FROM pages WHERE title = ?", (title,)).fetchone():
            return title
        row = self._db.execute("SELECT target FROM redirects WHERE title = ?", (title,)).fetchone()
        # A redirect to itself leads nowhere.
        return row[0] if row and row[0] != title else None

    def _of_pages(self, titles: list[str]) -> Iterator[str]:
        """Those titles that pages have."""
        for (title,) in self._select("SELECT title FROM pages WHERE title IN ({})", titles):
            yield title

    def _resolve_all(self, targets: list[str]) -> dict[str, str | None]:
        resolved: dict[str, str | None] = {title: title for title in self._of_pages(targets)}
        for target in targets:
            if target not in resolved:
                resolved[target] = self._follow(target)
        return resolved

    def _resolved(self, page: Page) -> Page:
        targets = list(page.links)
        if not targets:
            return page
        resolved = self._resolve_all(targets)
        if all(target == found for target, found in resolved.items()):
            return page
        return replace(page, blocks=tuple(_relink(block, resolved) for block in page.blocks))

    # -- writing --

    def source_id(self, name: str, reader: str) -> int:
        """The number of a source, marked as being read."""
        with _translated(self.folder):
            self._db.execute(
                "INSERT INTO sources (name, reader) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET reader = excluded.reader, complete = 0",
                (name, reader),
            )
            found: int = self._db.execute("SELECT id FROM sources WHERE name = ?", (name,)).fetchone()[0]
            # What this reading of the source has met; `record` counts its records, to tell the later of two.
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS seen (id INTEGER PRIMARY KEY, record INTEGER NOT NULL)")
            self._db.execute("DELETE FROM seen")
            self._db.execute("CREATE TEMP TABLE IF NOT EXISTS seen_redirects (title TEXT PRIMARY KEY)")
            self._db.execute("DELETE FROM seen_redirects")
        return found

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing."""
        with _translated(self.folder):
            self._db.execute("BEGIN IMMEDIATE")
            self._changed = False
            try:
                yield
                self._flush_links()
                if self._changed:
                    self._db.execute("UPDATE state SET revision = ?", (_new_number(),))
            except BaseException:
                self._waiting_links = []
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def known(self, source: int, digest: bytes, record: int) -> int | None:
        """How many pages a record gave to this source before, all marked as seen again; None when it is new."""
        with _translated(self.folder):
            of_record = "digest = ? AND source = ?"
            pages = self._db.execute(
                f"SELECT id FROM pages WHERE {of_record} UNION "
                "SELECT page FROM originals JOIN pages ON pages.id = page WHERE record = ? AND source = ?",
                (digest, source, digest, source),
            ).fetchall()
            names = self._db.execute(f"SELECT title FROM redirects WHERE {of_record}", (digest, source)).fetchall()
            self._db.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?)", [(id, record) for (id,) in pages])
            self._db.executemany("INSERT OR IGNORE INTO seen_redirects VALUES (?)", names)
        return len(pages) if pages or names else None

    def add(self, source: int, page: PackedPage, digest: bytes, record: int, number: int | None = None) -> Added:
        """Write a page, under a number if it is new. Of two with one title, that of the later record is kept."""
        old = self._same_page(page)
        if old is None:
            id = self._db.execute(
                f"INSERT INTO pages (id, title, source, revision, digest, data) "
                f"VALUES (coalesce(?, 1 + {_HIGHEST_NUMBER}), ?, ?, ?, ?, ?)",
                (number, page.title, source, page.revision, _page_digest(page, page.title, digest), page.data),
            ).lastrowid
            self._changed = True
            self._write_links(id, page.links)
            self._write_original(id, page.original, digest)
            self._write_categories(id, page.categories)
            self._db.execute("INSERT INTO seen VALUES (?, ?)", (id, record))
            return Added("added")
        instead_of = old.source_name if old.source != source or old.record >= 0 else ""
        if old.record > record:
            return Added("unchanged", instead_of)
        self._db.execute(
            "UPDATE pages SET source = ?, revision = ?, digest = ?, data = ?, "
            "displaced = iif(source = ?, displaced, source) WHERE id = ?",
            (source, page.revision, _page_digest(page, old.title, digest), page.data, source, old.id),
        )
        self._db.execute("INSERT OR REPLACE INTO seen VALUES (?, ?)", (old.id, record))
        moved = self._write_original(old.id, page.original, digest) | self._write_categories(old.id, page.categories)
        if old.data == page.data:
            self._changed |= moved
            return Added("changed" if moved else "unchanged", instead_of)
        self._changed = True
        self._forget_links(old.id, old.title, old.data)
        self._write_links(old.id, page.links)
        return Added("changed", instead_of)

    def _same_page(self, page: PackedPage) -> _OldPage | None:
        """The page that this one is written over: of a document the one with its name, else the one with its title."""
        query = """SELECT pages.id, pages.title, source, coalesce(sources.name, ''), data, coalesce(seen.record, -1),
                          coalesce(originals.name, pages.title)
                   FROM pages LEFT JOIN sources ON sources.id = source LEFT JOIN seen ON seen.id = pages.id
                   LEFT JOIN originals ON originals.page = pages.id"""
        if page.original:
            row = self._db.execute(f"{query} WHERE originals.name = ?", (page.original.name,)).fetchone()
            if row:
                return _OldPage(*row)
        row = self._db.execute(f"{query} WHERE pages.title = ?", (page.title,)).fetchone()
        if row is None:
            return None
        old = _OldPage(*row)
        if old.name == page.title:
            return old
        # A document calls itself what another page is called: it stays, told apart by its file.
        self._retitle({old.id: self._free_title(old.id, old.title, old.name, {page.title})})
        return None

    def _write_original(self, page: int | None, original: PackedOriginal | None, record: bytes) -> bool:
        """Write what is known of a page's file; whether anything that is shown of it differs from before."""
        columns = "name, title, file, regions"
        before = self._db.execute(f"SELECT {columns} FROM originals WHERE page = ?", (page,)).fetchone()
        if original is None:
            self._db.execute("DELETE FROM originals WHERE page = ?", (page,))
            return before is not None
        name, title, file, digest, regions = original
        self._db.execute(
            "INSERT OR REPLACE INTO originals VALUES (?, ?, ?, ?, ?, ?, ?)",
            (page, name, title, file, digest, record, regions),
        )
        return bool(before != (name, title, file, regions))

    def _write_categories(self, page: int | None, categories: Iterable[str]) -> bool:
        """Write what a page is sorted under; whether that differs from before."""
        rows = self._db.execute("SELECT page, name FROM categories WHERE page = ?", (page,)).fetchall()
        before, after = set(rows), {(page, name) for name in categories}
        self._db.executemany("DELETE FROM categories WHERE page = ? AND name = ?", sorted(before - after))
        self._db.executemany("INSERT INTO categories VALUES (?, ?)", sorted(after - before))
        return before != after

    def _write_links(self, page: int | None, links: Iterable[tuple[str, str, int]]) -> None:
        """Links wait for the end of the transaction: in order they are written almost twice as fast."""
        self._waiting_links += [(target, anchor, page, times) for target, anchor, times in links]
        if len(self._waiting_links) > _MOST_WAITING_LINKS:
            self._flush_links()

    def _flush_links(self) -> None:
        rows = sorted(self._waiting_links)
        self._waiting_links = []
        self._db.executemany("INSERT INTO links (target, anchor, page, times) VALUES (?, ?, ?, ?)", rows)

    def _forget_links(self, page: int, title: str, data: bytes) -> None:
        """Links are kept by target; the page itself knows which they are."""
        self._flush_links()
        old = {(target, anchor, page) for target, anchor, _ in pack_page(unpack(title, data)).links}
        self._db.executemany("DELETE FROM links WHERE target = ? AND anchor = ? AND page = ?", sorted(old))

    def add_redirect(self, source: int, redirect: Redirect, digest: bytes) -> None:
        """Write another name for a page."""
        self._changed = True
        self._db.execute(
            "INSERT INTO redirects VALUES (?, ?, ?, ?) ON CONFLICT (title) DO UPDATE "
            "SET target = excluded.target, source = excluded.source, digest = excluded.digest",
            (redirect.title, redirect.target, source, digest),
        )
        self._db.execute("INSERT OR IGNORE INTO seen_redirects VALUES (?)", (redirect.title,))

    def highest_number(self) -> int:
        """The highest number that a page has or had; 0 for none."""
        with _translated(self.folder):
            number: int = self._db.execute(f"SELECT {_HIGHEST_NUMBER}").fetchone()[0]
        return number

    def known_records(self, source: str) -> Iterator[tuple[bytes, int]]:
        """The records of a source that gave pages or redirects, by their digests, in order; with how many pages."""
        query = """SELECT digest, sum(pages) FROM (
                       SELECT digest, 1 AS pages FROM pages
                       WHERE source = :source AND id NOT IN (SELECT page FROM originals)
                       UNION ALL SELECT record, 1 FROM originals JOIN pages ON pages.id = page WHERE source = :source
                       UNION ALL SELECT digest, 0 FROM redirects WHERE source = :source)
                   GROUP BY digest ORDER BY digest"""
        with _translated(self.folder):
            for (number,) in self._db.execute("SELECT id FROM sources WHERE name = ?", (source,)).fetchall():
                yield from self._db.execute(query, {"source": number})

    def result(self, work: str, task: int) -> str | None:
        """What a task of some work gave when it was done; None when it was not."""
        with _translated(self.folder):
            if not self._has_table("results"):
                return None
            row = self._db.execute("SELECT result FROM results WHERE work = ? AND task = ?", (work, task)).fetchone()
        return row[0] if row else None

    def keep_result(self, work: str, task: int, result: str) -> None:
        """Keep what a task gave, with what it wrote in this transaction; of earlier work nothing is kept."""
        self._db.execute(_RESULTS)
        self._db.execute("DELETE FROM results WHERE work <> ?", (work,))
        self._db.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", (work, task, result))

    def settle_titles(self) -> None:
        """Call every document what it calls itself, and let its name lead there, with and without its suffix.

        Where a title is that of several documents, or of another page, the name of the file tells them apart. What a
        document is called so depends on what is in the corpus, not on the order in which it was read.
        """
        query = """SELECT pages.id, pages.title, originals.name, originals.title, file, source, record
                   FROM originals JOIN pages ON pages.id = page ORDER BY originals.name"""
        documents = [_Document(*row) for row in self._db.execute(query)]
        names = {each.name for each in documents}
        times = Counter(each.own_title for each in documents)
        shared = {own for own, count in times.items() if count > 1 or own in names}
        settled = {each.id: self._free_title(each.id, each.own_title, each.name, shared) for each in documents}
        self._retitle({each.id: settled[each.id] for each in documents if settled[each.id] != each.title})
        for each in documents:
            for name in {each.name, title_form(each.file)} - {settled[each.id]}:
                self._lead(each.source, Redirect(name, settled[each.id]), each.record)

    def _free_title(self, id: int, title: str, name: str, taken: Container[str]) -> str:
        """What to call a document: its title, that and its name, or its name; the first that nothing else is called."""
        for each in (title, told_apart(title, name)) if title else ():
            if each not in taken and not self._is_of_others(each):
                return each
        return name if not self._is_of_others(name) else f"{name} (document {id})"

    def _is_of_others(self, title: str) -> bool:
        """Whether a page that is no document has that title."""
        return self._db.execute(_OF_OTHERS, (title,)).fetchone() is not None or self.elsewhere(title)

    def _retitle(self, titles: Mapping[int, str]) -> None:
        """Give documents new titles, and new digests with them: an index has them under the old ones."""
        # Two may swap their titles: none is given before all are free.
        self._db.executemany("UPDATE pages SET title = char(0) || id WHERE id = ?", [(id,) for id in titles])
        for id, title in titles.items():
            (record,) = self._db.execute("SELECT record FROM originals WHERE page = ?", (id,)).fetchone()
            self._db.execute(
                "UPDATE pages SET title = ?, digest = ? WHERE id = ?", (title, _titled_digest(record, title), id)
            )
            self._changed = True

    def _lead(self, source: int, redirect: Redirect, digest: bytes) -> None:
        """Write a redirect unless it is there; either way it is one that its source still has."""
        there = self._db.execute(
            "SELECT target, source, digest FROM redirects WHERE title = ?", (redirect.title,)
        ).fetchone()
        if there != (redirect.target, source, digest):
            changed = self._changed
            self.add_redirect(source, redirect, digest)
            self._changed = changed or there is None or there[0] != redirect.target
        self._db.execute("INSERT OR IGNORE INTO seen_redirects VALUES (?)", (redirect.title,))

    def finish(self, source: int) -> list[Removed]:
        """The source was read to its end: remove the pages it no longer holds, and tell which they were."""
        query = """SELECT pages.id, title, coalesce(name, '') FROM pages LEFT JOIN sources ON sources.id = displaced
                   WHERE source = ? AND pages.id NOT IN (SELECT id FROM seen) ORDER BY pages.id"""
        removed = [Removed(*row) for row in self._db.execute(query, (source,))]
        for page in removed:
            self._remove(page.title)
        self.settle_titles()
        gone = self._db.execute(
            "DELETE FROM redirects WHERE source = ? AND title NOT IN (SELECT title FROM seen_redirects)", (source,)
        )
        self._changed |= gone.rowcount > 0
        self._db.execute("UPDATE sources SET complete = 1 WHERE id = ?", (source,))
        return removed

    def remove(self, title: str) -> None:
        """Take the page with exactly that title out of the corpus."""
        if self._row(title_form(title)) is None:
            raise NotFound(self._no_page(title))
        with self.transaction():
            self._remove(title_form(title))

    def _remove(self, title: str) -> None:
        self._changed = True
        id, data = self._db.execute("SELECT id, data FROM pages WHERE title = ?", (title,)).fetchone()
        self._forget_links(id, title, data)
        for names in self._db.execute("SELECT name, file FROM originals WHERE page = ?", (id,)).fetchall():
            leading = [(title, title_form(name)) for name in names]
            self._db.executemany("DELETE FROM redirects WHERE target = ? AND title = ?", leading)
        self._db.execute("DELETE FROM originals WHERE page = ?", (id,))
        self._db.execute("DELETE FROM categories WHERE page = ?", (id,))
        self._db.execute("DELETE FROM pages WHERE id = ?", (id,))
        self._db.execute("UPDATE removed SET number = max(number, ?)", (id,))


class _Document(NamedTuple):
    """A page that was read from a file of its own, as far as its title is concerned."""

    id: int
    title: str
    name: str
    own_title: str
    file: str
    source: int
    record: bytes


class _OldPage(NamedTuple):
    """A page that is about to be replaced; `record` is that of this reading which it came from, -1 for none."""

    id: int
    title: str
    source: int
    source_name: str
    data: bytes
    record: int
    name: str


_OF_OTHERS = "SELECT 1 FROM pages WHERE title = ? AND id NOT IN (SELECT page FROM originals)"


def _page_digest(page: PackedPage, title: str, record: bytes) -> bytes:
    return _titled_digest(record, title) if page.original else record


def _titled_digest(record: bytes, title: str) -> bytes:
    """What tells whether a document changed: what its file holds, and what it is called."""
    return sha256(record + title.encode()).digest()[:16]


def told_apart(title: str, name: str) -> str:
    """The title of a document that shares it with another page."""
    return f"{title} ({name})"


def _new_number() -> int:
    """A random number, of those that SQLite can store, for a state of a corpus."""
    return 1 + secrets.randbits(62)


_NOT_A_PAGE = "NOT EXISTS (SELECT 1 FROM pages WHERE pages.title = redirects.title)"
Row: TypeAlias = tuple[str, bytes, str, str, str | None, str | None, bytes | None, str]


def _unpack(row: Row) -> Page:
    title, data, source, revision, file, name, regions, categories = row
    # People are shown the file, never where it lies on the machine that read it.
    shown = file or PurePath(source).name
    try:
        page = unpack(title, data, shown, revision)
        if categories != "[]":
            page = replace(page, categories=tuple(json.loads(categories)))
        return replace(page, located=unpack_regions(regions), file=file, name=name or "") if file else page
    except (zlib.error, ValueError, TypeError, IndexError, KeyError) as error:
        raise DamagedStore(f"the page {title!r} is damaged ({error}); ingest {shown!r} again") from None


def _spellings(title: str) -> Iterator[str]:
    """A title, and how people and addresses also write it."""
    spaced = title.replace("_", " ")
    yield from dict.fromkeys((title, title[:1].upper() + title[1:], spaced, spaced[:1].upper() + spaced[1:]))


def _count_shared(one: str, other: str) -> int:
    """How many characters two titles begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _relink(block: Block, resolved: Mapping[str, str | None]) -> Block:
    def new(links: Links) -> Links:
        return tuple(Link(start, end, found) for start, end, target in links if (found := resolved[target]))

    if type(block) is TableBlock:
        rows = tuple(tuple(_relink_one(cell, new(cell.links)) for cell in row) for row in block.rows)
        return block._replace(rows=rows, caption_links=new(block.caption_links))
    if type(block) is ListBlock:
        return block._replace(items=tuple(_relink_one(item, new(item.links)) for item in block.items))
    return block._replace(links=new(block.links)) if block.links else block


_Entry = TypeVar("_Entry", Cell, Item)


def _relink_one(entry: _Entry, links: Links) -> _Entry:
    return entry._replace(links=links) if entry.links else entry


def make_corpus_folder(folder: Path | str) -> Path:
    """The folder of a corpus that is to be written to, made where it is missing."""
    path = Path(folder)
    if path.is_file():
        raise InputError(f"{str(folder)!r} is a file; a corpus is a folder")
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        what = (error.strerror or "refused").lower()
        raise StoreError(f"cannot make the folder {str(folder)!r}: {what}; name another one") from None
    if reason := why_unwritable(path):
        raise StoreError(f"cannot write to the corpus in {str(folder)!r}: {reason}")
    return path


def lock_folder(folder: Path) -> sqlite3.Connection:
    """Become the only writer to a corpus, until the connection is closed."""
    with _translated(folder):
        lock = take_lock(folder / _LOCK)
    if lock is None:
        raise StoreBusy(f"another process is writing to {str(folder)!r}; wait for it, then run again")
    return lock


def quote_path(path: Path | str) -> str:
    """A path as one would type it in a shell."""
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def _check_header(file: Path) -> None:
    wrong = describe_damage(file)
    if wrong:
        raise DamagedStore(f"{str(file)!r} is not a corpus file ({wrong}); copy it again, or ingest its sources again")


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    """SQLite's errors as ours, each saying what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        reason = str(error)
        if "full" in reason:
            raise DiskFull(f"no room left for {str(folder)!r}; free some, then run the same command to go on") from None
        if "locked" in reason or "busy" in reason:
            raise StoreBusy(f"another process holds {str(folder)!r}; wait for it, then run again") from None
        if "no such table" in reason or "malformed" in reason or "not a database" in reason or "disk I/O" in reason:
            raise DamagedStore(
                f"the corpus in {str(folder)!r} is damaged ({reason}); ingest its sources again"
            ) from None
        if "unable to open" in reason or "readonly" in reason or "read-only" in reason:
            raise StoreError(
                f"cannot open the corpus in {str(folder)!r}: {reason}; check the folder's permissions"
            ) from None
        raise
