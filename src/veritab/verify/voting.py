"""What was computed joins the verdict: the reasoner's answer moves the scores of the one who reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from veritab.reason.reasoner import Reasoning
from veritab.schema import Label

_SURELY = 1e-4


class Weights(NamedTuple):
    """What the log-odds of the one who reads and of the one who computes are worth beside each other's."""

    reader: float = 0.59
    reasoner: float = 0.29


# Fitted on training statements that neither the reasoner nor an early reader had seen; a model whose card says nothing
# else takes them.
WEIGHTS = Weights()


def joined(scores: Mapping[Label, float], reasoning: Reasoning, weights: Weights = WEIGHTS) -> dict[Label, float]:
    """The scores of a verdict model with the reasoner's vote: how SUPPORTS and REFUTES share what they have together.

    A reasoner that cannot say moves nothing, and none moves NOT ENOUGH INFO: that is for who reads the evidence.
    """
    supports, refutes = scores[Label.SUPPORTS], scores[Label.REFUTES]
    together = supports + refutes
    if reasoning.answer is None or together <= 0:
        return dict(scores)
    odds = weights.reader * _log_odds(supports / together) + weights.reasoner * _log_odds(reasoning.true)
    share = 1 / (1 + math.exp(-odds))
    return {**scores, Label.SUPPORTS: share * together, Label.REFUTES: (1 - share) * together}


def alone(reasoning: Reasoning) -> dict[Label, float]:
    """The scores where nobody reads: how far a computed label may be trusted.

    SUPPORTS and REFUTES share what the reasoner is sure of as it shares it, and NOT ENOUGH INFO has the rest; where the
    reasoner does not decide, they share half of that.
    """
    told = reasoning.confidence if reasoning.answer is not None else reasoning.confidence / 2
    supports, refutes = reasoning.true * told, (1 - reasoning.true) * told
    return {Label.SUPPORTS: supports, Label.REFUTES: refutes, Label.NOT_ENOUGH_INFO: 1 - supports - refutes}


def _log_odds(probability: float) -> float:
    sure = min(max(probability, _SURELY), 1 - _SURELY)
    return math.log(sure / (1 - sure))
