"""The rows that figures are measured on: claims with their votes, and rounds that came to a vote or ran out of time."""

from __future__ import annotations

from typing import NamedTuple

from veritab.audit.audit_rows import Votes
from veritab.schema import Label


class GameClaimRow(NamedTuple):
    """A claim that stands, with every vote on it, imported ones too."""

    id: int
    text: str
    truth: bool
    topic: str
    author: int | None
    """Nobody where it was imported."""
    votes: int
    right: int
    likes: int
    checker: str = ""
    """The label that the checker gave it by its gold; empty until it is asked."""

    @property
    def label(self) -> Label:
        return Label.SUPPORTS if self.truth else Label.REFUTES

    @property
    def judged(self) -> Votes:
        return Votes(self.right, self.votes)


class GameRoundRow(NamedTuple):
    """A round that counts: somebody's first meeting with two claims that stand."""

    id: int
    voter: int | None
    """Nobody where the checker played."""
    true_claim: int
    false_claim: int
    is_over: bool
    """Whether there was a vote; else time ran out."""
    spotted: bool
    true_hints: int
    false_hints: int
    seconds: float
    """From the opening to the end."""
    chose_left: bool

    @property
    def hints(self) -> int:
        return self.true_hints + self.false_hints
