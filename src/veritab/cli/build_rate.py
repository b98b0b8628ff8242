"""`veritab build rate`: built claims go to people who rate them, blind, and their ratings come back as figures."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from veritab.cli.build_writing import Seed
from veritab.cli.options import Corpus
from veritab.cli.output import Json, answer, counted, print_json, talk
from veritab.cli.studio_data import ticking
from veritab.cli.studio_place import Place, opened_studio, print_listed, tell
from veritab.datasets import load
from veritab.errors import InputError
from veritab.files import refuse_missing_folder, replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from veritab.build.rating import GivenRating


def rate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Records that were built.", show_default=False)],
    project: Annotated[
        str | None,
        typer.Option("--project", metavar="NAME", help="A plain project of the studio.", show_default=False),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Print what the ratings in the project say of the records so far.")
    ] = False,
    sheet: Annotated[
        Path | None,
        typer.Option(
            "--sheet",
            metavar="FILE",
            help='Write claims with their evidence as lines in which people fill in "natural" and "label".',
            show_default=False,
        ),
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(
            "--ratings",
            metavar="FILE",
            help='Print what these lines, {"id", "rater", "natural", "label"}, say of the records; repeatable.',
            show_default=False,
        ),
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="Claims of a sheet, of each rule about as many.")] = 200,
    seed: Seed = 0,
    corpus: Corpus = None,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Have people rate built claims: how each reads, then its label, without seeing how it was built.

    Labels stay in FILE. People rate in a project of the studio, or without a browser in a sheet, which may go to
    several of them. What they said is compared with FILE: shares of perfect and incomprehensible claims, of right
    labels, and how far the raters agree.
    """
    ways = [bool(project), bool(sheet), bool(ratings)]
    if sum(ways) != 1:
        raise InputError("give one of --project, for a studio, --sheet, to be filled in, and --ratings, filled in")
    if ratings:
        from veritab.build.rating import read_rating_lines

        _report(file, (line for path in ratings for line in read_rating_lines(path)), as_json, of_sheet=True)
    elif sheet:
        _write_sheet(file, sheet, most=most, seed=seed, corpus=corpus, as_json=as_json)
    elif project and report:
        with opened_studio(studio) as opened:
            from veritab.studio.figures.ratings import read_ratings
            from veritab.studio.projects import find_project

            with opened.database.reading() as session:
                given = list(read_ratings(session, find_project(session, project).id))
        _report(file, given, as_json)
    elif project:
        _bring(file, project, studio, as_json)


def _bring(file: Path, project: str, studio: str | None, as_json: bool) -> None:
    """Bring the claims into a project, without labels and evidence."""
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
        with ticking("reading") as tick, opened.database.writing(unhurried=True) as session:
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


def _write_sheet(file: Path, sheet: Path, *, most: int, seed: int, corpus: Path | None, as_json: bool) -> None:
    from veritab.build.elements import find_element
    from veritab.build.rating import rating_sheet
    from veritab.corpus import open_corpus

    refuse_missing_folder(sheet)
    store = open_corpus(corpus)
    try:
        lines = list(rating_sheet(tuple(load(file)), partial(find_element, store), most=most, seed=seed))
    finally:
        store.close()
    with replacing(sheet) as out:
        out.writelines(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
    tell(as_json, f"{counted(len(lines), 'claim')} of {file.name} in {sheet}, to be rated", claims=len(lines))


def _report(file: Path, ratings: Iterable[GivenRating], as_json: bool, *, of_sheet: bool = False) -> None:
    from veritab.build.rating import built_as, measure_ratings

    found = measure_ratings(built_as(load(file)), ratings).as_dict()
    if not found["ratings"] and not found["unknown"]:
        talk.print(
            'nobody has rated yet: no line has "natural" filled in' if of_sheet else "nobody has rated yet",
            style="yellow",
        )
    if as_json:
        print_json(found)
        return
    answer.print(f"{counted(found['claims'], 'claim')} rated, {counted(found['ratings'], 'rating')}")
    rows = [{"rule": "all", **found}, *({"rule": rule, **row} for rule, row in found["rules"].items())]
    print_listed(False, rows, ("rule", "claims", *_COLUMNS), _cells)
    for cause, times in found["causes"].items():
        answer.print(f"false by {cause}: {times:,}", markup=False, soft_wrap=True)
    if found["unknown"]:
        answer.print(f"{counted(found['unknown'], 'rating')} of claims that {file.name} does not hold", markup=False)


_COLUMNS = ("perfect", "incomprehensible", "label right", "by all raters", "kappa: how it reads", "label")


def _cells(row: Mapping[str, Any]) -> list[str]:
    shares = (row["perfect"], row["incomprehensible"], row["labels_right"], row["by_all"]["labels_right"])
    kappas = (row["kappa"]["rating"], row["kappa"]["label"])
    return [row["rule"], f"{row['claims']:,}", *map(_percent, shares), *map(_number, kappas)]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
