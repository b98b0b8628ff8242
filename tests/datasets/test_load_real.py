"""The data sets that are on hand: their counts, and their first, tenth and last records, known by heart."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest

from veritab import datasets
from veritab.datasets import REGISTRY
from veritab.schema import ElementId, Label
from veritab.text import squeeze


class RegisteredDataSet(NamedTuple):
    """An example as it should be: id, label, words of the claim, sizes of its evidence sets, the first address in
    alphabetical order, and how many texts its record quotes."""

    id: str
    label: Label
    words: int
    sets: tuple[int, ...]
    address: str
    texts: int


S, R, N = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO
ON_HAND: dict[str, tuple[int, tuple[RegisteredDataSet, RegisteredDataSet, RegisteredDataSet]]] = {
    "almanac/claims": (
        360,
        (
            RegisteredDataSet("1", N, 19, (5,), "Arabic_cell_1_2_0", 0),
            RegisteredDataSet("10", R, 16, (3,), "Carbon_cell_1_2_1", 0),
            RegisteredDataSet("360", S, 23, (5,), "Voyager 1_cell_1_6_0", 0),
        ),
    ),
    "almanac/reasoning": (
        200,
        (
            RegisteredDataSet("1", S, 12, (2,), "Beijing_cell_2_4_1", 0),
            RegisteredDataSet("10", R, 15, (6,), "Dynamite_cell_1_2_2", 0),
            RegisteredDataSet("200", R, 20, (4,), "United States_cell_2_3_4", 0),
        ),
    ),
    "fever/paper_dev": (
        4782,
        (
            RegisteredDataSet("91198", N, 16, (), "", 0),
            RegisteredDataSet("90809", R, 8, (1, 1), "Sean Penn_sentence_5", 0),
            RegisteredDataSet("75591", N, 5, (), "", 0),
        ),
    ),
    "fm2/dev": (
        1169,
        (
            RegisteredDataSet("01EICaMMy6uOPHdoEGAf", S, 13, (), "", 1),
            RegisteredDataSet("0OV6wPxGOyJkM50ZV7NS", R, 8, (), "", 1),
            RegisteredDataSet("zz3KQLKtBMH5p0ZulHRx", S, 17, (), "", 1),
        ),
    ),
    "fever/train_pairs": (
        10000,
        (
            RegisteredDataSet("0", S, 3, (1,), "Waiting Outside the Lines_sentence_0", 1),
            RegisteredDataSet("9", S, 6, (1,), "Afghanistan_sentence_2", 1),
            RegisteredDataSet("9999", R, 7, (1,), "The Grey (film)_sentence_0", 1),
        ),
    ),
    "fever/val_pairs": (
        3000,
        (
            RegisteredDataSet("0", S, 3, (1,), "Waiting Outside the Lines_sentence_0", 1),
            RegisteredDataSet("9", S, 6, (1,), "Afghanistan_sentence_2", 1),
            RegisteredDataSet("2999", R, 10, (1,), "Naver_sentence_4", 1),
        ),
    ),
    "fever/dev_gold_text": (
        6436,
        (
            RegisteredDataSet("137334", S, 8, (1,), "Soul Food (film)_sentence_0", 1),
            RegisteredDataSet("227362", R, 8, (2,), "Food Network_sentence_0", 1),
            RegisteredDataSet("81957", R, 8, (), "", 1),
        ),
    ),
    "fever/dev_three_way_with_text": (
        2372,
        (
            RegisteredDataSet("91198", N, 16, (), "", 3),
            RegisteredDataSet("90809", R, 8, (2,), "Sean Penn_sentence_5", 2),
            RegisteredDataSet("7956", N, 5, (), "", 3),
        ),
    ),
    "fever/sufficient_facts": (
        582,
        (
            RegisteredDataSet("0", N, 10, (), "", 1),
            RegisteredDataSet("9", S, 9, (), "", 1),
            RegisteredDataSet("581", N, 16, (), "", 1),
        ),
    ),
    "feverous/official_records_dev50": (
        50,
        (
            RegisteredDataSet("10220", N, 37, (1,), "Palestinian community in Chile_sentence_0", 0),
            RegisteredDataSet("26955", R, 33, (1,), "James McDonaugh_sentence_2", 0),
            RegisteredDataSet("4101", N, 24, (2,), "Moro National Liberation Front_cell_0_2_1", 0),
        ),
    ),
    "feverous/official_records_train10": (
        10,
        (
            RegisteredDataSet("24435", R, 20, (5, 5), "Michael Folivi_cell_0_13_1", 0),
            RegisteredDataSet("20067", R, 22, (6,), "2018 Mexican general election_cell_11_1_1", 0),
            RegisteredDataSet("20067", R, 22, (6,), "2018 Mexican general election_cell_11_1_1", 0),
        ),
    ),
    "feverous/cell_claims": (
        503,
        (
            RegisteredDataSet("21446", R, 15, (4,), "1947 NCAA Swimming and Diving Championships_cell_1_1_1", 4),
            RegisteredDataSet("42258", S, 10, (2,), "Teenage Emotions_cell_0_13_0", 2),
            RegisteredDataSet("51594", R, 35, (2, 2), "The Phillipian_cell_1_1_0", 4),
        ),
    ),
    "feverous/full_table_gold_cells": (
        194,
        (
            RegisteredDataSet("21446", R, 15, (4,), "1947 NCAA Swimming and Diving Championships_cell_1_1_1", 4),
            RegisteredDataSet("1278", R, 18, (3,), "1938 Colgate Red Raiders football team_cell_1_7_0", 3),
            RegisteredDataSet("51594", R, 35, (2, 2), "The Phillipian_cell_1_1_0", 4),
        ),
    ),
    "feverous/full_tables": (
        661,
        (
            RegisteredDataSet("0", S, 24, (), "", 8),
            RegisteredDataSet("9", R, 36, (), "", 7),
            RegisteredDataSet("660", S, 24, (), "", 12),
        ),
    ),
    "feverous/sentence_claims": (
        1468,
        (
            RegisteredDataSet("7966", R, 20, (), "", 1),
            RegisteredDataSet("4280", R, 9, (), "", 2),
            RegisteredDataSet("8102", S, 49, (), "", 4),
        ),
    ),
    "faviq/samples": (
        100,
        (
            RegisteredDataSet("9969", S, 12, (), "", 1),
            RegisteredDataSet("11786", S, 9, (), "", 1),
            RegisteredDataSet("8366", R, 8, (), "", 1),
        ),
    ),
    "vitaminc/real": (
        30604,
        (
            RegisteredDataSet("5ed4de07c9e77c000848a180_1", N, 10, (), "", 1),
            RegisteredDataSet("5ee3932bc9e77c0008cca0a2_2", R, 21, (), "", 1),
            RegisteredDataSet("5ee3949bc9e77c0008ccff7a_4", S, 8, (), "", 1),
        ),
    ),
    "vitaminc/sufficient_facts": (
        600,
        (
            RegisteredDataSet("0", N, 16, (), "", 1),
            RegisteredDataSet("9", N, 9, (), "", 1),
            RegisteredDataSet("599", N, 9, (), "", 1),
        ),
    ),
    "tabfact/train_partial": (
        30084,
        (
            RegisteredDataSet("0", S, 12, (), "", 0),
            RegisteredDataSet("9", R, 1, (), "", 0),
            RegisteredDataSet("30083", S, 9, (), "", 0),
        ),
    ),
    "tabfact/val": (
        12792,
        (
            RegisteredDataSet("0", S, 13, (), "", 0),
            RegisteredDataSet("9", S, 15, (), "", 0),
            RegisteredDataSet("12791", R, 8, (), "", 0),
        ),
    ),
    "infotabs/train": (
        16538,
        (
            RegisteredDataSet("0", S, 8, (), "", 0),
            RegisteredDataSet("9", S, 8, (), "", 0),
            RegisteredDataSet("16537", R, 9, (), "", 0),
        ),
    ),
    "infotabs/dev": (
        1800,
        (
            RegisteredDataSet("0", S, 7, (), "", 0),
            RegisteredDataSet("9", S, 9, (), "", 0),
            RegisteredDataSet("1799", R, 6, (), "", 0),
        ),
    ),
    "infotabs/test_alpha1": (
        1800,
        (
            RegisteredDataSet("0", S, 9, (), "", 0),
            RegisteredDataSet("9", S, 7, (), "", 0),
            RegisteredDataSet("1799", R, 15, (), "", 0),
        ),
    ),
    "nli/snli": (
        72681,
        (
            RegisteredDataSet("0", S, 4, (), "", 1),
            RegisteredDataSet("9", N, 6, (), "", 1),
            RegisteredDataSet("72680", R, 4, (), "", 1),
        ),
    ),
    "nli/mnli": (
        23698,
        (
            RegisteredDataSet("0", R, 2, (), "", 1),
            RegisteredDataSet("9", R, 7, (), "", 1),
            RegisteredDataSet("23697", S, 10, (), "", 1),
        ),
    ),
}
SHIPPED = [name for name in ON_HAND if name.startswith("almanac/")]
NAMES = [name for name in ON_HAND if name not in SHIPPED]


def opened(name: str, folder: Path) -> datasets.DataSet:
    if not REGISTRY[name].find(folder):
        pytest.skip(f"no {REGISTRY[name].files[0]}.jsonl.gz in {folder}; the folder that VERITAB_DATA names lacks it")
    return datasets.load(name, data=folder)


def compare(data: datasets.DataSet) -> None:
    count, expected = ON_HAND[data.name]
    examples = list(iter(data))
    assert (len(examples), len(data), data.problems) == (count, count, ())
    for example, known in zip((examples[0], examples[9], examples[-1]), expected, strict=True):
        assert example.label is not None
        addresses = sorted(str(id) for gold in example.evidence for id in gold)
        found = RegisteredDataSet(
            example.claim.id,
            example.label,
            len(example.claim.text.split()),
            tuple(len(gold) for gold in example.evidence),
            addresses[0] if addresses else "",
            len(datasets.gold_texts(example)),
        )
        assert found == known


@pytest.mark.parametrize("name", SHIPPED)
def test_a_data_set_that_ships_has_the_records_it_should_have(name: str, tmp_path: Path) -> None:
    compare(datasets.load(name, data=tmp_path))


@pytest.mark.parametrize("name", NAMES)
def test_a_data_set_on_hand_has_the_records_it_should_have(name: str, data_folder: Path) -> None:
    data = opened(name, data_folder)
    if REGISTRY[name].parts and data.sha256 == REGISTRY[name].sha256:
        pytest.skip(f"{data.path} is whole; the records that are known here are of a part of it")
    compare(data)


@pytest.mark.parametrize("name", ["fever/paper_dev", "feverous/official_records_dev50", "fm2/dev", "faviq/samples"])
def test_the_examples_of_a_file_are_its_lines_read_by_other_means(name: str, data_folder: Path) -> None:
    data = opened(name, data_folder)
    with gzip.open(data.path) as file:
        records = [orjson.loads(line) for line in file]
    for example, record in zip(data, records, strict=True):
        assert example.record == record
        assert example.claim.id == str(record["id"])
        assert example.claim.text == squeeze(record[data.format.claim])
        assert example.label == record["label"]


def test_the_evidence_of_feverous_is_what_its_records_name(data_folder: Path) -> None:
    for example in opened("feverous/official_records_dev50", data_folder):
        named = [frozenset(map(ElementId.parse, each["content"])) for each in example.record["evidence"]]
        assert list(example.evidence) == named


def test_the_evidence_of_fever_is_what_its_records_name(data_folder: Path) -> None:
    for example in opened("fever/paper_dev", data_folder):
        named = {
            tuple(sorted((item[2], item[3]) for item in group)) for group in example.record["evidence"] if group[0][2]
        }
        assert len(example.evidence) == len({frozenset(pairs) for pairs in named})
        lines = {line for pairs in named for _, line in pairs}
        assert {id.path[0] for gold in example.evidence for id in gold} == lines


def test_every_file_on_hand_is_the_one_that_is_known(data_folder: Path) -> None:
    there = [name for name in NAMES if REGISTRY[name].find(data_folder)]
    if not there:
        pytest.skip(f"no data set with a known checksum in {data_folder}")
    sums = {name: datasets.load(name, data=data_folder).sha256 for name in there}
    assert [name for name in there if sums[name] not in {REGISTRY[name].sha256, *REGISTRY[name].parts}] == []
