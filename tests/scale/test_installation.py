"""What tells the installation of a worker from that of a command."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from veritab.scale.installation import describe


def test_other_models_are_another_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = SimpleNamespace(__file__=str(tmp_path / "__init__.py"), __version__="1.0")
    monkeypatch.setitem(sys.modules, "veritab", package)
    (tmp_path / "__init__.py").touch()
    found = set()
    for card in ("one", "other", "other"):
        (tmp_path / "card.toml").write_text(card)
        found.add(describe()["source"])
    assert len(found) == 2
