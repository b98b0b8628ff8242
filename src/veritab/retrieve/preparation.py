"""Documents at hand become a corpus with its index in one go, so that claims can be checked against them at once.

`Preparation` is a generator's worth of steps, as `Ingest` is: iterate over it to do the work and to draw a progress
bar; `folder` and `documents` are there when the iteration ends. Unless it is told a folder, it keeps what it makes in
the user's cache, named after what the documents hold and what read them: the second time there is nothing to do.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from veritab.corpus.cache import cache_folder, hash_code
from veritab.corpus.ingest import Ingest, IngestReport
from veritab.corpus.remote import SourcePath, file_size
from veritab.corpus.sources import ReaderOptions, SourceFile, source_files
from veritab.corpus.store import Store
from veritab.errors import FormatError, InputError, NotFound, VeritabError
from veritab.files import make_private_folder, new_folder, write_whole
from veritab.retrieve.index import Index, build_index
from veritab.schema import ListBlock, Passage, Problem, Sentence, TableBlock

PreparationStage: TypeAlias = Literal["reading", "indexing"]

_NOTE = "documents.json"
# What reads documents besides this package: another version of it may read them otherwise.
_READERS = ("lxml", "markdown-it-py", "openpyxl", "pdfplumber", "python-docx", "pypdfium2", "sentencex")
_MOST_KEPT = 50
_MOST_BYTES = 2 * 2**30
_IN_USE_SECONDS = 3600
_ABANDONED_SECONDS = 24 * 3600
_STRETCH = 2**20
# Below that, starting a second process takes longer than it saves.
_WORKERS_FROM_BYTES = 8 * 2**20


class PreparationProgress(NamedTuple):
    """How far the work is: bytes of the documents while they are read, pages while they are indexed."""

    stage: PreparationStage
    done: int
    total: int


class DocumentSummary(NamedTuple):
    """What was read of one source, a file or a folder of them."""

    name: str
    pages: int
    leaves: int
    """Pages of paper, or sheets, as far as something was read on them; a document that has none counts as one."""
    texts: int
    """Sentences, list items and passages."""
    tables: int
    problem_count: int
    problems: tuple[Problem, ...]
    """Some of each kind."""


class Preparation:
    """Makes a corpus of documents, or finds the one that was made of them before; iterate to do the work."""

    folder: Path
    """The corpus, once the work is done."""
    documents: tuple[DocumentSummary, ...] = ()
    """What was read of each source, once the work is done."""
    was_cached: bool = False

    def __init__(
        self,
        sources: Sequence[Path | str],
        *,
        into: Path | None = None,
        options: ReaderOptions = ReaderOptions(),  # noqa: B008
        keep_originals: bool = False,
    ) -> None:
        """`into` is a folder that does not exist yet; the caller removes it. Without one the cache is used."""
        if not sources:
            raise InputError("no documents were given; name a file or a folder")
        self._sources = [Path(source) for source in sources]
        self._into = into
        self._options = options
        self._keep_originals = keep_originals
        self._names = _names(self._sources)
        self._plans = [_plan(source, options) for source in self._sources]

    @property
    def name(self) -> str:
        """What a verdict calls the corpus."""
        first, *others = self._names
        return f"{first} and {len(others)} more" if others else first

    def __iter__(self) -> Iterator[PreparationProgress]:
        if self._into is not None:
            with new_folder(self._into) as partial:
                yield from self._make(partial)
            self.folder = self._into
            return
        kept = make_private_folder(cache_folder() / "documents")
        self.folder = kept / self._digest()
        if self._find():
            return
        _make_room(kept, self.folder)
        with new_folder(self.folder) as partial:
            yield from self._make(partial)

    def _digest(self) -> str:
        """Names what the documents hold and what reads them."""
        digest = hash_code("schema", "corpus", "retrieve")
        digest.update(repr([(package, _version(package)) for package in _READERS]).encode())
        for name, plan in zip(self._names, self._plans, strict=True):
            digest.update(repr(name).encode())
            for part in plan:
                if isinstance(part, Problem):
                    digest.update(repr(part).encode())
                    continue
                digest.update(repr((part.reader, part.title, part.path.name)).encode())
                for stretch in _read(part.path):
                    digest.update(stretch)
        return digest.hexdigest()

    def _find(self) -> bool:
        """Whether the corpus was made before and can be used; one that cannot is thrown away."""
        try:
            self.documents = _parse_note((self.folder / _NOTE).read_bytes())
            with Store.open(self.folder) as store, Index(store):
                pass
            os.utime(self.folder)
        except (OSError, VeritabError, ValueError, LookupError, TypeError):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.documents = ()
            return False
        self.was_cached = True
        return True

    def _make(self, folder: Path) -> Iterator[PreparationProgress]:
        with Store.create(folder) as store:
            problems = yield from self._ingest(store)
            self.documents = tuple(_summarise(store, problems))
            if not len(store):
                raise _nothing_read(self.documents)
            for done in build_index(store):
                yield PreparationProgress("indexing", *done)
        note = [
            {**each._asdict(), "problems": [asdict(problem) for problem in each.problems]} for each in self.documents
        ]
        write_whole(folder / _NOTE, json.dumps(note).encode())

    def _ingest(self, store: Store) -> Generator[PreparationProgress, None, dict[str, IngestReport]]:
        """Read every source on its own, so that each has its problems."""
        sizes = list(map(_size, self._plans))
        reports = {}
        for place, (source, name) in enumerate(zip(self._sources, self._names, strict=True)):
            workers = min(2, os.cpu_count() or 1) if sizes[place] >= _WORKERS_FROM_BYTES else 1
            ingest = Ingest(
                store,
                [source],
                names=[name],
                options=self._options,
                workers=workers,
                max_lost=1.0,
                keep_originals=self._keep_originals,
            )
            # What is cut or damaged is one of its problems; the rest can be checked against all the same.
            with suppress(FormatError):
                for step in ingest:
                    yield PreparationProgress("reading", sum(sizes[:place]) + step.read, sum(sizes))
            reports[name] = ingest.report
        return reports


def _plan(source: Path, options: ReaderOptions) -> list[SourceFile | Problem]:
    try:
        return list(source_files(source, options=options))
    except FormatError as error:
        # Its remedy names an option of `ingest`.
        what = str(error).partition(";")[0]
        raise InputError(f"{what}; give a Markdown, HTML, text, CSV, XLSX, DOCX or PDF file") from None


def _names(sources: Sequence[Path]) -> list[str]:
    """What each source is called: its own name, or where two would share that, its path and at last a number."""
    names = [source.resolve().name or str(source) for source in sources]
    if len(set(names)) < len(names):
        names = [str(source) for source in sources]
    return [
        f"{name} ({names[:place].count(name) + 1})" if name in names[:place] else name
        for place, name in enumerate(names)
    ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _read(path: SourcePath) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while stretch := file.read(_STRETCH):
                yield stretch
    except OSError as error:
        raise NotFound(f"cannot read {str(path)!r}: {error.strerror}; check its permissions") from None


def _size(plan: Iterable[SourceFile | Problem]) -> int:
    return sum(file_size(part.path) for part in plan if isinstance(part, SourceFile))


def _summarise(store: Store, reports: Mapping[str, IngestReport]) -> Iterator[DocumentSummary]:
    for name, report in reports.items():
        pages = leaves = texts = tables = 0
        for page in store.pages(source=name):
            pages += 1
            leaves += max((region.page for regions in page.located.values() for region in regions), default=1)
            for block in page.blocks:
                texts += len(block.items) if type(block) is ListBlock else type(block) in (Sentence, Passage)
                tables += type(block) is TableBlock
        count = sum(report.problem_counts.values())
        yield DocumentSummary(name, pages, leaves, texts, tables, count, tuple(map(_plain, report.problems)))


def _plain(problem: Problem) -> Problem:
    """A problem of whatever kind as one that can be written down."""
    return Problem(problem.page, problem.where, problem.what, problem.lost)


def _nothing_read(documents: Sequence[DocumentSummary]) -> InputError:
    names = ", ".join(repr(each.name) for each in documents[:3])
    why = next((f": {problem.what}" for each in documents for problem in each.problems), "")
    return InputError(f"nothing could be read of {names}{why}; give a document with text or a table in it")


def _parse_note(content: bytes) -> tuple[DocumentSummary, ...]:
    def parse(record: dict[str, Any]) -> DocumentSummary:
        problems = tuple(Problem(**problem) for problem in record["problems"])
        return DocumentSummary(**{**record, "problems": problems})

    return tuple(map(parse, json.loads(content)))


# -- the cache stays small ---------------------------------------------------------------------------------


class _Kept(NamedTuple):
    used: float
    folder: Path
    size: int


def _make_room(kept: Path, coming: Path) -> None:
    """Remove what was not used for the longest time, beyond a number and a size, and what a killed process left.

    Nothing goes that was used within the hour: another process may be reading it.
    """
    now = time.time()
    found = []
    for folder in kept.iterdir():
        with suppress(OSError):  # another process may be making room too
            used = folder.stat().st_mtime
            if folder.suffix == ".partial":
                if now - used > _ABANDONED_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)
            elif folder != coming:
                found.append(
                    _Kept(used, folder, sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))
                )
    size = 0
    for number, each in enumerate(sorted(found, reverse=True), 1):
        size += each.size
        if (number >= _MOST_KEPT or size > _MOST_BYTES) and now - each.used > _IN_USE_SECONDS:
            shutil.rmtree(each.folder, ignore_errors=True)
