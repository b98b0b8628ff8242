"""How an answer compares with the right one, and with another answer. Nothing here knows a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from veritab.audit.agreement import match_sets
from veritab.evaluate.official import feverous_outcome
from veritab.schema import ElementId
from veritab.studio.log import EvidenceSets


class Measures(NamedTuple):
    """An answer against gold: what FEVEROUS grades the annotators of its calibration by (3.2).

    Precision and recall are those of FEVEROUS's official scorer, without its budgets, which people do not have: the
    share of the pieces that are in any gold set, and whether all pieces of one gold set are among them. A piece that
    stands in several sets of an answer is one piece. Both are None where gold names no evidence: then none was asked
    for, as FEVER's scorer has it for NOT ENOUGH INFO.
    """

    label: bool
    challenge: bool | None
    """None where gold names no challenge."""
    precision: float | None
    recall: float | None
    complete: int
    """How many gold sets lie wholly in one set of the answer."""
    gold_sets: int
    """How many there are."""


class Gold(NamedTuple):
    """The right answer to a task."""

    label: str
    sets: EvidenceSets
    challenge: str


def read_gold(gold: Mapping[str, Any]) -> Gold | None:
    """The right answer as a task keeps it; None where it is not known."""
    if not gold:
        return None
    return Gold(gold.get("label") or "", parse_sets(gold.get("evidence") or ()), gold.get("challenge") or "")


def parse_sets(sets: Iterable[Iterable[str]]) -> EvidenceSets:
    """Evidence sets of addresses as they are written."""
    return tuple(tuple(map(ElementId.parse, pieces)) for pieces in sets)


def measure(
    label: str, sets: Sequence[Sequence[ElementId]], challenge: str, gold: Gold | Mapping[str, Any]
) -> Measures:
    """An answer against gold, which may be as a task keeps it."""
    right = gold if isinstance(gold, Gold) else read_gold(gold) or Gold("", (), "")
    wanted = [frozenset(pieces) for pieces in right.sets if pieces]
    pieces = dict.fromkeys(piece for each in sets for piece in each)
    outcome = feverous_outcome(
        {"predicted_label": label, "predicted_evidence": [_triple(piece) for piece in pieces]},
        {"label": right.label, "evidence": [[_triple(piece) for piece in each] for each in wanted]},
        max_evidence=None,
        max_evidence_cell=None,
    )
    return Measures(
        label=outcome.right,
        challenge=challenge == right.challenge if right.challenge else None,
        precision=outcome.precision if wanted else None,
        recall=outcome.recall if wanted else None,
        complete=sum(any(each.issuperset(whole) for each in map(frozenset, sets)) for whole in wanted),
        gold_sets=len(wanted),
    )


def match_evidence(first: Iterable[Sequence[ElementId]], second: Iterable[Sequence[ElementId]]) -> float | None:
    """How far two answers name the same pieces: 2 |A and B| / (|A| + |B|); None where neither names any."""
    here, there = ({piece for pieces in sets for piece in pieces} for sets in (first, second))
    return match_sets(here, there) if here or there else None


def _triple(id: ElementId) -> list[str]:
    return [id.page, id.kind.value, "_".join(map(str, id.path))]
