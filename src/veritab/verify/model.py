"""Reads claims against evidence with a cross-encoder: evidence is composed, scored, and calibrated.

The model reads all the evidence of a claim together, or piece by piece with its logits averaged (FM2, section 5.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from veritab.errors import FormatError, InputError
from veritab.models.pair_tokens import claim_room, room_beside
from veritab.quantities import Date
from veritab.schema import (
    Claim,
    DerivedFact,
    ElementId,
    Evidence,
    Kind,
    Label,
    ModelUse,
    PieceReading,
    Reading,
    Reason,
    Unsettled,
)
from veritab.settings import ReadingMode
from veritab.text import squeeze
from veritab.verify.calibrate import DEFAULT, Calibration, best_label, scores_of
from veritab.verify.combine import Combiners
from veritab.verify.compose import (
    TEXT_KINDS,
    Piece,
    best_pieces,
    chunk_texts,
    count_fitting_facts,
    group_by_row,
    rank_pieces,
    render_one_by_one,
    render_pieces,
)
from veritab.verify.evidence import DESCRIPTION, NAMED
from veritab.verify.gloss import MOST_NOTES, find_births, gloss
from veritab.verify.language import OTHER_SCRIPT, is_latin
from veritab.verify.number_forms import write_as_in, write_numbers
from veritab.verify.reasons import join_unique, say_together, say_what_speaks
from veritab.verify.render import Rendered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veritab.models.card import Card

NOTHING_TO_READ = Unsettled(Reason.NO_EVIDENCE, "the evidence holds nothing to read")
NO_SCORES = Unsettled(Reason.NO_SCORES, "the model gave no number for this claim and its evidence")

_MOST_NAMED = 100
_ALONE = 1
_FEW = 6
_DIGITS = 12


class PairScorer(Protocol):
    """A model that scores a claim and a text; `veritab.models.open_verdict` opens one."""

    @property
    def card(self) -> Card: ...
    @property
    def max_length(self) -> int: ...
    def length(self, text: str) -> int: ...
    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]: ...


class ModelInput(NamedTuple):
    """What the model reads for one claim, or why it reads nothing."""

    claim: str
    texts: tuple[Rendered, ...] = ()
    alone: tuple[Rendered, ...] = ()
    """The best pieces by themselves."""
    few: tuple[Rendered, ...] = ()
    """The best few pieces together; one text or none."""
    facts: tuple[DerivedFact, ...] = ()
    unsettled: Unsettled | None = None
    quoted: tuple[Piece, ...] = ()
    """The pieces that are read alone, to be named; the only one where there is no other."""
    unread: int = 0
    """How many tokens of the claim itself there was no room for."""
    is_given: bool = False
    """Whether a caller gave the evidence, who should know where some of it was not read."""

    @property
    def used(self) -> tuple[ElementId, ...]:
        """What is read; a title says nothing by itself."""
        ids = (id for rendered in self.texts for id in rendered.used)
        return tuple(dict.fromkeys(id for id in ids if id.kind is not Kind.TITLE))

    @property
    def every_text(self) -> list[str]:
        return [each.text for each in (*self.texts, *self.alone, *self.few)]

    @property
    def dropped(self) -> tuple[ElementId, ...]:
        return tuple(id for rendered in self.texts for id in rendered.dropped)


@dataclass(frozen=True)
class ModelVerifier:
    """Reads claims with a model; `ModelVerifier.open()` takes the one that ships, or the one in a folder."""

    model: PairScorer
    reading: ReadingMode = "together"
    pieces: int = 5
    """How many pieces are read one by one."""
    alone: int | None = None
    """How many of the best pieces are read alone too, beside all together; None reads as many as a combiner weighs."""
    facts: bool = True
    """Whether the model reads facts derived from whole tables."""
    rows: bool = True
    """Whether the model reads rows of whole tables; those that facts state are not read twice."""
    brief_when_computed: bool = True
    """Whether only the best pieces are read where a computation decides, which is enough to tell whether both agree."""
    chunked: bool = False
    """Whether texts that are too long to be read whole are read to their end, chunk by chunk, where the sentences most
    like the claim leave it open; the chunk that says most about the claim, for or against, then counts. Where those
    settle it already, reading on finds more that seems to support it than that does."""
    profile: str = DEFAULT
    """Which of the calibrations in the card of the model is used."""
    given_calibration: Calibration | None = None
    """A calibration instead of the card's."""

    def __post_init__(self) -> None:
        if self.reading not in ("together", "one by one"):
            raise InputError(f"reading is {self.reading!r}; expected 'together' or 'one by one'")
        if self.pieces < 1:
            raise InputError(f"{self.pieces} pieces are too few to read; expected 1 or more")
        if self.given_calibration and self.profile != DEFAULT:
            raise InputError(f"a calibration and the profile {self.profile!r} were given; give one of them")
        _ = self.calibration  # a profile that the card lacks is an error now, not at the first claim

    @classmethod
    def open(cls, model: str | Path = "verdict", *, threads: int | None = None, **settings: Any) -> ModelVerifier:
        """A verifier with the model of this name or in this folder."""
        from veritab.models import open_verdict

        return cls(open_verdict(model, threads), **settings)

    @cached_property
    def calibration(self) -> Calibration:
        """The calibration in use."""
        card = self.model.card
        try:
            return self.given_calibration or Calibration.of(card.calibration, self.profile)
        except (FormatError, InputError) as error:
            raise type(error)(f"in the card of {card.name!r}: {error}") from None

    @cached_property
    def combiners(self) -> Combiners | None:
        """The combiners of the card, which belong to its default profile."""
        if self.profile != DEFAULT or self.given_calibration or self.reading != "together":
            return None
        try:
            return Combiners.read(self.model.card.combiner)
        except FormatError as error:
            raise FormatError(f"in the card of {self.model.card.name!r}: {error}") from None

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
        """The probabilities of the labels for each claim; the model is run once for all of them."""
        inputs = [self.compose(claim, each) for claim, each in zip(claims, evidence, strict=True)]
        readings = self._read_all(inputs)
        if not self.chunked:
            return readings
        chunks = [
            self._compose_chunks(claim, own, is_whole=not read.dropped) if _leaves_open(reading) else []
            for claim, own, read, reading in zip(claims, evidence, inputs, readings, strict=True)
        ]
        more = iter(self._read_all([each for several in chunks for each in several]))
        return [
            min((reading, *islice(more, len(several))), key=_openness)
            for reading, several in zip(readings, chunks, strict=True)
        ]

    def _read_all(self, inputs: Sequence[ModelInput]) -> list[Reading]:
        pairs = [(each.claim, text) for each in inputs for text in each.every_text]
        logits = iter(self.model.logits(pairs) if pairs else ())
        return [self._read(each, [next(logits) for _ in each.every_text]) for each in inputs]

    def compose(self, claim: Claim, evidence: Evidence) -> ModelInput:
        """What the model reads for a claim; training examples are made of it too."""
        text = squeeze(claim.text)
        if not is_latin(text):
            return ModelInput(claim.text, unsettled=OTHER_SCRIPT)
        room, length = room_beside(self.model.length(text), self.model.max_length), self.model.length
        facts = _relevant_facts(evidence) if self.facts else ()
        fitting = count_fitting_facts([fact.text for fact in facts], room, length, ranked=evidence.ranked)
        facts = facts[:fitting]
        stated = [fact.text for fact in facts]
        pieces = rank_pieces(text, evidence, with_rows=self.rows, with_facts=bool(facts))
        count = self.alone if self.alone is not None else _ALONE if self.combiners else 0
        if count and self.brief_when_computed and evidence.ranked and _is_computed(evidence):
            pieces, facts, stated, count = self._best_pieces(text, evidence), (), [], 0
        if self.reading == "together":
            rendered = [render_pieces(pieces, stated, room, length)]
        else:
            rendered = render_one_by_one(pieces, stated, room, length, self.pieces)
        texts = tuple(each for each in rendered if each.text)
        read = tuple(fact for fact in facts if any(write_numbers(fact.text) in each.text for each in texts))
        alone, few = self._read_few(text, evidence, room, count) if count and texts else ([], [])
        # Each text once.
        few = [each for each in few if each.text != texts[0].text]
        alone = [each for each in alone if each.text not in (texts[0].text, *(other.text for other in few))]
        births = find_births(text, evidence)

        def glossed(rendered: Iterable[Rendered]) -> tuple[Rendered, ...]:
            return tuple(each._replace(text=self._gloss(text, each.text, births, room)) for each in rendered)

        quoted = tuple(tuple(evidence.find(each.used)) for each in alone or ([] if read else texts))
        quoted = tuple(piece for piece in quoted if len(list(group_by_row(piece))) == 1)
        unread = max(0, self.model.length(text) - claim_room(self.model.max_length))
        unsettled = None if texts else NOTHING_TO_READ
        said, is_given = (glossed(texts), glossed(alone), glossed(few)), not evidence.ranked
        as_read = write_as_in(" ".join(each.text for each in texts), write_numbers(text))
        return ModelInput(as_read, *said, read, unsettled, quoted, unread, is_given)

    def _compose_chunks(self, claim: Claim, evidence: Evidence, *, is_whole: bool) -> list[ModelInput]:
        """The texts of evidence that is not read whole, from the first to the last, in chunks that are."""
        room = room_beside(self.model.length(squeeze(claim.text)), self.model.max_length)
        elements = [hit.element for hit in evidence.hits if hit.element.kind in TEXT_KINDS]
        chunks = list(chunk_texts(elements, room, self.model.length))
        if is_whole and len(chunks) < 2:
            return []
        once = replace(self, alone=0)  # a chunk is read once, and not its best piece alone too
        return [once.compose(claim, Evidence.of(chunk)) for chunk in chunks]

    def _gloss(self, claim: str, text: str, births: Mapping[str, Date], room: int) -> str:
        """A text with as many notes beside its numbers as there is room for."""
        for most in (MOST_NOTES, MOST_NOTES // 3):
            glossed = gloss(claim, text, births, most)
            if glossed == text or self.model.length(glossed) <= room:
                return glossed
        return text

    def _read_few(self, claim: str, evidence: Evidence, room: int, count: int) -> tuple[list[Rendered], list[Rendered]]:
        """The best pieces by themselves, and the best few together, without facts."""
        pieces = self._best_pieces(claim, evidence)
        few = render_pieces(pieces, (), room, self.model.length)
        alone = render_one_by_one(pieces, (), room, self.model.length, count)
        return alone, [few] if few.text else []

    def _best_pieces(self, claim: str, evidence: Evidence) -> list[Piece]:
        """The best few hits, or all evidence that a caller gives."""
        if not evidence.ranked:
            return rank_pieces(claim, evidence, with_rows=self.rows)
        own = (hit for hit in evidence.hits if hit.by not in (NAMED, DESCRIPTION))
        named = ((hit.element,) for hit in evidence.hits if hit.by == DESCRIPTION)
        return [*best_pieces(own, evidence.tables, _FEW), *named]

    def _read(self, read: ModelInput, logits: Sequence[Any]) -> Reading:
        card, dropped = self.model.card, read.dropped
        use = ModelUse(
            card.name,
            card.files.get("model.onnx", "")[:_DIGITS],
            self.profile if self.given_calibration is None else "",
            self.calibration.temperature,
            self.reading,
            sum(self.model.length(rendered.text) for rendered in read.texts),
            dropped[:_MOST_NAMED],
            len(dropped),
        )
        mean = _mean_logits(logits[: len(read.texts)])
        if mean is None:
            return Reading(by=card.name, model=use, facts=read.facts, unsettled=read.unsettled or NO_SCORES)
        scores = scores_of(self.calibration.probabilities(mean))
        text = " ".join(each.text for each in read.texts)
        pieces = [
            PieceReading(rendered.text, scores_of(self.calibration.probabilities(each)))
            for rendered, each in zip((*read.alone, *read.few), logits[len(read.texts) :], strict=True)
        ]
        few = pieces.pop() if read.few else None
        return Reading(
            scores,
            card.name,
            read.used,
            lines=_describe(read, scores, pieces if read.alone else [PieceReading(text, scores)], few),
            calibrated=True,
            model=use,
            facts=read.facts,
            text=text,
            pieces=tuple(pieces) or (PieceReading(text, scores),),
            few=few or PieceReading(text, scores),
        )


def _leaves_open(reading: Reading) -> bool:
    return reading.scores is not None and best_label(reading.scores) is Label.NOT_ENOUGH_INFO


def _openness(reading: Reading) -> float:
    return reading.scores[Label.NOT_ENOUGH_INFO] if reading.scores else 1.0


def _mean_logits(logits: Sequence[Any]) -> Any:
    """The mean of the finite logits; None where there are none. Three zeros mean that the model failed."""
    import numpy as np

    rows = [np.asarray(row, dtype=np.float64) for row in logits]
    finite = [row for row in rows if np.isfinite(row).all() and row.any()]
    return np.mean(finite, axis=0) if finite else None


def _describe(
    read: ModelInput, scores: Mapping[Label, float], alone: Sequence[PieceReading], few: PieceReading | None
) -> tuple[str, ...]:
    """Which piece speaks for or against the claim, or what all say together where none does alone."""
    named = (
        say_what_speaks([piece], best_label(reading.scores), max(reading.scores.values()))
        for piece, reading in zip(read.quoted, alone, strict=False)
    )
    return join_unique(chain(list(filter(None, named)) or [_sum_up(read, scores, few)], _tell_unread(read)))


def _tell_unread(read: ModelInput) -> Iterator[str]:
    """What there was no room for; a claim is never cut without a word."""
    if read.unread:
        yield f"the claim is too long for the model, which did not read its last {read.unread:,} tokens; split it"
    if read.dropped and read.is_given:
        left = len(read.dropped)
        yield f"there was no room for {left:,} more piece{'s' * (left != 1)} of evidence"


def _sum_up(read: ModelInput, scores: Mapping[Label, float], few: PieceReading | None) -> str:
    used, facts = len(read.used), len(read.facts)
    count = f"{used} piece{'s' * (used != 1)}" if used else ""
    derived = f"{facts} derived fact{'s' * (facts != 1)}" if facts else ""
    what, said = " and ".join(filter(None, (count, derived))), scores
    if few and best_label(scores) is Label.NOT_ENOUGH_INFO is not best_label(few.scores):
        what, said = "the best few pieces", few.scores
    return say_together(what, best_label(said), max(said.values()))


def _is_computed(evidence: Evidence) -> bool:
    return evidence.computation is not None and evidence.computation.answer is not None


def _relevant_facts(evidence: Evidence) -> tuple[DerivedFact, ...]:
    """The facts derived from tables that the model reads, and those that the computation rests on."""
    computation = evidence.computation
    if computation is None or not evidence.tables:
        return ()
    read = {table.id for table in evidence.read_tables}
    # The lines of an infobox that was retrieved are read as they stand: its facts would say them again.
    if evidence.ranked:
        read -= {table.id for table in evidence.tables if table.infobox}
    decisive = set(computation.read) if computation.answer is not None else set()
    return tuple(
        fact
        for fact in computation.facts
        if any(cell.table in read for cell in fact.cells) or (decisive and set(fact.cells) <= decisive)
    )
