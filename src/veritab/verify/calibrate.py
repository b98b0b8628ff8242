"""Calibration: logits become probabilities, and probabilities become the scores of a verdict.

Fitted on development data and kept in the `calibration` table of a model's card; a profile, for a use of its own such
as a task with two labels, is a table inside it under the name of that use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from veritab.errors import FormatError, InputError, nearest_name
from veritab.schema import Label

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.floating[Any]]

Ways: TypeAlias = Literal[2, 3]
NotEnough: TypeAlias = Literal["excluded", "merged"]
"""What two-way tasks do with NOT ENOUGH INFO: leave it out, or count it as REFUTES."""

LABELS = tuple(Label)
DEFAULT = "default"
"""The profile of whatever has none of its own."""
_EQUAL = (1 / 3, 1 / 3, 1 / 3)
_NO_LONGER = ("reader", "reasoner")
"""The weights of an ensemble that cards used to have: what is computed decides now, and a combiner weighs the rest."""


@dataclass(frozen=True)
class Calibration:
    """What was fitted on development data: a temperature, thresholds, abstention."""

    temperature: float = 1.0
    """Logits are divided by it before they become probabilities."""
    thresholds: tuple[float, float, float] = _EQUAL
    """Scores are probabilities divided by the thresholds of their labels, made to sum to one again."""
    gamma: float = 0.0
    """What SUPPORTS gets ahead of REFUTES where there are two labels only (FaVIQ, section 4.2).

    The label is SUPPORTS where its probability is above (1 - gamma) / 2; the scores are moved so that they agree.
    """
    nei: NotEnough = "excluded"
    """What becomes of NOT ENOUGH INFO where there are two labels only; gamma was fitted for that."""
    abstain: float = 0.0
    """Abstention: below this probability of the label, the answer is NOT ENOUGH INFO."""

    def __post_init__(self) -> None:
        for name in _NUMBERS:
            value = getattr(self, name)
            numbers = value if name == "thresholds" else (value,)
            if not all(math.isfinite(number) for number in numbers):
                raise InputError(f"the calibration's {name} is {value!r}; expected finite numbers")
        if self.nei not in get_args(NotEnough):
            raise InputError(f"the calibration's nei is {self.nei!r}; expected 'excluded' or 'merged'")
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

    def final_scores(self, probabilities: Mapping[Label, float], *, ways: Ways = 3) -> dict[Label, float]:
        """The scores of a verdict, after thresholds and abstention: its label is the one with the highest.

        Probabilities of two ways are those that `two_way` made of three.
        """
        if ways == 2:
            raised = {
                Label.SUPPORTS: probabilities[Label.SUPPORTS] * (1 + self.gamma),
                Label.REFUTES: probabilities[Label.REFUTES] * (1 - self.gamma),
                Label.NOT_ENOUGH_INFO: 0.0,
            }
        else:
            raised = {label: probabilities[label] / each for label, each in zip(LABELS, self.thresholds, strict=True)}
        best = best_label(raised)
        if best is not Label.NOT_ENOUGH_INFO and probabilities[best] < self.abstain:
            # NOT ENOUGH INFO wins by the odds that the label is short of.
            sure = probabilities[best]
            short = (1 - self.abstain) * sure
            if short <= 0:
                return {label: float(label is Label.NOT_ENOUGH_INFO) for label in LABELS}
            raised[Label.NOT_ENOUGH_INFO] = max(
                raised[Label.NOT_ENOUGH_INFO], raised[best] * self.abstain * (1 - sure) / short
            )
        total = sum(raised.values())
        return {label: score / total for label, score in raised.items()} if total > 0 else dict(probabilities)

    def table(self) -> dict[str, Any]:
        """The `calibration` table of a card."""
        values: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        values["thresholds"] = dict(zip(map(str, LABELS), self.thresholds, strict=True))
        return values

    @classmethod
    def of(cls, table: Mapping[str, Any], profile: str = DEFAULT) -> Calibration:
        """Read the `calibration` table of a card, as one of its profiles has it.

        What a profile does not say is as the table around it says, and what that does not say either is as if nothing
        had been fitted.
        """
        known = cls.profiles(table)
        if profile not in known:
            raise InputError(f"no profile {profile!r}; known are {', '.join(map(repr, known))}")
        return known[profile]

    @classmethod
    def profiles(cls, table: Mapping[str, Any]) -> dict[str, Calibration]:
        """Every profile in the `calibration` table of a card, that of whatever has none of its own first."""
        named = {name: value for name, value in table.items() if isinstance(value, Mapping) and name not in _KNOWN}
        if DEFAULT in named:
            raise FormatError(f"a profile is called {DEFAULT!r}; write what it holds into the table around it")
        around = {name: value for name, value in table.items() if name not in named}
        return {DEFAULT: _read(around)} | {name: _read({**around, **own}) for name, own in named.items()}


_KNOWN = tuple(each.name for each in fields(Calibration))
_NUMBERS = tuple(name for name in _KNOWN if name != "nei")


def _read(table: Mapping[str, Any]) -> Calibration:
    values: dict[str, Any] = {}
    for name, value in table.items():
        match name:
            case "thresholds":
                values[name] = _thresholds(value)
            case "nei":
                values[name] = value
            case _ if name in _KNOWN:
                values[name] = _number(name, value)
            case _ if name in _NO_LONGER:
                raise FormatError(f"a calibration has no {name!r} any more; remove it, or fit the card again")
            case _:
                raise FormatError(f"a calibration has no {name!r}; did you mean {nearest_name(name, _KNOWN)!r}?")
    return Calibration(**values)


def scores_of(probabilities: Sequence[float] | Numbers) -> dict[Label, float]:
    """Three probabilities by their labels."""
    return {label: float(value) for label, value in zip(LABELS, probabilities, strict=True)}


def best_label(scores: Mapping[Label, float]) -> Label:
    """The label with the highest score, the first of equal ones."""
    return max(LABELS, key=lambda label: scores[label])


def two_way(scores: Mapping[Label, float], nei: NotEnough = "excluded") -> dict[Label, float]:
    """The scores of a task that knows SUPPORTS and REFUTES only."""
    supports, refutes = scores[Label.SUPPORTS], scores[Label.REFUTES]
    if nei == "excluded":
        together = supports + refutes
        supports = supports / together if together > 0 else 0.5
    return {Label.SUPPORTS: supports, Label.REFUTES: 1 - supports, Label.NOT_ENOUGH_INFO: 0.0}


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
