"""Token numbers on the device that trains: texts are filled up to rectangles there, so that little travels."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from veritab.train.network import padding, takes_types
from veritab.train.tokens import Shape, Tokens, stretches


class Rectangle(NamedTuple):
    """Texts of one width: what a network takes, which texts these are, and the marks of their tokens."""

    given: dict[str, Any]
    rows: Any
    marks: Any


def half(device: str) -> Any:
    """Products in half precision, where there is hardware for them."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda")


class Feed:
    """A set of texts, ready to be cut into rectangles."""

    def __init__(self, tokens: Tokens, network: Any, device: str, teacher: NDArray[np.float32] | None = None) -> None:
        self.tokens = tokens
        self.lengths = tokens.lengths.astype(np.int64)
        self.device = device
        self.labels = self._sent(tokens.labels.astype(np.int64))
        self.teacher = None if teacher is None else self._sent(teacher)
        self._padding = padding(network)
        self._ids = self._sent(tokens.ids.astype(np.int32))
        self._marks = self._sent(tokens.marks) if len(tokens.marks) else None
        self._lengths = self._sent(self.lengths)
        self._starts = self._sent(np.cumsum(self.lengths) - self.lengths)
        self._firsts = self._sent(tokens.firsts.astype(np.int64)) if takes_types(network) else None

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first text of each group."""
        return stretches(self.tokens.groups)

    def rectangle(self, shape: Shape) -> Rectangle:
        """Some texts, filled up to one width."""
        rows = self._sent(shape.rows)
        places = torch.arange(shape.width, device=self.device)
        inside = places < self._lengths[rows].unsqueeze(1)
        where = (self._starts[rows].unsqueeze(1) + places).clamp(max=len(self._ids) - 1)
        ids = torch.where(inside, self._ids[where], self._padding).long()
        given = {"input_ids": ids, "attention_mask": inside.long()}
        if self._firsts is not None:
            given["token_type_ids"] = (inside & (places >= self._firsts[rows].unsqueeze(1))).long()
        marks = None if self._marks is None else torch.where(inside, self._marks[where], 0).long()
        return Rectangle(given, rows, marks)

    def _sent(self, values: NDArray[Any]) -> Any:
        found = torch.from_numpy(np.ascontiguousarray(values))
        if self.device == "cuda":
            return found.pin_memory().to(self.device, non_blocking=True)
        return found.to(self.device)
