"""An audit as one page of HTML: what was found in plain words first, then the charts and tables behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from veritab.audit.auditing import Audit, GiveawayLists
from veritab.audit.claim_only import ClaimOnlyResult
from veritab.audit.duplicates import DuplicatePair
from veritab.audit.findings import findings, join_units, percent
from veritab.audit.giveaways import Giveaway
from veritab.audit.measures import MEASURES, measures
from veritab.audit.wording import Rates
from veritab.evaluate import html_page, plots
from veritab.evaluate.metrics import Metric
from veritab.render.markup import Markup, joined, tag

_BARS = 8
_SHARES = (0.0, 1.0)


def audit_page(audit: Audit) -> str:
    """The whole page."""
    sections: tuple[Callable[[Audit], Iterator[Markup]], ...] = (
        _short, _claim_only, _words, _evidence, _wording, _repeats, _leaks, _votes, _measures,
    )  # fmt: skip
    compared = f"Compared with {audit.other}." if audit.leakage else ""
    notes = [note for note in ("What gives a data set away, and what makes it unsound.", compared) if note]
    return html_page.page(f"Audit: {audit.name}", notes, [part for section in sections for part in section(audit)])


def _short(audit: Audit) -> Iterator[Markup]:
    lines = [
        tag(
            "li",
            tag("b", f"{finding.about}. "),
            join_units(finding.text),
            class_="missed" if finding.troubling else "found",
        )
        for finding in findings(audit)
    ]
    said = "A cross marks what gives the data set away or makes it unsound."
    yield html_page.section("found", "What was found", tag("ul", *lines, class_="pieces"), said=said)


# -- the claim alone ---------------------------------------------------------------------------------------


def _claim_only(audit: Audit) -> Iterator[Markup]:
    charts = [
        _told_from_claims(audit.claim_only, "Labels predicted from the claim alone"),
        _told_from_claims(audit.kind_only, "Kinds of evidence predicted from the claim alone"),
    ]
    drawn = [html_page.chart(svg) for svg in charts if svg]
    if drawn:
        said = "A linear classifier over words and pairs, which sees no evidence, on claims it did not learn from."
        yield html_page.section("claim-only", "Claim-only baseline", *drawn, said=said)


def _told_from_claims(result: ClaimOnlyResult | None, title: str) -> str:
    if result is None:
        return ""
    bars = [_bar("right on all", result.accuracy), _bar("most frequent answer", result.majority)]
    bars += [_bar(f"right on {name}", metric) for name, metric in result.recall.items()]
    return plots.bars(bars, title=title, axis="share of claims", format=".1%", limits=_SHARES)


def _bar(name: str, metric: Metric, group: str = "") -> plots.ChartBar:
    return plots.ChartBar(name, metric.value, metric.low, metric.high, group)


# -- what goes with labels ---------------------------------------------------------------------------------


def _words(audit: Audit) -> Iterator[Markup]:
    if audit.pairs is None or audit.words is None:
        return
    charts = [_curves(audit.pairs), *(_strongest(label, found) for label, found in audit.pairs.lmi.items())]
    pairs = [
        _lmi_table(f"Pairs, {name}", found, audit.pairs.lmi_faviq[name]) for name, found in audit.pairs.lmi.items()
    ]
    words = [
        _lmi_table(f"Words, {name}", found, audit.words.lmi_faviq[name]) for name, found in audit.words.lmi.items()
    ]
    words += [_npmi_table(f"Words by nPMI, {name}", found) for name, found in audit.words.npmi.items()]
    said = (
        "LMI as Fool Me Twice counts it, in 1/100,000, and as FaVIQ does, in 1/1,000,000. Rows in bold go with the "
        "label more clearly than anything did when labels were shuffled."
    )
    tables = (tag("details", tag("summary", name), *each) for name, each in (("Pairs", pairs), ("Words", words)))
    yield html_page.section("words", "Giveaway words", *(html_page.chart(svg) for svg in charts), *tables, said=said)


def _curves(giveaways: GiveawayLists) -> str:
    """How fast LMI falls from pair to pair, as FaVIQ compares data sets."""
    points = [
        plots.ChartPoint(rank, 1e6 * strength, line=label)
        for label, falling in giveaways.falling.items()
        for rank, strength in enumerate(falling, 1)
    ]
    return plots.lines(
        points, title="The strongest giveaway bigrams", x="rank", axis="LMI, in 1/1,000,000", format=",.0f"
    )


def _strongest(label: str, found: Sequence[Giveaway]) -> str:
    bars = [plots.ChartBar(each.thing, each.strength * 1e5) for each in found[:_BARS]]
    return plots.bars(bars, title=f"Pairs of words, {label}", axis="LMI, in 1/100,000", format=",.0f")


def _lmi_table(name: str, found: Sequence[Giveaway], faviq: Sequence[Giveaway]) -> Markup:
    other = {each.thing: f"{1e6 * each.strength:,.0f}" for each in faviq}
    rows = [(each.thing, f"{1e5 * each.strength:,.0f}", other.get(each.thing, ""), _times(each)) for each in found]
    return _table(name, ("", "FM2", "FaVIQ", "claims"), rows, found)


def _npmi_table(name: str, found: Sequence[Giveaway]) -> Markup:
    return _table(
        name, ("", "nPMI", "claims"), [(each.thing, f"{each.strength:.3f}", _times(each)) for each in found], found
    )


def _times(each: Giveaway) -> str:
    return f"{each.here:,} of {each.anywhere:,}"


def _table(name: str, header: Sequence[str], rows: Sequence[Sequence[str]], found: Sequence[Giveaway]) -> Markup:
    if not rows:
        return Markup("")
    drawn = html_page.table(header, rows, name=name, sure=[each.beyond_chance for each in found])
    return joined(tag("h3", name), drawn)


def _evidence(audit: Audit) -> Iterator[Markup]:
    parts = [
        _npmi_table(f"{name}, {label}", found)
        for name, giveaways in (("Places", audit.places), ("Kinds", audit.kinds))
        if giveaways is not None
        for label, found in giveaways.npmi.items()
    ]
    if any(parts):
        said = "How far a label goes with a place or a kind of evidence, among claims that have any: nPMI, 0 by chance."
        yield html_page.section("evidence", "Evidence and labels", *parts, said=said)


# -- wording -----------------------------------------------------------------------------------------------


def _wording(audit: Audit) -> Iterator[Markup]:
    if len(audit.labels) < 2:
        return
    charts = [
        _rates(audit.negation, "Claims with a negation", "share of claims"),
        _rates(audit.denial, "Claims that negate or deny", "share of claims"),
        _rates(audit.overlap, "Words of the claim that its evidence has", "share of words"),
    ]
    yield html_page.section("wording", "Wording", *(html_page.chart(svg) for svg in charts if svg))


def _rates(rates: Rates, title: str, axis: str) -> str:
    bars = [_bar(label, metric) for label, metric in rates.by_label.items()]
    return plots.bars(bars, title=title, axis=axis, format=".1%")


# -- repetitions, leaks, votes -----------------------------------------------------------------------------


def _repeats(audit: Audit) -> Iterator[Markup]:
    yield from _pairs("repeats", "Duplicates", audit.repeats.examples, ("claim", "another", "labels", "nearness"))


def _leaks(audit: Audit) -> Iterator[Markup]:
    if audit.leakage:
        header = ("here", f"in {audit.other}", "labels", "nearness")
        yield from _pairs("leaks", "Claims of both data sets", audit.leakage.examples, header)


def _pairs(anchor: str, name: str, pairs: Iterable[DuplicatePair], header: Sequence[str]) -> Iterator[Markup]:
    rows = [
        (
            pair.first.text,
            pair.second.text,
            f"{pair.first.label or '–'} / {pair.second.label or '–'}",
            f"{pair.similarity:.2f}",
        )
        for pair in pairs
    ]
    if rows:
        said = "Those with different labels first, then the nearest."
        yield html_page.section(anchor, name, html_page.table(header, rows, name=name, words=True), said=said)


def _votes(audit: Audit) -> Iterator[Markup]:
    if audit.votes is None:
        return
    metrics = {"all": audit.votes.fooled, **audit.votes.fooled_by_label}
    bars = [_bar(name, metric) for name, metric in metrics.items()]
    chart = plots.bars(bars, title="How often players were fooled", axis="share of votes", format=".1%")
    rows = [
        (each.text, each.label, f"{each.votes.correct} of {each.votes.total}", percent(each.expected))
        for each in audit.votes.worst
    ]
    table = html_page.table(("claim", "label", "right votes", "expected"), rows, name="The most misleading claims")
    yield html_page.section("votes", "Votes", html_page.chart(chart), tag("h3", "The most misleading claims"), table)


def _measures(audit: Audit) -> Iterator[Markup]:
    rows = [(MEASURES[name].says, name, f"{value:.4g}") for name, value in measures(audit).items()]
    if rows:
        said = "What limits can be set on, with --fail-above MEASURE=VALUE."
        yield html_page.section(
            "measures",
            "Measures",
            html_page.table(("what it is", "measure", "value"), rows, name="Measures"),
            said=said,
        )
