"""What builders read and write: every fault by its line, and records that a data set is read from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from veritab import datasets
from veritab.build.records import (
    AnsweredQuestion,
    BuiltRecord,
    ClaimOrigin,
    ClaimSource,
    GivenClaim,
    LeftOut,
    read_questions,
)
from veritab.errors import FormatError, NotFound
from veritab.schema import ElementId, Label

K2 = ElementId.parse("K2_sentence_0")


def built(id: str, label: Label | None) -> BuiltRecord:
    origin = ClaimOrigin("peaks.jsonl", "7", "negate", 3)
    return BuiltRecord(id, "K2 is not a mountain.", label, origin, ((K2,),), silver=True, details={"old": "is"})


def test_a_built_record_is_written_as_feverous_with_its_origin() -> None:
    assert built("7-negate", Label.REFUTES).as_dict() == {
        "id": "7-negate",
        "claim": "K2 is not a mountain.",
        "label": "REFUTES",
        "evidence": [{"content": ["K2_sentence_0"], "context": {"K2_sentence_0": ["K2_title"]}}],
        "challenge": "",
        "origin": {"source": "peaks.jsonl", "record": "7", "rule": "negate", "seed": 3, "old": "is"},
        "silver": True,
    }


def test_a_file_of_built_records_is_a_data_set_where_unknown_is_no_label(tmp_path: Path) -> None:
    file = tmp_path / "built.jsonl"
    records = [built("1", Label.REFUTES), built("2", None)]
    file.write_text("".join(json.dumps(each.as_dict()) + "\n" for each in records))
    read = list(datasets.load(file))
    assert [(each.claim.id, each.label) for each in read] == [("1", Label.REFUTES), ("2", None)]
    assert all(each.evidence == (frozenset({K2}),) and each.silver for each in read)
    assert [each.as_example() for each in records] == read


def test_a_built_record_without_an_address_is_read_with_what_it_quotes(tmp_path: Path) -> None:
    file = tmp_path / "built.jsonl"
    quotes = (datasets.GoldText("K2", "Height", "K2 is high."), datasets.GoldText("", "", "It is very high."))
    quoted = BuiltRecord("1", "K2 is low.", Label.REFUTES, ClaimOrigin("x", "1", "value", 0), quotes=quotes)
    file.write_text(json.dumps(quoted.as_dict()) + "\n")
    (example,) = datasets.load(file)
    assert (example.label, example.evidence) == (Label.REFUTES, ())
    assert datasets.gold_texts(example) == quotes


def test_claims_are_read_from_records_and_bad_lines_are_told_in_their_place(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    long = "x" * 3000
    file.write_text(
        f'{{"id": 4, "claim": "K2 is high.", "label": "SUPPORTS"}}\n{{"id": 5}}\n{{\n{{"id": 6, "claim": "{long}"}}\n'
    )
    first, *bad = ClaimSource(file)
    assert isinstance(first, GivenClaim)
    assert (first.where, first.example.claim.id, first.example.label) == ("line 1", "4", Label.SUPPORTS)
    assert [each.where for each in bad] == ["line 2", "line 3", "line 4"]
    assert [type(each) for each in bad] == [LeftOut] * 3
    assert "3,000 characters" in str(bad[-1])


def test_claims_are_read_from_plain_lines(tmp_path: Path) -> None:
    file = tmp_path / "claims.txt"
    file.write_bytes(b"K2 is high.\n\n42\nPeru is in Asia.\n" + b"\xff\xfe bad\n")
    read = list(ClaimSource(file))
    assert [each.example.claim.text for each in read if isinstance(each, GivenClaim)] == [
        "K2 is high.",
        "Peru is in Asia.",
    ]
    assert [str(each) for each in read if isinstance(each, LeftOut)] == [
        "line 3 (3): '42' is not a claim; expected a sentence",
        "line 5: it is not UTF-8; save the file in that encoding",
    ]


def test_a_second_claim_of_one_id_and_a_question_are_told_in_their_place(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    claims = {"K2 is high.": 1, "K2 is low.": 1, "Is K2 a mountain?": 2, "Sail away with Who Are You?": 3}
    file.write_text("".join(json.dumps({"id": id, "claim": text}) + "\n" for text, id in claims.items()))
    read = list(ClaimSource(file))
    assert [each.where for each in read if isinstance(each, GivenClaim)] == ["line 1", "line 4"]
    assert [str(each) for each in read if isinstance(each, LeftOut)] == [
        "line 2 (1): an earlier claim has this id; give each its own",
        "line 3 (2): it asks and claims nothing; `veritab build questions` makes it a claim",
    ]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nowhere\.jsonl"):
        ClaimSource(tmp_path / "nowhere.jsonl")
    with pytest.raises(NotFound, match=r"nowhere\.jsonl"):
        list(read_questions(tmp_path / "nowhere.jsonl"))


def test_questions_are_read_with_one_answer_several_or_none(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(
        '{"id": "a", "question": "how high is k2", "answer": "8,611 m"}\n'
        '{"question": "who climbed k2", "answer": ["Lacedelli", "Compagnoni", "Lacedelli"]}\n'
        '{"id": 3, "question": "why"}\n'
    )
    read = list(read_questions(file))
    assert all(isinstance(each, AnsweredQuestion) for each in read)
    assert [each[1:4] for each in read] == [
        ("a", "how high is k2", ("8,611 m",)),
        ("1", "who climbed k2", ("Lacedelli", "Compagnoni")),
        ("3", "why", ()),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": 1}', "no question, only id"),
        ('{"id": 1, "question": " "}', "no question, only id, question"),
        ('{"id": 1, "question": "why", "answer": {"a": 1}}', "the answer is {'a': 1}"),
        ('{"id": 1, "question": "why", "answer": [3]}', "the answer is [3]"),
    ],
)
def test_what_is_wrong_with_a_question_is_told_by_line(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "who", "answer": "me"}\n' + line + "\n")
    left = list(read_questions(file))[1]
    assert isinstance(left, LeftOut)
    assert str(left).startswith(f"line 2 (1): {reason}")


@pytest.mark.parametrize("text", ["", " \n\n", "\xff\n"])
def test_a_file_without_a_claim_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "claims.txt"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(FormatError, match=r"claims.txt' holds no claim; expected one a line"):
        list(ClaimSource(file))


def test_a_file_without_a_question_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    file.write_text("\n")
    with pytest.raises(FormatError, match="holds no question"):
        list(read_questions(file))


def test_a_file_of_something_else_is_refused_after_its_lines_were_told(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text('{"id": 1, "claim": "K2 is high."}\nnonsense\n')
    questions = read_questions(file)
    assert [str(next(questions)).partition(":")[0] for _ in range(2)] == ["line 1 (1)", "line 2"]
    with pytest.raises(FormatError, match="holds no question"):
        next(questions)
