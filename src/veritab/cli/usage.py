"""What is wrong with the words of a command, said as everything else is: the value and the remedy, in a line."""

from __future__ import annotations

import re
from typing import Any

from veritab.errors import InputError, nearest_name

# What the library that reads numbers calls its complaints.
_LIMITS = {"greater_than_equal": ("ge", "{} or more"), "less_than_equal": ("le", "{} or less")}
_NUMBERS = {"int_parsing": "a whole number", "int_from_float": "a whole number", "float_parsing": "a number"}
_LIKE = 0.6
_EXTRA = re.compile(r"Got unexpected extra arguments? ?\(?s?\)? ?\((.*)\)", re.DOTALL)
_NO_COMMAND = re.compile(r"No such command '(.*?)'", re.DOTALL)
_NO_VALUE = re.compile(r"Option '(.*?)' requires")


def is_usage_error(error: Exception) -> bool:
    """Whether an error is about the words of a command; the class differs between versions of the library."""
    return hasattr(error, "format_message") and getattr(error, "exit_code", None) == InputError.exit_code


def is_help(error: Exception) -> bool:
    """Whether an error is the help that is shown where no command is named."""
    return type(error).__name__ == "NoArgsIsHelpError"


def describe_usage_error(error: Any) -> str:
    """What is wrong, and the command that lists what would be right."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "veritab"
    what = _describe(error, context)
    return f"{what}{' S' if what.endswith('?') else '; s'}ee: {command} -h"


def _describe(error: Any, context: Any) -> str:
    message: str = error.format_message()
    if hasattr(error, "option_name") and hasattr(error, "possibilities"):
        nearest = nearest_name(error.option_name, _options(context), _LIKE)
        return f"there is no option {error.option_name}{f'; did you mean {nearest}?' if nearest else ''}"
    if found := _NO_VALUE.search(message):
        return f"{found[1]} needs a value"
    parameter = getattr(error, "param", None)
    if parameter is not None:
        is_option = parameter.param_type_name == "option"
        name = parameter.opts[0] if is_option else parameter.metavar or parameter.name.upper()
        is_missing = type(error).__name__ == "MissingParameter"
        return f"{name} is missing" if is_missing else f"{name} {_describe_value(error)}"
    if found := _EXTRA.search(message):
        return f"{found[1]!r} is more than is expected; put words that belong together between quotation marks"
    if found := _NO_COMMAND.search(message):
        nearest = nearest_name(found[1], list(context.command.commands) if context else [], _LIKE)
        return f"there is no command {found[1]!r}{f'; did you mean {nearest}?' if nearest else ''}"
    return message[:1].lower() + message[1:].rstrip(".")


def _options(context: Any) -> list[str]:
    parameters = context.command.get_params(context) if context else []
    return [name for parameter in parameters for name in parameter.opts if name.startswith("--")]


def _describe_value(error: Any) -> str:
    """What is wrong with the value of an option."""
    cause = error.__cause__
    if not hasattr(cause, "errors"):
        return f"cannot be read: {error.message.rstrip('.')}"
    (first, *_) = cause.errors()
    is_value = f"is {first['input']!r}"
    if first["type"] in _LIMITS:
        name, limit = _LIMITS[first["type"]]
        return f"{is_value}; it must be {limit.format(first['ctx'][name])}"
    if first["type"] in _NUMBERS:
        return f"{is_value}; expected {_NUMBERS[first['type']]}"
    return f"is wrong: {first['msg'].removeprefix('Value error, ').rstrip('.')}"
