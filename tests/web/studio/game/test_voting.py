"""Voting and the reveal: two claims, a clock, hints, the vote, and what was so."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import func, select

from tests.web.studio.game.world import GAME, SECRET_GOLD, SECRET_HINT, GameWorld
from tests.web.studio.world import Person, fields_of, parsed, words_of
from veritab.studio.game.pieces import EvidencePiece, ShownCell
from veritab.studio.game.playing import begin_practice
from veritab.studio.game.records import GameClaimRecord, GamePointRecord, GameReportRecord, GameRoundRecord
from veritab.studio.game.rounds import RoundOutcome
from veritab.studio.projects import find_project

JSON = {"Accept": "application/json"}


@pytest.fixture
def crane(world: GameWorld) -> Person:
    return world.player("calm-crane")


def begin(person: Person, game: str = GAME) -> str:
    """Begin a round; its address."""
    return str(person.send(f"/p/{game}/vote", topic="").headers["location"])


def begin_practising(world: GameWorld, name: str = "calm-crane") -> str:
    with world.writing() as session:
        project = find_project(session, GAME)
        record = begin_practice(session, project, world.account_id(name), rng=Random(1), now=world.now)
        return f"/p/{GAME}/rounds/{record.id}"


def round_of(world: GameWorld, address: str) -> GameRoundRecord:
    found: GameRoundRecord = world.find(GameRoundRecord, int(address.rpartition("/")[2]))
    return found


def false_side(world: GameWorld, address: str) -> str:
    return str(round_of(world, address).setup["false_side"])


def true_side(world: GameWorld, address: str) -> str:
    return {"left": "right", "right": "left"}[false_side(world, address)]


def ask(person: Person, address: str, status: int = 200, **fields: Any) -> Any:
    """What the script is told, of a form or of the round."""
    data = {"form_token": person.form_token, **fields}
    answer = (
        person.client.post(address, data=data, headers=JSON) if fields else person.client.get(address, headers=JSON)
    )
    assert answer.status_code == status, answer.text
    return answer.json()


def shown_hints(page: Any, side: str) -> list[str]:
    return [" ".join(each.text_content().split()) for each in page.cssselect(f"[data-side={side}] [data-hints] > li")]


# -- before the vote ---------------------------------------------------------------------------------------


def test_a_round_shows_two_claims_their_pages_and_the_clock(world: GameWorld, crane: Person) -> None:
    world.pair()
    page = crane.see(begin(crane))
    said = words_of(page)
    assert "Mount Everest is taller than K2, number 1." in said
    assert "K2 is taller than Mount Everest, number 1." in said
    assert [each.text_content() for each in page.cssselect("article .place [dir=auto]")] in (
        ["Mount Everest", "K2"],
        ["K2", "Mount Everest"],
    )
    assert page.cssselect("[data-clock]")[0].text == "3:00"
    assert "Hint −0:30" in said
    assert [each.text for each in page.cssselect("[data-hints-left]")] == ["3", "3"]


def test_a_topic_with_too_few_claims_is_told(world: GameWorld, crane: Person) -> None:
    world.claim()
    page = parsed(crane.send(f"/p/{GAME}/vote", 409, topic=""))
    assert "a round needs a true and a false one" in words_of(page)
    assert page.cssselect("form.play button:not([disabled])")[0].text == "Write"
    assert crane.client.post(f"/p/{GAME}/vote", data={}, headers={"Accept": "application/json"}).status_code >= 400


def test_nobody_begins_a_claim_while_they_vote_because_it_would_open_a_page(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    assert "vote first" in crane.send(f"/p/{GAME}/write", 409, topic="").text
    crane.send(f"{address}/vote", side="left")
    crane.send(f"/p/{GAME}/write", 303, topic="")


def test_who_begins_again_goes_on_with_the_same_round_and_clock(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    world.now += 30
    assert begin(crane) == address
    assert crane.see(address).cssselect("[data-clock]")[0].text == "2:30"


def test_hints_are_shown_one_by_one_for_a_part_of_the_time_and_the_gold_last(world: GameWorld, crane: Person) -> None:
    world.game("quick", hint_seconds=10)
    world.pair("quick")
    crane = world.player("calm-crane", "quick")
    address = begin(crane, "quick")
    for number in range(3):
        form = next(each for each in crane.see(address).forms if each.action == f"{address}/hint")
        assert fields_of(form)["seen"] == str(number)
        side = fields_of(form)["side"]
        page = crane.follow(crane.send(f"{address}/hint", **fields_of(form)))
        assert len(shown_hints(page, side)) == number + 1
    first, second, gold = shown_hints(page, side)
    assert f"{SECRET_HINT} 1" in first
    assert f"{SECRET_HINT} 2" in second
    assert gold.startswith("The evidence")
    assert SECRET_GOLD in gold
    assert page.cssselect("[data-clock]")[0].text == "2:30"
    assert page.cssselect(f"[data-side={side}] [data-hint]")[0].get("aria-disabled") == "true"
    refused = crane.send(f"{address}/hint", 409, side=side, seen="3")
    assert "There are no more hints for this claim." in words_of(parsed(refused))


def test_a_hint_that_is_sent_twice_is_bought_once(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    for _ in range(2):
        page = crane.follow(crane.send(f"{address}/hint", side="left", seen="0"))
    assert len(shown_hints(page, "left")) == 1
    assert page.cssselect("[data-clock]")[0].text == "2:30"
    assert ask(crane, f"{address}/hint", side="left", seen="0")["seconds_left"] == 150


def test_a_hint_that_takes_more_than_is_left_is_refused_and_told(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    world.now += 151
    said = words_of(parsed(crane.send(f"{address}/hint", 409, side="left")))
    assert "A hint takes 30 seconds, and there are not as many left." in said
    assert "not as many left" in ask(crane, f"{address}/hint", 409, side="left")["detail"]
    assert round_of(world, address).left_hints == 0


def test_a_table_is_drawn_as_one_with_its_cells_marked_where_they_are_the_evidence(
    world: GameWorld, crane: Person
) -> None:
    rows = (
        (ShownCell("Mountain", True), ShownCell("Height, m", True)),
        (ShownCell("K2", True), ShownCell("8,611 <b>", False, True)),
    )
    piece = EvidencePiece("K2 is 8,611 m high.", "Heights | Asia", (), "The highest mountains", rows)
    world.claim("Everest is high.", True, page="Mount Everest", hints=[piece], gold=[piece])
    world.claim("K2 is low.", False, page="K2", hints=[piece], gold=[piece])
    address = begin(crane)
    page = crane.follow(crane.send(f"{address}/hint", side="left"))
    assert not page.cssselect("table .evidence")
    page = crane.follow(crane.send(f"{address}/hint", side="left"))
    _, table = page.cssselect("[data-side=left] table")
    assert table.cssselect("caption")[0].text == "The highest mountains"
    assert [each.text for each in table.cssselect("thead th[scope=col]")] == ["Mountain", "Height, m"]
    assert table.cssselect("tbody th[scope=row]")[0].text == "K2"
    (marked,) = table.cssselect("td.evidence")
    assert marked.text_content() == "Evidence: 8,611 <b>"
    assert "Heights › Asia" in words_of(page)
    assert "<table" in ask(crane, address)["left"]["hints"][0]


def test_the_script_is_told_the_seconds_and_the_hints_that_were_bought(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    world.now += 1.5
    said = ask(crane, f"{address}/hint", side="right", seen="0")
    assert (said["over"], said["seconds_left"]) == (False, 148.5)
    assert said["left"] == {"hints": [], "hints_left": 3}
    assert said["right"]["hints_left"] == 2
    assert [SECRET_HINT in each for each in said["right"]["hints"]] == [True]
    assert ask(crane, address) == said


# -- the vote ----------------------------------------------------------------------------------------------


def test_whoever_spots_the_false_claim_gets_the_seconds_and_the_authors_the_rest(world: GameWorld) -> None:
    for name in ("keen-kite", "swift-seal"):
        world.player(name)
    world.claim("Mount Everest is high.", True, page="Mount Everest", author="keen-kite")
    world.claim("K2 is a lake.", False, page="K2", author="swift-seal")
    crane = world.player("calm-crane")
    address = begin(crane)
    world.now += 79.5
    page = crane.follow(crane.send(f"{address}/vote", side=false_side(world, address)))
    said = words_of(page)
    assert "You spotted the false claim" in said
    assert "100 for you 20 shared by the authors: 10 for the true claim, 10 for the false one" in said
    assert SECRET_GOLD in said
    with world.studio.database.reading() as session:
        assert session.scalar(select(func.sum(GamePointRecord.points))) == 120
    (false,) = page.cssselect("article.is-false")
    assert "You called it false" in false.text_content()
    assert "K2 is a lake." in false.text_content()
    assert page.cssselect("nav form[action$='/write'] button")[0].text == "Next: write a claim"
    assert not page.cssselect("nav form[action$='/vote']")


def test_whoever_is_fooled_gets_nothing_and_is_told_which_was_false(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    page = crane.follow(crane.send(f"{address}/vote", side=true_side(world, address)))
    assert "You were fooled" in words_of(page)
    assert [each.text for each in page.cssselect("article.is-true .truth, article.is-false .truth")] in (
        ["True", "False"],
        ["False", "True"],
    )
    with world.studio.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(GamePointRecord)) == 0


def test_time_runs_out_by_itself_and_nothing_is_won(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    world.now += 179
    assert not ask(crane, address)["over"]
    world.now += 1
    assert ask(crane, address) == {"over": True, "to": address}
    assert round_of(world, address).outcome == RoundOutcome.TIMED_OUT
    assert "Time has run out" in words_of(crane.see(address))


@pytest.mark.parametrize("move", ["hint", "vote"])
def test_what_comes_after_the_deadline_is_told_kindly_and_changes_nothing(
    world: GameWorld, crane: Person, move: str
) -> None:
    world.pair()
    address = begin(crane)
    world.now += 181
    page = crane.follow(crane.send(f"{address}/{move}", side=false_side(world, address)))
    assert "Time has run out" in words_of(page)
    assert ask(crane, f"{address}/{move}", side="left")["over"]
    record = round_of(world, address)
    assert (record.outcome, record.choice, record.points, record.left_hints) == ("timed out", "", 0, 0)


def test_a_vote_from_a_second_tab_leads_to_the_reveal_and_is_told(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    crane.send(f"{address}/vote", side="left")
    answer = crane.send(f"{address}/vote", side="right")
    assert "This round was over already. What you did first counts." in words_of(crane.follow(answer))
    assert ask(crane, f"{address}/vote", side="right") == {"over": True, "to": f"{address}?done=round-over"}
    assert "What you did first counts" in words_of(crane.follow(crane.send(f"{address}/hint", side="right")))
    assert round_of(world, address).choice == "left"


def test_no_time_that_a_browser_sends_is_read(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    world.now += 100
    forged = {
        "now": "0",
        "at": "0",
        "seconds_left": "180",
        "deadline": "99999999999",
        "opened_at": "9",
        "points": "120",
    }
    side = false_side(world, address)
    data = {"form_token": crane.form_token, "side": side, **forged}
    headers = {"Date": "Thu, 01 Jan 1970 00:00:00 GMT", "X-Time": "0"}
    crane.client.post(f"{address}/vote?now=0&seconds_left=180", data=data, headers=headers)
    assert round_of(world, address).points == 80


# -- who may do what ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("move", ["", "/hint", "/vote", "/like", "/report", "/checker"])
def test_the_round_of_somebody_else_or_of_another_game_is_not_there(world: GameWorld, crane: Person, move: str) -> None:
    world.pair()
    address = begin(crane)
    kite = world.player("keen-kite")
    world.game("other")
    world.player("calm-crane", "other")
    fields = {"side": "left", "reason": "spam"}
    elsewhere = address.replace(GAME, "other")
    for person, path in ((kite, address), (crane, elsewhere)):
        if move in ("", "/checker"):
            person.get(f"{path}{move}", 404)
        else:
            person.send(f"{path}{move}", 404, **fields)
    assert round_of(world, address).moves == 1


@pytest.mark.parametrize("side", ["", "middle", "LEFT", "1", "not sure", "left\x00", "x" * 101])
@pytest.mark.parametrize("move", ["hint", "vote", "report"])
def test_a_side_that_is_none_is_refused(world: GameWorld, crane: Person, move: str, side: str) -> None:
    true, _ = world.pair()
    address = begin(crane)
    crane.send(f"{address}/{move}", 400, side=side, reason="spam")
    crane.send(
        f"{address}/{move}", 400, claim=str(true), claim_id=str(true), reason="spam"
    )  # claims have no other name
    assert round_of(world, address).moves == 1


@pytest.mark.parametrize("move", ["/vote", "/rounds/1/hint", "/rounds/1/vote", "/rounds/1/like", "/rounds/1/report"])
def test_nothing_is_done_without_the_form_token(world: GameWorld, crane: Person, move: str) -> None:
    world.pair()
    address = begin(crane)
    for headers in ({}, JSON):
        answer = crane.client.post(f"/p/{GAME}{move}", data={"side": "left", "reason": "spam"}, headers=headers)
        assert answer.status_code == 403
    assert round_of(world, address).moves == 1


@pytest.mark.parametrize("seen", ["-1", "one", "²", "1.5"])
def test_a_number_of_hints_that_is_none_is_refused(world: GameWorld, crane: Person, seen: str) -> None:
    world.pair()
    address = begin(crane)
    assert "expected the number of hints" in words_of(
        parsed(crane.send(f"{address}/hint", 400, side="left", seen=seen))
    )


@pytest.mark.parametrize("number", ["0", "-1", "x", "99999999999999999999", "1.5"])
def test_a_round_that_is_none_is_refused(crane: Person, number: str) -> None:
    answer: Response = crane.client.get(f"/p/{GAME}/rounds/{number}")
    assert answer.status_code in (400, 404)


# -- after the vote ----------------------------------------------------------------------------------------


def vote(world: GameWorld, person: Person) -> str:
    address = begin(person)
    person.send(f"{address}/vote", side=false_side(world, address))
    return address


def test_which_claim_was_more_interesting_is_asked_once(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    crane.send(f"{address}/like", 409, side="left")
    crane.send(f"{address}/vote", side=false_side(world, address))
    assert len(crane.see(address).cssselect("form[action$='/like'] button")) == 3
    page = crane.follow(crane.send(f"{address}/like", side="right"))
    assert "You found claim 2 more interesting." in words_of(page)
    assert not page.cssselect("form[action$='/like']")
    assert "You have said already which claim you like." in words_of(
        parsed(crane.send(f"{address}/like", 409, side="left"))
    )
    crane.send(f"{address}/like", 400, side="both")
    record = round_of(world, address)
    assert world.claim_of(record.right_id).likes == 1
    assert world.claim_of(record.left_id).likes == 0


def test_who_is_not_sure_which_claim_is_more_interesting_says_so(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = vote(world, crane)
    page = crane.follow(crane.send(f"{address}/like", side="not sure"))
    assert "You found neither more interesting." in words_of(page)


def test_a_report_ends_the_round_without_points_and_the_claim_rests(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    page = crane.follow(crane.send(f"{address}/report", side="left", reason="incorrect", note="It is <b>not</b>."))
    assert "Reported" in words_of(page)
    assert not page.cssselect("form[action$='/like'], form[action$='/report']")
    record = round_of(world, address)
    assert (record.outcome, record.points) == ("reported", 0)
    assert world.claim_of(record.left_id).state == "resting"
    with world.studio.database.reading() as session:
        (report,) = session.scalars(select(GameReportRecord))
    assert (report.claim_id, report.reason, report.note) == (record.left_id, "incorrect", "It is <b>not</b>.")


def test_a_report_without_its_reason_is_asked_for_it_in_its_place(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = begin(crane)
    page = parsed(crane.send(f"{address}/report", 400, side="left", reason="other"))
    (report,) = page.cssselect("details.report[open]")
    assert "Say in a sentence what is wrong with the claim." in report.text_content()
    sent = fields_of(report.cssselect("form")[0])
    assert (sent["side"], sent["reason"], sent["note"]) == ("left", "other", "")
    crane.send(f"{address}/report", 400, side="left", reason="boring")
    crane.send(f"{address}/report", 400, side="left", reason="spam", note="x" * 2001)
    assert round_of(world, address).outcome == "open"


def test_a_claim_is_reported_after_the_vote_and_the_points_stay(world: GameWorld, crane: Person) -> None:
    world.pair()
    address = vote(world, crane)
    page = crane.follow(crane.send(f"{address}/report", side="right", reason="spam"))
    assert "You spotted the false claim" in words_of(page)
    assert "You have reported a claim. A reviewer looks at it." in words_of(page)
    assert round_of(world, address).points == 120
    assert not page.cssselect("form[action$='/report']")


def test_the_page_of_a_claim_is_read_with_its_gold_marked(world: GameWorld, crane: Person) -> None:
    gold = [EvidencePiece("It is the highest mountain.", "", ("Mount Everest_sentence_0",))]
    world.claim("Mount Everest is high.", True, page="Mount Everest", gold=gold)
    world.claim("Atlantis is an island.", False, page="Atlantis")
    page = crane.see(vote(world, crane))
    (link,) = page.cssselect("article section a")
    assert link.get("href") == f"/p/{GAME}/read?title=Mount+Everest&mark=sentence_0#sentence_0"
    assert crane.see(link.get("href")).cssselect("#sentence_0.marked")


def test_the_checker_is_asked_after_the_vote_and_its_answer_is_kept(world: GameWorld, crane: Person) -> None:
    gold = [EvidencePiece("It is the highest mountain.", "", ("Mount Everest_sentence_0",))]
    world.claim("Mount Everest is the highest mountain.", True, page="Mount Everest", gold=gold)
    world.claim("K2 is a lake.", False, page="K2")
    address = begin(crane)
    crane.get(f"{address}/checker", 404)
    crane.send(f"{address}/vote", side="left")
    assert crane.see(address).cssselect("[data-checker]")
    assert "What the checker would have said" in words_of(crane.see(f"{address}/checker"))
    with world.studio.database.reading() as session:
        claims = session.scalars(select(GameClaimRecord).where(GameClaimRecord.state == "playing")).all()
    assert all(set(claim.checker) == {"label", "scores", "confidence"} for claim in claims)
    (said,) = crane.see(address).cssselect("[data-said]")
    assert len(said.cssselect("li .chip")) == 2


def test_practice_says_that_it_counts_for_nothing(world: GameWorld, crane: Person) -> None:
    address = begin_practising(world)
    assert "This is practice. It counts for nothing." in words_of(crane.see(address))
    page = crane.follow(crane.send(f"{address}/vote", side=false_side(world, address)))
    assert "This was practice. It counts for nothing." in words_of(page)
    assert not page.cssselect("nav form")
    assert page.cssselect(f"nav a[href='/p/{GAME}']")
    assert round_of(world, address).points == 0


def test_words_that_are_markup_are_shown_as_words(world: GameWorld, crane: Person) -> None:
    harm = "<script>alert(1)</script> {{ 7*7 }}"
    piece = [EvidencePiece(harm, harm, (), harm, ((ShownCell(harm),),))]
    world.claim(f"One {harm}", True, page=harm, gold=piece, hints=piece)
    world.claim(f"Two {harm}", False, page="K2", gold=piece, hints=piece)
    address = begin(crane)
    assert "<script>alert" not in crane.get(address).text
    assert "<script>alert" not in ask(crane, f"{address}/hint", side="left")["left"]["hints"][0]
    crane.send(f"{address}/vote", side="left")
    assert "<script>alert" not in crane.get(address).text


@pytest.mark.parametrize("turns", [True, False])
def test_what_comes_next_is_the_other_role_where_roles_take_turns(world: GameWorld, turns: bool) -> None:
    world.game("other", takes_turns=turns)
    world.pair("other")
    world.pair("other", number=2)
    crane = world.player("calm-crane", "other")
    address = begin(crane, "other")
    page = crane.follow(crane.send(f"{address}/vote", side="left"))
    assert [each.text for each in page.cssselect("nav form button")] == (
        ["Next: write a claim"] if turns else ["Write a claim", "Play again"]
    )
