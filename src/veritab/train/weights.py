"""Trained weights on disk: those that were rounded while training as whole numbers, large others in half precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from veritab.train.quantise import BlockQuantised, column_scales, layer_products, quantise_blocks
from veritab.train.recipe import QuantiseConfig

CODES, SCALES = ".codes", ".scales"
_HALF_FROM = 1 << 16
"""Weights of so many numbers or more are kept in half precision."""


def compress_weights(network: Any, quantise: QuantiseConfig | None) -> dict[str, Any]:
    """All weights of a network by their names, in few bytes."""
    own = dict(_rounded(network, quantise)) if quantise else {}
    kept: dict[str, Any] = {}
    for name, weights in network.state_dict().items():
        found = own.get(weights.data_ptr())
        if found is not None:
            kept[name + CODES], kept[name + SCALES] = found
        elif weights.is_floating_point() and weights.numel() >= _HALF_FROM:
            kept[name] = weights.half()
        else:
            kept[name] = weights
    return {name: values.detach().cpu().contiguous() for name, values in kept.items()}


def decompress_weights(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The weights as numbers; rounding them again changes nothing."""
    found = {}
    for name, values in kept.items():
        if name.endswith(CODES):
            own = name.removesuffix(CODES)
            codes = _apart(values) if values.dtype == torch.uint8 else values
            found[own] = BlockQuantised(codes.float(), kept[own + SCALES].float()).weights(
                codes.shape[-1] * codes.shape[-2]
            )
        elif not name.endswith(SCALES):
            found[name] = values.float() if values.is_floating_point() else values
    return found


def _rounded(network: Any, quantise: QuantiseConfig) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """Where the rounded weights lie in memory, their codes and their scales."""
    with torch.no_grad():
        for product in layer_products(network.encoder):
            weights = product.weight.data
            if quantise.bits == 4 and weights.shape[-1] % quantise.block == 0:
                blocks = quantise_blocks(weights, 4, quantise.block)
                yield weights.data_ptr(), (_together(blocks.codes), blocks.scales.half())
            elif quantise.bits == 8:
                scales = column_scales(weights).unsqueeze(-1)
                yield weights.data_ptr(), (torch.round(weights / scales).to(torch.int8).unsqueeze(1), scales)
        table = network.encoder.get_input_embeddings().weight.data
        if quantise.embeddings and table.shape[-1] % quantise.block == 0:
            blocks = quantise_blocks(table, quantise.embeddings, quantise.block, half=False)
            codes = _together(blocks.codes) if quantise.embeddings == 4 else blocks.codes.to(torch.int8)
            yield table.data_ptr(), (codes, blocks.scales)


def _together(codes: Any) -> Any:
    """Two numbers of four bits in each byte."""
    raised = (codes + 8).to(torch.uint8)
    return raised[..., 0::2] | (raised[..., 1::2] << 4)


def _apart(packed: Any) -> Any:
    return torch.stack((packed & 15, packed >> 4), -1).flatten(-2).to(torch.int8) - 8
