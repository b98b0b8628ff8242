"""What is kept between runs, and which claims are taken where not all are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st

from veritab.errors import NotFound
from veritab.papers.tables.inputs import TableInputs


def test_what_was_made_once_is_read_the_second_time(tmp_path: Path) -> None:
    given, made = TableInputs(cache=tmp_path), []

    def make() -> list[int]:
        made.append(1)
        return [1, 2]

    assert given.cached("x", ["key"], make) == given.cached("x", ["key"], make) == [1, 2]
    assert len(made) == 1
    given.cached("x", ["another key"], make)
    assert len(made) == 2


def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    given = TableInputs(cache=tmp_path)
    given.cached("x", ["key"], lambda: [1])
    (file,) = tmp_path.glob("x-*.json")
    file.write_text("[1,")
    assert given.cached("x", ["key"], lambda: [2]) == [2]
    assert file.read_text() == "[2]"


def test_where_making_fails_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        TableInputs(cache=tmp_path).cached("x", ["key"], lambda: 1 / 0)
    assert not list(tmp_path.iterdir())


@hypothesis_given(st.lists(st.text(max_size=5), max_size=30), st.integers(0, 40))
def test_some_are_at_most_so_many_in_their_order(names: list[str], most: int) -> None:
    numbered = list(enumerate(names))
    sample = TableInputs(at_most=most).sample(numbered, lambda each: each[1])
    assert len(sample) == (min(most, len(names)) if most else len(names))
    assert sample == sorted(sample, key=lambda each: each[0])
    assert set(sample) <= set(numbered)


def test_a_larger_sample_holds_the_smaller_one() -> None:
    names = [str(number) for number in range(100)]
    small, large = (TableInputs(at_most=most).sample(names, str) for most in (10, 20))
    assert set(small) < set(large)


@pytest.mark.parametrize("data", [None, Path("/nowhere/at/all")])
def test_a_missing_folder_of_data_sets_is_named(data: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERITAB_DATA", raising=False)
    with pytest.raises(NotFound, match="--data DIR"):
        _ = TableInputs(data).data_folder
