"""The stance classifier of Riedel et al. (2017), which FEVER (Thorne et al., 2018, sections 4 and 5.5) took as its MLP.

FEVER says: one hidden layer; term frequencies of claim and evidence, and the cosine of their TF-IDF vectors.
Riedel et al. and their code say: the 5,000 most frequent words without stop words (negations stay), frequencies of
length one, 100 units, a rectifier, six outputs of ten kept in both layers, squares of the weights at 1e-5, batches of
500, Adam at 0.01, gradients of length five at most, 90 epochs.
Ours: the list of stop words, document frequencies of the training texts alone (theirs saw the test texts too), and a
twentieth of the claims held out to stop by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from veritab.papers.baselines.config import read_config
from veritab.papers.baselines.folders import load_tensors, read_description, save_description, save_tensors
from veritab.papers.baselines.measures import FitProgress
from veritab.papers.baselines.training import (
    LABELS,
    check_examples,
    deterministic,
    shuffled,
    split_held_out,
    train_until_best,
)
from veritab.papers.baselines.vocabulary import EmbeddingBags, SparseRows, most_frequent
from veritab.text import STOP_WORDS, words
from veritab.train.examples import VerdictExample

NAME = "riedel"
_DROPPED = STOP_WORDS - {"no", "nor", "not"}
_SCORED_AT_ONCE = 2048


@dataclass(frozen=True)
class RiedelConfig:
    """What can be changed about the fit; the defaults are the paper's."""

    words: int = 5000
    hidden: int = 100
    keep: float = 0.6
    decay: float = 1e-5
    batch: int = 500
    rate: float = 0.01
    clip: float = 5.0
    epochs: int = 90
    held_out: float = 0.05
    patience: int = 10
    seed: int = 0


class RiedelFeatures:
    """The inputs of the network for some pairs."""

    def __init__(self, claims: SparseRows, evidence: SparseRows, cosines: NDArray[np.float32]) -> None:
        self._claims, self._evidence, self._cosines = claims, evidence, cosines

    def __len__(self) -> int:
        return len(self._cosines)

    def batch(self, places: NDArray[np.int64]) -> tuple[EmbeddingBags, EmbeddingBags, torch.Tensor]:
        """The features of the pairs at these places."""
        return self._claims.bags(places), self._evidence.bags(places), torch.from_numpy(self._cosines[places])


class TfidfFeaturiser:
    """Turns texts into features: a vocabulary and the inverse document frequency of its words."""

    def __init__(self, numbers: dict[str, int], idf: Sequence[float]) -> None:
        self.numbers, self.idf = numbers, idf

    @classmethod
    def of(cls, pairs: Sequence[VerdictExample], most: int) -> TfidfFeaturiser:
        """A featuriser with the most frequent words of the pairs, each text counted once."""
        texts = dict.fromkeys(text for pair in pairs for text in (pair.claim, pair.evidence))
        split = [_content(text) for text in texts]
        known = most_frequent(split, most)
        found_in = Counter(word for text in split for word in set(text) if word in known)
        return cls(known, [1 + log((1 + len(split)) / (1 + found_in[word])) for word in known])

    def features(self, pairs: Sequence[VerdictExample]) -> RiedelFeatures:
        """The features of the pairs."""
        claims = [self._frequencies(pair.claim) for pair in pairs]
        evidence = [self._frequencies(pair.evidence) for pair in pairs]
        cosines = [self._cosine(claim, text) for claim, text in zip(claims, evidence, strict=True)]
        return RiedelFeatures(SparseRows(claims), SparseRows(evidence), np.array(cosines, dtype=np.float32))

    def _frequencies(self, text: str) -> dict[int, float]:
        counts = Counter(number for word in _content(text) if (number := self.numbers.get(word)) is not None)
        length = sqrt(sum(count * count for count in counts.values()))
        return {number: counts[number] / length for number in sorted(counts)}

    def _cosine(self, claim: dict[int, float], evidence: dict[int, float]) -> float:
        one, other = self._weighted(claim), self._weighted(evidence)
        lengths = sqrt(sum(value * value for value in one.values()) * sum(value * value for value in other.values()))
        return sum(value * other.get(number, 0.0) for number, value in one.items()) / lengths if lengths else 0.0

    def _weighted(self, row: dict[int, float]) -> dict[int, float]:
        return {number: value * self.idf[number] for number, value in row.items()}


def _content(text: str) -> list[str]:
    return [word for word in words(text) if word not in _DROPPED]


class RiedelNetwork(nn.Module):
    """The perceptron; its first layer is three, since nearly all of its inputs are nothing."""

    def __init__(self, known: int, settings: RiedelConfig) -> None:
        super().__init__()
        known = max(1, known)
        self.claim = nn.EmbeddingBag(known, settings.hidden, mode="sum")
        self.evidence = nn.EmbeddingBag(known, settings.hidden, mode="sum")
        self.cosine = nn.Linear(1, settings.hidden)
        self.out = nn.Linear(settings.hidden, LABELS)
        self.dropout = nn.Dropout(1 - settings.keep)
        for part, inputs in ((self.claim, 2 * known), (self.evidence, 2 * known), (self.cosine, 2 * known)):
            reach = sqrt(6 / (inputs + 1 + settings.hidden))
            nn.init.uniform_(part.weight, -reach, reach)
        nn.init.zeros_(self.cosine.bias)

    def forward(self, claims: EmbeddingBags, evidence: EmbeddingBags, cosines: torch.Tensor) -> torch.Tensor:
        """The logits of the three labels."""
        before = _summed(self.claim, claims) + _summed(self.evidence, evidence) + self.cosine(cosines[:, None])
        logits: torch.Tensor = self.dropout(self.out(self.dropout(functional.relu(before))))
        return logits

    @property
    def weights(self) -> list[torch.Tensor]:
        """The weights that are regularised: all but the biases."""
        return [value for name, value in self.named_parameters() if not name.endswith("bias")]


def _summed(part: nn.EmbeddingBag, bags: EmbeddingBags) -> torch.Tensor:
    summed: torch.Tensor = part(bags.columns, bags.begins, per_sample_weights=bags.weights)
    return summed


class RiedelClassifier:
    """The fitted classifier."""

    def __init__(self, settings: RiedelConfig, featuriser: TfidfFeaturiser, network: RiedelNetwork) -> None:
        self._settings, self._featuriser, self._network = settings, featuriser, network

    def scores(self, pairs: Iterable[VerdictExample]) -> list[tuple[float, float, float]]:
        """For each pair how probable SUPPORTS, REFUTES and NOT ENOUGH INFO are."""
        return probabilities(self._network, self._featuriser.features(list(pairs)))

    def save(self, folder: Path) -> None:
        """Write the classifier into a folder."""
        save_description(
            folder, NAME, self._settings, words=list(self._featuriser.numbers), telling=self._featuriser.idf
        )
        save_tensors(folder, self._network.state_dict())


def probabilities(network: RiedelNetwork, features: RiedelFeatures) -> list[tuple[float, float, float]]:
    """How probable the network finds each label."""
    network.eval()
    rows: list[tuple[float, float, float]] = []
    with torch.no_grad(), deterministic():
        for start in range(0, len(features), _SCORED_AT_ONCE):
            places = np.arange(start, min(start + _SCORED_AT_ONCE, len(features)))
            rows += map(tuple, functional.softmax(network(*features.batch(places)), dim=1).tolist())
    return rows


def steps(pairs: Iterable[VerdictExample], settings: RiedelConfig) -> Generator[FitProgress, None, RiedelClassifier]:
    """Fit, epoch by epoch."""
    checked = check_examples(list(pairs))
    featuriser = TfidfFeaturiser.of(checked, settings.words)
    features = featuriser.features(checked)
    labels = torch.tensor([pair.label for pair in checked])
    training, held_out_places = split_held_out(checked, settings.held_out)
    with deterministic(settings.seed):
        network = RiedelNetwork(len(featuriser.numbers), settings)
    optimiser = torch.optim.Adam(network.parameters(), lr=settings.rate)
    held_out_set = featuriser.features([checked[place] for place in held_out_places])

    def learn() -> float:
        network.train()
        total = 0.0
        for places in shuffled(training, settings.batch):
            loss = functional.cross_entropy(network(*features.batch(places)), labels[places], reduction="sum")
            squares = torch.stack([weight.square().sum() for weight in network.weights]).sum() / 2
            optimiser.zero_grad()
            torch.autograd.backward(loss + len(places) * settings.decay * squares)
            nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
            optimiser.step()
            total += loss.item()
        return total / len(training)

    yield from train_until_best(
        network, learn, lambda: probabilities(network, held_out_set), labels[held_out_places], settings
    )
    return RiedelClassifier(settings, featuriser, network)


def load(folder: Path) -> RiedelClassifier:
    """The classifier that was saved in a folder."""
    known = read_description(folder, NAME)
    settings = read_config(RiedelConfig, known["settings"], NAME)
    featuriser = TfidfFeaturiser({word: number for number, word in enumerate(known["words"])}, known["telling"])
    with deterministic(settings.seed):
        network = RiedelNetwork(len(featuriser.numbers), settings)
    network.load_state_dict(load_tensors(folder))
    return RiedelClassifier(settings, featuriser, network)
