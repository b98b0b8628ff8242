"""The labelled claims of a data set, answered here or by the workers of an engine, with an oracle and cached stages.

Workers share no file of cached stages: a batch carries to its worker what was cached for it, and brings home what was
computed, which this process alone writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from veritab.engine import Engine
from veritab.errors import VeritabError
from veritab.runs.checking import CheckerFactory, ClaimBatch, check_batch, remaining_batches
from veritab.runs.oracle import Oracle, prepare_pipeline
from veritab.runs.stages import CarriedStages, StageCache, StageKey, name_batch
from veritab.schema import Example

if TYPE_CHECKING:
    from veritab.pipeline import Checker, Pipeline
    from veritab.runs.labelled import LabelledClaims


def answer_here(
    claims: LabelledClaims, checker: Checker, oracle: Oracle | None, stages: StageCache | None, *, done: int = 0
) -> Iterator[list[bytes]]:
    """The answers in batches, without those of the first `done` claims."""
    checker.pipeline = prepare_pipeline(checker, oracle, claims, stages)
    for batch in remaining_batches(claims.claim_records(), done):
        answers = check_batch(checker, batch.claims)[batch.done :]
        if stages:
            stages.note_batch(name_batch(batch.claims, checker, oracle or ""))
        yield answers


def answer_on_engine(
    claims: LabelledClaims,
    checker: Checker,
    open_checker: CheckerFactory,
    engine: Engine,
    oracle: Oracle | None,
    stages: StageCache | None,
    *,
    done: int = 0,
) -> Iterator[list[bytes]]:
    """The same by the workers of an engine, each of which opens a checker for itself; `checker` is the one here."""
    work = _Answering(open_checker, oracle, stages is not None, str(checker.corpus["revision"]))
    for answered in engine.map(work, _tasks(claims, checker, oracle, stages, done), _give_up):
        if stages:
            stages.bring_home(answered.name, answered.asked, answered.computed)
        yield answered.lines


class _Task(NamedTuple):
    """A batch of claims with what is known of them: what an oracle says, and what was cached."""

    batch: ClaimBatch
    examples: tuple[Example, ...]
    name: str
    cached: dict[StageKey, bytes]


class _Answered(NamedTuple):
    lines: list[bytes]
    name: str
    asked: list[StageKey]
    computed: dict[StageKey, bytes]


def _tasks(
    claims: LabelledClaims, checker: Checker, oracle: Oracle | None, stages: StageCache | None, done: int
) -> Iterator[_Task]:
    examples, at = iter(claims), 0
    for batch in remaining_batches(claims.claim_records(), done):
        known: tuple[Example, ...] = ()
        if oracle:
            skipped = batch.claims[0].number - 1 - at
            of_batch = islice(examples, skipped, skipped + len(batch.claims))
            known = tuple(replace(each, record={}) for each in of_batch)
            at = batch.claims[-1].number
        name = name_batch(batch.claims, checker, oracle or "") if stages else ""
        yield _Task(batch, known, name, stages.carry(name) if stages else {})


def _give_up(task: _Task, why: str) -> NoReturn:
    first, last = task.batch.claims[0], task.batch.claims[-1]
    raise VeritabError(
        f"the claims {first.id!r} to {last.id!r} were given up: {why}; a worker may have too little memory for them"
    )


@dataclass
class _Answering:
    """Answers a batch with a checker of its own, which it opens when it first has to."""

    open_checker: CheckerFactory
    oracle: Oracle | None
    caches: bool
    revision: str
    opened: tuple[Checker, Pipeline] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "opened": None}

    def __call__(self, task: _Task) -> _Answered:
        if self.opened is None:
            checker = self.open_checker()
            self.opened = checker, checker.pipeline
        checker, checker.pipeline = self.opened
        stages = CarriedStages(task.cached, checker.store) if self.caches else None
        checker.pipeline = prepare_pipeline(checker, self.oracle, task.examples, stages)
        lines = check_batch(checker, task.batch.claims, self.revision)[task.batch.done :]
        return _Answered(lines, task.name, stages.asked if stages else [], stages.computed if stages else {})
