"""Where a studio is, and how commands open it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from veritab.cli.output import answer, print_json, talk
from veritab.errors import InputError, MissingExtra, NotFound, short_repr

if TYPE_CHECKING:
    from veritab.settings import Settings
    from veritab.studio.opened import Studio

Place = Annotated[
    str | None,
    typer.Option(
        "--studio",
        metavar="PLACE",
        help="Where the studio is: a folder, or postgresql://user@host/name; a folder of the user's by default.",
        show_default=False,
    ),
]
Files = Annotated[
    Path | None,
    typer.Option(
        "--files",
        metavar="DIR",
        help="Where files of imports and exports are, the same for all servers of a studio; by default in its folder, "
        "or in one of the user's.",
        show_default=False,
    ),
]
ProjectName = Annotated[str, typer.Argument(metavar="PROJECT", help="The name of a project.", show_default=False)]
GROUP: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "no_args_is_help": True,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 110},
}
MOST_SEED = 2**31
_LONGEST_FILE = 1_000_000
_WIDE = 140
_CLOCK_SECONDS = 2.0


def default_place() -> str:
    """Where a studio is kept that nobody gave a place."""
    from platformdirs import user_data_path

    return str(user_data_path("veritab", appauthor=False) / "studio")


@contextmanager
def needed_parts() -> Iterator[None]:
    """What is imported within comes with an extra; where it is absent, the line that installs it is told."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("veritab"):
            raise
        raise MissingExtra("veritab studio", "studio,web") from None


@contextmanager
def opened_studio(place: str | None, settings: Settings | None = None) -> Iterator[Studio]:
    """The studio at a place, closed in the end."""
    with needed_parts():
        from veritab.studio.opened import Studio
    with Studio.open(place or default_place(), settings) as studio:
        yield studio


def tell_of_clock(studio: Studio) -> None:
    """Say where the clock of this machine is not the database's: leases and rounds of all servers go by it."""
    error = studio.database.clock_error(time.time())
    if abs(error) > _CLOCK_SECONDS:
        talk.print(
            f"this machine's clock is {abs(error):.0f} s {'ahead of' if error > 0 else 'behind'} the database's; set "
            "both right, e.g. by NTP, or people lose time where several servers work together",
            markup=False,
            soft_wrap=True,
        )


def print_listed(
    as_json: bool,
    found: Sequence[Mapping[str, Any]],
    header: Sequence[str],
    row_of: Callable[[Mapping[str, Any]], Sequence[str]],
) -> None:
    """What a command lists: a line of JSON each, or a table without lines."""
    if as_json:
        for each in found:
            print_json(each)
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in header:
        table.add_column(Text(name), overflow="fold")
    for each in found:
        table.add_row(*map(Text, row_of(each)))
    console = answer if answer.is_terminal else Console(highlight=False, width=_WIDE)
    console.print(table, crop=False)


def tell(as_json: bool, said: str, **fields: Any) -> None:
    """What a command has done: its fields as JSON, or a line."""
    if as_json:
        print_json(fields)
    else:
        answer.print(Text(said), soft_wrap=True)


def day_of(at: float | None) -> str:
    """The day of a time, for people."""
    return "" if at is None else time.strftime("%Y-%m-%d", time.localtime(at))


def parse_changes(changes: list[str] | None, example: str = "calibration_size=0") -> dict[str, Any]:
    """Settings as they are typed: a value is JSON, or a word as it is."""
    parsed = {}
    for change in changes or ():
        name, sign, value = change.partition("=")
        if not sign:
            raise InputError(f"{short_repr(change)} is no setting; expected e.g. --set {example}")
        try:
            parsed[name.strip()] = json.loads(value)
        except (json.JSONDecodeError, RecursionError):
            parsed[name.strip()] = value
    return parsed


def read_text_file(file: Path) -> str:
    """What a file says that somebody names in an option."""
    try:
        with file.open(encoding="utf-8") as opened:
            return opened.read(_LONGEST_FILE)
    except OSError as error:
        raise NotFound(f"cannot read {str(file)!r}: {(error.strerror or 'refused').lower()}") from None
    except UnicodeDecodeError:
        raise InputError(f"{str(file)!r} is not text in UTF-8; save it as that") from None
