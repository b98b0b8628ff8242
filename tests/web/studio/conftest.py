"""A studio with one project, in a file of its own for every test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra studio is not installed")

from tests.web.studio.world import World
from veritab.pipeline import Checker
from veritab.studio.database import initialize


@pytest.fixture(scope="session")
def empty_studio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studio")
    initialize(folder)
    return folder


@pytest.fixture
def world(checker: Checker, empty_studio: Path, tmp_path: Path) -> Iterator[World]:
    """A studio with the project `rivers`."""
    folder = tmp_path / "studio"
    shutil.copytree(empty_studio, folder)
    made = World(str(folder), checker)
    made.project()
    yield made
    made.close()
