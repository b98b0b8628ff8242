"""Runs for people at a terminal, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text

from veritab.cli.output import answer, counted
from veritab.render.terminal import WithoutControls

if TYPE_CHECKING:
    from veritab.evaluate.metrics import Metric
    from veritab.evaluate.scored_runs import ScoredRun

_BETWEEN = "  "


def run_as_json(run: ScoredRun) -> dict[str, Any]:
    """What a run is worth, and where its answers went wrong."""
    from veritab.evaluate.attribution import count_faults

    return {
        "run": run.name,
        "folder": str(run.folder),
        "dataset": run.record["dataset"],
        "task": run.record["task"],
        "n": len(run.results),
        "oracle": run.record.get("oracle"),
        "figures": {name: metric.value for name, metric in run.metrics.items()},
        "intervals": {name: metric.interval() for name, metric in run.metrics.items()},
        "faults": {
            str(each.fault): {"claims": each.claims, "label_right": each.label_right}
            for each in count_faults(run.results)
        },
    }


def print_run(run: ScoredRun, html: Path | None = None) -> None:
    """The figures of a run and its faults."""
    print_metrics([run])
    print_faults([run])
    answer.print(f"{run.folder} is the run.", markup=False, soft_wrap=True)
    if html is not None:
        answer.print(f"{html} is the report.", markup=False, soft_wrap=True)


def print_metrics(runs: Sequence[ScoredRun]) -> None:
    """Every metric of every run; intervals beside them where there is one run."""
    names = list(dict.fromkeys(name for run in runs for name in run.metrics))
    one = len(runs) == 1
    rows = [[name, *(_shown(run.metrics.get(name), interval=one) for run in runs)] for name in names]
    print_table([_claims(runs), *(run.name for run in runs)], rows)


def _claims(runs: Sequence[ScoredRun]) -> str:
    sizes = {len(run.results) for run in runs}
    return counted(sizes.pop(), "claim") if len(sizes) == 1 else "figure"


def _shown(metric: Metric | None, *, interval: bool) -> str:
    if metric is None:
        return "–"
    return f"{metric.value:.3f}  [{metric.low:.3f}, {metric.high:.3f}]" if interval else f"{metric.value:.3f}"


def print_faults(runs: Sequence[ScoredRun]) -> None:
    """How many claims went wrong at which stage; in brackets, how many of them have the right label all the same."""
    from veritab.evaluate.attribution import Fault, count_faults

    counts = [{each.fault: each for each in count_faults(run.results)} for run in runs]
    rows = []
    for fault in Fault:
        found = [each.get(fault) for each in counts]
        if any(found):
            rows.append([str(fault), *(f"{each.claims:,} ({each.label_right:,})" if each else "0" for each in found)])
    print_table(["where answers went wrong (label right)", *(run.name for run in runs)], rows)


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> None:
    """A plain table under its header; all columns but the first so many are numbers.

    On a terminal without room for all columns it goes on below, with the first ones again.
    """
    every = [list(header), *map(list, rows)]
    widths = [max(cell_len(row[number]) for row in every) for number in range(len(header))]
    for part in _parts(widths, left) if answer.is_terminal else [range(len(widths))]:
        for place, row in enumerate(every):
            cells = (_padded(row[number], widths[number], left=number < left) for number in part)
            line = Text(_BETWEEN.join(cells).rstrip(), "bold" if not place else "")
            answer.print(WithoutControls(line), soft_wrap=True)
        answer.print()


def _parts(widths: Sequence[int], left: int) -> list[list[int]]:
    """Which columns stand beside each other: the first ones, and of the others as many as there is room for."""
    parts = [list(range(min(left + 1, len(widths))))]
    for number in range(left + 1, len(widths)):
        if sum(widths[each] + len(_BETWEEN) for each in parts[-1]) + widths[number] > answer.width:
            parts.append(list(range(left)))
        parts[-1].append(number)
    return parts


def _padded(cell: str, width: int, *, left: bool) -> str:
    room = " " * (width - cell_len(cell))
    return cell + room if left else room + cell
