"""The commands of docs/howto-scale.md run, and so does the batch script, with a stand-in for what is not here."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto-scale.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"<!-- run -->\n```sh\n(.*?)```", PAGE, re.DOTALL)
SBATCH = ROOT / "examples" / "scale" / "slurm" / "cluster.sbatch"
WITHIN = 400
CLAIMS = 4

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]


def run_script(script: str, folder: Path) -> str:
    """What a shell script prints, in a folder with some claims; whatever it has started ends with it."""
    claims = folder / "examples" / "build" / "claims.jsonl"
    claims.parent.mkdir(parents=True)
    some = (ROOT / claims.relative_to(folder)).read_text(encoding="utf-8").splitlines(keepends=True)[:CLAIMS]
    claims.write_text("".join(some), encoding="utf-8")
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error", "PYTHONWARNINGS": ""}
    with (folder / "printed").open("w+") as printed:
        running = subprocess.Popen(
            ["bash", "-euc", script],
            cwd=folder,
            env=environment,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = running.wait(timeout=WITHIN)
        finally:
            with suppress(ProcessLookupError):  # all of it has ended
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
        printed.seek(0)
        text = printed.read()
    assert code == 0, text
    return text


def test_one_machine_and_several_do_the_same_by_the_commands_of_the_page(tmp_path: Path) -> None:
    assert len(COMMANDS) == 5
    *before, last = COMMANDS
    # A person sees when the workers are there.
    file = "/shared/scheduler.json"
    seen = f"from distributed import Client; Client(scheduler_file='{file}').wait_for_workers(2, 120)"
    wait = f'until [ -s {file} ]; do sleep 0.2; done\npython -c "{seen}"'
    script = "\n".join(["mkdir /shared", *before, wait, last]).replace("/shared", f"{tmp_path}/shared")
    run_script(script, tmp_path)
    here, there = tmp_path / "checked", tmp_path / "shared" / "checked"
    alone = (here / "results.jsonl").read_bytes()
    assert len(alone.splitlines()) == CLAIMS
    assert (there / "results.jsonl").read_bytes() == alone
    assert not (tmp_path / "shared" / "keys" / "key.pem").stat().st_mode & 0o077


def test_the_batch_script_runs_a_command_on_its_workers_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    srun = tmp_path / "bin" / "srun"
    # Two tasks, as `srun` would start them, ended with it.
    srun.write_text('#!/bin/bash\n"$@" &\n"$@" &\ntrap \'kill $(jobs -p)\' TERM\nwait\nwait\n')
    srun.chmod(0o755)
    words = "ingest pages.jsonl --into corpus --shards 2 --index"
    printed = run_script(f"veritab export pages.jsonl\nbash {SBATCH} {words}", tmp_path)
    assert "226 pages" in printed
    assert (tmp_path / "corpus" / "shards.json").is_file()
    assert not list(tmp_path.glob("veritab-job-*"))
