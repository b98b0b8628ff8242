"""Questions over tables and answers with cells are read, and what is wrong with a line or its table is named by line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from veritab.datasets.table_questions import SourceTable, TableAnswer, TableQuestion, TableQuestions, as_table
from veritab.errors import FormatError, NotFound
from veritab.schema import Problem

PEAKS = {"table_id": "peaks", "header": ["Peak", "Height"], "rows": [["K2", "8,611"], ["Lhotse", "8,516"]]}
HTML = (
    "<p>For other uses, see Peak (disambiguation).</p><p>The Peaks of Asia are mountains in Asia.</p><h2>Heights</h2>"
    "<table class='wikitable'><caption>By height</caption><tr><th>Peak</th><th>Height</th></tr>"
    "<tr><td>K2</td><td>8,611</td></tr><tr><td>Lhotse</td><td>8,516</td></tr></table>"
)


def write(path: Path, records: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in records))
    return path


def read(folder: Path, *questions: object, tables: Iterable[object] = (PEAKS,)) -> list[Any]:
    write(folder / "tables.jsonl", tables)
    return list(TableQuestions(write(folder / "questions.jsonl", questions)))


def fault(found: list[Any]) -> str:
    (problem,) = found
    assert isinstance(problem, Problem)
    return f"{problem.where} ({problem.page}): {problem.what}"


def test_a_question_comes_with_its_answer_and_its_table(tmp_path: Path) -> None:
    question = {"id": "nt-1", "utterance": "which peak is highest?", "context": "peaks", "targetValue": "K2"}
    (found,) = read(tmp_path, question)
    table = SourceTable("peaks", "Evidence", (("Peak", "Height"), ("K2", "8,611"), ("Lhotse", "8,516")))
    assert found == TableQuestion("line 1", "nt-1", "which peak is highest?", ("K2",), table)


def test_several_answers_are_kept_apart(tmp_path: Path) -> None:
    (found,) = read(tmp_path, {"question": "which peaks?", "table": "peaks", "answer": "K2|Lhotse"})
    assert found.answers == ("K2", "Lhotse")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({**PEAKS, "table_id": "other"}, "there is no table 'peaks' in tables.jsonl"),
        ({**PEAKS, "header": []}, "table 'peaks' has no header"),
        ({**PEAKS, "rows": []}, "table 'peaks' has no rows under its header"),
        ({**PEAKS, "rows": [["K2"], ["a", "b"]]}, "table 'peaks' is ragged: row 1 has 1 cells, the header has 2"),
    ],
)
def test_a_table_that_is_gone_ragged_or_without_header_is_named_by_line(
    tmp_path: Path, table: dict[str, object], reason: str
) -> None:
    question = {"id": "nt-1", "question": "which?", "table": "peaks", "answer": "K2"}
    assert fault(read(tmp_path, question, tables=[table])) == f"line 1 (nt-1): {reason}"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"table": "peaks", "answer": "K2"}, "no question, only table, answer"),
        ({"question": "which?", "answer": "K2"}, "the question names no table"),
        ({"question": "which?", "table": "peaks", "answer": ""}, "the question has no answer"),
        ({"question": "which?", "table": "peaks", "answer": 7}, "the answer is 7; expected a text"),
    ],
)
def test_what_is_wrong_with_a_line_is_told(tmp_path: Path, record: object, reason: str) -> None:
    assert reason in fault(read(tmp_path, record))


def test_a_table_has_title_section_caption_and_first_sentence_of_its_page(tmp_path: Path) -> None:
    name = "csv/200-csv/7.csv"
    write(tmp_path / "wtq/tables.jsonl", [{**PEAKS, "table_id": name}])
    write(tmp_path / "wtq/dev.jsonl", [{"utterance": "which?", "context": name, "targetValue": "K2"}])
    write(tmp_path / "wiki/pages_html.jsonl", [{"page": "200-page/7", "title": "Peaks of Asia", "html": HTML}])
    (found,) = TableQuestions("wtq/dev", data=tmp_path)
    assert isinstance(found, TableQuestion)
    assert found.table[1:] == (
        "Peaks of Asia",
        (("Peak", "Height"), ("K2", "8,611"), ("Lhotse", "8,516")),
        ("Heights",),
        "By height",
        "The Peaks of Asia are mountains in Asia.",
    )
    table = as_table(found.table, 2, 1)
    assert str(table.grid[1][0]) == "Peaks of Asia_cell_2_1_0"
    assert [str(each.id) for each in table.context] == ["Peaks of Asia_title", "Peaks of Asia_section_1"]


ANSWER = {
    "feta_id": 7,
    "table_page_title": "Peaks",
    "table_section_title": "Heights",
    "table_array": [["Peak", "Height"], ["K2", "8,611"]],
    "highlighted_cell_ids": [[1, 0], [1, 1], [1, 0]],
    "answer": "K2 is 8,611 m high.",
}


def test_an_answer_comes_with_its_cells_each_once(tmp_path: Path) -> None:
    (found,) = read(tmp_path, ANSWER)
    assert isinstance(found, TableAnswer)
    assert (found.id, found.cells, found.table.sections) == ("7", ((1, 0), (1, 1)), ("Heights",))


def test_a_line_that_is_not_json_is_told_and_a_file_of_nothing_else_is_an_error(tmp_path: Path) -> None:
    assert "not JSON" in fault(read(tmp_path, "not json\n", ANSWER)[:1])
    with pytest.raises(FormatError, match="holds no question"):
        read(tmp_path, "not json\n")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"highlighted_cell_ids": [[5, 0]]}, "the table has no cell [5, 0]"),
        ({"highlighted_cell_ids": []}, "no cells are given"),
        ({"table_array": []}, "table '7' has no header"),
        ({"answer": " "}, "there is no answer"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    assert reason in fault(read(tmp_path, ANSWER | change))


def test_an_empty_file_and_a_missing_one_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no question"):
        read(tmp_path)
    with pytest.raises(NotFound, match="no file 'gone/dev'"):
        TableQuestions("gone/dev", data=tmp_path)
