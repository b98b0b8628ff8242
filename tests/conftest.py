"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Machines are never quiet: a slow moment is no failure. `HYPOTHESIS_PROFILE=default` looks for new counterexamples.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("VERITAB_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}; set VERITAB_DATA to the folder that holds them")
    return folder
