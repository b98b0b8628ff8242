"""The closed lists of the game: values are stored, labels are shown to people."""

from __future__ import annotations

from enum import StrEnum

from veritab.studio.vocabulary import Listed


class GameClaimState(StrEnum):
    """Whether a claim is played."""

    PLAYING = "playing"
    RESTING = "resting"
    """Until somebody has reviewed it: it was reported, or what it rests on has changed."""
    WITHDRAWN = "withdrawn"
    PRACTICE = "practice"
    """One of the two of the tutorial."""


class WritingState(StrEnum):
    """Where somebody stands who writes a claim."""

    OPEN = "open"
    PUBLISHED = "published"
    GIVEN_UP = "given up"
    TIMED_OUT = "timed out"


class RoomState(StrEnum):
    """Where a room stands."""

    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"


class PointKind(Listed):
    """What points are for."""

    VOTING = "voting", "Voting", "The false claim was spotted, a point for each second left."
    FOOLING = "fooling", "Fooling", "A voter needed time or hints for your claim."
    LIKES = "likes", "Likes", "A voter found your claim the more interesting one."
    WRITING = "writing", "Writing", "You wrote a claim."


class ClaimFault(Listed):
    """Why a voter reports a claim."""

    OBSCENE = "obscene", "Obscene or hurtful", "It insults, threatens, or is not fit to be shown."
    INCORRECT = "incorrect", "Incorrect", "Its truth is not what the game says, or its evidence does not settle it."
    SPAM = "spam", "Spam", "It is no claim about the page."
    OTHER = "other", "Something else", "Say what in the note."


class Strategy(Listed):
    """How a claim fools people: what Fool Me Twice's authors found in section 6."""

    TEMPORAL = "temporal", "Temporal", "Which came first, how long, or during what time has to be worked out."
    REASONING = "reasoning", "Reasoning", "Several facts have to be put together."
    PARAPHRASE = "paraphrase", "Paraphrase", "The evidence says it in quite other words."
    DIVERSION = "diversion", "Diversion", "Other passages look more relevant than the one that settles it."
    CONTROVERSY = "controversy", "Controversy", "It takes a side where readers are divided."
