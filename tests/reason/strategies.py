"""Random tables and random programs, for tests that hold of every one of them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from veritab.quantities import Date, NumberOrDate, Quantity
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    And,
    Best,
    Between,
    Count,
    Different,
    Distinct,
    Either,
    Every,
    Except,
    Is,
    Literal,
    Most,
    MostCommon,
    No,
    Not,
    Nth,
    Of,
    Only,
    Percentage,
    Ratio,
    Relation,
    Rising,
    RowProgram,
    Same,
    Some,
    Subtraction,
    Top,
    TruthProgram,
    ValueProgram,
    Where,
)
from veritab.reason.programs.values import Term
from veritab.reason.tables import TypedTable
from veritab.schema import Table

NAME, CLUB, POINTS, YEAR, CODE = range(5)
CLUBS = ("Lions", "Red Lions", "Bears", "")


@dataclass(frozen=True)
class League:
    """A small table, as plain Python and as a machine over it."""

    clubs: tuple[str, ...]
    points: tuple[int | None, ...]
    years: tuple[int | None, ...]

    @property
    def rows(self) -> range:
        return range(len(self.clubs))

    @property
    def executor(self) -> Executor:
        # The code keeps a row that misses everything else from looking like a heading.
        rows = [
            [
                f"Player {'abcdefghijkl'[row]}",
                self.clubs[row],
                _written(self.points[row]),
                _written(self.years[row]),
                "kx",
            ]
            for row in self.rows
        ]
        return Executor(TypedTable.of(Table.of(rows, header=["Player", "Club", "Points", "Year", "Code"])))


def _written(number: int | None) -> str:
    return "–" if number is None else str(number)


@st.composite
def leagues(draw: st.DrawFn) -> League:
    """Tables with ties and missing cells."""
    size = draw(st.integers(1, 9))

    def column(values: st.SearchStrategy[int]) -> tuple[int | None, ...]:
        return tuple(draw(st.lists(st.none() | values, min_size=size, max_size=size)))

    clubs = tuple(draw(st.lists(st.sampled_from(CLUBS), min_size=size, max_size=size)))
    return League(clubs, column(st.integers(-3, 12)), column(st.integers(1990, 1999)))


readings: st.SearchStrategy[NumberOrDate] = st.one_of(
    st.builds(Quantity, st.integers(-4, 13).map(float)),
    st.builds(Quantity, st.floats(-1e9, 1e9), st.sampled_from(["", "km", "%", "$", "day"]), ordinal=st.booleans()),
    st.builds(Date, st.integers(1988, 2001), st.none() | st.integers(1, 12)),
    st.just(Date(None, 5, 9)),
)
terms: st.SearchStrategy[Term] = st.sampled_from(["Lions", "Player a", "kx", "✓", "nobody", ""]) | readings
columns = st.integers(NAME, CODE)
relations = st.sampled_from(list(Relation))
_places = st.integers(-3, 4)


def _grown_rows(rows: st.SearchStrategy[RowProgram]) -> st.SearchStrategy[RowProgram]:
    return st.one_of(
        st.builds(Where, rows, columns, relations, terms),
        st.builds(Between, rows, columns, readings, readings),
        st.builds(Top, rows, columns, st.booleans(), _places),
        st.builds(Best, rows, columns, st.booleans(), _places),
        st.builds(Nth, rows, _places),
        st.builds(Either, rows, rows),
        st.builds(Except, rows, rows),
    )


row_programs: st.SearchStrategy[RowProgram] = st.recursive(st.just(All()), _grown_rows, max_leaves=5)
_plain_values: st.SearchStrategy[ValueProgram] = st.one_of(
    st.builds(Literal, terms),
    st.builds(Of, columns, row_programs),
    st.builds(Count, row_programs),
    st.builds(Distinct, columns, row_programs),
    st.builds(Aggregate, st.sampled_from(list(Aggregation)), columns, row_programs),
    st.builds(MostCommon, columns, row_programs),
)
value_programs: st.SearchStrategy[ValueProgram] = st.recursive(
    _plain_values,
    lambda values: (
        st.builds(Subtraction, values, values)
        | st.builds(Ratio, values, values)
        | st.builds(Percentage, values, values)
    ),
    max_leaves=3,
)
_plain_statements: st.SearchStrategy[TruthProgram] = st.one_of(
    st.builds(Is, value_programs, relations, value_programs),
    st.builds(Some, row_programs),
    *(st.builds(each, row_programs, row_programs) for each in (Every, No, Most, Only)),
    st.builds(Same, columns, row_programs),
    st.builds(Different, columns, row_programs),
    st.builds(Rising, columns, row_programs, st.booleans()),
)
statements: st.SearchStrategy[TruthProgram] = st.recursive(
    _plain_statements, lambda said: st.builds(Not, said) | st.builds(And, said, said), max_leaves=3
)
