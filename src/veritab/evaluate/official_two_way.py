"""The measures of Fool Me Twice and FaVIQ, which know two labels: accuracy, and for the first passages found.

FaVIQ compares what a model says ("true", "false") with the answer after SQuAD's normalisation: case, punctuation,
articles and white space do not matter. Fool Me Twice has no addresses: its gold sentences are laid on 100-word passages
by the share of their n-grams that a passage holds (BLEU's modified precision), and claims that fit none are dropped.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import geometric_mean

from veritab.errors import InputError
from veritab.schema import Label
from veritab.text import words

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SAID = {"true": Label.SUPPORTS, "supports": Label.SUPPORTS, "false": Label.REFUTES, "refutes": Label.REFUTES}
LEAST_OVERLAP = 0.5
"""Below this share of n-grams a gold sentence has no passage."""
_LONGEST_GRAM = 4


def accuracy(predicted: Mapping[str, Label | None], gold: Mapping[str, Label]) -> float:
    """The share of claims whose label is right; every claim of the gold needs a prediction."""
    if not gold:
        raise InputError("there are no gold labels, so there is nothing to score; give a labelled file")
    for id in gold:
        if id not in predicted:
            raise InputError(f"the claim {id!r} has no prediction; give one for every claim")
    return sum(predicted[id] == label for id, label in gold.items()) / len(gold)


def said_label(answer: str) -> Label | None:
    """The label that the words of a FaVIQ model stand for; None where they are neither true nor false."""
    kept = _ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION))
    return _SAID.get(" ".join(kept.split()))


# -- passages ----------------------------------------------------------------------------------------------


def passages_found(
    rankings: Mapping[str, Sequence[str]], gold: Mapping[str, Sequence[str]], at: Sequence[int] = (5, 10)
) -> dict[str, float]:
    """R-precision and recall at ranks, averaged over the claims that have gold passages; no ranking found nothing."""
    scored = [passage_shares(rankings.get(id, ()), passages, at) for id, passages in gold.items() if passages]
    if not scored:
        raise InputError("no claim has gold passages, so there is nothing to score; align the gold with passages first")
    return {name: sum(shares[name] for shares in scored) / len(scored) for name in scored[0]}


def passage_shares(ranking: Iterable[str], gold: Iterable[str], at: Sequence[int] = (5, 10)) -> dict[str, float]:
    """The same for one claim: the share of its gold passages among the first so many, R of them for R-precision."""
    ranked, wanted = list(dict.fromkeys(ranking)), frozenset(gold)
    depths = {"R-Precision": len(wanted), **{f"Recall@{k}": k for k in at}}
    return {name: len(wanted.intersection(ranked[:depth])) / len(wanted) for name, depth in depths.items()}


def overlap(sentence: str, passage: str) -> float:
    """The share of a sentence's n-grams that a passage holds: the geometric mean over 1 to 4 words."""
    shares = [_share(words(sentence), words(passage), n) for n in range(1, _LONGEST_GRAM + 1)]
    known = [share for share in shares if share is not None]
    return geometric_mean(known) if known and min(known) > 0 else 0.0


def _share(sentence: Sequence[str], passage: Sequence[str], n: int) -> float | None:
    grams = _grams(sentence, n)
    return (grams & _grams(passage, n)).total() / grams.total() if grams else None


def _grams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def aligned(sentences: Sequence[str], passages: Mapping[str, str]) -> tuple[str, ...]:
    """The passages that gold sentences lie in, each once; none where one of the sentences fits no passage."""
    found: dict[str, None] = {}
    for sentence in sentences:
        best = max(sorted(passages), key=lambda id: overlap(sentence, passages[id]), default=None)
        if best is None or overlap(sentence, passages[best]) < LEAST_OVERLAP:
            return ()
        found[best] = None
    return tuple(found)
