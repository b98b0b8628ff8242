"""Where a sentence joins two assertions: a second verb for the same subject, or a second subject with its verb."""

from __future__ import annotations

import re
from typing import NamedTuple

from veritab.decompose.clauses import CLAUSE_BOUNDARIES, ClauseHead, clause_head, is_reduced_relative, subject_start
from veritab.decompose.parts_of_speech import is_adverb, is_finite
from veritab.decompose.subjects import gender_of
from veritab.decompose.verbs import (
    is_active_past,
    is_always_finite,
    is_only_participle,
    is_past_or_participle,
    may_be_participle,
)
from veritab.lexicon.grammar import (
    AUXILIARIES,
    BE,
    DETERMINERS,
    HAVE,
    PERSONAL_PRONOUNS,
    POSSESSIVES,
    PREPOSITIONS,
    RELATIVE_WORDS,
    SUBORDINATORS,
)
from veritab.text import Token

_MAYBE_SUBORDINATORS = frozenset("after before since until as while once than so".split())
_DROPPED_ADVERBS = frozenset("also then thus therefore additionally even instead so hence".split())
# Subjects that are nobody in particular, and what "and" may join without joining assertions.
_VAGUE = frozenset(
    """no none nobody nothing few only some someone somebody one two three a an there this these those that here such
    many most several another what who how not every each any less
    more fewer over under about nearly almost around""".split()
)
_VAGUE_SECOND = _VAGUE | frozenset("both others all it's".split())
_DEFINITE = POSSESSIVES | {"the"}
_BACK_REFERENCES = frozenset("both each either there these those latter former same".split())
_PAIRING = frozenset("both between".split())
_LONGEST_HEAD = 30
_LONGEST_SUBJECT = 10
_DATE = re.compile(
    r"\b(?:1[0-9]{3}|20[0-9]{2}|January|February|March|April|June|July|August|September|October|"
    r"November|December|century|decade)\b"
)


class Conjunct(NamedTuple):
    """A stretch of a sentence that is an assertion once what it shares with an earlier one is put before it."""

    prefix: str
    start: int
    end: int


def find_conjuncts(text: str, tokens: list[Token]) -> list[Conjunct]:
    """The assertions of a sentence in order; none when it makes only one, or when that is in doubt."""
    head = clause_head(tokens, 0)
    if head is None or head.verb > _LONGEST_HEAD or tokens[head.subject].lower in _VAGUE:
        return []
    return _ConjunctFinder(text, tokens, head).find_conjuncts()


class _ConjunctFinder:
    """Walks along a sentence from its first verb and cuts it where another assertion begins.

    `head` is the clause whose subject the next assertion may share, `verb` the verb that was found last.
    """

    def __init__(self, text: str, tokens: list[Token], head: ClauseHead) -> None:
        self.text = text
        self.tokens = tokens
        self.first = head
        self.head = head
        self.verb = head.verb
        self.auxiliary = _auxiliary(tokens, head.verb)

    def find_conjuncts(self) -> list[Conjunct]:
        tokens = self.tokens
        found = [Conjunct("", 0, len(self.text))]
        place = self.first.verb + 1
        while place < len(tokens):
            token = tokens[place]
            is_boundary = token.lower in CLAUSE_BOUNDARIES or (token.text == "," and self._is_in_verb_list(place))
            may_join = is_boundary and not token.depth and not self._is_nested(place)
            following = self._conjunct_after(place) if may_join else None
            if following:
                found[-1] = found[-1]._replace(end=token.start)
                found.append(following[0])
                place = following[1]
            place += 1
        return found if len(found) > 1 else []

    def _conjunct_after(self, conjunction: int) -> tuple[Conjunct, int] | None:
        """What begins after a conjunction, if it is an assertion, and the place of its verb."""
        tokens = self.tokens
        after = conjunction + 1
        while after < len(tokens) and (tokens[after].lower in CLAUSE_BOUNDARIES or tokens[after].text == ","):
            after += 1
        begin = after
        while after < len(tokens) - 1 and is_adverb(tokens[after]):
            after += 1
        if after >= len(tokens) or not self._is_complete(conjunction):
            return None
        kept = begin
        while kept < after and tokens[kept].lower in _DROPPED_ADVERBS:
            kept += 1
        return self._with_same_subject(conjunction, kept, after) or self._with_other_subject(conjunction, begin)

    def _is_complete(self, conjunction: int) -> bool:
        """Whether the clause before a conjunction is complete: "wrote and directed" share what follows."""
        last = self.tokens[conjunction - 1]
        if last.text in ",;":
            last = self.tokens[conjunction - 2]
        if self.tokens[self.verb + 1].text == ",":
            return False  # "wrote, directed and starred in"
        words = [t for t in self.tokens[self.verb + 1 : conjunction] if t.is_word]
        content = [t for t in words if not is_adverb(t) and t.lower not in ("not", "been")]
        if self.tokens[self.verb].lower in AUXILIARIES and content and may_be_participle(content[0].lower):
            content = content[1:]
        if not content or (last.depth and last.text not in ')"”»'):
            return False
        return not (
            last.lower in DETERMINERS - {"one", "all", "this", "that"}
            or last.lower in AUXILIARIES
            or (last.lower in PREPOSITIONS and last.lower not in ("up", "down", "out", "off", "over"))
        )

    # -- the same subject ---------------------------------------------------------------------------------

    def _with_same_subject(self, conjunction: int, begin: int, verb: int) -> tuple[Conjunct, int] | None:
        """A second verb for the subject: what is shared with the first, then the rest of the sentence."""
        tokens, token = self.tokens, self.tokens[verb]
        if token.depth or not token.text[0].islower() or tokens[conjunction].lower in ("while", "whereas"):
            return None
        if verb + 1 == len(tokens) or tokens[verb + 1].lower in PERSONAL_PRONOUNS or self._refers_back(verb):
            return None
        if tokens[-1].is_number and len(tokens[-1].text) < 4 and tokens[-2].lower in PREPOSITIONS:
            return None  # "made in 180 countries and sold in 18": of what is in the first half
        is_plain = is_always_finite(token.lower) and is_finite(tokens, verb)
        shared = "" if is_plain else self._shared_auxiliary(conjunction, verb)
        if shared is None:
            return None
        prefix = f"{self._shared_subject(verb)} {shared}"
        self.verb = verb
        if not shared:
            self.auxiliary = _auxiliary(tokens, verb)
        return Conjunct(prefix, tokens[begin].start, len(self.text)), verb

    def _refers_back(self, verb: int) -> bool:
        """Whether an object is a pronoun for what the first assertion named: "had a stroke and recovered from it"."""
        if self.tokens[-1].lower in _BACK_REFERENCES:
            return True
        for token in self.tokens[verb + 1 :]:
            if token.is_capital or token.lower in CLAUSE_BOUNDARIES:
                return False
            if token.lower in ("it", "him", "them"):
                return True
        return False

    def _shared_auxiliary(self, conjunction: int, verb: int) -> str | None:
        """What a form that may be a participle shares with the verb before it: nothing, its "was", or None in doubt."""
        tokens, word = self.tokens, self.tokens[verb].lower
        after = tokens[verb + 1] if verb + 1 < len(tokens) else None
        follows = after.lower if after else ""
        participles = self._has_participle_before(conjunction)
        if is_only_participle(word):
            if self.auxiliary and not participles and (follows in PREPOSITIONS or word == "born"):
                return "was " if word == "born" and self.auxiliary == "is " else self.auxiliary
            return None
        if not is_past_or_participle(word):
            return "" if is_finite(tokens, verb) and not participles else None
        if self.auxiliary:
            if follows == "by" and not participles:
                return self.auxiliary
            if is_active_past(word) and follows != "by":
                return ""
            if after and (after.is_capital or after.is_number or follows in DETERMINERS):
                return "" if not participles else None
            return self.auxiliary if follows in PREPOSITIONS and not participles and not self._is_life_event() else None
        if follows == "by" or (participles and not is_active_past(word)):
            return None
        if (
            is_active_past(word)
            or follows in DETERMINERS
            or follows in PREPOSITIONS
            or (after is not None and is_adverb(after))
        ):
            return ""
        return "" if after and (after.is_capital or after.is_number) else None

    def _is_life_event(self) -> bool:
        return any(token.lower in ("born", "married") for token in self.tokens[self.verb : self.verb + 3])

    def _has_participle_before(self, conjunction: int) -> bool:
        """Whether a participle on some noun stands before the conjunction, so that another may join it."""
        tokens = self.tokens
        start = self.verb + 1
        while start < conjunction and (is_adverb(tokens[start]) or tokens[start].lower in ("not", "been", "being")):
            start += 1
        if self.auxiliary or tokens[self.verb].lower in HAVE:
            start += 1  # the participle of the verb itself
        return any(
            not token.depth and (may_be_participle(token.lower) or _is_present_participle(token.text))
            for token in tokens[start:conjunction]
        )

    def _shared_subject(self, verb: int) -> str:
        """The subject with its fronted phrase, or without where what follows has a date of its own."""
        tokens, head = self.tokens, self.head
        rest = self.text[tokens[verb].start :]
        start = head.start
        if head.subject > head.start:
            fronted = self.text[tokens[head.start].start : tokens[head.subject].start]
            if _DATE.search(fronted) and _DATE.search(rest):
                start = head.subject
        return self._phrase(start, head.verb)

    def _phrase(self, start: int, verb: int) -> str:
        """The words from there to a verb, without the adverbs before it and without dates in brackets."""
        tokens = self.tokens
        end = verb
        if not any(is_finite(tokens, place) for place in range(start, verb)):
            while end > start + 1 and is_adverb(tokens[end - 1]):
                end -= 1
        return _without_dates(self.text[tokens[start].start : tokens[end - 1].end])

    # -- another subject ----------------------------------------------------------------------------------

    def _with_other_subject(self, conjunction: int, begin: int) -> tuple[Conjunct, int] | None:
        """A clause after the conjunction: a fronted phrase alone, a pronoun for the first subject, or another name."""
        tokens = self.tokens
        verb = self._second_verb(conjunction, begin)
        if verb is None:
            return None
        if self._is_fronted_phrase(begin, verb):
            return self._after_fronted_phrase(begin, verb)
        pronoun = next((p for p in range(begin, verb) if tokens[p].lower in PERSONAL_PRONOUNS | POSSESSIVES), None)
        if pronoun is not None:
            return self._with_pronoun(conjunction, begin, pronoun, verb)
        return self._with_name(begin, verb)

    def _after_fronted_phrase(self, begin: int, verb: int) -> tuple[Conjunct, int] | None:
        tokens = self.tokens
        name = self._phrase(self.head.subject, self.head.verb)
        if _DATE.search(name):
            return None
        self.verb, self.auxiliary = verb, _auxiliary(tokens, verb)
        fronted = self.text[tokens[begin].start : tokens[verb].start]
        return Conjunct(f"{fronted}{name} ", tokens[verb].start, len(self.text)), verb

    def _with_name(self, begin: int, verb: int) -> tuple[Conjunct, int] | None:
        tokens = self.tokens
        subject = subject_start(tokens, begin, verb)
        if self.first.subject == self.first.start and tokens[self.first.start].lower in PREPOSITIONS:
            return None  # "In the 1990 season A won and B lost": where the fronted phrase ends is not seen
        if tokens[subject].lower in _VAGUE_SECOND or not any(t.is_capital for t in tokens[subject:verb]):
            return None
        if any(t.lower in PERSONAL_PRONOUNS | POSSESSIVES | {"him", "them", "latter", "former"} for t in tokens[verb:]):
            return None
        fronted = self._shared_fronted_phrase(begin) if subject == begin else ""
        self.head = ClauseHead(begin, subject, verb)
        self.verb, self.auxiliary = verb, _auxiliary(tokens, verb)
        return Conjunct(fronted, tokens[begin].start, len(self.text)), verb

    def _shared_fronted_phrase(self, begin: int) -> str:
        """The fronted phrase of the sentence, where a clause without a date of its own shares it."""
        tokens, first = self.tokens, self.first
        if first.subject == first.start or tokens[first.subject - 1].text != ",":
            return ""
        fronted = self.text[tokens[first.start].start : tokens[first.subject].start]
        return "" if _DATE.search(fronted) and _DATE.search(self.text[tokens[begin].start :]) else fronted

    def _is_fronted_phrase(self, begin: int, verb: int) -> bool:
        """Whether only a fronted phrase stands before the verb of the first subject: "and in 1990 won the cup"."""
        tokens = self.tokens
        if tokens[begin].lower not in PREPOSITIONS:
            return False
        year = tokens[begin + 1].is_number and len(tokens[begin + 1].text) == 4
        return tokens[verb - 1].text == "," or (verb == begin + 2 and year)

    def _second_verb(self, conjunction: int, begin: int) -> int | None:
        """The verb of a second subject: a short phrase without conjunctions, then an unambiguous verb."""
        tokens = self.tokens
        apart = tokens[conjunction].lower != "and" or tokens[conjunction - 1].text == ","
        before = tokens[self.verb : conjunction]
        if tokens[conjunction].text == "," or any(t.lower in _PAIRING for t in before):
            return None
        if not apart and any(t.lower in ("than", "compared", "including", "like", "such") for t in before):
            return None
        for place in range(begin, min(begin + _LONGEST_SUBJECT, len(tokens))):
            token = tokens[place]
            if token.depth:
                continue
            if token.lower in CLAUSE_BOUNDARIES or token.lower in SUBORDINATORS or token.lower == "or":
                return None
            if token.text == "," and tokens[begin].lower not in PREPOSITIONS:
                return None
            if place > begin and token.lower in _MAYBE_SUBORDINATORS:
                return None
            if place > begin and is_finite(tokens, place):
                plain = tokens[place - 1].lower in PERSONAL_PRONOUNS or (apart and self._is_plain_past(place))
                plain = plain and not is_reduced_relative(tokens, place)
                return place if plain or is_always_finite(token.lower) else None
        return None

    def _is_plain_past(self, verb: int) -> bool:
        """Whether a past form is not a participle of the noun before it: "found in" may be one, "won the cup" not."""
        after = self.tokens[verb + 1].lower if verb + 1 < len(self.tokens) else ""
        return is_active_past(self.tokens[verb].lower) or after not in PREPOSITIONS

    def _with_pronoun(self, conjunction: int, begin: int, pronoun: int, verb: int) -> tuple[Conjunct, int] | None:
        """A clause whose subject is a pronoun for the first one, where it can stand for nothing else."""
        tokens, text = self.tokens, self.text
        head = self.first
        subject = tokens[head.subject : head.verb]
        name = self._phrase(head.subject, head.verb)
        word = tokens[pronoun].lower
        if len(subject) > 8 or not subject[0].is_capital or subject[0].lower in PERSONAL_PRONOUNS | POSSESSIVES:
            return None
        plural = any(t.lower == "and" for t in subject) or subject[-1].lower.endswith("s")
        if pronoun > begin and (tokens[begin].lower not in PREPOSITIONS or pronoun == begin + 1):
            return None
        if tokens[conjunction].lower == "while" and word in PERSONAL_PRONOUNS:
            return None  # "while she was a child" says when
        if (word in ("they", "their")) != plural:
            return None
        if word in ("he", "she", "his", "her"):
            gender = "man" if word in ("he", "his") else "woman"
            if gender_of(name) not in ("", gender) or self._names_another(conjunction):
                return None
        if word in ("it", "its") and not self._may_mean_subject(verb):
            return None
        fronted = text[tokens[begin].start : tokens[pronoun].start]
        possessive = "'s" if word in POSSESSIVES else ""
        if possessive:
            self.head = ClauseHead(begin, begin, verb)  # nothing further is cut: its subject is not in the text
        self.verb, self.auxiliary = verb, _auxiliary(tokens, verb)
        conjunct = Conjunct(f"{fronted}{name}{possessive} ", tokens[pronoun].end, len(text))
        return conjunct, len(tokens) if possessive else verb

    def _may_mean_subject(self, verb: int) -> bool:
        """Whether an "it" before a verb may be the subject: not the object before it, nor the "it" of "it is said"."""
        tokens = self.tokens
        if tokens[self.verb].lower not in BE and tokens[self.verb + 1].lower in ("a", "an", "to"):
            return False  # "X had a garden, but it was small": the garden
        following = tokens[verb + 1].lower if verb + 1 < len(tokens) else ""
        is_expletive = following in ("possible", "said", "believed", "known", "thought")
        return not self._is_life_event() and not (tokens[verb].lower in BE and is_expletive)

    def _names_another(self, conjunction: int) -> bool:
        """Whether somebody else is named before the conjunction, whom "he" may mean as well."""
        tokens = self.tokens
        return any(
            tokens[p].is_capital
            and tokens[p + 1].is_capital
            and tokens[p - 1].lower not in ("in", "at", "from", "the", "of", "for")
            for p in range(self.first.verb + 1, conjunction - 1)
        ) or any(
            tokens[p].lower in ("by", "with", "married", "met") and tokens[p + 1].is_capital
            for p in range(self.first.verb, conjunction - 1)
        )

    # -- conjunctions that join no assertions --------------------------------------------------------------

    def _is_nested(self, conjunction: int) -> bool:
        """Whether the conjunction may belong to a clause inside the sentence: after "that", "who", "when he"."""
        tokens = self.tokens
        for place in range(self.verb + 1, conjunction):
            token = tokens[place]
            if token.depth:
                continue
            if token.lower in SUBORDINATORS:
                if tokens[conjunction].lower in ("while", "whereas", ";") or self._describes_subject(place):
                    continue
                return True
            begins_clause = place > self.verb + 1 and self._begins_clause(place)
            if token.text == ";" or (begins_clause and tokens[conjunction].lower != ";"):
                return True
            rest = range(place + 1, conjunction)
            if token.lower in _MAYBE_SUBORDINATORS and any(is_finite(tokens, later) for later in rest):
                return True
        return False

    def _begins_clause(self, place: int) -> bool:
        """Whether a verb stands there with a subject of its own, so that a conjunction after it may belong to it."""
        tokens = self.tokens
        if not is_finite(tokens, place):
            return False
        is_definite = tokens[place - 3].text == "," and tokens[place - 2].lower in _DEFINITE
        if (
            not is_definite
            and tokens[place - 1].lower not in PERSONAL_PRONOUNS
            and not is_always_finite(tokens[place].lower)
        ):
            return False
        return not any(
            self._describes_subject(p) for p in range(self.verb + 1, place) if tokens[p].lower in RELATIVE_WORDS
        )

    def _describes_subject(self, relative: int) -> bool:
        """Whether a relative clause is about the subject itself: "X is a film that ..."."""
        tokens = self.tokens
        between = tokens[self.verb + 1 : relative]
        return (
            tokens[self.verb].lower in BE
            and bool(between)
            and between[0].lower in ("a", "an", "the")
            and not between[-1].is_capital
            and all(t.lower not in PREPOSITIONS and t.text != "," for t in between)
            and tokens[relative].lower in ("who", "which", "that")
            and relative + 1 < len(tokens)
            and is_finite(tokens, relative + 1)
        )

    def _is_in_verb_list(self, comma: int) -> bool:
        """Whether a comma stands in a list of verbs that "and" ends: "wrote A, directed B and produced C"."""
        tokens = self.tokens
        if comma + 1 >= len(tokens):
            return False
        if not is_finite(tokens, comma + 1) and not is_only_participle(tokens[comma + 1].lower):
            return False
        if any(tokens[p].text == "," and tokens[p + 1].lower in ("a", "an", "the") for p in range(self.verb, comma)):
            return False
        for place in range(comma + 1, len(tokens) - 1):
            if not tokens[place].depth and tokens[place].lower in ("and", "but"):
                after = place + 1
                while after < len(tokens) - 1 and is_adverb(tokens[after]):
                    after += 1
                if is_finite(tokens, after) or is_only_participle(tokens[after].lower):
                    return not any(t.lower in SUBORDINATORS for t in tokens[comma:place])
        return False


def _is_present_participle(word: str) -> bool:
    """Whether a word may be a participle of the present: "starring", "featuring"."""
    return word.endswith("ing") and len(word) > 5 and word[0].islower()


def _auxiliary(tokens: list[Token], verb: int) -> str:
    """The form of "be" a verb begins with, for a participle that shares it."""
    return f"{tokens[verb].lower} " if tokens[verb].lower in BE else ""


_DATES = re.compile(r"\s*\((?=[^)]*(?:\d{4}|born|age))(?=[^)]*(?:[-–]|born|age|\s\S+\s))[^)]*\)$")


def _without_dates(name: str) -> str:
    """A name without the dates in brackets after it; "(2005 film)" stays, since it separates namesakes."""
    return _DATES.sub("", name)
