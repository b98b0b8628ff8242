"""Words and pairs of words of many claims, as numbers: read once, counted as often as there are questions.

Words are cut as in the analysis of Fool Me Twice: lower case, and every punctuation mark a word of its own. With that,
and only with that, its published list of telling pairs comes out.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import bool_, int64
    from numpy.typing import NDArray

_WORD = re.compile(r"\w+|[^\w\s]")


def tokenise(text: str) -> list[str]:
    """The words of a claim and its punctuation marks, in lower case."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True, eq=False)
class Ngrams:
    """Every occurrence of something in a claim: which claim, and which thing, both by number.

    Things are numbered in the order in which they first come, so that the sorting of equals is by that too.
    """

    names: Sequence[str]
    claim: NDArray[int64]
    thing: NDArray[int64]

    @cached_property
    def once(self) -> Ngrams:
        """The same with each thing once a claim."""
        import numpy

        many = max(len(self.names), 1)
        # Sorting is several times as fast here as numpy.unique, which hashes.
        pairs = numpy.sort(self.claim * many + self.thing)
        pairs = pairs[numpy.concatenate(([True], pairs[1:] != pairs[:-1]))] if len(pairs) else pairs
        return Ngrams(self.names, pairs // many, pairs % many)

    def only(self, wanted: NDArray[bool_]) -> Ngrams:
        """The occurrences of some of the things, which are numbered anew."""
        import numpy

        kept = wanted[self.thing]
        names = [name for name, is_wanted in zip(self.names, wanted.tolist(), strict=True) if is_wanted]
        return Ngrams(names, self.claim[kept], (numpy.cumsum(wanted) - 1)[self.thing[kept]])

    def of(self, claims: Sequence[int], among: int) -> Ngrams:
        """The occurrences in some of so many claims, which are numbered anew in the order given."""
        import numpy

        if len(claims) == among:
            return self
        place = numpy.full(among, -1)
        place[numpy.asarray(claims, dtype=numpy.int64)] = numpy.arange(len(claims))
        kept = place[self.claim] >= 0
        return Ngrams(self.names, place[self.claim[kept]], self.thing[kept])


def count_ngrams(texts: Iterable[str]) -> tuple[Ngrams, Ngrams]:
    """The words of texts, and their pairs of neighbouring words."""
    import numpy

    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    things, lengths = array("q"), array("q")
    for text in texts:
        found = tokenise(text)
        lengths.append(len(found))
        things.extend([numbers[word] for word in found])
    thing = numpy.frombuffer(things, dtype=numpy.int64) if things else numpy.zeros(0, dtype=numpy.int64)
    claim = numpy.repeat(numpy.arange(len(lengths)), numpy.asarray(lengths, dtype=numpy.int64))
    words = Ngrams(list(numbers), claim, thing)
    return words, _pairs(words)


def _pairs(words: Ngrams) -> Ngrams:
    import numpy

    together = words.claim[:-1] == words.claim[1:]
    codes = (words.thing[:-1] * len(words.names) + words.thing[1:])[together]
    distinct, first, thing = numpy.unique(codes, return_index=True, return_inverse=True)
    order = numpy.argsort(first, kind="stable")
    place = numpy.empty_like(order)
    place[order] = numpy.arange(len(order))
    halves = (divmod(code, len(words.names)) for code in distinct[order].tolist())
    names = [f"{words.names[left]} {words.names[right]}" for left, right in halves]
    return Ngrams(names, words.claim[:-1][together], place[thing])


def count_features(claims: Iterable[Iterable[str]]) -> Ngrams:
    """Whatever else claims have, such as kinds of evidence, to be counted in the same way."""
    import numpy

    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    found = [(number, numbers[name]) for number, names in enumerate(claims) for name in names]
    claim, thing = numpy.array(found, dtype=numpy.int64).reshape(-1, 2).T
    return Ngrams(list(numbers), claim, thing)
