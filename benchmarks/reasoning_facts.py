"""Statements about tables with the facts derived for them, as a reader is taught and tested with them.

    python -m benchmarks.reasoning_facts FILE [--set tabfact|infotabs|feverous] [--folds FOLDER]

FOLDER holds the weights that `benchmarks.fit_reasoning --folds` left there: a training statement is told what weights
say that never saw its table, so that a reader does not learn to trust the reasoner more than it deserves. The
weights never saw the tables of InfoTabS and FEVEROUS, which need no folds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import orjson

from benchmarks.corpus_r import FILES
from veritab.datasets.tabular import TableStatement, feverous_statements, infotabs_statements, tabfact_statements
from veritab.reason.facts import truncate_facts
from veritab.reason.parsing.ranking import RankingWeights
from veritab.reason.reasoner import Reasoner, Reasoning

_WORDS = 200
_LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
_VOTES = ((0.9, "surely"), (0.75, "probably"), (0.6, "perhaps"))


@cache
def _fold_weights(folder: Path) -> list[RankingWeights]:
    files = [folder / f"weights-{fold}.json" for fold in range(len(list(folder.glob("weights-*.json"))))]
    return [RankingWeights(**orjson.loads(file.read_bytes())) for file in files]


def vote(found: Reasoning) -> str:
    """What the reasoner makes of the claim, in words."""
    said = "true" if found.true > 0.5 else "false"
    return next((f"{how} {said}" for least, how in _VOTES if found.confidence >= least), "cannot be said")


def told(title: str, found: Reasoning) -> str:
    """The vote and the facts, as the reader gets them."""
    facts = " ".join(fact.text for fact in truncate_facts(found.facts, _WORDS))
    return f"{title}. Computed: {vote(found)}. {facts}"


def statements(name: str) -> Iterator[tuple[str, TableStatement]]:
    """The statements of a data set, each with its split."""
    match name:
        case "tabfact":
            for split, file in (("train", "train_partial"), ("val", "val")):
                yield from ((split, each) for each in tabfact_statements(FILES, file))
        case "infotabs":
            for split in ("train", "dev", "test_alpha1"):
                yield from ((split, each) for each in infotabs_statements(FILES, split))
        case _:
            yield from (("full_tables", each) for each in feverous_statements(FILES))


def _line(work: tuple[int, str, TableStatement, Path | None]) -> bytes:
    number, split, statement, folds = work
    weights = None
    if folds and split == "train":
        known = _fold_weights(folds)
        weights = known[zlib.crc32(statement.key.encode()) % len(known)]
    found = Reasoner(weights).reason(statement.claim, statement.table)
    record = {
        "id": f"{split}-{number}",
        "split": split,
        "table_id": statement.key,
        "statement": statement.claim,
        "label": _LABELS[statement.label],
        "facts": [fact.text for fact in truncate_facts(found.facts, _WORDS)],
        "told": told(statement.table.id.page, found),
        "true": round(found.true, 6),
    }
    return orjson.dumps(record) + b"\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--set", choices=("tabfact", "infotabs", "feverous"), default="tabfact")
    parser.add_argument("--folds", type=Path)
    options = parser.parse_args(arguments)
    work = ((number, *each, options.folds) for number, each in enumerate(statements(options.set)))
    with multiprocessing.Pool() as pool, options.file.open("wb") as file:
        for line in pool.imap(_line, work, chunksize=64):
            file.write(line)


if __name__ == "__main__":
    main()
