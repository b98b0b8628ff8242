"""Spans of a file that follow on each other give its records once, wherever they are cut."""

from __future__ import annotations

import bz2
import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veritab.corpus.ingest import Ingest
from veritab.corpus.sharded_ingest import ShardedIngest
from veritab.corpus.sources import DividingReader, SourceFile, source_files
from veritab.corpus.store import Store
from veritab.corpus.streams import ByteRange, RawRecord, Truncated, count_lines
from veritab.schema import Problem

ANY_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def opened(path: Path) -> SourceFile:
    (file,) = source_files(path)
    assert isinstance(file, SourceFile)
    return file


def whole(path: Path) -> list[RawRecord | Problem]:
    return list(opened(path).reader.cut(path))


def spans(path: Path, cuts: list[int]) -> list[ByteRange]:
    edges = [0, *sorted({cut for cut in cuts if 0 < cut < path.stat().st_size}), None]
    return [ByteRange(start or 0, end) for start, end in pairwise(edges)]


def in_spans(path: Path, cuts: list[int]) -> list[RawRecord | Problem]:
    reader = opened(path).reader
    assert isinstance(reader, object)
    found: list[RawRecord | Problem] = []
    for span in spans(path, cuts):
        found += divided(reader).cut(path, span)
    return found


def divided(reader: object) -> DividingReader:
    assert hasattr(reader, "divided_by")
    return reader  # type: ignore[return-value]


def said(records: list[RawRecord | Problem]) -> list[object]:
    """Records without their places, which count from where a span begins."""
    return [(one.title, one.revision, one.data) if isinstance(one, RawRecord) else one.what for one in records]


CUTS = st.lists(st.integers(0, 2500), max_size=6)


def lines_file(folder: Path) -> Path:
    path = folder / "pages.jsonl"
    lines = [json.dumps({"title": f"P{n}", "html": "x" * (n * 7 % 50)}) for n in range(40)]
    path.write_bytes(("\n".join([*lines[:9], "", "\r", *lines[9:]])).encode())
    return path


def dump(folder: Path, *, packed: bool, cut_off: bool = False) -> Path:
    """A dump as MediaWiki writes it: a header, then pages, packed in streams of three."""
    head = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><sitename>W</sitename></siteinfo>\n'
    pages = [
        f"  <page>\n    <title>Page {n}</title>\n    <ns>{4 if n == 5 else 0}</ns>\n    <revision><id>{n}</id>"
        f"<text>Says {n} of &lt;page&gt; {'é' * (n * 11 % 70)}</text></revision>\n  </page>\n"
        for n in range(12)
    ]
    tail = "" if cut_off else "</mediawiki>\n"
    path = folder / ("dump.xml.bz2" if packed else "dump.xml")
    if packed:
        streams = [head, *("".join(pages[n : n + 3]) for n in range(0, 12, 3)), tail]
        path.write_bytes(b"".join(bz2.compress(stream.encode()) for stream in streams if stream))
    else:
        path.write_bytes((head + "".join(pages) + tail).encode())
    return path


@ANY_FOLDER
@given(cuts=CUTS)
def test_lines_are_given_once_and_counted_wherever_a_file_is_cut(cuts: list[int], tmp_path: Path) -> None:
    path = lines_file(tmp_path)
    assert divided(opened(path).reader).divided_by(path) == "lines"
    assert said(in_spans(path, cuts)) == said(whole(path))
    assert sum(count_lines(path, span) for span in spans(path, cuts)) == path.read_bytes().count(b"\n") + 1


@pytest.mark.parametrize("name", ["with_header.tsv", "without_header.tsv", "lines.jsonl"])
@ANY_FOLDER
@given(cuts=CUTS, passages=st.lists(st.integers(1, 9), min_size=1, max_size=20))
def test_passages_of_one_title_stay_together_wherever_a_file_is_cut(
    name: str, cuts: list[int], passages: list[int], tmp_path: Path
) -> None:
    path = tmp_path / name
    titles = [f"P{n}" for n, times in enumerate(passages) for _ in range(times)]
    rows = [f"{n}\tPassage {n} of it.\t{title}" for n, title in enumerate(titles)]
    rows[len(rows) // 2 : len(rows) // 2] = ["broken", ""]
    if path.suffix == ".jsonl":
        lines = [json.dumps({"id": n, "text": f"Passage {n}.", "title": title}) for n, title in enumerate(titles)]
    else:
        lines = ["id\ttext\ttitle", *rows] if name.startswith("with_") else rows
    path.write_text("\n".join(lines) + "\n")
    (file,) = source_files(path, "passages")
    assert isinstance(file, SourceFile)
    reader = divided(file.reader)
    assert reader.divided_by(path) == "lines"
    found = [record for span in spans(path, cuts) for record in reader.cut(path, span)]
    assert said(found) == said(list(file.reader.cut(path)))


@pytest.mark.parametrize("packed", [False, True])
@ANY_FOLDER
@given(cuts=CUTS)
def test_pages_of_a_dump_are_given_once_wherever_it_is_cut(cuts: list[int], packed: bool, tmp_path: Path) -> None:
    path = dump(tmp_path, packed=packed)
    assert divided(opened(path).reader).divided_by(path) == "pages"
    assert len(whole(path)) == 11
    assert said(in_spans(path, cuts)) == said(whole(path))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("block", [64, 2**20])
def test_a_dump_can_be_cut_at_every_byte(
    packed: bool, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veritab.corpus.wikitext.dump_spans._BLOCK", block)
    path = dump(tmp_path, packed=packed)
    expected = said(whole(path))
    for cut in range(1, path.stat().st_size):
        assert said(in_spans(path, [cut])) == expected, cut


def test_a_dump_that_ends_too_early_is_told_of_by_one_span(tmp_path: Path) -> None:
    for path in (dump(tmp_path, packed=False, cut_off=True), dump(tmp_path, packed=True, cut_off=True)):
        size = path.stat().st_size
        for cuts in ([size // 2], [size // 3, 2 * size // 3], [size - 5]):
            assert sum(isinstance(one, Truncated) for one in in_spans(path, cuts)) == 1


@pytest.mark.parametrize("packed", [False, True])
def test_a_dump_in_shards_is_that_in_one_file(packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veritab.corpus.parts._PART_BYTES", 300)
    path = dump(tmp_path, packed=packed)
    work = ShardedIngest(tmp_path / "sharded", [path], shards=3)
    list(work)
    with Store.create(tmp_path / "whole") as store:
        one = Ingest(store, [path])
        list(one)
        with Store.open(tmp_path / "sharded") as sharded:
            assert list(sharded.pages()) == list(store.pages())
            assert len(sharded) == 11
    assert (work.report.added, work.report.records) == (one.report.added, one.report.records)


def test_a_dump_in_one_stream_and_packed_lines_are_not_divided(tmp_path: Path) -> None:
    path = dump(tmp_path, packed=False)
    one = tmp_path / "one.xml.bz2"
    one.write_bytes(bz2.compress(path.read_bytes()))
    lines = tmp_path / "lines.jsonl.bz2"
    lines.write_bytes(bz2.compress(lines_file(tmp_path).read_bytes()))
    for packed in (one, lines):
        assert divided(opened(packed).reader).divided_by(packed) == ""
