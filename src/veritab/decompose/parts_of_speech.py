"""What part of speech a word of a sentence is, by its form and its context."""

from __future__ import annotations

from veritab.decompose.verbs import (
    is_always_finite,
    is_noun_or_verb,
    is_past_or_participle,
    is_plural_present,
    may_be_participle,
    may_precede_name,
)
from veritab.lexicon.grammar import ADVERBS, DETERMINERS, PREPOSITIONS
from veritab.text import Token

_NOT_ADVERBS = frozenset(
    "family ally assembly monopoly butterfly anomaly supply reply fly belly jelly bully only".split()
)


def is_adverb(token: Token) -> bool:
    """Whether a word is an adverb that may come before a verb."""
    lower = token.lower
    return lower in ADVERBS or (lower.endswith("ly") and token.text[0].islower() and lower not in _NOT_ADVERBS)


def is_finite(tokens: list[Token], place: int) -> bool:
    """Whether the token there is a finite verb: by its form, and where that is ambiguous, by its context."""
    token = tokens[place]
    if token.depth or not token.text[0].islower():
        return False
    word = token.text
    if is_always_finite(word):
        return place == 0 or tokens[place - 1].lower not in ("to",)
    before = tokens[place - 1].lower if place else ""
    before = "" if before == "that" else before
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if is_noun_or_verb(word):
        return _has_complement(word, after) and before not in DETERMINERS and before not in PREPOSITIONS
    if is_past_or_participle(word):
        return before not in DETERMINERS and before not in PREPOSITIONS and not before.endswith("'s")
    return False


def may_be_finite(tokens: list[Token], place: int) -> bool:
    """Whether the token there is a finite verb or may be the present of a plural: a sentence has one."""
    if is_finite(tokens, place):
        return True
    token = tokens[place]
    if token.depth or not place or not token.text[0].islower():
        return False
    if _is_present(token.text) and (tokens[place - 1].lower in _BEFORE_SINGULAR or tokens[place - 1].is_capital):
        return place + 1 < len(tokens) and _has_complement("stars", tokens[place + 1])
    return is_plural_present(token.text) and tokens[place - 1].lower not in ("to", *DETERMINERS)


_BEFORE_SINGULAR = frozenset(
    "he she it who which also often now only currently still typically usually generally".split()
)


def _is_present(word: str) -> bool:
    """Whether a word has the form of a present: "spans", "passes"; nouns have it too."""
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s", "’s"))


def _has_complement(verb: str, token: Token | None) -> bool:
    if token is None:
        return False
    if token.is_capital and may_precede_name(verb):
        return True
    return token.is_number or token.lower in DETERMINERS or token.lower in PREPOSITIONS


def is_passive(tokens: list[Token], verb: int) -> bool:
    """Whether a form of "be" is followed by a participle."""
    for token in tokens[verb + 1 : verb + 4]:
        if may_be_participle(token.lower):
            return True
        if not is_adverb(token) and token.lower not in ("not", "been", "being"):
            return False
    return False
