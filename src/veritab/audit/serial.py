"""An audit as JSON: every figure with its interval, and every list that a person would look at."""

from __future__ import annotations

from typing import Any

from veritab.audit.auditing import Audit, Tellings
from veritab.audit.claim_only import ClaimOnly
from veritab.audit.measures import measures
from veritab.audit.repeats import Pair
from veritab.audit.wording import Rates
from veritab.evaluate.metrics import Metric


def audit_to_json(audit: Audit) -> dict[str, Any]:
    """What an audit found, for other programs; parts that a data set has nothing for are null."""
    return {
        "dataset": audit.name,
        "claims": audit.claims,
        "labels": audit.labels,
        "unlabelled": audit.unlabelled,
        "unreadable": audit.problems,
        "measures": measures(audit),
        "claim_only": _claim_only(audit.claim_only),
        "kind_only": _claim_only(audit.kind_only),
        "words": _tellings(audit.words),
        "bigrams": _tellings(audit.pairs),
        "places": _tellings(audit.places),
        "kinds": _tellings(audit.kinds),
        "kind_counts": audit.kind_counts,
        "negation": _rates(audit.negation),
        "denial": _rates(audit.denial),
        "overlap": _rates(audit.overlap),
        "repeats": {**audit.repeats._asdict(), "examples": list(map(_pair, audit.repeats.examples))},
        "votes": _votes(audit),
        "agreement": audit.agreement._asdict() if audit.agreement else None,
        "against": _against(audit),
    }


def _metric(metric: Metric) -> dict[str, Any]:
    return {"value": metric.value, **metric.interval(), "n": metric.n}


def _claim_only(result: ClaimOnly | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {
        "accuracy": _metric(result.accuracy),
        "majority": _metric(result.majority),
        "gain": _metric(result.gain),
        "recall": {name: _metric(metric) for name, metric in result.recall.items()},
        "together": result.together,
        "groups": result.groups,
    }


def _tellings(told: Tellings | None) -> dict[str, Any] | None:
    if told is None:
        return None
    return {
        "lmi_fm2": {label: [each._asdict() for each in found] for label, found in told.lmi.items()},
        "lmi_faviq": {label: [each._asdict() for each in found] for label, found in told.lmi_faviq.items()},
        "npmi": {label: [each._asdict() for each in found] for label, found in told.npmi.items()},
        "clearest": [each._asdict() for each in told.clearest],
        "beyond_chance": told.beyond,
        "share_given_away": told.share_given_away,
    }


def _rates(rates: Rates) -> dict[str, Any]:
    return {label: _metric(metric) for label, metric in rates.by_label.items()}


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "ids": [pair.first.id, pair.second.id],
        "claims": [pair.first.text, pair.second.text],
        "labels": [pair.first.label, pair.second.label],
        "nearness": pair.nearness,
    }


def _votes(audit: Audit) -> dict[str, Any] | None:
    votes = audit.votes
    if votes is None:
        return None
    return {
        "claims": votes.claims,
        "unvoted": votes.unvoted,
        "votes": votes.votes,
        "fooled": _metric(votes.fooled),
        "fooled_by_label": {label: _metric(metric) for label, metric in votes.fooled_by_label.items()},
        "misleading": votes.misleading,
        "worst": [{**each._asdict(), "votes": each.votes._asdict()} for each in votes.worst],
    }


def _against(audit: Audit) -> dict[str, Any] | None:
    leaks = audit.leakage
    if leaks is None:
        return None
    return {
        "dataset": audit.other,
        **leaks._asdict(),
        "examples": list(map(_pair, leaks.examples)),
        "transfer": _metric(audit.transfer) if audit.transfer else None,
    }
