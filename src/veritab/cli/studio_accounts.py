"""`veritab studio account`: who may come in, and as what."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from veritab.cli.commands import Group
from veritab.cli.output import Json, talk
from veritab.cli.studio_place import GROUP, Place, ProjectName, day_of, opened_studio, print_listed, tell
from veritab.errors import InputError
from veritab.studio.vocabulary import Role

DEFAULT_STUDIO_PORT = 8322

group = typer.Typer(name="account", cls=Group, help="Make accounts, invite people, and make tokens.", **GROUP)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The pseudonym of the account.", show_default=False)]
FromStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from stdin, one line, instead of asking for it.")
]


@group.command()
def add(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="A pseudonym, e.g. quiet-heron-17.", show_default="drawn")
    ] = "",
    administrator: Annotated[
        bool, typer.Option("--administrator", help="Who makes projects and accounts, and manages all projects.")
    ] = False,
    password_stdin: FromStdin = False,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Make an account; the first of a studio should be an administrator's. Others may come by invitation."""
    with opened_studio(studio) as opened:
        from veritab.studio.accounts import create_account
        from veritab.studio.pseudonyms import check_pseudonym

        if name:
            check_pseudonym(name)  # before anybody thinks of a password
        password = _read_password(password_stdin)
        with opened.database.writing() as session:
            account = create_account(session, name, password, now=time.time(), is_administrator=administrator)
    tell(as_json, account.name, name=account.name, is_administrator=account.is_administrator)


@group.command("list")
def list_accounts(studio: Place = None, as_json: Json = False) -> None:
    """List the accounts: who is an administrator, who is out, and who is in which project."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from sqlalchemy import select

        from veritab.studio.projects import projects_of
        from veritab.studio.records import AccountRecord

        found = [
            {
                "name": account.name,
                "is_administrator": account.is_administrator,
                "is_closed": account.closed_at is not None,
                "comes_by_panel": account.participant is not None,
                "projects": {project.name: member.role for project, member in projects_of(session, account.id)},
            }
            for account in session.scalars(select(AccountRecord).order_by(AccountRecord.name))
        ]
    print_listed(as_json, found, ("name", "", "projects"), _account_row)


def _account_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    said = {"closed": row["is_closed"], "administrator": row["is_administrator"], "panel": row["comes_by_panel"]}
    projects = ", ".join(f"{name} ({role})" for name, role in row["projects"].items())
    return row["name"], ", ".join(word for word, holds in said.items() if holds), projects


@group.command()
def password(name: Name, password_stdin: FromStdin = False, studio: Place = None, as_json: Json = False) -> None:
    """Set the password of an account; whoever is signed in with it is signed out."""
    with opened_studio(studio) as opened:
        from veritab.studio.accounts import find_account, set_password

        with opened.database.reading() as session:
            account = find_account(session, name)
        new = _read_password(password_stdin)
        with opened.database.writing() as session:
            set_password(session, account.id, new, by=None, now=time.time())
    tell(as_json, f"{account.name} has a new password", name=account.name)


@group.command()
def administrator(
    name: Name,
    remove: Annotated[bool, typer.Option("--remove", help="Make somebody an administrator no longer.")] = False,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Make somebody an administrator, or no longer; one always stays."""
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.accounts import find_account, set_administrator

        account = find_account(session, name)
        set_administrator(session, account.id, not remove, by=None, now=time.time())
    said = f"{account.name} is {'no longer an administrator' if remove else 'an administrator'}"
    tell(as_json, said, name=account.name, is_administrator=not remove)


@group.command()
def close(name: Name, studio: Place = None, as_json: Json = False) -> None:
    """Let somebody in no longer; what they did stays."""
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.accounts import close_account, find_account

        account = find_account(session, name)
        close_account(session, account.id, by=None, now=time.time())
    tell(as_json, f"the account {account.name} is closed", name=account.name, is_closed=True)


# -- tokens ------------------------------------------------------------------------------------------------


@group.command()
def token(
    name: Name,
    purpose: Annotated[
        str, typer.Option("--for", metavar="TEXT", help="What it is for, e.g. nightly-export.", show_default=False)
    ],
    days: Annotated[
        float | None, typer.Option("--days", help="How long it lasts.", show_default="until it is revoked")
    ] = None,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Make a token with which a program acts for somebody; it is printed once and not kept."""
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.accounts import api_tokens_of, create_api_token, find_account

        account = find_account(session, name)
        made = create_api_token(session, account.id, purpose, now=time.time(), days=days)
        number = api_tokens_of(session, account.id)[0].id
    tell(as_json, made, token=made, id=number, name=account.name, days=days)


@group.command()
def tokens(name: Name, studio: Place = None, as_json: Json = False) -> None:
    """List the tokens of somebody, without the tokens themselves."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from veritab.studio.accounts import api_tokens_of, find_account

        found = [
            {"id": each.id, "for": each.name, "expires_at": each.expires_at, "used_at": each.used_at}
            for each in api_tokens_of(session, find_account(session, name).id)
        ]
    print_listed(
        as_json,
        found,
        ("id", "for", "ends", "used"),
        lambda each: (str(each["id"]), each["for"], day_of(each["expires_at"]), day_of(each["used_at"])),
    )


@group.command("revoke-token")
def revoke_token(
    name: Name,
    number: Annotated[int, typer.Argument(metavar="ID", help="The id of the token.", show_default=False)],
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """End a token."""
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.accounts import find_account, revoke_api_token

        revoke_api_token(session, find_account(session, name).id, number, now=time.time())
    tell(as_json, f"token {number} is revoked", id=number, is_revoked=True)


# -- invitations -------------------------------------------------------------------------------------------


@group.command()
def invite(
    project: ProjectName,
    role: Annotated[
        str, typer.Option("--role", metavar="annotator|manager", help="What whoever accepts becomes.")
    ] = Role.ANNOTATOR.value,
    days: Annotated[float, typer.Option("--days", help="How long the link is good.")] = 14,
    places: Annotated[int, typer.Option("--places", help="How many people may accept it.")] = 1,
    panel: Annotated[
        str,
        typer.Option(
            "--panel",
            metavar="CODE",
            help="Make a link for a panel: its participants come without a password, each with the panel's id in the "
            "address, and see this completion code when they are done.",
            show_default=False,
        ),
    ] = "",
    address: Annotated[
        str, typer.Option("--address", metavar="URL", help="How people reach the studio in a browser.")
    ] = f"http://127.0.0.1:{DEFAULT_STUDIO_PORT}",
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Make a link that lets people into a project, and print it once: whoever has it may accept it."""
    chosen = parse_role(role)
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.accounts import invitations_of
        from veritab.studio.accounts import invite as make_invitation
        from veritab.studio.projects import find_project

        found = find_project(session, project)
        made = make_invitation(
            session, found.id, chosen, by=None, now=time.time(), days=days, places=places, panel_code=panel
        )
        number = invitations_of(session, found)[0].id
    link = f"{address.rstrip('/')}/join/{made}" + ("?participant=" if panel else "")
    tell(as_json, link, link=link, id=number, project=project, role=chosen.value, places=places)
    if panel and not as_json:
        talk.print("the panel puts each participant's id at the end of the link", markup=False)


@group.command()
def invitations(project: ProjectName, studio: Place = None, as_json: Json = False) -> None:
    """List the invitations of a project, without their links."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from veritab.studio.accounts import invitations_of
        from veritab.studio.projects import find_project

        found = [
            {
                "id": each.id,
                "role": each.role,
                "used": each.used,
                "places": each.places,
                "is_panel": each.is_panel,
                "expires_at": each.expires_at,
                "is_revoked": each.revoked_at is not None,
            }
            for each in invitations_of(session, find_project(session, project))
        ]
    print_listed(as_json, found, ("id", "role", "used", "ends", ""), _invitation_row)


def _invitation_row(each: Mapping[str, Any]) -> tuple[str, ...]:
    said = "revoked" if each["is_revoked"] else "panel" if each["is_panel"] else ""
    return str(each["id"]), each["role"], f"{each['used']} of {each['places']}", day_of(each["expires_at"]), said


@group.command("revoke-invitation")
def revoke_invitation(
    project: ProjectName,
    number: Annotated[int, typer.Argument(metavar="ID", help="The id of the invitation.", show_default=False)],
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Let nobody in by a link any more."""
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.accounts import revoke_invitation as revoke
        from veritab.studio.projects import find_project

        revoke(session, find_project(session, project), number, by=None, now=time.time())
    tell(as_json, f"invitation {number} is revoked", id=number, is_revoked=True)


def parse_role(role: str) -> Role:
    """A role that somebody can have in a project."""
    if role not in (Role.ANNOTATOR, Role.MANAGER):
        raise InputError(f"{role!r} is not a role in a project; expected annotator or manager")
    return Role(role)


def _read_password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.buffer.readline().decode("utf-8", "surrogateescape").rstrip("\r\n")
    if not sys.stdin.isatty():
        raise InputError("there is no terminal to ask for the password; write it to stdin and give --password-stdin")
    typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return typed
