"""Readings of ordinary computed claims: rates, changes between two years, rows named twice, the next few together."""

from __future__ import annotations

import pytest

from veritab import Table
from veritab.reason.page import page_reasoning
from veritab.reason.tables import TypedTable

FILMS = Table.of(
    [
        ["Cold Harvest", "Ann Bell", "134", "12"],
        ["A Map of Salt", "Bo Cole", "126", "9"],
        ["Winter Accounts", "Cy Dunn", "121", "14"],
        ["Paper Herons", "Di Ek", "84", "9"],
    ],
    header=["Film", "Director", "Length (min)", "Ticket (EUR)"],
    title="Film festival",
    caption="Films in competition",
)
SITES = Table.of(
    [
        ["Alder", "Kay Lund", "120", "110", "97"],
        ["Birch", "Lee Moss", "80", "95", "100"],
        ["Cedar", "Max Nye", "60", "52", "88"],
        ["Elm", "Ned Orr", "30", "31", "100"],
    ],
    header=["Site", "Site manager", "Output 2021 (kt)", "Output 2022 (kt)", "Inspected (%)"],
    title="Tarn quarries",
)
STATIONS = Table.of(
    [
        ["Central", "Port", "41,300", "1868"],
        ["Airport", "Ridge", "16,900", "2003"],
        ["Hallgate", "Mill", "12,750", "1871"],
        ["Eskholm", "Dell", "9,480", "1911"],
        ["Dunlow", "Fell", "2,100", "1902"],
    ],
    header=["Station", "District", "Passengers a day", "Opened"],
    title="Lindmark Railways",
)


def answer(claim: str, *tables: Table) -> bool | None:
    return page_reasoning(claim, tables).answer


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("On average the four films last just under 100 minutes.", False),
        ("On average the four films last more than 100 minutes.", True),
        ("Apart from Cold Harvest and A Map of Salt, no film is longer than Winter Accounts.", True),
        ("Apart from Cold Harvest, no film is longer than Winter Accounts.", False),
    ],
)
def test_films_that_last_are_measured_by_their_length(claim: str, expected: bool) -> None:
    assert answer(claim, FILMS) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("At two of the four sites output went down between 2021 and 2022.", True),
        ("At three of the four sites output went down between 2021 and 2022.", False),
        ("At two of the four sites staff went down between 2021 and 2022.", None),
        ("Kay Lund is in charge of Alder.", True),
        ("Kay Lund is in charge of Birch.", False),
        ("Kay Lund was born in Alder.", None),
        ("Two of the four sites painted their gates.", None),
        ("At two sites every single wall was inspected.", None),
        ("Two sites were inspected in every part.", None),
    ],
)
def test_counts_of_rows_that_changed(claim: str, expected: bool | None) -> None:
    assert answer(claim, SITES) is expected


def test_all_of_something_is_a_hundred_percent() -> None:
    exams = Table.of(
        [["English", "97"], ["Music", "100"], ["Physics", "92"], ["Art", "100"]],
        header=["Subject", "Passed (%)"],
        title="Candidates in final examinations",
    )
    assert answer("In two subjects every single candidate passed.", exams) is True
    assert answer("In three subjects every candidate passed.", exams) is False
    assert answer("Physics had a pass rate of 92 percent.", exams) is True
    assert answer("Physics had a dropout rate of 92 percent.", exams) is None


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Each day more people pass through Central than through the next three stations combined.", True),
        ("Each day more people pass through Central than through the next four stations combined.", True),
        ("Each day more people pass through Airport than through the next two stations combined.", None),
        ("Central had an average of 41,300 passengers daily.", True),
        ("Central had an average of 41,300 passengers yearly.", None),
        ("Dunlow in Fell is the oldest of the stations.", False),
        ("Central in Port is the oldest of the stations.", True),
    ],
)
def test_the_first_row_against_the_next_ones(claim: str, expected: bool | None) -> None:
    assert answer(claim, STATIONS) is expected


def test_the_next_few_may_have_more_together() -> None:
    rows = [["Central", "300"], ["Airport", "200"], ["Hallgate", "150"], ["Eskholm", "90"]]
    stations = Table.of(rows, header=["Station", "Passengers a day"], title="Railways")
    assert answer("More people use Central than the next two stations combined.", stations) is False


def test_bicycles_a_day_are_no_days() -> None:
    rows = [["Quay", "4,870"], ["Mill", "6,125"]]
    table = TypedTable.of(Table.of(rows, header=["Counter", "2024 (bicycles a day)"], title="Cycling"))
    assert table.columns[1].unit == ""


def test_tariffs_are_raised_from_one_year_to_the_next() -> None:
    rows = [["Mooring", "5.0", "5.2"], ["Water", "1.1", "1.1"], ["Cranes", "19", "21"], ["Waste", "7", "8"]]
    tariffs = Table.of(rows, header=["Service", "2023 (EUR)", "2024 (EUR)"], title="Port tariffs 2024")
    assert answer("The port raised three of its four tariffs for 2024.", tariffs) is True
    assert answer("The port raised two of its four tariffs for 2024.", tariffs) is False
    assert answer("The port raised three of its four tariffs for 2023.", tariffs) is None
    assert answer("Three of the four tariffs were higher in 2024 than the year before.", tariffs) is True
    assert answer("Two of the four tariffs were higher in 2024 than the year before.", tariffs) is False


def test_a_number_is_of_the_only_column_that_the_claim_names_whole() -> None:
    rows = [["October", "12", "340"], ["November", "30", "355"], ["December", "52", "349"]]
    workers = Table.of(rows, header=["Month", "Temporary workers", "Permanent workers"], title="Warehouse")
    assert answer("Temporary workers at the warehouse: 12 in October, 52 in December.", workers) is True
    assert answer("Injured workers at the warehouse: 12 in October, 52 in December.", workers) is None


def test_half_of_a_name_is_enough_where_its_words_stand_together() -> None:
    rows = [["Stanhope iron press", "480"], ["Wooden hand press", "240"], ["Rotary machine", "8,000"]]
    presses = Table.of(rows, header=["Press", "Sheets per hour"], title="Printing presses")
    assert answer("The Stanhope press printed twice as many sheets an hour as the wooden press.", presses) is True
    assert (
        answer("The Stanhope press printed three times as many sheets an hour as the wooden press.", presses) is False
    )


def test_over_a_year_is_a_limit() -> None:
    rows = [["Cardiology", "Hamish Oduya", "742", "0"], ["Eyes", "Dele Achebe", "2,310", "12"]]
    lists = Table.of(
        rows, header=["Specialty", "Consultant", "Patients waiting", "Waiting over 52 weeks"], title="Waiting lists"
    )
    assert answer("Cardiology has no patients who have waited over a year.", lists) is None
    assert answer("Cardiology has four patients waiting over a year.", lists) is None


RELEASES = Table.of(
    [
        ["4.3.0", "10 February 2025", "29"],
        ["4.2.1", "25 November 2024", "21"],
        ["4.2.0", "30 September 2024", "38"],
    ],
    header=["Version", "Released", "Bugs fixed"],
    title="Wardline",
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Less than two months passed between Wardline 4.2.1 and Wardline 4.3.0.", False),
        ("More than two months passed between Wardline 4.2.1 and Wardline 4.3.0.", True),
        ("56 days passed between 4.2.0 and 4.2.1.", True),
        ("56 complaints passed between 4.2.0 and 4.2.1.", None),
    ],
)
def test_time_passes_between_two_rows(claim: str, expected: bool | None) -> None:
    assert answer(claim, RELEASES) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Almaz Girma won the women's race by 85 seconds.", True),
        ("Almaz Girma won the women's race by 95 seconds.", False),
        ("Tesfaye Lemma won the men's race by two minutes.", True),
        # Who did not win has no margin, and without a race it is not known who is next.
        ("Ines Moro won the women's race by 85 seconds.", None),
        ("Almaz Girma won by 85 seconds.", None),
    ],
)
def test_a_race_is_won_by_the_time_to_the_next(claim: str, expected: bool | None) -> None:
    results = Table.of(
        [
            ["Tesfaye Lemma", "M", "2:10:00", "1:04:00"],
            ["Carl Dunn", "M", "2:12:00", "1:05:00"],
            ["Almaz Girma", "F", "2:28:15", "1:13:30"],
            ["Ines Moro", "F", "2:29:40", "1:13:31"],
        ],
        header=["Runner", "Race", "Finish time", "Half-way time"],
        title="Caldermouth marathon",
    )
    assert answer(claim, results) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Kestrel measures 62 IBU.", False),
        ("Kestrel measures 58 IBU.", True),
        ("Kestrel measures 58 cm.", None),
        ("Long Shadow came out in early June 2020.", False),
    ],
)
def test_the_unit_of_a_header_after_a_number_names_its_column(claim: str, expected: bool | None) -> None:
    beers = Table.of(
        [["Kestrel", "58", "5.8", "1 May 2020"], ["Long Shadow", "62", "10.5", "3 March 2020"]],
        header=["Beer", "Bitterness (IBU)", "Strength", "Came out"],
        title="Beers",
    )
    assert answer(claim, beers) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Bo Cole's two films together last less than three hours.", False),
        ("Bo Cole's two films together last more than three hours.", True),
        ("A Map of Salt has a running time of 126 minutes.", True),
        ("You can see A Map of Salt for EUR 9.", True),
    ],
)
def test_films_run_and_are_seen(claim: str, expected: bool) -> None:
    films = Table.of(
        [
            ["Cold Harvest", "Ann Bell", "134", "12"],
            ["A Map of Salt", "Bo Cole", "126", "9"],
            ["Winter Accounts", "Cy Dunn", "121", "14"],
            ["Paper Herons", "Bo Cole", "84", "9"],
        ],
        header=["Film", "Director", "Length (min)", "Ticket (EUR)"],
        title="Film festival",
    )
    assert answer(claim, films) is expected


def test_a_missing_value_only_adds_to_the_rest() -> None:
    rows = [["Education", "7,115"], ["Health", "6,420"], ["Works", "3,000"], ["Debt", ""]]
    posts = Table.of(rows, header=["Ministry", "Posts"], title="Budget")
    assert answer("Education has more posts than all the other ministries combined.", posts) is False
    rows[0][1] = "17,115"
    posts = Table.of(rows, header=["Ministry", "Posts"], title="Budget")
    assert answer("Education has more posts than all the other ministries combined.", posts) is None


def test_to_name_a_row_is_to_say_nothing_of_it() -> None:
    halls = Table.of([["School hall", "280"], ["Regent", "620"]], header=["Venue", "Seats"], title="Festival")
    assert answer("The school was a woman.", halls) is None


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Ann Bell was president from 1964 to 1971.", True),
        ("Ann Bell was president from 1962 to 1964.", False),
        ("Ann Bell was president between 1964 and 1971.", True),
        # Within her term she was president, too.
        ("Ann Bell was president between 1965 and 1970.", None),
        ("Ann Bell painted from 1964 to 1971.", None),
        ("Bo Cole led the OCB for 7 years.", True),
        ("Bo Cole led the OCB for 9 years.", False),
        ("Bo Cole served more than twice as long as Cy Dunn.", True),
    ],
)
def test_a_term_is_from_one_date_to_another(claim: str, expected: bool | None) -> None:
    terms = Table.of(
        [["Ann Bell", "1964", "1971"], ["Bo Cole", "1971", "1978"], ["Cy Dunn", "1978", "1981"]],
        header=["President", "From", "To"],
        title="Order of Careful Bakers",
    )
    assert answer(claim, terms) is expected


def test_who_was_president_presided() -> None:
    posts = Table.of(
        [["Lecturer", "Trinity", "1669", "1701"], ["President", "Royal Society", "1703", "1727"]],
        header=["Post", "Institution", "From", "To"],
        title="Isaac Newton",
    )
    assert answer("Newton presided over the Royal Society for 24 years.", posts) is True
    assert answer("Newton presided over Trinity for 32 years.", posts) is None


def test_both_books_of_one_name_are_added() -> None:
    pieces = Table.of(
        [["Preludes, Book I", "12"], ["Preludes, Book II", "12"], ["Estampes", "3"]],
        header=["Title", "Pieces"],
        title="Claude Debussy",
    )
    assert answer("Debussy's two books of Preludes contain 20 pieces between them.", pieces) is False
    assert answer("Debussy's two books of Preludes contain 24 pieces between them.", pieces) is True


@pytest.mark.parametrize(
    "claim",
    [
        "Italy and Cuba all have 6 total medals.",
        "Italy has a total score of 9.",
    ],
)
def test_what_is_no_total_and_no_change_is_left_alone(claim: str) -> None:
    medals = Table.of(
        [["Italy", "6", "9", "30"], ["Cuba", "3", "11", "20"], ["China", "2", "4", "10"]],
        header=["Nation", "Total", "Games started", "Share (%)"],
        title="Volleyball",
    )
    assert answer(claim, medals) is None


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Fewer than half of the patients in orthopaedics are seen within 18 weeks.", False),
        ("More than half of the patients in orthopaedics are seen within 18 weeks.", True),
        ("More than half of the patients in orthopaedics are treated within 18 weeks.", None),
    ],
)
def test_a_row_has_the_share_that_a_header_counts(claim: str, expected: bool | None) -> None:
    waiting = Table.of(
        [["Orthopaedics", "2,846", "19.5", "54.1"], ["Eyes", "2,310", "13.0", "68.7"], ["Ears", "700", "9.0", "71.0"]],
        header=["Specialty", "Patients", "Median wait (weeks)", "Seen within 18 weeks (%)"],
        title="Waiting lists",
    )
    assert answer(claim, waiting) is expected


def test_the_sign_before_an_amount_belongs_to_no_word() -> None:
    rows = [["Sextant", "4,200"], ["Chart", "11,900"], ["Flags", "980"]]
    bought = Table.of(rows, header=["Object", "Price (GBP)"], title="Acquisitions of a museum")
    assert answer("On average the price of an object was upwards of £10,000.", bought) is False
    assert answer("On average the price of an object was more than £5,000.", bought) is True
    assert answer("The price of the chart was more than £12,000.", bought) is False


def test_millions_of_the_header_are_not_millions_again() -> None:
    budget = Table.of(
        [["Sales tax", "1,102", "1,131"], ["Fishing licences", "203", "196"], ["Customs duties", "236", "228"]],
        header=["Source", "Estimate 2024 (million crowns)", "Budget 2025 (million crowns)"],
        title="Talvora",
        caption="Revenue. All amounts are in millions of crowns.",
    )
    assert answer("For 2024, fishing licences were put at 203 million crowns.", budget) is True
