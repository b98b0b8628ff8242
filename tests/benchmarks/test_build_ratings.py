"""What is kept of readers' ratings, and what is printed of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks import build_ratings

from veritab.build.rating import blind_id


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(build_ratings, "RATINGS", tmp_path / "ratings")
    monkeypatch.setattr(build_ratings, "RESULTS", tmp_path / "results.md")
    origin = {"source": "x", "record": "1", "rule": "negate", "seed": 0}
    built = [{"id": f"{n}-negate", "claim": f"Secret claim {n}.", "label": "REFUTES", "origin": origin} for n in (1, 2)]
    (tmp_path / "built.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in built))
    for rater, labels in (("ibis", ["REFUTES", "REFUTES"]), ("wren", ["REFUTES", "SUPPORTS"])):
        lines = [
            {"id": blind_id(f"{n}-negate"), "claim": "Secret", "natural": "perfect", "label": label}
            for n, label in enumerate(labels, 1)
        ]
        (tmp_path / f"{rater}.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    return tmp_path


def test_what_is_kept_holds_marks_and_no_text_and_is_measured_by_kind(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build_ratings.keep("mutate", folder / "built.jsonl", [folder / "ibis.jsonl", folder / "wren.jsonl"])
    kept = (folder / "ratings" / "mutate.jsonl").read_text()
    assert len(kept.splitlines()) == 4
    assert "ecret" not in kept
    build_ratings.measure()
    report = (folder / "results.md").read_text()
    assert "| mutate, 2 claims: natural | 100.0% | >= 80% | yes |" in report
    assert "| mutate, 2 claims: label right | 75.0% | >= 93% | **no** |" in report
    assert "| negate | 2 | 100.0% | 100.0% | 0.0% | 75.0% | 50.0% | 0.0% |  | 0.00 |" in report
    build_ratings.examples(folder / "built.jsonl", [folder / "wren.jsonl"])
    assert "Secret claim 2. (REFUTES; wren: perfect, SUPPORTS)" in capsys.readouterr().out


def test_a_rating_of_another_file_is_refused(folder: Path) -> None:
    (folder / "ibis.jsonl").write_text('{"id": "gone", "natural": "minor", "label": ""}\n')
    with pytest.raises(SystemExit, match="holds no claim 'gone', which ibis rated"):
        build_ratings.keep("mutate", folder / "built.jsonl", [folder / "ibis.jsonl"])
