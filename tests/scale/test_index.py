"""The indexes of shards, built by workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.retrieve.corpora import cut, indexed, town
from veritab.corpus.store import Store
from veritab.retrieve.index import FOLDER, Index, build_index, build_shards
from veritab.scale import open_engine

pytest.importorskip("distributed", reason="the extra scale is not installed")


def content(folder: Path) -> list[bytes]:
    """What the index in a folder holds, whatever its files are called."""
    suffixes = (".idx", ".pos", ".term", ".fast", ".fieldnorm")
    return sorted(path.read_bytes() for path in (folder / FOLDER).rglob("*") if path.suffix in suffixes)


def test_workers_build_what_one_process_builds(tmp_path: Path) -> None:
    with indexed(tmp_path / "whole", [town(number) for number in range(20)]) as whole:
        cut(whole, tmp_path / "here", 3)
        cut(whole, tmp_path / "there", 3)
    with Store.open(tmp_path / "here") as here, Store.open(tmp_path / "there") as there:
        list(build_index(here))
        with open_engine("local:2") as engine:
            steps = list(build_shards(there, engine))
            assert list(build_shards(there, engine))[-1].total == 0
        assert (steps[-1].done, steps[-1].total) == (20, 20)
        for shard in ("shard-0000", "shard-0001", "shard-0002"):
            assert content(tmp_path / "there" / shard) == content(tmp_path / "here" / shard) != []
        Index(there).close()
