"""Claims of ambiguous questions: matching pairs true, crossed pairs false, and nothing dropped in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.retrieve.corpora import indexed
from veritab.build.ambiguous import AmbiguousBuilder, ClaimsOfQuestion, told_by_claims
from veritab.build.ambiguous_questions import (
    ReadingOfQuestion,
    asked_for,
    distinct_readings,
    read_ambiguous,
    why_not_crossed,
)
from veritab.build.records import BuiltRecord, ClaimOrigin, LeftOut
from veritab.errors import FormatError, NotFound
from veritab.processes import WorkerProcesses
from veritab.schema import Label, Page, Sentence

Pair = tuple[str, list[str]]


def record(*pairs: Pair, id: str = "q") -> dict[str, Any]:
    return {"id": id, "disambiguations": [{"question": question, "answers": answers} for question, answers in pairs]}


def build(
    path: Path, *records: object, corpus: Path | None = None, **options: Any
) -> tuple[list[BuiltRecord], list[LeftOut]]:
    file = path / "questions.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in records))
    with AmbiguousBuilder("questions.jsonl", corpus, **{"least": 0.0, **options}) as builder:
        made = list(builder.build(read_ambiguous(file)))
    return [each for each in made if isinstance(each, BuiltRecord)], [
        each for each in made if isinstance(each, LeftOut)
    ]


MASTERS = record(
    ("who won the masters in 2014?", ["Bubba Watson"]),
    ("who won the masters in 2015?", ["Jordan Spieth"]),
    id="masters",
)


def test_two_answered_readings_make_two_true_and_two_false_claims(tmp_path: Path) -> None:
    made, left = build(tmp_path, MASTERS)
    assert not left
    assert [(each.id, each.claim, each.label) for each in made] == [
        ("masters-matching-0", "Bubba Watson won the masters in 2014.", Label.SUPPORTS),
        ("masters-matching-1", "Jordan Spieth won the masters in 2015.", Label.SUPPORTS),
        ("masters-crossed-0", "Jordan Spieth won the masters in 2014.", Label.REFUTES),
        ("masters-crossed-1", "Bubba Watson won the masters in 2015.", Label.REFUTES),
    ]
    assert {each.origin.record for each in made} == {"masters"}


def test_with_one_answered_reading_another_is_asked_with_its_answer(tmp_path: Path) -> None:
    made, _ = build(
        tmp_path, record(("who won the masters in 2014?", ["Bubba Watson"]), ("who won the masters in 2015?", []))
    )
    assert [(each.id, each.claim, each.label) for each in made] == [
        ("q-matching-0", "Bubba Watson won the masters in 2014.", Label.SUPPORTS),
        ("q-crossed-1", "Bubba Watson won the masters in 2015.", Label.REFUTES),
    ]


def test_two_answers_are_drawn_of_many_and_the_seed_says_which(tmp_path: Path) -> None:
    many = record(*((f"who won the masters in {year}?", [f"Winner {year}"]) for year in range(1990, 2000)))
    drawn = {tuple(each.claim for each in build(tmp_path, many, seed=seed)[0]) for seed in range(6)}
    assert all(len(claims) == 4 for claims in drawn)
    assert len(drawn) > 1


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (record(("who won in 2014?", []), ("who won in 2015?", [])), "no reading has an answer"),
        (record(("who won in 2014?", ["Ann"])), "only one reading"),
        (record(("who won in 2014?", ["Ann"]), ("Who won in 2014", [])), "only one reading"),
        (record(("who won in 2014?", ["Ann"]), ("in 2014 who was it that won?", [])), "ask the same in other words"),
        (
            record(("when did it end?", ["1999"]), ("who was it that ended it?", [])),
            "asks for a person and another for a time",
        ),
        (record(("who won in 2014?", ["Ann"]), ("who beat Ann in 2014?", [])), "holds the answer already"),
        (record(("who won in 2014?", ["Ann"]), ("who won in 2015?", ["ann."])), "only one reading"),
        (record(("谁赢了?", ["Ann"]), ("who won in 2015?", [])), "no true claim: the question is not written in Latin"),
        (record(("who won in 2014?", ["Ann"]), ("", [])), "reading 2 has no question"),
        (record(("who won in 2014?", ["?"]), ("who won in 2015?", [])), "no true claim: the answer '?' has neither"),
        (record(("who " + "won " * 5000 + "?", ["Ann"]), ("who won in 2015?", [])), "5,002 words"),
        ({"id": "q", "question": "who won?"}, "no readings, only id, question"),
        ({"id": "q", "disambiguations": [{"question": "who won?", "answers": [3]}]}, "the answer of reading 1 is [3]"),
        ({"id": "q", "disambiguations": "none"}, "no readings"),
        ({"id": "q", "annotations": [{"type": "singleAnswer", "answer": ["Ann"]}]}, "nobody found several readings"),
    ],
)
def test_what_cannot_be_built_is_named_by_its_line(tmp_path: Path, given: object, reason: str) -> None:
    made, left = build(tmp_path, MASTERS | {"id": "first"}, given)
    assert len(made) == 4
    assert [(each.where, each.record, each.rule) for each in left] == [("line 2", "q", "")]
    assert reason in left[0].reason


def test_a_second_question_of_one_id_is_left_out(tmp_path: Path) -> None:
    made, (left,) = build(tmp_path, MASTERS, MASTERS)
    assert len(made) == 4
    assert str(left) == "line 2 (masters): an earlier question has this id; give each its own"


def test_a_line_that_is_no_json_is_named_and_the_others_are_built(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(f"nonsense\n{json.dumps(MASTERS)}\n")
    found = list(read_ambiguous(tmp_path / "q.jsonl"))
    assert isinstance(found[0], LeftOut)
    assert found[0].where == "line 1"
    assert not isinstance(found[1], LeftOut)


def test_a_file_without_questions_or_no_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(FormatError, match="holds no question"):
        list(read_ambiguous(tmp_path / "empty.jsonl"))
    (tmp_path / "plain.jsonl").write_text('{"id": 1, "question": "who won?", "answer": "Ann"}\n')
    with pytest.raises(FormatError, match="holds no question with its readings"):
        list(read_ambiguous(tmp_path / "plain.jsonl"))
    with pytest.raises(NotFound):
        list(read_ambiguous(tmp_path / "gone.jsonl"))


def test_readings_as_ambigqa_was_published_are_read(tmp_path: Path) -> None:
    pairs = [{"question": "who won in 2014?", "answer": ["Ann"]}, {"question": "who won in 2015?", "answer": ["Bob"]}]
    several = {"type": "multipleQAs", "qaPairs": pairs}
    made, _ = build(tmp_path, {"id": 7, "question": "who won?", "annotations": [{"type": "singleAnswer"}, several]})
    assert [each.id for each in made] == ["7-matching-0", "7-matching-1", "7-crossed-0", "7-crossed-1"]


def test_of_two_wordings_in_one_question_the_first_that_can_be_read_is_taken(tmp_path: Path) -> None:
    two = "who won the masters in 2014?|What golfer won the masters in 2014?"
    made, _ = build(tmp_path, record((two, ["Bubba Watson"]), ("who won the masters in 2015?", [])))
    assert made[0].claim == "Bubba Watson won the masters in 2014."


def test_of_several_answers_the_first_is_claimed_and_the_others_are_true_as_well(tmp_path: Path) -> None:
    made, _ = build(
        tmp_path, record(("who wrote it first?", ["Jules Verne", "Verne"]), ("who wrote it last?", ["Verne"]))
    )
    assert made == []
    made, _ = build(tmp_path, record(("who wrote it first?", ["Jules Verne", "Verne"]), ("who wrote it last?", [])))
    assert [each.claim for each in made] == ["Jules Verne wrote it first.", "Jules Verne wrote it last."]


@pytest.mark.parametrize(
    ("answers", "crossed"),
    [
        (("21 December 1908", "1908"), False),
        (("Pierce Brosnan", "Pierce Brendan Brosnan"), False),
        (("the United Kingdom", "UK"), False),
        (("9.5 million", "9,500,000"), False),
        (("Bubba Watson", "Jordan Spieth"), True),
        (("1908", "1928"), True),
    ],
)
def test_readings_whose_answers_may_mean_the_same_are_not_crossed(
    tmp_path: Path, answers: tuple[str, str], crossed: bool
) -> None:
    given = record(("who or what won in 2014?", [answers[0]]), ("who or what won in 2015?", [answers[1]]))
    made, left = build(tmp_path, given)
    assert bool(made) is crossed
    assert crossed or "only one reading with an answer of its own" in left[0].reason


def test_a_third_reading_takes_the_place_of_one_with_the_same_answer(tmp_path: Path) -> None:
    given = record(
        ("who won in 2014?", ["Pierce Brosnan"]),
        ("who won in 2015?", ["Pierce Brendan Brosnan"]),
        ("who won in 2016?", ["Ann Lee"]),
    )
    assert {each.claim for each in build(tmp_path, given)[0] if each.label is Label.REFUTES} == {
        "Ann Lee won in 2014.",
        "Pierce Brosnan won in 2016.",
    }


def test_a_crossed_claim_that_is_the_true_one_is_left_out(tmp_path: Path) -> None:
    same = record(("Italy fell to which fiefs?", ["Burgundy"]), ("Italy fell to which royal?", []))
    made, left = build(tmp_path, same)
    assert made == []
    assert "the claim is the true one word for word" in left[0].reason


@pytest.mark.parametrize(
    ("question", "sort"),
    [
        ("When did it air?", "a time"),
        ("In what year did it air?", "a time"),
        ("On what date is it?", "a time"),
        ("How many are there?", "a number"),
        ("What is the population of Rome?", "a number"),
        ("Where is it?", "a place"),
        ("Who won when it was held in 1999?", "a person"),
        ("Why did it end?", "a reason"),
        ("How did it end?", "a way"),
        ("Which band sang it?", "a thing"),
        ("captain of pakistan in 1983", "a thing"),
    ],
)
def test_what_a_question_asks_for_is_read_from_its_first_question_word(question: str, sort: str) -> None:
    assert asked_for(question) == sort


def test_a_thing_may_be_a_person_or_a_place_but_no_time() -> None:
    band = ReadingOfQuestion(0, "what band sang it in 1979?", ("Queen",))
    assert not why_not_crossed(ReadingOfQuestion(1, "who sang it in 1999?"), band, "Queen")
    assert why_not_crossed(ReadingOfQuestion(1, "when was it sung?"), band, "Queen")


@pytest.mark.parametrize(
    ("answered", "answer", "asked", "reason"),
    [
        (
            "Where did tea first come from?",
            "China",
            "Where does tea come from in the world currently?",
            "rule the answer",
        ),
        ("When did it premiere?", "1999", "When did it premiere in Asia?", "only says more"),
        ("Who led it as of 2016?", "Ann Lee", "Who led it as of 2017?", "at times that may have the same"),
        ("What band sings it?", "Queen", "What artist sings it?", "rule the answer"),
        ("What album is it on?", "Blue", "What chart was it on first?", "another sort of thing"),
        ("Who is the villain played by in Elm?", "Ann Lee", "Which character is the villain in Elm?", "a character"),
        ("When was the set of 2017 out?", "April 6, 2017", "When was the set of 2015 out?", "says a time"),
    ],
)
def test_readings_that_do_not_exclude_one_another_are_not_crossed(
    answered: str, answer: str, asked: str, reason: str
) -> None:
    own = ReadingOfQuestion(0, answered, (answer,))
    assert reason in why_not_crossed(ReadingOfQuestion(1, asked), own, answer)


def test_readings_that_name_other_events_are_crossed() -> None:
    for one, other in (
        ("Who won the masters in 2014?", "Who won the masters in 2015?"),
        ("Who does the Japanese voice of Natsu?", "Who does the English voice of Natsu?"),
        ("Who wrote the music to Elm?", "Who wrote the lyrics to Elm?"),
    ):
        assert not why_not_crossed(ReadingOfQuestion(1, other), ReadingOfQuestion(0, one, ("Ann Lee",)), "Ann Lee")


def test_a_question_whose_readings_are_unsuited_is_named(tmp_path: Path) -> None:
    given = record(("who starred in Elm in 1950?", ["Ann Lee"]), ("who starred in Elm in 1980?", []))
    made, left = build(tmp_path, MASTERS | {"id": "first"}, given)
    assert len(made) == 4
    assert ["several answers" in each.reason for each in left] == [True]


def test_an_answered_reading_that_is_alone_suited_is_named_where_nothing_is_mined(tmp_path: Path) -> None:
    given = record(("who built Elm bridge in 1950?", ["Ann Lee"]), ("who owns Elm bridge now?", []))
    made, left = build(tmp_path, MASTERS | {"id": "first"}, given)
    assert len(made) == 4
    assert "none of its other readings" in left[0].reason


def test_a_reading_that_is_there_twice_counts_once_and_the_answered_one_is_kept() -> None:
    readings = [
        ReadingOfQuestion(0, "Who won?"),
        ReadingOfQuestion(1, "who won", ("Ann",)),
        ReadingOfQuestion(2, "Who lost?"),
    ]
    assert [each.place for each in distinct_readings(readings)] == [1, 2]


# -- with a corpus -----------------------------------------------------------------------------------------

_GOLFERS = ("Bubba Watson", "Jordan Spieth", "Danny Willett", "Sergio Garcia", "Patrick Reed", "Tiger Woods")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages without any link, each with a winner of the same tournament."""
    folder = tmp_path_factory.mktemp("masters") / "corpus"
    pages = [
        Page(
            f"{year} Masters Tournament",
            (
                Sentence(0, f"The {year} Masters Tournament was held at Augusta National Golf Club in {year}."),
                Sentence(1, f"In {year} the Masters was won by {golfer}."),
            ),
        )
        for year, golfer in enumerate(_GOLFERS, 2014)
    ]
    indexed(folder, pages).close()
    return folder


def test_true_claims_have_the_passage_with_the_answer_and_a_hard_negative(tmp_path: Path, corpus: Path) -> None:
    made, _ = build(tmp_path, MASTERS, corpus=corpus)
    true = made[0]
    assert true.silver
    assert [str(id) for id in true.evidence[0]] == [
        "2014 Masters Tournament_sentence_0",
        "2014 Masters Tournament_sentence_1",
    ]
    assert true.details["negative"][0].startswith("201")
    assert not true.details["negative"][0].startswith("2014")
    assert true.as_dict()["silver"]


def test_a_false_claim_has_the_passage_with_the_right_answer(tmp_path: Path, corpus: Path) -> None:
    made, _ = build(tmp_path, MASTERS, corpus=corpus)
    false = [each for each in made if each.label is Label.REFUTES]
    assert all(each.evidence for each in false)
    assert {each.evidence[0][0].page for each in false} <= {"2014 Masters Tournament", "2015 Masters Tournament"}


def test_mined_answers_make_false_claims_of_the_answered_reading(tmp_path: Path, corpus: Path) -> None:
    """Too few claims to measure, so that half of the questions take mined answers."""
    asked = [
        record(
            ("who won the masters in 2014?", ["Bubba Watson"]), ("who lost the masters in 2014?", []), id=str(number)
        )
        for number in range(20)
    ]
    made, _ = build(tmp_path, *asked, corpus=corpus)
    rules = [each.origin.rule for each in made if each.label is Label.REFUTES]
    assert set(rules) == {"crossed", "mined"}
    for each in made:
        if each.origin.rule == "mined":
            assert each.details["answer"] in _GOLFERS[1:]
            assert each.claim == f"{each.details['answer']} won the masters in 2014."
            assert each.silver


def test_same_seed_same_records_by_one_process_or_two(tmp_path: Path, corpus: Path) -> None:
    asked = [
        record((f"who won the masters in {year}?", [golfer]), (f"who lost the masters in {year}?", []), id=f"q{year}")
        for year, golfer in enumerate(_GOLFERS, 2014)
    ]
    one, left = build(tmp_path, *asked, corpus=corpus, seed=5)
    with WorkerProcesses(2) as engine:
        two, left_by_two = build(tmp_path, *asked, corpus=corpus, seed=5, engine=engine)
    assert [each.as_dict() for each in one] == [each.as_dict() for each in two]
    assert left == left_by_two


def test_a_question_that_the_corpus_knows_nothing_of_is_built_without_evidence(tmp_path: Path, corpus: Path) -> None:
    asked = record(("who discovered penicillin?", ["Fleming"]), ("who discovered insulin?", []))
    made, left = build(tmp_path, asked, corpus=corpus)
    assert [(each.origin.rule, each.silver, each.evidence) for each in made] == [
        ("matching", False, ()),
        ("crossed", False, ()),
    ]
    assert [(each.rule, each.reason) for each in left] == [("mined", "nothing in the corpus is about the question")]


# -- mixing ------------------------------------------------------------------------------------------------


def _made(number: int) -> ClaimsOfQuestion:
    """Crossed claims that their words give away, and mined ones that nothing does."""

    def one(rule: str, text: str) -> BuiltRecord:
        label = Label.SUPPORTS if rule == "matching" else Label.REFUTES
        return BuiltRecord(f"{number}-{rule}", text, label, ClaimOrigin("s", str(number), rule, 0))

    return ClaimsOfQuestion(
        str(number),
        (one("matching", f"Alpha{number} was here."),),
        ((one("crossed", f"Never beta{number} otherwise anyhow."),),),
        ((one("mined", f"Gamma{number} was here."),),),
    )


def test_mined_claims_are_mixed_in_until_words_no_longer_tell_the_label() -> None:
    builder = AmbiguousBuilder("s", limit=0.65)
    records = builder._mix([_made(number) for number in range(200)])
    told = list(builder.mixing["told_by_claims"].values())
    assert told[0] > 0.9
    assert told[-1] <= 0.65 < min(told[:-1])
    found = told_by_claims(records)
    assert found is not None
    assert round(found, 4) == told[-1]
    assert builder.mixing["could_be_built"] == {"matching": 200, "crossed": 200, "mined": 200}


def test_mined_claims_are_not_taken_where_crossed_ones_will_do() -> None:
    builder = AmbiguousBuilder("s", limit=1.0)
    records = builder._mix([_made(number) for number in range(50)])
    assert {each.origin.rule for each in records} == {"matching", "crossed"}


def test_false_claims_are_as_many_as_true_ones() -> None:
    made = _made(1)
    assert [each.origin.rule for each in made.chosen(0)] == ["matching", "crossed"]
    assert [each.origin.rule for each in made.chosen(1)] == ["matching", "mined"]
    two = ClaimsOfQuestion("1", made.matching * 2, made.crossed)
    assert len(two.chosen(0)) == 2
