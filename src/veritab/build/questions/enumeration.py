"""The readings of a question and its answer, listed by rule: every claim they may mean, the usual ones first.

A question is cut where its form allows it: before the verb that a fronted auxiliary belongs to, before the noun that a
question word takes, before an adjunct. Each cut, each place of the answer, each preposition and each tense is one more
reading, and a ranker chooses. What the rules disagree on is listed twice rather than decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from veritab.build.inflection import BASE, is_plural_noun, may_be_modifier, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import Cut, cut_before_predicate, cut_before_verb, head_of, plain
from veritab.build.questions.fronted import read_fronted
from veritab.build.questions.reading import QuestionReading, ReadingDraft, choose, joined
from veritab.build.questions.unfronted import (
    drop_alternatives,
    find_fronted_adjunct,
    is_dated,
    is_yes_no,
    may_be_relative,
    read_elliptical,
    read_in_place,
    read_yes_no,
    says_yes_or_no,
)
from veritab.build.questions.verb_forms import is_auxiliary
from veritab.lexicon.grammar import DETERMINERS, PREPOSITIONS, QUESTION_WORDS
from veritab.text import squeeze

MOST_READINGS = 200
REQUESTS = frozenset("name list give tell state identify".split())
_CONTRACTED = re.compile(r"^(?:(?=\w+['’]|\w+s$)(who|what|where|when|how|which)['’]?(s|re|d))$", re.I)
_CONTRACTIONS = {"s": "is", "re": "are", "d": "did"}
_NUMBERED = re.compile(rf"^\s*\d{{1,2}}[.)]\s+(?=(?:{'|'.join(sorted(QUESTION_WORDS))})\b)", re.I)
"""The number of a question in a list: "1. what was ..."."""
_TAIL = re.compile(r"[\s?!.]+$")


def list_readings(question: str, answer: str, most: int = MOST_READINGS) -> tuple[QuestionReading, ...]:
    """The claims that a question with its answer may mean: at most so many, always the same ones in the same order."""
    words = split_question(question)
    if not words or not answer:
        return ()
    form = AnswerForm(squeeze(answer))
    return choose(_list_drafts(form, words), "" if says_yes_or_no(form, words) else form.text, most)


def split_question(question: str) -> list[str]:
    """The words of a question: contractions of question words apart, the question mark gone."""
    found: list[str] = []
    words = _TAIL.sub("", squeeze(_NUMBERED.sub("", question))).split(" ")
    for place, word in enumerate(words):
        if found and word in (",", ";", ":"):
            found[-1] += word
            continue
        contracted = _CONTRACTED.match(word) if not found or found[-1].endswith(",") else None
        if contracted and contracted[2].lower() == "s" and _is_perfect(words[place + 1 :]):
            found.extend((contracted[1], "has"))
        else:
            found.extend((contracted[1], _CONTRACTIONS[contracted[2].lower()]) if contracted else (word,))
    return [word for word in found if word]


def _is_perfect(words: Sequence[str]) -> bool:
    """Whether "'s" before these words is "has": a participle with its object follows, or "been"."""
    first, second = (*map(plain, words[:2]), "", "")[:2]
    return first in ("been", "got") or ("VBN" in verb_tags(first) and second in DETERMINERS)


def _fronted_clause(words: Sequence[str], lower: Sequence[str]) -> int:
    """How many words a clause before a comma and the question itself has: "when it was 2017, what year was it"."""
    if lower[0] not in ("when", "if", "after", "before", "although", "while", "as"):
        return 0
    ends = (place + 1 for place, word in enumerate(words[:-2]) if word.endswith(",") and place > 1)
    return next((end for end in ends if lower[end] in QUESTION_WORDS - {"which", "where"}), 0)


def _list_drafts(answer: AnswerForm, words: list[str]) -> Iterator[ReadingDraft]:
    yield from _read_whole(answer, words)
    for shorter, chosen, unlike in drop_alternatives(answer, words):
        for draft in _read_whole(AnswerForm("yes"), shorter) if chosen else _read_whole(answer, shorter):
            yield draft.add(unlike - 1, ("alternatives-removed", 1.0))
    if answer.is_predicate:
        yield from _read_predicated(answer, words)


def _read_whole(answer: AnswerForm, words: list[str]) -> Iterator[ReadingDraft]:
    lower = [plain(word) for word in words]
    first = lower[0]
    clause = _fronted_clause(words, lower)
    if clause:
        for draft in _read_whole(answer, words[clause:]):
            yield from _add_adjunct(words[:clause], draft)
    elif first in QUESTION_WORDS and len(words) > 1:
        yield from read_fronted(answer, words, 0, "")
    elif len(words) > 2 and first in PREPOSITIONS and lower[1] in QUESTION_WORDS - {"when", "where"}:
        yield from read_fronted(answer, words, 1, lower[0])
    elif is_auxiliary(first) and len(words) > 2 and (is_yes_no(words) or says_yes_or_no(answer, words)):
        yield from read_yes_no(answer, words)
    else:
        yield from _read_elsewhere(answer, words, lower)


def _read_elsewhere(answer: AnswerForm, words: list[str], lower: list[str]) -> Iterator[ReadingDraft]:
    if lower[0] in REQUESTS and len(words) > 3 and lower[1] not in PREPOSITIONS:
        start = 2 if lower[1] == "me" else 1
        yield from read_elliptical(answer, words[start:], lower[start:], False)
        return
    asked = [place for place, word in enumerate(lower) if word in QUESTION_WORDS and place]
    if len(lower) > 3 and lower[-2] == "this" and not asked:
        # As quizzes ask: "the trail ended in this state".
        yield from read_in_place(answer, [*words[:-2], "what", words[-1]], len(words) - 2)
    adjunct = find_fronted_adjunct(words)
    if adjunct:
        for draft in read_yes_no(answer, words[adjunct:]):
            yield from _add_adjunct(words[:adjunct], draft)
    for place in asked[:2]:
        start = place - (lower[place - 1] in PREPOSITIONS and place > 1 and len(words) > place + 2)
        comma = words[start - 1].endswith(",")
        opens = lower[0] in PREPOSITIONS or comma
        preposition = lower[start] if start < place else ""
        if start == place and not opens and place + 2 < len(words) and is_auxiliary(lower[place + 1]):
            yield from _read_after_topic(answer, words, lower, place)
        if start and place + 1 < len(words) and opens:
            for draft in read_fronted(answer, words[start:], place - start, preposition):
                yield from _add_adjunct(words[:start], draft.add(0 if comma else 1))
    for place in asked:
        yield from read_in_place(answer, words, place)
    end = next((place + 1 for place, word in enumerate(words[:-1]) if word.endswith(",")), 0)
    if end and lower[0] in PREPOSITIONS and not asked and not adjunct:
        for draft in read_elliptical(answer, words[end:], lower[end:], False, dated=is_dated(lower)):
            yield from _add_adjunct(words[:end], draft)
    # "actress who plays X" is a phrase about the answer, "X plays who" a question.
    relative = bool(asked) and len(asked) == 1 and may_be_relative(lower, asked[0])
    yield from read_elliptical(answer, words, lower, (bool(asked) and not relative) or adjunct > 0)


def _read_after_topic(answer: AnswerForm, words: list[str], lower: list[str], place: int) -> Iterator[ReadingDraft]:
    """A question after the title that it is about: "better call saul when will jimmy become saul"."""
    if not may_be_relative(lower, place):
        topic = (*words[: place - 1], f"{words[place - 1].rstrip(':;-')}:")
        for draft in read_fronted(answer, words[place:], 0, ""):
            yield ReadingDraft(joined(topic, draft.words), draft.cost + 1, (*draft.features, ("topic", 1.0)))


def _add_adjunct(adjunct: Sequence[str], draft: ReadingDraft) -> Iterator[ReadingDraft]:
    """An adjunct from the front of a question: at the front of the claim too, or at its end."""
    head = [*adjunct[:-1], adjunct[-1].rstrip(",")]
    low = [head[0].lower() if head[0].lower() in PREPOSITIONS else head[0], *head[1:]]
    yield ReadingDraft(joined(adjunct, draft.words), draft.cost, (*draft.features, ("adjunct:front", 1.0)))
    yield ReadingDraft(joined(draft.words, low), draft.cost + 0.5, (*draft.features, ("adjunct:end", 1.0)))


def _read_predicated(answer: AnswerForm, words: list[str]) -> Iterator[ReadingDraft]:
    """An answer that is a participle is said of the object, or of the subject of a yes/no question."""
    lower = [plain(word) for word in words]
    start = next((place for place, word in enumerate(lower) if word in QUESTION_WORDS), -1)
    subjects: list[tuple[str, ...]] = []
    if start >= 0 and start + 2 < len(words):
        if lower[start + 1 : start + 3] == ["happened", "to"]:
            yield from _read_happened(answer, words[start + 3 :])
            return
        subjects = [tuple(words[start + 2 :])]
    elif is_auxiliary(lower[0]):
        subjects = [cut.subject for cut in cut_before_verb(words[1:], BASE)[:3]]
        short = (each[:-1] for each in subjects if len(each) > 1 and may_be_modifier(plain(each[-1])))
        subjects = [*short, *subjects]
    for rank, subject in enumerate(subjects):
        many = is_plural_noun(plain(head_of(subject)))
        for draft in (
            ReadingDraft((*words[: max(start, 0)], *subject, be, answer.text), rank - 2, ())
            for be in _be_by_number(many)
        ):
            yield draft.add(0, ("predicated", 1.0), (f"predicated:{rank}", 1.0))


def _read_happened(answer: AnswerForm, words: Sequence[str]) -> Iterator[ReadingDraft]:
    """ "What happened to X in Y": "X was ANSWER in Y"."""
    for cut in (*cut_before_predicate(words, 1), Cut(tuple(words), "", (), -1.0)):
        be = "were" if is_plural_noun(plain(head_of(cut.subject))) else "was"
        said = joined(cut.subject, be, answer.text, cut.verb, cut.rest)
        yield ReadingDraft(said, -4 - cut.log, (("predicated", 1.0),))


def _be_by_number(many: bool) -> tuple[str, ...]:
    return ("are", "were") if many else ("is", "was")
