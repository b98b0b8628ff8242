"""Fitting on a machine that has torch and transformers, but none of Veritab's other dependencies."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.train.small_runs import prepared, recipe_of
from tests.train.small_transfer import grid_file
from veritab.train.transfer.grid import TransferRun, make_grid, read_grid
from veritab.train.transfer.preparing import prepare_grid

_FIT = """
import sys

ALLOWED = {*sys.stdlib_module_names, "numpy", "safetensors", "tokenizers", "torch", "transformers", "veritab"}


class OnlyTorch:
    def find_spec(self, name, path=None, target=None):
        frame = sys._getframe(1)
        while frame and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        asks = frame.f_globals.get("__name__", "") if frame else ""
        if asks.startswith("veritab") and name.partition(".")[0] not in ALLOWED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, OnlyTorch())
import veritab
from veritab.train import fit_run
from veritab.train.transfer import fit_transfer

(fit_transfer if sys.argv[2:] else fit_run)(sys.argv[1])
"""


def test_a_prepared_run_is_fitted_with_torch_alone(tmp_path: Path) -> None:
    run = prepared(tmp_path / "run", recipe_of(epochs=0.1))
    subprocess.run([sys.executable, "-c", _FIT, str(run.folder)], check=True, timeout=300)
    assert json.loads(run.log.read_text().splitlines()[-1])["event"] == "end"


def test_a_prepared_grid_is_fitted_with_torch_alone(tmp_path: Path) -> None:
    run = TransferRun(tmp_path / "run")
    grid = make_grid(read_grid(grid_file(tmp_path, nei=["merged"], then=[], epochs=0.1)))
    prepare_grid(grid, run, data=None, base=None)
    subprocess.run([sys.executable, "-c", _FIT, str(run.folder), "grid"], check=True, timeout=300)
    assert len(list(run.answers.iterdir())) == 3
