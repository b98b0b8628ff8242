"""An audit in plain English: what was found on each subject, and whether it should trouble the authors of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from veritab.audit.auditing import Audit, GiveawayLists
from veritab.audit.claim_only import FOLDS, ClaimOnlyResult
from veritab.audit.giveaways import Giveaway
from veritab.audit.votes import MISLEADING
from veritab.audit.wording import Rates
from veritab.evaluate.metrics import Metric

_LITTLE, _MUCH = 0.05, 0.15
_WIDE_GAP = 0.1
_REPEATED = 0.01
_RELIABLE = 0.667
"""Krippendorff's least alpha for conclusions that are called tentative."""
_MOST_LISTED = 6


class AuditFinding(NamedTuple):
    """What was found on one subject; `troubling` marks what gives labels away or makes the data unsound."""

    about: str
    text: str
    troubling: bool = False


def findings(audit: Audit) -> list[AuditFinding]:
    """All that an audit found, in the order of reading."""
    if not audit.claims:
        return [AuditFinding("Claims", "There are no claims to audit.")]
    sections: tuple[Callable[[Audit], Iterator[AuditFinding]], ...] = (
        _labels, _claim_only, _words, _evidence, _wording, _overlap, _kind_only, _repeats, _leakage, _votes, _agreement,
    )  # fmt: skip
    return [finding for section in sections for finding in section(audit)]


# -- formatting --------------------------------------------------------------------------------------------


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.1f} %"


def join_units(text: str) -> str:
    """The text with every number kept on one line with its unit."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def with_interval(metric: Metric) -> str:
    """A share in percent with its interval."""
    return f"{percent(metric.value)} [{100 * metric.low:.1f}, {100 * metric.high:.1f}]"


def _several(number: int, noun: str, nouns: str = "") -> str:
    counted = f"{number:,}" if number else "no"
    return f"{counted} {noun if number == 1 else nouns or noun + 's'}"


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _by_label(metrics: Mapping[str, Metric]) -> str:
    return ", ".join(f"{label} {with_interval(metric)}" for label, metric in metrics.items())


# -- labels ------------------------------------------------------------------------------------------------


def _labels(audit: Audit) -> Iterator[AuditFinding]:
    total = sum(audit.labels.values())
    shares = ", ".join(f"{label} {percent(number / total)}" for label, number in audit.labels.items())
    text = (
        f"{_several(audit.claims, 'claim')}: {shares}."
        if shares
        else f"{_several(audit.claims, 'claim')} without labels."
    )
    if audit.unlabelled and shares:
        text += f" {_several(audit.unlabelled, 'claim has', 'claims have')} no label and count only for repetitions."
    if audit.problems:
        text += f" {_several(audit.problems, 'record')} could not be read."
    yield AuditFinding("Claims", text, bool(audit.problems))


def _claim_only(audit: Audit) -> Iterator[AuditFinding]:
    result = audit.claim_only
    if result is None:
        yield AuditFinding("Claim-only baseline", "Too few claims, or only one label: there is nothing to learn.")
        return
    text = (
        f"A classifier that sees the claim alone is right on {with_interval(result.accuracy)} of the claims; always "
        f"giving the most frequent label is right on {percent(result.majority.value)}. "
        f"{_verdict(result, 'labels')} {_in_folds(result)}"
    )
    if audit.transfer:
        text += f" Trained on {audit.other}, it is right here on {with_interval(audit.transfer)}."
    yield AuditFinding("Claim-only baseline", text, _is_clear(result))


def _kind_only(audit: Audit) -> Iterator[AuditFinding]:
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in audit.kind_counts.items())
    if audit.kind_only is None:
        if len(audit.kind_counts) > 1:
            yield AuditFinding("Kinds of evidence", f"{kinds}: too few of one of them to learn to tell them apart.")
        return
    result = audit.kind_only
    text = (
        f"{kinds}. From the claim alone the kind is predicted correctly for {with_interval(result.accuracy)}; the most "
        f"frequent kind for {percent(result.majority.value)}. {_verdict(result, 'kinds of evidence')}"
    )
    yield AuditFinding("Kinds of evidence", text, _is_clear(result))


def _verdict(result: ClaimOnlyResult, what: str) -> str:
    gain = result.gain
    points = f"{100 * gain.value:+.1f} points [{100 * gain.low:+.1f}, {100 * gain.high:+.1f}]"
    if gain.value <= 0:
        return f"Claims do not give their {what} away ({points})."
    if gain.low <= 0:
        return f"That claims give their {what} away cannot be distinguished from chance ({points})."
    if gain.value < _LITTLE:
        return f"Claims hardly give their {what} away ({points})."
    return f"Claims give their {what} away{', and by much' if gain.value > _MUCH else ''} ({points})."


def _is_clear(result: ClaimOnlyResult) -> bool:
    return result.gain.low > 0 and result.gain.value >= _LITTLE


def _in_folds(result: ClaimOnlyResult) -> str:
    kept = {
        "records": f"claims built of one of the {result.groups:,} records stay together",
        "pages": f"claims about one of the {result.groups:,} pages stay together",
        "subjects": f"claims about one of the {result.groups:,} subjects stay together, as some have no page",
        "claims": "there are too few pages or subjects to keep their claims together",
    }
    return f"({FOLDS} folds; {kept[result.together]}.)"


# -- what goes with labels ---------------------------------------------------------------------------------


def _words(audit: Audit) -> Iterator[AuditFinding]:
    if audit.words is None or audit.pairs is None:
        return
    words, pairs = audit.words, audit.pairs
    if not words.beyond and not pairs.beyond:
        yield AuditFinding("Giveaway words", "No word and no pair of words goes with a label beyond chance.")
        return
    text = (
        f"Beyond chance {_several(words.beyond, 'word')} and {_several(pairs.beyond, 'pair')} of words go with a "
        f"label; {percent(words.share_given_away)} of the claims have such a word for their own label. The clearest: "
        f"{_list_giveaways((*words.clearest, *pairs.clearest))}."
    )
    yield AuditFinding("Giveaway words", text, troubling=words.share_given_away > _REPEATED or pairs.beyond > 0)


def _list_giveaways(tellings: tuple[Giveaway, ...]) -> str:
    clearest = sorted(tellings, key=lambda is_giveaway: -is_giveaway.strength)[:_MOST_LISTED]
    return ", ".join(f"{each.thing!r} ({each.label}, {each.here:,} of {each.anywhere:,})" for each in clearest)


def _evidence(audit: Audit) -> Iterator[AuditFinding]:
    for about, giveaways, what in (
        ("Places of evidence", audit.places, "The position of evidence on its page"),
        ("Kinds and labels", audit.kinds, "The kind of evidence"),
    ):
        if giveaways is not None:
            yield _association(about, giveaways, what)


def _association(about: str, giveaways: GiveawayLists, what: str) -> AuditFinding:
    every = [each for found in giveaways.npmi.values() for each in found if each.beyond_chance]
    if not every:
        return AuditFinding(about, f"{what} does not predict the label beyond chance.")
    strongest = sorted(every, key=lambda each: -each.strength)[:_MOST_LISTED]
    named = ", ".join(f"{each.thing} with {each.label} (nPMI {each.strength:.2f})" for each in strongest)
    return AuditFinding(about, f"{what} goes with the label: {named}.", strongest[0].strength >= _WIDE_GAP)


# -- wording -----------------------------------------------------------------------------------------------


def _wording(audit: Audit) -> Iterator[AuditFinding]:
    if len(audit.labels) < 2:
        return
    text = (
        f"Claims with a word of negation: {_by_label(audit.negation.by_label)}. "
        f'With words such as "only" or "incapable": {_by_label(audit.denial.by_label)}.'
    )
    yield AuditFinding("Negation", text, _is_wide(audit.negation) or _is_wide(audit.denial))


def _overlap(audit: Audit) -> Iterator[AuditFinding]:
    metrics = audit.overlap.by_label
    if metrics:
        text = f"Of a claim's words its evidence repeats, on average: {_by_label(metrics)}."
        yield AuditFinding("Lexical overlap", text, _is_wide(audit.overlap))


def _is_wide(rates: Rates) -> bool:
    return rates.gap >= _WIDE_GAP and rates.is_clear


# -- repetitions -------------------------------------------------------------------------------------------


def _repeats(audit: Audit) -> Iterator[AuditFinding]:
    found = audit.repeats
    if not found.same and not found.near:
        yield AuditFinding("Duplicates", "No claim repeats another, or nearly.")
        return
    parts = [f"{_several(found.same, 'claim repeats', 'claims repeat')} another word for word"]
    if found.same_disagreeing:
        parts.append(f"{_several(found.same_disagreeing, 'text has', 'texts have')} more than one label")
    parts.append(f"{_several(found.near, 'claim nearly repeats', 'claims nearly repeat')} another")
    if found.near_disagreeing:
        parts[-1] += f" ({_several(found.near_disagreeing, 'pair')} with different labels)"
    unsound = found.same_disagreeing > 0 or found.same / audit.claims >= _REPEATED
    yield AuditFinding("Duplicates", _sentence(parts), unsound)


def _leakage(audit: Audit) -> Iterator[AuditFinding]:
    found = audit.leakage
    if found is None:
        return
    parts = [
        f"{_several(found.same, 'claim is', 'claims are')} also in {audit.other} ({percent(found.same / found.claims)})"
    ]
    if found.same_disagreeing:
        parts[0] += f", {found.same_disagreeing:,} of them with another label"
    parts.append(f"{_several(found.near, 'more is', 'more are')} nearly so")
    if found.pages is not None:
        parts.append(f"{percent(found.pages / found.claims)} of the claims have evidence from a page that both use")
    if found.names is not None:
        parts.append(f"{percent(found.names / found.claims)} have a name that claims of both have")
    yield AuditFinding("Leaks", _sentence(parts), bool(found.same or found.pages))


# -- people ------------------------------------------------------------------------------------------------


def _votes(audit: Audit) -> Iterator[AuditFinding]:
    found = audit.votes
    if found is None:
        return
    text = (
        f"{found.votes:,} votes on {found.claims - found.unvoted:,} claims: players were fooled by "
        f"{with_interval(found.fooled)} ({_by_label(found.fooled_by_label)}). "
        f"{_several(found.misleading, 'claim')} of {found.claims:,} ({percent(found.misleading_share)}) would be "
        f"judged wrongly more often than not (Beta(4, 1) prior, expected value below {MISLEADING})."
    )
    yield AuditFinding("Votes", text, found.misleading_share >= _REPEATED)


def _agreement(audit: Audit) -> Iterator[AuditFinding]:
    found = audit.agreement
    if found is None:
        return
    parts = []
    if found.labelled:
        kappa = f", Fleiss' kappa {found.kappa:.2f}" if found.kappa is not None else ""
        alpha = f"{found.alpha:.2f}" if found.alpha is not None else "cannot be computed, as there is one label only"
        parts.append(f"On the labels of {found.labelled:,} claims Krippendorff's alpha is {alpha}{kappa}.")
    if found.with_evidence and found.evidence_jaccard is not None and found.evidence_masi is not None:
        parts.append(
            f"On the evidence of {found.with_evidence:,} claims alpha is {found.evidence_jaccard:.2f} (Jaccard) or "
            f"{found.evidence_masi:.2f} (MASI); two annotators chose the same evidence in "
            f"{percent(found.same_evidence or 0)} of all cases, nearly the same in "
            f"{percent(found.mostly_same_evidence or 0)}."
        )
    weak = found.alpha is not None and found.alpha < _RELIABLE
    if parts:
        yield AuditFinding("Inter-annotator agreement", " ".join(parts), weak)
