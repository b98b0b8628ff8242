"""What goes into a game and comes out of it: claims, data sets, the time people played; and whether all fits."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veritab.cli.output import Json, counted, print_json, talk
from veritab.cli.studio_data import CORPUS, GATE_FAILED, ticking
from veritab.cli.studio_place import Place, opened_studio, print_listed, tell
from veritab.errors import InputError

if TYPE_CHECKING:
    from veritab.datasets.writing import ElementOf
    from veritab.studio.game.exchange.exporting import GameExport
    from veritab.studio.opened import Studio
    from veritab.studio.records import ProjectRecord

GameName = Annotated[str, typer.Argument(metavar="GAME", help="The name of a game.", show_default=False)]
TIME = "time"
_QUEUED_AT_ONCE = 1000


def import_claims(
    game: GameName,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="JSON lines as Fool Me Twice has them, packed or not.", show_default=False),
    ],
    without_corpus: Annotated[
        bool,
        typer.Option(
            "--without-corpus", help="Do not look the evidence up in the corpus of the game, to give it addresses."
        ),
    ] = False,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Bring claims into a game, to be played: all of a file, or nothing and what is wrong with which line.

    They have no author. The votes and likes that they come with count among those that they get.
    """
    with opened_studio(studio) as opened:
        from veritab.studio.game.exchange.importing import import_fm2
        from veritab.studio.game.games import game_of
        from veritab.studio.projects import find_project

        with opened.database.reading() as session:
            found = find_project(session, game)
            game_of(session, found)
        checker = None
        if not without_corpus:
            with talk.status(CORPUS):
                checker = opened.checker(found)
        with ticking("reading") as tick, opened.database.writing(unhurried=True) as session:
            report = import_fm2(
                session, find_project(session, game), file, now=time.time(), by=None, checker=checker, tick=tick
            )
    said = (
        f"{counted(report.claims, 'claim')} of {file.name} in {game}: {report.true:,} true, "
        f"{report.claims - report.true:,} false; {report.on_corpus:,} with evidence that the corpus has; "
        f"{report.right_votes:,} of {counted(report.votes, 'vote')} right, {counted(report.likes, 'like')}"
    )
    tell(as_json, said, game=game, **report._asdict())


def export_claims(
    game: GameName,
    into: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The file to write, or with --split the new folder.", show_default=False),
    ],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="fm2|feverous|time",
            help="fm2: claims, evidence, votes and likes; feverous: claims whose evidence has addresses; time: seconds "
            "that each account played on each day, as CSV, and nothing else.",
        ),
    ] = "fm2",
    state: Annotated[
        list[str] | None,
        typer.Option(
            "--state",
            metavar="playing|resting|withdrawn",
            help="Which claims go out; those for practice never do. May be repeated.",
            show_default="playing",
        ),
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published", help="Leave the gold after the tenth retrieved passage of claims whose file had it there."
        ),
    ] = False,
    parts: Annotated[
        str | None,
        typer.Option(
            "--split",
            metavar="NAME=SHARE,...",
            help="Cut into parts without a common page and with balanced labels, e.g. train=.8,dev=.1,test=.1.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="What the parts are drawn with.")] = 0,
    partition: Annotated[
        Path | None,
        typer.Option(
            "--partition",
            metavar="FILE",
            help="Also write which claims are EASY, as their words alone give the label away, and which are HARD.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Write the claims of a game as a data set, or how long people played.

    Claims that rest, were withdrawn, or may hold names, addresses or offensive words that nobody has looked at yet stay
    here and are counted. No pseudonym goes out, but for how long people played.
    """
    with opened_studio(studio) as opened:
        from veritab.studio.game.exchange.exporting import export_game
        from veritab.studio.projects import find_project

        with opened.database.reading() as session:
            found = find_project(session, game)
        if format == TIME:
            _refuse_beside_time(state, as_published, parts, partition)
            _export_time(opened, found, into, force, as_json)
            return
        if parts is not None:
            from veritab.cli.data_work import parse_shares
        with ticking("writing") as tick:
            report = export_game(
                opened.database,
                found,
                into,
                format=format,
                states=state or ["playing"],
                as_published=as_published,
                shares=parse_shares(parts) if parts is not None else None,
                seed=seed,
                partition=partition,
                element_of=_element_finder(opened, found) if format == "feverous" else None,
                force=force,
                tick=tick,
            )
    if as_json:
        print_json({"format": format, **report.as_dict()})
    else:
        _print(report, format, into)


def _refuse_beside_time(*options: object) -> None:
    if any(options):
        raise InputError("--format time tells who played how long; it takes no options of claims")


def _export_time(opened: Studio, game: ProjectRecord, into: Path, force: bool, as_json: bool) -> None:
    from veritab.studio.game.exchange.exporting import refuse_written
    from veritab.studio.game.exchange.playing_time import write_playing_time

    refuse_written(into, force=force)
    days = write_playing_time(opened.database, game, into)
    people, seconds = len({each.account for each in days}), sum(each.seconds for each in days)
    said = f"{counted(seconds, 'second')} of {counted(people, 'account')} written to {into}"
    tell(as_json, said, format=TIME, files=[str(into)], accounts=people, seconds=seconds)


def _element_finder(opened: Studio, game: ProjectRecord) -> ElementOf:
    from veritab.studio.exchange.exporting import element_finder

    with talk.status(CORPUS):
        return element_finder(opened.open_corpus(game).store)


def _print(report: GameExport, format: str, into: Path) -> None:
    tell(False, f"{counted(report.claims, 'claim')} written to {into} as {format}")
    for part in report.splits:
        labels = ", ".join(f"{count:,} {label}" for label, count in part.labels.items())
        tell(False, f"  {part.name}: {counted(len(part), 'claim')}, {labels}")
    if report.easy is not None:
        tell(False, f"  {report.easy:,} EASY, {report.claims - report.easy:,} HARD")
    for why, count in report.left_out.items():
        talk.print(f"left out: {counted(count, 'claim')}, {why}", markup=False, soft_wrap=True)


def review_list(game: GameName, studio: Place = None, as_json: Json = False) -> None:
    """List the claims that somebody should look at, and why."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from veritab.studio.game.games import game_of
        from veritab.studio.game.reviewing import review_queue
        from veritab.studio.projects import find_project

        found = find_project(session, game)
        game_of(session, found)
        waiting, page = [], 0
        while True:
            page += 1
            queue = review_queue(session, found, page=page, most=_QUEUED_AT_ONCE)
            waiting += [
                {"id": each.claim.id, "reasons": [reason.value for reason in each.reasons], "text": each.claim.text}
                for each in queue.claims
            ]
            if not queue.has_more:
                break
    print_listed(
        as_json,
        waiting,
        ("claim", "why", "text"),
        lambda row: (str(row["id"]), ", ".join(row["reasons"]), row["text"]),
    )


def check(game: GameName, studio: Place = None, as_json: Json = False) -> None:
    """Make every round anew from its moves, count votes and points again, and compare; exit 3 where any differ."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from veritab.studio.game.checking import check_game
        from veritab.studio.game.games import game_of
        from veritab.studio.projects import find_project

        found = find_project(session, game)
        game_of(session, found)
        with talk.status("comparing"):
            problems = list(check_game(session, found))
    if as_json:
        print_json({"ok": not problems, "problems": [problem._asdict() for problem in problems]})
    else:
        for problem in problems:
            tell(False, str(problem))
        tell(False, counted(len(problems), "problem") if problems else "all is as the moves say")
    if problems:
        raise typer.Exit(GATE_FAILED)
