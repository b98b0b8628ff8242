"""Prediction files are what the official scorers read."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tests.render.made import CAPTION, CELL, ITEM, SENTENCE, UNKNOWN, verdict
from veritab.corpus.fever import title_of
from veritab.errors import InputError
from veritab.render import write
from veritab.render.predictions import FeverousPredictions, FeverPredictions
from veritab.schema import Claim, Element, ElementId, Hit, Kind, Label, Verdict


def written(format: str, *verdicts: Verdict, **options: Any) -> list[dict[str, Any]]:
    out = io.StringIO()
    assert write(format, iter(verdicts), out, **options) == len(verdicts)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def on(*ids: ElementId) -> Verdict:
    hits = tuple(Hit(Element(id, "text"), 1.0, "test") for id in ids)
    return Verdict(Claim("1", "A claim."), Label.REFUTES, {Label.REFUTES: 1.0}, hits)


def test_fever_names_pages_as_its_own_files_do() -> None:
    (line,) = written("fever", on(ElementId("Soul Food (film)", Kind.SENTENCE, (3,))))
    assert line == {"id": 1, "predicted_label": "REFUTES", "predicted_evidence": [["Soul_Food_-LRB-film-RRB-", 3]]}
    assert title_of(line["predicted_evidence"][0][0]) == "Soul Food (film)"


def test_fever_has_room_for_five_sentences_and_for_nothing_else() -> None:
    sentences = [ElementId("A", Kind.SENTENCE, (n,)) for n in range(8)]
    (line,) = written("fever", on(ElementId("A", Kind.CELL, (0, 1, 2)), sentences[0], *sentences))
    assert line["predicted_evidence"] == [["A", n] for n in range(5)]


def test_feverous_evidence_is_three_texts() -> None:
    (line,) = written("feverous", verdict(SENTENCE, CELL, ITEM, CAPTION))
    page = "Peaks (Asia)"
    assert line["predicted_evidence"] == [
        [page, "sentence", "0"],
        [page, "cell", "0_5_1"],
        [page, "item", "0_1"],
        [page, "table_caption", "0"],
    ]


def test_feverous_counts_sentences_and_cells_apart() -> None:
    cells = [ElementId("A", Kind.CELL, (0, n, 0)) for n in range(30)]
    sentences = [ElementId("A", Kind.SENTENCE, (n,)) for n in range(9)]
    (line,) = written("feverous", on(*cells, *sentences))
    kinds = [kind for _, kind, _ in line["predicted_evidence"]]
    assert (kinds.count("cell"), kinds.count("sentence")) == (25, 5)


@pytest.mark.parametrize("kind", [Kind.TITLE, Kind.SECTION, Kind.TABLE, Kind.LIST, Kind.PASSAGE])
def test_what_feverous_does_not_count_as_evidence_takes_no_room(kind: Kind) -> None:
    id = ElementId("A", kind, () if kind is Kind.TITLE else (0,))
    assert written("feverous", on(id))[0]["predicted_evidence"] == []


def test_an_id_that_is_no_number_stays_and_none_is_made_up() -> None:
    lines = written("fever", verdict(id="x-1"), verdict(id=""), verdict(id="007"))
    assert [line.get("id") for line in lines] == ["x-1", None, "007"]


def test_a_verdict_without_evidence_is_still_a_line() -> None:
    (line,) = written("feverous", verdict(label=UNKNOWN))
    assert line == {"id": 7, "predicted_label": "NOT ENOUGH INFO", "predicted_evidence": []}


@pytest.mark.parametrize("limit", [-1, True, "5"])
def test_a_limit_that_is_none_is_told(limit: Any) -> None:
    with pytest.raises(InputError, match=r"sentences is .*expected a whole number"):
        FeverousPredictions(sentences=limit)
    with pytest.raises(InputError, match="sentences"):
        FeverPredictions(sentences=limit)
