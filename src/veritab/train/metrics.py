"""Metrics while training: few and fast; what is reported is measured with the exported model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from veritab.train.tokens import MOST_CELLS, QUERY, Tokens, group_starts

NOT_ENOUGH = 2
_TOP = 5


def verdict(logits: NDArray[Any], labels: NDArray[Any]) -> dict[str, float]:
    """Accuracy over three labels, and over two for what is supported or refuted."""
    decided = labels != NOT_ENOUGH
    three = logits.argmax(1) == labels
    found = {"examples": float(len(labels)), "three-way": _percent(three)}
    if decided.any():
        found["two-way"] = _percent(logits[decided, :NOT_ENOUGH].argmax(1) == labels[decided])
    return found


def selector(whole: NDArray[Any], by_token: NDArray[Any], tokens: Tokens) -> dict[str, float]:
    """AUC and recall of relevant candidates and cells."""
    relevant = tokens.labels > 0
    found = {"examples": float(tokens.texts), "auc": area(whole, relevant)}
    found[f"recall at {_TOP}"] = _recall(whole, relevant, group_starts(tokens.groups))
    if len(tokens.marks):
        scores, wanted = cells(by_token, tokens)
        if len(scores):
            found["cells auc"] = area(scores, wanted)
    return found


def cells(by_token: NDArray[Any], tokens: Tokens) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The scores of all cells, and which of them are relevant."""
    rows = np.repeat(np.arange(tokens.texts), tokens.lengths)
    inside = tokens.marks > 1
    numbers = rows[inside] * (MOST_CELLS + 1) + tokens.marks[inside] // 2
    known, place = np.unique(numbers, return_inverse=True)
    count = np.bincount(place, minlength=len(known))
    scores = np.bincount(place, weights=by_token[inside], minlength=len(known)) / np.maximum(count, 1)
    wanted = np.bincount(place, weights=tokens.marks[inside] % 2, minlength=len(known)) > 0
    return scores, wanted


def encoder(vectors: NDArray[Any], tokens: Tokens, most: int = 2000) -> dict[str, float]:
    """Recall and reciprocal rank of each query's own passage among all passages of the set."""
    starts = group_starts(tokens.groups)[:most]
    passages = np.flatnonzero(tokens.labels != QUERY)
    scores = vectors[starts] @ vectors[passages].T
    own = (vectors[starts] * vectors[starts + 1]).sum(1)
    before = (scores > own[:, None] + 1e-6).sum(1)
    return {
        "examples": float(len(starts)),
        "recall at 1": _percent(before < 1),
        f"recall at {_TOP}": _percent(before < _TOP),
        "reciprocal rank": round(float((1 / (before + 1)).mean()), 4),
    }


def area(scores: NDArray[Any], wanted: NDArray[np.bool_]) -> float:
    """AUC: the probability that something relevant is scored above something that is not."""
    order = np.argsort(scores, kind="stable")
    _, place, count = np.unique(scores[order], return_inverse=True, return_counts=True)
    ranks = np.empty(len(scores))
    ranks[order] = (np.cumsum(count) - (count - 1) / 2)[place]
    right, wrong = int(wanted.sum()), int((~wanted).sum())
    if not right or not wrong:
        return 0.5
    return round(float((ranks[wanted].sum() - right * (right + 1) / 2) / (right * wrong)), 4)


def _recall(scores: NDArray[Any], wanted: NDArray[np.bool_], starts: NDArray[np.int64]) -> float:
    """The share of claims with relevant candidates that have one among the first few."""
    hits = []
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(scores)], strict=True):
        if wanted[start:end].any():
            first = np.argsort(-scores[start:end], kind="stable")[:_TOP]
            hits.append(bool(wanted[start:end][first].any()))
    return _percent(np.array(hits)) if hits else 0.0


def _percent(values: NDArray[Any]) -> float:
    return round(100 * float(values.mean()), 2)
