"""What becomes of members: warned and paused by misses of hidden gold, let in, turned away, paused and brought back.

Misses are kept on the membership; that somebody was warned, has read it, or was paused and why, in the trail.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import InputError, NotAllowed
from veritab.studio.projects import leave_trail, require_manager, settings_of
from veritab.studio.quality.kept import check_note, lock
from veritab.studio.records import AccountRecord, MembershipRecord, ProjectRecord, TrailRecord
from veritab.studio.states import MemberStage, MemberStep, move_member
from veritab.studio.vocabulary import Role

_WARN = "warn member"
_READ_WARNING = "read warning"


class GoldWarning(NamedTuple):
    """That somebody missed hidden gold so often that they are told."""

    misses: int
    at: float


def member_subject(session: Session, member: MembershipRecord) -> str:
    """What the trail calls a member."""
    return f"account {session.get_one(AccountRecord, member.account_id).name}"


# -- hidden gold -------------------------------------------------------------------------------------------


def count_misses(session: Session, project_id: int, account_id: int, change: int, *, now: float) -> None:
    """Add a miss of somebody, or take one back, with what follows from it."""
    member = session.scalars(
        select(MembershipRecord)
        .where(MembershipRecord.project_id == project_id, MembershipRecord.account_id == account_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one_or_none()
    if member is None:  # the answer came with an import, and its author is nobody here
        return
    member.misses = max(0, member.misses + change)
    # A manager can see which tasks are gold: what they miss says nothing.
    if change <= 0 or member.role != Role.ANNOTATOR or member.stage != MemberStage.APPROVED:
        return
    settings = settings_of(session.get_one(ProjectRecord, project_id))
    if 0 < settings.pause_after <= member.misses:
        member.stage = move_member(MemberStage.APPROVED, MemberStep.PAUSE).value
        leave_trail(
            session,
            f"{MemberStep.PAUSE.value} member",
            member_subject(session, member),
            before={"stage": MemberStage.APPROVED.value},
            after={
                "stage": member.stage,
                "misses": member.misses,
                "reason": f"tasks whose right answer is known, answered wrongly: {member.misses}",
            },
            by=None,
            project_id=member.project_id,
            now=now,
        )
    elif 0 < settings.warn_after == member.misses:
        leave_trail(
            session,
            _WARN,
            member_subject(session, member),
            after={"misses": member.misses},
            by=None,
            project_id=member.project_id,
            now=now,
        )


def warning_of(session: Session, member: MembershipRecord) -> GoldWarning | None:
    """The warning that somebody has not read yet, for their home page; `read_warning` takes it away."""
    if not member.misses:
        return None
    last = session.scalars(
        select(TrailRecord)
        .where(
            TrailRecord.project_id == member.project_id,
            TrailRecord.subject == member_subject(session, member),
            TrailRecord.what.in_((_WARN, _READ_WARNING)),
        )
        .order_by(TrailRecord.id.desc())
        .limit(1)
    ).first()
    if last is None or last.what != _WARN or member.misses < last.after["misses"]:  # fewer: they began anew since
        return None
    return GoldWarning(last.after["misses"], last.at)


def read_warning(session: Session, member: MembershipRecord, *, now: float) -> None:
    """That somebody has seen their warning: it is shown once."""
    if warning_of(session, member) is not None:
        leave_trail(
            session,
            _READ_WARNING,
            member_subject(session, member),
            by=member.account_id,
            project_id=member.project_id,
            now=now,
        )


# -- a manager decides -------------------------------------------------------------------------------------

_DECISIONS = (MemberStep.APPROVE, MemberStep.REJECT, MemberStep.PAUSE, MemberStep.RESUME)


def decide_member(
    session: Session, member: MembershipRecord, *, by: int | None, step: MemberStep, reason: str = "", now: float
) -> None:
    """A manager approves, rejects, pauses or resumes a member; misses are counted anew for whoever comes in or back."""
    project = session.get_one(ProjectRecord, member.project_id)
    require_manager(session, project, by)
    if step not in _DECISIONS:
        raise InputError(f"a manager cannot {step.value} for somebody; possible: {', '.join(_DECISIONS)}")
    if member.account_id == by:
        raise NotAllowed("nobody decides on themself; ask another manager to")
    said = check_note(reason)
    lock(session, member)
    before = {"stage": member.stage, "misses": member.misses}
    member.stage = move_member(MemberStage(member.stage), step).value
    if step in (MemberStep.APPROVE, MemberStep.RESUME):
        member.misses = 0
    leave_trail(
        session,
        f"{step.value} member",
        member_subject(session, member),
        before=before,
        after={"stage": member.stage, "misses": member.misses, "reason": said},
        by=by,
        project_id=project.id,
        now=now,
    )


def stage_reason(session: Session, member: MembershipRecord) -> str:
    """Why a member is paused or rejected, for the page that tells them so; empty where nobody said."""
    last = session.scalars(
        select(TrailRecord)
        .where(
            TrailRecord.project_id == member.project_id,
            TrailRecord.subject == member_subject(session, member),
            TrailRecord.what.in_([f"{step.value} member" for step in _DECISIONS]),
        )
        .order_by(TrailRecord.id.desc())
        .limit(1)
    ).first()
    return str(last.after.get("reason", "")) if last is not None and last.after["stage"] == member.stage else ""
