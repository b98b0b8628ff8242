"""Lines become records: bytes that are no text, objects of JSON, and groups of lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.corpus.records import IN_PIECES, decode_utf8, group_lines, parse_object
from veritab.corpus.streams import RawRecord
from veritab.schema import Problem


def key(line: bytes) -> bytes | None:
    """What stands before a colon."""
    name, colon, _ = line.partition(b":")
    return name if colon else None


def records(*lines: str, limit: int = 100) -> list[str | Problem]:
    raws = [RawRecord(f"x:{number}", line.encode()) for number, line in enumerate(lines, 1)]
    return [one.data.decode() if isinstance(one, RawRecord) else one for one in group_lines(raws, key, limit)]


def test_consecutive_lines_with_one_key_are_one_record() -> None:
    assert records("a:1", "a:2", "b:1", "a:3") == ["a:1\na:2", "b:1", "a:3"]


def test_a_line_without_a_key_goes_with_the_lines_before_it() -> None:
    assert records("0", "a:1", "1", "a:2", "b:1", "2") == ["0", "a:1\n1\na:2", "b:1\n2"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a:1", ":1", "a:2"], ["a:1", ":1", "a:2"]),
        ([":1", "a:1"], [":1", "a:1"]),
        ([":1", ":2", "a:1"], [":1\n:2", "a:1"]),
        ([":1", "0", "a:1"], [":1\n0", "a:1"]),
        (["a:1", ":1", "0", "a:2", "a:3", ":2"], ["a:1", ":1\n0", "a:2\na:3", ":2"]),
    ],
)
def test_a_line_with_an_empty_key_takes_no_line_of_another_page(lines: list[str], expected: list[str]) -> None:
    assert records(*lines) == expected


def test_a_group_that_would_pass_the_limit_is_cut_and_told_of() -> None:
    assert records("a:1", "a:2", "a:3", limit=8) == ["a:1\na:2", Problem("", "x:3", IN_PIECES), "a:3"]


def test_problems_among_the_lines_are_passed_on() -> None:
    problem = Problem("", "x:2", "a line is longer than 16 MB", lost=True)
    lines: list[RawRecord | Problem] = [RawRecord("x:1", b"a:1"), problem, RawRecord("x:3", b"a:2", position=7)]
    assert list(group_lines(lines, key)) == [problem, RawRecord("x:1-3", b"a:1\na:2", position=7)]


@given(st.lists(st.sampled_from(["", ":", "a:", "b:"]), max_size=12), st.integers(1, 20))
def test_every_line_is_in_one_record_in_its_order(keys: list[str], limit: int) -> None:
    lines = [f"{name}{number}" for number, name in enumerate(keys)]
    kept = [one for one in records(*lines, limit=limit) if isinstance(one, str)]
    assert "\n".join(kept) == "\n".join(lines)
    assert all(len({key(line.encode()) for line in one.split("\n")} - {None}) <= 1 for one in kept)


def test_bytes_that_are_not_utf8_are_replaced_and_told_of() -> None:
    assert decode_utf8("\ufeffZoë".encode()) == ("Zoë", False)
    assert decode_utf8(b"Zo\xeb") == ("Zo\ufffd", True)


def test_an_object_is_read_even_where_json_is_loose() -> None:
    assert parse_object(b'{"a": 1}') == ({"a": 1}, False)
    assert parse_object(b'\xef\xbb\xbf{"a": NaN, "b": "x\ty"}')[0]["b"] == "x\ty"
    assert parse_object(b'{"a": "Zo\xeb"}') == ({"a": "Zo\ufffd"}, True)


@pytest.mark.parametrize(
    ("data", "what"), [(b"[1]", "not an object"), (b"[" * 100_000, "nested too deeply"), (b"{", "Expecting")]
)
def test_a_line_without_an_object_says_why(data: bytes, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        parse_object(data)
