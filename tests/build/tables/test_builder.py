"""Claims of questions, of answers and of a corpus's tables: labels that follow, cells that exist, same seed same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from veritab.build.questions.conversion import Conversion
from veritab.build.records import Built, BuiltRecord, LeftOut
from veritab.build.tables.builder import TableBuilder
from veritab.build.tables.corpus_claims import build_of_pages
from veritab.build.tables.pages import TablePages
from veritab.build.tables.question_claims import answer_kind
from veritab.corpus.feverous import page_from_json, page_to_json
from veritab.datasets.table_questions import SourceTable, TableQuestions
from veritab.engine import Engine, ThisProcess
from veritab.errors import InputError
from veritab.processes import WorkerProcesses
from veritab.schema import Cell, ElementId, Label, Page, Section, Sentence, Table, TableBlock

PEAKS = {
    "table_id": "peaks",
    "title": "Peaks of Asia",
    "header": ["Peak", "Country", "Height", "Climbed"],
    "rows": [
        ["Everest", "Nepal", "8,849", "1953"],
        ["K2", "Pakistan", "8,611", "1954"],
        ["Lhotse", "Nepal", "8,516", "1956"],
        ["Makalu", "Nepal", "8,485", "1955"],
        ["Nanga Parbat", "Pakistan", "8,126", "1953"],
    ],
}
QUESTIONS = [
    ("q1", "which peak has the highest height?", "Everest"),
    ("q2", "how many peaks are in nepal?", "3"),
    ("q3", "which peak has the highest height?", "Lhotse"),
    ("q4", "how many peaks did he climb?", "2"),
    ("q5", "which peaks are in pakistan?", "K2|Nanga Parbat"),
    ("q6", "why are peaks high?", "K2"),
]
FILMS = {
    "feta_id": 9,
    "table_page_title": "Ann Lee",
    "table_section_title": "Filmography",
    "table_array": [
        ["Year", "Film", "Role"],
        ["2001", "Rain", "Jo"],
        ["2003", "Snow", "Mia"],
        ["2005", "Wind", "Eva"],
    ],
    "highlighted_cell_ids": [[2, 0], [2, 1], [2, 2]],
    "answer": "In 2003, Ann Lee played Mia in the film Snow.",
}


def convert(question: str, answer: str) -> Conversion:
    """As much of a converter as these questions need."""
    question = question.rstrip("?")
    if match := re.fullmatch(r"which \w+ (has|are) (.*)", question):
        return Conversion("", f"{answer} {match[1]} {match[2]}.", "", 1.0)
    if match := re.fullmatch(r"how many (\w+ are .*)", question):
        return Conversion("", f"{answer} {match[1]}.", "", 1.0)
    return Conversion("", None, "no rule for it", 0.0)


def questions_file(folder: Path) -> Path:
    (folder / "tables.jsonl").write_text(json.dumps(PEAKS) + "\n")
    lines = [{"id": id, "question": text, "table": "peaks", "answer": answer} for id, text, answer in QUESTIONS]
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def answers_file(folder: Path, **changes: object) -> Path:
    path = folder / "answers.jsonl"
    path.write_text(json.dumps(FILMS | changes) + "\n")
    return path


def records(built: list[Built]) -> dict[str, BuiltRecord]:
    return {each.id: each for each in built if isinstance(each, BuiltRecord)}


def test_a_question_becomes_a_true_and_a_false_claim_with_the_cells_they_were_computed_from(tmp_path: Path) -> None:
    builder = TableBuilder(convert, seed=1)
    found = records(list(builder.build(TableQuestions(questions_file(tmp_path)))))
    true, false = found["q1-true"], found["q1-false"]
    assert true.claim == "According to the table on Peaks of Asia, Everest has the highest height."
    assert (true.label, false.label) == (Label.SUPPORTS, Label.REFUTES)
    assert ElementId.parse("Peaks of Asia_cell_0_1_2") in true.evidence[0]
    assert false.origin.rule == "neighbour in the column"
    assert found["q2-true"].origin.rule == "given number"
    assert found["q2-false"].origin.rule == "near number"
    assert {str(id) for id in found["q2-true"].evidence[0]} >= {f"Peaks of Asia_cell_0_{row}_1" for row in (1, 3, 4)}


def test_the_two_claims_of_a_question_have_the_same_cells_as_more_of_them_would_tell_the_label(tmp_path: Path) -> None:
    for seed in range(4):
        found = records(list(TableBuilder(convert, seed=seed).build(TableQuestions(questions_file(tmp_path)))))
        for question in ("q1", "q2"):
            true, false = found[f"{question}-true"], found[f"{question}-false"]
            assert true.evidence == false.evidence
        named = found["q1-false"].claim.removeprefix("According to the table on Peaks of Asia, ").split(" has ")[0]
        row = next(place for place, each in enumerate(PEAKS["rows"], 1) if each[0] == named)
        assert ElementId.parse(f"Peaks of Asia_cell_0_{row}_0") in found["q1-true"].evidence[0]


def test_every_question_that_gives_no_claim_is_told_with_its_reason(tmp_path: Path) -> None:
    builder = TableBuilder(convert)
    left = {
        each.record: each
        for each in builder.build(TableQuestions(questions_file(tmp_path)))
        if isinstance(each, LeftOut)
    }
    assert {id: each.reason for id, each in left.items()} == {
        "q3": "what was computed disagrees with the given answer",
        "q4": "nothing on the page says who or what 'he' is",
        "q5": "it has several answers",
        "q6": "not converted: no rule for it",
    }
    assert left["q3"].where == "line 3"


def test_an_answer_is_true_as_written_and_false_with_another_value_of_its_column(tmp_path: Path) -> None:
    builder = TableBuilder(convert, seed=2)
    found = records(list(builder.build(TableQuestions(answers_file(tmp_path)))))
    true, false = found["9-true"], found["9-false"]
    assert (true.claim, true.label) == (FILMS["answer"], Label.SUPPORTS)
    cells = [f"Ann Lee_cell_0_2_{column}" for column in range(3)]
    assert [str(id) for id in true.evidence[0]] == cells == [str(id) for id in false.evidence[0]]
    assert false.label is Label.REFUTES
    assert false.details["cell"] in cells
    assert false.claim == true.claim.replace(false.details["was"], false.details["is"])


def test_a_change_that_another_row_makes_true_is_not_made(tmp_path: Path) -> None:
    rows = [["Year", "Film"], ["2001", "Rain"], ["2003", "Rain"]]
    path = answers_file(
        tmp_path, table_array=rows, highlighted_cell_ids=[[1, 0], [1, 1]], answer="In 2001, Ann Lee played in Rain."
    )
    for seed in range(20):
        for each in records(list(TableBuilder(convert, seed=seed).build(TableQuestions(path)))).values():
            assert "2003" not in each.claim


def test_answers_without_a_false_claim_are_kept_where_they_are_asked_for(tmp_path: Path) -> None:
    path = answers_file(tmp_path, answer="Ann Lee has played in several films since then.")
    (left,) = TableBuilder(convert).build(TableQuestions(path))
    assert isinstance(left, LeftOut)
    assert left.reason == "no value of it can be changed so that it is surely false"
    (kept,) = TableBuilder(convert, unpaired=True).build(TableQuestions(path))
    assert isinstance(kept, BuiltRecord)
    assert kept.label is Label.SUPPORTS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("In 2003, Ann Lee played Mia in film, Snow.", "the sentence has a slip of the pen"),
        ("In 2003, Ann Lee won as Mia in categories Best Role and Snow.", "the sentence has a slip of the pen"),
        ("In 2003, Ann Lee played Mia in in Snow.", "the sentence has a slip of the pen"),
        ("In 2003 season, Ann Lee played Mia in Snow.", "the sentence has a slip of the pen"),
        ("In 2003, Ann Lee played Mia in Snow, aired in ABS-CBN,.", "the sentence has a slip of the pen"),
        ("In 2003, Ann Lee was casted as Mia in Snow.", "the sentence has a slip of the pen"),
        ("There are total 12 films with Mia and Snow.", "the sentence has a slip of the pen"),
        ("Ann Lee (D), 2003, Mia, Snow.", "the sentence has no verb"),
        ("She played Mia in the film Snow in 2003.", "the sentence leans on its page"),
        ("The film Snow has Ann Lee as Mia, 2003.", "the sentence leans on its page"),
    ],
)
def test_a_sentence_with_a_slip_or_that_leans_on_its_page_is_left_out(text: str, reason: str, tmp_path: Path) -> None:
    found = list(TableBuilder(convert).build(TableQuestions(answers_file(tmp_path, answer=text))))
    assert [each.reason for each in found if isinstance(each, LeftOut)] == [reason]
    assert len(found) == 1


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("in 2003, Ann Lee played Mia in the film Snow", "In 2003, Ann Lee played Mia in the film Snow."),
        (
            "In 2003, Ann Lee played Mia in Wait! and as Eva in Snow.",
            "In 2003, Ann Lee played Mia in Wait! and as Eva in Snow.",
        ),
        ("Ann Lee played Mia in Snow(2003).", "Ann Lee played Mia in Snow (2003)."),
    ],
)
def test_a_sentence_begins_with_a_capital_and_ends_with_a_stop(text: str, claim: str, tmp_path: Path) -> None:
    found = records(list(TableBuilder(convert).build(TableQuestions(answers_file(tmp_path, answer=text)))))
    assert found["9-true"].claim == claim


def test_a_sentence_that_does_not_name_the_event_of_its_page_is_told_where_it_holds(tmp_path: Path) -> None:
    changes = {
        "table_page_title": "2003 Ohio election",
        "table_section_title": "Results",
        "table_array": [["Name", "Votes"], ["Ann Lee", "120"], ["Bo Ek", "90"]],
        "highlighted_cell_ids": [[1, 0], [1, 1]],
        "answer": "Ann Lee won with 120 votes.",
    }
    found = records(list(TableBuilder(convert).build(TableQuestions(answers_file(tmp_path, **changes)))))
    assert found["9-true"].claim == "In the results of the 2003 Ohio election, Ann Lee won with 120 votes."


def test_a_changed_value_repeats_no_word_of_its_sentence_and_goes_with_its_article(tmp_path: Path) -> None:
    rows = [
        ["Year", "Film", "Land"],
        ["2001", "The Snow Man", "Chad"],
        ["2003", "Rain", "Netherlands"],
        ["2004", "Snow in May", "Mali"],
    ]
    text = "Ann Lee made the snow of Rain in the Netherlands."
    path = answers_file(tmp_path, table_array=rows, answer=text, highlighted_cell_ids=[[2, 1], [2, 2]])
    for seed in range(5):
        built = list(TableBuilder(convert, seed=seed).build(TableQuestions(path)))
        assert [each.reason for each in built if isinstance(each, LeftOut)] == [
            "no value of it can be changed so that it is surely false"
        ]


def test_one_process_and_two_give_the_same_and_another_seed_gives_something_else(tmp_path: Path) -> None:
    questions, answers = questions_file(tmp_path), answers_file(tmp_path)

    def build(seed: int, engine: Engine | None = None) -> list[object]:
        builder = TableBuilder(convert, seed, engine=engine or ThisProcess())
        found = [*builder.build(TableQuestions(questions)), *builder.build(TableQuestions(answers))]
        return [each.as_dict(builder.element) if isinstance(each, BuiltRecord) else each for each in found]

    with WorkerProcesses(2) as engine:
        assert build(1) == build(1, engine)
    assert len({json.dumps(build(seed)) for seed in range(5)}) > 1


def test_the_pages_hold_every_cell_that_is_cited(tmp_path: Path) -> None:
    builder = TableBuilder(convert)
    found = [
        *builder.build(TableQuestions(questions_file(tmp_path))),
        *builder.build(TableQuestions(answers_file(tmp_path))),
    ]
    read = {}
    for page in builder.pages():
        (again,) = page_from_json(page_to_json(page))
        assert isinstance(again, Page)
        read[again.title] = again
    cited = [id for each in records(found).values() for ids in each.evidence for id in ids]
    assert cited
    assert all(read[id.page].element(id) == builder.element(id) for id in cited)


def test_two_tables_of_one_title_have_two_numbers_and_one_table_has_one() -> None:
    pages = TablePages()
    one = SourceTable("a", "X", (("h",), ("1",)), ("S",))
    other = SourceTable("b", "X", (("h",), ("2",)), ("S",))
    assert [pages.place(each).number for each in (one, other, one._replace(name="c"))] == [0, 1, 0]
    (page,) = pages.pages({"X"})
    assert [str(table.id) for table in page.tables] == ["X_table_0", "X_table_1"]
    assert [str(each.id) for each in page.tables[1].context] == ["X_title", "X_section_1"]


@pytest.mark.parametrize(
    ("answer", "kind"), [("K2", "cell"), ("k2", "cell"), ("7", "number"), ("Yes", "yes or no"), ("high", "other")]
)
def test_what_an_answer_is(answer: str, kind: str) -> None:
    assert answer_kind(answer, SourceTable("t", "T", (("Peak",), ("K2 (Asia)",)))) == kind


# -- a corpus ----------------------------------------------------------------------------------------------


def page(table: TableBlock) -> Page:
    return Page("Peaks", (table,))


def block(*rows: list[str], header: bool = True) -> TableBlock:
    cells = tuple(tuple(Cell(text, header=header and not number) for text in row) for number, row in enumerate(rows))
    return TableBlock(0, cells)


GOOD = block(PEAKS["header"], *PEAKS["rows"])  # type: ignore[arg-type]


def of_corpus(*pages: Page, seed: int = 0) -> Iterator[Built]:
    return build_of_pages(pages, "corpus", seed, per_table=5)


def test_the_tables_of_a_corpus_give_claims_with_addresses_of_their_cells() -> None:
    source = page(GOOD)
    found = list(of_corpus(source))
    assert [str(each.label) for each in found if isinstance(each, BuiltRecord)] == ["SUPPORTS", "REFUTES"] * 5
    for each in found:
        assert isinstance(each, BuiltRecord)
        texts = [source.element(id).text for id in each.evidence[0]]
        assert len(texts) > 1
        if each.label is Label.SUPPORTS and each.origin.rule == "value":
            assert all(text in each.claim for text in texts)


@pytest.mark.parametrize(
    ("header", "row", "claims"),
    [
        (
            ["Nation", "Gold", "Silver", "Bronze"],
            ["Chad", "1", "7", "9"],
            {"Chad has 1 gold medal.", "Chad has 7 silver medals."},
        ),
        (["City", "Votes"], ["Chad", "12"], {"Chad has 12 votes."}),
        (["Film", "Director"], ["Chad", "Ann Lee"], {"the director listed for Chad is Ann Lee."}),
    ],
)
def test_a_cell_is_said_as_its_header_asks(header: list[str], row: list[str], claims: set[str]) -> None:
    others = [["Mali", *(["Bo Ek"] if header[1] == "Director" else ["3"] * (len(row) - 1))]]
    found = {
        each.claim.partition(", ")[2]
        for seed in range(60)
        for each in of_corpus(page(block(header, row, *others)), seed=seed)
        if isinstance(each, BuiltRecord) and each.label is Label.SUPPORTS
    }
    assert claims <= found


def test_header_rows_and_rows_of_one_wide_cell_are_no_rows_of_a_table() -> None:
    wide = (Cell("Asia", column_span=4),)
    source = page(GOOD._replace(rows=(GOOD.rows[0], wide, *GOOD.rows[1:])))
    for each in of_corpus(source):
        assert isinstance(each, BuiltRecord)
        assert all(id.path[1] >= 2 for id in each.evidence[0])


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (block(["a", "b"], ["c", "d"], header=False), "it has no header"),
        (block(["a", "b"], ["c"], ["d", "e"]), "it is ragged: row 1 has 1 cells, the header 2"),
        (block(["a", "b"], ["c", "d"]), "it has fewer than two rows under its header"),
        (GOOD._replace(infobox=True), "it is an infobox, which has no rows to tell apart"),
        (block(["a", "b"], ["1", "x"], ["2", "x"]), "no column names its rows"),
        (block(["Peak", "Notes"], ["K2", "x"], ["Everest", "x"]), "none of the shapes of claims fits its rows"),
    ],
)
def test_a_table_that_gives_no_claims_is_named(table: TableBlock, reason: str) -> None:
    assert list(of_corpus(page(table))) == [LeftOut("Peaks_table_0", "", reason, "table")]


def test_a_name_inside_a_longer_word_does_not_tell_the_article_of_a_value(tmp_path: Path) -> None:
    rows = [["Year", "Cup", "Land"], ["2001", "Elm Cup", "Netherlands"], ["2003", "Oak Cup", "Niger"]]
    text = "The Nigerian team beat Niger for the Oak Cup."
    path = answers_file(tmp_path, table_array=rows, answer=text, highlighted_cell_ids=[[2, 1], [2, 2]])
    for seed in range(5):
        built = list(TableBuilder(convert, seed=seed).build(TableQuestions(path)))
        assert not any("beat Netherlands" in each.claim for each in built if isinstance(each, BuiltRecord))


def test_a_question_of_more_words_than_are_read_is_left_out_at_once(tmp_path: Path) -> None:
    path = questions_file(tmp_path)
    path.write_text(json.dumps({"id": 1, "question": "which name " * 60, "table": "peaks", "answer": "K2"}) + "\n")
    (left,) = TableBuilder(convert).build(TableQuestions(path))
    assert isinstance(left, LeftOut)
    assert left.reason == "it has more than 100 words"


def test_a_second_question_of_one_id_is_left_out(tmp_path: Path) -> None:
    path = questions_file(tmp_path)
    path.write_text(path.read_text().splitlines()[0] + "\n" + path.read_text().splitlines()[0] + "\n")
    *made, left = TableBuilder(convert).build(TableQuestions(path))
    assert [each.id for each in made if isinstance(each, BuiltRecord)] == ["q1-true", "q1-false"]
    assert str(left) == "line 2 (q1): an earlier question has this id; give each its own"


def test_two_processes_give_the_same_claims_of_a_corpus() -> None:
    pages = [Page(f"Peaks {number}", (GOOD,)) for number in range(3)]
    with WorkerProcesses(2) as engine:
        assert list(build_of_pages(pages, "corpus", 1, engine=engine)) == list(build_of_pages(pages, "corpus", 1))


@pytest.mark.parametrize(("name", "numbers"), [("District", ("12", "45", "7")), ("Lot", ("3", "1", "2"))])
def test_what_only_numbers_its_rows_is_not_compared(name: str, numbers: tuple[str, ...]) -> None:
    rows = zip(("Ann Lee", "Bo Ek", "Cy Day"), numbers, strict=True)
    source = page(block(["Candidate", name], *map(list, rows)))
    built = [each for seed in range(30) for each in of_corpus(source, seed=seed) if isinstance(each, BuiltRecord)]
    assert built
    assert not any("higher" in each.claim or "lower" in each.claim for each in built)


def test_a_heading_that_says_nothing_is_not_told() -> None:
    blocks = (Section(0, "Table", 2), GOOD, Section(1, "Table 2", 2), GOOD._replace(number=1))
    built = [each for each in of_corpus(Page("Peaks", blocks)) if isinstance(each, BuiltRecord)]
    assert built
    assert not any("In the table" in each.claim for each in built)


def test_a_corpus_without_tables_is_an_error() -> None:
    with pytest.raises(InputError, match="corpus holds no table"):
        list(of_corpus(Page("X", (Sentence(0, "No table."),))))


def test_a_table_of_rows_is_viewed_with_its_own_addresses() -> None:
    table = Table.of([["K2", "1954"], ["Everest", "1953"]], header=["Peak", "Year"], title="Peaks")
    found = list(build_of_pages([Page("Peaks", (TableBlock(0, table.rows),))], "c", 0))
    assert {id.page for each in found if isinstance(each, BuiltRecord) for id in each.evidence[0]} == {"Peaks"}
