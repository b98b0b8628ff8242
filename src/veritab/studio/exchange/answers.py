"""What people said of a claim, as it travels in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from veritab.schema import ElementId, EvidenceSet, Label
from veritab.studio.log import EvidenceSets, LogEvent


class ExchangedAnswer(NamedTuple):
    """What somebody said of a claim; where there is neither a label nor a rating, they had not finished."""

    annotator: str
    label: Label | None
    sets: EvidenceSets = ()
    challenge: str = ""
    operations: tuple[LogEvent, ...] = ()
    seconds: float = 0.0
    rating: str = ""
    """How well the claim reads, where that was asked; one that nobody understands gets no label."""

    @property
    def is_finished(self) -> bool:
        return self.label is not None or bool(self.rating)

    @property
    def says_something(self) -> bool:
        return self.is_finished or bool(self.sets)

    @property
    def verdict(self) -> tuple[Label | None, frozenset[EvidenceSet], str]:
        """What the answer comes to, whoever gave it and however."""
        return self.label, frozenset(map(frozenset, self.sets)), self.challenge


NO_ANSWER = ExchangedAnswer("", None)


def agree(answers: Sequence[ExchangedAnswer]) -> ExchangedAnswer:
    """What answers say together: their label where all have the same, and the evidence sets of all, each once.

    Any one set is enough, so what one person found is as good as what another did. The rest is that of the first.
    """
    if not answers or len({answer.label for answer in answers}) > 1:
        return NO_ANSWER
    sets: dict[EvidenceSet, tuple[ElementId, ...]] = {}
    for pieces in (pieces for answer in answers for pieces in answer.sets):
        sets.setdefault(frozenset(pieces), pieces)
    return answers[0]._replace(sets=tuple(sets.values()))
