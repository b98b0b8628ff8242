"""A game for the tests of its pages: players who have agreed, and claims put in by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.web.studio.world import Person, World
from veritab.pipeline import Checker
from veritab.studio import accounts, projects
from veritab.studio.game.games import create_game
from veritab.studio.game.pieces import EvidencePiece
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.rules import Rules
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.opened import corpus_digest
from veritab.studio.vocabulary import Role

GAME = "peaks"
"""The name of the game, as it stands in addresses."""
TOPIC = "Mountains"
SECRET_GOLD = "Snow is counted twice in the annals of gold."
"""What only the gold evidence of claims put in by hand says."""
SECRET_HINT = "Nobody may read hint number"
"""How the hints of claims put in by hand begin."""


class GameWorld(World):
    """A studio with a game over the almanac, the time in it, and its players."""

    def __init__(self, place: str, checker: Checker, folder: Path | None = None) -> None:
        super().__init__(place, checker, folder)
        self.studio._checkers[("", True)] = checker  # a game asks it for its answer

    def game(self, name: str = GAME, title: str = "Peaks and rivers", *, is_open: bool = False, **rules: Any) -> None:
        """A new game; `rules` are those that differ from the paper's."""
        with self.writing() as session:
            create_game(
                session,
                name,
                title=title,
                corpus_digest=corpus_digest(self.checker),
                rules=Rules().changed(rules),
                seed=7,
                is_open=is_open,
                now=self.now,
            )

    def player(self, name: str = "calm-crane", game: str = GAME, *, consented: bool = True) -> Person:
        """Somebody who plays: signed in, and agreed to what is asked."""
        return self.member(name, game, consented=consented)

    def organiser(self, name: str = "wise-owl", game: str = GAME) -> Person:
        """Somebody who runs the game: a manager of the project."""
        return self.member(name, game, role=Role.MANAGER)

    def account_id(self, name: str) -> int:
        with self.studio.database.reading() as session:
            return accounts.find_account(session, name).id

    def member_id(self, name: str, game: str = GAME) -> int:
        """The number of somebody's membership, as it stands in the addresses of managers."""
        with self.studio.database.reading() as session:
            return projects.member_of(session, projects.find_project(session, game), self.account_id(name)).id

    def claim(
        self,
        text: str = "Mount Everest is taller than K2.",
        truth: bool = True,
        *,
        page: str = "Mount Everest",
        topic: str = TOPIC,
        author: str = "",
        gold: Sequence[EvidencePiece] | None = None,
        hints: int | Sequence[EvidencePiece] = 2,
        state: GameClaimState = GameClaimState.PLAYING,
        game: str = GAME,
        **columns: Any,
    ) -> int:
        """A claim put in by hand, nobody's where no author is named; its number."""
        if gold is None:
            gold = [EvidencePiece(f"{SECRET_GOLD} ({text})", "Height", (f"{page}_sentence_0",))]
        if isinstance(hints, int):
            hints = [EvidencePiece(f"{SECRET_HINT} {number} of: {text}", "Height") for number in range(1, hints + 1)]
        with self.writing() as session:
            project = projects.find_project(session, game)
            author_id = accounts.find_account(session, author).id if author else None
            values = {
                "gold": {"pieces": [piece.as_dict() for piece in gold]},
                "hints": {"pieces": [piece.as_dict() for piece in hints]},
                "tags": {},
                "checker": {},
                "source": {},
                "corpus_digest": project.corpus_digest,
                "made_at": self.now,
                **columns,
            }
            claim = GameClaimRecord(
                project_id=project.id,
                author_id=author_id,
                text=text,
                truth=truth,
                page=page,
                topic=topic,
                state=state.value,
                **values,
            )
            session.add(claim)
            session.flush()
            return claim.id

    def pair(self, game: str = GAME, topic: str = TOPIC, number: int = 1) -> tuple[int, int]:
        """A true and a false claim about two pages, by nobody; their numbers."""
        true = self.claim(
            f"Mount Everest is taller than K2, number {number}.", True, page="Mount Everest", topic=topic, game=game
        )
        false = self.claim(
            f"K2 is taller than Mount Everest, number {number}.", False, page="K2", topic=topic, game=game
        )
        return true, false

    def claim_of(self, id: int) -> GameClaimRecord:
        found: GameClaimRecord = self.find(GameClaimRecord, id)
        return found
