"""The papers' baselines: small models, fitted on a processor in minutes, that show what a better one is better than.

A recipe names one of them:

    job = "baseline"
    model = "riedel"                                  # attention, claim-only, claim-only-type or reader
    seed = 0
    sources = [{name = "fever", times = 1, ...}]      # with the options of the source
    measure = [{name = "fever/dev_three"}]            # never trained on
    epochs = 90                                       # and other settings of the model

Each model is a module with `steps(pairs, config)`, a fit that reports its progress, and `load(folder)`; what they give
has `scores(pairs)`, a row of three probabilities for each pair (SUPPORTS, REFUTES, NOT ENOUGH INFO), and
`save(folder)`. The recipes lie in `recipes`.
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
from veritab.papers.baselines.config import read_config, suggest_name
from veritab.papers.baselines.measures import BaselineScores, FitProgress, finish, three_way, two_way
from veritab.train.examples import VerdictExample
from veritab.train.recipe import SourceUse

RECIPES = Path(__file__).parent / "recipes"
MODELS = {
    "riedel": ("riedel", "RiedelConfig"),
    "attention": ("attention", "AttentionConfig"),
    "claim-only": ("claim_only", "ClaimOnlyConfig"),
    "claim-only-type": ("evidence_types", "EvidenceTypeConfig"),
    "reader": ("reader", "ReaderConfig"),
}
"""The baselines, and the module and configuration of each."""

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
class BaselineRecipe:
    """A recipe of a baseline, parsed; `config` is the model's own."""

    model: str
    seed: int
    sources: tuple[SourceUse, ...]
    measure: tuple[SourceUse, ...]
    config: Any


def run(values: Mapping[str, Any], data: Path | None, into: Path, base: Path | None) -> Iterator[FitProgress]:
    """Fit the model of a recipe, leave it and its measures in the folder `into`, and report every step."""
    recipe = parse_baseline(values, base)
    if data is None:
        raise InputError(f"the sources of {recipe.model!r} lie in a folder of data sets; say where with --data DIR")
    results: dict[str, Any]
    if recipe.model == _TYPES:
        module = _module(_TYPES)
        claims = list(module.label_claims([source.name for source in recipe.sources], data))
        yield FitProgress("read", {"claims": len(claims)})
        model, scores = yield from module.cross_validate(claims, recipe.config)
        model.save(into / MODEL)
        yield FitProgress("all folds", scores._asdict())
        results = {"claims": len(claims), "sha256": fingerprint(claims), "measured": {"folds": scores._asdict()}}
    else:
        pairs = [pair for source in recipe.sources for pair in _pairs(source, data, recipe.seed)]
        yield FitProgress("read", {"pairs": len(pairs)})
        model = yield from _module(recipe.model).steps(pairs, recipe.config)
        model.save(into / MODEL)
        results = {"pairs": len(pairs), "sha256": fingerprint(pairs), "measured": {}}
        for source in recipe.measure:
            found = score_baseline(model, list(_pairs(source, data, recipe.seed)))
            results["measured"][source.title] = {name: each._asdict() for name, each in found.items()}
            accuracies = {name: each.accuracy for name, each in found.items()}
            yield FitProgress(
                source.title, accuracies | {f"{name} macro F1": each.macro_f1 for name, each in found.items()}
            )
    into.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"recipe": dict(values), **results}, ensure_ascii=False, indent=1)
    (into / MEASURED).write_text(f"{text}\n", encoding="utf-8")


def fit(model: str, pairs: Iterable[VerdictExample], **settings: Any) -> Any:
    """Fit a baseline to pairs, without a recipe."""
    return finish(_module(model).steps(pairs, read_config(_config(model), settings, model)))


def score_baseline(model: Baseline, pairs: Sequence[VerdictExample]) -> dict[str, BaselineScores]:
    """How good the model is on the pairs, three-way where some of them are NOT ENOUGH INFO, and two-way."""
    gold, rows = [pair.label for pair in pairs], model.scores(pairs)
    both = {"three-way": three_way(gold, rows), "two-way": two_way(gold, rows)}
    return both if 2 in gold else {"two-way": both["two-way"]}


def load(folder: Path) -> Baseline:
    """The model that was saved in a folder."""
    name = _imported("folders").read_description(folder)["model"]
    if name not in MODELS:
        raise InputError(f"{folder} holds {name!r}, which is not a baseline; {suggest_name(name, MODELS)}")
    loaded: Baseline = _module(name).load(folder)
    return loaded


def parse_baseline(values: Mapping[str, Any], base: Path | None = None) -> BaselineRecipe:
    """The recipe of a baseline, read strictly; `base` is the folder of local models and word vectors."""
    if values.get("job") != "baseline":
        raise InputError(f'the job is {values.get("job")!r}; a baseline has job = "baseline"')
    name = values.get("model")
    if name not in MODELS:
        raise InputError(f"no baseline is called {name!r}; {suggest_name(str(name), MODELS)}")
    seed = values.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise InputError(f"seed is {seed!r}; expected a whole number")
    kind = _config(name)
    settings = {key: value for key, value in values.items() if key not in _OWN_KEYS}
    if any(field.name == "seed" for field in fields(kind)):
        settings["seed"] = seed
    for key in ("base", "vectors"):
        if base is not None and settings.get(key):
            settings[key] = str(base / settings[key])
    sources = _sources(values, "sources")
    if not sources:
        raise InputError(f"the recipe of {name!r} has no sources; name at least one")
    measured = _sources(values, "measure")
    shared = [source.title for source in sources if source.title in {each.title for each in measured}]
    if shared:
        raise InputError(f"{shared[0]} is both trained on and measured; take it out of one of them")
    return BaselineRecipe(name, seed, sources, measured, read_config(kind, settings, f"the baseline {name!r}"))


def fingerprint(pairs: Iterable[tuple[Any, ...]]) -> str:
    """A hash of the training data, in its order."""
    digest = hashlib.sha256()
    for pair in pairs:
        digest.update(json.dumps(pair, ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def _module(model: str) -> Any:
    return _imported(MODELS[model][0])


def _config(model: str) -> Any:
    return getattr(_module(model), MODELS[model][1])


def _imported(name: str) -> Any:
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("veritab"):
            raise
        raise MissingExtra("training", "train") from error


def _sources(values: Mapping[str, Any], key: str) -> tuple[SourceUse, ...]:
    listed = values.get(key, [])
    if not isinstance(listed, list) or not all(isinstance(each, Mapping) and "name" in each for each in listed):
        raise InputError(f'{key} is {listed!r}; expected a list such as [{{name = "fever"}}]')
    sources = []
    for each in listed:
        own = {name: value for name, value in each.items() if name in ("name", "times", "at_most")}
        sources.append(SourceUse(**own, options={name: value for name, value in each.items() if name not in own}))
    return tuple(sources)


def _pairs(source: SourceUse, data: Path, seed: int) -> Iterator[VerdictExample]:
    # Sources need much of the package, which a recipe that is wrong need not wait for.
    from veritab.train.prepare import sample_examples
    from veritab.train.sources import examples

    every = examples("verdict", source.name, data, seed=seed, **source.options)
    sampled = list(sample_examples(every, source.at_most, seed))
    for _ in range(source.times):
        for pair in sampled:
            if not isinstance(pair, VerdictExample):
                raise InputError(f"the source {source.title} gives no pairs of claim and evidence; name another")
            yield pair
