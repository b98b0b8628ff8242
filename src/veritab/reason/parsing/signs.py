"""The words of a claim that ask for a computation, by the name of what they ask."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from veritab.reason.parsing.lexicon import is_comparative
from veritab.reason.words import stem

_WORDS = {
    "high": """highest most largest greatest biggest longest tallest oldest heaviest best maximum max top strongest
        richest deepest widest fastest hottest warmest newest""",
    "low": """lowest least smallest fewest shortest youngest lightest worst minimum min bottom slowest poorest narrowest
        coldest""",
    "early": "earliest first oldest initial opening debut begin began",
    "late": "latest last final newest youngest recently recent",
    "more": """more higher greater larger bigger longer taller older heavier better above over exceed exceeded outnumber
        beat later farther further faster wider deeper ahead""",
    "less": "less fewer lower smaller shorter younger lighter worse below under earlier slower behind",
    "than": "than",
    "before": "before prior earlier preceded predate predated previous",
    "after": "after later followed following since subsequent next succeeded",
    "count": "count time once twice different occasion instance several multiple",
    "sum": "total sum combined altogether together overall cumulative aggregate",
    "mean": "average averaged mean typical averaging",
    "only": "only sole solely exclusively alone just unique",
    "all": "all every each always everyone entire throughout any",
    "none": "none no never nobody neither nor without zero",
    "not": "not never didn doesn wasn isn weren haven hasn cannot fail failed unable no non",
    "most_of": "majority mostly mainly",
    "half": "half third quarter percent percentage proportion share cent majority",
    "same": "same identical equal equally tie tied share shared similar both",
    "different": "different differ unique distinct various varied separate",
    "difference": "difference differential gap margin apart between by",
    "twice": "twice double doubled triple tripled thrice quadrupled halved",
    "common": "often frequent frequently commonly popular",
    "and": "and both while but",
    "or": "or",
    "if": "when if where with who that which while for during in on",
    "rise": """increase increased increasing rise rose grew growth grow growing improved climb climbed gain gained""",
    "fall": "decrease decreased decreasing decline declined fall fell drop dropped shrank reduced lost",
    "other": "other another else except besides rest remaining exception",
    "win": "win won victory defeat defeated beat champion victorious winner",
    "lose": "lose lost loss losing loser",
    "draw": "draw drew drawn tied tie",
    "consecutive": "consecutive row straight streak",
    "range": "between from range",
    "rank": "rank ranked ranking place placed finished position",
    "lasting": """lasted lived served governed ruled reigned held aged age old stayed remained took spent duration
        tenure""",
}
_PHRASES = {
    "superlative": r"\b(?!forest|west|east|rest|test)\w{3,}est\b|(?!^)(?<!at )\b(?:most|least) (?!of\b)\w+",
    "late": r"\bmost recent\b",
    "count": r"\bthere (?:be|are|were|is|was|have been)\b|\b(?:number|total) of\b|\bhow many\b",
    "sum": r"\bin (?:all|total)\b|\badd up\b|\bbetween them\b|\bend to end\b",
    "mean": r"\bon average\b",
    "none": r"\bnot (?:any|one|a single)\b",
    "most_of": r"(?<!at )\bmost\b|\bmore than half\b",
    "twice": r"\bhalf as\b|\btime (?:as|more|the|higher|larger|longer)\b",
    "common": r"\bmost common\b|\b(?:most|more) time\b",
    "and": r"\bas well as\b",
    "ordinal": r"\b(?:second|third|fourth|fifth|sixth|seventh|[0-9]*(?:1st|2nd|3rd|[0-9]th))\b",
    "than any": r"\bthan (?:any|all|every|each|everyone)\b|\bthan .*\bthe other\b|\bno other\b",
    "no than": r"\b(?:no|none|never|nobody|not (?:one|a|any))\b.*\b(?:than|as \w+ .*\bas)\b",
    "part of": r"\b(?:percent|cent|half|third|quarter|majority|share|proportion|most)\b.*\bof\b",
    "are the": r"\b(?:are|were) (?:the|those)\b|\bthose\b|\bthe one\b|\b(?:that|which|who)\b.*\b(?:are|were)\b",
    "among": r"\b(?:one of|among) the\b",
}


RISING = frozenset("gained gain grew rose increased increase grown risen".split())
FALLING = frozenset("lost lose fell shrank decreased decrease declined dropped fallen".split())


def _by_word(lists: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, listed in lists.items():
        for word in map(stem, listed.split()):
            found[word] = (*found.get(word, ()), name)
    return found


_NAMES = _by_word(_WORDS)
SIGNS: Mapping[str, re.Pattern[str]] = {
    name: re.compile("|".join(map(stem, listed.split()))) for name, listed in _WORDS.items()
}
"""The words of each sign, one at a time."""
_PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in _PHRASES.items())


def is_meant(stems: Sequence[str], place: int) -> bool:
    """Whether a word asks for what it usually does, unlike the "least" of "at least" and the "no" of "no more than"."""
    word = stems[place]
    before = stems[place - 1] if place else ""
    after = stems[place + 1] if place + 1 < len(stems) else ""
    if word == "no":
        return not after[:1].isdigit() and not is_comparative(after)
    if word in ("most", "least"):
        return before != "at" and (word == "least" or (after != "of" and place > 0))
    return True


def signs(stems: Sequence[str]) -> frozenset[str]:
    """The names of the computations that the words of a claim may ask for."""
    found = {name for place, word in enumerate(stems) if is_meant(stems, place) for name in _NAMES.get(word, ())}
    line = " ".join(word for place, word in enumerate(stems) if word != "no" or is_meant(stems, place))
    found.update(name for name, pattern in _PATTERNS if pattern.search(line))
    return frozenset(found)
