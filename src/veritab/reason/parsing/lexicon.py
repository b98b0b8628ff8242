"""Which way words point: "taller" up and "older" back in time, "fastest" to the shortest time."""

from __future__ import annotations

from functools import lru_cache

from veritab.reason.words import root

# -- which way words point ---------------------------------------------------------------------------------

# Words for much and little, for late and early; those for fast and slow point the other way where times are measured.
_UP = "high tall long large big great heavy massive deep wide broad thick dense strong bright hot warm rich expensive"
_UP += " costly populous much many far distant good loud common frequent abundant valuable powerful successful senior"
_DOWN = "low short small little light shallow narrow thin weak faint cold cool poor cheap few near close rare bad"
_LATE, _EARLY = "late new recent young modern", "early old ancient"
_FAST, _SLOW = "fast quick swift", "slow"
_IRREGULAR = {
    "most": "many", "more": "many", "least": "few", "less": "few", "fewer": "few", "best": "good",
    "better": "good", "worst": "bad", "worse": "bad", "furthest": "far", "further": "far", "farthest": "far",
    "farther": "far", "maximum": "high", "max": "high", "peak": "high", "top": "high", "record": "high",
    "minimum": "low", "min": "low", "bottom": "low", "elder": "old", "eldest": "old", "first": "early", "last": "late",
    "latest": "late", "later": "late", "latter": "late", "final": "late", "initial": "early", "ahead": "many",
    "behind": "few", "nearer": "near", "nearest": "near", "before": "early", "after": "late", "prior": "early",
    "predate": "early", "predated": "early", "precede": "early", "preceded": "early", "follow": "late",
    "followed": "late", "outnumber": "many", "exceed": "many", "exceeded": "many", "surpassed": "many",
    "outscored": "many", "beat": "many", "above": "high", "below": "low", "earlier": "early", "earliest": "early",
    "majority": "many", "outweigh": "heavy", "since": "late", "already": "early",
}  # fmt: skip
_NO_SUPERLATIVES = frozenset(
    """west east test guest forest contest interest request rest nest chest quest harvest conquest invest arrest protest
    honest modest suggest digest manifest northwest southeast midwest budapest bucharest est""".split()
)
_POINTING = frozenset(f"{_UP} {_DOWN} {_LATE} {_EARLY} {_FAST} {_SLOW}".split())


@lru_cache(maxsize=4096)
def plain(word: str) -> str:
    """An adjective without its comparison: "tallest" and "taller" are "tall"; other words as they are."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending in ("est", "er"):
        if word.endswith(ending) and word not in _NO_SUPERLATIVES:
            for found in _undoubled(word.removesuffix(ending)):
                if found in _POINTING:
                    return found
            if ending == "est" and len(word) > 5:
                return word.removesuffix(ending)
    return word


def _undoubled(start: str) -> tuple[str, ...]:
    """What may stand before an ending: bigg(er), heavi(er), larg(er)."""
    halved = start[:-1] if start[-1:] == start[-2:-1] else start
    return start, f"{start}e", f"{start[:-1]}y" if start.endswith("i") else start, halved


def is_superlative(word: str) -> bool:
    """Whether a word sets one thing above all others: "tallest", "most", "first", but not "forest"."""
    if word in ("most", "least", "best", "worst", "first", "last", "final", "top", "maximum", "minimum", "latest"):
        return True
    return word.endswith("est") and word not in _NO_SUPERLATIVES and len(word) > 4


def is_comparative(word: str) -> bool:
    """Whether a word sets one thing above another: "taller", "more", "ahead", but not "number"."""
    if word in ("more", "less", "fewer", "better", "worse", "further", "farther", "later", "ahead", "behind"):
        return True
    return word.endswith("er") and plain(word) != word


# For each sort of column: numbers, ages, ranks, dates, and times that are the better the shorter.
SORTS = ("number", "age", "rank", "date", "time")
_DIRECTION = {
    **dict.fromkeys(_UP.split(), (1, 1, -1, 0, 1)),
    **dict.fromkeys(_DOWN.split(), (-1, -1, 1, 0, -1)),
    **dict.fromkeys(_LATE.split(), (1, -1, 1, 1, 1)),
    **dict.fromkeys(_EARLY.split(), (-1, 1, -1, -1, -1)),
    **dict.fromkeys(_FAST.split(), (1, 1, -1, -1, -1)),
    **dict.fromkeys(_SLOW.split(), (-1, -1, 1, 1, 1)),
}


def points(word: str, sort: str) -> int:
    """Which way a word points in a column of one of the `SORTS`: 1 up, -1 down, 0 neither."""
    found = _DIRECTION.get(plain(word))
    if found is None:
        # "The densest" or "the most X" sets the highest above the others, whatever is measured.
        return 1 if is_superlative(word) else 0
    return found[SORTS.index(sort)]


@lru_cache(maxsize=65536)
def forms(word: str) -> tuple[str, ...]:
    """A word of a claim in every form under which a header or its kin may know it."""
    return tuple(dict.fromkeys((word, plain(word), root(word), root(plain(word)))))
