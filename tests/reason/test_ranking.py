"""Which program is meant, and how sure that makes the claim."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.parsing.features import FeatureExtractor
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.parsing.ranking import CandidateRanking, RankingWeights, rank_candidates, supporting_candidates
from veritab.reason.programs.programs import And
from veritab.reason.tables import TypedTable
from veritab.schema import Table

TOWERS = Table.of(
    [
        ["Burj Khalifa", "828", "2010", "Dubai"],
        ["Merdeka 118", "679", "2023", "Kuala Lumpur"],
        ["Shanghai Tower", "632", "2015", "Shanghai"],
        ["Lotte World Tower", "555", "2017", "Seoul"],
        ["Taipei 101", "508", "2004", "Taipei"],
    ],
    header=["Building", "Height (m)", "Completed", "City"],
    title="Tall buildings",
)


def ranked(claim: str, table: Table = TOWERS, weights: RankingWeights | None = None) -> CandidateRanking:
    return rank_candidates(EntityLinks.of(ParsedClaim(claim), TypedTable.of(table)), weights)


@pytest.mark.parametrize(
    ("claim", "true"),
    [
        ("Burj Khalifa is the tallest building.", True),
        ("Taipei 101 is taller than Lotte World Tower.", False),
        ("Taipei 101 is older than Burj Khalifa.", True),
        ("Shanghai Tower was completed in 2015.", True),
        ("Shanghai Tower was completed in 2017.", False),
        ("Three buildings are more than 600 m tall.", True),
        ("All five buildings are taller than 600 m.", False),
        ("Merdeka 118 is the second tallest of the five buildings.", True),
        ("the tallest building is burj khalifa", True),
        ("taipei 101 was completed after shanghai tower", False),
    ],
)
def test_plain_claims_are_decided(claim: str, true: bool) -> None:
    found = ranked(claim)
    assert (found.true > 0.5) is true
    assert abs(found.true - 0.5) > 0.18


def test_probabilities_add_up_with_that_of_nothing() -> None:
    found = ranked("Taipei 101 is taller than Lotte World Tower.")
    assert 0 < sum(each.probability for each in found.candidates) <= 1 + 1e-9
    assert list(found.candidates) == sorted(found.candidates, key=lambda each: -each.probability)


def test_the_truth_of_a_program_never_speaks_against_itself() -> None:
    found = ranked("Three buildings are more than 600 m tall and not in Dubai.").candidates
    single = [each for each in found if each.candidate.template != "both"]
    assert {each.candidate.truth.holds for each in single} == {True, False}
    for each in single:
        assert (each.truth_given_program >= 0.5) is each.candidate.truth.holds


def test_what_gives_an_answer_its_reason_agrees_with_it() -> None:
    found = ranked("Burj Khalifa is the tallest building.")
    reasons = supporting_candidates(found, True)
    assert reasons
    assert all(each.truth_given_program > 0.5 for each in reasons)


def test_a_claim_of_two_clauses_is_as_true_as_the_less_true_one() -> None:
    found = ranked("Burj Khalifa is taller than Taipei 101 and was completed earlier than Taipei 101.")
    assert found.true < 0.5
    assert isinstance(found.candidates[0].candidate.program, And)


def test_without_weights_nothing_is_surer_than_anything_else() -> None:
    found = ranked("Burj Khalifa is the tallest building.", weights=RankingWeights({}, {}, 0.0))
    assert len({each.probability for each in found.candidates}) == 1


def test_features_of_a_program_do_not_know_its_truth() -> None:
    links = [
        EntityLinks.of(ParsedClaim(claim), TypedTable.of(TOWERS))
        for claim in ("Burj Khalifa was completed in 2010.", "Burj Khalifa was completed in 2023.")
    ]
    described = []
    for each in links:
        extractor = FeatureExtractor(each)
        lookups = [
            c
            for c in rank_candidates(each).candidates
            if c.candidate.template == "lookup" and len(c.candidate.conditions) == 2
        ]
        described.append(extractor.program_features(lookups[0].candidate))
    assert described[0] == described[1]


@pytest.mark.parametrize("claim", ["", " ", "?", "the", "1e400", "=SUM(A1:A9)", "a" * 100_000, "7 " * 50_000])
def test_an_odd_claim_is_never_surely_decided(claim: str) -> None:
    assert abs(ranked(claim).true - 0.5) < 0.18


@pytest.mark.parametrize(
    "table",
    [
        Table.of([]),
        Table.of([["x"]]),
        Table.of([], header=["Building", "Height"]),
        Table.of([["", ""], ["", ""]], header=["", ""]),
        Table.of([["1e400", "=1/0"], ["inf", "nan"]], header=["Height", "Building"]),
        Table.of([["Burj Khalifa " + "x" * 100_000]], header=["Building"]),
    ],
)
def test_an_odd_table_never_decides_a_claim(table: Table) -> None:
    assert ranked("Burj Khalifa is the tallest building, at 828 m.", table).true == pytest.approx(0.5, abs=0.01)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_ranked_by_probabilities_that_add_up(claim: str) -> None:
    found = ranked(claim)
    shares = [each.probability for each in found.candidates]
    assert shares == sorted(shares, reverse=True)
    assert all(share > 0 for share in shares)
    no_program_score = 1 - sum(shares)
    assert no_program_score >= -1e-9
    weighed = sum(each.probability * each.truth_given_program for each in found.candidates) + 0.5 * no_program_score
    assert found.true == pytest.approx(weighed)


def test_the_same_claim_gives_the_same_ranking() -> None:
    claim = "Three of the five buildings are more than 600 m tall."
    first, second = ranked(claim), ranked(claim)
    assert [each.candidate.program for each in first.candidates] == [
        each.candidate.program for each in second.candidates
    ]
    assert first.true == second.true


def test_a_claim_over_ten_thousand_rows_is_decided() -> None:
    rows = [
        [f"Tower {n}", str(n % 900), str(1900 + n % 120), f"City {n % 50}", "a", "b", str(n), "c"]
        for n in range(10_000)
    ]
    table = Table.of(rows, header=["Building", "Height (m)", "Completed", "City", "P", "Q", "Rank", "R"])
    assert ranked("Tower 899 is taller than Tower 12.", table).true > 0.9
    assert ranked("Tower 12 is taller than Tower 899.", table).true < 0.1
