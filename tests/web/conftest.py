"""A checker that every test of the web may share: the almanac, no models."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.studio.postgres import running_postgres
from tests.web.serving import without_models
from veritab.pipeline import Checker
from veritab.web.app import create_app
from veritab.web.archive import FILE

_NUMBERS = count()


@pytest.fixture(scope="session")
def checker() -> Iterator[Checker]:
    """The almanac, checked by what can be computed alone."""
    with Checker.open(None, without_models()) as opened:
        yield opened


@pytest.fixture(scope="session")
def client(checker: Checker) -> Iterator[TestClient]:
    """Asks the application in this process; an accident is an answer, as it is for everybody else."""
    with TestClient(create_app(checker), raise_server_exceptions=False) as asking:
        yield asking


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A running PostgreSQL, by its address without the name of a database."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def shared_place(postgres: str) -> str:
    """The address of an empty database that servers may share."""
    import psycopg

    name = f"serve_{next(_NUMBERS)}"
    with psycopg.connect(postgres.format("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.format(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a server keeps things: a file of its own, or a database that others share."""
    if request.param == "sqlite":
        return tmp_path / FILE
    shared: str = request.getfixturevalue("shared_place")
    return shared
