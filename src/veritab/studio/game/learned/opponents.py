"""The checker against people on the same claims: its answer by the gold, and what most voters made of the claim."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from veritab.evaluate.metrics import Metric, wilson
from veritab.evaluate.significance import mcnemar
from veritab.studio.game.learned.rows import GameClaimRow, GameRoundRow


class OpponentFigures(NamedTuple):
    """Claims that both have judged. People are right where most of their votes are; ties are left out.

    The checker reads the gold, people at most some of it, and it may say NOT ENOUGH INFO, which is never right here.
    """

    claims: int
    both: int
    people_only: int
    checker_only: int
    neither: int
    people: Metric
    checker: Metric
    p_value: float
    """McNemar's exact test of the claims on which one alone is right."""
    ties: int
    unasked: int
    """Claims with votes that the checker was not asked about yet."""
    in_rooms: Metric
    """How often the checker spotted the false claim when it sat in a room."""


def measure_opponents(claims: Iterable[GameClaimRow], rounds: Iterable[GameRoundRow]) -> OpponentFigures:
    """How the checker does beside people."""
    cells = {(people, checker): 0 for people in (True, False) for checker in (True, False)}
    ties = unasked = 0
    for claim in claims:
        if not claim.votes:
            continue
        if not claim.checker:
            unasked += 1
        elif 2 * claim.right == claim.votes:
            ties += 1
        else:
            cells[2 * claim.right > claim.votes, claim.checker == claim.label] += 1
    total = sum(cells.values())
    votes = [each.spotted for each in rounds if each.voter is None and each.is_over]
    return OpponentFigures(
        total,
        cells[True, True],
        cells[True, False],
        cells[False, True],
        cells[False, False],
        _metric(cells[True, True] + cells[True, False], total),
        _metric(cells[True, True] + cells[False, True], total),
        mcnemar(cells[True, False], cells[False, True]),
        ties,
        unasked,
        _metric(sum(votes), len(votes)),
    )


def _metric(right: int, n: int) -> Metric:
    share = right / n if n else 0.0
    return Metric(share, *wilson(share, n), "wilson", n)
