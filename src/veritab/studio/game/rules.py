"""The rules of the game as one value: every number that Fool Me Twice's paper or its published code gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from veritab.errors import InputError, nearest_name, short_repr


@dataclass(frozen=True)
class Rules:
    """What a game counts by. The defaults are the paper's; what the paper leaves open is the published code's."""

    vote_seconds: int = 180
    """The clock of a vote (table 4)."""
    most_points: int = 120
    """What a round is worth: a point for each second (footnote 3)."""
    hint_seconds: int = 30
    """What a hint takes off the clock (table 4, figure 3)."""
    writing_points: int = 0
    """What an author gets for a claim."""
    like_points: int = 10
    """What an author gets when a voter finds the claim the more interesting one."""
    writing_seconds: int = 480
    """How long a claim may take to write."""
    hints: int = 10
    """How many hints a claim has at most, before its gold evidence."""
    takes_turns: bool = True
    """Whether writing and voting alternate."""
    room_seats: int = 8
    """How many people play in one room at most."""
    checker_margin: float = 0.3
    """How far apart the checker must find two claims before it votes on them."""
    checker_seconds: int = 12
    """How long the checker waits between two looks at a pair, as somebody who reads would."""

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            if not least <= getattr(self, name) <= most:
                raise InputError(f"{name} is {getattr(self, name)}; it must be {least} or more, up to {most:,}")

    @classmethod
    def preset(cls, name: str) -> Self:
        """The rules of the "paper", or of the published "code"."""
        if name not in PRESETS:
            raise InputError(f"there are no rules {short_repr(name)}; expected one of {', '.join(PRESETS)}")
        return cls(**PRESETS[name])

    @classmethod
    def parse(cls, table: Mapping[str, Any]) -> Self:
        """Rules from JSON; what is not said is the paper's."""
        return cls().changed(table)

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """These rules with others in place of some."""
        return dataclasses.replace(self, **{name: _checked(name, value) for name, value in changes.items()})

    def as_dict(self) -> dict[str, Any]:
        """The rules as JSON."""
        return dataclasses.asdict(self)


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "paper": {},
    "code": {"hint_seconds": 10, "writing_points": 100},
}
_HOUR = 3600
_RANGES: Mapping[str, tuple[float, float]] = {
    "vote_seconds": (10, _HOUR),
    "most_points": (1, 10_000),
    "hint_seconds": (0, _HOUR),
    "writing_points": (0, 10_000),
    "like_points": (0, 10_000),
    "writing_seconds": (30, 24 * _HOUR),
    "hints": (0, 50),
    "room_seats": (2, 50),
    "checker_margin": (0, 1),
    "checker_seconds": (0, _HOUR),
}


def _checked(name: str, value: Any) -> Any:
    fields = {each.name: each for each in dataclasses.fields(Rules)}
    if name not in fields:
        raise InputError(f"the game has no rule {name!r}; did you mean {nearest_name(name, fields)!r}?")
    usual = fields[name].default
    if isinstance(usual, bool):
        is_right, wanted = type(value) is bool, "true or false"
    elif isinstance(usual, int):
        is_right, wanted = type(value) is int, "a whole number"
    else:
        is_right, wanted = type(value) in (int, float), "a number"
    if not is_right:
        raise InputError(f"{name} is {short_repr(value)}; expected {wanted}, e.g. {str(usual).lower()}")
    return value
