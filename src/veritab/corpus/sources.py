"""From a path to a reader: what a file or folder holds, by its content rather than by its name alone."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import quote

from veritab.corpus.database import is_sqlite
from veritab.corpus.remote import RemoteFile, SourcePath, locate, on_disk, printable_url, remote_files
from veritab.corpus.streams import BROKEN_STREAM, ByteRange, RawRecord, describe_error, open_stream, printable_path
from veritab.errors import DamagedStore, FormatError, InputError, NotFound
from veritab.plugins import load_plugin, plugin_names
from veritab.schema import Page, Problem, Redirect
from veritab.text import nfc

_AnyPath = TypeVar("_AnyPath", Path, RemoteFile)
_GLANCE = 2**16
_COMPRESSED = (".gz", ".bz2", ".xz")
LEADS_OUT = "left out: a link that leads out of the folder; --follow-links reads it"
_WIKITEXT = frozenset({".wiki", ".wikitext", ".mediawiki"})
# What only pages of MediaWiki contain.
_WIKIPEDIA_MARKERS = (
    b"mw-parser-output",
    b"mw-content-text",
    b"mw:PageProp",
    b'content="MediaWiki',
    b'class="mw-headline"',
)
_CREATED = re.compile(rb"CREATE TABLE (?:IF NOT EXISTS )?[\"'`\[]?(\w+)", re.IGNORECASE)


class SourceReader(Protocol):
    """Sources become pages in two steps, so that one process can cut while others parse."""

    def cut(self, path: SourcePath) -> Iterator[RawRecord | Problem]:
        """The records of a file, one after the other: cheap, streaming, in constant memory."""
        ...

    def parse(self, raw: RawRecord) -> Iterator[Page | Redirect | Problem]:
        """What one record holds: the work, and a function of the record alone."""
        ...


class DividingReader(SourceReader, Protocol):
    """A reader that reads parts of some files by themselves, so that many can read a large one."""

    def divided_by(self, path: SourcePath) -> str:
        """What a file can be cut between: "lines", whose numbers then count from its span, "pages", or nothing."""
        ...

    def cut(self, path: SourcePath, span: ByteRange = ...) -> Iterator[RawRecord | Problem]:
        """The records that begin in a span of a file."""
        ...


class ReaderOptions(NamedTuple):
    """How a caller wants sources to be read."""

    drop_flagged: bool = False
    sentences: bool = False
    follow_links: bool = False
    """Whether links of a folder are followed that lead out of it."""


# The class of each reader and its module, which is imported when a file needs it.
_READERS = {
    "documents": ("veritab.corpus.documents", "DocumentReader"),
    "fever": ("veritab.corpus.fever", "FeverReader"),
    "feverous": ("veritab.corpus.feverous", "FeverousReader"),
    "passages": ("veritab.corpus.passages", "PassageReader"),
    "wikipedia": ("veritab.corpus.wikipedia", "WikipediaReader"),
    "wikitext": ("veritab.corpus.wikitext", "WikitextReader"),
}
FORMATS = tuple(_READERS)


def _reader(format: str, options: ReaderOptions) -> SourceReader:
    """The reader of a format, one of ours or of an installed package; it gets the options that it has fields for."""
    if format not in _READERS:
        return _PluginReader(load_plugin("readers", format))
    module, name = _READERS[format]
    made: Callable[..., SourceReader] = getattr(import_module(module), name)
    wanted = {field.name for field in fields(made)}  # type: ignore[arg-type]
    return made(**{key: value for key, value in options._asdict().items() if key in wanted})


@dataclass(frozen=True)
class _PluginReader:
    """A reader of another package, which knows nothing of files that lie elsewhere."""

    reader: SourceReader

    def __repr__(self) -> str:
        return repr(self.reader)

    def cut(self, path: SourcePath) -> Iterator[RawRecord | Problem]:
        with on_disk(path) as file:
            yield from self.reader.cut(file)

    def parse(self, raw: RawRecord) -> Iterator[Page | Redirect | Problem]:
        yield from self.reader.parse(raw)


class SourceFile(NamedTuple):
    """One file of a source with the reader for it; `title` names its page when the file itself does not."""

    path: SourcePath
    reader: SourceReader
    title: str = ""
    file: str = ""
    """Its name inside the source, when that is a folder."""


def source_name(source: Path | str) -> str:
    """What a store calls a source: the same name again means the same source, brought up to date."""
    return printable_url(source) if isinstance(source, str) else printable_path(source.resolve())


def source_files(
    source: Path | str,
    format: str | None = None,
    options: ReaderOptions = ReaderOptions(),  # noqa: B008
) -> Iterator[SourceFile | Problem]:
    """The files of a source, in the order of their names; a file that no reader can read is a problem."""
    path = locate(source)
    if format is not None and format not in (*FORMATS, *plugin_names("readers")):
        raise InputError(f"{format!r} is not a format; known are: {', '.join((*FORMATS, *plugin_names('readers')))}")
    if isinstance(path, str):
        yield from _remote_files(path, format, options)
    elif path.is_dir():
        yield from _folder_files(path, format, options)
    elif path.is_file():
        yield _source_file(path, format, options)
    elif path.exists():
        raise InputError(f"{printable_path(path)!r} is a pipe or a device; a file is needed, save it first")
    else:
        raise NotFound(f"no file or folder {str(source)!r}; give a path that exists")


def read_source(source: Path | str, format: str | None = None, **options: bool) -> Iterator[Page | Redirect | Problem]:
    """Everything a source holds, one page at a time."""
    for part in source_files(source, format, ReaderOptions(**options)):
        if isinstance(part, Problem):
            yield part
            continue
        for raw in part.reader.cut(part.path):
            yield from part.reader.parse(add_title(raw, part)) if isinstance(raw, RawRecord) else (raw,)


def add_title(raw: RawRecord, part: SourceFile) -> RawRecord:
    """A record with the title its file gives it, where it has none of its own, and with the name of that file."""
    titled = raw._replace(title=part.title) if part.title and not raw.title else raw
    return titled._replace(file=part.file) if part.file and raw.file else titled


def _source_file(path: SourcePath, format: str | None, options: ReaderOptions, title: str = "") -> SourceFile:
    return SourceFile(path, _reader(format or detect_format(path), options), title)


def _folder_files(folder: Path, format: str | None, options: ReaderOptions) -> Iterator[SourceFile | Problem]:
    files, left_out = _walk(folder, follow_links=options.follow_links)
    if not files:
        because = next((f" that can be read ({each.where}: {each.what})" for each in left_out), "")
        raise InputError(f"{str(folder)!r} holds no files{because}; put documents in it, or name another folder")
    yield from left_out
    names = {path: printable_path(path.relative_to(folder).as_posix()) for path in files}
    yield from _named_files(names, format, options)


def _remote_files(url: str, format: str | None, options: ReaderOptions) -> Iterator[SourceFile | Problem]:
    files = remote_files(url)
    if "" in files.values():
        yield _source_file(next(iter(files)), format, options)
        return
    shown = {path: name for path, name in files.items() if not any(map(_is_hidden, name.split("/")))}
    if not shown:
        raise InputError(f"{printable_url(url)!r} holds hidden files only; name another folder")
    yield from _named_files(shown, format, options)


def _named_files(
    names: Mapping[_AnyPath, str], format: str | None, options: ReaderOptions
) -> Iterator[SourceFile | Problem]:
    """Files by their names inside their folder."""
    titles = _titles(names)
    for path, file in names.items():
        try:
            yield _source_file(path, format, options, titles[path])._replace(file=file)
        except (FormatError, DamagedStore, *BROKEN_STREAM) as error:
            told = str(error).replace(str(path), file)
            yield Problem("", f"{file}: {told}", "a file no reader can read")


def _walk(folder: Path, *, follow_links: bool) -> tuple[list[Path], list[Problem]]:
    """The files of a folder in the order of their names, and what is left out; hidden ones are passed over.

    Links that lead out of the folder are followed only when that is asked for: whoever could put one there would
    otherwise have any file read that its reader may read.
    """
    root = os.path.realpath(folder)
    files: list[Path] = []
    left_out: list[Problem] = []
    seen: set[str] = set()

    def leave_out(path: Path, what: str) -> None:
        left_out.append(Problem("", printable_path(path.relative_to(folder)), what))

    def leads_out(path: Path) -> bool:
        return path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(root)

    def is_read(path: Path) -> bool:
        if leads_out(path) and not follow_links:
            leave_out(path, LEADS_OUT)
            return False
        # A folder that a link leads to inside is read where it lies.
        return leads_out(path) or not (path.is_symlink() and path.is_dir())

    def leave_out_closed(error: OSError) -> None:
        leave_out(Path(error.filename), f"left out: {(error.strerror or 'cannot be read').lower()}")

    for here, folders, names in os.walk(folder, onerror=leave_out_closed, followlinks=True):
        if os.path.realpath(here) in seen:  # links may lead in a circle, or twice to the same place
            folders.clear()
            continue
        seen.add(os.path.realpath(here))
        folders[:] = sorted(name for name in folders if not _is_hidden(name) and is_read(Path(here, name)))
        for path in (Path(here, name) for name in names if not _is_hidden(name)):
            if not path.is_file():
                leave_out(path, "not a file: a broken link, a pipe or a device")
            elif is_read(path):
                files.append(path)
    return sorted(files), sorted(left_out, key=lambda problem: problem.where)


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$"))


def _titles(files: Mapping[_AnyPath, str]) -> dict[_AnyPath, str]:
    """Each document is called by its path without suffix; where two would share that, they keep the suffix."""
    names = {path: nfc(name) for path, name in files.items()}
    stems = {path: _without_suffix(name, path) for path, name in names.items()}
    times = Counter(stems.values())
    return {path: stem if times[stem] == 1 else names[path] for path, stem in stems.items()}


def _without_suffix(name: str, path: SourcePath) -> str:
    from veritab.corpus.documents import SUFFIXES

    suffixes = [suffix for suffix in path.suffixes if suffix.lower() not in _COMPRESSED]
    plain = name
    while plain.lower().endswith(_COMPRESSED):
        plain = plain.rpartition(".")[0]
    suffix = suffixes[-1].lower() if suffixes else ""
    if suffix in _WIKITEXT:
        # In wikis an underscore is a space, and folders are no part of a title.
        return plain.rpartition("/")[2][: -len(suffix)].replace("_", " ")
    return plain[: -len(suffix)] if suffix in SUFFIXES and len(plain) > len(suffix) else name


def detect_format(path: SourcePath) -> str:
    """The format of a file: one that we know, or else that of an installed reader whose `patterns` its name matches."""
    try:
        return _detect_known_format(path)
    except FormatError:
        for name in plugin_names("readers"):
            patterns = getattr(load_plugin("readers", name), "patterns", ())
            if any(fnmatch(path.name.lower(), pattern) for pattern in patterns):
                return name
        raise


def _detect_known_format(path: SourcePath) -> str:
    if is_sqlite(path):
        return _detect_by_tables(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = next((suffix for suffix in reversed(suffixes) if suffix not in _COMPRESSED), "")
    if kind in (".tar", ".tgz"):
        from veritab.corpus.wikipedia import is_tar

        if not is_tar(path):
            raise FormatError(f"{str(path)!r} is not a tar archive, though its name says so; fetch it again")
        return "wikipedia"
    if kind in _WIKITEXT:
        return "wikitext"
    if kind in (".jsonl", ".ndjson", ".json"):
        return _detect_by_keys(path)
    if kind.startswith(".xml-p"):  # a dump in parts: pages-articles1.xml-p1p41242.bz2
        kind = ".xml"
    if kind in (".xml", ".html", ".htm", ".tsv"):
        return _detect_by_head(path, kind)
    from veritab.corpus.documents import SUFFIXES

    if kind in SUFFIXES:
        return "documents"
    raise FormatError(f"cannot tell what {str(path)!r} holds; say so with --format ({', '.join(FORMATS)})")


def _head(path: SourcePath, *, line: bool = False) -> bytes:
    """The first bytes of a file, or its first line, since a record's keys may come late in it."""
    with open_stream(path) as stream:
        try:
            return stream.readline(32 * _GLANCE) if line else stream.read(_GLANCE)
        except BROKEN_STREAM as error:
            raise FormatError(f"{str(path)!r} is cut or damaged ({describe_error(error)}); fetch it again") from None


def _detect_by_head(path: SourcePath, kind: str) -> str:
    head = _head(path)
    if kind == ".xml":
        if b"<mediawiki" not in head:
            raise FormatError(f"{str(path)!r} is XML, but not a MediaWiki dump; only those are read")
        return "wikitext"
    if kind == ".tsv":
        columns = head.split(b"\n", 1)[0].strip().lower().split(b"\t")
        return "passages" if {b"id", b"text", b"title"} <= set(columns) else "documents"
    return "wikipedia" if any(marker in head for marker in _WIKIPEDIA_MARKERS) else "documents"


def _detect_by_keys(path: SourcePath) -> str:
    """Which JSON lines these are, by the keys of the first record."""
    line = _head(path, line=True)
    if not line.strip():
        raise FormatError(f"{str(path)!r} is empty; there is nothing to ingest")
    keys = _keys(line)
    for format, wanted in _KEYS:
        if any(some <= keys for some in wanted):
            return format
    printable_path = ", ".join(sorted(keys)[:8]) or "none"
    raise FormatError(
        f"cannot tell what the records of {str(path)!r} are (keys: {printable_path}); say so with --format"
    )


_KEYS: tuple[tuple[str, tuple[set[str], ...]], ...] = (
    ("feverous", ({"title", "order"},)),
    ("fever", ({"id", "text", "lines"}, {"page", "line", "text"})),
    ("wikipedia", ({"name", "article_body"}, {"title", "html"})),
    (
        "passages",
        ({"wikipedia_title", "text"}, {"title", "text"}, {"url", "text"}, {"id", "contents"}, {"_id", "text"}),
    ),
)


def _keys(line: bytes) -> set[str]:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError):
        # The first line is cut by the glance, or damaged: look for keys the way a person would.
        text = io.TextIOWrapper(io.BytesIO(line), "utf-8", "replace").read()
        return {key for _, wanted in _KEYS for some in wanted for key in some if f'"{key}":' in text}
    return set(record) if isinstance(record, dict) else set()


def _detect_by_tables(path: SourcePath) -> str:
    tables = _tables_of_remote(path) if isinstance(path, RemoteFile) else _tables(path)
    if "wiki" in tables:
        return "feverous"
    if "documents" in tables:
        return "fever"
    raise FormatError(f"{str(path)!r} is a database with neither FEVEROUS's nor FEVER's tables")


def _tables(path: Path) -> set[str]:
    try:
        with sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True) as connection:
            return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError as error:
        raise DamagedStore(f"{str(path)!r} is an SQLite file that cannot be read ({error})") from None
    finally:
        connection.close()


def _tables_of_remote(path: RemoteFile) -> set[str]:
    """The tables that the first page of a database says how to make: to fetch it all for this would take hours."""
    return {name.decode() for name in _CREATED.findall(_head(path))}
