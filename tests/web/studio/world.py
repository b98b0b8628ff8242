"""A studio for tests of its pages: accounts, projects, tasks and answers, and people who look and click."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from fastapi import FastAPI
from httpx2 import Response
from lxml import html
from sqlalchemy.orm import Session
from starlette.testclient import TestClient

from tests.web.seen import BROWSER
from veritab.pipeline import Checker
from veritab.studio import accounts, projects
from veritab.studio.database import open_studio
from veritab.studio.log import LogEvent, LogOperation
from veritab.studio.opened import Studio, corpus_digest
from veritab.studio.projects import ProjectSettings, Workflow
from veritab.studio.records import AssignmentRecord, ProjectRecord, StudioClaimRecord, TaskRecord
from veritab.studio.states import ClaimState, MemberStage
from veritab.studio.tasks import add_verification_task, next_task
from veritab.studio.vocabulary import Pool, Role, TaskKind
from veritab.web.studio.app import create_studio_app
from veritab.web.studio.sessions import LOGIN

PASSWORD = "four words of nothing"
FAST = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
HOME = "http://127.0.0.1"


class Person:
    """Somebody at a browser; a form is sent with the token of the page that it stands on."""

    def __init__(self, app: FastAPI, login: str = "", base: str = HOME) -> None:
        self.client = TestClient(app, base_url=base, follow_redirects=False, raise_server_exceptions=False)
        self.client.headers.update(BROWSER)
        self.login = login
        if login:
            self.keep(LOGIN, login)

    def keep(self, name: str, value: str) -> None:
        """Have a cookie in the browser."""
        self.client.cookies.set(name, value, domain="127.0.0.1")

    @property
    def form_token(self) -> str:
        return accounts.form_token(self.login)

    def get(self, path: str, status: int = 200, **options: Any) -> Response:
        answer = self.client.get(path, **options)
        assert answer.status_code == status, (answer.status_code, answer.text[-1500:])
        return answer

    def see(self, path: str, status: int = 200) -> html.HtmlElement:
        """A page."""
        return parsed(self.get(path, status))

    def send(self, path: str, status: int = 303, /, files: Any = None, **fields: Any) -> Response:
        """A form with the right token; where it leads to is in the header Location."""
        data = {"form_token": self.form_token, **fields}
        answer = self.client.post(path, data=data, files=files)
        assert answer.status_code == status, (answer.status_code, answer.headers.get("location"), answer.text[-1500:])
        return answer

    def follow(self, answer: Response, status: int = 200) -> html.HtmlElement:
        """The page that an answer leads to."""
        return self.see(answer.headers["location"], status)


def parsed(answer: Response) -> html.HtmlElement:
    """The page that an answer is."""
    return html.document_fromstring(answer.text)


def words_of(page: html.HtmlElement) -> str:
    """What a page says."""
    return " ".join(page.cssselect("main")[0].text_content().split())


def fields_of(form: html.HtmlElement) -> dict[str, str]:
    """What a form would send as it stands."""
    return {name: value or "" for name, value in form.form_values()}


class World:
    """A studio, the time in it, and its people."""

    def __init__(self, place: str, checker: Checker, folder: Path | None = None) -> None:
        self.studio = Studio(open_studio(place), place, hasher=FAST)
        self.studio._checkers[("", False)] = checker
        self.checker = checker
        self.now = 1_760_000_000.0
        self.app = create_studio_app(self.studio, folder=folder, clock=lambda: self.now)

    def close(self) -> None:
        self.studio._checkers.clear()  # the corpus is every test's
        self.studio.close()

    def writing(self) -> Any:
        return self.studio.database.writing()

    # -- people

    def account(self, name: str, *, administrator: bool = False) -> int:
        with self.writing() as session:
            made = accounts.create_account(
                session, name, PASSWORD, now=self.now, is_administrator=administrator, hasher=FAST
            )
            return made.id

    def sign_in(self, name: str) -> Person:
        """Somebody who is signed in; who has no account gets one."""
        with self.writing() as session:
            try:
                id = accounts.find_account(session, name).id
            except Exception:
                id = 0
        id = id or self.account(name)
        with self.writing() as session:
            return Person(self.app, accounts.begin_login(session, id, now=self.now))

    def stranger(self, base: str = HOME) -> Person:
        return Person(self.app, base=base)

    def member(
        self,
        name: str,
        project: str = "rivers",
        *,
        role: Role = Role.ANNOTATOR,
        stage: MemberStage = MemberStage.APPROVED,
        consented: bool = True,
        has_read: bool = True,
    ) -> Person:
        """A member of a project, signed in."""
        person = self.sign_in(name)
        with self.writing() as session:
            found = projects.find_project(session, project)
            id = accounts.find_account(session, name).id
            member = projects.add_member(session, found, id, role, stage=stage, now=self.now)
            member.consented_at = self.now if consented else None
            if has_read:
                for kind in projects.workflow_of(found).kinds:
                    if guideline := projects.current_guideline(session, found, kind):
                        projects.mark_read(session, guideline, id, now=self.now)
        return person

    def manager(self, name: str = "wise-owl", project: str = "rivers") -> Person:
        return self.member(name, project, role=Role.MANAGER)

    # -- projects and their tasks

    def project(
        self,
        name: str = "rivers",
        workflow: Workflow = Workflow.FEVEROUS,
        title: str = "Rivers of the world",
        **settings: Any,
    ) -> None:
        with self.writing() as session:
            projects.create_project(
                session,
                name,
                title=title,
                corpus="",
                corpus_digest=corpus_digest(self.checker),
                workflow=workflow,
                settings=ProjectSettings.of(workflow).changed({"calibration_size": 0, **settings}),
                consent="You agree to **everything**.",
                seed=7,
                now=self.now,
            )

    def task(
        self,
        text: str = "Mount Everest is taller than K2.",
        project: str = "rivers",
        *,
        wanted: int = 1,
        pool: Pool = Pool.WORK,
        gold: dict[str, Any] | None = None,
        phase: int = 0,
        author: str = "",
        kind: TaskKind | None = None,
    ) -> int:
        """A claim to be verified."""
        with self.writing() as session:
            found = projects.find_project(session, project)
            claim = StudioClaimRecord(
                project_id=found.id,
                text=text,
                author_id=accounts.find_account(session, author).id if author else None,
                state=ClaimState.GOOD,
                pool=pool,
                source={},
                made_at=self.now,
            )
            session.add(claim)
            session.flush()
            task = add_verification_task(
                session, found, claim, rng=random.Random(1), now=self.now, pool=pool, gold=gold, phase=phase, kind=kind
            )
            if pool is Pool.WORK:
                task.wanted = wanted
            task.not_before = 0.0
            return task.id

    def answer(
        self,
        name: str,
        label: str = "SUPPORTS",
        evidence: Sequence[Sequence[str]] = (("Mount Everest_sentence_0",),),
        project: str = "rivers",
        **options: Any,
    ) -> int:
        """Somebody takes their next task and submits an answer; the task's number."""
        with self.writing() as session:
            assignment = self.take(session, name, project, practice=options.pop("practice", False))
            self.write(session, assignment, label, evidence)
            return self.submit(session, assignment, **options)

    def take(self, session: Session, name: str, project: str = "rivers", *, practice: bool = False) -> AssignmentRecord:
        found = projects.find_project(session, project)
        member = projects.member_of(session, found, accounts.find_account(session, name).id)
        assignment = next_task(session, found, member, now=self.now, practice=practice)
        assert assignment is not None
        return assignment

    def write(
        self, session: Session, assignment: AssignmentRecord, label: str, evidence: Sequence[Sequence[str]]
    ) -> None:
        from veritab.studio.annotating import append_events

        events = [LogEvent(LogOperation.WRITE, f"verdict={label}", 1.0, f"v{assignment.id}")]
        events += [LogEvent(LogOperation.WRITE, "challenge=Other", 1.0, f"c{assignment.id}")]
        if label == "REFUTES":
            events += [LogEvent(LogOperation.WRITE, "misled=yes", 1.0, f"m{assignment.id}")]
        for number, pieces in enumerate(evidence, 1):
            events += [LogEvent(LogOperation.EVIDENCE_SET, str(number), 2.0, f"s{assignment.id}-{number}")]
            events += [
                LogEvent(LogOperation.HIGHLIGHT, piece, 2.0, f"h{assignment.id}-{number}-{piece}") for piece in pieces
            ]
        append_events(session, assignment, events, now=self.now + 5)

    def submit(self, session: Session, assignment: AssignmentRecord, **options: Any) -> int:
        from veritab.studio.annotating import submit

        submit(session, assignment, seen=assignment.events, now=self.now + 10, exists=lambda _: True, **options)
        return assignment.task_id

    # -- looks

    def find(self, kind: type[Any], id: int) -> Any:
        with self.studio.database.reading() as session:
            return session.get_one(kind, id)

    def task_of(self, id: int) -> TaskRecord:
        found: TaskRecord = self.find(TaskRecord, id)
        return found

    def project_of(self, name: str = "rivers") -> ProjectRecord:
        with self.studio.database.reading() as session:
            return projects.find_project(session, name)
