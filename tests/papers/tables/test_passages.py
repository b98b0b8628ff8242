"""Which passages hold a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.papers.tables.passages import precision

WORDS = st.lists(st.sampled_from(["river", "old", "bridge", "stone", "town"]), min_size=1, max_size=8).map(" ".join)


@given(WORDS, WORDS)
def test_a_text_is_wholly_in_what_holds_it(text: str, before: str) -> None:
    assert precision(text, f"{before} {text}") == pytest.approx(1)


@given(WORDS, WORDS)
def test_a_precision_is_a_share(text: str, other: str) -> None:
    assert 0 <= precision(text, other) <= 1 + 1e-9


def test_repeated_words_count_as_often_as_they_are_there() -> None:
    # Of two words one is there; of one pair none.
    assert precision("old old", "old bridge") == 0
    assert precision("old", "old bridge") == 1
    # Words 3 of 4, pairs 2 of 3, triples 1 of 2, and no four in a row.
    assert precision("the old stone bridge", "old stone bridge") == 0
    # Words 3 of 3, pairs 1 of 2, no triple.
    assert precision("old stone bridge", "stone bridge old") == 0


def test_nothing_is_in_nothing() -> None:
    assert precision("", "some text") == precision("some text", "") == 0
