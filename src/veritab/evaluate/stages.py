"""What stages gave is kept, so that systems which share a stage run it once.

A stage is told by what it is made of (settings, models, corpus, program), what it was asked by the claim and, for a
selector, by what was handed to it. Two runs with different verifiers thus retrieve and select once between them,
whichever runs first, and a change of anything that matters is another stage. The file may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from veritab.errors import InputError, NotFound
from veritab.schema import Claim, ElementId, Hit, Retriever, Selector

if TYPE_CHECKING:
    from veritab.corpus import Corpus
    from veritab.pipeline import Checker, Pipeline

FILE = "stages.sqlite"
_WAIT = 60
_PACKAGE = Path(__file__).parents[1]


class Stages:
    """What stages gave, in one file that several runs may write to at once."""

    def __init__(self, file: Path, database: sqlite3.Connection, corpus: Corpus) -> None:
        self._file, self._database, self._corpus = file, database, corpus
        self.found = self.made = 0
        """How many answers were there already, and how many had to be worked out."""

    def read(self, stage: str, asked: Sequence[str]) -> dict[int, list[Hit]]:
        """The answers that are there, by the place of what was asked."""
        query = "SELECT hits FROM kept WHERE stage = ? AND asked = ?"
        with _translated(self._file):
            rows = [self._database.execute(query, (stage, question)).fetchone() for question in asked]
        known = {place: hits for place, row in enumerate(rows) if row and (hits := self._hits(row[0])) is not None}
        self.found += len(known)
        return known

    def write(self, stage: str, answers: Mapping[str, Sequence[Hit]]) -> None:
        """Keep answers."""
        rows = [(stage, question, _packed(hits)) for question, hits in answers.items()]
        with _translated(self._file), self._database:
            self._database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)
        self.made += len(rows)

    def _hits(self, packed: bytes) -> list[Hit] | None:
        try:
            return [Hit(self._corpus.element(ElementId.parse(id)), score, by) for id, score, by in orjson.loads(packed)]
        except NotFound:  # the pages changed without a new revision
            return None


def _packed(hits: Iterable[Hit]) -> bytes:
    return orjson.dumps([(str(hit.element.id), hit.score, hit.by) for hit in hits])


@contextmanager
def open_stages(folder: Path, corpus: Corpus) -> Iterator[Stages]:
    """The stages kept in a folder, over a corpus that has their elements."""
    file = folder / FILE
    with _translated(file):
        folder.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(file, timeout=_WAIT)
    with closing(database):
        with _translated(file):
            database.execute(
                "CREATE TABLE IF NOT EXISTS kept (stage TEXT, asked TEXT, hits BLOB, PRIMARY KEY (stage, asked)) "
                "WITHOUT ROWID"
            )
        yield Stages(file, database, corpus)


@contextmanager
def _translated(file: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise InputError(
            f"cannot keep what stages give in {str(file)!r}: {error}; delete it, name another folder with --stages, or "
            "share nothing with --fresh"
        ) from error


# -- stages that remember ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class KeptRetriever:
    """Retrieves what was not retrieved before."""

    retriever: Retriever
    stages: Stages
    stage: str
    told: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What an oracle told the retriever, by claim."""

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The hits for each claim."""
        asked = [_digest(claim.text, k, self.told.get(claim.id)) for claim in claims]
        known = self.stages.read(self.stage, asked)
        left = [place for place in range(len(claims)) if place not in known]
        made = self.retriever.retrieve([claims[place] for place in left], k) if left else []
        return _kept(self.stages, self.stage, asked, known, dict(zip(left, made, strict=True)))


@dataclass(frozen=True)
class KeptSelector:
    """Selects what was not selected before from the same hits."""

    selector: Selector
    stages: Stages
    stage: str

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """The hits that are kept for each claim."""
        asked = [_digest(claim.text, _packed(some).decode()) for claim, some in zip(claims, hits, strict=True)]
        known = self.stages.read(self.stage, asked)
        left = [place for place in range(len(claims)) if place not in known]
        made = self.selector.select([claims[place] for place in left], [hits[place] for place in left]) if left else []
        return _kept(self.stages, self.stage, asked, known, dict(zip(left, made, strict=True)))


def _kept(
    stages: Stages, stage: str, asked: Sequence[str], known: Mapping[int, list[Hit]], made: Mapping[int, list[Hit]]
) -> list[list[Hit]]:
    stages.write(stage, {asked[place]: hits for place, hits in made.items()})
    return [known[place] if place in known else made[place] for place in range(len(asked))]


def with_stages(
    pipeline: Pipeline, stages: Stages, checker: Checker, told: Mapping[str, Sequence[str]] | None = None
) -> Pipeline:
    """The pipeline with retrieval and selection that remember; `told` is what an oracle told retrieval, by claim."""
    settings = checker.settings.table()
    made_of = {"program": _program(), "corpus": checker.corpus["revision"]}
    retrieval = _digest("retrieve", made_of, settings["retrieve"], _encoder(checker))
    selection = _digest("select", made_of, settings["select"], checker.models.get("selector"), pipeline.candidates)
    return replace(
        pipeline,
        retrieve=KeptRetriever(pipeline.retrieve, stages, retrieval, told or {}),
        select=tuple(
            KeptSelector(selector, stages, f"{selection}-{number}") for number, selector in enumerate(pipeline.select)
        ),
    )


def _encoder(checker: Checker) -> str:
    """The encoder whose vectors are asked; nothing where none are."""
    from veritab.models.card import FILE as CARD
    from veritab.models.card import sha256_of
    from veritab.models.registry import folder_of as model_folder
    from veritab.retrieve.dense.retriever import Unit, folder_of

    retrieve = checker.settings.retrieve
    if not retrieve.dense or not folder_of(checker.store, Unit.ELEMENTS).is_dir():
        return ""
    return sha256_of(model_folder(retrieve.encoder) / CARD)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


@cache
def _program() -> str:
    """What the program is: a change of it may change what a stage gives, whatever its version says."""
    content = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        content.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + path.read_bytes())
    return content.hexdigest()
