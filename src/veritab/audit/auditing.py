"""An audit: everything that is looked at in one data set, step by step, and what came out as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from veritab.audit.agreement import Agreement, agreement
from veritab.audit.claim_only import ClaimOnly, claim_only, learned_elsewhere
from veritab.audit.giveaways import TOP, Associations, Counting, Telling
from veritab.audit.grams import Grams, grams_of, things_of
from veritab.audit.repeats import Leakage, Repeats, as_words, leakage, repeats
from veritab.audit.rows import Row, TextsOf
from veritab.audit.rows import rows as rows_of
from veritab.audit.votes import VoteStatistics, vote_statistics
from veritab.audit.wording import Rates, denial, negation, overlap
from veritab.evaluate.metrics import Metric
from veritab.schema import Example, Label

_LEAST_CLAIMS, _LEAST_SHARE = 5, 0.001
"""Words that fewer claims have are not ranked by nPMI: a word that comes once always goes with one label alone."""

_CURVE = 100

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Tellings:
    """What goes with each label, ranked in three ways; `beyond` counts what does so beyond chance."""

    lmi: dict[str, tuple[Telling, ...]]
    lmi_faviq: dict[str, tuple[Telling, ...]]
    npmi: dict[str, tuple[Telling, ...]]
    falling: dict[str, tuple[float, ...]]
    """FaVIQ's LMI of the hundred things that go with a label most, highest first."""
    clearest: tuple[Telling, ...]
    beyond: int
    share_given_away: float


@dataclass(frozen=True)
class Audit:
    """What gives a data set away; None where it does not hold what a part needs."""

    name: str
    claims: int
    labels: dict[str, int]
    words: Tellings | None
    pairs: Tellings | None
    places: Tellings | None
    kinds: Tellings | None
    kind_counts: dict[str, int]
    claim_only: ClaimOnly | None
    kind_only: ClaimOnly | None
    negation: Rates
    denial: Rates
    overlap: Rates
    repeats: Repeats
    votes: VoteStatistics | None
    agreement: Agreement | None
    other: str = ""
    """The name of the data set it was compared with."""
    leakage: Leakage | None = None
    transfer: Metric | None = None
    """How often the claim-only classifier is right here when it learned from the other data set's other claims."""
    unlabelled: int = 0
    problems: int = 0
    """Records that could not be read, and are not in it."""


def audit(
    examples: Iterable[Example],
    name: str = "",
    *,
    against: Iterable[Example] | None = None,
    other: str = "",
    texts_of: TextsOf | None = None,
) -> Audit:
    """Audit a data set, and what it shares with another where one is given."""
    there = tuple(rows_of(against)) if against is not None else None
    return finished(audit_steps(tuple(rows_of(examples, texts_of)), name, there, other))


def finished(steps: Generator[str, None, _Result]) -> _Result:
    """What work that tells its steps comes to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


STEPS = 7


def audit_steps(
    rows: tuple[Row, ...], name: str, there: tuple[Row, ...] | None = None, other: str = ""
) -> Generator[str, None, Audit]:
    """The work of an audit: before each step its name is given, so that a caller can show how far it is."""
    answered = [place for place, row in enumerate(rows) if row.label is not None]
    labelled = [rows[place] for place in answered]
    answers = [str(row.label) for row in labelled]
    counts = Counter(answers)
    names = [str(label) for label in Label if counts[label]]
    yield "words and labels"
    every = grams_of(row.text for row in rows)
    words, pairs = (grams.of(answered, len(rows)) for grams in every)
    told = [_tellings(grams, answers, names, _least(len(labelled))) for grams in (words, pairs)]
    yield "evidence and labels"
    places = _evidence_tellings(labelled, lambda row: row.places)
    kinds = _evidence_tellings(labelled, lambda row: (row.kind,) if row.kind else ())
    yield "labels from claims alone"
    by_claim = claim_only(labelled, answers, (words, pairs))
    yield "kinds of evidence from claims alone"
    kind_counts = Counter(row.kind for row in rows if row.kind)
    of_kind = _of_frequent_kinds(rows, kind_counts)
    words, pairs = (grams.of(of_kind, len(rows)) for grams in every)
    by_kind = claim_only([rows[place] for place in of_kind], [rows[place].kind for place in of_kind], (words, pairs))
    yield "wording"
    negated, denied, shared = negation(labelled, names), denial(labelled, names), overlap(labelled, names)
    yield "repeated claims"
    repeated = repeats(rows)
    yield "the other data set" if there is not None else "votes and annotators"
    known = {as_words(row.text) for row in rows} if there else set()
    taught = [row for row in there or () if row.label is not None and as_words(row.text) not in known]
    return Audit(
        name=name,
        claims=len(rows),
        labels={label: counts[label] for label in names},
        words=told[0],
        pairs=told[1],
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
        leakage=leakage(rows, there) if there is not None else None,
        transfer=learned_elsewhere(labelled, answers, taught, [str(row.label) for row in taught]),
        unlabelled=len(rows) - len(labelled),
    )


def _least(claims: int) -> int:
    return max(_LEAST_CLAIMS, round(_LEAST_SHARE * claims))


def _tellings(grams: Grams, answers: Sequence[str], names: Sequence[str], least: int = 1) -> Tellings | None:
    if len(names) < 2 or len(grams.names) < 2:
        return None
    found = Associations(grams, answers, names)
    return Tellings(
        {name: found.by_lmi(name) for name in names},
        {name: found.by_lmi(name, Counting.FAVIQ) for name in names},
        {name: found.by_npmi(name, least) for name in names},
        {name: tuple(each.strength for each in found.by_lmi(name, Counting.FAVIQ, _CURVE)) for name in names},
        found.beyond_chance(2 * TOP),
        int(found.telling.sum()),
        found.share_given_away,
    )


def _evidence_tellings(labelled: Sequence[Row], told_by: Callable[[Row], tuple[str, ...]]) -> Tellings | None:
    """Of the claims that have evidence: those of a label that never has any would tell only that."""
    kept = [row for row in labelled if told_by(row)]
    answers = [str(row.label) for row in kept]
    return _tellings(things_of(map(told_by, kept)), answers, [str(label) for label in Label if label in answers])


def _of_frequent_kinds(rows: Sequence[Row], counts: Counter[str]) -> list[int]:
    """The places of claims whose kind of evidence is not so rare that a fold may lack it."""
    least = counts.total() / 100
    return [place for place, row in enumerate(rows) if row.kind and counts[row.kind] >= least]
