"""Whether a text is a statement at all, and what it is about; a name, a question or mere letters cannot be checked."""

from __future__ import annotations

import re

from veritab.decompose.checkworthy import starts_with_name
from veritab.decompose.parts_of_speech import may_be_finite
from veritab.decompose.subjects import cannot_be_name
from veritab.decompose.verbs import is_always_finite, is_noun_or_verb, is_past_or_participle, is_plural_present
from veritab.lexicon.grammar import AUXILIARIES, DETERMINERS, PREPOSITIONS, QUESTION_WORDS
from veritab.text import STOP_WORDS, Token, tokenize

_END_OF_SENTENCE = re.compile(r"[.!…][\"'”’»)\]\s]*$")
_QUESTION = re.compile(r"[?？؟][!?\"'”’»)\]\s]*$")
_MORE_VERBS = frozenset("compete quit cast".split())
_LIKELY_WORDS = 5
# Letters of other scripts: words are not always apart there, and their verbs are not known.
_OTHER_SCRIPT = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")


def is_statement(text: str) -> bool:
    """Whether a text may be a claim; in doubt it is one, since a claim that is passed over gets no answer at all."""
    tokens = tokenize(text)
    words = [token for token in tokens if token.is_word]
    if not any(token.text[0].isalpha() for token in words) or _is_question(text, words):
        return False
    return bool(_OTHER_SCRIPT.search(text)) or _has_verb(text, tokens, words)


def named_subject(text: str) -> str:
    """The name that a claim begins with as its subject; empty where it begins otherwise."""
    tokens = tokenize(text)
    end = next((place for place, token in enumerate(tokens) if not token.is_capital), len(tokens))
    if not 0 < end < len(tokens) or not may_be_finite(tokens, end):
        return ""
    first = tokens[0].lower
    is_plural = end == 1 and first.endswith("s") and not cannot_be_name(first) and first not in STOP_WORDS
    return text[: tokens[end - 1].end] if is_plural or starts_with_name(tokens, 0) else ""


def _is_question(text: str, words: list[Token]) -> bool:
    """Whether a text asks: by its mark, or by how it begins where it has none; a title at its end may ask too."""
    if _END_OF_SENTENCE.search(text):
        return False
    marked = bool(_QUESTION.search(text))
    following = words[1] if len(words) > 1 else None
    if following is None or len(words) < _LIKELY_WORDS:
        return marked or words[0].lower in QUESTION_WORDS
    if words[0].lower in ("when", "where") and following.lower not in AUXILIARIES:
        return marked  # "When the home team was Fitzroy, the crowd was 12,000" is a clause of time, not a question
    if words[0].lower in QUESTION_WORDS:
        return not following.is_capital and following.lower != "to"  # "How to Train Your Dragon is a film"
    return words[0].lower in AUXILIARIES and not is_always_finite(following.lower)


def _has_verb(text: str, tokens: list[Token], words: list[Token]) -> bool:
    """Whether there is a verb, or among the many words of a whole sentence what may be one that is not in the lists."""
    if any(is_always_finite(token.lower) or may_be_finite(tokens, place) for place, token in enumerate(tokens)):
        return len(words) > 1
    whole = len(words) >= _LIKELY_WORDS and bool(_END_OF_SENTENCE.search(text))
    return whole or any(map(_may_be_verb, words[1:]))


def _may_be_verb(word: Token) -> bool:
    """Whether a word has the form of a verb, wherever it stands."""
    text = word.text
    if not text[0].islower() or text in DETERMINERS or text in PREPOSITIONS:
        return False
    is_known = text in _MORE_VERBS or is_noun_or_verb(text) or is_past_or_participle(text) or is_plural_present(text)
    return is_known or text.endswith(("s", "ed"))
