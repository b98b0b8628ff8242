"""Corrects refuted claims: the smallest edit by which the checker supports a claim, or none rather than a guess.

Edits are listed by rule (`edits`) from what decided against the claim, and read beside that evidence. One is offered
only where it is clearly supported, more clearly than any other in its place, and where the checker, asked about the
corrected claim as about any other, supports it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from veritab.build.edits import COMPARISON, WORDS, EditedClaim, EditFinder
from veritab.cancel import stop_if_cancelled
from veritab.schema import (
    COMPUTED,
    Claim,
    Correction,
    CorrectionOutcome,
    Edit,
    Evidence,
    Hit,
    Label,
    Verdict,
    apply_edits,
)
from veritab.text import Span, terms
from veritab.verify.shown import claim_as_read

if TYPE_CHECKING:
    from veritab.pipeline import Checker
    from veritab.verify.evidence import EvidenceInput

MOST_TRIED = 24
"""How many edits are read in each of the two passes."""
LEAST_SUPPORT = 0.8
"""How sure the checker must be of a corrected claim beside the evidence that refuted it."""
LEAST_HINT = 0.5
"""How sure a first reading must be for the checker to be asked."""
LEAST_CONFIRMED = 0.7
"""How sure the checker must be when it is asked: it reads more than what decided, and is less sure of all."""
LEAST_MARGIN = 0.1
"""How much more sure an edit must be than others in its place, its cost counted in."""
_WORTH = 4.0
"""What full support is worth against the cost of an edit."""
_BATCH = 8
_MOST_DECIDING = 8
_MOST_CONFIRMED = 3
_BEST_OF_SLOT = 2
_MOST_SLOTS = 4


class _Read(NamedTuple):
    """An edited claim, and what the checker says of it beside the evidence."""

    edited: EditedClaim
    verdict: Verdict

    @property
    def support(self) -> float:
        return self.verdict.scores[Label.SUPPORTS] if self.verdict.label is Label.SUPPORTS else 0.0

    @property
    def price(self) -> float:
        """What an edit costs, less what its support is worth."""
        return self.edited.cost - _WORTH * self.support


JudgePairs: TypeAlias = Callable[[Iterable[tuple[str | Claim, Evidence]]], list[Verdict]]
"""What says of claims whether the evidence beside each supports it."""
JudgeClaims: TypeAlias = Callable[[Sequence[Claim]], list[Verdict]]
"""What says of several claims whether the evidence at hand supports them."""


# -- doors -------------------------------------------------------------------------------------------------


def correct(checker: Checker, claim: str | Claim) -> Correction:
    """Check a claim against the corpus, and correct it where it is refuted."""
    from veritab.verify.judge import judge_evidence
    from veritab.verify.model import ModelVerifier

    verdict, evidence = checker.check_with_evidence(claim)
    if verdict.label is not Label.REFUTES:
        return settle_outcome(verdict)
    # Edits are read once, beside what decided, which takes a fraction of the time; the checker has the last word.
    near = replace(evidence, hits=_deciding_hits(verdict), background=())
    own = checker.pipeline
    verifier = replace(own.verify, alone=0) if isinstance(own.verify, ModelVerifier) else own.verify

    def judge(claims: Sequence[Claim]) -> list[Verdict]:
        given = [near] * len(claims)
        return judge_evidence(claims, given, verifier, own.decide, parts=own.parts, compute=own.compute)

    return find_correction(verdict, evidence, judge, checker.check)


def correct_given(
    claim: str | Claim,
    given: EvidenceInput | Iterable[EvidenceInput] | Evidence,
    judge_pairs: JudgePairs,
) -> Correction:
    """Judge a claim by evidence that a caller hands over, and correct it by that evidence where it is refuted.

    `judge_pairs` is `judge_many`, or the `judge` of a checker.
    """
    from veritab.verify.evidence import parse_evidence

    evidence = parse_evidence(given)

    def judge(claims: Sequence[str | Claim]) -> list[Verdict]:
        return judge_pairs([(claim, evidence) for claim in claims])

    (verdict,) = judge([claim])
    return find_correction(verdict, evidence, judge) if verdict.label is Label.REFUTES else settle_outcome(verdict)


def settle_outcome(verdict: Verdict) -> Correction:
    """What there is to say of a claim that is not refuted."""
    return Correction(verdict, CorrectionOutcome.HOLDS if verdict.label is Label.SUPPORTS else CorrectionOutcome.OPEN)


# -- the search --------------------------------------------------------------------------------------------


def find_correction(
    verdict: Verdict, evidence: Evidence, judge: JudgeClaims, confirm: Callable[[Claim], Verdict] | None = None
) -> Correction:
    """The correction of a refuted claim by the evidence that refuted it; `confirm` has the last word where given."""
    deciding = [hit.element for hit in _deciding_hits(verdict)]
    lines = (*verdict.reasoning, verdict.certificate.program)
    finder = EditFinder(verdict.claim.text, deciding, evidence, lines)
    # A reading beside what decided is a hint where the checker is asked again, and the answer where it is not.
    least = LEAST_HINT if confirm else LEAST_SUPPORT
    read: list[_Read] = []
    asked: set[str] = set()
    for some in _read_in_passes(verdict, finder, judge):
        read += some
        for each in choose(read, least)[:_MOST_CONFIRMED]:
            if each.edited.text in asked:
                continue
            asked.add(each.edited.text)
            found = confirm(replace(verdict.claim, text=each.edited.text)) if confirm else each.verdict
            if _is_clear(found, LEAST_CONFIRMED if confirm else LEAST_SUPPORT):
                edits = each.edited.edits
                asking = _asking(edits, found, evidence)
                return Correction(verdict, CorrectionOutcome.CORRECTED, edits, found, asking, len(read))
    return Correction(verdict, CorrectionOutcome.NONE, tried=len(read))


def _is_clear(verdict: Verdict, least: float) -> bool:
    """Whether a claim is clearly supported; a computation that says so needs nothing else to agree."""
    settled = verdict.certificate.computed is Label.SUPPORTS or not verdict.uncertain
    return verdict.label is Label.SUPPORTS and verdict.confidence >= least and settled


def _read_in_passes(verdict: Verdict, finder: EditFinder, judge: JudgeClaims) -> Iterator[list[_Read]]:
    """First what a computation asks for, then all other edits, then two of them at once."""
    listed = finder.find(MOST_TRIED)
    read = []
    for computed in (True, False):
        some = _read(verdict, [each for each in listed if each.computed is computed], judge)
        read += some
        yield some
    pairs = [each for each in combine(verdict.claim.text, read) if finder.keeps_bounds(each.text)]
    yield _read(verdict, pairs[:MOST_TRIED], judge)


def _read(verdict: Verdict, listed: Sequence[EditedClaim], judge: JudgeClaims) -> list[_Read]:
    found = []
    for start in range(0, len(listed), _BATCH):
        stop_if_cancelled()
        some = listed[start : start + _BATCH]
        verdicts = judge([Claim("", _as_read(verdict, each)) for each in some])
        found += [_Read(*each) for each in zip(some, verdicts, strict=True)]
    return found


def _as_read(verdict: Verdict, edited: EditedClaim) -> str:
    """An edited claim in the words in which the claim was read, with names for descriptions, where these allow it."""
    read = claim_as_read(verdict).text
    if read == verdict.claim.text or any(read.count(edit.old) != 1 for edit in edited.edits):
        return edited.text
    for edit in edited.edits:
        read = read.replace(edit.old, edit.new)
    return read


def choose(read: Sequence[_Read], least: float = LEAST_SUPPORT) -> list[_Read]:
    """The edits worth offering, best first: clearly supported, and more clearly than others in the same place."""
    by_slot: dict[tuple[Span, ...], list[_Read]] = {}
    # Another subject makes another claim of it, which is no correction where one may be had without.
    others = [each for each in read if not each.edited.changes_subject]
    for each in others if any(each.support for each in others) else read:
        by_slot.setdefault(each.edited.slots, []).append(each)
    kept = [best for several in by_slot.values() if (best := _best_of_slot(several, least))]
    return sorted(kept, key=lambda each: each.price)


def _best_of_slot(several: Sequence[_Read], least: float) -> _Read | None:
    """The edit of a stretch that is clearly the right one; of words that turn a comparison round, several may be."""
    ranked = sorted(several, key=lambda each: each.price)
    supported = [each for each in ranked if each.support >= least]
    if not supported:
        return None
    best = supported[0]
    if best.edited.computed or all(edit.kind == COMPARISON for edit in best.edited.edits):
        return best
    rivals = (each.price - best.price for each in ranked if each.support and not _says_the_same(each, best))
    return best if min(rivals, default=_WORTH) >= LEAST_MARGIN * _WORTH else None


def _says_the_same(one: _Read, other: _Read) -> bool:
    """Whether the new words of one edit are among those of another: "the North Sea, Netherlands"."""
    said = [frozenset(terms(" ".join(edit.new for edit in each.edited.edits))) for each in (one, other)]
    return said[0] <= said[1] or said[1] <= said[0]


def combine(claim: str, read: Sequence[_Read]) -> list[EditedClaim]:
    """Two edits at once, of those that did best alone in different places."""
    ranked = sorted(read, key=lambda each: (-each.verdict.scores[Label.SUPPORTS], each.edited.cost))
    slots: dict[tuple[Span, ...], list[EditedClaim]] = {}
    for each in ranked:
        if (
            len(each.edited.edits) == 1
            and each.edited.edits[0].kind != WORDS
            and len(slots.setdefault(each.edited.slots, [])) < _BEST_OF_SLOT
        ):
            slots[each.edited.slots].append(each.edited)
    found = []
    for one, other in combinations(list(slots.values())[:_MOST_SLOTS], 2):
        for first in one:
            for second in other:
                edits = (*first.edits, *second.edits)
                if not _overlap(*edits) and edits[0].new != edits[1].new:
                    found.append(EditedClaim(apply_edits(claim, edits), edits, first.cost + second.cost + 1))
    return found


def _overlap(one: Edit, other: Edit) -> bool:
    return one.start == other.start or (one.start < other.end and other.start < one.end)


def _deciding_hits(verdict: Verdict) -> tuple[Hit, ...]:
    """The evidence that decided, most important first: what was computed with, what the verdict rests on, the rest."""
    smallest = frozenset(verdict.certificate.smallest or ())
    ranked = sorted(verdict.evidence, key=lambda hit: (hit.by != COMPUTED, hit.element.id not in smallest))
    return tuple(ranked[:_MOST_DECIDING])


def _asking(edits: Sequence[Edit], found: Verdict, evidence: Evidence) -> tuple[Hit, ...]:
    """The evidence that says the new words; where none does by itself, what the corrected claim rests on."""
    said = {edit.source for edit in edits if edit.source}
    hits = [*found.evidence, *evidence.hits, *evidence.background]
    asking = {hit.element.id: hit for hit in hits if hit.element.id in said}
    return tuple(asking.values()) or found.evidence[:3]
