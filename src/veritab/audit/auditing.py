"""An audit of one data set, step by step, with its results as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from veritab.audit.agreement import Agreement, agreement
from veritab.audit.audit_rows import AuditRow, EvidenceTexts, audit_rows
from veritab.audit.claim_only import ClaimOnlyResult, claim_only_baseline, transfer_accuracy
from veritab.audit.duplicates import DuplicateStatistics, Leakage, find_duplicates, find_leaks, normalise_words
from veritab.audit.giveaways import TOP, Associations, Giveaway, LmiVariant
from veritab.audit.ngrams import Ngrams, count_features, count_ngrams
from veritab.audit.votes import VoteStatistics, vote_statistics
from veritab.audit.wording import Rates, denial, negation, overlap
from veritab.evaluate.metrics import Metric
from veritab.schema import Example, Label

_LEAST_CLAIMS, _LEAST_SHARE = 5, 0.001
"""Words of fewer claims are not ranked by nPMI: a word that occurs once always goes with one label alone."""

_CURVE = 100

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class GiveawayLists:
    """Giveaways of each label, ranked in three ways; `beyond` counts those beyond chance."""

    lmi: dict[str, tuple[Giveaway, ...]]
    lmi_faviq: dict[str, tuple[Giveaway, ...]]
    npmi: dict[str, tuple[Giveaway, ...]]
    falling: dict[str, tuple[float, ...]]
    """FaVIQ's LMI of the hundred strongest giveaways of a label, highest first."""
    clearest: tuple[Giveaway, ...]
    beyond: int
    share_given_away: float


@dataclass(frozen=True)
class Audit:
    """The results of an audit; None where the data set lacks what a part needs."""

    name: str
    claims: int
    labels: dict[str, int]
    words: GiveawayLists | None
    pairs: GiveawayLists | None
    places: GiveawayLists | None
    kinds: GiveawayLists | None
    kind_counts: dict[str, int]
    claim_only: ClaimOnlyResult | None
    kind_only: ClaimOnlyResult | None
    negation: Rates
    denial: Rates
    overlap: Rates
    repeats: DuplicateStatistics
    votes: VoteStatistics | None
    agreement: Agreement | None
    other: str = ""
    """The name of the data set it was compared with."""
    leakage: Leakage | None = None
    transfer: Metric | None = None
    """The accuracy here of a claim-only classifier that was trained on the other data set's other claims."""
    unlabelled: int = 0
    problems: int = 0
    """Records that could not be read, and are not in it."""


def audit(
    examples: Iterable[Example],
    name: str = "",
    *,
    against: Iterable[Example] | None = None,
    other: str = "",
    evidence_texts_of: EvidenceTexts | None = None,
) -> Audit:
    """Audit a data set, and what it shares with another where one is given."""
    there = tuple(audit_rows(against)) if against is not None else None
    return run_steps(audit_steps(tuple(audit_rows(examples, evidence_texts_of)), name, there, other))


def run_steps(steps: Generator[str, None, _Result]) -> _Result:
    """The result of a generator of steps."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


STEPS = 7


def audit_steps(
    rows: tuple[AuditRow, ...], name: str, there: tuple[AuditRow, ...] | None = None, other: str = ""
) -> Generator[str, None, Audit]:
    """An audit as a generator that yields the name of each step before it starts, for a progress bar."""
    answered = [place for place, row in enumerate(rows) if row.label is not None]
    labelled = [rows[place] for place in answered]
    answers = [str(row.label) for row in labelled]
    counts = Counter(answers)
    names = [str(label) for label in Label if counts[label]]
    yield "words and labels"
    every = count_ngrams(row.text for row in rows)
    words, pairs = (ngrams.of(answered, len(rows)) for ngrams in every)
    least = max(_LEAST_CLAIMS, round(_LEAST_SHARE * len(labelled)))
    word_giveaways, pair_giveaways = (_find_giveaways(each, answers, names, least) for each in (words, pairs))
    yield "evidence and labels"
    places = _find_evidence_giveaways(labelled, lambda row: row.places)
    kinds = _find_evidence_giveaways(labelled, lambda row: (row.kind,) if row.kind else ())
    yield "labels from claims alone"
    by_claim = claim_only_baseline(labelled, answers, (words, pairs))
    yield "kinds of evidence from claims alone"
    kind_counts = Counter(row.kind for row in rows if row.kind)
    of_kind = _of_frequent_kinds(rows, kind_counts)
    words, pairs = (ngrams.of(of_kind, len(rows)) for ngrams in every)
    by_kind = claim_only_baseline(
        [rows[place] for place in of_kind], [rows[place].kind for place in of_kind], (words, pairs)
    )
    yield "wording"
    negated, denied, shared = negation(labelled, names), denial(labelled, names), overlap(labelled, names)
    yield "repeated claims"
    repeated = find_duplicates(rows)
    yield "the other data set" if there is not None else "votes and annotators"
    known = {normalise_words(row.text) for row in rows} if there else set()
    taught = [row for row in there or () if row.label is not None and normalise_words(row.text) not in known]
    return Audit(
        name=name,
        claims=len(rows),
        labels={label: counts[label] for label in names},
        words=word_giveaways,
        pairs=pair_giveaways,
        places=places,
        kinds=kinds,
        kind_counts=dict(sorted(kind_counts.items(), key=lambda kind: (-kind[1], kind[0]))),
        claim_only=by_claim,
        kind_only=by_kind,
        negation=negated,
        denial=denied,
        overlap=shared,
        repeats=repeated,
        votes=vote_statistics(rows),
        agreement=agreement((row.labels_given for row in rows), (row.evidence_given for row in rows)),
        other=other,
        leakage=find_leaks(rows, there) if there is not None else None,
        transfer=transfer_accuracy(labelled, answers, taught, [str(row.label) for row in taught]),
        unlabelled=len(rows) - len(labelled),
    )


def _find_giveaways(
    ngrams: Ngrams, answers: Sequence[str], names: Sequence[str], least: int = 1
) -> GiveawayLists | None:
    if len(names) < 2 or len(ngrams.names) < 2:
        return None
    found = Associations(ngrams, answers, names)
    return GiveawayLists(
        {name: found.by_lmi(name) for name in names},
        {name: found.by_lmi(name, LmiVariant.FAVIQ) for name in names},
        {name: found.by_npmi(name, least) for name in names},
        {name: tuple(each.strength for each in found.by_lmi(name, LmiVariant.FAVIQ, _CURVE)) for name in names},
        found.beyond_chance(2 * TOP),
        int(found.is_giveaway.sum()),
        found.share_given_away,
    )


def _find_evidence_giveaways(
    labelled: Sequence[AuditRow], feature: Callable[[AuditRow], tuple[str, ...]]
) -> GiveawayLists | None:
    """Among claims that have evidence: a label that never has any would be given away by that alone."""
    kept = [row for row in labelled if feature(row)]
    answers = [str(row.label) for row in kept]
    return _find_giveaways(
        count_features(map(feature, kept)), answers, [str(label) for label in Label if label in answers]
    )


def _of_frequent_kinds(rows: Sequence[AuditRow], counts: Counter[str]) -> list[int]:
    """The positions of claims whose kind of evidence is not so rare that a fold may lack it."""
    least = counts.total() / 100
    return [place for place, row in enumerate(rows) if row.kind and counts[row.kind] >= least]
