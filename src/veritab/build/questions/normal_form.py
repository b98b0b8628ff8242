"""When two claims are the same: after SQuAD's normalisation, or up to tense and preposition."""

from __future__ import annotations

import re

from veritab.build.inflection import lemma_of
from veritab.lexicon.grammar import ARTICLES, PREPOSITIONS

_BE = frozenset("is are was were be been being has have had".split())
_LOST = re.compile(r"[^\w\s]|_")
_POSSESSIVE = re.compile(r"['’]s\b")


def normal_form(text: str) -> str:
    """A claim without case, articles, punctuation and more than one space between words, as SQuAD compares answers."""
    lower = _LOST.sub(" ", _POSSESSIVE.sub(" s", text.lower()))
    return " ".join(word for word in lower.split() if word not in ARTICLES)


def loose_form(text: str) -> str:
    """The normal form without prepositions, every verb in its base form: equal up to tense and preposition."""
    words = (word for word in normal_form(text).split() if word not in PREPOSITIONS)
    return " ".join("be" if word in _BE else lemma_of(word) for word in words)
