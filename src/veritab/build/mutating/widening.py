"""Claims of something wider or narrower: places around places, kinds of things, decades of years."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from veritab.build.inflection import base_form, is_past_form
from veritab.build.kinds import PERSON, IsA, name_of
from veritab.build.mutating.implications import MutatedText, SourceClaim
from veritab.build.mutating.mentions import find_mentions, has_the, is_named, swap_name
from veritab.build.mutating.negations import says_one_thing
from veritab.build.mutations import with_article
from veritab.lexicon.comparison import is_superlative
from veritab.quantities import Date, parse_quantities
from veritab.text import tokenize

_NOT_MONOTONE = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|only|all|every|each|few|fewer|less|most|least|first|last|except|unlike|"
    r"other|exactly|alone|any|than|both|same|half|cannot|nowhere|nobody|nothing|hardly|barely|scarcely|rarely|seldom|"
    r"exclusively|entirely|solely)\b|n['’]t\b",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(r"\b(?P<in>[Ii]n) (?P<year>(?:1[0-9]|20)\d\d)\b(?!\s*(?:[–-]|and|or|to)\b)")
_IS_SOME = re.compile(r" (?:is|was|are|were) (?:an?|the)\b")
_IN_PLACE = re.compile(r"\b(?:in|from|near|at) (?:the )?$")


def generalise(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """The claim of something wider: a place for one in it, a kind for a thing, a decade for a year."""
    if not_monotone(source.text):
        return
    said = parse_quantities(source.text)
    # What is counted in a year is another number in ten, and what is counted in a town another in its country.
    if says_one_thing(source.text) and len(said) == 1:
        for found in _IN_YEAR.finditer(source.text):
            decade = f"{found['in']} the {found['year'][:3]}0s"
            text = f"{source.text[: found.start()]}{decade}{source.text[found.end() :]}"
            yield MutatedText(text, "follows", {"old": found[0], "new": decade, "by": "decade"})
    for mention in find_mentions(source.text, source.kinds, source.pages):
        is_a = source.kinds.is_a(mention.title)
        before, after = source.text[: mention.start], source.text[mention.end :]
        if not is_a:
            continue
        counts = any(not isinstance(each, Date) for each in said)
        if (
            is_a.lies_in
            and not counts
            and _IN_PLACE.search(before)
            and not is_named(is_a.lies_in.removeprefix("the "), source.text)
        ):
            place = is_a.lies_in
            cut = before.removesuffix("the ") if before.endswith(" the ") else before
            details = {"old": mention.name, "new": place, "by": "place around"}
            yield MutatedText(f"{cut}{place}{after}", "follows", details, (is_a.sentence,))
        text = _said_of_some(is_a, after, source.kinds.sort_of(mention.title)) if before in ("", "The ") else ""
        if text:
            details = {"old": mention.name, "new": is_a.phrase, "by": "kind of thing"}
            yield MutatedText(text, "follows", details, (is_a.sentence,))


def _said_of_some(is_a: IsA, said: str, sort: str) -> str:
    """What is said of a thing, said of some thing of its kind; empty where it says what kind of thing that is."""
    verb = re.match(r" ([a-z]+)\b", said)
    if not verb or _IS_SOME.match(said) or re.search(rf"\b{re.escape(is_a.noun)}\b", said):
        return ""
    # "A 2005 film was made in 2005."
    if any(number in said for number in re.findall(r"\d+", is_a.phrase)):
        return ""
    some = with_article(is_a.phrase)
    if verb[1] in ("was", "were", "had") or is_past_form(verb[1]):
        return f"{some[0].upper()}{some[1:]}{said}"
    # "A planet has two moons" would be said of every planet.
    is_present = verb[1] in ("is", "has") or (verb[1].endswith("s") and base_form(verb[1]) != verb[1])
    return f"There is {some} {'who' if sort == PERSON else 'that'}{said}" if is_present else ""


def specify(source: SourceClaim, rng: random.Random) -> Iterator[MutatedText]:
    """The claim of something narrower: what a thing is, said besides; or a place within a place."""
    if not_monotone(source.text):
        return
    for mention in find_mentions(source.text, source.kinds, source.pages):
        is_a = source.kinds.is_a(mention.title)
        before, after = source.text[: mention.start], source.text[mention.end :]
        is_subject = before in ("", "The ") and after.startswith(" ") and not after.startswith(" and ")
        if is_a and not is_a.definite and is_subject and is_a.noun not in after and not _IS_SOME.match(after):
            some = with_article(is_a.phrase)
            details = {"new": some, "by": "kind of thing"}
            yield MutatedText(f"{before}{mention.name}, {some},{after}", "adds truth", details, (is_a.sentence,))
        within = [each for each in source.kinds.places_within(mention.title) if not is_named(each, source.text)]
        if within and _IN_PLACE.search(before):
            chosen = rng.choice(within)
            new = name_of(chosen)
            yield MutatedText(
                swap_name(source.text, mention, new, with_the=has_the(chosen, source.kinds.is_a(chosen))),
                "narrower",
                {"old": mention.name, "new": new, "by": "place within"},
            )


def not_monotone(claim: str) -> str:
    """The word of a claim for which what holds of the narrower need not hold of the wider."""
    found = _NOT_MONOTONE.search(claim)
    if found:
        return found[0]
    return next((token.text for token in tokenize(claim) if is_superlative(token.lower)), "")
