"""The claims of a game go out as a data set, and what should not go out stays."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.studio.game.exchange.made import (
    GAME,
    NOW,
    bring,
    claims_in,
    game_in,
    leaking,
    piece,
    published,
    read_lines,
    write_lines,
)
from tests.studio.game.table import make_claim, make_player
from tests.studio.people import make_project
from veritab.datasets import load
from veritab.errors import InputError, NotFound
from veritab.pipeline import Checker
from veritab.studio.database import Database
from veritab.studio.exchange.exporting import element_finder
from veritab.studio.game.exchange.exporting import GameExport, export_game
from veritab.studio.game.pieces import EvidencePiece, piece_of
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.game.reviewing import keep_claim
from veritab.studio.game.vocabulary import GameClaimState


def out(database: Database, path: Path, **options: Any) -> GameExport:
    return export_game(database, game_in(database), path, **options)


def written(database: Database, path: Path, **options: Any) -> list[dict[str, Any]]:
    out(database, path, **options)
    return read_lines(path)


def add_claim(database: Database, truth: bool = True, gold: Sequence[EvidencePiece] = (), **about: Any) -> int:
    """A claim that somebody of the game wrote."""
    game = game_in(database)
    with database.writing() as session:
        author = make_player(session, game, "secret-finch")
        claim = make_claim(session, game, truth, author, **about)
        if gold:
            claim.gold = {"pieces": [piece.as_dict() for piece in gold]}
        return claim.id


def test_what_nobody_touched_goes_out_as_it_came_key_by_key(database: Database, tmp_path: Path) -> None:
    odd = dict(
        reversed(published(2, text=" Two  spaces. ", id=17, extra={"b": 1, "a": [None, 1.5]}, label="supports").items())
    )
    few = {
        key: value
        for key, value in published(3).items()
        if key not in ("total_likes", "category", "retrieved_evidence")
    }
    records = [published(1), odd, few]
    bring(database, write_lines(tmp_path / "in.jsonl", records))
    out(database, tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "in.jsonl").read_bytes()


def test_gold_after_the_tenth_passage_is_left_off_unless_it_is_asked_for(database: Database, tmp_path: Path) -> None:
    among = published(2)
    longer = leaking(3, retrieved_evidence=[*leaking(3)["retrieved_evidence"], piece("An eleventh passage.")])
    records = [leaking(1), among, longer]
    bring(database, write_lines(tmp_path / "in.jsonl", records))
    first, second, third = written(database, tmp_path / "out.jsonl")
    assert first == leaking(1) | {"retrieved_evidence": leaking(1)["retrieved_evidence"][:10]}
    assert second == among, "what was retrieved among the ten is no leak"
    assert third["retrieved_evidence"] == [*leaking(3)["retrieved_evidence"][:10], piece("An eleventh passage.")]
    out(database, tmp_path / "all.jsonl", as_published=True)
    assert (tmp_path / "all.jsonl").read_bytes() == (tmp_path / "in.jsonl").read_bytes()


def test_votes_and_likes_since_are_added(database: Database, tmp_path: Path) -> None:
    few = {key: value for key, value in published(2).items() if not key.startswith("total")} | {"correct_votes": 0}
    bring(database, write_lines(tmp_path / "in.jsonl", [published(1), few]))
    with database.writing() as session:
        for claim in claims_in(database):
            held = session.get_one(GameClaimRecord, claim.id)
            held.votes, held.right_votes, held.likes = claim.votes + 2, claim.right_votes + 1, claim.likes + 1
    first, second = written(database, tmp_path / "out.jsonl")
    assert first == published(1, total_votes=5, correct_votes=3, total_likes=2)
    assert list(first) == list(published(1))
    assert second == few | {"total_votes": 2, "correct_votes": 1, "total_likes": 1}


def test_a_claim_that_was_written_here_goes_out_without_its_author(
    database: Database, tmp_path: Path, mountains: Checker
) -> None:
    gold = piece_of(mountains.store.page("Aaberg"), ["Aaberg_cell_0_1_1"])
    id = add_claim(database, False, page="Aaberg", topic="", gold=[gold], votes=2, right_votes=1, likes=1)
    (record,) = written(database, tmp_path / "out.jsonl")
    assert "secret-finch" not in (tmp_path / "out.jsonl").read_text()
    assert list(record) == list(published())
    assert record | {"text": "", "retrieved_evidence": []} == {
        "category": "NOCAT",
        "correct_votes": 1,
        "gold_evidence": [
            {
                "section_header": gold.section,
                "text": gold.text,
                "elements": ["Aaberg_cell_0_1_1"],
                "rows": [[list(cell) for cell in row] for row in gold.rows],
            }
        ],
        "id": f"{GAME}-{id}",
        "label": "REFUTES",
        "retrieved_evidence": [],
        "text": "",
        "total_likes": 1,
        "total_votes": 2,
        "wikipedia_page": "Aaberg",
    }
    assert len(record["retrieved_evidence"]) == 10


def test_what_goes_out_comes_in_again_and_goes_out_the_same(
    database: Database, tmp_path: Path, mountains: Checker
) -> None:
    gold = piece_of(mountains.store.page("Aaberg"), ["Aaberg_cell_0_1_1"])
    add_claim(database, page="Aaberg", gold=[gold])
    bring(database, write_lines(tmp_path / "in.jsonl", [published(1)]))
    out(database, tmp_path / "out.jsonl")
    bring(database, tmp_path / "out.jsonl", mountains, game="lakes")
    export_game(database, game_in(database, "lakes"), tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()
    own, _ = claims_in(database, "lakes")
    assert EvidencePiece.parse(own.gold["pieces"][0]) == gold


def test_no_two_claims_have_one_id(database: Database, tmp_path: Path) -> None:
    id = add_claim(database)
    taken = [f"{GAME}-{id}", f"{GAME}-{id}-2"]
    bring(database, write_lines(tmp_path / "in.jsonl", [published(n, id=each) for n, each in enumerate(taken)]))
    assert [each["id"] for each in written(database, tmp_path / "out.jsonl")] == [f"{GAME}-{id}-3", *taken]


def test_claims_that_rest_were_withdrawn_or_are_for_practice_stay_here(database: Database, tmp_path: Path) -> None:
    kept = add_claim(database)
    resting = add_claim(database, state=GameClaimState.RESTING.value)
    add_claim(database, state=GameClaimState.WITHDRAWN.value)
    report = out(database, tmp_path / "out.jsonl")
    assert (report.claims, report.left_out) == (1, {"practice": 2, "resting": 1, "withdrawn": 1})
    assert [each["id"] for each in read_lines(tmp_path / "out.jsonl")] == [f"{GAME}-{kept}"]
    both = written(database, tmp_path / "both.jsonl", states=["playing", "resting"])
    assert [each["id"] for each in both] == [f"{GAME}-{kept}", f"{GAME}-{resting}"]


def test_claims_that_may_name_somebody_stay_here_until_somebody_has_looked(database: Database, tmp_path: Path) -> None:
    doubtful = "Write to nobody@example.org about the summit."
    id = add_claim(database, text=doubtful)
    bring(database, write_lines(tmp_path / "in.jsonl", [published(1, text=doubtful)]))
    report = out(database, tmp_path / "out.jsonl")
    assert (report.claims, report.left_out) == (1, {"practice": 2, "marked for review": 1})
    with database.writing() as session:
        keep_claim(session, game_in(database), session.get_one(GameClaimRecord, id), by=None, now=NOW)
    assert out(database, tmp_path / "out.jsonl", force=True).claims == 2


def test_feverous_has_the_claims_whose_evidence_has_addresses(
    database: Database, tmp_path: Path, mountains: Checker
) -> None:
    page = mountains.store.page("Aaberg")
    gold = [piece_of(page, ["Aaberg_cell_0_1_1"]), piece_of(page, ["Aaberg_sentence_0"])]
    id = add_claim(database, page="Aaberg", gold=gold, votes=3)
    bring(database, write_lines(tmp_path / "in.jsonl", [published(1)]))
    report = out(database, tmp_path / "out.jsonl", format="feverous", element_of=element_finder(mountains.store))
    assert report.left_out == {"practice": 2, "without addresses": 1}
    (example,) = load(tmp_path / "out.jsonl", strict=True)
    assert example.claim.id == f"{GAME}-{id}"
    assert [sorted(map(str, each)) for each in example.evidence] == [["Aaberg_cell_0_1_1", "Aaberg_sentence_0"]]
    _, line = read_lines(tmp_path / "out.jsonl")
    assert "Aaberg_header_cell_0_0_1" in line["evidence"][0]["context"]["Aaberg_cell_0_1_1"]
    assert (line["total_votes"], line["category"]) == (3, "Rivers")
    assert "secret-finch" not in (tmp_path / "out.jsonl").read_text()


# -- parts -------------------------------------------------------------------------------------------------

_WORDS = "old new high low cold warm steep flat red blue green wide".split()


def bring_many(database: Database, path: Path, claims: int = 120) -> None:
    """Claims three to a page, whose words give some of the labels away."""
    records = [
        published(
            number,
            text=f"Peak {number // 3} is {_WORDS[number % 12]} and {'never' if number % 2 and number % 5 else 'often'} climbed.",
            wikipedia_page=f"Peak {number // 3}",
            label="REFUTES" if number % 2 else "SUPPORTS",
        )
        for number in range(claims)
    ]
    bring(database, write_lines(path, records))


def test_parts_have_no_page_in_common_and_as_many_true_as_false_claims(database: Database, tmp_path: Path) -> None:
    bring_many(database, tmp_path / "in.jsonl")
    shares = {"train": 0.8, "dev": 0.1, "test": 0.1}
    report = out(database, tmp_path / "parts", shares=shares)
    assert [file.name for file in report.files] == ["train.jsonl", "dev.jsonl", "test.jsonl"]
    pages: dict[str, set[str]] = defaultdict(set)
    ids = []
    for part in report.splits:
        lines = read_lines(tmp_path / "parts" / f"{part.name}.jsonl")
        ids += [line["id"] for line in lines]
        for line in lines:
            pages[line["wikipedia_page"]].add(part.name)
        true = sum(line["label"] == "SUPPORTS" for line in lines)
        assert abs(2 * true - len(lines)) <= 2
        assert part.labels == {"REFUTES": len(lines) - true, "SUPPORTS": true}
    assert all(len(parts) == 1 for parts in pages.values())
    assert sorted(ids) == sorted(f"a{number}" for number in range(120))
    assert [len(part) for part in report.splits] == pytest.approx([96, 12, 12], abs=3)
    again = out(database, tmp_path / "again", shares=shares)
    assert [file.read_bytes() for file in again.files] == [file.read_bytes() for file in report.files]


def test_a_partition_tells_which_claims_their_words_give_away(database: Database, tmp_path: Path) -> None:
    bring_many(database, tmp_path / "in.jsonl")
    report = out(database, tmp_path / "out.jsonl", partition=tmp_path / "easy.jsonl")
    parts = {line["id"]: line["partition"] for line in read_lines(tmp_path / "easy.jsonl")}
    assert list(parts) == [line["id"] for line in read_lines(tmp_path / "out.jsonl")]
    assert report.easy == list(parts.values()).count("EASY") > 60
    assert report.as_dict()["hard"] == 120 - report.easy


# -- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"format": "kilt"}, "no format 'kilt'; expected one of fm2, feverous, time"),
        ({"states": ["practice"]}, "practice is not exported"),
        ({"states": []}, "nothing is not exported"),
        (
            {"format": "feverous"},
            "no claim of game 'peaks' can be written as feverous: 2 practice, 1 without addresses",
        ),
        ({"format": "feverous", "as_published": True}, "only fm2 has a published form"),
        ({"shares": {"train": 0.5, "dev": 0.5}}, "nothing is left for"),
        ({"shares": {"train": 0.5}}, "are not shares of a whole"),
        ({"partition": Path("easy.jsonl")}, "1 claims cannot be cut into EASY and HARD"),
    ],
)
def test_what_cannot_be_written_is_told_and_leaves_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    bring(database, write_lines(tmp_path / "in.jsonl", [published(1)]))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError) as caught:
        out(database, tmp_path / "out", **options)
    assert said in str(caught.value)
    assert sorted(tmp_path.iterdir()) == before


def test_files_that_are_there_are_written_over_only_with_force(database: Database, tmp_path: Path) -> None:
    bring(database, write_lines(tmp_path / "in.jsonl", [published(1)]))
    (tmp_path / "out.jsonl").write_text("mine")
    with pytest.raises(InputError, match="is there already; name another file, or write over it with --force"):
        out(database, tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == "mine"
    assert out(database, tmp_path / "out.jsonl", force=True).claims == 1
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "train.jsonl").write_text("mine")
    with pytest.raises(InputError, match="name a new folder"):
        out(database, tmp_path / "parts", shares={"train": 0.5, "dev": 0.5}, force=True)
    with pytest.raises(InputError, match="make it first"):
        out(database, tmp_path / "gone" / "parts", shares={"train": 0.5, "dev": 0.5})


def test_a_packed_file_is_written_where_the_name_says_so(database: Database, tmp_path: Path) -> None:
    bring(database, write_lines(tmp_path / "in.jsonl", [published(1), published(2)]))
    ticks: list[int] = []
    out(database, tmp_path / "out.jsonl.gz", tick=ticks.append)
    lines = gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).splitlines()
    assert [*map(json.loads, lines)] == [published(1), published(2)]
    assert ticks == [2]


def test_an_accident_leaves_no_part_of_a_file(database: Database, tmp_path: Path) -> None:
    bring(database, write_lines(tmp_path / "in.jsonl", [published(1)]))

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    for options in ({}, {"shares": {"a": 0.5, "b": 0.5}}):
        with pytest.raises((KeyboardInterrupt, InputError)):
            out(database, tmp_path / "out", tick=stop, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) in (["in.jsonl"], ["in.jsonl", "studio"])


def test_a_project_that_is_no_game_is_told(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
    with pytest.raises(NotFound, match="'rivers' is not a game"):
        export_game(database, project, tmp_path / "out.jsonl")
