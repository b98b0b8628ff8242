"""Comparisons of two rows or pages that a claim names in full, where every other word is accounted for too."""

from __future__ import annotations

import pytest

from veritab import Table
from veritab.reason.page import page_reasoning

SCORERS = Table.of(
    [
        ["Justin Hodges", "12", "0", "48", "25 May 1982"],
        ["Steve Michaels", "10", "0", "40", "1987"],
        ["Corey Parker", "4", "70", "156", "June 1982"],
    ],
    header=["Player", "Tries", "Goals", "Points", "Date of birth"],
    title="2007 Brisbane Broncos season",
)
MEDALS = Table.of(
    [["1", "Soviet Union", "2", "1", "1", "4"], ["4", "United States", "0", "1", "2", "3"]],
    header=["Rank", "Nation", "Gold", "Silver", "Bronze", "Total"],
    title="1971 World Figure Skating Championships",
)
LEAGUE = Table.of(
    [["Rotherham United", "46", "24", "13", "9", "74", "59"], ["Gillingham", "46", "23", "9", "14", "66", "39"]],
    header=["Team", "Pld", "W", "L", "D", "GF", "GA"],
    title="2012–13 League Two",
)


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Justin Hodges scored two more tries than Steve Michaels for the 2007 Broncos.", True),
        ("Justin Hodges scored two fewer tries than Steve Michaels for the 2007 Broncos.", False),
        ("Hodges scored more tries than Parker for the Broncos in 2007.", True),
        ("Steve Michaels scored nearly as many tries as Justin Hodges.", None),
        ("Justin Hodges is older than Steve Michaels.", True),
        ("Justin Hodges is about five years older than Steve Michaels.", True),
        ("Justin Hodges is about ten years older than Steve Michaels.", False),
        # The table does not say.
        ("Justin Hodges played two more games than Steve Michaels for the 2007 Broncos.", None),
        ("Justin Hodges scored two more tries than Steve Michaels for the 2006 Broncos.", None),
        ("Justin Hodges scored more tries than Steve Michaels, and left the club.", None),
        ("Justin Hodges is slightly older than Steve Michaels.", None),
    ],
)
def test_two_rows_are_compared_by_the_column_that_is_named(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [SCORERS]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("The Soviet Union won more medals than the US at the 1971 World Figure Skating Championships.", True),
        ("The US won more medals than the Soviet Union at the 1971 World Figure Skating Championships.", False),
        ("The US won more bronze medals than the Soviet Union.", True),
        ("The Soviet Union entered more skaters than the US at the 1971 World Figure Skating Championships.", None),
    ],
)
def test_more_medals_are_not_more_of_one_kind(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [MEDALS]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Rotherham won more games than Gillingham in League Two in 2012–13.", True),
        ("Gillingham conceded more goals than Rotherham.", False),
        ("Gillingham scored eight goals fewer than Rotherham.", True),
        ("Rotherham had more goals than Gillingham.", None),
    ],
)
def test_headers_of_league_tables_are_short_for_words(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [LEAGUE]).answer is answer


def test_rows_of_two_tables_are_compared_by_columns_of_one_meaning() -> None:
    asian = Table.of([["Tokyo", "1889"], ["Seoul", "1394"]], header=["City", "Founded"], title="Asia")
    african = Table.of([["Lagos", "1914"], ["Accra", "1898"]], header=["City", "Year established"], title="Africa")
    assert page_reasoning("Accra was founded before Tokyo.", [asian, african]).answer is False
    assert page_reasoning("Tokyo is older than Lagos.", [asian, african]).answer is True
    assert page_reasoning("Tokyo is richer than Lagos.", [asian, african]).answer is None
