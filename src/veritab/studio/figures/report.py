"""The figures of a studio for programs and for people: JSON, and rows beside what the papers print.

Published figures are those of FEVEROUS where nothing else is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from veritab.datasets.statistics import Spread
from veritab.schema import Kind, Label
from veritab.studio.figures.agreement import AgreementFigures
from veritab.studio.figures.bias import AuthorBias
from veritab.studio.figures.claims import ClaimFigures
from veritab.studio.figures.effort import LONGEST, Effort
from veritab.studio.figures.evidence import EvidenceFigures
from veritab.studio.figures.handling import ApprovalFigures, HandlingFigures, Refusals
from veritab.studio.figures.measuring import StudioFigures
from veritab.studio.figures.recall import FoundEvidence, SuperAnnotation, UnfoundEvidence
from veritab.studio.figures.values import Figure, Histogram, Tally
from veritab.studio.vocabulary import ClaimType, HighlightKind, PageRule, SkipReason, TaskKind

# -- JSON --------------------------------------------------------------------------------------------------


def figures_to_json(figures: StudioFigures) -> dict[str, Any]:
    """All figures for other programs; one that cannot be measured is null, with the reason."""
    return {name: values_to_json(value) for name, value in figures._asdict().items()}


def values_to_json(value: Any) -> Any:
    """What a figure holds, by the names of its fields."""
    match value:
        case Figure(None, n, reason):
            return {"value": None, "n": n, "reason": reason}
        case Figure(measured, n, _):
            return {"value": measured, "n": n}
        case Mapping():
            return {str(name): values_to_json(each) for name, each in value.items()}
        case tuple():
            fields = getattr(value, "_fields", None)
            return (
                list(map(values_to_json, value))
                if fields is None
                else values_to_json(dict(zip(fields, value, strict=True)))
            )
    return value


# -- rows --------------------------------------------------------------------------------------------------


class FigureRow(NamedTuple):
    """A figure as people read it; `published` is what a paper prints, `reason` why there is no value."""

    group: str
    name: str
    value: str
    n: int
    published: str = ""
    reason: str = ""


def figure_rows(figures: StudioFigures) -> list[FigureRow]:
    """All figures in the order in which a report has them."""
    return [
        *_writing(figures.writing),
        *_verification(figures.verification),
        *_handling(figures.handling),
        *_approval(figures.approval),
        *_agreement(figures.agreement),
        *_super_annotation(figures.super_annotation),
        *_unfound(figures.unfound),
        *_bias(figures.bias),
    ]


_NONE = "–"


def _number(value: float) -> str:
    return f"{value:.2f}"


def _seconds(value: float) -> str:
    return f"{value:,.0f}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _exact_percent(value: float) -> str:
    return f"{100 * value:.2f} %"


def _row(
    group: str, name: str, figure: Figure, form: Callable[[float], str] = _number, published: str = ""
) -> FigureRow:
    value = _NONE if figure.value is None else form(figure.value)
    return FigureRow(group, name, value, figure.n, published, figure.reason)


def _counts(group: str, name: str, tally: Tally, published: Mapping[str, str] | None = None) -> Iterator[FigureRow]:
    """A row for each name with its share; those that a paper has come first, and with 0 too if any was counted."""
    known = published or {}
    for each in dict.fromkeys((*known, *tally.counts)) if tally.n else ():
        count = tally.counts.get(each, 0)
        value = f"{count:,} ({_percent(count / tally.n)})"
        yield FigureRow(group, f"{name}: {each or 'no reason given'}", value, tally.n, known.get(each, ""))


def _histogram(group: str, name: str, histogram: Histogram) -> FigureRow:
    if not histogram.n:
        return FigureRow(group, f"{name}, quartiles", _NONE, 0, reason="no such evidence")
    spread = Spread.of(histogram.counts)
    value = f"{spread.first:g} · {spread.median:g} · {spread.third:g}"
    return FigureRow(group, f"{name}, quartiles", value, histogram.n)


# -- writing and verification ------------------------------------------------------------------------------


class _PublishedEffort(NamedTuple):
    seconds: str = ""
    searches: str = ""
    full_text: str = ""
    hyperlinks: str = ""


_EFFORT: Mapping[str, _PublishedEffort] = {
    TaskKind.FEVEROUS_CLAIMS: _PublishedEffort("373", "0.15", "", "0.71"),
    TaskKind.FEVEROUS_VERIFICATION: _PublishedEffort("165", "1.34", "0.1", "0.72"),
    PageRule.SEVERAL_PAGES: _PublishedEffort("", "0.2", "", "1.2"),
}


def _effort(group: str, before: str, effort: Effort, published: _PublishedEffort) -> Iterator[FigureRow]:
    yield _row(group, f"{before}: seconds, mean", effort.seconds, _seconds, published.seconds)
    yield _row(group, f"{before}: seconds, median", effort.median_seconds, _seconds)
    yield FigureRow(group, f"{before}: over {LONGEST:,} seconds", f"{effort.too_long:,}", effort.annotations)
    yield _row(group, f"{before}: searches", effort.searches, published=published.searches)
    yield _row(group, f"{before}: of them for words in pages", effort.full_text, published=published.full_text)
    yield _row(group, f"{before}: hyperlinks", effort.hyperlinks, published=published.hyperlinks)
    yield _row(group, f"{before}: searches on the page", effort.page_searches)


def _efforts(group: str, efforts: Mapping[str, Effort]) -> Iterator[FigureRow]:
    for name, effort in efforts.items():
        yield from _effort(group, _kind_label(name), effort, _EFFORT.get(name, _PublishedEffort()))


def _kind_label(name: str) -> str:
    """What people read for a kind of task; anything else is called what it is."""
    return next((kind.label for kind in TaskKind if kind == name), name)


_HIGHLIGHTS: Mapping[str, str] = {HighlightKind.TABLE: "61,058 (65 %)", HighlightKind.SENTENCES: "32,700 (35 %)"}
_PAGE_RULES: Mapping[str, str] = {PageRule.SAME_PAGE: "47,300 (50 %)", PageRule.SEVERAL_PAGES: "46,428 (50 %)"}
_LENGTHS: Mapping[str, str] = {
    ClaimType.HIGHLIGHT_ONLY: "23",
    ClaimType.BEYOND_HIGHLIGHT: "29",
    ClaimType.MUTATED: "24",
}
_LABELS: Mapping[str, str] = {
    Label.SUPPORTS: "49,115 (56 %)",
    Label.REFUTES: "33,669 (39 %)",
    Label.NOT_ENOUGH_INFO: "4,242 (5 %)",
}
_PIECES: Mapping[str, str] = {Kind.CELL: "69 %", Kind.SENTENCE: "29 %", Kind.ITEM: "1 %", Kind.TABLE_CAPTION: "1 %"}


def _writing(figures: ClaimFigures) -> Iterator[FigureRow]:
    group = "Writing"
    yield FigureRow(group, "claims", f"{figures.claims:,}", figures.claims)
    yield from _efforts(group, figures.effort)
    yield from _efforts(group, figures.effort_by_page_rule)
    yield from _counts(group, "highlight", figures.by_highlight, _HIGHLIGHTS)
    yield from _counts(group, "type", figures.by_type, dict.fromkeys(ClaimType, ""))
    yield from _counts(group, "page rule", figures.by_page_rule, _PAGE_RULES)
    yield from _counts(group, "mutation", figures.by_mutation)
    yield from _counts(group, "prescribed truth", figures.by_truth)
    yield _row(group, "words of a claim, mean", figures.lengths.mean, published="25.3")
    for name, lengths in figures.lengths_by_type.items():
        yield _row(group, f"words of a claim of type {name}, mean", lengths.mean, published=_LENGTHS.get(name, ""))
    for name, lengths in figures.lengths_by_highlight.items():
        yield _row(group, f"words of a claim from {name}, mean", lengths.mean)
    yield from _counts(group, "skipped", figures.skips)


def _verification(figures: EvidenceFigures) -> Iterator[FigureRow]:
    group = "Verification"
    yield FigureRow(group, "answers", f"{figures.answers:,}", figures.answers)
    yield from _efforts(group, figures.effort)
    yield from _counts(group, "label", figures.labels, _LABELS)
    yield from _counts(group, "challenge", figures.challenges)
    yield from _counts(group, "rating", figures.ratings)
    yield _row(group, "evidence sets of an answer, mean", figures.sets, published="1.1")
    yield FigureRow(
        group, "answers with several sets", f"{figures.several_sets:,}", figures.sets.n, "7,468 of 87,026 claims"
    )
    yield from _counts(group, "piece of evidence", figures.pieces, _PIECES)
    yield _row(group, "a page of the evidence is named in the claim", figures.title_in_claim, _percent, "84 %")
    yield _histogram(group, "sentence's place on its page", figures.sentence_positions)
    yield _histogram(group, "cell's row in its table", figures.row_positions)
    yield _histogram(group, "section's number, -1 for the introduction", figures.section_positions)
    yield _histogram(group, "pieces of a set", figures.pieces_per_set)


# -- people ------------------------------------------------------------------------------------------------


def _handling(figures: HandlingFigures) -> Iterator[FigureRow]:
    group = "Skips, flags, reports"
    yield from _refusals(group, "", figures.overall, ("1.01 % (FEVER)", "6.63 % (FEVER)", "2,534 claims"))
    yield from _counts(group, "skipped", figures.overall.skips, {SkipReason.TYPO: "2.11 % of claims (FEVER)"})
    yield from _counts(group, "flagged", figures.overall.flags)
    yield from _counts(group, "reported", figures.overall.reports)
    for by, people in (("author", figures.by_author), ("annotator", figures.by_annotator)):
        for name, refusals in people.items():
            yield from _refusals(f"{group} by {by}", f"{name}: ", refusals)


def _refusals(
    group: str, before: str, refusals: Refusals, published: tuple[str, str, str] = ("", "", "")
) -> Iterator[FigureRow]:
    for name, figure, printed in zip(
        ("skipped", "flagged", "reported"),
        (refusals.skipped, refusals.flagged, refusals.reported),
        published,
        strict=True,
    ):
        yield _row(group, f"{before}{name}", figure, _exact_percent, printed)


_APPROVED: Mapping[str, str] = {TaskKind.FEVEROUS_CLAIMS: "40 %", TaskKind.FEVEROUS_VERIFICATION: "53 %"}


def _approval(figures: Mapping[str, ApprovalFigures]) -> Iterator[FigureRow]:
    group = "Calibration"
    for kind, approval in figures.items():
        name = _kind_label(kind)
        yield _row(group, f"{name}: approved", approval.approved, _percent, _APPROVED.get(kind, ""))
        yield _row(group, f"{name}: right verdicts, mean", approval.accuracy)
        yield from _counts(group, f"{name}: stage", approval.stages)


# -- agreement and recall ----------------------------------------------------------------------------------

_KAPPA = {2: "0.65", 3: "0.65", 5: "0.68 (FEVER)"}


def _agreement(figures: AgreementFigures) -> Iterator[FigureRow]:
    group = "Agreement"
    for ways, kappa in figures.ways.items():
        yield _row(group, f"Fleiss' kappa, {ways} answers", kappa, published=_KAPPA.get(ways, ""))
    yield _row(group, "Cohen's kappa, 2 answers", figures.cohen)
    yield _row(group, "Krippendorff's alpha of labels", figures.alpha)
    yield _row(group, "Krippendorff's alpha of evidence, Jaccard's distance", figures.evidence_jaccard)
    yield _row(group, "Krippendorff's alpha of evidence, MASI", figures.evidence_masi)
    yield _row(group, "same evidence", figures.same_evidence, _percent, "42 %")
    yield _row(group, "evidence match of 0.7 or more", figures.mostly_same_evidence, _percent, "74 %")
    yield _row(group, "kappa with the same evidence", figures.kappa_same_evidence, published="0.92")
    yield _row(group, "kappa with distinct evidence", figures.kappa_distinct_evidence, published="0.11")
    group = "Kappa by evidence match"
    for match in figures.by_match:
        name = f"{match.low:.1f} to {match.high:.1f}"
        yield _row(group, f"{name}: share of pairs", match.share, _percent)
        yield _row(group, f"{name}: kappa", match.kappa)
    group = "Kappa by calibration score"
    for scored in figures.by_calibration:
        if scored.annotators:
            name = f"{scored.low:.1f} to {scored.high:.1f}"
            published = "about 0.8" if scored.low >= 0.9 else "about 0.5" if scored.high <= 0.6 else ""
            yield FigureRow(group, f"{name}: annotators", f"{scored.annotators:,}", scored.annotators)
            yield _row(group, f"{name}: first 100 answers", scored.kappa_first, published=published)
            yield _row(group, f"{name}: all answers", scored.kappa)
    group = "Pairs of annotators"
    for pair in figures.pairs:
        name = f"{pair.first} and {pair.second}"
        yield _row(group, f"{name}: Cohen's kappa", pair.kappa)
        yield _row(group, f"{name}: same label", pair.same_label, _percent)
        yield _row(group, f"{name}: same evidence", pair.same_evidence, _percent)


_GOOD_PRECISION, _GOOD_RECALL = 0.9, 0.7


def _super_annotation(figures: SuperAnnotation) -> Iterator[FigureRow]:
    group = "Against super-annotators"
    yield _row(group, "precision of evidence", figures.overall.precision, _exact_percent, "95.42 % (FEVER)")
    yield _row(group, "recall of evidence", figures.overall.recall, _exact_percent, "72.36 % (FEVER)")
    found = figures.by_annotator.values()
    yield _above(group, "precision", (each.precision for each in found), _GOOD_PRECISION, "all but 2 (FEVER)")
    yield _above(group, "recall", (each.recall for each in found), _GOOD_RECALL, "all but 9 (FEVER)")
    for annotator, each in figures.by_annotator.items():
        yield from _found(group, annotator, each)


def _above(group: str, name: str, figures: Iterable[Figure], least: float, published: str) -> FigureRow:
    known = [figure.value for figure in figures if figure.value is not None]
    name = f"annotators with {name} above {_percent(least)}"
    if not known:
        return FigureRow(group, name, _NONE, 0, published, "nobody answered a claim that super-annotators answered")
    return FigureRow(group, name, f"{sum(value > least for value in known)}", len(known), published)


def _found(group: str, annotator: str, found: FoundEvidence) -> Iterator[FigureRow]:
    yield _row(group, f"{annotator}: precision", found.precision, _percent)
    yield _row(group, f"{annotator}: recall", found.recall, _percent)


def _unfound(figures: UnfoundEvidence) -> Iterator[FigureRow]:
    group, estimate = "Unfound evidence, by capture and recapture", figures.estimate
    names = "pieces found by two people", "pieces that exist, estimated", "recall of one person, estimated"
    if estimate is None:
        yield from (FigureRow(group, name, _NONE, 0, reason=figures.reason) for name in names)
        return
    values = (
        f"{estimate.found:,}",
        f"{estimate.total:,.0f} [{estimate.low:,.0f}, {estimate.high:,.0f}]",
        f"{_percent(estimate.recall)} [{_percent(estimate.recall_low)}, {_percent(estimate.recall_high)}]",
    )
    yield from (FigureRow(group, name, value, estimate.claims) for name, value in zip(names, values, strict=True))


# -- wording -----------------------------------------------------------------------------------------------


def _bias(authors: Iterable[AuthorBias]) -> Iterator[FigureRow]:
    group = "Wording by author"
    for each in authors:
        yield _row(group, f"{each.author}: claim-only accuracy", each.claim_only, published="0.58 (BERT, all claims)")
        yield _row(group, f"{each.author}: majority", each.majority, published="0.56 (all claims)")
        yield _row(group, f"{each.author}: claims with a telling word", each.given_away, _percent)
        yield _row(group, f"{each.author}: claims that negate", each.negation, _percent)
        for label, share in each.negation_by_label.items():
            yield _row(group, f"{each.author}: claims that negate, {label}", share, _percent)
        for label, words in each.words.items():
            telling = ", ".join(word.thing for word in words) or _NONE
            yield FigureRow(group, f"{each.author}: words by LMI, {label}", telling, each.labels.counts[label])
