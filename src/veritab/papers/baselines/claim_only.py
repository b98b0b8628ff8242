"""What the claim alone gives away: logistic regression on its words and pairs of words, for any set of labels.

FEVEROUS (section 7.7.1 of its supplement; 3.4 of the paper) fine-tunes BERT on the claim. That is the ordinary verdict
job without evidence, and has a recipe of its own (`baseline-claim-only-encoder`); this one needs no encoder. The fit is
convex and deterministic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from veritab.errors import InputError
from veritab.papers.baselines.config import read_config
from veritab.papers.baselines.folders import load_tensors, read_description, save_description, save_tensors
from veritab.papers.baselines.measures import FitProgress
from veritab.papers.baselines.training import check_examples, deterministic
from veritab.papers.baselines.vocabulary import EmbeddingBags, SparseRows, grams, most_frequent
from veritab.schema import Label
from veritab.train.examples import VerdictExample

NAME = "claim-only"
VERDICTS = (Label.SUPPORTS.value, Label.REFUTES.value, Label.NOT_ENOUGH_INFO.value)

_NO_GAIN = 1e-5


@dataclass(frozen=True)
class ClaimOnlyConfig:
    """What can be changed about the fit; `decay` is the weight of the squares of the weights, per claim."""

    grams: int = 100_000
    min_count: int = 2
    decay: float = 1e-4
    rounds: int = 10
    steps: int = 10


class ClaimOnlyClassifier:
    """The fitted classifier."""

    def __init__(
        self, settings: ClaimOnlyConfig, grams: dict[str, int], labels: Sequence[str], part: nn.EmbeddingBag
    ) -> None:
        self.labels = tuple(labels)
        self._settings, self._grams, self._part = settings, grams, part

    def probabilities(self, claims: Iterable[str]) -> list[tuple[float, ...]]:
        """For each claim how probable the labels are, in the order of `labels`."""
        rows = _rows(claims, self._grams)
        with torch.no_grad(), deterministic():
            logits = _logits(self._part, rows.bags(np.arange(len(rows))))
        return [tuple(row) for row in functional.softmax(logits, dim=1).tolist()]

    def scores(self, pairs: Iterable[VerdictExample]) -> list[tuple[float, float, float]]:
        """For each pair how probable SUPPORTS, REFUTES and NOT ENOUGH INFO are; its evidence is not read."""
        if not set(self.labels) <= set(VERDICTS):
            raise InputError(f"this classifier says {', '.join(self.labels)}, which are not verdicts")
        found = [dict(zip(self.labels, row, strict=True)) for row in self.probabilities(pair.claim for pair in pairs)]
        return [(row.get(VERDICTS[0], 0.0), row.get(VERDICTS[1], 0.0), row.get(VERDICTS[2], 0.0)) for row in found]

    def save(self, folder: Path) -> None:
        """Write the classifier into a folder."""
        save_description(folder, NAME, self._settings, labels=list(self.labels), grams=list(self._grams))
        save_tensors(folder, self._part.state_dict())


def steps(
    pairs: Iterable[VerdictExample], settings: ClaimOnlyConfig
) -> Generator[FitProgress, None, ClaimOnlyClassifier]:
    """Fit to the verdicts, some steps at a time."""
    given = check_examples(list(pairs))
    return (yield from labelled_steps([(pair.claim, VERDICTS[pair.label]) for pair in given], settings))


def labelled_steps(
    claims: Iterable[tuple[str, str]], settings: ClaimOnlyConfig
) -> Generator[FitProgress, None, ClaimOnlyClassifier]:
    """Fit to any labels, some steps at a time."""
    given = list(claims)
    if not given:
        raise InputError("there are no claims to fit to; name a source that has some")
    labels = sorted({label for _, label in given})
    known = most_frequent((set(grams(claim)) for claim, _ in given), settings.grams, at_least=settings.min_count)
    bags = _rows((claim for claim, _ in given), known)
    everything = bags.bags(np.arange(len(bags)))
    wanted = torch.tensor([labels.index(label) for _, label in given])
    part = _part(len(known), len(labels))
    nn.init.zeros_(part.weight)
    optimiser = torch.optim.LBFGS(part.parameters(), max_iter=settings.steps, line_search_fn="strong_wolfe")

    def missed() -> torch.Tensor:
        optimiser.zero_grad()
        # The constant is the first row: how frequent a label is costs nothing to know.
        squares = part.weight[1:].square().sum() / 2
        loss = functional.cross_entropy(_logits(part, everything), wanted) + settings.decay * squares
        torch.autograd.backward(loss)
        return loss

    before = float("inf")
    for number in range(1, settings.rounds + 1):
        with deterministic():
            loss = optimiser.step(missed).item()  # type: ignore[no-untyped-call]
        yield FitProgress(f"round {number}", {"loss": loss})
        if before - loss < _NO_GAIN:
            break
        before = loss
    return ClaimOnlyClassifier(settings, known, labels, part)


def load(folder: Path) -> ClaimOnlyClassifier:
    """The classifier that was saved in a folder."""
    known = read_description(folder, NAME)
    part = _part(len(known["grams"]), len(known["labels"]))
    part.load_state_dict(load_tensors(folder))
    named = {gram: number for number, gram in enumerate(known["grams"])}
    return ClaimOnlyClassifier(read_config(ClaimOnlyConfig, known["settings"], NAME), named, known["labels"], part)


def _part(known: int, labels: int) -> nn.EmbeddingBag:
    with deterministic(0):
        return nn.EmbeddingBag(known + 1, labels, mode="sum")


def _rows(claims: Iterable[str], known: dict[str, int]) -> SparseRows:
    """For each claim its constant, and the words and pairs of words it holds, all of them together of length one."""
    rows = []
    for claim in claims:
        found = sorted(Counter(known[gram] + 1 for gram in grams(claim) if gram in known))
        rows.append({0: 1.0, **dict.fromkeys(found, 1 / sqrt(max(1, len(found))))})
    return SparseRows(rows)


def _logits(part: nn.EmbeddingBag, bags: EmbeddingBags) -> torch.Tensor:
    logits: torch.Tensor = part(bags.columns, bags.begins, per_sample_weights=bags.weights)
    return logits
