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
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from veritab.corpus.missing import is_missing
from veritab.errors import InputError, NotFound
from veritab.schema import Claim, ElementId, Hit, Retriever, Selector

if TYPE_CHECKING:
    from veritab.corpus import Corpus
    from veritab.pipeline import Checker, Pipeline
    from veritab.runs.claims import ClaimRecord

FILE = "stages.sqlite"
_TIMEOUT = 60
_BATCH = "batch"
_PACKAGE = Path(__file__).parents[1]


StageKey: TypeAlias = tuple[str, str]
"""A stage and what it was asked."""


class StageOutputs:
    """Hits by stage and input, as a pipeline reads and writes them; where they are kept is for others to say."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.asked: list[StageKey] = []
        """What was asked for, in order."""
        self.hits = self.misses = 0
        """How many inputs were cached already, and how many had to be computed."""

    def read(self, stage: str, inputs: Sequence[str]) -> dict[int, list[Hit]]:
        """The cached hits, by the position of their input."""
        keys = [(stage, each) for each in inputs]
        self.asked += keys
        packed = self._look_up(keys)
        cached = {
            place: hits
            for place, key in enumerate(keys)
            if key in packed and (hits := self._unpack(packed[key])) is not None
        }
        self.hits += len(cached)
        return cached

    def write(self, stage: str, outputs: Mapping[str, Sequence[Hit]]) -> None:
        """Cache the hits of some inputs."""
        self._keep({(stage, each): _pack(hits) for each, hits in outputs.items()})
        self.misses += len(outputs)

    def _look_up(self, keys: Sequence[StageKey]) -> Mapping[StageKey, bytes]:
        raise NotImplementedError

    def _keep(self, packed: Mapping[StageKey, bytes]) -> None:
        raise NotImplementedError

    def _unpack(self, packed: bytes) -> list[Hit] | None:
        try:
            return [Hit(self._corpus.element(ElementId.parse(id)), score, by) for id, score, by in orjson.loads(packed)]
        except NotFound:  # the pages changed without a new revision
            return None


def _pack(hits: Iterable[Hit]) -> bytes:
    return orjson.dumps([(str(hit.element.id), hit.score, hit.by) for hit in hits])


class CarriedStages(StageOutputs):
    """What a batch of claims carries to another machine, and what is computed there for it: no file is shared."""

    def __init__(self, carried: Mapping[StageKey, bytes], corpus: Corpus) -> None:
        super().__init__(corpus)
        self._carried = carried
        self.computed: dict[StageKey, bytes] = {}

    def _look_up(self, keys: Sequence[StageKey]) -> Mapping[StageKey, bytes]:
        return {**self._carried, **self.computed}

    def _keep(self, packed: Mapping[StageKey, bytes]) -> None:
        self.computed.update(packed)


class StageCache(StageOutputs):
    """Hits by stage and input, in one file that several runs of one machine may write to at once."""

    def __init__(self, file: Path, database: sqlite3.Connection, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._file, self._database = file, database

    def carry(self, batch: str) -> dict[StageKey, bytes]:
        """What was asked for a batch of claims when it was last answered, as far as it is cached."""
        key = (_BATCH, batch)
        noted = self._look_up([key])
        return self._look_up([(stage, asked) for stage, asked in orjson.loads(noted[key])]) if noted else {}

    def bring_home(self, batch: str, asked: Sequence[StageKey], computed: Mapping[StageKey, bytes]) -> None:
        """Keep what was asked for a batch of claims, and what had to be computed for it."""
        self._keep({**computed, (_BATCH, batch): orjson.dumps(list(dict.fromkeys(asked)))})
        self.hits += len(asked) - len(computed)
        self.misses += len(computed)

    def note_batch(self, batch: str) -> None:
        """Note what was asked here for a batch of claims, so that others can carry it."""
        self._keep({(_BATCH, batch): orjson.dumps(list(dict.fromkeys(self.asked)))})
        self.asked.clear()

    def _look_up(self, keys: Sequence[StageKey]) -> dict[StageKey, bytes]:
        query = "SELECT hits FROM kept WHERE stage = ? AND asked = ?"
        with _translate_errors(self._file):
            rows = [(key, self._database.execute(query, key).fetchone()) for key in keys]
        return {key: row[0] for key, row in rows if row}

    def _keep(self, packed: Mapping[StageKey, bytes]) -> None:
        rows = [(*key, hits) for key, hits in packed.items()]
        with _translate_errors(self._file), self._database:
            self._database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)


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
    stages: StageOutputs
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
    stages: StageOutputs
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
    stages: StageOutputs, stage: str, inputs: Sequence[str], compute: Callable[[list[int]], list[list[Hit]]]
) -> list[list[Hit]]:
    cached = stages.read(stage, inputs)
    left = [place for place in range(len(inputs)) if place not in cached]
    new = dict(zip(left, compute(left), strict=True)) if left else {}
    if not is_missing():  # what part of a corpus gives is not what the next one should find
        stages.write(stage, {inputs[place]: hits for place, hits in new.items()})
    return [cached[place] if place in cached else new[place] for place in range(len(inputs))]


def with_stage_cache(
    pipeline: Pipeline, stages: StageOutputs, checker: Checker, gold_pages: Mapping[str, Sequence[str]] | None = None
) -> Pipeline:
    """The pipeline with cached retrieval and selection; `gold_pages` is what an oracle gives retrieval, by claim."""
    retrieval, selection = _stage_names(pipeline, checker)
    return replace(
        pipeline,
        retrieve=CachedRetriever(pipeline.retrieve, stages, retrieval, gold_pages or {}),
        select=tuple(
            CachedSelector(selector, stages, f"{selection}-{number}") for number, selector in enumerate(pipeline.select)
        ),
    )


def _stage_names(pipeline: Pipeline, checker: Checker) -> tuple[str, str]:
    settings = checker.settings.table()
    identity = {"program": _program(), "corpus": checker.corpus["revision"]}
    retrieval = _digest("retrieve", identity, settings["retrieve"], _encoder(checker))
    selection = _digest("select", identity, settings["select"], checker.models.get("selector"), pipeline.candidates)
    return retrieval, selection


def name_batch(claims: Iterable[ClaimRecord], checker: Checker, oracle: str) -> str:
    """What a batch of claims is called in a cache: by its claims, the stages they go through, and an oracle."""
    return _digest(_stage_names(checker.pipeline, checker), oracle, [(str(each.id), each.text) for each in claims])


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
