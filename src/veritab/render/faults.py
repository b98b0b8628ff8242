"""What is wrong with the values that a program sent, in words of ours: validators name rules, people need remedies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

FaultPlace: TypeAlias = tuple[str | int, ...]

_TEXT, _WHOLE, _NUMBER, _LOGICAL, _LIST, _OBJECT = (
    ("a text",), ("a whole number",), ("a number",), ("true", "false"), ("a list",), ("an object",)
)  # fmt: skip
_EXPECTED: Mapping[str, tuple[str, ...]] = {
    "string_type": _TEXT,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing_size": ("a whole number of fewer digits",),
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": ("a finite one",),
    "bool_type": _LOGICAL,
    "bool_parsing": _LOGICAL,
    "list_type": _LIST,
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "none_required": ("null",),
}
"""What a validator that refused a value wanted instead; where several were tried, any of theirs will do."""
_UPLOAD = "Expected UploadFile"


class InputFault(NamedTuple):
    """One thing that is wrong, and where."""

    place: FaultPlace
    what: str

    @property
    def where(self) -> str:
        """The place as `body.claims.3`."""
        return ".".join(map(str, self.place))


def describe_faults(errors: Iterable[Mapping[str, Any]], sent: Any, within: FaultPlace = ("body",)) -> list[InputFault]:
    """What pydantic found wrong with what was sent, once for each place.

    Where a value may be of several kinds, pydantic reports one error for each, and writes the kind into the location;
    `sent`, the value that locations `within` this one lead into, tells names apart from kinds.
    """
    by_place: dict[FaultPlace, list[Mapping[str, Any]]] = {}
    for error in errors:
        by_place.setdefault(_find_place(error, sent, within), []).append(error)
    return [
        InputFault(place, _describe(several))
        for place, several in by_place.items()
        # One kind wanted something else here, and another went on and found fault further in, which says more.
        if not any(place == other[: len(place)] and len(place) < len(other) for other in by_place)
    ]


def _find_place(error: Mapping[str, Any], sent: Any, within: FaultPlace) -> FaultPlace:
    location, inside = tuple(error["loc"]), len(within)
    if location[:inside] != within:
        return location
    place, value = list(within), sent
    for number, part in enumerate(location[inside:], inside + 1):
        if _holds(value, part):
            place.append(part)
            value = value[part]
        elif error["type"] == "missing" and number == len(location):
            place.append(part)
    return tuple(place)


def _holds(value: Any, part: str | int) -> bool:
    if isinstance(part, int):
        return isinstance(value, list) and part < len(value)
    return isinstance(value, Mapping) and part in value


def _describe(errors: Sequence[Mapping[str, Any]]) -> str:
    """The errors of one place in a few words; what a kind of value lacks says more than that others were refused."""
    telling = next((error for error in errors if error["type"] not in _EXPECTED), None)
    if telling is not None:
        return _describe_one(telling)
    expected = dict.fromkeys(word for error in errors for word in _EXPECTED[error["type"]])
    words = [word for word in expected if (word,) != _WHOLE or _NUMBER[0] not in expected]
    return f"it is {_name_kind(errors[0].get('input'))}; expected {_list(words)}"


def _describe_one(error: Mapping[str, Any]) -> str:
    context = error.get("ctx") or {}
    match error["type"]:
        case "missing":
            return "it is missing"
        case "extra_forbidden" | "unexpected_keyword_argument":
            return "nothing of this name is known here; leave it out"
        case "string_too_short":
            return "it is empty; write something"
        case "too_short":
            return "it is an empty list; give one at least"
        case "string_too_long" | "too_long":
            most, things = context["max_length"], "characters" if error["type"] == "string_too_long" else "entries"
            return f"it has {len(error['input']):,} {things}; at most {most:,} are read"
        case "string_unicode":
            return "it holds half of a character (a lone surrogate), which no text has; leave it out"
        case "literal_error":
            return f"it is none of {context['expected']}"
        case "greater_than_equal":
            return f"it is too small; give {context['ge']} or more"
        case "less_than_equal":
            return f"it is too large; give {context['le']} or less"
        case "json_invalid":
            return f"it is not JSON; look at character {error['loc'][-1]}"
        case "value_error" if str(context.get("error", "")).startswith(_UPLOAD):
            return "it is no file; choose one and send it again"
        case "value_error" if "error" in context:
            return str(context["error"])
        case _:
            return "it cannot be understood"


def _name_kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return "of another kind"


def _list(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
