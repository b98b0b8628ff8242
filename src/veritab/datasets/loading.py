"""A data set is opened by its name or by its path."""

from __future__ import annotations

from pathlib import Path

from veritab.datasets.reading import DataSet, read_file
from veritab.datasets.records import Task
from veritab.datasets.registry import REGISTRY, SET_DATA_FOLDER, find_data_folder
from veritab.errors import NotFound, nearest_name


def load(name: str | Path, *, data: Path | None = None, task: Task | None = None, strict: bool = False) -> DataSet:
    """The data set of that name, or of that file; `strict` makes the first problem of its records an error.

    The task is detected from the first records where it is not given.
    """
    if isinstance(name, str) and name in REGISTRY:
        entry = REGISTRY[name]
        path = entry.find(data)
        if path is None:
            folder = find_data_folder(data)
            absent = (
                f"{name} is not in {str(folder)!r}" if folder else f"{name} is not here: no folder of data sets is set"
            )
            source = f"it comes from {entry.home}, save it as {entry.files[0]}.jsonl or .jsonl.gz"
            raise NotFound(f"{absent}; {source}; {SET_DATA_FOLDER}")
        return read_file(path, name=name, task=task or entry.task, licence=entry.licence, strict=strict)
    path = Path(name)
    if isinstance(name, str) and not path.exists():
        nearest = nearest_name(name, REGISTRY, cutoff=0.6)
        hint = f"did you mean {nearest!r}?" if nearest else "`veritab data` lists the names"
        raise NotFound(f"there is neither a data set nor a file called {name!r}; {hint}")
    return read_file(path, name=path.name, task=task, strict=strict)
