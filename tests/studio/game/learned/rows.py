"""Claims and rounds as plain rows, by hand or simulated."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy

from veritab.studio.game.learned.rows import GameClaimRow, GameRoundRow

_NUMBERS = count(1)


def a_claim(id: int, truth: bool = True, votes: int = 0, right: int = 0, **about: Any) -> GameClaimRow:
    given = {"text": f"Claim {id} is a claim.", "topic": "Rivers", "author": None, "likes": 0, **about}
    return GameClaimRow(id=id, truth=truth, votes=votes, right=right, **given)


def a_round(true_claim: int, false_claim: int, spotted: bool = True, **about: Any) -> GameRoundRow:
    given = {
        "id": next(_NUMBERS),
        "voter": 1,
        "is_over": True,
        "true_hints": 0,
        "false_hints": 0,
        "seconds": 60.0,
        "chose_left": True,
        **about,
    }
    return GameRoundRow(true_claim=true_claim, false_claim=false_claim, spotted=spotted, **given)


def simulate(
    players: int,
    claims: int,
    rounds: int,
    *,
    skill: float = 0.8,
    difficulty: float = 0.7,
    ease: float = 1.4,
    seed: int = 1,
) -> tuple[list[float], list[float], list[GameRoundRow]]:
    """Rounds by the model: players are numbered from 0, true claims too, and false ones after them."""
    random = numpy.random.default_rng(seed)
    skills, difficulties = random.normal(0, skill, players), random.normal(0, difficulty, 2 * claims)
    voters, true = random.integers(0, players, rounds), random.integers(0, claims, rounds)
    false = random.integers(claims, 2 * claims, rounds)
    logits = ease + skills[voters] - difficulties[true] - difficulties[false]
    spotted = random.random(rounds) < 1 / (1 + numpy.exp(-logits))
    made = [
        a_round(int(one), int(other), bool(right), voter=int(voter))
        for voter, one, other, right in zip(voters, true, false, spotted, strict=True)
    ]
    return skills.tolist(), difficulties.tolist(), made
