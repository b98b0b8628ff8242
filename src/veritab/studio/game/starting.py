"""Claims that a game over the bundled almanac begins with, so that whoever comes first can vote.

They are in `starter.jsonl`, one a line: half of them true in every topic, each about a page of its own, with the
addresses of the one or two pieces that settle it.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import NamedTuple

from sqlalchemy.orm import Session

from veritab.errors import InputError
from veritab.pipeline import Checker
from veritab.studio.game.games import rules_of
from veritab.studio.game.topics import topics_of
from veritab.studio.game.writing import add_claim, prepare_claim
from veritab.studio.projects import leave_trail
from veritab.studio.records import ProjectRecord


class StarterClaim(NamedTuple):
    """A claim that ships with the almanac."""

    id: str
    text: str
    truth: bool
    page: str
    gold: tuple[str, ...]
    """The elements that settle it."""


def starter_claims() -> list[StarterClaim]:
    """The claims that ship, some of every topic of the almanac."""
    lines = resources.files(__package__).joinpath("starter.jsonl").read_text(encoding="utf-8").splitlines()
    claims = (StarterClaim(**json.loads(line)) for line in lines)
    return [claim._replace(gold=tuple(claim.gold)) for claim in claims]


def add_starter_claims(session: Session, project: ProjectRecord, checker: Checker, *, now: float) -> int:
    """Let a new game over the almanac begin with the claims that ship, which nobody wrote; how many there are."""
    if project.corpus:
        raise InputError(
            f"the claims to begin with are about the bundled almanac, and this game is over {project.corpus!r}: make "
            "it without --starter, or without --corpus"
        )
    claims, topics, rules = starter_claims(), topics_of(checker), rules_of(session, project)
    for claim in claims:
        prepared = prepare_claim(claim.page, claim.text, claim.gold, checker=checker, rules=rules)
        topic = topics.topic_of(claim.page)
        add_claim(session, project, prepared, truth=claim.truth, topic=topic, now=now, source_id=claim.id)
    leave_trail(
        session,
        "begin with claims",
        f"game {project.name}",
        after={"claims": len(claims)},
        by=None,
        project_id=project.id,
        now=now,
    )
    session.flush()
    return len(claims)
