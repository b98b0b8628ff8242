"""Which more words of a claim a computation accounts for: verbs, degrees, periods, names of peoples, sets of rows."""

from __future__ import annotations

import pytest

from veritab import Table
from veritab.lexicon.names import is_of_place
from veritab.reason.page import page_reasoning
from veritab.schema import Element, ElementId, Kind
from veritab.text import stems


def answer(claim: str, *tables: Table) -> bool | None:
    return page_reasoning(claim, tables).answer


POSTS = Table.of(
    [["Prague", "1600", "1612"], ["Linz", "1612", "1626"], ["Sagan", "1628", "1630"]],
    header=["City", "From", "To"],
    title="Johannes Kepler",
)
PRESIDENTS = Table.of(
    [["Kurt Waldheim", "1986", "1992"], ["Thomas Klestil", "1992", "2004"], ["Heinz Fischer", "2004", "2016"]],
    header=["President", "In office From", "In office To"],
    title="Austria",
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Kepler lived longer in Linz than in Prague.", True),
        ("Kepler worked longer in Prague than in Linz.", False),
        ("Kepler suffered longer in Prague than in Linz.", None),
    ],
)
def test_a_period_from_one_date_to_another_is_how_long_whatever_lasted(claim: str, expected: bool | None) -> None:
    assert answer(claim, POSTS) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Kurt Waldheim became president of Austria in 1986.", True),
        ("Thomas Klestil became president of Austria in 2004.", False),
        ("Thomas Klestil ceased to be president of Austria in 2004.", True),
        ("Thomas Klestil's time as president of Austria ended in 1992.", False),
    ],
)
def test_a_verb_of_beginning_or_ending_means_that_end_of_a_term(claim: str, expected: bool) -> None:
    assert answer(claim, PRESIDENTS) is expected


def test_a_column_that_the_title_names_too_is_named_by_its_word() -> None:
    census = Table.of(
        [["1981", "6,220,406"], ["1991", "9,420,644"], ["2001", "13,850,507"]],
        header=["Census year", "Population"],
        title="Population of Delhi",
    )
    assert answer("Delhi's population more than doubled between 1981 and 2001.", census) is True
    assert answer("Delhi's population more than tripled between 1981 and 2001.", census) is False


def test_the_lowest_of_a_column_is_named_where_the_title_has_its_word_too() -> None:
    surveys = Table.of(
        [["2001", "4,810"], ["2003", "4,808"], ["2023", "4,805"]],
        header=["Year", "Height (m)"],
        title="Height of Mont Blanc",
    )
    assert answer("The lowest height of Mont Blanc was in 2023.", surveys) is True
    assert answer("The lowest height of Mont Blanc was in 2001.", surveys) is False


SHOWS = Table.of(
    [["Long Coats", "24 October 2024"], ["Autumn Ledger", "12 September 2024"], ["Salt", "1 March 2024"]],
    header=["Collection", "Presented"],
    title="Orvelle",
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Long Coats was shown six weeks after Autumn Ledger.", True),
        ("Long Coats was shown ten weeks after Autumn Ledger.", False),
        ("Long Coats was sold out six weeks after Autumn Ledger.", None),
    ],
)
def test_a_time_between_two_rows_is_of_the_only_column_of_dates(claim: str, expected: bool | None) -> None:
    assert answer(claim, SHOWS) is expected


VOTES = Table.of(
    [["Madrid", "20", "32"], ["London", "22", "27"], ["Paris", "21", "25"]],
    header=["City", "Votes by round First", "Votes by round Second"],
    title="Games of 2012",
)


def test_five_more_votes_are_more_also_in_a_round() -> None:
    assert answer("Madrid got five more votes than London in the second round.", VOTES) is True
    assert answer("Madrid got five fewer votes than London in the second round.", VOTES) is False


RIVERS = Table.of(
    [["Kama", "1,805"], ["Vetluga", "889"], ["Sura", "841"], ["Oka", "1,500"]],
    header=["Tributary", "Length (km)"],
    title="Volga",
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The Kama is slightly more than twice as long as the Vetluga.", True),
        ("The Vetluga is slightly more than half as long as the Kama.", False),
        # It is more than 1.5 times as long, and by far.
        ("The Kama is slightly more than 1.5 times as long as the Vetluga.", None),
        ("The Kama is well over 1.5 times as long as the Vetluga.", True),
    ],
)
def test_a_limit_is_passed_by_as_much_as_the_claim_says(claim: str, expected: bool | None) -> None:
    assert answer(claim, RIVERS) is expected


CITIES = Table.of(
    [["Rome", "2,781,644", "2,617,175"], ["Milan", "1,732,000", "1,242,123"], ["Palermo", "642,814", "657,561"]],
    header=["City", "Population 1971", "Population 2011"],
    title="Italy",
    caption="The largest cities of Italy",
)


def test_what_is_set_apart_from_the_rest_is_accounted_for() -> None:
    assert answer("No other city besides Palermo had more people in 2011 than in 1971.", CITIES) is True
    assert answer("No other city besides Rome had more people in 2011 than in 1971.", CITIES) is False


TEAM = Table.of(
    [["Ada", "2018"], ["Ben", "2020"], ["Cleo", "2021"], ["Dan", "2022"]], header=["Person", "Joined"], title="Oak team"
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Three of the four people joined in 2020 or later.", True),
        ("Two of the four people joined in 2020 or earlier.", True),
        ("By the end of 2020 two of the four people had joined.", True),
        ("By the start of 2020 two of the four people had joined.", False),
    ],
)
def test_a_year_limits_what_comes_by_its_end_or_later(claim: str, expected: bool) -> None:
    assert answer(claim, TEAM) is expected


SYMPHONIES = Table.of(
    [["1", "D major", "London"], ["2", "D major", "none"], ["3", "G major", "Surprise"], ["4", "C minor", "none"]],
    header=["No.", "Key", "Nickname"],
    title="Joseph Haydn",
    sections=["London symphonies"],
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Two of Haydn's four London symphonies are in D major.", True),
        ("Three of Haydn's four famous late symphonies are in D major.", False),
        # Of three it is not said which.
        ("Two of Haydn's three late symphonies are in D major.", None),
    ],
)
def test_words_between_the_number_and_the_kind_of_all_rows_describe_them(claim: str, expected: bool | None) -> None:
    assert answer(claim, SYMPHONIES) is expected


def test_an_ordinal_before_what_is_numbered_is_its_number() -> None:
    assert answer("Haydn's Third Symphony is in G major.", SYMPHONIES) is True
    assert answer("Haydn's Third Symphony is in D major.", SYMPHONIES) is False
    floors = Table.of(
        [["1", "4,415"], ["2", "1,430"], ["3", "250"]], header=["Floor", "Usable area (m²)"], title="Eiffel Tower"
    )
    assert answer("The first floor has over three times as much usable area as the second.", floors) is True
    assert answer("The first floor has over four times as much usable area as the second.", floors) is False


@pytest.mark.parametrize(
    ("word", "name", "expected"),
    [
        ("kenyan", "Kenya", True),
        ("nepalese", "Nepal", True),
        ("italian", "Italy", True),
        ("swedish", "Sweden", True),
        ("uranian", "Uranus", True),
        ("american", "United States", True),
        ("british", "Great Britain", True),
        ("german", "Georgia", False),
        ("kenyan", "Tanzania", False),
        ("nigerian", "Niger", False),
        ("nigerian", "Nigeria", True),
    ],
)
def test_an_adjective_belongs_to_its_place(word: str, name: str, expected: bool) -> None:
    assert is_of_place(word, stems(name)) is expected


LAKE = Table.of(
    [["Kenya", "Kisumu"], ["Tanzania", "Mwanza"], ["Uganda", "Entebbe"]],
    header=["Country", "Port on the lake"],
    title="Lake Victoria",
)


def test_an_adjective_names_the_row_of_its_place() -> None:
    assert answer("Kisumu is the Kenyan port on Lake Victoria.", LAKE) is True
    assert answer("Mwanza is the Kenyan port on Lake Victoria.", LAKE) is False


WATER = Table.of(
    [["Superior", "12,100"], ["Huron", "3,540"], ["Erie", "484"]], header=["Lake", "Volume (km³)"], title="Great Lakes"
)


def test_a_share_of_a_sum_may_be_of_one_alone_or_of_all_combined() -> None:
    assert answer("Superior alone has more than half of the volume.", WATER) is True
    assert answer("Huron has more than half of the combined volume.", WATER) is False


def test_a_share_of_what_cannot_be_counted_is_none_of_the_rows() -> None:
    sources = Table.of(
        [["Ministry", "Research"], ["Foundation", "Private"], ["Company", "Private"]],
        header=["Source", "Kind"],
        title="Where the money for the expedition came from",
    )
    assert answer("More than half of the money for the expedition came from the Ministry.", sources) is None
    assert answer("More than half of the sources are private.", sources) is True


def test_a_superlative_of_no_rows_is_not_false() -> None:
    outages = Table.of(
        [["Tor Vasco", "2023", "40"], ["Ness", "2023", "61"]],
        header=["Plant", "Year", "Outage (days)"],
        title="Brightmoor",
    )
    assert answer("Tor Vasco had the longest outage of any plant in 2022.", outages) is None
    assert answer("Tor Vasco had the longest outage of any plant in 2023.", outages) is False


def test_goals_for_and_against_are_no_times_to_average() -> None:
    league = Table.of(
        [["Brackwater", "61:22"], ["Selby", "45:30"], ["Orme", "20:51"]], header=["Club", "Goals"], title="League"
    )
    assert answer("The league's clubs averaged three goals.", league) is None


def test_a_verb_beside_a_name_is_no_part_of_it() -> None:
    games = Table.of(
        [["Singapore", "2009"], ["Nanjing", "2013"], ["Hambantota", "2017"]],
        header=["Host city", "Year"],
        title="Asian Youth Games",
    )
    assert answer("Nanjing applied for the Asian Youth Games four years before Singapore.", games) is None


def test_a_loss_between_two_years_is_a_difference_of_their_rows() -> None:
    oslo = Table.of(
        [["1970", "487,363"], ["1980", "454,872"], ["1990", "458,364"]], header=["Year", "Population"], title="Oslo"
    )
    assert answer("Between 1970 and 1980 Oslo lost about 32,500 inhabitants.", oslo) is True
    assert answer("Between 1970 and 1980 Oslo lost about 60,000 inhabitants.", oslo) is False
    assert answer("Between 1970 and 1980 Oslo gained about 32,500 inhabitants.", oslo) is False


def test_a_change_between_two_columns_is_no_value_of_one_of_them() -> None:
    states = Table.of(
        [["Texas", "25,145,561", "29,145,505"], ["Ohio", "11,536,504", "11,799,448"]],
        header=["State", "Population 2010", "Population 2020"],
        title="United States",
    )
    assert answer("Texas gained about four million people between 2010 and 2020.", states) is True
    assert answer("Texas gained about six million people between 2010 and 2020.", states) is False
    assert answer("Texas lost about four million people between 2010 and 2020.", states) is False


def test_so_many_years_before_means_the_year_that_it_is() -> None:
    city = Table.of(
        [["2013", "190,956"], ["2018", "202,737"], ["2023", "202,689"]],
        header=["Census year", "Population"],
        title="Wellington",
    )
    assert answer("Wellington had more residents in 2023 than five years before.", city) is False
    assert answer("Wellington had more residents in 2023 than ten years earlier.", city) is True
    assert answer("Wellington had more residents in 2023 than seven years earlier.", city) is None


def test_one_may_have_more_than_all_the_others_together() -> None:
    bids = Table.of(
        [["Tokyo", "34"], ["Detroit", "10"], ["Vienna", "9"], ["Brussels", "5"]],
        header=["City", "Votes"],
        title="Games of 1964",
    )
    assert answer("Tokyo got more votes than its three rivals combined.", bids) is True
    assert answer("Detroit got more votes than all the other cities together.", bids) is False
    assert answer("Tokyo got more votes than its four rivals combined.", bids) is None


def test_the_host_of_a_page_is_what_its_tables_are_about() -> None:
    infobox = Table.of([["Host city", "Athens, Greece"]], title="Games of 2004", infobox=True)
    medals = Table.of(
        [["China", "32", "17", "63"], ["Russia", "28", "26", "92"], ["Cuba", "9", "7", "27"]],
        header=["Nation", "Gold", "Silver", "Total"],
        title="Games of 2004",
    )
    assert answer("At the Athens Games of 2004 China won fewer medals than Russia.", infobox, medals) is True
    assert answer("At the Sydney Games of 2004 China won fewer medals than Russia.", infobox, medals) is None
    assert answer("China won 32 gold medals in Athens.", infobox, medals) is True


def test_the_host_of_a_page_is_not_who_won() -> None:
    infobox = Table.of([["Host city", "Athens, Greece"]], title="Games of 2004", infobox=True)
    rows = [["China", "32", "63"], ["Russia", "28", "92"], ["Cuba", "9", "27"]]
    medals = Table.of(rows, header=["Nation", "Gold", "Total"], title="Games of 2004")
    assert answer("Greece won 32 gold medals.", infobox, medals) is None
    assert answer("Nine gold medals went to Greece.", infobox, medals) is None


def test_medals_are_not_only_those_of_gold() -> None:
    golds = Table.of([["China", "32"], ["Russia", "28"]], header=["Nation", "Gold"], title="Games")
    assert answer("China won fewer medals than Russia.", golds) is None
    assert answer("China won fewer gold medals than Russia.", golds) is False


def test_a_surname_names_the_one_person_whom_cells_have() -> None:
    moons = Table.of(
        [
            ["Titan", "Christiaan Huygens"],
            ["Rhea", "Giovanni Domenico Cassini"],
            ["Dione", "Giovanni Domenico Cassini"],
            ["Mimas", "William Herschel"],
        ],
        header=["Moon", "Discoverer"],
        title="Saturn",
    )
    assert answer("Cassini found two of the four moons of Saturn.", moons) is True
    assert answer("Cassini found three of the four moons of Saturn.", moons) is False


def test_what_was_first_heard_is_under_the_first_performance() -> None:
    operas = Table.of(
        [["Aida", "Cairo"], ["Nabucco", "Milan"], ["Otello", "Milan"]],
        header=["Opera", "First performance City"],
        title="Giuseppe Verdi",
    )
    assert answer("Two of the three operas were first heard in Milan.", operas) is True
    assert answer("Aida was premiered in Milan.", operas) is False


def test_a_name_of_the_page_is_accounted_for_though_a_header_has_it() -> None:
    rivers = Table.of(
        [["Aare", "Left", "Koblenz"], ["Neckar", "Right", "Mannheim"], ["Main", "Right", "Mainz"]],
        header=["Tributary", "Bank", "Joins the Rhine at"],
        title="Rhine",
    )
    assert answer("Most of the tributaries of the Rhine are on the left bank.", rivers) is False


def test_the_chemistry_one_is_no_number() -> None:
    prizes = Table.of([["Physics", "30"], ["Chemistry", "19"]], header=["Prize", "Nominations"], title="Lise Meitner")
    claim = "Lise Meitner received eleven more nominations for the physics prize than for the chemistry one."
    assert answer(claim, prizes) is True


def test_a_less_probable_program_answers_where_it_names_many_cells() -> None:
    champions = Table.of(
        [["Bahia", "Botafogo-BA"], ["Ceará", "Fortaleza"], ["Pará", "Remo"]],
        header=["State", "Champion"],
        title="State championships of 1926",
    )
    claim = "In 1926 Fortaleza were champions of Bahia and Botafogo-BA champions of Ceará."
    assert answer(claim, champions) is False


def test_the_clock_does_not_say_how_long_something_took() -> None:
    page = "Council meeting"
    closing = Element(ElementId(page, Kind.SENTENCE, (3,)), "The meeting closed at 22:05.")
    assert page_reasoning("The council meeting took less than two and a half hours.", [], [closing]).answer is None


VERDI = Table.of([["Born", "10 October 1813"], ["Died", "27 January 1901"]], title="Giuseppe Verdi", infobox=True)
OPERAS = Table.of(
    [["Nabucco", "9 March 1842"], ["Otello", "5 February 1887"], ["Falstaff", "9 February 1893"]],
    header=["Opera", "First performance"],
    title="Giuseppe Verdi",
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Giuseppe Verdi was 79 when Falstaff was performed for the first time.", True),
        ("Giuseppe Verdi was 82 years old when Falstaff was first performed.", False),
        ("Giuseppe Verdi was over 70 when Otello was first performed.", True),
        ("When Nabucco was first performed, Giuseppe Verdi was 28.", True),
        # Nothing says when it was finished.
        ("Giuseppe Verdi was 79 when Falstaff was finished.", None),
        ("Arrigo Boito was 79 when Falstaff was performed for the first time.", None),
    ],
)
def test_an_age_at_an_event_is_counted_from_a_birth_elsewhere(claim: str, expected: bool | None) -> None:
    assert answer(claim, VERDI, OPERAS) is expected


def test_an_age_on_becoming_president_is_counted_within_a_row() -> None:
    presidents = Table.of(
        [["Sergio Mattarella", "1941", "2015"], ["Giorgio Napolitano", "1925", "2006"]],
        header=["President", "Born", "In office From"],
        title="Italy",
    )
    assert answer("Sergio Mattarella was 85 when he became president of Italy.", presidents) is False
    assert answer("Sergio Mattarella was over 80 when he became president of Italy.", presidents) is False
    assert answer("Sergio Mattarella was 74 when he became president of Italy.", presidents) is None


LIBRARIES = Table.of(
    [["Castle Hill", "40", "1,200"], ["Old Tannery", "52", "900"], ["Pier Street", "30", "2,100"]],
    header=["Branch", "Opening hours per week", "Loans"],
    title="Libraries of Quillan",
)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Castle Hill is open longer each week than Old Tannery.", False),
        ("Old Tannery is open longer per week than Castle Hill.", True),
    ],
)
def test_so_much_per_week_is_so_much_each_week(claim: str, expected: bool) -> None:
    assert answer(claim, LIBRARIES) is expected


def test_what_a_table_is_headed_by_says_what_was_done() -> None:
    kinds = Table.of(
        [["E-books", "150,000", "191,000"], ["Films", "88,000", "61,000"], ["Music", "9,000", "8,000"]],
        header=["Kind", "2023", "2024"],
        title="Libraries of Quillan",
        sections=["Loans"],
    )
    assert answer("The libraries lent 191,000 e-books in 2024.", kinds) is True
    assert answer("The libraries burned 191,000 e-books in 2024.", kinds) is None


def test_what_has_been_open_since_a_year_opened_then() -> None:
    museums = Table.of(
        [["Louvre", "1793"], ["Musée d'Orsay", "1986"], ["Orangerie", "1927"]],
        header=["Museum", "Opened"],
        title="Paris",
    )
    assert answer("The Musée d'Orsay has been open since 1986.", museums) is True
    assert answer("The Musée d'Orsay has been open since 1977.", museums) is False


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Sprite trams are based at Wyvern.", True),
        ("Sprite trams are based at Northside.", False),
        ("Sprite trams were chosen on Wyvern.", None),
        ("None of the trams is more rigid than the Comet.", False),
        ("None of the trams is more rigid than the Sprite.", True),
        ("Comet trams peaked at 92 km/h.", False),
        ("Comet trams peaked at 70 km/h.", True),
    ],
)
def test_a_verb_may_say_no_more_than_a_header(claim: str, expected: bool | None) -> None:
    trams = Table.of(
        [["Sprite", "Wyvern", "31", "92"], ["Comet", "Northside", "24", "70"], ["Dart", "Wyvern", "12", "80"]],
        header=["Tram", "Depot", "Rigidness", "Highest speed (km/h)"],
        title="Trams",
    )
    assert answer(claim, trams) is expected


def test_who_sits_an_examination_is_a_candidate() -> None:
    exams = Table.of(
        [["English", "118", "97"], ["Biology", "61", "88"], ["Art", "22", "100"]],
        header=["Subject", "Candidates", "Passed (%)"],
        title="Final examinations",
    )
    assert answer("Nearly twice as many candidates sat English as sat biology.", exams) is True
    assert answer("Nearly twice as many candidates sat biology as sat English.", exams) is False
    assert answer("Nearly twice as many candidates failed English as failed biology.", exams) is None
