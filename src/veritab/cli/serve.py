"""The command that listens: an HTTP API for programs and pages for people, on this machine by default."""

from __future__ import annotations

import ipaddress
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from veritab.cli.options import Config, Profile, read_settings
from veritab.cli.output import counted, talk
from veritab.errors import MissingExtra

if TYPE_CHECKING:
    from veritab.web.archive import Archive

DEFAULT_PORT = 8321


def serve(
    corpus: Annotated[
        list[Path] | None,
        typer.Option(
            "--corpus",
            "-c",
            metavar="DIR",
            help="The corpus to use; the bundled almanac by default. Several may be given; the first is the default.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Which port; 0 takes any that is free.")] = (
        DEFAULT_PORT
    ),
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, max=64, help="Threads that check claims.", show_default="cores")
    ] = None,
    queue: Annotated[
        int, typer.Option("--queue", min=0, max=10_000, help="Requests that may wait; one more is answered 503.")
    ] = 32,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, help="How long a claim may take before it is answered 504.")
    ] = 30.0,
    api_keys: Annotated[
        Path | None,
        typer.Option(
            "--api-keys",
            metavar="FILE",
            help="Let in only who has a key of this file, one a line; programs send it as Authorization: Bearer KEY, "
            "browsers ask for it as a password.",
            show_default=False,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Also answer to this name, for a proxy in front; a server on 127.0.0.1 answers to localhost only.",
            show_default=False,
        ),
    ] = None,
    cors_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--cors-origin",
            metavar="ORIGIN",
            help="Let pages of this origin, e.g. https://app.example, use the API from a browser; may be repeated. By "
            "default none may; '*' lets all, and is refused with --api-keys.",
            show_default=False,
        ),
    ] = None,
    uploads: Annotated[
        bool | None,
        typer.Option(
            "--uploads/--no-uploads",
            help="Let visitors bring documents of their own and check against them.",
            show_default="on 127.0.0.1 only",
        ),
    ] = None,
    keep_uploads: Annotated[
        Path | None,
        typer.Option(
            "--keep-uploads",
            metavar="DIR",
            help="Where documents go that a visitor keeps under a name, for everybody; on 127.0.0.1 a folder of the "
            "user's by default, elsewhere nothing is kept without it.",
            show_default=False,
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="DIR",
            help="What outlives a restart, and the documents at hand; by default a folder of the user's for each port.",
            show_default=False,
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            metavar="ADDRESS",
            envvar="VERITAB_DATABASE",
            help="Share kept verdicts and jobs with other servers in PostgreSQL: postgresql://user@host/name. Its "
            "password is taken from PGPASSWORD or ~/.pgpass. By default they are in --state, for this server alone.",
            show_default=False,
        ),
    ] = None,
    config: Config = None,
    profile: Profile = None,
) -> None:
    """Serve the HTTP API and the web page, until stopped with Ctrl+C.

    Work that has begun is finished before the server ends. The API is described at /openapi.json.
    """
    try:
        from veritab.web.app import create_app
        from veritab.web.archive import FILE as ARCHIVE
        from veritab.web.archive import Archive
        from veritab.web.corpora import Corpora
        from veritab.web.keys import Keys
        from veritab.web.limits import Limits
        from veritab.web.server import address_of, listen
        from veritab.web.server import serve as answer_requests
        from veritab.web.state import default_corpora, default_folder, held_folder
        from veritab.web.uploads import Uploads
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("veritab"):
            raise
        raise MissingExtra("veritab serve", "web") from None
    from veritab.pipeline import Checker

    limits = replace(Limits(queue=queue, seconds=seconds), **({"workers": workers} if workers else {}))
    keys = Keys.read(api_keys) if api_keys else Keys()
    settings = read_settings(config, profile)
    with ExitStack() as stack:
        shared = _closed_by(stack, Archive(database)) if database else None
        opened = stack.enter_context(listen(host, port))
        if state is None and port == 0:  # nobody will find the same port again
            state = Path(stack.enter_context(TemporaryDirectory(prefix="veritab-")))
        held = stack.enter_context(held_folder(state or default_folder(port)))
        checkers = [stack.enter_context(Checker.open(folder, settings)) for folder in (corpus or (None,))]
        brought = None
        if is_local(host) if uploads is None else uploads:
            brought = Uploads(
                held / "uploads",
                lambda folder, name: Checker.open(folder, settings, name=name),
                limits=limits,
                keep_in=keep_uploads or (default_corpora() if is_local(host) else None),
            )
        corpora = Corpora(checkers, brought)
        stack.callback(corpora.close)
        archive = shared or _closed_by(stack, Archive(held / ARCHIVE))
        app = create_app(
            corpora,
            limits=limits,
            keys=keys,
            hosts=host_names(host, allow_host or ()),
            cors_origins=cors_origin or (),
            archive=archive,
        )
        for name in corpora.names:
            pages = counted(corpora.find(name).checker.corpus["pages"], "page")
            talk.print(f"{name}: {pages}", markup=False, soft_wrap=True)
        if not is_local(host) and not keys:
            talk.print("other machines can reach this server and nobody needs a key; --api-keys asks for one")
        talk.print(f"listening on {address_of(opened)} (Ctrl+C stops)", markup=False, soft_wrap=True)
        answer_requests(app, opened)
    talk.print("stopped")


def _closed_by(stack: ExitStack, archive: Archive) -> Archive:
    stack.callback(archive.close)
    return archive


def host_names(host: str, also: list[str] | tuple[str, ...]) -> list[str]:
    """The host names to answer to: on loopback its own, elsewhere any unless some are listed."""
    from veritab.web.server import LOOPBACK

    if is_local(host):
        return [*LOOPBACK, host, *also]
    return [*also, host, *LOOPBACK] if also else []


def is_local(host: str) -> bool:
    """Whether an address is one of this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
