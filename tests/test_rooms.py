"""The house: imports point the way the table in docs/design/001-the-rooms.md says."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "veritab"
TABLE = ROOT / "docs" / "design" / "001-the-rooms.md"
FILES = sorted(SOURCE.rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager", "base", "misc"}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def rooms() -> dict[str, set[str]]:
    table = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        row = re.fullmatch(r"\| `(\w+)` \|.*\|([^|]*)\|", line)
        if row:
            table[row[1]] = set(re.findall(r"`(\w+)`", row[2]))
    return table


def room_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "veritab" if first in ("__init__", "__main__") else first


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively; write the whole name"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "veritab" else [module]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "veritab":
                inside = len(parts) > 1 and ((SOURCE / parts[1]).is_dir() or (SOURCE / f"{parts[1]}.py").is_file())
                found.add(parts[1] if inside else "veritab")
    return found


def test_every_room_is_in_the_table() -> None:
    assert {room_of(path) for path in FILES} == set(rooms())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_the_right_way(path: Path) -> None:
    room = room_of(path)
    assert imported_rooms(path) - {room} <= rooms()[room]


def test_no_room_and_no_file_has_a_name_that_says_nothing() -> None:
    assert not [path for path in FILES if path.stem in FORBIDDEN_NAMES or path.parent.name in FORBIDDEN_NAMES]


def test_only_the_command_line_prints() -> None:
    for path in FILES:
        calls = [
            node
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        ]
        assert not calls or room_of(path) == "cli", f"{path} prints"


def test_the_core_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    heavy = {
        "dask",
        "distributed",
        "fsspec",
        "sqlalchemy",
        "alembic",
        "argon2",
        "torch",
        "transformers",
        "spacy",
        "openpyxl",
        "pdfplumber",
        "docx",
        "pandas",
        "numpy",
        "fastapi",
    }
    for path in FILES:
        if room_of(path) in (
            "train",
            "papers",
            "studio",
            "scale",
            "web",
        ):  # extras: not imported before they are asked for
            continue
        tree = parsed(path)
        for node in tree.body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & heavy, f"{path} imports an extra at the top"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_folder_beside_the_repository_is_named(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "parents":
            assert ast.literal_eval(node.slice) <= path.parents.index(ROOT), f"line {node.lineno} looks outside"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.right, ast.Constant):
            assert node.right.value not in ("..", "shared"), f"line {node.lineno} names a folder beside the repository"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert "shared/data" not in node.value, f"line {node.lineno} names a folder beside the repository"


# Two rooms may use one name where both mean the same noun; each pair says why.
SHARED_NAMES: dict[str, str] = {}


def test_no_two_public_types_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for path in FILES:
        for node in parsed(path).body:
            name = ""
            if isinstance(node, ast.ClassDef):
                name = node.name
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                name = node.target.id if "TypeAlias" in ast.unparse(node.annotation) else ""
            if name and not name.startswith("_"):
                places.setdefault(name, []).append(str(path.relative_to(SOURCE)))
    assert len(places) > 100
    assert {name: paths for name, paths in places.items() if len(paths) > 1 and name not in SHARED_NAMES} == {}
    assert not [name for name in SHARED_NAMES if len(places.get(name, ())) < 2], "take it off the list"
