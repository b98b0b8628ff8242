"""The working screen: what somebody was given to do, with the corpus beside it, and everything they do there.

The screen is drawn from the log, and sends what is done to the log; `templates/studio/work.html` describes its frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from veritab.errors import InputError, NotFound
from veritab.schema import LONGEST_CLAIM
from veritab.studio import annotating
from veritab.studio.annotating import DraftFault, FaultyDraft
from veritab.studio.log import LogEvent, LogOperation, fold
from veritab.studio.projects import current_guideline
from veritab.studio.records import JsonObject
from veritab.studio.states import AssignmentState
from veritab.studio.submission import time_limit
from veritab.studio.tasks import has_answered
from veritab.studio.vocabulary import Pool, ReportReason, TaskKind
from veritab.web.pages.templating import show_at
from veritab.web.problems import RequestRefused
from veritab.web.studio.afterwards import show_done
from veritab.web.studio.answers import comments_on
from veritab.web.studio.browsing import NOWHERE, describe_piece, draw_place
from veritab.web.studio.rendering import draw_markdown, render
from veritab.web.studio.screens import Screen, Work, enter_work
from veritab.web.studio.sessions import NotDone, Visit, change, look, move_on, require_form_token, wants_page
from veritab.web.studio.suggesting import Question, Suggestion, answer, ask_about, require_question
from veritab.web.studio.verifying import SCREENS as VERIFYING
from veritab.web.studio.writing import SCREENS as WRITING

MOST_EVENTS = 1000
_OPEN = frozenset({AssignmentState.ACTIVE, AssignmentState.EXPIRED})
SCREENS: Mapping[TaskKind, Screen] = {**VERIFYING, **WRITING}
"""How each kind of task is shown."""


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SentEvent(_Sent):
    """Something that somebody did."""

    operation: LogOperation
    value: str = ""
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    key: str


class SentEvents(_Sent):
    """What was done since the page last heard of the log, which then had `seen` events."""

    seen: Annotated[int, Field(ge=0)]
    events: Annotated[list[SentEvent], Field(max_length=MOST_EVENTS)]


class SentAnswer(_Sent):
    """That the draft of `seen` events is the answer."""

    seen: Annotated[int, Field(ge=0)]
    flag: bool = False


def add(router: APIRouter) -> None:
    """Add these pages to the router."""
    base = "/p/{project}/task/{assignment}"

    @show_at(router, base)
    async def show(
        request: Request,
        project: str,
        assignment: int,
        title: Annotated[str, Query(max_length=LONGEST_CLAIM)] = "",
        q: Annotated[str, Query(max_length=LONGEST_CLAIM)] = "",
    ) -> Response:
        return await look(request, _show, project, assignment, title, q)

    @show_at(router, f"{base}/events")
    async def tell(request: Request, project: str, assignment: int, seen: int = 0) -> Response:
        return await look(request, _tell, project, assignment, seen)

    @router.post(f"{base}/events")
    async def append(request: Request, project: str, assignment: int, sent: SentEvents) -> Response:
        await change(request, _append, project, assignment, sent)
        return await look(request, _tell, project, assignment, sent.seen)

    @router.post(f"{base}/submit")
    async def submit(request: Request, project: str, assignment: int, sent: SentAnswer) -> Response:
        await look(request, _ask_about, project, assignment)
        question: Question | None = request.state.question
        said = (await request.app.state.workers.run(answer, question)).record(question.shown) if question else {}
        return await change(request, _submit, project, assignment, sent, said)

    @show_at(router, f"{base}/suggestion")
    async def suggestion(request: Request, project: str, assignment: int) -> Response:
        await look(request, _require_question, project, assignment)
        said = await request.app.state.workers.run(answer, request.state.question)
        return await look(request, _show_suggestion, project, assignment, said)

    @router.post(f"{base}/skip")
    async def skip(request: Request, project: str, assignment: int) -> Response:
        return await change(request, _skip, project, assignment)

    @router.post(f"{base}/report")
    async def report(request: Request, project: str, assignment: int) -> Response:
        return await change(request, _report, project, assignment)

    @router.post(f"{base}/comment")
    async def comment(request: Request, project: str, assignment: int) -> Response:
        return await change(request, _comment, project, assignment)

    @router.post(f"{base}/revise")
    async def revise(request: Request, project: str, assignment: int) -> Response:
        return await change(request, _revise, project, assignment)


# -- the screen --------------------------------------------------------------------------------------------


def _screen_of(work: Work) -> Screen:
    if work.kind not in SCREENS:
        raise NotFound(f"there is no screen for tasks of the kind {work.kind.value!r}")
    return SCREENS[work.kind]


def _show(visit: Visit, project: str, number: int, title: str, query: str) -> Response:
    work = enter_work(visit, project, number)
    if work.assignment.state not in _OPEN:
        return show_done(work)
    return _draw_screen(work, title, query)


def _draw_screen(work: Work, title: str = "", query: str = "", *, refused: str = "", status: int = 200) -> Response:
    inside, screen = work.visit, _screen_of(work)
    events = annotating.events_of(inside.session, work.assignment)
    fields = fold(events).fields
    guideline = current_guideline(inside.session, inside.project, work.kind)
    has_advice = work.task.pool != Pool.SUPER
    return render(
        inside,
        screen.template,
        status=status,
        work=work,
        heading=screen.heading,
        claim=work.claim.text if work.claim else "",
        place=_draw_place(work, events, title, query),
        home=work.home,
        opened=_describe_log(work, events, 0),
        advised=inside.settings.advised_seconds.get(work.kind) if has_advice else None,
        limit=time_limit(work.task, inside.settings),
        is_revision=has_answered(inside.session, work.assignment),
        is_practice=work.task.pool == Pool.PRACTICE,
        guideline=draw_markdown(guideline.text, under=2) if guideline else None,
        comments=comments_on(work.visit, work.task),
        skip_reasons=screen.skip_reasons,
        report_reasons=list(ReportReason) if screen.can_report else [],
        refused=refused,
        **screen.values(work, fields),
    )


def _draw_place(work: Work, events: Sequence[LogEvent], title: str, query: str) -> str:
    """What the corpus shows: what the address names, or where somebody was last, or the highlight."""
    if not title and not query:
        was = next((event.value for event in reversed(events) if event.operation is LogOperation.NOW_ON), None)
        if was is None and work.highlight and not work.claim:
            title = work.highlight.page
        elif was and was.startswith(NOWHERE):
            query = was.removeprefix(NOWHERE)
        else:
            title = was or ""
    try:
        return draw_place(work.visit, title=title, query=query)
    except NotFound:
        return draw_place(work.visit, query=title)


# -- the log -----------------------------------------------------------------------------------------------


def _append(visit: Visit, project: str, number: int, sent: SentEvents) -> Response:
    work = enter_work(visit, project, number)
    events = [LogEvent(each.operation, each.value, each.seconds, each.key) for each in sent.events]
    annotating.append_events(visit.session, work.assignment, events, now=visit.now)
    return Response()


def _tell(visit: Visit, project: str, number: int, seen: int) -> Response:
    work = enter_work(visit, project, number)
    return JSONResponse(_describe_log(work, annotating.events_of(visit.session, work.assignment), seen))


def _describe_log(work: Work, events: Sequence[LogEvent], seen: int) -> JsonObject:
    """What the page has to know of the log beyond the events that it has `seen`."""
    visit, assignment = work.visit, work.assignment
    since = min(max(seen, 0), len(events))
    draft = fold(events)
    held = {str(id): id for pieces in draft.sets for id in pieces}
    adding = (LogOperation.HIGHLIGHT, LogOperation.EVIDENCE_ADDED)
    fresh = {event.value for event in events[since:] if event.operation in adding}
    return {
        # What the browser keeps is for this log alone, also where a studio is made anew at the same address.
        "log": f"{visit.project.name}/{visit.project.made_at}/{assignment.id}",
        "form_token": visit.form_token,
        "state": assignment.state,
        "seconds": work.seconds,
        "since": since,
        "count": len(events),
        "events": [[event.operation.value, event.value, event.key] for event in events[since:]],
        "pieces": {text: describe_piece(work.shelf, id) for text, id in held.items() if text in fresh},
        "faults": [fault._asdict() for fault in _find_faults(work)],
        "warnings": [fault._asdict() for fault in annotating.find_warnings(work.kind, draft)],
    }


def _find_faults(work: Work) -> list[DraftFault]:
    return annotating.faults_of(
        work.visit.session,
        work.assignment,
        now=work.visit.now,
        exists=work.shelf.has,
        sentences=_screen_of(work).sentences(work),
    )


# -- the end -----------------------------------------------------------------------------------------------


def _submit(visit: Visit, project: str, number: int, sent: SentAnswer, suggestion: JsonObject) -> Response:
    work = enter_work(visit, project, number)
    try:
        annotating.submit(
            visit.session,
            work.assignment,
            seen=sent.seen,
            now=visit.now,
            flag=sent.flag,
            exists=work.shelf.has,
            suggestion=suggestion,
            sentences=_screen_of(work).sentences(work),
        )
    except FaultyDraft as error:
        faults = [{"where": fault.field or "the answer", "what": fault.message} for fault in error.faults]
        raise RequestRefused(400, str(error), faults) from None
    return JSONResponse({"to": work.to()})


def _skip(visit: Visit, project: str, number: int) -> Response:
    work = enter_work(visit, project, number)
    reasons = _screen_of(work).skip_reasons
    chosen = visit.field("reason", 100) or reasons[0].value
    reason = next((each for each in reasons if each == chosen), None)
    if reason is None:
        raise InputError(f"{chosen!r} is no reason to skip this; expected one of {', '.join(reasons)}")
    was_answered = has_answered(visit.session, work.assignment)
    try:
        with visit.session.begin_nested():
            answer = annotating.skip(
                visit.session, work.assignment, reason=reason, now=visit.now, exists=work.shelf.has
            )
    except FaultyDraft as error:
        raise NotDone(_draw_screen(work, refused=str(error), status=400)) from None
    if answer or was_answered:
        return move_on(work.to(), "kept" if was_answered else "")
    return move_on(work.visit.to(), "skipped")


def _report(visit: Visit, project: str, number: int) -> Response:
    work = enter_work(visit, project, number)
    chosen, note = visit.field("reason", 100), visit.field("note", annotating.LONGEST_NOTE)
    if chosen not in list(ReportReason):
        raise InputError("choose why the claim is reported; it stays yours until then")
    annotating.report(visit.session, work.assignment, reason=ReportReason(chosen), note=note, now=visit.now)
    return move_on(work.visit.to(), "reported")


def _comment(visit: Visit, project: str, number: int) -> Response:
    work = enter_work(visit, project, number)
    text = visit.field("text", annotating.LONGEST_NOTE)
    made = annotating.comment(visit.session, work.task, work.assignment.account_id, text, now=visit.now)
    if wants_page(visit.request):
        return move_on(f"{work.to()}#comments")
    return JSONResponse({"who": "You", "text": made.text})


def _revise(visit: Visit, project: str, number: int) -> Response:
    work = enter_work(visit, project, number)
    annotating.revise(visit.session, work.assignment, now=visit.now)
    return move_on(work.to())


# -- the checker's answer ----------------------------------------------------------------------------------


def _ask_about(visit: Visit, project: str, number: int) -> Response:
    require_form_token(visit)  # the checker is asked before the answer is kept, and not for another site
    visit.request.state.question = ask_about(enter_work(visit, project, number))
    return Response()


def _require_question(visit: Visit, project: str, number: int) -> Response:
    visit.request.state.question = require_question(enter_work(visit, project, number))
    return Response()


def _show_suggestion(visit: Visit, project: str, number: int, said: Suggestion) -> Response:
    work = enter_work(visit, project, number)
    return render(work.visit, "suggestion.html", said=said, back=work.to())
