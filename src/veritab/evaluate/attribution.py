"""Error attribution: the first stage at which the needed evidence was lost.

Of several gold sets the one counts that the system came closest to, since any of them is enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from veritab.datasets import Task
from veritab.evaluate.scores import within_budget
from veritab.schema import CELLS, ElementId, EvidenceSet, Example, Label


class Fault(StrEnum):
    """The outcome of a claim, in the order of the stages it goes through."""

    UNANSWERED = "no answer"
    PAGE = "page missed"
    ELEMENT = "element missed"
    CELL = "cell missed"
    LIMIT = "evidence found, but beyond the limit"
    LABEL = "label wrong on full evidence"
    INVENTED = "label wrong, nothing to be found"
    UNPLACED = "label wrong, evidence not scored"
    NONE = "right"


class SystemAnswer(NamedTuple):
    """The answer of a system: its label, its evidence best first, and the pages it read, where it names them."""

    label: Label | None
    evidence: Sequence[ElementId] = ()
    read: Iterable[str] = ()


class Attribution(NamedTuple):
    """The fault of an answer, what was missing of the nearest gold set, and whether the label was right anyway."""

    fault: Fault
    missing: tuple[ElementId, ...] = ()
    label_right: bool = False


def attribute(example: Example, answer: SystemAnswer | None, task: Task) -> Attribution:
    """Where an answer went wrong; `task` says how much evidence counts."""
    if answer is None or answer.label is None:
        return Attribution(Fault.UNANSWERED)
    right = answer.label is example.label
    if not _asks_for_evidence(example, task):
        return Attribution(Fault.NONE if right else _without_gold(example), label_right=right)
    pages = {*answer.read, *(id.page for id in answer.evidence)}
    fault, missing = max(
        (_lost(gold, answer.evidence, pages, task) for gold in example.evidence), key=lambda lost: _nearness(*lost)
    )
    if fault is Fault.LABEL and right:
        return Attribution(Fault.NONE, label_right=True)
    return Attribution(fault, missing, right)


def _asks_for_evidence(example: Example, task: Task) -> bool:
    if example.silver or not example.evidence:
        return False
    return task == "feverous" or (task == "fever" and example.label is not Label.NOT_ENOUGH_INFO)


def _without_gold(example: Example) -> Fault:
    unknowable = example.label is Label.NOT_ENOUGH_INFO and not example.silver
    return Fault.INVENTED if unknowable else Fault.UNPLACED


def _lost(
    gold: EvidenceSet, evidence: Sequence[ElementId], pages: set[str], task: Task
) -> tuple[Fault, tuple[ElementId, ...]]:
    """The stage at which a gold set was lost, and what of it; `LABEL` where nothing of it was."""
    unread = [id for id in gold if id.page not in pages]
    if unread:
        return Fault.PAGE, tuple(sorted(unread))
    missing = tuple(sorted(gold.difference(evidence)))
    if missing:
        reached = {id.table for id in evidence}
        in_reach = all(id.kind in CELLS and id.table in reached for id in missing)
        return Fault.CELL if in_reach else Fault.ELEMENT, missing
    beyond = tuple(sorted(gold - within_budget(evidence, task)))
    return (Fault.LIMIT, beyond) if beyond else (Fault.LABEL, ())


_ORDER = {fault: place for place, fault in enumerate(Fault)}


def _nearness(fault: Fault, missing: Sequence[ElementId]) -> tuple[int, int]:
    return _ORDER[fault], -len(missing)


class Attributed(Protocol):
    """Anything that was put down to a fault."""

    @property
    def fault(self) -> Fault: ...
    @property
    def label_right(self) -> bool: ...


class FaultCount(NamedTuple):
    """How many claims have a fault, and how many of them have the right label nevertheless."""

    fault: Fault
    claims: int
    label_right: int


def count_faults(attributed: Iterable[Attributed]) -> tuple[FaultCount, ...]:
    """How often each fault occurs, in the order of the stages; those that do not occur are left out."""
    claims: Counter[Fault] = Counter()
    right: Counter[Fault] = Counter()
    for each in attributed:
        claims[each.fault] += 1
        right[each.fault] += each.label_right
    return tuple(FaultCount(fault, claims[fault], right[fault]) for fault in Fault if claims[fault])
