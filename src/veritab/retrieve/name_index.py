"""The name index: titles, redirects and the words of links, looked up in a text without any model.

A name is keyed by its words (`"Soul Food (film)"` is `soul food film`); a title with a qualifier is also keyed without
it (`soul food`). Names live in one SQLite file beside the index, which also remembers what of each page is in there.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from enum import StrEnum
from functools import partial
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from veritab.corpus.database import Connections, describe_damage, open_file, open_for_reading
from veritab.corpus.missing import ask_shard
from veritab.corpus.shards import shard_of_number
from veritab.corpus.store import Revision
from veritab.retrieve.index_errors import damaged_index, translate_errors
from veritab.schema import Page, Redirect
from veritab.text import STOP_WORDS, Token, words

FILE = "names.sqlite"
LONGEST_NAME = 10
"""Names of more words than this are not looked for inside a text."""
_QUALIFIER = re.compile(r"(?<=.)\s*(?:\((?P<inside>[^()]*)\)|,\s*(?P<after>[^,()]+))\s*\Z")
_SCHEMA = """
CREATE TABLE names (key TEXT NOT NULL, target TEXT NOT NULL, how TEXT NOT NULL, times INTEGER NOT NULL,
    PRIMARY KEY (key, target, how)) WITHOUT ROWID;
CREATE TABLE pages (id INTEGER PRIMARY KEY, digest BLOB NOT NULL, title TEXT NOT NULL, size INTEGER NOT NULL,
    links BLOB);
CREATE TABLE redirects (title TEXT PRIMARY KEY, target TEXT NOT NULL) WITHOUT ROWID;
"""
_STATE = "CREATE TABLE IF NOT EXISTS state (corpus TEXT NOT NULL, revision INTEGER NOT NULL)"
# Counts of names are written in order and many at once, which saves most of the searching for their places.
_MOST_WAITING = 200_000
_MOST_COMPLETED = 5000


class NameSource(StrEnum):
    """Why a name stands for a page."""

    TITLE = "title"
    UNQUALIFIED = "unqualified"
    REDIRECT = "redirect"
    ANCHOR = "anchor"
    SIMILAR = "similar"


def key(name: str) -> str:
    """A name as it is looked up."""
    return " ".join(words(name))


def qualifier(title: str) -> tuple[str, str]:
    """A title without its qualifier, and the qualifier: "Soul Food" and "film"."""
    match = _QUALIFIER.search(title)
    return (title[: match.start()], match["inside"] or match["after"] or "") if match else (title, "")


class NameTarget(NamedTuple):
    """A page that a name may stand for, why, and how often links mean it by that name."""

    target: str
    how: NameSource
    times: int


class NameSpan(NamedTuple):
    """A stretch of words of a text that is a name: the number of its first word, and one past its last."""

    first: int
    last: int
    key: str


class NameIndex:
    """The dictionary of names, open for reading."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / FILE
        if not self._file.is_file():
            raise damaged_index(folder, f"{str(self._file)!r} is missing")
        with translate_errors(folder):
            wrong = describe_damage(self._file)
        if wrong:
            raise damaged_index(folder, f"{str(self._file)!r} is not a file of names ({wrong})")
        self.refresh()

    def refresh(self) -> None:
        """See also a file that was built anew since."""
        self._connections = Connections(lambda: open_for_reading(self._file))

    def close(self) -> None:
        self._connections.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        # Held on to while it is used: unused connections close, and `refresh` lets go of them.
        connections = self._connections
        with translate_errors(self._folder):
            yield connections.own()

    def built_from(self) -> list[Revision | None]:
        """The state of each shard, or of the corpus, these are the names of; None while they are being written."""
        with self._reading() as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'state'").fetchone():
                return [None]
            row = db.execute("SELECT corpus, revision FROM state").fetchone()
            return [Revision(*row) if row else None]

    def check_integrity(self) -> list[str]:
        """What is wrong with the file; empty when all is well. Reads all of it."""
        with self._reading() as db:
            found = [f"{self._file}: {what}" for (what,) in db.execute("PRAGMA integrity_check(10)")]
        return [] if found == [f"{self._file}: ok"] else found

    def targets(self, keys: Iterable[str]) -> dict[str, list[NameTarget]]:
        """What each of these keys may stand for; unknown keys are left out."""
        query = "SELECT names.key, target, how, times FROM json_each(?) JOIN names ON names.key = value"
        found: dict[str, list[NameTarget]] = {}
        with self._reading() as db:
            for name, target, how, times in db.execute(query, (json.dumps(list(dict.fromkeys(keys))),)):
                found.setdefault(name, []).append(NameTarget(target, NameSource(how), times))
        return found

    def spans(self, of: list[Token], *, proper_only: bool = False) -> dict[NameSpan, list[NameTarget]]:
        """Every stretch of words that is a name, with what it may stand for."""
        candidates = list(_stretches(of, proper_only))
        known = self.targets(span.key for span in candidates)
        return {span: known[span.key] for span in candidates if span.key in known}

    def sizes(self, numbers: Iterable[int]) -> dict[int, int]:
        """How many characters of text pages hold, by their numbers in the store."""
        query = "SELECT pages.id, size FROM json_each(?) JOIN pages ON pages.id = value"
        with self._reading() as db:
            return dict(db.execute(query, (json.dumps(list(numbers)),)))

    def complete(self, beginning: str, limit: int) -> list[str]:
        """Titles and redirects whose words begin like this, shortest first."""
        start = key(beginning)
        if not start:
            return []
        keys: dict[str, str] = {}
        for name, target in islice(self._names_between(start, start + "\U0010ffff"), _MOST_COMPLETED):
            keys.setdefault(target, name)
        return sorted(keys, key=lambda target: (len(keys[target]), keys[target], target))[:limit]

    def _names_between(self, first: str, last: str) -> Iterator[tuple[str, str]]:
        """The keys of titles and redirects from one on and before another, each with its page, in their order."""
        query = """SELECT key, target FROM names WHERE key >= ? AND key < ? AND how IN ('title', 'redirect')
                   ORDER BY key, target"""
        with self._reading() as db:
            yield from db.execute(query, (first, last))


def _stretches(of: list[Token], proper_only: bool) -> Iterator[NameSpan]:
    for first, word in enumerate(of):
        if proper_only and not word.is_proper:
            continue
        name = ""
        for last in range(first, min(first + LONGEST_NAME, len(of))):
            name = f"{name} {of[last].lower}" if name else of[last].lower
            if name not in STOP_WORDS:
                yield NameSpan(first, last + 1, name)


class ShardedNames(NameIndex):
    """The dictionaries of the shards of a corpus, read as one."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._shards: list[NameIndex] = []
        self._names = [folder.parent.name for folder in folders]
        with ExitStack() as opened:
            self._shards += (opened.enter_context(closing(NameIndex(folder))) for folder in folders)
            opened.pop_all()

    def _by_name(self) -> Iterator[tuple[NameIndex, str]]:
        return zip(self._shards, self._names, strict=True)

    def refresh(self) -> None:
        for shard in self._shards:
            shard.refresh()

    def close(self) -> None:
        for shard in self._shards:
            shard.close()

    def built_from(self) -> list[Revision | None]:
        return [state for shard in self._shards for state in shard.built_from()]

    def check_integrity(self) -> list[str]:
        return [wrong for shard in self._shards for wrong in shard.check_integrity()]

    def targets(self, keys: Iterable[str]) -> dict[str, list[NameTarget]]:
        """What keys may stand for: how often links of all shards together mean it."""
        asked = list(dict.fromkeys(keys))
        times: defaultdict[str, Counter[tuple[str, NameSource]]] = defaultdict(Counter)
        for shard, named in self._by_name():
            own: dict[str, list[NameTarget]] = ask_shard(named, partial(shard.targets, asked), dict)
            for name, targets in own.items():
                times[name].update({(target, how): count for target, how, count in targets})
        return {
            name: [NameTarget(target, how, count) for (target, how), count in sorted(times[name].items())]
            for name in asked
            if name in times
        }

    def sizes(self, numbers: Iterable[int]) -> dict[int, int]:
        asked = list(numbers)
        found: dict[int, int] = {}
        for place, (shard, named) in enumerate(self._by_name()):
            if some := [number for number in asked if shard_of_number(number) == place]:
                found |= ask_shard(named, partial(shard.sizes, some), dict)
        return {number: found[number] for number in asked if number in found}

    def _names_between(self, first: str, last: str) -> Iterator[tuple[str, str]]:
        return merge(*(shard._names_between(first, last) for shard in self._shards))


def open_names(folders: Sequence[Path]) -> NameIndex:
    """The names of a corpus by the folder of its index, or by those of its shards."""
    return NameIndex(folders[0]) if len(folders) == 1 else ShardedNames(folders)


class NameIndexWriter:
    """Changes the dictionary, page by page."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: Counter[tuple[str, str, str]] = Counter()
        with translate_errors(folder):
            file = folder / FILE
            wrong = describe_damage(file) if file.exists() and file.stat().st_size else ""
            if wrong:
                raise damaged_index(folder, f"{str(file)!r} is not a file of names ({wrong})")
            self._db = open_file(file, "mode=rwc")
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA cache_size = -32768")
        if not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
            self._db.execute("BEGIN")
            for statement in _SCHEMA.split(";"):
                self._db.execute(statement)
            self._db.execute("COMMIT")
        self._db.execute(_STATE)

    def __enter__(self) -> NameIndexWriter:
        with translate_errors(self._folder):
            self._db.execute("BEGIN IMMEDIATE")
            # Names that are being changed belong to no state of the corpus until `finish` says so.
            self._db.execute("DELETE FROM state")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind:
            self._waiting.clear()
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            return
        with translate_errors(self._folder):
            self._flush()
            self._db.execute("COMMIT")

    def finish(self, state: Revision) -> None:
        """Say which state of the corpus these are the names of."""
        with self:
            self._db.execute("INSERT INTO state VALUES (?, ?)", state)

    def close(self) -> None:
        with translate_errors(self._folder):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.close()

    def abandon(self) -> None:
        """Let go of the file as it is."""
        self._db.close()

    def pages(self) -> Iterator[tuple[int, bytes]]:
        """The pages that are in, by number, with the digest of their content."""
        with translate_errors(self._folder):
            yield from self._db.execute("SELECT id, digest FROM pages ORDER BY id")

    def redirects(self) -> Iterator[tuple[str, str]]:
        with translate_errors(self._folder):
            yield from self._db.execute("SELECT title, target FROM redirects ORDER BY title")

    def add(self, number: int, digest: bytes, page: Page) -> None:
        """Add the names a page has and those it gives to others."""
        links = _links(page)
        packed = zlib.compress(json.dumps(links, ensure_ascii=False).encode(), 1) if links else None
        size = sum(len(text) for text, _ in page.texts())
        self._change("INSERT INTO pages VALUES (?, ?, ?, ?, ?)", (number, digest, page.title, size, packed))
        self._count_page(page.title, links, 1)

    def remove(self, number: int) -> None:
        """Take away what a page brought; nothing happens when it is not in."""
        with translate_errors(self._folder):
            row = self._db.execute("SELECT title, links FROM pages WHERE id = ?", (number,)).fetchone()
            if row is None:
                return
            title, packed = row
            self._count_page(title, json.loads(zlib.decompress(packed)) if packed else [], -1)
        self._change("DELETE FROM pages WHERE id = ?", (number,))

    def add_redirect(self, redirect: Redirect) -> None:
        self._change("INSERT INTO redirects VALUES (?, ?)", (redirect.title, redirect.target))
        # Kept by its own title: where it leads may change without it.
        self._count(key(redirect.title), redirect.title, NameSource.REDIRECT, 1)

    def remove_redirect(self, title: str) -> None:
        self._change("DELETE FROM redirects WHERE title = ?", (title,))
        self._count(key(title), title, NameSource.REDIRECT, -1)

    def _change(self, statement: str, values: tuple[object, ...]) -> None:
        with translate_errors(self._folder):
            self._db.execute(statement, values)
            if len(self._waiting) > _MOST_WAITING:
                self._flush()

    def _count_page(self, title: str, links: Iterable[tuple[str, str, int]], factor: int) -> None:
        for name, how in _own_names(title):
            self._count(name, title, how, factor)
        for name, target, times in links:
            self._count(name, target, NameSource.ANCHOR, factor * times)

    def _count(self, name: str, target: str, how: NameSource, times: int) -> None:
        if name:
            self._waiting[name, target, how.value] += times

    def _flush(self) -> None:
        changes = sorted((*change, times) for change, times in self._waiting.items() if times)
        self._waiting.clear()
        upsert = """INSERT INTO names VALUES (?, ?, ?, ?)
                    ON CONFLICT (key, target, how) DO UPDATE SET times = times + excluded.times"""
        self._db.executemany(upsert, changes)
        gone = [change[:3] for change in changes if change[3] < 0]
        self._db.executemany("DELETE FROM names WHERE key = ? AND target = ? AND how = ? AND times <= 0", gone)


def _own_names(title: str) -> Iterator[tuple[str, NameSource]]:
    yield key(title), NameSource.TITLE
    short, extra = qualifier(title)
    if extra and key(short):
        yield key(short), NameSource.UNQUALIFIED


def _links(page: Page) -> list[tuple[str, str, int]]:
    """How often a page means which target by which name."""
    times = Counter(
        (name, target) for text, links in page.texts() for start, end, target in links if (name := key(text[start:end]))
    )
    return [(name, target, count) for (name, target), count in sorted(times.items())]
