"""Claims that were written for Veritab beside short invented documents.

Records name the places that settle a claim: a sentence by its first words, a row by "row: " and its first cell, or
"table" for all of one. One document in twenty is for development: nothing is trained on its claims.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from veritab.datasets.normalise import LABELS, NOT_ENOUGH
from veritab.reason.facts import truncate_facts
from veritab.reason.page import page_reasoning
from veritab.retrieve.candidate_text import candidate_text, row_candidates
from veritab.schema import Evidence, Kind, Table
from veritab.text import content_terms, sentences, squeeze
from veritab.train.examples import SelectorExample, VerdictExample
from veritab.train.sources.context import SourceContext
from veritab.train.sources.derived_facts import WORDS
from veritab.train.sources.evidence import render_elements, render_evidence, tokens
from veritab.verify.compose import Piece
from veritab.verify.evidence import parse_evidence
from veritab.verify.gloss import gloss
from veritab.verify.number_forms import write_as_in, write_numbers

GIVEN = "written/given"
_MOST_NEIGHBOURS = 6
_WITH_TABLE = 0.3
_ROOM = 330
"""Tokens of a document and its neighbours: beyond, what settles a claim might not be read."""
_FEW = 6
_ROW = "row: "
_Record = dict[str, Any]
_Given = Mapping[str, Any]


def given(context: SourceContext, *, distractors: float = 0.5) -> Iterator[VerdictExample]:
    """The claims with the whole of their documents and what follows from the tables.

    As often as `distractors` says, parts of other documents stand beside their own.
    """
    return _whole(context, "train", distractors)


def given_dev(context: SourceContext, *, distractors: float = 0.5) -> Iterator[VerdictExample]:
    """The same of the documents for development."""
    return _whole(context, "dev", distractors)


def given_few(context: SourceContext, *, missing: float = 0.2) -> Iterator[VerdictExample]:
    """The claims beside a few pieces: what settles them, and others of their own and of other documents.

    As often as `missing` says, what settles a claim is not among them, which leaves it open.
    """
    return _few(context, "train", missing)


def given_few_dev(context: SourceContext, *, missing: float = 0.0) -> Iterator[VerdictExample]:
    """The same of the documents for development."""
    return _few(context, "dev", missing)


def given_candidates(context: SourceContext, *, others: int = 6) -> Iterator[SelectorExample]:
    """What settles the claims, the pieces of their documents that are most like them, and some of other documents."""
    return _candidates(context, "train", others)


def given_candidates_dev(context: SourceContext) -> Iterator[SelectorExample]:
    """The same of the documents for development."""
    return _candidates(context, "dev", 20)


# -- documents ---------------------------------------------------------------------------------------------


class _Document:
    """A document as pieces: its sentences and the rows of its tables."""

    def __init__(self, evidence: Sequence[_Given]) -> None:
        self.given = evidence
        self.evidence: Evidence = parse_evidence(list(evidence))
        self.tables: tuple[Table, ...] = self.evidence.tables
        self._rows: list[tuple[Table, int, Piece]] = [
            (table, row, cells) for table in self.tables for row, cells in _rows(table)
        ]
        self.sentences: list[Piece] = [(each,) for each in self.evidence.elements if each.kind is not Kind.TITLE]

    @property
    def pieces(self) -> list[Piece]:
        return [*self.sentences, *(cells for _, _, cells in self._rows)]

    def find(self, places: Sequence[str]) -> list[Piece] | None:
        """The pieces at these places; None where one is not there."""
        found: list[Piece] = []
        for place in places:
            if place == "table":
                own = [cells for _, _, cells in self._rows]
            elif place.startswith(_ROW):
                name = squeeze(place.removeprefix(_ROW))
                own = [cells for _, _, cells in self._rows if cells[0].text == name]
            else:
                own = [piece for piece in self.sentences if piece[0].text.startswith(squeeze(place))]
            if not own:
                return None
            found += own
        return list(dict.fromkeys(found))

    def row_of(self, piece: Piece) -> tuple[Table, int] | None:
        """The table and the row of a piece that is one."""
        return next(((table, row) for table, row, cells in self._rows if cells == piece), None)


def _rows(table: Table) -> Iterator[tuple[int, Piece]]:
    for row, line in enumerate(table.grid):
        cells = tuple(table.element(id) for id in dict.fromkeys(line) if id and id.kind is Kind.CELL)
        if kept := tuple(cell for cell in cells if cell.text):
            yield row, kept


def _documents(context: SourceContext, part: str) -> tuple[list[_Record], dict[str, _Document]]:
    """The records of a part, and its documents by name."""
    records = [record for record in context.data.records(GIVEN) if record["part"] == part]
    return records, {name: _Document(own) for name, own in {r["document"]: r["evidence"] for r in records}.items()}


def _rank(claim: str, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with those first that share most words with the claim."""
    own = set(content_terms(claim))
    return sorted(pieces, key=lambda piece: -len(own.intersection(content_terms(_text(piece)))))


def _text(piece: Piece) -> str:
    return " ".join(element.text for element in piece)


# -- the whole of a document -------------------------------------------------------------------------------


def _whole(context: SourceContext, part: str, distractors: float) -> Iterator[VerdictExample]:
    records, documents = _documents(context, part)
    for record in records:
        rng = context.rng(GIVEN, record["id"])
        evidence = documents[record["document"]].evidence
        if rng.random() < distractors:
            pieces = [*record["evidence"], *_draw_neighbours(documents, record["document"], rng)]
            rng.shuffle(pieces)
            evidence = parse_evidence(pieces)
        claim = squeeze(record["claim"])
        found = page_reasoning(claim, evidence.tables, evidence.elements)
        facts = [fact.text for fact in truncate_facts(found.facts, WORDS)]
        yield _example(claim, render_evidence(claim, evidence, facts), LABELS[record["label"]])


def _example(claim: str, text: str, label: int) -> VerdictExample:
    """A claim and its evidence with numbers written as in use."""
    read = gloss(claim, text)
    return VerdictExample(write_as_in(read, write_numbers(claim)), read, label)


def _draw_neighbours(documents: Mapping[str, _Document], own: str, rng: random.Random) -> Iterator[_Given]:
    """Sentences of other documents, and now and then a table, while there is room: what a search brings besides."""
    room = _ROOM - sum(map(_length, documents[own].given))
    for name in rng.sample(sorted(documents), min(len(documents), rng.randint(1, _MOST_NEIGHBOURS))):
        for piece in documents[name].given if name != own else ():
            if "table" in piece and rng.random() >= _WITH_TABLE:
                continue
            part = piece if "table" in piece else _cut(piece, rng)
            room -= _length(part)
            if room < 0:
                return
            yield part


def _cut(piece: _Given, rng: random.Random) -> _Given:
    """One or two sentences of a text."""
    cut = [piece["text"][start:end] for start, end in sentences(piece["text"])]
    first = rng.randrange(len(cut))
    return {"title": piece["title"], "text": " ".join(cut[first : first + rng.randint(1, 2)])}


def _length(piece: _Given) -> int:
    if "table" not in piece:
        return tokens(f"{piece.get('title', '')} {piece['text']}")
    table = piece["table"]
    return tokens(" ".join([table["caption"], *table["header"], *(cell for row in table["rows"] for cell in row)]))


# -- a few pieces ------------------------------------------------------------------------------------------


def _few(context: SourceContext, part: str, missing: float) -> Iterator[VerdictExample]:
    records, documents = _documents(context, part)
    for record in records:
        document = documents[record["document"]]
        settling = document.find(record["at"])
        if not settling or len(settling) > _FEW:
            context.left_out["not settled by a few pieces" if settling else "not said where it is settled"] += 1
            continue
        rng = context.rng("few", record["id"])
        claim, label = squeeze(record["claim"]), LABELS[record["label"]]
        rest = [piece for piece in document.pieces if piece not in settling]
        if label != NOT_ENOUGH and rng.random() < missing:
            # One wrong part refutes a claim, whatever the others are.
            keeps = len(settling) - 1 if record["label"] == "SUPPORTS" else 0
            settling, label = rng.sample(settling, keeps), NOT_ENOUGH
        wanted = rng.randint(max(len(settling), 2), _FEW)
        near = _rank(claim, rest)[: 2 * _FEW]
        others = rng.sample(near, min(len(near), max(0, wanted - len(settling))))
        if rng.random() < 0.5 and others:
            others[-1:] = [rng.choice(documents[rng.choice(sorted(documents))].pieces)]
        pieces = _rank(claim, [*settling, *others])
        if rng.random() < 0.3:
            rng.shuffle(pieces)
        yield _example(claim, render_elements([element for piece in pieces for element in piece]), label)


# -- candidates --------------------------------------------------------------------------------------------


def _candidates(context: SourceContext, part: str, others: int) -> Iterator[SelectorExample]:
    records, documents = _documents(context, part)
    for record in records:
        document = documents[record["document"]]
        settling = document.find(record["at"])
        if not settling:
            context.left_out["not said where it is settled"] += 1
            continue
        rng = context.rng("candidates", record["id"])
        claim = squeeze(record["claim"])
        near = _rank(claim, [piece for piece in document.pieces if piece not in settling])[:others]
        for piece in rng.sample(settling, min(len(settling), others)):
            yield _candidate(claim, document, piece, relevant=True)
        for piece in near:
            yield _candidate(claim, document, piece, relevant=False)
        for _ in range(others // 2):
            other = documents[rng.choice(sorted(documents))]
            if other is not document:
                yield _candidate(claim, other, _rank(claim, other.pieces)[0], relevant=False)


def _candidate(claim: str, document: _Document, piece: Piece, *, relevant: bool) -> SelectorExample:
    place = document.row_of(piece)
    if place is None:
        return SelectorExample(claim, candidate_text(piece[0]), relevant, ())
    table, row = place
    text, _ = row_candidates(table, [row])[0]
    # Which of its cells matter is not said.
    return SelectorExample(claim, text._replace(spans=()), relevant, ())
