"""Cross-encoders score pairs of texts: any local one, run by onnxruntime from its folder.

A model with one output is a ranker, and its output is the score. Of a classifier, the score is the
log odds of one class against all others: the one called "entailment" where the labels in config.json have it, else the
second of two. Either way the logistic function of a score is the model's probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from veritab.errors import FormatError, InputError
from veritab.models.runtime import OnnxModel, read_max_length, read_object

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TASK = "text-classification"
_WANTED = "entailment"


class CrossEncoder:
    """A model that reads two texts together; `CrossEncoder.open(folder)` makes one."""

    def __init__(self, model: OnnxModel, output: str, chosen: int) -> None:
        self._model = model
        self._output = output
        self._chosen = chosen

    @classmethod
    def open(
        cls,
        folder: Path | str,
        *,
        label: str = "",
        model: str = "",
        threads: int | None = None,
        batch_size: int | None = None,
    ) -> CrossEncoder:
        """Read a model from its folder; `label` names the class to score where it is not the usual one.

        `model` names one of several ONNX files, `threads` fixes their number; batches are those of an `Encoder`.
        """
        path = Path(folder)
        length = read_max_length(path)
        opened = OnnxModel.open(
            path, task=_TASK, max_length=length, model=model, threads=threads, batch_size=batch_size
        )
        output = _output(opened)
        (batch,) = opened.run([("a", "b")], output)
        return cls(opened, output, _chosen(path, batch.values.shape[1], label))

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """A score per pair, to six digits, in their order: (query, passage) for rankers, (premise, hypothesis) for NLI.

        A pair that is too long for the model loses the end of the longer text.
        """
        import numpy as np

        scores = np.zeros(len(pairs))
        for batch in self._model.run(pairs, self._output):
            scores[batch.places] = _log_odds(batch.values.astype(np.float64), self._chosen)
        if not np.isfinite(scores).all():
            raise InputError(f"{str(self._model.file)!r} gives a score that is not finite; copy it again")
        # What comes after the sixth digit depends on the pairs beside it.
        found: list[float] = np.round(scores, 6).tolist()
        return found


def _log_odds(logits: NDArray[np.float64], chosen: int) -> NDArray[np.float64]:
    import numpy as np

    others = np.delete(logits, chosen, axis=1)
    if not others.shape[1]:
        return logits[:, chosen]
    odds: NDArray[np.float64] = logits[:, chosen] - np.logaddexp.reduce(others, axis=1)
    return odds


def _output(model: OnnxModel) -> str:
    pairs = [name for name, rank in model.ranks.items() if rank == 2]
    if "logits" in pairs or len(pairs) == 1:
        return "logits" if "logits" in pairs else pairs[0]
    raise InputError(
        f"{str(model.file)!r} gives {', '.join(model.ranks)}; expected logits, one or a few numbers for each pair"
    )


def _chosen(folder: Path, classes: int, label: str) -> int:
    if classes == 1 and not label:
        return 0
    labels = _labels(folder)
    place = labels.get((label or _WANTED).casefold(), 1 if classes == 2 and not label else classes)
    if place < classes:
        return place
    known = ", ".join(map(repr, labels)) or "nothing"
    raise InputError(
        f"the model in {str(folder)!r} has {classes} classes and none is called {label or _WANTED!r}; "
        f"name the one to score by its label in config.json, which has {known}"
    )


def _labels(folder: Path) -> dict[str, int]:
    """The indices of the classes by their names, in lower case."""
    names = read_object(folder / "config.json").get("id2label") or {}
    try:
        return {str(name).casefold(): int(place) for place, name in names.items()}
    except (AttributeError, ValueError):
        raise FormatError(
            f"id2label in {str(folder / 'config.json')!r} is {names!r}; expected e.g. {{'0': 'entailment'}}"
        ) from None
