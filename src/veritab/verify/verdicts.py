"""A model's verdicts: evidence is rendered, read, calibrated, joined with what was computed, and answered for.

The model reads all the evidence of a claim together, or piece by piece with its logits averaged (FM2, section 5.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from veritab.errors import InputError
from veritab.reason.facts import Fact, first_words
from veritab.reason.page import page_reasoning
from veritab.reason.reasoner import Reasoning
from veritab.schema import Claim, Element, ElementId, Hit, Kind, Label, Table, Verdict
from veritab.text import squeeze
from veritab.verify.calibration import Calibration, NotEnough, Ways, scores_of, two_way
from veritab.verify.render import Rendered, render
from veritab.verify.rows import nearest, rows
from veritab.verify.voting import Weights, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veritab.models.card import Card

Reading: TypeAlias = Literal["together", "one by one"]
_Piece: TypeAlias = tuple[Element, ...]

NO_EVIDENCE = "no evidence was given"
NO_CLAIM = "the claim says nothing"
NO_NUMBER = "the model gave no number for this claim and its evidence"

_FACT_WORDS = 200
_FACT_SHARE = 200 / 320
# What a template adds to two texts, and the least room that evidence has beside a long claim.
_SPECIALS = 4
_LEAST_ROOM = 64 - _SPECIALS
_MOST_NAMED = 100
_DIGITS = 12
_CELLS = frozenset({Kind.CELL, Kind.HEADER_CELL})
_SAID = frozenset({Kind.SENTENCE, Kind.PASSAGE, Kind.ITEM})
_MOST_TABLES = 12
_SAMPLE = 200
_NOTHING: dict[Label, float] = {Label.SUPPORTS: 0.0, Label.REFUTES: 0.0, Label.NOT_ENOUGH_INFO: 1.0}


class ReadsPairs(Protocol):
    """A model that reads a claim and a text; `veritab.models.open_verdict` opens one."""

    @property
    def card(self) -> Card: ...
    @property
    def max_length(self) -> int: ...
    def length(self, text: str) -> int: ...
    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]: ...


class Given(NamedTuple):
    """The evidence for one claim: elements, and tables as a whole. `ordered` says that the best elements come first."""

    elements: Sequence[Element] = ()
    tables: Sequence[Table] = ()
    ordered: bool = False


class _Prepared(NamedTuple):
    """What is known of a claim before the model reads anything."""

    claim: Claim
    given: Given
    reasoning: Reasoning | None = None
    facts: tuple[Fact, ...] = ()
    texts: tuple[Rendered, ...] = ()

    @property
    def votes(self) -> Reasoning | None:
        """What was computed, where it decides."""
        return self.reasoning if self.reasoning and self.reasoning.answer is not None else None

    @property
    def used(self) -> list[ElementId]:
        return list(dict.fromkeys(id for rendered in self.texts for id in rendered.used))

    @property
    def dropped(self) -> list[ElementId]:
        return [id for rendered in self.texts for id in rendered.dropped]


@dataclass(frozen=True)
class ModelVerifier:
    """Judges claims with a model; `ModelVerifier.open()` takes the one that ships, or the one in a folder."""

    model: ReadsPairs
    reading: Reading = "together"
    pieces: int = 5
    """How many pieces are read one by one."""
    facts: bool = True
    """Whether the model reads what was worked out from whole tables."""
    rows: bool = True
    """Whether the model reads rows of whole tables."""
    vote: bool = True
    """Whether the reasoner's answer moves the scores."""
    ways: Ways = 3
    nei: NotEnough = "excluded"
    """What becomes of NOT ENOUGH INFO where there are two labels."""
    calibration: Calibration | None = None
    """How logits are read; the card of the model says it unless another is given."""

    def __post_init__(self) -> None:
        _one_of("reading", self.reading, ("together", "one by one"))
        _one_of("ways", self.ways, (2, 3))
        _one_of("nei", self.nei, ("excluded", "merged"))
        if self.pieces < 1:
            raise InputError(f"{self.pieces} pieces are too few to read; expected 1 or more")

    @classmethod
    def open(cls, model: str | Path = "verdict", *, threads: int | None = None, **settings: Any) -> ModelVerifier:
        """A verifier with the model of this name or in this folder."""
        from veritab.models import open_verdict

        return cls(open_verdict(model, threads), **settings)

    @cached_property
    def fitted(self) -> Calibration:
        """The calibration in use."""
        return self.calibration or Calibration.of(self.model.card.calibration)

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Sequence[Hit]]) -> list[Verdict]:
        """What the evidence found for each claim, best first, says of it."""
        return self.judge(claims, [Given([hit.element for hit in hits], ordered=True) for hits in evidence])

    def judge(self, claims: Sequence[Claim], given: Sequence[Given]) -> list[Verdict]:
        """What elements and whole tables say of each claim; the model is asked once for all of them."""
        prepared = [self._prepare(claim, each) for claim, each in zip(claims, given, strict=True)]
        pairs = [(each.claim.text, rendered.text) for each in prepared for rendered in each.texts]
        logits = iter(self.model.logits(pairs) if pairs else ())
        return [self._verdict(each, [next(logits) for _ in each.texts]) for each in prepared]

    # -- what the model reads

    def _prepare(self, claim: Claim, given: Given) -> _Prepared:
        asked = squeeze(claim.text)
        if not _says_something(asked) or not (given.elements or given.tables):
            return _Prepared(claim, given)
        told = self.facts and given.tables
        reasoning = page_reasoning(asked, given.tables, given.elements) if self.vote or told else None
        room = max(self.model.max_length - _SPECIALS - self.model.length(asked), _LEAST_ROOM)
        facts = self._first(reasoning.facts, int(room * _FACT_SHARE)) if reasoning and told else ()
        pieces = self._pieces(asked, given)
        read = self._together if self.reading == "together" else self._one_by_one
        texts = tuple(each for each in read(pieces, [fact.text for fact in facts], room) if each.text)
        kept = tuple(fact for fact in facts if any(fact.text in each.text for each in texts))
        return _Prepared(claim, given, reasoning if self.vote else None, kept, texts)

    def _first(self, facts: Sequence[Fact], room: int) -> tuple[Fact, ...]:
        """The first facts, as many as leave room for what they were worked out from and for what stands beside it."""
        kept = first_words(facts, _FACT_WORDS)
        lengths = accumulate(self.model.length(fact.text) for fact in kept)
        return kept[: sum(length <= room for length in lengths)]

    def _together(self, pieces: Sequence[_Piece], facts: Sequence[str], room: int) -> list[Rendered]:
        every = [element for piece in pieces for element in piece]
        return [render(every, facts=facts, most=room, length=self.model.length)]

    def _one_by_one(self, pieces: Sequence[_Piece], facts: Sequence[str], room: int) -> list[Rendered]:
        """Each of the best pieces by itself; the facts of whole tables are a piece too, and come first."""
        told = [piece for piece in pieces if piece[0].kind is not Kind.TITLE]
        kept = told[: self.pieces - bool(facts)]
        texts = [render((), facts=facts, most=room, length=self.model.length)] if facts else []
        texts += [render(piece, most=room, length=self.model.length) for piece in kept]
        left = tuple(element.id for piece in told[len(kept) :] for element in piece)
        return [*texts[:-1], texts[-1]._replace(dropped=texts[-1].dropped + left)] if texts else []

    def _pieces(self, claim: str, given: Given) -> list[_Piece]:
        """The evidence with the best first; cells of one row stay together."""
        if given.ordered:
            said = list(_by_row(given.elements))
        else:
            said = [(element,) for element in given.elements if element.kind in _SAID]
            said = [said[place] for place in nearest([element.text for (element,) in said], claim)]
        tables = _nearest_tables(given.tables, claim)
        lines = [line for table in tables for line in _by_row(rows(table, claim))] if self.rows else []
        heads = [tuple(head for table in tables for head in _headline(table))] if tables else []
        return [*heads, *_alternating(said, lines)]

    # -- what it says

    def _verdict(self, prepared: _Prepared, logits: Sequence[Any]) -> Verdict:
        claim, certificate = prepared.claim, self._certificate(prepared)
        if not prepared.texts:
            why = NO_EVIDENCE if _says_something(claim.text) else NO_CLAIM
            return Verdict(claim, Label.NOT_ENOUGH_INFO, _NOTHING, (), (why,), certificate)
        mean = _mean(logits)
        if mean is None:
            return Verdict(claim, Label.NOT_ENOUGH_INFO, _NOTHING, (), (NO_NUMBER,), certificate)
        scores = self._scores(mean, prepared.votes)
        label = self.fitted.label(scores, ways=self.ways)
        lines = (*(prepared.votes.lines if prepared.votes else ()), _read(prepared))
        return Verdict(claim, label, scores, tuple(self._hits(prepared, scores[label])), lines, certificate)

    def _scores(self, logits: Any, computed: Reasoning | None) -> dict[Label, float]:
        scores = scores_of(self.fitted.probabilities(logits))
        if computed:
            scores = joined(scores, computed, Weights(self.fitted.reader, self.fitted.reasoner))
        return two_way(scores, self.nei) if self.ways == 2 else scores

    def _hits(self, prepared: _Prepared, score: float) -> Iterator[Hit]:
        """First what the computation rests on, then what the model read."""
        known = _Known(prepared.given)
        computed = prepared.votes
        cells = dict.fromkeys(computed.cells) if computed else {}
        for element in known.found(cells):
            yield Hit(element, computed.confidence if computed else 0.0, "reasoner")
        for element in known.found(id for id in prepared.used if id not in cells and id.kind is not Kind.TITLE):
            yield Hit(element, score, self.model.card.name)

    def _certificate(self, prepared: _Prepared) -> dict[str, Any]:
        card, dropped = self.model.card, prepared.dropped
        return {
            "model": card.name,
            "sha256": card.files.get("model.onnx", "")[:_DIGITS],
            "temperature": self.fitted.temperature,
            "reading": self.reading,
            "tokens": sum(self.model.length(rendered.text) for rendered in prepared.texts),
            "dropped": [str(id) for id in dropped[:_MOST_NAMED]],
            "dropped_in_all": len(dropped),
            "facts": [{"text": fact.text, "cells": [str(cell) for cell in fact.cells]} for fact in prepared.facts],
        }


def _mean(logits: Sequence[Any]) -> Any:
    """The mean of the logits that say something; None where none does, as three zeros for a broken answer."""
    import numpy as np

    rows = [np.asarray(row, dtype=np.float64) for row in logits]
    said = [row for row in rows if np.isfinite(row).all() and row.any()]
    return np.mean(said, axis=0) if said else None


def _read(prepared: _Prepared) -> str:
    """What the model read, in a line."""
    used, facts, dropped = len(prepared.used), len(prepared.facts), len(prepared.dropped)
    said = [f"{used} piece{'s' * (used != 1)} of evidence"] if used else []
    said += [f"{facts} derived fact{'s' * (facts != 1)}"] if facts else []
    return f"the model read {' and '.join(said)}{f'; there was no room for {dropped} more' if dropped else ''}"


def _says_something(claim: str) -> bool:
    return any(map(str.isalnum, claim))


def _one_of(name: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise InputError(f"{name} is {value!r}; expected {' or '.join(map(repr, known))}")


# -- the evidence ------------------------------------------------------------------------------------------


class _Known:
    """The elements of the evidence by their addresses, cells of tables among them."""

    def __init__(self, given: Given) -> None:
        self._elements = {element.id: element for element in given.elements}
        self._tables = {table.id: table for table in given.tables}

    def found(self, ids: Iterable[ElementId]) -> Iterator[Element]:
        for id in ids:
            table = self._tables.get(ElementId(id.page, Kind.TABLE, id.path[:1])) if id.path else None
            if id in self._elements:
                yield self._elements[id]
            elif table and id.kind in _CELLS:
                yield table.element(id)
            elif table and id.kind is Kind.TABLE_CAPTION and table.caption_element:
                yield table.caption_element


def _headline(table: Table) -> list[Element]:
    """What stands above a table: the title of its page, and its caption."""
    title = Element(ElementId(table.id.page, Kind.TITLE), table.id.page)
    return [title, table.caption_element] if table.caption_element else [title]


def _nearest_tables(tables: Sequence[Table], claim: str) -> list[Table]:
    """The tables, of many the ones that share most with the claim."""
    if len(tables) <= _MOST_TABLES:
        return list(tables)
    texts = [" ".join(islice((cell.text for row in table.rows for cell in row), _SAMPLE)) for table in tables]
    return [tables[place] for place in nearest(texts, claim)[:_MOST_TABLES]]


def _by_row(elements: Iterable[Element]) -> Iterator[_Piece]:
    """Each element by itself, but cells that follow each other in one row together."""
    for _, run in groupby(elements, key=_row):
        yield tuple(run)


def _row(element: Element) -> tuple[object, ...]:
    return element.id.page, element.id.path[:2], None if element.kind in _CELLS else element.kind


def _alternating(one: Sequence[_Piece], other: Sequence[_Piece]) -> Iterator[_Piece]:
    """The pieces of both, each in its order, by turns: where room is short, neither side takes all of it."""
    for pair in zip_longest(one, other):
        yield from filter(None, pair)
