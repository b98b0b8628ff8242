"""Noun phrases in running text by closed classes alone: where one ends, and what is known of its article.

`articles.json` lists which phrases Wikipedia's introductions nearly always write with an article, by keys: the whole
phrase ("Bible", "Super Bowl"), its last word after others ("~ Bowl"), its first word before others ("last ~"), each
with "of" where "of" follows ("Gulf of"). Names have capitals in the keys, nouns have none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from veritab.build.questions.clauses import plain
from veritab.lexicon.grammar import AUXILIARIES, PREPOSITIONS, SUBORDINATORS

MOST_WORDS = 4
BOUNDARIES = PREPOSITIONS | SUBORDINATORS | AUXILIARIES | frozenset("and or but that who".split())
_ENDS = (".", ",", ";", ":", "?", "!", '"', ")")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)$")
_NUMBER = re.compile(r"\d[\d,.–-]*$")
_SPELLED = frozenset("second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split())


def phrase_keys(words: Sequence[str], following: str) -> Iterator[str]:
    """What an article is looked up by: the most particular key first."""
    of = " of" if following == "of" else ""
    whole = " ".join(words)
    yield f"{whole}{of}"
    if len(words) > 1:
        if len(words) > 2:
            yield f"~ {' '.join(words[-2:])}{of}"
        yield f"~ {words[-1]}{of}"
        yield f"{class_of(words[0])} ~"


def class_of(word: str) -> str:
    """A word as a modifier: all ordinal numbers are alike, and all other numbers."""
    if _ORDINAL.match(word) or word in _SPELLED:
        return "#th"
    return "#" if _NUMBER.match(word) else word


def phrase_end(words: Sequence[str], start: int) -> int:
    """Where the words from `start` on meet a boundary; -1 where none comes soon enough."""
    for place in range(start, min(start + MOST_WORDS, len(words))):
        if place > start and plain(words[place]) in BOUNDARIES:
            return place
        if words[place].endswith(_ENDS):
            return place + 1
    end = start + MOST_WORDS
    return end if end >= len(words) or plain(words[end]) in BOUNDARIES else -1


@lru_cache(1)
def known_articles() -> Mapping[str, str]:
    """The article that each known key wants; empty for a phrase that goes without although its words would want one."""
    listed: dict[str, list[str]] = json.loads(files(__package__).joinpath("articles.json").read_text("utf-8"))
    return {key: article for article, keys in listed.items() for key in keys}
