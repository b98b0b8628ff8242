"""A model's verdicts: evidence is rendered, read, calibrated, joined with what was computed, and answered for.

The model reads all the evidence of a claim together, or piece by piece with its logits averaged (FM2, section 5.2).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from veritab.errors import FormatError, InputError
from veritab.models.pair_tokens import room_beside
from veritab.reason.facts import Fact
from veritab.reason.page import page_reasoning
from veritab.reason.reasoner import Reasoning
from veritab.schema import Claim, Element, ElementId, Hit, Kind, Label, Verdict
from veritab.text import squeeze
from veritab.verify.calibration import DEFAULT, Calibration, NotEnough, Ways, scores_of, two_way
from veritab.verify.reading import CELLS, Given, Piece, facts_that_fit, one_by_one, pieces, table_id, together
from veritab.verify.render import Rendered
from veritab.verify.voting import Weights, alone, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veritab.models.card import Card

Reading: TypeAlias = Literal["together", "one by one"]

NO_EVIDENCE = "no evidence was given"
NO_CLAIM = "the claim says nothing"
NOT_LATIN = "the model reads English; the claim is written in another script"
NO_NUMBER = "the model gave no number for this claim and its evidence"

_MOST_NAMED = 100
_DIGITS = 12
_NOTHING: dict[Label, float] = {Label.SUPPORTS: 0.0, Label.REFUTES: 0.0, Label.NOT_ENOUGH_INFO: 1.0}


class ReadsPairs(Protocol):
    """A model that reads a claim and a text; `veritab.models.open_verdict` opens one."""

    @property
    def card(self) -> Card: ...
    @property
    def max_length(self) -> int: ...
    def length(self, text: str) -> int: ...
    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]: ...


class _Prepared(NamedTuple):
    """What is known of a claim before the model reads anything."""

    claim: Claim
    given: Given
    reasoning: Reasoning | None = None
    facts: tuple[Fact, ...] = ()
    texts: tuple[Rendered, ...] = ()
    unread: str = NO_EVIDENCE
    """Why the model reads nothing, where there are no texts."""

    @property
    def votes(self) -> Reasoning | None:
        """What was computed, where it decides."""
        return self.reasoning if self.reasoning and self.reasoning.answer is not None else None

    @property
    def used(self) -> list[ElementId]:
        """What was read; a title says nothing by itself."""
        ids = (id for rendered in self.texts for id in rendered.used)
        return list(dict.fromkeys(id for id in ids if id.kind is not Kind.TITLE))

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
    """Whether the model reads rows of whole tables; those that facts read out are not read twice."""
    vote: bool = True
    """Whether the reasoner's answer moves the scores."""
    ways: Ways = 3
    nei: NotEnough | None = None
    """What becomes of NOT ENOUGH INFO where there are two labels; the calibration says it unless it is given."""
    profile: str = DEFAULT
    """Which of the calibrations in the card of the model is used."""
    calibration: Calibration | None = None
    """How logits are read, where it is not the card that says it."""

    def __post_init__(self) -> None:
        _one_of("reading", self.reading, ("together", "one by one"))
        _one_of("ways", self.ways, (2, 3))
        _one_of("nei", self.nei, (None, "excluded", "merged"))
        if self.pieces < 1:
            raise InputError(f"{self.pieces} pieces are too few to read; expected 1 or more")
        if self.calibration and self.profile != DEFAULT:
            raise InputError(f"a calibration and the profile {self.profile!r} were given; give one of them")
        _ = self.fitted

    @classmethod
    def open(cls, model: str | Path = "verdict", *, threads: int | None = None, **settings: Any) -> ModelVerifier:
        """A verifier with the model of this name or in this folder."""
        from veritab.models import open_verdict

        return cls(open_verdict(model, threads), **settings)

    @cached_property
    def fitted(self) -> Calibration:
        """The calibration in use."""
        card = self.model.card
        try:
            return self.calibration or Calibration.of(card.calibration, self.profile)
        except (FormatError, InputError) as error:
            raise type(error)(f"in the card of {card.name!r}: {error}") from None

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
        if not _says_something(asked):
            return _Prepared(claim, given, unread=NO_CLAIM)
        if not (given.elements or given.tables):
            return _Prepared(claim, given)
        told = self.facts and given.tables
        reasoning = page_reasoning(asked, given.tables, given.elements) if self.vote or told else None
        if not _is_latin(asked):
            return _Prepared(claim, given, reasoning if self.vote else None, unread=NOT_LATIN)
        room, shown = room_beside(self.model.length(asked), self.model.max_length), given.shown
        facts = _about(reasoning, shown) if reasoning and told else ()
        said = [fact.text for fact in facts]
        fitting = facts_that_fit(said, room, self.model.length)
        read = pieces(asked, shown, with_rows=self.rows, with_facts=bool(fitting))
        texts = tuple(each for each in self._texts(read, said[:fitting], room) if each.text)
        kept = tuple(fact for fact in facts[:fitting] if any(fact.text in each.text for each in texts))
        return _Prepared(claim, given, reasoning if self.vote else None, kept, texts)

    def _texts(self, read: Sequence[Piece], facts: Sequence[str], room: int) -> list[Rendered]:
        if self.reading == "together":
            return [together(read, facts, room, self.model.length)]
        return one_by_one(read, facts, room, self.model.length, self.pieces)

    # -- what it says

    def _verdict(self, prepared: _Prepared, logits: Sequence[Any]) -> Verdict:
        claim, certificate = prepared.claim, self._certificate(prepared)
        if not prepared.texts:
            return self._unread(prepared, certificate)
        mean = _mean(logits)
        if mean is None:
            return Verdict(claim, Label.NOT_ENOUGH_INFO, _NOTHING, (), (NO_NUMBER,), certificate)
        scores = self._scores(mean, prepared.votes)
        label = self.fitted.label(scores, ways=self.ways)
        lines = (*_computed(prepared.votes, label), *_ahead(scores, label), _read(prepared))
        return Verdict(claim, label, scores, tuple(self._hits(prepared, scores[label])), lines, certificate)

    def _unread(self, prepared: _Prepared, certificate: dict[str, Any]) -> Verdict:
        """What is said where the model read nothing; numbers in another script can still be computed with."""
        claim, votes, why = prepared.claim, prepared.votes, prepared.unread
        if not votes or why != NOT_LATIN:
            return Verdict(claim, Label.NOT_ENOUGH_INFO, _NOTHING, (), (why,), certificate)
        scores = alone(votes) if self.ways == 3 else two_way(alone(votes))
        hits = tuple(self._hits(prepared, scores[votes.label]))
        return Verdict(claim, votes.label, scores, hits, (*votes.lines, why), certificate)

    def _scores(self, logits: Any, computed: Reasoning | None) -> dict[Label, float]:
        scores = scores_of(self.fitted.probabilities(logits))
        if computed:
            scores = joined(scores, computed, Weights(self.fitted.reader, self.fitted.reasoner))
        return two_way(scores, self.nei or self.fitted.nei) if self.ways == 2 else scores

    def _hits(self, prepared: _Prepared, score: float) -> Iterator[Hit]:
        """First what the computation rests on, then what the model read."""
        known = Known(prepared.given)
        computed = prepared.votes
        cells = dict.fromkeys(computed.cells) if computed else {}
        for element in known.found(cells):
            yield Hit(element, computed.confidence if computed else 0.0, "reasoner")
        for element in known.found(id for id in prepared.used if id not in cells):
            yield Hit(element, score, self.model.card.name)

    def _certificate(self, prepared: _Prepared) -> dict[str, Any]:
        card, dropped = self.model.card, prepared.dropped
        computed = {"computed": str(prepared.votes.label)} if prepared.votes else {}
        return {
            **computed,
            "model": card.name,
            "sha256": card.files.get("model.onnx", "")[:_DIGITS],
            "profile": self.profile if self.calibration is None else "",
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


def _computed(votes: Reasoning | None, label: Label) -> Iterator[str]:
    """What was computed, in lines; nobody should take it for the reason of a verdict that it speaks against."""
    if votes:
        before = "" if votes.label is label else "overruled by the model: "
        yield from (f"{before}{line}" for line in votes.lines)


def _ahead(scores: Mapping[Label, float], label: Label) -> Iterator[str]:
    """Says why the label is not the one with the highest score, where it is not."""
    best = max(scores, key=scores.__getitem__)
    if scores[best] > scores[label]:
        yield f"{best} has a higher score, {100 * scores[best]:.0f} %, but the calibration of the model asks more of it"


def _read(prepared: _Prepared) -> str:
    """What the model read, in a line."""
    used, facts, dropped = len(prepared.used), len(prepared.facts), len(prepared.dropped)
    said = [f"{used} piece{'s' * (used != 1)} of evidence"] if used else []
    said += [f"{facts} derived fact{'s' * (facts != 1)}"] if facts else []
    return f"the model read {' and '.join(said)}{f'; there was no room for {dropped} more' if dropped else ''}"


def _about(reasoning: Reasoning, shown: Given) -> tuple[Fact, ...]:
    """The facts that are worked out from tables the model is shown, and what the computation rests on."""
    near = {table.id for table in shown.tables}
    decisive = set(reasoning.cells) if reasoning.answer is not None else set()
    return tuple(
        fact
        for fact in reasoning.facts
        if any(cell.table in near for cell in fact.cells) or (decisive and set(fact.cells) <= decisive)
    )


def _is_latin(claim: str) -> bool:
    """Whether half of the letters or more are Latin, as those of names in a claim need not be."""
    letters = Counter(filter(str.isalpha, claim))
    latin = sum(times for letter, times in letters.items() if "LATIN" in unicodedata.name(letter, ""))
    return 2 * latin >= letters.total()


def _says_something(claim: str) -> bool:
    return any(map(str.isalnum, claim))


def _one_of(name: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise InputError(f"{name} is {value!r}; expected {' or '.join(repr(each) for each in known if each)}")


# -- the evidence ------------------------------------------------------------------------------------------


class Known:
    """The elements of the evidence by their addresses, cells of tables among them."""

    def __init__(self, given: Given) -> None:
        self._elements = {element.id: element for element in given.elements}
        self._tables = {table.id: table for table in given.tables}

    def found(self, ids: Iterable[ElementId]) -> Iterator[Element]:
        for id in ids:
            table = self._tables.get(table_id(id))
            if id in self._elements:
                yield self._elements[id]
            elif table and id.kind in CELLS:
                yield table.element(id)
            elif table and id.kind is Kind.TABLE_CAPTION and table.caption_element:
                yield table.caption_element
