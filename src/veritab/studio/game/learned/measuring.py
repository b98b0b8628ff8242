"""All that a game teaches, measured at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from veritab.studio.game.learned.fooled import FooledFigures, measure_fooled
from veritab.studio.game.learned.hints import HintFigures, measure_hints
from veritab.studio.game.learned.likes import LikeFigures, measure_likes
from veritab.studio.game.learned.opponents import OpponentFigures, measure_opponents
from veritab.studio.game.learned.prior import PAPER, PosteriorFigures, PriorChoice, choose_prior, measure_posterior
from veritab.studio.game.learned.rasch import RaschFigures, fit_rasch
from veritab.studio.game.learned.rows import GameClaimRow, GameRoundRow


class GameFigures(NamedTuple):
    """The figures of a game; claims that were withdrawn, and rounds with them, are left out."""

    claims: int
    unvoted: int
    votes: int
    rounds: int
    timed_out: int
    fooled: FooledFigures
    posterior: PosteriorFigures
    hints: HintFigures
    likes: LikeFigures
    opponents: OpponentFigures
    rasch: RaschFigures
    names: Mapping[int, str]
    """What players are called."""
    texts: Mapping[int, str]
    """The claims that `rasch` and `hints` speak of."""


def measure_game(
    claims: Sequence[GameClaimRow],
    rounds: Sequence[GameRoundRow],
    names: Mapping[int, str],
    prior: PriorChoice = PAPER,
) -> GameFigures:
    """Everything about a game."""
    by_id = {claim.id: claim for claim in claims}
    people = [each for each in rounds if each.voter is not None]
    chosen = choose_prior(prior, (claim.judged for claim in claims))
    rasch = fit_rasch(people)
    return GameFigures(
        len(claims),
        sum(not claim.votes for claim in claims),
        sum(claim.votes for claim in claims),
        sum(each.is_over for each in people),
        sum(not each.is_over for each in people),
        measure_fooled(claims, people, names),
        measure_posterior(claims, chosen),
        measure_hints(by_id, people),
        measure_likes(claims),
        measure_opponents(claims, rounds),
        rasch,
        names,
        {id: by_id[id].text for id in rasch.difficulties},
    )
