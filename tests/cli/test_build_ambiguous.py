"""`veritab build ambiguous` at the door: records, what was left out by line, the audit, no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import veritab
from tests.retrieve.corpora import indexed
from veritab.datasets import load
from veritab.schema import Page, Sentence

MASTERS = {
    "ambiguous_question": "who won the masters?",
    "disambiguations": [
        {"question": "who won the masters in 2014?", "answers": ["Bubba Watson"]},
        {"question": "who won the masters in 2015?", "answers": []},
    ],
}
NOTHING = {"id": "x", "disambiguations": [{"question": "who won?", "answers": []}]}


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text(f"{json.dumps(MASTERS)}\nnonsense\n{json.dumps(NOTHING)}\n")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two pages, neither with a link."""
    pages = [
        Page("2014 Masters", (Sentence(0, "In 2014 the Masters was won by Bubba Watson."),)),
        Page("2015 Masters", (Sentence(0, "In 2015 the Masters was won by Jordan Spieth."),)),
    ]
    indexed(tmp_path / "corpus", pages).close()
    return tmp_path / "corpus"


def test_claims_come_without_evidence_where_no_corpus_is_named_and_that_is_said(questions: Path) -> None:
    done = veritab("build", "ambiguous", questions)
    assert done.code == 0, done.err
    assert [(each["id"], each["claim"], each["label"], each["evidence"], each["silver"]) for each in done.lines] == [
        ("0-matching-0", "Bubba Watson won the masters in 2014.", "SUPPORTS", [], False),
        ("0-crossed-1", "Bubba Watson won the masters in 2015.", "REFUTES", [], False),
    ]
    assert "no evidence is sought, and no wrong answers are mixed in" in done.err
    assert "left out: line 2: not JSON" in done.err
    assert "left out: line 3 (x): no reading has an answer" in done.err
    assert "audit: majority 0.5" in done.err


def test_silver_evidence_is_counted_by_label_as_a_reading_without_an_answer_finds_none(
    questions: Path, corpus: Path, tmp_path: Path
) -> None:
    done = veritab("build", "ambiguous", questions, "--corpus", corpus, "-o", tmp_path / "built.jsonl")
    assert "silver evidence: 1 SUPPORTS" in done.err
    assert "silver evidence" not in veritab("build", "ambiguous", questions).err


def test_evidence_of_a_corpus_is_silver_and_can_be_shown(questions: Path, corpus: Path, tmp_path: Path) -> None:
    file = tmp_path / "built.jsonl"
    done = veritab("build", "ambiguous", questions, "--corpus", corpus, "-o", file, "--json", "--seed", 3)
    assert done.code == 0, done.err
    assert done.json["could_be_built"] == {"matching": 1, "crossed": 1, "mined": 1}
    assert done.json["labels"] == {"REFUTES": 1, "SUPPORTS": 1}
    assert done.json["silver"] == {"SUPPORTS": 1}
    assert done.json["left_out"][""] == {"no reading has an answer": 1} | {
        reason: 1 for reason in done.json["left_out"][""] if reason.startswith("not JSON")
    }
    true = json.loads(file.read_text().splitlines()[0])
    assert true["silver"]
    assert true["evidence"] == [
        {"content": ["2014 Masters_sentence_0"], "context": {"2014 Masters_sentence_0": ["2014 Masters_title"]}}
    ]
    assert true["origin"]["record"] == "0"
    assert true["origin"]["negative"] == ["2015 Masters_sentence_0"]
    assert veritab("show", true["evidence"][0]["content"][0], "--corpus", corpus).code == 0
    assert next(iter(load(file))).silver


def test_same_seed_same_bytes_by_one_process_or_two(questions: Path, corpus: Path) -> None:
    options = ("build", "ambiguous", questions, "--corpus", corpus, "--seed", 7)
    once = veritab(*options)
    assert once.out
    assert veritab(*options).out == once.out
    assert veritab(*options, "--processes", 2).out == once.out


def test_a_limit_on_what_cannot_be_measured_is_an_error_and_one_that_is_exceeded_exits_with_3(questions: Path) -> None:
    assert veritab("build", "ambiguous", questions, "--fail-above", "majority=0.4").code == 3
    assert veritab("build", "ambiguous", questions, "--fail-above", "nonsense=1").code == 2


def test_questions_come_from_stdin_as_well(questions: Path) -> None:
    done = veritab("build", "ambiguous", "-", stdin=questions.read_text())
    assert len(done.lines) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gone.jsonl",), "no file 'gone.jsonl'"),
        (("{questions}", "--corpus", "gone"), "gone"),
        (("{questions}", "--ranker", "gone"), "gone"),
        (("{questions}", "--least", "2"), "--least"),
        (("{questions}", "--claim-only", "0.2"), "--claim-only"),
        (("{questions}", "-o", "no/folder/here.jsonl"), "no/folder"),
    ],
)
def test_what_is_wrong_at_the_door_is_told_in_our_words(
    questions: Path, words: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    done = veritab("build", "ambiguous", *(word.format(questions=questions) for word in words), cwd=tmp_path)
    assert done.code in (1, 2)
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_corpus_without_an_index_says_how_to_build_it(questions: Path, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# A page\n\nA sentence stands here.\n")
    assert veritab("ingest", tmp_path / "page.md", "--into", tmp_path / "bare").code == 0
    done = veritab("build", "ambiguous", questions, "--corpus", tmp_path / "bare")
    assert done.code != 0
    assert "veritab index" in done.err
