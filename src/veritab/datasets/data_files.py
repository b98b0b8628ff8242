"""The files of a data folder, read record by record: data sets that have a name, and what belongs to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

from veritab.datasets.lines import records_of
from veritab.datasets.registry import EXTENSIONS, REGISTRY, find_bundled
from veritab.errors import FormatError, NotFound

Value = TypeVar("Value")
_shared: dict[tuple[Path, Callable[[DataFiles], Any]], tuple[Any, dict[str, Path]]] = {}


class DataFiles:
    """A data folder whose every reading is noted: `read` has the files by their names in the folder or the package.

    Code that is handed this instead of a path can read no file that a manifest would miss.
    """

    def __init__(self, folder: Path) -> None:
        self.read: dict[str, Path] = {}
        self._folder = folder

    def records(self, name: str) -> Iterator[dict[str, Any]]:
        """The records of a data set, or of tables or texts beside one; a broken line is an error.

        A data set that ships with Veritab is read from the package where the folder does not have it.
        """
        path = self._path_of(name)
        for line in records_of(path):
            if line.record is None:
                raise FormatError(f"{path.name}:{line.number}: {line.wrong}; download the file again")
            yield cast(dict[str, Any], line.record)

    def file(self, name: str) -> Path:
        """A file of the folder, or one by its whole path, for a reader of its own."""
        path = self._folder / name
        if not path.is_file():
            raise NotFound(f"no {name} in {str(self._folder)!r}; name the folder that holds the data sets with --data")
        self.read[name] = path
        return path

    def once(self, make: Callable[[DataFiles], Value]) -> Value:
        """What a function makes of the folder, made once in a process; the files it read are noted each time."""
        key = (self._folder, make)
        if key not in _shared:
            own = DataFiles(self._folder)
            _shared[key] = (make(own), own.read)
        value, files = _shared[key]
        self.read |= files
        return cast(Value, value)

    def _path_of(self, name: str) -> Path:
        entry = REGISTRY.get(name)
        names = entry.names_in_folder() if entry else (f"{name}{ending}" for ending in EXTENSIONS)
        inside = next(filter(self._is_file, names), None)
        bundled = entry.bundled if entry else f"{name}.jsonl.gz"
        shipped = find_bundled(bundled) if inside is None else None
        if shipped is None:
            return self.file(inside or f"{name}.jsonl.gz")
        self.read[bundled] = shipped
        return shipped

    def _is_file(self, name: str) -> bool:
        return (self._folder / name).is_file()
