"""Claims with another number, year or date, or with a word swapped for its opposite."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from veritab.build import mutations
from veritab.build.implications import MutatedText, SourceClaim
from veritab.build.negations import NEGATION, says_one_thing
from veritab.lexicon.numbers import ORDINALS

_BOUNDED = re.compile(
    r"\b(?:than|least|most|over|under|about|around|nearly|almost|some|roughly|approximately|up to|between|from|to|"
    r"since|until|before|after|by|the|all|these|those|of|and|or)\s*$"
)
_RELATIVE = re.compile(r"\b(?:than|times|only|as \w+ as|at least|at most|together|average)\b")
_ONCE = re.compile(
    r"\b(?:born|died|founded|established|discovered|invented|published|completed|built|launched|patented|isolated|"
    r"released|premiered|incorporated|demolished|dissolved|abolished|assassinated|executed|crowned|first)\b"
)
"""What happens to a thing once: another year makes it false. What is won or held may be so again."""
_VALUES = (mutations.year, mutations.number, mutations.day, mutations.count)


def change_value(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """Another number, year or date."""
    for rule in _VALUES:
        for change in rule(source.text, rng):
            text = change.apply(source.text)
            place = source.text.find(change.old)
            before, after = source.text[:place], source.text[place + len(change.old) :]
            if change.kind == "count" and _odd_count(change, before, after, source.text):
                continue
            # "Voyager 2" and "the 1908 Summer Olympics" are names.
            if text == source.text or source.text.count(change.old) > 1 or _in_name(before, after, change.kind):
                continue
            bounded = bool(_BOUNDED.search(before)) or bool(_RELATIVE.search(source.text))
            again = change.kind in ("year", "date") and not _ONCE.search(source.text)
            unsure = bounded or again or bool(NEGATION.search(source.text))
            details = {"old": change.old, "new": change.new, "kind": change.kind}
            yield MutatedText(text, "open" if unsure else "other value", details)


def _odd_count(change: mutations.Mutation, before: str, after: str, claim: str) -> bool:
    """Whether a number in words says which is meant: "the first three dives", "as first languages"."""
    if re.search(rf"\b{change.new}\b", claim) or after.startswith(" of "):
        return True
    if change.old not in ORDINALS:
        return False
    return not re.search(r"\b(?:the|his|her|its|their) $", before) or bool(
        re.match(r" \w+s\b| (?:two|three|four)\b", after)
    )


def _in_name(before: str, after: str, kind: str) -> bool:
    if kind in ("date", "count"):
        return False
    return bool(re.search(r"[A-Z][\w’'-]* $", before) or re.match(r"(?:st|nd|rd|th)?[- ][A-Z]", after))


# The list of opposites is of words; in a sentence these are often something else ("left Paris", "one day").
_UNSURE_OPPOSITES = frozenset(
    """left right black white day night single double primary secondary end beginning major minor common rare popular
    unpopular defeated joined live-action animated hero villain acquired bought sold rich poor wealthy comedy tragedy
    summer winter started finished former current upper lower most least largely hardly including excluding always
    never domestic international success failure majority minority""".split()
)
_CONTRARIES = frozenset(
    """older younger oldest youngest before after earlier later earliest latest north south northern southern northeast
    southwest northwest southeast northeastern southwestern northwestern southeastern east west eastern western
    increase decrease increased decreased increasing decreasing more less largest smallest larger smaller highest
    lowest higher longest shortest longer shorter best worst tallest male female first last father mother brother
    sister son daughter husband wife inside outside above below""".split()
)


_IN_PASSING = frozenset("later earlier first last".split())
_SAID_OF_IT = re.compile(r"\b(?:is|was|are|were)(?: the)? $")


def use_opposite(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """A word swapped for its opposite."""
    if NEGATION.search(source.text):
        return
    for change in mutations.opposite(source.text, rng):
        if change.old in _UNSURE_OPPOSITES or change.new in _UNSURE_OPPOSITES:
            continue
        spans = list(re.finditer(rf"(?<![\w'-]){re.escape(change.old)}(?![\w'-])", source.text))
        if len(spans) != 1 or re.search(rf"\b{change.new}\b", source.text):
            continue
        if change.old == "more" and re.match(r"(?: than [\w,]+)? [a-z]{3,}s\b", source.text[spans[0].end() :]):
            change = change._replace(new="fewer")
        sure = change.old in _CONTRARIES and says_one_thing(source.text)
        if change.old in _IN_PASSING:
            # "A year later" and "the first man" only say which is meant.
            sure = sure and bool(_SAID_OF_IT.search(source.text[: spans[0].start()]))
        implied = "contrary" if sure else "open"
        yield MutatedText(change.apply(source.text), implied, {"old": change.old, "new": change.new})
