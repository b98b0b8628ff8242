"""Files of rankings: the lists of pipelines and TREC runs, brought to what our corpora call things."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from veritab.errors import FormatError
from veritab.evaluate.levels import Level
from veritab.evaluate.rankings import MatchedRankings, rankings_in


def read_rankings(path: Path, ids: list[str], level: Level, **options: Any) -> MatchedRankings:
    return rankings_in(path.read_bytes(), str(path), ids, level, **options)


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(*records: Any) -> Path:
        path = tmp_path / "rankings.jsonl"
        path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
        return path

    return written


def found(path: Path, level: Level = Level.ELEMENT, *, fever: bool = False) -> list[str]:
    return [str(each) for each in read_rankings(path, ["1"], level, fever=fever).rankings["1"]]


@pytest.mark.parametrize(
    ("key", "given", "expected"),
    [
        ("predicted_evidence", ["K2_cell_1_2_0", ["K2", "cell", "1_2_0"]], ["K2_cell_1_2_0"] * 2),
        ("predicted_evidence", [["K2", 3]], ["K2_sentence_3"]),
        ("predicted_sentences", [["K2", 3], ["K2", "sentence_4"]], ["K2_sentence_3", "K2_sentence_4"]),
        ("predicted_tables", [["K2", "table_1"]], ["K2_table_1"]),
    ],
)
def test_elements_are_written_in_many_ways(write: Any, key: str, given: Any, expected: list[str]) -> None:
    assert found(write({"id": 1, key: given})) == expected


def test_sentences_and_tables_together_are_the_evidence(write: Any) -> None:
    both = {"id": 1, "predicted_sentences": [["K2", 0]], "predicted_tables": [["K2", "table_1"]]}
    assert found(write(both)) == ["K2_sentence_0", "K2_table_1"]
    assert found(write(both | {"predicted_evidence": ["K2_cell_1_0_0"]})) == ["K2_cell_1_0_0"]


def test_pages_have_a_list_of_their_own_or_are_told_from_elements(write: Any) -> None:
    both = {"id": 1, "predicted_pages": [["Nile", 1.0]], "predicted_evidence": ["K2_sentence_0"]}
    assert found(write(both), Level.PAGE) == ["Nile"]
    assert found(write(both)) == ["K2_sentence_0"]


def test_names_as_fever_writes_them_become_titles(write: Any, tmp_path: Path) -> None:
    name = "Soul_Food_-LRB-film-RRB-"
    assert found(write({"id": 1, "predicted_pages": [name]}), Level.PAGE, fever=True) == ["Soul Food (film)"]
    assert found(write({"id": 1, "predicted_sentences": [[name, 2]]}), fever=True) == ["Soul Food (film)_sentence_2"]
    run = tmp_path / "run"
    run.write_text(f"1 Q0 {name} 1 2.0 x\n1 Q0 {name}_sentence_2 2 1.0 x\n")
    assert found(run, Level.PAGE, fever=True) == ["Soul Food (film)", "Soul Food (film)_sentence_2"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"predicted_pages": []}, "line 2: no id"),
        ({"id": 1, "predicted_pages": []}, "line 2: the id '1' was already on line 1"),
        ({"id": 9, "predicted_pages": []}, "the gold has no claim '9'"),
        ({"id": 2, "predicted_label": "SUPPORTS"}, "line 2: no predicted_pages or predicted_evidence"),
        ({"id": 2, "predicted_pages": "K2"}, "line 2: predicted_pages is 'K2'; expected a list"),
        ({"id": 2, "predicted_pages": [7]}, "line 2: 7 is not a page"),
        ({"id": 2, "predicted_evidence": [["K2"]]}, "is not an element; expected e.g."),
        ({"id": 2, "predicted_evidence": ["K2"]}, "line 2: 'K2' is not an element id"),
    ],
)
def test_every_fault_is_told(write: Any, record: dict[str, Any], message: str) -> None:
    path = write({"id": 1, "predicted_pages": ["K2"]}, record)
    with pytest.raises(FormatError) as caught:
        read_rankings(path, ["1", "2"], Level.PAGE)
    assert message in str(caught.value)


def test_claims_without_a_ranking_are_a_fault_wrong_or_left_out(write: Any) -> None:
    path = write({"id": 1, "predicted_pages": ["K2"]})
    with pytest.raises(FormatError, match="the claim '2' has no ranking; add one"):
        read_rankings(path, ["1", "2"], Level.PAGE)
    wrong = read_rankings(path, ["1", "2"], Level.PAGE, missing="wrong")
    assert (wrong.rankings, wrong.notes) == (
        {"1": ["K2"], "2": []},
        ["claims without a ranking: 1; nothing was found for them"],
    )
    assert read_rankings(path, ["1", "2"], Level.PAGE, missing="skip").rankings == {"1": ["K2"]}


def test_rankings_of_other_claims_may_be_left_out(write: Any) -> None:
    path = write({"id": 1, "predicted_pages": ["K2"]}, {"id": 9, "predicted_pages": ["K2"]})
    read = read_rankings(path, ["1"], Level.PAGE, unknown="skip")
    assert read.rankings == {"1": ["K2"]}
    assert "rankings for claims that the gold does not have: 1" in read.notes[0]


def test_a_run_of_pages_cannot_be_scored_by_elements(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("1 Q0 K2 1 2.0 x\n")
    with pytest.raises(FormatError, match="the ranking of claim '1': 'K2' is not an element id"):
        read_rankings(run, ["1"], Level.SENTENCE)
