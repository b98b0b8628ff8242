"""The command line: one file per command group, and the only room that prints."""

from __future__ import annotations

import io
import logging
import sys
from typing import Annotated

import typer

from veritab.cli.commands import LazyGroup
from veritab.cli.streams import open_until_broken, refuse_closed_stdout
from veritab.cli.usage import describe_usage_error, is_help, is_usage_error
from veritab.errors import InputError, VeritabError

app = typer.Typer(
    name="veritab",
    help="Check claims against documents, and see the sentences, list items and table cells that settle them.",
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from veritab import __version__

        typer.echo(f"veritab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens, on stderr.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand != "serve":
        refuse_closed_stdout()
    from rich.logging import RichHandler

    from veritab.cli.output import talk

    level = logging.DEBUG if verbose else logging.WARNING
    logging.basicConfig(
        level=level, format="%(message)s", handlers=[RichHandler(console=talk, show_path=False)], force=True
    )


def main() -> None:
    """Run a command; a known error is one line on stderr and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a file name may hold what cannot be encoded
    with open_until_broken():
        sys.exit(_run())


def _run() -> int:
    """Run a command; the exit code."""
    try:
        return int(app(prog_name="veritab", standalone_mode=False) or 0)
    except VeritabError as error:
        _print_error(str(error))
        return error.exit_code
    except BrokenPipeError:
        raise
    except OSError as error:
        named = f" {str(error.filename)!r}" if error.filename else ""
        why = (error.strerror or str(error)).lower()
        _print_error(f"cannot read or write{named}: {why}; check the path and its permissions")
        return 1
    except Exception as error:
        if is_usage_error(error):
            if is_help(error):
                typer.echo(error, err=True)
            else:
                _print_error(describe_usage_error(error))
            return InputError.exit_code
        # Whatever it is, one line is more use than forty; the forty are there for those who ask.
        logging.getLogger(__name__).debug("unexpected", exc_info=True)
        _print_error(f"{type(error).__name__}: {error} (--verbose shows more)")
        return 1


def _print_error(message: str) -> None:
    from veritab.cli.output import talk

    talk.print(f"error: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
