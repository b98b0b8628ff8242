"""`veritab check`, `recheck` and `score` as people and programs use them."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.commands import Done, veritab
from tests.verify.tiny import make_reader
from veritab.pipeline import Checker
from veritab.schema import Claim, Verdict

FAST = '[select]\nmodel = "none"\n[verify]\nmodel = "none"\n[check]\ncertificate = false\nparts = false\n'
PEAKS = """# Peaks of Asia

Mount Everest is 8,849 m high. K2 is 8,611 m high. Mount Everest is higher than K2.

| Mountain | Height (m) | First ascent |
|---|---|---|
| Mount Everest | 8,849 | 1953 |
| K2 | 8,611 | 1954 |
| Kangchenjunga | 8,586 | 1955 |
"""
MANY = 96
CLAIMS = ["K2 was first climbed in 1954.", "K2 is higher than Mount Everest.", "Bread is baked from flour."]


Run = Callable[..., Done]


@pytest.fixture
def run() -> Run:
    """Runs a command in this process."""
    return veritab


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small corpus with its index, and settings that need no model."""
    folder = tmp_path_factory.mktemp("check")
    (folder / "documents").mkdir()
    (folder / "documents" / "peaks.md").write_text(PEAKS)
    (folder / "documents" / "bread.txt").write_text("Rye bread is dark.")
    (folder / "fast.toml").write_text(FAST)
    for words in (["ingest", folder / "documents", "--into", folder / "corpus"], ["index", folder / "corpus"]):
        assert veritab(*words).code == 0
    return folder


@pytest.fixture
def options(made: Path) -> list[object]:
    return ["--corpus", made / "corpus", "--config", made / "fast.toml"]


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    file = tmp_path / "claims.jsonl"
    file.write_text("".join(json.dumps({"id": f"c{n}", "claim": claim}) + "\n" for n, claim in enumerate(CLAIMS)))
    return file


# -- one claim ---------------------------------------------------------------------------------------------


def test_a_claim_is_answered_with_the_promised_fields(run: Run, options: list[object]) -> None:
    done = run("check", CLAIMS[0], *options)
    assert (done.code, done.err) == (0, "")
    (answer,) = done.lines
    assert list(answer) == ["claim", "label", "scores", "uncertain", "evidence", "reasoning", "certificate", "corpus"]
    assert answer["label"] == "SUPPORTS"
    assert list(answer["scores"]) == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    assert {"id", "kind", "text", "score", "by", "context"} <= set(answer["evidence"][0])
    assert answer["corpus"]["read"].keys() >= {"Peaks of Asia"}
    assert run("check", CLAIMS[0], *options, "--json").out == done.out


def test_the_text_has_the_verdict_the_scores_the_table_and_the_reason(run: Run, options: list[object]) -> None:
    shown = run("check", CLAIMS[0], *options, "--format", "text").out
    assert shown.startswith("✔ SUPPORTS\nK2 was first climbed in 1954.\n")
    assert re.search(r"^  SUPPORTS +█+░* +\d+ %$", shown, re.MULTILINE)
    assert "\n  Peaks of Asia\n" in shown
    assert re.search(r"│ *▸ K2 +│ (?:▹ )?8,611 +│ ▸ 1954", shown)
    assert re.search(r"│(?:[▸▹] )?Mountain +│ (?:[▸▹] )?Height \(m\) +│ ", shown)
    assert "Confidence" in shown
    assert "\x1b" not in shown


def test_nothing_found_is_said(run: Run, options: list[object]) -> None:
    shown = run("check", "Xylophones quack.", *options, "--format", "text").out
    assert shown.startswith("? NOT ENOUGH INFO")
    assert "Searched" in shown


def test_a_typo_in_a_name_finds_the_name_and_is_told(run: Run, options: list[object]) -> None:
    claim = "Kangchenjugna was first climbed in 1955."
    (answer,) = run("check", claim, *options).lines
    assert (answer["claim"], answer["label"]) == (claim, "SUPPORTS")
    assert answer["reasoning"][0] == 'read "Kangchenjugna" as "Kangchenjunga"'
    assert answer["certificate"]["read_as"] == "Kangchenjunga was first climbed in 1955."
    assert 'read "Kangchenjugna" as "Kangchenjunga"' in run("check", claim, *options, "--format", "text").out


def test_a_name_that_nobody_knows_stays_unknown(run: Run) -> None:
    (answer,) = run("check", "Zorbania's capital is Plix.", "--no-certificate").lines
    assert answer["label"] == "NOT ENOUGH INFO"
    assert not [line for line in answer["reasoning"] if line.startswith("read ")]
    assert "read_as" not in answer["certificate"]


def test_penicillin_is_found_by_those_who_cannot_spell_it(run: Run) -> None:
    (answer,) = run("check", "Penicilin was discovered by Alexander Fleming.").lines
    assert answer["label"] == "SUPPORTS"
    assert answer["reasoning"][0] == 'read "Penicilin" as "Penicillin"'
    assert answer["certificate"]["smallest"]


def on_a_terminal(*words: object, columns: int = 80, **environment: str) -> str:
    """What a terminal of that width gets to see."""
    leader, follower = pty.openpty()
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "CI")}
    process = subprocess.Popen(
        [sys.executable, "-m", "veritab", *map(str, words)],
        stdin=follower, stdout=follower, stderr=subprocess.DEVNULL,
        env={**known, "TERM": "xterm-256color", "COLUMNS": str(columns), **environment},
    )  # fmt: skip
    os.close(follower)
    seen = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
    os.close(leader)
    assert process.wait() == 0
    return seen.decode().replace("\r\n", "\n")


def test_a_terminal_sees_colour_unless_it_wants_none(options: list[object]) -> None:
    coloured = on_a_terminal("check", CLAIMS[0], *options, columns=60)
    assert "\x1b[1;32m✔ SUPPORTS" in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert max(map(len, plain.splitlines())) <= 60
    bare = on_a_terminal("check", CLAIMS[0], *options, columns=200, NO_COLOR="1")
    assert "✔ SUPPORTS" in bare
    assert not re.search(r"\x1b\[(?:[0-9]+;)*3[0-9]", bare)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_sees_that_a_claim_is_being_checked(options: list[object], is_terminal: bool) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "veritab", "check", CLAIMS[0], *map(str, options)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=follower if is_terminal else subprocess.PIPE,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(follower)
    if is_terminal:
        seen = b""
        with contextlib.suppress(OSError):  # the terminal closes with the program
            while data := os.read(leader, 65536):
                seen += data
    else:
        _, seen = process.communicate()
    os.close(leader)
    assert process.wait() == 0
    assert (b"checking" in seen) is is_terminal
    assert is_terminal or not seen


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([""], "'' is not a claim"),
        (["?!"], "'?!' is not a claim"),
        (["K2 is high.", "--file", "x"], "a claim and --file were given"),
        (["--text", "x", "--file", "x"], "--file and --text were given"),
        (["K2 is high.", "--into", "x"], "--into is for many claims"),
        (["K2 is high.", "--workers", "2"], "--workers is for many claims"),
        (["--file", "x", "--resume"], "give it with --into"),
        (["K2 is high.", "--cluster", "local"], "--cluster is for many claims"),
        (["--text", "x", "--cluster", "local"], "--cluster is for many claims"),
        (["--file", "x", "--cluster", "local", "--workers", "2"], "give one"),
        (["--file", "x", "--follow", "--into", "y"], "give --file DIR --follow --into DIR"),
        (["--file", "/", "--follow"], "give --file DIR --follow --into DIR"),
        (["--file", "x", "--until-idle", "3"], "give it with --follow"),
        (["K2 is high.", "--json", "--format", "html"], "--json and --format html"),
        (["K2 is high.", "--format", "text", "--output", "x"], "leave out --output"),
        (["K2 is high.", "--output", "/"], "'/' is a folder; name a file to write to"),
        (["K2 is high.", "--output", "/no/such"], "there is no folder '/no' to write 'such' into"),
        (["K2 is high.", "--config", "/nothing.toml"], "/nothing.toml"),
        (["--file", "/nothing"], "no file '/nothing'"),
        (["--text", "/nothing"], "no file '/nothing'"),
    ],
)
def test_what_cannot_be_meant_is_told(run: Run, words: list[str], what: str) -> None:
    done = run("check", *words)
    assert done.code in (1, 2)
    assert what in done.err
    assert done.out == ""


def test_an_unknown_setting_and_a_missing_folder_are_told_before_the_work(run: Run, claims: Path, made: Path) -> None:
    (claims.parent / "bad.toml").write_text("[verify]\nmodle = 1\n")
    done = run("check", "K2 is high.", "--config", claims.parent / "bad.toml")
    assert (done.code, "did you mean 'model'" in done.err) == (2, True)
    done = run("check", "--file", claims, "--output", claims.parent / "no" / "such")
    assert (done.code, "there is no folder" in done.err) == (2, True)
    done = run("check", "K2 is high.", "--corpus", claims.parent / "nothing")
    assert done.code == 1


# -- many claims -------------------------------------------------------------------------------------------


def test_claims_of_a_file_and_of_stdin_are_answered_in_order(run: Run, claims: Path, options: list[object]) -> None:
    done = run("check", "--file", claims, *options)
    assert (done.code, done.err) == (0, "")
    assert [(each["id"], each["claim"]) for each in done.lines] == [(f"c{n}", c) for n, c in enumerate(CLAIMS)]
    assert [each["label"] for each in done.lines] == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    for words in (["check", "--file", "-"], ["check", "-"], ["check"]):
        assert run(*words, *options, stdin=claims.read_bytes()).out == done.out


def test_plain_lines_and_tables_come_through_stdin_too(run: Run, options: list[object]) -> None:
    plain = run("check", "-", *options, stdin="\n\n".join(CLAIMS)).lines
    table = run(
        "check", "-", *options, stdin="id,claim\n" + "".join(f'{n},"{c}"\n' for n, c in enumerate(CLAIMS))
    ).lines
    assert [each["id"] for each in plain] == [1, 3, 5]
    assert [each["id"] for each in table] == ["0", "1", "2"]
    assert [each["label"] for each in plain] == [each["label"] for each in table]


def test_a_bad_line_of_a_file_is_told_before_anything_is_checked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"claim": "K2 is high."}\n{oops\n')
    done = run("check", "--file", tmp_path / "bad.jsonl")
    assert (done.code, done.out) == (2, "")
    assert "bad.jsonl, line 2 is not JSON" in done.err


def test_a_bad_line_of_a_stream_is_told_after_what_came_before(run: Run, options: list[object]) -> None:
    done = run("check", "-", *options, stdin='{"claim": "K2 is high."}\n\n{oops\n{"claim": "K2 is low."}\n')
    assert done.code == 2
    assert [each["id"] for each in done.lines] == [1]
    assert "stdin, line 3 is not JSON" in done.err


def test_an_empty_file_is_said_to_be_empty(run: Run, tmp_path: Path, options: list[object]) -> None:
    (tmp_path / "empty.txt").write_text("\n\n")
    done = run("check", "--file", tmp_path / "empty.txt", *options)
    assert (done.code, done.out) == (0, "")
    assert "empty.txt holds no claims" in done.err
    done = run("check", "--file", tmp_path / "empty.txt", *options, "--into", tmp_path / "run")
    assert (done.code, done.out.startswith("0 claims checked")) == (0, True)


@pytest.mark.parametrize(
    ("format", "first"),
    [
        ("fever", '{"id": "c0", "predicted_label": "SUPPORTS"'),
        ("feverous", '{"id": "c0", '),
        ("html", "<!doctype html>"),
    ],
)
def test_answers_are_written_for_other_programs(
    run: Run, claims: Path, options: list[object], format: str, first: str
) -> None:
    out = claims.parent / "out"
    done = run("check", "--file", claims, *options, "--format", format, "--output", out)
    assert (done.code, done.out) == (0, "")
    assert out.read_text().startswith(first)
    assert all(path.name in ("out", "claims.jsonl") for path in claims.parent.iterdir())


def test_an_output_may_be_a_link_or_a_device(run: Run, claims: Path, options: list[object]) -> None:
    target, link = claims.parent / "target", claims.parent / "link"
    target.write_text("old")
    link.symlink_to(target)
    for format in ("jsonl", "fever"):
        assert run("check", "--file", claims, *options, "--format", format, "--output", link).code == 0
        assert link.is_symlink()
        assert target.read_text().count("\n") == 3
        assert run("check", "--file", claims, *options, "--format", format, "--output", os.devnull).code == 0
        assert Path(os.devnull).is_char_device()


def test_a_reader_that_has_seen_enough_ends_the_command_in_peace(claims: Path, options: list[object]) -> None:
    words = [sys.executable, "-m", "veritab", "check", "--file", claims, *options]
    process = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait() == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()


def test_lines_are_drawn_where_text_is_asked_for(run: Run, claims: Path, options: list[object]) -> None:
    done = run("check", "--file", claims, *options, "--format", "text")
    assert re.match(r"✔ SUPPORTS +\d+ %  K2 was first climbed in 1954\.\n✘ REFUTES ", done.out)


def test_too_long_a_claim_is_refused_at_the_command_line_as_over_http(
    run: Run, tmp_path: Path, options: list[object]
) -> None:
    long = "K2 is high " * 200
    (tmp_path / "long.txt").write_text(f"K2 is high.\n{long}\n")
    told = "a claim of 2,199 characters ('K2 is high K2 is high K2 is hi'…) is too long; at most 2,000 are read, so cut"
    for words in (["check", long], ["check", "--file", tmp_path / "long.txt"]):
        done = run(*words, *options)
        assert (done.code, done.out) == (2, "")
        assert told in done.err.replace("\n", " ")
    assert "line 2: a claim of" in done.err.replace("\n", " ")


# -- runs --------------------------------------------------------------------------------------------------


def test_a_run_is_kept_told_and_exported(run: Run, claims: Path, options: list[object]) -> None:
    folder = claims.parent / "run"
    plain = run("check", "--file", claims, *options)
    done = run("check", "--file", claims, *options, "--into", folder)
    assert re.match(r"3 claims checked in .* s: 1 SUPPORTS, 1 REFUTES, 1 NOT ENOUGH INFO\.\n", done.out)
    assert (folder / "results.jsonl").read_text() == plain.out
    record = json.loads((folder / "run.json").read_text())
    assert record["claims"] == 3
    assert record["settings"]["verify"]["model"] == "none"
    assert record["corpus"]["name"] == "corpus"
    again = run("check", "--file", claims, *options, "--into", folder)
    assert (again.code, "add --resume" in again.err) == (2, True)
    export = run("check", "--file", claims, *options, "--into", folder, "--resume", "--format", "fever")
    assert "3 of 3 claims were checked before" in export.err
    assert len(export.lines) == 3
    told = run("check", "--file", claims, *options, "--into", folder, "--resume", "--json").lines[0]
    assert (told["claims"], told["checked"], told["labels"]["REFUTES"]) == (3, 0, 1)


def test_a_run_is_kept_in_a_folder_of_its_own(run: Run, claims: Path, options: list[object]) -> None:
    mine = claims.parent / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("Dear reader")
    for more in ([], ["--resume"]):
        refused = run("check", "--file", claims, *options, "--into", mine, *more)
        assert refused.code == 2
        assert "holds 'letter.txt' but no run" in refused.err
        assert "name a new or an empty folder" in refused.err.replace("\n", " ")
    assert [file.name for file in mine.iterdir()] == ["letter.txt"]
    (claims.parent / "empty").mkdir()
    assert run("check", "--file", claims, *options, "--into", claims.parent / "empty").code == 0


def test_a_run_is_not_resumed_with_other_settings_or_claims(run: Run, claims: Path, options: list[object]) -> None:
    folder = claims.parent / "run"
    run("check", "--file", claims, *options, "--into", folder)
    other = run("check", "--file", claims, *options, "--into", folder, "--resume", "-k", "3")
    assert (other.code, "settings.retrieve.pages was 8, is 3" in other.err) == (2, True)
    claims.write_text(claims.read_text() + '{"claim": "K2 is cold."}\n')
    other = run("check", "--file", claims, *options, "--into", folder, "--resume")
    assert (other.code, "of other claims" in other.err) == (2, True)
    assert (folder / "results.jsonl").read_text().count("\n") == 3


def many_claims(folder: Path, number: int = MANY) -> Path:
    file = folder / "many.txt"
    file.write_text(
        "".join(f"K2 was first climbed in {1800 + n}, in the year {n} of its era.\n" for n in range(number))
    )
    return file


def _hears_ctrl_c() -> None:
    """What a shell starts in the background inherits that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begun(folder: Path, *words: object) -> subprocess.Popen[str]:
    """A run in a process of its own, once it has answered something but not all."""
    command = [sys.executable, "-m", "veritab", "check", *map(str, words), "--into", str(folder)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=_hears_ctrl_c,
    )  # fmt: skip
    results = folder / "results.jsonl"
    deadline = time.monotonic() + 120
    while not (results.exists() and results.stat().st_size):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


@pytest.mark.slow
@pytest.mark.parametrize("by", [["--workers", "1"], ["--workers", "2"], ["--cluster", "local:2"]])
def test_a_run_that_is_killed_goes_on_with_every_claim_exactly_once(
    run: Run, tmp_path: Path, options: list[object], by: list[str]
) -> None:
    words = ["--file", many_claims(tmp_path), *options, *by]
    process = begun(tmp_path / "killed", *words)
    os.kill(process.pid, signal.SIGKILL)  # the workers must see to their own end
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    results = tmp_path / "killed" / "results.jsonl"
    done = results.read_bytes().count(b"\n")
    assert 0 < done < MANY
    results.write_bytes(results.read_bytes() + b'{"id": 1')  # the torn line that a worse moment would have left
    resumed = run("check", *words, "--into", tmp_path / "killed", "--resume")
    assert (resumed.code, f"{done} of {MANY} claims were checked before" in resumed.err) == (0, True)
    assert run("check", "--file", words[1], *options, "--into", tmp_path / "whole").code == 0
    assert results.read_bytes() == (tmp_path / "whole" / "results.jsonl").read_bytes()
    assert [json.loads(line)["id"] for line in results.read_text().splitlines()] == list(range(1, MANY + 1))


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_checked_and_says_how_to_go_on(run: Run, tmp_path: Path, options: list[object]) -> None:
    words = ["--file", many_claims(tmp_path, 2 * MANY), *options]
    process = begun(tmp_path / "run", *words)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert re.search(
        rf"stopped; \d+ of {2 * MANY} claims are checked and kept; go on with:\n  veritab check .* --resume\n", told
    )
    assert "Traceback" not in told
    assert run("check", *words, "--into", tmp_path / "run", "--resume").code == 0
    assert (tmp_path / "run" / "results.jsonl").read_text().count("\n") == 2 * MANY


# -- claims that fail --------------------------------------------------------------------------------------


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A checker that cannot get through the second claim, until this is undone."""
    check_many = Checker.check_many

    def check_some(checker: Checker, claims: Sequence[Claim]) -> Iterator[Verdict]:
        if any(claim.text == CLAIMS[1] for claim in claims):
            raise ValueError("a number too large")
        return check_many(checker, claims)

    monkeypatch.setattr(Checker, "check_many", check_some)
    return monkeypatch


def test_a_claim_that_fails_is_named_and_tried_again(
    run: Run, claims: Path, options: list[object], poisoned: pytest.MonkeyPatch
) -> None:
    folder = claims.parent / "run"
    words = ["check", "--file", claims, *options, "--into", folder]
    done = run(*words)
    assert (done.code, "2 claims checked in" in done.out) == (1, True)
    assert "1 claim failed: id c1 (the first with ValueError: a number too large)" in done.err
    assert [json.loads(line)["id"] for line in (folder / "results.jsonl").read_text().splitlines()] == ["c0", "c2"]
    failed = json.loads((folder / "failed.jsonl").read_text())
    assert failed == {"id": "c1", "claim": CLAIMS[1], "error": "ValueError: a number too large"}

    again = run(*words, "--resume", "--json")
    assert (again.code, again.lines[0]["failed"], again.lines[0]["claims"]) == (1, 1, 3)
    assert "3 of 3 claims were checked before; 1 of them failed and will be tried again" in again.err
    export = run(*words, "--resume", "--format", "fever")
    assert (export.code, len(export.lines)) == (1, 2)
    github = run(*words, "--resume", "--format", "github", "--fail-on", "supports,refutes,nei")
    assert github.code == 1
    assert re.findall(r"line=(\d)", github.out) == ["1", "3"]
    assert run("recheck", folder, "--corpus", options[1]).code == 0

    poisoned.undo()
    mended = run(*words, "--resume")
    assert (mended.code, "1 claim checked in" in mended.out, "3 in all" in mended.out) == (0, True, True)
    assert not (folder / "failed.jsonl").exists()
    assert run("check", "--file", claims, *options, "--into", claims.parent / "whole").code == 0
    assert (folder / "results.jsonl").read_bytes() == (claims.parent / "whole" / "results.jsonl").read_bytes()


def test_ids_that_stand_for_two_claims_are_refused_in_a_run(run: Run, tmp_path: Path, options: list[object]) -> None:
    file = tmp_path / "same.jsonl"
    file.write_text(f'{{"id": 7, "claim": "{CLAIMS[0]}"}}\n{{"id": 7, "claim": "{CLAIMS[2]}"}}\n')
    refused = run("check", "--file", file, *options, "--into", tmp_path / "run")
    assert refused.code == 2
    assert "same.jsonl, line 2 has the id 7, as" in refused.err.replace("\n", " ")
    assert not (tmp_path / "run").exists()
    assert [each["id"] for each in run("check", "--file", file, *options).lines] == [7, 7]


# -- folders of claims, and clusters -----------------------------------------------------------------------


@pytest.fixture
def incoming(tmp_path: Path) -> Path:
    folder = tmp_path / "incoming"
    folder.mkdir()
    (folder / "b.txt").write_text(f"{CLAIMS[0]}\n{CLAIMS[1]}\n")
    (folder / "a.jsonl").write_text(json.dumps({"id": "x", "claim": CLAIMS[2]}) + "\n")
    return folder


def ids(folder: Path) -> list[str]:
    return [json.loads(line)["id"] for line in (folder / "results.jsonl").read_text().splitlines()]


def test_a_folder_of_claims_is_checked_and_what_comes_later_is_too(
    run: Run, incoming: Path, options: list[object]
) -> None:
    folder = incoming.parent / "run"
    words = ["check", "--file", incoming, *options]
    assert [each["id"] for each in run(*words).lines] == ["x", "b.txt:1", "b.txt:2"]
    assert run(*words, "--into", folder).code == 0
    (incoming / "c.txt.partial").write_text("K2 is h")
    (incoming / "0.txt").write_text("K2 is in Asia.\n")
    assert run(*words, "--into", folder, "--resume", "--follow", "--until-idle", "0").code == 0
    assert ids(folder) == ["x", "b.txt:1", "b.txt:2", "0.txt:1"]
    assert [json.loads(line)["file"] for line in (folder / "files.jsonl").read_text().splitlines()] == [
        "a.jsonl", "b.txt", "0.txt",
    ]  # fmt: skip
    (incoming / "DONE").touch()
    done = run(*words, "--into", folder, "--resume", "--follow", "--json")
    assert (done.code, done.lines[0]["claims"], done.lines[0]["checked"]) == (0, 4, 0)
    (incoming / "b.txt").write_text(f"{CLAIMS[0]}\n")
    changed = run(*words, "--into", folder, "--resume")
    assert (changed.code, "b.txt' was changed after its claims were taken up" in changed.err) == (1, True)


@pytest.mark.slow
@pytest.mark.parametrize("by", [[], ["--workers", "2"]])
def test_a_folder_is_followed_until_it_is_done(run: Run, incoming: Path, options: list[object], by: list[str]) -> None:
    folder = incoming.parent / "run"
    process = begun(folder, "--file", incoming, *options, "--follow", *by)
    for name in ("d.txt", "c.txt"):
        (incoming / f".{name}").write_text(f"{CLAIMS[0]}\n" * 2)
        (incoming / f".{name}").rename(incoming / name)
        deadline = time.monotonic() + 60
        while f"{name}:2" not in ids(folder):  # answers are there before the next file is
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    (incoming / "e.txt").write_text(f"{CLAIMS[1]}\n")
    (incoming / "DONE").touch()
    assert run("check", "--file", incoming, *options, "--into", folder, "--resume", "--follow", *by).code == 0
    assert ids(folder) == ["x", "b.txt:1", "b.txt:2", "d.txt:1", "d.txt:2", "c.txt:1", "c.txt:2", "e.txt:1"]


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes_as_one_process(run: Run, tmp_path: Path, options: list[object]) -> None:
    words = ["check", "--file", many_claims(tmp_path), *options]
    plain = run(*words)
    assert run(*words, "--cluster", "local:2").out == plain.out
    assert run(*words, "--cluster", "local:2", "--into", tmp_path / "run").code == 0
    assert (tmp_path / "run" / "results.jsonl").read_text() == plain.out


def test_where_there_is_no_cluster_no_run_is_begun(run: Run, claims: Path, options: list[object]) -> None:
    folder = claims.parent / "run"
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{reserved.getsockname()[1]}"
        done = run("check", "--file", claims, *options, "--into", folder, "--cluster", address)
    assert (done.code, "no scheduler answers" in done.err) == (1, True)
    assert not folder.exists()


# -- a text ------------------------------------------------------------------------------------------------


def test_a_text_comes_back_sentence_by_sentence(run: Run, tmp_path: Path, options: list[object]) -> None:
    text = "Mount Everest is 8,849 m high. It was first climbed in 1953.\n\nWhat a view!"
    (tmp_path / "text.txt").write_text(text)
    done = run("check", "--text", tmp_path / "text.txt", *options)
    assert done.code == 0
    for each in done.lines:
        assert text[each["start"] : each["end"]] == each["text"]
        assert {"claim", "label", "scores", "evidence", "certificate"} <= set(each)
    assert [each["text"] for each in done.lines] == ["Mount Everest is 8,849 m high.", "It was first climbed in 1953."]
    assert done.lines[1]["claim"] == "Mount Everest was first climbed in 1953."
    assert run("check", "--text", "-", *options, stdin=text).lines[1]["label"] == done.lines[1]["label"]


def test_a_text_is_marked_for_people_and_as_a_page(run: Run, tmp_path: Path, options: list[object]) -> None:
    (tmp_path / "text.md").write_text("# Peaks\n\nK2 was first climbed in 1954. What a view!\n")
    shown = run("check", "--text", tmp_path / "text.md", *options, "--format", "text").out
    assert "Peaks\n\nK2 was first climbed in 1954. [✔1] What a view!" in shown
    assert re.search(r"^\[1\] +✔ SUPPORTS", shown, re.MULTILINE)
    page = run("check", "--text", tmp_path / "text.md", *options, "--format", "html").out
    assert page.startswith("<!doctype html>")
    assert "What a view!" in page


def test_a_text_without_claims_says_so(run: Run, tmp_path: Path, options: list[object]) -> None:
    for text, told in (("", "holds no text"), ("What a view!", "makes a claim that can be checked")):
        (tmp_path / "text.txt").write_text(text)
        done = run("check", "--text", tmp_path / "text.txt", *options)
        assert (done.code, done.out, told in done.err) == (0, "", True)


# -- recheck -----------------------------------------------------------------------------------------------


def test_only_claims_whose_evidence_changed_are_checked_again(
    run: Run, made: Path, tmp_path: Path, claims: Path
) -> None:
    shutil.copytree(made, tmp_path / "made")
    corpus, documents, folder = tmp_path / "made" / "corpus", tmp_path / "made" / "documents", tmp_path / "run"
    run("check", "--file", claims, "--corpus", corpus, "--config", made / "fast.toml", "--into", folder)
    same = (folder / "results.jsonl").read_bytes()
    assert run("recheck", folder).out == "Nothing that 3 answers rest on has changed.\n"
    assert (folder / "results.jsonl").read_bytes() == same

    (tmp_path / "other.toml").write_text("[retrieve]\npages = 3\n")
    other = run("recheck", folder, "--config", tmp_path / "other.toml")
    assert (other.code, "made with other settings" in other.err) == (2, True)
    assert run("recheck", folder, "--config", made / "fast.toml").code == 0

    (documents / "salt.txt").write_text("Salt is white.")
    again(run, documents, corpus)
    added = run("recheck", folder, "--json")
    assert [each["id"] for each in added.lines] == ["c2"]
    assert "the corpus changed" in added.lines[0]["why"]

    (documents / "peaks.md").write_text(PEAKS.replace("1954", "1964"))
    again(run, documents, corpus)
    changed = run("recheck", folder)
    assert "c0  SUPPORTS → REFUTES  K2 was first climbed in 1954.\n    Peaks of Asia changed\n" in changed.out
    assert "1 verdict changed." in changed.out
    labels = [json.loads(line)["label"] for line in (folder / "results.jsonl").read_text().splitlines()]
    assert labels == ["REFUTES", "REFUTES", "NOT ENOUGH INFO"]
    assert run("recheck", folder / "results.jsonl", "--corpus", corpus).out.startswith("Nothing")
    resumed = run(
        "check", "--file", claims, "--corpus", corpus, "--config", made / "fast.toml", "--into", folder, "--resume"
    )
    assert resumed.code == 0


def test_answers_that_are_kept_keep_the_hashes_of_the_models_that_made_them(
    run: Run, made: Path, tmp_path: Path, claims: Path
) -> None:
    shutil.copytree(made, tmp_path / "made")
    corpus, documents, folder = tmp_path / "made" / "corpus", tmp_path / "made" / "documents", tmp_path / "run"
    run("check", "--file", claims, "--corpus", corpus, "--config", made / "fast.toml", "--into", folder)
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**record, "models": {"verdict": "0" * 64}}))
    (documents / "salt.txt").write_text("Salt is white.")
    again(run, documents, corpus)
    assert len(run("recheck", folder, "--json").lines) == 1
    told = json.loads((folder / "run.json").read_text())
    assert told["models"] == {"verdict": "0" * 64}
    assert told["rechecked_with"] == {"models": {}}
    assert told["corpus"]["revision"] != record["corpus"]["revision"]
    resumed = run(
        "check", "--file", claims, "--corpus", corpus, "--config", made / "fast.toml", "--into", folder, "--resume"
    )
    assert (resumed.code, "models.verdict was" in resumed.err) == (2, True)

    (documents / "peaks.md").write_text(PEAKS + "\nMore was said of bread.\n")
    (documents / "bread.txt").write_text("Rye bread is very dark.")
    again(run, documents, corpus)
    assert len(run("recheck", folder, "--json").lines) == 3
    told = json.loads((folder / "run.json").read_text())
    assert (told["models"], "rechecked_with" in told) == ({}, False)


def again(run: Run, documents: Path, corpus: Path) -> None:
    assert run("ingest", documents, "--into", corpus).code == 0
    assert run("index", corpus).code == 0


def test_what_cannot_be_rechecked_is_told(run: Run, claims: Path, made: Path) -> None:
    missing = run("recheck", claims.parent / "nothing")
    assert (missing.code, "no file" in missing.err) == (1, True)
    options = ["--corpus", made / "corpus", "--config", made / "fast.toml"]
    other = run("recheck", claims, *options)
    assert (other.code, "line 1 is not an answer of veritab check" in other.err) == (2, True)
    claims.write_text("")
    empty = run("recheck", claims, *options)
    assert (empty.code, "holds no answers" in empty.err) == (2, True)


# -- score -------------------------------------------------------------------------------------------------


def test_documents_are_scored_line_by_line_or_in_lists(run: Run, tmp_path: Path) -> None:
    make_reader(tmp_path / "model")
    records = [
        {"doc": "K2 is high.", "claim": "K2 is high."},
        {"id": "b", "docs": ["K2 is high.", "K2 is low."], "claims": ["K2 is high."] * 2},
        {"id": "c", "doc": {"table": {"header": ["a"], "rows": [["K2"]]}}, "claims": ["K2 is high.", "K2 is low."]},
        {"docs": [], "claims": []},
    ]
    done = run("score", "--model", tmp_path / "model", stdin="\n".join(map(json.dumps, records)))
    assert (done.code, done.err) == (0, "")
    assert [each["id"] for each in done.lines] == [1, "b", "c", 4]
    assert set(done.lines[0]) == {"id", "label", "probability"}
    assert done.lines[1]["probabilities"][0] == done.lines[0]["probability"]
    assert [len(each["labels"]) for each in done.lines[1:]] == [2, 2, 0]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{oops", "line 2 is not JSON"),
        ("[]", "line 2 is not an object"),
        ('{"doc": "a"}', "line 2 has no claim"),
        ('{"claim": "a"}', "line 2 has no doc"),
        ('{"doc": "a", "claim": " "}', "' ' is not a claim"),
        ('{"doc": 5, "claim": "a"}', "evidence"),
        ('{"docs": ["a"], "claims": ["b", "c"]}', "do not pair up"),
        ('{"docs": "a", "claims": ["b"]}', "docs is a list"),
    ],
)
def test_a_line_that_cannot_be_scored_is_told(run: Run, tmp_path: Path, line: str, what: str) -> None:
    make_reader(tmp_path / "model")
    done = run("score", "--model", tmp_path / "model", stdin=f'{{"doc": "a", "claim": "b"}}\n{line}\n')
    assert done.code == 2
    assert what in done.err
    assert len(done.lines) == 1


# -- against documents -------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "veritab"


def test_a_claim_is_checked_against_a_file(run: Run, made: Path, cache: Path) -> None:
    words = ["check", "--against", made / "documents" / "peaks.md", CLAIMS[0], "--config", made / "fast.toml"]
    done = run(*words)
    assert (done.code, done.err) == (0, "peaks.md: 3 sentences, 1 table\n")
    (answer,) = done.lines
    assert (answer["label"], answer["corpus"]["name"], answer["corpus"]["pages"]) == ("SUPPORTS", "peaks.md", 1)
    assert run(*words) == done
    assert len(list((cache / "documents").iterdir())) == 1


def test_several_documents_are_checked_against_together(run: Run, made: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(b"no PDF")
    against = ["--against", made / "documents", "--against", tmp_path / "scan.pdf"]
    done = run("check", *against, "--config", made / "fast.toml", stdin="\n".join(CLAIMS))
    assert done.code == 0
    assert [answer["label"] for answer in done.lines] == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    assert done.err.splitlines() == [
        "documents: 2 documents, 4 sentences, 1 table",
        "scan.pdf: 0 documents, 0 sentences, 0 tables, 1 problem",
        "  scan · scan.pdf: not a PDF file, though its name says so",
    ]


def test_a_text_is_checked_against_documents(run: Run, made: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "article.txt").write_text("K2 was first climbed in 1954.")
    done = run("check", "--against", made / "documents", "--text", tmp_path / "article.txt", "--model", "none")
    assert [(answer["label"], answer["start"]) for answer in done.lines] == [("SUPPORTS", 0)]


def test_nothing_of_the_documents_is_kept_without_the_cache(run: Run, made: Path, cache: Path) -> None:
    done = run("check", "--against", made / "documents", "--no-cache", CLAIMS[0], "--config", made / "fast.toml")
    assert (done.code, done.lines[0]["label"]) == (0, "SUPPORTS")
    assert not cache.exists()


def test_a_run_against_documents_is_checked_again_against_them(run: Run, claims: Path, cache: Path) -> None:
    document = claims.parent / "peaks.md"
    document.write_text(PEAKS)
    (claims.parent / "fast.toml").write_text(FAST)
    words = ["check", "--file", claims, "--against", document, "--config", claims.parent / "fast.toml"]
    assert run(*words, "--into", claims.parent / "run", "--no-cache").code == 0
    document.write_text(PEAKS.replace("1954", "1955"))
    changes = run("recheck", claims.parent / "run", "--json").lines
    assert {each["id"]: each["new"] for each in changes}["c0"] == "REFUTES"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--corpus", "corpus"], "--against and --corpus were given; give one of them"),
        (["--file", "missing.jsonl"], "a claim and --file were given"),
    ],
)
def test_against_refuses_what_it_cannot_go_with(
    words: list[str], message: str, run: Run, made: Path, cache: Path
) -> None:
    done = run("check", "--against", made / "documents", *words, CLAIMS[0])
    assert (done.code, message in done.err) == (2, True)


def test_no_cache_is_for_documents(run: Run, options: list[object]) -> None:
    done = run("check", CLAIMS[0], "--no-cache", *options)
    assert (done.code, done.err) == (2, "error: --no-cache is for documents; give them with --against FILE\n")
