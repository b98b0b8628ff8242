from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import veritab
from tests.web.serving import without_models
from veritab.build.correcting.corrected_claims import correct_claims
from veritab.build.records import BuiltRecord, ClaimSource, LeftOut
from veritab.datasets import load
from veritab.pipeline import Checker
from veritab.schema import ElementId, Label

FALSE = "K2 is taller than Mount Everest."
CELLS = ["K2_cell_0_2_1", "Mount Everest_cell_0_2_1"]


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker.open(None, without_models()) as opened:
        yield opened


def record(id: int, claim: str, label: str, *content: str) -> dict[str, object]:
    return {
        "id": id,
        "claim": claim,
        "label": label,
        "evidence": [{"content": content, "context": {}}],
        "challenge": "",
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    records = [
        record(1, FALSE, "REFUTES", *CELLS),
        record(2, "Mount Everest is taller than K2.", "SUPPORTS", *CELLS),
        record(3, "Paris is the capital of Germany.", "REFUTES", "Nowhere_sentence_0"),
    ]
    path = tmp_path / "claims.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def test_a_refuted_claim_is_corrected_by_its_own_evidence_and_another_by_what_is_found(
    checker: Checker, file: Path
) -> None:
    given, supported, found = correct_claims(ClaimSource(file), "claims.jsonl", checker)
    assert isinstance(given, BuiltRecord)
    assert (given.id, given.claim, given.label) == ("1-correct", "K2 is shorter than Mount Everest.", Label.SUPPORTS)
    assert (given.evidence, given.silver) == ((tuple(map(ElementId.parse, CELLS)),), False)
    assert given.details["edits"] == [{"start": 6, "old": "taller", "new": "shorter", "kind": "comparison"}]
    assert isinstance(supported, LeftOut)
    assert "only a refuted claim can be corrected" in supported.reason
    assert isinstance(found, BuiltRecord)
    assert (found.claim, found.silver) == ("Berlin is the capital of Germany.", True)


def test_what_the_command_writes_can_be_loaded_and_what_it_leaves_out_is_told(file: Path, tmp_path: Path) -> None:
    into, left = tmp_path / "corrected.jsonl", tmp_path / "left.jsonl"
    done = veritab("build", "correct", file, "--model", "none", "--into", into, "--left-out", left, "--json")
    assert done.code == 0, done.err
    (report,) = done.lines
    assert report["records"] == 2
    assert {example.label for example in load(into)} == {Label.SUPPORTS}
    assert [json.loads(line)["record"] for line in left.read_text().splitlines()] == ["2"]
    again = tmp_path / "again.jsonl"
    veritab("build", "correct", file, "--model", "none", "--into", again)
    assert again.read_bytes() == into.read_bytes()
