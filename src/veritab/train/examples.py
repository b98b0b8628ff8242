"""What models are taught with: a claim beside evidence, a claim beside a candidate, a claim beside passages."""

from __future__ import annotations

from typing import NamedTuple

from veritab.models.candidates import CandidateText


class VerdictExample(NamedTuple):
    """A claim, the evidence it is judged by as the model will read it, and what it is."""

    claim: str
    evidence: str
    label: int
    """0 SUPPORTS, 1 REFUTES, 2 NOT ENOUGH INFO."""


class SelectorExample(NamedTuple):
    """A claim, something found for it, whether that bears on the claim, and which cells of it do."""

    claim: str
    candidate: CandidateText
    relevant: bool
    cells: tuple[bool, ...]


class EncoderExample(NamedTuple):
    """A claim, a passage that decides it, and passages that do not."""

    query: str
    positive: str
    negatives: tuple[str, ...]
