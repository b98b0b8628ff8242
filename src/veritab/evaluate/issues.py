"""What is wrong or odd in a file of predictions, line by line, and a summary of it for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from veritab.errors import FormatError

_SHOWN_OF_A_SORT = 3


class LineIssue(NamedTuple):
    """An issue with one line (0: the whole file); issues of one `sort` say the same of different lines."""

    sort: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}" if self.line else self.what


class BadPredictions(FormatError):
    """Predictions that cannot be scored as they are; `faults` has every single one, the message the first of a sort."""

    def __init__(self, name: str, faults: Sequence[LineIssue]) -> None:
        count = f"{len(faults):,} faults" if len(faults) > 1 else "a fault"
        super().__init__("\n  ".join([f"{name} has {count}, so nothing was scored:", *summarise_issues(faults)]))
        self.name, self.faults = name, tuple(faults)

    def __reduce__(self) -> tuple[type[BadPredictions], tuple[str, tuple[LineIssue, ...]]]:
        return type(self), (self.name, self.faults)


def summarise_issues(issues: Iterable[LineIssue]) -> list[str]:
    """The first few issues of each sort, then how many more there are and where the last is."""
    sorts: dict[str, list[LineIssue]] = {}
    for issue in issues:
        sorts.setdefault(issue.sort, []).append(issue)
    lines: list[str] = []
    for alike in sorts.values():
        lines += map(str, alike[:_SHOWN_OF_A_SORT])
        if more := alike[_SHOWN_OF_A_SORT:]:
            last = f", the last on line {more[-1].line}" if more[-1].line else ""
            lines.append(f"… and {len(more):,} more such{last}")
    return lines
