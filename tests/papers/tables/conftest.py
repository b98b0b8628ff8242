"""What the tests of this room share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which rankings over the almanac are kept from test to test."""
    return tmp_path_factory.mktemp("reproduced")
