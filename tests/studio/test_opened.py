"""A studio that is open: corpora are opened once, and one that changed is used only when somebody accepts it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import select

from tests.studio.people import FAST, NOW, PASSWORD, make_account, make_member, make_project
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import Store
from veritab.errors import Conflict, NotAllowed
from veritab.retrieve.index import build_index
from veritab.settings import NONE
from veritab.studio.accounts import IDLE_SECONDS
from veritab.studio.database import initialize, open_studio
from veritab.studio.opened import Studio, accept_corpus
from veritab.studio.projects import trail_of
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
from veritab.studio.vocabulary import Role

AABERG = (
    "# Aaberg\n\nAaberg is a mountain. It was first climbed in 1901.\n\n| Year | Height |\n|---|---|\n| 1900 | 1200 |\n"
)
BOBERG = "# Boberg\n\nBoberg is a mountain. Its summit is 2400 m high.\n"


class Mountains(NamedTuple):
    """A studio with one project over a corpus of two pages."""

    studio: Studio
    project: ProjectRecord
    documents: Path
    corpus: Path


def read_in(documents: Path, corpus: Path) -> None:
    with Store.create(corpus) as store:
        list(Ingest(store, [documents], workers=1))
        list(build_index(store))


@pytest.fixture
def mountains(tmp_path: Path) -> Iterator[Mountains]:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "aaberg.md").write_text(AABERG)
    (documents / "boberg.md").write_text(BOBERG)
    read_in(documents, tmp_path / "corpus")
    initialize(tmp_path / "studio")
    with Studio(open_studio(tmp_path / "studio"), tmp_path / "studio", hasher=FAST) as studio:
        with studio.database.writing() as session:
            project = make_project(session)
            project.corpus = str(tmp_path / "corpus")
            project.corpus_digest = studio.digest_of(project.corpus)
        yield Mountains(studio, project, documents, tmp_path / "corpus")


def test_a_corpus_is_opened_once_and_without_models_where_suggestions_are_hidden(mountains: Mountains) -> None:
    checker = mountains.studio.checker(mountains.project)
    assert mountains.studio.checker(mountains.project) is checker
    assert checker.settings.verify.model == NONE
    assert {match.element.id.page for match in checker.search("summit")} == {"Boberg"}


def test_a_corpus_that_is_gone_is_told_by_the_name_of_its_project(mountains: Mountains) -> None:
    mountains.project.corpus = str(mountains.corpus / "gone")
    with pytest.raises(Conflict, match="the corpus of project 'rivers' cannot be opened: no corpus in"):
        mountains.studio.checker(mountains.project)


def test_a_changed_corpus_is_refused_until_it_is_accepted(mountains: Mountains) -> None:
    studio, project = mountains.studio, mountains.project
    studio.checker(project)
    (mountains.documents / "ceberg.md").write_text("# Ceberg\n\nCeberg is a mountain.\n")
    read_in(mountains.documents, mountains.corpus)
    with pytest.raises(Conflict, match=r"has changed.*veritab studio project accept-corpus rivers"):
        studio.checker(project)
    with studio.database.writing() as session:
        held = session.merge(project)
        assert accept_corpus(session, held, studio.open_corpus(held), by=None, now=NOW)
        assert not accept_corpus(session, held, studio.open_corpus(held), by=None, now=NOW)
        record, _ = trail_of(session, held.id)[0]
        assert record.what == "accept corpus"
        assert record.before != record.after
    assert "Ceberg" in [match.element.id.page for match in studio.checker(held).search("ceberg")]


@pytest.mark.parametrize("use", ["highlight", "table", "evidence", "gold", "decision", "draft"])
def test_a_corpus_without_what_people_chose_is_not_accepted(mountains: Mountains, use: str) -> None:
    studio, project = mountains.studio, mountains.project
    gone = {"table": "Aaberg_table_0", "gold": "Aaberg_cell_0_1_1"}.get(use, "Aaberg_sentence_1")
    with studio.database.writing() as session:
        account = make_account(session, "heron")
        gold = {"label": "SUPPORTS", "evidence": [["Boberg_sentence_0"], [gone]]} if use == "gold" else {}
        task = TaskRecord(project_id=project.id, kind="x", pool="work", drawn={}, gold=gold, state="open", made_at=NOW)
        session.add(task)
        session.flush()
        if use in ("highlight", "table"):
            session.add(HighlightRecord(project_id=project.id, page="Aaberg", kind="x", elements={"ids": [gone]}))
        elif use == "decision":
            session.add(
                DecisionRecord(
                    task_id=task.id, by_id=account.id, label="x", evidence={"sets": [[gone]]}, reason="", made_at=NOW
                )
            )
        elif use in ("evidence", "draft"):
            state = "active" if use == "draft" else "submitted"
            taken = AssignmentRecord(
                task_id=task.id, account_id=account.id, state=state, taken_at=NOW, lease_until=NOW, events=1
            )
            session.add(taken)
            session.flush()
            session.add(
                EventRecord(
                    assignment_id=taken.id, sequence=1, at=NOW, seconds=1, operation="Highlighting", value=gone, key="1"
                )
            )
            if use == "evidence":
                answer = AnnotationRecord(
                    assignment_id=taken.id,
                    task_id=task.id,
                    account_id=account.id,
                    revision=1,
                    fields={},
                    events=1,
                    seconds=1,
                    suggestion={},
                    submitted_at=NOW,
                )
                session.add(answer)
                session.flush()
                session.add(EvidenceRecord(annotation_id=answer.id, set_number=1, position=1, element=gone))
    (mountains.documents / "aaberg.md").write_text("# Aaberg\n\nAaberg is a mountain.\n")
    read_in(mountains.documents, mountains.corpus)
    with studio.database.writing() as session:
        held = session.merge(project)
        with pytest.raises(Conflict, match=f"does not have '{gone}'"):
            accept_corpus(session, held, studio.open_corpus(held), by=None, now=NOW)
    (mountains.documents / "aaberg.md").write_text(AABERG + "\nIt is cold.\n")
    read_in(mountains.documents, mountains.corpus)
    with studio.database.writing() as session:
        held = session.merge(project)
        assert accept_corpus(session, held, studio.open_corpus(held), by=None, now=NOW)


def test_a_manager_may_go_on_without_what_is_gone_and_the_trail_says_so(mountains: Mountains) -> None:
    studio, project = mountains.studio, mountains.project
    (mountains.documents / "boberg.md").unlink()
    read_in(mountains.documents, mountains.corpus)
    with studio.database.writing() as session:
        held = session.merge(project)
        ids = {"ids": ["Boberg_sentence_0", "Boberg_sentence_1"]}
        session.add(HighlightRecord(project_id=held.id, page="Boberg", kind="x", elements=ids))
        session.flush()
        assert accept_corpus(session, held, studio.open_corpus(held), by=None, now=NOW, anyway=True)
        assert trail_of(session, held.id)[0][0].after["missing"] == 2


def test_tasks_are_drawn_some_at_a_time_and_each_page_once(
    mountains: Mountains, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veritab.studio.opened._PAGES_AT_ONCE", 3)
    monkeypatch.setattr("veritab.studio.opened._TASKS_AT_ONCE", 1)
    words = "has a summit, two slopes, some snow and a lake"
    for number in range(10):
        name = f"Berg {chr(ord('A') + number)}"
        (mountains.documents / f"{number}.md").write_text(
            f"# {name}\n\n" + "\n".join(f"{name} {words} in the year {1900 + n}." for n in range(5))
        )
    read_in(mountains.documents, mountains.corpus)
    studio, project = mountains.studio, mountains.project
    with studio.database.writing() as session:
        project = session.merge(project)
        accept_corpus(session, project, studio.open_corpus(project), by=None, now=NOW)
        annotator = make_member(session, project, "heron").account_id
    with pytest.raises(NotAllowed):
        studio.draw_tasks(project, 1, now=NOW, by=annotator)
    assert studio.draw_tasks(project, 4, now=NOW, by=None) == 4
    assert studio.draw_tasks(project, 100, now=NOW, by=None) == 6
    assert studio.draw_tasks(project, 1, now=NOW, by=None) == 0
    with studio.database.reading() as session:
        pages = session.scalars(select(HighlightRecord.page)).all()
        drawn = sum(record.after["tasks"] for record, _ in trail_of(session, project.id) if record.what == "draw tasks")
    assert len(set(pages)) == len(pages) == drawn == 10


def test_only_managers_accept_a_changed_corpus(mountains: Mountains) -> None:
    studio = mountains.studio
    with studio.database.writing() as session:
        held = session.merge(mountains.project)
        annotator = make_member(session, held, "heron").account_id
        manager = make_member(session, held, "stork", Role.MANAGER).account_id
        with pytest.raises(NotAllowed):
            accept_corpus(session, held, studio.open_corpus(held), by=annotator, now=NOW)
        accept_corpus(session, held, studio.open_corpus(held), by=manager, now=NOW)


def test_signing_in_and_asking_who_it_is_take_short_transactions(mountains: Mountains) -> None:
    studio = mountains.studio
    with studio.database.writing() as session:
        make_account(session, "heron")
    token = studio.sign_in("heron", PASSWORD, now=NOW)
    with pytest.raises(NotAllowed):
        studio.sign_in("heron", "a wrong password", now=NOW)
    for at in (NOW, NOW + IDLE_SECONDS / 2, NOW + IDLE_SECONDS * 1.4):  # each use makes it last longer
        found = studio.who(token, now=at)
        assert found is not None
        assert found.name == "heron"
    assert studio.who(token, now=NOW + IDLE_SECONDS * 3) is None
    assert studio.who("another", now=NOW) is None
