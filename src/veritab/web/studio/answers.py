"""Answers to a task, drawn beside each other: for managers with names, for annotators without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import NotFound
from veritab.render.markup import Markup
from veritab.schema import ElementId
from veritab.studio.log import EvidenceSets
from veritab.studio.quality import ShownAnswer
from veritab.studio.records import (
    AccountRecord,
    CommentRecord,
    HighlightRecord,
    MembershipRecord,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import TaskState
from veritab.studio.vocabulary import Challenge, ClaimRating, Pool, Role
from veritab.web.studio.evidence import EvidenceDrawing, draw_verdict_label, format_seconds
from veritab.web.studio.sessions import ProjectVisit

_CHALLENGES = {each.value: each.label for each in Challenge}
_RATINGS = {each.value: each.label for each in ClaimRating}
_FIELDS = {"note": "Note", "misled": "Would be misled", "cause": "What makes it false"}


class AnswerView(NamedTuple):
    """An answer for the eye."""

    annotation_id: int
    who: str
    is_own: bool
    label: Markup
    facts: Sequence[tuple[str, str, bool]]
    """What it is called, what it says, and whether the answers differ in it."""
    sets: Sequence[Markup]
    evidence_differs: bool
    label_differs: bool
    is_flagged: bool
    submitted_at: float


def view_answers(answers: Sequence[ShownAnswer], drawing: EvidenceDrawing) -> list[AnswerView]:
    """Answers beside each other, with what they differ in marked."""
    return [_view_answer(answer, drawing) for answer in answers]


def _view_answer(answer: ShownAnswer, drawing: EvidenceDrawing) -> AnswerView:
    facts = [
        ("Challenge", _CHALLENGES.get(answer.challenge, answer.challenge), "challenge" in answer.differs),
        ("Rating", _RATINGS.get(answer.rating, answer.rating), "rating" in answer.differs),
        *((name, text, False) for name, text in name_fields(answer.fields)),
        ("Evidence like the others'", "" if answer.match is None else f"{answer.match:.0%}".replace("%", " %"), False),
        ("Time", format_seconds(answer.seconds), False),
    ]
    return AnswerView(
        answer.annotation_id,
        answer.who,
        answer.is_own,
        draw_verdict_label(answer.label),
        [fact for fact in facts if fact[1]],
        draw_sets(answer.sets, drawing, answer.unshared),
        "evidence" in answer.differs,
        "label" in answer.differs,
        answer.is_flagged,
        answer.submitted_at,
    )


def draw_sets(
    sets: EvidenceSets, drawing: EvidenceDrawing, unshared: frozenset[ElementId] = frozenset()
) -> list[Markup]:
    """Each evidence set where it stands."""
    return [drawing.draw(pieces, unshared) for pieces in sets if pieces]


def name_fields(fields: Mapping[str, str]) -> list[tuple[str, str]]:
    """What was filled in, under names that people read: "claim-1" is "Claim 1"."""
    return [
        (_FIELDS.get(name, name.replace("-", " ").capitalize()), text)
        for name, text in fields.items()
        if not name.endswith("-verdict")
    ]


# -- a task ------------------------------------------------------------------------------------------------


class TaskView(NamedTuple):
    """What a task asks, for a heading."""

    task: TaskRecord
    claim: StudioClaimRecord | None
    author: str
    highlight: HighlightRecord | None

    @property
    def text(self) -> str:
        """The claim, or the page that claims are written about."""
        if self.claim:
            return self.claim.text
        return f"Claims about {self.highlight.page}" if self.highlight else f"Task {self.task.id}"


def find_task(session: Session, project: ProjectRecord, id: int) -> TaskRecord:
    """A task of this project; one of another is not there."""
    task = session.get(TaskRecord, id)
    if task is None or task.project_id != project.id:
        raise NotFound(f"there is no task {id} in this project")
    return task


def view_task(session: Session, task: TaskRecord) -> TaskView:
    """What a task asks, and who wrote its claim."""
    claim = session.get(StudioClaimRecord, task.claim_id) if task.claim_id is not None else None
    author = session.get(AccountRecord, claim.author_id) if claim and claim.author_id is not None else None
    highlight_id = task.highlight_id or (claim.highlight_id if claim else None)
    highlight = session.get(HighlightRecord, highlight_id) if highlight_id is not None else None
    return TaskView(task, claim, author.name if author else "", highlight)


class ShownComment(NamedTuple):
    """A remark on a task, and who made it, as far as that is told."""

    who: str
    text: str
    at: float


def comments_on(here: ProjectVisit, task: TaskRecord) -> list[ShownComment]:
    """What may be read of what was said: one's own and managers' words; other annotators' once the task is settled.

    Managers read everything, with names.
    """
    rows = here.session.execute(
        select(CommentRecord, AccountRecord.name, MembershipRecord.role)
        .join(AccountRecord, AccountRecord.id == CommentRecord.account_id)
        .join(
            MembershipRecord,
            (MembershipRecord.account_id == CommentRecord.account_id)
            & (MembershipRecord.project_id == task.project_id),
        )
        .where(CommentRecord.task_id == task.id)
        .order_by(CommentRecord.id)
    )
    settled = task.state == TaskState.SETTLED and task.pool == Pool.WORK
    shown = []
    for comment, name, role in rows:
        if comment.account_id == here.member.account_id:
            who = "You"
        elif role != Role.ANNOTATOR:
            who = f"{name}, manager"
        elif here.is_manager:
            who = name
        else:
            who = "Another annotator" if settled else ""
        if who:
            shown.append(ShownComment(who, comment.text, comment.made_at))
    return shown
