"""Where a clause may be cut into subject, verb and the rest, and where in the rest an answer may stand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veritab.build.inflection import is_adjective, is_adverb, is_plural_noun, may_be_modifier, verb_tags
from veritab.build.questions.verbness import is_seen_as_verb, verbness
from veritab.lexicon.grammar import (
    ADVERBS,
    ARTICLES,
    AUXILIARIES,
    DETERMINERS,
    NEGATED_AUXILIARIES,
    PERSONAL_PRONOUNS,
    POSSESSIVES,
    PREPOSITIONS,
    SUBORDINATORS,
)

MOST_CUTS = 5
_LEAST_VERB = -1.0
_SURER = 1.0
_RARE = 3.0
_LIKE_PREPOSITIONS = frozenset("according including following regarding concerning excluding".split())
PARTICLES = frozenset("out up on off over in back down away around about along apart together".split())
_BEFORE_NOUNS = ARTICLES | POSSESSIVES | frozenset("this these those every each no another my your our".split())


SUBJECT_PRONOUNS = PERSONAL_PRONOUNS | frozenset("i you we".split())
_FUSED = ("'ll", "’ll", "'ve", "’ve", "'m", "’m", "'re", "’re")
_TIMES = frozenset("year season week month night time summer winter spring fall decade century".split())


class Cut(NamedTuple):
    """A clause cut before its verb or predicate, and the log probability of that among the cuts by rule."""

    subject: tuple[str, ...]
    verb: str
    rest: tuple[str, ...]
    log: float
    score: float = 0.0
    """The log odds before they are shared among the cuts."""


def plain(word: str) -> str:
    """A word in lower case without the punctuation around it."""
    return word.strip('.,;:!?"“”()').lower()


def cut_before_verb(
    words: Sequence[str], wanted: frozenset[str], most: int = MOST_CUTS, misused: frozenset[str] = frozenset()
) -> list[Cut]:
    """The likeliest ways to cut "the song come out in 1999" before a verb in one of the wanted forms.

    Forms that are `misused` there count less: "did X won".
    """
    lower = [plain(word) for word in words]
    scored = []
    cased = any(word[:1].isupper() for word in words)
    quoted = False
    for place, word in enumerate(lower):
        quoted ^= words[place].count('"') % 2 == 1
        tags = verb_tags(word)
        if not place or not tags & (wanted | misused) or lower[place - 1] in _BEFORE_NOUNS:
            continue
        score = verb_score(lower, place)
        score -= 3 * (quoted or words[place].startswith('"')) + 2.5 * (cased and words[place][:1].isupper())
        scored.append((score, place, bool(tags & wanted)))
    surest = max((score for score, _, right in scored if not right), default=-math.inf)
    # A form that is seldom a verb is none beside a slip: "did the ship hector arrived".
    scored = [
        (score - _RARE * (right and score < surest and not is_seen_as_verb(lower[place])), place, right)
        for score, place, right in scored
    ]
    # "did X won a game" is a slip: where a verb stands in the form that is wanted, there is none, unless a surer verb
    # stands before it.
    slips = all(
        score < max((_LEAST_VERB, *(other - _SURER for other, before, right in scored if not right and before < place)))
        for score, place, fits in scored
        if fits
    )
    return _cuts(words, [(score - 1.5 * (not fits), place) for score, place, fits in scored if fits or slips], most)


def cut_before_predicate(words: Sequence[str], most: int = MOST_CUTS) -> list[Cut]:
    """The likeliest ways to cut "the song written in 1999" or "X from Y by car" after a form of "be"."""
    lower = [plain(word) for word in words]
    scored = []
    cased = any(word[:1].isupper() for word in words)
    for place, word in enumerate(lower):
        if not place or lower[place - 1] in _BEFORE_NOUNS or lower[place - 1] in ("being", "been"):
            continue
        if word in _LIKE_PREPOSITIONS:
            continue
        tags = verb_tags(word)
        capital = 2.5 * (cased and words[place][:1].isupper())
        if tags & {"VBN", "VBG"}:
            # "when she died": a verb of its own, with a subject of its own.
            finite = 5.0 * (lower[place - 1] in SUBJECT_PRONOUNS)
            # "the lowest known point": a participle between an adjective and its noun.
            finite += 3 * (lower[place - 1].endswith("est") and is_adjective(lower[place - 1]))
            finite += 0.7 * any("VBN" in verb_tags(each) and verbness(each) > 0 for each in lower[1:place])
            score = max(verbness(word), 0) + 1.5 + _around(lower, place) - capital - finite
            scored.append((score, place))
        elif word in PREPOSITIONS or word in SUBORDINATORS:
            particle = word in PARTICLES and verb_tags(lower[place - 1])
            last = 1.5 if place == len(words) - 1 else 0
            scored.append((-1.0 + last - (word == "of") * 4 - 2.5 * bool(particle) - capital, place))
        elif word in ADVERBS or may_be_modifier(word):
            scored.append((-1.5 + _around(lower, place) - capital, place))
    return _cuts(words, scored, most, none=-1.0)


def take_adverb(cut: Cut) -> tuple[Cut, tuple[str, ...]]:
    """A cut without the adverb at the end of its subject, and that adverb: "the hall originally | built"."""
    last = plain(cut.subject[-1])
    if len(cut.subject) > 1 and (last in ADVERBS or is_adverb(last)) and plain(cut.subject[-2]) not in _BEFORE_NOUNS:
        return cut._replace(subject=cut.subject[:-1]), (cut.subject[-1],)
    return cut, ()


def verb_score(lower: Sequence[str], place: int) -> float:
    """The log odds that the word there is the verb of its clause, by its form and the words beside it."""
    return verbness(lower[place]) + _around(lower, place)


def _around(lower: Sequence[str], place: int) -> float:
    """How much the words beside it speak for a verb."""
    before = lower[place - 1] if place else ""
    after = lower[place + 1] if place + 1 < len(lower) else ""
    score = 0.0
    if before in _BEFORE_NOUNS or before.endswith(("'s", "’s")):
        score -= 3
    elif before == "to" or before in AUXILIARIES or before in NEGATED_AUXILIARIES or before.endswith(_FUSED):
        score -= 3.5
    elif before in PREPOSITIONS:
        score -= 2
    elif before in ("and", "or"):
        score -= 1.5
    elif before in SUBORDINATORS:
        score -= 1
    elif before and before not in ADVERBS and is_adjective(before):
        score -= 0.7
    if after == "of":
        score -= 1.5
    elif not after or after in PREPOSITIONS or after in DETERMINERS or after in POSSESSIVES:
        score += 1
    elif after in AUXILIARIES:
        score -= 2
    return score


def head_of(words: Sequence[str]) -> str:
    """The noun of a phrase: the last word before its first preposition, relative word or participle."""
    for place, word in enumerate(words):
        lower = plain(word)
        opens = lower in PREPOSITIONS or lower in SUBORDINATORS
        if place and (opens or ("VBN" in verb_tags(lower) and verbness(lower) > 0 and not is_plural_noun(lower))):
            return words[place - 1]
    return words[-1] if words else ""


def _cuts(words: Sequence[str], scored: list[tuple[float, int]], most: int, none: float = -math.inf) -> list[Cut]:
    """The best cuts, with their shares among them and `none`, which speaks for no cut at all."""
    scored.sort(key=lambda each: (-each[0], each[1]))
    kept = scored[:most]
    total = math.log(sum((math.exp(score) for score, _ in kept), math.exp(none))) if kept else 0.0
    return [
        Cut(tuple(words[:place]), words[place], tuple(words[place + 1 :]), score - total, score)
        for score, place in kept
    ]


def _begins_time(lower: Sequence[str]) -> bool:
    """Whether words begin with a time that needs no preposition: "last year", "right now"."""
    first, second = (*lower[:2], "", "")[:2]
    return first in ("now", "today", "tonight", "currently") or (
        second in _TIMES if first in ("last", "this", "next") else (first, second) == ("right", "now")
    )


class AnswerPlace(NamedTuple):
    """A gap between the words after a verb, and what kind of place it is."""

    gap: int
    name: str


def places(rest: Sequence[str]) -> Iterator[AnswerPlace]:
    """Where an answer may stand after a verb: at the end, right after it, after a stranded preposition, elsewhere."""
    lower = [plain(word) for word in rest]
    size = len(rest)
    ends_stranded = bool(size) and lower[-1] in PREPOSITIONS and not (size == 1 and lower[-1] in PARTICLES)
    yield AnswerPlace(size, "stranded-end" if ends_stranded else "end")
    if not size:
        return
    yield AnswerPlace(0, "after-verb")
    named = {0, size}
    for index, word in enumerate(lower):
        gap = index + 1
        following = lower[gap] if gap < size else ""
        if word == "be" and gap not in named and "VBN" not in verb_tags(following):
            named.add(gap)
            yield AnswerPlace(gap, "after-be")
        elif word in PREPOSITIONS and following != "of" and (following in PREPOSITIONS or following in SUBORDINATORS):
            if gap not in named:
                named.add(gap)
                particle = index == 0 and word in PARTICLES and following != word
                yield AnswerPlace(gap, "particle" if particle else "stranded")
        elif word in PREPOSITIONS and gap not in named and _begins_time(lower[gap:]):
            named.add(gap)
            yield AnswerPlace(gap, "stranded")
        elif word in PARTICLES and index == 0 and gap not in named:
            named.add(gap)
            yield AnswerPlace(gap, "particle")
    others = 0
    for index, word in enumerate(lower):
        opens = word in PREPOSITIONS or word in SUBORDINATORS or word in ("this", "last", "every", "for", "per")
        if index not in named and opens and word not in ("of", "than") and others < 4 and index < size - 1:
            named.add(index)
            others += 1
            yield AnswerPlace(index, "before-adjunct")
