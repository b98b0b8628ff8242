"""An audit as JSON: every metric with its confidence interval, and every list that a person would look at."""

from __future__ import annotations

from typing import Any

from veritab.audit.auditing import Audit, GiveawayLists
from veritab.audit.claim_only import ClaimOnlyResult
from veritab.audit.duplicates import DuplicatePair
from veritab.audit.measures import measures
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
        "words": _giveaways_to_json(audit.words),
        "bigrams": _giveaways_to_json(audit.pairs),
        "places": _giveaways_to_json(audit.places),
        "kinds": _giveaways_to_json(audit.kinds),
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


def _claim_only(result: ClaimOnlyResult | None) -> dict[str, Any] | None:
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


def _giveaways_to_json(giveaways: GiveawayLists | None) -> dict[str, Any] | None:
    if giveaways is None:
        return None
    return {
        "lmi_fm2": {label: [each._asdict() for each in found] for label, found in giveaways.lmi.items()},
        "lmi_faviq": {label: [each._asdict() for each in found] for label, found in giveaways.lmi_faviq.items()},
        "npmi": {label: [each._asdict() for each in found] for label, found in giveaways.npmi.items()},
        "clearest": [each._asdict() for each in giveaways.clearest],
        "beyond_chance": giveaways.beyond,
        "share_given_away": giveaways.share_given_away,
    }


def _rates(rates: Rates) -> dict[str, Any]:
    return {label: _metric(metric) for label, metric in rates.by_label.items()}


def _pair(pair: DuplicatePair) -> dict[str, Any]:
    return {
        "ids": [pair.first.id, pair.second.id],
        "claims": [pair.first.text, pair.second.text],
        "labels": [pair.first.label, pair.second.label],
        "nearness": pair.similarity,
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
