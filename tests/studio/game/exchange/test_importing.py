"""Claims of Fool Me Twice come into a game: all, or nothing and what is wrong, by line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.studio.game.exchange.made import GAME, NOW, bring, claims_in, game_in, leaking, piece, published, write_lines
from tests.studio.people import make_member, make_project
from veritab.errors import Conflict, InputError, NotAllowed, NotFound
from veritab.pipeline import Checker
from veritab.studio.database import Database
from veritab.studio.exchange.importing import MOST_FAULTS, RefusedImport
from veritab.studio.game.exchange.importing import GameImport, import_fm2
from veritab.studio.game.games import change_rules
from veritab.studio.game.pieces import EvidencePiece
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.opened import corpus_digest
from veritab.studio.projects import close_project, find_project, trail_of
from veritab.studio.upkeep import check_studio
from veritab.studio.vocabulary import Role


def refused(database: Database, path: Path) -> list[str]:
    """The faults of a file of which nothing is kept."""
    with pytest.raises(RefusedImport) as caught:
        bring(database, path)
    assert claims_in(database) == []
    return [str(fault) for fault in caught.value.faults]


def texts(pieces: dict[str, Any]) -> list[str]:
    return [each["text"] for each in pieces["pieces"]]


def test_a_record_becomes_a_claim_that_nobody_wrote_and_anybody_can_play(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [published(1), published(2, total_votes=0, correct_votes=0)])
    assert bring(database, path) == GameImport(2, true=1, on_corpus=0, votes=3, right_votes=2, likes=2)
    first, second = claims_in(database)
    assert (first.author_id, first.state, first.corpus_digest) == (None, GameClaimState.PLAYING, "")
    assert (first.truth, second.truth) == (True, False)
    assert (first.page, first.topic, first.source_id) == ("Peak 1", "Geography", "a1")
    assert (first.votes, first.right_votes, first.likes, second.votes) == (3, 2, 1, 0)
    (gold,) = map(EvidencePiece.parse, first.gold["pieces"])
    assert gold == EvidencePiece("Peak 1 was first climbed in 1901.", "History")
    assert list(check_studio(database)) == []


def test_hints_are_what_was_retrieved_without_the_gold_wherever_it_stands(database: Database, tmp_path: Path) -> None:
    spaced = piece("Peak 2  was first climbed in 1901. ")
    among = published(2)["retrieved_evidence"]
    bring(
        database,
        write_lines(
            tmp_path / "a.jsonl",
            [leaking(1), published(2, retrieved_evidence=[spaced, *among]), published(3, retrieved_evidence=[])],
        ),
    )
    after, within, none = claims_in(database)
    assert texts(after.hints) == [f"Passage {each} about peak 1." for each in range(10)]
    assert texts(within.hints) == [f"Passage {each} about peak 2." for each in range(9)]
    assert texts(none.hints) == []


def test_the_same_words_are_no_second_hint_and_the_rules_say_how_many_there_are(
    database: Database, tmp_path: Path
) -> None:
    game = game_in(database)
    with database.writing() as session:
        change_rules(session, game, {"hints": 2}, by=None, now=NOW)
    twice = [piece("Passage 0.", "A"), piece("Passage 0. ", "B"), piece("Passage 1."), piece("Passage 2.")]
    bring(database, write_lines(tmp_path / "a.jsonl", [published(1, retrieved_evidence=twice)]))
    assert texts(claims_in(database)[0].hints) == ["Passage 0.", "Passage 1."]


def test_packed_files_and_arrays_are_read(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(json.dumps(published(1)).encode()))
    (tmp_path / "b.json").write_text(json.dumps([published(2), published(3)]))
    ticks: list[int] = []
    assert bring(database, tmp_path / "a.jsonl.gz").claims == 1
    assert bring(database, tmp_path / "b.json", tick=ticks.append).claims == 2
    assert ticks == [1, 2]


# -- the corpus --------------------------------------------------------------------------------------------


def test_evidence_that_the_corpus_has_gets_its_address(database: Database, tmp_path: Path, mountains: Checker) -> None:
    climbed, stranger = piece("It was first  climbed in 1901.", "Names"), piece("Nobody has climbed it.")
    there = published(
        1,
        wikipedia_page="Aaberg",
        gold_evidence=[climbed],
        retrieved_evidence=[piece("Aaberg is a mountain."), stranger],
    )
    changed = published(2, wikipedia_page="Aaberg", gold_evidence=[climbed, stranger])
    absent = published(3, gold_evidence=[climbed])
    assert bring(database, write_lines(tmp_path / "a.jsonl", [there, changed, absent]), mountains).on_corpus == 1
    first, second, third = claims_in(database)
    (gold,) = map(EvidencePiece.parse, first.gold["pieces"])
    (address,) = gold.ids
    found = mountains.store.element(address)
    assert found.text == "It was first climbed in 1901."
    assert "Names" in [context.text for context in found.context]
    assert [each["ids"] for each in first.hints["pieces"]] == [["Aaberg_sentence_0"], []]
    assert first.corpus_digest == corpus_digest(mountains)
    for other in (second, third):
        assert other.corpus_digest == ""
        assert not any(each["ids"] for each in other.gold["pieces"])


def test_addresses_of_our_own_files_hold_where_the_corpus_says_the_same_there(
    database: Database, tmp_path: Path, mountains: Checker
) -> None:
    cells = {
        "section_header": "Names",
        "text": "Year: 1900; Height: 1200",
        "elements": ["Aaberg_cell_0_1_0", "Aaberg_cell_0_1_1"],
        "caption": "Heights",
        "rows": [[["Year", True, False], ["Height", True, False]], [["1900", False, True], ["1200", False, True]]],
    }
    other = {**cells, "text": "Year: 1900; Height: 9999"}
    gone = {**cells, "elements": ["Aaberg_cell_7_1_0"]}
    records = [
        published(n, wikipedia_page="Aaberg", gold_evidence=[each]) for n, each in enumerate((cells, other, gone))
    ]
    bring(database, write_lines(tmp_path / "a.jsonl", records), mountains)
    holds, changed, lost = (EvidencePiece.parse(claim.gold["pieces"][0]) for claim in claims_in(database))
    assert holds.ids == ("Aaberg_cell_0_1_0", "Aaberg_cell_0_1_1")
    assert (changed.ids, lost.ids) == ((), ())
    assert [[cell.text for cell in row] for row in lost.rows] == [["Year", "Height"], ["1900", "1200"]]
    assert holds.caption == lost.caption == "Heights"


# -- faults ------------------------------------------------------------------------------------------------


def test_every_fault_of_a_file_is_told_by_its_line(database: Database, tmp_path: Path) -> None:
    other = {"id": 1, "claim": "The Nile is long.", "label": "SUPPORTS", "evidence": []}
    path = write_lines(tmp_path / "a.jsonl", [published(1), other, published(1), published(4)])
    last = published(5, id="a4"), published(6, extra=float("nan")), published(7, label="NOT ENOUGH INFO")
    path.write_text(path.read_text() + "{broken\n" + "".join(json.dumps(each) + "\n" for each in last))
    faults = refused(database, path)
    assert [fault.split(":")[0] for fault in faults] == [f"line {number}" for number in (2, 3, 5, 6, 7, 8)]
    assert "it has id, claim, label, evidence" in faults[0]
    assert "the id 'a1' came before in line 1" in faults[1]
    assert "not JSON" in faults[2]
    assert "numbers that are none" in faults[4]
    assert "the game has only SUPPORTS and REFUTES" in faults[5]


def test_only_so_many_faults_are_told_and_a_hopeless_file_is_not_read_to_its_end(
    database: Database, tmp_path: Path
) -> None:
    seen: list[int] = []
    path = write_lines(tmp_path / "a.jsonl", [{"text": "x"}] * (30 * MOST_FAULTS))
    with pytest.raises(RefusedImport, match="and 2,001 more") as caught:
        bring(database, path, tick=seen.append)
    assert len(caught.value.faults) == MOST_FAULTS
    assert seen[-1] < 30 * MOST_FAULTS


@pytest.mark.parametrize("data", [b"", b"\n\n", b"[]"])
def test_a_file_without_a_claim_is_told(database: Database, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.jsonl").write_bytes(data)
    with pytest.raises(InputError, match=r"a\.jsonl holds no claim"):
        bring(database, tmp_path / "a.jsonl")


def test_what_databases_cannot_hold_is_left_off(database: Database, tmp_path: Path) -> None:
    bring(
        database, write_lines(tmp_path / "a.jsonl", [published(1, text="It \x00is high.", more=["a\x00b", "\\u0000"])])
    )
    (claim,) = claims_in(database)
    assert claim.text == "It is high."
    assert claim.source["more"] == ["ab", "\\u0000"]


def test_the_same_file_again_is_told_whatever_its_name_is(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [published(1)])
    bring(database, path)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(Conflict, match=r"what b\.jsonl\.gz holds is in the game already: it was imported on 2023-11-1"):
        bring(database, tmp_path / "b.jsonl.gz")
    with pytest.raises(RefusedImport, match="the id 'a1' is in the game already"):
        bring(database, write_lines(tmp_path / "c.jsonl", [published(2), published(1)]))
    assert bring(database, path, game="lakes").claims == 1
    assert len(claims_in(database)) == 1


def test_the_trail_tells_what_came(database: Database, tmp_path: Path) -> None:
    bring(database, write_lines(tmp_path / "a.jsonl", [published(1)]), name="claims of May.jsonl")
    with database.reading() as session:
        record, _ = trail_of(session, game_in(database).id)[0]
    assert (record.what, record.subject) == ("import claims", "file claims of May.jsonl")
    assert record.after["claims"] == 1
    assert "Nobody stood" not in json.dumps(record.after)


def test_only_managers_import_and_only_into_games_that_are_open(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [published(1)])
    game = game_in(database)
    with database.writing() as session:
        player = make_member(session, find_project(session, GAME), "swift-wren").account_id
        manager = make_member(session, find_project(session, GAME), "quiet-heron", Role.MANAGER).account_id
        plain = make_project(session, "rivers")
    with pytest.raises(NotAllowed):
        bring(database, path, by=player)
    with pytest.raises(NotFound, match="'rivers' is not a game"), database.writing() as session:
        import_fm2(session, plain, path, now=NOW, by=None)
    with pytest.raises(NotFound, match="no file"):
        bring(database, tmp_path / "gone.jsonl")
    with database.writing() as session:
        close_project(session, find_project(session, game.name), by=None, now=NOW)
    with pytest.raises(Conflict, match="is closed"):
        bring(database, path, by=manager)
