"""A project in which something of everything has happened."""

from __future__ import annotations

from tests.web.studio.world import World
from veritab.studio import accounts, annotating, projects
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Pool, ReportReason, Role

SENTENCES = (("Mount Everest_sentence_0",),)
CELLS = (("Mount Everest_sentence_0", "Mount Everest_sentence_1"), ("K2_sentence_0",))
GOLD = {"label": "SUPPORTS", "evidence": [["Mount Everest_sentence_0"]], "challenge": "Other"}


def make_busy(world: World) -> dict[str, int]:
    """Two annotators and a manager have worked; the tasks by what became of them."""
    for name in ("calm-crane", "swift-seal", "keen-kite"):
        world.member(name)
    world.manager()
    tasks: dict[str, int] = {}
    tasks["settled"] = world.task("Mount Everest is taller than K2.", wanted=2)
    world.answer("calm-crane", "SUPPORTS", SENTENCES)
    world.answer("swift-seal", "SUPPORTS", CELLS)
    tasks["disputed"] = world.task("K2 is the highest mountain of Pakistan.", wanted=2)
    world.answer("calm-crane", "SUPPORTS", (("K2_sentence_0",),))
    world.answer("swift-seal", "REFUTES", CELLS)
    tasks["flagged"] = world.task("The Nile is a long river in Africa.")
    world.answer("calm-crane", "NOT ENOUGH INFO", (), flag=True)
    tasks["reported"] = world.task("It is said that he climbed it.")
    with world.writing() as session:
        assignment = world.take(session, "swift-seal")
        annotating.report(
            session, assignment, reason=ReportReason.OWN_NOTE, note="who is <b>he</b>?", now=world.now + 5
        )
        tasks["reported"] = assignment.task_id
    tasks["practice"] = world.task("K2 is lower than Mount Everest.", pool=Pool.PRACTICE, gold=GOLD)
    world.answer("calm-crane", "REFUTES", SENTENCES, practice=True)
    tasks["open"] = world.task("Mount Everest lies in Asia.")
    with world.writing() as session:
        task = session.get_one(type(world.task_of(tasks["disputed"])), tasks["disputed"])
        annotating.comment(
            session, task, accounts.find_account(session, "calm-crane").id, "I am not sure.", now=world.now
        )
        found = projects.find_project(session, "rivers")
        owl = accounts.find_account(session, "wise-owl").id
        accounts.invite(session, found.id, Role.ANNOTATOR, by=owl, now=world.now)
    world.member("late-lark", stage=MemberStage.INVITED, consented=False, has_read=False)
    return tasks
