"""Sentences become questions by rule: what a ranker learns from, since the sentence says which reading is right.

A question is asked for the subject, an object, a time, a place or a count of a sentence, and roughened as people type
who search: in lower case, without articles, without a question mark.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veritab.build.inflection import FINITE, inflect, is_plural_noun, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import plain
from veritab.build.questions.enumeration import list_readings
from veritab.build.questions.normal_form import normal_form
from veritab.build.questions.reading import QuestionReading
from veritab.build.questions.verbness import verbness
from veritab.lexicon.grammar import ADVERBS, ARTICLES, BE, HAVE, MODALS, PERSONAL_PRONOUNS, PREPOSITIONS

_BRACKETS = re.compile(r" ?\([^()]*\)| ?\[[^\[\]]*\]")
_CLAUSE_END = re.compile(
    r"(?:, (?:and|but|which|who|where|while|with|including|making|having)\b"
    r"| and (?:is|was|are|were|has|had|\w+ed)\b|;| – |: ).*"
)
_LEAST, _MOST = 4, 24
_PERSON = re.compile(
    r"\b(?:born|actor|actress|singer|player|footballer|politician|writer|musician|artist|rapper|director)\b"
)
_KIND = re.compile(
    r"\b(?:is|was) an? (?:[\w\-]+ ){0,4}?(film|song|album|novel|book|city|town|village|country|band|company|team|club|"
    r"river|mountain|university|magazine|series|game|actor|actress|singer|player|footballer|politician|writer|species)\b"
)
_NUMBER = re.compile(r"^(?:\d{1,3}(?:,\d{3})*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$")
_PLACE_VERBS = frozenset(
    "born held located filmed based situated raised buried founded shot recorded live lived".split()
)


class BackwardQuestion(NamedTuple):
    """A question made of a sentence, its answer, and every reading of the two with whether it is the right one."""

    question: str
    answer: str
    rule: str
    readings: tuple[QuestionReading, ...]
    right: tuple[bool, ...]


class _Sentence(NamedTuple):
    subject: list[str]
    verb: str
    rest: list[str]
    person: bool
    kind: str


class _Asked(NamedTuple):
    question: list[str]
    answer: str
    claims: tuple[str, ...]
    rule: str


def ask_of_page(title: str, sentences: Sequence[str], rng: random.Random) -> Iterator[BackwardQuestion]:
    """Questions about the sentences of a page that begin with its name or a pronoun: one or two of each sentence."""
    opening = sentences[0] if sentences else ""
    kind = _KIND.search(opening)
    for sentence in sentences:
        parsed = _parse(title, sentence, bool(_PERSON.search(opening)), kind[1] if kind else "")
        if parsed is not None and rng.random() < 0.5 and len(parsed.rest) > 14:
            continue  # people ask shorter questions than encyclopedias write sentences
        if parsed is None:
            continue
        asked = list(_ask(parsed, rng))
        # Most sentences say who did something; times, places and objects are asked for as often by people.
        asked.sort(key=lambda each: rng.random() + (each.rule == "subject") * 0.6)
        made = 0
        for each in asked:
            found = _enumerate(each, rng)
            if found is not None:
                yield found
                made += 1
            if made == 2:
                break


def _parse(title: str, sentence: str, person: bool, kind: str) -> _Sentence | None:
    """A sentence cut into its subject, which the page is about, its verb and the rest."""
    name = _BRACKETS.sub("", title).strip()
    text = _CLAUSE_END.sub("", _BRACKETS.sub("", sentence).rstrip(" ."))
    words = text.split()
    if not _LEAST <= len(words) <= _MOST or '"' in text or "``" in text:
        return None
    if plain(words[0]) in PERSONAL_PRONOUNS:
        words = [*name.split(), *words[1:]]
        size = len(name.split())
    elif text.startswith(name):
        size = len(name.split())
    elif text.startswith(f"The {name}"):
        size = len(name.split()) + 1
    else:
        size, person, kind = _find_verb(words), False, ""
    if not 0 < size < len(words) - 1:
        return None
    verb = size + (words[size] in ADVERBS)
    if verb >= len(words) - 1 or not words[verb].islower():
        return None
    if not (words[verb] in BE or words[verb] in HAVE or verb_tags(words[verb]) & FINITE) or words[verb] in MODALS:
        return None
    return _Sentence(words[:verb], words[verb], words[verb + 1 :], person, kind)


def _find_verb(words: Sequence[str]) -> int:
    """The first word in lower case that is surely a finite verb; 0 where there is none."""
    if words[0] not in ("The", "A", "An", "Its", "His", "Her"):
        return 0
    for place, word in enumerate(words[1:10], 1):
        if word in BE or ("VBD" in verb_tags(word) and verbness(word) > 0 and words[place - 1] not in ARTICLES):
            return place
    return 0


# -- what is asked -----------------------------------------------------------------------------------------


def _ask(sentence: _Sentence, rng: random.Random) -> Iterator[_Asked]:
    whole = " ".join([*sentence.subject, sentence.verb, *sentence.rest])
    yield from _ask_subject(sentence, whole, rng)
    yield from _ask_time(sentence, whole, rng)
    yield from _ask_place(sentence, whole)
    yield from _ask_object(sentence, whole)
    yield from _ask_count(sentence, whole)


def _ask_subject(sentence: _Sentence, whole: str, rng: random.Random) -> Iterator[_Asked]:
    subject, verb, rest = sentence.subject, sentence.verb, sentence.rest
    if subject[-1] in ADVERBS or subject[0] in ("Its", "His", "Her") or not rest:
        return
    answer, tail = " ".join(subject), [verb, *rest]
    word = "who" if sentence.person else "what"
    claims = [whole]
    definite = verb in BE and rest[0] == "the"
    if definite:
        claims.append(" ".join([*rest, verb, *subject]))
        yield _Asked(rest[1:], answer, tuple(claims), "elliptical")
    elif verb in BE and rest[0] in ("a", "an"):
        return  # "who is an American actor": many are
    yield _Asked([word, *tail], answer, tuple(claims), "subject")
    if sentence.kind and not definite:
        noun = sentence.kind
        relatives = ("who", "that") if sentence.person else ("that", "which")
        clefts = [f"{answer} {be} the {noun} {each} {' '.join(tail)}" for each in relatives for be in ("is", "was")]
        yield _Asked([rng.choice(("which", "what")), noun, *tail], answer, (whole, *clefts), "noun")
    place, size = _time(rest)
    if size and place + size == len(rest) and place > 1:
        adjunct = rest[place:]
        lowered = [adjunct[0].lower(), *adjunct[1:-1], f"{adjunct[-1]},"]
        front = " ".join([*adjunct, *subject, verb, *rest[:place]])
        yield _Asked([*lowered, word, verb, *rest[:place]], answer, (whole, front), "adjunct")


def _ask_time(sentence: _Sentence, whole: str, rng: random.Random) -> Iterator[_Asked]:
    place, size = _time(sentence.rest)
    if not size:
        return
    rest = sentence.rest
    answer = " ".join(rest[place + 1 : place + size]).strip(",")
    remaining = [*rest[:place], *rest[place + size :]]
    moved = " ".join([*sentence.subject, sentence.verb, *remaining, rest[place], answer])
    if not remaining and sentence.verb in BE:
        return
    claims = (whole, moved)
    for inverted in _invert(sentence, remaining):
        yield _Asked(["when", *inverted], answer, claims, "time")
        if AnswerForm(answer).kind == "year":
            front = rng.choice((["what", "year"], ["in", "what", "year"], ["which", "year"]))
            yield _Asked([*front, *inverted], answer, claims, "time")
    if rng.random() < 0.3 and not rest[place + size :]:
        words = [*sentence.subject, sentence.verb, *rest[: place + 1], "what", "year"]
        yield _Asked(words, answer, (whole,), "in place")


def _ask_place(sentence: _Sentence, whole: str) -> Iterator[_Asked]:
    rest = sentence.rest
    placed = sentence.verb in _PLACE_VERBS or any(plain(word) in _PLACE_VERBS for word in rest[:2])
    for place, word in enumerate(rest):
        if word not in ("in", "at", "near", "on") or not placed or place + 1 >= len(rest):
            continue
        end = place + 1
        while end < len(rest) and (rest[end][:1].isupper() or (rest[end] in ("the", "of") and end + 1 < len(rest))):
            end += 1
        name = " ".join(rest[place + 1 : end]).strip(",")
        if not name[:1].isupper() or AnswerForm(name).kind != "name":
            continue
        remaining = [*rest[:place], *rest[end:]]
        moved = " ".join([*sentence.subject, sentence.verb, *remaining, word, name])
        for inverted in _invert(sentence, remaining):
            yield _Asked(["where", *inverted], name, (whole, moved), "place")
        return


def _ask_object(sentence: _Sentence, whole: str) -> Iterator[_Asked]:
    """What stands right after the verb, or after the preposition that follows it."""
    rest, verb = sentence.rest, sentence.verb
    if verb in BE and (len(rest) < 3 or "VBN" not in verb_tags(plain(rest[0]))):
        return
    start = 1 if verb in BE else 0
    if start < len(rest) and rest[start] in PREPOSITIONS:
        start += 1
    elif verb in BE:
        return
    end = start
    while end < len(rest) and plain(rest[end]) not in PREPOSITIONS and rest[end] not in ("and", "as", "to", "that"):
        end += 1
    name = " ".join(rest[start:end]).strip(",")
    if (
        not 0 < end - start <= 5
        or not any(word[:1].isupper() for word in rest[start:end])
        or name.split()[0] in ADVERBS
    ):
        return
    if AnswerForm(name).kind != "name":
        return
    remaining = [*rest[:start], *rest[end:]]
    person = end - start == 2 and all(word[:1].isupper() for word in rest[start:end])
    for inverted in _invert(sentence, remaining):
        yield _Asked(["who" if person else "what", *inverted], name, (whole,), "object")


def _ask_count(sentence: _Sentence, whole: str) -> Iterator[_Asked]:
    rest = sentence.rest
    for place, word in enumerate(rest[:-1]):
        if not _NUMBER.match(word.lower()):
            continue
        end = place + 1
        while end < len(rest) and end - place < 4 and not is_plural_noun(plain(rest[end])):
            end += 1
        if end >= len(rest) or end - place >= 4 or place > 1:
            return
        noun = rest[place + 1 : end + 1]
        for inverted in _invert(sentence, [*rest[:place], *rest[end + 1 :]]):
            yield _Asked(["how", "many", *(plain(each) for each in noun), *inverted], word, (whole,), "count")
        return


def _invert(sentence: _Sentence, rest: Sequence[str]) -> Iterator[list[str]]:
    """The sentence with its auxiliary in front: "was X founded", "did X win"."""
    verb = sentence.verb
    if verb in BE or (verb in HAVE and rest and "VBN" in verb_tags(plain(rest[0]))):
        yield [verb, *sentence.subject, *rest]
    else:
        tags = verb_tags(verb)
        auxiliary = "did" if "VBD" in tags else "does" if "VBZ" in tags else "do"
        yield [auxiliary, *sentence.subject, inflect(verb, "VB"), *rest]


_MONTHS = frozenset("january february march april may june july august september october november december".split())


def _time(words: Sequence[str]) -> tuple[int, int]:
    """Where a time with its preposition begins, and how many words it has; 0 words where there is none."""
    for place, word in enumerate(words):
        if word not in ("in", "on", "during"):
            continue
        end = place + 1
        while end < len(words) and (
            plain(words[end]) in _MONTHS or re.fullmatch(r"(?:\d{1,2}|1\d{3}s?|20\d{2}s?),?", words[end])
        ):
            end += 1
        said = " ".join(words[place + 1 : end])
        if end > place + 1 and re.search(r"\d{4}|\d [A-Z]|[a-z] \d", said):
            return place, end - place
    return 0, 0


# -- as people type ----------------------------------------------------------------------------------------


def _enumerate(asked: _Asked, rng: random.Random) -> BackwardQuestion | None:
    """The question roughened, with its readings; none where no reading is the sentence, or where all are."""
    words = [word.strip(",") if word.endswith(",") and rng.random() < 0.5 else word for word in asked.question]
    answer = asked.answer
    if rng.random() < 0.4:
        kept = [word for word in words if word.lower() not in ARTICLES or rng.random() < 0.5]
        words = kept if len(kept) > 2 else words
    question = " ".join(words)
    if rng.random() < 0.75:
        question = question.lower()
        answer = answer.lower() if rng.random() < 0.5 else answer
    if rng.random() < 0.6:
        question += "?"
    elif rng.random() < 0.2:
        question = question.replace("'", "")
    claims = frozenset(map(normal_form, asked.claims))
    readings = list_readings(question, answer)
    right = tuple(normal_form(each.text) in claims for each in readings)
    if not any(right) or all(right):
        return None
    return BackwardQuestion(question, answer, asked.rule, readings, right)
