"""What goes into a game and comes out of it, as people type it."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.commands import Done, veritab

pytest.importorskip("sqlalchemy", reason="the extra studio is not installed")

from tests.studio.game.exchange.made import leaking, published, read_lines, write_lines
from tests.studio.game.table import false_side, make_player
from veritab.studio.database import open_studio
from veritab.studio.game.playing import begin_round, cast_vote, like_claim
from veritab.studio.game.records import GameClaimRecord
from veritab.studio.projects import find_project

NOW = 1_700_000_000.0
PAGE = "Mount Everest"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A studio with a game over the almanac, into which two claims came."""
    place = tmp_path_factory.mktemp("studios") / "ready"
    assert veritab("studio", "init", place).code == 0
    assert veritab("game", "new", "peaks", "--seed", "7", "--set", "takes_turns=false", "--studio", place).code == 0
    file = write_lines(place / "in.jsonl", [published(1), leaking(2)])
    assert game(place, "import", "peaks", file, "--without-corpus").code == 0
    return place


@pytest.fixture
def place(ready: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ready, tmp_path / "studio"))


def game(place: Path, *words: object) -> Done:
    return veritab("game", *words, "--studio", place)


def play(place: Path) -> str:
    """Somebody spots the false claim and likes the one on the left; their pseudonym."""
    database = open_studio(place)
    with database.writing() as session:
        project = find_project(session, "peaks")
        player = make_player(session, project, "secret-finch")
        record = begin_round(session, project, player, "", rng=random.Random(1), digest=project.corpus_digest, now=NOW)
        cast_vote(session, record, false_side(record), now=NOW + 30)
        like_claim(session, record, "left", now=NOW + 40)
    database.close()
    return "secret-finch"


def test_claims_come_in_and_evidence_that_the_corpus_has_is_found(place: Path, tmp_path: Path) -> None:
    shown = veritab("show", f"{PAGE}_sentence_0", "--json").json
    gold = {"section_header": "", "text": shown["text"]}
    file = write_lines(tmp_path / "a.jsonl", [published(3, wikipedia_page=PAGE, gold_evidence=[gold]), published(4)])
    told = game(place, "import", "peaks", file, "--json").json
    assert told == {"game": "peaks", "claims": 2, "true": 1, "on_corpus": 1, "votes": 6, "right_votes": 4, "likes": 2}
    again = game(place, "import", "peaks", file)
    assert (again.code, again.out) == (1, "")
    assert "is in the game already: it was imported on" in again.err
    other = game(place, "import", "peaks", write_lines(tmp_path / "b.jsonl", [published(5)]), "--without-corpus")
    assert other.out == (
        "1 claim of b.jsonl in peaks: 1 true, 0 false; 0 with evidence that the corpus has; "
        "2 of 3 votes right, 1 like\n"
    )


def test_a_file_with_faults_is_refused_by_line(place: Path, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "a.jsonl", [published(3), published(4, label="NOT ENOUGH INFO"), published(3)])
    done = game(place, "import", "peaks", file, "--without-corpus")
    assert (done.code, done.out) == (2, "")
    assert "line 2: the label is NOT ENOUGH INFO" in done.err
    assert "line 3: the id 'a3' came before in line 1" in done.err
    assert game(place, "list", "--json").lines[0]["claims"] == 2


def test_what_came_goes_out_with_the_votes_since(place: Path, tmp_path: Path) -> None:
    done = game(place, "export", "peaks", tmp_path / "before.jsonl")
    assert done.out == f"2 claims written to {tmp_path / 'before.jsonl'} as fm2\n"
    assert "left out: 2 claims, practice" in done.err
    name = play(place)
    told = game(place, "export", "peaks", tmp_path / "after.jsonl", "--as-published", "--json").json
    assert told == {
        "format": "fm2",
        "files": [str(tmp_path / "after.jsonl")],
        "claims": 2,
        "left_out": {"practice": 2},
    }
    first, second = read_lines(tmp_path / "after.jsonl")
    likes = first["total_likes"], second["total_likes"]
    assert sorted(likes) == [1, 2]
    assert first == published(1, total_votes=4, correct_votes=3, total_likes=likes[0])
    assert second == leaking(2, total_votes=4, correct_votes=3, total_likes=likes[1])
    assert name not in (tmp_path / "after.jsonl").read_text()


def test_playing_time_goes_out_alone(place: Path, tmp_path: Path) -> None:
    name = play(place)
    told = game(place, "export", "peaks", tmp_path / "time.csv", "--format", "time", "--json").json
    assert (told["accounts"], told["seconds"]) == (1, 40)
    header, line = (tmp_path / "time.csv").read_text().splitlines()
    assert header == "account,day,seconds"
    assert line.startswith(name)
    assert line.endswith(",2023-11-14,40")
    assert "is there already" in game(place, "export", "peaks", tmp_path / "time.csv", "--format", "time").err
    assert game(place, "export", "peaks", tmp_path / "time.csv", "--format", "time", "--force").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export", "peaks", "out.jsonl", "--format", "time", "--split", "a=.5,b=.5"), "takes no options of claims"),
        (("export", "peaks", "out", "--split", "train"), "'train' is not a part"),
        (("export", "peaks", "out", "--split", "train=.5,train=.5"), "names two"),
        (("export", "peaks", "out.jsonl", "--format", "feverous"), "2 without addresses"),
        (("export", "peaks", "out.jsonl", "--state", "practice"), "practice is not exported"),
        (("export", "peaks", "out.jsonl", "--partition", "easy.jsonl"), "cannot be cut into EASY and HARD"),
    ],
)
def test_what_cannot_be_done_is_told_and_leaves_nothing(
    place: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = veritab("game", *words, "--studio", place, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["studio"]


@pytest.mark.parametrize("words", [("import", "{}"), ("export", "out.jsonl"), ("check",), ("review-list",)])
def test_a_game_that_is_not_there_is_told(place: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    name, *rest = words
    done = veritab("game", name, "lakes", *rest, "--studio", place, cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "no project 'lakes'" in done.err


def test_a_game_is_checked_against_its_moves(place: Path) -> None:
    play(place)
    assert game(place, "check", "peaks").out == "all is as the moves say\n"
    database = open_studio(place)
    with database.writing() as session:
        claim = session.query(GameClaimRecord).filter_by(source_id="a1").one()
        claim.votes += 1
        number = claim.id
    database.close()
    done = game(place, "check", "peaks")
    assert done.code == 3
    assert f"claim {number}: " in done.out
    assert done.out.endswith("1 problem\n")
    told = game(place, "check", "peaks", "--json")
    assert (told.code, told.json["ok"], len(told.json["problems"])) == (3, False, 1)


def test_what_waits_for_review_is_told(place: Path, tmp_path: Path) -> None:
    doubtful = published(3, text="Write to nobody@example.org about peak 3.")
    game(place, "import", "peaks", write_lines(tmp_path / "a.jsonl", [doubtful]), "--without-corpus")
    (row,) = game(place, "review-list", "peaks", "--json").lines
    assert (row["reasons"], row["text"]) == (["marked"], doubtful["text"])
    assert doubtful["text"] in game(place, "review-list", "peaks").out
