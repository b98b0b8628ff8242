"""`veritab data convert`: a data set in another format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from veritab.cli.data import Data, TaskOption, open_data_set
from veritab.cli.data_reading import Names, read_through
from veritab.cli.output import Json, answer, counted, print_json
from veritab.corpus import open_corpus
from veritab.corpus.feverous import FeverousDatabase
from veritab.corpus.store import Store
from veritab.datasets import REGISTRY, DataSet
from veritab.datasets.writing import FOLDERS, FORMATS, CardInfo, ElementOf, WriteResult, write
from veritab.datasets.writing.account import LossAccount, UnsupportedExample
from veritab.datasets.writing.sets import evidence_elements
from veritab.errors import InputError, NotFound
from veritab.schema import Element, ElementId, Example

TREC = "trec"
_UNJUDGED = "it has no annotated evidence that could be judged"
_ONLY_JUDGED = "its words, its label, and which pieces of evidence belong together"
_WITH_WORDS = frozenset({"feverous", "fm2", "faviq", "beir", "label-studio"})

Format = StrEnum("Format", {name.replace("-", "_").upper(): name for name in (*FORMATS, TREC)})  # type: ignore[misc]


def convert(
    datasets: Names,
    to: Annotated[Format, typer.Option("--to", help="The format to write.", show_default=False)],
    into: Annotated[
        Path, typer.Option("--into", metavar="PATH", help="The file, or the folder, to write.", show_default=False)
    ],
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            "-c",
            metavar="DIR",
            help="Where words and context of evidence are found; else nowhere, but for almanac/*.",
        ),
    ] = None,
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="Leave out claims that the format cannot carry, and tell how many.")
    ] = False,
    data: Data = None,
    task: TaskOption = None,
    as_json: Json = False,
) -> None:
    """Write a data set in another format; what the format cannot carry is reported, never dropped silently.

    Formats: fever, feverous, fm2, faviq, kilt (JSON lines; a name that ends in .gz is compressed), label-studio (JSON,
    with the labelling interface beside it), trec (judgements), beir and parquet (folders, for one or several splits).
    """
    opened = [open_data_set(name, data, task) for name in datasets]
    for each in opened:
        if into.exists() and into.samefile(each.path):
            raise InputError(f"{str(into)!r} is what is converted, and not all of it may be kept; name another place")
    if to.value == TREC:
        result = _write_trec(opened, into, leave_out=leave_out)
    else:
        result = _convert(opened, to.value, into, corpus, leave_out=leave_out)
    _print_result(result, to.value, into, as_json=as_json)


def _print_result(result: WriteResult, format: str, into: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({"format": format, **result.as_dict()})
        return
    answer.print(Text(f"{counted(result.claims, 'claim')} written to {into} as {format}"), soft_wrap=True)
    for each in result.left_out:
        answer.print(Text(f"  left out: {each.claims:,} (first {each.first!r}): {each.what}"), soft_wrap=True)
    for each in result.lost:
        answer.print(Text(f"  not written, of {counted(each.claims, 'claim')}: {each.what}"), soft_wrap=True)


def _convert(
    opened: Sequence[DataSet], format: str, into: Path, corpus: Path | None, *, leave_out: bool
) -> WriteResult:
    if len(opened) > 1 and format not in FOLDERS:
        raise InputError(f"{format} is one file for one data set, not for {len(opened)}; convert them one by one")
    tasks = sorted({each.task for each in opened})
    if len(tasks) > 1:
        raise InputError(f"one folder holds the splits of one task, not of {' and '.join(tasks)}; convert them apart")
    names = [_split_name(each) for each in opened]
    if len(set(names)) < len(names):
        raise InputError(f"the splits would have one name ({', '.join(names)}); convert them one by one")
    # The almanac's own claims are about the corpus that is always here.
    almanac = format in _WITH_WORDS and all(each.name.startswith("almanac/") for each in opened)
    with open_corpus(corpus) if almanac or corpus is not None else nullcontext() as store, ExitStack() as stack:
        parts: Mapping[str, Iterable[Example]] = {
            name: stack.enter_context(read_through(each)) for name, each in zip(names, opened, strict=True)
        }
        return write(
            parts,
            format,
            into,
            about=_about(opened),
            element_of=_element_finder(store) if store else None,
            elements=evidence_elements(store.pages()) if store and format == "beir" else (),
            leave_out=leave_out,
        )


def _about(opened: Sequence[DataSet]) -> CardInfo:
    homes = [REGISTRY[each.name].home for each in opened if each.name in REGISTRY]
    return CardInfo(
        _join_names(each.name for each in opened),
        opened[0].task,
        _join_names(each.licence for each in opened),
        _join_names(homes),
    )


def _join_names(names: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(filter(None, names)))


def _split_name(opened: DataSet) -> str:
    """The name of a split: the last part of the data set's, in letters and digits."""
    last = opened.name.rsplit("/", 1)[-1].split(".")[0]
    return "".join(mark if mark.isascii() and mark.isalnum() else "_" for mark in last) or "all"


def _element_finder(store: Store | FeverousDatabase) -> ElementOf:
    def find(id: ElementId) -> Element | None:
        try:
            return store.element(id)
        except NotFound:
            return None

    return find


def _write_trec(opened: Sequence[DataSet], into: Path, *, leave_out: bool) -> WriteResult:
    """Judgements of the claims that have annotated evidence."""
    from veritab.evaluate.levels import Level, gold_sets, is_scored
    from veritab.evaluate.trec import write_qrels

    if len(opened) > 1:
        raise InputError(f"{TREC} is one file for one data set, not for {len(opened)}; convert them one by one")
    account = LossAccount(TREC, leave_out)

    def judged(example: Example, account: LossAccount) -> Example:
        if not is_scored(example, gold_sets(example, Level.ELEMENT)):
            raise UnsupportedExample(_UNJUDGED)
        account.lose(_ONLY_JUDGED)
        return example

    def every(examples: Iterable[Example]) -> Iterator[Example]:
        yield from account.carried(examples, judged)
        account.refuse_nothing()

    with read_through(opened[0]) as examples:
        write_qrels(into, every(examples))
    return WriteResult((into,), account.written, tuple(account.refused.values()), tuple(account.lost.values()))
