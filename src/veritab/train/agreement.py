"""Whether an exported model agrees with the trained network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from veritab.errors import VeritabError
from veritab.models.runtime import open_session
from veritab.train import tokens
from veritab.train.batches import TokenBatches
from veritab.train.quantise import fake_quantised
from veritab.train.recipe import Recipe
from veritab.train.tokens import shape_of

MIN_AGREEMENT = 99.5
MAX_ACCURACY_LOSS = 0.5
_NEAR = 0.99
"""Vectors of an encoder agree where their cosine is at least this."""
_LARGE = 50_000_000
"""Networks with this many weights take half a second for a text, and are compared on fewer."""


class Disagreement(VeritabError):
    """An exported model does not agree with the network it was exported from."""

    exit_code = 3


class AgreementReport(NamedTuple):
    """Figures of the comparison, and a complaint where they are too low."""

    figures: dict[str, float]
    complaint: str


class ModelOutputs(NamedTuple):
    """The outputs of one model for the sample, and whether they are correct where that is known.

    `cells` are the scores of all cells, where a model gives any.
    """

    outputs: NDArray[Any]
    correct: NDArray[np.bool_]
    cells: NDArray[Any]


def default_sample(network: Any) -> int:
    """How many texts are enough to measure 99.5 % agreement in a few minutes."""
    return 600 if sum(weights.numel() for weights in network.parameters()) >= _LARGE else 1000


def measure_agreement(recipe: Recipe, network: Any, model: Path, prepared: Path, sample: int) -> AgreementReport:
    """The network and the model side by side on some of what is measured, or else of what was trained on."""
    uses = recipe.measure.sources or recipe.trained_on
    sets = [tokens.read(prepared / f"{source.key(recipe.seed)}.npz") for source in uses]
    first, second = [], []
    session = open_session(model, 1)  # more would wait for those of torch
    for own, count in zip(sets, _sample_sizes([own.texts for own in sets], sample), strict=True):
        batches = TokenBatches(own, network, "cpu")
        rows = np.random.default_rng(recipe.seed).permutation(own.texts)[:count]
        with torch.inference_mode(), fake_quantised(network, recipe.quantise if recipe.ends_quantised else None):
            first.append(_run_sample(recipe.job, batches, rows, lambda given: _as_list(network(**given))))
        second.append(_run_sample(recipe.job, batches, rows, lambda given: _run(session, given)))
    return _figures(recipe.job, _concatenate(first), _concatenate(second))


def _sample_sizes(sizes: Sequence[int], wanted: int) -> list[int]:
    """How many texts of each set are sampled: equally many, and more of the others where one has fewer."""
    shares = [0] * len(sizes)
    for done, place in enumerate(sorted(range(len(sizes)), key=lambda place: sizes[place])):
        shares[place] = min(sizes[place], max(1, (wanted - sum(shares)) // (len(sizes) - done)))
    return shares


def _as_list(found: Any) -> list[NDArray[Any]]:
    return [each.numpy() for each in (found if isinstance(found, tuple) else (found,))]


def _run(session: Any, given: dict[str, Any]) -> list[NDArray[Any]]:
    found: list[NDArray[Any]] = session.run(None, {name: values.numpy() for name, values in given.items()})
    return found


def _run_sample(job: str, batches: TokenBatches, rows: NDArray[np.int64], run_model: Any) -> ModelOutputs:
    outputs, cells = [], [np.zeros(0)]
    for row in rows.tolist():
        # One by one and without padding, as the runtime reads them.
        shape = shape_of(np.array([row]), batches.lengths)._replace(width=int(batches.lengths[row]))
        batch = batches.pad(shape)
        answer, *by_token = run_model(batch.inputs)
        outputs.append(answer.reshape(-1))
        if by_token and batch.marks is not None:
            cells.append(_cells(by_token[0][0], batch.marks[0].numpy()))
    found = np.stack(outputs)
    labels = batches.tokens.labels[rows]
    return ModelOutputs(found, _is_correct(job, found, labels), np.concatenate(cells))


def _cells(by_token: NDArray[Any], marks: NDArray[np.int64]) -> NDArray[Any]:
    """The score of each cell of a text, the mean of its tokens'."""
    inside = marks > 1
    _, place, count = np.unique(marks[inside] // 2, return_inverse=True, return_counts=True)
    return np.asarray(np.bincount(place, weights=by_token[inside], minlength=len(count)) / count)


def _is_correct(job: str, found: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.bool_]:
    match job:
        case "verdict":
            return np.asarray(found.argmax(1) == labels)
        case "selector":
            return np.asarray((found[:, 0] > 0) == (labels > 0))
        case _:
            return np.ones(len(found), dtype=bool)


def _concatenate(parts: list[ModelOutputs]) -> ModelOutputs:
    return ModelOutputs(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _agrees(job: str, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    match job:
        case "verdict":
            return np.asarray(one.argmax(1) == other.argmax(1))
        case "selector":
            return np.asarray((one[:, 0] > 0) == (other[:, 0] > 0))
        case _:
            return np.asarray((one * other).sum(1) >= _NEAR)


def _figures(job: str, one: ModelOutputs, other: ModelOutputs) -> AgreementReport:
    same = round(100 * float(_agrees(job, one.outputs, other.outputs).mean()), 2)
    before, after = (round(100 * float(each.correct.mean()), 2) for each in (one, other))
    figures = {"agreement with the trained network, %": same, "agreement, examples": float(len(one.outputs))}
    figures["agreement, largest difference"] = round(float(np.abs(one.outputs - other.outputs).max()), 5)
    if job != "encoder":
        figures |= {"agreement, trained network right, %": before, "agreement, exported model right, %": after}
    if len(one.cells):
        figures["agreement, cells, %"] = round(100 * float(((one.cells > 0) == (other.cells > 0)).mean()), 2)
        figures["agreement, cells"] = float(len(one.cells))
    complaint = ""
    if same < MIN_AGREEMENT:
        complaint = f"the exported model agrees with the trained network on {same} %, less than {MIN_AGREEMENT} %"
    elif (cells := figures.get("agreement, cells, %", 100.0)) < MIN_AGREEMENT:
        complaint = (
            f"the exported model agrees with the trained network on {cells} % of cells, less than {MIN_AGREEMENT} %"
        )
    elif abs(before - after) > MAX_ACCURACY_LOSS:
        complaint = f"the exported model is right on {after} % and the trained network on {before} %"
    return AgreementReport(figures, complaint)
