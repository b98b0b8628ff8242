"""Cue words: the words of a claim that ask for a computation, by the name of the computation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from veritab.lexicon.comparison import is_comparative
from veritab.lexicon.cues import CUE_PHRASES, CUE_WORDS
from veritab.text import stem


def _by_word(lists: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, listed in lists.items():
        for word in map(stem, listed.split()):
            found[word] = (*found.get(word, ()), name)
    return found


_NAMES = _by_word(CUE_WORDS)
_PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in CUE_PHRASES.items())


def is_meant(stems: Sequence[str], place: int) -> bool:
    """Whether a word has its usual meaning, unlike the "least" of "at least" and the "no" of "no more than"."""
    word = stems[place]
    before = stems[place - 1] if place else ""
    after = stems[place + 1] if place + 1 < len(stems) else ""
    if word == "no":
        return not after[:1].isdigit() and not is_comparative(after)
    if word in ("most", "least"):
        return before != "at" and (word == "least" or (after != "of" and place > 0))
    return True


def find_cues(stems: Sequence[str]) -> frozenset[str]:
    """The names of the computations that the words of a claim may ask for."""
    found = {name for place, word in enumerate(stems) if is_meant(stems, place) for name in _NAMES.get(word, ())}
    line = " ".join(word for place, word in enumerate(stems) if word != "no" or is_meant(stems, place))
    found.update(name for name, pattern in _PATTERNS if pattern.search(line))
    return frozenset(found)
