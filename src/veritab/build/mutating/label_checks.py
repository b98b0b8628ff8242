"""Labels held against what the checker says: those that claims lack, and those that mutations imply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple, Protocol

from veritab.build.records import Built, BuiltRecord, GivenClaim, LeftOut
from veritab.schema import Claim, Verdict

_TOGETHER = 32


class ClaimChecker(Protocol):
    """What gives verdicts on claims: `veritab.Checker`."""

    def check_many(self, claims: Iterable[str | Claim], batch: int | None = None) -> Iterator[Verdict]: ...


class DisputedLabel(NamedTuple):
    """A built claim of which the checker says another thing than how it was built implies."""

    id: str
    claim: str
    implied: str
    checked: str
    score: float


@dataclass
class LabelCheck:
    """What the checker said of the labels that mutations imply."""

    asked: int = 0
    agreed: Counter[str] = field(default_factory=Counter)
    differed: Counter[str] = field(default_factory=Counter)
    disagreements: list[DisputedLabel] = field(default_factory=list)

    def count(self, record: BuiltRecord, verdict: Verdict) -> None:
        """Count what the checker says of one record."""
        self.asked += 1
        if verdict.label is record.label:
            self.agreed[record.origin.rule] += 1
            return
        self.differed[record.origin.rule] += 1
        score = round(verdict.scores[verdict.label], 3)
        self.disagreements.append(DisputedLabel(record.id, record.claim, str(record.label), str(verdict.label), score))


def label_by_checker(claims: Iterable[GivenClaim | LeftOut], checker: ClaimChecker) -> Iterator[GivenClaim | LeftOut]:
    """Claims that have no label, with that of the checker and the evidence it found, which is silver."""
    waiting = iter(claims)
    while some := list(islice(waiting, _TOGETHER)):
        open_ones = [each for each in some if isinstance(each, GivenClaim) and each.example.label is None]
        verdicts = dict(
            zip(
                map(id, open_ones),
                checker.check_many([each.example.claim for each in open_ones], _TOGETHER),
                strict=True,
            )
        )
        for each in some:
            verdict = verdicts.get(id(each))
            yield _labelled(each, verdict) if verdict and isinstance(each, GivenClaim) else each


def _labelled(given: GivenClaim, verdict: Verdict) -> GivenClaim:
    found = frozenset(hit.element.id for hit in verdict.evidence)
    example = replace(given.example, label=verdict.label, evidence=(found,) if found else (), silver=True)
    return given._replace(example=example)


def check_labels(built: Iterable[Built], checker: ClaimChecker, check: LabelCheck) -> Iterator[Built]:
    """The same records, those with a label with what the checker says of them; `check` lists where that differs."""
    waiting = iter(built)
    while some := list(islice(waiting, _TOGETHER)):
        asked = [each for each in some if isinstance(each, BuiltRecord) and each.label]
        verdicts = iter(checker.check_many([Claim(each.id, each.claim) for each in asked], _TOGETHER))
        for each in some:
            yield _checked(each, next(verdicts), check) if isinstance(each, BuiltRecord) and each.label else each


def _checked(record: BuiltRecord, verdict: Verdict, check: LabelCheck) -> BuiltRecord:
    check.count(record, verdict)
    said = {"checked": str(verdict.label), "score": round(verdict.scores[verdict.label], 3)}
    return replace(record, details={**record.details, **said})
