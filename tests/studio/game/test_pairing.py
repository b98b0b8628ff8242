"""Which claims meet: one true, one false, apart in page and author, near in difficulty, those with few votes first."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import event, insert, select
from sqlalchemy.orm import Session

from tests.studio.game.table import DIGEST, make_claim, make_claims, make_game, make_player
from veritab.errors import Conflict
from veritab.studio.database import Database, open_studio
from veritab.studio.game.pairing import ClaimPair, count_unmet, draw_pair, has_pair
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.standing import leaderboard, standing_of
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.records import ProjectRecord


def draw(session: Session, project: ProjectRecord, who: int, topic: str = "", seed: int = 1, **more: Any) -> ClaimPair:
    return draw_pair(session, project, who, topic, rng=Random(seed), digest=DIGEST, **more)


def test_one_claim_is_true_and_the_other_false_and_sides_are_drawn_by_lot(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        who = make_player(session, project)
        make_claims(session, project, 10, [make_player(session, project) for _ in range(4)])
        sides = set()
        for seed in range(20):
            pair = draw(session, project, who, seed=seed)
            assert {pair.left.truth, pair.right.truth} == {True, False}
            assert pair.left.page != pair.right.page
            assert pair.left.author_id != pair.right.author_id
            assert not (pair.left if pair.false_side == "left" else pair.right).truth
            sides.add(pair.false_side)
        assert len(sides) == 2
        first, again = (draw(session, project, who, seed=7) for _ in range(2))
        assert first == again


def test_claims_with_the_fewest_votes_come_first_and_their_partner_is_as_difficult(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        who = make_player(session, project)
        for votes, right in ((9, 9), (9, 1)):
            make_claim(session, project, True, votes=votes, right_votes=right)
        fooling = make_claim(session, project, False, votes=5, right_votes=0)
        fooled = session.scalars(select(GameClaimRecord).where(GameClaimRecord.right_votes == 1)).one()
        make_claim(session, project, False, votes=9, right_votes=9)
        pair = draw(session, project, who)
        assert {pair.left.id, pair.right.id} == {fooling.id, fooled.id}


@pytest.mark.parametrize(
    "about",
    [
        {"state": GameClaimState.RESTING.value},
        {"state": GameClaimState.WITHDRAWN.value},
        {"state": GameClaimState.PRACTICE.value},
        {"corpus_digest": "of another corpus"},
        {"page": "Nile"},
        {"truth": False},
        {"topic": "Lakes"},
    ],
)
def test_a_claim_that_does_not_fit_is_not_met(database: Database, about: dict[str, Any]) -> None:
    with database.writing() as session:
        project = make_game(session)
        who = make_player(session, project)
        make_claim(session, project, False, page="Nile")
        make_claim(session, project, **{"truth": True, **about})
        with pytest.raises(Conflict, match="you have not met in ‘Rivers’, and a round needs a true and a false one"):
            draw(session, project, who, "Rivers")
        make_claim(session, project, True)
        assert draw(session, project, who, "Rivers")


def test_claims_that_rest_on_no_corpus_outlive_its_change(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        who = make_player(session, project)
        make_claims(session, project, 2)
        with pytest.raises(Conflict, match="there are no claims"):
            draw_pair(session, project, who, "", rng=Random(1), digest="new")
        assert not has_pair(session, project, who, digest="new")
        for truth in (True, False):
            make_claim(session, project, truth, corpus_digest="")
        assert draw_pair(session, project, who, "", rng=Random(1), digest="new").left.corpus_digest == ""


def test_too_few_claims_are_counted_without_telling_which(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        who, author = make_player(session, project), make_player(session, project)
        for _ in range(3):
            make_claim(session, project, True, author)
        with pytest.raises(Conflict) as told:
            draw(session, project, who, "Rivers")
        assert str(told.value) == (
            "there are 3 claims you have not met in ‘Rivers’, and a round needs a true and a false one, of two pages "
            "and two authors; take another topic, or write a claim yourself"
        )
        with pytest.raises(Conflict, match="there are no claims you have not met in this game"):
            draw(session, project, author)


def test_nobody_in_a_room_wrote_the_claims(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        host, guest = make_player(session, project), make_player(session, project)
        make_claims(session, project, 2, [guest, make_player(session, project)])
        assert draw(session, project, host)
        with pytest.raises(Conflict, match="there are 2 claims"):
            draw(session, project, host, beside=[guest])


def test_a_pair_is_found_behind_many_claims_of_one_author(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        who, busy = make_player(session, project), make_player(session, project)
        make_claims(session, project, 60, [busy])
        with pytest.raises(Conflict, match="there are 120 claims"):
            draw(session, project, who)
        late = make_claim(session, project, True, make_player(session, project), votes=7)
        pair = draw(session, project, who)
        assert late in pair
        assert has_pair(session, project, who, digest=DIGEST)


@pytest.mark.parametrize(("topic", "index"), [("", "ix_game_claims_fewest"), ("Rivers", "ix_game_claims_played")])
def test_a_pair_among_many_is_read_from_an_index(empty_sqlite: Path, tmp_path: Path, topic: str, index: str) -> None:
    """Neither are all claims looked at nor sorted, whether a topic is given or not, however many there are."""
    database = open_studio(shutil.copytree(empty_sqlite, tmp_path / "studio"))
    asked = list[tuple[str, Any]]()

    def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        asked.append((statement, parameters))

    with database.writing() as session:
        project = make_game(session)
        who = make_player(session, project)
        make_claims(session, project, 1)
        first = session.scalars(select(GameClaimRecord).where(GameClaimRecord.topic == "Rivers")).all()[0]
        alike = {column.name: getattr(first, column.name) for column in GameClaimRecord.__table__.columns}
        del alike["id"]
        many = [{**alike, "truth": number % 2 == 0, "page": f"Q{number}"} for number in range(5_000)]
        session.execute(insert(GameClaimRecord), many)
        event.listen(database.engine, "before_cursor_execute", note)
        draw(session, project, who, topic)
        event.remove(database.engine, "before_cursor_execute", note)
        lists = [each for each in asked if "ORDER BY" in each[0]]
        plans = [_plan(session, *each) for each in lists]
        assert len(plans) == 2
        assert all(index in plan and "TEMP B-TREE" not in plan and "SCAN" not in plan for plan in plans), plans
    database.close()


def test_what_every_menu_counts_is_counted_in_indexes(empty_sqlite: Path, tmp_path: Path) -> None:
    """Rows of claims are long, for all of their hints: counting must not read them, nor every row of the ledger."""
    database = open_studio(shutil.copytree(empty_sqlite, tmp_path / "studio"))
    asked = list[tuple[str, Any]]()
    with database.writing() as session:
        project = make_game(session)
        who = make_player(session, project)
        make_claims(session, project, 3)
        event.listen(database.engine, "before_cursor_execute", lambda *given: asked.append((given[2], given[3])))
        assert count_unmet(session, project, who, digest=DIGEST)
        standing_of(session, project, who)
        leaderboard(session, project)
        plans = [_plan(session, *each) for each in list(asked)]
    wanted = {
        index: [plan for plan in plans if f"{table} USING" in plan]
        for table, index in (("game_claims", "ix_game_claims_played"), ("game_points", "ix_game_points_account"))
    }
    assert [len(found) for found in wanted.values()] == [1, 3]
    assert all(f"COVERING INDEX {index}" in plan for index, found in wanted.items() for plan in found), plans
    database.close()


def _plan(session: Session, statement: str, parameters: Any) -> str:
    rows = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
    return "; ".join(row[-1] for row in rows)
