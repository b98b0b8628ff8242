"""Forms of the verb of a claim: with the tense of the auxiliary in front, in the answer's number, in the past."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veritab.build.inflection import BASE, inflect, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import Cut, plain
from veritab.build.questions.reading import ReadingDraft, joined
from veritab.lexicon.grammar import BE, HAVE, MODALS, NEGATED_AUXILIARIES, PREPOSITIONS

DO = frozenset("do does did".split())
_PAST = {"is": "was", "are": "were", "has": "had", "have": "had", "can": "could"}
_PLURAL = {"is": "are", "was": "were", "has": "have"}
_SINGULAR = {plural: singular for singular, plural in _PLURAL.items()}


def is_auxiliary(word: str) -> bool:
    return word in BE or word in HAVE or word in MODALS or word in DO or word in NEGATED_AUXILIARIES


def unnegated(auxiliary: str) -> str:
    """A contracted auxiliary without its "not": "didn't" is "did"; any other word as it is."""
    if auxiliary not in NEGATED_AUXILIARIES:
        return auxiliary
    return {"ca": "can", "wo": "will"}.get(auxiliary[:-3], auxiliary[:-3])


def be_forms(answer: AnswerForm, verb: str, of_answer: bool) -> Iterator[ReadingDraft]:
    """A form of "be" as it is and in the past; where the answer is its subject, in the answer's number too."""
    numbers = [(verb, "kept")]
    if of_answer and (answer.is_one or not answer.text[:1].isdigit()):
        other = _PLURAL.get(verb) if answer.is_plural else _SINGULAR.get(verb) if answer.is_one else None
        if other:
            numbers = [(other, "answer"), (verb, "kept")]
    for form, number in numbers:
        features = ((f"number:{number}:{'plural' if answer.is_plural else 'singular'}", float(of_answer)),)
        yield ReadingDraft((form,), 0.5 * (form != numbers[0][0]), (*features, ("tense:kept", 1.0)))
        if form in _PAST:
            yield ReadingDraft((_PAST[form],), 1 + 0.5 * (form != numbers[0][0]), (*features, ("tense:past", 1.0)))


def agreeing_forms(answer: AnswerForm, verb: str, counted: bool = False) -> Iterator[ReadingDraft]:
    """A finite verb of which the answer is the subject."""
    if unnegated(verb) in BE:
        yield from be_forms(answer, verb, True)
        return
    if verb in NEGATED_AUXILIARIES:
        yield ReadingDraft((verb,), 0, (("tense:kept", 1.0),))
        return
    numbers = [(verb, "kept")]
    tags = verb_tags(verb)
    if counted and not answer.is_one:
        pass
    elif verb in HAVE or "VBD" not in tags:
        if answer.is_plural and ("VBZ" in tags or verb in ("has", "does")):
            numbers.append((_PLURAL.get(verb) or inflect(verb, "VB"), "plural"))
        elif not answer.is_plural and verb in ("have", "do"):
            numbers.append(("has" if verb == "have" else "does", "singular"))
        elif not answer.is_plural and "VBP" in tags and verb not in MODALS:
            numbers.append((inflect(verb, "VBZ"), "singular"))
    for form, number in numbers:
        features = (f"number:{number}:{'plural' if answer.is_plural else 'singular'}", 1.0)
        for variant in finite_forms(form):
            yield variant.add(0.5 * (form != numbers[-1][0]), features)


def finite_forms(verb: str) -> Iterator[ReadingDraft]:
    """A finite verb as it is, and in the past."""
    yield ReadingDraft((verb,), 0, (("tense:kept", 1.0),))
    past = _PAST.get(verb) if verb in BE or verb in HAVE else None
    if not past and verb not in MODALS and "VBD" not in verb_tags(verb):
        past = inflect(verb, "VBD")
    if past and past != verb:
        yield ReadingDraft((past,), 1, (("tense:past", 1.0),))


def carry_tense(auxiliary: str, cut: Cut, *, middle: Sequence[str] = ()) -> Iterator[ReadingDraft]:
    """A verb with the tense of the auxiliary that stood in front, and what stands between the two: "not"."""
    verb = plain(cut.verb)
    mark = cut.verb[len(cut.verb.rstrip(",;:")) :]
    if auxiliary not in DO or (middle and middle[0] == "not"):
        said = ("cannot", *middle[1:]) if auxiliary == "can" and middle[:1] == ("not",) else (auxiliary, *middle)
        yield ReadingDraft(joined(said, cut.verb), 0, (("tense:kept", 1.0),))
        if auxiliary == "will" and not middle:
            past = "was" if verb == "be" else inflect(verb, "VBD")
            yield ReadingDraft((past + mark,), 1, (("tense:past", 1.0), ("tense:will", 1.0)))
        return
    if not verb_tags(verb) & BASE:
        following = plain((*cut.rest, "")[0])
        object_follows = bool(following) and following not in PREPOSITIONS
        form = "object" if object_follows else "none"
        kept = ("tense:kept", 1.0)
        yield ReadingDraft((*middle, cut.verb), 0, (kept, (f"verb:finite-already:{form}", 1.0)))
        yield ReadingDraft(("was", *middle, cut.verb), 0.5 + object_follows, (kept, (f"verb:passive:{form}", 1.0)))
        return
    tag = {"did": "VBD", "does": "VBZ", "do": "VBP"}[auxiliary]
    yield ReadingDraft((*middle, inflect(verb, tag) + mark), 0, (("tense:kept", 1.0),))
    if auxiliary != "did":
        yield ReadingDraft((*middle, inflect(verb, "VBD") + mark), 1, (("tense:past", 1.0),))
