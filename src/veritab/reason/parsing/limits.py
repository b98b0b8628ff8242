"""How the words around a number relate a value to it: "more than 30", "30 or fewer", "two thirds of"."""

from __future__ import annotations

from collections.abc import Sequence

from veritab.lexicon.comparison import AT_LEAST, AT_MOST, OR_LESS, OR_MORE, OVER, UNDER, direction, is_comparative
from veritab.lexicon.grammar import NEGATIONS
from veritab.lexicon.numbers import DENOMINATORS, NUMERATORS
from veritab.reason.programs.programs import OPPOSITE, Relation

# What may come between "more than" and its number.
_FILLERS = frozenset("the a an of about only just least total score some in roughly around approximately year".split())
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
_STARTS = ("start", "beginning")
_TIMELY = frozenset("earlier later older younger newer before after recently".split())
# "They add up to 36" sets no limit.
_ADDING = frozenset("add added adding sum summed come came make made".split())


def find_relation(before: Sequence[str], after: Sequence[str], date: bool) -> Relation:
    """How a claim relates a value to a number, given the words before and after it."""
    words = list(before)
    if date and tuple(words[-2:]) == ("than", "in") and not _TIMELY.intersection(words):
        return Relation.IS  # What is more than in 1990 is compared with what there was in 1990.
    while words and words[-1] in _FILLERS and tuple(words[-2:]) not in (*AT_LEAST, *AT_MOST):
        words.pop()
    if date and (ended := _end_of(words)):
        return ended
    return _after(after) or _two_words(words) or _than(words, date) or _one_word(words, date) or Relation.IS


def _end_of(words: Sequence[str]) -> Relation | None:
    """The relation of "by the end of 1954", which is within that year, and of "by the start of 1954"."""
    before = words[-2] if len(words) > 1 and words[-2] != "the" else words[-3] if len(words) > 2 else ""
    if not words or before not in ("by", "until", "till", "before"):
        return None
    return Relation.AT_MOST if words[-1] == "end" else Relation.BELOW if words[-1] in _STARTS else None


def _two_words(words: Sequence[str]) -> Relation | None:
    last = tuple(words[-2:])
    if last in AT_LEAST:
        return Relation.AT_LEAST
    if words[-3:-2] and words[-3] in _ADDING:
        return None
    return Relation.AT_MOST if last in AT_MOST else None


def _than(words: Sequence[str], date: bool) -> Relation | None:
    """The relation of "fewer than", "no longer than", "further down than", "more people than"."""
    if words[-1:] != ["than"]:
        return None
    for place in range(len(words) - 2, max(len(words) - 5, -1), -1):
        if is_comparative(words[place]):
            relation = Relation.ABOVE if direction(words[place], "date" if date else "age") > 0 else Relation.BELOW
            return OPPOSITE[relation] if place and words[place - 1] in NEGATIONS else relation
    return None


def _one_word(words: Sequence[str], date: bool) -> Relation | None:
    last = words[-1] if words else ""
    if last in OVER:
        return Relation.ABOVE
    if last in UNDER:
        return Relation.BELOW
    if last == "within" and not date:
        return Relation.AT_MOST
    if date and tuple(words[-2:]) == ("prior", "to"):
        return Relation.BELOW
    return _DATE_WORDS.get(last) if date else None


def _after(words: Sequence[str]) -> Relation | None:
    if words and words[0] in ("plus", "onward"):
        return Relation.AT_LEAST
    if len(words) > 1 and words[0] in ("or", "and"):
        if words[1] in OR_MORE:
            return Relation.AT_LEAST
        if words[1] in OR_LESS:
            return Relation.AT_MOST
    return None


# -- shares and multiples in words -------------------------------------------------------------------------


def parse_share(stems: Sequence[str], place: int) -> tuple[int, float] | None:
    """The number of words from a position on that are a share of something, and its percentage."""
    if stems[place] == "majority" or (stems[place] == "half" and _of_something(stems, place + 1)):
        return 1, 50.0
    numerator = NUMERATORS.get(stems[place])
    denominator = DENOMINATORS.get(stems[place + 1]) if place + 1 < len(stems) else None
    if numerator and denominator and numerator < denominator and _of_something(stems, place + 2):
        return 2, 100 * numerator / denominator
    return None


def _of_something(stems: Sequence[str], place: int) -> bool:
    """Whether something follows of which it is a share: "of the votes", "the people", "its elevation"."""
    return place < len(stems) and stems[place] in ("of", "the", "its", "their", "all")
