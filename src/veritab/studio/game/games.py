"""Games: a project with rules, and the two claims that everybody practises with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import NotFound
from veritab.studio.game.pieces import EvidencePiece
from veritab.studio.game.records import GameClaimRecord, GameRecord
from veritab.studio.game.rules import Rules
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.projects import ProjectSettings, Workflow, create_project, leave_trail, require_manager
from veritab.studio.records import ProjectRecord

GAME_CONSENT = """\
You play under a pseudonym. Do not write anything here that tells who you are.

We keep what you do in this game: the claims you write, the evidence you choose, the hints you ask for, what you vote
and like, and when. Other players see your pseudonym and your points. Whoever runs the game sees the rest.

The claims, and how people judged them, may be published as a data set. Your pseudonym is not published.

You may stop at any time. What you have written until then stays in the game.
"""
"""What players agree to where a game has no text of its own."""


def create_game(
    session: Session,
    name: str,
    *,
    title: str = "",
    corpus: str = "",
    corpus_digest: str,
    rules: Rules,
    consent: str = "",
    seed: int = 0,
    is_open: bool = False,
    now: float,
    by: int | None = None,
) -> ProjectRecord:
    """A new game over a corpus, with its practice round."""
    project = create_project(
        session,
        name,
        title=title,
        corpus=corpus,
        corpus_digest=corpus_digest,
        workflow=Workflow.GAME,
        settings=ProjectSettings.of(Workflow.GAME),
        consent=consent or GAME_CONSENT,
        seed=seed,
        now=now,
        by=by,
    )
    session.add(GameRecord(project_id=project.id, rules=rules.as_dict(), is_open=is_open))
    session.add_all(_practice_claim(project, each, now) for each in _PRACTICE)
    session.flush()
    return project


def game_of(session: Session, project: ProjectRecord) -> GameRecord:
    """What makes a project a game; NotFound where it is none."""
    game = session.scalar(select(GameRecord).where(GameRecord.project_id == project.id))
    if game is None:
        raise NotFound(f"project {project.name!r} is not a game")
    return game


def rules_of(session: Session, project: ProjectRecord) -> Rules:
    """The rules of a game."""
    return Rules.parse(game_of(session, project).rules)


def change_rules(
    session: Session, project: ProjectRecord, changes: Mapping[str, Any], *, by: int | None, now: float
) -> Rules:
    """Change some rules; rounds that are open go on with theirs."""
    require_manager(session, project, by)
    game = game_of(session, project)
    session.refresh(game, with_for_update=True)  # two managers change different ones
    before = Rules.parse(game.rules)
    after = before.changed(changes)
    old, new = before.as_dict(), after.as_dict()
    changed = [name for name in new if new[name] != old[name]]
    if changed:
        game.rules = new
        leave_trail(
            session,
            "change rules",
            f"game {project.name}",
            before={name: old[name] for name in changed},
            after={name: new[name] for name in changed},
            by=by,
            project_id=project.id,
            now=now,
        )
    return after


def open_to_all(session: Session, project: ProjectRecord, is_open: bool, *, by: int | None, now: float) -> None:
    """Let anybody play who finds the page, or only whoever is invited."""
    require_manager(session, project, by)
    game = game_of(session, project)
    if game.is_open != is_open:
        game.is_open = is_open
        what = "open to all" if is_open else "close to strangers"
        leave_trail(session, what, f"game {project.name}", by=by, project_id=project.id, now=now)


# -- the practice round ------------------------------------------------------------------------------------


class _Practice(NamedTuple):
    text: str
    truth: bool
    page: str
    gold: str
    hints: tuple[str, ...]


_PRACTICE = (
    _Practice(
        "An octopus pumps its blood with more than one heart.",
        True,
        "Octopus",
        "It has three hearts: two move blood through the gills, and one moves it around the body.",
        (
            "Its blood is blue, because a protein with copper carries the oxygen.",
            "It hides by changing its colour within a second.",
        ),
    ),
    _Practice(
        "A year on Venus takes longer than one of its days, measured against the stars.",
        False,
        "Venus",
        "It turns once in 243 days and goes around the Sun in 225, so that its day is longer than its year.",
        (
            "It turns the other way round than most planets.",
            "Its clouds reflect so much light that only the Moon is brighter at night.",
        ),
    ),
)


def _practice_claim(project: ProjectRecord, given: _Practice, now: float) -> GameClaimRecord:
    return GameClaimRecord(
        project_id=project.id,
        text=given.text,
        truth=given.truth,
        page=given.page,
        topic="",
        gold={"pieces": [EvidencePiece(given.gold).as_dict()]},
        hints={"pieces": [EvidencePiece(each).as_dict() for each in given.hints]},
        state=GameClaimState.PRACTICE.value,
        tags={},
        checker={},
        source={},
        made_at=now,
    )
