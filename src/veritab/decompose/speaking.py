"""Sentences that lean on those before them are made to stand alone: "It has three rivers" is "Paris has three rivers".

What a pronoun or "the company" stands for is taken from the subject of the last sentence, or from the topic of the
paragraph or the text; where more than one may be meant, or none, the sentence is left as it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from veritab.decompose.subjects import (
    CALLED,
    THINGS,
    Phrase,
    Sort,
    Subject,
    described,
    gender_of,
    named,
    names_in,
    subject_phrase,
)
from veritab.decompose.tokens import PREPOSITIONS, Token, is_adverb, is_finite, may_be_finite, tokens
from veritab.decompose.verbs import BE

_CONNECTIVES = re.compile(
    r"(?:(?:However|In addition|Additionally|Moreover|Furthermore|Also|Therefore|Thus|Consequently|Hence|Meanwhile|"
    r"Nevertheless|Nonetheless|Besides|Similarly|Likewise|For example|For instance|In fact|Indeed|Of course|Instead|"
    r"On the other hand|On the contrary|In contrast|By contrast|As a result|Accordingly|Finally|Notably|Interestingly|"
    r"Surprisingly|Unfortunately|Fortunately|Importantly|In other words|That said|Still|Yet|So|Then|To sum up|"
    r"In summary|In conclusion|In particular|Again|Overall|Afterwards|Secondly|Thirdly|Firstly|Second|Third|First)"
    r"\s?,\s+|"
    r"(?:But|And|So|Yet|Or|Also|Thus|Hence|Therefore|Nor)\s+)+(?=\S)"
)
_PERSONAL = frozenset("he she it they".split())
_OWNING = frozenset("his her its their".split())
_PRONOUNS = _PERSONAL | _OWNING
# "It is said that", "It was in 1990 that", "It takes", "It rained": such an "it" stands for nothing.
_EMPTY_IT = re.compile(
    r"it(?:['’]s| is| was| has been| seems| seemed| appears| appeared| turned out| turns out| became| remains)?"
    r"(?: (?:not|also|often|now|widely|generally|once|still|only|later|commonly))*"
    r"(?: (?:\w+ )?(?:said|believed|known|thought|estimated|reported|claimed|clear|possible|likely|true|assumed|"
    r"rumou?red|expected|unclear|unknown|important|necessary|easy|hard|difficult|common|worth|time|raining|customary|impossible)\b"
    r"| (?:in|on|at|during|by) [^,]{1,40} that\b| that\b| takes? | took | rain| snow| turns out| follows that|['’]s\b)",
    re.IGNORECASE,
)
# What a text may call a thing it has only named: "Varnum was launched in 1990. The company ...".
_LIKELY = frozenset(
    """company firm corporation business organisation organization agency band group team club film movie series show
    novel book album song game city town village country island river lake mountain festival magazine newspaper software
    tower bridge museum""".split()
)
_OF_MANY = {"was": "were", "is": "are", "has": "have"}
_OF_ONE = re.compile(r" (was|is|has)\b")
_MOST_REMEMBERED = 200


class Mention(NamedTuple):
    """Words that stand for a subject named before: which tokens, the word that tells, and whether it owns something."""

    first: int
    last: int
    word: str
    owns: bool


class Speaker:
    """Follows a text sentence by sentence, and knows of whom it speaks."""

    def __init__(self, title: str = "") -> None:
        self.topic = _of_title(title)
        self.of_paragraph: Subject | None = None
        self.last: Subject | None = None
        self.others: list[str] = []
        self.is_hidden = False
        self.is_thing = True
        self.is_shared = False
        self._known: dict[str, Subject] = {}
        self._by_surname: dict[str, Subject | None] = {}

    def begin_paragraph(self) -> None:
        """What was last spoken of is not what a new paragraph begins with, but its topic may be."""
        self.topic = self.topic or self.of_paragraph
        self.of_paragraph = self.last = None
        self.others = []
        self.is_hidden = self.is_shared = False

    def standing_alone(self, sentence: str, line: list[Token] | None = None) -> str:
        """A sentence made to stand alone as far as that is clear; what it tells is remembered for the next."""
        text = without_connectives(sentence)
        if line is None or text != sentence:
            line = tokens(text)
        found = self._replaced(text, line) if line else None
        if found is None:
            self._remember(text, line)
            return text
        told, subject, mention = found
        self._continue(subject, line, mention)
        return told

    # -- what is meant ------------------------------------------------------------------------------------

    def _replaced(self, text: str, line: list[Token]) -> tuple[str, Subject, Mention] | None:
        mention = _mention(text, line)
        subject = self._meant(mention, line) if mention else self._by_last_name(line)
        if subject is None:
            return None
        if mention is None:
            mention = Mention(0, 1, "", line[0].text.endswith(("'s", "’s")))
        start, end = line[mention.first].start, line[mention.last - 1].end
        if subject.name in text[:start] or subject.name in text[end:]:
            return None
        name = _owner(subject) if mention.owns else subject.name
        if name.startswith(("The ", "the ")):
            name = f"{'t' if start else 'T'}{name[1:]}"
        return f"{text[:start]}{name}{self._agreeing(text[end:], subject, mention)}", subject, mention

    @staticmethod
    def _agreeing(rest: str, subject: Subject, mention: Mention) -> str:
        """What follows a name, with a verb for several where "the team was" becomes the name of several."""
        verb = _OF_ONE.match(rest)
        if verb is None or subject.sort is not Sort.MANY or mention.owns or mention.word in _PRONOUNS:
            return rest
        return f" {_OF_MANY[verb[1]]}{rest[verb.end() :]}"

    def _meant(self, mention: Mention, line: list[Token]) -> Subject | None:
        if mention.word in ("he", "she", "his", "her"):
            return self._person(mention.word)
        if mention.word in _PRONOUNS:
            return self._thing(mention, line)
        return self._called(mention.word)

    def _person(self, word: str) -> Subject | None:
        last, others = self.last, self.others
        gender = "man" if word in ("he", "his") else "woman"
        fitting = [name for name in others if gender_of(name) in ("", gender)]
        if self.is_shared:
            return None
        if last is not None and last.may_be(word):
            return last if last.gender or not fitting else None
        topic = self._topic(word)
        if not fitting:
            return topic
        if topic is not None or len(fitting) > 1 or not self.is_thing:
            return None
        return self._subject(fitting[0], Sort.PERSON) if gender_of(fitting[0]) else None

    def _thing(self, mention: Mention, line: list[Token]) -> Subject | None:
        if any(token.is_capital for token in line[1 : mention.first]):
            return None  # "In Paris, it ...": the city, or what the text is about
        if mention.word == "they" and line[mention.last].low in ("are", "were", "have"):
            return self.last if self.last is not None and self.last.sort is Sort.MANY else None
        if self.last is not None and self.last.may_be(mention.word):
            return self.last
        if self.is_hidden or self.last is not None:
            return None
        topic = self._topic(mention.word)
        return topic if topic is not None and (topic.sort or topic is not self.topic) else None

    def _topic(self, word: str) -> Subject | None:
        return next((each for each in (self.of_paragraph, self.topic) if each is not None and each.may_be(word)), None)

    def _called(self, noun: str) -> Subject | None:
        """What "the company" is: the one subject that was called so, or the only one there is, if it may be one."""
        said = list(
            {id(each): each for each in (self.last, self.of_paragraph, self.topic) if each is not None}.values()
        )
        fitting = [each for each in said if each.is_a(noun)]
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
        elsewhere = [each for each in self._known.values() if each.is_a(noun)]
        told = noun in _LIKELY and (self.last is not None or not self._known)
        if elsewhere or not told or len(said) != 1 or said[0].nouns or said[0].sort in (Sort.PERSON, Sort.MANY):
            return None
        said[0].nouns.add(noun)
        return said[0]

    def _by_last_name(self, line: list[Token]) -> Subject | None:
        """The person whose last name alone a sentence begins with."""
        phrase = subject_phrase(line)
        if phrase is None or phrase[0] != Phrase(0, 1):
            return None
        return self._by_surname.get(re.sub(r"['’]s$", "", line[0].text))

    # -- what is remembered -------------------------------------------------------------------------------

    def _remember(self, text: str, line: list[Token]) -> None:
        found = subject_phrase(line) if line else None
        if found is None:
            return
        phrase, verb = found
        name = named(text, line, phrase)
        self.is_shared = self._speaks_of_another(name, line[verb:])
        self.others = [other for other in names_in(line, phrase) if other != name]
        if not name:
            first = line[phrase.first].low
            self.is_hidden = first not in _PERSONAL or bool(_EMPTY_IT.match(text))
            self.is_thing = any(token.low in THINGS for token in line[phrase.first : phrase.last])
            # "The next to jump was Edwards": whoever comes after "was" is whom the text goes on with.
            self.is_shared |= first in ("he", "she", "his", "her")  # who that was is not known, nor who comes next
            self.is_shared |= line[verb].low in BE and any(token.is_capital for token in line[verb + 1 : verb + 2])
            self.last = None
            return
        self.is_hidden = False
        told = described(name, line, phrase, verb)
        self.last = self._joined(told)
        self.is_thing = self.last.sort is Sort.THING
        self.of_paragraph = self.of_paragraph or self.last
        self.topic = self.topic or self.last

    def _speaks_of_another(self, name: str, rest: list[Token]) -> bool:
        """Whether a sentence with a new subject still speaks of an earlier person: "A judge set him free"."""
        earlier = self.last or self.of_paragraph or self.topic
        if earlier is None or earlier.name == name or (not earlier.may_be("he") and not earlier.may_be("she")):
            return False
        return any(token.low in ("him", "his", "her", "he", "she") for token in rest)

    def _joined(self, told: Subject) -> Subject:
        """A subject with what was known of it before."""
        known = self._known.get(told.name)
        if known is None:
            known = next((each for each in (self.topic, self.of_paragraph) if each and each.name == told.name), None)
        if known is not None:
            known.sort = known.sort or told.sort
            known.gender = known.gender or told.gender
            known.nouns |= told.nouns
            told = known
        self._keep(told)
        return told

    def _keep(self, subject: Subject) -> None:
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
            self._by_surname.clear()
        self._known[subject.name] = subject
        words = subject.name.split()
        if len(words) > 1 and subject.sort is Sort.PERSON:
            earlier = self._by_surname.get(words[-1], subject)
            self._by_surname[words[-1]] = subject if earlier is subject else None

    def _subject(self, name: str, sort: Sort) -> Subject:
        return self._joined(Subject(name, sort, gender_of(name)))

    def _continue(self, subject: Subject, line: list[Token], mention: Mention) -> None:
        """The text goes on about a subject: what the pronoun tells of it is remembered."""
        if mention.word in ("he", "his", "she", "her"):
            subject.sort = Sort.PERSON
            subject.gender = subject.gender or ("man" if mention.word in ("he", "his") else "woman")
            self._keep(subject)
        elif mention.word in ("it", "its"):
            subject.sort = subject.sort or Sort.THING
        found = subject_phrase(line)
        if found is not None and mention.last <= found[0].last:
            subject.nouns |= described(subject.name, line, found[0], found[1]).nouns if not mention.owns else set()
        self.others = names_in(line, Phrase(mention.first, mention.last))
        self.last = subject
        self.is_hidden = self.is_shared = False
        self.of_paragraph = self.of_paragraph or subject


def without_connectives(sentence: str) -> str:
    """A sentence without the words that only join it to the one before."""
    found = _CONNECTIVES.match(sentence)
    if not found:
        return sentence
    rest = sentence[found.end() :]
    return f"{rest[0].upper()}{rest[1:]}"


def _owner(subject: Subject) -> str:
    return f"{subject.name}'" if subject.sort is Sort.MANY and subject.name.endswith("s") else f"{subject.name}'s"


def _of_title(title: str) -> Subject | None:
    """What a text is about by its title; a title that is a sentence or a file's name names nothing."""
    line = tokens(title)
    name = named(title, line, Phrase(0, len(line))) if line else ""
    if not name:
        return None
    gender = gender_of(name)
    is_thing = not gender and (len(line) == 1 or any(token.low in THINGS for token in line))
    return Subject(name, Sort.PERSON if gender else Sort.THING if is_thing else None, gender)


def _mention(text: str, line: list[Token]) -> Mention | None:
    """The words before the verb of a sentence that stand for something said before."""
    verb = next((place for place in range(len(line)) if place and may_be_finite(line, place)), None)
    if verb is None:
        return None
    lead = _lead(line, verb)
    for first, last in ((lead, verb), (0, lead)):
        for place in range(first, last):
            found = _mention_at(line, place)
            if found is not None:
                return None if _is_empty(text, line, found) else found
            if line[place].is_capital and (place > first or line[place].low.endswith(("'s", "’s"))):
                return None  # a name of its own comes first
        if _has_name(line, first, last):
            return None
    return None


def _lead(line: list[Token], verb: int) -> int:
    """Where a sentence begins after its lead, "In 1990," or "In 1990"."""
    if line[0].low not in PREPOSITIONS and line[0].low not in ("when", "while", "although", "though", "because"):
        return 0
    commas = [place for place in range(verb) if line[place].text == ","]
    if commas:
        return commas[-1] + 1
    pronoun = next((place for place in range(1, verb) if line[place].low in _PERSONAL), 0)
    return pronoun


def _has_name(line: list[Token], first: int, last: int) -> bool:
    return any(token.is_capital for token in line[max(first, 1) : last]) or (last - first == 1 and first == 0)


def _mention_at(line: list[Token], place: int) -> Mention | None:
    token = line[place]
    if token.depth:
        return None
    if token.low in _PRONOUNS and (place == 0 or not token.is_capital):
        return Mention(place, place + 1, token.low, token.low in _OWNING)
    if token.low != "the" or place + 2 >= len(line):
        return None
    noun = re.sub(r"['’]s$", "", line[place + 1].text)
    owns = noun != line[place + 1].text
    if noun not in CALLED or not (owns or _ends_phrase(line, place + 2)):
        return None
    return Mention(place, place + 2, noun, owns)


def _ends_phrase(line: list[Token], place: int) -> bool:
    """Whether a phrase such as "the city" is over there, so that nothing else tells which city is meant."""
    token = line[place]
    if token.low in ("of", "that", "which", "who", "where", "whose", "called", "named", "known"):
        return False
    if token.text == ",":
        return place + 1 < len(line) and line[place + 1].low in ("who", "which", "however", "also", "too")
    return not token.is_word or is_finite(line, place) or token.low in PREPOSITIONS or is_adverb(token)


def _is_empty(text: str, line: list[Token], mention: Mention) -> bool:
    return mention.word == "it" and bool(_EMPTY_IT.match(text[line[mention.first].start :]))
