"""Claims become lines of JSON, batch by batch and in order, here or by the workers of an engine.

Batches are cut at the same places wherever claims are checked and wherever a run is resumed, because the rest of its
batch changes the last digit of a claim's scores: so one process and a cluster give the same bytes.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias, cast

import orjson

from veritab.engine import Engine
from veritab.errors import Conflict, NotFound, VeritabError, short_repr
from veritab.render.json import verdict_to_json
from veritab.runs.claims import ClaimRecord
from veritab.schema import Claim

if TYPE_CHECKING:
    from veritab.pipeline import Checker
    from veritab.settings import Settings

OpenChecker: TypeAlias = "Callable[[], Checker]"
"""Opens a checker; other processes get this and not the checker, which cannot be pickled."""


@dataclass(frozen=True)
class CheckerFactory:
    """Opens a checker over a corpus with some settings, here and in other processes."""

    corpus: Path | None
    settings: Settings
    name: str = ""
    """What verdicts call the corpus; that of its folder by default."""
    documents: tuple[Path, ...] = ()
    """The files and folders that the corpus was made of, where it was made to check against them."""
    models: tuple[tuple[str, str], ...] = ()
    """The hashes that the cards of the models must have, for a worker whose folders may hold others."""

    def __call__(self) -> Checker:
        from veritab.pipeline import Checker

        if self.models and _hash_models(self.settings) != self.models:
            raise _other_models(self.settings)
        return Checker.open(self.corpus, self.settings, name=self.name)

    def for_worker(self, cores: int) -> CheckerFactory:
        """The same for a worker that has so many cores for itself, unless the settings say otherwise."""
        corpus = self.corpus.absolute() if self.corpus else None  # a worker may have been started elsewhere
        settings = self.settings.for_worker(cores)
        return replace(self, corpus=corpus, settings=settings, models=_hash_models(settings))


def _hash_models(settings: Settings) -> tuple[tuple[str, str], ...]:
    from veritab.pipeline import hash_models

    try:
        return tuple(hash_models(settings).items())
    except NotFound:  # what opens them says so
        return ()


def _other_models(settings: Settings) -> Conflict:
    return Conflict(
        f"the models {settings.select.model!r} and {settings.verify.model!r} are not those of the command, as process "
        f"{os.getpid()} on {socket.gethostname()} sees them; put models on storage that every worker mounts under the "
        "same path, or the same ones on each machine"
    )


# -- batches -----------------------------------------------------------------------------------------------

BATCH = 16
"""How many claims are checked and written together, at most."""

MOST_CHARACTERS = 4_000
"""How long the claims of a batch are together, at most, unless one alone is longer."""


class ClaimBatch(NamedTuple):
    """Claims that are checked together; the answers to the first `done` of them are there already."""

    claims: tuple[ClaimRecord, ...]
    done: int = 0


def batches(claims: Iterable[ClaimRecord]) -> Iterator[tuple[ClaimRecord, ...]]:
    """The claims in batches; none spans two files, so that it does not matter when a file of a folder arrived."""
    # Not sorted by length first: the models do that with what they read, and it was measured to gain nothing.
    batch: list[ClaimRecord] = []
    characters = 0
    for claim in claims:
        characters += len(claim.text)
        if batch and (characters > MOST_CHARACTERS or claim.source != batch[-1].source):
            yield tuple(batch)
            batch, characters = [], len(claim.text)
        batch.append(claim)
        if len(batch) == BATCH:
            yield tuple(batch)
            batch, characters = [], 0
    if batch:
        yield tuple(batch)


def remaining_batches(claims: Iterable[ClaimRecord], done: int) -> Iterator[ClaimBatch]:
    """The batches that are not finished, where the answers to the first `done` claims are there."""
    for batch in batches(claims):
        if done < len(batch):
            yield ClaimBatch(batch, done)
        done = max(done - len(batch), 0)


def batches_with(claims: Iterable[ClaimRecord], ids: Container[str]) -> list[tuple[ClaimRecord, ...]]:
    """The batches in which some claims are."""
    return [batch for batch in batches(claims) if any(str(each.id) in ids for each in batch)]


# -- here --------------------------------------------------------------------------------------------------


def check_batch(checker: Checker, claims: Sequence[ClaimRecord], revision: str | None = None) -> list[bytes]:
    """The verdicts on some claims, each a line of JSON with the id of its record.

    With a revision, only a corpus in that state may answer.
    """
    verdicts = checker.check_many([Claim(str(each.id), each.text) for each in claims])
    lines = []
    for each, verdict in zip(claims, verdicts, strict=True):
        if revision is not None and verdict.corpus.get("revision") != revision:
            raise _other_revision(verdict.corpus, revision)
        lines.append(orjson.dumps({"id": None} | verdict_to_json(verdict) | {"id": each.id, "claim": each.text}))
    return lines


def _other_revision(corpus: Any, revision: str) -> Conflict:
    return Conflict(
        f"the corpus {corpus.get('name')!r} is in the state {corpus.get('revision')}, as process {os.getpid()} on "
        f"{socket.gethostname()} sees it, and the work was begun with {revision}; give every worker the same corpus. "
        "If it was changed since, bring the answers up to date with veritab recheck, then --resume"
    )


def check_all(claims: Iterable[ClaimRecord], checker: Checker, *, done: int = 0) -> Iterator[list[bytes]]:
    """The verdicts in batches, without those of the first `done` claims."""
    for batch in remaining_batches(claims, done):
        yield check_batch(checker, batch.claims)[batch.done :]


# -- by an engine ------------------------------------------------------------------------------------------


class Failed(NamedTuple):
    """What stands for the answer to a claim that could not be checked."""

    id: Any
    claim: str
    error: str

    def line(self) -> bytes:
        return orjson.dumps(self._asdict())


AnswerLine: TypeAlias = bytes | Failed

_MOST_FAILED = 3 * BATCH
"""So many claims in a row fail for a reason of their own only by design."""


def check_on_engine(
    claims: Iterable[ClaimRecord],
    open_checker: OpenChecker,
    engine: Engine,
    *,
    done: int = 0,
    revision: str | None = None,
) -> Iterator[list[bytes]]:
    """The same lines as `check_all` gives, by the workers of an engine; each opens the checker once."""
    try:
        yield from engine.map(partial(_check, open_checker, revision), remaining_batches(claims, done))
    finally:
        close_opened()


def check_what_can_be(
    remaining: Iterable[ClaimBatch], open_checker: OpenChecker, engine: Engine, *, revision: str | None = None
) -> Iterator[list[AnswerLine]]:
    """The same, past claims that cannot be checked: those that raise what nobody foresaw, or end their worker."""
    answer: Callable[[ClaimBatch], list[AnswerLine] | Lost] = partial(_answer, open_checker, revision)

    def ask(batches: Iterable[ClaimBatch], lost: GiveUp) -> Iterator[list[AnswerLine]]:
        return engine.map(partial(_answer, open_checker, revision), batches, lost)

    try:
        yield from go_past_losses(engine.map(answer, remaining, Lost), ask)
    finally:
        close_opened()


class Lost(NamedTuple):
    """Stands for the answers to a batch that ended worker after worker."""

    batch: ClaimBatch
    why: str


GiveUp: TypeAlias = Callable[[ClaimBatch, str], list[AnswerLine]]
"""What stands for the answers to a batch that was lost, from the batch and what happened."""


def go_past_losses(
    found: Iterable[list[AnswerLine] | Lost],
    ask: Callable[[Iterable[ClaimBatch], GiveUp], Iterator[list[AnswerLine]]],
) -> Iterator[list[AnswerLine]]:
    """The answers to all batches; `ask` answers some of them once more. Where all claims fail, that is an error.

    Of a batch that was lost the claims are checked one by one, and those that get through together once more, so that
    their scores are those of a batch: a worker that died of something else leaves no trace in them.
    """
    in_a_row = 0
    for each in found:
        answers = _answer_after_loss(each, ask) if isinstance(each, Lost) else each
        yield answers
        for answer in answers:
            in_a_row = in_a_row + 1 if isinstance(answer, Failed) else 0
        if in_a_row >= _MOST_FAILED:
            last = cast(Failed, answers[-1])
            raise VeritabError(
                f"the last {in_a_row} claims all failed, so it is not for what they say; the last of them, "
                f"{short_repr(last.id)}, with: {last.error}"
            )


def _answer_after_loss(
    lost: Lost, ask: Callable[[Iterable[ClaimBatch], GiveUp], Iterator[list[AnswerLine]]]
) -> list[AnswerLine]:
    def name_claim(batch: ClaimBatch, why: str) -> list[AnswerLine]:
        return [Failed(batch.claims[0].id, batch.claims[0].text, why)]

    def refuse(_: ClaimBatch, why: str) -> NoReturn:
        raise VeritabError(f"no worker could open the checker: {why}; it may need more memory than a worker has")

    claims = lost.batch.claims
    list(ask([ClaimBatch(())], refuse))
    if len(claims) == 1:
        return name_claim(lost.batch, lost.why)
    alone = list(chain.from_iterable(ask([ClaimBatch((claim,)) for claim in claims], name_claim)))
    sound = ClaimBatch(_sound(claims, alone))
    together = next(ask([sound], lambda *_: [])) if sound.claims else []
    return _put_together(alone, together)[lost.batch.done :]


def _sound(claims: Iterable[ClaimRecord], alone: Iterable[AnswerLine]) -> tuple[ClaimRecord, ...]:
    return tuple(claim for claim, each in zip(claims, alone, strict=True) if not isinstance(each, Failed))


def _put_together(alone: Sequence[AnswerLine], together: Sequence[AnswerLine]) -> list[AnswerLine]:
    """The answers to a batch of which some claims failed; those checked together count, where none of them failed."""
    if not together or any(isinstance(each, Failed) for each in together):
        return list(alone)
    lines = iter(together)
    return [each if isinstance(each, Failed) else next(lines) for each in alone]


# -- in a worker -------------------------------------------------------------------------------------------

_opened: tuple[OpenChecker, Checker] | None = None
_opening = threading.Lock()


def open_once(open_checker: OpenChecker) -> Checker:
    """The checker of this process; a worker keeps it, with its models, for the next batch."""
    global _opened
    with _opening:
        if _opened is None or _opened[0] != open_checker:
            close_opened()
            _opened = open_checker, open_checker()
        return _opened[1]


def close_opened() -> None:
    """Close the checker of this process, where one was opened."""
    global _opened
    if _opened is not None:
        _opened[1].close()
        _opened = None


def _check(open_checker: OpenChecker, revision: str | None, batch: ClaimBatch) -> list[bytes]:
    return check_batch(open_once(open_checker), batch.claims, revision)[batch.done :]


def _answer(open_checker: OpenChecker, revision: str | None, batch: ClaimBatch) -> list[AnswerLine]:
    return answer_what_can_be(open_once(open_checker), batch, revision)


def answer_what_can_be(checker: Checker, batch: ClaimBatch, revision: str | None = None) -> list[AnswerLine]:
    """The answers to a batch, where need be without the claims that raise an error."""
    if not batch.claims:
        return []
    answers = _try_batch(checker, revision, batch.claims)
    if isinstance(answers, Failed):
        alone = [
            each if isinstance(each, Failed) else each[0]
            for each in (_try_batch(checker, revision, [claim]) for claim in batch.claims)
        ]
        sound = _sound(batch.claims, alone)
        together = _try_batch(checker, revision, sound) if sound else []
        answers = _put_together(alone, [] if isinstance(together, Failed) else together)
    return answers[batch.done :]


def _try_batch(checker: Checker, revision: str | None, claims: Sequence[ClaimRecord]) -> list[AnswerLine] | Failed:
    """The answers to some claims; where an error is raised that nobody foresaw, what it is, with the first of them."""
    try:
        return [*check_batch(checker, claims, revision)]
    except (VeritabError, KeyboardInterrupt, SystemExit):
        raise  # not about these claims
    except BaseException as error:  # panics of the parts in Rust are no `Exception`
        return Failed(claims[0].id, claims[0].text, f"{type(error).__name__}: {error}"[:_LONGEST_ERROR])


_LONGEST_ERROR = 500
