"""Vectors on disk: what is found, what survives, who is told what."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from veritab.errors import (
    DamagedStore,
    DiskFull,
    InputError,
    MissingExtra,
    NewerStore,
    NotFound,
    StaleIndex,
    StoreBusy,
    StoreError,
)
from veritab.retrieve.dense.key_table import FILE
from veritab.retrieve.dense.vectors import VectorIndex

pytest.importorskip("usearch", reason="leads to near vectors; pip install 'veritab[dense]'")


def clustered(count: int, *, seed: int, dimension: int = 64) -> Any:
    """Vectors of unit length that lie in groups of about twenty-five, as texts do."""
    centres = np.random.default_rng(0).normal(size=(120, dimension))
    rng = np.random.default_rng(seed)
    vectors = centres[rng.integers(0, len(centres), count)] + 0.5 * rng.normal(size=(count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def named(count: int, start: int = 0) -> list[str]:
    return [f"key {number:05}" for number in range(start, start + count)]


def writer(folder: Path, *, dimension: int = 64, encoder: str = "e", **options: Any) -> VectorIndex:
    return VectorIndex.create(folder, encoder=encoder, dimension=dimension, **options)


def filled(folder: Path, count: int, **options: Any) -> Any:
    """An index of that many vectors in a folder, closed again; the vectors."""
    vectors = clustered(count, seed=1)
    with writer(folder, **options) as index:
        index.add(named(count), vectors)
        index.settle()
    return vectors


def found(index: VectorIndex, queries: Any, k: int = 10, **options: Any) -> list[list[str]]:
    return [[match.key for match in matches] for matches in index.search(queries, k, **options)]


# -- finding -----------------------------------------------------------------------------------------------


def test_eight_bits_find_in_the_order_of_floats_where_vectors_are_apart(tmp_path: Path) -> None:
    query = np.eye(64, dtype=np.float32)[:1]
    other = np.eye(64, dtype=np.float32)[1]
    angles = np.linspace(0.05, 3.0, 120)[:, None]
    vectors = (np.cos(angles) * query + np.sin(angles) * other).astype(np.float32)
    order = np.random.default_rng(2).permutation(120)
    with writer(tmp_path) as index:
        index.add([f"{number:03}" for number in order], vectors[order])
        (matches,) = index.search(query, 120)
    assert [match.key for match in matches] == [f"{number:03}" for number in range(120)]
    np.testing.assert_allclose([match.score for match in matches], np.cos(angles[:, 0]), atol=0.01)


def test_few_vectors_are_searched_exactly(tmp_path: Path) -> None:
    vectors, queries = filled(tmp_path, 3000), clustered(70, seed=3)
    wanted = np.argsort(-(queries @ vectors.T), axis=1)[:, :10]
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert index.manifest.graph == ""
        ours = found(index, queries)
    right = sum(len(set(keys) & {f"key {row:05}" for row in rows}) for keys, rows in zip(ours, wanted, strict=True))
    assert right / 700 > 0.98


def test_many_vectors_are_searched_by_graph_and_few_neighbours_are_missed(tmp_path: Path) -> None:
    filled(tmp_path, 4000, exact_below=1000)
    queries = clustered(100, seed=3)
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert index.manifest.graph_rows == 4000
        pairs = list(zip(found(index, queries), found(index, queries, exact=True), strict=True))
    assert sum(len(set(ours) & set(true)) for ours, true in pairs) / 1000 >= 0.95


def test_vectors_the_graph_does_not_know_yet_are_found_beside_it(tmp_path: Path) -> None:
    filled(tmp_path, 2000, exact_below=1000)
    new = clustered(50, seed=9)
    with writer(tmp_path, exact_below=1000) as index:
        index.add(named(50, 2000), new)
        index.commit()
        assert (index.manifest.rows, index.manifest.graph_rows) == (2050, 2000)
        assert [keys[0] for keys in found(index, new)] == named(50, 2000)


def test_equal_scores_come_in_the_order_of_keys_wherever_their_rows_are(tmp_path: Path) -> None:
    vectors = clustered(9000, seed=1)
    vectors[::300] = vectors[0]
    keys = [f"{number:04}" for number in np.random.default_rng(4).permutation(9000)]
    with writer(tmp_path) as index:
        index.add(keys, vectors)
        assert found(index, vectors[:1], 10) == [sorted(keys[::300])[:10]]


def test_more_is_asked_for_than_there_is(tmp_path: Path) -> None:
    filled(tmp_path, 5)
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert sorted(found(index, clustered(1, seed=2), 10)[0]) == named(5)


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    with writer(tmp_path) as index:
        assert index.search(clustered(2, seed=1), 3) == [[], []]
        assert index.search(np.empty((0, 64)), 3) == []
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert len(index) == 0
        assert index.search(clustered(1, seed=1), 3) == [[]]


def test_a_vector_of_zeros_is_near_to_nothing(tmp_path: Path) -> None:
    with writer(tmp_path, dimension=2) as index:
        index.add(["zero", "one"], np.array([[0, 0], [1, 0]]))
        assert index.search(np.array([[1, 0], [0, 0]]), 2) == [
            [("one", 1.0), ("zero", 0.0)],
            [("one", 0.0), ("zero", 0.0)],
        ]


def test_long_vectors_are_summed_exactly_too(tmp_path: Path) -> None:
    vectors = clustered(20, seed=1, dimension=1536)
    with writer(tmp_path, dimension=1536) as index:
        index.add(named(20), vectors)
        assert [keys[0] for keys in found(index, vectors)] == named(20)


def test_vectors_of_another_shape_or_without_sense_are_refused(tmp_path: Path) -> None:
    with writer(tmp_path) as index:
        with pytest.raises(InputError, match=r"shape \(1, 3\); expected \(n, 64\)"):
            index.add(["a"], np.ones((1, 3)))
        with pytest.raises(InputError, match="not finite"):
            index.add(["a"], np.full((1, 64), np.nan))
        with pytest.raises(InputError, match="2 keys, 1 vectors"):
            index.add(["a", "b"], np.ones((1, 64)))
        with pytest.raises(InputError, match="expected 1 or more"):
            index.search(np.ones((1, 64)), 0)


def test_threads_share_a_reader(tmp_path: Path) -> None:
    vectors = filled(tmp_path, 1500, exact_below=1000)
    wrong: list[object] = []

    def look(index: VectorIndex) -> None:
        for start in range(0, 200, 20):
            keys = found(index, vectors[start : start + 20], 1)
            if keys != [[key] for key in named(20, start)]:
                wrong.append(keys)

    with VectorIndex.open(tmp_path, encoder="e") as index:
        threads = [threading.Thread(target=look, args=(index,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


# -- changing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exact_below", [50_000, 500])
def test_added_are_found_removed_never_return_replaced_are_new(tmp_path: Path, exact_below: int) -> None:
    vectors = filled(tmp_path, 1000, exact_below=exact_below)
    new = clustered(3, seed=8)
    with writer(tmp_path, exact_below=exact_below) as index:
        assert index.remove(["key 00000", "key 00001", "never there"]) == 2
        index.add(["key 00002", "added"], new[:2])
        index.commit()
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert len(index) == 999
        keys = found(index, np.concatenate([vectors[:3], new[:2]]), 999)
        assert all(len(each) == 999 and not {"key 00000", "key 00001"} & set(each) for each in keys)
        assert found(index, new[:1], 1) == [["key 00002"]]
        assert found(index, new[1:2], 1) == [["added"]]
        assert found(index, vectors[2:3], 1) != [["key 00002"]]
        assert index.stored(["key 00002", "key 00000"]).keys() == {"key 00002"}


def test_of_one_key_given_twice_the_later_vector_counts(tmp_path: Path) -> None:
    vectors = clustered(2, seed=1)
    with writer(tmp_path) as index:
        index.add(["a", "a"], vectors)
        ((match,),) = index.search(vectors[1:], 5)
        assert match.score == pytest.approx(1, abs=1e-3)
        assert len(index) == 1


@pytest.mark.parametrize("exact_below", [50_000, 300])
def test_settling_rewrites_the_rows_without_the_dead(tmp_path: Path, exact_below: int) -> None:
    vectors = filled(tmp_path, 1000, exact_below=exact_below)
    reader = VectorIndex.open(tmp_path, encoder="e")
    assert found(reader, vectors[999:], 1) == [["key 00999"]]
    with writer(tmp_path, exact_below=exact_below) as index:
        index.remove(named(500))
        index.settle()
        assert (index.manifest.rows, index.manifest.count, index.manifest.generation) == (500, 500, 1)
        assert [key for key, _ in index.rows()] == named(500, 500)
        index.add(["new"], vectors[:1])
        index.commit()
        assert found(index, vectors[:1], 1) == [["new"]]
    with reader:
        assert [keys[0] for keys in found(reader, vectors[500:])] == named(500, 500)
    assert sorted(path.name for path in tmp_path.glob("vectors-*")) == ["vectors-1.i8"]
    assert len(list(tmp_path.glob("graph-*"))) == (exact_below == 300)


def test_a_graph_finds_the_living_among_many_dead(tmp_path: Path) -> None:
    filled(tmp_path, 1000, exact_below=500)
    with writer(tmp_path, exact_below=500) as index:
        index.remove(named(990))
        index.commit()
        assert index.manifest.graph_rows == 1000
        assert sorted(found(index, clustered(1, seed=2), 10)[0]) == named(10, 990)


def test_a_reader_sees_what_is_committed_and_nothing_else(tmp_path: Path) -> None:
    filled(tmp_path, 20)
    new = clustered(1, seed=7)
    with VectorIndex.open(tmp_path, encoder="e") as reader, writer(tmp_path) as index:
        index.add(["new"], new)
        assert found(reader, new, 1) != [["new"]]
        index.commit()
        assert found(reader, new, 1) == [["new"]]
        assert len(reader) == 21


def test_the_same_vectors_make_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "other"):
        filled(tmp_path / name, 1500, exact_below=500)
    for file in ("vectors-0.i8", "graph-1.usearch"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "other" / file).read_bytes()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    filled(tmp_path, 5)
    with VectorIndex.open(tmp_path, encoder="e") as index, pytest.raises(InputError, match="open for reading"):
        index.remove(["key 00001"])


# -- surviving ---------------------------------------------------------------------------------------------

_KILLED = """
import os, sys
import numpy as np
from pathlib import Path
from veritab.retrieve.dense.vectors import VectorIndex
index = VectorIndex.create(sys.argv[1], encoder="e", dimension=64, exact_below=500)
index.add(["lost"] + [f"lost {n}" for n in range(600)], np.ones((601, 64)))
index.remove(["key 00003"])
if sys.argv[2] == "append":
    os._exit(0)
Path.replace = lambda *_: os._exit(0)
index.remove([f"key {n:05}" for n in range(400)])
index.settle()
"""


@pytest.mark.parametrize("moment", ["append", "rename"])
@pytest.mark.parametrize("size", [300, 700])
def test_a_writer_killed_before_the_end_leaves_the_old_index(tmp_path: Path, moment: str, size: int) -> None:
    vectors = filled(tmp_path, size, exact_below=500)
    subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path), moment], check=True, timeout=60)
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert len(index) == size
        assert [keys[0] for keys in found(index, vectors)] == named(size)
    with writer(tmp_path, exact_below=500) as index:
        index.add(["new"], -vectors[:1])
        index.settle()
        assert found(index, np.concatenate([vectors[3:4], -vectors[:1]]), 1) == [["key 00003"], ["new"]]
    assert not list(tmp_path.glob("*.part"))


def test_an_index_whose_making_was_stopped_is_not_there_yet(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert (tmp_path / FILE).stat().st_size
    with pytest.raises(NotFound, match="build it with"):
        VectorIndex.open(tmp_path, encoder="e")
    vectors = filled(tmp_path, 5)
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert found(index, vectors[:1], 1) == [["key 00000"]]


def test_what_was_not_committed_is_forgotten(tmp_path: Path) -> None:
    filled(tmp_path, 5)
    with writer(tmp_path) as index:
        index.add(["new"], clustered(1, seed=2))
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert len(index) == 5
        assert not index.stored(["new"])


def test_a_full_disk_is_told_and_the_last_commit_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = filled(tmp_path, 5)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with writer(tmp_path) as index:
        index.add(["new"], clustered(1, seed=2))
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(DiskFull, match="free some"):
                index.commit()
        assert len(index) == 5
        index.add(["newer"], -vectors[:1])
        assert found(index, -vectors[:1], 9)[0][0] == "newer"
        assert len(index) == 6


def test_an_index_can_be_copied_and_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    vectors = filled(tmp_path / "made", 700, exact_below=500)
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in (tmp_path / "made").glob("[vg]*"):
        (copy / path.name).write_bytes(path.read_bytes())
        (copy / path.name).chmod(0o444)
    copy.chmod(0o555)
    try:
        with VectorIndex.open(copy, encoder="e") as index:
            assert found(index, vectors[:1], 1) == [["key 00000"]]
    finally:
        copy.chmod(0o755)


# -- telling -----------------------------------------------------------------------------------------------


def test_no_index_says_how_to_build_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="build it with: veritab index"):
        VectorIndex.open(tmp_path, encoder="e")


def test_an_index_of_another_encoder_is_stale(tmp_path: Path) -> None:
    filled(tmp_path, 5)
    with pytest.raises(StaleIndex, match=r"made by another encoder \(e, not f\); build it anew with: make it"):
        VectorIndex.open(tmp_path, encoder="f", command="make it")
    with pytest.raises(StaleIndex, match="another encoder"):
        writer(tmp_path, encoder="f")
    with pytest.raises(StaleIndex, match="64 numbers, not 65"):
        writer(tmp_path, dimension=65)
    with writer(tmp_path, encoder="f", dimension=3, anew=True) as index:
        assert len(index) == 0
    with VectorIndex.open(tmp_path, encoder="f") as index:
        assert index.manifest.dimension == 3


def test_an_index_can_be_built_anew_while_somebody_reads_it(tmp_path: Path) -> None:
    vectors = filled(tmp_path, 50)
    with VectorIndex.open(tmp_path, encoder="e") as reader, writer(tmp_path, rebuild=True) as index:
        assert len(index) == 0
        assert found(reader, vectors[:1], 1) == [["key 00000"]]
        index.add(["new"], vectors[:1])
        index.commit()
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert found(index, vectors[:1], 5) == [["new"]]


def set_pragma(folder: Path, pragma: str) -> None:
    connection = sqlite3.connect(folder / FILE)
    connection.execute(f"PRAGMA {pragma}")
    connection.close()


def test_an_older_format_is_stale_and_a_newer_one_wants_an_upgrade(tmp_path: Path) -> None:
    filled(tmp_path, 5)
    set_pragma(tmp_path, "user_version = 0")
    with pytest.raises(StaleIndex, match="format 0 of an older Veritab"):
        VectorIndex.open(tmp_path, encoder="e")
    set_pragma(tmp_path, "user_version = 99")
    with pytest.raises(NewerStore, match="pip install -U veritab"):
        VectorIndex.open(tmp_path, encoder="e")
    with pytest.raises(NewerStore):
        writer(tmp_path, anew=True)


@pytest.mark.parametrize("name", ["vectors-0.i8", "graph-1.usearch", FILE])
@pytest.mark.parametrize("kept", [0.1, 0.5])
def test_a_file_cut_short_is_damage_and_can_be_built_anew(tmp_path: Path, name: str, kept: float) -> None:
    filled(tmp_path, 700, exact_below=500)
    path = tmp_path / name
    os.truncate(path, int(path.stat().st_size * kept))
    with (
        pytest.raises(DamagedStore, match="build it anew with: veritab index"),
        VectorIndex.open(tmp_path, encoder="e") as index,
    ):
        index.search(clustered(1, seed=1), 700)
    with writer(tmp_path, exact_below=500, anew=True) as index:
        assert len(index) in (0, 700)


@pytest.mark.parametrize("name", ["vectors-0.i8", "graph-1.usearch"])
def test_a_missing_file_is_damage(tmp_path: Path, name: str) -> None:
    filled(tmp_path, 700, exact_below=500)
    (tmp_path / name).unlink()
    with pytest.raises(DamagedStore, match="is missing"):
        VectorIndex.open(tmp_path, encoder="e")
    with pytest.raises(DamagedStore, match="is missing"):
        writer(tmp_path)
    with writer(tmp_path, anew=True) as index:
        assert len(index) == 0


def test_files_of_another_kind_are_damage(tmp_path: Path) -> None:
    filled(tmp_path, 700, exact_below=500)
    graph = tmp_path / "graph-1.usearch"
    graph.write_bytes(bytes(graph.stat().st_size))
    with pytest.raises(DamagedStore):
        VectorIndex.open(tmp_path, encoder="e")
    set_pragma(tmp_path, "application_id = 1")
    with pytest.raises(DamagedStore, match="of another kind"):
        VectorIndex.open(tmp_path, encoder="e")
    (tmp_path / FILE).write_bytes(b"something else " * 1000)
    with pytest.raises(DamagedStore, match="not a database"):
        VectorIndex.open(tmp_path, encoder="e")


def test_two_writers_at_once_are_one_too_many(tmp_path: Path) -> None:
    with writer(tmp_path), pytest.raises(StoreBusy, match="wait for it, then run again"):
        writer(tmp_path)
    writer(tmp_path).close()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="check the folder"):
        writer(tmp_path / "file")


def test_without_the_extra_few_vectors_work_and_many_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    filled(tmp_path, 500, exact_below=500)
    with writer(tmp_path, exact_below=500) as index:
        index.add(["new"], clustered(1, seed=1))
        with pytest.raises(MissingExtra, match=r"veritab\[dense\]"):
            index.commit()
    with VectorIndex.open(tmp_path, encoder="e") as index:
        assert len(index) == 500
