"""`veritab index` and `veritab search` as people type them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import veritab


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    (folder / "peaks.md").write_text(
        "# Peaks\n\nK2 is a [high] mountain.\n\n| Name | Height |\n|---|---|\n| K2 | 8,611 |\n| Lhotse | 8,516 |\n"
    )
    (folder / "tea.txt").write_text("Tea is a drink. " + "Tea is hot. " * 60)
    assert veritab("ingest", folder, "--into", folder / "corpus").code == 0
    assert veritab("index", folder / "corpus").code == 0
    return folder / "corpus"


def test_a_corpus_without_an_index_says_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Tea.")
    veritab("ingest", tmp_path / "a.txt", "--into", tmp_path / "corpus")
    done = veritab("search", "tea", "--corpus", tmp_path / "corpus")
    assert (done.code, done.out) == (1, "")
    assert f"veritab index {tmp_path / 'corpus'}" in done.err


def test_index_builds_then_is_up_to_date(corpus: Path) -> None:
    built = veritab("index", corpus, "--rebuild", "--json").json
    assert built["pages"] == built["changed"] == 2
    assert built["folder"] == str(corpus / "index")
    assert built["seconds"] >= 0
    assert "is up to date: 2 pages" in veritab("index", corpus).out
    assert "2 pages indexed in" in veritab("index", corpus, "--rebuild").out


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnx", reason="makes the tiny encoder; pip install 'veritab[train]'")
    from tests.models.tiny import make_encoder

    return make_encoder(tmp_path_factory.mktemp("encoder"), ("tea", "hot", "mountain"))


def test_an_encoder_gives_a_corpus_vectors_too(corpus: Path, encoder: Path) -> None:
    built = veritab("index", corpus, "--encoder", encoder, "--json").json
    assert {name: built["dense"][name] for name in ("unit", "vectors", "added", "unchanged")} == {
        "unit": "elements",
        "vectors": 62,
        "added": 62,
        "unchanged": 0,
    }
    assert built["dense"]["folder"] == str(corpus / "dense-elements")
    again = veritab("index", corpus, "--encoder", encoder)
    assert again.out.splitlines()[-1] == f"{corpus / 'dense-elements'} has 62 vectors and is up to date."
    anew = veritab("index", corpus, "--encoder", encoder, "--rebuild").out.splitlines()[-1]
    assert anew == f"{corpus / 'dense-elements'} has 62 vectors: 62 new, 0 changed, 0 removed."
    pages = veritab("index", corpus, "--encoder", encoder, "--encoder-unit", "pages", "--json").json
    assert (pages["dense"]["unit"], pages["dense"]["vectors"]) == ("pages", 2)


def test_without_an_encoder_vectors_stay_as_they_are(encoder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Tea.")
    corpus = tmp_path / "corpus"
    veritab("ingest", tmp_path / "a.txt", "--into", corpus)
    assert "dense" not in veritab("index", corpus, "--json").json
    assert not (corpus / "dense-elements").exists()
    veritab("index", corpus, "--encoder", encoder)
    (tmp_path / "a.txt").write_text("Tea is hot. Tea.")
    veritab("ingest", tmp_path / "a.txt", "--into", corpus)
    assert veritab("index", corpus, "--json").json.keys() == {"pages", "changed", "seconds", "folder"}
    dense = veritab("index", corpus, "--encoder", encoder, "--json").json["dense"]
    assert (dense["added"], dense["changed"]) == (1, 1)


def test_an_encoder_that_cannot_run_is_told_before_anything_is_built(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Tea.")
    corpus = tmp_path / "corpus"
    veritab("ingest", tmp_path / "a.txt", "--into", corpus)
    done = veritab("index", corpus, "--encoder", tmp_path / "nowhere")
    assert (done.code, done.out) == (1, "")
    assert "expected a folder with model.onnx, tokenizer.json and card.toml" in done.err
    assert not (corpus / "index").exists()


def test_the_json_of_search_has_the_promised_fields(corpus: Path) -> None:
    hits = veritab("search", "lhotse", "height", "--kind", "cell", "-c", corpus, "--json").lines
    assert {"id", "page", "kind", "text", "score"} <= set(hits[0])
    assert (hits[0]["id"], hits[0]["page"], hits[0]["kind"], hits[0]["text"]) == (
        "Peaks_cell_0_2_1",
        "Peaks",
        "cell",
        "8,516",
    )
    scores = [hit["score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)
    (page,) = veritab("search", "lhotse", "--kind", "page", "-c", corpus, "--json").lines
    assert (page["id"], page["kind"], page["text"]) == ("Peaks_title", "page", "Peaks")


def test_text_for_people_says_where_what_and_its_address(corpus: Path) -> None:
    assert veritab("search", "lhotse", "--kind", "table", "-c", corpus).out.splitlines() == [
        "1.  Peaks",
        "    Name: Lhotse · Height: 8,516",
        "    Peaks_table_0",
    ]
    # Brackets are text here, not rich's markup.
    assert "K2 is a [high] mountain." in veritab("search", "mountain", "--kind", "sentence", "-c", corpus).out


def test_the_almanac_needs_no_preparation() -> None:
    done = veritab("search", "highest mountain", "--kind", "sentence", "--limit", "3")
    assert done.code == 0
    assert len([line for line in done.out.splitlines() if line[0].isdigit()]) == 3
    assert veritab("search", "--suggest", "ever").out == "Mount Everest\n"
    assert veritab("search", "--suggest", "ever", "--json").lines == [{"title": "Mount Everest"}]


def test_queries_are_read_from_stdin() -> None:
    done = veritab("search", "-", "-k", "1", "--json", stdin='k2\n\n"eiffel tower"\n!!!\n')
    assert done.code == 0
    assert [(hit["query"], hit["page"]) for hit in done.lines] == [("k2", "K2"), ('"eiffel tower"', "Eiffel Tower")]


def test_one_page_can_be_searched() -> None:
    hits = veritab("search", "height", "--page", "Chomolungma", "--json").lines
    assert {hit["page"] for hit in hits} == {"Mount Everest"}


def test_nothing_found_is_no_failure_and_suggests_titles() -> None:
    done = veritab("search", "evrest xyzzy")
    assert (done.code, done.out) == (0, "")
    assert "nothing found" in done.err
    assert "did you mean: Mount Everest" in done.err
    assert "no page is called 'Mount Evrest'" in veritab("search", 'height page:"Mount Evrest"').err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("search", ""), 2, "error: '' has no word to search for"),
        (("search", "?!"), 2, "error: '?!' has no word to search for"),
        (("search",), 2, "error: QUERY... is missing; see: veritab search -h"),
        (("search", "x", "--kind", "picture"), 2, "error: --kind is wrong: 'picture' is not one of"),
        (("search", "x", "-k", "0"), 2, "error: --limit is '0'; it must be 1 or more"),
        (("search", "x", "--page", "Mount Evrest"), 1, "error: no page 'Mount Evrest' in this corpus; did you mean"),
        (("search", "x", "--corpus", "nowhere"), 1, "error: no corpus in 'nowhere'"),
        (("index", "nowhere"), 1, "error: no corpus in 'nowhere'"),
    ],
)
def test_a_mistake_is_one_line_with_a_remedy(words: tuple[str, ...], code: int, message: str, tmp_path: Path) -> None:
    done = veritab(*words, cwd=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_a_database_used_in_place_must_be_ingested_to_be_searched(tmp_path: Path) -> None:
    file = tmp_path / "almanac.db"
    veritab("export", file)
    for done in (veritab("search", "x", "--corpus", file), veritab("index", file)):
        assert done.code == 2
        assert f"veritab ingest {file} --into DIR" in done.err


def test_two_first_searches_at_once_both_find_the_almanac(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "veritab", "search", "k2", "-k", "1", "--json"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    assert [json.loads(process.communicate()[0])["page"] for process in both] == ["K2", "K2"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a Unix thing")
def test_an_index_that_was_stopped_goes_on(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for number in range(1200):
        (tmp_path / "notes" / f"note{number}.txt").write_text(f"Note {number} is about tea. " * 5)
    corpus = tmp_path / "corpus"
    veritab("ingest", tmp_path / "notes", "--into", corpus)
    command = [sys.executable, "-m", "veritab", "index", str(corpus)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not (corpus / "index" / "names.sqlite-wal").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, talk = process.communicate()
    assert (process.returncode == 130 and "run the same command" in talk) or process.returncode == 0
    assert veritab("index", corpus).code == 0
    assert len(veritab("search", "tea", "-c", corpus, "--json", "-k", "5").lines) == 5
