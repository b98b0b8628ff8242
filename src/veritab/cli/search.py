"""Commands that find things: build the index of a corpus, search it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from veritab.cli.cluster import describe_workers, opened_cluster
from veritab.cli.options import Cluster, Corpus
from veritab.cli.output import Json, answer, counted, print_json, progress_bar, talk
from veritab.corpus import open_corpus
from veritab.corpus.shards import ShardedStore
from veritab.corpus.store import Store
from veritab.errors import InputError
from veritab.models import open_encoder
from veritab.models.encoder import Encoder
from veritab.render.json import match_to_json
from veritab.render.terminal import draw_match
from veritab.retrieve.dense.retriever import BuildProgress, DenseUnit, build, create_vectors, folder_of
from veritab.retrieve.index import (
    IndexProgress,
    build_index,
    build_shards,
    folder_of_index,
    no_index_of,
    open_index,
)
from veritab.retrieve.search.matches import Match, Search
from veritab.retrieve.search.query import KINDS, parse_query

if TYPE_CHECKING:
    from veritab.scale.cluster import ClusterEngine

Kinds = Enum("Kinds", {name: name for name in KINDS})  # type: ignore[misc]  # the search knows its kinds


# -- index -------------------------------------------------------------------------------------------------


def index(
    corpus: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="The corpus; the bundled almanac by default.", show_default=False),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder",
            metavar="NAME",
            help='Also bring the vectors of the corpus up to date, with "encoder", the sentence encoder that ships, or '
            "one in a folder; without it they stay as they are.",
            show_default=False,
        ),
    ] = None,
    encoder_unit: Annotated[
        DenseUnit, typer.Option("--encoder-unit", help="What gets a vector: each text, or each page as a whole.")
    ] = DenseUnit.ELEMENTS,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build it anew, whatever is there.")] = False,
    cluster: Cluster = None,
    as_json: Json = False,
) -> None:
    """Build the index of a corpus, or bring it up to date; searching needs one.

    Only pages that changed are read. A run that was stopped goes on where it was. On a cluster each shard of a corpus
    is built by a worker.
    """
    started = time.monotonic()
    with open_corpus(corpus) as store:
        if not isinstance(store, Store):
            raise no_index_of(corpus)
        # Opened first, so that a wrong folder is reported before the long work.
        model = open_encoder(encoder) if encoder else None
        with opened_cluster(cluster) if cluster else nullcontext() as engine:
            if engine:
                if not isinstance(store, ShardedStore):
                    talk.print(
                        "a corpus of one file is indexed by one worker; one made by ingest --shards N, by up to N",
                        soft_wrap=True,
                    )
                engine.check_folder(store.folder)
            changed = show_indexing(store, rebuild=rebuild, engine=engine)
        dense = _encode(store, model, encoder_unit, rebuild=rebuild) if model else None
        pages, folder = len(store), folder_of_index(store)
    seconds = round(time.monotonic() - started, 3)
    if as_json:
        record = {"pages": pages, "changed": changed, "seconds": seconds, "folder": str(folder)}
        print_json(record | ({"dense": dense} if dense else {}))
        return
    if changed:
        answer.print(f"{counted(changed, 'page')} indexed in {seconds:.1f} s.", markup=False)
        answer.print(f"{folder} now finds {counted(pages, 'page')}.", markup=False, soft_wrap=True)
    else:
        answer.print(f"{folder} is up to date: {counted(pages, 'page')}.", markup=False, soft_wrap=True)
    if dense:
        answer.print(_describe_vectors(dense), markup=False, soft_wrap=True)


def show_indexing(store: Store, *, rebuild: bool = False, engine: ClusterEngine | None = None) -> int:
    """Bring the index of a corpus up to date with a progress bar, here or on a cluster; how many pages that took."""
    steps = build_shards(store, engine, rebuild=rebuild) if engine else build_index(store, rebuild=rebuild)
    return _show_progress("indexing", steps, engine).total


_Step = TypeVar("_Step", IndexProgress, BuildProgress)


def _show_progress(what: str, steps: Iterator[_Step], engine: ClusterEngine | None = None) -> _Step:
    """Run the steps with a progress bar; the last of them."""
    try:
        with progress_bar(what, total=None, beside=lambda: describe_workers(engine)) as (progress, task):
            for step in steps:
                note = f"{step.done:,} of {counted(step.total, 'page')}"
                progress.update(task, completed=step.done, total=step.total, note=note)
    except KeyboardInterrupt:
        talk.print("stopped; what was written is kept; run the same command to go on")
        raise typer.Exit(130) from None
    return step


def _encode(store: Store, encoder: Encoder, unit: DenseUnit, *, rebuild: bool) -> dict[str, Any]:
    """Bring the vectors up to date, and count what changed."""
    with create_vectors(store, encoder, unit, rebuild=rebuild) as vectors:
        done = _show_progress("encoding", build(store, vectors, encoder, unit))
        count = len(vectors)
    changes = {name: getattr(done, name) for name in ("added", "changed", "unchanged", "removed")}
    return {"unit": str(unit), "vectors": count, **changes, "folder": str(folder_of(store, unit))}


def _describe_vectors(dense: dict[str, Any]) -> str:
    have = f"{dense['folder']} has {counted(dense['vectors'], 'vector')}"
    if not dense["added"] + dense["changed"] + dense["removed"]:
        return f"{have} and is up to date."
    return f"{have}: {dense['added']:,} new, {dense['changed']:,} changed, {dense['removed']:,} removed."


# -- search ------------------------------------------------------------------------------------------------


def search(
    query: Annotated[
        list[str], typer.Argument(metavar="QUERY...", help="What to look for; - reads queries from stdin, one a line.")
    ],
    corpus: Corpus = None,
    kind: Annotated[
        Kinds | None, typer.Option("--kind", help="What to find; pages, texts and tables together by default.")
    ] = None,
    page: Annotated[
        str | None, typer.Option("--page", metavar="TITLE", help="Search this page only.", show_default=False)
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-k", min=1, max=1000, help="How many hits to show at most.")] = 10,
    suggest: Annotated[bool, typer.Option("--suggest", help="Complete what was typed to titles of pages.")] = False,
    as_json: Json = False,
) -> None:
    """Find pages, sentences, list items, tables and cells by their words.

    Besides plain words: "a quoted phrase", -without, title:word, section:word, headers:word, kind:table, page:"Title".
    """
    from_stdin = query == ["-"]
    queries = _read_queries() if from_stdin else [_require_words(" ".join(query))]
    engine = Search(open_index(corpus))
    try:
        for one in queries:
            extra = {"query": one} if from_stdin else {}
            if from_stdin and not as_json:
                talk.print(f"\n{one}", style="bold", markup=False, soft_wrap=True)
            if suggest:
                _answer_titles(engine.suggest(one, limit), as_json=as_json, extra=extra)
            else:
                matches = engine.search(one, limit, kind.value if kind else None, page)
                _answer_matches(matches, engine, one, as_json=as_json, extra=extra)
            sys.stdout.flush()
    finally:
        engine.close()


def _read_queries() -> Iterator[str]:
    if sys.stdin is None:
        raise InputError("stdin is closed; give the query itself, e.g.: veritab search highest mountain")
    found = (line.decode(errors="replace").strip() for line in sys.stdin.buffer)
    queries = filter(None, found)
    first = next(queries, None)
    if first is None:
        raise InputError("stdin holds no query; give one a line, or e.g.: veritab search highest mountain")
    yield first
    yield from queries


def _require_words(query: str) -> str:
    if not parse_query(query):
        raise InputError(f"{query[:100]!r} has no word to search for; try e.g.: veritab search highest mountain")
    return query


def _answer_titles(titles: Iterable[str], *, as_json: bool, extra: dict[str, Any]) -> None:
    for title in titles:
        if as_json:
            print_json({"title": title, **extra})
        else:
            answer.print(title, markup=False, soft_wrap=True)


def _answer_matches(matches: list[Match], engine: Search, query: str, *, as_json: bool, extra: dict[str, Any]) -> None:
    for number, match in enumerate(matches, 1):
        if as_json:
            print_json(match_to_json(match) | extra)
        else:
            draw_match(number, match, answer)
    if not matches:
        _suggest_titles(engine, query)


def _suggest_titles(engine: Search, query: str) -> None:
    question = parse_query(query)
    page = question.page if question.page and engine.index.store.resolve(question.page) is None else None
    talk.print(f"nothing found: no page is called {page!r}" if page else "nothing found", markup=False, soft_wrap=True)
    name = page or question.name
    titles = engine.suggest(name, 5) or [title for word in name.split()[:8] for title in engine.suggest(word, 2)]
    if titles:
        talk.print(f"did you mean: {', '.join(dict.fromkeys(titles))}?", markup=False, soft_wrap=True)
