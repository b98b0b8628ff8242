"""The forms of claims: a claim and a small table give the program that is meant, and its truth."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veritab.quantities import Date, Quantity
from veritab.reason.parsing.candidates import generate_candidates
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.programs.denotations import CellGroup
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    And,
    Best,
    Count,
    Distinct,
    Either,
    Every,
    Except,
    Is,
    Literal,
    Most,
    No,
    Not,
    Of,
    Only,
    Percentage,
    Ratio,
    Relation,
    Rising,
    Same,
    Some,
    Subtraction,
    Top,
    TruthProgram,
    Where,
)
from veritab.reason.tables import TypedTable
from veritab.reason.templates.grounding import ProgramCandidate
from veritab.schema import Table

LAKES = Table.of(
    [
        ["Superior", "North America", "82,100", "406", "1622"],
        ["Victoria", "Africa", "68,800", "84", "1858"],
        ["Huron", "North America", "59,600", "229", "1615"],
        ["Michigan", "North America", "57,800", "282", "1634"],
        ["Tanganyika", "Africa", "32,900", "1,470", "1858"],
    ],
    header=["Lake", "Continent", "Area (km²)", "Depth (m)", "Mapped"],
)
LAKE, CONTINENT, AREA, DEPTH, MAPPED = range(5)
SUPERIOR = Where(All(), LAKE, Relation.IS, "Superior")
VICTORIA = Where(All(), LAKE, Relation.IS, "Victoria")
HURON = Where(All(), LAKE, Relation.IS, "Huron")
AFRICA = Where(All(), CONTINENT, Relation.IS, "Africa")


def found(claim: str, table: Table = LAKES) -> list[ProgramCandidate]:
    return generate_candidates(EntityLinks.of(ParsedClaim(claim), TypedTable.of(table)))


def truth_of(claim: str, program: TruthProgram, table: Table = LAKES) -> bool | None:
    """The truth of a program that a claim may mean; numbers are the same wherever they stand."""
    by_program = {_placeless(each.program): each.truth.holds for each in found(claim, table)}
    wanted = _placeless(program)
    assert wanted in by_program, "\n".join(sorted({each.template for each in found(claim, table)}))
    return by_program[wanted]


def _placeless(program: object) -> str:
    """A program as text, without where its numbers stood and how exactly they were written."""
    text = repr(program)
    for kind in ("span", "step"):
        while f"{kind}=" in text:
            start = text.index(f"{kind}=")
            depth, end = 0, start
            while depth or text[end] not in ",)":
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            text = text[:start] + text[end:].removeprefix(", ")
    return text.replace(", )", ")")


def number(value: float, unit: str = "") -> Literal:
    return Literal(Quantity(float(value), unit))


@pytest.mark.parametrize(
    ("claim", "program", "holds"),
    [
        ("Victoria is in Africa.", Some(Where(VICTORIA, CONTINENT, Relation.IS, "Africa")), True),
        ("Huron is not in Africa.", Not(Some(Where(HURON, CONTINENT, Relation.IS, "Africa"))), True),
        ("Both Superior and Huron are in Africa.", Every(Either(SUPERIOR, HURON), AFRICA), False),
        ("Superior is larger than Victoria.", Is(Of(AREA, SUPERIOR), Relation.ABOVE, Of(AREA, VICTORIA)), True),
        ("Huron was mapped before Victoria.", Is(Of(MAPPED, HURON), Relation.BELOW, Of(MAPPED, VICTORIA)), True),
        ("Victoria was mapped 243 years after Huron.", Is(Subtraction(Of(MAPPED, VICTORIA), Of(MAPPED, HURON)), Relation.IS, number(243, "year")), True),
        ("Superior is more than twice as deep as Huron.", Is(Ratio(Of(DEPTH, SUPERIOR), Of(DEPTH, HURON)), Relation.ABOVE, number(2)), False),
        ("Superior has the largest area.", Some(Where(Top(All(), AREA, True, 1), LAKE, Relation.IS, "Superior")), True),
        ("No other lake is deeper than Superior.", Some(Where(Top(All(), DEPTH, True, 1), LAKE, Relation.IS, "Superior")), False),
        ("Huron ranks third by area.", Some(Where(Top(All(), AREA, True, 3), LAKE, Relation.IS, "Huron")), True),
        ("Huron is one of the two largest lakes.", Some(Where(Best(All(), AREA, True, 2), LAKE, Relation.IS, "Huron")), False),
        ("Victoria is the largest lake in Africa.", Some(Where(Top(AFRICA, AREA, True, 1), LAKE, Relation.IS, "Victoria")), True),
        ("The greatest depth is 1,470 m.", Is(Aggregate(Aggregation.HIGHEST, DEPTH, All()), Relation.IS, number(1470, "m")), True),
        ("Two lakes are in Africa.", Is(Count(AFRICA), Relation.IS, number(2)), True),
        ("At least three lakes are in Africa.", Is(Count(AFRICA), Relation.AT_LEAST, number(3)), False),
        ("The lakes are on two different continents.", Is(Distinct(CONTINENT, All()), Relation.IS, number(2)), True),
        ("Superior and Huron together have an area of 141,700 km².", Is(Aggregate(Aggregation.SUM, AREA, Either(SUPERIOR, HURON)), Relation.IS, number(141700, "km²")), True),
        ("The average depth is more than 600 m.", Is(Aggregate(Aggregation.MEAN, DEPTH, All()), Relation.ABOVE, number(600, "m")), False),
        ("All lakes in Africa were mapped after 1800.", Every(AFRICA, Where(All(), MAPPED, Relation.ABOVE, Date(1800))), True),
        ("No lake in Africa was mapped before 1850.", No(AFRICA, Where(All(), MAPPED, Relation.BELOW, Date(1850))), True),
        ("Most lakes are in Africa.", Most(All(), AFRICA), False),
        ("Only Tanganyika is deeper than 500 m.", Only(Where(All(), LAKE, Relation.IS, "Tanganyika"), Where(All(), DEPTH, Relation.ABOVE, Quantity(500.0, "m"))), True),
        ("The lakes in Africa are Victoria and Huron.", Only(Either(VICTORIA, HURON), AFRICA), False),
        ("Less than half of the lakes are in Africa.", Is(Percentage(Count(AFRICA), Count(All())), Relation.BELOW, number(50, "%")), True),
        ("Superior has more than 40 % of the area.", Is(Percentage(Aggregate(Aggregation.SUM, AREA, SUPERIOR), Aggregate(Aggregation.SUM, AREA, All())), Relation.ABOVE, number(40, "%")), False),
        ("Victoria and Tanganyika have the same continent.", Same(CONTINENT, Either(VICTORIA, Where(All(), LAKE, Relation.IS, "Tanganyika"))), True),
    ],
)  # fmt: skip
def test_each_form_gives_the_program_that_is_meant(claim: str, program: TruthProgram, holds: bool) -> None:
    assert truth_of(claim, program) is holds


def test_rows_that_run_in_time_have_a_trend_and_others_none() -> None:
    years = Table.of([["2021", "9,400"], ["2022", "8,310"], ["2023", "7,500"]], header=["Year", "Loans"])
    assert truth_of("The loans decreased.", Rising(1, All(), False), years) is True
    assert not [each for each in found("The area decreased.", LAKES) if isinstance(each.program, Rising)]


def test_what_is_excepted_is_left_out() -> None:
    rest = Except(All(), Where(All(), LAKE, Relation.IS, "Tanganyika"))
    deep = Where(rest, DEPTH, Relation.ABOVE, Quantity(500.0, "m"))
    assert truth_of("Apart from Tanganyika, no lake is deeper than 500 m.", No(rest, deep)) is True


def test_a_place_shows_the_places_before_it() -> None:
    chosen = [each for each in found("Huron ranks third by area.") if each.template == "top" and each.truth.holds]
    assert CellGroup((0, 1, 2), AREA) in chosen[0].truth.cells


def test_a_claim_that_only_one_meets_rests_on_every_row() -> None:
    (chosen,) = {
        each
        for each in found("Only Victoria is in Africa.")
        if each.template == "only" and len(each.conditions) == 2 and each.conditions[-1].column == CONTINENT
    }
    assert not chosen.truth.holds
    assert CellGroup((0, 1, 2, 3, 4), CONTINENT) in chosen.truth.cells


OFFICES = Table.of(
    [["Suárez", "1976", "1981"], ["González", "1982", "1996"], ["Aznar", "1996", "2004"]],
    header=["Prime minister", "From", "To"],
)


def test_how_long_something_lasted_is_computed() -> None:
    longest = Some(Where(Top(All(), 3, True, 1), 0, Relation.IS, "González"))
    assert truth_of("No prime minister governed for longer than González.", longest, OFFICES) is True


def test_cells_of_derived_columns_are_those_of_the_table() -> None:
    blocks = [
        block for each in found("González governed for more than ten years.", OFFICES) for block in each.truth.cells
    ]
    assert blocks
    assert all(block.column < 3 for block in blocks)


MEDALS = Table.of(
    [["Italy", "8", "11"], ["France", "10", "6"], ["Norway", "1", "3"]], header=["Nation", "Gold", "Silver"]
)


def test_two_columns_are_compared_row_by_row() -> None:
    more = Where(All(), 3, Relation.ABOVE, Quantity(0.0))
    assert truth_of("No nation has more silver than gold medals.", No(All(), more), MEDALS) is False


def test_one_row_is_compared_in_two_columns() -> None:
    italy = Where(All(), 0, Relation.IS, "Italy")
    gap = Is(Subtraction(Of(2, italy), Of(1, italy)), Relation.IS, number(3))
    assert truth_of("Italy won 3 more silver than gold medals.", gap, MEDALS) is True


def test_both_things_may_be_the_same() -> None:
    table = Table.of(
        [["Tethys", "Cassini", "1684"], ["Dione", "Cassini", "1684"], ["Titan", "Huygens", "1655"]],
        header=["Moon", "Discoverer", "Year"],
    )
    pair = Either(Where(All(), 0, Relation.IS, "Tethys"), Where(All(), 0, Relation.IS, "Dione"))
    both = And(Same(1, pair), Same(2, pair))
    claim = "Tethys and Dione have the same discoverer and the same year."
    programs = {_placeless(each.program) for each in found(claim, table)}
    assert _placeless(both) in programs or _placeless(And(Same(2, pair), Same(1, pair))) in programs


# -- anything may be asked of anything

_CELLS = st.one_of(
    st.sampled_from(["", "–", "12", "1,200", "3.5 km", "1e400", "=1/0", "Paris", "W 3–2", "1 May 1990", "1990", "yes", "none", "50 %", "🙂"]),
    st.text(max_size=12),
)  # fmt: skip
_TABLES = st.integers(0, 4).flatmap(
    lambda width: st.tuples(
        st.lists(st.lists(_CELLS, min_size=width, max_size=width), max_size=5),
        st.none() | st.lists(_CELLS, min_size=width, max_size=width),
    )
)
_WORDS = st.sampled_from(
    """the most more than less half of all no none only same different twice average total together first last third
    highest older before after between and 12 1990 3.5 km 50 % Paris yes not least at each Year Population , . other
    than any apart from is are longer years for""".split()
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_WORDS | st.text(max_size=6), max_size=18).map(" ".join), _TABLES)
def test_candidates_never_raise(claim: str, table: tuple[list[list[str]], list[str] | None]) -> None:
    rows, header = table
    links = EntityLinks.of(ParsedClaim(claim), TypedTable.of(Table.of(rows, header=header)))
    for each in generate_candidates(links):
        assert each.truth.holds is not None
        assert each.truth.holds == links.executor.decide(each.program).holds


# -- what is no measure -------------------------------------------------------------------------------------

INFOBOX = Table.of([["Clara Schumann", "8", "1819"]], header=["Name", "Children", "Born"])
GAMES = Table.of(
    [
        ["1896 Summer Olympics", "Athens", "241"],
        ["1900 Summer Olympics", "Paris", "1,226"],
        ["1904 Summer Olympics", "St. Louis", "651"],
        ["1908 Summer Olympics", "London", "2,008"],
    ],
    header=["Games", "City", "Athletes"],
)
CUPS = Table.of(
    [["1934", "Italy", "70", "17"], ["1938", "France", "84", "18"], ["1954", "Switzerland", "140", "26"]],
    header=["Year", "Host", "Goals", "Matches"],
)


def _ranked_by(claim: str, table: Table) -> set[str]:
    """The columns by which a claim may rank the rows of a table."""
    typed = TypedTable.of(table)
    ranking = [each for each in found(claim, table) if each.template in ("top", "top value", "among top")]
    return {typed.columns[column].name for each in ranking for column in each.columns}


@pytest.mark.parametrize("claim", ["Four of the eight children were alive in 1819.", "The oldest name was Clara."])
def test_an_infobox_is_one_row_that_nothing_counts_or_ranks(claim: str) -> None:
    assert {each.template.removeprefix("not ") for each in found(claim, INFOBOX)} <= {
        "lookup",
        "two lookups",
        "compare",
    }


def test_a_word_that_says_nothing_of_dates_ranks_by_no_date() -> None:
    assert "Mapped" not in _ranked_by("Victoria is the second-largest lake.", LAKES)
    assert "Mapped" not in _ranked_by("Victoria came in third place.", LAKES)
    assert "Mapped" in _ranked_by("Victoria was the second to be mapped, the latest lake.", LAKES)


def test_the_year_in_a_name_is_no_measure() -> None:
    assert _ranked_by("London had the highest number of Olympics.", GAMES) == {"Athletes"}


def test_a_table_does_not_say_what_comes_after_its_last_row() -> None:
    for place, word in ((5, "fifth"), (6, "sixth")):
        programs = [repr(each.program) for each in found(f"Victoria is the {word} largest lake by area.")]
        assert any(f"place={place})" in program for program in programs) is (place <= 5)


def test_how_many_are_ranked_is_no_value() -> None:
    assert not [each for each in found("Victoria is one of the four largest lakes.") if each.template == "top value"]
    assert [each for each in found("The largest area is 82,100.") if each.template == "top value"]


def test_a_number_with_a_unit_is_no_value_of_a_column_that_has_none() -> None:
    missed = "The largest number of athletes missed it by 76 seconds."
    assert not [each for each in found(missed, GAMES) if each.number and each.template == "top value"]
    gaps = Table.of([["1835", "76"], ["1910", "75"], ["1986", "76"]], header=["Return", "Years since then"])
    kept = found("The largest number of years was 76 years.", gaps)
    assert [each for each in kept if each.number and each.template == "top value"]


def test_what_one_column_has_more_than_another_is_added_up_only_where_things_change() -> None:
    goals = "More than five goals a match were scored on average in France."
    columns = [c for each in found(goals, CUPS) if each.template == "mean" for c in each.columns]
    assert columns
    assert max(columns) < 4  # those behind the table's own are worked out of two
