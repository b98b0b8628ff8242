"""The answer as a part of a sentence: alone, after a preposition, beside the noun that the question asks with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from veritab.build.inflection import is_plural_noun, singular
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import plain
from veritab.lexicon.grammar import PREPOSITIONS, SUBORDINATORS
from veritab.text import stem

TIME_NOUNS = frozenset("year years date day month decade century time season period era age episode game week".split())
PLACE_NOUNS = frozenset(
    """country city state place island town province county continent area region location part stadium school
    college university building room street district venue""".split()
)
PERSON_NOUNS = frozenset(
    """person man woman men women actor actress player president king queen singer artist author writer driver director
    character leader team band group people individual prime minister coach captain company female male""".split()
)
_BEFORE_NOUNS = {
    "year": "in", "month": "in", "season": "in", "episode": "in", "decade": "in", "century": "in", "period": "during",
    "date": "on", "day": "on", "time": "at", "island": "on", "street": "on", "planet": "on", "channel": "on",
    "network": "on", "age": "at", "place": "in", "game": "in", "position": "in", "team": "for",
}  # fmt: skip
WITH_NOUNS = frozenset("what which whose".split())
DEGREES = frozenset(
    "many much long old far big tall high often deep wide large heavy fast late early close soon hot cold".split()
)
_GROUPS = frozenset("men women boy girl children people".split())
_MOVING = frozenset("go travel migrate flee sail relocate head escape return move send transfer deport lead".split())
KIND_NOUNS = frozenset("type types kind kinds sort form body".split())
UNITS = {"old": "years old", "far": "away"} | {each: each for each in "long tall high big deep wide large late".split()}


class AnswerPhrase(NamedTuple):
    """The answer with what stands around it, the name of that way, and how unusual it is."""

    words: tuple[str, ...]
    name: str
    cost: float


@dataclass(frozen=True)
class Asked:
    """What a question asks for: its question word, the noun or the degree beside that, and a preposition before it."""

    word: str
    noun: tuple[str, ...] = ()
    degree: str = ""
    preposition: str = ""

    @property
    def head(self) -> str:
        """The noun itself: the last word before any preposition."""
        head = ""
        for word in self.noun:
            lower = word.strip(",").lower()
            if lower in PREPOSITIONS and head:
                break
            head = lower
        return head

    @property
    def kind(self) -> str:
        """The question word, and whether a noun comes with it: the forms of questions that features tell apart."""
        if self.word == "how":
            return f"how-{self.degree}" if self.degree in ("many", "much", "old", "long") else "how"
        if self.noun and self.word in ("what", "which"):
            return "noun"
        return {"whom": "who", "which": "what"}.get(self.word, self.word)

    @property
    def is_setting(self) -> bool:
        """Whether its noun names a time, a place or a part of a series: what things happen in."""
        return self.head in TIME_NOUNS or self.head in PLACE_NOUNS

    def is_named_in(self, answer: AnswerForm) -> bool:
        """Whether the answer says the noun itself, so that it is not said again: "what band", "The Gap Band"."""
        said = [self.noun[-1].lower(), self.head] if "of" in self.noun else [self.head]
        return any(word and stem(word) in map(stem, answer.words) for word in said)

    @property
    def is_adverbial(self) -> bool:
        """Whether the answer says when, where or how rather than who or what."""
        return self.word in ("when", "where", "why") or (
            self.word == "how" and self.degree not in ("many", "much", "old", "long", "big", "tall", "high")
        )


def read_asked(words: Sequence[str], place: int) -> tuple[Asked, int]:
    """What a question asks for at its question word, and where the words after that begin."""
    word = plain(words[place])
    following = plain(words[place + 1]) if place + 1 < len(words) else ""
    if word == "how" and following in DEGREES:
        return Asked(word, (), following), place + 2
    return Asked(word), place + 1


def core_phrases(asked: Asked, answer: AnswerForm) -> Iterator[AnswerPhrase]:
    """The answer as subject, object or complement."""
    if asked.preposition:
        yield from prepositional_phrases(asked, answer)
        return
    if asked.word == "whose":
        yield from _possessives(asked, answer)
    elif asked.word == "how" and asked.degree in ("many", "much"):
        yield from _counts(asked, answer)
    elif asked.word == "how" and asked.degree:
        yield from _degrees(asked, answer)
    else:
        yield from _beside_noun(asked, answer)


def _beside_noun(asked: Asked, answer: AnswerForm) -> Iterator[AnswerPhrase]:
    """The answer alone, and with the noun that the question asks with, where it has one."""
    text, noun = answer.text, asked.noun
    kind = asked.head in KIND_NOUNS
    named = asked.is_named_in(answer) or kind
    # A number says nothing without its noun.
    counted = answer.kind == "number" and bool(noun)
    drops = min(len(noun) - 1, 2) if noun and not named else 0
    form = ":named" if named else ":number" if counted else ":drops" if drops else ""
    yield AnswerPhrase((text,), f"alone{form}", drops + counted)
    head = _head_length(noun)
    if noun[head:] and not kind:
        yield AnswerPhrase((text, *noun[head:]), "modifiers-after", 1.5)
    if noun and not named:
        yield AnswerPhrase(("the", *noun[:head], text, *noun[head:]), "noun-before", 1)
        yield AnswerPhrase((*noun, text), f"noun-before-bare{':number' * counted}", 0.5 if counted else 2.5)
        yield AnswerPhrase(("the", text, *noun), "noun-after", 2)
    owners = (place for place, word in enumerate(noun) if word.endswith(("'s", "’s", "s'")))
    owner = next((place for place in owners if noun[place].lower().strip("s'’") not in _GROUPS), None)
    if owner is not None:
        whose = noun[owner].rstrip("s").rstrip("'’")
        yield AnswerPhrase((f"{text}'s", *noun[owner + 1 :]), "owner", 0.5)
        yield AnswerPhrase(("the", *noun[:owner], whose, f"{text}'s", *noun[owner + 1 :]), "owner-named", 0.5)


def prepositional_phrases(asked: Asked, answer: AnswerForm, verb: str = "") -> Iterator[AnswerPhrase]:
    """The answer as the time, the place or the way of what a verb, in its base form, says."""
    text, noun = answer.text, asked.noun
    if asked.preposition:
        given = asked.preposition
        if answer.words[:1] == [given] or SUBORDINATORS.intersection(answer.words[:1]):
            yield AnswerPhrase((text,), "given:bare", 0)
        generic = not noun or (asked.head in TIME_NOUNS | PLACE_NOUNS | {"event", "occasion"} and len(noun) < 3)
        named = asked.is_named_in(answer)
        yield AnswerPhrase((given, text), f"given:{'generic' if generic else 'drops'}", 0 if generic else 1.5 - named)
        head = _head_length(noun)
        if noun[head:]:
            yield AnswerPhrase((given, text, *noun[head:]), "given:modifiers", 1 - named)
        if noun and not named:
            if asked.head in TIME_NOUNS | PLACE_NOUNS:
                yield AnswerPhrase((given, "the", *noun[:head], "of", text, *noun[head:]), "given:noun-of", 1)
            yield AnswerPhrase((given, "the", *noun[:head], text, *noun[head:]), "given:noun-before", 1)
            yield AnswerPhrase((given, "the", text, *noun), "given:noun-after", 1)
        return
    if noun:
        yield from _with_noun(asked, answer)
        return
    if asked.word == "when":
        options = answer.time_prepositions()
    elif asked.word == "where":
        options = ("to", "in", "at", "on", "") if verb in _MOVING else answer.place_prepositions()
        options = ("at", "in") if verb == "attend" else options
        options = ("",) if answer.has_preposition else options
    elif asked.word == "why":
        options = answer.reasons()
    elif asked.word == "how":
        options = ("", "by") if asked.degree else answer.ways(verb)
    else:
        options = ("in", "", "at", "on")
    for place, option in enumerate(options):
        form = answer.kind if asked.word == "when" else "own" if answer.has_preposition else ""
        if asked.word == "where" and not answer.has_preposition:
            form = "moving" if verb in _MOVING else "attending" if verb == "attend" else form
        name = f"{form and form + ':'}{option or 'bare'}"
        if asked.word == "why" or (asked.word == "how" and not asked.degree):
            name = "other" if place else "usual"
        yield AnswerPhrase((option, text), f"{asked.word}:{name}", place)


def _with_noun(asked: Asked, answer: AnswerForm) -> Iterator[AnswerPhrase]:
    text, noun, head = answer.text, asked.noun, asked.head
    length = _head_length(noun)
    usual = _BEFORE_NOUNS.get(singular(head), "in")
    if singular(head) in TIME_NOUNS and answer.kind in ("date", "day", "year", "month"):
        usual = answer.time_prepositions()[0]
    named = asked.is_named_in(answer)
    options = [usual, *(each for each in ("in", "on", "at") if each != usual)]
    if answer.has_preposition:
        yield AnswerPhrase((text,), "noun:own", 0)
    for place, option in enumerate(options):
        name = "usual" if place == 0 else "other"
        drops = "" if len(noun) < 2 else ":drops"
        # "in 79" says nothing without its noun, "in 1979" does.
        short = ":number" if answer.kind == "number" else ""
        yield AnswerPhrase(
            (option, text), f"noun:{name}{drops}{short}", place * 2 + min(len(noun) - 1, 2) + 2 * bool(short)
        )
        if not named:
            yield AnswerPhrase((option, *noun, text), f"noun:{name}:before", place * 2 + 1)
            yield AnswerPhrase(
                (option, "the", *noun[:length], "of", text, *noun[length:]), f"noun:{name}:of", place * 2 + 1
            )
            yield AnswerPhrase((option, "the", *noun[:length], text, *noun[length:]), f"noun:{name}:the", place * 2 + 1)
            yield AnswerPhrase((option, text, *noun), f"noun:{name}:after", place * 2 + 1.5)
        if noun[length:]:
            yield AnswerPhrase((option, text, *noun[length:]), f"noun:{name}:modifiers", place * 2 + 1 - named)
            if not named:
                swapped = (*noun[length + 1 :], *noun[:length])
                yield AnswerPhrase((option, *swapped, text), f"noun:{name}:swapped", place * 2 + 2)


def _possessives(asked: Asked, answer: AnswerForm) -> Iterator[AnswerPhrase]:
    text, noun = answer.text, asked.noun
    own = bool(noun) and noun[0].lower() in answer.words
    if own:
        yield AnswerPhrase((text, *noun[1:]), "whose:named", 0)
    yield AnswerPhrase((f"{text}'" if text.endswith("s") else f"{text}'s", *noun), "whose:'s", 2 if own else 0)
    yield AnswerPhrase((text, *noun), "whose:beside", 1)
    yield AnswerPhrase((text,), "whose:alone", 2)


def _counts(asked: Asked, answer: AnswerForm) -> Iterator[AnswerPhrase]:
    text, noun = answer.text, asked.noun
    if not noun:
        yield AnswerPhrase((text,), "count:alone", 0)
        return
    ending = answer.words[-1] if answer.words else ""
    first = noun[0].strip(",").lower()
    if stem(ending) == stem(first):
        yield AnswerPhrase((text, *noun[1:]), "count:named", 0)
    elif any(stem(word) == stem(asked.head) for word in answer.words):
        yield AnswerPhrase((text, *noun[_head_length(noun) :]), "count:named", 0)
    bare = answer.kind == "number" or len(answer.words) == 1
    if answer.is_one:
        for counted in _singular_nouns(noun):
            yield AnswerPhrase((text, *counted), "count:one", 0)
    form = "bare" if bare else "unit"
    yield AnswerPhrase((text, *noun), f"count:noun:{form}", 1.5 if answer.is_one else 0 if bare else 1)
    if asked.degree == "much" or not bare:
        yield AnswerPhrase((text, "of", *noun), f"count:of:{form}", 0.5)
    yield AnswerPhrase((text,), "count:alone", 1)


def _degrees(asked: Asked, answer: AnswerForm) -> Iterator[AnswerPhrase]:
    text, noun = answer.text, asked.noun
    named = asked.degree in answer.words or "age" in answer.words
    if not named and asked.degree in UNITS:
        unit = UNITS[asked.degree]
        if asked.degree == "old" and any(word.startswith(("year", "month", "week", "day")) for word in answer.words):
            unit = "old"
        yield AnswerPhrase((text, unit, *noun), f"degree:{asked.degree}:unit", 1)
    yield AnswerPhrase((text, *noun), f"degree:{asked.degree}:bare", 0)
    if noun:
        yield AnswerPhrase((text,), f"degree:{asked.degree}:alone", 1.5)
    if asked.degree == "long":
        yield AnswerPhrase(("for", text), "degree:long:for", 1)


def _singular_nouns(noun: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A noun phrase in the singular: its last word, or the one before its first preposition."""
    for place in dict.fromkeys((len(noun) - 1, _head_length(noun) - 1)):
        if is_plural_noun(noun[place].lower()):
            yield (*noun[:place], singular(noun[place].lower()), *noun[place + 1 :])


def _head_length(noun: Sequence[str]) -> int:
    """How many words of a noun phrase come before its first preposition."""
    return next(
        (place for place, word in enumerate(noun) if place and word.strip(",").lower() in PREPOSITIONS), len(noun)
    )
