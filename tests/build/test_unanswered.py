"""Questions that a corpus does not answer: what is looked for, where, and what becomes of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.build.pages import CORPUS
from tests.commands import veritab
from veritab.build.records import AnsweredQuestion, Built, BuiltRecord, LeftOut
from veritab.build.unanswered import FOR_THIS_CORPUS, find_answers, keep_unsettled_by_corpus, unanswered, wordings
from veritab.corpus.store import Store, pack_page
from veritab.schema import Claim, Hit, Label, Link, Page, Redirect, Sentence, Verdict

pytest.importorskip("lemminflect", reason="needs the extra build")
N = Label.NOT_ENOUGH_INFO


def asked(id: str, question: str, *answers: str, **record: str) -> AnsweredQuestion:
    return AnsweredQuestion(f"line {id}", id, question, answers, record)


def built(*questions: AnsweredQuestion | LeftOut, near: Sequence[str] | None = None) -> list[Built]:
    retriever = None if near is None else Finds(near)
    return list(unanswered(questions, CORPUS, "test", corpus_name="handmade", retriever=retriever))


class Finds:
    """A retriever that finds the same elements for every question."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._hits = [Hit(CORPUS.element(id), 0.5, "texts") for id in ids]

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        return [self._hits[:k] for _ in claims]


def reason(made: Built) -> str:
    assert isinstance(made, LeftOut)
    return made.reason


# -- what is looked for --


@pytest.mark.parametrize(
    ("answer", "as_written"),
    [
        ("the Arab World", "arab world"),
        ("May 9, 1931", "9 may 1931"),
        ("9 May 1931", "may 9 1931"),
        ("9 May 1931", "1931 05 09"),
        ("May 1931", "may 1931"),
        ("six", "6"),
        ("6", "six"),
        ("1200", "1 200"),
        ("Mercury (planet)", "mercury"),
        ("Georges Auguste Escoffier", "auguste escoffier"),
        ("Colin Arthur O'Donoghue", "colin o donoghue"),
        ("the physician George Huntington", "george huntington"),
        ("Beyoncé", "beyonce"),
    ],
)
def test_an_answer_is_looked_for_in_the_wordings_known_of_it(answer: str, as_written: str) -> None:
    assert tuple(as_written.split()) in wordings(answer)


@pytest.mark.parametrize(
    ("answer", "not_so"),
    [("University of Oxford", "of oxford"), ("May 9, 1931", "may 9"), ("6 miles", "six"), ("sixth", "6")],
)
def test_no_part_of_an_answer_stands_for_the_whole(answer: str, not_so: str) -> None:
    assert tuple(not_so.split()) not in wordings(answer)


# -- where --


def test_answers_are_found_in_texts_titles_cells_and_items() -> None:
    answers = {"the Arab World", "Danube", "Herman Melville", "delta begins north", "north begins"}
    assert find_answers(CORPUS, answers) == {"the Arab World", "Danube", "delta begins north"}
    cells = {cell.text for page in CORPUS.pages() for table in page.tables for row in table.rows for cell in row}
    assert find_answers(CORPUS, cells - {""}) == cells - {""}


def test_answers_are_found_through_redirects_and_links(tmp_path: Path) -> None:
    text = "It lies on the river."
    page = Page("Cairo", (Sentence(0, text, (Link(11, 20, "Nile River"),)),))
    with Store.create(tmp_path) as store:
        source = store.source_id("test", "test")
        with store.transaction():
            store.add(source, pack_page(page), b"1", 0)
            store.add_redirect(source, Redirect("Al-Qahirah", "Cairo"), b"2")
            store.add_redirect(source, Redirect("Iteru", "the river"), b"3")
            store.add_redirect(source, Redirect("Kemet", "Egypt"), b"4")
        found = find_answers(store, {"al-Qahirah", "Nile River", "Iteru", "Kemet", "Moby Dick"})
    assert found == {"al-Qahirah", "Nile River", "Iteru"}


# -- claims --


def test_a_second_question_of_one_id_is_left_out() -> None:
    *_, second = built(asked("a", "who built it", "Ann Lee"), asked("a", "who led it", "Bo Ek"))
    assert isinstance(second, LeftOut)
    assert second.reason == "an earlier question has this id; give each its own"


def test_questions_that_the_corpus_does_not_answer_become_claims_for_this_corpus() -> None:
    made, given = built(
        asked("1", "who wrote moby dick", "Herman Melville"),
        asked("2", "who wrote emma", "Jane Austen", claim="Emma is by Jane Austen."),
    )
    assert isinstance(made, BuiltRecord)
    assert (made.claim.lower(), made.label, made.evidence) == ("herman melville wrote moby dick.", N, ())
    assert (made.origin.record, made.origin.rule, made.silver) == ("1", "absent", False)
    assert (made.details["scope"], made.details["corpus"]) == (FOR_THIS_CORPUS, "handmade")
    assert (made.details["question"], made.details["answer"]) == ("who wrote moby dick", "Herman Melville")
    assert isinstance(given, BuiltRecord)
    assert given.claim == "Emma is by Jane Austen."


def test_what_is_left_out_keeps_its_place_and_says_why() -> None:
    broken = LeftOut("line 9", "", "it is no JSON")
    made = built(
        asked("1", "which world is cairo in", "the Arab World"),
        asked("2", "who wrote it"),
        asked("3", "is cairo old", "Yes"),
        asked("4", "who wrote emma", "Jane Austen"),
        asked("5", "who wrote jane eyre by bronte", "Jane Bronte"),
        broken,
        asked("6", "who wrote this? who wrote that?", "Jane Austen"),
    )
    assert [reason(each) if isinstance(each, LeftOut) else each.origin.record for each in made] == [
        "the corpus holds its answer 'the Arab World'",
        "it has no answer, so that nothing can be looked for",
        "its answer 'Yes' cannot be looked for",
        "4",
        "its answer 'Jane Bronte' is in the question already",
        "it is no JSON",
        "no claim could be made of it: two questions in one; ask each on a line of its own",
    ]


def test_every_answer_must_be_absent() -> None:
    (made,) = built(asked("1", "who wrote it", "Jane Austen", "the Danube"))
    assert reason(made) == "the corpus holds its answer 'the Danube'"


def test_the_nearest_texts_are_silver_evidence_where_they_are_about_the_question() -> None:
    near = ["Nile_sentence_2", "Danube_sentence_0", "Nile_sentence_0"]
    (made,) = built(asked("1", "which explorer mapped the nile", "John Speke"), near=near)
    assert isinstance(made, BuiltRecord)
    assert [[str(id) for id in gold] for gold in made.evidence] == [["Nile_sentence_2", "Nile_sentence_0"]]
    assert made.silver


def test_a_near_text_that_says_a_part_of_the_answer_may_hold_it() -> None:
    (made,) = built(asked("1", "who lives on the nile", "an African crocodile"), near=["Nile_sentence_0"])
    assert isinstance(made, BuiltRecord)  # "African" is another word than "Africa"
    (made,) = built(asked("1", "who lives on the nile", "crocodiles of Africa"), near=["Nile_sentence_0"])
    assert reason(made) == "'Nile_sentence_0', near the question, says 'africa' of its answer"


def test_a_near_text_that_says_nearly_all_of_the_question_may_answer_it_otherwise() -> None:
    (made,) = built(asked("1", "where does the delta of the nile begin", "Rosetta"), near=["Nile_sentence_1"])
    assert reason(made) == "'Nile_sentence_1' may answer it otherwise"


class Says:
    """A checker that gives one label."""

    def __init__(self, label: Label) -> None:
        self._label = label

    def check_many(self, claims: Iterable[str | Claim]) -> Iterator[Verdict]:
        for claim in claims:
            assert isinstance(claim, Claim)
            yield Verdict(claim, self._label, {self._label: 1.0})


def test_what_the_checker_settles_by_the_corpus_is_left_out() -> None:
    made = built(asked("1", "who wrote emma", "Jane Austen"), LeftOut("line 2", "", "broken"))
    kept, broken = keep_unsettled_by_corpus(made, Says(N))
    assert isinstance(kept, BuiltRecord)
    assert (kept.details["checked"], kept.details["score"]) == ("NOT ENOUGH INFO", 1.0)
    assert reason(broken) == "broken"
    left, _ = keep_unsettled_by_corpus(made, Says(Label.REFUTES))
    assert reason(left) == "the checker settles it by the corpus (REFUTES)"


def test_the_same_questions_give_the_same_records_however_many_come_with_them() -> None:
    alone = built(asked("1", "who wrote emma", "Jane Austen"))
    many = built(
        *(asked(str(number), f"who wrote book {number}", f"Author Number{number}") for number in range(2, 90)),
        asked("1", "who wrote emma", "Jane Austen"),
    )
    assert len(many) == 89
    assert many[-1:] == alone


# -- the command --


def test_the_command_makes_claims_of_questions(tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        '{"id": "q1", "question": "who wrote moby dick", "answer": ["Herman Melville"]}\n'
        '{"id": "q2", "question": "what is the highest mountain", "answer": "Mount Everest"}\n'
    )
    done = veritab("build", "nei", questions, "--questions")
    (made,) = done.lines
    assert made["claim"].lower() == "herman melville wrote moby dick."
    assert (made["origin"]["scope"], made["origin"]["corpus"]) == (FOR_THIS_CORPUS, "almanac")
    assert "line 2 (q2): the corpus holds its answer 'Mount Everest'" in done.err
    wrong = veritab("build", "nei", questions, "--questions", "--ways", "nearest")
    assert wrong.code == 2
    assert "--ways and --every-way are for claims" in wrong.err
