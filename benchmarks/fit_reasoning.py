"""Fit the weights by which the reasoner ranks programs: to TabFact's training statements, SemTabFacts', and our own.

    python -m benchmarks.fit_reasoning DATA             fit on everything, write src/veritab/reason/parsing/weights.json
    python -m benchmarks.fit_reasoning DATA --folds 5   also fit on four fifths at a time, keep those weights (--out)
                                                        for those who learn from the reasoner's answers

DATA is the folder with tabfact/, semtabfacts/ and wiki/. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import scipy.sparse  # type: ignore[import-untyped]

from benchmarks.made_statements import made_statements
from benchmarks.semtabfacts import semtabfacts
from benchmarks.tabfact import Statement, read_statements
from veritab.reason.parsing.candidates import generate_candidates
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.parsing.features import FeatureExtractor
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.parsing.ranking import PROSE

WEIGHTS = Path(__file__).parents[1] / "src/veritab/reason/parsing/weights.json"
_RATE, _EPOCHS, _BATCH, _DECAY, _LEAST = 0.05, 4, 256, 1e-4, 30
# A weight below this changes nothing that anyone would see.
_SMALLEST = 0.02


@dataclass(frozen=True)
class Described:
    """A statement's candidates as numbers: hashed names and values of features, and how many each has."""

    label: bool
    table: str
    program: tuple[Any, Any, Any]
    truth: tuple[Any, Any, Any]
    holds: Any
    """1 where a candidate holds, -1 where it fails."""


def described(statement: Statement) -> tuple[Described, dict[int, str]]:
    """The features of every candidate of a statement, and the names behind the hashes."""
    links = EntityLinks.of(ParsedClaim(statement.text), statement.typed())
    extractor = FeatureExtractor(links)
    names: dict[int, str] = {}
    sides: tuple[list[dict[str, float]], list[dict[str, float]]] = ([], [])
    holds = []
    for candidate in generate_candidates(links):
        holds.append(1 if candidate.truth.holds else -1)
        for side, features in zip(
            sides, (extractor.program_features(candidate), extractor.truth_features(candidate)), strict=True
        ):
            side.append(
                features | {PROSE + name: value for name, value in features.items()} if extractor.is_prose else features
            )
    program, truth = (_arrays(side, names) for side in sides)
    return Described(statement.label, statement.table, program, truth, np.array(holds, "i1")), names


def _arrays(features: Sequence[dict[str, float]], names: dict[int, str]) -> tuple[Any, Any, Any]:
    hashes, values = [], []
    for each in features:
        for name, value in each.items():
            number = zlib.crc32(name.encode())
            names[number] = name
            hashes.append(number)
            values.append(value)
    counts = [len(each) for each in features]
    return np.array(hashes, "u4"), np.array(values, "f4"), np.array(counts, "i4")


def describe_all(statements: Sequence[Statement]) -> tuple[list[Described], dict[int, str]]:
    """Describe statements on all cores."""
    found, names = [], {}
    with multiprocessing.Pool() as pool:
        for each, named in pool.imap(described, statements, chunksize=64):
            found.append(each)
            names.update(named)
    return found, names


class Side:
    """The features of all candidates of all statements, one row for each candidate."""

    def __init__(self, parts: Sequence[tuple[Any, Any, Any]], known: Any | None = None) -> None:
        hashes = np.concatenate([part[0] for part in parts])
        values = np.concatenate([part[1] for part in parts])
        ends = np.concatenate([[0], np.cumsum(np.concatenate([part[2] for part in parts]))])
        if known is None:
            found, counts = np.unique(hashes, return_counts=True)
            known = found[counts >= _LEAST]
        self.known = known
        places = np.searchsorted(known, hashes)
        places[places == len(known)] = 0
        values = np.where(known[places] == hashes, values, 0)
        shape = (len(ends) - 1, len(known))
        self.matrix = scipy.sparse.csr_matrix((values, places, ends), shape=shape, dtype="f4")
        self.matrix.eliminate_zeros()


@dataclass
class Fitted:
    """Weights for the known features of both sides."""

    program: Any
    truth: Any
    nothing: Any
    known: tuple[Any, Any]


class Statements:
    """Described statements, ready for matrix products."""

    def __init__(self, described: Sequence[Described], known: tuple[Any, Any] | None = None) -> None:
        self.labels = np.array([each.label for each in described], "f8")
        self.sizes = np.array([len(each.program[2]) for each in described])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.program = Side([each.program for each in described], known and known[0])
        self.truth = Side([each.truth for each in described], known and known[1])
        self.holds = np.concatenate([each.holds for each in described]).astype("f8")

    def batch(self, chosen: Any) -> tuple[Any, ...]:
        rows = np.concatenate([np.arange(self.starts[i], self.starts[i + 1]) for i in chosen])
        sides = self.program.matrix[rows], self.truth.matrix[rows], self.holds[rows]
        return *sides, self.sizes[chosen], self.labels[chosen]


def forward(program: Any, truth: Any, holds: Any, sizes: Any, fitted: Fitted) -> tuple[Any, ...]:
    """How likely each candidate is meant, how far it is trusted and true if meant, and each statement true."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    scores = program @ fitted.program
    trusted = 1 / (1 + np.exp(-np.clip(truth @ fitted.truth, -30, 30)))
    true = 0.5 + 0.5 * holds * trusted
    top = np.full(len(sizes), fitted.nothing[0])
    np.maximum.at(top, owner, scores)
    shares, nothing = np.exp(scores - top[owner]), np.exp(fitted.nothing[0] - top)
    whole = np.bincount(owner, shares, len(sizes)) + nothing
    meant = shares / whole[owner]
    said = np.bincount(owner, meant * true, len(sizes)) + 0.5 * nothing / whole
    return owner, meant, trusted, true, said, nothing / whole


def fit(data: Statements, seed: int = 0) -> Fitted:
    """Adam on the likelihood of the labels, whatever program is meant."""
    known = (data.program.known, data.truth.known)
    weights = [np.zeros(len(known[0])), np.zeros(len(known[1])), np.zeros(1)]
    fitted = Fitted(weights[0], weights[1], weights[2], known)
    mean = [np.zeros_like(each) for each in weights]
    square = [np.zeros_like(each) for each in weights]
    batches = list(_batches(len(data.labels), np.random.default_rng(seed)))
    for step, chosen in enumerate(batches, 1):
        gradients = _gradients(data, chosen, fitted)
        rate = _RATE * (1 - step / (len(batches) + 1))
        for place, gradient in enumerate(gradients):
            mean[place] = 0.9 * mean[place] + 0.1 * gradient
            square[place] = 0.999 * square[place] + 0.001 * gradient**2
            change = mean[place] / (1 - 0.9**step) / (np.sqrt(square[place] / (1 - 0.999**step)) + 1e-8)
            weights[place] -= rate * change
    return fitted


def _batches(size: int, random: Any) -> Iterator[Any]:
    for _ in range(_EPOCHS):
        order = random.permutation(size)
        for start in range(0, size, _BATCH):
            yield np.sort(order[start : start + _BATCH])


def _gradients(data: Statements, chosen: Any, fitted: Fitted) -> tuple[Any, Any, Any]:
    program, truth, holds, sizes, labels = data.batch(chosen)
    owner, meant, trusted, true, said, nothing = forward(program, truth, holds, sizes, fitted)
    sure = np.clip(said, 1e-4, 1 - 1e-4)
    slope = (sure - labels) / (sure * (1 - sure)) / len(chosen)
    by_truth = slope[owner] * meant * 0.5 * holds * trusted * (1 - trusted)
    by_score = slope[owner] * meant * (true - said[owner])
    by_nothing = np.array([np.sum(slope * nothing * (0.5 - said))])
    return (
        program.T @ by_score + _DECAY * fitted.program,
        truth.T @ by_truth + _DECAY * fitted.truth,
        by_nothing,
    )


def predict(described: Sequence[Described], fitted: Fitted) -> Any:
    """The probability that each statement is true."""
    data = Statements(described, fitted.known)
    return forward(data.program.matrix, data.truth.matrix, data.holds, data.sizes, fitted)[4]


def by_table(described: Sequence[Described], folds: int) -> Any:
    """The fold of each statement: those of one table stay together."""
    return np.array([zlib.crc32(each.table.encode()) % folds for each in described])


def weights_json(fitted: Fitted, names: dict[int, str]) -> bytes:
    """The weights as the package reads them, small ones left out, in a stable order."""
    sides = [
        {
            names[int(number)]: round(float(weight), 3)
            for number, weight in zip(known, weights, strict=True)
            if abs(weight) >= _SMALLEST
        }
        for known, weights in zip(fitted.known, (fitted.program, fitted.truth), strict=True)
    ]
    written = {"program": sides[0], "truth": sides[1], "nothing": round(float(fitted.nothing[0]), 3)}
    return orjson.dumps(written, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def report(said: Any, labels: Any) -> str:
    """Accuracy over all, and over the surest shares."""
    right, order = (said > 0.5) == (labels > 0.5), np.argsort(-np.abs(said - 0.5), kind="stable")
    shares = " ".join(
        f"surest {share:.0%} {right[order[: int(share * len(order))]].mean():.4f}" for share in (0.5, 0.6, 0.7)
    )
    return f"all {right.mean():.4f} {shares}"


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--most", type=int, default=None, help="fit on the first so many statements")
    parser.add_argument("--made", type=int, default=16000, help="how many statements to make by rule")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="where the weights go")
    parser.add_argument("--out", type=Path, help="where what each fold says goes")
    options = parser.parse_args(None if arguments is None else list(arguments))
    statements = list(islice(read_statements(options.data, "train_partial"), options.most))
    statements += semtabfacts(options.data)
    statements += made_statements(options.data, options.made)
    found, names = describe_all(statements)
    if options.folds:
        said, fold_of = np.zeros(len(found)), by_table(found, options.folds)
        for fold in range(options.folds):
            kept = [each for each, own in zip(found, fold_of, strict=True) if own != fold]
            left = [each for each, own in zip(found, fold_of, strict=True) if own == fold]
            fitted = fit(Statements(kept))
            said[fold_of == fold] = predict(left, fitted)
            if options.out:
                options.out.mkdir(parents=True, exist_ok=True)
                (options.out / f"weights-{fold}.json").write_bytes(weights_json(fitted, names))
        print("folds", report(said, np.array([each.label for each in found])))
    options.weights.write_bytes(weights_json(fit(Statements(found)), names))
    print(f"wrote {options.weights.name}: {options.weights.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
