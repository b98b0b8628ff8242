"""How claims meet tables: which columns they name, which cells their phrases mean."""

from __future__ import annotations

import pytest

from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.parsing.clauses import split_clauses
from veritab.reason.parsing.conditions import merge_lists
from veritab.reason.parsing.derived import DerivedColumn, add_derived_columns, source_cells
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.programs.denotations import CellGroup
from veritab.reason.programs.programs import Relation
from veritab.reason.tables import TypedTable
from veritab.schema import Table

PEAKS = Table.of(
    [
        ["Olympus", "Greece", "2,918", "1913"],
        ["Giona", "Greece", "2,510", "1890"],
        ["Parnassus", "Greece", "2,457", "1850"],
        ["Triglav", "Slovenia", "2,864", "1778"],
    ],
    header=["Mountain", "Country", "Height (m)", "First ascent"],
    title="High mountains",
)
OFFICES = Table.of(
    [["Suárez", "1976", "1981"], ["González", "1982", "1996"], ["Aznar", "1996", "2004"]],
    header=["Prime minister", "From", "To"],
)
CITIES = Table.of(
    [["Rome", "2,782", "2,617"], ["Bari", "350", "370"]],
    header=["City", "Population 1971", "Population 2011"],
    title="Cities",
    caption="Largest cities (in thousands)",
)


def links(claim: str, table: Table = PEAKS) -> EntityLinks:
    return EntityLinks.of(ParsedClaim(claim), TypedTable.of(table))


def meanings(found: EntityLinks) -> dict[str, list[tuple[int, Relation]]]:
    """What each phrase may mean: columns and relations, the likeliest first."""
    return {
        found.claim.phrase(slot.span): [(each.column, each.relation) for each in slot.conditions]
        for slot in found.slots
    }


def test_a_phrase_names_the_cell_it_says() -> None:
    assert meanings(links("Giona is in Greece."))["Giona"] == [(0, Relation.IS)]


@pytest.mark.parametrize(
    ("claim", "column"),
    [("Giona is taller than Parnassus.", 2), ("the height of Giona", 2), ("It was climbed in 1890.", 3)],
)
def test_a_column_is_named_by_its_header_by_kin_and_by_words_of_its_root(claim: str, column: int) -> None:
    named = links(claim).mentions
    assert column in named
    assert named[column].weight == max(mention.weight for mention in named.values())


def test_a_number_belongs_to_the_column_of_its_unit() -> None:
    found = links("Giona rises more than 2,000 m.")
    assert meanings(found)["2,000 m"][0] == (2, Relation.ABOVE)
    assert next(slot for slot in found.slots if slot.number).conditions[0].measured


def test_a_year_is_no_height() -> None:
    assert [column for column, _ in meanings(links("In 1890 Giona was climbed."))["1890"]] == [3]


def test_how_many_rows_there_are_is_no_value() -> None:
    assert "four" not in meanings(links("Olympus is the highest of the four mountains."))


def test_numbers_of_the_title_say_what_the_table_is_about() -> None:
    table = Table.of([["A", "3"], ["B", "4"]], header=["Nation", "Medals"], title="1948 Games")
    assert "1948" not in meanings(links("In 1948 A won 3 medals.", table))


def test_a_list_is_one_condition() -> None:
    found = links("Olympus, Giona and Parnassus are in Greece.")
    chosen = tuple(slot.conditions[0] for slot in found.slots)
    listed, other = merge_lists(chosen, found.claim, found.header_mentions.joining)
    assert [each.term for each in listed.members] == ["Olympus", "Giona", "Parnassus"]
    assert other.term == "Greece"


def test_two_names_without_a_joint_are_no_list() -> None:
    found = links("Olympus of Giona")
    chosen = tuple(slot.conditions[0] for slot in found.slots)
    assert merge_lists(chosen, found.claim, found.header_mentions.joining) == chosen


def test_words_of_headers_and_names_ask_for_nothing() -> None:
    table = Table.of([["Broad Peak", "12"], ["K2", "9"]], header=["Summit", "Greatest depth"])
    assert "high" in ParsedClaim("the greatest depth of Broad Peak").cues
    assert "high" not in links("the greatest depth of Broad Peak", table).cues


def test_no_and_without_mean_zero() -> None:
    table = Table.of([["Ceres", "0"], ["Pluto", "5"]], header=["Planet", "Known moons"])
    found = meanings(links("Ceres has no known moons.", table))
    assert found["no known moons"] == [(1, Relation.IS)]


def test_a_column_of_marks_is_met_by_its_yes() -> None:
    table = Table.of([["Diamond", "no"], ["Graphite", "yes"]], header=["Form", "Electrical conductor"])
    found = links("Graphite is an electrical conductor.", table)
    (condition,) = next(slot for slot in found.slots if slot.conditions[0].column == 1).conditions
    assert condition.rows == {1}


# -- columns worked out from others


def test_the_time_between_two_dates_is_a_column_where_a_claim_speaks_of_it() -> None:
    wide = add_derived_columns(TypedTable.of(OFFICES), ParsedClaim("González governed for more than ten years."))
    column = wide.columns[-1]
    assert isinstance(column, DerivedColumn)
    assert column.unit == "year"
    assert column.texts == ("5 year", "14 year", "8 year")


def test_what_a_claim_does_not_speak_of_is_not_worked_out() -> None:
    table = TypedTable.of(OFFICES)
    assert add_derived_columns(table, ParsedClaim("Aznar came after González.")) is table


def test_the_change_from_one_year_to_another_is_a_column() -> None:
    found = links("Rome had fewer inhabitants in 2011 than in 1971.", CITIES)
    (less,) = meanings(found)["fewer"]
    assert less[1] is Relation.BELOW
    column = found.table.columns[less[0]]
    assert isinstance(column, DerivedColumn)
    assert [column.start.name, column.end.name] == ["Population 1971", "Population 2011"]


def test_what_was_lost_is_a_change_downwards() -> None:
    found = links("Between 1971 and 2011 Rome lost fewer than 100,000 of its people.", CITIES)
    column, relation = meanings(found)["100,000"][0]
    assert isinstance(found.table.columns[column], DerivedColumn)
    assert relation is Relation.ABOVE


def test_derived_cells_are_those_they_were_worked_out_from() -> None:
    wide = add_derived_columns(TypedTable.of(OFFICES), ParsedClaim("González governed for more than ten years."))
    assert source_cells(wide, (CellGroup((1,), 3),)) == (CellGroup((1,), 1), CellGroup((1,), 2))


def test_a_caption_in_thousands_scales_the_numbers_of_a_claim() -> None:
    found = links("Rome had 165,000 fewer inhabitants in 2011 than in 1971.", CITIES)
    scaled = found.number_links.scaled(found.claim.numbers[0])
    assert getattr(scaled.value, "value", None) == 165


# -- clauses


def test_a_claim_of_two_clauses_is_split_and_filled_in() -> None:
    found = split_clauses(links("Olympus is higher than Giona and has an earlier first ascent."))
    assert found is not None
    assert [part.text for part in found.parts] == [
        "Olympus is higher than Giona",
        "Olympus has an earlier first ascent than Giona",
    ]


def test_a_list_is_not_two_clauses() -> None:
    assert split_clauses(links("Olympus and Giona are in Greece.")) is None
