"""The labelled claims of a data set, answered here or by the workers of an engine, with an oracle and cached stages.

Workers share no file of cached stages: a batch carries to its worker what was cached for it, and brings home what was
computed, which this process alone writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from veritab.engine import Engine
from veritab.runs.checking import (
    AnswerLine,
    CheckerFactory,
    ClaimBatch,
    GiveUp,
    Lost,
    answer_what_can_be,
    close_opened,
    go_past_losses,
    open_once,
)
from veritab.runs.oracle import Oracle, prepare_pipeline
from veritab.runs.stages import CarriedStages, StageCache, StageKey, StageOutputs, name_batch
from veritab.schema import Example

if TYPE_CHECKING:
    from veritab.pipeline import Checker
    from veritab.runs.labelled import LabelledClaims


def answer_here(
    claims: LabelledClaims,
    remaining: Iterable[ClaimBatch],
    checker: Checker,
    oracle: Oracle | None,
    stages: StageCache | None,
) -> Iterator[list[AnswerLine]]:
    """The answers to some batches of the claims, past those that cannot be answered."""

    def answer(batch: ClaimBatch) -> list[AnswerLine]:
        answers = answer_what_can_be(checker, batch)
        if stages:
            stages.note_batch(name_batch(batch.claims, checker, oracle or ""))
        return answers

    with _prepared(checker, oracle, claims, stages):
        yield from go_past_losses(map(answer, remaining), lambda batches, _: map(answer, batches))


@contextmanager
def _prepared(
    checker: Checker, oracle: Oracle | None, examples: Iterable[Example], stages: StageOutputs | None
) -> Iterator[None]:
    """Have a checker ask the oracle and the cached stages meanwhile."""
    pipeline = checker.pipeline
    checker.pipeline = prepare_pipeline(checker, oracle, examples, stages)
    try:
        yield
    finally:
        checker.pipeline = pipeline


def answer_on_engine(
    claims: LabelledClaims,
    remaining: Iterable[ClaimBatch],
    checker: Checker,
    open_checker: CheckerFactory,
    engine: Engine,
    oracle: Oracle | None,
    stages: StageCache | None,
) -> Iterator[list[AnswerLine]]:
    """The same by the workers of an engine, each of which opens the checker once; `checker` is the one here."""
    work = _Answering(open_checker, oracle, stages is not None, str(checker.corpus["revision"]))
    answer: Callable[[_Task], _Answered | Lost] = work

    def tasks(batches: Iterable[ClaimBatch]) -> Iterator[_Task]:
        return _tasks(claims, batches, checker, oracle, stages)

    def ask(batches: Iterable[ClaimBatch], lost: GiveUp) -> Iterator[list[AnswerLine]]:
        def give_up(task: _Task, why: str) -> _Answered:
            return _Answered(lost(task.batch, why), task.name, [], {})

        return (answered.lines for answered in engine.map(work, tasks(batches), give_up))

    def found() -> Iterator[list[AnswerLine] | Lost]:
        for answered in engine.map(answer, tasks(remaining), lambda task, why: Lost(task.batch, why)):
            if isinstance(answered, Lost):
                yield answered
                continue
            if stages:
                stages.bring_home(answered.name, answered.asked, answered.computed)
            yield answered.lines

    try:
        yield from go_past_losses(found(), ask)
    finally:
        close_opened()


class _Task(NamedTuple):
    """A batch of claims with what is known of them: what an oracle says, and what was cached."""

    batch: ClaimBatch
    examples: tuple[Example, ...]
    name: str
    cached: dict[StageKey, bytes]


class _Answered(NamedTuple):
    lines: list[AnswerLine]
    name: str
    asked: list[StageKey]
    computed: dict[StageKey, bytes]


def _tasks(
    claims: LabelledClaims,
    remaining: Iterable[ClaimBatch],
    checker: Checker,
    oracle: Oracle | None,
    stages: StageCache | None,
) -> Iterator[_Task]:
    examples, at = iter(claims), 0
    for batch in remaining:
        known: tuple[Example, ...] = ()
        if oracle and batch.claims:
            skipped = batch.claims[0].number - 1 - at
            of_batch = islice(examples, skipped, skipped + len(batch.claims))
            known = tuple(replace(each, record={}) for each in of_batch)
            at = batch.claims[-1].number
        name = name_batch(batch.claims, checker, oracle or "") if stages else ""
        yield _Task(batch, known, name, stages.carry(name) if stages else {})


@dataclass(frozen=True)
class _Answering:
    """Answers a batch with the checker of its process."""

    open_checker: CheckerFactory
    oracle: Oracle | None
    caches: bool
    revision: str

    def __call__(self, task: _Task) -> _Answered:
        checker = open_once(self.open_checker)
        stages = CarriedStages(task.cached, checker.store) if self.caches else None
        with _prepared(checker, self.oracle, task.examples, stages):
            lines = answer_what_can_be(checker, task.batch, self.revision)
        return _Answered(lines, task.name, stages.asked if stages else [], stages.computed if stages else {})
