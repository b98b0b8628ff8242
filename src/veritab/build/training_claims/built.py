"""What building gives: a claim, the evidence beside it, and the label that follows from how both were made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from veritab.schema import Element


class BuiltClaim(NamedTuple):
    """A claim made by rule, with evidence that settles it, or does not, as its label says."""

    text: str
    evidence: Sequence[Element]
    label: int
    """As in `datasets.normalise`."""
