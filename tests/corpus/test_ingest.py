"""Ingesting: what is skipped, replaced, removed, resumed, and refused."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pickle
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from veritab.corpus.ingest import Ingest, IngestReport
from veritab.corpus.sources import LEADS_OUT, ReaderOptions, detect_format, read_source, source_files
from veritab.corpus.store import Store
from veritab.corpus.streams import Truncated, bounded_lines, open_stream
from veritab.engine import Item, Result
from veritab.errors import FormatError, InputError, NotFound, TooManyProblems, VeritabError
from veritab.schema import Page, Problem, Redirect


def html(title: str, body: str) -> str:
    return json.dumps({"title": title, "html": body})


def ingest(folder: Path, *sources: Path, workers: int = 1, **options: object) -> IngestReport:
    with Store.create(folder) as store:
        work = Ingest(store, sources, workers=workers, **options)  # type: ignore[arg-type]
        for _ in work:
            pass
    return work.report


def changes(report: IngestReport) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.unchanged, report.removed


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(html(f"P{n}", f"<p>Page {n} says {n}.</p>") for n in range(30)))
    return path


def test_a_second_run_skips_what_is_the_same_and_tells_what_changed(source: Path, tmp_path: Path) -> None:
    into = tmp_path / "corpus"
    assert changes(ingest(into, source)) == (30, 0, 0, 0)
    assert changes(ingest(into, source)) == (0, 0, 30, 0)
    lines = source.read_text().splitlines()
    lines[3] = html("P3", "<p>Page 3 says something else.</p>")
    source.write_text("\n".join([*lines[:10], *lines[11:], html("New", "<p>New.</p>")]))
    assert changes(ingest(into, source)) == (1, 1, 28, 1)
    with Store.open(into) as store:
        assert store.page("P3").blocks[0].text == "Page 3 says something else."  # type: ignore[union-attr]
        assert "P10" not in store
        assert "New" in store


def test_another_source_adds_to_a_corpus_and_removes_nothing(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(html("Q", "<p>Q.</p>") + "\n" + html("P1", "<p>Mine.</p>"))
    into = tmp_path / "corpus"
    ingest(into, source)
    report = ingest(into, other)
    assert changes(report) == (1, 1, 0, 0)
    assert report.problem_counts == {"a second page with this title; the later one is kept": 1}
    with Store.open(into) as store:
        assert len(store) == 31
        assert [(Path(s.name).name, s.pages, s.complete) for s in store.sources()] == [
            ("other.jsonl", 2, True),
            ("pages.jsonl", 29, True),
        ]


def test_other_options_read_the_pages_again(source: Path, tmp_path: Path) -> None:
    flagged = '<table class="ambox ambox-Unreferenced"></table><p>Doubtful.</p>'
    source.write_text(source.read_text() + "\n" + html("Flagged", flagged))
    into = tmp_path / "corpus"
    first = ingest(into, source, options=ReaderOptions(drop_flagged=True))
    assert (first.added, first.problem_counts) == (30, {"left out: flagged as lacking citations": 1})
    again = ingest(into, source)
    assert (changes(again), again.problem_counts) == ((1, 0, 30, 0), {})


def test_workers_give_the_same_corpus_as_one_process(source: Path, tmp_path: Path) -> None:
    ingest(tmp_path / "one", source)
    ingest(tmp_path / "two", source, workers=2)
    with Store.open(tmp_path / "one") as one, Store.open(tmp_path / "two") as two:
        assert list(one.pages()) == list(two.pages())


class Twice:
    """An engine whose workers died once after each item: everything is done again."""

    workers = 3
    cores = 1

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        for item in items:
            pickle.loads(pickle.dumps(function))(pickle.loads(pickle.dumps(item)))
            yield pickle.loads(pickle.dumps(function(item)))


def test_problems_come_in_the_order_of_records_whoever_parses(source: Path, tmp_path: Path) -> None:
    lines = source.read_text().splitlines()
    source.write_text("\n".join([*lines[:5], "{broken", lines[3], "x" * 17 * 2**20, html("Empty", ""), *lines[5:]]))
    engines: list[dict[str, Any]] = [{}, {"workers": 2}, {"engine": Twice()}]
    told = [ingest(tmp_path / str(n), source, **engine).problems for n, engine in enumerate(engines)]
    assert [problem.where for problem in told[0]] == [f"pages.jsonl:{number}" for number in (6, 7, 8, 9)]
    assert told[1] == told[2] == told[0]
    corpora = [Path(tmp_path / str(n) / "corpus.sqlite") for n in range(3)]
    with contextlib.ExitStack() as opened:
        stores = [opened.enter_context(Store.open(corpus.parent)) for corpus in corpora]
        digests = [list(store.digests()) for store in stores]
    assert digests[1] == digests[2] == digests[0]


def test_a_circle_of_redirects_is_a_problem_and_the_rest_is_fine(tmp_path: Path) -> None:
    folder = tmp_path / "wiki"
    folder.mkdir()
    (folder / "A.wiki").write_text("#REDIRECT [[B]]")
    (folder / "B.wiki").write_text("#REDIRECT [[A]]")
    (folder / "C.wiki").write_text("C links to [[A]] and to [[D|a page]].")
    (folder / "D.wiki").write_text("D is here.")
    report = ingest(tmp_path / "corpus", folder)
    assert report.problem_counts == {"a redirect that leads to no page, or in a circle": 2}
    with Store.open(tmp_path / "corpus") as store:
        assert store.page("C").links == ("D",)


def test_too_many_lost_records_fail_the_run_and_keep_what_was_read(source: Path, tmp_path: Path) -> None:
    source.write_text(source.read_text() + "\n" + "{broken\n" * 10)
    into = tmp_path / "corpus"
    with pytest.raises(TooManyProblems, match=r"10 of 40 records .* allow more with --max-lost"):
        ingest(into, source)
    with Store.open(into) as store:
        assert len(store) == 30
        assert [s.complete for s in store.sources()] == [False]
    assert ingest(into, source, max_lost=0.3).unchanged == 30


def test_a_source_that_cannot_be_read_to_its_end_removes_nothing(source: Path, tmp_path: Path) -> None:
    into = tmp_path / "corpus"
    ingest(into, source)
    # Random bytes do not compress, so the first pages can be read before the cut is met.
    padding = [html(f"Q{n}", f"<p>{os.urandom(40_000).hex()}</p>") for n in range(12)]
    packed = gzip.compress("\n".join([*source.read_text().splitlines(), *padding]).encode())
    source.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(FormatError, match="the file is cut or damaged"):
        ingest(into, source)
    with Store.open(into) as store:
        assert set(store.titles()) >= {f"P{n}" for n in range(30)}
        assert [s.complete for s in store.sources()] == [False]
    source.write_bytes(packed[:40])
    with pytest.raises(FormatError, match="is cut or damaged"):
        ingest(into, source)


def test_a_misspelt_path_among_several_writes_nothing(source: Path, tmp_path: Path) -> None:
    into = tmp_path / "corpus"
    with pytest.raises(NotFound, match="no file or folder"):
        ingest(into, source, tmp_path / "missing.jsonl")
    with Store.open(into) as store:
        assert len(store) == 0


KILLED = """
import sys, time
from pathlib import Path
from veritab.corpus import ingest
from veritab.corpus.store import Store
ingest._PAGES_PER_TRANSACTION = 50
ingest._BATCH_RECORDS = 10
with Store.create(Path(sys.argv[2])) as store:
    for step in ingest.Ingest(store, [Path(sys.argv[1])]):
        print(step.pages, flush=True)
        time.sleep(0.05)
"""


def test_a_killed_ingest_leaves_a_usable_store_and_resumes(tmp_path: Path) -> None:
    source = tmp_path / "many.jsonl"
    source.write_text("\n".join(html(f"P{n}", f"<p>Page {n} says {n}.</p>") for n in range(1000)))
    into = tmp_path / "corpus"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(source), str(into)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 300:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.wait()
    process.stdout.close()
    with Store.open(into) as store:
        kept = len(store)
        assert 300 <= kept < 1000
        assert store.page("P7").blocks[0].text == "Page 7 says 7."  # type: ignore[union-attr]
        assert [s.complete for s in store.sources()] == [False]
        assert store.check_integrity() == []
    report = ingest(into, source)
    assert changes(report) == (1000 - kept, 0, kept, 0)
    with Store.open(into) as store:
        assert len(store) == 1000


# -- what a file holds --


def test_a_folder_of_anything_is_read_by_what_each_file_holds(tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    (folder / "reports").mkdir(parents=True)
    (folder / "reports" / "annual.md").write_text("# The year\n\nWe grew. See [plan](../plan.txt).\n")
    (folder / "plan.txt").write_text("The plan is simple.")
    (folder / "data.csv").write_text("name,height\nK2,8611\n")
    (folder / "data.txt").write_text("About the data.")
    (folder / "page.html").write_text("<h1>Plain</h1><p>Not from a wiki.</p>")
    (folder / "wiki.html").write_text('<div class="mw-parser-output"><p>From a wiki.</p></div>')
    (folder / "Some_page.wiki").write_text("'''Some page''' links to [[Wiki]].")
    (folder / "notes.xyz").write_text("?")
    (folder / ".hidden.md").write_text("no")
    found = list(read_source(folder))
    titles = {one.title: (one.name, one.file) for one in found if isinstance(one, Page)}
    assert titles == {
        "The year": ("reports/annual", "reports/annual.md"),
        "plan": ("plan", "plan.txt"),
        "data.csv": ("data.csv", "data.csv"),
        "data.txt": ("data.txt", "data.txt"),
        "Plain": ("page", "page.html"),
        "Wiki": ("", ""),
        "Some page": ("", ""),
    }
    (problem,) = [one for one in found if isinstance(one, Problem)]
    assert problem.where.startswith("notes.xyz: cannot tell what 'notes.xyz' holds")
    (annual,) = [one for one in found if isinstance(one, Page) and one.name == "reports/annual"]
    assert annual.links == ("plan",)


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.jsonl", '{"title": "A", "order": []}', "feverous"),
        ("a.jsonl", '{"id": "A", "text": "", "lines": ""}', "fever"),
        ("a.ndjson", '{"name": "A", "article_body": {}}', "wikipedia"),
        ("a.jsonl", '{"url": "/wiki/A", "text": ""}', "passages"),
        ("a.tsv", "id\ttext\ttitle\n", "passages"),
        ("a.tsv", "x\ty\n", "documents"),
        ("a.xml", "<mediawiki></mediawiki>", "wikitext"),
        ("enwiki-pages-articles1.xml-p1p41242", "<mediawiki></mediawiki>", "wikitext"),
        ("a.pdf", "", "documents"),
    ],
)
def test_a_file_is_known_by_what_it_holds(name: str, content: str, format: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert detect_format(tmp_path / name) == format


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", "", "is empty"),
        ("a.jsonl", '{"x": 1}', "cannot tell what the records"),
        ("a.xml", "<html/>", "not a MediaWiki dump"),
        ("a.tar", "no tar", "is not a tar archive"),
        ("a.jsonl.gz", "no gzip", "is not compressed as its name says"),
        ("a.bin", "?", "say so with --format"),
        ("a.db", "SQLite format 3\x00 but not really", "cannot be read|neither"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(
    name: str, content: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(Exception, match=message) as refused:
        detect_format(tmp_path / name)
    assert type(refused.value).__module__ == "veritab.errors"


def test_an_unknown_format_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="known are: documents, fever"):
        list(source_files(tmp_path, "word"))
    with pytest.raises(InputError, match="holds no files"):
        list(source_files(tmp_path))


def test_a_line_of_two_hundred_megabytes_is_skipped_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.write(html("Before", "<p>Before.</p>").encode() + b"\n")
        for _ in range(200):
            file.write(b"x" * 2**20)
        file.write(b"\n" + html("After", "<p>After.</p>").encode() + b"\n")
    program = (
        "import sys; from veritab.corpus.sources import read_source\n"
        "found = list(read_source(sys.argv[1]))\n"
        "print([getattr(one, 'title', None) or one.what for one in found])\n"
        "print(next(int(line.split()[1]) // 1024 for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    shown, memory = done.stdout.splitlines()
    assert shown == "['Before', 'a line is longer than 16 MB', 'After']"
    assert int(memory) < 400


def test_redirects_and_pages_come_from_read(tmp_path: Path) -> None:
    (tmp_path / "X.wiki").write_text("#redirect [[Y]]")
    assert list(read_source(tmp_path / "X.wiki")) == [Redirect("X", "Y")]


def test_a_wrong_format_is_a_lost_record_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("plain words\n")
    with pytest.raises(FormatError):
        list(read_source(tmp_path / "x.jsonl"))
    found = list(read_source(tmp_path / "x.jsonl", "feverous"))
    assert [isinstance(one, Problem) and one.lost for one in found] == [True]


def enterprise(title: str, *redirects: str) -> str:
    article = {"html": f"<p>About {title}.</p>"}
    return json.dumps({"name": title, "article_body": article, "redirects": [{"name": name} for name in redirects]})


def test_redirects_that_came_with_a_page_stay_when_nothing_changed(tmp_path: Path) -> None:
    dump = tmp_path / "dump.ndjson"
    dump.write_text(enterprise("Mount Everest", "Chomolungma", "Sagarmatha") + "\n" + enterprise("K2"))
    into = tmp_path / "corpus"
    for _ in range(3):
        ingest(into, dump)
        with Store.open(into) as store:
            assert store.resolve("Chomolungma") == "Mount Everest"
    dump.write_text(enterprise("Mount Everest", "Sagarmatha") + "\n" + enterprise("K2"))
    ingest(into, dump)
    with Store.open(into) as store:
        assert store.resolve("Chomolungma") is None
        assert store.resolve("Sagarmatha") == "Mount Everest"


def test_of_two_records_with_one_title_the_later_one_is_kept_in_every_run(source: Path, tmp_path: Path) -> None:
    source.write_text(
        "\n".join([html("P", "<p>Version 1.</p>"), html("Q", "<p>Q.</p>"), html("P", "<p>Version 2.</p>")])
    )
    into = tmp_path / "corpus"
    for _ in range(4):
        report = ingest(into, source)
        assert report.problem_counts == {"a second page with this title; the later one is kept": 1}
        with Store.open(into) as store:
            assert store.page("P").blocks[0].text == "Version 2."  # type: ignore[union-attr]


def test_a_page_that_went_with_the_source_that_displaced_another_is_told_of(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(html("P1", "<p>Mine.</p>") + "\n" + html("Q", "<p>Q.</p>"))
    into = tmp_path / "corpus"
    ingest(into, source)
    ingest(into, other)
    other.write_text(html("Q", "<p>Q.</p>"))
    report = ingest(into, other)
    (problem,) = report.problems
    assert (problem.page, Path(problem.where).name) == ("P1", "pages.jsonl")
    assert "ingest that source again" in problem.what
    assert changes(ingest(into, source)) == (1, 0, 29, 0)


def test_a_source_that_fails_does_not_keep_the_next_from_being_read(source: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(html("X", "<p>x.</p>") + "\n{broken\n")
    with Store.create(tmp_path / "corpus") as store:
        work = Ingest(store, [bad, source])
        with pytest.raises(TooManyProblems):
            list(work)
        assert len(store) == 31
        assert work.report.lost == 1


def test_an_ordinary_page_that_links_to_wikipedia_keeps_its_tables_and_sections(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(
        "<h1>Report</h1><p>See <a href='https://en.wikipedia.org/wiki/K2'>K2</a>, made with MediaWiki.</p>"
        "<h2>Sources</h2><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    )
    (found,) = read_source(page)
    assert isinstance(found, Page)
    assert len(found.tables) == 1


def test_compressed_files_of_a_folder_are_called_like_plain_ones(tmp_path: Path) -> None:
    folder = tmp_path / "packed"
    folder.mkdir()
    (folder / "notes.md.gz").write_bytes(gzip.compress(b"Notes are here."))
    (folder / "Some_page.wiki.gz").write_bytes(gzip.compress(b"A page."))
    assert {one.title for one in read_source(folder) if isinstance(one, Page)} == {"notes", "Some page"}


def test_a_saved_wikipedia_page_in_a_folder_is_called_by_its_own_title(tmp_path: Path) -> None:
    body = "<div id='mw-content-text'><div class='mw-parser-output'><p>He ran.</p></div></div>"
    for name, title in (("0001.html", "Alan Turing"), ("0002.html", "Ada Lovelace")):
        (tmp_path / name).write_text(f"<html><head><title>{title} - Wikipedia</title></head><body>{body}</body></html>")
    assert [one.title for one in read_source(tmp_path) if isinstance(one, Page)] == ["Alan Turing", "Ada Lovelace"]


def test_a_missing_extra_is_a_problem_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    folder = tmp_path / "folder"
    folder.mkdir()
    with zipfile.ZipFile(folder / "table.xlsx", "w") as package:
        package.writestr("[Content_Types].xml", "<Types/>")
    (folder / "notes.txt").write_text("Notes.")
    report = ingest(tmp_path / "corpus", folder, max_lost=0.5)
    assert report.added == 1
    (problem,) = report.problems
    assert "pip install 'veritab[documents]'" in problem.what


def test_pictures_in_a_folder_are_one_kind_of_problem(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.png").write_bytes(b"\x89PNG")
    (tmp_path / "a.txt").write_text("Text.")
    found = [one for one in read_source(tmp_path) if isinstance(one, Problem)]
    assert {one.what for one in found} == {"a file no reader can read"}
    assert len(found) == 3


def test_a_file_cut_inside_a_line_that_is_too_long_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(html("A", "<p>a.</p>").encode() + b"\n" + os.urandom(300_000).hex().encode())
    stream_limit = 100_000
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(packed[: len(packed) // 2])
    with open_stream(path) as stream:
        found = list(bounded_lines(stream, "a", stream_limit))
    assert isinstance(found[-1], Truncated)


def die(batch: object) -> None:
    os._exit(1)


def test_workers_that_die_each_time_are_an_error_of_ours(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veritab.corpus.ingest._parse_batch", die)
    with (
        Store.create(tmp_path / "corpus") as store,
        pytest.raises(VeritabError, match="a worker process died"),
    ):
        list(Ingest(store, [source], workers=2))


def test_a_pipe_is_refused_and_in_a_folder_told_of(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "a.txt").write_text("Text.")
    with pytest.raises(InputError, match="is a pipe or a device"):
        list(read_source(tmp_path / "pipe.txt"))
    found = list(read_source(tmp_path))
    assert {one.where for one in found if isinstance(one, Problem)} == {"pipe.txt", "gone.txt"}


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A folder with links to what lies beside it, to its own files, and in circles."""
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    (folder / "own").mkdir(parents=True)
    (outside / "more").mkdir(parents=True)
    (folder / "own" / "a.txt").write_text("Own.")
    (outside / "secret.txt").write_text("Secret.")
    (outside / "more" / "b.txt").write_text("More.")
    (folder / "secret.txt").symlink_to(outside / "secret.txt")
    (folder / "same.txt").symlink_to("own/a.txt")
    (folder / "same").symlink_to("own")
    (folder / "theirs").symlink_to(outside)
    (folder / "own" / "up").symlink_to("..")
    (folder / "circle").symlink_to("circle")
    (outside / "more" / "back").symlink_to(folder)
    return folder


def test_links_that_lead_out_of_a_folder_are_left_out_and_told_of(linked: Path) -> None:
    found = list(read_source(linked))
    assert {one.title for one in found if isinstance(one, Page)} == {"own/a", "same"}
    assert {one.where: one.what for one in found if isinstance(one, Problem)} == {
        "circle": "not a file: a broken link, a pipe or a device",
        "secret.txt": LEADS_OUT,
        "theirs": LEADS_OUT,
    }


def test_links_that_lead_out_of_a_folder_are_followed_when_asked_and_circles_end(linked: Path) -> None:
    found = list(read_source(linked, follow_links=True))
    titles = [one.title for one in found if isinstance(one, Page)]
    assert titles == ["own/a", "same", "secret", "theirs/more/b", "theirs/secret"]
    assert [one.where for one in found if isinstance(one, Problem)] == ["circle"]


def test_a_folder_may_itself_be_named_by_a_link(linked: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(linked)
    assert {one.title for one in read_source(tmp_path / "link") if isinstance(one, Page)} == {"own/a", "same"}


def test_a_folder_of_nothing_but_links_that_lead_out_says_so(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "hosts.txt").symlink_to("/etc/hosts")
    with pytest.raises(InputError, match=r"holds no files that can be read \(hosts.txt: left out: a link that leads"):
        list(read_source(tmp_path / "folder"))


def test_a_folder_that_cannot_be_entered_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    if os.access(tmp_path / "closed", os.R_OK):
        pytest.skip("nothing is closed to this user")
    (tmp_path / "a.txt").write_text("Text.")
    found = list(read_source(tmp_path))
    assert [(one.where, one.what) for one in found if isinstance(one, Problem)] == [
        ("closed", "left out: permission denied")
    ]


def test_a_file_name_that_is_not_utf8_is_read_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt"))).write_text("Text.")
    assert ingest(tmp_path / "corpus", folder).added == 1
    with Store.open(tmp_path / "corpus") as store:
        assert list(store.titles()) == ["caf\ufffd"]


def test_half_a_million_combining_marks_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" + "\u0301\u0316" * 200_000, encoding="utf-8")
    assert any(isinstance(one, Page) for one in read_source(tmp_path / "a.txt"))


def test_markdown_of_endless_brackets_is_read_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Words. " + "[" * 200_000)
    problem, page = read_source(tmp_path / "a.md")
    assert isinstance(problem, Problem)
    assert isinstance(page, Page)


# -- documents and their titles ----------------------------------------------------------------------------


def write_documents(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def titles(folder: Path) -> list[str]:
    with Store.open(folder) as store:
        return list(store.titles())


def test_a_document_is_found_by_its_title_and_by_the_name_of_its_file(tmp_path: Path) -> None:
    folder = write_documents(
        tmp_path / "in", wheat="# Harvest in the north\n\nWheat rose. See [rye](rye.md).", rye="Rye."
    )
    ingest(tmp_path / "corpus", folder)
    with Store.open(tmp_path / "corpus") as store:
        for name in ("Harvest in the north", "wheat", "wheat.md", "harvest in the north"):
            page = store.page(name)
            assert (page.title, page.file, page.source) == ("Harvest in the north", "wheat.md", "wheat.md")
        assert store.element("wheat_sentence_0").text == "Wheat rose."
        assert store.page("wheat").links == ("rye",)
        assert list(store.titles()) == ["Harvest in the north", "rye"]


def test_links_lead_to_documents_whatever_they_call_themselves(tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "in", a="See [the other](b.md).", b="# Harvest in the north\n\nWheat.")
    ingest(tmp_path / "corpus", folder)
    with Store.open(tmp_path / "corpus") as store:
        assert store.page("a").links == ("Harvest in the north",)


def test_a_changed_title_replaces_the_page(tmp_path: Path) -> None:
    folder, into = (
        write_documents(tmp_path / "in", a="# First title\n\nA.", b="# Other title\n\nB."),
        tmp_path / "corpus",
    )
    assert changes(ingest(into, folder)) == (2, 0, 0, 0)
    write_documents(folder, a="# Second title\n\nA.")
    assert changes(ingest(into, folder)) == (0, 1, 1, 0)
    assert titles(into) == ["Other title", "Second title"]
    with Store.open(into) as store:
        assert store.page("a").title == "Second title"
        assert "First title" not in store
        before = store.revision()
    assert changes(ingest(into, folder)) == (0, 0, 2, 0)
    with Store.open(into) as store:
        assert store.revision() == before


def test_documents_with_one_title_are_told_apart_by_their_files_in_whatever_order_they_come(tmp_path: Path) -> None:
    folder, into = write_documents(tmp_path / "in", b="# Annual report\n\nB."), tmp_path / "corpus"
    ingest(into, folder)
    assert titles(into) == ["Annual report"]
    with Store.open(into) as store:
        before = dict(store.digests())
    write_documents(folder, a="# Annual report\n\nA.")
    ingest(into, folder)
    assert titles(into) == ["Annual report (a)", "Annual report (b)"]
    with Store.open(into) as store:
        assert [store.page(name).title for name in ("a", "b")] == titles(into)
        assert all(store.digests_by_number([number])[number] != digest for number, digest in before.items())
    ingest(tmp_path / "fresh", folder)
    assert titles(tmp_path / "fresh") == titles(into)
    (folder / "a.md").unlink()
    assert changes(ingest(into, folder)) == (0, 0, 1, 1)
    assert titles(into) == ["Annual report"]
    with Store.open(into) as store:
        assert "a" not in store


def test_a_folder_that_moved_changes_no_page(tmp_path: Path) -> None:
    folder, into = write_documents(tmp_path / "in", a="# First title\n\nA.", b="B."), tmp_path / "corpus"
    ingest(into, folder)
    with Store.open(into) as store:
        before = list(store.digests()), store.revision()
    folder.rename(tmp_path / "moved")
    assert changes(ingest(into, tmp_path / "moved")) == (0, 0, 2, 0)
    with Store.open(into) as store:
        assert (list(store.digests()), store.revision()) == before


def test_of_two_folders_with_one_name_of_a_document_the_later_one_read_is_kept(tmp_path: Path) -> None:
    first = write_documents(tmp_path / "first", a="# One title\n\nA.")
    second = write_documents(tmp_path / "second", a="# One title\n\nOf another folder.")
    for folder, text in ((first, "A."), (second, "Of another folder."), (first, "A.")):
        report = ingest(tmp_path / "corpus", folder)
        assert titles(tmp_path / "corpus") == ["One title"]
        with Store.open(tmp_path / "corpus") as store:
            assert store.element("a_sentence_0").text == text
    assert report.problem_counts == {"a second page with this title; the later one is kept": 1}


def test_two_documents_can_swap_their_titles(tmp_path: Path) -> None:
    folder, into = write_documents(tmp_path / "in", a="# One title\n\nA.", b="# Two titles\n\nB."), tmp_path / "corpus"
    ingest(into, folder)
    write_documents(folder, a="# Two titles\n\nA.", b="# One title\n\nB.")
    assert changes(ingest(into, folder)) == (0, 2, 0, 0)
    with Store.open(into) as store:
        assert [store.page(name).title for name in ("a", "b")] == ["Two titles", "One title"]


def test_a_document_never_takes_the_title_of_another_page_nor_loses_its_own_to_it(source: Path, tmp_path: Path) -> None:
    folder, into = write_documents(tmp_path / "in", a="# P3 page\n\nA document."), tmp_path / "corpus"
    source.write_text(html("P3 page", "<p>From a wiki.</p>"))
    for order in ((folder, source), (source, folder)):
        report = ingest(into, *order)
        assert report.problem_counts == {}
        assert titles(into) == ["P3 page", "P3 page (a)"]
        with Store.open(into) as store:
            assert store.page("P3 page").file == ""
            assert store.page("a").title == "P3 page (a)"
        into = tmp_path / "other"


def test_a_document_that_calls_itself_like_the_file_of_another_is_told_apart(tmp_path: Path) -> None:
    folder, into = write_documents(tmp_path / "in", x="# harvest\n\nX."), tmp_path / "corpus"
    ingest(into, folder)
    write_documents(folder, harvest="The harvest was good.")
    ingest(into, folder)
    assert titles(into) == ["harvest", "harvest (x)"]
    with Store.open(into) as store:
        assert store.page("harvest").file == "harvest.md"


def test_titles_are_settled_although_too_much_was_lost(tmp_path: Path) -> None:
    folder, into = write_documents(tmp_path / "in", a="# Harvest report\n\nA."), tmp_path / "corpus"
    (folder / "b.pdf").write_bytes(b"no PDF")
    with pytest.raises(TooManyProblems):
        ingest(into, folder)
    assert titles(into) == ["Harvest report"]


def test_the_source_shown_is_a_file_and_never_its_path(source: Path, tmp_path: Path) -> None:
    ingest(tmp_path / "corpus", source, write_documents(tmp_path / "in", a="A document."))
    with Store.open(tmp_path / "corpus") as store:
        assert [store.page(title).source for title in ("P3", "a")] == ["pages.jsonl", "a.md"]


def test_a_removed_document_takes_its_names_with_it(tmp_path: Path) -> None:
    ingest(tmp_path / "corpus", write_documents(tmp_path / "in", a="# Harvest report\n\nA."))
    with Store.create(tmp_path / "corpus") as store:
        store.remove("Harvest report")
        assert not any(name in store for name in ("Harvest report", "a", "a.md"))
