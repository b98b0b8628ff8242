"""`veritab.judge`, `judge_many` and `score`: the verdict on claims by evidence that is given."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import veritab
from tests.verify.tiny import make_reader
from veritab import Claim, ElementId, Evidence, Hit, Kind, Label, Page, Reading, Table, Verdict, VeritabError
from veritab.errors import InputError, NotFound
from veritab.models import shipped
from veritab.schema import COMPUTED, Computation, Reason, Sentence
from veritab.verify.decide import NO_EVIDENCE, NOT_A_STATEMENT, CalibratedDecider
from veritab.verify.judge import compute_answer, decider_for, judge_evidence, read_and_decide
from veritab.verify.model import ModelVerifier

judge = partial(veritab.judge, model=None)

ROWS = [["Mountain", "Height (m)"], ["Everest", "8,849"], ["K2", "8,611"]]
CLAIM = "K2 is higher than Everest."
TALL, OTHER = "K2 is 8,611 m high.", "Everest is 8,849 m high."
PAGE = Page("Peaks", (Sentence(0, "K2 is 8,611 m high, and Everest 8,849 m."),))
NOT_READ = {Label.SUPPORTS: 0.25, Label.REFUTES: 0.25, Label.NOT_ENOUGH_INFO: 0.5}
NOTHING_SAID = {Label.SUPPORTS: 0.05, Label.REFUTES: 0.05, Label.NOT_ENOUGH_INFO: 0.9}


class KeywordVerifier:
    """Supports where the evidence holds the word that ends the claim, else refutes; records the claims it reads."""

    def __init__(self) -> None:
        self.claims: list[str] = []
        self.evidence: list[Evidence] = []

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
        self.claims += [claim.text for claim in claims]
        self.evidence += evidence
        return [self._read(*each) for each in zip(claims, evidence, strict=True)]

    def _read(self, claim: Claim, evidence: Evidence) -> Reading:
        holds = claim.text.rstrip(".").split()[-1] in " ".join(element.text for element in evidence.elements)
        scores = {Label.SUPPORTS: 0.9, Label.REFUTES: 0.05} if holds else {Label.SUPPORTS: 0.05, Label.REFUTES: 0.9}
        return Reading({**scores, Label.NOT_ENOUGH_INFO: 0.05}, "keywords")


def ids(verdict: Verdict) -> set[str]:
    return {str(hit.element.id) for hit in verdict.evidence}


# -- by computing alone ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "evidence",
    [
        ROWS,
        [ROWS],
        (tuple(map(tuple, ROWS)),),
        {"table": {"header": ROWS[0], "rows": ROWS[1:], "caption": "Peaks"}},
        [{"table": {"rows": ROWS}}],
        [{"table": ROWS}],
        [{"title": "Peaks", "table": {"header": ROWS[0], "rows": [["Everest", 8849], ["K2", 8611]], "caption": None}}],
        Table.of(ROWS[1:], header=ROWS[0]),
        [Table.of(ROWS[1:], header=ROWS[0])],
        "K2 is 8,611 m high, and Everest 8,849 m.",
        [TALL, OTHER],
        [{"title": "Peaks", "text": f"{TALL} {OTHER}"}],
        PAGE,
        [PAGE.elements[1]],
        [Hit(PAGE.elements[1], 1.0, "test")],
        Evidence.of([PAGE.elements[1]]),
        iter([ROWS]),
        [{"title": "K2", "text": TALL}, {"title": "K2", "text": OTHER}],
        [{"title": "T", "table": ROWS[:2]}, Table.of(ROWS[2:], header=ROWS[0], title="T")],
    ],
)
def test_texts_rows_tables_pages_and_elements_are_all_evidence(evidence: Any) -> None:
    verdict = judge(CLAIM, evidence)
    assert verdict.label is Label.REFUTES
    assert "238 m less" in verdict.reasoning[0]
    assert verdict.evidence
    assert verdict.scores[Label.REFUTES] == max(verdict.scores.values())


def test_the_evidence_of_the_answer_is_the_cells_it_was_computed_from() -> None:
    verdict = judge(CLAIM, ROWS)
    assert {"Evidence_cell_0_1_1", "Evidence_cell_0_2_1"} <= ids(verdict)
    assert {hit.by for hit in verdict.evidence} == {COMPUTED}
    assert verdict.certificate.computed is Label.REFUTES
    assert verdict.claim == Claim("", CLAIM)
    assert judge(Claim("7", CLAIM), ROWS).claim.id == "7"


def test_pieces_of_evidence_never_share_an_address() -> None:
    one, other = Table.of(ROWS[1:2], header=ROWS[0]), Table.of(ROWS[2:], header=ROWS[0])
    assert {"Table_cell_0_1_1", "Table_cell_1_1_1"} <= ids(judge(CLAIM, [one, other]))
    assert ids(judge(CLAIM, [TALL, OTHER])) == {"Evidence_sentence_0", "Evidence_sentence_1"}
    pages = [Page("notes", (Sentence(0, text),)) for text in (TALL, OTHER)]
    assert ids(judge(CLAIM, pages)) == {"notes_sentence_0", "notes (2)_sentence_0"}


def test_a_title_names_what_a_text_is_about() -> None:
    text = "The census of 2011 counted 10,816 residents, and that of 2021 found 10,482."
    claim = "Greece had fewer residents in 2021 than in 2011."
    assert judge(claim, [{"title": "Greece", "text": text}]).label is Label.SUPPORTS
    assert judge(claim, [text]).label is Label.NOT_ENOUGH_INFO


def test_bullets_make_items() -> None:
    verdict = judge("The Nile is longer than the Danube.", "Rivers.\n* Nile: 6,650 km\n* Danube: 2,850 km\nThe end.")
    assert verdict.label is Label.SUPPORTS
    assert {hit.element.kind for hit in verdict.evidence} == {Kind.ITEM}


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ([], Reason.NO_EVIDENCE),
        (Evidence.of(), Reason.NO_EVIDENCE),
        ("Tea is hot.", Reason.OFF_TOPIC),
        ([["Tea", "Hot"], ["green", "yes"]], Reason.OFF_TOPIC),
    ],
)
def test_evidence_that_says_nothing_of_the_claim_is_not_enough(evidence: Any, reason: Reason) -> None:
    verdict = judge(CLAIM, evidence)
    assert (verdict.label, verdict.scores, verdict.evidence) == (Label.NOT_ENOUGH_INFO, NOTHING_SAID, ())
    assert verdict.certificate.unsettled is not None
    assert verdict.certificate.unsettled.reason is reason
    assert verdict.reasoning == (verdict.certificate.unsettled.text,)


@pytest.mark.parametrize("evidence", ["", [""], {"text": ""}, [[]], {"table": {"rows": []}}])
def test_an_empty_text_or_table_is_not_enough(evidence: Any) -> None:
    verdict = judge(CLAIM, evidence)
    assert (verdict.label, verdict.scores, verdict.evidence) == (Label.NOT_ENOUGH_INFO, NOTHING_SAID, ())
    assert verdict.certificate.unsettled


@pytest.mark.parametrize("claim", ["", "  ", "???", "\x00"])
def test_an_empty_claim_is_not_decided(claim: str) -> None:
    verdict = judge(claim, ROWS)
    assert (verdict.label, verdict.scores) == (Label.NOT_ENOUGH_INFO, NOT_READ)
    assert verdict.reasoning == ("the claim says nothing",)


def test_a_number_too_long_to_be_written_is_named_by_its_type() -> None:
    with pytest.raises(InputError, match="evidence is a list, not <int, too deep"):
        judge(CLAIM, 10**5000)  # type: ignore[arg-type]
    assert judge(CLAIM, [[ROWS[0], ["Everest", 10**5000], ["K2", 8611]]]).label is not Label.SUPPORTS


def test_a_claim_must_be_a_text() -> None:
    with pytest.raises(InputError, match="a claim is a text, not 3"):
        judge(3, ROWS)  # type: ignore[arg-type]


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20) | st.sampled_from([TALL[:-1], "8,849"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["text", "table", "rows", "header", "caption", "title"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(evidence=_JSON)
def test_any_json_is_judged_or_refused(evidence: Any) -> None:
    try:
        verdict = judge(CLAIM, evidence)
    except VeritabError:
        return
    assert sum(verdict.scores.values()) == pytest.approx(1)
    assert all(0 <= score <= 1 for score in verdict.scores.values())
    assert verdict.scores[verdict.label] == max(verdict.scores.values())


def test_where_nothing_can_be_computed_the_scores_say_so() -> None:
    verdict = judge("Tea is hot.", "Tea is a drink.")
    assert verdict.scores == {Label.SUPPORTS: 0.125, Label.REFUTES: 0.125, Label.NOT_ENOUGH_INFO: 0.75}
    assert (verdict.reasoning, verdict.evidence, verdict.certificate.computed) == ((), (), None)
    assert judge("Tea is hot.", []).scores == NOTHING_SAID


def test_the_same_evidence_gives_the_same_answer() -> None:
    assert judge(CLAIM, ROWS) == judge(CLAIM, ROWS)


def test_the_address_of_evidence_can_be_parsed() -> None:
    evidence = judge(CLAIM, ROWS).evidence
    assert evidence
    for hit in evidence:
        assert ElementId.parse(str(hit.element.id)) == hit.element.id


def test_what_is_computed_names_its_answer_its_cells_and_facts() -> None:
    table = Table.of(ROWS[1:], header=ROWS[0])
    found = compute_answer(CLAIM, Evidence.of((), [table]))
    assert (found.answer, found.label) == (False, Label.REFUTES)
    assert found.probability < 0.5 < found.confidence
    assert {cell.table for cell in found.cells} == {table.id}
    assert found.facts
    undecided = compute_answer("Tea is hot.", Evidence.of((), [table]))
    assert (undecided.answer, undecided.label) == (None, Label.NOT_ENOUGH_INFO)


# -- with a verifier ---------------------------------------------------------------------------------------


def test_only_claims_that_evidence_may_settle_are_read() -> None:
    verifier = KeywordVerifier()
    texts = [
        ("Tea is hot.", "Tea is hot."),
        ("Is tea hot?", "Tea is hot."),
        ("Tea is hot.", []),
        ("Tea is hot.", "K2."),
    ]
    verdicts = veritab.judge_many(texts, verifier=verifier)
    assert verifier.claims == ["Tea is hot."]
    assert [verdict.label for verdict in verdicts] == [Label.SUPPORTS, *[Label.NOT_ENOUGH_INFO] * 3]
    assert [verdict.certificate.unsettled for verdict in verdicts[:3]] == [None, NOT_A_STATEMENT, NO_EVIDENCE]
    assert [verdict.scores for verdict in verdicts[1:]] == [NOT_READ, NOTHING_SAID, NOTHING_SAID]


def test_verdicts_come_in_the_order_of_the_claims() -> None:
    claims = [Claim("a", "Tea is cold."), Claim("b", ""), Claim("c", "Tea is hot.")]
    verdicts = veritab.judge_many([(claim, "Tea is hot.") for claim in claims], verifier=KeywordVerifier())
    assert [verdict.claim for verdict in verdicts] == claims
    assert [verdict.label for verdict in verdicts] == [Label.REFUTES, Label.NOT_ENOUGH_INFO, Label.SUPPORTS]


def test_the_parts_of_a_claim_are_read_with_the_evidence_for_the_whole_in_one_call() -> None:
    verifier, text = KeywordVerifier(), "Alan Turing was born in London and died in Paris."
    evidence = Evidence.of(Page("Alan Turing", (Sentence(0, "He was born in London."),)).elements)
    (verdict,) = judge_evidence([Claim("", text)], [evidence], verifier, CalibratedDecider())
    assert verifier.claims[0] == text
    assert len(verifier.claims) == 3
    assert all(each.elements == evidence.elements for each in verifier.evidence)
    assert [part.label for part in verdict.certificate.parts] == [Label.SUPPORTS, Label.REFUTES]
    assert verdict.label is Label.REFUTES
    assert verdict.claim.text == text
    (whole,) = judge_evidence([Claim("", text)], [evidence], verifier, CalibratedDecider(), parts=False)
    assert whole.certificate.parts == ()


def test_nothing_is_computed_unless_it_is_wanted() -> None:
    evidence = Evidence.of((), [Table.of(ROWS[1:], header=ROWS[0])])
    for compute in (False, True):
        verifier = KeywordVerifier()
        read_and_decide([Claim("", CLAIM)], [evidence], verifier, CalibratedDecider(), compute=compute)
        (read,) = verifier.evidence
        assert isinstance(read.computation, Computation) is compute


def test_a_decider_may_be_given() -> None:
    verifier = KeywordVerifier()
    decider = decider_for(verifier, ways=2)
    found = veritab.judge("Tea is hot.", "Tea is hot.", verifier=verifier, decider=decider)
    assert found.scores[Label.NOT_ENOUGH_INFO] == 0


def test_certificates_are_worked_out_where_they_are_wanted() -> None:
    pairs = [("Tea is hot.", ["Tea is a drink.", "Tea is hot."])]
    (plain,) = veritab.judge_many(pairs, verifier=KeywordVerifier())
    (certified,) = veritab.judge_many(pairs, verifier=KeywordVerifier(), certificate=True)
    assert plain.certificate.smallest is None
    assert certified.certificate.smallest is not None
    assert (certified.label, certified.scores) == (plain.label, plain.scores)


def test_score_gives_one_label_and_one_probability_for_each_document() -> None:
    found = veritab.score(["Tea is hot.", "Tea is warm.", ""], ["Tea is hot."] * 3, verifier=KeywordVerifier())
    assert found.labels == [1, 0, 0]
    assert found.probabilities == pytest.approx([0.9, 0.05, 0.05])


@pytest.mark.parametrize(
    ("docs", "claims", "message"),
    [
        ("Tea.", ["Tea is hot."], "docs is a list, one entry for each claim, not 'Tea.'"),
        (["Tea."], "Tea is hot.", "claims is a list, one entry for each claim, not 'Tea is hot.'"),
        (["Tea."], [], "1 docs and 0 claims do not pair up; give as many of each"),
    ],
)
def test_documents_and_claims_that_do_not_pair_up_are_refused(docs: Any, claims: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        veritab.score(docs, claims, verifier=KeywordVerifier())


def test_score_reads_a_long_document_to_its_end(tmp_path: Path) -> None:
    filler = " ".join(f"Tea is hot, people say, number {n}." for n in range(200))
    folder = make_reader(tmp_path / "model")
    found = veritab.score([f"{filler} Certainly yes. {filler}", filler], ["Tea is hot."] * 2, model=folder)
    assert found.labels == [1, 0]


# -- with a model ------------------------------------------------------------------------------------------


def test_a_model_reads_text_that_nothing_can_be_computed_from(tmp_path: Path) -> None:
    folder = make_reader(tmp_path / "model")
    assert judge("Tea is hot.", "Tea is hot, yes.").label is Label.NOT_ENOUGH_INFO
    found = veritab.judge("Tea is hot.", "Tea is hot, yes.", model=folder)
    assert found.label is Label.SUPPORTS
    assert [str(hit.element.id) for hit in found.evidence] == ["Evidence_sentence_0"]
    assert found == veritab.judge("Tea is hot.", "Tea is hot, yes.", verifier=ModelVerifier.open(folder))
    assert veritab.judge("Tea is hot.", "Tea is hot, no.", model=folder).label is Label.REFUTES


def test_a_computation_votes_with_the_model(tmp_path: Path) -> None:
    found = veritab.judge(CLAIM, ROWS, model=make_reader(tmp_path / "model"))
    assert {"Evidence_cell_0_1_1", "Evidence_cell_0_2_1"} <= ids(found)
    assert COMPUTED in {hit.by for hit in found.evidence}
    assert found.scores[Label.REFUTES] > found.scores[Label.SUPPORTS]
    assert found.certificate.facts


def test_a_model_that_is_named_is_never_silently_left_out() -> None:
    if "verdict" in shipped():
        assert veritab.judge(CLAIM, ROWS, model="verdict").certificate.model
    else:
        with pytest.raises(NotFound, match="'verdict' did not come with this installation"):
            veritab.judge(CLAIM, ROWS, model="verdict")


@pytest.mark.parametrize(
    "scores",
    [
        {Label.SUPPORTS: float("nan"), Label.REFUTES: 0.4, Label.NOT_ENOUGH_INFO: 0.1},
        {Label.SUPPORTS: -0.5, Label.REFUTES: 1.0, Label.NOT_ENOUGH_INFO: 0.5},
        {Label.SUPPORTS: 0.0, Label.REFUTES: 0.0, Label.NOT_ENOUGH_INFO: 0.0},
        {Label.SUPPORTS: 1.0},
    ],
)
def test_scores_of_a_verifier_that_are_not_probabilities_are_refused(scores: dict[Label, float]) -> None:
    class Wrong:
        def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
            return [Reading(scores) for _ in claims]

    with pytest.raises(InputError, match="Wrong gave the scores"):
        veritab.judge("Tea is hot.", "Tea is hot.", verifier=Wrong())


def test_a_verifier_that_passes_over_a_claim_is_refused_and_scores_are_made_to_sum_to_one() -> None:
    class Short:
        def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
            return []

    class Large:
        def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
            return [Reading({Label.SUPPORTS: 6.0, Label.REFUTES: 3.0, Label.NOT_ENOUGH_INFO: 1.0}) for _ in claims]

    with pytest.raises(InputError, match="Short gave 0 readings for 1 claims"):
        veritab.judge("Tea is hot.", "Tea is hot.", verifier=Short())
    verdict = veritab.judge("Tea is hot.", "Tea is hot.", verifier=Large())
    assert verdict.confidence == pytest.approx(0.6)
    assert not verdict.certificate.calibrated
    assert [str(hit.element.id) for hit in verdict.evidence] == ["Evidence_sentence_0"]


def test_items_of_a_list_are_evidence() -> None:
    verdict = judge(CLAIM, "High mountains:\n- Everest: 8,849 m\n- K2: 8,611 m\n")
    assert verdict.label is Label.REFUTES
    assert verdict.evidence
