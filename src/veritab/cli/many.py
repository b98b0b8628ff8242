"""Many claims: read from a file or as they come, checked by one process or several, kept so that nothing is lost."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import typer

from veritab.cli.answers import TEXT, write_lines
from veritab.cli.gate import GITHUB, FilePlace, Gate, write_annotations
from veritab.cli.output import answer, counted, print_json, talk, watched
from veritab.cli.streams import STDIN, chunks
from veritab.corpus.streams import open_stream
from veritab.errors import InputError, NotFound, VeritabError
from veritab.files import refuse_missing_folder
from veritab.render.tables import TableFinder, table_finder
from veritab.runs import (
    CheckerFactory,
    ClaimRecord,
    ClaimsFile,
    Run,
    check_all,
    check_in_processes,
    open_run,
    read_results,
)
from veritab.runs.checking import BATCH, check_batch
from veritab.runs.claims import FileFormat, detect_format, read_claims
from veritab.runs.run import refuse_foreign
from veritab.schema import Label

if TYPE_CHECKING:
    from veritab.pipeline import Checker

_STDIN = Path("-")
_GLANCE = 2**12


class Many(NamedTuple):
    """How the claims of a file are checked, and where the answers go."""

    format: str
    asked_format: str | None
    output: Path | None
    into: Path | None
    resume: bool
    workers: int
    as_json: bool
    gate: Gate

    @property
    def is_live(self) -> bool:
        """Whether answers can go out while claims come in."""
        return self.into is None and self.output is None and self.workers == 1 and self.format in (TEXT, "jsonl")


def check_file(path: Path, open_checker: CheckerFactory, many: Many) -> None:
    """Check the claims of a file, or of stdin as they come."""
    refuse_missing_folder(many.output)
    if many.resume and many.into is None:
        raise InputError("--resume goes on with a run in a folder; give it with --into DIR")
    if path == _STDIN:
        _refuse_closed_stdin()
        if many.is_live:
            _check_stream(open_checker, many)
            return
    with _open_claims(path) as claims:
        if not len(claims) and path == _STDIN:
            raise _no_claims()
        if not len(claims) and many.gate.is_set:
            raise InputError(f"{claims.name} holds no claims, so that --fail-on has nothing to judge; give some")
        if not len(claims):
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
def _open_claims(path: Path) -> Iterator[ClaimsFile]:
    """A file of claims, read through; stdin is kept aside meanwhile, since it can be read only once."""
    if path != _STDIN:
        if path.is_dir():
            raise InputError(f"{str(path)!r} is a folder; give a file of claims")
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


def _check_to_output(claims: ClaimsFile, open_checker: CheckerFactory, many: Many) -> None:
    """Answers go out as they are there; a terminal that shows them needs no bar."""
    counts = many.gate.labels
    started = time.monotonic()
    shown = many.output is None and answer.is_terminal
    with ExitStack() as stack:
        tables = _tables(stack, open_checker) if many.format == "html" else None
        answered = _batches(claims, open_checker, many.workers, 0)
        batches = answered if shown else watched("checking", answered, len(claims), 0)
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


def _tables(stack: ExitStack, open_checker: CheckerFactory) -> TableFinder:
    from veritab.corpus import open_corpus

    store = open_corpus(open_checker.corpus)
    stack.callback(store.close)
    return table_finder(store)


def _write(lines: Iterable[bytes], format: str, claims: ClaimsFile, many: Many, tables: TableFinder | None) -> None:
    if format == GITHUB:
        write_annotations(lines, _places(claims), many.gate, many.output)
    else:
        write_lines(lines, format, many.output, tables)


def _places(claims: ClaimsFile) -> Iterator[FilePlace]:
    """The lines that the claims of a file stand on; records of one JSON array have none of their own."""
    if claims.name == STDIN:
        return repeat(FilePlace())
    with open_stream(claims.path) as stream:
        is_array = stream.read(_GLANCE).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    return (FilePlace(claims.name, 0 if is_array else claim.number) for claim in claims)


def _batches(claims: ClaimsFile, open_checker: CheckerFactory, workers: int, done: int) -> Iterator[list[bytes]]:
    if done >= len(claims):
        return
    if workers > 1:
        yield from check_in_processes(claims, open_checker.for_worker(workers), workers, done=done)
        return
    with open_checker() as checker:
        yield from check_all(claims, checker, done=done)


# -- into a folder -----------------------------------------------------------------------------------------


def _check_into(folder: Path, claims: ClaimsFile, open_checker: CheckerFactory, many: Many) -> None:
    refuse_foreign(folder)
    started = time.monotonic()
    with open_run(folder, _record(claims, open_checker), claims, resume=many.resume) as run:
        before = run.done
        if before:
            talk.print(f"{before:,} of {counted(len(claims), 'claim')} were checked before", markup=False)
        try:
            for batch in watched("checking", _batches(claims, open_checker, many.workers, before), len(claims), before):
                run.append(batch)
        except (KeyboardInterrupt, VeritabError) as error:
            _print_how_to_resume(run, len(claims))
            if isinstance(error, KeyboardInterrupt):
                raise typer.Exit(130) from None
            raise
    seconds = time.monotonic() - started
    if many.asked_format:
        lines = map(orjson.dumps, read_results(run.results)) if run.results.exists() else iter(())
        with ExitStack() as stack:
            tables = _tables(stack, open_checker) if many.asked_format == "html" else None
            _write(lines, many.asked_format, claims, many, tables)
    if run.results.exists():
        for result in read_results(run.results):
            many.gate.note(result["label"], uncertain=result.get("uncertain", False))
    _print_summary(run, before, seconds, many)


def _record(claims: ClaimsFile, open_checker: CheckerFactory) -> dict[str, Any]:
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
    return {**source, "claims": len(claims), "claims_sha256": claims.sha256, **recorded}


def _print_how_to_resume(run: Run, total: int) -> None:
    words = ["veritab", *sys.argv[1:], *(() if "--resume" in sys.argv else ("--resume",))]
    talk.print(
        f"stopped; {run.done:,} of {counted(total, 'claim')} are checked and kept; go on with:\n  {shlex.join(words)}",
        markup=False,
        soft_wrap=True,
    )


def _print_summary(run: Run, before: int, seconds: float, many: Many) -> None:
    if many.asked_format and many.output is None:  # the answers themselves are on stdout
        return
    counts = many.gate.labels
    if many.as_json:
        labels = {label.value: counts[label.value] for label in Label}
        summary = {"claims": run.done, "checked": run.done - before, "labels": labels, "seconds": round(seconds, 3)}
        print_json({**summary, "folder": str(run.folder)})
        return
    answer.print(_summarise_counts(counts, seconds, run.done - before), markup=False, soft_wrap=True)
    answer.print(f"{run.results} has the answers.", markup=False, soft_wrap=True)


def _summarise_counts(counts: Counter[str], seconds: float, checked: int) -> str:
    """The end of the work in a line."""
    rate = f", {checked / seconds:.1f} a second" if seconds >= 1 and checked else ""
    labels = ", ".join(f"{counts[label.value]:,} {label.value}" for label in Label if counts[label.value])
    now = f"{counted(checked, 'claim')} checked in {seconds:.1f} s{rate}"
    all_of_them = f"; {counts.total():,} in all" if counts.total() != checked else ""
    return f"{now}{all_of_them}{f': {labels}' if labels else ''}."
