"""Labels held against what the checker says: those that claims lack, and those that mutations imply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, Protocol

from veritab.build.processes import in_batches
from veritab.build.records import Built, BuiltRecord, GivenClaim, LeftOut
from veritab.engine import Engine, ThisProcess
from veritab.schema import Claim, Label, Verdict

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

    def count(self, record: BuiltRecord, label: Label, score: float) -> None:
        """Count what the checker says of one record."""
        self.asked += 1
        if label is record.label:
            self.agreed[record.origin.rule] += 1
            return
        self.differed[record.origin.rule] += 1
        self.disagreements.append(DisputedLabel(record.id, record.claim, str(record.label), str(label), score))


def label_by_checker(
    claims: Iterable[GivenClaim | LeftOut], checker: ClaimChecker, engine: Engine | None = None
) -> Iterator[GivenClaim | LeftOut]:
    """Claims that have no label, with that of the checker and the evidence it found, which is silver."""
    label = partial(_label_some, checker)
    for some in (engine or ThisProcess()).map(label, in_batches(claims, _TOGETHER)):
        yield from some


def _label_some(checker: ClaimChecker, some: list[GivenClaim | LeftOut]) -> list[GivenClaim | LeftOut]:
    open_ones = [each for each in some if isinstance(each, GivenClaim) and each.example.label is None]
    answers = checker.check_many([each.example.claim for each in open_ones], _TOGETHER)
    verdicts = dict(zip(map(id, open_ones), answers, strict=True))
    return [
        _labelled(each, verdicts[id(each)]) if isinstance(each, GivenClaim) and id(each) in verdicts else each
        for each in some
    ]


def _labelled(given: GivenClaim, verdict: Verdict) -> GivenClaim:
    found = frozenset(hit.element.id for hit in verdict.evidence)
    example = replace(given.example, label=verdict.label, evidence=(found,) if found else (), silver=True)
    return given._replace(example=example)


def check_labels(
    built: Iterable[Built], checker: ClaimChecker, check: LabelCheck, engine: Engine | None = None
) -> Iterator[Built]:
    """The same records, those with a label with what the checker says of them; `check` lists where that differs."""
    ask = partial(_ask_of_some, checker)
    for some in (engine or ThisProcess()).map(ask, in_batches(built, _TOGETHER)):
        for each, said in some:
            yield _checked(each, said, check) if isinstance(each, BuiltRecord) and said else each


class _Said(NamedTuple):
    label: Label
    score: float


def _ask_of_some(checker: ClaimChecker, some: list[Built]) -> list[tuple[Built, _Said | None]]:
    asked = [each for each in some if isinstance(each, BuiltRecord) and each.label]
    verdicts = iter(checker.check_many([Claim(each.id, each.claim) for each in asked], _TOGETHER))
    return [(each, _said(next(verdicts)) if isinstance(each, BuiltRecord) and each.label else None) for each in some]


def _said(verdict: Verdict) -> _Said:
    return _Said(verdict.label, round(verdict.scores[verdict.label], 3))


def _checked(record: BuiltRecord, said: _Said, check: LabelCheck) -> BuiltRecord:
    check.count(record, said.label, said.score)
    return replace(record, details={**record.details, "checked": str(said.label), "score": said.score})
