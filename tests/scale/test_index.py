"""The indexes of shards, built by workers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.retrieve.corpora import cut, indexed, town
from tests.scale.processes import DaskProcesses, end
from veritab.cancel import cancelled_by
from veritab.corpus.missing import note_missing
from veritab.corpus.shards import ShardedStore, shard_of_number
from veritab.corpus.store import Store
from veritab.engine import ThisProcess
from veritab.errors import Cancelled, StoreError
from veritab.retrieve.index import FOLDER, Index, build_index, build_shards, is_indexed, open_index
from veritab.retrieve.shards import DividedIndex
from veritab.retrieve.sparse import Clause, ShardQuery
from veritab.scale import open_engine

pytest.importorskip("distributed", reason="the extra scale is not installed")
from veritab.scale import shards
from veritab.scale.cluster import ClusterEngine
from veritab.scale.shards import WorkerSearcher, search_on

FIELDS = {"title": 0.5, "body": 1.0}


@pytest.fixture(scope="module")
def engine() -> Iterator[ClusterEngine]:
    with open_engine("local:2") as opened:
        yield opened


def content(folder: Path) -> list[bytes]:
    """What the index in a folder holds, whatever its files are called."""
    suffixes = (".idx", ".pos", ".term", ".fast", ".fieldnorm")
    return sorted(path.read_bytes() for path in (folder / FOLDER).rglob("*") if path.suffix in suffixes)


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    with indexed(tmp_path / "whole", [town(number) for number in range(40)]) as whole:
        folder = cut(whole, tmp_path / "corpus", 4)
    with Store.open(folder) as store:
        list(build_index(store))
    return folder


QUERIES = ("town river w1 w2", "w3 w4 w5", "w19 by the river")


def test_workers_that_hold_shards_find_what_one_index_finds(sharded: Path, engine: ClusterEngine) -> None:
    with open_index(sharded) as one, open_index(sharded, search_on(engine, 60)) as many:
        assert isinstance(many.texts, DividedIndex)
        for query in QUERIES:
            for k in (1, 5, 100):
                assert many.texts.search(query, FIELDS, k) == one.texts.search(query, FIELDS, k)
        one.store.close()
        many.store.close()


def test_a_worker_that_is_late_is_told_by_its_shards(
    sharded: Path, engine: ClusterEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_index(sharded, search_on(engine, 60)) as index:
        whole = index.texts.search("town", FIELDS, 100)
        searcher = index._searcher
        assert isinstance(searcher, WorkerSearcher)
        monkeypatch.setattr(searcher, "_seconds", 3.0)
        monkeypatch.setattr(searcher, "_living", lambda: ["tcp://127.0.0.1:1", *searcher._holders])
        monkeypatch.setattr(searcher, "_holders", ["tcp://127.0.0.1:1", *searcher._holders[1:]])
        found, missing = note_missing(lambda: index.texts.search("town", FIELDS, 100))
        assert sorted(missing) == sorted(searcher.groups[0])
        left = {shard_of_number(hit.page) for hit in found}
        assert {f"shard-{number:04}" for number in left} == set(searcher.groups[1])
        assert [hit for hit in whole if shard_of_number(hit.page) in left] == found
        with pytest.raises(StoreError, match="gave no answer within 3 s"):
            index.texts.search("town", FIELDS, 100)
        monkeypatch.undo()
        # Once it is known to be dead, another worker takes its shards.
        searcher._holders[0] = "tcp://127.0.0.1:1"
        assert index.texts.search("town", FIELDS, 100) == whole
        index.store.close()


def test_a_worker_holds_few_corpora_open(sharded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "_MOST_HELD", 2)
    monkeypatch.setattr(shards, "_held", {})
    with open_index(sharded) as index:
        clause = Clause("body", ("town",), 1.0)
        query = ShardQuery("texts", (clause,), None, index.texts.statistics([clause]), 5)
        folders = [(folder,) for folder in index._folders]
        for asked in (0, 1, 2, 1, 3):
            states = tuple(map(shards._state, folders[asked]))
            assert shards.search_shards(folders[asked], states, query).pages
        assert list(shards._held) == [folders[2], folders[3]]
        index.store.close()


@pytest.mark.slow
def test_without_a_scheduler_all_shards_are_told_missing(sharded: Path, tmp_path: Path) -> None:
    (tmp_path / "dask").mkdir()
    with DaskProcesses(tmp_path / "dask") as cluster:
        cluster.start_scheduler()
        cluster.start_worker()
        with open_engine(str(cluster.file), wait=60) as engine, open_index(sharded, search_on(engine, 60)) as index:
            assert index.texts.search("town", FIELDS, 5)
            assert cluster.scheduler
            end(cluster.scheduler)
            for _ in range(2):  # when it is just gone, and when that is known
                found, missing = note_missing(lambda: index.texts.search("town", FIELDS, 5))
                assert not found
                assert sorted(missing) == [f"shard-{number:04}" for number in range(4)]
            index.store.close()


def test_workers_build_what_one_process_builds(tmp_path: Path, engine: ClusterEngine) -> None:
    with indexed(tmp_path / "whole", [town(number) for number in range(20)]) as whole:
        cut(whole, tmp_path / "here", 3)
        cut(whole, tmp_path / "there", 3)
    with Store.open(tmp_path / "here") as here, Store.open(tmp_path / "there") as there:
        list(build_index(here))
        steps = list(build_shards(there, engine))
        assert list(build_shards(there, engine))[-1].total == 0
        assert (steps[-1].done, steps[-1].total) == (20, 20)
        for shard in ("shard-0000", "shard-0001", "shard-0002"):
            assert content(tmp_path / "there" / shard) == content(tmp_path / "here" / shard) != []
        Index(there).close()


def test_a_shard_that_somebody_is_at_is_waited_for(tmp_path: Path) -> None:
    with indexed(tmp_path / "whole", [town(number) for number in range(8)]) as whole:
        cut(whole, tmp_path / "corpus", 2)
    with Store.open(tmp_path / "corpus") as store:
        assert isinstance(store, ShardedStore)
        first = build_index(store.shards[0])
        next(first)
        ending = threading.Timer(1.0, first.close)  # as when nobody waits for it any longer
        ending.start()
        list(build_shards(store, ThisProcess()))
        ending.join()
        assert is_indexed(store)


def test_a_shard_is_built_no_further_once_nobody_waits_for_it(tmp_path: Path) -> None:
    with indexed(tmp_path / "whole", [town(number) for number in range(8)]) as whole:
        cut(whole, tmp_path / "corpus", 2)
    called_off = threading.Event()
    called_off.set()
    with Store.open(tmp_path / "corpus") as store:
        with cancelled_by(called_off), pytest.raises(Cancelled):
            list(build_shards(store, ThisProcess()))
        assert not is_indexed(store)
        list(build_shards(store, ThisProcess()))
        assert is_indexed(store)
