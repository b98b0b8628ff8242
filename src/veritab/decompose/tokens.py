"""The tokens of one sentence: words and marks with their places, and whether they stand inside quotes or brackets."""

from __future__ import annotations

import re
from typing import NamedTuple

from veritab.decompose.verbs import is_bare, is_nounish, is_participle, is_past_or_participle, is_sure, may_precede_name

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*[^\W\d_]{0,3}(?![^\W_])|[^\W_]+(?:['’.\-–&][^\W_]+)*(?:['’](?=\s))?|\S")
_OPENS = {"(": ")", "[": "]", "“": "”", "«": "»"}
_MARKS = frozenset({*_OPENS, '"'})


class Token(NamedTuple):
    """A word or a mark of a sentence; `depth` counts the brackets and quotes around it."""

    text: str
    low: str
    start: int
    end: int
    depth: int

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper()

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit()


def tokens(sentence: str) -> list[Token]:
    """The tokens of a sentence in order; brackets and quotes that never close enclose nothing."""
    found = [(match[0], match[0].lower(), match.start(), match.end()) for match in _TOKEN.finditer(sentence)]
    depths = _depths([each[0] for each in found])
    return [Token(*each, depth) for each, depth in zip(found, depths, strict=True)]


def _depths(texts: list[str]) -> list[int]:
    if _MARKS.isdisjoint(texts):
        return [0] * len(texts)
    closers: list[tuple[str, int]] = []
    changes = [0] * (len(texts) + 1)
    for place, text in enumerate(texts):
        if closers and text == closers[-1][0]:
            _, opened = closers.pop()
            changes[opened] += 1
            changes[place + 1] -= 1
        elif text in _OPENS or text == '"':
            closers.append((_OPENS.get(text, '"'), place))
        elif any(text == closer for closer, _ in closers[-8:]):
            while closers and closers[-1][0] != text:
                closers.pop()
            _, opened = closers.pop()
            changes[opened] += 1
            changes[place + 1] -= 1
    depths, depth = [], 0
    for change in changes[:-1]:
        depth += change
        depths.append(depth)
    return depths


DETERMINERS = frozenset(
    """a an the his her its their this that these those some any many several numerous multiple most more less few both
    each every all no one two three four five six seven eight nine ten various only another""".split()
)
PREPOSITIONS = frozenset(
    """in on at by for from with of to into during after before since until under over as against among between through
    across around about near within without towards toward behind beside below above alongside via per throughout onto
    upon along off out up down outside inside despite beyond like than""".split()
)
ADVERBS = frozenset(
    """also later then subsequently eventually once never always still often finally soon currently now originally first
    previously formerly recently only even thus therefore usually initially mostly mainly primarily widely reportedly
    additionally instead briefly already just further simultaneously successfully actually officially probably
    generally twice largely""".split()
)


_NO_ADVERBS = frozenset(
    "family ally assembly monopoly butterfly anomaly supply reply fly belly jelly bully only".split()
)


def is_adverb(token: Token) -> bool:
    """Whether a word says how or when, and may stand before a verb."""
    low = token.low
    return low in ADVERBS or (low.endswith("ly") and token.text[0].islower() and low not in _NO_ADVERBS)


def is_finite(line: list[Token], place: int) -> bool:
    """Whether the token there is a finite verb: by its form, and where that leaves doubt, by what stands around it."""
    token = line[place]
    if token.depth or not token.text[0].islower():
        return False
    word = token.text
    if is_sure(word):
        return place == 0 or line[place - 1].low not in ("to",)
    before = line[place - 1].low if place else ""
    before = "" if before == "that" else before
    after = line[place + 1] if place + 1 < len(line) else None
    if is_nounish(word):
        return _takes_more(word, after) and before not in DETERMINERS and before not in PREPOSITIONS
    if is_past_or_participle(word):
        return before not in DETERMINERS and before not in PREPOSITIONS and not before.endswith("'s")
    return False


def may_be_finite(line: list[Token], place: int) -> bool:
    """Whether the token there is a finite verb or may be the present of a plural; it tells sentences from phrases."""
    if is_finite(line, place):
        return True
    token = line[place]
    if token.depth or not place or not token.text[0].islower():
        return False
    if _is_present(token.text) and (line[place - 1].low in _OF_ONE or line[place - 1].is_capital):
        return place + 1 < len(line) and _takes_more("stars", line[place + 1])
    return is_bare(token.text) and line[place - 1].low not in ("to", *DETERMINERS)


_OF_ONE = frozenset("he she it who which also often now only currently still typically usually generally".split())


def _is_present(word: str) -> bool:
    """Whether a word has the form of a present: "spans", "passes"; nouns have it too."""
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s", "’s"))


def _takes_more(verb: str, token: Token | None) -> bool:
    if token is None:
        return False
    if token.is_capital and may_precede_name(verb):
        return True
    return token.is_number or token.low in DETERMINERS or token.low in PREPOSITIONS


def is_passive(line: list[Token], verb: int) -> bool:
    """Whether a form of "be" is followed by a participle."""
    for token in line[verb + 1 : verb + 4]:
        if is_participle(token.low) or is_past_or_participle(token.low):
            return True
        if not is_adverb(token) and token.low not in ("not", "been", "being"):
            return False
    return False
