"""The figures of a game for programs and for people: JSON, and rows beside what Fool Me Twice prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from veritab.evaluate.metrics import Metric
from veritab.studio.figures.report import FigureRow, values_to_json
from veritab.studio.game.learned.fooled import FooledFigures
from veritab.studio.game.learned.hints import HintFigures, HintNeed
from veritab.studio.game.learned.likes import LikeFigures
from veritab.studio.game.learned.measuring import GameFigures
from veritab.studio.game.learned.opponents import OpponentFigures
from veritab.studio.game.learned.prior import PosteriorFigures
from veritab.studio.game.learned.rasch import Estimate, RaschFigures

HINT_CAVEAT = (
    "Who asks for a hint is unsure, and asks about hard claims: these rows compare other voters before other claims, "
    "and do not say what a hint would have changed for the same voter."
)
MOST_LISTED = 10
_NONE = "–"
_LIKED = {
    "": "0.39 and 0.35, t = 2.53, p = 0.01",
    "Science and Technology": "0.32 and 0.46, t = -2.50, p = 0.02",
}


def game_to_json(figures: GameFigures) -> dict[str, Any]:
    """All figures for other programs; players by their pseudonyms, claims by their numbers."""
    table: dict[str, Any] = values_to_json(figures._asdict())
    skills = {figures.names.get(id, str(id)): each for id, each in figures.rasch.skills.items()}
    table["rasch"]["skills"] = values_to_json(skills)
    del table["names"], table["texts"]
    return table


def game_rows(figures: GameFigures) -> list[FigureRow]:
    """All figures in the order in which a report has them."""
    return [
        *_overall(figures),
        *_fooled(figures.fooled),
        *_posterior(figures.posterior),
        *_hints(figures.hints),
        *_likes(figures.likes),
        *_opponents(figures.opponents),
        *_rasch(figures.rasch),
    ]


def hardest_claims(figures: GameFigures) -> list[tuple[int, str, Estimate]]:
    """The claims that are hardest to judge, the hardest first."""
    found = sorted(figures.rasch.difficulties.items(), key=lambda each: (-each[1].value, each[0]))
    return [(id, figures.texts[id], estimate) for id, estimate in found[:MOST_LISTED]]


def best_players(figures: GameFigures) -> list[tuple[str, Estimate]]:
    """The players who judge best, the best first."""
    found = sorted(figures.rasch.skills.items(), key=lambda each: (-each[1].value, each[0]))
    return [(figures.names.get(id, str(id)), estimate) for id, estimate in found[:MOST_LISTED]]


def _percent(metric: Metric) -> str:
    """A share with its interval."""
    return f"{100 * metric.value:.1f} % [{100 * metric.low:.1f}, {100 * metric.high:.1f}]" if metric.n else _NONE


def _share(group: str, name: str, metric: Metric, published: str = "", things: str = "vote") -> FigureRow:
    return FigureRow(group, name, _percent(metric), metric.n, published, "" if metric.n else f"no {things}")


def _overall(figures: GameFigures) -> Iterator[FigureRow]:
    group = "The game"
    yield FigureRow(group, "claims", f"{figures.claims:,}", figures.claims, "12,968")
    yield FigureRow(group, "claims without a vote", f"{figures.unvoted:,}", figures.claims)
    yield FigureRow(group, "votes on claims, imported ones too", f"{figures.votes:,}", figures.votes)
    yield FigureRow(group, "rounds voted in here", f"{figures.rounds:,}", figures.rounds + figures.timed_out)
    yield FigureRow(group, "rounds timed out", f"{figures.timed_out:,}", figures.rounds + figures.timed_out)


def _fooled(figures: FooledFigures) -> Iterator[FigureRow]:
    group = "Fooled"
    yield _share(group, "votes that were wrong", figures.overall, "20.4 %")
    for what, groups in (("label", figures.by_label), ("topic", figures.by_topic), ("author", figures.by_author)):
        for name, metric in groups.items():
            yield _share(group, f"{what}: {name or 'none'}", metric)


def _posterior(figures: PosteriorFigures) -> Iterator[FigureRow]:
    group = "Judged rightly"
    prior = figures.prior
    reason = f"not fitted: {prior.reason}" if prior.reason else ""
    value = f"{prior.right:.2f} and {prior.wrong:.2f}"
    yield FigureRow(group, "prior, right and wrong votes", value, figures.claims, "4 and 1", reason)
    yield FigureRow(group, "claims expected below one half", f"{figures.misjudged:,}", figures.claims, "25")


def _hints(figures: HintFigures) -> Iterator[FigureRow]:
    group = "Hints"
    easy = "claims that all of three voters or more solved without a hint"
    yield FigureRow(group, easy, f"{len(figures.easy):,}", figures.claims, "0")
    yield _need(group, "in solved rounds, of both claims", figures.per_round)
    for what, groups in (("label", figures.by_label), ("topic", figures.by_topic)):
        for name, need in groups.items():
            yield _need(group, f"of a claim in solved rounds, {what}: {name or 'none'}", need)
    group = "What came after hints"
    for step in figures.steps:
        after = f"after {step.number} hint{'' if step.number == 1 else 's'}" if step.number else "without a hint"
        yield _share(group, f"{after}: votes that were right", step.share_right)
        ends = f"{step.right:,} right, {step.wrong:,} wrong, {step.timed_out:,} timed out, {step.further:,} asked on"
        yield FigureRow(group, f"{after}: what came next", ends, step.reached)


def _need(group: str, name: str, need: HintNeed) -> FigureRow:
    if need.mean.value is None:
        return FigureRow(group, name, _NONE, 0, reason=need.mean.reason)
    counts = ", ".join(f"{hints}: {count:,}" for hints, count in need.counts.items())
    return FigureRow(group, name, f"{need.mean.value:.2f} on average ({counts})", need.mean.n)


def _likes(figures: LikeFigures) -> Iterator[FigureRow]:
    group = "Likes a vote, true claims and false ones"
    for name, each in {**figures.by_topic, "": figures.overall}.items():
        means = " and ".join(_NONE if mean is None else f"{mean:.2f}" for mean in (each.first, each.second))
        test = "" if each.t is None else f", t = {each.t:.2f}, p = {each.p_value:.2g}"
        n = each.first_n + each.second_n
        yield FigureRow(group, name or "all topics", means + test, n, _LIKED.get(name, ""), each.reason)


def _opponents(figures: OpponentFigures) -> Iterator[FigureRow]:
    group = "The checker against people"
    both = "claim that both judged"
    yield _share(group, "claims that most voters judge rightly", figures.people, things=both)
    yield _share(group, "claims that the checker judges rightly, by the gold", figures.checker, things=both)
    for name, count in (
        ("both right", figures.both),
        ("people alone right", figures.people_only),
        ("the checker alone right", figures.checker_only),
        ("neither right", figures.neither),
    ):
        yield FigureRow(group, name, f"{count:,}", figures.claims)
    if figures.claims:
        yield FigureRow(group, "McNemar's exact test of the difference, p", f"{figures.p_value:.2g}", figures.claims)
    yield FigureRow(group, "voters tied, left out", f"{figures.ties:,}", figures.ties + figures.claims)
    asked = figures.unasked + figures.ties + figures.claims
    yield FigureRow(group, "voted on, and the checker was not asked", f"{figures.unasked:,}", asked)
    alone = "round of the checker"
    yield _share(group, "false claims that the checker spotted in rooms", figures.in_rooms, things=alone)


def _rasch(figures: RaschFigures) -> Iterator[FigureRow]:
    group = "Skill and difficulty (Rasch)"
    if not figures.rounds:
        yield FigureRow(group, "skills and difficulties", _NONE, 0, reason=figures.reason)
        return
    ease = figures.ease
    value = f"{100 * figures.usual_share:.1f} % (logit {ease.value:.2f} [{ease.low:.2f}, {ease.high:.2f}])"
    yield FigureRow(group, "a usual player is right on a usual pair", value, figures.rounds)
    yield FigureRow(group, "spread of skills, logits", f"{figures.skill_spread:.2f}", len(figures.skills))
    claims = len(figures.difficulties)
    yield FigureRow(group, "spread of difficulties, logits", f"{figures.difficulty_spread:.2f}", claims)
