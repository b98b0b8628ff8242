"""The engine on a cluster: opened, its workers looked at, its work mapped."""

from __future__ import annotations

import asyncio
import inspect
import logging
import pickle
import shutil
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, TypeVar

import dask.config
from distributed import Client, LocalCluster, Security
from distributed.comm import connect

from veritab.engine import count_cores
from veritab.errors import InputError, StoreError, VeritabError
from veritab.scale import installation
from veritab.scale.address import WAIT, LocalWorkers, RunningScheduler, read_address, read_wait
from veritab.scale.mapping import map_tasks
from veritab.scale.working import (
    SHARED_FOLDER,
    Terms,
    cannot_read_source,
    cannot_use_corpus,
    difference,
    see_corpus,
    see_folder,
    see_source,
)

Item = TypeVar("Item")
Result = TypeVar("Result")

log = logging.getLogger(__name__)

_CONNECT_WITHIN = 6.0
_ANSWER_WITHIN = 30.0
_SEEN_WITHIN = 10.0
_TOKEN = ".shared-"
_ABANDONED_SECONDS = 7 * 24 * 3600.0
_KEPT = "what was written is kept; run the same command again to go on"
# A task that was at work on a dying worker so often is suspected; by default Dask says so after four deaths.
_LOCAL_DEATHS = 2
_CONFIG = {
    "distributed.admin.large-graph-warning-threshold": "1 PiB",  # items travel with their tasks, one by one
}
_LOCAL_CONFIG = {
    # Tasks hold models and not Dask's data, so nothing can be spilled, and a worker that pauses would never go on:
    # one that needs too much memory is ended and its task done again.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.profile.enabled": False,
    # Dask gives up for good a worker that is starting anew when this long has passed since any of its deaths.
    "distributed.deploy.lost-worker-timeout": "1000 days",
}


@dataclass
class Standing:
    """How far the work is, over all workers."""

    workers: int = 1
    under_way: int = 0


class ClusterEngine:
    """Applies functions to items on the workers of a Dask cluster; `open_engine` opens one."""

    def __init__(self, client: Client, place: str, patience: float, cores: int = 1) -> None:
        self._client = client
        self._place = place
        self._patience = patience
        self.cores = cores
        self._terms = Terms(tuple(installation.describe().items()))
        self._tokens: list[Path] = []
        self._refused: dict[str, str] = {}
        self._since: float | None = None
        self._looked = time.monotonic()
        self.standing = Standing()
        self.startup_seconds = 0.0

    @property
    def workers(self) -> int:
        """How many workers there are now."""
        return max(1, len(self._able()))

    @property
    def client(self) -> Client:
        """What work is handed to that is no map."""
        return self._client

    @property
    def dashboard(self) -> str | None:
        """Where a browser shows the cluster at work."""
        link = self._client.dashboard_link
        return str(link) if link else None

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """The results in the order of the items; a few items for each worker are under way."""
        return map_tasks(self, function, items, lost)

    def check_folder(self, folder: Path | str) -> None:
        """Refuse a folder that some worker does not share with this process; it is made where there is none."""
        folder = Path(folder).absolute()
        if folder.is_file():
            raise InputError(f"{str(folder)!r} is a file; name a folder")
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        _remove_old_tokens(folder)
        token = folder / f"{_TOKEN}{uuid.uuid4().hex}"
        try:
            token.write_text(token.name)
            self._check_folder(folder, token)
        except BaseException:
            token.unlink(missing_ok=True)
            if made:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        self._tokens.append(token)
        self._terms = replace(self._terms, tokens=(*self._terms.tokens, token))

    def _check_folder(self, folder: Path, token: Path) -> None:
        answers: dict[str, str] = {}
        try:
            for number, address in enumerate(self._able()):
                answers[address] = str(number)
                why = self._ask_workers(see_folder, token, str(number), workers=[address]).get(address)
                if why:
                    raise StoreError(f"the worker {address} cannot use {str(folder)!r}: {why}; {SHARED_FOLDER}")
            until = time.monotonic() + _SEEN_WITHIN  # a network file system may show a new file late
            for address, name in answers.items():
                answer = token.with_name(f"{token.name}.{name}")
                while not answer.exists():
                    if time.monotonic() > until:
                        why = f"the worker {address} has a folder of its own at {str(folder)!r}"
                        raise StoreError(f"{why}: what it writes is not seen here; {SHARED_FOLDER}")
                    time.sleep(0.1)
        finally:
            for name in answers.values():
                token.with_name(f"{token.name}.{name}").unlink(missing_ok=True)

    def check_corpus(self, folder: Path | str, revision: tuple[str, int]) -> None:
        """Refuse a corpus that some worker does not see in the revision it has here."""
        folder = Path(folder).absolute()
        for address, why in self._ask_workers(see_corpus, folder, tuple(revision), workers=self._able()).items():
            if why:
                raise StoreError(f"the worker {address} {cannot_use_corpus(folder, why)}")
        self._terms = replace(self._terms, corpora=(*self._terms.corpora, (folder, (revision[0], revision[1]))))

    def check_source(self, file: Path) -> None:
        """Refuse a file that some worker does not see as it is here, where workers are to read it."""
        file = file.absolute()
        size = file.stat().st_size
        for address, why in self._ask_workers(see_source, file, size, workers=self._able()).items():
            if why:
                raise StoreError(f"the worker {address} {cannot_read_source(file, why)}")
        self._terms = replace(self._terms, sources=(*self._terms.sources, (file, size)))

    def close(self) -> None:
        """Leave nothing behind in the folders that were checked."""
        for token in self._tokens:
            with suppress(OSError):
                token.unlink(missing_ok=True)

    # -- for the map -------------------------------------------------------------------------------------------

    @property
    def terms(self) -> bytes:
        """What a worker must be and see, as it travels with every task."""
        return pickle.dumps(self._terms)

    def submit(
        self, function: Callable[..., Any], *arguments: Any, name: str, workers: Collection[str] = frozenset()
    ) -> Any:
        """Have a function run on some worker; on one of these alone, where any are named."""
        key = f"{name}-{uuid.uuid4().hex}"
        return self._client.submit(function, *arguments, key=key, pure=False, workers=sorted(workers) or None)

    def chosen(self) -> frozenset[str]:
        """The workers that alone may be given work, as others were refused; none where all may."""
        # No mere preference: an idle worker would steal what it refuses, again and again.
        return frozenset(self._able()) if self._refused else frozenset()

    def there(self) -> frozenset[str]:
        """All workers that there are now."""
        return frozenset(self._identities())

    def note_life(self) -> None:
        """Something happened, so the work does not stand still."""
        self._since = None
        self.watch()

    def watch(self) -> None:
        """Raise once the work cannot go on: the connection is lost, or no worker was there for too long."""
        if self._client.status != "running":
            raise self.connection_lost()
        now = time.monotonic()
        if now - self._looked < 2:
            return
        self._looked = now
        states = {address: state for address, state in self._states().items() if address not in self._refused}
        self.standing.workers = max(1, len(states))
        if any(state in ("running", "init") for state in states.values()):
            self._since = None
            return
        self._since = now if self._since is None else self._since
        if now - self._since > self._patience:
            why = "all its workers have paused for want of memory" if states else "it has no worker left"
            raise VeritabError(f"the cluster at {self._place} does no work: {why}; start workers; {_KEPT}")

    def connection_lost(self) -> VeritabError:
        """The error for a scheduler that is gone."""
        return VeritabError(f"the connection to the scheduler at {self._place} was lost; {_KEPT}")

    def refuse(self, address: str, why: str) -> None:
        """Give a worker no more tasks; raise where no other is left."""
        is_new = address not in self._refused
        self._refused.setdefault(address, why)
        if not self._able():
            raise VeritabError(f"the worker {address} {why}")
        if is_new:
            log.warning("the worker %s %s; it gets no work", address, why)

    def inspect(self) -> dict[str, str]:
        """The workers that differ from what the work asks for, and in what."""
        source = inspect.getsource(installation)
        # As text, since a worker that differs may not have this module; and not as code, which is one Python's own.
        found = self._ask_workers(
            eval, f"(lambda names: (exec({source!r}, names), names['describe']())[1])({{}})", workers=None
        )
        wanted = dict(self._terms.installed)
        differing = {address: difference(wanted, each) for address, each in found.items()}
        for address, threads in self._threads().items():
            if threads != 1 and not differing.get(address):
                differing[address] = f"does {threads} tasks at once in one process; start it with --nthreads 1"
        return {address: why for address, why in differing.items() if why and address not in self._refused}

    # -- asking ------------------------------------------------------------------------------------------------

    def _ask(self, question: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        try:
            return self._client.sync(question, *arguments, callback_timeout=_ANSWER_WITHIN, **options)
        except OSError as error:
            raise self.connection_lost() from error

    def _ask_workers(self, question: Callable[..., Any], *arguments: Any, workers: list[str] | None) -> dict[str, Any]:
        """The answers of some workers, or of all; those that leave meanwhile give none."""
        answers = self._ask(self._client._run, question, *arguments, workers=workers, on_error="return")
        found: dict[str, Any] = {}
        for address, each in answers.items():
            if not isinstance(each, BaseException):
                found[address] = each
            elif address in self._identities():
                raise VeritabError(f"the worker {address} cannot be asked: {type(each).__name__}: {each}") from each
        return found

    def _identities(self) -> dict[str, Any]:
        identity = self._ask(self._client.scheduler.identity)
        workers: dict[str, Any] = identity["workers"]
        return workers

    def _states(self) -> dict[str, str]:
        return {address: each["status"] for address, each in self._identities().items()}

    def _threads(self) -> dict[str, int]:
        return {address: each["nthreads"] for address, each in self._identities().items()}

    def _able(self) -> list[str]:
        return [address for address in self._identities() if address not in self._refused]


def _remove_old_tokens(folder: Path) -> None:
    """Remove what commands that were killed left; those at work must find theirs."""
    for token in folder.glob(f"{_TOKEN}*"):
        with suppress(OSError):
            if time.time() - token.stat().st_mtime > _ABANDONED_SECONDS:
                token.unlink()


# -- opening -----------------------------------------------------------------------------------------------


@contextmanager
def open_cluster(address: str, *, memory: str | None, wait: float | None, patience: float) -> Iterator[ClusterEngine]:
    """Connect, wait for a worker and look at all of them; local workers end with the engine."""
    started = time.monotonic()
    where = read_address(address)
    wait = read_wait() if wait is None else wait
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        stack.enter_context(dask.config.set(_CONFIG))
        if isinstance(where, LocalWorkers):
            client = _start_locally(where.count, memory, stack)
            place, cores = "this machine", max(1, count_cores() // where.count)
        else:
            if memory is not None:
                raise InputError("memory is given to workers where they are started: dask worker --memory-limit")
            client = _connect(where, stack)
            # How many cores a worker may use elsewhere nobody tells; one is what its single thread asks for.
            place, cores = str(where), 1
        engine = ClusterEngine(client, place, patience, cores)
        stack.callback(engine.close)
        _await_workers(engine, place, wait)
        for worker, why in engine.inspect().items():
            engine.refuse(worker, why)
        engine.standing.workers = engine.workers
        engine.startup_seconds = time.monotonic() - started
        yield engine


def _start_locally(count: int, memory: str | None, stack: ExitStack) -> Client:
    from distributed.system import MEMORY_LIMIT

    limit = int(MEMORY_LIMIT * 0.9 / count) if memory is None else _read_size(memory)
    stack.enter_context(dask.config.set(_LOCAL_CONFIG))
    with _holding_back_ctrl_c():
        try:
            cluster = LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=f"127.0.0.1:{_dashboard_port()}",
                memory_limit=limit,
                silence_logs=logging.CRITICAL,
                scheduler_kwargs={"allowed_failures": _LOCAL_DEATHS},
            )
        except (RuntimeError, OSError) as error:
            raise VeritabError(f"{count} local workers could not be started: {error}; try fewer") from error
        stack.callback(cluster.close, timeout=10)
        client = Client(cluster, timeout=_CONNECT_WITHIN, direct_to_workers=True)
        stack.callback(client.close, timeout=5)
    return client


@contextmanager
def _holding_back_ctrl_c() -> Iterator[None]:
    """Answer Ctrl-C once the workers have started, since Dask cannot end what is half begun.

    It reaches the workers too, and is for this process alone to answer. So it is blocked while they begin: they inherit
    that, also those that are started anew later, from threads that begin now.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # where no signal is answered
        return
    resource_tracker.ensure_running()  # it would unblock the signal when the first worker starts it
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))  # other threads do not block it
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        signal.signal(signal.SIGINT, before)
        if pressed:
            raise KeyboardInterrupt


def _read_size(memory: str) -> int:
    from dask.utils import parse_bytes

    try:
        size = int(parse_bytes(memory))
    except ValueError:
        size = 0
    if size <= 0:
        raise InputError(f"{memory!r} is no amount of memory; expected e.g. 2GB")
    return size


def _dashboard_port() -> int:
    """The port that people expect where it is free, else any."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", 8787))
        except OSError:
            return 0
    return 8787


def _connect(where: RunningScheduler, stack: ExitStack) -> Client:
    try:
        kind = asyncio.run(asyncio.wait_for(_ask_kind(where.url), _CONNECT_WITHIN))
    except OSError as error:
        old = f"; {where.file} may be of a scheduler that has ended" if where.file else ""
        raise VeritabError(
            f"no scheduler answers at {where} within {_CONNECT_WITHIN:.0f} seconds; "
            f"is it running, and is its port open from here?{old}"
        ) from error
    except (TypeError, ValueError) as error:
        if where.url.startswith("tls://"):
            remedy = "name them in Dask's configuration, as docs/howto-scale.md does"
            raise InputError(f"cannot connect to {where} without certificates; {remedy}") from error
        raise _no_scheduler(where) from error
    except RuntimeError as error:  # Dask's configuration asks for encryption
        raise InputError(f"cannot connect to {where}: {error}") from error
    except Exception as error:  # whatever Dask makes of bytes that another protocol means
        raise _no_scheduler(where) from error
    if kind != "Scheduler":
        raise InputError(f"{where} is a {kind.lower() or 'server'} and no scheduler; give the address of the scheduler")
    try:
        client = Client(where.url, timeout=_CONNECT_WITHIN)
    except OSError as error:
        raise VeritabError(f"the scheduler at {where} did not let this command in: {error}") from error
    stack.callback(client.close, timeout=5)
    return client


def _no_scheduler(where: RunningScheduler) -> InputError:
    return InputError(f"what answers at {where} is no Dask scheduler; give the address of the scheduler")


async def _ask_kind(url: str) -> str:
    """What answers at an address; a client would wait for ever for one that accepts and says nothing."""
    comm = await connect(url, timeout=_CONNECT_WITHIN, **Security().get_connection_args("client"))
    try:
        await comm.write({"op": "identity", "reply": True})
        answer = await comm.read()
    finally:
        comm.abort()
    return str(answer.get("type", "")) if isinstance(answer, dict) else ""


def _await_workers(engine: ClusterEngine, place: str, wait: float) -> None:
    until = time.monotonic() + wait
    while not engine._able():
        if time.monotonic() > until:
            raise VeritabError(
                f"the scheduler at {place} has no workers after {wait:.0f} seconds; start some "
                "(dask worker ADDRESS --nworkers auto --nthreads 1), or wait longer for them: "
                f"{WAIT}=600 in the environment"
            )
        time.sleep(0.2)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's own talk off the terminal: what matters of it is an error of ours."""
    loggers = [logging.getLogger(name) for name in ("distributed", *_TALKING)]
    before = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for each, level in zip(loggers, before, strict=True):
            each.setLevel(level)


_TALKING = (
    "distributed.client",
    "distributed.comm",
    "distributed.core",
    "distributed.nanny",
    "distributed.scheduler",
    "distributed.worker",
    "distributed.utils",
    "distributed.batched",
    "distributed.gc",
    "tornado",
    "tornado.application",
    "bokeh",
)
