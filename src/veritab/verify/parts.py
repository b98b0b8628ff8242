"""The verdict on a claim of several parts: all must hold for SUPPORTS, one that is refuted is enough for REFUTES."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from veritab.schema import Label, Verdict

_WHY = "why"
"""Why evidence cannot settle what is said, in a certificate."""
_MARKS = ("unparsed", "answer", _WHY)
"""What the certificate of a part says of an answer that could not be read or had."""


def joined_parts(whole: Verdict, parts: Sequence[Verdict]) -> Verdict:
    """The verdict on the whole claim as its parts have it, with the verdict on each of them."""
    labels = [part.label for part in parts]
    if Label.REFUTES in labels:
        label = Label.REFUTES
    else:
        label = Label.SUPPORTS if set(labels) == {Label.SUPPORTS} else Label.NOT_ENOUGH_INFO
    reasoning = tuple(dict.fromkeys(line for part in parts for line in part.reasoning))
    certificate = {**whole.certificate, "parts": [_told(part) for part in parts]}
    if label is not Label.NOT_ENOUGH_INFO:
        certificate.pop(_WHY, None)
    return replace(whole, label=label, scores=_scores(parts), reasoning=reasoning, certificate=certificate)


def _scores(parts: Sequence[Verdict]) -> dict[Label, float]:
    """A chain is as strong as its weakest link, and a claim as wrong as its worst part."""
    supports = min(part.scores[Label.SUPPORTS] for part in parts)
    refutes = max(part.scores[Label.REFUTES] for part in parts)
    neither = max(part.scores[Label.NOT_ENOUGH_INFO] for part in parts)
    decided = {Label.SUPPORTS: supports, Label.REFUTES: refutes, Label.NOT_ENOUGH_INFO: neither}
    total = sum(decided.values())
    return {each: score / total for each, score in decided.items()} if total > 0 else dict(parts[0].scores)


def _told(part: Verdict) -> dict[str, Any]:
    return {
        "text": part.claim.text,
        "label": str(part.label),
        "scores": {str(label): round(score, 6) for label, score in part.scores.items()},
        "evidence": [str(hit.element.id) for hit in part.evidence],
        **{name: part.certificate[name] for name in _MARKS if name in part.certificate},
    }
