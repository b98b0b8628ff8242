"""A studio with one game, in a file of its own for every test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.studio.game.world import GameWorld
from veritab.pipeline import Checker


@pytest.fixture
def world(checker: Checker, empty_studio: Path, tmp_path: Path) -> Iterator[GameWorld]:
    """A studio with the game `peaks`, and no claims in it."""
    folder = tmp_path / "studio"
    shutil.copytree(empty_studio, folder)
    made = GameWorld(str(folder), checker)
    made.game()
    yield made
    made.close()
