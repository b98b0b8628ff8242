"""A TF-IDF index of texts in memory: small, exact and deterministic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from veritab.text import STOP_WORDS, words

# A word in more than this share of the texts is left out.
_TOO_COMMON = 0.1


class TfidfIndex:
    """TF-IDF with the cosine, over texts that are numbered in their order."""

    def __init__(self, texts: Iterable[str]) -> None:
        postings: dict[str, list[int]] = {}
        times: dict[str, list[int]] = {}
        self.size = 0
        for number, text in enumerate(texts):
            self.size += 1
            for word, count in Counter(words(text)).items():
                if word not in STOP_WORDS:
                    postings.setdefault(word, []).append(number)
                    times.setdefault(word, []).append(count)
        most = max(_TOO_COMMON * self.size, 10)
        kept = [word for word, places in postings.items() if len(places) <= most]
        self._rare = {word: log(1 + self.size / len(postings[word])) for word in kept}
        self._places = {word: np.array(postings[word], np.int32) for word in kept}
        self._weights = {
            word: ((1 + np.log(np.array(times[word]))) * self._rare[word]).astype(np.float32) for word in kept
        }
        length = np.zeros(self.size, np.float32)
        for word in kept:
            length[self._places[word]] += self._weights[word] ** 2
        self._length = np.sqrt(np.maximum(length, 1e-6)).astype(np.float32)

    def scores(self, query: str) -> NDArray[np.float32]:
        """The cosine of each text with the query, up to the length of the query."""
        found = np.zeros(self.size, np.float32)
        for word in dict.fromkeys(words(query)):
            if word in self._rare:
                found[self._places[word]] += self._rare[word] * self._weights[word]
        nearness: NDArray[np.float32] = found / self._length
        return nearness

    def best(self, query: str, count: int, without: Sequence[int] = ()) -> list[int]:
        """The numbers of the most similar texts, best first; ties by number."""
        scores = self.scores(query)
        scores[list(without)] = 0
        candidates = np.flatnonzero(scores)
        if len(candidates) > count:
            least = np.partition(scores[candidates], -count)[-count]
            candidates = candidates[scores[candidates] >= least]
        order = np.lexsort((candidates, -scores[candidates]))
        return [int(number) for number in candidates[order][:count]]
