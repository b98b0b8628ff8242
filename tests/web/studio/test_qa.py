"""Where answers differ: side by side, with the difference marked, and decided with a reason."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.web.studio.busy import make_busy
from tests.web.studio.world import World, words_of
from veritab.studio import quality
from veritab.studio.records import AnnotationRecord, DecisionRecord, TaskRecord
from veritab.studio.states import TaskState


@pytest.fixture
def tasks(world: World) -> dict[str, int]:
    return make_busy(world)


def decision_of(world: World, task: int) -> DecisionRecord:
    with world.studio.database.reading() as session:
        return quality.decisions_of(session, session.get_one(TaskRecord, task))[0]


def annotations_of(world: World, task: int) -> list[int]:
    with world.studio.database.reading() as session:
        return list(session.scalars(select(AnnotationRecord.id).where(AnnotationRecord.task_id == task)))


def test_answers_stand_side_by_side_with_what_differs_marked(world: World, tasks: dict[str, int]) -> None:
    page = world.sign_in("wise-owl").see(f"/p/rivers/qa/{tasks['disputed']}")
    answers = page.cssselect(".answer")
    assert [answer.cssselect("h3")[0].text_content().strip() for answer in answers] == ["calm-crane", "swift-seal"]
    assert "label differs" in words_of(page)
    assert "evidence differs" in words_of(page)
    quoted = answers[1].cssselect("blockquote")
    assert "highest mountain on Earth" in quoted[0].text_content()
    assert "not in every answer" in quoted[0].text_content()
    assert "key" not in answers[0].cssselect("blockquote")[0].get("class").split()  # both have this one
    link = answers[0].cssselect(".card-place a")[0].get("href")
    read = world.sign_in("wise-owl").see(link)
    assert read.cssselect(".marked")[0].get("id") == "sentence_0"


def test_cells_are_drawn_in_their_table(world: World) -> None:
    table = next(
        table
        for page in world.checker.store.pages()
        for table in page.tables
        if any(element.kind == "cell" for element in table.elements())
    )
    cell = next(element for element in table.elements() if element.kind == "cell" and element.text)
    manager = world.manager()
    world.member("calm-crane")
    task = world.task()
    world.answer("calm-crane", "SUPPORTS", ((str(cell.id),),))
    page = manager.see(f"/p/rivers/qa/{task}")
    marked = page.cssselect(".answer td.evidence, .answer th.evidence")
    assert cell.text in marked[0].text_content()
    assert len(page.cssselect(".answer table tr")) > 1


def test_a_manager_finds_one_of_the_answers_right(world: World, tasks: dict[str, int]) -> None:
    manager, task = world.sign_in("wise-owl"), tasks["disputed"]
    right = annotations_of(world, task)[1]
    manager.send(f"/p/rivers/qa/{task}/review")
    assert world.task_of(task).state == TaskState.IN_REVIEW
    answer = manager.send(f"/p/rivers/qa/{task}/decide", answer=str(right), reason="It says <second>.")
    assert "The task is settled" in words_of(manager.follow(answer))
    assert world.task_of(task).state == TaskState.SETTLED
    assert decision_of(world, task).annotation_id == right
    annotator = world.sign_in("calm-crane")
    seen = words_of(annotator.see(f"/p/rivers/answers/{task}"))
    assert "It says <second>." in seen
    assert "as Annotator B answered" in seen
    assert "swift-seal" not in seen
    assert "It says <second>." in words_of(annotator.see("/p/rivers/mine"))


def test_a_manager_decides_with_evidence_of_their_own(world: World, tasks: dict[str, int]) -> None:
    manager, task = world.sign_in("wise-owl"), tasks["disputed"]
    sent = {
        "answer": "own",
        "label": "REFUTES",
        "piece:K2_sentence_0": "1",
        "piece:Mount Everest_sentence_0": "",
        "more": "2: Mount Everest_sentence_1\nMount Everest_title",
        "reason": "Both pages say so.",
    }
    manager.send(f"/p/rivers/qa/{task}/decide", **sent)
    decided = decision_of(world, task)
    assert decided.label == "REFUTES"
    assert decided.evidence == {"sets": [["K2_sentence_0", "Mount Everest_title"], ["Mount Everest_sentence_1"]]}
    assert "Both pages say so." in words_of(manager.see(f"/p/rivers/qa/{task}"))


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({"answer": "", "reason": "so"}, 400, "choose the answer that is right"),
        ({"answer": "own", "label": "SUPPORTS", "reason": " "}, 400, "needs a reason"),
        ({"answer": "own", "label": "MAYBE", "reason": "so"}, 400, "is not a verdict"),
        ({"answer": "9999", "reason": "so"}, 404, "has no answer 9999"),
        ({"answer": "own", "label": "SUPPORTS", "reason": "so", "more": "nonsense"}, 400, "is not an element id"),
        (
            {"answer": "own", "label": "SUPPORTS", "reason": "so", "more": "Atlantis_sentence_0"},
            404,
            "the corpus has no",
        ),
        ({"answer": "own", "label": "SUPPORTS", "reason": "so", "more": "9: K2_sentence_0"}, 400, "no evidence set 9"),
    ],
)
def test_a_decision_that_cannot_be_is_refused_and_what_was_written_stays(
    world: World, tasks: dict[str, int], sent: dict[str, str], status: int, words: str
) -> None:
    manager, task = world.sign_in("wise-owl"), tasks["disputed"]
    page = manager.send(f"/p/rivers/qa/{task}/decide", status, **sent)
    assert words in page.text.lower() or words in page.text
    assert f">{sent['reason'].strip()}</textarea>" in page.text
    assert world.task_of(task).state == TaskState.DISPUTED


def test_one_more_person_is_asked_instead(world: World, tasks: dict[str, int]) -> None:
    manager, task = world.sign_in("wise-owl"), tasks["disputed"]
    manager.send(f"/p/rivers/qa/{task}/reopen", reason="A third will tell.")
    assert (world.task_of(task).state, world.task_of(task).wanted) == (TaskState.OPEN, 3)
    manager.send(f"/p/rivers/qa/{task}/reopen", 409)  # sent twice, it is done once
    assert world.task_of(task).wanted == 3


def test_a_decision_sent_twice_is_made_once(world: World, tasks: dict[str, int]) -> None:
    manager, task = world.sign_in("wise-owl"), tasks["disputed"]
    sent = {"answer": str(annotations_of(world, task)[0]), "reason": "so"}
    manager.send(f"/p/rivers/qa/{task}/decide", **sent)
    manager.send(f"/p/rivers/qa/{task}/decide", 409, **sent)
    with world.studio.database.reading() as session:
        assert len(quality.decisions_of(session, session.get_one(TaskRecord, task))) == 1


def test_what_is_settled_is_looked_at_again_with_a_reason(world: World, tasks: dict[str, int]) -> None:
    manager, task = world.sign_in("wise-owl"), tasks["settled"]
    assert "needs a reason" in manager.send(f"/p/rivers/qa/{task}/review", 400, reason="").text
    manager.send(f"/p/rivers/qa/{task}/review", reason="K2 is lower.")
    assert world.task_of(task).state == TaskState.IN_REVIEW


def test_a_reported_claim_is_dealt_with_before_anything_is_decided(world: World, tasks: dict[str, int]) -> None:
    manager, task = world.sign_in("wise-owl"), tasks["reported"]
    page = manager.see(f"/p/rivers/qa/{task}")
    assert "The claim is reported" in words_of(page)
    assert "who is <b>he</b>?" in words_of(page)
    assert not page.xpath("//form[contains(@action, '/decide')]")


def test_what_other_annotators_say_is_read_without_names_once_the_task_is_settled(
    world: World, tasks: dict[str, int]
) -> None:
    manager, task = world.sign_in("wise-owl"), tasks["disputed"]
    manager.send(f"/p/rivers/qa/{task}/comment", text="Look at <page> two.")
    assert "Look at <page> two." in words_of(manager.see(f"/p/rivers/qa/{task}"))
    seen = words_of(world.sign_in("calm-crane").see(f"/p/rivers/answers/{task}"))
    assert "Look at <page> two.wise-owl, manager" in seen
    assert "I am not sure.You" in seen
    other = world.sign_in("swift-seal")
    assert "I am not sure." not in words_of(other.see(f"/p/rivers/answers/{task}"))
    manager.send(f"/p/rivers/qa/{task}/decide", answer="own", label="REFUTES", reason="so")
    assert "I am not sure.Another annotator" in words_of(other.see(f"/p/rivers/answers/{task}"))


def test_evidence_that_has_vanished_from_the_corpus_is_named(world: World) -> None:
    manager = world.manager()
    world.member("calm-crane")
    task = world.task()
    world.answer("calm-crane", "SUPPORTS", (("Atlantis_sentence_0", "K2_sentence_0"),))
    assert "Atlantis_sentence_0 is no longer in the corpus" in words_of(manager.see(f"/p/rivers/qa/{task}"))


def test_what_waits_for_a_decision_is_in_one_list(world: World, tasks: dict[str, int]) -> None:
    page = world.sign_in("wise-owl").see("/p/rivers/manage/qa")
    links = [link.get("href") for link in page.cssselect(".work-text a")]
    assert links == [f"/p/rivers/qa/{tasks[name]}" for name in ("disputed", "flagged", "reported")]
    assert [chip.text_content() for chip in page.cssselect(".chip")][:2] == ["Supported", "Refuted"]
