"""Judges claims: evidence is computed with, read and decided on, part by part where a claim makes several assertions.

`judge_evidence` is the second half of the pipeline; `judge`, `judge_many` and `score` are that half with evidence that
the caller hands over instead of retrieval. Without a model, what can be computed decides alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from veritab.cancel import stop_if_cancelled
from veritab.errors import InputError, short_repr
from veritab.schema import (
    Claim,
    Computation,
    Decider,
    DerivedFact,
    ElementId,
    Evidence,
    Label,
    ReadClaim,
    Reading,
    Verdict,
    Verifier,
    refuse_long,
)
from veritab.verify.calibrate import Calibration
from veritab.verify.cells import rebuild_tables
from veritab.verify.decide import CalibratedDecider, combine_parts, find_unsettled
from veritab.verify.evidence import EvidenceInput, parse_evidence, parse_text

if TYPE_CHECKING:
    from veritab.verify.model import ModelVerifier


# -- the path from evidence to verdict ---------------------------------------------------------------------


def judge_evidence(
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    verifier: Verifier,
    decider: Decider,
    *,
    parts: bool = True,
    compute: bool = True,
) -> list[Verdict]:
    """The verdict on each claim by its evidence; the parts of a claim are judged by the evidence for the whole."""
    split = [_split(claim) if parts else [] for claim in claims]
    flat = [
        (each, own) for claim, own, several in zip(claims, evidence, split, strict=True) for each in (claim, *several)
    ]
    verdicts = iter(
        read_and_decide([claim for claim, _ in flat], [own for _, own in flat], verifier, decider, compute=compute)
    )
    judged = []
    for own, several in zip(evidence, split, strict=True):
        whole = next(verdicts)
        of_parts = [next(verdicts) for _ in several]
        weight = decider.parts_weight(own) if isinstance(decider, CalibratedDecider) else 1.0
        judged.append(combine_parts(whole, of_parts, weight) if of_parts else whole)
    return judged


def judge_given(
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    verifier: Verifier,
    decider: Decider,
    *,
    names: bool = True,
    parts: bool = True,
    compute: bool = True,
) -> list[Verdict]:
    """The verdict on each claim by evidence that a caller hands over; with a model to judge them, `names` are read."""
    from veritab.verify.given_names import read_given
    from veritab.verify.model import ModelVerifier

    if names and isinstance(verifier, ModelVerifier):
        read = read_given(claims, evidence, verifier.model)
    else:
        read = [ReadClaim(claim) for claim in claims]
    verdicts = judge_evidence([each.claim for each in read], evidence, verifier, decider, parts=parts, compute=compute)
    return [tell_reading(*each) for each in zip(claims, verdicts, read, strict=True)]


def tell_reading(claim: Claim, verdict: Verdict, read: ReadClaim) -> Verdict:
    """A verdict on a claim as it was typed, with how it was read."""
    text = read.claim.text
    certificate = replace(verdict.certificate, read_as=text if text != claim.text else "")
    lines = (f'read "{change.written}" as "{change.read}"' for change in read.changes)
    return replace(verdict, claim=claim, reasoning=(*dict.fromkeys(lines), *verdict.reasoning), certificate=certificate)


def _split(claim: Claim) -> list[Claim]:
    """The parts of a claim that has several."""
    from veritab.decompose.split import split_claim

    texts = split_claim(claim.text)
    return [Claim(claim.id, text) for text in texts] if len(texts) > 1 else []


def read_and_decide(
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    verifier: Verifier,
    decider: Decider,
    *,
    compute: bool = False,
) -> list[Verdict]:
    """The verdict on each claim as one assertion; only what evidence may settle is computed with and read."""
    from veritab.verify.model import ModelVerifier

    english = isinstance(verifier, ModelVerifier | ComputingVerifier)
    readings = [
        Reading(unsettled=find_unsettled(claim, own, english=english))
        for claim, own in zip(claims, evidence, strict=True)
    ]
    places = [place for place, reading in enumerate(readings) if not reading.unsettled]
    own = list(evidence)
    sure = not isinstance(verifier, ComputingVerifier)
    for place in places if compute else ():
        stop_if_cancelled()
        own[place] = replace(own[place], computation=compute_answer(claims[place].text, own[place], sure=sure))
    if places:
        read = verifier.verify([claims[place] for place in places], [own[place] for place in places])
        for place, reading in zip(places, _check_readings(verifier, read, len(places)), strict=True):
            readings[place] = reading
    return decider.decide(claims, own, readings)


def _check_readings(verifier: Verifier, readings: Sequence[Reading], count: int) -> list[Reading]:
    """The readings of a verifier with scores that sum to one; an error where they are not probabilities."""
    name = type(verifier).__name__
    if len(readings) != count:
        raise InputError(f"{name} gave {len(readings)} readings for {count} claims; expected one for each")
    checked = []
    for reading in readings:
        scores = reading.scores
        if scores is not None:
            values = [scores.get(label, math.nan) for label in Label]
            if not all(math.isfinite(value) and value >= 0 for value in values) or sum(values) <= 0:
                shown = short_repr(dict(scores))
                raise InputError(f"{name} gave the scores {shown}; expected a probability for each of the three labels")
            total = sum(values)
            reading = replace(reading, scores={label: scores[label] / total for label in Label})
        checked.append(reading)
    return checked


def compute_answer(claim: str, evidence: Evidence, *, sure: bool = True) -> Computation:
    """What can be computed for a claim over the tables, lists and sentences of its evidence.

    Where somebody else reads the claim too, it is answered only where every word of it is accounted for (`sure`);
    where nobody does, also where the likeliest program leaves a few words unexplained.
    """
    from veritab.reason.page import page_reasoning
    from veritab.reason.reasoner import Reasoner

    rebuilt = rebuild_tables(evidence.elements, (table.id for table in evidence.tables))
    tables = (*evidence.tables, *rebuilt.tables)
    found = page_reasoning(claim, tables, evidence.elements, reasoner=None if sure else Reasoner())

    def name(cells: Iterable[ElementId]) -> tuple[ElementId, ...]:
        """Cells of rebuilt tables as those that they stand for; headers there are nobody's evidence."""
        made = {table.id for table in rebuilt.tables}
        named = (rebuilt.origins.get(cell, cell) for cell in cells if cell.table not in made or cell in rebuilt.origins)
        return tuple(dict.fromkeys(named))

    facts = tuple(DerivedFact(fact.text, name(fact.cells)) for fact in found.facts)
    made = {table.id for table in rebuilt.tables}
    rows = tuple(each for each in found.uses.rows if each.table not in made)
    used, read = name(found.uses.cells) or name(found.cells), name(found.cells)
    return Computation(found.answer, found.true, found.lines, used, facts, read, rows, found.form)


class ComputingVerifier:
    """Reads nothing, so that what is computed decides alone."""

    def verify(self, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> list[Reading]:
        """No scores for any claim."""
        return [Reading(facts=each.computation.facts if each.computation else ()) for each in evidence]


def decider_for(verifier: Verifier, **options: Any) -> CalibratedDecider:
    """The decider that fits a verifier: a model's card has its calibration, others need none."""
    from veritab.verify.model import ModelVerifier

    if isinstance(verifier, ModelVerifier):
        return CalibratedDecider(verifier.calibration, verifier.combiners, **options)
    return CalibratedDecider(Calibration(), **options)


# -- evidence given ----------------------------------------------------------------------------------------


def judge(
    claim: str | Claim,
    evidence: EvidenceInput | Iterable[EvidenceInput] | Evidence,
    *,
    model: str | Path | None = "verdict",
    verifier: Verifier | None = None,
    decider: Decider | None = None,
) -> Verdict:
    """What the evidence says of the claim, and what was computed over which cells.

    `model` names the verdict model, one that ships or a folder; None leaves the answer to computing alone. It is
    opened by the first claim and stays open. A `verifier` is used instead of a model; `decider` is the one that fits it
    unless another is given.
    """
    return judge_many([(claim, evidence)], model=model, verifier=verifier, decider=decider)[0]


def judge_many(
    pairs: Iterable[tuple[str | Claim, EvidenceInput | Iterable[EvidenceInput] | Evidence]],
    *,
    model: str | Path | None = "verdict",
    verifier: Verifier | None = None,
    decider: Decider | None = None,
    certificate: bool = False,
) -> list[Verdict]:
    """The verdict on each claim by the evidence beside it, which a model reads in one batch.

    `certificate` also works out the smallest evidence that keeps each verdict, which costs more readings.
    """
    claims, evidence = [], []
    for claim, given in pairs:
        claims.append(parse_claim(claim))
        evidence.append(parse_evidence(given))
    if verifier is None:
        verifier = ComputingVerifier() if model is None else _open_model(model)
    decider = decider or decider_for(verifier)
    verdicts = judge_given(claims, evidence, verifier, decider)
    if certificate:
        from veritab.verify.certificate import certify

        verdicts = certify(verdicts, verifier, decider)
    return verdicts


def parse_claim(given: str | Claim) -> Claim:
    """The claim that a caller hands over; one that is too long is refused here, whichever door it came through."""
    id, given_text = (given.id, given.text) if isinstance(given, Claim) else ("", given)
    text = parse_text(given_text, "a claim")
    refuse_long(f"the claim {id!r}" if id else "a claim", text)
    return Claim(id, text)


@lru_cache(maxsize=1)
def _open_model(model: str | Path) -> ModelVerifier:
    # Its many patterns take a while to compile, which `import veritab` and the other commands need not wait for.
    from veritab.verify.model import ModelVerifier

    return ModelVerifier.open(model)


class SupportScores(NamedTuple):
    """For each claim whether its document supports it, 1 or 0, and the probability of that."""

    labels: list[int]
    probabilities: list[float]


def score(
    docs: Sequence[EvidenceInput | Iterable[EvidenceInput] | Evidence],
    claims: Sequence[str | Claim],
    *,
    model: str | Path = "verdict",
    verifier: Verifier | None = None,
) -> SupportScores:
    """Whether each document supports the claim beside it: the form in which programs ask for grounding.

    Of a document that is longer than the model's window, the sentences most like the claim are read; where they leave
    it open, the document is read to its end in chunks, and the one that says most about the claim counts. Tables are
    computed with whole.
    """
    pairs = pair_up(docs, claims)
    return support_scores(judge_many(pairs, verifier=read_in_chunks(verifier or _open_model(model))))


def pair_up(
    docs: Sequence[EvidenceInput | Iterable[EvidenceInput] | Evidence], claims: Sequence[str | Claim]
) -> list[tuple[str | Claim, EvidenceInput | Iterable[EvidenceInput] | Evidence]]:
    """Each claim with the document beside it; an error where there are not as many of each."""
    for name, given in (("docs", docs), ("claims", claims)):
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise InputError(f"{name} is a list, one entry for each claim, not {short_repr(given)}")
    if len(docs) != len(claims):
        raise InputError(f"{len(docs)} docs and {len(claims)} claims do not pair up; give as many of each")
    return list(zip(claims, docs, strict=True))


def read_in_chunks(verifier: Verifier) -> Verifier:
    """The same verifier, which reads long documents to their end."""
    from veritab.verify.model import ModelVerifier

    return replace(verifier, chunked=True) if isinstance(verifier, ModelVerifier) else verifier


def support_scores(verdicts: Sequence[Verdict]) -> SupportScores:
    """What verdicts say about support alone."""
    labels = [int(verdict.label is Label.SUPPORTS) for verdict in verdicts]
    return SupportScores(labels, [verdict.scores[Label.SUPPORTS] for verdict in verdicts])
