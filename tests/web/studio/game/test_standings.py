"""The leaderboard, one's own claims, and the news of them."""

from __future__ import annotations

import pytest
from lxml import html

from tests.web.studio.game.lively import make_lively, play
from tests.web.studio.game.world import GameWorld
from tests.web.studio.world import words_of
from veritab.studio.game.vocabulary import GameClaimState
from veritab.web.studio.game import standings


def board(page: html.HtmlElement) -> list[list[str]]:
    return [
        [" ".join(cell.text_content().split()) for cell in row.cssselect("th, td")]
        for row in page.cssselect("table.board tbody tr")
    ]


def test_points_stand_apart_by_what_they_are_for(world: GameWorld) -> None:
    make_lively(world)
    page = world.sign_in("calm-crane").see("/p/peaks/leaderboard")
    heads = [each.text for each in page.cssselect("table.board thead th")]
    assert heads == ["Rank", "Player", "Total", "Voting", "Fooling", "Likes", "Writing"]
    rows = board(page)
    assert rows[0] == ["1", "keen-lynx", "80", "80", "0", "0", "0"]
    assert [row[1] for row in rows if "you" in row[1]] == ["calm-crane (you)"]
    assert sum(int(row[2]) for row in rows) == 120 + 2 * 10  # a round, and two likes
    assert page.cssselect("table.board caption")


def test_ones_own_row_is_there_whatever_the_rank(world: GameWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    make_lively(world)
    monkeypatch.setattr(standings, "_MOST", 1)
    rows = board(world.sign_in("shy-newt").see("/p/peaks/leaderboard"))
    assert [row[1] for row in rows] == ["keen-lynx", "shy-newt (you)"]
    assert rows[1][0] == "–"  # without points there is no rank


def test_the_week_leaves_out_what_is_older(world: GameWorld) -> None:
    make_lively(world)
    world.now += 8 * 24 * 3600
    page = world.sign_in("keen-lynx").see("/p/peaks/leaderboard?since=week")
    assert "Nobody has points of this week yet" in words_of(page)
    play(world, "keen-lynx")
    page = world.sign_in("keen-lynx").see("/p/peaks/leaderboard?since=week")
    assert board(page)[0][1:3] == ["keen-lynx (you)", "80"]
    page = world.sign_in("keen-lynx").see("/p/peaks/leaderboard")
    assert board(page)[0][1:3] == ["keen-lynx (you)", "160"]


def test_a_period_that_is_none_is_refused(world: GameWorld) -> None:
    world.player().get("/p/peaks/leaderboard?since=yesterday", 400)


def test_how_ones_claims_fared(world: GameWorld) -> None:
    make_lively(world)
    page = world.sign_in("calm-crane").see("/p/peaks/my-claims")
    rows = page.cssselect(".work-list > li")
    assert len(rows) == 3
    assert "brave-otter" not in words_of(page)
    assert all("K2 is taller" not in row.text_content() for row in rows)
    assert [tag.text_content() for tag in rows[2].cssselect(".tags span")] == ["True", "Mountains", "In play"]
    fared = [[each.text_content() for each in row.cssselect("dd")] for row in rows]
    assert sorted((votes, fooled) for votes, fooled, *_ in fared) == [("0", "–"), ("1", "0 %"), ("1", "100 %")]


def test_why_a_claim_is_not_played_is_told(world: GameWorld) -> None:
    person = world.player()
    world.claim("<b>Bold</b>.", author="calm-crane", state=GameClaimState.WITHDRAWN, reason="It is no claim.")
    words = words_of(person.see("/p/peaks/my-claims"))
    assert "<b>Bold</b>." in words
    assert "Withdrawn" in words
    assert "Why: It is no claim." in words


def test_news_are_new_until_they_were_seen(world: GameWorld) -> None:
    make_lively(world)
    person = world.sign_in("brave-otter")
    assert "new" in door(person.see("/p/peaks"), "News")
    page = person.see("/p/peaks/news")
    assert "fooled somebody" in words_of(page)
    assert page.cssselect(".news .tag.strong")
    assert door(person.see("/p/peaks"), "News") == "Nothing new of your claims."
    assert not person.see("/p/peaks/news").cssselect(".news .tag.strong")
    other = world.sign_in("keen-lynx")
    assert "Nothing has happened to your claims yet" in words_of(other.see("/p/peaks/news"))


def test_a_forged_cookie_of_the_news_does_no_harm(world: GameWorld) -> None:
    make_lively(world)
    person = world.sign_in("brave-otter")
    for value in ("nan", "-1", "9" * 400, "inf"):
        person.keep(f"veritab_news_{world.member_id('brave-otter')}", value)
        person.see("/p/peaks")


def door(page: html.HtmlElement, title: str) -> str:
    found = {each.cssselect("b")[0].text: each.cssselect("span")[0].text for each in page.cssselect(".door")}
    return str(found[title])


def test_where_there_is_nothing_it_is_said(world: GameWorld) -> None:
    person = world.player()
    assert "Nobody has points yet" in words_of(person.see("/p/peaks/leaderboard"))
    assert "You have written none yet" in words_of(person.see("/p/peaks/my-claims"))
    assert "Nothing has happened" in words_of(person.see("/p/peaks/news"))
