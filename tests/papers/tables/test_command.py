"""`veritab reproduce`: tables for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from veritab.cli import app
from veritab.errors import InputError


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["reproduce", *words])


def test_the_tables_are_listed() -> None:
    lines = run("--list").stdout.splitlines()
    assert lines[0].split() == [
        "fever-2",
        "FEVER,",
        "table",
        "2:",
        "pages",
        "by",
        "DrQA's",
        "TF-IDF,",
        "development",
        "set",
    ]
    assert [json.loads(line)["table"] for line in run("--list", "--json").stdout.splitlines()] == [
        line.split()[0] for line in lines
    ]


@pytest.mark.parametrize(("words", "said"), [((), "--list"), (("fever-7",), "no table is called 'fever-7'")])
def test_a_table_that_is_not_there_is_answered_with_what_is(words: tuple[str, ...], said: str) -> None:
    error = run(*words).exception
    assert isinstance(error, InputError)
    assert error.exit_code == 2
    assert said in str(error)


def test_a_table_shows_ours_theirs_and_what_differs(cache: Path) -> None:
    said = run("fever-sentences", "--at-most", "12", "--cache", str(cache)).stdout
    assert said.startswith("FEVER, section 5.4: sentences by TF-IDF, development set\n")
    assert "44.22" in said
    assert "\na  the almanac (" in said
    assert "\nb  " in said


def test_a_table_for_programs_has_every_cell(cache: Path) -> None:
    told = json.loads(run("fever-sentences", "--at-most", "12", "--cache", str(cache), "--json").stdout)
    assert told["table"] == "fever-sentences"
    assert len(told["cells"]) == 4
    for cell in told["cells"]:
        assert set(cell) == {"row", "column", "ours", "published", "notes", "why"}
        assert 0 < cell["ours"]["n"] <= 12
        assert cell["ours"]["low"] <= cell["ours"]["value"] <= cell["ours"]["high"] <= 100
        assert set(cell["notes"]) <= set(told["notes"])
    assert max(cell["ours"]["value"] for cell in told["cells"]) > 1


def test_words_stand_one_under_the_other(tmp_path: Path) -> None:
    record = {"id": "a", "text": "It is old.", "label": "SUPPORTS", "wikipedia_page": "It", "gold_evidence": []}
    (tmp_path / "fm2").mkdir()
    (tmp_path / "fm2" / "dev.jsonl").write_text(json.dumps(record) + "\n")
    said = run("fm2-3", "--data", str(tmp_path)).stdout
    assert "FM2 Dev  a\n  ours " in said
    assert "  published  by a, on the, innocent iii" in said
    assert "–  FM2 Train, Top bigrams by LMI: fm2/train is not on hand" in said
