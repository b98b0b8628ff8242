"""The closed classes of English words: those that name nothing by themselves."""

from __future__ import annotations

from veritab.text import STOP_WORDS, stem

NEGATIONS = frozenset("no not never".split())
DENIALS = frozenset("not never cannot didn doesn don wasn isn aren weren hasn hadn haven nor hardly".split())
"""What denies the verb or the comparative after it; contractions as words are cut, without their "t"."""
WITHOUT = frozenset("no not without outside non none never lack lacked neither".split())
"""What denies the name after it: "without a medal"."""

_NAMING_IN_TABLES = frozenset(
    """again am because can could doing few having here hers himself how i if itself me my nor off once our own should
    some t theirs through too under until we why you your""".split()
)
_EMPTY_IN_TABLES = frozenset("whose less least fewer first last just down per against between".split())
TABLE_STOP_STEMS = frozenset(map(stem, STOP_WORDS - _NAMING_IN_TABLES | _EMPTY_IN_TABLES))
"""Stems that never link a claim to a cell or a header by themselves."""
