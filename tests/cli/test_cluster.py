"""Commands with `--cluster`: the same bytes as without, for whatever a command works on; and what cannot be is refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from tests.commands import veritab
from tests.conftest import ROOT
from tests.retrieve.corpora import indexed
from veritab.schema import Page, Sentence

pytest.importorskip("lemminflect")
pytest.importorskip("distributed", reason="the extra scale is not installed")

BRIDGES = {"Poe": ("Thomas O'Brien", 1851), "Elm": ("George Miller", 1858), "Ash": ("Helen Carter", 1865)}


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a scheduler with two workers, as an administrator would have started them."""
    from veritab.scale import open_engine

    with open_engine("local:2") as engine:
        yield engine._client.scheduler.address


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    pages = [
        Page(
            f"{name} Bridge",
            (Sentence(0, f"{name} Bridge was built by {by}."), Sentence(1, f"It was opened in {year}.")),
        )
        for name, (by, year) in BRIDGES.items()
    ]
    indexed(folder / "corpus", pages).close()
    questions = [
        {"id": f"{name}-{what}", "question": f"{asked} {name.lower()} bridge built{by}?", "answer": str(answer)}
        for name, answers in BRIDGES.items()
        for what, asked, by, answer in (("who", "who was", " by", answers[0]), ("when", "when was", "", answers[1]))
    ]
    write(folder / "questions.jsonl", [*questions, {"id": "none", "question": "who built it?"}])
    write(
        folder / "ambiguous.jsonl",
        [
            {
                "id": f"q{year}",
                "disambiguations": [
                    {"question": f"who won the cup in {year}?", "answers": [f"Ann {name}"]},
                    {"question": f"who won the cup in {year + 1}?", "answers": [f"Bob {name}"]},
                ],
            }
            for year, name in enumerate(BRIDGES, 2001)
        ],
    )
    write(
        folder / "claims.jsonl",
        [
            {
                "id": name,
                "claim": f"{name} Bridge was built by {by} in {year + right}.",
                "label": "REFUTES" if right else "SUPPORTS",
                "evidence": [{"content": [f"{name} Bridge_sentence_{n}" for n in (0, 1)], "context": {}}],
            }
            for right, (name, (by, year)) in enumerate(BRIDGES.items())
        ],
    )
    bundled = (ROOT / "examples" / "almanac" / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    write(folder / "almanac.jsonl", [each for each in map(json.loads, bundled) if str(each["id"]) in ("2", "5", "14")])
    write(folder / "absent.jsonl", [{"id": 1, "question": "who painted the bridge?", "answer": "Zoe Quirk"}])
    return folder


def write(file: Path, records: Iterable[Mapping[str, object]]) -> None:
    file.write_text("".join(json.dumps(each) + "\n" for each in records))


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "questions questions.jsonl",
        "regular questions.jsonl -c corpus --least 0",
        "ambiguous ambiguous.jsonl -c corpus --least 0",
        "tables -c ALMANAC --limit 40",
        "mutate claims.jsonl -c corpus --check --with-sources",
        "nei almanac.jsonl --check",
        "nei absent.jsonl -c corpus --questions --check",
        "correct almanac.jsonl",
    ],
)
def test_a_build_writes_the_same_bytes_on_a_cluster(command: str, folder: Path, cluster: str) -> None:
    words = command.replace("ALMANAC", str(almanac())).split()
    alone, there = veritab("build", *words, cwd=folder), veritab("build", *words, "--cluster", cluster, cwd=folder)
    assert alone.code == 0, alone.err
    assert alone.out, alone.err
    assert (there.code, there.out) == (0, alone.out), there.err


def almanac() -> Path:
    from veritab.corpus.almanac import open_almanac

    with open_almanac() as store:
        return store.folder


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "--oracle pages", "--oracle evidence", "--oracle labels", "--fresh"])
def test_a_run_is_the_same_on_a_cluster(options: str, folder: Path, cluster: str) -> None:
    ways = {"alone": [], "there": ["--cluster", cluster], "again": ["--cluster", cluster]}
    for name, more in ways.items():
        words = [
            "run",
            "claims.jsonl",
            "-c",
            "corpus",
            "--task",
            "feverous",
            "--model",
            "none",
            *options.split(),
            *more,
        ]
        into = folder / f"{name}{options}"
        stages = ["--stages", folder / f"stages-{name[0]}"] if options != "--fresh" else []
        done = veritab(*words, *stages, "--into", into, "--json", cwd=folder)
        assert done.code == 0, done.err
    for file in ("results.jsonl", "predictions.jsonl", "claims.jsonl", "scores.json"):
        alone, *others = ((folder / f"{name}{options}" / file).read_bytes() for name in ways)
        assert alone
        assert others == [alone, alone]


@pytest.mark.slow
def test_stages_cached_here_and_on_a_cluster_are_the_same(folder: Path, cluster: str) -> None:
    command = ["run", "claims.jsonl", "-c", "corpus", "--task", "feverous", "--model", "none"]
    kept = []
    for name, more in {"x": [], "y": ["--cluster", cluster]}.items():
        done = veritab(*command, *more, "--stages", folder / name, "--into", folder / f"run-{name}", cwd=folder)
        assert done.code == 0, done.err
        with closing(sqlite3.connect(folder / name / "stages.sqlite")) as database:
            kept.append(database.execute("SELECT * FROM kept ORDER BY stage, asked").fetchall())
    assert kept[0]
    assert kept[0] == kept[1]


@pytest.mark.slow
@pytest.mark.parametrize("options", ["--task retrieval", "--task feverous -c corpus"])
def test_an_evaluation_gives_the_same_figures_on_a_cluster(options: str, folder: Path, cluster: str) -> None:
    gold = [json.loads(line) for line in (folder / "claims.jsonl").read_text().splitlines()]
    pieces = [[f"{each['id']} Bridge", "sentence", "0"] for each in gold]
    predicted = [
        {**each, "predicted_label": "SUPPORTS", "predicted_evidence": [piece]}
        for each, piece in zip(gold, pieces, strict=True)
    ]
    write(folder / "predicted.jsonl", predicted)
    command = ["evaluate", "predicted.jsonl", "claims.jsonl", *options.split(), "--json"]
    alone, there = veritab(*command, cwd=folder), veritab(*command, "--cluster", cluster, cwd=folder)
    assert alone.code == 0, alone.err
    assert (there.code, there.out) == (0, alone.out), there.err


def test_an_evaluation_that_would_do_nothing_on_a_cluster_says_so(folder: Path) -> None:
    done = veritab("evaluate", "claims.jsonl", "claims.jsonl", "--task", "fever", "--cluster", "local:2", cwd=folder)
    assert done.code == 2
    assert "--cluster does nothing for fever" in done.err


def test_a_run_of_existing_answers_needs_no_cluster(folder: Path) -> None:
    command = ["run", "claims.jsonl", "--task", "feverous", "--into", "r", "--answers", "x", "--cluster", "local:2"]
    done = veritab(*command, cwd=folder)
    assert done.code == 2
    assert "leave out --cluster" in done.err


def test_processes_and_a_cluster_are_not_given_together(folder: Path) -> None:
    done = veritab("build", "questions", "questions.jsonl", "--processes", 2, "--cluster", "local:2", cwd=folder)
    assert done.code == 2
    assert "--processes are of this machine" in done.err
    done = veritab("ingest", "claims.jsonl", "--into", "unmade", "--workers", 2, "--cluster", "local:2", cwd=folder)
    assert done.code == 2
    assert "--workers are processes of this machine" in done.err


def test_a_corpus_that_workers_do_not_see_is_refused_before_anything_is_written(folder: Path, cluster: str) -> None:
    done = veritab(
        "build", "correct", "claims.jsonl", "-c", "gone", "-o", "out.jsonl", "--cluster", cluster, cwd=folder
    )
    assert done.code == 1
    assert not (folder / "out.jsonl").exists()


def test_a_run_without_its_cluster_is_not_begun(folder: Path) -> None:
    command = ["run", "claims.jsonl", "-c", "corpus", "--task", "feverous", "--into", "unbegun"]
    done = veritab(*command, "--cluster", "tcp://127.0.0.1:1", cwd=folder)
    assert done.code == 1
    assert done.err.startswith("error: no scheduler answers at")
    assert not (folder / "unbegun").exists()


@pytest.mark.parametrize("address", ["", "locl"])
def test_what_names_no_cluster_is_refused_and_not_taken_for_none(folder: Path, address: str) -> None:
    done = veritab("ingest", "claims.jsonl", "--into", "unmade", "--cluster", address, cwd=folder)
    assert done.code == 2
    assert "is no cluster; expected local, local:4" in done.err
    assert not (folder / "unmade").exists()


@pytest.mark.slow
def test_workers_index_what_they_ingest(folder: Path, cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("this process builds the index")

    monkeypatch.setattr("veritab.cli.search.build_index", refuse)
    (folder / "page.wiki").write_text("Elm Bridge was built by George Miller.")
    done = veritab(
        "ingest", "page.wiki", "--into", "sharded", "--shards", 2, "--index", "--cluster", cluster, cwd=folder
    )
    assert done.code == 0, done.err
    assert veritab("search", "Miller", "-c", "sharded", "--json", cwd=folder).lines
