"""A file of Fool Me Twice comes into a game: all of it, or nothing where a line has a fault.

Imported claims have no author, so nobody gets points for them; the votes and likes that they come with count among
those that they get. Where the corpus of the game has the quoted evidence, it gets its addresses, and the claim rests
on the corpus from then on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from veritab.corpus.store import Store
from veritab.datasets.lines import records_of
from veritab.datasets.reading import sha256_of
from veritab.datasets.records import Record
from veritab.errors import Conflict, InputError, NotFound, short_repr
from veritab.pipeline import Checker
from veritab.schema import Page
from veritab.studio.database import hold_alone
from veritab.studio.exchange.formats import LineFault, without_nul
from veritab.studio.exchange.importing import MOST_FAULTS, RefusedImport
from veritab.studio.game.exchange.published import PublishedClaim, read_published
from veritab.studio.game.games import game_of
from veritab.studio.game.pieces import EvidencePiece, make_pieces, piece_of
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.rules import Rules
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.opened import corpus_digest
from veritab.studio.projects import leave_trail, refuse_closed, require_manager
from veritab.studio.records import ProjectRecord, TrailRecord
from veritab.text import squeeze

_IMPORTED = "import claims"
_AT_ONCE = 500
_FAR = 20
"""Faults so many times as many as are told, and the rest of the file is not read."""
_PAGES_HELD = 32


class GameImport(NamedTuple):
    """What came of a file."""

    claims: int = 0
    true: int = 0
    on_corpus: int = 0
    """Claims whose evidence the corpus has."""
    votes: int = 0
    right_votes: int = 0
    likes: int = 0

    def with_claim(self, claim: PublishedClaim, on_corpus: bool) -> GameImport:
        """The counts with one claim more."""
        more = (1, claim.truth, on_corpus, claim.votes, claim.right_votes, claim.likes)
        return GameImport(*(count + each for count, each in zip(self, more, strict=True)))


def import_fm2(
    session: Session,
    project: ProjectRecord,
    path: Path,
    *,
    now: float,
    by: int | None,
    checker: Checker | None = None,
    name: str = "",
    tick: Callable[[int], None] = lambda claims: None,
) -> GameImport:
    """Bring the claims of a file into a game; RefusedImport where anything in it is wrong.

    `checker` has the corpus in which evidence is looked up. `name` is what the file is called for people, `tick` is
    told how many claims were read so far.
    """
    require_manager(session, project, by)
    refuse_closed(project)
    rules = Rules.parse(game_of(session, project).rules)
    hold_alone(session, f"import into {project.id}")  # what another brings at this moment is not there yet to be seen
    shown, digest = name or path.name, sha256_of(path)
    _refuse_again(session, project, shown, digest)
    faults, more = list[LineFault](), 0
    importer = _Importer(session, project, rules, checker, now)
    for number, line in enumerate(records_of(path), 1):
        tick(number)
        what = line.wrong if line.record is None else importer.take(line.record, line.where, keep=not faults)
        if what and len(faults) < MOST_FAULTS:
            faults.append(LineFault(line.where, what))
        elif what:
            more += 1
        if more > _FAR * MOST_FAULTS:
            break
    if faults:
        raise RefusedImport(shown, faults, more)
    report = importer.finish()
    if not report.claims:
        raise InputError(f"{shown} holds no claim; expected JSON lines as Fool Me Twice has them")
    leave_trail(
        session,
        _IMPORTED,
        f"file {shown}",
        after={"sha256": digest, **report._asdict()},
        by=by,
        project_id=project.id,
        now=now,
    )
    session.flush()
    return report


def _refuse_again(session: Session, project: ProjectRecord, shown: str, digest: str) -> None:
    before = select(TrailRecord).where(TrailRecord.project_id == project.id, TrailRecord.what == _IMPORTED)
    for each in session.scalars(before):
        if each.after.get("sha256") == digest:
            day = time.strftime("%Y-%m-%d", time.localtime(each.at))
            raise Conflict(
                f"what {shown} holds is in the game already: it was imported on {day}, as {each.subject}; nothing was "
                "changed"
            )


class _Importer:
    """Claims on their way into a game, some at a time."""

    def __init__(
        self, session: Session, project: ProjectRecord, rules: Rules, checker: Checker | None, now: float
    ) -> None:
        self._session, self._project, self._rules, self._now = session, project, rules, now
        self._corpus = _CorpusTexts(checker) if checker else None
        there = select(GameClaimRecord.source_id).where(
            GameClaimRecord.project_id == project.id, GameClaimRecord.source_id != ""
        )
        self._ids = dict.fromkeys(session.scalars(there.execution_options(yield_per=1000)), "")
        self._rows: list[dict[str, Any]] = []
        self._report = GameImport()

    def take(self, record: Record, where: str, *, keep: bool) -> str:
        """Keep the claim of a record; what is wrong with it, else nothing."""
        try:
            claim = read_published(record)
            source = _kept(record)
        except ValueError as error:
            return str(error)
        before = self._ids.setdefault(claim.id, where)
        if before != where:
            said = f"came before in {before}" if before else "is in the game already"
            return f"the id {short_repr(claim.id)} {said}; take one of the two out"
        if keep:
            self._keep(claim, source)
        return ""

    def finish(self) -> GameImport:
        """What came in altogether."""
        self._flush()
        return self._report

    def _keep(self, claim: PublishedClaim, source: Mapping[str, Any]) -> None:
        hints = claim.hints[: self._rules.hints]
        found = self._corpus.find_all(claim.page, claim.gold) if self._corpus else None
        if found and self._corpus:
            gold, hints = found, self._corpus.find_any(claim.page, hints)
        else:
            gold, hints = tuple(map(_unaddressed, claim.gold)), tuple(map(_unaddressed, hints))
        self._report = self._report.with_claim(claim, bool(found))
        self._rows.append(
            {
                "project_id": self._project.id,
                "text": claim.text,
                "truth": claim.truth,
                "page": claim.page,
                "topic": claim.topic,
                "gold": {"pieces": [piece.as_dict() for piece in gold]},
                "hints": {"pieces": [piece.as_dict() for piece in hints]},
                "state": GameClaimState.PLAYING.value,
                "tags": {},
                "checker": {},
                "corpus_digest": self._corpus.digest if found and self._corpus else "",
                "source_id": claim.id,
                "source": source,
                "votes": claim.votes,
                "right_votes": claim.right_votes,
                "likes": claim.likes,
                "made_at": self._now,
            }
        )
        if len(self._rows) >= _AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._session.execute(insert(GameClaimRecord), self._rows)
            self._rows.clear()


def _unaddressed(piece: EvidencePiece) -> EvidencePiece:
    """A piece in words alone: another corpus has something else at its addresses."""
    return replace(piece, ids=())


def _kept(record: Record) -> Mapping[str, Any]:
    """A record as databases can hold it; ValueError where neither can."""
    try:
        json.dumps(record, allow_nan=False)
        kept: Mapping[str, Any] = without_nul(record)
    except (RecursionError, ValueError):
        raise ValueError(
            "the record nests too deep, or has numbers that are none; take out what is not needed"
        ) from None
    return kept


class _CorpusTexts:
    """Finds quoted evidence in a corpus: the piece of the page that has the same words."""

    def __init__(self, checker: Checker) -> None:
        self.digest = corpus_digest(checker)
        self._texts_of = lru_cache(maxsize=_PAGES_HELD)(lambda title: _texts(checker.store, title))

    def find_all(self, title: str, pieces: tuple[EvidencePiece, ...]) -> tuple[EvidencePiece, ...] | None:
        """The pieces with their addresses; nothing unless the corpus has every one of them."""
        found = self.find_any(title, pieces)
        return found if all(piece.ids for piece in found) else None

    def find_any(self, title: str, pieces: tuple[EvidencePiece, ...]) -> tuple[EvidencePiece, ...]:
        """The pieces, those with addresses that the corpus has."""
        page, texts = self._texts_of(title)
        return tuple(_addressed(piece, page, texts) for piece in pieces)


def _texts(store: Store, title: str) -> tuple[Page | None, dict[str, list[EvidencePiece]]]:
    try:
        page = store.page(title)
    except NotFound:
        return None, {}
    texts: dict[str, list[EvidencePiece]] = {}
    for piece in make_pieces(page):
        texts.setdefault(squeeze(piece.text), []).append(piece)
    return page, texts


def _addressed(piece: EvidencePiece, page: Page | None, texts: Mapping[str, list[EvidencePiece]]) -> EvidencePiece:
    if page is None:
        return _unaddressed(piece)
    if piece.ids:
        return piece if _still_says(page, piece) else _unaddressed(piece)
    found = texts.get(piece.text, [])
    found = [each for each in found if each.section == piece.section] or found
    return replace(found[0], text=piece.text, section=piece.section) if found else piece


def _still_says(page: Page, piece: EvidencePiece) -> bool:
    """Whether the words of a piece are those that the page has at its addresses."""
    try:
        return squeeze(piece_of(page, piece.ids).text) == piece.text
    except InputError:
        return False
