"""Runs as one page of HTML: scores, tests, what stages cost, where answers went wrong, and the errors themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veritab.errors import VeritabError
from veritab.evaluate import plots
from veritab.evaluate.attribution import Fault, FaultCount, count_faults
from veritab.evaluate.comparing import (
    ACCURACY,
    SCORE,
    ChangeKind,
    PairedTest,
    changed_claims,
    compare_runs,
    stage_costs,
)
from veritab.evaluate.curves import CLAIMS, METRICS, curve, draw_curves
from veritab.evaluate.error_pages import ErrorCase, articles, choose
from veritab.evaluate.html_page import chart, page, section, table, with_interval
from veritab.evaluate.metrics import Metric
from veritab.evaluate.scored_runs import ScoredRun
from veritab.evaluate.scores import HEADLINES
from veritab.files import write_whole
from veritab.render.markup import Markup, joined, tag
from veritab.render.view import LABELS
from veritab.runs.comparing import record_differences

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from veritab.corpus import Corpus

MOST_ERRORS = 100
_MOST_CHANGED = 50
_SURE = 0.05
_METRICS = (*HEADLINES, "macro_f1")


def write_report(
    runs: Sequence[ScoredRun],
    file: Path,
    *,
    corpus: Path | None = None,
    by: str | None = None,
    most_errors: int = MOST_ERRORS,
) -> None:
    """Write the report on one run, or on the first beside others; `by` names the number of a learning curve.

    The words of evidence come from the corpus given, or from that of the first run where it is still there.
    """
    with _opened(runs[0].record, corpus) as opened:
        write_whole(file, report(runs, opened, by, most_errors).encode(errors="backslashreplace"))


def _opened(record: Mapping[str, Any], corpus: Path | None) -> AbstractContextManager[Corpus | None]:
    from veritab.corpus import open_corpus

    if corpus is None and "corpus" not in record:  # another system's answers
        return nullcontext()
    folder = corpus or record.get("folder")
    try:
        return closing(open_corpus(folder))
    except VeritabError:
        if corpus is not None:
            raise
        return nullcontext()


def report(
    runs: Sequence[ScoredRun], corpus: Corpus | None = None, by: str | None = None, most_errors: int = MOST_ERRORS
) -> str:
    """The page as text."""
    comparable = by != CLAIMS
    shown = runs if comparable else runs[-1:]
    pages = choose(shown, most_errors)
    parts = [
        ("scores", "Scores", _scores(runs)),
        ("curve", "Curve", _curve(runs, by) if by else None),
        ("tests", "Tests", _tests(runs) if len(runs) > 1 and comparable else None),
        ("differences", "What differs", _differences(runs) if len(runs) > 1 else None),
        ("stages", "Stages", _costs(runs) if comparable else None),
        ("faults", "Where answers go wrong", _faults(runs)),
        ("slices", "Slices", _slices(runs)),
        ("changed", "Changed", _changed(runs, pages) if len(runs) > 1 and comparable else None),
        ("errors", "Errors", _errors(shown, pages)),
    ]
    present = [(anchor, name, part) for anchor, name, part in parts if part]
    sections = [part for _, _, part in present]
    return page(
        _title(runs),
        _notes(runs),
        [*sections, *articles(shown, pages, corpus)],
        [(anchor, name) for anchor, name, _ in present],
    )


def _title(runs: Sequence[ScoredRun]) -> str:
    return f"{' and '.join(run.name for run in runs[:3])}{' and others' if len(runs) > 3 else ''}"


def _notes(runs: Sequence[ScoredRun]) -> Iterator[str]:
    record = runs[0].record
    data = f"{record['claims']:,} claims of {record['dataset']}, scored as {record['task']}"
    yield f"{data} · gold {record['gold_sha256'][:12]} · Veritab {record['veritab']}"
    corpora = {str(run.record["corpus"].get("name")): run.record["corpus"] for run in runs if run.record.get("corpus")}
    for name, corpus in corpora.items():
        yield f"Checked against {name} · {corpus.get('pages', 0):,} pages · revision {corpus.get('revision')}"


# -- figures -----------------------------------------------------------------------------------------------


def _scores(runs: Sequence[ScoredRun]) -> Markup:
    bars = [
        plots.ChartBar(readable(name), *_triple(run.metrics[name]), run.name)
        for name in _METRICS
        for run in runs
        if name in run.metrics
    ]
    every = dict.fromkeys(name for run in runs for name in run.metrics)
    rows = [[readable(name), *(_cell(run.metrics.get(name)) for run in runs)] for name in every]
    drawing = chart(plots.bars(bars, format=".3f", limits=(0, 1)))
    return section("scores", "Scores", drawing, table(_header("figure", runs), rows, name="Scores"), said=_HOW_SURE)


def _header(first: str, runs: Sequence[ScoredRun]) -> list[str]:
    return [first, *(run.name for run in runs)]


_HOW_SURE = (
    "Lines over the bars, and the small print, are 95 % intervals: what other claims of the same kind might give."
)


def _triple(metric: Metric) -> tuple[float, float, float]:
    return metric.value, metric.low, metric.high


def _cell(metric: Metric | None) -> Markup | str:
    return with_interval(f"{metric.value:.3f}", f"{metric.low:.3f} – {metric.high:.3f}") if metric else "–"


def readable(name: str) -> str:
    """The name of a figure in words."""
    return name.replace("_", " ").replace("f1", "F1")


def _slices(runs: Sequence[ScoredRun]) -> Markup | None:
    """The label accuracy and the score of groups of claims."""
    found = []
    for by, groups in runs[0].slices.items():
        bars = [
            plots.ChartBar(f"{value} ({metrics[ACCURACY].n:,})", *_triple(run.slices[by][value][ACCURACY]), run.name)
            for value, metrics in groups.items()
            for run in runs
            if value in run.slices.get(by, {})
        ]
        title = f"Label accuracy by {readable(by)}"
        found.append(joined(chart(plots.bars(bars, title=title, format=".3f", limits=(0, 1))), _slice_table(runs, by)))
    return section("slices", "Slices", *found, said="Groups of claims, with how many each has.") if found else None


def _slice_table(runs: Sequence[ScoredRun], by: str) -> Markup:
    header = [readable(by), "claims", *(f"{run.name}: {readable(name)}" for run in runs for name in (SCORE, ACCURACY))]
    rows = [
        [
            value,
            f"{metrics[ACCURACY].n:,}",
            *(_cell(run.slices.get(by, {}).get(value, {}).get(name)) for run in runs for name in (SCORE, ACCURACY)),
        ]
        for value, metrics in runs[0].slices[by].items()
    ]
    inner = table(header, rows, name=f"Scores by {readable(by)}")
    return tag("details", tag("summary", "As a table"), inner)


# -- several runs ------------------------------------------------------------------------------------------


def _curve(runs: Sequence[ScoredRun], by: str) -> Markup:
    curves = {readable(name): curve(runs, by, name) for name in METRICS}
    steps = next(iter(curves.values()))
    rows = [
        [f"{step.at:g}", step.run, *(_cell(some[place].metric) for some in curves.values())]
        for place, step in enumerate(steps)
    ]
    return section(
        "curve", "Curve", chart(draw_curves(curves, by)), table([by, "run", *curves], rows, name=f"Figures by {by}")
    )


def _tests(runs: Sequence[ScoredRun]) -> Markup:
    first, *others = runs
    found = [
        joined(tag("h3", f"{other.name} against {first.name}"), _test_table(first, other, tested))
        for other, tested in zip(others, compare_runs(runs), strict=True)
    ]
    said = (
        "Each claim is compared with itself. Shares are tested by McNemar's test, exactly, means by randomisation; p "
        "is the chance of such a difference where there is none. Rows in bold have p below 0.05"
        + (", with Holm's correction for several comparisons." if len(others) > 1 else ".")
    )
    return section("tests", "Tests", *found, said=said)


def _test_table(first: ScoredRun, other: ScoredRun, tested: Sequence[PairedTest]) -> Markup:
    header = ["measure", first.name, other.name, "difference", "p", "better", "worse", "test"]
    rows = [
        [
            readable(each.measure),
            f"{each.first:.3f}",
            f"{each.second:.3f}",
            with_interval(f"{each.difference:+.3f}", f"{each.low:+.3f} to {each.high:+.3f}"),
            p_in_words(each.adjusted),
            f"{each.better:,}",
            f"{each.worse:,}",
            each.test,
        ]
        for each in tested
    ]
    return table(header, rows, name="Tests", sure=[each.adjusted < _SURE for each in tested])


def p_in_words(p_value: float) -> str:
    """A p value as people write it."""
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def _differences(runs: Sequence[ScoredRun]) -> Markup:
    rows = [[name, *values] for name, values in record_differences(*(run.record for run in runs)).items()]
    if not rows:
        return section("differences", "What differs", tag("p", "Nothing that the runs tell.", class_="none"))
    return section(
        "differences",
        "What differs",
        table(_header("what", runs), rows, name="What differs", words=True),
    )


def _costs(runs: Sequence[ScoredRun]) -> Markup | None:
    costs = stage_costs(runs)
    if not costs:
        return None
    names = ["end to end", *(f"gold {cost.oracle}" for cost in costs[1:])]
    bars = [
        plots.ChartBar(name, value, group=readable(measure))
        for name, cost in zip(names, costs, strict=True)
        for measure, value in ((SCORE, cost.score), (ACCURACY, cost.label_accuracy))
    ]
    rows = [
        [
            name,
            cost.run,
            with_interval(f"{cost.score:.3f}", f"{cost.gained:+.3f}"),
            with_interval(f"{cost.label_accuracy:.3f}", f"{cost.gained_accuracy:+.3f}"),
        ]
        for name, cost in zip(names, costs, strict=True)
    ]
    said = "The gain from an oracle for a stage is what that stage costs end to end."
    return section(
        "stages",
        "What each stage costs",
        chart(plots.bars(bars, format=".3f", limits=(0, 1))),
        table(["oracle", "run", "score", "label accuracy"], rows, name="What each stage costs"),
        said=said,
    )


def _changed(runs: Sequence[ScoredRun], pages: Sequence[ErrorCase]) -> Markup:
    first, *others = runs
    anchors = {page.first.id: page.anchor for page in pages}
    found = []
    for other in others:
        every = changed_claims(first, other)
        counts = ", ".join(f"{sum(each.kind is kind for each in every):,} {kind}" for kind in ChangeKind)
        rows = [
            [
                _linked(change.before.id, anchors),
                change.before.claim,
                str(change.kind),
                _label(change.before.gold),
                _label(change.before.predicted),
                _label(change.after.predicted),
            ]
            for change in every[:_MOST_CHANGED]
        ]
        header = ["id", "claim", "change", "gold", first.name, other.name]
        found.append(tag("h3", f"{first.name} → {other.name}: {counts}"))
        if rows:
            found.append(table(header, rows, name="Changed claims", words=True))
    return section("changed", "Claims that changed", *found)


# -- errors ------------------------------------------------------------------------------------------------


def _faults(runs: Sequence[ScoredRun]) -> Markup:
    counts = [{share.fault: share for share in count_faults(run.results)} for run in runs]
    seen = [fault for fault in Fault if any(fault in each for each in counts)]
    bars = [
        plots.ChartBar(fault, each[fault].claims if fault in each else 0, group=run.name)
        for fault in seen
        for run, each in zip(runs, counts, strict=True)
    ]
    header = _header("what became of claims", runs)
    rows = [[str(fault), *(_fault_cell(each.get(fault)) for each in counts)] for fault in seen]
    said = (
        "The first stage that lost what the nearest gold set needs. Small print: how many of these have the right "
        "label all the same."
    )
    drawing = chart(plots.bars(bars, axis="claims", format=",d"))
    return section("faults", "Where answers go wrong", drawing, table(header, rows, name="Faults"), said=said)


def _fault_cell(share: FaultCount | None) -> Markup | str:
    return with_interval(f"{share.claims:,}", f"{share.label_right:,} with the right label") if share else "0"


def _errors(runs: Sequence[ScoredRun], pages: Sequence[ErrorCase]) -> Markup:
    every = sum(
        any(result.fault is not Fault.NONE for result in results)
        for results in zip(*(r.results for r in runs), strict=True)
    )
    if not every:
        return section("errors", "Errors", tag("p", "There are none.", class_="none"))
    said = f"{every:,} claims went wrong" + (
        f"; {len(pages):,} of them, of every kind, are below." if len(pages) < every else "."
    )
    rows = [
        [
            tag("a", f"#{page.first.id}", href=f"#{page.anchor}"),
            page.first.claim,
            _label(page.first.gold),
            *(joined(_label(result.predicted), tag("small", str(result.fault))) for result in page.results),
        ]
        for page in pages
    ]
    header = ["id", "claim", "gold", *(run.name for run in runs)]
    return section("errors", "Errors", table(header, rows, name="Errors", words=True), said=said)


def _linked(id: str, anchors: Mapping[str, str]) -> Markup | str:
    return tag("a", f"#{id}", href=f"#{anchors[id]}") if id in anchors else f"#{id}"


def _label(label: Any) -> str:
    return LABELS[label].words if label else "–"
