"""Verdicts without a model: what can be computed over evidence decides alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veritab.reason.page import page_reasoning
from veritab.schema import COMPUTED, Claim, Hit, Verdict
from veritab.verify.reading import Given
from veritab.verify.verdicts import Known
from veritab.verify.voting import alone


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
    return Verdict(claim, reasoning.label, alone(reasoning), hits, reasoning.lines, {**computed, "facts": facts})
