"""How commands on a cluster end: stopped, killed, or not begun."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import veritab
from tests.scale.processes import ROOT

psutil = pytest.importorskip("psutil", reason="the extra scale is not installed")
pytestmark = pytest.mark.slow

_PATIENCE = 60
_ENDLESS = """
import itertools
from tests.scale import work
from veritab.scale import open_engine
if __name__ == "__main__":
    with open_engine("local:2") as engine:
        for number in engine.map(work.wait, itertools.count()):
            print(number, flush=True)
"""


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program at work on two workers of its own."""
    (tmp_path / "endless.py").write_text(_ENDLESS)
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": paths, "DASK_TEMPORARY_DIRECTORY": str(tmp_path)}
    command = [sys.executable, str(tmp_path / "endless.py")]
    with subprocess.Popen(
        command, env=environment, start_new_session=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "0\n"
        yield process
        process.kill()


def test_workers_end_with_a_parent_that_is_killed(parent: subprocess.Popen[str]) -> None:
    workers = psutil.Process(parent.pid).children(recursive=True)
    assert len(workers) >= 2
    parent.kill()
    _, alive = psutil.wait_procs(workers, timeout=_PATIENCE)
    assert not alive


def test_ctrl_c_ends_everything_soon_and_workers_say_nothing(parent: subprocess.Popen[str], tmp_path: Path) -> None:
    workers = psutil.Process(parent.pid).children(recursive=True)
    started = time.monotonic()
    os.killpg(parent.pid, signal.SIGINT)
    _, talk = parent.communicate(timeout=_PATIENCE)
    assert time.monotonic() - started < 20
    assert talk.count("Traceback") == 1
    assert talk.rstrip().endswith("KeyboardInterrupt")
    assert not psutil.wait_procs(workers, timeout=_PATIENCE)[1]
    assert not list(tmp_path.glob("dask-scratch-space/worker-*"))


def test_ctrl_c_while_workers_start_is_answered_without_tracebacks_of_theirs(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": paths, "DASK_TEMPORARY_DIRECTORY": str(tmp_path)}
    (tmp_path / "page.wiki").write_text("A page.")
    words = ["ingest", "page.wiki", "--into", "corpus", "--shards", "2", "--cluster", "local:2"]
    with subprocess.Popen(
        [sys.executable, "-c", "from veritab.cli import main; main()", *words],
        env=environment,
        cwd=tmp_path,
        start_new_session=True,
        text=True,
        stderr=subprocess.PIPE,
    ) as process:
        begun = time.monotonic()
        while not psutil.Process(process.pid).children() and time.monotonic() - begun < _PATIENCE:
            time.sleep(0.01)
        workers = psutil.Process(process.pid).children(recursive=True)
        time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        _, talk = process.communicate(timeout=_PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in talk
    assert not psutil.wait_procs(workers, timeout=_PATIENCE)[1]
    assert not (tmp_path / "corpus").exists()


@pytest.mark.parametrize("command", ["ingest", "index"])
def test_a_command_without_its_cluster_leaves_nothing(tmp_path: Path, command: str) -> None:
    (tmp_path / "page.wiki").write_text("A page.")
    into = tmp_path / "corpus"
    words: list[object] = ["ingest", tmp_path / "page.wiki", "--into", into, "--shards", 2]
    if command == "index":
        assert veritab(*words).code == 0
        words = ["index", into]
    started = time.monotonic()
    done = veritab(*words, "--cluster", "tcp://127.0.0.1:1")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: no scheduler answers at tcp://127.0.0.1:1 within 6 seconds")
    assert time.monotonic() - started < 10
    assert not into.exists() if command == "ingest" else not list(into.rglob("index"))
