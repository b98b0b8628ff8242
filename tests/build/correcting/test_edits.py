from __future__ import annotations

import pytest

from veritab.build.correcting.edits import EditFinder
from veritab.schema import ElementId, Evidence, Table
from veritab.verify.evidence import parse_evidence


def edited(claim: str, *evidence: object, lines: tuple[str, ...] = ()) -> list[str]:
    given = parse_evidence(list(evidence))  # type: ignore[arg-type]
    return [each.text for each in EditFinder(claim, given.elements, given, lines).find(24)]


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("It opened in 1990.", "The bridge opened in 1988.", "It opened in 1988."),
        ("It was confirmed on 28 January 2020.", "A case on 29 January 2020.", "It was confirmed on 29 January 2020."),
        ("He was a German painter.", "Monet was a French painter.", "He was a French painter."),
        ("The river flows into the North Sea.", "It ends in the Black Sea.", "The river flows into the Black Sea."),
        ("She was born in France.", "She was born in the Netherlands.", "She was born in the Netherlands."),
        ("She has five children.", "She has 3 children.", "She has three children."),
        ("It ranked 5th in the world.", "It is the world's fourth busiest.", "It ranked 4th in the world."),
        ("It is a small helicopter.", "He built a small hovercraft.", "It is a small hovercraft."),
        ("He did a album.", "He did an opera.", "He did an opera."),
        ("It was not built by Ana.", "It was built by Ana.", "It was built by Ana."),
        ("It is 8,849 km high.", "It is 8,849 m high.", "It is 8,849 m high."),
        ("It is 24 metres high.", "It is 19 m high.", "It is 19 metres high."),
        ("It is held every July.", "It is held every August.", "It is held every August."),
        ("Ana won more races than Bo.", "Ana won 2 races, Bo 3.", "Ana won fewer races than Bo."),
        ("It has more than 20 rooms.", "It has 12 rooms.", "It has less than 20 rooms."),
        ("It was held on 3 March in Rome.", "Held in Rome on 4 March.", "It was held on 4 March in Rome."),
        ("It was granted in May 1914.", "Granted on 6 May 1913.", "It was granted in May 1913."),
        ("Io is farther from Earth than Bo.", "Io is near.", "Io is nearer to Earth than Bo."),
    ],
)
def test_words_are_held_against_what_stands_in_their_place(claim: str, evidence: str, expected: str) -> None:
    assert expected in edited(claim, evidence)


def test_two_names_change_places() -> None:
    found = edited("Milan defeated Porto.", "Porto defeated Milan in the final.")
    assert "Porto defeated Milan." in found


def test_what_was_computed_comes_first() -> None:
    line = '4 rows have Italy as Winner (1934, 1938, 1982 and 2006): 4, not 5, so "five" is false'
    assert edited("Italy won five times.", "Italy won in 1934.", lines=(line,))[0] == "Italy won four times."
    line = 'Elevation of K2: 8,611 m; of Everest: 8,849 m; 238 m less, so "taller" is false'
    assert edited("K2 is taller than Everest.", "K2 is a peak.", lines=(line,))[0] == "K2 is shorter than Everest."


def test_all_limits_that_are_broken_are_turned_round_at_once() -> None:
    evidence = "It has an approval rating of 30 %, based on 71 reviews."
    found = edited("It has less than 29 % based on over 80 reviews.", evidence)
    assert found[0] == "It has more than 29 % based on under 80 reviews."
    assert "It has more than 29 % based on over 80 reviews." not in found


def test_a_limit_set_to_the_value_itself_goes() -> None:
    assert "It won 64 trophies." in edited("It won over 64 trophies.", "It has won 64 trophies.")


def test_a_number_is_filled_by_what_is_counted_alike() -> None:
    found = edited("It has 13 critics.", "It has a score of 60 out of 100 by 12 critics.")
    assert "It has 12 critics." in found
    assert "It has 60 critics." not in found


@pytest.mark.parametrize(
    ("claim", "evidence", "unwanted"),
    [
        ("It has three official languages.", "It is spoken in six countries.", "It has six official languages."),
        ("It is the third largest state.", "It has 7,777,992 people.", "It is the 7,777,992 largest state."),
        ("She was born in 1742.", "She was born on 4 March in Rome.", "She was born in 4 March."),
        ("It is the only one of his songs.", "It is 620 of his songs.", "It is the only 620 of his songs."),
    ],
)
def test_values_that_count_or_date_another_thing_are_not_tried(claim: str, evidence: str, unwanted: str) -> None:
    assert unwanted not in edited(claim, evidence)


def test_what_was_computed_is_written_without_what_stands_beside_it() -> None:
    line = "Moons of Jupiter: 95 (2024), not 12, so that is false"
    assert edited("Jupiter has 12 moons.", "It has many.", lines=(line,)) == ["Jupiter has 95 moons."]


def test_a_difference_the_other_way_round_is_no_number_to_offer() -> None:
    line = "From A to B: -9 years, not nine years, so that is false"
    assert not [each for each in edited("A predates B by nine years.", "A is old.", lines=(line,)) if "-9" in each]


def test_what_a_page_lists_does_not_take_the_place_of_whom_it_is_about() -> None:
    table = Table.of([["Idomeneo", "Italian"]], header=["Opera", "Language"], title="Wolfgang Mozart")
    deciding = [table.element(id) for id in table.grid[1] if id]
    finder = EditFinder("It is one of Mozart's operas.", deciding, Evidence.of(deciding, [table]))
    assert not [each.text for each in finder.find(24) if "Idomeneo" in each.text]


def test_a_number_under_a_header_takes_the_unit_of_the_claim() -> None:
    table = Table.of([["Callisto", "1.24"]], header=["Moon", "Gravity (m/s²)"], title="Moons")
    cell = table.element(ElementId.parse("Moons_cell_0_1_1"))
    found = EditFinder("Its gravity is 1.31 m/s².", [cell], Evidence.of([cell], [table])).find(24)
    assert [each.text for each in found if "1.24" in each.text] == ["Its gravity is 1.24 m/s²."]


def test_a_claim_of_women_is_made_one_of_men_only_where_nothing_else_will_do() -> None:
    given = parse_evidence(["Of 2,407 athletes, 2,359 were men and 48 women."])
    found = EditFinder("Women were more than 50 athletes.", given.elements, given).find(24)
    assert {each.text for each in found if each.changes_subject} == {"Men were more than 50 athletes."}


def test_a_cell_counts_what_its_header_says() -> None:
    table = Table.of([["Sun", "8"]], header=["Star", "Planets"], title="System")
    given = parse_evidence(["It has five small planets of gas."])
    cell = table.element(ElementId.parse("System_cell_0_1_1"))
    evidence = Evidence.of([cell, *given.elements], [table])
    found = [each.text for each in EditFinder("It has nine planets.", [cell], evidence).find(24)]
    assert "It has eight planets." in found


def test_a_denial_is_added_only_where_the_evidence_denies() -> None:
    assert not [each for each in edited("Ana was tall.", "Ana was a painter.") if "not" in each]
    assert "Ana was not tall." in edited("Ana was tall.", "Ana was never tall.")
    assert not [each for each in edited("Ana was tall.", "Bo has no children.") if "not" in each]


def test_the_cells_of_the_same_row_fill_a_name() -> None:
    table = Table.of([["1950", "Uruguay"], ["1954", "Hungary"]], header=["Year", "Winner"], title="Cup")
    year = table.element(ElementId.parse("Cup_cell_0_2_0"))
    found = EditFinder("Uruguay won in 1954.", [year], Evidence.of([], [table])).find(24)
    assert "Hungary won in 1954." in [each.text for each in found]


def test_every_edit_tells_its_place_and_what_says_its_words() -> None:
    given = parse_evidence(["The bridge opened in 1988."])
    claim = "It opened in 1990."
    (best, *_) = EditFinder(claim, given.elements, given).find(24)
    (edit,) = best.edits
    assert (claim[edit.start : edit.end], edit.new, edit.kind) == ("1990", "1988", "date")
    assert edit.source == ElementId.parse("Evidence_sentence_0")


def test_nothing_is_listed_without_evidence_or_words() -> None:
    assert edited("It opened in 1990.") == []
    assert edited("…", "The bridge opened in 1988.") == []


def test_a_date_in_a_cell_is_no_name() -> None:
    table = Table.of([["Germany", "3 October 1990"]], header=["Country", "United"], title="Lands")
    day = table.element(ElementId.parse("Lands_cell_0_1_1"))
    found = EditFinder("Germany is larger than Russia.", [day], Evidence.of([], [table])).find(24)
    assert not [each.text for each in found if "1990" in each.text]


@pytest.mark.parametrize(
    ("claim", "evidence", "unwanted"),
    [
        ("They travel to Ireland.", "They find letters from Gerry.", "They travel to Gerry."),
        ("It was written by Ana Roy.", "It was printed in Paris.", "It was written by Paris."),
        ("He got a Razzie Award.", "He saw Escape Plan.", "He got an Escape Plan."),
        ("It was found by Ana Roy.", "It was found by the Soviet Union.", "It was found by the Union."),
        ("They walked on Mars.", "Twelve walked on the Moon.", "They walked on Twelve."),
        ("He was born in France.", "He was born in Oslo in Norway.", "He was born in Oslo."),
        ("It has bridges to Ottawa.", "It has the Old Bridge.", "It has bridges to the Old Bridge."),
        ("They met the Danube.", "They met Ana Roy.", "They met Roy."),
    ],
)
def test_names_of_another_kind_are_not_tried(claim: str, evidence: str, unwanted: str) -> None:
    assert unwanted not in edited(claim, evidence)


def test_signs_and_answers_in_cells_are_no_names() -> None:
    cells = [["Potassium", "K", "no", "Davy"]]
    table = Table.of(cells, header=["Metal", "Symbol", "Rare", "Finder"], title="Metals")
    deciding = [table.element(id) for id in table.grid[1] if id]
    finder = EditFinder("Potassium was found by Bunsen.", deciding, Evidence.of(deciding, [table]))
    found = [each.text for each in finder.find(24)]
    assert "Potassium was found by Davy." in found
    assert not {"Potassium was found by K.", "Potassium was found by no."} & set(found)


def parties() -> Table:
    rows = [["Attlee", "Labour", "1945"], ["Churchill", "Conservative", "1951"], ["Eden", "Conservative", "1955"]]
    return Table.of(rows, header=["Name", "Party", "From"], title="Ministers")


def test_a_cell_takes_the_place_of_what_stands_in_its_column_as_the_claim_writes_it() -> None:
    table = parties()
    deciding = [table.element(id) for id in table.grid[1] if id]
    finder = EditFinder("Most belonged to the Labour Party.", deciding, Evidence.of(deciding, [table]))
    found = [each.text for each in finder.find(24)]
    assert "Most belonged to the Conservative Party." in found
    assert not [each for each in found if "Attlee" in each or "Churchill" in each]


def test_signs_take_the_place_of_signs() -> None:
    table = Table.of([["Gold", "Au"], ["Silver", "Ag"]], header=["Metal", "Symbol"], title="Metals")
    deciding = [table.element(id) for row in table.grid[1:] for id in row if id]
    found = EditFinder("The sign of gold is Ag.", deciding, Evidence.of(deciding, [table])).find(24)
    assert [each.text for each in found if each.text.startswith("The sign of gold is ")] == ["The sign of gold is Au."]


def test_what_a_cell_says_in_words_or_in_brackets_is_no_name() -> None:
    table = Table.of([["Isolation of benzene", "25 May 1642 (Old Style)"]], header=["What", "When"], title="Finds")
    deciding = [table.element(id) for id in table.grid[1] if id]
    finder = EditFinder("It is the work of Faraday.", deciding, Evidence.of(deciding, [table]))
    assert not [each.text for each in finder.find(24) if "Isolation" in each.text or "Style" in each.text]


def test_another_year_in_the_title_of_a_page_is_another_subject() -> None:
    texts = [{"title": f"{year} Games", "text": f"The {year} Games were held in {city}."}
             for year, city in ((2008, "Beijing"), (1908, "London"))]  # fmt: skip
    given = parse_evidence(texts)
    found = EditFinder("The 2008 Games were held in London.", given.elements, given).find(24)
    by_text = {each.text: each.changes_subject for each in found}
    assert by_text["The 1908 Games were held in London."]
    assert not by_text["The 2008 Games were held in Beijing."]
