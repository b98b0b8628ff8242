"""What the things of a corpus are, and what else is of their kind: from "is a" sentences, lists and table columns.

The first sentence of a page says what its subject is ("Baikal is a lake in Siberia"); things linked from the same list
or the same column of a table are peers; "in Siberia" and "capital of Egypt" say what a place lies in.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from veritab.corpus import Corpus
from veritab.errors import NotFound
from veritab.schema import ElementId, Kind, ListBlock, Page, Sentence, TableBlock

MOST_PAGES = 20_000
"""So many pages of a corpus are read for what they say of themselves; of a larger one a sample."""
_IS_A = re.compile(
    r"^(?P<subject>[^,]{1,60}?)(?:, [^,]{1,80},)? (?P<verb>is|was) (?:one of )?(?P<article>an?|the) (?P<rest>.+)"
)
_NOUN_ENDS = re.compile(
    r"[,;:.(]| (?:that|which|who|whose|whom|where|when|with|of|in|on|at|from|for|by|to|between|near|after|before|"
    r"during|spoken|located|situated|built|made|known|born|used|called|named|held|based|published|written|invented|found|"
    r"about|around|over|under|across|along|beyond|since|consisting|containing|lying|and|or|than|as)\b"
)
_NOT_KINDS = frozenset(
    """name one first last only same set group part kind type form series number member result system use term most
    sending seat body""".split()
)
_DEGREES = re.compile(r"(?:\w+-)?(?:\w+est|most|least|first|last|only|main|second|third|fourth|fifth|sixth|next)$")
_LIES_IN = re.compile(r"^[^,;:]*?\b(?:in|of) (?P<place>(?:the )?[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,2})")
_PLACES = frozenset(
    """city town village capital river lake mountain island country state province region municipality district county
    volcano peninsula port desert valley republic kingdom continent""".split()
)
PERSON, PLACE, BODY, MATTER = "person", "place", "body", "matter"
_BODIES = frozenset("planet moon star comet asteroid galaxy satellite".split())
_MATTERS = frozenset("element metal gas alloy compound mineral acid salt explosive".split())
_PEOPLE = re.compile(
    r"(?:ist|ian|mathematician|poet|king|queen|emperor|empress|chemist|composer|painter|writer|author|actor|actress|"
    r"singer|player|footballer|engineer|inventor|explorer|philosopher|astronomer|naturalist|politician|statesman|"
    r"president|director|producer|swimmer|runner|athlete|scholar|saint|bishop|pope|general|lawyer|judge|officer)$"
)
_NOT_PEOPLE = frozenset("list mist fist harpsichordian meridian median obsidian".split())
_QUALIFIER = re.compile(r" \([^()]*\)$")


class IsA(NamedTuple):
    """What the first sentence of a page says its subject is."""

    title: str
    sentence: ElementId
    phrase: str
    """The noun with its adjectives: "dormant volcano"."""
    noun: str
    """The last word of it: "volcano"."""
    definite: bool
    """Whether it is "the ...": then others are not."""
    lies_in: str
    """The place that it lies in, with its article; empty where that is not said."""
    alive: bool
    """Whether it still is that: "is", not "was"."""


class Peers(NamedTuple):
    """Things of one list or column."""

    where: str
    """The address of the list, or of the table."""
    titles: tuple[str, ...]


def _sort_of_noun(noun: str) -> str:
    if noun in _PLACES:
        return PLACE
    if noun in _BODIES:
        return BODY
    if noun in _MATTERS:
        return MATTER
    return PERSON if noun not in _NOT_PEOPLE and _PEOPLE.search(noun) else ""


def name_of(title: str) -> str:
    """What a page is about, without what tells its title from others."""
    return _QUALIFIER.sub("", title)


def read_is_a(title: str, number: int, text: str) -> IsA | None:
    """What a first sentence says its subject is; None where it does not say so plainly."""
    found = _IS_A.match(text)
    if not found:
        return None
    rest = found["rest"]
    end = _NOUN_ENDS.search(rest)
    phrase = rest[: end.start()] if end else rest.rstrip(".")
    words = phrase.split()
    # "a Polish and French physicist": an adjective of a place is no noun, so the phrase goes on.
    if end and end[0] == " and" and words and words[-1][0].isupper():
        longer = _NOUN_ENDS.search(rest, end.end())
        phrase = rest[: longer.start()] if longer else rest.rstrip(".")
        words = phrase.split()
    if not words or len(words) > 5:
        return None
    noun = words[-1].lower()
    if noun in _NOT_KINDS or not noun.isalpha() or words[-1][0].isupper() or _DEGREES.match(noun):
        return None
    degree = next((word for word in words[:-1] if _DEGREES.match(word.lower())), "")
    plain = " ".join(word for word in words if not _DEGREES.match(word.lower()))
    lies_in = ""
    if noun in _PLACES and end and end[0].strip() in ("in", "of", "and"):
        place = _LIES_IN.search(rest[end.start() :])
        lies_in = place["place"] if place else ""
    definite = found["article"] == "the" or bool(degree)
    return IsA(title, ElementId(title, Kind.SENTENCE, (number,)), plain, noun, definite, lies_in, found["verb"] == "is")


@dataclass
class CorpusKinds:
    """What is known of the things of a corpus; read through once, which takes a second for a thousand pages."""

    corpus: Corpus
    seed: int = 0
    is_a: dict[str, IsA] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        peers: dict[str, list[Peers]] = {}
        for page in self._pages():
            self._names.setdefault(name_of(page.title), page.title)
            self._names[page.title] = page.title
            first = next((block for block in page.blocks if isinstance(block, Sentence)), None)
            found = read_is_a(page.title, first.number, first.text) if first else None
            if found:
                self.is_a[page.title] = found
            for group in _groups(page):
                for title in group.titles:
                    peers.setdefault(title, []).append(group)
        self._peers: Mapping[str, Sequence[Peers]] = peers

    def _pages(self) -> Iterable[Page]:
        if len(self.corpus) <= MOST_PAGES:
            return self.corpus.pages()
        titles = sorted(self.corpus.titles())
        chosen = random.Random(f"{self.seed} kinds").sample(titles, MOST_PAGES)
        return (self.corpus.page(title) for title in sorted(chosen))

    @cached_property
    def _of_noun(self) -> Mapping[str, tuple[str, ...]]:
        nouns: dict[str, list[str]] = {}
        for title, found in self.is_a.items():
            nouns.setdefault(found.noun, []).append(title)
        return {noun: tuple(sorted(titles)) for noun, titles in nouns.items()}

    def page_of(self, name: str) -> str:
        """The title of the page that a name is of; empty where the corpus has none."""
        return self._names.get(name) or self._names.get(name.removeprefix("the ").removeprefix("The "), "")

    def noun_of(self, title: str) -> str:
        """What kind of thing a page is about: "river"; empty where it does not say."""
        found = self.is_a.get(title)
        return found.noun if found else ""

    def similar(self, title: str) -> list[str]:
        """Other things of the same kind: those of its lists and columns first, then those that are called the same.

        A list or column may hold several kinds of things; where both say what they are, they must say the same.
        """
        noun = self.noun_of(title)
        near = [
            each
            for group in self._peers.get(title, ())
            for each in group.titles
            if each != title and noun and self.noun_of(each) == noun
        ]
        return list(dict.fromkeys([*near, *(each for each in self._of_noun.get(noun, ()) if each != title)]))

    def dissimilar(self, title: str) -> list[str]:
        """Things of another kind that can still stand in the same sentence: a composer for a chemist, no river."""
        noun, sort = self.noun_of(title), self.sort_of(title)
        return [each for each in self._of_sort.get(sort, ()) if self.noun_of(each) != noun] if sort else []

    def sort_of(self, title: str) -> str:
        """Whether a page is about a person, a place, a body in space or a matter; empty where that is not known."""
        return _sort_of_noun(self.noun_of(title))

    @cached_property
    def _of_sort(self) -> Mapping[str, tuple[str, ...]]:
        sorts: dict[str, list[str]] = {}
        for title in sorted(self.is_a):
            sorts.setdefault(self.sort_of(title), []).append(title)
        return {sort: tuple(titles) for sort, titles in sorts.items() if sort}

    def place_around(self, title: str) -> str:
        """The place that a place lies in, by what its page says; empty where that is not said."""
        found = self.is_a.get(title)
        return found.lies_in if found else ""

    def places_within(self, title: str) -> list[str]:
        """The places that lie in a place."""
        names = {title, name_of(title)}
        return sorted(each for each, found in self.is_a.items() if found.lies_in.removeprefix("the ") in names)

    def share_group(self, one: str, other: str) -> str:
        """The list or table that two things are both in; empty where there is none."""
        return next((group.where for group in self._peers.get(one, ()) if other in group.titles), "")

    def sentence_text(self, id: ElementId) -> str:
        try:
            return self.corpus.element(id).text
        except NotFound:
            return ""


def _groups(page: Page) -> Iterator[Peers]:
    """The lists and columns of a page as groups of the pages that their entries link to."""
    for block in page.blocks:
        if isinstance(block, ListBlock):
            linked = dict.fromkeys(item.links[0].target for item in block.items if item.links)
            if len(linked) > 1:
                yield Peers(str(ElementId(page.title, Kind.LIST, (block.number,))), tuple(linked))
        elif isinstance(block, TableBlock) and not block.infobox:
            columns: dict[int, dict[str, None]] = {}
            for row in block.rows:
                for place, cell in enumerate(row):
                    if len(cell.links) == 1 and not cell.header:
                        columns.setdefault(place, {})[cell.links[0].target] = None
            for column in columns.values():
                if len(column) > 1:
                    yield Peers(str(ElementId(page.title, Kind.TABLE, (block.number,))), tuple(column))
