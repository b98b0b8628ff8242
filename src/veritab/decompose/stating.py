"""Whether words state anything, and of whom: a name, a question or a row of letters is nothing to be settled."""

from __future__ import annotations

import re

from veritab.decompose.subjects import is_no_name
from veritab.decompose.tokens import DETERMINERS, PREPOSITIONS, Token, may_be_finite, tokens
from veritab.decompose.verbs import AUXILIARIES, is_bare, is_nounish, is_past_or_participle, is_sure
from veritab.decompose.worth import is_first_name
from veritab.text import STOP_WORDS

_ENDED = re.compile(r"[.!…][\"'”’»)\]\s]*$")
_QUESTION = re.compile(r"[?？؟][!?\"'”’»)\]\s]*$")
_ASKING = frozenset("who whom whose what when where why how which".split())
_MORE_VERBS = frozenset("compete quit cast".split())
_LIKELY_WORDS = 5
# Letters of other scripts: words are not always apart there, and their verbs are not known.
_OTHER_SCRIPT = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")


def is_statement(text: str) -> bool:
    """Whether a text may be a claim; in doubt it is one, since a claim that is passed over gets no answer at all."""
    line = tokens(text)
    words = [token for token in line if token.is_word]
    if not any(token.text[0].isalpha() for token in words) or _is_question(text, words):
        return False
    return bool(_OTHER_SCRIPT.search(text)) or _has_verb(text, line, words)


def subject_named(text: str) -> str:
    """The name that a claim begins with and tells something of; empty where it begins otherwise."""
    line = tokens(text)
    end = next((place for place, token in enumerate(line) if not token.is_capital), len(line))
    if not 0 < end < len(line) or not may_be_finite(line, end):
        return ""
    first = line[0].low
    is_plural = end == 1 and first.endswith("s") and not is_no_name(first) and first not in STOP_WORDS
    return text[: line[end - 1].end] if is_plural or is_first_name(line, 0) else ""


def _is_question(text: str, words: list[Token]) -> bool:
    """Whether a text asks: by its mark, or by how it begins where it has none; a title at its end may ask too."""
    if _ENDED.search(text):
        return False
    marked = bool(_QUESTION.search(text))
    following = words[1] if len(words) > 1 else None
    if following is None or len(words) < _LIKELY_WORDS:
        return marked or words[0].low in _ASKING
    if words[0].low in _ASKING:
        return not following.is_capital and following.low != "to"  # "How to Train Your Dragon is a film"
    return words[0].low in AUXILIARIES and not is_sure(following.low)


def _has_verb(text: str, line: list[Token], words: list[Token]) -> bool:
    """Whether there is a verb, or among the many words of a whole sentence what may be one that is not known."""
    if any(is_sure(token.low) or may_be_finite(line, place) for place, token in enumerate(line)):
        return len(words) > 1
    whole = len(words) >= _LIKELY_WORDS and bool(_ENDED.search(text))
    return whole or any(map(_may_be_verb, words[1:]))


def _may_be_verb(word: Token) -> bool:
    """Whether a word has the form of a verb, wherever it stands."""
    text = word.text
    if not text[0].islower() or text in DETERMINERS or text in PREPOSITIONS:
        return False
    is_known = text in _MORE_VERBS or is_nounish(text) or is_past_or_participle(text) or is_bare(text)
    return is_known or text.endswith(("s", "ed"))
