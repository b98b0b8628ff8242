"""Review: which claims of a game somebody should look at, why, and what becomes of them.

A claim that was reviewed comes back only when it is reported anew or what it rests on changes. A corrected claim is a
new one, because votes on the old text say nothing of it; each knows the other. Every decision leaves a trail.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Float, case, cast, func, select, union_all
from sqlalchemy.orm import Session

from veritab.audit.audit_rows import Votes
from veritab.audit.votes import MISLEADING
from veritab.errors import Conflict, InputError, NotFound
from veritab.pipeline import Checker
from veritab.studio.advice import advise
from veritab.studio.database import Database, find_numbered
from veritab.studio.game.claim_checks import FORCED
from veritab.studio.game.feedback import checker_answer
from veritab.studio.game.learned.hints import LEAST_VOTERS
from veritab.studio.game.learned.prior import PAPER, PAPER_PRIOR, PriorChoice, VotePrior, choose_prior
from veritab.studio.game.learned.reading import counted_rounds, names_in, read_claims, read_rounds
from veritab.studio.game.pieces import EvidencePiece
from veritab.studio.game.records import (
    GameClaimRecord,
    GameMeetingRecord,
    GameReportRecord,
    GameRoundRecord,
)
from veritab.studio.game.rounds import RoundOutcome
from veritab.studio.game.vocabulary import GameClaimState, Strategy
from veritab.studio.game.watching import ClaimMark, Suspicion, find_marks, find_suspicions
from veritab.studio.projects import leave_trail, require_manager
from veritab.studio.records import AccountRecord, MembershipRecord, ProjectRecord, TrailRecord
from veritab.studio.vocabulary import Listed
from veritab.text import nfc, printable, squeeze

LONGEST_REASON = 2000
DISMISS = "dismiss suspicion"
_AT_ONCE = 500
_STANDING = (GameClaimState.PLAYING.value, GameClaimState.RESTING.value)


class ReviewReason(Listed):
    """Why a claim should be looked at; those at the top come first."""

    REPORTED = "reported", "Reported", "A voter says that it should not be played."
    RESTING = "resting", "Resting", "It is not played until somebody has looked: what it rests on has changed."
    MISJUDGED = "misjudged", "Misjudged", "It is expected to be judged wrongly more often than not: is its truth right?"
    MARKED = "marked", "Names or words", "It may hold a private name, an address or an offensive word."
    EASY = "easy", "Easy", "At least three voters, and all there were, solved it without a hint."


class QueuedClaim(NamedTuple):
    """A claim that waits for a decision, and why."""

    claim: GameClaimRecord
    reasons: tuple[ReviewReason, ...]


class ReviewQueue(NamedTuple):
    """A page of the claims that wait, how many wait for each reason, and the prior that they are judged by."""

    claims: tuple[QueuedClaim, ...]
    counts: dict[ReviewReason, int]
    total: int
    has_more: bool
    prior: VotePrior


# -- the queue ---------------------------------------------------------------------------------------------


def review_queue(
    session: Session,
    project: ProjectRecord,
    *,
    reason: ReviewReason | None = None,
    prior: PriorChoice = PAPER,
    page: int = 1,
    most: int = 25,
) -> ReviewQueue:
    """The claims that somebody should look at, for one reason or for any."""
    chosen = vote_prior(session, project, prior)
    found: defaultdict[int, set[ReviewReason]] = defaultdict(set)
    for each, ids in (
        (ReviewReason.REPORTED, _reported(session, project)),
        (ReviewReason.RESTING, _resting(session, project)),
        (ReviewReason.MISJUDGED, _misjudged(session, project, chosen)),
        (ReviewReason.MARKED, marked_claims(session, project)),
        (ReviewReason.EASY, _easy(session, project)),
    ):
        for id in ids:
            found[id].add(each)
    order = list(ReviewReason)
    waiting = sorted(
        (id for id, reasons in found.items() if reason is None or reason in reasons),
        key=lambda id: (min(map(order.index, found[id])), id),
    )
    shown = waiting[(page - 1) * most : page * most]
    records = {
        record.id: record for record in session.scalars(select(GameClaimRecord).where(GameClaimRecord.id.in_(shown)))
    }
    counts = Counter(each for reasons in found.values() for each in reasons)
    return ReviewQueue(
        tuple(QueuedClaim(records[id], tuple(each for each in order if each in found[id])) for id in shown),
        {each: counts[each] for each in order},
        len(waiting),
        len(waiting) > page * most,
        chosen,
    )


def vote_prior(session: Session, project: ProjectRecord, choice: PriorChoice) -> VotePrior:
    """The prior that claims of a game are judged by."""
    if choice.prior is not None:
        return choice.prior
    tallies = session.execute(
        select(GameClaimRecord.right_votes, GameClaimRecord.votes).where(
            GameClaimRecord.project_id == project.id, GameClaimRecord.state.in_(_STANDING), GameClaimRecord.votes > 0
        )
    )
    return choose_prior(choice, (Votes(right, votes) for right, votes in tallies))


def expected_of(claim: GameClaimRecord, prior: VotePrior = PAPER_PRIOR) -> float:
    """How often a claim is expected to be judged rightly."""
    return prior.expected(Votes(claim.right_votes, claim.votes))


def _reported(session: Session, project: ProjectRecord) -> Iterable[int]:
    return session.scalars(
        select(GameReportRecord.claim_id)
        .join(GameClaimRecord, GameClaimRecord.id == GameReportRecord.claim_id)
        .where(
            GameReportRecord.project_id == project.id,
            GameReportRecord.ended_at.is_(None),
            GameClaimRecord.state.in_(_STANDING),
        )
    )


def _resting(session: Session, project: ProjectRecord) -> Iterable[int]:
    """Claims that rest though nobody has reported them."""
    reported = select(GameReportRecord.claim_id).where(GameReportRecord.ended_at.is_(None))
    return session.scalars(
        select(GameClaimRecord.id).where(
            GameClaimRecord.project_id == project.id,
            GameClaimRecord.state == GameClaimState.RESTING.value,
            GameClaimRecord.id.not_in(reported),
        )
    )


def _misjudged(session: Session, project: ProjectRecord, prior: VotePrior) -> Iterable[int]:
    claim = GameClaimRecord
    expected = (claim.right_votes + prior.right) / cast(claim.votes + prior.right + prior.wrong, Float)
    return session.scalars(
        select(claim.id).where(
            claim.project_id == project.id,
            claim.state.in_(_STANDING),
            claim.reviewed_at.is_(None),
            claim.votes > 0,
            expected < MISLEADING,
        )
    )


def _easy(session: Session, project: ProjectRecord) -> Iterable[int]:
    """Claims that all of at least three voters solved without any hint, for either claim of the round."""
    record = GameRoundRecord
    is_solved = (record.outcome == RoundOutcome.SPOTTED.value) & (record.left_hints + record.right_hints == 0)
    solved = case((is_solved, 1), else_=0).label("solved")
    voted = (
        *counted_rounds(project),
        record.account_id.is_not(None),
        record.outcome != RoundOutcome.TIMED_OUT.value,
    )
    met = union_all(
        *(select(side.label("claim"), solved).where(*voted) for side in (record.left_id, record.right_id))
    ).subquery()
    return session.scalars(
        select(met.c.claim)
        .join(GameClaimRecord, GameClaimRecord.id == met.c.claim)
        .where(
            GameClaimRecord.state.in_(_STANDING),
            GameClaimRecord.reviewed_at.is_(None),
            GameClaimRecord.right_votes == GameClaimRecord.votes,
        )
        .group_by(met.c.claim)
        .having(func.count() >= LEAST_VOTERS, func.sum(met.c.solved) == func.count())
    )


def marked_claims(session: Session, project: ProjectRecord) -> dict[int, tuple[ClaimMark, ...]]:
    """Claims that nobody has looked at yet and that may hold something private or hurting, to be seen before export."""
    players = frozenset(_player_names(session, project))
    texts = session.execute(
        select(GameClaimRecord.id, GameClaimRecord.text)
        .where(
            GameClaimRecord.project_id == project.id,
            GameClaimRecord.state.in_(_STANDING),
            GameClaimRecord.reviewed_at.is_(None),
        )
        .order_by(GameClaimRecord.id),
        execution_options={"yield_per": _AT_ONCE},
    )
    # What the page says can only take marks away: it is read for the few claims that have any.
    doubtful = [id for id, text in texts if find_marks(text, players=players)]
    found = {}
    for ids in _batches(doubtful, _AT_ONCE):
        rows = select(GameClaimRecord).where(GameClaimRecord.id.in_(ids)).order_by(GameClaimRecord.id)
        for claim in session.scalars(rows):
            if marks := _marks_of(claim, players):
                found[claim.id] = marks
    return found


def marks_of(session: Session, project: ProjectRecord, claim: GameClaimRecord) -> tuple[ClaimMark, ...]:
    """What of one claim should be looked at."""
    return _marks_of(claim, frozenset(_player_names(session, project)))


def _marks_of(claim: GameClaimRecord, players: frozenset[str]) -> tuple[ClaimMark, ...]:
    pieces = (*claim.gold["pieces"], *claim.hints["pieces"])
    return find_marks(claim.text, [claim.page, *(piece["text"] for piece in pieces)], players)


def _player_names(session: Session, project: ProjectRecord) -> Iterable[str]:
    return session.scalars(
        select(AccountRecord.name)
        .join(MembershipRecord, MembershipRecord.account_id == AccountRecord.id)
        .where(MembershipRecord.project_id == project.id)
    )


# -- a claim -----------------------------------------------------------------------------------------------


class ReviewedClaim(NamedTuple):
    """A claim as a reviewer sees it: everything that is known of it."""

    claim: GameClaimRecord
    author: str
    """Empty where it was imported."""
    gold: tuple[EvidencePiece, ...]
    expected: float
    """How often it is expected to be judged rightly."""
    is_easy: bool
    marks: tuple[ClaimMark, ...]
    rounds: tuple[ReviewedRound, ...]
    reports: tuple[tuple[GameReportRecord, str], ...]
    """With who made them, the latest first."""
    trail: tuple[tuple[TrailRecord, str], ...]
    strategies: tuple[Strategy, ...]
    corrects: int | None
    corrected_by: int | None


class ReviewedRound(NamedTuple):
    """A round that a claim was in."""

    id: int
    voter: str
    """Empty where the checker played."""
    outcome: RoundOutcome
    hints: int
    """Of this claim."""
    other_hints: int
    seconds: float
    counts: bool


def find_claim(session: Session, project: ProjectRecord, id: int) -> GameClaimRecord:
    """A claim of a game that can be reviewed; those of the tutorial cannot."""
    found = find_numbered(session, GameClaimRecord, id)
    if found is None or found.project_id != project.id or found.state == GameClaimState.PRACTICE:
        raise NotFound(f"there is no claim {id} in game {project.name!r}")
    return found


def look_at(
    session: Session,
    project: ProjectRecord,
    claim: GameClaimRecord,
    *,
    prior: VotePrior = PAPER_PRIOR,
    most_rounds: int = 100,
) -> ReviewedClaim:
    """Everything that is known of a claim; of its rounds the latest."""
    record = GameRoundRecord
    rows = session.execute(
        select(record, AccountRecord.name)
        .outerjoin(AccountRecord, AccountRecord.id == record.account_id)
        .where((record.left_id == claim.id) | (record.right_id == claim.id), record.outcome != RoundOutcome.OPEN.value)
        .order_by(record.id.desc())
        .limit(most_rounds)
    )
    reports = session.execute(
        select(GameReportRecord, AccountRecord.name)
        .join(AccountRecord, AccountRecord.id == GameReportRecord.account_id)
        .where(GameReportRecord.claim_id == claim.id)
        .order_by(GameReportRecord.id.desc())
    )
    trail = session.execute(
        select(TrailRecord, AccountRecord.name)
        .outerjoin(AccountRecord, AccountRecord.id == TrailRecord.account_id)
        .where(TrailRecord.project_id == project.id, TrailRecord.subject == _subject(claim))
        .order_by(TrailRecord.id.desc())
    )
    author = session.get(AccountRecord, claim.author_id) if claim.author_id else None
    return ReviewedClaim(
        claim,
        author.name if author else "",
        tuple(map(EvidencePiece.parse, claim.gold["pieces"])),
        expected_of(claim, prior),
        claim.id in set(_easy(session, project)),
        marks_of(session, project, claim),
        tuple(_view_round(each, name or "", claim) for each, name in rows),
        tuple((report, name) for report, name in reports),
        tuple((each, name or "") for each, name in trail),
        tuple(map(Strategy, claim.tags.get("strategies", ()))),
        claim.tags.get("corrects"),
        claim.tags.get("corrected_by"),
    )


def _view_round(record: GameRoundRecord, voter: str, claim: GameClaimRecord) -> ReviewedRound:
    hints = (record.left_hints, record.right_hints)
    own, other = hints if record.left_id == claim.id else hints[::-1]
    seconds = max((record.ended_at or record.opened_at) - record.opened_at, 0.0)
    return ReviewedRound(
        record.id, voter, RoundOutcome(record.outcome), own, other, seconds, bool(record.setup["counts"])
    )


# -- decisions ---------------------------------------------------------------------------------------------


def keep_claim(
    session: Session, project: ProjectRecord, claim: GameClaimRecord, *, note: str = "", by: int | None, now: float
) -> None:
    """The claim is good: it is played again, over the corpus as it is now, and its reports are dealt with."""
    before = _begin(session, project, claim, by)
    _refuse_withdrawn(claim)
    said = _check_text("the note", note)
    claim.state, claim.reason, claim.reviewed_at = GameClaimState.PLAYING.value, "", now
    if claim.corpus_digest:
        claim.corpus_digest = project.corpus_digest
    ended = _end_reports(session, claim, "kept", by, now)
    _leave(session, "keep claim", claim, before, {"note": said, "reports": ended}, by, now)


def withdraw_claim(
    session: Session, project: ProjectRecord, claim: GameClaimRecord, *, reason: str, by: int | None, now: float
) -> None:
    """The claim is not played any more, and not exported; it can be brought back."""
    before = _begin(session, project, claim, by)
    _refuse_withdrawn(claim)
    said = _check_text("the reason", reason)
    if not said:
        raise InputError("say why the claim is withdrawn; its author reads it")
    claim.state, claim.reason, claim.reviewed_at = GameClaimState.WITHDRAWN.value, said, now
    ended = _end_reports(session, claim, "withdrawn", by, now)
    _leave(session, "withdraw claim", claim, before, {"reports": ended}, by, now)


def restore_claim(
    session: Session, project: ProjectRecord, claim: GameClaimRecord, *, note: str = "", by: int | None, now: float
) -> None:
    """Bring a claim back that was withdrawn; one that was corrected, only when its correction is withdrawn."""
    before = _begin(session, project, claim, by)
    if claim.state != GameClaimState.WITHDRAWN:
        raise Conflict("the claim is not withdrawn; there is nothing to bring back")
    newer = claim.tags.get("corrected_by")
    if newer and session.get_one(GameClaimRecord, newer).state != GameClaimState.WITHDRAWN:
        raise Conflict(f"claim {newer} stands in its place; withdraw that one first")
    said = _check_text("the note", note)
    claim.state, claim.reason, claim.reviewed_at = GameClaimState.PLAYING.value, "", now
    if claim.corpus_digest:
        claim.corpus_digest = project.corpus_digest
    ended = _end_reports(session, claim, "kept", by, now)  # somebody may have been in a round with it
    _leave(session, "bring claim back", claim, before, {"note": said, "reports": ended}, by, now)


def correct_claim(
    session: Session,
    project: ProjectRecord,
    claim: GameClaimRecord,
    *,
    text: str,
    truth: bool,
    note: str = "",
    by: int | None,
    now: float,
) -> GameClaimRecord:
    """Publish the claim anew with another text or truth, and without votes; the old one is withdrawn.

    Whoever has met the old one does not meet the new one: they were told what is true.
    """
    before = _begin(session, project, claim, by)
    _refuse_withdrawn(claim)
    said = _check_text("the note", note)
    new = squeeze(printable(nfc(text)))
    if faults := [advice.message for advice in advise(new) if advice.code in FORCED]:
        raise InputError(" ".join(faults))
    if new == claim.text and truth == claim.truth:
        raise InputError("neither the text nor the truth is changed; change one, or keep the claim")
    made = GameClaimRecord(
        project_id=project.id,
        author_id=claim.author_id,
        text=new,
        truth=truth,
        page=claim.page,
        topic=claim.topic,
        gold=claim.gold,
        hints=claim.hints,
        state=GameClaimState.PLAYING.value,
        reason="",
        tags={**claim.tags, "corrects": claim.id},
        checker={},
        corpus_digest=project.corpus_digest if claim.corpus_digest else "",
        source_id="",
        source={},
        votes=0,
        right_votes=0,
        likes=0,
        made_at=now,
        reviewed_at=now,
    )
    session.add(made)
    session.flush()
    met = session.execute(
        select(GameMeetingRecord.account_id, GameMeetingRecord.round_id).where(GameMeetingRecord.claim_id == claim.id)
    )
    session.add_all(
        GameMeetingRecord(account_id=account, claim_id=made.id, round_id=round) for account, round in met.all()
    )
    claim.tags = {**claim.tags, "corrected_by": made.id}
    claim.state, claim.reviewed_at = GameClaimState.WITHDRAWN.value, now
    claim.reason = f"corrected as claim {made.id}"
    ended = _end_reports(session, claim, "corrected", by, now)
    after = {"text": made.text, "truth": made.truth, "claim": made.id, "note": said, "reports": ended}
    _leave(session, "correct claim", claim, before, after, by, now)
    _leave(session, "publish corrected claim", made, {}, {"corrects": claim.id}, by, now)
    return made


def tag_claim(
    session: Session,
    project: ProjectRecord,
    claim: GameClaimRecord,
    strategies: Iterable[Strategy],
    *,
    by: int | None,
    now: float,
) -> None:
    """Say how a claim fools people; what was said before is replaced."""
    _begin(session, project, claim, by)
    chosen = set(strategies)
    new = [each.value for each in Strategy if each in chosen]
    old = claim.tags.get("strategies", [])
    if new != old:
        claim.tags = {**claim.tags, "strategies": new}
        _leave(session, "tag claim", claim, {"strategies": old}, {"strategies": new}, by, now)


def _begin(session: Session, project: ProjectRecord, claim: GameClaimRecord, by: int | None) -> dict[str, str]:
    """Let only managers decide, one after another; where the claim stands."""
    require_manager(session, project, by)
    session.flush()
    session.refresh(claim, with_for_update=True)
    return {"state": claim.state, "reason": claim.reason, "text": claim.text}


def _refuse_withdrawn(claim: GameClaimRecord) -> None:
    if claim.state == GameClaimState.WITHDRAWN:
        raise Conflict("the claim is withdrawn already; bring it back first")


def _check_text(what: str, text: str) -> str:
    said = printable(nfc(text)).strip()
    if len(said) > LONGEST_REASON:
        raise InputError(f"{what} has {len(said):,} characters; at most {LONGEST_REASON:,}")
    return said


def _end_reports(session: Session, claim: GameClaimRecord, outcome: str, by: int | None, now: float) -> list[int]:
    reports = session.scalars(
        select(GameReportRecord)
        .where(GameReportRecord.claim_id == claim.id, GameReportRecord.ended_at.is_(None))
        .order_by(GameReportRecord.id)
    ).all()
    for each in reports:
        each.ended_at, each.ended_by, each.outcome = now, by, outcome
    return [each.id for each in reports]


def _subject(claim: GameClaimRecord) -> str:
    return f"game claim {claim.id}"


def _leave(
    session: Session,
    what: str,
    claim: GameClaimRecord,
    before: Mapping[str, object],
    after: Mapping[str, object],
    by: int | None,
    now: float,
) -> None:
    now_is = {"state": claim.state, "reason": claim.reason}
    leave_trail(
        session,
        what,
        _subject(claim),
        before=before,
        after={**now_is, **after},
        by=by,
        project_id=claim.project_id,
        now=now,
    )


# -- suspicious rounds -------------------------------------------------------------------------------------


class SuspectedPlay(NamedTuple):
    """A suspicion with the names of those it is about."""

    suspicion: Suspicion
    names: tuple[str, ...]


def suspicions_in(session: Session, project: ProjectRecord) -> list[SuspectedPlay]:
    """Play that should be looked at; what was dismissed comes back when there is more of it."""
    claims, rounds = list(read_claims(session, project)), list(read_rounds(session, project))
    names = names_in(session, claims, rounds)
    dismissed: dict[str, int] = {}
    for subject, after in session.execute(
        select(TrailRecord.subject, TrailRecord.after)
        .where(TrailRecord.project_id == project.id, TrailRecord.what == DISMISS)
        .order_by(TrailRecord.id)
    ):
        dismissed[subject] = after["seen"]
    return [
        SuspectedPlay(each, tuple(names.get(id, "") for id in each.people))
        for each in find_suspicions(claims, rounds, names)
        if each.seen > dismissed.get(_suspected(each.key), 0)
    ]


def dismiss_suspicion(
    session: Session, project: ProjectRecord, key: str, *, note: str, by: int | None, now: float
) -> None:
    """Note that somebody has looked at a suspicion, and what they found."""
    require_manager(session, project, by)
    said = _check_text("the note", note)
    if not said:
        raise InputError("say what you found; it stands in the trail")
    for each, _ in suspicions_in(session, project):
        if each.key == key:
            after = {"seen": each.seen, "of": each.of, "sentence": each.sentence, "note": said}
            leave_trail(session, DISMISS, _suspected(key), after=after, by=by, project_id=project.id, now=now)
            return
    raise NotFound("this suspicion is not there any more")


def claims_of_rounds(session: Session, ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """The two claims of some rounds."""
    record = GameRoundRecord
    rows = session.execute(select(record.id, record.left_id, record.right_id).where(record.id.in_(set(ids))))
    return {id: (left, right) for id, left, right in rows}


def _suspected(key: str) -> str:
    return f"suspicion {key}"


# -- the checker's answers ---------------------------------------------------------------------------------


def fill_checker(
    database: Database, project: ProjectRecord, checker: Checker, tick: Callable[[int, int], None] = lambda *_: None
) -> int:
    """Ask the checker about every claim that it was not asked about; how many there were.

    What it says is kept a few claims at a time, so that nobody waits for it, and an interrupted run goes on.
    """
    with database.reading() as session:
        asked = select(GameClaimRecord.id, GameClaimRecord.checker["label"].as_string()).where(
            GameClaimRecord.project_id == project.id, GameClaimRecord.state.in_(_STANDING)
        )
        waiting = [id for id, label in session.execute(asked.order_by(GameClaimRecord.id)) if not label]
    done = 0
    for ids in _batches(waiting):
        with database.reading() as session:
            claims = session.scalars(select(GameClaimRecord).where(GameClaimRecord.id.in_(ids))).all()
        answers = {
            claim.id: checker_answer(claim.text, [EvidencePiece.parse(each) for each in claim.gold["pieces"]], checker)
            for claim in claims
        }
        with database.writing() as session:
            for claim in session.scalars(
                select(GameClaimRecord)
                .where(GameClaimRecord.id.in_(ids))
                .order_by(GameClaimRecord.id)
                .with_for_update()
            ):
                claim.checker = claim.checker or dict(answers[claim.id])
        done += len(ids)
        tick(done, len(waiting))
    return done


def _batches(ids: Sequence[int], size: int = 20) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
