"""The first page of a project says what to do next, or why there is nothing."""

from __future__ import annotations

import pytest

from tests.web.studio.busy import GOLD
from tests.web.studio.world import World, fields_of, words_of
from veritab.studio import accounts, projects
from veritab.studio.records import AssignmentRecord
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Pool


def test_consent_comes_first_wherever_one_wants_to_go(world: World) -> None:
    person = world.member("calm-crane", stage=MemberStage.INVITED, consented=False)
    for path in ("", "/mine", "/guidelines", "/calibration"):
        assert person.get(f"/p/rivers{path}", 303).headers["location"] == "/p/rivers/consent"
    assert person.send("/p/rivers/next").headers["location"] == "/p/rivers/consent"
    page = person.see("/p/rivers/consent")
    assert "You agree to everything." in words_of(page)
    assert page.cssselect(".prose strong")
    assert person.send("/p/rivers/consent").headers["location"] == "/p/rivers?done=agreed"
    assert "You can begin" in words_of(person.see("/p/rivers?done=agreed"))
    assert "You agreed to this on" in words_of(person.see("/p/rivers/consent"))


def test_the_next_task_is_one_click_away_and_the_same_until_it_is_done(world: World) -> None:
    person = world.member("calm-crane")
    world.task()
    form = next(form for form in person.see("/p/rivers").forms if form.action == "/p/rivers/next")
    assert form.cssselect("button.primary")[0].text == "Next task"
    first = person.send("/p/rivers/next").headers["location"]
    assert first.startswith("/p/rivers/task/")
    assert "Go on with your task" in words_of(person.see("/p/rivers"))
    assert person.send("/p/rivers/next").headers["location"] == first
    id = int(first.rpartition("/")[2])
    assert world.find(AssignmentRecord, id).state == "active"


def test_guidelines_are_read_before_the_first_task_of_a_kind(world: World) -> None:
    person = world.member("calm-crane", has_read=False)
    assert "Next task" in words_of(person.see("/p/rivers"))  # nothing is asked, so there is nothing to read about
    world.task()
    page = person.see("/p/rivers")
    assert "Read the guidelines first" in words_of(page)
    assert [link.text for link in page.cssselect(".next a")] == ["Verify claims"]
    assert person.send("/p/rivers/next").headers["location"].startswith("/p/rivers/guidelines/feverous-verification")
    person.send("/p/rivers/guidelines/feverous-verification/read", version="1")
    assert person.send("/p/rivers/next").headers["location"].startswith("/p/rivers/task/")


def test_a_new_version_of_the_guidelines_is_read_before_one_goes_on(world: World) -> None:
    person, manager = world.member("calm-crane"), world.manager()
    world.task()
    manager.send("/p/rivers/guidelines/feverous-verification/edit", text="Look twice.", step="publish")
    assert "Read the guidelines first" in words_of(person.see("/p/rivers"))


def test_where_there_is_nothing_to_do_it_is_said(world: World) -> None:
    person = world.member("calm-crane")
    answer = person.send("/p/rivers/next")
    assert "nothing for you to do just now" in words_of(person.follow(answer))
    answer = person.send("/p/rivers/next", pool="practice")
    assert "every practice task" in words_of(person.follow(answer))


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (MemberStage.WAITING, "A manager looks at it and decides"),
        (MemberStage.REJECTED, "ended after calibration"),
        (MemberStage.PAUSED, "You are paused"),
    ],
)
def test_who_may_not_work_is_told_why(world: World, stage: MemberStage, words: str) -> None:
    person = world.member("calm-crane", stage=stage)
    world.task()
    page = person.see("/p/rivers")
    assert words in words_of(page)
    assert not page.cssselect(".next button")
    person.send("/p/rivers/next", 403)


def test_why_somebody_is_paused_is_what_the_manager_said(world: World) -> None:
    person, manager = world.member("calm-crane"), world.manager()
    manager.send("/p/rivers/manage/members/1/decide", step="pause", reason="Take a <i>break</i>.")
    assert "Take a <i>break</i>." in words_of(person.see("/p/rivers"))


def test_a_closed_project_gives_out_nothing(world: World) -> None:
    person, manager = world.member("calm-crane"), world.manager()
    world.task()
    manager.send("/p/rivers/manage/close")
    assert "This project is closed" in words_of(person.see("/p/rivers"))
    person.send("/p/rivers/next", 403)
    assert "Closed" in words_of(person.see("/"))


def test_missed_gold_is_warned_of_until_it_was_seen(world: World) -> None:
    world.project("strict", gold_share=1.0)
    person = world.member("calm-crane", "strict")
    for number in range(3):
        world.task(f"Mount Everest is number {number}.", "strict")
        world.task(f"K2 is number {number}.", "strict", pool=Pool.GOLD, gold=GOLD)
    for _ in range(2):
        world.answer("calm-crane", "REFUTES", project="strict")
        world.now += 60
    page = person.see("/p/strict")
    assert "2 tasks that you answered had a known answer" in words_of(page)
    assert "After 5 you are paused" in words_of(page)
    person.send("/p/strict/warning")
    assert "known answer" not in words_of(person.see("/p/strict"))


def test_whoever_is_paused_is_not_warned_of_a_pause(world: World) -> None:
    world.project("strict", gold_share=1.0, warn_after=1, pause_after=2)
    person = world.member("calm-crane", "strict")
    for number in range(2):
        world.task(f"Mount Everest is number {number}.", "strict")
        world.task(f"K2 is number {number}.", "strict", pool=Pool.GOLD, gold=GOLD)
        world.answer("calm-crane", "REFUTES", project="strict")
        world.now += 60
    said = words_of(person.see("/p/strict"))
    assert "You are paused" in said
    assert "you are paused" not in said


def test_practice_is_offered_and_shown_beside_the_right_answer(world: World) -> None:
    person = world.member("calm-crane")
    world.task(pool=Pool.PRACTICE, gold=GOLD)
    assert "1 task to try yourself on" in words_of(person.see("/p/rivers"))
    address = person.send("/p/rivers/next", pool="practice").headers["location"]
    with world.writing() as session:
        assignment = world.take(session, "calm-crane", practice=True)
        world.write(session, assignment, "REFUTES", (("K2_sentence_0",),))
        world.submit(session, assignment)
    listed = person.see("/p/rivers/mine").cssselect(".work-text a")[0].get("href")
    assert listed == address
    assert "The right answer" in words_of(person.see(listed))


def test_one_may_choose_the_kind_of_the_next_task(world: World) -> None:
    person, manager = world.member("calm-crane"), world.manager()
    world.task()
    assert not person.see("/p/rivers").cssselect("[name=kind]")
    manager.send("/p/rivers/manage/tasks/draw", count="1", pool="work")
    kinds = [button.get("value") for button in person.see("/p/rivers").cssselect("[name=kind]")]
    assert kinds == ["feverous-claims", "feverous-verification"]
    assignment = int(person.send("/p/rivers/next", kind="feverous-claims").headers["location"].rpartition("/")[2])
    assert world.task_of(world.find(AssignmentRecord, assignment).task_id).kind == "feverous-claims"
    person.send("/p/rivers/next", 400, kind="sudoku")


def test_a_manager_sees_what_waits(world: World) -> None:
    from tests.web.studio.busy import make_busy

    make_busy(world)
    manager = world.sign_in("wise-owl")
    assert "3 tasks to decide, 1 report" in words_of(manager.see("/p/rivers"))


def test_who_is_in_no_project_is_told_how_to_come_into_one(world: World) -> None:
    assert "You are in no project yet" in words_of(world.sign_in("calm-crane").see("/"))


def test_a_member_of_another_project_finds_nothing(world: World) -> None:
    world.project("peaks")
    person = world.member("calm-crane", "peaks")
    page = person.see("/p/rivers", 404)
    assert "there is no project" in words_of(page).lower()
    with world.studio.database.reading() as session:
        project = projects.find_project(session, "rivers")
        with pytest.raises(Exception, match="there is no project"):
            projects.member_of(session, project, accounts.find_account(session, "calm-crane").id)


def test_nobody_agrees_to_a_text_that_they_have_not_seen(world: World) -> None:
    person, manager = world.member("calm-crane", consented=False), world.manager()
    read = fields_of(person.see("/p/rivers/consent").forms[-1])
    manager.send("/p/rivers/manage/consent", consent="You agree to much more.", sure="yes")
    person.send("/p/rivers/consent", 409, **read)
    assert person.get("/p/rivers", 303).headers["location"] == "/p/rivers/consent"
    person.send("/p/rivers/consent", **fields_of(person.see("/p/rivers/consent").forms[-1]))
    person.get("/p/rivers")
