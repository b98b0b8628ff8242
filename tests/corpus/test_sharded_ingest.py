"""Ingesting into shards gives what ingesting into one file gives, for any number of shards and wherever it is stopped."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from veritab.corpus import parts
from veritab.corpus.almanac import PAGES
from veritab.corpus.ingest import Ingest, IngestReport
from veritab.corpus.remote import _NoAnswer
from veritab.corpus.sharded_ingest import SPOOL, ShardedIngest
from veritab.corpus.shards import MANIFEST, ShardedStore, shard_of_number
from veritab.corpus.sources import ReaderOptions
from veritab.corpus.spools import SpoolWriter, new_spool
from veritab.corpus.store import Store
from veritab.engine import Item, Result
from veritab.errors import (
    DiskFull,
    EndpointError,
    FormatError,
    InputError,
    NotFound,
    StoreBusy,
    StoreError,
    TooManyProblems,
)

SMALL = 2_000
"""Bytes of a part, so that small files have many."""


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_PART_BYTES", SMALL)
    monkeypatch.setattr(parts, "_SENT_BYTES", SMALL)


def html(title: str, body: str) -> str:
    return json.dumps({"title": title, "html": body})


def page(number: int, says: str = "") -> str:
    body = f"<p>Page {number} says {says or number}, see <a href='/wiki/P{number + 1}'>the next</a>.</p>"
    return html(f"P{number}", body)


def enterprise(title: str, text: str, *redirects: str) -> str:
    article = {"html": f"<p>About {title}: {text}.</p>"}
    return json.dumps({"name": title, "article_body": article, "redirects": [{"name": name} for name in redirects]})


def ingest_whole(folder: Path, *sources: Path, **options: Any) -> IngestReport:
    with Store.create(folder) as store:
        work = Ingest(store, sources, **options)
        list(work)
    return work.report


def ingest_shards(folder: Path, *sources: Path, shards: int | None = None, **options: Any) -> IngestReport:
    work = ShardedIngest(folder, sources, shards=shards, **options)
    steps = list(work)
    assert [step.read for step in steps] == sorted(step.read for step in steps)
    assert steps[-1].read == steps[-1].total
    assert not (folder / SPOOL).exists()
    return work.report


def content(folder: Path) -> dict[str, Any]:
    """All that reading a corpus gives; of numbers only their order, since shards number otherwise."""
    with Store.open(folder) as store:
        assert store.check_integrity() == []
        return {
            "pages": list(store.pages()),
            "categories": list(store.categories()),
            "redirects": list(store.redirects()),
            "targets": list(store.link_targets()),
            "sources": store.sources(),
            "counts": store.counts(),
            "broken": list(store.broken_redirects()),
            "shadowed": list(store.shadowed_redirects()),
            "in order": [page for _, page in store.pages_by_number(number for number, _ in store.digests())],
            "digests": [digest for _, digest in store.digests()],
        }


def told(report: IngestReport) -> dict[str, Any]:
    return {**vars(report), "seconds": 0, "problem_counts": list(report.problem_counts.items())}


def same(whole: Path, sharded: Path) -> None:
    one, many = content(whole), content(sharded)
    for what in one:
        assert many[what] == one[what], what


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Pages with one of everything that can go wrong, in more parts than one."""
    lines = [page(number) for number in range(100)]
    lines[10:10] = ["{broken", "", html("P3", "<p>P3 once more.</p>"), html("Empty", "")]
    lines[50:50] = [
        enterprise("Mount Everest", "high", "Chomolungma", "Sagarmatha", "P7"),
        html("P30", "<p>Early.</p>"),
    ]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("shards", [1, 3, 16])
def test_pages_numbers_and_report_are_those_of_one_file(source: Path, tmp_path: Path, shards: int) -> None:
    whole, sharded = tmp_path / "whole", tmp_path / "sharded"
    assert source.stat().st_size > 4 * SMALL
    assert told(ingest_shards(sharded, source, shards=shards)) == told(ingest_whole(whole, source))
    same(whole, sharded)
    with Store.open(sharded) as store:
        assert isinstance(store, ShardedStore)
        assert len(store.shards) == shards
        assert {shard_of_number(number) for number, _ in store.digests()} == set(range(shards))


@pytest.mark.parametrize("shards", [1, 3, 16])
def test_the_almanac_is_the_same_in_shards(tmp_path: Path, shards: int) -> None:
    whole, sharded = tmp_path / "whole", tmp_path / "sharded"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parts, "_PART_BYTES", 50_000)
        report = ingest_shards(sharded, PAGES, shards=shards, names=["the almanac"])
    assert told(report) == told(ingest_whole(whole, PAGES, names=["the almanac"]))
    same(whole, sharded)


def test_changed_removed_moved_and_new_pages_are_told_and_written_as_in_one_file(source: Path, tmp_path: Path) -> None:
    whole, sharded = tmp_path / "whole", tmp_path / "sharded"
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join([html("P1", "<p>Mine.</p>"), html("Q", "<p>Q.</p>"), html("Far", "<p>Far.</p>")]))
    lines = source.read_text().splitlines()
    states = [
        lines,
        lines,
        [*lines[:20], page(20, "something else"), *lines[30:60], page(500), *lines[61:]],
        [page(600), *lines[::-1], page(20, "something else")],
        [line for line in lines if "Everest" not in line],
        lines,
    ]
    for number, state in enumerate(states):
        source.write_text("\n".join(state))
        sources = [source, other] if number % 2 else [source]
        assert told(ingest_shards(sharded, *sources, shards=5)) == told(ingest_whole(whole, *sources))
        same(whole, sharded)
    other.write_text(html("Q", "<p>Q.</p>"))
    report = ingest_shards(sharded, other)
    assert told(report) == told(ingest_whole(whole, other))
    assert any("ingest that source again" in problem.what for problem in report.problems)
    same(whole, sharded)


def test_a_days_changes_touch_only_the_shards_that_have_them(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    ingest_shards(folder, source, shards=16)

    def revisions() -> list[Any]:
        with ShardedStore(folder) as store:
            return [shard.revision() for shard in store.shards]

    before = revisions()
    assert ingest_shards(folder, source).unchanged > 100
    assert revisions() == before
    source.write_text(source.read_text().replace("Page 60 says 60", "Page 60 says more"))
    assert ingest_shards(folder, source).changed == 1
    changed = [number for number, (a, b) in enumerate(zip(before, revisions(), strict=True)) if a != b]
    with ShardedStore(folder) as store:
        assert changed == [shard_of_number(store.numbers_by_title(["P60"])["P60"])]


def test_compressed_files_folders_and_several_workers_give_the_same(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "wiki"
    folder.mkdir()
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(source.read_bytes(), 0))
    shutil.copy(source, folder / "plain.jsonl")
    for number in range(30):
        (folder / f"Small {number}.wiki").write_text(f"'''Small {number}''' links to [[P{number}|a page]]. " * 9)
    (folder / "notes.xyz").write_text("?")
    whole, sharded = tmp_path / "whole", tmp_path / "sharded"
    assert told(ingest_shards(sharded, folder, shards=3, workers=2)) == told(ingest_whole(whole, folder))
    same(whole, sharded)


def test_a_source_that_lost_too_much_or_was_cut_is_left_unfinished_and_removes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "pages.jsonl"
    lines = [page(number) for number in range(60)]
    source.write_text("\n".join(lines))
    whole, sharded = tmp_path / "whole", tmp_path / "sharded"
    ingest_whole(whole, source)
    ingest_shards(sharded, source, shards=3)
    packed = gzip.compress("\n".join([*lines[5:], *(html(f"Q{n}", os.urandom(9000).hex()) for n in range(9))]).encode())
    for written, error in (
        ("\n".join([*lines[5:], *["{broken"] * 40]).encode(), TooManyProblems),
        (packed[: len(packed) // 2], FormatError),
    ):
        source.write_bytes(written)
        with Store.create(whole) as store:
            one = Ingest(store, [source])
            with pytest.raises(error) as refused:
                list(one)
        many = ShardedIngest(sharded, [source])
        with pytest.raises(error) as refused_too:
            list(many)
        messages, reports = [str(refused.value), str(refused_too.value)], [told(one.report), told(many.report)]
        assert messages[0] == messages[1]
        assert reports[0] == reports[1]
        same(whole, sharded)
        with Store.open(sharded) as store:
            assert [each.complete for each in store.sources()] == [False]


@pytest.mark.parametrize("shards", [1, 3, 16])
def test_documents_are_called_as_in_one_file_whatever_wiki_pages_are_called(tmp_path: Path, shards: int) -> None:
    documents, wiki = tmp_path / "documents", tmp_path / "wiki.jsonl"
    whole, sharded = tmp_path / "whole", tmp_path / "sharded"
    documents.mkdir()

    def both() -> None:
        for sources in ([documents], [wiki], [documents, wiki]):
            reports = [told(ingest_whole(whole, *sources, keep_originals=True))]
            reports.append(told(ingest_shards(sharded, *sources, shards=shards, keep_originals=True)))
            assert reports[0] == reports[1]
            same(whole, sharded)
            copies = [sorted(copy.name for copy in folder.glob("originals/*")) for folder in (whole, sharded)]
            assert copies[0] == copies[1] != []

    for name, title in (
        ("a", "Peaks of Asia"),
        ("b", "Peaks of Asia"),
        ("c", "Report"),
        ("d", "Report"),
        ("e", "Alone"),
        ("f", "Leads"),
    ):
        (documents / f"{name}.md").write_text(f"# {title}\n\nFile {name} is about {title}, see [c](c.md).\n")
    pages = [page(number) for number in range(9)]
    wiki.write_text(
        "\n".join([*pages, html("Peaks of Asia", "<p>x</p>"), enterprise("Mount", "high", "Leads", "More")])
    )
    both()
    with Store.open(sharded) as store:
        assert store.resolve("c.md") == store.resolve("c") == "Report (c)"
        assert store.original("Alone").file == "e.md"
        assert store.page("Peaks of Asia (a)").links == ("Report (c)",)
    (documents / "b.md").unlink()
    (documents / "d.md").write_text("# Report of the year\n\nNow told apart.\n")
    (documents / "g.md").write_text("# Mount\n\nA document about it.\n")
    wiki.write_text("\n".join(pages))
    both()
    with Store.open(sharded) as store:
        assert store.resolve("a") == "Peaks of Asia"
        assert store.resolve("c") == "Report"


# -- stopped anywhere --------------------------------------------------------------------------------------


class Stopped(Exception):
    """What ends an ingest in a test."""


class Stopping:
    """An engine that does every item twice, and stops for good after some."""

    workers = 2
    cores = 1

    def __init__(self, most: int) -> None:
        self.left = most

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        for item in items:
            if self.left == 0:
                raise Stopped
            self.left -= 1
            function(item)
            yield function(item)


def test_an_ingest_that_is_stopped_after_any_task_goes_on_and_ends_the_same(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join([html("P1", "<p>Mine.</p>"), page(300), page(301)]))
    expected = told(ingest_whole(tmp_path / "whole", source, other))
    folder = tmp_path / "corpus"
    for done in range(1, 100):
        try:
            report = ingest_shards(folder, source, other, shards=3, engine=Stopping(done))
        except Stopped:
            with pytest.raises(StoreError, match="run the same command to go on"):
                Store.open(folder)
        else:
            break
    assert done > 10
    assert told(report) == expected
    same(tmp_path / "whole", folder)


def test_a_stopped_update_leaves_the_corpus_open_and_goes_on_to_the_same(source: Path, tmp_path: Path) -> None:
    folder, whole = tmp_path / "corpus", tmp_path / "whole"
    ingest_shards(folder, source, shards=3)
    ingest_whole(whole, source)
    before = content(folder)
    source.write_text("\n".join([page(700), page(3, "more"), *source.read_text().splitlines()[:70]]))
    expected = told(ingest_whole(whole, source))
    with pytest.raises(Stopped):
        ingest_shards(folder, source, engine=Stopping(2))
    assert content(folder) == before
    parts = len(list(folder.glob(f"{SPOOL}/source-0000/part-*")))
    assert parts == 2
    with pytest.raises(Stopped):  # with one shard written and two not
        ingest_shards(folder, source, engine=Stopping(-(-source.stat().st_size // SMALL) + 1))
    with Store.open(folder) as store:
        assert len(store)
    assert told(ingest_shards(folder, source)) == expected
    same(whole, folder)


def test_another_command_does_not_go_on_with_what_a_stopped_one_left(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with pytest.raises(Stopped):
        ingest_shards(folder, source, shards=3, engine=Stopping(3))
    source.write_text(page(1) + "\n" + page(2))
    report = ingest_shards(folder, source, options=ReaderOptions(drop_flagged=True))
    assert told(report) == told(ingest_whole(tmp_path / "whole", source, options=ReaderOptions(drop_flagged=True)))
    same(tmp_path / "whole", folder)


def test_spools_that_were_partly_removed_are_not_taken_for_whole_ones(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, whole = tmp_path / "corpus", tmp_path / "whole"
    parts = -(-source.stat().st_size // SMALL)
    with pytest.raises(Stopped):  # with one shard written and two not
        ingest_shards(folder, source, shards=3, engine=Stopping(parts + 1))

    def stop_removing(spool: Path, **_: Any) -> None:
        (spool / "source-0000" / "part-000000").unlink()
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", stop_removing)
        with pytest.raises(Stopped):
            ingest_shards(folder, source, keep_originals=True)
    ingest_shards(folder, source)
    ingest_whole(whole, source)
    assert content(folder)["pages"] == content(whole)["pages"]


def test_a_spool_that_is_gone_is_told_of(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    parts = -(-source.stat().st_size // SMALL)
    with pytest.raises(Stopped):
        ingest_shards(folder, source, shards=3, engine=Stopping(parts + 1))
    (folder / SPOOL / "source-0000" / "part-000000").unlink()
    with pytest.raises(StoreError, match="part-000000' is gone; remove its folder"):
        ingest_shards(folder, source)


def test_an_ingest_with_other_options_does_not_go_on_with_a_stopped_one(tmp_path: Path) -> None:
    documents, folder = tmp_path / "documents", tmp_path / "corpus"
    documents.mkdir()
    for name in ("a", "b"):
        (documents / f"{name}.md").write_text(f"# {name}\n\nA document.\n")
    with pytest.raises(Stopped):
        ingest_shards(folder, documents, shards=2, engine=Stopping(1))
    ingest_shards(folder, documents, keep_originals=True)
    assert len([file for file in (folder / "originals").rglob("*") if file.is_file()]) == 2


def test_a_source_that_changes_while_it_is_read_removes_nothing(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    ingest_shards(folder, source, shards=3)
    before = content(folder)

    class Changing(Stopping):
        def map(self, function: Any, items: Any, lost: Any = None) -> Iterator[Any]:
            for result in super().map(function, items, lost):
                if source.stat().st_size > 2 * SMALL:
                    source.write_text(page(1))
                yield result

    source.write_text(source.read_text() + page(500) + "\n")
    with pytest.raises(InputError, match="was changed while it was read"):
        ingest_shards(folder, source, engine=Changing(100))
    assert content(folder) == before
    ingest_shards(folder, source)
    ingest_whole(tmp_path / "whole", source)
    assert content(folder)["pages"] == content(tmp_path / "whole")["pages"]


def test_a_full_disk_ends_an_ingest_that_goes_on_when_there_is_room(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, whole = tmp_path / "corpus", tmp_path / "whole"
    finish, left = SpoolWriter.finish, iter([True, True, False])

    def finish_while_there_is_room(spool: SpoolWriter, summary: tuple[Any, ...]) -> None:
        if not next(left):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finish(spool, summary)

    with monkeypatch.context() as patched:
        patched.setattr(SpoolWriter, "finish", finish_while_there_is_room)
        with pytest.raises(DiskFull, match="free some, then run the same command"):
            ingest_shards(folder, source, shards=3)
    assert len(list(folder.glob(f"{SPOOL}/source-0000/part-*"))) == 2
    assert told(ingest_shards(folder, source)) == told(ingest_whole(whole, source))

    def connect_to_little(file: Path, **options: Any) -> sqlite3.Connection:
        database: sqlite3.Connection = sqlite3.connect(file, **options)
        # A cap on the file is how SQLite itself lets one try a full disk.
        database.execute("PRAGMA max_page_count = 1")
        return database

    with monkeypatch.context() as patched:
        patched.setattr(parts, "sqlite3", SimpleNamespace(connect=connect_to_little))
        with pytest.raises(DiskFull, match="free some, then run the same command"):
            ingest_shards(folder, source)
    assert told(ingest_shards(folder, source)) == told(ingest_whole(whole, source))
    same(whole, folder)


KILLED = """
import os, signal, sys
from pathlib import Path
from veritab.corpus import filling, parts, sharded_ingest
parts._PART_BYTES = 2000
at, left = sys.argv[3], int(sys.argv[4])
def dying(function):
    def call(*arguments, **named):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **named)
    return call
store = filling.Store
if at == "spool":
    parts.SpoolWriter.finish = dying(parts.SpoolWriter.finish)
elif at == "manifest":
    sharded_ingest.write_manifest = dying(sharded_ingest.write_manifest)
elif at == "make":
    sharded_ingest.make_shards.__globals__["write_manifest"] = dying(None)
else:
    setattr(store, at, dying(getattr(store, at)))
list(sharded_ingest.ShardedIngest(Path(sys.argv[2]), [Path(sys.argv[1])], shards=3))
"""


def test_an_ingest_that_is_killed_goes_on_where_it_was(source: Path, tmp_path: Path) -> None:
    expected = told(ingest_whole(tmp_path / "whole", source))
    folder = tmp_path / "corpus"
    for at, left in (
        ("make", 0),
        ("spool", 0),
        ("spool", 3),
        ("add", 5),
        ("finish", 1),
        ("keep_result", 1),
        ("close", 5),
        ("manifest", 0),
        ("shadowed_redirects", 0),
    ):
        command = [sys.executable, "-c", KILLED, str(source), str(folder), at, str(left)]
        died = subprocess.run(command, capture_output=True, timeout=120)
        assert died.returncode == -signal.SIGKILL, (at, died.stderr.decode())
    assert told(ingest_shards(folder, source)) == expected
    same(tmp_path / "whole", folder)


# -- what is refused ---------------------------------------------------------------------------------------


def test_a_misspelt_path_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with pytest.raises(NotFound):
        ingest_shards(folder, tmp_path / "missing.jsonl", shards=2)
    assert not folder.exists()


def test_another_number_of_shards_and_a_corpus_of_one_file_are_refused(source: Path, tmp_path: Path) -> None:
    ingest_shards(tmp_path / "sharded", source, shards=2)
    with pytest.raises(InputError, match="has 2 shards, not 3; leave --shards out"):
        ingest_shards(tmp_path / "sharded", source, shards=3)
    ingest_whole(tmp_path / "whole", source)
    with pytest.raises(InputError, match="is a corpus of one file"):
        ingest_shards(tmp_path / "whole", source, shards=3)
    with pytest.raises(InputError, match="cannot have 5,000 shards"):
        ingest_shards(tmp_path / "many", source, shards=5000)


def test_a_missing_shard_a_lost_manifest_and_a_second_writer_are_refused(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    ingest_shards(folder, source, shards=2)
    with ShardedIngest(folder, [source])._writing(), pytest.raises(StoreBusy):
        ingest_shards(folder, source)
    (folder / "shard-0001").rename(tmp_path / "aside")
    with pytest.raises(StoreError, match=r"the shard 'shard-0001' .* is missing"):
        ingest_shards(folder, source)
    (tmp_path / "aside").rename(folder / "shard-0001")
    (folder / MANIFEST).unlink()
    with pytest.raises(StoreError, match="has shards with pages and no shards"):
        ingest_shards(folder, source, shards=2)


def test_a_server_that_stops_answering_is_not_taken_for_the_disk(tmp_path: Path) -> None:
    with pytest.raises(EndpointError, match="cannot read"), new_spool(tmp_path / "spool"):
        raise _NoAnswer("cannot read 'https://a.example/b' after 4 attempts")


def test_a_damaged_spool_is_told_of(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with pytest.raises(Stopped):
        ingest_shards(folder, source, shards=2, engine=Stopping(3))
    (folder / SPOOL / "source-0000" / "part-000001").write_bytes(b"nonsense")
    with pytest.raises(StoreError, match="is damaged; remove its folder"):
        ingest_shards(folder, source)
    shutil.rmtree(folder / SPOOL)
    assert told(ingest_shards(folder, source)) == told(ingest_whole(tmp_path / "whole", source))
