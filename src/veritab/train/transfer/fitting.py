"""The second step of a grid: every model is fitted, each from the one it goes on from, and asked about what is tested.

A model that several trainings begin with is fitted once. Models that are fitted already are left as they are, so that a
grid that was stopped goes on.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

from veritab.errors import InputError
from veritab.files import partial_path
from veritab.train.folders import TrainingRun
from veritab.train.loop import FitOptions, fit
from veritab.train.transfer.grid import SIGNATURE, GridModel, TransferGrid, TransferRun, toml_text

Event = dict[str, Any]


def fit_grid(
    run: TransferRun, *, base: Path | None, device: str | None = None, processes: int = 1
) -> Generator[Event, None, None]:
    """Fit what is not fitted yet; yields an event for each model, which the log of the run has too."""
    for event in _events(run, base, device, processes):
        with run.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(event) + "\n")
        yield event


def _events(run: TransferRun, base: Path | None, device: str | None, processes: int) -> Iterator[Event]:
    grid = run.read_grid()
    signatures = run.signatures(grid)
    waiting = _unfitted(run, grid, signatures)
    total, started = len(waiting), time.monotonic()
    yield {"event": "start", "models": total, "fitted before": len(signatures) - total}
    run.answers.mkdir(exist_ok=True)
    for done, (model, seconds) in enumerate(_in_turn(run, waiting, signatures, base, device, processes), 1):
        _forget_weights(run, grid, waiting)
        yield {
            "event": "model",
            "model": model.key,
            "done": done,
            "of": total,
            "seconds": round(seconds, 1),
            "elapsed": round(time.monotonic() - started, 1),
        }


def _unfitted(run: TransferRun, grid: TransferGrid, signatures: dict[GridModel, str]) -> list[GridModel]:
    """The models that have no answers, and those that they go on from whose weights are gone."""
    needed = {model for model in signatures if run.answers_signature(model) != signatures[model]}
    for model in list(needed):
        parent = model.parent
        while parent and parent not in needed and _weights_signature(run, parent) != signatures[parent]:
            needed.add(parent)
            parent = parent.parent
    return [model for model in grid.models() if model in needed]


def _in_turn(
    run: TransferRun,
    waiting: list[GridModel],
    signatures: dict[GridModel, str],
    base: Path | None,
    device: str | None,
    processes: int,
) -> Iterator[tuple[GridModel, float]]:
    """Fit the models; each leaves the list once it is fitted, and none begins before the one it goes on from."""
    if processes == 1:
        for model in tuple(waiting):
            seconds = fit_model(run.folder, model, signatures[model], base, device)
            waiting.remove(model)
            yield model, seconds
        return
    running: dict[Future[float], GridModel] = {}
    pool = ProcessPoolExecutor(
        processes, mp_context=get_context("spawn"), initializer=share_cores, initargs=(processes,)
    )
    try:
        while waiting:
            begun = set(running.values())
            ready = (model for model in waiting if model not in begun and model.parent not in waiting)
            # No more at once, so that models begin in the order of the grid.
            for model in islice(ready, processes - len(running)):
                running[pool.submit(fit_model, run.folder, model, signatures[model], base, device)] = model
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                model = running.pop(future)
                seconds = future.result()
                waiting.remove(model)
                yield model, seconds
    except BrokenProcessPool:
        raise InputError(
            "a process ended before its model was fitted, perhaps for want of memory; fit again with fewer "
            "--processes, what is fitted stays"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def share_cores(processes: int) -> None:
    """Leave each of several processes its share of the cores: threads of all for every core wait for one another."""
    torch.set_num_threads(max(1, torch.get_num_threads() // processes))


def fit_model(folder: Path, model: GridModel, signature: str, base: Path | None, device: str | None) -> float:
    """Fit one model and keep what it says of the tested claims; how many seconds it took."""
    started = time.monotonic()
    run = TransferRun(folder)
    own = TrainingRun(run.models / model.key)
    own.folder.mkdir(parents=True, exist_ok=True)
    recipe = own.folder / "given.toml"
    recipe.write_text(toml_text(run.read_grid().recipe_values(model)), encoding="utf-8")
    begins_at = run.trained_folder(model.parent) if model.parent else base
    options = FitOptions(base=begins_at, seed=model.seed, prepared=run.prepared, recipe=recipe, device=device)
    for _ in fit(own, options):
        pass
    with np.load(own.measured) as measured:
        answers = {name: measured[name] for name in measured.files}
    (own.trained / SIGNATURE).write_text(signature, encoding="utf-8")
    with partial_path(run.answers_of(model)) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **answers, **{SIGNATURE: np.array(signature)})  # type: ignore[arg-type, unused-ignore]
    own.measured.unlink()
    return time.monotonic() - started


def _forget_weights(run: TransferRun, grid: TransferGrid, waiting: list[GridModel]) -> None:
    """Remove the weights of models that none goes on from any more: all of a grid's would take gigabytes."""
    needed = {model.parent for model in waiting}
    for model in grid.models():
        if model not in needed and model not in waiting:
            shutil.rmtree(run.trained_folder(model), ignore_errors=True)


def _weights_signature(run: TransferRun, model: GridModel) -> str:
    path = run.trained_folder(model) / SIGNATURE
    return path.read_text(encoding="utf-8") if path.is_file() else ""
