"""Statistics of several data sets or splits side by side, as rows of text for terminals, cards and pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from veritab.datasets.statistics import Spread, Statistics, sections_in_order, together
from veritab.schema import Kind

SummaryRow: TypeAlias = tuple[str, ...]
"""What is counted, and the count of each data set."""

_DASH = "–"
_MOST_SECTIONS = 8


def summary_rows(columns: Sequence[Statistics]) -> list[SummaryRow]:
    """The numbers of some data sets: the claims, and one row for each other number that at least one of them has."""
    claims, *others = _rows(columns)
    return [claims, *(row for row in others if any(cell not in (_DASH, "0") for cell in row[1:]))]


def _rows(columns: Sequence[Statistics]) -> Iterator[SummaryRow]:
    yield _row("claims", columns, lambda each: f"{each.claims:,}")
    yield from _shares("", columns, lambda each: each.labels, lambda each: each.claims)
    yield _row("evidence found, not annotated", columns, lambda each: f"{each.silver:,}")
    yield _row("words of a claim, mean", columns, lambda each: _mean(each.lengths))
    yield _row("words of a claim, quartiles", columns, lambda each: _quartiles(each.lengths))
    yield _row("records they were built of", columns, lambda each: f"{each.origins:,}")
    yield from _shares("rule: ", columns, lambda each: each.rules, lambda each: each.claims)
    yield from _shares("challenge: ", columns, lambda each: each.challenges, lambda each: each.claims)
    yield _row("claims with evidence", columns, lambda each: _share(each.with_evidence, each.claims))
    yield _row(
        "claims with a set of several pieces", columns, lambda each: _share(each.several_pieces, each.with_evidence)
    )
    yield _row(
        "claims with a set from several pages", columns, lambda each: _share(each.several_pages, each.with_evidence)
    )
    yield _row(
        "claims that need several pieces", columns, lambda each: _share(each.need_several_pieces, each.with_evidence)
    )
    yield _row(
        "claims that need several pages", columns, lambda each: _share(each.need_several_pages, each.with_evidence)
    )
    yield _row("evidence sets", columns, lambda each: f"{each.sets:,}")
    yield from _shares("sets of ", columns, lambda each: each.sets_by_type, lambda each: each.sets)
    yield _row("sets of a claim, mean", columns, lambda each: _mean(each.sets_per_claim))
    yield _row("pieces of a set, mean", columns, lambda each: _mean(each.pieces_per_set))
    yield _row("pieces of a set, quartiles", columns, lambda each: _quartiles(each.pieces_per_set))
    for what in ("sentences", "cells", "tables"):
        yield (f"{what} of a set, mean", *(_number(each.mean_per_set.get(what, 0.0)) for each in columns))
    yield from _shares("pieces: ", columns, lambda each: each.pieces_by_kind, lambda each: _total(each.pieces_by_kind))
    yield _row("pages", columns, lambda each: f"{each.pages:,}")
    yield _row("pages of a claim, mean", columns, lambda each: _mean(each.pages_per_claim))
    yield _row("claims of a page, mean", columns, lambda each: _mean(each.claims_per_page))
    yield _row("sentence's place on its page, quartiles", columns, lambda each: _places(each.sentence_positions))
    yield _row("cell's row in its table, quartiles", columns, lambda each: _places(each.row_positions))
    most = _most_evident(columns)
    yield from _shares("in ", columns, lambda each: _few(each.sections, most), lambda each: _total(each.sections))
    yield _row("in other sections", columns, lambda each: _share(*_rest(each.sections, most)))
    yield _row("words quoted for a claim, mean", columns, lambda each: _mean(each.evidence_lengths))
    yield _row("words quoted for a claim, quartiles", columns, lambda each: _quartiles(each.evidence_lengths))


# -- as FaVIQ reports them ---------------------------------------------------------------------------------

ALL, MEAN = "all", "mean"


def label_rows(several: Sequence[Statistics]) -> list[SummaryRow]:
    """FaVIQ's table 1: the claims of each data set or split, in all and by label; what they are begins the rows."""
    rows = [*several, together(several, ALL)] if len(several) > 1 else several
    labels = list(dict.fromkeys(label for label in rows[-1].labels))
    lines = [(each.name, f"{each.claims:,}", *(f"{each.labels.get(name, 0):,}" for name in labels)) for each in rows]
    return [("", "claims", *labels), *lines]


def length_rows(several: Sequence[Statistics]) -> list[SummaryRow]:
    """FaVIQ's table 2: how many claims there are and how long, in words; it averages its two sets as `mean` does."""
    lines = [_lengths(each.name, each.lengths) for each in several]
    if len(several) > 1:
        lines.append(_lengths(ALL, together(several, ALL).lengths))
        lines.append(_lengths(MEAN, Spread.mean_of([each.lengths for each in several])))
    return [("words of a claim", "claims", "mean", "Q1", "Q2", "Q3"), *lines]


def _lengths(name: str, spread: Spread) -> SummaryRow:
    quartiles = (f"{round(value, 2):g}" for value in (spread.first, spread.median, spread.third))
    return (name, f"{spread.n:,}", f"{spread.mean:.1f}", *quartiles)


def brief_rows(several: Sequence[Statistics]) -> list[dict[str, Any]]:
    """Both tables as JSON, an object for each row."""
    rows = [(each.name, each.claims, each.labels, each.lengths) for each in several]
    if len(several) > 1:
        every = together(several, ALL)
        rows.append((ALL, every.claims, every.labels, every.lengths))
        rows.append((MEAN, every.claims, {}, Spread.mean_of([each.lengths for each in several])))
    return [
        {"name": name, "claims": claims, "labels": dict(labels), "lengths": lengths._asdict()}
        for name, claims, labels, lengths in rows
    ]


# -- rows --------------------------------------------------------------------------------------------------


def _row(name: str, columns: Sequence[Statistics], format_column: Callable[[Statistics], str]) -> SummaryRow:
    return (name, *map(format_column, columns))


def _shares(
    before: str,
    columns: Sequence[Statistics],
    counts: Callable[[Statistics], Mapping[str, int]],
    of: Callable[[Statistics], int],
) -> Iterator[SummaryRow]:
    """A row for each thing that is counted in any column, with its share."""
    for name in dict.fromkeys(name for each in columns for name in counts(each)):
        format_column = (_share(counts(each).get(name, 0), of(each)) for each in columns)
        yield (f"{before}{_PLURAL.get(name, name)}", *format_column)


_PLURAL = {str(kind): f"{kind.replace('_', ' ')}s" for kind in Kind}


def _most_evident(columns: Sequence[Statistics]) -> list[str]:
    """The sections with the most evidence over all data sets, in their order."""
    counts: Counter[str] = Counter()
    for each in columns:
        counts.update(each.sections)
    most = sorted(counts, key=lambda name: (-counts[name], name))[:_MOST_SECTIONS]
    return [name for name in sections_in_order(counts) if name in most]


def _few(sections: Mapping[str, int], most: Iterable[str]) -> dict[str, int]:
    return {name: sections.get(name, 0) for name in most}


def _rest(sections: Mapping[str, int], most: Iterable[str]) -> tuple[int, int]:
    return _total(sections) - _total(_few(sections, most)), _total(sections)


def _total(counts: Mapping[str, int]) -> int:
    return sum(counts.values())


def _share(count: int, of: int) -> str:
    return f"{count:,} ({100 * count / of:.0f} %)" if count else _DASH


def _number(value: float) -> str:
    return f"{value:.2f}" if value else _DASH


def _mean(spread: Spread) -> str:
    return f"{spread.mean:.1f}" if spread.n else _DASH


def _quartiles(spread: Spread) -> str:
    return f"{spread.first:g} · {spread.median:g} · {spread.third:g}" if spread.n else _DASH


def _places(counts: Mapping[int, int]) -> str:
    return _quartiles(Spread.of(counts))


def as_markdown(columns: Sequence[Statistics]) -> str:
    """The rows as a table in Markdown."""
    lines = [("", *(each.name for each in columns)), ("---", *["---:"] * len(columns)), *summary_rows(columns)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
