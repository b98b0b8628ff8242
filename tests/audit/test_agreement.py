"""Kappa and alpha against worked examples: published ones where there are any, else computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.audit.agreement import (
    agreement,
    cohen_kappa,
    fleiss_kappa,
    jaccard,
    krippendorff_alpha,
    masi,
    nominal,
)
from veritab.errors import InputError

LABELS = st.sampled_from("abc")


def test_cohen_on_fifty_grant_proposals() -> None:
    # 20 times both yes, 15 times both no, 5 and 10 times apart: observed 0.7, expected 0.5.
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(first, second) == pytest.approx(0.4)


def test_cohen_needs_a_label_of_each_for_every_unit() -> None:
    with pytest.raises(InputError, match="3 labels cannot be compared with 2"):
        cohen_kappa("abc", "ab")


def test_cohen_has_nothing_to_say_of_one_label_or_of_nothing() -> None:
    assert cohen_kappa("aaa", "aaa") is None
    assert cohen_kappa("", "") is None


# Fourteen raters, ten subjects, five categories: the example that explanations of Fleiss' kappa work through.
SUBJECTS = [
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip


def test_fleiss_on_fourteen_raters() -> None:
    units = [[label for label, count in enumerate(counts) for _ in range(count)] for counts in SUBJECTS]
    assert fleiss_kappa(units) == pytest.approx(0.20993, abs=1e-5)


def test_fleiss_names_the_unit_with_another_number_of_labels() -> None:
    with pytest.raises(InputError, match="unit 1 has 3 labels and the first 2"):
        fleiss_kappa(["ab", "abc"])
    with pytest.raises(InputError, match="two or more"):
        fleiss_kappa(["a", "b"])


# Krippendorff's own examples, "Computing Krippendorff's Alpha-Reliability": two observers and two values,
# two observers and five values, and four observers of whom each missed some units.
TWO_VALUES = list(zip("0100000010", "1110010000", strict=True))
FIVE_VALUES = list(zip("aabbdcccedda", "babbbccceddd", strict=True))
FOUR_OBSERVERS = [tuple(unit) for unit in "111 2232 3333 3333 2222 1234 4444 1121 2222 555 11 3".split()]


@pytest.mark.parametrize(("units", "alpha"), [(TWO_VALUES, 0.095), (FIVE_VALUES, 0.692), (FOUR_OBSERVERS, 0.743)])
def test_alpha_as_krippendorff_computes_it(units: list[tuple[str, ...]], alpha: float) -> None:
    assert krippendorff_alpha(units) == pytest.approx(alpha, abs=5e-4)


def test_alpha_of_sets_by_hand() -> None:
    a, ab, c = frozenset("a"), frozenset("ab"), frozenset("c")
    units = [(a, ab), (c, c)]
    # Observed: Jaccard(a, ab) = 1/2, counted twice among four values. Expected: of twelve ordered pairs, two are
    # a-ab at 1/2, two c-c at 0, eight at 1: nine in all.
    assert krippendorff_alpha(units, jaccard) == pytest.approx(1 - (2 * 0.5 / 4) / (9 / 12))
    # MASI(a, ab) = 1 - 1/2 * 2/3 = 2/3: one and a third of observed, nine and a third expected.
    assert krippendorff_alpha(units, masi) == pytest.approx(1 - (4 / 3 / 4) / ((8 + 4 / 3) / 12))


def test_distances_of_sets() -> None:
    assert jaccard(frozenset("ab"), frozenset("bc")) == pytest.approx(2 / 3)
    assert jaccard(frozenset(), frozenset()) == 0
    assert masi(frozenset("ab"), frozenset("bc")) == pytest.approx(1 - 1 / 9)
    assert masi(frozenset("ab"), frozenset("abc")) == pytest.approx(1 - 4 / 9)
    assert masi(frozenset("ab"), frozenset("cd")) == 1
    with pytest.raises(InputError, match="'ab' is not a set"):
        jaccard("ab", frozenset("ab"))


def test_alpha_takes_any_distance() -> None:
    def squared(first: object, second: object) -> float:
        return float((int(str(first)) - int(str(second))) ** 2)

    # Values 1, 2 and 3, 3: observed (2 * 1) / 4; expected (2 * (1 + 4 + 4 + 1 + 1)) / 12.
    assert krippendorff_alpha([(1, 2), (3, 3)], squared) == pytest.approx(1 - (2 / 4) / (22 / 12))


@given(st.lists(st.lists(LABELS, min_size=2, max_size=4), min_size=1, max_size=12))
def test_alpha_is_the_same_whoever_comes_first(units: list[list[str]]) -> None:
    alpha, turned = krippendorff_alpha(units), krippendorff_alpha([unit[::-1] for unit in units[::-1]])
    assert (alpha is None) == (turned is None)
    assert alpha is None or turned is None or (alpha == pytest.approx(turned) and alpha <= 1)


@given(st.lists(st.lists(st.frozensets(LABELS), min_size=2, max_size=3), min_size=1, max_size=8))
def test_looking_only_at_sets_that_share_something_changes_nothing(units: list[list[frozenset[str]]]) -> None:
    def slow(first: object, second: object) -> float:
        return jaccard(first, second)

    fast, full = krippendorff_alpha(units, jaccard), krippendorff_alpha(units, slow)
    assert fast == (full if full is None else pytest.approx(full))


def test_a_data_set_without_two_annotators_has_no_agreement() -> None:
    assert agreement([("SUPPORTS",), ()], [(), ()]) is None


def test_the_agreement_of_a_data_set() -> None:
    a, ab = frozenset("a"), frozenset("ab")
    found = agreement([("S", "S"), ("S", "R"), ("R", "R")], [(a, a), (a, ab), (ab,)])
    assert found is not None
    assert found.labelled == 3
    assert found.kappa == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert found.with_evidence == 2
    assert found.same_evidence == 0.5
    assert found.mostly_same_evidence == 0.5  # 2 * 1 / (1 + 2) is below 0.7
    assert krippendorff_alpha([("S", "S"), ("S", "R"), ("R", "R")], nominal) == found.alpha


def test_claims_with_different_numbers_of_labels_have_alpha_but_no_kappa() -> None:
    found = agreement([("S", "S"), ("S", "R", "R")], [])
    assert found is not None
    assert found.kappa is None
    assert found.alpha is not None
    assert found.same_evidence is None
