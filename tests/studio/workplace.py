"""Projects, people and claims made by hand, and somebody who answers tasks."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Any

from sqlalchemy.orm import Session

from veritab.schema import Cell, Page, Sentence, TableBlock
from veritab.studio.annotating import append_events, submit
from veritab.studio.log import LogEvent, LogOperation
from veritab.studio.projects import ProjectSettings, Workflow
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    MembershipRecord,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import ClaimState, MemberStage
from veritab.studio.tasks import add_verification_task, next_task
from veritab.studio.vocabulary import Pool, Role

NOW = 1_700_000_000.0
DAY = 86_400.0
ELEMENT = "Nile_sentence_0"
_NUMBERS = count()


def make_project(session: Session, workflow: Workflow = Workflow.FEVEROUS, **settings: Any) -> ProjectRecord:
    """A project without hidden gold, overlap or calibration, unless settings say so."""
    project = ProjectRecord(
        name=f"{workflow}-{next(_NUMBERS)}",
        title="Rivers",
        corpus="",
        corpus_digest="",
        workflow=workflow,
        settings=ProjectSettings(**{"gold_share": 0.0, **settings}).as_dict(),
        consent="",
        seed=7,
        made_at=NOW,
    )
    session.add(project)
    session.flush()
    return project


def make_member(
    session: Session,
    project: ProjectRecord,
    name: str = "ibis",
    stage: MemberStage = MemberStage.APPROVED,
    **about: Any,
) -> MembershipRecord:
    """Somebody who works in a project."""
    account = AccountRecord(name=f"{name}-{next(_NUMBERS)}", made_at=NOW)
    session.add(account)
    session.flush()
    member = MembershipRecord(
        project_id=project.id,
        account_id=account.id,
        role=Role.ANNOTATOR,
        stage=stage,
        joined_at=NOW,
        **{"consented_at": NOW, **about},
    )
    session.add(member)
    session.flush()
    return member


def make_claim(session: Session, project: ProjectRecord, **about: Any) -> StudioClaimRecord:
    """A claim that nobody of the project wrote, unless an author is given."""
    claim = StudioClaimRecord(
        project_id=project.id,
        state=ClaimState.GOOD,
        pool=Pool.WORK,
        source={},
        made_at=NOW,
        **{"text": "The Nile is long.", **about},
    )
    session.add(claim)
    session.flush()
    return claim


def make_task(session: Session, project: ProjectRecord, *, wanted: int | None = None, **about: Any) -> TaskRecord:
    """A task to verify a new claim."""
    task = add_verification_task(session, project, make_claim(session, project), rng=Random(1), now=NOW, **about)
    task.wanted = task.wanted if wanted is None else wanted
    session.flush()
    return task


def make_page(title: str) -> Page:
    """A page with sentences and a table to write about."""
    sentences = [Sentence(number, f"{title} flows past so many as {number} towns.") for number in range(5)]
    rows = tuple((Cell(f"Town {row}"), Cell(str(row))) for row in range(6))
    return Page(title, (*sentences, TableBlock(0, rows)))


def take(
    session: Session, project: ProjectRecord, member: MembershipRecord, now: float = NOW, **options: Any
) -> AssignmentRecord:
    """The next task of somebody, who has one."""
    assignment = next_task(session, project, member, now=now, **options)
    assert assignment is not None
    return assignment


def event(operation: LogOperation, value: str = "", seconds: float = 1.0, key: str = "") -> LogEvent:
    """An event with a key of its own."""
    return LogEvent(operation, value, seconds, key or f"key-{next(_NUMBERS)}")


def fill_in(**fields: str) -> list[LogEvent]:
    """Events that fill in fields; an underscore stands for a dash."""
    return [event(LogOperation.WRITE, f"{name.replace('_', '-')}={text}") for name, text in fields.items()]


def highlight(*elements: str) -> list[LogEvent]:
    """Events that add evidence."""
    return [event(LogOperation.HIGHLIGHT, element) for element in elements]


def answer(
    session: Session, assignment: AssignmentRecord, events: list[LogEvent], now: float = NOW + 60, **options: Any
) -> AnnotationRecord:
    """Send events, then submit."""
    draft = append_events(session, assignment, events, now=now)
    return submit(session, assignment, seen=draft.events, now=now, **{"exists": lambda _: True, **options})


def verify(
    session: Session, assignment: AssignmentRecord, now: float = NOW + 60, verdict: str = "SUPPORTS", **options: Any
) -> AnnotationRecord:
    """Answer a claim with one piece of evidence."""
    events = highlight(ELEMENT) + fill_in(verdict=verdict, misled="yes", challenge="Other")
    return answer(session, assignment, events, now, **options)
