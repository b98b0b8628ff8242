"""Every page of a project in which something of everything has happened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.studio.postgres import running_postgres
from tests.web.studio.busy import make_busy
from tests.web.studio.world import World
from veritab.pipeline import Checker
from veritab.studio.database import initialize
from veritab.studio.records import MembershipRecord

MANAGER_PAGES = (
    "", "/guidelines", "/guidelines/feverous-verification", "/guidelines/feverous-claims/edit", "/mine", "/calibration",
    "/manage", "/manage/members", "/manage/tasks", "/manage/claims", "/manage/qa", "/manage/reports",
    "/manage/reports?ended=true", "/manage/calibration", "/manage/works", "/manage/settings", "/manage/trail", "/figures",
    "/figures.json", "/consent", "/read?title=Mount+Everest&mark=sentence_0",
    "/manage/tasks?state=open&pool=work&kind=feverous-verification", "/manage/claims?words=k2",
)  # fmt: skip
ANNOTATOR_PAGES = (
    "", "/guidelines", "/guidelines/feverous-verification", "/mine", "/mine?part=claims", "/mine?part=reports",
    "/mine?page=2", "/calibration", "/consent",
)  # fmt: skip


@pytest.fixture
def in_postgres(checker: Checker, tmp_path: Path) -> Iterator[World]:
    """The same in PostgreSQL."""
    with running_postgres() as server:
        place = server.format("postgres")
        initialize(place)
        world = World(place, checker, tmp_path)
        world.project()
        yield world
        world.close()


def test_every_page_of_a_busy_project_is_drawn(world: World) -> None:
    walk(world)


@pytest.mark.slow
def test_every_page_is_drawn_from_postgresql_too(in_postgres: World) -> None:
    walk(in_postgres)
    manager = in_postgres.sign_in("wise-owl")
    manager.send("/p/rivers/qa/2/decide", answer="own", label="REFUTES", reason="so")
    manager.send("/p/rivers/manage/reports/1", step="correct", text="Tenzing Norgay climbed it.")
    manager.send("/p/rivers/manage/tasks/draw", count="3", pool="work")
    manager.send("/p/rivers/guidelines/feverous-claims/edit", text="Write well.", step="publish")
    manager.send("/p/rivers/manage/settings", gold_share="0.2")
    manager.get("/p/rivers%00", 400)
    manager.get("/p/rivers/manage/claims?words=%00", 400)
    manager.send("/p/rivers/qa/2/comment", 400, text="a\0b")


def walk(world: World) -> None:
    tasks = make_busy(world)
    manager, annotator = world.sign_in("wise-owl"), world.sign_in("calm-crane")
    for path in MANAGER_PAGES:
        manager.get(f"/p/rivers{path}")
    for path in ANNOTATOR_PAGES:
        annotator.get(f"/p/rivers{path}")
    for task in tasks.values():
        manager.get(f"/p/rivers/qa/{task}")
        manager.get(f"/p/rivers/answers/{task}")
    annotator.get(f"/p/rivers/answers/{tasks['settled']}")
    annotator.get(f"/p/rivers/answers/{tasks['disputed']}")
    with world.studio.database.reading() as session:
        members = session.scalars(select(MembershipRecord.id)).all()
    for member in members:
        manager.get(f"/p/rivers/manage/members/{member}")
        manager.get(f"/p/rivers/manage/calibration/{member}")
    manager.get("/")
    manager.get("/account")
    manager.get("/account/close")
