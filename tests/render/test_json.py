"""Verdicts are written as JSON and read back as they were."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab import Claim, Element, ElementId, Hit, Kind, Label, Verdict
from veritab.errors import FormatError
from veritab.render.json import element_to_json, verdict_from_json, verdict_to_json
from veritab.schema import Certificate, Context, CountedRows, Flip, Link, Origin, PartVerdict, Region

CELL = ElementId("Korean Air", Kind.CELL, (1, 19, 0))
HEADER = ElementId("Korean Air", Kind.HEADER_CELL, (1, 0, 0))
VERDICT = Verdict(
    Claim("7", "Korean Air flies to Oslo."),
    Label.REFUTES,
    {Label.SUPPORTS: 0.1, Label.REFUTES: 0.85, Label.NOT_ENOUGH_INFO: 0.05},
    (Hit(Element(CELL, "Seoul", (Link(0, 5, "Seoul"),), (Context(HEADER, "City"),)), 0.75, "selector"),),
    ("City of Korean Air = Seoul",),
    Certificate(confidence=0.85, smallest=(CELL,), flips=(Flip(CELL, Label.NOT_ENOUGH_INFO),)),
    {"name": "almanac", "revision": "ab12", "pages": 226, "read": {"Korean Air": "0f"}},
)


def _through_json(record: dict[str, Any]) -> Any:
    return json.loads(json.dumps(record))


def test_a_verdict_comes_back_as_it_was() -> None:
    assert verdict_from_json(_through_json(verdict_to_json(VERDICT))) == VERDICT


def test_what_was_counted_and_what_is_said_of_parts_comes_back_too() -> None:
    rows = CountedRows(
        ElementId("FIFA World Cup", Kind.TABLE, (1,)), (3, 4), 22, (0, 2), "Italy as Winner", "without Italy"
    )
    scores = {Label.SUPPORTS: 0.0, Label.REFUTES: 1.0, Label.NOT_ENOUGH_INFO: 0.0}
    part = PartVerdict("It won.", Label.REFUTES, scores, (CELL,), None, "", ("2 rows have Italy as Winner",), (rows,))
    certificate = Certificate(computed=Label.REFUTES, program="count(rows) = 2, not 5", rows=(rows,), parts=(part,))
    computed = replace(VERDICT, certificate=certificate)
    record = _through_json(verdict_to_json(computed))
    assert verdict_from_json(record) == computed
    assert record["certificate"]["rows"][0] == {
        "table": "FIFA World Cup_table_1",
        "rows": [3, 4],
        "of": 22,
        "columns": [0, 2],
        "condition": "Italy as Winner",
        "others": "without Italy",
    }


def test_the_shape_is_the_one_that_other_programs_rely_on() -> None:
    record = verdict_to_json(VERDICT)
    assert list(record) == [
        "id",
        "claim",
        "label",
        "scores",
        "uncertain",
        "evidence",
        "reasoning",
        "certificate",
        "corpus",
    ]
    assert record["scores"] == {"SUPPORTS": 0.1, "REFUTES": 0.85, "NOT ENOUGH INFO": 0.05}
    assert record["evidence"][0] == {
        "id": "Korean Air_cell_1_19_0",
        "kind": "cell",
        "text": "Seoul",
        "score": 0.75,
        "by": "selector",
        "context": [{"id": "Korean Air_header_cell_1_0_0", "text": "City"}],
        "links": [[0, 5, "Seoul"]],
    }


def test_a_claim_without_a_name_and_an_element_without_links_leave_those_out() -> None:
    plain = Verdict(Claim("", "x"), Label.NOT_ENOUGH_INFO, {}, (Hit(Element(CELL, "Seoul"), 1.0, "cells"),))
    record = verdict_to_json(plain)
    assert "id" not in record
    assert "links" not in record["evidence"][0]
    assert verdict_from_json(_through_json(record)) == plain


_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(_TEXT, _TEXT, st.floats(0, 1), st.sampled_from(list(Label)))
def test_any_text_and_score_comes_back(claim: str, said: str, score: float, label: Label) -> None:
    verdict = Verdict(Claim("1", claim), label, {label: score}, (Hit(Element(CELL, said), score, said),), (said,))
    assert verdict_from_json(_through_json(verdict_to_json(verdict))) == verdict


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"claim": "x", "label": "MAYBE", "scores": {}},
        {"claim": "x", "label": "SUPPORTS", "scores": []},
        {"claim": "x", "label": "SUPPORTS", "scores": {}, "evidence": [{"id": "no address"}]},
    ],
)
def test_what_is_no_verdict_is_told_with_what_was_expected(wrong: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=r"is not a verdict .*expected what `veritab check --json` prints"):
        verdict_from_json(wrong)


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        (
            Origin("reports/harvest.pdf", (Region(12, 72.3, 80.0, 90.0, 92.0),)),
            {"file": "reports/harvest.pdf", "page": 12, "regions": [[12, 72.3, 80.0, 90.0, 92.0]]},
        ),
        (
            Origin("peaks.xlsx", (Region(2, 2, 102, 3, 103),)),
            {"file": "peaks.xlsx", "sheet": 2, "cells": "C103", "regions": [[2, 2, 102, 3, 103]]},
        ),
        (Origin("notes.md"), {"file": "notes.md"}),
    ],
)
def test_evidence_says_where_it_stands_in_its_original(origin: Origin, shown: dict[str, Any]) -> None:
    element = Element(CELL, "Seoul", origin=origin)
    verdict = Verdict(Claim("7", "It flies."), Label.REFUTES, VERDICT.scores, (Hit(element, 0.5, "selector"),))
    record = _through_json(verdict_to_json(verdict))
    assert record["evidence"][0]["original"] == element_to_json(element)["original"] == shown
    assert verdict_from_json(record).evidence[0].element.origin == origin


def test_evidence_that_is_no_document_has_no_original() -> None:
    assert "original" not in verdict_to_json(VERDICT)["evidence"][0]
