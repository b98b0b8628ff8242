"""Vectors by key, on disk: eight-bit numbers, searched exactly when they are few and by a graph when they are many.

A folder holds three kinds of file. `vectors.sqlite` (the key table) says which key each row belongs to and which of the
other files count. `vectors-N.i8` holds the rows and only grows: a row past those that the key table counts does not
exist yet. `graph-N.usearch` leads to similar rows without reading all of them; rows that are not in it yet are few
enough to be read. A replaced or removed row stays where it is, marked dead, until `settle` rewrites.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from veritab.errors import DamagedStore, InputError, MissingExtra, NotFound, StaleIndex
from veritab.files import partial_path
from veritab.retrieve.dense.key_table import KeyTable, Manifest, StoredVector
from veritab.retrieve.dense.rows import BLOCK, checked, cosines, mapped, nearest, packed, rounded, row_bytes

if TYPE_CHECKING:
    from usearch.index import Index as Graph

    from veritab.retrieve.dense.rows import Array

# Up to here looking at every vector takes about 16 ms a query; a graph takes minutes to make.
EXACT_BELOW = 200_000
_COMMAND = "veritab index CORPUS --encoder ENCODER"
_QUERIES = 64  # held against a block of rows at a time
_MOST_DEAD = 0.2
# Links per row and the breadth of the search for them: recall against time and disk, see benchmarks/dense.py.
_CONNECTIVITY = 16
_EXPANSION = 128


class VectorMatch(NamedTuple):
    """A key that was found and the cosine of its vector and the query's."""

    key: str
    score: float


class _Snapshot(NamedTuple):
    """The files of one commit, mapped; `live` is None while no row is dead."""

    manifest: Manifest
    rows: Array
    live: Array | None
    graph: Graph | None


class VectorIndex:
    """Vectors by key, on disk. `open` reads, and sees what is committed meanwhile; `create` makes or extends one."""

    def __init__(
        self, folder: Path, *, writable: bool, exact_below: int = 0, threads: int = 1, command: str = _COMMAND
    ) -> None:
        self.folder = folder
        self.command = command
        self._key_table = KeyTable(folder, writable=writable, command=command)
        self._writable = writable
        self._exact_below = exact_below
        self._threads = threads
        self._appending: BinaryIO | None = None
        self._snapshot: _Snapshot | None = None
        self._manifest = Manifest("", 0)

    # -- opening and closing --

    @classmethod
    def open(cls, folder: Path | str, *, encoder: str, command: str = _COMMAND) -> VectorIndex:
        """Open an index for reading; `encoder` is the fingerprint its vectors must have, `command` builds it anew."""
        index = cls(Path(folder), writable=False, command=command)
        try:
            if index._key_table.is_blank():
                raise NotFound(f"no vector index in {str(folder)!r}; build it with: {command}")
            index._manifest = index._key_table.check(encoder)
            index._mapped()
        except BaseException:
            index.close()
            raise
        return index

    @classmethod
    def create(
        cls,
        folder: Path | str,
        *,
        encoder: str,
        dimension: int,
        exact_below: int = EXACT_BELOW,
        threads: int = 1,
        anew: bool = False,
        rebuild: bool = False,
        command: str = _COMMAND,
    ) -> VectorIndex:
        """Open an index for writing, making it when it does not exist; one writer at a time.

        More than `exact_below` vectors get a graph; more than one thread builds it faster, but no longer the same graph
        every time. With `anew`, an index that is stale or damaged is thrown away first; with `rebuild`, any index.
        """
        index = cls(Path(folder), writable=True, exact_below=exact_below, threads=threads, command=command)
        with index._key_table.alone():
            index.folder.mkdir(parents=True, exist_ok=True)
        index._key_table.take_lock()
        try:
            if rebuild:
                index._key_table.discard()
            try:
                index._prepare(encoder, dimension)
            except (StaleIndex, DamagedStore):
                if not anew:
                    raise
                index._key_table.discard()
                index._prepare(encoder, dimension)
        except BaseException:
            index.close()
            raise
        return index

    def _prepare(self, encoder: str, dimension: int) -> None:
        if self._key_table.is_blank():
            self._manifest = Manifest(encoder, dimension)
            # Not cut short and used again: a reader may still look into the old file.
            self._remove_unused_files(keep=())
            with self._key_table.alone():
                (self.folder / self._manifest.vectors).touch()
            self._key_table.make(self._manifest)
        else:
            self._manifest = self._key_table.check(encoder, dimension)
            self._check_files(self._manifest)
        self._open_rows()

    def __enter__(self) -> VectorIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files; what was not committed is forgotten."""
        with self._key_table.alone():
            self._snapshot = None
            self._close_rows()
            self._key_table.close()

    def _open_rows(self) -> None:
        self._close_rows()
        with self._key_table.alone():
            self._appending = (self.folder / self._manifest.vectors).open("r+b")
            # What an interrupted writer left behind the last committed row goes.
            self._appending.truncate(self._manifest.rows * row_bytes(self._manifest.dimension))
            self._appending.seek(0, os.SEEK_END)

    def _close_rows(self) -> None:
        if self._appending is not None:
            # What could not be written then cannot be written now; an error was raised then.
            with suppress(OSError):
                self._appending.close()
            self._appending = None

    def _check_files(self, manifest: Manifest) -> None:
        for name, size in manifest.files.items():
            path = self.folder / name
            found = path.stat().st_size if path.is_file() else None
            if found is None or found < size:
                state = "missing" if found is None else f"cut short ({found:,} of {size:,} bytes)"
                raise DamagedStore(f"{str(path)!r} is {state}; copy it again, or build it anew with: {self.command}")

    # -- reading --

    @property
    def manifest(self) -> Manifest:
        """What the index holds; to a writer, with what it has added and not committed yet."""
        return self._manifest if self._writable else self._key_table.manifest()

    def __len__(self) -> int:
        return self.manifest.count

    def stored(self, keys: Iterable[str]) -> dict[str, StoredVector]:
        """Where the vectors of these keys are; keys without one are left out."""
        return self._key_table.stored(keys)

    def rows(self, *, below: int = 2**62) -> Iterator[tuple[str, int]]:
        """Every key and its row in the order of rows, before that row."""
        return self._key_table.rows(below=below)

    def search(self, queries: Array, k: int, *, exact: bool = False) -> list[list[VectorMatch]]:
        """For each query the keys whose vectors are nearest, best first; equal scores in the order of keys.

        A graph may miss some; with `exact` every vector is looked at.
        """
        vectors = checked(queries, self._manifest.dimension)
        if k < 1:
            raise InputError(f"cannot search for {k} nearest; expected 1 or more")
        if self._writable:
            self.commit()
        found: list[list[VectorMatch]] = []
        for start in range(0, len(vectors), _QUERIES):
            found += self._search(vectors[start : start + _QUERIES], k, exact)
        return found

    def _search(self, vectors: Array, k: int, exact: bool) -> list[list[VectorMatch]]:
        while True:
            snapshot = self._mapped()
            if exact:
                snapshot = snapshot._replace(graph=None)
            scored = self._scored(snapshot, vectors, k)
            keys = self._keys(snapshot, {row for rows in scored for row in rows})
            # None: a commit came between, after which rows may be dead or have other numbers.
            if keys is not None:
                return [_best(rows, keys, k) for rows in scored]

    def _scored(self, snapshot: _Snapshot, vectors: Array, k: int) -> list[dict[int, float]]:
        """Rows that may be among the best for each query, with their scores."""
        import numpy as np

        # The first look rounds the query as well; a few more candidates than wanted make up for it.
        limit = 2 * k + 16
        queries = rounded(vectors)
        start = snapshot.manifest.graph_rows if snapshot.graph is not None else 0
        candidates = nearest(snapshot.rows, snapshot.live, queries, start, limit)
        if snapshot.graph is not None:
            with self._key_table.alone():  # one index of usearch is not for two threads
                near = [_walk(snapshot, query, limit) for query in queries]
            candidates = [np.concatenate(pair) for pair in zip(candidates, near, strict=True)]
        return [cosines(snapshot.rows, rows, query) for rows, query in zip(candidates, vectors, strict=True)]

    def _keys(self, snapshot: _Snapshot, rows: set[int]) -> dict[int, str] | None:
        with self._key_table.alone():
            found = self._key_table.keys(rows)
            if self._key_table.manifest().commits != snapshot.manifest.commits:
                return None
        if len(found) < len(rows):
            raise self._key_table.damaged("lacks keys of its vectors")
        return found

    def _mapped(self) -> _Snapshot:
        """The files of the newest commit, mapped; mapped again only after a commit."""
        with self._key_table.alone():
            while True:
                manifest = self._key_table.manifest()
                if self._snapshot is not None and self._snapshot.manifest.commits == manifest.commits:
                    return self._snapshot
                try:
                    self._check_files(manifest)
                    self._snapshot = self._map(manifest)
                    return self._snapshot
                except (DamagedStore, OSError, ValueError, RuntimeError) as error:
                    # A writer that finished in between may have taken the old files away: then look again.
                    if self._key_table.manifest().commits == manifest.commits:
                        raise (
                            error if isinstance(error, DamagedStore) else self._key_table.damaged(str(error))
                        ) from None

    def _map(self, manifest: Manifest) -> _Snapshot:
        import numpy as np

        dead = np.array(self._key_table.dead(), dtype=np.int64)
        live = None
        if len(dead):
            live = np.ones(manifest.rows, dtype=bool)
            live[dead[dead < manifest.rows]] = False
        graph = None
        if manifest.graph:
            graph = _empty_graph(manifest.dimension)
            graph.view(str(self.folder / manifest.graph))
        return _Snapshot(manifest, self._rows(manifest), live, graph)

    def _rows(self, manifest: Manifest) -> Array:
        return mapped(self.folder / manifest.vectors, manifest.dimension, manifest.rows)

    # -- writing --

    def add(self, keys: Sequence[str], vectors: Array, digests: Sequence[bytes] | None = None) -> None:
        """Put vectors under their keys, in place of those that were there; they are found after the next commit."""
        sound = checked(vectors, self._manifest.dimension)
        marks = digests if digests is not None else [b""] * len(keys)
        if not len(keys) == len(sound) == len(marks):
            raise InputError(f"{len(keys)} keys, {len(sound)} vectors and {len(marks)} digests; expected as many each")
        with self._writing() as appending:
            appending.write(packed(sound))
            for row, (key, digest) in enumerate(zip(keys, marks, strict=True), self._manifest.rows):
                self._key_table.put(key, row, digest)
            self._manifest = replace(self._manifest, rows=self._manifest.rows + len(keys))

    def remove(self, keys: Iterable[str]) -> int:
        """Take keys out; says how many of them were there."""
        with self._writing():
            return sum(self._key_table.remove(key) for key in keys)

    def mark(self, source: str) -> None:
        """Note the state of the corpus that the vectors are those of."""
        with self._writing():
            self._manifest = replace(self._manifest, source=source)

    @contextmanager
    def _writing(self) -> Iterator[BinaryIO]:
        """A part of the transaction that the next commit ends; if it fails, all since the last commit is forgotten."""
        if self._appending is None:
            raise InputError(f"the vector index in {str(self.folder)!r} is open for reading; open it with create")
        with self._key_table.alone():
            try:
                self._key_table.begin()
                yield self._appending
            except BaseException:
                self._key_table.roll_back()
                self._manifest = self._key_table.manifest()
                self._open_rows()
                raise

    def commit(self) -> None:
        """Make what was added and removed since the last commit count, all of it or nothing."""
        if not self._key_table.in_transaction:
            return
        with self._writing() as appending:
            _sync(appending)
            if self._manifest.rows - self._manifest.graph_rows > self._exact_below:
                self._extend_graph()
            self._finish()

    def settle(self) -> None:
        """Commit, rewrite the rows without the dead ones if those are many, and bring the graph up to date."""
        with self._writing() as appending:
            _sync(appending)
            if len(self._key_table.dead()) > _MOST_DEAD * self._manifest.rows:
                self._rewrite_rows()
            if self._manifest.rows > max(self._exact_below, self._manifest.graph_rows):
                self._extend_graph()
            self._finish()

    def _finish(self) -> None:
        manifest = replace(self._manifest, count=self._key_table.count(), commits=self._manifest.commits + 1)
        self._key_table.commit(manifest)
        self._manifest = manifest
        self._remove_unused_files(keep=(manifest.vectors, manifest.graph))

    def _rewrite_rows(self) -> None:
        """The living rows, in their order, in a new file; the graph of the old numbers goes."""
        old, living = self._rows(self._manifest), self._key_table.living()
        generation = self._manifest.generation + 1
        new = replace(self._manifest, rows=len(living), generation=generation, graph="", graph_rows=0, graph_bytes=0)
        with partial_path(self.folder / new.vectors) as path, path.open("wb") as file:
            for start in range(0, len(living), BLOCK):
                file.write(old[living[start : start + BLOCK]].tobytes())
        self._key_table.renumber()
        self._manifest = new
        self._open_rows()

    def _extend_graph(self) -> None:
        """Lead to the rows the graph does not know yet."""
        import numpy as np

        manifest = self._manifest
        graph = _empty_graph(manifest.dimension)
        if manifest.graph:
            graph.load(str(self.folder / manifest.graph))
        rows = self._rows(manifest)
        for start in range(manifest.graph_rows, manifest.rows, BLOCK):
            block = np.ascontiguousarray(rows["values"][start : start + BLOCK])
            graph.add(np.arange(start, start + len(block), dtype=np.uint64), block, threads=self._threads)
        name = f"graph-{manifest.commits + 1}.usearch"
        with partial_path(self.folder / name) as path:
            graph.save(str(path))
        size = (self.folder / name).stat().st_size
        self._manifest = replace(manifest, graph=name, graph_rows=manifest.rows, graph_bytes=size)

    def _remove_unused_files(self, keep: Sequence[str]) -> None:
        for path in (
            *self.folder.glob("vectors-*.i8*"),
            *self.folder.glob("graph-*.usearch*"),
            *self.folder.glob(".*.partial"),
        ):
            if path.name not in keep:
                # Some systems keep a file while a reader has it mapped; the next writer takes it away.
                with suppress(PermissionError):
                    path.unlink()


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _empty_graph(dimension: int) -> Graph:
    try:
        from usearch.index import Index as Graph
    except ImportError:
        raise MissingExtra("a large vector index", "dense") from None
    # The cosine of rounded vectors needs no scale, so the rows are handed over as they are.
    return Graph(
        ndim=dimension,
        metric="cos",
        dtype="i8",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION,
        expansion_search=_EXPANSION,
        enable_key_lookups=False,
    )


def _walk(snapshot: _Snapshot, query: Array, limit: int) -> Array:
    """Rows similar to a query that the graph leads to; further and further while too many of them are dead."""
    import numpy as np

    assert snapshot.graph is not None
    count = limit
    while True:
        found = snapshot.graph.search(query, min(count, snapshot.manifest.graph_rows), threads=1)
        rows = np.asarray(found.keys).astype(np.int64)
        if snapshot.live is None:
            return rows
        rows = rows[snapshot.live[rows]]
        if len(rows) >= limit or count >= snapshot.manifest.graph_rows:
            return rows
        count *= 4


def _best(scores: Mapping[int, float], keys: Mapping[int, str], k: int) -> list[VectorMatch]:
    matches = [VectorMatch(keys[row], score) for row, score in scores.items()]
    return sorted(matches, key=lambda match: (-match.score, match.key))[:k]
