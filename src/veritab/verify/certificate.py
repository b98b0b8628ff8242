"""Works out what a verdict rests on: the smallest evidence that keeps its label, and the single pieces that flip it.

Readings cost time, so there are few: the likeliest pieces alone, then without one of them. They see elements only, not
the tables around them. What was computed keeps a verdict by itself where it says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from veritab.schema import COMPUTED, Claim, Decider, ElementId, Evidence, Flip, Label, PartVerdict, Verdict, Verifier
from veritab.verify.compose import Piece
from veritab.verify.judge import judge_evidence
from veritab.verify.model import ModelVerifier
from veritab.verify.reasons import join_unique, say_what_speaks, tells_reading
from veritab.verify.shown import claim_as_read, cut_evidence, rank_pieces

_BEST = (2, 4)
"""How many of the likeliest pieces are tried, one number after the other, where no single one is enough."""
_BEST_OF_A_PART = (2,)
_TRIED_FOR_A_PART = 3
_MOST_ENOUGH = 16
"""The most elements that are called the smallest evidence: of more, nobody sees what counts."""
_LEFT_OUT = 2
"""How many pieces are tried to be left out."""
_MOST = 5
"""How many of the likeliest pieces are read where one is left out."""


def certify(verdicts: Sequence[Verdict], verifier: Verifier, decider: Decider) -> list[Verdict]:
    """The verdicts with the smallest evidence that keeps each and the pieces that flip it.

    A model takes as long for several texts together as one after the other, so nothing is read that an earlier reading
    made needless.
    """
    if isinstance(verifier, ModelVerifier):
        # Of so little evidence the best piece tells no more than all of it.
        verifier = replace(verifier, alone=0)
    verdicts = _certify_parts(verdicts, verifier, decider)
    ablations = [_Ablation(verdict) for verdict in verdicts]
    # A language model says itself what its answer rests on, and each reading of it costs money.
    tried = [each for each in ablations if not each.verdict.certificate.cited]
    for several in zip_longest(*(each.candidates for each in tried)):
        subsets = [(each, subset) for each, subset in zip(tried, several, strict=True) if subset and each.is_open]
        _read_subsets(subsets, verifier, decider)
    _read_subsets([(each, subset) for each in tried for subset in each.remainders()], verifier, decider)
    return [each.certified() for each in ablations]


def _read_subsets(tried: Sequence[tuple[_Ablation, Piece]], verifier: Verifier, decider: Decider) -> None:
    """The verdict on each claim by a part of its evidence, kept with the ablation."""
    for parts in (False, True):  # a claim that was judged by its parts is judged so again
        some = [(ablation, subset) for ablation, subset in tried if ablation.has_parts is parts]
        claims = [claim_as_read(ablation.verdict) for ablation, _ in some]
        evidence = [Evidence.of(subset, ranked=True) for _, subset in some]
        verdicts = judge_evidence(claims, evidence, verifier, decider, parts=parts, compute=False)
        for (ablation, subset), verdict in zip(some, verdicts, strict=True):
            ablation.found[subset] = verdict


@dataclass
class _Ablation:
    """One verdict, its evidence in pieces, and the verdicts that parts of that evidence give."""

    verdict: Verdict
    best: tuple[int, ...] = _BEST
    found: dict[Piece, Verdict] = field(default_factory=dict)
    pieces: list[Piece] = field(init=False)
    computed: Piece = field(init=False)
    candidates: list[Piece] = field(init=False)
    """Parts of the evidence that may be enough, small ones first; all of it is, and needs no reading."""

    def __post_init__(self) -> None:
        self.pieces = rank_pieces(claim_as_read(self.verdict).text, self.verdict.evidence)
        self.computed = self._find_computed()
        self.candidates = self._find_candidates()

    @property
    def has_parts(self) -> bool:
        return bool(self.verdict.certificate.parts)

    def _find_computed(self) -> Piece:
        """What was computed with, where that says what the verdict says: for the claim or the parts that decide."""
        certificate, label = self.verdict.certificate, self.verdict.label
        if self.has_parts and certificate.computed is not label:
            deciding = [part for part in certificate.parts if part.label is label]
            wanted = self._of_parts() if all(part.computed is label for part in deciding) else []
        elif certificate.computed in (None, label):
            wanted = [hit.element.id for hit in self.verdict.evidence if hit.by == COMPUTED]
        else:
            wanted = []
        elements = {hit.element.id: hit.element for hit in self.verdict.evidence}
        return tuple(elements[id] for id in wanted)

    def _of_parts(self) -> list[ElementId]:
        """The evidence of the parts that decide: of all where the claim holds, of the refuted where it does not."""
        parts = self.verdict.certificate.parts
        return list(dict.fromkeys(id for part in parts if part.label is self.verdict.label for id in part.evidence))

    @property
    def _is_decided(self) -> bool:
        return self.verdict.label is not Label.NOT_ENOUGH_INFO

    @property
    def is_open(self) -> bool:
        """Whether no part of the evidence is known to be enough."""
        return self._is_decided and not self.computed and self._kept() is None

    def _find_candidates(self) -> list[Piece]:
        elements = {element.id: element for piece in self.pieces for element in piece}
        of_parts = tuple(elements[id] for id in self._of_parts() if id in elements)
        shown = {hit.element.id for hit in cut_evidence(self.verdict).evidence}
        likely = tuple(element for element in _flatten(self.pieces) if element.id in shown)
        # The second piece alone too: it is the best text where the first is a row, and the other way round.
        first = [_flatten(self.pieces[:1]), _flatten(self.pieces[1:2])]
        tried = [of_parts, *first, *(_flatten(self.pieces[:number]) for number in self.best), likely]
        is_small = (0 < len(each) < min(len(elements), _MOST_ENOUGH) for each in tried)
        return list(dict.fromkeys(subset for subset, small in zip(tried, is_small, strict=True) if small))

    def remainders(self) -> list[Piece]:
        """All pieces but one, for the best; what was computed with counts as one."""
        return [rest for rest in map(self._without, self._decisive()) if rest]

    def _decisive(self) -> list[Piece]:
        if not self._is_decided:
            return []
        if self.computed:
            return [self.computed]
        kept = set(self.smallest() or ())
        return [piece for piece in self.pieces if set(piece) <= kept][:_LEFT_OUT]

    def _without(self, left_out: Piece) -> Piece:
        gone = set(left_out)
        return _flatten([piece for piece in self.pieces if not set(piece) <= gone][:_MOST])

    def _kept(self) -> Piece | None:
        """The first part of the evidence whose reading gave the same label."""
        label = self.verdict.label
        return next((subset for subset in self.candidates if self._label_of(subset) is label), None)

    def _label_of(self, subset: Piece) -> Label | None:
        return self.found[subset].label if subset in self.found else None

    def smallest(self) -> Piece | None:
        """The least evidence that keeps the label; None where much of it is needed."""
        if not self._is_decided:
            return ()
        if self.computed:
            return self.computed
        is_little = len(self.pieces) <= max(self.best)
        return self._kept() or (_flatten(self.pieces) if is_little else None)

    def certified(self) -> Verdict:
        """The verdict with what it rests on."""
        cited = self.verdict.certificate.cited
        if cited:
            rests_on = cited if self._is_decided else ()
            return replace(self.verdict, certificate=replace(self.verdict.certificate, smallest=rests_on))
        smallest = self.smallest()
        flips: list[Flip] = []
        for piece in self._decisive():
            label = self._label_of(self._without(piece)) or Label.NOT_ENOUGH_INFO
            if label is not self.verdict.label:
                flips += [Flip(element.id, label) for element in piece]
        ids = None if smallest is None else tuple(element.id for element in smallest)
        certificate = replace(self.verdict.certificate, smallest=ids, flips=None if smallest is None else tuple(flips))
        return replace(self.verdict, certificate=certificate, reasoning=self._reasoning())

    def _reasoning(self) -> tuple[str, ...]:
        """The reasons, with the pieces named that were found to be enough when they were read alone."""
        before, kept = self.verdict.reasoning, self._kept()
        if kept is None or self.has_parts:
            return before
        held = set(kept)
        pieces = [piece for piece in self.pieces if held.issuperset(piece)]
        line = say_what_speaks(pieces, self.verdict.label, self.found[kept].confidence)
        return join_unique([line, *(each for each in before if not tells_reading(each))])


# -- the parts of claims -----------------------------------------------------------------------------------


def _certify_parts(verdicts: Sequence[Verdict], verifier: Verifier, decider: Decider) -> list[Verdict]:
    """The verdicts with the least evidence that keeps the label of each part."""
    parts = [
        (place, number, _Ablation(_part_alone(verdict, part), _BEST_OF_A_PART))
        for place, verdict in enumerate(verdicts)
        for number, part in enumerate(verdict.certificate.parts)
        if not verdict.certificate.cited and part.label is not Label.NOT_ENOUGH_INFO
    ]
    for number in range(_TRIED_FOR_A_PART):
        tried = [(each, each.candidates[number]) for *_, each in parts if len(each.candidates) > number]
        _read_subsets([(each, subset) for each, subset in tried if each.is_open], verifier, decider)
    own = {(place, number): each.smallest() for place, number, each in parts}
    return [_with_parts(verdict, place, own) for place, verdict in enumerate(verdicts)]


def _part_alone(verdict: Verdict, part: PartVerdict) -> Verdict:
    """A part as a claim of its own, by the evidence for the whole; of what was computed, by its own."""
    own = set(part.evidence) if part.computed is part.label else set()
    hits = tuple(
        replace(hit, by=COMPUTED) if hit.element.id in own else hit
        for hit in verdict.evidence
        if hit.by != COMPUTED or hit.element.id in own
    )
    certificate = replace(verdict.certificate, computed=part.computed, parts=(), read_as="")
    return Verdict(Claim(verdict.claim.id, part.text), part.label, part.scores, hits, (), certificate)


def _with_parts(verdict: Verdict, place: int, own: dict[tuple[int, int], Piece | None]) -> Verdict:
    if not verdict.certificate.parts:
        return verdict
    parts = tuple(
        replace(part, evidence=tuple(element.id for element in found)) if (found := own.get((place, number))) else part
        for number, part in enumerate(verdict.certificate.parts)
    )
    return replace(verdict, certificate=replace(verdict.certificate, parts=parts))


def _flatten(pieces: Iterable[Piece]) -> Piece:
    return tuple(element for piece in pieces for element in piece)
