"""Questions with their question word in front: where the word's noun ends, and which verb comes after it."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.build.inflection import BASE, FINITE, is_plural_noun, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import cut_before_verb, plain, verb_score
from veritab.build.questions.copulas import read_copula
from veritab.build.questions.phrases import WITH_NOUNS, Asked, core_phrases, prepositional_phrases, read_asked
from veritab.build.questions.placing import read_inverted
from veritab.build.questions.reading import ReadingDraft, joined
from veritab.build.questions.subjects import read_subject
from veritab.build.questions.unfronted import read_elliptical
from veritab.build.questions.verb_forms import DO, is_auxiliary, unnegated
from veritab.build.questions.verbness import verbness
from veritab.lexicon.grammar import BE, HAVE, MODALS, PREPOSITIONS


def read_fronted(answer: AnswerForm, words: list[str], place: int, preposition: str) -> Iterator[ReadingDraft]:
    bare, start = read_asked(words, place)
    rest = words[start:]
    lower = [plain(word) for word in rest]
    if bare.word in ("what", "which") and lower[:1] == ["age"] and "be" in lower:
        # "what age do you have to be" asks how old.
        bare, rest, lower = Asked("how", (), "old"), rest[1:], lower[1:]
    pivots = _find_pivots(bare, lower)
    if not any(map(is_auxiliary, lower)):
        surest = max((verb_score(lower, pivot) for pivot in pivots), default=-3.0)
        if surest < (1 if bare.degree else 0) and 0 not in pivots:
            for draft in _read_verbless(answer, bare, rest, lower):
                yield draft.add(max(surest + 1, 0.0), ("verbless", 1.0), ("verbless:verb", max(surest, -3.0)))
    surest = max((verb_score(lower, pivot) for pivot in pivots), default=0.0)
    adverbial = Asked(bare.word, (), bare.degree).is_adverbial
    for rank, pivot in enumerate(pivots):
        # "which of the following feeds on blood" names no kind of thing.
        noun = () if bare.word in WITH_NOUNS and lower[0] == "of" else tuple(rest[:pivot])
        asked = Asked(bare.word, noun, bare.degree, preposition)
        verb, tail = lower[pivot], rest[pivot + 1 :]
        pivot_features: tuple[tuple[str, float], ...] = (("pivot", float(rank)),)
        doubt = 0.0
        if not is_auxiliary(verb):
            score = verb_score(lower, pivot)
            later = float(any(is_auxiliary(word) for word in lower[pivot + 1 :]))
            doubt = max(1 - score, 0) * 0.7 + later * (bare.word in WITH_NOUNS or bool(bare.degree) or adverbial)
            doubt += 0.5 * (surest - score)
            pivot_features += (("pivot:verb", min(score, 3)), ("pivot:auxiliary-later", later))
            pivot_features += (("pivot:surer", min(surest - score, 4.0)),)
        if bare.word not in WITH_NOUNS and not bare.degree and noun:
            yield from _read_modified(answer, bare, noun, preposition, verb, tail, pivot_features, rank)
            continue
        for draft in _read_pivoted(answer, asked, verb, tail):
            yield draft.add(0.5 * rank + doubt, *pivot_features)


def _read_verbless(answer: AnswerForm, bare: Asked, rest: list[str], lower: list[str]) -> Iterator[ReadingDraft]:
    """A question without its verb: "how many cups for a cake", "who the king of spain"."""
    if bare.degree in ("many", "much"):
        needed = "for" in lower[1:]
        ends = (place for place, word in enumerate(lower) if place and word in PREPOSITIONS)
        end = lower.index("for", 1) if needed else next(ends, len(rest))
        for phrase in core_phrases(Asked(bare.word, tuple(rest[:end]), bare.degree), answer):
            features = ((f"phrase:{bare.kind}:{phrase.name}", 1.0),)
            be = "are" if answer.is_plural or (bare.degree == "many" and not answer.is_one) else "is"
            if needed:
                takes = (*features, ("verbless:takes", 1.0))
                yield ReadingDraft(joined("it takes", phrase.words, rest[end:]), phrase.cost + 1, takes)
                yield ReadingDraft(joined(phrase.words, be, "needed", rest[end:]), phrase.cost, features)
            there = (*features, ("verbless:there", 1.0))
            yield ReadingDraft(joined("there", be, phrase.words, rest[end:]), phrase.cost + needed, there)
    elif not bare.degree and bare.word not in ("when", "where", "why", "how"):
        yield from read_elliptical(answer, rest, lower, False)
    else:
        for phrase in prepositional_phrases(Asked(bare.word, (), bare.degree), answer):
            features = ((f"phrase:{bare.kind}:{phrase.name}", 1.0),)
            yield ReadingDraft(joined(rest, "is", phrase.words), phrase.cost, features)


def _find_pivots(asked: Asked, lower: list[str]) -> list[int]:
    """Where the auxiliary or verb after the question word and its noun may be, in the order they come."""
    takes_noun = asked.word in WITH_NOUNS or bool(asked.degree)
    if asked.word == "what" and len(lower) > 1 and verb_tags(lower[0]) & FINITE and not is_auxiliary(lower[0]):
        # "what causes tides" has its verb at once, "what plays did X write" has not.
        later = (verb_score(lower, each) for each in range(1, len(lower)) if verb_tags(lower[each]) & FINITE)
        follows = "VBZ" in verb_tags(lower[0]) and is_plural_noun(lower[1]) and verbness(lower[1]) < 0
        takes_noun = any(map(is_auxiliary, lower[1:6])) or (
            not follows and any(score > verb_score(lower, 0) for score in later)
        )
    found: list[int] = []
    for place, word in enumerate(lower):
        if is_auxiliary(word):
            if lower[place - 1 : place] in (["that"], ["which"]) and any(map(is_auxiliary, lower[place + 2 :])):
                continue  # "what hormone that is made there is ...": it belongs to the clause
            # "make" of "what make did he drive" is no verb.
            found = [place] if takes_noun and unnegated(word) in DO and place < 6 else [*found, place]
            break
        if verb_tags(word) & FINITE and (place or not asked.degree):
            found.append(place)
            if not takes_noun and place == 0:
                break
    return found[:5]


def _read_modified(
    answer: AnswerForm,
    bare: Asked,
    noun: tuple[str, ...],
    preposition: str,
    verb: str,
    tail: list[str],
    features: tuple[tuple[str, float], ...],
    rank: int,
) -> Iterator[ReadingDraft]:
    """Words between "who", "when" or "where" and the verb: an adverb, or an adjunct of its own."""
    asked = Asked(bare.word, (), bare.degree, preposition)
    if asked.is_adverbial and not is_auxiliary(verb):
        for phrase in prepositional_phrases(asked, answer):
            words = joined(noun, verb, tail, phrase.words)
            yield ReadingDraft(
                words,
                rank + phrase.cost,
                (*features, ("not-inverted", 1.0), (f"phrase:{asked.kind}:{phrase.name}", 1.0)),
            )
    stripped = (*noun[:-1], noun[-1].rstrip(","))
    subject = bare.word in ("who", "whom")
    for draft in _read_pivoted(answer, asked, verb, tail):
        marked = draft.add(1.5 * rank, *features)
        words = marked.words
        if subject and words[:1] == (answer.text,):
            yield ReadingDraft(joined(words[0], stripped, words[1:]), marked.cost, (*marked.features, ("between", 1.0)))
            continue
        yield ReadingDraft(joined(words, stripped), marked.cost + 1, (*marked.features, ("between:end", 1.0)))
        comma = (*stripped[:-1], f"{stripped[-1]},")
        yield ReadingDraft(joined(comma, words), marked.cost + 1, (*marked.features, ("between:front", 1.0)))
        yield ReadingDraft(words, marked.cost + 2, (*marked.features, ("between:dropped", 1.0)))


def _read_pivoted(answer: AnswerForm, asked: Asked, verb: str, tail: list[str]) -> Iterator[ReadingDraft]:
    positive = unnegated(verb)
    if asked.preposition and is_auxiliary(verb) and positive not in BE:
        yield from read_inverted(answer, asked, verb, tail, frozenset(("VBN",)) if positive in HAVE else BASE)
    elif positive in DO:
        if not asked.degree or not cut_before_verb(tail, BASE, 1):
            yield from read_subject(answer, asked, verb, tail)
        yield from read_inverted(answer, asked, verb, tail, BASE)
    elif positive in BE:
        yield from read_copula(answer, asked, verb, tail)
    elif positive in HAVE:
        yield from read_subject(answer, asked, verb, tail)
        yield from read_inverted(answer, asked, verb, tail, frozenset(("VBN",)))
    elif positive in MODALS:
        yield from read_subject(answer, asked, verb, tail)
        yield from read_inverted(answer, asked, verb, tail, BASE)
    else:
        yield from read_subject(answer, asked, verb, tail)
