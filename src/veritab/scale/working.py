"""What runs on a worker: one task, if the worker is what the work asks for."""

from __future__ import annotations

import os
import pickle
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from distributed import Worker, get_worker

from veritab.cancel import cancelled_by
from veritab.errors import VeritabError
from veritab.scale.installation import describe

SHARED_FOLDER = "use a folder on storage that every worker mounts under the same path"
_LOOK_EVERY = 0.5


@dataclass(frozen=True)
class Terms:
    """What a worker must have installed, and the folders it must see as they are where the command runs."""

    installed: tuple[tuple[str, str], ...]
    tokens: tuple[Path, ...] = ()
    corpora: tuple[tuple[Path, tuple[str, int]], ...] = ()
    sources: tuple[tuple[Path, int], ...] = ()
    """Files that tasks read, with their sizes."""


@dataclass(frozen=True)
class TaskOutcome:
    """What a task came to: a result, an error, or why this worker may not do it."""

    result: bytes | None = None
    error: Exception | None = None
    refused: str = ""
    worker: str = ""


def run_task(terms: bytes, function: bytes, item: bytes) -> TaskOutcome:
    """Apply the function to the item; what it raises is part of the outcome."""
    worker = get_worker()
    try:
        _accept(terms)
        with _ending_with_its_task(worker):
            result = pickle.dumps(_load(function)(pickle.loads(item)), protocol=5)
        return TaskOutcome(result=result)
    except _Refused as refused:
        return TaskOutcome(refused=str(refused), worker=worker.address)
    except BaseException as error:  # an exit in a task must not end the worker
        return TaskOutcome(error=_as_sent(error, worker.address), worker=worker.address)


def see_folder(token: Path, name: str) -> str:
    """Read the token of a folder and leave an answer beside it; why that cannot be done."""
    try:
        if token.read_text() != token.name:
            return "reads something else there"
        token.with_name(f"{token.name}.{name}").write_text(token.name)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return ""


def see_corpus(folder: Path, revision: tuple[str, int]) -> str:
    """Open a corpus; how it differs from the one that is meant."""
    from veritab.corpus.store import Store

    try:
        with Store.open(folder) as store:
            found = tuple(store.revision())
    except VeritabError as error:
        return str(error)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return "" if found == tuple(revision) else "sees the corpus in another revision"


def see_source(file: Path, size: int) -> str:
    """Look at a file that tasks are to read; how it differs from the one that is meant."""
    try:
        with file.open("rb") as opened:
            found = os.fstat(opened.fileno()).st_size
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return "" if found == size else f"it has {found:,} bytes there, and {size:,} where the command runs"


class _Refused(Exception):
    pass


@lru_cache(maxsize=8)
def _accept(terms: bytes) -> None:
    """Refuse to work where the terms are not met; once they are, they are not looked at again."""
    wanted: Terms = pickle.loads(terms)
    differs = difference(dict(wanted.installed), _installed())
    if differs:
        raise _Refused(differs)
    for token in wanted.tokens:
        if not token.exists():
            raise _Refused(f"does not see the folder {str(token.parent)!r}; {SHARED_FOLDER}")
    for folder, revision in wanted.corpora:
        why = see_corpus(folder, revision)
        if why:
            raise _Refused(cannot_use_corpus(folder, why))
    for file, size in wanted.sources:
        why = see_source(file, size)
        if why:
            raise _Refused(cannot_read_source(file, why))


def cannot_use_corpus(folder: Path, why: str) -> str:
    """That a worker has no use of a corpus, why, and what to do."""
    return (
        f"cannot use the corpus {str(folder)!r}: {why}; "
        "put the corpus on storage that every worker mounts under the same path"
    )


def cannot_read_source(file: Path, why: str) -> str:
    """That a worker cannot read a source, why, and what to do."""
    return f"cannot read {str(file)!r}: {why}; put sources on storage that every worker mounts under the same path"


def difference(wanted: Mapping[str, str], found: Mapping[str, str]) -> str:
    """In what an installation differs from the one that is wanted, and what to do."""
    remedy = "install the same there and start the worker again"
    if found["Veritab"] == "none":
        return f"has no Veritab; {remedy}"
    for what, version in wanted.items():
        if found.get(what) != version:
            name = f"Veritab {found['Veritab']} of another source," if what == "source" else what
            return f"has {name} {found.get(what)} where the command has {version}; {remedy}"
    return ""


@cache
def _installed() -> dict[str, str]:
    return describe()


@lru_cache(maxsize=8)
def _load(function: bytes) -> Callable[[Any], Any]:
    """One function for all tasks, so that what it keeps open stays open."""
    loaded: Callable[[Any], Any] = pickle.loads(function)
    return loaded


@contextmanager
def _ending_with_its_task(worker: Worker) -> Iterator[None]:
    """Call the work off once nobody waits for it: the command was stopped, or its connection is lost."""
    called_off, over = threading.Event(), threading.Event()
    key = worker.get_current_task()

    def look() -> None:
        while not over.wait(_LOOK_EVERY):
            task = worker.state.tasks.get(key)
            if task is None or task.state == "cancelled" or worker.status.name not in ("running", "paused"):
                called_off.set()
                return

    threading.Thread(target=look, daemon=True).start()
    try:
        with cancelled_by(called_off):
            yield
    finally:
        over.set()


def _as_sent(error: BaseException, address: str) -> Exception:
    """The error as the command gets it: our own and the system's as they are, others in words."""
    if isinstance(error, VeritabError | OSError):
        try:
            pickle.loads(pickle.dumps(error))
            return error
        except Exception:  # it holds what cannot travel; its words can
            return VeritabError(str(error))
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" ({os.path.basename(place[0].filename)}, line {place[0].lineno})" if place else ""  # noqa: PTH119
    return VeritabError(f"a task failed on the worker {address}: {type(error).__name__}: {error}{where}")
