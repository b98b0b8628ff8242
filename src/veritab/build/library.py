"""The pages that claims are made of: Wikipedia's introductions as sentences, and the lines of FEVER's dump."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from veritab.corpus.fever import title_of
from veritab.corpus.wikipedia import article_title
from veritab.datasets import DataFiles
from veritab.datasets.normalise import plain_text, title_key
from veritab.text import sentences

_LEAST_WORDS = 4


class Introduction(NamedTuple):
    """A page and the sentences it begins with."""

    title: str
    sentences: tuple[str, ...]


def split(text: str) -> tuple[str, ...]:
    """The sentences of a paragraph, without stubs of a few words."""
    found = (text[start:end] for start, end in sentences(text))
    return tuple(each for each in found if each.count(" ") >= _LEAST_WORDS - 1)


class Library:
    """Wikipedia's introductions and FEVER's lines by title; a text is detokenised when it is needed."""

    def __init__(self, data: DataFiles) -> None:
        self._raw: dict[str, tuple[str, str]] = {}
        for record in data.records("wiki/passages"):
            title = article_title(record["url"].partition("/wiki/")[2])
            self._raw.setdefault(title_key(title), (title, record["text"]))
        self._lines: dict[str, dict[int, str]] = {}
        for record in data.records("fever/sentences"):
            self._lines.setdefault(title_key(title_of(record["page"])), {})[record["line"]] = record["text"]
        self._sentences = lru_cache(20_000)(self._split)

    def __contains__(self, title: str) -> bool:
        return title_key(title) in self._raw

    @property
    def titles(self) -> list[str]:
        """The titles of all introductions, in the order of their file."""
        return [title for title, _ in self._raw.values()]

    def introduction(self, title: str) -> Introduction:
        """The sentences of a page's introduction; none where the page is unknown."""
        name, text = self._raw.get(title_key(title), (title, ""))
        return Introduction(name, self._sentences(text))

    def beginning(self, title: str) -> str:
        """The first words of a page as its file has them, which say what kind of thing it is about."""
        return self._raw.get(title_key(title), ("", ""))[1][:300]

    def lines(self, title: str) -> dict[int, str]:
        """The lines of a page that FEVER's files hold, by their numbers."""
        return {number: plain_text(text) for number, text in self._lines.get(title_key(title), {}).items()}

    @staticmethod
    def _split(text: str) -> tuple[str, ...]:
        return split(plain_text(text))


def library(data: DataFiles) -> Library:
    """The one library of a folder of data sets: it takes seconds to read."""
    return data.once(Library)
