"""Words that compare: degrees of adjectives, more and less, earlier and later, limits, rising and falling."""

from __future__ import annotations

from functools import lru_cache

from veritab.text import root

# -- adjectives, by the direction in which they point ------------------------------------------------------

_MUCH = "high tall long large big great heavy massive deep wide broad thick dense strong bright hot warm rich expensive"
_MUCH += " costly populous much many far distant good loud common frequent abundant valuable powerful successful senior"
_LITTLE = "low short small little light shallow narrow thin weak faint cold cool poor cheap few near close rare bad"
_LATE, _EARLY = "late new recent young modern", "early old ancient"
_FAST, _SLOW = "fast quick swift", "slow"
_IRREGULAR = {
    "most": "many", "more": "many", "least": "few", "less": "few", "fewer": "few", "best": "good",
    "better": "good", "worst": "bad", "worse": "bad", "furthest": "far", "further": "far", "farthest": "far",
    "farther": "far", "maximum": "high", "max": "high", "peak": "high", "top": "high", "record": "high",
    "minimum": "low", "min": "low", "bottom": "low", "elder": "old", "eldest": "old", "first": "early", "last": "late",
    "latest": "late", "later": "late", "latter": "late", "final": "late", "initial": "early", "ahead": "fast",
    "behind": "slow", "nearer": "near", "nearest": "near", "before": "early", "after": "late", "prior": "early",
    "predate": "early", "predated": "early", "precede": "early", "preceded": "early", "follow": "late",
    "followed": "late", "outnumber": "many", "exceed": "many", "exceeded": "many", "surpassed": "many",
    "outscored": "many", "beat": "many", "above": "high", "below": "low", "earlier": "early", "earliest": "early",
    "majority": "many", "outweigh": "heavy", "since": "late", "already": "early",
}  # fmt: skip
_NOT_SUPERLATIVES = frozenset(
    """west east test guest forest contest interest request rest nest chest quest harvest conquest invest arrest protest
    honest modest suggest digest manifest northwest southeast midwest budapest bucharest everest ernest
    brest est""".split()
)
COLUMN_ORDERS = ("number", "age", "rank", "date", "time")
"""What a column may be ordered by; a time is the better the shorter it is."""
# Which way the largest value of each order lies.
_DIRECTIONS = {
    **dict.fromkeys(_MUCH.split(), (1, 1, -1, 0, 1)),
    **dict.fromkeys(_LITTLE.split(), (-1, -1, 1, 0, -1)),
    **dict.fromkeys(_LATE.split(), (1, -1, 1, 1, 1)),
    **dict.fromkeys(_EARLY.split(), (-1, 1, -1, -1, -1)),
    **dict.fromkeys(_FAST.split(), (1, 1, -1, -1, -1)),
    **dict.fromkeys(_SLOW.split(), (-1, -1, 1, 1, 1)),
}


@lru_cache(maxsize=4096)
def positive_degree(word: str) -> str:
    """An adjective without its comparison: "tallest" and "taller" are "tall"; other words as they are."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending in ("est", "er"):
        if word.endswith(ending) and word not in _NOT_SUPERLATIVES:
            start = word.removesuffix(ending)
            undoubled = start[:-1] if start[-1:] == start[-2:-1] else start
            # larg(er), heavi(er), bigg(er)
            for found in (start, f"{start}e", f"{start[:-1]}y" if start.endswith("i") else start, undoubled):
                if found in _DIRECTIONS:
                    return found
            if ending == "est" and len(word) > 5:
                return start
    return word


def is_superlative(word: str) -> bool:
    """Whether a word sets one thing above all others: "tallest", "most", "first", but not "forest"."""
    if word in ("most", "least", "best", "worst", "first", "last", "final", "top", "maximum", "minimum", "latest"):
        return True
    return word.endswith("est") and word not in _NOT_SUPERLATIVES and len(word) > 4


def is_comparative(word: str) -> bool:
    """Whether a word sets one thing above another: "taller", "more", "ahead", but not "number"."""
    if word in ("more", "less", "fewer", "better", "worse", "further", "farther", "later", "ahead", "behind"):
        return True
    return word.endswith("er") and positive_degree(word) != word


def has_direction(word: str) -> bool:
    """Whether it is known which way a word points; of "the steepest" it is not."""
    return positive_degree(word) in _DIRECTIONS


def direction(word: str, order: str) -> int:
    """Which way a word points in a column of one of the `COLUMN_ORDERS`: 1 up, -1 down, 0 neither."""
    found = _DIRECTIONS.get(positive_degree(word))
    if found is None:
        # "The densest" or "the most X" sets the highest above the others, whatever is measured.
        return 1 if is_superlative(word) else 0
    return found[COLUMN_ORDERS.index(order)]


@lru_cache(maxsize=65536)
def lookup_forms(word: str) -> tuple[str, ...]:
    """A word of a claim in every form under which a header or its synonyms may be known."""
    plain = positive_degree(word)
    return tuple(dict.fromkeys((word, plain, root(word), root(plain))))


# -- two values --------------------------------------------------------------------------------------------

MORE = frozenset(
    """more higher larger greater bigger longer taller older heavier wider deeper farther further warmer hotter richer
    thicker stronger busier""".split()
)
LESS = frozenset(
    """fewer less lower smaller shorter younger lighter narrower shallower colder poorer thinner weaker""".split()
)
EARLIER = frozenset("before earlier older".split())
LATER = frozenset("after later younger newer".split())
FASTER, SLOWER = frozenset("faster ahead".split()), frozenset("slower behind".split())
BETTER_RANKED, WORSE_RANKED = (
    frozenset("higher better ahead before".split()),
    frozenset("lower worse behind after".split()),
)
COMPARATIVES = MORE | LESS | frozenset("earlier later faster slower newer better worse".split())
"""Comparatives before "than", whatever they compare."""
_LENGTHS = "taller wider deeper farther further thicker narrower shallower thinner"
COMPARED_DIMENSIONS = {
    **dict.fromkeys(_LENGTHS.split(), frozenset({"length"})),
    **dict.fromkeys(("longer", "shorter"), frozenset({"length", "time"})),
    **dict.fromkeys(("heavier", "lighter"), frozenset({"mass"})),
    **dict.fromkeys(("warmer", "hotter", "colder"), frozenset({"temperature"})),
}
"""What some comparatives compare by: nothing is taller by a number of climbers."""

# -- limits ------------------------------------------------------------------------------------------------

OVER = frozenset("over above exceed exceeded exceeding surpass surpassed topped beyond past".split())
UNDER = frozenset("under below beneath".split())
AT_LEAST = (("at", "least"), ("minimum", "of"), ("many", "as"), ("upward", "of"))
AT_MOST = (("at", "most"), ("up", "to"), ("maximum", "of"))
OR_MORE = frozenset("more above higher greater over later after longer older".split())
OR_LESS = frozenset("less fewer below lower under earlier before younger shorter".split())
"""What follows "30 or" and makes 30 the least or the most."""
APPROXIMATELY = frozenset(
    "about almost nearly near around roughly approximately approx circa some close barely".split()
)

# -- change over time --------------------------------------------------------------------------------------

ROSE = frozenset("rose risen grew grown increased climbed gained raised".split())
FELL = frozenset("fell fall fallen declined decreased dropped shrank sank reduced lost lowered".split())
