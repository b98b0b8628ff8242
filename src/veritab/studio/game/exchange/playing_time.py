"""How long people played: seconds by day, and nothing else.

Who pays players pays them for their time. What they did in it, how fast, and for how many points is not told here.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from veritab.files import write_whole
from veritab.studio.database import Database
from veritab.studio.game.games import game_of
from veritab.studio.game.records import GameMoveRecord, GameRoundRecord, GameWritingRecord
from veritab.studio.game.rounds import Move
from veritab.studio.records import AccountRecord, ProjectRecord

REVEAL_SECONDS = 120
"""So long after a vote somebody may still look at the answer, before they say which claim they like."""
_AT_ONCE = 1000


class PlayedDay(NamedTuple):
    """How long somebody played on a day, by the clock of UTC."""

    account: str
    day: str
    seconds: int


class _Spell(NamedTuple):
    """A time in which somebody played, from when to when."""

    account_id: int
    begun: float
    ended: float


def playing_time(session: Session, project: ProjectRecord) -> Iterator[PlayedDay]:
    """The days of each player, in order: rounds until the vote and the like after it, and claims that were written.

    Practice is included. What overlaps counts once; after a deadline nothing counts; what is open counts when it ends.
    """
    game_of(session, project)
    spells = merge(_rounds(session, project), _writings(session, project))
    for account_id, of_account in groupby(spells, key=itemgetter(0)):
        name = session.get_one(AccountRecord, account_id).name
        days = defaultdict[str, float](float)
        until = 0.0
        for _, begun, ended in of_account:
            for day, seconds in _by_day(max(begun, until), ended):
                days[day] += seconds
            until = max(until, ended)
        yield from (PlayedDay(name, day, round(seconds)) for day, seconds in sorted(days.items()))


def write_playing_time(database: Database, project: ProjectRecord, into: Path) -> list[PlayedDay]:
    """Write the days as a CSV file with the columns account, day and seconds."""
    with database.reading() as session:
        days = list(playing_time(session, project))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(PlayedDay._fields)
    writer.writerows(days)
    write_whole(into, text.getvalue().encode())
    return days


def _rounds(session: Session, project: ProjectRecord) -> Iterator[_Spell]:
    joined = and_(GameMoveRecord.round_id == GameRoundRecord.id, GameMoveRecord.move.in_([Move.LIKE, Move.REPORT]))
    columns = (
        GameRoundRecord.account_id,
        GameRoundRecord.opened_at,
        GameRoundRecord.deadline,
        GameRoundRecord.ended_at,
    )
    rows: Iterable[Any] = session.execute(
        select(*columns, func.max(GameMoveRecord.at))
        .outerjoin(GameMoveRecord, joined)
        .where(
            GameRoundRecord.project_id == project.id,
            GameRoundRecord.account_id.is_not(None),
            GameRoundRecord.ended_at.is_not(None),
        )
        .group_by(GameRoundRecord.id, *columns)
        .order_by(GameRoundRecord.account_id, GameRoundRecord.opened_at)
        .execution_options(yield_per=_AT_ONCE)
    )
    for account_id, opened_at, deadline, ended_at, last in rows:
        ended = min(ended_at, deadline)
        is_near = last is not None and ended < last <= ended + REVEAL_SECONDS
        yield _Spell(account_id, opened_at, last if is_near else ended)


def _writings(session: Session, project: ProjectRecord) -> Iterator[_Spell]:
    rows: Iterable[Any] = session.execute(
        select(
            GameWritingRecord.account_id,
            GameWritingRecord.opened_at,
            GameWritingRecord.deadline,
            GameWritingRecord.ended_at,
        )
        .where(GameWritingRecord.project_id == project.id, GameWritingRecord.ended_at.is_not(None))
        .order_by(GameWritingRecord.account_id, GameWritingRecord.opened_at)
        .execution_options(yield_per=_AT_ONCE)
    )
    for account_id, opened_at, deadline, ended_at in rows:
        yield _Spell(account_id, opened_at, min(ended_at, deadline))


def _by_day(begun: float, ended: float) -> Iterator[tuple[str, float]]:
    """A time cut at midnight."""
    while begun < ended:
        day = datetime.fromtimestamp(begun, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        midnight = min((day + timedelta(days=1)).timestamp(), ended)
        yield f"{day:%Y-%m-%d}", midnight - begun
        begun = midnight
