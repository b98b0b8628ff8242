"""Claims beside short documents become examples: beside all of a document, beside a few pieces, and as candidates."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from veritab.datasets import DataFiles, load
from veritab.train.sources import examples, given
from veritab.train.sources.context import SourceContext

_FERRY: list[dict[str, Any]] = [
    {
        "title": "Halm Ferries",
        "text": "The Tern and the Skua sail from Halm. The Skua was built in 1987. Ada Brandt has been their "
        "captain since 2011. In winter one ship stays in dock.",
    },
    {
        "title": "Halm Ferries",
        "table": {"caption": "Ships", "header": ["Ship", "Cars"], "rows": [["Tern", "40"], ["Skua", "64"]]},
    },
]
_SCHOOL: list[dict[str, Any]] = [
    {"title": "Orne School", "text": "Orne School has 310 pupils. Its head is Ivo Galli. The roof leaks."}
]


def _claims(document: str, evidence: list[dict[str, Any]], at: list[str], *claims: tuple[str, str]) -> list[Any]:
    return [
        {
            "id": f"{document}-{number}",
            "claim": claim,
            "label": label,
            "evidence": evidence,
            "document": document,
            "at": at,
            "part": "train",
        }
        for number, (claim, label) in enumerate(claims)
    ]


@pytest.fixture
def context(tmp_path: Path) -> SourceContext:
    records = _claims(
        "ferry",
        _FERRY,
        ["The Skua was built in 1987", "row: Skua"],
        ("The ship of 1987 carries 64 cars.", "SUPPORTS"),
        ("The ship of 1987 carries 40 cars.", "REFUTES"),
        ("The ship of 1987 carries 12 lorries.", "NOT ENOUGH INFO"),
    )
    records += _claims("school", _SCHOOL, ["Its head is Ivo"], ("Ivo Galli leads Orne School.", "SUPPORTS"))
    records += _claims("later", _SCHOOL, [], ("Orne School is full.", "NOT ENOUGH INFO"))
    records += [{**_claims("kept", _SCHOOL, [], ("It rains.", "NOT ENOUGH INFO"))[0], "part": "dev"}]
    file = tmp_path / "written" / "given.jsonl.gz"
    file.parent.mkdir()
    file.write_bytes(gzip.compress("".join(json.dumps(record) + "\n" for record in records).encode()))
    return SourceContext(DataFiles(tmp_path), left_out=Counter())


def test_a_claim_is_read_with_the_whole_of_its_document(context: SourceContext) -> None:
    claim, text, label = next(given.given(context, distractors=0.0))
    assert (claim, label) == ("The ship of 1987 carries 64 cars.", 0)
    assert "The Skua was built in 1987." in text
    assert "Ship is Skua; Cars is 64" in text
    assert "Orne" not in text


def test_parts_of_other_documents_stand_beside_it(context: SourceContext) -> None:
    first, *_ = given.given(context, distractors=1.0)
    assert "The Skua was built in 1987." in first.evidence
    assert "Orne School" in first.evidence


def test_a_few_pieces_hold_what_settles_a_claim(context: SourceContext) -> None:
    for claim, text, label in list(given.given_few(context, missing=0.0))[:3]:
        assert label == ("64", "40", "12").index(next(n for n in ("64", "40", "12") if f" {n} " in claim))
        assert "The Skua was built in 1987." in text
        assert "Ship is Skua; Cars is 64" in text


def test_without_what_settles_it_a_claim_is_left_open(context: SourceContext) -> None:
    supported, refuted, *_ = given.given_few(context, missing=1.0)
    assert supported.label == refuted.label == 2
    settling = ("The Skua was built in 1987.", "Ship is Skua; Cars is 64")
    assert sum(each in supported.evidence for each in settling) == 1
    assert not any(each in refuted.evidence for each in settling)


def test_claims_of_which_nobody_said_what_settles_them_are_counted(context: SourceContext) -> None:
    assert len(list(given.given_few(context))) == 4
    assert context.left_out == {"not said where it is settled": 1}


def test_what_settles_a_claim_is_relevant_and_the_rest_is_not(context: SourceContext) -> None:
    own = [each for each in given.given_candidates(context) if each.claim == "The ship of 1987 carries 64 cars."]
    relevant = {each.candidate.text for each in own if each.relevant}
    assert relevant == {
        "Halm Ferries: The Skua was built in 1987.",
        "Halm Ferries. Ships: Ship is Skua; Cars is 64.",
    }
    assert not relevant & {each.candidate.text for each in own if not each.relevant}


def test_documents_for_development_are_not_trained_on(context: SourceContext) -> None:
    trained = {each.claim for each in given.given(context)}
    assert {each.claim for each in given.given_dev(context)} == {"It rains."}
    assert "It rains." not in trained


def test_the_shipped_claims_can_be_loaded_and_trained_on(tmp_path: Path) -> None:
    data = load("written/given", data=tmp_path)
    assert {str(example.label) for example in data} == {"SUPPORTS", "REFUTES", "NOT ENOUGH INFO"}
    left_out: Counter[str] = Counter()
    found = list(examples("verdict", "given_few/dev", tmp_path, seed=0, left_out=left_out))
    assert len(found) > 5 * left_out["not said where it is settled"]
    assert {each.label for each in found} == {0, 1, 2}
