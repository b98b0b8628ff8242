"""The decomposable attention model of Parikh et al. (2016), the better of FEVER's two classifiers (sections 4 and 5.5).

FEVER names the model and no sizes. Parikh et al. say: vectors of 300 numbers that stay as they are, projected to 200;
attend, compare and aggregate with two layers of 200 rectified units, a fifth of them dropped; Adagrad at 0.05; a word
without a vector has one of 100 random ones; an empty word is put before each text. Theirs were GloVe's vectors.
Given a file of such vectors ("word number number ..."), it is so here. Without one, as GloVe cannot be had offline, the
vectors of words that are met twice are learned from the pairs with the rest, which costs much of the accuracy; Adagrad
then hardly gets going, so that Adam is the default, and half the units do as well and let a fit end in minutes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from veritab.errors import FormatError, InputError, NotFound
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
from veritab.papers.baselines.vocabulary import hash_bucket, most_frequent
from veritab.text import words
from veritab.train.examples import VerdictExample

NAME = "attention"
_PADDING, _EMPTY, _FIRST = 0, 1, 2
# Batches are sorted by length in pools of this many: little padding, and still a random order.
_POOL = 32
_SCORED_AT_ONCE = 256


@dataclass(frozen=True)
class AttentionConfig:
    """What can be changed about the fit; `vectors` names a file of word vectors, whose size then is theirs."""

    vectors: str = ""
    size: int = 100
    hidden: int = 100
    dropout: float = 0.2
    buckets: int = 100
    min_count: int = 2
    words: int = 30_000
    max_tokens: int = 60
    batch: int = 32
    optimiser: str = "adam"
    rate: float = 1e-3
    clip: float = 5.0
    epochs: int = 10
    held_out: float = 0.05
    patience: int = 3
    seed: int = 0


class AttentionVocabulary:
    """Words as numbers: padding, the empty word, the buckets of unknown words, then the known ones."""

    def __init__(self, known: Sequence[str], settings: AttentionConfig) -> None:
        self.known = known
        self._buckets, self._max_tokens = settings.buckets, settings.max_tokens
        self._numbers = {word: number for number, word in enumerate(known, _FIRST + settings.buckets)}

    def __len__(self) -> int:
        return _FIRST + self._buckets + len(self.known)

    def read(self, text: str) -> list[int]:
        """The text as numbers, the empty word first."""
        return [_EMPTY, *(self._number(word) for word in words(text)[: self._max_tokens])]

    def _number(self, word: str) -> int:
        return self._numbers.get(word) or _FIRST + hash_bucket(word, self._buckets)


def _dense(inputs: int, hidden: int, dropout: float) -> nn.Sequential:
    layers = [nn.Dropout(dropout), nn.Linear(inputs, hidden), nn.ReLU()]
    return nn.Sequential(*layers, nn.Dropout(dropout), nn.Linear(hidden, hidden), nn.ReLU())


class AttentionNetwork(nn.Module):
    """Attend, compare, aggregate."""

    def __init__(self, known: int, settings: AttentionConfig) -> None:
        super().__init__()
        self.words = nn.Embedding(known, settings.size, padding_idx=_PADDING)
        self.words.weight.requires_grad_(not settings.vectors)
        self.project = nn.Linear(settings.size, settings.hidden, bias=False)
        self.attend = _dense(settings.hidden, settings.hidden, settings.dropout)
        self.compare = _dense(2 * settings.hidden, settings.hidden, settings.dropout)
        self.aggregate = _dense(2 * settings.hidden, settings.hidden, settings.dropout)
        self.out = nn.Linear(settings.hidden, LABELS)

    def forward(self, claims: torch.Tensor, evidence: torch.Tensor) -> torch.Tensor:
        """The logits of the three labels."""
        one, other = self.project(self.words(claims)), self.project(self.words(evidence))
        is_one, is_other = claims != _PADDING, evidence != _PADDING
        alike = self.attend(one) @ self.attend(other).transpose(1, 2)
        beside_one = _masked_softmax(alike, is_other) @ other
        beside_other = _masked_softmax(alike.transpose(1, 2), is_one) @ one
        compared = [self._compared(one, beside_one, is_one), self._compared(other, beside_other, is_other)]
        logits: torch.Tensor = self.out(self.aggregate(torch.cat(compared, dim=1)))
        return logits

    def _compared(self, own: torch.Tensor, beside: torch.Tensor, is_word: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.compare(torch.cat([own, beside], dim=2)) * is_word[:, :, None]
        return found.sum(dim=1)


def _masked_softmax(alike: torch.Tensor, is_word: torch.Tensor) -> torch.Tensor:
    return functional.softmax(alike.masked_fill(~is_word[:, None, :], -1e9), dim=2)


class EncodedPairs:
    """Pairs as numbers, and rectangles of them."""

    def __init__(self, vocabulary: AttentionVocabulary, pairs: Sequence[VerdictExample]) -> None:
        self._claims = [vocabulary.read(pair.claim) for pair in pairs]
        self._evidence = [vocabulary.read(pair.evidence) for pair in pairs]
        self._lengths = np.array([len(text) for text in self._evidence], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._claims)

    def batch(self, places: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
        """The claims and the evidence at these places, padded to their longest."""
        return _padded([self._claims[at] for at in places]), _padded([self._evidence[at] for at in places])

    def by_length(self, places: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
        """The places in batches of evidence of about one length."""
        order = places[np.argsort(self._lengths[places], kind="stable")]
        for start in range(0, len(order), size):
            yield order[start : start + size]


def _padded(texts: Sequence[Sequence[int]]) -> torch.Tensor:
    longest = max(map(len, texts))
    return torch.tensor([[*text, *[_PADDING] * (longest - len(text))] for text in texts])


class DecomposableAttention:
    """The fitted model."""

    def __init__(self, settings: AttentionConfig, vocabulary: AttentionVocabulary, network: AttentionNetwork) -> None:
        self._settings, self._vocabulary, self._network = settings, vocabulary, network

    def scores(self, pairs: Iterable[VerdictExample]) -> list[tuple[float, float, float]]:
        """For each pair how probable SUPPORTS, REFUTES and NOT ENOUGH INFO are."""
        return probabilities(self._network, EncodedPairs(self._vocabulary, list(pairs)))

    def save(self, folder: Path) -> None:
        """Write the model into a folder, its word vectors with it."""
        save_description(folder, NAME, self._settings, words=list(self._vocabulary.known))
        save_tensors(folder, self._network.state_dict())


def probabilities(network: AttentionNetwork, texts: EncodedPairs) -> list[tuple[float, float, float]]:
    """How probable the network finds each label."""
    network.eval()
    found = np.zeros((len(texts), LABELS))
    with torch.no_grad(), deterministic():
        for places in texts.by_length(np.arange(len(texts)), _SCORED_AT_ONCE):
            found[places] = functional.softmax(network(*texts.batch(places)), dim=1).numpy()
    return [(float(row[0]), float(row[1]), float(row[2])) for row in found]


def steps(
    pairs: Iterable[VerdictExample], settings: AttentionConfig
) -> Generator[FitProgress, None, DecomposableAttention]:
    """Fit, epoch by epoch."""
    checked = check_examples(list(pairs))
    settings, vocabulary, network = _initialise(checked, settings)
    texts = EncodedPairs(vocabulary, checked)
    labels = torch.tensor([pair.label for pair in checked])
    training, held_out_places = split_held_out(checked, settings.held_out)
    held_out_set = EncodedPairs(vocabulary, [checked[place] for place in held_out_places])
    taught_parts = [part for part in network.parameters() if part.requires_grad]
    optimiser = _optimiser(taught_parts, settings)

    def learn() -> float:
        network.train()
        total = 0.0
        for pool in shuffled(training, settings.batch * _POOL):
            batches = list(texts.by_length(pool, settings.batch))
            for at in torch.randperm(len(batches)).tolist():
                loss = functional.cross_entropy(network(*texts.batch(batches[at])), labels[batches[at]])
                optimiser.zero_grad()
                torch.autograd.backward(loss)
                nn.utils.clip_grad_norm_(taught_parts, settings.clip)
                optimiser.step()
                total += loss.item() * len(batches[at])
        return total / len(training)

    yield from train_until_best(
        network, learn, lambda: probabilities(network, held_out_set), labels[held_out_places], settings
    )
    return DecomposableAttention(settings, vocabulary, network)


def _optimiser(parts: Iterable[nn.Parameter], settings: AttentionConfig) -> torch.optim.Optimizer:
    if settings.optimiser == "adam":
        return torch.optim.Adam(parts, lr=settings.rate)
    if settings.optimiser == "adagrad":
        return torch.optim.Adagrad(parts, lr=settings.rate, initial_accumulator_value=0.1)
    raise InputError(f'optimiser is {settings.optimiser!r}; expected "adam" or "adagrad"')


def _initialise(
    pairs: Sequence[VerdictExample], settings: AttentionConfig
) -> tuple[AttentionConfig, AttentionVocabulary, AttentionNetwork]:
    """The words of the pairs with a vector each, and the network before its first step."""
    texts = dict.fromkeys(text for pair in pairs for text in (pair.claim, pair.evidence))
    met = most_frequent(map(words, texts), settings.words, at_least=settings.min_count)
    if not settings.vectors:
        vocabulary = AttentionVocabulary(list(met), settings)
        with deterministic(settings.seed):
            return settings, vocabulary, _normalise_vectors(AttentionNetwork(len(vocabulary), settings))
    # Words of other texts are read with this model too, so every word of the file is kept.
    vectors = word_vectors(Path(settings.vectors), settings.words, first=met)
    settings = replace(settings, size=len(next(iter(vectors.values()))))
    vocabulary = AttentionVocabulary(list(vectors), settings)
    with deterministic(settings.seed):
        network = _normalise_vectors(AttentionNetwork(len(vocabulary), settings))
    with torch.no_grad():
        network.words.weight[-len(vectors) :] = torch.from_numpy(np.stack(list(vectors.values())))
    return settings, vocabulary, network


def _normalise_vectors(network: AttentionNetwork) -> AttentionNetwork:
    """The network with vectors of length one, as Parikh et al. have them."""
    with torch.no_grad():
        network.words.weight.copy_(functional.normalize(network.words.weight, dim=1))
    return network


def word_vectors(file: Path, most: int, first: Iterable[str] = ()) -> dict[str, NDArray[np.float32]]:
    """The vectors of a file, each of length one: those of the `first` words, then of others as they come."""
    if not file.is_file():
        raise NotFound(f"there is no file of word vectors {file}; name one, or none to learn them from the pairs")
    wanted = frozenset(first)
    wanted_vectors: dict[str, NDArray[np.float32]] = {}
    others: dict[str, NDArray[np.float32]] = {}
    size = 0
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            word, *values = line.rstrip().split(" ")
            if number == 1 and len(values) == 1:  # word2vec says how many words and numbers follow
                continue
            size = size or len(values)
            kept = wanted_vectors if word in wanted else others
            if kept is others and len(others) >= most:
                continue
            try:
                vector = np.array(values, dtype=np.float32)
            except ValueError:
                vector = np.zeros(0, dtype=np.float32)
            if len(vector) != size or not np.isfinite(vector).all():
                raise FormatError(f"line {number} of {file} is not a word and {size} numbers: {line[:60]!r}")
            kept.setdefault(word, vector / max(float(np.linalg.norm(vector)), 1e-9))
    if not wanted_vectors and not others:
        raise FormatError(f"{file} holds no word vectors; a line is a word and its numbers, with spaces between")
    return {**wanted_vectors, **dict(list(others.items())[: max(0, most - len(wanted_vectors))])}


def load(folder: Path) -> DecomposableAttention:
    """The model that was saved in a folder."""
    known = read_description(folder, NAME)
    settings = read_config(AttentionConfig, known["settings"], NAME)
    vocabulary = AttentionVocabulary(known["words"], settings)
    with deterministic(settings.seed):
        network = AttentionNetwork(len(vocabulary), settings)
    network.load_state_dict(load_tensors(folder))
    return DecomposableAttention(settings, vocabulary, network)
