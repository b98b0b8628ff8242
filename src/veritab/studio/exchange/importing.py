"""A file of claims comes into a project: all of it, or nothing where a line has a fault.

Claims become tasks. Where a record has a label or evidence, it is the right answer in pools that have one, and in the
others an answer of somebody who is not here: finished with a label, begun without. Nobody can sign in as them; whoever
takes a task that was begun goes on with its evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from veritab.errors import InputError, short_repr
from veritab.schema import ElementId, Label
from veritab.studio.database import hold_alone
from veritab.studio.exchange.answers import ExchangedAnswer, agree
from veritab.studio.exchange.formats import ExchangedClaim, LineFault, read_given
from veritab.studio.exchange.replaying import replay
from veritab.studio.log import fold
from veritab.studio.projects import leave_trail, refuse_closed, require_manager, workflow_of
from veritab.studio.quality import settle
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    DecisionRecord,
    EventRecord,
    EvidenceRecord,
    JsonObject,
    MembershipRecord,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import AssignmentState, ClaimState, MemberStage, TaskState, TaskStep, move_task
from veritab.studio.submission import WRITING_KINDS, read_answer
from veritab.studio.tasks import IMPORTED_DRAFT, VERIFICATION_KINDS, add_verification_task
from veritab.studio.vocabulary import Pool, Role, TaskKind

MOST_FAULTS = 100
"""So many faults of a file are told; the rest are counted."""
IMPORT_POOLS = (Pool.WORK, Pool.PRACTICE, Pool.CALIBRATION, Pool.GOLD)
_PHASES = (1, 2)
_FAR = 20
"""Faults so many times as many as are told, and the rest of the file is not read."""


class ImportReport(NamedTuple):
    """What came of a file."""

    claims: int
    answers: int
    """Annotations that came finished."""
    begun: int
    """Annotations that came without a label."""
    gold: int
    """Claims whose right answer is known."""
    settled: int
    """Claims that need no further answer."""


class RefusedImport(InputError):
    """A file has faults, so nothing of it was kept; `faults` are the first of them, `more` the number of the others."""

    def __init__(self, name: str, faults: list[LineFault], more: int) -> None:
        told = "\n".join(map(str, faults))
        rest = f"\nand {more:,} more" if more else ""
        super().__init__(f"{name} has faults, so nothing of it was kept:\n{told}{rest}")
        self.faults, self.more = tuple(faults), more


def import_file(
    session: Session,
    project: ProjectRecord,
    path: Path,
    *,
    format: str,
    now: float,
    by: int | None,
    pool: str = Pool.WORK,
    phase: int = 0,
    priority: int = 0,
    kind: str = "",
    exists: Callable[[ElementId], bool] | None = None,
    name: str = "",
    tick: Callable[[int], None] = lambda claims: None,
) -> ImportReport:
    """Bring the claims of a file into a pool of a project; RefusedImport where anything in it is wrong.

    `kind` is what is asked about the claims, where the project asks for several things; it verifies otherwise.
    `exists` says whether the corpus has an element; without it evidence is believed, as for claims whose pages are not
    at hand. `name` is what the file is called for people, `tick` is told how many claims were read so far.
    """
    require_manager(session, project, by)
    refuse_closed(project)
    _check_pool(pool, phase)
    hold_alone(session, f"import into {project.id}")  # what another brings at this moment is not there yet to be seen
    shown = name or path.name
    importer = _Importer(session, project, check_kind(project, kind), Pool(pool), phase, priority, now, exists)
    faults, more = list[LineFault](), 0
    for number, given in enumerate(read_given(path, format, shown), 1):
        tick(number)
        for fault in [given] if isinstance(given, LineFault) else importer.find_faults(given):
            if len(faults) < MOST_FAULTS:
                faults.append(fault)
            else:
                more += 1
        if more > _FAR * MOST_FAULTS:
            break
        if not faults and isinstance(given, ExchangedClaim):
            importer.keep(given)
    if faults:
        raise RefusedImport(shown, faults, more)
    report = importer.finish()
    if not report.claims:
        raise InputError(f"{shown} holds no claim; expected e.g. one sentence a line")
    leave_trail(
        session,
        "import claims",
        f"file {shown}",
        after={"format": format, "pool": pool, "phase": phase, **report._asdict()},
        by=by,
        project_id=project.id,
        now=now,
    )
    session.flush()
    return report


def _check_pool(pool: str, phase: int) -> None:
    if pool not in IMPORT_POOLS:
        raise InputError(f"nothing is imported into {short_repr(str(pool))}; expected one of {', '.join(IMPORT_POOLS)}")
    if pool == Pool.CALIBRATION and phase not in _PHASES:
        raise InputError(f"calibration has no phase {phase}; say 1 or 2")
    if pool != Pool.CALIBRATION and phase:
        raise InputError(f"only calibration has phases; leave phase {phase} out, or import into calibration")


def check_kind(project: ProjectRecord, kind: str) -> TaskKind:
    """The kind of task that is asked for, or the one that a project's claims usually get."""
    workflow = workflow_of(project)
    possible = [each for each in workflow.kinds if each not in WRITING_KINDS]
    if kind and kind not in possible:
        raise InputError(
            f"claims of this project cannot be for {short_repr(str(kind))}; expected {' or '.join(possible)}"
        )
    return TaskKind(kind) if kind else VERIFICATION_KINDS[workflow]


class _Importer:
    """Claims on their way into a project."""

    def __init__(
        self,
        session: Session,
        project: ProjectRecord,
        kind: TaskKind,
        pool: Pool,
        phase: int,
        priority: int,
        now: float,
        exists: Callable[[ElementId], bool] | None,
    ) -> None:
        self._session, self._project, self._now = session, project, now
        self._pool, self._phase, self._priority = pool, phase, priority
        self._kind, self._exists = kind, exists
        self._people: dict[str, int] = {}
        self._texts, self._ids = dict[bytes, str](), dict[str, str]()
        there = session.execute(
            select(StudioClaimRecord.text, StudioClaimRecord.source_id)
            .where(StudioClaimRecord.project_id == project.id, StudioClaimRecord.state != ClaimState.WITHDRAWN)
            .execution_options(yield_per=1000)
        )
        count = 0
        for text, id in there:
            count += 1
            self._texts[_digest(text)] = ""
            if id:
                self._ids[id] = ""
        self._rng = Random(f"{project.seed} import {count}")
        self._counts = dict.fromkeys(ImportReport._fields, 0)

    # -- faults

    def find_faults(self, given: ExchangedClaim) -> Iterator[LineFault]:
        """What is wrong with a claim, beside those that came before it."""
        for what in self._find(given):
            yield LineFault(given.where, what)

    def _find(self, given: ExchangedClaim) -> Iterator[str]:
        digest = _digest(given.text)
        if (before := self._texts.get(digest)) is not None:
            yield f"the claim {short_repr(given.text)} {_said(before)}; take one of the two out"
        self._texts.setdefault(digest, given.where)
        if given.id:
            if (before := self._ids.get(given.id)) is not None:
                yield f"the id {short_repr(given.id)} {_said(before)}; give the claim another"
            self._ids.setdefault(given.id, given.where)
        answers = (given.truth, *given.answers)
        if self._exists is not None:
            for id in dict.fromkeys(id for answer in answers for pieces in answer.sets for id in pieces):
                if not self._exists(id):
                    yield f"the corpus has no {short_repr(str(id))}; bring its page in, or take the evidence out"
        if self._pool in (Pool.GOLD, Pool.CALIBRATION) and given.truth.label is None:
            yield f"the claim {short_repr(given.text)} has no label; in {self._pool} the right answer must be known"
        elif self._pool is Pool.WORK:
            for answer in given.answers:
                if self._read(answer) != (answer.label or ""):
                    yield f"{answer.label} without evidence is no answer in this project; add it, or take the label out"
                    break

    def _read(self, answer: ExchangedAnswer) -> str:
        return read_answer(self._kind, fold(replay((), answer.sets, self._fields(answer)))).label

    def _fields(self, answer: ExchangedAnswer) -> list[tuple[str, str]]:
        """What a form would have held."""
        told = (("rating", answer.rating), ("verdict", answer.label or ""), ("challenge", answer.challenge))
        fields = [(name, text) for name, text in told if text]
        if self._kind is TaskKind.FEVER_LABELLING and answer.label not in (None, Label.NOT_ENOUGH_INFO):
            groups = [(f"set-{number}-verdict", str(answer.label)) for number in range(1, len(answer.sets) + 1)]
            return groups + [field for field in fields if field[0] != "verdict"]
        return fields

    # -- keeping

    def keep(self, given: ExchangedClaim) -> None:
        """Make a claim, its task and what is known of its answers."""
        claim = StudioClaimRecord(
            project_id=self._project.id,
            text=given.text,
            state=ClaimState.GOOD,
            pool=self._pool,
            source_id=given.id,
            source=given.source,
            made_at=self._now,
        )
        self._session.add(claim)
        self._session.flush()
        self._counts["claims"] += 1
        gold = self._gold(given.truth)
        self._counts["gold"] += bool(gold)
        task = add_verification_task(
            self._session,
            self._project,
            claim,
            rng=self._rng,
            now=self._now,
            pool=self._pool,
            phase=self._phase,
            gold=gold,
            priority=self._priority,
            kind=self._kind,
        )
        if self._pool is Pool.WORK:
            for answer in given.answers:
                self._keep_answer(task, answer)
            self._settle(task, given)

    def finish(self) -> ImportReport:
        """What came in altogether."""
        return ImportReport(**self._counts)

    def _gold(self, truth: ExchangedAnswer) -> JsonObject:
        if self._pool is Pool.WORK or truth.label is None:
            return {}
        sets = [[str(id) for id in pieces] for pieces in truth.sets]
        return {"label": truth.label.value, "evidence": sets, "challenge": truth.challenge}

    def _keep_answer(self, task: TaskRecord, answer: ExchangedAnswer) -> None:
        """An answer with its log, as if it had been given here."""
        finished = answer.is_finished
        events = replay(answer.operations, answer.sets, self._fields(answer))
        seconds = max(answer.seconds, *(event.seconds for event in events), 0.0)
        assignment = AssignmentRecord(
            task_id=task.id,
            account_id=self._person(answer.annotator),
            state=AssignmentState.SUBMITTED if finished else AssignmentState.EXPIRED,
            taken_at=self._now - seconds,
            lease_until=self._now,
            ended_at=self._now,
            events=len(events),
            reason="" if finished else IMPORTED_DRAFT,
        )
        self._session.add(assignment)
        self._session.flush()
        if events:
            rows = [
                {"assignment_id": assignment.id, "sequence": sequence, "at": self._now, **event._asdict()}
                for sequence, event in enumerate(events, 1)
            ]
            self._session.execute(insert(EventRecord), rows)
        if not finished:
            self._counts["begun"] += 1
            return
        read = read_answer(self._kind, fold(events))
        annotation = AnnotationRecord(
            assignment_id=assignment.id,
            task_id=task.id,
            account_id=assignment.account_id,
            revision=1,
            label=read.label,
            challenge=read.challenge,
            rating=read.rating,
            fields=dict(read.fields),
            events=len(events),
            seconds=seconds,
            suggestion={},
            submitted_at=self._now,
        )
        self._session.add(annotation)
        self._session.flush()
        pieces = [
            {"annotation_id": annotation.id, "set_number": number, "position": position, "element": str(id)}
            for number, chosen in enumerate(answer.sets, 1)
            for position, id in enumerate(chosen, 1)
        ]
        if pieces:
            self._session.execute(insert(EvidenceRecord), pieces)
        task.answers += 1
        self._counts["answers"] += 1

    def _settle(self, task: TaskRecord, given: ExchangedClaim) -> None:
        """Move a task as far as its answers go; what the file says in the end counts where they do not say the same."""
        truth, finished = given.truth, [answer for answer in given.answers if answer.is_finished]
        if not finished:
            return
        if truth.label is not None and agree(finished).verdict != truth.verdict:
            self._decide(task, truth)
        else:
            task.state = move_task(move_task(TaskState(task.state), TaskStep.TAKE), TaskStep.SUBMIT)
            self._session.flush()
            settle(self._session, task, now=self._now)
        self._counts["settled"] += task.state == TaskState.SETTLED

    def _decide(self, task: TaskRecord, truth: ExchangedAnswer) -> None:
        for step in (TaskStep.TAKE, TaskStep.SUBMIT, TaskStep.DISPUTE, TaskStep.REVIEW, TaskStep.DECIDE):
            task.state = move_task(TaskState(task.state), step)
        task.settled_at = self._now
        task.wanted = max(1, task.answers)
        self._session.add(
            DecisionRecord(
                task_id=task.id,
                by_id=self._person("file"),
                label=truth.label or "",
                evidence={"sets": [[str(id) for id in pieces] for pieces in truth.sets], "challenge": truth.challenge},
                reason="the file that it was imported from says so",
                made_at=self._now,
            )
        )

    def _person(self, annotator: str) -> int:
        """The account of somebody of the file: the same for the same name, under a pseudonym, and closed."""
        if annotator not in self._people:
            name = f"imported-{sha256(f'{self._project.id} {annotator}'.encode()).hexdigest()[:10]}"
            found = self._session.scalar(select(AccountRecord.id).where(func.lower(AccountRecord.name) == name))
            if found is None:
                account = AccountRecord(name=name, made_at=self._now, closed_at=self._now)
                self._session.add(account)
                self._session.flush()
                found = account.id
                self._session.add(
                    MembershipRecord(
                        project_id=self._project.id,
                        account_id=found,
                        role=Role.ANNOTATOR,
                        stage=MemberStage.APPROVED,
                        joined_at=self._now,
                    )
                )
            self._people[annotator] = found
        return self._people[annotator]


def _digest(text: str) -> bytes:
    return sha256(text.casefold().encode()).digest()[:16]


def _said(before: str) -> str:
    return f"came before in {before}" if before else "is in the project already"
