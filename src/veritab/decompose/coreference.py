"""Coreference: sentences that depend on earlier ones are made to stand alone, "It has" becoming "Paris has".

What a pronoun or "the company" stands for is taken from the subject of the last sentence, or from the topic of the
paragraph or the text; where more than one may be meant, or none, the sentence is left as it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from veritab.decompose.parts_of_speech import is_adverb, is_finite, may_be_finite
from veritab.decompose.subjects import (
    DESCRIBING_NOUNS,
    THINGS,
    Phrase,
    Subject,
    SubjectKind,
    describe_subject,
    gender_of,
    other_names,
    subject_name,
    subject_phrase,
)
from veritab.lexicon.grammar import BE, PERSONAL_PRONOUNS, POSSESSIVES, PREPOSITIONS
from veritab.text import Token, tokenize

_CONNECTIVES = re.compile(
    r"(?:(?:However|In addition|Additionally|Moreover|Furthermore|Also|Therefore|Thus|Consequently|Hence|Meanwhile|"
    r"Nevertheless|Nonetheless|Besides|Similarly|Likewise|For example|For instance|In fact|Indeed|Of course|Instead|"
    r"On the other hand|On the contrary|In contrast|By contrast|As a result|Accordingly|Finally|Notably|Interestingly|"
    r"Surprisingly|Unfortunately|Fortunately|Importantly|In other words|That said|Still|Yet|So|Then|To sum up|"
    r"In summary|In conclusion|In particular|Again|Overall|Afterwards|Secondly|Thirdly|Firstly|Second|Third|First)"
    r"\s?,\s+|"
    r"(?:But|And|So|Yet|Or|Also|Thus|Hence|Therefore|Nor)\s+)+(?=\S)"
)
_PRONOUNS = PERSONAL_PRONOUNS | POSSESSIVES
# "It is said that", "It was in 1990 that", "It takes", "It rained": such an "it" refers to nothing.
_EXPLETIVE_IT = re.compile(
    r"it(?:['’]s| is| was| has been| seems| seemed| appears| appeared| turned out| turns out| became| remains)?"
    r"(?: (?:not|also|often|now|widely|generally|once|still|only|later|commonly))*"
    r"(?: (?:\w+ )?(?:said|believed|known|thought|estimated|reported|claimed|clear|possible|likely|true|assumed|"
    r"rumou?red|expected|unclear|unknown|important|necessary|easy|hard|difficult|common|worth|time|raining|customary|impossible)\b"
    r"| (?:in|on|at|during|by) [^,]{1,40} that\b| that\b| takes? | took | rain| snow| turns out| follows that|['’]s\b)",
    re.IGNORECASE,
)
# What a text may call a thing it has only named: "Varnum was launched in 1990. The company ...".
_COMMON_NOUNS = frozenset(
    """company firm corporation business organisation organization agency band group team club film movie series show
    novel book album song game city town village country island river lake mountain festival magazine newspaper software
    tower bridge museum""".split()
)
_PLURAL_FORMS = {"was": "were", "is": "are", "has": "have"}
_SINGULAR_VERB = re.compile(r" (was|is|has)\b")
_MOST_SUBJECTS = 200


class Anaphor(NamedTuple):
    """Words that stand for a subject named before: which tokens, the pronoun or noun, and whether it is possessive."""

    first: int
    last: int
    word: str
    is_possessive: bool


class CoreferenceResolver:
    """Follows a text sentence by sentence, and replaces pronouns by what they stand for where that is clear."""

    def __init__(self, title: str = "") -> None:
        self.topic = _title_subject(title)
        self.paragraph_topic: Subject | None = None
        self.last: Subject | None = None
        self.other_names: list[str] = []
        self.is_subject_unnamed = False
        self.is_thing = True
        self.is_ambiguous = False
        self._subjects: dict[str, Subject] = {}
        self._by_surname: dict[str, Subject | None] = {}

    def begin_paragraph(self) -> None:
        """Forget the last subject; the topic of the text or of the last paragraph stays."""
        self.topic = self.topic or self.paragraph_topic
        self.paragraph_topic = self.last = None
        self.other_names = []
        self.is_subject_unnamed = self.is_ambiguous = False

    def decontextualize(self, sentence: str, tokens: list[Token] | None = None) -> str:
        """A sentence made to stand alone as far as that is clear; its subject is remembered for the next."""
        text = strip_connectives(sentence)
        if tokens is None or text != sentence:
            tokens = tokenize(text)
        found = self._resolve(text, tokens) if tokens else None
        if found is None:
            self._remember(text, tokens)
            return text
        resolved, subject, anaphor = found
        self._update(subject, tokens, anaphor)
        return resolved

    # -- what is meant ------------------------------------------------------------------------------------

    def _resolve(self, text: str, tokens: list[Token]) -> tuple[str, Subject, Anaphor] | None:
        anaphor = _find_anaphor(text, tokens)
        subject = self._antecedent(anaphor, tokens) if anaphor else self._by_last_name(tokens)
        if subject is None:
            return None
        if anaphor is None:
            anaphor = Anaphor(0, 1, "", tokens[0].text.endswith(("'s", "’s")))
        start, end = tokens[anaphor.first].start, tokens[anaphor.last - 1].end
        if subject.name in text[:start] or subject.name in text[end:]:
            return None
        name = _possessive(subject) if anaphor.is_possessive else subject.name
        if name.startswith(("The ", "the ")):
            name = f"{'t' if start else 'T'}{name[1:]}"
        return f"{text[:start]}{name}{self._with_agreement(text[end:], subject, anaphor)}", subject, anaphor

    @staticmethod
    def _with_agreement(rest: str, subject: Subject, anaphor: Anaphor) -> str:
        """What follows a name, with a verb for several where "the team was" becomes the name of several."""
        verb = _SINGULAR_VERB.match(rest)
        if verb is None or subject.kind is not SubjectKind.MANY or anaphor.is_possessive or anaphor.word in _PRONOUNS:
            return rest
        return f" {_PLURAL_FORMS[verb[1]]}{rest[verb.end() :]}"

    def _antecedent(self, anaphor: Anaphor, tokens: list[Token]) -> Subject | None:
        if anaphor.word in ("he", "she", "his", "her"):
            return self._person_antecedent(anaphor.word)
        if anaphor.word in _PRONOUNS:
            return self._thing_antecedent(anaphor, tokens)
        return self._described_antecedent(anaphor.word)

    def _person_antecedent(self, word: str) -> Subject | None:
        last, others = self.last, self.other_names
        gender = "man" if word in ("he", "his") else "woman"
        fitting = [name for name in others if gender_of(name) in ("", gender)]
        if self.is_ambiguous:
            return None
        if last is not None and last.matches_pronoun(word):
            return last if last.gender or not fitting else None
        topic = self._topic(word)
        if not fitting:
            return topic
        if topic is not None or len(fitting) > 1 or not self.is_thing:
            return None
        return self._subject(fitting[0], SubjectKind.PERSON) if gender_of(fitting[0]) else None

    def _thing_antecedent(self, anaphor: Anaphor, tokens: list[Token]) -> Subject | None:
        if any(token.is_capital for token in tokens[1 : anaphor.first]):
            return None  # "In Paris, it ...": the city, or what the text is about
        if anaphor.word == "they" and tokens[anaphor.last].lower in ("are", "were", "have"):
            return self.last if self.last is not None and self.last.kind is SubjectKind.MANY else None
        if self.last is not None and self.last.matches_pronoun(anaphor.word):
            return self.last
        if self.is_subject_unnamed or self.last is not None:
            return None
        topic = self._topic(anaphor.word)
        return topic if topic is not None and (topic.kind or topic is not self.topic) else None

    def _topic(self, word: str) -> Subject | None:
        return next(
            (each for each in (self.paragraph_topic, self.topic) if each is not None and each.matches_pronoun(word)),
            None,
        )

    def _described_antecedent(self, noun: str) -> Subject | None:
        """What "the company" is: the one subject that was called so, or the only one there is, if it may be one."""
        recent = list(
            {id(each): each for each in (self.last, self.paragraph_topic, self.topic) if each is not None}.values()
        )
        fitting = [each for each in recent if each.is_called(noun)]
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
        elsewhere = [each for each in self._subjects.values() if each.is_called(noun)]
        may_be_first = noun in _COMMON_NOUNS and (self.last is not None or not self._subjects)
        if (
            elsewhere
            or not may_be_first
            or len(recent) != 1
            or recent[0].nouns
            or recent[0].kind in (SubjectKind.PERSON, SubjectKind.MANY)
        ):
            return None
        recent[0].nouns.add(noun)
        return recent[0]

    def _by_last_name(self, tokens: list[Token]) -> Subject | None:
        """The person whose last name alone a sentence begins with."""
        phrase = subject_phrase(tokens)
        if phrase is None or phrase[0] != Phrase(0, 1):
            return None
        return self._by_surname.get(re.sub(r"['’]s$", "", tokens[0].text))

    # -- what is remembered -------------------------------------------------------------------------------

    def _remember(self, text: str, tokens: list[Token]) -> None:
        found = subject_phrase(tokens) if tokens else None
        if found is None:
            return
        phrase, verb = found
        name = subject_name(text, tokens, phrase)
        self.is_ambiguous = self._refers_to_earlier_person(name, tokens[verb:])
        self.other_names = [other for other in other_names(tokens, phrase) if other != name]
        if not name:
            first = tokens[phrase.first].lower
            self.is_subject_unnamed = first not in PERSONAL_PRONOUNS or bool(_EXPLETIVE_IT.match(text))
            self.is_thing = any(token.lower in THINGS for token in tokens[phrase.first : phrase.last])
            # "The next to jump was Edwards": whoever comes after "was" is whom the text goes on with.
            self.is_ambiguous |= first in ("he", "she", "his", "her")  # who that was is not known, nor who comes next
            self.is_ambiguous |= tokens[verb].lower in BE and any(
                token.is_capital for token in tokens[verb + 1 : verb + 2]
            )
            self.last = None
            return
        self.is_subject_unnamed = False
        self.last = self._merge(describe_subject(name, tokens, phrase, verb))
        self.is_thing = self.last.kind is SubjectKind.THING
        self.paragraph_topic = self.paragraph_topic or self.last
        self.topic = self.topic or self.last

    def _refers_to_earlier_person(self, name: str, rest: list[Token]) -> bool:
        """Whether a sentence with a new subject still refers to an earlier person: "A judge set him free"."""
        earlier = self.last or self.paragraph_topic or self.topic
        if (
            earlier is None
            or earlier.name == name
            or (not earlier.matches_pronoun("he") and not earlier.matches_pronoun("she"))
        ):
            return False
        return any(token.lower in ("him", "his", "her", "he", "she") for token in rest)

    def _merge(self, subject: Subject) -> Subject:
        """A subject with what was known of it before."""
        known = self._subjects.get(subject.name)
        if known is None:
            topics = (self.topic, self.paragraph_topic)
            known = next((topic for topic in topics if topic and topic.name == subject.name), None)
        if known is not None:
            known.kind = known.kind or subject.kind
            known.gender = known.gender or subject.gender
            known.nouns |= subject.nouns
        self._store(known or subject)
        return known or subject

    def _store(self, subject: Subject) -> None:
        if len(self._subjects) >= _MOST_SUBJECTS:
            self._subjects.clear()
            self._by_surname.clear()
        self._subjects[subject.name] = subject
        words = subject.name.split()
        if len(words) > 1 and subject.kind is SubjectKind.PERSON:
            earlier = self._by_surname.get(words[-1], subject)
            self._by_surname[words[-1]] = subject if earlier is subject else None

    def _subject(self, name: str, kind: SubjectKind) -> Subject:
        return self._merge(Subject(name, kind, gender_of(name)))

    def _update(self, subject: Subject, tokens: list[Token], anaphor: Anaphor) -> None:
        """Make a subject the last one, with the gender or kind that the anaphor implies."""
        if anaphor.word in ("he", "his", "she", "her"):
            subject.kind = SubjectKind.PERSON
            subject.gender = subject.gender or ("man" if anaphor.word in ("he", "his") else "woman")
            self._store(subject)
        elif anaphor.word in ("it", "its"):
            subject.kind = subject.kind or SubjectKind.THING
        found = subject_phrase(tokens)
        if found is not None and anaphor.last <= found[0].last:
            subject.nouns |= (
                describe_subject(subject.name, tokens, found[0], found[1]).nouns if not anaphor.is_possessive else set()
            )
        self.other_names = other_names(tokens, Phrase(anaphor.first, anaphor.last))
        self.last = subject
        self.is_subject_unnamed = self.is_ambiguous = False
        self.paragraph_topic = self.paragraph_topic or subject


def strip_connectives(sentence: str) -> str:
    """A sentence without the words that only join it to the one before."""
    found = _CONNECTIVES.match(sentence)
    if not found:
        return sentence
    rest = sentence[found.end() :]
    return f"{rest[0].upper()}{rest[1:]}"


def _possessive(subject: Subject) -> str:
    return (
        f"{subject.name}'" if subject.kind is SubjectKind.MANY and subject.name.endswith("s") else f"{subject.name}'s"
    )


def _title_subject(title: str) -> Subject | None:
    """What a text is about by its title; a title that is a sentence or a file's name names nothing."""
    tokens = tokenize(title)
    name = subject_name(title, tokens, Phrase(0, len(tokens))) if tokens else ""
    if not name:
        return None
    gender = gender_of(name)
    is_thing = not gender and (len(tokens) == 1 or any(token.lower in THINGS for token in tokens))
    return Subject(name, SubjectKind.PERSON if gender else SubjectKind.THING if is_thing else None, gender)


def _find_anaphor(text: str, tokens: list[Token]) -> Anaphor | None:
    """The words before the verb of a sentence that refer to something named before."""
    verb = next((place for place in range(len(tokens)) if place and may_be_finite(tokens, place)), None)
    if verb is None:
        return None
    lead = _fronted_phrase_end(tokens, verb)
    for first, last in ((lead, verb), (0, lead)):
        for place in range(first, last):
            found = _anaphor_at(tokens, place)
            if found is not None:
                return None if _is_expletive(text, tokens, found) else found
            if tokens[place].is_capital and (place > first or tokens[place].lower.endswith(("'s", "’s"))):
                return None  # a name of its own comes first
        if _has_name(tokens, first, last):
            return None
    return None


def _fronted_phrase_end(tokens: list[Token], verb: int) -> int:
    """Where a fronted phrase ends, "In 1990," or "In 1990"; 0 without one."""
    if tokens[0].lower not in PREPOSITIONS and tokens[0].lower not in (
        "when",
        "while",
        "although",
        "though",
        "because",
    ):
        return 0
    commas = [place for place in range(verb) if tokens[place].text == ","]
    if commas:
        return commas[-1] + 1
    pronoun = next((place for place in range(1, verb) if tokens[place].lower in PERSONAL_PRONOUNS), 0)
    return pronoun


def _has_name(tokens: list[Token], first: int, last: int) -> bool:
    return any(token.is_capital for token in tokens[max(first, 1) : last]) or (last - first == 1 and first == 0)


def _anaphor_at(tokens: list[Token], place: int) -> Anaphor | None:
    token = tokens[place]
    if token.depth:
        return None
    if token.lower in _PRONOUNS and (place == 0 or not token.is_capital):
        return Anaphor(place, place + 1, token.lower, token.lower in POSSESSIVES)
    if token.lower != "the" or place + 2 >= len(tokens):
        return None
    noun = re.sub(r"['’]s$", "", tokens[place + 1].text)
    is_possessive = noun != tokens[place + 1].text
    if noun not in DESCRIBING_NOUNS or not (is_possessive or _ends_phrase(tokens, place + 2)):
        return None
    return Anaphor(place, place + 2, noun, is_possessive)


def _ends_phrase(tokens: list[Token], place: int) -> bool:
    """Whether a phrase such as "the city" is over there, so that nothing else says which city is meant."""
    token = tokens[place]
    if token.lower in ("of", "that", "which", "who", "where", "whose", "called", "named", "known"):
        return False
    if token.text == ",":
        return place + 1 < len(tokens) and tokens[place + 1].lower in ("who", "which", "however", "also", "too")
    return not token.is_word or is_finite(tokens, place) or token.lower in PREPOSITIONS or is_adverb(token)


def _is_expletive(text: str, tokens: list[Token], anaphor: Anaphor) -> bool:
    return anaphor.word == "it" and bool(_EXPLETIVE_IT.match(text[tokens[anaphor.first].start :]))
