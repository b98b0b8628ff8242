"""`veritab studio` as people type it: from an empty folder to people, tasks, files and figures."""

from __future__ import annotations

import json
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

from tests.commands import Done, veritab
from tests.studio.postgres import running_postgres

PASSWORD = "tea with nine lanterns\n"
COMMANDS = {
    "studio": "init serve import export stats check backup restore account project",
    "account": "add list password administrator close token tokens revoke-token invite invitations revoke-invitation",
    "project": "create list settings close reopen draw accept-corpus guideline members member trail",
}


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A studio with an administrator and a project that they manage."""
    place = tmp_path_factory.mktemp("studios") / "ready"
    assert veritab("studio", "init", place).code == 0
    add = ("studio", "account", "add", "quiet-heron", "--administrator", "--password-stdin", "--studio", place)
    assert veritab(*add, stdin=PASSWORD).code == 0
    create = ("studio", "project", "create", "rivers", "--set", "calibration_size=0", "--manager", "quiet-heron")
    assert veritab(*create, "--studio", place).code == 0
    return place


@pytest.fixture
def place(ready: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ready, tmp_path / "studio"))


def studio(place: Path, *words: object, stdin: str = "") -> Done:
    return veritab("studio", *words, "--studio", place, stdin=stdin)


def listed(place: Path, *words: object) -> list[dict[str, Any]]:
    done = studio(place, *words, "--json")
    assert done.code == 0, done.err
    return done.lines


def test_every_command_of_the_studio_has_json_and_help() -> None:
    for group, names in COMMANDS.items():
        words = ("studio",) if group == "studio" else ("studio", group)
        for name in names.split():
            told = veritab(*words, name, "--help")
            assert told.code == 0
            assert "--json" in told.out or name in ("serve", "account", "project")


def test_a_studio_is_made_where_it_is_told_and_what_comes_next_is_said(tmp_path: Path) -> None:
    done = veritab("studio", "init", tmp_path / "new")
    assert (done.code, done.out) == (0, f"the studio is in {tmp_path / 'new'}\n")
    assert "account add NAME --administrator" in done.err
    assert veritab("studio", "init", tmp_path / "new", "--json").json == {"place": str(tmp_path / "new")}


def test_the_default_place_is_a_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert veritab("studio", "init").code == 0
    assert (tmp_path / "veritab" / "studio" / "studio.sqlite").exists()
    assert veritab("studio", "account", "list", "--json").lines == []


def test_where_there_is_no_studio_it_is_told_how_to_make_one(tmp_path: Path) -> None:
    done = studio(tmp_path, "account", "list")
    assert done.code == 1
    assert "veritab studio init" in done.err


def test_without_the_extra_the_line_that_installs_it_is_told(tmp_path: Path) -> None:
    code = (
        "import sys\nsys.modules['sqlalchemy'] = None\nfrom veritab.cli import main\n"
        f"sys.argv = ['veritab', 'studio', 'init', {str(tmp_path / 'x')!r}]\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'veritab[studio,web]'" in done.stderr
    assert "Traceback" not in done.stderr


# -- accounts ----------------------------------------------------------------------------------------------


def test_accounts_are_added_listed_changed_and_closed(place: Path) -> None:
    assert studio(place, "account", "add", "Swift-Wren", "--password-stdin", stdin=PASSWORD).out == "swift-wren\n"
    drawn = studio(place, "account", "add", "--password-stdin", "--json", stdin=PASSWORD).json["name"]
    assert drawn.count("-") == 2
    assert studio(place, "account", "password", "swift-wren", "--password-stdin", stdin="another long one\n").code == 0
    assert studio(place, "account", "administrator", "swift-wren").code == 0
    assert studio(place, "account", "close", "quiet-heron", "--json").json == {"name": "quiet-heron", "is_closed": True}
    rows = {row["name"]: row for row in listed(place, "account", "list")}
    assert rows["swift-wren"]["is_administrator"]
    assert rows["quiet-heron"]["is_closed"]
    assert rows["quiet-heron"]["projects"] == {"rivers": "manager"}
    assert "closed, administrator" in studio(place, "account", "list").out


@pytest.mark.parametrize(
    ("words", "stdin", "code", "said"),
    [
        (("add", "jo@example.org", "--password-stdin"), PASSWORD, 2, "e-mail"),
        (("add", "quiet-heron", "--password-stdin"), PASSWORD, 1, "taken"),
        (("add", "wren", "--password-stdin"), "short\n", 2, "5 characters"),
        (("add", "wren"), PASSWORD, 2, "--password-stdin"),
        (("password", "nobody", "--password-stdin"), PASSWORD, 1, "no account 'nobody'"),
        (("close", "quiet-heron"), "", 1, "last administrator"),
        (("administrator", "quiet-heron", "--remove"), "", 1, "last administrator"),
        (("invite", "lakes"), "", 1, "no project 'lakes'"),
        (("invite", "rivers", "--role", "administrator"), "", 2, "expected annotator or manager"),
        (("invite", "rivers", "--days", "0"), "", 2, "0 days"),
        (("revoke-invitation", "rivers", "7"), "", 1, "no invitation 7"),
        (("revoke-token", "quiet-heron", "7"), "", 1, "no such token"),
    ],
)
def test_what_cannot_be_done_with_accounts_is_told(
    place: Path, words: tuple[str, ...], stdin: str, code: int, said: str
) -> None:
    done = studio(place, "account", *words, stdin=stdin)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("error: ")
    assert said in done.err


def test_no_password_is_ever_printed_or_kept(place: Path) -> None:
    done = studio(place, "account", "add", "wren", "--password-stdin", stdin=PASSWORD)
    assert PASSWORD.strip() not in done.out + done.err
    assert PASSWORD.strip().encode() not in b"".join(file.read_bytes() for file in place.iterdir())


def test_tokens_are_made_listed_and_revoked(place: Path) -> None:
    made = studio(place, "account", "token", "quiet-heron", "--for", "nightly", "--days", "30").out.strip()
    assert len(made) >= 43
    (row,) = listed(place, "account", "tokens", "quiet-heron")
    assert row["for"] == "nightly"
    assert made not in studio(place, "account", "tokens", "quiet-heron").out
    assert studio(place, "account", "revoke-token", "quiet-heron", row["id"]).code == 0
    assert listed(place, "account", "tokens", "quiet-heron") == []


def test_invitations_are_links_that_are_printed_once(place: Path) -> None:
    link = studio(place, "account", "invite", "rivers", "--address", "https://studio.example/").out.strip()
    assert link.startswith("https://studio.example/join/")
    panel = studio(place, "account", "invite", "rivers", "--panel", "C0FFEE", "--places", "30", "--json").json
    assert panel["link"].endswith("?participant=")
    rows = listed(place, "account", "invitations", "rivers")
    assert [(row["places"], row["is_panel"]) for row in rows] == [(30, True), (1, False)]
    assert studio(place, "account", "revoke-invitation", "rivers", panel["id"]).code == 0
    assert "revoked" in studio(place, "account", "invitations", "rivers").out


# -- projects ----------------------------------------------------------------------------------------------


def test_a_project_is_made_over_the_almanac_with_the_published_numbers(place: Path) -> None:
    done = studio(place, "project", "create", "lakes", "--workflow", "fever", "--title", "Lakes of the world", "--json")
    assert done.json["workflow"] == "fever"
    assert studio(place, "project", "settings", "lakes", "--json").json["overlap"] == {"5": 0.04}
    assert [row["title"] for row in listed(place, "project", "list")] == ["Lakes of the world", "rivers"]


def test_a_project_that_calibrates_says_what_it_needs(place: Path) -> None:
    done = studio(place, "project", "create", "lakes")
    assert "20 tasks of calibration" in done.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("create", "Lakes and Seas"), 2, "cannot name a project"),
        (("create", "rivers"), 1, "already"),
        (("create", "lakes", "--workflow", "feverish"), 2, "fever, feverous, plain"),
        (("create", "lakes", "--set", "gold"), 2, "'gold' is no setting"),
        (("create", "lakes", "--set", "gold_shares=1"), 2, "did you mean 'gold_share'"),
        (("create", "lakes", "--corpus", "no/such/folder"), 1, "no/such/folder"),
        (("create", "lakes", "--manager", "nobody"), 1, "no account 'nobody'"),
        (("create", "lakes", "--consent", "missing.txt"), 1, "'missing.txt'"),
        (("settings", "rivers", "--set", "suggestion=soon"), 2, "'hidden', 'after', 'first'"),
        (("draw", "rivers", "--count", "0"), 2, "--count"),
        (("draw", "rivers", "--count", "5", "--pool", "gold"), 2, "work, practice or calibration"),
        (("draw", "rivers", "--count", "5", "--pool", "calibration"), 2, "--phase"),
        (("guideline", "rivers", "fever-claims"), 1, "no tasks 'fever-claims'"),
        (("guideline", "rivers", "claims"), 2, "not a kind of task"),
        (("member", "rivers", "nobody"), 1, "no account 'nobody'"),
        (("member", "rivers", "quiet-heron", "--step", "praise"), 2, "approve, reject, pause, resume"),
        (("reopen", "rivers"), 1, "open already"),
    ],
)
def test_what_cannot_be_done_with_projects_is_told(place: Path, words: tuple[str, ...], code: int, said: str) -> None:
    done = studio(place, "project", *words)
    assert (done.code, done.out) == (code, "")
    assert done.err.splitlines()[-1].startswith("error: ")
    assert said in done.err


def test_a_project_that_fails_half_way_leaves_nothing(place: Path) -> None:
    studio(place, "project", "create", "lakes", "--manager", "nobody")
    assert [row["name"] for row in listed(place, "project", "list")] == ["rivers"]


def test_settings_are_changed_and_the_trail_tells(place: Path) -> None:
    done = studio(
        place, "project", "settings", "rivers", "--set", "gold_share=0.2", "--set", 'overlap={"2": 0.5}', "--json"
    )
    assert (done.json["gold_share"], done.json["overlap"]) == (0.2, {"2": 0.5})
    first = listed(place, "project", "trail", "rivers")[0]
    assert first["what"] == "change settings"
    assert first["after"] == {"gold_share": 0.2, "overlap": {"2": 0.5}}
    assert "→" in studio(place, "project", "trail", "rivers", "--most", 1).out


def test_tasks_are_drawn_from_the_corpus_and_counted(place: Path) -> None:
    assert studio(place, "project", "draw", "rivers", "--count", 12).out == "12 tasks drawn\n"
    assert listed(place, "project", "list")[0]["tasks"] == {"open": 12}
    done = studio(place, "project", "draw", "rivers", "--count", 5, "--pool", "practice", "--json")
    assert done.json == {"project": "rivers", "tasks": 5, "wanted": 5}


def test_a_closed_project_draws_nothing_until_it_is_open_again(place: Path) -> None:
    assert studio(place, "project", "close", "rivers").code == 0
    assert "closed" in studio(place, "project", "draw", "rivers", "--count", 1).err
    assert studio(place, "project", "reopen", "rivers").code == 0
    assert studio(place, "project", "draw", "rivers", "--count", 1).code == 0


def test_guidelines_are_printed_and_published(place: Path, tmp_path: Path) -> None:
    first = studio(place, "project", "guideline", "rivers", "feverous-verification")
    assert first.out.startswith("# ")
    (tmp_path / "new.md").write_text("# Verify\n\nLook twice, für immer.\n", encoding="utf-8")
    new = studio(
        place, "project", "guideline", "rivers", "feverous-verification", "--publish", tmp_path / "new.md", "--json"
    )
    assert (new.json["version"], new.json["text"]) == (2, "# Verify\n\nLook twice, für immer.")
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe")
    bad = studio(place, "project", "guideline", "rivers", "feverous-claims", "--publish", tmp_path / "bad.md")
    assert (bad.code, "UTF-8" in bad.err) == (2, True)


def test_members_are_added_changed_and_listed(place: Path) -> None:
    studio(place, "account", "add", "swift-wren", "--password-stdin", stdin=PASSWORD)
    added = studio(place, "project", "member", "rivers", "swift-wren")
    assert added.out == "swift-wren: annotator, invited\n"
    assert "agreeing" in added.err
    changed = studio(place, "project", "member", "rivers", "swift-wren", "--role", "manager", "--super", "--json")
    assert (changed.json["role"], changed.json["is_super"]) == ("manager", True)
    assert "possible: " in studio(place, "project", "member", "rivers", "swift-wren", "--step", "pause").err
    assert [row["name"] for row in listed(place, "project", "members", "rivers")] == ["quiet-heron", "swift-wren"]
    assert "super-annotator" in studio(place, "project", "members", "rivers").out


def test_a_changed_corpus_is_told_and_accepted(place: Path, tmp_path: Path) -> None:
    documents, corpus = tmp_path / "documents", tmp_path / "corpus"
    documents.mkdir()
    (documents / "aaberg.md").write_text("# Aaberg\n\nAaberg is a mountain. It is cold.\n")
    assert veritab("ingest", documents, "--into", corpus, "--index").code == 0
    assert studio(place, "project", "create", "peaks", "--corpus", corpus, "--workflow", "fever").code == 0
    assert "has not changed" in studio(place, "project", "accept-corpus", "peaks").out
    (documents / "boberg.md").write_text("# Boberg\n\nBoberg is a mountain. It is warm.\n")
    assert veritab("ingest", documents, "--into", corpus, "--index").code == 0
    refused = studio(place, "project", "draw", "peaks", "--count", 1)
    assert refused.code == 1
    assert "veritab studio project accept-corpus peaks" in refused.err
    assert studio(place, "project", "accept-corpus", "peaks", "--json").json["has_changed"]
    assert studio(place, "project", "draw", "peaks", "--count", 2).out == "2 tasks drawn\n"


# -- in, out and upkeep ------------------------------------------------------------------------------------


def test_claims_go_in_and_come_out_with_their_labels(place: Path, tmp_path: Path) -> None:
    records = [
        {
            "id": 1,
            "claim": "The Danube is longer than the Nile.",
            "label": "REFUTES",
            "evidence": [["Danube_sentence_0"]],
        },
        {"id": 2, "claim": "The Nile is a river.", "label": "SUPPORTS", "evidence": [["Nile_sentence_0"]]},
    ]
    source = tmp_path / "claims.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    taken = studio(place, "import", "rivers", source, "--format", "annotations", "--json")
    assert taken.code == 0, taken.err
    assert taken.json["claims"] == 2
    out = tmp_path / "out.jsonl"
    done = studio(place, "export", "rivers", out, "--all", "--json")
    assert done.code == 0, done.err
    assert done.json["claims"] == 2
    written = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    labels = {record["claim"]: record["label"] for record in written if record["claim"]}
    assert labels == {record["claim"]: record["label"] for record in records}
    assert studio(place, "export", "rivers", tmp_path / "x.jsonl", "--since", "soon").code == 2


def test_a_file_with_faults_is_refused_whole(place: Path, tmp_path: Path) -> None:
    source = tmp_path / "claims.jsonl"
    source.write_text(
        '{"id": 1, "claim": "The Nile is a river.", "label": "SUPPORTS", "evidence": [["Nile_sentence_0"]]}\n'
        '{"id": 2, "claim": "The Nile is long.", "label": "SUPPORTS", "evidence": [["No such page_sentence_0"]]}\n'
    )
    done = studio(place, "import", "rivers", source, "--format", "annotations")
    assert done.code == 2
    assert "No such page_sentence_0" in done.err
    assert listed(place, "project", "list")[0]["tasks"] == {}
    assert studio(place, "import", "rivers", source, "--format", "annotations", "--unchecked").code == 0


def test_plain_sentences_are_work_and_calibration_needs_the_right_answer(place: Path, tmp_path: Path) -> None:
    (tmp_path / "claims.txt").write_text("The Nile is a river.\nThe Danube is a lake.\n")
    done = studio(place, "import", "rivers", tmp_path / "claims.txt")
    assert (done.code, done.out) == (0, "2 claims of claims.txt in rivers, work\n")
    refused = studio(place, "import", "rivers", tmp_path / "claims.txt", "--pool", "calibration", "--phase", 1)
    assert (refused.code, "right answer" in refused.err) == (2, True)
    assert studio(place, "import", "rivers", tmp_path / "claims.txt", "--pool", "calibration").code == 2


def test_only_claims_of_a_plain_project_are_rated(place: Path, tmp_path: Path) -> None:
    (tmp_path / "claims.txt").write_text("The Nile is a river.\n")
    done = studio(place, "import", "rivers", tmp_path / "claims.txt", "--rate")
    assert (done.code, "'plain-rating'; expected feverous-verification" in done.err) == (2, True)
    made = studio(place, "project", "create", "built", "--workflow", "plain")
    assert made.code == 0, made.err
    assert studio(place, "import", "built", tmp_path / "claims.txt", "--rate").code == 0


def test_figures_are_printed_beside_the_published_ones(place: Path) -> None:
    done = studio(place, "stats", "rivers")
    assert done.code == 0, done.err
    assert "95.42 % (FEVER)" in done.out
    assert set(studio(place, "stats", "rivers", "--json").json) >= {"writing", "verification", "agreement"}


def test_a_studio_that_fits_its_log_passes_the_check(place: Path) -> None:
    done = studio(place, "check", "--corpora")
    assert (done.code, done.out) == (0, "all is as the log says\n")
    assert studio(place, "check", "--json").json == {"ok": True, "problems": []}


def test_what_does_not_fit_is_told_with_exit_code_3(place: Path) -> None:
    import sqlite3

    studio(place, "project", "draw", "rivers", "--count", 1)
    with sqlite3.connect(place / "studio.sqlite") as file:
        file.execute("UPDATE tasks SET answers = 7")
    file.close()
    done = studio(place, "check")
    assert done.code == 3
    assert "7 answers" in done.out
    assert studio(place, "check", "--json").json["ok"] is False


def test_a_backup_is_brought_back_elsewhere(place: Path, tmp_path: Path) -> None:
    made = studio(place, "backup", tmp_path / "studio.gz", "--json")
    assert made.code == 0, made.err
    assert made.json["rows"]["accounts"] == 1
    other = tmp_path / "other"
    assert studio(other, "restore", tmp_path / "studio.gz", "--json").json["rows"] == made.json["rows"]
    assert listed(other, "account", "list") == listed(place, "account", "list")
    again = studio(other, "restore", tmp_path / "studio.gz")
    assert again.code == 1
    assert "empty place" in again.err


def test_the_commands_of_the_howto_lead_from_nothing_to_a_data_set(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "howto-studio.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("veritab studio")]
    record = {"id": 1, "claim": "The Nile is a river.", "label": "SUPPORTS", "evidence": [["Nile_sentence_0"]]}
    other = {**record, "id": 2, "claim": "The Nile is one of the rivers of Africa."}
    (tmp_path / "gold.jsonl").write_text(json.dumps(record) + "\n")
    (tmp_path / "first.jsonl").write_text(json.dumps(other) + "\n")
    (tmp_path / "claims.txt").write_text("The Danube is longer than the Nile.\n")
    done = 0
    for line in lines:
        if " serve" in line or "postgresql://" in line:
            continue
        command, _, into = line.partition(" > ")
        words = shlex.split(command)[1:]
        asked = ["--password-stdin"] if "add" in words else []
        told = veritab(*words, *asked, stdin=PASSWORD, cwd=tmp_path)
        assert told.code == 0, f"{line}\n{told.err}"
        if into:
            (tmp_path / into).write_text(told.out, encoding="utf-8")
        done += 1
    assert done >= 20
    assert (tmp_path / "rivers.jsonl").exists()


@pytest.mark.slow
def test_a_studio_in_postgresql_is_used_alike_and_moves_to_a_folder(tmp_path: Path) -> None:
    with running_postgres() as server:
        place = server.format("postgres")
        made = veritab("studio", "init", place.replace("studio@", "studio:secret@"))
        assert made.code == 0, made.err
        assert "secret" not in made.out + made.err
        add = ("account", "add", "quiet-heron", "--administrator", "--password-stdin", "--studio", place)
        assert veritab("studio", *add, stdin=PASSWORD).code == 0
        assert veritab("studio", "project", "create", "rivers", "--studio", place).code == 0
        assert veritab("studio", "project", "draw", "rivers", "--count", 3, "--studio", place).out == "3 tasks drawn\n"
        assert veritab("studio", "check", "--studio", place).code == 0
        assert veritab("studio", "backup", tmp_path / "copy", "--studio", place).code == 0
    assert studio(tmp_path / "folder", "restore", tmp_path / "copy").code == 0
    assert listed(tmp_path / "folder", "project", "list")[0]["tasks"] == {"open": 3}


# -- serving -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_studio_is_served_until_it_is_stopped(place: Path) -> None:
    command = [sys.executable, "-m", "veritab", "studio", "serve", "--port", "0", "--studio", str(place)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "200"}) as server:
        assert server.stderr is not None
        said = []
        for line in server.stderr:
            said.append(line)
            if "listening on" in line:
                break
        try:
            address = said[-1].split()[2]
            with urllib.request.urlopen(f"{address}sign-in", timeout=30) as answer:
                assert answer.status == 200
        finally:
            server.send_signal(signal.SIGINT)
        server.wait(30)
    assert "1 project, 1 account" in "".join(said)
    assert server.returncode == 0


def test_a_place_without_a_studio_is_not_served(tmp_path: Path) -> None:
    done = studio(tmp_path, "serve", "--port", 0)
    assert (done.code, "veritab studio init" in done.err) == (1, True)
