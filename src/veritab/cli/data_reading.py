"""How the commands on data sets read them: with a bar, and a word on what could not be read."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from veritab.cli.output import counted, progress_bar, talk
from veritab.datasets import DataSet
from veritab.schema import Example

Names = Annotated[
    list[str], typer.Argument(metavar="DATASET...", help="Names of data sets, or paths.", show_default=False)
]


@contextmanager
def read_through(opened: DataSet) -> Iterator[Iterable[Example]]:
    """The examples of a data set with a bar over them; what could not be read is reported when they end."""

    def moving() -> Generator[Example, None, None]:
        with progress_bar(f"reading {opened.name}", total=None) as (bar, task):
            for number, example in enumerate(opened, 1):
                if number % 1000 == 0:
                    bar.update(task, note=f"{number:,} claims")
                yield example

    reading = moving()
    try:
        yield reading
    finally:
        reading.close()  # so that no bar is left on the terminal under an error
    lost = [problem for problem in opened.problems if problem.lost]
    if lost:
        talk.print(
            f"{opened.name}: {counted(len(lost), 'record')} could not be read, the first in {lost[0].where} "
            f"({lost[0].what}); veritab data read tells all",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )
