"""Agreement: by hand, and as statsmodels computes it on random answers."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy
import pytest
from statsmodels.stats import inter_rater

from tests.studio.figures.samples import N, R, S, annotate, collect, near
from veritab.schema import Label
from veritab.studio.figures.agreement import AgreementFigures, measure_agreement
from veritab.studio.figures.overlap import Overlap
from veritab.studio.figures.values import Figure
from veritab.studio.vocabulary import Pool

LABELS = list(Label)


def measure(overlap: Overlap, **calibration: float) -> AgreementFigures:
    return measure_agreement(overlap, calibration)


# -- by hand -----------------------------------------------------------------------------------------------


def test_two_way_kappa_by_hand() -> None:
    # Four claims; three agree. Of eight labels five are S and three R: chance is (25 + 9) / 64.
    given = [(S, S), (S, S), (R, R), (S, R)]
    found = measure(
        collect(
            *(
                annotate(str(n), who, label)
                for n, pair in enumerate(given)
                for who, label in zip("ab", pair, strict=True)
            )
        )
    )
    assert found.ways[2] == near((3 / 4 - 34 / 64) / (1 - 34 / 64), 4)
    # The first said S three times and R once, the second each twice: chance is (3 * 2 + 1 * 2) / 16.
    assert found.cohen == near((3 / 4 - 1 / 2) / (1 / 2), 4)
    assert found.pairs[0].kappa == found.cohen
    # Krippendorff: observed 2 / 8 of eight values, expected 2 * 5 * 3 / (8 * 7).
    assert found.alpha == near(1 - (2 / 8) / (30 / 56), 4)


def test_claims_with_one_answer_and_other_pools_have_no_part_in_it() -> None:
    found = measure(
        collect(
            annotate("1", "a", S),
            annotate("2", "a", S),
            annotate("2", "b", R, pool=Pool.PRACTICE),
            annotate("2", "c", R, pool=Pool.GOLD),
            annotate("2", "d", R, pool=Pool.CALIBRATION),
            annotate("2", "e", R, pool=Pool.SUPER),
            annotate("2", "f", None, skipped="typo"),
        )
    )
    assert set(found.ways) == {2, 3, 4, 5}
    assert found.ways[2] == Figure(None, 0, "no claim with 2 answers")
    assert found.alpha == Figure(None, 0, "no claim with two answers or more")
    assert found.same_evidence == Figure(None, 0, "no pair of answers with evidence")
    assert found.pairs == ()


def test_one_label_alone_gives_no_kappa_and_says_so() -> None:
    found = measure(collect(annotate("1", "a", S), annotate("1", "b", S)))
    assert found.ways[2] == Figure(None, 1, "only one label was given, which chance explains")


def test_whoever_answers_again_has_changed_the_answer() -> None:
    found = measure(collect(annotate("1", "a", S), annotate("1", "a", R), annotate("1", "b", R), annotate("2", "a", S)))
    assert found.ways[2].n == 1
    assert found.pairs[0].same_label == Figure(1.0, 1)


def test_six_answers_have_a_kappa_too() -> None:
    found = measure(
        collect(*(annotate("1", who, label) for who, label in zip("abcdef", (S, S, S, S, S, R), strict=True)))
    )
    assert set(found.ways) == {2, 3, 4, 5, 6}
    assert found.ways[6].value == pytest.approx((20 / 30 - 26 / 36) / (1 - 26 / 36))


def test_evidence_match_falls_into_ten_bins() -> None:
    found = measure(
        collect(
            annotate("1", "a", S, "0", "1"), annotate("1", "b", S, "0", "1"),  # 1
            annotate("2", "a", R, "0", "1"), annotate("2", "b", R, "1", "0"),  # 1
            annotate("3", "a", S, "0", "1", "2"), annotate("3", "b", S, "0", "1"),  # 4 / 5
            annotate("4", "a", S, "0"), annotate("4", "b", R, "1"),  # 0
            annotate("5", "a", R, "0"), annotate("5", "b", N),  # 0
            annotate("6", "a", N), annotate("6", "b", N),  # no evidence at all
        )
    )  # fmt: skip
    assert found.same_evidence == Figure(2 / 5, 5)
    assert found.mostly_same_evidence == Figure(3 / 5, 5)
    assert [match.share.value for match in found.by_match] == [0.4, 0, 0, 0, 0, 0, 0, 0, 0.2, 0.4]
    assert (found.by_match[0].low, found.by_match[0].high, found.by_match[9].high) == (0.0, 0.1, 1.0)
    assert found.by_match[9].kappa == found.kappa_same_evidence == Figure(1.0, 2)
    assert found.by_match[5].kappa == Figure(None, 0, "no pair with such a match")
    # S, R, R and N, no pair alike: chance is (1 + 4 + 1) / 16.
    assert found.kappa_distinct_evidence == near(-(6 / 16) / (10 / 16), 2)
    assert found.by_match[0].kappa == found.kappa_distinct_evidence
    assert found.pairs[0].same_evidence == Figure(2 / 5, 5)


def test_seven_tenths_are_nearly_the_same_and_nine_tenths_are_not_the_same() -> None:
    ten, seven, nine = (list(map(str, range(number))) for number in (10, 7, 9))
    found = measure(
        collect(
            annotate("1", "a", S, *ten), annotate("1", "b", R, *seven, "97", "98", "99"),  # 14 / 20
            annotate("2", "a", S, *ten), annotate("2", "b", R, *nine),  # 18 / 19
        )
    )  # fmt: skip
    assert found.mostly_same_evidence == Figure(1.0, 2)
    assert (found.by_match[7].kappa.n, found.by_match[9].kappa.n) == (1, 1)
    assert found.same_evidence == Figure(0.0, 2)
    assert found.kappa_same_evidence == Figure(None, 0, "no pair with the same evidence")


def test_three_answers_are_three_pairs() -> None:
    found = measure(collect(annotate("1", "a", S, "0"), annotate("1", "b", S, "0"), annotate("1", "c", R, "1")))
    assert found.same_evidence == Figure(1 / 3, 3)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_calibration_scores_are_compared_over_the_first_hundred_answers() -> None:
    rows = [annotate("early", "good", S), annotate("early", "poor", S), annotate("early-2", "good", R)]
    rows += [annotate("early-2", "poor", R)]
    # `good` answers 98 more claims alone, then two more with `poor`, who stays within a hundred.
    rows += [annotate(f"alone-{number}", "good", S, overlaps=False) for number in range(98)]
    for claim, one, other in (("late", S, R), ("late-2", R, S)):
        rows += [annotate(claim, "good", one), annotate(claim, "poor", other)]
    found = measure(collect(*rows), good=0.95, poor=0.5, absent=1.0)
    high, low = found.by_calibration[9], found.by_calibration[5]
    assert (high.annotators, low.annotators) == (2, 1)
    assert high.kappa_first == Figure(1.0, 2)
    assert high.kappa == Figure(0.0, 4)
    assert low.kappa_first == low.kappa == Figure(0.0, 4)
    assert found.by_calibration[0].kappa.n == 0


def test_a_pair_of_two_with_like_scores_is_one_pair() -> None:
    found = measure(collect(annotate("1", "a", S), annotate("1", "b", R)), a=0.81, b=0.89)
    assert found.by_calibration[8].kappa_first.n == 1


# -- as statsmodels has it ---------------------------------------------------------------------------------


def answers(random: Random, claims: int, people: int) -> list[list[Label]]:
    """Random labels that agree more often than chance."""
    truths = random.choices(LABELS, (5, 4, 1), k=claims)
    return [[truth if random.random() < 0.6 else random.choice(LABELS) for _ in range(people)] for truth in truths]


def as_numbers(given: list[list[Label]]) -> numpy.ndarray:
    return numpy.array([[LABELS.index(label) for label in each] for each in given])


@pytest.mark.parametrize("claims", [7, 60, 1500])
@pytest.mark.parametrize("people", [2, 3, 4, 5])
def test_kappas_are_those_of_statsmodels(claims: int, people: int) -> None:
    given = answers(Random(f"{claims} {people}"), claims, people)
    # The same claims are also answered by fewer people elsewhere, which must not be mixed in.
    rows = [annotate(str(n), f"p{who}", label) for n, each in enumerate(given) for who, label in enumerate(each)]
    rows += [annotate("other", f"p{who}", S) for who in range(people + 1)]
    found = measure(collect(*rows))
    table, _ = inter_rater.aggregate_raters(as_numbers(given), len(LABELS))
    assert found.ways[people] == near(inter_rater.fleiss_kappa(table, method="fleiss"), claims)
    numbers = as_numbers(given)
    pairs = {(pair.first, pair.second): pair.kappa for pair in found.pairs}
    for one, other in combinations(range(people), 2):
        table, _ = inter_rater.to_table(
            numpy.vstack([numbers[:, [one, other]], [[0, 0]]]), bins=numpy.arange(len(LABELS) + 1) - 0.5
        )
        expected = inter_rater.cohens_kappa(table, return_results=False)
        assert pairs[f"p{one}", f"p{other}"] == near(expected, claims + 1)


@pytest.mark.parametrize("claims", [12, 800])
def test_kappas_by_evidence_match_are_those_of_statsmodels(claims: int) -> None:
    random = Random(claims)
    given = answers(random, claims, 2)
    chosen = [[random.sample(range(6), random.randint(1, 4)) for _ in range(2)] for _ in given]
    found = measure(
        collect(
            *(
                annotate(str(n), f"p{who}", label, *map(str, ids))
                for n, (labels, sets) in enumerate(zip(given, chosen, strict=True))
                for who, (label, ids) in enumerate(zip(labels, sets, strict=True))
            )
        )
    )
    bins: dict[int, list[list[Label]]] = {}
    for labels, (first, second) in zip(given, chosen, strict=True):
        tenths = 20 * len(set(first) & set(second)) // (len(first) + len(second))
        bins.setdefault(min(tenths, 9), []).append(labels)
    for number, match in enumerate(found.by_match):
        here = bins.get(number, [])
        assert match.share == Figure(len(here) / claims, claims)
        assert match.kappa.n == len(here)
        if match.kappa.value is not None:
            table, _ = inter_rater.aggregate_raters(as_numbers(here), len(LABELS))
            assert match.kappa.value == pytest.approx(inter_rater.fleiss_kappa(table))
        else:
            assert len({label for labels in here for label in labels}) < 2
