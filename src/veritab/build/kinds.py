"""What the things of a corpus are, and what else is of their kind: from "is a" sentences, lists and table columns.

The first sentence of a page says what its subject is ("Baikal is a lake in Siberia"); things linked from the same list
or the same column of a table are peers; "in Siberia" and "capital of Egypt" say what a place lies in.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from veritab.corpus import Corpus
from veritab.errors import NotFound
from veritab.lexicon.numbers import ORDINALS
from veritab.schema import ElementId, Kind, ListBlock, Page, Sentence, TableBlock
from veritab.text import words

MOST_PAGES = 20_000
"""So many pages are read for things of a kind; of a larger corpus a sample, and what a claim names is looked up."""
_MOST_SENTENCES = 3
"""What a page says its subject is, stands in one of the first: notes and pronouns may come before."""
_IS_A = re.compile(
    r"^(?P<subject>[^,]{1,60}?)(?:, [^,]{1,80},)? (?:is|was) (?:one of )?(?P<article>an?|the) (?P<rest>.+)"
)
_NOUN_ENDS = re.compile(
    r"[,;:.(]| (?:that|which|who|whose|whom|where|when|with|of|in|on|at|from|for|by|to|between|near|after|before|"
    r"during|spoken|located|situated|built|made|known|born|used|called|named|held|based|published|written|invented|found|"
    r"directed|created|distributed|starring|released|featuring|produced|developed|operating|composed|performed|recorded|"
    r"set|formed|founded|established|starting|owned|operated|played|about|around|over|under|across|along|beyond|since|consisting|containing|lying|and|or|than|as)\b"
)
_NOT_KINDS = frozenset(
    """name one first last only same set group part kind type form number member result system use term most
    sending seat body family collection class range variety branch pair piece sort species line
    brand list""".split()
)
_DEGREES = re.compile(rf"(?:\w+-)?(?:\w+est|most|least|last|only|main|next|{'|'.join(ORDINALS)})$")
_OF_ANOTHER = r"(?: of (?:the )?[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,2})?"
"""The rest of a name such as "the Commonwealth of Massachusetts"."""
_LIES_IN = re.compile(rf"^[^,;:]*?\b(?:in|of) (?P<place>(?:the )?[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){{0,2}}{_OF_ANOTHER})")
_INHABITED = frozenset(
    "city town village capital country state province municipality county port republic kingdom".split()
)
_PLACES = _INHABITED | frozenset("river lake mountain island region volcano peninsula desert valley continent".split())
PERSON, PLACE, BODY, MATTER = "person", "place", "body", "matter"
"""Sorts of things that can stand for each other in a sentence: what is said of a city may be said of a country."""
_BODIES = frozenset("planet moon star comet asteroid galaxy".split())
_MATTERS = frozenset("element metal gas alloy compound mineral acid salt explosive".split())
_PEOPLE = re.compile(
    r"(?:ist|ian|writer|woman)$|^(?:poet|king|queen|emperor|empress|composer|painter|author|actor|"
    r"actress|singer|footballer|engineer|inventor|explorer|philosopher|astronomer|president|director|producer|swimmer|"
    r"runner|athlete|scholar|saint|bishop|pope|lawyer|officer|rapper|dancer|driver|wrestler|boxer|coach|"
    r"presenter|entrepreneur|editor|critic|soldier|cricketer|golfer|designer|architect|photographer|filmmaker|"
    r"conductor|drummer|bassist|sculptor|surgeon|skater|skier|diplomat|novelist|businessman|sportsman|teacher|professor)$"
)
_NOT_PEOPLE = frozenset("list mist fist meridian median obsidian human".split())
_MOST_WORDS = 6
_LONGEST_OPENING = 60
_NAME = re.compile(r"[A-Z][^\W\d]*(?:[.’'-][^\W\d]+)*\.?(?: (?:of|the|de|la|von|van|da|di|[A-Z][^\W\d.]*\.?)){0,3}")
"""Titles that can stand in a sentence as they are: "Palo Alto, California" and "List of rivers" cannot."""
_BRACKETS = re.compile(r" ?\([^()]*\)| ?\[[^\[\]]*\]|^\W+")
_BORN = re.compile(r"^[^()]{1,80}\([^()]*\bborn\b")
_LIVED = re.compile(r"^[^()]{1,80}\((?:[^()]*\bborn\b|[^()]*\b\d{4} ?[–-] ?[^()]*\b\d{4})")
_WORKS = frozenset("film series song album single novel book game show drama play sitcom comedy magazine".split())
_TRADES = _WORKS | frozenset("television stage radio theatre voice music art".split())
"""Nouns that stand before the noun of a person: "an American film, television and stage actor"."""
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
    with_the: bool
    """Whether its name stands with "the": "The Nile is a river"."""
    is_person: bool
    """Whether it is somebody: by the noun, or as it was born."""
    lies_in: str
    """The place that it lies in, with its article; empty where that is not said."""


class Peers(NamedTuple):
    """Things of one list or column."""

    where: str
    """The address of the list, or of the table."""
    titles: tuple[str, ...]


def _sort_of_noun(noun: str) -> str:
    if noun in _INHABITED:
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
    found = _IS_A.match(_BRACKETS.sub("", text))
    if not found:
        return None
    rest = found["rest"]
    end = _NOUN_ENDS.search(rest)
    phrase = rest[: end.start()] if end else rest.rstrip(".")
    said = phrase.split()
    # "a Polish and French physicist", "a banking and financial services brand": the phrase goes on to its noun.
    if end and end[0] == " and" and said:
        longer = _NOUN_ENDS.search(rest, end.end())
        whole = rest[: longer.start()] if longer else rest.rstrip(".")
        if not re.search(r" (?:an?|the) ", whole) and (said[-1][0].isupper() or len(whole.split()) > len(said) + 2):
            phrase, said = whole, whole.split()
    if not said or len(said) > _MOST_WORDS:
        return None
    noun = said[-1].lower()
    if noun == "series" and (len(said) < 2 or (end and end[0] == " of")):
        return None
    if noun in _TRADES and ("-born" in phrase or _LIVED.match(text)):
        return None
    if (
        noun in _NOT_KINDS
        or noun.endswith(("ed", "members"))
        or not noun.isalpha()
        or said[-1][0].isupper()
        or _DEGREES.match(noun)
    ):
        return None
    degree = next((word for word in said[:-1] if _DEGREES.match(word.lower())), "")
    plain = " ".join(word for word in said if not _DEGREES.match(word.lower()))
    lies_in = ""
    if noun in _PLACES and end and end[0].strip() in ("in", "of", "and"):
        place = _LIES_IN.search(rest[end.start() :])
        lies_in = place["place"] if place else ""
    definite = found["article"] == "the" or bool(degree)
    with_the = found["subject"].startswith(f"The {name_of(title).split()[0]}")
    is_person = _sort_of_noun(noun) == PERSON or bool(_BORN.search(text))
    return IsA(title, ElementId(title, Kind.SENTENCE, (number,)), plain, noun, definite, with_the, is_person, lies_in)


def _says_of_itself(page: Page) -> IsA | None:
    """What a page says its subject is, in a sentence that names the subject."""
    own = {word for word in words(name_of(page.title)) if len(word) > 1}
    sentences = (block for block in page.blocks if isinstance(block, Sentence))
    for sentence in islice(sentences, _MOST_SENTENCES):
        opening = words(sentence.text[: len(page.title) + _LONGEST_OPENING])
        found = read_is_a(page.title, sentence.number, sentence.text) if own.intersection(opening) else None
        if found:
            return found
    return None


class CorpusKinds:
    """What is known of the things of a corpus; read through once, which takes a second for a thousand pages."""

    def __init__(self, corpus: Corpus, seed: int = 0) -> None:
        self.corpus = corpus
        self._titles = frozenset(corpus.titles())
        self._qualified: dict[str, list[str]] = {}
        for title in sorted(self._titles):
            if (name := name_of(title)) != title:
                self._qualified.setdefault(name, []).append(title)
        self._is_a: dict[str, IsA | None] = {}
        peers: dict[str, list[Peers]] = {}
        for page in self._read_pages(seed):
            self._is_a[page.title] = _says_of_itself(page)
            for group in _groups(page):
                for title in group.titles:
                    peers.setdefault(title, []).append(group)
        self._peers: Mapping[str, Sequence[Peers]] = peers
        self._read = {title: found for title, found in self._is_a.items() if found}

    def _read_pages(self, seed: int) -> Iterable[Page]:
        if len(self._titles) <= MOST_PAGES:
            return self.corpus.pages()
        chosen = random.Random(f"{seed} kinds").sample(sorted(self._titles), MOST_PAGES)
        return map(self.corpus.page, sorted(chosen))

    @cached_property
    def _of_noun(self) -> Mapping[str, tuple[str, ...]]:
        nouns: dict[str, list[str]] = {}
        for title, found in self._read.items():
            name = name_of(title)
            # A film called "Golf" would be taken for the game.
            if _NAME.fullmatch(name) and (" " in name or found.noun not in _WORKS):
                nouns.setdefault(found.noun, []).append(title)
        return {noun: tuple(sorted(titles)) for noun, titles in nouns.items()}

    def page_of(self, name: str, near: Sequence[str] = ()) -> str:
        """The title of the page that a name is of: one of those near, or the only one; empty where that is not sure."""
        plain = name.removeprefix("the ").removeprefix("The ")
        for title in near:
            if {title, name_of(title)} & {name, plain}:
                return title
        for each in (name, plain):
            if each in self._titles:
                return each
            # "American" alone is hardly "American (song)".
            if " " in each and len(titles := self._qualified.get(each, [])) == 1:
                return titles[0]
        return ""

    def is_a(self, title: str) -> IsA | None:
        """What a page says its subject is; None where it does not say so plainly."""
        if title not in self._is_a:
            try:
                self._is_a[title] = _says_of_itself(self.corpus.page(title))
            except NotFound:
                self._is_a[title] = None
        return self._is_a[title]

    def noun_of(self, title: str) -> str:
        """What kind of thing a page is about: "river"; empty where it does not say."""
        found = self.is_a(title)
        return found.noun if found else ""

    def similar(self, title: str) -> list[str]:
        """Other things of the same kind: those of its lists and columns first, then those that are called the same.

        A list or column may hold several kinds of things; where both say what they are, they must say the same.
        """
        said = self.is_a(title)
        if said is None:
            return []
        near = [
            each for group in self._peers.get(title, ()) for each in group.titles if self.noun_of(each) == said.noun
        ]
        others = self._of_noun.get(said.noun, ())
        # Another "American actor" before other actors: what is said of the one may well be said of the other.
        alike = [each for each in others if self._read[each].phrase == said.phrase]
        return [each for each in dict.fromkeys([*near, *alike, *others]) if each != title]

    def dissimilar(self, title: str) -> list[str]:
        """Things of another kind that can still stand in the same sentence: a composer for a chemist, no river."""
        noun, sort = self.noun_of(title), self.sort_of(title)
        return [each for each in self._of_sort.get(sort, ()) if self.noun_of(each) != noun] if sort else []

    def sort_of(self, title: str) -> str:
        """Whether a page is about a person, a place, a body in space or a matter; empty where that is not known."""
        found = self.is_a(title)
        return "" if found is None else PERSON if found.is_person else _sort_of_noun(found.noun)

    @cached_property
    def _of_sort(self) -> Mapping[str, tuple[str, ...]]:
        sorts: dict[str, list[str]] = {}
        for titles in self._of_noun.values():
            for title in titles:
                sorts.setdefault(self.sort_of(title), []).append(title)
        return {sort: tuple(sorted(titles)) for sort, titles in sorts.items() if sort}

    def places_within(self, title: str) -> tuple[str, ...]:
        """The places that lie in a place."""
        return tuple(sorted({*self._within.get(title, ()), *self._within.get(name_of(title), ())}))

    @cached_property
    def _within(self) -> Mapping[str, list[str]]:
        within: dict[str, list[str]] = {}
        for title, found in self._read.items():
            if found.lies_in and _NAME.fullmatch(name_of(title)):
                within.setdefault(found.lies_in.removeprefix("the "), []).append(title)
        return within

    def share_group(self, one: str, other: str) -> str:
        """The list or table that two things are both in; empty where there is none."""
        return next((group.where for group in self._peers.get(one, ()) if other in group.titles), "")


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
