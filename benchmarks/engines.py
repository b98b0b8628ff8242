"""What benchmarks/retrieval_speed.py compares: engines behind one protocol, and the documents they are given.

Veritab's own index, DrQA's hashed TF-IDF (scipy), bm25s and SQLite FTS5 index the pages of a corpus, or generated
passages, as many as one likes.
"""

from __future__ import annotations

import importlib
import math
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from benchmarks.corpus_r import records
from veritab.corpus.store import Store
from veritab.papers.retrieval.tfidf import HashedTfidf
from veritab.retrieve.sparse import PAGES, IndexEntry, LocalId, SparseIndex, SparseIndexWriter, entries
from veritab.schema import Kind
from veritab.text import STOP_WORDS

SEED = 1


class Document(NamedTuple):
    """Something to index; the number is what a search gives back."""

    number: int
    title: str
    text: str
    introduction: str = ""


# -- generated passages ------------------------------------------------------------------------------------

_BLOCK = 5_000
_SENTENCES, _COMMON, _TOPICAL = 7, 8, 2
_TOPICS, _TOPIC_PAIRS = 20_000, 8
_FREQUENT = 1_000
_WORD = re.compile(r"\w+")


def count_words(file: Path, *, made_up: bool) -> str:
    """Write the words of Wikipedia introductions, or made-up ones, and how often each comes."""
    if not made_up:
        times = Counter(word for record in records("wiki/passages") for word in _WORD.findall(record["text"].lower()))
        about = f"the {len(times):,} words of Wikipedia introductions"
    else:
        times = Counter({word: 10_000_000 // (rank + 3) for rank, word in enumerate(_made_up(300_000))})
        about = f"{len(times):,} made-up words"
    ordered = sorted(times.items(), key=lambda entry: (-entry[1], entry[0]))
    text = "\n".join(word for word, _ in ordered).encode()
    np.savez(file, words=np.frombuffer(text, np.uint8), times=np.array([count for _, count in ordered]))
    return about


def _made_up(count: int) -> Iterator[str]:
    """The stop words, then words of syllables, short ones first."""
    yield from sorted(STOP_WORDS)
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    for number in range(count - len(STOP_WORDS)):
        word = ""
        rest = number + len(syllables)
        while rest:
            rest, last = divmod(rest, len(syllables))
            word = syllables[last] + word
        yield word


class Generator:
    """Passages of seventy words: most drawn by frequency, some in pairs that belong to the passage's topic.

    Passage n is the same whatever their number: a larger corpus begins with the smaller ones.
    """

    def __init__(self, vocabulary: Path) -> None:
        with np.load(vocabulary) as parts:
            words = parts["words"].tobytes().decode().split("\n")
            times = parts["times"].astype(np.float64)
        self._words = np.array(words, dtype=object)
        self._shares = np.cumsum(times) / times.sum()
        # What passages are about are not the most frequent words, but the others come as often as they do in life.
        rare = np.random.default_rng(SEED).uniform(self._shares[_FREQUENT], 1, (_TOPICS, _TOPIC_PAIRS, 2))
        self._topics = self._drawn(rare)

    def _drawn(self, places: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.minimum(np.searchsorted(self._shares, places), len(self._words) - 1)

    def block(self, number: int) -> list[Document]:
        """The passages of one block."""
        random = np.random.default_rng((SEED, number))
        common = self._drawn(random.random((_BLOCK, _SENTENCES, _COMMON)))
        topics = self._topics[random.integers(0, _TOPICS, _BLOCK)]
        pairs = topics[np.arange(_BLOCK)[:, None], random.integers(0, _TOPIC_PAIRS, (_BLOCK, _SENTENCES))]
        passages = self._words[np.concatenate([common, pairs], axis=2)].tolist()
        names = self._words[topics[:, 0]].tolist()
        first = number * _BLOCK
        return [
            Document(first + place, f"{' '.join(name).title()} {first + place}", _joined(sentences))
            for place, (name, sentences) in enumerate(zip(names, passages, strict=True))
        ]

    def passages(self, size: int) -> Iterator[Document]:
        """The first passages, so many."""
        blocks = (self.block(number) for number in range(math.ceil(size / _BLOCK)))
        yield from islice((passage for block in blocks for passage in block), size)

    def queries(self, size: int, count: int) -> list[str]:
        """Stretches of 12 to 25 words of some of the first passages."""
        random = np.random.default_rng((SEED, size, count))
        wanted = sorted(random.choice(size, min(count, size), replace=False).tolist())
        found, block = [], -1
        for number in wanted:
            if number // _BLOCK != block:
                block = number // _BLOCK
                passages = self.block(block)
            words = _WORD.findall(passages[number % _BLOCK].text)
            length = int(random.integers(12, 26))
            start = int(random.integers(0, len(words) - length))
            found.append(" ".join(words[start : start + length]))
        random.shuffle(found)
        return found


def _joined(sentences: list[list[str]]) -> str:
    return ". ".join(" ".join(words) for words in sentences) + "."


@dataclass(frozen=True)
class Generated:
    """So many generated passages."""

    size: int
    vocabulary: Path

    def documents(self) -> Iterator[Document]:
        return Generator(self.vocabulary).passages(self.size)


@dataclass(frozen=True)
class Corpus:
    """The pages of a store, each as it is indexed."""

    folder: Path

    def documents(self) -> Iterator[Document]:
        with Store.open(self.folder) as store:
            numbers = [number for number, _ in store.digests()]
            for number, page in store.pages_by_number(numbers):
                ((_, fields),) = entries(page)[PAGES]
                yield Document(number, fields["title"], fields["body"], fields["introduction"])


Source = Generated | Corpus


# -- engines -----------------------------------------------------------------------------------------------


class Engine(Protocol):
    """An index of documents on disk; `search` gives the numbers of the best, best first."""

    @staticmethod
    def build(folder: Path, documents: Iterator[Document]) -> None: ...

    @classmethod
    def open(cls, folder: Path) -> Engine: ...

    def search(self, text: str, k: int) -> list[int]: ...


class Veritab:
    """The project's own index of pages; a generated passage is a page without an introduction of its own."""

    BATCH = 20_000  # as `build_index` commits
    WEIGHTS: ClassVar = {"title": 1.5, "body": 1.0}

    def __init__(self, sub_index: SparseIndex) -> None:
        self._index = sub_index

    @staticmethod
    def build(folder: Path, documents: Iterator[Document]) -> None:
        writer = SparseIndexWriter(folder, PAGES)
        while batch := list(islice(documents, Veritab.BATCH)):
            for number, title, text, introduction in batch:
                fields = {"title": title, "introduction": introduction, "body": text}
                writer.add(number, [IndexEntry(LocalId(Kind.TITLE), fields)])
            writer.commit()
        writer.close()

    @classmethod
    def open(cls, folder: Path) -> Veritab:
        return cls(SparseIndex(folder, PAGES))

    def search(self, text: str, k: int) -> list[int]:
        return [found.page for found in self._index.search(text, self.WEIGHTS, k)]


class DrQA:
    """Hashed unigrams and bigrams in a scipy matrix, as DrQA has them."""

    def __init__(self, index: HashedTfidf) -> None:
        self._index = index

    @staticmethod
    def build(folder: Path, documents: Iterator[Document]) -> None:
        pairs = ((str(document.number), f"{document.title}\n{document.text}") for document in documents)
        HashedTfidf.build(pairs).save(folder)

    @classmethod
    def open(cls, folder: Path) -> DrQA:
        return cls(HashedTfidf.load(folder))

    def search(self, text: str, k: int) -> list[int]:
        return [int(id) for found in self._index.search([text], k) for id, _ in found]


class Bm25s:
    """bm25s as its manual shows it, the index mapped from disk, with numba."""

    BACKEND = "numba"

    def __init__(self, index: Any, numbers: Sequence[int]) -> None:
        self._index = index
        self._numbers = numbers

    @classmethod
    def build(cls, folder: Path, documents: Iterator[Document]) -> None:
        bm25s = importlib.import_module("bm25s")
        numbers: list[int] = []
        texts = []
        for document in documents:
            numbers.append(document.number)
            texts.append(f"{document.title}\n{document.text}")
        tokens = bm25s.tokenize(texts, show_progress=False)
        index = bm25s.BM25(backend=cls.BACKEND)
        index.index(tokens, show_progress=False)
        index.save(folder, show_progress=False)
        np.save(folder / "numbers.npy", np.array(numbers, np.int32))

    @classmethod
    def open(cls, folder: Path) -> Bm25s:
        bm25s = importlib.import_module("bm25s")
        index = bm25s.BM25.load(folder, mmap=True, show_progress=False)
        return cls(index, np.load(folder / "numbers.npy", mmap_mode="r"))

    def search(self, text: str, k: int) -> list[int]:
        bm25s = importlib.import_module("bm25s")
        tokens = bm25s.tokenize([text], show_progress=False, return_ids=False)
        places, _ = self._index.retrieve(tokens, k=k, show_progress=False)
        return [int(self._numbers[place]) for place in places[0]]


class Bm25sNumpy(Bm25s):
    """The same without numba: nothing to compile, and slower."""

    BACKEND = "numpy"


class Fts5:
    """SQLite's own full text index, without the texts themselves."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    @staticmethod
    def build(folder: Path, documents: Iterator[Document]) -> None:
        with closing(sqlite3.connect(folder / "fts5.sqlite")) as database, database:
            database.execute("CREATE VIRTUAL TABLE documents USING fts5(title, body, content='')")
            rows = ((document.number, document.title, document.text) for document in documents)
            database.executemany("INSERT INTO documents (rowid, title, body) VALUES (?, ?, ?)", rows)

    @classmethod
    def open(cls, folder: Path) -> Fts5:
        return cls(sqlite3.connect(f"file:{folder / 'fts5.sqlite'}?mode=ro", uri=True))

    def search(self, text: str, k: int) -> list[int]:
        query = "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY bm25(documents, 1.5, 1.0) LIMIT ?"
        terms = " OR ".join(f'"{word}"' for word in _WORD.findall(text))
        return [number for (number,) in self._database.execute(query, (terms, k))]


ENGINES: dict[str, type[Engine]] = {
    "veritab": Veritab,
    "drqa": DrQA,
    "bm25s": Bm25s,
    "bm25s-numpy": Bm25sNumpy,
    "fts5": Fts5,
}


def without_stop_words(text: str) -> str:
    """A query as every engine gets it."""
    found = _WORD.findall(text)
    return " ".join(word for word in found if word.lower() not in STOP_WORDS) or " ".join(found)
