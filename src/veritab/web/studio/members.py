"""The members of a project: invited, approved, paused, looked after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fastapi import APIRouter
from sqlalchemy import Integer, func, select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import InputError, NotFound, VeritabError
from veritab.studio import accounts, projects, quality
from veritab.studio.accounts import MOST_DAYS, MOST_PLACES
from veritab.studio.game.records import GameClaimRecord, GameReportRecord, GameRoundRecord
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    GradeRecord,
    InvitationRecord,
    MembershipRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import MemberStage, MemberStep
from veritab.studio.vocabulary import Role
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.problems import describe_error
from veritab.web.server import LOOPBACK
from veritab.web.studio.rendering import ask_first, is_sure, render
from veritab.web.studio.sessions import NotDone, ProjectVisit, RecordNumber, Visit, change, look, move_on

DECISIONS: Mapping[MemberStage, Sequence[tuple[MemberStep, str]]] = {
    MemberStage.WAITING: ((MemberStep.APPROVE, "Approve"), (MemberStep.REJECT, "Reject")),
    MemberStage.APPROVED: ((MemberStep.PAUSE, "Pause"),),
    MemberStage.PAUSED: ((MemberStep.RESUME, "Let them go on"),),
}
"""What a manager can decide on a member, by the stage that they are in."""


class MemberCounts(NamedTuple):
    """What somebody has done in a project."""

    answers: int = 0
    """Rounds, in a game."""
    claims: int = 0
    graded: int = 0
    right: int = 0
    reports: int = 0
    """Open or ended reports of their claims."""


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/manage/members")
    async def members(request: Request, project: str) -> Response:
        return await look(request, _list, project)

    @show_at(router, "/p/{project}/manage/members/{member}")
    async def member_page(request: Request, project: str, member: RecordNumber) -> Response:
        return await look(request, _show, project, member)

    @router.post("/p/{project}/manage/members/{member}/decide")
    async def decide(request: Request, project: str, member: RecordNumber) -> Response:
        return await change(request, _decide, project, member)

    @router.post("/p/{project}/manage/members/{member}/role")
    async def role(request: Request, project: str, member: RecordNumber) -> Response:
        return await change(request, _change_role, project, member)

    @router.post("/p/{project}/manage/members/{member}/super")
    async def mark_super(request: Request, project: str, member: RecordNumber) -> Response:
        return await change(request, _mark_super, project, member)

    @router.post("/p/{project}/manage/invite")
    async def invite(request: Request, project: str) -> Response:
        return await change(request, _invite, project)

    @router.post("/p/{project}/manage/invitations/{invitation}/revoke")
    async def revoke(request: Request, project: str, invitation: RecordNumber) -> Response:
        return await change(request, _revoke, project, invitation)


def find_member(here: ProjectVisit, id: int) -> MembershipRecord:
    """A member of this project; those of others are not there."""
    member = here.session.get(MembershipRecord, id)
    if member is None or member.project_id != here.project.id:
        raise NotFound(f"there is no member {id} in this project")
    return member


# -- the list ----------------------------------------------------------------------------------------------


def _list(visit: Visit, name: str) -> Response:
    return _draw(visit.enter(name, Role.MANAGER))


def _draw(
    here: ProjectVisit,
    *,
    link: str = "",
    invitation: InvitationRecord | None = None,
    refused: str = "",
    status: int = 200,
) -> Response:
    counts = _counts(here)
    rows = [
        (member, account, counts.get(account.id, MemberCounts()))
        for member, account in projects.members_of(here.session, here.project)
    ]
    invitations = [
        (each, _name_of(here, each.made_by), _invitation_state(each, here.now))
        for each in accounts.invitations_of(here.session, here.project)
    ]
    return render(
        here,
        "manage_members.html",
        here="manage",
        status=status,
        rows=rows,
        invitations=invitations,
        link=link,
        made=invitation,
        roles=(Role.ANNOTATOR, Role.MANAGER),
        most_days=MOST_DAYS,
        most_places=MOST_PLACES,
        form=here.form,
        refused=as_sentence(refused),
    )


def _counts(here: ProjectVisit) -> dict[int, MemberCounts]:
    if projects.is_game(here.project):
        return _counts_of_players(here)
    of_project = TaskRecord.project_id == here.project.id
    answers = dict(
        here.session.execute(
            select(AnnotationRecord.account_id, func.count())
            .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
            .where(of_project, AnnotationRecord.is_last)
            .group_by(AnnotationRecord.account_id)
        ).all()
    )
    claims = dict(
        here.session.execute(
            select(StudioClaimRecord.author_id, func.count())
            .where(StudioClaimRecord.project_id == here.project.id, StudioClaimRecord.author_id.is_not(None))
            .group_by(StudioClaimRecord.author_id)
        ).all()
    )
    # Of several grades of an answer the last counts.
    last = select(func.max(GradeRecord.id)).group_by(GradeRecord.annotation_id)
    grades = {
        account: (graded, right)
        for account, graded, right in here.session.execute(
            select(AnnotationRecord.account_id, func.count(), func.sum(GradeRecord.passed.cast(Integer)))
            .join(GradeRecord, GradeRecord.annotation_id == AnnotationRecord.id)
            .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
            .where(of_project, AnnotationRecord.is_last, GradeRecord.id.in_(last))
            .group_by(AnnotationRecord.account_id)
        )
    }
    reports = dict(
        here.session.execute(
            select(StudioClaimRecord.author_id, func.count())
            .join(ReportRecord, ReportRecord.claim_id == StudioClaimRecord.id)
            .where(StudioClaimRecord.project_id == here.project.id, StudioClaimRecord.author_id.is_not(None))
            .group_by(StudioClaimRecord.author_id)
        ).all()
    )
    return {
        id: MemberCounts(answers.get(id, 0), claims.get(id, 0), *grades.get(id, (0, 0)), reports.get(id, 0))
        for id in {*answers, *claims, *grades, *reports}
        if id is not None
    }


def _counts_of_players(here: ProjectVisit) -> dict[int, MemberCounts]:
    """Rounds, claims and reports by player."""
    rounds = select(GameRoundRecord.account_id, func.count()).where(
        GameRoundRecord.project_id == here.project.id, GameRoundRecord.is_practice.is_(False)
    )
    claims = select(GameClaimRecord.author_id, func.count()).where(GameClaimRecord.project_id == here.project.id)
    reports = (
        select(GameClaimRecord.author_id, func.count())
        .join(GameReportRecord, GameReportRecord.claim_id == GameClaimRecord.id)
        .where(GameClaimRecord.project_id == here.project.id)
    )
    played, written, reported = (
        dict(here.session.execute(query.group_by(query.selected_columns[0])).all())
        for query in (rounds, claims, reports)
    )
    return {
        id: MemberCounts(played.get(id, 0), written.get(id, 0), reports=reported.get(id, 0))
        for id in {*played, *written}
        if id is not None
    }


def _name_of(here: ProjectVisit, account_id: int | None) -> str:
    account = here.session.get(AccountRecord, account_id) if account_id is not None else None
    return account.name if account else "a command"


def _invitation_state(invitation: InvitationRecord, now: float) -> str:
    if invitation.revoked_at is not None:
        return "revoked"
    if invitation.used >= invitation.places:
        return "used"
    return "expired" if invitation.expires_at <= now else "open"


# -- inviting ----------------------------------------------------------------------------------------------


def _invite(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    role = here.field("role", 40)
    try:
        if role not in list(Role):
            raise InputError(f"{role!r} is no role; expected annotator or manager")
        token = accounts.invite(
            here.session,
            here.project.id,
            Role(role),
            by=here.signed.account_id,
            days=_whole(here, "days", 14),
            places=_whole(here, "places", 1),
            panel_code=here.field("panel_code", 200),
            now=here.now,
        )
    except VeritabError as error:
        problem = describe_error(error)
        raise NotDone(_draw(here, refused=problem.detail, status=problem.status)) from None
    made = accounts.find_invitation(here.session, token, now=here.now)
    return _draw(here, link=_join_address(here.request, token), invitation=made)


def _whole(here: ProjectVisit, field: str, otherwise: int) -> int:
    text = here.field(field, 20)
    if text and not (text.isdecimal() and len(text) < 10):
        raise InputError(f"{field} is {text!r}; expected a whole number, e.g. {otherwise}")
    return int(text) if text else otherwise


def _join_address(request: Request, token: str) -> str:
    """The whole address of a link. Behind a proxy the server does not know that it is reached by https; it must be."""
    host = request.url.hostname or ""
    scheme = request.url.scheme if host.strip("[]") in LOOPBACK else "https"
    return f"{scheme}://{request.url.netloc}/join/{token}"


def _revoke(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    accounts.revoke_invitation(here.session, here.project, id, by=here.signed.account_id, now=here.now)
    return move_on(here.to("manage", "members"), "invitation-revoked")


# -- one member --------------------------------------------------------------------------------------------


def _show(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    member = find_member(here, id)
    return render(
        here,
        "manage_member.html",
        here="manage",
        them=member,
        person=here.session.get_one(AccountRecord, member.account_id),
        counts=_counts(here).get(member.account_id, MemberCounts()),
        stage=MemberStage(member.stage),
        role=Role(member.role),
        steps=DECISIONS.get(MemberStage(member.stage), ()),
        said=quality.stage_reason(here.session, member),
        is_self=member.account_id == here.member.account_id,
    )


def _decide(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    member, chosen = find_member(here, id), here.field("step", 40)
    if chosen not in list(MemberStep):
        raise InputError(f"{chosen!r} is nothing that can be decided on a member")
    step = MemberStep(chosen)
    if step is MemberStep.REJECT and not is_sure(here):
        who = here.session.get_one(AccountRecord, member.account_id).name
        words = "They get no more tasks in this project, and there is no way back. What they submitted stays."
        return ask_first(here, f"Reject {who}?", words, "Reject", here.to("manage", "members", member.id))
    quality.decide_member(
        here.session, member, by=here.signed.account_id, step=step, reason=here.field("reason", 2_000), now=here.now
    )
    return move_on(here.to("manage", "members", member.id), "member-decided")


def _change_role(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    member, chosen = find_member(here, id), here.field("role", 40)
    if chosen not in list(Role):
        raise InputError(f"{chosen!r} is no role; expected annotator or manager")
    projects.change_role(here.session, here.project, member, Role(chosen), by=here.signed.account_id, now=here.now)
    if member.account_id == here.member.account_id:
        return move_on(here.to())
    return move_on(here.to("manage", "members", member.id), "role-changed")


def _mark_super(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    member = find_member(here, id)
    is_super = here.field("is_super", 10) == "yes"
    projects.mark_super(here.session, here.project, member, is_super, by=here.signed.account_id, now=here.now)
    return move_on(here.to("manage", "members", member.id), "super-changed")
