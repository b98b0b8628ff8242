"""A form of "be" after the question word: the answer is what it is, or when and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veritab.build.inflection import BASE, is_plural_noun, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import (
    SUBJECT_PRONOUNS,
    Cut,
    cut_before_predicate,
    cut_before_verb,
    head_of,
    plain,
    take_adverb,
)
from veritab.build.questions.phrases import UNITS, AnswerPhrase, Asked, core_phrases, prepositional_phrases
from veritab.build.questions.placing import place_answer
from veritab.build.questions.reading import ReadingDraft, joined
from veritab.build.questions.subjects import has_predicate, read_subject
from veritab.build.questions.verb_forms import DO, agreeing_forms, be_forms, carry_tense
from veritab.lexicon.grammar import ARTICLES, PREPOSITIONS, QUESTION_WORDS, SUBORDINATORS


def read_copula(answer: AnswerForm, asked: Asked, verb: str, tail: list[str]) -> Iterator[ReadingDraft]:
    """A form of "be": the answer is its subject, its complement, or the time or place of a predicate."""
    lower = [plain(word) for word in tail]
    kind = asked.kind
    if lower[:1] == ["there"]:
        yield from _read_existential(answer, asked, verb, tail[1:])
        return
    if asked.word == "how" and asked.degree in ("many", "much") and tail:
        for be in be_forms(answer, verb, True):
            for phrase in core_phrases(asked, answer):
                named = (f"phrase:{kind}:{phrase.name}", 1.0)
                yield ReadingDraft(
                    joined("there", be.words, phrase.words, tail), 4 + be.cost + phrase.cost,
                    (*be.features, named, ("copula:there", 1.0)),
                )  # fmt: skip
    if not asked.preposition:
        alone = verb in ("are", "were") and lower[:1] == ["the"] and answer.is_single and is_plural_noun(head_of(lower))
        for draft in read_subject(answer, asked, verb, tail):
            yield draft.add(2.0 * alone, ("subject:one-of-several", float(alone)))
        if alone:
            for tense, singular in enumerate(("is", "was") if verb == "are" else ("was",)):
                said = joined(answer.text, singular, "one of", tail)
                yield ReadingDraft(said, float(tense), (("one-of", 1.0),))
    if verb in ("is", "are") and lower and "VBN" in verb_tags(lower[0]) and asked.kind in ("who", "noun", "what"):
        for form in agreeing_forms(answer, "has" if verb == "is" else "have"):
            for draft in _read_subject_alone(answer, asked, form, tail):
                yield draft.add(2, ("subject:has-for-is", 1.0))
    for repaired in _repair_tail(tail, lower):
        for draft in _read_complement(answer, asked, verb, repaired):
            yield draft.add(1, ("repaired", 1.0))
        for be in be_forms(answer, verb, True):
            yield ReadingDraft(joined(answer.text, be.words, repaired), 2, (*be.features, ("repaired", 1.0)))
    yield from _read_complement(answer, asked, verb, tail)
    for found in cut_before_predicate(tail):
        cut, adverb = take_adverb(found) if predicate_kind(found.verb) == "participle" else (found, ())
        for form in be_forms(answer, verb, False):
            be = form._replace(words=joined(form.words, adverb))
            if plain(cut.verb) not in SUBORDINATORS and not (asked.degree and predicate_kind(cut.verb) == "other"):
                yield from place_answer(
                    answer, asked, cut, joined(be.words, cut.verb), be, f"be:{predicate_kind(cut.verb)}"
                )
            if cut.log > -2.5:
                yield from _read_before_predicate(answer, asked, cut, be)
                yield from _read_extraposed(answer, asked, cut, be)
                yield from _write_wh_cleft(answer, asked, cut, be)


def _read_subject_alone(
    answer: AnswerForm, asked: Asked, form: ReadingDraft, tail: Sequence[str]
) -> Iterator[ReadingDraft]:
    for phrase in list(core_phrases(asked, answer))[:2]:
        yield ReadingDraft(joined(phrase.words, form.words, tail), form.cost + phrase.cost, form.features)


def _repair_tail(tail: Sequence[str], lower: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A tail with an auxiliary of its own put right: "the date did X make it" is "the date X made it"."""
    place = next((place for place, word in enumerate(lower) if place and word in DO), None)
    if place is not None:
        for cut in cut_before_verb(tail[place + 1 :], BASE, 2):
            for form in carry_tense(lower[place], cut):
                yield joined(tail[:place], cut.subject, form.words, cut.rest)


def _read_complement(answer: AnswerForm, asked: Asked, verb: str, tail: Sequence[str]) -> Iterator[ReadingDraft]:
    """The rest is the subject, and the answer what it is: "the population of X is ANSWER"."""
    lower = [plain(word) for word in tail]
    kind = asked.kind
    if lower[:1] and lower[0] in SUBJECT_PRONOUNS and "VBN" in verb_tags((*lower, "")[1]):
        return  # "it called when ..." names nothing: "called" belongs to the verb in front
    if asked.degree == "far" and "from" in lower:
        yield from _read_distance(answer, verb, tail, lower)
        return
    if not asked.preposition and not (asked.degree == "many" and asked.noun):
        phrases = list(core_phrases(asked, answer))
        if asked.is_adverbial:
            phrases = [AnswerPhrase((answer.text,), "alone", 0), *prepositional_phrases(asked, answer)]
        predicate = float(has_predicate(lower))
        clause = float(bool(asked.degree) and any(word in ("when", "if", "after") for word in lower))
        value = "value" if answer.kind != "name" else "name"
        for be in be_forms(answer, verb, False):
            for phrase in phrases:
                features = (
                    (f"complement:{kind}:{value}", 1.0),
                    ("complement:time", float(any(word in ("time", "date", "day") for word in lower[:4]))),
                    ("complement:predicate", predicate),
                    ("complement:clause", clause),
                    (f"phrase:{kind}:{phrase.name}", 1.0),
                )
                yield ReadingDraft(
                    joined(tail, be.words, phrase.words),
                    1 + be.cost + phrase.cost + 2 * clause + 2 * predicate + (bool(asked.noun) and value == "name"),
                    (*features, *be.features),
                )
        unit = lower[-1] if len(lower) > 3 and lower[-2] == "in" and is_plural_noun(lower[-1]) else ""
        if unit and asked.degree and answer.kind == "number":
            for be in be_forms(answer, verb, False):
                for end in ((asked.degree,), ()) if asked.degree in UNITS else ((),):
                    words = joined(tail[:-2], be.words, answer.text, unit, end)
                    yield ReadingDraft(
                        words, be.cost + (not end), (*be.features, ("unit", 1.0), ("unit:alone", float(not end)))
                    )


def _read_distance(answer: AnswerForm, verb: str, tail: Sequence[str], lower: list[str]) -> Iterator[ReadingDraft]:
    """ "X is 30 miles from Y": the unit that the question names goes with the number."""
    if lower[-2:-1] == ["in"] and answer.kind == "number":
        start = lower.index("from")
        for be in be_forms(answer, verb, False):
            words = joined(tail[:start], be.words, answer.text, tail[-1], tail[start:-2])
            yield ReadingDraft(words, be.cost, (*be.features, ("unit", 1.0)))


def _write_wh_cleft(answer: AnswerForm, asked: Asked, cut: Cut, be: ReadingDraft) -> Iterator[ReadingDraft]:
    """ "ANSWER is where it was filmed", "ANSWER is what it is called"."""
    if asked.word in ("what", "where", "when", "who") and not asked.noun:
        for copula in ("is", "was") if be.words[0] in ("was", "were") else ("is",):
            clause = joined(cut.subject, be.words, cut.verb, cut.rest)
            features = (("wh-cleft", 1.0), (f"wh-cleft:{asked.word}", 1.0), ("cut", cut.log), *be.features)
            yield ReadingDraft(joined(answer.text, copula, asked.word, clause), 3 + be.cost - cut.log, features)
            if plain(cut.subject[0]) in ARTICLES:
                yield ReadingDraft(
                    joined(answer.text, copula, clause),
                    4 + be.cost - cut.log,
                    (*features, ("wh-cleft:none", 1.0)),
                )


def _read_before_predicate(answer: AnswerForm, asked: Asked, cut: Cut, be: ReadingDraft) -> Iterator[ReadingDraft]:
    """The answer between "be" and the rest: "X was six days old when ..."."""
    forms = prepositional_phrases(asked, answer) if asked.is_adverbial else core_phrases(asked, answer)
    for phrase in list(forms)[:4]:
        if asked.degree == "many" and plain(cut.verb) in PREPOSITIONS:
            continue
        if predicate_kind(cut.verb) == "participle" and not asked.degree:
            continue
        features = (
            (f"before-predicate:{asked.kind}:{predicate_kind(cut.verb)}", 1.0),
            ("cut", cut.log),
            (f"phrase:{asked.kind}:{phrase.name}", 1.0),
            *be.features,
        )
        wanted = asked.degree == "far" and plain(cut.verb) == "from"
        cost = 1.5 + phrase.cost + be.cost - cut.log - 2 * wanted
        yield ReadingDraft(joined(cut.subject, be.words, phrase.words, cut.verb, cut.rest), cost, features)


def _read_extraposed(answer: AnswerForm, asked: Asked, cut: Cut, be: ReadingDraft) -> Iterator[ReadingDraft]:
    """A relative clause brought back to its noun: "the seat that was not for safety was made in ..."."""
    lower = [plain(word) for word in cut.rest]
    relative = next((place for place, word in enumerate(lower) if word in ("that", "where", "which", "who")), None)
    if relative is None or relative > 3 or "VBN" not in verb_tags(plain(cut.verb)):
        return
    forms = prepositional_phrases(asked, answer) if asked.is_adverbial else core_phrases(asked, answer)
    for phrase in list(forms)[:3]:
        features = (
            ("extraposed", 1.0),
            ("cut", cut.log),
            (f"phrase:{asked.kind}:{phrase.name}", 1.0),
            *be.features,
        )
        words = joined(cut.subject, cut.rest[relative:], be.words, cut.verb, cut.rest[:relative], phrase.words)
        yield ReadingDraft(words, phrase.cost + be.cost - cut.log, features)


def _read_existential(answer: AnswerForm, asked: Asked, verb: str, tail: Sequence[str]) -> Iterator[ReadingDraft]:
    """ "There are 12 seasons as of 2017", "12 seasons are there"."""
    for be in be_forms(answer, verb, True):
        for phrase in core_phrases(asked, answer):
            features = (*be.features, (f"phrase:{asked.kind}:{phrase.name}", 1.0))
            cost = be.cost + phrase.cost
            yield ReadingDraft(
                joined("there", be.words, phrase.words, tail), cost, (*features, ("existential:there", 1.0))
            )
            yield ReadingDraft(
                joined(phrase.words, be.words, "there", tail), cost + 1, (*features, ("existential:last", 1.0))
            )


def predicate_kind(verb: str) -> str:
    word = plain(verb)
    tags = verb_tags(word)
    if "VBN" in tags or "VBG" in tags:
        return "participle" if "VBN" in tags else "progressive"
    if word in PREPOSITIONS:
        return "preposition"
    return "clause" if word in QUESTION_WORDS or word in ("that", "if") else "other"
