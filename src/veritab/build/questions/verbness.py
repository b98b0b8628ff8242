"""How likely a form is a verb rather than a noun or an adjective.

It is looked up in `verbs.json`, which was counted in Wikipedia's introductions: after "to", "did" or "who" a word is a
verb, after "the", "of" or "her" it is not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from veritab.build.inflection import is_only_verb

_ONLY_VERB = 0.5
_UNKNOWN = -0.5


@lru_cache(1)
def _counted() -> Mapping[str, int]:
    counted: dict[str, int] = json.loads(files(__package__).joinpath("verbs.json").read_text("utf-8"))
    return counted


def is_seen_as_verb(word: str) -> bool:
    """Whether the introductions were enough to count how often a form is a verb."""
    return word in _counted()


@lru_cache(50_000)
def verbness(word: str) -> float:
    """The log odds that a form which may be a verb is one."""
    counted = _counted().get(word)
    if counted is not None:
        share = min(max(counted / 100, 0.02), 0.98)
        return math.log(share / (1 - share))
    return _ONLY_VERB if is_only_verb(word) else _UNKNOWN
