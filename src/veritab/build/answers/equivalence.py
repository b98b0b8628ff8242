"""Whether two answers mean the same: by form, by value, by what the corpus calls by both, and by a small classifier.

The classifier is a logistic regression over the words and letters of two names. Its weights were fitted by
`benchmarks/fit_answers.py` on the words of links that lead to one page.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from importlib.resources import files
from itertools import product

from veritab.build.answers.answer_types import read_value
from veritab.build.questions.normal_form import normal_form
from veritab.lexicon.names import NAMES_FOR, is_of_place
from veritab.quantities import NumberOrDate, Range, agree
from veritab.text import STOP_WORDS, stems, words

LEAST = 0.6
"""From this probability on two names are taken for names of one thing."""
_INITIALS = 2
_ROMAN = re.compile(r"(?=[ivxl])(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})")

PagesOf = Callable[[str], frozenset[str]]
"""The pages of a corpus that a name may stand for."""


def same_answer(one: str, other: str, pages_of: PagesOf | None = None, *, classify: bool = True) -> bool:
    """Whether two answers may mean the same, so that one is not wrong where the other is right."""
    return bool(why_same(one, other, pages_of, classify=classify))


def why_same(one: str, other: str, pages_of: PagesOf | None = None, *, classify: bool = True) -> str:
    """What says that two answers mean the same: form, value, containment, place, link or classifier; empty if none."""
    form = _plain(one), _plain(other)
    if form[0] == form[1]:
        return "form"
    values = read_value(one), read_value(other)
    if values[0] is not None and values[1] is not None:
        return "value" if any(agree(*pair) for pair in product(_parts(values[0]), _parts(values[1]))) else ""
    numbers = _numbers(words(one)), _numbers(words(other))
    if numbers[0] and numbers[1] and numbers[0] != numbers[1]:
        return ""
    held = _content(one), _content(other)
    if not all(held):
        return ""
    if held[0] <= held[1] or held[1] <= held[0]:
        return "containment"
    if _of_one_place(one, other):
        return "place"
    if pages_of is not None and pages_of(one) & pages_of(other):
        return "link"
    return "classifier" if classify and probability_same(one, other) >= LEAST else ""


def _parts(value: NumberOrDate | Range) -> tuple[NumberOrDate, ...]:
    """A value, or the years that a season begins and ends in: something of 1994 may be said of 1993–94."""
    return value.parts if isinstance(value, Range) else (value,)


@lru_cache(10_000)
def _plain(text: str) -> str:
    return " ".join(words(normal_form(text)))


@lru_cache(10_000)
def _content(text: str) -> frozenset[str]:
    """The stems of an answer that carry meaning; all of them where only stop words are left."""
    every = frozenset(stems(text))
    return frozenset(each for each in every if each not in STOP_WORDS and len(each) > 1) or every


def _of_one_place(one: str, other: str) -> bool:
    """Whether one is another name of a place, or the adjective of it."""
    first, second = stems(one), stems(other)
    if second in NAMES_FOR.get(first, ()):
        return True
    return (len(first) == 1 and is_of_place(first[0], second)) or (len(second) == 1 and is_of_place(second[0], first))


# -- the classifier ----------------------------------------------------------------------------------------


def probability_same(one: str, other: str) -> float:
    """How likely two names are names of one thing, by their words and letters alone."""
    weights = _shipped()
    score = sum(weights.get(name, 0.0) * value for name, value in pair_features(one, other).items())
    return 1 / (1 + math.exp(-score))


def pair_features(one: str, other: str) -> dict[str, float]:
    """What two names have in common; the order of the two does not matter."""
    first, second = sorted((words(one), words(other)), key=lambda each: (len(each), each))
    sets = frozenset(first) - STOP_WORDS, frozenset(second) - STOP_WORDS
    shared, alone = sets[0] & sets[1], (sets[0] - sets[1], sets[1] - sets[0])
    letters = "".join(first), "".join(second)
    return {
        "one": 1.0,
        "words": len(shared) / max(len(sets[0] | sets[1]), 1),
        "inside": len(shared) / max(min(map(len, sets)), 1),
        "letters": SequenceMatcher(None, *letters, autojunk=False).ratio(),
        "trigrams": _overlap(_trigrams(letters[0]), _trigrams(letters[1])),
        "first": float(first[:1] == second[:1]),
        "last": float(first[-1:] == second[-1:]),
        "initials": float(_is_short_for(first, second)),
        "first initial": float(bool(first and second) and first[0][:1] == second[0][:1]),
        "beginnings": float(bool(alone[0]) and all(_begins_alike(word, alone[1]) for word in alone[0])),
        "both differ": float(bool(alone[0] and alone[1])),
        "numbers differ": float(_numbers(sets[0]) != _numbers(sets[1])),
        "more words": min(len(second) - len(first), 4) / 4,
    }


def _trigrams(text: str) -> frozenset[str]:
    padded = f"  {text} "
    return frozenset(padded[place : place + 3] for place in range(len(padded) - 2))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)


def _is_short_for(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether the letters of one are the initials of the other: "NBA"."""
    letters = "".join(short)
    initials = "".join(word[0] for word in long), "".join(word[0] for word in long if word not in STOP_WORDS)
    return len(letters) >= _INITIALS and letters in initials


def _begins_alike(word: str, others: frozenset[str]) -> bool:
    """Whether a word begins one of the others or is begun by it: "J" and "John", "Bob" and "Bobby"."""
    return any(other.startswith(word) or word.startswith(other) for other in others)


def _numbers(found: Iterable[str]) -> frozenset[str]:
    """The numbers that tell names apart, in digits or Roman: "World War II"."""
    return frozenset(word for word in found if word.isdigit() or _ROMAN.fullmatch(word))


@lru_cache(1)
def _shipped() -> Mapping[str, float]:
    weights: dict[str, float] = json.loads(files(__package__).joinpath("equivalence.json").read_text("utf-8"))
    return weights
