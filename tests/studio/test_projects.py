"""Projects: their settings, their members, consent, guidelines, and the trail of changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.orm import Session

from tests.studio.people import NOW, make_account, make_member, make_project
from veritab.errors import Conflict, InputError, NotAllowed, NotFound
from veritab.studio.accounts import close_account
from veritab.studio.database import Database
from veritab.studio.guidelines import default_guideline
from veritab.studio.projects import (
    LONGEST_GUIDELINE,
    ProjectSettings,
    Workflow,
    add_member,
    all_projects,
    change_consent,
    change_role,
    change_settings,
    close_project,
    create_project,
    current_guideline,
    find_project,
    give_consent,
    guideline_versions,
    has_read,
    leave_trail,
    mark_read,
    mark_super,
    member_of,
    members_of,
    projects_of,
    publish_guideline,
    reopen_project,
    require_role,
    settings_of,
    trail_of,
    workflow_of,
)
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Role, SuggestionTime, TaskKind

KIND = TaskKind.FEVEROUS_VERIFICATION


# -- settings ----------------------------------------------------------------------------------------------


def test_settings_begin_with_the_published_numbers() -> None:
    fever, feverous, plain, game = map(ProjectSettings.of, Workflow)
    assert (fever.overlap, fever.super_share) == ({5: 0.04}, 0.01)
    assert fever.advised_seconds == {"fever-claims": 120, "fever-mutations": 360, "fever-labelling": 180}
    assert sum(feverous.overlap.values()) == pytest.approx(0.1)
    assert feverous.overlap[2] == pytest.approx(2 * feverous.overlap[3])
    assert (feverous.super_share, feverous.calibration_size) == (0.0, 10)
    assert feverous.advised_seconds == {"feverous-verification": 600}
    assert (plain.overlap, plain.calibration_size, plain.suggestion) == ({}, 0, SuggestionTime.HIDDEN)
    assert game.suggestion is SuggestionTime.AFTER  # its players are told what the checker would have said
    for each in (fever, feverous, plain):
        assert (each.hours_after_writing, each.warn_after, each.pause_after, each.most_sets) == (24, 2, 5, 3)


@pytest.mark.parametrize("workflow", Workflow)
def test_settings_are_the_same_after_a_way_through_json(workflow: Workflow) -> None:
    settings = ProjectSettings.of(workflow).changed({"suggestion": "after", "gold_share": 1})
    assert ProjectSettings.parse(json.loads(json.dumps(settings.as_dict()))) == settings


def test_an_unknown_setting_is_told_with_the_nearest() -> None:
    with pytest.raises(InputError, match="no setting 'lease_minute'; did you mean 'lease_minutes'"):
        ProjectSettings.parse({"lease_minute": 5})


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("lease_minutes", 0, "1 or more"),
        ("lease_minutes", "long", "a whole number"),
        ("lease_minutes", True, "a whole number"),
        ("hours_after_writing", -1, "0 or more"),
        ("hours_after_writing", float("nan"), "0 or more"),
        ("hours_after_writing", float("inf"), "up to"),
        ("gold_share", 1.5, "between 0 and 1"),
        ("overlap", {"2": 1.5}, "between 0 and 1"),
        ("overlap", {"1": 0.5}, "two or more"),
        ("overlap", {"two": 0.5}, "expected e.g."),
        ("overlap", {"2": "half"}, "expected e.g."),
        ("overlap", [2], "expected e.g."),
        ("suggestion", "sometimes", "'hidden', 'after', 'first'"),
        ("suggestion", None, "'hidden', 'after', 'first'"),
        ("advised_seconds", {"fever-claim": 5}, "did you mean 'fever-claims'"),
        ("advised_seconds", {"fever-claims": 0}, "1 or more"),
        ("advised_seconds", {"fever-claims": 1.5}, "expected e.g."),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_what_is_expected(name: str, value: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ProjectSettings().changed({name: value})


def test_changed_settings_are_kept_and_leave_a_trail_of_what_changed(database: Database) -> None:
    with database.writing() as session:
        change_settings(session, make_project(session), {"gold_share": 0.2, "lease_minutes": 60}, by=None, now=NOW)
    with database.reading() as session:
        project = find_project(session, "rivers")
        assert settings_of(project).gold_share == 0.2
        assert settings_of(project).overlap == ProjectSettings.of(Workflow.FEVEROUS).overlap
        record, _ = trail_of(session, project.id)[0]
        assert (record.before, record.after) == ({"gold_share": 0.05}, {"gold_share": 0.2})


# -- projects ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workflow", Workflow)
def test_a_project_begins_with_the_guidelines_of_all_its_tasks(database: Database, workflow: Workflow) -> None:
    with database.writing() as session:
        make_project(session, workflow=workflow)
    with database.reading() as session:
        project = find_project(session, "rivers")
        assert workflow_of(project) is workflow
        for kind in workflow.kinds:
            found = current_guideline(session, project, kind)
            assert found is not None
            assert (found.version, found.text) == (1, default_guideline(kind).strip())
        assert "pseudonym" in project.consent


def test_a_taken_name_and_one_that_cannot_stand_in_an_address_are_refused(database: Database) -> None:
    with database.writing() as session:
        make_project(session)
        with pytest.raises(Conflict, match="already"):
            make_project(session)
        for name in ("Rivers", "a", "two words", "a/b", "-a", "x" * 61):
            with pytest.raises(InputError, match="cannot name a project"):
                make_project(session, name)
        assert [project.name for project in all_projects(session)] == ["rivers"]


def test_a_project_that_is_not_there_is_told(database: Database) -> None:
    with database.reading() as session, pytest.raises(NotFound, match="'lakes'"):
        find_project(session, "lakes")


def test_only_administrators_make_projects_and_manage_those_they_made(database: Database) -> None:
    def make(session: Session, by: int) -> object:
        return create_project(
            session,
            "lakes",
            title="",
            corpus="",
            corpus_digest="",
            workflow=Workflow.PLAIN,
            settings=ProjectSettings(),
            consent="",
            seed=1,
            now=NOW,
            by=by,
        )

    with database.writing() as session:
        boss = make_account(session, "eagle", is_administrator=True)
        manager = make_member(session, make_project(session), "stork", Role.MANAGER)
        with pytest.raises(NotAllowed, match="administrator"):
            make(session, manager.account_id)
        make(session, boss.id)
        assert [(project.name, member.role) for project, member in projects_of(session, boss.id)] == [
            ("lakes", "manager")
        ]


def test_a_closed_project_takes_nobody_in_until_it_is_open_again(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        account = make_account(session, "heron")
        close_project(session, project, by=None, now=NOW)
        with pytest.raises(Conflict, match="closed"):
            add_member(session, project, account.id, Role.ANNOTATOR, now=NOW)
        with pytest.raises(Conflict, match="closed"):
            close_project(session, project, by=None, now=NOW)
        reopen_project(session, project, by=None, now=NOW)
        add_member(session, project, account.id, Role.ANNOTATOR, now=NOW)
        with pytest.raises(Conflict, match="open already"):
            reopen_project(session, project, by=None, now=NOW)


# -- members and roles -------------------------------------------------------------------------------------


def test_whoever_is_no_member_hears_the_same_as_of_no_project(database: Database) -> None:
    with database.writing() as session:
        project, stranger = make_project(session), make_account(session, "heron")
        with pytest.raises(NotFound) as of_stranger:
            member_of(session, project, stranger.id)
        with pytest.raises(NotFound) as of_nothing:
            find_project(session, "lakes")
    assert str(of_stranger.value).replace("rivers", "") == str(of_nothing.value).replace("lakes", "")


def test_somebody_is_a_member_once(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        member = make_member(session, project, "heron")
        with pytest.raises(Conflict, match="heron is a member"):
            add_member(session, project, member.account_id, Role.MANAGER, now=NOW)
        assert [(member.role, account.name) for member, account in members_of(session, project)] == [
            ("annotator", "heron")
        ]


def test_managers_may_do_what_annotators_may_and_not_the_other_way_round(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        annotator = make_member(session, project, "heron")
        manager = make_member(session, project, "stork", Role.MANAGER)
    require_role(annotator, Role.ANNOTATOR)
    require_role(manager, Role.ANNOTATOR)
    require_role(manager, Role.MANAGER)
    with pytest.raises(NotAllowed, match="takes a manager; you are an annotator"):
        require_role(annotator, Role.MANAGER)
    with pytest.raises(NotAllowed, match="an administrator"):
        require_role(manager, Role.ADMINISTRATOR)


def test_nobody_becomes_an_administrator_by_a_project(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        account = make_account(session, "heron")
        with pytest.raises(InputError, match="whole studio"):
            add_member(session, project, account.id, Role.ADMINISTRATOR, now=NOW)
        member = add_member(session, project, account.id, Role.MANAGER, now=NOW)
        with pytest.raises(InputError, match="whole studio"):
            change_role(session, project, member, Role.ADMINISTRATOR, by=account.id, now=NOW)


def test_every_change_takes_a_manager_of_this_project_or_an_administrator(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        target = make_member(session, project, "target")
        fresh = iter([make_account(session, f"fresh-{number}").id for number in range(8)])
        annotator = make_member(session, project, "heron").account_id
        elsewhere = make_member(session, make_project(session, "lakes"), "stork", Role.MANAGER).account_id
        manager = make_member(session, project, "crane", Role.MANAGER).account_id
        closed = make_member(session, project, "swan", Role.MANAGER).account_id
        close_account(session, closed, by=None, now=NOW)
        boss = make_account(session, "eagle", is_administrator=True).id
        changes: list[Callable[[int], object]] = [
            lambda by: publish_guideline(session, project, KIND, f"Read this, says {by}.", by=by, now=NOW),
            lambda by: change_settings(session, project, {"gold_share": 0.5}, by=by, now=NOW),
            lambda by: change_consent(session, project, f"Agree with {by}.", by=by, now=NOW),
            lambda by: add_member(session, project, next(fresh), Role.ANNOTATOR, now=NOW, by=by),
            lambda by: mark_super(session, project, target, True, by=by, now=NOW),
            lambda by: change_role(
                session, project, target, Role.MANAGER if by == manager else Role.ANNOTATOR, by=by, now=NOW
            ),
            lambda by: (close_project if by == manager else reopen_project)(session, project, by=by, now=NOW),
        ]
        for change in changes:
            for by, refused in ((annotator, NotAllowed), (elsewhere, NotFound), (closed, NotAllowed)):
                with pytest.raises(refused):
                    change(by)
            change(manager)
            change(boss)


def test_a_member_of_another_project_is_not_changed_from_here(database: Database) -> None:
    with database.writing() as session:
        project, other = make_project(session), make_project(session, "lakes")
        manager = make_member(session, project, "stork", Role.MANAGER).account_id
        theirs = make_member(session, other, "heron")
        with pytest.raises(NotFound):
            change_role(session, project, theirs, Role.MANAGER, by=manager, now=NOW)
        with pytest.raises(NotFound):
            mark_super(session, project, theirs, True, by=manager, now=NOW)


def test_a_role_that_somebody_has_already_is_told(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        with pytest.raises(Conflict, match="heron is an annotator already"):
            change_role(session, project, make_member(session, project, "heron"), Role.ANNOTATOR, by=None, now=NOW)


# -- consent -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("calibration_size", "role", "stage"),
    [
        (10, Role.ANNOTATOR, MemberStage.PHASE_ONE),
        (0, Role.ANNOTATOR, MemberStage.APPROVED),
        (10, Role.MANAGER, MemberStage.APPROVED),
    ],
)
def test_consent_lets_people_begin(database: Database, calibration_size: int, role: Role, stage: MemberStage) -> None:
    with database.writing() as session:
        member = make_member(session, make_project(session, calibration_size=calibration_size), "heron", role)
        assert member.stage == MemberStage.INVITED
        give_consent(session, member, now=NOW + 1)
        assert (MemberStage(member.stage), member.consented_at) == (stage, NOW + 1)
        give_consent(session, member, now=NOW + 2)
        assert member.consented_at == NOW + 1


def test_another_text_is_agreed_to_anew_and_takes_nobody_back(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        member = make_member(session, project, "heron", stage=MemberStage.PHASE_TWO)
        give_consent(session, member, now=NOW)
        change_consent(session, project, "We keep the time, too.", by=None, now=NOW)
        assert not member.consented_at
        give_consent(session, member, now=NOW + 1)
        change_consent(session, project, " We keep the time, too.\n", by=None, now=NOW)
        assert (MemberStage(member.stage), member.consented_at) == (MemberStage.PHASE_TWO, NOW + 1)


# -- guidelines --------------------------------------------------------------------------------------------


def test_a_new_version_has_to_be_read_again(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        account = make_account(session, "heron").id
        first = current_guideline(session, project, KIND)
        assert first is not None
        assert not has_read(session, first, account)
        mark_read(session, first, account, now=NOW)
        mark_read(session, first, account, now=NOW + 1)
        assert has_read(session, first, account)
        second = publish_guideline(session, project, KIND, "Look twice.", by=None, now=NOW)
        assert second.version == 2
        assert current_guideline(session, project, KIND) is second
        assert not has_read(session, second, account)
        assert [each.version for each in guideline_versions(session, project, KIND)] == [2, 1]


def test_the_same_text_is_no_new_version(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        again = publish_guideline(session, project, KIND, f"\n{default_guideline(KIND)}", by=None, now=NOW)
        assert again.version == 1


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (KIND, " \n", "without words"),
        (KIND, "x" * (LONGEST_GUIDELINE + 1), "at most 100,000"),
        (TaskKind.FEVER_CLAIMS, "Write.", "no tasks 'fever-claims'"),
    ],
)
def test_guidelines_that_cannot_be_published_are_refused(
    database: Database, kind: TaskKind, text: str, said: str
) -> None:
    with database.writing() as session, pytest.raises(InputError, match=said):
        publish_guideline(session, make_project(session), kind, text, by=None, now=NOW)


def test_scripts_in_guidelines_are_kept_as_text_and_what_cannot_be_shown_is_dropped(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        found = publish_guideline(
            session, project, KIND, "<script>alert(1)</script>\x00\n\nRead\u200b.", by=None, now=NOW
        )
        change_consent(session, project, "Agree\x00.", by=None, now=NOW)
    assert found.text == "<script>alert(1)</script>\n\nRead."
    assert project.consent == "Agree."


def test_versions_published_at_once_are_numbered_one_after_the_other(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)

    def publish(number: int) -> None:
        with database.writing() as session:
            publish_guideline(session, project, KIND, f"Text {number}.", by=None, now=NOW)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(publish, range(6)))
    with database.reading() as session:
        assert [each.version for each in guideline_versions(session, project, KIND)] == [7, 6, 5, 4, 3, 2, 1]


# -- the trail ---------------------------------------------------------------------------------------------


def test_the_trail_of_a_project_is_its_own_and_names_who(database: Database) -> None:
    with database.writing() as session:
        project, other = make_project(session), make_project(session, "lakes")
        account = make_account(session, "heron").id
        leave_trail(
            session, "approve", "account ibis", after={"stage": "approved"}, by=account, project_id=project.id, now=NOW
        )
        leave_trail(session, "close", "account ibis", by=None, project_id=other.id, now=NOW)
        record, name = trail_of(session, project.id, most=1)[0]
        assert (name, record.what, record.subject, record.before, record.after) == (
            "heron",
            "approve",
            "account ibis",
            {},
            {"stage": "approved"},
        )
        assert "close" not in {record.what for record, _ in trail_of(session, project.id)}
