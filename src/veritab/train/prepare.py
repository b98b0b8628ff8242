"""The first step of a run: examples of every source become files of token ids, with a manifest of their origin.

A source is prepared once, however many stages use it. Its file is named after the source and its options, so that the
same recipe finds the same examples, in the same order, whatever the encoder.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from veritab.datasets import DataFiles
from veritab.errors import InputError, NotFound
from veritab.train import synthetic, tokens
from veritab.train.folders import TrainingRun, find_base, sha256_of
from veritab.train.recipe import RANDOM, SYNTHETIC, Recipe, SourceUse
from veritab.train.tokenise import Tokeniser

_log = logging.getLogger(__name__)


def prepare(
    recipe: Recipe,
    text: str,
    run: TrainingRun,
    *,
    data: Path | None,
    base: Path | None,
    report: Callable[[str, int], None] = lambda name, count: None,
) -> dict[str, Any]:
    """Write what fitting needs into the run; `text` is the recipe as it is in its file.

    `report` is called with every source as it is done, and the number of its examples.
    """
    run.prepared.mkdir(parents=True, exist_ok=True)
    tokenizer = copy_tokenizer(recipe, run.prepared, base)
    tokeniser = Tokeniser(tokenizer, recipe.max_length)
    measured = {source.key(recipe.seed) for source in recipe.measure.sources}
    shared = [source.title for source in recipe.trained_on if source.key(recipe.seed) in measured]
    if shared:
        raise InputError(f"{shared[0]} is both trained on and measured; take it out of one of them")
    manifest: dict[str, Any] = {"recipe": hashlib.sha256(text.encode()).hexdigest(), "seed": recipe.seed}
    manifest["tokenizer"] = sha256_of(tokenizer)
    manifest["sources"] = {}
    for source in (*recipe.trained_on, *recipe.measure.sources):
        key = source.key(recipe.seed)
        if key not in manifest["sources"]:
            manifest["sources"][key] = _prepare_source(recipe, source, tokeniser, run.prepared / f"{key}.npz", data)
            report(source.title, manifest["sources"][key]["examples"])
    named = "" if re.search(r"^name\s*=", text.partition("[")[0], re.MULTILINE) else f'name = "{recipe.name}"\n'
    run.recipe.write_text(named + text, encoding="utf-8")
    run.manifest.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return manifest


def copy_tokenizer(recipe: Recipe, prepared: Path, base: Path | None) -> Path:
    """The tokenizer of the base, copied beside what is prepared: the trained model keeps it."""
    target = prepared / "tokenizer.json"
    if recipe.base.startswith(RANDOM):
        synthetic.write_tokenizer(target)
    else:
        source = find_base(recipe, base) / "tokenizer.json"
        if not source.is_file():
            raise NotFound(f"no tokenizer.json in {str(source.parent)!r}; a base is a folder that transformers opens")
        target.write_bytes(source.read_bytes())
    return target


def _prepare_source(
    recipe: Recipe, source: SourceUse, tokeniser: Tokeniser, path: Path, data: Path | None
) -> dict[str, Any]:
    started = time.monotonic()
    left_out: Counter[str] = Counter()
    files = DataFiles(data) if data else None
    sampled = sample_examples(_examples(recipe, source, files, left_out), source.at_most, recipe.seed)
    tokenised: tokens.Tokens = getattr(tokeniser, recipe.job)(sampled)
    if not tokenised.texts:
        raise InputError(f"the source {source.title} gives no examples; check its options and the data folder")
    tokens.write(path, tokenised)
    _log.info(
        "%s: %d examples, %.1f s", source.title, len(tokens.group_starts(tokenised.groups)), time.monotonic() - started
    )
    return {
        "source": source.name,
        "options": dict(source.options),
        "at_most": source.at_most,
        "examples": tokens.examples_of(recipe.job, tokenised),
        "left_out": dict(left_out),
        "labels": {str(label): int((tokenised.labels == label).sum()) for label in np.unique(tokenised.labels)},
        "tokens": len(tokenised.ids),
        "cut": round(float((tokenised.lengths >= recipe.max_length).mean()), 4),
        "bytes": path.stat().st_size,
        "files": {name: sha256_of(file) for name, file in sorted(files.read.items())} if files else {},
    }


def _examples(recipe: Recipe, source: SourceUse, data: DataFiles | None, left_out: Counter[str]) -> Iterator[Any]:
    if source.name == SYNTHETIC:
        return _synthetic(recipe, source)
    if data is None:
        raise InputError(f"the source {source.name!r} needs the data sets; say where they are with --data DIR")
    from veritab.train import sources

    return sources.examples(recipe.job, source.name, data, seed=recipe.seed, left_out=left_out, **source.options)


def _synthetic(recipe: Recipe, source: SourceUse) -> Iterator[Any]:
    options = dict(source.options)
    count, salt = options.pop("count", synthetic.EXAMPLES), options.pop("salt", 0)
    if options:
        raise InputError(f"the source {SYNTHETIC!r} has no option {next(iter(options))!r}; it has count and salt")
    return synthetic.examples(recipe.job, seed=recipe.seed * 1000 + salt, count=count)


def sample_examples(examples: Iterable[Any], at_most: int | None, seed: int) -> Iterable[Any]:
    """At most `at_most` examples, sampled and kept in their order; the candidates of a claim stay together."""
    if at_most is None:
        return examples
    groups = [list(own) for _, own in groupby(enumerate(examples), _group_of)]
    chosen, count = [], 0
    for place in np.random.default_rng(seed).permutation(len(groups)).tolist():
        if count >= at_most:
            break
        chosen.append(place)
        count += len(groups[place])
    return [example for place in sorted(chosen) for _, example in groups[place]]


def _group_of(numbered: tuple[int, Any]) -> Any:
    number, example = numbered
    return example.claim if hasattr(example, "candidate") else number
