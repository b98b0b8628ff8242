"""Writing a claim: a page by lot, a truth that is given, a clock, and what forbids publishing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import select

from tests.retrieve.corpora import indexed
from tests.studio.game.writers import BARE, NILE, NOW, RHINE, begin, corpus_of, make_game, make_player
from veritab.errors import Conflict, InputError, NotFound
from veritab.pipeline import Checker
from veritab.schema import Page, Sentence, TableBlock
from veritab.studio.database import Database
from veritab.studio.game.games import change_rules
from veritab.studio.game.pieces import EvidencePiece
from veritab.studio.game.records import GameClaimRecord, GamePointRecord
from veritab.studio.game.vocabulary import GameClaimState, PointKind, WritingState
from veritab.studio.game.writing import (
    MOST_OTHER_PAGES,
    changed_claims,
    expire_writings,
    find_writing,
    follow_corpus,
    give_up,
    keep_draft,
    known_claims,
    pages_left,
    publish,
    rest_changed,
    take_other_page,
)
from veritab.studio.opened import corpus_digest
from veritab.studio.projects import trail_of

CLAIM = "The longest river of Africa ends in the Mediterranean."


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    with corpus_of(tmp_path_factory.mktemp("corpus"), NILE, BARE) as opened:
        yield opened


@pytest.fixture(scope="module")
def rivers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    pages = [Page(f"River {number}", (Sentence(0, f"River {number} is {number} km long."),)) for number in range(6)]
    with corpus_of(tmp_path_factory.mktemp("rivers"), *pages) as opened:
        yield opened


# -- a page and a truth


def test_an_author_gets_a_page_a_truth_and_eight_minutes(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        writing = begin(session, make_game(session, checker), make_player(session), checker)
        assert (writing.page, writing.state, writing.deadline) == ("Nile", "open", NOW + 480)


def test_a_page_without_evidence_is_never_drawn(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        game = make_game(session, checker)
        drawn = {begin(session, game, make_player(session), checker, seed=seed).page for seed in range(20)}
    assert drawn == {"Nile"}


def test_a_corpus_without_any_evidence_says_so(database: Database, tmp_path: Path) -> None:
    with corpus_of(tmp_path / "bare", BARE) as checker, database.writing() as session:
        game = make_game(session, checker)
        with pytest.raises(Conflict, match="no page of this corpus has a sentence"):
            begin(session, game, make_player(session), checker)


def test_a_topic_that_is_none_is_named(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        game = make_game(session, checker)
        with pytest.raises(InputError, match="this corpus has no topic 'Moons'"):
            begin(session, game, make_player(session), checker, topic="Moons")


def test_the_open_one_goes_on(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        game, player = make_game(session, checker), make_player(session)
        first = begin(session, game, player, checker)
        assert begin(session, game, player, checker, now=NOW + 479).id == first.id
        later = begin(session, game, player, checker, now=NOW + 480)
        assert (first.state, first.ended_at, later.state) == ("timed out", NOW + 480, "open")


def test_pages_with_the_fewest_claims_come_first(database: Database, rivers: Checker) -> None:
    with database.writing() as session:
        game = make_game(session, rivers)
        drawn = [begin(session, game, make_player(session), rivers, seed=seed).page for seed in range(12)]
    assert set(drawn[:6]) == set(drawn[6:]) == {f"River {number}" for number in range(6)}


def test_half_of_the_claims_are_to_be_true_of_each_page_and_in_all(database: Database, rivers: Checker) -> None:
    with database.writing() as session:
        game = make_game(session, rivers)
        given = [begin(session, game, make_player(session), rivers, seed=seed) for seed in range(24)]
        truths = Counter((writing.page, writing.truth) for writing in given)
    assert set(truths.values()) == {2}
    assert sum(writing.truth for writing in given[:6]) == 3


def test_another_page_of_the_topic_may_be_taken_but_the_clock_goes_on(database: Database, rivers: Checker) -> None:
    with database.writing() as session:
        writing = begin(session, make_game(session, rivers), make_player(session), rivers)
        keep_draft(session, writing, "River", ["x"], now=NOW + 5)
        page, deadline = writing.page, writing.deadline
        take_other_page(session, writing, checker=rivers, rng=Random(3), now=NOW + 10)
        assert (writing.page != page, writing.deadline) == (True, deadline)
        assert (writing.draft["text"], writing.draft["gold"]) == ("", [])


def test_another_page_is_taken_a_few_times_at_most(database: Database, rivers: Checker) -> None:
    with database.writing() as session:
        writing = begin(session, make_game(session, rivers), make_player(session), rivers)
        for left in reversed(range(MOST_OTHER_PAGES)):
            take_other_page(session, writing, checker=rivers, rng=Random(3), now=NOW + 10)
            keep_draft(session, writing, "River", [], now=NOW + 11)
            assert pages_left(writing) == left
        with pytest.raises(Conflict, match="write about this one, or give up"):
            take_other_page(session, writing, checker=rivers, rng=Random(3), now=NOW + 12)


def test_where_there_is_no_other_page_that_is_told(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        writing = begin(session, make_game(session, checker), make_player(session), checker)
        with pytest.raises(Conflict, match="no other page"):
            take_other_page(session, writing, checker=checker, rng=Random(3), now=NOW + 10)


# -- drafts, deadlines, other people


def test_a_draft_is_there_after_a_reload(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        game, player = make_game(session, checker), make_player(session)
        writing = begin(session, game, player, checker)
        keep_draft(session, writing, "The Nile\0 is", ["Nile_sentence_1"], now=NOW + 9)
    with database.reading() as session:
        found = find_writing(session, game, writing.id, player, now=NOW + 20)
        assert found.draft == {"text": "The Nile is", "gold": ["Nile_sentence_1"]}


def test_a_draft_of_a_hundred_thousand_characters_is_refused(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        writing = begin(session, make_game(session, checker), make_player(session), checker)
        with pytest.raises(InputError, match="a draft of 100,000 characters is too long to keep"):
            keep_draft(session, writing, "x" * 100_000, [], now=NOW)


def test_nobody_finds_what_another_writes(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        game, other = make_game(session, checker), make_game(session, checker)
        player = make_player(session)
        writing = begin(session, game, player, checker)
        for project, number, account in ((game, writing.id, make_player(session)), (other, writing.id, player)):
            with pytest.raises(NotFound, match="you are not writing a claim with the number"):
                find_writing(session, project, number, account, now=NOW)
        with pytest.raises(NotFound):
            find_writing(session, game, 2**80, player, now=NOW)


def test_nothing_can_be_done_after_the_deadline(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        game, player = make_game(session, checker), make_player(session)
        writing = begin(session, game, player, checker)
        late = NOW + 480
        with pytest.raises(Conflict, match="time has run out"):
            publish(session, writing, CLAIM, ["Nile_sentence_0"], checker=checker, now=late)
        with pytest.raises(Conflict, match="time has run out"):
            keep_draft(session, writing, "x", [], now=late)
        assert find_writing(session, game, writing.id, player, now=late).state == WritingState.TIMED_OUT
        with pytest.raises(Conflict, match="this claim is timed out"):
            publish(session, writing, CLAIM, ["Nile_sentence_0"], checker=checker, now=NOW + 1)


def test_whatever_is_due_expires_at_its_deadline(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        game, player = make_game(session, checker), make_player(session)
        writing = begin(session, game, player, checker)
        assert expire_writings(session, now=NOW + 479) == 0
        assert expire_writings(session, now=NOW + 1000) == 1
        session.refresh(writing)
        assert (writing.state, writing.ended_at) == ("timed out", NOW + 480)


def test_a_claim_that_is_given_up_is_over(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        writing = begin(session, make_game(session, checker), make_player(session), checker)
        give_up(session, writing, now=NOW + 3)
        with pytest.raises(Conflict, match="this claim is given up"):
            give_up(session, writing, now=NOW + 4)


# -- publishing


def test_a_claim_is_published_with_its_evidence_and_hints_without_it(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        game, player = make_game(session, checker), make_player(session)
        writing = begin(session, game, player, checker)
        claim = publish(session, writing, f" {CLAIM}\n", ["Nile_sentence_0"], checker=checker, now=NOW + 60)
        assert (claim.text, claim.page, claim.author_id) == (CLAIM, "Nile", player)
        assert (claim.truth, claim.state, claim.corpus_digest) == (writing.truth, "playing", corpus_digest(checker))
        assert (writing.state, writing.claim_id) == ("published", claim.id)
        gold = [EvidencePiece.parse(piece) for piece in claim.gold["pieces"]]
        hints = [EvidencePiece.parse(piece) for piece in claim.hints["pieces"]]
    assert [piece.ids for piece in gold] == [("Nile_sentence_0",)]
    assert len(hints) == 7
    assert not any("Nile_sentence_0" in piece.ids for piece in hints)
    assert sum(bool(piece.rows) for piece in hints) == 2


def test_writing_pays_what_the_rules_say(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        player = make_player(session)
        for points in (0, 100):
            writing = begin(session, make_game(session, checker, writing_points=points), player, checker)
            publish(session, writing, CLAIM, ["Nile_sentence_0"], checker=checker, now=NOW + 60)
        (paid,) = session.scalars(select(GamePointRecord).where(GamePointRecord.account_id == player))
        assert (paid.points, paid.kind, paid.claim_id) == (100, PointKind.WRITING, writing.claim_id)


def test_a_claim_is_published_once(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        writing = begin(session, make_game(session, checker), make_player(session), checker)
        publish(session, writing, CLAIM, ["Nile_sentence_0"], checker=checker, now=NOW + 60)
        with pytest.raises(Conflict, match="this claim is published"):
            publish(session, writing, CLAIM, ["Nile_sentence_0"], checker=checker, now=NOW + 61)


def test_everything_that_forbids_a_claim_is_told_at_once(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        writing = begin(session, make_game(session, checker), make_player(session), checker)
        with pytest.raises(InputError, match=r"(?s)A claim is one sentence.*'Rhine_sentence_0' is of another page"):
            publish(session, writing, "It is long. It is wet.", ["Rhine_sentence_0"], checker=checker, now=NOW + 1)
        assert writing.state == "open"
        assert not session.scalars(select(GameClaimRecord).where(GameClaimRecord.author_id.is_not(None))).all()


def test_a_page_that_has_gone_meanwhile_is_told(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        writing = begin(session, make_game(session, checker), make_player(session), checker)
        writing.page = "Atlantis"
        with pytest.raises(Conflict, match="does not have the page 'Atlantis' any more"):
            publish(session, writing, CLAIM, ["Atlantis_sentence_0"], checker=checker, now=NOW + 1)


def test_an_author_is_told_of_other_claims_about_the_page(database: Database, checker: Checker) -> None:
    with database.writing() as session:
        game = make_game(session, checker)
        publish(
            session,
            begin(session, game, make_player(session), checker),
            CLAIM,
            ["Nile_sentence_0"],
            checker=checker,
            now=NOW + 1,
        )
        writing = begin(session, game, make_player(session), checker)
        assert known_claims(session, writing) == ((CLAIM,), None)


# -- a corpus that changed


@pytest.fixture
def changing(tmp_path: Path) -> Iterator[Checker]:
    with corpus_of(tmp_path / "changing", NILE, RHINE) as opened:
        yield opened


def test_claims_rest_whose_evidence_has_changed(database: Database, changing: Checker) -> None:
    with database.writing() as session:
        game = make_game(session, changing)
        claims = []
        for gold in (["Nile_sentence_1"], ["Nile_cell_0_1_2"], ["Nile_sentence_0"], ["Nile_cell_0_2_1"]):
            writing = begin(session, game, make_player(session), changing)
            writing.page = "Nile"
            claims.append(publish(session, writing, CLAIM, gold, checker=changing, now=NOW + 1))
        blocks = list(NILE.blocks)
        blocks[1] = Sentence(1, "It is about 6,853 km long.")
        table = blocks[-1]
        assert isinstance(table, TableBlock)
        rows = (table.rows[0], (*table.rows[1][:2], table.rows[1][2]._replace(text="110 m")), table.rows[2])
        blocks[-1] = table._replace(rows=rows)
        indexed(changing.store.folder, [replace(NILE, blocks=tuple(blocks)), RHINE]).close()
        assert follow_corpus(session, game, changing, now=NOW + 9) == 2
        assert [claim.state for claim in claims] == ["resting", "resting", "playing", "playing"]
        assert {claim.corpus_digest for claim in claims} == {game.corpus_digest} == {corpus_digest(changing)}
        assert claims[0].reason == "what its evidence says has changed in the corpus"
        assert follow_corpus(session, game, changing, now=NOW + 10) == 0
        noted = [trail.after for trail, _ in trail_of(session, game.id) if trail.what == "follow corpus"]
        assert noted == [{"corpus_digest": game.corpus_digest, "resting": 2}]


def test_claims_rest_before_anybody_has_accepted_the_corpus(database: Database, changing: Checker) -> None:
    with database.writing() as session:
        game = make_game(session, changing)
        claims = []
        for gold in ("Rhine_sentence_1", "Nile_sentence_0"):
            writing = begin(session, game, make_player(session), changing)
            writing.page = gold.partition("_")[0]
            claims.append(publish(session, writing, CLAIM, [gold], checker=changing, now=NOW + 1))
        before = game.corpus_digest
        assert changed_claims(session, game, changing) == []
        indexed(changing.store.folder, [NILE]).close()
        corpus_digest(changing)
        rest_changed(session, changed_claims(session, game, changing))
        assert [claim.state for claim in claims] == ["resting", "playing"]
        assert [claim.corpus_digest for claim in claims] == [before, before] == [game.corpus_digest] * 2
        assert changed_claims(session, game, changing) == []


def test_a_claim_rests_whose_page_is_gone_and_a_withdrawn_one_stays_so(database: Database, changing: Checker) -> None:
    with database.writing() as session:
        game = make_game(session, changing)
        claims = []
        for _ in range(3):
            writing = begin(session, game, make_player(session), changing)
            writing.page = "Rhine"
            claims.append(publish(session, writing, CLAIM, ["Rhine_sentence_1"], checker=changing, now=NOW + 1))
        claims[1].state, claims[2].state, claims[2].reason = "withdrawn", "resting", "reported"
        indexed(changing.store.folder, [NILE]).close()
        follow_corpus(session, game, changing, now=NOW + 9)
        assert [claim.state for claim in claims] == [
            GameClaimState.RESTING,
            GameClaimState.WITHDRAWN,
            GameClaimState.RESTING,
        ]
        assert claims[2].reason == "reported; what its evidence says has changed in the corpus"


def test_writing_and_voting_take_turns(database: Database, rivers: Checker) -> None:
    with database.writing() as session:
        game, player = make_game(session, rivers), make_player(session)
        for writer in (make_player(session), make_player(session), player):
            writing = begin(session, game, writer, rivers)
            text = f"{writing.page} is longer than one would think."
            publish(session, writing, text, [f"{writing.page}_sentence_0"], checker=rivers, now=NOW + 9)
        with pytest.raises(Conflict, match="it is your turn to vote"):
            begin(session, game, player, rivers, now=NOW + 60)
        change_rules(session, game, {"takes_turns": False}, by=None, now=NOW)
        assert begin(session, game, player, rivers, now=NOW + 60).state == "open"
