"""A checker that every test of the web may share: the almanac, no models."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.web.serving import without_models
from veritab.pipeline import Checker
from veritab.web.app import create_app


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
