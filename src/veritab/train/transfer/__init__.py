"""Transfer: models are trained on one data set, then on another, and tested on others, as one grid with intervals.

Three steps write into the folder of a run: `preparing.prepare_grid` reads the sets and turns them into tokens,
`fitting.fit_grid` fits every model and keeps what each says of the tested claims, `reporting.report_grid` scores that.
`veritab transfer` is their command; `fit_transfer` is for a machine with a graphics card that has torch and
transformers but not the rest of Veritab's dependencies, so what it imports stays lean.
"""

from __future__ import annotations

from pathlib import Path

STEPS = ("prepare", "fit", "report")


def fit_transfer(
    folder: str | Path, *, base: str | Path | None = None, device: str | None = None, processes: int = 1
) -> None:
    """Fit all models of a prepared grid that are not fitted yet; the log of the run has each as it is done."""
    from veritab.train.transfer.fitting import fit_grid
    from veritab.train.transfer.grid import TransferRun

    given = None if base is None else Path(base)
    for _ in fit_grid(TransferRun(Path(folder)), base=given, device=device, processes=processes):
        pass
