"""Questions without a question word in front: yes or no, a choice, the question word in place, a mere phrase."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from veritab.build.inflection import BASE, FINITE, is_plural_noun, may_be_modifier, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import (
    SUBJECT_PRONOUNS,
    Cut,
    cut_before_predicate,
    cut_before_verb,
    head_of,
    plain,
    take_adverb,
    verb_score,
)
from veritab.build.questions.phrases import (
    PERSON_NOUNS,
    PLACE_NOUNS,
    TIME_NOUNS,
    WITH_NOUNS,
    Asked,
    core_phrases,
    prepositional_phrases,
    read_asked,
)
from veritab.build.questions.reading import ReadingDraft, joined, lower_first
from veritab.build.questions.verb_forms import DO, be_forms, carry_tense, is_auxiliary, unnegated
from veritab.build.questions.verbness import verbness
from veritab.lexicon.grammar import (
    ARTICLES,
    BE,
    HAVE,
    NEGATED_AUXILIARIES,
    POSSESSIVES,
    PREPOSITIONS,
    QUESTION_WORDS,
    RELATIVE_WORDS,
    SUBORDINATORS,
)

_MOST_ALTERNATIVE = 4
_MOST_LAST = 3
"""Of so many words after a question word at the end none is cut off."""
_SURE_VERB = 1.0
_PRONOUN_AND_VERB = re.compile(r"(?:i|you|he|she|it|we|they)['’](?:s|m|re|ll|ve|d)$")
_OPEN_ARTICLES = frozenset(("a", "an", "a(n", "a/an", "the"))
_YES, _NO = frozenset(("yes", "true", "yeah")), frozenset(("no", "false", "nope"))


def read_in_place(answer: AnswerForm, words: list[str], place: int) -> Iterator[ReadingDraft]:
    """A question word where the answer belongs: "... was founded in what year"."""
    asked, start = read_asked(words, place)
    before = plain(words[place - 1])
    preceded = before in PREPOSITIONS
    relative = may_be_relative([plain(word) for word in words], place)
    lower = [plain(word) for word in words]
    pivots = [p for p in range(start, len(words)) if lower[p] in PREPOSITIONS or is_auxiliary(lower[p])]
    # "what 1956 film", at the end, is one phrase.
    first = min(start + 1, len(words)) if pivots or len(words) - start > _MOST_LAST else len(words)
    found = dict.fromkeys([*pivots[:2], len(words), first, start])
    ends = [end for end in found if end == start or lower[end : end + 1] != ["of"]]
    if asked.word not in WITH_NOUNS and asked.degree not in ("many", "much"):
        ends = [start]
    elif start < len(words) and start not in pivots:
        ends = [end for end in ends if end > start]
    for rank, end in enumerate(ends):
        whole = Asked(asked.word, tuple(words[start:end]), asked.degree)
        forms = (
            core_phrases(whole, answer) if preceded or not whole.is_adverbial else prepositional_phrases(whole, answer)
        )
        for phrase in forms:
            features = (
                ("in-place", 1.0),
                (f"in-place:{'preposition' if preceded else 'bare'}", 1.0),
                ("in-place:dropped", min(max(end - start - 1, 0), 4) / 4 * float(phrase.name.startswith("alone"))),
                ("in-place:relative", float(relative)),
                (f"phrase:{whole.kind}:{phrase.name}", 1.0),
            )
            kept = place - (preceded and answer.has_preposition)
            said = joined(words[:kept], phrase.words, words[end:])
            verbless = whole.degree in ("many", "much") and _wants_verb(lower, place, end)
            cost = 1 + rank + phrase.cost + 4 * relative
            yield ReadingDraft(said, cost + 3 * verbless, (*features, ("in-place:verbless", float(verbless))))
            if verbless:
                has = joined(words[:place], "has", phrase.words, words[end:])
                yield ReadingDraft(has, cost, (*features, ("in-place:has", 1.0)))


def _wants_verb(lower: Sequence[str], start: int, end: int) -> bool:
    """Whether words around a count have no verb: "season 4 | how many episodes"."""
    before = lower[start - 1]
    following = lower[end] if end < len(lower) else ""
    verb = bool(verb_tags(before) & FINITE) and verb_score(lower, start - 1) > 0
    return not (verb or before in PREPOSITIONS or is_auxiliary(before) or is_auxiliary(following))


def read_elliptical(
    answer: AnswerForm, words: list[str], lower: list[str], asked: bool, *, dated: bool | None = None
) -> Iterator[ReadingDraft]:
    """A phrase without a question word: the answer is it, or it is the answer."""
    text = answer.text
    dated = is_dated(lower) if dated is None else dated
    words = [lower_first(words[0]), *words[1:]]
    mark = ("elliptical:asked", float(asked))
    base = early = 6.0 if asked else 0.0
    if lower[-1] in BE:
        yield ReadingDraft(joined(words, text), base, (("elliptical:ends-in-be", 1.0), mark))
        for be in be_forms(answer, lower[-1], True):
            yield ReadingDraft(
                joined(text, be.words, words[:-1]), base, (*be.features, ("elliptical:be-moved", 1.0), mark)
            )
        return
    if lower[-1] in _OPEN_ARTICLES:
        own = answer.words[:1] and answer.words[0] in ARTICLES
        article = () if own else ("an",) if text[:1].lower() in "aeiou" else ("a",)
        said = joined(words[:-1], article if lower[-1].startswith("a") else () if own else "the", text)
        yield ReadingDraft(said, base, (("elliptical:ends-open", 1.0), mark))
        return
    if len(lower) > 3 and lower[-2] in ("that", "which") and verb_tags(lower[-1]) & FINITE:
        yield ReadingDraft(joined(words, text), base - 1, (("elliptical:ends-open", 1.0), mark))
    relative = next((place for place, word in enumerate(lower) if word in RELATIVE_WORDS), len(lower))
    verb = next((place for place, word in enumerate(lower[:relative]) if word in BE), 0)
    if lower[0] in ("a", "an") and 1 < verb < len(lower) - 1 and lower[-1] not in PREPOSITIONS:
        that = joined(text, "was" if lower[verb] in ("was", "were") else "is", words[:verb], "that", words[verb:])
        yield ReadingDraft(that, base - 1, (("elliptical:that", 1.0), mark))
    if lower[-1] in PREPOSITIONS or lower[-1] in ("called", "named", "be"):
        yield ReadingDraft(joined(words, text), base, (("elliptical:ends-open", 1.0), mark))
    plural = is_plural_noun(head_of(lower))
    participle = "VBN" in verb_tags(lower[0]) and not may_be_modifier(lower[0])
    article = () if plural or participle or lower[0] in ARTICLES | POSSESSIVES or words[0].endswith("'s") else ("the",)
    for tense, (one, many) in (("past", ("was", "were")), ("present", ("is", "are"))):
        for copula in (many, one) if plural or answer.is_plural else (one,):
            base = early + ((tense == "past") != dated)
            features = (
                mark,
                (f"elliptical:{tense}{':dated' if dated else ''}", 1.0),
                (f"elliptical:{'plural' if copula == many else 'singular'}", 1.0),
            )
            value = answer.kind != "name"
            last = (f"elliptical:answer-last{':value' if value else ''}", 1.0)
            yield ReadingDraft(joined(article, words, copula, text), base + (not value), (*features, last))
            first = ("elliptical:answer-first", 1.0)
            yield ReadingDraft(joined(text, copula, article, words), base + value, (*features, first))
            if plural and not answer.is_plural and not value and copula == one:
                one_of = ("elliptical:one-of", 1.0)
                phrase = words if lower[0] in ARTICLES | POSSESSIVES else ["the", *words]
                yield ReadingDraft(joined(text, copula, "one of", phrase), base, (*features, one_of))


def holds_statement(words: Sequence[str]) -> bool:
    """Whether words that ask nothing say something by themselves, and so name nothing: "i was a scholar"."""
    lower = [plain(word) for word in words]
    if any(word in QUESTION_WORDS and not (at and may_be_relative(lower, at)) for at, word in enumerate(lower)):
        return False
    if lower[-1] in PERSON_NOUNS | TIME_NOUNS:
        return False
    for place, word in enumerate(lower):
        if word in SUBORDINATORS or word in ("that", "to"):
            return False
        before = lower[place - 1] if place else ""
        named = any(each in TIME_NOUNS | PLACE_NOUNS or each in ("name", "song") for each in lower[:place])
        if named:
            return False
        if word in SUBJECT_PRONOUNS and place < len(lower) - 2 and is_auxiliary(lower[place + 1]):
            return True
        if _PRONOUN_AND_VERB.match(word):
            return True
        finite = verb_tags(word) & FINITE and "VBN" not in verb_tags(word) and place < len(lower) - 1
        main = finite and word not in TIME_NOUNS | PLACE_NOUNS and not is_auxiliary(word) and before not in PREPOSITIONS
        if place and main and min(verbness(word), verb_score(lower, place)) > _SURE_VERB:
            return True
    return False


def read_yes_no(answer: AnswerForm, words: list[str]) -> Iterator[ReadingDraft]:
    """A question that begins with its auxiliary: as a statement, denied for "no"."""
    said = answer.text.lower().rstrip(".!")
    if said not in _YES | _NO:
        return
    # "Isn't it so?" asks the same as "Is it so?".
    auxiliary, rest = unnegated(words[0].lower()), words[1:]
    negated = said in _NO
    ever = _find_ever(rest)
    if ever:
        rest = [*rest[:ever], *rest[ever + 1 :]]
    denial = ("never" if ever else "not",) if negated else ()
    if len(rest) < 2:
        return
    if auxiliary in BE and plain(rest[0]) == "there":
        middle = denial if ever else ("no",) if negated else ()
        yield ReadingDraft(joined("there", auxiliary, middle, rest[1:]), 0, (("yes-no:there", 1.0),))
        return
    if auxiliary in BE:
        cuts = [*cut_before_predicate(rest, 8), *_cuts_at_articles(rest)]
        if plain(rest[0]) in SUBJECT_PRONOUNS:
            cuts = [Cut((rest[0],), rest[1], tuple(rest[2:]), 0.0)]
        for found in cuts:
            cut, adverb = take_adverb(found)
            said_of = joined(cut.subject, auxiliary, denial, adverb, cut.verb, cut.rest)
            yield ReadingDraft(said_of, -cut.log, (("cut", cut.log),))
        return
    wanted = frozenset(("VBN",)) if auxiliary in HAVE else BASE
    for found in cut_before_verb(rest, wanted):
        cut, adverb = take_adverb(found)
        never = ever > 0 and negated and auxiliary in DO
        for form in carry_tense(auxiliary, cut, middle=(*(() if never else denial), *adverb)):
            yield ReadingDraft(
                joined(cut.subject, denial if never else (), form.words, cut.rest),
                form.cost - cut.log,
                (*form.features, ("cut", cut.log)),
            )


def _find_ever(words: Sequence[str]) -> int:
    """Where "ever" belongs to the verb of a question; 0 where there is none."""
    for place, word in enumerate(words):
        if plain(word) in SUBORDINATORS:
            return 0
        if plain(word) == "ever" and word == "ever" and place:
            return place
    return 0


def is_denied(words: Sequence[str]) -> bool:
    """Whether a yes/no question has a "not" of its own, so that it is open what yes and no mean: "Did X not win?"."""
    lower = [plain(word) for word in words]
    if lower[-2:] == ["or", "not"]:
        lower = lower[:-2]
    end = next((place for place, word in enumerate(lower) if word in SUBORDINATORS), len(lower))
    return "not" in lower[:end]


def drop_alternatives(answer: AnswerForm, words: list[str]) -> Iterator[tuple[list[str], bool, float]]:
    """The question without a choice of which one side is the answer: "who won, X or Y?", "is it X or Y?".

    Where the question begins with its auxiliary, the answer takes the place of the choice. The number says how unlike
    each other the two sides are.
    """
    lower = [plain(word) for word in words]
    if "or" not in lower[1:-1]:
        return
    place = lower.index("or", 1)
    wanted = [word for word in " ".join(answer.words).replace("-", " ").split() if word not in ARTICLES]
    for before in range(1, _MOST_ALTERNATIVE + 1):
        for after in range(1, _MOST_ALTERNATIVE + 1):
            sides = (lower[max(place - before, 0) : place], lower[place + 1 : place + 1 + after])
            named = [[word for word in side if word not in ARTICLES] for side in sides]
            if wanted not in named or place - before < 1:
                continue
            following = lower[place + 1 + after] if place + 1 + after < len(lower) else ""
            if lower[place - before - 1] in ARTICLES and answer.words[0] in ARTICLES:
                continue
            # Where the answer is the first of the two, only a boundary shows where the second ends.
            open_end = following and following not in PREPOSITIONS and not verb_tags(following)
            if (wanted != named[1] and open_end) or sides[1][-1:] == ["or"]:
                continue
            # "came first the hobbit": what is chosen from begins with its article.
            inner = next((at for at, word in enumerate(sides[0]) if at and word in ARTICLES), 0)
            if inner and sides[0][inner - 1] not in PREPOSITIONS:
                continue
            # Two sides are alike: both with an article or none, and about as long.
            unlike = 0.5 * (({sides[0][0]} <= ARTICLES) != ({sides[1][0]} <= ARTICLES)) + max(
                len(sides[0]) - len(sides[1]), 0
            )
            head, tail = words[: place - before], words[place + 1 + after :]
            if is_yes_no(words):
                yield [*head, answer.text, *tail], True, unlike
            elif not tail:
                yield [*head[:-1], head[-1].rstrip(",:;-")], False, unlike


def is_yes_no(words: Sequence[str]) -> bool:
    """Whether a question begins with its auxiliary, at once or after an adjunct and a comma."""
    first = plain(words[0])
    return (is_auxiliary(first) and first not in NEGATED_AUXILIARIES) or find_fronted_adjunct(words) > 0


def says_yes_or_no(answer: AnswerForm, words: Sequence[str]) -> bool:
    """Whether a question asks for yes or no, and gets one of them."""
    asks = is_yes_no(words) or is_auxiliary(plain(words[0]))
    return asks and answer.text.lower().rstrip(".!") in _YES | _NO


def find_fronted_adjunct(words: Sequence[str]) -> int:
    """How many words an adjunct before a comma and an auxiliary has: "in terms of botany, is ..."."""
    for place, word in enumerate(words[:-2]):
        if plain(word) in QUESTION_WORDS:
            return 0
        if word.endswith(",") and is_auxiliary(plain(words[place + 1])):
            return place + 1 if plain(words[0]) in PREPOSITIONS else 0
    return 0


def may_be_relative(lower: Sequence[str], place: int) -> bool:
    """Whether a question word inside a phrase may begin a clause of it: "actress who plays", "season when it rains"."""
    before = lower[place - 1] if place else ""
    after = lower[place + 1] if place + 1 < len(lower) else ""
    follows = bool(verb_tags(after) & FINITE) or is_auxiliary(after)
    if lower[place] in ("when", "where"):
        return bool(after) and after not in PREPOSITIONS and not is_auxiliary(after)
    return lower[place] in ("who", "which") and follows and before not in PREPOSITIONS and not is_auxiliary(before)


def is_dated(lower: Sequence[str]) -> bool:
    """Whether a year stands among the words."""
    return any(re.search(r"\b(?:1\d|20)\d\d\b", word) for word in lower)


def _cuts_at_articles(words: Sequence[str]) -> Iterator[Cut]:
    """Cuts before an article or a noun in the middle: "is X | a fruit"."""
    for place in range(1, len(words)):
        if plain(words[place]) in ARTICLES:
            yield Cut(tuple(words[:place]), words[place], tuple(words[place + 1 :]), -0.5)
