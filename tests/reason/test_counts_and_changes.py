"""Only so many, the largest as so many times the smallest, totals of a year, what fell every year, some together."""

from __future__ import annotations

import pytest

from veritab import Table
from veritab.reason.page import page_reasoning

SITES = Table.of(
    [
        ["Alder", "dairy", "310", "EUR 840,000", "Tarn"],
        ["Birch", "depot", "42", "EUR 120,000", "Lund"],
        ["Cedar", "dairy", "88", "EUR 260,000", "Lund"],
        ["Elm", "office", "95", "EUR 150,000", "Tarn"],
        ["Fir", "dairy", "140", "EUR 410,000", "Oster"],
    ],
    header=["Site", "Kind", "Employees", "Budget", "Town"],
    title="Kern dairies",
)
MISSIONS = Table.of(
    [["SM1", "Endeavour", "5"], ["SM2", "Discovery", "5"], ["SM3", "Columbia", "3"]],
    header=["Mission", "Shuttle", "Spacewalks"],
    title="Servicing of a telescope",
)


def answer(claim: str, table: Table) -> bool | None:
    return page_reasoning(claim, [table]).answer


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Only three sites have fewer than 100 employees.", True),
        ("Only two sites have fewer than 100 employees.", False),
        ("Just two of the Kern dairies are in Tarn.", True),
        ("Just two dairies have fewer than 100 employees.", False),
        ("Only three sites have fewer than 100 visitors.", None),
        ("Only two years passed before Alder had fewer than 100 employees.", None),
    ],
)
def test_only_so_many_is_a_count(claim: str, expected: bool | None) -> None:
    assert answer(claim, SITES) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The biggest budget is seven times the smallest.", True),
        ("The biggest budget is over six times the smallest.", True),
        ("The biggest budget is more than nine times the smallest.", False),
        ("The biggest budget is seven times the second smallest.", None),
        ("The biggest debt is seven times the smallest.", None),
    ],
)
def test_the_largest_is_so_many_times_the_smallest(claim: str, expected: bool | None) -> None:
    assert answer(claim, SITES) is expected


def test_rows_are_what_their_first_column_numbers() -> None:
    assert answer("None of the missions involved more than five spacewalks.", MISSIONS) is True
    assert answer("None of the missions involved more than four spacewalks.", MISSIONS) is False
    assert answer("None of the astronauts made more than five spacewalks.", MISSIONS) is None


CARGO = Table.of(
    [
        ["Timber", "540", "566", "41", "478", "519"],
        ["Grain", "610", "640", "20", "690", "710"],
        ["Steel", "300", "290", "150", "100", "250"],
        ["Turbines", "22", "47", "88", "6", "94"],
    ],
    header=["Cargo group", "2022 (t)", "2023 (t)", "2024 inbound (t)", "2024 outbound (t)", "2024 total (t)"],
    title="Port of Oster",
    caption="Cargo handled, by group",
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Grain cargo grew by 70 tonnes in 2024.", True),
        ("Grain cargo grew by 90 tonnes in 2024.", False),
        ("Timber fell by more than 10 percent in 2024.", False),
        ("Timber fell by about 8 percent in 2024.", True),
        ("Oster handled twice as many tonnes of turbines in 2024 as in 2023.", True),
        ("Oster handled three times as many tonnes of turbines in 2024 as in 2023.", False),
        ("Two cargo groups shrank in 2024.", True),
        ("Three cargo groups shrank in 2024.", False),
        # Of a part of the year's cargo, the year before is not known.
        ("Inbound grain cargo grew by 70 tonnes in 2024.", None),
        ("Oster handled twice as many outbound tonnes of turbines in 2024 as in 2023.", None),
        ("Grain cargo grew by 90 tonnes in 2025.", None),
    ],
)
def test_a_year_is_its_total_beside_its_parts(claim: str, expected: bool | None) -> None:
    assert answer(claim, CARGO) is expected


DAMS = Table.of(
    [
        ["Lund", "Upper Ane", "10,200", "140", "32.1", "61.0"],
        ["Oster", "Upper Ane", "16,000", "220", "30.1", "72.5"],
        ["Three Oaks", "Lower Ane", "22,500", "181", "15.1", "58.0"],
        ["Kern", "Lower Ane", "2,700", "70", "13.9", "80.1"],
    ],
    header=["Dam", "Reach", "Capacity (MW)", "Height (m)", "Share of the power (%)", "Running time (%)"],
    title="Dams of the Ane",
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Lund and Oster together have less capacity than Three Oaks.", False),
        ("Lund and Oster together have more capacity than Three Oaks.", True),
        ("Three Oaks has less capacity than Lund and Oster combined.", True),
        ("The two dams of the Upper Ane together have more capacity than Three Oaks.", True),
        ("Lund and Oster together have more than 60 percent of the power.", True),
        ("Lund and Oster together have less than 60 percent of the power.", False),
        ("Lund and Oster differ by 80 m in height.", True),
        ("Lund and Oster differ by 60 m in height.", False),
        # Three dams would be others, and a share of time is of the time of each.
        ("The three dams of the Upper Ane together have more capacity than Three Oaks.", None),
        ("Lund and Oster together have less than 90 percent running time.", None),
        ("Lund and Oster together have more staff than Three Oaks.", None),
        ("Lund and Oster differ by 80 m in length.", None),
    ],
)
def test_some_together_against_another(claim: str, expected: bool | None) -> None:
    assert answer(claim, DAMS) is expected


YEARS = Table.of(
    [
        ["2018", "4,100", "310", "12"],
        ["2019", "3,980", "300", "12"],
        ["2020", "3,720", "280", "11"],
        ["2021", "3,805", "260", "10"],
        ["2022", "3,500", "245", "10"],
        ["2023", "3,210", "230", "9"],
    ],
    header=["Year", "Fleet emissions (t)", "Water use (m3)", "Drivers"],
    title="Kern dairies",
)
COUNTS = Table.of(
    [["1960", "163,172"], ["1970", "162,405"], ["1980", "145,254"], ["1990", "136,338"], ["2000", "128,634"]],
    header=["Census year", "Population"],
    title="Lund",
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The fleet emissions of Kern dairies fell every single year between 2019 and 2023.", False),
        ("The fleet emissions of Kern dairies fell every year from 2021 to 2023.", None),
        ("Water use fell every year from 2018 to 2023.", True),
        ("Water use fell year after year.", True),
        ("Water use rose year after year.", False),
        # It went no way from one year to the next, or was not measured.
        ("Drivers fell every year from 2018 to 2023.", None),
        ("Water use fell every year from 2010 to 2023.", None),
        ("Waste fell every year from 2018 to 2023.", None),
        ("Water use fell by a fifth every year.", None),
    ],
)
def test_what_went_one_way_every_time(claim: str, expected: bool | None) -> None:
    assert answer(claim, YEARS) is expected


def test_every_census_is_not_every_year() -> None:
    assert answer("Lund lost inhabitants at every census from 1970 to 2000.", COUNTS) is True
    assert answer("Lund gained inhabitants at every census from 1970 to 2000.", COUNTS) is False
    assert answer("Lund lost inhabitants every year from 1970 to 2000.", COUNTS) is None


COUNTERS = Table.of(
    [
        ["Mill Lane", "4,310", "4,870", "separate track"],
        ["Ferry Steps", "880", "1,140", "painted lane"],
        ["Old Quay", "2,020", "1,980", "separate track"],
        ["North Gate", "1,510", "1,650", "mixed traffic"],
    ],
    header=["Counter", "2023 (bicycles a day)", "2024 (bicycles a day)", "Type of path"],
    title="Cycling in Oster",
)
LINES = Table.of(
    [["L1", "10,400", "93.1"], ["L2", "8,120", "91.8"], ["L3", "6,900", "95.0"], ["L4", "5,010", "88.4"]],
    header=["Line", "Trains run", "On time (%)"],
    title="Oster railways",
)


@pytest.mark.parametrize(
    ("claim", "table", "expected"),
    [
        ("Half of the bicycle counters stand on separate tracks.", COUNTERS, True),
        ("Three quarters of the bicycle counters stand on separate tracks.", COUNTERS, False),
        ("Bike traffic at Ferry Steps rose by nearly 30 percent in one year.", COUNTERS, True),
        ("Bike traffic at Ferry Steps rose by nearly 60 percent in one year.", COUNTERS, False),
        ("On two of the lines at least 92 percent of the trains were on time.", LINES, True),
        ("On three of the lines at least 92 percent of the trains were on time.", LINES, False),
        # The bicycles are not the counters; of other counters nothing is said, and two years are not one.
        ("Half of the bicycles are counted on separate tracks.", COUNTERS, False),
        ("Half of the visitor counters stand on separate tracks.", COUNTERS, None),
        ("Bike traffic at Ferry Steps rose by nearly 30 percent in two years.", COUNTERS, None),
        ("On two of the lines at least 92 percent of the buses were on time.", LINES, None),
    ],
)
def test_what_rows_measure_and_shares_are_of(claim: str, table: Table, expected: bool | None) -> None:
    assert answer(claim, table) is expected


def test_who_rises_has_a_lower_rank() -> None:
    rows = [["2018", "9"], ["2019", "7"], ["2020", "4"], ["2021", "2"]]
    seasons = Table.of(rows, header=["Season", "Position"], title="Oster United")
    assert answer("Oster United increased its position every season since 2018.", seasons) is not False


def test_rows_are_named_in_the_words_of_a_header_alone() -> None:
    rows = [["Lund", "Mill Park", "5"], ["Oster", "Quay Ground", "5"], ["Tarn", "Hill End", "3"]]
    matches = Table.of(rows, header=["Opponent", "Venue", "Goals"], title="Kern United")
    assert answer("None of the venues had more than five goals.", matches) is True
    assert answer("None of the hosts had more than five goals.", matches) is None
