"""The papers' baselines: small models, fitted on a processor in minutes, that say what a better one is better than.

A recipe names one of them:

    job = "baseline"
    model = "riedel"                                  # attention, claim-only, claim-only-type or reader
    seed = 0
    sources = [{name = "fever", times = 1, ...}]      # with the options of the source
    measure = [{name = "fever/dev_three"}]            # never learned from
    epochs = 90                                       # and other settings of the model

Each model is a module with `fit(pairs, **settings)` and `load(folder)`; what they give has `scores(pairs)`, a row of
three probabilities for each pair (SUPPORTS, REFUTES, NOT ENOUGH INFO), and `save(folder)`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from veritab.errors import InputError, MissingExtra
from veritab.papers.baselines.config import nearest, settings_of
from veritab.papers.baselines.measures import Scores, three_way, two_way
from veritab.papers.baselines.progress import Progress
from veritab.train.examples import VerdictExample
from veritab.train.recipe import SourceUse

MODELS = {
    "riedel": "riedel",
    "attention": "attention",
    "claim-only": "claim_only",
    "claim-only-type": "evidence_types",
    "reader": "reader",
}
"""The baselines, and the module of each."""

MODEL, MEASURED = "model", "measured.json"
"""Where in its folder a run leaves the fitted model, and what was measured."""

_TYPES = "claim-only-type"
_OWN_KEYS = ("job", "model", "name", "what", "seed", "sources", "measure")


class Baseline(Protocol):
    """A fitted model."""

    def scores(self, pairs: Iterable[VerdictExample]) -> list[tuple[float, float, float]]:
        """For each pair how probable SUPPORTS, REFUTES and NOT ENOUGH INFO are."""

    def save(self, folder: Path) -> None:
        """Write the model into a folder."""


@dataclass(frozen=True)
class Asked:
    """A recipe, read."""

    model: str
    seed: int
    sources: tuple[SourceUse, ...]
    measure: tuple[SourceUse, ...]
    settings: Any


def run(recipe: Mapping[str, Any], data: Path | None, into: Path, base: Path | None) -> Iterator[Progress]:
    """Fit what the recipe says, leave the model and its measures in the folder `into`, and tell of every step."""
    asked = read(recipe, base)
    if data is None:
        raise InputError(f"the sources of {asked.model!r} lie in a folder of data sets; say where with --data DIR")
    if asked.model == _TYPES:
        yield from _types(asked, recipe, data, into)
        return
    pairs = [pair for source in asked.sources for pair in _pairs(source, data, asked.seed)]
    yield Progress("read", {"pairs": len(pairs)})
    model: Baseline = yield from _module(asked.model).steps(pairs, asked.settings)
    model.save(into / MODEL)
    found: dict[str, Any] = {"pairs": len(pairs), "sha256": fingerprint(pairs), "measured": {}}
    for title, scores in measure(model, asked, data):
        found["measured"][title] = {name: each._asdict() for name, each in scores.items()}
        yield Progress(title, {name: each.accuracy for name, each in scores.items()} | _f1(scores))
    _write(into, recipe, found)


def measure(model: Baseline, asked: Asked, data: Path) -> Iterator[tuple[str, dict[str, Scores]]]:
    """How good the model is on each source that the recipe measures with."""
    for source in asked.measure:
        pairs = list(_pairs(source, data, asked.seed))
        yield source.title, scored(model, pairs)


def scored(model: Baseline, pairs: Sequence[VerdictExample]) -> dict[str, Scores]:
    """How good the model is on the pairs, three-way where some of them are NOT ENOUGH INFO, and two-way."""
    wanted, rows = [pair.label for pair in pairs], model.scores(pairs)
    both = {"three-way": three_way(wanted, rows), "two-way": two_way(wanted, rows)}
    return both if 2 in wanted else {"two-way": both["two-way"]}


def load(folder: Path) -> Baseline:
    """The model that was saved in a folder."""
    about = _module("", "folders").about(folder)
    if about["model"] not in MODELS:
        raise InputError(f"{folder} holds {about['model']!r}, which is no baseline; {nearest(about['model'], MODELS)}")
    loaded: Baseline = _module(about["model"]).load(folder)
    return loaded


def read(recipe: Mapping[str, Any], base: Path | None = None) -> Asked:
    """The recipe with nothing unknown in it; `base` is the folder of local models and word vectors."""
    if recipe.get("job") != "baseline":
        raise InputError(f'the job is {recipe.get("job")!r}; a baseline has job = "baseline"')
    name = recipe.get("model")
    if name not in MODELS:
        raise InputError(f"no baseline is called {name!r}; {nearest(str(name), MODELS)}")
    seed = recipe.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise InputError(f"seed is {seed!r}; expected a whole number")
    kind = _module(name).Settings
    given = {key: value for key, value in recipe.items() if key not in _OWN_KEYS}
    if any(field.name == "seed" for field in fields(kind)):
        given["seed"] = seed
    for key in ("base", "vectors"):
        if base is not None and given.get(key):
            given[key] = str(base / given[key])
    sources = _sources(recipe, "sources")
    if not sources:
        raise InputError(f"the recipe of {name!r} has no sources; name at least one")
    measured = _sources(recipe, "measure")
    shared = [source.title for source in sources if source.title in {each.title for each in measured}]
    if shared:
        raise InputError(f"{shared[0]} is both learned from and measured; take it out of one of them")
    return Asked(name, seed, sources, measured, settings_of(kind, given, f"the baseline {name!r}"))


def fingerprint(pairs: Iterable[tuple[Any, ...]]) -> str:
    """A hash of what was learned from, in its order."""
    seen = hashlib.sha256()
    for pair in pairs:
        seen.update(json.dumps(pair, ensure_ascii=False).encode() + b"\n")
    return seen.hexdigest()


def _module(model: str, name: str = "") -> Any:
    try:
        return import_module(f"{__name__}.{name or MODELS[model]}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("veritab"):
            raise
        raise MissingExtra("training", "train") from error


def _sources(recipe: Mapping[str, Any], key: str) -> tuple[SourceUse, ...]:
    given = recipe.get(key, [])
    if not isinstance(given, list) or not all(isinstance(each, Mapping) and "name" in each for each in given):
        raise InputError(f'{key} is {given!r}; expected a list such as [{{name = "fever"}}]')
    return tuple(_source(each) for each in given)


def _source(given: Mapping[str, Any]) -> SourceUse:
    own = {key: value for key, value in given.items() if key in ("name", "times", "at_most")}
    return SourceUse(**own, options={key: value for key, value in given.items() if key not in own})


def _pairs(source: SourceUse, data: Path, seed: int) -> Iterator[VerdictExample]:
    # Sources need much of the package, which a recipe that is wrong need not wait for.
    from veritab.train.prepare import sample_examples
    from veritab.train.sources import examples

    found = list(
        sample_examples(examples("verdict", source.name, data, seed=seed, **source.options), source.at_most, seed)
    )
    for _ in range(source.times):
        for pair in found:
            if not isinstance(pair, VerdictExample):
                raise InputError(f"the source {source.title} gives no pairs of claim and evidence; name another")
            yield pair


def _types(asked: Asked, recipe: Mapping[str, Any], data: Path, into: Path) -> Iterator[Progress]:
    module = _module(_TYPES)
    claims = list(module.typed([source.name for source in asked.sources], data))
    yield Progress("read", {"claims": len(claims)})
    model, scores = yield from module.across_folds(claims, asked.settings)
    model.save(into / MODEL)
    yield Progress("all folds", scores._asdict())
    found = {"claims": len(claims), "sha256": fingerprint(claims), "measured": {"folds": scores._asdict()}}
    _write(into, recipe, found)


def _f1(scores: Mapping[str, Scores]) -> dict[str, float]:
    return {f"{name} macro F1": each.macro_f1 for name, each in scores.items()}


def _write(into: Path, recipe: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    into.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"recipe": dict(recipe), **found}, ensure_ascii=False, indent=1)
    (into / MEASURED).write_text(f"{text}\n", encoding="utf-8")
