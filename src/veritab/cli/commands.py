"""Which commands there are; the module of each is imported when the command is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command


class CommandSource(NamedTuple):
    """Where a command is defined, and what the list of commands says of it."""

    module: str
    function: str
    summary: str


COMMANDS: Mapping[str, CommandSource] = {
    "check": CommandSource("check", "check", "Check claims against documents, and show the evidence."),
    "recheck": CommandSource("recheck", "recheck_answers", "Check claims again whose evidence has changed."),
    "correct": CommandSource("correct", "correct_claim", "Correct a refuted claim by the smallest edit."),
    "judge": CommandSource("judge", "judge", "Judge claims by evidence that you give."),
    "score": CommandSource("score", "score", "Give the probability that documents support claims."),
    "ingest": CommandSource("corpus", "ingest", "Read sources into a corpus."),
    "index": CommandSource("search", "index", "Build the index of a corpus, or bring it up to date."),
    "search": CommandSource("search", "search", "Find pages, sentences, list items, tables and cells."),
    "show": CommandSource("corpus", "show", "Show a page, or one element with its context."),
    "export": CommandSource("corpus", "export", "Write a corpus as FEVEROUS JSON lines or database."),
    "serve": CommandSource("serve", "serve", "Serve the HTTP API and the web page."),
    "mcp": CommandSource("mcp", "mcp", "Serve the tools for assistants (Model Context Protocol)."),
    "data": CommandSource("data_work", "group", "List, read, count, split and convert data sets."),
    "audit": CommandSource("audit", "audit", "Find what gives the labels of a data set away."),
    "build": CommandSource("build", "group", "Build claims of questions, tables and other claims."),
    "studio": CommandSource("studio", "group", "Have people write claims and verify them, by the papers' rules."),
    "game": CommandSource("game", "group", "Have people play: write claims that fool, spot the false of two."),
    "run": CommandSource("run", "run_dataset", "Answer the claims of a data set and score the answers."),
    "evaluate": CommandSource("evaluate", "evaluate", "Score a file of predictions."),
    "compare": CommandSource("compare", "compare", "Compare runs on the same claims, with paired tests."),
    "reproduce": CommandSource("reproduce", "reproduce", "Fill a table of one of the papers."),
    "train": CommandSource("train", "train", "Train a model by a recipe."),
    "transfer": CommandSource("transfer", "transfer", "Train on one set, then another, test on others: a grid."),
    "doctor": CommandSource("doctor", "doctor", "Check the installation, its models and a corpus."),
}


_LONGEST_SENTENCE = 1000


class LazyCommands(Mapping[str, Any]):
    """The commands by name, each built when it is first looked up."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            source = COMMANDS[name]
            found: typer.Typer | Callable[..., None] = getattr(
                import_module(f"veritab.cli.{source.module}"), source.function
            )
            if not isinstance(found, typer.Typer):
                app = typer.Typer(add_completion=False, rich_markup_mode=None)
                app.command(name)(found)
                found = app
            self._built[name] = get_command(found)
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Group(TyperGroup):
    """A group whose list has the whole first sentence of each command, however long."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(_LONGEST_SENTENCE)) for name, command in self.commands.items()]
            )


class LazyGroup(TyperGroup):
    """A group whose list of commands is printed without importing any of them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LazyCommands()  # type: ignore[assignment]  # nothing adds a command to it

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, source.summary) for name, source in COMMANDS.items()])
