"""Recipes: how a model is trained, as TOML whose keys are the fields below; any other key is an error."""

from __future__ import annotations

import hashlib
import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from veritab.errors import FormatError, InputError, NotFound, nearest_name

SHIPPED = Path(__file__).parent / "recipes"
JOBS = ("verdict", "selector", "encoder")
SYNTHETIC = "synthetic"
"""The source that needs no data."""
RANDOM = "random:"
"""A base that begins so has no pretrained weights: they are initialised at random, in the size named after it."""
_SIZES = ("tiny",)
_SHORTEST, _LONGEST = 8, 8192
Parsed = TypeVar("Parsed")
_RENAMED_RECIPES = {"verdict-rounded": "verdict", "verdict-quantised": "verdict"}
_RENAMED_SOURCES = {"invented": SYNTHETIC, "joined": "conjunctions"}
_RENAMED_KEYS = {"loud": "outliers"}
"""What recipes used to call things; the old names are refused with the new ones."""


def is_only_measured(source: str) -> bool:
    """Whether models are measured on a source, which nothing is ever trained on."""
    return "/" in source or source == "almanac"


@dataclass(frozen=True)
class SourceUse:
    """A source of examples, how often an epoch meets each, and how many are kept; other keys are the source's own."""

    name: str
    times: int = 1
    at_most: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.name in _RENAMED_SOURCES:
            raise InputError(f"the source {self.name!r} is called {_RENAMED_SOURCES[self.name]!r} now")
        _at_least(1, self, "times")
        if self.at_most is not None:
            _at_least(1, self, "at_most")
        if self.name == SYNTHETIC and not _is_whole(self.options.get("count", 1), 1):
            raise InputError(f"count of {SYNTHETIC} is {self.options['count']!r}; expected a whole number, 1 or more")

    def key(self, seed: int) -> str:
        """The name of its prepared files: the same for the same examples only."""
        slug = re.sub(r"[^\w.]+", "-", self.name)
        values = json.dumps([self.name, self.at_most, dict(self.options), seed], sort_keys=True)
        return f"{slug}-{hashlib.sha256(values.encode()).hexdigest()[:8]}"

    @property
    def title(self) -> str:
        """A name for reports, with the options that distinguish it from other uses of the source."""
        values = ", ".join(f"{key}={value}" for key, value in sorted(self.options.items()))
        return f"{self.name} ({values})" if values else self.name


@dataclass(frozen=True)
class Stage:
    """A part of the training with sources and a learning rate of its own."""

    name: str
    sources: tuple[SourceUse, ...]
    epochs: float = 1.0
    rate: float = 2e-5
    batch: int | None = None
    quantised: bool = False

    def __post_init__(self) -> None:
        for name in ("epochs", "rate"):
            _above(0, self, name)
            _finite(self, name)
        if self.batch is not None:
            _at_least(1, self, "batch")
        if not self.sources:
            raise InputError(f"the stage {self.name!r} has no sources; name at least one")


@dataclass(frozen=True)
class MeasuredSources:
    """What is only measured, never trained on."""

    sources: tuple[SourceUse, ...] = ()


@dataclass(frozen=True)
class QuantiseConfig:
    """How the products of the layers are quantised: weights and activations to integers of eight bits.

    `bits` are those of the weights on disk: 8, with a scale for each output, or 4, with a scale for each `block`, which
    are dequantised to eight. `activations` have a scale for each "text" or each "token", or are
    left as they are by "none". The `outliers` inputs of each product that grow largest are multiplied
    apart in full precision: the rest loses little by rounding, so training need not simulate it.
    `embeddings` are the bits of the table of token vectors; 0 leaves it as it is.

    Training is quantisation-aware from the share `start` of its steps on (`from` in TOML), or from the first stage with
    `quantised = true`; 1 quantises only at the export.
    """

    bits: int = 8
    block: int = 32
    start: float = 0.6
    embeddings: int = 0
    activations: str = "text"
    outliers: int = 0

    def __post_init__(self) -> None:
        _at_least(0, self, "outliers")
        _one_of((4, 8), self, "bits")
        _one_of((16, 32, 64, 128), self, "block")
        _one_of((0, 4, 8), self, "embeddings")
        _one_of(("text", "token", "none"), self, "activations")
        _share(self, "start")


@dataclass(frozen=True)
class TeacherConfig:
    """A finished run of the same sources and seed whose logits are distilled beside the labels."""

    run: str
    weight: float = 0.7
    temperature: float = 2.0

    def __post_init__(self) -> None:
        _share(self, "weight")
        _above(0, self, "temperature")


@dataclass(frozen=True)
class Recipe:
    """All settings of a run; `name` is the name of its file where it gives none."""

    name: str
    job: str
    base: str
    stages: tuple[Stage, ...]
    what: str = ""
    model: str = ""
    """The name of the exported model; that of its recipe where this is empty."""
    licence: str = "Apache-2.0"
    max_length: int = 256
    seed: int = 0
    batch: int = 128
    warm_up: float = 0.06
    decay: float = 0.01
    clip: float = 1.0
    smoothing: float = 0.0
    two_way: float = 0.0
    """The weight of a second loss over SUPPORTS and REFUTES alone."""
    merge_nei: bool = False
    """Whether NOT ENOUGH INFO is learned as REFUTES: claims are then supported or not."""
    average: float = 0.0
    adversarial: float = 0.0
    """How far token embeddings are moved towards a higher loss, for adversarial training; 0 is off."""
    schedule: str = "stage"
    pool: str = "first"
    layers: tuple[int, ...] = ()
    keep_logits: bool = False
    checkpoint: float = 0.0
    temperature: float = 0.05
    anchor: float = 0.0
    negatives: int = 1
    cells: float = 1.0
    measure: MeasuredSources = MeasuredSources()
    quantise: QuantiseConfig | None = None
    teacher: TeacherConfig | None = None
    licences: Mapping[str, str] = field(default_factory=dict)
    """The licence of each source that `veritab.train.provenance` does not know, for the card."""

    def __post_init__(self) -> None:
        _one_of(JOBS, self, "job")
        _one_of(("stage", "all"), self, "schedule")
        _one_of(("first", "mean"), self, "pool")
        if self.base.startswith(RANDOM) and self.base.removeprefix(RANDOM) not in _SIZES:
            raise InputError(f"no base {self.base!r}; known is {', '.join(RANDOM + size for size in _SIZES)}")
        if not _SHORTEST <= self.max_length <= _LONGEST:
            raise InputError(f"max_length is {self.max_length}; expected {_SHORTEST} to {_LONGEST} tokens")
        for name in ("batch", "negatives"):
            _at_least(1, self, name)
        for name in ("warm_up", "smoothing", "average"):
            _share(self, name)
        for name in ("temperature", "clip"):
            _above(0, self, name)
        for name in ("seed", "two_way", "adversarial", "decay", "anchor", "cells", "checkpoint"):
            _at_least(0, self, name)
        if not self.stages:
            raise InputError(f"the recipe {self.name!r} has no [[stage]]; write at least one")
        if self.quantise is None and any(stage.quantised for stage in self.stages):
            raise InputError(f"a stage of {self.name!r} is quantised and nothing says how; add [quantise]")
        for source in self.trained_on:
            if is_only_measured(source.name):
                raise InputError(f"{source.name!r} is only measured; take it out of the stages of {self.name!r}")
        if self.teacher and self.job != "verdict":
            raise InputError(f"a {self.job} cannot be distilled; take [teacher] out of {self.name!r}")

    @property
    def trained_on(self) -> tuple[SourceUse, ...]:
        """Every source of every stage."""
        return tuple(source for stage in self.stages for source in stage.sources)

    @property
    def ends_quantised(self) -> bool:
        """Whether the last steps of training are quantisation-aware."""
        return self.quantise is not None and (any(stage.quantised for stage in self.stages) or self.quantise.start < 1)


# -- reading -----------------------------------------------------------------------------------------------


def shipped(*more: Path) -> dict[str, Path]:
    """The recipes that come with the package, by name, and those of more folders."""
    return {path.stem: path for folder in (SHIPPED, *more) for path in sorted(folder.glob("*.toml"))}


def find(name: str, *more: Path) -> Path:
    """The file of a recipe: one that ships, one of more folders, or a path."""
    known = shipped(*more)
    if name in known:
        return known[name]
    path = Path(name)
    if path.is_file():
        return path
    if name in _RENAMED_RECIPES:
        raise NotFound(f"the recipe {name!r} is called {_RENAMED_RECIPES[name]!r} now")
    raise NotFound(f"no recipe {name!r}; expected a TOML file or one of {', '.join(known)}{_suggestion(name, known)}")


def read(path: Path) -> Recipe:
    """The recipe in a file."""
    values = read_toml(path)
    try:
        return parse_recipe(values, path.stem)
    except InputError as error:
        raise InputError(f"{path.name}: {error}") from None


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a recipe's TOML, unchecked."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NotFound(f"no recipe at {str(path)!r}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{str(path)!r} is not TOML: {error}") from None
    except RecursionError:
        raise FormatError(f"{str(path)!r} is nested too deeply; a recipe has tables of keys and values") from None


def parse_recipe(values: Mapping[str, Any], name: str = "recipe") -> Recipe:
    """A recipe from the values of its TOML."""
    given: dict[str, Any] = {"name": name, **values}
    if "stages" in given:
        raise InputError("unknown key 'stages' in the recipe; did you mean [[stage]]?")
    given["stages"] = tuple(_stage(stage) for stage in _tables(given.pop("stage", []), "stage"))
    if "measure" in given:
        given["measure"] = _build(MeasuredSources, _with_sources(given["measure"], "measure"), "[measure]")
    if "quantise" in given:
        given["quantise"] = _quantise(given["quantise"])
    if "teacher" in given:
        given["teacher"] = _build(TeacherConfig, _table(given["teacher"], "teacher"), "[teacher]")
    if "licences" in given:
        given["licences"] = dict(_table(given["licences"], "licences"))
    if "layers" in given:
        given["layers"] = _layers(given["layers"])
    return _build(Recipe, given, "the recipe", {"stages": "stage"})


def _stage(values: Any) -> Stage:
    values = _with_sources(values, "stage")
    return _build(Stage, values, f"the stage {values.get('name', '?')!r}")


def _quantise(values: Any) -> QuantiseConfig:
    values = dict(_table(values, "quantise"))
    if "start" in values:
        raise InputError("unknown key 'start' in [quantise]; did you mean 'from'?")
    if "from" in values:
        values["start"] = values.pop("from")
    if isinstance(values.get("activations"), bool):
        values["activations"] = "text" if values["activations"] else "none"
    if values.get("embeddings") is True:
        values["embeddings"] = values.get("bits", QuantiseConfig.bits)
    return _build(QuantiseConfig, values, "[quantise]", {"start": "from"})


def _with_sources(values: Any, where: str) -> dict[str, Any]:
    table = dict(_table(values, where))
    table["sources"] = tuple(_source(source) for source in _tables(table.get("sources", []), f"{where}.sources"))
    return table


def _source(values: Mapping[str, Any]) -> SourceUse:
    own = {field.name for field in fields(SourceUse)} - {"options"}
    options = {key: value for key, value in values.items() if key not in own}
    return _build(SourceUse, {**{key: values[key] for key in own if key in values}, "options": options}, "a source")


def _layers(values: Any) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(_is_whole(each, 0) for each in values):
        raise InputError(f"layers is {values!r}; expected a list of whole numbers, 0 or more")
    return tuple(values)


def _table(values: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(values, Mapping):
        raise InputError(f"{where} is {values!r}; expected a table of keys and values")
    return values


def _tables(values: Any, where: str) -> list[Mapping[str, Any]]:
    if not isinstance(values, list):
        raise InputError(f"{where} is {values!r}; expected a list of tables")
    return [_table(each, where) for each in values]


_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "int | None": (int,),
}


def _build(kind: type[Parsed], values: Mapping[str, Any], where: str, spelt: Mapping[str, str] | None = None) -> Parsed:
    """An object of these keys; errors name the table and the key that was probably meant."""
    spelt = spelt or {}
    own = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    for key, value in values.items():
        if key in _RENAMED_KEYS and key not in own:
            raise InputError(f"the key {key!r} in {where} is called {_RENAMED_KEYS[key]!r} now")
        if key not in own:
            known = [spelt.get(name, name) for name in own]
            raise InputError(f"unknown key {key!r} in {where}; known are {', '.join(known)}{_suggestion(key, known)}")
        wanted = _TYPES.get(str(own[key].type))
        if wanted and (not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted)):
            raise InputError(f"{key} in {where} is {value!r}; expected {own[key].type}")
    for name, each in own.items():
        if name not in values and each.default is MISSING and each.default_factory is MISSING:
            raise InputError(f"{where} has no {spelt.get(name, name)}; add it")
    return kind(**values)


def _suggestion(name: str, known: Iterable[str]) -> str:
    similar = nearest_name(name, known, 0.5)
    return f"; did you mean {similar!r}?" if similar else ""


# -- bounds ------------------------------------------------------------------------------------------------


def _one_of(allowed: tuple[Any, ...], owner: Any, name: str) -> None:
    value = getattr(owner, name)
    if value not in allowed:
        similar = _suggestion(value, allowed) if isinstance(value, str) else ""
        raise InputError(f"{name} is {value!r}; expected one of {', '.join(map(str, allowed))}{similar}")


def _at_least(least: int, owner: Any, name: str) -> None:
    if getattr(owner, name) < least:
        raise InputError(f"{name} is {getattr(owner, name)!r}; expected {least} or more")


def _above(least: float, owner: Any, name: str) -> None:
    if not getattr(owner, name) > least:
        raise InputError(f"{name} is {getattr(owner, name)!r}; expected more than {least}")


def _finite(owner: Any, name: str) -> None:
    if not math.isfinite(getattr(owner, name)):
        raise InputError(f"{name} is {getattr(owner, name)!r}; expected a finite number")


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _share(owner: Any, name: str) -> None:
    if not 0 <= getattr(owner, name) <= 1:
        raise InputError(f"{name} is {getattr(owner, name)!r}; expected a share from 0 to 1")
