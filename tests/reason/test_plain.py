"""Plain statements about named things: read whole, and decided by what pages, rows and sentences say of the things."""

from __future__ import annotations

import pytest

from veritab import Element, ElementId, Kind, Table
from veritab.quantities import Quantity
from veritab.reason.hedges import holds_roughly
from veritab.reason.page import page_reasoning
from veritab.reason.sentence_facts import named_dates, named_measures, sentence_attributes
from veritab.reason.statements import parse_statements
from veritab.reason.subjects import is_named, name_attribute
from veritab.schema import Context


def infobox(title: str, *lines: tuple[str, str]) -> Table:
    return Table.of([list(line) for line in lines], title=title, infobox=True)


def sentence(text: str, page: str) -> Element:
    return Element(ElementId(page, Kind.SENTENCE, (0,)), text, (), (Context(ElementId(page, Kind.TITLE), page),))


PEAKS = [
    infobox("K2", ("Elevation", "8,611 m (28,251 ft)"), ("Prominence", "4,020 m"), ("First ascent", "31 July 1954")),
    infobox("Mount Everest", ("Height", "8,849 m"), ("Range", "Himalayas"), ("First ascent", "29 May 1953")),
]
CITIES = [
    infobox("Tokyo", ("Country", "Japan"), ("Area", "2,194 km²"), ("Population", "14,047,594 (2020 census)")),
    infobox("London", ("Country", "United Kingdom"), ("Area", "1,572 km²"), ("Population", "8.8 million (2021)")),
    infobox("Lagos", ("Country", "Nigeria"), ("Area", "1,171 km²"), ("Population", "15.4 million")),
]
PEOPLE = [
    infobox("Marie Curie", ("Born", "7 November 1867"), ("Died", "4 July 1934"), ("Field", "Chemistry")),
    infobox("Albert Einstein", ("Born", "14 March 1879"), ("Died", "18 April 1955"), ("Field", "Physics")),
    infobox("Victoria", ("Reign", "20 June 1837 – 22 January 1901"), ("Born", "24 May 1819")),
]
ELEMENTS = Table.of(
    [["Helium", "18", "2"], ["Neon", "18", "10"], ["Gold", "11", "79"]],
    header=["Element", "Group", "Atomic number"],
    title="Elements",
)


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("K2 is taller than Mount Everest.", False),
        ("Everest is taller than K2.", True),
        ("K2 is not taller than Everest.", True),
        ("Mount Everest is 238 m taller than K2.", True),
        ("K2 is 238 m taller than Mount Everest.", False),
        ("Mount Everest is more than 500 metres higher than K2.", False),
        ("K2 was first climbed after Mount Everest.", True),
        ("K2 was first climbed a year after Mount Everest.", True),
        ("The prominence of K2 is 4,020 m.", True),
        ("The prominence of K2 is 5,000 m.", False),
        ("K2's elevation is lower than that of Mount Everest.", True),
        ("Mount Everest's elevation is more than twice that of K2.", False),
        ("The elevation of Mount Everest is more than double that of K2.", False),
        # The pages do not say.
        ("K2's depth is greater than that of Mount Everest.", None),
        ("K2 is deeper than Mount Everest.", None),
        ("K2 is older than Mount Everest.", None),
        ("K2 is slightly lower than Mount Everest.", None),
        ("The prominence of Mount Everest is 8,849 m.", None),
        ("K2 Base Camp is taller than Mount Everest.", None),
        ("K2 is taller than Mount Everest and safer to climb.", None),
    ],
)
def test_two_mountains_are_compared_by_their_infoboxes(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, PEAKS).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Tokyo is bigger than London.", True),
        ("Tokyo has more inhabitants than London.", True),
        ("London has a larger population than Tokyo.", False),
        ("Tokyo is larger in area than Lagos.", True),
        # By area it is, by population it is not.
        ("Tokyo is larger than Lagos.", None),
        ("London has a population of about 9 million.", True),
        ("London has 12 million inhabitants.", False),
        ("The country of Tokyo is Japan.", True),
        ("The country of Tokyo is China.", False),
        ("Tokyo has more millionaires than London.", None),
        ("The mayor of Tokyo is Yuriko Koike.", None),
    ],
)
def test_cities_are_compared_only_by_what_is_meant(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, CITIES).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Marie Curie died later than Albert Einstein.", False),
        ("Marie Curie is older than Albert Einstein.", True),
        ("Albert Einstein was born before Marie Curie.", False),
        ("Albert Einstein was born 12 years before Marie Curie.", False),
        ("Albert Einstein was born 11 years after Marie Curie.", True),
        # Twelve by the calendar, eleven by the days.
        ("Albert Einstein was born 12 years after Marie Curie.", None),
        ("Albert Einstein outlived Marie Curie.", True),
        ("Albert Einstein lived longer than Marie Curie.", True),
        ("Marie Curie died at the age of 66.", True),
        ("Marie Curie died at 67.", False),
        ("Albert Einstein lived to be about 75.", True),
        ("Victoria reigned for 63 years.", True),
        ("Victoria reigned for 70 years.", False),
        ("Marie Curie and Albert Einstein died in the same year.", False),
        ("Marie Curie was born in 1867.", True),
        ("Marie Curie was married in 1895.", None),
    ],
)
def test_lives_are_compared_and_measured(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, PEOPLE).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Helium and neon belong to the same group.", True),
        ("Helium and gold belong to the same group.", False),
        ("Helium and gold have different groups.", True),
        ("The atomic number of gold is 79.", True),
        ("The atomic number of gold is 80.", False),
        ("Helium and gold belong to the same family.", None),
    ],
)
def test_rows_of_a_table_are_things_too(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [ELEMENTS]).answer is answer


def test_first_sentences_measure_what_their_page_is_about() -> None:
    given = [
        sentence("K2 is a mountain with an elevation of 8,611 m.", "K2"),
        sentence("Lhotse rises to 8,516 m on the border of Nepal.", "Lhotse"),
    ]
    assert page_reasoning("K2 is taller than Lhotse.", elements=given).answer is True
    assert page_reasoning("Lhotse is taller than K2.", elements=given).answer is False


def test_the_days_of_a_life_are_read_from_brackets() -> None:
    found = dict(sentence_attributes("Marie Curie (7 November 1867 – 4 July 1934) was a physicist."))
    assert {name: date.year for name, date in found.items()} == {"born": 1867, "died": 1934}  # type: ignore[union-attr]


def test_the_answer_cites_the_values_and_shows_them() -> None:
    found = page_reasoning("K2 is taller than Mount Everest.", PEAKS)
    line = (
        'Elevation of K2: 8,611 m; Height of Mount Everest: 8,849 m; 8,849 − 8,611 = 238 m less, so "taller" is false'
    )
    assert found.lines == (line,)
    assert found.form == "height of K2 = 8,611 m < 8,849 m = height of Mount Everest"
    assert {cell.page for cell in found.cells} == {"K2", "Mount Everest"}


@pytest.mark.parametrize(
    ("name", "full", "same"),
    [
        ("Everest", "Mount Everest", True),
        ("the Amazon", "Amazon River", True),
        ("Mercury", "Mercury (planet)", True),
        ("Amazon basin", "Amazon River", False),
        ("Mount Everest", "Everest", False),
    ],
)
def test_a_thing_is_named_by_its_whole_name(name: str, full: str, same: bool) -> None:
    assert is_named(name, full) is same


@pytest.mark.parametrize(
    ("header", "attribute"),
    [("Elevation (m)", "height"), ("Date of birth", "born"), ("Total area", "area"), ("Gold medals", "gold medal")],
)
def test_headers_of_one_meaning_have_one_name(header: str, attribute: str) -> None:
    assert name_attribute(header) == attribute


@pytest.mark.parametrize(
    ("value", "hedge", "holds"),
    [
        (149.1, "about", True),
        (135.0, "about", None),
        (120.0, "about", False),
        (149.1, "nearly", True),
        (152.0, "nearly", None),
        (170.0, "almost", False),
        (110.0, "almost", False),
    ],
)
def test_rough_numbers(value: float, hedge: str, holds: bool | None) -> None:
    assert holds_roughly(Quantity(value), Quantity(150.0), hedge) is holds


def test_a_claim_with_more_to_say_is_no_plain_statement() -> None:
    assert list(parse_statements("K2 is taller than Everest.")) != []
    assert list(parse_statements("K2 fascinates climbers.")) == []
    assert list(parse_statements("x" * 500 + " is taller than y")) == []


METALS = [
    infobox("Zinc", ("Melting point", "419.5 °C"), ("Discovered", "1746"), ("Atomic number", "30")),
    infobox("Tin", ("Melting point", "231.9 °C"), ("Named after", "Anglo-Saxon"), ("Atomic number", "50")),
    infobox("Sodium", ("First isolated", "1807"), ("Isolated by", "Humphry Davy"), ("Atomic number", "11")),
]


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Zinc melts at a higher temperature than tin.", True),
        ("Zinc melts at a lower temperature than tin.", False),
        ("Tin melts at about 505 kelvin.", True),
        ("Tin melts at about 605 kelvin.", False),
        ("Tin has atomic number 50.", True),
        ("Tin has atomic number 51.", False),
        ("Sodium was isolated by Humphry Davy.", True),
        ("Sodium was isolated by Michael Faraday.", False),
        # Two statements: one that is false is enough, and all have to be true.
        ("Tin has atomic number 50 and melts at 231.9 °C.", True),
        ("Tin has atomic number 50 and melts at 660 °C.", False),
        ("Tin has atomic number 50 and is named after a king.", None),
        ("Zinc boils at a higher temperature than tin.", None),
    ],
)
def test_verbs_name_what_they_measure(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, METALS).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Oslo lies farther north than Rome.", True),
        ("Rome lies further north than Oslo.", False),
        ("Rome lies farther south than Oslo.", True),
        ("Sydney lies farther south than Rome.", True),
        ("Sydney lies farther north than Rome.", False),
    ],
)
def test_latitudes_are_north_or_south_of_the_equator(claim: str, answer: bool | None) -> None:
    places = [
        infobox("Oslo", ("Latitude", "59.9° N"), ("Country", "Norway")),
        infobox("Rome", ("Latitude", "41.9° N"), ("Country", "Italy")),
        infobox("Sydney", ("Latitude", "33.9° S"), ("Country", "Australia")),
    ]
    assert page_reasoning(claim, places).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Niels Bohr was born in Copenhagen.", True),
        # A country is no city, and holds one.
        ("Niels Bohr was born in Denmark.", None),
        ("Bohr died before Einstein.", False),
        ("Einstein lived longer than Bohr.", False),
    ],
)
def test_people_are_known_by_their_surnames(claim: str, answer: bool | None) -> None:
    bohr = infobox("Niels Bohr", ("Born", "7 October 1885"), ("Birthplace", "Copenhagen"), ("Died", "18 November 1962"))
    assert page_reasoning(claim, [bohr, *PEOPLE]).answer is answer


def test_a_surname_of_two_is_nobodys() -> None:
    people = [
        infobox("Robert Schumann", ("Born", "8 June 1810"), ("Died", "29 July 1856")),
        infobox("Clara Schumann", ("Born", "13 September 1819"), ("Died", "20 May 1896")),
        infobox("Frédéric Chopin", ("Born", "1 March 1810"), ("Died", "17 October 1849")),
    ]
    assert page_reasoning("Chopin died before Clara Schumann.", people).answer is True
    assert page_reasoning("Schumann died before Chopin.", people).answer is None


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("More nations took part in the 1964 Olympics than in those of 1968.", False),
        ("More nations took part in the Olympics of 1968 than in those of 1964.", True),
        ("There were more events at the 1968 Olympics than at the 1964 Olympics.", True),
    ],
)
def test_editions_are_known_by_their_years(claim: str, answer: bool | None) -> None:
    games = [
        infobox("1964 Summer Olympics", ("Host city", "Tokyo"), ("Nations", "93"), ("Events", "163 in 19 sports")),
        infobox("1968 Summer Olympics", ("Host city", "Mexico City"), ("Nations", "112"), ("Events", "172")),
    ]
    assert page_reasoning(claim, games).answer is answer


# -- sentences of other pages, and rough numbers


@pytest.mark.parametrize(
    ("text", "name", "dates"),
    [
        ("The Opera House, designed by Jørn Utzon, opened in 1973.", "the Opera House", {"opened": 1973}),
        ("Sydney Opera House: opened on 20 October 1973", "Sydney Opera House", {"opened": 1973}),
        ("Crowds came; the bridge was completed in 1932.", "the bridge", {"completed": 1932}),
        ("The bank was founded in Siena by Benci in 1472.", "the bank", {"founded": 1472}),
        # Of something else.
        ("The bridge by the Opera House opened in 1932.", "Opera House", {}),
        ("The Opera House opened with a concert in 1973.", "Opera House", {}),
        ("The Opera House Hotel opened in 1999.", "Opera House", {}),
    ],
)
def test_a_sentence_dates_what_it_names_right_before_the_verb(text: str, name: str, dates: dict[str, int]) -> None:
    assert {attribute: date.year for attribute, date in named_dates(text, name)} == dates


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Spain joined the European Communities in 1986.", True),
        ("Spain joined the European Communities in 1981.", False),
        ("Spain joined NATO in 1982.", None),
        ("Spain won the European Championship in 1964.", True),
        # It may have won it again.
        ("Spain won the European Championship in 2008.", None),
    ],
)
def test_an_event_is_dated_by_the_sentence_that_begins_with_it(claim: str, answer: bool | None) -> None:
    given = [
        sentence("Spain joined the European Communities on 1 January 1986, with Portugal.", "Spain"),
        sentence("Spain won the European Championship in 1964 at home.", "Football"),
    ]
    assert page_reasoning(claim, elements=given).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("K2 is slightly more than 8.6 km high.", True),
        ("K2 is slightly more than 9 km high.", False),
        ("K2 is slightly more than 5 km high.", False),
        ("K2 is just under 9 km high.", True),
        ("London had a little over 8.5 million people in 2021.", True),
        ("London had a little over 9 million people in 2021.", False),
        ("London had a little over 8.5 million people in 2011.", None),
        ("K2 is about 9,650 m high.", False),
        ("K2 is about 8,600 m high.", True),
    ],
)
def test_limits_that_are_hardly_passed(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [*PEAKS, *CITIES]).answer is answer


def test_a_birth_is_dated_behind_its_place() -> None:
    found = dict(sentence_attributes("Niels Bohr was born in Copenhagen, Denmark, on 7 October 1885."))
    assert found["born"].year == 1885  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("The Shard, completed in 2012, is about 310 m high and a landmark.", "the shard", [("height", 310)]),
        ("Tokyo Tower was completed in 1958 and is 333 m high.", "Tokyo Tower", [("height", 333)]),
        ("The Rideau Canal is 202 km long.", "Rideau Canal", [("length", 202)]),
        ("Tokyo Tower is taller than the Shard, which is 310 m high.", "Tokyo Tower", []),
        ("Near Tokyo Tower stands a hall 20 m high.", "Tokyo Tower", []),
        ("Tokyo Towers is 333 m high.", "Tokyo Tower", []),
    ],
)
def test_a_sentence_measures_its_subject(text: str, name: str, found: list[tuple[str, float]]) -> None:
    assert [(attribute, value.value) for attribute, value in named_measures(text, name)] == found


def test_a_state_with_a_capital_is_no_other_country() -> None:
    peak = infobox("Mount Kosciuszko", ("Country", "Australia"), ("Elevation", "2,228 m"))
    state = infobox("New South Wales", ("Country", "Australia"), ("Capital", "Sydney"))
    country = infobox("New Zealand", ("Capital", "Wellington"), ("Population", "5,000,000"))
    assert page_reasoning("Mount Kosciuszko lies in New South Wales.", [peak, state]).answer is None
    assert page_reasoning("Mount Kosciuszko lies in New Zealand.", [peak, country]).answer is False
