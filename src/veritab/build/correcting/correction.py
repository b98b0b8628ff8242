"""Corrects refuted claims: the smallest edit by which the checker supports a claim, or none rather than a guess.

Edits are listed by rule (`edits`) from what decided against the claim, and read beside that evidence. One is offered
only where it is clearly supported, more clearly than any other in its place, and where the checker, asked about the
corrected claim as about any other, supports it too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from veritab.build.correcting.edits import COMPARISON, DATE, NAME, VALUES, WORDS, EditedClaim, EditFinder
from veritab.build.correcting.evidence_words import find_name_spans
from veritab.cancel import stop_if_cancelled
from veritab.quantities import Date, parse_numbers
from veritab.schema import (
    COMPUTED,
    Claim,
    Correction,
    CorrectionOutcome,
    Edit,
    ElementId,
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
"""How many edits are read one by one."""
LEAST_SUPPORT = 0.8
"""How sure the checker must be of a corrected claim beside the evidence that refuted it."""
LEAST_HINT = 0.5
"""How sure a first reading must be for the checker to be asked."""
LEAST_CONFIRMED = 0.75
"""How sure the checker must be when it is asked: it reads more than what decided, and is less sure of all."""
LEAST_OF_TWO = 0.9
"""How sure it must be then of two edits, of which either may be wrong."""
LEAST_MARGIN = 0.1
"""How much more sure an edit must be than others in its place, its cost counted in."""
_WORTH = 4.0
"""What full support is worth against the cost of an edit."""
_BATCH = 4
_MOST_ASKING = 3
_MOST_PAIRS = 12
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
# -- doors -------------------------------------------------------------------------------------------------


def correct(checker: Checker, claim: str | Claim) -> Correction:
    """Check a claim against the corpus, and correct it where it is refuted."""
    from veritab.verify.judge import judge_evidence
    from veritab.verify.model import ModelVerifier

    verdict, evidence = checker.check_with_evidence(claim)
    if verdict.label is not Label.REFUTES:
        return _tell_unrefuted(verdict)
    # Edits are read once, beside what they are made of, which takes a fraction of the time; the checker has the last
    # word.
    own = checker.pipeline
    verifier = replace(own.verify, alone=0) if isinstance(own.verify, ModelVerifier) else own.verify

    def judge(pairs: Iterable[tuple[str | Claim, Evidence]]) -> list[Verdict]:
        claims, given = zip(*((_as_claim(claim), replace(each, background=())) for claim, each in pairs), strict=True)
        return judge_evidence(claims, given, verifier, own.decide, parts=own.parts, compute=own.compute)

    return EditSearch(verdict, evidence, judge, checker.check).run()


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

    (verdict,) = judge_pairs([(claim, evidence)])
    if verdict.label is not Label.REFUTES:
        return _tell_unrefuted(verdict)
    return EditSearch(verdict, evidence, judge_pairs).run()


def _tell_unrefuted(verdict: Verdict) -> Correction:
    """What there is to say of a claim that is not refuted."""
    return Correction(verdict, CorrectionOutcome.HOLDS if verdict.label is Label.SUPPORTS else CorrectionOutcome.OPEN)


# -- the search --------------------------------------------------------------------------------------------


class EditSearch:
    """Looks for the correction of a refuted claim by the evidence that refuted it."""

    def __init__(
        self, verdict: Verdict, evidence: Evidence, judge: JudgePairs, confirm: Callable[[Claim], Verdict] | None = None
    ) -> None:
        """`confirm` has the last word where it is given; what `judge` says is then a hint."""
        self._verdict = verdict
        self._evidence = evidence
        self._judge = judge
        self._confirm = confirm
        self._deciding = _deciding_hits(verdict)
        lines = (*verdict.reasoning, verdict.certificate.program)
        self._finder = EditFinder(verdict.claim.text, [hit.element for hit in self._deciding], evidence, lines)
        self._least = LEAST_HINT if confirm else LEAST_SUPPORT
        self._read: list[_Read] = []
        self._refused: set[str] = set()
        self._half_right: set[str] = set()

    def run(self) -> Correction:
        """The first edit, of the best in each pass, that is clearly supported."""
        for listed in self._passes():
            self._read_edits(listed)
            for each in choose(self._read, self._least)[:_MOST_CONFIRMED]:
                if each.edited.text in self._refused:
                    continue
                found = self._ask_again(each)
                is_clear = self._is_clear(each.edited, found)
                if is_clear and self._is_rest_false(each.edited):
                    self._half_right.add(each.edited.text)
                elif is_clear:
                    edits = tuple(_narrow(edit) if edit.kind in VALUES else edit for edit in each.edited.edits)
                    asking = _asking(edits, found, self._evidence)
                    return Correction(self._verdict, CorrectionOutcome.CORRECTED, edits, found, asking, len(self._read))
                self._refused.add(each.edited.text)
        return Correction(self._verdict, CorrectionOutcome.NONE, tried=len(self._read))

    def _passes(self) -> Iterator[list[EditedClaim]]:
        """What a computation asks for; other edits; those that make it another subject's claim; two edits at once."""
        listed = self._finder.find(MOST_TRIED)
        yield [each for each in listed if each.computed]
        yield [each for each in listed if not each.computed and not each.changes_subject]
        # Another subject makes another claim of it, which is no correction where one may be had without, or where the
        # claim itself may be true.
        if self._verdict.confidence >= LEAST_CONFIRMED and not any(each.support for each in self._read):
            yield [each for each in listed if each.changes_subject]
        # Where one edit was supported by itself, another beside it is a way around what spoke against it.
        alone = [each for each in self._read if each.support < self._least or each.edited.text in self._half_right]
        pairs = combine(self._verdict.claim.text, alone)
        yield [each for each in pairs if self._finder.keeps_bounds(each.text)][:_MOST_PAIRS]

    def _read_edits(self, listed: Sequence[EditedClaim]) -> None:
        """Read edited claims, the likeliest first, until no other one can be better than the best."""
        for start in range(0, len(listed), _BATCH):
            stop_if_cancelled()
            some = listed[start : start + _BATCH]
            if self._is_decided(some[0].cost):
                return
            verdicts = self._judge([(Claim("", _as_read(self._verdict, each)), self._beside(each)) for each in some])
            self._read += [_Read(*each) for each in zip(some, verdicts, strict=True)]

    def _is_decided(self, cost: float) -> bool:
        """Whether an edit that costs as much, or more, can neither be the best nor come close to it."""
        able = (each for each in self._read if each.support >= LEAST_SUPPORT and each.edited.text not in self._refused)
        best = min((each.price for each in able), default=None)
        return best is not None and cost - _WORTH >= best + LEAST_MARGIN * _WORTH

    def _beside(self, edited: EditedClaim) -> Evidence:
        """What an edited claim is read beside: what the verdict rests on, and where the new words stand."""
        smallest = self._verdict.certificate.smallest
        if not self._confirm:
            return self._evidence
        if not smallest:
            return replace(self._evidence, hits=self._deciding)
        wanted = {*smallest, *(edit.source for edit in edited.edits)}
        hits = {hit.element.id: hit for hit in (*self._deciding, *self._evidence.hits, *self._evidence.background)}
        kept = tuple(hit for id, hit in hits.items() if id in wanted)
        return replace(self._evidence, hits=kept or self._deciding)

    def _ask_again(self, read: _Read) -> Verdict:
        if not self._confirm:
            return read.verdict
        return self._confirm(replace(self._verdict.claim, text=read.edited.text))

    def _is_clear(self, edited: EditedClaim, found: Verdict) -> bool:
        """Whether a corrected claim is clearly supported.

        Where computing and reading disagree, computing may say so alone only of an edit that it asks for, or where it
        computes with the same cells as for the claim itself: of other words it may compute something else.
        """
        same = _computed_with(found) == _computed_with(self._verdict)
        asked_for = edited.computed or same or all(edit.kind == COMPARISON for edit in edited.edits)
        settled = not found.uncertain or (asked_for and found.certificate.computed is Label.SUPPORTS)
        least = (LEAST_OF_TWO if len(edited.edits) > 1 else LEAST_CONFIRMED) if self._confirm else LEAST_SUPPORT
        return found.label is Label.SUPPORTS and found.confidence >= least and settled

    def _is_rest_false(self, edited: EditedClaim) -> bool:
        """Whether the claim is false without an edited phrase too: "born in Paris in 1877", of one born elsewhere.

        Of two edits, each has to be supported without the other.
        """
        if not self._confirm:
            return False
        for rest in without_phrases(edited):
            verdict = self._confirm(replace(self._verdict.claim, text=rest))
            refuted = verdict.label is Label.REFUTES and not verdict.uncertain
            if refuted or (len(edited.edits) > 1 and verdict.label is not Label.SUPPORTS):
                return True
        return False


def _narrow(edit: Edit) -> Edit:
    """The edit without the words that it begins and ends with before and after: "19" for "24", not "19 metres"."""
    old, new = edit.old.split(" "), edit.new.split(" ")
    least = min(len(old), len(new)) - 1
    first = next((n for n in range(least) if old[n] != new[n]), max(least, 0))
    last = next((n for n in range(least - first) if old[-1 - n] != new[-1 - n]), max(least - first, 0))
    before, after = (len(" ".join([*words, ""])) if words else 0 for words in (old[:first], old[len(old) - last :]))
    new_words = " ".join(new[first : len(new) - last])
    return edit._replace(
        start=edit.start + before, end=edit.end - after, old=" ".join(old[first : len(old) - last]), new=new_words
    )


def _as_claim(claim: str | Claim) -> Claim:
    return claim if isinstance(claim, Claim) else Claim("", claim)


def _computed_with(verdict: Verdict) -> frozenset[ElementId]:
    return frozenset(hit.element.id for hit in verdict.evidence if hit.by == COMPUTED)


_BEFORE = re.compile(r",? (?:in|on|at|since|until|from|by)(?: the)? $")
_AFTER = re.compile(r",?(?= (?:in|on|at|since|until|from|by|with|for) )|(?=\W*$)")
"""What stands around a phrase that a sentence can do without."""


def without_phrases(edited: EditedClaim) -> Iterator[str]:
    """The edited claim without each date or name that is edited, where the rest says something besides its subject."""
    shift = 0
    for edit in sorted(edited.edits, key=lambda edit: edit.start):
        start = edit.start + shift
        end = start + len(edit.new)
        shift += len(edit.new) - len(edit.old)
        before, after = _BEFORE.search(edited.text[:start]), _AFTER.match(edited.text, end)
        if edit.kind in (DATE, NAME) and before and after:
            rest = edited.text[: before.start()] + edited.text[after.end() :]
            dated = any(isinstance(value, Date) for value in parse_numbers(rest))
            if dated or any(start > rest.find(" ") for start, _ in find_name_spans(rest)):
                yield rest


def _as_read(verdict: Verdict, edited: EditedClaim) -> str:
    """An edited claim in the words in which the claim was read, with names for descriptions, where these allow it."""
    read = claim_as_read(verdict).text
    if read == verdict.claim.text or any(read.count(edit.old) != 1 for edit in edited.edits):
        return edited.text
    moved = (edit._replace(start=(start := read.index(edit.old)), end=start + len(edit.old)) for edit in edited.edits)
    return apply_edits(read, tuple(moved))


def choose(read: Sequence[_Read], least: float = LEAST_SUPPORT) -> list[_Read]:
    """The edits worth offering, best first: clearly supported, and more clearly than others in the same place."""
    by_slot: dict[tuple[Span, ...], list[_Read]] = {}
    for each in read:
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
            and not each.edited.changes_subject
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
    """The evidence that says the new words; where none does by itself, what the corrected claim rests on.

    What a computation did not use says them by chance: "four", where a count gave "fourth".
    """
    computed = [hit for hit in found.evidence if hit.by == COMPUTED]
    said = {edit.source for edit in edits if edit.source}
    if computed:
        said &= {hit.element.id for hit in computed}
    hits = [*found.evidence, *evidence.hits, *evidence.background]
    asking = {hit.element.id: hit for hit in hits if hit.element.id in said}
    return tuple(asking.values()) or tuple(computed or found.evidence)[:_MOST_ASKING]
