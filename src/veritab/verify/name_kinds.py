"""What kind of thing a name may be that of: a person, a town, a country, a lake."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from veritab.decompose.description_ends import PERSON_NOUNS
from veritab.decompose.descriptions import CITY_NOUNS, COUNTRY_NOUNS
from veritab.decompose.subjects import THINGS
from veritab.schema import CELLS, Element, Kind, Table
from veritab.text import terms

_STATES = frozenset("country nation republic kingdom continent".split())
_PLACES = frozenset(terms(" ".join((*CITY_NOUNS, *COUNTRY_NOUNS, "island", "municipality", "commune", "territory"))))
_PARTICLES = frozenset("de da di del la le van von der den al bin ibn du des".split())
_MOUNTAINS = frozenset("mountain mount peak summit volcano massif".split())
_NATURAL = (
    _MOUNTAINS,
    frozenset({"lake", "reservoir"}),
    frozenset({"river", "canal"}),
    frozenset({"sea", "ocean"}),
    frozenset({"island"}),
    frozenset({"planet"}),
    frozenset({"range", "mountains"}),
)
_KINDS = (
    CITY_NOUNS | {"municipality", "suburb", "borough"},
    COUNTRY_NOUNS | {"empire", "county", "district", "department", "territory"},
    *_NATURAL,
    *(frozenset({noun}) for noun in "moon star element metal language ship bridge church tower".split()),
)
"""Nouns of which one thing is of one group only."""
_LANDFORMS = frozenset(
    "hill hills mountains alps bay cape gulf strait falls mare crater plateau basin delta islands lakes dam".split()
)
_TITLES = frozenset("dr mr mrs ms sir dame lord lady professor prof king queen president emperor".split())
_EVENTS = frozenset("olympics games prize award cup war championship championships festival marathon".split())
_TELLING = THINGS.union(*_KINDS, _LANDFORMS, _EVENTS)


class PageSummary(NamedTuple):
    """What tells of which kind the thing is that a page is about."""

    labels: frozenset[str]
    """The names of the lines of its infobox."""
    sentence: str
    """Its first sentence."""

    @classmethod
    def of(cls, tables: Iterable[Table], elements: Iterable[Element]) -> PageSummary:
        """The summary of the tables and the elements of a page."""
        rows = (row for table in tables if table.infobox for row in table.rows if row)
        labels = frozenset(row[0].text.lower() for row in rows)
        return cls(labels, next((each.text for each in elements if each.kind is Kind.SENTENCE), ""))


def is_of_kind(name: str, head: str, page: PageSummary | None) -> bool:
    """Whether a name may be that of a person, a place or a thing, as the description says."""
    if head in PERSON_NOUNS | CITY_NOUNS | COUNTRY_NOUNS and any(map(str.isdigit, name)):
        return False
    if _says_another_kind(name, head) or (head not in PERSON_NOUNS and name.split()[0].rstrip(".").lower() in _TITLES):
        return False
    labels = page.labels if page else None
    if head in PERSON_NOUNS:
        return "born" in labels if labels else _may_be_person(name)
    wanted = _PLACES if head in CITY_NOUNS | COUNTRY_NOUNS else frozenset(terms(" ".join(_kind_of(head))))
    if page and page.sentence and wanted and wanted.isdisjoint(terms(f"{name} {page.sentence}")):
        return False
    if not labels:
        return True
    # A page with a capital is of a country, and one with a country of a town or a thing in it.
    return labels.isdisjoint({"born", "country" if head in _STATES else "capital"})


def is_of_one_kind(head: str) -> bool:
    """Whether what a noun stands for has it in its name or on its page as a rule: lakes, mountains, planets."""
    return any(head in kind for kind in _NATURAL)


def stands_under_another_kind(element: Element, head: str) -> bool:
    """Whether the header of a cell says that what stands there is of another kind: a country, and no lake."""
    own = _kind_of(head)
    headers = {term for near in element.context if near.id.kind in CELLS for term in near.text.lower().split()}
    return bool(own) and own.isdisjoint(headers) and any(not kind.isdisjoint(headers) for kind in _KINDS)


def stands_under_own_kind(element: Element, head: str) -> bool:
    """Whether the header of a cell is the noun of the description: "Range" over the range of a mountain."""
    return any(near.id.kind in CELLS and terms(near.text) == terms(head) for near in element.context)


def fits_kind(name: str, head: str, page: PageSummary | None) -> bool:
    """Whether a name or the first sentence of its page has the noun of the description."""
    own = terms(name)
    noun = set(terms(head))
    if not noun.isdisjoint(own) or (head in _MOUNTAINS and own[0] == "mount"):
        return True
    return page is not None and not noun.isdisjoint(terms(page.sentence))


def _kind_of(head: str) -> frozenset[str]:
    """The nouns of the group that a noun is of; none where things of many kinds may be meant."""
    return next((kind for kind in _KINDS if head in kind), PERSON_NOUNS if head in PERSON_NOUNS else frozenset())


def _says_another_kind(name: str, head: str) -> bool:
    """Whether the noun in a name is of another kind than the description: "Owen Falls Dam" is no lake."""
    own = _kind_of(head)
    words = name.lower().split()
    nouns = {words[-1], words[0]} if words else set()
    if "of" in words[1:]:
        nouns.add(words[words.index("of") - 1])
    return bool(own) and own.isdisjoint(words) and not _TELLING.isdisjoint(nouns) and head not in PERSON_NOUNS


def _may_be_person(name: str) -> bool:
    """Whether a name is written as that of a person is: two words or more, all but particles with capitals."""
    words = name.split()
    return (
        len(words) > 1
        and words[-1].lower() not in THINGS | _LANDFORMS | _EVENTS
        and all(word[0].isupper() or word in _PARTICLES for word in words)
    )
