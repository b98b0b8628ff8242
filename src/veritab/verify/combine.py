"""The combiner: features of a claim and its evidence become the scores of the labels.

A multinomial logistic regression, fitted end to end on claims that no model was trained on, with the evidence that
retrieval brought for them (`retrieved`) and with evidence given (`given`). Its weights are in the card of the verdict
model whose answers it weighs, so that anybody can read what counts for what.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from veritab.errors import FormatError
from veritab.schema import Evidence, Label
from veritab.verify.calibrate import LABELS

RETRIEVED, GIVEN = "retrieved", "given"
BIAS = "bias"
PARTS = "parts"


@dataclass(frozen=True)
class Combiner:
    """The weight of each feature for each label."""

    weights: Mapping[Label, Mapping[str, float]]
    parts: float = 0.5
    """How much the parts of a claim count beside the claim as a whole, 0 to 1."""

    def scores(self, features: Mapping[str, float]) -> dict[Label, float]:
        """The probability of each label."""
        logits = {
            label: own.get(BIAS, 0.0) + sum(own.get(name, 0.0) * value for name, value in features.items())
            for label, own in self.weights.items()
        }
        highest = max(logits.values())
        raised = {label: math.exp(logits[label] - highest) for label in LABELS}
        total = sum(raised.values())
        return {label: value / total for label, value in raised.items()}

    def table(self) -> dict[str, Any]:
        """The combiner as a table of a card."""
        return {**{str(label): dict(own) for label, own in self.weights.items()}, PARTS: self.parts}


@dataclass(frozen=True)
class Combiners:
    """One for evidence that was retrieved, one for evidence that a caller gives."""

    retrieved: Combiner
    given: Combiner

    def of(self, evidence: Evidence) -> Combiner:
        return self.retrieved if evidence.ranked else self.given

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Combiners | None:
        """The combiners in the `combiner` table of a card; None where it has none."""
        if not table:
            return None
        unknown = set(table) - {RETRIEVED, GIVEN}
        if unknown or len(table) != 2:
            raise FormatError(
                f"the combiner has the tables {', '.join(map(repr, table))}; expected retrieved and given"
            )
        return cls(_read(table[RETRIEVED], RETRIEVED), _read(table[GIVEN], GIVEN))


def _read(table: Any, name: str) -> Combiner:
    expected = [*map(str, LABELS), PARTS]
    if not isinstance(table, Mapping) or set(table) != set(expected):
        raise FormatError(f"the combiner {name!r} is {table!r}; expected {', '.join(expected)}")
    weights = {}
    for label in LABELS:
        own = table[str(label)]
        if not isinstance(own, Mapping) or not all(_is_number(value) for value in own.values()):
            raise FormatError(
                f"the weights of {label} in the combiner {name!r} are {own!r}; expected a number for each"
            )
        weights[label] = {str(feature): float(value) for feature, value in own.items()}
    parts = table[PARTS]
    if not _is_number(parts) or not 0 <= parts <= 1:
        raise FormatError(f"parts in the combiner {name!r} is {parts!r}; expected a number from 0 to 1")
    return Combiner(weights, float(parts))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
