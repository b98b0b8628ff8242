"""Files go in and out as works that are watched, stopped and fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient

from tests.web.serving import until
from tests.web.studio.busy import make_busy
from tests.web.studio.world import Person, World, words_of
from veritab.studio.database import Database
from veritab.studio.exchange.works import WorkRunner, WorkState
from veritab.studio.opened import Studio
from veritab.studio.projects import Workflow
from veritab.studio.records import StudioClaimRecord, TaskRecord, WorkRecord
from veritab.web.studio.works import works_folder

CLAIMS = b"Mount Everest is high.\nK2 is <b>lower</b>.\n"


@pytest.fixture
def manager(world: World) -> Person:
    return world.manager()


def run_works(world: World) -> int:
    runner: WorkRunner = world.app.state.works
    return runner.run()


def bring(
    manager: Person, content: bytes = CLAIMS, status: int = 303, /, name: str = "claims.txt", **fields: str
) -> str:
    sent = {"format": "claims", "pool": "work", "check_elements": "yes", **fields}
    return manager.send("/p/rivers/manage/import", status, files={"file": (name, content)}, **sent).text


def count_claims(world: World) -> int:
    with world.studio.database.reading() as session:
        return session.scalar(select(func.count()).select_from(StudioClaimRecord)) or 0


def test_a_file_of_claims_becomes_tasks(world: World, manager: Person) -> None:
    bring(manager, name="<i>my claims.txt")
    page = manager.see("/p/rivers/manage/works/1")
    assert "waits for its turn" in words_of(page)
    assert page.cssselect("meta[http-equiv=refresh]")
    assert "<i>my claims.txt" in words_of(page)
    assert run_works(world) == 1
    page = manager.see("/p/rivers/manage/works/1")
    assert "done" in words_of(page)
    assert not page.cssselect("meta[http-equiv=refresh]")
    assert not manager.see("/p/rivers/manage/works").cssselect("meta[http-equiv=refresh]")  # somebody fills in a form
    assert count_claims(world) == 2
    assert "K2 is <b>lower</b>." in words_of(manager.see("/p/rivers/manage/claims"))
    assert not list((Path(world.studio.place) / "works").iterdir())  # what was brought is gone


def test_claims_of_a_plain_project_may_be_rated_first(world: World, manager: Person) -> None:
    assert not manager.see("/p/rivers/manage/works").cssselect("input[name=rate]")
    world.project("built", workflow=Workflow.PLAIN)
    rater = world.manager("calm-swan", "built")
    assert rater.see("/p/built/manage/works").cssselect("input[name=rate]")
    sent = {"format": "claims", "pool": "work", "rate": "yes"}
    rater.send("/p/built/manage/import", 303, files={"file": ("claims.txt", CLAIMS)}, **sent)
    run_works(world)
    with world.studio.database.reading() as session:
        assert set(session.scalars(select(TaskRecord.kind))) == {"plain-rating"}


def test_a_file_with_faults_brings_in_nothing_and_each_fault_is_told_by_its_line(world: World, manager: Person) -> None:
    lines = [{"claim": "K2 is high."}, {"claim": ""}, {"id": 3}]
    bring(manager, "\n".join(map(json.dumps, lines)).encode(), name="claims.jsonl")
    run_works(world)
    said = words_of(manager.see("/p/rivers/manage/works"))
    assert "failed" in said
    assert "line 2" in said
    assert count_claims(world) == 0


def test_claims_with_answers_become_gold(world: World, manager: Person) -> None:
    record = {
        "id": 1,
        "claim": "Mount Everest is high.",
        "label": "SUPPORTS",
        "challenge": "Other",
        "evidence": [{"content": ["Mount Everest_sentence_0"], "context": {"Mount Everest_sentence_0": []}}],
    }
    bring(manager, (json.dumps(record) + "\n").encode(), name="gold.jsonl", format="annotations", pool="gold")
    run_works(world)
    with world.studio.database.reading() as session:
        task = session.scalar(select(TaskRecord))
        assert task is not None, words_of(manager.see("/p/rivers/manage/works"))
        assert (task.pool, task.gold["label"]) == ("gold", "SUPPORTS")


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"format": "stone"}, "nothing is imported as"), ({"pool": "super"}, "nothing is imported into")],
)
def test_an_import_that_cannot_be_is_refused(world: World, manager: Person, fields: dict[str, str], words: str) -> None:
    assert words in bring(manager, CLAIMS, 400, **fields).lower()
    assert not list((Path(world.studio.place) / "works").glob("*"))
    assert "no file was chosen" in manager.send("/p/rivers/manage/import", 400, format="claims").text.lower()


def test_what_was_settled_is_exported_and_fetched(world: World) -> None:
    make_busy(world)
    manager = world.sign_in("wise-owl")
    manager.send("/p/rivers/manage/export", format="feverous", settled="yes", pools="work")
    manager.get("/p/rivers/manage/works/1/file", 409)
    assert manager.get("/p/rivers/manage/works/1", headers={"Accept": "application/json"}).json()["state"] == "waiting"
    run_works(world)
    assert manager.get("/p/rivers/manage/works/1", headers={"Accept": "application/json"}).json()["state"] == "done"
    link = manager.see("/p/rivers/manage/works").xpath("//a[text()='Download']/@href")[0]
    answer = manager.get(link)
    assert 'filename="rivers-feverous.jsonl"' in answer.headers["content-disposition"]
    (line,) = [line for line in answer.text.splitlines() if json.loads(line).get("claim")]
    assert json.loads(line)["claim"] == "Mount Everest is taller than K2."
    assert "calm-crane" not in answer.text  # people are numbers in what goes out
    for file in (Path(world.studio.place) / "works").iterdir():
        file.unlink()
    assert "export again" in words_of(manager.see(link, 404)).lower()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"format": "pdf", "pools": "work"}, "no format"),
        ({"format": "fever", "pools": "practice"}, "is not exported"),
        ({"format": "fever"}, "is not exported"),
        ({"format": "fever", "pools": "work", "since": "yesterday"}, "is not a day"),
    ],
)
def test_an_export_that_cannot_be_is_refused(manager: Person, fields: dict[str, str], words: str) -> None:
    assert words in manager.send("/p/rivers/manage/export", 400, **fields).text.lower()


def test_a_work_is_stopped(world: World, manager: Person) -> None:
    bring(manager)
    manager.send("/p/rivers/manage/works/1/stop")
    assert world.find(WorkRecord, 1).state == WorkState.STOPPED
    manager.send("/p/rivers/manage/works/1/stop", 409)
    assert run_works(world) == 0
    assert not list((Path(world.studio.place) / "works").iterdir())


def test_two_databases_have_two_folders_for_their_files(world: World) -> None:
    assert works_folder(world.studio) == Path(world.studio.place) / "works"
    places = ("postgresql://studio@/one", "postgresql://studio@/two")
    folders = {works_folder(Studio(Database.connect(place), place)) for place in places}
    assert len(folders) == 2
    assert "studio@" not in "".join(map(str, folders))  # an address may hold a password


def test_works_of_another_project_are_not_there(world: World, manager: Person) -> None:
    bring(manager)
    world.project("peaks")
    other = world.manager("keen-kite", "peaks")
    for path in ("", "/file"):
        other.get(f"/p/peaks/manage/works/1{path}", 404)
    other.send("/p/peaks/manage/works/1/stop", 404)
    other.send("/p/rivers/manage/works/1/stop", 404)
    assert world.find(WorkRecord, 1).state == WorkState.WAITING


@pytest.fixture
def served(world: World) -> Iterator[None]:
    """The server with what it does by itself."""
    with TestClient(world.app):
        yield


@pytest.mark.usefixtures("served")
def test_the_server_does_works_by_itself_and_brings_back_tasks_whose_leases_ran_out(world: World) -> None:
    manager = world.manager()
    bring(manager)
    until(lambda: world.find(WorkRecord, 1).state == WorkState.DONE)


def test_leases_that_ran_out_come_back_when_the_server_starts(world: World) -> None:
    world.member("calm-crane")
    task = world.task()
    with world.writing() as session:
        world.take(session, "calm-crane")
    world.now += 3 * 3600
    with TestClient(world.app):
        until(lambda: world.task_of(task).state == "open")
