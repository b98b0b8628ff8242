"""What was measured of models goes into their cards, beside what their exporter wrote there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.report import Report
from veritab.models.card import Card

SHIPPED = "shipped, "
"""Begins the names of such figures: they are those of the files that ship, not of the network that was trained."""


class Figures(Report):
    """A report that also remembers the figures of each model."""

    def __init__(self, title: str, command: str) -> None:
        super().__init__(title, command)
        self.of: dict[str, dict[str, float]] = {}

    def figure(self, model: str, what: str, share: float) -> None:
        """A share that was measured of a model."""
        self.of.setdefault(model, {})[what] = share


def write_figures(folder: Path, figures: Mapping[str, float]) -> None:
    """Put shares into the card of a model, in percent; what else was measured stays."""
    card = Card.read(folder)
    named = {f"{SHIPPED}{what}": round(100 * share, 2) for what, share in figures.items()}
    replace(card, measured={**card.measured, **named}).write(folder)
