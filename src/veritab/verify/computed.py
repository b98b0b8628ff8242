"""Verdicts without a model: what can be computed over evidence decides alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veritab.reason.page import page_reasoning
from veritab.reason.reasoner import Reasoning
from veritab.schema import COMPUTED, Claim, Hit, Label, Verdict
from veritab.verify.reading import Given
from veritab.verify.verdicts import Known


@dataclass(frozen=True)
class ComputingVerifier:
    """Judges claims by computation; where nothing can be computed, the answer is NOT ENOUGH INFO."""

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Sequence[Hit]]) -> list[Verdict]:
        """What the evidence found for each claim says of it."""
        return self.judge(claims, [Given([hit.element for hit in hits], ordered=True) for hits in evidence])

    def judge(self, claims: Sequence[Claim], given: Sequence[Given]) -> list[Verdict]:
        """What elements and whole tables say of each claim."""
        return [_computed(claim, each) for claim, each in zip(claims, given, strict=True)]


def _computed(claim: Claim, given: Given) -> Verdict:
    reasoning = page_reasoning(claim.text, given.tables, given.elements)
    hits = tuple(Hit(element, reasoning.confidence, COMPUTED) for element in Known(given).found(reasoning.cells))
    computed = {"computed": str(reasoning.label)} if reasoning.answer is not None else {}
    facts = [{"text": fact.text, "cells": [str(cell) for cell in fact.cells]} for fact in reasoning.facts]
    return Verdict(claim, reasoning.label, scores(reasoning), hits, reasoning.lines, {**computed, "facts": facts})


def scores(reasoning: Reasoning) -> dict[Label, float]:
    """How far a computed label may be trusted.

    SUPPORTS and REFUTES share what the reasoner is sure of as it shares it, and NOT ENOUGH INFO has the rest; where the
    reasoner does not decide, they share half of that.
    """
    told = reasoning.confidence if reasoning.answer is not None else reasoning.confidence / 2
    supports, refutes = reasoning.true * told, (1 - reasoning.true) * told
    return {Label.SUPPORTS: supports, Label.REFUTES: refutes, Label.NOT_ENOUGH_INFO: 1 - supports - refutes}
