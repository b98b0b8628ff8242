"""A project for each test in a database that all of them share: nothing of it is kept, which takes far less time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from sqlalchemy import create_engine, text

from tests.studio.quality.scene import Scene
from veritab.studio.database import Database, address_of, open_studio


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def shared_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    if request.param == "sqlite":
        place = str(tmp_path_factory.mktemp("quality") / "studio")
        shutil.copytree(request.getfixturevalue("empty_sqlite"), place)
    else:
        server: str = request.getfixturevalue("postgres")
        engine = create_engine(address_of(server.format("postgres")), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text("CREATE DATABASE studio_quality TEMPLATE template_studio"))
        engine.dispose()
        place = server.format("studio_quality")
    database = open_studio(place)
    yield database
    database.close()


@pytest.fixture
def scene(shared_database: Database) -> Iterator[Scene]:
    """A project that calibrates with two tasks in each phase, in both databases."""
    with shared_database.writing() as session:
        yield Scene(session, calibration_size=2)
        session.rollback()
