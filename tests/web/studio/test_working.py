"""The working screen, its log and its ends, asked as a browser asks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from httpx2 import Response
from lxml import html
from sqlalchemy import func, select

from tests.web.hostile import SCRIPT
from tests.web.studio.world import Person, World, words_of
from veritab.schema import Label
from veritab.studio.log import fold
from veritab.studio.projects import Workflow
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    CommentRecord,
    EventRecord,
    HighlightRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.vocabulary import Pool, TaskKind
from veritab.web.studio.sessions import LOGIN

SUMMIT = "Mount Everest_sentence_0"
GOLD = {"label": "SUPPORTS", "evidence": [[SUMMIT]], "challenge": "Other"}


def take(person: Person, project: str = "rivers", pool: str = "") -> str:
    """The address of the task that somebody is given."""
    return str(person.send(f"/p/{project}/next", pool=pool).headers["location"])


def tell(person: Person, path: str, body: Any, status: int = 200, token: str | None = None) -> Any:
    """What a script sends, and what it hears."""
    headers = {"Accept": "application/json", "X-Form-Token": person.form_token if token is None else token}
    answer: Response = person.client.post(path, json=body, headers=headers)
    assert answer.status_code == status, (answer.status_code, answer.text[:800])
    return answer.json()


def event(operation: str, value: str = "", key: str = "", seconds: float = 1.0) -> dict[str, Any]:
    return {"operation": operation, "value": value, "seconds": seconds, "key": key or f"{operation}-{value}"}


ANSWER = [
    event("Highlighting", SUMMIT),
    event("Write", "verdict=SUPPORTS"),
    event("Write", "challenge=Other"),
]


def opened(page: html.HtmlElement) -> dict[str, Any]:
    """The log that a working screen begins with."""
    found: dict[str, Any] = json.loads(page.cssselect("#opened")[0].text)
    return found


@pytest.fixture
def fox(world: World) -> Person:
    world.task()
    return world.member("quiet-fox")


# -- the screen --------------------------------------------------------------------------------------------


def test_the_screen_shows_the_claim_the_verdicts_the_challenges_and_the_guidelines(fox: Person) -> None:
    page = fox.see(take(fox))
    assert page.cssselect(".claim-text")[0].text_content() == "Claim: Mount Everest is taller than K2."
    assert [each.get("value") for each in page.cssselect("[name=verdict]")] == [label.value for label in Label]
    assert len(page.cssselect("[name=challenge]")) == 6
    assert page.cssselect("[data-work]")[0].get("data-advised") == "600"
    assert page.cssselect("[data-limit]")
    assert "evidence" in page.cssselect("#guidelines .prose")[0].text_content()
    assert [each.get("value") for each in page.cssselect("#report [name=reason]")] == [
        "unverifiable", "against guidelines", "language", "evidence not shown", "note",
    ]  # fmt: skip


def test_a_claim_with_script_in_it_is_text(world: World) -> None:
    world.task(f"The {SCRIPT} is </script> tall.")
    person = world.member("quiet-fox")
    page = person.see(take(person))
    assert SCRIPT in page.cssselect(".claim-text")[0].text_content()
    assert not [each for each in page.cssselect("script") if "harmed" in (each.text or "") and each.get("type") is None]
    assert opened(page)["count"] == 1


def test_the_address_names_the_page_and_otherwise_it_is_where_somebody_was(fox: Person) -> None:
    address = take(fox)
    assert fox.see(address).cssselect("[data-place]")[0].get("data-place") == "?search="
    assert fox.see(f"{address}?title=K2").cssselect("article")[0].get("data-place") == "K2"
    assert fox.see(f"{address}?q=highest+mountain").cssselect(".found li")
    tell(fox, f"{address}/events", {"seen": 0, "events": [event("Now on", "K2")]})
    assert fox.see(address).cssselect("article")[0].get("data-place") == "K2"
    tell(fox, f"{address}/events", {"seen": 0, "events": [event("Now on", "?search=lake")]})
    assert fox.see(address).cssselect("[data-place]")[0].get("data-place") == "?search=lake"


def test_a_page_that_is_not_there_is_searched_for(fox: Person) -> None:
    page = fox.see(f"{take(fox)}?title=No+such+mountain")
    assert page.cssselect("[data-place]")[0].get("data-place") == "?search=No such mountain"


def test_somebody_elses_assignment_and_another_projects_are_not_there(world: World, fox: Person) -> None:
    address = take(fox)
    other = world.member("other-owl")
    world.project("lakes")
    world.member("quiet-bee", "lakes")
    for path in (address, f"{address}/events", f"{address}/suggestion"):
        other.get(path, 404)
    tell(other, f"{address}/events", {"seen": 0, "events": ANSWER}, 404)
    tell(other, f"{address}/submit", {"seen": 1}, 404)
    for path in ("skip", "report", "comment", "revise"):
        other.send(f"{address}/{path}", 404, reason="language", text="x")
    fox.get(address.replace("rivers", "lakes"), 404)
    fox.get("/p/rivers/task/99999999999999999999", 404)


# -- the log -----------------------------------------------------------------------------------------------


def test_events_are_kept_once_and_the_answer_says_what_the_page_has_not_seen(world: World, fox: Person) -> None:
    address = take(fox)
    first = tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER})
    assert [each[0] for each in first["events"]] == ["Highlighting", "Write", "Write"]
    assert (first["since"], first["count"], first["faults"]) == (1, 4, [])
    piece = first["pieces"][SUMMIT]
    assert piece["text"].startswith("Mount Everest is the highest mountain")
    assert (piece["place"], piece["context"]) == ("Mount Everest", ["Mount Everest_title"])
    again = tell(fox, f"{address}/events", {"seen": 4, "events": ANSWER})
    assert (again["count"], again["events"], again["pieces"]) == (4, [], {})
    with world.studio.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(EventRecord)) == 4


def test_a_cell_comes_with_its_headers(fox: Person) -> None:
    cell = "Eight-thousander_cell_2_1_2"
    told = tell(fox, f"{take(fox)}/events", {"seen": 1, "events": [event("Highlighting", cell)]})
    piece = told["pieces"][cell]
    near = [each.removeprefix("Eight-thousander_") for each in piece["context"]]
    assert near == ["title", "section_1", "table_caption_2", "header_cell_2_1_0", "header_cell_2_0_2"]
    assert piece["place"] == "Eight-thousander › Winter ascents › First winter ascents · 1980s · Date"
    assert piece["href"] == "?title=Eight-thousander#cell_2_1_2"


def test_a_screen_that_is_opened_again_has_the_whole_log(fox: Person) -> None:
    address = take(fox)
    tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER})
    log = opened(fox.see(address))
    assert (log["since"], log["count"], list(log["pieces"])) == (0, 4, [SUMMIT])
    assert log["form_token"] == fox.form_token


@pytest.mark.parametrize(
    "sent",
    [
        {"seen": 1, "events": [event("Highlighting", "nothing")]},
        {"seen": 1, "events": [event("start", "start")]},
        {"seen": 1, "events": [event("Evidence added", SUMMIT)]},
        {"seen": 1, "events": [event("Write", "no sign")]},
        {"seen": 1, "events": [event("Steal", "all")]},
        {"seen": 1, "events": [{**event("Undo"), "seconds": -1}]},
        {"seen": 1, "events": [{**event("Undo"), "key": ""}]},
        {"seen": -1, "events": []},
        {"seen": 1, "events": [event("Undo", key=str(number)) for number in range(1001)]},
        {"seen": 1, "events": [*ANSWER, event("Evidence set", "0")]},
        {"events": []},
        [],
    ],
)
def test_what_cannot_be_kept_is_refused_with_all_that_came_with_it(world: World, fox: Person, sent: Any) -> None:
    told = tell(fox, f"{take(fox)}/events", sent, 400)
    assert told["detail"]
    with world.studio.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(EventRecord)) == 1


def test_nothing_is_kept_without_the_form_token_or_a_login(world: World, fox: Person) -> None:
    address = take(fox)
    for token in ("", "x" * 43, world.member("other-owl").form_token):
        tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER}, 403, token)
    fox.keep(LOGIN, "of-a-session-that-is-over")
    tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER}, 401)
    with world.studio.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(EventRecord)) == 1


def test_a_task_that_went_to_somebody_else_takes_nothing_more(world: World, fox: Person) -> None:
    address = take(fox)
    other = world.member("other-owl")
    world.now += 3 * 3600
    from veritab.studio.tasks import release_expired

    with world.writing() as session:
        release_expired(session, now=world.now)
    take(other)
    told = tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER}, 409)
    assert "somebody else" in told["detail"]


def test_after_ten_minutes_only_not_enough_information_is_left(world: World, fox: Person) -> None:
    address = take(fox)
    world.now += 601
    told = tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER})
    assert [fault["code"] for fault in told["faults"]] == ["time-over"]
    told = tell(fox, f"{address}/events", {"seen": 4, "events": [event("Write", "verdict=NOT ENOUGH INFO")]})
    assert told["faults"] == []


# -- the end -----------------------------------------------------------------------------------------------


def answers(world: World) -> list[AnnotationRecord]:
    with world.studio.database.reading() as session:
        return list(session.scalars(select(AnnotationRecord).order_by(AnnotationRecord.id)))


def test_a_submitted_answer_is_kept_once_however_often_it_is_sent(world: World, fox: Person) -> None:
    address = take(fox)
    tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER})
    for _ in range(3):
        assert tell(fox, f"{address}/submit", {"seen": 4}) == {"to": address}
    (answer,) = answers(world)
    assert (answer.label, answer.challenge, answer.suggestion) == ("SUPPORTS", "Other", {})
    page = fox.see(address)
    assert page.cssselect("h1")[0].text_content() == "Submitted"
    assert "Mount Everest is the highest mountain" in words_of(page)
    assert page.cssselect("form[action='/p/rivers/next'] button")


def test_a_stale_draft_is_not_submitted(world: World, fox: Person) -> None:
    address = take(fox)
    tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER})
    told = tell(fox, f"{address}/submit", {"seen": 3}, 409)
    assert "look at both" in told["detail"]
    assert answers(world) == []


def test_a_faulty_draft_is_not_submitted_and_every_fault_is_named(world: World, fox: Person) -> None:
    address = take(fox)
    tell(fox, f"{address}/events", {"seen": 1, "events": [event("Write", "verdict=REFUTES")]})
    told = tell(fox, f"{address}/submit", {"seen": 2}, 400)
    assert [each["where"] for each in told["errors"]] == ["misled", "the answer", "challenge"]
    assert answers(world) == []


def test_an_element_that_vanished_cannot_be_submitted(world: World, fox: Person) -> None:
    address = take(fox)
    gone = [event("Highlighting", "Mount Everest_sentence_999"), *ANSWER[1:]]
    told = tell(fox, f"{address}/events", {"seen": 1, "events": gone})
    assert told["pieces"]["Mount Everest_sentence_999"]["gone"]
    tell(fox, f"{address}/submit", {"seen": 4}, 400)
    assert answers(world) == []


def test_an_answer_is_changed_while_the_task_is_open_and_a_change_is_given_up(world: World) -> None:
    world.task(wanted=2)
    fox = world.member("quiet-fox")
    address = take(fox)
    tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER})
    tell(fox, f"{address}/submit", {"seen": 4})
    assert fox.send(f"{address}/revise").headers["location"] == address
    assert "Leave my answer as it was" in fox.get(address).text
    tell(fox, f"{address}/events", {"seen": 5, "events": [event("Write", "verdict=NOT ENOUGH INFO")]})
    assert fox.send(f"{address}/skip", reason="not for me").headers["location"].startswith(address)
    assert [each.label for each in answers(world) if each.is_last] == ["SUPPORTS"]
    fox.send(f"{address}/revise")
    tell(fox, f"{address}/submit", {"seen": 6})
    assert [(each.label, each.revision) for each in answers(world) if each.is_last] == [("NOT ENOUGH INFO", 2)]


def test_a_skipped_task_goes_to_others(world: World, fox: Person) -> None:
    address = take(fox)
    assert fox.send(f"{address}/skip").headers["location"] == "/p/rivers?done=skipped"
    assert "Skipped" in words_of(fox.see(address))
    assert take(world.member("other-owl")).startswith("/p/rivers/task/")
    fox.send(f"{address}/skip")  # sent twice, it is one


def test_a_reason_that_a_screen_does_not_offer_is_refused(fox: Person) -> None:
    fox.send(f"{take(fox)}/skip", 400, reason="typo")


def test_a_claim_is_reported_with_one_of_the_reasons_or_a_note(world: World, fox: Person) -> None:
    address = take(fox)
    fox.send(f"{address}/report", 400)
    fox.send(f"{address}/report", 400, reason="because")
    fox.send(f"{address}/report", 400, reason="note")
    assert (
        fox.send(f"{address}/report", reason="note", note="It says nothing.")
        .headers["location"]
        .startswith("/p/rivers")
    )
    with world.studio.database.reading() as session:
        made = session.scalars(select(ReportRecord)).one()
    assert (made.reason, made.note) == ("note", "It says nothing.")
    assert "Reported" in words_of(fox.see(address))


def test_a_comment_is_kept_and_others_read_it_only_once_the_task_is_settled(world: World) -> None:
    task = world.task(wanted=2)
    fox, owl = world.member("quiet-fox"), world.member("other-owl")
    here, there = take(fox), take(owl)
    assert fox.send(f"{here}/comment", text=f"Is it? {SCRIPT}").headers["location"] == f"{here}#comments"
    headers = {"Accept": "application/json", "X-Form-Token": fox.form_token}
    assert fox.client.post(f"{here}/comment", data={"text": "Twice."}, headers=headers).json() == {
        "who": "You", "text": "Twice.",
    }  # fmt: skip
    assert SCRIPT in fox.see(here).cssselect(".comments")[0].text_content()
    assert "Is it?" not in owl.get(there).text
    fox.send(f"{here}/comment", 400, text=" ")
    with world.studio.database.reading() as session:
        assert {each.task_id for each in session.scalars(select(CommentRecord))} == {task}


# -- practice, suggestions, ratings ------------------------------------------------------------------------


def test_practice_shows_the_right_answer_afterwards(world: World) -> None:
    world.task(pool=Pool.PRACTICE, gold={**GOLD, "challenge": "Numerical Reasoning"})
    fox = world.member("quiet-fox")
    address = take(fox, pool="practice")
    assert "Practice" in fox.see(address).cssselect(".work-task")[0].text_content()
    tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER})
    tell(fox, f"{address}/submit", {"seen": 4})
    shown = words_of(fox.see(address))
    assert "The right answer" in shown
    assert "Numerical reasoning" in shown


def test_the_right_answer_of_work_is_shown_to_nobody(world: World) -> None:
    world.task(pool=Pool.GOLD, gold=GOLD)
    world.project("gold", gold_share=1.0)
    world.task(pool=Pool.GOLD, gold=GOLD, project="gold")
    world.task(project="gold")
    fox = world.member("quiet-fox", "gold")
    address = take(fox, "gold")
    tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER})
    tell(fox, f"{address}/submit", {"seen": 4})
    assert "The right answer" not in fox.get(address).text


@pytest.fixture
def plain(world: World) -> World:
    """A project of plain claims for each time at which the checker's answer is shown."""
    for shown in ("hidden", "after", "first"):
        world.project(shown, Workflow.PLAIN, suggestion=shown)
        world.task(project=shown)
    world.studio._checkers["", True] = world.checker
    return world


PLAIN = ANSWER[:2]


@pytest.mark.parametrize(("shown", "before", "after"), [("hidden", 404, 404), ("after", 404, 200), ("first", 200, 200)])
def test_the_checkers_answer_is_shown_when_the_project_says(plain: World, shown: str, before: int, after: int) -> None:
    fox = plain.member("quiet-fox", shown)
    address = take(fox, shown)
    page = fox.see(address)
    assert bool(page.cssselect("[data-suggestion]")) == (before == 200)
    fox.get(f"{address}/suggestion", before)
    tell(fox, f"{address}/events", {"seen": 1, "events": PLAIN})
    tell(fox, f"{address}/submit", {"seen": 3})
    fox.get(f"{address}/suggestion", after)
    assert bool(fox.see(address).cssselect("[data-suggestion]")) == (after == 200)
    (answer,) = answers(plain)
    assert answer.suggestion.get("shown", "") == ("first" if shown == "first" else "")
    if shown == "first":
        assert set(answer.suggestion["scores"]) == {label.value for label in Label}


def test_an_answer_changed_after_the_checkers_was_seen_says_so(world: World) -> None:
    world.project("after", Workflow.PLAIN, suggestion="after")
    world.task(project="after", wanted=2)
    world.studio._checkers["", True] = world.checker
    fox = world.member("quiet-fox", "after")
    address = take(fox, "after")
    tell(fox, f"{address}/events", {"seen": 1, "events": PLAIN})
    tell(fox, f"{address}/submit", {"seen": 3})
    fox.send(f"{address}/revise")
    tell(fox, f"{address}/submit", {"seen": 4})
    assert [each.suggestion.get("shown", "") for each in answers(world)] == ["", "after"]


def test_a_built_claim_is_rated_first(world: World) -> None:
    world.project("built", Workflow.PLAIN)
    world.task(project="built", kind=TaskKind.PLAIN_RATING)
    fox = world.member("quiet-fox", "built")
    address = take(fox, "built")
    page = fox.see(address)
    assert [each.get("value") for each in page.cssselect("[name=rating]")] == ["perfect", "minor", "incomprehensible"]
    assert not page.cssselect("[name=challenge]")
    tell(fox, f"{address}/events", {"seen": 1, "events": [event("Write", "rating=incomprehensible")]})
    tell(fox, f"{address}/submit", {"seen": 2})
    (answer,) = answers(world)
    assert (answer.rating, answer.label) == ("incomprehensible", "")


# -- FEVER's labelling -------------------------------------------------------------------------------------


@pytest.fixture
def labelling(world: World) -> Person:
    """Somebody with a claim about Mount Everest to label."""
    world.project("fever", Workflow.FEVER)
    task = world.task("Mount Everest is the highest mountain on Earth.", "fever")
    with world.writing() as session:
        project = session.get_one(TaskRecord, task).project_id
        highlight = HighlightRecord(
            project_id=project, page="Mount Everest", kind="sentences", elements={"ids": [SUMMIT]}
        )
        session.add(highlight)
        session.flush()
        claim = session.get_one(TaskRecord, task).claim_id
        session.get_one(StudioClaimRecord, claim).highlight_id = highlight.id
    return world.member("quiet-fox", "fever")


def test_labelling_shows_the_introduction_of_the_page_that_the_claim_is_about(labelling: Person) -> None:
    page = labelling.see(take(labelling, "fever"))
    lines = page.cssselect("[data-sentence]")
    assert lines[0].get("data-sentence") == SUMMIT
    assert [json.loads(line.get("data-links")) for line in lines[:2]] == [["Earth"], ["Nepal", "China"]]
    assert len(page.cssselect("#skip [name=reason]")) == len(page.cssselect("noscript option")) == 5
    assert page.cssselect("[data-submit][data-flag]")
    assert not page.cssselect("[name=verdict]")


def test_groups_are_submitted_and_flagged(world: World, labelling: Person) -> None:
    address = take(labelling, "fever")
    group = [event("Highlighting", SUMMIT), event("Write", "set-1-verdict=SUPPORTS")]
    assert tell(labelling, f"{address}/events", {"seen": 1, "events": group})["faults"] == []
    tell(labelling, f"{address}/submit", {"seen": 3, "flag": True})
    (answer,) = answers(world)
    assert (answer.label, answer.is_flagged) == ("SUPPORTS", True)
    assert "flagged" in words_of(labelling.see(address))


def test_not_enough_information_is_an_answer_unless_something_was_found(world: World, labelling: Person) -> None:
    address = take(labelling, "fever")
    group = [event("Highlighting", SUMMIT), event("Write", "set-1-verdict=SUPPORTS")]
    tell(labelling, f"{address}/events", {"seen": 1, "events": group})
    refused = labelling.send(f"{address}/skip", 400, reason="not enough information")
    assert html.document_fromstring(refused.text).cssselect("[data-faults] li")
    assert answers(world) == []
    undone = [event("Undo", key="u1"), event("Undo", key="u2")]
    tell(labelling, f"{address}/events", {"seen": 3, "events": undone})
    labelling.send(f"{address}/skip", reason="not enough information")
    (answer,) = answers(world)
    assert answer.label == "NOT ENOUGH INFO"


def test_a_claim_about_no_page_asks_for_one(world: World) -> None:
    world.project("fever", Workflow.FEVER)
    world.task("K2 is high.", "fever")
    fox = world.member("quiet-fox", "fever")
    address = take(fox, "fever")
    assert "What is the claim about?" in words_of(fox.see(address))
    tell(fox, f"{address}/events", {"seen": 1, "events": [event("Write", "main=K2")]})
    assert fox.see(address).cssselect("[data-sentence]")[0].get("data-sentence") == "K2_sentence_0"


def test_the_log_of_every_assignment_can_be_folded(world: World, fox: Person) -> None:
    address = take(fox)
    tell(fox, f"{address}/events", {"seen": 1, "events": ANSWER})
    from veritab.studio.annotating import events_of

    with world.studio.database.reading() as session:
        assignment = session.scalars(select(AssignmentRecord)).one()
        assert fold(events_of(session, assignment)).fields["verdict"] == "SUPPORTS"
