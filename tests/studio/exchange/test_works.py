"""Imports and exports that are started from a page, and outlive a restart."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.studio.exchange.made import NILE, NOW, SUPPORTS, answer, make_person, make_project, make_task, read_lines
from veritab.corpus.store import Store
from veritab.errors import Conflict, InputError, NotAllowed, NotFound, StoreBusy
from veritab.studio.database import Database, open_studio
from veritab.studio.exchange import works
from veritab.studio.exchange.exporting import export
from veritab.studio.exchange.works import (
    LEASE_SECONDS,
    WorkRunner,
    find_work,
    keep_upload,
    start_export,
    start_import,
    stop_work,
    works_of,
)
from veritab.studio.projects import add_member, find_project
from veritab.studio.records import ProjectRecord, StudioClaimRecord, TrailRecord, WorkRecord
from veritab.studio.vocabulary import Role


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(tmp_path / "corpus") as made:
        yield made


class Clock:
    """A clock that somebody turns."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def runner(database: Database, tmp_path: Path, store: Store, clock: Clock) -> WorkRunner:
    with database.writing() as session:
        project = make_project(session)
        answer(session, make_task(session, project, "The Nile is long."), SUPPORTS)
    return WorkRunner(database, tmp_path / "works", lambda project: store, clock=clock)


def ask(database: Database, start: Callable[..., WorkRecord], *given: Any, **options: Any) -> int:
    with database.writing() as session:
        return start(session, find_project(session, "rivers"), *given, by=None, now=NOW, **options).id


def work_of(database: Database, work_id: int) -> WorkRecord:
    with database.reading() as session:
        return session.get_one(WorkRecord, work_id)


def upload(tmp_path: Path, *claims: str) -> str:
    return keep_upload(tmp_path / "works", io.BytesIO("\n".join(claims).encode()))


def claims_of(database: Database) -> list[str]:
    with database.reading() as session:
        return list(session.scalars(select(StudioClaimRecord.text).order_by(StudioClaimRecord.id)))


def test_an_export_is_done_and_its_file_is_for_its_owner_alone(
    database: Database, tmp_path: Path, runner: WorkRunner
) -> None:
    id = ask(database, start_export, format="feverous")
    assert work_of(database, id).state == "waiting"
    assert runner.run() == 1
    work = work_of(database, id)
    assert (work.state, work.done, work.total, work.ended_at, work.lease_until) == ("done", 1, 1, NOW, None)
    assert work.message.startswith("1 claims with 1 annotations")
    file = tmp_path / "works" / work.file
    assert [record["claim"] for record in read_lines(file)] == ["The Nile is long."]
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [path.name for path in file.parent.iterdir()] == [work.file]
    assert runner.run() == 0


@pytest.mark.parametrize(
    ("format", "holds"),
    [
        ("label-studio", {"rivers-label-studio.json", "rivers-label-studio.interface.xml"}),
        ("beir", {f"rivers-beir/{name}" for name in ("corpus.jsonl", "queries.jsonl", "qrels/train.tsv")}),
    ],
)
def test_several_files_become_one(
    database: Database, tmp_path: Path, runner: WorkRunner, format: str, holds: set[str]
) -> None:
    id = ask(database, start_export, format=format)
    runner.run()
    work = work_of(database, id)
    assert work.file.endswith(f"rivers-{format}.zip")
    with zipfile.ZipFile(tmp_path / "works" / work.file) as packed:
        assert set(packed.namelist()) == holds


def test_an_import_is_done_and_its_file_is_gone(database: Database, tmp_path: Path, runner: WorkRunner) -> None:
    kept = upload(tmp_path, "The Danube is blue.", "The Volga is wide.")
    id = ask(database, start_import, kept, name="rivers.txt", format="claims", pool="practice")
    assert runner.run() == 1
    work = work_of(database, id)
    assert (work.state, work.message, work.done, work.total) == ("done", "2 claims", 2, 2)
    assert claims_of(database) == ["The Nile is long.", "The Danube is blue.", "The Volga is wide."]
    assert list((tmp_path / "works").iterdir()) == []


def test_faults_are_kept_in_words(database: Database, tmp_path: Path, runner: WorkRunner) -> None:
    kept = upload(
        tmp_path, json.dumps({"claim": "So.", "label": "maybe"}), json.dumps({"claim": "x", "label": SUPPORTS})
    )
    id = ask(database, start_import, kept, name="../rivers.jsonl", format="annotations")
    assert runner.run() == 1
    work = work_of(database, id)
    assert work.state == "failed"
    assert work.message.startswith("rivers.jsonl has faults, so nothing of it was kept:\nline 1: the label 'maybe'")
    assert claims_of(database) == ["The Nile is long."]
    assert list((tmp_path / "works").iterdir()) == []


def test_evidence_is_looked_up_in_the_corpus_unless_that_is_not_wanted(
    database: Database, tmp_path: Path, runner: WorkRunner
) -> None:
    record = json.dumps({"claim": "So.", "label": SUPPORTS, "evidence": [{"content": [NILE], "context": {}}]})
    first = ask(database, start_import, upload(tmp_path, record), name="a", format="annotations")
    second = ask(database, start_import, upload(tmp_path, record), name="a", format="annotations", check_elements=False)
    assert runner.run() == 2
    assert f"the corpus has no {NILE!r}" in work_of(database, first).message
    assert work_of(database, second).message == "1 claims, 1 with an answer, 1 settled"


def test_what_cannot_be_exported_and_what_goes_wrong_is_told(
    database: Database, tmp_path: Path, store: Store, runner: WorkRunner, caplog: pytest.LogCaptureFixture
) -> None:
    late = ask(database, start_export, format="fever", since=NOW + 5)
    runner.run()
    assert "no claim can be written as fever" in work_of(database, late).message

    def changed(project: ProjectRecord) -> Store:
        raise Conflict("the corpus of project 'rivers' has changed")

    def accident(project: ProjectRecord) -> Store:
        raise ZeroDivisionError("an odd thing")

    for store_of, said in ((changed, "has changed"), (accident, "an accident ended it")):
        id = ask(database, start_export, format="fever")
        assert WorkRunner(database, tmp_path / "works", store_of).run() == 1
        work = work_of(database, id)
        assert (work.state, said in work.message, work.file) == ("failed", True, "")
    assert "an odd thing" in caplog.text
    assert list((tmp_path / "works").iterdir()) == []


def test_only_managers_start_and_stop_works_of_their_project(
    database: Database, tmp_path: Path, runner: WorkRunner
) -> None:
    id = ask(database, start_export, format="fever")
    kept = upload(tmp_path, "So.")
    with database.writing() as session:
        project, other = find_project(session, "rivers"), make_project(session, "seas")
        by = make_person(session).id
        add_member(session, project, by, Role.ANNOTATOR, now=NOW)
        with pytest.raises(NotFound, match=f"import or export {id} in project 'seas'"):
            find_work(session, other, id)
        assert [work.id for work in works_of(session, project)] == [id]
        assert works_of(session, other) == []
        work = find_work(session, project, id)
        with pytest.raises(NotAllowed):
            start_export(session, project, format="fever", by=by, now=NOW)
        with pytest.raises(NotAllowed):
            start_import(session, project, kept, name="a", format="claims", by=by, now=NOW)
        with pytest.raises(NotAllowed):
            stop_work(session, work, by=by, now=NOW)
        for wrong in ("../../etc/passwd", "1-rivers.jsonl"):
            with pytest.raises(InputError, match="no file that was brought"):
                start_import(session, project, wrong, name="a", format="claims", by=None, now=NOW)
        for format, pool in (("pdf", "work"), ("fever", "practice")):
            with pytest.raises(InputError):
                start_export(session, project, by=None, now=NOW, format=format, pools=[pool])
        for format, pool in (("pdf", "work"), ("claims", "super")):
            with pytest.raises(InputError):
                start_import(session, project, kept, name="a", by=None, now=NOW, format=format, pool=pool)


def test_starts_and_stops_are_in_the_trail(database: Database, runner: WorkRunner) -> None:
    id = ask(database, start_export, format="fever")
    runner.stop(id, by=None, now=NOW)
    with database.reading() as session:
        trail = session.scalars(select(TrailRecord.what).where(TrailRecord.subject == f"work {id}")).all()
    assert trail == ["start export", "stop export"]


# -- stopping, restarts --


def test_a_work_that_waits_can_be_stopped(database: Database, tmp_path: Path, runner: WorkRunner) -> None:
    first = ask(database, start_export, format="fever")
    bring = ask(database, start_import, upload(tmp_path, "So."), name="a", format="claims")
    for id in (first, bring):
        runner.stop(id, by=None, now=NOW + 1)
        work = work_of(database, id)
        assert (work.state, work.ended_at) == ("stopped", NOW + 1)
    assert runner.run() == 0
    assert list((tmp_path / "works").iterdir()) == []
    with pytest.raises(Conflict, match="stopped already"):
        runner.stop(first, by=None, now=NOW)


def hold(monkeypatch: pytest.MonkeyPatch, name: str) -> tuple[threading.Event, threading.Event]:
    """Let a work wait at each step: the events that it has begun, and that it may go on."""
    begun, on = threading.Event(), threading.Event()
    real = getattr(works, name)

    def slow(*given: Any, tick: Callable[[int], None], **options: Any) -> Any:
        def wait(count: int) -> None:
            begun.set()
            assert on.wait(20)
            tick(count)

        return real(*given, tick=wait, **options)

    monkeypatch.setattr(works, name, slow)
    return begun, on


@pytest.mark.parametrize("kind", ["export", "import"])
def test_a_work_that_runs_can_be_stopped(
    database: Database, tmp_path: Path, runner: WorkRunner, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    begun, on = hold(monkeypatch, "export" if kind == "export" else "import_file")
    if kind == "export":
        id = ask(database, start_export, format="fever")
    else:
        id = ask(database, start_import, upload(tmp_path, "So.", "Not so."), name="a", format="claims")
    runner.start()
    try:
        assert begun.wait(20)
        stopping = threading.Thread(target=runner.stop, args=(id,), kwargs={"by": None, "now": NOW})
        stopping.start()
        time.sleep(0.05)
        on.set()
        stopping.join(20)
        work = work_of(database, id)
        assert (work.state, work.message) == ("stopped", "it was stopped; nothing of it was kept")
    finally:
        on.set()
        runner.close()
    assert work_of(database, id).state == "stopped"
    assert claims_of(database) == ["The Nile is long."]
    assert list((tmp_path / "works").iterdir()) == []


@pytest.mark.parametrize("kind", ["export", "import"])
def test_a_server_that_ends_lets_the_next_one_begin_again(
    database: Database, tmp_path: Path, runner: WorkRunner, store: Store, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    with monkeypatch.context() as patched:
        begun, on = hold(patched, "export" if kind == "export" else "import_file")
        if kind == "export":
            id = ask(database, start_export, format="fever")
        else:
            id = ask(database, start_import, upload(tmp_path, "So."), name="a", format="claims")
        runner.start()
        assert begun.wait(20)
        threading.Timer(0.05, on.set).start()
        runner.close()
    assert work_of(database, id).state == "waiting"
    assert WorkRunner(database, tmp_path / "works", lambda project: store).run() == 1
    assert work_of(database, id).state == "done"
    assert claims_of(database) == ["The Nile is long.", *(["So."] if kind == "import" else [])]


def test_a_work_is_taken_again_only_when_its_lease_has_ended(
    database: Database, tmp_path: Path, runner: WorkRunner, store: Store, clock: Clock
) -> None:
    id = ask(database, start_export, format="fever")
    assert runner._take() is not None  # and then it was killed
    other = WorkRunner(database, tmp_path / "works", lambda project: store, clock=clock)
    assert other.run() == 0
    (tmp_path / "works" / f".export-{id}-left").mkdir()
    clock.now += LEASE_SECONDS + 1
    assert other.run() == 1
    work = work_of(database, id)
    assert work.state == "done"
    assert [path.name for path in (tmp_path / "works").iterdir()] == [work.file]


def test_who_was_thought_killed_and_comes_back_leaves_the_work_to_the_other(
    database: Database, tmp_path: Path, runner: WorkRunner, store: Store, clock: Clock
) -> None:
    kept = upload(tmp_path, "So.")
    id = ask(database, start_import, kept, name="a", format="claims")
    taken = runner._take()
    assert taken is not None
    clock.now += LEASE_SECONDS + 1
    other = WorkRunner(database, tmp_path / "works", lambda project: store, clock=clock)
    again = other._take()
    assert again is not None
    runner._do(taken)
    assert work_of(database, id).state == "running"
    assert claims_of(database) == ["The Nile is long."]
    other._do(again)
    assert work_of(database, id).state == "done"
    assert claims_of(database) == ["The Nile is long.", "So."]


def test_an_export_tells_how_far_it_has_come(
    database: Database, runner: WorkRunner, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veritab.studio.exchange.exporting._AT_ONCE", 2)
    with database.writing() as session:
        project = find_project(session, "rivers")
        for number in range(5):
            answer(session, make_task(session, project, f"Claim {number}."), SUPPORTS)
    id = ask(database, start_export, format="fever")
    seen = []
    real = export

    def watched(*given: Any, tick: Callable[[int], None], **options: Any) -> Any:
        def look(count: int) -> None:
            clock.now += 5
            tick(count)
            work = work_of(database, id)
            seen.append((work.done, work.total, work.lease_until))

        return real(*given, tick=look, **options)

    monkeypatch.setattr(works, "export", watched)
    runner.run()
    assert seen == [(done, 6, NOW + 5 * step + LEASE_SECONDS) for step, done in enumerate((2, 4, 6), 1)]


_KILLED = """
import sys, time
from pathlib import Path
from veritab.corpus.store import Store
from veritab.studio.database import open_studio
from veritab.studio.exchange import works
from veritab.studio.exchange.exporting import export

place, folder, corpus, name = sys.argv[1:]
real = getattr(works, name)

def slow(*given, tick, **options):
    def wait(count):
        if count > 2:
            print("there", flush=True)
            time.sleep(60)
        tick(count)
    return real(*given, tick=wait, **options)

setattr(works, name, slow)
works.WorkRunner(open_studio(place), Path(folder), lambda project: Store.open(corpus)).run()
"""


@pytest.mark.parametrize("kind", ["export", "import"])
def test_a_killed_process_leaves_nothing_half_done(
    database: Database,
    place: str,
    tmp_path: Path,
    runner: WorkRunner,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    monkeypatch.setattr("veritab.studio.exchange.exporting._AT_ONCE", 2)
    if kind == "export":
        with database.writing() as session:
            project = find_project(session, "rivers")
            for number in range(3):
                answer(session, make_task(session, project, f"Claim {number}."), SUPPORTS)
        id = ask(database, start_export, format="feverous")
    else:
        kept = upload(tmp_path, *(f"Claim {number} is so." for number in range(9)))
        id = ask(database, start_import, kept, name="a", format="claims")
    before = claims_of(database)
    arguments = [place, tmp_path / "works", tmp_path / "corpus", "export" if kind == "export" else "import_file"]
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "there\n"
        running.send_signal(signal.SIGKILL)
    assert (work_of(database, id).state, claims_of(database)) == ("running", before)
    assert not list((tmp_path / "works").glob("*.jsonl"))
    late = WorkRunner(
        database, tmp_path / "works", lambda project: store, clock=lambda: time.time() + LEASE_SECONDS + 1
    )
    assert late.run() == 1
    work = work_of(database, id)
    assert work.state == "done"
    if kind == "export":
        assert len(read_lines(tmp_path / "works" / work.file)) == 4
        assert [path.name for path in (tmp_path / "works").iterdir()] == [work.file]
    else:
        assert len(claims_of(database)) == len(before) + 9


def test_two_runners_take_different_works(place: str, database: Database, tmp_path: Path, store: Store) -> None:
    with database.writing() as session:
        make_project(session)
    for number in range(6):
        kept = upload(tmp_path, f"Claim {number} is so.")
        ask(database, start_import, kept, name="a", format="claims", check_elements=False)
    others = [open_studio(place) for _ in range(3)]
    runners = [WorkRunner(other, tmp_path / "works", lambda project: store) for other in others]
    threads = [threading.Thread(target=runner.run) for runner in runners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for other in others:
        other.close()
    with database.reading() as session:
        states = session.execute(select(WorkRecord.state, func.count()).group_by(WorkRecord.state)).all()
    assert [tuple(row) for row in states] == [("done", 6)]
    assert sorted(claims_of(database)) == [f"Claim {number} is so." for number in range(6)]


def test_a_file_is_imported_by_the_server_that_has_it(
    database: Database, tmp_path: Path, runner: WorkRunner, store: Store, clock: Clock
) -> None:
    elsewhere = WorkRunner(database, tmp_path / "elsewhere", lambda project: store, clock=clock)
    id = ask(database, start_import, upload(tmp_path, "A river is long."), name="claims.txt", format="claims")
    assert elsewhere.run() == 0
    assert work_of(database, id).state == "waiting"
    assert runner.run() == 1
    assert work_of(database, id).state == "done"


def test_a_file_that_no_server_has_is_told_to_be_gone_after_an_hour(
    database: Database, tmp_path: Path, runner: WorkRunner, clock: Clock
) -> None:
    file = upload(tmp_path, "A river is long.")
    id = ask(database, start_import, file, name="claims.txt", format="claims")
    (tmp_path / "works" / file).unlink()
    assert runner.run() == 0
    clock.now += 3601
    assert runner.run() == 1
    work = work_of(database, id)
    assert (work.state, "bring it again" in work.message) == ("failed", True)


def test_whoever_lost_an_import_to_another_leaves_its_file(
    database: Database, tmp_path: Path, runner: WorkRunner, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = upload(tmp_path, "A river is long.")
    id = ask(database, start_import, file, name="claims.txt", format="claims")

    def stand_still(*_: Any, **__: Any) -> Any:
        clock.now += LEASE_SECONDS + 1
        with database.writing() as session:
            session.get_one(WorkRecord, id).lease_until = clock.now + LEASE_SECONDS  # another server has taken it
        raise StoreBusy("the connection was ended")

    with monkeypatch.context() as patched:
        patched.setattr(works, "element_finder", stand_still)
        runner.run()
    assert (tmp_path / "works" / file).is_file()
    clock.now += LEASE_SECONDS + 1
    assert runner.run() == 1
    assert work_of(database, id).state == "done"
    assert not (tmp_path / "works" / file).exists()
