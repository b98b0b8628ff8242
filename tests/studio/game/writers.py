"""A small corpus to write claims about, and somebody who writes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random

from sqlalchemy.orm import Session

from tests.retrieve.corpora import indexed
from veritab.errors import NotFound
from veritab.pipeline import Checker
from veritab.schema import Cell, Item, ListBlock, Page, Section, Sentence, TableBlock
from veritab.settings import Settings
from veritab.studio.game.games import create_game
from veritab.studio.game.records import GameWritingRecord
from veritab.studio.game.rules import Rules
from veritab.studio.game.writing import begin_writing
from veritab.studio.opened import corpus_digest
from veritab.studio.projects import add_member, member_of
from veritab.studio.records import AccountRecord, ProjectRecord
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Role

NOW = 1_700_000_000.0
_NUMBERS = count()

NILE = Page(
    "Nile",
    (
        Sentence(0, "The Nile is a river of Africa that flows north into the Mediterranean Sea."),
        Sentence(1, "It is about 6,650 km long."),
        Section(0, "Course", 2),
        Sentence(2, "Two rivers, the White Nile and the Blue Nile, meet at Khartoum."),
        ListBlock(0, (Item("Lake Victoria feeds the White Nile."), Item("Lake Tana feeds the Blue Nile."))),
        Section(1, "Dams", 2),
        TableBlock(
            0,
            (
                (Cell("Dam", header=True), Cell("Country", header=True), Cell("Height", header=True)),
                (Cell("Aswan High Dam"), Cell("Egypt"), Cell("111 m")),
                (Cell("Merowe Dam"), Cell("Sudan"), Cell("67 m")),
            ),
            "Large dams of the Nile",
        ),
    ),
)
RHINE = Page(
    "Rhine",
    (
        Sentence(0, "The Rhine is a river that flows from the Swiss Alps to the North Sea."),
        Sentence(1, "Cologne is the largest city on it."),
    ),
)
BARE = Page("Bare", (Section(0, "Nothing", 2),))


@contextmanager
def corpus_of(folder: Path, *pages: Page) -> Iterator[Checker]:
    """A checker without models over some pages."""
    indexed(folder, pages).close()
    settings = Settings().replaced({"verify.model": "none", "select.model": "none"})
    with Checker.open(folder, settings) as checker:
        yield checker


def make_game(session: Session, checker: Checker, **rules: object) -> ProjectRecord:
    """A game over the corpus of a checker."""
    name = f"game-{next(_NUMBERS)}"
    return create_game(session, name, corpus_digest=corpus_digest(checker), rules=Rules.parse(rules), now=NOW)


def make_player(session: Session, name: str = "heron") -> int:
    """Somebody who plays."""
    account = AccountRecord(name=f"{name}-{next(_NUMBERS)}", made_at=NOW)
    session.add(account)
    session.flush()
    return account.id


def begin(
    session: Session,
    game: ProjectRecord,
    player: int,
    checker: Checker,
    topic: str = "",
    now: float = NOW,
    seed: int = 1,
) -> GameWritingRecord:
    """Somebody begins to write; who was not in the game is, now."""
    try:
        member_of(session, game, player)
    except NotFound:
        add_member(session, game, player, Role.ANNOTATOR, now=NOW, stage=MemberStage.APPROVED)
    return begin_writing(session, game, player, topic, checker=checker, rng=Random(seed), now=now)
