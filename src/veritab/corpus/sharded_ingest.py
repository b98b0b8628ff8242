"""Sources into a corpus of shards: parts parsed by any worker, shards filled one by one, resumable at any point.

    source --cut into parts--> `spool_part` --a spool for each part--> `fill_shard` --> a shard

Which parts a source has depends on the source alone, and pages are numbered in the order of the source: workers and
shards may be many or few, the pages and their numbers' order are the same. What was done is not done again after a
stop: a spool appears whole, and a shard takes all that a source has for it in one transaction.
"""

from __future__ import annotations

import json
import logging
import secrets
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from hashlib import sha256
from heapq import nsmallest
from importlib.metadata import version
from itertools import chain
from pathlib import Path

from veritab.corpus.collector import tune_collector
from veritab.corpus.filling import Before, Filled, Filling, fill_shard, shift_lines
from veritab.corpus.ingest import (
    DISPLACED,
    SAMPLES_PER_KIND,
    SECOND,
    IngestProgress,
    IngestReport,
    redirect_problems,
    refuse_too_many,
    refuse_truncated,
)
from veritab.corpus.originals import drop_copies
from veritab.corpus.parts import (
    SETTLED,
    WAITING_BYTES,
    SourcePart,
    Spooled,
    Spooling,
    cut_into_parts,
    read_settled,
    sent_bytes,
    spool_part,
    spool_path,
    write_known,
)
from veritab.corpus.remote import RemoteFile, file_size, locate
from veritab.corpus.shards import (
    DOCUMENTS,
    MANIFEST,
    ShardedStore,
    ShardList,
    make_shards,
    order_of_number,
    read_manifest,
    write_manifest,
)
from veritab.corpus.sources import ReaderOptions, SourceFile, source_files, source_name
from veritab.corpus.spools import storage_errors
from veritab.corpus.store import FILE, lock_folder, make_corpus_folder
from veritab.corpus.streams import Truncated
from veritab.engine import Engine
from veritab.errors import FormatError, InputError, TooManyProblems, VeritabError
from veritab.files import write_whole
from veritab.processes import Waiting, open_processes
from veritab.schema import Problem

log = logging.getLogger(__name__)

SPOOL = "spool"
"""The folder in that of a corpus where an ingest at work keeps what it has parsed; it goes with its end."""
_RUN = "run.json"
# The share of the bar that is the filling of shards.
_FILLING = 0.2


class ShardedIngest:
    """Reads sources into a corpus of shards, by any engine; iterate to do the work."""

    def __init__(
        self,
        folder: Path | str,
        sources: Sequence[Path | str],
        *,
        shards: int | None = None,
        format: str | None = None,
        options: ReaderOptions = ReaderOptions(),  # noqa: B008
        workers: int = 1,
        max_lost: float = 0.1,
        names: Sequence[str] | None = None,
        keep_originals: bool = False,
        engine: Engine | None = None,
    ) -> None:
        self.report = IngestReport()
        self._folder = Path(folder).absolute()
        given = [locate(source) for source in sources]
        self._names = list(names or map(source_name, given))
        self._called = list(names or [source_name(each) if isinstance(each, str) else str(each) for each in given])
        # A worker may have been started in another folder.
        self._sources = [each if isinstance(each, str) else each.absolute() for each in given]
        self._shards = shards
        self._format = format
        self._options = options
        self._workers = workers
        self._max_lost = max_lost
        self._keep_originals = keep_originals
        self._engine = engine
        self._run = ""
        self._read = 0.0
        self._total = 0

    def __iter__(self) -> Iterator[IngestProgress]:
        started = time.monotonic()
        # Checked before anything is written: a misspelt path must not leave half a corpus behind.
        plans = [list(source_files(source, self._format, self._options)) for source in self._sources]
        self._total = sum(file_size(file.path) for plan in plans for file in plan if isinstance(file, SourceFile))
        failures: list[VeritabError] = []
        with self._writing() as manifest, self._open_engine() as engine:
            self._run = self._resume_or_begin(plans, manifest)
            for task, plan in enumerate(plans):
                try:
                    yield from self._ingest(task, plan, manifest, engine)
                except (FormatError, TooManyProblems) as failure:
                    failures.append(failure)  # the sources after this one are read all the same
            if not manifest.whole:
                write_manifest(self._folder, manifest._replace(whole=True))
            with ShardedStore(self._folder) as store:
                drop_copies(store)
                for problem in redirect_problems(store):
                    self._note(problem)
            self._forget_run()
        self.report.seconds = time.monotonic() - started
        if failures:
            raise failures[0]

    @property
    def _spool(self) -> Path:
        return self._folder / SPOOL

    @contextmanager
    def _writing(self) -> Iterator[ShardList]:
        """The shards, which nobody else writes to meanwhile."""
        make_corpus_folder(self._folder)
        if (self._folder / FILE).exists():
            raise InputError(
                f"{str(self._folder)!r} is a corpus of one file, which is not cut into shards; "
                "ingest into another folder, or without --shards"
            )
        with closing(lock_folder(self._folder)):
            if not (self._folder / MANIFEST).exists():
                make_shards(self._folder, self._shards or 1, whole=False)
            manifest = read_manifest(self._folder)
            if self._shards not in (None, len(manifest.shards)):
                raise InputError(
                    f"{str(self._folder)!r} has {len(manifest.shards):,} shards, not {self._shards:,}; "
                    "leave --shards out, or ingest into another folder"
                )
            ShardedStore(self._folder, unfinished=True).close()  # refuses shards that are missing or of another corpus
            yield manifest

    @contextmanager
    def _open_engine(self) -> Iterator[Engine]:
        with ExitStack() as stack:
            yield self._engine or stack.enter_context(
                open_processes(self._workers, waiting=Waiting(sent_bytes, WAITING_BYTES), start=tune_collector)
            )

    def _resume_or_begin(self, plans: list[list[SourceFile | Problem]], manifest: ShardList) -> str:
        """The name of this run: that of one that was stopped, if it was of the same command and the same files."""
        program = (version("veritab"), sys.version_info[:2])
        options = (self._max_lost, self._keep_originals)
        stamps = [_stamps(plan) for plan in plans]
        of_what = sha256(repr([program, options, self._names, stamps, manifest.shards]).encode()).hexdigest()
        note = self._spool / _RUN
        try:
            stopped = json.loads(note.read_bytes())
            if stopped["of"] == of_what:
                log.info("going on with the ingest that was stopped")
                return str(stopped["run"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # nothing to go on with: what is there is of no use
        run = secrets.token_hex(8)
        with storage_errors(self._folder):
            if self._spool.exists():
                self._forget_run()
            self._spool.mkdir()
            write_whole(note, json.dumps({"run": run, "of": of_what}).encode())
        return run

    def _forget_run(self) -> None:
        """Remove the spools; their note first, so that a removal that was stopped leaves nothing to go on with."""
        (self._spool / _RUN).unlink(missing_ok=True)
        shutil.rmtree(self._spool)

    def _ingest(
        self, task: int, plan: list[SourceFile | Problem], manifest: ShardList, engine: Engine
    ) -> Iterator[IngestProgress]:
        spools = self._spool / f"source-{task:04}"
        size = sum(file_size(file.path) for file in plan if isinstance(file, SourceFile))
        read, pages = self._read, self.report.pages
        parsed = _Parsed()
        stamps = _stamps(plan)
        for part in self._parse(spools, task, plan, manifest, engine):
            parsed.take(part)
            yield self._step(read + (1 - _FILLING) * parsed.bytes, pages + parsed.pages + parsed.known)
        self._refuse_changed(task, plan, stamps)
        failure = self._judge(task, parsed)
        filling = Filling(
            self._folder,
            tuple(shard.folder for shard in manifest.shards),
            spools,
            tuple(parsed.parts),
            self._run,
            task,
            self._names[task],
            repr(sorted({repr(file.reader) for file in plan if isinstance(file, SourceFile)})),
            self._settle_base(spools, len(parsed.parts)),
            failure is None,
        )
        filled: list[Filled] = []
        for order in self._fill_order(len(filling.shards), documents=parsed.documents):
            for shard in engine.map(partial(fill_shard, filling), order):
                filled.append(shard)
                share = 1 - _FILLING + _FILLING * len(filled) / len(filling.shards)
                yield self._step(read + share * size, pages + parsed.pages + parsed.known)
        self._read = read + size
        self._tell(parsed, filled)
        yield self._step(self._read, self.report.pages)
        if failure:
            raise failure

    def _parse(
        self, spools: Path, task: int, plan: list[SourceFile | Problem], manifest: ShardList, engine: Engine
    ) -> Iterator[Spooled]:
        """What the parts of a source hold; those whose spools are there are not parsed again."""
        known: Path | None = None
        copies = self._folder if self._keep_originals else None
        with storage_errors(self._folder):
            spools.mkdir(exist_ok=True)
        if settled := read_settled(spools):
            parts: Iterable[SourcePart] = (SourcePart(number, (), 0) for number in range(settled[0]))
        else:
            parts = (
                part._replace(pieces=()) if spool_path(spools, part.number).exists() else part
                for part in cut_into_parts(plan)
            )
            known = self._known(spools / "known.sqlite", self._names[task])
        yield from engine.map(partial(spool_part, Spooling(spools, len(manifest.shards), known, copies)), parts)

    def _fill_order(self, count: int, *, documents: bool) -> tuple[range, ...]:
        """Which shards are filled side by side: what documents are called depends on the pages of all others."""
        if not documents:
            with ShardedStore(self._folder, unfinished=True) as store:
                documents = store.has_documents()
        return (range(1, count), range(DOCUMENTS, 1)) if documents else (range(count),)

    def _known(self, file: Path, source: str) -> Path | None:
        """The database of what the shards have from a source, made where it is missing."""
        if not file.exists():
            with ShardedStore(self._folder, unfinished=True) as store, storage_errors(self._folder):
                return file if write_known(file, store, source) else None
        return file

    def _settle_base(self, spools: Path, parts: int) -> int:
        """Where the first page of a source stands: above all that have or had a number when its filling began."""
        if settled := read_settled(spools):
            return settled[1]
        base = 1
        with ShardedStore(self._folder, unfinished=True) as store:
            base += max(order_of_number(shard.highest_number()) for shard in store.shards)
        with storage_errors(self._folder):
            write_whole(spools / SETTLED, json.dumps([parts, base]).encode())
        return base

    def _refuse_changed(self, task: int, plan: list[SourceFile | Problem], stamps: list[object]) -> None:
        """Refuse a source that was changed after its first part was read: its parts would be of two states."""
        try:
            changed = _stamps(plan) != stamps
        except FileNotFoundError:
            changed = True
        if changed:
            raise InputError(
                f"{self._called[task]!r} was changed while it was read; nothing of it was written; "
                "run the same command again when nobody writes to it"
            )

    def _judge(self, task: int, parsed: _Parsed) -> VeritabError | None:
        """Why a source counts as not read to its end, if it does."""
        try:
            refuse_truncated(parsed.truncated)
            problems = chain(self.report.problems, (problem for *_, problem in parsed.samples))
            refuse_too_many(self._called[task], parsed.records, parsed.lost, problems, self._max_lost)
        except (FormatError, TooManyProblems) as failure:
            return failure
        return None

    def _tell(self, parsed: _Parsed, filled: list[Filled]) -> None:
        """Put what parts and shards gave together, as one process would have told it."""
        report = self.report
        report.records += parsed.records
        report.redirects += parsed.redirects
        for shard in filled:
            report.added += shard.added
            report.changed += shard.changed
            report.unchanged += shard.unchanged
            report.removed += shard.removed
        second = [
            (record, position, Problem(page, where, SECOND))
            for shard in filled
            for record, position, page, where in shard.second_samples
        ]
        counts = parsed.counts + Counter({SECOND: sum(shard.second for shard in filled)})
        samples = sorted(parsed.samples + second, key=lambda sample: sample[:2])
        report.note_all(counts, [problem for *_, problem in samples], parsed.lost)
        displaced = nsmallest(SAMPLES_PER_KIND, chain.from_iterable(shard.displaced_samples for shard in filled))
        report.note_all(
            Counter({DISPLACED: sum(shard.displaced for shard in filled)}),
            [Problem(page, source, DISPLACED) for _, page, source in displaced],
        )

    def _note(self, problem: Problem) -> None:
        self.report.note(problem)
        log.debug("%s: %s (%s)", problem.where, problem.what, problem.page)

    def _step(self, read: float, pages: int) -> IngestProgress:
        problems = sum(self.report.problem_counts.values())
        return IngestProgress(min(int(read), self._total), self._total, pages, problems)


class _Parsed:
    """What the parts of a source held, gathered in their order."""

    def __init__(self) -> None:
        self.parts: list[Before] = []
        self.records = self.pages = self.known = self.redirects = self.lost = self.bytes = 0
        self.documents = False
        self.counts: Counter[str] = Counter()
        self.samples: list[tuple[int, int, Problem]] = []
        self.truncated: list[Problem] = []
        self._sampled: Counter[str] = Counter()
        self._lines = 0

    def take(self, part: Spooled) -> None:
        """Take what the next part held."""
        before = Before(self.records, self.pages, 0 if part.begins_file else self._lines)
        self._lines = before.lines + part.lines
        self.parts.append(before if part.lines else before._replace(lines=0))
        for record, position, cut_off, page, where, what, lost in part.problems:
            kind = Truncated if cut_off else Problem
            problem = kind(page, shift_lines(where, self.parts[-1].lines), what, lost=lost)
            if cut_off:
                self.truncated.append(problem)
            self._sampled[what] += 1
            if self._sampled[what] <= SAMPLES_PER_KIND:
                self.samples.append((before.records + record, position, problem))
        self.counts.update(dict(part.counts))
        self.records += part.records
        self.pages += part.pages
        self.known += part.known
        self.redirects += part.redirects
        self.lost += part.lost
        self.documents |= part.documents
        self.bytes += part.bytes


def _stamps(plan: Iterable[SourceFile | Problem]) -> list[object]:
    """What tells whether the files of a source are still those that were read before."""
    stamps: list[object] = []
    for file in plan:
        if isinstance(file, Problem):
            stamps.append(str(file))
        elif isinstance(file.path, RemoteFile):
            stamps.append((str(file), file.path.size))
        else:
            about = file.path.stat()
            stamps.append((str(file), about.st_size, about.st_mtime_ns))
    return stamps
