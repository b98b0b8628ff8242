"""Documents to check against, without commands of their own: read, indexed, and told what was read of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from veritab.cli.output import counted, progress_bar, talk
from veritab.errors import InputError
from veritab.retrieve.preparation import DocumentSummary, Preparation
from veritab.runs import CheckerFactory
from veritab.settings import Settings

_SHOWN_PROBLEMS = 3


@contextmanager
def prepared(
    sources: Sequence[Path], corpus: Path | None, settings: Settings, *, cache: bool
) -> Iterator[CheckerFactory]:
    """What opens a checker over documents; without the cache, what was made of them goes at the end."""
    if corpus is not None:
        raise InputError("--against and --corpus were given; give one of them")
    with ExitStack() as stack:
        folder = None
        if not cache:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="veritab-"))) / "documents"
        preparation = Preparation(sources, into=folder)
        with progress_bar("reading", total=None) as (progress, task):
            for step in preparation:
                progress.update(task, description=step.stage, completed=step.done, total=step.total)
        for document in preparation.documents:
            _print_summary(document)
        yield CheckerFactory(preparation.folder, settings, preparation.name, tuple(sources))


def _print_summary(document: DocumentSummary) -> None:
    """What was read of a file or a folder in a line, and samples of its problems below."""
    counts = [counted(document.texts, "sentence"), counted(document.tables, "table")]
    if document.pages != 1:
        counts.insert(0, counted(document.pages, "document"))
    elif document.leaves > 1:
        counts.insert(0, counted(document.leaves, "sheet" if document.name.lower().endswith(".xlsx") else "page"))
    if document.problem_count:
        counts.append(counted(document.problem_count, "problem"))
    talk.print(f"{document.name}: {', '.join(counts)}", markup=False, soft_wrap=True)
    for problem in document.problems[:_SHOWN_PROBLEMS]:
        place = " · ".join(filter(None, (problem.page, problem.where)))
        talk.print(f"  {place}: {problem.what}", style="dim", markup=False, soft_wrap=True)
    if document.problem_count > _SHOWN_PROBLEMS:
        more = document.problem_count - _SHOWN_PROBLEMS
        talk.print(f"  and {more:,} more; veritab ingest lists them", style="dim", markup=False)
