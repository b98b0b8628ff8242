"""Folders of claims that grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from veritab.errors import Conflict, InputError
from veritab.runs.folders import ClaimsFolder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.txt").write_text("K2 is high.\nK2 is cold.\n")
    (tmp_path / "a.jsonl").write_text('{"id": "x", "claim": "K2 is far."}\n')
    return tmp_path


def names(folder: ClaimsFolder) -> list[str]:
    return [file.source for file in folder.take_up()]


def test_files_are_taken_up_in_the_order_of_names_and_then_of_coming(folder: Path) -> None:
    claims = ClaimsFolder(folder)
    assert names(claims) == ["a.jsonl", "b.txt"]
    assert [(each.id, each.text, each.source) for each in claims] == [
        ("x", "K2 is far.", "a.jsonl"),
        ("b.txt:1", "K2 is high.", "b.txt"),
        ("b.txt:2", "K2 is cold.", "b.txt"),
    ]
    assert names(claims) == []
    (folder / "0.txt").write_text("K2 is old.\n")
    assert names(claims) == ["0.txt"]
    assert [each.id for each in claims] == ["x", "b.txt:1", "b.txt:2", "0.txt:1"]
    assert len(claims) == 4


def test_files_that_are_still_written_are_passed_over(folder: Path) -> None:
    for name in (".c.txt", "c.txt.partial", "c.tmp", "DONE"):
        (folder / name).write_text("K2 is half")
    (folder / "inner").mkdir()
    claims = ClaimsFolder(folder)
    assert names(claims) == ["a.jsonl", "b.txt"]
    assert claims.is_done


def test_a_file_that_is_changed_after_it_was_taken_up_is_named(folder: Path) -> None:
    claims = ClaimsFolder(folder)
    claims.take_up()
    (folder / "b.txt").touch()
    assert names(claims) == []
    for changed in ("K2 is high.\nK2 is cold.\nK2 is new.\n", "?!\n"):
        (folder / "b.txt").write_text(changed)
        with pytest.raises(Conflict, match=r"b\.txt' was changed after its claims were taken up"):
            claims.take_up()


def test_what_was_taken_up_before_comes_first_and_must_be_the_same(folder: Path) -> None:
    claims = ClaimsFolder(folder)
    taken = [(file.source, file.sha256) for file in reversed(claims.take_up())]
    again = ClaimsFolder(folder)
    again.recall(taken)
    assert [each.id for each in again] == ["b.txt:1", "b.txt:2", "x"]
    assert names(again) == []
    (folder / "a.jsonl").write_text('{"id": "x", "claim": "K2 is near."}\n')
    with pytest.raises(Conflict, match=r"a\.jsonl' was changed"):
        ClaimsFolder(folder).recall(taken)
    (folder / "a.jsonl").unlink()
    with pytest.raises(Conflict, match=r"a\.jsonl', and it is gone"):
        ClaimsFolder(folder).recall(taken)


def test_an_id_that_two_files_have_is_refused_with_both_places(folder: Path) -> None:
    (folder / "c.jsonl").write_text('{"claim": "K2 is cold."}\n{"id": "x", "claim": "K2 is warm."}\n')
    with pytest.raises(InputError, match=r"c\.jsonl, line 2 has the id 'x', as .*a\.jsonl, line 1 has"):
        ClaimsFolder(folder).take_up()
