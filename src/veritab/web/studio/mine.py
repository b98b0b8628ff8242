"""One's own work: answers, claims and reports with what became of them; others' answers once a task is settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import Conflict, NotAllowed, NotFound
from veritab.studio import quality
from veritab.studio.quality import OwnAnswer, ShownAnswer
from veritab.studio.records import AnnotationRecord, TaskRecord
from veritab.studio.states import ClaimState, TaskState
from veritab.studio.submission import WRITING_KINDS
from veritab.studio.tasks import can_revise
from veritab.studio.vocabulary import ClaimType, MutationType, Pool, ReportReason, TaskKind
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.studio.answers import comments_on, find_task, name_fields, view_answers, view_task
from veritab.web.studio.evidence import EvidenceDrawing, draw_verdict_label, format_seconds
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit, RecordNumber, Visit, look

_AT_ONCE = 25
_PARTS = ("answers", "claims", "reports")


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/mine")
    async def mine(
        request: Request, project: str, part: str = "answers", page: Annotated[int, Query(ge=1, le=10_000)] = 1
    ) -> Response:
        return await look(request, _show, project, part, page)

    @show_at(router, "/p/{project}/answers/{task}")
    async def answers(request: Request, project: str, task: RecordNumber) -> Response:
        return await look(request, _show_answers, project, task)


def _show(visit: Visit, name: str, part: str, page: int) -> Response:
    here = visit.enter(name)
    if part not in _PARTS:
        raise NotFound(f"there is no part {part[:40]!r} of your work; there are {', '.join(_PARTS)}")
    skip = (page - 1) * _AT_ONCE
    arguments = here.session, here.project, here.member.account_id
    rows: Sequence[object]
    if part == "answers":
        rows = quality.my_work(*arguments, most=_AT_ONCE + 1, skip=skip)
    elif part == "claims":
        rows = quality.my_claims(*arguments, most=_AT_ONCE + 1, skip=skip)
    else:
        rows = quality.my_reports(*arguments, most=_AT_ONCE + 1, skip=skip)
    return render(
        here,
        "mine.html",
        here="mine",
        part=part,
        page=page,
        rows=rows[:_AT_ONCE],
        has_more=len(rows) > _AT_ONCE,
        label_of=draw_verdict_label,
        took=format_seconds,
        may_change=_may_change,
        state_words=_state_words,
        claim_states=_CLAIM_STATES,
        reasons={each.value: each.label for each in ReportReason},
        types={each.value: each.label for each in ClaimType},
        mutations={each.value: each.label for each in MutationType},
        name_fields=name_fields,
    )


def _may_change(answer: OwnAnswer) -> bool:
    """Whether an answer may still be changed, as far as its author can tell."""
    return (
        answer.pool in (Pool.WORK, Pool.SUPER)
        and answer.kind not in WRITING_KINDS
        and answer.state in (TaskState.OPEN, TaskState.TAKEN, TaskState.DISPUTED, TaskState.FLAGGED)
    )


def _state_words(answer: OwnAnswer) -> str:
    """What became of an answer; that others disagree is not told before it is settled."""
    if answer.pool is Pool.PRACTICE:
        return "practice"
    if answer.pool is Pool.CALIBRATION:
        return "calibration"
    match answer.state:
        case TaskState.SETTLED:
            return "settled"
        case TaskState.CLOSED:
            return "the claim was changed or withdrawn"
        case TaskState.IN_REVIEW | TaskState.FLAGGED | TaskState.DISPUTED:
            return "a manager looks at it"
    return "waits for others"


_CLAIM_STATES = {
    ClaimState.GOOD: "",
    ClaimState.REPORTED: "reported; a manager looks at it",
    ClaimState.CORRECTED: "corrected by a manager",
    ClaimState.WITHDRAWN: "withdrawn by a manager",
    ClaimState.RETURNED: "reported, and found good",
}


# -- answers -----------------------------------------------------------------------------------------------


def _show_answers(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name)
    task = find_task(here.session, here.project, id)
    own = _own_annotation(here, task)
    if own is None and not here.is_manager:
        raise NotFound(f"you have answered no task {id} in this project")
    view = view_task(here.session, task)
    drawing = EvidenceDrawing(here, view.claim.text if view.claim else "")
    why_alone = ""
    try:
        answers = quality.answers_of(here.session, task, viewer=here.member)
    except Conflict:  # whether the others agree is nobody's business yet
        answers, why_alone = _alone(here, own), "the others' answers are shown here once the task is settled"
    except NotAllowed as error:
        answers, why_alone = _alone(here, own), str(error)
    decisions = quality.decisions_of(here.session, task)
    decision = decisions[0] if decisions and task.state == TaskState.SETTLED and task.pool != Pool.GOLD else None
    chosen = decision and next((each for each in answers if each.annotation_id == decision.annotation_id), None)
    return render(
        here,
        "answers.html",
        here="mine",
        view=view,
        kind=TaskKind(task.kind),
        answers=view_answers(answers, drawing),
        differs=sorted(answers[0].differs) if answers else [],
        why_alone=as_sentence(why_alone),
        decision=decision,
        decided_for=chosen.who if chosen else "",
        label_of=draw_verdict_label,
        comments=comments_on(here, task),
        own=own,
        can_change=own is not None and can_revise(task) and TaskKind(task.kind) not in WRITING_KINDS,
    )


def _own_annotation(here: ProjectVisit, task: TaskRecord) -> AnnotationRecord | None:
    return here.session.scalar(
        select(AnnotationRecord).where(
            AnnotationRecord.task_id == task.id,
            AnnotationRecord.account_id == here.member.account_id,
            AnnotationRecord.is_last,
        )
    )


def _alone(here: ProjectVisit, own: AnnotationRecord | None) -> list[ShownAnswer]:
    """One's own answer, beside which the others' are not shown yet."""
    if own is None:
        return []
    shown = ShownAnswer(
        annotation_id=own.id,
        who="Your answer",
        is_own=True,
        label=own.label,
        challenge=own.challenge,
        rating=own.rating,
        sets=quality.sets_of(here.session, [own.id]).get(own.id, ()),
        fields=own.fields,
        seconds=own.seconds,
        submitted_at=own.submitted_at,
        is_flagged=own.is_flagged,
        differs=frozenset(),
        unshared=frozenset(),
        match=None,
    )
    return [shown]
