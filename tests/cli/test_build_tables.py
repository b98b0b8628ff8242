"""`veritab build tables` at the door: records with addresses, pages beside them, faults by line, no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import veritab

PEAKS = {
    "table_id": "peaks",
    "title": "Peaks of Asia",
    "header": ["Peak", "Country", "Height"],
    "rows": [
        ["Everest", "Nepal", "8,849"],
        ["K2", "Pakistan", "8,611"],
        ["Lhotse", "Nepal", "8,516"],
        ["Makalu", "Nepal", "8,485"],
    ],
}
QUESTIONS = [
    {"id": "q1", "question": "how many peaks are in nepal?", "table": "peaks", "answer": "3"},
    {"id": "q2", "question": "how many peaks are in nepal?", "table": "gone", "answer": "3"},
]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    (tmp_path / "tables.jsonl").write_text(json.dumps(PEAKS) + "\n")
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in QUESTIONS))
    return path


def test_claims_of_questions_come_with_pages_on_which_their_cells_can_be_looked_up(
    questions: Path, tmp_path: Path
) -> None:
    done = veritab("build", "tables", questions, "--pages", tmp_path / "pages.jsonl")
    assert done.code == 0, done.err
    assert [(each["id"], each["label"], each["silver"]) for each in done.lines] == [
        ("q1-true", "SUPPORTS", True),
        ("q1-false", "REFUTES", True),
    ]
    assert "left out: line 2 (q2): there is no table 'gone' in tables.jsonl" in done.err
    assert veritab("ingest", tmp_path / "pages.jsonl", "--into", tmp_path / "corpus").code == 0
    for record in done.lines:
        for id in record["evidence"][0]["content"]:
            assert veritab("show", id, "--corpus", tmp_path / "corpus").code == 0


def test_claims_of_a_corpus_are_balanced_and_cite_its_cells(questions: Path, tmp_path: Path) -> None:
    veritab("build", "tables", questions, "--pages", tmp_path / "pages.jsonl")
    veritab("ingest", tmp_path / "pages.jsonl", "--into", tmp_path / "corpus")
    done = veritab("build", "tables", "--corpus", tmp_path / "corpus", "--per-table", 3)
    assert done.code == 0, done.err
    assert [each["label"] for each in done.lines] == ["SUPPORTS", "REFUTES"] * 3
    assert {each["origin"]["record"] for each in done.lines} == {"Peaks of Asia_table_0"}


def test_the_limit_counts_pages_of_a_corpus(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(
            f"# Peaks of {name.upper()}\n\n| Peak | Country |\n|---|---|\n| Everest | Nepal |\n| Lonely Peak | Chad |\n"
        )
    assert veritab("ingest", tmp_path / "a.md", tmp_path / "b.md", "--into", tmp_path / "corpus").code == 0
    every = veritab("build", "tables", "--corpus", tmp_path / "corpus")
    first = veritab("build", "tables", "--corpus", tmp_path / "corpus", "--limit", 1)
    assert len(every.lines) == 4
    assert first.lines == every.lines[:2]


def test_a_corpus_without_tables_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text("# Text\n\nNo table stands here.\n")
    assert veritab("ingest", tmp_path / "text.md", "--into", tmp_path / "corpus").code == 0
    done = veritab("build", "tables", "--corpus", tmp_path / "corpus")
    assert done.code == 2
    assert "corpus holds no table" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name either questions over tables"),
        (("a.jsonl", "--corpus", "b"), "name either questions over tables"),
        (("--corpus", "b", "--pages", "c"), "--tables and --pages belong to questions"),
        (("nowhere/dev", "--data", "."), "no file 'nowhere/dev'"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = veritab("build", "tables", *words, cwd=tmp_path)
    assert done.code in (1, 2)
    assert said in done.err
    assert "Traceback" not in done.err


def test_tables_that_are_not_there_are_asked_for(questions: Path) -> None:
    done = veritab("build", "tables", questions, "--tables", "gone.jsonl")
    assert (done.code, "no file 'gone.jsonl'" in done.err) == (1, True)
    (questions.parent / "tables.jsonl").unlink()
    done = veritab("build", "tables", questions)
    assert done.code == 1
    assert "no file of tables beside" in done.err
    assert "--tables" in done.err


def test_a_file_without_one_record_is_bad_input(questions: Path) -> None:
    questions.write_text("no json\nnone here\n")
    done = veritab("build", "tables", questions)
    assert done.code == 2
    assert "line 1" in done.err
    assert "holds no question" in done.err


def test_questions_come_on_stdin_with_their_tables_named(questions: Path) -> None:
    done = veritab("build", "tables", "-", "--tables", questions.parent / "tables.jsonl", stdin=questions.read_text())
    assert done.code == 0, done.err
    assert [each["id"] for each in done.lines] == ["q1-true", "q1-false"]


def test_what_was_left_out_once_is_said_to_be_so(questions: Path) -> None:
    questions.write_text(json.dumps({"id": "q", "question": "why?", "table": "peaks", "answer": "3"}) + "\n")
    done = veritab("build", "tables", questions)
    assert "question not built 1 time:" in done.err
