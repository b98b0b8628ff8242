"""Lines for people: printed as they come, and kept for a results file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


class Report:
    """A table of promises with what was measured, and notes under headings."""

    def __init__(self, title: str, command: str) -> None:
        self._title = title
        self._command = command
        self._rows: list[str] = []
        self._notes: dict[str, list[str]] = {}

    def promise(self, what: str, measured: str, wanted: str, *, kept: bool) -> None:
        """One promise, and whether it was kept."""
        row = f"| {what} | {measured} | {wanted} | {'yes' if kept else '**no**'} |"
        print(row, flush=True)
        self._rows.append(row)

    def note(self, heading: str, text: str) -> None:
        """Something a reader should know beside the figures."""
        print(f"  {text}", flush=True)
        self._notes.setdefault(heading, []).append(f"- {text}")

    def table(self, heading: str, rows: Sequence[Sequence[str]]) -> None:
        """Figures beside the promises; the first row names the columns."""
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, "|" + "---|" * len(rows[0]))
        print("\n".join([f"  {heading}", *lines]), flush=True)
        self._notes.setdefault(heading, []).extend(lines)

    def write(self, path: Path, keep: Sequence[str] = ()) -> None:
        """Write everything; sections that another script put into the file stay if they are named."""
        kept = [section.rstrip("\n") for heading in keep if (section := _section(path, heading))]
        lines = [
            f"# {self._title}",
            "",
            f"Printed by `{self._command}`, two cores, Python {sys.version.split()[0]}.",
        ]
        if self._rows:
            lines += ["", "| promise | measured | wanted | kept |", "|---|---|---|---|", *self._rows]
        for heading, notes in self._notes.items():
            lines += ["", f"## {heading}", "", *notes]
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join([*lines, *kept, ""]), encoding="utf-8")

    def write_section(self, path: Path, heading: str) -> None:
        """Put one section into a file that another script writes, in place of what it held."""
        content = path.read_text(encoding="utf-8").replace(_section(path, heading), "").rstrip("\n")
        own = [f"## {heading}", "", f"Printed by `{self._command}`.", "", *self._notes[heading], ""]
        path.write_text("\n".join([content, "", *own]), encoding="utf-8")


def _section(path: Path, heading: str) -> str:
    """A section of a file with the line above it; nothing where the file has none."""
    content = path.read_text(encoding="utf-8") if path.exists() else ""
    _, found, after = content.partition(f"\n## {heading}\n")
    return found + after.partition("\n## ")[0] if found else ""
