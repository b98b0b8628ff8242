"""A verdict's certificate as typed values, read with care: any verifier may have written it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from veritab.errors import InputError
from veritab.schema import ElementId, Label


@dataclass(frozen=True, slots=True)
class ModelUse:
    name: str
    sha256: str = ""
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Flip:
    id: ElementId
    to: Label


@dataclass(frozen=True, slots=True)
class Searched:
    pages: int | None = None
    read: tuple[str, ...] = ()
    candidates: int | None = None


@dataclass(frozen=True, slots=True)
class DerivedFact:
    text: str
    cells: tuple[ElementId, ...] = ()


@dataclass(frozen=True, slots=True)
class PartVerdict:
    text: str
    label: Label
    scores: Mapping[Label, float] = field(default_factory=dict)
    evidence: tuple[ElementId, ...] = ()


@dataclass(frozen=True, slots=True)
class Certificate:
    confidence: float | None = None
    calibrated: bool = True
    by: str = ""
    model: ModelUse | None = None
    smallest: tuple[ElementId, ...] | None = None
    flips: tuple[Flip, ...] | None = None
    missing: tuple[str, ...] | None = None
    searched: Searched | None = None
    facts: tuple[DerivedFact, ...] = ()
    parts: tuple[PartVerdict, ...] = ()


def read_certificate(given: Mapping[str, Any]) -> Certificate:
    """The typed certificate; what has another shape than expected is left out."""
    confidence = given.get("confidence")
    stated = float(confidence) if isinstance(confidence, int | float) else None
    searched = given.get("searched")
    flips = [
        Flip(id, label)
        for each in _list(given.get("flips"))
        if isinstance(each, Mapping)
        for id, label in [(_id(each.get("id")), _label(each.get("to")))]
        if id and label
    ]
    return Certificate(
        confidence=stated,
        calibrated=stated is not None,
        by=str(given.get("by", "")),
        model=ModelUse(str(given["model"]), str(given.get("sha256", "")), str(given.get("profile", "")))
        if given.get("model")
        else None,
        smallest=_ids(given["smallest"]) if isinstance(given.get("smallest"), list | tuple) else None,
        flips=tuple(flips) if "flips" in given else None,
        missing=tuple(map(str, _list(given["missing"]))) if "missing" in given else None,
        searched=_searched(searched) if isinstance(searched, Mapping) else None,
        facts=tuple(
            DerivedFact(str(each.get("text", "")), _ids(each.get("cells")))
            for each in _list(given.get("facts"))
            if isinstance(each, Mapping)
        ),
        parts=tuple(part for each in _list(given.get("parts")) if (part := _part(each))),
    )


def _searched(given: Mapping[str, Any]) -> Searched:
    pages, candidates = given.get("pages"), given.get("candidates")
    return Searched(
        pages if isinstance(pages, int) else None,
        tuple(map(str, _list(given.get("read")))),
        candidates if isinstance(candidates, int) else None,
    )


def _part(given: Any) -> PartVerdict | None:
    label = _label(given.get("label")) if isinstance(given, Mapping) else None
    if label is None or "text" not in given:
        return None
    scores = {Label(name): float(score) for name, score in (given.get("scores") or {}).items()}
    return PartVerdict(str(given["text"]), label, scores, _ids(given.get("evidence")))


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _ids(value: Any) -> tuple[ElementId, ...]:
    return tuple(id for id in map(_id, _list(value)) if id)


def _id(value: Any) -> ElementId | None:
    try:
        return ElementId.parse(str(value))
    except InputError:
        return None


def _label(value: Any) -> Label | None:
    try:
        return Label(value)
    except ValueError:
        return None
