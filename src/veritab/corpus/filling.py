"""Filling a shard: what the spools of a source have for it, written in one transaction and in the source's order."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from veritab.cancel import stop_if_cancelled
from veritab.corpus.collector import calm_collector
from veritab.corpus.ingest import SAMPLES_PER_KIND
from veritab.corpus.parts import KNOWN, NEW, REDIRECT, spool_path
from veritab.corpus.shards import DOCUMENTS, page_number, shard_of_title
from veritab.corpus.spools import read_section
from veritab.corpus.store import PackedOriginal, PackedPage, Store
from veritab.errors import StoreBusy
from veritab.schema import Redirect

# A task that runs twice meets itself: it waits so many seconds for the other to end.
_PATIENCE = 30.0


class Before(NamedTuple):
    """What the parts of a source before one held, by which its records, pages and lines are numbered."""

    records: int
    pages: int
    lines: int


class Filling(NamedTuple):
    """What the shards of a corpus take from a source."""

    corpus: Path
    shards: tuple[str, ...]
    spools: Path
    parts: tuple[Before, ...]
    run: str
    task: int
    source: str
    reader: str
    base: int
    """Where the first page of the source stands in the order of all pages."""
    complete: bool
    """Whether the source was read to its end, so that pages it no longer holds are to go."""


class Filled(NamedTuple):
    """What a shard took; problems come with where they stand in the source, and no more of them than are shown."""

    added: int
    changed: int
    unchanged: int
    removed: int
    second: int
    second_samples: list[tuple[int, int, str, str]]
    displaced: int
    displaced_samples: list[tuple[int, str, str]]


def fill_shard(filling: Filling, number: int) -> Filled:
    """Write into a shard what a source has for it, all in one transaction, unless that was done before."""
    with _writing(filling.corpus / filling.shards[number]) as store, calm_collector(), ExitStack() as stack:
        if number == DOCUMENTS:
            store.elsewhere = _Elsewhere(filling, stack)
        done = store.result(filling.run, filling.task)
        if done is None:
            with store.transaction():
                done = json.dumps(_fill(store, filling, number))
                store.keep_result(filling.run, filling.task, done)
    return Filled(*json.loads(done))


class _Elsewhere:
    """Whether a page of another shard than that of documents has a title; what is asked for it is opened once."""

    def __init__(self, filling: Filling, stack: ExitStack) -> None:
        self._filling, self._stack = filling, stack
        self._opened: dict[int, Store] = {}

    def __call__(self, title: str) -> bool:
        number = shard_of_title(title, len(self._filling.shards))
        if number == DOCUMENTS:
            return False
        if number not in self._opened:
            shard = Store.open(self._filling.corpus / self._filling.shards[number])
            self._opened[number] = self._stack.enter_context(shard)
        return title in self._opened[number].numbers_by_title([title])


@contextmanager
def _writing(folder: Path) -> Iterator[Store]:
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            store = Store.create(folder)
            break
        except StoreBusy:
            if time.monotonic() > give_up:
                raise
            stop_if_cancelled()
            time.sleep(0.5)
    with store:
        yield store


def _fill(store: Store, filling: Filling, number: int) -> Filled:
    source = store.source_id(filling.source, filling.reader)
    changes: Counter[str] = Counter()
    second = 0
    second_samples: list[tuple[int, int, str, str]] = []
    # Known records first: a page of theirs must not be taken for one of an earlier reading when another is written.
    for part, before in enumerate(filling.parts):
        for record, digest in read_section(spool_path(filling.spools, part), 2 * number + KNOWN):
            changes["unchanged"] += store.known(source, digest, before.records + record) or 0
    for part, before in enumerate(filling.parts):
        for kind, record, position, digest, *more in read_section(spool_path(filling.spools, part), 2 * number + NEW):
            stop_if_cancelled()
            record += before.records
            if kind == REDIRECT:
                store.add_redirect(source, Redirect(*more), digest)
                continue
            where, place, packed = more
            order = filling.base + before.pages + place
            title, data, revision, links, original, categories = packed
            file = PackedOriginal(*original) if original else None
            page = PackedPage(title, data, revision, links, file, categories)
            change, instead_of = store.add(source, page, digest, record, page_number(order, number))
            changes[change] += 1
            if instead_of:
                second += 1
                if second <= SAMPLES_PER_KIND:
                    second_samples.append((record, position, title, shift_lines(where, before.lines)))
    if filling.complete:
        removed = store.finish(source)
    else:
        removed = []
        store.settle_titles()
    displaced = [(page.number, page.title, page.displaced) for page in removed if page.displaced]
    return Filled(
        changes["added"],
        changes["changed"],
        changes["unchanged"],
        len(removed),
        second,
        second_samples,
        len(displaced),
        displaced[:SAMPLES_PER_KIND],
    )


_LINES = re.compile(r"^(.*:)(\d+)(?:-(\d+))?$", re.DOTALL)


def shift_lines(where: str, lines: int) -> str:
    """Where a record stands in its file, when its part counts lines from its own beginning."""
    match = _LINES.match(where) if lines else None
    if match is None:
        return where
    name, first, last = match.groups()
    return f"{name}{int(first) + lines}" + (f"-{int(last) + lines}" if last else "")
