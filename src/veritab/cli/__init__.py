"""The command line: one file per command group, and the only room that prints."""

from __future__ import annotations

import logging
import sys
from typing import Annotated

import typer
from rich.logging import RichHandler

from veritab import __version__
from veritab.cli import corpus, doctor
from veritab.cli.output import talk
from veritab.errors import VeritabError

app = typer.Typer(
    name="veritab",
    help="Check claims against documents, and see the sentences, list items and table cells that settle them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    rich_markup_mode=None,
)
corpus.register(app)
doctor.register(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"veritab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Tell more of what happens, on stderr.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    level = logging.DEBUG if verbose else logging.WARNING
    logging.basicConfig(
        level=level, format="%(message)s", handlers=[RichHandler(console=talk, show_path=False)], force=True
    )


def main() -> None:
    """Run a command; a known error is one line on stderr and an exit code, never a traceback."""
    try:
        app()
    except VeritabError as error:
        talk.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has seen enough (`veritab show X | head`).
        sys.stderr.close()
        sys.exit(0)
