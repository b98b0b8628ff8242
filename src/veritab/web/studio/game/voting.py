"""Voting: two claims and a clock, hints, the vote, and what was so.

Pages and answers are made of what `view_of` gives, which holds nothing secret before the vote. The clock is the
server's: no time that a browser sends is read. A script asks with `Accept: application/json` for the same in JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import SystemRandom
from typing import Any, NamedTuple

from fastapi import APIRouter
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from veritab.errors import Conflict, InputError, NotFound, short_repr
from veritab.pipeline import Checker
from veritab.render.view import LABELS, LabelView, format_percent
from veritab.schema import ElementId, Label
from veritab.studio.game.feedback import checker_answer
from veritab.studio.game.pieces import EvidencePiece
from veritab.studio.game.playing import (
    LONGEST_NOTE,
    RevealView,
    VoterView,
    begin_round,
    buy_hint,
    cast_vote,
    expire_due,
    find_round,
    like_claim,
    report_claim,
    role_due,
    view_of,
)
from veritab.studio.game.records import GameClaimRecord, GameRoomRecord, GameRoundRecord
from veritab.studio.game.rounds import RoundOutcome, Side
from veritab.studio.game.views import RevealedClaim, ShownClaim
from veritab.studio.game.vocabulary import ClaimFault
from veritab.web.pages.templating import as_sentence, environment, show_at
from veritab.web.studio.evidence import ReaderAddresses
from veritab.web.studio.game.menu import begin_or_tell
from veritab.web.studio.game.rooms import panel_of
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import NotDone, ProjectVisit, RecordNumber, Visit, change, look, move_on, wants_page

_LONGEST_TOPIC = 500
_OVER = "round-over"
_HEADINGS: Mapping[RoundOutcome, tuple[str, str]] = {
    RoundOutcome.SPOTTED: ("You spotted the false claim", "Well done."),
    RoundOutcome.FOOLED: ("You were fooled", "You called the true claim false. Nobody gets points for it."),
    RoundOutcome.TIMED_OUT: ("Time has run out", "You did not vote in time. Nobody gets points for it."),
    RoundOutcome.REPORTED: ("Reported", "Thank you. A reviewer looks at the claim. The round ended without points."),
}
"""What the reveal says first."""


def add(router: APIRouter) -> None:
    """Add these pages to the router."""
    base = "/p/{project}/rounds/{number}"

    @router.post("/p/{project}/vote")
    async def begin(request: Request, project: str) -> Response:
        return await change(request, _begin, project)

    @show_at(router, base)
    async def show(request: Request, project: str, number: RecordNumber) -> Response:
        answer = await look(request, _show, project, number)
        if getattr(request.state, "is_due", False):
            await request.app.state.writers.run(_expire, request.app.state)
            answer = await look(request, _show, project, number)
        return answer

    @router.post(f"{base}/hint")
    async def hint(request: Request, project: str, number: RecordNumber) -> Response:
        return await change(request, _move, project, number, _buy_hint)

    @router.post(f"{base}/vote")
    async def vote(request: Request, project: str, number: RecordNumber) -> Response:
        return await change(request, _move, project, number, _cast_vote)

    @router.post(f"{base}/like")
    async def like(request: Request, project: str, number: RecordNumber) -> Response:
        return await change(request, _move, project, number, _like)

    @router.post(f"{base}/report")
    async def report(request: Request, project: str, number: RecordNumber) -> Response:
        return await change(request, _move, project, number, _report)

    @show_at(router, f"{base}/checker")
    async def checker(request: Request, project: str, number: RecordNumber) -> Response:
        await look(request, _ask_about, project, number)
        questions: list[_Question] = request.state.questions
        if questions:
            said = await request.app.state.workers.run(_answer, request.state.checker, questions)
            await request.app.state.writers.run(_keep_answers, request.app.state, said)
        return await look(request, _show_checker, project, number)


@dataclass(frozen=True)
class _Table:
    """A round before the one who plays it."""

    visit: ProjectVisit
    record: GameRoundRecord

    @property
    def address(self) -> str:
        return self.visit.to("rounds", self.record.id)

    @property
    def view(self) -> VoterView | RevealView:
        return view_of(self.visit.session, self.record, now=self.visit.now)

    @property
    def room(self) -> str:
        """The code of the room that it is played in; nothing for a round of one's own."""
        room = self.visit.session.get(GameRoomRecord, self.record.room_id) if self.record.room_id else None
        return room.code if room else ""


def _sit_down(visit: Visit, project: str, number: int) -> _Table:
    inside = visit.enter(project)
    record = find_round(inside.session, inside.project, number, inside.signed.account_id, now=inside.now)
    return _Table(inside, record)


def _begin(visit: Visit, project: str) -> Response:
    return begin_or_tell(visit, project, lambda: _begin_round(visit.enter(project)))


def _begin_round(inside: ProjectVisit) -> Response:
    record = begin_round(
        inside.session,
        inside.project,
        inside.signed.account_id,
        inside.field("topic", _LONGEST_TOPIC),
        rng=SystemRandom(),
        digest=inside.project.corpus_digest,
        now=inside.now,
        can_write=_can_write(inside),
    )
    return move_on(inside.to("rounds", record.id))


def _can_write(inside: ProjectVisit) -> bool:
    """Whether claims are written just now: not where the corpus is another one than the game's, or is gone."""
    try:
        return bool(inside.studio.checker(inside.project))
    except Conflict:
        return False


def _expire(state: State) -> None:
    with state.studio.database.writing() as session:
        expire_due(session, now=state.clock())


# -- what is shown -----------------------------------------------------------------------------------------


def _show(visit: Visit, project: str, number: int) -> Response:
    table = _sit_down(visit, project, number)
    view = table.view
    if isinstance(view, VoterView) and not view.is_waiting and view.seconds_left <= 0:
        visit.request.state.is_due = True  # noted by whoever may write; then there is something else to be shown
    if not wants_page(visit.request):
        return JSONResponse(_describe(table, view))
    if isinstance(view, VoterView) and view.is_waiting:
        return move_on(table.visit.to("rooms", table.room))
    return _draw(table, view)


def _describe(table: _Table, view: VoterView | RevealView, notice: str = "") -> dict[str, Any]:
    """How a round stands, for the script."""
    if isinstance(view, RevealView) or view.is_waiting:
        return {"over": True, "to": table.address + (f"?done={notice}" if notice else "")}
    return {
        "over": False,
        "seconds_left": view.seconds_left,
        **{claim.side.value: _describe_hints(claim) for claim in view.claims},
    }


def _describe_hints(claim: ShownClaim) -> dict[str, Any]:
    draw = getattr(environment().get_template("studio/game/pieces.html").module, "draw_hint")  # noqa: B009 - a macro
    return {"hints": [str(draw(hint.piece, hint.is_gold)) for hint in claim.hints], "hints_left": claim.hints_left}


def _draw(
    table: _Table, view: VoterView | RevealView, *, refused: str = "", report_refused: str = "", status: int = 200
) -> Response:
    values: dict[str, Any] = {
        "view": view,
        "address": table.address,
        "faults": list(ClaimFault),
        "refused": as_sentence(refused),
        "report_refused": as_sentence(report_refused),
        "sent": {name: table.visit.field(name) if report_refused else "" for name in ("side", "reason", "note")},
        "status": status,
        **panel_of(table.visit, table.record),
    }
    if isinstance(view, VoterView):
        return render(table.visit, "game/round.html", clock=_format_clock, **values)
    heading, words = _HEADINGS[view.outcome]
    inside = table.visit
    return render(
        inside,
        "game/reveal.html",
        heading=heading,
        words=words,
        pages={claim.side.value: page_address(inside, claim.page, claim.gold) for claim in view.claims},
        answers=_answers_of(view),
        can_like=view.outcome is not RoundOutcome.REPORTED,
        due=role_due(
            inside.session,
            inside.project,
            inside.signed.account_id,
            now=inside.now,
            digest=inside.project.corpus_digest,
        ),
        **values,
    )


def _format_clock(seconds: float) -> str:
    whole = max(int(seconds), 0)
    return f"{whole // 60}:{whole % 60:02}"


def page_address(inside: ProjectVisit, title: str, gold: Iterable[EvidencePiece]) -> str:
    """Where the page of a claim is read, its gold evidence marked; nothing where the corpus does not have it."""
    try:
        page = inside.studio.open_corpus(inside.project).store.page(title)
    except (NotFound, Conflict):
        return ""
    marks = [ElementId.parse(id) for piece in gold for id in piece.ids]
    return ReaderAddresses(project=inside.project.name).page(page.title, marks)


# -- moves -------------------------------------------------------------------------------------------------


def _move(visit: Visit, project: str, number: int, act: Callable[[_Table], object]) -> Response:
    """Make a move, and show where it leads. What comes too late leads there too, and is told so."""
    table = _sit_down(visit, project, number)
    notice = ""
    try:
        act(table)
    except (Conflict, InputError) as error:
        is_over = isinstance(table.view, RevealView) or table.view.is_waiting
        if act in (_buy_hint, _cast_vote) and isinstance(error, Conflict) and is_over:
            notice = _OVER
        elif wants_page(visit.request):
            where = "report_refused" if act is _report else "refused"
            status = 409 if isinstance(error, Conflict) else 400
            raise NotDone(_draw(table, table.view, status=status, **{where: str(error)})) from None
        else:
            raise
    if wants_page(visit.request):
        return move_on(table.address, notice)
    return JSONResponse(_describe(table, table.view, notice))


def _buy_hint(table: _Table) -> None:
    visit = table.visit
    seen = visit.field("seen", 10)
    if seen and not (seen.isascii() and seen.isdigit()):
        raise InputError(f"seen is {short_repr(seen)}; expected the number of hints that are shown")
    buy_hint(visit.session, table.record, _side_of(visit), now=visit.now, seen=int(seen) if seen else None)


def _cast_vote(table: _Table) -> None:
    cast_vote(table.visit.session, table.record, _side_of(table.visit), now=table.visit.now)


def _like(table: _Table) -> None:
    like_claim(table.visit.session, table.record, table.visit.field("side", 100), now=table.visit.now)


def _report(table: _Table) -> None:
    visit = table.visit
    reason, note = visit.field("reason", 100), visit.field("note", LONGEST_NOTE)
    if reason not in list(ClaimFault):
        raise InputError(f"choose what is wrong with the claim: one of {', '.join(ClaimFault)}")
    report_claim(visit.session, table.record, _side_of(visit), reason=ClaimFault(reason), note=note, now=visit.now)


def _side_of(visit: Visit) -> Side:
    side = visit.field("side", 100)
    if side not in list(Side):
        raise InputError(f"side is {short_repr(side)}; expected one of {', '.join(Side)}")
    return Side(side)


# -- the checker's answer ----------------------------------------------------------------------------------


class _Question(NamedTuple):
    """What the checker is asked about a claim."""

    claim_id: int
    text: str
    gold: tuple[EvidencePiece, ...]


class CheckerSaid(NamedTuple):
    """What the checker says of a claim by its gold evidence."""

    view: LabelView
    percent: str
    words: str
    """Whether it is right."""


def _reveal_of(visit: Visit, project: str, number: int) -> tuple[_Table, RevealView]:
    table = _sit_down(visit, project, number)
    view = table.view
    if not isinstance(view, RevealView):
        raise NotFound("what the checker says is told when the round is over")
    return table, view


def _ask_about(visit: Visit, project: str, number: int) -> Response:
    table, view = _reveal_of(visit, project, number)
    asked = [_Question(claim.claim_id, claim.text, claim.gold) for claim in view.claims if not claim.checker]
    visit.request.state.questions = asked
    if asked:
        visit.request.state.checker = visit.studio.open_corpus(table.visit.project)
    return Response()


def _answer(checker: Checker, questions: list[_Question]) -> dict[int, dict[str, Any]]:
    return {each.claim_id: checker_answer(each.text, each.gold, checker) for each in questions}


def _keep_answers(state: State, said: dict[int, dict[str, Any]]) -> None:
    with state.studio.database.writing() as session:
        for id, answer in said.items():
            session.get_one(GameClaimRecord, id).checker = answer


def _show_checker(visit: Visit, project: str, number: int) -> Response:
    table, view = _reveal_of(visit, project, number)
    return render(table.visit, "game/checker.html", address=table.address, answers=_answers_of(view))


def _answers_of(view: RevealView) -> list[CheckerSaid]:
    """What the checker says of both claims; nothing before it was asked about both."""
    if not all(claim.checker for claim in view.claims):
        return []
    return [_describe_answer(claim) for claim in view.claims]


def _describe_answer(claim: RevealedClaim) -> CheckerSaid:
    label = Label(claim.checker["label"])
    if label is Label.NOT_ENOUGH_INFO:
        words = "It could not have told."
    else:
        words = "It is right." if (label is Label.SUPPORTS) == claim.truth else "It is wrong."
    return CheckerSaid(LABELS[label], format_percent(claim.checker["scores"][label.value]), words)
