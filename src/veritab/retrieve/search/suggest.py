"""Titles that complete what was typed so far."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from tantivy import Occur, Query

from veritab.retrieve.index import Index
from veritab.retrieve.name_index import key
from veritab.text import terms, words

_LONGEST_BEGINNING = 300
_MOST_WORDS = 8
_MOST_ALIKE = 500
_LIKE_ENOUGH = 70.0


def suggest(index: Index, beginning: str, limit: int) -> list[str]:
    """Titles that begin so, then those with a later word that does; where there are none, those written almost so."""
    typed = words(beginning[:_LONGEST_BEGINNING])[:_MOST_WORDS]
    if limit < 1 or not typed:
        return []
    found = _that_begin(index, " ".join(typed))
    if len(found) < limit:
        found = list(dict.fromkeys((*found, *_with_later_word(index, typed, 5 * limit))))
    return (found or _almost(index, typed))[:limit]


def _that_begin(index: Index, typed: str) -> list[str]:
    """What is called just so, then titles, then the pages that other names lead to; short and well-known ones first."""
    names = index.names.complete(typed, _MOST_ALIKE)
    titles = index.store.resolve_all(names)
    known = _sizes(index, [title for title in titles.values() if title])

    def order(name: str) -> tuple[bool, bool, float, str]:
        return (
            key(name) != typed,
            titles[name] != name,
            len(name) / 10 - log(1 + known.get(titles[name] or "", 0)),
            name,
        )

    return list(dict.fromkeys(title for name in sorted(names, key=order) if (title := titles[name])))


def _sizes(index: Index, titles: Sequence[str]) -> dict[str, int]:
    """How much is written about pages: a sort of fame."""
    numbers = index.store.numbers_by_title(titles)
    sizes = index.names.sizes(numbers.values())
    return {title: sizes.get(number, 0) for title, number in numbers.items()}


def _with_later_word(index: Index, typed: Sequence[str], limit: int) -> list[str]:
    before = [term for word in typed[:-1] for term in terms(word)]
    # Titles are kept by stems, so that "mountains" is only met as "mountain".
    last = dict.fromkeys((typed[-1], *terms(typed[-1])))
    some = [(Occur.Should, Query.phrase_prefix_query(index.pages.schema, "title", [*before, word])) for word in last]
    return sorted(_titles(index, Query.boolean_query(some), limit), key=lambda title: (len(title), title))


def _almost(index: Index, typed: Sequence[str]) -> list[str]:
    """Titles with a word that is nearly one of these, the most alike first; fewer mistakes are tried before more."""
    start = " ".join(typed)
    for mistakes, prefix in ((1, False), (1, True), (2, False), (2, True)):
        close = [
            (Occur.Should, Query.fuzzy_term_query(index.pages.schema, "title", word, mistakes, prefix=prefix))
            for word in typed
            if len(word) > 2 * mistakes
        ]
        titles = _titles(index, Query.boolean_query(close), _MOST_ALIKE) if close else []
        alike = {title: like for title in titles if (like := _likeness(start, key(title))) >= _LIKE_ENOUGH}
        if alike:
            known = _sizes(index, list(alike))
            return sorted(alike, key=lambda title: (-alike[title] - log(1 + known.get(title, 0)), title))
    return []


def _likeness(typed: str, name: str) -> float:
    """How much a name, or the beginning of any word of it, looks like what was typed, up to 100."""
    from rapidfuzz import fuzz

    starts = [0, *(place + 1 for place, character in enumerate(name) if character == " ")]
    # A letter left out makes the right word longer than what was typed.
    cut = ((start, name[start : start + len(typed) + more]) for start in starts for more in (0, 1))
    return max(fuzz.ratio(typed, name) + 1, *(fuzz.ratio(typed, part) - 2 * (start > 0) for start, part in cut))


def _titles(index: Index, query: Query, limit: int) -> list[str]:
    found = index.pages.matching(query, limit)
    titles = index.store.titles_by_number(entry.page for entry in found)
    return [titles[entry.page] for entry in found if entry.page in titles]
