"""The third step of a run: what was trained becomes a folder that `veritab.models` opens, if both agree."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx
import torch

from veritab.errors import NotFound
from veritab.models.card import LABELS, Card, TrainingData, sha256_of
from veritab.train import provenance
from veritab.train import recipe as recipes
from veritab.train.agreement import Disagreement, default_sample, measure_agreement
from veritab.train.folders import TrainingRun
from veritab.train.network import load_trained, takes_types
from veritab.train.onnx_graph import OnnxGraph
from veritab.train.outliers import find_outliers
from veritab.train.provenance import licence_of
from veritab.train.recipe import Recipe

_OUTPUTS: Mapping[str, tuple[str, ...]] = {
    "verdict": ("logits",),
    "selector": ("whole", "tokens"),
    "encoder": ("sentence_embedding",),
}
_NO_FIGURES = frozenset({"event", "stage", "set", "examples", "seconds"})
_OPSET = 20
"""The last that the exporter writes."""


def export(
    run: TrainingRun, *, prepared: Path | None = None, allow: bool = False, sample: int | None = None
) -> Iterator[dict[str, Any]]:
    """Write the model of a fitted run, and compare its outputs with the network's on `sample` texts.

    Raises `Disagreement` where they differ too much, unless that is allowed.
    """
    if not (run.trained / "config.json").is_file():
        raise NotFound(f"nothing is trained in {str(run.folder)!r}; fit the run first")
    recipe = recipes.read(run.recipe)
    prepared = prepared or run.prepared
    network = load_trained(recipe, run.trained, "eager").eval()
    run.model.mkdir(parents=True, exist_ok=True)
    outliers = find_outliers(recipe, network, prepared) if recipe.quantise else {}
    graph = OnnxGraph(_export_onnx(network, recipe), outliers)
    if recipe.quantise:
        graph.quantise(recipe.quantise, network.encoder.config.vocab_size)
    properties = {"job": recipe.job}
    if recipe.job == "verdict":
        properties["labels"] = ",".join(LABELS)
    graph.describe(properties)
    names = graph.write(run.model)
    (run.model / "tokenizer.json").write_bytes((run.trained / "tokenizer.json").read_bytes())
    yield _log_event(run, {"event": "exported", "bytes": {name: (run.model / name).stat().st_size for name in names}})
    sample = sample or default_sample(network)
    agreement = measure_agreement(recipe, network, run.model / "model.onnx", prepared, sample)
    measured = _measured(run, recipe) | agreement.figures
    _card(recipe, run, names, _training_data(recipe, run, prepared), measured).write(run.model)
    yield _log_event(run, {"event": "agreement", **agreement.figures})
    if agreement.complaint and not allow:
        raise Disagreement(f"{agreement.complaint}; train with quantised weights, or export with --allow-disagreement")


def _log_event(run: TrainingRun, event: dict[str, Any]) -> dict[str, Any]:
    with run.log.open("a", encoding="utf-8") as log:
        log.write(json.dumps(event) + "\n")
    return event


def _export_onnx(network: Any, recipe: Recipe) -> Any:
    """The network as an ONNX model in full precision."""
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if takes_types(network) else [])]
    ids = torch.randint(4, 20, (2, 16), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(ids)
    mask[1, 10:] = 0
    given = (ids, mask, torch.zeros_like(ids))[: len(names)]
    outputs = _OUTPUTS[recipe.job]
    axes = {name: {0: "texts", 1: "tokens"} for name in (*names, "tokens")} | {
        name: {0: "texts"} for name in outputs if name != "tokens"
    }
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter's own age and of values it takes as fixed
        path = Path(folder) / "model.onnx"
        torch.onnx.export(
            network,
            given,
            str(path),
            input_names=names,
            output_names=list(outputs),
            dynamic_axes={name: axes[name] for name in (*names, *outputs)},
            opset_version=_OPSET,
            dynamo=False,
        )
        return onnx.load(path)


def _card(
    recipe: Recipe, run: TrainingRun, names: list[str], data: Iterable[TrainingData], measured: Mapping[str, float]
) -> Card:
    return Card(
        name=recipe.model or recipe.name,
        job=recipe.job,
        what=recipe.what or f"A model for the job {recipe.job!r}.",
        base=recipe.base,
        licence=recipe.licence,
        max_length=recipe.max_length,
        files={name: sha256_of(run.model / name) for name in sorted((*names, "tokenizer.json"))},
        labels=LABELS if recipe.job == "verdict" else (),
        recipe=recipe.name,
        data=tuple(data),
        measured={name: float(value) for name, value in measured.items()},
    )


def _training_data(recipe: Recipe, run: TrainingRun, prepared: Path) -> Iterator[TrainingData]:
    """What was trained on, each source once, by this run and by those that it went on from."""
    before = [run.trained] if provenance.has_counts(run.trained) else []
    for name, count in provenance.count_examples(recipe, prepared, before).items():
        yield TrainingData(name, licence_of(name, recipe.licences), count)


def _measured(run: TrainingRun, recipe: Recipe) -> dict[str, float]:
    """The metrics of the trained network in the log, on the sets that the recipe measures."""
    if not run.log.is_file():
        return {}
    events = [json.loads(line) for line in run.log.read_text(encoding="utf-8").splitlines()]
    last = [each for each in events if each["event"] == "measured" and each["stage"] == recipe.stages[-1].name]
    return {
        f"trained network, {each['set']}, {figure}": float(value)
        for each in last
        for figure, value in each.items()
        if figure not in _NO_FIGURES
    }
