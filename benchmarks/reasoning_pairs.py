"""The pairs that a reader of derived facts is trained and measured on, as claim, evidence and label.

Sentence pairs teach what follows from what; statements about tables, with what was computed over their cells in words,
teach how to read derived facts. Nothing that results are reported on is trained on.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpus_r import records
from benchmarks.reasoning_tokens import BUCKETS, NOT_ENOUGH, REFUTES, SUPPORTS, TRAIN, Tokens, bucket
from veritab.corpus.fever import title_of
from veritab.corpus.tokenised import detokenise
from veritab.text import squeeze

LENGTH = 384
"""So many tokens at most; the claim is kept whole, the evidence is cut at its end."""
ASIDE = 0.1
"""The share of VitaminC's pages that is only measured."""
TABFACT = "tabfact"
_AT_ONCE = 2000
_LABELS = {
    **dict.fromkeys(("SUPPORTS", "ENTAILED", "entailment", "E", "1"), SUPPORTS),
    **dict.fromkeys(("REFUTES", "REFUTED", "contradiction", "C", "0"), REFUTES),
    **dict.fromkeys(("NOT ENOUGH INFO", "neutral", "N", "2"), NOT_ENOUGH),
}


class Pair(NamedTuple):
    """A claim, what it is to be judged by, and what it is; `group` names the page or table that it is about."""

    claim: str
    evidence: str
    label: int
    group: str


# -- sentences ---------------------------------------------------------------------------------------------


def natural(name: str) -> Iterator[Pair]:
    """Pairs of natural language inference."""
    for record in records(f"nli/{name}"):
        yield Pair(record["hypothesis"], record["premise"], _LABELS[record["label"]], record["premise"])


def fever() -> Iterator[Pair]:
    for record in records("fever/train_pairs"):
        title = title_of(record["page"])
        yield Pair(record["claim"], _titled(title, detokenise(record["sentence"])), _LABELS[record["label"]], title)


def vitaminc(*, aside: bool) -> Iterator[Pair]:
    """Claims and revised sentences; the pages set aside or all others."""
    for record in records("vitaminc/real"):
        page = record["page"].replace("_", " ")
        if (bucket(page) < ASIDE * BUCKETS) == aside:
            evidence = _titled(page, detokenise(record["evidence"]))
            yield Pair(detokenise(record["claim"]), evidence, _LABELS[record["label"]], page)


def fool_me_twice() -> Iterator[Pair]:
    for record in records("fm2/dev"):
        evidence = " ".join(piece["text"] for piece in record["gold_evidence"])
        yield Pair(record["text"], evidence, _LABELS[record["label"]], record["id"])


# -- tables ------------------------------------------------------------------------------------------------


def infotabs(split: str) -> Iterator[Pair]:
    """Statements about infoboxes, which are written out key by key."""
    # Two records have no table, and nothing is said about them.
    boxes = {record["table_id"]: _box(record["table"]) for record in records("infotabs/tables") if record["table"]}
    for record in records(f"infotabs/{split}"):
        yield Pair(record["hypothesis"], boxes[record["table_id"]], _LABELS[record["label"]], record["table_id"])


def rows_of_tables(split: str) -> Iterator[Pair]:
    """TabFact's statements with the rows of their tables as text: what derived facts are compared with."""
    tables = {record["table_id"]: _rows(record) for record in records("tabfact/tables")}
    for record in records(f"tabfact/{split}"):
        yield Pair(record["statement"], tables[record["table_id"]], _LABELS[record["label"]], record["table_id"])


def derived(path: Path) -> dict[str, list[Pair]]:
    """The sets of a file of derived facts, one statement a line: split, table_id, statement, label, told.

    The split is `train`, `val` or any other, which is measured under its own name; `set` may name another data set.
    """
    sets: dict[str, list[Pair]] = {}
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for record in map(json.loads, file):
            name = record.get("set", TABFACT)
            name = f"{TRAIN}{name}" if record["split"] == "train" else f"{record['split']}/{name}"
            pair = Pair(record["statement"], record["told"], _LABELS[str(record["label"])], record["table_id"])
            sets.setdefault(name, []).append(pair)
    return sets


def _titled(title: str, text: str) -> str:
    return f"{title}: {text}"


def _box(table: dict[str, list[str]]) -> str:
    title = squeeze(" ".join(table.get("title", ())))
    entries = (f"{key}: {squeeze(', '.join(values))}." for key, values in table.items() if key != "title")
    return _titled(title, " ".join(entries))


def _rows(record: dict[str, Any]) -> str:
    header = [squeeze(cell) for cell in record["header"]]
    lines = (
        "; ".join(f"{name} {squeeze(cell)}" for name, cell in zip(header, row, strict=False)) for row in record["rows"]
    )
    # No more rows than can be read: the longest tables have hundreds.
    rows = (f"Row {number}: {line}." for number, line in enumerate(islice(lines, 60), 1))
    return _titled(record["page_title"], " ".join(rows))


# -- files -------------------------------------------------------------------------------------------------


def mix() -> dict[str, Iterable[Pair]]:
    """Everything but the statements about large tables."""
    return {
        f"{TRAIN}snli": natural("snli"),
        f"{TRAIN}mnli": natural("mnli"),
        f"{TRAIN}fever": fever(),
        f"{TRAIN}vitaminc": vitaminc(aside=False),
        f"{TRAIN}infotabs": infotabs("train"),
        "val/vitaminc": vitaminc(aside=True),
        "val/infotabs": infotabs("dev"),
        "val/fm2": fool_me_twice(),
    }


def rows() -> dict[str, Iterable[Pair]]:
    return {f"{TRAIN}{TABFACT}": rows_of_tables("train_partial"), f"val/{TABFACT}": rows_of_tables("val")}


class Tokeniser:
    """Writes pairs as token numbers: the claim, then what can be kept of the evidence."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LENGTH, strategy="only_second")

    def tokens(self, pairs: Iterable[Pair]) -> Tokens:
        kept = list(pairs)
        batches = (kept[start : start + _AT_ONCE] for start in range(0, len(kept), _AT_ONCE))
        read = chain.from_iterable(
            self._tokenizer.encode_batch([(pair.claim, pair.evidence) for pair in batch]) for batch in batches
        )
        found = [encoding.ids for encoding in read]
        return Tokens.of(found, [pair.label for pair in kept], [bucket(pair.group) for pair in kept])
