"""The commands as people type them: answers on stdout, talk on stderr, exit codes, JSON."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from tests.commands import veritab
from veritab.cli import app
from veritab.cli.commands import COMMANDS, LazyGroup


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "peaks.md").write_text(
        "# Peaks\n\nK2 is high. It is cold.\n\n| Name | Height |\n|---|---|\n| K2 | 8,611 |\n"
    )
    (folder / "broken.xlsx").write_text("not a spreadsheet")
    for n in range(12):
        (folder / f"note{n}.txt").write_text(f"Note {n}.")
    return folder


def test_ingest_then_show_a_page_and_an_element(documents: Path, tmp_path: Path) -> None:
    done = veritab("ingest", documents, "--into", tmp_path / "corpus")
    assert done.code == 0
    assert "13 pages read" in done.out
    assert "1 problem on the way" in done.err
    assert "broken.xlsx" in done.err
    page = veritab("show", "peaks", "--corpus", tmp_path / "corpus")
    assert page.code == 0
    assert "K2 is high." in page.out
    assert "sentence_1" in page.out
    element = veritab("show", "peaks_cell_0_1_1", "-c", tmp_path / "corpus", "--json")
    assert element.json == {
        "id": "Peaks_cell_0_1_1",
        "kind": "cell",
        "text": "8,611",
        "context": [
            {"id": "Peaks_title", "text": "Peaks"},
            {"id": "Peaks_header_cell_0_0_1", "text": "Height"},
        ],
        "links": [],
        "original": {"file": "peaks.md"},
    }


def test_ingest_keeps_a_copy_of_each_document_when_asked_to(documents: Path, tmp_path: Path) -> None:
    into = tmp_path / "corpus"
    assert veritab("ingest", documents, "--into", into).code == 0
    assert not (into / "originals").exists()
    assert veritab("ingest", documents, "--into", into, "--keep-originals").code == 0
    kept = {path.read_bytes() for path in (into / "originals").iterdir()}
    assert (documents / "peaks.md").read_bytes() in kept
    assert len(kept) == 13


def test_show_tells_the_file_of_a_page_and_where_a_cell_stands_but_no_path(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "sales.csv").write_text("year,sales\n2023,12\n")
    assert veritab("ingest", tmp_path / "in", "--into", tmp_path / "corpus").code == 0
    page = veritab("show", "sales.csv", "--corpus", tmp_path / "corpus")
    cell = veritab("show", "sales_cell_0_1_1", "--corpus", tmp_path / "corpus")
    assert page.out.splitlines()[:2] == ["sales", "sales.csv"]
    assert "original       sales.csv, sheet 1, B2\n" in cell.out
    assert str(tmp_path) not in page.out + cell.out


def test_ingest_says_that_the_index_comes_next(documents: Path, tmp_path: Path) -> None:
    ingest = ("ingest", documents, "--into", "my corpus")
    assert "next: veritab index 'my corpus'\n" in veritab(*ingest, cwd=tmp_path).err
    assert veritab("index", "my corpus", cwd=tmp_path).code == 0
    assert "next:" not in veritab(*ingest, cwd=tmp_path).err


def test_ingest_builds_the_index_when_it_is_asked_to(documents: Path, tmp_path: Path) -> None:
    done = veritab("ingest", documents, "--into", tmp_path / "corpus", "--index")
    assert done.code == 0
    assert done.out.endswith("Its index finds 13 pages.\n")
    assert "next:" not in done.err
    assert veritab("search", "mountain", "--corpus", tmp_path / "corpus").code == 0
    again = veritab("ingest", documents, "--into", tmp_path / "corpus", "--index", "--json").json
    assert (again["unchanged"], again["indexed"]) == (13, 0)


def test_the_json_of_ingest_has_the_promised_fields(documents: Path, tmp_path: Path) -> None:
    done = veritab("ingest", documents, "--into", tmp_path / "corpus", "--json")
    report = done.json
    assert {key: report[key] for key in ("pages", "added", "changed", "unchanged", "removed")} == {
        "pages": 13,
        "added": 13,
        "changed": 0,
        "unchanged": 0,
        "removed": 0,
    }
    assert [sorted(problem) for problem in report["problems"]] == [["lost", "page", "what", "where"]]
    assert report["seconds"] >= 0
    assert veritab("ingest", documents, "--into", tmp_path / "corpus", "--json").json["unchanged"] == 13


def test_show_without_a_corpus_uses_the_almanac() -> None:
    page = veritab("show", "Mount Everest", "--json").json
    assert page["title"] == "Mount Everest"
    assert page["order"][0] == "table_0"
    assert set(page["order"]) <= set(page)
    assert veritab("show", "Chomolungma", "--json").json["title"] == "Mount Everest"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("show", "Mount Evrest"), 1, "error: no page 'Mount Evrest' in this corpus; did you mean"),
        (
            ("show", "Mount Everest_sentence_99"),
            1,
            "error: page 'Mount Everest' has no element 'Mount Everest_sentence_99'",
        ),
        (("show", "X", "--corpus", "nowhere"), 1, "error: no corpus in 'nowhere'; make one with: veritab ingest"),
        (("ingest", "missing.jsonl", "--into", "out"), 1, "error: no file or folder 'missing.jsonl'"),
        (("ingest", "--into", "out"), 2, "error: SOURCE... is missing; see: veritab ingest -h"),
        (("export", "out.txt"), 2, "error: 'out.txt' must end in .jsonl or .db"),
        (("nonsense",), 2, "error: there is no command 'nonsense'; see: veritab -h"),
    ],
)
def test_a_mistake_is_one_line_with_a_remedy_and_an_exit_code(
    words: tuple[str, ...], code: int, message: str, tmp_path: Path
) -> None:
    done = veritab(*words, cwd=tmp_path)
    assert done.code == code
    assert done.out == ""
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_an_exported_corpus_reads_back_the_same(tmp_path: Path) -> None:
    for name in ("almanac.jsonl", "almanac.db"):
        done = veritab("export", tmp_path / name, "--json")
        assert done.json["pages"] > 150
        again = tmp_path / f"from-{name}"
        assert veritab("ingest", tmp_path / name, "--into", again).code == 0
        veritab("export", tmp_path / f"again-{name}", "--corpus", again)
    assert (tmp_path / "almanac.jsonl").read_bytes() == (tmp_path / "again-almanac.jsonl").read_bytes()
    in_place = veritab("show", "Brasília_sentence_0", "--corpus", tmp_path / "almanac.db", "--json")
    assert in_place.json["text"]


def test_doctor_is_content_with_the_almanac_and_not_with_a_damaged_corpus(documents: Path, tmp_path: Path) -> None:
    assert veritab("doctor", "--json").json["ok"] is True
    corpus = tmp_path / "corpus"
    veritab("ingest", documents, "--into", corpus)
    assert veritab("doctor", "--corpus", corpus, "--deep").code == 0
    file = corpus / "corpus.sqlite"
    file.write_bytes(file.read_bytes()[:9000])
    done = veritab("doctor", "--corpus", corpus)
    assert done.code == 1
    assert "cut short" in done.out


def test_doctor_looks_at_the_index_too(documents: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    veritab("ingest", documents, "--into", corpus)
    assert "has no index yet" in veritab("doctor", "--corpus", corpus).out
    veritab("index", corpus)
    assert "its index finds 13 pages" in veritab("doctor", "--corpus", corpus, "--deep").out
    (corpus / "index" / "names.sqlite").unlink()
    done = veritab("doctor", "--corpus", corpus)
    assert done.code == 1
    assert "veritab index --rebuild" in done.out


def test_output_to_a_closed_pipe_is_no_error() -> None:
    shell = f"{sys.executable} -m veritab show 'Solar System' | head -1"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout == "Solar System\n"
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a Unix thing")
def test_a_terminal_gets_a_progress_bar(documents: Path, tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "veritab", "ingest", str(documents), "--into", str(tmp_path / "corpus")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal, env={**os.environ, "TERM": "xterm"})
    os.close(terminal)
    seen = b""
    try:
        while chunk := os.read(controller, 4096):
            seen += chunk
    except OSError:  # the terminal closes with the program
        pass
    os.close(controller)
    assert process.wait() == 0
    assert b"reading" in seen
    assert b"pages" in seen


def test_help_names_every_command() -> None:
    shown = veritab("--help").out
    for command in ("ingest", "show", "export", "doctor"):
        assert command in shown
    assert veritab("--version").out.startswith("veritab ")


def test_a_misspelt_source_leaves_no_corpus_behind(tmp_path: Path) -> None:
    assert veritab("ingest", "nowhere.md", "--into", "corpus", cwd=tmp_path).code == 1
    assert list(tmp_path.iterdir()) == []


def test_a_failed_ingest_prints_its_report_too(documents: Path, tmp_path: Path) -> None:
    done = veritab("ingest", documents / "broken.xlsx", "--into", tmp_path / "corpus", "--json")
    assert done.code == 1
    assert done.json["problem_counts"]
    assert "error: 1 of 1 records" in done.err


def test_an_export_never_overwrites_its_own_source(tmp_path: Path) -> None:
    veritab("export", tmp_path / "a.db")
    done = veritab("export", tmp_path / "a.db", "--corpus", tmp_path / "a.db")
    assert done.code == 2
    assert "is the corpus itself" in done.err
    assert veritab("export", tmp_path / "b.jsonl", "--corpus", tmp_path / "a.db", "--json").json["redirects"] > 50


def test_output_for_programs_is_neither_wrapped_nor_padded() -> None:
    lines = veritab("show", "Mount Everest").out.splitlines()
    assert any(len(line) > 100 for line in lines)
    assert not [line for line in lines if line.startswith("sentence") and line != line.rstrip()]


def test_every_command_of_the_list_can_be_loaded_and_fits_on_its_line() -> None:
    group = get_command(app)
    assert isinstance(group, LazyGroup)
    for name, source in COMMANDS.items():
        assert group.commands[name].help, name
        assert source.summary.endswith(".")
        assert len(f"  reproduce  {source.summary}") <= 80


def test_help_imports_no_command_and_nothing_that_draws() -> None:
    code = (
        "import sys\nfrom veritab.cli import app\napp(['--help'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name == 'rich' or name == 'veritab.cli.check'], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Check claims against documents" in done.stdout
    assert done.stderr.strip() == "[]"
