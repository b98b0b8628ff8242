"""Token ids on the training device: batches are assembled there, so that little is copied."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from veritab.train.network import PackedPositions, first_position, padding_token, takes_types
from veritab.train.tokens import (
    PackedLines,
    PaddedShape,
    Tokens,
    group_starts,
    line_width,
    pack_sequences,
    split_by_length,
)

_AT_ONCE = 65536
"""Tokens of a step that are run together at most."""


class ModelBatch(NamedTuple):
    """Texts run together: the inputs of the network, which texts these are, and the marks of their tokens.

    They are padded to one width, or packed; the positions of packed texts are among the inputs.
    """

    inputs: dict[str, Any]
    rows: Any
    marks: Any
    order: NDArray[np.int64]


def half_precision(device: str) -> Any:
    """Products in half precision, where there is hardware for them."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda")


class TokenBatches:
    """A set of texts, ready to be batched.

    With `packs` the texts of a step are packed into sequences and run as one: on a graphics card, launching small
    batches takes longer than running them. On a processor packing only costs time.
    """

    def __init__(
        self,
        tokens: Tokens,
        network: Any,
        device: str,
        teacher: NDArray[np.float32] | None = None,
        packs: bool | None = None,
    ) -> None:
        self.tokens = tokens
        self.lengths = tokens.lengths.astype(np.int64)
        self.device = device
        self.labels = self.to_device(tokens.labels.astype(np.int64))
        self.teacher = None if teacher is None else self.to_device(teacher)
        first = first_position(network)
        self.packs = first is not None and (device == "cuda" if packs is None else packs)
        self._first_position = first or 0
        self._width = line_width(self.lengths)
        self._padding = padding_token(network)
        self._takes_types = takes_types(network)
        self._begins = np.cumsum(self.lengths) - self.lengths
        self._ids = self.to_device(tokens.ids.astype(np.int32))
        self._marks = self.to_device(tokens.marks) if len(tokens.marks) else None
        self._lengths = self.to_device(self.lengths)
        self._starts = self.to_device(self._begins)
        self._firsts = self.to_device(tokens.firsts.astype(np.int64)) if self._takes_types else None

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first text of each group."""
        return group_starts(self.tokens.groups)

    def step_batches(self, rows: NDArray[np.int64]) -> list[ModelBatch]:
        """The texts of one step, in few batches."""
        if self.packs:
            return [self.split_columns(self.to_device(self.columns(lines)), lines) for lines in self.lines(rows)]
        return [self.pad(shape) for shape in split_by_length(rows, self.lengths)]

    def pad(self, shape: PaddedShape) -> ModelBatch:
        """Some texts, padded to one width."""
        rows = self.to_device(shape.rows)
        places = torch.arange(shape.width, device=self.device)
        inside = places < self._lengths[rows].unsqueeze(1)
        where = (self._starts[rows].unsqueeze(1) + places).clamp(max=len(self._ids) - 1)
        ids = torch.where(inside, self._ids[where], self._padding).long()
        given = {"input_ids": ids, "attention_mask": inside.long()}
        if self._firsts is not None:
            given["token_type_ids"] = (inside & (places >= self._firsts[rows].unsqueeze(1))).long()
        marks = None if self._marks is None else torch.where(inside, self._marks[where], 0).long()
        return ModelBatch(given, rows, marks, shape.rows)

    # -- packed sequences

    def lines(self, rows: NDArray[np.int64]) -> list[PackedLines]:
        """The texts of one step, packed."""
        return pack_sequences(rows, self.lengths, self._width, _AT_ONCE)

    def columns(self, lines: PackedLines) -> NDArray[np.int64]:
        """All arrays about these texts as one, so that they are copied at once."""
        rows, size = lines.rows, lines.height * lines.width
        lengths = self.lengths[rows]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        place, source = (np.repeat(first, lengths) + within for first in (lines.starts, self._begins[rows]))
        made = np.zeros((self._layers, size), dtype=np.int64)
        made[0], made[1], made[2] = self._padding, self._first_position, len(rows)
        made[0, place] = self.tokens.ids[source]
        made[1, place] += within
        made[2, place] = np.repeat(np.arange(len(rows)), lengths)
        if self._takes_types:
            made[3, place] = within >= np.repeat(self.tokens.firsts[rows].astype(np.int64), lengths)
        if len(self.tokens.marks):
            made[-1, place] = self.tokens.marks[source]
        return np.concatenate([made.reshape(-1), rows, lines.starts, lengths])

    def split_columns(self, columns: Any, lines: PackedLines) -> ModelBatch:
        """The arrays about these texts, split again on the device."""
        count, size = len(lines.rows), lines.height * lines.width
        tokens, texts = columns.split([self._layers * size, 3 * count])
        ids, positions, numbers, *others = tokens.view(self._layers, lines.height, lines.width).unbind()
        rows, starts, lengths = texts.view(3, count).unbind()
        places = PackedPositions(numbers, positions, starts, lengths)
        given = {"input_ids": ids, "attention_mask": None, "places": places}
        if self._takes_types:
            given["token_type_ids"] = others[0]
        return ModelBatch(given, rows, others[-1] if len(self.tokens.marks) else None, lines.rows)

    @property
    def _layers(self) -> int:
        """How many arrays there are of a value for each token."""
        return 3 + self._takes_types + bool(len(self.tokens.marks))

    def to_device(self, values: NDArray[Any]) -> Any:
        """An array on the device, copied asynchronously."""
        found = torch.from_numpy(np.ascontiguousarray(values))
        # From pinned memory the copy is asynchronous.
        return (found.pin_memory() if self.device == "cuda" else found).to(self.device, non_blocking=True)
