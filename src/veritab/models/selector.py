"""The selector: scores a candidate, and each cell in it, by how likely it is evidence for a claim."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from veritab.models.candidates import UNREAD, CandidateScore, CandidateText, clean_candidate, span_tokens
from veritab.models.pair_model import DIGITS, PairModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_log = logging.getLogger(__name__)


class SelectorModel(PairModel):
    """Scores candidates for claims; `veritab.models.open_selector` opens one."""

    job = "selector"
    outputs: ClassVar[Mapping[str, int]] = {"whole": 1, "tokens": 2}
    side_by_side = True

    def scores(self, claims_and_candidates: Sequence[tuple[str, CandidateText]]) -> list[CandidateScore]:
        """For each claim and candidate the log odds that it is evidence, as a whole and for each of its spans.

        A span's score is the mean over its tokens; that of a span without any, being empty or cut off, is `UNREAD`. So
        is every score on which the model breaks down.
        """
        candidates = [clean_candidate(candidate) for _, candidate in claims_and_candidates]
        texts = [
            (claim, candidate.text) for (claim, _), candidate in zip(claims_and_candidates, candidates, strict=True)
        ]
        found = [CandidateScore(UNREAD)] * len(texts)
        broken = 0
        for place, encoding, (whole, tokens) in self._read(texts):
            spans = span_tokens(encoding, candidates[place].spans)
            scored = CandidateScore(_finite(whole), tuple(_mean(tokens, span) for span in spans))
            broken += scored.whole == UNREAD
            found[place] = scored
        if broken:
            _log.warning("%r gives no number for %d of %d candidates", str(self.folder), broken, len(texts))
        return found


def _mean(logits: NDArray[np.float32], places: list[int]) -> float:
    return _finite(logits[places].mean()) if places else UNREAD


def _finite(value: np.float32 | NDArray[np.float32]) -> float:
    import numpy as np

    return round(float(value), DIGITS) if np.isfinite(value) else UNREAD
