"""Commands with `--cluster`: the same bytes as without, for whatever a command works on; and what cannot be is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
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


def test_processes_and_a_cluster_are_not_given_together(folder: Path) -> None:
    done = veritab("build", "questions", "questions.jsonl", "--processes", 2, "--cluster", "local:2", cwd=folder)
    assert done.code == 2
    assert "--processes are of this machine" in done.err


def test_a_corpus_that_workers_do_not_see_is_refused_before_anything_is_written(folder: Path, cluster: str) -> None:
    done = veritab(
        "build", "correct", "claims.jsonl", "-c", "gone", "-o", "out.jsonl", "--cluster", cluster, cwd=folder
    )
    assert done.code == 1
    assert not (folder / "out.jsonl").exists()
