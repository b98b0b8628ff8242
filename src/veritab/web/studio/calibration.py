"""Calibration: how far somebody has come, feedback after phase one, and a manager who grades and lets people in."""

from __future__ import annotations

from typing import NamedTuple

from fastapi import APIRouter
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import NotFound
from veritab.render.markup import Markup
from veritab.schema import ElementId
from veritab.studio import projects, quality
from veritab.studio.quality import CalibrationState, GradedAnswer
from veritab.studio.records import AccountRecord, AnnotationRecord, HighlightRecord, MembershipRecord, TaskRecord
from veritab.studio.states import MemberStage, MemberStep
from veritab.studio.vocabulary import Role
from veritab.web.pages.templating import show_at
from veritab.web.studio.answers import draw_sets, find_task, name_fields
from veritab.web.studio.evidence import EvidenceDrawing, draw_verdict_label
from veritab.web.studio.members import DECISIONS, find_member
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit, RecordNumber, Visit, change, look, move_on


class GradedView(NamedTuple):
    """A graded answer with its evidence and the right one's drawn; for writing, what was written about."""

    row: GradedAnswer
    own_sets: list[Markup]
    gold_sets: list[Markup]
    highlight: Markup


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/calibration")
    async def show(request: Request, project: str) -> Response:
        return await look(request, _show, project)

    @router.post("/p/{project}/calibration")
    async def read_feedback(request: Request, project: str) -> Response:
        return await change(request, _read_feedback, project)

    @show_at(router, "/p/{project}/manage/calibration")
    async def overview(request: Request, project: str) -> Response:
        return await look(request, _list, project)

    @show_at(router, "/p/{project}/manage/calibration/{member}")
    async def of_member(request: Request, project: str, member: RecordNumber) -> Response:
        return await look(request, _show_member, project, member)

    @router.post("/p/{project}/manage/calibration/{member}/grade/{annotation}")
    async def grade(request: Request, project: str, member: RecordNumber, annotation: RecordNumber) -> Response:
        return await change(request, _grade, project, member, annotation)


# -- one's own ---------------------------------------------------------------------------------------------


def _show(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    state = quality.calibration_of(here.session, here.project, here.member)
    return render(
        here,
        "calibration.html",
        here="project",
        state=state,
        words=_describe(state),
        views=_view_rows(here, state),
        label_of=draw_verdict_label,
        name_fields=name_fields,
        calibrates=here.settings.calibration_size > 0,
    )


def _describe(state: CalibrationState) -> str:
    if state.may_read:
        return "Phase one is done. Below your answers stand beside the right ones. Read them, then begin phase two."
    if state.phase == 1 and state.done >= state.wanted:
        return "Phase one is done. A manager grades what you wrote; the feedback is shown here after that."
    if state.phase:
        number = "one" if state.phase == 1 else "two"
        after = " Feedback comes after the last." if state.phase == 1 else ""
        return f"Phase {number}: {state.done} of {state.wanted} tasks done.{after}"
    match state.stage:
        case MemberStage.WAITING:
            return "Both phases are done. A manager decides whether you go on."
        case MemberStage.REJECTED:
            return "Your part in this project ended after calibration."
    return "You are past calibration." if state.rows else "You were let in without calibration."


def _view_rows(here: ProjectVisit, state: CalibrationState) -> dict[int, list[GradedView]]:
    views: dict[int, list[GradedView]] = {}
    for row in state.rows:
        drawing = EvidenceDrawing(here, row.claim)
        gold = draw_sets(row.gold.sets, drawing) if row.gold else []
        view = GradedView(row, draw_sets(row.sets, drawing), gold, _draw_highlight(here, drawing, row))
        views.setdefault(row.phase, []).append(view)
    return views


def _draw_highlight(here: ProjectVisit, drawing: EvidenceDrawing, row: GradedAnswer) -> Markup:
    task = here.session.get_one(TaskRecord, row.task_id)
    if row.claim or task.highlight_id is None:
        return Markup("")
    highlight = here.session.get_one(HighlightRecord, task.highlight_id)
    return drawing.draw([ElementId.parse(id) for id in highlight.elements["ids"]])


def _read_feedback(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    quality.read_feedback(here.session, here.project, here.member, now=here.now)
    return move_on(here.to(), "feedback-read")


# -- a manager's -------------------------------------------------------------------------------------------


def _list(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    rows = []
    answered = quality.who_calibrated(here.session, here.project)
    for member, account in projects.members_of(here.session, here.project):
        if account.id not in answered and member.stage not in quality.CALIBRATING:
            continue
        state = quality.calibration_of(here.session, here.project, member, viewer=here.member)
        rows.append((member, account, state, sum(row.passed is None for row in state.rows)))
    rows.sort(key=lambda row: (row[2].stage is not MemberStage.WAITING, not row[3], row[1].name))
    return render(here, "manage_calibration.html", here="manage", rows=rows)


def _show_member(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    member = find_member(here, id)
    state = quality.calibration_of(here.session, here.project, member, viewer=here.member)
    return render(
        here,
        "manage_calibration_member.html",
        here="manage",
        person=here.session.get_one(AccountRecord, member.account_id),
        them=member,
        state=state,
        views=_view_rows(here, state),
        steps=[(step, words) for step, words in DECISIONS.get(state.stage, ()) if step is not MemberStep.PAUSE],
        is_self=member.account_id == here.member.account_id,
        label_of=draw_verdict_label,
        name_fields=name_fields,
    )


def _grade(visit: Visit, name: str, id: int, annotation_id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    member = find_member(here, id)
    annotation = _find_annotation(here, member, annotation_id)
    quality.grade_by_hand(
        here.session,
        annotation,
        by=here.signed.account_id,
        passed=here.field("passed", 10) == "yes",
        note=here.field("note", 10_000),
        now=here.now,
    )
    return move_on(here.to("manage", "calibration", member.id), "graded")


def _find_annotation(here: ProjectVisit, member: MembershipRecord, id: int) -> AnnotationRecord:
    annotation = here.session.scalar(
        select(AnnotationRecord).where(AnnotationRecord.id == id, AnnotationRecord.account_id == member.account_id)
    )
    if annotation is None:
        raise NotFound(f"this member has no answer {id}")
    find_task(here.session, here.project, annotation.task_id)
    return annotation
