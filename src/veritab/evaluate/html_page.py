"""A report as one page of HTML that needs nothing else: words, tables and charts, for screens of any size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from veritab.render.html import report_style
from veritab.render.markup import Child, Markup, head, joined, tag

# Nothing is fetched and nothing runs; only the page's own styles count.
_STYLE = Path(__file__).with_name("html_page.css")
_FOOT = "Made by Veritab, which checks claims against documents and shows the evidence."


def page(title: str, notes: Iterable[str], sections: Sequence[Markup], contents: Iterable[tuple[str, str]] = ()) -> str:
    """The whole page; `contents` are anchors and names of sections to be jumped to."""
    start = head(title, f"{report_style()}\n{_STYLE.read_text(encoding='utf-8')}")
    links = [tag("a", name, href=f"#{anchor}") for anchor, name in contents]
    top = tag(
        "header",
        tag("h1", title, dir="auto"),
        *(tag("p", note, class_="corpus", dir="auto") for note in notes),
        tag("nav", *links, class_="contents", aria_label="Contents") if links else None,
        class_="page",
    )
    body = tag("body", top, tag("main", *(joined(section, "\n") for section in sections)), _footer())
    return f'<!doctype html>\n<html lang="en">\n{start}\n{body}\n</html>\n'


def _footer() -> Markup:
    return tag("footer", tag("p", _FOOT))


def section(anchor: str, name: str, *children: Child, said: str = "") -> Markup:
    """A part of the page with its name, a line that says how to read it, and what it shows."""
    return tag(
        "section",
        tag("h2", name),
        tag("p", said, class_="said") if said else None,
        *children,
        class_="sheet",
        id=anchor,
    )


def chart(svg: str) -> Markup:
    """A chart, as `plots` draws them."""
    return tag("figure", Markup(svg)) if svg else Markup("")


def table(
    header: Sequence[Child],
    rows: Iterable[Sequence[Child]],
    *,
    name: str,
    sure: Sequence[bool] = (),
    words: bool = False,
) -> Markup:
    """A table of numbers, or of words, whose first column names the rows; it scrolls where there is no room.

    Rows that are `sure` stand out.
    """
    lines_of_cells = list(rows)
    marked = [*sure, *[False] * (len(lines_of_cells) - len(sure))]
    lines = (
        tag(
            "tr",
            tag("th", first, scope="row", dir="auto"),
            *(tag("td", cell, dir="auto") for cell in cells),
            class_=kind,
        )
        for (first, *cells), kind in zip(lines_of_cells, ("sure" if each else None for each in marked), strict=True)
    )
    drawn = tag(
        "table",
        tag("thead", tag("tr", *(tag("th", cell, scope="col", dir="auto") for cell in header))),
        tag("tbody", *lines),
    )
    return tag(
        "div",
        drawn,
        class_=f"scroll {'words' if words else 'metrics'}-table",
        tabindex=0,
        role="group",
        aria_label=name,
    )


def with_interval(value: str, interval: str) -> Markup:
    """A number with its interval in small print under it."""
    return joined(value, tag("small", interval))
