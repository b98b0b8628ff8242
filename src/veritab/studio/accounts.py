"""Accounts, signing in, tokens for programs, and invitations. Secrets are kept as digests only.

People are pseudonyms. Whoever comes by a panel's link is known by what the panel calls them and has no password;
whoever has a password signs in with it and with nothing else.
"""

from __future__ import annotations

import hmac
import re
import secrets
from functools import cache
from hashlib import sha256
from random import Random, SystemRandom
from typing import NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from veritab.errors import Conflict, InputError, NotAllowed, NotFound, short_repr
from veritab.studio.database import can_write, find_numbered
from veritab.studio.projects import add_member, change_role, leave_trail, require_administrator, require_manager
from veritab.studio.pseudonyms import check_pseudonym, draw_pseudonym
from veritab.studio.records import (
    AccountRecord,
    InvitationRecord,
    LoginRecord,
    MembershipRecord,
    ProjectRecord,
    TokenRecord,
)
from veritab.studio.throttle import throttle_of
from veritab.studio.vocabulary import Role
from veritab.text import nfc, printable, squeeze

SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1_000
IDLE_SECONDS = 12 * 3600.0
"""How long a login lasts that nobody uses."""
LOGIN_SECONDS = 7 * 24 * 3600.0
"""How long a login lasts at all."""
MOST_PLACES = 100_000
MOST_DAYS = 365
_RENEWED_AFTER = 300.0
_DAY = 24 * 3600.0
_TOKEN_BYTES = 32
_PARTICIPANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,99}")
_TRIES = 20

HASHER = PasswordHasher()
"""How passwords are hashed: argon2id with the library's own parameters."""
_ANY = SystemRandom()


class SignedIn(NamedTuple):
    """Who somebody is that asks for something."""

    account_id: int
    name: str
    is_administrator: bool
    login_id: int
    """0 where a program acts with a token."""


# -- accounts ----------------------------------------------------------------------------------------------


def create_account(
    session: Session,
    name: str,
    password: str,
    *,
    now: float,
    is_administrator: bool = False,
    by: int | None = None,
    hasher: PasswordHasher = HASHER,
) -> AccountRecord:
    """A new account with a password; an empty name is drawn. Others than invited people are made by administrators."""
    require_administrator(session, by)
    name = check_pseudonym(name) if name else propose_name(session)
    account = AccountRecord(
        name=name,
        password_digest=_hash(name, password, hasher),
        is_administrator=is_administrator,
        made_at=now,
    )
    _add(session, account)
    after = {"is_administrator": is_administrator}
    leave_trail(session, "make account", f"account {name}", after=after, by=by, project_id=None, now=now)
    return account


def find_account(session: Session, name: str) -> AccountRecord:
    """The account of a name, also where it is closed."""
    account = _account_called(session, name)
    if account is None:
        raise NotFound(f"there is no account {short_repr(name)}")
    return account


def _account_called(session: Session, name: str) -> AccountRecord | None:
    try:
        known = check_pseudonym(name)
    except InputError:
        return None
    return session.scalar(select(AccountRecord).where(AccountRecord.name == known))


def propose_name(session: Session, rng: Random = _ANY) -> str:
    """A pseudonym that nobody has yet."""
    for _ in range(_TRIES):
        name = draw_pseudonym(rng)
        if session.scalar(select(AccountRecord.id).where(AccountRecord.name == name)) is None:
            return name
    return f"{name}{rng.randrange(1_000, 10_000)}"


def set_password(
    session: Session,
    account_id: int,
    password: str,
    *,
    by: int | None,
    now: float,
    current: str = "",
    hasher: PasswordHasher = HASHER,
) -> None:
    """A new password, which ends every login: by its owner, who gives the `current` one, or by an administrator."""
    account = session.get_one(AccountRecord, account_id)
    if by == account_id:
        throttle_of(session).begin(account.name, now)
        if not _matches(account.password_digest, current, hasher):
            raise NotAllowed("the current password is another one; nothing was changed")
        throttle_of(session).forget(account.name)
    else:
        require_administrator(session, by)
    account.password_digest = _hash(account.name, password, hasher)
    _end_logins(session, account_id)
    leave_trail(session, "set password", f"account {account.name}", by=by, project_id=None, now=now)


def set_administrator(session: Session, account_id: int, is_administrator: bool, *, by: int | None, now: float) -> None:
    """Make somebody an administrator, or no longer; one always stays."""
    require_administrator(session, by)
    account = session.get_one(AccountRecord, account_id)
    if is_administrator and not account.password_digest:
        raise Conflict(f"{account.name} has no password, and administrators need one; set it first")
    if account.is_administrator and not is_administrator:
        _refuse_last_administrator(session, account)
    before, account.is_administrator = account.is_administrator, is_administrator
    leave_trail(
        session,
        "change administrator",
        f"account {account.name}",
        before={"is_administrator": before},
        after={"is_administrator": is_administrator},
        by=by,
        project_id=None,
        now=now,
    )


def close_account(session: Session, account_id: int, *, by: int | None, now: float) -> None:
    """Let somebody in no longer; what they did stays. They may do it themselves, others must be administrators."""
    if by != account_id:
        require_administrator(session, by)
    account = session.get_one(AccountRecord, account_id)
    if account.closed_at is not None:
        raise Conflict(f"the account {account.name} is closed already")
    if account.is_administrator:
        _refuse_last_administrator(session, account)
    account.closed_at = now
    _end_logins(session, account_id)
    session.execute(
        update(TokenRecord)
        .where(TokenRecord.account_id == account_id, TokenRecord.revoked_at.is_(None))
        .values(revoked_at=now)
    )
    leave_trail(session, "close account", f"account {account.name}", by=by, project_id=None, now=now)


def _add(session: Session, account: AccountRecord) -> None:
    try:
        with session.begin_nested():
            session.add(account)
    except IntegrityError:
        raise Conflict(f"the name {account.name!r} is taken; choose another") from None


def _refuse_last_administrator(session: Session, account: AccountRecord) -> None:
    # Two who take it from each other at once must not both find the other one.
    there = select(AccountRecord.id).where(AccountRecord.is_administrator, AccountRecord.closed_at.is_(None))
    administrators = session.scalars(there.order_by(AccountRecord.id).with_for_update()).all()
    if not set(administrators) - {account.id}:
        raise Conflict(f"{account.name} is the last administrator; make another one first")


# -- passwords ---------------------------------------------------------------------------------------------


def _hash(name: str, password: str, hasher: PasswordHasher) -> str:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise InputError(
            f"the password has {len(password):,} characters; expected {SHORTEST_PASSWORD} to {LONGEST_PASSWORD:,}, "
            "e.g. four words that have nothing to do with each other"
        )
    if password.strip().lower() == name:
        raise InputError("the password is the name itself; choose another one")
    return hasher.hash(_bytes_of(password))


def _bytes_of(password: str) -> bytes:
    """A password as it is hashed: in one Unicode form, since keyboards differ in theirs."""
    return nfc(password).encode("utf-8", "surrogatepass")


@cache
def _digest_of_nobody(hasher: PasswordHasher) -> str:
    return hasher.hash(secrets.token_urlsafe(_TOKEN_BYTES))


def _matches(digest: str, password: str, hasher: PasswordHasher) -> bool:
    """Whether a password is right, in the same time where there is none to compare with."""
    nobody = _digest_of_nobody(hasher)
    try:
        hasher.verify(digest or nobody, _bytes_of(password[:LONGEST_PASSWORD]))
    except (VerificationError, InvalidHashError):
        return False
    return bool(digest) and len(password) <= LONGEST_PASSWORD


# -- signing in --------------------------------------------------------------------------------------------


def sign_in(session: Session, name: str, password: str, *, now: float, hasher: PasswordHasher = HASHER) -> str:
    """The token of a new login; the cookie of a browser holds it, and the studio only its digest."""
    account = check_password(session, name, password, now=now, hasher=hasher)
    return begin_login(session, account.id, now=now)


def check_password(
    session: Session, name: str, password: str, *, now: float, hasher: PasswordHasher = HASHER
) -> AccountRecord:
    """The account that a name and a password open. It takes long on purpose and changes nothing: a look is enough."""
    known = name.strip().lower()[:100]
    throttle_of(session).begin(known, now)
    account = _account_called(session, name)
    is_open = account is not None and account.closed_at is None
    if not _matches(account.password_digest if account and is_open else "", password, hasher) or account is None:
        raise NotAllowed("that name and that password do not belong together")
    throttle_of(session).forget(known)
    return account


def begin_login(session: Session, account_id: int, *, now: float) -> str:
    """A new login of somebody who has shown who they are; never one that was there before."""
    session.execute(delete(LoginRecord).where(LoginRecord.account_id == account_id, LoginRecord.expires_at <= now))
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    session.add(
        LoginRecord(
            digest=_digest(token),
            account_id=account_id,
            made_at=now,
            used_at=now,
            expires_at=now + min(IDLE_SECONDS, LOGIN_SECONDS),
        )
    )
    session.flush()
    return token


def who(session: Session, token: str, *, now: float) -> SignedIn | None:
    """Who a login belongs to, and None where it has ended; every use in a session that writes makes it last longer."""
    joined = select(LoginRecord, AccountRecord).join(AccountRecord, AccountRecord.id == LoginRecord.account_id)
    row = session.execute(joined.where(LoginRecord.digest == _digest(token))).one_or_none()
    if row is None:
        return None
    login, account = row
    if login.expires_at <= now or account.closed_at is not None:
        return None
    found = SignedIn(account.id, account.name, account.is_administrator, login.id)
    if can_write(session) and is_due(session, found, now=now):
        login.used_at = now
        login.expires_at = min(now + IDLE_SECONDS, login.made_at + LOGIN_SECONDS)
    return found


def is_due(session: Session, found: SignedIn, *, now: float) -> bool:
    """Whether it is time to note that a login is used, which is not written at every step."""
    login = session.get(LoginRecord, found.login_id)
    return login is not None and now - login.used_at > _RENEWED_AFTER


def sign_out(session: Session, token: str, *, now: float) -> None:
    """End a login."""
    session.execute(delete(LoginRecord).where(LoginRecord.digest == _digest(token)))


def form_token(token: str) -> str:
    """What forms carry to show that they come from our own pages: other sites cannot read it, nor work it out."""
    return hmac.new(token.encode(), b"form", sha256).hexdigest()


def _end_logins(session: Session, account_id: int) -> None:
    session.execute(delete(LoginRecord).where(LoginRecord.account_id == account_id))


def _digest(token: str) -> str:
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


# -- tokens for programs -----------------------------------------------------------------------------------


def create_api_token(
    session: Session, account_id: int, name: str, *, now: float, days: float | None = None, by: int | None = None
) -> str:
    """A token with which a program acts for somebody; it is told once."""
    account = session.get_one(AccountRecord, account_id)
    if by is not None and by != account_id:
        raise NotAllowed("a token is made by whoever it acts for")
    if account.closed_at is not None:
        raise Conflict(f"the account {account.name} is closed")
    name = squeeze(name)
    if not name or len(name) > 100:
        raise InputError(
            "a token needs a name of at most 100 characters that says what it is for, e.g. 'nightly-export'"
        )
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    session.add(
        TokenRecord(
            digest=_digest(token),
            account_id=account_id,
            name=name,
            made_at=now,
            expires_at=None if days is None else now + _check_days(days) * _DAY,
        )
    )
    after = {"name": name, "days": days}
    leave_trail(session, "make token", f"account {account.name}", after=after, by=by, project_id=None, now=now)
    return token


def who_by_api_token(session: Session, token: str, *, now: float) -> SignedIn | None:
    """Who a program acts for, and None where its token is unknown, has expired or was revoked."""
    joined = select(TokenRecord, AccountRecord).join(AccountRecord, AccountRecord.id == TokenRecord.account_id)
    row = session.execute(joined.where(TokenRecord.digest == _digest(token))).one_or_none()
    if row is None:
        return None
    record, account = row
    is_over = record.expires_at is not None and record.expires_at <= now
    if is_over or record.revoked_at is not None or account.closed_at is not None:
        return None
    if now - (record.used_at or 0.0) > _RENEWED_AFTER and can_write(session):
        record.used_at = now
    return SignedIn(account.id, account.name, account.is_administrator, 0)


def api_tokens_of(session: Session, account_id: int) -> list[TokenRecord]:
    """The tokens of somebody that were not revoked, the newest first."""
    theirs = select(TokenRecord).where(TokenRecord.account_id == account_id, TokenRecord.revoked_at.is_(None))
    return list(session.scalars(theirs.order_by(TokenRecord.id.desc())))


def revoke_api_token(session: Session, account_id: int, token_id: int, *, now: float, by: int | None = None) -> None:
    """End a token of somebody."""
    if by != account_id:
        require_administrator(session, by)
    record = find_numbered(session, TokenRecord, token_id)
    if record is None or record.account_id != account_id or record.revoked_at is not None:
        raise NotFound("there is no such token, or it was revoked already")
    record.revoked_at = now
    name = session.get_one(AccountRecord, account_id).name
    before = {"name": record.name}
    leave_trail(session, "revoke token", f"account {name}", before=before, by=by, project_id=None, now=now)


# -- invitations -------------------------------------------------------------------------------------------


def invite(
    session: Session,
    project_id: int,
    role: Role,
    *,
    by: int | None,
    now: float,
    days: float = 14,
    places: int = 1,
    panel_code: str = "",
) -> str:
    """The token of a link that makes whoever opens it a member; with a `panel_code`, of a panel's link."""
    project = find_numbered(session, ProjectRecord, project_id)
    if project is None:
        raise NotFound("there is no such project")
    require_manager(session, project, by)
    if role is Role.ADMINISTRATOR:
        raise NotAllowed("nobody becomes an administrator by a link; make one with: veritab studio account add")
    if panel_code and role is not Role.ANNOTATOR:
        raise InputError("people of a panel come as annotators; a manager is invited by a link of their own")
    if not 1 <= places <= MOST_PLACES:
        raise InputError(f"a link has 1 to {MOST_PLACES:,} places, not {places}")
    if len(panel_code) > 100 or printable(panel_code) != panel_code:
        raise InputError(f"the completion code is {short_repr(panel_code)}; expected at most 100 visible characters")
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    invitation = InvitationRecord(
        digest=_digest(token),
        project_id=project_id,
        role=role.value,
        made_by=by,
        made_at=now,
        expires_at=now + _check_days(days) * _DAY,
        places=places,
        is_panel=bool(panel_code),
        completion_code=panel_code,
    )
    session.add(invitation)
    session.flush()
    after = {"role": role.value, "places": places, "days": days, "is_panel": invitation.is_panel}
    leave_trail(session, "invite", f"invitation {invitation.id}", after=after, by=by, project_id=project_id, now=now)
    return token


def invitations_of(session: Session, project: ProjectRecord) -> list[InvitationRecord]:
    """The invitations of a project, the newest first."""
    theirs = select(InvitationRecord).where(InvitationRecord.project_id == project.id)
    return list(session.scalars(theirs.order_by(InvitationRecord.id.desc())))


def revoke_invitation(
    session: Session, project: ProjectRecord, invitation_id: int, *, by: int | None, now: float
) -> None:
    """Let nobody in by a link any more."""
    require_manager(session, project, by)
    invitation = find_numbered(session, InvitationRecord, invitation_id)
    if invitation is None or invitation.project_id != project.id:
        raise NotFound(f"project {project.name!r} has no invitation {invitation_id}")
    if invitation.revoked_at is not None:
        raise Conflict("the invitation was revoked already")
    invitation.revoked_at = now
    leave_trail(session, "revoke invitation", f"invitation {invitation_id}", by=by, project_id=project.id, now=now)


def find_invitation(session: Session, token: str, *, now: float, participant: str = "") -> InvitationRecord:
    """The invitation of a link that is still good; one that has no places left is good for those who have one."""
    # Whoever comes at the same moment waits here, so that no place is given twice.
    wanted = select(InvitationRecord).where(InvitationRecord.digest == _digest(token))
    invitation = session.scalar(wanted.with_for_update() if can_write(session) else wanted)
    if invitation is None:
        raise NotFound("there is no such invitation; is the link complete?")
    if invitation.revoked_at is not None:
        raise Conflict("this invitation was taken back; ask whoever sent it for another one")
    if invitation.expires_at <= now:
        raise Conflict("this invitation has expired; ask whoever sent it for another one")
    project = session.get_one(ProjectRecord, invitation.project_id)
    if project.closed_at is not None:
        raise Conflict("the project of this invitation is closed; nobody can join it any more")
    try:
        require_manager(session, project, invitation.made_by)
    except (NotAllowed, NotFound):
        # Or else a manager who must go could come back by a link made before.
        raise Conflict("whoever sent this invitation no longer manages the project; ask for another one") from None
    if invitation.used >= invitation.places and not _has_place(session, invitation, participant):
        used = "all places of this link are taken" if invitation.places > 1 else "this invitation was used already"
        raise Conflict(f"{used}; sign in if it was you, or ask for another one")
    return invitation


def accept_invitation(
    session: Session,
    token: str,
    *,
    now: float,
    name: str = "",
    password: str = "",
    participant: str = "",
    account_id: int | None = None,
    hasher: PasswordHasher = HASHER,
) -> tuple[str, MembershipRecord]:
    """A new login and the membership that a link gives: to an account, a panel's participant, or a new account."""
    invitation = find_invitation(session, token, now=now, participant=participant)
    project = session.get_one(ProjectRecord, invitation.project_id)
    if account_id is not None:
        account = session.get_one(AccountRecord, account_id)
    elif invitation.is_panel:
        account = _account_of_participant(session, project.id, participant, now=now)
    else:
        account = create_account(session, name, password, now=now, hasher=hasher)
    member = session.scalar(
        select(MembershipRecord).where(
            MembershipRecord.project_id == project.id, MembershipRecord.account_id == account.id
        )
    )
    if member is None:
        member = add_member(session, project, account.id, Role(invitation.role), now=now, by=invitation.made_by)
        member.completion_code = invitation.completion_code
        invitation.used += 1
    elif member.role == Role.ANNOTATOR.value and invitation.role == Role.MANAGER.value:
        change_role(session, project, member, Role.MANAGER, by=invitation.made_by, now=now)
        invitation.used += 1
    elif not invitation.is_panel:
        raise Conflict(f"{account.name} is a member of this project already; the invitation was not used")
    return begin_login(session, account.id, now=now), member


def _account_of_participant(session: Session, project_id: int, participant: str, *, now: float) -> AccountRecord:
    """The account of somebody whom a panel sends, made when they come for the first time.

    It is of one project alone: another project's manager, who could make up the same id, does not get in with it.
    """
    participant = _scoped(project_id, _check_participant(participant))
    account = session.scalar(select(AccountRecord).where(AccountRecord.participant == participant))
    if account is None:
        account = AccountRecord(name=propose_name(session), participant=participant, made_at=now)
        _add(session, account)
        leave_trail(session, "make account", f"account {account.name}", by=None, project_id=None, now=now)
    if account.closed_at is not None:
        raise Conflict("your account was closed; ask whoever runs the project")
    if account.password_digest:
        raise NotAllowed("you have a password; sign in with your name and your password")
    return account


def _scoped(project_id: int, participant: str) -> str:
    return f"{project_id}:{participant}"


def _check_participant(participant: str) -> str:
    if "@" in participant:
        raise InputError(
            f"{short_repr(participant)} looks like an e-mail address; the panel must send a number or code of its own"
        )
    if not _PARTICIPANT.fullmatch(participant):
        raise InputError(
            f"{short_repr(participant)} is no participant; the panel's link must end e.g. with ?participant=5f3a9c"
        )
    return participant


def _has_place(session: Session, invitation: InvitationRecord, participant: str) -> bool:
    if not invitation.is_panel or not _PARTICIPANT.fullmatch(participant):
        return False
    joined = select(MembershipRecord.id).join(AccountRecord, AccountRecord.id == MembershipRecord.account_id)
    theirs = joined.where(
        MembershipRecord.project_id == invitation.project_id,
        AccountRecord.participant == _scoped(invitation.project_id, participant),
    )
    return session.scalar(theirs) is not None


def _check_days(days: float) -> float:
    if not 0 < days <= MOST_DAYS:
        raise InputError(f"{days:g} days cannot be; expected more than 0 and at most {MOST_DAYS}")
    return days
