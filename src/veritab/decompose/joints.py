"""Where a sentence joins two assertions: a second verb for the same subject, or a second subject with its verb."""

from __future__ import annotations

import re
from typing import NamedTuple

from veritab.decompose.fronts import JOINTS, NESTING, RELATIVE, Front, front_of, is_reduced, subject_start
from veritab.decompose.subjects import gender_of
from veritab.decompose.tokens import (
    DETERMINERS,
    PREPOSITIONS,
    Token,
    is_adverb,
    is_finite,
)
from veritab.decompose.verbs import (
    AUXILIARIES,
    BE,
    HAVE,
    is_active,
    is_participle,
    is_past_or_participle,
    is_sure,
)

_PERHAPS_NESTING = frozenset("after before since until as while once than so".split())
_DROPPED = frozenset("also then thus therefore additionally even instead so hence".split())
_PRONOUNS = frozenset("he she it they".split())
_POSSESSIVES = frozenset("his her its their".split())
# What "and" may join without joining assertions, and subjects that are nobody in particular.
_VAGUE = frozenset(
    """no none nobody nothing few only some someone somebody one two three a an there this these those that here such
    many most several another what who how not every each any less
    more fewer over under about nearly almost around""".split()
)
_VAGUE_SECOND = _VAGUE | frozenset("both others all it's".split())
_ITS = frozenset("the his her its their".split())
_POINTERS = frozenset("both each either there these those latter former same".split())
_PAIRING = frozenset("both between".split())
_LONGEST_FRONT = 30
_LONGEST_SUBJECT = 10
_DATE = re.compile(
    r"\b(?:1[0-9]{3}|20[0-9]{2}|January|February|March|April|June|July|August|September|October|"
    r"November|December|century|decade)\b"
)


class Cut(NamedTuple):
    """A stretch of a sentence that is an assertion once what it shares with an earlier one is put before it."""

    front: str
    start: int
    end: int


def cuts(text: str, line: list[Token]) -> list[Cut]:
    """The assertions of a sentence in order; none when it makes only one, or when that is in doubt."""
    front = front_of(line, 0)
    if front is None or front.verb > _LONGEST_FRONT or line[front.subject].low in _VAGUE:
        return []
    return _Cutter(text, line, front).cuts()


class _Cutter:
    """Walks along a sentence from its first verb and cuts it where another assertion begins."""

    def __init__(self, text: str, line: list[Token], front: Front) -> None:
        self.text = text
        self.line = line
        self.front = front
        self.first = front
        self.named = front
        self.since = front.verb
        self.auxiliary = _auxiliary(line, front.verb)

    def cuts(self) -> list[Cut]:
        line = self.line
        found = [Cut("", 0, len(self.text))]
        place = self.front.verb + 1
        while place < len(line):
            token = line[place]
            joined = not token.depth and (token.low in JOINTS or (token.text == "," and self._in_list(place)))
            made = self._joined(place) if joined and not self._is_nested(place) else None
            if made:
                found[-1] = found[-1]._replace(end=token.start)
                found.append(made[0])
                place = made[1]
            place += 1
        return found if len(found) > 1 else []

    def _joined(self, joint: int) -> tuple[Cut, int] | None:
        """What begins after a joint, if it is an assertion, and the place of its verb."""
        line = self.line
        after = joint + 1
        while after < len(line) and (line[after].low in JOINTS or line[after].text == ","):
            after += 1
        begin = after
        while after < len(line) - 1 and is_adverb(line[after]):
            after += 1
        if after >= len(line) or not self._is_complete(joint):
            return None
        kept = begin
        while kept < after and line[kept].low in _DROPPED:
            kept += 1
        return self._same_subject(joint, kept, after) or self._other_subject(joint, begin)

    def _is_complete(self, joint: int) -> bool:
        """Whether what stands before a joint says something: "wrote and directed" share what follows."""
        last = self.line[joint - 1]
        if last.text in ",;":
            last = self.line[joint - 2]
        if self.line[self.since + 1].text == ",":
            return False  # "wrote, directed and starred in"
        words = [t for t in self.line[self.since + 1 : joint] if t.is_word]
        told = [t for t in words if not is_adverb(t) and t.low not in ("not", "been")]
        if self.line[self.since].low in AUXILIARIES and told and _may_follow_be(told[0].low):
            told = told[1:]
        if not told or (last.depth and last.text not in ')"”»'):
            return False
        return not (
            last.low in DETERMINERS - {"one", "all", "this", "that"}
            or last.low in AUXILIARIES
            or (last.low in PREPOSITIONS and last.low not in ("up", "down", "out", "off", "over"))
        )

    # -- the same subject ---------------------------------------------------------------------------------

    def _same_subject(self, joint: int, begin: int, verb: int) -> tuple[Cut, int] | None:
        """A second verb for the subject: what is shared with the first, then the rest of the sentence."""
        line, token = self.line, self.line[verb]
        if token.depth or not token.text[0].islower() or line[joint].low in ("while", "whereas"):
            return None
        if verb + 1 == len(line) or line[verb + 1].low in _PRONOUNS or self._points_back(verb):
            return None
        if line[-1].is_number and len(line[-1].text) < 4 and line[-2].low in PREPOSITIONS:
            return None  # "made in 180 countries and sold in 18": of what, the first half says
        shared = "" if is_sure(token.low) and is_finite(line, verb) else self._reading(joint, verb)
        if shared is None:
            return None
        front = f"{self._front_for(verb)} {shared}"
        self.since = verb
        if not shared:
            self.auxiliary = _auxiliary(line, verb)
        return Cut(front, line[begin].start, len(self.text)), verb

    def _points_back(self, verb: int) -> bool:
        """Whether an object is a pronoun for what the first assertion named: "had a stroke and recovered from it"."""
        if self.line[-1].low in _POINTERS:
            return True
        for token in self.line[verb + 1 :]:
            if token.is_capital or token.low in JOINTS:
                return False
            if token.low in ("it", "him", "them"):
                return True
        return False

    def _reading(self, joint: int, verb: int) -> str | None:
        """What a form that may be a participle shares with the verb before it: nothing, its "was", or None in doubt."""
        line, word = self.line, self.line[verb].low
        after = line[verb + 1] if verb + 1 < len(line) else None
        follows = after.low if after else ""
        participles = self._participles(joint)
        if is_participle(word):
            if self.auxiliary and not participles and (follows in PREPOSITIONS or word == "born"):
                return "was " if word == "born" and self.auxiliary == "is " else self.auxiliary
            return None
        if not is_past_or_participle(word):
            return "" if is_finite(line, verb) and not participles else None
        if self.auxiliary:
            if follows == "by" and not participles:
                return self.auxiliary
            if is_active(word) and follows != "by":
                return ""
            if after and (after.is_capital or after.is_number or follows in DETERMINERS):
                return "" if not participles else None
            return self.auxiliary if follows in PREPOSITIONS and not participles and not self._is_born() else None
        if follows == "by" or (participles and not is_active(word)):
            return None
        if (
            is_active(word)
            or follows in DETERMINERS
            or follows in PREPOSITIONS
            or (after is not None and is_adverb(after))
        ):
            return ""
        return "" if after and (after.is_capital or after.is_number) else None

    def _is_born(self) -> bool:
        return any(token.low in ("born", "married") for token in self.line[self.since : self.since + 3])

    def _participles(self, joint: int) -> bool:
        """Whether a participle on some noun stands before the joint, so that another may join it."""
        line = self.line
        start = self.since + 1
        while start < joint and (is_adverb(line[start]) or line[start].low in ("not", "been", "being")):
            start += 1
        if self.auxiliary or line[self.since].low in HAVE:
            start += 1  # the participle of the verb itself
        return any(
            not token.depth and (is_past_or_participle(token.low) or is_participle(token.low) or _is_doing(token.text))
            for token in line[start:joint]
        )

    def _front_for(self, verb: int) -> str:
        """The subject with its lead, or without where what follows has a date of its own."""
        line, front = self.line, self.named
        rest = self.text[line[verb].start :]
        start = front.start
        if front.subject > front.start:
            lead = self.text[line[front.start].start : line[front.subject].start]
            if _DATE.search(lead) and _DATE.search(rest):
                start = front.subject
        return self._said(start, front.verb)

    def _said(self, start: int, verb: int) -> str:
        """The words from there to a verb, without the adverbs before it and without dates in brackets."""
        line = self.line
        end = verb
        if not any(is_finite(line, place) for place in range(start, verb)):
            while end > start + 1 and is_adverb(line[end - 1]):
                end -= 1
        return _without_dates(self.text[line[start].start : line[end - 1].end])

    # -- another subject ----------------------------------------------------------------------------------

    def _other_subject(self, joint: int, begin: int) -> tuple[Cut, int] | None:
        """A clause of its own: after a lead alone, with a pronoun for the first subject, or with another name."""
        line = self.line
        verb = self._second_verb(joint, begin)
        if verb is None:
            return None
        if self._is_lead(begin, verb):
            return self._after_lead(begin, verb)
        pronoun = next((p for p in range(begin, verb) if line[p].low in _PRONOUNS | _POSSESSIVES), None)
        if pronoun is not None:
            return self._with_pronoun(joint, begin, pronoun, verb)
        return self._with_name(begin, verb)

    def _after_lead(self, begin: int, verb: int) -> tuple[Cut, int] | None:
        line = self.line
        name = self._said(self.named.subject, self.named.verb)
        if _DATE.search(name):
            return None
        self.since, self.auxiliary = verb, _auxiliary(line, verb)
        lead = self.text[line[begin].start : line[verb].start]
        return Cut(f"{lead}{name} ", line[verb].start, len(self.text)), verb

    def _with_name(self, begin: int, verb: int) -> tuple[Cut, int] | None:
        line = self.line
        subject = subject_start(line, begin, verb)
        if self.first.subject == self.first.start and line[self.first.start].low in PREPOSITIONS:
            return None  # "In the 1990 season A won and B lost": where the lead ends is not seen
        if line[subject].low in _VAGUE_SECOND or not any(t.is_capital for t in line[subject:verb]):
            return None
        if any(t.low in _PRONOUNS | _POSSESSIVES | {"him", "them", "latter", "former"} for t in line[verb:]):
            return None
        lead = self._lead_for(begin) if subject == begin else ""
        self.named = Front(begin, subject, verb)
        self.since, self.auxiliary = verb, _auxiliary(line, verb)
        return Cut(lead, line[begin].start, len(self.text)), verb

    def _lead_for(self, begin: int) -> str:
        """The lead of the sentence, where a clause without a date of its own shares it."""
        line, first = self.line, self.first
        if first.subject == first.start or line[first.subject - 1].text != ",":
            return ""
        lead = self.text[line[first.start].start : line[first.subject].start]
        return "" if _DATE.search(lead) and _DATE.search(self.text[line[begin].start :]) else lead

    def _is_lead(self, begin: int, verb: int) -> bool:
        """Whether only a lead stands before the verb, whose subject is the first one: "and in 1990 won the cup"."""
        line = self.line
        if line[begin].low not in PREPOSITIONS:
            return False
        year = line[begin + 1].is_number and len(line[begin + 1].text) == 4
        return line[verb - 1].text == "," or (verb == begin + 2 and year)

    def _second_verb(self, joint: int, begin: int) -> int | None:
        """The verb of a second subject: a short phrase without joints, then a verb that is surely one."""
        line = self.line
        apart = line[joint].low != "and" or line[joint - 1].text == ","
        before = line[self.since : joint]
        if line[joint].text == "," or any(t.low in _PAIRING for t in before):
            return None
        if not apart and any(t.low in ("than", "compared", "including", "like", "such") for t in before):
            return None
        for place in range(begin, min(begin + _LONGEST_SUBJECT, len(line))):
            token = line[place]
            if token.depth:
                continue
            if token.low in JOINTS or token.low in NESTING or token.low == "or":
                return None
            if token.text == "," and line[begin].low not in PREPOSITIONS:
                return None
            if place > begin and token.low in _PERHAPS_NESTING:
                return None
            if place > begin and is_finite(line, place):
                plain = line[place - 1].low in _PRONOUNS or (apart and self._is_plain_past(place))
                return place if is_sure(token.low) or (plain and not is_reduced(line, place)) else None
        return None

    def _is_plain_past(self, verb: int) -> bool:
        """Whether a past form is no participle on the noun before it: "found in" may be one, "won the cup" is none."""
        after = self.line[verb + 1].low if verb + 1 < len(self.line) else ""
        return is_active(self.line[verb].low) or after not in PREPOSITIONS

    def _with_pronoun(self, joint: int, begin: int, pronoun: int, verb: int) -> tuple[Cut, int] | None:
        """A clause whose subject is a pronoun for the first one, where it can stand for nothing else."""
        line, text = self.line, self.text
        front = self.first
        subject = line[front.subject : front.verb]
        name = self._said(front.subject, front.verb)
        word = line[pronoun].low
        if len(subject) > 8 or not subject[0].is_capital or subject[0].low in _PRONOUNS | _POSSESSIVES:
            return None
        plural = any(t.low == "and" for t in subject) or subject[-1].low.endswith("s")
        if pronoun > begin and (line[begin].low not in PREPOSITIONS or pronoun == begin + 1):
            return None
        if line[joint].low == "while" and word in _PRONOUNS:
            return None  # "while she was a child" says when
        if (word in ("they", "their")) != plural:
            return None
        if word in ("he", "she", "his", "her"):
            gender = "man" if word in ("he", "his") else "woman"
            if gender_of(name) not in ("", gender) or self._names_another(joint):
                return None
        if word in ("it", "its") and line[self.since].low not in BE and line[self.since + 1].low in ("a", "an", "to"):
            return None  # "X had a garden, but it was small": the garden
        if word in ("it", "its") and (
            self._is_born()
            or (
                line[verb].low in BE
                and line[verb + 1 : verb + 2]
                and line[verb + 1].low in ("possible", "said", "believed", "known", "thought")
            )
        ):
            return None
        owner = f"{name}'s" if word in _POSSESSIVES else name
        lead = text[line[begin].start : line[pronoun].start]
        if lead:
            owner = f"{lead}{owner}"
        said = Cut(f"{owner} ", line[pronoun].end, len(text))
        if word in _POSSESSIVES:
            self.named = Front(begin, begin, verb)  # nothing further is cut: its subject is not in the text
        self.since, self.auxiliary = verb, _auxiliary(line, verb)
        return said, len(line) if word in _POSSESSIVES else verb

    def _names_another(self, joint: int) -> bool:
        """Whether somebody else is named before the joint, whom "he" may mean as well."""
        line = self.line
        return any(
            line[p].is_capital
            and line[p + 1].is_capital
            and line[p - 1].low not in ("in", "at", "from", "the", "of", "for")
            for p in range(self.first.verb + 1, joint - 1)
        ) or any(
            line[p].low in ("by", "with", "married", "met") and line[p + 1].is_capital
            for p in range(self.first.verb, joint - 1)
        )

    # -- what holds a joint back --------------------------------------------------------------------------

    def _is_nested(self, joint: int) -> bool:
        """Whether the joint may belong to a clause inside the sentence: after "that", "who", "when he"."""
        line = self.line
        for place in range(self.since + 1, joint):
            token = line[place]
            if token.depth:
                continue
            if token.low in NESTING:
                if line[joint].low in ("while", "whereas", ";") or self._is_predicate(place):
                    continue
                return True
            if token.text == ";" or (place > self.since + 1 and self._begins_clause(place) and line[joint].low != ";"):
                return True
            if token.low in _PERHAPS_NESTING and any(is_finite(line, later) for later in range(place + 1, joint)):
                return True
        return False

    def _begins_clause(self, place: int) -> bool:
        """Whether a verb stands there that has a subject of its own, so that a joint after it may be its joint."""
        line = self.line
        if not is_finite(line, place):
            return False
        own = line[place - 1].low in _PRONOUNS or (line[place - 3].text == "," and line[place - 2].low in _ITS)
        if not own and not is_sure(line[place].low):
            return False
        return not any(self._is_predicate(p) for p in range(self.since + 1, place) if line[p].low in RELATIVE)

    def _is_predicate(self, relative: int) -> bool:
        """Whether a relative clause is about the subject itself: "X is a film that ..."."""
        line = self.line
        between = line[self.since + 1 : relative]
        return (
            line[self.since].low in BE
            and bool(between)
            and between[0].low in ("a", "an", "the")
            and not between[-1].is_capital
            and all(t.low not in PREPOSITIONS and t.text != "," for t in between)
            and line[relative].low in ("who", "which", "that")
            and relative + 1 < len(line)
            and is_finite(line, relative + 1)
        )

    def _in_list(self, comma: int) -> bool:
        """Whether a comma stands in a list of verbs that "and" ends: "wrote A, directed B and produced C"."""
        line = self.line
        if comma + 1 >= len(line) or not (is_finite(line, comma + 1) or is_participle(line[comma + 1].low)):
            return False
        if any(line[p].text == "," and line[p + 1].low in ("a", "an", "the") for p in range(self.since, comma)):
            return False
        for place in range(comma + 1, len(line) - 1):
            if not line[place].depth and line[place].low in ("and", "but"):
                after = place + 1
                while after < len(line) - 1 and is_adverb(line[after]):
                    after += 1
                if is_finite(line, after) or is_participle(line[after].low):
                    return not any(t.low in NESTING for t in line[comma:place])
        return False


def _is_doing(word: str) -> bool:
    """Whether a word may be a participle of the present: "starring", "featuring"."""
    return word.endswith("ing") and len(word) > 5 and word[0].islower()


def _may_follow_be(word: str) -> bool:
    return is_past_or_participle(word) or is_participle(word)


def _auxiliary(line: list[Token], verb: int) -> str:
    """The form of "be" a verb begins with, for a participle that shares it."""
    return f"{line[verb].low} " if line[verb].low in BE else ""


_DATES = re.compile(r"\s*\((?=[^)]*(?:\d{4}|born|age))(?=[^)]*(?:[-–]|born|age|\s\S+\s))[^)]*\)$")


def _without_dates(name: str) -> str:
    """A name without the dates in brackets after it; "(2005 film)" stays, since it tells namesakes apart."""
    return _DATES.sub("", name)
