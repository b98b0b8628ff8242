"""The tables of a studio. One log of events; the rest is who, what is asked of them, and what came of it.

Times are seconds since 1970, so that both databases keep them alike. Secrets are kept as digests. Words of closed lists
(`vocabulary`, `states`) are kept as text: the database outlives an enumeration.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import (
    JSON,
    BigInteger,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

JsonObject: TypeAlias = dict[str, Any]
# SQLite numbers rows by itself only where the column is called INTEGER.
_Number = BigInteger().with_variant(Integer(), "sqlite")
_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class StudioTable(DeclarativeBase):
    """What every table of a studio has in common."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map = {str: Text(), float: Double(), int: _Number, JsonObject: JSON()}  # noqa: RUF012


class NumberedTable(StudioTable):
    """A table whose rows are numbered in the order in which they were added."""

    __abstract__ = True

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)


# -- people ------------------------------------------------------------------------------------------------


class AccountRecord(NumberedTable):
    """Somebody, under a pseudonym."""

    __tablename__ = "accounts"

    name: Mapped[str] = mapped_column(unique=True)
    password_digest: Mapped[str] = mapped_column(default="")
    """Empty where somebody comes by a panel's link and has none."""
    participant: Mapped[str | None] = mapped_column(unique=True)
    """What a panel calls them, after the number of the project that it sends them to."""
    is_administrator: Mapped[bool] = mapped_column(default=False)
    made_at: Mapped[float]
    closed_at: Mapped[float | None]


class LoginRecord(NumberedTable):
    """A session of somebody who is signed in."""

    __tablename__ = "logins"

    digest: Mapped[str] = mapped_column(unique=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    made_at: Mapped[float]
    used_at: Mapped[float]
    expires_at: Mapped[float]


class TokenRecord(NumberedTable):
    """A token with which a program acts for somebody."""

    __tablename__ = "tokens"

    digest: Mapped[str] = mapped_column(unique=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str]
    made_at: Mapped[float]
    used_at: Mapped[float | None]
    expires_at: Mapped[float | None]
    revoked_at: Mapped[float | None]


class InvitationRecord(NumberedTable):
    """A link that makes whoever opens it a member; a panel's link may be opened by many."""

    __tablename__ = "invitations"

    digest: Mapped[str] = mapped_column(unique=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    role: Mapped[str]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    made_at: Mapped[float]
    expires_at: Mapped[float]
    places: Mapped[int] = mapped_column(default=1)
    used: Mapped[int] = mapped_column(default=0)
    is_panel: Mapped[bool] = mapped_column(default=False)
    completion_code: Mapped[str] = mapped_column(default="")
    revoked_at: Mapped[float | None]


# -- projects ----------------------------------------------------------------------------------------------


class ProjectRecord(NumberedTable):
    """A body of work over one corpus."""

    __tablename__ = "projects"

    name: Mapped[str] = mapped_column(unique=True)
    """Small letters, digits and dashes; it stands in addresses."""
    title: Mapped[str]
    corpus: Mapped[str]
    """The folder of the corpus; empty for the bundled one."""
    corpus_digest: Mapped[str]
    workflow: Mapped[str]
    settings: Mapped[JsonObject]
    consent: Mapped[str]
    """What people agree to before they begin."""
    seed: Mapped[int]
    made_at: Mapped[float]
    closed_at: Mapped[float | None]


class MembershipRecord(NumberedTable):
    """What somebody is in a project, and how far they have come."""

    __tablename__ = "memberships"
    __table_args__ = (UniqueConstraint("project_id", "account_id"),)

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    role: Mapped[str]
    stage: Mapped[str]
    is_super: Mapped[bool] = mapped_column(default=False)
    """A super-annotator, who looks for all the evidence there is."""
    misses: Mapped[int] = mapped_column(default=0)
    """Hidden gold tasks answered wrongly since approval."""
    completion_code: Mapped[str] = mapped_column(default="")
    joined_at: Mapped[float]
    consented_at: Mapped[float | None]


class GuidelineRecord(NumberedTable):
    """A version of the guidelines for one kind of task."""

    __tablename__ = "guidelines"
    __table_args__ = (UniqueConstraint("project_id", "kind", "version"),)

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    kind: Mapped[str]
    version: Mapped[int]
    text: Mapped[str]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    made_at: Mapped[float]


class GuidelineReadingRecord(NumberedTable):
    """That somebody has read a version."""

    __tablename__ = "guideline_readings"
    __table_args__ = (UniqueConstraint("guideline_id", "account_id"),)

    guideline_id: Mapped[int] = mapped_column(ForeignKey("guidelines.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    read_at: Mapped[float]


# -- what is asked -----------------------------------------------------------------------------------------


class HighlightRecord(NumberedTable):
    """What claims are written about: sentences or a table of a page, each page once."""

    __tablename__ = "highlights"
    __table_args__ = (UniqueConstraint("project_id", "page"),)

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    page: Mapped[str]
    kind: Mapped[str]
    elements: Mapped[JsonObject]
    """{"ids": [...]}: the addresses of its elements."""


class StudioClaimRecord(NumberedTable):
    """A claim, and where it comes from."""

    __tablename__ = "claims"
    __table_args__ = (
        Index("ix_claims_source", "project_id", "source_id"),
        Index("ix_claims_listed", "project_id", "id"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    text: Mapped[str]
    author_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"), index=True)
    """Nobody where it was imported."""
    highlight_id: Mapped[int | None] = mapped_column(ForeignKey("highlights.id"), index=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("claims.id"))
    """The claim that it is a mutation of."""
    type: Mapped[str] = mapped_column(default="")
    mutation: Mapped[str] = mapped_column(default="")
    page_rule: Mapped[str] = mapped_column(default="")
    prescribed_truth: Mapped[str] = mapped_column(default="")
    expected_challenge: Mapped[str] = mapped_column(default="")
    state: Mapped[str]
    pool: Mapped[str]
    source_id: Mapped[str] = mapped_column(default="")
    """What the file that it was imported from calls it."""
    source: Mapped[JsonObject]
    """The record that it was imported from, as far as it is written out again."""
    made_at: Mapped[float]


class TaskRecord(NumberedTable):
    """Something to be done, by as many people as answers are wanted."""

    __tablename__ = "tasks"
    __table_args__ = (
        # In the order in which they are given out; what is not to be given out yet is passed over in the index itself.
        Index("ix_tasks_next", "project_id", "state", "pool", "priority", "answers", "id", "not_before"),
        Index("ix_tasks_kind", "project_id", "kind", "state", "pool", "not_before"),
        Index("ix_tasks_listed", "project_id", "priority", "id"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    kind: Mapped[str]
    pool: Mapped[str]
    phase: Mapped[int] = mapped_column(default=0)
    """1 or 2 in calibration."""
    claim_id: Mapped[int | None] = mapped_column(ForeignKey("claims.id"), index=True)
    highlight_id: Mapped[int | None] = mapped_column(ForeignKey("highlights.id"), index=True)
    drawn: Mapped[JsonObject]
    """What was drawn by lot for whoever does it: truth, page rule, mutation."""
    gold: Mapped[JsonObject]
    """The right answer where it is known: {"label", "evidence": [[id, ...], ...], "challenge"}; else empty."""
    state: Mapped[str]
    wanted: Mapped[int] = mapped_column(default=1)
    answers: Mapped[int] = mapped_column(default=0)
    priority: Mapped[int] = mapped_column(default=0)
    """The highest first."""
    is_for_super: Mapped[bool] = mapped_column(default=False)
    not_before: Mapped[float] = mapped_column(default=0.0)
    made_at: Mapped[float]
    settled_at: Mapped[float | None]


class AssignmentRecord(NumberedTable):
    """A task in somebody's hands, until the lease ends."""

    __tablename__ = "assignments"
    __table_args__ = (
        UniqueConstraint("task_id", "account_id"),  # nobody meets a task twice
        Index("ix_assignments_lease", "state", "lease_until"),
        Index("ix_assignments_account_id", "account_id", "state"),
    )

    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    state: Mapped[str]
    """"active", "submitted", "skipped", "reported" or "expired"."""
    taken_at: Mapped[float]
    lease_until: Mapped[float]
    ended_at: Mapped[float | None]
    events: Mapped[int] = mapped_column(default=0)
    """How many there are; the next has the number after it."""
    reason: Mapped[str] = mapped_column(default="")


class EventRecord(NumberedTable):
    """Something that somebody did. Appended, never changed."""

    __tablename__ = "events"
    __table_args__ = (UniqueConstraint("assignment_id", "sequence"), UniqueConstraint("assignment_id", "key"))

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"))
    sequence: Mapped[int]
    at: Mapped[float]
    seconds: Mapped[float]
    operation: Mapped[str]
    value: Mapped[str]
    key: Mapped[str]


# -- what came of it ---------------------------------------------------------------------------------------


class AnnotationRecord(NumberedTable):
    """An answer to a task; changed ones are new revisions, and the last counts."""

    __tablename__ = "annotations"
    __table_args__ = (UniqueConstraint("assignment_id", "revision"),)

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"))
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"), index=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    revision: Mapped[int]
    is_last: Mapped[bool] = mapped_column(default=True)
    label: Mapped[str] = mapped_column(default="")
    challenge: Mapped[str] = mapped_column(default="")
    rating: Mapped[str] = mapped_column(default="")
    fields: Mapped[JsonObject]
    """Everything else that was filled in."""
    events: Mapped[int]
    """The event after which it was submitted: `fold` of those gives it again."""
    seconds: Mapped[float]
    guideline_id: Mapped[int | None] = mapped_column(ForeignKey("guidelines.id"))
    suggestion: Mapped[JsonObject]
    """The checker's answer and whether it was seen before; empty where it was hidden."""
    is_flagged: Mapped[bool] = mapped_column(default=False)
    submitted_at: Mapped[float]


class EvidenceRecord(NumberedTable):
    """A piece of evidence of an annotation."""

    __tablename__ = "evidence"
    __table_args__ = (UniqueConstraint("annotation_id", "set_number", "position"),)

    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotations.id"))
    set_number: Mapped[int]
    position: Mapped[int]
    element: Mapped[str]


class ReportRecord(NumberedTable):
    """That a claim breaks the rules, says somebody who should verify it."""

    __tablename__ = "reports"

    claim_id: Mapped[int] = mapped_column(ForeignKey("claims.id"), index=True)
    task_id: Mapped[int | None] = mapped_column(ForeignKey("tasks.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    reason: Mapped[str]
    note: Mapped[str] = mapped_column(default="")
    made_at: Mapped[float]
    ended_at: Mapped[float | None]
    ended_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    outcome: Mapped[str] = mapped_column(default="")


class GradeRecord(NumberedTable):
    """How good an annotation is: against gold, or by a manager's judgement."""

    __tablename__ = "grades"

    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotations.id"), index=True)
    by_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    """Nobody where it was computed."""
    passed: Mapped[bool]
    measures: Mapped[JsonObject]
    """{"label", "challenge", "precision", "recall", "complete"} against gold."""
    note: Mapped[str] = mapped_column(default="")
    made_at: Mapped[float]


class DecisionRecord(NumberedTable):
    """What somebody decided where answers differ or a task was flagged."""

    __tablename__ = "decisions"

    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"), index=True)
    by_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotations.id"))
    """The answer that was found right, where one was."""
    label: Mapped[str]
    evidence: Mapped[JsonObject]
    """{"sets": [[id, ...], ...]} where none of the answers' is right."""
    reason: Mapped[str]
    made_at: Mapped[float]


class CommentRecord(NumberedTable):
    """A remark on a task, for whoever works on it and for managers."""

    __tablename__ = "comments"

    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"), index=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    text: Mapped[str]
    made_at: Mapped[float]


class TrailRecord(NumberedTable):
    """Who changed what, from what, to what. Appended, never changed."""

    __tablename__ = "trail"

    at: Mapped[float]
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"), index=True)
    """Nobody where a command or the studio itself did it."""
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id"), index=True)
    what: Mapped[str]
    subject: Mapped[str]
    before: Mapped[JsonObject]
    after: Mapped[JsonObject]


class SignInTryRecord(NumberedTable):
    """How often a wrong password was given for a name lately; there may be no account of that name."""

    __tablename__ = "sign_in_tries"

    name_digest: Mapped[str] = mapped_column(unique=True)
    wrong: Mapped[int]
    last_at: Mapped[float]


class SentFormRecord(NumberedTable):
    """A form that was sent, so that it is not done twice."""

    __tablename__ = "sent_forms"

    key_digest: Mapped[str] = mapped_column(unique=True)
    at: Mapped[float]


class WorkRecord(NumberedTable):
    """An import or export, which goes on after a restart."""

    __tablename__ = "works"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    kind: Mapped[str]
    state: Mapped[str]
    """"waiting", "running", "done", "failed" or "stopped"."""
    options: Mapped[JsonObject]
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int | None]
    message: Mapped[str] = mapped_column(default="")
    file: Mapped[str] = mapped_column(default="")
    made_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    made_at: Mapped[float]
    lease_until: Mapped[float | None]
    """Until then somebody is at it; after that whoever did it was killed, and another begins again."""
    ended_at: Mapped[float | None]
