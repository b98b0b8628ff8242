"""The outputs of retrieval and selection are cached, so that runs which share a stage compute it once.

A stage is identified by its settings, models, corpus and program; its input by the claim and, for a selector, by the
hits it got. Two runs with different verifiers thus retrieve and select once between them, whichever runs first, and a
change of anything that matters is another stage. The file may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from veritab.corpus.missing import is_missing
from veritab.errors import InputError, NotFound
from veritab.schema import Claim, ElementId, Hit, Retriever, Selector

if TYPE_CHECKING:
    from veritab.corpus import Corpus
    from veritab.pipeline import Checker, Pipeline

FILE = "stages.sqlite"
_TIMEOUT = 60
_PACKAGE = Path(__file__).parents[1]


class StageCache:
    """Hits by stage and input, in one file that several runs may write to at once."""

    def __init__(self, file: Path, database: sqlite3.Connection, corpus: Corpus) -> None:
        self._file, self._database, self._corpus = file, database, corpus
        self.hits = self.misses = 0
        """How many inputs were cached already, and how many had to be computed."""

    def read(self, stage: str, inputs: Sequence[str]) -> dict[int, list[Hit]]:
        """The cached hits, by the position of their input."""
        query = "SELECT hits FROM kept WHERE stage = ? AND asked = ?"
        with _translate_errors(self._file):
            rows = [self._database.execute(query, (stage, each)).fetchone() for each in inputs]
        cached = {place: hits for place, row in enumerate(rows) if row and (hits := self._unpack(row[0])) is not None}
        self.hits += len(cached)
        return cached

    def write(self, stage: str, outputs: Mapping[str, Sequence[Hit]]) -> None:
        """Cache the hits of some inputs."""
        rows = [(stage, each, _pack(hits)) for each, hits in outputs.items()]
        with _translate_errors(self._file), self._database:
            self._database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)
        self.misses += len(rows)

    def _unpack(self, packed: bytes) -> list[Hit] | None:
        try:
            return [Hit(self._corpus.element(ElementId.parse(id)), score, by) for id, score, by in orjson.loads(packed)]
        except NotFound:  # the pages changed without a new revision
            return None


def _pack(hits: Iterable[Hit]) -> bytes:
    return orjson.dumps([(str(hit.element.id), hit.score, hit.by) for hit in hits])


@contextmanager
def open_stage_cache(folder: Path, corpus: Corpus) -> Iterator[StageCache]:
    """The cache in a folder, over the corpus that has its elements."""
    file = folder / FILE
    with _translate_errors(file):
        folder.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(file, timeout=_TIMEOUT)
    with closing(database):
        with _translate_errors(file):
            database.execute(
                "CREATE TABLE IF NOT EXISTS kept (stage TEXT, asked TEXT, hits BLOB, PRIMARY KEY (stage, asked)) "
                "WITHOUT ROWID"
            )
        yield StageCache(file, database, corpus)


@contextmanager
def _translate_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise InputError(
            f"cannot cache stages in {str(file)!r}: {error}; delete it, name another folder with --stages, or "
            "share nothing with --fresh"
        ) from error


# -- cached stages -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CachedRetriever:
    """Retrieves for the claims that are not in the cache."""

    retriever: Retriever
    stages: StageCache
    stage: str
    gold_pages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The pages that an oracle gave the retriever, by claim."""

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The hits for each claim."""
        inputs = [_digest(claim.text, k, self.gold_pages.get(claim.id)) for claim in claims]
        return _compute_missing(
            self.stages, self.stage, inputs, lambda left: self.retriever.retrieve([claims[place] for place in left], k)
        )


@dataclass(frozen=True)
class CachedSelector:
    """Selects for the claims and hits that are not in the cache."""

    selector: Selector
    stages: StageCache
    stage: str

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """The hits that are kept for each claim."""
        inputs = [_digest(claim.text, _pack(some).decode()) for claim, some in zip(claims, hits, strict=True)]
        return _compute_missing(
            self.stages,
            self.stage,
            inputs,
            lambda left: self.selector.select([claims[place] for place in left], [hits[place] for place in left]),
        )


def _compute_missing(
    stages: StageCache, stage: str, inputs: Sequence[str], compute: Callable[[list[int]], list[list[Hit]]]
) -> list[list[Hit]]:
    cached = stages.read(stage, inputs)
    left = [place for place in range(len(inputs)) if place not in cached]
    new = dict(zip(left, compute(left), strict=True)) if left else {}
    if not is_missing():  # what part of a corpus gives is not what the next one should find
        stages.write(stage, {inputs[place]: hits for place, hits in new.items()})
    return [cached[place] if place in cached else new[place] for place in range(len(inputs))]


def with_stage_cache(
    pipeline: Pipeline, stages: StageCache, checker: Checker, gold_pages: Mapping[str, Sequence[str]] | None = None
) -> Pipeline:
    """The pipeline with cached retrieval and selection; `gold_pages` is what an oracle gives retrieval, by claim."""
    settings = checker.settings.table()
    identity = {"program": _program(), "corpus": checker.corpus["revision"]}
    retrieval = _digest("retrieve", identity, settings["retrieve"], _encoder(checker))
    selection = _digest("select", identity, settings["select"], checker.models.get("selector"), pipeline.candidates)
    return replace(
        pipeline,
        retrieve=CachedRetriever(pipeline.retrieve, stages, retrieval, gold_pages or {}),
        select=tuple(
            CachedSelector(selector, stages, f"{selection}-{number}") for number, selector in enumerate(pipeline.select)
        ),
    )


def _encoder(checker: Checker) -> str:
    """The checksum of the encoder whose vectors are searched; empty where none are."""
    from veritab.models.card import FILE as CARD
    from veritab.models.card import sha256_of
    from veritab.models.registry import folder_of as model_folder
    from veritab.retrieve.dense.retriever import DenseUnit, folder_of

    retrieve = checker.settings.retrieve
    if not retrieve.dense or not folder_of(checker.store, DenseUnit.ELEMENTS).is_dir():
        return ""
    return sha256_of(model_folder(retrieve.encoder) / CARD)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


@cache
def _program() -> str:
    """The checksum of the source code: a change of it may change the output of a stage."""
    content = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        content.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + path.read_bytes())
    return content.hexdigest()
