"""Works out what a verdict rests on: the smallest evidence that keeps its label, and the single pieces that flip it.

Readings cost time, so there are few: the best pieces alone, then without one of them. They see elements only, not the
tables around them. What was computed keeps a verdict by itself where it says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from veritab.schema import COMPUTED, Claim, Decider, Evidence, Flip, Label, Verdict, Verifier
from veritab.verify.compose import Piece, group_by_row
from veritab.verify.judge import judge_evidence
from veritab.verify.model import ModelVerifier

_BEST = (1, 2, 4)
"""How many of the best pieces are tried, one number after the other."""
_LEFT_OUT = 2
"""How many pieces are tried to be left out."""
_MOST = 5
"""How many of the best pieces are read where one is left out."""


def certify(verdicts: Sequence[Verdict], verifier: Verifier, decider: Decider) -> list[Verdict]:
    """The verdicts with the smallest evidence that keeps each and the pieces that flip it.

    A model takes as long for several texts together as one after the other, so nothing is read that an earlier reading
    made needless.
    """
    if isinstance(verifier, ModelVerifier):
        # Of so little evidence the best piece tells no more than all of it.
        verifier = replace(verifier, alone=0)
    ablations = [_Ablation(verdict) for verdict in verdicts]
    # A language model says itself what its answer rests on, and each reading of it costs money.
    tried = [each for each in ablations if not each.verdict.certificate.cited]
    for number in _BEST:
        _label_subsets([(each, subset) for each in tried for subset in each.try_best(number)], verifier, decider)
    _label_subsets([(each, subset) for each in tried for subset in each.try_without()], verifier, decider)
    return [each.certified() for each in ablations]


def _label_subsets(tried: Sequence[tuple[_Ablation, Piece]], verifier: Verifier, decider: Decider) -> None:
    """The label of each verdict on a part of its evidence, kept with the ablation."""
    for parts in (False, True):  # a claim that was judged by its parts is judged so again
        some = [(ablation, subset) for ablation, subset in tried if bool(ablation.verdict.certificate.parts) is parts]
        claims = [_claim_as_read(ablation.verdict) for ablation, _ in some]
        evidence = [Evidence.of(subset, ranked=True) for _, subset in some]
        verdicts = judge_evidence(claims, evidence, verifier, decider, parts=parts, compute=False)
        for (ablation, subset), verdict in zip(some, verdicts, strict=True):
            ablation.labels[subset] = verdict.label


def _claim_as_read(verdict: Verdict) -> Claim:
    claim = verdict.claim
    return replace(claim, text=verdict.certificate.read_as) if verdict.certificate.read_as else claim


class _Ablation:
    """One verdict, its evidence in pieces, and the labels that parts of that evidence give."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.labels: dict[Piece, Label] = {}
        self._computed = tuple(hit.element for hit in verdict.evidence if hit.by == COMPUTED)
        self._pieces = list(group_by_row(hit.element for hit in verdict.evidence))
        computed = verdict.certificate.computed
        self._is_computed = bool(self._computed) and computed in (None, verdict.label)

    @property
    def _is_decided(self) -> bool:
        return self.verdict.label is not Label.NOT_ENOUGH_INFO

    def try_best(self, number: int) -> Iterator[Piece]:
        """The best pieces by themselves, where fewer were not enough and more are left."""
        is_open = self._is_decided and not self._is_computed and self.verdict.label not in self.labels.values()
        if is_open and number < len(self._pieces):
            yield _flatten(self._pieces[:number])

    def try_without(self) -> Iterator[Piece]:
        """All pieces but one, for the best; what was computed with counts as one."""
        if self._is_decided:
            yield from filter(None, map(self._without, self._decisive()))

    def _decisive(self) -> list[Piece]:
        if self._is_computed:
            return [self._computed]
        kept = set(self._smallest())
        return [piece for piece in self._pieces if set(piece) <= kept][:_LEFT_OUT]

    def _without(self, left_out: Piece) -> Piece:
        gone = set(left_out)
        return _flatten([piece for piece in self._pieces if not set(piece) <= gone][:_MOST])

    def _smallest(self) -> Piece:
        if self._is_computed:
            return self._computed
        tried = (_flatten(self._pieces[:number]) for number in _BEST)
        keeps = (subset for subset in tried if self.labels.get(subset) is self.verdict.label)
        return next(keeps, _flatten(self._pieces))

    def certified(self) -> Verdict:
        cited = self.verdict.certificate.cited
        if cited:
            return replace(self.verdict, certificate=replace(self.verdict.certificate, smallest=cited))
        smallest: Piece = ()
        flips: list[Flip] = []
        if self._is_decided:
            smallest = self._smallest()
            for piece in self._decisive():
                label = self.labels.get(self._without(piece), Label.NOT_ENOUGH_INFO)
                if label is not self.verdict.label:
                    flips += [Flip(element.id, label) for element in piece]
        ids = tuple(element.id for element in smallest)
        return replace(self.verdict, certificate=replace(self.verdict.certificate, smallest=ids, flips=tuple(flips)))


def _flatten(pieces: Iterable[Piece]) -> Piece:
    return tuple(element for piece in pieces for element in piece)
