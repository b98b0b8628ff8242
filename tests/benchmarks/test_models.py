"""What the benchmarks of models decide and write down themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.fit_calibration import careful
from benchmarks.models_card import Figures, write_figures
from benchmarks.models_figures import labelled, labels_by
from benchmarks.models_kept import Reader
from benchmarks.models_sets import Told, render_statement
from benchmarks.models_tables import profile_of
from benchmarks.models_trust import decided

from tests.models.tiny import make_selector, with_card
from tests.verify.tiny import make_reader
from veritab.datasets.tabular import TableStatement
from veritab.models import open_verdict
from veritab.models.card import Card
from veritab.schema import Table
from veritab.verify.calibrate import Calibration

SURE, UNSURE = [9.0, 0.0, 0.0], [1.0, 0.5, 0.0]


def test_labels_are_those_of_the_calibration_which_may_abstain() -> None:
    logits = np.array([SURE, UNSURE, SURE[::-1]])
    assert labels_by(Calibration(), logits).tolist() == [0, 0, 2]
    assert labels_by(Calibration(abstain=0.9), logits).tolist() == [0, 2, 2]
    assert labels_by(Calibration(thresholds=(0.8, 0.1, 0.1)), logits).tolist() == [0, 1, 2]
    assert labels_by(Calibration(gamma=-0.9), logits, ways=2).tolist() == [0, 1, 1]
    assert labels_by(Calibration(abstain=0.9), logits, ways=2).tolist() == [0, 2, 2]
    assert labelled(logits, [0, 0, 2], Calibration(abstain=0.9)).value == pytest.approx(2 / 3)
    assert labelled(logits[:2], [0, 0], Calibration(abstain=0.9), ways=2).value == 0.5


def test_the_careful_profile_says_only_what_is_rarely_wrong() -> None:
    logits = np.array([SURE] * 30 + [UNSURE] * 30 + [SURE[::-1]] * 40)
    labels = [0] * 30 + [0, 1] * 15 + [1] * 40
    profile = careful(Calibration(), logits, labels)
    made = Calibration.of({**Calibration().table(), "careful": profile}, "careful")
    said = labels_by(made, logits)
    assert set(said[:30]) == {0}
    assert set(said[30:]) == {2}
    sure, hit = decided(made, logits, labels)
    assert (len(sure), int(hit.sum())) == (60, 45)


def test_a_profile_that_the_card_lacks_is_called_by_the_one_that_is_used(tmp_path: Path) -> None:
    folder = make_reader(tmp_path, temperature=2.0, fm2={"gamma": 0.5})
    reader = Reader("verdict", open_verdict(folder), None)
    assert profile_of(reader, "fm2") == ("fm2", Calibration(temperature=2.0, gamma=0.5))
    assert profile_of(reader, "fever") == ("default", Calibration(temperature=2.0))


def test_figures_go_into_the_card_beside_those_of_the_exporter(tmp_path: Path) -> None:
    exported = {"trained network, fm2/dev, auc": 0.7, "agreement, examples": 400.0}
    with_card(
        make_selector(tmp_path), job="selector", measured={**exported, "shipped, FM2 dev": 1.0, "shipped, x": 2.0}
    )
    report = Figures("Models", "models")
    report.figure("selector", "FM2 dev", 0.876543)
    write_figures(tmp_path, report.of["selector"])
    assert Card.read(tmp_path).measured == {**exported, "shipped, FM2 dev": 87.65, "shipped, x": 2.0}


def test_statements_beside_a_long_claim_are_shown_as_the_verifier_would(tmp_path: Path) -> None:
    model = open_verdict(make_reader(tmp_path, max_length=32))
    table = Table.of([[f"river {n}", "long"] for n in range(40)], title="Rivers")
    statement = TableStatement("river " * 100, table, 0, "key")
    assert model.length(render_statement(statement, Told(None, 0.5, ()), "rows", model)) <= 14
