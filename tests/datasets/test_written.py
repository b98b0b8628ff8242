"""The written claims: they ship, they are found, and their records keep what belongs to a family."""

from __future__ import annotations

import gzip
import json
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from tests.commands import veritab
from veritab import datasets
from veritab.datasets import REGISTRY, DataFiles
from veritab.errors import NotFound
from veritab.schema import Example, Label

ROOT = Path(__file__).parents[2]
NAMES = ("written/train", "written/dev")
KINDS = set("S1 S2 T1 T2 TS M D B C U P Q".split())
MINE = {
    "id": "mine",
    "claim": "One.",
    "label": "SUPPORTS",
    "evidence": [{"content": ["A_sentence_0"], "context": {"A_sentence_0": ["A_title"]}}],
}


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Example]]:
    """Both parts as they ship, in an empty data folder."""
    folder = tmp_path_factory.mktemp("none")
    return {name: list(iter(datasets.load(name, data=folder, strict=True))) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_part_ships_whole_and_says_its_licence(name: str, tmp_path: Path) -> None:
    data = datasets.load(name, data=tmp_path)
    assert (data.task, len(data), data.problems) == ("feverous", REGISTRY[name].claims, ())
    assert data.licence.startswith("Apache-2.0")
    assert "CC BY-SA 3.0" in data.licence


def test_a_wheel_carries_every_data_set_that_ships() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    carried = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    folders = {known.bundled.partition("/")[0] for known in REGISTRY.values() if known.bundled}
    assert folders == {"almanac", "written"}
    assert all(carried[f"examples/{each}"] == f"veritab/datasets/{each}" for each in folders)


# -- the package where the data folder has no such file ----------------------------------------------------


@pytest.mark.parametrize("name", [*NAMES, "almanac/claims"])
def test_the_records_are_those_of_the_package_and_noted(name: str, tmp_path: Path) -> None:
    files = DataFiles(tmp_path)
    claims = [record for record in files.records(name) if record["claim"]]
    assert len(claims) == REGISTRY[name].claims
    assert files.read == {REGISTRY[name].bundled: REGISTRY[name].bundled_file()}


@pytest.mark.parametrize("file", ["written/train.jsonl", "written/train.jsonl.gz"])
def test_a_file_of_the_data_folder_comes_before_the_package(file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.parent.mkdir()
    line = (json.dumps(MINE) + "\n").encode()
    path.write_bytes(gzip.compress(line) if file.endswith(".gz") else line)
    files = DataFiles(tmp_path)
    assert [record["id"] for record in files.records("written/train")] == ["mine"]
    assert files.read == {file: path}
    assert [example.claim.id for example in datasets.load("written/train", data=tmp_path)] == ["mine"]


def test_what_does_not_ship_is_still_told_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no fm2/dev\.jsonl\.gz in"):
        list(DataFiles(tmp_path).records("fm2/dev"))
    with pytest.raises(NotFound, match=r"no written/pages\.jsonl\.gz in"):
        list(DataFiles(tmp_path).records("written/pages"))


# -- what a record holds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_record_keeps_its_family_its_pages_and_the_reason(name: str, examples: dict[str, list[Example]]) -> None:
    for example in examples[name]:
        record = example.record
        assert record["family"]
        assert record["why"]
        (gold,) = example.evidence
        assert set(record["pages"]) == {id.page for id in gold}
        assert set(record["evidence"][0]["context"]) == set(record["evidence"][0]["content"])
        assert example.challenge in KINDS


@pytest.mark.parametrize("name", NAMES)
def test_a_family_has_each_label_once_on_the_same_evidence(name: str, examples: dict[str, list[Example]]) -> None:
    families = defaultdict(list)
    for example in examples[name]:
        families[example.record["family"]].append(example)
    for family in families.values():
        assert {example.label for example in family} == set(Label)
        assert len(family) == len(Label)
        assert len({(example.evidence, example.challenge) for example in family}) == 1


def test_no_claim_and_no_family_is_in_both_parts(examples: dict[str, list[Example]]) -> None:
    train, dev = (examples[name] for name in NAMES)
    assert not {each.claim.id for each in train} & {each.claim.id for each in dev}
    assert not {each.claim.text for each in train} & {each.claim.text for each in dev}
    assert not {each.record["family"] for each in train} & {each.record["family"] for each in dev}


def test_a_page_of_both_parts_is_one_that_a_development_claim_joins_to_another(
    examples: dict[str, list[Example]],
) -> None:
    train = {page for each in examples["written/train"] for page in each.record["pages"]}
    for example in examples["written/dev"]:
        shared = train.intersection(example.record["pages"])
        assert len(shared) < len(example.record["pages"]), example.claim.id


# -- the commands ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("data", "read"), ("data", "stats"), ("audit",)])
def test_the_commands_take_the_name(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERITAB_DATA", str(tmp_path))
    done = veritab(*words, "written/dev", cwd=tmp_path)
    assert done.code == 0, done.err
    assert f"{REGISTRY['written/dev'].claims:,}" in done.out
