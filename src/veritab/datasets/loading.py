"""A data set is opened by its name or by its path."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from veritab.datasets.known import FOLDER, KNOWN, data_folder
from veritab.datasets.reading import DataSet, read_file
from veritab.datasets.records import Task
from veritab.errors import NotFound


def load(name: str | Path, *, data: Path | None = None, task: Task | None = None, strict: bool = False) -> DataSet:
    """The data set of that name, or of that file; `strict` makes the first problem of its records an error.

    The task is told from the first records where it is not given.
    """
    if isinstance(name, str) and name in KNOWN:
        known = KNOWN[name]
        found = known.find(data)
        if found is None:
            raise NotFound(
                f"{name} is not in {str(data_folder(data))!r}, where it would be {known.files[0]}.jsonl or .jsonl.gz; "
                f"it comes from {known.home}; name another folder with --data or {FOLDER}"
            )
        return read_file(found, name=name, task=task or known.task, licence=known.licence, strict=strict)
    path = Path(name)
    if isinstance(name, str) and not path.exists():
        near = get_close_matches(name, KNOWN, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`veritab data` lists the names"
        raise NotFound(f"there is neither a data set nor a file called {name!r}; {hint}")
    return read_file(path, name=path.name, task=task, strict=strict)
