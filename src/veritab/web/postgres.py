"""An archive in PostgreSQL, for servers behind one address: opened with care, reached again after it was away."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from veritab.errors import EndpointError, InputError, MissingExtra, NewerStore, VeritabError
from veritab.text import shorten, squeeze
from veritab.web.databases import FORMAT, FROM_SECOND_FORMAT, TABLES, DatabaseAway, Transaction

try:
    from sqlalchemy import URL, Connection, create_engine, event, make_url
    from sqlalchemy.exc import (
        ArgumentError,
        DBAPIError,
        InterfaceError,
        InternalError,
        OperationalError,
    )
    from sqlalchemy.exc import TimeoutError as NoConnection
except ModuleNotFoundError:
    raise MissingExtra("veritab serve --database", "web,studio") from None

_SECONDS_TO_OPEN = 9.0
_SECONDS_TO_CONNECT = 5
_CONNECTIONS = 8
_LOCK = 0x7665726974616273
"""What transactions that change something queue at: the letters of "veritabs"."""
# A server that was paused in the middle of a transaction must not keep the others out for longer than this.
_SETTINGS = {
    "lock_timeout": "5s",
    "statement_timeout": "10s",
    "idle_in_transaction_session_timeout": "5s",
    "client_min_messages": "error",
}
_CONNECT = {
    "connect_timeout": _SECONDS_TO_CONNECT,
    "application_name": "veritab serve",
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "tcp_user_timeout": 10_000,
}
_SECONDS_BETWEEN_TRIES = 1.0
_LONGEST_SAID = 300
_LOG = logging.getLogger(__name__)


class PostgresDatabase:
    """The database at an address `postgresql://user@host/name`; its tables are made where they are missing."""

    is_lasting = True
    is_shared = True

    def __init__(self, address: str) -> None:
        self._url = _read_address(address)
        self._shown = shown_address(self._url)
        self._engine = create_engine(
            self._url.set(drivername="postgresql+psycopg"),
            # Prepared statements stay with a connection, which some poolers hand to others.
            connect_args={k: v for k, v in _CONNECT.items() if k not in self._url.query} | {"prepare_threshold": None},
            pool_size=_CONNECTIONS,
            max_overflow=0,
            pool_timeout=_SECONDS_TO_CONNECT,
            pool_pre_ping=True,
            hide_parameters=True,
        )
        self._reader = self._engine.execution_options(isolation_level="REPEATABLE READ")
        self._away_until = 0.0
        self._is_away = False
        event.listen(self._engine, "connect", _prepare_connection)
        try:
            self._open()
        except BaseException:
            self._engine.dispose()
            raise

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def changing(self) -> Iterator[Transaction]:
        with self._told(), self._engine.begin() as connection:
            yield Transaction(_executor(connection), _queue(connection))

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with self._told(), self._reader.begin() as connection:
            ((now,),) = connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())::float8")
            yield Transaction(_executor(connection), now)

    # -- what a driver says, in our words

    @contextmanager
    def _told(self) -> Iterator[None]:
        if time.monotonic() < self._away_until:  # who asks meanwhile need not wait for a connection in vain
            raise DatabaseAway
        try:
            yield
        except (OperationalError, InterfaceError, InternalError, NoConnection) as error:
            if getattr(getattr(error, "orig", None), "sqlstate", None) is None:
                self._away_until = time.monotonic() + _SECONDS_BETWEEN_TRIES
            if not self._is_away:
                self._is_away = True
                _LOG.warning("the database %s does not answer: %s", self._shown, self._said(error))
            raise DatabaseAway from None
        except DBAPIError as error:
            raise VeritabError(f"the database {self._shown} cannot be used: {self._said(error)}") from None
        if self._is_away:
            self._is_away = False
            _LOG.warning("the database %s answers again", self._shown)

    def _said(self, error: Exception) -> str:
        """The first line of what the driver says."""
        lines = str(getattr(error, "orig", None) or error).strip().splitlines()
        said = squeeze(lines[0] if lines else type(error).__name__).removeprefix("connection failed: ")
        secret = str(self._url.password or "")
        return shorten(said.replace(secret, "***") if secret else said, _LONGEST_SAID)

    # -- the beginning

    def _open(self) -> None:
        """Reach it and make its tables, or say within ten seconds why not, whatever resolvers and firewalls do."""
        failed: list[BaseException] = []

        def open_it() -> None:
            try:
                with self._engine.begin() as connection:
                    _prepare_tables(connection, self._shown)
            except BaseException as error:
                failed.append(error)

        opening = threading.Thread(target=open_it, daemon=True)
        opening.start()
        opening.join(_SECONDS_TO_OPEN)
        if opening.is_alive():
            raise EndpointError(f"the database {self._shown} does not answer; {_RUNNING}")
        for error in failed:
            if isinstance(error, (DBAPIError, NoConnection)):
                said = self._said(error)
                raise EndpointError(f"the database {self._shown} cannot be used: {said}; {_remedy(said)}") from None
            raise error


_RUNNING = "is it running, and is its address right?"


def _remedy(said: str) -> str:
    if "password" in said:
        return "give the right password in PGPASSWORD or in ~/.pgpass"
    if "does not exist" in said and "database" in said:
        return "make it with: createdb"
    if "permission denied" in said:
        return "let its user make tables there: GRANT CREATE ON SCHEMA public"
    if "read-only" in said:
        return "give the address of the server that may be written to"
    return _RUNNING


def _read_address(address: str) -> URL:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise InputError("--database cannot be read as an address; expected postgresql://user@host/name") from None
    if url.drivername not in ("postgresql", "postgres"):
        raise InputError(
            f"--database {shown_address(url)!r} is no address of PostgreSQL; expected postgresql://user@host/name"
        )
    return url


def shown_address(url: URL) -> str:
    """An address as it may be printed: without passwords."""
    secret = [name for name in url.query if "password" in name.lower()]
    return url.set(password=None).difference_update_query(secret).render_as_string()


def _prepare_connection(connection: Any, _: Any) -> None:
    with connection.cursor() as cursor:
        for name, value in _SETTINGS.items():
            cursor.execute("SELECT set_config(%s, %s, false)", (name, value))
    connection.commit()


def _executor(connection: Connection) -> Any:
    return lambda statement, values: connection.exec_driver_sql(statement.replace("?", "%s"), tuple(values))


def _queue(connection: Connection) -> float:
    """Wait for one's turn to change something; the moment when it has come."""
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    ((now,),) = connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())::float8")
    return float(now)


def _prepare_tables(connection: Connection, shown: str) -> None:
    """Make the tables; of servers that start at once the first does."""
    _queue(connection)
    ((known,),) = connection.exec_driver_sql("SELECT to_regclass('serve_format') IS NOT NULL")
    if not known:
        for statement in ("CREATE TABLE serve_format (version INTEGER NOT NULL)", *TABLES):
            connection.exec_driver_sql(statement.replace("BLOB", "BYTEA"))
        connection.exec_driver_sql("INSERT INTO serve_format VALUES (%s)", (FORMAT,))
        return
    ((version,),) = connection.exec_driver_sql("SELECT max(version) FROM serve_format")
    if version == FORMAT - 1:
        connection.exec_driver_sql(FROM_SECOND_FORMAT)
        connection.exec_driver_sql("UPDATE serve_format SET version = %s", (FORMAT,))
    elif version != FORMAT:
        raise NewerStore(
            f"the tables in {shown} were made by a later Veritab (tables {version}, this one has {FORMAT}); update it"
        )
