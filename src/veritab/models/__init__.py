"""Neural models, run by onnxruntime: those that ship with the package, and any folder like theirs.

Reading down the room: `card` describes a model, `runtime` runs one, `dequantise` turns four-bit weights into eight,
`pair_tokens` tokenises pairs of texts; `pair_model` is a model with a card, of which `verdict` classifies claims and
`selector` scores `candidates`; `encoder` makes vectors, `cross_encoder` runs other people's cross-encoders, and
`registry` opens models by name.
"""

from __future__ import annotations

from veritab.models.candidates import CandidateScore, CandidateText
from veritab.models.card import Card
from veritab.models.registry import open_encoder, open_selector, open_verdict, shipped

__all__ = ["CandidateScore", "CandidateText", "Card", "open_encoder", "open_selector", "open_verdict", "shipped"]
