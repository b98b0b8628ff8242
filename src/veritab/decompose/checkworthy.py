"""Check-worthiness: statements with names, numbers, dates or comparisons; no questions, wishes or advice."""

from __future__ import annotations

import re

from veritab.decompose.parts_of_speech import is_adverb, may_be_finite
from veritab.decompose.subjects import cannot_be_name
from veritab.decompose.verbs import is_always_finite
from veritab.lexicon.comparison import is_comparative, is_superlative
from veritab.lexicon.grammar import BE
from veritab.lexicon.numbers import CALENDAR_WORDS, MONTHS_ALSO_VERBS, NUMBER_WORDS, ORDINALS
from veritab.text import Token

REASONS = ("date", "number", "name", "comparison", "quote", "statement")
"""Why a sentence may be worth checking, in the order in which reasons are listed."""

_YEAR = re.compile(r"(?:1[0-9]{3}|20[0-9]{2})s?")
_QUANTITY_WORDS = (NUMBER_WORDS - ORDINALS.keys() - {"zero", "one"}) | {"half", "twice", "percent"}
_FIRST_PERSON = frozenset(
    "i i'm i've i'd i'll i’m i’ve i’d i’ll me my myself we we're we’re we've we’ve we'll we’ll "
    "our ours ourselves you you're you’re you'll you’ll your yours let's let’s".split()
)
_HEDGES = frozenset("maybe perhaps arguably hopefully presumably imo imho".split())
_OPINION = frozenset(
    """beautiful wonderful amazing terrible awful great nice lovely fantastic horrible delicious boring interesting
    stunning gorgeous disgusting brilliant stupid ridiculous best worst perfect incredible awesome overrated underrated
    charming delightful cool fun sad happy unfortunate exciting magnificent superb dreadful
    pleasant""".split()
)
_FUTURE = re.compile(
    r"\b(?:will|won['’]t|shall|(?:is|are) (?:going|set|due|expected|likely|scheduled|planning) to|plans? to|should|"
    r"ought|might|hopes? to)\b|\bmay (?!(?:\d|refer))|"
    r"\bwould (?!later|go on|eventually|become|then|soon|remain|subsequently|also)|\bcould (?:be|have)\b"
)
_REPORTING = re.compile(
    r"\b(?:said|announced|stated|declared|predicted|promised|claimed|wrote|decided|agreed|reported)\b"
)
_CONDITION = frozenset("if unless suppose imagine whether assuming".split())
_INSTRUCTIONS = frozenset(
    """click see note read visit try add make let please don't don’t remember consider use go open press install
    download subscribe share follow contact call sign buy check enter choose select take keep put turn learn look listen
    watch join send write start stop avoid ensure run type copy paste submit get do ask tell give find print log save
    preheat mix stir bake pour cut serve believe forget imagine say stay wait hold come help think register compare
    discover explore bring begin""".split()
)
_INTENSIFIERS = frozenset("so very really truly quite simply too just most more such a an".split())
_SUBJECTLESS = frozenset("this that these those there here".split())
_ENGLISH = frozenset(
    """the of and was is were are with by from has had that which who been its his her their this he she it they to for
    at on into during after before""".split()
)
_TERMINAL = re.compile(r"[.!?。．！？।؟…:][\"'”’»)\]」』]*$")
_QUOTED = re.compile(r"[\"“«„][^\"“”«»„]{12,}[\"”»]")
_QUESTION = re.compile(r"[?？؟][!\"'”’»)\]]*$")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
LONGEST_SENTENCE = 1500
"""Characters; what is longer is not a sentence that a reader would check."""
_FEWEST_WORDS = 3
_LIKELY_WORDS = 6


def reasons_to_check(sentence: str, tokens: list[Token]) -> tuple[str, ...]:
    """Why a sentence is worth checking; empty when it is not."""
    words = [token for token in tokens if token.is_word]
    if len(sentence) > LONGEST_SENTENCE or _QUESTION.search(sentence) or not _LETTER.search(sentence):
        return ()
    found = _content_reasons(sentence, tokens)
    if _is_english(tokens) or sum(may_be_finite(tokens, place) for place in range(len(tokens))):
        return found if _is_factual(sentence, tokens, words, found) else ()
    return _reasons_in_other_language(sentence, words, found)


def _is_english(tokens: list[Token]) -> bool:
    """Whether a sentence has the small words of English."""
    return any(token.lower in _ENGLISH or is_always_finite(token.text) for token in tokens)


def _reasons_in_other_language(sentence: str, words: list[Token], found: tuple[str, ...]) -> tuple[str, ...]:
    """Of another language only what shows in any is used: a whole sentence with a name or a number."""
    found = tuple(reason for reason in found if reason not in ("comparison", "statement"))
    whole = _TERMINAL.search(sentence) and not sentence.endswith((":", "!"))
    long = len(words) > _FEWEST_WORDS or any(len(word.text) > 8 and not word.text.isascii() for word in words)
    return found if found and whole and long else ()


def _content_reasons(sentence: str, tokens: list[Token]) -> tuple[str, ...]:
    found = set()
    for place, token in enumerate(tokens):
        lower = token.lower
        if _YEAR.fullmatch(lower) or (lower in CALENDAR_WORDS and _is_calendar_name(tokens, place)):
            found.add("date")
        elif lower in _QUANTITY_WORDS or _DIGIT.search(lower):
            found.add("number")
        elif token.is_capital and ((place and tokens[place - 1].is_word) or starts_with_name(tokens, place)):
            found.add("name")
        if (is_comparative(lower) and lower not in ("later", "further")) or (
            is_superlative(lower) and lower not in ("first", "last")
        ):
            found.add("comparison")
    if _QUOTED.search(sentence):
        found.add("quote")
    return tuple(reason for reason in REASONS if reason in found) or ("statement",)


def _is_calendar_name(tokens: list[Token], place: int) -> bool:
    """Whether the word for a month or a weekday is one here; "may" and "march" may be verbs without a number."""
    if not place or not tokens[place].is_capital:
        return False
    beside = tokens[place - 1 : place + 2]
    return tokens[place].lower not in MONTHS_ALSO_VERBS or any(token.is_number for token in beside)


def starts_with_name(tokens: list[Token], place: int) -> bool:
    """Whether a capital at the start of a sentence is that of a name: an unusual word, or followed by another one."""
    token = tokens[place]
    if cannot_be_name(token.lower) or token.lower in _ENGLISH or len(token.text) < 2:
        return False
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is not None and (following.is_capital or following.lower.endswith(("'s", "’s"))):
        return True
    return following is not None and may_be_finite(tokens, place + 1) and not token.lower.endswith(("s", "ing"))


def _is_factual(sentence: str, tokens: list[Token], words: list[Token], found: tuple[str, ...]) -> bool:
    """Whether an English sentence states something about the world that is or was so."""
    if len(words) < _FEWEST_WORDS or not _is_sentence(sentence, tokens, words, found):
        return False
    outside = [token for token in words if not token.depth] or words
    if all(token.depth for token in words) or _has_first_or_second_person(tokens):
        return False
    hard = bool({"date", "number"} & set(found))
    lowered = {token.lower for token in outside}
    if (
        lowered & _HEDGES
        or outside[0].lower in _CONDITION
        or (_is_instruction(tokens) and not may_be_finite(tokens, 1))
    ):
        return False
    if _is_hypothetical(_unquoted(tokens)):
        return False
    if sentence.endswith(":") or (sentence.endswith("!") and not hard):
        return False
    if lowered & _OPINION and not hard and ("name" not in found or _is_judgement(tokens)):
        return False
    if outside[0].lower in _SUBJECTLESS and not hard and "name" not in found:
        return False
    return bool(_TERMINAL.search(sentence)) or hard or "name" in found


def _is_judgement(tokens: list[Token]) -> bool:
    """Whether the sentence judges something as good or bad: "is very beautiful"."""
    for place, token in enumerate(tokens):
        if token.lower in _OPINION - {"best", "worst"} and not token.depth:
            before = place - 1
            while before > 0 and (tokens[before].lower in _INTENSIFIERS or is_adverb(tokens[before])):
                before -= 1
            if tokens[before].lower in BE or tokens[before].lower in ("looks", "seems", "feels", "tastes", "sounds"):
                return True
    return False


def _is_instruction(tokens: list[Token]) -> bool:
    words = [token for token in tokens if token.is_word]
    titled = len(words) > 1 and words[1].is_capital and not words[1].depth  # "Come Back to Riga is a film."
    return words[0].lower in _INSTRUCTIONS and not titled


def _is_sentence(sentence: str, tokens: list[Token], words: list[Token], found: tuple[str, ...]) -> bool:
    """Whether words have a verb; many words that end as a sentence may have one that is not in the lists."""
    if any(may_be_finite(tokens, place) for place in range(1, len(tokens))):
        return True
    return sentence.endswith(".") and len(words) >= _LIKELY_WORDS and found != ("statement",)


def _is_hypothetical(unquoted: str) -> bool:
    """Whether a sentence is about the future or about what might be; that somebody announced it is a fact."""
    found = _FUTURE.search(unquoted)
    return found is not None and not _REPORTING.search(unquoted, 0, found.start())


def _unquoted(tokens: list[Token]) -> str:
    """A sentence without its quotes: that somebody said what is in them can be checked."""
    return " ".join(token.text for token in tokens if not token.depth)


def _has_first_or_second_person(tokens: list[Token]) -> bool:
    """Whether a sentence is about its writer or its reader; the I of "World War I" is a number."""
    for place, token in enumerate(tokens):
        if token.depth or (token.lower not in _FIRST_PERSON and token.text != "us"):
            continue
        titled = place + 1 < len(tokens) and tokens[place + 1].is_capital  # "My Fair Lady", "I Want You"
        if token.is_capital and (
            titled or (place and (token.text != "I" or tokens[place - 1].is_capital or tokens[place - 1].text == "-"))
        ):
            continue
        return True
    return False
