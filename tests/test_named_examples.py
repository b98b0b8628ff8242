"""Claims that anybody types first, at the door: over the almanac end to end, and over tables of one's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from veritab import Checker, Label, Settings, judge

S, R, N = Label


@pytest.fixture(scope="module")
def almanac() -> Iterator[Checker]:
    with Checker.open(None, Settings().replaced({"check.certificate": False})) as checker:
        yield checker


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Tokyo is the capital of Japan.", S),
        ("Tokyo is the capital of China.", R),
        ("Paris is the capital of Germany.", R),
        ("K2 is a mountain in Italy.", R),
        ("The Volga flows into the Black Sea.", R),
        ("Marie Curie died later than Albert Einstein.", R),
        ("Albert Einstein died later than Marie Curie.", S),
        ("K2 is taller than Mount Everest.", R),
        ("Mount Everest is taller than K2.", S),
        ("Sydney is the capital of Australia.", R),
        ("Canberra is the capital of Australia.", S),
        ("K2 is a mountain in Pakistan.", S),
        ("Everest lies in China.", S),
        ("Athens is a city in Italy.", R),
        ("Helium and gold belong to the same group of the periodic table.", R),
        ("Tokyo is bigger than Reykjavík.", S),
        ("Albert Einstein played the violin.", N),
        ("Penicilin was discovered by Alexander Fleming.", S),
        ("penicilin was discovered by alexander fleming", S),
    ],
)
def test_ordinary_claims_over_the_almanac(almanac: Checker, claim: str, label: Label) -> None:
    assert almanac.check(claim).label is label


def test_a_reading_and_its_opposite_do_not_get_the_same_scores(almanac: Checker) -> None:
    one, other = almanac.check("K2 is taller than Mount Everest."), almanac.check("Mount Everest is taller than K2.")
    assert one.certificate.computed is R
    assert other.certificate.computed is S
    assert one.confidence > 0.9 < other.confidence


def test_a_name_that_nobody_knows_is_not_settled(almanac: Checker) -> None:
    assert almanac.check("Zorbania has won the Nobel Prize in Physics.").label is N


_RATES = {"table": {"header": ["Month", "Rate"], "rows": [["May", "149.1"], ["June", "72.0"]]}, "title": "Rates"}
_REVENUE = {
    "title": "Lindqvist Group",
    "table": {"header": ["Year", "Revenue (EUR m)"], "rows": [["2022", "310"], ["2023", "655"]]},
}
_LAKES = {
    "title": "Lakes",
    "table": {"header": ["Lake", "Depth (m)"], "rows": [["Arn", "400"], ["Bel", "100"], ["Cor", "250"]]},
}
_CHAIRS = {
    "title": "Board",
    "table": {"header": ["Name", "Chair since"], "rows": [["Ines Falk", "2019"], ["Omar Reyes", "2017"]]},
}


@pytest.mark.parametrize(
    ("claim", "table", "wrong"),
    [
        ("The rate in May was almost 150.", _RATES, R),
        ("The revenue of Lindqvist Group more than doubled from 2022 to 2023.", _REVENUE, R),
        ("The revenue of Lindqvist Group in 2023 was EUR 655 million.", _REVENUE, R),
        ("The revenue of Lindqvist Group in 2023 was EUR 655.", _REVENUE, S),
        ("Lake Arn is four times as deep as Lake Bel.", _LAKES, R),
        ("The deepest lake is 300 m deeper than the shallowest.", _LAKES, R),
        ("Ines Falk has chaired the board since 2017.", _CHAIRS, S),
    ],
)
def test_computing_is_right_or_silent(claim: str, table: dict[str, object], wrong: Label) -> None:
    assert judge(claim, [table]).certificate.computed is not wrong
