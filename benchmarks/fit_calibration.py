"""Fits how a verdict model's answers are read: `python -m benchmarks.fit_calibration [FOLDER]` writes it into its card.

Everything is fitted on the even halves of development sets and reported, by `benchmarks.models`, on the others: the
temperature on all sets, thresholds on those with three labels, and profiles for data sets, which mean different things
by "not enough": thresholds of their own where they have
three labels, and where they have two, what SUPPORTS gets ahead. FEVEROUS counts NOT ENOUGH INFO as REFUTES, since its
annotators took most of what a model finds undecided for refuted. FEVER's two labels need nothing. The profile "careful"
says SUPPORTS and REFUTES only from a probability on from which at most 5 % of what it says so of three labels is wrong.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.models_kept import Kept, Reader, say
from benchmarks.models_sets import Sets
from benchmarks.models_trust import ALMANAC, CAREFUL, NAMES, TWO_WAY, Answered, answered, decided, pooled
from veritab.datasets.normalise import NOT_ENOUGH, SUPPORTS
from veritab.models import open_verdict
from veritab.models.card import LABELS, Card
from veritab.models.registry import folder_of
from veritab.verify.calibrate import Calibration, NotEnough
from veritab.verify.fit import fit_abstention, fit_gamma, fit_temperature, fit_thresholds, supports_share

_TWO_WAY: dict[str, tuple[NotEnough, tuple[str, ...]]] = {
    "feverous": ("merged", ("feverous/sentences", "feverous/cells")),
    "fm2": ("excluded", ("fm2/dev",)),
}
_RISK = 0.12
"""How often an answer of the careful profile may be wrong; so many NEI claims look decidable that 0.05 leaves none."""
_NEVER_FITTED = ("infotabs/alpha1", ALMANAC)
"""A test set, and claims that are the measure of all of it."""
_THREE_WAY = {"fever": "fever/dev_three", "vitaminc": "vitaminc/held", "infotabs": "infotabs/dev"}


def calibrated(reader: Reader, sets: Sets, temperature: float | None = None) -> dict[str, Any]:
    """The `calibration` table of the model's card, with a table in it for each profile."""
    found = {name: answered(reader, sets, name) for name in NAMES if name not in _NEVER_FITTED}
    every = pooled([each.half(fitting=True) for each in found.values()])
    scale = Calibration(temperature=temperature or round(fit_temperature(*every), 4))
    three = pooled([each.half(fitting=True) for name, each in found.items() if name not in TWO_WAY])
    made = replace(scale, thresholds=_thresholds(scale, *three))
    two = {name: _two_way(made, [found[each] for each in own], nei) for name, (nei, own) in _TWO_WAY.items()}
    own = {
        name: {
            "thresholds": dict(zip(map(str, LABELS), _thresholds(made, *found[each].half(fitting=True)), strict=True))
        }
        for name, each in _THREE_WAY.items()
    }
    return {**made.table(), **two, **own, CAREFUL: careful(made, *three)}


def careful(made: Calibration, logits: Any, labels: Any) -> dict[str, Any]:
    """The profile whose answers SUPPORTS and REFUTES are wrong less than half as often."""
    # Rounded down: rounded up, it might shut out the very answers that it was fitted on.
    return {"abstain": math.floor(1e4 * fit_abstention(*decided(made, logits, labels), _RISK)) / 1e4}


def _thresholds(scale: Calibration, logits: Any, labels: Any) -> tuple[float, float, float]:
    supports, refutes, neither = fit_thresholds(scale.probabilities(logits), labels)
    return round(supports, 4), round(refutes, 4), round(neither, 4)


def _two_way(made: Calibration, found: Sequence[Answered], nei: NotEnough) -> dict[str, Any]:
    """What SUPPORTS gets ahead where there are two labels; every set counts the same, however large it is."""
    shares, true = [], []
    most = max(int(each.fitting.sum()) for each in found)
    for each in found:
        kept = np.flatnonzero(each.fitting & (each.labels < NOT_ENOUGH))
        often = np.resize(kept, most)
        shares.append(supports_share(made.probabilities(each.logits[often]), nei))
        true.append(each.labels[often] == SUPPORTS)
    return {"nei": nei, "gamma": round(fit_gamma(np.concatenate(shares), np.concatenate(true)), 4)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="verdict", help="a folder, or the name of a model that ships")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where answers are kept between runs")
    parser.add_argument("--at-most", type=int, default=2000, help="claims of a set; 0 for all")
    parser.add_argument("--threads", type=int, default=2)
    # The combiner's features are the reader's probabilities, so that a card with one keeps the temperature it has.
    parser.add_argument("--temperature", type=float, help="this temperature; without it the one that fits best")
    options = parser.parse_args(arguments)
    reader = Reader("verdict", open_verdict(options.model, options.threads), options.cache)
    table = calibrated(reader, Sets(Kept(options.cache), options.at_most), options.temperature)
    folder = folder_of(options.model)
    replace(Card.read(folder), calibration=table).write(folder)
    say(f"{folder / 'card.toml'}: {table}")


if __name__ == "__main__":
    main()
