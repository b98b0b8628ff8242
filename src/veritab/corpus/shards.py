"""A corpus of shards: a folder of ordinary corpora, each with the pages whose titles fall to it, read as one.

The shards are named in a manifest. A title tells which shard has its page or redirect, and so does a page's number,
so reading one page asks one shard, however many there are. Documents are an exception: they are called by what tells
them apart from all others, so they lie together in the first shard, which is asked for titles that another lacks.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import sha256
from heapq import merge, nsmallest
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeVar

from veritab.corpus.missing import ask_shard
from veritab.corpus.store import MANIFEST as MANIFEST
from veritab.corpus.store import NEARBY, KeptOriginal, Revision, Row, Source, Store, quote_path
from veritab.errors import DamagedStore, InputError, NewerStore, NotFound, StoreError
from veritab.files import write_whole
from veritab.schema import Page, Redirect

FORMAT = 1
DOCUMENTS = 0
"""The shard of documents, whatever their titles."""
_BITS = 12
MOST_SHARDS = 1 << _BITS
# As many as `Store` asks its file for at once.
_TOGETHER = 500

Answer = TypeVar("Answer")
Value = TypeVar("Value", int, str)


def shard_of_title(title: str, count: int) -> int:
    """The shard that has the page or redirect with that title, of so many."""
    return zlib.crc32(title.encode("utf-8", "surrogatepass")) % count


def shard_of_number(number: int) -> int:
    """The shard that has the page with that number."""
    return number & (MOST_SHARDS - 1)


def order_of_number(number: int) -> int:
    """Where the page with that number stands among those of all shards."""
    return number >> _BITS


def page_number(order: int, shard: int) -> int:
    """The number of a page: where it stands among all, then its shard, so that numbers are in the order of pages."""
    return order << _BITS | shard


# -- the manifest ------------------------------------------------------------------------------------------


class Shard(NamedTuple):
    """A shard by its folder inside the corpus, and the id by which it is known to be this one."""

    folder: str
    corpus: str


class ShardList(NamedTuple):
    """What a corpus of shards says of itself; `whole` is false until all shards have been filled for the first time."""

    corpus: str
    shards: tuple[Shard, ...]
    whole: bool


def read_manifest(folder: Path) -> ShardList:
    """What a corpus says of its shards."""
    file = folder / MANIFEST
    try:
        record = json.loads(file.read_bytes())
        if (format := int(record["format"])) > FORMAT:
            raise NewerStore(
                f"{str(folder)!r} was written by a newer Veritab (shards of format {format}, this one reads {FORMAT}); "
                "upgrade with: pip install -U veritab"
            )
        shards = tuple(Shard(str(each["folder"]), str(each["corpus"])) for each in record["shards"])
        if not 0 < len(shards) <= MOST_SHARDS or any(Path(each.folder).name != each.folder for each in shards):
            raise ValueError("its list of shards cannot be right")
        return ShardList(str(record["corpus"]), shards, bool(record["whole"]))
    except FileNotFoundError:
        raise NotFound(
            f"no corpus of shards in {str(folder)!r}; "
            f"make one with: veritab ingest SOURCE --into {quote_path(folder)} --shards N"
        ) from None
    except OSError as error:
        raise StoreError(f"cannot read {str(file)!r}: {error.strerror}; check its permissions") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedStore(f"{str(file)!r} is damaged ({error}); copy it again, or ingest its sources anew") from None


def write_manifest(folder: Path, manifest: ShardList) -> None:
    """Write what a corpus says of its shards, whole or not at all."""
    record = {
        "format": FORMAT,
        "corpus": manifest.corpus,
        "whole": manifest.whole,
        "shards": [each._asdict() for each in manifest.shards],
    }
    write_whole(folder / MANIFEST, json.dumps(record, indent=1).encode() + b"\n")


def make_shards(folder: Path, count: int, *, whole: bool = True) -> ShardList:
    """Make a corpus of so many empty shards; those that a stopped making left are taken as they are."""
    if not 0 < count <= MOST_SHARDS:
        raise InputError(f"a corpus cannot have {count:,} shards; give a number from 1 to {MOST_SHARDS:,}")
    if (folder / MANIFEST).exists():
        raise InputError(f"{str(folder)!r} is a corpus of shards already")
    shards = []
    for number in range(count):
        name = f"shard-{number:04}"
        with Store.create(folder / name) as shard:
            if len(shard):
                raise StoreError(
                    f"{str(folder)!r} has shards with pages and no {MANIFEST}; copy it back, or name another folder"
                )
            shards.append(Shard(name, shard.revision().corpus))
    manifest = ShardList(secrets.token_hex(8), tuple(shards), whole)
    write_manifest(folder, manifest)
    return manifest


# -- reading -----------------------------------------------------------------------------------------------


class ShardedStore(Store):
    """The shards of a corpus, read as one; `Store.open` gives one where there is a manifest."""

    def __init__(self, folder: Path, *, unfinished: bool = False) -> None:
        super().__init__(folder, writable=False)
        self.manifest = read_manifest(folder)
        if not self.manifest.whole and not unfinished:
            raise StoreError(
                f"the corpus in {str(folder)!r} is not whole: its ingest was stopped or is still at work; "
                "run the same command to go on"
            )
        opened: list[Store] = []
        try:
            opened += map(self._open_shard, self.manifest.shards)
        except BaseException:
            for shard in opened:
                shard.close()
            raise
        self.shards = tuple(opened)
        self._states = [shard.revision() for shard in opened]

    def _open_shard(self, listed: Shard) -> Store:
        try:
            shard = Store.open(self.folder / listed.folder)
        except NotFound:
            raise StoreError(
                f"the shard {listed.folder!r} of the corpus in {str(self.folder)!r} is missing; "
                "copy it back, or make the corpus anew from its sources"
            ) from None
        found = shard.revision().corpus
        if found != listed.corpus:
            shard.close()
            raise StoreError(
                f"the shard {listed.folder!r} in {str(self.folder)!r} is of another corpus "
                f"(its id is {found}, that of the manifest {listed.corpus}); copy the right one back"
            )
        return shard

    def close(self) -> None:
        for shard in self.shards:
            shard.close()

    def _connect(self) -> sqlite3.Connection:
        raise InputError(f"{str(self.folder)!r} is a corpus of shards; only veritab ingest writes to it")

    def _shard(self, title: str) -> Store:
        return self.shards[shard_of_title(title, len(self.shards))]

    def _by_title(self, titles: Iterable[str]) -> Iterator[tuple[Store, list[str]]]:
        """Titles with the shards that have them."""
        return self._by_shard(titles, lambda title: shard_of_title(title, len(self.shards)))

    def _by_number(self, numbers: Iterable[int]) -> Iterator[tuple[Store, list[int]]]:
        """Numbers with the shards that have them."""
        return self._by_shard(numbers, shard_of_number)

    def _by_shard(
        self, values: Iterable[Value], shard_of: Callable[[Value], int]
    ) -> Iterator[tuple[Store, list[Value]]]:
        found: defaultdict[int, list[Value]] = defaultdict(list)
        for value in values:
            found[shard_of(value)].append(value)
        for number, some in found.items():
            if number < len(self.shards):  # a number of another corpus is in none
                yield self.shards[number], some

    def _count(self, table: str) -> int:
        return sum(shard._count(table) for shard in self.shards)

    def _original(self, title: str) -> KeptOriginal | None:
        return self.shards[DOCUMENTS]._original(title)

    def original_digests(self) -> set[bytes]:
        return set().union(*(shard.original_digests() for shard in self.shards))

    def titles(self) -> Iterator[str]:
        return merge(*(shard.titles() for shard in self.shards))

    def _rows(self, source: str | None) -> Iterator[Row]:
        return merge(*(shard._rows(source) for shard in self.shards), key=itemgetter(0))

    def categories(self) -> Iterator[tuple[str, str]]:
        return merge(*(shard.categories() for shard in self.shards))

    def files(self) -> Iterator[tuple[str, str]]:
        return merge(*(shard.files() for shard in self.shards))

    def _hub_numbers(self, most: int) -> list[tuple[int, int]]:
        return nsmallest(most, (hub for shard in self.shards for hub in shard._hub_numbers(most)))

    def redirects(self) -> Iterator[Redirect]:
        found = merge(*(shard.redirects() for shard in self.shards), key=lambda redirect: redirect.title)
        if not self.has_documents():
            return found
        # What leads to a document may share its title with a redirect or a page of another shard.
        told = (next(same) for _, same in groupby(found, key=lambda redirect: redirect.title))
        return (redirect for redirect in told if self._target(redirect.title) != redirect.title)

    def has_documents(self) -> bool:
        """Whether there are pages that were read from files of their own."""
        return next(self.files(), None) is not None

    def link_targets(self) -> Iterator[str]:
        before = None
        for target in merge(*(shard.link_targets() for shard in self.shards)):
            if target != before:
                yield target
            before = target

    def sources(self) -> list[Source]:
        """Where the pages came from; a source was read to its end when it was so in every shard."""
        of_name: defaultdict[str, list[Source]] = defaultdict(list)
        for shard in self.shards:
            for source in shard.sources():
                of_name[source.name].append(source)
        return [
            Source(
                name,
                parts[0].reader,
                len(parts) == len(self.shards) and all(part.complete for part in parts),
                sum(part.pages for part in parts),
            )
            for name, parts in sorted(of_name.items())
        ]

    def revision(self) -> Revision:
        """The state that the shards are in together: another one whenever any of them changes."""
        # One that cannot be asked any longer is taken to be as it was.
        self._states = [
            _ask(shard, shard.revision, partial(Revision, *state))
            for shard, state in zip(self.shards, self._states, strict=True)
        ]
        states = repr(list(map(tuple, self._states)))
        return Revision(self.manifest.corpus, 1 + int.from_bytes(sha256(states.encode()).digest()[:8], "big") // 4)

    def digests(self) -> Iterator[tuple[int, bytes]]:
        return merge(*(shard.digests() for shard in self.shards))

    def digests_by_number(self, numbers: Iterable[int]) -> dict[int, bytes]:
        asked = list(numbers)
        found: dict[int, bytes] = {}
        for shard, some in self._by_number(asked):
            found |= _ask(shard, partial(shard.digests_by_number, some), dict)
        return {number: found[number] for number in _in_order(asked) if number in found}

    def pages_by_number(self, numbers: Iterable[int]) -> Iterator[tuple[int, Page]]:
        for number in numbers:
            if shard_of_number(number) < len(self.shards):
                shard = self.shards[shard_of_number(number)]
                yield from _ask(shard, partial(list, shard.pages_by_number((number,))), list)

    def titles_by_number(self, numbers: Iterable[int]) -> dict[int, str]:
        asked = list(numbers)
        found: dict[int, str] = {}
        for shard, some in self._by_number(asked):
            found |= _ask(shard, partial(shard.titles_by_number, some), dict)
        return {number: found[number] for number in _in_order(asked) if number in found}

    def numbers_by_title(self, titles: Iterable[str]) -> dict[str, int]:
        asked = list(titles)
        found: dict[str, int] = {}
        for shard, some in self._by_title(asked):
            found |= _ask(shard, partial(shard.numbers_by_title, some), dict)
        documents = self.shards[DOCUMENTS]
        others = [title for title in asked if title not in found]
        found |= _ask(documents, partial(documents.numbers_by_title, others), dict)
        return {title: found[title] for title in _in_order(asked) if title in found}

    def _indirect_redirects(self) -> Iterator[str]:
        return merge(*(self._indirect(shard) for shard in self.shards))

    def _indirect(self, shard: Store) -> Iterator[str]:
        """The redirects of a shard that do not point straight at a page of any."""
        redirects = shard.redirects()
        while some := list(islice(redirects, _TOGETHER)):
            straight = set(self._of_pages([redirect.target for redirect in some]))
            yield from (redirect.title for redirect in some if redirect.target not in straight)

    def shadowed_redirects(self) -> Iterator[str]:
        found = merge(*(shard.shadowed_redirects() for shard in self.shards))
        if not self.has_documents():
            return found
        redirects = merge(*(shard.redirects() for shard in self.shards), key=lambda redirect: redirect.title)
        others = (redirect.title for redirect in redirects if self._target(redirect.title) == redirect.title)
        return (title for title, _ in groupby(merge(found, others)))

    def check_integrity(self) -> list[str]:
        """What is wrong with the files, their tables and their pages; empty when all is well. Reads all files."""
        wrong = []
        for number, shard in enumerate(self.shards):
            wrong += [f"{shard.folder.name}: {each}" for each in shard.check_integrity()]
            numbers = shard.numbers_by_title(shard.titles()) if not wrong else {}
            documents = {title for title, _ in shard.files()} if numbers else set()
            for title, page in numbers.items():
                of_title = DOCUMENTS if title in documents else shard_of_title(title, len(self.shards))
                if not number == of_title == shard_of_number(page):
                    wrong.append(f"{shard.folder.name}: the page {title!r} ({page}) belongs to another shard")
        return wrong[:10]

    def _row(self, title: str) -> Row | None:
        return _ask_row(self._shard(title), title) or _ask_row(self.shards[DOCUMENTS], title)

    def _target(self, title: str) -> str | None:
        target = _ask_target(self._shard(title), title)
        return target if target == title else _ask_target(self.shards[DOCUMENTS], title) or target

    def _of_pages(self, titles: list[str]) -> Iterator[str]:
        found: set[str] = set()
        for shard, some in self._by_title(titles):
            found.update(_ask(shard, partial(list, shard._of_pages(some)), list))
        documents = self.shards[DOCUMENTS]
        others = [title for title in titles if title not in found]
        found.update(_ask(documents, partial(list, documents._of_pages(others)), list))
        # The order of a set is another one in every process, and what is read for a claim follows this one.
        return (title for title in _in_order(titles) if title in found)

    def _neighbours(self, title: str) -> list[str]:
        found: list[str] = []
        for shard in self.shards:
            found += _ask(shard, partial(shard._neighbours, title), list)
        return found

    def _beginning(self, start: str) -> list[str]:
        found: list[str] = []
        for shard in self.shards:
            found += _ask(shard, partial(shard._beginning, start), list)
        return sorted(found)[:NEARBY]


def _ask(shard: Store, question: Callable[[], Answer], nothing: Callable[[], Answer]) -> Answer:
    return ask_shard(shard.folder.name, question, nothing)


def _ask_row(shard: Store, title: str) -> Row | None:
    return _ask(shard, partial(shard._row, title), lambda: None)


def _ask_target(shard: Store, title: str) -> str | None:
    return _ask(shard, partial(shard._target, title), lambda: None)


def _in_order(asked: list[Value]) -> Iterator[Value]:
    """Values in the order in which a corpus of one file answers for them."""
    for start in range(0, len(asked), _TOGETHER):
        yield from sorted(asked[start : start + _TOGETHER])
