"""The words that the shipped models know whole: English that is common enough to have a token of its own."""

from __future__ import annotations

from functools import cache

from veritab.models.card import TOKENIZER
from veritab.models.registry import shipped


@cache
def _tokenizer() -> bytes:
    """The file of the first tokenizer that ships; empty in an installation without models."""
    return next((path.read_bytes() for folder in shipped().values() if (path := folder / TOKENIZER).is_file()), b"")


def is_common_word(word: str) -> bool:
    """Whether a word in lower case is a whole token, be it a word of the language or a name everybody knows."""
    # Looked for in the bytes of the file: parsing it takes longer than everything else that is done about a typo.
    return word.isalpha() and f'"{word}":'.encode() in _tokenizer()
