"""The picture of the rooms and the walks through them are those of the source as it is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from benchmarks import architecture

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "veritab"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WALKS = dict(re.findall(r"^## (One \w+)$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def steps_of(walk: str) -> list[str]:
    return re.findall(r"^\d+\. `([^`]+:[^`]+)`", WALKS[walk], re.MULTILINE)


def defined_names(path: Path) -> set[str]:
    """The functions and classes of a file, and the methods of its classes, as `Class.method`."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
            names |= {f"{node.name}.{method.name}" for method in methods}
    return names


def test_the_picture_shows_the_imports_as_they_are() -> None:
    drawn = architecture.PICTURE.read_text(encoding="utf-8")
    assert drawn == architecture.draw(), "run: python -m benchmarks.architecture"


def test_an_import_that_follows_from_others_is_left_out() -> None:
    imports = {"a": set(), "b": {"a"}, "c": {"a", "b", "d"}, "d": {"c"}}
    assert architecture.reduce_imports(imports) == {"a": [], "b": ["a"], "c": ["b", "d"], "d": ["c"]}


@pytest.mark.parametrize("walk", ["One claim", "One request", "One ingest", "One command"])
def test_every_step_of_a_walk_exists_and_comes_once(walk: str) -> None:
    steps = steps_of(walk)
    assert len(steps) == len(set(steps)) >= 10
    for step in steps:
        file, _, name = step.partition(":")
        assert (SOURCE / file).is_file(), step
        assert name in defined_names(SOURCE / file), step
