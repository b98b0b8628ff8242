"""The verdict model: three logits for a claim beside evidence."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from veritab.errors import FormatError
from veritab.models.card import LABELS
from veritab.models.pair_model import DIGITS, PairModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veritab.models.runtime import OnnxModel

_log = logging.getLogger(__name__)


class VerdictModel(PairModel):
    """Classifies pairs of a claim and the text of its evidence; `veritab.models.open_verdict` opens one."""

    job = "verdict"
    outputs: ClassVar[Mapping[str, int]] = {"logits": 2}

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """For each pair its logits of SUPPORTS, REFUTES and NOT ENOUGH INFO, in this order; always finite.

        A pair for which the model gives no finite numbers gets three zeros, and a warning in the log.
        """
        import numpy as np

        found = np.zeros((len(pairs), len(LABELS)), dtype=np.float32)
        columns = [self.card.labels.index(label) for label in LABELS]
        for place, _, (row,) in self._read(pairs):
            if row.shape != (len(LABELS),):
                raise FormatError(
                    f"the model in {str(self.folder)!r} gives {row.size} logits for a pair and its card names "
                    f"{len(LABELS)} labels; export it again"
                )
            found[place] = np.round(row[columns], DIGITS)
        broken = ~np.isfinite(found).all(axis=1)
        if broken.any():
            _log.warning("%r gives no number for %d of %d pairs", str(self.folder), broken.sum(), len(pairs))
            found[broken] = 0.0
        return found

    def _check(self, model: OnnxModel) -> None:
        super()._check(model)
        stored = model.metadata.get("labels")
        named = ",".join(self.card.labels)
        if stored is not None and [name.strip() for name in stored.split(",")] != list(self.card.labels):
            raise FormatError(
                f"the card in {str(self.folder)!r} and its model disagree about the order of labels: expected "
                f"{named!r} by the card, found {stored!r} in {str(model.file)!r}; export it again"
            )
