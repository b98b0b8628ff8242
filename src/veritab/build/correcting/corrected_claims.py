"""Refuted claims of a file, corrected: the edited claim is supported by what refutes the claim itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from veritab.build.correcting.correction import correct, correct_given
from veritab.build.processes import TravellingChecker, map_in_order
from veritab.build.records import Built, BuiltRecord, ClaimOrigin, GivenClaim, LeftOut, earlier_origin
from veritab.engine import Engine
from veritab.errors import NotFound
from veritab.schema import Correction, Element, ElementId, Evidence, Example, Label

if TYPE_CHECKING:
    from veritab.pipeline import Checker

RULE = "correct"


def correct_claims(
    claims: Iterable[GivenClaim | LeftOut],
    source: str,
    checker: Checker | TravellingChecker,
    engine: Engine | None = None,
) -> Iterator[Built]:
    """Each refuted claim with the smallest edit that makes it true; what cannot be corrected is told.

    A claim with evidence is judged by that, and others by what is found in the corpus, which is marked as silver.
    """
    yield from map_in_order(partial(_of_given, source, checker), claims, engine)


def _of_given(source: str, checker: Checker | TravellingChecker, given: GivenClaim | LeftOut) -> list[Built]:
    if isinstance(given, LeftOut):
        return [given]
    return [_correct(given, source, checker.open() if isinstance(checker, TravellingChecker) else checker)]


def _correct(given: GivenClaim, source: str, checker: Checker) -> Built:
    example = given.example
    if example.label not in (None, Label.REFUTES):
        why = f"its label is {example.label}; only a refuted claim can be corrected"
        return LeftOut(given.where, example.claim.id, why, RULE)
    gold = _gold_evidence(example, checker)
    found = correct_given(example.claim, gold, checker.judge) if gold else correct(checker, example.claim)
    if not found.edits:
        return LeftOut(given.where, example.claim.id, found.sentence, RULE)
    return BuiltRecord(
        f"{example.claim.id}-{RULE}",
        found.text,
        Label.SUPPORTS,
        ClaimOrigin(source, example.claim.id, RULE, 0),
        (_evidence_ids(found, gold),),
        silver=example.silver or gold is None,
        details={
            **earlier_origin(example),
            "claim": example.claim.text,
            "edits": [
                {"start": edit.start, "old": edit.old, "new": edit.new, "kind": edit.kind} for edit in found.edits
            ],
        },
    )


def _gold_evidence(example: Example, checker: Checker) -> Evidence | None:
    """The first evidence set of a claim that the corpus holds whole."""
    for ids in example.evidence:
        try:
            elements: list[Element] = [checker.store.element(id) for id in sorted(ids)]
        except NotFound:
            continue
        if elements:
            tables = {id.table: checker.store.page(id.page).table(id.path[0]) for id in ids if id.table}
            return Evidence.of(elements, tables.values())
    return None


def _evidence_ids(found: Correction, gold: Evidence | None) -> tuple[ElementId, ...]:
    hits = gold.hits if gold else found.evidence
    return tuple(dict.fromkeys(hit.element.id for hit in hits))
