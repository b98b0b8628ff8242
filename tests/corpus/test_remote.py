"""Sources behind URLs: the same pages as from files on this disk, or an error that says what to do and no secret."""

from __future__ import annotations

import base64
import bz2
import io
import json
import sqlite3
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest

from veritab.corpus import remote
from veritab.corpus.ingest import Ingest, IngestReport
from veritab.corpus.remote import RemoteFile, is_url, locate, printable_url, remote_files
from veritab.corpus.sources import read_source, source_files
from veritab.corpus.store import Store
from veritab.errors import EndpointError, FormatError, InputError, NotFound, VeritabError
from veritab.schema import Page

fsspec = pytest.importorskip("fsspec", reason="the extra scale is not installed")
pytest.importorskip("aiohttp", reason="the extra scale is not installed")

PASSAGES = [{"id": str(n), "title": f"Page {n:04}", "text": f"Sentence {n} says {n * n}."} for n in range(3000)]
LINES = b"".join(json.dumps(each).encode() + b"\n" for each in PASSAGES)


class Site(ThreadingHTTPServer):
    """A web server over some files, with the failings that web servers have."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.files = files
        self.ranges = True
        self.password = ""
        self.failing: dict[str, int] = {}
        """How many requests for a file will fail."""
        self.cut: dict[str, int] = {}
        """After how many bytes the connection is lost."""
        self.bodies: list[str] = []
        """The files whose whole body was asked for."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def site(self) -> Site:
        return cast(Site, self.server)

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        site, path = self.site, self.path.partition("?")[0]
        expected = base64.b64encode(f"reader:{site.password}".encode()).decode()
        if site.password and self.headers.get("Authorization") != f"Basic {expected}":
            self._send(401, b"no")
        elif site.failing.get(path, 0):
            site.failing[path] -= 1
            self._send(503, b"busy")
        elif path.endswith("/"):
            names = sorted({name[len(path) :].partition("/")[0] for name in site.files if name.startswith(path)})
            folders = {name for name in names if f"{path}{name}" not in site.files}
            links = "".join(f'<a href="{name}{"/" if name in folders else ""}">x</a>' for name in names)
            self._send(200, f'<a href="../">up</a><a href="?C=N">sort</a>{links}'.encode(), kind="text/html")
        elif any(name.startswith(f"{path}/") for name in site.files):
            self._send(301, b"", {"Location": f"{path}/"})
        elif path not in site.files:
            self._send(404, b"nothing")
        else:
            self._send_file(path)

    def _send_file(self, path: str) -> None:
        site, data = self.site, self.site.files[path]
        asked = self.headers.get("Range")
        if asked and site.ranges:
            start, _, end = asked.removeprefix("bytes=").partition("-")
            piece = data[int(start) : int(end) + 1]
            self._send(206, piece, {"Content-Range": f"bytes {start}-{int(start) + len(piece) - 1}/{len(data)}"}, path)
            return
        if self.command == "GET" and not asked:
            site.bodies.append(path)
        self._send(200, data, {"Accept-Ranges": "bytes"} if site.ranges else {}, path)

    def _send(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, path: str = "", kind: str = "text/plain"
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            cut = self.site.cut.get(path)
            try:
                self.wfile.write(body[:cut])
            except OSError:  # whoever asked has read enough
                self.close_connection = True
            if cut is not None:
                # What was sent is read before the loss is heard of, as where it happens in the middle of a download.
                time.sleep(0.2)
                self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(remote, "_FIRST_PAUSE", 0.01)
    served = Site({"/dump/passages.jsonl": LINES, "/dump/more/passages.jsonl.bz2": bz2.compress(LINES)})
    thread = threading.Thread(target=partial(served.serve_forever, poll_interval=0.05), daemon=True)
    thread.start()
    yield served
    served.shutdown()
    served.server_close()
    thread.join(5)


def titles(url: str) -> list[str]:
    return [each.title for each in read_source(url) if isinstance(each, Page)]


ALL = [each["title"] for each in PASSAGES]


def test_a_file_of_a_web_server_is_read_by_ranges(site: Site) -> None:
    assert titles(f"{site.url}/dump/passages.jsonl") == ALL
    assert site.bodies == []


def test_a_server_without_ranges_sends_a_file_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_FIRST_RANGE", 2**12)
    site.ranges = False
    assert titles(f"{site.url}/dump/passages.jsonl") == ALL
    (path,) = remote_files(f"{site.url}/dump/passages.jsonl")
    assert not path.by_range


def test_any_place_of_a_remote_file_can_be_read(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_FIRST_RANGE", 100)
    for site.ranges in (True, False):
        (path,) = remote_files(f"{site.url}/dump/passages.jsonl")
        with path.open() as file:
            assert file.seek(0, io.SEEK_END) == len(LINES)
            for start, length in ((0, 10), (70_000, 500), (50, 10), (len(LINES) - 5, 100), (len(LINES) + 5, 1)):
                file.seek(start)
                assert file.read(length) == LINES[start : start + length]
            file.seek(0)
            assert file.read() == LINES


def test_a_folder_of_a_web_server_is_read_file_by_file(site: Site) -> None:
    files = source_files(f"{site.url}/dump/")
    assert [getattr(each, "file", each) for each in files] == ["more/passages.jsonl.bz2", "passages.jsonl"]
    assert titles(f"{site.url}/dump/") == ALL * 2
    assert titles(f"{site.url}/dump/*.jsonl") == ALL


@pytest.mark.parametrize("ranges", [True, False])
def test_archives_and_databases_are_read_from_afar(site: Site, tmp_path: Path, ranges: bool) -> None:
    site.ranges = ranges
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        record = json.dumps({"name": "Ada", "article_body": {"html": "<p>Ada wrote programs.</p>"}}).encode()
        member = tarfile.TarInfo("a.ndjson")
        member.size = len(record)
        archive.addfile(member, io.BytesIO(record))
    file = tmp_path / "fever.db"
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE documents (id PRIMARY KEY, text, lines)")
        database.execute("INSERT INTO documents VALUES ('Ada', 'x', '0\tAda wrote programs.')")
    site.files |= {"/enterprise.tar.gz": packed.getvalue(), "/fever.db": file.read_bytes()}
    assert titles(f"{site.url}/enterprise.tar.gz") == ["Ada"]
    assert titles(f"{site.url}/fever.db") == ["Ada"]


def ingest(folder: Path, *sources: str) -> IngestReport:
    with Store.create(folder) as store:
        work = Ingest(store, sources)
        for _ in work:
            pass
        return work.report


def test_a_url_is_a_source_that_can_be_brought_up_to_date(site: Site, tmp_path: Path) -> None:
    url = f"{site.url}/dump/passages.jsonl"
    assert ingest(tmp_path / "c", url).added == 3000
    site.files["/dump/passages.jsonl"] = LINES[: LINES.index(b"\n", 1000) + 1]
    report = ingest(tmp_path / "c", url + "?X-Amz-Signature=another")
    assert (report.unchanged > 0, report.added, report.removed) == (True, 0, 3000 - report.unchanged)


def test_a_network_that_stumbles_is_asked_again(site: Site) -> None:
    site.failing["/dump/passages.jsonl"] = 2
    assert titles(f"{site.url}/dump/passages.jsonl") == ALL


def test_a_server_that_stays_down_is_given_up(site: Site, tmp_path: Path) -> None:
    site.failing["/dump/passages.jsonl"] = 1000
    with pytest.raises(EndpointError, match="after 4 attempts: the server says 503"):
        titles(f"{site.url}/dump/passages.jsonl")
    with pytest.raises(EndpointError, match=r"cannot read 'http://127.0.0.1:9/x.jsonl' after 4 attempts"):
        titles("http://127.0.0.1:9/x.jsonl")


@pytest.mark.parametrize("ranges", [True, False])
def test_a_download_that_is_cut_is_a_damaged_file(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ranges: bool
) -> None:
    monkeypatch.setattr(remote, "_FIRST_RANGE", 2**15)
    url = f"{site.url}/dump/passages.jsonl"
    assert ingest(tmp_path / "c", url).added == 3000
    site.ranges, site.cut["/dump/passages.jsonl"] = ranges, 100_000
    with pytest.raises(FormatError, match=r"the file is cut or damaged: cannot read .* after 4 attempts"):
        ingest(tmp_path / "c", url)
    with Store.open(tmp_path / "c") as store:
        assert len(store) == 3000


def test_what_is_not_there_or_not_allowed_says_so(site: Site) -> None:
    with pytest.raises(NotFound, match=r"no file or folder 'http.*nothing.jsonl'"):
        titles(f"{site.url}/nothing.jsonl")
    with pytest.raises(NotFound, match="no file or folder 'memory://nothing'"):
        titles("memory://nothing")
    site.password = "hush"
    with pytest.raises(InputError, match=r"may not be read .the server says 401"):
        titles(f"{site.url}/dump/passages.jsonl")


def test_a_password_opens_a_file_and_is_never_shown(site: Site, tmp_path: Path) -> None:
    site.password = "hush"
    url = f"{site.url}/dump/passages.jsonl".replace("://", "://reader:hush@") + "?sig=hush"
    ingest(tmp_path / "c", url)
    with closing(sqlite3.connect(tmp_path / "c" / "corpus.sqlite")) as database:
        assert "hush" not in "\n".join(database.iterdump())
        assert f"{site.url}/dump/passages.jsonl" in "\n".join(database.iterdump())
    (path,) = remote_files(url)
    assert "hush" not in f"{path} {path!r} {path.name}"
    site.password = "other"
    with pytest.raises(VeritabError) as refused:
        titles(url)
    assert "hush" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:pw@host:8443/a/b.jsonl#x", "https://host:8443/a/b.jsonl"),
        ("https://host/get?id=7", "https://host/get?id=7"),
        ("https://host/get?id=7&X-Amz-Signature=a", "https://host/get"),
        ("https://host/get?access_token=a", "https://host/get"),
        ("S3://key:secret@bucket/a?versionId=3", "s3://bucket/a"),
    ],
)
def test_urls_are_shown_without_what_opens_them(url: str, shown: str) -> None:
    assert printable_url(url) == shown


def test_files_of_any_file_system_are_read() -> None:
    files = fsspec.filesystem("memory")
    files.pipe({"/bucket/dump/a.jsonl": LINES, "/bucket/dump/b/c.jsonl": LINES, "/bucket/dump/.hidden": b"x"})
    try:
        assert titles("memory://bucket/dump/a.jsonl") == ALL
        assert titles("memory://bucket/dump") == titles("memory://bucket/dump/") == ALL * 2
        assert titles("memory://bucket/dump/*.jsonl") == ALL
        with pytest.raises(InputError, match=r"'memory://bucket/dump/' holds no such files"):
            titles("memory://bucket/dump/*.xml")
    finally:
        files.rm("/bucket", recursive=True)


def test_a_bucket_is_read_like_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(name, value)
        files = fsspec.filesystem("s3")
        files.mkdir("bucket")
        files.pipe({"bucket/dump/a.jsonl": LINES, "bucket/dump/b/c.jsonl.bz2": bz2.compress(LINES)})
        assert titles("s3://bucket/dump/") == ALL * 2
        assert titles("s3://bucket/dump/*.jsonl") == ALL
        for gone in ("s3://bucket/none/", "s3://nobody/a.jsonl"):
            with pytest.raises(NotFound, match="no file or folder 's3://"):
                titles(gone)
    finally:
        server.stop()


def test_a_url_of_this_disk_is_the_path_it_names(tmp_path: Path) -> None:
    file = tmp_path / "a b.jsonl"
    file.write_bytes(LINES)
    assert locate(file.as_uri()) == file
    assert titles(file.as_uri()) == ALL
    assert [is_url(each) for each in ("C:\\x", "C:/x", "a/b", Path("s3://x"), "s3://x")] == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("nosuch://bucket/a", "is no URL that can be read"),
        ("zip://a.jsonl::https://host/x.zip", "chains protocols"),
        ("file://elsewhere/a.jsonl", "a file of another machine"),
    ],
)
def test_urls_that_cannot_be_read_are_refused(url: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        list(source_files(url))


def test_a_protocol_without_its_package_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*_: object, **__: object) -> None:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.core.url_to_fs", without)
    with pytest.raises(VeritabError, match="s3:// files needs the package s3fs: pip install s3fs"):
        list(source_files("s3://bucket/a.jsonl"))


def test_readers_of_other_packages_get_a_real_file(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    from veritab.corpus import sources

    class Lines:
        def cut(self, path: Path) -> Iterator[Any]:
            yield from (str(path.is_file()), path.name)

        parse: Callable[..., Any]

    monkeypatch.setattr(sources, "plugin_names", lambda _: ("lines",))
    monkeypatch.setattr(sources, "load_plugin", lambda *_: Lines())
    (part,) = source_files(f"{site.url}/dump/passages.jsonl", "lines")
    assert isinstance(part, sources.SourceFile)
    assert isinstance(part.path, RemoteFile)
    assert list(map(str, part.reader.cut(part.path))) == ["True", "passages.jsonl"]
