"""What is asked and sent around the screens for writing claims, without a browser."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import html

from tests.web.studio.world import Person, World, words_of
from veritab.studio.projects import Workflow, find_project
from veritab.studio.records import AssignmentRecord, HighlightRecord, TaskRecord
from veritab.studio.tasks import draw_writing_tasks

JSON = {"Accept": "application/json"}
NAME = "quiet-fox"


def begin(world: World, workflow: Workflow = Workflow.FEVER) -> tuple[Person, str]:
    """Somebody with a writing task, and its address."""
    world.project(workflow.value, workflow)
    person = world.member(NAME, workflow.value)
    with world.writing() as session:
        project = find_project(session, workflow.value)
        draw_writing_tasks(session, project, world.checker.store.pages(), count=1, now=world.now)
        assignment = world.take(session, NAME, workflow.value)
        return person, f"/p/{workflow.value}/task/{assignment.id}"


def ask(person: Person, address: str, fields: dict[str, str], status: int = 200) -> dict[str, Any]:
    answer = person.client.post(f"{address}/advice", json={"fields": fields}, headers=JSON)
    assert answer.status_code == status, answer.text
    said: dict[str, Any] = answer.json()
    return said


def send_event(person: Person, address: str, *values: str) -> int:
    """Writes fields of the draft; how many events there are then."""
    events = [{"operation": "Write", "value": value, "key": f"k{number}"} for number, value in enumerate(values)]
    answer = person.client.post(
        f"{address}/events",
        json={"seen": 0, "events": events},
        headers={**JSON, "X-Form-Token": person.form_token},
    )
    assert answer.status_code == 200, answer.text
    count: int = answer.json()["count"]
    return count


# -- advice ------------------------------------------------------------------------------------------------


def test_advice_keeps_nothing(world: World) -> None:
    person, address = begin(world)
    said = ask(person, address, {"claim-1": "It is", "claim-9": "It is", "verdict": "It is"})
    assert list(said["advice"]) == ["claim-1"]
    assert world.find(AssignmentRecord, int(address.rpartition("/")[2])).events == 1  # its start


def test_advice_is_for_whoever_has_the_task(world: World) -> None:
    _, address = begin(world)
    other = world.member("loud-owl", "fever")
    ask(other, address, {"claim-1": "It is"}, 404)
    ask(world.stranger(), address, {"claim-1": "It is"}, 401)
    ask(world.sign_in("far-cat"), address, {"claim-1": "It is"}, 404)


def test_advice_on_a_verdict_is_refused(world: World) -> None:
    world.task()
    person = world.member(NAME)
    with world.writing() as session:
        address = f"/p/rivers/task/{world.take(session, NAME).id}"
    said = ask(person, address, {"claim-1": "It is"}, 400)
    assert "advice is for claims that are written" in str(said["detail"])


@pytest.mark.parametrize(
    "body",
    [
        b'{"fields": {"claim-1": "\\ud800 is"}}',
        b'{"fields": {"claim-1": 1}}',
        b'{"fields": ["claim-1"]}',
        b'{"fields": {}, "more": 1}',
        b"{}",
        b"[",
        b'{"fields": {"claim-1": "' + b"a" * 10_001 + b'"}}',
    ],
)
def test_what_is_no_draft_is_refused_in_words(world: World, body: bytes) -> None:
    person, address = begin(world)
    answer = person.client.post(f"{address}/advice", content=body, headers={**JSON, "Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert answer.json()["detail"]


def test_a_claim_of_a_megabyte_is_refused(world: World) -> None:
    person, address = begin(world)
    body = b'{"fields": {"claim-1": "' + b"a" * (1 << 20) + b'"}}'
    answer = person.client.post(f"{address}/advice", content=body, headers={**JSON, "Content-Type": "application/json"})
    assert answer.status_code in (400, 413)


def test_a_claim_that_is_too_long_is_told_so(world: World) -> None:
    person, address = begin(world)
    said = ask(person, address, {"claim-1": "a" * 5000})
    assert [one["code"] for one in said["advice"]["claim-1"]] == ["too-long"]


# -- the screens -------------------------------------------------------------------------------------------


def test_a_draft_stands_in_the_page_before_any_script_runs(world: World) -> None:
    person, address = begin(world)
    send_event(person, address, "claim-1=The Nile is long.", "claim-3=<b>The</b> Nile is a river.")
    page = person.see(address)
    boxes = {box.name: box for box in page.cssselect("textarea[data-field]")}
    assert boxes["claim-3"].value == "<b>The</b> Nile is a river."
    shown = [box.name for box in boxes.values() if "hidden" not in box.getparent().getparent().attrib]
    assert shown == ["claim-1", "claim-2", "claim-3"]


def test_a_highlight_that_is_gone_can_still_be_skipped(world: World) -> None:
    for workflow in (Workflow.FEVER, Workflow.FEVEROUS):
        person, address = begin(world, workflow)
        with world.writing() as session:
            task = session.get_one(
                TaskRecord, session.get_one(AssignmentRecord, int(address.rpartition("/")[2])).task_id
            )
            highlight = session.get_one(HighlightRecord, task.highlight_id)
            highlight.page, highlight.elements = "Atlantis", {"ids": ["Atlantis_sentence_0"]}
        assert "Atlantis: the corpus does not have this page as it was drawn." in words_of(person.see(address))
        person.send(f"{address}/skip", reason="not for me")


def test_a_sentence_is_not_skipped_for_the_reasons_of_claims(world: World) -> None:
    person, address = begin(world)
    answer = person.send(f"{address}/skip", 400, reason="typo")
    expected = "expected one of formatting, nothing verifiable, disputed, not for me"
    assert expected in words_of(html.document_fromstring(answer.text))


def test_a_copied_sentence_is_refused_whoever_sends_it(world: World) -> None:
    person, address = begin(world)
    sentence = person.see(address).cssselect(".source-sentence")[0].text_content().strip()
    seen = send_event(person, address, f"claim-1={sentence}", "claim-2=Something else is so.")
    answer = person.client.post(
        f"{address}/submit", json={"seen": seen}, headers={**JSON, "X-Form-Token": person.form_token}
    )
    assert answer.status_code == 400
    assert "word for word" in answer.json()["detail"]


def test_what_was_written_is_read_afterwards_in_the_order_of_the_screen(world: World) -> None:
    person, address = begin(world, Workflow.FEVEROUS)
    values = [f"challenge-{number}=Other" for number in (3, 1, 2)] + [
        f"claim-{number}=The river Nile is {number} metres long." for number in (2, 1, 3)
    ]
    seen = send_event(person, address, *values)
    answer = person.client.post(
        f"{address}/submit", json={"seen": seen}, headers={**JSON, "X-Form-Token": person.form_token}
    )
    assert answer.status_code == 200, answer.text
    page = person.see(address)
    assert [each.text_content() for each in page.cssselect(".answer-shown dt")] == [
        "Claim 1",
        "Expected challenge",
        "Claim 2",
        "Expected challenge",
        "Claim 3",
        "Expected challenge",
    ]
    assert "No evidence" not in words_of(page)
