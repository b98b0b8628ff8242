"""A studio's database: SQLite in a folder by default, PostgreSQL where an address is given. The same tables in both.

Everything that changes is one transaction. On SQLite there is one writer at a time: threads queue at a lock, and
processes at a file, so that nobody is turned away by another writer's speed. Nobody is told that a database is locked.

On PostgreSQL several servers work side by side. One that stands still in the middle of a transaction, because its
machine was paused or hangs, loses it after a while: what it held is free for the others, and what it meant to write is
not written when it wakes up.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.orm import DeclarativeBase, Session

from veritab.errors import DamagedStore, InputError, NewerStore, NotFound, StoreBusy, StoreError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FILE = "studio.sqlite"
LOCK_FILE = "studio.lock"
_WAIT_SECONDS = 60
_IDLE_SECONDS, _LOCKED_SECONDS = 30, 25
"""How long a transaction may do nothing, and how long it waits for another's: a page waits half a minute at most."""
_UNHURRIED_SECONDS = 600
"""The same where somebody reads a file or a corpus in between."""
_WRITES = "studio_writes"
_UNHURRIED = "studio_unhurried"
_DATABASE = "studio_database"
_UNIQUE, _IDLE_TOO_LONG = "23505", "25P03"
"""What PostgreSQL calls a second row of what there may be one, and a transaction that it has ended."""
_CONNECTIONS, _MORE_CONNECTIONS = 10, 20
"""Connections that a server keeps, and how many more it may have for a while: each of its threads needs one or two."""
_NUMBERS = 2**63
_Row = TypeVar("_Row", bound=DeclarativeBase)


class Database:
    """Where a studio keeps everything: `with database.writing() as session` is a transaction, `reading()` a look."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = engine.execution_options(**{_WRITES: True})
        self._unhurried = engine.execution_options(**{_WRITES: True, _UNHURRIED: True})
        # PostgreSQL would look anew at every question; SQLite sees what it saw at the first.
        self._reader = engine if self.is_sqlite else engine.execution_options(isolation_level="REPEATABLE READ")
        self._turn = _Turn(Path(str(engine.url.database)).with_name(LOCK_FILE)) if self.is_sqlite else nullcontext()

    @classmethod
    def connect(cls, place: str | Path) -> Database:
        """A database by its folder or its address (`postgresql://...`), as it is; `open_studio` checks its version."""
        return cls(_create_engine(str(place)))

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def writing(self, *, unhurried: bool = False) -> Iterator[Session]:
        """One transaction: all of it is kept, or nothing. An unhurried one may do other things for minutes."""
        engine = self._unhurried if unhurried else self._writer
        with self._turn, _told(), self._session(engine) as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One look at everything, as it is at its first question."""
        with _told(), self._session(self._reader) as session:
            yield session

    def _session(self, engine: Engine) -> Session:
        return Session(engine, expire_on_commit=False, info={_DATABASE: self})

    def clock_error(self, now: float) -> float:
        """By how many seconds this machine's clock is ahead of the one that all servers share; a file has none."""
        if self.is_sqlite:
            return 0.0
        with self.reading() as session:
            return now - float(session.scalar(text("SELECT extract(epoch FROM clock_timestamp())")) or now)

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()
        if isinstance(self._turn, _Turn):
            self._turn.close()


class _Turn:
    """Whose turn it is to write to a file: threads of a process queue at a lock, processes at a file that they lock.

    SQLite alone lets a process try again after a while, and one whose threads never pause would keep out all others.
    The system ends the lock of a process that dies.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.Lock()
        self._file: int | None = None

    def __enter__(self) -> None:
        self._threads.acquire()
        try:
            self._wait_for_others()
        except BaseException:
            self._threads.release()
            raise

    def __exit__(self, *_: object) -> None:
        if fcntl and self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._threads.release()

    def close(self) -> None:
        with self._threads:
            if self._file is not None:
                os.close(self._file)
            self._file = None

    def _wait_for_others(self) -> None:
        # Where files cannot be locked, on Windows and some network drives, SQLite's own waiting has to do.
        with suppress(OSError):
            if fcntl and self._file is None:
                self._file = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            if fcntl and self._file is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX)


def can_write(session: Session) -> bool:
    """Whether a session is one of `writing`: what is changed in another is neither kept nor safe to try."""
    return bool(session.get_bind().get_execution_options().get(_WRITES, False))


def database_of(session: Session) -> Database:
    """The database that a session looks into, for what must be kept whatever becomes of the session."""
    found: Database = session.info[_DATABASE]
    return found


def hold_alone(session: Session, name: str) -> None:
    """Let whoever else would hold something by this name wait until the transaction ends; SQLite has one writer anyway.

    It is for what no row stands for yet.
    """
    if session.get_bind().dialect.name == "postgresql":
        key = int.from_bytes(sha256(name.encode(errors="surrogatepass")).digest()[:8], signed=True)
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def find_numbered(session: Session, kind: type[_Row], number: int) -> _Row | None:
    """The row of a number that somebody typed, which may be beyond what databases can count."""
    return session.get(kind, number) if 0 < number < _NUMBERS else None


def initialize(place: str | Path) -> None:
    """Make the tables of a studio, or bring them up to this version of Veritab; what is in them stays."""
    from alembic import command

    url = address_of(place)
    if url.startswith("sqlite"):
        folder = Path(str(place))
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / FILE
        if not file.exists():
            os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    database = Database.connect(place)
    try:
        _refuse_newer(database)
        with database.writing(unhurried=True) as session:
            hold_alone(session, "tables")  # two servers that begin at once must not both make them
            command.upgrade(_alembic_config(session.connection()), "head")
    finally:
        database.close()


def open_studio(place: str | Path) -> Database:
    """The database of a studio that `initialize` made; another version's is refused with what to do."""
    if address_of(place).startswith("sqlite") and not (Path(str(place)) / FILE).is_file():
        raise NotFound(f"there is no studio in {str(place)!r}; make one with: veritab studio init {place}")
    database = Database.connect(place)
    try:
        _refuse_newer(database)
        if _version_of(database) != newest_version():
            raise StoreError(
                f"the studio's tables are of an earlier version; bring them up: veritab studio init "
                f"{shown_place(place)}"
            )
    except BaseException:
        database.close()
        raise
    return database


def has_studio(place: str | Path) -> bool:
    """Whether somebody has made a studio there, of whatever version."""
    if address_of(place).startswith("sqlite") and not (Path(str(place)) / FILE).is_file():
        return False
    database = Database.connect(place)
    try:
        return bool(_version_of(database))
    finally:
        database.close()


def address_of(place: str | Path) -> str:
    """The address of a database: as it is given, or that of the file in a folder."""
    text = str(place)
    if text.startswith(("postgresql://", "postgres://")):
        return "postgresql+psycopg://" + text.partition("://")[2]
    if "://" in text:
        raise InputError(f"{text!r} is not a place for a studio; give a folder, or an address postgresql://...")
    return f"sqlite:///{Path(text).resolve() / FILE}"


def shown_place(place: str | Path) -> str:
    """A place as it may be printed: an address without its password."""
    text = str(place)
    return make_url(text).render_as_string(hide_password=True) if "://" in text else text


def _create_engine(place: str) -> Engine:
    try:
        url = make_url(address_of(place))
    except ArgumentError:
        raise InputError(f"{place!r} cannot be read as an address; expected postgresql://user@host/name") from None
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": _WAIT_SECONDS, "check_same_thread": False})
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    usual = {name: value for name, value in _CONNECTING.items() if name not in url.query}
    engine = create_engine(
        url, connect_args=usual, pool_size=_CONNECTIONS, max_overflow=_MORE_CONNECTIONS, pool_pre_ping=True
    )
    event.listen(engine, "begin", _begin_postgres)
    return engine


# A server whose machine is gone does not say so: it is given up after a minute rather than after hours.
_CONNECTING = {"connect_timeout": 10, "keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 4}


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says, also around tables
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later cannot wait for another writer; one that means to write says so.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgres(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get(_WRITES, False):
        idle, locked = (_UNHURRIED_SECONDS,) * 2 if options.get(_UNHURRIED, False) else (_IDLE_SECONDS, _LOCKED_SECONDS)
        connection.exec_driver_sql(
            f"SET LOCAL idle_in_transaction_session_timeout = '{idle}s'; SET LOCAL lock_timeout = '{locked}s'"
        )


@contextmanager
def _told() -> Iterator[None]:
    """What a database driver says, in our words."""
    try:
        yield
    except NoConnection as error:
        raise StoreBusy("every connection to the studio's database is in use; try again") from error
    except OperationalError as error:
        said = str(error.orig)
        if "deadlock" in said:
            raise StoreBusy("somebody else was changing the same things at this moment; try again") from error
        if "lock timeout" in said:
            raise StoreBusy("somebody else has been changing the same things for a while; try again") from error
        if "locked" in said or "busy" in said:
            raise StoreBusy("another process has been writing to the studio for a minute; try again") from error
        if ("disk" in said and "full" in said) or "No space" in said:
            raise StoreError("there is no room left for the studio's database; nothing of this was kept") from error
        if "no such table" in said or "does not exist" in said:
            raise StoreError("the studio's tables are missing; make them with: veritab studio init") from error
        raise StoreBusy("the studio's database does not answer; is it running, and is its address right?") from error
    except DBAPIError as error:
        if error.connection_invalidated or getattr(error.orig, "sqlstate", "") == _IDLE_TOO_LONG:
            raise StoreBusy("the studio's database has ended this connection; try again") from error
        if getattr(error.orig, "sqlstate", "") == _UNIQUE:
            raise StoreBusy(
                "somebody else did the same at this moment; try again, and look at what is there"
            ) from error
        if "malformed" in str(error.orig) or "not a database" in str(error.orig):
            raise DamagedStore(
                "the studio's file is damaged; bring back a copy made with: veritab studio backup"
            ) from error
        raise


# -- versions of the tables --------------------------------------------------------------------------------


def _alembic_config(connection: Connection | None = None) -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def newest_version() -> str:
    """The version of the tables that this Veritab has."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_alembic_config()).get_current_head() or ""


def _version_of(database: Database) -> str:
    """The version of the tables; empty where there are none."""
    from alembic.migration import MigrationContext

    with _told(), database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() or ""


def _refuse_newer(database: Database) -> None:
    from alembic.script import ScriptDirectory

    version = _version_of(database)
    known = {script.revision for script in ScriptDirectory.from_config(_alembic_config()).walk_revisions()}
    if version and version not in known:
        raise NewerStore(f"the studio was made by a later Veritab (tables {version!r}); update this one")
