"""Readings of a claim that are refused: what a table seems to say, and does not."""

from __future__ import annotations

import pytest

from tests.reason.test_page import sentence
from veritab import Table
from veritab.reason.page import page_reasoning


def test_what_sums_up_other_rows_is_not_the_longest() -> None:
    rows = [["A Line", "40"], ["B Line", "25"], ["C Line", "30"], ["Both operators", "304"]]
    lines = Table.of(rows, header=["Line", "Length (km)"], title="Metro lines")
    assert page_reasoning("A Line is the longest line.", [lines]).answer is not False


def test_a_row_is_not_the_highest_of_itself() -> None:
    rows = [["TS1", "Summit", "1900"], ["TS6", "Port", "12"], ["TS7", "Ridge", "1400"]]
    stations = Table.of(rows, header=["Station", "Place", "Altitude (m)"], title="Sorrel stations")
    assert page_reasoning("TS6 at Port is the highest of the Sorrel stations.", [stations]).answer is not True


def test_within_is_at_most() -> None:
    rows = [["TS1", "0.4"], ["TS2", "2"], ["TS3", "1.5"], ["TS7", "2.2"]]
    stations = Table.of(rows, header=["Station", "Distance from crater (km)"], title="Sorrel stations")
    assert page_reasoning("Three of the Sorrel stations are within 2 km of the crater.", [stations]).answer is True


def test_to_deny_something_of_a_row_is_not_to_deny_the_row() -> None:
    rows = [["Vinson Massif", "4892"], ["Mount Tyree", "4852"]]
    peaks = Table.of(rows, header=["Mountain", "Elevation (m)"], title="Peaks")
    assert page_reasoning("The Vinson Massif does not belong to any country.", [peaks]).answer is None


def test_nobody_reigns_from_the_opening_of_something_to_its_closing() -> None:
    rows = [
        ["London", "Elizabeth II", "27 July 2012", "12 August 2012"],
        ["Rome", "Gronchi", "25 August 1960", "11 September 1960"],
    ]
    games = Table.of(rows, header=["City", "Opened by", "Opening", "Closing"], title="Games")
    assert page_reasoning("Elizabeth II reigned for about 70 years.", [games]).answer is None


def test_a_sheet_may_have_its_title_above_its_header() -> None:
    sheet = Table.of(
        [
            ["Apple trial 2024"],
            ["Variety", "Planted", "Weight (g)"],
            ["Amber", "2016", "152"],
            ["Corby", "2017", "131"],
        ],
        title="trial",
    )
    assert page_reasoning("Amber was planted in 2016.", [sheet]).answer is True
    assert page_reasoning("Corby was heavier than Amber.", [sheet]).answer is False


def test_a_year_is_not_compared_with_another_things() -> None:
    texts = [
        sentence("In 1910 Vienna had 2,000,000 inhabitants.", page="Vienna"),
        sentence("In 2011 the country had 8,401,940 inhabitants.", page="Austria"),
    ]
    assert page_reasoning("Vienna had fewer inhabitants in 1910 than in 2011.", (), texts).answer is None


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("A balcony subscription for the full season costs EUR 395.", False),
        ("A balcony subscription for the full season costs EUR 320.", True),
        # Rough, of two columns, of no column, or more than the cell says.
        ("A balcony subscription for the full season costs about EUR 395.", None),
        ("A subscription for the full season costs EUR 250.", None),
        ("A balcony subscription for the full season costs EUR 395 for students.", None),
    ],
)
def test_one_named_cell_decides_its_number(claim: str, answer: bool | None) -> None:
    prices = Table.of(
        [["Full season", "395", "320"], ["Winter four", "182", "148"], ["Family two", "60", "48"]],
        header=["Subscription", "Stalls", "Balcony"],
        title="Season subscriptions",
    )
    assert page_reasoning(claim, [prices]).answer is answer


def test_an_age_may_be_given_without_a_word_for_it() -> None:
    runners = Table.of(
        [["Yuki Mori", "30", "2:40:11"], ["Orla Devane", "36", "2:42:05"], ["Ana Reis", "28", "2:47:00"]],
        header=["Runner", "Age", "Finish time"],
        title="Caldermouth Marathon",
    )
    assert page_reasoning("Yuki Mori was 36 when she ran the Caldermouth Marathon.", [runners]).answer is False
    assert page_reasoning("Yuki Mori was 30 when she ran the Caldermouth Marathon.", [runners]).answer is True


def test_the_most_of_something_is_not_the_strongest_of_it() -> None:
    months = Table.of(
        [["August", "210", "Green"], ["September", "811", "Yellow"], ["October", "395", "Green"]],
        header=["Month", "Earthquakes", "Alert level"],
        title="Sorrel earthquakes",
    )
    assert page_reasoning("Sorrel had its most earthquakes in September.", [months]).answer is True
    assert page_reasoning("The strongest Sorrel earthquake came in October.", [months]).answer is None


WARDS = Table.of(
    [["A1", "Ruth Ackland", "2,870", "22"], ["A2", "Denis Morrow", "2,490", "31"], ["B1", "Omar Reyes", "1,905", "17"]],
    header=["Ward", "Head nurse", "Admissions", "Falls"],
    title="Saint Orrin's",
)


def test_numbers_of_two_columns_are_not_compared_across_rows() -> None:
    claim = "Ward A2 at Saint Orrin's counted more falls than A1 on fewer admissions."
    assert page_reasoning(claim, [WARDS]).answer is not False


def test_a_share_of_people_is_not_a_share_of_one_column_of_them() -> None:
    games = Table.of(
        [["Sydney", "10,651", "4,069"], ["Athens", "10,625", "4,329"], ["Beijing", "10,942", "4,637"]],
        header=["Host city", "Athletes", "Athletes Women"],
        title="Summer Olympics",
    )
    for claim in (
        "Roughly 38 percent of the athletes at the Sydney Olympics were women.",
        "38 percent of the athletes at the Sydney Olympics were women.",
    ):
        assert page_reasoning(claim, [games]).answer is not False


def test_what_has_been_so_since_a_date_began_then() -> None:
    museums = Table.of(
        [["Louvre", "1793"], ["Musée d'Orsay", "1986"], ["Centre Pompidou", "1977"]],
        header=["Museum", "Opened"],
        title="Museums of Paris",
    )
    assert page_reasoning("The Musée d'Orsay has been open since 1977.", [museums]).answer is not True


def test_south_of_the_equator_the_greater_latitude_is_farther_south() -> None:
    cities = Table.of(
        [["Buenos Aires", "34.6° S"], ["Wellington", "41.3° S"], ["Oslo", "59.9° N"]],
        header=["City", "Latitude"],
        title="Cities",
    )
    assert page_reasoning("Buenos Aires lies farther south than Wellington.", [cities]).answer is False
    assert page_reasoning("Wellington lies farther south than Buenos Aires.", [cities]).answer is True


MILLS = Table.of(
    [["2018", "25.1", "900"], ["2020", "20.9", "800"], ["2022", "11.9", "700"]],
    header=["Year", "Accidents", "Accidents abroad"],
    title="Sarnholt",
)


def test_more_than_halved_is_less_than_half() -> None:
    assert page_reasoning("Sarnholt's accidents more than halved between 2018 and 2022.", [MILLS]).answer is True
    assert page_reasoning("Sarnholt's accidents more than halved between 2018 and 2020.", [MILLS]).answer is False


def test_a_share_by_which_something_went_up_is_no_share_of_a_sum() -> None:
    dues = Table.of(
        [["Cargo ships", "16.6", "19.1"], ["Cruise ships", "14.8", "17.0"]],
        header=["Harbour dues", "2023 (EUR)", "2024 (EUR)"],
        title="Havelund",
    )
    assert page_reasoning("Harbour dues for cruise ships went up about 15 percent in 2024.", [dues]).answer is not False


def test_what_starts_at_a_price_is_not_all_of_it() -> None:
    plans = Table.of(
        [["Business", "13.50"], ["Team", "8.00"]], header=["Plan", "2025 (EUR per user)"], title="List price"
    )
    assert page_reasoning("The list price of the business plan starts at 270 euros in 2025.", [plans]).answer is None


def test_a_number_in_a_name_is_no_value_under_another_name() -> None:
    sites = Table.of(
        [["Lomstad", "350", "20"], ["Vik", "120", "40"]],
        header=["Site", "Scope 1 emissions", "Scope 2 emissions"],
        title="Halvornsen",
    )
    assert page_reasoning("Lomstad has scope 3 emissions.", [sites]).answer is None


def test_a_superlative_of_an_unknown_adjective_ranks_by_no_other_column() -> None:
    lines = Table.of(
        [["Forest Line", "4.9", "Vehicle faults"], ["Mountain Line", "2.1", "Weather"]],
        header=["Line", "Average delay (min)", "Main cause of delay"],
        title="Sarnmark",
    )
    assert page_reasoning("Weather was the main cause of delay on Sarnmark's steepest line.", [lines]).answer is None


def test_two_numbers_are_not_of_one_cell() -> None:
    walks = Table.of(
        [["March", "7"], ["April", "12"], ["May", "9"]], header=["Month", "Guided walks"], title="Aldra in 2023"
    )
    assert page_reasoning("Aldra had fewer than ten guided walks in seven months of 2023.", [walks]).answer is None


def test_the_second_of_one_row_is_no_rank() -> None:
    board = Table.of(
        [["Treasurer", "Hannes Eberling", "61"], ["President", "Rosalind Teck", "70"], ["Clerk", "Ida Moe", "40"]],
        header=["Office", "Holder", "Votes"],
        title="Board",
    )
    assert page_reasoning("Treasurer Hannes Eberling got the second most votes.", [board]).answer is not False


def test_two_right_names_do_not_show_what_was_done() -> None:
    shops = Table.of(
        [["Station Arcade", "Faruk Demirel"], ["Lake Street", "Simon Baechli"]],
        header=["Pharmacy", "Manager"],
        title="Pharmacies",
    )
    claim = "Faruk Demirel renovated the Station Arcade pharmacy and Simon Baechli the one on Lake Street."
    assert page_reasoning(claim, [shops]).answer is None


def test_visitors_do_not_fall_to_screenings() -> None:
    cinemas = Table.of(
        [["Rialto", "900", "200"], ["Mirador", "700", "300"], ["Lux", "100", "400"]],
        header=["Cinema", "Visitors 2023", "Screenings 2024"],
        title="Cinemas",
    )
    assert page_reasoning("Only the Rialto and the Mirador lost visitors in 2024.", [cinemas]).answer is None


def test_what_goes_over_budget_is_not_every_row() -> None:
    items = Table.of(
        [["Bridges", "12.0", "13.5"], ["Roads", "30.0", "28.0"], ["Signs", "2.0", "2.4"]],
        header=["Item", "Budgeted (EUR m)", "Spent (EUR m)"],
        title="Budget of the roads authority",
    )
    assert page_reasoning("Two items went over budget.", [items]).answer is not False


PEAKS = Table.of(
    [["Aska", "1954", "Ann Roe", "Nepal"], ["Boru", "1960", "Bob Lee", "China"], ["Dunn", "1957", "Dan Coe", "India"]],
    header=["Mountain", "First ascent", "Climber", "Country"],
    title="Peaks",
)


def test_a_peak_is_climbed_again_after_its_first_ascent() -> None:
    assert page_reasoning("Aska was climbed in 1960.", [PEAKS]).answer is None
    assert page_reasoning("Aska was first climbed in 1960.", [PEAKS]).answer is False
    assert page_reasoning("Aska was climbed in 1954.", [PEAKS]).answer is True


def test_the_country_of_a_peak_is_not_that_of_its_climber() -> None:
    assert page_reasoning("Dan Coe was Indian.", [PEAKS]).answer is None
    assert page_reasoning("The Indian climber Dan Coe climbed Dunn.", [PEAKS]).answer is None
    assert page_reasoning("Indian climbers climbed Dunn in 1957.", [PEAKS]).answer is None
    assert page_reasoning("Dunn is an Indian mountain.", [PEAKS]).answer is True


def test_a_player_leads_no_club_and_who_came_first_is_not_the_oldest() -> None:
    clubs = Table.of([["Milan", "2004", "2009"], ["Leeds", "2009", "2011"]], header=["Club", "From", "To"], title="Joe")
    assert page_reasoning("Joe led Milan for five years.", [clubs]).answer is None
    mayors = Table.of(
        [["Ada Bel", "1990", "1994"], ["Cid Dov", "1994", "2002"]], header=["Mayor", "From", "To"], title="Port"
    )
    assert page_reasoning("Cid Dov led Port for eight years.", [mayors]).answer is True
    assert page_reasoning("Ada Bel is the oldest mayor.", [mayors]).answer is None


def test_what_is_not_known_is_not_added() -> None:
    rows = [["Ann Roe", "500"], ["Bob Lee", ""], ["Cat Moe", "80"]]
    votes = Table.of(rows, header=["Candidate", "Votes"], title="Election")
    assert page_reasoning("Ann Roe got more votes than all other candidates combined.", [votes]).answer is None
    assert page_reasoning("Ann Roe and Bob Lee got 620 votes together.", [votes]).answer is None
    assert page_reasoning("Ann Roe and Cat Moe got 580 votes together.", [votes]).answer is True


ACCOUNTS = Table.of(
    [["Sales", "400", "500"], ["Costs", "300", "310"], ["Profit", "100", "190"]],
    header=["Item", "2019", "2020"],
    title="Accounts (million euros)",
)


def test_what_is_up_by_an_amount_is_not_that_amount() -> None:
    assert page_reasoning("Sales were up 100 in 2020.", [ACCOUNTS]).answer is not False
    assert page_reasoning("Sales were up 100 million euros in 2020.", [ACCOUNTS]).answer is not False


def test_a_table_may_count_in_millions() -> None:
    assert page_reasoning("Sales were 500 million euros in 2020.", [ACCOUNTS]).answer is not False
    assert page_reasoning("Sales were 450 in 2020.", [ACCOUNTS]).answer is False


PEOPLE = Table.of([["Born", "4 May 1920"]], title="Ann Roe", infobox=True)
ASCENTS = Table.of(
    [["Aska", "29 May 1954", "Ann Roe"], ["Boru", "3 March 1960", "Bob Lee"], ["Ceto", "1 May 1961", "Ann Roe"]],
    header=["Mountain", "First ascent", "Climber"],
    title="Peaks",
)


def test_an_age_may_be_denied_and_is_over_itself_by_some_months() -> None:
    assert page_reasoning("Ann Roe was 34 when she climbed Aska.", [PEOPLE, ASCENTS]).answer is True
    assert page_reasoning("Ann Roe was not 34 when she climbed Aska.", [PEOPLE, ASCENTS]).answer is not True
    assert page_reasoning("Ann Roe was not 35 when she climbed Aska.", [PEOPLE, ASCENTS]).answer is not False
    assert page_reasoning("Ann Roe was over 40 when she climbed Ceto.", [PEOPLE, ASCENTS]).answer is None
    assert page_reasoning("Ann Roe was over 41 when she climbed Ceto.", [PEOPLE, ASCENTS]).answer is False


ALLOYS = Table.of(
    [["Bell metal", "78", "22"], ["Gilding metal", "95", "0"], ["Gunmetal", "88", "10"]],
    header=["Alloy", "Content (% by mass) Copper", "Content (% by mass) Tin"],
    title="Alloys of copper",
)


def test_what_makes_up_a_share_is_no_share_of_another_share() -> None:
    assert page_reasoning("Tin makes up 22 percent of bell metal.", [ALLOYS]).answer is True
    assert page_reasoning("Tin makes up 12 percent of bell metal.", [ALLOYS]).answer is not True


def test_what_was_taken_for_something_was_not_found_to_be_that() -> None:
    rows = [["Chlorine", "1774", "Carl Scheele"], ["Iodine", "1811", "Bernard Courtois"]]
    elements = Table.of(rows, header=["Element", "Discovered", "Discoverer"], title="Halogens")
    assert page_reasoning("Scheele made chlorine in 1774.", [elements]).answer is True
    assert page_reasoning("When Scheele made chlorine in 1774 he took it for an element.", [elements]).answer is None
