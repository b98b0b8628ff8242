"""What was computed joins the verdict: the reasoner's answer moves the scores, its lines and cells are shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from veritab.reason.reasoner import Reasoning
from veritab.schema import Element, ElementId, Hit, Label, Verdict

# Fitted by `python -m benchmarks.reasoning_joined` on training statements that neither the reasoner nor the reader had
# seen: what each one's log-odds are worth beside the other's.
_READER, _REASONER = 0.59, 0.29
_SURELY = 1e-4


def joined(scores: Mapping[Label, float], reasoning: Reasoning) -> dict[Label, float]:
    """The scores of a verdict model with the reasoner's vote: how SUPPORTS and REFUTES share what they have together.

    A reasoner that cannot say moves nothing, and none moves NOT ENOUGH INFO: that is for who reads the evidence.
    """
    supports, refutes = scores[Label.SUPPORTS], scores[Label.REFUTES]
    if reasoning.answer is None or supports + refutes <= 0:
        return dict(scores)
    odds = _READER * _log_odds(supports / (supports + refutes)) + _REASONER * _log_odds(reasoning.true)
    share = 1 / (1 + math.exp(-odds))
    together = supports + refutes
    return {**scores, Label.SUPPORTS: share * together, Label.REFUTES: (1 - share) * together}


def with_reasoning(verdict: Verdict, reasoning: Reasoning, element: Callable[[ElementId], Element]) -> Verdict:
    """A verdict that takes the computation into account: its scores, its label, its evidence and what it says."""
    if reasoning.answer is None:
        return verdict
    scores = joined(verdict.scores, reasoning)
    known = {hit.element.id for hit in verdict.evidence}
    read = tuple(
        Hit(element(id), reasoning.confidence, "reasoner") for id in dict.fromkeys(reasoning.cells) if id not in known
    )
    label = max(scores, key=lambda each: scores[each])
    return replace(
        verdict,
        label=label,
        scores=scores,
        evidence=verdict.evidence + read,
        reasoning=verdict.reasoning + reasoning.lines,
    )


def _log_odds(probability: float) -> float:
    sure = min(max(probability, _SURELY), 1 - _SURELY)
    return math.log(sure / (1 - sure))
