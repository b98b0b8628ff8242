"""`veritab build regular`: claims made of questions with their answers and with wrong ones."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from veritab.build.records import AnsweredQuestion, LeftOut
from veritab.build.unsuited import LEAST_CONFIDENCE
from veritab.cli.build_writing import (
    FailAbove,
    Into,
    LeftOutFile,
    Processes,
    Report,
    Seed,
    build_engine,
    source_path,
    write_built,
)
from veritab.cli.data import Data
from veritab.cli.options import Cluster, Corpus


def regular(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DATASET",
            help='nq_open/dev, or JSON lines {"id", "question", "answer"}; answers may be a list; - for stdin.',
            show_default=False,
        ),
    ],
    corpus: Corpus = None,
    one: Annotated[
        bool, typer.Option("--one", help="Make one claim of each question, true or false, as many of each.")
    ] = False,
    ranker: Annotated[
        str | None,
        typer.Option(
            "--ranker",
            metavar="FOLDER",
            help="A cross-encoder that chooses among the readings of a question; else weights do.",
            show_default=False,
        ),
    ] = None,
    least: Annotated[
        float, typer.Option("--least", min=0, max=1, help="Leave claims with less confidence than this out.")
    ] = LEAST_CONFIDENCE,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Stop after so many lines.", show_default=False)
    ] = None,
    processes: Processes = 1,
    cluster: Cluster = None,
    seed: Seed = 0,
    into: Into = None,
    left_out: LeftOutFile = None,
    fail_above: FailAbove = None,
    data: Data = None,
    as_json: Report = False,
) -> None:
    """Build claims of questions with answers: a true one with the right answer, a false one with a wrong one.

    Wrong answers are names, dates and numbers of the right one's type in what the corpus has for the question; one is
    drawn from the likeliest fifty, none of them another name for an answer given. Evidence is found, not annotated:
    records say "silver" where there is some.
    """
    from veritab.build.records import read_questions
    from veritab.build.regular import RegularBuilder
    from veritab.datasets.registry import find_data_file, find_data_folder

    with ExitStack() as stack:
        given = stack.enter_context(source_path(source))
        is_file = Path(given).is_file()
        path = Path(given) if is_file else find_data_file(given, find_data_folder(data))
        name = "stdin" if source == "-" else path.name if is_file else given
        engine = stack.enter_context(build_engine(processes, cluster, corpus))
        builder = stack.enter_context(RegularBuilder(name, corpus, seed, one, least, ranker, engine))
        builder.count_years(islice(read_questions(path), limit))
        asked = _Counted(islice(read_questions(path), limit))
        write_built(
            builder.build(asked),
            name,
            into=into,
            left_out=left_out,
            fail_above=fail_above,
            as_json=as_json,
            element_of=builder.element,
            more=asked.report,
            by_record=True,
        )


class _Counted:
    """Questions as they are read, and how many a minute were built of."""

    def __init__(self, questions: Iterable[AnsweredQuestion | LeftOut]) -> None:
        self._questions, self._count, self._start = questions, 0, time.monotonic()

    def __iter__(self) -> Iterator[AnsweredQuestion | LeftOut]:
        self._start = time.monotonic()
        for each in self._questions:
            self._count += 1
            yield each

    def report(self) -> dict[str, Any]:
        minutes = max(time.monotonic() - self._start, 1e-9) / 60
        return {"questions": self._count, "questions a minute": round(self._count / minutes)}
