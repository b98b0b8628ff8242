"""A run is a folder that says what was asked, how, what came out and what it is worth."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.evaluate.sample_runs import CLAIMS, made_run, write_gold, write_predictions
from veritab import datasets
from veritab.errors import FormatError, InputError, NotFound
from veritab.evaluate.attribution import Fault
from veritab.evaluate.importing import import_answers
from veritab.evaluate.scored_runs import open_scored_run, open_scored_runs
from veritab.runs.labelled import LabelledClaims
from veritab.schema import Label


def questions(gold: Path, at_most: int | None = None) -> LabelledClaims:
    return LabelledClaims(datasets.load(gold), at_most)


def test_a_run_is_scored_and_read_back_as_it_was(tmp_path: Path) -> None:
    run = made_run(tmp_path, "run", wrong=range(6), bare=(0, 7))
    assert run.metrics["label_accuracy"].value == pytest.approx(24 / 30)
    assert run.metrics["score"].value == pytest.approx(23 / 30)
    assert run.metrics["evidence_recall"].value == pytest.approx(28 / 30)
    assert open_scored_run(tmp_path / "run") == run


def test_each_claim_says_what_became_of_it(tmp_path: Path) -> None:
    run = made_run(tmp_path, "run", wrong=(0, 1), bare=(1, 2), evidence={3: ["Page 3_sentence_0", "Page 3_cell_0_5_0"]})
    faults = [result.fault for result in run.results[:5]]
    assert faults == [Fault.LABEL, Fault.PAGE, Fault.PAGE, Fault.CELL, Fault.NONE]
    second = run.results[1]
    assert (second.id, second.gold, second.predicted) == ("1", Label.REFUTES, Label.NOT_ENOUGH_INFO)
    assert second.missing == ("Page 1_cell_0_1_1", "Page 1_sentence_1")
    assert run.results[2].label_right
    assert run.results[3].missing == ("Page 3_cell_0_1_1",)


def test_the_record_tells_claims_and_gold_from_others(tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl")
    record = questions(gold).record
    assert record["claims"] == CLAIMS
    assert record["task"] == "feverous"
    assert questions(gold, 5).record["gold_sha256"] != record["gold_sha256"]
    other = write_gold(tmp_path / "other.jsonl", seed=1)
    assert questions(other).record["claims_sha256"] != record["claims_sha256"]


def test_another_label_is_other_gold_for_the_same_claims(tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl")
    changed = tmp_path / "changed.jsonl"
    changed.write_text(gold.read_text().replace('"label":"REFUTES"', '"label":"SUPPORTS"', 1))
    before, after = questions(gold).record, questions(changed).record
    assert before["claims_sha256"] == after["claims_sha256"]
    assert before["gold_sha256"] != after["gold_sha256"]


def test_a_packed_file_is_the_same_data(tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl")
    packed = tmp_path / "gold.jsonl.gz"
    packed.write_bytes(gzip.compress(gold.read_bytes()))
    same = ("claims_sha256", "gold_sha256")
    assert {key: questions(packed).record[key] for key in same} == {key: questions(gold).record[key] for key in same}


def test_claims_without_labels_cannot_be_scored(tmp_path: Path) -> None:
    gold = tmp_path / "test.jsonl"
    gold.write_text('{"id": 1, "claim": "K2 is high."}\n{"id": 2, "claim": "K2 is low."}\n')
    with pytest.raises(InputError, match="claim '1' has no label"):
        _ = LabelledClaims(datasets.load(gold, task="fever")).record


def test_bad_predictions_leave_no_run_behind(tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl")
    short = write_predictions(tmp_path / "short.jsonl", claims=CLAIMS - 1)
    with pytest.raises(InputError, match="29"):
        import_answers(short, tmp_path / "run", questions(gold), {})
    assert not (tmp_path / "run").exists()


def test_claims_without_a_prediction_may_count_as_wrong(tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl")
    short = write_predictions(tmp_path / "short.jsonl", claims=CLAIMS - 3)
    run = import_answers(short, tmp_path / "run", questions(gold), {}, missing="wrong")
    assert run.metrics["label_accuracy"].value == pytest.approx(27 / 30)
    assert [result.fault for result in run.results[-4:]] == [Fault.NONE, *[Fault.UNANSWERED] * 3]


def test_a_run_is_never_laid_over_another(tmp_path: Path) -> None:
    made_run(tmp_path, "run")
    with pytest.raises(InputError, match="holds a run already"):
        made_run(tmp_path, "run")


def test_a_run_is_never_laid_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        made_run(tmp_path, "run")


def test_answers_that_are_not_there_are_named(tmp_path: Path) -> None:
    gold = write_gold(tmp_path / "gold.jsonl")
    with pytest.raises(NotFound, match="nowhere"):
        import_answers(tmp_path / "nowhere", tmp_path / "run", questions(gold), {})
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFound, match=r"no results\.jsonl"):
        import_answers(tmp_path / "empty", tmp_path / "run", questions(gold), {})


def test_a_folder_without_a_run_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="veritab run DATASET --into"):
        open_scored_run(tmp_path)


def test_a_run_without_gold_says_how_to_score_it(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"claims": 3, "claims_sha256": "x"}')
    with pytest.raises(InputError, match=r"no gold to score them by.*--answers"):
        open_scored_run(tmp_path)


def test_an_unfinished_run_says_how_to_go_on(tmp_path: Path) -> None:
    run = made_run(tmp_path, "run")
    (run.folder / "scores.json").unlink()
    with pytest.raises(InputError, match=r"0 of its 30 claims are answered.*--resume"):
        open_scored_run(run.folder)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("scores.json", "{"),
        ("scores.json", "[]"),
        ("scores.json", '{"figures": 3}'),
        ("scores.json", '{"figures": {"score": {"value": 1}}, "slices": {}}'),
        ("claims.jsonl", "{}\n"),
        ("claims.jsonl", "no json\n"),
        ("claims.jsonl", ""),
    ],
)
def test_a_damaged_run_is_told_and_not_guessed_at(tmp_path: Path, file: str, content: str) -> None:
    run = made_run(tmp_path, "run")
    (run.folder / file).write_text(content)
    with pytest.raises(FormatError, match="--resume"):
        open_scored_run(run.folder)


def test_results_of_another_run_are_not_taken_for_its_own(tmp_path: Path) -> None:
    run, other = made_run(tmp_path, "run"), made_run(tmp_path, "other", seed=1)
    (run.folder / "claims.jsonl").write_bytes((other.folder / "claims.jsonl").read_bytes())
    with pytest.raises(FormatError, match="of other claims than were asked"):
        open_scored_run(run.folder)


def test_runs_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder in ("june", "july"):
        (tmp_path / folder).mkdir()
        made_run(tmp_path / folder, "run")
    assert [run.name for run in open_scored_runs([tmp_path / "june" / "run", tmp_path / "july" / "run"])] == [
        "june/run",
        "july/run",
    ]


def test_a_run_cannot_be_compared_with_itself(tmp_path: Path) -> None:
    made_run(tmp_path, "run")
    with pytest.raises(InputError, match="given twice"):
        open_scored_runs([tmp_path / "run", tmp_path / "run" / ".." / "run"])


def test_the_scores_file_has_every_figure_with_its_interval(tmp_path: Path) -> None:
    made_run(tmp_path, "run", wrong=(1,))
    scores = json.loads((tmp_path / "run" / "scores.json").read_text())
    assert scores["n"] == CLAIMS
    for metric in scores["figures"].values():
        assert metric["low"] <= metric["value"] <= metric["high"]
    assert set(scores["slices"]["challenge"]) == {"Numerical Reasoning", "Other"}
