"""The few charts that reports need, as SVG that stands in a page: no script, no request, for light and dark pages.

Words and lines take the colour of the page's own text (`currentColor`), fills are mid-tones that show on white and on
near black, and a chart is as wide as there is room. A number that is none (NaN, None) is left out, its name is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from veritab.errors import MissingExtra
from veritab.text import printable

if TYPE_CHECKING:
    import altair

PALETTE = ("#3d85c6", "#d17a22", "#2f9a68", "#b565a7", "#a8890f", "#cf5f59", "#7a8896", "#7d78d0")
"""What tells the groups of a chart apart, in order; each shows on white and on a dark page."""

_INK = "currentColor"
_FONT = "sans-serif"
_WIDTH = 300
_BARS_WIDTH = 210
_STEP = 24
_HEIGHT = 210
_LINE_HEIGHT = 17
_MOST_LETTERS = 34
_LINE_LETTERS = 18


class ChartBar(NamedTuple):
    """A named number, with its interval where it has one; bars of one name and several groups stand together."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    group: str = ""


class ChartPoint(NamedTuple):
    """A point of a line, with its interval where it has one; points of one `line` are joined."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    line: str = ""


def bars(
    rows: Sequence[ChartBar],
    *,
    title: str = "",
    axis: str = "",
    format: str = ".3f",
    limits: tuple[float, float] | None = None,
) -> str:
    """Horizontal bars in the order given, with their intervals and their numbers; grouped where the rows have groups.

    `axis` names what is counted, `format` is a d3 format (".1%", ",d"), `limits` are the ends of the axis.
    Nothing to draw gives no text.
    """
    if not rows:
        return ""
    alt = _altair()
    names, groups = _in_lines(_shown(row.name for row in rows)), _shown(row.group for row in rows)
    data = [
        {**_interval(row.value, row.low, row.high), "name": names[row.name], "group": groups[row.group]} for row in rows
    ]
    place = {
        "y": alt.Y(
            "name:N", sort=list(names.values()), title=None, scale=alt.Scale(paddingInner=0.25), axis=_names_axis(alt)
        )
    }
    if len(groups) > 1:
        place["yOffset"] = alt.YOffset("group:N", sort=list(groups.values()))
    x = _number_axis(alt, "value", axis, format, limits)
    step = (
        _STEP * 0.75
        if len(groups) > 1
        else max(_STEP, _LINE_HEIGHT * max(name.count("\n") + 1 for name in names.values()))
    )
    chart = alt.Chart(alt.Data(values=data), width=_BARS_WIDTH, height=alt.Step(step))
    painted = chart.mark_bar().encode(x=alt.X(**x), color=_colour(alt, "group", list(groups.values())), **place)
    layers: list[Any] = [painted]
    if any(each["low"] is not None for each in data):
        layers.append(chart.mark_rule(color=_INK, strokeWidth=1.4).encode(x="low:Q", x2="high:Q", **place))
    label = alt.Text("value:Q", format=format)
    layers.append(chart.mark_text(align="left", dx=5, color=_INK, fontSize=11).encode(x="end:Q", text=label, **place))
    return _svg(alt.layer(*layers), title, _bars_in_words(rows, title))


def lines(
    points: Sequence[ChartPoint],
    *,
    title: str = "",
    x: str = "",
    axis: str = "",
    format: str = ".3f",
    limits: tuple[float, float] | None = None,
    logarithmic: bool = False,
) -> str:
    """Lines over a number, with their intervals as bands; on a `logarithmic` x axis numbers must be positive."""
    if not points:
        return ""
    alt = _altair()
    groups = _shown(point.line for point in points)
    data = [
        {**_interval(each.y, each.low, each.high), "x": _finite(each.x), "group": groups[each.line]} for each in points
    ]
    scale = alt.Scale(type="log" if logarithmic else "linear", zero=False, nice=not logarithmic)
    across = alt.X(
        "x:Q", title=printable(x) or None, scale=scale, axis=alt.Axis(format="~s", tickCount=5, labelOverlap=True)
    )
    up = alt.Y(**_number_axis(alt, "value", axis, format, limits, zero=False))
    colour = _colour(alt, "group", list(groups.values()))
    chart = alt.Chart(alt.Data(values=data), width=_WIDTH, height=_HEIGHT)
    layers: list[Any] = []
    if any(each["low"] is not None for each in data):
        layers.append(chart.mark_area(opacity=0.18).encode(x=across, y="low:Q", y2="high:Q", color=colour))
    layers.append(chart.mark_line(point=alt.OverlayMarkDef(size=36, filled=True)).encode(x=across, y=up, color=colour))
    description = [(f"{each.line} {each.x:g}".strip(), each.y) for each in points]
    return _svg(alt.layer(*layers), title, _in_words(title, description))


# -- the pieces of a chart ---------------------------------------------------------------------------------


def _altair() -> Any:
    try:
        import altair
        import vl_convert  # noqa: F401
    except ImportError:
        raise MissingExtra("drawing charts", "evaluate") from None
    return altair


def _interval(value: float | None, low: float | None, high: float | None) -> dict[str, Any]:
    """A number and its interval; `end` is where its label may stand."""
    drawn = {"value": _finite(value), "low": _finite(low), "high": _finite(high)}
    if drawn["low"] is None or drawn["high"] is None:
        drawn["low"] = drawn["high"] = None
    ends = [end for end in (0.0, drawn["value"], drawn["high"]) if end is not None]
    return {**drawn, "end": max(ends) if drawn["value"] is not None else None}


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _shown(names: Iterable[str]) -> dict[str, str]:
    """Names as they are drawn, cut where they are long; two that would then be equal are numbered.

    Characters that no XML may hold would end the process in the drawing.
    """
    shown: dict[str, str] = {}
    for name in dict.fromkeys(names):
        plain = " ".join(printable(name).split())
        short = plain if len(plain) <= _MOST_LETTERS else f"{plain[: _MOST_LETTERS - 1]}…"
        taken, number, chosen = set(shown.values()), 1, short
        while chosen in taken:
            number += 1
            chosen = f"{short} ({number})"
        shown[name] = chosen
    return shown


def _in_lines(shown: dict[str, str]) -> dict[str, str]:
    """Long names in several lines: beside them there must be room for the bars, on a phone too."""
    return {
        name: "\n".join(wrap(short, _LINE_LETTERS, break_long_words=False, break_on_hyphens=False))
        for name, short in shown.items()
    }


def _names_axis(alt: Any) -> Any:
    lines = "split(datum.label, '\\n')"
    # Without this the first line would stand beside the middle of the bar, and the others below it.
    middle = alt.expr(f"-7 * (length({lines}) - 1)")
    return alt.Axis(
        ticks=False, domain=False, labelLimit=220, labelPadding=6, grid=False, labelExpr=lines, labelOffset=middle
    )


def _number_axis(
    alt: Any, field: str, title: str, format: str, limits: tuple[float, float] | None, *, zero: bool = True
) -> dict[str, Any]:
    scale = alt.Scale(domain=list(limits), clamp=True) if limits else alt.Scale(zero=zero, nice=True)
    return {
        "shorthand": f"{field}:Q",
        "title": printable(title) or None,
        "scale": scale,
        "axis": alt.Axis(format=format, tickCount=5, labelOverlap=True, labelFlush=False),
    }


def _colour(alt: Any, field: str, groups: Sequence[str]) -> Any:
    if len(groups) == 1:
        return alt.value(PALETTE[0])
    colours = [PALETTE[number % len(PALETTE)] for number in range(len(groups))]
    legend = alt.Legend(title=None, orient="top", columns=3, labelLimit=200, symbolType="square", symbolOpacity=1)
    return alt.Color(f"{field}:N", sort=groups, scale=alt.Scale(domain=groups, range=colours), legend=legend)


# -- from a chart to SVG -----------------------------------------------------------------------------------

# Only where the chart is a file of its own; in a page it takes the page's colours.
_ALONE = (
    "<style>.plot:root{color:#1b2430;background:#fff}"
    "@media(prefers-color-scheme:dark){.plot:root{color:#e6ebf1;background:#19212b}}</style>"
)
_OPENING = re.compile(r"<svg\b[^>]*?\bwidth=\"(?P<width>[\d.]+)\"[^>]*>")
_LARGEST = 1.35  # drawn small for phones, where a chart is as wide as the screen
_VIEW = re.compile(r"viewBox=\"[^\"]*\"")


def _svg(chart: altair.TopLevelMixin, title: str, description: str) -> str:
    import vl_convert

    spec = chart.configure(
        background="transparent", font=_FONT, padding={"left": 12, "right": 8, "top": 4, "bottom": 4}, **_config()
    ).to_dict()
    if title:
        spec["title"] = printable(title)
    return _as_figure(vl_convert.vegalite_to_svg(spec), description)


def _config() -> dict[str, Any]:
    words = {
        "labelColor": _INK,
        "titleColor": _INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "aria": False,
    }
    faint = {"gridColor": _INK, "gridOpacity": 0.15, "domainColor": _INK, "domainOpacity": 0.4, "tickColor": _INK}
    return {
        "aria": False,  # the picture as a whole has its text
        "view": {"stroke": None},
        "axis": {**words, **faint, "tickOpacity": 0.4},
        "legend": words,
        "title": {"color": _INK, "fontSize": 14, "fontWeight": 600, "anchor": "start", "offset": 10},
    }


def _as_figure(svg: str, description: str) -> str:
    """The drawing as one picture with a text for those who do not see it, as wide as there is room."""
    opening = _OPENING.search(svg)
    view = _VIEW.search(opening[0]) if opening else None
    if opening is None or view is None:
        raise AssertionError(f"no drawing came back, but {svg[:80]!r}")
    style = f"width:100%;max-width:{math.ceil(_LARGEST * float(opening['width']))}px;height:auto;overflow:visible"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" {view[0]} style="{style}" role="img" '
        f'aria-label="{_attribute(description)}">{_ALONE}'
    )
    return head + svg[opening.end() :]


def _attribute(text: str) -> str:
    from html import escape

    return escape(printable(text), quote=True)


def _bars_in_words(rows: Sequence[ChartBar], title: str) -> str:
    return _in_words(title, [(" ".join(filter(None, (row.name, row.group))), row.value) for row in rows])


def _in_words(title: str, description: Sequence[tuple[str, float | None]]) -> str:
    numbers = ", ".join(
        f"{name} {value:g}" for name, value in description if value is not None and math.isfinite(value)
    )
    return ": ".join(filter(None, (title, numbers))) or "chart"
