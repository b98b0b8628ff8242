"""Answers side by side, with what they disagree about marked.

Managers see pseudonyms. Annotators see the answers to a task that they answered too, once it is settled, and the
others' without names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from string import ascii_uppercase
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import Conflict, NotAllowed, NotFound
from veritab.schema import ElementId
from veritab.studio.log import EvidenceSets
from veritab.studio.quality.kept import last_answers, sets_of
from veritab.studio.quality.measures import match_evidence
from veritab.studio.records import AccountRecord, MembershipRecord, TaskRecord
from veritab.studio.states import TaskState
from veritab.studio.vocabulary import Pool, Role


class ShownAnswer(NamedTuple):
    """An answer to a task as somebody sees it beside the others."""

    annotation_id: int
    who: str
    """The pseudonym for managers; for annotators "Annotator A", in an order that stays."""
    is_own: bool
    label: str
    challenge: str
    rating: str
    sets: EvidenceSets
    fields: Mapping[str, str]
    seconds: float
    submitted_at: float
    is_flagged: bool
    differs: frozenset[str]
    """Of "label", "challenge", "rating" and "evidence", what the answers do not agree on."""
    unshared: frozenset[ElementId]
    """The pieces of evidence that not every answer has."""
    match: float | None
    """How far the evidence is that of the others: the mean of `match_evidence`; None where there is none to compare."""


def answers_of(session: Session, task: TaskRecord, *, viewer: MembershipRecord) -> list[ShownAnswer]:
    """The answers to a task, in the order in which people took it."""
    if viewer.project_id != task.project_id:
        raise NotFound(f"there is no task {task.id} in this project")
    answers = last_answers(session, task)
    is_manager = viewer.role != Role.ANNOTATOR
    if not is_manager:
        _refuse_early(task, is_own=any(answer.account_id == viewer.account_id for answer in answers))
    if task.pool == Pool.GOLD and not is_manager:
        # Many people answer it: shown alone, it cannot be told from a task that asks one person.
        answers = [answer for answer in answers if answer.account_id == viewer.account_id]
    names = _names(session, [answer.account_id for answer in answers]) if is_manager else {}
    kept = sets_of(session, [answer.id for answer in answers])
    sets = [kept.get(answer.id, ()) for answer in answers]
    pieces = [frozenset(piece for each in own for piece in each) for own in sets]
    holders = Counter(piece for own in pieces for piece in own)
    differs = frozenset(
        part
        for part, values in (
            ("label", {answer.label for answer in answers}),
            ("challenge", {answer.challenge for answer in answers}),
            ("rating", {answer.rating for answer in answers}),
            ("evidence", set(pieces)),
        )
        if len(values) > 1
    )
    return [
        ShownAnswer(
            annotation_id=answer.id,
            who=names[answer.account_id] if is_manager else f"Annotator {_letters(number)}",
            is_own=answer.account_id == viewer.account_id,
            label=answer.label,
            challenge=answer.challenge,
            rating=answer.rating,
            sets=sets[number],
            fields=answer.fields,
            seconds=answer.seconds,
            submitted_at=answer.submitted_at,
            is_flagged=answer.is_flagged,
            differs=differs,
            unshared=frozenset(piece for piece in pieces[number] if holders[piece] < len(answers)),
            match=_mean_match(sets, number),
        )
        for number, answer in enumerate(answers)
    ]


def _refuse_early(task: TaskRecord, *, is_own: bool) -> None:
    if not is_own:
        raise NotAllowed("only those who answered a task and managers see its answers")
    if task.pool in (Pool.CALIBRATION, Pool.PRACTICE):
        raise NotAllowed(f"others' answers are not shown in {task.pool}; yours is, beside the right one")
    if task.state != TaskState.SETTLED and task.pool != Pool.GOLD:
        raise Conflict(f"the task is {task.state}; others' answers are shown once it is settled")


def _names(session: Session, account_ids: list[int]) -> dict[int, str]:
    rows = session.execute(select(AccountRecord.id, AccountRecord.name).where(AccountRecord.id.in_(account_ids)))
    return dict(rows.all())


def _letters(number: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    return (_letters(number // 26 - 1) if number >= 26 else "") + ascii_uppercase[number % 26]


def _mean_match(sets: list[EvidenceSets], number: int) -> float | None:
    matches = [match_evidence(sets[number], other) for place, other in enumerate(sets) if place != number]
    known = [match for match in matches if match is not None]
    return sum(known) / len(known) if known else None
