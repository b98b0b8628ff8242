"""The settings of a fit as a frozen dataclass, read strictly: a misspelt name or a wrong type is an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from veritab.errors import InputError, nearest_name

Config = TypeVar("Config")
_RENAMED = {"longest": "max_tokens", "longest_gradient": "clip", "met": "min_count"}
"""What recipes used to call settings; the old names are refused with the new ones."""


def read_config(kind: type[Config], given: Mapping[str, Any], what: str) -> Config:
    """The settings with what is given in place of their defaults; `what` names their owner in an error."""
    defaults = {field.name: field.default for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in given.items():
        if name in _RENAMED and name not in defaults:
            raise InputError(f"the setting {name!r} of {what} is called {_RENAMED[name]!r} now")
        if name not in defaults:
            raise InputError(f"{what} has no setting {name!r}; {suggest_name(name, defaults)}")
        if not _fits(value, defaults[name]):
            expected = type(defaults[name]).__name__
            raise InputError(f"{name} of {what} is {value!r}; expected a value like {defaults[name]!r} ({expected})")
    return kind(**given)


def suggest_name(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, then all of them."""
    names = sorted(known)
    similar = nearest_name(name, names)
    return f"did you mean {similar!r}? Known: {', '.join(names)}" if similar else "there are none"


def _fits(value: object, default: object) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    return isinstance(value, int | float if isinstance(default, float) else type(default))
