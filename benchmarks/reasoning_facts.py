"""TabFact's statements with the facts derived for them, as a reader is taught and tested with them.

    python -m benchmarks.reasoning_facts FILE [--folds FOLDER]

FOLDER holds the weights that `benchmarks.fit_reasoning --folds` left there: a training statement is told what weights
say that never saw its table, so that a reader does not learn to trust the reasoner more than it deserves.
"""

from __future__ import annotations

import argparse
import multiprocessing
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import orjson

from benchmarks.corpus_r import DATA
from benchmarks.tabfact import Statement, read_statements, tables, typed_table
from veritab.reason.facts import first_words
from veritab.reason.meaning.ranking import Weights
from veritab.reason.reasoner import Reasoner, Reasoning

_WORDS = 200
_VOTES = ((0.9, "surely"), (0.75, "probably"), (0.6, "perhaps"))


@cache
def _fold_weights(folder: Path) -> list[Weights]:
    files = [folder / f"weights-{fold}.json" for fold in range(len(list(folder.glob("weights-*.json"))))]
    return [Weights(**orjson.loads(file.read_bytes())) for file in files]


def vote(found: Reasoning) -> str:
    """What the reasoner makes of the claim, in words."""
    said = "true" if found.true > 0.5 else "false"
    return next((f"{how} {said}" for least, how in _VOTES if found.confidence >= least), "cannot be said")


def told(title: str, found: Reasoning) -> str:
    """The vote and the facts, as the reader gets them."""
    facts = " ".join(fact.text for fact in first_words(found.facts, _WORDS))
    return f"{title}. Computed: {vote(found)}. {facts}"


def _line(work: tuple[str, int, Statement, Path | None]) -> bytes:
    part, number, statement, folds = work
    weights = None
    if folds and part == "train":
        known = _fold_weights(folds)
        weights = known[zlib.crc32(statement.table.encode()) % len(known)]
    table = typed_table(statement)
    found = Reasoner(weights).reason(statement.text, table)
    record = {
        "id": f"{part}-{number}",
        "split": part,
        "table_id": statement.table,
        "statement": statement.text,
        "label": "ENTAILED" if statement.label else "REFUTED",
        "facts": told(table.title, found),
        "true": round(found.true, 6),
    }
    return orjson.dumps(record) + b"\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--folds", type=Path)
    options = parser.parse_args(arguments)
    work = [
        (part, number, statement, options.folds)
        for part, name in (("train", "train_partial"), ("val", "val"))
        for number, statement in enumerate(read_statements(DATA, name))
    ]
    tables(DATA)
    with multiprocessing.Pool() as pool, options.file.open("wb") as file:
        for line in pool.imap(_line, work, chunksize=64):
            file.write(line)


if __name__ == "__main__":
    main()
