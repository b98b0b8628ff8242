"""What people type into a search box, read without ever saying no.

Plain words, `"quoted phrases"`, `title:everest`, `section:"early life"`, `headers:population`, `kind:table`,
`page:"Mount Everest"` and `-without`. Whatever is none of these is just words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from veritab.errors import InputError
from veritab.schema import Kind
from veritab.text import STOP_TERMS, terms

KINDS: dict[str, Kind] = {
    "page": Kind.TITLE,
    "section": Kind.SECTION,
    "sentence": Kind.SENTENCE,
    "item": Kind.ITEM,
    "passage": Kind.PASSAGE,
    "table": Kind.TABLE,
    "table_caption": Kind.TABLE_CAPTION,
    "cell": Kind.CELL,
    "header_cell": Kind.HEADER_CELL,
}
"""What can be searched for, by the word people use; a page is found as its title."""

QueryTerm: TypeAlias = tuple[str, ...]
"""One thing to look for: a term, or the terms of a phrase in their order."""

FIELDS = frozenset({"title", "section", "headers"})
# An essay as a query is read so far, then by its rarest words.
_MOST_UNITS = 3000
_LONGEST_PHRASE = 50
_MOST_CONDITIONS = 40
_QUOTES = str.maketrans("“”„‟«»", '""""""')
_PART = re.compile(
    # "-5 °C" asks for a number, not for everything without it.
    r'(?P<minus>(?<!\S)-(?=[^\W\d]|"))?'
    r"(?:(?P<field>title|section|headers|kind|page):)?"
    r'(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))',
    re.IGNORECASE,
)
# What holds no number or name together: "everest^5" is two words, "COVID-19" is one name.
_APART = re.compile(r"[!#$%&()*+;<=>?@\[\\\]^`{|}~]+")


class QueryCondition(NamedTuple):
    """A unit that must, or must not, be there: in one field, or anywhere where no field is named."""

    unit: QueryTerm
    field: str = ""


@dataclass(frozen=True)
class SearchQuery:
    """A search as it was meant: any of `wanted`, all of `required`, none of `excluded`, of one kind, on one page."""

    wanted: tuple[QueryTerm, ...] = ()
    required: tuple[QueryCondition, ...] = ()
    excluded: tuple[QueryCondition, ...] = ()
    kind: Kind | None = None
    page: str | None = None
    name: str = ""
    """Words and phrases as they were typed: perhaps the name of something."""

    @property
    def units(self) -> tuple[QueryTerm, ...]:
        """Everything that is looked for in a text, each once."""
        return tuple(dict.fromkeys((*self.wanted, *(unit for unit, field in self.required if not field))))

    @property
    def is_plain(self) -> bool:
        """Whether it is nothing but words and phrases."""
        return not (self.excluded or any(field for _, field in self.required))

    def __bool__(self) -> bool:
        return bool(self.wanted or self.required)


def parse_kind(name: str) -> Kind:
    """The kind people call so."""
    known = {**KINDS, Kind.TITLE.value: Kind.TITLE}
    if name not in known:
        raise InputError(f"cannot search for {name!r}; a kind is one of: {', '.join(KINDS)}")
    return known[name]


def parse_query(query: str) -> SearchQuery:
    """What a query asks for."""
    wanted: list[QueryTerm] = []
    required: list[QueryCondition] = []
    excluded: list[QueryCondition] = []
    kind: Kind | None = None
    page: str | None = None
    plain: list[str] = []
    for part in _PART.finditer(query.translate(_QUOTES)):
        field = (part["field"] or "").lower()
        value = part["word"] or part["phrase"] or ""
        if field == "kind" and not part["minus"] and value.lower() in KINDS:
            kind = KINDS[value.lower()]
        elif field == "page" and not part["minus"] and value:
            page = value
        elif part["minus"]:
            excluded += _conditions(part, field, value)
        elif field in FIELDS or part["phrase"] is not None:
            required += _conditions(part, field, value)
            plain += [] if field else [value]
        else:
            plain.append(part[0])
            wanted += _units(part[0])
        if len(wanted) + len(required) + len(excluded) >= _MOST_UNITS:
            break
    meant = _meaningful(wanted, alone=not required)
    needed, unwanted = (tuple(dict.fromkeys(some))[:_MOST_CONDITIONS] for some in (required, excluded))
    return SearchQuery(meant, needed, unwanted, kind, page, " ".join(plain))


def _conditions(part: re.Match[str], field: str, value: str) -> Iterator[QueryCondition]:
    where = field if field in FIELDS else ""
    for unit in [tuple(terms(value)[:_LONGEST_PHRASE])] if part["phrase"] is not None else _units(value):
        if unit:
            yield QueryCondition(unit, where)


def _units(word: str) -> Iterator[QueryTerm]:
    """What stands between two spaces: mostly one term, but "well-known" is two, and "8,849" and "U.S." are phrases."""
    for part in _APART.split(word):
        found = terms(part)
        if len(found) > 1 and (any(map(str.isdigit, found)) or all(len(term) == 1 for term in found)):
            yield tuple(found[:_LONGEST_PHRASE])
        else:
            yield from ((term,) for term in found)


def _meaningful(units: Iterable[QueryTerm], *, alone: bool) -> tuple[QueryTerm, ...]:
    """Units without stop words; with them where there is nothing else to look for."""
    every = dict.fromkeys(units)
    kept = tuple(unit for unit in every if len(unit) > 1 or unit[0] not in STOP_TERMS)
    return kept or (tuple(every) if alone else ())
