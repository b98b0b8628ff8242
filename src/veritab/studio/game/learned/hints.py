"""What hints do: how many claims take, how often votes are right after so many, and which claims need none.

Who asks for a hint is unsure, and asks about hard claims. So shares by the number of hints compare other voters before
other claims, and do not say what one more hint would have changed for the same voter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from veritab.datasets.statistics import Spread
from veritab.evaluate.metrics import Metric, wilson
from veritab.studio.figures.values import Figure, mean_figure
from veritab.studio.game.learned.rows import GameClaimRow, GameRoundRow

LEAST_VOTERS = 3
"""How many voters have to solve a claim without a hint before it is easy."""


class HintNeed(NamedTuple):
    """How many hints of a claim were taken in rounds that were solved."""

    mean: Figure
    spread: Spread | None
    counts: Mapping[int, int]


class HintStep(NamedTuple):
    """What came after the nth hint of a round, of either claim; with number 0, of rounds as they began."""

    number: int
    reached: int
    """Rounds that came so far."""
    right: int
    """Of them, those voted on next, rightly."""
    wrong: int
    timed_out: int
    further: int
    """Of them, those in which another hint was taken."""
    share_right: Metric
    """Of the votes with exactly so many hints."""


class HintFigures(NamedTuple):
    """Hints in rounds of people, and how many claims were in them."""

    claims: int
    per_round: HintNeed
    """Of both claims together, in rounds that were solved."""
    by_label: Mapping[str, HintNeed]
    by_topic: Mapping[str, HintNeed]
    steps: tuple[HintStep, ...]
    easy: tuple[int, ...]
    """Claims that all of at least three voters solved without any hint."""


def measure_hints(claims: Mapping[int, GameClaimRow], rounds: Iterable[GameRoundRow]) -> HintFigures:
    """How many hints were taken, and what came after them."""
    per_round: Counter[int] = Counter()
    by_label: defaultdict[str, Counter[int]] = defaultdict(Counter)
    by_topic: defaultdict[str, Counter[int]] = defaultdict(Counter)
    ends: defaultdict[int, Counter[str]] = defaultdict(Counter)
    solved: Counter[int] = Counter()
    not_easy: set[int] = set()
    for each in rounds:
        if each.voter is None:
            continue
        ends[each.hints]["timed out" if not each.is_over else "right" if each.spotted else "wrong"] += 1
        both = ((each.true_claim, each.true_hints), (each.false_claim, each.false_hints))
        if each.spotted:
            per_round[each.hints] += 1
            for id, hints in both:
                by_label[claims[id].label][hints] += 1
                by_topic[claims[id].topic][hints] += 1
        for id, _ in both:
            if each.spotted and not each.hints:
                solved[id] += 1
            elif each.is_over:
                not_easy.add(id)
    easy = [
        id
        for id, voters in solved.items()
        if voters >= LEAST_VOTERS and id not in not_easy and claims[id].right == claims[id].votes
    ]
    return HintFigures(
        len(solved.keys() | not_easy),
        _need(per_round),
        {name: _need(counts) for name, counts in sorted(by_label.items(), reverse=True)},
        {name: _need(counts) for name, counts in sorted(by_topic.items())},
        _steps(ends),
        tuple(sorted(easy)),
    )


def _need(counts: Counter[int]) -> HintNeed:
    total = sum(hints * count for hints, count in counts.items())
    spread = Spread.of(counts) if counts else None
    return HintNeed(mean_figure(total, counts.total(), "solved round"), spread, dict(sorted(counts.items())))


def _steps(ends: Mapping[int, Counter[str]]) -> tuple[HintStep, ...]:
    steps = []
    further = 0
    for number in range(max(ends, default=-1), -1, -1):
        here = ends.get(number, Counter[str]())
        right, wrong = here["right"], here["wrong"]
        share = right / (right + wrong) if right + wrong else 0.0
        metric = Metric(share, *wilson(share, right + wrong), "wilson", right + wrong)
        reached = here.total() + further
        steps.append(HintStep(number, reached, right, wrong, here["timed out"], further, metric))
        further = reached
    return tuple(reversed(steps))
