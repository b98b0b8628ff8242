"""How the words around a number relate a value to it: "more than 30", "30 or fewer", "two thirds of"."""

from __future__ import annotations

from collections.abc import Sequence

from veritab.reason.parsing.lexicon import is_comparative, points
from veritab.reason.programs.programs import OPPOSITE, Relation

# What may stand between "more than" and its number.
_FILLERS = frozenset("the a an of about only just least total score some in roughly around approximately year".split())
_NEGATIONS = frozenset("no not never".split())
_OVER = frozenset("over above exceed exceeded exceeding surpass surpassed topped beyond past".split())
_UNDER = frozenset("under below beneath".split())
_DATE_WORDS = {
    "after": Relation.ABOVE,
    "since": Relation.AT_LEAST,
    "from": Relation.AT_LEAST,
    "into": Relation.AT_LEAST,
    "before": Relation.BELOW,
    "until": Relation.AT_MOST,
    "till": Relation.AT_MOST,
    "by": Relation.AT_MOST,
}
_AT_LEAST = (("at", "least"), ("minimum", "of"), ("many", "as"))
# "They add up to 36" sets no limit.
_ADDING = frozenset("add added adding sum summed come came make made".split())
_AT_MOST = (("at", "most"), ("up", "to"), ("maximum", "of"))
_OR_MORE = frozenset("more above higher greater over later after longer older".split())
_OR_LESS = frozenset("less fewer below lower under earlier before younger shorter".split())


def relation_of(before: Sequence[str], after: Sequence[str], date: bool) -> Relation:
    """How a claim relates a value to a number, given the words before and after it."""
    words = list(before)
    while words and words[-1] in _FILLERS and tuple(words[-2:]) not in (*_AT_LEAST, *_AT_MOST):
        words.pop()
    return _after(after) or _two_words(words) or _than(words, date) or _one_word(words, date) or Relation.IS


def _two_words(words: Sequence[str]) -> Relation | None:
    last = tuple(words[-2:])
    if last in _AT_LEAST:
        return Relation.AT_LEAST
    if words[-3:-2] and words[-3] in _ADDING:
        return None
    return Relation.AT_MOST if last in _AT_MOST else None


def _than(words: Sequence[str], date: bool) -> Relation | None:
    """The relation of "fewer than", "no longer than", "further down than", "more people than"."""
    if words[-1:] != ["than"]:
        return None
    for place in range(len(words) - 2, max(len(words) - 5, -1), -1):
        if is_comparative(words[place]):
            relation = Relation.ABOVE if points(words[place], "date" if date else "age") > 0 else Relation.BELOW
            return OPPOSITE[relation] if place and words[place - 1] in _NEGATIONS else relation
    return None


def _one_word(words: Sequence[str], date: bool) -> Relation | None:
    last = words[-1] if words else ""
    if last in _OVER:
        return Relation.ABOVE
    if last in _UNDER:
        return Relation.BELOW
    if date and tuple(words[-2:]) == ("prior", "to"):
        return Relation.BELOW
    return _DATE_WORDS.get(last) if date else None


def _after(words: Sequence[str]) -> Relation | None:
    if words and words[0] in ("plus", "onward"):
        return Relation.AT_LEAST
    if len(words) > 1 and words[0] in ("or", "and"):
        if words[1] in _OR_MORE:
            return Relation.AT_LEAST
        if words[1] in _OR_LESS:
            return Relation.AT_MOST
    return None


# -- shares and multiples in words -------------------------------------------------------------------------

_NUMERATORS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_DENOMINATORS = {
    "half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10,
}  # fmt: skip
MULTIPLES = {
    "twice": 2.0, "double": 2.0, "doubled": 2.0, "triple": 3.0, "tripled": 3.0, "thrice": 3.0, "treble": 3.0,
    "trebled": 3.0, "quadruple": 4.0, "quadrupled": 4.0, "tenfold": 10.0, "halved": 0.5, "half": 0.5,
}  # fmt: skip


def share_at(stems: Sequence[str], place: int) -> tuple[int, float] | None:
    """How many words from a place on tell a share of something, and how many percent it is."""
    if stems[place] == "majority" or (stems[place] == "half" and _of_something(stems, place + 1)):
        return 1, 50.0
    numerator = _NUMERATORS.get(stems[place])
    denominator = _DENOMINATORS.get(stems[place + 1]) if place + 1 < len(stems) else None
    if numerator and denominator and numerator < denominator and _of_something(stems, place + 2):
        return 2, 100 * numerator / denominator
    return None


def _of_something(stems: Sequence[str], place: int) -> bool:
    """Whether a share is one of something: "of the votes", "the people", "its elevation"."""
    return place < len(stems) and stems[place] in ("of", "the", "its", "their", "all")
