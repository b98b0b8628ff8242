"""A folder of files of claims, which may grow while its claims are checked.

Files are taken up in the order of their names, and those that come later in the order in which they are found; each
once, whole and validated. A file that is still being written has a name that begins with a dot or ends in .partial or
.tmp, and gets its own when it is whole. A file named DONE says that no more will come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from veritab.errors import Conflict, InputError
from veritab.runs.claims import ClaimRecord, ClaimsFile, SeenIds

DONE = "DONE"
_UNFINISHED = (".partial", ".tmp")


class ClaimsFolder:
    """The claims of all files of a folder that were taken up so far, in the order in which they were."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)
        self.files: dict[str, ClaimsFile] = {}
        self._looks: dict[str, tuple[int, int]] = {}
        self._ids = SeenIds()

    def __len__(self) -> int:
        return sum(map(len, self.files.values()))

    def __iter__(self) -> Iterator[ClaimRecord]:
        for file in list(self.files.values()):
            yield from file

    @property
    def is_done(self) -> bool:
        """Whether somebody said that no more files will come."""
        return (self.path / DONE).exists()

    def recall(self, taken: Iterable[tuple[str, str]]) -> None:
        """Take up the files that a run took up before, by names and hashes."""
        for name, sha256 in taken:
            path = self.path / name
            if not path.is_file():
                raise Conflict(f"the run has taken up {str(path)!r}, and it is gone; put it back, or begin again")
            file = self._open(name)
            if file.sha256 != sha256:
                raise self._changed(name)
            self._take(file)

    def take_up(self) -> list[ClaimsFile]:
        """Take up the files that came since, all or, where one of them is bad, none."""
        self._refuse_changed()
        new = [self._open(name) for name in self._names() if name not in self.files]
        for file in new:
            self._take(file)
        return new

    def _names(self) -> list[str]:
        return sorted(
            path.name
            for path in self.path.iterdir()
            if path.is_file() and not path.name.startswith(".") and not path.name.endswith(_UNFINISHED)
            if path.name != DONE
        )

    def _open(self, name: str) -> ClaimsFile:
        self._looks[name] = self._look(name)
        return ClaimsFile.open(self.path / name, source=name)

    def _take(self, file: ClaimsFile) -> None:
        self._ids.add(file, self.files.values())
        self.files[file.source] = file

    def _look(self, name: str) -> tuple[int, int]:
        state = (self.path / name).stat()
        return state.st_size, state.st_mtime_ns

    def _refuse_changed(self) -> None:
        """Refuse files that hold other claims than when they were taken up; what is gone by now is not needed here."""
        for name, file in self.files.items():
            if (self.path / name).exists() and self._look(name) != self._looks[name]:
                try:
                    same = self._open(name).sha256 == file.sha256
                except InputError:
                    same = False
                if not same:
                    raise self._changed(name)

    def _changed(self, name: str) -> Conflict:
        return Conflict(
            f"{str(self.path / name)!r} was changed after its claims were taken up; put it back as it was, and new "
            "claims into a file of another name"
        )
