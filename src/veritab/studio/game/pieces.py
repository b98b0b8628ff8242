"""A piece of evidence as a player sees it: its words, where they stand, and the part of the table around them.

Pieces are frozen with the claim: what a voter is shown is what the author chose from, whatever becomes of the corpus.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self


class ShownCell(NamedTuple):
    """A cell of a table as it is drawn."""

    text: str
    is_header: bool = False
    is_marked: bool = False
    """Whether it is the evidence, not only beside it."""


@dataclass(frozen=True)
class EvidencePiece:
    """A sentence, an item, a caption, a row or cells of a table, or words quoted in a file."""

    text: str
    """What is said, in words, also of cells."""
    section: str = ""
    """The headings above it, "A | B"."""
    ids: tuple[str, ...] = ()
    """Its elements; none where it is quoted in a file."""
    caption: str = ""
    rows: tuple[tuple[ShownCell, ...], ...] = ()
    """The header and the rows concerned, where it stands in a table."""

    def as_dict(self) -> dict[str, Any]:
        """The piece as JSON."""
        return asdict(self) | {"ids": list(self.ids), "rows": [[list(cell) for cell in row] for row in self.rows]}

    @classmethod
    def parse(cls, table: dict[str, Any]) -> Self:
        """The piece of `as_dict`."""
        rows = tuple(tuple(ShownCell(*cell) for cell in row) for row in table["rows"])
        return cls(**{**table, "ids": tuple(table["ids"]), "rows": rows})
