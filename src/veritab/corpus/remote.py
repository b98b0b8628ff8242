"""Files that lie elsewhere, by URL: listed, sized and read by ranges through fsspec, as if they were on this disk.

Readers take a `RemoteFile` wherever they take a path. What needs a real file (SQLite, a tar, a reader of another
package) gets a copy of it for as long as it reads.
"""

from __future__ import annotations

import io
import posixpath
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, TypeVar, cast
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit
from urllib.request import url2pathname

from veritab.errors import EndpointError, InputError, MissingExtra, NotFound, VeritabError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_GLOB = re.compile(r"[*\[]")
# Names of what signs or opens an address: in such a query nothing else is worth keeping.
_SECRET = re.compile(r"sig|token|key|secret|auth|pass|cred|expires|policy|x-amz|x-goog", re.IGNORECASE)
_ATTEMPTS = 4
_FIRST_PAUSE = 0.5
# Ranges grow as reading goes on: a glance at the head of a file costs little, and a dump few requests.
_FIRST_RANGE, _LARGEST_RANGE = 2**18, 2**22
_COPIED_AT_ONCE = 2**22
_AS_IT_COMES = {"block_size": 0}
_TIMEOUT = 60
_FINAL_STATUS = range(400, 500)
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})
_PACKAGES = {
    "abfs": "adlfs",
    "az": "adlfs",
    "gcs": "gcsfs",
    "gs": "gcsfs",
    "s3": "s3fs",
    "s3a": "s3fs",
    "sftp": "paramiko",
    "ssh": "paramiko",
}

Made = TypeVar("Made")


def is_url(source: Path | str) -> bool:
    """Whether a source is named by a URL rather than by a path."""
    return isinstance(source, str) and _URL.match(source) is not None


def locate(source: Path | str) -> Path | str:
    """A source as it is read: a path, or the URL of what is not on this disk."""
    if not isinstance(source, str) or not is_url(source):
        return Path(source)
    if "::" in source:
        raise InputError(f"{printable_url(source)!r} chains protocols; fetch it first, and give the file")
    parts = urlsplit(source)
    if parts.scheme.lower() != "file":
        return source
    if parts.netloc not in ("", "localhost"):
        raise InputError(f"{source!r} is a file of another machine; give a path, or file:///...")
    return Path(url2pathname(parts.path))


def printable_url(url: str) -> str:
    """A URL for messages and manifests: without user, password, fragment, or a query that signs it."""
    parts = urlsplit(url)
    query = parts.query if parts.scheme.lower() in ("http", "https") else ""
    if any(_SECRET.search(name) for name, _ in parse_qsl(query, keep_blank_values=True)):
        query = ""
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme.lower(), place, parts.path, query, ""))


@dataclass(frozen=True)
class RemoteFile:
    """A file behind a URL, with as much of a path's interface as reading takes."""

    url: str = field(repr=False)
    """As it is asked for, with what opens it: never shown."""
    size: int | None = None
    """In bytes; None where the server does not say."""
    by_range: bool = True
    """Whether parts of it can be asked for; else all of it is fetched whenever it is opened."""

    def __str__(self) -> str:
        return printable_url(self.url)

    def __repr__(self) -> str:
        return f"RemoteFile({str(self)!r})"

    @property
    def name(self) -> str:
        return unquote(posixpath.basename(urlsplit(self.url).path.rstrip("/"))) or urlsplit(self.url).netloc

    @property
    def suffixes(self) -> list[str]:
        return Path(self.name).suffixes

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix

    def is_file(self) -> bool:
        return True

    def is_dir(self) -> bool:
        return False

    def exists(self) -> bool:
        return True

    def open(self, mode: str = "rb", buffering: int = -1) -> BinaryIO:
        """The file, to be read from any place in it."""
        raw = _RemoteBytes(self)
        return cast(BinaryIO, raw if buffering == 0 else io.BufferedReader(raw))

    def copy_to(self, target: BinaryIO) -> None:
        """Write all of it into a file, from its start."""

        def fetch() -> None:
            target.seek(0)
            target.truncate()
            files, place = _file_system(self.url)
            with files.open(place, "rb", **_AS_IT_COMES if _is_http(self.url) else {}) as source:
                shutil.copyfileobj(source, target, _COPIED_AT_ONCE)
            if self.size is not None and target.tell() != self.size:
                raise OSError(f"it ends after {target.tell():,} of {self.size:,} bytes")

        _persist(fetch, self.url)
        target.seek(0)


SourcePath: TypeAlias = Path | RemoteFile
"""Where a reader finds a file."""


def file_size(path: SourcePath) -> int:
    """The bytes of a file; 0 where its server does not say."""
    return path.size or 0 if isinstance(path, RemoteFile) else path.stat().st_size


@contextmanager
def on_disk(path: SourcePath) -> Iterator[Path]:
    """A file as one on this disk: itself, or a copy that goes when it was read."""
    if isinstance(path, Path):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / (path.name or "file")
        with copy.open("w+b") as target:
            path.copy_to(target)
        yield copy


class _RemoteBytes(io.RawIOBase):
    """The bytes of a remote file, of which one range is held; each is asked for again when the network fails.

    Of a server that gives no ranges the beginning is read alone, to tell what the file is, and else all of it, once.
    """

    def __init__(self, remote: RemoteFile) -> None:
        self._remote, self._size = remote, remote.size
        self._at = self._start = 0
        self._held = b""
        self._range = _FIRST_RANGE
        self._copy: BinaryIO | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END and self._size is None:
            self._size = self._fetch_all().seek(0, io.SEEK_END)
        self._at = max(0, offset + (0, self._at, self._size or 0)[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        if not self._start <= self._at < self._start + len(self._held) and not self._is_at_end():
            self._start, self._held = self._at, self._read_range()
            self._range = min(self._range * 4, _LARGEST_RANGE)
        piece = memoryview(self._held)[max(0, self._at - self._start) :][: len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def close(self) -> None:
        if self._copy:
            self._copy.close()
        super().close()

    def _is_at_end(self) -> bool:
        return self._size is not None and self._at >= self._size

    def _read_range(self) -> bytes:
        remote, start = self._remote, self._at
        if remote.by_range and self._size is not None:
            end = min(start + self._range, self._size)
            return _persist(lambda: _read_range(remote.url, self._size or 0, start, end), remote.url)
        if start == 0 and self._copy is None:
            return _persist(lambda: _read_head(remote.url), remote.url)
        copy = self._fetch_all()
        copy.seek(start)
        return copy.read(self._range)

    def _fetch_all(self) -> BinaryIO:
        if self._copy is None:
            self._copy = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  closed with this
            self._remote.copy_to(self._copy)
        return self._copy


def _read_range(url: str, size: int, start: int, end: int) -> bytes:
    files, place = _file_system(url)
    options = {"size": size} if _is_http(url) else {}
    with files.open(place, "rb", cache_type="none", **options) as file:
        file.seek(start)
        found = bytes(file.read(end - start))
    if len(found) != end - start:
        raise OSError(f"it ends after {start + len(found):,} of {size:,} bytes")
    return found


def _read_head(url: str) -> bytes:
    files, place = _file_system(url)
    with files.open(place, "rb", **_AS_IT_COMES if _is_http(url) else {}) as file:
        return bytes(file.read(_FIRST_RANGE))


# -- finding -----------------------------------------------------------------------------------------------


def remote_files(url: str) -> dict[RemoteFile, str]:
    """The files behind a URL, in order, with their names in its folder; one that is named itself has none."""
    files, place = _file_system(url)
    pattern = _GLOB.search(url)
    if pattern:
        found = _persist(lambda: files.glob(place, detail=True), url)
        start = _GLOB.search(place)
        return _inside(url[: pattern.start()], place[: start.start() if start else None], found)
    if _is_http(url):
        if not url.endswith("/"):
            return {_http_file(url): ""}
    else:
        info = _persist(lambda: files.info(place), url)
        if info["type"] != "directory":
            return {RemoteFile(url, info.get("size")): ""}
    return _inside(
        f"{url.rstrip('/')}/", f"{place.rstrip('/')}/", _persist(lambda: files.find(place, detail=True), url)
    )


def _inside(url: str, place: str, found: Mapping[str, Mapping[str, Any]]) -> dict[RemoteFile, str]:
    """Files that lie under a place; of web pages, links that lead elsewhere or sort the list are none."""
    url, place = (each[: each.rindex("/") + 1] for each in (url, place))
    listed: dict[RemoteFile, str] = {}
    for each, info in sorted(found.items()):
        name = each.removeprefix(place)
        if name == each or not name or name.endswith("/") or "?" in name or info.get("type") == "directory":
            continue
        file = _http_file(url + name) if _is_http(url) else RemoteFile(url + name, info.get("size"))
        listed[file] = unquote(name) if _is_http(url) else name
    if not listed:
        raise InputError(f"{printable_url(url)!r} holds no such files; name another folder, or one file")
    return listed


def _http_file(url: str) -> RemoteFile:
    """A file of a web server, with its size and whether the server gives parts of it."""
    files, place = _file_system(url)
    size = _persist(lambda: files.info(place), url).get("size")
    return RemoteFile(url, size, bool(size) and _persist(lambda: _gives_ranges(url, size), url))


def _gives_ranges(url: str, size: int) -> bool:
    try:
        # The first byte would come from any server.
        return len(_read_range(url, size, size // 2, size // 2 + 1)) == 1 and size > 1
    except ValueError:
        return False


# -- asking ------------------------------------------------------------------------------------------------


def _is_http(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _file_system(url: str) -> tuple[Any, str]:
    """What reads a URL, and what it calls the file there."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtra("reading files by URL", "scale") from None
    protocol = url.partition("://")[0].lower()
    options: dict[str, Any] = {}
    try:
        if _is_http(url):
            import aiohttp

            # A large file may take hours, as long as some of it keeps coming.
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=_TIMEOUT, sock_read=_TIMEOUT)
            options = {"client_kwargs": {"timeout": timeout, "trust_env": True}}
        files, place = url_to_fs(url, **options)
    except ImportError:
        package = _PACKAGES.get(protocol)
        if package is None:
            raise MissingExtra(f"reading {protocol}:// files", "scale") from None
        raise VeritabError(f"reading {protocol}:// files needs the package {package}: pip install {package}") from None
    except ValueError:
        raise InputError(
            f"{printable_url(url)!r} is no URL that can be read; expected e.g. s3://bucket/folder/"
        ) from None
    return files, place


def _persist(ask: Callable[[], Made], url: str) -> Made:
    """What asking gives, asked some times more where the network fails; an error that says no secret."""
    pause = _FIRST_PAUSE
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return ask()
        except (VeritabError, ValueError):
            raise
        except Exception as error:  # every protocol has errors of its own
            refused = _refusal(error, url)
            if refused:
                raise refused from None
            if attempt == _ATTEMPTS:
                raise _NoAnswer(
                    f"cannot read {printable_url(url)!r} after {_ATTEMPTS} attempts: {_describe(error)}; "
                    "try again when the server answers"
                ) from None
        time.sleep(pause)
        pause *= 2
    raise AssertionError("the last attempt returns or raises")


class _NoAnswer(EndpointError, OSError):
    """A server that stopped answering: in the middle of a file it is as if the file were cut there."""


def _refusal(error: Exception, url: str) -> Exception | None:
    """The error that asking again would not change; None where it may."""
    reason = error.__cause__ if isinstance(error, FileNotFoundError) and error.__cause__ else error
    status = getattr(reason, "status", None)
    if isinstance(reason, PermissionError) or status in (401, 403) or "Credential" in type(reason).__name__:
        return InputError(
            f"{printable_url(url)!r} may not be read ({_describe(reason)}); give what opens it as its protocol expects"
        )
    if isinstance(reason, FileNotFoundError) or status in (404, 410) or type(reason).__name__.startswith("NoSuch"):
        return NotFound(f"no file or folder {printable_url(url)!r}; give a URL that exists")
    if status in _FINAL_STATUS and status not in _WORTH_ANOTHER_TRY:
        return InputError(f"{printable_url(url)!r} is refused ({_describe(reason)}); give another URL")
    return None


def _describe(error: BaseException) -> str:
    """What happened, never in the words of an error that may quote the URL."""
    reason = error.__cause__ if isinstance(error, FileNotFoundError) and error.__cause__ else error
    status = getattr(reason, "status", None)
    if status:
        return f"the server says {status}"
    if type(reason) is OSError and reason.args and reason.errno is None:
        return str(reason)
    strerror = getattr(reason, "strerror", None)
    return strerror.lower() if isinstance(strerror, str) and "://" not in strerror else type(reason).__name__
