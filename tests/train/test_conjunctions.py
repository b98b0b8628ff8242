"""Claims of several parts: which label they have by what their evidence says of each part."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.train import small_sets
from veritab.build.elements import sentence
from veritab.datasets.normalise import NOT_ENOUGH, REFUTES, SUPPORTS
from veritab.train.examples import VerdictExample
from veritab.train.sources import examples
from veritab.train.sources.conjunctions import _conjoin, _Part

PAGE = "Ada Almer"
SAILED = _Part("Ada Almer sailed to Rome.", sentence(PAGE, 1, "She sailed to Rome twice."), SUPPORTS)
PAINTED = _Part(
    "Ada Almer painted seventy landscapes.", sentence(PAGE, 4, "Her landscapes are about seventy."), SUPPORTS
)
WRONG = _Part("Ada Almer died during 1901.", sentence(PAGE, 7, "A fever killed her, two years into the war."), REFUTES)


def made(*parts: _Part, partly: float = 0.0, times: int = 200) -> list[VerdictExample]:
    found = [_conjoin(PAGE, parts, random.Random(seed), partly, titled=True) for seed in range(times)]
    return [pair for pair in found if pair]


def test_a_claim_is_true_only_if_all_its_parts_are_shown_to_be() -> None:
    pairs = made(SAILED, PAINTED, partly=0.5)
    both = [pair for pair in pairs if "twice" in pair.evidence and "seventy" in pair.evidence]
    assert {pair.label for pair in both} == {SUPPORTS}
    assert {pair.label for pair in pairs if pair not in both} == {NOT_ENOUGH}


def test_one_part_that_is_shown_to_be_wrong_is_enough_whatever_else_is_left_out() -> None:
    pairs = made(SAILED, WRONG, partly=1.0)
    assert {pair.label for pair in pairs if "fever" in pair.evidence} == {REFUTES}
    assert {pair.label for pair in pairs if "fever" not in pair.evidence} == {NOT_ENOUGH}
    assert all("Rome" in pair.claim and "1901" in pair.claim for pair in pairs)


def test_what_the_parts_are_about_is_named_once_where_all_begin_with_it() -> None:
    assert {pair.claim.count(PAGE) for pair in made(SAILED, PAINTED)} == {1}


def test_parts_that_say_nearly_the_same_are_not_joined() -> None:
    revised = SAILED._replace(
        claim="Ada Almer sailed to Rome twice.", gold=sentence(PAGE, 2, "She sailed to Rome once.")
    )
    assert not made(SAILED, revised)


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_sets.write(tmp_path_factory.mktemp("sets"))


def test_false_claims_of_two_sentences_are_often_shown_only_the_one_they_get_wrong(sets: Path) -> None:
    def refuted(partly: float) -> list[VerdictExample]:
        found = examples("verdict", "mutated", sets, seed=0, pairs=400, partly=partly, titled=0.0)
        return [each for each in found if each.label == REFUTES]

    def mean_length(pairs: list[VerdictExample]) -> float:
        return sum(len(pair.evidence) / len(pair.claim) for pair in pairs) / len(pairs)

    always, never = refuted(1.0), refuted(1e-9)
    assert len(always) > 10
    assert mean_length(always) < 0.9 * mean_length(never)
