"""One request, one transaction: who waits for whom, and what may be sent again."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import func, select

from tests.web.studio.world import Person, World
from veritab.studio.records import InvitationRecord, LoginRecord, TrailRecord
from veritab.web.studio.app import _WRITERS


def test_pages_are_read_while_an_import_keeps_everybody_from_writing(world: World) -> None:
    person = world.member("calm-crane")
    world.now += 3600  # so that it is time to note that the login is used
    others = [Person(world.app, person.login) for _ in range(_WRITERS + 1)]
    with ThreadPoolExecutor(len(others)) as threads:
        with world.writing():
            sent = [threads.submit(other.send, "/p/rivers/consent") for other in others]
            began = time.monotonic()
            while world.app.state.writers.running < _WRITERS and time.monotonic() - began < 10:
                time.sleep(0.01)
            began = time.monotonic()
            person.get("/p/rivers")
            assert time.monotonic() - began < 10
            assert not any(each.done() for each in sent)
        assert all(each.result() for each in sent)


def test_a_page_notes_that_a_login_is_used(world: World) -> None:
    person = world.member("calm-crane")
    world.now += 3600
    person.get("/p/rivers")
    with world.studio.database.reading() as session:
        assert session.scalars(select(LoginRecord.used_at)).all() == [world.now]


def test_a_form_that_was_refused_may_be_sent_again_and_one_that_was_done_may_not(world: World) -> None:
    manager = world.manager()
    form = {"once": "a-key", "role": "annotator"}
    manager.send("/p/rivers/manage/invite", 400, **form, days="none")
    manager.send("/p/rivers/manage/invite", 200, **form, days="3")
    manager.send("/p/rivers/manage/invite", 409, **form, days="3")
    drawn = {"once": "another", "count": "1", "pool": "work"}
    manager.send("/p/rivers/manage/tasks/draw", **drawn)
    manager.send("/p/rivers/manage/tasks/draw", 409, **drawn)
    with world.studio.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(InvitationRecord)) == 1
        assert [each.what for each in session.scalars(select(TrailRecord))].count("draw tasks") == 1
