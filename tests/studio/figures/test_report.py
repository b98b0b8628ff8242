"""All figures together: measured in one pass, as JSON, and as rows for people."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Iterator
from random import Random

import pytest

from tests.studio.figures.samples import N, R, S, annotate, pieces
from tests.studio.figures.test_bias import claims
from tests.studio.figures.test_claims import FROM_SENTENCES, FROM_TABLE
from veritab.errors import InputError
from veritab.schema import Label
from veritab.studio.figures import FigureRow, StudioFigures, figure_rows, figures_to_json, measure_studio
from veritab.studio.figures.rows import AnnotationRow, MemberRow, OperationCounts
from veritab.studio.vocabulary import Pool, TaskKind


@pytest.fixture(scope="module")
def figures() -> StudioFigures:
    """A small studio with something of everything."""
    annotations = [
        annotate("1", "a", S, "0", seconds=100.0, operations=OperationCounts(2, 1, 1, 0), sections=(-1,)),
        annotate("1", "b", S, "0", "K2_cell_0_1_1", author="ibis", text="K2 is high."),
        annotate("2", "a", R, evidence=(pieces("3"), pieces("4"))),
        annotate("2", "b", N, challenge="Other"),
        annotate("3", "b", None, skipped="typo", author="ibis"),
        annotate("4", "b", None, rating="incomprehensible"),
        annotate("5", "b", S, "1", pool=Pool.PRACTICE),
        annotate("1", "x", S, "0", "8", pool=Pool.SUPER),
    ]
    members = [MemberRow("a", TaskKind.FEVEROUS_VERIFICATION, "approved", 0.95, approved=True)]
    return measure_studio(annotations, [FROM_TABLE, FROM_SENTENCES], members, claims("ibis", negating=True))


def row(figures: StudioFigures, group: str, name: str) -> FigureRow:
    (found,) = (each for each in figure_rows(figures) if (each.group, each.name) == (group, name))
    return found


def test_only_work_is_measured(figures: StudioFigures) -> None:
    assert figures.verification.answers == 4
    assert figures.handling.overall.shown == 6
    assert figures.super_annotation.overall.answers == 2


def test_rows_stand_beside_what_the_papers_print(figures: StudioFigures) -> None:
    expected = [
        ("Writing", "Write three claims: seconds, mean", "400", 2, "373"),
        ("Writing", "several pages: hyperlinks", "2.00", 1, "1.2"),
        ("Writing", "highlight: table", "3 (50 %)", 6, "61,058 (65 %)"),
        ("Writing", "words of a claim of type II, mean", "3.00", 2, "29"),
        ("Verification", "Verify claims: seconds, mean", "100", 1, "165"),
        ("Verification", "Verify claims: of them for words in pages", "1.00", 1, "0.1"),
        ("Verification", "a page of the evidence is named in the claim", "33 %", 3, "84 %"),
        ("Verification", "piece of evidence: item", "0 (0 %)", 5, "1 %"),
        ("Verification", "sentence's place on its page, quartiles", "0 · 1.5 · 3.25", 4, ""),
        ("Skips, flags, reports", "skipped", "16.67 %", 6, "1.01 % (FEVER)"),
        ("Calibration", "Verify claims: approved", "100 %", 1, "53 %"),
        ("Agreement", "Fleiss' kappa, 2 answers", "0.20", 2, "0.65"),
        ("Agreement", "same evidence", "0 %", 2, "42 %"),
        ("Kappa by calibration score", "0.9 to 1.0: first 100 answers", "0.20", 2, "about 0.8"),
        ("Against super-annotators", "precision of evidence", "66.67 %", 3, "95.42 % (FEVER)"),
        ("Against super-annotators", "annotators with precision above 90 %", "1", 2, "all but 2 (FEVER)"),
        ("Wording by author", "ibis: claim-only accuracy", "1.00", 60, "0.58 (BERT, all claims)"),
    ]
    for group, name, value, n, published in expected:
        assert row(figures, group, name) == FigureRow(group, name, value, n, published)


def test_labels_and_types_come_in_the_order_of_the_papers(figures: StudioFigures) -> None:
    names = [each.name for each in figure_rows(figures)]
    assert [name for name in names if name.startswith("type: ")] == ["type: I", "type: II", "type: III"]
    labels = [name for name in names if name.startswith("label: ")]
    assert labels == ["label: SUPPORTS", "label: REFUTES", "label: NOT ENOUGH INFO"]


def test_the_estimate_of_unfound_evidence_has_its_interval(figures: StudioFigures) -> None:
    found = row(figures, "Unfound evidence, by capture and recapture", "pieces that exist, estimated")
    assert found.value == "2 [2, 2]"
    assert found.n == 1


def test_a_row_without_a_value_says_why(figures: StudioFigures) -> None:
    found = row(figures, "Agreement", "Fleiss' kappa, 5 answers")
    assert (found.value, found.reason, found.published) == ("–", "no claim with 5 answers", "0.68 (FEVER)")


def test_json_has_null_with_a_reason_and_no_tuples(figures: StudioFigures) -> None:
    found = json.loads(json.dumps(figures_to_json(figures), allow_nan=False))
    assert found["agreement"]["ways"]["5"] == {"value": None, "n": 0, "reason": "no claim with 5 answers"}
    assert found["writing"]["effort"]["feverous-claims"]["seconds"] == {"value": 400.0, "n": 2}
    assert found["verification"]["sentence_positions"] == {"n": 4, "counts": {"0": 2, "3": 1, "4": 1}}
    assert found["agreement"]["pairs"][0]["first"] == "a"
    assert found["unfound"]["estimate"]["claims"] == 1
    assert found["bias"][0]["words"]["REFUTES"][0]["thing"] == "not"


def test_an_empty_studio_has_reasons_and_no_noughts() -> None:
    empty = measure_studio([], [], [], [])
    json.dumps(figures_to_json(empty), allow_nan=False)
    rows = figure_rows(empty)
    assert len(rows) > 20
    for each in rows:
        assert each.n == 0
        assert each.value in ("–", "0")
        assert (each.value == "–") == bool(each.reason)
    assert {each.name for each in rows if each.value == "0"} == {"claims", "answers", "answers with several sets"}


def test_annotations_out_of_order_are_refused() -> None:
    late, early = annotate("1", "a"), annotate("2", "a")
    with pytest.raises(InputError, match="claim '1' is earlier than the one before; sort them by time"):
        measure_studio([early, late], [], [], [])


def test_memory_does_not_grow_with_annotations_that_nothing_is_compared_with() -> None:
    random = Random(3)

    def many(number: int) -> Iterator[AnnotationRow]:
        for each in range(number):
            if each % 500 == 0:
                gc.collect()  # what waits to be collected is not kept
            label = random.choice(list(Label))
            yield annotate(
                f"claim {each}", f"p{each % 9}", label, str(each % 30), overlaps=False, seconds=float(each % 400)
            )

    def peak(number: int) -> int:
        gc.freeze()  # what was there before is not looked through each time
        tracemalloc.start()
        measure_studio(many(number), [], [], [])
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        gc.unfreeze()
        return most

    peak(200)  # what is built at first use
    assert peak(20_000) < peak(2_000) + 400_000
