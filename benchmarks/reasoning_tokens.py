"""Pairs of claim and evidence as token numbers: what `reasoning_reader prepare` writes and `train` reads.

A file holds several named sets. Sets called train/NAME are trained on, all others are only measured. Numpy is all that
this needs, so that training runs where Veritab is not installed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

TRAIN = "train/"
BUCKETS = 1000
"""Tables and pages fall into this many groups, by their names; holding out a tenth is holding out a tenth of them."""
SUPPORTS, REFUTES, NOT_ENOUGH = range(3)
PADDING = 1
"""What fills short rows; the number of this encoder's padding token."""
_ALIGNED = 16
"""Rows are as long as a multiple of this; the fast attention of graphics cards asks for 8."""


class Tokens(NamedTuple):
    """The pairs of one set, one after the other: pair i has the next `lengths[i]` of `ids`."""

    ids: NDArray[np.uint16]
    lengths: NDArray[np.int64]
    labels: NDArray[np.int64]
    buckets: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], labels: Sequence[int], buckets: Sequence[int]) -> Tokens:
        ids = np.array([number for row in rows for number in row], dtype=np.uint16)
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        return cls(ids, lengths, np.array(labels, dtype=np.int64), np.array(buckets, dtype=np.int64))

    def chosen(self, index: NDArray[np.int64]) -> Tokens:
        """The pairs with these numbers, in this order."""
        ends = np.cumsum(self.lengths)
        rows = [self.ids[ends[i] - self.lengths[i] : ends[i]] for i in index.tolist()]
        ids = np.concatenate(rows) if rows else self.ids[:0]
        return Tokens(ids, self.lengths[index], self.labels[index], self.buckets[index])


def bucket(name: str) -> int:
    """The group that a table or a page falls into, the same wherever it is met."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % BUCKETS


def held_out(tokens: Tokens, share: float) -> NDArray[np.bool_]:
    """Which pairs belong to the tables and pages that training does not see."""
    return tokens.buckets < round(share * BUCKETS)


def joined(sets: Iterable[Tokens]) -> Tokens:
    """Several sets as one."""
    columns = zip(*sets, strict=True)
    return Tokens(*(np.concatenate(column) for column in columns))


def write(path: Path, sets: Mapping[str, Tokens]) -> None:
    """Keep sets in a file, in as few bytes as is easy."""
    arrays: dict[str, Any] = {}
    for name, tokens in sets.items():
        arrays[f"{name}/ids"] = tokens.ids
        arrays[f"{name}/lengths"] = tokens.lengths.astype(np.uint16)
        arrays[f"{name}/labels"] = tokens.labels.astype(np.uint8)
        arrays[f"{name}/buckets"] = tokens.buckets.astype(np.uint16)
    np.savez_compressed(path, **arrays)


def read(paths: Iterable[Path]) -> dict[str, Tokens]:
    """The sets of some files; of two sets with one name the later counts."""
    sets = {}
    for path in paths:
        with np.load(path) as arrays:
            for name in sorted({key.rpartition("/")[0] for key in arrays}):
                ids, *others = (arrays[f"{name}/{field}"] for field in Tokens._fields)
                sets[name] = Tokens(ids, *(column.astype(np.int64) for column in others))
    return sets


class Rectangle(NamedTuple):
    """Pairs of similar length, filled up to one length."""

    pairs: NDArray[np.int64]
    ids: NDArray[np.int64]
    labels: NDArray[np.int64]


class Rectangles:
    """Cuts sets into what an encoder takes at once."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._ends = np.cumsum(tokens.lengths)

    def filled(self, index: NDArray[np.int64]) -> Rectangle:
        """These pairs, as one rectangle."""
        lengths = self._tokens.lengths[index]
        width = -(-int(lengths.max()) // _ALIGNED) * _ALIGNED
        ids = np.full((len(index), width), PADDING, dtype=np.int64)
        for row, end, length in zip(ids, self._ends[index].tolist(), lengths.tolist(), strict=True):
            row[:length] = self._tokens.ids[end - length : end]
        return Rectangle(index, ids, self._tokens.labels[index])

    def step(self, index: NDArray[np.int64]) -> Iterator[Rectangle]:
        """The pairs of one step: the short and the long apart, cut where that leaves the least to fill.

        A step mixes all sets. Sorting pairs into steps by length would leave few tables beside the sentences.
        """
        index = index[np.argsort(self._tokens.lengths[index], kind="stable")]
        lengths = self._tokens.lengths[index]
        cost = np.arange(1, len(index) + 1) * lengths + np.arange(len(index) - 1, -1, -1) * lengths[-1]
        cut = int(cost.argmin()) + 1
        yield from (self.filled(part) for part in (index[:cut], index[cut:]) if len(part))

    def sorted(self, size: int) -> Iterator[Rectangle]:
        """All pairs, those of similar length together."""
        index = np.argsort(self._tokens.lengths, kind="stable")
        yield from (self.filled(index[start : start + size]) for start in range(0, len(index), size))
