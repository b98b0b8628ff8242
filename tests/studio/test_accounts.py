"""Accounts, signing in, tokens and invitations: who gets in, and who does not."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Literal

import pytest
from argon2 import PasswordHasher
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from tests.studio.people import FAST, NOW, PASSWORD, make_account, make_member, make_project
from veritab.errors import Conflict, InputError, NotAllowed, NotFound, VeritabError
from veritab.studio.accounts import (
    IDLE_SECONDS,
    LOGIN_SECONDS,
    accept_invitation,
    api_tokens_of,
    close_account,
    create_account,
    create_api_token,
    find_account,
    find_invitation,
    form_token,
    invitations_of,
    invite,
    propose_name,
    revoke_api_token,
    revoke_invitation,
    set_administrator,
    set_password,
    sign_in,
    sign_out,
    who,
    who_by_api_token,
)
from veritab.studio.database import Database
from veritab.studio.projects import (
    change_role,
    close_project,
    completion_code_of,
    find_project,
    give_consent,
    member_of,
    trail_of,
)
from veritab.studio.pseudonyms import check_pseudonym, draw_pseudonym
from veritab.studio.records import (
    AccountRecord,
    AssignmentRecord,
    InvitationRecord,
    LoginRecord,
    StudioTable,
    TaskRecord,
)
from veritab.studio.throttle import FREE_TRIES, LONGEST_WAIT, MemoryThrottle
from veritab.studio.vocabulary import Role

DAY = 24 * 3600.0


def everything_in(database: Database) -> str:
    """All that a database holds, as text."""
    with database.reading() as session:
        rows = [session.execute(table.select()).all() for table in StudioTable.metadata.sorted_tables]
    return repr(rows)


def refusal(database: Database, act: Callable[[Session], object]) -> VeritabError:
    """How something is refused; a transaction of its own is taken back."""
    with pytest.raises(VeritabError) as raised, database.writing() as session:
        act(session)
    return raised.value


# -- names and passwords -----------------------------------------------------------------------------------


def test_a_password_is_kept_as_an_argon2_digest_only(database: Database) -> None:
    with database.writing() as session:
        account = create_account(session, "quiet-heron", PASSWORD, now=NOW, hasher=FAST)
        assert account.password_digest.startswith("$argon2id$")
    assert PASSWORD not in everything_in(database)


def test_the_parameters_of_passwords_are_those_of_the_library(database: Database) -> None:
    with database.writing() as session:
        account = create_account(session, "quiet-heron", PASSWORD, now=NOW)
    assert not PasswordHasher().check_needs_rehash(account.password_digest)


def test_an_email_address_is_refused_with_the_reason(database: Database) -> None:
    refused = refusal(database, lambda session: make_account(session, "jo@example.org"))
    assert isinstance(refused, InputError)
    assert "e-mail" in str(refused)
    assert "pseudonyms" in str(refused)


@pytest.mark.parametrize("name", ["ab", "a" * 41, "two words", "-heron", "heron-", "a--b", "zoë", "x/../y", "<b>x</b>"])
def test_other_names_than_letters_digits_and_dashes_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="cannot be a name"):
        check_pseudonym(name)


def test_a_name_is_taken_whatever_its_letters_case(database: Database) -> None:
    with database.writing() as session:
        assert make_account(session, "Quiet-Heron").name == "quiet-heron"
    assert "taken" in str(refusal(database, lambda session: make_account(session, "QUIET-HERON")))


def test_a_taken_name_leaves_the_transaction_usable(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
        with pytest.raises(Conflict):
            make_account(session, "heron")
        make_account(session, "stork")
    with database.reading() as session:
        assert {find_account(session, name).name for name in ("heron", "stork")} == {"heron", "stork"}


def test_names_are_drawn_where_none_is_chosen(database: Database) -> None:
    with database.writing() as session:
        name = make_account(session, "").name
    assert check_pseudonym(name) == name
    assert len(name.split("-")) == 3


def test_every_drawn_name_may_be_somebodys_and_the_same_seed_draws_the_same() -> None:
    rng = Random(7)
    names = [draw_pseudonym(rng) for _ in range(2_000)]
    assert all(check_pseudonym(name) == name for name in names)
    assert len(set(names)) > 1_900
    assert names[0] == draw_pseudonym(Random(7))


def test_a_drawn_name_is_not_one_that_somebody_has(database: Database) -> None:
    with database.writing() as session:
        taken = make_account(session, draw_pseudonym(Random(3))).name
        assert propose_name(session, Random(3)) != taken


@pytest.mark.parametrize(
    ("password", "said"), [("short", "5 characters"), ("x" * 1001, "1,001"), ("quiet-heron", "name")]
)
def test_a_bad_password_is_refused_with_the_reason(database: Database, password: str, said: str) -> None:
    refused = refusal(database, lambda session: create_account(session, "quiet-heron", password, now=NOW, hasher=FAST))
    assert isinstance(refused, InputError)
    assert said in str(refused)


# -- signing in --------------------------------------------------------------------------------------------


def test_every_sign_in_gives_a_new_token_of_which_only_the_digest_is_kept(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
        tokens = [sign_in(session, "Heron ", PASSWORD, now=NOW, hasher=FAST) for _ in range(3)]
    assert len(set(tokens)) == 3
    held = everything_in(database)
    for token in tokens:
        assert len(token) >= 43
        assert token not in held
        with database.reading() as session:
            found = who(session, token, now=NOW)
        assert found is not None
        assert found.name == "heron"


def test_a_token_that_somebody_brings_along_never_becomes_a_login(database: Database) -> None:
    brought = "x" * 43
    with database.writing() as session:
        make_account(session, "heron")
        assert sign_in(session, "heron", PASSWORD, now=NOW, hasher=FAST) != brought
        assert who(session, brought, now=NOW) is None


class SpyingHasher(PasswordHasher):
    """Counts how often a password is compared."""

    compared = 0

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        self.compared += 1
        return super().verify(hash, password)


def test_nothing_tells_which_names_there_are(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
        gone = make_account(session, "stork")
        close_account(session, gone.id, by=None, now=NOW)
        session.add(AccountRecord(name="panelist", participant="p-1", made_at=NOW))
    hasher = SpyingHasher(time_cost=1, memory_cost=8, parallelism=1)
    tries = [
        ("heron", "a wrong password"),
        ("nobody", PASSWORD),
        ("stork", PASSWORD),
        ("panelist", ""),
        ("@", PASSWORD),
    ]
    said = set()
    for number, (name, password) in enumerate(tries, 1):
        refused = refusal(database, lambda session, n=name, p=password: sign_in(session, n, p, now=NOW, hasher=hasher))  # type: ignore[misc]
        assert hasher.compared == number
        said.add((type(refused), str(refused)))
    assert said == {(NotAllowed, "that name and that password do not belong together")}


@pytest.mark.parametrize("name", ["heron", "nobody-at-all"])
def test_after_five_wrong_passwords_a_name_has_to_wait(database: Database, name: str) -> None:
    with database.writing() as session:
        make_account(session, "heron")

    def try_it(at: float, password: str = "a wrong password") -> str:
        return str(refusal(database, lambda session: sign_in(session, name, password, now=at, hasher=FAST)))

    for number in range(5):
        assert "belong together" in try_it(NOW + number)
    assert "30 seconds" in try_it(NOW + 4)
    assert "try again in 10 seconds" in try_it(NOW + 24, PASSWORD)
    assert "belong together" in try_it(NOW + 40)
    assert "try again in 60 seconds" in try_it(NOW + 40)


def test_the_right_password_after_the_wait_begins_anew(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
    for _ in range(5):
        refusal(database, lambda session: sign_in(session, "heron", "a wrong password", now=NOW, hasher=FAST))
    with database.writing() as session:
        sign_in(session, "heron", PASSWORD, now=NOW + 31, hasher=FAST)
    assert "belong together" in str(
        refusal(database, lambda session: sign_in(session, "heron", "wrong again, sir", now=NOW + 32, hasher=FAST))
    )


def test_tries_at_the_same_moment_are_all_counted() -> None:
    throttle = MemoryThrottle()

    def begin(_: int) -> bool:
        try:
            throttle.begin("heron", NOW)
        except NotAllowed:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(begin, range(100))) == FREE_TRIES


def test_a_throttle_remembers_a_bounded_number_of_names() -> None:
    throttle = MemoryThrottle()
    for number in range(MemoryThrottle.MOST_NAMES + 50):
        throttle.begin(f"name-{number}", NOW)
    assert len(throttle._tries) == MemoryThrottle.MOST_NAMES


def test_a_wait_ends_at_a_quarter_of_an_hour_and_is_forgotten_after_it() -> None:
    throttle = MemoryThrottle()
    at = NOW
    for _ in range(60):
        throttle.begin("heron", at)
        at += LONGEST_WAIT
    with pytest.raises(NotAllowed, match="15 minutes"):
        throttle.begin("heron", at - LONGEST_WAIT)
    for _ in range(FREE_TRIES):
        throttle.begin("heron", at + 1)


def test_a_login_that_nobody_uses_ends(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
        token = sign_in(session, "heron", PASSWORD, now=NOW, hasher=FAST)
    with database.reading() as session:
        assert who(session, token, now=NOW + IDLE_SECONDS - 1) is not None
        assert who(session, token, now=NOW + IDLE_SECONDS) is None


def test_a_login_that_is_used_lasts_longer_but_not_for_ever(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
        token = sign_in(session, "heron", PASSWORD, now=NOW, hasher=FAST)
    at, step = NOW, IDLE_SECONDS / 2
    while at + step < NOW + LOGIN_SECONDS:
        at += step
        with database.writing() as session:
            assert who(session, token, now=at) is not None
    with database.reading() as session:
        assert who(session, token, now=NOW + LOGIN_SECONDS - 1) is not None
        assert who(session, token, now=NOW + LOGIN_SECONDS) is None


def test_a_look_at_who_somebody_is_writes_nothing(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
        token = sign_in(session, "heron", PASSWORD, now=NOW, hasher=FAST)
    with database.reading() as session:
        who(session, token, now=NOW + 3600)
        assert not session.dirty
        assert session.scalar(select(LoginRecord.used_at)) == NOW


def test_signing_out_ends_one_login(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
        one, other = (sign_in(session, "heron", PASSWORD, now=NOW, hasher=FAST) for _ in range(2))
        sign_out(session, one, now=NOW)
        assert who(session, one, now=NOW) is None
        assert who(session, other, now=NOW) is not None


def test_ended_logins_are_cleared_away(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
        sign_in(session, "heron", PASSWORD, now=NOW, hasher=FAST)
        sign_in(session, "heron", PASSWORD, now=NOW + DAY, hasher=FAST)
        assert session.scalar(select(func.count()).select_from(LoginRecord)) == 1


def test_the_token_of_forms_follows_from_the_login_and_does_not_tell_it() -> None:
    assert form_token("one") == form_token("one") != form_token("other")
    assert "one" not in form_token("one")


def test_a_closed_account_is_out_at_once_everywhere(database: Database) -> None:
    with database.writing() as session:
        account = make_account(session, "heron")
        login = sign_in(session, "heron", PASSWORD, now=NOW, hasher=FAST)
        program = create_api_token(session, account.id, "nightly", now=NOW)
        close_account(session, account.id, by=account.id, now=NOW)
        assert who(session, login, now=NOW) is None
        assert who_by_api_token(session, program, now=NOW) is None
    assert "closed already" in str(
        refusal(database, lambda session: close_account(session, account.id, by=None, now=NOW))
    )


# -- changing accounts -------------------------------------------------------------------------------------


def test_a_new_password_ends_every_login_and_replaces_the_old_one(database: Database) -> None:
    with database.writing() as session:
        account = make_account(session, "heron")
        login = sign_in(session, "heron", PASSWORD, now=NOW, hasher=FAST)
        set_password(
            session, account.id, "another long password", by=account.id, current=PASSWORD, now=NOW, hasher=FAST
        )
        assert who(session, login, now=NOW) is None
        sign_in(session, "heron", "another long password", now=NOW, hasher=FAST)
    assert isinstance(
        refusal(database, lambda session: sign_in(session, "heron", PASSWORD, now=NOW, hasher=FAST)), NotAllowed
    )


def test_somebody_changes_the_own_password_with_the_current_one_only(database: Database) -> None:
    with database.writing() as session:
        own = make_account(session, "heron", is_administrator=True)
    for current in ("", "a wrong password"):
        refused = refusal(
            database,
            lambda session, c=current: set_password(  # type: ignore[misc]
                session, own.id, "another long password", by=own.id, current=c, now=NOW, hasher=FAST
            ),
        )
        assert "nothing was changed" in str(refused)


def test_only_administrators_change_others_accounts(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        manager = make_member(session, project, "stork", Role.MANAGER)
        other, boss = make_account(session, "heron"), make_account(session, "eagle", is_administrator=True)
    acts: list[Callable[[Session, int], object]] = [
        lambda session, by: set_password(session, other.id, "long enough words", by=by, now=NOW, hasher=FAST),
        lambda session, by: set_administrator(session, other.id, True, by=by, now=NOW),
        lambda session, by: create_account(session, "wren", PASSWORD, now=NOW, by=by, hasher=FAST),
        lambda session, by: close_account(session, other.id, by=by, now=NOW),
    ]
    for act in acts:
        assert isinstance(refusal(database, lambda session, a=act: a(session, manager.account_id)), NotAllowed)  # type: ignore[misc]
        with database.writing() as session:
            act(session, boss.id)


def test_the_last_administrator_stays(database: Database) -> None:
    with database.writing() as session:
        boss = make_account(session, "eagle", is_administrator=True)
    assert "last administrator" in str(
        refusal(database, lambda session: close_account(session, boss.id, by=boss.id, now=NOW))
    )
    assert "last administrator" in str(
        refusal(database, lambda session: set_administrator(session, boss.id, False, by=None, now=NOW))
    )


@pytest.mark.parametrize("typed", ["nul\x00nul\x00nul", "half \ud800 of a character"])
def test_what_a_database_cannot_hold_is_refused_or_unknown_everywhere(database: Database, typed: str) -> None:
    with database.writing() as session:
        heron = make_account(session, "heron")
        project = make_project(session)
        panel = invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW, panel_code="C0FFEE")
        accept_invitation(session, panel, now=NOW, participant="5f3a9c")
        assert who(session, typed, now=NOW) is None
        assert who_by_api_token(session, typed, now=NOW) is None
        create_api_token(session, heron.id, typed, now=NOW)
    acts: list[tuple[type[VeritabError], Callable[[Session], object]]] = [
        (InputError, lambda session: make_account(session, typed)),
        (NotFound, lambda session: find_account(session, typed)),
        (NotFound, lambda session: find_project(session, typed)),
        (NotAllowed, lambda session: sign_in(session, typed, typed, now=NOW, hasher=FAST)),
        (NotAllowed, lambda session: sign_in(session, "heron", typed, now=NOW, hasher=FAST)),
        (Conflict, lambda session: accept_invitation(session, panel, now=NOW, participant=typed)),
        (NotFound, lambda session: find_invitation(session, typed, now=NOW)),
        (InputError, lambda session: invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW, panel_code=typed)),
    ]
    assert [type(refusal(database, act)) for _, act in acts] == [expected for expected, _ in acts]


def test_a_password_is_the_same_in_every_unicode_form(database: Database) -> None:
    with database.writing() as session:
        create_account(session, "heron", "f\u00fcnf gr\u00fcne Lampen", now=NOW, hasher=FAST)
        sign_in(session, "heron", "fu\u0308nf gru\u0308ne Lampen", now=NOW, hasher=FAST)


@pytest.mark.parametrize("number", [0, -1, 2**63, 10**30])
def test_a_number_beyond_all_counting_is_of_nothing(database: Database, number: int) -> None:
    with database.writing() as session:
        account, project = make_account(session, "heron"), make_project(session)
    acts: list[Callable[[Session], object]] = [
        lambda session: revoke_api_token(session, account.id, number, now=NOW),
        lambda session: revoke_invitation(session, project, number, by=None, now=NOW),
        lambda session: invite(session, number, Role.ANNOTATOR, by=None, now=NOW),
    ]
    assert {type(refusal(database, act)) for act in acts} == {NotFound}


# -- tokens for programs -----------------------------------------------------------------------------------


def test_a_token_for_programs_acts_for_its_owner_until_it_ends(database: Database) -> None:
    with database.writing() as session:
        account = make_account(session, "heron")
        token = create_api_token(session, account.id, "nightly", now=NOW, days=1)
        found = who_by_api_token(session, token, now=NOW + DAY - 1)
        assert found is not None
        assert (found.name, found.login_id) == ("heron", 0)
        assert who_by_api_token(session, token, now=NOW + DAY) is None
        assert who(session, token, now=NOW) is None  # it is no login
    assert token not in everything_in(database)


def test_a_revoked_token_ends_and_nobody_else_may_revoke_it(database: Database) -> None:
    with database.writing() as session:
        account, other = make_account(session, "heron"), make_account(session, "stork")
        token = create_api_token(session, account.id, "nightly", now=NOW)
        record = api_tokens_of(session, account.id)[0]
    by_other: list[Callable[[Session], object]] = [
        lambda session: revoke_api_token(session, account.id, record.id, now=NOW, by=other.id),
        lambda session: revoke_api_token(session, other.id, record.id, now=NOW, by=other.id),
        lambda session: create_api_token(session, account.id, "mine", now=NOW, by=other.id),
    ]
    assert [type(refusal(database, act)) for act in by_other] == [NotAllowed, NotFound, NotAllowed]
    with database.writing() as session:
        revoke_api_token(session, account.id, record.id, now=NOW, by=account.id)
        assert who_by_api_token(session, token, now=NOW) is None
        assert api_tokens_of(session, account.id) == []


def test_a_token_needs_a_name_and_days_that_can_be(database: Database) -> None:
    with database.writing() as session:
        account = make_account(session, "heron")
    for name, days in ((" ", None), ("x" * 101, None), ("nightly", 0), ("nightly", 366)):
        refused = refusal(
            database,
            lambda session, n=name, d=days: create_api_token(session, account.id, n, now=NOW, days=d),  # type: ignore[misc]
        )
        assert isinstance(refused, InputError)


# -- invitations -------------------------------------------------------------------------------------------


def test_an_invitation_makes_an_account_a_member_and_signs_it_in(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        token = invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW)
    with database.writing() as session:
        login, member = accept_invitation(session, token, now=NOW, name="heron", password=PASSWORD, hasher=FAST)
        found = who(session, login, now=NOW)
        assert found is not None
        assert (found.name, found.account_id) == ("heron", member.account_id)
        assert (member.role, member.stage, member.consented_at) == ("annotator", "invited", None)
    assert token not in everything_in(database)


def test_a_used_an_expired_and_a_revoked_invitation_are_refused_with_the_reason(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        used, expired, revoked = (invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW) for _ in range(3))
        accept_invitation(session, used, now=NOW, name="heron", password=PASSWORD, hasher=FAST)
        revoke_invitation(session, project, invitations_of(session, project)[0].id, by=None, now=NOW)

    def told(token: str, at: float) -> VeritabError:
        return refusal(
            database,
            lambda session: accept_invitation(session, token, now=at, name="stork", password=PASSWORD, hasher=FAST),
        )

    assert [type(told(token, NOW)) for token in (used, revoked)] == [Conflict, Conflict]
    assert "used already" in str(told(used, NOW))
    assert "taken back" in str(told(revoked, NOW))
    assert "expired" in str(told(expired, NOW + 14 * DAY))
    assert isinstance(told("never made", NOW), NotFound)


def test_an_invitation_to_a_closed_project_is_refused(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        token = invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW)
        close_project(session, project, by=None, now=NOW)
    assert "closed" in str(refusal(database, lambda session: find_invitation(session, token, now=NOW)))


def test_a_failed_acceptance_does_not_use_the_invitation_up(database: Database) -> None:
    with database.writing() as session:
        make_account(session, "heron")
        token = invite(session, make_project(session).id, Role.ANNOTATOR, by=None, now=NOW)
    refusal(
        database,
        lambda session: accept_invitation(session, token, now=NOW, name="heron", password=PASSWORD, hasher=FAST),
    )
    with database.writing() as session:
        assert find_invitation(session, token, now=NOW).used == 0


def test_somebody_with_an_account_joins_another_project_with_it(database: Database) -> None:
    with database.writing() as session:
        account = make_account(session, "heron")
        project = make_project(session)
        token = invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW, places=2)
        _, member = accept_invitation(session, token, now=NOW, account_id=account.id)
        assert member.account_id == account.id
    again = refusal(database, lambda session: accept_invitation(session, token, now=NOW, account_id=account.id))
    assert "already" in str(again)


def test_an_annotator_who_is_invited_as_a_manager_becomes_one(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        member = make_member(session, project, "heron")
        token = invite(session, project.id, Role.MANAGER, by=None, now=NOW)
        accept_invitation(session, token, now=NOW, account_id=member.account_id)
        assert member_of(session, project, member.account_id).role == "manager"


def test_roles_cannot_be_climbed_by_invitations(database: Database) -> None:
    with database.writing() as session:
        project, other = make_project(session), make_project(session, "lakes")
        annotator = make_member(session, project, "heron").account_id
        manager = make_member(session, project, "stork", Role.MANAGER).account_id

    def told(project_id: int, role: Role, by: int) -> type[VeritabError]:
        return type(refusal(database, lambda session: invite(session, project_id, role, by=by, now=NOW)))

    assert told(project.id, Role.ANNOTATOR, annotator) is NotAllowed
    assert told(project.id, Role.ADMINISTRATOR, manager) is NotAllowed
    assert told(other.id, Role.ANNOTATOR, manager) is NotFound  # it might as well not be there
    assert told(10**6, Role.ANNOTATOR, manager) is NotFound
    with database.writing() as session:
        invite(session, project.id, Role.MANAGER, by=manager, now=NOW)


def test_a_manager_who_must_go_does_not_come_back_by_an_own_link(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        manager = make_member(session, project, "stork", Role.MANAGER)
        token = invite(session, project.id, Role.MANAGER, by=manager.account_id, now=NOW)
        change_role(session, project, manager, Role.ANNOTATOR, by=None, now=NOW)
    refused = refusal(
        database, lambda session: accept_invitation(session, token, now=NOW, account_id=manager.account_id)
    )
    assert isinstance(refused, Conflict)
    assert "no longer manages" in str(refused)


def test_only_its_project_can_revoke_an_invitation(database: Database) -> None:
    with database.writing() as session:
        project, other = make_project(session), make_project(session, "lakes")
        invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW)
        number = invitations_of(session, project)[0].id
    refused = refusal(database, lambda session: revoke_invitation(session, other, number, by=None, now=NOW))
    assert isinstance(refused, NotFound)


@pytest.mark.parametrize(
    "wrong", [{"places": 0}, {"places": 10**6}, {"days": 0}, {"days": 400}, {"panel_code": "c" * 101}]
)
def test_numbers_of_an_invitation_that_cannot_be_are_refused(database: Database, wrong: dict[str, object]) -> None:
    with database.writing() as session:
        project = make_project(session)
    refused = refusal(
        database,
        lambda session: invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW, **wrong),  # type: ignore[arg-type]
    )
    assert isinstance(refused, InputError)


def test_the_last_place_is_given_once_to_many_who_come_at_once(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        token = invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW, places=2)

    def come(number: int) -> bool:
        try:
            with database.writing() as session:
                accept_invitation(session, token, now=NOW, name=f"heron-{number}", password=PASSWORD, hasher=FAST)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(come, range(8))) == 2
    with database.reading() as session:
        assert session.scalar(select(InvitationRecord.used)) == 2
        assert session.scalar(select(func.count()).select_from(AccountRecord)) == 2


# -- panels ------------------------------------------------------------------------------------------------


def panel_link(database: Database, places: int = 2, panel_answers: int = 1) -> str:
    with database.writing() as session:
        project = make_project(session, panel_answers=panel_answers, calibration_size=0)
        return invite(session, project.id, Role.ANNOTATOR, by=None, now=NOW, places=places, panel_code="C0FFEE")


def test_the_same_participant_coming_twice_is_the_same_account(database: Database) -> None:
    token = panel_link(database)
    members = []
    for _ in range(2):
        with database.writing() as session:
            login, member = accept_invitation(session, token, now=NOW, participant="5f3a9c")
            assert who(session, login, now=NOW) is not None
            members.append((member.id, member.account_id))
    assert members[0] == members[1]
    with database.reading() as session:
        assert find_invitation(session, token, now=NOW).used == 1
        account = session.get_one(AccountRecord, members[0][1])
    assert (account.participant or "").endswith(":5f3a9c")
    assert "5f3a9c" not in account.name


def test_a_participant_is_nobody_in_another_project(database: Database) -> None:
    token = panel_link(database)
    with database.writing() as session:
        other = make_project(session, "lakes", calibration_size=0)
        theirs = invite(session, other.id, Role.ANNOTATOR, by=None, now=NOW, places=2, panel_code="TEA")
    with database.writing() as session:
        _, here = accept_invitation(session, token, now=NOW, participant="5f3a9c")
        _, there = accept_invitation(session, theirs, now=NOW, participant="5f3a9c")
    assert here.account_id != there.account_id


def test_a_full_link_still_lets_those_in_who_have_a_place(database: Database) -> None:
    token = panel_link(database, places=1)
    with database.writing() as session:
        accept_invitation(session, token, now=NOW, participant="5f3a9c")
    with database.writing() as session:
        accept_invitation(session, token, now=NOW, participant="5f3a9c")
    refused = refusal(database, lambda session: accept_invitation(session, token, now=NOW, participant="another"))
    assert isinstance(refused, Conflict)
    with database.reading() as session:
        find_invitation(session, token, now=NOW, participant="5f3a9c")


@pytest.mark.parametrize("participant", ["", "jo@example.org", "two words", "x" * 101, "<script>"])
def test_a_participant_is_a_code_of_the_panel(database: Database, participant: str) -> None:
    token = panel_link(database)
    refused = refusal(database, lambda session: accept_invitation(session, token, now=NOW, participant=participant))
    assert isinstance(refused, InputError)


def test_a_participant_who_has_a_password_now_must_use_it(database: Database) -> None:
    token = panel_link(database)
    with database.writing() as session:
        _, member = accept_invitation(session, token, now=NOW, participant="5f3a9c")
        set_password(session, member.account_id, PASSWORD, by=None, now=NOW, hasher=FAST)
    refused = refusal(database, lambda session: accept_invitation(session, token, now=NOW, participant="5f3a9c"))
    assert isinstance(refused, NotAllowed)


def test_nobody_without_a_password_becomes_manager_or_administrator(database: Database) -> None:
    token = panel_link(database)
    with database.writing() as session:
        _, member = accept_invitation(session, token, now=NOW, participant="5f3a9c")
        project = find_project(session, "rivers")
    for act in (
        lambda session: change_role(session, project, member, Role.MANAGER, by=None, now=NOW),
        lambda session: set_administrator(session, member.account_id, True, by=None, now=NOW),
    ):
        assert "no password" in str(refusal(database, act))


def test_people_of_a_panel_are_annotators(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
    refused = refusal(
        database, lambda session: invite(session, project.id, Role.MANAGER, by=None, now=NOW, panel_code="C0FFEE")
    )
    assert isinstance(refused, InputError)


def test_the_completion_code_is_shown_when_enough_is_done(database: Database) -> None:
    token = panel_link(database)
    with database.writing() as session:
        _, member = accept_invitation(session, token, now=NOW, participant="5f3a9c")
        give_consent(session, member, now=NOW)
        project = find_project(session, "rivers")
        assert completion_code_of(session, project, member) == ""
        assert completion_code_of(session, project, member, nothing_left=True) == "C0FFEE"
        for number, (pool, state) in enumerate([("practice", "submitted"), ("work", "skipped"), ("work", "submitted")]):
            task = TaskRecord(
                project_id=project.id,
                kind="feverous-verification",
                pool=pool,
                drawn={},
                gold={},
                state="open",
                made_at=NOW,
            )
            session.add(task)
            session.flush()
            session.add(
                AssignmentRecord(
                    task_id=task.id, account_id=member.account_id, state=state, taken_at=NOW, lease_until=NOW
                )
            )
            session.flush()
            assert completion_code_of(session, project, member) == ("C0FFEE" if number == 2 else "")


# -- the trail ---------------------------------------------------------------------------------------------


def test_the_trail_tells_every_change_and_no_secret(database: Database) -> None:
    with database.writing() as session:
        boss = make_account(session, "eagle", is_administrator=True)
        project = make_project(session)
        token = invite(session, project.id, Role.ANNOTATOR, by=boss.id, now=NOW, places=2, panel_code="C0FFEE")
        accept_invitation(session, token, now=NOW, participant="5f3a9c")
        program = create_api_token(session, boss.id, "nightly", now=NOW, by=boss.id)
        revoke_api_token(session, boss.id, api_tokens_of(session, boss.id)[0].id, now=NOW, by=boss.id)
        revoke_invitation(session, project, invitations_of(session, project)[0].id, by=boss.id, now=NOW)
        set_password(session, boss.id, "quite another one", by=None, now=NOW, hasher=FAST)
    with database.reading() as session:
        of_project = [(record.what, name) for record, name in trail_of(session, project.id)]
        of_studio = {record.what for record, _ in trail_of(session, None)}
        held = repr(session.execute(text("SELECT what, subject, before, after FROM trail")).all())
    assert of_project[:3] == [("revoke invitation", "eagle"), ("add member", "eagle"), ("invite", "eagle")]
    assert of_studio == {"make account", "make token", "revoke token", "set password"}
    for secret in (token, program, PASSWORD, "quite another one", "C0FFEE", "5f3a9c", "$argon2"):
        assert secret not in held
