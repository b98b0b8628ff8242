"""What a game is watched for: two accounts that play for each other, haste, one side, and private words."""

from __future__ import annotations

from random import Random

import pytest

from tests.studio.game.learned.rows import a_claim, a_round
from veritab.studio.game.learned.rows import GameClaimRow, GameRoundRow
from veritab.studio.game.watching import MarkKind, Suspicion, SuspicionKind, binomial_tail, find_marks, find_suspicions

NAMES = {number: f"player-{number}" for number in range(1, 11)}


def played(rounds: int = 40, seed: int = 1) -> tuple[list[GameClaimRow], list[GameRoundRow]]:
    """An honest game of ten: everybody writes and votes, four times of five rightly."""
    rng = Random(seed)
    claims = [a_claim(id, id % 2 == 0, author=id // 2 % 10 + 1) for id in range(1, 201)]
    made = list[GameRoundRow]()
    for voter in NAMES:
        others = [claim for claim in claims if claim.author != voter]
        for _ in range(rounds):
            true = rng.choice([claim for claim in others if claim.truth])
            false = rng.choice([claim for claim in others if not claim.truth])
            right = rng.random() < 0.8
            made.append(a_round(true.id, false.id, right, voter=voter, chose_left=rng.random() < 0.5))
    return claims, made


def kinds(found: list[Suspicion]) -> list[SuspicionKind]:
    return [each.kind for each in found]


@pytest.mark.parametrize("seed", range(5))
def test_honest_play_is_not_suspected(seed: int) -> None:
    assert find_suspicions(*played(seed=seed), NAMES) == []


def test_two_who_meet_too_often_are_seen_with_their_numbers() -> None:
    claims, rounds = played()
    by = {(claim.author, claim.truth): claim.id for claim in claims}
    rounds += [
        a_round(by[2, True], by[5, False], number > 3, voter=1, chose_left=bool(number % 2)) for number in range(20)
    ]
    (found,) = (each for each in find_suspicions(claims, rounds, NAMES) if each.people == (1, 2))
    assert found.kind is SuspicionKind.OFTEN
    assert found.of == 120
    assert found.seen >= 20 > found.expected > 5
    assert found.sentence.startswith(f"Of 120 claims that player-1 met, {found.seen} are by player-2; by lot about ")


def test_somebody_who_knows_one_author_too_well_is_seen() -> None:
    claims = [a_claim(id, id % 2 == 0, author=2 + id % 4) for id in range(1, 41)]
    by_two = [claim.id for claim in claims if claim.author == 2]
    others = [claim.id for claim in claims if claim.author == 3]
    rounds = [a_round(by_two[0], others[0], True, voter=1, chose_left=bool(number % 2)) for number in range(15)]
    far = [claim.id for claim in claims if claim.author == 4], [claim.id for claim in claims if claim.author == 5]
    rounds += [
        a_round(far[0][0], far[1][0], number % 3 == 0, voter=1, chose_left=bool(number % 2)) for number in range(30)
    ]
    found = [each for each in find_suspicions(claims, rounds, NAMES) if each.kind is SuspicionKind.WELL]
    assert {each.people for each in found} == {(1, 2), (1, 3)}
    assert (found[0].seen, found[0].of) == (15, 15)
    assert found[0].expected == pytest.approx(15 * (4 + 10) / (5 + 30))


def test_votes_before_both_claims_can_be_read_are_counted() -> None:
    claims = [a_claim(1, True, text="word " * 20), a_claim(2, False, text="word " * 30)]  # five seconds at the least
    rounds = [a_round(1, 2, number == 0, voter=1, seconds=4.9, chose_left=False) for number in range(3)]
    rounds += [a_round(1, 2, voter=1, seconds=5.0)] * 5
    (found,) = find_suspicions(claims, rounds, NAMES)
    assert (found.kind, found.seen, found.of, found.key) == (SuspicionKind.HASTY, 3, 8, "hasty:1")
    assert found.sentence == (
        "player-1 voted in 3 of 8 rounds before both claims can be read at 10 words a second; 1 of them rightly."
    )
    assert find_suspicions(claims, rounds[1:], NAMES) == []
    assert find_suspicions(claims, rounds + [a_round(1, 2, voter=1)] * 8, NAMES) == []  # fewer than a fifth


def test_always_one_side_is_seen_and_often_one_side_is_not() -> None:
    claims = [a_claim(1, True), a_claim(2, False)]
    always = [a_round(1, 2, voter=1, chose_left=False) for _ in range(12)]
    assert kinds(find_suspicions(claims, always, NAMES)) == [SuspicionKind.ONE_SIDE]
    often = [a_round(1, 2, voter=1, chose_left=number < 9) for number in range(12)]
    assert find_suspicions(claims, often, NAMES) == []
    assert find_suspicions(claims, always[:11], NAMES) == []


def test_tails_of_the_binomial_are_exact() -> None:
    assert binomial_tail(3, 3, 0.5) == pytest.approx(0.125)
    assert binomial_tail(1, 4, 0.25) == pytest.approx(1 - 0.75**4)
    assert (binomial_tail(0, 5, 0.1), binomial_tail(6, 5, 0.1), binomial_tail(2, 2, 1.0)) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("Write to jane.doe@example.org about the Nile.", MarkKind.EMAIL, "jane.doe@example.org"),
        ("Call +44 20 7946 0958 for tickets.", MarkKind.PHONE, "+44 20 7946 0958"),
        ("Call (555) 123-4567 for tickets.", MarkKind.PHONE, "(555) 123-4567"),
        ("The museum is at 12 North Mill Street in York.", MarkKind.ADDRESS, "12 North Mill Street"),
        ("See https://example.org/nile for the source.", MarkKind.ADDRESS, "https://example.org/nile"),
        ("My colleague Karen Miller lives beside the Nile.", MarkKind.NAME, "Karen Miller"),
        ("Karen Miller's cat swam in the Nile.", MarkKind.NAME, "Karen Miller"),
        ("Mr. Zebrowski measured the Nile.", MarkKind.NAME, "Zebrowski"),
        ("The player calm-crane wrote about the Nile.", MarkKind.NAME, "calm-crane"),
        ("The Nile is a shitty river.", MarkKind.OFFENSIVE, "shitty"),
    ],
)
def test_what_should_not_be_published_unseen_is_marked(text: str, kind: MarkKind, said: str) -> None:
    found = find_marks(text, ["Nile", "It is a river."], frozenset({"calm-crane"}))
    assert [(each.kind, each.words) for each in found] == [(kind, said)]


@pytest.mark.parametrize(
    "text",
    [
        "Karen Blixen wrote about Africa.",
        "The Nile is 6,650 km long, and Mount Everest 8,849 m high.",
        "From 1914-1918 and 1939-1945 there were 2 world wars.",
        "The Scunthorpe Dickens Society met 100 times in 1,000 days.",
        "David was a king.",
        "Karen Blixen's farm was in Africa.",
        "The rapper's 2003 album is called Whore of Babylon.",
    ],
)
def test_what_the_page_says_and_plain_numbers_are_not_marked(text: str) -> None:
    known = ["Karen Blixen", "Whore of Babylon is an album of 2003."]
    assert find_marks(text, known, frozenset({"calm-crane", "nile"})) == ()
