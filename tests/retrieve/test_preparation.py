"""Documents become a corpus with its index in one go, kept in the cache by what they hold."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from veritab import Checker, Settings
from veritab.corpus.originals import open_original
from veritab.corpus.store import Store
from veritab.errors import InputError, NotFound
from veritab.retrieve import preparation as module
from veritab.retrieve.index import Index
from veritab.retrieve.preparation import Preparation

PEAKS = (
    "# Peaks\n\nK2 was first climbed in 1954. It is high.\n\n- one\n- two\n\n| Peak | m |\n|---|---|\n| K2 | 8,611 |\n"
)
RIVERS = "River,km\nDanube,2850\nNile,6650\n"
NO_MODEL = Settings().replaced({"select.model": "none", "verify.model": "none"})


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "veritab" / "documents"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "peaks.md").write_text(PEAKS)
    (folder / "rivers.csv").write_text(RIVERS)
    return folder


def prepare(*sources: Path, into: Path | None = None) -> Preparation:
    preparation = Preparation(sources, into=into)
    for _ in preparation:
        pass
    return preparation


def test_what_was_read_is_summed_up(documents: Path) -> None:
    (found,) = prepare(documents / "peaks.md").documents
    assert found == ("peaks.md", 1, 1, 4, 1, 0, ())


def test_the_pages_of_a_pdf_are_counted(tmp_path: Path) -> None:
    canvas = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab is not installed").Canvas
    made = canvas(str(tmp_path / "report.pdf"))
    for text in ("The Danube is 2,850 km long.", "Coffee was first sold here in 1741.", "Nobody lives on the island."):
        made.drawString(72, 500, text)
        made.showPage()
    made.save()
    (found,) = prepare(tmp_path / "report.pdf").documents
    assert (found.pages, found.leaves, found.texts) == (1, 3, 3)


def test_each_source_is_summed_up_on_its_own(documents: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"not a PDF")
    preparation = prepare(documents, tmp_path / "broken.pdf")
    folder, broken = preparation.documents
    assert (folder.name, folder.pages, folder.tables, folder.problem_count) == ("documents", 2, 2, 0)
    assert (broken.pages, broken.problem_count) == (0, 1)
    assert broken.problems[0].what == "not a PDF file, though its name says so"
    assert preparation.name == "documents and 1 more"


def test_progress_goes_through_both_stages(documents: Path) -> None:
    steps = list(Preparation([documents / "peaks.md", documents / "rivers.csv"]))
    assert list(dict.fromkeys(step.stage for step in steps)) == ["reading", "indexing"]
    for stage in ("reading", "indexing"):
        done = [step.done for step in steps if step.stage == stage]
        assert done == sorted(done)
    assert all(step.done <= step.total for step in steps)
    size = len(PEAKS.encode()) + len(RIVERS)
    assert {step.total for step in steps if step.stage == "reading"} == {size}


def test_the_second_time_there_is_nothing_to_do(documents: Path) -> None:
    first = prepare(documents)
    again = Preparation([documents])
    assert not list(again)
    assert again.was_cached
    assert not first.was_cached
    assert (again.folder, again.documents) == (first.folder, first.documents)


def test_a_changed_document_is_read_again(documents: Path) -> None:
    before = prepare(documents)
    (documents / "rivers.csv").write_text(RIVERS.replace("2850", "2857"))
    after = prepare(documents)
    assert after.folder != before.folder
    with Store.open(after.folder) as store:
        assert "2857" in {element.text for element in store.page("rivers").elements}


def test_a_damaged_corpus_in_the_cache_is_made_anew(documents: Path) -> None:
    folder = prepare(documents).folder
    (folder / "corpus.sqlite").write_bytes(b"damage")
    again = prepare(documents)
    assert not again.was_cached
    with Store.open(again.folder) as store, Index(store) as index:
        assert len(index.pages) == 2


def test_only_their_owner_can_read_what_is_kept(documents: Path, cache: Path) -> None:
    folder = prepare(documents).folder
    assert folder.parent == cache
    assert {path.stat().st_mode & 0o777 for path in (cache.parent, cache, folder, folder / "index")} == {0o700}


def test_a_folder_of_the_callers_leaves_the_cache_alone(documents: Path, cache: Path, tmp_path: Path) -> None:
    preparation = prepare(documents, into=tmp_path / "mine")
    assert preparation.folder == tmp_path / "mine"
    assert not cache.exists()
    with Store.open(preparation.folder) as store:
        assert store.page("peaks").source == "peaks.md"


def test_work_that_is_stopped_leaves_nothing_behind(documents: Path, cache: Path) -> None:
    steps = iter(Preparation([documents]))
    next(steps)
    steps.close()  # type: ignore[attr-defined]
    assert not list(cache.iterdir())


def test_files_of_the_same_name_are_told_apart_by_their_paths(documents: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "peaks.md").write_text("# Lakes\n\nLake Baikal is 1,642 m deep.\n")
    found = prepare(documents / "peaks.md", other / "peaks.md").documents
    assert [each.name for each in found] == [str(documents / "peaks.md"), str(other / "peaks.md")]


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("empty.txt", b"", InputError, "nothing could be read of 'empty.txt'"),
        ("program", b"\x7fELF", InputError, "give a Markdown, HTML, text, CSV, XLSX, DOCX or PDF file"),
        ("missing.md", None, NotFound, "no file or folder"),
    ],
)
def test_documents_that_cannot_be_read_are_refused(
    name: str, content: bytes | None, error: type[Exception], message: str, tmp_path: Path, cache: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=message):
        prepare(tmp_path / name)
    assert not cache.exists() or not list(cache.iterdir())


def test_no_documents_are_refused() -> None:
    with pytest.raises(InputError, match="no documents were given"):
        Preparation([])


def test_the_cache_keeps_what_was_used_last(documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_KEPT", 2)
    folders = []
    for number in range(3):
        (documents / "rivers.csv").write_text(f"River,km\nDanube,{number}\n")
        folders.append(prepare(documents).folder)
        an_age_ago = time.time() - 10_000 + number
        os.utime(folders[-1], (an_age_ago, an_age_ago))
    assert [folder.exists() for folder in folders] == [False, True, True]


def test_the_cache_keeps_what_may_be_in_use(documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_KEPT", 1)
    first = prepare(documents).folder
    (documents / "rivers.csv").write_text("River,km\nDanube,1\n")
    prepare(documents)
    assert first.exists()


def test_what_a_killed_process_left_in_the_cache_is_removed_after_a_day(documents: Path, cache: Path) -> None:
    cache.mkdir(parents=True)
    left, new = cache / ".one.partial", cache / ".two.partial"
    left.mkdir()
    new.mkdir()
    long_ago = time.time() - 100_000
    os.utime(left, (long_ago, long_ago))
    prepare(documents)
    assert not left.exists()
    assert new.exists()


def test_a_checker_reads_documents_by_itself(documents: Path) -> None:
    with Checker.against(documents / "peaks.md", NO_MODEL) as checker:
        verdict = checker.check("K2 is 8,611 m high.")
        assert verdict.corpus["name"] == "peaks.md"
        assert {hit.element.id.page for hit in verdict.evidence} == {"Peaks"}
    with Checker.against([documents], NO_MODEL) as checker:
        assert len(checker.store) == 2


def test_the_documents_can_be_looked_at_when_they_are_gone(documents: Path, tmp_path: Path) -> None:
    for _ in Preparation([documents / "peaks.md"], into=tmp_path / "corpus", keep_originals=True):
        pass
    (documents / "peaks.md").unlink()
    with Store.open(tmp_path / "corpus") as store:
        assert open_original(store, "Peaks").data == PEAKS.encode()
