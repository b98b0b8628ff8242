"""How the commands of `veritab build` write: records as they come, what was left out by line, and an audit at the end.

Records go to stdout or to a file; the report goes to stderr, or to stdout where it is JSON and the records are in a
file.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import orjson
import typer
from rich.text import Text

from veritab.build.records import UNKNOWN, Built, LeftOut
from veritab.cli.cluster import cluster_over_corpus
from veritab.cli.output import counted, print_json, progress_bar, talk
from veritab.engine import Engine
from veritab.errors import InputError, MissingExtra
from veritab.files import refuse_missing_folder, replacing
from veritab.processes import open_processes
from veritab.schema import Element, ElementId

if TYPE_CHECKING:
    from veritab.audit.audit_rows import AuditRow
    from veritab.build.gating import BuildAudit

Seed = Annotated[int, typer.Option("--seed", min=0, help="What fixes every random choice; same seed, same bytes.")]
Processes = Annotated[
    int, typer.Option("--processes", min=1, max=64, help="Processes to work with; the same bytes, however many.")
]
Into = Annotated[
    Path | None,
    typer.Option(
        "--into", "-o", metavar="FILE", help="Write the records there; stdout by default.", show_default=False
    ),
]
LeftOutFile = Annotated[
    Path | None,
    typer.Option(
        "--left-out",
        metavar="FILE",
        help="Also write everything that could not be built, as JSON lines with line, rule and reason.",
        show_default=False,
    ),
]
FailAbove = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-above",
        metavar="MEASURE=VALUE",
        help="Exit with 3 when a measure of the audit is above its limit; repeatable.",
        show_default=False,
    ),
]
Report = Annotated[bool, typer.Option("--json", help="Report as JSON: on stdout where --into names a file.")]
Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE|DATASET",
        help="Claims with or without labels and evidence: a data set's name, JSON lines, or plain lines; - for stdin.",
        show_default=False,
    ),
]

_GATE_FAILED = 3
_EVERY = 50


@dataclass
class _Account:
    """What went by: records by rule and label, what was left out by rule and reason, and the rows to audit."""

    rules: dict[str, Counter[str]] = field(default_factory=dict)
    lines_left_out: int = 0
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    rows: list[AuditRow] = field(default_factory=list)
    silver: Counter[str] = field(default_factory=Counter)
    """Records with silver evidence by label: evidence that mostly true claims have would tell them from false ones."""

    @property
    def records(self) -> int:
        return sum(counts.total() for counts in self.rules.values())

    @property
    def labels(self) -> Counter[str]:
        return sum(self.rules.values(), Counter[str]())


def write_built(
    built: Iterable[Built],
    name: str,
    *,
    into: Path | None = None,
    left_out: Path | None = None,
    fail_above: Iterable[str] | None = None,
    as_json: bool = False,
    element_of: Callable[[ElementId], Element | None] | None = None,
    more: Callable[[], dict[str, Any]] | None = None,
    by_record: bool = False,
) -> None:
    """Write what a builder yields, tell what it left out, and audit the records; exit with 3 above a limit.

    `more` is asked at the end for what else the report has to say. `by_record` is for claims that share most words with
    others of the same record: the audit then keeps those in one fold, as it keeps claims about one page else.
    """
    from veritab.audit.audit_rows import audit_rows
    from veritab.audit.measures import parse_limits

    limits = parse_limits(fail_above or ())
    for file in (into, left_out):
        refuse_missing_folder(file)
    account = _Account()
    with ExitStack() as stack:
        out: BinaryIO = stack.enter_context(replacing(into)) if into else sys.stdout.buffer
        left = stack.enter_context(replacing(left_out)) if left_out else None
        bar, task = stack.enter_context(progress_bar(f"building {name}", total=None))
        for number, each in enumerate(built, 1):
            if isinstance(each, LeftOut):
                if left:
                    left.write(orjson.dumps(each._asdict(), option=orjson.OPT_APPEND_NEWLINE))
                _count_left_out(each, account)
                continue
            out.write(orjson.dumps(each.as_dict(element_of), option=orjson.OPT_APPEND_NEWLINE))
            label = str(each.label) if each.label else UNKNOWN
            account.rules.setdefault(each.origin.rule, Counter())[label] += 1
            account.silver[label] += each.silver
            rows = audit_rows([each.as_example()])
            account.rows.extend(row._replace(pages=(each.origin.record,)) if by_record else row for row in rows)
            if number % _EVERY == 0:
                bar.update(task, note=f"{account.records:,} claims")
        out.flush()
    audited, unmeasured = _audit(account, name, limits)
    said = more() if more else {}
    if as_json:
        print_report({**_as_json(account), **said, "audit": audited.as_dict() if audited else None}, into)
    else:
        _tell_report(account, into, said)
        for line in audited.lines() if audited else ():
            talk.print(Text(line), soft_wrap=True)
    for above in audited.above if audited else ():
        talk.print(f"above its limit: {above}", style="red", markup=False, soft_wrap=True)
    if unmeasured and limits:
        raise unmeasured
    if unmeasured:
        talk.print(f"not audited: {unmeasured}", style="yellow", markup=False, soft_wrap=True)
    if audited and audited.above:
        raise typer.Exit(_GATE_FAILED)


def _count_left_out(each: LeftOut, account: _Account) -> None:
    """A line of which nothing came is told at once; a rule that a claim gives no room for is counted."""
    if not each.rule:
        account.lines_left_out += 1
        talk.print(f"left out: {each}", style="yellow", markup=False, soft_wrap=True)
    account.reasons.setdefault(each.rule, Counter())[each.reason] += 1


def _audit(
    account: _Account, name: str, limits: dict[str, float]
) -> tuple[BuildAudit | None, InputError | MissingExtra | None]:
    """The audit of what was built; or why there is none, which is told after what was built."""
    from veritab.build.gating import audit_built

    if not account.rows:
        nothing = InputError(f"nothing was built of {name}, so no limit can be held; see what was left out, and why")
        return None, nothing if limits else None
    try:
        return audit_built(tuple(account.rows), name, limits), None
    except (InputError, MissingExtra) as error:
        return None, error


def _as_json(account: _Account) -> dict[str, Any]:
    return {
        "records": account.records,
        "labels": dict(sorted(account.labels.items())),
        "rules": {rule: dict(sorted(counts.items())) for rule, counts in sorted(account.rules.items())},
        "silver": dict(sorted((+account.silver).items())),
        "lines_left_out": account.lines_left_out,
        "left_out": {rule: dict(counts.most_common()) for rule, counts in sorted(account.reasons.items())},
    }


def print_report(report: dict[str, Any], into: Path | None) -> None:
    if into:
        print_json(report)
    else:
        sys.stderr.write(orjson.dumps(report).decode() + "\n")


def _tell_report(account: _Account, into: Path | None, said: dict[str, Any]) -> None:
    shares = ", ".join(f"{count:,} {label}" for label, count in sorted(account.labels.items())) or "none"
    talk.print(f"{counted(account.records, 'claim')}{f' in {into}' if into else ''} ({shares})", soft_wrap=True)
    for rule, counts in sorted(account.rules.items()):
        shares = ", ".join(f"{count:,} {label}" for label, count in sorted(counts.items()))
        talk.print(Text(f"  {rule}: {counts.total():,} ({shares})"), soft_wrap=True)
    if silver := +account.silver:
        talk.print(f"  silver evidence: {', '.join(f'{n:,} {label}' for label, n in sorted(silver.items()))}")
    for rule, counts in sorted(account.reasons.items()):
        if rule:
            reason, times = counts.most_common(1)[0]
            rest = f"; most often: {reason} ({times:,})" if len(counts) > 1 else f": {reason}"
            talk.print(Text(f"  {rule} not built {counted(counts.total(), 'time')}{rest}"), soft_wrap=True)
    if account.lines_left_out:
        talk.print(f"  {counted(account.lines_left_out, 'line')} left out", soft_wrap=True)
    for what, value in said.items():
        shown = ", ".join(f"{name} {each}" for name, each in value.items()) if isinstance(value, dict) else value
        talk.print(Text(f"  {what.replace('_', ' ')}: {shown}"), soft_wrap=True)


@contextmanager
def build_engine(processes: int, cluster: str | None, corpus: Path | None = None) -> Iterator[Engine]:
    """What does the work: this process, several, or the workers of a cluster, which have to see the corpus."""
    if cluster is None:
        with open_processes(processes) as engine:
            yield engine
        return
    if processes > 1:
        raise InputError("--processes are of this machine, and --cluster has workers of its own; give one of them")
    with cluster_over_corpus(cluster, corpus) as engine:
        yield engine


@contextmanager
def source_path(source: str) -> Iterator[str]:
    """The name of a data set or file; what comes on stdin is kept in a file of its own, as it is read twice."""
    if source != "-":
        yield source
        return
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "stdin"
        with path.open("wb") as file:
            while piece := sys.stdin.buffer.read(2**20):
                file.write(piece)
        yield str(path)
