"""`veritab data` as people type it: the list, the check, the reading of one data set."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from veritab.cli import main
from veritab.datasets import REGISTRY

NOBODY = {"id": 1, "claim": "Nobody knows.", "label": "NOT ENOUGH INFO", "evidence": [[[1, None, None, None]]]}
SOMEBODY = {"id": 2, "claim": "It is known.", "label": "SUPPORTS", "evidence": [[[1, 2, "Aruba_-LRB-island-RRB-", 0]]]}
SHIPPED = sum(bool(known.bundled) for known in REGISTRY.values())


class Done(NamedTuple):
    """A finished command."""

    code: int
    out: str
    err: str


Run: TypeAlias = Callable[..., Done]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run `veritab data` in this process, with an empty folder of data sets."""
    monkeypatch.setenv("VERITAB_DATA", str(tmp_path))

    def command(*words: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["veritab", "data", *map(str, words)])
        try:
            main()
            code = 0
        except SystemExit as done:
            code = int(done.code or 0)
        said = capfd.readouterr()
        return Done(code, said.out, said.err)

    return command


def put(folder: Path, name: str, records: Sequence[Any]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(f"{record if isinstance(record, str) else json.dumps(record)}\n" for record in records).encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def lines(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.splitlines()]


# -- the list ----------------------------------------------------------------------------------------------


def test_every_data_set_is_listed_with_its_home_its_licence_and_how_to_save_it(run: Run, tmp_path: Path) -> None:
    done = run()
    assert (done.code, done.err) == (0, "")
    for known in REGISTRY.values():
        assert f" {known.name} " in done.out
        assert f"{known.home}  ({known.licence})" in done.out
    assert "→ feverous/feverous_dev_challenges.jsonl" in done.out
    assert (
        f"{SHIPPED} of {len(REGISTRY)} data sets on this machine, looked for in {tmp_path}; save others there"
        in done.out
    )


def test_what_is_on_this_machine_is_marked_with_its_file(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "fever/train.jsonl.gz", [NOBODY])
    (line,) = [line for line in run("list").out.splitlines() if " fever/train " in line]
    assert line.startswith("✓")
    assert "145,449" in line
    assert "train.jsonl.gz, 0.1 kB" in line


def test_a_folder_that_is_not_there_is_told_with_what_to_do(run: Run, tmp_path: Path) -> None:
    done = run("--data", tmp_path / "none")
    assert done.code == 0
    assert "There is no such folder" in done.err
    assert "VERITAB_DATA" in done.err
    assert "fever/train" in done.out


def test_without_a_folder_it_says_how_to_name_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERITAB_DATA")
    done = run()
    assert done.code == 0
    assert f"{SHIPPED} of {len(REGISTRY)} data sets on this machine\n" in done.out
    assert "No folder of data sets is set: set VERITAB_DATA to a folder that holds fever/" in done.err
    assert "--data DIR" in done.err


def test_the_list_as_json_has_one_line_for_each_with_checksums(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "fm2/dev.jsonl", [NOBODY])
    found = {line["name"]: line for line in lines(run("--json"))}
    assert list(found) == list(REGISTRY)
    assert found["fever/train"]["sha256"] == REGISTRY["fever/train"].sha256
    assert (found["fever/train"]["path"], found["fever/train"]["checked"]) == (None, None)
    assert (found["fm2/dev"]["path"], found["fm2/dev"]["bytes"]) == (str(path), path.stat().st_size)
    assert found["faviq/a/dev"]["licence"] == "not stated: look, do not train"


def test_a_check_of_good_files_passes(run: Run) -> None:
    done = run("--check")
    assert done.code == 0
    assert "counted: as many claims as it should have; no checksum is known" in done.out


def test_a_check_of_another_file_fails_with_3_and_says_what_was_found(run: Run, tmp_path: Path) -> None:
    put(tmp_path, "fever/train.jsonl", [NOBODY, SOMEBODY])
    put(tmp_path, "fever/paper_dev.jsonl", [NOBODY, "{broken"])
    done = run("list", "--check")
    assert done.code == 3
    by_name = {line.split()[1]: line for line in done.out.splitlines() if line.startswith("✗")}
    assert "2 of 145,449" in by_name["fever/train"]
    assert "differs: sha256 " in by_name["fever/train"]
    assert "damaged: line 2: " in by_name["fever/paper_dev"]
    check_file = {line["name"]: line["checked"] for line in lines(run("--check", "--json"))}
    assert (check_file["fever/train"]["state"], check_file["fever/train"]["claims"]) == ("differs", 2)
    assert check_file["fever/shared_task_dev"] is None


def test_options_before_a_command_are_refused_rather_than_forgotten(run: Run) -> None:
    done = run("--json", "read", "almanac/claims")
    assert done.code == 2
    assert "write options after the command" in done.err


@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_gets_a_table_that_fits(tmp_path: Path, columns: int) -> None:
    controller, terminal = pty.openpty()
    environment = {**os.environ, "VERITAB_DATA": str(tmp_path), "COLUMNS": str(columns), "TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-m", "veritab", "data"], stdout=terminal, stderr=subprocess.DEVNULL, env=environment
    )
    os.close(terminal)
    pieces = []
    try:
        while piece := os.read(controller, 2**16):
            pieces.append(piece)
    except OSError:
        pass  # how a terminal says that the other side is gone
    os.close(controller)
    assert process.wait() == 0
    shown = b"".join(pieces).decode()
    assert "\x1b[1m" in shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    rows = [line.rstrip() for line in plain if line.startswith(("✓", "·"))]
    assert [row.split()[1] for row in rows if "official_records" in row] == [
        "feverous/official_records_dev50",
        "feverous/official_records_train10",
    ]
    assert max(map(len, rows)) <= columns


# -- one data set ------------------------------------------------------------------------------------------


def test_a_data_set_is_read_through_and_told(run: Run) -> None:
    done = run("read", "almanac/claims")
    assert done.out.splitlines() == [
        "almanac/claims: 360 claims in the form of FEVEROUS (120 NOT ENOUGH INFO, 120 REFUTES, 120 SUPPORTS)",
        "  put right: an empty first record, left out (1 time, first in line 1)",
    ]


def test_what_was_lost_is_shown_among_many_problems(run: Run, tmp_path: Path) -> None:
    told = run("read", put(tmp_path, "mine.jsonl", [*[NOBODY] * 30, '{"id": 4'])).out.splitlines()
    assert told[1].strip() == "wrong: line 2: the id '1' came before"
    assert told[-2].strip().startswith("lost: line 31: the file is cut")
    assert told[-1].strip() == "and 20 more problems; --json tells them"


def test_stdin_is_refused_with_what_to_do(run: Run) -> None:
    done = run("read", "-")
    assert (done.code, done.out) == (2, "")
    assert "cannot come from stdin; save it to a file first" in done.err


@pytest.mark.parametrize(
    "words", [["list"], ["list", "--json"], ["read", "almanac/claims"], ["stats", "almanac/claims"]]
)
def test_a_reader_who_has_seen_enough_ends_the_command_in_peace(words: list[str]) -> None:
    ear, mouth = os.pipe()
    os.close(ear)
    done = subprocess.run(
        [sys.executable, "-m", "veritab", "data", *words], stdout=mouth, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(mouth)
    assert (done.returncode, done.stderr) == (0, "")


def test_problems_are_told_by_their_lines(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "mine.jsonl", [SOMEBODY, NOBODY, NOBODY, {**NOBODY, "id": 3, "label": "MAYBE"}, '{"id": 4'])
    told = run("read", path).out.splitlines()
    assert told[0].startswith("mine.jsonl: 3 claims in the form of FEVER (2 NOT ENOUGH INFO, 1 SUPPORTS)")
    assert [line.strip().split(": ")[:2] for line in told[2:]] == [
        ["wrong", "line 3"],
        ["lost", "line 4"],
        ["lost", "line 5"],
    ]


def test_only_the_first_problems_are_shown_to_people_and_all_in_json(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "mine.jsonl", [SOMEBODY, *["{broken"] * 14, NOBODY])
    assert run("read", path).out.splitlines()[-1] == "  and 4 more problems; --json tells them"
    (found,) = lines(run("read", path, "--json"))
    assert (found["claims"], len(found["problems"]), found["labels"]) == (2, 14, {"NOT ENOUGH INFO": 1, "SUPPORTS": 1})
    assert found["problems"][0]["where"] == "line 2"
    assert [note["line"] for note in found["notes"]] == [1]


def test_a_strict_reading_stops_at_the_first_problem(run: Run, tmp_path: Path) -> None:
    path = put(tmp_path, "mine.jsonl", [SOMEBODY, {**NOBODY, "label": "MAYBE"}])
    done = run("read", path, "--strict")
    assert (done.code, done.out) == (2, "")
    assert "line 2: the label 'MAYBE' is unknown" in done.err


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["read", "fever/papr_dev"], 1, "did you mean 'fever/paper_dev'?"),
        (["read", "fever/paper_test"], 1, "it comes from https://fever.ai/dataset/fever.html"),
        (["read", "almanac/claims", "--task", "fevre"], 2, "there is no task 'fevre'"),
        (["read", "almanac/claims", "--task", "fm2"], 2, "written as FEVEROUS"),
    ],
)
def test_what_cannot_be_read_is_one_line_on_stderr(run: Run, words: list[str], code: int, told: str) -> None:
    done = run(*words)
    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert "Traceback" not in done.err
