"""Lines of Python per room, before and after: `python -m benchmarks.lines BEFORE [AFTER]`, two commits.

Rooms that were moved are counted under the name they have now, so that a row compares the same code.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from benchmarks.report import Report

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "lines.md"
_SOURCE = "src/veritab/"
# Where code stands now that stood elsewhere at 6152234, the longest path first.
_MOVED = (
    ("retrieve/papers/", "papers"),
    ("train/baselines/", "papers"),
    ("evaluate/runs.py", "runs"),
    ("evaluate/taking.py", "runs"),
    ("evaluate/stages.py", "runs"),
    ("evaluate/oracle.py", "runs"),
    ("evaluate/comparing.py", "runs"),
    ("reproduce/", "papers"),
    ("claims/", "decompose"),
    ("bulk/", "runs"),
    ("reports/", "render"),
    ("serial.py", "render"),
    ("cli/verdicts.py", "render"),
    ("web/pages/verdicts.py", "render"),
    ("web/pages/tables.py", "render"),
    ("judging.py", "verify"),
)


def room_of(path: str) -> str:
    """The room that a file of the package belongs to now."""
    for start, room in _MOVED:
        if path.startswith(start):
            return room
    return PurePosixPath(path).parts[0].removesuffix(".py")


def _files(commit: str) -> Iterator[tuple[str, bytes]]:
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".py") else None
            if file:
                yield member.name, file.read()


def count_lines(commit: str) -> Counter[str]:
    """Lines per room of the package, and of tests and benchmarks."""
    lines: Counter[str] = Counter()
    for name, content in _files(commit):
        if name.startswith(_SOURCE):
            lines[room_of(name.removeprefix(_SOURCE))] += content.count(b"\n")
        elif name.startswith(("tests/", "benchmarks/")):
            lines[f"({name.partition('/')[0]})"] += content.count(b"\n")
    return lines


def main(arguments: list[str]) -> None:
    before, after = arguments[0], (arguments[1:] or ["HEAD"])[0]
    old, new = count_lines(before), count_lines(after)
    rows = [["room", "before", "after", "change"]]
    rows += [[room, f"{old[room]:,}", f"{new[room]:,}", f"{new[room] - old[room]:+,}"] for room in sorted({*old, *new})]
    whole = [sum(n for room, n in lines.items() if not room.startswith("(")) for lines in (old, new)]
    rows.append(["**package**", f"{whole[0]:,}", f"{whole[1]:,}", f"{whole[1] - whole[0]:+,}"])
    report = Report("Lines per room", f"python -m benchmarks.lines {before} {after}")
    report.table("Lines of Python", rows)
    report.write(RESULTS)


if __name__ == "__main__":
    main(sys.argv[1:])
