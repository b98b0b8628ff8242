"""FEVER's claims: groups of sentences, each named by the id of its page and the number of its line."""

from __future__ import annotations

from typing import Any

from veritab.corpus.fever import id_of, title_of
from veritab.datasets import fever
from veritab.datasets.example_rows import original_record
from veritab.datasets.records import DataNotes
from veritab.datasets.writing.account import LossAccount, UnsupportedExample
from veritab.datasets.writing.sets import CHALLENGE, NO_ROOM_FOR_SILVER, number_or_text, sets_that_fit
from veritab.schema import ElementId, EvidenceSet, Example, Kind, Label

_NOT_SENTENCES = "its evidence is not sentences alone"
_NO_EVIDENCE = "it has a label but no evidence"
_UNNAMED = "the evidence of claims that say NOT ENOUGH INFO or have no label"


def record_of(example: Example, account: LossAccount) -> dict[str, Any]:
    """A claim as FEVER writes it; the numbers of annotations are kept where the record has them, else null."""
    if example.silver:
        raise UnsupportedExample(NO_ROOM_FOR_SILVER)
    if example.challenge:
        account.lose(CHALLENGE)
    account.lose_rest(example)
    id, claim = number_or_text(example.claim.id), example.claim.text
    if example.label not in (Label.SUPPORTS, Label.REFUTES):
        if example.evidence:
            account.lose(_UNNAMED)
        if example.label is None:
            return {"id": id, "claim": claim}
        return _whole(id, "NOT VERIFIABLE", example.label, claim, [[[None, None, None, None]]])
    sets = sets_that_fit(example, account, _has_line, _NOT_SENTENCES)
    if not sets:
        raise UnsupportedExample(_NO_EVIDENCE)
    return _whole(id, "VERIFIABLE", example.label, claim, _as_it_was(example, sets) or [_group(gold) for gold in sets])


def _whole(id: int | str, verifiable: str, label: Label, claim: str, evidence: list[Any]) -> dict[str, Any]:
    return {"id": id, "verifiable": verifiable, "label": str(label), "claim": claim, "evidence": evidence}


def _has_line(id: ElementId) -> bool:
    # FEVER's ids have underscores for spaces: a title with underscores of its own would come back without them.
    return id.kind is Kind.SENTENCE and title_of(id_of(id.page)) == id.page


def _group(gold: EvidenceSet) -> list[Any]:
    return [[None, None, id_of(id.page), id.path[0]] for id in sorted(gold)]


def _as_it_was(example: Example, sets: tuple[EvidenceSet, ...]) -> list[Any] | None:
    """The evidence in the record's own words, where they still say the same."""
    record = original_record(example)
    if not fever.OFFICIAL.matches(record):
        return None
    try:
        said = fever.OFFICIAL.evidence(record, example.label, DataNotes())
    except ValueError:
        return None
    return record["evidence"] if said == sets else None
