"""The command line: one file per command group, and the only room that prints."""

from __future__ import annotations

import io
import logging
import sys
from typing import Annotated

import typer
from rich.logging import RichHandler

from veritab import __version__
from veritab.cli import (
    audit,
    check,
    compare,
    corpus,
    data,
    data_work,
    doctor,
    evaluate,
    judge,
    mcp,
    recheck,
    reproduce,
    run,
    score,
    search,
    serve,
    train,
)
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
check.register(app)
recheck.register(app)
score.register(app)
corpus.register(app)
search.register(app)
judge.register(app)
serve.register(app)
mcp.register(app)
train.register(app)
evaluate.register(app)
run.register(app)
compare.register(app)
data.register(app)
data_work.register(data.group)
audit.register(app)
reproduce.register(app)
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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a file's name may hold what no text may
    try:
        app()
    except VeritabError as error:
        talk.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has seen enough (`veritab show X | head`).
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        # Whatever it is, one line is more use than forty; the forty are there for those who ask.
        logging.getLogger(__name__).debug("unexpected", exc_info=True)
        reason = f"{type(error).__name__}: {error}"
        talk.print(f"error: {reason} (--verbose tells more)", style="red", markup=False, soft_wrap=True)
        sys.exit(1)
