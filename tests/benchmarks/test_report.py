"""Results files that two scripts write."""

from __future__ import annotations

from pathlib import Path

from benchmarks.report import Report


def test_a_section_of_another_script_is_replaced_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "results.md"
    first, second = Report("Title", "one"), Report("Title", "two")
    first.note("How", "By hand.")
    first.write(path, keep=["Kills"])
    for count in (1, 2):
        second = Report("Title", "two")
        second.note("Kills", f"{count} kills.")
        second.write_section(path, "Kills")
    once = path.read_text()
    assert once.endswith("## How\n\n- By hand.\n\n## Kills\n\nPrinted by `two`.\n\n- 2 kills.\n")
    first.write(path, keep=["Kills"])
    assert path.read_text() == once
