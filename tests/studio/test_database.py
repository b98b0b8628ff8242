"""The studio's database: made, opened, brought up, and written by many at once."""

from __future__ import annotations

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select, text, update

from veritab.errors import DamagedStore, InputError, NewerStore, NotFound, StoreBusy, StoreError
from veritab.studio.database import FILE, Database, initialize, open_studio
from veritab.studio.records import AccountRecord, StudioTable


def add_account(database: Database, name: str) -> None:
    with database.writing() as session:
        session.add(AccountRecord(name=name, made_at=1.0))


def names(database: Database) -> list[str]:
    with database.reading() as session:
        return list(session.scalars(select(AccountRecord.name).order_by(AccountRecord.name)))


def test_the_migrations_make_exactly_the_tables_of_the_records(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, StudioTable.metadata) == []


def test_making_a_studio_again_keeps_what_is_in_it(place: str) -> None:
    first = open_studio(place)
    add_account(first, "ibis")
    first.close()
    initialize(place)
    second = open_studio(place)
    assert names(second) == ["ibis"]
    second.close()


def test_a_transaction_that_fails_keeps_nothing(database: Database) -> None:
    def fail_half_way() -> None:
        with database.writing() as session:
            session.add(AccountRecord(name="ibis", made_at=1.0))
            session.flush()
            raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert names(database) == []


def test_a_look_sees_everything_as_it_is_at_its_first_question(database: Database) -> None:
    add_account(database, "ibis")
    with database.reading() as session:
        before = list(session.scalars(select(AccountRecord.name)))
        add_account(database, "heron")
        assert list(session.scalars(select(AccountRecord.name))) == before == ["ibis"]
    assert names(database) == ["heron", "ibis"]


def test_many_writers_wait_for_each_other(place: str) -> None:
    databases = [open_studio(place) for _ in range(3)]  # as three processes would
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda number: add_account(databases[number % 3], f"{number:03}"), range(120)))
    assert len(names(databases[0])) == 120
    for database in databases:
        database.close()


def test_a_process_that_never_pauses_keeps_no_other_from_writing(place: str) -> None:
    if place.startswith("postgresql"):
        pytest.skip("PostgreSQL has many writers at a time")
    busy, other = open_studio(place), open_studio(place)  # as two processes would
    is_over, written = threading.Event(), list[int]()

    def write_on(number: int) -> None:
        while not is_over.is_set():
            with busy.writing() as session:
                session.execute(text("SELECT 1"))
                time.sleep(0.005)
                written.append(number)

    with ThreadPoolExecutor(4) as pool:
        for number in range(4):
            pool.submit(write_on, number)
        for number in range(10):
            add_account(other, f"other-{number}")
        is_over.set()
    assert len(written) < 60, "the other waited for its turn more than a few times"
    busy.close()
    other.close()


def test_two_who_wait_for_each_other_are_told_to_try_again(database: Database) -> None:
    if database.is_sqlite:
        pytest.skip("SQLite has one writer at a time")
    add_account(database, "ibis")
    add_account(database, "heron")
    both = threading.Barrier(2)

    def change(first: str, second: str) -> None:
        with database.writing() as session:
            session.execute(update(AccountRecord).where(AccountRecord.name == first).values(made_at=2.0))
            both.wait()
            session.execute(update(AccountRecord).where(AccountRecord.name == second).values(made_at=3.0))

    with ThreadPoolExecutor(2) as pool:
        tried = [pool.submit(change, *names) for names in (("ibis", "heron"), ("heron", "ibis"))]
        errors = [each.exception() for each in tried]
    (told,) = filter(None, errors)
    assert isinstance(told, StoreBusy)
    assert "somebody else" in str(told)


def test_half_a_migration_is_taken_back(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import alembic.operations

    database = Database.connect(place)
    with database.writing() as session:
        for table in reversed(StudioTable.metadata.sorted_tables):
            session.execute(text(f"DROP TABLE {table.name}"))
        session.execute(text("DROP TABLE alembic_version"))
    database.close()
    made: list[str] = []
    create = alembic.operations.Operations.create_table

    def create_some(self: alembic.operations.Operations, name: str, *columns: Any, **options: Any) -> Any:
        made.append(name)
        if len(made) > 5:
            raise RuntimeError("the power is gone")
        return create(self, name, *columns, **options)

    with monkeypatch.context() as patched:
        patched.setattr(alembic.operations.Operations, "create_table", create_some)
        with pytest.raises(RuntimeError):
            initialize(place)
    with pytest.raises(StoreError, match="veritab studio init"):
        open_studio(place)
    initialize(place)
    again = open_studio(place)
    assert names(again) == []
    again.close()


def test_a_studio_of_a_later_version_is_refused(place: str) -> None:
    database = open_studio(place)
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(NewerStore, match="9999"):
        open_studio(place)
    with pytest.raises(NewerStore):
        initialize(place)


def test_where_there_is_no_studio_the_command_that_makes_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="veritab studio init"):
        open_studio(tmp_path)


@pytest.mark.parametrize("wrong", ["mysql://root@localhost/studio", "sqlite:///x"])
def test_another_kind_of_address_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="postgresql://"):
        open_studio(wrong)


def test_a_server_that_does_not_run_is_told_in_our_words() -> None:
    with pytest.raises(StoreError, match="does not answer"):
        open_studio("postgresql://studio@127.0.0.1:1/none?connect_timeout=1")


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database at all" * 100)
    with pytest.raises(DamagedStore, match="backup"):
        open_studio(tmp_path)


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    initialize(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "new" / FILE).stat().st_mode & 0o777 == 0o600


def test_sqlite_waits_for_another_process(tmp_path: Path) -> None:
    initialize(tmp_path)
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    database = open_studio(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(add_account, database, "ibis")
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.3)
        other.execute("COMMIT")
        waiting.result(timeout=30)
    assert names(database) == ["ibis"]
    database.close()
    other.close()


def test_several_that_make_a_studio_at_one_moment_make_one(new_place: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(initialize, [new_place] * 4))
    database = open_studio(new_place)
    add_account(database, "ibis")
    assert names(database) == ["ibis"]
    database.close()


def test_whoever_stands_still_in_the_middle_writes_nothing_over_what_happened_meanwhile(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.is_sqlite:
        pytest.skip("a file is for servers of one machine, which do not stand still one by one")
    monkeypatch.setattr("veritab.studio.database._IDLE_SECONDS", 1)
    add_account(database, "ibis")
    has_begun = threading.Event()

    def stand_still() -> None:
        with database.writing() as session:
            session.execute(update(AccountRecord).values(made_at=2.0))
            has_begun.set()
            time.sleep(3)
            session.execute(update(AccountRecord).values(name="heron"))

    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(stand_still)
        assert has_begun.wait(10)
        with database.writing() as session:  # waits no longer than the other may stand still
            session.execute(update(AccountRecord).values(made_at=3.0))
        assert isinstance(told.exception(20), StoreBusy)
    with database.reading() as session:
        (account,) = session.scalars(select(AccountRecord))
        assert (account.name, account.made_at) == ("ibis", 3.0)


def test_whoever_waits_too_long_for_somebody_else_is_told_to_try_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.is_sqlite:
        pytest.skip("SQLite has one writer at a time, who waits for a minute")
    monkeypatch.setattr("veritab.studio.database._LOCKED_SECONDS", 1)
    add_account(database, "ibis")
    with database.writing() as session:
        session.execute(update(AccountRecord).values(made_at=2.0))
        with pytest.raises(StoreBusy, match="try again"), database.writing() as other:
            other.execute(update(AccountRecord).values(made_at=3.0))


def test_two_who_add_the_same_at_one_moment_are_told_so(database: Database) -> None:
    if database.is_sqlite:
        pytest.skip("SQLite has one writer at a time")
    both = threading.Barrier(2)

    def add(_: int) -> None:
        with database.writing() as session:
            both.wait(10)
            session.add(AccountRecord(name="ibis", made_at=1.0))

    with ThreadPoolExecutor(2) as pool:
        (told,) = filter(None, (each.exception(20) for each in [pool.submit(add, number) for number in range(2)]))
    assert isinstance(told, StoreBusy)
    assert names(database) == ["ibis"]


def test_a_database_that_does_not_answer_may_answer_later() -> None:
    gone = Database.connect("postgresql://studio@127.0.0.1:9/studio")
    with pytest.raises(StoreBusy, match="does not answer"), gone.reading() as session:
        session.execute(select(1))
    gone.close()


def test_a_clock_that_is_not_the_servers_is_seen(database: Database) -> None:
    error = database.clock_error(time.time() + 100)
    assert error == (0.0 if database.is_sqlite else pytest.approx(100, abs=10))
