"""A claim of several assertions becomes parts that stand alone: "X was born in 1900 and won a prize" is two.

Rules over tokens, and careful ones: a claim is cut only where a new verb surely begins a new assertion, and whatever is
in doubt stays whole, since half an assertion is checked worse than two at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from veritab.decompose.asides import aside, tail
from veritab.decompose.finding import standing_alone
from veritab.decompose.joints import Cut, cuts
from veritab.decompose.pairs import pair
from veritab.decompose.tokens import may_be_finite, tokens
from veritab.text import sentences

_LONGEST = 2000
_WHOLE = re.compile(r"\b(?:respectively|not only|either|neither|nor|whether|each other|one another)\b", re.IGNORECASE)
_CONDITIONAL = frozenset("if when although though while because since unless whereas whenever once as".split())
_FEWEST_WORDS = 3


def parts(claim: str) -> tuple[str, ...]:
    """The assertions a claim makes, each a sentence that stands alone; a claim that makes one is its only part."""
    text = " ".join(claim.split())
    if not text or len(text) > _LONGEST or text.endswith(("?", "!")):
        return (claim,)
    spans = list(sentences(text))
    if len(spans) > 1:
        found = _of_sentences([text[start:end] for start, end in spans], text)
    else:
        found = list(_of_sentence(text))
    if len(found) < 2 or any(_is_too_short(part) for part in found):
        return (claim,)
    return tuple(dict.fromkeys(found))


def _is_too_short(part: str) -> bool:
    return sum(token.is_word for token in tokens(part)) < _FEWEST_WORDS


def _of_sentences(written: list[str], text: str) -> list[str]:
    """The parts of several sentences; those that lean on an earlier one are made to stand alone first."""
    if not all(_is_whole(sentence) for sentence in written):
        return [text]
    return [part for sentence in standing_alone(written) for part in _of_sentence(sentence)]


def _is_whole(sentence: str) -> bool:
    """Whether a sentence begins as one and has a verb."""
    line = tokens(sentence)
    begins = bool(line) and not sentence[0].islower()
    return begins and any(may_be_finite(line, place) for place in range(1, len(line)))


def _of_sentence(text: str) -> Iterator[str]:
    stop = "." if text.endswith(".") and not text.endswith("..") else ""
    bare = text[: len(text) - len(stop)].rstrip(" ,;")
    for part in _split(bare):
        yield _sentence(part) + ("" if part.endswith(".") else stop)


def _sentence(part: str) -> str:
    """A part as a sentence begins; names that begin with a small letter are left alone."""
    first, _, rest = part.partition(" ")
    return f"{first[0].upper()}{part[1:]}" if rest and first.isalpha() and first.islower() else part


def _split(text: str) -> list[str]:
    line = tokens(text)
    if not line or _WHOLE.search(text) or line[0].low in _CONDITIONAL:
        return [text]
    halves = pair(text, line) or aside(text, line)
    if halves:
        return [part for half in halves for part in _split(half)]
    return [half for part in _told(text, cuts(text, line)) for half in tail(part, tokens(part))]


def _told(text: str, found: list[Cut]) -> list[str]:
    """The text of each cut with the words it shares with an earlier one before it."""
    return [f"{cut.front}{text[cut.start : cut.end].strip(' ,;')}" for cut in found] or [text]
