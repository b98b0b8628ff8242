"""Outlier inputs of products: far larger than the others, to which one scale for all would leave few steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from veritab.train import tokens
from veritab.train.batches import TokenBatches
from veritab.train.quantise import fake_quantised, layer_products
from veritab.train.recipe import Recipe
from veritab.train.tokens import shape_of

_OUTLIER_RATIO = 1.6
_SAMPLED_TEXTS = 96
"""Texts of the training data that are run to find outliers."""


def find_outliers(recipe: Recipe, network: Any, prepared: Path) -> dict[str, tuple[int, ...]]:
    """The outlier inputs of each product of the layers, by the name that an export gives its module."""
    quantise = recipe.quantise
    if quantise is None or not quantise.outliers:
        return {}
    largest: dict[Any, Any] = {}

    def look(product: Any, inputs: tuple[Any, ...]) -> None:
        found = inputs[0].abs().amax((0, 1))
        largest[product] = torch.maximum(largest[product], found) if product in largest else found

    hooks = [product.register_forward_pre_hook(look) for product in layer_products(network.encoder)]
    with torch.inference_mode(), fake_quantised(network, quantise if recipe.ends_quantised else None):
        for inputs in _texts(recipe, network, prepared):
            network(**inputs)
    for hook in hooks:
        hook.remove()
    names = {module: _exported(name) for name, module in network.named_modules()}
    return {names[product]: _largest(values, quantise.outliers) for product, values in largest.items()}


def _exported(name: str) -> str:
    """The name that an export gives a module."""
    return "/" + name.replace(".", "/").replace("/layer/", "/layer.")


def _largest(values: Any, count: int) -> tuple[int, ...]:
    """The `count` largest, if the largest of them is an outlier beside the rest."""
    found, places = values.topk(min(count + 1, len(values)))
    return tuple(sorted(places[:-1].tolist())) if found[0] > _OUTLIER_RATIO * found[-1] else ()


def _texts(recipe: Recipe, network: Any, prepared: Path) -> Any:
    """Some texts of every source, one at a time, so that no padding is among what is looked at."""
    uses = recipe.trained_on
    for source in uses:
        batches = TokenBatches(tokens.read(prepared / f"{source.key(recipe.seed)}.npz"), network, "cpu")
        rows = np.random.default_rng(recipe.seed).permutation(batches.tokens.texts)[
            : max(1, _SAMPLED_TEXTS // len(uses))
        ]
        for row in rows.tolist():
            shape = shape_of(np.array([row]), batches.lengths)
            yield batches.pad(shape._replace(width=int(batches.lengths[row]))).inputs
