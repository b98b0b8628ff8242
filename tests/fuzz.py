"""Property tests with fresh seeds until the time is up: `make fuzz MINUTES=5`, or `python -m tests.fuzz --minutes 5`."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_SEEDS = 2**32


def property_test_files(names: list[str]) -> list[Path]:
    """The test files that hold property tests: all of them, or those under the files and folders named."""
    folders = [ROOT / name for name in names or ["tests"]]
    files = {file for folder in folders for file in (folder.rglob("test_*.py") if folder.is_dir() else [folder])}
    return sorted(file for file in files if "@given" in file.read_text(encoding="utf-8"))


def main() -> int:
    """Run round after round, each with a seed of its own; stop after a round with a failure or when the time is up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long to run")
    parser.add_argument("--seed", type=int, help="run one round with this seed, without a time limit")
    parser.add_argument("paths", nargs="*", help="test files or folders; all property tests if none is named")
    options = parser.parse_args()
    files = [str(file.relative_to(ROOT)) for file in property_test_files(options.paths)]
    end = time.time() + 60 * options.minutes
    rounds = 0
    while options.seed is None or rounds == 0:
        seed = random.SystemRandom().randrange(_SEEDS) if options.seed is None else options.seed
        command = [sys.executable, "-m", "pytest", "-p", "tests.fuzz", "-m", "hypothesis", "-vv"]
        command += ["--hypothesis-profile=fuzz", f"--hypothesis-seed={seed}", *files]
        if options.seed is None:
            command += [f"--fuzz-until={end}"]
        rounds += 1
        sys.stdout.write(f"round {rounds}, seed {seed}, {max(0.0, end - time.time()):.0f} s left\n")
        sys.stdout.flush()
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if status not in (pytest.ExitCode.OK, pytest.ExitCode.INTERRUPTED):
            again = " ".join(["python -m tests.fuzz", "--seed", str(seed), *options.paths])
            sys.stdout.write(f"round {rounds} failed; run it again with: {again}\n")
            return 1
        if time.time() >= end:
            break
    sys.stdout.write(f"{rounds} rounds over {len(files)} files, no failure\n")
    return 0


# -- the plugin that each round loads


def pytest_addoption(parser: pytest.Parser) -> None:
    """The moment at which a round stops, in seconds since the epoch."""
    parser.addoption("--fuzz-until", type=float, default=float("inf"), help="stop when the clock passes this")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle by the seed, so that a short run does not always test the same few."""
    random.Random(config.getoption("--hypothesis-seed")).shuffle(items)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """End the round after this test where the time is up."""
    if time.time() >= item.config.getoption("--fuzz-until"):
        item.session.shouldstop = "time is up"


if __name__ == "__main__":
    sys.exit(main())
