"""Token numbers on the device that trains: texts become rectangles there, so that little travels."""

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
"""So many tokens of a step are run together at most, whatever its texts are."""


class ModelBatch(NamedTuple):
    """Texts run together: what a network takes, which texts these are, and the marks of their tokens.

    They are filled up to one width, or share lines; where they do, is among what the network takes.
    """

    inputs: dict[str, Any]
    rows: Any
    marks: Any
    order: NDArray[np.int64]


def half_precision(device: str) -> Any:
    """Products in half precision, where there is hardware for them."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda")


class TokenBatches:
    """A set of texts, ready to be cut into rectangles.

    With `packs` the texts of a step share lines and are run as one: a graphics card is done with a few of them before
    it is told what comes next. A processor is not, and takes longer.
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
        """The texts of one step, in as few rectangles as is wise."""
        if self.packs:
            return [self.split_columns(self.to_device(self.columns(lines)), lines) for lines in self.lines(rows)]
        return [self.pad(shape) for shape in split_by_length(rows, self.lengths)]

    def pad(self, shape: PaddedShape) -> ModelBatch:
        """Some texts, filled up to one width."""
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

    # -- texts that share lines

    def lines(self, rows: NDArray[np.int64]) -> list[PackedLines]:
        """The texts of one step side by side."""
        return pack_sequences(rows, self.lengths, self._width, _AT_ONCE)

    def columns(self, lines: PackedLines) -> NDArray[np.int64]:
        """All that is said about these texts, as one array, so that it travels at once."""
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
        """What was said about these texts, where the device has it now."""
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
        """How much is said about a token."""
        return 3 + self._takes_types + bool(len(self.tokens.marks))

    def to_device(self, values: NDArray[Any]) -> Any:
        """An array on the device; nothing waits for it to arrive."""
        found = torch.from_numpy(np.ascontiguousarray(values))
        # From pinned memory the device fetches it by itself.
        return (found.pin_memory() if self.device == "cuda" else found).to(self.device, non_blocking=True)
