"""Decides claims: what was computed and what was read become scores, and the highest score is the label.

In order: what evidence cannot settle (`find_unsettled`), how computing and reading combine (`combine`), thresholds and
abstention (`Calibration.final_scores`), a subject that the evidence never names (`require_subject`), the parts of a
claim (`combine_parts`). Each is a pure function; nothing after them changes a label or a score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby

from veritab.decompose.statements import is_statement, named_subject
from veritab.errors import InputError
from veritab.retrieve.fuse import cut
from veritab.schema import (
    COMPUTED,
    Certificate,
    Claim,
    Computation,
    Element,
    ElementId,
    Evidence,
    Hit,
    Kind,
    Label,
    PartVerdict,
    Reading,
    Reason,
    Uncertainty,
    Unsettled,
    Verdict,
)
from veritab.text import STOP_WORDS, terms, word_spans, words
from veritab.verify.calibrate import Calibration, NotEnough, Ways, best_label, two_way
from veritab.verify.render import PLACEHOLDERS

EMPTY_CLAIM = Unsettled(Reason.EMPTY_CLAIM, "the claim says nothing")
NOT_A_STATEMENT = Unsettled(Reason.NOT_A_STATEMENT, "this is not a statement that evidence can settle")
NOTHING_FOUND = Unsettled(Reason.NO_EVIDENCE, "nothing was found in the corpus")
NO_EVIDENCE = Unsettled(Reason.NO_EVIDENCE, "no evidence was given")

CLOSE = 0.1
"""Two labels whose scores differ by less are close."""
_NOT_ENOUGH = {Label.SUPPORTS: 0.0, Label.REFUTES: 0.0, Label.NOT_ENOUGH_INFO: 1.0}
_ALMOST_ONE = 1 - 1e-4
_MOST_ODDS = 700.0
_SENTENCES, _CELLS = 5, 25


# -- what evidence cannot settle ---------------------------------------------------------------------------


def find_unsettled(claim: Claim, evidence: Evidence) -> Unsettled | None:
    """Why the evidence cannot settle a claim, as far as can be seen without reading it; None where it may."""
    if not any(map(str.isalnum, claim.text)):
        return EMPTY_CLAIM
    if not is_statement(claim.text):
        return NOT_A_STATEMENT
    if not any(True for _ in _contents(evidence)):
        return NOTHING_FOUND if evidence.ranked else NO_EVIDENCE
    if not mentions(claim.text, _texts(evidence)):
        return Unsettled(Reason.OFF_TOPIC, _nothing_about(", ".join(find_missing(claim.text, _texts(evidence)))))
    return None


def require_subject(verdict: Verdict, evidence: Evidence) -> Verdict:
    """A verdict whose evidence names what the claim is about, where it supports the claim; else NOT ENOUGH INFO."""
    subject = named_subject(verdict.claim.text) if verdict.label is Label.SUPPORTS else ""
    computed = (hit.element.text for hit in verdict.evidence if hit.by == COMPUTED)
    if not subject or mentions(subject, _texts(evidence)) or mentions(subject, computed):
        return verdict
    refutes = verdict.scores[Label.REFUTES]
    unsettled = Unsettled(Reason.SUBJECT_NOT_NAMED, _nothing_about(subject))
    return replace(
        verdict,
        label=Label.NOT_ENOUGH_INFO,
        scores={Label.SUPPORTS: 0.0, Label.REFUTES: refutes, Label.NOT_ENOUGH_INFO: 1 - refutes},
        reasoning=(unsettled.text, *verdict.reasoning),
        certificate=replace(verdict.certificate, unsettled=unsettled, calibrated=False),
    )


def _nothing_about(what: str) -> str:
    return f"nothing in the evidence mentions {what}"


def mentions(text: str, evidence: Iterable[str]) -> bool:
    """Whether any content word of a text occurs in the evidence."""
    wanted = [frozenset(terms(word)) for word in words(text) if not STOP_WORDS.issuperset(words(word)) and terms(word)]
    known: set[str] = set()
    for each in evidence:
        known.update(terms(each))
        if any(word <= known for word in wanted):
            return True
    return False


def find_missing(claim: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The words of a claim that occur in none of the texts, neighbouring words together as they stand there."""
    known = {term for text in texts for term in terms(text)}
    spans = word_spans(claim)
    unknown = [not (STOP_WORDS.issuperset(words(word)) or known.issuperset(terms(word))) for word in _cut(claim, spans)]
    runs = groupby(zip(spans, unknown, strict=True), key=lambda each: each[1])
    missing = (list(run) for is_unknown, run in runs if is_unknown)
    return tuple(claim[run[0][0][0] : run[-1][0][1]] for run in missing)


def _cut(text: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def _texts(evidence: Evidence) -> Iterator[str]:
    """What evidence says, with the titles and headers around it; of tables that a caller gave, every cell."""
    for element in evidence.elements:
        yield from _element_texts(element)
    if not evidence.ranked:
        for table in evidence.tables:
            yield from (near.text for near in table.context if near.text not in PLACEHOLDERS)
            yield table.caption
            for row in table.rows:
                yield from (cell.text for cell in row)


def _element_texts(element: Element) -> Iterator[str]:
    """An element with its context; the titles of evidence that came without one say nothing."""
    yield from (text for text in (element.id.page, element.text) if text not in PLACEHOLDERS)
    yield from (near.text for near in element.context if near.text not in PLACEHOLDERS)


def _contents(evidence: Evidence) -> Iterator[str]:
    """What evidence holds besides titles and marks without letters or digits."""
    texts = (element.text for element in evidence.elements if element.kind is not Kind.TITLE)
    cells = (cell.text for table in evidence.tables for row in table.rows for cell in row)
    yield from (text for text in chain(texts, cells) if any(map(str.isalnum, text)))


# -- computing and reading ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class EnsembleWeights:
    """The weights of the log-odds of the reader and of the reasoner."""

    reader: float
    reasoner: float


def combine(scores: Mapping[Label, float], computation: Computation, weights: EnsembleWeights) -> dict[Label, float]:
    """A reader's scores with those of the reasoner: how SUPPORTS and REFUTES share what they have together.

    A computation that does not decide changes nothing, and none changes NOT ENOUGH INFO.
    """
    supports, refutes = scores[Label.SUPPORTS], scores[Label.REFUTES]
    together = supports + refutes
    if computation.answer is None or together <= 0:
        return dict(scores)
    odds = weights.reader * _log_odds(supports / together) + weights.reasoner * _log_odds(computation.probability)
    share = 1 / (1 + math.exp(-min(max(odds, -_MOST_ODDS), _MOST_ODDS)))
    return {**scores, Label.SUPPORTS: share * together, Label.REFUTES: (1 - share) * together}


def computed_scores(computation: Computation) -> dict[Label, float]:
    """The scores where nothing was read: what computing is sure of, and NOT ENOUGH INFO for the rest.

    Where it does not decide, SUPPORTS and REFUTES share half of that.
    """
    sure = computation.confidence if computation.answer is not None else computation.confidence / 2
    supports, refutes = computation.probability * sure, (1 - computation.probability) * sure
    return {Label.SUPPORTS: supports, Label.REFUTES: refutes, Label.NOT_ENOUGH_INFO: 1 - supports - refutes}


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1 - _ALMOST_ONE), _ALMOST_ONE)
    return math.log(clipped / (1 - clipped))


# -- verdicts ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CalibratedDecider:
    """Decides by a calibration: weights of the ensemble, thresholds, abstention."""

    calibration: Calibration = field(default_factory=Calibration)
    ways: Ways = 3
    """How many labels there are; a task with two knows no NOT ENOUGH INFO."""
    nei: NotEnough | None = None
    """What becomes of NOT ENOUGH INFO where there are two labels; the calibration says it unless it is given."""
    vote: bool = True
    """Whether a computation that decides has a say in the scores."""
    sentences: int = _SENTENCES
    cells: int = _CELLS
    """How much of the retrieved evidence a verdict shows."""

    def __post_init__(self) -> None:
        if self.ways not in (2, 3):
            raise InputError(f"ways is {self.ways!r}; expected 2 or 3")
        if self.nei not in (None, "excluded", "merged"):
            raise InputError(f"nei is {self.nei!r}; expected 'excluded' or 'merged'")

    def decide(
        self, claims: Sequence[Claim], evidence: Sequence[Evidence], readings: Sequence[Reading]
    ) -> list[Verdict]:
        """The verdict on each claim, by what was computed over its evidence and what a verifier read in it."""
        return [self._decide(*each) for each in zip(claims, evidence, readings, strict=True)]

    def _decide(self, claim: Claim, evidence: Evidence, reading: Reading) -> Verdict:
        computation = evidence.computation if self.vote else None
        decided = computation if computation and computation.answer is not None else None
        unsettled = reading.unsettled
        if reading.scores is not None:
            probabilities = dict(reading.scores)
            if decided:
                weights = EnsembleWeights(self.calibration.reader, self.calibration.reasoner)
                probabilities = combine(probabilities, decided, weights)
            if self.ways == 2:
                probabilities = two_way(probabilities, self.nei or self.calibration.nei)
            scores = self.calibration.final_scores(probabilities, ways=self.ways)
        elif computation and (unsettled is None or (decided and unsettled.reason is Reason.OTHER_SCRIPT)):
            # Nobody read: there is no verifier, or it cannot read this script, in which numbers can be computed with.
            scores = computed_scores(computation)
            scores = scores if self.ways == 3 else two_way(scores)
            unsettled = None
        else:
            scores, decided = dict(_NOT_ENOUGH), None
        label = best_label(scores)
        disagrees = bool(decided and reading.scores and self._label_alone(reading.scores) is not decided.label)
        certificate = Certificate(
            confidence=scores[label],
            calibrated=reading.calibrated and reading.scores is not None,
            by=reading.by,
            model=reading.model,
            computed=decided.label if decided else None,
            unsettled=unsettled,
            facts=reading.facts,
            cited=reading.cited,
        )
        lines = [*_computed_lines(decided, label), *reading.lines]
        verdict = Verdict(
            claim,
            label,
            scores,
            tuple(self._show(evidence, reading, decided, scores[label])),
            tuple([unsettled.text, *lines] if unsettled else [*lines, *_unread_line(reading)]),
            certificate,
        )
        if self.ways == 3:  # with two labels, only a calibration that abstains says NOT ENOUGH INFO
            verdict = require_subject(verdict, evidence)
        return _complete(verdict, evidence, disagrees=disagrees)

    def _label_alone(self, scores: Mapping[Label, float]) -> Label:
        """The label that the reader would give without the reasoner."""
        probabilities = two_way(scores, self.nei or self.calibration.nei) if self.ways == 2 else scores
        return best_label(self.calibration.final_scores(probabilities, ways=self.ways))

    def _show(
        self, evidence: Evidence, reading: Reading, decided: Computation | None, confidence: float
    ) -> Iterator[Hit]:
        """What was computed with, then what was read, then what else was retrieved, within the budgets."""
        cells = dict.fromkeys(decided.cells) if decided else {}
        computed = [Hit(element, decided.confidence, COMPUTED) for element in evidence.find(cells)] if decided else []
        if not evidence.ranked:
            yield from computed
            used: Iterable[ElementId] = [id for id in reading.used if id not in cells]
            if not used and not cells and reading.scores:
                # A model read facts alone, so that their cells are what it read; or the verifier does not say.
                facts = [cell for fact in reading.facts for cell in fact.cells]
                texts = [element.id for element in evidence.elements if element.kind is not Kind.TITLE]
                used = dict.fromkeys((facts or texts)[: self.cells])
            yield from (Hit(element, confidence, reading.by) for element in evidence.find(used))
            return
        read = set(reading.used)
        hits = (*evidence.hits, *evidence.background)
        first = [hit for hit in hits if hit.element.id in read]
        rest = [hit for hit in hits if hit.element.id not in read]
        yield from cut([*computed, *first, *rest], sentences=self.sentences, cells=self.cells)


def _computed_lines(decided: Computation | None, label: Label) -> Iterator[str]:
    """What was computed, in lines, marked as overruled where the verdict says something else."""
    if decided:
        before = "" if decided.label is label else "overruled by the model: "
        yield from (f"{before}{line}" for line in decided.lines)


def _unread_line(reading: Reading) -> Iterator[str]:
    """Why nothing was read, after a computation that decided alone."""
    if reading.scores is None and reading.unsettled:
        yield reading.unsettled.text


def find_uncertainty(scores: Mapping[Label, float], *, disagrees: bool = False) -> Uncertainty | None:
    """Why an answer is uncertain: computing and reading disagree, or two scores are close; None where it is not."""
    if disagrees:
        return Uncertainty.DISAGREEMENT
    first, second, _ = sorted(scores.values(), reverse=True)
    return Uncertainty.CLOSE_SCORES if first - second < CLOSE else None


def _complete(verdict: Verdict, evidence: Evidence, *, disagrees: bool) -> Verdict:
    """A verdict whose label and scores are final, with what follows from them."""
    certificate = replace(verdict.certificate, confidence=verdict.confidence)
    if verdict.label is Label.NOT_ENOUGH_INFO:
        shown = [text for hit in verdict.evidence for text in _element_texts(hit.element)]
        texts = shown if evidence.ranked else [*shown, *_texts(evidence)]
        certificate = replace(certificate, missing=find_missing(verdict.claim.text, texts))
    uncertainty = find_uncertainty(verdict.scores, disagrees=disagrees)
    return replace(verdict, certificate=certificate, uncertainty=uncertainty)


# -- the parts of a claim ----------------------------------------------------------------------------------


def combine_parts(whole: Verdict, parts: Sequence[Verdict]) -> Verdict:
    """The verdict on a claim by the verdicts on its parts, each reached on the evidence for the whole claim.

    A claim is as likely as its least likely part, and as false as its falsest: the likeliest refutation refutes it.
    """
    supports = min(part.scores[Label.SUPPORTS] for part in parts)
    refutes = max(part.scores[Label.REFUTES] for part in parts)
    scores = {Label.SUPPORTS: supports, Label.REFUTES: refutes, Label.NOT_ENOUGH_INFO: max(0.0, 1 - supports - refutes)}
    label = best_label(scores)
    unsettled = whole.certificate.unsettled if label is Label.NOT_ENOUGH_INFO else None
    lines = [line for part in parts for line in part.reasoning]
    certificate = replace(
        whole.certificate,
        confidence=scores[label],
        calibrated=False,
        computed=whole.certificate.computed if whole.certificate.computed is label else None,
        unsettled=unsettled,
        missing=whole.certificate.missing if label is Label.NOT_ENOUGH_INFO else None,
        parts=tuple(
            PartVerdict(
                part.claim.text,
                part.label,
                part.scores,
                tuple(hit.element.id for hit in part.evidence),
                part.certificate.unsettled,
                part.certificate.model.answer if part.certificate.model else "",
            )
            for part in parts
        ),
    )
    disagrees = any(part.uncertainty is Uncertainty.DISAGREEMENT for part in parts)
    return replace(
        whole,
        label=label,
        scores=scores,
        reasoning=tuple(dict.fromkeys([unsettled.text, *lines] if unsettled else lines)),
        certificate=certificate,
        uncertainty=find_uncertainty(scores, disagrees=disagrees),
    )
