"""Vocabularies and sparse features: the most frequent words of texts, and a sparse row for each text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np
import torch
from numpy.typing import NDArray

from veritab.text import words


class EmbeddingBags(NamedTuple):
    """Some rows as the inputs of `EmbeddingBag`: all columns, the offset of each row, the weights."""

    columns: torch.Tensor
    begins: torch.Tensor
    weights: torch.Tensor


class SparseRows:
    """A sparse matrix: for each text the non-zero columns and their values."""

    def __init__(self, rows: Sequence[Mapping[int, float]]) -> None:
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        self._ends = np.cumsum(lengths)
        self._begins = self._ends - lengths
        self._columns = np.fromiter((column for row in rows for column in row), dtype=np.int64)
        self._values = np.fromiter((value for row in rows for value in row.values()), dtype=np.float32)

    def __len__(self) -> int:
        return len(self._ends)

    def bags(self, places: NDArray[np.int64]) -> EmbeddingBags:
        """The rows at these places, in this order."""
        begins, lengths = self._begins[places], self._ends[places] - self._begins[places]
        firsts = np.cumsum(lengths) - lengths
        taken = np.arange(lengths.sum()) + np.repeat(begins - firsts, lengths)
        return EmbeddingBags(*map(torch.from_numpy, (self._columns[taken], firsts, self._values[taken])))


def most_frequent(texts: Iterable[Iterable[str]], most: int, *, at_least: int = 1) -> dict[str, int]:
    """The most frequent words and their numbers, the most frequent first; words as frequent as each other by name."""
    counts = Counter(word for text in texts for word in text)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
    return {word: number for number, (word, count) in enumerate(ranked) if count >= at_least}


def grams(text: str) -> list[str]:
    """The unigrams and bigrams of a text."""
    single = words(text)
    return [*single, *(f"{one} {other}" for one, other in pairwise(single))]


def hash_bucket(word: str, buckets: int) -> int:
    """The place of a word among this many; the same in every process, as Python's own hash is not."""
    return crc32(word.encode("utf-8")) % buckets
