"""The documents that visitors bring: received into a folder of their own, read aside, checked against, let go.

A set of documents is known by a token that cannot be guessed; who has the token may use the documents. They live in
a folder of this server alone, which is emptied when it starts and when it ends: nothing outlives it but what somebody
keeps under a name, in another folder.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from veritab.corpus.documents import SUFFIXES
from veritab.errors import InputError, NotFound, VeritabError
from veritab.files import make_private_folder
from veritab.text import squeeze
from veritab.web.limits import Limits
from veritab.web.problems import RequestRefused
from veritab.web.workers import client as current_client

if TYPE_CHECKING:
    from veritab.pipeline import Checker

KINDS = "PDF, Word (DOCX), Excel (XLSX), CSV, HTML, Markdown or text"
"""What can be brought, in words."""
PASTED = "Pasted text"
_MOST_READ_AT_ONCE = 2
_SECONDS_BETWEEN_SWEEPS = 30.0
_LONGEST_FILE_NAME = 100
_LONGEST_NAME = 60
_MOST_NAMED = 3
_LONGEST_LINE = 1 << 24
_NAME = re.compile(r"\w[\w .,()&+'-]*")
_NOTE = "kept.json"
_LOG = logging.getLogger(__name__)


class UploadState(StrEnum):
    """The state of a set of documents."""

    WAITING = "waiting"
    READING = "reading"
    READY = "ready"
    STOPPED = "stopped"
    FAILED = "failed"


class ReadDocument(NamedTuple):
    """What was read of one document."""

    name: str
    pages: int
    """Pages of a PDF, sheets of a workbook, one of others; none where it could not be read."""
    texts: int
    tables: int
    problem_count: int
    problems: Sequence[str]


@dataclass
class Upload:
    """A set of documents that somebody brought, and how far reading it is."""

    name: str
    client: str
    folder: Path
    token: str
    files: Sequence[str] = ()
    left_out: Sequence[str] = ()
    """Files that are of no kind that is read."""
    bytes: int = 0
    state: UploadState = UploadState.WAITING
    stage: str = ""
    done: int = 0
    total: int = 0
    documents: Sequence[ReadDocument] = ()
    error: str = ""
    used: float = 0.0
    checker: Checker | None = field(default=None, repr=False)
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def suggested_name(self) -> str:
        """A name to keep them under: that of the first document without its suffix."""
        stem = PurePosixPath(self.files[0]).stem if self.files else ""
        return re.sub(r"[^\w .,()&+'-]", " ", stem).strip(" .,()&+'-")[:_LONGEST_NAME].strip() or "documents"

    @property
    def holds_files(self) -> bool:
        return self.state not in (UploadState.STOPPED, UploadState.FAILED)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be read."""
        return self.state not in (UploadState.WAITING, UploadState.READING)


class Uploads:
    """The sets of documents of a server. All but `find` is for its event loop."""

    def __init__(
        self,
        folder: Path,
        open_checker: Callable[[Path, str], Checker],
        *,
        limits: Limits | None = None,
        keep_in: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`folder` is emptied; corpora that are kept go to `keep_in`, and cannot be kept without it."""
        self.limits = limits or Limits()
        self.keep_in = keep_in
        self._folder = folder
        self._open = open_checker
        self._clock = clock
        self._uploads: dict[str, Upload] = {}
        self._receiving: dict[str, _Expected] = {}
        self._turns: asyncio.Semaphore | None = None
        self._seen: set[Path] = set()
        """Folders of corpora that were kept, here or by a server that shares the place."""
        self._empty()

    def _empty(self) -> None:
        """Remove what a server that was killed left behind."""
        shutil.rmtree(self._folder, ignore_errors=True)
        make_private_folder(self._folder)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While the server runs: what nobody uses is let go from time to time, and all of it at the end."""
        self._turns = asyncio.Semaphore(_MOST_READ_AT_ONCE)
        make_private_folder(self._folder)
        sweeping = asyncio.ensure_future(self._sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            tasks = [upload.task for upload in self._uploads.values() if upload.task]
            for token in list(self._uploads):
                self.let_go(token)
            await asyncio.gather(*tasks, return_exceptions=True)
            shutil.rmtree(self._folder, ignore_errors=True)

    # -- finding

    def find(self, token: str) -> Upload | None:
        """The documents with that token; those that were not used for too long are gone. May be called in a thread."""
        upload = self._uploads.get(token)
        if upload is None or self._is_old(upload):
            return None
        upload.used = self._clock()
        return upload

    def require(self, token: str) -> Upload:
        """The documents with that token, which must be there."""
        upload = self.find(token)
        if upload is None:
            raise NotFound(
                "no documents are held under this address; they are let go "
                f"{self.time_held} after they were last used, and when the server stops; bring them again"
            )
        return upload

    @property
    def tokens(self) -> list[str]:
        """Those of all documents that are held."""
        return [token for token, upload in self._uploads.items() if upload.holds_files]

    def found(self, tokens: Iterable[str]) -> list[Upload]:
        """Those of some tokens that are there, unchanged by being looked at."""
        held = (self._uploads.get(token) for token in dict.fromkeys(tokens))
        return [upload for upload in held if upload and not self._is_old(upload)]

    @property
    def time_held(self) -> str:
        """How long documents are held after they were last used, in words."""
        minutes = max(1, round(self.limits.upload_seconds / 60))
        return f"{minutes // 60} hours" if minutes % 60 == 0 and minutes > 60 else f"{minutes} minutes"

    def _is_old(self, upload: Upload) -> bool:
        return upload.is_over and self._clock() - upload.used > self.limits.upload_seconds

    # -- receiving

    async def receive(self, request: Request) -> Upload:
        """Take the documents of a form and begin to read them."""
        client = current_client.get()
        self._forget_old()
        self._admit(client)
        token = secrets.token_urlsafe(16)
        upload = Upload("", client, self._folder / token, token, used=self._clock())
        self._receiving[token] = _Expected(client, _declared_length(request) or self.limits.documents_bytes)
        try:
            self._refuse_full_disk()
            received = await self._receive(request, upload.folder / "files")
            upload.name, upload.files, upload.left_out, upload.bytes = received
        except BaseException:
            await asyncio.to_thread(shutil.rmtree, upload.folder, ignore_errors=True)
            raise
        finally:
            del self._receiving[token]
        self._uploads[token] = upload
        upload.task = asyncio.ensure_future(self._read(upload))
        return upload

    def _admit(self, client: str) -> None:
        """Refuse one set of documents too many; those that could not be read make room."""
        held = [upload for upload in self._uploads.values() if upload.holds_files]
        owners = [upload.client for upload in held] + [each.client for each in self._receiving.values()]
        if owners.count(client) >= self.limits.uploads_per_client:
            most = self.limits.uploads_per_client
            raise RequestRefused(429, f"you have as many sets of documents here as one may ({most}); let one go first")
        if len(owners) >= self.limits.uploads:
            raise RequestRefused(503, "this server holds all the documents it can; try again later", retry_after="300")
        spare = [token for token, upload in self._uploads.items() if not upload.holds_files]
        for token in spare[: max(0, len(self._uploads) + len(self._receiving) + 1 - self.limits.uploads)]:
            self.let_go(token)

    def _refuse_full_disk(self) -> None:
        coming = sum(each.bytes for each in self._receiving.values())
        used = sum(upload.bytes for upload in self._uploads.values()) + coming
        if used > self.limits.uploads_bytes or coming > shutil.disk_usage(self._folder).free // 2:
            raise RequestRefused(503, "this server has no room for more documents; try again later", retry_after="300")

    async def _receive(self, request: Request, folder: Path) -> _Received:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "multipart/form-data":
            raise RequestRefused(415, "documents are sent as a form: Content-Type: multipart/form-data")
        limits = self.limits
        parser = _FormOnDisk(
            request.headers,
            request.stream(),
            max_files=limits.document_files + 1,  # an input without a file is sent as an empty one
            max_fields=8,
            max_part_size=4 * limits.pasted_characters,
        )
        try:
            form = await parser.parse()
        except MultiPartException:
            raise InputError(
                f"the form cannot be read: it is cut, or holds more than {limits.document_files:,} files, or more than "
                f"{limits.pasted_characters:,} characters of text; send less at a time"
            ) from None
        try:
            return await asyncio.to_thread(_store_form, form.multi_items(), folder, limits)
        finally:
            await form.close()

    # -- reading

    async def _read(self, upload: Upload) -> None:
        assert self._turns, "documents are received while the server runs"
        try:
            async with self._turns, asyncio.timeout(self.limits.reading_seconds):
                upload.state = UploadState.READING
                await self._read_aside(upload)
                upload.checker = await asyncio.to_thread(self._open_read, upload)
                upload.bytes = await asyncio.to_thread(_size, upload.folder)
            upload.state = UploadState.READY
        except asyncio.CancelledError:
            upload.state = UploadState.STOPPED
        except TimeoutError:
            self._fail(upload, "reading took too long; bring fewer documents, or smaller ones")
        except InputError as error:
            self._fail(upload, str(error))
        except VeritabError as error:
            _LOG.error("documents could not be read: %s", error)
            self._fail(upload, "the documents were read, but cannot be used; the server's log says why")
        except Exception:  # no caller awaits this task: the log has the whole of it, and the page says so
            _LOG.exception("documents could not be read")
            self._fail(upload, "an unexpected error happened; the server's log says what")
        finally:
            upload.used = self._clock()
            if upload.state is not UploadState.READY:
                await asyncio.to_thread(shutil.rmtree, upload.folder, ignore_errors=True)

    def _open_read(self, upload: Upload) -> Checker:
        shutil.rmtree(upload.folder / "files", ignore_errors=True)  # the corpus has copies
        checker = self._open(upload.folder / "corpus", upload.name)
        checker.close_when_unused()
        _ = checker.corpus  # its revision takes a moment to work out
        return checker

    @staticmethod
    def _fail(upload: Upload, why: str) -> None:
        upload.state, upload.error = UploadState.FAILED, why

    async def _read_aside(self, upload: Upload) -> None:
        """Have a process read them; it is killed however this ends."""
        files, corpus, most = upload.folder / "files", upload.folder / "corpus", self.limits.reading_bytes
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "veritab.web.document_reader",
            *map(str, (files, corpus, most)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )
        assert process.stdout
        try:
            async for line in process.stdout:
                _note_step(upload, json.loads(line))
            await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if not upload.documents:
            raise InputError(
                "reading ended before its time, perhaps for want of memory; bring fewer documents, or smaller ones"
            )

    # -- the end

    def stop(self, token: str) -> Upload:
        """End the reading of documents; nothing of them stays."""
        upload = self.require(token)
        if upload.task and not upload.is_over:
            upload.task.cancel()
        return upload

    def let_go(self, token: str) -> None:
        """Forget documents and remove their files; a check that is at work with them may end."""
        upload = self._uploads.pop(token, None)
        if upload is None:
            return
        if upload.task and not upload.task.done():
            upload.task.cancel()
        upload.checker = None
        shutil.rmtree(upload.folder, ignore_errors=True)

    async def keep(self, token: str, name: str, taken: Collection[str]) -> Checker:
        """Move documents to where the server's own corpora are, under a name; they are held no longer."""
        upload = self.require(token)
        if self.keep_in is None:
            raise InputError("this server keeps no documents; start it with --keep-uploads DIR")
        if upload.state is not UploadState.READY:
            raise InputError("these documents are not ready; wait until they are read")
        chosen = check_name(name)
        folder = make_private_folder(self.keep_in) / chosen
        if chosen.lower() in {each.lower() for each in taken} or folder.exists():
            raise _name_taken(chosen)
        self._seen.add(folder)
        try:
            checker = await asyncio.to_thread(self._move, upload, folder)
        except BaseException:
            self._seen.discard(folder)
            raise
        self.let_go(token)
        return checker

    def _move(self, upload: Upload, folder: Path) -> Checker:
        corpus = upload.folder / "corpus"
        (corpus / _NOTE).write_text(json.dumps({"token": upload.token}))
        # Where the folder is on another disk this copies; other servers must not find half of it under its name.
        coming = folder.with_name(f".{upload.token}")
        try:
            shutil.move(corpus, coming)
            coming.rename(folder)
        except OSError as error:
            shutil.rmtree(coming, ignore_errors=True)
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise _name_taken(folder.name) from None
            raise VeritabError(f"cannot move documents to {str(folder)!r}: {error.strerror}") from None
        return self._open(folder, folder.name)

    def kept(self, taken: Collection[str]) -> Iterator[tuple[str, Checker]]:
        """The corpora that were kept, each with the token that it had before; one that cannot be used is left out.

        Asked again, it tells those that were kept since.
        """
        folders = sorted(self.keep_in.iterdir()) if self.keep_in and self.keep_in.is_dir() else []
        for folder in folders:
            if folder in self._seen or not folder.is_dir() or not _NAME.fullmatch(folder.name):
                continue
            self._seen.add(folder)
            if folder.name in taken:
                _LOG.warning("the corpus in %s is left out: another one has its name", folder)
                continue
            try:
                yield _token_of(folder), self._open(folder, folder.name)
            except VeritabError as error:
                _LOG.warning("the corpus in %s is left out: %s", folder, error)

    def _forget_old(self) -> None:
        for token in [token for token, upload in self._uploads.items() if self._is_old(upload)]:
            self.let_go(token)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_SWEEPS)
            self._forget_old()


def _name_taken(name: str) -> InputError:
    return InputError(f"there is a corpus called {name!r} already; choose another name")


def check_name(name: str) -> str:
    """A name that a corpus and its folder may have."""
    squeezed = squeeze(name)
    if len(squeezed) > _LONGEST_NAME or not _NAME.fullmatch(squeezed) or squeezed.endswith((".", " ")):
        raise InputError(
            f"{squeezed[:80]!r} cannot be the name of a corpus; use at most {_LONGEST_NAME} letters, digits, "
            "spaces and -_.,()&+', with a letter or a digit first"
        )
    return squeezed


# -- what comes in -------------------------------------------------------------------------------------------


class _FormOnDisk(MultiPartParser):
    """Holds little of a file in memory, however many there are."""

    spool_max_size = 64 << 10


class _Expected(NamedTuple):
    client: str
    bytes: int


class _Received(NamedTuple):
    name: str
    files: Sequence[str]
    left_out: Sequence[str]
    bytes: int


def _declared_length(request: Request) -> int:
    length = request.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0


def _store_form(items: Sequence[tuple[str, UploadFile | str]], folder: Path, limits: Limits) -> _Received:
    """Write the files of a form, and the text pasted into it, to a folder."""
    make_private_folder(folder.parent)
    make_private_folder(folder)
    files: list[str] = []
    left_out: list[str] = []
    for _, item in items:
        if not isinstance(item, UploadFile) or not item.filename:
            continue
        name = clean_file_name(item.filename)
        if PurePosixPath(name).suffix.lower() not in SUFFIXES or name.startswith("~$"):
            left_out.append(name)
            continue
        if item.size and item.size > limits.document_bytes:
            raise InputError(f"{name!r} has {item.size:,} bytes, and a document may have {limits.document_bytes:,}")
        files.append(_free_name(name, files))
        with _create(folder / files[-1]) as file:
            shutil.copyfileobj(item.file, file)
    _store_pasted(items, folder, files, limits)
    if not files:
        found = f"; {', '.join(map(repr, left_out[:_MOST_NAMED]))} cannot be read" if left_out else ""
        raise InputError(f"no document came with the form{found}; choose {KINDS} files, or paste a text")
    if len(files) > limits.document_files:
        raise InputError(f"{len(files):,} files came, and {limits.document_files:,} may; send fewer at a time")
    first, *others = files
    name = f"{first} and {len(others)} more" if others else first
    return _Received(name, files, left_out, _size(folder))


def _store_pasted(
    items: Sequence[tuple[str, UploadFile | str]], folder: Path, files: list[str], limits: Limits
) -> None:
    text = next((value for field, value in items if field == "text" and isinstance(value, str)), "")
    if len(text) > limits.pasted_characters:
        raise InputError(
            f"the text has {len(text):,} characters, and one may have {limits.pasted_characters:,}; send it as a file"
        )
    if text.strip():
        files.append(_free_name(f"{PASTED}.txt", files))
        with _create(folder / files[-1]) as file:
            file.write(text.replace("\r\n", "\n").encode("utf-8", "replace"))


def _create(path: Path) -> Any:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def clean_file_name(name: str) -> str:
    """The name of a file without folders, that every file system takes."""
    plain = squeeze(name.replace("\\", "/").rpartition("/")[2]).lstrip(".")
    path = PurePosixPath(plain)
    stem = path.stem.encode("utf-8", "replace")[:_LONGEST_FILE_NAME].decode("utf-8", "ignore").strip()
    return f"{stem or 'document'}{path.suffix[:20]}"


def _free_name(name: str, taken: Sequence[str]) -> str:
    """The name, with a number where another document has it: documents are called by their names without suffix."""
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
    stems = {PurePosixPath(each).stem.lower() for each in taken}
    number = 1
    while (free := stem if number == 1 else f"{stem} ({number})").lower() in stems:
        number += 1
    return free + suffix


def _note_step(upload: Upload, step: Mapping[str, Any]) -> None:
    if "error" in step:
        raise InputError(step["error"])
    if "documents" in step:
        upload.documents = [ReadDocument(**each) for each in step["documents"]]
    else:
        upload.stage, upload.done, upload.total = step["stage"], step["done"], step["total"]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _token_of(folder: Path) -> str:
    try:
        return str(json.loads((folder / _NOTE).read_text())["token"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""
