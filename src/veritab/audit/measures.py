"""The measures of an audit by name, each the worse the higher it is, so that a data set's own tests can set limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from veritab.audit.auditing import Audit, GiveawayLists
from veritab.audit.claim_only import ClaimOnlyResult
from veritab.errors import InputError, nearest_name


class AuditMeasure(NamedTuple):
    """What a measure means, what data it needs, and how it is computed from an audit; None where it cannot be."""

    says: str
    needs: str
    read: Callable[[Audit], float | None]


def _strongest(giveaways: GiveawayLists | None, ranking: str, scale: float = 1.0) -> float | None:
    if giveaways is None:
        return None
    every = (each for found in getattr(giveaways, ranking).values() for each in found if each.beyond_chance)
    return max((scale * each.strength for each in every), default=0.0)


def _gain(result: ClaimOnlyResult | None) -> float | None:
    return result.gain.value if result else None


def _leaked(audit: Audit, what: str) -> float | None:
    number = getattr(audit.leakage, what) if audit.leakage else None
    return number / max(audit.claims, 1) if number is not None else None


def _one_minus(value: float | None) -> float | None:
    return None if value is None else 1 - value


_LABELS, _KINDS, _OTHER = "claims of two labels", "evidence of two kinds", "another data set (--against)"
_ENOUGH = f"fifty {_LABELS} or more"

MEASURES: Mapping[str, AuditMeasure] = {
    "majority": AuditMeasure(
        "share of the most frequent label",
        "labels",
        lambda a: max(a.labels.values()) / sum(a.labels.values()) if a.labels else None,
    ),
    "claim_only_accuracy": AuditMeasure(
        "how often a classifier that sees the claim alone is right",
        _ENOUGH,
        lambda a: a.claim_only.accuracy.value if a.claim_only else None,
    ),
    "claim_only_gain": AuditMeasure(
        "how much better than the majority a classifier that sees the claim alone is",
        _ENOUGH,
        lambda a: _gain(a.claim_only),
    ),
    "kind_only_gain": AuditMeasure(
        "how much better than the majority the claim alone predicts the kind of evidence",
        _KINDS,
        lambda a: _gain(a.kind_only),
    ),
    "given_away": AuditMeasure(
        "share of claims with a word that goes with their label beyond chance",
        _LABELS,
        lambda a: a.words.share_given_away if a.words else None,
    ),
    "word_lmi": AuditMeasure(
        "highest LMI of a word beyond chance, in 1/100,000", _LABELS, lambda a: _strongest(a.words, "lmi", 1e5)
    ),
    "bigram_lmi": AuditMeasure(
        "highest LMI of a pair of words beyond chance, in 1/100,000", _LABELS, lambda a: _strongest(a.pairs, "lmi", 1e5)
    ),
    "bigram_lmi_faviq": AuditMeasure(
        "highest LMI of a pair of words beyond chance as FaVIQ counts it, in 1/100,000",
        _LABELS,
        lambda a: _strongest(a.pairs, "lmi_faviq", 1e5),
    ),
    "word_npmi": AuditMeasure(
        "highest nPMI of a word and a label beyond chance", _LABELS, lambda a: _strongest(a.words, "npmi")
    ),
    "place_npmi": AuditMeasure(
        "highest nPMI of a place of evidence and a label beyond chance",
        "evidence in two places or more",
        lambda a: _strongest(a.places, "npmi"),
    ),
    "kind_npmi": AuditMeasure(
        "highest nPMI of a kind of evidence and a label beyond chance", _KINDS, lambda a: _strongest(a.kinds, "npmi")
    ),
    "negation_gap": AuditMeasure(
        "largest difference between labels in the share of claims with a negation",
        _LABELS,
        lambda a: a.negation.gap if len(a.labels) > 1 else None,
    ),
    "denial_gap": AuditMeasure(
        'largest difference between labels in the share that negates or has words such as "only" and "incapable"',
        _LABELS,
        lambda a: a.denial.gap if len(a.labels) > 1 else None,
    ),
    "overlap_gap": AuditMeasure(
        "largest difference between labels in how much of a claim its evidence repeats",
        "the text of the evidence of two labels (--corpus)",
        lambda a: a.overlap.gap if len(a.overlap.by_label) > 1 else None,
    ),
    "duplicates": AuditMeasure("share of claims that repeat another", "claims", lambda a: a.repeats.same / a.claims),
    "contradictions": AuditMeasure(
        "number of texts that have several labels, divided by that of the claims",
        "claims",
        lambda a: a.repeats.same_disagreeing / a.claims,
    ),
    "near_duplicates": AuditMeasure(
        "share of claims that nearly repeat another", "claims", lambda a: a.repeats.near / a.claims
    ),
    "misleading": AuditMeasure(
        "share of claims that players are expected to misjudge",
        "votes",
        lambda a: a.votes.misleading_share if a.votes else None,
    ),
    "disagreement": AuditMeasure(
        "1 minus Krippendorff's alpha on labels",
        "claims that several people labelled, and two labels",
        lambda a: _one_minus(a.agreement.alpha if a.agreement else None),
    ),
    "evidence_disagreement": AuditMeasure(
        "1 minus Krippendorff's alpha on evidence, with Jaccard's distance",
        "claims that several people chose evidence for",
        lambda a: _one_minus(a.agreement.evidence_jaccard if a.agreement else None),
    ),
    "claim_only_transfer": AuditMeasure(
        "accuracy of the claim-only classifier when it was trained on the other data set",
        f"{_OTHER}, both with labels",
        lambda a: a.transfer.value if a.transfer else None,
    ),
    "leaked_claims": AuditMeasure(
        "share of claims that the other data set has too", _OTHER, lambda a: _leaked(a, "same")
    ),
    "leaked_near": AuditMeasure(
        "share of claims that the other data set nearly has", _OTHER, lambda a: _leaked(a, "near")
    ),
    "leaked_pages": AuditMeasure(
        "share of claims with evidence from a page that the other data set uses too",
        f"{_OTHER}, both with pages",
        lambda a: _leaked(a, "pages"),
    ),
    "leaked_names": AuditMeasure(
        "share of claims with a name that claims of the other data set have too",
        f"{_OTHER}, both with names",
        lambda a: _leaked(a, "names"),
    ),
}


def measures(audit: Audit) -> dict[str, float]:
    """Every measure that an audit has data for."""
    if not audit.claims:
        return {}
    found = {name: measure.read(audit) for name, measure in MEASURES.items()}
    return {name: value for name, value in found.items() if value is not None}


# -- limits ------------------------------------------------------------------------------------------------


class ExceededLimit(NamedTuple):
    """A measure above its limit."""

    measure: str
    value: float
    limit: float

    def __str__(self) -> str:
        return f"{self.measure} is {self.value:.4g}, above {self.limit:g}: {MEASURES[self.measure].says}"


def parse_limits(given: Iterable[str]) -> dict[str, float]:
    """Parse limits written as MEASURE=VALUE."""
    limits = {}
    for each in given:
        name, equals, value = each.partition("=")
        name = name.strip().replace("-", "_")
        if name not in MEASURES:
            nearest = nearest_name(name, MEASURES)
            raise InputError(f"there is no measure {name!r}; did you mean {nearest!r}? All: {', '.join(MEASURES)}")
        try:
            limits[name] = float(value)
        except ValueError:
            raise InputError(f"{each!r} is not a limit; expected e.g. {name}=0.05") from None
        if not equals or limits[name] != limits[name]:
            raise InputError(f"{each!r} is not a limit; expected e.g. {name}=0.05")
    return limits


def exceeded_limits(audit: Audit, limits: Mapping[str, float]) -> list[ExceededLimit]:
    """The measures above their limits; a limit on a measure that this data set lacks data for is an error."""
    found = measures(audit)
    missing = next((name for name in limits if name not in found), None)
    if missing is not None:
        raise InputError(f"{missing} cannot be measured on {audit.name}: it needs {MEASURES[missing].needs}")
    return [ExceededLimit(name, found[name], limit) for name, limit in limits.items() if found[name] > limit]
