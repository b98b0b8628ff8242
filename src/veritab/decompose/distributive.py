"""Distributive subjects: "both A and B were born in Paris" becomes a sentence for each name."""

from __future__ import annotations

import re

from veritab.decompose.parts_of_speech import is_finite, is_passive
from veritab.decompose.verbs import is_past
from veritab.lexicon.grammar import BE, PREPOSITIONS
from veritab.text import Token

_COLLECTIVE = re.compile(
    r"\b(?:together|same|different|combined|total|other|apart|married|between|share[ds]?|tied|equal|"
    r"equally|altogether|collectively|two|alike|similar|jointly|met|twins|siblings|brothers|sisters)\b"
)
_SINGULAR_FORMS = {"were": "was", "are": "is", "have": "has", "do": "does"}
_LONGEST_NAME = 8


def split_both(text: str, tokens: list[Token]) -> tuple[str, str] | None:
    """The two sentences of "Both A and B ..."; None for any other, and for what holds only of both together."""
    if tokens[0].lower != "both":
        return None
    verb = next((p for p in range(1, len(tokens)) if is_finite(tokens, p)), None)
    joints = [p for p in range(1, verb or 0) if tokens[p].lower == "and" and not tokens[p].depth]
    if verb is None or len(joints) != 1 or _COLLECTIVE.search(text[tokens[verb].start :]):
        return None
    joint = joints[0]
    first, second = tokens[1:joint], tokens[joint + 1 : verb]
    if not (_is_name(first) and _is_name(second)):
        return None
    said = _singular_predicate(text, tokens, verb)
    if said is None:
        return None
    return (
        f"{text[first[0].start : first[-1].end]} {said}",
        f"{text[second[0].start : second[-1].end]} {said}",
    )


def _is_name(tokens: list[Token]) -> bool:
    return (
        0 < len(tokens) <= _LONGEST_NAME
        and any(token.is_capital for token in tokens)
        and not any(token.text == "," for token in tokens)
    )


def _singular_predicate(text: str, tokens: list[Token], verb: int) -> str | None:
    """A plural predicate in the singular: "were born" is "was born", "are cities" is "is a city"."""
    word = tokens[verb].lower
    rest = text[tokens[verb].end :].strip()
    if word not in _SINGULAR_FORMS:
        return f"{word} {rest}" if is_past(word) else None
    if word not in BE or is_passive(tokens, verb):
        return f"{_SINGULAR_FORMS[word]} {rest}"
    after = tokens[verb + 1 :]
    if after and after[0].lower in PREPOSITIONS:
        return f"{_SINGULAR_FORMS[word]} {rest}"
    noun = next((p for p, t in enumerate(after[:4]) if p + 1 == len(after) or after[p + 1].lower in PREPOSITIONS), None)
    if noun is None or not _is_plural(after[noun].lower) or after[0].lower in ("the", "not", "both", "all", "among"):
        return None
    phrase = " ".join([*(t.text for t in after[:noun]), _singular(after[noun].text)])
    article = "an" if phrase[0].lower() in "aeiou" else "a"
    return f"{_SINGULAR_FORMS[word]} {article} {phrase}{text[after[noun].end :]}"


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ics"))


def _singular(noun: str) -> str:
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    if noun.endswith(("ches", "shes", "sses", "xes")):
        return noun[:-2]
    return noun[:-1]
