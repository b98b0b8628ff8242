"""What all rows of a table have together, with and without a row that sums them up."""

from __future__ import annotations

import pytest

from veritab import Table
from veritab.reason.page import page_reasoning
from veritab.reason.tables import TypedTable
from veritab.reason.tables.summing import leave_out_sum

BAKERY = Table.of(
    [
        ["Rye loaf", "210", "240", "3.4"],
        ["Spelt roll", "180", "150", "0.9"],
        ["Plum cake", "", "95", "4.2"],
        ["Seed bun", "120", "165", "1.1"],
    ],
    header=["Bread", "Sold in 2022 (hl)", "Sold in 2023 (hl)", "Price (EUR)"],
    title="Kern mill",
    caption="Sales of flour by bread",
)
FLEET = Table.of(
    [["Alder", "12", "1,204"], ["Birch", "7", "980"], ["Cedar", "4", "311"], ["Elm", "9", "702"]],
    header=["Depot", "Days closed", "Buses repaired"],
    title="Tarn buses",
)
WARDS = Table.of(
    [["Eyes", "120", "8.5"], ["Hearts", "80", "6.0"], ["Bones", "200", "12.0"], ["All wards", "400", "9.0"]],
    header=["Ward", "Patients", "Mean wait (weeks)"],
    title="Hill hospital",
)


def answer(claim: str, *tables: Table) -> bool | None:
    return page_reasoning(claim, tables).answer


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("All told, the depots were closed for 32 days.", True),
        ("All told, the depots were closed for 35 days.", False),
        ("Added up, the four depots repaired 3,197 buses.", True),
        ("Added up, the four depots repaired 3,300 buses.", False),
        ("Tarn repaired roughly 3,200 buses.", True),
        # Without a word that adds up, a sum that fails may not have been meant.
        ("Tarn repaired roughly 9,000 buses.", None),
        ("Added up, the four depots painted 3,197 buses.", None),
    ],
)
def test_words_that_add_up_ask_for_a_total(claim: str, expected: bool | None) -> None:
    assert answer(claim, FLEET) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Altogether the depots repaired 40 more buses in 2023 than in 2022.", True),
        ("Altogether the depots repaired 50 more buses in 2023 than in 2022.", False),
        ("Altogether the depots repaired 40 fewer buses in 2023 than in 2022.", False),
    ],
)
def test_totals_of_two_columns_differ_by_an_amount(claim: str, expected: bool) -> None:
    rows = [["Alder", "100", "120"], ["Birch", "90", "70"], ["Cedar", "30", "70"]]
    years = Table.of(rows, header=["Depot", "Buses repaired 2022", "Buses repaired 2023"], title="Tarn buses")
    assert answer(claim, years) is expected


def test_a_hectolitre_is_a_hundred_litres() -> None:
    rows = [["Alder", "100", "120"], ["Birch", "90", "70"], ["Cedar", "30", "70"]]
    sales = Table.of(rows, header=["Pub", "Sold in 2022 (hl)", "Sold in 2023 (hl)"], title="Tarn brewery")
    assert answer("Altogether the brewery sold 4,000 litres more in 2023 than in 2022.", sales) is True
    assert answer("Altogether the brewery sold 7,000 litres more in 2023 than in 2022.", sales) is False


def test_a_total_with_a_missing_value_is_not_known() -> None:
    assert answer("All told, the mill sold 510 hectolitres in 2022.", BAKERY) is None


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("None of the wards has a shorter mean wait than Hearts.", True),
        ("None of the wards has a shorter mean wait than Eyes.", False),
        ("Bones has the most patients of the wards.", True),
        ("Only two wards have more than 100 patients.", True),
        ("Three wards have more than 100 patients.", False),
        ("Bones makes up half of all patients.", True),
    ],
)
def test_a_row_that_sums_up_others_is_none_of_them(claim: str, expected: bool) -> None:
    assert answer(claim, WARDS) is expected


def test_only_a_row_that_has_the_sum_of_the_others_is_left_out() -> None:
    without = leave_out_sum(TypedTable.of(WARDS))
    assert without
    assert without.columns[0].texts == ("Eyes", "Hearts", "Bones")
    other = Table.of([["All-sky camera", "4"], ["Radar", "9"], ["Mast", "2"], ["Buoy", "3"]], header=["Name", "Days"])
    assert leave_out_sum(TypedTable.of(other)) is None
