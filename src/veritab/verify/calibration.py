"""How sure a verdict may be: logits become probabilities that can be believed, and probabilities become labels.

Fitted on development data and kept in the `calibration` table of a model's card.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from veritab.errors import FormatError, InputError
from veritab.schema import Label
from veritab.verify.voting import WEIGHTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.floating[Any]]

Ways: TypeAlias = Literal[2, 3]
NotEnough: TypeAlias = Literal["excluded", "merged"]
"""What two-way tasks do with NOT ENOUGH INFO: leave it out, or count it as REFUTES."""

LABELS = tuple(Label)
_EQUAL = (1 / 3, 1 / 3, 1 / 3)


@dataclass(frozen=True)
class Calibration:
    """What was fitted on development data: how to read a model's logits, and where its labels begin."""

    temperature: float = 1.0
    """Logits are divided by it before they become probabilities."""
    thresholds: tuple[float, float, float] = _EQUAL
    """The label is the one whose probability is highest for its threshold; of two labels alone, the one above it."""
    gamma: float = 0.0
    """What SUPPORTS gets ahead of REFUTES where there are two labels only (FaVIQ, section 4.2)."""
    abstain: float = 0.0
    """Below this probability of the label, the answer is NOT ENOUGH INFO."""
    reader: float = WEIGHTS.reader
    """What the model's log-odds count beside the reasoner's, where that decides."""
    reasoner: float = WEIGHTS.reasoner
    """What the reasoner's log-odds count beside the model's."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            numbers = value if each.name == "thresholds" else (value,)
            if not all(math.isfinite(number) for number in numbers):
                raise InputError(f"the calibration's {each.name} is {value!r}; expected finite numbers")
        if self.temperature <= 0:
            raise InputError(f"the temperature is {self.temperature!r}; expected a number above 0")
        if len(self.thresholds) != len(LABELS) or min(self.thresholds) <= 0:
            raise InputError(f"the thresholds are {self.thresholds!r}; expected three numbers above 0")
        if not -1 < self.gamma < 1:
            raise InputError(f"gamma is {self.gamma!r}; expected a number between -1 and 1")
        if not 0 <= self.abstain <= 1:
            raise InputError(f"the threshold to abstain is {self.abstain!r}; expected a probability, 0 to 1")

    def probabilities(self, logits: Any) -> Numbers:
        """The probabilities of SUPPORTS, REFUTES and NOT ENOUGH INFO; equal ones where a logit is no number."""
        import numpy as np

        given = np.asarray(logits, dtype=np.float64)
        readable = np.isfinite(given).all(axis=-1, keepdims=True)
        scaled = np.where(readable, given, 0.0) / self.temperature
        raised = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
        found: Numbers = raised / raised.sum(axis=-1, keepdims=True)
        return found

    def label(self, scores: Mapping[Label, float], *, ways: Ways = 3) -> Label:
        """The label that scores stand for; NOT ENOUGH INFO where none is likely enough.

        Scores of two ways are those that `two_way` made of three.
        """
        if ways == 2:
            ahead = scores[Label.SUPPORTS] + self.gamma > scores[Label.REFUTES]
            best = Label.SUPPORTS if ahead else Label.REFUTES
        else:
            best = max(LABELS, key=lambda label: scores[label] / self.thresholds[LABELS.index(label)])
        return best if scores[best] >= self.abstain else Label.NOT_ENOUGH_INFO

    def table(self) -> dict[str, Any]:
        """The `calibration` table of a card."""
        values: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        values["thresholds"] = dict(zip(map(str, LABELS), self.thresholds, strict=True))
        return values

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Calibration:
        """Read the `calibration` table of a card; what it does not say is as if nothing had been fitted."""
        known = [each.name for each in fields(cls)]
        for name in table:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1) or known
                raise FormatError(f"a calibration has no {name!r}; did you mean {near[0]!r}?")
        values: dict[str, Any] = {
            name: _thresholds(value) if name == "thresholds" else _number(name, value) for name, value in table.items()
        }
        return cls(**values)


def scores_of(probabilities: Sequence[float] | Numbers) -> dict[Label, float]:
    """Three probabilities by their labels."""
    return {label: float(value) for label, value in zip(LABELS, probabilities, strict=True)}


def two_way(scores: Mapping[Label, float], nei: NotEnough = "excluded") -> dict[Label, float]:
    """The scores of a task that knows SUPPORTS and REFUTES only."""
    supports, refutes = scores[Label.SUPPORTS], scores[Label.REFUTES]
    if nei == "excluded":
        together = supports + refutes
        supports = supports / together if together > 0 else 0.5
    return {Label.SUPPORTS: supports, Label.REFUTES: 1 - supports, Label.NOT_ENOUGH_INFO: 0.0}


def with_gamma(supports: float, refutes: float, gamma: float) -> tuple[float, float]:
    """Two probabilities moved as FaVIQ moves them: the softmax of both, SUPPORTS with gamma added."""
    share = 1 / (1 + math.exp(refutes - supports - gamma))
    return share, 1 - share


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError(f"the calibration's {name} is {value!r}; expected a number")
    return float(value)


def _thresholds(given: object) -> tuple[float, float, float]:
    if not isinstance(given, Mapping) or set(given) != set(map(str, LABELS)):
        expected = ", ".join(f"{str(label)!r} = 0.33" for label in LABELS)
        raise FormatError(f"the calibration's thresholds are {given!r}; expected {expected}")
    supports, refutes, neither = (_number(f"threshold of {label}", given[str(label)]) for label in LABELS)
    return supports, refutes, neither
