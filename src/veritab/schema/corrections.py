"""Corrections: the edits that put a refuted claim right, and the evidence that asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from veritab.schema.pages import ElementId
from veritab.schema.verdicts import Claim, Hit, Verdict


class Edit(NamedTuple):
    """Words of a claim and those that take their place."""

    start: int
    end: int
    old: str
    new: str
    kind: str
    """What is changed: a number, a date, a name, a nationality, a comparison, an order, a negation or other words."""
    source: ElementId | None = None
    """The element of the evidence that says the new words; None where no single one does."""


def apply_edits(claim: str, edits: Iterable[Edit]) -> str:
    """The claim with the edits made, which do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        claim = f"{claim[: edit.start]}{edit.new}{claim[edit.end :]}"
    return claim


class CorrectionOutcome(StrEnum):
    """What came of trying to correct a claim."""

    CORRECTED = "corrected"
    HOLDS = "nothing to correct"
    OPEN = "not enough info"
    NONE = "no correction found"


_SENTENCES = {
    CorrectionOutcome.CORRECTED: "With this edit, the evidence supports the claim.",
    CorrectionOutcome.HOLDS: "The evidence supports the claim as it is, so there is nothing to correct.",
    CorrectionOutcome.OPEN: "The evidence does not settle the claim, so it does not tell what would be true.",
    CorrectionOutcome.NONE: "No small edit makes a claim of it that the evidence clearly supports.",
}


@dataclass(frozen=True, slots=True)
class Correction:
    """The verdict on a claim, and where it was refuted the edits that put it right, if any do."""

    verdict: Verdict
    outcome: CorrectionOutcome
    edits: tuple[Edit, ...] = ()
    """In the order of the claim."""
    corrected: Verdict | None = None
    """The verdict on the claim with the edits made."""
    evidence: tuple[Hit, ...] = ()
    """The evidence that asks for the edits."""
    tried: int = 0
    """How many edited claims were read."""

    @property
    def claim(self) -> Claim:
        return self.verdict.claim

    @property
    def text(self) -> str:
        """The corrected claim; empty where there is none."""
        return apply_edits(self.claim.text, self.edits) if self.edits else ""

    @property
    def sentence(self) -> str:
        """The outcome, for people."""
        return _SENTENCES[self.outcome]
