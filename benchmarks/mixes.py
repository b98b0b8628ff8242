"""What a verdict model should be taught: a small one is trained on each of several mixes of examples and measured.

    python -m benchmarks.mixes FOLDER --base ENCODERS      writes results/mixes.md

FOLDER keeps the token files and a run for each mix. A run that has ended is only read: fit them where there is a
graphics card (`veritab train FOLDER/MIX/recipe.toml --into FOLDER/MIX --only fit --base ENCODERS --prepared
FOLDER/all/prepared --seconds 125`), bring their log.jsonl back, and call this again. On two cores a mix takes hours.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from benchmarks.corpus_r import DATA
from benchmarks.report import Report
from veritab.train import recipe as recipes
from veritab.train.folders import TrainingRun
from veritab.train.loop import FitOptions, fit
from veritab.train.prepare import prepare

RESULTS = Path(__file__).parent / "results" / "mixes.md"
SOURCES = {
    "snli": '{name = "snli"}',
    "mnli": '{name = "mnli"}',
    "mnli twice": '{name = "mnli", times = 2}',
    "fever gold": '{name = "fever", distractors = 0.0, nei = 0.0}',
    "fever": '{name = "fever", distractors = 0.7, nei = 2.5, times = 2, '
    "sampling = {nearest = 0.4, swapped = 0.5, random = 0.1}}",
    "vitaminc gold": '{name = "vitaminc", distractors = 0.0}',
    "vitaminc": '{name = "vitaminc", distractors = 0.4, times = 2}',
    "infotabs": '{name = "infotabs", as = "both", facts = "derived/infotabs.jsonl"}',
    "infotabs twice": '{name = "infotabs", as = "both", facts = "derived/infotabs.jsonl", times = 2}',
    "tabfact": '{name = "tabfact", as = "both", facts = "derived/tabfact.jsonl", nei = 0.05}',
    "tabfact rows": '{name = "tabfact", as = "rows", at_most = 6000}',
    "semtabfacts": '{name = "semtabfacts"}',
    "conjunctions": '{name = "conjunctions"}',
    "mutated": '{name = "mutated", pairs = 20000, partly = 0.5}',
    "table claims": '{name = "table_claims", pairs = 20000, introduction = 0.5, partly = 0.5}',
    "many mutated": '{name = "mutated"}',
    "many table claims": '{name = "table_claims"}',
}
_GOLD = ("snli", "mnli", "fever gold", "vitaminc gold", "infotabs", "tabfact", "tabfact rows")
_NOISY = ("snli", "mnli twice", "fever", "vitaminc", "infotabs twice", "tabfact", "tabfact rows", "semtabfacts")


class Mix(NamedTuple):
    """What a model is taught; `inference` is a stage of its own before the rest."""

    title: str
    sources: tuple[str, ...]
    inference: bool = False


_ALL_THREE = (*_NOISY, "conjunctions", "mutated", "table claims")
MIXES: Mapping[str, Mix] = {
    "A": Mix("gold evidence alone", _GOLD),
    "G": Mix("gold evidence alone, conjunctions", (*_GOLD, "conjunctions")),
    "B": Mix("evidence with distractors, sampled NEI", _NOISY),
    "C": Mix("B and conjunctions", (*_NOISY, "conjunctions")),
    "D": Mix("B and mutated", (*_NOISY, "mutated")),
    "E": Mix("B and table claims", (*_NOISY, "table claims")),
    "F": Mix("B and all three", _ALL_THREE),
    "H": Mix("inference first, then F", _ALL_THREE, inference=True),
}
_EVERY = Mix("every source, to prepare them once", tuple(SOURCES))
_INFERENCE = ("snli", "mnli", "many mutated", "many table claims")
MEASURED = {
    "fm2/dev": ("FM2", "two-way"),
    "feverous/sentences": ("FEVEROUS sentences", "two-way"),
    "feverous/cells": ("FEVEROUS cells", "two-way"),
    "feverous/tables": ("FEVEROUS tables", "three-way"),
    "vitaminc/held": ("VitaminC", "three-way"),
    "fever/dev_three": ("FEVER", "three-way"),
    "infotabs/dev": ("InfoTabS", "three-way"),
    "almanac": ("almanac", "three-way"),
}
_OPTIONS = {
    "feverous/tables": ', as = "both", facts = "derived/feverous.jsonl"',
    "infotabs/dev": ', as = "both", facts = "derived/infotabs.jsonl"',
}


def _stage(name: str, epochs: int, sources: Sequence[str]) -> str:
    taught = "".join(f"    {SOURCES[each]},\n" for each in sources)
    return f'[[stage]]\nname = "{name}"\nepochs = {epochs}\nrate = 2e-4\nsources = [\n{taught}]\n\n'


def recipe_of(mix: Mix) -> str:
    """A small verdict model, the same for every mix but for what it is taught."""
    measured = "".join(f'    {{name = "{name}"{_OPTIONS.get(name, "")}}},\n' for name in MEASURED)
    return (
        'job = "verdict"\nwhat = "One of several mixes of examples, on a small encoder."\nbase = "all-MiniLM-L6-v2"\n'
        "max_length = 384\nbatch = 128\naverage = 0.3\ntwo_way = 0.3\n\n"
        f"{_stage('inference', 1, _INFERENCE) if mix.inference else ''}{_stage('verification', 2, mix.sources)}"
        f"[measure]\nsources = [\n{measured}]\n"
    )


def run_of(folder: Path, name: str, mix: Mix) -> TrainingRun:
    """The run of a mix, with its recipe."""
    run = TrainingRun(folder / name)
    run.folder.mkdir(parents=True, exist_ok=True)
    run.recipe.write_text(f'name = "{name}"\n{recipe_of(mix)}', encoding="utf-8")
    return run


def events_of(run: TrainingRun) -> list[dict[str, Any]]:
    """What the log of a run tells; nothing where there is none."""
    return [orjson.loads(line) for line in run.log.read_bytes().splitlines()] if run.log.exists() else []


def figures(run: TrainingRun) -> dict[str, float]:
    """What a run that has ended measured, by set; nothing of one that has not."""
    events = events_of(run)
    if not any(event["event"] == "end" for event in events):
        return {}
    found = {event["set"].partition(" (")[0]: event for event in events if event["event"] == "measured"}
    return {name: found[name][way] for name, (_, way) in MEASURED.items()}


def steps_of(run: TrainingRun) -> int:
    """How many steps a run took in all its stages."""
    last = {event["stage"]: event["step"] for event in events_of(run) if event["event"] == "step"}
    return sum(last.values())


def measured(folder: Path, base: Path | None, seconds: float | None) -> Iterator[tuple[str, dict[str, float]]]:
    """Every mix with its figures; what has not been trained yet is."""
    runs = {name: run_of(folder, name, mix) for name, mix in MIXES.items()}
    if not all(figures(run) for run in runs.values()):
        every = run_of(folder, "all", _EVERY)
        text = every.recipe.read_text(encoding="utf-8")
        prepare(recipes.read(every.recipe), text, every, data=DATA, base=base)
    for name, run in runs.items():
        if not figures(run):
            for _ in fit(run, FitOptions(base=base, prepared=folder / "all" / "prepared", seconds=seconds)):
                pass
        yield name, figures(run)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--base", type=Path, help="the folder of the encoder, or of several")
    parser.add_argument("--seconds", type=float, help="train fewer steps if this would be passed")
    options = parser.parse_args(arguments)
    report = Report("What a verdict model should be taught", "python -m benchmarks.mixes FOLDER")
    rows = [["mix", *(f"{title}, {way}" for title, way in MEASURED.values()), "mean"]]
    for name, found in measured(options.folder, options.base, options.seconds):
        mean = sum(found.values()) / len(found)
        rows.append(
            [f"{name}: {MIXES[name].title}", *(f"{value:.1f}" for value in (*found.values(), mean))],
        )
    heading = "Accuracy of a small encoder"
    report.table(heading, rows)
    taken = [steps_of(TrainingRun(options.folder / name)) for name in MIXES]
    report.note(
        heading,
        f"all-MiniLM-L6-v2, {min(taken):,} to {max(taken):,} steps of 128 pairs in the same time each, so that of a "
        "larger mix a smaller part was seen; one seed: half a point between two mixes says nothing.",
    )
    report.write(RESULTS)


if __name__ == "__main__":
    main()
