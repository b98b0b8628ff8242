"""Models are opened by name or folder, and shared."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.models.tiny import LABELS, make_encoder, make_selector, make_verdict, with_card
from veritab.errors import NotFound
from veritab.models import open_encoder, open_selector, open_verdict, shipped
from veritab.models.candidates import CandidateText


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model for each shipped name."""
    monkeypatch.setattr("veritab.models.registry._SHIPPED", tmp_path)
    make_verdict(tmp_path / "verdict")
    make_selector(tmp_path / "selector")
    with_card(make_encoder(tmp_path / "encoder", output="sentence_embedding"), job="encoder")
    return tmp_path


def test_bare_names_are_those_of_shipped_models(house: Path) -> None:
    assert shipped() == {name: house / name for name in ("verdict", "selector", "encoder")}
    assert open_verdict().logits([("one", "")]).tolist() == [[1, 2, 3]]
    assert open_selector().scores([("one", CandidateText("two"))])[0].whole == 3
    assert open_encoder().encode(["one"]).shape == (1, 9)


def test_a_name_that_did_not_come_along_lists_those_that_did(house: Path) -> None:
    (house / "verdict" / "card.toml").unlink()
    with pytest.raises(NotFound, match=r"'verdict' did not come with .*which has selector, encoder; .*card\.toml"):
        open_verdict("verdict")


def test_without_any_models_a_name_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veritab.models.registry._SHIPPED", tmp_path / "none")
    assert shipped() == {}
    with pytest.raises(NotFound, match="which has none"):
        open_selector()


@pytest.mark.parametrize("name", ["verdikt", "verdict/", Path("verdict"), ""])
def test_anything_else_is_a_folder(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(NotFound, match=r"names verdict, fast, selector, encoder|no card\.toml in"):
        open_verdict(name)


def test_a_folder_of_the_name_of_a_shipped_model_can_be_named(house: Path, tmp_path: Path) -> None:
    labels = ("NOT ENOUGH INFO", "REFUTES", "SUPPORTS")
    own = make_verdict(tmp_path / "own" / "verdict", labels)
    assert open_verdict(own).logits([("one", "")]).tolist() == [[3, 2, 1]]


def test_those_who_ask_for_the_same_share_it(house: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(open_verdict, ["verdict", house / "verdict", str(house / "verdict")] * 4))
    assert len(set(map(id, opened))) == 1
    assert open_verdict(threads=1) is not opened[0]
    assert open_verdict(threads=1) is open_verdict(threads=1)
    assert open_encoder() is open_encoder()


def test_a_model_that_was_exported_again_is_opened_again(house: Path) -> None:
    before = open_verdict()
    with_card(make_verdict(house / "verdict"), job="verdict", labels=list(LABELS), what="adds up words, again")
    assert open_verdict() is not before


def test_a_folder_without_a_card_can_hold_an_encoder(tmp_path: Path) -> None:
    np.testing.assert_allclose(np.linalg.norm(open_encoder(make_encoder(tmp_path)).encode(["one two"])), 1, atol=1e-6)
