"""Commands over a corpus: ingest sources, show a page or an element, export."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veritab.cli.cluster import describe_workers, opened_cluster
from veritab.cli.options import Cluster, Corpus
from veritab.cli.output import Json, answer, counted, print_json, progress_bar, talk
from veritab.corpus import open_corpus
from veritab.corpus.feverous import FeverousDatabase, page_to_json, write_jsonl, write_sqlite
from veritab.corpus.ingest import Ingest, IngestReport
from veritab.corpus.sharded_ingest import ShardedIngest
from veritab.corpus.shards import MANIFEST, MOST_SHARDS, ShardedStore
from veritab.corpus.sources import FORMATS, ReaderOptions, SourceFile, source_files
from veritab.corpus.store import Store, quote_path
from veritab.errors import FormatError, InputError, NotFound, StoreError, TooManyProblems, VeritabError
from veritab.render.json import element_to_json
from veritab.render.terminal import draw_element, draw_page
from veritab.schema import ElementId, Page, Redirect

if TYPE_CHECKING:
    from veritab.scale.cluster import ClusterEngine

Format = Enum("Format", {name: name for name in FORMATS})  # type: ignore[misc]  # the readers know their names


def ingest(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...", help="Files, folders or URLs to read, e.g. s3://bucket/folder/.", show_default=False
        ),
    ],
    into: Annotated[
        Path,
        typer.Option("--into", metavar="DIR", help="The corpus to make or to bring up to date.", show_default=False),
    ],
    format: Annotated[
        Format | None, typer.Option("--format", help="How to read the sources; detected from their content by default.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            max=64,
            help="Processes that parse pages; two where there are as many cores.",
            show_default=False,
        ),
    ] = None,
    drop_flagged: Annotated[
        bool,
        typer.Option(
            "--drop-flagged/--keep-flagged",
            help="Leave out wiki pages and sections that are flagged as lacking citations, as FEVEROUS does.",
        ),
    ] = False,
    sentences: Annotated[
        bool, typer.Option("--sentences", help="Split passage dumps into sentences instead of keeping passages whole.")
    ] = False,
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Follow symbolic links that lead out of a folder.")
    ] = False,
    keep_originals: Annotated[
        bool,
        typer.Option("--keep-originals", help="Keep a copy of each document, to be shown when its folder is gone."),
    ] = False,
    shards: Annotated[
        int | None,
        typer.Option(
            "--shards",
            metavar="N",
            min=1,
            max=MOST_SHARDS,
            help="Make the corpus of N shards, which workers fill and index side by side; a later ingest keeps them.",
            show_default=False,
        ),
    ] = None,
    cluster: Cluster = None,
    max_lost: Annotated[
        float,
        typer.Option("--max-lost", min=0, max=1, help="Fail when more than this share of records cannot be read."),
    ] = 0.1,
    build_index: Annotated[
        bool, typer.Option("--index", help="Build the index too, or bring it up to date, as veritab index does.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Read sources into a corpus.

    Pages that did not change are skipped, changed ones replaced, and pages that a source no longer holds are removed.
    A run that was stopped goes on where it was. Claims can be checked once the corpus has an index.
    """
    if cluster and workers:
        raise InputError("--workers are processes of this machine, and --cluster has workers of its own; give one")
    options = ReaderOptions(drop_flagged=drop_flagged, sentences=sentences, follow_links=follow_links)
    # A misspelt path must not leave an empty corpus behind.
    first = [next(source_files(source, format.value if format else None, options), None) for source in sources]
    failure: VeritabError | None = None
    with opened_cluster(cluster) if cluster else nullcontext() as engine:
        with ExitStack() as stack:
            work: Ingest | ShardedIngest
            how: dict[str, Any] = {
                "format": format.value if format else None,
                "options": options,
                "workers": workers or min(2, os.cpu_count() or 1),
                "max_lost": max_lost,
                "keep_originals": keep_originals,
                "engine": engine,
            }
            if shards or (into / MANIFEST).exists():
                if engine is not None:
                    # Of a folder its first file stands for all. Sources first: what a refused one leaves is nothing.
                    for file in first:
                        if isinstance(file, SourceFile) and isinstance(file.path, Path):
                            engine.check_source(file.path)
                    engine.check_folder(into)
                work = ShardedIngest(into, sources, shards=shards, **how)
            else:
                store = stack.enter_context(Store.create(into))
                work = Ingest(store, sources, **how)
            try:
                with progress_bar("reading", total=None, beside=lambda: describe_workers(engine)) as (progress, task):
                    for step in work:
                        note = f"{step.pages:,} pages" + (f", {step.problems:,} problems" if step.problems else "")
                        progress.update(task, completed=step.read, total=step.total, note=note)
            except (FormatError, TooManyProblems) as error:
                failure = error
            except KeyboardInterrupt:
                talk.print("stopped; what was written is kept; run the same command to go on")
                raise typer.Exit(130) from None
        with Store.open(into) as opened:
            corpus_pages = len(opened)
        indexed = _index(into, engine) if build_index and not failure else None
    if as_json:
        print_json(_report_json(work.report, corpus_pages) | ({} if indexed is None else {"indexed": indexed}))
    else:
        _print_report(work.report, into, corpus_pages)
        if indexed is not None:
            answer.print(f"Its index finds {counted(corpus_pages, 'page')}.", markup=False)
        elif not failure and not _has_current_index(into):
            talk.print(f"next: veritab index {quote_path(into)}", markup=False, soft_wrap=True)
    if failure:
        raise failure


def _index(folder: Path, engine: ClusterEngine | None) -> int:
    """Bring the index of a corpus up to date, that of shards by the workers of a cluster; how many pages that took."""
    from veritab.cli.search import show_indexing

    with Store.open(folder) as store:
        return show_indexing(store, engine=engine if isinstance(store, ShardedStore) else None)


def _has_current_index(folder: Path) -> bool:
    from veritab.retrieve.index import Index

    try:
        with Store.open(folder) as store, Index(store):
            return True
    except (NotFound, StoreError):
        return False


def _report_json(report: IngestReport, corpus_pages: int) -> dict[str, Any]:
    return {
        "pages": report.pages,
        "added": report.added,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "removed": report.removed,
        "redirects": report.redirects,
        "problems": [{"page": p.page, "where": p.where, "what": p.what, "lost": p.lost} for p in report.problems],
        "problem_counts": dict(report.problem_counts.most_common()),
        "seconds": round(report.seconds, 3),
        "corpus_pages": corpus_pages,
    }


def _print_report(report: IngestReport, into: Path, corpus_pages: int) -> None:
    changes = ", ".join(
        f"{count:,} {what}"
        for what, count in (
            ("added", report.added),
            ("changed", report.changed),
            ("unchanged", report.unchanged),
            ("removed", report.removed),
        )
        if count
    )
    read = counted(report.pages, "page")
    answer.print(f"{read} read in {report.seconds:.1f} s: {changes or 'nothing new'}.", markup=False)
    answer.print(f"{into} now holds {counted(corpus_pages, 'page')}.", markup=False, soft_wrap=True)
    if not report.problem_counts:
        return
    total = sum(report.problem_counts.values())
    talk.print(f"\n{counted(total, 'problem')} on the way, by kind:", markup=False)
    for what, count in report.problem_counts.most_common():
        talk.print(f"{count:>8,}  {what}", markup=False, soft_wrap=True)
        for problem in [p for p in report.problems if p.what == what][:3]:
            place = " · ".join(filter(None, (problem.page, problem.where)))
            talk.print(f"          {place}", style="dim", markup=False, soft_wrap=True)


def show(
    name: Annotated[str, typer.Argument(metavar="ELEMENT_ID|TITLE", help="What to show.", show_default=False)],
    corpus: Corpus = None,
    as_json: Json = False,
) -> None:
    """Show a page with the address of everything in it, or one element with its context."""
    with open_corpus(corpus) as opened:
        page_or_id = _find(opened, name)
        if isinstance(page_or_id, Page):
            if as_json:
                print_json(page_to_json(page_or_id))
            else:
                draw_page(page_or_id, answer)
            return
        element = opened.element(page_or_id)
        if as_json:
            print_json(element_to_json(element))
        else:
            draw_element(element, answer)


def _find(corpus: Store | FeverousDatabase, name: str) -> Page | ElementId:
    """The page with that title, else an element id: a title may look like one."""
    try:
        return corpus.page(name)
    except NotFound as no_page:
        try:
            return ElementId.parse(name)
        except InputError:
            raise no_page from None


def export(
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .jsonl file or a .db database to write.", show_default=False)
    ],
    corpus: Corpus = None,
    as_json: Json = False,
) -> None:
    """Write a corpus as FEVEROUS JSON lines (.jsonl) or as a FEVEROUS database (.db)."""
    writers = {".jsonl": write_jsonl, ".db": write_sqlite, ".sqlite": write_sqlite}
    if target.suffix not in writers:
        raise InputError(f"{str(target)!r} must end in .jsonl or .db")
    if not target.absolute().parent.is_dir():
        raise NotFound(f"no folder {str(target.absolute().parent)!r} to write {target.name!r} into")
    if corpus is not None and target.exists() and corpus.exists() and target.samefile(corpus):
        raise InputError(f"{str(target)!r} is the corpus itself; name another file")
    with open_corpus(corpus) as opened, progress_bar("writing", total=len(opened)) as (progress, task):
        written = {Page: 0, Redirect: 0}
        for read in writers[target.suffix](_pages_and_redirects(opened), target):
            written[type(read)] += 1
            progress.update(task, completed=written[Page])
    if as_json:
        print_json({"file": str(target), "pages": written[Page], "redirects": written[Redirect]})
    else:
        answer.print(
            f"{written[Page]:,} pages and {written[Redirect]:,} redirects written to {target}.", soft_wrap=True
        )


def _pages_and_redirects(corpus: Store | FeverousDatabase) -> Iterator[Page | Redirect]:
    return chain(corpus.pages(), corpus.redirects())
