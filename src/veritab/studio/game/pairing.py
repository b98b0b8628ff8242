"""Which two claims somebody meets: one true, one false, from other pages and by other authors, near in difficulty.

Claims with the fewest votes come first, so that all get some. Both lists are read from an index, a few claims at a
time: a hundred thousand claims take no longer than a hundred.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, func, or_, select
from sqlalchemy.orm import Session

from veritab.audit.audit_rows import Votes
from veritab.audit.votes import expected_right
from veritab.errors import Conflict
from veritab.studio.game.records import GameClaimRecord, GameMeetingRecord
from veritab.studio.game.rounds import Side
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.records import ProjectRecord

_LOOKED_AT = 50
"""How many true and how many false claims a pair is chosen from."""


class ClaimPair(NamedTuple):
    """Two claims as they are shown, one of them false."""

    left: GameClaimRecord
    right: GameClaimRecord

    @property
    def false_side(self) -> Side:
        return Side.RIGHT if self.left.truth else Side.LEFT


def difficulty_of(votes: int, right_votes: int) -> float:
    """How often a claim is expected to be misjudged."""
    return 1 - expected_right(Votes(right_votes, votes))


def draw_pair(
    session: Session,
    project: ProjectRecord,
    account_id: int,
    topic: str,
    *,
    rng: Random,
    digest: str,
    beside: Sequence[int] = (),
    new_to_all: bool = False,
) -> ClaimPair:
    """Two claims of a topic, or of any, that somebody has not met; a Conflict where there are none.

    `beside` are others who will look at the pair too: it is by none of them, and with `new_to_all` they have not met it
    either.
    """
    wanted = _Wanted(project, account_id, topic, digest, beside, new_to_all)
    found = _choose(_few(session, wanted, truth=True), _few(session, wanted, truth=False), rng)
    found = found or _search(session, wanted)
    if found is None:
        raise Conflict(_told_too_few(session, wanted))
    pair = [session.get_one(GameClaimRecord, id) for id in found]
    rng.shuffle(pair)
    return ClaimPair(*pair)


def has_pair(session: Session, project: ProjectRecord, account_id: int, topic: str = "", *, digest: str) -> bool:
    """Whether there are two claims that somebody could meet."""
    wanted = _Wanted(project, account_id, topic, digest)
    true, false = (_few(session, wanted, truth=truth) for truth in (True, False))
    return _choose(true, false, Random(0)) is not None or _search(session, wanted) is not None


def count_unmet(session: Session, project: ProjectRecord, account_id: int, *, digest: str) -> dict[str, int]:
    """How many claims somebody could meet, by topic; topics that have none are not among them."""
    wanted = _Wanted(project, account_id, "", digest)
    counts = select(GameClaimRecord.topic, func.count()).where(wanted.condition).group_by(GameClaimRecord.topic)
    return dict(session.execute(counts).all())


class _Wanted(NamedTuple):
    """Who looks for claims, and for which."""

    project: ProjectRecord
    account_id: int
    topic: str
    digest: str
    beside: Sequence[int] = ()
    new_to_all: bool = False

    @property
    def condition(self) -> ColumnElement[bool]:
        claim, people = GameClaimRecord, [self.account_id, *self.beside]
        met = select(GameMeetingRecord.id).where(
            GameMeetingRecord.account_id.in_(people if self.new_to_all else people[:1]),
            GameMeetingRecord.claim_id == claim.id,
        )
        wanted = (
            (claim.project_id == self.project.id)
            & (claim.state == GameClaimState.PLAYING.value)
            & claim.corpus_digest.in_(("", self.digest))
            & or_(claim.author_id.is_(None), claim.author_id.not_in(people))
            & ~met.exists()
        )
        return wanted & (claim.topic == self.topic) if self.topic else wanted


class _Candidate(NamedTuple):
    id: int
    page: str
    author_id: int | None
    votes: int
    right_votes: int

    @property
    def difficulty(self) -> float:
        return difficulty_of(self.votes, self.right_votes)

    def fits(self, other: _Candidate) -> bool:
        return self.page != other.page and _are_others(self.author_id, other.author_id)


def _are_others(author: int | None, other: int | None) -> bool:
    return author is None or author != other


def _candidates(wanted: _Wanted, *, truth: bool) -> Select[int, str, int | None, int, int]:
    claim = GameClaimRecord
    return (
        select(claim.id, claim.page, claim.author_id, claim.votes, claim.right_votes)
        .where(wanted.condition, claim.truth.is_(truth))
        .order_by(claim.votes, claim.id)
    )


def _few(session: Session, wanted: _Wanted, *, truth: bool) -> list[_Candidate]:
    return [_Candidate(*row) for row in session.execute(_candidates(wanted, truth=truth).limit(_LOOKED_AT))]


def _choose(true: Sequence[_Candidate], false: Sequence[_Candidate], rng: Random) -> tuple[int, int] | None:
    """The claim with the fewest votes that has a partner, and the partner that is nearest in difficulty."""
    firsts = [(one, rng.random(), false) for one in true] + [(one, rng.random(), true) for one in false]
    for one, _, others in sorted(firsts, key=lambda each: (each[0].votes, each[1])):
        partners = [other for other in others if one.fits(other)]
        if partners:
            near = min(partners, key=lambda each: (abs(each.difficulty - one.difficulty), each.votes, rng.random()))
            return one.id, near.id
    return None


def _search(session: Session, wanted: _Wanted) -> tuple[int, int] | None:
    """A pair anywhere, where none is among the first: nearly all are by one author, or on one page.

    Two pages of an author are enough to look at: one of them is another page than any third.
    """
    sides = []
    for truth in (True, False):
        claim = GameClaimRecord
        pages = select(claim.author_id, func.min(claim.page), func.max(claim.page))
        rows = session.execute(pages.where(wanted.condition, claim.truth.is_(truth)).group_by(claim.author_id))
        sides.append([(author, page) for author, first, last in rows for page in dict.fromkeys((first, last))])
    for (author, page), (other, other_page) in product(*sides):
        if page != other_page and _are_others(author, other):
            true = _first_of(session, wanted, author, page, truth=True)
            return true, _first_of(session, wanted, other, other_page, truth=False)
    return None


def _first_of(session: Session, wanted: _Wanted, author: int | None, page: str, *, truth: bool) -> int:
    by = GameClaimRecord.author_id.is_(None) if author is None else GameClaimRecord.author_id == author
    rows = session.execute(_candidates(wanted, truth=truth).where(by, GameClaimRecord.page == page).limit(1))
    return _Candidate(*rows.one()).id


def _told_too_few(session: Session, wanted: _Wanted) -> str:
    count = session.scalar(select(func.count()).select_from(GameClaimRecord).where(wanted.condition)) or 0
    claims = {0: "are no claims", 1: "is 1 claim"}.get(count, f"are {count:,} claims")
    place = f"‘{wanted.topic}’" if wanted.topic else "this game"
    remedy = "take another topic, or write a claim yourself" if wanted.topic else "come back later, or write a claim"
    return (
        f"there {claims} you have not met in {place}, and a round needs a true and a false one, of two pages and two "
        f"authors; {remedy}"
    )
