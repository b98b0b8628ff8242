"""The models that ship: whole, small enough, and made of what their cards say."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.models_sets import ROWS

from veritab.models.card import Card
from veritab.models.registry import NAMES, shipped
from veritab.train.provenance import LICENCES
from veritab.train.recipe import find, read
from veritab.verify.calibrate import Calibration

MEGABYTE = 1_000_000
VERDICT_RECIPES = ("verdict-pairs", "verdict", "verdict-given")


def files() -> list[Path]:
    return [file for folder in shipped().values() for file in folder.iterdir() if file.is_file()]


def test_every_name_ships() -> None:
    assert shipped().keys() == NAMES.keys()


@pytest.mark.parametrize("name", NAMES)
def test_its_files_are_those_of_its_card(name: str) -> None:
    folder = shipped()[name]
    card = Card.read(folder)
    card.verify(folder)
    assert {file.name for file in folder.iterdir()} == {"card.toml", *card.files}
    assert (card.name, card.job) == (name, NAMES[name])


def test_no_file_is_too_large_for_a_repository_nor_all_for_a_package() -> None:
    sizes = {str(file): file.stat().st_size for file in files()}
    assert not [file for file, size in sizes.items() if size > 95 * MEGABYTE]
    assert sum(sizes.values()) <= 170 * MEGABYTE


@pytest.mark.parametrize("name", NAMES)
def test_the_licences_of_its_data_are_known(name: str) -> None:
    data = Card.read(shipped()[name]).data
    assert data
    assert {source.name: source.licence for source in data} == {source.name: LICENCES[source.name] for source in data}


def test_the_verdict_has_every_profile_that_is_measured() -> None:
    known = Calibration.profiles(Card.read(shipped()["verdict"]).calibration)
    assert {row.profile for row in ROWS} <= known.keys()


@pytest.mark.parametrize("recipe", VERDICT_RECIPES)
def test_the_verdict_lists_all_that_it_was_trained_on(recipe: str) -> None:
    listed = {source.name for source in Card.read(shipped()["verdict"]).data}
    assert {source.name for source in read(find(recipe)).trained_on} <= listed
