"""Bi-encoders turn texts into vectors: any local sentence encoder, run by onnxruntime from its folder.

The folder is one with a card, or the one sentence-transformers writes, plus an ONNX file of the model: then pooling,
longest input and prompts are read from its own settings, so that the vectors are those its makers meant.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from veritab.errors import FormatError, InputError
from veritab.models.card import FILE, MODEL, Card
from veritab.models.pair_tokens import most_characters
from veritab.models.runtime import OnnxModel, read_json, read_max_length, read_object

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veritab.models.runtime import Batch

_log = logging.getLogger(__name__)
_TASK = "feature-extraction"
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")
_POOLED = "sentence_embedding"


@dataclass(frozen=True)
class EncoderConfig:
    """How texts are prefixed, truncated and pooled; part of the encoder's fingerprint."""

    pooling: str
    max_length: int
    query_prefix: str = ""
    document_prefix: str = ""


class Encoder:
    """A sentence encoder; `Encoder.open(folder)` makes one."""

    def __init__(self, model: OnnxModel, settings: EncoderConfig) -> None:
        self.settings = settings
        self._model = model
        self._output = _output(model)

    @classmethod
    def open(
        cls, folder: Path | str, *, model: str = "", threads: int | None = None, batch_size: int | None = None
    ) -> Encoder:
        """Read an encoder from its folder; `model` names one of several ONNX files, `threads` fixes their number.

        A batch has 32 texts, but only one where a text's vector would otherwise depend on those beside it.
        """
        path = Path(folder)
        if (path / FILE).is_file():
            settings, model = _by_card(path), MODEL
        else:
            settings = _settings(path)
        length = settings.max_length
        opened = OnnxModel.open(
            path, task=_TASK, max_length=length, model=model, threads=threads, batch_size=batch_size
        )
        return cls(opened, settings)

    @cached_property
    def fingerprint(self) -> str:
        """An id of this encoder's vectors: the same for the same weights, tokenizer and settings only."""
        return self._model.fingerprint(asdict(self.settings))

    @cached_property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        (batch,) = self._model.run(["a"], self._output)
        return int(batch.values.shape[-1])

    def encode(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """One vector of unit length per text, in their order; claims are queries, what is searched is not.

        A text for which the model gives no finite numbers gets a zero vector, and a warning in the log.
        """
        import numpy as np

        prefix = self.settings.query_prefix if query else self.settings.document_prefix
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        most = most_characters(self.settings.max_length)
        broken = 0
        for batch in self._model.run([prefix + text[:most] for text in texts], self._output):
            pooled = _pooled(batch, self.settings.pooling)
            sound = np.isfinite(pooled).all(axis=1, keepdims=True)
            vectors[batch.places] = _unit(np.where(sound, pooled, 0.0))
            broken += int((~sound).sum())
        if broken:
            _log.warning("%r gives no number for %d of %d texts", str(self._model.file), broken, len(texts))
        return vectors


def _pooled(batch: Batch, pooling: str) -> NDArray[np.float32]:
    if batch.values.ndim == 2:
        return batch.values
    if pooling == "cls":
        return batch.values[:, 0]
    weights = batch.mask[:, :, None].astype(batch.values.dtype)
    mean: NDArray[np.float32] = (batch.values * weights).sum(axis=1) / weights.sum(axis=1).clip(min=1)
    return mean


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)


def _output(model: OnnxModel) -> str:
    """The output to use: sentence vectors when the model makes them itself, else its token vectors."""
    if model.ranks.get(_POOLED) == 2:
        return _POOLED
    for rank in (3, 2):
        for name, found in model.ranks.items():
            if found == rank:
                return name
    raise InputError(
        f"{str(model.file)!r} gives {', '.join(model.ranks)}; expected token vectors such as last_hidden_state"
    )


# -- what its settings say ---------------------------------------------------------------------------------


def _by_card(folder: Path) -> EncoderConfig:
    """The configuration of a model with a card, after its files were verified."""
    card = Card.read(folder)
    if card.job != "encoder":
        raise InputError(f"{str(folder)!r} holds a model for {card.job!r}, not for 'encoder'; open it as what it is")
    card.verify(folder)
    return EncoderConfig(pooling="mean", max_length=card.max_length)


def _settings(folder: Path) -> EncoderConfig:
    prompts = read_object(folder / "config_sentence_transformers.json").get("prompts") or {}
    try:
        return EncoderConfig(
            pooling=_pooling(folder),
            max_length=read_max_length(folder),
            query_prefix=prompts.get("query") or "",
            document_prefix=next((prompts[name] for name in _DOCUMENT_PROMPTS if prompts.get(name)), ""),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise FormatError(
            f"the JSON files in {str(folder)!r} are not those of a sentence-transformers encoder ({error!r})"
        ) from None


def _pooling(folder: Path) -> str:
    modules = read_json(folder / "modules.json") or []
    kinds = {module["type"].rpartition(".")[2]: module["path"] for module in modules}
    unknown = kinds.keys() - {"Transformer", "Pooling", "Normalize"}
    if unknown:
        raise InputError(
            f"the encoder in {str(folder)!r} has the part {min(unknown)!r}, which is not supported; "
            "expected only Transformer, Pooling and Normalize in its modules.json"
        )
    config = read_object(folder / kinds.get("Pooling", "1_Pooling") / "config.json")
    chosen = [name.removeprefix("pooling_mode_") for name, on in config.items() if name[:13] == "pooling_mode_" and on]
    pooling = config.get("pooling_mode") or "+".join(chosen) or "mean"
    pooling = {"mean_tokens": "mean", "cls_token": "cls"}.get(pooling, pooling)
    if pooling not in ("mean", "cls"):
        raise InputError(f"the encoder in {str(folder)!r} pools by {pooling!r}; expected 'mean' or 'cls'")
    return str(pooling)
