"""`veritab build rate`: built claims go to people who rate them, blind, and their ratings come back as figures."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from veritab.cli.output import Json, answer, counted, print_json
from veritab.cli.studio_data import ticking
from veritab.cli.studio_place import Place, opened_studio, tell
from veritab.datasets import load
from veritab.errors import InputError


def rate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Records that were built.", show_default=False)],
    project: Annotated[
        str,
        typer.Option("--project", metavar="NAME", help="A plain project of the studio.", show_default=False),
    ],
    report: Annotated[
        bool, typer.Option("--report", help="Print what the ratings so far say of the records, instead.")
    ] = False,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Have people rate built claims: how each reads, then its label, without seeing how it was built.

    Labels and evidence stay in FILE; the project gets the claims and their ids. --report compares what people said
    with FILE: shares of perfect and incomprehensible claims, of right labels, and how far the raters agree.
    """
    if report:
        _report(file, project, studio, as_json)
        return
    with opened_studio(studio) as opened:
        from veritab.studio.exchange.importing import import_file
        from veritab.studio.projects import Workflow, find_project, workflow_of
        from veritab.studio.vocabulary import TaskKind

        with opened.database.reading() as session:
            workflow = workflow_of(find_project(session, project))
        if workflow is not Workflow.PLAIN:
            raise InputError(
                f"{project} is a project of the workflow {workflow.value!r}; claims are rated in plain ones: "
                f"veritab studio project create NAME --workflow plain"
            )
        with ticking("reading") as tick, opened.database.writing() as session:
            kept = import_file(
                session,
                find_project(session, project),
                file,
                format="claims",
                now=time.time(),
                by=None,
                kind=TaskKind.PLAIN_RATING,
                tick=tick,
            )
    tell(as_json, f"{counted(kept.claims, 'claim')} of {file.name} in {project}, to be rated", **kept._asdict())


def _report(file: Path, project: str, studio: str | None, as_json: bool) -> None:
    from veritab.build.rating import measure_ratings

    built = load(file)
    with opened_studio(studio) as opened:
        from veritab.studio.figures.ratings import read_ratings
        from veritab.studio.projects import find_project

        with opened.database.reading() as session:
            ratings = list(read_ratings(session, find_project(session, project).id))
    found = measure_ratings(built, ratings).as_dict()
    if as_json:
        print_json(found)
        return
    answer.print(f"{counted(found['claims'], 'claim')} rated, {counted(found['ratings'], 'rating')}")
    for name, row in {"all": found, **found["rules"]}.items():
        answer.print(
            f"  {name}: perfect {_percent(row['perfect'])}, incomprehensible {_percent(row['incomprehensible'])}, "
            f"labels right {_percent(row['labels_right'])} of {row['labels']:,}",
            markup=False,
            soft_wrap=True,
        )
    answer.print(f"  kappa: rating {_number(found['kappa']['rating'])}, label {_number(found['kappa']['label'])}")
    for cause, times in found["causes"].items():
        answer.print(f"  false by {cause}: {times:,}", markup=False, soft_wrap=True)
    if found["unknown"]:
        answer.print(f"  {counted(found['unknown'], 'rating')} of claims that {file.name} does not hold", markup=False)


def _percent(share: Any) -> str:
    return "unknown" if share is None else f"{100 * share:.1f} %"


def _number(value: Any) -> str:
    return "unknown" if value is None else f"{value:.2f}"
