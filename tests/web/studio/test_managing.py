"""A manager looks after members, tasks, claims, reports and settings, and everything leaves a trail."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.web.studio.busy import make_busy
from tests.web.studio.world import World, fields_of, parsed, words_of
from veritab.studio import accounts, projects
from veritab.studio.projects import Workflow
from veritab.studio.records import MembershipRecord, ReportRecord, StudioClaimRecord, TaskRecord
from veritab.studio.states import ClaimState, MemberStage, TaskState
from veritab.studio.vocabulary import Role
from veritab.web.studio.app import _open_corpora


def trail(world: World) -> list[str]:
    with world.studio.database.reading() as session:
        project = projects.find_project(session, "rivers")
        return [record.what for record, _ in projects.trail_of(session, project.id)]


# -- members -----------------------------------------------------------------------------------------------


def test_a_link_is_shown_once_and_lets_somebody_in(world: World) -> None:
    manager = world.manager()
    page = manager.send("/p/rivers/manage/invite", 200, role="annotator", days="3", places="1", panel_code="")
    link = page.text.split('value="http://127.0.0.1/join/')[1].split('"')[0]
    assert link not in manager.get("/p/rivers/manage/members").text
    assert "Rivers of the world" in words_of(world.stranger().see(f"/join/{link}"))
    page = manager.send("/p/rivers/manage/invite", 200, role="annotator", days="3", places="50", panel_code="X9")
    assert "?participant=" in page.text
    elsewhere = world.stranger("https://studio.example")
    elsewhere.client.cookies.set("veritab_studio", manager.login, domain="studio.example")
    elsewhere.login = manager.login
    page = elsewhere.send("/p/rivers/manage/invite", 200, role="annotator")
    assert "https://studio.example/join/" in page.text


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"role": "administrator"}, "nobody becomes an administrator by a link"),
        ({"role": "emperor"}, "is no role"),
        ({"role": "annotator", "days": "0"}, "days cannot be"),
        ({"role": "annotator", "days": "soon"}, "expected a whole number"),
        ({"role": "annotator", "places": "1000000"}, "1 to 100,000 places"),
        ({"role": "manager", "panel_code": "X9"}, "come as annotators"),
    ],
)
def test_an_invitation_that_cannot_be_is_refused(world: World, sent: dict[str, str], words: str) -> None:
    manager = world.manager()
    answer = manager.client.post("/p/rivers/manage/invite", data={"form_token": manager.form_token, **sent})
    assert answer.status_code in (400, 403)
    assert words in answer.text.lower()
    with world.studio.database.reading() as session:
        assert not accounts.invitations_of(session, projects.find_project(session, "rivers"))


def test_members_are_paused_and_resumed_promoted_and_marked(world: World) -> None:
    manager = world.manager()
    world.member("calm-crane")
    address = "/p/rivers/manage/members/2"
    manager.send(f"{address}/decide", step="pause", reason="A break.")
    assert world.find(MembershipRecord, 2).stage == MemberStage.PAUSED
    assert "A break." in words_of(manager.see(address))
    manager.send(f"{address}/decide", step="resume")
    manager.send(f"{address}/decide", 409, step="resume")  # sent twice, it is done once
    manager.send(f"{address}/decide", 400, step="promote")
    manager.send(f"{address}/super", is_super="yes")
    manager.send(f"{address}/role", role="manager")
    found = world.find(MembershipRecord, 2)
    assert (found.stage, found.is_super, found.role) == (MemberStage.APPROVED, True, Role.MANAGER)
    manager.send(f"{address}/role", 400, role="emperor")
    manager.send(f"{address}/role", 400, role="administrator")
    assert trail(world)[:4] == ["change role", "mark super-annotator", "resume member", "pause member"]


def test_the_list_of_members_says_how_they_do(world: World) -> None:
    make_busy(world)
    rows = world.sign_in("wise-owl").see("/p/rivers/manage/members").cssselect("table.rows")[0].cssselect("tbody tr")
    said = {
        row.cssselect("th")[0].text_content(): [cell.text_content() for cell in row.cssselect("td")] for row in rows
    }
    assert said["calm-crane"][2:5] == ["4", "0", "0 of 1"]
    assert said["late-lark"][1] == "not agreed yet"


# -- tasks and claims --------------------------------------------------------------------------------------


def test_tasks_are_counted_filtered_and_put_first(world: World) -> None:
    tasks = make_busy(world)
    manager = world.sign_in("wise-owl")
    page = manager.see("/p/rivers/manage/tasks?state=open&pool=work")
    shown = [cell.text_content() for cell in page.cssselect("table.rows")[1].cssselect("tbody th")]
    assert shown == [str(tasks["open"])]
    assert "5" in page.cssselect("table.rows")[0].cssselect("tbody tr")[0].text_content()
    form = next(form for form in page.forms if form.action.endswith("/priority"))
    answer = manager.send(form.action, **{**fields_of(form), "priority": "7"})
    assert answer.headers["location"] == "/p/rivers/manage/tasks?state=open&pool=work&page=1&done=priority"
    assert world.task_of(tasks["open"]).priority == 7
    manager.send(f"/p/rivers/manage/tasks/{tasks['open']}/priority", 400, priority="first")
    assert "There are no such tasks" in words_of(manager.see("/p/rivers/manage/tasks?state=taken"))
    manager.get("/p/rivers/manage/tasks?state=lost", 400)
    assert str(tasks["settled"]) in words_of(manager.see("/p/rivers/manage/tasks?answered_by=swift-seal"))
    manager.get("/p/rivers/manage/tasks?answered_by=no-such-bird", 404)


def test_more_tasks_are_drawn_from_pages_that_were_not_used(world: World) -> None:
    manager = world.manager()
    answer = manager.send("/p/rivers/manage/tasks/draw", count="3", pool="work")
    assert "The tasks are there" in words_of(manager.follow(answer))
    manager.send("/p/rivers/manage/tasks/draw", count="2", pool="calibration", phase="2")
    with world.studio.database.reading() as session:
        drawn = session.scalars(select(TaskRecord)).all()
    assert [(task.pool, task.phase) for task in drawn] == [("work", 0)] * 3 + [("calibration", 2)] * 2
    assert len({task.highlight_id for task in drawn}) == 5
    assert trail(world)[0] == "draw tasks"


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"count": "0", "pool": "work"}, "expected 1 to 1,000"),
        ({"count": "many", "pool": "work"}, "expected 1 to 1,000"),
        ({"count": "1", "pool": "gold"}, "cannot be drawn into the pool"),
        ({"count": "1", "pool": "calibration", "phase": "3"}, "phases 1 and 2"),
    ],
)
def test_what_cannot_be_drawn_is_refused(world: World, sent: dict[str, str], words: str) -> None:
    assert words in world.manager().send("/p/rivers/manage/tasks/draw", 400, **sent).text


def test_a_plain_project_draws_nothing(world: World) -> None:
    world.project("plain", Workflow.PLAIN)
    manager = world.manager(project="plain")
    assert "Draw more" not in words_of(manager.see("/p/plain/manage/tasks"))
    manager.send("/p/plain/manage/tasks/draw", 400, count="1", pool="work")


def test_claims_are_found_by_words_state_and_author(world: World) -> None:
    make_busy(world)
    manager = world.sign_in("wise-owl")
    assert "1 claim" in words_of(manager.see("/p/rivers/manage/claims?words=PAKISTAN"))
    assert "There are no such claims" in words_of(manager.see("/p/rivers/manage/claims?words=%25"))
    assert "It is said" in words_of(manager.see("/p/rivers/manage/claims?state=reported"))
    assert "There are no such claims" in words_of(manager.see("/p/rivers/manage/claims?author=calm-crane"))
    manager.get("/p/rivers/manage/claims?state=odd", 400)


# -- reports -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "state"),
    [
        ({"step": "correct", "text": "Tenzing Norgay climbed it."}, ClaimState.CORRECTED),
        ({"step": "return"}, ClaimState.RETURNED),
        ({"step": "withdraw", "sure": "yes"}, ClaimState.WITHDRAWN),
    ],
)
def test_a_reported_claim_is_corrected_returned_or_withdrawn(world: World, sent: dict[str, str], state: str) -> None:
    tasks = make_busy(world)
    manager = world.sign_in("wise-owl")
    answer = manager.send("/p/rivers/manage/reports/1", **sent)
    assert "dealt with" in words_of(manager.follow(answer))
    assert "No claim is reported" in words_of(manager.see("/p/rivers/manage/reports"))
    assert state in words_of(manager.see("/p/rivers/manage/reports?ended=true"))
    claim = world.find(StudioClaimRecord, world.task_of(tasks["reported"]).claim_id or 0)
    assert claim.state == state
    manager.send("/p/rivers/manage/reports/1", 409, **sent)  # sent twice, it is done once


def test_withdrawing_a_claim_is_asked_first(world: World) -> None:
    make_busy(world)
    manager = world.sign_in("wise-owl")
    page = manager.send("/p/rivers/manage/reports/1", 200, step="withdraw", note="vague")
    assert "There is no way back" in page.text
    assert world.find(ReportRecord, 1).ended_at is None
    form = next(form for form in parsed(page).forms if "/reports/" in form.action)
    assert manager.client.post(form.action, data=fields_of(form)).status_code == 303
    assert world.find(ReportRecord, 1).outcome == ClaimState.WITHDRAWN


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"step": "correct", "text": "It is said that he climbed it."}, "the text is the old one"),
        ({"step": "correct", "text": ""}, "needs its new text"),
        ({"step": "correct", "text": "x" * 20_000}, "characters"),
        ({"step": "forget"}, "choose what becomes of the claim"),
    ],
)
def test_a_correction_that_is_none_is_refused(world: World, sent: dict[str, str], words: str) -> None:
    make_busy(world)
    page = world.sign_in("wise-owl").send("/p/rivers/manage/reports/1", 400, **sent)
    assert words in page.text.lower()
    assert world.find(ReportRecord, 1).ended_at is None


# -- settings and the trail --------------------------------------------------------------------------------


def test_settings_are_changed_and_a_form_that_is_sent_as_it_was_changes_nothing(world: World) -> None:
    manager = world.manager()
    form = next(form for form in manager.see("/p/rivers/manage/settings").forms if form.action.endswith("/settings"))
    before = world.project_of().settings
    answer = manager.client.post(form.action, data=fields_of(form))
    assert answer.headers["location"].endswith("done=same")
    assert world.project_of().settings == before
    manager.send(
        form.action,
        **{
            **fields_of(form),
            "overlap-2": "0.5",
            "overlap-3": "",
            "gold_share": "0.2",
            "suggestion": "after",
            "advised-feverous-verification": "300",
        },
    )
    after = projects.settings_of(world.project_of())
    assert after.overlap == {2: 0.5}
    assert (after.gold_share, after.suggestion, after.advised_seconds["feverous-verification"]) == (0.2, "after", 300)
    said = words_of(manager.see("/p/rivers/manage/trail"))
    assert "gold share: 0.05" in said
    assert "gold share: 0.2" in said


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"gold_share": "2"}, "between 0 and 1"),
        ({"lease_minutes": "0"}, "must be 1 or more"),
        ({"lease_minutes": "1.5"}, "expected a whole number"),
        ({"suggestion": "always"}, "expected one of"),
        ({"overlap-2": "0.9", "overlap-3": "0.9"}, "overlap"),
        ({"gold_share": "nan"}, "gold_share"),
    ],
)
def test_settings_that_cannot_be_are_refused(world: World, sent: dict[str, str], words: str) -> None:
    before = world.project_of().settings
    page = world.manager().send("/p/rivers/manage/settings", 400, **sent)
    assert words in page.text.lower()
    assert world.project_of().settings == before


def test_another_text_to_agree_to_is_asked_of_everybody(world: World) -> None:
    manager, person = world.manager(), world.member("calm-crane")
    page = manager.send("/p/rivers/manage/consent", 200, consent="You agree to less.")
    assert "Everybody in the project" in page.text
    person.get("/p/rivers")
    manager.send("/p/rivers/manage/consent", consent="You agree to less.", sure="yes")
    assert person.get("/p/rivers", 303).headers["location"] == "/p/rivers/consent"
    assert "You agree to less." in words_of(person.see("/p/rivers/consent"))


def test_a_project_is_closed_and_opened_again(world: World) -> None:
    manager = world.manager()
    manager.send("/p/rivers/manage/close")
    assert world.project_of().closed_at is not None
    assert "Open it again" in words_of(manager.see("/p/rivers/manage/settings"))
    manager.send("/p/rivers/manage/close")
    assert world.project_of().closed_at is None


def test_a_corpus_that_changed_is_told_and_accepted(world: World) -> None:
    manager = world.manager()
    assert "As it was when the project was made" in words_of(manager.see("/p/rivers/manage/settings"))
    with world.writing() as session:
        projects.find_project(session, "rivers").corpus_digest = "another"
    for where in ("", "/settings"):
        assert "The corpus has changed" in words_of(manager.see(f"/p/rivers/manage{where}"))
    manager.send("/p/rivers/manage/tasks/draw", 409, count="1", pool="work")
    manager.send("/p/rivers/manage/corpus")
    assert world.project_of().corpus_digest != "another"
    assert trail(world)[0] == "accept corpus"


def test_managers_still_come_to_a_project_whose_corpus_is_gone(world: World) -> None:
    manager, crane = world.manager(), world.member("calm-crane")
    world.task()
    with world.writing() as session:
        projects.find_project(session, "rivers").corpus = "/nowhere/at/all"
    for where in ("", "/settings"):
        page = manager.see(f"/p/rivers/manage{where}")
        assert "The corpus of project 'rivers' cannot be opened: no corpus in" in words_of(page)
        assert not page.cssselect("form[action$='/manage/corpus']")
    address = crane.send("/p/rivers/next").headers["location"]
    assert "cannot be opened" in words_of(crane.see(address, 409))


def test_a_missing_corpus_is_a_line_in_the_servers_log(world: World, caplog: pytest.LogCaptureFixture) -> None:
    with world.writing() as session:
        projects.find_project(session, "rivers").corpus = "/nowhere/at/all"
    _open_corpora(world.studio)
    assert "project 'rivers' cannot be opened" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_corpus_that_lost_evidence_is_not_accepted(world: World) -> None:
    manager = world.manager()
    world.member("calm-crane")
    world.task()
    world.answer("calm-crane", "SUPPORTS", (("Atlantis_sentence_0",),))
    with world.writing() as session:
        projects.find_project(session, "rivers").corpus_digest = "another"
    assert "Atlantis_sentence_0" in manager.send("/p/rivers/manage/corpus", 409).text
    assert world.project_of().corpus_digest == "another"


def test_the_overview_says_what_waits_and_how_far_the_work_is(world: World) -> None:
    make_busy(world)
    page = world.sign_in("wise-owl").see("/p/rivers/manage")
    said = words_of(page)
    assert "1 of 5 tasks settled" in said
    for words in ("3 tasks", "1 report"):
        assert words in said
    assert page.cssselect("table.figures tbody td")[-1].text == "6"
    assert world.task_of(1).state == TaskState.SETTLED


def test_an_empty_project_says_where_to_begin(world: World) -> None:
    said = words_of(world.manager().see("/p/rivers/manage"))
    assert "There are no tasks yet" in said
    assert "There are none yet. Invite some" in said
