"""The command that brings answers up to date after their corpus changed."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.text import Text

from veritab.cli.output import Json, answer, counted, print_json, progress_bar, talk
from veritab.errors import InputError
from veritab.files import replacing, write_whole
from veritab.render.terminal import STYLES, WithoutControls
from veritab.runs import CheckerFactory
from veritab.runs.rechecking import Rechecked, count_stale, find_results, read_verdicts, recheck
from veritab.runs.run import RECORD, locked, read_record
from veritab.schema import Label

if TYPE_CHECKING:
    from veritab.pipeline import Checker
    from veritab.settings import Settings

_MAKERS = ("veritab", "python", "models")
"""What a record says of the makers of answers."""


def recheck_answers(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|FILE", help="A run made by check --into, or a file of answers.", show_default=False
        ),
    ],
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            "-c",
            metavar="DIR",
            help="The corpus to use; for a run the one it was made with, else the bundled almanac.",
            show_default=False,
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", metavar="FILE", help="Settings as TOML; a run has those it was made with.", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check claims again whose evidence changed, and show which verdicts are others now.

    An answer names the pages that were read for it. Where none of them changed, a verdict stands; NOT ENOUGH INFO is
    checked again after any change of the corpus, since there may be evidence now. The new answers take the place of
    the old when all are there.

    With --json, each claim that was checked again is a line {"id", "claim", "old", "new", "why"}.
    """
    file = find_results(results)
    folder = results if results.is_dir() else None
    old_record = read_record(folder) if folder and (folder / RECORD).exists() else {}
    with (
        _opening(corpus, _settings(config, old_record), old_record) as open_checker,
        locked(folder) if folder else nullcontext(),
        open_checker() as checker,
    ):
        _recheck(file, folder, old_record, checker, as_json=as_json)


def _opening(
    corpus: Path | None, settings: Settings, old_record: dict[str, Any]
) -> AbstractContextManager[CheckerFactory]:
    """What opens a checker over the corpus or the documents that the run was made with, unless another is named."""
    if corpus is None and (documents := old_record.get("documents")):
        from veritab.cli.documents import prepared

        return prepared([Path(each) for each in documents], None, settings, cache=True)
    was = Path(old_record["folder"]) if old_record.get("folder") else None
    return nullcontext(CheckerFactory(corpus or was, settings))


def _settings(config: Path | None, old_record: dict[str, Any]) -> Settings:
    from veritab.settings import Settings

    was = Settings.of(old_record["settings"]) if old_record.get("settings") else None
    given = Settings.read(config) if config else None
    # A run that is kept names all evidence, whatever the file says.
    if was and given and was != given.replaced({"check.evidence": was.check.evidence}):
        # Only some claims are checked again, and answers of two kinds in one file would be nobody's answers.
        raise InputError(f"the run was made with other settings than {str(config)!r}; leave out --config")
    return was or given or Settings()


def _recheck(file: Path, folder: Path | None, old_record: dict[str, Any], checker: Checker, *, as_json: bool) -> None:
    every, stale = count_stale(read_verdicts(file), checker)
    if not every:
        raise InputError(f"{str(file)!r} holds no answers; name a run that has checked something")
    rechecked: list[Rechecked] = []
    try:
        with replacing(file) as new, progress_bar("checking again", total=stale) as (progress, task):
            for each in recheck(read_verdicts(file), checker):
                new.write(each.line + b"\n")
                if each.why:
                    rechecked.append(each)
                    progress.update(task, completed=len(rechecked), note=f"{len(rechecked):,} of {stale:,}")
    except KeyboardInterrupt:
        talk.print(f"stopped; {file} is as it was; run the same command to begin again", markup=False, soft_wrap=True)
        raise typer.Exit(130) from None
    if folder and old_record:
        _update_record(folder, old_record, checker, kept=every - len(rechecked))
    _print_changes(rechecked, every, as_json=as_json)


def _update_record(folder: Path, old_record: dict[str, Any], checker: Checker, *, kept: int) -> None:
    """A run whose answers are up to date goes on with the corpus as it is now.

    Answers that were kept were made by what made them: where that is no longer in use, what is stands beside it.
    """
    from veritab.settings import record

    now = record(checker)
    made_by = {name: old_record[name] for name in _MAKERS if name in old_record} if kept else {}
    others = {name: now[name] for name, value in made_by.items() if now[name] != value}
    beside = {"rechecked_with": others} if others else {}
    new_record = {**old_record, **now, **made_by, **beside}
    if not kept:
        new_record.pop("rechecked_with", None)
    write_whole(folder / RECORD, orjson.dumps(new_record, option=orjson.OPT_INDENT_2) + b"\n")


def _print_changes(rechecked: list[Rechecked], every: int, *, as_json: bool) -> None:
    if as_json:
        for each in rechecked:
            print_json({"id": each.id, "claim": each.claim, "old": each.old, "new": each.new, "why": each.why})
        return
    others = [each for each in rechecked if each.is_changed]
    for each in others:
        old, new = ((label, STYLES[Label(label)]) for label in (each.old, each.new))
        named = f"{each.id}  " if each.id is not None else ""
        answer.print(WithoutControls(Text.assemble((named, "bold"), old, " → ", new, "  ", each.claim)), soft_wrap=True)
        answer.print(WithoutControls(Text(f"    {each.why}", "dim")), soft_wrap=True)
    answer.print(_summary(len(others), len(rechecked), every, rechecked), markup=False, soft_wrap=True)


def _summary(others: int, rechecked: int, every: int, stale: list[Rechecked]) -> str:
    if not rechecked:
        return f"Nothing that {counted(every, 'answer')} rest on has changed."
    not_enough = sum(each.old == Label.NOT_ENOUGH_INFO for each in stale)
    because = f", {not_enough:,} of them because NOT ENOUGH INFO may have found evidence" if not_enough else ""
    return f"{rechecked:,} of {counted(every, 'answer')} checked again{because}: {counted(others, 'verdict')} changed."
