"""Fine-tunes an encoder to say SUPPORTS, REFUTES or NOT ENOUGH INFO; needs token files, torch and transformers."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]
from numpy.typing import NDArray
from torch.nn import functional  # type: ignore[import-not-found, unused-ignore]
from transformers import AutoModelForSequenceClassification  # type: ignore[import-not-found, unused-ignore]

from benchmarks.reasoning_tokens import (
    NOT_ENOUGH,
    PADDING,
    TRAIN,
    Rectangle,
    Rectangles,
    Tokens,
    held_out,
    joined,
    read,
)

WARM_UP = 0.06
"""The share of the steps in which the learning rate rises."""
DECAY = 0.01
LARGEST_GRADIENT = 1.0
MEASURED_AT_ONCE = 256
HELD = "held/tabfact"
_TABLES = f"{TRAIN}tabfact"
_TELL = 100
"""Steps between two lines about progress."""


class Settings(NamedTuple):
    """What a run is told; `times` says how often an epoch meets a set, once if it does not."""

    encoder: Path
    pairs: Sequence[Path]
    out: Path
    name: str
    epochs: float
    rate: float
    batch: int
    seed: int
    hold_out: float
    times: Sequence[tuple[str, int]]
    seconds: float
    attention: str
    save: Path | None
    pairs_at_most: int | None
    layers: int | None


class Sets(NamedTuple):
    """What is trained on, how often each pair, and what is measured."""

    trained: Tokens
    order: NDArray[np.int64]
    measured: dict[str, Tokens]
    held: NDArray[np.int64]


def sets(settings: Settings) -> Sets:
    """The sets of the token files, with some of TabFact's tables moved from what is trained on to what is measured."""
    found = read(settings.pairs)
    if settings.pairs_at_most:
        few = np.arange(settings.pairs_at_most)
        found = {name: tokens.chosen(few[: len(tokens.lengths)]) for name, tokens in found.items()}
    measured = {name: tokens for name, tokens in found.items() if not name.startswith(TRAIN)}
    trained = {name: tokens for name, tokens in found.items() if name.startswith(TRAIN)}
    held = np.zeros(0, dtype=np.int64)
    if settings.hold_out and _TABLES in trained:
        aside = held_out(trained[_TABLES], settings.hold_out)
        held = np.flatnonzero(aside)
        measured[HELD] = trained[_TABLES].chosen(held)
        trained[_TABLES] = trained[_TABLES].chosen(np.flatnonzero(~aside))
    times = dict(settings.times)
    often = [np.full(len(t.lengths), times.get(name.removeprefix(TRAIN), 1)) for name, t in trained.items()]
    every = np.concatenate(often)
    return Sets(joined(trained.values()), np.repeat(np.arange(len(every)), every), measured, held)


# -- the encoder -------------------------------------------------------------------------------------------


def opened(settings: Settings, device: str) -> Any:
    """The encoder with a new head for three labels, in full precision."""
    kept = {"num_hidden_layers": settings.layers} if settings.layers else {}
    model = AutoModelForSequenceClassification.from_pretrained(
        settings.encoder, num_labels=3, dtype=torch.float32, **kept
    )
    if settings.attention == "fused":
        fuse(model)
    return model.to(device)


def fuse(model: Any) -> None:
    """Let the encoder attend in one kernel; what it learnt about distances between tokens stays as it is."""
    model.base_model.encoder.relative_attention_bias.requires_grad_(False)
    for layer in model.base_model.encoder.layer:
        layer.attention.attn.forward = _attention(layer.attention.attn)


def _attention(own: Any) -> Any:
    def heads(states: Any) -> Any:
        return states.view(*states.shape[:2], own.num_attention_heads, own.attention_head_size).transpose(1, 2)

    def attend(states: Any, mask: Any, position_bias: Any, **_: Any) -> tuple[Any]:
        query, key, value = heads(own.q(states)), heads(own.k(states)), heads(own.v(states))
        bias = (position_bias if mask is None else position_bias + mask).to(query.dtype)
        dropout = own.dropout.p if own.training else 0.0
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias, dropout_p=dropout)
        return (own.o(found.transpose(1, 2).flatten(2)),)

    return attend


def half(device: str) -> Any:
    """Products in half precision, where there is hardware for them."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda")


def logits_of(model: Any, rectangle: Rectangle, device: str) -> Any:
    ids = torch.from_numpy(rectangle.ids)
    if device == "cuda":
        ids = ids.pin_memory().to(device, non_blocking=True)
    return model(input_ids=ids, attention_mask=(ids != PADDING).long()).logits.float()


# -- training ----------------------------------------------------------------------------------------------


class Pace:
    """The learning rate of each step, and how many steps there is time for."""

    def __init__(self, steps: int, seconds: float) -> None:
        self.steps = steps
        self._seconds = seconds
        self._started = time.monotonic()

    def rate(self, step: int) -> float:
        """The share of the full learning rate: up in a straight line, then down to nothing."""
        rising = WARM_UP * self.steps
        return min((step + 1) / rising, (self.steps - step) / (self.steps - rising))

    def fit(self, step: int) -> None:
        """Fewer steps, if all of them would take too long."""
        each = self.elapsed() / (step + 1)
        self.steps = min(self.steps, max(step + 1, math.floor(self._seconds / each)))

    def elapsed(self) -> float:
        return time.monotonic() - self._started


def optimizer(model: Any, rate: float, device: str) -> Any:
    learnt = [weights for weights in model.parameters() if weights.requires_grad]
    groups = [
        {"params": [weights for weights in learnt if weights.ndim > 1], "weight_decay": DECAY},
        {"params": [weights for weights in learnt if weights.ndim == 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, fused=device == "cuda")


def orders(order: NDArray[np.int64], batch: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The pairs of one step after the other, without end; every epoch meets all of them in another order."""
    chance = np.random.default_rng(seed)
    while True:
        shuffled = chance.permutation(order)
        yield from (shuffled[start : start + batch] for start in range(0, len(shuffled) - batch + 1, batch))


def learn(model: Any, parts: Rectangles, index: NDArray[np.int64], device: str) -> Any:
    """The gradient of one step, and its loss."""
    total = torch.zeros((), device=device)
    with half(device):
        for rectangle in parts.step(index):
            labels = torch.from_numpy(rectangle.labels).to(device, non_blocking=True)
            loss = functional.cross_entropy(logits_of(model, rectangle, device), labels, reduction="sum") / len(index)
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
    torch.nn.utils.clip_grad_norm_(model.parameters(), LARGEST_GRADIENT)
    return total


def run(settings: Settings) -> None:
    """Trains, measures after every epoch and at the end, and keeps what is asked for."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(settings.seed)
    torch.set_float32_matmul_precision("high")
    # It would plan anew for every shape, and nearly every step has another.
    torch.backends.cuda.enable_cudnn_sdp(False)
    data = sets(settings)
    model = opened(settings, device).train()
    report = Report(settings, data)
    an_epoch = max(1, len(data.order) // settings.batch)
    pace = Pace(math.ceil(an_epoch * settings.epochs), settings.seconds)
    report.say(f"{len(data.order):,} pairs an epoch, {pace.steps:,} steps, {device}, attention {settings.attention}")
    if not pace.steps:
        report.measure(model, 0, pace.elapsed(), device)
    for step, loss in enumerate(steps(model, data, settings, pace, device), 1):
        if step % _TELL == 0:
            pace.fit(step)
            report.say(f"step {step} of {pace.steps}: loss {float(loss):.4f}, {pace.elapsed():.0f} s")
        if step % an_epoch == 0 or step >= pace.steps:
            report.measure(model, step / an_epoch, pace.elapsed(), device)
    if settings.save:
        model.half().save_pretrained(settings.save)


def steps(model: Any, data: Sets, settings: Settings, pace: Pace, device: str) -> Iterator[Any]:
    """Takes one step after the other, as many as the pace says; yields a running mean of their losses."""
    parts = Rectangles(data.trained)
    descent = optimizer(model, settings.rate, device)
    mean = None
    for step, index in enumerate(orders(data.order, settings.batch, settings.seed)):
        if step >= pace.steps:
            return
        for group in descent.param_groups:
            group["lr"] = settings.rate * pace.rate(step)
        loss = learn(model, parts, index, device)
        descent.step()
        descent.zero_grad()
        mean = loss if mean is None else mean.lerp(loss, 1 / _TELL)
        yield mean


# -- measuring ---------------------------------------------------------------------------------------------


class Report:
    """Figures as they come, printed and kept, with the logits of the last measurement."""

    def __init__(self, settings: Settings, data: Sets) -> None:
        self._settings = settings
        self._data = data
        self._epochs: list[dict[str, Any]] = []
        settings.out.mkdir(parents=True, exist_ok=True)

    def say(self, line: str) -> None:
        print(f"{self._settings.name}: {line}", flush=True)

    def measure(self, model: Any, epoch: float, seconds: float, device: str) -> None:
        """All sets that are not trained on; what came back before is replaced."""
        logits = {name: measured(model, tokens, device) for name, tokens in self._data.measured.items()}
        found = {name: figures(logits[name], tokens.labels) for name, tokens in self._data.measured.items()}
        for name, row in found.items():
            self.say(f"epoch {epoch:.2f} {name}: " + ", ".join(f"{key} {value}" for key, value in row.items()))
        self._epochs.append({"epoch": round(epoch, 3), "seconds": round(seconds), "sets": found})
        told = {key: str(value) for key, value in self._settings._asdict().items()}
        path = self._settings.out / f"{self._settings.name}.json"
        path.write_text(json.dumps({"settings": told, "epochs": self._epochs}, indent=1), encoding="utf-8")
        arrays: dict[str, Any] = {**logits, f"{HELD}/index": self._data.held}
        np.savez(self._settings.out / f"{self._settings.name}.npz", **arrays)


def measured(model: Any, tokens: Tokens, device: str) -> NDArray[np.float32]:
    """The three logits of every pair, in the order of the set."""
    found = np.zeros((len(tokens.lengths), 3), dtype=np.float32)
    model.eval()
    with torch.inference_mode(), half(device):
        for rectangle in Rectangles(tokens).sorted(MEASURED_AT_ONCE):
            found[rectangle.pairs] = logits_of(model, rectangle, device).cpu().numpy()
    model.train()
    return found


def figures(logits: NDArray[np.float32], labels: NDArray[np.int64]) -> dict[str, float]:
    """Accuracy over three labels, and over two for what is supported or refuted."""
    decided = labels != NOT_ENOUGH
    two = logits[decided, :NOT_ENOUGH].argmax(1) == labels[decided]
    three = logits.argmax(1) == labels
    return {"pairs": len(labels), "two-way": round(100 * two.mean(), 2), "three-way": round(100 * three.mean(), 2)}
