"""Statistics of data sets as a page: the numbers side by side, and the distributions that the papers plot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from veritab.datasets.statistics import Statistics
from veritab.datasets.summary import summary_rows
from veritab.evaluate import html_page, plots
from veritab.render.markup import Markup

_MOST_BINS = 40
_MOST_SECTIONS = 12


def data_page(columns: Sequence[Statistics]) -> str:
    """The page of some data sets, or of the splits of one."""
    names = ", ".join(each.name for each in columns)
    return html_page.page(f"Data: {names}", ["Lengths are in words between white space."], list(_sections(columns)))


def _sections(columns: Sequence[Statistics]) -> Iterator[Markup]:
    header = ("", *(each.name for each in columns))
    yield html_page.section("numbers", "Numbers", html_page.table(header, summary_rows(columns), name="Numbers"))
    charts = [
        _shares(columns, "Labels", lambda each: each.labels),
        _shares(columns, "Challenges", lambda each: each.challenges),
        _line(columns, "Length of claims", "words", lambda each: each.distribution),
    ]
    yield from _section("claims", "Claims", charts)
    charts = [
        _shares(columns, "Evidence sets by type", lambda each: each.sets_by_type),
        _shares(columns, "Pieces of evidence by kind", lambda each: each.pieces_by_kind),
        _line(columns, "Pieces in an evidence set", "pieces", lambda each: each.set_sizes),
    ]
    yield from _section("evidence", "Evidence", charts)
    charts = [
        _line(
            columns, "Sentences by their place on the page", "number of the sentence", lambda e: e.sentence_positions
        ),
        _line(columns, "Cells by their row in the table", "number of the row", lambda each: each.row_positions),
        _shares(columns, "Sections that evidence lies in", _largest_sections),
    ]
    yield from _section("places", "Where evidence lies", charts)


def _section(anchor: str, name: str, charts: Sequence[str]) -> Iterator[Markup]:
    drawn = [html_page.chart(svg) for svg in charts if svg]
    if drawn:
        yield html_page.section(anchor, name, *drawn)


def _largest_sections(each: Statistics) -> Mapping[str, int]:
    most = sorted(each.sections, key=lambda name: (-each.sections[name], name))[:_MOST_SECTIONS]
    return {name: count for name, count in each.sections.items() if name in most}


def _shares(columns: Sequence[Statistics], title: str, counts: Callable[[Statistics], Mapping[str, int]]) -> str:
    names = dict.fromkeys(name for each in columns for name in counts(each))
    bars = [
        plots.ChartBar(name, counts(each).get(name, 0) / total, group=each.name if len(columns) > 1 else "")
        for name in names
        for each in columns
        if (total := sum(counts(each).values()))
    ]
    return plots.bars(bars, title=title, axis="share", format=".0%")


def _line(columns: Sequence[Statistics], title: str, x: str, counts: Callable[[Statistics], Mapping[int, int]]) -> str:
    """A distribution as a line for each data set, up to where nearly all of them end."""
    far = min(_MOST_BINS, max(chain(*(counts(each) for each in columns)), default=0))
    points = [
        plots.ChartPoint(place, counts(each).get(place, 0) / total, line=each.name if len(columns) > 1 else "")
        for each in columns
        if (total := sum(counts(each).values()))
        for place in range(far + 1)
    ]
    return plots.lines(points, title=title, x=x, axis="share", format=".0%")
