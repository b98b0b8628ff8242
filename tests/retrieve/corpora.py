"""Small corpora for the tests of retrieval: made in a moment, changed page by page."""

from __future__ import annotations

import random
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from veritab.corpus.shards import make_shards, page_number, shard_of_title
from veritab.corpus.store import Store, pack_page
from veritab.retrieve.index import IndexProgress, build_index
from veritab.schema import Cell, Item, Link, ListBlock, Page, Passage, Redirect, Section, Sentence, TableBlock

EVEREST = Page(
    "Mount Everest",
    (
        Sentence(0, "Mount Everest is the highest mountain above sea level."),
        Sentence(1, "It stands on the border of Nepal.", (Link(27, 32, "Nepal"),)),
        Section(0, "Ascents", 2),
        Sentence(2, "Tenzing and Hillary reached the summit in 1953.", (Link(12, 19, "Edmund Hillary"),)),
        TableBlock(
            0,
            (
                (Cell("Climber", header=True), Cell("Nationality", header=True)),
                (Cell("Tenzing Norgay"), Cell("Sherpa", (Link(0, 6, "Sherpa people"),))),
            ),
            caption="First climbers",
        ),
        ListBlock(0, (Item("Camp at the Khumbu icefall"), Item("Camp in the Western Cwm"))),
    ),
)
NEPAL = Page(
    "Nepal",
    (Sentence(0, "Nepal is a country in the Himalayas with the peak Everest.", (Link(50, 57, "Mount Everest"),)),),
)
K2 = Page("K2", (Passage(0, "The savage mountain of Pakistan, second to Everest.", (Link(43, 50, "Mount Everest"),)),))
WORLD = (EVEREST, NEPAL, K2, Redirect("Chomolungma", "Mount Everest"))


def fill(folder: Path, reads: Iterable[Page | Redirect], source: str = "test") -> None:
    """Make a source hold exactly these; what it held besides is removed."""
    with Store.create(folder) as store:
        number = store.source_id(source, "reader")
        with store.transaction():
            for record, read in enumerate(reads):
                digest = sha256(repr(read).encode()).digest()[:16]
                if store.known(number, digest, record) is not None:
                    continue
                if isinstance(read, Page):
                    store.add(number, pack_page(read), digest, record)
                else:
                    store.add_redirect(number, read, digest)
            store.finish(number)


def indexed(folder: Path, reads: Iterable[Page | Redirect], *, rebuild: bool = False) -> Store:
    """A corpus with its index up to date, open for reading."""
    fill(folder, reads)
    store = Store.open(folder)
    build(store, rebuild=rebuild)
    return store


def build(store: Store, *, rebuild: bool = False) -> list[IndexProgress]:
    """Bring an index up to date; every report on the way."""
    return list(build_index(store, rebuild=rebuild))


def cut(store: Store, folder: Path, count: int) -> Path:
    """The pages and redirects of a corpus as a corpus of shards, in the same order; without an index."""
    digests = dict(store.digests())
    pages = [(number, page) for number, page in store.pages_by_number(digests)]
    for shard, listed in enumerate(make_shards(folder, count).shards):
        with Store.create(folder / listed.folder) as part:
            source = part.source_id("test", "reader")
            with part.transaction():
                for number, page in pages:
                    if shard_of_title(page.title, count) == shard:
                        digest = digests[number]
                        part.add(source, pack_page(page), digest, number, page_number(number, shard))
                for redirect in store.redirects():
                    if shard_of_title(redirect.title, count) == shard:
                        part.add_redirect(source, redirect, b"redirect")
                part.finish(source)
    return folder


def town(number: int, version: int = 0) -> Page:
    """A page that shares words with others, in some proportion."""
    chance = random.Random(number * 1000 + version)
    words = " ".join(f"w{chance.randrange(20)}" for _ in range(chance.randrange(5, 30)))
    link = Link(0, 4, f"Town {(number + 1) % 10}")
    table = TableBlock(0, ((Cell("table", header=True), Cell(f"w{chance.randrange(5)}")),))
    return Page(f"Town {number}", (Sentence(0, f"Town by the river {words}.", (link,)), table))
