"""One's own work, and what others answered once a task is settled."""

from __future__ import annotations

from sqlalchemy import select

from tests.web.studio.busy import GOLD, make_busy
from tests.web.studio.world import World, words_of
from veritab.studio.records import AnnotationRecord
from veritab.studio.vocabulary import Pool


def test_own_answers_are_listed_with_what_became_of_them(world: World) -> None:
    make_busy(world)
    page = world.sign_in("calm-crane").see("/p/rivers/mine")
    rows = [" ".join(row.text_content().split()) for row in page.cssselect(".work-list > li")]
    assert len(rows) == 4
    assert "Mount Everest is taller than K2. Supported settled" in rows[-1]
    assert "a manager looks at it" in rows[-2]
    assert "Refuted practice not right" in rows[0]
    assert "flagged by you" in rows[1]
    reports = world.sign_in("swift-seal").see("/p/rivers/mine?part=reports")
    assert "You reported the claim: another reason (“who is <b>he</b>?”)" in words_of(reports)


def test_others_answers_are_hidden_until_the_task_is_settled_and_then_without_names(world: World) -> None:
    tasks = make_busy(world)
    person = world.sign_in("calm-crane")
    page = person.see(f"/p/rivers/answers/{tasks['disputed']}")
    assert len(page.cssselect(".answer")) == 1
    assert "shown here once the task is settled" in words_of(page)
    assert "disputed" not in words_of(page)
    page = person.see(f"/p/rivers/answers/{tasks['settled']}")
    assert len(page.cssselect(".answer")) == 2
    assert "swift-seal" not in page.text_content()
    assert "Annotator B" in words_of(page)


def test_nobody_sees_the_answers_to_a_task_that_they_did_not_answer(world: World) -> None:
    tasks = make_busy(world)
    person = world.sign_in("keen-kite")
    person.get(f"/p/rivers/answers/{tasks['settled']}", 404)
    person.get(f"/p/rivers/answers/{tasks['open']}", 404)
    person.get("/p/rivers/answers/9999", 404)


def test_hidden_gold_looks_like_any_other_task(world: World) -> None:
    world.project("strict", gold_share=1.0)
    person = world.member("calm-crane", "strict")
    world.member("swift-seal", "strict")
    world.task("Mount Everest is high.", "strict")
    gold = world.task("K2 is high.", "strict", pool=Pool.GOLD, gold=GOLD)
    assert world.answer("calm-crane", "REFUTES", project="strict") == gold
    assert world.answer("swift-seal", "SUPPORTS", project="strict") == gold
    listed = words_of(person.see("/p/strict/mine"))
    assert "K2 is high. Refuted settled" in listed
    for word in ("gold", "not right", "right"):
        assert word not in listed.lower().split()
    page = person.see(f"/p/strict/answers/{gold}")
    assert len(page.cssselect(".answer")) == 1
    assert "gold" not in words_of(page).lower()


def test_an_answer_may_be_changed_until_the_task_is_settled(world: World) -> None:
    make_busy(world)
    page = world.sign_in("calm-crane").see("/p/rivers/mine")
    actions = [form.action for form in page.forms if form.action.endswith("/revise")]
    assert len(actions) == 2  # the flagged one and the disputed one
    with world.studio.database.reading() as session:
        own = set(session.scalars(select(AnnotationRecord.assignment_id)))
    assert {int(action.split("/")[-2]) for action in actions} <= own


def test_long_work_is_turned_page_by_page(world: World) -> None:
    person = world.member("calm-crane")
    for number in range(27):
        world.task(f"Mount Everest has number {number}.")
        world.answer("calm-crane")
    first, second = person.see("/p/rivers/mine"), person.see("/p/rivers/mine?page=2")
    assert (len(first.cssselect(".work-list > li")), len(second.cssselect(".work-list > li"))) == (25, 2)
    assert [link.text for link in second.cssselect(".pager a")] == ["Newer"]
    assert "There are no more" in words_of(person.see("/p/rivers/mine?page=9"))
    person.get("/p/rivers/mine?page=0", 400)
    person.get("/p/rivers/mine?part=secrets", 404)


def test_who_has_done_nothing_is_told_so(world: World) -> None:
    person = world.member("calm-crane")
    assert "You have submitted nothing yet" in words_of(person.see("/p/rivers/mine"))
    assert "no claims yet" in words_of(person.see("/p/rivers/mine?part=claims"))
    assert "reported no claims" in words_of(person.see("/p/rivers/mine?part=reports"))
