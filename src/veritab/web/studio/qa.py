"""Where answers differ or a task was flagged: side by side, and decided with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastapi import APIRouter
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import InputError, NotFound, VeritabError
from veritab.render.view import LABELS
from veritab.schema import ElementId
from veritab.studio import annotating, quality
from veritab.studio.quality import ShownAnswer
from veritab.studio.records import AccountRecord, DecisionRecord, ReportRecord, TaskRecord
from veritab.studio.states import TaskState
from veritab.studio.vocabulary import Pool, Role, TaskKind
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.problems import describe_error
from veritab.web.studio.answers import comments_on, draw_sets, find_task, view_answers, view_task
from veritab.web.studio.evidence import EvidenceDrawing, draw_verdict_label
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import NotDone, ProjectVisit, RecordNumber, Visit, change, look, move_on

_OWN = "own"
_TO_DECIDE = (TaskState.DISPUTED, TaskState.FLAGGED, TaskState.IN_REVIEW)


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/qa/{task}")
    async def show(request: Request, project: str, task: RecordNumber) -> Response:
        return await look(request, _show_task, project, task)

    @router.post("/p/{project}/qa/{task}/decide")
    async def decide(request: Request, project: str, task: RecordNumber) -> Response:
        return await change(request, _decide, project, task)

    @router.post("/p/{project}/qa/{task}/review")
    async def review(request: Request, project: str, task: RecordNumber) -> Response:
        return await change(request, _review, project, task)

    @router.post("/p/{project}/qa/{task}/reopen")
    async def reopen(request: Request, project: str, task: RecordNumber) -> Response:
        return await change(request, _reopen, project, task)

    @router.post("/p/{project}/qa/{task}/comment")
    async def comment(request: Request, project: str, task: RecordNumber) -> Response:
        return await change(request, _comment, project, task)


def _show_task(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    return _draw(here, find_task(here.session, here.project, id))


def _draw(here: ProjectVisit, task: TaskRecord, *, refused: str = "", status: int = 200) -> Response:
    view = view_task(here.session, task)
    answers = quality.answers_of(here.session, task, viewer=here.member)
    drawing = EvidenceDrawing(here, view.claim.text if view.claim else "")
    state, gold = TaskState(task.state), quality.read_gold(task.gold) if task.gold else None
    return render(
        here,
        "qa.html",
        here="manage",
        status=status,
        view=view,
        task=task,
        state=state,
        kind=TaskKind(task.kind),
        pool=Pool(task.pool),
        answers=view_answers(answers, drawing),
        differs=sorted(answers[0].differs) if answers else [],
        pieces=[drawing.describe(id) for id in _candidates(answers)],
        gold=gold,
        gold_sets=draw_sets(gold.sets, drawing) if gold else [],
        label_of=draw_verdict_label,
        labels=list(LABELS.values()),
        most_sets=here.settings.most_sets,
        to_decide=state in _TO_DECIDE,
        reports=_open_reports(here, task),
        decisions=list(_view_decisions(here, task, drawing)),
        comments=comments_on(here, task),
        form=here.form,
        refused=as_sentence(refused),
    )


def _candidates(answers: Sequence[ShownAnswer]) -> list[ElementId]:
    """Every piece that anybody chose, in the order of the pages."""
    found = {piece for answer in answers for pieces in answer.sets for piece in pieces}
    return sorted(found, key=lambda id: (id.page, id.kind, id.path))


def _open_reports(here: ProjectVisit, task: TaskRecord) -> list[ReportRecord]:
    if task.claim_id is None:
        return []
    return list(
        here.session.scalars(
            select(ReportRecord).where(ReportRecord.claim_id == task.claim_id, ReportRecord.ended_at.is_(None))
        )
    )


def _view_decisions(
    here: ProjectVisit, task: TaskRecord, drawing: EvidenceDrawing
) -> Iterator[tuple[DecisionRecord, str, Sequence[object]]]:
    for decision in quality.decisions_of(here.session, task):
        sets = [[ElementId.parse(id) for id in pieces] for pieces in decision.evidence.get("sets", ())]
        drawn = [drawing.draw(pieces) for pieces in sets]
        yield decision, here.session.get_one(AccountRecord, decision.by_id).name, drawn


# -- deciding ----------------------------------------------------------------------------------------------


def _decide(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    task = find_task(here.session, here.project, id)
    chosen = here.field("answer", 20)
    try:
        if not chosen:
            raise InputError("choose the answer that is right, or decide yourself")
        is_own = chosen == _OWN
        if not is_own and not chosen.isdecimal():
            raise InputError(f"{chosen!r} is not an answer to this task")
        quality.adjudicate(
            here.session,
            task,
            by=here.signed.account_id,
            label=here.field("label", 40) if is_own else "",
            sets=_read_sets(here) if is_own else (),
            annotation_id=None if is_own else int(chosen),
            reason=here.field("reason", 20_000),
            now=here.now,
        )
    except (InputError, NotFound) as error:
        raise _refuse(here, task, error) from None
    return move_on(here.to("qa", task.id), "decided")


def _refuse(here: ProjectVisit, task: TaskRecord, error: VeritabError) -> NotDone:
    """The same page with what was filled in, and what is wrong with it."""
    problem = describe_error(error)
    return NotDone(_draw(here, task, refused=problem.detail, status=problem.status))


def _read_sets(here: ProjectVisit) -> list[list[ElementId]]:
    """The evidence sets that a form chooses: pieces by their number, and further addresses a line each."""
    sets: dict[str, list[ElementId]] = {str(number): [] for number in range(1, here.settings.most_sets + 1)}

    def add(number: str, id: ElementId) -> None:
        if number not in sets:
            raise InputError(f"there is no evidence set {number[:20]}; they are numbered 1 to {len(sets)}")
        sets[number].append(id)

    for field, value in here.form.multi_items():
        if field.startswith("piece:") and isinstance(value, str) and value.isdecimal():
            add(value, ElementId.parse(field.removeprefix("piece:")))
    drawing = EvidenceDrawing(here)
    for line in here.field("more", 20_000).splitlines():
        number, sign, address = line.partition(":")
        known = sign and number.strip().isdecimal()
        id = ElementId.parse((address if known else line).strip())
        if drawing.find(id) is None:
            raise NotFound(f"the corpus has no {str(id)!r}; open its page and copy the address")
        add(number.strip() if known else "1", id)
    return [pieces for pieces in sets.values() if pieces]


def _review(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    task = find_task(here.session, here.project, id)
    again = task.state == TaskState.SETTLED
    try:
        quality.review(
            here.session,
            task,
            by=here.signed.account_id,
            again=again,
            reason=here.field("reason", 20_000),
            now=here.now,
        )
    except InputError as error:
        raise _refuse(here, task, error) from None
    return move_on(here.to("qa", task.id), "in-review")


def _reopen(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    task = find_task(here.session, here.project, id)
    quality.reopen(here.session, task, by=here.signed.account_id, reason=here.field("reason", 20_000), now=here.now)
    return move_on(here.to("qa", task.id), "reopened")


def _comment(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    task = find_task(here.session, here.project, id)
    annotating.comment(here.session, task, here.signed.account_id, here.field("text", 20_000), now=here.now)
    return move_on(here.to("qa", task.id), "commented")
