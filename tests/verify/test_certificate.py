"""A certificate names the smallest evidence that keeps a verdict, and the pieces that flip it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veritab.schema import (
    COMPUTED,
    Certificate,
    Claim,
    Element,
    ElementId,
    Evidence,
    Flip,
    Hit,
    Kind,
    Label,
    Reading,
    Verdict,
)
from veritab.verify.certificate import certify
from veritab.verify.decide import CalibratedDecider
from veritab.verify.judge import judge_evidence

CLAIM = Claim("1", "K2 is tall.")
EQUAL: dict[Label, float] = dict.fromkeys(Label, 1 / 3)


class KeywordVerifier:
    """Refutes where it reads "no", supports where it reads "yes", else cannot say; records what it reads."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.calls = 0

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
        self.calls += 1
        texts = [" ".join(element.text for element in each.elements) for each in evidence]
        self.read += texts
        return [Reading({label: float(label is _label(text)) for label in Label}) for text in texts]


def _label(text: str) -> Label:
    if "no" in text.split():
        return Label.REFUTES
    return Label.SUPPORTS if "yes" in text.split() else Label.NOT_ENOUGH_INFO


def _sentence(number: int, text: str, by: str = "selector") -> Hit:
    return Hit(Element(ElementId("K2", Kind.SENTENCE, (number,)), text), 0.5, by)


def _cell(row: int, column: int, text: str, by: str = "selector") -> Hit:
    return Hit(Element(ElementId("K2", Kind.CELL, (0, row, column)), text), 0.5, by)


def _verdict(label: Label, *hits: Hit, computed: Label | None = None) -> Verdict:
    return Verdict(CLAIM, label, EQUAL, hits, certificate=Certificate(by="reader", computed=computed))


def _certify(verdict: Verdict, verifier: KeywordVerifier | None = None) -> Certificate:
    (found,) = certify([verdict], verifier or KeywordVerifier(), CalibratedDecider())
    return found.certificate


def _smallest(certificate: Certificate) -> list[str]:
    assert certificate.smallest is not None
    return [str(id) for id in certificate.smallest]


def test_the_smallest_evidence_is_the_fewest_of_the_best_pieces_that_keep_the_verdict() -> None:
    hits = [_sentence(0, "perhaps"), _sentence(1, "yes"), _sentence(2, "perhaps"), _sentence(3, "perhaps")]
    found = _certify(_verdict(Label.SUPPORTS, *hits))
    assert _smallest(found) == ["K2_sentence_1"]
    assert found.flips == (Flip(hits[1].element.id, Label.NOT_ENOUGH_INFO),)
    later = [_sentence(number, "yes" if number == 3 else "perhaps") for number in range(9)]
    assert _smallest(_certify(_verdict(Label.SUPPORTS, *later))) == [f"K2_sentence_{number}" for number in range(4)]


def test_the_rest_of_the_verdict_stays_as_it_was() -> None:
    verdict = _verdict(Label.SUPPORTS, _sentence(0, "yes"), _sentence(1, "no"))
    (found,) = certify([verdict], KeywordVerifier(), CalibratedDecider())
    assert (found.label, found.scores, found.evidence) == (verdict.label, verdict.scores, verdict.evidence)
    assert found.certificate.by == "reader"


def test_cells_of_one_row_stay_together() -> None:
    hits = [_cell(1, 0, "K2"), _cell(1, 1, "yes"), _cell(2, 0, "Everest")]
    assert _smallest(_certify(_verdict(Label.SUPPORTS, *hits))) == ["K2_cell_0_1_0", "K2_cell_0_1_1"]


def test_a_piece_without_which_the_opposite_is_read_flips_to_it() -> None:
    hits = [_sentence(0, "no"), _sentence(1, "yes"), _sentence(2, "perhaps")]
    found = _certify(_verdict(Label.REFUTES, *hits))
    assert _smallest(found) == ["K2_sentence_0"]
    assert found.flips == (Flip(hits[0].element.id, Label.SUPPORTS),)


def test_computed_cells_are_enough_where_the_computation_agrees_with_the_verdict() -> None:
    verifier = KeywordVerifier()
    hits = [_cell(1, 1, "8,611 m", by=COMPUTED), _sentence(0, "perhaps")]
    found = _certify(_verdict(Label.SUPPORTS, *hits, computed=Label.SUPPORTS), verifier)
    assert _smallest(found) == ["K2_cell_0_1_1"]
    assert found.flips == (Flip(hits[0].element.id, Label.NOT_ENOUGH_INFO),)
    assert verifier.read == ["perhaps"]


def test_computed_cells_are_not_enough_where_the_verdict_is_the_opposite() -> None:
    hits = [_cell(1, 1, "8,611 m", by=COMPUTED), _sentence(0, "yes"), _sentence(1, "perhaps")]
    found = _certify(_verdict(Label.SUPPORTS, *hits, computed=Label.REFUTES))
    assert _smallest(found) == ["K2_sentence_0"]


def test_where_no_small_part_keeps_the_verdict_none_is_named() -> None:
    hits = [_sentence(number, "perhaps") for number in range(6)]
    found = _certify(_verdict(Label.SUPPORTS, *hits))
    assert (found.smallest, found.flips) == (None, None)


def test_of_little_evidence_all_is_named_where_no_part_of_it_keeps_the_verdict() -> None:
    hits = [_sentence(number, "perhaps") for number in range(3)]
    assert len(_smallest(_certify(_verdict(Label.SUPPORTS, *hits)))) == 3


def test_not_enough_info_rests_on_nothing_and_costs_no_reading() -> None:
    verifier = KeywordVerifier()
    found = _certify(_verdict(Label.NOT_ENOUGH_INFO, _sentence(0, "yes")), verifier)
    assert (found.smallest, found.flips) == ((), ())
    assert verifier.calls == 0


def test_nothing_is_read_that_an_earlier_reading_made_needless() -> None:
    verifier = KeywordVerifier()
    enough = _verdict(Label.SUPPORTS, *(_sentence(number, "yes") for number in range(9)))
    never = _verdict(Label.SUPPORTS, *(_sentence(number, "perhaps") for number in range(9)))
    found = certify([enough] * 5, verifier, CalibratedDecider())
    assert len(found) == 5
    assert verifier.calls == 2
    assert verifier.read == ["yes"] * 5 + ["yes yes yes yes yes"] * 5
    certify([never], (other := KeywordVerifier()), CalibratedDecider())
    assert len(other.read) <= 5


def test_a_claim_that_was_judged_by_its_parts_is_certified_by_its_parts() -> None:
    """A verifier that never looks at evidence cannot be flipped by leaving some of it out."""

    class Blind:
        def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
            refuted = {Label.SUPPORTS: 0.1, Label.REFUTES: 0.8, Label.NOT_ENOUGH_INFO: 0.1}
            held = {Label.SUPPORTS: 0.8, Label.REFUTES: 0.1, Label.NOT_ENOUGH_INFO: 0.1}
            return [Reading(refuted if claim.text == "K2 is green." else held) for claim in claims]

    claim = Claim("1", "K2 is a mountain and K2 is green.")
    texts = ("K2 is a mountain.", "K2 is tall.", "K2 is cold.")
    elements = [Element(ElementId("K2", Kind.SENTENCE, (n,)), text) for n, text in enumerate(texts)]
    decider = CalibratedDecider()
    (verdict,) = judge_evidence([claim], [Evidence.of(elements, ranked=True)], Blind(), decider)
    assert (verdict.label, len(verdict.certificate.parts)) == (Label.REFUTES, 2)
    (certified,) = certify([verdict], Blind(), decider)
    assert certified.certificate.flips == ()
    assert len(certified.certificate.smallest or ()) == 1


def test_the_pieces_that_are_enough_when_read_alone_are_named_as_the_reason() -> None:
    hits = [_sentence(0, "perhaps"), _sentence(1, "yes it is"), _sentence(2, "perhaps")]
    verdict = replace(
        _verdict(Label.SUPPORTS, *hits), reasoning=("taken together, 3 pieces speak for it, 60 %", "more")
    )
    (found,) = certify([verdict], KeywordVerifier(), CalibratedDecider())
    assert found.reasoning == ("“yes it is” (K2) speaks for it, over 99 %", "more")


def test_each_part_of_a_claim_has_the_evidence_that_settles_it() -> None:
    class Words:
        """Supports a claim where one piece says all of its words."""

        def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
            return [Reading(_likely(_says(claim, own))) for claim, own in zip(claims, evidence, strict=True)]

    def _says(claim: Claim, evidence: Evidence) -> bool:
        wanted = set(claim.text.rstrip(".").split())
        return any(wanted <= set(element.text.rstrip(".").split()) for element in evidence.elements)

    def _likely(supported: bool) -> dict[Label, float]:
        label = Label.SUPPORTS if supported else Label.NOT_ENOUGH_INFO
        return {each: 0.9 if each is label else 0.05 for each in Label}

    texts = ("K2 is cold.", "K2 is a mountain.", "K2 is green.", "K2 is far.", "K2 is old.", "K2 is new.")
    hits = [_sentence(number, text) for number, text in enumerate(texts)]
    evidence = Evidence(tuple(hits))
    claim = Claim("1", "K2 is a mountain and K2 is green.")
    (verdict,) = judge_evidence([claim], [evidence], Words(), CalibratedDecider())
    (found,) = certify([verdict], Words(), CalibratedDecider())
    assert [tuple(map(str, part.evidence)) for part in found.certificate.parts] == [
        ("K2_sentence_1",),
        ("K2_sentence_2",),
    ]
    assert found.label is Label.SUPPORTS
    assert set(_smallest(found.certificate)) == {"K2_sentence_1", "K2_sentence_2"}
    assert found.reasoning == ()
