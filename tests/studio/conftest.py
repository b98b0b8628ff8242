"""Studios in both databases: every test of storage runs in SQLite and in PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.studio.postgres import running_postgres
from veritab.studio.database import Database, address_of, initialize, open_studio

_NUMBERS = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A running server with an empty studio in the database `template`, of which tests get copies."""
    with running_postgres() as server:
        _create(server, "CREATE DATABASE template_studio")
        initialize(server.format("template_studio"))
        yield server


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studio")
    initialize(folder)
    return folder


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty studio is: a folder, or an address."""
    if request.param == "sqlite":
        folder = tmp_path / "studio"
        shutil.copytree(request.getfixturevalue("empty_sqlite"), folder)
        return str(folder)
    server: str = request.getfixturevalue("postgres")
    name = f"studio_{next(_NUMBERS)}"
    _create(server, f"CREATE DATABASE {name} TEMPLATE template_studio")
    return server.format(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where nobody has made a studio yet: a folder, or the address of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "new studio")
    server: str = request.getfixturevalue("postgres")
    name = f"studio_{next(_NUMBERS)}"
    _create(server, f"CREATE DATABASE {name} TEMPLATE template0")
    return server.format(name)


@pytest.fixture
def database(place: str) -> Iterator[Database]:
    """An empty studio."""
    opened = open_studio(place)
    yield opened
    opened.close()


def _create(server: str, command: str) -> None:
    engine = create_engine(address_of(server.format("postgres")), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(command))
    engine.dispose()
