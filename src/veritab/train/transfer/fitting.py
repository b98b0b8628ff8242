"""The second step of a grid: every model is fitted, each from the one it goes on from, and asked about what is tested.

A model that several trainings begin with is fitted once. Models that are fitted already are left as they are, so that a
grid that was stopped goes on.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from veritab.files import partial_path
from veritab.train.folders import TrainingRun
from veritab.train.loop import FitOptions, fit
from veritab.train.transfer.grid import SIGNATURE, GridCell, TransferGrid, TransferRun, toml_text

Event = dict[str, Any]


def fit_grid(run: TransferRun, *, base: Path | None, device: str | None = None, processes: int = 1) -> Iterator[Event]:
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
    for done, (cell, seconds) in enumerate(_in_turn(run, waiting, signatures, base, device, processes), 1):
        _forget_weights(run, grid, waiting)
        yield {
            "event": "model",
            "model": cell.key,
            "done": done,
            "of": total,
            "seconds": round(seconds, 1),
            "elapsed": round(time.monotonic() - started, 1),
        }


def _unfitted(run: TransferRun, grid: TransferGrid, signatures: dict[GridCell, str]) -> list[GridCell]:
    """The models that have no answers, and those that they go on from whose weights are gone."""
    needed = {cell for cell in signatures if run.answers_signature(cell) != signatures[cell]}
    for cell in list(needed):
        parent = cell.parent
        while parent and parent not in needed and _weights_signature(run, parent) != signatures[parent]:
            needed.add(parent)
            parent = parent.parent
    return [cell for cell in grid.cells() if cell in needed]


def _in_turn(
    run: TransferRun,
    waiting: list[GridCell],
    signatures: dict[GridCell, str],
    base: Path | None,
    device: str | None,
    processes: int,
) -> Iterator[tuple[GridCell, float]]:
    """Fit the models; each leaves the list once it is fitted, and none begins before the one it goes on from."""
    if processes == 1:
        for cell in tuple(waiting):
            seconds = fit_cell(run.folder, cell, signatures[cell], base, device)
            waiting.remove(cell)
            yield cell, seconds
        return
    running: dict[Future[float], GridCell] = {}
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))
    try:
        while waiting:
            begun = set(running.values())
            ready = (cell for cell in waiting if cell not in begun and cell.parent not in waiting)
            # No more at once, so that models begin in the order of the grid.
            for cell in islice(ready, processes - len(running)):
                running[pool.submit(fit_cell, run.folder, cell, signatures[cell], base, device)] = cell
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                cell = running.pop(future)
                seconds = future.result()
                waiting.remove(cell)
                yield cell, seconds
    finally:
        pool.shutdown(cancel_futures=True)


def fit_cell(folder: Path, cell: GridCell, signature: str, base: Path | None, device: str | None) -> float:
    """Fit one model and keep what it says of the tested claims; how many seconds it took."""
    started = time.monotonic()
    run = TransferRun(folder)
    own = TrainingRun(run.cells / cell.key)
    own.folder.mkdir(parents=True, exist_ok=True)
    recipe = own.folder / "given.toml"
    recipe.write_text(toml_text(run.read_grid().recipe_values(cell)), encoding="utf-8")
    begins_at = run.trained_folder(cell.parent) if cell.parent else base
    options = FitOptions(base=begins_at, seed=cell.seed, prepared=run.prepared, recipe=recipe, device=device)
    for _ in fit(own, options):
        pass
    with np.load(own.measured) as measured:
        answers = {name: measured[name] for name in measured.files}
    (own.trained / SIGNATURE).write_text(signature, encoding="utf-8")
    with partial_path(run.answers_of(cell)) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **answers, **{SIGNATURE: np.array(signature)})  # type: ignore[arg-type, unused-ignore]
    own.measured.unlink()
    return time.monotonic() - started


def _forget_weights(run: TransferRun, grid: TransferGrid, waiting: list[GridCell]) -> None:
    """Remove the weights of models that none goes on from any more: all of a grid's would take gigabytes."""
    needed = {cell.parent for cell in waiting}
    for cell in grid.cells():
        if cell not in needed and cell not in waiting:
            shutil.rmtree(run.trained_folder(cell), ignore_errors=True)


def _weights_signature(run: TransferRun, cell: GridCell) -> str:
    path = run.trained_folder(cell) / SIGNATURE
    return path.read_text(encoding="utf-8") if path.is_file() else ""
