"""`veritab build questions` reads lines of questions and writes a line for each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from veritab.cli import app

pytest.importorskip("lemminflect")

LINES = [
    '{"id": 1, "question": "who won the cup in 1983?", "answer": "Leeds"}',
    '{"id": "b", "question": "when was the film shot", "answer": ["1983", "May 1983"]}',
    "nonsense",
    '{"id": "d", "question": "who lost?", "answer": ""}',
]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def test_every_line_gets_a_claim_or_a_reason(questions: Path) -> None:
    result = CliRunner().invoke(app, ["build", "questions", str(questions)])
    assert result.exit_code == 0, result.output
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [set(record) for record in records] == [{"id", "claim", "reason", "confidence"}] * 4
    claims = [record["claim"] for record in records]
    assert claims == ["Leeds won the cup in 1983.", "The film was shot in 1983.", None, None]
    assert "not JSON" in records[2]["reason"]
    assert records[3]["reason"] == "no answer"
    assert "no claim: line 4 (d): no answer" in result.stderr
    assert "2 claims, 2 without" in result.stderr


def test_one_process_or_two_write_the_same_bytes_and_the_report_can_be_json(questions: Path, tmp_path: Path) -> None:
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for processes, file in enumerate(files, 1):
        command = ["build", "questions", str(questions), "-o", str(file), "--json", "--processes", str(processes)]
        result = CliRunner().invoke(app, command)
        assert json.loads(result.stdout)["claims"] == 2
    assert files[0].read_bytes() == files[1].read_bytes()


def test_claims_below_the_least_confidence_are_left_out_by_name(questions: Path) -> None:
    result = CliRunner().invoke(app, ["build", "questions", str(questions), "--least", "0.99"])
    second = json.loads(result.stdout.splitlines()[1])
    assert second["claim"] is None
    assert second["reason"].startswith("less confidence than 0.99: The film")


def test_without_the_extra_the_message_says_what_to_install(questions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from veritab.build import inflection
    from veritab.errors import MissingExtra

    inflection._lists.cache_clear()
    monkeypatch.setitem(sys.modules, "lemminflect", None)
    with pytest.raises(MissingExtra, match=r"veritab\[build\]"):
        inflection.check_installed()
    inflection._lists.cache_clear()
