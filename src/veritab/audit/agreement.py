"""Inter-annotator agreement beyond chance: Cohen's and Fleiss' kappa, Krippendorff's alpha.

All three are 1 where all agree, 0 where they agree as often as chance would have it, and below 0 where they agree less.
Where only one label is ever used, chance explains everything and there is nothing to measure: the result is None.
Alpha takes any number of values for a unit, and a distance: `nominal` for labels, `jaccard` or `masi` for sets.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from itertools import combinations
from typing import NamedTuple, TypeAlias

from veritab.errors import InputError, short_repr

Category: TypeAlias = Hashable
Distance: TypeAlias = Callable[[Category, Category], float]

# -- a fixed number of annotators --------------------------------------------------------------------------


def cohen_kappa(first: Sequence[Category], second: Sequence[Category]) -> float | None:
    """Cohen's kappa of two annotators who both labelled every unit."""
    if len(first) != len(second):
        raise InputError(f"{len(first)} labels cannot be compared with {len(second)}; give one of each for every unit")
    if not first:
        return None
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    here, there = Counter(first), Counter(second)
    expected = sum(here[label] * there[label] for label in here) / n**2
    return _beyond_chance(observed, expected)


def fleiss_kappa(units: Sequence[Sequence[Category]]) -> float | None:
    """Fleiss' kappa on units that have the same number of labels, whoever gave them."""
    if not units:
        return None
    raters = len(units[0])
    uneven = next((number for number, unit in enumerate(units) if len(unit) != raters), None)
    if raters < 2 or uneven is not None:
        unit = units[uneven or 0]
        raise InputError(
            f"unit {uneven or 0} has {len(unit)} labels and the first {raters}; Fleiss' kappa needs the same number, "
            "two or more, for every unit: use Krippendorff's alpha"
        )
    total: Counter[Category] = Counter()
    agreeing = 0
    for unit in units:
        counts = Counter(unit)
        total.update(counts)
        agreeing += sum(count * (count - 1) for count in counts.values())
    observed = agreeing / (len(units) * raters * (raters - 1))
    expected = sum(count**2 for count in total.values()) / (len(units) * raters) ** 2
    return _beyond_chance(observed, expected)


def _beyond_chance(observed: float, expected: float) -> float | None:
    return (observed - expected) / (1 - expected) if expected < 1 else None


# -- any number of annotators, any distance ----------------------------------------------------------------


def nominal(first: Category, second: Category) -> float:
    """Two labels are the same or they are not."""
    return float(first != second)


def jaccard(first: Category, second: Category) -> float:
    """The share of what either set has that not both have; two empty sets are the same."""
    here, there = _set(first), _set(second)
    either = len(here | there)
    return 1 - len(here & there) / either if either else 0.0


def masi(first: Category, second: Category) -> float:
    """Jaccard's distance, where a set inside the other counts for more than two that merely overlap."""
    here, there = _set(first), _set(second)
    if here == there:
        return 0.0
    if here.isdisjoint(there):
        return 1.0
    inside = 2 / 3 if here <= there or there <= here else 1 / 3
    return 1 - inside * len(here & there) / len(here | there)


def _set(value: Category) -> frozenset[Category]:
    if not isinstance(value, frozenset):
        raise InputError(f"{short_repr(value)} is not a set; give frozensets, or use the nominal distance")
    return value


def krippendorff_alpha(units: Iterable[Sequence[Category]], distance: Distance = nominal) -> float | None:
    """Krippendorff's alpha on units with two or more values each; a unit with fewer is left out."""
    compared = [unit for unit in units if len(unit) > 1]
    n = sum(map(len, compared))
    counts = Counter(value for unit in compared for value in unit)
    if len(counts) < 2:
        return None
    observed = sum(_disagreement(unit, distance) for unit in compared) / n
    # Most pairs of labels or sets have nothing in common and are at distance 1: only the others are computed.
    far = n**2 - sum(count**2 for count in counts.values())
    pairs = _sharing(counts) if distance in _FAR_IS_ONE else combinations(counts, 2)
    nearer = sum(2 * counts[a] * counts[b] * (1 - distance(a, b)) for a, b in pairs)
    expected = (far - nearer) / (n * (n - 1))
    return 1 - observed / expected if expected else None


def _disagreement(unit: Sequence[Category], distance: Distance) -> float:
    return 2 * sum(distance(a, b) for a, b in combinations(unit, 2)) / (len(unit) - 1)


_FAR_IS_ONE = (nominal, jaccard, masi)


def _sharing(values: Iterable[Category]) -> Iterator[tuple[Category, Category]]:
    """Pairs of different values that may be nearer than 1: those of sets that share a member."""
    holding: defaultdict[Category, list[int]] = defaultdict(list)
    sets = [value for value in values if isinstance(value, frozenset)]
    for number, value in enumerate(sets):
        near = {other for member in value for other in holding[member]}
        yield from ((sets[other], value) for other in sorted(near))
        for member in value:
            holding[member].append(number)


# -- a data set --------------------------------------------------------------------------------------------


class Agreement(NamedTuple):
    """Inter-annotator agreement of a data set, on labels and on which evidence to choose.

    `kappa` is Fleiss', as records seldom say who gave which label; None where claims have different numbers of them.
    """

    labelled: int
    kappa: float | None
    alpha: float | None
    with_evidence: int
    evidence_jaccard: float | None
    evidence_masi: float | None
    same_evidence: float | None
    mostly_same_evidence: float | None


MOSTLY_SAME = 0.7
"""FEVEROUS counts two annotators as choosing nearly the same evidence from this match on."""


def agreement(labels: Iterable[Sequence[Category]], evidence: Iterable[Sequence[Category]]) -> Agreement | None:
    """The agreement on claims that several people labelled or chose evidence for; None where no claim has two."""
    several = [given for given in labels if len(given) > 1]
    chosen = [given for given in evidence if len(given) > 1]
    if not several and not chosen:
        return None
    matches = [match_sets(_set(a), _set(b)) for given in chosen for a, b in combinations(given, 2)]
    return Agreement(
        len(several),
        fleiss_kappa(several) if len(set(map(len, several))) == 1 else None,
        krippendorff_alpha(several),
        len(chosen),
        krippendorff_alpha(chosen, jaccard),
        krippendorff_alpha(chosen, masi),
        sum(match == 1 for match in matches) / len(matches) if matches else None,
        sum(match >= MOSTLY_SAME for match in matches) / len(matches) if matches else None,
    )


def match_sets(first: Set[Category], second: Set[Category]) -> float:
    """FEVEROUS's evidence match, 2 |A and B| / (|A| + |B|): 1 for the same sets, 0 where they share nothing."""
    both = len(first) + len(second)
    return 2 * len(first & second) / both if both else 1.0
