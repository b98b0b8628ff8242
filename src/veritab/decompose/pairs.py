"""What is said of two names at once: "both A and B were born in Paris" is said of each."""

from __future__ import annotations

import re

from veritab.decompose.tokens import PREPOSITIONS, Token, is_finite, is_passive
from veritab.decompose.verbs import BE, is_past

_TOGETHER = re.compile(
    r"\b(?:together|same|different|combined|total|other|apart|married|between|share[ds]?|tied|equal|"
    r"equally|altogether|collectively|two|alike|similar|jointly|met|twins|siblings|brothers|sisters)\b"
)
_SINGULAR = {"were": "was", "are": "is", "have": "has", "do": "does"}
_LONGEST_NAME = 8


def pair(text: str, line: list[Token]) -> tuple[str, str] | None:
    """The two sentences that "Both A and B ..." says; None for any other, and for what holds of both at once."""
    if line[0].low != "both":
        return None
    verb = next((p for p in range(1, len(line)) if is_finite(line, p)), None)
    joints = [p for p in range(1, verb or 0) if line[p].low == "and" and not line[p].depth]
    if verb is None or len(joints) != 1 or _TOGETHER.search(text[line[verb].start :]):
        return None
    joint = joints[0]
    first, second = line[1:joint], line[joint + 1 : verb]
    if not (_is_name(first) and _is_name(second)):
        return None
    said = _of_one(text, line, verb)
    if said is None:
        return None
    return (
        f"{text[first[0].start : first[-1].end]} {said}",
        f"{text[second[0].start : second[-1].end]} {said}",
    )


def _is_name(line: list[Token]) -> bool:
    return (
        0 < len(line) <= _LONGEST_NAME
        and any(token.is_capital for token in line)
        and not any(token.text == "," for token in line)
    )


def _of_one(text: str, line: list[Token], verb: int) -> str | None:
    """What is said of two, said of one: "were born" is "was born", "are cities in France" is "is a city in France"."""
    word = line[verb].low
    rest = text[line[verb].end :].strip()
    if word not in _SINGULAR:
        return f"{word} {rest}" if is_past(word) else None
    if word not in BE or is_passive(line, verb):
        return f"{_SINGULAR[word]} {rest}"
    after = line[verb + 1 :]
    if after and after[0].low in PREPOSITIONS:
        return f"{_SINGULAR[word]} {rest}"
    noun = next((p for p, t in enumerate(after[:4]) if p + 1 == len(after) or after[p + 1].low in PREPOSITIONS), None)
    if noun is None or not _is_plural(after[noun].low) or after[0].low in ("the", "not", "both", "all", "among"):
        return None
    phrase = " ".join([*(t.text for t in after[:noun]), _one(after[noun].text)])
    article = "an" if phrase[0].lower() in "aeiou" else "a"
    return f"{_SINGULAR[word]} {article} {phrase}{text[after[noun].end :]}"


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ics"))


def _one(noun: str) -> str:
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    if noun.endswith(("ches", "shes", "sses", "xes")):
        return noun[:-2]
    return noun[:-1]
