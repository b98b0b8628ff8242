"""A verdict shows what bears on the claim, and what it rests on, whatever its score."""

from __future__ import annotations

from dataclasses import replace

from veritab.schema import (
    COMPUTED,
    Certificate,
    Claim,
    Context,
    Element,
    ElementId,
    Flip,
    Hit,
    Kind,
    Label,
    PartVerdict,
    Reason,
    Unsettled,
    Verdict,
)
from veritab.verify.evidence import DESCRIPTION
from veritab.verify.shown import cut_evidence, find_own_evidence, rank_pieces, rate_hits

CLAIM = Claim("1", "Mount Everest is higher than K2.")
SCORES = {Label.SUPPORTS: 0.9, Label.REFUTES: 0.05, Label.NOT_ENOUGH_INFO: 0.05}


def sentence(number: int, text: str, score: float = 0.9, by: str = "selector", page: str = "K2") -> Hit:
    title = (Context(ElementId(page, Kind.TITLE), page),)
    return Hit(Element(ElementId(page, Kind.SENTENCE, (number,)), text, (), title), score, by)


def cell(row: int, column: int, text: str, score: float = 0.9, by: str = "selector", kind: Kind = Kind.CELL) -> Hit:
    return Hit(Element(ElementId("K2", kind, (0, row, column)), text), score, by)


GOOD = sentence(0, "K2 is lower than Mount Everest.", 0.95)
POOR = sentence(1, "The village has a school.", 0.01, page="Askole")


def verdict(*hits: Hit, label: Label = Label.SUPPORTS, **certificate: object) -> Verdict:
    return Verdict(CLAIM, label, SCORES, hits, (), Certificate(**certificate))  # type: ignore[arg-type]


def shown(found: Verdict) -> list[str]:
    return [str(hit.element.id) for hit in cut_evidence(found).evidence]


def test_what_hardly_bears_on_the_claim_is_left_out() -> None:
    assert shown(verdict(GOOD, POOR)) == ["K2_sentence_0"]


def test_label_scores_and_certificate_stay_as_they_were() -> None:
    before = verdict(GOOD, POOR, by="reader")
    assert replace(cut_evidence(before), evidence=before.evidence) == before


def test_the_likeliest_piece_is_shown_however_unlikely_it_is() -> None:
    assert shown(verdict(POOR)) == ["Askole_sentence_1"]
    assert shown(verdict(POOR, label=Label.NOT_ENOUGH_INFO)) == ["Askole_sentence_1"]
    assert shown(verdict()) == []


def test_what_was_computed_with_and_what_says_a_name_is_always_shown() -> None:
    computed, named = cell(1, 1, "8,611 m", 0.9, COMPUTED), replace(POOR, by=DESCRIPTION)
    assert shown(verdict(computed, GOOD, named)) == ["K2_cell_0_1_1", "K2_sentence_0", "Askole_sentence_1"]


def test_beside_what_decided_by_computing_only_what_is_likely_is_shown() -> None:
    some = sentence(2, "It is a mountain.", 0.3, page="Askole")
    assert shown(verdict(GOOD, some)) == ["K2_sentence_0", "Askole_sentence_2"]
    assert shown(verdict(cell(1, 1, "8,611 m", 0.9, COMPUTED), some, POOR, computed=Label.SUPPORTS)) == [
        "K2_cell_0_1_1"
    ]


def test_what_the_verdict_rests_on_is_shown() -> None:
    id = POOR.element.id
    assert shown(verdict(GOOD, POOR, smallest=(id,))) == ["K2_sentence_0", "Askole_sentence_1"]
    assert shown(verdict(GOOD, POOR, flips=(Flip(id, Label.REFUTES),))) == ["K2_sentence_0", "Askole_sentence_1"]
    assert shown(verdict(GOOD, POOR, cited=(id,))) == ["K2_sentence_0", "Askole_sentence_1"]
    part = PartVerdict("K2 is high.", Label.SUPPORTS, SCORES, (id,))
    assert shown(verdict(GOOD, POOR, parts=(part,))) == ["K2_sentence_0", "Askole_sentence_1"]


def test_headers_are_shown_with_their_cells_and_not_by_themselves() -> None:
    header = cell(0, 1, "Mount Everest is higher than K2", 0.99, kind=Kind.HEADER_CELL)
    assert shown(verdict(GOOD, header)) == ["K2_sentence_0"]
    assert shown(verdict(header)) == ["K2_header_cell_0_0_1"]


def test_nothing_is_evidence_for_a_claim_that_was_not_read() -> None:
    unread = Unsettled(Reason.OTHER_LANGUAGE, "the claim is in German")
    assert shown(verdict(GOOD, label=Label.NOT_ENOUGH_INFO, unsettled=unread)) == []


def test_a_piece_with_words_that_no_other_says_is_likelier() -> None:
    other = sentence(3, "Mount Everest is a mountain.", 0.5)
    same = sentence(4, "Mount Everest is a mountain.", 0.5)
    alone = sentence(5, "Nothing is higher.", 0.5)
    likely = rate_hits(CLAIM.text, [other, same, same, alone])
    assert likely[3] > likely[0] == likely[1]


def test_texts_and_rows_take_turns_and_cells_of_a_row_stay_together() -> None:
    hits = [GOOD, sentence(1, "K2 is high.", 0.8), cell(1, 1, "8,611 m", 0.9), cell(2, 0, "K3"), cell(1, 0, "K2", 0.5)]
    pieces = rank_pieces(CLAIM.text, hits)
    assert [[str(element.id) for element in piece] for piece in pieces][:2] == [
        ["K2_sentence_0"],
        ["K2_cell_0_1_0", "K2_cell_0_1_1"],
    ]
    assert {len(piece) for piece in pieces} == {1, 2}
    assert rank_pieces(CLAIM.text, []) == []


def test_a_part_has_what_was_computed_for_it_or_its_likeliest_pieces_and_an_open_one_has_none() -> None:
    computed = cell(1, 1, "8,611 m", 0.9, COMPUTED)
    assert find_own_evidence(verdict(computed, GOOD)) == (computed,)
    assert find_own_evidence(verdict(GOOD, POOR)) == (GOOD, POOR)
    assert find_own_evidence(verdict(GOOD, label=Label.NOT_ENOUGH_INFO)) == ()
