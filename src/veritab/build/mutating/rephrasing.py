"""Sentences in other words that say the same: few ways, each of them sure.

A time goes to the front, a comparison is turned round, active becomes passive and back, a number is spelled, a phrase
is swapped for another of the same meaning. Nothing here needs a model, and nothing is a free paraphrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from veritab.build.inflection import base_form, inflect
from veritab.decompose.clauses import clause_head
from veritab.decompose.verbs import may_be_participle
from veritab.lexicon.antonyms import OPPOSITES
from veritab.lexicon.grammar import BE, HAVE
from veritab.lexicon.numbers import MONTH_NAMES, SMALL_CARDINALS
from veritab.text import tokenize


class Rephrasing(NamedTuple):
    """The same said in another way, and by which way."""

    text: str
    by: str


_NAME = r"(?:The )?[A-Z][\w’'.-]*(?:,? (?:of|the|de|la|von|van|[A-Z][\w’'.-]*))*(?: \([^()]*\))?"
_MONTH = "|".join(MONTH_NAMES)
_TIME = rf"(?:[Ii]n|[Oo]n|[Ss]ince|[Dd]uring) (?:(?:\d{{1,2}} )?(?:{_MONTH}) (?:\d{{1,2}}, )?)?(?:\d{{4}}|the \d{{4}}s)"
_TIME_LAST = re.compile(rf"^(?P<rest>[^,;:]+?) (?P<time>{_TIME})\.$")
_TIME_FIRST = re.compile(rf"^(?P<time>{_TIME}),? (?P<rest>[^,;:]+)\.$")
_CLAUSES = re.compile(r" (?:who|which|that|where|when|while|because|although|whose|after|before|than|and|or|but) ")
_VERB_BEFORE_TIME = re.compile(r"\b(?:is|are|has|have)\b")
_COMPARED = re.compile(
    r"^(?P<one>(?:The |A |An )?[^,;:]+?) (?P<verb>is|was) (?P<much>(?:(?:much|far|slightly) )?)(?P<word>[a-z]+) than "
    r"(?P<other>(?:the )?[A-Z][^,;:]*)\.$"
)
_TURNED = {"lower": "higher", **{word: each[0] for word, each in OPPOSITES.items() if word not in ("shorter", "lower")}}
"""Of several opposites the one of a comparison; what is shorter may be a tower or a river."""
_NOT_ALONE = re.compile(
    r"\b(?:and|or|any|all|both|each|every|its|his|her|their|who|which|that|those|in|on|at|by|than)\b"
)
_PASSIVE = re.compile(
    rf"^(?P<object>(?:The |An? )?[^,;:]+?) (?:was|were) (?:first )?(?P<verb>[a-z]+) by "
    rf"(?P<subject>(?:the )?[A-Z][^,;:]*?)(?P<time> {_TIME})?\.$"
)
_ACTIVE = re.compile(
    rf"^(?P<subject>(?:The )?[A-Z][\w’'.-]*(?: [\w’'.-]+){{0,4}}?) (?P<verb>[a-z]+) "
    rf"(?P<object>(?:the |an? )?[^,;:]+?)(?P<time> {_TIME})?\.$"
)
_TRANSITIVE = frozenset(
    """write discover invent found compose direct design build paint publish conquer win sign name develop isolate
    describe formulate produce launch climb open destroy defeat record create edit host release organize organise film
    translate illustrate score patent acquire""".split()
)
_AGENT = re.compile(r"\b(?:in|on|at|by|from|for|with|to|who|which|that|and|as|of)\b")
_SPELLED = {str(value): word for word, value in SMALL_CARDINALS.items() if 1 < value <= 12}
_COUNTED = re.compile(rf"(?<![\w.,$€£:/-])({'|'.join(_SPELLED)})(?= [a-z]{{3,}}s\b)")
_SAME = (
    ("is located in", "lies in"),
    ("is situated in", "lies in"),
    ("was founded in", "was established in"),
    ("took place in", "was held in"),
    ("took place on", "was held on"),
    ("is made up of", "consists of"),
    ("passed away in", "died in"),
    ("is the author of", "wrote"),
    ("was released in", "came out in"),
    ("was released on", "came out on"),
    ("is based on", "is adapted from"),
    ("is from", "comes from"),
    ("is part of", "belongs to"),
    ("is set in", "takes place in"),
    ("began in", "started in"),
)
_BOTH_WAYS = frozenset(
    ("lies in", "was established in", "was held in", "was held on", "consists of", "died in", "takes place in")
)
"""What may also be said by the first words of its pair; "the lead that comes from" is not lead that "is from"."""
_MORE = (("more than", "over"), ("less than", "under"), ("approximately", "about"))
_ARTICLED = re.compile(r"(?:The|An?) ")
_PLURAL_HELD = re.compile(r"\b(?:Games|Olympics|games|matches|elections)\b")


def rephrasings(claim: str, titles: Iterable[str] = ()) -> Iterator[Rephrasing]:
    """The sentence in other words, by each way that fits it; titles keep their article: "The Wolf of Wall Street"."""
    opening = next((each for each in titles if _ARTICLED.match(each) and claim.startswith(f"{each} ")), "")
    for make, by in (
        (_move_time, "time moved"),
        (_turn_comparison, "comparison turned round"),
        (_change_voice, "voice changed"),
        (_turn_round, "sides turned round"),
        (_swap_phrase, "phrase swapped"),
        (_spell_number, "number spelled"),
    ):
        if (text := make(claim)) and text != claim:
            yield Rephrasing(text.replace(f"{opening[0].lower()}{opening[1:]}", opening) if opening else text, by)


def _move_time(claim: str) -> str:
    if found := _TIME_FIRST.match(claim):
        time = found["time"][0].lower() + found["time"][1:]
        return "" if _CLAUSES.search(found["rest"]) else f"{_upper(found['rest'])} {time}."
    found = _TIME_LAST.match(claim)
    # "is the largest city in 2010" and "the Games in 1936 were ...": only what happened then can be told from then.
    if not found or _CLAUSES.search(claim) or _VERB_BEFORE_TIME.search(claim) or re.match(_TIME, claim):
        return ""
    if _says_when_of_noun(found["rest"]):
        return ""
    return f"{_upper(found['time'])}, {_lower(found['rest'])}."


def _says_when_of_noun(text: str) -> bool:
    """Whether a participle of a noun is there, which the time may belong to: "an actor born in 1968"."""
    tokens = tokenize(text)
    head = clause_head(tokens, 0)
    after = tokens[head.verb :] if head else tokens
    return any(
        may_be_participle(word.lower) and before.lower not in BE | HAVE and not before.lower.endswith("ly")
        for before, word in pairwise(after)
    )


def _turn_comparison(claim: str) -> str:
    found = _COMPARED.match(claim)
    if not found or found["word"] not in _TURNED or not found["word"].endswith("er"):
        return ""
    one, other = found["one"], found["other"]
    if _NOT_ALONE.search(f"{one} {other}"):
        return ""
    return f"{_upper(other)} {found['verb']} {found['much']}{_TURNED[found['word']]} than {_lower(one)}."


def _change_voice(claim: str) -> str:
    found = _PASSIVE.match(claim)
    if found and may_be_participle(found["verb"]) and " first " not in claim:
        base = base_form(found["verb"])
        if base in _TRANSITIVE and not _AGENT.search(found["subject"]) and not _CLAUSES.search(claim):
            past = inflect(base, "VBD")
            return f"{_upper(found['subject'])} {past} {_lower(found['object'])}{found['time'] or ''}."
    found = _ACTIVE.match(claim)
    if not found or _AGENT.search(found["subject"]) or _CLAUSES.search(claim):
        return ""
    base, object_ = base_form(found["verb"]), found["object"]
    singular = re.match(r"(?:an? |the [a-z]|the [A-Z]|[A-Z])", object_) and not object_.split()[-1].endswith("s")
    if base not in _TRANSITIVE or inflect(base, "VBD") != found["verb"] or not singular or _AGENT.search(object_):
        return ""
    return f"{_upper(object_)} was {inflect(base, 'VBN')} by {_lower(found['subject'])}{found['time'] or ''}."


_ROUND = (
    (
        re.compile(rf"^(?P<one>{_NAME}) (?P<be>is|was) the capital of (?P<other>{_NAME})\.$"),
        "The capital of {other} {be} {one}.",
    ),
    (
        re.compile(rf"^The capital of (?P<other>{_NAME}) (?P<be>is|was) (?P<one>{_NAME})\.$"),
        "{one} {be} the capital of {other}.",
    ),
    (re.compile(rf"^(?P<one>{_NAME}) was born in (?P<other>{_NAME})\.$"), "{other} is the birthplace of {one}."),
    (re.compile(rf"^(?P<one>{_NAME}) stars (?P<other>{_NAME})\.$"), "{other} stars in {one}."),
    (re.compile(rf"^(?P<one>{_NAME}) stars in (?P<other>{_NAME})\.$"), "{other} stars {one}."),
    (
        re.compile(rf"^(?P<one>{_NAME})['’]s (?P<what>[a-z]+) (?P<be>is|was) (?P<other>{_NAME})\.$"),
        "The {what} of {one} {be} {other}.",
    ),
)
"""What may be said from either side."""


def _turn_round(claim: str) -> str:
    for pattern, said in _ROUND:
        if found := pattern.match(claim):
            return _upper(said.format(**found.groupdict()))
    return ""


def _swap_phrase(claim: str) -> str:
    for one, other in _SAME:
        # A gap that "is from Rome to Naples" comes from neither.
        if one == "is from" and " to " in claim.partition(one)[2]:
            continue
        if f" {one} " in claim and not _PLURAL_HELD.search(claim.partition(one)[0]):
            return claim.replace(one, other, 1)
        if f" {other} " in claim and other in _BOTH_WAYS and not _PLURAL_HELD.search(claim.partition(other)[0]):
            return claim.replace(other, one, 1)
    for one, other in _MORE:
        if re.search(rf" {one} [\d$€£]", claim):
            return claim.replace(f" {one} ", f" {other} ", 1)
    return ""


def _spell_number(claim: str) -> str:
    found = _COUNTED.search(claim)
    if not found or found.start() == 0 or len(re.findall(r"\d+", claim)) > 1:
        return ""
    return f"{claim[: found.start()]}{_SPELLED[found[1]]}{claim[found.end() :]}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


_LOWERED = frozenset(
    """The A An Its His Her Their He She It They This That These Those There None No All Both Some Most Many Several
    Each Every One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve""".split()
)


def _lower(text: str) -> str:
    """A subject as it stands inside a sentence: its article loses the capital, a name keeps it."""
    first, space, rest = text.partition(" ")
    return f"{first.lower()}{space}{rest}" if first in _LOWERED else text
