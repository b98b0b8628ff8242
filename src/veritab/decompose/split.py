"""A claim of several assertions becomes parts that stand alone: "X was born in 1900 and won a prize" is two.

Rules over tokens, and careful ones: a claim is cut only where a new verb surely begins a new assertion, and whatever is
in doubt stays whole, since half an assertion is checked worse than two at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from veritab.decompose.appositives import split_appositive, split_final_relative
from veritab.decompose.coordination import find_conjuncts
from veritab.decompose.distributive import split_both
from veritab.decompose.extract import decontextualize
from veritab.decompose.gapping import split_gapped
from veritab.decompose.parts_of_speech import may_be_finite
from veritab.text import sentences, tokenize

_LONGEST = 2000
_UNSPLITTABLE = re.compile(
    r"\b(?:respectively|not only|either|neither|nor|whether|each other|one another)\b", re.IGNORECASE
)
_SUBORDINATE_OPENERS = frozenset("if when although though while because since unless whereas whenever once as".split())
_FEWEST_WORDS = 3


def split_claim(claim: str) -> tuple[str, ...]:
    """The assertions a claim makes, each a sentence that stands alone; a claim that makes one is its only part."""
    text = " ".join(claim.split())
    if not text or len(text) > _LONGEST or text.endswith(("?", "!")):
        return (claim,)
    spans = list(sentences(text))
    if len(spans) > 1:
        found = _split_sentences([text[start:end] for start, end in spans], text)
    else:
        found = list(_split_sentence(text))
    if len(found) < 2 or any(_is_too_short(part) for part in found):
        return (claim,)
    return tuple(dict.fromkeys(found))


def _is_too_short(part: str) -> bool:
    return sum(token.is_word for token in tokenize(part)) < _FEWEST_WORDS


def _split_sentences(written: list[str], text: str) -> list[str]:
    """The parts of several sentences; those that depend on an earlier one are made to stand alone first."""
    if not all(_is_whole(sentence) for sentence in written):
        return [text]
    return [part for sentence in decontextualize(written) for part in _split_sentence(sentence)]


def _is_whole(sentence: str) -> bool:
    """Whether a sentence begins as one and has a verb."""
    tokens = tokenize(sentence)
    begins = bool(tokens) and not sentence[0].islower()
    return begins and any(may_be_finite(tokens, place) for place in range(1, len(tokens)))


def _split_sentence(text: str) -> Iterator[str]:
    stop = "." if text.endswith(".") and not text.endswith("..") else ""
    bare = text[: len(text) - len(stop)].rstrip(" ,;")
    for part in _split_clauses(bare):
        yield _capitalised(part) + ("" if part.endswith(".") else stop)


def _capitalised(part: str) -> str:
    """A part as a sentence begins; names that begin with a small letter are left alone."""
    first, _, rest = part.partition(" ")
    return f"{first[0].upper()}{part[1:]}" if rest and first.isalpha() and first.islower() else part


def _split_clauses(text: str) -> list[str]:
    tokens = tokenize(text)
    if not tokens or _UNSPLITTABLE.search(text) or tokens[0].lower in _SUBORDINATE_OPENERS:
        return [text]
    halves = split_both(text, tokens) or split_gapped(text, tokens) or split_appositive(text, tokens)
    if halves:
        return [part for half in halves for part in _split_clauses(half)]
    conjuncts = find_conjuncts(text, tokens)
    clauses = [f"{each.prefix}{text[each.start : each.end].strip(' ,;')}" for each in conjuncts] or [text]
    return [half for clause in clauses for half in split_final_relative(clause, tokenize(clause))]
