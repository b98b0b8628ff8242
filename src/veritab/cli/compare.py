"""The command that sets runs side by side: scores, tests, what each stage costs, and the claims that changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from veritab.cli.evaluated import print_faults, print_metrics, print_table, run_as_json
from veritab.cli.options import Corpus
from veritab.cli.output import Json, answer, print_json, talk
from veritab.errors import InputError
from veritab.files import refuse_missing_folder
from veritab.render.terminal import STYLES, WithoutControls

if TYPE_CHECKING:
    from veritab.evaluate.comparing import ClaimChange, PairedTest
    from veritab.evaluate.scored_runs import ScoredRun
    from veritab.schema import Label


def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders made by veritab run; the first is the baseline.")
    ],
    changed: Annotated[
        int, typer.Option("--changed", metavar="N", min=0, help="Show so many of the claims that changed, each way.")
    ] = 5,
    curve: Annotated[
        str | None,
        typer.Option(
            "--curve",
            metavar="NAME",
            help="Figures against a number in which the runs differ: a --tag, a setting such as retrieve.pages, or "
            "claims.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a report with plots and a page per error to it."),
    ] = None,
    errors: Annotated[
        int, typer.Option("--errors", metavar="N", min=0, help="With --html, so many errors, of every kind.")
    ] = 100,
    corpus: Corpus = None,
    as_json: Json = False,
) -> None:
    """Compare runs on the same claims: a table, paired tests, what each stage costs, and the claims that changed.

    The first run is the baseline. Accuracies are tested by McNemar's exact test, means and macro F1 by randomisation,
    claim by claim; with several runs p values are Holm's. Runs whose claims or gold differ are refused. With one run,
    its own figures and faults are shown. Where a run had an oracle (veritab run --oracle), the difference to the run
    without one is what that stage costs. With --json, one object {"runs", "tests", "differences", "stages",
    "changed", "curve"}.
    """
    from veritab.evaluate.comparing import refuse_different_data
    from veritab.evaluate.curves import CLAIMS
    from veritab.evaluate.scored_runs import open_scored_runs

    refuse_missing_folder(html)
    opened = open_scored_runs(runs)
    if curve and len(opened) < 2:
        raise InputError(f"a curve over {curve!r} needs at least two runs; name more of them")
    paired = curve != CLAIMS
    if paired:
        refuse_different_data(opened)
    if as_json:
        print_json(_as_json(opened, curve, paired=paired))
    else:
        _print(opened, curve, changed, paired=paired)
    if html is not None:
        _write(opened, html, corpus, curve, errors, as_json=as_json)


def _write(
    runs: Sequence[ScoredRun], html: Path, corpus: Path | None, curve: str | None, errors: int, *, as_json: bool
) -> None:
    from veritab.evaluate.report import write_report

    with talk.status("drawing the report"):
        write_report(runs, html, corpus=corpus, by=curve, most_errors=errors)
    if not as_json:
        answer.print(f"{html} is the report.", markup=False, soft_wrap=True)


# -- for people --------------------------------------------------------------------------------------------


def _print(runs: Sequence[ScoredRun], curve: str | None, most: int, *, paired: bool) -> None:
    print_metrics(runs)
    if curve:
        _print_curve(runs, curve)
    if paired and len(runs) > 1:
        _print_tests(runs)
        _print_differences(runs)
        _print_costs(runs)
    print_faults(runs)
    if paired:
        for other in runs[1:]:
            _print_changed(runs[0], other, most)


def _print_curve(runs: Sequence[ScoredRun], by: str) -> None:
    from veritab.evaluate.curves import METRICS, curve

    found = [curve(runs, by, name) for name in METRICS]
    rows = [
        [f"{step.at:g}", step.run, *(f"{steps[place].metric.value:.3f}" for steps in found)]
        for place, step in enumerate(found[0])
    ]
    print_table([by, "run", *METRICS], rows, left=2)


def _print_tests(runs: Sequence[ScoredRun]) -> None:
    from veritab.evaluate.comparing import compare_runs

    first, *others = runs
    for other, tested in zip(others, compare_runs(runs), strict=True):
        rows = [_test_row(each) for each in tested]
        print_table([f"{other.name} against {first.name}", "difference", "", "p", "better", "worse"], rows)


def _test_row(test: PairedTest) -> list[str]:
    from veritab.evaluate.report import p_in_words

    interval = f"[{test.low:+.3f}, {test.high:+.3f}]"
    return [
        test.measure,
        f"{test.difference:+.3f}",
        interval,
        p_in_words(test.adjusted),
        f"{test.better:,}",
        f"{test.worse:,}",
    ]


def _print_differences(runs: Sequence[ScoredRun]) -> None:
    from veritab.runs.comparing import record_differences

    rows = [[name, *values] for name, values in record_differences(*(run.record for run in runs)).items()]
    if rows:
        print_table(["what differs", *(run.name for run in runs)], rows)


def _print_costs(runs: Sequence[ScoredRun]) -> None:
    from veritab.evaluate.comparing import stage_costs

    rows = [
        [
            f"gold {cost.oracle}" if place else "end to end",
            cost.run,
            f"{cost.score:.3f}",
            f"{cost.gained:+.3f}",
            f"{cost.label_accuracy:.3f}",
            f"{cost.gained_accuracy:+.3f}",
        ]
        for place, cost in enumerate(stage_costs(runs))
    ]
    if rows:
        print_table(["what each stage costs", "run", "score", "", "label_accuracy", ""], rows, left=2)


def _print_changed(first: ScoredRun, other: ScoredRun, most: int) -> None:
    from veritab.evaluate.comparing import ChangeKind, changed_claims

    found = changed_claims(first, other)
    counts = ", ".join(
        f"{number:,} {kind}" for kind in ChangeKind if (number := sum(each.kind is kind for each in found))
    )
    answer.print(f"{first.name} → {other.name}: {counts or 'no claim changed'}", markup=False, soft_wrap=True)
    for kind in ChangeKind:
        for change in [each for each in found if each.kind is kind][:most]:
            _print_change(change)


def _print_change(change: ClaimChange) -> None:
    before, after = change.before, change.after
    same = before.predicted is after.predicted
    message = Text.assemble(
        (f"  {change.kind}  ", "dim"),
        str(before.fault) if same else _label(before.predicted),
        " → ",
        str(after.fault) if same else _label(after.predicted),
        f" (gold {before.gold})  ",
        (f"#{before.id}  ", "bold"),
        before.claim,
    )
    answer.print(WithoutControls(message), soft_wrap=True)


def _label(label: Label | None) -> tuple[str, str]:
    return (str(label), STYLES[label]) if label else ("no answer", "dim")


# -- for programs ------------------------------------------------------------------------------------------


def _as_json(runs: Sequence[ScoredRun], by: str | None, *, paired: bool) -> dict[str, Any]:
    from veritab.evaluate.curves import METRICS

    message: dict[str, Any] = {"runs": [run_as_json(run) for run in runs]}
    if by:
        message["curve"] = {"by": by, "figures": {name: _curve_as_json(runs, by, name) for name in METRICS}}
    return {**message, **_paired_as_json(runs)} if paired and len(runs) > 1 else message


def _curve_as_json(runs: Sequence[ScoredRun], by: str, name: str) -> list[dict[str, Any]]:
    from veritab.evaluate.curves import curve

    return [
        {"at": step.at, "run": step.run, "value": step.metric.value, "low": step.metric.low, "high": step.metric.high}
        for step in curve(runs, by, name)
    ]


def _paired_as_json(runs: Sequence[ScoredRun]) -> dict[str, Any]:
    from veritab.evaluate.comparing import changed_claims, compare_runs, stage_costs
    from veritab.runs.comparing import record_differences

    first, *others = runs
    return {
        "tests": [
            {"first": first.name, "second": other.name, "measures": [each._asdict() for each in tested]}
            for other, tested in zip(others, compare_runs(runs), strict=True)
        ],
        "differences": {
            name: list(values) for name, values in record_differences(*(run.record for run in runs)).items()
        },
        "stages": [cost._asdict() for cost in stage_costs(runs)],
        "changed": [
            {
                "first": first.name,
                "second": other.name,
                "claims": [_change_as_json(change) for change in changed_claims(first, other)],
            }
            for other in others
        ],
    }


def _change_as_json(change: ClaimChange) -> dict[str, Any]:
    before, after = change.before, change.after
    return {
        "id": before.id,
        "claim": before.claim,
        "change": str(change.kind),
        "gold": before.gold,
        "before": before.predicted,
        "after": after.predicted,
        "faults": [str(before.fault), str(after.fault)],
    }
