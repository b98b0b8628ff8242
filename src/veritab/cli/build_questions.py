"""`veritab build questions`: questions with their answers become claims."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, BinaryIO

import orjson
import typer
from rich.text import Text

from veritab.build.records import read_questions
from veritab.cli.build_writing import Into, Processes, Report, build_engine, print_report, source_path
from veritab.cli.options import Cluster
from veritab.cli.output import counted, progress_bar, talk
from veritab.files import refuse_missing_folder, replacing

_EVERY = 500


def questions(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help='JSON lines {"id", "question", "answer"}; an answer may be a list of texts; - for stdin.',
            show_default=False,
        ),
    ],
    ranker: Annotated[
        str | None,
        typer.Option(
            "--ranker",
            metavar="FOLDER",
            help="A cross-encoder that chooses among the readings, trained by the recipe questions; else weights do.",
            show_default=False,
        ),
    ] = None,
    least: Annotated[
        float, typer.Option("--least", min=0, max=1, help="Leave claims with less confidence than this out.")
    ] = 0.0,
    processes: Processes = 1,
    cluster: Cluster = None,
    into: Into = None,
    as_json: Report = False,
) -> None:
    """Make claims of questions and their answers: one line {"id", "claim", "reason", "confidence"} for each.

    Every reading of a question is listed by rule, and a ranker chooses. The claim has the answer word for word, or it
    is null and the reason says why; confidence is how far the chosen reading is ahead of the next.
    """
    from veritab.build.questions.conversion import convert_all
    from veritab.build.questions.ranking import ModelRanker

    refuse_missing_folder(into)
    chooser = ModelRanker.open(ranker) if ranker else None
    made, reasons = 0, Counter[str]()
    with ExitStack() as stack:
        path = Path(stack.enter_context(source_path(source)))
        out: BinaryIO = stack.enter_context(replacing(into)) if into else sys.stdout.buffer
        engine = stack.enter_context(build_engine(processes, cluster))
        bar, task = stack.enter_context(progress_bar("reading questions", total=None))
        for number, each in enumerate(convert_all(read_questions(path), chooser, engine=engine), 1):
            if each.claim is not None and each.confidence < least:
                reason = f"less confidence than {least:g}"
                each = each._replace(claim=None, reason=f"{reason}: {each.claim}")
            else:
                reason = each.reason
            if each.claim is None:
                named = f"{each.where}{f' ({each.id})' if each.id else ''}"
                talk.print(f"no claim: {named}: {each.reason}", style="yellow", markup=False, soft_wrap=True)
                reasons[reason] += 1
            made += each.claim is not None
            out.write(orjson.dumps(each.as_dict(), option=orjson.OPT_APPEND_NEWLINE))
            if number % _EVERY == 0:
                bar.update(task, note=f"{made:,} claims")
        out.flush()
    if as_json:
        print_report({"claims": made, "without_claim": reasons.total(), "reasons": dict(reasons.most_common())}, into)
        return
    talk.print(f"{counted(made, 'claim')}{f' in {into}' if into else ''}, {reasons.total():,} without", soft_wrap=True)
    for reason, times in reasons.most_common():
        talk.print(Text(f"  {reason}: {times:,}"), soft_wrap=True)
