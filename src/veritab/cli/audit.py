"""The command that says what gives a data set away, and can be the gate of a data set's own tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from veritab.cli.data import Data, DataSetName, TaskOption, open_data_set
from veritab.cli.data_reading import read_through
from veritab.cli.output import Json, answer, counted, print_json, progress_bar, talk
from veritab.corpus import open_corpus
from veritab.errors import InputError
from veritab.files import refuse_missing_folder, write_whole
from veritab.render.terminal import WithoutControls

if TYPE_CHECKING:
    from veritab.audit.audit_rows import AuditRow, EvidenceTexts
    from veritab.audit.auditing import Audit, GiveawayLists
    from veritab.audit.giveaways import Giveaway
    from veritab.audit.measures import ExceededLimit

_GATE_FAILED = 3
_WIDE = 110
_MOST_LISTED = 6
_INDENT = "  "
_BETWEEN = 4


def audit(
    dataset: DataSetName,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="OTHER", help="Another data set, such as the training split: what leaks from it?"
        ),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", "-c", metavar="DIR", help="Where the text of the evidence is, for shared words."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page with charts and tables.")
    ] = None,
    partition: Annotated[
        Path | None,
        typer.Option(
            "--partition", metavar="FILE", help="Also write which claims are EASY and HARD, for evaluate --claim-only."
        ),
    ] = None,
    fail_above: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-above", metavar="MEASURE=VALUE", help="Exit with 3 when a measure is above its limit; repeatable."
        ),
    ] = None,
    data: Data = None,
    task: TaskOption = None,
    as_json: Json = False,
) -> None:
    """Say what gives a data set away: words that go with a label, claims that need no evidence, repetitions, leaks.

    What is marked with ! gives labels away or makes the data unsound. What could be chance is separated from what
    cannot be. --json has every figure, and under "measures" the names that --fail-above takes.
    """
    from veritab.audit.measures import exceeded_limits, parse_limits

    limits = parse_limits(fail_above or ())
    for file in (html, partition):
        refuse_missing_folder(file)
    result = _audited(dataset, against, corpus, data, task)
    above = exceeded_limits(result, limits)
    if html is not None:
        from veritab.audit.page import audit_page

        write_whole(html, audit_page(result).encode())
        talk.print(f"the page is in {html}", markup=False, soft_wrap=True)
    if partition is not None:
        _write_partition(result, partition)
    if as_json:
        print_json(_as_json(result, above))
    else:
        _print(result)
    for each in above:
        talk.print(f"above its limit: {each}", style="red", markup=False, soft_wrap=True)
    if above:
        raise typer.Exit(_GATE_FAILED)


def _audited(dataset: str, against: str | None, corpus: Path | None, data: Path | None, task: str | None) -> Audit:
    from veritab.audit.audit_rows import evidence_texts
    from veritab.audit.auditing import STEPS, audit_steps

    with ExitStack() as stack:
        evidence_texts_of = None
        if corpus is not None:
            store = open_corpus(corpus)
            stack.callback(store.close)
            evidence_texts_of = evidence_texts(store)
        rows, lost = _rows(dataset, data, task, evidence_texts_of)
        other = _rows(against, data, None)[0] if against else None
        bar, progress = stack.enter_context(progress_bar("auditing", total=STEPS))
        steps = audit_steps(rows, dataset, other, against or "")
        while True:
            try:
                bar.update(progress, note=next(steps))
            except StopIteration as end:
                result: Audit = replace(end.value, problems=lost)
                return result
            bar.advance(progress)


def _rows(
    name: str, data: Path | None, task: str | None, evidence_texts_of: EvidenceTexts | None = None
) -> tuple[tuple[AuditRow, ...], int]:
    """What is kept of each claim, and how many records could not be read."""
    from veritab.audit.audit_rows import audit_rows

    opened = open_data_set(name, data, task)
    with read_through(opened) as examples:
        kept = tuple(audit_rows(examples, evidence_texts_of))
    if not kept:
        raise InputError(f"{name} holds no claims; nothing can be said of it")
    return kept, sum(problem.lost for problem in opened.problems)


def _write_partition(result: Audit, path: Path) -> None:
    from veritab.audit.partition import write_partition

    if result.claim_only is None:
        raise InputError(f"{result.name} has too few claims, or one label only: no split into EASY and HARD")
    easy = write_partition(result.claim_only, path)
    hard = len(result.claim_only.predictions) - easy
    talk.print(f"{counted(easy, 'claim')} EASY and {hard:,} HARD, in {path}", markup=False, soft_wrap=True)


# -- for people --------------------------------------------------------------------------------------------


def _print(result: Audit) -> None:
    from veritab.audit.findings import findings, join_units

    out = answer if answer.is_terminal else Console(highlight=False, width=_WIDE)
    out.print(WithoutControls(Text(f"What gives {result.name} away", style="bold")), soft_wrap=True)
    for finding in findings(result):
        sign = Text("! ", style="red bold") if finding.troubling else Text("  ")
        out.print()
        out.print(Text.assemble(sign, (finding.about, "bold")))
        for line in wrap(join_units(finding.text), out.width - len(_INDENT) - 1):
            _print_line(out, line.replace("\N{NO-BREAK SPACE}", " "))
    if result.pairs is not None:
        out.print()
        out.print(Text(f"{_INDENT}Pairs of words with the highest LMI (in 1/100,000; * beyond chance)", style="bold"))
        for line in _pairs_table(result.pairs, out.width - len(_INDENT)):
            _print_line(out, line)


def _print_line(out: Console, line: str) -> None:
    out.print(WithoutControls(Text(_INDENT + line)), soft_wrap=True)


def _pairs_table(giveaways: GiveawayLists, room: int) -> Iterator[str]:
    """A column for each label, or one under the other where there is no room beside each other.

    Lines have none of the white space that a table of the terminal has at its end.
    """
    columns = [[label, *map(_pair_in_words, found[:_MOST_LISTED])] for label, found in giveaways.lmi.items()]
    widths = [max(map(len, column)) + _BETWEEN for column in columns]
    if sum(widths) - _BETWEEN > room:
        yield from chain.from_iterable(columns)
        return
    for line in zip_longest(*columns, fillvalue=""):
        yield "".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _pair_in_words(each: Giveaway) -> str:
    return f"{1e5 * each.strength:>6,.0f}{'*' if each.beyond_chance else ' '} {each.thing}"


# -- for programs ------------------------------------------------------------------------------------------


def _as_json(result: Audit, above: Iterable[ExceededLimit]) -> dict[str, Any]:
    from veritab.audit.findings import findings
    from veritab.audit.to_json import audit_to_json

    return {
        **audit_to_json(result),
        "findings": [finding._asdict() for finding in findings(result)],
        "above": [each._asdict() for each in above],
    }
