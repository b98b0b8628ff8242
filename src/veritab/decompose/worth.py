"""Which sentences are worth checking, and why: names, numbers, dates, comparisons; no questions, wishes or advice."""

from __future__ import annotations

import re

from veritab.decompose.subjects import is_no_name
from veritab.decompose.tokens import Token, is_adverb, may_be_finite
from veritab.decompose.verbs import BE, is_sure
from veritab.lexicon.comparison import is_comparative, is_superlative

REASONS = ("date", "number", "name", "comparison", "quote", "statement")
"""The words a reason may be, in the order they are told."""

_MONTHS = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
_YEAR = re.compile(r"(?:1[0-9]{3}|20[0-9]{2})s?")
_SPELLED = frozenset(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen half
    twice percent""".split()
)
_FIRST_PERSON = frozenset(
    "i i'm i've i'd i'll i’m i’ve i’d i’ll me my myself we we're we’re we've we’ve we'll we’ll "
    "our ours ourselves you you're you’re you'll you’ll your yours let's let’s".split()
)
_UNSURE = frozenset("maybe perhaps arguably hopefully presumably imo imho".split())
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
_SAYING = re.compile(r"\b(?:said|announced|stated|declared|predicted|promised|claimed|wrote|decided|agreed|reported)\b")
_CONDITION = frozenset("if unless suppose imagine whether assuming".split())
_INSTRUCTIONS = frozenset(
    """click see note read visit try add make let please don't don’t remember consider use go open press install
    download subscribe share follow contact call sign buy check enter choose select take keep put turn learn look listen
    watch join send write start stop avoid ensure run type copy paste submit get do ask tell give find print log save
    preheat mix stir bake pour cut serve believe forget imagine say stay wait hold come help think register compare
    discover explore bring begin""".split()
)
_STRESSES = frozenset("so very really truly quite simply too just most more such a an".split())
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
LONGEST = 1500
"""Characters; what is longer is no sentence a reader would check."""
_FEWEST_WORDS = 3
_LIKELY_WORDS = 6


def reasons(sentence: str, line: list[Token]) -> tuple[str, ...]:
    """Why a sentence is worth checking; empty when it is not."""
    words = [token for token in line if token.is_word]
    if len(sentence) > LONGEST or _QUESTION.search(sentence) or not _LETTER.search(sentence):
        return ()
    found = _signs(sentence, line)
    if _is_english(line) or sum(may_be_finite(line, place) for place in range(len(line))):
        return found if _states(sentence, line, words, found) else ()
    return _foreign(sentence, words, found)


def _is_english(line: list[Token]) -> bool:
    """Whether a sentence has the small words of English."""
    return any(token.low in _ENGLISH or is_sure(token.text) for token in line)


def _foreign(sentence: str, words: list[Token], found: tuple[str, ...]) -> tuple[str, ...]:
    """Another language is taken by what can be seen in any: a whole sentence with a name or a number."""
    found = tuple(reason for reason in found if reason not in ("comparison", "statement"))
    whole = _TERMINAL.search(sentence) and not sentence.endswith((":", "!"))
    long = len(words) > _FEWEST_WORDS or any(len(word.text) > 8 and not word.text.isascii() for word in words)
    return found if found and whole and long else ()


def _signs(sentence: str, line: list[Token]) -> tuple[str, ...]:
    found = set()
    for place, token in enumerate(line):
        low = token.low
        if _YEAR.fullmatch(low) or (low in _MONTHS and token.is_capital and place and _is_month(line, place)):
            found.add("date")
        elif low in _SPELLED or _DIGIT.search(low):
            found.add("number")
        elif token.is_capital and ((place and line[place - 1].is_word) or is_first_name(line, place)):
            found.add("name")
        if (is_comparative(low) and low not in ("later", "further")) or (
            is_superlative(low) and low not in ("first", "last")
        ):
            found.add("comparison")
    if _QUOTED.search(sentence):
        found.add("quote")
    return tuple(reason for reason in REASONS if reason in found) or ("statement",)


def _is_month(line: list[Token], place: int) -> bool:
    return line[place].low not in ("may", "march") or any(t.is_number for t in line[max(place - 1, 0) : place + 2])


def is_first_name(line: list[Token], place: int) -> bool:
    """Whether a capital at the start of a sentence is that of a name: an unusual word, or followed by another one."""
    token = line[place]
    if is_no_name(token.low) or token.low in _ENGLISH or len(token.text) < 2:
        return False
    following = line[place + 1] if place + 1 < len(line) else None
    if following is not None and (following.is_capital or following.low.endswith(("'s", "’s"))):
        return True
    return following is not None and may_be_finite(line, place + 1) and not token.low.endswith(("s", "ing"))


def _states(sentence: str, line: list[Token], words: list[Token], found: tuple[str, ...]) -> bool:
    """Whether an English sentence states something about the world that is or was so."""
    if len(words) < _FEWEST_WORDS or not _is_sentence(sentence, line, words, found):
        return False
    outside = [token for token in words if not token.depth] or words
    if all(token.depth for token in words) or _speaks_of_itself(line):
        return False
    hard = bool({"date", "number"} & set(found))
    lows = {token.low for token in outside}
    if lows & _UNSURE or outside[0].low in _CONDITION or (_is_instruction(line) and not may_be_finite(line, 1)):
        return False
    if _tells_of_no_fact(_outside(line)):
        return False
    if sentence.endswith(":") or (sentence.endswith("!") and not hard):
        return False
    if lows & _OPINION and not hard and ("name" not in found or _is_judged(line)):
        return False
    if outside[0].low in _SUBJECTLESS and not hard and "name" not in found:
        return False
    return bool(_TERMINAL.search(sentence)) or hard or "name" in found


def _is_judged(line: list[Token]) -> bool:
    """Whether something is called good or bad outright: "is very beautiful"."""
    for place, token in enumerate(line):
        if token.low in _OPINION - {"best", "worst"} and not token.depth:
            before = place - 1
            while before > 0 and (line[before].low in _STRESSES or is_adverb(line[before])):
                before -= 1
            if line[before].low in BE or line[before].low in ("looks", "seems", "feels", "tastes", "sounds"):
                return True
    return False


def _is_instruction(line: list[Token]) -> bool:
    words = [token for token in line if token.is_word]
    titled = len(words) > 1 and words[1].is_capital and not words[1].depth  # "Come Back to Riga is a film."
    return words[0].low in _INSTRUCTIONS and not titled


def _is_sentence(sentence: str, line: list[Token], words: list[Token], found: tuple[str, ...]) -> bool:
    """Whether words have a verb; long ones that end as a sentence does may have one that is not known."""
    if any(may_be_finite(line, place) for place in range(1, len(line))):
        return True
    return sentence.endswith(".") and len(words) >= _LIKELY_WORDS and found != ("statement",)


def _tells_of_no_fact(said: str) -> bool:
    """Whether a sentence tells of the future or of what might be; that somebody said so once is a fact."""
    found = _FUTURE.search(said)
    return found is not None and not _SAYING.search(said, 0, found.start())


def _outside(line: list[Token]) -> str:
    """A sentence without its quotes: what will be in them was said, and that is so or not."""
    return " ".join(token.text for token in line if not token.depth)


def _speaks_of_itself(line: list[Token]) -> bool:
    """Whether a sentence speaks of its writer or its reader; the I of "World War I" is a number."""
    for place, token in enumerate(line):
        if token.depth or (token.low not in _FIRST_PERSON and token.text != "us"):
            continue
        titled = place + 1 < len(line) and line[place + 1].is_capital  # "My Fair Lady", "I Want You"
        if token.is_capital and (
            titled or (place and (token.text != "I" or line[place - 1].is_capital or line[place - 1].text == "-"))
        ):
            continue
        return True
    return False
