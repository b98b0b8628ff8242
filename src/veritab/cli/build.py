"""`veritab build`: claims made of questions, tables and other claims, each with its label and where it is from."""

from __future__ import annotations

import typer

from veritab.cli.build_ambiguous import ambiguous
from veritab.cli.build_correct import correct_file
from veritab.cli.build_mutate import mutate, nei
from veritab.cli.build_questions import questions
from veritab.cli.build_rate import rate
from veritab.cli.build_regular import regular
from veritab.cli.build_tables import build_tables
from veritab.cli.commands import Group
from veritab.cli.studio_place import GROUP

group = typer.Typer(
    name="build",
    cls=Group,
    help="Build claims of questions, tables and other claims, with labels, evidence and where each is from.",
    **GROUP,
)


@group.callback()
def _group() -> None:
    """Build claims of questions, tables and other claims, with labels, evidence and where each is from."""


group.command("ambiguous")(ambiguous)
group.command("mutate")(mutate)
group.command("nei")(nei)
group.command("questions")(questions)
group.command("correct")(correct_file)
group.command("rate")(rate)
group.command("regular")(regular)
group.command("tables")(build_tables)
