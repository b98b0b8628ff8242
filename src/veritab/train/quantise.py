"""Quantisation-aware training: the network is fake-quantised, rounded as its export will be, while training goes on.

The export multiplies whole numbers of eight bits (ONNX's DynamicQuantizeLinear and MatMulInteger). Weights have a scale
for each output. Those that are kept in four bits have a scale in half precision for each block, and the eight bits are
made from them when the model is opened. The input of a product is quantised by its own smallest and largest number: of
the whole text, or of each token.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from veritab.train.recipe import QuantiseConfig

MAX_INT8 = 127
"""Weights in eight bits lie between this and its negative."""


class BlockQuantised(NamedTuple):
    """Weights as whole numbers from -2^(bits-1) on, and a scale for each block along the last dimension."""

    codes: torch.Tensor
    scales: torch.Tensor

    def weights(self, width: int) -> torch.Tensor:
        return (self.codes * self.scales.unsqueeze(-1)).flatten(-2)[..., :width]


def quantise_blocks(weights: torch.Tensor, bits: int, block: int, *, half: bool = True) -> BlockQuantised:
    """Quantise in blocks; the number of largest size in a block gets the lowest code. `half`: half-precision scales."""
    levels = 1 << (bits - 1)
    if over := weights.shape[-1] % block:
        weights = functional.pad(weights, (0, block - over))
    blocks = weights.reshape(*weights.shape[:-1], -1, block)
    low, high = blocks.amin(-1), blocks.amax(-1)
    scales = torch.where(high.abs() > low.abs(), high, low) / -levels
    if half:
        scales = scales.half().float()
    divisors = torch.where(scales == 0, 1.0, scales).unsqueeze(-1)
    codes = torch.floor(blocks / divisors + levels + 0.5).clamp(0, 2 * levels - 1) - levels
    return BlockQuantised(codes, scales)


def column_scales(weights: torch.Tensor) -> torch.Tensor:
    """A scale for each output of a product, by which its weights fill eight bits."""
    largest = weights.abs().amax(-1)
    return torch.where(largest == 0, 1.0, largest / MAX_INT8)


def fake_quantise_weights(weights: torch.Tensor, quantise: QuantiseConfig) -> torch.Tensor:
    """The weights of a product, one row for each output, as the export multiplies with them."""
    if quantise.bits == 4:
        weights = quantise_blocks(weights, 4, quantise.block).weights(weights.shape[-1])
    scales = column_scales(weights).unsqueeze(-1)
    return torch.round(weights / scales) * scales


def fake_quantise_embeddings(table: torch.Tensor, quantise: QuantiseConfig) -> torch.Tensor:
    """The table of token vectors as the export looks them up."""
    return quantise_blocks(table, quantise.embeddings, quantise.block, half=False).weights(table.shape[-1])


def layer_products(encoder: Any) -> Iterator[nn.Linear]:
    """The products inside the layers of an encoder."""
    for module in encoder.encoder.modules():
        if isinstance(module, nn.Linear):
            yield module


# -- activations -------------------------------------------------------------------------------------------


class _StraightThrough(torch.autograd.Function):
    """The straight-through estimator: quantises forward, and passes the gradient unchanged."""

    @staticmethod
    def forward(ctx: Any, values: Any, quantiser: Any) -> Any:
        if quantiser.each == "token":
            return _quantise_by_token(values)
        low, high = (
            _text_range(values, quantiser.mask)
            if quantiser.places is None
            else _packed_ranges(values, quantiser.places)
        )
        return _quantise_by_text(values, low, high)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], None


def _text_range(values: Any, mask: Any) -> tuple[Any, Any]:
    """The smallest and the largest number of the text of each row, and zero."""
    shape = (len(values), *(1 for _ in values.shape[1:]))
    # Padding does not count; where the exported model runs, there is none.
    inside = values.masked_fill(mask.unsqueeze(-1) == 0, 0).flatten(1).float()
    return inside.amin(1).clamp(max=0).view(shape), inside.amax(1).clamp(min=0).view(shape)


def _packed_ranges(values: Any, places: Any) -> tuple[Any, Any]:
    """The same where several texts share a line, for each token."""
    texts, none = places.texts.flatten(), values.new_zeros(len(places.starts) + 1, dtype=torch.float32)
    low, high = torch.aminmax(values.flatten(0, 1), dim=-1)
    shape = (*values.shape[:2], 1)
    return (
        none.scatter_reduce(0, texts, low.float(), "amin").index_select(0, texts).view(shape),
        none.scatter_reduce(0, texts, high.float(), "amax").index_select(0, texts).view(shape),
    )


def _quantise_by_text(values: Any, low: Any, high: Any) -> Any:
    """One scale for a text: from its smallest number to its largest, and over zero, in 256 steps."""
    scale = ((high - low) / 255).clamp(min=1e-30)
    zero = torch.round(-low / scale).to(values.dtype)
    scale = scale.to(values.dtype)
    return ((torch.round(values / scale) + zero).clamp_(0, 255) - zero) * scale


def _quantise_by_token(values: Any) -> Any:
    """A scale for each token, the same up and down."""
    scale = (values.abs().amax(-1, keepdim=True) / MAX_INT8).clamp(min=1e-30)
    return torch.round(values / scale) * scale


class ActivationQuantiser:
    """A hook that fake-quantises the inputs of products; three products of one input quantise it once."""

    def __init__(self, each: str) -> None:
        self.mask: Any = None
        self.places: Any = None
        self.each = each
        self._inputs: Any = None
        self._found: Any = None

    def __call__(self, module: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        if self._inputs is not inputs[0]:
            self._inputs = inputs[0]
            self._found = _StraightThrough.apply(inputs[0], self)  # type: ignore[no-untyped-call]
        return (self._found,)


def _fake_quantise_products(products: list[nn.Linear], quantise: QuantiseConfig) -> None:
    """Products of one shape together: launching a kernel takes as long as running it."""
    shapes: dict[torch.Size, list[nn.Linear]] = {}
    for product in products:
        shapes.setdefault(product.weight.shape, []).append(product)
    for own in shapes.values():
        quantised = fake_quantise_weights(torch.stack([product.weight.data for product in own]), quantise)
        for product, weights in zip(own, quantised.unbind(), strict=True):
            product.weight.data = weights


@contextmanager
def fake_quantised(network: Any, quantise: QuantiseConfig | None) -> Iterator[None]:
    """The network quantised as its export will be, inside this block; unchanged where `quantise` is None.

    Gradients are those at the quantised weights; the optimiser's step is applied to the exact ones.
    """
    if quantise is None:
        yield
        return
    encoder = network.encoder
    quantiser = (
        ActivationQuantiser(quantise.activations) if quantise.activations != "none" and not quantise.outliers else None
    )
    exact: list[tuple[Any, Any]] = []
    hooks: list[Any] = []
    with torch.no_grad():
        products = list(layer_products(encoder))
        exact.extend((product.weight, product.weight.data) for product in products)
        _fake_quantise_products(products, quantise)
        if quantiser:
            hooks.extend(product.register_forward_pre_hook(quantiser) for product in products)
        if quantise.embeddings:
            table = encoder.get_input_embeddings().weight
            exact.append((table, table.data))
            table.data = fake_quantise_embeddings(table.data, quantise)
    encoder.activation_quantiser = quantiser
    try:
        yield
    finally:
        encoder.activation_quantiser = None
        for hook in hooks:
            hook.remove()
        for weights, values in exact:
            weights.data = values
