"""Small data sets for the tests of audits."""

from __future__ import annotations

from typing import Any

from veritab.audit.audit_rows import AuditRow
from veritab.schema import Claim, ElementId, Example, Label

SUPPORTS, REFUTES, UNKNOWN = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO


def row(text: str, label: Label | None = SUPPORTS, *pages: str, id: str = "", **more: Any) -> AuditRow:
    return AuditRow(id or text, text, label, pages, **more)


def example(id: str, text: str, label: Label | None, /, *sets: str, **record: Any) -> Example:
    """An example whose evidence sets are addresses between bars."""
    evidence = tuple(frozenset(ElementId.parse(each) for each in one.split("|")) for one in sets)
    return Example(Claim(id, text), label, evidence, record=record)


def giveaway_rows(number: int = 120) -> list[AuditRow]:
    """Claims about 12 pages; every refuted one has a word that tells."""
    rows = []
    for place in range(number):
        label = REFUTES if place % 2 else SUPPORTS
        said = "only" if label is REFUTES else "mostly"
        text = f"River {place} is {said} long because valley {place * 7 % 31} and hill {place * 5 % 17} are."
        rows.append(row(text, label, f"Page {place // 2 % 12}", id=str(place)))
    return rows


def silent_rows(number: int = 120) -> list[AuditRow]:
    """The same claims, each once true and once false: their words tell nothing."""
    return [
        row(
            f"River {place // 2} is long because of valley {place // 2 * 7 % 31}.",
            label,
            f"Page {place // 2 % 12}",
            id=str(place),
        )
        for place in range(number)
        for label in ((REFUTES,) if place % 2 else (SUPPORTS,))
    ]
