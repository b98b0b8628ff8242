"""TF-IDF as the papers describe it: DrQA's hashed unigrams and bigrams over a corpus, cosines within a few pages.

Both read a text the same way. Its words are those of `veritab.text.words`; an n-gram is dropped when any of its words
is a stop word (for n up to 2 that is: when it begins or ends with one), and none reaches over a punctuation mark
or the end of a line.
"""

from __future__ import annotations

import importlib
import math
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from veritab.errors import DamagedStore, InputError, MissingExtra, NotFound, StaleIndex
from veritab.files import replacing
from veritab.text import STOP_WORDS, nfc, printable, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.integer[Any]]
    Floats = NDArray[np.floating[Any]]

DRQA_BUCKETS = 2**24
FM2_BUCKETS = 2**20
FILE = "tfidf.npz"

_FORMAT = 1
_MOST_BUCKETS = 2**30
# Only true punctuation: Python's idea of a non-word character would cut the words of scripts that write vowel signs.
# A new line is a break too: a title does not run into the text below it.
_PUNCTUATION = re.compile("[\n!-/:-@\\[-`{-~¡§«¶·»¿‐-‧‰-⁞、-〃〈-】]+")
_CHARACTERS_IN_BLOCK = 4_000_000
_CLAIMS_IN_BLOCK = 32


# -- n-grams -----------------------------------------------------------------------------------------------


def ngrams(text: str, longest: int = 2) -> Iterator[str]:
    """The n-grams of a text that carry meaning, words first to last; `longest` is 1 or 2."""
    _check_longest(longest)
    for found in _runs(text):
        yield from (word for word in found if word not in STOP_WORDS)
        if longest == 2:
            yield from (f"{a} {b}" for a, b in pairwise(found) if a not in STOP_WORDS and b not in STOP_WORDS)


def _runs(text: str) -> Iterator[list[str]]:
    """The words of each stretch without a break; claims come as they were typed, so their characters are put right."""
    for run in _PUNCTUATION.split(text):
        yield words(nfc(printable(run)))


def _check_longest(longest: int) -> None:
    if longest not in (1, 2):
        raise InputError(f"n-grams of up to {longest} words are not counted; give 1 (words) or 2 (and pairs of words)")


class _Numbering(dict[str, int]):
    """Gives each new word the next number; the stop words have the first ones, and number 0 also marks a break."""

    def __init__(self) -> None:
        super().__init__((word, number) for number, word in enumerate(sorted(STOP_WORDS)))

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number

    def read(self, text: str) -> list[int]:
        """The words of a text as numbers, with a break after each run."""
        numbers: list[int] = []
        for run in _runs(text):
            numbers += map(self.__getitem__, run)
            numbers.append(0)
        return numbers


class _Bins(NamedTuple):
    """Which bins each text of a block fills and how often, in the order of texts and then of bins."""

    sizes: Integers
    columns: Integers
    counts: Integers


def _fill(texts: Sequence[str], longest: int, buckets: int) -> _Bins:
    """Count the n-grams of some texts by bin; each different n-gram is hashed once."""
    import numpy as np

    numbering = _Numbering()
    read = [numbering.read(text) for text in texts]
    numbers = np.fromiter((number for each in read for number in each), np.int64)
    rows = np.repeat(np.arange(len(read)), [len(each) for each in read])
    names = [word.encode() for word in numbering]
    kept = numbers >= len(STOP_WORDS)
    keys = [rows[kept] * buckets + _hash(names, buckets)[numbers[kept]]]
    if longest == 2:
        kept = kept[:-1] & kept[1:]
        bins = _pair_bins(numbers[:-1][kept], numbers[1:][kept], names, buckets)
        keys.append(rows[:-1][kept] * buckets + bins)
    filled, counts = np.unique(np.concatenate(keys), return_counts=True)
    sizes = np.bincount(filled // buckets, minlength=len(texts))
    return _Bins(sizes, (filled % buckets).astype(np.int32), counts.astype(np.int32))


def _pair_bins(first: Integers, second: Integers, names: Sequence[bytes], buckets: int) -> Integers:
    """The bin of each pair of numbered words."""
    import numpy as np

    pairs, places = np.unique(first * len(names) + second, return_inverse=True)
    numbers = zip((pairs // len(names)).tolist(), (pairs % len(names)).tolist(), strict=True)
    return _hash([names[a] + b" " + names[b] for a, b in numbers], buckets)[places]


# -- hashing -----------------------------------------------------------------------------------------------

_LONG = 48


def _hash(names: Sequence[bytes], buckets: int) -> Integers:
    """The bin of each name: its unsigned MurmurHash3, modulo the number of bins."""
    import numpy as np

    bins = np.empty(len(names), np.int64)
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    # A matrix of names is as wide as the longest: the few long ones get one of their own.
    for some in (np.flatnonzero(lengths <= _LONG), np.flatnonzero(lengths > _LONG)):
        if some.size:
            bins[some] = murmur3([names[place] for place in some.tolist()]) % buckets
    return bins


def murmur3(names: Sequence[bytes]) -> Integers:
    """The unsigned 32-bit MurmurHash3 (seed 0) of each name; names hold no zero bytes."""
    import numpy as np

    lengths = np.fromiter(map(len, names), np.uint32, len(names))
    # One column more than any name fills, so that what is left after its last whole block of four is always there.
    width = (int(lengths.max(initial=0)) // 4 + 1) * 4
    blocks = np.array(names, dtype=f"S{width}").view("<u4").reshape(len(names), width // 4).astype(np.uint32)
    whole = lengths // 4
    state = np.zeros(len(names), np.uint32)
    for number in range(width // 4 - 1):
        mixed = _rotate(state ^ _mix(blocks[:, number]), 13) * np.uint32(5) + np.uint32(0xE6546B64)
        state = np.where(whole > number, mixed, state)
    state ^= _mix(blocks[np.arange(len(names)), whole])
    state ^= lengths
    state = (state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    state = (state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return state ^ (state >> np.uint32(16))


def _mix(block: NDArray[np.uint32]) -> NDArray[np.uint32]:
    import numpy as np

    return _rotate(block * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)


def _rotate(value: NDArray[np.uint32], by: int) -> NDArray[np.uint32]:
    import numpy as np

    return (value << np.uint32(by)) | (value >> np.uint32(32 - by))


# -- over a corpus -----------------------------------------------------------------------------------------


class HashedTfidf:
    """DrQA's index: documents as bins of hashed n-grams, weighed log(tf + 1) * idf, compared by their dot product.

    `idf = log((N - Nt + 0.5) / (Nt + 0.5))`, never below zero: what half of the documents hold counts for nothing.
    """

    def __init__(
        self,
        ids: Sequence[str],
        bins: Integers,
        idf: Floats,
        starts: Integers,
        documents: Integers,
        weights: Floats,
        *,
        buckets: int,
        longest: int,
        made_from: str = "",
    ) -> None:
        """From its parts; `build` and `load` are how to get one. Bins that no document fills are left out."""
        self.ids = tuple(ids)
        self.made_from = made_from
        self.buckets = buckets
        self.longest = longest
        self._bins = bins
        self._idf = idf
        shape = (len(bins), len(self.ids))
        self._matrix = _sparse().csr_array((weights, documents, starts), shape=shape)

    @classmethod
    def build(
        cls,
        documents: Iterable[tuple[str, str]],
        *,
        buckets: int = DRQA_BUCKETS,
        longest: int = 2,
        made_from: str = "",
    ) -> HashedTfidf:
        """Index (id, text) pairs, read once and in blocks, so that a caller can count them as they go by.

        `made_from` is kept with the index, to tell later whether it still belongs to its corpus.
        """
        _check_longest(longest)
        if not 0 < buckets <= _MOST_BUCKETS:
            raise InputError(f"cannot hash into {buckets} buckets; give 1 to {_MOST_BUCKETS}, such as {DRQA_BUCKETS}")
        _sparse()  # before the work, not after it
        ids: list[str] = []
        filled = [_fill(block, longest, buckets) for block in _blocks(documents, ids)]
        return cls(ids, *_weigh(filled, buckets), buckets=buckets, longest=longest, made_from=made_from)

    def __len__(self) -> int:
        return len(self.ids)

    def search(self, texts: Sequence[str], k: int) -> Iterator[list[tuple[str, float]]]:
        """For each text the best documents and their scores, best first, ties by id; those that share nothing never."""
        if k < 1:
            raise InputError(f"cannot find the best {k} documents; ask for 1 or more")
        for start in range(0, len(texts), _CLAIMS_IN_BLOCK):
            scores = self._vectors(texts[start : start + _CLAIMS_IN_BLOCK]) @ self._matrix
            for begin, end in pairwise(scores.indptr):
                yield self._best(scores.indices[begin:end], scores.data[begin:end], k)

    def _vectors(self, texts: Sequence[str]) -> Any:
        """Texts as rows over the bins that some document fills."""
        import numpy as np

        sizes, columns, counts = _fill(texts, self.longest, self.buckets)
        places = np.searchsorted(self._bins, columns)
        known = places < len(self._bins)
        known[known] = self._bins[places[known]] == columns[known]
        rows = np.repeat(np.arange(len(texts)), sizes)[known]
        starts = np.searchsorted(rows, np.arange(len(texts) + 1))
        places = places[known]
        weights = np.log1p(counts[known], dtype=np.float32) * self._idf[places]
        # Numbers as wide as the matrix's own, or scipy copies the whole matrix for every search.
        wide = self._matrix.indices.dtype
        shape = (len(texts), len(self._bins))
        return _sparse().csr_array((weights, places.astype(wide), starts.astype(wide)), shape=shape)

    def _best(self, documents: Integers, scores: Floats, k: int) -> list[tuple[str, float]]:
        import numpy as np

        if len(scores) > k:
            least = np.partition(scores, len(scores) - k)[len(scores) - k]
            kept = scores >= least  # all that tie for the last place: their ids decide
            documents, scores = documents[kept], scores[kept]
        found = [(self.ids[document], score) for document, score in zip(documents, scores.tolist(), strict=True)]
        return sorted(found, key=lambda entry: (-entry[1], entry[0]))[:k]

    # -- on disk --

    def save(self, folder: Path) -> None:
        """Write the index to a folder; the file appears when all is written, and equal indexes are equal bytes."""
        import numpy as np

        folder.mkdir(parents=True, exist_ok=True)
        ids = [id.encode() for id in self.ids]
        with replacing(folder / FILE) as file:
            np.savez(
                file,
                about=np.array((_FORMAT, self.buckets, self.longest), np.int64),
                made_from=np.frombuffer(self.made_from.encode(), np.uint8),
                ids=np.frombuffer(b"".join(ids), np.uint8),
                id_lengths=np.fromiter(map(len, ids), np.int64, len(ids)),
                bins=self._bins,
                idf=self._idf,
                starts=self._matrix.indptr,
                documents=self._matrix.indices,
                weights=self._matrix.data,
            )

    @classmethod
    def load(cls, folder: Path) -> HashedTfidf:
        """The index that was saved to a folder."""
        file = folder / FILE
        if not file.is_file():
            raise NotFound(f"no TF-IDF index in {str(folder)!r}; build one and save it there")
        try:
            parts = _read(file)
            _check_parts(parts)
            ids = _cut(parts["ids"].tobytes(), parts["id_lengths"].tolist())
        # What numpy and zipfile raise over a file that is cut short, overwritten or of another program.
        except (zipfile.BadZipFile, zlib.error, ValueError, KeyError, EOFError, OSError, RuntimeError) as error:
            raise DamagedStore(f"{str(file)!r} is no TF-IDF index, or damaged ({error}); build it again") from None
        _, buckets, longest = parts["about"].tolist()
        arrays = (parts[name] for name in ("bins", "idf", "starts", "documents", "weights"))
        made_from = parts["made_from"].tobytes().decode()
        return cls(ids, *arrays, buckets=buckets, longest=longest, made_from=made_from)


def _sparse() -> Any:
    try:
        return importlib.import_module("scipy.sparse")
    except ImportError:
        raise MissingExtra("DrQA's hashed TF-IDF", "evaluate") from None


def _blocks(documents: Iterable[tuple[str, str]], ids: list[str]) -> Iterator[list[str]]:
    """Texts in blocks of bounded size; their ids are added to `ids` as they are read."""
    block: list[str] = []
    size = 0
    for id, text in documents:
        ids.append(id)
        block.append(text)
        size += len(text)
        if size >= _CHARACTERS_IN_BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def _weigh(filled: list[_Bins], buckets: int) -> tuple[Integers, Floats, Integers, Integers, Floats]:
    """The filled bins, their idf, and the weights of documents by bin; empties the list to save memory."""
    import numpy as np

    sizes = np.concatenate([np.zeros(1, np.int64), *(block.sizes for block in filled)])
    columns = np.concatenate([np.zeros(0, np.int32), *(block.columns for block in filled)])
    counts = np.concatenate([np.zeros(0, np.int32), *(block.counts for block in filled)])
    filled.clear()
    number = len(sizes) - 1
    by_document = _sparse().csr_array((counts, columns, np.cumsum(sizes)), shape=(number, buckets))
    by_bin = by_document.tocsc()
    del by_document, columns, counts
    held = np.diff(by_bin.indptr)
    # A bin that every second document fills weighs nothing: it is left out, together with the empty ones.
    useful = (held > 0) & (2 * held < number)
    kept = np.repeat(useful, held)
    bins = np.flatnonzero(useful).astype(np.int32)
    held = held[bins]
    idf = np.log((number - held + 0.5) / (held + 0.5)).astype(np.float32)
    weights = np.log1p(by_bin.data[kept], dtype=np.float32)
    weights *= np.repeat(idf, held)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(held)])
    # scipy widens both when one is wide, and half of the memory is theirs.
    small = np.int32 if starts[-1] < 2**31 else np.int64
    return bins, idf, starts.astype(small), by_bin.indices[kept].astype(small), weights


_PARTS = {
    "about": "i",
    "made_from": "u",
    "ids": "u",
    "id_lengths": "i",
    "bins": "i",
    "idf": "f",
    "starts": "i",
    "documents": "i",
    "weights": "f",
}


def _read(file: Path) -> dict[str, Any]:
    """The arrays of an index file; never objects, which could run code."""
    import numpy as np

    with file.open("rb") as stream:
        archive = np.load(stream, allow_pickle=False)
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise ValueError("a single array")
        return {name: archive[name] for name in _PARTS}


def _check_parts(parts: dict[str, Any]) -> None:
    """Whatever would make a search crash or answer wrongly is found when the file is read."""
    import numpy as np

    for name, kind in _PARTS.items():
        if parts[name].ndim != 1 or parts[name].dtype.kind != kind:
            raise ValueError(f"{name} is not a row of numbers")
    bins, starts, documents = parts["bins"], parts["starts"], parts["documents"]
    format, buckets, longest = parts["about"].tolist()
    if format != _FORMAT:
        raise StaleIndex(f"the TF-IDF index has format {format}, this Veritab reads {_FORMAT}; build it again")
    sound = (
        longest in (1, 2)
        and 0 < buckets <= _MOST_BUCKETS
        and len(bins) == len(parts["idf"]) == len(starts) - 1
        and len(documents) == len(parts["weights"]) == starts[-1]
        and starts[0] == 0
        and parts["id_lengths"].min(initial=0) >= 0
        and parts["id_lengths"].sum() == len(parts["ids"])
        and bool(np.all(np.diff(starts) >= 0) and np.all(np.diff(bins) > 0))
        and bins.min(initial=0) >= 0
        and bins.max(initial=0) < buckets
        and documents.min(initial=0) >= 0
        and documents.max(initial=-1) < len(parts["id_lengths"])
    )
    if not sound:
        raise ValueError("its parts do not fit together")


def _cut(data: bytes, lengths: Iterable[int]) -> list[str]:
    cut, start = [], 0
    for length in lengths:
        cut.append(data[start : start + length].decode())
        start += length
    return cut


# -- within a few pages ------------------------------------------------------------------------------------


def similarities(query: str, texts: Sequence[str], longest: int = 1) -> list[float]:
    """The cosine of each text with a query, weights being log(tf + 1) * (log((1 + N) / (1 + Nt)) + 1).

    DrQA's idf must not be used here: what a page is about stands in most of its sentences, and a word that half of
    the texts hold would weigh nothing, which empties the ranking. This one is never below 1. Nothing is hashed:
    bins only save memory, and a few pages need none.
    """
    return TextWeights(texts, longest).similarities(query)


class TextWeights:
    """The texts that `similarities` compares, weighed once for many queries."""

    def __init__(self, texts: Sequence[str], longest: int = 1) -> None:
        bags = [Counter(ngrams(text, longest)) for text in texts]
        held = Counter(gram for bag in bags for gram in bag)
        self._longest = longest
        self._unheld = math.log(1 + len(texts)) + 1
        self._idf = {gram: math.log((1 + len(texts)) / (1 + times)) + 1 for gram, times in held.items()}
        self._weights = [{gram: math.log1p(n) * self._idf[gram] for gram, n in bag.items()} for bag in bags]
        self._sizes = [math.hypot(*weights.values()) for weights in self._weights]

    def similarities(self, query: str) -> list[float]:
        """The cosine of each text with a query."""
        counts = Counter(ngrams(query, self._longest))
        wanted = {gram: math.log1p(times) * self._idf.get(gram, self._unheld) for gram, times in counts.items()}
        size = math.hypot(*wanted.values())
        return [_cosine(wanted, size, *each) for each in zip(self._weights, self._sizes, strict=True)]


def _cosine(wanted: dict[str, float], size: float, weights: dict[str, float], own_size: float) -> float:
    shared = math.fsum(weight * weights[gram] for gram, weight in wanted.items() if gram in weights)
    return shared / (size * own_size) if shared else 0.0
