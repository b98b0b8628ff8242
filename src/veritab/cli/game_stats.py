"""`veritab game stats`: what a game teaches, beside what Fool Me Twice prints; and the checker's answers for it."""

from __future__ import annotations

from typing import Annotated

import typer

from veritab.cli.game_data import GameName
from veritab.cli.options import Config, Profile, read_settings
from veritab.cli.output import Json, counted, print_json, talk
from veritab.cli.studio_data import print_figures
from veritab.cli.studio_place import Place, opened_studio, print_listed, tell


def stats(
    game: GameName,
    prior: Annotated[
        str,
        typer.Option(
            "--prior", metavar="paper|fitted|R,W", help="Beta(4, 1) of the paper, fitted to the votes, or two numbers."
        ),
    ] = "paper",
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Print what is learned from a game: who is fooled by what, and how hard claims are, beside the paper's."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from veritab.studio.game.games import game_of
        from veritab.studio.game.learned.prior import PriorChoice
        from veritab.studio.game.learned.reading import read_game
        from veritab.studio.game.learned.report import (
            HINT_CAVEAT,
            best_players,
            game_rows,
            game_to_json,
            hardest_claims,
        )
        from veritab.studio.projects import find_project

        chosen = PriorChoice.parse(prior)
        found = find_project(session, game)
        game_of(session, found)
        with talk.status("measuring"):
            figures = read_game(session, found, chosen)
    if as_json:
        print_json(game_to_json(figures))
        return
    print_figures(game_rows(figures))
    named = [("hardest claim", f"{id}: {text}", each) for id, text, each in hardest_claims(figures)]
    named += [("best player", name, each) for name, each in best_players(figures)]
    if named:
        print_listed(
            False,
            [
                {"what": what, "name": name, "value": f"{each.value:+.2f} [{each.low:+.2f}, {each.high:+.2f}]"}
                for what, name, each in named
            ],
            ("", "", "logits, 95 %"),
            lambda row: (row["what"], row["name"], row["value"]),
        )
    if len(figures.hints.steps) > 1:
        talk.print(HINT_CAVEAT, markup=False, soft_wrap=True)


def ask_checker(
    game: GameName, config: Config = None, profile: Profile = None, studio: Place = None, as_json: Json = False
) -> None:
    """Ask the checker about every claim of a game by its gold evidence, where it was not asked; stats compares it."""
    with opened_studio(studio, read_settings(config, profile)) as opened:
        from veritab.studio.game.games import game_of
        from veritab.studio.game.reviewing import fill_checker
        from veritab.studio.projects import find_project

        with opened.database.reading() as session:
            found = find_project(session, game)
            game_of(session, found)
        with talk.status("asking the checker") as status:
            asked = fill_checker(
                opened.database,
                found,
                opened.open_corpus(found),
                lambda done, total: status.update(f"asking the checker: {done:,} of {total:,}"),
            )
    tell(as_json, f"game {game}: the checker was asked about {counted(asked, 'claim')}", name=game, asked=asked)
