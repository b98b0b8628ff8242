"""Neural models, run by onnxruntime: those that ship with the package, and any folder like theirs.

Reading down the room: `card` says what a model is, `runtime` runs any, `pairs` makes tokens of two texts; `carded` is a
model with a card, `verdict` judges claims, `selector` scores the `candidates` for them, `encoder` makes vectors and
`cross` scores pairs with other people's models.
"""

from __future__ import annotations

from veritab.models.candidates import CandidateScore, CandidateText
from veritab.models.card import Card
from veritab.models.registry import open_encoder, open_selector, open_verdict, shipped

__all__ = ["CandidateScore", "CandidateText", "Card", "open_encoder", "open_selector", "open_verdict", "shipped"]
