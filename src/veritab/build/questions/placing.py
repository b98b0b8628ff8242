"""An auxiliary before its subject: the verb it belongs to takes its tense, and the answer goes somewhere after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veritab.build.inflection import FINITE, lemma_of, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import AnswerPlace, Cut, cut_before_verb, places, plain
from veritab.build.questions.phrases import (
    PLACE_NOUNS,
    TIME_NOUNS,
    AnswerPhrase,
    Asked,
    core_phrases,
    prepositional_phrases,
)
from veritab.build.questions.reading import ReadingDraft, joined
from veritab.build.questions.subjects import write_cleft
from veritab.build.questions.verb_forms import DO, carry_tense, is_auxiliary, unnegated
from veritab.build.questions.verbness import verbness
from veritab.lexicon.grammar import DETERMINERS, HAVE, PREPOSITIONS, SUBORDINATORS

_OCCASIONS = frozenset("last first next only latest the previous".split())
_ATTENDED = frozenset("school college university church prison high middle med medical law graduate grad".split())
_GOVERNING = frozenset("have need try begin start continue refuse decide agree attempt fail learn".split())
_BEFORE_TIMES = frozenset("since until from to by between before after during for around about".split())


def read_inverted(
    answer: AnswerForm, asked: Asked, auxiliary: str, tail: list[str], wanted: frozenset[str]
) -> Iterator[ReadingDraft]:
    """An auxiliary before its subject: the verb it belongs to is found, and takes its tense."""
    positive = unnegated(auxiliary)
    shape = "do" if positive in DO else "have" if positive in HAVE else "modal"
    misused = frozenset(("VBD", "VBN")) if shape == "do" else frozenset[str]()
    cuts = cut_before_verb(tail, wanted, misused=misused)
    for found in cuts:
        # "when did the US not go": the "not" belongs to the auxiliary.
        denied = shape == "do" and len(found.subject) > 1 and plain(found.subject[-1]) == "not"
        cut = found._replace(subject=found.subject[:-1]) if denied else found
        for form in carry_tense(auxiliary, cut, middle=("not",) if denied else ()):
            yield from place_answer(answer, asked, cut, form.words, form, shape)
            if asked.kind == "noun":
                yield from _write_object_cleft(answer, asked, cut, form, auxiliary)


def _write_object_cleft(
    answer: AnswerForm, asked: Asked, cut: Cut, form: ReadingDraft, auxiliary: str
) -> Iterator[ReadingDraft]:
    clause = joined(cut.subject, form.words, cut.rest)
    head = asked.head
    relatives: list[tuple[tuple[str, ...], str]] = [((), "none"), (("that",), "that")]
    if asked.preposition:
        relatives = [((asked.preposition, "which"), "which")]
    elif not cut.rest or plain(cut.rest[-1]) not in PREPOSITIONS:
        if head in PLACE_NOUNS or head in ("episode", "movie", "film", "game", "season", "book"):
            relatives += [(("where",), "where"), (("in", "which"), "which")]
        elif head in TIME_NOUNS:
            relatives += [(("when",), "when"), (("in", "which"), "which")]
    fits = "place" if head in PLACE_NOUNS else "time" if head in TIME_NOUNS else "thing"
    for place, (relative, name) in enumerate(relatives):
        for draft in write_cleft(answer, asked, relative, clause, auxiliary):
            yield draft.add(
                1 + form.cost + 0.5 * place - cut.log,
                ("cleft:object", 1.0),
                (f"cleft:object:{fits}:{name}", 1.0),
                ("cut", cut.log),
                *form.features,
            )


def place_answer(
    answer: AnswerForm, asked: Asked, cut: Cut, verb: Sequence[str], form: ReadingDraft, shape: str
) -> Iterator[ReadingDraft]:
    """The answer in every place after the verb, in every form that the place allows."""
    rest, lemma = cut.rest, lemma_of(plain(cut.verb))
    second = plain((*rest, "", "")[1])
    if plain((*rest, "")[0]) == "to" and "VB" in verb_tags(second) and second != "be" and lemma in _GOVERNING:
        # "have to serve": what is done is said by the second verb.
        verb, rest, lemma = joined(verb, rest[:2]), rest[2:], second
    governed = len(rest) < len(cut.rest)
    if lemma == "go" and plain((*rest, "")[0]) == "to" and second in _ATTENDED:
        lemma = "attend"
    if asked.preposition and rest and plain(rest[-1]) == asked.preposition:
        rest = rest[:-1]
    adverbial = asked.is_adverbial or asked.preposition or (asked.kind == "noun" and asked.is_setting)
    # "the number of goals scored is 169": a number is not what something "is scored".
    counted = asked.kind == "what" and answer.kind == "number" and shape == "be:participle"
    found = [place for place in places(rest) if not (governed and place.name == "after-be")]
    stays = asked.kind == "noun" and plain(("", *rest)[-1]) in ("in", "on", "at", "from")
    if rest and plain(rest[-1]) in PREPOSITIONS and (not adverbial or stays):
        found[0] = AnswerPlace(len(rest), "stranded-end")
    last, following = plain(verb[-1]), plain((*rest, "")[0])
    opens = last in PREPOSITIONS and (not following or following in PREPOSITIONS or following in SUBORDINATORS)
    if asked.word == "when":
        opens = opens and last in _BEFORE_TIMES
        found = [
            AnswerPlace(place.gap, "end") if _is_particle(place, rest) and place.gap == len(rest) else place
            for place in found
            if not _is_particle(place, rest) or place.gap == len(rest)
        ]
    if last in PREPOSITIONS and not opens:
        found = [place for place in found if place.gap or not rest]
    stranded = any(place.name.startswith("stranded") for place in found) or opens
    # "was won a cup" is no passive, and "the last time X won" no subject with its verb: the verb is another's.
    object_follows = "VBN" in verb_tags(last) and len(verb) > 1 and following in DETERMINERS
    object_follows |= shape.startswith("be:") and (_names_occasion(cut.subject) or _ends_in_relative(cut.subject))
    for rank, place in enumerate(found):
        open_end = place.name.startswith("stranded") or (place.gap == 0 and opens)
        if open_end:
            phrases = [*core_phrases(Asked(asked.word, asked.noun, asked.degree), answer)]
            if asked.word in ("where", "when"):
                phrases = [AnswerPhrase((answer.text,), "alone", 0)]
        elif adverbial:
            phrases = list(prepositional_phrases(asked, answer, lemma))
        else:
            phrases = list(core_phrases(asked, answer))
            if asked.kind == "noun":
                phrases += [each._replace(cost=each.cost + 1) for each in prepositional_phrases(asked, answer)]
        role = "adverbial" if adverbial else "core"
        moving = asked.word == "where" and bool(phrases) and any(":moving:" in each.name for each in phrases)
        called = (
            not adverbial
            and asked.word == "what"
            and not asked.noun
            and lemma == "call"
            and bool(rest)
            and shape == "do"
        )
        role = "moving" if moving else "called" if called else role
        # A verb's object stands right after it; a time or a place may stand anywhere.
        nearness = {"after-verb": 3 * called, "end": 1 - called, "after-be": 0, **({"particle": 1} if moving else {})}
        near = (adverbial and not moving) or asked.head == "times"
        far = 0 if open_end else rank if near else nearness.get(place.name, 1 + rank)
        for phrase in phrases:
            features = (
                (f"{shape}:{asked.kind}{':number' * counted}", 1.0),
                (f"place:{role}:{place.name}", 1.0),
                (f"phrase:{asked.kind}:{phrase.name}", 1.0),
                ("place:words-after", min(len(rest) - place.gap, 6) / 6),
                ("place:stranded-unused", float(stranded and not open_end)),
                ("place:passive-object", float(object_follows)),
                ("cut", cut.log),
                *form.features,
            )
            before = rest[: place.gap]
            if open_end and before:
                before = (*before[:-1], before[-1].rstrip(","))
            words = joined(cut.subject, verb, before, phrase.words, rest[place.gap :])
            cost = 0.5 + form.cost + far + phrase.cost - cut.log + 2 * (stranded and not open_end)
            cost += 2 * object_follows + 1.5 * counted
            yield ReadingDraft(words, cost, features)


def _ends_in_relative(words: Sequence[str]) -> bool:
    """Whether the words end inside a relative clause that still wants its verb: "the last season that he"."""
    lower = [plain(word) for word in words]
    starts = [place for place, word in enumerate(lower) if place and word in ("that", "which", "who")]
    return bool(starts) and not any(
        is_auxiliary(word) or (verb_tags(word) & FINITE and verbness(word) > 0) for word in lower[starts[-1] + 1 :]
    )


def _names_occasion(words: Sequence[str]) -> bool:
    """Whether words begin with a time and go on with what happened then: "the last time the brewers"."""
    lower = [plain(word) for word in words[:4]]
    place = next((place for place, word in enumerate(lower) if word in TIME_NOUNS), 0)
    after = plain(words[place + 1]) if place + 1 < len(words) else ""
    return place > 0 and bool(after) and after not in PREPOSITIONS and lower[place - 1] in _OCCASIONS


def _is_particle(place: AnswerPlace, rest: Sequence[str]) -> bool:
    """Whether a place is after a word that begins no time, and so belongs to its verb: "sworn in"."""
    return place.name.startswith("stranded") and plain(rest[place.gap - 1]) not in _BEFORE_TIMES
