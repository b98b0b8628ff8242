"""How good the models are, and what they cost: `python -m benchmarks.models` prints it and writes results/models.md.

Needs the public data sets (VERITAB_DATA). Models are folders, those that ship unless others are named; only those that
the parts asked for use are opened, and a part that has none of its models is left out, and said. Of large sets a fixed
sample is measured (`--at-most`, 0 for all); answers are kept in `--cache`, so that a run that was cut short goes on
where it was. Results are written when all parts ran, and always to a file that is named with `--results`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.models_card import Figures, write_figures
from benchmarks.models_encoder import encoder
from benchmarks.models_figures import accuracy, labelled
from benchmarks.models_kept import Chooser, Kept, Reader, Vectors, say
from benchmarks.models_selector import selector
from benchmarks.models_sensitivity import sensitivity
from benchmarks.models_sets import ROWS, Sets, almanac_cases
from benchmarks.models_speed import bad_input, speed
from benchmarks.models_tables import is_fitted_on, profile_of, tables
from benchmarks.models_trust import calibration, claim_only
from veritab.models import Card, open_encoder, open_selector, open_verdict, shipped
from veritab.models.card import FILE

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "models.md"
_MOST = 2000


@dataclass(frozen=True)
class Bench:
    """What all parts of a run share."""

    report: Figures
    sets: Sets
    readers: tuple[Reader, ...]
    chooser: Chooser | None
    encoder: Vectors | None
    against: Vectors | None
    trained: dict[str, Path]
    most: int


# -- verdicts with gold evidence ---------------------------------------------------------------------------


def gold(bench: Bench) -> None:
    """Every set with gold evidence: the likeliest label, and the label that the card's profile gives."""
    for reader in bench.readers:
        heading = f"Gold evidence: {reader.name}"
        rows = [["set", "measure", "n", "likeliest label", "profile", "n, other half", "by the profile", "wanted"]]
        for row in ROWS:
            pairs = bench.sets.pairs(row.name, reader.model)
            logits = reader.logits([(pair.claim, pair.evidence) for pair in pairs], row.title)
            labels = [pair.label for pair in pairs]
            plain = accuracy(logits, labels, row.ways)
            odd = [place for place, pair in enumerate(pairs) if not is_fitted_on(pair.claim)]
            profile, made = profile_of(reader, row.profile)
            read = labelled(logits[odd], [labels[place] for place in odd], made, row.ways)
            figures = [("accuracy", read.value, str(plain), str(read))]
            if row.macro:
                figures.append(("macro F1", read.macro_f1, f"{plain.macro_f1:.1%}", f"{read.macro_f1:.1%}"))
            for name, value, *both in figures:
                measure = f"{'two' if row.ways == 2 else 'three'}-way {name}"
                wanted = f"≥ {row.wanted:.1%}"
                counts = f"{plain.claims:,}", f"{read.claims:,}"
                rows.append([row.title, measure, counts[0], both[0], profile, counts[1], both[1], wanted])
                if reader is bench.readers[0]:
                    bench.report.promise(f"{row.title}, {measure}", both[1], wanted, kept=value >= row.wanted)
                    bench.report.figure(reader.name, f"{row.title}, {measure}", value)
        bench.report.table(heading, rows)
        bench.report.note(
            heading,
            "Profiles are fitted on one half of the claims (`benchmarks.fit_calibration`); promises are those of the "
            "profile, on the half that it was not fitted on.",
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


class Part(NamedTuple):
    """What is measured, the models of which it needs one at least, and those it can do without."""

    measure: Callable[[Bench], None]
    needs: tuple[str, ...]
    beside: tuple[str, ...] = ()


def _with_selector(bench: Bench) -> None:
    if bench.chooser:
        selector(bench.report, bench.chooser, bench.encoder, bench.most)


def _with_encoder(bench: Bench) -> None:
    models = [each for each in (bench.encoder, bench.against) if each]
    encoder(bench.report, models, bench.most)


def _cost(bench: Bench) -> None:
    folders = {reader.name: reader.model.folder for reader in bench.readers}
    speed(bench.report, folders, bench.chooser.model.folder if bench.chooser else None, bench.trained)


_VERDICTS = ("verdict", "fast")
PARTS: dict[str, Part] = {
    "accuracy": Part(gold, _VERDICTS),
    "tables": Part(lambda bench: tables(bench.report, bench.readers, bench.sets), _VERDICTS),
    "almanac": Part(almanac, _VERDICTS),
    "selector": Part(_with_selector, ("selector",), ("encoder",)),
    "encoder": Part(_with_encoder, ("encoder",), ("against",)),
    "claim_only": Part(lambda bench: claim_only(bench.report, bench.readers, bench.sets), _VERDICTS),
    "calibration": Part(lambda bench: calibration(bench.report, bench.readers, bench.sets), _VERDICTS),
    "sensitivity": Part(lambda bench: sensitivity(bench.report, bench.readers, bench.sets), _VERDICTS),
    "bad_input": Part(lambda bench: bad_input(bench.report, bench.readers[0].model.folder), _VERDICTS),
    "speed": Part(_cost, (*_VERDICTS, "selector")),
}


# -- models ------------------------------------------------------------------------------------------------


def _folders(options: argparse.Namespace) -> dict[str, Path]:
    """Where the models lie that the parts use, as far as there are any."""
    ships = shipped()
    used = {name for part in options.parts for name in (*PARTS[part].needs, *PARTS[part].beside)}
    found = {name: getattr(options, name) or ships.get(name) for name in (*_VERDICTS, "selector", "encoder", "against")}
    return {name: folder for name, folder in found.items() if folder and name in used}


def _bench(options: argparse.Namespace, folders: dict[str, Path]) -> Bench:
    report = Figures("Models, measured", "python -m benchmarks.models")
    threads, cache = options.threads, options.cache
    chosen = folders.get("selector")
    bench = Bench(
        report,
        Sets(Kept(cache), options.at_most),
        tuple(Reader(name, open_verdict(folders[name], threads), cache) for name in _VERDICTS if name in folders),
        Chooser(open_selector(chosen, threads), cache) if chosen else None,
        _vectors("encoder", folders.get("encoder"), options),
        _vectors("against", folders.get("against"), options),
        dict(options.torch),
        options.at_most,
    )
    for name, folder in folders.items():
        report.note("Models", f"{name}: {_described(folder)}")
    return bench


def _vectors(name: str, folder: Path | None, options: argparse.Namespace) -> Vectors | None:
    return Vectors(name, open_encoder(folder, options.threads), options.cache) if folder else None


def _described(folder: Path) -> str:
    """What the card says, or the name of a folder without one, as other people's encoders have it."""
    if not (folder / FILE).is_file():
        return folder.name
    card = Card.read(folder)
    return f"{card.name}, {card.base}, sha256 {card.files['model.onnx'][:12]}"


def _named(text: str) -> tuple[str, Path]:
    name, _, folder = text.partition("=")
    return (name, Path(folder)) if folder else ("verdict", Path(name))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="*", choices=tuple(PARTS), default=list(PARTS))
    for name in (*_VERDICTS, "selector", "encoder"):
        parser.add_argument(f"--{name}", type=Path, metavar="FOLDER")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another encoder, to compare the encoder with")
    parser.add_argument(
        "--torch", type=_named, nargs="*", default=[], metavar="MODEL=FOLDER", help="RUN/trained of models, for speed"
    )
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where answers are kept between runs")
    parser.add_argument("--at-most", type=int, default=_MOST, help="claims measured of a set; 0 for all")
    parser.add_argument("--results", type=Path, metavar="FILE", help="where results are written")
    parser.add_argument("--card", action="store_true", help="write the figures of the models into their cards too")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(arguments)
    folders = _folders(options)
    ready = [part for part in options.parts if folders.keys() & PARTS[part].needs]
    if not ready:
        wanted = sorted({name for part in options.parts for name in PARTS[part].needs})
        raise SystemExit(f"no model to measure came with this installation; name a folder with --{', --'.join(wanted)}")
    bench = _bench(options, folders)
    for part in options.parts:
        if part in ready:
            say(f"-- {part}")
            PARTS[part].measure(bench)
        else:
            bench.report.note("Left out", f"{part}: no model; name a folder with --{' or --'.join(PARTS[part].needs)}.")
    for name, size in sorted(bench.sets.sizes.items()):
        bench.report.note("Samples", f"{name}: {options.at_most:,} of {size:,}, drawn once and for all")
    if options.results or set(ready) == set(PARTS):
        bench.report.write(options.results or RESULTS)
    if options.card:
        for name in bench.report.of.keys() & {"verdict", "selector", "encoder"}:
            write_figures(folders[name], bench.report.of[name])


if __name__ == "__main__":
    main()
