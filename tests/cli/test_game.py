"""`veritab game` as people type it: from an empty folder to a game that is served."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra studio is not installed")

from tests.commands import Done, veritab
from tests.studio.game.exchange.made import published, write_lines


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A studio with a game by invitation."""
    place = tmp_path_factory.mktemp("studios") / "ready"
    assert veritab("studio", "init", place).code == 0
    assert veritab("game", "new", "peaks", "--seed", "7", "--studio", place).code == 0
    return place


@pytest.fixture
def place(ready: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ready, tmp_path / "studio"))


def game(place: Path, *words: object) -> Done:
    return veritab("game", *words, "--studio", place)


def listed(place: Path, *words: object) -> list[dict[str, Any]]:
    done = game(place, *words, "--json")
    assert done.code == 0, done.err
    return done.lines


def test_every_command_of_the_game_has_help() -> None:
    for name in (
        "serve",
        "new",
        "rules",
        "invite",
        "list",
        "open",
        "close",
        "import",
        "export",
        "stats",
        "check",
        "ask-checker",
    ):
        done = veritab("game", name, "--help")
        assert done.code == 0
        assert "--studio" in done.out


def test_a_game_is_made_with_the_rules_of_the_paper_or_of_its_code(place: Path) -> None:
    assert listed(place, "rules", "peaks")[0]["hint_seconds"] == 30
    done = game(
        place, "new", "fast", "--rules", "code", "--set", "vote_seconds=60", "--set", "takes_turns=false", "--open"
    )
    assert done.code == 0
    assert "rules of the code" in done.out
    assert "anybody may play" in done.out
    rules = listed(place, "rules", "fast")[0]
    assert [rules[name] for name in ("hint_seconds", "writing_points", "vote_seconds", "takes_turns")] == [
        10, 100, 60, False,
    ]  # fmt: skip
    games = {each["name"]: each for each in listed(place, "list")}
    assert games["fast"]["is_open"]
    assert not games["peaks"]["is_open"]
    assert "who is invited" in game(place, "list").out


def test_a_game_over_the_almanac_may_begin_with_claims(place: Path) -> None:
    done = game(place, "new", "begun", "--starter")
    assert done.code == 0
    assert "100 claims to begin with" in done.out
    assert {each["name"]: each["claims"] for each in listed(place, "list")} == {"begun": 100, "peaks": 0}


def test_rules_are_changed_and_shown(place: Path) -> None:
    done = game(place, "rules", "peaks", "--set", "hint_seconds=15")
    assert done.code == 0
    assert re.search(r"hint_seconds\s+15", done.out)
    assert listed(place, "rules", "peaks")[0]["hint_seconds"] == 15


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("new", "peaks"), "there is a project 'peaks' already"),
        (("new", "Peaks"), "cannot name a project"),
        (("new", "other", "--rules", "mine"), "expected one of paper, code"),
        (("new", "other", "--set", "hint_secods=3"), "did you mean 'hint_seconds'"),
        (("new", "other", "--set", "hint_seconds"), "expected e.g. --set hint_seconds=10"),
        (("new", "other", "--set", "hint_seconds=soon"), "expected a whole number"),
        (("new", "other", "--corpus", "nowhere"), "nowhere"),
        (("new", "other", "--consent", "nowhere.md"), "cannot read 'nowhere.md'"),
        (("rules", "nothing"), "there is no project 'nothing'"),
        (("rules", "peaks", "--set", "vote_seconds=1"), "vote_seconds is 1"),
        (("invite", "peaks", "--places", "0"), "places"),
        (("invite", "nothing"), "there is no project 'nothing'"),
        (("open", "nothing"), "there is no project 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_told(place: Path, words: tuple[str, ...], said: str) -> None:
    done = game(place, *words)
    assert done.code in (1, 2)
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_a_project_that_is_no_game_is_refused(place: Path) -> None:
    create = ("studio", "project", "create", "rivers", "--set", "calibration_size=0", "--studio", place)
    assert veritab(*create).code == 0
    for words in (("rules", "rivers"), ("invite", "rivers"), ("open", "rivers")):
        done = game(place, *words)
        assert done.code == 1
        assert "'rivers' is not a game" in done.err
    assert [each["name"] for each in listed(place, "list")] == ["peaks"]
    done = veritab("studio", "project", "create", "other", "--workflow", "game", "--studio", place)
    assert "veritab game new" in done.err


def test_an_invitation_is_a_link_that_is_printed_once(place: Path) -> None:
    done = game(place, "invite", "peaks", "--places", 20, "--address", "https://play.example/")
    assert re.fullmatch(r"https://play\.example/join/[\w-]{40,}", done.out.strip())
    made = listed(place, "invite", "peaks", "--manager")[0]
    assert (made["role"], made["places"]) == ("manager", 1)


def test_a_game_is_opened_to_all_and_closed_again(place: Path) -> None:
    assert "anybody" in game(place, "open", "peaks").out
    assert listed(place, "list")[0]["is_open"]
    assert "by invitation" in game(place, "close", "peaks").out
    assert not listed(place, "list")[0]["is_open"]


def test_consent_is_read_from_a_file(place: Path, tmp_path: Path) -> None:
    text = tmp_path / "consent.md"
    text.write_text("Play fair.", encoding="utf-8")
    assert game(place, "new", "fair", "--consent", text).code == 0


def test_a_corpus_that_has_not_changed_is_told_so(place: Path) -> None:
    done = veritab("studio", "project", "accept-corpus", "peaks", "--studio", place)
    assert done.code == 0
    assert "has not changed" in done.out


def test_where_there_is_no_studio_it_is_told_how_to_make_one(tmp_path: Path) -> None:
    done = game(tmp_path / "no", "list")
    assert (done.code, "veritab studio init" in done.err) == (1, True)


def test_the_commands_of_the_howto_can_be_typed_one_after_the_other(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "howto-game.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("veritab")]
    lines.remove("veritab game serve")
    write_lines(tmp_path / "fm2.jsonl", [published(1), published(2)])
    for line in lines:
        done = veritab(*shlex.split(line)[1:], cwd=tmp_path)
        assert done.code == 0, f"{line}\n{done.err}"
    assert len(lines) >= 15
    assert len((tmp_path / "peaks.jsonl").read_text(encoding="utf-8").splitlines()) == 2


# -- serving -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_command_in_an_empty_folder_serves_a_game_that_anybody_may_play(tmp_path: Path) -> None:
    said, pages = serve(tmp_path, "/", "/play/game", "join")
    assert "made a studio in" in said
    assert "made the game 'game' over the bundled almanac, by the rules of the paper, with 100 claims to begin" in said
    assert "anybody who reaches it may play" in said
    assert "Spot the false one" in pages[0]
    assert "Pseudonym" in pages[1]
    assert "You are invited to run this game" in pages[2]
    said, _ = serve(tmp_path)
    assert "made" not in said
    assert "nobody runs it yet" in said  # until somebody has opened the link


@pytest.mark.slow
def test_a_game_over_another_corpus_is_made_beside_the_first(tmp_path: Path, place: Path) -> None:
    pages = tmp_path / "My pages.md"
    pages.write_text("# Lakes\n\nThe lake is deep. It is cold.\n", encoding="utf-8")
    corpus = tmp_path / "My Lakes"
    assert veritab("ingest", pages, "--into", corpus).code == 0
    assert veritab("index", corpus).code == 0
    said, _ = serve(tmp_path, words=("--corpus", str(corpus), "--studio", str(place)))
    assert "made the game 'my-lakes'" in said
    assert "to begin with" not in said
    done = game(place, "new", "more-lakes", "--corpus", corpus, "--starter")
    assert (done.code, "make it without --starter" in " ".join(done.err.split())) == (2, True)
    assert "more-lakes" not in {each["name"] for each in listed(place, "list")}
    assert "game peaks: people play by invitation" in said
    assert f"veritab game invite peaks --studio {place}" in said


def serve(folder: Path, *paths: str, words: tuple[str, ...] = ()) -> tuple[str, list[str]]:
    """What a server says before it listens, and what some of its pages say; "join" is the link that it printed."""
    environment = {**os.environ, "COLUMNS": "300", "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
    command = [sys.executable, "-m", "veritab", "game", "serve", "--port", "0", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stderr is not None
        said = []
        for line in server.stderr:
            said.append(line)
            if "listening on" in line:
                break
        assert "listening on" in said[-1], said
        pages = []
        try:
            address = said[-1].split()[2].rstrip("/")
            link = next((line.split()[-1] for line in said if "/join/" in line), "")
            for path in ("/healthz", *paths):
                with urllib.request.urlopen(link if path == "join" else f"{address}{path}", timeout=30) as answer:
                    pages.append(answer.read().decode())
        finally:
            server.send_signal(signal.SIGINT)
        server.wait(30)
    assert server.returncode == 0
    return "".join(said), pages[1:]


def test_what_a_game_teaches_is_printed_beside_the_paper(place: Path) -> None:
    done = game(place, "stats", "peaks")
    assert done.code == 0
    assert "votes that were wrong" in done.out
    assert "20.4 %" in done.out
    assert "no round was voted in" in done.out
    (found,) = listed(place, "stats", "peaks", "--prior", "fitted")
    assert found["posterior"]["prior"]["reason"] == "fewer than two claims have two votes"
    done = game(place, "stats", "peaks", "--prior", "mine")
    assert done.code == 2
    assert "the prior is 'mine'; expected paper, fitted" in done.err
    assert "there is no project" in game(place, "stats", "lakes").err
    assert listed(place, "ask-checker", "peaks") == [{"name": "peaks", "asked": 0}]
