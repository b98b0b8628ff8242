"""Whether the file of a data set is the one that was published."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from veritab.datasets.reading import read_file, sha256_of
from veritab.datasets.registry import RegisteredDataSet
from veritab.errors import VeritabError

GOOD = frozenset({"whole", "part", "counted"})


@dataclass(frozen=True, slots=True)
class FileCheck:
    """What a file is worth: `whole` or a known `part` by its checksum, `counted` where no checksum is known and the
    number of claims is right, else `differs` or `damaged`."""

    state: str
    what: str
    claims: int
    problems: int
    sha256: str


def check_file(known: RegisteredDataSet, path: Path) -> FileCheck:
    """Read a file through and compare it with what is known of it."""
    try:
        sha256 = sha256_of(path)
        opened = read_file(path, name=known.name, task=known.task)
        claims, problems = len(opened), len(opened.problems)
    except VeritabError as error:
        return FileCheck("damaged", str(error), 0, 1, "")
    if sha256 == known.sha256 or sha256 in known.parts:
        state = "whole" if sha256 == known.sha256 else "part"
        return FileCheck(state, f"sha256 {sha256[:12]}…", claims, problems, sha256)
    if problems:
        first = opened.problems[0]
        return FileCheck("damaged", f"{first.where}: {first.what}", claims, problems, sha256)
    if known.sha256 is None and claims == known.claims:
        return FileCheck("counted", "as many claims as it should have; no checksum is known", claims, problems, sha256)
    return FileCheck("differs", f"sha256 {sha256[:12]}…", claims, problems, sha256)
