"""`veritab check --fail-on`: exit codes and annotations for pipelines."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.commands import Done, veritab
from veritab.cli.gate import FilePlace, find_places

FAST = '[select]\nmodel = "none"\n[verify]\nmodel = "none"\n[check]\ncertificate = false\nparts = false\n'
PEAKS = (
    "| Mountain | Height (m) | First ascent |\n|---|---|---|\n| Mount Everest | 8,849 | 1953 |\n| K2 | 8,611 | 1954 |\n"
)
TRUE, FALSE, OPEN = "K2 was first climbed in 1954.", "K2 is higher than Mount Everest.", "Bread is baked from flour."
WHY = "8,611"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "peaks.md").write_text(PEAKS)
    (tmp_path / "fast.toml").write_text(FAST)
    return tmp_path


def check(folder: Path, *words: str) -> Done:
    return veritab("check", *words, "--against", "peaks.md", "--config", "fast.toml", cwd=folder)


@pytest.mark.parametrize(
    ("claim", "fail_on", "code"),
    [
        (FALSE, "refutes", 3),
        (FALSE, "Refutes,uncertain", 3),
        (FALSE, "supports,nei", 0),
        (TRUE, "refutes", 0),
        (TRUE, "supports", 3),
        (OPEN, "nei", 3),
        (OPEN, "not enough info", 3),
        (OPEN, "NOT_ENOUGH_INFO", 3),
        (OPEN, "refutes", 0),
    ],
)
def test_a_verdict_of_a_chosen_kind_fails(folder: Path, claim: str, fail_on: str, code: int) -> None:
    done = check(folder, claim, "--fail-on", fail_on)
    assert done.code == code
    assert len(done.lines) == 1
    assert done.err.splitlines()[-1].endswith("the gate holds." if code == 0 else f"1 {done.lines[0]['label']}.")


def test_an_unknown_kind_is_refused_before_anything_is_read(folder: Path) -> None:
    done = check(folder, FALSE, "--fail-on", "refutes,false")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: --fail-on 'false' is not known; expected refutes, nei, supports or uncertain\n"


def test_an_uncertain_verdict_fails_where_that_is_asked() -> None:
    from veritab.cli.gate import Gate

    gate = Gate(["uncertain"])
    gate.note("SUPPORTS", uncertain=False)
    assert not gate.fails("SUPPORTS", uncertain=False)
    assert gate.fails("SUPPORTS", uncertain=True)


def test_the_claims_of_a_text_are_annotated_where_they_stand(folder: Path) -> None:
    (folder / "doc.md").write_text(f"# Notes\n\nWell. {TRUE} *K2* is\nhigher than [Mount Everest](http://x.org/a_b).\n")
    done = check(folder, "--text", "doc.md", "--fail-on", "refutes", "--format", "github")
    assert done.code == 3
    error, summary = done.out.splitlines()
    assert error.startswith(f"::error file=doc.md,line=3,col=38,title=REFUTES (97%25)::{FALSE}%0A")
    assert WHY in error
    assert summary == (
        "2 claims checked: 1 SUPPORTS, 1 REFUTES; passed over 1 sentence without a claim to check; "
        "the gate fails: 1 REFUTES."
    )


@pytest.mark.parametrize("option", ["--file", "--text"])
def test_a_gate_over_an_empty_file_does_not_hold(folder: Path, option: str) -> None:
    (folder / "empty.txt").write_text("\n")
    done = check(folder, option, "empty.txt", "--fail-on", "refutes")
    assert (done.code, done.out) == (2, "")
    assert "so that --fail-on has nothing to judge" in done.err


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("claims.txt", f"{TRUE}\n\n{FALSE}\n", ",line=3"),
        ("claims.csv", f'id,claim\n1,"{TRUE}\n"\n2,{FALSE}\n', ",line=4"),
        ("claims.jsonl", json.dumps({"claim": TRUE}) + "\n" + json.dumps({"claim": FALSE}) + "\n", ",line=2"),
        ("claims.json", json.dumps([TRUE, FALSE], indent=1), ""),
    ],
)
def test_the_claims_of_a_file_are_annotated_by_line(folder: Path, name: str, content: str, line: str) -> None:
    (folder / name).write_text(content)
    done = check(folder, "--file", name, "--fail-on", "refutes", "--format", "github")
    assert done.code == 3
    assert done.out.startswith(f"::error file={name}{line},title=REFUTES (97%25)::{FALSE}%0A")


def test_a_refuted_claim_that_does_not_fail_is_a_warning_and_the_rest_is_silent(folder: Path) -> None:
    (folder / "claims.txt").write_text(f"{TRUE}\n{FALSE}\n{OPEN}\n")
    done = check(folder, "--file", "claims.txt", "--format", "github")
    assert done.code == 0
    warning, summary = done.out.splitlines()
    assert warning.startswith("::warning file=claims.txt,line=2,")
    assert summary == "3 claims checked: 1 SUPPORTS, 1 REFUTES, 1 NOT ENOUGH INFO."


def test_annotations_stay_on_one_line_whatever_names_and_claims_hold(folder: Path) -> None:
    (folder / "a,b:c%.txt").write_text("K2 is 100% higher than Mount Everest::error.\n")
    done = check(folder, "--file", "a,b:c%.txt", "--fail-on", "refutes,nei", "--format", "github")
    assert done.out.startswith("::error file=a%2Cb%3Ac%25.txt,line=1,title=")
    assert "::K2 is 100%25 higher than Mount Everest::error." in done.out
    assert len(done.out.splitlines()) == 2


def test_annotations_go_to_a_file(folder: Path) -> None:
    done = check(folder, FALSE, "--fail-on", "refutes", "--format", "github", "--output", "out.txt")
    assert (done.code, done.out) == (3, "1 claim checked: 1 REFUTES; the gate fails: 1 REFUTES.\n")
    assert (folder / "out.txt").read_text().startswith(f"::error title=REFUTES (97%25)::{FALSE}")


def test_a_run_in_a_folder_fails_by_all_of_its_answers(folder: Path) -> None:
    (folder / "claims.txt").write_text(f"{TRUE}\n{FALSE}\n")
    words = ["--file", "claims.txt", "--into", "run", "--fail-on", "refutes"]
    assert check(folder, *words).code == 3
    again = check(folder, *words, "--resume", "--format", "github")
    assert again.code == 3
    assert again.out.startswith("::error file=claims.txt,line=2,")


def test_sentences_are_found_in_the_file_they_were_read_from(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<html>\n<p>One <b>two</b> three.\nFour &amp; five six seven. One two three.</p>\n")
    sentences = ["One two three.", "Four & five six seven.", "One two three.", "Nowhere at all."]
    assert list(find_places(sentences, file, "p")) == [
        FilePlace("p", 2, 4), FilePlace("p", 3, 1), FilePlace("p", 3, 28), FilePlace("p"),
    ]  # fmt: skip


def test_a_file_without_lines_has_no_places(tmp_path: Path) -> None:
    assert list(find_places(["One two."], tmp_path / "report.pdf", "report.pdf")) == [FilePlace("report.pdf")]


def test_places_are_found_in_time_whatever_the_file_holds(tmp_path: Path) -> None:
    file = tmp_path / "signs.md"
    file.write_text("One " + "<> ]( " * 100_000 + "two.")
    started = time.process_time()
    assert list(find_places(["One three."] * 3, file, "f"))
    assert time.process_time() - started < 10
