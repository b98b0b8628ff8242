"""Reasoning across a page: lists, joined and stacked tables, infoboxes and sentences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veritab import Element, ElementId, Kind, Label, Page, Table, open_corpus
from veritab.corpus.store import Store
from veritab.quantities import parse_quantities
from veritab.reason.facts import Fact
from veritab.reason.measurements import Boundary, sentence_measurements, table_measurements
from veritab.reason.page import _list_tables, _resolve, page_reasoning
from veritab.reason.programs.programs import All, Is, Of, Relation, Some
from veritab.reason.reasoner import Reasoner, Reasoning
from veritab.reason.tables import TypedTable
from veritab.reason.tables.combining import TableJoiner, combine_tables, stack_tables
from veritab.reason.tables.lists import _MAX_ITEMS, build_list_table, split_item
from veritab.schema import Cell, Context, Item, ListBlock, Section, Sentence, TableBlock

CLAIMS = Path(__file__).parents[2] / "examples" / "almanac" / "reasoning.jsonl"


def sentence(text: str, number: int = 0, page: str = "Place") -> Element:
    title = Context(ElementId(page, Kind.TITLE), page)
    return Element(ElementId(page, Kind.SENTENCE, (number,)), text, (), (title,))


def items(*texts: str, page: str = "Place") -> list[Element]:
    title = Context(ElementId(page, Kind.TITLE), page)
    return [Element(ElementId(page, Kind.ITEM, (0, n)), text, (), (title,)) for n, text in enumerate(texts)]


def block(number: int, header: Iterable[str], rows: Iterable[Iterable[str]], caption: str = "") -> TableBlock:
    heads = tuple(Cell(text, header=True) for text in header)
    return TableBlock(number, (heads, *(tuple(map(Cell, row)) for row in rows)), caption)


def ids(found: Reasoning) -> set[str]:
    return {str(cell) for cell in found.cells}


# -- lists


@pytest.mark.parametrize(
    ("item", "parts"),
    [
        ("Name (1999–2004), 34 km", [("Name", "name"), ("1999–2004", "years"), ("34 km", "length")]),
        ("Altes Museum: 1830", [("Altes Museum", "name"), ("1830", "year")]),
        ("1,500 metres: Keino (Kenya), 3:34.9", [("1,500 metres", "name"), ("Keino", "detail"), ("Kenya", "note"), ("3:34.9", "time")]),
        ("1994: 3–2 on penalties, at Pasadena", [("1994", "year"), ("3–2", "score"), ("on penalties", "detail"), ("at Pasadena", "detail")]),
        ("Vienna – 1,550,123", [("Vienna", "name"), ("1,550,123", "number")]),
        ("just words", [("just words", "name")]),
        ("", []),
    ],
)  # fmt: skip
def test_an_item_is_taken_apart_by_what_its_pieces_are(item: str, parts: list[tuple[str, str]]) -> None:
    assert [(part.text, part.kind) for part in split_item(item)] == parts


def test_a_list_becomes_a_table_whose_cells_are_its_items() -> None:
    table = build_list_table(items("Nile: 6,650 km", "Danube: 2,850 km"), "Long rivers:")
    assert table
    assert [column.name for column in table.columns] == ["name", "length"]
    assert table.caption == "Long rivers:"
    assert (table.cell(1, 0), table.cell(1, 1)) == (ElementId("Place", Kind.ITEM, (0, 1)),) * 2
    assert table.columns[1].unit == "km"


def test_what_has_no_column_is_still_in_the_words_of_the_item() -> None:
    table = build_list_table(items("Nile: 6,650 km", "Danube: 2,850 km", "Rhine, in Europe: 1,230 km"))
    assert table
    assert table.columns[-1].name == "text"
    assert table.columns[-1].texts[2] == "Rhine, in Europe: 1,230 km"


def test_no_items_make_no_table() -> None:
    assert build_list_table([]) is None
    assert build_list_table([sentence("Not an item.")]) is None


def test_a_list_is_announced_by_the_sentence_before_it_that_ends_in_a_colon() -> None:
    blocks = (
        Sentence(0, "The largest cities in 2001 were:"),
        ListBlock(0, (Item("Graz: 226,244"), Item("Linz: 183,504"))),
        Sentence(1, "Nothing follows from this."),
        ListBlock(1, (Item("Wien: 1"), Item("Rom: 2"))),
    )
    first, second = _list_tables(Page("Austria", blocks).elements)
    assert first.caption == "The largest cities in 2001 were:"
    assert second.caption == ""


# -- two tables


def cities_and_states() -> tuple[TypedTable, TypedTable]:
    page = Page(
        "Land",
        (
            block(0, ["City", "State", "Population"], [["Houston", "Texas", "20"], ["Dallas", "Texas", "10"], ["Miami", "Florida", "5"]]),
            block(1, ["State", "Population"], [["Texas", "300"], ["Florida", "200"], ["Ohio", "100"]]),
        ),
    )  # fmt: skip
    one, other = map(TypedTable.of, page.tables)
    return one, other


def test_tables_are_joined_on_the_names_they_share_and_keep_their_addresses() -> None:
    cities, states = cities_and_states()
    both = TableJoiner().join(cities, states)
    assert both
    assert [column.name for column in both.columns] == ["City", "State", "Population", "State", "Population of State"]
    assert both.columns[4].texts == ("300", "300", "200")
    assert both.cell(1, 2) == ElementId("Land", Kind.CELL, (0, 2, 2))
    assert both.cell(1, 4) == ElementId("Land", Kind.CELL, (1, 1, 1))
    assert [table.height for table in combine_tables([cities, states])] == [3]


def test_tables_that_share_no_names_are_not_joined() -> None:
    page = Page(
        "Land", (block(0, ["A", "B"], [["x", "1"], ["y", "2"]]), block(1, ["C", "D"], [["p", "1"], ["q", "2"]]))
    )
    assert combine_tables(list(map(TypedTable.of, page.tables))) == ()


def test_a_cell_that_a_join_repeats_is_not_known_by_the_rows_it_stands_in() -> None:
    cities, states = cities_and_states()
    both = TableJoiner().join(cities, states)
    assert both
    texas = [m for m in table_measurements(both, {"houston"}) if m.ids[0] == ElementId("Land", Kind.CELL, (1, 1, 1))]
    assert texas == []


def test_a_sum_of_one_table_is_set_against_a_cell_of_another() -> None:
    cities, states = cities_and_states()
    claim = "Houston and Dallas together have less than a fifth of the population of Texas."
    found = page_reasoning(claim, [cities, states])
    assert found.label is Label.SUPPORTS
    assert {"Land_cell_0_1_2", "Land_cell_0_2_2", "Land_cell_1_1_1"} <= ids(found)
    assert "30 / 300 = 10 %" in found.lines[0]


def test_names_that_stand_for_two_things_are_not_joined_on() -> None:
    page = Page(
        "Towns",
        (
            block(0, ["Town", "Mayor"], [["Springfield", "Ann"], ["Ashby", "Bob"], ["Dale", "Cy"]]),
            block(
                1,
                ["Town", "Area"],
                [["Springfield", "1"], ["Springfield", "2"], ["Ashby", "3"], ["Dale", "4"], ["Elm", "5"]],
            ),
        ),
    )
    mayors, areas = map(TypedTable.of, page.tables)
    first, second = TableJoiner().join(mayors, areas), TableJoiner().join(areas, mayors)
    assert first
    assert second
    assert first.columns[3].texts == ("", "3", "4")
    assert second.columns[3].texts == ("", "", "Bob", "Cy", "")


def test_columns_of_a_pile_are_not_those_of_its_first_table() -> None:
    rows = [["France", "15", "7"], ["Italy", "13", "10"]]
    blocks = [block(n, ["Country", "Gold", "Silver"], rows, f"Medals in {1996 + 4 * n}") for n in (0, 1)]
    tables = list(map(TypedTable.of, Page("Games", tuple(blocks)).tables))
    own = {measure.column: measure.attribute for measure in table_measurements(tables[0], set())}
    assert {measure.column for measure in table_measurements(stack_tables(tables), set())}.isdisjoint(own)
    assert len(own) == 2


def test_many_large_tables_are_joined_only_as_far_as_time_allows() -> None:
    heads = [[f"Name {n}", *(f"{n}.{c}" for c in range(7))] for n in range(8)]
    rows = [[f"Thing {row}", *(str(row * c % 97) for c in range(7))] for row in range(1000)]
    page = Page("Large", tuple(block(n, heads[n], rows) for n in range(8)))
    found = combine_tables(list(map(TypedTable.of, page.tables)))
    assert found
    assert sum(table.height * len(table.columns) for table in found) < 100_000
    wide = [[f"Thing {row}", *(str(row * c % 97) for c in range(19))] for row in range(1000)]
    wide_heads = [[f"Name {n}", *(f"{n}.{c}" for c in range(19))] for n in range(2)]
    pair = Page("Wide", tuple(block(n, wide_heads[n], wide) for n in range(2)))
    assert combine_tables(list(map(TypedTable.of, pair.tables))) == ()


def test_a_row_is_found_by_what_another_table_says_of_it() -> None:
    page = Page(
        "Metals",
        (
            block(0, ["Element", "Flame"], [["Lithium", "crimson"], ["Sodium", "yellow"], ["Potassium", "lilac"]]),
            block(1, ["Year", "Element"], [["1807", "Potassium"], ["1807", "Sodium"], ["1817", "Lithium"]]),
        ),
    )
    found = page_reasoning("The element with a crimson flame dates from a later year than sodium.", page.tables)
    assert found.label is Label.SUPPORTS
    assert {"Metals_cell_0_1_1", "Metals_cell_1_3_0", "Metals_cell_1_2_0"} <= ids(found)


def test_tables_of_the_same_headers_are_stacked_with_what_each_is_about() -> None:
    medals = [["France", "15"], ["Italy", "13"]], [["France", "13"], ["Italy", "12"]]
    blocks = [block(n, ["Country", "Gold"], rows, f"Medals in {1996 + 4 * n}") for n, rows in enumerate(medals)]
    pile = stack_tables(list(map(TypedTable.of, Page("Games", tuple(blocks)).tables)))
    assert [column.name for column in pile.columns] == ["table", "Country", "Gold"]
    assert pile.columns[0].texts == ("Medals in 1996", "Medals in 1996", "Medals in 2000", "Medals in 2000")
    assert pile.cell(2, 2) == ElementId("Games", Kind.CELL, (1, 1, 1))
    found = page_reasoning("France won more gold in 1996 than in 2000.", Page("Games", tuple(blocks)).tables)
    assert (found.label, ids(found) >= {"Games_cell_0_1_1", "Games_cell_1_1_1"}) == (Label.SUPPORTS, True)


def test_tables_that_nothing_tells_apart_are_not_stacked() -> None:
    twice = Page(
        "Games", tuple(block(n, ["Country", "Gold"], [["France", "1"], ["Chad", "2"]], "Medals") for n in (0, 1))
    )
    combined = combine_tables(list(map(TypedTable.of, twice.tables)))
    assert [table.columns[0].name for table in combined] == ["Country"]


def test_sections_tell_tables_apart_where_captions_are_missing() -> None:
    rows = [["France", "1"], ["Chad", "2"]]
    page = Page("Games", (Section(0, "1996", 2), block(0, ["Country", "Gold"], rows), Section(1, "2000", 2), block(1, ["Country", "Gold"], rows)))  # fmt: skip
    pile = combine_tables(list(map(TypedTable.of, page.tables)))[0]
    assert pile.columns[0].texts == ("1996", "1996", "2000", "2000")
    assert pile.cell(0, 0) == ElementId("Games", Kind.SECTION, (0,))


# -- sentences


def test_each_number_of_a_sentence_has_the_words_of_its_clause() -> None:
    text = "The population was largest in 2010, with 128,057,352 people, and had fallen to 126,146,099 by 2020."
    numbers = [measure for measure in sentence_measurements(sentence(text)) if measure.text.endswith(("352", "099"))]
    assert [("2010" in m.words, "2020" in m.words) for m in numbers] == [(True, False), (False, True)]


def test_dates_of_a_period_know_which_end_they_are() -> None:
    found = [
        (m.text, m.boundary)
        for m in sentence_measurements(sentence("He worked there from 1914 until the end of 1932."))
    ]
    assert found == [("1914", Boundary.START), ("1932", Boundary.END)]


@pytest.mark.parametrize(
    ("claim", "label", "texts"),
    [
        ("Mount Ainslie is higher than Mount Majura.", Label.REFUTES, ["Mount Majura (888 m) and Mount Ainslie (843 m) rise here."]),
        ("Mount Majura is not higher than Mount Ainslie.", Label.REFUTES, ["Mount Majura (888 m) and Mount Ainslie (843 m) rise here."]),
        ("The census of 2021 found fewer residents than that of 2011.", Label.SUPPORTS, ["The census of 2011 counted 10,816 residents, and that of 2021 found 10,482."]),
        ("Ann lived in Place for more than seventeen years.", Label.SUPPORTS, ["Ann lived here from 1914 until 1932."]),
        ("The war lasted 14 months.", Label.SUPPORTS, ["The war lasted from 3 March 1914 until 5 May 1915."]),
        ("The war lasted less than three years.", Label.REFUTES, ["The war began in March 1914 and ended in May 1918."]),
        ("Ada is older than Bert.", Label.SUPPORTS, ["Ada was born in 1950.", "Bert was born in 1960."]),
        ("The tower is two years older than the bridge.", Label.SUPPORTS, ["The tower was built in 1900.", "The bridge was built in 1902."]),
        ("The tower is three years older than the bridge.", Label.REFUTES, ["The tower was built in 1900.", "The bridge was built in 1902."]),
        ("Gitsham finished less than a minute behind McArthur.", Label.SUPPORTS, ["McArthur won in 2:36:54.8, and Gitsham finished in 2:37:52.0."]),
        ("The tower is more than 300 m tall.", Label.SUPPORTS, ["The tower is 324 m tall."]),
        ("The tower is more than 300 yards tall.", Label.SUPPORTS, ["The tower is 324 m tall."]),
        ("The tower is under 300 m tall.", Label.REFUTES, ["The tower is 324 m tall."]),
    ],
)  # fmt: skip
def test_numbers_and_dates_of_sentences_are_set_against_each_other(claim: str, label: Label, texts: list[str]) -> None:
    found = page_reasoning(claim, elements=[sentence(text, n) for n, text in enumerate(texts)])
    assert found.label is label
    assert ids(found) == {f"Place_sentence_{n}" for n in range(len(texts))}
    assert found.lines
    assert found.facts[0].cells == found.cells


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Kenya had fewer people in 2020 than in 2010.", "Japan had 128 million people in 2010, and 126 million people in 2020."),
        ("Mount Stromlo is higher than Mount Majura.", "Mount Majura (888 m) and Mount Ainslie (843 m) rise here."),
        ("The only tower is taller than the bridge.", "The tower is 300 m tall and the bridge is 20 m tall."),
        ("The tower is taller than every bridge.", "The tower is 300 m tall and the bridge is 20 m tall."),
        ("The tower is taller than the bridge.", "The tower is 300 m tall and the bridge cost 20 dollars."),
        ("The tower is nearly twice as tall as the bridge.", "The tower is 300 m tall and the bridge is 20 m tall."),
        ("Tea is better than coffee.", "Tea costs 3 euros and coffee costs 2 euros."),
        ("The tower is taller than the bridge in 1931.", "The tower is 300 m tall and the bridge is 20 m tall."),
    ],
)  # fmt: skip
def test_a_claim_that_leaves_a_name_a_number_or_a_quantifier_over_is_not_decided(claim: str, text: str) -> None:
    assert page_reasoning(claim, elements=[sentence(text)]).answer is None


def test_two_readings_that_disagree_decide_nothing() -> None:
    evidence = [
        sentence("The tower is 300 m tall."),
        sentence("The tower is 10 m tall.", 1),
        sentence("The bridge is 20 m tall.", 2),
    ]
    assert page_reasoning("The tower is taller than the bridge.", elements=evidence).answer is None


# -- what is denied, and what is said only roughly

RIVERS = ["Foo is 400 km long and Bar is 200 km long."]
LIFE = ["Place was born on 1 May 1900.", "Place died on 2 June 1950."]
WAR = ["The war lasted from 3 March 1914 until 3 March 1918."]
RACE = ["McArthur won in 2:36:54.8, and Gitsham finished in 2:37:54.8."]
CAKE = ["The cake weighs 1 kg.", "The sugar weighs 600 g."]
CENSUS = ["The census of 2011 counted 1,000 residents, and that of 2021 found 800."]
BUILT = ["The tower was built in 1900.", "The bridge was built in 1902."]


def reason_over(claim: str, texts: list[str]) -> Reasoning:
    return page_reasoning(claim, elements=[sentence(text, n) for n, text in enumerate(texts)])


@pytest.mark.parametrize(
    ("claim", "texts"),
    [
        ("Foo is not longer than Bar.", RIVERS),
        ("Foo is no longer than Bar.", RIVERS),
        ("Foo isn't longer than Bar.", RIVERS),
        ("Foo is not 200 km longer than Bar.", RIVERS),
        ("Foo is not twice as long as Bar.", RIVERS),
        ("Bar is not half the length of Foo.", RIVERS),
        ("Place did not die at the age of 50.", LIFE),
        ("The war did not last four years.", WAR),
        ("McArthur did not win by a minute.", RACE),
        ("The sugar does not make up more than half of the cake.", CAKE),
        ("The number of residents did not fall from 2011 to 2021.", CENSUS),
        ("The number of residents did not fall by 200 from 2011 to 2021.", CENSUS),
        ("The tower was not built before the bridge.", BUILT),
        ("The tower was not built two years before the bridge.", BUILT),
    ],
)
def test_a_claim_that_denies_what_holds_is_refuted(claim: str, texts: list[str]) -> None:
    assert reason_over(claim, texts).label is Label.REFUTES


@pytest.mark.parametrize(
    ("claim", "texts"),
    [
        ("Bar is not longer than Foo.", RIVERS),
        ("Foo is not three times as long as Bar.", RIVERS),
        ("Foo is not more than twice as long as Bar.", RIVERS),
        ("Place did not die at the age of 51.", LIFE),
        ("The war did not last five years.", WAR),
        ("McArthur did not win by two minutes.", RACE),
        ("The sugar does not make up less than half of the cake.", CAKE),
        ("The number of residents did not fall by 300 from 2011 to 2021.", CENSUS),
        ("No doubt Foo is longer than Bar.", RIVERS),
    ],
)
def test_a_claim_that_denies_what_does_not_hold_is_supported(claim: str, texts: list[str]) -> None:
    assert reason_over(claim, texts).label is Label.SUPPORTS


@pytest.mark.parametrize(
    "claim",
    [
        "No river is longer than Foo.",
        "Although not in Asia, Foo is longer than Bar.",
        "Foo is longer than Bar and not a lake.",
        "Foo, which never dries, is said to be longer than Bar.",
    ],
)
def test_a_not_that_denies_something_else_leaves_the_claim_undecided(claim: str) -> None:
    assert reason_over(claim, RIVERS).answer is None


@pytest.mark.parametrize(
    ("claim", "texts"),
    [
        ("Foo is about 198 km longer than Bar.", RIVERS),
        ("Foo is 198 km or so longer than Bar.", RIVERS),
        ("Foo is nearly three times as long as Bar.", RIVERS),
        ("Place died at the age of about 52.", LIFE),
        ("The war lasted about three years.", WAR),
        ("McArthur won by about two minutes.", RACE),
        ("McArthur won by nearly a minute.", RACE),
        ("The sugar makes up roughly half of the cake.", CAKE),
        ("The number of residents fell by about 198 from 2011 to 2021.", CENSUS),
        ("The tower was built some five years before the bridge.", BUILT),
    ],
)
def test_a_number_that_is_only_about_right_is_not_taken_by_its_word(claim: str, texts: list[str]) -> None:
    assert reason_over(claim, texts).answer is None


def test_a_part_in_another_unit_is_a_part_of_the_whole() -> None:
    found = reason_over("The sugar makes up more than half of the cake.", CAKE)
    assert found.label is Label.SUPPORTS
    assert "600 g / 1 kg = 60 %" in found.lines[0]
    assert reason_over("The cake makes up more than half of the sugar.", CAKE).answer is None


# -- ages


@pytest.mark.parametrize(
    ("age", "label"), [("66", Label.SUPPORTS), ("67", Label.REFUTES), ("sixty-six", Label.SUPPORTS)]
)
@pytest.mark.parametrize(
    "texts",
    [
        ["Marie Curie was born on 7 November 1867 in Warsaw.", "She died on 4 July 1934."],
        ["Marie Curie (7 November 1867 – 4 July 1934) was a physicist."],
    ],
)
def test_an_age_is_counted_from_birthday_to_birthday(texts: list[str], age: str, label: Label) -> None:
    evidence = [sentence(text, n, "Marie Curie") for n, text in enumerate(texts)]
    found = page_reasoning(f"Marie Curie died at the age of {age}.", elements=evidence)
    assert found.label is label
    assert found.lines[0].startswith("Marie Curie, born 7 November 1867, died 4 July 1934: 66 years")
    assert found.form.startswith("Age = 66 years")


def test_an_age_that_the_dates_leave_open_is_not_decided() -> None:
    evidence = [sentence("Ann was born in 1900.", 0, "Ann"), sentence("She died in 1950.", 1, "Ann")]
    assert page_reasoning("Ann died at the age of 50.", elements=evidence).answer is None


def test_infoboxes_of_two_pages_are_compared() -> None:
    people = [
        Table.of([["Born", year], ["Occupation", "painter"]], title=name, infobox=True)
        for name, year in (("Ada", "1950"), ("Bert", "1940"))
    ]
    found = page_reasoning("Ada is older than Bert.", people)
    assert (found.label, ids(found)) == (Label.REFUTES, {"Ada_cell_0_0_1", "Bert_cell_0_0_1"})


def test_numbers_in_the_brackets_of_a_cell_have_words_of_their_own() -> None:
    box = Table.of([["Nations", "28"], ["Athletes", "2,407 (2,359 men, 48 women)"]], title="Games", infobox=True)
    found = page_reasoning("Women made up more than three per cent of the athletes.", [box])
    assert (found.label, found.cells) == (Label.REFUTES, (ElementId("Games", Kind.CELL, (0, 1, 1)),))


# -- over the almanac


@pytest.fixture(scope="module")
def almanac() -> Iterator[Store]:
    with open_corpus() as corpus:
        assert isinstance(corpus, Store)
        yield corpus


def _given(record: dict[str, Any], almanac: Store) -> tuple[list[Table], list[Element]]:
    """The tables, the lists with the sentences before them, or the sentences that a claim names."""
    tables, elements = [], []
    for name in record["table"] if isinstance(record["table"], list) else [record["table"]]:
        id = ElementId.parse(name)
        page = almanac.page(id.page)
        if id.kind is Kind.TABLE:
            tables.append(page.table(id.path[0]))
        elif id.kind is Kind.LIST:
            order = [element for element in page.elements if element.kind is not Kind.CELL]
            start = next(place for place, element in enumerate(order) if element.id == id)
            elements.append(order[start - 1])
            elements += [each for each in order if each.kind is Kind.ITEM and each.id.path[:1] == id.path]
        else:
            elements.append(almanac.element(id))
    return tables, elements


def test_claims_that_leave_the_single_table_are_decided_right_from_the_right_cells(almanac: Store) -> None:
    with CLAIMS.open(encoding="utf-8") as file:
        records = [record for record in map(json.loads, file) if record["scope"] != "table"]
    right: Counter[str] = Counter()
    wrong = []
    for record in records:
        found = page_reasoning(record["claim"], *_given(record, almanac))
        if found.answer is not None and found.label != record["label"]:
            wrong.append(record["claim"])
        elif found.answer is not None and set(record["evidence"][0]["content"]) <= ids(found):
            right[record["scope"]] += 1
    assert len(records) == 20
    assert len(wrong) <= 1, wrong
    # Those left undecided say more than was computed: won, decided on penalties, reached the finish.
    assert right.total() >= 12
    assert set(right) == {"two tables", "infobox", "list", "sentences"}


# -- the reasoner and the rules


def _compared(*, answer: bool, confidence: float) -> Reasoning:
    cells = tuple(ElementId("Peaks", Kind.CELL, (0, row, 1)) for row in (1, 2))
    program = Is(Of(1, All()), Relation.ABOVE, Of(1, All()))
    true = confidence if answer else 1 - confidence
    lines = ("K2 = 2 > 1 = Everest, so that holds",)
    return Reasoning("c", answer, true, program, lines, cells, (Fact("K2 = 2 > 1 = Everest.", cells, 1.0),))


def _answer(found: Reasoning, compared: Reasoning, rows: int = 3) -> Reasoning:
    table = TypedTable.of(Table.of([[f"P{n}", str(n)] for n in range(rows)], header=["Peak", "Height"], title="Peaks"))
    return _resolve(found, compared, [table])


@pytest.mark.parametrize(
    ("true", "confidence", "answer"),
    [(0.05, 0.8, False), (0.05, 0.87, None), (0.2, 0.84, None), (0.3, 0.9, True), (0.25, 0.84, None)],
)
def test_of_two_answers_that_contradict_only_a_clearly_surer_one_stands(
    true: float, confidence: float, answer: bool | None
) -> None:
    found = _answer(
        Reasoning("c", answer=False, true=true, lines=("x",)), _compared(answer=True, confidence=confidence)
    )
    assert found.answer is answer
    assert bool(found.lines) is (answer is not None)
    assert found.facts


def test_of_two_answers_that_agree_the_rules_name_the_cells_where_they_leave_little_over() -> None:
    reasoned = Reasoning("c", answer=True, true=0.97, program=Some(All()), lines=("x",))
    exact, loose = (_answer(reasoned, _compared(answer=True, confidence=confidence)) for confidence in (0.87, 0.81))
    assert exact.cells == _compared(answer=True, confidence=0.87).cells
    assert (exact.true, loose.true) == (0.97, 0.97)
    assert loose.lines == ("x",)


def test_the_rules_decide_what_no_table_of_several_rows_says() -> None:
    reasoned = Reasoning("c", answer=False, true=0.01, lines=("x",))
    assert _answer(reasoned, _compared(answer=True, confidence=0.84), rows=1).answer is True
    assert _answer(reasoned, _compared(answer=True, confidence=0.84), rows=3).answer is False


# -- the same in every run


class Silent(Reasoner):
    """A reasoner that leaves it all to the rules."""

    def reason(self, claim: str, tables: Table | TypedTable | Iterable[Table | TypedTable]) -> Reasoning:
        return Reasoning(claim)


def kites() -> Reasoning:
    """Two rows that are each found by many cells, whose order must not come from a set."""
    header = ["Kite", "Colour", "Shape", "Tail", "Cloth", "Weight (g)"]
    rows = [["Ada", "crimson", "round", "long", "silk", "90"], ["Bea", "yellow", "square", "short", "linen", "70"]]
    claim = "The crimson round silk kite with a long tail has more weight than the yellow square linen kite."
    return page_reasoning(claim, Page("Kites", (block(0, header, rows),)).tables, reasoner=Silent())


_RUN = """
import json
from tests.reason.test_page import CLAIMS, Silent, _given, kites
from veritab import open_corpus
from veritab.reason.page import page_reasoning
print(repr(kites()))
with open_corpus() as corpus:
    for record in map(json.loads, CLAIMS.read_text(encoding="utf-8").splitlines()):
        found = page_reasoning(record["claim"], *_given(record, corpus), reasoner=Silent())
        print(repr((found.answer, found.true, found.lines, found.cells, found.facts)))
"""


def test_two_runs_with_other_hashes_say_the_same() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", _RUN],
            capture_output=True,
            text=True,
            check=True,
            cwd=CLAIMS.parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0].count("(True") + said[0].count("(False") > 15
    assert said[0] == said[1]


# -- whatever is given


_WORDS = st.sampled_from(
    "the K2 more than twice as half of Everest 8,611 m 1954 before died at age 3 % ( , and from until : –".split()
)
_TEXTS = st.lists(_WORDS, max_size=18).map(" ".join) | st.text(max_size=40)


@settings(max_examples=60)
@given(claim=_TEXTS, texts=st.lists(_TEXTS, max_size=4), rows=st.lists(st.lists(_TEXTS, max_size=4), max_size=4))
def test_nothing_that_is_given_breaks_it_and_every_address_is_real(
    claim: str, texts: list[str], rows: list[list[str]]
) -> None:
    evidence = [sentence(text, n) for n, text in enumerate(texts)] + items(*texts)
    table = Table.of(rows, title="Grid")
    found = page_reasoning(claim, [table], evidence)
    real = {element.id for element in (*evidence, *table.elements())} | {table.id, ElementId("Place", Kind.LIST, (0,))}
    assert set(found.cells) <= real
    assert {cell for fact in found.facts for cell in fact.cells} <= real
    assert found == page_reasoning(claim, [table], evidence)


def test_nothing_given_decides_nothing() -> None:
    assert page_reasoning("K2 is higher than Everest.").answer is None
    assert page_reasoning("", elements=[sentence("K2 is 8,611 m high.")]).answer is None


@pytest.mark.parametrize(
    "endless", [" and ".join(f"tower {n} is {n} m" for n in range(5000)), "1, " * 30000, "(" * 30000]
)
def test_endless_sentences_do_not_hide_the_one_that_decides(endless: str) -> None:
    deciding = sentence("The tower is 300 m tall and the bridge is 200 m tall.", 19)
    found = page_reasoning(
        "The tower is taller than the bridge.", elements=[*(sentence(endless, n) for n in range(19)), deciding]
    )
    assert found.answer is True
    assert found.cells == (deciding.id,)


def test_an_endless_claim_is_not_decided() -> None:
    short = "The tower is taller than the bridge. "
    evidence = [sentence("The tower is 300 m tall and the bridge is 200 m tall.")]
    assert page_reasoning(short, elements=evidence).answer is True
    assert page_reasoning(short * 2500, elements=evidence).answer is None


def test_a_claim_that_repeats_itself_is_computed_from_the_sentence_that_is_given() -> None:
    evidence = sentence("A has 5 people and B has 10 people.")
    found = page_reasoning("half of " + "the people " * 50 + "live in A", elements=[evidence])
    assert {cell for fact in found.facts for cell in fact.cells} <= {evidence.id}


def test_nothing_is_computed_of_a_list_that_is_too_long_to_be_read_whole() -> None:
    names = [f"River {number}: {number} km" for number in range(_MAX_ITEMS)]
    whole = build_list_table(items(*names))
    assert whole is not None
    assert whole.height == _MAX_ITEMS
    assert build_list_table(items(*names, "Nile: 6,650 km")) is None


def test_a_run_of_numbers_gives_few_measures_and_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counted(text: str) -> Any:
        calls.append(text)
        return parse_quantities(text)

    monkeypatch.setattr("veritab.reason.measurements.parse_quantities", counted)
    assert len(list(sentence_measurements(sentence("1 " * 4000)))) == 40
    assert len(calls) == 1


def test_nothing_is_taller_by_a_number_that_is_no_length() -> None:
    climbed = [sentence("Arn was climbed 9 times."), sentence("Bel was climbed 2 times.", 1)]
    assert page_reasoning("Arn is taller than Bel.", (), climbed).answer is None
    high = [sentence("Arn is 900 m high.", 2), sentence("Bel is 1.2 km high.", 3)]
    assert page_reasoning("Arn is taller than Bel.", (), [*climbed, *high]).answer is False


def test_a_difference_is_no_measure_of_what_differs() -> None:
    evidence = [sentence("Arn is 900 m high."), sentence("It is 238 m lower than Bel.", 1)]
    assert list(sentence_measurements(evidence[1])) == []
    assert page_reasoning("Bel is taller than Arn.", (), evidence).answer is not False


def test_two_infoboxes_are_compared_by_the_line_that_the_claim_names() -> None:
    pages = [
        Page(title, (TableBlock(0, ((Cell(title, header=True),), *lines), infobox=True),))
        for title, *lines in (
            (
                "Arn",
                (Cell("Orbital period", header=True), Cell("225 days")),
                (Cell("Rotation period", header=True), Cell("243 days")),
            ),
            (
                "Bel",
                (Cell("Orbital period", header=True), Cell("687 days")),
                (Cell("Rotation period", header=True), Cell("25 h")),
            ),
        )
    ]
    tables = [table for page in pages for table in page.tables]
    found = page_reasoning("Arn has a shorter orbital period than Bel.", tables)
    assert found.lines == (
        'Orbital period of Arn: 225 days; of Bel: 687 days; 687 − 225 = 462 days less, so "shorter" holds',
    )
    assert page_reasoning("Bel has a longer rotation period than Arn.", tables).answer is False


def test_evidence_must_account_for_every_word_of_one_page_or_of_several() -> None:
    table = Table.of([["Aare", "288"], ["Moselle", "544"]], header=["Tributary", "Length (km)"], title="Rhine")
    claim = "The town where the Aare ends lies 489 km farther up the stream than the place where the Moselle ends."
    elsewhere = sentence("Koblenz is a town.", page="Koblenz")
    assert page_reasoning(claim, [table]).answer is None  # Nothing says where the rivers end.
    assert page_reasoning(claim, [table], [elsewhere]).answer is None
    said = page_reasoning("The Moselle is longer than the Aare.", [table], [elsewhere])
    assert said.label is Label.SUPPORTS


def test_numbers_that_count_different_things_are_not_set_against_each_other() -> None:
    claim = "The number of 1945 was more than four times as large as that of 1944."
    made = sentence("In 1945 they counted 6,852 vials.", page="Penicillin")
    for counted, label in (("vials", Label.SUPPORTS), ("stadiums", Label.NOT_ENOUGH_INFO)):
        other = sentence(f"In 1944 they counted 3 {counted}.", page="Games")
        assert page_reasoning(claim, (), [made, other]).label is label
    children = sentence("Ada Lovelace had 2 sons and 1 daughter.")
    assert page_reasoning("Ada Lovelace had more sons than daughters.", (), [children]).label is Label.SUPPORTS
