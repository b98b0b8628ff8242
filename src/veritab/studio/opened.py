"""A studio that is open: its database, and the corpora of its projects, each opened when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Self

from argon2 import PasswordHasher
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from veritab.corpus.store import Store
from veritab.errors import Conflict, NotFound, StoreBusy, StoreError
from veritab.pipeline import Checker
from veritab.schema import ElementId, Kind
from veritab.settings import NONE, Settings
from veritab.studio.accounts import HASHER, SignedIn, begin_login, check_password, is_due, who
from veritab.studio.database import Database, open_studio
from veritab.studio.log import LogEvent, LogOperation, fold
from veritab.studio.projects import leave_trail, refuse_closed, require_manager, settings_of
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    DecisionRecord,
    EventRecord,
    EvidenceRecord,
    HighlightRecord,
    ProjectRecord,
    TaskRecord,
)
from veritab.studio.tasks import draw_writing_tasks
from veritab.studio.vocabulary import Pool, SuggestionTime

_WITHOUT_MODELS = {"verify.model": NONE, "select.model": NONE, "retrieve.dense": False}
_MOST_NAMED = 5
_PAGES_AT_ONCE, _TASKS_AT_ONCE = 500, 100


class Studio:
    """What the doors work with: `database`, and `checker(project)` for pages, searches and suggestions."""

    def __init__(
        self,
        database: Database,
        place: str | Path,
        settings: Settings | None = None,
        *,
        hasher: PasswordHasher = HASHER,
    ) -> None:
        self.database = database
        self.place = str(place)
        self._settings = settings or Settings()
        self.hasher = hasher
        self._checkers: dict[tuple[str, bool], Checker] = {}
        self._opening = threading.Lock()

    @classmethod
    def open(cls, place: str | Path, settings: Settings | None = None) -> Self:
        """The studio in a folder or at an address."""
        return cls(open_studio(place), place, settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every corpus and let go of the database."""
        with self._opening:
            for checker in self._checkers.values():
                checker.close()
            self._checkers.clear()
        self.database.close()

    # -- corpora

    def checker(self, project: ProjectRecord) -> Checker:
        """The corpus of a project as it was when the project was made; a Conflict where it has changed."""
        checker = self.open_corpus(project)
        digest = corpus_digest(checker)
        if digest != project.corpus_digest:
            raise Conflict(
                f"the corpus of project {project.name!r} has changed: it was {project.corpus_digest}, now it is "
                f"{digest}; a manager brings back what it was, or accepts it in the project's settings or with: "
                f"veritab studio project accept-corpus {project.name}"
            )
        return checker

    def open_corpus(self, project: ProjectRecord) -> Checker:
        """The corpus of a project as it is now, a Conflict where it is gone; models are only read for suggestions."""
        try:
            return self._open(project.corpus, settings_of(project).suggestion is not SuggestionTime.HIDDEN)
        except StoreBusy:
            raise  # it is there in a moment
        except (NotFound, StoreError) as error:
            raise Conflict(f"the corpus of project {project.name!r} cannot be opened: {error}") from error

    def digest_of(self, corpus: str) -> str:
        """What tells the state of a corpus, before a project is made of it; empty is the bundled one."""
        return corpus_digest(self._open(corpus, False))

    def _open(self, corpus: str, with_models: bool) -> Checker:
        with self._opening:
            key = corpus, with_models
            if key not in self._checkers:
                settings = self._settings if with_models else self._settings.replaced(_WITHOUT_MODELS)
                self._checkers[key] = Checker.open(corpus or None, settings)
            return self._checkers[key]

    def draw_tasks(
        self, project: ProjectRecord, count: int, *, now: float, pool: str = Pool.WORK, phase: int = 0, by: int | None
    ) -> int:
        """Draw tasks to write claims from pages in random order, some at a time, so that nobody waits long for it.

        How many there are; fewer than wanted where the pages have no more to write about.
        """
        store = self.checker(project).store
        with self.database.reading() as session:
            require_manager(session, project, by)
            before = session.scalar(select(func.count()).where(HighlightRecord.project_id == project.id))
        titles = sorted(store.titles())
        Random(f"{project.seed} pages {before}").shuffle(titles)
        made, left = 0, -(-len(titles) // _PAGES_AT_ONCE)
        for start in range(0, len(titles), _PAGES_AT_ONCE):
            pages = [*map(store.page, titles[start : start + _PAGES_AT_ONCE])]  # before others wait for this one
            # Far fewer than the pages have, so that one can choose among them; all of it where there are few pages.
            some = min(count - made, max(_TASKS_AT_ONCE, -(-(count - made) // left)))
            with self.database.writing() as session:
                held = session.get_one(ProjectRecord, project.id)
                refuse_closed(held)
                drawn = draw_writing_tasks(session, held, pages, count=some, now=now, pool=pool, phase=phase)
                if drawn:
                    after = {"tasks": len(drawn), "pool": pool, "phase": phase}
                    subject = f"project {held.name}"
                    leave_trail(session, "draw tasks", subject, after=after, by=by, project_id=held.id, now=now)
            made, left = made + len(drawn), left - 1
            if made >= count:
                break
        return made

    # -- people, in transactions that are short

    def sign_in(self, name: str, password: str, *, now: float) -> str:
        """The token of a new login. The password is compared outside of any transaction that others wait for."""
        with self.database.reading() as session:
            account = check_password(session, name, password, now=now, hasher=self.hasher)
        with self.database.writing() as session:
            return begin_login(session, account.id, now=now)

    def who(self, token: str, *, now: float) -> SignedIn | None:
        """Who a login belongs to; it is made to last longer at times, which is all that is written."""
        with self.database.reading() as session:
            found = who(session, token, now=now)
            if found is None or not is_due(session, found, now=now):
                return found
        with self.database.writing() as session:
            return who(session, token, now=now)


def corpus_digest(checker: Checker) -> str:
    """What tells the state of a corpus: the same for the same pages, wherever they were read in."""
    checker.follow()
    return str(checker.corpus["revision"])


# -- a corpus that changed ---------------------------------------------------------------------------------


def accept_corpus(
    session: Session, project: ProjectRecord, checker: Checker, *, by: int | None, now: float, anyway: bool = False
) -> bool:
    """Go on with a corpus as it is now, provided that all that people were shown or chose is still in it.

    Whether anything changed at all. What a vanished element said is not known any more, hence a Conflict names it;
    `anyway` notes in the trail how many there are, and goes on.
    """
    require_manager(session, project, by)
    digest, before = corpus_digest(checker), project.corpus_digest
    if digest == before:
        return False
    gone = list(_missing(checker.store, elements_in_use(session, project)))
    if gone and not anyway:
        named = ", ".join(repr(str(id)) for id in gone[:_MOST_NAMED])
        more = f" and {len(gone) - _MOST_NAMED:,} more" if len(gone) > _MOST_NAMED else ""
        raise Conflict(
            f"the corpus does not have {named}{more}, which people were shown or chose as evidence; bring back those "
            "pages, begin another project with the new corpus, or go on without them: --anyway"
        )
    project.corpus_digest = digest
    leave_trail(
        session,
        "accept corpus",
        f"project {project.name}",
        before={"corpus_digest": before},
        after={"corpus_digest": digest, "missing": len(gone)},
        by=by,
        project_id=project.id,
        now=now,
    )
    return True


def elements_in_use(session: Session, project: ProjectRecord) -> set[ElementId]:
    """Every element that a project rests on: highlights, evidence, right answers, decisions and drafts."""
    of_project = TaskRecord.project_id == project.id
    found: set[str] = set()
    for highlight in session.scalars(select(HighlightRecord.elements).where(HighlightRecord.project_id == project.id)):
        found.update(highlight["ids"])
    evidence = (
        select(EvidenceRecord.element)
        .join(AnnotationRecord, AnnotationRecord.id == EvidenceRecord.annotation_id)
        .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
        .where(of_project, AnnotationRecord.is_last)
        .distinct()
    )
    found.update(session.scalars(evidence))
    for gold in session.scalars(select(TaskRecord.gold).where(of_project)):
        found.update(id for pieces in gold.get("evidence", ()) for id in pieces)
    decided = select(DecisionRecord.evidence).join(TaskRecord, TaskRecord.id == DecisionRecord.task_id)
    for decision in session.scalars(decided.where(of_project)):
        found.update(id for pieces in decision.get("sets", ()) for id in pieces)
    return {ElementId.parse(id) for id in found} | set(_drafted(session, project))


def _drafted(session: Session, project: ProjectRecord) -> Iterator[ElementId]:
    events = (
        select(EventRecord)
        .join(AssignmentRecord, AssignmentRecord.id == EventRecord.assignment_id)
        .join(TaskRecord, TaskRecord.id == AssignmentRecord.task_id)
        .where(TaskRecord.project_id == project.id, AssignmentRecord.state == "active")
        .order_by(EventRecord.assignment_id, EventRecord.sequence)
    )
    for _, log in groupby(session.scalars(events), key=lambda event: event.assignment_id):
        draft = fold(LogEvent(LogOperation(each.operation), each.value, each.seconds, each.key) for each in log)
        for pieces in draft.sets:
            yield from pieces


def _missing(store: Store, ids: Iterable[ElementId]) -> Iterator[ElementId]:
    """The elements that a corpus does not have, page by page; a redirect is not the page itself."""
    for title, of_page in groupby(sorted(ids, key=lambda id: (id.page, str(id))), key=lambda id: id.page):
        try:
            page = store.page(title)
        except NotFound:
            yield from of_page
            continue
        for id in of_page:
            try:
                page.table(id.path[0]) if id.kind is Kind.TABLE else page.element(id)
            except NotFound:
                yield id
