"""Topics: every page of a corpus in one of a few, from which players choose.

They are a wiki's categories, where the corpus has them, else the folders of its files, else the pages that link to
many others, else what sections pages have in common. Of each kind of sign those are taken that sort most pages not
sorted yet; the first kind counts that sorts half of the corpus. Only sections take reading the pages, hence they are
tried in small corpora alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from heapq import nsmallest
from pathlib import PurePosixPath
from threading import Lock
from typing import TypeAlias
from weakref import WeakKeyDictionary

from veritab.corpus.store import Revision, Store
from veritab.errors import InputError, NotFound, short_repr
from veritab.pipeline import Checker
from veritab.schema import Section

EVERYTHING, OTHERS = "Everything", "Everything else"
"""The topic of a corpus that has no other, and that of the pages which are in no other."""
_MOST_TOPICS = 30
_FEWEST_PAGES = 5
_SHARE_OF_A_TOPIC = 0.002
"""A topic has so many pages at least, and such a share of the corpus."""
_LARGEST_SHARE = 0.6
"""What more pages than this have says nothing of any of them: "Living people", or a section "History"."""
_SORTED_SHARE = 0.5
"""The least share of the pages that topics must sort to be used."""
_MOST_CANDIDATES = 200
"""So many names are looked at: in a large wiki there are thousands, each for a few pages."""
_MOST_HUBS = 300
_MOST_READ = 5_000


class Topics:
    """The topics of a corpus: each page is in one of them."""

    def __init__(self, pages: Mapping[str, Iterable[str]]) -> None:
        self._pages = {topic: tuple(titles) for topic, titles in pages.items()}

    def names(self) -> dict[str, int]:
        """The topics, and how many pages each has."""
        return {topic: len(titles) for topic, titles in self._pages.items()}

    def pages(self, topic: str = "") -> tuple[str, ...]:
        """The titles of a topic; of all, where none is named."""
        if not topic:
            return self._every
        if topic not in self._pages:
            known = ", ".join(self._pages)
            raise InputError(f"this corpus has no topic {short_repr(topic)}; expected one of {known}")
        return self._pages[topic]

    def topic_of(self, title: str) -> str:
        """The topic of a page."""
        if title not in self._topics:
            raise NotFound(f"no page {short_repr(title)} is in any topic")
        return self._topics[title]

    @cached_property
    def _every(self) -> tuple[str, ...]:
        return tuple(title for titles in self._pages.values() for title in titles)

    @cached_property
    def _topics(self) -> dict[str, str]:
        return {title: topic for topic, titles in self._pages.items() for title in titles}


_KNOWN: WeakKeyDictionary[Checker, tuple[Revision, Topics]] = WeakKeyDictionary()
_FINDING = Lock()


def topics_of(checker: Checker) -> Topics:
    """The topics of a corpus, found once for each of its states."""
    revision = checker.store.revision()
    with _FINDING:
        known = _KNOWN.get(checker)
        if known is None or known[0] != revision:
            known = _KNOWN[checker] = revision, find_topics(checker.store)
        return known[1]


_Sign: TypeAlias = tuple[str, str]
"""A page by its title, and the name of a topic that it may be in."""


def find_topics(store: Store) -> Topics:
    """Sort the pages of a corpus into topics, in the order of their names."""
    titles = list(store.titles())
    for signs in _SIGNS:
        found = _choose(signs(store), len(titles))
        if sum(map(len, found.values())) >= _SORTED_SHARE * len(titles) and found:
            named = {title for pages in found.values() for title in pages}
            others = [title for title in titles if title not in named]
            return Topics({**dict(sorted(found.items())), **({OTHERS: others} if others else {})})
    return Topics({EVERYTHING: titles})


def _choose(signs: Iterable[_Sign], size: int) -> dict[str, list[str]]:
    """The names that sort most pages, each page under the first of them that it has."""
    pages: defaultdict[str, set[str]] = defaultdict(set)
    for title, name in signs:
        pages[name].add(title)
    least = max(_FEWEST_PAGES, _SHARE_OF_A_TOPIC * size)
    fitting = (name for name, titles in pages.items() if least <= len(titles) <= _LARGEST_SHARE * size)
    largest = nsmallest(_MOST_CANDIDATES, fitting, key=lambda name: (-len(pages[name]), name))
    left = {name: pages[name] for name in largest}
    chosen: dict[str, list[str]] = {}
    while left and len(chosen) < _MOST_TOPICS - 1:
        best = min(left, key=lambda name: (-len(left[name]), name))
        taken = left.pop(best)
        chosen[best] = sorted(taken)
        left = {name: rest for name, titles in left.items() if len(rest := titles - taken) >= least}
    return chosen


# -- the signs ---------------------------------------------------------------------------------------------


def _categories(store: Store) -> Iterator[_Sign]:
    return store.categories()


def _folders(store: Store) -> Iterator[_Sign]:
    """The folder of each file that is in one."""
    for title, file in store.files():
        if folder := PurePosixPath(file).parent.name:
            yield title, folder


def _hubs(store: Store) -> Iterator[_Sign]:
    """The pages that link to many others, as a list or a survey does; each is about what it lists."""
    for hub, targets in store.hubs(_MOST_HUBS):
        yield hub, hub
        yield from ((title, hub) for title in targets)


def _sections(store: Store) -> Iterator[_Sign]:
    """The headings of pages, of a corpus that is small enough to be read."""
    for page in store.pages() if len(store) <= _MOST_READ else ():
        yield from ((page.title, block.text) for block in page.blocks if isinstance(block, Section) and block.text)


_SIGNS: tuple[Callable[[Store], Iterator[_Sign]], ...] = (_categories, _folders, _hubs, _sections)
