"""Deciding: what evidence cannot settle, how computing and reading combine, and how the parts of a claim do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import veritab
from veritab.errors import InputError
from veritab.pipeline import Pipeline
from veritab.schema import (
    COMPUTED,
    Certificate,
    Claim,
    Computation,
    Element,
    ElementId,
    Evidence,
    Hit,
    Kind,
    Label,
    ModelUse,
    Page,
    Reading,
    Reason,
    Sentence,
    Table,
    TableBlock,
    Uncertainty,
    Unsettled,
    Verdict,
)
from veritab.verify.calibrate import Calibration, NotEnough, Ways, best_label
from veritab.verify.combine import Combiner, Combiners
from veritab.verify.decide import (
    CLOSE,
    EMPTY_CLAIM,
    NO_EVIDENCE,
    NO_WORDS,
    NOT_A_STATEMENT,
    NOTHING_FOUND,
    CalibratedDecider,
    combine_parts,
    computed_scores,
    find_missing,
    find_uncertainty,
    find_unsettled,
    require_subject,
)
from veritab.verify.judge import ComputingVerifier, decider_for
from veritab.verify.language import OTHER_SCRIPT
from veritab.verify.model import NO_SCORES, NOTHING_TO_READ

S, R, N = Label
CLAIM = Claim("1", "K2 is a mountain in Asia.")
NOT_READ = {S: 0.25, R: 0.25, N: 0.5}
NOTHING_SAID = {S: 0.05, R: 0.05, N: 0.9}
UNDECIDED = {S: 0.4, R: 0.4, N: 0.2}
ROWS = [["Everest", "8,849"], ["K2", "8,611"]]

_SHARE = st.floats(0, 1)
_PROBABILITIES = (
    st.tuples(_SHARE, _SHARE, _SHARE)
    .filter(lambda shares: sum(shares) > 1e-3)
    .map(lambda shares: {label: share / sum(shares) for label, share in zip(Label, shares, strict=True)})
)
_COMPUTATIONS = st.none() | st.builds(
    lambda answer, probability: Computation(answer, probability), st.sampled_from([True, False, None]), _SHARE
)


def sentence(text: str, title: str = "K2", number: int = 0) -> Element:
    return Element(ElementId(title, Kind.SENTENCE, (number,)), text)


def given_text(*texts: str, title: str = "K2", computation: Computation | None = None) -> Evidence:
    evidence = Evidence.of(sentence(text, title, number) for number, text in enumerate(texts))
    return replace(evidence, computation=computation)


def decide(reading: Reading, evidence: Evidence | None = None, claim: Claim = CLAIM, **options: Any) -> Verdict:
    (verdict,) = CalibratedDecider(**options).decide([claim], [evidence or given_text("K2 is high.")], [reading])
    return verdict


def likely(label: Label, probability: float = 0.8) -> dict[Label, float]:
    return {each: probability if each is label else (1 - probability) / 2 for each in Label}


def check_scores(verdict: Verdict) -> None:
    """The label has the highest score, no score is negative, and they sum to one."""
    assert set(verdict.scores) == set(Label)
    assert verdict.scores[verdict.label] == max(verdict.scores.values())
    assert min(verdict.scores.values()) >= 0
    assert sum(verdict.scores.values()) == pytest.approx(1)
    assert verdict.certificate.confidence == verdict.confidence


# -- what evidence cannot settle ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "evidence", "unsettled"),
    [
        ("", given_text("K2 is high."), EMPTY_CLAIM),
        (" …?! ", given_text("K2 is high."), EMPTY_CLAIM),
        ("Is K2 a high mountain?", given_text("K2 is high."), NOT_A_STATEMENT),
        ("K2", given_text("K2 is high."), NOT_A_STATEMENT),
        ("8611", given_text("K2 is high."), NOT_A_STATEMENT),
        ("K2 is high.", Evidence(), NOTHING_FOUND),
        ("K2 is high.", Evidence.of(), NO_EVIDENCE),
        (
            "Jane Doe climbed it.",
            given_text("K2 is high."),
            Unsettled(Reason.OFF_TOPIC, "nothing in the evidence mentions Jane Doe climbed"),
        ),
    ],
)
def test_what_evidence_cannot_settle_is_seen_before_it_is_read(
    claim: str, evidence: Evidence, unsettled: Unsettled
) -> None:
    assert find_unsettled(Claim("", claim), evidence) == unsettled


def test_a_statement_and_evidence_that_share_a_word_may_be_settled() -> None:
    assert find_unsettled(CLAIM, given_text("The mountains are high.", title="Everest")) is None
    assert find_unsettled(CLAIM, given_text("It is high.", title="K2")) is None
    assert find_unsettled(CLAIM, Evidence(background=(Hit(sentence("It is high."), 0.1, "selector"),))) is None


def test_the_cells_of_tables_that_a_caller_gives_are_evidence_and_of_retrieved_ones_only_the_hits() -> None:
    table = Table.of(ROWS, header=["Mountain", "Height"], title="Peaks")
    claim = Claim("", "K2 stands.")
    assert find_unsettled(claim, Evidence.of((), [table])) is None
    cell = Hit(table.element(ElementId("Peaks", Kind.CELL, (0, 1, 0))), 1.0, "selector")
    unsettled = find_unsettled(claim, Evidence((cell,), (table,)))
    assert unsettled is not None
    assert unsettled.reason is Reason.OFF_TOPIC


@pytest.mark.parametrize(
    ("unsettled", "scores"),
    [
        *((each, NOT_READ) for each in (EMPTY_CLAIM, NOT_A_STATEMENT, NO_WORDS, NO_SCORES, OTHER_SCRIPT)),
        *((each, NOTHING_SAID) for each in (NO_EVIDENCE, NOTHING_FOUND, NOTHING_TO_READ)),
    ],
)
@pytest.mark.parametrize("ways", [2, 3])
def test_a_claim_that_is_not_settled_is_not_enough_info_and_its_verdict_says_why(
    unsettled: Unsettled, scores: dict[Label, float], ways: Ways
) -> None:
    verdict = decide(Reading(unsettled=unsettled, lines=("more",)), ways=ways)
    assert (verdict.label, verdict.scores) == (N, scores)
    assert verdict.reasoning == (unsettled.text, "more")
    assert verdict.certificate.unsettled == unsettled
    assert verdict.uncertainty is None
    check_scores(verdict)


def test_words_that_occur_nowhere_in_the_evidence_are_missing() -> None:
    evidence = ["The mountains of Pakistan are high.", "K2"]
    assert find_missing("K2 is the mountain of Jane Doe in Pakistan.", evidence) == ("Jane Doe",)
    assert find_missing("K2 is high.", evidence) == ()
    assert find_missing("K2 is 8,611 m high.", []) == ("K2", "8,611 m high")


def test_a_verdict_names_missing_words_where_there_is_not_enough_info_only() -> None:
    evidence = given_text("K2 is high.")
    assert decide(Reading(likely(N)), evidence).certificate.missing == ("mountain", "Asia")
    assert decide(Reading(likely(R)), evidence).certificate.missing is None


# -- the subject of a claim --------------------------------------------------------------------------------


def supported(label: Label = S, *hits: Hit) -> Verdict:
    claim = Claim("1", "Jane Doe climbed a mountain in 1954.")
    return Verdict(claim, label, {**likely(label, 0.7), R: 0.15 if label is not R else 0.7}, hits, ("read",))


def test_support_by_evidence_that_never_names_the_subject_is_not_enough_info() -> None:
    verdict = require_subject(supported(), given_text("The mountain was climbed in 1954."))
    unsettled = Unsettled(Reason.SUBJECT_NOT_NAMED, "nothing in the evidence mentions Jane Doe")
    assert verdict.label is N
    assert verdict.scores == pytest.approx({S: 0.0, R: 0.15, N: 0.85})
    assert verdict.certificate.unsettled == unsettled
    assert verdict.reasoning == (unsettled.text, "read")


def test_evidence_names_the_subject_by_any_of_its_words_in_a_text_or_a_title() -> None:
    for evidence in (given_text("Doe climbed it."), given_text("She climbed it.", title="Jane Doe")):
        assert require_subject(supported(), evidence) == supported()


def test_cells_that_were_computed_with_may_name_the_subject() -> None:
    cell = Element(ElementId("Climbers", Kind.CELL, (0, 1, 0)), "Jane Doe")
    evidence = given_text("The mountain was climbed in 1954.")
    computed, read = supported(S, Hit(cell, 0.9, COMPUTED)), supported(S, Hit(cell, 0.9, "selector"))
    assert require_subject(computed, evidence) == computed
    assert require_subject(read, evidence).label is N


def test_only_support_needs_the_subject_and_only_claims_that_begin_with_a_name_have_one() -> None:
    evidence = given_text("The mountain was climbed in 1954.")
    for label in (R, N):
        assert require_subject(supported(label), evidence) == supported(label)
    unnamed = replace(supported(), claim=Claim("", "The mountain was climbed in 1954."))
    assert require_subject(unnamed, evidence) == unnamed


def test_the_decider_requires_the_subject() -> None:
    claim, evidence = supported().claim, given_text("The mountain was climbed in 1954.")
    verdict = decide(Reading(likely(S)), evidence, claim)
    assert verdict.label is N
    assert verdict.certificate.missing == ("Jane Doe",)
    check_scores(verdict)


# -- computing and reading ---------------------------------------------------------------------------------


def test_what_was_computed_decides_whatever_was_read() -> None:
    for answer, label in ((True, S), (False, R)):
        evidence = given_text("K2 is high.", computation=Computation(answer, 0.95 if answer else 0.05, ("computed",)))
        for read in Label:
            verdict = decide(Reading(likely(read, 0.99), lines=("read",)), evidence)
            assert verdict.label is label
            assert verdict.scores[label] == pytest.approx(0.95)
            # Who reads the verdict is told of the reading where it contradicts the computation.
            assert verdict.reasoning == (("computed", "read") if read not in (label, N) else ("computed",))
            assert verdict.uncertain is (read not in (label, N))  # too little to tell contradicts nothing


def test_a_computation_that_does_not_decide_leaves_the_scores_to_what_was_read() -> None:
    verdict = decide(Reading(UNDECIDED), given_text("K2 is high.", computation=Computation(None, 0.6)))
    assert verdict.scores == pytest.approx(UNDECIDED)
    assert verdict.certificate.computed is None


def test_a_combiner_weighs_what_was_read() -> None:
    weights = {S: {"reader supports": 2.0}, R: {"reader refutes": 1.0}, N: {"words missing": 20.0, "bias": -5.0}}
    combiner = Combiner(weights)
    evidence, missing = given_text("K2 is high."), given_text("It is in Asia.", title="K2")
    found = decide(
        Reading(likely(S), text="K2 is a mountain in Asia."), evidence, combiners=Combiners(combiner, combiner)
    )
    assert found.label is S
    check_scores(found)
    silent = decide(Reading(likely(S), text="It is."), missing, combiners=Combiners(combiner, combiner))
    assert silent.label is N
    check_scores(silent)


def test_a_computation_alone_gives_scores_by_its_confidence() -> None:
    assert computed_scores(Computation(True, 0.9)) == pytest.approx({S: 0.9, R: 0.05, N: 0.05})
    assert computed_scores(Computation(None, 0.5)) == pytest.approx({S: 0.125, R: 0.125, N: 0.75})
    assert decide(Reading(), given_text("K2 is high.", computation=Computation(False, 0.1))).label is R


def test_a_computation_has_no_vote_where_that_is_switched_off() -> None:
    evidence = given_text("K2 is high.", computation=Computation(False, 0.01, ("computed",)))
    with_vote, without = (decide(Reading(UNDECIDED, lines=("read",)), evidence, vote=vote) for vote in (True, False))
    assert (with_vote.label, with_vote.certificate.computed) == (R, R)
    assert with_vote.reasoning == ("computed", "read")
    assert without.scores == pytest.approx(UNDECIDED)
    assert without.certificate.computed is None
    assert without.reasoning == ("read",)


def test_a_computation_decides_where_the_claim_is_in_another_script_and_nowhere_else() -> None:
    evidence = given_text("K2 is high.", computation=Computation(False, 0.1, ("computed",)))
    verdict = decide(Reading(unsettled=OTHER_SCRIPT), evidence)
    assert (verdict.label, verdict.certificate.unsettled) == (R, None)
    assert verdict.reasoning == ("computed", OTHER_SCRIPT.text)
    assert decide(Reading(unsettled=NO_SCORES), evidence).scores == NOT_READ


@given(
    _PROBABILITIES,
    _COMPUTATIONS,
    st.tuples(*[st.floats(1e-3, 1)] * 3),
    st.floats(-0.99, 0.99),
    _SHARE,
    st.sampled_from([2, 3]),
    st.sampled_from(["excluded", "merged"]),
    st.sampled_from(["K2", "Elsewhere"]),
)
def test_the_label_of_any_verdict_has_the_highest_score_and_scores_sum_to_one(
    probabilities: dict[Label, float],
    computation: Computation | None,
    thresholds: tuple[float, float, float],
    gamma: float,
    abstain: float,
    ways: Ways,
    nei: NotEnough,
    title: str,
) -> None:
    calibration = Calibration(thresholds=thresholds, gamma=gamma, nei=nei, abstain=abstain)
    evidence = given_text("The mountain is in Asia.", title=title, computation=computation)
    for reading in (Reading(probabilities), Reading(), Reading(unsettled=OTHER_SCRIPT)):
        check_scores(decide(reading, evidence, calibration=calibration, ways=ways))


def test_abstention_shows_in_the_scores() -> None:
    verdict = decide(Reading(likely(S, 0.7)), calibration=Calibration(abstain=0.9))
    assert verdict.label is N
    assert verdict.scores[S] < verdict.scores[N]
    check_scores(verdict)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"ways": 4}, "ways is 4; expected 2 or 3"), ({"nei": "lost"}, "nei is 'lost'; expected 'excluded' or 'merged'")],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CalibratedDecider(**options)


# -- what a verdict shows ----------------------------------------------------------------------------------


def test_retrieved_evidence_is_shown_with_what_was_computed_first_then_what_was_read_then_the_rest() -> None:
    table = Page("Peaks", (TableBlock(0, Table.of(ROWS).rows),)).tables[0]
    cell = ElementId("Peaks", Kind.CELL, (0, 1, 1))
    hits = [Hit(sentence(f"K2, {n}.", number=n), 1 - n / 10, "selector") for n in range(4)]
    computation = Computation(True, 0.9, ("computed",), (cell,))
    evidence = Evidence(tuple(hits[:3]), (table,), tuple(hits[3:]), computation=computation)
    reading = Reading(likely(S), "reader", used=(hits[1].element.id,))
    shown = decide(reading, evidence).evidence
    assert [(str(hit.element.id), hit.by) for hit in shown] == [
        ("Peaks_cell_0_1_1", COMPUTED),
        ("K2_sentence_1", "selector"),
        ("K2_sentence_0", "selector"),
        ("K2_sentence_2", "selector"),
        ("K2_sentence_3", "selector"),
    ]
    few = decide(reading, evidence, sentences=1, cells=0).evidence
    assert [str(hit.element.id) for hit in few] == ["K2_sentence_1"]


def test_of_given_evidence_only_what_was_computed_with_or_read_is_shown() -> None:
    evidence = given_text("K2 is high.", "K2 is in Asia.", "K2 is cold.")
    first, second, _ = (element.id for element in evidence.elements)
    computed = replace(evidence, computation=Computation(True, 0.9, (), (second,)))
    verdict = decide(Reading(likely(S), "reader", used=(first, second)), computed)
    assert [(hit.element.id, hit.by) for hit in verdict.evidence] == [(second, COMPUTED), (first, "reader")]
    assert [hit.score for hit in verdict.evidence] == [0.9, verdict.confidence]


# -- uncertainty -------------------------------------------------------------------------------------------


def test_close_scores_are_uncertain() -> None:
    assert find_uncertainty({S: 0.45, R: 0.4, N: 0.15}) is Uncertainty.CLOSE_SCORES
    assert find_uncertainty({S: 0.5, R: 0.5 - 2 * CLOSE, N: 2 * CLOSE}) is None
    assert find_uncertainty(NOT_READ) is None


def test_a_computation_and_a_reading_that_disagree_are_uncertain_however_far_apart_the_scores_are() -> None:
    assert find_uncertainty(NOTHING_SAID, disagrees=True) is Uncertainty.DISAGREEMENT
    evidence = given_text("K2 is high.", computation=Computation(False, 0.2, ("computed",)))
    against, alike = (decide(Reading(likely(label, 0.98)), evidence) for label in (S, R))
    assert against.label is R
    assert against.uncertainty is Uncertainty.DISAGREEMENT
    assert against.reasoning[0] == "computed"
    assert (alike.uncertainty, alike.uncertain) == (None, False)


def test_a_computation_that_does_not_decide_disagrees_with_nothing() -> None:
    evidence = given_text("K2 is high.", computation=Computation(None, 0.2))
    assert decide(Reading(likely(S, 0.98)), evidence).uncertainty is None
    assert decide(Reading(UNDECIDED), evidence).uncertainty is Uncertainty.CLOSE_SCORES


# -- the parts of a claim ----------------------------------------------------------------------------------


def part(label: Label, probability: float = 0.8, **certificate: Any) -> Verdict:
    claim = Claim("1", f"The part is {label}.")
    full = Certificate(**{"by": "reader", "model": ModelUse("m"), **certificate})
    return Verdict(claim, label, likely(label, probability), (), (f"because {label}",), full)


@pytest.mark.parametrize(
    ("labels", "whole"),
    [((S, S), S), ((S, R), R), ((R, N), R), ((S, N), N), ((N, N), N), ((S, S, R), R)],
)
def test_all_parts_must_hold_for_support_and_one_refuted_part_refutes_the_claim(
    labels: tuple[Label, ...], whole: Label
) -> None:
    found = combine_parts(part(S), [part(label) for label in labels])
    assert found.label is whole
    check_scores(found)


@given(_PROBABILITIES, st.lists(_PROBABILITIES, min_size=1, max_size=5))
def test_the_label_of_a_claim_of_parts_has_the_highest_score_and_scores_sum_to_one(
    whole: dict[Label, float], parts: list[dict[Label, float]]
) -> None:
    verdicts = [Verdict(CLAIM, best_label(scores), scores) for scores in (whole, *parts)]
    found = combine_parts(verdicts[0], verdicts[1:])
    check_scores(found)
    assert found.label is best_label(found.scores)
    total = max(1.0, min(scores[S] for scores in parts) + max(scores[R] for scores in parts))
    assert found.scores[S] == pytest.approx(min(scores[S] for scores in parts) / total)
    assert found.scores[R] == pytest.approx(max(scores[R] for scores in parts) / total)


def test_the_weight_of_parts_mixes_them_with_the_whole_claim() -> None:
    whole, parts = part(S), [part(S), part(R)]
    assert combine_parts(whole, parts, 0.0).scores == pytest.approx(whole.scores)
    assert combine_parts(whole, parts, 1.0).label is R
    half = combine_parts(whole, parts, 0.5)
    assert whole.scores[R] < half.scores[R] < combine_parts(whole, parts, 1.0).scores[R]
    check_scores(half)


def test_what_was_computed_of_the_whole_claim_or_against_a_part_decides() -> None:
    computed = part(S)
    computed = replace(computed, certificate=replace(computed.certificate, computed=S))
    assert combine_parts(computed, [part(S), part(R)], 1.0).label is S
    refuted = part(R)
    refuted = replace(refuted, certificate=replace(refuted.certificate, computed=R))
    assert combine_parts(part(S), [part(S), refuted], 0.0).label is R
    assert combine_parts(computed, [part(S), refuted], 0.0).label is R


def test_the_certificate_names_the_part_that_failed() -> None:
    found = combine_parts(part(S), [part(S), part(R)])
    assert [each.label for each in found.certificate.parts] == [S, R]
    assert found.certificate.parts[1].text == "The part is REFUTES."
    assert found.certificate.parts[1].scores == likely(R)
    assert found.certificate.model == ModelUse("m")
    assert found.reasoning == ("The part is SUPPORTS: because SUPPORTS", "The part is REFUTES: because REFUTES")
    assert found.claim == part(S).claim


def test_a_part_whose_answer_could_not_be_parsed_is_marked() -> None:
    unparsed = Unsettled(Reason.UNPARSED_ANSWER, "it is not one JSON object")
    unread = part(N, by="llm", unsettled=unparsed, model=ModelUse("m", answer="Hm."))
    found = combine_parts(part(S), [part(S), unread])
    first, second = found.certificate.parts
    assert (first.unsettled, first.answer) == (None, "")
    assert (second.unsettled, second.answer) == (unparsed, "Hm.")


def test_missing_words_and_reasons_of_the_whole_are_kept_only_where_the_parts_are_not_enough_info() -> None:
    whole = part(N, unsettled=NO_SCORES, missing=("Asia",))
    settled = combine_parts(whole, [part(S), part(S)]).certificate
    assert (settled.unsettled, settled.missing) == (None, None)
    assert combine_parts(whole, [part(S), part(N)]).certificate.missing == ("Asia",)


def test_a_claim_is_uncertain_where_its_scores_are_close_or_a_part_disagrees() -> None:
    disagreeing = replace(part(S, 0.98), uncertainty=Uncertainty.DISAGREEMENT)
    assert combine_parts(part(S), [part(S, 0.98), part(S, 0.98)]).uncertainty is None
    assert combine_parts(part(S), [part(S, 0.98), disagreeing]).uncertainty is Uncertainty.DISAGREEMENT
    assert combine_parts(part(S), [part(S), part(R, 0.35)]).uncertainty is Uncertainty.CLOSE_SCORES


# -- one path ----------------------------------------------------------------------------------------------


class FixedVerifier:
    """Says the same of every claim."""

    def __init__(self, scores: dict[Label, float]) -> None:
        self._scores = scores

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
        return [Reading(self._scores, "fixed", tuple(element.id for element in each.elements)) for each in evidence]


class FixedRetriever:
    """Finds the same hits for every claim, and gathers them into the same evidence."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        return [list(self._evidence.hits)] * len(claims)

    def gather(self, claim: Claim, hits: Sequence[Hit]) -> Evidence:
        return self._evidence


_PAGE = Page("Peaks", (Sentence(0, "K2 is a high mountain."), TableBlock(0, Table.of(ROWS).rows)))
_HITS = tuple(Hit(element, 0.9, "selector") for element in _PAGE.elements if element.kind is Kind.SENTENCE)
_TABLES = _PAGE.tables


@pytest.mark.parametrize("verifier", [FixedVerifier(likely(S)), FixedVerifier(UNDECIDED), ComputingVerifier()])
@pytest.mark.parametrize(
    "evidence",
    [
        Evidence(),
        Evidence.of(),
        Evidence(_HITS, tuple(_TABLES)),
        Evidence(tables=tuple(_TABLES), background=_HITS),
        Evidence.of((hit.element for hit in _HITS), _TABLES),
    ],
    ids=["nothing found", "nothing given", "retrieved", "background", "given"],
)
@pytest.mark.parametrize(
    "text",
    [
        "K2 is higher than Everest.",
        "K2 is a high mountain and Everest is a lake.",
        "Jane Doe climbed a high mountain.",
        "Tea is hot.",
        "Is K2 high?",
        "",
    ],
)
def test_judge_and_the_pipeline_give_the_same_verdict_for_the_same_evidence(
    verifier: veritab.Verifier, evidence: Evidence, text: str
) -> None:
    decider, claim = decider_for(verifier), Claim("7", text)
    source = FixedRetriever(evidence)
    pipeline = Pipeline(source, (), source, verifier, decider)
    judged = veritab.judge(claim, evidence, verifier=verifier, decider=decider)
    (piped,) = pipeline.judge([claim], [evidence])
    (run,) = pipeline.run([claim])
    check_scores(judged)
    assert piped == judged
    assert replace(run, certificate=replace(run.certificate, searched=None)) == judged
