"""What a table holds, as one TOML file each: the published numbers, and the settings of the work that fills it.

title = "FEVER, table 2: documents that DrQA finds"
work = "documents"                  # the function that fills it, a name of `veritab.papers.tables.FILLERS`
unit = "percent"                    # as the paper prints its numbers; or "share"
columns = ["Fully supported", "Oracle accuracy"]
[published]                         # row by row, a value for each column; "" where the paper has none
"1" = [25.31, 50.21]
[settings]                          # what the work takes besides
k = [1, 5]
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from veritab.errors import FormatError, InputError, nearest_name

FOLDER = Path(__file__).parent / "published"
UNITS = ("percent", "share", "words")
_KEYS = ("title", "work", "unit", "columns", "published", "settings", "needs")


@dataclass(frozen=True)
class TableConfig:
    """One table of a paper."""

    name: str
    title: str
    work: str
    unit: str
    columns: tuple[str, ...]
    published: Mapping[str, Mapping[str, float | str]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    """What has to be on hand: "data" (the folder of data sets), "fits" (baselines are fitted first), "corpus"."""

    @classmethod
    def read(cls, path: Path) -> TableConfig:
        """The table that a file describes."""
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise FormatError(f"{path.name} cannot be read as a table ({error})") from None
        for key in values:
            if key not in _KEYS:
                raise FormatError(f"{path.name} has {key!r}; {suggest(key, _KEYS)}")
        for key in ("title", "work", "unit", "columns", "published"):
            if key not in values:
                raise FormatError(f"{path.name} has no {key!r}; say it")
        if values["unit"] not in UNITS:
            raise FormatError(f"{path.name}: the unit is {values['unit']!r}; {suggest(str(values['unit']), UNITS)}")
        columns = tuple(values["columns"])
        return cls(
            name=path.stem,
            title=values["title"],
            work=values["work"],
            unit=values["unit"],
            columns=columns,
            published={row: _row(path, row, cells, columns) for row, cells in values["published"].items()},
            settings=values.get("settings", {}),
            needs=tuple(values.get("needs", ())),
        )


def _row(path: Path, row: str, values: Any, columns: tuple[str, ...]) -> dict[str, float | str]:
    if not isinstance(values, list) or len(values) != len(columns):
        raise FormatError(f"{path.name}: the row {row!r} is {values!r}; expected {len(columns)} values, one a column")
    return {column: value for column, value in zip(columns, values, strict=True) if value != ""}


def tables(folder: Path = FOLDER) -> dict[str, TableConfig]:
    """Every table that can be asked for, by its name."""
    return {path.stem: TableConfig.read(path) for path in sorted(folder.glob("*.toml"), key=_in_order)}


def find(name: str) -> TableConfig:
    """The table of that name."""
    known = tables()
    if name not in known:
        raise InputError(f"no table is called {name!r}; {suggest(name, known)}")
    return known[name]


def suggest(name: str, known: Iterable[str]) -> str:
    """What was probably meant, and all that could have been."""
    names = list(known)
    nearest = nearest_name(name.lower(), names, cutoff=0.5)
    return f"{f'did you mean {nearest!r}? ' if nearest else ''}Known: {', '.join(names)}"


_PAPERS = ("fever", "feverous", "fm2", "faviq")


def _in_order(path: Path) -> tuple[int, str]:
    paper = path.stem.partition("-")[0]
    return (_PAPERS.index(paper) if paper in _PAPERS else len(_PAPERS)), path.stem
