"""What the wording of each author's claims gives away: words by LMI, negation, and the claim-only baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from veritab.audit.audit_rows import AuditRow
from veritab.audit.claim_only import LEAST, ClaimOnlyResult, claim_only_baseline
from veritab.audit.giveaways import Associations, Giveaway
from veritab.audit.ngrams import count_ngrams
from veritab.audit.wording import negates
from veritab.errors import InputError, MissingExtra
from veritab.schema import Label
from veritab.studio.figures.rows import AuthoredClaim
from veritab.studio.figures.values import Figure, Tally, mean_figure

_TOP = 5


class AuthorBias(NamedTuple):
    """The claims of one author: how their words go with their labels."""

    author: str
    labels: Tally
    words: Mapping[str, tuple[Giveaway, ...]]
    """The words with the highest LMI for each label; empty where there are too few claims, as `given_away` says."""
    given_away: Figure
    """The share of claims with a word that goes with their label beyond chance."""
    negation: Figure
    negation_by_label: Mapping[str, Figure]
    claim_only: Figure
    """The accuracy of a classifier that never sees evidence, cross-validated."""
    majority: Figure


def measure_bias(claims: Iterable[AuthoredClaim]) -> tuple[AuthorBias, ...]:
    """The bias of each author; the claims of an author come in a row, and only those of one author are held."""
    found: dict[str, AuthorBias] = {}
    for author, written in groupby(claims, lambda claim: claim.author):
        if author in found:
            raise InputError(f"the claims of {author!r} do not come in a row; sort them by their author")
        found[author] = _author_bias(author, list(written))
    return tuple(found.values())


def _author_bias(author: str, claims: Sequence[AuthoredClaim]) -> AuthorBias:
    labels = Counter(str(claim.label) for claim in claims)
    names = [str(label) for label in Label if label in labels]
    words, given_away = _words(claims, names)
    negating = Counter(str(claim.label) for claim in claims if negates(claim.text))
    accuracy, majority = _claim_only(claims)
    return AuthorBias(
        author,
        Tally.of(labels),
        words,
        given_away,
        mean_figure(negating.total(), len(claims), "claim"),
        {name: mean_figure(negating[name], labels[name], "claim") for name in names},
        accuracy,
        majority,
    )


def _too_few(claims: Sequence[AuthoredClaim]) -> str:
    if len(claims) < LEAST:
        return f"{len(claims)} claims are too few; {LEAST} are needed"
    return "" if len({claim.label for claim in claims}) > 1 else "all claims have one label"


def _words(claims: Sequence[AuthoredClaim], names: Sequence[str]) -> tuple[dict[str, tuple[Giveaway, ...]], Figure]:
    reason = _too_few(claims)
    if reason:
        return {}, Figure(None, len(claims), reason)
    words, _ = count_ngrams(claim.text for claim in claims)
    found = Associations(words, [str(claim.label) for claim in claims], names)
    return {name: found.by_lmi(name, top=_TOP) for name in names}, Figure(found.share_given_away, len(claims))


def _claim_only(claims: Sequence[AuthoredClaim]) -> Iterator[Figure]:
    """The accuracy of the claim-only baseline, and that of the majority."""
    reason, result = _too_few(claims), None
    if not reason:
        try:
            result = _baseline(claims)
        except MissingExtra as missing:
            reason = str(missing)
    if result is None:
        reason = reason or "all labels but one are too rare"
        return iter(2 * (Figure(None, len(claims), reason),))
    return (Figure(each.value, each.n) for each in (result.accuracy, result.majority))


def _baseline(claims: Sequence[AuthoredClaim]) -> ClaimOnlyResult | None:
    rows = [AuditRow(claim.claim, claim.text, claim.label, claim.pages) for claim in claims]
    return claim_only_baseline(rows, [str(claim.label) for claim in claims])
