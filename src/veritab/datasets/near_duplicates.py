"""Texts that say nearly the same in nearly the same words, found among hundreds of thousands.

Two texts are as near as the words and pairs of neighbouring words they share: the number that both have, divided by
the number that either has. No pair at or above the threshold is missed. Texts that share enough must share one of
their few rarest pieces, so only those are looked up (prefix filtering): it is exact, and for texts as short as claims
also cheaper than the estimates of MinHash.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import TypeAlias

from veritab.errors import InputError
from veritab.text import squeeze, words

NearDuplicate: TypeAlias = tuple[int, int, float]
"""The places of two texts, and how near they are."""
_Pieces: TypeAlias = tuple[int, ...]
"""What a text is made of, by number, the rarest first."""

# Products of thresholds and sizes are whole numbers more often than floating point says.
_TINY = 1e-9


def near_duplicates(
    texts: Sequence[str], other: Sequence[str] | None = None, threshold: float = 0.8
) -> list[tuple[int, int, float]]:
    """Pairs of near-identical texts by their places, ascending, with how near they are (1: the same words and pairs).

    Alone, each pair is of two places in `texts`, the earlier first; with `other`, of a place here and a place there.
    A text that is written several times in `texts` is paired by its first place only, and its repetitions with that.
    """
    if not 0 < threshold <= 1:
        raise InputError(f"a threshold is above 0 and at most 1, not {threshold!r}; 0.8 finds near-identical claims")
    every = _in_pieces(chain(texts, other or ()))
    here, there = every[: len(texts)], every[len(texts) :]
    first: dict[_Pieces, int] = {}
    pairs: list[NearDuplicate] = []
    for place, pieces in enumerate(here):
        earlier = first.setdefault(pieces, place)
        if other is None and earlier != place:
            pairs.append((earlier, place, 1.0))
    index = _Index(threshold)
    if other is None:
        for pieces, place in first.items():
            pairs.extend((near, place, how) for near, how in index.near(pieces))
            index.add(place, pieces)
    else:
        for pieces, place in first.items():
            index.add(place, pieces)
        for place, pieces in enumerate(there):
            pairs.extend((near, place, how) for near, how in index.near(pieces))
    return sorted(pairs)


def _in_pieces(texts: Iterator[str]) -> list[_Pieces]:
    """Every text as the numbers of its words and pairs; what is rare among all texts has a low number."""
    numbers: dict[str, int] = {}
    split = [tuple({numbers.setdefault(piece, len(numbers)) for piece in _shingles(text)}) for text in texts]
    counts = Counter(chain.from_iterable(split))
    # The sort is stable, so among equals the first to come has the lower number: the same texts give the same order.
    rank = {number: place for place, number in enumerate(sorted(numbers.values(), key=counts.__getitem__))}
    return [tuple(sorted(rank[number] for number in each)) for each in split]


def _shingles(text: str) -> Iterator[str]:
    found = words(text) or [squeeze(text)]
    return chain(found, map(" ".join, pairwise(found)))


class _Index:
    """Texts by their rarest pieces."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._places: defaultdict[int, list[int]] = defaultdict(list)
        self._known: dict[int, _Pieces] = {}

    def add(self, place: int, pieces: _Pieces) -> None:
        self._known[place] = pieces
        for piece in self._rarest(pieces):
            self._places[piece].append(place)

    def near(self, pieces: _Pieces) -> Iterator[tuple[int, float]]:
        size, wanted = len(pieces), frozenset(pieces)
        for place in {place for piece in self._rarest(pieces) for place in self._places.get(piece, ())}:
            known = self._known[place]
            if min(size, len(known)) < self._threshold * max(size, len(known)) - _TINY:
                continue
            shared = len(wanted.intersection(known))
            how = shared / (size + len(known) - shared)
            if how >= self._threshold:
                yield place, how

    def _rarest(self, pieces: _Pieces) -> _Pieces:
        """As many pieces as leave too few behind to be near anything that has none of these."""
        needed = math.ceil(self._threshold * len(pieces) - _TINY)
        return pieces[: len(pieces) - needed + 1]
