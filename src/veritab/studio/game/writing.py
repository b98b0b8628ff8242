"""Writing a claim about a page: the page and the truth are given, the clock is the server's.

The pages of a topic are drawn by lot, those with the fewest claims first, and whether a claim is to be true or false is
prescribed, so that half of them are, of each page and of each topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from random import Random
from typing import Any, NamedTuple

from sqlalchemy import Select, func, select, update
from sqlalchemy.orm import Session

from veritab.audit.giveaways import Giveaway
from veritab.errors import Conflict, InputError, NotFound
from veritab.pipeline import Checker
from veritab.schema import Page
from veritab.studio.database import can_write, find_numbered
from veritab.studio.game.claim_checks import FEWEST_CLAIMS, KnownClaims, gold_pieces, learn_giveaways
from veritab.studio.game.feedback import choose_hints
from veritab.studio.game.games import rules_of
from veritab.studio.game.pieces import EvidencePiece, has_pieces, piece_of
from veritab.studio.game.players import refuse_idle, refuse_voter
from veritab.studio.game.records import GameClaimRecord, GamePointRecord, GameWritingRecord
from veritab.studio.game.rules import Rules
from veritab.studio.game.topics import Topics, topics_of
from veritab.studio.game.turns import PlayerRole, role_due
from veritab.studio.game.vocabulary import GameClaimState, PointKind, WritingState
from veritab.studio.opened import corpus_digest
from veritab.studio.projects import leave_trail
from veritab.studio.records import ProjectRecord
from veritab.text import nfc, printable, squeeze

_MOST_TRIES = 200
"""So many pages of a topic are looked at for one with evidence: the others of a large corpus are like them."""
_LONGEST_DRAFT = 10_000
MOST_OTHER_PAGES = 3
"""So often somebody may leave a page for another one: whoever chose as they like would write about few pages."""
_MOST_CHOSEN = 100


# -- beginning and ending ----------------------------------------------------------------------------------


def begin_writing(
    session: Session, project: ProjectRecord, account_id: int, topic: str, *, checker: Checker, rng: Random, now: float
) -> GameWritingRecord:
    """A page to write about and a truth to write; the open one goes on where there is one. No topic is any topic."""
    refuse_idle(session, project, account_id)
    if (record := _open_writing(session, project, account_id, now)) is not None:
        return record
    refuse_voter(session, project, account_id, now=now)
    if role_due(session, project, account_id, now=now, digest=corpus_digest(checker)) is PlayerRole.VOTE:
        raise Conflict("writing and voting take turns in this game, and it is your turn to vote; vote first")
    topics = topics_of(checker)
    page = _draw_page(session, project, topics, topic, checker, rng)
    record = GameWritingRecord(
        project_id=project.id,
        account_id=account_id,
        topic=topics.topic_of(page.title),
        page=page.title,
        truth=_draw_truth(session, project, page.title, topics.topic_of(page.title), rng),
        state=WritingState.OPEN.value,
        opened_at=now,
        deadline=now + rules_of(session, project).writing_seconds,
        draft={"text": "", "gold": []},
    )
    session.add(record)
    session.flush()
    return record


def find_writing(
    session: Session, project: ProjectRecord, writing_id: int, account_id: int, *, now: float
) -> GameWritingRecord:
    """Somebody's own writing; one whose time has run out is ended, where the session may write."""
    record = find_numbered(session, GameWritingRecord, writing_id)
    if record is None or record.project_id != project.id or record.account_id != account_id:
        raise NotFound(f"you are not writing a claim with the number {writing_id} in {project.name!r}")
    if can_write(session):
        _hold(session, record)
        _expire(record, now)
    return record


def is_in_time(writing: GameWritingRecord, now: float) -> bool:
    """Whether a claim can still be written."""
    return writing.state == WritingState.OPEN and now < writing.deadline


def keep_draft(session: Session, writing: GameWritingRecord, text: str, gold_ids: Sequence[str], *, now: float) -> None:
    """Keep what is written so far, so that a reload or another tab goes on with it."""
    _hold_open(session, writing, now)
    if len(text) > _LONGEST_DRAFT or len(gold_ids) > _MOST_CHOSEN:
        raise InputError(f"a draft of {len(text):,} characters is too long to keep; at most {_LONGEST_DRAFT:,} are")
    kept = {"text": printable(text), "gold": [printable(id) for id in gold_ids]}
    writing.draft = {**writing.draft, **kept}
    session.flush()


def take_other_page(
    session: Session, writing: GameWritingRecord, *, checker: Checker, rng: Random, now: float
) -> GameWritingRecord:
    """Another page of the topic in place of this one; the clock goes on, and what was written is gone."""
    _hold_open(session, writing, now)
    if not pages_left(writing):
        raise Conflict(f"you have had {MOST_OTHER_PAGES} other pages; write about this one, or give up")
    project = session.get_one(ProjectRecord, writing.project_id)
    topics = topics_of(checker)
    page = _draw_page(session, project, topics, writing.topic, checker, rng, instead_of=writing.page)
    left = [*writing.draft.get("left", ()), writing.page]
    writing.page, writing.draft = page.title, {"text": "", "gold": [], "left": left}
    writing.truth = _draw_truth(session, project, page.title, writing.topic, rng, except_for=writing.id)
    session.flush()
    return writing


def pages_left(writing: GameWritingRecord) -> int:
    """How many times somebody may still take another page."""
    return max(MOST_OTHER_PAGES - len(writing.draft.get("left", ())), 0)


def give_up(session: Session, writing: GameWritingRecord, *, now: float) -> None:
    """Leave a claim unwritten."""
    _hold_open(session, writing, now)
    writing.state, writing.ended_at = WritingState.GIVEN_UP.value, now
    session.flush()


def expire_writings(session: Session, *, now: float) -> int:
    """End whatever time has run out for; how many there were."""
    due = (GameWritingRecord.state == WritingState.OPEN.value) & (GameWritingRecord.deadline <= now)
    ended = session.scalars(
        update(GameWritingRecord)
        .where(due)
        .values(state=WritingState.TIMED_OUT.value, ended_at=GameWritingRecord.deadline)
        .returning(GameWritingRecord.id)
    )
    return len(ended.all())


def _open_writing(session: Session, project: ProjectRecord, account_id: int, now: float) -> GameWritingRecord | None:
    """What somebody is writing in a game at present."""
    # Two tabs that begin at once must not both find nothing open.
    session.execute(select(ProjectRecord.id).where(ProjectRecord.id == project.id).with_for_update(key_share=True))
    mine = session.scalars(
        select(GameWritingRecord)
        .where(
            GameWritingRecord.project_id == project.id,
            GameWritingRecord.account_id == account_id,
            GameWritingRecord.state == WritingState.OPEN.value,
        )
        .with_for_update()
    ).all()
    for record in mine:
        _expire(record, now)
    return next((record for record in mine if record.state == WritingState.OPEN), None)


def _expire(record: GameWritingRecord, now: float) -> None:
    if record.state == WritingState.OPEN and now >= record.deadline:
        record.state, record.ended_at = WritingState.TIMED_OUT.value, record.deadline


def _hold(session: Session, writing: GameWritingRecord) -> None:
    """Have a writing as it is now, to oneself: it may be open in two tabs."""
    session.flush()
    session.refresh(writing, with_for_update=True)


def _hold_open(session: Session, writing: GameWritingRecord, now: float) -> None:
    """Have a writing to oneself that can still be changed; a Conflict where it cannot."""
    _hold(session, writing)
    if writing.state != WritingState.OPEN:
        raise Conflict(f"this claim is {writing.state}; begin another one")
    if now >= writing.deadline:
        raise Conflict("time has run out for this claim; begin another one")


# -- which page, and which truth ---------------------------------------------------------------------------


def _draw_page(
    session: Session,
    project: ProjectRecord,
    topics: Topics,
    topic: str,
    checker: Checker,
    rng: Random,
    instead_of: str = "",
) -> Page:
    """A page with evidence, by lot among those with the fewest claims; a Conflict where the topic has none."""
    counts = _count_by_page(session, project, topic)
    titles = [title for title in topics.pages(topic) if title != instead_of]
    for title in islice(_fewest_first(titles, counts, rng), _MOST_TRIES):
        page = checker.store.page(title)
        if has_pieces(page):
            return page
    about = f"topic {topic!r}" if topic else "this corpus"
    raise Conflict(
        f"no {'other ' if instead_of else ''}page of {about} has a sentence, an item or a table to write about; "
        "choose another topic"
    )


def _fewest_first(titles: Sequence[str], counts: Mapping[str, int], rng: Random) -> Iterator[str]:
    """Titles by their number of claims, those of the same number by lot; only as many as are asked for are drawn."""
    free = [title for title in titles if title not in counts]
    yield from rng.sample(free, min(_MOST_TRIES, len(free)))
    taken = [title for title in titles if title in counts]
    rng.shuffle(taken)
    yield from sorted(taken, key=counts.__getitem__)


def _count_by_page(session: Session, project: ProjectRecord, topic: str) -> dict[str, int]:
    """How many claims there are about each page that has any, those that are being written included."""
    counts: Counter[str] = Counter()
    for kind, is_counted in ((GameClaimRecord, _WRITTEN), (GameWritingRecord, _BEING_WRITTEN)):
        query = select(kind.page, func.count()).where(kind.project_id == project.id, is_counted)
        query = query.where(kind.topic == topic) if topic else query
        counts.update(dict(session.execute(query.group_by(kind.page)).all()))
    return counts


_WRITTEN = GameClaimRecord.state.in_((GameClaimState.PLAYING.value, GameClaimState.RESTING.value))
_BEING_WRITTEN = GameWritingRecord.state == WritingState.OPEN.value


def _draw_truth(
    session: Session, project: ProjectRecord, page: str, topic: str, rng: Random, except_for: int = 0
) -> bool:
    """Whether a claim is to be true: whichever there are fewer of about the page, then in the topic, then by lot."""
    for is_page in (True, False):
        lean = 0
        for kind, is_counted in ((GameClaimRecord, _WRITTEN), (GameWritingRecord, _BEING_WRITTEN)):
            about = kind.page == page if is_page else kind.topic == topic
            query = select(kind.truth, func.count()).where(kind.project_id == project.id, is_counted, about)
            if kind is GameWritingRecord:
                query = query.where(kind.id != except_for)
            for truth, number in session.execute(query.group_by(kind.truth)):
                lean += number if truth else -number
        if lean:
            return lean < 0
    return rng.random() < 0.5


# -- publishing --------------------------------------------------------------------------------------------


class PreparedClaim(NamedTuple):
    """A claim that may be published, with its evidence and hints."""

    page: str
    text: str
    gold: tuple[EvidencePiece, ...]
    hints: tuple[EvidencePiece, ...]
    corpus_digest: str


def prepare_claim(title: str, text: str, gold_ids: Sequence[str], *, checker: Checker, rules: Rules) -> PreparedClaim:
    """Rank the page of a claim for its hints, which nobody has to wait for; an InputError says all that forbids it."""
    page = _page_titled(title, checker)
    if page is None:
        raise Conflict(f"the corpus does not have the page {title!r} any more; take another page")
    gold = gold_pieces(text, gold_ids, page)
    said = squeeze(printable(nfc(text)))
    hints = choose_hints(said, page, gold, checker, rules.hints)
    return PreparedClaim(title, said, tuple(gold), tuple(hints), corpus_digest(checker))


def publish(
    session: Session,
    writing: GameWritingRecord,
    text: str,
    gold_ids: Sequence[str],
    *,
    checker: Checker,
    now: float,
    prepared: PreparedClaim | None = None,
) -> GameClaimRecord:
    """Put a claim into the game, its evidence and hints frozen; an InputError says all that forbids it.

    What was prepared is of the same text and evidence; it is made anew where the page or the corpus is another by now.
    """
    _hold_open(session, writing, now)
    project = session.get_one(ProjectRecord, writing.project_id)
    rules = rules_of(session, project)
    if prepared is None or (prepared.page, prepared.corpus_digest) != (writing.page, corpus_digest(checker)):
        prepared = prepare_claim(writing.page, text, gold_ids, checker=checker, rules=rules)
    claim = add_claim(
        session, project, prepared, truth=writing.truth, topic=writing.topic, author_id=writing.account_id, now=now
    )
    writing.state, writing.ended_at, writing.claim_id = WritingState.PUBLISHED.value, now, claim.id
    if rules.writing_points:
        session.add(
            GamePointRecord(
                project_id=project.id,
                account_id=writing.account_id,
                kind=PointKind.WRITING.value,
                points=rules.writing_points,
                claim_id=claim.id,
                at=now,
            )
        )
    session.flush()
    return claim


def add_claim(
    session: Session,
    project: ProjectRecord,
    prepared: PreparedClaim,
    *,
    truth: bool,
    topic: str,
    now: float,
    author_id: int | None = None,
    source_id: str = "",
) -> GameClaimRecord:
    """Let a claim be played."""
    claim = GameClaimRecord(
        project_id=project.id,
        author_id=author_id,
        text=prepared.text,
        truth=truth,
        page=prepared.page,
        topic=topic,
        gold={"pieces": [piece.as_dict() for piece in prepared.gold]},
        hints={"pieces": [piece.as_dict() for piece in prepared.hints]},
        state=GameClaimState.PLAYING.value,
        tags={},
        checker={},
        corpus_digest=prepared.corpus_digest,
        source_id=source_id,
        source={},
        made_at=now,
    )
    session.add(claim)
    session.flush()
    return claim


def known_claims(session: Session, writing: GameWritingRecord) -> KnownClaims:
    """What is known of the other claims of a game, for somebody who writes one."""
    of_game = (GameClaimRecord.project_id == writing.project_id, _WRITTEN)
    on_page = select(GameClaimRecord.text).where(*of_game, GameClaimRecord.page == writing.page)
    texts = tuple(session.scalars(on_page.order_by(GameClaimRecord.id)))
    number = session.scalar(select(func.count()).where(*of_game)) or 0
    return KnownClaims(texts, _giveaways(session, writing.project_id, number))


_LEARNED: dict[tuple[Any, int], tuple[int, tuple[Giveaway, ...] | None]] = {}
"""What gives claims away in each game of each database, and after how many claims it was learned."""
_LEARN_AGAIN = 1.1
"""What gives claims away is learned again when there are so many times as many."""


def _giveaways(session: Session, project_id: int, number: int) -> tuple[Giveaway, ...] | None:
    key = session.get_bind().engine.url, project_id
    learned_from, learned = _LEARNED.get(key, (0, None))
    if learned_from <= number < max(learned_from * _LEARN_AGAIN, FEWEST_CLAIMS):
        return learned
    query = select(GameClaimRecord.text, GameClaimRecord.truth).where(
        GameClaimRecord.project_id == project_id, _WRITTEN
    )
    claims = session.execute(query.order_by(GameClaimRecord.id.desc()).limit(_MOST_LEARNED_FROM)).all()
    learned = learn_giveaways(claims)
    _LEARNED[key] = number, learned
    return learned


_MOST_LEARNED_FROM = 5_000


# -- a corpus that changed ---------------------------------------------------------------------------------

CHANGED = "what its evidence says has changed in the corpus"
"""Why a claim rests that was written over another state of the corpus."""


def follow_corpus(
    session: Session, project: ProjectRecord, checker: Checker, *, now: float, by: int | None = None
) -> int:
    """Go on with a corpus as it is now; how many claims rest until somebody has reviewed them.

    Those are the claims whose evidence does not say the same any more. The others, and those that are kept after
    review, are played with the corpus as it is now.
    """
    digest, before = corpus_digest(checker), project.corpus_digest
    rested = 0
    claims = session.scalars(_of_other_corpora(project, digest).with_for_update()).all()
    changed = {claim.id for claim in _changed(claims, checker)}
    for claim in claims:
        claim.corpus_digest = digest
        if claim.id in changed:
            _rest(claim)
            rested += 1
    if digest != before:
        project.corpus_digest = digest
        leave_trail(
            session,
            "follow corpus",
            f"game {project.name}",
            before={"corpus_digest": before},
            after={"corpus_digest": digest, "resting": rested},
            by=by,
            project_id=project.id,
            now=now,
        )
    session.flush()
    return rested


def changed_claims(session: Session, project: ProjectRecord, checker: Checker) -> list[int]:
    """The claims in play whose evidence does not say the same any more in the corpus as it is now; nothing is written.

    Reading their pages takes a while: whoever has them rest does so afterwards, with `rest_changed`.
    """
    claims = session.scalars(_of_other_corpora(project, corpus_digest(checker)))
    return [claim.id for claim in _changed(claims, checker) if claim.state == GameClaimState.PLAYING]


def rest_changed(session: Session, ids: Sequence[int]) -> None:
    """Have claims rest until somebody has reviewed them, because what they rest on has changed."""
    for id in ids:
        claim = session.get_one(GameClaimRecord, id, with_for_update=True)
        if claim.state == GameClaimState.PLAYING:
            _rest(claim)
    session.flush()


def _of_other_corpora(project: ProjectRecord, digest: str) -> Select[GameClaimRecord]:
    return (
        select(GameClaimRecord)
        .where(
            GameClaimRecord.project_id == project.id,
            GameClaimRecord.corpus_digest.not_in(("", digest)),
            _WRITTEN,
        )
        .order_by(GameClaimRecord.page, GameClaimRecord.id)
    )


def _changed(claims: Iterable[GameClaimRecord], checker: Checker) -> Iterator[GameClaimRecord]:
    for title, of_page in groupby(claims, key=lambda claim: claim.page):
        page = _page_titled(title, checker)
        for claim in of_page:
            if page is None or not _says_the_same(claim, page):
                yield claim


def _rest(claim: GameClaimRecord) -> None:
    claim.state = GameClaimState.RESTING.value
    claim.reason = claim.reason if CHANGED in claim.reason else f"{claim.reason}; {CHANGED}".lstrip("; ")


def _page_titled(title: str, checker: Checker) -> Page | None:
    """The page with just this title; a redirect leads to another one."""
    try:
        page = checker.store.page(title)
    except NotFound:
        return None
    return page if page.title == title else None


def _says_the_same(claim: GameClaimRecord, page: Page) -> bool:
    """Whether the evidence of a claim is as it was, with the parts of tables that are drawn around it."""
    for written in map(EvidencePiece.parse, claim.gold["pieces"]):
        try:
            if piece_of(page, written.ids) != written:
                return False
        except InputError:
            return False
    return True
