"""What the scorers of Fool Me Twice and FaVIQ, which have two labels, do beside accuracy.

FaVIQ compares a model's words ("true", "false") with the answer after SQuAD's normalisation: case, punctuation,
articles and white space do not matter. Fool Me Twice scores the passages that are retrieved.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence

from veritab.schema import Label

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SAID = {"true": Label.SUPPORTS, "supports": Label.SUPPORTS, "false": Label.REFUTES, "refutes": Label.REFUTES}


def said_label(answer: str) -> Label | None:
    """The label that the words of a FaVIQ model stand for; None where they are neither true nor false."""
    kept = _ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION))
    return _SAID.get(" ".join(kept.split()))


def passage_shares(ranking: Iterable[str], gold: Iterable[str], at: Sequence[int] = (5, 10)) -> dict[str, float]:
    """The share of a claim's gold passages among its first k; R of them for R-precision."""
    ranked, wanted = list(dict.fromkeys(ranking)), frozenset(gold)
    depths = {"R-Precision": len(wanted), **{f"Recall@{k}": k for k in at}}
    return {name: len(wanted.intersection(ranked[:depth])) / len(wanted) for name, depth in depths.items()}
