"""`veritab studio`: people write claims and verify them; this makes the place, serves it, and moves data in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from veritab.cli import studio_accounts, studio_data, studio_projects
from veritab.cli.commands import Group
from veritab.cli.options import Config, Profile, read_settings
from veritab.cli.output import Json, counted, talk
from veritab.cli.serve import host_names, is_local
from veritab.cli.studio_accounts import DEFAULT_STUDIO_PORT
from veritab.cli.studio_place import (
    GROUP,
    Files,
    Place,
    default_place,
    needed_parts,
    opened_studio,
    tell,
    tell_of_clock,
)

if TYPE_CHECKING:
    from veritab.studio.opened import Studio

group = typer.Typer(
    name="studio",
    cls=Group,
    help="Have people write claims and verify them, by the papers' rules.",
    **GROUP,
)
group.add_typer(studio_accounts.group)
group.add_typer(studio_projects.group)


@group.command()
def init(
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="[PLACE]",
            help="A folder, or an empty database postgresql://user@host/name; a folder of the user's by default.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a studio, or bring one up to this version of Veritab; what is in it stays."""
    with needed_parts():
        from veritab.studio.database import initialize, shown_place
    chosen = place or default_place()
    initialize(chosen)
    tell(as_json, f"the studio is in {shown_place(chosen)}", place=shown_place(chosen))
    if not as_json:
        option = f" --studio {shown_place(chosen)}" if place else ""
        talk.print(f"next: veritab studio account add NAME --administrator{option}", markup=False, soft_wrap=True)


@group.command()
def serve(
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Which port; 0 takes any that is free.")] = (
        DEFAULT_STUDIO_PORT
    ),
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Also answer to this name, for a proxy in front; a server on 127.0.0.1 answers to localhost only.",
            show_default=False,
        ),
    ] = None,
    files: Files = None,
    config: Config = None,
    profile: Profile = None,
    studio: Place = None,
) -> None:
    """Serve the pages of a studio, until stopped with Ctrl+C.

    Work that has begun is finished before the server ends. Who comes from other machines needs HTTPS, which a proxy in
    front speaks: the cookie of a login is sent over nothing else.
    """
    with needed_parts():
        from veritab.web.server import address_of, listen
        from veritab.web.server import serve as answer_requests
        from veritab.web.studio.app import create_studio_app
    settings = read_settings(config, profile)
    with listen(host, port) as opened, opened_studio(studio, settings) as found:
        app = create_studio_app(found, hosts=host_names(host, allow_host or ()), folder=files)
        tell_of_clock(found)
        _tell_who_can_come(found)
        if not is_local(host):
            talk.print("other machines can sign in over HTTPS only: put a proxy in front that speaks it", markup=False)
        talk.print(f"listening on {address_of(opened)} (Ctrl+C stops)", markup=False, soft_wrap=True)
        answer_requests(app, opened)
    talk.print("stopped")


def _tell_who_can_come(studio: Studio) -> None:
    from sqlalchemy import func, select

    from veritab.studio.projects import all_projects
    from veritab.studio.records import AccountRecord

    with studio.database.reading() as session:
        projects = all_projects(session)
        accounts = session.scalar(select(func.count()).select_from(AccountRecord)) or 0
    talk.print(f"{counted(len(projects), 'project')}, {counted(accounts, 'account')}", markup=False)
    if not accounts:
        talk.print("nobody can sign in yet: veritab studio account add NAME --administrator", markup=False)


group.command("import")(studio_data.import_claims)
group.command("export")(studio_data.export_claims)
group.command()(studio_data.stats)
group.command()(studio_data.check)
group.command()(studio_data.backup)
group.command()(studio_data.restore)
