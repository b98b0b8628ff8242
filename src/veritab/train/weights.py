"""Trained weights on disk: those that were quantised in training as integers, other large ones in half precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from veritab.train.quantise import BlockQuantised, column_scales, layer_products, quantise_blocks
from veritab.train.recipe import QuantiseConfig

CODES, SCALES = ".codes", ".scales"
_HALF_FROM = 1 << 16
"""Tensors of this many numbers or more are kept in half precision."""


def compress_weights(network: Any, quantise: QuantiseConfig | None) -> dict[str, Any]:
    """All weights of a network by their names, compressed."""
    quantised = dict(_quantised_weights(network, quantise)) if quantise else {}
    saved: dict[str, Any] = {}
    for name, weights in network.state_dict().items():
        restored = quantised.get(weights.data_ptr())
        if restored is not None:
            saved[name + CODES], saved[name + SCALES] = restored
        elif weights.is_floating_point() and weights.numel() >= _HALF_FROM:
            saved[name] = weights.half()
        else:
            saved[name] = weights
    return {name: values.detach().cpu().contiguous() for name, values in saved.items()}


def decompress_weights(saved: Mapping[str, Any]) -> dict[str, Any]:
    """The weights as floats; quantising them again changes nothing."""
    restored = {}
    for name, values in saved.items():
        if name.endswith(CODES):
            quantised = name.removesuffix(CODES)
            codes = _unpack_nibbles(values) if values.dtype == torch.uint8 else values
            restored[quantised] = BlockQuantised(codes.float(), saved[quantised + SCALES].float()).weights(
                codes.shape[-1] * codes.shape[-2]
            )
        elif not name.endswith(SCALES):
            restored[name] = values.float() if values.is_floating_point() else values
    return restored


def _quantised_weights(network: Any, quantise: QuantiseConfig) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """Where the quantised weights lie in memory, their codes and their scales."""
    with torch.no_grad():
        for product in layer_products(network.encoder):
            weights = product.weight.data
            if quantise.bits == 4 and weights.shape[-1] % quantise.block == 0:
                blocks = quantise_blocks(weights, 4, quantise.block)
                yield weights.data_ptr(), (_pack_nibbles(blocks.codes), blocks.scales.half())
            elif quantise.bits == 8:
                scales = column_scales(weights).unsqueeze(-1)
                yield weights.data_ptr(), (torch.round(weights / scales).to(torch.int8).unsqueeze(1), scales)
        table = network.encoder.get_input_embeddings().weight.data
        if quantise.embeddings and table.shape[-1] % quantise.block == 0:
            blocks = quantise_blocks(table, quantise.embeddings, quantise.block, half=False)
            codes = _pack_nibbles(blocks.codes) if quantise.embeddings == 4 else blocks.codes.to(torch.int8)
            yield table.data_ptr(), (codes, blocks.scales)


def _pack_nibbles(codes: Any) -> Any:
    """Two numbers of four bits in each byte."""
    raised = (codes + 8).to(torch.uint8)
    return raised[..., 0::2] | (raised[..., 1::2] << 4)


def _unpack_nibbles(packed: Any) -> Any:
    return torch.stack((packed & 15, packed >> 4), -1).flatten(-2).to(torch.int8) - 8
