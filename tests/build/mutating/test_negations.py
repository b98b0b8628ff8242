"""Denials by rule: each word that denies, whether it denies everything, and where there is none."""

from __future__ import annotations

import pytest

from veritab.build.mutating.negations import denials, why_none

pytest.importorskip("lemminflect", reason="needs the extra build")


@pytest.mark.parametrize(
    ("claim", "by", "denied", "whole"),
    [
        ("Cairo is the capital of Egypt.", "not", "Cairo is not the capital of Egypt.", True),
        ("K2 is lower than Everest.", "not", "K2 is not lower than Everest.", True),
        ("Pluto was discovered in 1930.", "not", "Pluto was not discovered in 1930.", True),
        ("Marie Curie won a Nobel Prize.", "not", "Marie Curie did not win a Nobel Prize.", True),
        ("Marie Curie won a Nobel Prize.", "never", "Marie Curie never won a Nobel Prize.", True),
        ("Marie Curie won a Nobel Prize.", "failed to", "Marie Curie failed to win a Nobel Prize.", False),
        ("The Yangtze flows into the sea.", "not", "The Yangtze does not flow into the sea.", True),
        ("Jupiter has four large moons.", "not", "Jupiter does not have four large moons.", True),
        ("Jupiter has four large moons.", "no", "Jupiter has no large moons.", False),
        ("Venus has a moon.", "no", "Venus has no moon.", True),
        ("Ceres has lost its water.", "not", "Ceres has not lost its water.", True),
        ("Ceres has lost its water.", "never", "Ceres has never lost its water.", True),
        ("The tower was still unfinished in 1900.", "no longer", "The tower was no longer unfinished in 1900.", True),
        ("The ship sailed with an engine.", "without", "The ship sailed without an engine.", False),
        ("Like Venus, Mercury has no moon.", "unlike", "Unlike Venus, Mercury has no moon.", False),
        ("Unlike Venus, Mars has two moons.", "like", "Like Venus, Mars has two moons.", False),
        ("Both K2 and Lhotse are mountains in Asia.", "neither", "Neither K2 nor Lhotse is a mountain in Asia.", False),
        ("Both Bohr and Curie won prizes.", "neither", "Neither Bohr nor Curie won prizes.", False),
        ("Saturn is not the largest planet.", "not left out", "Saturn is the largest planet.", True),
        ("Handel did not write Aida.", "not left out", "Handel wrote Aida.", True),
        ("Latin does not come from Greek.", "not left out", "Latin comes from Greek.", True),
        ("Neptune has never been visited.", "not left out", "Neptune has been visited.", True),
        ("The lake is deep and covers a large area.", "not", "The lake is not deep and covers a large area.", False),
        ("Bohr and Pauli had all lost in Rome.", "not", "Bohr and Pauli had not all lost in Rome.", False),
        ("The hall can hold 900 people.", "not", "The hall cannot hold 900 people.", True),
        ("The ship cannot sail in winter.", "not left out", "The ship can sail in winter.", True),
        (
            "Bohr had previously worked together with Pauli.",
            "not",
            "Bohr had not previously worked together with Pauli.",
            True,
        ),
    ],
)
def test_a_sentence_is_denied(claim: str, by: str, denied: str, whole: bool) -> None:
    found = {each.by: each for each in denials(claim)}
    assert found[by].text == denied
    assert found[by].whole is whole


@pytest.mark.parametrize(
    "claim",
    [
        "All planets have moons.",
        "Joe Walsh was inducted in 2001 and he was successful.",
        "The film had mixed reviews in 1999 and it had fans.",
        "A brother of Niels Bohr won a medal.",
        "Two of the towers stand in New York.",
        "The metal called Mercury boils at a low temperature.",
        "At the first Games ever to be postponed, the surfing took place far away.",
        "Kepler lived in Linz, and no longer in Prague.",
        "The only country whose flag is not square kept it.",
        "Thousands of people attended the funeral.",
        "Out of the 13 countries listed, Mexico has the most visitors.",
        "Over 200 ships sank near the island.",
        "Nowhere in Brazil can you drive over the river.",
        "Norway counted more people in 2020 than Oslo had in 1920.",
        "The first tower ever climbed and the last were both in Rome.",
        "The Guard, formed in 1986 in Asia, has 14,000 members.",
        "Joe Bloggs, the policeman treated with penicillin, recovered completely.",
        "The director only used old forms of editing.",
        "The comet last came close in 1986.",
        "Ann Romney has only attended schools in Oregon.",
        "The hill is not even a third as high as the peak.",
        "Perhaps.",
    ],
)
def test_what_cannot_be_denied_as_a_whole_is_left_with_its_reason(claim: str) -> None:
    assert list(denials(claim)) == []
    assert why_none(claim)


def test_a_denial_of_a_quantity_is_not_by_no() -> None:
    assert "no" not in {each.by for each in denials("Cairo has a population of ten million.")}


def test_a_thing_that_is_compared_is_not_denied_by_no() -> None:
    assert [each.by for each in denials("Neon has a lower weight than sodium.")] == ["not"]


def test_never_is_not_said_of_a_state_or_of_a_dated_event() -> None:
    assert "never" not in {each.by for each in denials("The alloy contained zinc.")}
    assert "never" not in {each.by for each in denials("Italy won the cup in 1934.")}


def test_what_happens_once_is_not_denied_by_never() -> None:
    assert "never" not in {each.by for each in denials("Schubert died younger than Mozart.")}
    assert [each.text for each in denials("The film had mixed reviews.")] == ["The film did not have mixed reviews."]


@pytest.mark.parametrize("claim", ["The singer has yet to sign with a label.", "The yard failed to sail with a crew."])
def test_what_did_not_come_about_is_not_denied_by_without(claim: str) -> None:
    assert "without" not in {each.by for each in denials(claim)}
