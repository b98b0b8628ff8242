"""Who has what: claims about one of several subjects whose real sentences stand side by side.

The evidence names two to six subjects. The claim gives one of them its own value (SUPPORTS), the value of another
(REFUTES), or a value that only another has, of an attribute that the evidence does not give for it (NOT ENOUGH INFO).
Every value occurs in the evidence whatever the label, so that matching words alone decides nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from veritab.build.elements import sentence
from veritab.build.library import Library, library
from veritab.build.mutations import NATIONALITIES
from veritab.datasets.normalise import NOT_ENOUGH, REFUTES, SUPPORTS, title_key
from veritab.schema import Element
from veritab.train.examples import VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.evidence import render_elements
from veritab.train.sources.pages import held_out_titles

_NAME = r"(?:[A-Z][\w’'.&-]*)(?: (?:(?:of|de|la|du|von|van|the|and) )?[A-Z][\w’'.&-]*){0,4}"
_YEAR = r"(?:1[5-9]\d\d|20[012]\d)"
_LEAST_TITLE, _MOST_TITLE = 3, 45
_SENTENCES = 3
_MOST_SUBJECTS = 6
_TRIES = 20
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"


class BindingRelation(NamedTuple):
    """An attribute that a subject has one value of, where a sentence gives it, and ways to say it."""

    kind: str
    """Which sort of subjects have it."""
    pattern: re.Pattern[str]
    wordings: tuple[str, ...]


def _relation(kind: str, pattern: str, *wordings: str) -> BindingRelation:
    return BindingRelation(kind, re.compile(pattern.replace("NAME", _NAME).replace("YEAR", _YEAR)), wordings)


_PLACES = (
    "town|village|city|municipality|river|mountain|lake|county|district|commune|parish|suburb|island|park|neighborhood|"
    "neighbourhood|peak|province|region|hamlet|township|community|settlement|stream|valley|glacier|volcano|reservoir"
)
RELATIONS: Mapping[str, BindingRelation] = {
    "located in": _relation(
        "place",
        rf"\b(?:is|was) (?:an?|the) [^,.;()]{{0,60}}?\b(?:{_PLACES})\b[^,.;()]{{0,60}}? in (?:the )?(?P<value>NAME)",
        "{s} is in {v}.",
        "{s} is located in {v}.",
        "{s} lies in {v}.",
        "{s} can be found in {v}.",
        "You have to go to {v} to see {s}.",
        "{v} is where {s} is.",
    ),
    "capital of": _relation(
        "place",
        r"\b(?:is|was) the (?:[a-z]+ )?(?:capital|seat)(?: city)?(?: and [a-z ]{3,40}?)? of (?:the )?(?P<value>NAME)",
        "{s} is the capital of {v}.",
        "The capital of {v} is {s}.",
        "{v} has {s} as its capital.",
        "{v} is governed from {s}.",
    ),
    "population": _relation(
        "place",
        r"\bpopulation (?:was|of|is|stood at)(?: about| around| approximately)? (?P<value>\d[\d,]+\d)",
        "{s} has {v} inhabitants.",
        "{s} has a population of {v}.",
        "{v} people live in {s}.",
        "The population of {s} is {v}.",
    ),
    "seat": _relation(
        "place",
        r"\b(?:Its|The) (?:county seat|capital|administrative cent(?:er|re)|seat) is (?:the (?:city|town) of )?"
        r"(?P<value>NAME)",
        "{v} is the seat of {s}.",
        "The capital of {s} is {v}.",
        "{s} is governed from {v}.",
    ),
    "elevation": _relation(
        "place",
        r"\b(?:elevation|height|altitude) of (?P<value>\d[\d,.]* (?:m|metres|meters|feet|ft))\b",
        "{s} is {v} high.",
        "{s} lies at {v}.",
        "The elevation of {s} is {v}.",
    ),
    "mouth": _relation(
        "place",
        r"\b(?:tributary of|flows into|empties into|joins) (?:the )?(?P<value>NAME)",
        "{s} flows into the {v}.",
        "{s} empties into the {v}.",
        "{s} is a tributary of the {v}.",
    ),
    "birthplace": _relation(
        "person",
        r"\b[Bb]orn (?:[^().;]{0,40}? )?in (?P<value>NAME)",
        "{s} was born in {v}.",
        "{v} is the birthplace of {s}.",
        "{s} is a native of {v}.",
        "{s} came into the world in {v}.",
        "{s}'s birthplace is {v}.",
    ),
    "birth year": _relation(
        "person",
        rf"\((?:[^()]{{0,40}}; ?)?(?:[Bb]orn )?(?:\d{{1,2}} )?(?:{_MONTH} )?(?:\d{{1,2}}, )?(?P<value>YEAR)\b",
        "{s} was born in {v}.",
        "{s} was born in the year {v}.",
        "{v} is the year in which {s} was born.",
        "{s}'s year of birth is {v}.",
    ),
    "death year": _relation(
        "person",
        rf"\([^()]{{4,60}} ?[–-] ?(?:\d{{1,2}} )?(?:{_MONTH} )?(?:\d{{1,2}}, )?(?P<value>YEAR)\)",
        "{s} died in {v}.",
        "{s} passed away in {v}.",
        "The death of {s} was in {v}.",
        "{v} was the year of {s}'s death.",
    ),
    "club": _relation(
        "person",
        r"\bplays? (?:as [^.,]{0,30} )?for (?:the |[a-z ]+ club )?(?P<value>NAME)",
        "{s} plays for {v}.",
        "{v} is the team of {s}.",
        "{s} is under contract with {v}.",
    ),
    "school": _relation(
        "person",
        r"\b(?:graduated from|studied at|educated at|attended) (?:the )?(?P<value>NAME)",
        "{s} studied at {v}.",
        "{s} went to {v}.",
        "{s} was a student at {v}.",
    ),
    "office": _relation(
        "person",
        r"\bserved as (?:the )?(?P<value>[A-Z][\w’' -]{3,40}?)(?= (?:from|between|in|under|until)\b|[,.;])",
        "{s} served as {v}.",
        "{s} held the office of {v}.",
        "{s} has been {v}.",
    ),
    "director": _relation(
        "work",
        r"\bdirected by (?P<value>NAME)",
        "{s} was directed by {v}.",
        "{v} directed {s}.",
        "{v} is the director of {s}.",
        "{s} is a work of the director {v}.",
    ),
    "writer": _relation(
        "work",
        r"\b(?:written by|novel by|book by|play by) (?:[a-z]+ (?:author|writer) )?(?P<value>NAME)",
        "{v} wrote {s}.",
        "{s} was written by {v}.",
        "{s} comes from the pen of {v}.",
        "{v} is the author of {s}.",
    ),
    "artist": _relation(
        "work",
        r"\b(?:album|single|song|EP)\b[^.;()]{0,30}? by (?:[A-Za-z]+ )?(?:[a-z -]+ )?(?P<value>NAME)",
        "{s} is by {v}.",
        "{v} recorded {s}.",
        "{s} was performed by {v}.",
    ),
    "release": _relation(
        "work",
        r"\breleased (?:[^.;()]{0,40}? )?(?:on|in) (?:[^.;()]{0,16}? )?(?P<value>YEAR)\b",
        "{s} was released in {v}.",
        "{s} came out in {v}.",
        "{s} dates from {v}.",
        "{v} saw the release of {s}.",
    ),
    "label": _relation(
        "work",
        r"\b(?:released|published|distributed) (?:[^.;()]{0,30}? )?by (?P<value>NAME)",
        "{s} was published by {v}.",
        "{v} released {s}.",
        "{v} brought out {s}.",
    ),
    "channel": _relation(
        "work",
        r"\b(?:aired|airs|broadcast|premiered|airing) on (?:the )?(?P<value>NAME)",
        "{s} aired on {v}.",
        "{s} was shown on {v}.",
        "{v} broadcast {s}.",
    ),
    "founding": _relation(
        "body",
        r"\b(?:[Ff]ounded|[Ee]stablished|[Ff]ormed|incorporated|[Oo]pened) in (?P<value>YEAR)\b",
        "{s} was founded in {v}.",
        "{s} has existed since {v}.",
        "{s} goes back to {v}.",
        "The founding of {s} was in {v}.",
    ),
    "founder": _relation(
        "body",
        r"\b(?:[Ff]ounded|[Ee]stablished|created) (?:in \d{4} )?by (?P<value>NAME)",
        "{v} founded {s}.",
        "{s} was founded by {v}.",
        "{s} was set up by {v}.",
        "{v} is the founder of {s}.",
    ),
    "base": _relation(
        "body",
        r"\b(?:based|headquartered|located|situated) (?:in|at) (?:the )?(?P<value>NAME)",
        "{s} is based in {v}.",
        "{s} has its home in {v}.",
        "{v} is home to {s}.",
        "{s} is located in {v}.",
    ),
    "owner": _relation(
        "body",
        r"\b(?:owned|operated|run) by (?:the )?(?P<value>NAME)",
        "{v} owns {s}.",
        "{s} belongs to {v}.",
        "{s} is in the hands of {v}.",
    ),
    "family": _relation(
        "species",
        r"\b(?:in|of|belonging to) the (?:[a-z]+ )?(?:family|genus|subfamily) (?P<value>[A-Z][a-z]+)\b",
        "{s} belongs to the {v}.",
        "{s} is one of the {v}.",
        "{s} is a member of {v}.",
    ),
}
_ROLES = (
    ("defeated", "lost to"),
    ("beat", "was beaten by"),
    ("succeeded", "was followed by"),
    ("replaced", "was replaced by"),
    ("acquired", "was bought by"),
    ("preceded", "came after"),
)
_BEATS = re.compile(
    rf"(?:^|[,;] |\b(?:when|where|as|and|after) )(?P<one>{_NAME}) "
    rf"(?P<verb>{'|'.join(verb for verb, _ in _ROLES)}) (?:the )?(?P<other>{_NAME})"
)


class BindingFact(NamedTuple):
    """The value of one attribute of a page's subject, and the sentence that gives it."""

    relation: str
    value: str
    sentence: int


class BindingSubject(NamedTuple):
    """A page, its first sentences and the attributes that they give."""

    name: str
    sentences: tuple[str, ...]
    facts: tuple[BindingFact, ...]

    def value(self, relation: str) -> BindingFact | None:
        return next((fact for fact in self.facts if fact.relation == relation), None)


def bindings(context: SourceContext, *, pairs: int = 40_000, roles: float = 0.08) -> Iterator[VerdictExample]:
    """Claims about one subject among several, from the first sentences of Wikipedia's introductions.

    `roles` is the share of claims that exchange the two names beside a verb. Pages that models are measured on are
    left out.
    """
    rng = context.rng("bindings")
    pages = library(context.data)
    titles = [title for title in pages.titles if title_key(title) not in held_out_titles(context.data)]
    rng.shuffle(titles)
    by_kind: dict[str, list[BindingSubject]] = {}
    reversals: list[tuple[str, str, str, str, str]] = []
    wanted = pairs // 2 + 1000
    for title in titles:
        found = describe(pages, title)
        if found:
            by_kind.setdefault(RELATIONS[found.facts[0].relation].kind, []).append(found)
        reversals += _find_roles(pages, title)
        if sum(map(len, by_kind.values())) >= wanted and len(reversals) >= pairs * roles / 3:
            break
    kinds = {kind: subjects for kind, subjects in by_kind.items() if len(subjects) >= _MOST_SUBJECTS}
    made = tries = 0
    # Among few subjects there may be none whose attributes differ.
    while made < pairs * (1 - roles) and kinds and tries < _TRIES * pairs:
        tries += 1
        kind = rng.choices(list(kinds), [len(each) ** 0.7 for each in kinds.values()])[0]
        for example in _family(rng, kinds[kind]):
            made += 1
            yield example
    for reversal in reversals[: int(pairs * roles / 3)]:
        yield from _role_family(rng, *reversal)


def describe(pages: Library, title: str) -> BindingSubject | None:
    """What the first sentences of a page say of its subject; None where they give no attribute."""
    name = re.sub(r" \([^()]*\)$", "", title)
    if not _LEAST_TITLE <= len(name) <= _MOST_TITLE or name.startswith("List of"):
        return None
    texts = pages.introduction(title).sentences[:_SENTENCES]
    if not texts or name.split()[0].strip(",").lower() not in texts[0].lower():
        return None  # a redirect: the introduction is about something else
    facts: dict[str, BindingFact] = {}
    for number, text in enumerate(texts):
        if number and not re.match(r"(?:It|He|She|They|Its|His|Her|The|In|As)\b", text):
            continue
        for relation, (_, pattern, _) in RELATIONS.items():
            match = pattern.search(text)
            if match and relation not in facts:
                value = match["value"].rstrip(".,'’- ")
                if len(value) > 2 and value not in NATIONALITIES and _apart(value, name):
                    facts[relation] = BindingFact(relation, value, number)
    kinds = [RELATIONS[relation].kind for relation in facts]
    kind = max(kinds, key=kinds.count, default="")
    kept = tuple(fact for fact in facts.values() if RELATIONS[fact.relation].kind == kind)
    return BindingSubject(name, texts, kept) if kept else None


def _family(rng: random.Random, subjects: Sequence[BindingSubject]) -> Iterator[VerdictExample]:
    """Three claims about subjects side by side, one of each label."""
    about = rng.choice(subjects)
    fact = rng.choice(about.facts)
    others = rng.sample(subjects, min(len(subjects), 60))
    others = [other for other in others if other.name != about.name and _apart(about.name, other.name)]
    own_text = " ".join(about.sentences)
    rivals = [other for other in others if _differs(other.value(fact.relation), own_text)]
    # Another attribute that the evidence gives for somebody else, and not for this subject.
    shown = _shown(rng, about, fact)
    unsaid = [
        (other, own)
        for other in others
        for own in other.facts
        if about.value(own.relation) is None and own.value not in own_text
    ]
    if not rivals or not unsaid:
        return
    rival, (knower, unknown) = rivals[0], rng.choice(unsaid)
    more = [other for other in others if other not in (rival, knower)][: rng.choice((0, 0, 1, 1, 2, 3))]
    elements = [*shown, *_shown(rng, rival, rival.value(fact.relation)), *_shown(rng, knower, unknown)]
    for other in more:
        elements += _shown(rng, other, rng.choice(other.facts))
    rng.shuffle(elements)
    evidence = render_elements(_unique(elements))
    rival_value = rival.value(fact.relation)
    wording = rng.choice(RELATIONS[fact.relation].wordings)
    yield VerdictExample(_say(rng, wording, about.name, fact.value), evidence, SUPPORTS)
    if rival_value:
        yield VerdictExample(_say(rng, wording, about.name, rival_value.value), evidence, REFUTES)
    wording = rng.choice(RELATIONS[unknown.relation].wordings)
    yield VerdictExample(_say(rng, wording, about.name, unknown.value), evidence, NOT_ENOUGH)


def _differs(fact: BindingFact | None, own_text: str) -> bool:
    """Whether a value occurs nowhere in what is said of another subject."""
    return fact is not None and fact.value not in own_text


def _apart(one: str, other: str) -> bool:
    """Whether two names share no word, so that neither can be taken for the other."""
    return not set(one.lower().split()) & set(other.lower().split())


def _shown(rng: random.Random, subject: BindingSubject, fact: BindingFact | None) -> list[Element]:
    """The sentence that gives a fact, now and then with the one that opens its page."""
    number = fact.sentence if fact else 0
    numbers = {number, 0} if number and rng.random() < 0.7 else {number}
    return [sentence(subject.name, each, subject.sentences[each]) for each in sorted(numbers)]


def _unique(elements: Sequence[Element]) -> list[Element]:
    return list({element.id: element for element in elements}.values())


def _say(rng: random.Random, wording: str, subject: str, value: str) -> str:
    """A claim as somebody types it: now and then without its full stop or without capitals."""
    claim = wording.format(s=subject, v=value)
    claim = claim[0].upper() + claim[1:]
    chance = rng.random()
    return claim.lower().rstrip(".") if chance < 0.05 else claim.rstrip(".") if chance < 0.12 else claim


# -- roles -------------------------------------------------------------------------------------------------


def _find_roles(pages: Library, title: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Page, sentence, one name, verb and other name of each sentence in which one name did something to another."""
    for text in pages.introduction(title).sentences:
        match = _BEATS.search(text)
        if match and _apart(match["one"], match["other"]):
            yield title, text, match["one"], match["verb"], match["other"]


def _role_family(rng: random.Random, page: str, text: str, one: str, verb: str, other: str) -> Iterator[VerdictExample]:
    """A verb with its two names in their places, exchanged, and beside another verb."""
    evidence = render_elements([sentence(page, 0, text)])
    passive = dict(_ROLES)
    forms = (f"{one} {verb} {other}.", f"{other} {passive[verb]} {one}.")
    wrong = (f"{other} {verb} {one}.", f"{one} {passive[verb]} {other}.")
    unsaid = rng.choice([each for each in _ROLES if each[0] not in (verb, "beat", "defeated")])
    place = rng.randrange(2)
    yield VerdictExample(forms[place], evidence, SUPPORTS)
    yield VerdictExample(wrong[place], evidence, REFUTES)
    neither = (f"{one} {unsaid[0]} {other}.", f"{other} {unsaid[1]} {one}.")
    yield VerdictExample(neither[place], evidence, NOT_ENOUGH)
