"""The claims that ship: fair, balanced, about the almanac as it is, and enough for somebody who comes alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hatchling.builders.wheel import WheelBuilder
from sqlalchemy import select

from tests.studio.game.writers import NOW, make_game, make_player
from veritab.errors import InputError
from veritab.pipeline import Checker
from veritab.schema import CELLS, ElementId
from veritab.settings import Settings
from veritab.studio.advice import AdviceCode
from veritab.studio.database import Database
from veritab.studio.game.checking import check_game
from veritab.studio.game.claim_checks import claim_advice, claim_faults, learn_giveaways
from veritab.studio.game.pieces import EvidencePiece, pieces_of
from veritab.studio.game.playing import begin_round
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.starting import StarterClaim, add_starter_claims, starter_claims
from veritab.studio.game.topics import topics_of
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.opened import corpus_digest
from veritab.studio.projects import add_member
from veritab.studio.records import ProjectRecord
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Role


@pytest.fixture(scope="module")
def almanac() -> Iterator[Checker]:
    with Checker.open(None, Settings().replaced({"verify.model": "none", "select.model": "none"})) as checker:
        yield checker


@pytest.fixture(scope="module")
def claims() -> list[StarterClaim]:
    return starter_claims()


def test_the_evidence_of_every_claim_is_in_the_almanac_and_nothing_forbids_the_claim(
    almanac: Checker, claims: list[StarterClaim]
) -> None:
    for claim in claims:
        page = almanac.store.page(claim.page)
        assert page.title == claim.page
        assert claim_faults(claim.text, claim.gold, page) == [], claim
        assert all(piece.text for piece in pieces_of(page, claim.gold))


def test_half_of_the_claims_of_every_topic_are_true(almanac: Checker, claims: list[StarterClaim]) -> None:
    topics = topics_of(almanac)
    found = Counter((topics.topic_of(claim.page), claim.truth) for claim in claims)
    assert found == {(topic, truth): 5 for topic in topics.names() for truth in (True, False)}


def test_each_claim_is_about_a_page_of_its_own_and_many_rest_on_cells(claims: list[StarterClaim]) -> None:
    for named in ("id", "text", "page"):
        assert len({getattr(claim, named) for claim in claims}) == len(claims) == 100
    assert all(claim.id.startswith("starter-") for claim in claims)
    assert sum(any(ElementId.parse(id).kind in CELLS for id in claim.gold) for claim in claims) >= 50


def test_no_claim_copies_a_sentence_or_leaves_open_whom_it_is_about(
    almanac: Checker, claims: list[StarterClaim]
) -> None:
    unwanted = {AdviceCode.COPIED, AdviceCode.NEARLY_COPIED, AdviceCode.PRONOUN}
    for claim in claims:
        advice = claim_advice(claim.text, almanac.store.page(claim.page))
        assert unwanted.isdisjoint(each.code for each in advice), claim


def test_no_word_tells_the_true_claims_from_the_false_ones(claims: list[StarterClaim]) -> None:
    assert learn_giveaways([(claim.text, claim.truth) for claim in claims]) == ()
    lengths = {truth: sum(len(each.text) for each in claims if each.truth is truth) for truth in (True, False)}
    assert 0.9 < lengths[True] / lengths[False] < 1.1


def test_they_are_published_with_hints_that_hold_nothing_of_the_evidence(database: Database, almanac: Checker) -> None:
    with database.writing() as session:
        game = make_game(session, almanac)
        assert add_starter_claims(session, game, almanac, now=NOW) == 100
        played = session.scalars(
            select(GameClaimRecord).where(
                GameClaimRecord.project_id == game.id, GameClaimRecord.state == GameClaimState.PLAYING.value
            )
        ).all()
        assert len(played) == 100
        for claim in played:
            assert (claim.author_id, claim.corpus_digest) == (None, corpus_digest(almanac))
            assert claim.source_id.startswith("starter-")
            gold, hints = ([EvidencePiece.parse(each) for each in of["pieces"]] for of in (claim.gold, claim.hints))
            assert 1 <= len(gold) <= 2
            assert len(hints) == 10
            ids = {id for piece in gold for id in piece.ids}
            assert all(ids.isdisjoint(hint.ids) for hint in hints), claim.text
            assert {piece.text for piece in gold}.isdisjoint(hint.text for hint in hints)
        assert list(check_game(session, game)) == []


def test_somebody_alone_can_vote_at_once_in_every_topic(database: Database, almanac: Checker) -> None:
    topics = topics_of(almanac)
    with database.writing() as session:
        game = make_game(session, almanac)
        add_starter_claims(session, game, almanac, now=NOW)
        for topic in topics.names():
            player = make_player(session)
            add_member(session, game, player, Role.ANNOTATOR, now=NOW, stage=MemberStage.APPROVED)
            begun = begin_round(session, game, player, topic, rng=Random(1), digest=corpus_digest(almanac), now=NOW)
            sides = [session.get_one(GameClaimRecord, id) for id in (begun.left_id, begun.right_id)]
            assert {claim.truth for claim in sides} == {True, False}
            assert {claim.topic for claim in sides} == {topic}


def test_a_game_over_another_corpus_does_not_get_them(almanac: Checker, database: Database) -> None:
    with database.writing() as session:
        game: ProjectRecord = make_game(session, almanac)
        game.corpus = "/home/me/rivers"
        with pytest.raises(InputError, match="are about the bundled almanac, and this game is over '/home/me/rivers'"):
            add_starter_claims(session, game, almanac, now=NOW)


def test_a_wheel_carries_them() -> None:
    root = str(Path(__file__).parents[3])
    carried = {Path(file.distribution_path) for file in WheelBuilder(root).recurse_included_files()}
    assert Path("veritab/studio/game/starter.jsonl") in carried
