"""The figures of the published records, which come with what their annotators did."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from veritab.schema import ElementId, Label
from veritab.studio.figures import StudioFigures, measure_studio
from veritab.studio.figures.rows import AnnotationRow, count_operations
from veritab.studio.figures.values import Figure
from veritab.studio.vocabulary import TaskKind


@pytest.fixture(scope="module")
def figures(data_folder: Path) -> StudioFigures:
    """Fifty records of FEVEROUS, each as one answer."""
    rows: list[AnnotationRow] = []
    with gzip.open(data_folder / "feverous" / "official_records_dev50.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            operations = record["annotator_operations"]
            row = AnnotationRow(
                claim=str(record["id"]),
                text=record["claim"],
                annotator="unknown",
                kind=TaskKind.FEVEROUS_VERIFICATION,
                at=float(len(rows)),
                label=Label(record["label"]),
                evidence=tuple(frozenset(map(ElementId.parse, each["content"])) for each in record["evidence"]),
                challenge=record["challenge"],
                seconds=float(operations[-1]["time"]),
                operations=count_operations((each["operation"], each["value"]) for each in operations),
            )
            rows.append(row)
    return measure_studio(rows, [], [], [])


def test_the_logs_of_published_records_are_counted(figures: StudioFigures) -> None:
    # Counted with grep. They were chosen by label and challenge, so the paper's means are not theirs.
    effort = figures.verification.effort[TaskKind.FEVEROUS_VERIFICATION]
    assert effort.searches == Figure(94 / 50, 50)
    assert effort.full_text == Figure(7 / 50, 50)
    assert effort.hyperlinks == Figure(63 / 50, 50)
    assert effort.page_searches == Figure(77 / 50, 50)
    assert effort.too_long == 1  # a log that ends with the time of day instead of the seconds since the start
    assert effort.seconds.n == 49


def test_the_evidence_of_published_records_is_counted(figures: StudioFigures) -> None:
    found = figures.verification
    assert found.sets == Figure(53 / 50, 50)
    assert found.several_sets == 3
    assert found.pieces == (196, {"cell": 105, "sentence": 83, "item": 5, "table_caption": 3})
    assert found.title_in_claim == Figure(38 / 50, 50)
