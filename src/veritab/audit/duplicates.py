"""Duplicates and near-duplicates: within a data set, and leaks between two that should share nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import dropwhile
from typing import NamedTuple

from veritab.audit.audit_rows import AuditRow
from veritab.datasets.near_duplicates import near_duplicates
from veritab.text import STOP_WORDS, words

NEAR_DUPLICATE = 0.8
_MOST_LISTED = 10


class DuplicatePair(NamedTuple):
    """Two claims that are equal or nearly so; `similarity` is 1 where they have the same words in the same order."""

    first: AuditRow
    second: AuditRow
    similarity: float

    @property
    def disagree(self) -> bool:
        """Whether their labels differ."""
        return None not in (self.first.label, self.second.label) and self.first.label != self.second.label


class DuplicateStatistics(NamedTuple):
    """How many claims of a data set duplicate another, exactly or nearly, and how often their labels differ."""

    claims: int
    same: int
    """Claims beyond the first of each text."""
    same_disagreeing: int
    """Texts that have several labels."""
    near: int
    """Claims that have a near-duplicate with other words."""
    near_disagreeing: int
    """Pairs of those with different labels; minimal pairs show here, and are not an error."""
    examples: tuple[DuplicatePair, ...]


def find_duplicates(rows: Sequence[AuditRow]) -> DuplicateStatistics:
    """Claims with the same words, whatever their case and punctuation, and claims that share nearly all words."""
    by_text = _by_text(rows)
    kept = [found[0] for found in by_text.values()]
    near = [
        DuplicatePair(kept[a], kept[b], how)
        for a, b, how in near_duplicates([row.text for row in kept], threshold=NEAR_DUPLICATE)
    ]
    same = [DuplicatePair(found[0], other, 1.0) for found in by_text.values() for other in found[1:]]
    return DuplicateStatistics(
        len(rows),
        len(rows) - len(kept),
        sum(len({row.label for row in found} - {None}) > 1 for found in by_text.values()),
        len({id(row) for pair in near for row in pair[:2]}),
        sum(pair.disagree for pair in near),
        _worst_first([*same, *near]),
    )


def _by_text(rows: Iterable[AuditRow]) -> dict[str, list[AuditRow]]:
    by_text: defaultdict[str, list[AuditRow]] = defaultdict(list)
    for row in rows:
        by_text[normalise_words(row.text)].append(row)
    return by_text


def normalise_words(text: str) -> str:
    """A text without case, accents and punctuation; unchanged where it has no words."""
    return " ".join(words(text)) or text


def _worst_first(pairs: Iterable[DuplicatePair]) -> tuple[DuplicatePair, ...]:
    """Those whose labels differ first, then the most similar."""
    return tuple(sorted(pairs, key=lambda pair: (not pair.disagree, -pair.similarity))[:_MOST_LISTED])


# -- between two data sets ---------------------------------------------------------------------------------


class Leakage(NamedTuple):
    """What a data set shares with another, each as a number of its own claims; None where neither set says."""

    claims: int
    same: int
    same_disagreeing: int
    near: int
    pages: int | None
    names: int | None
    shared_pages: tuple[str, ...]
    shared_names: tuple[str, ...]
    examples: tuple[DuplicatePair, ...]


def find_leaks(rows: Sequence[AuditRow], other: Sequence[AuditRow]) -> Leakage:
    """Claims, pages and names of a data set that another one has too."""
    there = _by_text(other)
    fresh, same = [], []
    for text, found in _by_text(rows).items():
        if text in there:
            same += [DuplicatePair(row, there[text][0], 1.0) for row in found]
        else:
            fresh += found
    others = [found[0] for found in there.values()]
    texts = [row.text for row in fresh], [row.text for row in others]
    near = [
        DuplicatePair(fresh[here], others[place], how)
        for here, place, how in near_duplicates(*texts, threshold=NEAR_DUPLICATE)
    ]
    pages, shared_pages = _shared([row.pages for row in rows], [row.pages for row in other])
    names, shared_names = _shared([names_in(row.text) for row in rows], [names_in(row.text) for row in other])
    return Leakage(
        len(rows),
        len(same),
        sum(pair.disagree for pair in same),
        len({id(pair.first) for pair in near}),
        pages,
        names,
        shared_pages,
        shared_names,
        _worst_first([*same, *near]),
    )


def _shared(here: Sequence[Sequence[str]], there: Sequence[Sequence[str]]) -> tuple[int | None, tuple[str, ...]]:
    """How many claims have a name that the other set has too, and the names that are shared most often."""
    known = {name for names in there for name in names}
    if not known or not any(here):
        return None, ()
    often: defaultdict[str, int] = defaultdict(int)
    for names in here:
        for name in known.intersection(names):
            often[name] += 1
    most = sorted(often, key=lambda name: (-often[name], name))
    return sum(not known.isdisjoint(names) for names in here), tuple(most[:_MOST_LISTED])


_CAPITALS = re.compile(r"\b[A-Z][\w'’.-]*(?:\s+(?:(?:of|the|and|de|von|van|la)\s+){0,2}[A-Z0-9][\w'’.-]*)*")


def names_in(claim: str) -> tuple[str, ...]:
    """The names in a claim, as far as capitals show them: each once, in lower case, without what ends the sentence."""
    found: dict[str, None] = {}
    for match in _CAPITALS.finditer(claim):
        name = words(match[0])
        if match.start() == 0:
            # A sentence begins with a capital whatever it begins with, so a lone word there may be any word.
            name = list(dropwhile(STOP_WORDS.__contains__, name)) if len(name) > 1 else []
        if not STOP_WORDS.issuperset(name):
            found[" ".join(name)] = None
    return tuple(found)
