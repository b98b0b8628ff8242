"""`veritab build regular` at the door: pairs of claims, faults by line, an audit at the end, no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import veritab
from tests.retrieve.corpora import indexed
from veritab.schema import Page, Sentence

pytest.importorskip("lemminflect")

LINES = (
    {"id": "a", "question": "who built poe bridge?", "answer": "Thomas O'Brien"},
    {"id": "b", "question": "when was elm bridge built?", "answers": ["1858", "in 1858"]},
    {"id": "c", "question": "who built elm bridge?"},
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    built = {"Poe": "Thomas O'Brien in 1851", "Elm": "George Miller in 1858", "Ash": "Helen Carter in 1865"}
    pages = [Page(f"{name} Bridge", (Sentence(0, f"{name} Bridge was built by {by}."),)) for name, by in built.items()]
    indexed(tmp_path / "corpus", pages).close()
    return tmp_path / "corpus"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in LINES))
    return path


def test_every_question_makes_a_true_and_a_false_claim_or_is_named(corpus: Path, questions: Path) -> None:
    done = veritab("build", "regular", questions, "--corpus", corpus)
    assert done.code == 0, done.err
    assert [(each["id"], each["label"], each["silver"]) for each in done.lines] == [
        ("a-right", "SUPPORTS", True),
        ("a-mined", "REFUTES", True),
        ("b-right", "SUPPORTS", True),
        ("b-mined", "REFUTES", True),
    ]
    assert done.lines[0]["evidence"][0]["content"] == ["Poe Bridge_sentence_0"]
    assert done.lines[1]["origin"]["record"] == "a"
    assert "left out: line 3 (c): no answer" in done.err
    assert "questions a minute" in done.err


def test_the_same_seed_writes_the_same_bytes_whatever_the_number_of_processes(
    corpus: Path, questions: Path, tmp_path: Path
) -> None:
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for number, file in enumerate(files, 1):
        done = veritab(
            "build", "regular", questions, "--corpus", corpus, "--one", "-o", file, "--processes", number, "--json"
        )
        report = json.loads(done.out)
        assert report["labels"] == {"REFUTES": 1, "SUPPORTS": 1}
        assert report["questions"] == 3
    assert files[0].read_bytes() == files[1].read_bytes()


def test_questions_come_on_stdin_as_well(corpus: Path, questions: Path) -> None:
    done = veritab("build", "regular", "-", "--corpus", corpus, "--limit", 1, stdin=questions.read_text())
    assert [each["origin"]["source"] for each in done.lines] == ["stdin", "stdin"]


def test_a_limit_that_the_audit_is_above_fails_the_build(corpus: Path, questions: Path) -> None:
    done = veritab("build", "regular", questions, "--corpus", corpus, "--fail-above", "majority=0.4")
    assert done.code == 3
    assert "above its limit" in done.err


@pytest.mark.parametrize(
    ("source", "words"), [("nothing/here", ("no file 'nothing/here'",)), ("questions.jsonl", ("gone", "no corpus"))]
)
def test_what_is_not_there_is_named(tmp_path: Path, questions: Path, source: str, words: tuple[str, ...]) -> None:
    done = veritab("build", "regular", source, "--corpus", tmp_path / "gone", cwd=questions.parent)
    assert done.code in (1, 2)
    assert "Traceback" not in done.err
    assert any(word in done.err for word in words)
