"""Fool Me Twice and FaVIQ: accuracy, passages found, and sentences laid on passages."""

from __future__ import annotations

import pytest

from veritab.errors import InputError
from veritab.evaluate.official_two_way import accuracy, aligned, overlap, passages_found, said_label
from veritab.schema import Label

S, R = Label.SUPPORTS, Label.REFUTES


def test_accuracy_is_the_share_of_right_labels() -> None:
    assert accuracy({"1": S, "2": S, "3": None}, {"1": S, "2": R, "3": R}) == 1 / 3


def test_accuracy_needs_gold_and_a_prediction_for_each_claim() -> None:
    with pytest.raises(InputError, match="no gold labels"):
        accuracy({}, {})
    with pytest.raises(InputError, match="'2' has no prediction"):
        accuracy({"1": S}, {"1": S, "2": R})


@pytest.mark.parametrize(
    ("said", "label"),
    [("true", S), ("The True.", S), (" FALSE ", R), ("a false", R), ("REFUTES", R), ("supports", S), ("maybe", None)],
)
def test_what_a_model_says_is_read_after_normalisation(said: str, label: Label | None) -> None:
    assert said_label(said) == label


def test_passages_are_counted_over_the_claims_that_have_some() -> None:
    rankings = {"1": ["x", "a", "a", "b"], "2": ["c"]}
    found = passages_found(rankings, {"1": ["a", "b"], "2": ["c"], "3": ["d"], "4": []}, at=(1, 5))
    assert found == {"R-Precision": (0.5 + 1 + 0) / 3, "Recall@1": (0 + 1 + 0) / 3, "Recall@5": (1 + 1 + 0) / 3}


def test_no_gold_passages_are_no_zero() -> None:
    with pytest.raises(InputError, match="no claim has gold passages"):
        passages_found({"1": ["a"]}, {"1": []})


def test_overlap_is_one_for_a_sentence_inside_its_passage_and_zero_elsewhere() -> None:
    sentence = "K2 is the second highest mountain."
    assert overlap(sentence, f"It is cold. {sentence} It was climbed in 1954.") == pytest.approx(1.0)
    assert overlap(sentence, "The Danube flows east.") == 0.0
    assert overlap("", "The Danube flows east.") == 0.0


def test_overlap_counts_a_word_no_oftener_than_the_passage_has_it() -> None:
    # One word: 1 of 2. Two words: 0 of 1.
    assert overlap("the the", "the cat") == 0.0
    # One word: 3 of 4; two: 2 of 3; three: 1 of 2; four words: 0 of 1, so no match at all.
    assert overlap("a b c d", "a b c x") == 0.0
    # 4/5 * 3/4 * 2/3 * 1/2 = 1/5, and the fourth root of that.
    assert overlap("a b c d e", "a b c d x") == pytest.approx(0.2**0.25)


def test_gold_sentences_lie_in_the_passage_with_the_largest_overlap() -> None:
    passages = {"p1": "K2 is the second highest mountain on Earth.", "p2": "The Danube flows east to the sea."}
    assert aligned(["the second highest mountain", "The Danube flows east"], passages) == ("p1", "p2")
    assert aligned(["the second highest mountain", "Something else entirely"], passages) == ()
    assert aligned(["K2"], {}) == ()
