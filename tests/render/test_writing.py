"""Formats are chosen by name and written as verdicts come."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.render.made import CELL, REFUTES, SENTENCE, verdict
from veritab.errors import InputError
from veritab.render import BINARY, FORMATS, write, writer
from veritab.render.json import verdict_from_json
from veritab.schema import Verdict


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_takes_verdicts_as_they_come(format: str) -> None:
    out = io.BytesIO()
    assert write(format, iter([verdict(SENTENCE), verdict(CELL, label=REFUTES)]), out) == 2
    assert b"8,003" in out.getvalue() or format in ("fever", "feverous", "xlsx")
    if format not in BINARY:
        text = io.StringIO()
        write(format, [verdict(SENTENCE), verdict(CELL, label=REFUTES)], text)
        assert text.getvalue().encode() == out.getvalue()


def test_lines_are_read_back_as_the_same_verdicts() -> None:
    given = [verdict(SENTENCE, CELL), verdict(label=REFUTES, confidence=0.5)]
    out = io.StringIO()
    write("jsonl", given, out)
    assert [verdict_from_json(json.loads(line)) for line in out.getvalue().splitlines()] == given


@pytest.mark.parametrize("format", ["jsonl", "fever", "feverous", "claimreview", "annotations", "csv"])
def test_each_verdict_is_written_before_the_next_is_asked_for(format: str) -> None:
    out = io.StringIO()
    sizes = []

    def coming() -> Iterator[Verdict]:
        for _ in range(3):
            sizes.append(len(out.getvalue()))
            yield verdict(SENTENCE)

    write(format, coming(), out)
    assert sizes[0] < sizes[1] < sizes[2]


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_appears_whole_or_not_at_all(format: str, tmp_path: Path) -> None:
    def broken() -> Iterator[Verdict]:
        yield verdict(SENTENCE)
        raise RuntimeError("the checker failed")

    file = tmp_path / "out"
    file.write_text("before")
    with pytest.raises(RuntimeError):
        write(format, broken(), file)
    assert file.read_text() == "before"
    assert write(format, [verdict(SENTENCE)], file) == 1
    assert file.read_bytes() != b"before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_format_that_is_none_is_told_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"'pdf' is not a format for verdicts; expected one of jsonl, fever"):
        writer("pdf")


def test_an_option_that_is_none_is_told_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"'feverous' has no option 'cell'; its options are sentences, cells"):
        writer("feverous", cell=3)
    with pytest.raises(InputError, match=r"'jsonl' has no option 'x'; it has no options"):
        writer("jsonl", x=1)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        write("jsonl", [], tmp_path / "missing" / "out.jsonl")
