"""Where the workers are, as people write it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from veritab.engine import count_cores
from veritab.errors import FormatError, InputError, NotFound

FORMS = "local, local:4, tcp://host:8786, tls://host:8786 or the path of a scheduler file"
WAIT = "VERITAB_CLUSTER_WAIT"
_MOST_LOCAL = 1024


@dataclass(frozen=True)
class LocalWorkers:
    """Workers on this machine, started for one command."""

    count: int


@dataclass(frozen=True)
class RunningScheduler:
    """A scheduler that somebody started, and the file that named it."""

    url: str
    file: Path | None = None

    def __str__(self) -> str:
        return f"{self.url} (from {self.file})" if self.file else self.url


def read_address(address: str) -> LocalWorkers | RunningScheduler:
    """What an address means; an address that means nothing is refused with the forms there are."""
    if address == "local":
        return LocalWorkers(count_cores())
    if address.startswith("local:"):
        return LocalWorkers(_read_count(address))
    if "://" in address:
        return RunningScheduler(_read_url(address, address))
    try:
        file = Path(address).expanduser()
    except RuntimeError:  # it begins with ~ and the name of nobody who has a home here
        raise _no_file(address) from None
    if file.is_file():
        return RunningScheduler(_read_file(file), file)
    if re.fullmatch(r"[\w.-]+:\d+", address):
        raise InputError(f"{address!r} has no scheme; write tcp://{address}, or tls://{address}")
    if os.sep in address or file.suffix == ".json":
        raise _no_file(address)
    raise InputError(f"{address!r} is no cluster; expected {FORMS}")


def _no_file(address: str) -> NotFound:
    return NotFound(f"no scheduler file {address!r}; dask scheduler --scheduler-file writes one when it starts")


def read_wait() -> float:
    """How many seconds a scheduler may take to show its first worker."""
    given = os.environ.get(WAIT, "10")
    if not re.fullmatch(r"[0-9]+", given):
        raise InputError(f"{WAIT} is {given!r}; expected a number of seconds, e.g. 600")
    return float(given)


def _read_count(address: str) -> int:
    number = address.removeprefix("local:")
    # Not any number of digits: Python refuses to read thousands.
    if not re.fullmatch(r"[0-9]{1,9}", number) or not 1 <= int(number) <= _MOST_LOCAL:
        raise InputError(f"{number!r} in {address!r} is no number of workers; expected 1 to {_MOST_LOCAL}: local:4")
    return int(number)


def _read_url(url: str, shown: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InputError(f"{shown!r} is no address of a scheduler ({error}); expected e.g. tcp://host:8786") from None
    if parts.scheme not in ("tcp", "tls"):
        raise InputError(f"{shown!r} begins with {parts.scheme}://; a scheduler is reached by tcp:// or tls://")
    if not parts.hostname or not port or parts.path.strip("/") or parts.query or parts.username:
        raise InputError(f"{shown!r} is no address of a scheduler; expected a host and a port, as in tcp://host:8786")
    return url.rstrip("/")


def _read_file(file: Path) -> str:
    try:
        content = json.loads(file.read_bytes())
    except ValueError:
        content = None
    address = content.get("address") if isinstance(content, dict) else None
    if not isinstance(address, str):
        raise FormatError(f"{str(file)!r} is no scheduler file; dask scheduler --scheduler-file {file} writes one")
    try:
        return _read_url(address, address)
    except InputError as error:
        raise FormatError(f"the scheduler file {str(file)!r} cannot be used: {error}") from None
