"""What a corpus knows of names: the pages that one may stand for, and what sort of thing they are about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from veritab.build.answers.answer_types import AnswerType
from veritab.build.kinds import name_of, read_is_a
from veritab.errors import NotFound
from veritab.retrieve.index import Index
from veritab.retrieve.name_index import NameSource, NameTarget, key
from veritab.schema import Sentence

_LEAST_SHARE = 0.1
"""Of the links with some words, the share that must lead to a page for the words to be a name of it."""
_OPENING = 300
_MOST_TITLES = 3
_BORN = re.compile(r"\(.{0,60}\bborn\b|\(.{0,40}\d{4} ?[-–] ?.{0,20}\d{4}\)")
_PEOPLE = re.compile(
    r"(?:[a-z]ist|[ct]ian|mathematician|poet|king|queen|emperor|chemist|composer|painter|writer|author|actor|actress|singer"
    r"|player|footballer|cricketer|engineer|inventor|explorer|philosopher|astronomer|politician|president|director|producer"
    r"|swimmer|runner|athlete|scholar|bishop|lawyer|judge|officer|coach|model|comedian|wrestler|boxer|driver|rapper|skater"
    r"|skier|cyclist|dancer|presenter|businessman|professor|songwriter|golfer|general|pitcher|baseman|quarterback|rower"
    r"|saint|character|preacher|teacher|lecturer|leader|manager|photographer|maker|designer|soldier|surgeon|priest|lawyer"
    r"|businesswoman|nobleman|statesman|historian|theologian|murderer|killer|member)$"
)
_NOT_PEOPLE = frozenset({"list", "mist"})
_PLACES = frozenset(
    """city town village capital river lake mountain island country state province region municipality district county
    volcano peninsula port desert valley republic kingdom continent commune neighborhood neighbourhood suburb borough
    hamlet community settlement parish park stadium arena airport ocean sea bay gulf strait territory area""".split()
)
_KINDS = {
    "work": """album anime ballet book cartoon comedy documentary drama episode film game magazine manga miniseries
        movie musical newspaper novel opera play poem sequel series show sitcom soap soundtrack""",
    "song": "ballad hymn single song track anthem",
    "band": "band duo group quartet supergroup trio",
    "team": "club franchise side team",
    "company": """airline bank brand chain company conglomerate corporation distributor firm label maker manufacturer
        producer publisher retailer studio subsidiary""",
    "broadcaster": "broadcaster channel network station",
    "school": "academy college institute school university",
    "party": "alliance coalition movement party",
    "body": """agency assembly authority body bureau cabinet chamber commission committee congress council court
        department government house legislature ministry organisation organization parliament senate union""",
    "event": "ceremony championship competition cup event festival games league match tournament",
    "war": "battle campaign conflict invasion rebellion revolution siege uprising war",
    "language": "dialect language",
    "performer": """actor actress comedian dancer drummer entertainer guitarist musician performer presenter rapper
        singer songwriter vocalist""",
    "athlete": """athlete baseman boxer cornerback cricketer cyclist driver end fighter footballer forward golfer guard
        jockey kicker linebacker midfielder pitcher player quarterback receiver rower runner skater skier swimmer tackle
        wrestler""",
    "writer": "author dramatist essayist journalist novelist playwright poet screenwriter writer",
    "ruler": """chancellor diplomat emperor empress governor judge king lawyer leader mayor minister monarch nobleman
        politician president prince princess queen senator statesman sultan""",
    "scholar": """astronomer biologist botanist chemist economist engineer geologist historian inventor mathematician
        naturalist philosopher physician physicist psychologist scholar scientist sociologist theologian""",
    "settlement": """borough capital city commune hamlet municipality neighborhood neighbourhood settlement suburb town
        village""",
    "country": "country kingdom nation republic",
    "region": "county district oblast parish prefecture province region state territory",
    "water": "bay creek gulf lake ocean river sea strait",
}
_KIND_OF = {noun: kind for kind, nouns in _KINDS.items() for noun in nouns.split()}
_IS = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the) (.+)")
_BRACKETS = re.compile(r" ?\([^()]*\)| ?\[[^\[\]]*\]")
_NO_KINDS = frozenset({"", "name", "list", "surname"})


def has_kind(noun: str) -> bool:
    """Whether other nouns are of its kind, so that it is no noun of its own."""
    return noun in _KIND_OF


def kind_of_noun(noun: str) -> str:
    """What things may stand for each other: "work" for a film and a novel, "team" for a club; else the noun itself."""
    return _KIND_OF.get(noun, noun)


def noun_of_opening(title: str, opening: str) -> str:
    """What the first sentence of a page says that its subject is: "river"; empty where it does not say so."""
    found = _IS.search(_BRACKETS.sub("", opening))
    is_a = read_is_a(title, 0, f"It is a {found[1]}") if found else None
    return is_a.noun if is_a else ""


def sort_by_opening(title: str, opening: str) -> AnswerType | None:
    """Whether a page is about a person, a place or another thing with a name, by its first words; None if they do not
    say so plainly."""
    noun = noun_of_opening(title, opening)
    if _BORN.search(opening[:150]) or (noun not in _NOT_PEOPLE and _PEOPLE.search(noun)):
        return AnswerType.PERSON
    if noun in _PLACES:
        return AnswerType.PLACE
    is_common = re.search(rf"\b{re.escape(name_of(title).lower())}\b", opening)
    return AnswerType.NAME if noun not in _NO_KINDS and not is_common else None


class CorpusNames:
    """Looks names up in an indexed corpus: titles, redirects, and the words of links."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._targets: dict[str, tuple[NameTarget, ...]] = {}
        self.pages_of = lru_cache(50_000)(self._pages_of)
        """The pages that a name may stand for."""
        self.sort_of = lru_cache(50_000)(self._sort_of)
        """Whether a name is that of a person, a place or another thing; None where the corpus does not say."""
        self.noun_of = lru_cache(50_000)(self._noun_of)
        """What a thing with this name is: "river"; empty where the corpus does not say."""
        self.opening = lru_cache(50_000)(self._opening)
        """The first sentence of a page; empty where the corpus has no such page."""

    def look_up(self, names: Iterable[str]) -> None:
        """Look many names up at once, which is faster than one by one."""
        keys = {key(name) for name in names}
        unknown = [each for each in keys if each not in self._targets]
        found = self._index.names.targets(unknown) if unknown else {}
        if len(self._targets) > 200_000:
            self._targets.clear()
        self._targets.update((each, tuple(found.get(each, ()))) for each in unknown)

    def _targets_of(self, name: str) -> tuple[NameTarget, ...]:
        found = self._targets.get(key(name))
        if found is None:
            self.look_up([name])
            found = self._targets[key(name)]
        return found

    def _pages_of(self, name: str) -> frozenset[str]:
        targets = self._targets_of(name)
        linked = sum(each.times for each in targets if each.how is NameSource.ANCHOR)
        kept = [
            each.target for each in targets if each.how is not NameSource.ANCHOR or each.times >= _LEAST_SHARE * linked
        ]
        led = self._index.store.resolve_all(kept) if kept else {}
        # Links may lead to pages that the corpus lacks: two that lead to one of them still mean the same.
        return frozenset(led.get(each) or each for each in kept)

    def _sort_of(self, name: str) -> AnswerType | None:
        for title in self._own_titles(name):
            found = sort_by_opening(title, self.opening(title))
            if found:
                return found
        return None

    def _noun_of(self, name: str) -> str:
        nouns = (noun_of_opening(title, self.opening(title)) for title in self._own_titles(name))
        return next(filter(None, nouns), "")

    def openings(self, name: str) -> str:
        """What the pages of a name begin with."""
        return " ".join(map(self.opening, self._own_titles(name)))

    def _own_titles(self, name: str) -> list[str]:
        """The pages with this name, those that need nothing to tell them from others first."""
        targets = self._targets_of(name)
        own = [each for each in targets if each.how in (NameSource.TITLE, NameSource.REDIRECT)]
        own = own or [each for each in targets if each.how is NameSource.UNQUALIFIED and each.target.endswith(")")]
        return sorted((each.target for each in own), key=lambda each: (each != name, each))[:_MOST_TITLES]

    def _opening(self, title: str) -> str:
        try:
            page = self._index.store.page(title)
        except NotFound:
            return ""
        first = next((block.text for block in page.blocks if isinstance(block, Sentence)), "")
        return first[:_OPENING]
