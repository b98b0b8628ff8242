from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.studio.quality.scene import Scene
from veritab.studio.database import Database


@pytest.fixture
def scene(database: Database) -> Iterator[Scene]:
    """A project that calibrates with two tasks in each phase, in both databases."""
    with database.writing() as session:
        yield Scene(session, calibration_size=2)
