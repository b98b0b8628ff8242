"""What the records of runs say about whether, and in what, the runs differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from veritab.errors import InputError

_COMPARED = ("settings", "oracle", "models", "corpus", "veritab", "tags", "answers")
_SHA256_LENGTH = 64


def refuse_different_claims(records: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse to compare runs, by name, that answer other claims, have other gold, or were scored as another task."""
    (first, base), *others = records.items()
    for name, record in others:
        for what, key in (("claims", "claims_sha256"), ("gold", "gold_sha256")):
            if base[key] != record[key]:
                data = " and ".join(_describe_data(*each, key) for each in ((first, base), (name, record)))
                raise InputError(
                    f"{first} and {name} cannot be compared: their {what} differ ({data}); run both on the same claims"
                )
        if base["task"] != record["task"]:
            raise InputError(
                f"{first} and {name} cannot be compared: {first} was scored as {base['task']}, {name} as "
                f"{record['task']}; run both with the same --task"
            )


def _describe_data(name: str, record: Mapping[str, Any], key: str) -> str:
    claims = "claim" if record["claims"] == 1 else "claims"
    return f"{name}: {record['claims']:,} {claims} of {record['dataset']}, sha256 {record[key][:12]}"


def record_differences(*records: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The settings, models, corpora and so on in which runs differ, with the value that each has."""
    flat = [dict(flatten({key: record.get(key) for key in _COMPARED})) for record in records]
    names = dict.fromkeys(name for each in flat for name in each)
    values = {name.removeprefix("settings."): tuple(_format_value(each.get(name)) for each in flat) for name in names}
    return {name: each for name, each in values.items() if len(set(each)) > 1}


def _format_value(value: Any) -> str:
    text = "–" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text[:12] if len(text) == _SHA256_LENGTH else text


def flatten(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of nested mappings, by their dotted names."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flatten(inner, f"{name}.{key}" if name else str(key))
    elif name:
        yield name, value
