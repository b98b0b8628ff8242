"""Files of predictions: what is read, and what is said of each thing that is wrong with them."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from veritab.datasets import Task
from veritab.errors import FormatError, InputError, NotFound
from veritab.evaluate.issues import BadPredictions
from veritab.evaluate.predictions import Predictions, official_record, read_predictions
from veritab.schema import ElementId, Kind, Label

GOLD = ["1", "2", "3"]
CELL = ["Korean Air", "cell", "1_19_0"]


def line(id: Any = 1, label: Any = "SUPPORTS", evidence: Any = ()) -> dict[str, Any]:
    return {"id": id, "predicted_label": label, "predicted_evidence": list(evidence)}


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(*records: Any) -> Path:
        path = tmp_path / "predictions.jsonl"
        lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        return path

    return written


def faults(path: Path, task: Task = "fever", gold: list[str] | None = None, **options: Any) -> str:
    with pytest.raises(BadPredictions) as caught:
        read_predictions(path, task, gold, **options)
    return str(caught.value)


def notes(predictions: Predictions) -> list[str]:
    return list(map(str, predictions.notes))


# -- what is read --


def test_fever_evidence_becomes_addresses_and_the_record_is_kept(write: Any) -> None:
    told = line("1", "supports", [["Soul_Food_-LRB-film-RRB-", 3]])
    (read,) = read_predictions(write(told), "fever")
    assert (read.id, read.label, read.line) == ("1", Label.SUPPORTS, 1)
    assert read.evidence == (ElementId("Soul Food (film)", Kind.SENTENCE, (3,)),)
    assert read.record == told


@pytest.mark.parametrize("piece", [CELL, "Korean Air_cell_1_19_0"])
def test_feverous_evidence_is_triples_or_ids(write: Any, piece: Any) -> None:
    (read,) = read_predictions(write({"header": ""}, line(1, evidence=[piece])), "feverous", ["1"])
    assert read.evidence == (ElementId("Korean Air", Kind.CELL, (1, 19, 0)),)
    assert read.line == 2
    assert official_record(read, "feverous") == {"predicted_label": "SUPPORTS", "predicted_evidence": [CELL]}


def test_numbers_and_texts_name_the_same_claim(write: Any) -> None:
    assert [each.id for each in read_predictions(write(line(1), line("2"), line(3)), "fever", GOLD)] == GOLD


def test_faviq_labels_may_be_one_object(tmp_path: Path) -> None:
    path = tmp_path / "dev_predictions.json"
    path.write_text('{"b": "REFUTES",\n "a": "The True."}')
    read = read_predictions(path, "faviq", ["a", "b"])
    assert [(each.id, each.label) for each in read] == [("a", Label.SUPPORTS), ("b", Label.REFUTES)]


def test_an_array_of_records_and_a_packed_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json.gz"
    path.write_bytes(gzip.compress(json.dumps([line(1), line(2)]).encode()))
    assert [each.line for each in read_predictions(path, "fever")] == [1, 2]


def test_a_file_without_ids_is_matched_line_by_line_and_that_is_said(write: Any) -> None:
    bare: list[Any] = [
        {"predicted_label": label, "predicted_evidence": []} for label in ("SUPPORTS", "REFUTES", "SUPPORTS")
    ]
    read = read_predictions(write(*bare), "feverous", GOLD)
    assert [(each.id, each.label) for each in read][1] == ("2", Label.REFUTES)
    assert notes(read) == ["no prediction has an id, so they were matched with the gold line by line"]
    assert "2 predictions for 3 claims" in faults(write(*bare[:2]), "feverous", GOLD)


def test_lines_are_matched_by_place_on_request_whatever_their_ids(write: Any) -> None:
    read = read_predictions(write(line(7), line(7), line(8)), "fever", ["0", "0", "0"], by_line=True)
    assert [each.id for each in read] == ["0", "0", "0"]


def test_gold_whose_ids_repeat_cannot_be_matched_by_id(write: Any) -> None:
    with pytest.raises(InputError, match=r"3 claims but only 2 different ids.*--by-line"):
        read_predictions(write(line(1)), "fever", ["1", "2", "2"])


# -- odd, and told --


def test_another_order_is_put_right_and_told(write: Any) -> None:
    read = read_predictions(write(line(2), line(3), line(1)), "fever", GOLD)
    assert [each.id for each in read] == GOLD
    assert notes(read) == [
        "line 1: the predictions are in another order than the gold; they were put into its order by their ids"
    ]


def test_the_order_of_the_gold_needs_no_note(write: Any) -> None:
    assert read_predictions(write(line(1), line(2), line(3)), "fever", GOLD).notes == ()


def test_too_much_evidence_is_told_with_its_line(write: Any) -> None:
    pages = [[f"Page_{number}", 0] for number in range(6)]
    read = read_predictions(write(line(1), line(2, evidence=pages)), "fever")
    assert notes(read) == ["line 2: names 6 pieces of evidence, and the first 5 of them count; put the best first"]
    assert len(read[1].evidence) == 6


def test_feverous_has_two_budgets(write: Any) -> None:
    cells = [["A", "cell", f"0_{number}_0"] for number in range(26)]
    sentences = [["A", "sentence", str(number)] for number in range(6)]
    assert notes(read_predictions(write(line(evidence=cells[:25] + sentences[:5])), "feverous")) == []
    assert notes(read_predictions(write(line(evidence=cells + sentences)), "feverous")) == [
        "line 1: names 6 sentences, and the first 5 of them count; put the best first",
        "line 1: names 26 cells, items and captions, and the first 25 of them count; put the best first",
    ]


def test_a_piece_named_twice_is_told(write: Any) -> None:
    (note,) = notes(read_predictions(write(line(evidence=[["A", 0], ["A", 0]])), "fever"))
    assert note.startswith("line 1: names 'A_sentence_0' more than once")


def test_a_class_that_the_task_does_not_have_is_told(write: Any) -> None:
    (note,) = notes(read_predictions(write({"id": "a", "predicted_label": "NOT ENOUGH INFO"}), "fm2"))
    assert "predicts NOT ENOUGH INFO, which this task does not have" in note


@pytest.mark.parametrize(("missing", "ids"), [("wrong", GOLD), ("skip", ["1"])])
def test_missing_predictions_may_count_as_wrong_or_be_left_out(write: Any, missing: Any, ids: list[str]) -> None:
    read = read_predictions(write(line(1)), "fever", GOLD, missing=missing)
    assert [each.id for each in read] == ids
    assert [each.label for each in read if not each.line] == [None] * (len(ids) - 1)
    assert "claims without a prediction: 2 ('2', '3')" in notes(read)[0]


def test_unknown_claims_may_be_left_out(write: Any) -> None:
    read = read_predictions(write(line(1), line(9)), "fever", ["1"], unknown="skip")
    assert [each.id for each in read] == ["1"]
    assert "predictions of claims that the gold does not have: 1" in notes(read)[0]


# -- wrong --


def test_missing_doubled_and_unknown_are_all_told_at_once(write: Any) -> None:
    told = faults(write(line(1), line(1), line(9)), gold=GOLD)
    assert "has 4 faults, so nothing was scored" in told
    assert "line 2: the id '1' was already on line 1; keep one of the two" in told
    assert "line 3: the gold has no claim '9'; take the line out" in told
    assert "the claim '2' has no prediction; add one, or score with --missing wrong" in told
    assert "the claim '3' has no prediction" in told


def test_doubled_ids_of_one_object_are_told(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text('{"a": "SUPPORTS", "b": "REFUTES", "a": "REFUTES"}')
    assert "line 3: the id 'a' was already on line 1" in faults(path, "faviq", ["a", "b"])


def test_predictions_of_another_file_are_told_once(write: Any) -> None:
    told = faults(write(line(7), line(8)), gold=GOLD)
    assert "no id of the gold is there: line 1 has '7', and the gold begins with '1'" in told
    assert "has a fault" in told


def test_a_line_without_an_id_is_told_where_others_have_one(write: Any) -> None:
    assert "line 2: no id, though other lines have one" in faults(write(line(1), line(None)), gold=["1"])


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("{", "line 1: no JSON"),
        ("7", "line 1: 7 is not an object"),
        (line(label=1), "line 1: the label is 1, which is not text; expected one of SUPPORTS, REFUTES"),
        (line(label="MAYBE"), "line 1: the label 'MAYBE' is unknown; expected one of"),
        (line(label="SUPPORTS "), "line 1: the label 'SUPPORTS ' is unknown"),
        ({"id": 1, "predicted_evidence": []}, "line 1: no predicted_label; expected e.g."),
        ({"id": 1, "predicted_label": "SUPPORTS"}, "line 1: no predicted_evidence; expected a list, [] where"),
        (line(evidence=["A", 0]) | {"predicted_evidence": "A"}, "line 1: predicted_evidence is 'A'; expected a list"),
        (line(evidence=[["A", "0"]]), "line 1: ['A', '0'] is not evidence; expected a page and the number of a line"),
        (line(evidence=[["A", True]]), "line 1: ['A', True] is not evidence"),
        (line(evidence=[["A", -1]]), "line 1: ['A', -1] is not evidence"),
        (line(evidence=[["", 1]]), "line 1: ['', 1] is not evidence"),
        (line(evidence=[["_", 1]]), "line 1: ['_', 1] is not evidence"),
        (f'{{"id": 1, "predicted_label": {"[" * 900}{"]" * 900}, "predicted_evidence": []}}', "line 1: the label is "),
        ('{"a": ' * 5000, "line 1: no JSON"),
        (line(id=1.5), "line 1: the id is 1.5"),
        (line(evidence=[None]), "line 1: None is not evidence"),
        (line(id=[1]), "line 1: the id is [1]; expected the number or the text that the gold has"),
        (line(id=True), "line 1: the id is True"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_types_are_told_with_what_to_do(write: Any, record: Any, message: str) -> None:
    assert message in faults(write(record))


def test_an_id_of_a_wrong_type_is_told_once(write: Any) -> None:
    told = faults(write(line(id=[1]), line(id="1")), gold=["1"])
    assert "the id is [1]" in told
    assert "the gold has no claim" not in told


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        (["A", "cell", "1"], "is not an address: a cell has 3 numbers"),
        (["A", "gesture", "1"], "is not an address: 'gesture' is not a kind of element; the kinds are"),
        (["A", "sentence", "one"], "is not an address: 'one' is not a position"),
        ("A", "is not an address: 'A' is not an element id"),
        (["A", "sentence", 1], "is not evidence; expected ['K2', 'cell', '1_2_0'], all three of them text"),
        (7, "7 is not evidence"),
    ],
    ids=str,
)
def test_wrong_addresses_of_feverous_are_told(write: Any, piece: Any, message: str) -> None:
    assert message in faults(write(line(evidence=[piece])), "feverous")


@pytest.mark.parametrize(
    ("record", "task", "message"),
    [
        (line(evidence=[CELL]), "fever", "is evidence of FEVEROUS; score it with --task feverous"),
        (line(evidence=["A_sentence_0"]), "fever", "is evidence of FEVEROUS"),
        (line(evidence=[["A", 0]]), "feverous", "is evidence of FEVER; score it with --task fever"),
        ({"id": 1, "output": [{"answer": "SUPPORTS"}]}, "fever", "this is KILT's format; score it with --task kilt"),
        (
            {"id": 1, "predicted_pages": []},
            "fever",
            "this is a ranking without a label; score it with --task retrieval",
        ),
        (
            {"id": 1, "claim": "x", "label": "SUPPORTS", "scores": {"SUPPORTS": 1.0}, "evidence": []},
            "feverous",
            "this is an answer of `veritab check`; write predictions with: veritab check --format feverous",
        ),
        ({"id": 1, "claim": "x", "label": "SUPPORTS", "evidence": []}, "fever", "this is a record of gold"),
        ({"id": 1, "label": "SUPPORTS"}, "fm2", "a predicted label is called predicted_label, not label; rename it"),
        ({"id": 1, "claim": "x", "evidence": []}, "fever", "there is no prediction in it"),
    ],
)
def test_the_format_of_another_task_is_named(write: Any, record: Any, task: Task, message: str) -> None:
    told = faults(write(record), task)
    assert message in told
    assert "\n  line 1: " in told


def test_many_faults_of_a_sort_are_counted_and_none_is_lost(write: Any) -> None:
    path = write(*(line(number, label="MAYBE") for number in range(50)), line(50, evidence=[CELL]))
    with pytest.raises(BadPredictions) as caught:
        read_predictions(path, "fever")
    assert str(caught.value).splitlines()[1:] == [
        *(f"  line {number}: the label 'MAYBE' is unknown; expected one of {', '.join(Label)}" for number in (1, 2, 3)),
        "  … and 47 more such, the last on line 50",
        f"  line 51: {CELL!r} is evidence of FEVEROUS; score it with --task feverous, or write ['K2', 3]",
    ]
    assert [fault.line for fault in caught.value.faults] == list(range(1, 52))
    assert isinstance(caught.value, FormatError)
    assert caught.value.exit_code == 2
    assert pickle.loads(pickle.dumps(caught.value)).faults == caught.value.faults


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no file .*none\.jsonl"):
        read_predictions(tmp_path / "none.jsonl", "fever")


def test_a_cut_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(line()).encode() * 100)[:-20])
    with pytest.raises(FormatError, match="could not be read to its end"):
        read_predictions(path, "fever")


def test_a_broken_array_is_told(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text("[{]")
    with pytest.raises(FormatError, match="is not JSON"):
        read_predictions(path, "fever")


@pytest.mark.parametrize("text", ["", "\n \n", '{"header": ""}\n', "[]"])
def test_an_empty_file_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="holds no predictions; expected lines such as"):
        read_predictions(path, "fever", GOLD)
