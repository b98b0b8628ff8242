"""What tells the installation of a worker from that of a command."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from veritab.scale.installation import describe
from veritab.scale.working import difference


def test_other_models_are_another_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = SimpleNamespace(__file__=str(tmp_path / "__init__.py"), __version__="1.0")
    monkeypatch.setitem(sys.modules, "veritab", package)
    (tmp_path / "__init__.py").touch()
    found = set()
    for card in ("one", "other", "other"):
        (tmp_path / "card.toml").write_text(card)
        found.add(describe()["source"])
    assert len(found) == 2


@pytest.mark.parametrize("package", ["tantivy", "onnxruntime"])
def test_what_scores_depend_on_must_be_the_same_on_a_worker(package: str) -> None:
    own = describe()
    assert difference(own, own) == ""
    assert difference(own, {**own, package: "0.1"}).startswith(
        f"has {package} 0.1 where the command has {own[package]};"
    )
