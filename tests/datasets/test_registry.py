"""The data sets that have a name: where they are looked for, and whether a file is the one that was published."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

from veritab import datasets
from veritab.datasets import REGISTRY, RegisteredDataSet, data_folder, find_data_folder
from veritab.datasets.file_check import check_file
from veritab.errors import NotFound
from veritab.schema import Label

RECORD = {"id": 1, "claim": "One.", "label": "NOT ENOUGH INFO", "evidence": [[[1, None, None, None]]]}
LINE = (json.dumps(RECORD) + "\n").encode()


def put(folder: Path, name: str, data: bytes = LINE) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
    return path


def test_every_name_says_where_it_is_from_and_under_which_licence() -> None:
    for name, known in REGISTRY.items():
        assert name == known.name
        assert known.home.startswith(("https://", "examples/"))
        assert known.licence
        assert known.files
        assert known.claims
        assert all(re.fullmatch("[0-9a-f]{64}", sum) for sum in (known.sha256, *known.parts) if sum)


def test_the_names_people_ask_for_are_known() -> None:
    asked = ["fever/train", "fever/paper_dev", "fever/paper_test", "fever/shared_task_dev", "fever/shared_task_test"]
    asked += ["feverous/train", "feverous/dev", "feverous/test", "fm2/train", "fm2/dev", "fm2/test"]
    asked += ["faviq/a/train", "faviq/a/dev", "faviq/r/train", "faviq/r/dev", "faviq/r/test", "almanac/claims"]
    asked += ["written/train", "written/dev"]
    assert set(asked) <= set(REGISTRY)


@pytest.mark.parametrize("file", ["fever/train.jsonl", "fever/train.jsonl.gz"])
def test_a_data_set_is_found_compressed_or_not(tmp_path: Path, file: str) -> None:
    path = put(tmp_path, file)
    data = datasets.load("fever/train", data=tmp_path)
    assert (data.name, data.task, data.path, data.licence) == ("fever/train", "fever", path, "CC BY-SA 3.0")
    assert [example.label for example in data] == [Label.NOT_ENOUGH_INFO]


@pytest.mark.parametrize("file", ["feverous/feverous_dev_challenges.jsonl", "feverous/dev.jsonl.gz"])
def test_feverous_is_found_under_its_own_name_and_under_ours(tmp_path: Path, file: str) -> None:
    record = {"id": 1, "claim": "One.", "label": "SUPPORTS", "evidence": [{"content": ["A_sentence_0"], "context": {}}]}
    put(tmp_path, file, (json.dumps(record) + "\n").encode())
    assert datasets.load("feverous/dev", data=tmp_path).task == "feverous"


def test_a_test_file_of_claims_alone_has_the_task_of_its_name(tmp_path: Path) -> None:
    put(tmp_path, "feverous/feverous_test_unlabeled.jsonl", b'{"claim": ""}\n{"claim": "One."}\n{"claim": "Two."}\n')
    data = datasets.load("feverous/test", data=tmp_path)
    assert data.task == "feverous"
    assert [(example.claim.id, example.claim.text) for example in data] == [("0", "One."), ("1", "Two.")]


def test_the_folder_is_the_one_given_or_the_one_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERITAB_DATA", str(tmp_path / "set"))
    assert data_folder(tmp_path) == tmp_path
    assert find_data_folder() == tmp_path / "set"
    with pytest.raises(NotFound, match="set' is not a folder; set VERITAB_DATA to a folder that holds fever/"):
        data_folder()


def test_no_folder_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERITAB_DATA", raising=False)
    assert find_data_folder() is None
    with pytest.raises(NotFound, match="no folder of data sets is set; set VERITAB_DATA"):
        data_folder()
    with pytest.raises(NotFound, match=r"fever/train is not here.*save it as fever/train.jsonl.*; set VERITAB_DATA"):
        datasets.load("fever/train")


def test_a_data_set_that_is_not_here_is_told_with_where_it_comes_from(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as told:
        datasets.load("fever/train", data=tmp_path)
    assert str(tmp_path) in str(told.value)
    assert "fever/train.jsonl" in str(told.value)
    assert "https://fever.ai/dataset/fever.html" in str(told.value)


@pytest.mark.parametrize(("name", "hint"), [("fever/papr_dev", "'fever/paper_dev'"), ("zzz", "`veritab data`")])
def test_a_name_that_is_none_is_told_with_the_nearest(tmp_path: Path, name: str, hint: str) -> None:
    with pytest.raises(NotFound, match=re.escape(hint)):
        datasets.load(name, data=tmp_path)


def test_a_path_may_be_given_as_text(tmp_path: Path) -> None:
    assert len(datasets.load(str(put(tmp_path, "mine.jsonl")))) == 1


def test_the_claims_over_the_almanac_come_with_the_source(tmp_path: Path) -> None:
    data = datasets.load("almanac/claims", data=tmp_path)
    assert (data.task, len(data), data.problems) == ("feverous", 360, ())
    assert all(example.evidence for example in data)


# -- whether a file is the one that was published ----------------------------------------------------------


def known(data: bytes, claims: int | None, *, whole: bool = False, part: bool = False) -> RegisteredDataSet:
    sha256 = hashlib.sha256(data).hexdigest()
    return RegisteredDataSet(
        "x", "fever", ("x",), "", "", claims, sha256 if whole else "0" * 64, {sha256: 1} if part else {}
    )


def test_a_file_is_whole_or_a_known_part_by_its_checksum(tmp_path: Path) -> None:
    path = put(tmp_path, "x.jsonl.gz")
    assert check_file(known(LINE, 1, whole=True), path).state == "whole"
    found = check_file(known(LINE, 9, part=True), path)
    assert (found.state, found.claims, found.problems) == ("part", 1, 0)


def test_another_file_differs_and_a_bad_one_is_damaged(tmp_path: Path) -> None:
    assert check_file(known(b"", 1), put(tmp_path, "x.jsonl")).state == "differs"
    found = check_file(known(b"", 1), put(tmp_path, "bad.jsonl", LINE + b'{"id": 2, "cl'))
    assert (found.state, found.claims, found.problems) == ("damaged", 1, 1)
    assert "line 2" in found.what
    cut = put(tmp_path, "cut.jsonl.gz")
    cut.write_bytes(cut.read_bytes()[:-12])
    assert check_file(known(LINE, 1, whole=True), cut).state == "damaged"


def test_without_a_checksum_the_claims_are_counted(tmp_path: Path) -> None:
    unsummed = RegisteredDataSet("x", "fever", ("x",), "", "", claims=1)
    assert check_file(unsummed, put(tmp_path, "x.jsonl")).state == "counted"
    assert check_file(unsummed, put(tmp_path, "y.jsonl", LINE + LINE.replace(b"1,", b"2,"))).state == "differs"
