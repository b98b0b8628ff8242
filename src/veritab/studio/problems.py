"""What a check of a studio finds."""

from __future__ import annotations

from typing import NamedTuple


class StudioProblem(NamedTuple):
    """Something in a studio that does not fit the rest."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"
