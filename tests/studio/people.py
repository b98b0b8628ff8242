"""People and projects for tests, made fast: passwords are hashed with the least that argon2 allows."""

from __future__ import annotations

from argon2 import PasswordHasher
from sqlalchemy.orm import Session

from veritab.studio.accounts import create_account
from veritab.studio.projects import ProjectSettings, Workflow, add_member, create_project
from veritab.studio.records import AccountRecord, MembershipRecord, ProjectRecord
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Role

FAST = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "tea with nine lanterns"
NOW = 1_700_000_000.0


def make_account(session: Session, name: str, *, is_administrator: bool = False) -> AccountRecord:
    return create_account(session, name, PASSWORD, now=NOW, is_administrator=is_administrator, hasher=FAST)


def make_project(
    session: Session, name: str = "rivers", workflow: Workflow = Workflow.FEVEROUS, **settings: object
) -> ProjectRecord:
    return create_project(
        session,
        name,
        title=name.title(),
        corpus="",
        corpus_digest="0" * 16,
        workflow=workflow,
        settings=ProjectSettings.of(workflow).changed(settings),
        consent="",
        seed=1,
        now=NOW,
    )


def make_member(
    session: Session, project: ProjectRecord, name: str, role: Role = Role.ANNOTATOR, stage: MemberStage | None = None
) -> MembershipRecord:
    return add_member(session, project, make_account(session, name).id, role, now=NOW, stage=stage)
