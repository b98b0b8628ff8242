"""Training examples: a claim with evidence, with a candidate, or with passages."""

from __future__ import annotations

from typing import NamedTuple

from veritab.models.candidates import CandidateText


class VerdictExample(NamedTuple):
    """A claim, its evidence as the model reads it, and its label."""

    claim: str
    evidence: str
    label: int
    """0 SUPPORTS, 1 REFUTES, 2 NOT ENOUGH INFO."""


class SelectorExample(NamedTuple):
    """A claim, a candidate for its evidence, whether it is relevant, and which of its cells are."""

    claim: str
    candidate: CandidateText
    relevant: bool
    cells: tuple[bool, ...]


class EncoderExample(NamedTuple):
    """A claim, a positive passage that decides it, and negatives that do not."""

    query: str
    positive: str
    negatives: tuple[str, ...]
