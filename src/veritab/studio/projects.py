"""Projects: their settings, who is in them as what, what they agree to, the guidelines, and the trail of changes.

`by` is the account of whoever makes a change, and None where a command or the studio itself makes it. A change that
somebody's role does not go as far as is refused here, whatever door it comes from.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from sqlalchemy import Select, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from veritab.errors import Conflict, InputError, NotAllowed, NotFound, nearest_name, short_repr
from veritab.studio.drawing import NO_OVERLAP, PUBLISHED_OVERLAP, OverlapRule
from veritab.studio.guidelines import default_guideline
from veritab.studio.log import MOST_SETS
from veritab.studio.records import (
    AccountRecord,
    AssignmentRecord,
    GuidelineReadingRecord,
    GuidelineRecord,
    JsonObject,
    MembershipRecord,
    ProjectRecord,
    TaskRecord,
    TrailRecord,
)
from veritab.studio.states import MemberStage, MemberStep, move_member
from veritab.studio.vocabulary import ADVISED_SECONDS, Pool, Role, SuggestionTime, TaskKind
from veritab.text import nfc, printable, squeeze

LONGEST_GUIDELINE = 100_000
LONGEST_TITLE = 200
_NAME = re.compile(r"[a-z0-9](?:-?[a-z0-9]){1,59}")

CONSENT = """\
You take part under a pseudonym. Do not write anything here that tells who you are.

We keep what you do in this project: the pages you open, what you search for, the evidence you choose, what you write,
and when. Managers of the project see it under your pseudonym, to check quality and to pay you.

What you write and the verdicts and evidence you choose may be published as a data set. Your pseudonym is not published.

You may stop at any time. What you have submitted until then stays in the project.
"""
"""What people agree to where a project has no text of its own."""


class Workflow(StrEnum):
    """Whose way of making claims and verifying them a project follows."""

    FEVER = "fever"
    FEVEROUS = "feverous"
    PLAIN = "plain"
    GAME = "game"
    """Claims are written and voted on in rounds (`studio.game`); there are no tasks."""

    @property
    def kinds(self) -> tuple[TaskKind, ...]:
        """The tasks that it has."""
        return _KINDS[self]


_KINDS: Mapping[Workflow, tuple[TaskKind, ...]] = {
    Workflow.FEVER: (TaskKind.FEVER_CLAIMS, TaskKind.FEVER_MUTATIONS, TaskKind.FEVER_LABELLING),
    Workflow.FEVEROUS: (TaskKind.FEVEROUS_CLAIMS, TaskKind.FEVEROUS_VERIFICATION),
    Workflow.PLAIN: (TaskKind.PLAIN_VERIFICATION, TaskKind.PLAIN_RATING),
    Workflow.GAME: (),
}


# -- settings ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProjectSettings:
    """The numbers of a project; `of` gives those that the papers published for a workflow."""

    overlap: Mapping[int, float] = field(default_factory=dict)
    """By the number of answers, the share of claims that get so many; the rest gets one."""
    super_share: float = 0.0
    """The share of claims that a super-annotator answers besides."""
    lease_minutes: int = 60
    """How long a task stays with somebody who does nothing; then it comes back."""
    advised_seconds: Mapping[str, int] = field(default_factory=dict)
    """By the kind of task, what one should take at most."""
    hours_after_writing: float = 24.0
    """How long after a claim was written it is given out to be verified."""
    gold_share: float = 0.05
    """The share of tasks given out whose answer is known, where there are any."""
    warn_after: int = 2
    """Hidden gold tasks answered wrongly after which somebody is warned; 0 warns nobody."""
    pause_after: int = 5
    """Hidden gold tasks answered wrongly after which somebody is paused; 0 pauses nobody."""
    calibration_size: int = 0
    """Tasks in each of the two phases of calibration; 0 lets people in without it."""
    suggestion: SuggestionTime = SuggestionTime.HIDDEN
    """When the checker's own answer is shown."""
    most_sets: int = 3
    """Evidence sets that an annotation may have."""
    panel_answers: int = 10
    """Submitted tasks after which somebody who came by a panel's link is shown the completion code."""

    def __post_init__(self) -> None:
        try:
            self.overlap_rule  # noqa: B018  # it refuses shares that cannot be
        except InputError as error:
            raise InputError(f"overlap and super_share: {error}") from None
        for name, (least, most) in _RANGES.items():
            if not least <= getattr(self, name) <= most:
                raise InputError(f"{name} is {getattr(self, name)}; it must be {least} or more, up to {most:,}")
        if not 0 <= self.gold_share <= 1:
            raise InputError(f"gold_share is {self.gold_share}; it must lie between 0 and 1")
        for kind, seconds in self.advised_seconds.items():
            if kind not in list(TaskKind):
                raise InputError(
                    f"advised_seconds has no {kind!r}; did you mean {nearest_name(kind, map(str, TaskKind))!r}?"
                )
            if seconds < 1:
                raise InputError(f"advised_seconds of {kind} is {seconds}; it must be 1 or more")

    @classmethod
    def of(cls, workflow: Workflow) -> Self:
        """What the papers did, as far as they say; there is no overlap and no calibration in a plain project."""
        overlap = next((PUBLISHED_OVERLAP[kind] for kind in workflow.kinds if kind in PUBLISHED_OVERLAP), NO_OVERLAP)
        return cls(
            overlap=dict(overlap.shares),
            super_share=overlap.super_share,
            advised_seconds={kind.value: ADVISED_SECONDS[kind] for kind in workflow.kinds if kind in ADVISED_SECONDS},
            calibration_size=10 if workflow is Workflow.FEVEROUS else 0,
            suggestion=SuggestionTime.AFTER if workflow is Workflow.GAME else SuggestionTime.HIDDEN,
        )

    @classmethod
    def parse(cls, table: Mapping[str, Any]) -> Self:
        """Settings from JSON; what is not said is as in a plain project."""
        return cls(**{name: _parse_setting(name, value) for name, value in table.items()})

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """These settings with others in place of some."""
        return dataclasses.replace(self, **{name: _parse_setting(name, value) for name, value in changes.items()})

    def as_dict(self) -> JsonObject:
        """The settings as JSON."""
        table = dataclasses.asdict(self)
        return {
            **table,
            "overlap": {str(answers): share for answers, share in self.overlap.items()},
            "suggestion": self.suggestion.value,
        }

    @property
    def overlap_rule(self) -> OverlapRule:
        """How many answers a new claim gets, by lot."""
        return OverlapRule(self.overlap, self.super_share)


_MOST = 1_000_000
_RANGES = {
    "lease_minutes": (1, _MOST),
    "hours_after_writing": (0, _MOST),
    "warn_after": (0, _MOST),
    "pause_after": (0, _MOST),
    "calibration_size": (0, _MOST),
    "most_sets": (1, MOST_SETS),
    "panel_answers": (1, _MOST),
}


def _parse_setting(name: str, value: Any) -> Any:
    fields = {each.name: each for each in dataclasses.fields(ProjectSettings)}
    if name not in fields:
        raise InputError(f"projects have no setting {name!r}; did you mean {nearest_name(name, fields)!r}?")
    if name == "suggestion":
        if value not in list(SuggestionTime):
            expected = ", ".join(repr(each.value) for each in SuggestionTime)
            raise InputError(f"suggestion is {short_repr(value)}; expected one of {expected}")
        return SuggestionTime(value)
    if name in ("overlap", "advised_seconds"):
        return _parse_numbers(name, value)
    usual = fields[name].default
    wanted = "a whole number" if isinstance(usual, int) else "a number"
    is_right = type(value) is int or (isinstance(usual, float) and type(value) is float)
    if not is_right:
        raise InputError(f"{name} is {short_repr(value)}; expected {wanted}, e.g. {usual}")
    return value


def _parse_numbers(name: str, value: Any) -> dict[Any, Any]:
    example = '{"2": 0.1}' if name == "overlap" else '{"feverous-verification": 600}'
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is {short_repr(value)}; expected e.g. {example}")
    numbers = {}
    for key, number in value.items():
        is_number = type(number) is int or (name == "overlap" and type(number) is float)
        is_key = str(key).isdecimal() if name == "overlap" else isinstance(key, str)
        if not is_number or not is_key:
            raise InputError(f"{name} has {short_repr({key: number})}; expected e.g. {example}")
        numbers[int(key) if name == "overlap" else key] = number
    return numbers


# -- projects ----------------------------------------------------------------------------------------------


def create_project(
    session: Session,
    name: str,
    *,
    title: str,
    corpus: str,
    corpus_digest: str,
    workflow: Workflow,
    settings: ProjectSettings,
    consent: str,
    seed: int,
    now: float,
    by: int | None = None,
) -> ProjectRecord:
    """A new project with the guidelines that come with its workflow; an administrator who makes it manages it."""
    require_administrator(session, by)
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{short_repr(name)} cannot name a project; expected 2 to 60 small letters, digits and single dashes, "
            "e.g. 'rivers-2025': it stands in addresses"
        )
    title = squeeze(title) or name
    if len(title) > LONGEST_TITLE:
        raise InputError(f"the title has {len(title):,} characters; at most {LONGEST_TITLE}")
    project = ProjectRecord(
        name=name,
        title=title,
        corpus=corpus,
        corpus_digest=corpus_digest,
        workflow=workflow.value,
        settings=settings.as_dict(),
        consent=_check_consent(consent),
        seed=seed,
        made_at=now,
    )
    try:
        with session.begin_nested():
            session.add(project)
    except IntegrityError:
        raise Conflict(f"there is a project {name!r} already; choose another name") from None
    about = {"name": name, "title": title, "corpus": corpus, "workflow": workflow.value, "settings": settings.as_dict()}
    leave_trail(session, "make project", f"project {name}", after=about, by=by, project_id=project.id, now=now)
    for kind in workflow.kinds:
        publish_guideline(session, project, kind, default_guideline(kind), by=by, now=now)
    if by is not None:
        add_member(session, project, by, Role.MANAGER, now=now, by=by)
    return project


def find_project(session: Session, name: str) -> ProjectRecord:
    """The project of a name, also where it is closed."""
    is_name = _NAME.fullmatch(name)  # databases refuse some of what an address may hold
    project = session.scalar(select(ProjectRecord).where(ProjectRecord.name == name)) if is_name else None
    if project is None:
        raise NotFound(f"there is no project {short_repr(name)}")
    return project


def projects_of(session: Session, account_id: int) -> list[tuple[ProjectRecord, MembershipRecord]]:
    """The projects that somebody is a member of, by title."""
    joined = select(ProjectRecord, MembershipRecord).join(
        MembershipRecord, MembershipRecord.project_id == ProjectRecord.id
    )
    rows = session.execute(joined.where(MembershipRecord.account_id == account_id).order_by(ProjectRecord.title))
    return [(project, member) for project, member in rows]


def all_projects(session: Session) -> list[ProjectRecord]:
    """Every project by name: for administrators."""
    return list(session.scalars(select(ProjectRecord).order_by(ProjectRecord.name)))


def settings_of(project: ProjectRecord) -> ProjectSettings:
    """The settings of a project."""
    return ProjectSettings.parse(project.settings)


def workflow_of(project: ProjectRecord) -> Workflow:
    """The workflow of a project."""
    return Workflow(project.workflow)


def is_game(project: ProjectRecord) -> bool:
    """Whether a project is a game, which has claims and rounds instead of tasks."""
    return workflow_of(project) is Workflow.GAME


def change_settings(
    session: Session, project: ProjectRecord, changes: Mapping[str, Any], *, by: int | None, now: float
) -> ProjectSettings:
    """Change some settings; what was drawn before stays as it was."""
    require_manager(session, project, by)
    session.refresh(project, with_for_update={"key_share": True})  # two managers change different ones
    before, after = settings_of(project), settings_of(project).changed(changes)
    old, new = before.as_dict(), after.as_dict()
    changed = [name for name in new if new[name] != old[name]]
    if changed:
        project.settings = new
        leave_trail(
            session,
            "change settings",
            f"project {project.name}",
            before={name: old[name] for name in changed},
            after={name: new[name] for name in changed},
            by=by,
            project_id=project.id,
            now=now,
        )
    return after


def change_consent(session: Session, project: ProjectRecord, text: str, *, by: int | None, now: float) -> None:
    """Ask everybody to agree to another text before they go on."""
    require_manager(session, project, by)
    before, after = project.consent, _check_consent(text)
    if after == before:
        return
    project.consent = after
    for member, _ in members_of(session, project):
        member.consented_at = None
    leave_trail(
        session,
        "change consent",
        f"project {project.name}",
        before={"consent": before},
        after={"consent": after},
        by=by,
        project_id=project.id,
        now=now,
    )


def close_project(session: Session, project: ProjectRecord, *, by: int | None, now: float) -> None:
    """Give out no more tasks; everything stays to be read and exported."""
    require_manager(session, project, by)
    refuse_closed(project)
    project.closed_at = now
    leave_trail(session, "close project", f"project {project.name}", by=by, project_id=project.id, now=now)


def reopen_project(session: Session, project: ProjectRecord, *, by: int | None, now: float) -> None:
    """Give out tasks again."""
    require_manager(session, project, by)
    if project.closed_at is None:
        raise Conflict(f"project {project.name!r} is open already")
    project.closed_at = None
    leave_trail(session, "reopen project", f"project {project.name}", by=by, project_id=project.id, now=now)


def refuse_closed(project: ProjectRecord) -> None:
    """A Conflict where a project is closed."""
    if project.closed_at is not None:
        raise Conflict(f"project {project.name!r} is closed; a manager can open it again")


def _check_consent(text: str) -> str:
    found = nfc(printable(text)).strip() or CONSENT.strip()
    if len(found) > LONGEST_GUIDELINE:
        raise InputError(f"the text to agree to has {len(found):,} characters; at most {LONGEST_GUIDELINE:,}")
    return found


# -- members -----------------------------------------------------------------------------------------------


def member_of(session: Session, project: ProjectRecord, account_id: int) -> MembershipRecord:
    """What somebody is in a project; NotFound where they are nothing, as if there were no such project."""
    member = _find_member(session, project, account_id)
    if member is None:
        raise NotFound(f"there is no project {project.name!r}")
    return member


def members_of(session: Session, project: ProjectRecord) -> list[tuple[MembershipRecord, AccountRecord]]:
    """Everybody in a project, by name."""
    joined = select(MembershipRecord, AccountRecord).join(
        AccountRecord, AccountRecord.id == MembershipRecord.account_id
    )
    rows = session.execute(joined.where(MembershipRecord.project_id == project.id).order_by(AccountRecord.name))
    return [(member, account) for member, account in rows]


_RANKS = {Role.ANNOTATOR: 0, Role.MANAGER: 1, Role.ADMINISTRATOR: 2}


def require_role(member: MembershipRecord, role: Role) -> None:
    """A NotAllowed where a member's role does not go as far; a manager may do what annotators may."""
    if _RANKS[Role(member.role)] < _RANKS[role]:
        raise NotAllowed(f"this takes {_a(role)}; you are {_a(Role(member.role))} in this project")


def require_manager(session: Session, project: ProjectRecord, by: int | None) -> None:
    """A refusal unless somebody manages this project, is an administrator, or is nobody: a command."""
    if by is None or is_administrator(session, by):
        return
    require_role(member_of(session, project, by), Role.MANAGER)
    if session.get_one(AccountRecord, by).closed_at is not None:
        raise NotAllowed("this takes a manager; the account is closed")


def require_administrator(session: Session, by: int | None) -> None:
    """A NotAllowed unless somebody is an administrator, or is nobody: a command."""
    if by is not None and not is_administrator(session, by):
        raise NotAllowed("this takes an administrator; ask whoever runs this studio")


def is_administrator(session: Session, account_id: int) -> bool:
    """Whether an account is an open one of an administrator."""
    account = session.get(AccountRecord, account_id)
    return account is not None and account.is_administrator and account.closed_at is None


def add_member(
    session: Session,
    project: ProjectRecord,
    account_id: int,
    role: Role,
    *,
    now: float,
    stage: MemberStage | None = None,
    by: int | None = None,
) -> MembershipRecord:
    """Make somebody a member; they begin by giving consent unless a stage says otherwise."""
    require_manager(session, project, by)
    refuse_closed(project)
    account = _check_future(session, account_id, role)
    member = MembershipRecord(
        project_id=project.id,
        account_id=account_id,
        role=role.value,
        stage=(stage or MemberStage.INVITED).value,
        joined_at=now,
    )
    try:
        with session.begin_nested():
            session.add(member)
    except IntegrityError:
        raise Conflict(f"{account.name} is a member of project {project.name!r} already") from None
    after = {"role": member.role, "stage": member.stage}
    leave_trail(session, "add member", f"account {account.name}", after=after, by=by, project_id=project.id, now=now)
    return member


def change_role(
    session: Session, project: ProjectRecord, member: MembershipRecord, role: Role, *, by: int | None, now: float
) -> None:
    """Make an annotator a manager, or the other way round."""
    require_manager(session, project, by)
    _refuse_other(project, member)
    account = _check_future(session, member.account_id, role)
    if member.role == role.value:
        raise Conflict(f"{account.name} is {_a(role)} already")
    before, member.role = member.role, role.value
    if role is Role.MANAGER and member.stage != MemberStage.INVITED.value:
        member.stage = MemberStage.APPROVED.value
    leave_trail(
        session,
        "change role",
        f"account {account.name}",
        before={"role": before},
        after={"role": member.role},
        by=by,
        project_id=project.id,
        now=now,
    )


def mark_super(
    session: Session, project: ProjectRecord, member: MembershipRecord, is_super: bool, *, by: int | None, now: float
) -> None:
    """Make a member a super-annotator, who looks for all the evidence there is, or no longer."""
    require_manager(session, project, by)
    _refuse_other(project, member)
    before, member.is_super = member.is_super, is_super
    leave_trail(
        session,
        "mark super-annotator",
        f"account {_name_of(session, member.account_id)}",
        before={"is_super": before},
        after={"is_super": is_super},
        by=by,
        project_id=project.id,
        now=now,
    )


def give_consent(session: Session, member: MembershipRecord, *, now: float) -> None:
    """Note that a member agrees, and let them begin: with calibration where the project has it."""
    if member.consented_at is not None:
        return
    member.consented_at = now
    if member.stage == MemberStage.INVITED.value:
        project = session.get_one(ProjectRecord, member.project_id)
        calibrates = settings_of(project).calibration_size > 0 and member.role == Role.ANNOTATOR.value
        step = MemberStep.JOIN if calibrates else MemberStep.ADMIT
        member.stage = move_member(MemberStage.INVITED, step).value


def completion_code_of(
    session: Session, project: ProjectRecord, member: MembershipRecord, *, nothing_left: bool = False
) -> str:
    """The code that a panel pays for, once somebody has submitted enough or `nothing_left` to do; else empty."""
    if not member.completion_code or nothing_left:
        return member.completion_code
    submitted = session.scalar(
        select(func.count())
        .select_from(AssignmentRecord)
        .join(TaskRecord, TaskRecord.id == AssignmentRecord.task_id)
        .where(
            TaskRecord.project_id == project.id,
            TaskRecord.pool != Pool.PRACTICE.value,
            AssignmentRecord.account_id == member.account_id,
            AssignmentRecord.state == "submitted",
        )
    )
    return member.completion_code if (submitted or 0) >= settings_of(project).panel_answers else ""


def _find_member(session: Session, project: ProjectRecord, account_id: int) -> MembershipRecord | None:
    return session.scalar(
        select(MembershipRecord).where(
            MembershipRecord.project_id == project.id, MembershipRecord.account_id == account_id
        )
    )


def _check_future(session: Session, account_id: int, role: Role) -> AccountRecord:
    """The account, where it may have a role."""
    if role is Role.ADMINISTRATOR:
        raise InputError("administrators are of the whole studio, not of a project; a member is annotator or manager")
    account = session.get(AccountRecord, account_id)
    if account is None or account.closed_at is not None:
        raise NotFound("there is no such account, or it is closed")
    if role is Role.MANAGER and not account.password_digest:
        raise Conflict(f"{account.name} has no password, and managers need one; set it first")
    return account


def _refuse_other(project: ProjectRecord, member: MembershipRecord) -> None:
    if member.project_id != project.id:
        raise NotFound(f"there is no such member of project {project.name!r}")


def _name_of(session: Session, account_id: int) -> str:
    return session.get_one(AccountRecord, account_id).name


def _a(role: Role) -> str:
    return f"{'an' if role.value[0] in 'aeiou' else 'a'} {role.value}"


# -- guidelines --------------------------------------------------------------------------------------------


def publish_guideline(
    session: Session, project: ProjectRecord, kind: TaskKind, text: str, *, by: int | None, now: float
) -> GuidelineRecord:
    """A new version of the guidelines for a kind of task, which everybody has to read; the same text is no new one."""
    require_manager(session, project, by)
    if kind not in workflow_of(project).kinds:
        expected = ", ".join(each.value for each in workflow_of(project).kinds)
        raise InputError(f"project {project.name!r} has no tasks {kind.value!r}; it has {expected}")
    found = nfc(printable(text)).strip()
    if not found:
        raise InputError("guidelines without words cannot be published; write what people should do")
    if len(found) > LONGEST_GUIDELINE:
        raise InputError(f"the guidelines have {len(found):,} characters; at most {LONGEST_GUIDELINE:,}")
    # Two who publish at once queue here: versions are numbered without gaps.
    session.scalar(select(ProjectRecord.id).where(ProjectRecord.id == project.id).with_for_update(key_share=True))
    before = current_guideline(session, project, kind)
    if before is not None and before.text == found:
        return before
    guideline = GuidelineRecord(
        project_id=project.id,
        kind=kind.value,
        version=before.version + 1 if before else 1,
        text=found,
        made_by=by,
        made_at=now,
    )
    session.add(guideline)
    session.flush()
    leave_trail(
        session,
        "publish guidelines",
        f"guidelines {kind.value}",
        before={"version": before.version} if before else None,
        after={"version": guideline.version},
        by=by,
        project_id=project.id,
        now=now,
    )
    return guideline


def current_guideline(session: Session, project: ProjectRecord, kind: TaskKind) -> GuidelineRecord | None:
    """The last version of the guidelines for a kind of task."""
    return session.scalar(_versions(project, kind).limit(1))


def guideline_versions(session: Session, project: ProjectRecord, kind: TaskKind) -> list[GuidelineRecord]:
    """Every version of the guidelines for a kind of task, the last first."""
    return list(session.scalars(_versions(project, kind)))


def _versions(project: ProjectRecord, kind: TaskKind) -> Select[GuidelineRecord]:
    return (
        select(GuidelineRecord)
        .where(GuidelineRecord.project_id == project.id, GuidelineRecord.kind == kind.value)
        .order_by(GuidelineRecord.version.desc())
    )


def mark_read(session: Session, guideline: GuidelineRecord, account_id: int, *, now: float) -> None:
    """Note that somebody has read a version of the guidelines."""
    if not has_read(session, guideline, account_id):
        try:
            with session.begin_nested():
                session.add(GuidelineReadingRecord(guideline_id=guideline.id, account_id=account_id, read_at=now))
        except IntegrityError:  # noted by the other of two clicks
            return


def has_read(session: Session, guideline: GuidelineRecord, account_id: int) -> bool:
    """Whether somebody has read a version of the guidelines."""
    reading = select(GuidelineReadingRecord.id).where(
        GuidelineReadingRecord.guideline_id == guideline.id, GuidelineReadingRecord.account_id == account_id
    )
    return session.scalar(reading) is not None


# -- the trail ---------------------------------------------------------------------------------------------


def leave_trail(
    session: Session,
    what: str,
    subject: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    by: int | None,
    project_id: int | None,
    now: float,
) -> None:
    """Note who changed what, from what, to what; never a secret."""
    session.add(
        TrailRecord(
            at=now,
            account_id=by,
            project_id=project_id,
            what=what,
            subject=subject,
            before=dict(before or {}),
            after=dict(after or {}),
        )
    )


def trail_of(session: Session, project_id: int | None, *, most: int = 200) -> list[tuple[TrailRecord, str]]:
    """The last changes in a project, or of the studio itself, with the names of those who made them; newest first."""
    joined = select(TrailRecord, AccountRecord.name).outerjoin(
        AccountRecord, AccountRecord.id == TrailRecord.account_id
    )
    rows = session.execute(
        joined.where(TrailRecord.project_id == project_id).order_by(TrailRecord.id.desc()).limit(most)
    )
    return [(record, name or "") for record, name in rows]
