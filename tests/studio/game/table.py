"""Games, players and claims for tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from sqlalchemy.orm import Session

from veritab.studio.game.games import create_game
from veritab.studio.game.pieces import EvidencePiece
from veritab.studio.game.records import GameClaimRecord, GameRoundRecord, GameWritingRecord
from veritab.studio.game.rounds import RoundSetup, Side
from veritab.studio.game.rules import Rules
from veritab.studio.game.vocabulary import GameClaimState, WritingState
from veritab.studio.projects import add_member
from veritab.studio.records import AccountRecord, ProjectRecord
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Role

NOW = 1_700_000_000.0
DIGEST = "0123456789abcdef"
_NUMBERS = count()


def make_game(session: Session, name: str = "rivers", **rules: Any) -> ProjectRecord:
    """A game in which nobody has to take turns, unless the rules say so."""
    kept = Rules().changed({"takes_turns": False, **rules})
    return create_game(session, name, corpus_digest=DIGEST, rules=kept, now=NOW)


def make_player(session: Session, project: ProjectRecord, name: str = "ibis") -> int:
    """Somebody who plays; their account."""
    account = AccountRecord(name=f"{name}-{next(_NUMBERS)}", made_at=NOW)
    session.add(account)
    session.flush()
    add_member(session, project, account.id, Role.ANNOTATOR, now=NOW, stage=MemberStage.APPROVED).consented_at = NOW
    return account.id


def make_claim(
    session: Session, project: ProjectRecord, truth: bool, author_id: int | None = None, **about: Any
) -> GameClaimRecord:
    """A claim that is played, on a page of its own, with ten hints and one piece of gold evidence."""
    number = next(_NUMBERS)
    hints = [EvidencePiece(f"Hint {each} of {number}.", ids=(f"P{number}_sentence_{each}",)) for each in range(10)]
    claim = GameClaimRecord(
        project_id=project.id,
        author_id=author_id,
        truth=truth,
        gold={"pieces": [EvidencePiece(f"Gold of {number}.", ids=(f"P{number}_sentence_99",)).as_dict()]},
        hints={"pieces": [hint.as_dict() for hint in hints]},
        tags={},
        made_at=NOW,
        **{
            "checker": {},
            "source": {},
            "text": f"Claim {number}.",
            "page": f"P{number}",
            "topic": "Rivers",
            "state": GameClaimState.PLAYING.value,
            "corpus_digest": DIGEST,
            **about,
        },
    )
    session.add(claim)
    session.flush()
    return claim


def make_claims(session: Session, project: ProjectRecord, pairs: int, authors: Sequence[int | None] = (None,)) -> None:
    """So many true and as many false claims."""
    for number in range(pairs):
        for truth in (True, False):
            make_claim(session, project, truth, authors[(2 * number + truth) % len(authors)])


def make_writing(session: Session, project: ProjectRecord, account_id: int, **about: Any) -> GameWritingRecord:
    """A claim that somebody has written."""
    writing = GameWritingRecord(
        project_id=project.id,
        account_id=account_id,
        topic="Rivers",
        page="Nile",
        truth=True,
        draft={},
        **{
            "state": WritingState.PUBLISHED.value,
            "opened_at": NOW,
            "deadline": NOW + 480,
            "ended_at": NOW + 60,
            **about,
        },
    )
    session.add(writing)
    session.flush()
    return writing


def false_side(record: GameRoundRecord) -> Side:
    """Which claim of a round is false."""
    return RoundSetup.parse(record.setup).false_side
