"""What the command line says of words it cannot read, and when the reader of its answers goes away."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import veritab
from veritab.cli.commands import COMMANDS

LIBRARY_WORDS = ("Usage:", "Error:", "Traceback", "Input should", "Value error", "codec", "Invalid value")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("check", "--modle", "x"), "there is no option --modle; did you mean --model? See: veritab check -h"),
        (("check", "--zzz"), "there is no option --zzz; see: veritab check -h"),
        (("check", "a", "b"), "'b' is more than is expected; put words that belong together between quotation marks"),
        (("check", "x", "--k", "0"), "--k is '0'; it must be 1 or more; see: veritab check -h"),
        (("check", "x", "--k", "two"), "--k is 'two'; expected a whole number; see: veritab check -h"),
        (("check", "x", "--workers", "65"), "--workers is '65'; it must be 64 or less; see: veritab check -h"),
        (("check", "x", "--k"), "--k needs a value; see: veritab"),
        (("check", "x", "--format", "pdf"), "--format is wrong: 'pdf' is not one of 'text', 'jsonl', "),
        (("ingest", "x", "--into", "y", "--max-lost", "much"), "--max-lost is 'much'; expected a number"),
        (("ingest", "x"), "--into is missing; see: veritab ingest -h"),
        (("serch", "x"), "there is no command 'serch'; did you mean search? See: veritab -h"),
        (("data", "sats"), "there is no command 'sats'; did you mean stats? See: veritab data -h"),
        (("serve", "--port", "99999"), "--port is '99999'; it must be 65535 or less; see: veritab serve -h"),
    ],
)
def test_words_that_cannot_be_read_are_told_in_a_line_of_ours(words: tuple[str, ...], message: str) -> None:
    done = veritab(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}")
    assert done.err.count("\n") == 1
    assert not [word for word in LIBRARY_WORDS if word in done.err]


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (b"\x7fELF\xd0\xff", 2, "is no TOML file: it is not text in UTF-8; expected sections and keys"),
        (b"a = = b", 2, "is no TOML file: line 1, column 5 cannot be read; expected sections and keys"),
        (b"[verify", 2, "is no TOML file: "),
        (b"[verify]\nmodle = 3", 2, "[verify] has no 'modle'; did you mean 'model'?"),
        (None, 1, "no such file or directory; give a TOML file that exists"),
    ],
)
def test_settings_that_cannot_be_read_are_told_in_a_line_of_ours(
    content: bytes | None, code: int, message: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "settings.toml").write_bytes(content)
    done = veritab("check", "K2 is high.", "--config", "settings.toml", cwd=tmp_path)
    assert done.code == code
    assert message in done.err
    assert not [word for word in LIBRARY_WORDS if word in done.err]


def test_no_command_at_all_shows_the_help() -> None:
    done = veritab()
    assert done.code == 2
    assert done.err.startswith("Usage: veritab [OPTIONS] COMMAND")


@pytest.mark.parametrize("group", [(), ("data",)])
def test_the_help_has_the_whole_first_sentence_of_every_command(
    group: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = veritab(*group, "-h").out
    commands = shown.partition("Commands:")[2]
    assert "..." not in commands
    assert max(map(len, shown.splitlines())) <= 80
    if not group:
        assert all(source.summary in " ".join(commands.split()) for source in COMMANDS.values())


# -- nothing to work on --


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("check",), 'stdin holds no claims; give one a line, or try: veritab check "'),
        (("check", "-"), "stdin holds no claims"),
        (("check", "--file", "-"), "stdin holds no claims"),
        (("check", "--file", "-", "--format", "html"), "stdin holds no claims"),
        (("check", "--text", "-"), "stdin holds no text; send some, or give a file with --text FILE"),
        (("judge", "--model", "none"), 'stdin holds no claims; expected lines such as {"id": 1, "claim": '),
        (("score",), "stdin holds nothing to score; expected lines such as"),
        (("search", "-"), "stdin holds no query; give one a line, or e.g.: veritab search highest mountain"),
        (
            ("judge", "K2 is high."),
            "no evidence; give --table FILE or --document FILE, or look for it with: veritab check",
        ),
    ],
)
@pytest.mark.parametrize("stdin", ["", "\n \n"], ids=["empty", "blank"])
def test_nothing_to_work_on_is_bad_input_with_a_remedy(words: tuple[str, ...], message: str, stdin: str) -> None:
    done = veritab(*words, stdin=stdin)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}")


# -- a reader who has seen enough --


@pytest.mark.parametrize(
    "words",
    [
        ["show", "Mount Everest"],
        ["show", "Mount Everest", "--json"],
        ["search", "mountain"],
        ["search", "mountain", "--json"],
        ["data"],
        ["check", "--help"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_a_command_whose_answers_nobody_reads_ends_in_peace(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "veritab", *words], stdout=writing, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_file_that_may_not_be_read_is_told_in_a_line_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "claims.txt").write_text("K2 is high.")
    opened = io.open

    def refuse(file: object, *args: object, **kwargs: object) -> object:
        if str(file).endswith("claims.txt"):
            raise PermissionError(13, "Permission denied", "claims.txt")
        return opened(file, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(io, "open", refuse)
    done = veritab("check", "--file", "claims.txt", cwd=tmp_path)
    assert done.code in (1, 2)
    assert "ermission denied" in done.err
    assert not [word for word in LIBRARY_WORDS if word in done.err]
