"""Decides claims: what was computed and what was read become scores, and the highest score is the label.

In order: what evidence cannot settle (`find_unsettled`), what was computed (`computed_scores`), what the combiner makes
of what was read (`Combiner.scores`; without one, thresholds and abstention: `Calibration.final_scores`), a subject that
the evidence never names (`require_subject`), the parts of a claim (`combine_parts`). Each is a pure function; nothing
after them changes a label or a score.
"""

from __future__ import annotations

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
from veritab.verify.combine import Combiners
from veritab.verify.evidence import DESCRIPTION, NAMED, PRECEDING
from veritab.verify.features import extract_features
from veritab.verify.language import OTHER_SCRIPT, find_language, is_gibberish, is_latin, is_word_list, other_language
from veritab.verify.render import PLACEHOLDERS
from veritab.verify.shown import UNREAD, find_own_evidence

EMPTY_CLAIM = Unsettled(Reason.EMPTY_CLAIM, "the claim says nothing")
NOT_A_STATEMENT = Unsettled(Reason.NOT_A_STATEMENT, "this is not a statement that evidence can settle")
NO_WORDS = Unsettled(Reason.NOT_A_STATEMENT, "these are letters and no sentence, so there is nothing to check")
NOTHING_FOUND = Unsettled(Reason.NO_EVIDENCE, "nothing was found in the corpus")
NO_EVIDENCE = Unsettled(Reason.NO_EVIDENCE, "no evidence was given")

_FULL_STOP = ". "
CLOSE = 0.1
"""Two labels whose scores differ by less are close."""
_NOT_READ = {Label.SUPPORTS: 0.25, Label.REFUTES: 0.25, Label.NOT_ENOUGH_INFO: 0.5}
"""The scores of a claim that nobody read: as where nothing can be computed, half is left to the other labels."""
_NOTHING_SAID = {Label.SUPPORTS: 0.05, Label.REFUTES: 0.05, Label.NOT_ENOUGH_INFO: 0.9}
"""The scores of a claim of which the evidence says nothing; other evidence may be elsewhere."""
_NOT_ENOUGH = {Label.SUPPORTS: 0.0, Label.REFUTES: 0.0, Label.NOT_ENOUGH_INFO: 1.0}
"""What a part that evidence cannot settle counts for the whole claim: it neither holds nor fails."""
_SENTENCES, _CELLS = 5, 25


# -- what evidence cannot settle ---------------------------------------------------------------------------


def find_unsettled(claim: Claim, evidence: Evidence, *, english: bool = True) -> Unsettled | None:
    """Why the evidence cannot settle a claim, as far as can be seen without reading it; None where it may.

    `english` says that whoever reads the claim reads no other language.
    """
    if not any(map(str.isalnum, claim.text)):
        return EMPTY_CLAIM
    if is_gibberish(claim.text):
        return NO_WORDS
    language = find_language(claim.text)
    if language and english:
        return other_language(language)
    if not language and (not is_statement(claim.text) or (is_latin(claim.text) and is_word_list(claim.text))):
        return NOT_A_STATEMENT
    if not any(True for _ in _contents(evidence)):
        return NOTHING_FOUND if evidence.ranked else NO_EVIDENCE
    if not mentions(claim.text, _texts(evidence)):
        if english and not is_latin(claim.text):
            return OTHER_SCRIPT
        return Unsettled(Reason.OFF_TOPIC, _nothing_about(", ".join(find_missing(claim.text, _texts(evidence)))))
    return None


def _scores_of_unsettled(unsettled: Unsettled | None) -> Mapping[Label, float]:
    return _NOT_READ if unsettled is None or unsettled.reason in UNREAD else _NOTHING_SAID


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


# -- computing ---------------------------------------------------------------------------------------------


def computed_scores(computation: Computation) -> dict[Label, float]:
    """The scores that a computation alone gives.

    Where it decides, its label has its confidence, and the others share the rest. Where it does not, NOT ENOUGH INFO
    has half, and SUPPORTS and REFUTES share the other half by what the computation leans to.
    """
    if computation.answer is None:
        supports = computation.probability * computation.confidence / 2
        refutes = (1 - computation.probability) * computation.confidence / 2
        return {Label.SUPPORTS: supports, Label.REFUTES: refutes, Label.NOT_ENOUGH_INFO: 1 - supports - refutes}
    rest = (1 - computation.confidence) / 2
    return {label: computation.confidence if label is computation.label else rest for label in Label}


# -- verdicts ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CalibratedDecider:
    """What was computed decides; what was read is weighed by a combiner, or by a calibration where there is none."""

    calibration: Calibration = field(default_factory=Calibration)
    combiners: Combiners | None = None
    ways: Ways = 3
    """How many labels there are; a task with two knows no NOT ENOUGH INFO."""
    nei: NotEnough | None = None
    """What becomes of NOT ENOUGH INFO where there are two labels; the calibration says it unless it is given."""
    vote: bool = True
    """Whether what is computed counts."""
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
        read = self._read_scores(claim, evidence, reading)
        # A verifier that cannot read a script leaves numbers, which can be computed with.
        if decided and (unsettled is None or unsettled.reason is Reason.OTHER_SCRIPT):
            scores = computed_scores(decided) if self.ways == 3 else two_way(computed_scores(decided))
            unsettled = None
        elif read is not None:
            scores = read
        elif computation and unsettled is None:
            scores = computed_scores(computation) if self.ways == 3 else two_way(computed_scores(computation))
        else:
            scores, decided = dict(_scores_of_unsettled(unsettled)), None
        label = best_label(scores)
        # What the model finds too little to tell contradicts nothing.
        disagrees = bool(decided and read and best_label(read) not in (decided.label, Label.NOT_ENOUGH_INFO))
        certificate = Certificate(
            confidence=scores[label],
            calibrated=reading.calibrated and reading.scores is not None,
            by=reading.by,
            model=reading.model,
            computed=decided.label if decided else None,
            program=decided.program if decided else "",
            rows=decided.rows if decided else (),
            unsettled=unsettled,
            facts=reading.facts,
            cited=reading.cited,
        )
        # Where computing decides, a reader is told of the reading only if the two are at odds.
        lines = [*(decided.lines if decided else ()), *(reading.lines if disagrees or not decided else ())]
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

    def parts_weight(self, evidence: Evidence) -> float:
        """What the parts of a claim count beside the claim as a whole."""
        return self.combiners.of(evidence).parts if self.combiners else 1.0

    def _read_scores(self, claim: Claim, evidence: Evidence, reading: Reading) -> dict[Label, float] | None:
        """The scores by what was read; None where nothing was."""
        if reading.scores is None:
            return None
        if self.combiners:
            combined = self.combiners.of(evidence).scores(extract_features(claim, evidence, reading))
            return combined if self.ways == 3 else two_way(combined, self.nei or "excluded")
        probabilities = dict(reading.scores)
        if self.ways == 2:
            probabilities = two_way(probabilities, self.nei or self.calibration.nei)
        return self.calibration.final_scores(probabilities, ways=self.ways)

    def _show(
        self, evidence: Evidence, reading: Reading, decided: Computation | None, confidence: float
    ) -> Iterator[Hit]:
        """What was computed with, what says a name that was looked up, what was read, and what else was retrieved."""
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
        # What a named page begins with is computed with; where nothing was computed from it, it is nobody's evidence.
        hits = [hit for hit in (*evidence.hits, *evidence.background) if hit.by not in (NAMED, PRECEDING)]
        named = [hit for hit in hits if hit.by == DESCRIPTION]
        first = [hit for hit in hits if hit.element.id in read]
        rest = [hit for hit in hits if hit.element.id not in read]
        yield from cut([*computed, *named, *first, *rest], sentences=self.sentences, cells=self.cells)


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
    unsettled = certificate.unsettled
    if verdict.label is Label.NOT_ENOUGH_INFO and not (unsettled and unsettled.reason in UNREAD):
        shown = [text for hit in verdict.evidence for text in _element_texts(hit.element)]
        texts = shown if evidence.ranked else [*shown, *_texts(evidence)]
        certificate = replace(certificate, missing=find_missing(verdict.claim.text, texts))
    uncertainty = find_uncertainty(verdict.scores, disagrees=disagrees)
    return replace(verdict, certificate=certificate, uncertainty=uncertainty)


# -- the parts of a claim ----------------------------------------------------------------------------------


def combine_parts(whole: Verdict, parts: Sequence[Verdict], weight: float = 1.0) -> Verdict:
    """The verdict on a claim by the verdicts on its parts, each reached on the evidence for the whole claim.

    A claim is as likely as its least likely part, and as false as its falsest: the likeliest refutation refutes it.
    `weight` is what that counts beside the verdict on the claim as a whole, 0 to 1. What was computed decides: against
    the claim for one part, else for the claim as a whole.
    """
    computed = whole.certificate.computed if whole.certificate.computed is whole.label else None
    if computed is not Label.REFUTES and any(
        part.certificate.computed is part.label is Label.REFUTES for part in parts
    ):
        weight = 1.0
    elif computed:
        weight = 0.0
    counted = [_counted_scores(part) for part in parts]
    supports = min(scores[Label.SUPPORTS] for scores in counted)
    refutes = max(scores[Label.REFUTES] for scores in counted)
    together = {
        Label.SUPPORTS: supports,
        Label.REFUTES: refutes,
        Label.NOT_ENOUGH_INFO: max(0.0, 1 - supports - refutes),
    }
    scores = _interpolate(_counted_scores(whole), together, weight)
    if all(_is_unsettled(each) for each in (whole, *parts)):
        scores = dict(whole.scores)
    label = best_label(scores)
    unsettled = whole.certificate.unsettled if label is Label.NOT_ENOUGH_INFO else None
    own = [find_own_evidence(part) for part in parts]
    known = {hit.element.id for hit in whole.evidence}
    added = {hit.element.id: hit for hits in own for hit in hits if hit.element.id not in known}
    lines = [f"{part.claim.text.rstrip(_FULL_STOP)}: {line}" for part in parts for line in part.reasoning]
    certificate = replace(
        whole.certificate,
        confidence=scores[label],
        calibrated=False,
        computed=whole.certificate.computed if whole.certificate.computed is label else None,
        program="; ".join(dict.fromkeys(part.certificate.program for part in parts if part.certificate.program)),
        rows=tuple(dict.fromkeys(rows for part in parts for rows in part.certificate.rows)),
        unsettled=unsettled,
        missing=whole.certificate.missing if label is Label.NOT_ENOUGH_INFO else None,
        parts=tuple(
            PartVerdict(
                part.claim.text,
                part.label,
                part.scores,
                tuple(hit.element.id for hit in hits),
                part.certificate.unsettled,
                part.certificate.model.answer if part.certificate.model else "",
                reasoning=part.reasoning,
                rows=part.certificate.rows,
                computed=part.certificate.computed,
            )
            for part, hits in zip(parts, own, strict=True)
        ),
    )
    disagrees = any(part.uncertainty is Uncertainty.DISAGREEMENT for part in parts)
    return replace(
        whole,
        label=label,
        scores=scores,
        evidence=(*whole.evidence, *added.values()),
        reasoning=tuple(dict.fromkeys([unsettled.text, *lines] if unsettled else lines)),
        certificate=certificate,
        uncertainty=find_uncertainty(scores, disagrees=disagrees),
    )


def _counted_scores(verdict: Verdict) -> Mapping[Label, float]:
    """The scores that a part or the whole enters with; what evidence cannot settle neither holds nor fails."""
    return _NOT_ENOUGH if _is_unsettled(verdict) else verdict.scores


def _is_unsettled(verdict: Verdict) -> bool:
    unsettled = verdict.certificate.unsettled
    return unsettled is not None and unsettled.reason is not Reason.SUBJECT_NOT_NAMED


def _interpolate(whole: Mapping[Label, float], parts: Mapping[Label, float], weight: float) -> dict[Label, float]:
    """The weighted mean of two scores of each label."""
    mixed = {label: (1 - weight) * whole[label] + weight * parts[label] for label in Label}
    total = sum(mixed.values())
    return {label: score / total for label, score in mixed.items()}
