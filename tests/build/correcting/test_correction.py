from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from tests.web.serving import without_models
from veritab.build.correcting.correction import EditSearch, JudgePairs, correct, correct_given, without_phrases
from veritab.build.correcting.edits import EditedClaim
from veritab.cancel import cancelled_by
from veritab.errors import Cancelled
from veritab.pipeline import Checker
from veritab.schema import Claim, CorrectionOutcome, Edit, Evidence, Hit, Label, Verdict, apply_edits
from veritab.verify.evidence import parse_evidence
from veritab.verify.judge import judge_many

GIVEN = "The bridge over the Moldau was opened in 1988 by Ana Lind."


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker.open(None, without_models()) as opened:
        yield opened


def supporting(*true: str, scores: dict[str, float] | None = None) -> tuple[JudgePairs, list[str]]:
    """Stands in for a checker: it supports some claims and refutes all others."""
    asked: list[str] = []

    def judge(pairs: Iterable[tuple[str | Claim, Evidence]]) -> list[Verdict]:
        verdicts = []
        for given, evidence in pairs:
            claim = given if isinstance(given, Claim) else Claim("", given)
            asked.append(claim.text)
            share = (scores or dict.fromkeys(true, 0.9)).get(claim.text, 0.05)
            by_label = {Label.SUPPORTS: share, Label.REFUTES: 0.95 - share, Label.NOT_ENOUGH_INFO: 0.05}
            hits = tuple(Hit(element, 1.0, "given") for element in evidence.elements)
            verdicts.append(Verdict(claim, max(by_label, key=by_label.__getitem__), by_label, hits))
        return verdicts

    return judge, asked


def test_the_edit_that_the_checker_supports_is_offered_with_what_says_it() -> None:
    judge, _ = supporting("The bridge was opened in 1988.")
    found = correct_given("The bridge was opened in 1990.", [GIVEN], judge)
    assert found.outcome is CorrectionOutcome.CORRECTED
    assert found.text == "The bridge was opened in 1988."
    assert [(edit.old, edit.new) for edit in found.edits] == [("1990", "1988")]
    assert [hit.element.text for hit in found.evidence] == [GIVEN]
    assert found.corrected is not None
    assert found.corrected.label is Label.SUPPORTS


def test_none_is_offered_rather_than_a_guess() -> None:
    judge, asked = supporting()
    found = correct_given("The bridge was opened in 1990.", [GIVEN], judge)
    assert (found.outcome, found.text, found.edits) == (CorrectionOutcome.NONE, "", ())
    assert found.tried == len(asked) - 1 > 0


def test_two_edits_of_one_place_that_seem_as_true_are_a_guess() -> None:
    evidence = "It was opened in 1988, and rebuilt in 1994."
    scores = {"It was opened in 1988.": 0.9, "It was opened in 1994.": 0.88}
    assert correct_given("It was opened in 1990.", [evidence], supporting(scores=scores)[0]).edits == ()
    scores["It was opened in 1994."] = 0.2
    assert correct_given("It was opened in 1990.", [evidence], supporting(scores=scores)[0]).edits


def test_two_edits_are_made_where_one_is_not_enough() -> None:
    judge, _ = supporting("It was opened in 1988 by Ana Lind.")
    found = correct_given("It was opened in 1990 by Per Holm.", [GIVEN], judge)
    assert [(edit.old, edit.new) for edit in found.edits] == [("1990", "1988"), ("Per Holm", "Ana Lind")]


def test_a_claim_that_holds_and_one_that_is_open_are_left_alone() -> None:
    judge, asked = supporting("The bridge was opened in 1988.")
    assert correct_given("The bridge was opened in 1988.", [GIVEN], judge).outcome is CorrectionOutcome.HOLDS
    assert len(asked) == 1
    found = correct_given("Unheard-of words.", [GIVEN], lambda pairs: judge_many(pairs, model=None))
    assert found.outcome is CorrectionOutcome.OPEN


def test_a_long_claim_asks_for_a_bounded_number_of_readings() -> None:
    evidence = " ".join(f"Name{n} Other{n} was opened in {1900 + n} with {n} seats." for n in range(40))
    judge, asked = supporting()
    correct_given("Alpha Beta opened in 1850 with 99 seats near Gamma Delta by Epsilon Zeta.", [evidence], judge)
    assert len(asked) <= 1 + 2 * 24


@pytest.mark.parametrize(
    ("claim", "corrected"),
    [
        ("K2 is taller than Mount Everest.", "K2 is shorter than Mount Everest."),
        ("The Danube is longer than the Nile.", "The Danube is shorter than the Nile."),
        ("Paris is the capital of Germany.", "Berlin is the capital of Germany."),
    ],
)
def test_what_was_computed_corrects_a_claim_about_the_corpus(checker: Checker, claim: str, corrected: str) -> None:
    found = correct(checker, claim)
    assert (found.outcome, found.text) == (CorrectionOutcome.CORRECTED, corrected)
    assert found.evidence


def test_a_corrected_claim_is_one_that_the_checker_supports_when_asked(checker: Checker) -> None:
    found = correct(checker, "K2 is taller than Mount Everest.")
    assert checker.check(found.text).label is Label.SUPPORTS


@pytest.mark.parametrize(
    ("new", "rest"),
    [
        ([("in", "1867", "1877")], ["Curie was born in Paris."]),
        ([("in", "Warsaw", "Paris"), ("in", "1867", "1877")], ["Curie was born in 1867.", "Curie was born in Warsaw."]),
    ],
)
def test_what_is_edited_is_taken_out_to_ask_about_the_rest(new: list[tuple[str, str, str]], rest: list[str]) -> None:
    claim = "Curie was born in Paris in 1877."
    kinds = {"1877": "date", "Paris": "name"}
    edits = tuple(Edit(claim.index(old), claim.index(old) + len(old), old, word, kinds[old]) for _, word, old in new)
    assert list(without_phrases(EditedClaim(apply_edits(claim, edits), edits, 0.0))) == rest


def test_a_claim_that_is_false_in_what_stays_is_not_corrected_by_half(checker: Checker) -> None:
    found = correct(checker, "Marie Curie was born in Paris in 1877.")
    assert found.verdict.label is Label.REFUTES
    assert found.text not in ("Marie Curie was born in Paris in 1867.", "Marie Curie was born in France in 1867.")


def test_what_was_computed_is_the_evidence_rather_than_what_says_the_same_word(checker: Checker) -> None:
    found = correct(checker, "Seven of the fifteen tallest buildings of 2024 stand in China.")
    assert found.text == "Eight of the fifteen tallest buildings of 2024 stand in China."
    assert {hit.by for hit in found.evidence} == {"reasoner"}


@pytest.mark.parametrize(("refuted", "offered"), [(0.9, "Bo Ek was a poet."), (0.5, "")])
def test_another_subject_is_offered_only_for_a_claim_that_is_clearly_refuted(refuted: float, offered: str) -> None:
    judge, _ = supporting("Bo Ek was a poet.")
    given = parse_evidence(["Bo Ek was a poet."])
    scores = {Label.SUPPORTS: 0.0, Label.REFUTES: refuted, Label.NOT_ENOUGH_INFO: 1 - refuted}
    hits = tuple(Hit(element, 1.0, "given") for element in given.elements)
    verdict = Verdict(Claim("", "Ana Lind was a poet."), Label.REFUTES, scores, hits)
    verdict = replace(verdict, certificate=replace(verdict.certificate, confidence=refuted))
    assert EditSearch(verdict, given, judge).run().text == offered


def test_two_names_are_exchanged_in_the_words_that_the_claim_was_read_in_as_well() -> None:
    judge, asked = supporting()
    given = parse_evidence(["The poet Bo Ek beat Ana Lind."])
    (verdict,) = judge([("The poet Ana Lind beat Bo Ek.", given)])
    verdict = replace(verdict, certificate=replace(verdict.certificate, read_as="Surely Ana Lind beat Bo Ek."))
    EditSearch(verdict, given, judge).run()
    assert "Surely Bo Ek beat Ana Lind." in asked


def test_other_edits_are_read_where_the_checker_refuses_the_best() -> None:
    claim, right = "It was opened by Cy Oh in 1990.", "It was opened by Ana Lind in 1990."
    judge, _ = supporting(scores={"It was opened by Cy Oh in 1988.": 0.94, right: 0.85})
    confirm, _ = supporting(right, "It was opened in 1990.")
    given = parse_evidence(["It was opened by Ana Lind in 1988."])
    (verdict,) = judge([(claim, given)])
    asked_for = replace(verdict, reasoning=("Opened: 1988, not 1990, so that is false",))
    assert EditSearch(asked_for, given, judge, lambda edited: confirm([(edited, given)])[0]).run().text == right


def test_correcting_ends_when_nobody_waits_any_longer(checker: Checker) -> None:
    called_off = threading.Event()
    called_off.set()
    with cancelled_by(called_off), pytest.raises(Cancelled):
        correct(checker, "K2 is taller than Mount Everest.")


def test_only_the_words_that_differ_are_shown_as_edited() -> None:
    judge, _ = supporting("It was opened on 4 May 1988.")
    found = correct_given("It was opened on 3 May 1988.", ["The bridge was opened on 4 May 1988."], judge)
    assert [(edit.start, edit.end, edit.old, edit.new) for edit in found.edits] == [(17, 18, "3", "4")]
    assert found.text == "It was opened on 4 May 1988."


def test_no_more_edits_are_read_than_could_be_better() -> None:
    text = "The bridge was opened in 1988 by Ana Lind, Bo Ek, Cy Oh, Di Ray, Ed Fox and Flo Hay."
    judge, asked = supporting("The bridge was opened in 1988 by Ana Lind.")
    found = correct_given("The bridge was opened in 1990 by Ana Lind.", [text], judge)
    assert found.text == "The bridge was opened in 1988 by Ana Lind."
    assert len(asked) - 1 == found.tried <= 4
