"""What a changed claim implies: the label of a mutation follows from that of its source and from what the rule knows.

Where nothing follows, the label is unknown: it is for the checker or for people to say.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from veritab.build.kinds import CorpusKinds
from veritab.schema import Element, ElementId, Label

S, R, N = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO


class Implication(NamedTuple):
    """The labels that a mutation of a supported, refuted or undecided claim has, and why; None is unknown."""

    supports: Label | None
    refutes: Label | None
    not_enough: Label | None
    reason: str

    def of(self, label: Label | None) -> Label | None:
        """The label of a mutation of a claim that has this one."""
        return {S: self.supports, R: self.refutes, N: self.not_enough}.get(label) if label else None


IMPLICATIONS: Mapping[str, Implication] = {
    "same": Implication(S, R, N, "it says the same in other words"),
    "denied": Implication(R, S, N, "it denies the whole sentence, so that one of the two is true"),
    "denied in part": Implication(R, None, None, "it denies one of several things; another may be what is false"),
    "other value": Implication(R, None, None, "one thing has one such value; a wrong one may become right, or not"),
    "contrary": Implication(R, None, None, "both cannot be true, but both can be false"),
    "contradicted": Implication(R, None, None, "the evidence names another thing in this very place"),
    "open": Implication(None, None, None, "both may be true, and nothing at hand says that they are not"),
    "follows": Implication(S, None, None, "what is true of the narrower is true of the wider, not the other way"),
    "adds truth": Implication(S, R, N, "it says the same, and a thing besides that the corpus says"),
    "narrower": Implication(None, R, None, "if the wider claim is false, so is the narrower one; nothing else follows"),
}
"""What follows from how a claim was changed."""


class MutatedText(NamedTuple):
    """A changed claim: its text, the implication that holds for it, what was done, and evidence it needs besides."""

    text: str
    implication: str
    details: Mapping[str, Any]
    more_evidence: tuple[ElementId, ...] = ()


class SourceClaim(NamedTuple):
    """The claim that is changed, with what the corpus has of it."""

    text: str
    evidence: tuple[frozenset[ElementId], ...]
    kinds: CorpusKinds
    element_of: Callable[[ElementId], Element | None]

    @property
    def pages(self) -> list[str]:
        """The pages that its evidence is on."""
        return sorted({id.page for gold in self.evidence for id in gold})


Rule = Callable[[SourceClaim, random.Random], Iterator[MutatedText]]
