"""What every test may ask for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The machine may be busy, so no example has a deadline. By default the same examples run every time; `make fuzz` looks
# for new counterexamples with the profile `fuzz`, more of them and with a fresh seed each round.
_ANY_SPEED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", _ANY_SPEED, derandomize=True)
settings.register_profile("fuzz", _ANY_SPEED, max_examples=500, print_blob=True)
settings.load_profile("default")

ROOT = Path(__file__).parents[1]
CHROMIUM_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("VERITAB_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}; set VERITAB_DATA to the folder that holds them")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; tests that drive it are skipped where it is absent."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium; install Debian's package")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS.split())
        yield started
        started.close()
