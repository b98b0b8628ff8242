"""The figures of a game: small cases, worked out by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.studio.game.learned.rows import a_claim, a_round
from veritab.evaluate.metrics import wilson
from veritab.studio.game.learned.fooled import measure_fooled
from veritab.studio.game.learned.hints import measure_hints
from veritab.studio.game.learned.likes import measure_likes
from veritab.studio.game.learned.measuring import measure_game
from veritab.studio.game.learned.opponents import measure_opponents
from veritab.studio.game.learned.report import best_players, game_rows, game_to_json, hardest_claims


def test_fooled_is_the_share_of_wrong_votes_and_a_round_is_one_decision() -> None:
    claims = [
        a_claim(1, True, 4, 3, author=7),
        a_claim(2, False, 4, 3, author=8, topic="Lakes"),
        a_claim(3, False, 2, 0),
    ]
    rounds = [a_round(1, 2, number > 0) for number in range(4)]
    found = measure_fooled(claims, rounds, {7: "calm-crane", 8: "wise-owl"})
    assert (found.overall.value, found.overall.n) == (4 / 10, 10)
    assert (found.overall.low, found.overall.high) == wilson(0.4, 6)  # four rounds, and two votes from elsewhere
    assert {name: each.value for name, each in found.by_label.items()} == {"SUPPORTS": 1 / 4, "REFUTES": 3 / 6}
    assert (found.by_label["SUPPORTS"].low, found.by_label["SUPPORTS"].high) == wilson(0.25, 4)
    assert {name: each.n for name, each in found.by_topic.items()} == {"Lakes": 4, "Rivers": 6}
    assert set(found.by_author) == {"calm-crane", "wise-owl", "imported"}


def test_hints_are_counted_where_rounds_were_solved() -> None:
    claims = {1: a_claim(1, True, 5, 4), 2: a_claim(2, False, 5, 4, topic="Lakes")}
    rounds = [
        a_round(1, 2),
        a_round(1, 2, true_hints=2, false_hints=1),
        a_round(1, 2, false_hints=1),
        a_round(1, 2, spotted=False, false_hints=1),
        a_round(1, 2, spotted=False, is_over=False, true_hints=3),
        a_round(1, 2, true_hints=9, voter=None),
    ]
    found = measure_hints(claims, rounds)
    assert found.per_round.counts == {0: 1, 1: 1, 3: 1}
    assert found.per_round.mean.value == pytest.approx(4 / 3)
    assert found.by_label["SUPPORTS"].counts == {0: 2, 2: 1}
    assert found.by_topic["Lakes"].counts == {0: 1, 1: 2}
    steps = {step.number: step for step in found.steps}
    assert [steps[number].reached for number in (0, 1, 2, 3)] == [5, 4, 2, 2]
    assert (steps[1].right, steps[1].wrong, steps[1].further, steps[1].share_right.value) == (1, 1, 2, 0.5)
    assert (steps[2].right, steps[2].further) == (0, 2)
    assert (steps[3].right, steps[3].timed_out) == (1, 1)
    assert found.easy == ()


def test_easy_is_what_all_of_three_voters_solved_without_a_hint() -> None:
    claims = {
        1: a_claim(1, True, 3, 3), 2: a_claim(2, False, 2, 2), 3: a_claim(3, False, 1, 1),
        4: a_claim(4, True, 5, 4), 5: a_claim(5, False, 3, 3), 6: a_claim(6, True, 3, 3), 7: a_claim(7, False, 3, 2),
    }  # fmt: skip
    rounds = [a_round(1, 2), a_round(1, 2), a_round(1, 3)]
    rounds += [a_round(4, 5)] * 3  # claim 4 has a wrong vote from elsewhere
    rounds += [a_round(6, 7), a_round(6, 7, true_hints=1), a_round(6, 7, spotted=False)]
    assert measure_hints(claims, rounds).easy == (1, 5)


def test_likes_are_compared_claim_by_claim() -> None:
    claims = [
        a_claim(1, True, 2, 2, likes=2), a_claim(2, True, 4, 2, likes=2), a_claim(3, False, 4, 4, likes=1),
        a_claim(4, False, 2, 0, likes=0), a_claim(5, True, topic="Lakes"), a_claim(6, True, 1, 1, likes=1, topic="Lakes"),
    ]  # fmt: skip
    found = measure_likes(claims)
    assert found.overall.first == pytest.approx(2.5 / 3)
    assert found.overall.second == 0.125
    rivers = found.by_topic["Rivers"]
    assert (rivers.first, rivers.second, rivers.first_n, rivers.second_n) == (0.75, 0.125, 2, 2)
    assert rivers.t == pytest.approx(0.625 / (0.0625 + 0.015625) ** 0.5)
    assert found.by_topic["Lakes"].reason == "a group has fewer than two"


def test_the_checker_and_people_are_compared_on_the_same_claims() -> None:
    claims = [
        a_claim(1, True, 3, 3, checker="SUPPORTS"), a_claim(2, False, 3, 2, checker="NOT ENOUGH INFO"),
        a_claim(3, False, 3, 0, checker="REFUTES"), a_claim(4, True, 1, 0, checker="REFUTES"),
        a_claim(5, True, 2, 1, checker="SUPPORTS"), a_claim(6, True, 2, 2), a_claim(7, True, checker="SUPPORTS"),
    ]  # fmt: skip
    found = measure_opponents(claims, [a_round(1, 2, voter=None), a_round(1, 2)])
    assert found[:5] == (4, 1, 1, 1, 1)
    assert (found.people.value, found.checker.value, found.p_value) == (0.5, 0.5, 1.0)
    assert (found.ties, found.unasked, found.in_rooms.n, found.in_rooms.value) == (1, 1, 1, 1.0)


def test_rows_stand_beside_what_the_paper_prints() -> None:
    claims = [a_claim(1, True, 5, 4, author=2, likes=1), a_claim(2, False, 5, 4, author=3)]
    figures = measure_game(claims, [a_round(1, 2, number > 0) for number in range(5)], {1: "calm-crane"})
    rows = {row.name: row for row in game_rows(figures)}
    assert (rows["votes that were wrong"].value[:6], rows["votes that were wrong"].published) == ("20.0 %", "20.4 %")
    assert rows["claims expected below one half"].published == "25"
    assert rows["all topics"].published.startswith("0.39 and 0.35")
    assert [name for name, _ in best_players(figures)] == ["calm-crane"]
    assert {id for id, _, _ in hardest_claims(figures)} == {1, 2}
    said = game_to_json(figures)
    assert said["fooled"]["overall"]["value"] == 0.2
    assert "texts" not in said
    assert said["rasch"]["skills"]["calm-crane"]["rounds"] == 5


def test_a_game_that_nobody_played_has_figures_with_reasons() -> None:
    rows = game_rows(measure_game([], [], {}))
    assert {row.reason for row in rows if row.value == "–"} >= {"no vote", "no round was voted in"}


def test_the_published_claims_give_what_the_paper_prints(data_folder: Path) -> None:
    with gzip.open(data_folder / "fm2" / "dev.jsonl.gz", "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    claims = [
        a_claim(
            number,
            record["label"] == "SUPPORTS",
            record["total_votes"],
            record["correct_votes"],
            likes=record["total_likes"],
            topic=record["category"],
        )
        for number, record in enumerate(records)
    ]
    figures = measure_game(claims, [], {})
    assert (figures.claims, figures.unvoted, figures.votes, figures.posterior.misjudged) == (1169, 585, 2402, 2)
    assert figures.fooled.overall.value == pytest.approx(1 - 1935 / 2402)  # the paper's of all: 0.204
    likes, science = figures.likes.overall, figures.likes.by_topic["Science and Technology"]
    assert (likes.first, likes.second, likes.t) == pytest.approx((0.393, 0.332, 2.64), abs=0.005)  # .39, .35, 2.53
    assert (science.first, science.second, science.t) == pytest.approx(
        (0.307, 0.462, -2.51), abs=0.005
    )  # .32, .46, -2.50
