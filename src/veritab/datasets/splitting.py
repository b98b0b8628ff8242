"""Data sets cut into parts that share nothing, and what parts share that were cut otherwise.

Claims about one page stay together: whoever has seen one of them in training knows the evidence of the others; and so
do claims built of one question, which tell each other's labels. So the claims are first joined into groups, by what
they were built of, by the pages of their evidence and by their words, and groups are dealt out whole, the largest
first, each to the part that lacks its labels most.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from veritab.datasets.example_rows import built_of, original_record, origins_of
from veritab.datasets.near_duplicates import near_duplicates
from veritab.datasets.statistics import UNLABELLED, pages_of
from veritab.errors import InputError
from veritab.schema import Example
from veritab.text import words

PAGE = "page"
ORIGIN = "origin"
"""What claims were built of: the record of a question, table or claim that their `origin` names."""
NEAR_DUPLICATE = 0.8
"""How near two claims must be to count as nearly the same; see `near`."""

# -- groups ------------------------------------------------------------------------------------------------


def groups(examples: Sequence[Example], by: str = PAGE, near: float | None = None) -> list[list[int]]:
    """The claims that belong together, by their places: those that share a page, or a value of the records' field.

    Claims in the same words always belong together, and with `near` also those that nearly are; so do claims that were
    built of one record, and a claim with those built of it.
    """
    keys = {PAGE: pages_of, ORIGIN: _origin}.get(by) or _value_of(by)
    joined = _UnionFind(len(examples))
    first: dict[Hashable, int] = {}
    seen = False
    for place, example in enumerate(examples):
        found = keys(example)
        seen = seen or bool(found)
        for key in (*found, *ties(example)):
            joined.join(first.setdefault(key, place), place)
    if examples and not seen and by == ORIGIN:
        raise InputError(f"no record has an {ORIGIN}: nothing here was built; split by {PAGE}")
    if examples and not seen and by != PAGE:
        raise InputError(f"no record has a field {by!r}; split by {PAGE}, or by a field that the records have")
    if near is not None:
        for one, other, _ in near_duplicates([example.claim.text for example in examples], threshold=near):
            joined.join(one, other)
    return joined.groups()


def _origin(example: Example) -> frozenset[Hashable]:
    origin = built_of(example)
    return frozenset({("origin", *origin)}) if origin else frozenset()


def ties(example: Example) -> tuple[Hashable, ...]:
    """What claims that tell each other's labels share: the words of those a claim was built of, the record, its own."""
    sources = [origin.get("claim") for origin in origins_of(example)]
    return (
        *(wording(source) for source in sources if isinstance(source, str)),
        *_origin(example),
        wording(example.claim.text),
    )


def wording(claim: str) -> tuple[str, ...]:
    """What claims in the same words share."""
    return ("words", *words(claim))


def _value_of(field: str) -> Callable[[Example], frozenset[Hashable]]:
    def value(example: Example) -> frozenset[Hashable]:
        given = original_record(example).get(field)
        return frozenset() if given in (None, "") else frozenset({("value", repr(given))})

    return value


class _UnionFind:
    """Places that belong together, directly or through others."""

    def __init__(self, size: int) -> None:
        self._above = list(range(size))

    def _top(self, place: int) -> int:
        while self._above[place] != place:
            self._above[place] = self._above[self._above[place]]
            place = self._above[place]
        return place

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self._top(one), self._top(other)))
        self._above[high] = low

    def groups(self) -> list[list[int]]:
        found: defaultdict[int, list[int]] = defaultdict(list)
        for place in range(len(self._above)):
            found[self._top(place)].append(place)
        return list(found.values())


# -- parts -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Split:
    """Some of the claims of a data set, by their places in it."""

    name: str
    wanted: float
    """The share of the claims that was asked for."""
    places: tuple[int, ...] = field(repr=False)
    labels: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.places)


def split(
    examples: Sequence[Example],
    shares: Mapping[str, float],
    *,
    by: str = PAGE,
    balance: bool = False,
    near: float | None = None,
    seed: int = 0,
) -> list[Split]:
    """Cut a data set into parts of about these shares, groups whole, labels in all parts as in the whole.

    With `balance` every part but the largest gets as many claims of each label, as far as there are enough; the
    largest has the rest.
    """
    _refuse_shares(shares)
    labels = [str(example.label or UNLABELLED) for example in examples]
    wanted = _wanted(Counter(labels), shares, balance=balance)
    dealt: dict[str, list[int]] = {name: [] for name in shares}
    have: dict[str, Counter[str]] = {name: Counter() for name in shares}
    for group in _in_order(groups(examples, by, near), seed):
        brought = Counter(labels[place] for place in group)
        costs = {name: _cost(have[name], wanted[name], brought) for name in shares}
        name = min(costs, key=costs.__getitem__)
        have[name].update(brought)
        dealt[name] += group
    return [
        Split(name, share, tuple(sorted(dealt[name])), dict(sorted(have[name].items())))
        for name, share in shares.items()
    ]


def _refuse_shares(shares: Mapping[str, float]) -> None:
    total = sum(shares.values())
    if len(shares) < 2 or not all(share > 0 for share in shares.values()) or abs(total - 1) > 1e-6:
        listed = ",".join(f"{name}={share:g}" for name, share in shares.items()) or "nothing"
        raise InputError(f"{listed} are not shares of a whole (their sum is {total:g}); try train=.8,dev=.1,test=.1")


def _wanted(counts: Counter[str], shares: Mapping[str, float], *, balance: bool) -> dict[str, dict[str, float]]:
    """How many claims of each label each part should have."""
    if not balance:
        return {name: {label: share * count for label, count in counts.items()} for name, share in shares.items()}
    largest = max(shares, key=lambda name: shares[name])
    others = 1 - shares[largest]
    wanted: dict[str, dict[str, float]] = {}
    for name, share in shares.items():
        if name != largest:
            # What is rare must also be learnt: half of each label stays in the largest part.
            most = {label: count / 2 * share / others for label, count in counts.items()}
            wanted[name] = _evenly(share * counts.total(), most)
    rest = {label: count - sum(part[label] for part in wanted.values()) for label, count in counts.items()}
    return {**wanted, largest: rest}


def _evenly(size: float, most: Mapping[str, float]) -> dict[str, float]:
    """A number of claims over labels as evenly as can be, none more often than it may."""
    found: dict[str, float] = {}
    for label in sorted(most, key=lambda label: (most[label], label)):
        found[label] = min(most[label], (size - sum(found.values())) / (len(most) - len(found)))
    return found


def _in_order(found: list[list[int]], seed: int) -> list[list[int]]:
    """Large groups first, as small ones fill the gaps; among equals as the seed has it."""
    random.Random(seed).shuffle(found)
    return sorted(found, key=len, reverse=True)


def _cost(have: Counter[str], wanted: Mapping[str, float], brought: Counter[str]) -> float:
    """How much further from what is wanted a part would be with a group than without it."""
    cost = 0.0
    for label, count in brought.items():
        before = have[label] - wanted[label]
        cost += ((before + count) ** 2 - before**2) / max(wanted[label], 1e-9)
    return cost


# -- leaks -------------------------------------------------------------------------------------------------


class SimilarClaims(NamedTuple):
    """Two claims in the same or nearly the same words, by their ids, and how near they are."""

    one: str
    other: str
    near: float


@dataclass(frozen=True)
class Leaks:
    """What one part of a data set gives away about another.

    `by_page` are the claims of the second of which some page of evidence is also one of the first's, `alike` those that
    stand in the first in the same or nearly the same words; `given_away` counts those of either sort, each once.
    """

    first: int
    second: int
    given_away: int
    pages: tuple[str, ...] = field(repr=False)
    by_page: tuple[str, ...] = field(repr=False)
    alike: tuple[SimilarClaims, ...] = field(repr=False)

    @property
    def identical(self) -> tuple[SimilarClaims, ...]:
        """The pairs in the same words."""
        return tuple(pair for pair in self.alike if pair.near == 1)

    @property
    def share(self) -> float:
        """The share of the second part's claims that is given away, by page or by words."""
        return self.given_away / self.second if self.second else 0.0

    def as_dict(self) -> dict[str, Any]:
        """The leaks as JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "shared_pages": list(self.pages),
            "claims_by_page": list(self.by_page),
            "identical": [pair._asdict() for pair in self.identical],
            "near": [pair._asdict() for pair in self.alike if pair.near < 1],
            "share": self.share,
        }


def leaks(first: Iterable[Example], second: Iterable[Example], threshold: float = NEAR_DUPLICATE) -> Leaks:
    """What the first part gives away about the second: shared pages, identical and nearly identical claims."""
    mine, theirs = list(map(_compared_claim, first)), list(map(_compared_claim, second))
    known = frozenset(page for each in mine for page in each.pages)
    pairs = near_duplicates([each.text for each in mine], [each.text for each in theirs], threshold)
    by_page = [place for place, each in enumerate(theirs) if not known.isdisjoint(each.pages)]
    return Leaks(
        len(mine),
        len(theirs),
        # Counted by their places: ids may come twice.
        len({*by_page, *(other for _, other, _ in pairs)}),
        tuple(sorted(known & {page for each in theirs for page in each.pages})),
        tuple(theirs[place].id for place in by_page),
        tuple(SimilarClaims(mine[one].id, theirs[other].id, near) for one, other, near in pairs),
    )


class _ComparedClaim(NamedTuple):
    """What is compared of a claim; records are large and need not be held."""

    id: str
    text: str
    pages: frozenset[str]


def _compared_claim(example: Example) -> _ComparedClaim:
    return _ComparedClaim(example.claim.id, example.claim.text, pages_of(example))


def leaks_between(
    parts: Mapping[str, Sequence[Example]], threshold: float = NEAR_DUPLICATE
) -> Iterator[tuple[str, str, Leaks]]:
    """The leaks from each part to each later one."""
    names = list(parts)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            yield one, other, leaks(parts[one], parts[other], threshold)
