"""Charts are pictures that stand in a page: static, readable in light and dark, and harmless whatever they say."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from veritab.errors import MissingExtra
from veritab.evaluate import plots
from veritab.evaluate.plots import ChartBar, ChartPoint

HOSTILE = '<script>alert("x")</script> & "quotes" \x00\x1b[31m'


def texts(svg: str) -> list[str]:
    tree = ElementTree.fromstring(svg)
    return [" ".join(element.itertext()) for element in tree.iter("{http://www.w3.org/2000/svg}text")]


def fills(svg: str) -> set[str]:
    return set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg)) - {"none", "transparent"}


BARS = [ChartBar("accuracy", 0.8, 0.7, 0.9), ChartBar("macro F1", 0.5, 0.4, 0.6)]
GROUPED = [
    ChartBar("accuracy", 0.8, group="one"),
    ChartBar("accuracy", 0.6, group="two"),
    ChartBar("macro F1", 0.5, group="one"),
]
POINTS = [
    ChartPoint(10, 0.3, 0.2, 0.4, "ours"),
    ChartPoint(100, 0.5, 0.4, 0.6, "ours"),
    ChartPoint(10, 0.2, line="theirs"),
]


def test_bars_are_drawn_in_their_order_with_their_numbers() -> None:
    drawn = texts(plots.bars(BARS, title="Scores", axis="share", format=".1%"))
    assert drawn.index("accuracy") < drawn.index("macro F1")
    assert {"Scores", "share", "80.0%", "50.0%"} <= set(drawn)


def test_intervals_are_drawn_only_where_there_are_some() -> None:
    def rules(svg: str) -> int:
        return len(re.findall(r'<g class="mark-rule role-mark', svg))

    assert rules(plots.bars(BARS)) == 1
    assert rules(plots.bars([ChartBar("accuracy", 0.8), ChartBar("macro F1", 0.5, low=0.4)])) == 0


def test_groups_have_colours_and_a_legend() -> None:
    svg = plots.bars(GROUPED)
    assert {"one", "two"} <= set(texts(svg))
    assert fills(svg) == {"currentColor", *plots.PALETTE[:2]}


def test_lines_have_a_legend_and_the_names_of_their_axes() -> None:
    drawn = texts(plots.lines(POINTS, title="Learning", x="claims", axis="accuracy", logarithmic=True))
    assert {"ours", "theirs", "claims", "accuracy", "Learning"} <= set(drawn)


@pytest.mark.parametrize(
    "draw",
    [
        lambda name: plots.bars(
            [ChartBar(name, 1, group=name), ChartBar("other", 1, group="other")], title=name, axis=name
        ),
        lambda name: plots.lines([ChartPoint(1, 1, line=name), ChartPoint(2, 2)], title=name, x=name, axis=name),
    ],
)
def test_what_a_chart_says_cannot_become_markup(draw: Callable[[str], str]) -> None:
    svg = draw(HOSTILE)
    tree = ElementTree.fromstring(svg)  # it is well formed
    assert not [element for element in tree.iter() if element.tag.endswith("script")]
    assert "\x1b" not in svg
    assert any("<script>" in text for text in texts(svg))


def test_a_chart_runs_nothing_fetches_nothing_and_shares_no_names_with_its_page() -> None:
    for svg in (plots.bars(BARS), plots.bars(GROUPED), plots.lines(POINTS)):
        assert not re.search(r"<script|<image|href|url\(|@import|@font-face| id=", svg)
        assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]


def test_a_chart_has_a_text_for_those_who_do_not_see_it() -> None:
    picture = ElementTree.fromstring(plots.bars(BARS, title="Scores"))
    assert picture.get("role") == "img"
    assert picture.get("aria-label") == "Scores: accuracy 0.8, macro F1 0.5"


def test_a_number_that_is_none_is_left_out_and_its_name_is_not() -> None:
    drawn = texts(plots.bars([ChartBar("known", 0.456), ChartBar("unknown", float("nan")), ChartBar("nothing", None)]))
    assert {"known", "unknown", "nothing"} <= set(drawn)
    assert drawn.count("0.456") == 1
    assert not [text for text in drawn if "NaN" in text or "null" in text]


def test_nothing_to_draw_is_no_chart() -> None:
    assert plots.bars([]) == plots.lines([]) == ""


def test_long_names_are_cut() -> None:
    (name,) = [text for text in texts(plots.bars([ChartBar("word " * 40, 1.0)])) if text.startswith("word")]
    assert name.endswith("…")
    assert len(name) < 40


def test_long_names_stand_in_lines_so_that_bars_have_room_on_a_phone() -> None:
    svg = plots.bars([ChartBar("label wrong on full evidence", 1.0), ChartBar("right", 2.0)])
    top, middle = (
        float(y) for y in re.findall(r"translate\([-\d.]+,([\d.]+)\)[^>]*>(?:<tspan>label|1\.000)", svg)[1:3]
    )
    assert top < middle < top + 14  # one line above the middle of the bar, and one below
    assert "label wrong on full evidence" in texts(svg)
    assert float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1]) < 360  # type: ignore[index]


def test_names_that_begin_alike_stay_apart() -> None:
    svg = plots.bars([ChartBar(f"{'word ' * 20}{number}", number) for number in (1, 2)])
    assert len({text for text in texts(svg) if text.startswith("word")}) == 2


def test_the_same_chart_is_the_same_text() -> None:
    assert plots.lines(POINTS) == plots.lines(POINTS)


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    brighter, darker = sorted((light(one), light(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colour", plots.PALETTE)
def test_every_colour_shows_on_white_and_on_a_dark_page(colour: str) -> None:
    assert min(contrast(colour, "#ffffff"), contrast(colour, "#19212b")) >= 3


def test_without_the_extra_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *given: Any, **named: Any) -> Any:
        if name == "altair":
            raise ImportError(name)
        return real(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match="evaluate"):
        plots.bars(BARS)
