"""A PostgreSQL server of the tests' own: in a folder of its own, on a socket, never as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_ROOM = 8 * 2**30


def find_programs() -> Path | None:
    """The folder of initdb and pg_ctl: in the path, where Debian puts them, or in the wheel `pgserver`."""
    found = shutil.which("initdb")
    if found and (Path(found).parent / "pg_ctl").exists():
        return Path(found).parent
    for program in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True):
        return program.parent
    try:
        import pgserver  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None
    return Path(pgserver.__file__).parent / "pginstall" / "bin"


def _find_memory() -> Path | None:
    """A folder in memory with room to spare: every test has a copy of a database, and a disk takes its time over it."""
    memory = Path("/dev/shm")
    is_roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM
    return memory if is_roomy else None


@contextmanager
def running_postgres(*, durable: bool = False) -> Iterator[str]:
    """The address of a running server, without the name of a database; skipped, or in CI failed, where there is none.

    A durable one writes to the disk before it answers, as one does that people work with.
    """
    programs = find_programs()
    if programs is None:
        reason = "there is no PostgreSQL; install Debian's package postgresql or the wheel pgserver"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    as_user: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
    memory = None if durable else _find_memory()
    folder = Path(tempfile.mkdtemp(prefix="veritab-postgres-", dir=memory))  # a socket's path must be short
    try:
        if as_user:
            shutil.chown(folder, "postgres", "postgres")

        def run(*command: str | Path) -> None:
            subprocess.run(
                [str(part) for part in command],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.STDOUT,
                cwd=folder,
                **as_user,
            )

        data = folder / "data"
        run(programs / "initdb", "-D", data, "-U", "studio", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale", "C")
        options = f"-k {folder} -c listen_addresses= -c fsync={'on' if durable else 'off'} -c max_connections=200"
        run(programs / "pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start")
        try:
            yield f"postgresql://studio@/{{}}?host={folder}"
        finally:
            run(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
