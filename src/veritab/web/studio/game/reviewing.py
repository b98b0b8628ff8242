"""Review: the claims of a game that somebody should look at, each with all that is known, and suspicious play."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import Conflict, InputError, NotFound, short_repr
from veritab.render.view import LABELS
from veritab.schema import Label
from veritab.studio import projects
from veritab.studio.game import reviewing
from veritab.studio.game.games import game_of
from veritab.studio.game.learned.prior import PAPER, PriorChoice
from veritab.studio.game.pieces import EvidencePiece, pieces_of
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.reviewing import ReviewReason
from veritab.studio.game.rounds import RoundOutcome
from veritab.studio.game.vocabulary import ClaimFault, Strategy
from veritab.studio.vocabulary import Role
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.problems import describe_error
from veritab.web.studio.game.voting import page_address
from veritab.web.studio.overseeing import PageNumber
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import NotDone, ProjectVisit, RecordNumber, Visit, change, look, move_on

_AT_ONCE = 25
_OUTCOMES = {
    RoundOutcome.SPOTTED: "judged rightly",
    RoundOutcome.FOOLED: "judged wrongly",
    RoundOutcome.TIMED_OUT: "timed out",
    RoundOutcome.REPORTED: "reported",
}
_TRUTHS = {"true": True, "false": False}


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/review")
    async def queue(
        request: Request, project: str, reason: str = "", prior: str = "paper", page: PageNumber = 1
    ) -> Response:
        return await look(request, _list_claims, project, reason, prior, page)

    @show_at(router, "/p/{project}/review/rounds")
    async def rounds(request: Request, project: str) -> Response:
        return await look(request, _list_suspicions, project)

    @router.post("/p/{project}/review/rounds")
    async def dismiss(request: Request, project: str) -> Response:
        return await change(request, _dismiss, project)

    @show_at(router, "/p/{project}/review/{claim}")
    async def show(request: Request, project: str, claim: RecordNumber) -> Response:
        return await look(request, _show_claim, project, claim)

    @router.post("/p/{project}/review/{claim}")
    async def decide(request: Request, project: str, claim: RecordNumber) -> Response:
        return await change(request, _decide, project, claim)


def _enter(visit: Visit, name: str) -> ProjectVisit:
    """A game, which only those who run it review."""
    here = visit.enter(name, Role.MANAGER)
    game_of(here.session, here.project)
    return here


def member_addresses(here: ProjectVisit) -> dict[str, str]:
    """Where each member of a game is decided on, by name."""
    members = projects.members_of(here.session, here.project)
    return {account.name: here.to("manage", "members", member.id) for member, account in members}


# -- the queue ---------------------------------------------------------------------------------------------


def _list_claims(visit: Visit, name: str, reason: str, prior: str, page: int) -> Response:
    here = _enter(visit, name)
    if reason and reason not in list(ReviewReason):
        raise InputError(f"reason is {short_repr(reason)}; expected one of {', '.join(ReviewReason)}")
    chosen, by = ReviewReason(reason) if reason else None, PriorChoice.parse(prior)
    found = reviewing.review_queue(here.session, here.project, reason=chosen, prior=by, page=page, most=_AT_ONCE)
    return render(
        here,
        "game/review.html",
        here="review",
        queue=found,
        chosen=chosen,
        by=by,
        page=page,
        query={**({"reason": reason} if reason else {}), **({} if by == PAPER else {"prior": by.value})},
        expected_of=lambda claim: reviewing.expected_of(claim, found.prior),
    )


# -- a claim -----------------------------------------------------------------------------------------------


def _show_claim(visit: Visit, name: str, id: int) -> Response:
    here = _enter(visit, name)
    return _draw_claim(here, reviewing.find_claim(here.session, here.project, id))


def _draw_claim(here: ProjectVisit, claim: GameClaimRecord, *, refused: str = "", status: int = 200) -> Response:
    view = reviewing.look_at(here.session, here.project, claim)
    return render(
        here,
        "game/review_claim.html",
        here="review",
        status=status,
        view=view,
        claim=claim,
        page_address=page_address(here, claim.page, view.gold),
        said_now=_said_now(here, claim, view.gold),
        checker=LABELS[Label(claim.checker["label"])] if claim.checker else None,
        checker_is_right=bool(claim.checker) and (claim.checker["label"] == Label.SUPPORTS) == claim.truth,
        outcomes=_OUTCOMES,
        faults={each.value: each.label for each in ClaimFault},
        strategies=list(Strategy),
        form=here.form,
        refused=as_sentence(refused),
    )


def _said_now(here: ProjectVisit, claim: GameClaimRecord, gold: Sequence[EvidencePiece]) -> list[EvidencePiece] | None:
    """What stands in the corpus now where the evidence says something else; none where nothing has changed."""
    if not claim.corpus_digest:
        return None
    try:
        page = here.studio.open_corpus(here.project).store.page(claim.page)
    except (NotFound, Conflict):
        return None
    now = list[EvidencePiece]()
    for piece in gold:
        with suppress(InputError, NotFound):
            now += pieces_of(page, piece.ids)
    return None if now == list(gold) else now


def _decide(visit: Visit, name: str, id: int) -> Response:
    here = _enter(visit, name)
    claim = reviewing.find_claim(here.session, here.project, id)
    step, note = here.field("step", 20), here.field("note", 20_000)
    about: dict[str, Any] = {"by": here.signed.account_id, "now": here.now}
    try:
        if step == "keep":
            reviewing.keep_claim(here.session, here.project, claim, note=note, **about)
            return move_on(here.to("review", id), "claim-kept")
        if step == "withdraw":
            reviewing.withdraw_claim(here.session, here.project, claim, reason=note, **about)
            return move_on(here.to("review", id), "claim-withdrawn")
        if step == "restore":
            reviewing.restore_claim(here.session, here.project, claim, note=note, **about)
            return move_on(here.to("review", id), "claim-restored")
        if step == "tag":
            reviewing.tag_claim(here.session, here.project, claim, _read_strategies(here), **about)
            return move_on(here.to("review", id), "claim-tagged")
        if step == "correct":
            text, truth = here.field("text", 200_000), _read_truth(here)
            made = reviewing.correct_claim(
                here.session, here.project, claim, text=text, truth=truth, note=note, **about
            )
            return move_on(here.to("review", made.id), "claim-corrected")
        raise InputError("choose what becomes of the claim: keep, correct, withdraw or bring it back")
    except (InputError, Conflict) as error:
        problem = describe_error(error)
        raise NotDone(_draw_claim(here, claim, refused=problem.detail, status=problem.status)) from None


def _read_truth(here: ProjectVisit) -> bool:
    said = here.field("truth", 20)
    if said not in _TRUTHS:
        raise InputError("say whether the corrected claim is true or false")
    return _TRUTHS[said]


def _read_strategies(here: ProjectVisit) -> list[Strategy]:
    chosen = [value for value in here.form.getlist("strategy") if isinstance(value, str)]
    if unknown := [value for value in chosen if value not in list(Strategy)]:
        raise InputError(f"{short_repr(unknown[0])} is no strategy; expected some of {', '.join(Strategy)}")
    return [Strategy(value) for value in chosen]


# -- suspicious rounds -------------------------------------------------------------------------------------


def _list_suspicions(visit: Visit, name: str) -> Response:
    return _draw_suspicions(_enter(visit, name))


def _draw_suspicions(here: ProjectVisit, *, refused: str = "", status: int = 200) -> Response:
    rows = reviewing.suspicions_in(here.session, here.project)
    return render(
        here,
        "game/review_rounds.html",
        here="review",
        status=status,
        rows=rows,
        claims=reviewing.claims_of_rounds(here.session, [id for row in rows for id in row.suspicion.rounds]),
        members=member_addresses(here),
        about=here.field("key", 100),
        form=here.form,
        refused=as_sentence(refused),
    )


def _dismiss(visit: Visit, name: str) -> Response:
    here = _enter(visit, name)
    key, note = here.field("key", 100), here.field("note", 20_000)
    try:
        reviewing.dismiss_suspicion(here.session, here.project, key, note=note, by=here.signed.account_id, now=here.now)
    except InputError as error:
        raise NotDone(_draw_suspicions(here, refused=str(error), status=400)) from None
    return move_on(here.to("review", "rounds"), "suspicion-dismissed")
