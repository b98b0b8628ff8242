"""What an answer is, as far as its form shows: a year, a date, several names; and what that asks for in a claim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from veritab.build.inflection import is_plural_noun, verb_tags
from veritab.build.questions.clauses import SUBJECT_PRONOUNS, head_of
from veritab.lexicon.grammar import AUXILIARIES, DETERMINERS, PREPOSITIONS, SUBORDINATORS

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:1[0-9]{3}|20[0-9]{2})"
_DATE = re.compile(
    rf"(?:\w+day,? )?(?:the )?(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH})\b", re.I
)
_MONTH_YEAR = re.compile(rf"(?:early |late |mid-?)?{_MONTH}(?: ?,? ?{_YEAR})?$", re.I)
_YEARS = re.compile(rf"{_YEAR} ?[–-] ?\d{{2,4}}$")
_CLOCK = re.compile(r"\d{1,2}(?::\d{2}(?: ?[ap]\.?m\b)?| ?[ap]\.?m\b)|(?:midnight|noon)\b", re.I)
_WEEKDAY = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\b(?:Day|Eve)$")
_EDGE = re.compile(r"the (?:end|beginning|start|turn|height) of ", re.I)
_ONE_YEAR = re.compile(
    rf"(?:c\.? |circa |about |around )?(?:{_YEAR}|\d+ ?(?:bc|bce|ad|ce|a\.d\.|b\.c\.))(?:\s.*)?$", re.I
)
_PERIOD = re.compile(
    rf"(?:the )?(?:(?:early|late|mid)[ -])?(?:the )?(?:{_YEAR}s|\d+(?:st|nd|rd|th)\b.*\bcentur(?:y|ies))", re.I
)
_DAY = re.compile(r"\w+day\b", re.I)
_MONEY = re.compile(r"[$€£¥]|\b(?:dollars|euros|pounds)\b", re.I)
_ABOUT = r"(?:(?:about|around|over|approximately|nearly|almost|roughly|up to|at least|more than|less than) )?"
_NUMBER = re.compile(rf"{_ABOUT}[\d.,]+(?: (?:thousand|million|billion|trillion))?$", re.I)
_NUMBER_WORDS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen twenty thirty forty fifty".split()
)
_AFTER_PARTICIPLES = frozenset("by to as for into from with".split())
_NEARLY = frozenset("just shortly right sometime only immediately soon early late".split())
_CLAUSE_STARTS = SUBORDINATORS | frozenset(("once", "while"))
_REASON_STARTS = frozenset("to because due for so since as".split())
_TIMES_OF_OWN = frozenset("now today yesterday tomorrow currently annually every each".split())


@dataclass(frozen=True)
class AnswerForm:
    """An answer in its own words, and what its form says of it."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        """Its words in lower case, without punctuation around them."""
        return [word for word in (each.strip(".,;:!?\"'()[]“”").lower() for each in self.text.split()) if word]

    @cached_property
    def kind(self) -> str:
        """What sort of thing it is: date, month, year, period, money, number, or name for anything else."""
        text = self.text.strip()
        if _PERIOD.match(text):
            return "period"
        if _DATE.match(text):
            return "date"
        if _MONTH_YEAR.match(text):
            return "month"
        if _ONE_YEAR.match(text) or _YEARS.match(text):
            return "year"
        if _MONEY.search(text):
            return "money"
        if _NUMBER.match(text) or (len(self.words) == 1 and self.words[0] in _NUMBER_WORDS):
            return "number"
        return "day" if _DAY.match(text) else "name"

    @cached_property
    def has_preposition(self) -> bool:
        """Whether it begins with a preposition, and so needs none before it: "in the stomach"."""
        first, second = (*self.words[:2], "", "")[:2]
        return first in PREPOSITIONS or first in _TIMES_OF_OWN or (first in _NEARLY and second in PREPOSITIONS)

    @cached_property
    def is_plural(self) -> bool:
        """Whether it stands for several things: two names, or a plural in lower case at its end or before "of"."""
        if self.kind in ("date", "month", "year", "money"):
            return False
        listed = " and " in f" {self.text} " or re.search(r"\w, [^,]+, ", self.text) is not None
        head = head_of(self.text.split(",")[0].split())
        return listed or (head.islower() and is_plural_noun(head.rpartition("-")[2]))

    @cached_property
    def is_single(self) -> bool:
        """Whether it is one name by its form: no list, and no plural such as "the Beatles"."""
        named = len(self.words) > 1 and self.words[0] != "the" and all(word[:1].isupper() for word in self.text.split())
        return self.kind == "name" and not self.is_plural and (named or not self.words[-1].endswith("s"))

    @cached_property
    def is_predicate(self) -> bool:
        """Whether it is a participle with what belongs to it: "often made by nuns"."""
        return any(
            "VBN" in verb_tags(word) and "VB" not in verb_tags(word) and following in _AFTER_PARTICIPLES
            for word, following in pairwise(self.words[:3])
        )

    @cached_property
    def is_one(self) -> bool:
        """Whether it counts a single thing."""
        return self.text.strip().lower() in ("1", "one", "a", "a single")

    def time_prepositions(self) -> tuple[str, ...]:
        """What may come before it as a time, the likeliest first; an empty one is none."""
        if self.has_preposition or self.words[-1:] == ["ago"] or _CLAUSE_STARTS.intersection(self.words[:1]):
            return ("", "in", "on")
        if _CLOCK.match(self.text):
            return ("from", "at", "") if " to " in self.text else ("at", "", "in")
        if _WEEKDAY.search(self.text):
            return ("on", "", "in")
        if _EDGE.match(self.text):
            return ("at", "in", "")
        match self.kind:
            case "date" | "day":
                return ("on", "", "in")
            case "year" | "month":
                return ("in", "", "on")
            case "period":
                return ("in", "during", "")
        if self.kind == "number" and len(self.words) == 1 and len(self.words[0]) == 4:
            return ("in", "", "on")
        return ("in", "", "on", "at", "during", "when")

    def reasons(self) -> tuple[str, ...]:
        """What may come before it as a reason: nothing before "to get there", "because" before a clause."""
        first, second = (*self.words[:2], "", "")[:2]
        if first in _REASON_STARTS or self.has_preposition:
            return ("", "because of", "because")
        if "VB" in verb_tags(first) and second in DETERMINERS and self.text[:1].islower():
            return ("to", "because of", "because")
        clause = first in SUBJECT_PRONOUNS or any(word in AUXILIARIES for word in self.words[1:])
        return ("because", "because of", "") if clause else ("because of", "because", "due to", "for", "")

    def ways(self, verb: str) -> tuple[str, ...]:
        """What may come before it as the way in which a verb is done."""
        first = self.words[0] if self.words else ""
        if self.has_preposition or first.endswith("ly") or first == "as":
            return ("", "by", "as", "in")
        if verb in ("say", "spell", "pronounce", "write"):
            return ("as", "")
        if verb in ("get", "make", "earn"):
            return ("from", "by", "as", "", "with")
        if verb == "die":
            return ("of", "by", "from", "")
        return ("by", "as", "", "through", "with", "in")

    def place_prepositions(self) -> tuple[str, ...]:
        """What may come before it as a place, the likeliest first; an empty one is none."""
        return ("", "in", "at") if self.has_preposition else ("in", "at", "", "on", "to", "with")
