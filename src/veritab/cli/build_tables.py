"""`veritab build tables`: claims made of questions and answers over tables, and of the tables of a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any

import typer

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
from veritab.cli.options import Cluster
from veritab.engine import Engine
from veritab.errors import InputError
from veritab.files import refuse_missing_folder


def build_tables(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE|DATASET]...",
            help="Questions over tables or answers with their cells: wikitablequestions/training, fetaqa/dev, files; "
            "- for stdin.",
            show_default=False,
        ),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus", "-c", metavar="DIR", help="Make claims of the tables of this corpus.", show_default=False
        ),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            "--tables",
            metavar="FILE",
            help="The tables that questions name; by default the file called tables beside them.",
            show_default=False,
        ),
    ] = None,
    pages: Annotated[
        Path | None,
        typer.Option(
            "--pages",
            metavar="FILE",
            help="Also write the tables as pages, which veritab ingest reads: the evidence has its addresses there.",
            show_default=False,
        ),
    ] = None,
    per_table: Annotated[
        int, typer.Option("--per-table", min=1, max=100, help="Pairs of claims of each table of a corpus.")
    ] = 1,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="Keep true answers of which no false claim could be made.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=1, help="Stop after so many lines of each source, or pages of a corpus.", show_default=False
        ),
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
    """Build claims of questions over tables, of answers with their cells, or of the tables of a corpus.

    Each comes as a pair, true and false, with the cells that decide it. What was asked of a table is kept only where
    computing over the table agrees with the given answer, and denies the false one.
    """
    if bool(sources) == bool(corpus):
        raise InputError("name either questions over tables, e.g. wikitablequestions/training, or a --corpus")
    refuse_missing_folder(pages)
    options: dict[str, Any] = {"into": into, "left_out": left_out, "fail_above": fail_above, "as_json": as_json}
    if corpus is not None:
        if tables or pages:
            raise InputError("--tables and --pages belong to questions; the tables of a corpus have addresses already")
        with build_engine(processes, cluster) as engine:
            _build_of_corpus(corpus, seed, per_table, limit, engine, options)
        return
    from veritab.build.questions.conversion import convert
    from veritab.build.tables.builder import TableBuilder
    from veritab.corpus.feverous import write_jsonl
    from veritab.datasets.table_questions import TableQuestions

    with ExitStack() as stack:
        builder = TableBuilder(convert, seed, unpaired, stack.enter_context(build_engine(processes, cluster)))

        def write_pages() -> dict[str, Any]:
            if pages is None:
                return {}
            return {"pages": sum(1 for _ in write_jsonl(builder.pages(), pages))}

        paths = [stack.enter_context(source_path(each)) for each in sources or ()]
        opened = [TableQuestions(each, tables=tables, data=data, limit=limit) for each in paths]
        built = chain.from_iterable(builder.build(each) for each in opened)
        name = ", ".join(each.name for each in opened)
        write_built(built, name, **options, element_of=builder.element, more=write_pages)


def _build_of_corpus(
    corpus: Path, seed: int, per_table: int, limit: int | None, engine: Engine, options: dict[str, Any]
) -> None:
    from veritab.build.tables.corpus_claims import build_of_pages
    from veritab.corpus import open_corpus

    with ExitStack() as stack:
        store = open_corpus(corpus)
        stack.callback(store.close)
        pages = islice(store.pages(), limit)
        built: Iterator[Any] = build_of_pages(pages, corpus.name, seed, per_table=per_table, engine=engine)
        write_built(built, corpus.name, **options, element_of=store.element)
