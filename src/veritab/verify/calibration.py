"""How sure a verdict may be: logits become probabilities that can be believed, and probabilities become labels.

Fitted on development data and kept in the `calibration` table of a model's card; one for a use of its own, such as a
task with two labels, is kept in a table inside it, a profile, under the name of that use.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

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
DEFAULT = "default"
"""The profile of whatever has none of its own."""
_EQUAL = (1 / 3, 1 / 3, 1 / 3)


@dataclass(frozen=True)
class Calibration:
    """What was fitted on development data: how to read a model's logits, and where its labels begin."""

    temperature: float = 1.0
    """Logits are divided by it before they become probabilities."""
    thresholds: tuple[float, float, float] = _EQUAL
    """Of three labels, the one whose probability is highest for its threshold is chosen."""
    gamma: float = 0.0
    """What SUPPORTS gets ahead of REFUTES where there are two labels only (FaVIQ, section 4.2).

    The label is SUPPORTS where its probability is above (1 - gamma) / 2.
    """
    nei: NotEnough = "excluded"
    """What becomes of NOT ENOUGH INFO where there are two labels only; gamma was fitted for that."""
    abstain: float = 0.0
    """Below this probability of the label, the answer is NOT ENOUGH INFO."""
    reader: float = WEIGHTS.reader
    """What the model's log-odds count beside the reasoner's, where that decides."""
    reasoner: float = WEIGHTS.reasoner
    """What the reasoner's log-odds count beside the model's."""

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
            case _:
                near = difflib.get_close_matches(name, _KNOWN, 1) or _KNOWN
                raise FormatError(f"a calibration has no {name!r}; did you mean {near[0]!r}?")
    return Calibration(**values)


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
