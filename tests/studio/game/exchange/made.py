"""Records as Fool Me Twice has them, made up, and games that they come into."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import select

from veritab.errors import NotFound
from veritab.pipeline import Checker
from veritab.studio.database import Database
from veritab.studio.game.exchange.importing import GameImport, import_fm2
from veritab.studio.game.games import create_game
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.rules import Rules
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.projects import find_project
from veritab.studio.records import ProjectRecord

NOW = 1_700_000_000.0
GAME = "peaks"


def piece(text: str, section: str = "") -> dict[str, str]:
    return {"section_header": section, "text": text}


def published(number: int = 1, **about: Any) -> dict[str, Any]:
    """A record in the order of the published files: a page of its own, nine passages and the gold among them."""
    gold = piece(f"Peak {number} was first climbed in 1901.", "History")
    others = [piece(f"Passage {each} about peak {number}.") for each in range(9)]
    return {
        "category": "Geography",
        "correct_votes": 2,
        "gold_evidence": [gold],
        "id": f"a{number}",
        "label": "SUPPORTS" if number % 2 else "REFUTES",
        "retrieved_evidence": [*others[:4], gold, *others[4:]],
        "text": f"Nobody stood on peak {number} before the last century began.",
        "total_likes": 1,
        "total_votes": 3,
        "wikipedia_page": f"Peak {number}",
    } | about


def leaking(number: int = 1, **about: Any) -> dict[str, Any]:
    """A record whose gold was not retrieved, and stands after the ten that were."""
    record = published(number)
    others = [piece(f"Passage {each} about peak {number}.") for each in range(10)]
    return record | {"retrieved_evidence": [*others, *record["gold_evidence"]]} | about


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def game_in(database: Database, name: str = GAME) -> ProjectRecord:
    """A game of that name, made where it is missing."""
    with database.reading() as session, suppress(NotFound):
        return find_project(session, name)
    with database.writing() as session:
        return create_game(session, name, corpus_digest="x", rules=Rules(), now=NOW)


def bring(
    database: Database, path: Path, checker: Checker | None = None, game: str = GAME, **options: Any
) -> GameImport:
    project = game_in(database, game)
    with database.writing() as session:
        return import_fm2(session, project, path, now=NOW, by=options.pop("by", None), checker=checker, **options)


def claims_in(database: Database, game: str = GAME) -> list[GameClaimRecord]:
    """The claims of a game, without those for practice."""
    project = game_in(database, game)
    query = select(GameClaimRecord).where(
        GameClaimRecord.project_id == project.id, GameClaimRecord.state != GameClaimState.PRACTICE
    )
    with database.reading() as session:
        return list(session.scalars(query.order_by(GameClaimRecord.id)))
