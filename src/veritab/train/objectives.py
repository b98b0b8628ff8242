"""The training objective of each job, and its metrics."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from veritab.train import metrics
from veritab.train.batches import ModelBatch, TokenBatches, half_precision
from veritab.train.network import fuse_attention
from veritab.train.recipe import Recipe, TeacherConfig
from veritab.train.tokens import (
    MOST_CELLS,
    NEGATIVE,
    POSITIVE,
    QUERY,
    Tokens,
    batches_by_length,
    group_starts,
)

_MEASURED_AT_ONCE = 65536
"""Tokens that run together in evaluation."""
Answers = dict[str, NDArray[np.float32]]


class Objective(Protocol):
    """The loss and the metrics of a job."""

    def units(self, tokens: Tokens) -> NDArray[np.int64]:
        """The number of tokens of each unit that steps are made of."""

    def learn(self, batches: TokenBatches, units: NDArray[np.int64]) -> Any:
        """Accumulate the gradient of one step; its loss."""

    def answers(self, batches: TokenBatches) -> Answers:
        """The outputs of the network for every text."""

    def measured(self, tokens: Tokens, answers: Answers) -> dict[str, float]:
        """The metrics of these outputs."""


def make_objective(recipe: Recipe, network: Any) -> Objective:
    """The objective of a recipe, for a network just opened."""
    objective: Objective = _JOBS[recipe.job](recipe, network)
    return objective


def _accumulate(
    network: Any,
    batches: TokenBatches,
    units: NDArray[np.int64],
    losses: Callable[[TokenBatches, ModelBatch, Any], Any],
) -> Any:
    """Accumulate the gradient of a step whose texts have a loss each; the mean loss."""
    total = torch.zeros((), device=batches.device)
    for batch in batches.step_batches(units):
        with half_precision(batches.device):
            answers = network(**batch.inputs)
        loss = losses(batches, batch, answers).sum() / len(units)
        loss.backward()
        total += loss.detach()
    return total


class VerdictObjective:
    """Cross entropy of the labels, and distillation where there is a teacher."""

    def __init__(self, recipe: Recipe, network: Any) -> None:
        self._network = network
        self._smoothing = recipe.smoothing
        self._two_way = recipe.two_way
        self._merge_nei = recipe.merge_nei
        self._teacher = recipe.teacher

    def units(self, tokens: Tokens) -> NDArray[np.int64]:
        return tokens.lengths.astype(np.int64)

    def learn(self, batches: TokenBatches, units: NDArray[np.int64]) -> Any:
        return _accumulate(self._network, batches, units, self._losses)

    def _losses(self, batches: TokenBatches, batch: ModelBatch, answers: Any) -> Any:
        logits, labels = answers.float(), batches.labels[batch.rows]
        if self._merge_nei:
            labels = labels.clamp(max=metrics.NOT_ENOUGH - 1)
        losses = functional.cross_entropy(logits, labels, reduction="none", label_smoothing=self._smoothing)
        if self._teacher is not None and batches.teacher is not None:
            losses = self._with_teacher(losses, logits, batches.teacher[batch.rows], self._teacher)
        return losses + self._two_way * two_way_losses(logits, labels) if self._two_way else losses

    @staticmethod
    def _with_teacher(labelled: Any, logits: Any, wanted: Any, teacher: TeacherConfig) -> Any:
        """The losses mixed with the divergence from the teacher's logits."""
        temperature, weight = teacher.temperature, teacher.weight
        divergence = functional.kl_div(
            functional.log_softmax(logits / temperature, -1),
            functional.log_softmax(wanted / temperature, -1),
            reduction="none",
            log_target=True,
        ).sum(-1)
        return weight * temperature**2 * divergence + (1 - weight) * labelled

    def answers(self, batches: TokenBatches) -> Answers:
        outputs = np.zeros((batches.tokens.texts, 3), dtype=np.float32)
        for shape in batches_by_length(np.arange(batches.tokens.texts), batches.lengths, _MEASURED_AT_ONCE):
            with half_precision(batches.device):
                outputs[shape.rows] = self._network(**batches.pad(shape).inputs).float().cpu().numpy()
        return {"logits": outputs}

    def measured(self, tokens: Tokens, answers: Answers) -> dict[str, float]:
        return metrics.verdict(answers["logits"], tokens.labels)


def two_way_losses(logits: Any, labels: Any) -> Any:
    """Cross entropy over SUPPORTS and REFUTES alone; 0 where the label is neither."""
    decided = labels < metrics.NOT_ENOUGH
    return functional.cross_entropy(logits[:, : metrics.NOT_ENOUGH], labels * decided, reduction="none") * decided


class SelectorObjective:
    """Binary cross entropy of candidates and of their cells; a cell's logit is the mean of its tokens'."""

    def __init__(self, recipe: Recipe, network: Any) -> None:
        self._network = network
        self._cells = recipe.cells

    def units(self, tokens: Tokens) -> NDArray[np.int64]:
        return tokens.lengths.astype(np.int64)

    def learn(self, batches: TokenBatches, units: NDArray[np.int64]) -> Any:
        return _accumulate(self._network, batches, units, self._losses)

    def _losses(self, batches: TokenBatches, batch: ModelBatch, answers: Any) -> Any:
        whole, tokens = answers
        wanted = batches.labels[batch.rows].float()
        losses: Any = functional.binary_cross_entropy_with_logits(whole.float(), wanted, reduction="none")
        if batch.marks is None:
            return losses
        places = batch.inputs.get("places")
        if places is None:
            return losses + self._cells * cell_losses(tokens.float(), batch.marks)
        return losses + self._cells * cell_losses(tokens.float(), batch.marks, places.texts, len(places.starts))

    def answers(self, batches: TokenBatches) -> Answers:
        whole = np.zeros(batches.tokens.texts, dtype=np.float32)
        tokens = np.zeros(len(batches.tokens.ids), dtype=np.float32)
        starts = np.cumsum(batches.lengths) - batches.lengths
        for shape in batches_by_length(np.arange(batches.tokens.texts), batches.lengths, _MEASURED_AT_ONCE):
            with half_precision(batches.device):
                one, each = self._network(**batches.pad(shape).inputs)
            whole[shape.rows] = one.float().cpu().numpy()
            for row, values in zip(shape.rows.tolist(), each.float().cpu().numpy(), strict=True):
                tokens[starts[row] : starts[row] + batches.lengths[row]] = values[: batches.lengths[row]]
        return {"whole": whole, "tokens": tokens}

    def measured(self, tokens: Tokens, answers: Answers) -> dict[str, float]:
        return metrics.selector(answers["whole"], answers["tokens"], tokens)


def cell_losses(logits: Any, marks: Any, texts: Any = None, count: int | None = None) -> Any:
    """For each text the mean loss of its cells; 0 where it has none.

    A row is a text, unless `texts` has the text of every token: then there are `count` texts, and tokens with a higher
    number are padding.
    """
    if texts is None or count is None:
        texts, count = torch.arange(len(marks), device=marks.device).unsqueeze(1), len(marks)
    most = MOST_CELLS + 1
    place = (texts * most + marks // 2).flatten()
    inside = (marks > 1).flatten().to(logits.dtype)
    empty = torch.zeros((count + 1) * most, device=logits.device, dtype=logits.dtype)
    outputs = empty.index_add(0, place, inside)
    score = empty.index_add(0, place, logits.flatten() * inside) / outputs.clamp(min=1)
    wanted = empty.index_add(0, place, (marks % 2).flatten().to(logits.dtype) * inside) / outputs.clamp(min=1)
    is_cell = (outputs > 0).to(logits.dtype)
    losses = functional.binary_cross_entropy_with_logits(score, wanted, reduction="none") * is_cell
    return (losses.view(-1, most).sum(1) / is_cell.view(-1, most).sum(1).clamp(min=1))[:count]


class EncoderObjective:
    """In-batch contrastive loss of queries and passages, and a penalty for moving away from the base encoder."""

    def __init__(self, recipe: Recipe, network: Any) -> None:
        self._network = network
        self._temperature = recipe.temperature
        self._negatives = recipe.negatives
        self._anchor = recipe.anchor
        self._before: Any = None
        if recipe.anchor:
            self._before = copy.deepcopy(network).eval().requires_grad_(False)
            fuse_attention(self._before)

    def units(self, tokens: Tokens) -> NDArray[np.int64]:
        return np.add.reduceat(tokens.lengths.astype(np.int64), group_starts(tokens.groups))

    def learn(self, batches: TokenBatches, units: NDArray[np.int64]) -> Any:
        queries, passages = self._rows(batches, units)
        vectors, moved = self._vectors(batches, np.concatenate([queries, passages]))
        query_vectors, outputs = vectors[: len(queries)], vectors[len(queries) :]
        scores = query_vectors @ outputs.T / self._temperature
        # A passage that decides several queries of the step is a negative for none of them.
        same = _equal_texts(batches.tokens, passages)
        own = np.arange(len(queries))
        hidden = same[own] & ~np.eye(len(own), len(passages), dtype=bool)
        scores = scores.masked_fill(batches.to_device(hidden), -torch.inf)
        wanted = torch.arange(len(queries), device=batches.device)
        back = scores[:, : len(queries)].T
        loss: Any = functional.cross_entropy(scores, wanted) / 2 + functional.cross_entropy(back, wanted) / 2
        if moved is not None:
            loss = loss + self._anchor * (moved[: len(queries)].mean() + moved[len(queries) :].mean()) / 2
        loss.backward()
        return loss.detach()

    def _rows(self, batches: TokenBatches, units: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The queries, and their passages: first the positives, in the same order, then the negatives."""
        queries = batches.starts[units]
        ends = np.append(batches.starts, batches.tokens.texts)[units + 1]
        wrong = [
            np.arange(start + NEGATIVE, min(end, start + NEGATIVE + self._negatives))
            for start, end in zip(queries.tolist(), ends.tolist(), strict=True)
        ]
        return queries + QUERY, np.concatenate([queries + POSITIVE, *wrong])

    def _vectors(self, batches: TokenBatches, rows: NDArray[np.int64]) -> tuple[Any, Any]:
        """Vectors of texts, and their cosine distances from the base encoder's, where these are penalised."""
        order, vectors, before = [], [], []
        for batch in batches.step_batches(rows):
            with half_precision(batches.device):
                vectors.append(self._network(**batch.inputs).float())
                if self._before is not None:
                    with torch.no_grad():
                        before.append(self._before(**batch.inputs).float())
            order.append(batch.order)
        sent = batches.to_device(_row_places(rows, np.concatenate(order)))
        outputs = torch.cat(vectors)
        moved = (1 - (outputs * torch.cat(before)).sum(-1))[sent] if before else None
        return outputs[sent], moved

    def answers(self, batches: TokenBatches) -> Answers:
        outputs = np.zeros((batches.tokens.texts, self._network.encoder.config.hidden_size), dtype=np.float32)
        for shape in batches_by_length(np.arange(batches.tokens.texts), batches.lengths, _MEASURED_AT_ONCE):
            with half_precision(batches.device):
                outputs[shape.rows] = self._network(**batches.pad(shape).inputs).float().cpu().numpy()
        return {"vectors": outputs}

    def measured(self, tokens: Tokens, answers: Answers) -> dict[str, float]:
        return metrics.encoder(answers["vectors"], tokens)


def _row_places(wanted: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The index of each wanted row in the order they were run in; rows may repeat."""
    sorted_order = np.argsort(order, kind="stable")
    return sorted_order[np.searchsorted(order[sorted_order], wanted)]


def _equal_texts(tokens: Tokens, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which texts are equal, by all their tokens."""
    ends = np.cumsum(tokens.lengths)
    texts = [tokens.ids[ends[row] - tokens.lengths[row] : ends[row]].tobytes() for row in rows.tolist()]
    numbers: dict[bytes, int] = {}
    codes = np.array([numbers.setdefault(text, len(numbers)) for text in texts])
    same: NDArray[np.bool_] = codes[:, None] == codes[None, :]
    return same


_JOBS: Mapping[str, Any] = {"verdict": VerdictObjective, "selector": SelectorObjective, "encoder": EncoderObjective}
