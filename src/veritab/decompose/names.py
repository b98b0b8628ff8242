"""The names in a text."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.decompose.parts_of_speech import is_adverb, is_finite, may_be_finite
from veritab.lexicon.grammar import AUXILIARIES, CLAUSE_CONJUNCTIONS, PREPOSITIONS, RELATIVE_WORDS
from veritab.text import STOP_WORDS, Token, tokenize

_LONGEST_ABBREVIATION = 2
_LONGEST_NUMBER = 3
_AFTER_NUMBERS = frozenset(".,;)'’")
_INSIDE_NAMES = frozenset("of de da van von der del la the &".split())


def find_names(text: str) -> Iterator[str]:
    """The names in a text: words with capitals, and the small ones between them; "Swiss" in "Swiss guide" is none."""
    tokens = tokenize(text)
    place = 0
    while place < len(tokens):
        if not tokens[place].is_capital or tokens[place].lower in STOP_WORDS:
            place += 1
            continue
        end = _end_of_name(tokens, place)
        if end - place > 1 or not _is_adjective(tokens, place):
            yield text[tokens[place].start : tokens[end - 1].end].removesuffix("'s").removesuffix("’s")
        place = end


def _end_of_name(tokens: list[Token], start: int) -> int:
    """One past the last word of a name: initials have dots, and small words may stand inside it."""
    end = start + 1
    while end < len(tokens) and not tokens[end - 1].lower.endswith(("'s", "’s")):
        if tokens[end].is_capital:
            end += 1
            continue
        if tokens[end].text == "." and len(tokens[end - 1].text) <= _LONGEST_ABBREVIATION:
            small = 1
        else:
            small = next((n for n, token in enumerate(tokens[end : end + 3]) if token.lower not in _INSIDE_NAMES), 0)
        if not small or end + small >= len(tokens) or not tokens[end + small].is_capital:
            return end + _ends_in_number(tokens, end)
        end += small + 1
    return end


def _ends_in_number(tokens: list[Token], place: int) -> bool:
    """Whether a number there belongs to the name before it: "Voyager 2 visited", not "Canada 12 medals"."""
    if not tokens[place].text.isdecimal() or len(tokens[place].text) > _LONGEST_NUMBER:
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None or not after.is_word:
        return after is None or after.text in _AFTER_NUMBERS
    return is_finite(tokens, place + 1) or after.lower in PREPOSITIONS | CLAUSE_CONJUNCTIONS


def _is_adjective(tokens: list[Token], place: int) -> bool:
    """Whether a word with a capital stands before a noun: "British" in "British king"."""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None or not after.is_word or not after.text[0].islower() or tokens[place].lower.endswith(("'s", "’s")):
        return False
    if after.lower in PREPOSITIONS | AUXILIARIES | CLAUSE_CONJUNCTIONS | RELATIVE_WORDS | {"or", "than"}:
        return False
    return not may_be_finite(tokens, place + 1) and not is_adverb(after)
