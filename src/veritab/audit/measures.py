"""The figures of an audit by name, each the worse the higher it is, so that a data set's own tests can set limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from veritab.audit.auditing import Audit, Tellings
from veritab.audit.claim_only import ClaimOnly
from veritab.errors import InputError


class Measure(NamedTuple):
    """What a figure says, what an audit needs for it, and how it is read from one; None where it cannot be."""

    says: str
    needs: str
    read: Callable[[Audit], float | None]


def _strongest(told: Tellings | None, ranked: str, scale: float = 1.0) -> float | None:
    if told is None:
        return None
    every = (each for found in getattr(told, ranked).values() for each in found if each.beyond_chance)
    return max((scale * each.strength for each in every), default=0.0)


def _gain(result: ClaimOnly | None) -> float | None:
    return result.gain.value if result else None


def _leaked(audit: Audit, what: str) -> float | None:
    number = getattr(audit.leakage, what) if audit.leakage else None
    return number / max(audit.claims, 1) if number is not None else None


def _less(value: float | None) -> float | None:
    return None if value is None else 1 - value


_LABELS, _KINDS, _OTHER = "claims of two labels", "evidence of two kinds", "another data set (--against)"
_ENOUGH = f"fifty {_LABELS} or more"

MEASURES: Mapping[str, Measure] = {
    "majority": Measure(
        "share of the most frequent label",
        "labels",
        lambda a: max(a.labels.values()) / sum(a.labels.values()) if a.labels else None,
    ),
    "claim_only_accuracy": Measure(
        "how often a classifier that sees the claim alone is right",
        _ENOUGH,
        lambda a: a.claim_only.accuracy.value if a.claim_only else None,
    ),
    "claim_only_gain": Measure(
        "how much better than the majority a classifier that sees the claim alone is",
        _ENOUGH,
        lambda a: _gain(a.claim_only),
    ),
    "kind_only_gain": Measure(
        "how much better than the majority the claim alone tells the kind of evidence",
        _KINDS,
        lambda a: _gain(a.kind_only),
    ),
    "given_away": Measure(
        "share of claims with a word that goes with their label beyond chance",
        _LABELS,
        lambda a: a.words.share_given_away if a.words else None,
    ),
    "word_lmi": Measure(
        "highest LMI of a word beyond chance, in 1/100,000", _LABELS, lambda a: _strongest(a.words, "lmi", 1e5)
    ),
    "bigram_lmi": Measure(
        "highest LMI of a pair of words beyond chance, in 1/100,000", _LABELS, lambda a: _strongest(a.pairs, "lmi", 1e5)
    ),
    "word_npmi": Measure(
        "highest nPMI of a word and a label beyond chance", _LABELS, lambda a: _strongest(a.words, "npmi")
    ),
    "place_npmi": Measure(
        "highest nPMI of a place of evidence and a label beyond chance",
        "evidence in two places or more",
        lambda a: _strongest(a.places, "npmi"),
    ),
    "kind_npmi": Measure(
        "highest nPMI of a kind of evidence and a label beyond chance", _KINDS, lambda a: _strongest(a.kinds, "npmi")
    ),
    "negation_gap": Measure(
        "largest difference between labels in the share of claims with a negation",
        _LABELS,
        lambda a: a.negation.gap if len(a.labels) > 1 else None,
    ),
    "denial_gap": Measure(
        'largest difference between labels in the share that negates or has words such as "only" and "incapable"',
        _LABELS,
        lambda a: a.denial.gap if len(a.labels) > 1 else None,
    ),
    "overlap_gap": Measure(
        "largest difference between labels in how much of a claim its evidence repeats",
        "the text of the evidence of two labels (--corpus)",
        lambda a: a.overlap.gap if len(a.overlap.by_label) > 1 else None,
    ),
    "duplicates": Measure("share of claims that repeat another", "claims", lambda a: a.repeats.same / a.claims),
    "contradictions": Measure(
        "number of texts that have several labels, divided by that of the claims",
        "claims",
        lambda a: a.repeats.same_disagreeing / a.claims,
    ),
    "near_duplicates": Measure(
        "share of claims that nearly repeat another", "claims", lambda a: a.repeats.near / a.claims
    ),
    "misleading": Measure(
        "share of claims that players are expected to misjudge",
        "votes",
        lambda a: a.votes.misleading_share if a.votes else None,
    ),
    "disagreement": Measure(
        "1 less Krippendorff's alpha on labels",
        "claims that several people labelled, and two labels",
        lambda a: _less(a.agreement.alpha if a.agreement else None),
    ),
    "evidence_disagreement": Measure(
        "1 less Krippendorff's alpha on evidence, with Jaccard's distance",
        "claims that several people chose evidence for",
        lambda a: _less(a.agreement.evidence_jaccard if a.agreement else None),
    ),
    "claim_only_transfer": Measure(
        "how often the claim-only classifier is right when it learned from the other data set",
        f"{_OTHER}, both with labels",
        lambda a: a.transfer.value if a.transfer else None,
    ),
    "leaked_claims": Measure("share of claims that the other data set has too", _OTHER, lambda a: _leaked(a, "same")),
    "leaked_near": Measure("share of claims that the other data set nearly has", _OTHER, lambda a: _leaked(a, "near")),
    "leaked_pages": Measure(
        "share of claims with evidence from a page that the other data set uses too",
        f"{_OTHER}, both with pages",
        lambda a: _leaked(a, "pages"),
    ),
    "leaked_names": Measure(
        "share of claims with a name that claims of the other data set have too",
        f"{_OTHER}, both with names",
        lambda a: _leaked(a, "names"),
    ),
}


def measures(audit: Audit) -> dict[str, float]:
    """Every figure that can be read from an audit."""
    if not audit.claims:
        return {}
    found = {name: measure.read(audit) for name, measure in MEASURES.items()}
    return {name: value for name, value in found.items() if value is not None}


# -- limits ------------------------------------------------------------------------------------------------


class Exceeded(NamedTuple):
    """A figure above its limit."""

    measure: str
    value: float
    limit: float

    def __str__(self) -> str:
        return f"{self.measure} is {self.value:.4g}, above {self.limit:g}: {MEASURES[self.measure].says}"


def limits_of(given: Iterable[str]) -> dict[str, float]:
    """Limits written as MEASURE=VALUE."""
    limits = {}
    for each in given:
        name, equals, value = each.partition("=")
        name = name.strip().replace("-", "_")
        if name not in MEASURES:
            near = get_close_matches(name, MEASURES, 1, cutoff=0.0)[0]
            raise InputError(f"there is no measure {name!r}; did you mean {near!r}? All: {', '.join(MEASURES)}")
        try:
            limits[name] = float(value)
        except ValueError:
            raise InputError(f"{each!r} is no limit; expected e.g. {name}=0.05") from None
        if not equals or limits[name] != limits[name]:
            raise InputError(f"{each!r} is no limit; expected e.g. {name}=0.05")
    return limits


def exceeded(audit: Audit, limits: Mapping[str, float]) -> list[Exceeded]:
    """The figures above their limits; a limit on what this data set cannot be measured for is an error."""
    found = measures(audit)
    missing = next((name for name in limits if name not in found), None)
    if missing is not None:
        raise InputError(f"{missing} cannot be measured on {audit.name}: it needs {MEASURES[missing].needs}")
    return [Exceeded(name, found[name], limit) for name, limit in limits.items() if found[name] > limit]
