"""The second step of a run: prepared examples and a base become a trained network.

It is reported as events, one JSON object each, which are also in the run's log: `start` with the hashes of all inputs,
`step` every fifty steps, `measured` at the end of every stage, `end`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers
from numpy.typing import NDArray

from veritab.errors import FormatError, InputError, NotFound
from veritab.files import replacing
from veritab.train import provenance, tokens
from veritab.train import recipe as recipes
from veritab.train.batches import TokenBatches
from veritab.train.folders import TrainingRun, find_answers, find_base, sha256_of
from veritab.train.network import fuse_attention, open_network, perturbed_embeddings, save_trained, weights_of
from veritab.train.objectives import Answers, Objective, make_objective
from veritab.train.quantise import fake_quantised
from veritab.train.recipe import RANDOM, QuantiseConfig, Recipe, Stage
from veritab.train.schedule import Schedule

REPORT_EVERY = 50
"""Steps between two events."""
_AVERAGED_EVERY = 10
Event = dict[str, Any]


class FitOptions(NamedTuple):
    """What a run is given beside its recipe; `prepared` and `recipe` may come from another run.

    `also` are trained folders whose weights are averaged with those of the base: an ensemble of seeds, whose runs
    differ in the order of the examples and in dropout. `seed` is that seed; the recipe's own fixes the examples.
    `examples` limits those of each source, for a trial.
    """

    base: Path | None = None
    also: Sequence[Path] = ()
    seed: int = 0
    prepared: Path | None = None
    recipe: Path | None = None
    teacher: Path | None = None
    seconds: float | None = None
    resume: bool = False
    device: str | None = None
    examples: int | None = None


def fit(run: TrainingRun, settings: FitOptions = FitOptions()) -> Generator[Event, None, None]:  # noqa: B008
    """Train the network of a prepared run; yields events, and stops where the caller stops."""
    for event in Trainer(run, settings).events():
        with run.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(event) + "\n")
        yield event


class WeightAverage:
    """The average of the weights over the last steps, which generalises better than the last of them."""

    def __init__(self, network: Any) -> None:
        self._network = network
        self.count = 0
        self.mean: dict[str, Any] = {}

    def add(self) -> None:
        self.count += 1
        weights = {name: own for name, own in self._network.state_dict().items() if own.is_floating_point()}
        if self.count == 1:
            self.mean = {name: own.clone() for name, own in weights.items()}
        else:
            torch._foreach_lerp_([self.mean[name] for name in weights], list(weights.values()), 1 / self.count)

    def apply(self) -> None:
        if self.count:
            self._network.load_state_dict(self.mean, strict=False)


class Trainer:
    """A run while it is trained."""

    def __init__(self, run: TrainingRun, settings: FitOptions) -> None:
        self._run = run
        self._settings = settings
        self._prepared = settings.prepared or run.prepared
        self._recipe = _recipe(run, settings)
        self._teacher = find_answers(self._recipe, settings.teacher)
        self._learned = provenance.count_examples(self._recipe, self._prepared, self._base_folders())
        self._device = settings.device or ("cuda" if torch.cuda.is_available() else "cpu")
        if self._device == "cuda" and not torch.cuda.is_available():
            raise InputError("this machine has no graphics card that torch can use; fit with --device cpu")
        if self._device == "cpu" and self._recipe.base.startswith(RANDOM):
            torch.set_num_threads(1)  # threads would wait for each other longer than so small a network takes
        torch.set_float32_matmul_precision("high")
        # It would plan again for every shape, and nearly every step has another.
        torch.backends.cuda.enable_cudnn_sdp(False)
        self._network = open_network(self._recipe, settings.base, self._prepared / "tokenizer.json", settings.also).to(
            self._device
        )
        self._objective: Objective = make_objective(self._recipe, self._network)
        fuse_attention(self._network)
        self._network.train()
        self._optimizer = _optimizer(self._network, self._recipe, self._device)
        self._average = WeightAverage(self._network)
        self._stage, self._step = 0, 0
        self._quantising = False
        self._answers: dict[str, Answers] = {}

    # -- the course of it

    def events(self) -> Iterator[Event]:
        batch_sets, orders = zip(*map(self._load_stage, self._recipe.stages), strict=True)
        schedule = self._make_schedule(batch_sets, orders)
        if self._settings.resume:
            self._load_checkpoint(schedule)
        else:
            self._run.log.unlink(missing_ok=True)
            self._run.checkpoint.unlink(missing_ok=True)
        yield self._start(schedule)
        torch.manual_seed(self._recipe.seed + 1 + 1000 * self._settings.seed)
        self._restore_rng()
        while self._stage < len(self._recipe.stages):
            yield from self._learn(batch_sets[self._stage], orders[self._stage], schedule)
            last = self._stage == len(self._recipe.stages) - 1
            if last:
                self._average.apply()
            yield from self._measure(schedule)
            schedule.restart_clock()
            self._stage, self._step = self._stage + 1, 0
        save_trained(self._network, self._recipe, self._run.trained, self._prepared / "tokenizer.json")
        provenance.write_counts(self._run.trained, self._learned)
        if self._recipe.keep_logits:
            self._save_logits()
        self._run.checkpoint.unlink(missing_ok=True)
        yield {"event": "end", "seconds": round(schedule.elapsed(), 2)}

    def _learn(self, batches: TokenBatches, order: NDArray[np.int64], schedule: Schedule) -> Iterator[Event]:
        stage = self._recipe.stages[self._stage]
        steps = _batches(order, self._batch(stage), (self._recipe.seed, self._stage, self._settings.seed))
        for _ in range(self._step):
            next(steps)
        losses: list[Any] = []
        saved = time.monotonic()
        while self._step < schedule.steps[self._stage]:
            rate = schedule.rate(self._stage, self._step)
            losses.append(self._take_step(batches, next(steps), rate, self._quantised(schedule)))
            self._step += 1
            schedule.count_step(self._stage)
            self._add_to_average(schedule)
            if self._step % REPORT_EVERY == 0 or self._step >= schedule.steps[self._stage]:
                loss = float(torch.stack(losses).mean())
                losses.clear()
                if not math.isfinite(loss):
                    raise InputError(f"the loss is {loss} at step {self._step} of {stage.name!r}; try a lower rate")
                schedule.fit(self._stage, self._step)
                yield self._step_event(schedule, loss, rate)
            if self._recipe.checkpoint and time.monotonic() - saved >= self._recipe.checkpoint:
                self._save_checkpoint(schedule)
                schedule.restart_clock()
                saved = time.monotonic()

    def _take_step(
        self, batches: TokenBatches, units: NDArray[np.int64], rate: float, quantise: QuantiseConfig | None
    ) -> Any:
        """One optimiser step; with quantised weights once quantisation-aware training has begun."""
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        loss = self._gradient(batches, units, quantise)
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), self._recipe.clip)
        self._optimizer.step()
        self._optimizer.zero_grad()
        return loss

    def _gradient(self, batches: TokenBatches, units: NDArray[np.int64], quantise: QuantiseConfig | None) -> Any:
        with fake_quantised(self._network, quantise):
            loss = self._objective.learn(batches, units)
            if self._recipe.adversarial:
                with perturbed_embeddings(self._network, self._recipe.adversarial):
                    self._objective.learn(batches, units)
        return loss

    def _quantised(self, schedule: Schedule) -> QuantiseConfig | None:
        """How weights are quantised at this step, if they are; once begun it goes on, even if the plan grows."""
        quantise, stages = self._recipe.quantise, self._recipe.stages
        if any(stage.quantised for stage in stages):
            self._quantising |= any(stage.quantised for stage in stages[: self._stage + 1])
        elif quantise is not None:
            self._quantising |= schedule.share(self._stage, self._step) >= quantise.start
        return quantise if self._quantising else None

    def _add_to_average(self, schedule: Schedule) -> None:
        last = self._stage == len(self._recipe.stages) - 1
        left = schedule.steps[self._stage] - self._step
        if last and left % _AVERAGED_EVERY == 0 and left < self._recipe.average * schedule.steps[self._stage]:
            self._average.add()

    def _measure(self, schedule: Schedule) -> Iterator[Event]:
        """All sets that are not trained on; what came back before is replaced."""
        if not self._recipe.measure.sources:
            return
        for source in self._recipe.measure.sources:
            found = self._limited(tokens.read(self._file(source.key(self._recipe.seed))))
            batches = TokenBatches(found, self._network, self._device)
            answers = self._run_network(batches, self._quantised(schedule))
            self._answers[source.title] = answers
            yield {
                "event": "measured",
                "stage": self._recipe.stages[self._stage].name,
                "set": source.title,
                **self._objective.measured(found, answers),
                "seconds": round(schedule.elapsed(), 2),
            }
        arrays = {f"{title}/{name}": each for title, own in self._answers.items() for name, each in own.items()}
        np.savez(self._run.measured, **{name: each.astype(np.float16) for name, each in arrays.items()})  # type: ignore[arg-type, unused-ignore]

    def _run_network(self, batches: TokenBatches, quantise: QuantiseConfig | None) -> Answers:
        self._network.eval()
        with torch.inference_mode(), fake_quantised(self._network, quantise):
            answers = self._objective.answers(batches)
        self._network.train()
        return answers

    def _save_logits(self) -> None:
        """What the trained network says of everything it was trained on, for a smaller one to learn from."""
        quantise = self._recipe.quantise if self._recipe.ends_quantised else None
        self._run.prepared.mkdir(parents=True, exist_ok=True)
        for source in self._recipe.trained_on:
            key = source.key(self._recipe.seed)
            batches = TokenBatches(self._limited(tokens.read(self._file(key))), self._network, self._device)
            for name, values in self._run_network(batches, quantise).items():
                np.save(self._run.prepared / f"{key}.{name}.npy", values.astype(np.float16))

    # -- what goes in

    def _file(self, key: str) -> Path:
        return self._prepared / f"{key}.npz"

    def _batch(self, stage: Stage) -> int:
        return stage.batch or self._recipe.batch

    def _limited(self, found: tokens.Tokens) -> tokens.Tokens:
        """Few examples, for a trial."""
        most = self._settings.examples
        if most is None:
            return found
        starts = np.append(tokens.group_starts(found.groups), found.texts)
        rows = int(starts[min(most, len(starts) - 1)])
        ids = int(found.lengths[:rows].sum())
        saved = (column[:rows] for column in tuple(found)[1:-1])
        return tokens.Tokens._make((found.ids[:ids], *saved, found.marks[:ids]))

    def _load_stage(self, stage: Stage) -> tuple[TokenBatches, NDArray[np.int64]]:
        """What a stage is fed from, and the numbers of its units, each as often as its source says."""
        parts, teacher_logits, repeats, after = [], [], [], 0
        for source in stage.sources:
            key = source.key(self._recipe.seed)
            part = self._limited(tokens.read(self._file(key)))
            count = len(self._objective.units(part))
            repeats.append(np.repeat(np.arange(after, after + count), source.times))
            after += count
            parts.append(part)
            if self._recipe.teacher:
                teacher_logits.append(self._teacher_logits(key, part.texts))
        teacher = np.concatenate(teacher_logits) if teacher_logits else None
        batches = TokenBatches(tokens.concatenate(parts), self._network, self._device, teacher)
        return batches, np.concatenate(repeats)

    def _teacher_logits(self, key: str, count: int) -> NDArray[np.float32]:
        """The logits of the teacher for the examples of a source."""
        path = self._teacher[key]
        found = np.load(path).astype(np.float32)
        if len(found) < count or (self._settings.examples is None and len(found) > count):
            raise FormatError(f"{str(path)!r} has {len(found)} answers for {count} examples; prepare both runs alike")
        answers: NDArray[np.float32] = found[:count]
        return answers

    def _make_schedule(self, batch_sets: Sequence[TokenBatches], orders: Sequence[NDArray[np.int64]]) -> Schedule:
        steps, costs = [], []
        for stage, batches, order in zip(self._recipe.stages, batch_sets, orders, strict=True):
            batch = min(self._batch(stage), len(order))
            steps.append(max(1, math.ceil(stage.epochs * len(order) / batch)))
            costs.append(float(self._objective.units(batches.tokens)[order].mean()) * batch)
        return Schedule(self._recipe, steps, costs, self._settings.seconds)

    def _base_folders(self) -> list[Path]:
        """The folders of the networks that this one starts from."""
        if self._recipe.base.startswith(RANDOM):
            return []
        return [find_base(self._recipe, self._settings.base), *self._settings.also]

    def _start(self, schedule: Schedule) -> Event:
        uses = (*self._recipe.trained_on, *self._recipe.measure.sources)
        keys = sorted({source.key(self._recipe.seed) for source in uses})
        return {
            "event": "start",
            "recipe": self._recipe.name,
            "resumed": self._settings.resume,
            "job": self._recipe.job,
            "seed": self._recipe.seed,
            "draw": self._settings.seed,
            "device": self._device,
            "steps": list(schedule.steps),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "prepared": {key: sha256_of(self._file(key)) for key in keys},
            "from": {str(folder): sha256_of(*weights_of(folder)) for folder in self._base_folders()},
            "teacher": {key: sha256_of(path) for key, path in sorted(self._teacher.items())},
        }

    def _step_event(self, schedule: Schedule, loss: float, rate: float) -> Event:
        return {
            "event": "step",
            "stage": self._recipe.stages[self._stage].name,
            "step": sum(schedule.steps[: self._stage]) + self._step,
            "of": schedule.total,
            "loss": round(loss, 5),
            "rate": float(f"{rate:.4g}"),
            "seconds": round(schedule.elapsed(), 2),
        }

    # -- stopping and going on

    def _save_checkpoint(self, schedule: Schedule) -> None:
        rng_state = {"cpu": torch.get_rng_state()}
        if self._device == "cuda":
            rng_state["cuda"] = torch.cuda.get_rng_state()
        saved = {
            "recipe": repr(self._recipe),
            "stage": self._stage,
            "step": self._step,
            "steps": list(schedule.steps),
            "network": self._network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "average": (self._average.count, self._average.mean),
            "chance": rng_state,
        }
        with replacing(self._run.checkpoint) as file:
            torch.save(saved, file)

    def _load_checkpoint(self, schedule: Schedule) -> None:
        if not self._run.checkpoint.is_file():
            raise NotFound(f"no checkpoint in {str(self._run.folder)!r}; fit without --resume")
        saved = torch.load(self._run.checkpoint, map_location=self._device, weights_only=True)
        if saved["recipe"] != repr(self._recipe):
            raise InputError(f"the checkpoint in {str(self._run.folder)!r} is of another recipe; fit without --resume")
        self._stage, self._step, schedule.steps = saved["stage"], saved["step"], saved["steps"]
        self._network.load_state_dict(saved["network"])
        self._optimizer.load_state_dict(saved["optimizer"])
        self._average.count, self._average.mean = saved["average"]
        self._rng_state = saved["chance"]

    _rng_state: dict[str, Any] | None = None

    def _restore_rng(self) -> None:
        if self._rng_state:
            torch.set_rng_state(self._rng_state["cpu"].cpu())
            if self._device == "cuda":
                torch.cuda.set_rng_state(self._rng_state["cuda"].cpu())


def _recipe(run: TrainingRun, settings: FitOptions) -> Recipe:
    path = settings.recipe or run.recipe
    if not path.is_file():
        raise NotFound(f"no recipe.toml in {str(run.folder)!r}; prepare the run first")
    if settings.recipe:
        run.folder.mkdir(parents=True, exist_ok=True)
        run.recipe.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return recipes.read(path)


def _optimizer(network: Any, recipe: Recipe, device: str) -> Any:
    trainable = [weights for weights in network.parameters() if weights.requires_grad]
    groups = [
        {"params": [weights for weights in trainable if weights.ndim > 1], "weight_decay": recipe.decay},
        {"params": [weights for weights in trainable if weights.ndim == 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.stages[0].rate, fused=device == "cuda")


def _batches(order: NDArray[np.int64], batch: int, seed: tuple[int, ...]) -> Iterator[NDArray[np.int64]]:
    """The units of each step, without end; every epoch has all of them in another order."""
    rng_state = np.random.default_rng(seed)
    batch = min(batch, len(order))
    while True:
        shuffled = rng_state.permutation(order)
        yield from (shuffled[start : start + batch] for start in range(0, len(shuffled) - batch + 1, batch))
