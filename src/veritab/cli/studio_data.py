"""What goes into a studio and comes out of it: claims, data sets, figures, backups."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veritab.cli.output import Json, counted, print_json, progress_bar, talk
from veritab.cli.studio_place import Place, ProjectName, default_place, needed_parts, opened_studio, print_listed, tell
from veritab.errors import InputError
from veritab.studio.vocabulary import Pool, TaskKind

if TYPE_CHECKING:
    from veritab.datasets.writing import ElementOf
    from veritab.schema import ElementId
    from veritab.studio.figures import FigureRow
    from veritab.studio.opened import Studio
    from veritab.studio.records import ProjectRecord

GATE_FAILED = 3
CORPUS = "opening the corpus"


def import_claims(
    project: ProjectName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to bring in.", show_default=False)],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="claims|annotations|label-studio",
            help="claims: sentences alone; annotations: records of a data set, with labels and evidence as far as they "
            "have them; label-studio: its tasks.",
        ),
    ] = "claims",
    pool: Annotated[
        str,
        typer.Option(
            "--pool", metavar="work|practice|calibration|gold", help="What the answers to the claims are for."
        ),
    ] = Pool.WORK.value,
    phase: Annotated[int, typer.Option("--phase", min=0, max=2, help="1 or 2 in calibration.")] = 0,
    priority: Annotated[
        int, typer.Option("--priority", min=-1000, max=1000, help="The highest are given out first.")
    ] = 0,
    rate: Annotated[
        bool,
        typer.Option("--rate", help="Have people say how well each claim reads before they verify it; plain projects."),
    ] = False,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Also take evidence that the corpus of the project does not have.")
    ] = False,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Bring claims into a project, with answers where the file has them: all of it, or nothing and what is wrong."""
    with opened_studio(studio) as opened:
        from veritab.studio.exchange.exporting import element_finder
        from veritab.studio.exchange.importing import import_file
        from veritab.studio.projects import find_project

        with opened.database.reading() as session:
            found = find_project(session, project)
        exists: Callable[[ElementId], bool] | None = None
        if not unchecked:
            with talk.status(CORPUS):
                find = element_finder(opened.checker(found).store)
            exists = lambda id: find(id) is not None  # noqa: E731
        with ticking("reading") as tick, opened.database.writing(unhurried=True) as session:
            report = import_file(
                session,
                find_project(session, project),
                file,
                format=format,
                now=time.time(),
                by=None,
                pool=pool,
                phase=phase,
                priority=priority,
                kind=TaskKind.PLAIN_RATING if rate else "",
                exists=exists,
                tick=tick,
            )
    said = f"{counted(report.claims, 'claim')} of {file.name} in {project}, {pool}"
    if report.answers:
        said += f"; {counted(report.answers, 'answer')}, {report.settled:,} settled"
    if report.gold:
        said += f"; {report.gold:,} with the right answer"
    tell(as_json, said, project=project, pool=pool, **report._asdict())


def export_claims(
    project: ProjectName,
    into: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file, or the folder, to write.", show_default=False)
    ],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="fever, feverous, fm2, faviq, kilt, label-studio, beir or parquet.",
            show_default="that of the workflow",
        ),
    ] = "",
    every: Annotated[
        bool,
        typer.Option("--all", help="Also claims that need more answers, with the label all agree on so far."),
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="DATE", help="Only what was settled since, e.g. 2025-01-31.", show_default=False
        ),
    ] = None,
    pool: Annotated[
        list[str] | None,
        typer.Option(
            "--pool",
            metavar="work|calibration|gold",
            help="What goes out; practice never does. May be repeated.",
            show_default="work",
        ),
    ] = None,
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="Leave out claims that the format cannot carry, and tell how many.")
    ] = False,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Write the claims of a project as a data set, with labels, evidence, its context, and what people did."""
    with opened_studio(studio) as opened:
        from veritab.datasets.writing.sets import evidence_elements
        from veritab.studio.exchange.exporting import element_finder, export
        from veritab.studio.projects import Workflow, find_project, workflow_of

        with opened.database.reading() as session:
            found = find_project(session, project)
        chosen = format or ("fever" if workflow_of(found) is Workflow.FEVER else "feverous")
        with talk.status(CORPUS):
            store = opened.open_corpus(found).store
        with ticking("writing") as tick:
            report = export(
                opened.database,
                found,
                into,
                format=chosen,
                settled=not every,
                since=_parse_date(since) if since else None,
                pools=pool or [Pool.WORK],
                element_of=element_finder(store),
                elements=evidence_elements(store.pages()) if chosen == "beir" else (),
                leave_out=leave_out,
                tick=tick,
            )
    result = report.result
    said = (
        f"{counted(result.claims, 'claim')} written to {into} as {chosen}, {counted(report.annotations, 'annotation')}"
    )
    rest = {"need more answers": report.unsettled, "have no label": report.unlabelled}
    said += "".join(f"; {count:,} {what}" for what, count in rest.items() if count)
    tell(as_json, said, format=chosen, **report.as_dict())
    if not as_json:
        for left in result.left_out:
            talk.print(f"left out: {left.claims:,} (first {left.first!r}): {left.what}", markup=False, soft_wrap=True)
        for lost in result.lost:
            talk.print(f"not written, of {counted(lost.claims, 'claim')}: {lost.what}", markup=False, soft_wrap=True)


def stats(project: ProjectName, studio: Place = None, as_json: Json = False) -> None:
    """Print the figures that the papers print of annotation, for a project, beside theirs."""
    with opened_studio(studio) as opened:
        from veritab.studio.figures import figure_rows, figures_to_json
        from veritab.studio.figures.reading import read_figures, section_finder
        from veritab.studio.projects import find_project

        with opened.database.reading() as session:
            found = find_project(session, project)
            with talk.status("measuring"):
                figures = read_figures(session, found.id, section_finder(opened.open_corpus(found).store))
    if as_json:
        print_json(figures_to_json(figures))
        return
    print_figures(figure_rows(figures))


def print_figures(figures: Iterable[FigureRow]) -> None:
    """Figures beside the published ones, each group named once."""
    groups: set[str] = set()
    rows = []
    for row in figures:
        rows.append({**row._asdict(), "group": "" if row.group in groups else row.group})
        groups.add(row.group)
    print_listed(
        False,
        rows,
        ("", "figure", "value", "published", "of", ""),
        lambda row: (row["group"], row["name"], row["value"], row["published"], f"{row['n']:,}", row["reason"]),
    )


# -- upkeep ------------------------------------------------------------------------------------------------


def check(
    corpora: Annotated[
        bool, typer.Option("--corpora", help="Also look whether the corpora have all evidence.")
    ] = False,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Make every answer anew from the log and compare; exit 3 where anything does not fit."""
    with opened_studio(studio) as opened:
        from veritab.studio.upkeep import check_studio

        exists = _element_lookup(opened) if corpora else None
        with talk.status("comparing"):
            problems = list(check_studio(opened.database, exists=exists))
    if as_json:
        print_json({"ok": not problems, "problems": [problem._asdict() for problem in problems]})
    else:
        for problem in problems:
            tell(False, str(problem))
        tell(False, counted(len(problems), "problem") if problems else "all is as the log says")
    if problems:
        raise typer.Exit(GATE_FAILED)


def backup(
    into: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; packed where it ends in .gz.", show_default=False)
    ],
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Write everything of a studio into one file, as it is at one moment; people go on working."""
    with opened_studio(studio) as opened:
        from veritab.studio.upkeep import backup as write_backup

        with ticking("writing") as tick:
            report = write_backup(opened.database, into, now=time.time(), tick=tick)
    tell(as_json, f"{counted(report.total, 'row')} written to {into}", file=str(into), rows=dict(report.rows))


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.", show_default=False)],
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Bring a backup back into an empty place: a folder, or a database of a PostgreSQL server."""
    with needed_parts():
        from veritab.studio.database import shown_place
        from veritab.studio.upkeep import restore as read_backup
    place = studio or default_place()
    report = read_backup(place, file)
    said = f"{counted(report.total, 'row')} of {file} in {shown_place(place)}"
    tell(as_json, said, place=shown_place(place), rows=dict(report.rows))


# -- parts -------------------------------------------------------------------------------------------------


@contextmanager
def ticking(what: str) -> Iterator[Callable[[int], None]]:
    """A line that says how far a long work has come, on a terminal."""
    with progress_bar(what, total=None) as (progress, task):
        yield lambda done: progress.update(task, completed=done, note=f"{done:,}")


def _element_lookup(studio: Studio) -> Callable[[ProjectRecord, ElementId], bool]:
    from veritab.studio.exchange.exporting import element_finder

    finders: dict[str, ElementOf] = {}

    def exists(project: ProjectRecord, id: ElementId) -> bool:
        if project.name not in finders:
            finders[project.name] = element_finder(studio.open_corpus(project).store)
        return finders[project.name](id) is not None

    return exists


def _parse_date(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise InputError(f"{text!r} is not a date; expected e.g. 2025-01-31") from None
