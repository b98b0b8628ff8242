"""`veritab build ambiguous`: claims made of questions that can be read in several ways."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

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
from veritab.cli.options import Cluster
from veritab.cli.output import talk


def ambiguous(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DATASET",
            help='JSON lines {"id", "disambiguations": [{"question", "answers": [...]}, ...]} or AmbigQA as published; '
            "ambigqa/ambigqa is the one of the data folder, - is stdin.",
            show_default=False,
        ),
    ],
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            "-c",
            metavar="DIR",
            help="Look for evidence and for wrong answers there; without one there is neither.",
            show_default=False,
        ),
    ] = None,
    claim_only: Annotated[
        float,
        typer.Option(
            "--claim-only",
            min=0.5,
            max=1,
            help="Mix in claims with wrong answers until words alone tell the label in at most this share.",
        ),
    ] = 0.53,
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
    """Build claims of questions that can be read in several ways, as many true as false ones of each.

    A reading with its own answer is true, with another reading's answer false; two answered readings are drawn of many.
    Where one reading alone is answered, the others are asked with its answer, and claims of the answered reading with
    wrong answers found in the corpus are mixed in. Evidence is found, not annotated: records say "silver" where there
    is some. Nothing is found for a reading that is not answered. With --cluster the questions are read and answered
    there; which claims are mixed is chosen here, over all of them.
    """
    from veritab.build.ambiguous import AmbiguousBuilder
    from veritab.build.ambiguous_questions import read_ambiguous
    from veritab.datasets.registry import find_data_file, find_data_folder

    with ExitStack() as stack:
        given = stack.enter_context(source_path(source))
        is_file = Path(given).is_file()
        path = Path(given) if is_file else find_data_file(given, find_data_folder(data))
        name = path.name if is_file else given
        engine = stack.enter_context(build_engine(processes, cluster, corpus))
        builder = stack.enter_context(AmbiguousBuilder(name, corpus, seed, claim_only, least, ranker, engine))
        if corpus is None:
            talk.print("no --corpus: no evidence is sought, and no wrong answers are mixed in", style="yellow")
        write_built(
            builder.build(islice(read_ambiguous(path), limit)),
            name,
            into=into,
            left_out=left_out,
            fail_above=fail_above,
            as_json=as_json,
            element_of=builder.element if corpus else None,
            more=lambda: builder.mixing,
            by_record=True,
        )
