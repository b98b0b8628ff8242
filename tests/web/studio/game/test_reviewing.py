"""The pages of those who run a game: what waits for review, what becomes of a claim, suspicious rounds, figures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from tests.web.studio.game.world import GAME, GameWorld
from tests.web.studio.world import words_of
from veritab.schema import Label
from veritab.studio import projects
from veritab.studio.game.pairing import ClaimPair
from veritab.studio.game.pieces import EvidencePiece, pieces_of
from veritab.studio.game.playing import cast_vote, deal_round, report_claim
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.reviewing import fill_checker
from veritab.studio.game.rounds import RoundSetup, Side
from veritab.studio.game.vocabulary import ClaimFault, GameClaimState

QUEUE = f"/p/{GAME}/review"


def play(world: GameWorld, name: str, pair: tuple[int, int], *, right: bool = True, seconds: float = 30.0) -> int:
    """Somebody votes on two claims."""
    with world.writing() as session:
        claims = ClaimPair(*(session.get_one(GameClaimRecord, id) for id in pair))
        game = projects.find_project(session, GAME)
        record = deal_round(session, game, world.account_id(name), claims, topic="", now=world.now)
        side = RoundSetup.parse(record.setup).false_side
        cast_vote(session, record, side if right else side.other, now=world.now + seconds)
        return record.id


def report(world: GameWorld, name: str, pair: tuple[int, int]) -> None:
    """Somebody reports the first of two claims."""
    with world.writing() as session:
        claims = ClaimPair(*(session.get_one(GameClaimRecord, id) for id in pair))
        game = projects.find_project(session, GAME)
        record = deal_round(session, game, world.account_id(name), claims, topic="", now=world.now)
        report_claim(session, record, Side.LEFT, reason=ClaimFault.OTHER, note="<b>odd</b>", now=world.now)


def test_a_reported_claim_waits_with_all_that_is_known_of_it_and_is_kept(world: GameWorld) -> None:
    boss = world.organiser()
    world.player()
    pair = world.pair()
    report(world, "calm-crane", pair)
    page = boss.see(QUEUE)
    assert "1 claim to look at" in words_of(page)
    (link,) = page.cssselect(".work-list a")
    page = boss.see(link.get("href"))
    said = words_of(page)
    assert "“<b>odd</b>”" in said
    assert "Snow is counted twice in the annals of gold." in said
    assert "The checker was not asked about it yet." in said
    assert "Read the page Mount Everest" in said
    page = boss.follow(boss.send(f"{QUEUE}/{pair[0]}", step="keep", note="fine as it is"))
    assert "Kept. The claim is played." in words_of(page)
    assert "Keep claim: fine as it is" in words_of(page)
    assert world.claim_of(pair[0]).state == GameClaimState.PLAYING
    assert "Nothing waits to be reviewed." in words_of(boss.see(QUEUE))


def test_what_the_page_says_now_stands_beside_evidence_that_says_something_else(world: GameWorld) -> None:
    boss = world.organiser()
    as_it_is = pieces_of(world.checker.store.page("K2"), ["K2_sentence_0"])
    as_it_was = [replace(as_it_is[0], text="K2 was measured again.")]
    gone = [EvidencePiece("K2 has a lift.", ids=("K2_sentence_999",))]
    said = [words_of(boss.see(f"{QUEUE}/{world.claim(page='K2', gold=gold)}")) for gold in (as_it_is, as_it_was, gone)]
    assert ["What the page says there now" in each for each in said] == [False, True, True]
    assert as_it_is[0].text in said[1]
    assert "Nothing of it is left." in said[2]


def test_a_claim_is_corrected_withdrawn_brought_back_and_tagged(world: GameWorld) -> None:
    boss = world.organiser()
    true, false = world.pair()
    address = f"{QUEUE}/{false}"
    page = boss.follow(boss.send(address, step="correct", text="K2 is lower than Mount Everest.", truth="true"))
    assert f"It corrects claim {false}." in words_of(page)
    assert f"It was corrected as claim {false + 1}." in words_of(boss.see(address))
    assert "stands in its place" in boss.send(address, 409, step="restore").text
    boss.send(f"{QUEUE}/{false + 1}", step="withdraw", note="Two are enough.")
    page = boss.follow(boss.send(address, step="restore"))
    assert world.claim_of(false).state == GameClaimState.PLAYING
    page = boss.follow(boss.send(address, step="tag", strategy=["temporal", "diversion"]))
    chosen = [each.get("value") for each in page.cssselect("input[name=strategy][checked]")]
    assert chosen == ["temporal", "diversion"]
    assert "Tag claim: temporal, diversion" in words_of(page)
    assert true


@pytest.mark.parametrize(
    ("fields", "status", "why"),
    [
        ({}, 400, "Choose what becomes of the claim"),
        ({"step": "explode"}, 400, "Choose what becomes of the claim"),
        ({"step": "withdraw"}, 400, "say why"),
        ({"step": "correct", "text": "One. And two.", "truth": "true"}, 400, "sentence"),
        ({"step": "correct", "text": "Another text."}, 400, "true or false"),
        ({"step": "tag", "strategy": "magic"}, 400, "is no strategy"),
        ({"step": "restore"}, 409, "not withdrawn"),
    ],
)
def test_a_decision_that_cannot_be_is_told_on_the_page_and_nothing_is_kept(
    world: GameWorld, fields: dict[str, str], status: int, why: str
) -> None:
    boss = world.organiser()
    true, _ = world.pair()
    page = boss.send(f"{QUEUE}/{true}", status, **fields)
    assert why.lower() in page.text.lower()
    assert 'role="alert"' in page.text
    assert world.claim_of(true).state == GameClaimState.PLAYING
    with world.studio.database.reading() as session:
        assert session.scalars(select(GameClaimRecord.id).where(GameClaimRecord.id > true + 1)).all() == []


def test_long_queues_have_pages_and_reasons(world: GameWorld) -> None:
    boss = world.organiser()
    for number in range(30):
        world.claim(f"Ask karen{number}@example.org about it.", page=f"Page {number}")
    page = boss.see(QUEUE)
    assert len(page.cssselect(".work-list > li")) == 25
    (after,) = page.cssselect("nav.pager a")
    assert len(boss.see(after.get("href")).cssselect(".work-list > li")) == 5
    assert "Names or words 30" in words_of(page)
    assert "Nothing waits for this reason." in words_of(boss.see(f"{QUEUE}?reason=easy"))
    assert "all there were, solved it" in words_of(boss.see(f"{QUEUE}?reason=easy&prior=fitted"))
    for wrong in ("reason=odd", "prior=odd"):
        boss.get(f"{QUEUE}?{wrong}", 400)


def test_suspicious_rounds_are_told_in_a_sentence_and_looked_at(world: GameWorld) -> None:
    boss = world.organiser()
    world.player()
    for number in range(3):
        play(world, "calm-crane", world.pair(number=number), seconds=0.2)
    page = boss.see(f"{QUEUE}/rounds")
    assert "calm-crane voted in 3 of 3 rounds before both claims can be read at 10 words a second" in words_of(page)
    (link,) = page.cssselect('a[href*="/manage/members/"]')
    assert "calm-crane" in words_of(boss.see(link.get("href")))
    assert "say what you found" in boss.send(f"{QUEUE}/rounds", 400, key="hasty:1", note="").text.lower()
    key = page.cssselect("input[name=key]")[0].get("value")
    page = boss.follow(boss.send(f"{QUEUE}/rounds", key=key, note="Knows them by heart."))
    assert "Nothing is suspicious." in words_of(page)


def test_figures_stand_beside_the_papers(world: GameWorld) -> None:
    boss = world.organiser()
    names = ["calm-crane", "shy-heron", "old-otter", "red-robin"]
    for name in names:
        world.player(name)
    pair = world.pair()
    for name in names:
        play(world, name, pair, right=name != "red-robin")
    page = boss.see(f"/p/{GAME}/game-figures")
    rows = {
        " ".join(row.cssselect("th")[0].text_content().split()): [cell.text_content() for cell in row.cssselect("td")]
        for row in page.cssselect("table.figures tbody tr")
    }
    assert rows["votes that were wrong"][0].startswith("25.0 % [")
    assert rows["votes that were wrong"][2] == "20.4 %"
    assert rows["without a hint: what came next"][0] == "3 right, 1 wrong, 0 timed out, 0 asked on"
    assert set(names) < set(rows)
    boss.see(page.cssselect('a[href*="prior=fitted"]')[0].get("href"))
    found = boss.get(f"/p/{GAME}/game-figures.json").json()
    assert found["fooled"]["overall"]["value"] == 0.25
    assert set(found["rasch"]["skills"]) == set(names)


def test_a_game_without_claims_has_figures_too(world: GameWorld) -> None:
    assert "no round was voted in" in words_of(world.organiser().see(f"/p/{GAME}/game-figures"))


def test_all_of_it_is_for_those_who_run_the_game(world: GameWorld) -> None:
    person = world.player()
    true, _ = world.pair()
    for address in (
        QUEUE,
        f"{QUEUE}/{true}",
        f"{QUEUE}/rounds",
        f"/p/{GAME}/game-figures",
        f"/p/{GAME}/game-figures.json",
    ):
        assert "SECRET" not in person.get(address, 403).text
        world.sign_in("a-stranger").get(address, 404)
    person.send(f"{QUEUE}/{true}", 403, step="withdraw", note="Mine is better.")
    person.send(f"{QUEUE}/rounds", 403, key="hasty:1", note="Nothing.")
    boss = world.organiser()
    for number in (99_999, 2**62):
        boss.get(f"{QUEUE}/{number}", 404)
    world.project()
    world.member("wise-owl-two", "rivers")
    assert world.claim_of(true).state == GameClaimState.PLAYING


def test_a_project_that_is_no_game_has_no_such_pages(world: GameWorld) -> None:
    world.project()
    boss = world.manager("tall-tern")
    for address in ("review", "review/rounds", "review/1", "game-figures"):
        boss.get(f"/p/rivers/{address}", 404)


def test_the_checker_is_asked_about_every_claim_once_and_its_word_is_shown(world: GameWorld) -> None:
    boss = world.organiser()
    gold = [EvidencePiece("Mount Everest is 8,849 m high, and K2 is 8,611 m high.")]
    claims = [world.claim(f"Mount Everest is taller than K2, said {number}.", gold=gold) for number in range(23)]
    world.claim("Nobody asks.", state=GameClaimState.WITHDRAWN)
    ticks = list[tuple[int, int]]()
    for expected in (23, 0):
        database, project = world.studio.database, world.project_of(GAME)
        asked = fill_checker(database, project, world.checker, lambda done, total: ticks.append((done, total)))
        assert asked == expected
    assert ticks == [(20, 23), (23, 23)]
    said = world.claim_of(claims[-1]).checker
    assert said["label"] in list(Label)
    assert "The checker says by this evidence" in words_of(boss.see(f"{QUEUE}/{claims[-1]}"))
