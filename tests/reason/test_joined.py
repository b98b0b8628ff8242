"""Claims for which what two pages or rows say is put together: offices at a time, places of two people, equal counts."""

from __future__ import annotations

import pytest

from tests.reason.test_plain import infobox, sentence
from veritab import Element, ElementId, Kind, Table
from veritab.reason.page import page_reasoning
from veritab.schema import Context

PRESIDENTS = Table.of(
    [["Charles Gaul", "1890", "1959", "1969"], ["Anna Pom", "1911", "1969", "1974"], ["Lea Mit", "1960", "2017", ""]],
    header=["President", "Born", "From", "To"],
    title="France",
)
WORLD_CUPS = Table.of(
    [["1966", "England", "England"], ["1970", "Mexico", "Brazil"]], header=["Year", "Host", "Winner"], title="World Cup"
)
GAMES = [sentence("The 1968 Summer Olympics were held in Mexico City in October.", "1968 Summer Olympics")]
PEOPLE = [
    infobox(
        "Johann Bach", ("Born", "1685"), ("Birthplace", "Eisenach"), ("Died", "1750"), ("Place of death", "Leipzig")
    ),
    infobox("Georg Handel", ("Born", "1685"), ("Birthplace", "Halle, Saxony"), ("Died", "1759"), ("Burial", "Abbey")),
    infobox(
        "Clara Schu", ("Born", "1819"), ("Birthplace", "Leipzig"), ("Died", "1896"), ("Place of death", "Frankfurt")
    ),
    infobox("Antonín Dvořák", ("Born", "1841"), ("Died", "1904"), ("Symphonies", "9")),
    infobox("Hans Brahms", ("Born", "1833"), ("Died", "1897"), ("Symphonies", "4")),
    infobox("Anton Bruck", ("Born", "1824"), ("Died", "1896"), ("Symphonies", "9")),
]
CITIES = [
    infobox("Vienna", ("Country", "Austria"), ("Population", "1,714,227"), ("Metro opened", "1978")),
    infobox(
        "Rome", ("Country", "Italy"), ("Population", "2,751,747"), ("Capital since", "1871"), ("Metro opened", "1955")
    ),
    infobox(
        "Athens", ("Country", "Greece"), ("Population", "643,452"), ("Capital since", "1834"), ("Metro opened", "1955")
    ),
    infobox("Saxony", ("Country", "Germany"), ("Population", "4,000,000"), ("Capital", "Dresden")),
]
ELEMENTS = [
    infobox("Lithium", ("Symbol", "Li"), ("Discovered by", "Johan Arfwedson")),
    infobox("Sodium", ("Symbol", "Na"), ("Discovered by", "Humphry Davy")),
    infobox("Potassium", ("Symbol", "K"), ("Discovered by", "Humphry Davy")),
]


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Charles Gaul was president of France during the Olympics in Mexico City.", True),
        ("Anna Pom was president of France during the Olympics in Mexico City.", False),
        ("Charles Gaul was president of France when England won the World Cup in 1966.", True),
        ("Anna Pom was president when England won the World Cup in 1966.", False),
        ("Lea Mit was president of France when England won the World Cup in 1966.", False),
        # Not then, not there, or no such office.
        ("Charles Gaul was president of France when Peru won the World Cup in 1966.", None),
        ("Charles Gaul was president of France in the spring when he turned 79 in 1969.", None),
        ("Charles Gaul was chancellor of France when England won the World Cup in 1966.", None),
        ("Charles Gaul was president of Peru when England won the World Cup in 1966.", None),
        ("Charles Gaul was president of France during the Olympics in Tokyo.", None),
    ],
)
def test_a_term_of_office_is_set_against_when_something_happened(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [PRESIDENTS, WORLD_CUPS], GAMES).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        # Who won is not who was there.
        ("Charles Gaul was president of France when England lost the World Cup in 1966.", None),
        ("Anna Pom was president of France when Mexico won the World Cup in 1970.", None),
        ("Anna Pom was president of France when Brazil won the World Cup in 1970.", True),
        ("Charles Gaul was president of France when Ghana beat Spain in 1964.", True),
        ("Charles Gaul was president of France when Spain beat Ghana in 1964.", None),
        # The year of a trophy is not when it was found.
        ("Lea Mit was president of France when the 1966 World Cup trophy was found.", None),
        ("Lea Mit was president of France during the 1966 World Cup.", False),
        # London had the Games in other years too.
        ("Charles Gaul was president of France during the Olympics in London.", None),
    ],
)
def test_what_happened_in_a_term_of_office_has_to_be_stated(claim: str, answer: bool | None) -> None:
    said = [
        sentence("The 2012 Summer Olympics were held in London.", "2012 Summer Olympics"),
        sentence("Ghana beat Spain in Accra in 1964.", "Spain"),
    ]
    assert page_reasoning(claim, [PRESIDENTS, WORLD_CUPS], [*GAMES, *said]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Karl Berg was chancellor of Germany when England won the World Cup in 1966.", False),  # he lived then
        ("Ludo Hart was chancellor of Germany when England won the World Cup in 1966.", True),
        # The end of one term and the start of another are not known.
        ("Kurt Kies was chancellor of Germany when Mexico hosted the World Cup in 1970.", None),
        ("Will Brand was chancellor of Germany when Mexico hosted the World Cup in 1970.", None),
        ("Ada Merk was chancellor of Germany when Mexico hosted the World Cup in 1970.", False),
    ],
)
def test_a_life_is_no_term_and_a_term_may_not_be_known(claim: str, answer: bool | None) -> None:
    rows = [
        ["Karl Berg", "1876–1967", "1949", "1963"],
        ["Ludo Hart", "1897–1977", "1963", "1968"],
        ["Kurt Kies", "1904–1988", "1968", ""],
        ["Will Brand", "1913–1992", "", "1974"],
        ["Ada Merk", "1954–", "2005", ""],
    ]
    chancellors = Table.of(rows, header=["Chancellor", "Lived", "From", "To"], title="Germany")
    assert page_reasoning(claim, [chancellors, WORLD_CUPS]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Johann Bach and Georg Handel were born in the same town.", False),
        ("Johann Bach and Georg Handel were born in different towns.", True),
        ("Johann Bach was born in the same town as Georg Handel.", False),
        ("Johann Bach and Clara Schu died in the same town.", False),
        ("Clara Schu was a native of Vienna.", False),
        ("Clara Schu and Johann Bach were both born in Leipzig.", None),  # no page says that Leipzig is a town
        ("Clara Schu and Johann Bach were both born in Vienna.", False),
        ("Georg Handel was a native of Halle.", True),
        ("Johann Bach was a native of Saxony.", None),  # Eisenach may lie in it
        ("Johann Bach and Georg Handel are buried in the same church.", None),
    ],
)
def test_the_places_of_two_people_are_compared(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [*PEOPLE, *CITIES]).answer is answer


WRITERS = [
    infobox("Anna Bell", ("Birthplace", "Hampstead, London, England"), ("Burial", "Highgate Cemetery, London")),
    infobox("Carl Dorn", ("Birthplace", "Chelsea, London, England"), ("Burial", "Westminster Abbey, London")),
    infobox("Emil Fink", ("Birthplace", "Springfield, Illinois"), ("Burial", "Westminster Abbey, London")),
    infobox("Gina Haas", ("Birthplace", "Springfield, Ohio"), ("Burial", "Oak Cemetery, Dayton")),
    infobox("Ivo Jost", ("Birthplace", "Trastevere, Rome")),
    infobox("Kurt Lang", ("Birthplace", "Prati, Rome")),
    infobox("Mia Noll", ("Birthplace", "Leipzig, Germany")),
    infobox("Otto Pohl", ("Birthplace", "Halle, Germany")),
]


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        # Of towns it is not said in which country they lie.
        ("Mia Noll and Otto Pohl were born in the same country.", None),
        ("Mia Noll and Otto Pohl were born in the same town.", False),
        # Two parts of one city, by their own words or by the page of the city.
        ("Anna Bell and Carl Dorn were born in the same city.", None),
        ("Anna Bell and Carl Dorn were born in different cities.", None),
        ("Ivo Jost and Kurt Lang were born in the same city.", None),
        # Two towns of one name.
        ("Emil Fink and Gina Haas were born in the same town.", None),
        # Two graves in one city.
        ("Anna Bell and Carl Dorn are buried in the same city.", None),
        ("Anna Bell and Carl Dorn are buried in the same cemetery.", False),
        ("Carl Dorn and Emil Fink are buried in the same church.", True),
    ],
)
def test_a_place_in_a_town_is_not_the_town(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [*WRITERS, *CITIES]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Dvorak wrote exactly as many symphonies as Hans Brahms.", False),
        ("Dvorak wrote as many symphonies as Anton Bruck.", True),
        ("Hans Brahms wrote as many symphonies as Anton Bruck.", False),
        ("Dvorak wrote as many symphonies as Hans Brahms.", None),  # and more
        ("Antonín Dvořák and Anton Bruck wrote the same number of symphonies.", True),
        ("Hans Brahms and Anton Bruck wrote the same number of symphonies.", False),
        ("Dvorak wrote exactly as many operas as Hans Brahms.", None),
        ("The metros of Rome and Athens opened in the same year.", True),
        ("The metros of Rome and Vienna opened in the same year.", False),
        ("The harbours of Rome and Vienna opened in the same year.", None),
    ],
)
def test_counts_and_years_of_two_pages_are_said_to_be_equal(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [*PEOPLE, *CITIES]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("The Lions won as many games as the Tigers.", None),
        ("The Lions and the Bears won the same number of games.", None),
        ("The Lions have the same number of games as the Tigers.", True),
        ("The Lions scored as many points as the Bears.", True),
    ],
)
def test_games_are_not_counted_as_games_won(claim: str, answer: bool | None) -> None:
    rows = [["Lions", "20", "12", "40"], ["Tigers", "20", "10", "36"], ["Bears", "19", "12", "40"]]
    teams = Table.of(rows, header=["Team", "Games", "Won", "Points"], title="League")
    assert page_reasoning(claim, [teams]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Athens became capital of Greece before Rome became capital of Italy.", True),
        ("Athens became capital of Greece after Rome became capital of Italy.", False),
        ("Athens became capital of Greece 37 years before Rome became capital of Italy.", True),
        ("Athens became capital of Greece more than fifty years before Rome became capital of Italy.", False),
        ("Athens became capital of Peru before Rome became capital of Italy.", None),
        ("Hans Brahms was still alive when England won the World Cup in 1966.", False),
        ("Hans Brahms was still alive when England won the World Cup in 1890.", None),
        ("Hans Brahms did not live to see the 1970 World Cup in Mexico.", True),
    ],
)
def test_two_dates_of_two_pages_are_put_in_order(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [*PEOPLE, *CITIES, WORLD_CUPS]).answer is answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Like potassium, sodium was discovered by Humphry Davy.", True),
        ("Like lithium, sodium was discovered by Humphry Davy.", False),
        ("Unlike lithium, sodium was discovered by Humphry Davy.", True),
        ("Unlike sodium, lithium was discovered by Humphry Davy.", False),
        ("Both sodium and potassium were discovered by Humphry Davy.", True),
        ("Both sodium and lithium were discovered by Humphry Davy.", False),
        ("Like radium, sodium was discovered by Humphry Davy.", None),
    ],
)
def test_what_is_said_of_two_things_is_decided_for_each(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, ELEMENTS).answer is answer


def test_the_line_says_what_was_put_together() -> None:
    claim = "Charles Gaul was president of France during the Olympics in Mexico City."
    found = page_reasoning(claim, [PRESIDENTS], GAMES)
    assert found.lines == (
        "Charles Gaul was president from 1959 to 1969, and 1968 Summer Olympics is then, so that holds",
    )
    assert {str(id) for id in found.cells} >= {"1968 Summer Olympics_sentence_0"}


def in_document(text: str, page: str, heading: str, number: int) -> Element:
    context = (Context(ElementId(page, Kind.TITLE), page), Context(ElementId(page, Kind.SECTION, (0,)), heading))
    return Element(ElementId(page, Kind.SENTENCE, (number,)), text, (), context)


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("The Sorrel Observatory was founded before the Quillan Philharmonic.", False),
        ("The Quillan Philharmonic was founded before the Sorrel Observatory.", True),
        ("The Harbour Observatory was founded before the Quillan Philharmonic.", None),
    ],
)
def test_a_document_calls_what_it_is_about_by_the_noun_of_its_title(claim: str, answer: bool | None) -> None:
    sentences = [
        in_document("The observatory was founded in 1953 by Aurel Keith.", "bulletin", "Sorrel Observatory: Report", 0),
        # The name of a file may have all the words of a name.
        in_document("The Quillan Philharmonic was founded in 1922.", "quillan-philharmonic", "Quillan: Season", 0),
    ]
    assert page_reasoning(claim, (), sentences).answer is answer


def test_what_stands_elsewhere_is_not_what_a_page_is_about() -> None:
    sentences = [
        in_document("The observatory was founded in 1953.", "bulletin", "Sorrel Observatory: Report", 0),
        in_document("The observatory on Mount Lee was founded in 1920.", "bulletin", "Sorrel Observatory: Report", 1),
        sentence("The bridge in Hamburg was built in 1974.", "Kiel"),
    ]
    assert page_reasoning("The Sorrel Observatory was founded in 1920.", (), sentences).answer is False
    assert page_reasoning("Kiel's bridge was built in 1974.", (), sentences).answer is None
    assert page_reasoning("Kiel's bridge was built in 1980.", (), sentences).answer is None


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Berlin's television tower is shorter than the Eiffel Tower.", False),
        ("Berlin's television tower is taller than the Eiffel Tower.", True),
        ("Munich's television tower is taller than the Eiffel Tower.", None),
        ("Tin needs a higher temperature to melt than lead does.", False),
        ("Io goes around its planet in less time than Titan does.", True),
        ("Titan goes around its planet in less time than Io.", False),
    ],
)
def test_what_a_page_says_of_what_it_owns_and_needs_is_compared(claim: str, answer: bool | None) -> None:
    tables = [
        infobox("Eiffel Tower", ("Height", "330 m"), ("City", "Paris")),
        infobox("Tin", ("Melting point", "231.9 °C")),
        infobox("Lead", ("Melting point", "327.5 °C")),
        infobox("Io", ("Orbital period", "1.769 days")),
        infobox("Titan", ("Orbital period", "15.95 days")),
    ]
    tower = "The television tower on Alexanderplatz opened in 1969 and is 368 m high, which makes it the tallest."
    assert page_reasoning(claim, tables, [sentence(tower, "Berlin")]).answer is answer
