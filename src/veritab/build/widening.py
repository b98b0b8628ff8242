"""Claims of something wider or narrower: places around places, kinds of things, decades of years."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from veritab.build.implications import MutatedText, SourceClaim
from veritab.build.kinds import name_of
from veritab.build.mentions import NAMES_MORE, find_mentions, is_named, takes_the
from veritab.lexicon.comparison import is_superlative
from veritab.text import tokenize

_NOT_MONOTONE = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|only|all|every|each|few|fewer|less|most|least|first|last|except|unlike|"
    r"other|exactly|alone|any|than|both|same|half|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(r"\b(?P<in>[Ii]n) (?P<year>(?:1[0-9]|20)\d\d)\b(?!\s*(?:[–-]|and|or|to)\b)")
_IN_PLACE = re.compile(r"\b(?:in|from|near|at) (?:the )?$")


def generalise(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """The claim of something wider: a place for one in it, a kind for a thing, a decade for a year."""
    if not_monotone(source.text):
        return
    for found in _IN_YEAR.finditer(source.text):
        decade = f"{found['in']} the {found['year'][:3]}0s"
        text = f"{source.text[: found.start()]}{decade}{source.text[found.end() :]}"
        yield MutatedText(text, "follows", {"old": found[0], "new": decade, "by": "decade"})
    for mention in find_mentions(source.text, source.kinds):
        is_a = source.kinds.is_a.get(mention.title)
        before, after = source.text[: mention.start], source.text[mention.end :]
        if not is_a or NAMES_MORE.match(after):
            continue
        if is_a.lies_in and _IN_PLACE.search(before) and not is_named(is_a.lies_in.removeprefix("the "), source.text):
            place = is_a.lies_in
            cut = before.removesuffix("the ") if before.endswith(" the ") else before
            yield MutatedText(
                f"{cut}{place}{after}",
                "follows",
                {"old": mention.name, "new": place, "by": "place around"},
                (is_a.sentence,),
            )
        if not before and after.startswith(" ") and not re.match(r" (?:is|was|are|were) (?:an?|the)\b| and ", after):
            phrase = is_a.phrase
            article = "An" if phrase[0].lower() in "aeio" else "A"
            yield MutatedText(
                f"{article} {phrase}{after}",
                "follows",
                {"old": mention.name, "new": phrase, "by": "kind of thing"},
                (is_a.sentence,),
            )


def specify(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """The claim of something narrower: what a thing is, said besides; or a place within a place."""
    if not_monotone(source.text):
        return
    for mention in find_mentions(source.text, source.kinds):
        is_a = source.kinds.is_a.get(mention.title)
        before, after = source.text[: mention.start], source.text[mention.end :]
        if NAMES_MORE.match(after):
            continue
        if is_a and not is_a.definite and after.startswith(" ") and before in ("", "The ") and is_a.noun not in after:
            phrase = is_a.phrase
            article = "an" if phrase[0].lower() in "aeio" else "a"
            yield MutatedText(
                f"{before}{mention.name}, {article} {phrase},{after}",
                "adds truth",
                {"new": f"{article} {phrase}", "by": "kind of thing"},
                (is_a.sentence,),
            )
        within = [each for each in source.kinds.places_within(mention.title) if not is_named(each, source.text)]
        if within and _IN_PLACE.search(before):
            new = name_of(rng.choice(within))
            cut = before.removesuffix("the ") if before.endswith(" the ") and not takes_the(new) else before
            yield MutatedText(f"{cut}{new}{after}", "narrower", {"old": mention.name, "new": new, "by": "place within"})


def not_monotone(claim: str) -> str:
    """The word of a claim for which what holds of the narrower need not hold of the wider."""
    found = _NOT_MONOTONE.search(claim)
    if found:
        return found[0]
    return next((token.text for token in tokenize(claim) if is_superlative(token.lower)), "")
