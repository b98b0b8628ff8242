"""The audit that every build ends with: what gives the labels of the built claims away, against limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from veritab.audit.audit_rows import AuditRow
from veritab.audit.auditing import Audit, audit_steps, run_steps
from veritab.audit.measures import ExceededLimit, exceeded_limits, measures

REPORTED = (
    "majority",
    "claim_only_accuracy",
    "claim_only_gain",
    "given_away",
    "bigram_lmi",
    "bigram_lmi_faviq",
    "negation_gap",
    "denial_gap",
    "duplicates",
    "contradictions",
    "near_duplicates",
)
"""The measures that a build reports; limits can be set on every measure of an audit."""
_MOST_PAIRS = 3


@dataclass(frozen=True)
class BuildAudit:
    """The audit of built claims and the limits they are above."""

    audit: Audit
    above: tuple[ExceededLimit, ...]

    def as_dict(self) -> dict[str, Any]:
        """The measures, the pairs of words that go with a label, and the limits, for the report of a build."""
        every = measures(self.audit)
        return {
            "measures": {name: every[name] for name in REPORTED if name in every},
            "pairs": {ranking: _strongest(self.audit, ranking) for ranking in ("lmi", "lmi_faviq")},
            "above": [each._asdict() for each in self.above],
        }

    def lines(self) -> Iterator[str]:
        """The same in a few lines."""
        every = measures(self.audit)
        yield "audit: " + ", ".join(f"{name} {every[name]:.4g}" for name in REPORTED if name in every)
        for ranking, name in (("lmi", "LMI"), ("lmi_faviq", "LMI as FaVIQ counts it")):
            for label, pairs in _strongest(self.audit, ranking).items():
                if pairs:
                    yield f"  {label}, pairs of words by {name}: {', '.join(pairs)}"


def _strongest(audit: Audit, ranking: str) -> dict[str, list[str]]:
    """The pairs of words of each label that go with it beyond chance, strongest first."""
    if audit.pairs is None:
        return {}
    found = getattr(audit.pairs, ranking).items()
    return {label: [each.thing for each in pairs if each.beyond_chance][:_MOST_PAIRS] for label, pairs in found}


def audit_built(rows: tuple[AuditRow, ...], name: str, limits: Mapping[str, float]) -> BuildAudit:
    """Audit built claims; a limit on what cannot be measured of them is an error."""
    audit = run_steps(audit_steps(rows, name))
    return BuildAudit(audit, tuple(exceeded_limits(audit, dict(limits))))
