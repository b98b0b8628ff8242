"""`veritab game`: people write claims that fool and spot the false one of two; this makes games and serves them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veritab.cli import game_data, game_stats
from veritab.cli.commands import Group
from veritab.cli.game_data import GameName
from veritab.cli.options import Config, Profile, read_settings
from veritab.cli.output import Json, counted, print_json, talk
from veritab.cli.serve import host_names, is_local
from veritab.cli.studio_accounts import DEFAULT_STUDIO_PORT
from veritab.cli.studio_place import (
    GROUP,
    MOST_SEED,
    Files,
    Place,
    default_place,
    needed_parts,
    opened_studio,
    parse_changes,
    print_listed,
    read_text_file,
    tell,
    tell_of_clock,
)
from veritab.errors import Conflict
from veritab.studio.vocabulary import Role

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from veritab.studio.opened import Studio
    from veritab.studio.records import ProjectRecord

_FIRST_NAME, _FIRST_TITLE = "game", "Spot the false one"
_MOST_TOLD = 5
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")

group = typer.Typer(
    name="game",
    cls=Group,
    help="Have people play: write a claim that fools people, spot the false one of two before time runs out.",
    **GROUP,
)

Corpus = Annotated[
    Path | None,
    typer.Option("--corpus", "-c", metavar="DIR", help="The corpus to use; the bundled almanac by default."),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A rule, e.g. --set hint_seconds=10 --set takes_turns=false; may be repeated.",
        show_default=False,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="URL",
        help="How people reach it in a browser, e.g. https://play.example: printed links begin with it.",
        show_default=False,
    ),
]


@group.command()
def serve(
    corpus: Corpus = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Which port; 0 takes any that is free.")] = (
        DEFAULT_STUDIO_PORT
    ),
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Also answer to this name, for a proxy in front; a server on 127.0.0.1 answers to localhost only.",
            show_default=False,
        ),
    ] = None,
    address: Address = None,
    files: Files = None,
    config: Config = None,
    profile: Profile = None,
    studio: Place = None,
) -> None:
    """Serve the games of a studio, until stopped with Ctrl+C; where there is none yet, one is made.

    A game is a project of a studio: its other projects are served too, and `veritab studio serve` serves the games. A
    game made here may be played by anybody who reaches it, where it listens on this machine alone; else by who is
    invited. Who comes from other machines needs HTTPS, which a proxy in front speaks.
    """
    with needed_parts():
        from veritab.studio.database import has_studio, initialize, shown_place
        from veritab.web.server import address_of, listen
        from veritab.web.server import serve as answer_requests
        from veritab.web.studio.app import create_studio_app
    settings = read_settings(config, profile)
    place = studio or default_place()
    with listen(host, port) as opened:
        if not has_studio(place):
            initialize(place)
            _say(f"made a studio in {shown_place(place)}")
        with opened_studio(place, settings) as found:
            tell_of_clock(found)
            _make_first(found, str(corpus.resolve()) if corpus else None, is_open=is_local(host))
            app = create_studio_app(found, hosts=host_names(host, allow_host or ()), folder=files)
            named = f"https://{allow_host[0]}" if allow_host else address_of(opened)
            _tell_who_can_play(found, (address or named).rstrip("/"), option=f" --studio {place}" if studio else "")
            if not is_local(host):
                _say("other machines can sign in over HTTPS only: put a proxy in front that speaks it")
            _say(f"listening on {address_of(opened)} (Ctrl+C stops)")
            answer_requests(app, opened)
    talk.print("stopped")


def _say(words: str) -> None:
    talk.print(words, markup=False, soft_wrap=True)


def _make_first(studio: Studio, corpus: str | None, *, is_open: bool) -> None:
    """Make a game where there is none, or none over the corpus that was asked for."""
    from secrets import randbelow

    from veritab.studio.database import hold_alone
    from veritab.studio.game.games import create_game
    from veritab.studio.game.rules import Rules
    from veritab.studio.game.starting import add_starter_claims

    with studio.database.reading() as session:
        games = _games(session)
    if _has_game(games, corpus):
        return
    name, title = _FIRST_NAME, _FIRST_TITLE
    if games and corpus:
        folder = Path(corpus).name
        name, title = _NOT_IN_NAMES.sub("-", folder.lower()).strip("-") or _FIRST_NAME, folder
    with talk.status("opening the corpus"):
        digest = studio.digest_of(corpus or "")
    try:
        with studio.database.writing(unhurried=True) as session:
            hold_alone(session, "first game")
            if _has_game(_games(session), corpus):
                return  # another server that begins at this moment has made it
            game = create_game(
                session,
                name,
                title=title,
                corpus=corpus or "",
                corpus_digest=digest,
                rules=Rules(),
                seed=randbelow(MOST_SEED),
                is_open=is_open,
                now=time.time(),
            )
            added = 0 if corpus else add_starter_claims(session, game, studio.checker(game), now=time.time())
    except Conflict as error:
        raise Conflict(f"{error}: veritab game new NAME --corpus {corpus}") from None
    begun = f", with {added} claims to begin with" if added else ""
    _say(f"made the game {name!r} over {corpus or 'the bundled almanac'}, by the rules of the paper{begun}")


def _has_game(games: Sequence[ProjectRecord], corpus: str | None) -> bool:
    return any(corpus is None or game.corpus == corpus for game in games)


def _tell_who_can_play(studio: Studio, address: str, *, option: str) -> None:
    """Where each game is, how people come in, and who runs it: a link, once, where nobody does yet."""
    from veritab.studio.accounts import invite as make_invitation
    from veritab.studio.game.games import game_of

    with studio.database.writing() as session:
        games, now = [each for each in _games(session) if each.closed_at is None], time.time()
        for game in games[:_MOST_TOLD]:
            if game_of(session, game).is_open:
                _say(f"game {game.name}: anybody who reaches it may play, at {address}/play/{game.name}")
            else:
                _say(f"game {game.name}: people play by invitation; make a link with: veritab game invite "
                     f"{game.name}{option}, or let anybody in with: veritab game open {game.name}{option}")  # fmt: skip
            if not _is_run(session, game):
                token = make_invitation(session, game.id, Role.MANAGER, by=None, now=now, days=1)
                _say(f"  nobody runs it yet: who reviews claims, invites and changes rules is whoever opens this link "
                     f"first, within a day: {address}/join/{token}")  # fmt: skip
    if len(games) > _MOST_TOLD:
        _say(f"and {counted(len(games) - _MOST_TOLD, 'more game')}: veritab game list{option}")


def _is_run(session: Session, game: ProjectRecord) -> bool:
    """Whether anybody reviews the claims of a game, or could."""
    from sqlalchemy import select

    from veritab.studio.projects import members_of
    from veritab.studio.records import AccountRecord

    administrators = select(AccountRecord.id).where(AccountRecord.is_administrator, AccountRecord.closed_at.is_(None))
    return any(member.role == Role.MANAGER for member, _ in members_of(session, game)) or bool(
        session.scalar(administrators.limit(1))
    )


def _games(session: Session) -> list[ProjectRecord]:
    from veritab.studio.projects import all_projects, is_game

    return [project for project in all_projects(session) if is_game(project)]


@group.command()
def new(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Small letters, digits and dashes: it stands in addresses.", show_default=False
        ),
    ],
    corpus: Corpus = None,
    title: Annotated[str, typer.Option("--title", help="What people read.", show_default="the name")] = "",
    preset: Annotated[
        str, typer.Option("--rules", metavar="paper|code", help="Whose numbers: those of the paper, or of its code.")
    ] = "paper",
    changes: Changes = None,
    consent: Annotated[
        Path | None,
        typer.Option("--consent", metavar="FILE", help="What people agree to before they begin.", show_default=False),
    ] = None,
    is_open: Annotated[
        bool, typer.Option("--open/--invited", help="Let anybody play who reaches the page, or who is invited.")
    ] = False,
    starter: Annotated[
        bool,
        typer.Option(
            "--starter", help="Begin with a hundred claims about the bundled almanac, so that one person can play."
        ),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=MOST_SEED, help="What everything is drawn with.", show_default="drawn"),
    ] = None,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Make a game over a corpus."""
    with opened_studio(studio) as opened:
        from secrets import randbelow

        from veritab.studio.game.games import create_game
        from veritab.studio.game.rules import Rules
        from veritab.studio.game.starting import add_starter_claims

        rules = Rules.preset(preset).changed(parse_changes(changes, "hint_seconds=10"))
        place = str(corpus.resolve()) if corpus else ""
        with talk.status("opening the corpus"):
            digest = opened.digest_of(place)
        with opened.database.writing() as session:
            made = create_game(
                session,
                name,
                title=title,
                corpus=place,
                corpus_digest=digest,
                rules=rules,
                consent=read_text_file(consent) if consent else "",
                seed=randbelow(MOST_SEED) if seed is None else seed,
                is_open=is_open,
                now=time.time(),
            )
            added = add_starter_claims(session, made, opened.checker(made), now=time.time()) if starter else 0
    who = "anybody may play" if is_open else "people play by invitation"
    begun = f", {added} claims to begin with" if added else ""
    said = f"game {name}: rules of the {preset}, corpus {digest}, {who}{begun}"
    tell(as_json, said, name=name, rules=rules.as_dict(), corpus_digest=digest, is_open=is_open, claims=added)
    if not as_json:
        option = f" --studio {studio}" if studio else ""
        _say(f"next: veritab game invite {name} --manager{option}, then veritab game serve{option}")


@group.command()
def rules(game: GameName, changes: Changes = None, studio: Place = None, as_json: Json = False) -> None:
    """Show the rules of a game, after changing those that are given; rounds that are open go on with theirs."""
    with opened_studio(studio) as opened:
        from veritab.studio.game.games import change_rules, rules_of
        from veritab.studio.projects import find_project

        parsed = parse_changes(changes, "hint_seconds=10")
        if parsed:
            with opened.database.writing() as session:
                found = change_rules(session, find_project(session, game), parsed, by=None, now=time.time())
        else:
            with opened.database.reading() as session:
                found = rules_of(session, find_project(session, game))
    if as_json:
        print_json(found.as_dict())
    else:
        rows = [{"name": name, "value": value} for name, value in found.as_dict().items()]
        print_listed(False, rows, ("rule", "value"), lambda row: (row["name"], json.dumps(row["value"])))


@group.command()
def invite(
    game: GameName,
    manager: Annotated[
        bool, typer.Option("--manager", help="Whoever accepts runs the game: reviews, invites, changes rules.")
    ] = False,
    places: Annotated[int, typer.Option("--places", help="How many people may accept it.")] = 1,
    days: Annotated[float, typer.Option("--days", help="How long the link is good.")] = 14,
    address: Address = None,
    studio: Place = None,
    as_json: Json = False,
) -> None:
    """Make a link that lets people into a game, and print it once: whoever has it may accept it."""
    role = Role.MANAGER if manager else Role.ANNOTATOR
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.accounts import invitations_of
        from veritab.studio.accounts import invite as make_invitation
        from veritab.studio.game.games import game_of
        from veritab.studio.projects import find_project

        found = find_project(session, game)
        game_of(session, found)
        made = make_invitation(session, found.id, role, by=None, now=time.time(), days=days, places=places)
        number = invitations_of(session, found)[0].id
    link = f"{(address or f'http://127.0.0.1:{DEFAULT_STUDIO_PORT}').rstrip('/')}/join/{made}"
    tell(as_json, link, link=link, id=number, game=game, role=role.value, places=places)


@group.command("list")
def list_games(studio: Place = None, as_json: Json = False) -> None:
    """List the games: who may play, how many people do, and how many claims and rounds there are."""
    with opened_studio(studio) as opened, opened.database.reading() as session:
        from sqlalchemy import func, select

        from veritab.studio.game.games import game_of
        from veritab.studio.game.records import GameClaimRecord, GameRoundRecord
        from veritab.studio.game.vocabulary import GameClaimState
        from veritab.studio.projects import members_of

        found = []
        for game in _games(session):
            claims = select(func.count()).where(
                GameClaimRecord.project_id == game.id, GameClaimRecord.state == GameClaimState.PLAYING.value
            )
            rounds = select(func.count()).where(
                GameRoundRecord.project_id == game.id, GameRoundRecord.is_practice.is_(False)
            )
            found.append(
                {
                    "name": game.name,
                    "title": game.title,
                    "corpus": game.corpus,
                    "is_open": game_of(session, game).is_open,
                    "is_closed": game.closed_at is not None,
                    "players": len(members_of(session, game)),
                    "claims": session.scalar(claims),
                    "rounds": session.scalar(rounds),
                }
            )
    print_listed(as_json, found, ("name", "title", "players", "claims", "rounds", "who may play"), _game_row)


def _game_row(each: Mapping[str, Any]) -> tuple[str, ...]:
    who = "nobody: closed" if each["is_closed"] else "anybody" if each["is_open"] else "who is invited"
    return each["name"], each["title"], *(f"{each[name]:,}" for name in ("players", "claims", "rounds")), who


@group.command("open")
def open_game(game: GameName, studio: Place = None, as_json: Json = False) -> None:
    """Let anybody play who reaches the page."""
    _let_in(game, True, studio, as_json)


@group.command("close")
def close_game(game: GameName, studio: Place = None, as_json: Json = False) -> None:
    """Let only invited people in from now on; who is in goes on. `veritab studio project close` ends a game."""
    _let_in(game, False, studio, as_json)


def _let_in(game: str, is_open: bool, studio: str | None, as_json: bool) -> None:
    with opened_studio(studio) as opened, opened.database.writing() as session:
        from veritab.studio.game.games import open_to_all
        from veritab.studio.projects import find_project

        open_to_all(session, find_project(session, game), is_open, by=None, now=time.time())
    said = "anybody who reaches it may play" if is_open else "people play by invitation"
    tell(as_json, f"game {game}: {said}", name=game, is_open=is_open)


group.command()(game_stats.stats)
group.command("ask-checker")(game_stats.ask_checker)
group.command("import")(game_data.import_claims)
group.command("export")(game_data.export_claims)
group.command("review-list")(game_data.review_list)
group.command()(game_data.check)
