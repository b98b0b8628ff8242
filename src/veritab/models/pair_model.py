"""Models with a card that read pairs of texts: what verdict models and selectors share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

from veritab.errors import FormatError, InputError
from veritab.models.card import MODEL, Card
from veritab.models.pair_tokens import PairTokenizer
from veritab.models.runtime import STRETCH, OnnxModel, read_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

DIGITS = 5
"""Digits of a logit that are kept: the rest may depend on the processor and its cores."""


class PairOutput(NamedTuple):
    """The output of a model for one pair: its index, its tokens, and a row of each output."""

    place: int
    tokens: Encoding
    values: list[NDArray[np.float32]]


class PairModel:
    """A model with a card; opening one reads the card, its files are read and verified when they are needed.

    Pairs run one by one unless `batch_size` allows batches of about the same length. Batched sums round differently, so
    only alone does a pair get the same bytes whatever else is asked; on one core, batches gain a seventh at best.
    """

    job: ClassVar[str]
    outputs: ClassVar[Mapping[str, int]]
    """The outputs that are used, and how many dimensions each has."""
    side_by_side: ClassVar[bool] = False
    """Whether each thread runs a pair of its own: faster for many short pairs, no help to a single one."""

    def __init__(self, folder: Path, card: Card, *, threads: int | None = None, batch_size: int = 1) -> None:
        if card.job != self.job:
            raise InputError(
                f"{str(folder)!r} holds a model for {card.job!r}, not for {self.job!r}; open it as what it is"
            )
        for number, what in ((threads, "threads are"), (batch_size, "pairs in a batch are")):
            if number is not None and number < 1:
                raise InputError(f"{number} {what} too few; expected 1 or more")
        self.card = card
        self.folder = folder
        self._threads = threads
        self._batch_size = batch_size
        self._lock = Lock()
        self._tokenizer: PairTokenizer | None = None
        self._model: OnnxModel | None = None

    @classmethod
    def open(cls, folder: Path | str, *, threads: int | None = None, batch_size: int = 1) -> Self:
        """Read the card of a folder; `threads` fixes their number."""
        return cls(Path(folder), Card.read(folder), threads=threads, batch_size=batch_size)

    @property
    def max_length(self) -> int:
        """How many tokens the model reads: claim, evidence and the special tokens of its template."""
        return self.card.max_length

    def length(self, text: str) -> int:
        """How many tokens a text has, without special tokens."""
        return self._pairs().length(text)

    def load(self) -> None:
        """Verify and open the files now instead of at the first pair."""
        self._pairs()
        self._session()

    def _pairs(self) -> PairTokenizer:
        with self._lock:
            if self._tokenizer is None:
                self.card.verify(self.folder)
                self._tokenizer = PairTokenizer(read_tokenizer(self.folder), self.max_length)
            return self._tokenizer

    def _session(self) -> OnnxModel:
        with self._lock:
            if self._model is None:
                self.card.verify(self.folder)
                model = OnnxModel.open(
                    self.folder,
                    task="",
                    max_length=self.max_length,
                    model=MODEL,
                    threads=1 if self.side_by_side else self._threads,
                    batch_size=self._batch_size,
                )
                self._check(model)
                self._model = model
            return self._model

    def _workers(self) -> int:
        return (self._threads or _cores()) if self.side_by_side else 1

    def _check(self, model: OnnxModel) -> None:
        """Refuse a model that lacks the outputs of its job."""
        for name, rank in self.outputs.items():
            if model.ranks.get(name) != rank:
                given = ", ".join(f"{other} of {dimensions}" for other, dimensions in model.ranks.items())
                raise FormatError(
                    f"{str(model.file)!r} gives outputs by dimensions: {given}; a model for {self.job!r} gives "
                    f"{name!r} of {rank}; export it again"
                )

    def _read(self, pairs: Sequence[tuple[str, str]]) -> Iterator[PairOutput]:
        """The outputs of the model for each pair, shortest first."""
        if not pairs:
            return
        tokenizer, model = self._pairs(), self._session()
        for start in range(0, len(pairs), STRETCH):
            tokens = tokenizer.encode(pairs[start : start + STRETCH])
            for places, values, _ in model.run_tokens(tokens, tuple(self.outputs), workers=self._workers()):
                for row, place in enumerate(places):
                    yield PairOutput(start + place, tokens[place], [output[row] for output in values])


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
