"""The figures of work that was done as people do it: taken, logged, submitted, reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from tests.studio.figures.samples import near
from tests.studio.people import NOW, make_member, make_project
from veritab.schema import Page, Sentence
from veritab.studio.annotating import append_events, report, submit
from veritab.studio.database import Database
from veritab.studio.figures.reading import read_figures, section_finder
from veritab.studio.figures.values import Figure
from veritab.studio.log import LogEvent, LogOperation
from veritab.studio.records import AssignmentRecord, MembershipRecord, ProjectRecord
from veritab.studio.states import MemberStage
from veritab.studio.tasks import draw_writing_tasks, next_task
from veritab.studio.vocabulary import ReportReason, TaskKind

DAY = 24 * 3600.0
NILE = Page("Nile", tuple(Sentence(n, f"The river Nile passes the town number {n} here.") for n in range(4)))


class Corpus:
    def page(self, title: str) -> Page:
        assert title == NILE.title
        return NILE


def member(session: Session, project: ProjectRecord, name: str) -> MembershipRecord:
    made = make_member(session, project, name, stage=MemberStage.APPROVED)
    made.consented_at = NOW
    session.flush()
    return made


def take(
    session: Session, project: ProjectRecord, who: MembershipRecord, kind: TaskKind, now: float
) -> AssignmentRecord:
    taken = next_task(session, project, who, now=now, kind=kind)
    assert taken is not None
    return taken


def do(
    session: Session,
    taken: AssignmentRecord,
    fields: Mapping[str, str],
    steps: Sequence[tuple[LogOperation, str]] = (),
    seconds: float = 50.0,
) -> None:
    events = [*steps, *((LogOperation.WRITE, f"{name}={text}") for name, text in fields.items())]
    now = taken.taken_at + seconds
    logged = [LogEvent(operation, value, float(n), f"key-{n}") for n, (operation, value) in enumerate(events)]
    draft = append_events(session, taken, logged, now=now)
    submit(session, taken, seen=draft.events, now=now, exists=lambda id: True)


def test_what_people_did_is_what_is_counted(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        author, first, second = (member(session, project, name) for name in ("ibis", "heron", "crane"))
        draw_writing_tasks(session, project, [NILE], count=1, now=NOW)
        written = take(session, project, author, TaskKind.FEVEROUS_CLAIMS, NOW)
        do(
            session,
            written,
            {
                "claim-1": "The Nile passes town number two.", "challenge-1": "Other",
                "claim-2": "The Nile passes a town and flows into a sea.", "challenge-2": "Other",
                "claim-3": "The Nile never passes town number two.", "challenge-3": "Other",
            },
            [(LogOperation.SEARCH, "Nile"), (LogOperation.HYPERLINK, "Egypt")],
            seconds=300.0,
        )  # fmt: skip
        later = NOW + 2 * DAY
        do(
            session,
            take(session, project, first, TaskKind.FEVEROUS_VERIFICATION, later),
            {"verdict": "SUPPORTS", "challenge": "Other"},
            [
                (LogOperation.SEARCH, "contains...town"), (LogOperation.PAGE_SEARCH, "two"),
                (LogOperation.HIGHLIGHT, "Nile_sentence_2"), (LogOperation.HIGHLIGHT, "Nile_sentence_3"),
                (LogOperation.UNDO, ""),
            ],
        )  # fmt: skip
        faulty = take(session, project, second, TaskKind.FEVEROUS_VERIFICATION, later)
        report(session, faulty, reason=ReportReason.LANGUAGE, now=later + 5)
        project_id = project.id

    with database.reading() as session:
        figures = read_figures(session, project_id, section_finder(Corpus()))
    assert figures.writing.claims == 3
    assert figures.writing.by_type.counts == {"I": 1, "II": 1, "III": 1}
    assert figures.writing.by_highlight.counts == {"sentences": 3}
    assert figures.writing.by_page_rule.n == 3
    effort = figures.writing.effort[TaskKind.FEVEROUS_CLAIMS]
    assert effort.seconds == near(300, 1)
    assert (effort.searches, effort.hyperlinks) == (Figure(1.0, 1), Figure(1.0, 1))
    effort = figures.verification.effort[TaskKind.FEVEROUS_VERIFICATION]
    assert (effort.searches, effort.full_text, effort.page_searches) == (Figure(1.0, 1),) * 3
    assert figures.verification.labels.counts == {"SUPPORTS": 1}
    assert figures.verification.sentence_positions == (1, {2: 1})
    assert figures.verification.section_positions == (1, {-1: 1})
    assert figures.verification.title_in_claim == Figure(1.0, 1)
    assert figures.handling.by_author["ibis"].reports.counts == {"language": 1}
    assert figures.handling.by_annotator["crane"].reported == Figure(1.0, 1)
