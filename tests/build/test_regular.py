"""Claims of questions with answers: one true, one false, with silver evidence, and nothing dropped in silence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.retrieve.corpora import indexed
from veritab.build.records import AnsweredQuestion, BuiltRecord, LeftOut, read_questions
from veritab.build.regular import RegularBuilder
from veritab.build.unsuited import LEAST_CONFIDENCE, choose_answer
from veritab.processes import WorkerProcesses
from veritab.schema import Label, Page, Sentence

pytest.importorskip("lemminflect")

BUILDERS = ("Thomas O'Brien", "Maria da Silva", "George Miller", "Helen Carter", "Peter Jones", "Susan Baker")
QUESTION = {"id": "q", "question": "who built Poe bridge?", "answer": "Thomas O'Brien"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bridges and who built them, when, without a link anywhere."""
    folder = tmp_path_factory.mktemp("regular") / "corpus"
    names = ("Poe", "Elm", "Ash", "Oak", "Fir", "Yew")
    pages = [
        Page(f"{name} Bridge", (Sentence(0, f"{name} Bridge was built by {builder} in {1851 + 7 * number}."),))
        for number, (name, builder) in enumerate(zip(names, BUILDERS, strict=True))
    ]
    indexed(folder, pages).close()
    return folder


def build(corpus: Path, folder: Path, *records: object, **options: Any) -> tuple[list[BuiltRecord], list[LeftOut]]:
    file = folder / "questions.jsonl"
    file.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in records))
    with RegularBuilder("questions.jsonl", corpus, **{"least": 0.0, **options}) as builder:
        made = list(builder.build(read_questions(file)))
    records_built = [each for each in made if isinstance(each, BuiltRecord)]
    return records_built, [each for each in made if isinstance(each, LeftOut)]


def test_a_second_question_of_one_id_is_left_out(corpus: Path, tmp_path: Path) -> None:
    made, (left,) = build(corpus, tmp_path, QUESTION, QUESTION)
    assert [each.id for each in made] == ["q-right", "q-mined"]
    assert str(left) == "line 2 (q): an earlier question has this id; give each its own"


def test_a_question_makes_a_true_and_a_false_claim_with_the_passage_that_holds_the_answer(
    corpus: Path, tmp_path: Path
) -> None:
    (true, false), left = build(corpus, tmp_path, QUESTION)
    assert not left
    assert (true.id, true.claim, true.label) == ("q-right", "Thomas O'Brien built Poe bridge.", Label.SUPPORTS)
    wrong = false.details["answer"]
    assert (false.id, false.claim, false.label) == ("q-mined", f"{wrong} built Poe bridge.", Label.REFUTES)
    assert wrong in BUILDERS[1:]
    assert false.details["answer_from"].endswith(" Bridge")
    for each in (true, false):
        assert each.silver
        assert [str(id) for id in each.evidence[0]] == ["Poe Bridge_sentence_0"]
        assert each.origin == ("questions.jsonl", "q", each.id.removeprefix("q-"), 0)


def test_the_seed_says_which_wrong_answer_is_drawn(corpus: Path, tmp_path: Path) -> None:
    drawn = {build(corpus, tmp_path, QUESTION, seed=seed)[0][1].claim for seed in range(8)}
    assert len(drawn) > 2
    once, again = (build(corpus, tmp_path, QUESTION, seed=3) for _ in range(2))
    assert once == again


def test_other_names_for_any_given_answer_are_never_drawn(corpus: Path, tmp_path: Path) -> None:
    given = QUESTION | {"answer": ["Tom O'Brien", "Mary da Silva", "G. Miller", "Carter", "Jones, Peter"]}
    for seed in range(8):
        assert build(corpus, tmp_path, given, seed=seed)[0][1].claim == "Susan Baker built Poe bridge."


def test_one_claim_of_each_question_is_by_turns_true_and_false(corpus: Path, tmp_path: Path) -> None:
    many = [QUESTION | {"id": number} for number in range(20)]
    made, _ = build(corpus, tmp_path, *many, one=True)
    assert [each.origin.record for each in made] == [str(number) for number in range(20)]
    assert Counter(each.label for each in made) == {Label.SUPPORTS: 10, Label.REFUTES: 10}
    assert len({tuple(each.label for each in made[place : place + 2]) for place in range(0, 20, 2)}) == 2


def test_wrong_years_are_drawn_as_often_as_they_are_right_elsewhere(corpus: Path) -> None:
    asked = [AnsweredQuestion("", str(id), "when was poe bridge built?", ("1851",), {}) for id in range(30)]
    others = [AnsweredQuestion("", "", "when was oak bridge built?", ("12 May 1872",), {})] * 40
    drawn = []
    for known in ([], others):
        with RegularBuilder("questions.jsonl", corpus) as builder:
            builder.count_years([*asked, *known, LeftOut("line 1", "", "no question")])
            made = [each for each in builder.build(asked) if isinstance(each, BuiltRecord)]
        drawn.append(Counter(each.details["answer"] for each in made if each.label is Label.REFUTES))
    assert drawn[0]["1872"] < 15 < 25 < drawn[1]["1872"]


def test_two_processes_make_what_one_makes(corpus: Path, tmp_path: Path) -> None:
    many = [QUESTION | {"id": number} for number in range(70)] + ["nonsense"]
    with WorkerProcesses(2) as engine:
        assert build(corpus, tmp_path, *many) == build(corpus, tmp_path, *many, engine=engine)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"id": "x", "question": "who built Poe bridge?"}, "no answer"),
        ({"id": "x", "question": "who built Poe bridge?", "answer": []}, "no answer"),
        ({"id": "x", "question": "who built Poe bridge?", "answer": 7}, "the answer is 7"),
        ({"id": "x", "answer": "Ann"}, "no question"),
        ({"id": "x", "question": "谁建了桥?", "answer": "Ann"}, "not written in Latin"),
        ({"id": "x", "question": "who built Poe bridge?", "answer": "東京"}, "東京"),
        ({"id": "x", "question": "who " + "built " * 5000 + "?", "answer": "Ann Lee"}, "5,002 words"),
        ({"id": "x", "question": "who built Poe bridge?", "answer": "Ann " * 5000}, "words"),
        ({"id": "x", "question": "who built Poe bridge?", "answer": "senate ) would"}, "senate ) would"),
        ({"id": "x", "question": "who built Poe bridge?", "answer": "(1851–1930)"}, "(1851–1930)"),
        ({"id": "x", "question": "who wrote zzyzx?", "answer": "Ann Lee"}, "nothing in the corpus is about"),
        (
            {"id": "x", "question": "when was poe bridge built?", "answer": "3 May 1851"},
            "no wrong answer of the type day",
        ),
        ({"id": "x", "question": "when was poe bridge built?", "answer": "long ago"}, "is of no type"),
        ("nonsense", "not JSON"),
    ],
)
def test_what_cannot_be_built_is_named_by_its_line(corpus: Path, tmp_path: Path, given: object, reason: str) -> None:
    made, left = build(corpus, tmp_path, QUESTION, given)
    assert len(made) == 2
    assert [each.where for each in left] == ["line 2"]
    assert reason in left[0].reason


def test_a_date_with_brackets_around_it_is_an_answer_as_well(corpus: Path, tmp_path: Path) -> None:
    made, left = build(corpus, tmp_path, {"question": "when was poe bridge built?", "answer": ["[1851]", "1851"]})
    assert not left
    assert made[0].claim == "Poe bridge was built in 1851."
    assert made[1].details["answer"] in {"1858", "1865", "1872", "1879", "1886"}


@pytest.mark.parametrize(
    ("answers", "chosen"),
    [
        (("Shula, Don", "Don Shula"), "Don Shula"),
        (("Wilt Chamberlain*", "Wilt Chamberlain"), "Wilt Chamberlain"),
        (("senate ) would",), "senate ) would"),
        (("in 1876", "1876"), "1876"),
        (("the Archies", "Archies"), "Archies"),
        (("928,", "July 2, 1928"), "July 2, 1928"),
    ],
)
def test_of_several_answers_one_is_taken_that_reads_like_one(answers: tuple[str, ...], chosen: str) -> None:
    assert choose_answer(answers) == chosen


def test_what_the_rules_are_little_sure_of_is_left_out_unless_asked_for(corpus: Path, tmp_path: Path) -> None:
    unsure = {"id": "x", "question": "whose work is Poe bridge", "answer": "Thomas O'Brien"}
    made, left = build(corpus, tmp_path, QUESTION, unsure, least=LEAST_CONFIDENCE)
    assert [each.id for each in made] == ["q-right", "q-mined"]
    assert f"is below {LEAST_CONFIDENCE}" in left[0].reason
    assert len(build(corpus, tmp_path, QUESTION, unsure)[0]) == 4
