"""Values that may stand in place of another."""

from __future__ import annotations

import random

import pytest

from veritab.build.tables.near_values import is_like, near_numbers, nearest, nearest_in_column


@pytest.mark.parametrize(
    ("text", "written"), [("1,200", r"[\d,]+"), ("2.50", r"\d\.\d\d"), ("5 km", r"\d+ km"), ("1987", r"19(?:8|9)\d")]
)
def test_a_near_number_is_written_as_the_given_one(text: str, written: str) -> None:
    import re

    found = near_numbers(text, random.Random(1))
    assert found
    assert text not in found
    assert all(re.fullmatch(written, each) for each in found)


def test_one_of_something_is_not_put_in_place_of_several() -> None:
    assert not {"1", "0"} & set(near_numbers("3", random.Random(0)))


def test_what_is_no_number_has_none_near_it() -> None:
    assert near_numbers("Ann", random.Random(0)) == []


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Mali", "Chad", True),
        ("Chad (A)", "Chad", False),
        ("12", "Chad", False),
        ("Career total", "Barcelona", False),
        ("Ann or Bo", "Cy", False),
        ("Thomas?", "William", False),
        ("900", "100", False),
        ("20 km", "5 km", True),
        ("bye", "Ann", False),
        ("Ann Lee #", "Bo Ek", False),
        ("Ann Lee*", "Bo Ek*", True),
        ("Not scored", "Ann Lee", False),
        ("Vacant", "Ann Lee", False),
        ("Non-album single", "Rain", False),
        ("No Doubt", "Blur", True),
        ("Tokyo, Japan", "Paris", False),
        ("Tokyo, Japan", "Paris, France", True),
        ("Snow (film)", "Rain", False),
        ('Rain "Icarus"', "Snow", False),
        ("2–3", "2–0", False),
        ("3–1", "2–0", True),
    ],
)
def test_only_values_of_one_kind_are_alike(one: str, other: str, alike: bool) -> None:
    assert is_like(one, other) is alike


def test_headings_inside_a_table_are_no_values_of_its_columns() -> None:
    header = ("Club", "Season", "League", "League")
    rows = [
        ("Club", "Season", "Division", "Games"),
        ("Port Vale", "1957", "Third", "3"),
        ("England", "England", "England", "England"),
        ("Hibernian", "1961", "Second", "2"),
    ]
    assert nearest_in_column(rows, header, 1, [row[0] for row in rows]) == ["Hibernian"]
    assert nearest_in_column(rows, header, 1, [row[2] for row in rows]) == ["Second"]
    assert nearest_in_column([("Ann",), ("Bo",)], ("Name",), 0, ["Ann", "Bo"]) == ["Bo"]


def test_the_nearest_rows_come_first() -> None:
    assert nearest([f"Town {letter}" for letter in "ABCDEFGHIJ"], 9) == [f"Town {letter}" for letter in "IHGFED"]
