"""A sequence-to-sequence model reads the claim and k passages and answers "true" or "false", FaVIQ's way (section 4).

FaVIQ says (with its appendix C): BART; the words "true" and "false", each one token; three passages of up to 100 words;
batches of 32, 1,024 tokens at most, 500 steps of warming up, a learning rate between 7e-6 and 1e-5; NOT ENOUGH INFO
counted as refuted; and a gamma between -1 and 1, fitted on held-out claims, that is added to the probability of "true".
Ours: any folder of a model of that kind; passages end where a sentence ends; the separator between claim and passages
is the tokenizer's own; an answer may be several tokens, whose log-probabilities are added.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from veritab.errors import InputError, NotFound
from veritab.papers.baselines.config import read_config
from veritab.papers.baselines.folders import read_description, save_description
from veritab.papers.baselines.measures import FitProgress
from veritab.papers.baselines.training import check_examples, seeded, shuffled, split_held_out
from veritab.text import sentences
from veritab.train.examples import VerdictExample

NAME = "reader"
REFUTED, OUT = "refuted", "out"
_SUPPORTS, _NOT_ENOUGH = 0, 2
_IGNORED = -100
_TELL = 50
"""Steps between two progress reports."""


@dataclass(frozen=True)
class ReaderConfig:
    """What can be changed about the fit; `not_enough` is "refuted", as in FaVIQ, or "out"."""

    base: str = ""
    passages: int = 3
    passage_words: int = 100
    max_length: int = 1024
    true: str = "true"
    false: str = "false"
    not_enough: str = REFUTED
    batch: int = 32
    rate: float = 1e-5
    warm_up: int = 500
    epochs: int = 3
    clip: float = 1.0
    fit_gamma: bool = False
    held_out: float = 0.05
    seed: int = 0


# -- what is read ------------------------------------------------------------------------------------------


def passages(evidence: str, most: int, length: int) -> list[str]:
    """The evidence in passages of whole sentences, of `length` words at most; a longer sentence is one by itself."""
    return list(islice(_passages(evidence, length), most))


def _passages(evidence: str, length: int) -> Iterator[str]:
    held: list[str] = []
    count = 0
    for start, end in sentences(evidence):
        sentence = evidence[start:end]
        size = len(sentence.split())
        if held and count + size > length:
            yield " ".join(held)
            held, count = [], 0
        held.append(sentence)
        count += size
    if held:
        yield " ".join(held)


class Seq2SeqReader:
    """The model, its tokenizer and gamma."""

    def __init__(self, settings: ReaderConfig, model: Any, tokenizer: Any, gamma: float = 0.0) -> None:
        self.settings, self.gamma = settings, gamma
        self._model, self._tokenizer = model, tokenizer
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(self._device)
        self._separator = tokenizer.sep_token or tokenizer.eos_token or "\n"

    def text(self, pair: VerdictExample) -> str:
        """What the model reads of a pair."""
        found = passages(pair.evidence, self.settings.passages, self.settings.passage_words)
        return f" {self._separator} ".join([pair.claim, *found])

    def scores(self, pairs: Iterable[VerdictExample]) -> list[tuple[float, float, float]]:
        """For each pair how probable SUPPORTS and REFUTES are, with gamma; NOT ENOUGH INFO is never said."""
        raised = (with_gamma(share, self.gamma) for share in self.supported(list(pairs)))
        return [(share, 1 - share, 0.0) for share in raised]

    def supported(self, pairs: Sequence[VerdictExample]) -> list[float]:
        """For each pair the share of "true" in what the model gives to the two answers."""
        self._model.eval()
        found = np.zeros(len(pairs))
        texts = [self.text(pair) for pair in pairs]
        order = np.argsort([len(text) for text in texts], kind="stable")
        with torch.no_grad():
            for start in range(0, len(order), self.settings.batch):
                places = order[start : start + self.settings.batch]
                found[places] = self._shares([texts[place] for place in places])
        return [float(share) for share in found]

    def loss(self, pairs: Sequence[VerdictExample]) -> torch.Tensor:
        """The cross entropy of the right answers, with teacher forcing."""
        answers = [self.settings.true if pair.label == _SUPPORTS else self.settings.false for pair in pairs]
        loss: torch.Tensor = self._model(**self._read(map(self.text, pairs)), labels=self._answers(answers)).loss
        return loss

    def train(self, settings: ReaderConfig, pairs: Sequence[VerdictExample]) -> Generator[FitProgress, None, None]:
        """Train on the pairs, with linear warm-up and decay of the learning rate."""
        optimiser = torch.optim.AdamW(self._model.parameters(), lr=settings.rate)
        last = settings.epochs * -(-len(pairs) // settings.batch)
        step = 0
        losses: list[float] = []
        for epoch in range(settings.epochs):
            with seeded(settings.seed + epoch):
                batches = [list(map(pairs.__getitem__, at)) for at in shuffled(np.arange(len(pairs)), settings.batch)]
            for batch in batches:
                step += 1
                for group in optimiser.param_groups:
                    group["lr"] = settings.rate * _rate_factor(step, settings.warm_up, last)
                with seeded(settings.seed + step):
                    losses.append(self._learn(batch, optimiser, settings.clip))
                if step % _TELL == 0 or step == last:
                    yield FitProgress(f"step {step} of {last}", {"loss": sum(losses) / len(losses)})
                    losses = []

    def save(self, folder: Path) -> None:
        """Write the model, its tokenizer and gamma into a folder."""
        save_description(folder, NAME, self.settings, gamma=self.gamma)
        self._model.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)

    def _learn(self, batch: Sequence[VerdictExample], optimiser: torch.optim.Optimizer, longest: float) -> float:
        self._model.train()
        loss = self.loss(batch)
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self._model.parameters(), longest)
        optimiser.step()
        return loss.item()

    def _read(self, texts: Iterable[str]) -> dict[str, torch.Tensor]:
        read = self._tokenizer(
            list(texts), truncation=True, max_length=self.settings.max_length, padding=True, return_tensors="pt"
        )
        return {name: read[name].to(self._device) for name in ("input_ids", "attention_mask")}

    def _answers(self, answers: Sequence[str]) -> torch.Tensor:
        read = self._tokenizer(list(answers), padding=True, return_tensors="pt")
        labels: torch.Tensor = read["input_ids"].masked_fill(read["attention_mask"] == 0, _IGNORED)
        return labels.to(self._device)

    def _shares(self, texts: Sequence[str]) -> Any:
        read = self._read(texts)
        encoded = self._model.get_encoder()(**read)
        log_probabilities = torch.stack(
            [self._log_probability(answer, encoded, read) for answer in (self.settings.true, self.settings.false)]
        )
        return functional.softmax(log_probabilities, dim=0)[0].cpu().numpy()

    def _log_probability(self, answer: str, encoded: Any, read: dict[str, torch.Tensor]) -> torch.Tensor:
        """The log-probability of an answer for each text."""
        labels = self._answers([answer]).expand(len(read["input_ids"]), -1).contiguous()
        logits = self._model(encoder_outputs=encoded, attention_mask=read["attention_mask"], labels=labels).logits
        return functional.log_softmax(logits.float(), dim=2).gather(2, labels[:, :, None])[:, :, 0].sum(dim=1)


def _rate_factor(step: int, warm_up: int, last: int) -> float:
    rising = min(warm_up, last // 2)
    return step / rising if step <= rising else (last - step + 1) / (last - rising + 1)


# -- gamma -------------------------------------------------------------------------------------------------


def with_gamma(supported: float, gamma: float) -> float:
    """The share of "true" once gamma is added to it and both shares are put through a softmax, as FaVIQ does."""
    return float(1 / (1 + np.exp(1 - 2 * supported - gamma)))


def best_gamma(supported: Sequence[float], is_supported: Sequence[bool]) -> float:
    """The gamma with which most claims come out right; of several the nearest to nothing."""
    # A claim turns to "true" where its share passes (1 - gamma) / 2.
    turns = [-1.0, *sorted({1 - 2 * share for share in supported}), 1.0]
    tried = [0.0, *((one + other) / 2 for one, other in pairwise(turns))]

    def right(gamma: float) -> int:
        log_probabilities = (with_gamma(share, gamma) > 0.5 for share in supported)
        return sum(one == other for one, other in zip(log_probabilities, is_supported, strict=True))

    return max((gamma for gamma in tried if -1 < gamma < 1), key=lambda gamma: (right(gamma), -abs(gamma)))


# -- fitting -----------------------------------------------------------------------------------------------


def steps(pairs: Iterable[VerdictExample], settings: ReaderConfig) -> Generator[FitProgress, None, Seq2SeqReader]:
    """Fit, batch by batch."""
    if settings.not_enough not in (REFUTED, OUT):
        raise InputError(f'not_enough is {settings.not_enough!r}; expected "{REFUTED}" or "{OUT}"')
    kept = [pair for pair in pairs if settings.not_enough == REFUTED or pair.label != _NOT_ENOUGH]
    checked = check_examples(kept)
    training, held_out_places = split_held_out(checked, settings.held_out if settings.fit_gamma else 0.0)
    reader = Seq2SeqReader(settings, *_opened(Path(settings.base)))
    yield from reader.train(settings, [checked[place] for place in training])
    if len(held_out_places):
        held_out_set = [checked[place] for place in held_out_places]
        reader.gamma = best_gamma(reader.supported(held_out_set), [pair.label == _SUPPORTS for pair in held_out_set])
        yield FitProgress("gamma", {"gamma": reader.gamma})
    return reader


def load(folder: Path) -> Seq2SeqReader:
    """The reader that was saved in a folder."""
    known = read_description(folder, NAME)
    return Seq2SeqReader(read_config(ReaderConfig, known["settings"], NAME), *_opened(folder), known["gamma"])


def _opened(folder: Path) -> tuple[Any, Any]:
    if not (folder / "config.json").is_file():
        raise NotFound(f"no config.json in {str(folder)!r}; name the folder of a seq2seq model with `base`")
    try:
        model = AutoModelForSeq2SeqLM.from_pretrained(folder, local_files_only=True, dtype=torch.float32)
    except ValueError as error:
        raise InputError(f"the model in {str(folder)!r} is not a sequence-to-sequence model: {error}") from error
    return model, AutoTokenizer.from_pretrained(folder, local_files_only=True)
