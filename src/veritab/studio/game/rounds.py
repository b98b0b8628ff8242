"""A round of voting: pure functions from a round and a server time to the next round, or a refusal.

A round is known by its setup and the moves in it; `replay` gives it again. Deadlines are server times that do not move
but by hints. Nobody's clock counts but the server's, and where that goes backwards time stands still.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import floor
from typing import Any, NamedTuple, Self

from veritab.errors import Conflict
from veritab.studio.game.rules import Rules


class Side(StrEnum):
    """Which of the two claims."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> Side:
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


class RoundOutcome(StrEnum):
    """How a round ended."""

    OPEN = "open"
    SPOTTED = "spotted"
    """The voter found the false claim."""
    FOOLED = "fooled"
    """The voter took the true claim for the false one."""
    TIMED_OUT = "timed out"
    REPORTED = "reported"


class Move(StrEnum):
    """What happens in a round."""

    OPEN = "open"
    HINT = "hint"
    VOTE = "vote"
    LIKE = "like"
    REPORT = "report"
    EXPIRE = "expire"


class RoundMove(NamedTuple):
    """A move, when it came, and what it says: a side, or nothing."""

    move: Move
    at: float
    value: str = ""


class RoundSetup(NamedTuple):
    """What is settled before a round begins."""

    rules: Rules
    false_side: Side
    hints: tuple[int, int]
    """How many hints the left and the right claim have, their gold evidence included."""
    counts: bool = True
    """Whether it scores: neither practice does, nor a second vote on a claim."""

    def as_dict(self) -> dict[str, Any]:
        """The setup as JSON."""
        return {**self._asdict(), "rules": self.rules.as_dict(), "hints": list(self.hints)}

    @classmethod
    def parse(cls, table: Mapping[str, Any]) -> Self:
        """The setup of `as_dict`."""
        left, right = table["hints"]
        return cls(Rules.parse(table["rules"]), Side(table["false_side"]), (left, right), table["counts"])


class Points(NamedTuple):
    """Who gets what of a round."""

    voter: int = 0
    true_author: int = 0
    false_author: int = 0

    @property
    def total(self) -> int:
        return sum(self)


NO_POINTS = Points()
NOT_SURE = "not sure"
"""What a voter says who likes neither claim better."""


@dataclass(frozen=True)
class Round:
    """Two claims before somebody who looks for the false one."""

    setup: RoundSetup
    opened_at: float
    now: float
    """When the last move was made."""
    left_hints: int = 0
    right_hints: int = 0
    outcome: RoundOutcome = RoundOutcome.OPEN
    choice: Side | None = None
    """Which claim the voter called false."""
    liked: str = ""
    """A side, `NOT_SURE`, or nothing where nobody has said yet."""
    reported: Side | None = None
    points: Points = NO_POINTS

    @property
    def deadline(self) -> float:
        """When the clock stands at nothing."""
        rules = self.setup.rules
        return self.opened_at + rules.vote_seconds - rules.hint_seconds * (self.left_hints + self.right_hints)

    @property
    def is_open(self) -> bool:
        return self.outcome is RoundOutcome.OPEN

    def hints_of(self, side: Side) -> int:
        """How many hints were bought for a claim."""
        return self.left_hints if side is Side.LEFT else self.right_hints

    def seconds_left(self, at: float) -> float:
        """What the clock shows at a time; never less than nothing."""
        return max(self.deadline - max(at, self.now), 0.0)

    def is_due(self, at: float) -> bool:
        """Whether time has run out, though nobody has noted it yet."""
        return self.is_open and self.seconds_left(at) <= 0


def open_round(setup: RoundSetup, at: float) -> Round:
    """The clock begins."""
    return Round(setup, at, at)


def hint(round: Round, side: Side, at: float) -> Round:
    """Buy the next hint of a claim, for a part of the time left."""
    _require_time(round, at)
    bought = round.hints_of(side)
    if bought >= round.setup.hints[0 if side is Side.LEFT else 1]:
        raise Conflict("there are no more hints for this claim")
    cost = round.setup.rules.hint_seconds
    if cost and round.seconds_left(at) <= cost:
        raise Conflict(f"a hint takes {cost} seconds, and there are not as many left")
    moved = replace(round, now=max(at, round.now))
    return replace(moved, left_hints=bought + 1) if side is Side.LEFT else replace(moved, right_hints=bought + 1)


def vote(round: Round, side: Side, at: float) -> Round:
    """Call one of the claims false. The points that time has left go to the voter, the rest to the authors."""
    _require_time(round, at)
    spotted = side is round.setup.false_side
    points = share_points(round.setup.rules, round.seconds_left(at)) if spotted and round.setup.counts else NO_POINTS
    outcome = RoundOutcome.SPOTTED if spotted else RoundOutcome.FOOLED
    return replace(round, now=max(at, round.now), outcome=outcome, choice=side, points=points)


def share_points(rules: Rules, seconds_left: float) -> Points:
    """The points of a right guess: one a second for the voter, the rest shared, the odd one to the false claim's."""
    voter = min(rules.most_points, floor(seconds_left))
    true_author = (rules.most_points - voter) // 2
    return Points(voter, true_author, rules.most_points - voter - true_author)


def like(round: Round, choice: str, at: float) -> Round:
    """Say which claim was the more interesting one: a side, or `NOT_SURE`. Once, and after the vote."""
    if round.outcome not in (RoundOutcome.SPOTTED, RoundOutcome.FOOLED, RoundOutcome.TIMED_OUT):
        raise Conflict("which claim you like is asked when the round is over")
    if round.liked:
        raise Conflict("you have said already which claim you like")
    liked = NOT_SURE if choice == NOT_SURE else Side(choice).value
    return replace(round, now=max(at, round.now), liked=liked)


def report(round: Round, side: Side, at: float) -> Round:
    """Say that a claim should not be played; the round ends without points."""
    if round.reported:
        raise Conflict("you have reported a claim of this round already")
    if not round.is_open:  # what was revealed may be what is wrong; the result stands
        return replace(round, now=max(at, round.now), reported=side)
    _require_time(round, at)
    return replace(round, now=max(at, round.now), outcome=RoundOutcome.REPORTED, reported=side)


def expire(round: Round, at: float) -> Round:
    """Note that time has run out."""
    if not round.is_open:
        raise Conflict("this round is over")
    if not round.is_due(at):
        raise Conflict("there is time left in this round")
    return replace(round, now=max(at, round.now), outcome=RoundOutcome.TIMED_OUT)


def replay(setup: RoundSetup, moves: Iterable[RoundMove]) -> Round:
    """A round by its moves; a Conflict where they could not have been made."""
    round: Round | None = None
    for move, at, value in moves:
        if (round is None) != (move is Move.OPEN):
            raise Conflict("a round is opened once, before anything else")
        round = open_round(setup, at) if round is None else make_move(round, RoundMove(move, at, value))
    if round is None:
        raise Conflict("nobody opened this round")
    return round


def make_move(round: Round, made: RoundMove) -> Round:
    """The round after a move."""
    move, at, value = made
    if move is Move.HINT:
        return hint(round, Side(value), at)
    if move is Move.VOTE:
        return vote(round, Side(value), at)
    if move is Move.LIKE:
        return like(round, value, at)
    if move is Move.REPORT:
        return report(round, Side(value), at)
    if move is Move.EXPIRE:
        return expire(round, at)
    raise Conflict("this round is open already")


def _require_time(round: Round, at: float) -> None:
    if not round.is_open:
        raise Conflict("this round is over")
    if round.is_due(at):
        raise Conflict("time has run out")
