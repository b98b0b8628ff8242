"""A game that has been going for a while: claims by two players, rounds of three, a report, and points."""

from __future__ import annotations

from random import Random

from tests.web.studio.game.world import GAME, TOPIC, GameWorld
from veritab.studio import projects
from veritab.studio.game import playing
from veritab.studio.game.rounds import Side
from veritab.studio.game.vocabulary import ClaimFault

WRITERS = ("calm-crane", "brave-otter")
VOTERS = ("keen-lynx", "shy-newt")


def make_lively(world: GameWorld) -> None:
    """Everybody votes once on claims of the two who write; keen-lynx is right, likes, and reports; shy-newt is not."""
    for name in (*WRITERS, *VOTERS):
        world.player(name)
    world.organiser()
    for number in range(3):
        world.claim(
            f"Mount Everest is taller than K2, as number {number} says.", True, page="Mount Everest", author=WRITERS[0]
        )
        world.claim(f"K2 is taller than Mount Everest, as number {number} says.", False, page="K2", author=WRITERS[1])
    for name in VOTERS:
        play(world, name, right=name == "keen-lynx", like=True)
        world.now += 60
    report(world, "keen-lynx")


def play(world: GameWorld, name: str, *, right: bool = True, like: bool = False, after: float = 100.0) -> int:
    """Somebody votes on a pair, rightly or not, and likes the claim on the left; the round's number."""
    world.now += 13 * 3600  # another session: any role may come
    with world.writing() as session:
        project = projects.find_project(session, GAME)
        record = playing.begin_round(
            session,
            project,
            world.account_id(name),
            TOPIC,
            rng=Random(1),
            digest=project.corpus_digest,
            now=world.now,
        )
        false_side = playing.round_of(session, record).setup.false_side
        playing.cast_vote(session, record, false_side if right else false_side.other, now=world.now + after)
        if like:
            playing.like_claim(session, record, Side.LEFT.value, now=world.now + after + 2)
        return record.id


def report(world: GameWorld, name: str) -> None:
    """Somebody reports the claim on the left of a pair."""
    world.now += 13 * 3600
    with world.writing() as session:
        project = projects.find_project(session, GAME)
        record = playing.begin_round(
            session, project, world.account_id(name), "", rng=Random(1), digest=project.corpus_digest, now=world.now
        )
        playing.report_claim(session, record, Side.LEFT, reason=ClaimFault.SPAM, note="It repeats.", now=world.now + 9)
