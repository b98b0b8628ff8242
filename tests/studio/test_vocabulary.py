"""Closed lists have the words that data sets have, and something to show for each of them."""

from __future__ import annotations

import copy
import inspect
import json
import math
import pickle
from enum import StrEnum
from typing import Any

import pytest

from veritab.datasets import load
from veritab.studio import vocabulary
from veritab.studio.vocabulary import (
    ADVISED_SECONDS,
    FEVER_MUTATIONS,
    FEVEROUS_MUTATION_SHARES,
    FEVEROUS_MUTATIONS,
    TIME_LIMITED,
    Challenge,
    ClaimType,
    HighlightKind,
    MutationType,
    ReportReason,
    SkipReason,
    TaskKind,
)

LISTS: list[Any] = [
    thing
    for name, thing in vars(vocabulary).items()
    if inspect.isclass(thing) and issubclass(thing, StrEnum) and not name.startswith("_") and list(thing)
]


def test_challenges_are_spelt_as_feverous_publishes_them() -> None:
    assert list(map(str, Challenge)) == [
        "Numerical Reasoning",
        "Multi-hop Reasoning",
        "Entity Disambiguation",
        "Combining Tables and Text",
        "Search terms not in claim",
        "Other",
    ]


def test_challenges_and_mutations_of_the_shipped_claims_are_in_the_lists() -> None:
    examples = list(load("almanac/claims"))
    assert {example.challenge for example in examples} == set(Challenge)
    assert {example.record["mutation"] for example in examples} == {*FEVER_MUTATIONS, "none"}


def test_feverous_has_five_mutations_with_the_published_shares_and_fever_six() -> None:
    assert [FEVEROUS_MUTATION_SHARES[each] for each in FEVEROUS_MUTATIONS] == [0.15, 0.15, 0.30, 0.10, 0.30]
    assert math.isclose(sum(FEVEROUS_MUTATION_SHARES.values()), 1)
    assert len(FEVER_MUTATIONS) == 6
    assert {*FEVEROUS_MUTATIONS, *FEVER_MUTATIONS} == set(MutationType)
    assert MutationType.ENTITY_SUBSTITUTION not in FEVER_MUTATIONS


def test_lists_have_as_many_words_as_the_papers() -> None:
    assert list(map(str, ClaimType)) == ["I", "II", "III"]
    assert len(SkipReason) == 5
    assert len(ReportReason) == 4 + 1  # and a note of one's own


@pytest.mark.parametrize("words", LISTS, ids=lambda words: words.__name__)
def test_every_word_has_a_label_and_a_sentence_of_help(words: Any) -> None:
    labels = [word.label for word in words]
    assert all(labels)
    assert len(set(labels)) == len(labels)
    for word in words:
        assert words is HighlightKind or word.help.endswith("."), word
        assert str(word) == word.value == word


@pytest.mark.parametrize("words", LISTS, ids=lambda words: words.__name__)
def test_a_word_survives_being_written_and_read(words: Any) -> None:
    for word in words:
        assert words(json.loads(json.dumps(word))) is word
        assert pickle.loads(pickle.dumps(word)) is word
        assert copy.deepcopy(word) is word


def test_time_is_advised_as_the_papers_do() -> None:
    minutes = {str(kind): seconds / 60 for kind, seconds in ADVISED_SECONDS.items()}
    assert minutes == {"fever-claims": 2, "fever-mutations": 6, "fever-labelling": 3, "feverous-verification": 10}
    assert {TaskKind.FEVEROUS_VERIFICATION} == TIME_LIMITED <= ADVISED_SECONDS.keys()
