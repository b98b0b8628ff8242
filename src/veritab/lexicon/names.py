"""Names that claims and pages write differently."""

from __future__ import annotations

from veritab.text import stems

_SAME = (
    "United States; US; USA; United States of America; America",
    "United Kingdom; UK; Great Britain; Britain",
    "Soviet Union; USSR",
    "People's Republic of China; China",
    "Republic of Ireland; Ireland",
    "Netherlands; Holland",
    "East Germany; GDR",
    "West Germany; FRG",
    "United Arab Emirates; UAE",
    "European Union; EU",
)
_GROUPS = [[stems(name) for name in line.split("; ")] for line in _SAME]
NAMES_FOR = {name: tuple(other for other in group if other != name) for group in _GROUPS for name in group}
"""The stems of a name, and those of others for the same thing."""
