"""Questions and answers of which no good pair of a true and a false claim can be made, told by their words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from veritab.build.questions.refusals import holds_answer

LEAST_CONFIDENCE = 0.85
"""Claims with less confidence are left out: of 400 that two readers rated, about six in ten were natural, of those that
are suited and have at least this confidence three quarters, at the price of two in five. A higher one gains nothing.
"""

_CHOICES = re.compile(
    r"\b(?:select|choose|pick) (?:one|two|three|all|the)\b|\bwhich (?:one )?of (?:the following|these|those)\b"
    r"|\b(?:who|what|which)\b[^?]*, [^?,]+ or [^?,]+\?*$",
    re.IGNORECASE,
)
_KEYWORDS = re.compile(
    r"(?<!the )(?<!these )(?<!of )\b(?:lyrics|quizlet|brainly|wikipedia|imdb|youtube|pdf|ppt|mcq|meme)\W*$"
    r"|\b(?:mentioned|found|according to) (?:on|in|to)? ?wikipedia\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\bwho (?:all )?(?:else )?(?:stars?|starred|is starring|co-?stars?|co-?starred)\b|\bwho (?:are|were)\b"
    r"|\b(?:what|which) (?:are|were)\b|\bone of\b|\bin order\b|\bthe order of\b|\belse\b"
    r"|\b(?:types?|kinds?|sorts?|forms?|parts?|examples?|members?|names?|list|lists?|characteristics?|features?) of "
    r"(?:the )?(?:\w+s)\b(?! \w+ (?:is|was)\b)"
    r"|\b(?:an?|another) (?:example|type|kind|member|part) of\b|\bname (?:an?|one|two|three|some|the)\b"
    r"|^(?:the )?(?:locations?|types|kinds|kings|members|examples|names|list) (?:and \w+ )?(?:of|for|in)\b",
    re.IGNORECASE,
)
_OF_ITS_DAY = re.compile(
    r"\b(?:current|currently|now|nowadays|presently|today|latest|newest|upcoming|most recent(?:ly)?|at present)\b"
    r"|\bthis (?:year|season|week|month|weekend|summer|winter|spring|fall)\b|\bnext\b(?! to)"
    r"|\blast (?:time|year|season(?=\W*$)|won|win|got|get|went|go|made|make|played|play|beat|lost|had|have"
    r"|hosted|host)\b"
    r"|\b(?:has|have|holds?|have got)\b(?: \w+){0,2} (?:the |a )?(?:\w+ )?(?:most|record|records)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
_PERSONAL = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_WHEN = re.compile(r"\bwhen\b|\b(?:what|which) (?:\w+ ){0,2}?(?:year|date|day|time)\b", re.IGNORECASE)
_IN_A_YEAR = re.compile(
    r"\b(?:in|on|during|of|by) (?:\w+ )?(?:\d{1,2},? )?(?:1\d{3}|20\d\d)(?!\w|s\b| \w+ (?:film|movie))"
)


# "Shula, Don", "Wilt Chamberlain*", "senate ) would": how answers look that were cut from tables and sentences. What is
# never wrong with a mined answer, an article before it or a preposition, would also tell which of two is the right one.
_FLAWS = (
    re.compile(r"^[A-Z][\w'’-]+, [A-Z][\w'’.-]+$"),
    re.compile(r"[*|\[\]{}()]|^[^\w\"“'’$€£]|[,;:]$"),
    re.compile(r"^(?:the|an?|in|on|at|by|from) ", re.IGNORECASE),
    re.compile(r"[\"“”]|[^\W\d][,;] |\b(?:and|or)\b"),
)
_LISTED = re.compile(r"^(?!.*\b(?:and|or)\b)[A-Z][^,]*[^\W\d][^,]*(?:, (?!Jr|Sr|(?:[A-Z]\.)+)[A-Z][^,]* [^,]+)+$")


def choose_answer(answers: Sequence[str]) -> str:
    """Of several answers the one with the fewest flaws, the first of equals."""
    return min(answers, key=lambda each: sum(flaw.search(each) is not None for flaw in _FLAWS))


def why_unsuited(question: str, answer: str = "") -> str:
    """Why a wrong answer may be right as well, or the claim would not read as one; empty where there is no such reason.

    A question with several answers has true ones that nobody gave; what is the latest changes with the day.
    """
    if _CHOICES.search(question):
        return "a question with choices, none of which a claim could leave out"
    if _KEYWORDS.search(question):
        return "words for a search engine, not a question"
    if _SEVERAL.search(question):
        return "it may have several answers, so that no other is surely wrong"
    if _OF_ITS_DAY.search(question) and not _YEAR.search(question):
        return "its answer changes with the day on which it is asked"
    if _WHEN.search(question) and _IN_A_YEAR.search(question):
        return "it asks for a time and says one"
    if answer and holds_answer(question, answer):
        return "the answer is in the question already"
    if _LISTED.search(answer) and _PERSONAL.search(question):
        return "the answer lists several and joins them by no word"
    return ""
