"""What people's ratings say of built claims: how many read well, whose labels are right, how far the raters agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from veritab.audit.agreement import cohen_kappa, krippendorff_alpha, nominal
from veritab.schema import Example, Label

PERFECT, INCOMPREHENSIBLE = "perfect", "incomprehensible"


class GivenRating(Protocol):
    """What one person said of one claim."""

    @property
    def claim(self) -> str: ...
    @property
    def annotator(self) -> str: ...
    @property
    def rating(self) -> str: ...
    @property
    def label(self) -> Label | None: ...
    @property
    def cause(self) -> str: ...


class _Expected(NamedTuple):
    rule: str
    label: Label | None


@dataclass
class RuleRatings:
    """The ratings of the claims of one rule."""

    ratings: Counter[str] = field(default_factory=Counter)
    labels: Counter[bool] = field(default_factory=Counter)
    """Whether the label of a rater is that which the claim was built with."""

    def as_dict(self) -> dict[str, Any]:
        """The counts with their shares."""
        total, judged = self.ratings.total(), self.labels.total()
        return {
            "ratings": total,
            "perfect": _share(self.ratings[PERFECT], total),
            "incomprehensible": _share(self.ratings[INCOMPREHENSIBLE], total),
            "labels": judged,
            "labels_right": _share(self.labels[True], judged),
        }


@dataclass
class RatingReport:
    """What people's ratings say of built claims."""

    claims: int = 0
    """Built claims that somebody rated."""
    unknown: int = 0
    """Ratings of claims that the file does not hold."""
    rules: dict[str, RuleRatings] = field(default_factory=dict)
    every: RuleRatings = field(default_factory=RuleRatings)
    causes: Counter[str] = field(default_factory=Counter)
    rating_kappa: float | None = None
    """Agreement on how claims read, beyond chance; None where no two people rated the same claims."""
    label_kappa: float | None = None
    """Agreement on labels, beyond chance."""

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return {
            "claims": self.claims,
            "unknown": self.unknown,
            **self.every.as_dict(),
            "rules": {rule: self.rules[rule].as_dict() for rule in sorted(self.rules)},
            "causes": dict(self.causes.most_common()),
            "kappa": {"rating": self.rating_kappa, "label": self.label_kappa},
        }


def measure_ratings(built: Iterable[Example], ratings: Iterable[GivenRating]) -> RatingReport:
    """Compare ratings with the records that were rated, claim by claim."""
    expected = {each.claim.id: _Expected(_rule_of(each), each.label) for each in built}
    report = RatingReport()
    by_claim: dict[str, dict[str, tuple[str, Label | None]]] = {}
    for given in ratings:
        if given.claim not in expected:
            report.unknown += 1
            continue
        by_claim.setdefault(given.claim, {})[given.annotator] = (given.rating, given.label)
        meant = expected[given.claim]
        for counts in (report.every, report.rules.setdefault(meant.rule, RuleRatings())):
            counts.ratings[given.rating] += 1
            if meant.label is not None and given.label is not None:
                counts.labels[given.label is meant.label] += 1
        if given.cause:
            report.causes[given.cause] += 1
    report.claims = len(by_claim)
    report.rating_kappa = _kappa(
        {claim: {who: said[0] for who, said in each.items()} for claim, each in by_claim.items()}
    )
    report.label_kappa = _kappa(
        {
            claim: {who: str(said[1]) for who, said in each.items() if said[1] is not None}
            for claim, each in by_claim.items()
        }
    )
    return report


def _kappa(by_claim: Mapping[str, Mapping[str, str]]) -> float | None:
    """Cohen's kappa where the same two rated all that two rated, else Krippendorff's alpha, which is its like."""
    shared = [each for each in by_claim.values() if len(each) > 1]
    people = {frozenset(each) for each in shared}
    if len(people) == 1 and len(pair := sorted(next(iter(people)))) == 2:
        return cohen_kappa([each[pair[0]] for each in shared], [each[pair[1]] for each in shared])
    return krippendorff_alpha([list(each.values()) for each in shared], nominal) if shared else None


def _rule_of(example: Example) -> str:
    origin = example.record.get("origin")
    rule = origin.get("rule") if isinstance(origin, Mapping) else None
    return rule if isinstance(rule, str) else "unknown"


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
