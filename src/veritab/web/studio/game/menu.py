"""The first page of a game: what to do next, by whose turn it is, and how one stands; and how it is played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import SystemRandom
from typing import NamedTuple

from fastapi import APIRouter
from sqlalchemy import func, select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import Conflict, VeritabError
from veritab.studio import quality
from veritab.studio.game.games import rules_of
from veritab.studio.game.pairing import count_unmet, has_pair
from veritab.studio.game.players import code_for_panel, refuse_idle
from veritab.studio.game.playing import PlayerRole, begin_practice, role_due, standing_of
from veritab.studio.game.records import (
    GameClaimRecord,
    GameReportRecord,
    GameRoomRecord,
    GameRoundRecord,
    GameWritingRecord,
)
from veritab.studio.game.rounds import RoundOutcome
from veritab.studio.game.standing import is_told
from veritab.studio.game.topics import topics_of
from veritab.studio.game.vocabulary import GameClaimState, WritingState
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.studio.game.standings import count_news
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import NotDone, ProjectVisit, Visit, change, look, move_on, wants_page

_ANY = SystemRandom()


class Going(NamedTuple):
    """Something that somebody has begun and not ended."""

    words: str
    address: str
    seconds_left: float
    is_practice: bool = False


class TopicChoice(NamedTuple):
    """A topic, and what there is to do in it."""

    name: str
    claims: int
    """Those that one has not met."""
    pages: int


class RefusedRoles(NamedTuple):
    """Why one may not write or vote just now; empty where one may."""

    write: str = ""
    vote: str = ""


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/tutorial")
    async def tutorial(request: Request, project: str) -> Response:
        return await look(request, _show_tutorial, project)

    @router.post("/p/{project}/tutorial")
    async def practise(request: Request, project: str) -> Response:
        return await change(request, _practise, project)

    @show_at(router, "/p/{project}/find-room")
    async def find_room(request: Request, project: str, code: str = "") -> Response:
        return await look(request, _find_room, project, code)


# -- the menu ----------------------------------------------------------------------------------------------


def show_menu(here: ProjectVisit, *, told: str = "", status: int = 200) -> Response:
    """What a player can do now; `told` is why something did not begin."""
    pages, trouble = _pages_by_topic(here)
    claims = count_unmet(here.session, here.project, here.member.account_id, digest=here.project.corpus_digest)
    rounds, spotted = _count_rounds(here)
    going = _going(here)
    return render(
        here,
        "game/menu.html",
        here="project",
        status=status,
        told=as_sentence(told),
        idle=_idle_words(here),
        going=going,
        is_busy=any(not each.is_practice for each in going),
        topics=_choices(pages, claims),
        claims=sum(claims.values()),
        pages=sum(pages.values()),
        refused=_refusals(here, bool(pages), trouble),
        is_new=is_newcomer(here),
        is_first=not _count_claims(here),
        rounds=rounds,
        spotted=spotted,
        written=_count_claims(here, here.member.account_id),
        standing=standing_of(here.session, here.project, here.member.account_id),
        news=count_news(here),
        completion_code=code_for_panel(here.session, here.project, here.member),
        to_review=count_to_review(here) if here.is_manager else 0,
    )


def _pages_by_topic(here: ProjectVisit) -> tuple[Mapping[str, int], str]:
    """The topics of the corpus and how many pages each has, or why there are none."""
    try:
        return topics_of(here.studio.checker(here.project)).names(), ""
    except Conflict as error:
        return {}, as_sentence(str(error)) if here.is_manager else "Nobody can write just now: the pages have changed."


def _choices(pages: Mapping[str, int], claims: Mapping[str, int]) -> list[TopicChoice]:
    """Every topic of the corpus, and of claims that were brought from elsewhere."""
    names = [*pages, *sorted(set(claims) - set(pages) - {""})]
    return [TopicChoice(name, claims.get(name, 0), pages.get(name, 0)) for name in names]


def begin_or_tell(visit: Visit, name: str, begin: Callable[[], Response]) -> Response:
    """Begin something, or show what can be done instead and why not that."""
    try:
        return begin()
    except Conflict as error:
        if not wants_page(visit.request):
            raise
        with visit.studio.database.reading() as session:
            raise NotDone(show_menu(visit.within(session).enter(name), told=str(error), status=409)) from None


def _refusals(here: ProjectVisit, has_pages: bool, trouble: str) -> RefusedRoles:
    due = role_due(here.session, here.project, here.member.account_id, now=here.now)
    write = trouble if not has_pages else ""
    vote = ""
    if due is PlayerRole.VOTE:
        write = "Writing and voting take turns, and you wrote last: vote next."
    elif due is PlayerRole.WRITE and has_pages:
        vote = "Writing and voting take turns, and you voted last: write next."
    elif not has_pair(here.session, here.project, here.member.account_id, digest=here.project.corpus_digest):
        vote = (
            "There are too few claims that you have not met: it takes a true and a false one, of two pages and two "
            "authors. Write one meanwhile, or come back later."
        )
    return RefusedRoles(write, vote)


def _idle_words(here: ProjectVisit) -> str:
    """Why somebody cannot play at all, if so."""
    try:
        refuse_idle(here.session, here.project, here.member.account_id)
    except VeritabError as error:
        said = quality.stage_reason(here.session, here.member)
        return as_sentence(str(error)) + (f" The reason given: {said}" if said else "")
    return ""


def _going(here: ProjectVisit) -> list[Going]:
    """What somebody has begun, the most urgent first."""
    mine = (GameRoundRecord.project_id == here.project.id, GameRoundRecord.account_id == here.member.account_id)
    rounds = here.session.execute(
        select(GameRoundRecord, GameRoomRecord.code)
        .outerjoin(GameRoomRecord, GameRoomRecord.id == GameRoundRecord.room_id)
        .where(*mine, GameRoundRecord.outcome == RoundOutcome.OPEN.value, GameRoundRecord.deadline > here.now)
    )
    found = [
        Going(
            f"{'Your practice' if record.is_practice else 'A round in a room' if code else 'Your round'} is not over",
            here.to("rooms", code) if code else here.to("rounds", record.id),
            record.deadline - here.now,
            record.is_practice,
        )
        for record, code in rounds
    ]
    writings = here.session.scalars(
        select(GameWritingRecord).where(
            GameWritingRecord.project_id == here.project.id,
            GameWritingRecord.account_id == here.member.account_id,
            GameWritingRecord.state == WritingState.OPEN.value,
            GameWritingRecord.deadline > here.now,
        )
    )
    found += [
        Going(f"Your claim about {each.page} is not finished", here.to("writings", each.id), each.deadline - here.now)
        for each in writings
    ]
    return sorted(found, key=lambda each: each.seconds_left)


def _count_rounds(here: ProjectVisit) -> tuple[int, int]:
    """How many rounds somebody has ended, and in how many they spotted the false claim."""
    counts = here.session.execute(
        select(GameRoundRecord.outcome, func.count())
        .where(
            GameRoundRecord.project_id == here.project.id,
            GameRoundRecord.account_id == here.member.account_id,
            GameRoundRecord.is_practice.is_(False),
            GameRoundRecord.outcome != RoundOutcome.OPEN.value,
            is_told(GameRoundRecord.id),
        )
        .group_by(GameRoundRecord.outcome)
    )
    by_outcome = dict(counts.all())
    return sum(by_outcome.values()), by_outcome.get(RoundOutcome.SPOTTED.value, 0)


def is_newcomer(here: ProjectVisit) -> bool:
    """Whether somebody has not begun a round yet, practice among them."""
    begun = select(GameRoundRecord.id).where(
        GameRoundRecord.project_id == here.project.id, GameRoundRecord.account_id == here.member.account_id
    )
    return here.session.scalar(begun.limit(1)) is None


def _count_claims(here: ProjectVisit, author_id: int | None = None) -> int:
    """How many claims a game has, or somebody wrote."""
    counted_ones = select(func.count()).where(
        GameClaimRecord.project_id == here.project.id, GameClaimRecord.state != GameClaimState.PRACTICE.value
    )
    if author_id is not None:
        counted_ones = counted_ones.where(GameClaimRecord.author_id == author_id)
    return here.session.scalar(counted_ones) or 0


def count_to_review(here: ProjectVisit) -> int:
    """How many claims rest or are reported, and wait for somebody to look at them."""
    reported = select(GameReportRecord.claim_id).where(
        GameReportRecord.project_id == here.project.id, GameReportRecord.ended_at.is_(None)
    )
    waiting = select(func.count()).where(
        GameClaimRecord.project_id == here.project.id,
        (GameClaimRecord.state == GameClaimState.RESTING.value) | GameClaimRecord.id.in_(reported),
    )
    return here.session.scalar(waiting) or 0


def _find_room(visit: Visit, name: str, code: str) -> Response:
    here = visit.enter(name)
    return move_on(here.to("rooms", code.strip()[:40]) if code.strip() else here.to())


# -- how it is played --------------------------------------------------------------------------------------


def _show_tutorial(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    return render(here, "game/tutorial.html", here="project", rules=rules_of(here.session, here.project))


def _practise(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    refuse_idle(here.session, here.project, here.member.account_id)
    record = begin_practice(here.session, here.project, here.member.account_id, rng=_ANY, now=here.now)
    return move_on(here.to("rounds", record.id))
