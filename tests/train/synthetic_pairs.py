"""Pairs of a synthetic world, whose labels can be told from their evidence, from their claims, or not at all."""

from __future__ import annotations

import random
from collections.abc import Iterable

from veritab.papers.baselines.measures import FitProgress
from veritab.train.examples import VerdictExample

NAMES = "ada bert carl dora emil fay gus hana ivan jane kurt lena".split()
PLACES = "paris london oslo rome vienna madrid berlin lisbon".split()
COLOURS = "red green blue white black brown".split()


def by_evidence(count: int, seed: int = 0) -> list[VerdictExample]:
    """Pairs that only their evidence tells apart: it says so, says it is not so, or speaks of something else."""
    rng = random.Random(seed)
    pairs = []
    for number in range(count):
        name, place, label = rng.choice(NAMES), rng.choice(PLACES), number % 3
        said = [f"{name} lives in {place}", f"{name} never lived in {place}", f"a {rng.choice(COLOURS)} house"]
        pairs.append(VerdictExample(f"{name} lives in {place}", said[label], label))
    return pairs


def by_claim(count: int, seed: int = 0) -> list[VerdictExample]:
    """Pairs whose claims give their labels away."""
    rng = random.Random(seed)
    words = ["is", "is not", "may be"]
    return [VerdictExample(f"{rng.choice(NAMES)} {words[n % 3]} here", "nothing", n % 3) for n in range(count)]


def by_chance(count: int, seed: int = 0) -> list[VerdictExample]:
    """Pairs whose labels have nothing to do with what they say."""
    rng = random.Random(seed)
    return [VerdictExample(pair.claim, pair.evidence, rng.randrange(3)) for pair in by_evidence(count, seed)]


def losses(steps: Iterable[FitProgress]) -> list[float]:
    return [step.values["loss"] for step in steps if "loss" in step.values]
