"""Groups of claims that are scored apart: by challenge, label, kind of evidence, hops, cells, table size and length."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, TypeVar

from veritab.corpus import open_corpus
from veritab.engine import Engine, ThisProcess
from veritab.errors import InputError, NotFound
from veritab.evaluate.json_records import id_in
from veritab.evaluate.levels import TABLE_KINDS
from veritab.evaluate.official_two_way import said_label
from veritab.schema import CELLS, ElementId, Example, Label
from veritab.text import words

if TYPE_CHECKING:
    from veritab.corpus.feverous import FeverousDatabase
    from veritab.corpus.store import Store

TableRows: TypeAlias = Callable[[ElementId], int | None]
"""How many rows a table has; None where nobody knows."""
_Item = TypeVar("_Item")

NO_EVIDENCE = "no evidence"


class Slicing(NamedTuple):
    """A way to group claims; groups are shown in `order`, those it does not name after them."""

    name: str
    of: Callable[[Example], str]
    order: tuple[str, ...] = ()

    def groups(self, examples: Sequence[Example], items: Sequence[_Item]) -> dict[str, list[_Item]]:
        """What belongs to the examples, one for one, group by group."""
        found: dict[str, list[_Item]] = {}
        for example, item in zip(examples, items, strict=True):
            found.setdefault(self.of(example), []).append(item)
        return {name: found[name] for name in self.in_order(found)}

    def in_order(self, names: Iterable[str]) -> list[str]:
        """The names of groups as they are shown."""
        places = {name: place for place, name in enumerate(self.order)}
        return sorted(names, key=lambda name: (places.get(name, len(places)), name))


def by_challenge(example: Example) -> str:
    """A slice: the challenge its annotator saw in the claim."""
    return example.challenge or "none"


def by_label(example: Example) -> str:
    """A slice: the gold label."""
    return str(example.label) if example.label else "none"


def by_pages(example: Example) -> str:
    """A slice: whether one page is enough to settle the claim."""
    fewest = _fewest_pages(example)
    return NO_EVIDENCE if fewest is None else "single page" if fewest <= 1 else "multiple pages"


def by_hops(example: Example) -> str:
    """A slice: how many pages the evidence set with the fewest needs."""
    fewest = _fewest_pages(example)
    return NO_EVIDENCE if fewest is None else _HOPS[min(fewest, len(_HOPS)) - 1]


def _fewest_pages(example: Example) -> int | None:
    return min((len({id.page for id in gold}) for gold in example.evidence if gold), default=None)


def by_evidence(example: Example) -> str:
    """A slice: whether the claim's first evidence set holds text, parts of tables, or both."""
    tabular = {id.kind in TABLE_KINDS for gold in example.evidence[:1] for id in gold}
    if not tabular:
        return NO_EVIDENCE
    return "text and tables" if len(tabular) == 2 else "tables" if True in tabular else "text"


def by_cells(example: Example) -> str:
    """A slice: how many cells the claim's first evidence set holds."""
    cells = sum(id.kind in CELLS for gold in example.evidence[:1] for id in gold)
    return _CELLS[bisect_right((1, 2, 6), cells)]


def by_length(example: Example) -> str:
    """A slice: how many words the claim has."""
    return _LENGTHS[bisect_right((9, 16, 26), len(words(example.claim.text)))]


_HOPS = ("1 page", "2 pages", "3 pages or more")
_CELLS = ("no cells", "1 cell", "2 to 5 cells", "6 cells or more")
_LENGTHS = ("up to 8 words", "9 to 15 words", "16 to 25 words", "26 words or more")
_PARTITION = ("EASY", "HARD")
_SIZES = ("no table", "up to 10 rows", "11 to 30 rows", "31 rows or more", "unknown")

SLICINGS = (
    Slicing("label", by_label, tuple(Label)),
    Slicing("challenge", by_challenge),
    Slicing("evidence_kind", by_evidence, ("text", "tables", "text and tables", NO_EVIDENCE)),
    Slicing("hops", by_hops, (*_HOPS, NO_EVIDENCE)),
    Slicing("cells", by_cells, _CELLS),
    Slicing("claim_length", by_length, _LENGTHS),
)
"""What every scoring looks at; groups that all claims share say nothing and are left out there."""


def by_table_size(rows: TableRows) -> Slicing:
    """Claims by the largest table in their first evidence set, which only a corpus knows."""

    def size(example: Example) -> str:
        tables = _tables_of(example)
        if not tables:
            return _SIZES[0]
        known = [found for table in tables if (found := rows(table)) is not None]
        return _SIZES[1 + bisect_right((11, 31), max(known))] if known else _SIZES[-1]

    return Slicing("table_size", size, _SIZES)


def _tables_of(example: Example) -> set[ElementId]:
    return {table for gold in example.evidence[:1] for id in gold if (table := id.table) is not None}


def table_rows(examples: Iterable[Example], corpus: Path, engine: Engine | None = None) -> dict[ElementId, int | None]:
    """How many rows the tables have that `by_table_size` asks for, looked up here or by an engine."""
    by_page: dict[str, list[ElementId]] = {}
    for table in sorted({table for example in examples for table in _tables_of(example)}):
        by_page.setdefault(table.page, []).append(table)
    pages = iter(by_page.values())
    some = iter(lambda: list(islice(pages, _TOGETHER)), [])
    with _TableRows(corpus) as count:
        return {table: rows for found in (engine or ThisProcess()).map(count, some) for table, rows in found}


_TOGETHER = 200


@dataclass
class _TableRows:
    """Counts the rows of tables in the corpus at a path, which each process opens for itself."""

    path: Path
    corpus: Store | FeverousDatabase | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path.absolute(), "corpus": None}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.corpus:
            self.corpus.close()

    def __call__(self, pages: Sequence[Sequence[ElementId]]) -> list[tuple[ElementId, int | None]]:
        self.corpus = self.corpus or open_corpus(self.path)
        return [each for tables in pages for each in _rows_of_page(self.corpus, tables)]


def _rows_of_page(
    corpus: Store | FeverousDatabase, tables: Sequence[ElementId]
) -> Iterator[tuple[ElementId, int | None]]:
    try:
        page = corpus.page(tables[0].page)
    except NotFound:
        yield from ((table, None) for table in tables)
        return
    for table in tables:
        try:
            yield table, len(page.table(table.path[0]).rows)
        except NotFound:
            yield table, None


def by_claim_only(partition: Mapping[str, str]) -> Slicing:
    """Claims by whether the claim alone gives the label away: EASY or HARD, by claim id."""
    return Slicing("claim_only", lambda example: partition.get(example.claim.id, "unknown"), _PARTITION)


def partition_of(examples: Sequence[Example], records: Sequence[Mapping[str, Any]] | None = None) -> dict[str, str]:
    """EASY or HARD by claim id: given by the records, or EASY where their predicted label is right.

    Records are those of a file, {"id", "partition"} or {"id", "predicted_label"}; without one, the gold's own records
    may have a `partition`.
    """
    labels = {example.claim.id: example.label for example in examples}
    if records is None:
        parts = {example.claim.id: str(example.record.get("partition")).upper() for example in examples}
        return {id: part for id, part in parts.items() if part in _PARTITION}
    found: dict[str, str] = {}
    for record in records:
        id = id_in(record)
        part, said = record.get("partition"), record.get("predicted_label")
        if part is None and isinstance(said, str) and id in labels:
            label = Label.__members__.get(said.strip().upper().replace(" ", "_")) or said_label(said)
            part = "EASY" if label is labels[id] else "HARD"
        if id in labels and str(part).upper() not in _PARTITION:
            raise InputError(f"the claim {id!r} has neither a partition (EASY or HARD) nor a predicted_label; add one")
        if id in labels:
            found[id] = str(part).upper()
    if not found:
        raise InputError("no id of the claim-only file is in the gold; give the predictions of these claims")
    return found
