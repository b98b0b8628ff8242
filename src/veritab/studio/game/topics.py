"""Topics: every page of a corpus in one of a few, from which players choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from weakref import WeakKeyDictionary

from veritab.corpus.store import Revision
from veritab.errors import InputError, NotFound, short_repr
from veritab.pipeline import Checker

EVERYTHING = "Everything"
"""The topic of a corpus that has no other."""


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


def topics_of(checker: Checker) -> Topics:
    """The topics of a corpus, found once for each of its states."""
    revision = checker.store.revision()
    known = _KNOWN.get(checker)
    if known is None or known[0] != revision:
        known = _KNOWN[checker] = revision, find_topics(checker)
    return known[1]


def find_topics(checker: Checker) -> Topics:
    """Sort the pages of a corpus into topics."""
    return Topics({EVERYTHING: checker.store.titles()})
