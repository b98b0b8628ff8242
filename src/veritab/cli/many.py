"""Many claims: of a file, a folder that may grow, or as they come; checked here or by many workers; nothing is lost."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import orjson
import typer

from veritab.cli.answers import TEXT, write_lines
from veritab.cli.cluster import cluster_over_corpus, describe_workers
from veritab.cli.gate import GITHUB, FilePlace, Gate, write_annotations
from veritab.cli.kept_runs import print_failed, print_how_to_resume
from veritab.cli.output import answer, counted, print_json, talk, watched
from veritab.cli.streams import STDIN, chunks
from veritab.corpus.streams import open_stream
from veritab.engine import Engine, ThisProcess
from veritab.errors import InputError, NotFound, VeritabError
from veritab.files import refuse_missing_folder
from veritab.processes import WorkerProcesses
from veritab.render.tables import TableFinder, table_finder
from veritab.runs import (
    CheckerFactory,
    ClaimRecord,
    ClaimsFile,
    ClaimsFolder,
    Run,
    check_on_engine,
    check_what_can_be,
    open_run,
    read_results,
)
from veritab.runs.checking import BATCH, AnswerLine, ClaimBatch, batches, batches_with, check_batch, remaining_batches
from veritab.runs.claims import FileFormat, SeenIds, detect_format, read_claims
from veritab.runs.run import read_files, refuse_foreign
from veritab.schema import Label

if TYPE_CHECKING:
    from veritab.pipeline import Checker
    from veritab.scale.cluster import ClusterEngine

_STDIN = Path("-")
_GLANCE = 2**12
_LOOK_EVERY = 0.5

Claims: TypeAlias = ClaimsFile | ClaimsFolder


class Many(NamedTuple):
    """How the claims of a file are checked, and where the answers go."""

    format: str
    asked_format: str | None
    output: Path | None
    into: Path | None
    resume: bool
    workers: int
    cluster: str | None
    follow: bool
    until_idle: float | None
    as_json: bool
    gate: Gate

    @property
    def is_live(self) -> bool:
        """Whether answers can go out while claims come in."""
        here = self.workers == 1 and self.cluster is None
        return here and self.into is None and self.output is None and self.format in (TEXT, "jsonl")


def check_file(path: Path, open_checker: CheckerFactory, many: Many) -> None:
    """Check the claims of a file, or of stdin as they come."""
    refuse_missing_folder(many.output)
    if many.resume and many.into is None:
        raise InputError("--resume goes on with a run in a folder; give it with --into DIR")
    if many.cluster and many.workers > 1:
        raise InputError("--workers are processes of this machine, and --cluster has workers of its own; give one")
    if many.follow and (many.into is None or not path.is_dir()):
        raise InputError("--follow is for a folder of claims that grows; give --file DIR --follow --into DIR")
    if many.until_idle is not None and not many.follow:
        raise InputError("--until-idle says when to stop following a folder; give it with --follow")
    if path == _STDIN:
        _refuse_closed_stdin()
        if many.is_live:
            _check_stream(open_checker, many)
            return
    with _open_claims(path, many.into) as claims:
        if not len(claims) and path == _STDIN:
            raise _no_claims()
        if not len(claims) and many.gate.is_set and not many.follow:
            raise InputError(f"{claims.name} holds no claims, so that --fail-on has nothing to judge; give some")
        if not len(claims) and not many.follow:
            talk.print(f"{claims.name} holds no claims", markup=False, soft_wrap=True)
        if many.into is not None:
            _check_into(many.into, claims, open_checker, many)
        else:
            _check_to_output(claims, open_checker, many)


def _refuse_closed_stdin() -> None:
    if sys.stdin is None:
        raise InputError("stdin is closed; give the claims with --file FILE")
    if sys.stdin.isatty():
        talk.print("type a claim a line, then Ctrl-D", style="dim")


@contextmanager
def _open_claims(path: Path, into: Path | None) -> Iterator[Claims]:
    """Claims, read through; stdin is kept aside meanwhile, since it can be read only once.

    Of a folder, what a run took up before comes first.
    """
    if path.is_dir():
        claims = ClaimsFolder(path)
        claims.recall(read_files(into) if into else ())
        claims.take_up()
        yield claims
        return
    if path != _STDIN:
        if not path.exists():
            raise NotFound(f"no file {str(path)!r}; give a path that exists")
        yield ClaimsFile.open(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / STDIN
        with kept.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield ClaimsFile.open(kept, STDIN)


# -- as they come ------------------------------------------------------------------------------------------


def _check_stream(open_checker: CheckerFactory, many: Many) -> None:
    """Claims that wait are checked together; none waits for the next to be written."""
    with ExitStack() as stack:
        checker: Checker | None = None
        for claims_read in _read_stdin():
            good = [each for each in claims_read if isinstance(each, ClaimRecord)]
            if good and checker is None:
                checker = stack.enter_context(open_checker())
            if good and checker:
                write_lines(many.gate.watch(check_batch(checker, good)), many.format, None)
            bad = next((each for each in claims_read if isinstance(each, InputError)), None)
            if bad:
                raise bad
        if checker is None:
            raise _no_claims()


def _no_claims() -> InputError:
    return InputError(
        'stdin holds no claims; give one a line, or try: veritab check "Mount Everest is higher than K2."'
    )


def _read_stdin() -> Iterator[list[ClaimRecord | InputError]]:
    """The claims of stdin as they come, up to the first bad line of each chunk."""
    stream = sys.stdin.buffer
    format: FileFormat | None = None
    number = 0
    for chunk in chunks(stream, BATCH):
        lines = [line + b"\n" for line in chunk]
        if format is None and (first := next((line for line in lines if line.strip()), b"")):
            format = detect_format(first)
            if format == "csv" or first.lstrip().startswith(b"["):
                # Neither is cut into claims by the ends of lines.
                yield _up_to_first_error(read_claims(chain(lines, stream), STDIN, format))
                return
        if format:
            yield _up_to_first_error(read_claims(lines, STDIN, format, skipped=number))
        number += len(lines)


def _up_to_first_error(claims_read: Iterable[ClaimRecord | InputError]) -> list[ClaimRecord | InputError]:
    kept: list[ClaimRecord | InputError] = []
    for each in claims_read:
        kept.append(each)
        if isinstance(each, InputError):
            break
    return kept


# -- a file, straight through ------------------------------------------------------------------------------


def _check_to_output(claims: Claims, open_checker: CheckerFactory, many: Many) -> None:
    """Answers go out as they are there; a terminal that shows them needs no bar."""
    counts = many.gate.labels
    started = time.monotonic()
    shown = many.output is None and answer.is_terminal
    with ExitStack() as stack:
        tables = _tables(stack, open_checker) if many.format == "html" else None
        answered: Iterable[list[bytes]] = ()
        beside: Callable[[], str] = str
        if len(claims):
            engine, open_checker = stack.enter_context(_opened_engine(open_checker, many))
            answered = check_on_engine(claims, open_checker, engine)
            beside = partial(_describe, engine, many)
        batches = answered if shown else watched("checking", answered, len(claims), 0, beside)
        try:
            _write(many.gate.watch(chain.from_iterable(batches)), many.format, claims, many, tables)
        except KeyboardInterrupt:
            talk.print(
                f"stopped after {counts.total():,} of {counted(len(claims), 'claim')}; with --into DIR what was "
                "checked is kept, and --resume goes on",
                soft_wrap=True,
            )
            raise typer.Exit(130) from None
    if talk.is_terminal and len(claims):
        talk.print(_summarise_counts(counts, time.monotonic() - started, counts.total()), markup=False, soft_wrap=True)


@contextmanager
def _opened_engine(open_checker: CheckerFactory, many: Many) -> Iterator[tuple[Engine, CheckerFactory]]:
    """The engine that was asked for, and how its workers open the checker."""
    if many.cluster:
        with cluster_over_corpus(many.cluster, open_checker.corpus) as engine:
            yield engine, open_checker.for_worker(engine.cores)
    elif many.workers > 1:
        with WorkerProcesses(many.workers) as processes:
            yield processes, open_checker.for_worker(processes.cores)
    else:
        yield ThisProcess(), open_checker


def _describe(engine: Engine, many: Many) -> str:
    return describe_workers(cast("ClusterEngine", engine)) if many.cluster else ""


def _tables(stack: ExitStack, open_checker: CheckerFactory) -> TableFinder:
    from veritab.corpus import open_corpus

    store = open_corpus(open_checker.corpus)
    stack.callback(store.close)
    return table_finder(store)


def _write(
    lines: Iterable[bytes],
    format: str,
    claims: Claims,
    many: Many,
    tables: TableFinder | None,
    failed: Container[str] = (),
) -> None:
    if format == GITHUB:
        write_annotations(lines, _places(claims, failed), many.gate, many.output)
    else:
        write_lines(lines, format, many.output, tables)


def _places(claims: Claims, failed: Container[str]) -> Iterator[FilePlace]:
    """The lines that the claims of a file stand on; records of one JSON array have none of their own."""
    if claims.name == STDIN:
        return repeat(FilePlace())
    files = claims.files.values() if isinstance(claims, ClaimsFolder) else [claims]
    return (
        FilePlace(file.name, 0 if is_array else claim.number)
        for file in files
        for is_array in [_is_array(file.path)]
        for claim in file
        if str(claim.id) not in failed
    )


def _is_array(path: Path) -> bool:
    with open_stream(path) as stream:
        return stream.read(_GLANCE).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


# -- into a folder -----------------------------------------------------------------------------------------


def _check_into(folder: Path, claims: Claims, open_checker: CheckerFactory, many: Many) -> None:
    refuse_foreign(folder)
    if isinstance(claims, ClaimsFile):
        SeenIds().add(claims)
    started = time.monotonic()
    # The engine comes first: where there is no cluster, no run is begun.
    with _opened_engine(open_checker, many) as (engine, opening):
        record = _record(claims, open_checker)
        with open_run(folder, record, claims, resume=many.resume) as run:
            work = _Work(run, claims, many)
            before = work.announce()
            try:
                work.check(opening, engine, record["corpus"]["revision"])
            except (KeyboardInterrupt, VeritabError) as error:
                print_how_to_resume(run, len(claims), "checked")
                if isinstance(error, KeyboardInterrupt):
                    raise typer.Exit(130) from None
                raise
    seconds = time.monotonic() - started
    if many.asked_format:
        lines = map(orjson.dumps, read_results(run.results)) if run.results.exists() else iter(())
        with ExitStack() as stack:
            tables = _tables(stack, open_checker) if many.asked_format == "html" else None
            _write(lines, many.asked_format, claims, many, tables, run.failed)
    if run.results.exists():
        for result in read_results(run.results):
            many.gate.note(result["label"], uncertain=result.get("uncertain", False))
    _print_summary(run, before, seconds, work.workers, many)
    if run.failed:
        raise typer.Exit(1)


class _Work:
    """What is left of a run, and its checking."""

    def __init__(self, run: Run, claims: Claims, many: Many) -> None:
        self._run, self._claims, self._many = run, claims, many
        self.workers = 1
        self._failed_before = frozenset(run.failed)
        if isinstance(claims, ClaimsFolder):
            recorded = len(read_files(run.folder))
            run.note_files(list(claims.files.values())[recorded:])

    def announce(self) -> int:
        """Say what was done before; how many claims that were."""
        before, again = self._run.done, len(self._failed_before)
        if before:
            failed = f"; {again:,} of them failed and will be tried again" if again else ""
            told = f"{before:,} of {counted(len(self._claims), 'claim')} were checked before{failed}"
            talk.print(told, markup=False, soft_wrap=True)
        return before - again

    def check(self, open_checker: CheckerFactory, engine: Engine, revision: str) -> None:
        """Check what is left, then once more what failed before."""

        def check(remaining: Iterable[ClaimBatch]) -> Iterator[list[AnswerLine]]:
            return check_what_can_be(remaining, open_checker, engine, revision=revision)

        run, claims, beside = self._run, self._claims, partial(_describe, engine, self._many)
        rounds = chain.from_iterable(check(remaining) for remaining in self._rounds())
        for answers in watched("checking", rounds, claims, run.done, beside):
            self.workers = max(self.workers, engine.workers)
            run.append(answers)
        if self._failed_before:
            failed = batches_with(claims, self._failed_before)
            again = watched("checking again", check(map(ClaimBatch, failed)), sum(map(len, failed)), 0, beside)
            run.replace_failed(claims, zip(chain.from_iterable(failed), chain.from_iterable(again), strict=True))

    def _rounds(self) -> Iterator[Iterator[ClaimBatch]]:
        """The batches that can be checked now; then, of a folder that is followed, those of files that come later.

        An engine looks ahead for work, and would keep back answers while it waits for a file: so each round ends where
        no more files are there, and what is under way is written.
        """
        claims, follow = self._claims, self._many.follow
        if not isinstance(claims, ClaimsFolder) or not follow:
            yield remaining_batches(claims, self._run.done)
            return
        yield chain(remaining_batches(claims, self._run.done), self._later_batches())
        idle_since = time.monotonic()
        while not claims.is_done:
            if self._many.until_idle is not None and time.monotonic() - idle_since > self._many.until_idle:
                return
            time.sleep(_LOOK_EVERY)
            before = len(claims)
            yield self._later_batches()
            if len(claims) > before:
                idle_since = time.monotonic()
        yield self._later_batches()  # what came together with the word that it was the last

    def _later_batches(self) -> Iterator[ClaimBatch]:
        assert isinstance(self._claims, ClaimsFolder)
        while new := self._claims.take_up():
            self._run.note_files(new)
            yield from map(ClaimBatch, batches(chain.from_iterable(new)))


def _record(claims: Claims, open_checker: CheckerFactory) -> dict[str, Any]:
    """What the run needs to be repeated."""
    from veritab.settings import record

    with talk.status("opening the corpus"), open_checker() as checker:
        recorded = record(checker)
    documents = [str(path.absolute()) for path in open_checker.documents]
    # A corpus that was made of documents may be gone when the run is checked again; they can be read again.
    corpus = None if documents else open_checker.corpus
    folder = str(corpus.absolute()) if corpus else None
    file = str(claims.path.absolute()) if claims.name != STDIN else claims.name
    source = {"file": file, "folder": folder} | ({"documents": documents} if documents else {})
    # How many claims a folder will hold nobody knows yet; the run lists its files beside.
    size, sha256 = (len(claims), claims.sha256) if isinstance(claims, ClaimsFile) else (None, None)
    return {**source, "claims": size, "claims_sha256": sha256, **recorded}


def _print_summary(run: Run, before: int, seconds: float, workers: int, many: Many) -> None:
    counts, failed = many.gate.labels, run.failed
    print_failed(run)
    if many.asked_format and many.output is None:  # the answers themselves are on stdout
        return
    checked = counts.total() - before
    if many.as_json:
        labels = {label.value: counts[label.value] for label in Label}
        summary = {"claims": run.done, "checked": checked, "failed": len(failed), "labels": labels}
        print_json({**summary, "seconds": round(seconds, 3), "folder": str(run.folder)})
        return
    answer.print(_summarise_counts(counts, seconds, checked, workers), markup=False, soft_wrap=True)
    answer.print(f"{run.results} has the answers.", markup=False, soft_wrap=True)


def _summarise_counts(counts: Counter[str], seconds: float, checked: int, workers: int = 1) -> str:
    """The end of the work in a line."""
    rate = f", {checked / seconds:.1f} a second" if seconds >= 1 and checked else ""
    by = f" by {workers} workers" if workers > 1 else ""
    labels = ", ".join(f"{counts[label.value]:,} {label.value}" for label in Label if counts[label.value])
    now = f"{counted(checked, 'claim')} checked in {seconds:.1f} s{by}{rate}"
    all_of_them = f"; {counts.total():,} in all" if counts.total() != checked else ""
    return f"{now}{all_of_them}{f': {labels}' if labels else ''}."
