"""Fits how a verdict model's answers are read: `python -m benchmarks.fit_calibration [FOLDER]` writes it into its card.

Everything is fitted on the even halves of development sets and reported, by `benchmarks.models`, on the others: the
temperature on all sets, thresholds on those with three labels, the weights of model and reasoner on statements about
tables, and a profile for FEVEROUS with two labels, which counts NOT ENOUGH INFO as REFUTES, since its annotators took
most of what a model finds undecided for refuted. FM2 and FEVER need none: the likelier of two labels is right there.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.models_kept import Kept, Reader, say
from benchmarks.models_sets import Sets
from benchmarks.models_tables import fitted_elsewhere
from benchmarks.models_trust import NAMES, TWO_WAY, Answered, answered, pooled
from veritab.models import open_verdict
from veritab.models.card import Card
from veritab.models.opening import folder_of
from veritab.train.sources.reading import NOT_ENOUGH, SUPPORTS
from veritab.verify.calibration import Calibration, NotEnough
from veritab.verify.fitting import fit_gamma, fit_temperature, fit_thresholds, supports_share

_PROFILES: dict[str, tuple[NotEnough, tuple[str, ...]]] = {
    "feverous": ("merged", ("feverous/sentences", "feverous/cells")),
}


def calibrated(reader: Reader, sets: Sets) -> dict[str, Any]:
    """The `calibration` table of the model's card, with a table in it for each profile."""
    found = {name: answered(reader, sets, name) for name in NAMES}
    every = pooled([each.half(fitting=True) for each in found.values()])
    scale = Calibration(temperature=round(fit_temperature(*every), 4))
    three = pooled([each.half(fitting=True) for name, each in found.items() if name not in TWO_WAY])
    supports, refutes, neither = fit_thresholds(scale.probabilities(three[0]), three[1])
    (model, reasoner), _ = fitted_elsewhere(reader, sets, scale.temperature)
    made = replace(
        scale,
        thresholds=(round(supports, 4), round(refutes, 4), round(neither, 4)),
        reader=round(model, 3),
        reasoner=round(reasoner, 3),
    )
    profiles = {name: _profile(made, [found[each] for each in own], nei) for name, (nei, own) in _PROFILES.items()}
    return {**made.table(), **profiles}


def _profile(made: Calibration, found: Sequence[Answered], nei: NotEnough) -> dict[str, Any]:
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
    options = parser.parse_args(arguments)
    reader = Reader("verdict", open_verdict(options.model, options.threads), options.cache)
    table = calibrated(reader, Sets(Kept(options.cache), options.at_most))
    folder = folder_of(options.model)
    replace(Card.read(folder), calibration=table).write(folder)
    say(f"{folder / 'card.toml'}: {table}")


if __name__ == "__main__":
    main()
