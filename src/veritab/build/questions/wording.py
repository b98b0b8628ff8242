"""What is put right in a claim once its reading is chosen: the number of its verb, a year said twice, articles."""

from __future__ import annotations

import re

from veritab.build.inflection import is_common_word, is_plural_noun, plural_noun, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.articles import restore_articles
from veritab.build.questions.clauses import plain
from veritab.build.questions.noun_phrases import known_articles
from veritab.lexicon.grammar import PREPOSITIONS, RELATIVE_WORDS

_ONE = {"are": "is", "were": "was", "have": "has"}
_SEVERAL = {one: several for several, one in _ONE.items()}
_TEAM = re.compile(r"^The ((?:[A-Z][\w.’'-]* ){0,3}?)([A-Z]\w+s) (has|was|is)\b")
_STATES = frozenset("States Nations Netherlands Philippines Bahamas Emirates Olympics Games".split())
_YEAR = r"(?:1\d|20)\d\d"


def mend_wording(claim: str, answer: str) -> str:
    """A claim as it would be written, the answer's own words untouched."""
    form = AnswerForm(answer)
    return _agree_with_team(restore_articles(_drop_said_year(_agree_with_answer(claim, form), form), answer))


def _agree_with_answer(claim: str, answer: AnswerForm) -> str:
    """A verb, or the noun after "be", in the number of the answer that begins the claim."""
    if not claim.lower().startswith(f"{answer.text.lower()} ") or answer.kind != "name":
        return claim
    start, rest = claim[: len(answer.text)], claim[len(answer.text) + 1 :].split(" ")
    following = plain((*rest, "")[1])
    single = answer.is_single and "," not in answer.text and "/" not in answer.text
    if single and rest[0] in ("are", "were") and ("VBN" in verb_tags(following) or following in PREPOSITIONS):
        # "what languages are spoken in X" knows not that there is one.
        return " ".join((start, _ONE[rest[0]], *rest[1:]))
    if " and " in answer.text and rest[0] in ("are", "were") and following == "the":
        for place in range(2, min(5, len(rest) - 1)):
            if rest[place + 1] in ("of", *RELATIVE_WORDS, "that") or rest[place + 1] in PREPOSITIONS:
                noun = rest[place]
                if noun.islower() and not is_plural_noun(noun) and plural_noun(noun):
                    return " ".join((start, *rest[:place], plural_noun(noun), *rest[place + 1 :]))
                break
    return claim


def _agree_with_team(claim: str) -> str:
    """The verb of a team in the plural, as it is written with its article: "The Patriots have"."""
    match = _TEAM.match(claim)
    if not match or match[2] in _STATES or match[2].endswith(("ss", "us", "is")):
        return claim
    last = match[2].lower()
    if not is_plural_noun(last) and is_common_word(last):
        return claim
    known = known_articles()
    name = f"{match[1]}{match[2]}"
    if not any(known.get(key) == "the" for key in (name, match[2], f"~ {match[2]}")):
        return claim
    return f"{claim[: match.start(3)]}{_SEVERAL[match[3]]}{claim[match.end(3) :]}"


def _drop_said_year(claim: str, answer: AnswerForm) -> str:
    """A claim without the year that its date says again: "in 2017 on August 15, 2017"."""
    years = re.findall(_YEAR, answer.text)
    if len(years) != 1 or answer.kind not in ("date", "year", "month", "period"):
        return claim
    said = re.escape(answer.text)
    return re.sub(rf",? in {years[0]},? (?=(?:on|in) {said})", " ", claim)
