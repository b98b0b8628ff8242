"""How good the models are, and what they cost: `python -m benchmarks.models` prints it and writes results/models.md.

Needs the public data sets (VERITAB_DATA). Models are folders, those that ship unless others are named; what is not
there is left out, and said. Of large sets a fixed sample is measured (`--at-most`, 0 for all); answers are kept in
`--cache`, so that a run that was cut short goes on where it was. Results are written when all parts ran.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.models_figures import accuracy
from benchmarks.models_kept import Chooser, Kept, Reader, say
from benchmarks.models_selector import selector
from benchmarks.models_sensitivity import sensitivity
from benchmarks.models_sets import ROWS, Sets, almanac_cases
from benchmarks.models_speed import bad_input, speed
from benchmarks.models_tables import tables
from benchmarks.models_trust import calibration, claim_only
from benchmarks.report import Report
from veritab.errors import NotFound
from veritab.models import open_encoder, open_selector, open_verdict, shipped
from veritab.models.encoder import Encoder

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "models.md"
_MOST = 2000


@dataclass(frozen=True)
class Bench:
    """What all parts of a run share."""

    report: Report
    sets: Sets
    readers: tuple[Reader, ...]
    chooser: Chooser | None
    encoder: Encoder | None
    trained: dict[str, Path]
    most: int


# -- verdicts with gold evidence ---------------------------------------------------------------------------


def gold(bench: Bench) -> None:
    """Every set with gold evidence, both models side by side."""
    rows = [["set", "measure", "n", *(reader.name for reader in bench.readers), "wanted"]]
    for row in ROWS:
        found = []
        for reader in bench.readers:
            pairs = bench.sets.pairs(row.name, reader.model)
            logits = reader.logits([(pair.claim, pair.evidence) for pair in pairs], row.title)
            found.append(accuracy(logits, [pair.label for pair in pairs], row.ways))
        measure = "two-way accuracy" if row.ways == 2 else "three-way accuracy"
        rows.append([row.title, measure, f"{found[0].claims:,}", *map(str, found), f"≥ {row.wanted:.1%}"])
        best = found[0]
        what = f"{row.title}, {measure}"
        bench.report.promise(what, str(best), f"≥ {row.wanted:.1%}", kept=best.value >= row.wanted)
        if row.macro:
            scores = [f"{each.macro_f1:.1%}" for each in found]
            rows.append([row.title, "macro F1", f"{best.claims:,}", *scores, f"≥ {row.wanted:.1%}"])
            kept = best.macro_f1 >= row.wanted
            bench.report.promise(f"{row.title}, macro F1", scores[0], f"≥ {row.wanted:.1%}", kept=kept)
    bench.report.table("Gold evidence", rows)
    bench.report.note(
        "Gold evidence", f"The promises are those of {bench.readers[0].name}; the likeliest label counts."
    )


def almanac(bench: Bench) -> None:
    """The claims about the corpus that ships, by what makes them hard."""
    cases = almanac_cases()
    groups: dict[str, list[int]] = {"all": list(range(len(cases)))}
    for place, case in enumerate(cases):
        groups.setdefault(case.challenge, []).append(place)
    pairs = [case.pair() for case in cases]
    logits = {
        reader.name: reader.logits([(pair.claim, pair.evidence) for pair in pairs], "almanac")
        for reader in bench.readers
    }
    rows = [["challenge", "n", *logits]]
    for name, places in sorted(groups.items(), key=lambda group: -len(group[1])):
        labels = [pairs[place].label for place in places]
        rows.append([name, str(len(places)), *(str(accuracy(each[places], labels)) for each in logits.values())])
    bench.report.table("Almanac claims with gold evidence, three-way accuracy", rows)


# -- parts -------------------------------------------------------------------------------------------------


def _with_selector(bench: Bench) -> None:
    if bench.chooser:
        selector(bench.report, bench.chooser, bench.encoder, bench.most)
    else:
        bench.report.note("Left out", "No selector to measure.")


def _cost(bench: Bench) -> None:
    folders = {reader.name: reader.model.folder for reader in bench.readers}
    speed(bench.report, folders, bench.chooser.model.folder if bench.chooser else None, bench.trained)


PARTS: dict[str, Callable[[Bench], None]] = {
    "accuracy": gold,
    "tables": lambda bench: tables(bench.report, bench.readers, bench.sets),
    "almanac": almanac,
    "selector": _with_selector,
    "claim_only": lambda bench: claim_only(bench.report, bench.readers, bench.sets),
    "calibration": lambda bench: calibration(bench.report, bench.readers, bench.sets),
    "sensitivity": lambda bench: sensitivity(bench.report, bench.readers, bench.sets),
    "bad_input": lambda bench: bad_input(bench.report, bench.readers[0].model.folder),
    "speed": _cost,
}


def _folder(given: Path | None, name: str) -> Path | None:
    return given or shipped().get(name)


def _bench(options: argparse.Namespace) -> Bench:
    report = Report("Models, measured", "python -m benchmarks.models")
    verdicts = {name: _folder(getattr(options, name), name) for name in ("verdict", "fast")}
    readers = tuple(
        Reader(name, open_verdict(folder, options.threads), options.cache)
        for name, folder in verdicts.items()
        if folder
    )
    if not readers:
        raise SystemExit("no verdict model came with this installation; name a folder with --verdict")
    chosen, encoder = _folder(options.selector, "selector"), _folder(options.encoder, "encoder")
    chooser = Chooser(open_selector(chosen, options.threads), options.cache) if chosen else None
    for reader in readers:
        card = reader.model.card
        report.note("Models", f"{reader.name}: {card.name}, {card.base}, sha256 {card.files['model.onnx'][:12]}")
    if chooser:
        card = chooser.model.card
        report.note("Models", f"selector: {card.name}, {card.base}, sha256 {card.files['model.onnx'][:12]}")
    return Bench(
        report,
        Sets(Kept(options.cache), options.at_most),
        readers,
        chooser,
        _encoder(encoder, options.threads),
        dict(options.torch),
        options.at_most,
    )


def _encoder(folder: Path | None, threads: int | None) -> Encoder | None:
    try:
        return open_encoder(folder, threads) if folder else None
    except NotFound as error:
        say(str(error))
        return None


def _named(text: str) -> tuple[str, Path]:
    name, _, folder = text.partition("=")
    return (name, Path(folder)) if folder else ("verdict", Path(name))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="*", choices=tuple(PARTS), default=list(PARTS))
    for name in ("verdict", "fast", "selector", "encoder"):
        parser.add_argument(f"--{name}", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--torch", type=_named, nargs="*", default=[], metavar="MODEL=FOLDER", help="RUN/trained of models, for speed"
    )
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where answers are kept between runs")
    parser.add_argument("--at-most", type=int, default=_MOST, help="claims measured of a set; 0 for all")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="where results are written")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(arguments)
    bench = _bench(options)
    for part in options.parts:
        say(f"-- {part}")
        PARTS[part](bench)
    for name, size in sorted(bench.sets.sizes.items()):
        bench.report.note("Samples", f"{name}: {options.at_most:,} of {size:,}, drawn once and for all")
    if set(options.parts) == set(PARTS):
        bench.report.write(options.results)


if __name__ == "__main__":
    main()
