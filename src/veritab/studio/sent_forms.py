"""What was sent already: a form that makes something new carries a key, and makes one thing however often it is sent.

The keys are in the database, so that a second click is known at whichever server it comes to.
"""

from __future__ import annotations

from hashlib import sha256

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from veritab.errors import Conflict
from veritab.studio.records import SentFormRecord

REMEMBERED_SECONDS = 24 * 3600.0
"""How long it is known that a form was sent; a page that was open for longer makes it again."""


def note_sent(session: Session, key: str, *, now: float) -> None:
    """Note that a form was sent, as part of what it does; a Conflict where it was before.

    Whoever sends it again while that goes on waits here until it is known how it ends.
    """
    try:
        with session.begin_nested():
            session.add(SentFormRecord(key_digest=_digest(key), at=now))
    except IntegrityError:
        raise Conflict(
            "this form was sent already, and nothing was done twice; open the page again for another"
        ) from None


def forget_sent(session: Session, key: str) -> None:
    """Let a form be sent again, because nothing came of it."""
    session.execute(delete(SentFormRecord).where(SentFormRecord.key_digest == _digest(key)))


def forget_old(session: Session, *, now: float) -> None:
    """Keep no key for longer than a page is open."""
    session.execute(delete(SentFormRecord).where(SentFormRecord.at < now - REMEMBERED_SECONDS))


def _digest(key: str) -> str:
    return sha256(key.encode(errors="surrogatepass")).hexdigest()
