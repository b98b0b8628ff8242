"""A spaCy model finds the names in a claim: a detector for `PageRetriever` and for the FEVEROUS configurations."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from veritab.errors import InputError, MissingExtra
from veritab.retrieve.mentions import Detector


def spacy_mentions(model: str = "en_core_web_sm") -> Detector:
    """The entities that a spaCy model sees in a text, as FEVEROUS found them."""
    try:
        spacy = importlib.import_module("spacy")
    except ImportError:
        raise MissingExtra("finding entities with spaCy", "spacy") from None
    try:
        pipeline: Callable[[str], Any] = spacy.load(model)
    except OSError:
        raise InputError(f"spaCy has no model {model!r}; install it with: python -m spacy download {model}") from None

    def mentions(text: str) -> list[str]:
        return [entity.text for entity in pipeline(text).ents]

    return mentions
