"""A scheduler and workers as they are on a real cluster: processes that know each other by address alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PATIENCE = 60


class DaskProcesses:
    """Processes of `dask scheduler` and `dask worker` on the loopback interface, all ended together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self._port = "0"

    def __enter__(self) -> DaskProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        for process in filter(None, (*self.workers, self.scheduler)):
            end(process)

    def start_scheduler(self) -> str:
        """Start the scheduler, again at the port it had before; its address."""
        self.file.unlink(missing_ok=True)
        options = ("--host", "127.0.0.1", "--port", self._port, "--no-dashboard", "--scheduler-file", str(self.file))
        self.scheduler = self._start("scheduler", *options)
        until = time.monotonic() + _PATIENCE
        while not (self.file.exists() and self.file.read_text().rstrip().endswith("}")):
            if self.scheduler.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the scheduler did not start")
            time.sleep(0.05)
        address = str(json.loads(self.file.read_text())["address"])
        self._port = address.rpartition(":")[2]
        return address

    def start_worker(self, *options: str, preload: str = "", threads: int = 1) -> subprocess.Popen[bytes]:
        """Start a worker without a nanny, with code of its own to begin with."""
        chosen = ["--nthreads", str(threads), "--no-nanny", "--no-dashboard", "--memory-limit", "0", *options]
        if preload:
            code = self.folder / f"preload_{len(self.workers)}.py"
            code.write_text(preload)
            chosen += ["--preload", str(code)]
        worker = self._start("worker", "--scheduler-file", str(self.file), "--host", "127.0.0.1", *chosen)
        self.workers.append(worker)
        return worker

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        environment = os.environ | {
            "PYTHONPATH": paths,
            "DASK_TEMPORARY_DIRECTORY": str(self.folder),
            "OMP_NUM_THREADS": "1",
            "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        }
        with (self.folder / f"{words[0]}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *words], env=environment, stdout=log, stderr=log, cwd=self.folder
            )


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and wait for its end."""
    process.kill()
    process.wait(_PATIENCE)
