"""Under which licences the sources of examples stand; cards of models repeat it.

A source that is made of several data sets stands under the strictest of theirs. The `[licences]` of a recipe are for
sources that are not listed here.
"""

from __future__ import annotations

from collections.abc import Mapping

_SHARE_ALIKE = "CC BY-SA 3.0"
LICENCES: Mapping[str, str] = {
    "fever": _SHARE_ALIKE,
    "vitaminc": _SHARE_ALIKE,
    "conjunctions": _SHARE_ALIKE,
    "mutated": _SHARE_ALIKE,
    "table_claims": _SHARE_ALIKE,
    "snli": "CC BY-SA 4.0",
    "mnli": "OANC",
    "infotabs": f"Apache-2.0 / {_SHARE_ALIKE}",
    "tabfact": "CC BY 4.0",
    "tabfact_cells": "CC BY 4.0",
    "semtabfacts": "CC BY 4.0",
    "synthetic": "Apache-2.0",
}
"""The licence of each source that is trained on, by its name."""
UNKNOWN = "not stated"


def licence_of(source: str, told: Mapping[str, str]) -> str:
    """The licence of a source: what a recipe tells of it, or else what is known here."""
    return told.get(source) or LICENCES.get(source, UNKNOWN)
