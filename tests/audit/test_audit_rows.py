"""What an audit keeps of a claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.audit.samples import REFUTES, SUPPORTS, UNKNOWN, example
from veritab.audit.audit_rows import AuditRow, Votes, audit_rows, evidence_texts
from veritab.datasets.example_rows import to_row
from veritab.errors import NotFound
from veritab.schema import Element, ElementId, Example


def only(given: Example) -> AuditRow:
    (found,) = audit_rows([given])
    return found


def test_pages_kind_and_places_come_from_the_addresses() -> None:
    found = only(example("7", "A claim.", REFUTES, "Ann_sentence_0|Ann_cell_2_0_1", "Bob_sentence_25"))
    assert found[:3] == ("7", "A claim.", REFUTES)
    assert found.pages == ("Ann", "Bob")
    assert found.kind == "sentences + cells"
    assert found.places == ("2nd to 5th", "after the 20th", "first on its page")
    assert found.overlap is None
    assert found.votes is None


def test_a_claim_without_evidence_has_none_of_these() -> None:
    assert only(example("1", "A claim.", UNKNOWN)) == AuditRow("1", "A claim.", UNKNOWN)


def fm2(**more: object) -> Example:
    record = {
        "text": "Rivers run to seas.",
        "gold_evidence": [{"section_header": "Summary", "text": "All rivers run into the sea."}],
        "wikipedia_page": "River",
        **more,
    }
    return example("x", "Rivers run to seas.", SUPPORTS, **record)


def test_quoted_evidence_tells_page_section_and_shared_words() -> None:
    found = only(fm2())
    assert found.pages == ("River",)
    assert found.places == ("in the introduction",)
    assert found.overlap == 1.0  # rivers, run and seas, by their stems
    assert only(fm2(gold_evidence=[{"section_header": "Course", "text": "Water."}])).places == ("in another section",)


@pytest.mark.parametrize(
    ("votes", "kept"), [((3, 4), Votes(3, 4)), ((5, 4), None), ((None, 4), None), (("3", 4), None), ((-1, 4), None)]
)
def test_votes_are_kept_where_they_make_sense(votes: tuple[object, object], kept: Votes | None) -> None:
    assert only(fm2(correct_votes=votes[0], total_votes=votes[1])).votes == kept


def test_what_each_annotator_said_is_found_in_rows_too() -> None:
    said = example("1", "A claim.", SUPPORTS, annotations=["SUPPORTS", "REFUTES"])
    assert only(replace(said, record=to_row(said, "feverous"))).labels_given == ("SUPPORTS", "REFUTES")


def test_what_each_annotator_said_is_kept() -> None:
    annotations = [{"label": "SUPPORTS", "evidence": ["A_sentence_0"]}, {"label": "REFUTES", "evidence": []}, "odd", 3]
    found = only(example("1", "A claim.", SUPPORTS, annotations=annotations))
    assert found.labels_given == ("SUPPORTS", "REFUTES", "odd")
    assert found.evidence_given == (frozenset({"A_sentence_0"}), frozenset())


def test_fever_tells_annotators_apart_by_annotation() -> None:
    evidence = [
        [[11, 1, "Page", 0]],
        [[12, 2, "Page", 0], [12, 3, "Other", 4]],
        [[12, 5, "Page", 7]],
        [[13, None, None, None]],
    ]
    found = only(example("1", "A claim.", SUPPORTS, "Page_sentence_0", evidence=evidence))
    assert found.evidence_given == (
        frozenset({("Page", 0)}),
        frozenset({("Page", 0), ("Other", 4), ("Page", 7)}),
    )


class Shelf:
    """A corpus of one sentence."""

    def element(self, id: ElementId) -> Element:
        if str(id) != "Ann_sentence_0":
            raise NotFound(f"no element {id}")
        return Element(id, "Ann paints houses.")


def test_a_corpus_tells_what_addresses_read() -> None:
    told = evidence_texts(Shelf())
    known = example("1", "Ann paints boats.", SUPPORTS, "Ann_sentence_0")
    (found,) = audit_rows([known], told)
    assert found.overlap == pytest.approx(2 / 3)
    (lacking,) = audit_rows([example("2", "Ann paints.", SUPPORTS, "Ann_sentence_0|Bob_sentence_0")], told)
    assert lacking.overlap is None
    assert told(fm2()) == ("All rivers run into the sea.",)
