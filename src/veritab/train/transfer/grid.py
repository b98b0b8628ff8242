"""What a grid is made of: what models are trained on, in which order, what they are tested on, and where it is kept.

Read on machines that have little beside torch, so nothing here needs more than Python and numpy.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

from veritab.errors import FormatError, InputError, NotFound, nearest_name
from veritab.train.recipe import Recipe, SourceUse, parse_recipe

SETS = ("fever", "vitaminc", "fm2", "infotabs")
"""The sets that have a name."""
THEN, AND = ">", "+"
KEPT, MERGED = "kept", "merged"
BEFORE, BESIDE = "before", "beside"
TUNE, TEST = "tune", "test"
SIGNATURE = "signature"
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_CONTINUED = "trained"
"""The base of a model that goes on from another of the grid."""


@dataclass(frozen=True, order=True)
class Training:
    """What a model is trained on: stages one after the other, each of one set or of several at once."""

    stages: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Training:
        """Read "fever", "fever > vitaminc", or "fever + built > vitaminc"."""
        stages = tuple(tuple(name.strip() for name in stage.split(AND)) for stage in text.split(THEN))
        for name in (name for stage in stages for name in stage):
            if not _NAME.fullmatch(name):
                raise InputError(
                    f"{text!r} is no training; expected the name of a set, or several: 'fever > vitaminc' trains on "
                    "one, then on the other, 'fever + vitaminc' on both at once"
                )
        return cls(stages)

    def __str__(self) -> str:
        return f" {THEN} ".join(f" {AND} ".join(stage) for stage in self.stages)

    @property
    def sets(self) -> frozenset[str]:
        return frozenset(name for stage in self.stages for name in stage)

    @property
    def parent(self) -> Training | None:
        """The training that this one goes on from."""
        return Training(self.stages[:-1]) if len(self.stages) > 1 else None

    def then(self, name: str) -> Training:
        return Training((*self.stages, (name,)))

    def with_built(self, name: str, way: str) -> Training:
        """This training with a built set as a stage before it, or beside the first of its stages."""
        if way == BEFORE:
            return Training(((name,), *self.stages))
        return Training(((*self.stages[0], name), *self.stages[1:]))

    def without(self, name: str) -> Training | None:
        """This training without a set; None where nothing is left."""
        stages = (tuple(each for each in stage if each != name) for stage in self.stages)
        left = tuple(stage for stage in stages if stage)
        return Training(left) if left else None


class GridModel(NamedTuple):
    """One model of a grid: what it is trained on, what becomes of NOT ENOUGH INFO in it, and its seed."""

    training: Training
    nei: str
    seed: int

    @property
    def key(self) -> str:
        """The name of its files."""
        slug = str(self.training).replace(f" {THEN} ", "-then-").replace(f" {AND} ", "-and-")
        return f"{slug}.{self.nei}.{self.seed}"

    @property
    def parent(self) -> GridModel | None:
        return self._replace(training=self.training.parent) if self.training.parent else None


@dataclass(frozen=True)
class TransferGrid:
    """A grid as its TOML or the command line describes it: the keys are these fields."""

    train: tuple[str, ...]
    test: tuple[str, ...]
    then: tuple[str, ...] = ()
    """Sets that every training goes on with, too."""
    built: Mapping[str, str] = field(default_factory=dict)
    """Files of built claims by the names they have here: every training is also done with each of them."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Other files of claims with evidence, by name."""
    added: tuple[str, ...] = (BEFORE,)
    """How built claims are added: before the first stage, as a stage of their own, or beside what it holds."""
    nei: tuple[str, ...] = (KEPT, MERGED)
    seeds: int = 1
    at_most: int = 30_000
    """How many examples of a set are used."""
    base: str = "all-MiniLM-L6-v2"
    max_length: int = 256
    epochs: float = 3.0
    rate: float = 1e-4
    batch: int = 64

    def __post_init__(self) -> None:
        for name, allowed in (("nei", (KEPT, MERGED)), ("added", (BEFORE, BESIDE))):
            for value in getattr(self, name):
                if value not in allowed:
                    raise InputError(f"{name} is {value!r}; expected {' or '.join(allowed)}, or both")
        for name in ("train", "test", "nei", "added"):
            if not getattr(self, name):
                raise InputError(f"a grid needs something to {name}; e.g. --train fever,vitaminc --test fm2")
        for name in ("seeds", "at_most"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; expected 1 or more")
        taken = [name for name in self.named_files if name in SETS or not _NAME.fullmatch(name)]
        taken += [name for name in self.built if name in self.files]
        if taken:
            raise InputError(f"a file cannot be called {taken[0]!r}; take another name of small letters and digits")
        trained = {name for training in self.trainings for name in training.sets}
        for name in sorted(trained | set(self.test)):
            if name not in SETS and name not in self.named_files:
                known = (*SETS, *self.named_files)
                near = nearest_name(name, known, 0.6)
                hint = f"did you mean {near!r}?" if near else f"name its file: --file {name}=FILE"
                raise InputError(f"there is no set {name!r}; known are {', '.join(known)}; {hint}")
        self.recipe(next(self.models()))  # so that a rate or a length that cannot be is told before the sets are read

    @property
    def named_files(self) -> dict[str, str]:
        """Every file by its name, built or not."""
        return {**self.files, **self.built}

    @cached_property
    def trainings(self) -> tuple[Training, ...]:
        """Every training of the grid, each after the one it goes on from."""
        plain = [Training.parse(text) for text in self.train]
        plain += [each.then(name) for each in plain for name in self.then if name not in each.sets]
        every = [*plain]
        for name in self.built:
            every.append(Training(((name,),)))
            every += [each.with_built(name, way) for way in self.added for each in plain if name not in each.sets]
        with_parents = dict.fromkeys(
            Training(each.stages[:count]) for each in every for count in range(1, len(each.stages) + 1)
        )
        return tuple(sorted(with_parents, key=lambda each: len(each.stages)))

    @property
    def trained_sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for training in self.trainings for stage in training.stages for name in stage))

    def models(self) -> Iterator[GridModel]:
        """Every model, each after the one it goes on from; all of one seed before those of the next."""
        for seed in range(self.seeds):
            yield from (GridModel(training, nei, seed) for training in self.trainings for nei in self.nei)

    def trained_use(self, name: str) -> SourceUse:
        return SourceUse(name, at_most=self.at_most)

    def tested_use(self, name: str, part: str) -> SourceUse:
        return SourceUse(f"{name}/{part}", at_most=self.at_most)

    def recipe(self, model: GridModel) -> Recipe:
        """The recipe of one model: the last stage of its training, from where the stages before it led."""
        return parse_recipe(self.recipe_values(model), model.key)

    def recipe_values(self, model: GridModel) -> dict[str, Any]:
        sources = [
            {"name": use.name, "at_most": use.at_most} for use in map(self.trained_use, model.training.stages[-1])
        ]
        tested = [self.tested_use(name, part) for name in self.test for part in (TUNE, TEST)]
        return {
            "name": model.key,
            "job": "verdict",
            "base": _CONTINUED if model.parent else self.base,
            "max_length": self.max_length,
            "batch": self.batch,
            "merge_nei": model.nei == MERGED,
            "stage": [{"name": str(model.training), "epochs": self.epochs, "rate": self.rate, "sources": sources}],
            "measure": {"sources": [{"name": use.name, "at_most": use.at_most} for use in tested]},
        }


# -- reading and keeping -----------------------------------------------------------------------------------

_LISTS = ("train", "test", "then", "added", "nei")
_TABLES = ("built", "files")
_KINDS: Mapping[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "str": (str,)}


def read_grid(path: Path) -> dict[str, Any]:
    """The values of a grid's TOML, their keys checked; files in it are found from where it stands."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NotFound(f"no grid at {str(path)!r}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{str(path)!r} is not TOML: {error}") from None
    known = {each.name: each for each in fields(TransferGrid)}
    for key, value in values.items():
        if key not in known:
            raise InputError(f"unknown key {key!r} in {path.name}; did you mean {nearest_name(key, known)!r}?")
        if key in _LISTS:
            listed = [value] if isinstance(value, str) else value
            if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
                raise InputError(f"{key} in {path.name} is {value!r}; expected a list of names")
            values[key] = tuple(listed)
        elif key in _TABLES:
            if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
                raise InputError(f"{key} in {path.name} is {value!r}; expected a table of names and files")
            values[key] = {name: _found_from(path, file) for name, file in value.items()}
        elif not isinstance(value, _KINDS[str(known[key].type)]) or isinstance(value, bool):
            raise InputError(f"{key} in {path.name} is {value!r}; expected {known[key].type}")
    return values


def _found_from(grid: Path, file: str) -> str:
    beside = grid.parent / file
    return str(beside) if beside.exists() else file


def make_grid(values: Mapping[str, Any]) -> TransferGrid:
    """A grid of its values."""
    for each in fields(TransferGrid):
        if each.default is MISSING and each.default_factory is MISSING and not values.get(each.name):
            raise InputError(f"a grid needs something to {each.name}; e.g. --train fever,vitaminc --test fm2")
    return TransferGrid(**values)


class TransferRun(NamedTuple):
    """The folder of a grid: what travels to the machine that fits, and what comes back from it."""

    folder: Path

    @property
    def grid(self) -> Path:
        return self.folder / "prepared" / "grid.json"

    @property
    def prepared(self) -> Path:
        return self.folder / "prepared"

    @property
    def models(self) -> Path:
        return self.folder / "models"

    @property
    def answers(self) -> Path:
        return self.folder / "answers"

    @property
    def log(self) -> Path:
        return self.folder / "log.jsonl"

    @property
    def report(self) -> Path:
        return self.folder / "report.json"

    def answers_of(self, model: GridModel) -> Path:
        """What a model says of all tested claims, as logits."""
        return self.answers / f"{model.key}.npz"

    def answers_signature(self, model: GridModel) -> str:
        """What the answers of a model are made of; empty where there are none."""
        import numpy as np

        try:
            with np.load(self.answers_of(model)) as found:
                return str(found[SIGNATURE])
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return ""

    def trained_folder(self, model: GridModel) -> Path:
        """The weights of a model, while others go on from it."""
        return self.models / model.key / "trained"

    def write_grid(self, grid: TransferGrid) -> None:
        self.grid.write_text(json.dumps(asdict(grid), indent=1) + "\n", encoding="utf-8")

    def read_grid(self) -> TransferGrid:
        """The grid that was prepared here."""
        if not self.grid.is_file():
            raise NotFound(f"no prepared grid in {str(self.folder)!r}; prepare it first, with --only prepare")
        values = json.loads(self.grid.read_text(encoding="utf-8"))
        kept: dict[str, Any] = {key: tuple(value) if key in _LISTS else value for key, value in values.items()}
        return TransferGrid(**kept)

    def read_manifest(self) -> dict[str, Any]:
        """The origin of the prepared sets."""
        found: dict[str, Any] = json.loads((self.prepared / "manifest.json").read_text(encoding="utf-8"))
        return found

    def signatures(self, grid: TransferGrid) -> dict[GridModel, str]:
        """What each model is made of, as a hash: answers of another make are not taken for its own."""
        files = {key: each["sha256"] for key, each in self.read_manifest()["sources"].items()}
        found: dict[GridModel, str] = {}
        for model in grid.models():
            recipe = grid.recipe(model)
            uses = (*recipe.trained_on, *recipe.measure.sources)
            before = found[model.parent] if model.parent else ""
            made = [before, repr(recipe), model.seed, [files[use.key(recipe.seed)] for use in uses]]
            found[model] = hashlib.sha256(json.dumps(made).encode()).hexdigest()
        return found


def split_names(values: Iterable[str]) -> tuple[str, ...]:
    """Names given one by one or with commas between them."""
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


def toml_text(values: Mapping[str, Any]) -> str:
    """The values of a recipe as TOML; strings, numbers and lists of JSON are those of TOML."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items() if not isinstance(value, list | dict)]
    for heading, tables in (("[[stage]]", values["stage"]), ("[measure]", [values["measure"]])):
        for table in tables:
            lines.append(heading)
            lines += [f"{key} = {json.dumps(value)}" for key, value in table.items() if key != "sources"]
            pairs = (
                ", ".join(f"{key} = {json.dumps(value)}" for key, value in use.items()) for use in table["sources"]
            )
            lines.append(f"sources = [{', '.join(f'{{{each}}}' for each in pairs)}]")
    return "\n".join(lines) + "\n"
