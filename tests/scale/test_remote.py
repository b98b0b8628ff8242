"""An engine on a scheduler and workers that were started by themselves, and all that may be wrong with them."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.scale import work
from tests.scale.processes import DaskProcesses, end
from veritab.errors import InputError, StoreError, VeritabError
from veritab.scale import open_engine

pytest.importorskip("distributed", reason="the extra scale is not installed")
from veritab.scale import mapping

pytestmark = pytest.mark.slow

_PATIENCE = 60
_OLDER = "import veritab\nveritab.__version__ = '0.0.9'\n"
_BLIND = "from veritab.scale import working\nworking.see_folder = lambda token, name: 'no such file or directory'\n"
_BLIND_TO_SOURCES = "from veritab.scale import working\nworking.see_source = lambda file, size: 'no such file'\n"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskProcesses]:
    with DaskProcesses(tmp_path) as started:
        started.start_scheduler()
        yield started


def test_a_worker_killed_at_work_costs_time_and_nothing_else(cluster: DaskProcesses) -> None:
    for _ in range(3):
        cluster.start_worker()
    with open_engine(str(cluster.file), wait=_PATIENCE) as engine:
        results = engine.map(work.wait, range(60))
        first = [next(results) for _ in range(5)]
        end(cluster.workers[0])
        assert first + list(results) == list(range(60))


def test_a_worker_of_elsewhere_has_one_core_whatever_this_machine_has(
    cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veritab.scale.cluster.count_cores", lambda: 64)
    cluster.start_worker()
    with open_engine(str(cluster.file), wait=_PATIENCE) as engine:
        assert engine.cores == 1


def test_a_killed_scheduler_ends_the_work_with_what_to_do(cluster: DaskProcesses) -> None:
    cluster.start_worker()
    with open_engine(str(cluster.file), wait=_PATIENCE) as engine:
        results = engine.map(work.wait, range(1000))
        next(results)
        assert cluster.scheduler
        end(cluster.scheduler)
        started = time.monotonic()
        with pytest.raises(
            VeritabError, match=r"connection to the scheduler at tcp.* was lost; what was written is kept; run"
        ):
            list(results)
        assert time.monotonic() - started < 10


def test_a_scheduler_that_hangs_ends_the_work_too(cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    from veritab.scale import cluster as scaled

    cluster.start_worker()
    monkeypatch.setattr(scaled, "_ANSWER_WITHIN", 3)
    with open_engine(str(cluster.file), wait=_PATIENCE) as engine:
        results = engine.map(work.wait, range(1000))
        next(results)
        assert cluster.scheduler
        cluster.scheduler.send_signal(signal.SIGSTOP)
        started = time.monotonic()
        with pytest.raises(VeritabError, match="was lost"):
            list(results)
        end(cluster.scheduler)
    assert time.monotonic() - started < 30


def test_work_without_workers_ends_after_a_while(cluster: DaskProcesses) -> None:
    cluster.start_worker()
    with open_engine(str(cluster.file), wait=_PATIENCE, patience=2) as engine:
        results = engine.map(work.wait, range(1000))
        next(results)
        end(cluster.workers[0])
        with pytest.raises(VeritabError, match="it has no worker left; start workers"):
            list(results)


def test_a_scheduler_without_workers_is_reported(cluster: DaskProcesses) -> None:
    with pytest.raises(VeritabError, match="has no workers after 1 seconds"), open_engine(str(cluster.file), wait=1):
        pass


def test_how_long_the_first_worker_may_take_can_be_said_in_the_environment(
    cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERITAB_CLUSTER_WAIT", "1")
    with (
        pytest.raises(VeritabError, match=r"after 1 seconds.*VERITAB_CLUSTER_WAIT=600"),
        open_engine(str(cluster.file)),
    ):
        pass
    monkeypatch.setenv("VERITAB_CLUSTER_WAIT", "long")
    with pytest.raises(InputError, match="VERITAB_CLUSTER_WAIT is 'long'"), open_engine(str(cluster.file)):
        pass


@pytest.mark.parametrize("banner", [b"SSH-2.0-OpenSSH_9.2p1\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_a_server_of_another_kind_is_said_to_be_no_scheduler(banner: bytes) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"

        def greet() -> None:
            taken, _ = server.accept()
            with taken:
                taken.sendall(banner)
                taken.recv(1)

        greeting = threading.Thread(target=greet)
        greeting.start()
        with pytest.raises(InputError, match=f"what answers at {address} is no Dask scheduler"), open_engine(address):
            pass
        greeting.join()


def test_an_unreachable_scheduler_is_reported_within_ten_seconds() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    started = time.monotonic()
    address = f"tcp://127.0.0.1:{port}"
    with pytest.raises(VeritabError, match=f"no scheduler answers at {address}"), open_engine(address):
        pass
    assert time.monotonic() - started < 10


def test_a_server_that_is_no_scheduler_is_reported_within_ten_seconds() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        started = time.monotonic()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(VeritabError, match="no scheduler answers"), open_engine(address):
            pass
        assert time.monotonic() - started < 10


def test_tls_without_certificates_says_where_they_are_named() -> None:
    with (
        pytest.raises(InputError, match="without certificates; name them in Dask's configuration"),
        open_engine("tls://127.0.0.1:1"),
    ):
        pass


@pytest.mark.parametrize(
    ("preload", "says"),
    [
        (_OLDER, r"worker tcp://127\.0\.0\.1:\d+ has Veritab 0\.0\.9 where the command has \d"),
        ("import sys\nsys.modules['veritab'] = None\n", r"has no Veritab; install"),
        ("from importlib import metadata\nmetadata.version = lambda package: '0.1'\n", "has tantivy 0.1 where"),
    ],
)  # fmt: skip
def test_a_worker_that_differs_is_refused_by_name(cluster: DaskProcesses, preload: str, says: str) -> None:
    cluster.start_worker(preload=preload)
    with pytest.raises(VeritabError, match=says), open_engine(str(cluster.file), wait=_PATIENCE):
        pass


def test_a_worker_of_several_threads_is_refused(cluster: DaskProcesses) -> None:
    cluster.start_worker(threads=2)
    with (
        pytest.raises(VeritabError, match="start it with --nthreads 1"),
        open_engine(str(cluster.file), wait=_PATIENCE),
    ):
        pass


def test_a_worker_that_joins_later_and_differs_is_given_no_work(
    cluster: DaskProcesses, caplog: pytest.LogCaptureFixture
) -> None:
    cluster.start_worker()
    with open_engine(str(cluster.file), wait=_PATIENCE) as engine:
        results = engine.map(work.wait, itertools.count())
        assert next(results) == 0
        cluster.start_worker(preload=_OLDER)
        until = time.monotonic() + _PATIENCE
        for number, result in enumerate(results, 1):
            assert result == number
            if "has Veritab 0.0.9" in caplog.text or time.monotonic() > until:
                break
        assert [next(results) for _ in range(5)] == list(range(number + 1, number + 6))
    assert "has Veritab 0.0.9" in caplog.text


def test_a_worker_that_differs_takes_nothing_from_one_that_is_busy(
    cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from distributed import Client

    monkeypatch.setattr(mapping, "_TRIES", 1)
    for preload in ("", _OLDER):
        cluster.start_worker(preload=preload)
    with Client(scheduler_file=str(cluster.file)) as client:
        client.wait_for_workers(2, timeout=_PATIENCE)
    with open_engine(str(cluster.file)) as engine:
        assert "has Veritab 0.0.9" in caplog.text
        assert "gets no work" in caplog.text
        assert list(engine.map(work.wait_long, range(4))) == list(range(4))


def test_what_only_a_worker_may_do_that_is_killed_is_done_by_another(
    cluster: DaskProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.start_worker()
    with open_engine(str(cluster.file), wait=_PATIENCE) as engine:
        only = itertools.repeat(engine.there(), 3)
        cluster.start_worker()
        engine.client.wait_for_workers(2, timeout=_PATIENCE)
        monkeypatch.setattr(engine, "chosen", lambda: next(only, frozenset()))
        killing = threading.Timer(0.5, end, [cluster.workers[0]])
        killing.start()
        assert list(engine.map(work.wait_long, range(4))) == list(range(4))
        killing.join()


def test_a_folder_that_a_worker_does_not_see_is_refused(cluster: DaskProcesses, tmp_path: Path) -> None:
    cluster.start_worker(preload=_BLIND)
    with (
        open_engine(str(cluster.file), wait=_PATIENCE) as engine,
        pytest.raises(StoreError, match=r"cannot use '.*/new': no such file or directory; use a folder on storage"),
    ):
        engine.check_folder(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_folder_of_the_workers_own_is_refused(
    cluster: DaskProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from veritab.scale import cluster as scaled

    monkeypatch.setattr(scaled, "_SEEN_WITHIN", 1)
    cluster.start_worker(preload="import pathlib\npathlib.Path.write_text = lambda *_, **__: None\n")
    with (
        open_engine(str(cluster.file), wait=_PATIENCE) as engine,
        pytest.raises(StoreError, match="what it writes is not seen here"),
    ):
        engine.check_folder(tmp_path)
    assert not list(tmp_path.glob(".shared-*"))


def test_a_corpus_in_another_revision_is_refused(cluster: DaskProcesses, tmp_path: Path) -> None:
    from veritab.corpus.store import Store

    with Store.create(tmp_path / "corpus") as store:
        corpus, number = store.revision()
    cluster.start_worker()
    with open_engine(str(cluster.file), wait=_PATIENCE) as engine:
        engine.check_corpus(tmp_path / "corpus", (corpus, number))
        assert list(engine.map(work.square, [2])) == [4]
        with pytest.raises(StoreError, match="sees the corpus in another revision"):
            engine.check_corpus(tmp_path / "corpus", (corpus, number + 1))
        with pytest.raises(StoreError, match=r"cannot use the corpus .*/none"):
            engine.check_corpus(tmp_path / "none", (corpus, number))


def test_a_source_that_a_worker_does_not_see_is_refused(cluster: DaskProcesses, tmp_path: Path) -> None:
    source = tmp_path / "pages.jsonl"
    source.write_text("{}\n")
    cluster.start_worker()
    with open_engine(str(cluster.file), wait=_PATIENCE) as engine:
        engine.check_source(source)
        assert list(engine.map(work.square, [2])) == [4]
        cluster.start_worker(preload=_BLIND_TO_SOURCES)
        engine.client.wait_for_workers(2, timeout=_PATIENCE)
        with pytest.raises(StoreError, match=r"the worker tcp.* cannot read '.*pages.jsonl': no such file"):
            engine.check_source(source)


def test_work_that_nobody_waits_for_is_called_off_on_the_worker(cluster: DaskProcesses, tmp_path: Path) -> None:
    cluster.start_worker()
    with open_engine(str(cluster.file), wait=_PATIENCE) as engine:
        results = engine.map(work.wait_until_called_off, [tmp_path / "begun"])
        pid = _after_begin(results, tmp_path / "begun")
        assert pid == cluster.workers[0].pid
        until = time.monotonic() + _PATIENCE
        while not (tmp_path / "begun.off").exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        assert list(engine.map(work.square, [2])) == [4]


def _after_begin(results: Iterator[object], begun: Path) -> int:
    """Have the only task begin, then give its results up."""
    import threading

    def stop() -> None:
        while not begun.exists():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=stop, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        next(results)
    return int(begun.read_text())
