"""The answer is the subject: "ANSWER wrote it", "ANSWER is the novel that was first"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from veritab.build.inflection import BASE, PARTICIPLES, is_adjective, is_plural_noun, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import cut_before_verb, plain
from veritab.build.questions.phrases import KIND_NOUNS, PERSON_NOUNS, Asked, core_phrases
from veritab.build.questions.reading import ReadingDraft, joined
from veritab.build.questions.verb_forms import DO, agreeing_forms, finite_forms, unnegated
from veritab.build.questions.verbness import verbness
from veritab.lexicon.grammar import ADVERBS, BE, HAVE, PREPOSITIONS

_STRANDED = frozenset("on in at for from with by during before after".split())
_DONE = frozenset("voice voices music song songs singing narration cooking".split())
"""What is done by somebody: in "who does the voice of ..." no other verb is looked for."""
_PRONOUNS = tuple([word] for word in "it they you we he she i".split())


def read_subject(answer: AnswerForm, asked: Asked, verb: str, tail: Sequence[str]) -> Iterator[ReadingDraft]:
    """The answer is the subject: "ANSWER wrote it", "ANSWER is the novel that was first"."""
    kind = asked.kind
    ends_open = float(leaves_preposition(tail))
    positive = unnegated(verb)
    shape = "do" if positive in DO else "be" if positive in BE else "have" if positive in HAVE else "verb"
    copular, lower = shape == "be", [plain(word) for word in tail]
    # Numbers and dates are said last: "the population is 66,135".
    measured = copular and kind in ("what", "noun") and answer.kind != "name"
    # One of several never "has": in "how many golds has Brazil won" the subject comes after the verb.
    disagrees = asked.degree == "many" and verb in ("has", "was", "does", "is") and not answer.is_one
    against = (
        ("subject:ends-in-preposition", ends_open, 4),
        ("subject:no-rest", float(not tail), 0),
        ("subject:pronoun", float(copular and lower[:1] in _PRONOUNS), 4),
        ("subject:kind", float(copular and asked.head in KIND_NOUNS and not _is_predicate(lower)), 3),
        ("subject:predicate", float(copular and kind == "what" and has_predicate(lower)), 3),
        ("subject:setting", float(copular and asked.is_setting and has_predicate(lower)), 3),
        ("subject:verb-follows", _verb_follows(shape, tail), 1),
        ("subject:disagrees", float(disagrees or (shape != "verb" and asked.head == "times")), 4),
    )
    base = (
        (f"subject:{kind}:{shape}{':value' if measured else ''}", 1.0),
        *((name, value) for name, value, _ in against),
    )
    cost = 1.5 * measured + 4.0 * (asked.is_adverbial or (bool(asked.degree) and not asked.noun))
    cost += sum(value * weight for _, value, weight in against)
    for form in agreeing_forms(answer, verb, asked.degree == "many"):
        features = (*base, *form.features)
        for phrase in core_phrases(asked, answer):
            named = (f"phrase:{kind}:{phrase.name}", 1.0)
            yield ReadingDraft(
                joined(phrase.words, form.words, tail), cost + form.cost + phrase.cost, (*features, named)
            )
    if shape == "verb" and "VBN" in verb_tags(verb) and plain((*tail, "")[0]) in ("to", "by", "as"):
        be = "were" if answer.is_plural else "was"
        for phrase in list(core_phrases(asked, answer))[:2]:
            yield ReadingDraft(joined(phrase.words, be, verb, tail), 1.5 + phrase.cost, (*base, ("verb:passive", 1.0)))
    if kind == "noun" and not asked.preposition:
        for form in finite_forms(verb):
            clause = joined(form.words, tail)
            for relative in ("that", "who", "which"):
                for draft in write_cleft(answer, asked, (relative,), clause, verb):
                    wanted = "who" if asked.head in PERSON_NOUNS else "that"
                    yield draft.add(
                        cost + form.cost + (relative != wanted),
                        *base[1:],
                        ("cleft:subject", 1.0),
                        (f"cleft:{'usual' if relative == wanted else 'other'}-relative", 1.0),
                        *form.features,
                    )


def write_cleft(
    answer: AnswerForm, asked: Asked, relative: tuple[str, ...], clause: Sequence[str], verb: str
) -> Iterator[ReadingDraft]:
    """ "ANSWER is the N that ...", and the other way round."""
    past = verb in ("was", "were", "did", "had") or "VBD" in verb_tags(verb)
    plural = is_plural_noun(asked.head)
    noun = joined("the", asked.noun)
    many = answer.is_plural or plural
    for tense, (one, several) in (("present", ("is", "are")), ("past", ("was", "were"))):
        for be in (several, one) if many else (one,):
            features = (
                (f"cleft:{tense}:{'past' if past else 'present'}", 1.0),
                (f"cleft:{'plural' if be == several else 'singular'}:{'plural' if many else 'singular'}", 1.0),
            )
            cost = (tense == "past") * (0.5 if past else 1) + 0.5 * (many and be == one)
            yield ReadingDraft(
                joined(answer.text, be, noun, relative, clause), cost + 1, (*features, ("cleft:first", 1.0))
            )
            yield ReadingDraft(
                joined(noun, relative, clause, be, answer.text), cost + 2, (*features, ("cleft:last", 1.0))
            )


def _is_predicate(lower: Sequence[str]) -> bool:
    """Whether words after "be" say what something is like rather than name it: "no longer used"."""
    first = lower[0] if lower else ""
    says = first in PREPOSITIONS or first in ADVERBS or first in ("no", "not") or is_adjective(first)
    return says or bool(verb_tags(first) & PARTICIPLES)


def leaves_preposition(words: Sequence[str]) -> bool:
    """Whether a preposition among the words has nothing after it that it could belong to: "on in the usa"."""
    lower = [plain(word) for word in words]
    inside = any(one in _STRANDED and other in _STRANDED for one, other in pairwise(lower))
    return inside or (bool(lower) and lower[-1] in PREPOSITIONS)


def has_predicate(lower: Sequence[str]) -> bool:
    """Whether words after "be" end in a participle or a preposition, and so want something between."""
    last = lower[-1] if lower else ""
    return last in PREPOSITIONS or ("VBN" in verb_tags(last) and verbness(last) > 0)


def _verb_follows(shape: str, tail: Sequence[str]) -> float:
    """How surely a verb follows that a form of "do" belongs to, so that "do" is not the verb itself."""
    if shape != "do" or not _DONE.isdisjoint(map(plain, tail[:4])):
        return 0.0
    best = max((cut.score for cut in cut_before_verb(tail, BASE, 1)), default=-2.0)
    return min(max(best + 2, 0.0), 4.0)
