"""Which characters of a text match a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from veritab.retrieve.search.query import QueryTerm
from veritab.text import Span, terms, word_spans


def highlights(text: str, units: Iterable[QueryTerm]) -> tuple[Span, ...]:
    """The stretches of a text that are one of the units, whatever their endings; in order, none overlapping."""
    spans = word_spans(text)
    forms = _terms(text, spans)
    found = sorted((spans[first][0], spans[last - 1][1]) for first, last in _places(forms, units))
    merged: list[Span] = []
    for start, end in found:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def held(text: str, units: Iterable[QueryTerm]) -> frozenset[QueryTerm]:
    """Those of the units that a text holds."""
    if not text:
        return frozenset()
    sequence = terms(text)
    every = frozenset(sequence)
    return frozenset(
        unit for unit in units if every.issuperset(unit) and (len(unit) == 1 or any(_places(sequence, [unit])))
    )


def _places(sequence: Sequence[str], units: Iterable[QueryTerm]) -> Iterator[Span]:
    """Where units stand in a sequence of terms."""
    by_first: dict[str, list[QueryTerm]] = {}
    for unit in units:
        by_first.setdefault(unit[0], []).append(unit)
    for position, term in enumerate(sequence):
        for unit in by_first.get(term, ()):
            end = position + len(unit)
            if len(unit) == 1 or tuple(sequence[position:end]) == unit:
                yield position, end


def _terms(text: str, spans: Sequence[Span]) -> list[str]:
    """The term of each word; an empty one for words the tokenizer leaves out."""
    every = terms(text)
    if len(every) == len(spans):
        return every
    return [" ".join(terms(text[start:end])) for start, end in spans]
