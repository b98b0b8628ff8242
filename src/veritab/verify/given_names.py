"""Reads claims with names in the place of descriptions by the evidence that comes with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from veritab.schema import Claim, Element, Evidence, Hit, ReadClaim, Table
from veritab.text import terms
from veritab.verify.evidence import DESCRIPTION
from veritab.verify.model import PairScorer
from veritab.verify.name_kinds import PageSummary
from veritab.verify.resolve import DescriptionReader

_MOST_ROWS, _MOST_TEXTS = 3, 20
_MOST_SCANNED = 2000


def read_given(claims: Sequence[Claim], evidence: Sequence[Evidence], model: PairScorer) -> list[ReadClaim]:
    """Each claim with the names that its own evidence says."""
    return [_read(model, *each) for each in zip(claims, evidence, strict=True)]


def _read(model: PairScorer, claim: Claim, evidence: Evidence) -> ReadClaim:
    def page_of(name: str) -> PageSummary | None:
        """What the evidence has of the page of a name."""
        tables = [table for table in evidence.tables if table.id.page == name]
        first = [each for each in evidence.elements if each.id.page == name and each.id.path == (0,)]
        return PageSummary.of(tables, first) if tables or first else None

    def gather(wanted: Claim) -> Evidence:
        return evidence if wanted == claim else put_best_first(wanted.text, evidence)

    return DescriptionReader(page_of, model).read(claim, gather)[0]


def put_best_first(wanted: str, evidence: Evidence) -> Evidence:
    """The evidence with the texts and rows first that share most words with what is wanted."""
    own = frozenset(terms(wanted))
    hits = [
        *evidence.hits,
        *(Hit(cell, 1.0, DESCRIPTION) for table in evidence.tables for cell in _best_cells(table, own)),
    ]
    unique = {hit.element.id: hit for hit in hits[:_MOST_SCANNED]}.values()
    scored = [(_overlap(own, hit.element), hit) for hit in unique]
    scored.sort(key=lambda pair: -pair[0])
    return replace(evidence, hits=tuple(hit for score, hit in scored if score)[:_MOST_TEXTS])


def _best_cells(table: Table, wanted: frozenset[str]) -> Iterator[Element]:
    """The cells of the rows that share most words with what is wanted."""
    texts = [" ".join(cell.text for cell in row) for row in table.rows[:_MOST_SCANNED]]
    scores = [len(wanted.intersection(terms(text))) for text in texts]
    best = sorted((row for row, score in enumerate(scores) if score), key=lambda row: -scores[row])
    for row in best[:_MOST_ROWS]:
        ids = dict.fromkeys(table.cell_id((row, column)) for column in range(len(table.rows[row])))
        yield from (table.element(id) for id in ids)


def _overlap(wanted: frozenset[str], element: Element) -> int:
    around = " ".join(near.text for near in element.context)
    return len(wanted.intersection(terms(f"{element.text} {around}")))
