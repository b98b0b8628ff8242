"""Which inputs of products grow far larger than the others: one scale for all would leave the others few steps."""

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

_STANDS_OUT = 1.6
_TRIED = 96
"""Texts that are looked at, of what the network was trained on."""


def find_outliers(recipe: Recipe, network: Any, prepared: Path) -> dict[str, tuple[int, ...]]:
    """The inputs of each product of the layers that grow largest, by the name that an export gives its module."""
    quantise = recipe.quantise
    if quantise is None or not quantise.outliers:
        return {}
    largest: dict[Any, Any] = {}

    def look(product: Any, given: tuple[Any, ...]) -> None:
        found = given[0].abs().amax((0, 1))
        largest[product] = torch.maximum(largest[product], found) if product in largest else found

    hooks = [product.register_forward_pre_hook(look) for product in layer_products(network.encoder)]
    with torch.inference_mode(), fake_quantised(network, quantise if recipe.ends_quantised else None):
        for given in _texts(recipe, network, prepared):
            network(**given)
    for hook in hooks:
        hook.remove()
    names = {module: _exported(name) for name, module in network.named_modules()}
    return {names[product]: _most(values, quantise.outliers) for product, values in largest.items()}


def _exported(name: str) -> str:
    """The name that an export gives a module."""
    return "/" + name.replace(".", "/").replace("/layer/", "/layer.")


def _most(values: Any, count: int) -> tuple[int, ...]:
    """So many, if any of them stands out from those that are left."""
    found, places = values.topk(min(count + 1, len(values)))
    return tuple(sorted(places[:-1].tolist())) if found[0] > _STANDS_OUT * found[-1] else ()


def _texts(recipe: Recipe, network: Any, prepared: Path) -> Any:
    """Some texts of every source, one at a time, so that no padding is among what is looked at."""
    uses = recipe.trained_on
    for source in uses:
        feed = TokenBatches(tokens.read(prepared / f"{source.key(recipe.seed)}.npz"), network, "cpu")
        rows = np.random.default_rng(recipe.seed).permutation(feed.tokens.texts)[: max(1, _TRIED // len(uses))]
        for row in rows.tolist():
            shape = shape_of(np.array([row]), feed.lengths)
            yield feed.rectangle(shape._replace(width=int(feed.lengths[row]))).given
