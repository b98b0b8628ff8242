"""Tables as TOML: what ships is whole, and what is misspelt is named."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from veritab.errors import FormatError, InputError
from veritab.papers.tables import FILLERS
from veritab.papers.tables.config import TableConfig, find, tables

WHOLE = 'title = "T"\nwork = "documents"\nunit = "share"\ncolumns = ["a", "b"]\n[published]\nx = [0.5, ""]\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "some-1.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_table_of_the_issue_is_there_in_the_order_of_the_papers() -> None:
    assert list(tables()) == [
        "fever-2",
        "fever-3",
        "fever-4",
        "fever-5",
        "fever-6",
        "fever-figure-3",
        "fever-sentences",
        "feverous-3",
        "feverous-4-left",
        "feverous-4-right",
        "fm2-3",
        "fm2-5",
        "fm2-6",
        "fm2-7",
        "faviq-3",
        "faviq-5",
        "faviq-gamma",
    ]


@pytest.mark.parametrize("name", list(tables()))
def test_what_fills_a_table_can_be_found(name: str) -> None:
    work = tables()[name].work
    assert callable(getattr(import_module(f"veritab.papers.tables.{FILLERS[work]}"), work))


def test_a_value_that_the_paper_does_not_have_is_none(tmp_path: Path) -> None:
    assert TableConfig.read(written(tmp_path, WHOLE)).published == {"x": {"a": 0.5}}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "T"', 'titel = "T"', "'titel'; did you mean 'title'?"),
        ('unit = "share"', 'unit = "shares"', "'shares'; did you mean 'share'?"),
        ('[0.5, ""]', "[0.5]", "expected 2 values"),
        ('work = "documents"\n', "", "no 'work'"),
        ("[published]", "[published", "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        TableConfig.read(written(tmp_path, WHOLE.replace(old, new)))
    assert said in str(caught.value)
    assert "some-1.toml" in str(caught.value)


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one() -> None:
    with pytest.raises(InputError, match="did you mean 'fever-2'"):
        find("fever2")
