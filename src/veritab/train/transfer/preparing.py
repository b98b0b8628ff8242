"""The first step of a grid: its sets become files of tokens, with a manifest of their origin."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from veritab.datasets import DataFiles
from veritab.errors import InputError
from veritab.train import tokens
from veritab.train.examples import VerdictExample
from veritab.train.folders import MANIFEST, sha256_of
from veritab.train.prepare import copy_tokenizer, sample_examples
from veritab.train.recipe import SourceUse
from veritab.train.tokenise import Tokeniser
from veritab.train.transfer.grid import TransferGrid, TransferRun
from veritab.train.transfer.sets import EvidenceCorpus, SetReader

_SEED = 0
_NAMES = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


def prepare_grid(
    grid: TransferGrid,
    run: TransferRun,
    *,
    data: Path | None,
    base: Path | None,
    corpus: EvidenceCorpus | None = None,
    report: Callable[[str, int], None] = lambda name, count: None,
) -> dict[str, Any]:
    """Write what fitting needs; tested sets first, as their pages are held out of the others.

    `report` is called with every part of a set as it is done, and the number of its examples.
    """
    run.prepared.mkdir(parents=True, exist_ok=True)
    recipe = grid.recipe(next(grid.models()))
    tokenizer = copy_tokenizer(recipe, run.prepared, base)
    tokeniser = Tokeniser(tokenizer, grid.max_length)
    files = DataFiles(data or Path())
    reader = SetReader(
        grid.named_files,
        trained=grid.trained_sets,
        tested=grid.test,
        data=files,
        folder=data,
        corpus=corpus,
        seed=_SEED,
    )
    sources: dict[str, dict[str, Any]] = {}

    def keep(use: SourceUse, found: Iterable[VerdictExample], left_out: Counter[str]) -> None:
        tokenised = tokeniser.verdict(sample_examples(found, use.at_most, _SEED))
        if not tokenised.texts:
            why = ", ".join(f"{reason}: {count:,}" for reason, count in left_out.most_common(3)) or "it is empty"
            raise InputError(f"{use.name} gives no examples ({why}){_remedy(left_out)}")
        key = use.key(_SEED)
        path = run.prepared / f"{key}.npz"
        tokens.write(path, tokenised)
        labels = np.bincount(tokenised.labels, minlength=len(_NAMES)).tolist()
        sources[key] = {
            "source": use.name,
            "examples": tokenised.texts,
            "labels": dict(zip(_NAMES, labels, strict=True)),
            "left_out": dict(left_out.most_common()),
            "sha256": sha256_of(path),
        }
        report(use.name, tokenised.texts)

    for name in grid.test:
        left_out: Counter[str] = Counter()
        for part, found in reader.tested(name, left_out).items():
            keep(grid.tested_use(name, part), found, left_out)
    for name in grid.trained_sets:
        left_out = Counter()
        keep(grid.trained_use(name), reader.trained(name, left_out), left_out)
    manifest = {
        "tokenizer": sha256_of(tokenizer),
        "tested pages": reader.tested_pages,
        "sources": sources,
        "files": {name: sha256_of(file) for name, file in sorted(files.read.items())}
        | {path: sha256_of(Path(path)) for path in grid.named_files.values() if Path(path).is_file()},
    }
    (run.prepared / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    run.write_grid(grid)
    _remove_others(run.prepared, sources)
    return manifest


def _remedy(left_out: Counter[str]) -> str:
    if "evidence without text" in left_out:
        return "; say which corpus has the text of its evidence, with --corpus DIR"
    return "; check the file and the data folder"


def _remove_others(prepared: Path, sources: dict[str, Any]) -> None:
    """Token files of an earlier grid would travel for nothing."""
    for path in prepared.glob("*.npz"):
        if path.stem not in sources:
            path.unlink()
