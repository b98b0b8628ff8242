"""Constructions that ask for one computation: all but two, by a third, from the highest to the lowest."""

from __future__ import annotations

import pytest

from veritab import Table
from veritab.reason.page import page_reasoning

MEDALS = Table.of(
    [
        ["Norway", "16", "8", "13", "37"],
        ["Germany", "12", "10", "5", "27"],
        ["China", "9", "4", "2", "15"],
        ["Sweden", "8", "5", "5", "18"],
        ["Italy", "2", "7", "8", "17"],
        ["Japan", "3", "6", "9", "18"],
    ],
    header=["Nation", "Gold", "Silver", "Bronze", "Total"],
    title="2022 Winter Olympics",
    caption="Medal table",
)
SALES = Table.of(
    [
        ["North", "1,200", "2,500", "40,000"],
        ["South", "900", "1,200", "30,000"],
        ["East", "2,000", "1,500", "20,000"],
        ["West", "400", "1,600", "10,000"],
    ],
    header=["Region", "Units 2023", "Units 2024", "Revenue 2024 (EUR)"],
    title="Brackley sales",
)
QUARTERS = Table.of(
    [["Lamps", "120", "150", "90", "200"], ["Chairs", "80", "60", "75", "70"], ["Desks", "40", "45", "50", "20"]],
    header=["Product", "First quarter", "Second quarter", "Third quarter", "Fourth quarter"],
    title="Output of Tarn Works",
)
RUNNERS = Table.of(
    [
        ["Ann Bell", "F", "Kenya", "31", "2:25:10"],
        ["Bea Cole", "F", "Kenya", "27", "2:26:00"],
        ["Carl Dunn", "M", "Norway", "40", "2:11:00"],
        ["Dora Ek", "F", "Sweden", "35", "2:31:00"],
        ["Emil Fry", "M", "Kenya", "22", "2:15:00"],
    ],
    header=["Runner", "Sex", "Country", "Age", "Time"],
    title="Harbour marathon",
)
PRESIDENTS = Table.of(
    [
        ["33", "Harry S. Truman", "Democratic", "1945–1953"],
        ["34", "Dwight D. Eisenhower", "Republican", "1953–1961"],
        ["35", "John F. Kennedy", "Democratic", "1961–1963"],
        ["36", "Lyndon B. Johnson", "Democratic", "1963–1969"],
    ],
    header=["No.", "President", "Party", "Term"],
    title="List of presidents of the United States",
)
CENSUS = Table.of(
    [["1981", "6,220,406"], ["1991", "9,420,644"], ["2001", "13,850,507"]],
    header=["Census year", "Population"],
    title="Delhi",
)


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("All but one of the nations won more than two gold medals.", True),
        ("All but two of the nations won more than two gold medals.", False),
        ("The difference between the highest and the lowest number of gold medals is 14.", True),
        ("The difference between the most and the fewest golds is 13.", False),
        # Medals of no kind are those of all kinds.
        ("Italy won one medal fewer than Japan.", True),
        ("Italy won two medals fewer than Japan.", False),
        ("Sweden and Japan won the same number of medals.", True),
        ("Sweden and Germany won the same number of medals.", False),
        ("Norway won the most medals.", True),
        ("Two countries won 18 medals.", True),
        ("Only Norway won more than 30 medals.", True),
        ("Italy won more bronze medals than gold medals.", True),
        ("Germany won more bronze than gold.", False),
        ("Norway won 32 % of all gold medals.", True),
        ("Norway won 50 % of all gold medals.", False),
        # 32 percent is nearly a third, and whoever says so is not wrong.
        ("Norway won about a third of the gold medals.", True),
        ("Norway won a quarter of the gold medals.", False),
        ("Norway came first in the medal table.", None),
        ("Norway won four more gold medals than Germany in skiing.", None),
        ("Norway spent twice as much as Germany.", None),
    ],
)
def test_medals(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [MEDALS]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Units in the South rose by a third from 2023 to 2024.", True),
        ("Units in the South rose by half from 2023 to 2024.", False),
        ("Units in the South fell by a third from 2023 to 2024.", False),
        ("Units in the East fell by a quarter between 2023 and 2024.", True),
        ("Units in the East fell by 25 % between 2023 and 2024.", True),
        ("Units in the East fell by more than 40 % between 2023 and 2024.", False),
        # The table has two years, and so need not be told which.
        ("Units in the West quadrupled.", True),
        ("Units in the West tripled.", False),
        ("Units in the East fell in 2024.", True),
        ("Units in the East rose in 2024.", False),
        ("Units in the North rose by 1,300 in 2024.", True),
        ("Profit in the West quadrupled.", None),
        ("Revenue in the East fell by a quarter between 2023 and 2024.", None),
        ("Units in the West quadrupled in 2025.", None),
    ],
)
def test_changes(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [SALES]).answer is answer


BRANCHES = [["Harbour", "21,400", "1931"], ["Hilltop", "15,310", "1978"], ["Eastgate", "11,500", "2004"]]


def test_only_what_runs_in_time_rises_or_falls() -> None:
    branches = Table.of(BRANCHES, header=["Branch", "Loans", "Opened"])
    assert page_reasoning("Loans fell in 2025.", [branches]).answer is None
    assert page_reasoning("Loans fell.", [branches]).answer is None


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Tarn Works made 150 lamps in the second quarter.", True),
        ("Tarn Works made 120 lamps in the second quarter.", False),
        ("20 fewer chairs were made in the second quarter than in the first.", True),
        ("30 fewer chairs were made in the second quarter than in the first.", False),
        # Of its quarters, not of the products.
        ("Output of chairs was highest in the first quarter.", None),
    ],
)
def test_ordinals_name_columns(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [QUARTERS]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Dora Ek was the oldest of the women.", True),
        ("Carl Dunn was the oldest of the women.", False),
        ("The oldest runner was 18 years older than the youngest.", True),
        ("The oldest runner was 10 years older than the youngest.", False),
        ("All but one of the runners were older than 25.", True),
        ("Two runners from Kenya were over 30.", False),
        ("All runners from Kenya were under 35.", True),
        ("Ann Bell finished 50 seconds ahead of Bea Cole.", True),
        ("Bea Cole finished 50 seconds ahead of Ann Bell.", False),
        ("Dora Ek of Sweden was the oldest runner.", False),
        ("Three times as many runners came from Kenya as from Norway.", True),
        ("Twice as many runners came from Kenya as from Norway.", False),
    ],
)
def test_runners(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [RUNNERS]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Harry Truman was the 33rd president of the United States.", True),
        ("Harry Truman was the 34th president of the United States.", False),
        ("Kennedy was the 35th president.", True),
        ("Eisenhower was in office for eight years.", True),
        ("Eisenhower served for five years.", False),
        ("Kennedy served for fewer years than Johnson.", True),
        ("Nixon was the 35th president.", None),
        ("Jackie Kennedy was in office for two years.", None),
        ("Kennedy was the second youngest president.", None),
    ],
)
def test_terms_and_numbers(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [PRESIDENTS]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Delhi's population more than doubled between 1981 and 2001.", True),
        ("Delhi's population tripled between 1981 and 2001.", False),
        ("Delhi's population rose by half between 1981 and 1991.", True),
        ("Delhi's population rose by a fifth between 1981 and 1991.", False),
        ("Delhi's traffic doubled between 1981 and 2001.", None),
    ],
)
def test_changes_between_rows(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [CENSUS]).answer is answer


def test_a_death_is_that_of_a_row_and_not_of_what_the_table_is_about() -> None:
    rows = [["Leopold", "father", "Salzburg"], ["Anna Maria", "mother", "Paris"], ["Wolfgang", "himself", "Vienna"]]
    family = Table.of(rows, header=["Name", "Relation", "Death Place"], title="Salzburg", sections=["Mozart"])
    assert page_reasoning("Mozart died in Salzburg.", [family]).answer is None
    assert page_reasoning("Leopold died in Salzburg.", [family]).answer is True


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


def page_answer(claim: str, table: Table) -> bool | None:
    return page_reasoning(claim, [table]).answer


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Sales of spelt rolls fell by about 17 percent from 2022 to 2023.", True),
        ("Seed bun saw growth of more than 40 percent between 2022 and 2023.", False),
        ("Seed bun saw growth of more than 30 percent between 2022 and 2023.", True),
        ("What was sold of rye loaf was about 14 percent more in 2023 than in 2022.", True),
        ("What was sold of rye loaf was about 30 percent more in 2023 than in 2022.", False),
    ],
)
def test_a_share_of_growth_is_of_the_first_value(claim: str, expected: bool) -> None:
    assert page_answer(claim, BAKERY) is expected


def test_years_in_rows_are_compared_by_a_share() -> None:
    rows = [["2019", "188,200", "51"], ["2021", "190,100", "12"], ["2023", "214,900", "40"]]
    port = Table.of(rows, header=["Year", "Containers", "Cruise calls"], title="Traffic 2019 to 2023")
    assert page_answer("Container traffic was about 14 percent higher in 2023 than in 2019.", port) is True
    assert page_answer("Container traffic was about 30 percent higher in 2023 than in 2019.", port) is False
    assert page_answer("Passenger traffic was about 14 percent higher in 2023 than in 2019.", port) is None


def test_prices_that_went_up_are_compared_with_the_year_before() -> None:
    dues = Table.of(
        [["Cruise ships", "14.8", "17.0"], ["Cargo ships", "18.4", "19.1"], ["Yachts", "5.0", "5.2"]],
        header=["Harbour dues", "2023 (EUR)", "2024 (EUR)"],
        title="Tariffs",
    )
    assert page_answer("Harbour dues for cruise ships went up about 15 percent in 2024.", dues) is True
    assert page_answer("Harbour dues for cargo ships went up about 15 percent in 2024.", dues) is False
