"""The readings of a question and its answer, listed by rule: every claim they may mean, the usual ones first.

A question is cut where its form allows it: before the verb that a fronted auxiliary belongs to, before the noun that a
question word takes, before an adjunct. Each cut, each place of the answer, each preposition and each tense is one more
reading, and a ranker chooses. What the rules disagree on is listed twice rather than decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import (
    AnswerPlace,
    Cut,
    cut_before_predicate,
    cut_before_verb,
    head_of,
    places,
    plain,
    verb_score,
)
from veritab.build.questions.phrases import (
    PERSON_NOUNS,
    PLACE_NOUNS,
    TIME_NOUNS,
    UNITS,
    AnswerPhrase,
    Asked,
    core_phrases,
    prepositional_phrases,
)
from veritab.build.questions.reading import QuestionReading, ReadingDraft, choose, joined, lower_first
from veritab.build.questions.word_forms import (
    BASE,
    FINITE,
    inflect,
    is_plural_noun,
    may_be_modifier,
    verb_tags,
    verbness,
)
from veritab.lexicon.grammar import (
    ARTICLES,
    BE,
    DETERMINERS,
    HAVE,
    MODALS,
    POSSESSIVES,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUBORDINATORS,
)
from veritab.text import squeeze

MOST_READINGS = 200
_DO = frozenset("do does did".split())
_PAST = {"is": "was", "are": "were", "has": "had", "have": "had", "can": "could"}
_PLURAL = {"is": "are", "was": "were", "has": "have"}
_SINGULAR = {plural: singular for singular, plural in _PLURAL.items()}
_WITH_NOUNS = frozenset("what which whose".split())
_DEGREES = frozenset(
    "many much long old far big tall high often deep wide large heavy fast late early close soon hot cold".split()
)
_CONTRACTED = re.compile(r"^(who|what|where|when|how|which)['’](s|re|d)$", re.I)
_CONTRACTIONS = {"s": "is", "re": "are", "d": "did"}
_TAIL = re.compile(r"[\s?!.]+$")
_MOST_ALTERNATIVE = 4
_BEFORE_TIMES = frozenset("since until from to by between before after during for around about".split())
_PRONOUNS = tuple([word] for word in "it they you we he she i".split())
_YES, _NO = frozenset(("yes", "true", "yeah")), frozenset(("no", "false", "nope"))


def list_readings(question: str, answer: str, most: int = MOST_READINGS) -> tuple[QuestionReading, ...]:
    """The claims that a question with its answer may mean: at most so many, always the same ones in the same order."""
    words = split_question(question)
    if not words or not answer:
        return ()
    lister = _Lister(AnswerForm(squeeze(answer)))
    return choose(lister.all(words), "" if lister.says_yes_or_no(words) else lister.answer.text, most)


def split_question(question: str) -> list[str]:
    """The words of a question: contractions of question words apart, the question mark gone."""
    found: list[str] = []
    words = _TAIL.sub("", squeeze(question)).split(" ")
    for place, word in enumerate(words):
        if found and word in (",", ";", ":"):
            found[-1] += word
            continue
        contracted = _CONTRACTED.match(word)
        if contracted and contracted[2].lower() == "s" and _is_perfect(words[place + 1 :]):
            found.extend((contracted[1], "has"))
        else:
            found.extend((contracted[1], _CONTRACTIONS[contracted[2].lower()]) if contracted else (word,))
    return [word for word in found if word]


def _is_perfect(words: Sequence[str]) -> bool:
    """Whether "'s" before these words is "has": a participle with its object follows, or "been"."""
    first, second = (*map(plain, words[:2]), "", "")[:2]
    return first == "been" or ("VBN" in verb_tags(first) and second in DETERMINERS)


def is_yes_no(words: Sequence[str]) -> bool:
    """Whether a question begins with its auxiliary, at once or after an adjunct and a comma."""
    return _auxiliary(plain(words[0])) or _fronted_adjunct(words) > 0


def _auxiliary(word: str) -> bool:
    return word in BE or word in HAVE or word in MODALS or word in _DO


def _fronted_adjunct(words: Sequence[str]) -> int:
    """How many words an adjunct before a comma and an auxiliary has: "in terms of botany, is ..."."""
    for place, word in enumerate(words[:-2]):
        if plain(word) in QUESTION_WORDS:
            return 0
        if word.endswith(",") and _auxiliary(plain(words[place + 1])):
            return place + 1 if plain(words[0]) in PREPOSITIONS else 0
    return 0


def _fronted_clause(words: Sequence[str], lower: Sequence[str]) -> int:
    """How many words a clause before a comma and the question itself has: "when it was 2017, what year was it"."""
    if lower[0] not in ("when", "if", "after", "before", "although", "while", "as"):
        return 0
    ends = (place + 1 for place, word in enumerate(words[:-2]) if word.endswith(",") and place > 1)
    return next((end for end in ends if lower[end] in QUESTION_WORDS - {"which", "where"}), 0)


class _Lister:
    """Lists the drafts of one question."""

    def __init__(self, answer: AnswerForm) -> None:
        self.answer = answer

    def says_yes_or_no(self, words: Sequence[str]) -> bool:
        return is_yes_no(words) and self.answer.text.lower().rstrip(".!") in _YES | _NO

    def all(self, words: list[str]) -> Iterator[ReadingDraft]:
        yield from self._whole(words)
        for shorter, chosen in self._without_alternatives(words):
            for draft in _Lister(AnswerForm("yes"))._whole(shorter) if chosen else self._whole(shorter):
                yield draft.add(-1, ("alternatives-removed", 1.0))
        if self.answer.is_predicate:
            yield from self._predicated(words)

    def _predicated(self, words: list[str]) -> Iterator[ReadingDraft]:
        """An answer that is a participle is said of the object, or of the subject of a yes/no question."""
        lower = [plain(word) for word in words]
        start = next((place for place, word in enumerate(lower) if word in QUESTION_WORDS), -1)
        subjects: list[tuple[str, ...]] = []
        if start >= 0 and start + 2 < len(words):
            if lower[start + 1 : start + 3] == ["happened", "to"]:
                yield from self._happened(words[start + 3 :])
                return
            subjects = [tuple(words[start + 2 :])]
        elif _auxiliary(lower[0]):
            subjects = [cut.subject for cut in cut_before_verb(words[1:], BASE)[:3]]
            short = (each[:-1] for each in subjects if len(each) > 1 and may_be_modifier(plain(each[-1])))
            subjects = [*short, *subjects]
        for rank, subject in enumerate(subjects):
            many = is_plural_noun(plain(head_of(subject)))
            for draft in (
                ReadingDraft((*words[: max(start, 0)], *subject, be, self.answer.text), rank - 2, ())
                for be in _both(many)
            ):
                yield draft.add(0, ("predicated", 1.0), (f"predicated:{rank}", 1.0))

    def _happened(self, words: Sequence[str]) -> Iterator[ReadingDraft]:
        """ "What happened to X in Y": "X was ANSWER in Y"."""
        for cut in (*cut_before_predicate(words, 1), Cut(tuple(words), "", (), -1.0)):
            be = "were" if is_plural_noun(plain(head_of(cut.subject))) else "was"
            said = joined(cut.subject, be, self.answer.text, cut.verb, cut.rest)
            yield ReadingDraft(said, -2 - cut.log, (("predicated", 1.0),))

    def _whole(self, words: list[str]) -> Iterator[ReadingDraft]:
        lower = [plain(word) for word in words]
        first = lower[0]
        clause = _fronted_clause(words, lower)
        if clause:
            for draft in self._whole(words[clause:]):
                yield from self._with_adjunct(words[:clause], draft)
        elif first in QUESTION_WORDS and len(words) > 1:
            yield from self._fronted(words, 0, "")
        elif len(words) > 2 and first in PREPOSITIONS and lower[1] in QUESTION_WORDS - {"when", "where"}:
            yield from self._fronted(words, 1, lower[0])
        elif _auxiliary(first) and len(words) > 2:
            yield from self._yes_no(words)
        else:
            yield from self._elsewhere(words, lower)

    # -- questions that begin with something else ----------------------------------------------------------

    def _elsewhere(self, words: list[str], lower: list[str]) -> Iterator[ReadingDraft]:
        asked = [place for place, word in enumerate(lower) if word in QUESTION_WORDS and place]
        adjunct = _fronted_adjunct(words)
        if adjunct:
            for draft in self._yes_no(words[adjunct:]):
                yield from self._with_adjunct(words[:adjunct], draft)
        for place in asked[:2]:
            start = place - (lower[place - 1] in PREPOSITIONS and place > 1 and len(words) > place + 2)
            comma = words[start - 1].endswith(",")
            opens = lower[0] in PREPOSITIONS or comma
            if start and place + 1 < len(words) and opens:
                preposition = lower[start] if start < place else ""
                for draft in self._fronted(words[start:], place - start, preposition):
                    yield from self._with_adjunct(words[:start], draft.add(0 if comma else 1))
        for place in asked:
            yield from self._in_place(words, place)
        comma = next((place for place, word in enumerate(words[:-1]) if word.endswith(",")), None)
        if comma and lower[0] in PREPOSITIONS and not asked and not adjunct:
            for draft in self._elliptical(words[comma + 1 :], lower[comma + 1 :], False, dated=_dated(lower)):
                yield from self._with_adjunct(words[: comma + 1], draft)
        # "actress who plays X" is a phrase about the answer, "X plays who" a question.
        relative = bool(asked) and len(asked) == 1 and _may_be_relative(lower, asked[0])
        yield from self._elliptical(words, lower, (bool(asked) and not relative) or adjunct > 0)

    def _with_adjunct(self, adjunct: Sequence[str], draft: ReadingDraft) -> Iterator[ReadingDraft]:
        """An adjunct from the front of a question: at the front of the claim too, or at its end."""
        head = [*adjunct[:-1], adjunct[-1].rstrip(",")]
        low = [head[0].lower() if head[0].lower() in PREPOSITIONS else head[0], *head[1:]]
        yield ReadingDraft(joined(adjunct, draft.words), draft.cost, (*draft.features, ("adjunct:front", 1.0)))
        yield ReadingDraft(joined(draft.words, low), draft.cost + 0.5, (*draft.features, ("adjunct:end", 1.0)))

    def _in_place(self, words: list[str], place: int) -> Iterator[ReadingDraft]:
        """A question word where the answer belongs: "... was founded in what year"."""
        asked, start = self._read_asked(words, place)
        before = plain(words[place - 1])
        preceded = before in PREPOSITIONS
        relative = _may_be_relative([plain(word) for word in words], place)
        lower = [plain(word) for word in words]
        pivots = [p for p in range(start, len(words)) if lower[p] in PREPOSITIONS or _auxiliary(lower[p])]
        found = dict.fromkeys([*pivots[:2], len(words), min(start + 1, len(words)), start])
        ends = [end for end in found if end == start or lower[end : end + 1] != ["of"]]
        if asked.word not in _WITH_NOUNS and asked.degree not in ("many", "much"):
            ends = [start]
        for rank, end in enumerate(ends):
            whole = Asked(asked.word, tuple(words[start:end]), asked.degree)
            forms = (
                core_phrases(whole, self.answer)
                if preceded or not whole.is_adverbial
                else prepositional_phrases(whole, self.answer)
            )
            for phrase in forms:
                features = (
                    ("in-place", 1.0),
                    (f"in-place:{'preposition' if preceded else 'bare'}", 1.0),
                    ("in-place:dropped", min(max(end - start - 1, 0), 4) / 4 * float(phrase.name.startswith("alone"))),
                    ("in-place:relative", float(relative)),
                    (f"phrase:{whole.kind}:{phrase.name}", 1.0),
                )
                yield ReadingDraft(
                    joined(words[:place], phrase.words, words[end:]), 1 + rank + phrase.cost + 4 * relative, features
                )

    def _elliptical(
        self, words: list[str], lower: list[str], asked: bool, *, dated: bool | None = None
    ) -> Iterator[ReadingDraft]:
        """A phrase without a question word: the answer is it, or it is the answer."""
        text = self.answer.text
        dated = _dated(lower) if dated is None else dated
        words = [lower_first(words[0]), *words[1:]]
        mark = ("elliptical:asked", float(asked))
        base = early = 6.0 if asked else 0.0
        if lower[-1] in BE:
            yield ReadingDraft(joined(words, text), base, (("elliptical:ends-in-be", 1.0), mark))
            for be in self._be(lower[-1], True):
                yield ReadingDraft(
                    joined(text, be.words, words[:-1]), base, (*be.features, ("elliptical:be-moved", 1.0), mark)
                )
            return
        if lower[-1] in PREPOSITIONS or lower[-1] in ("called", "named", "be"):
            yield ReadingDraft(joined(words, text), base, (("elliptical:ends-open", 1.0), mark))
        plural = is_plural_noun(head_of(lower))
        participle = "VBN" in verb_tags(lower[0]) and not may_be_modifier(lower[0])
        article = (
            () if plural or participle or lower[0] in ARTICLES | POSSESSIVES or words[0].endswith("'s") else ("the",)
        )
        for tense, (one, many) in (("past", ("was", "were")), ("present", ("is", "are"))):
            for copula in (many, one) if plural or self.answer.is_plural else (one,):
                base = early + ((tense == "past") != dated)
                features = (
                    mark,
                    (f"elliptical:{tense}{':dated' if dated else ''}", 1.0),
                    (f"elliptical:{'plural' if copula == many else 'singular'}", 1.0),
                )
                value = self.answer.kind != "name"
                last = (f"elliptical:answer-last{':value' if value else ''}", 1.0)
                yield ReadingDraft(joined(article, words, copula, text), base + (not value), (*features, last))
                first = ("elliptical:answer-first", 1.0)
                yield ReadingDraft(joined(text, copula, article, words), base + value, (*features, first))
                if plural and not self.answer.is_plural and not value and copula == one:
                    one_of = ("elliptical:one-of", 1.0)
                    phrase = words if lower[0] in ARTICLES | POSSESSIVES else ["the", *words]
                    yield ReadingDraft(joined(text, copula, "one of", phrase), base, (*features, one_of))

    # -- yes or no -----------------------------------------------------------------------------------------

    def _yes_no(self, words: list[str]) -> Iterator[ReadingDraft]:
        """A question that begins with its auxiliary: as a statement, denied for "no"."""
        answer = self.answer.text.lower().rstrip(".!")
        if answer not in _YES | _NO:
            return
        auxiliary, rest = words[0].lower(), words[1:]
        negated = answer in _NO
        if auxiliary in BE and plain(rest[0]) == "there":
            yield ReadingDraft(
                joined("there", auxiliary, ("no",) if negated else (), rest[1:]), 0, (("yes-no:there", 1.0),)
            )
            return
        if auxiliary in BE:
            for cut in [*cut_before_predicate(rest, 8), *_cuts_at_articles(rest)]:
                middle = ("not",) if negated else ()
                yield ReadingDraft(
                    joined(cut.subject, auxiliary, middle, cut.verb, cut.rest), -cut.log, (("cut", cut.log),)
                )
            return
        wanted = frozenset(("VBN",)) if auxiliary in HAVE else BASE
        for cut in cut_before_verb(rest, wanted):
            for form in self._verb_forms(auxiliary, cut, negated=negated):
                yield ReadingDraft(
                    joined(cut.subject, form.words, cut.rest), form.cost - cut.log, (*form.features, ("cut", cut.log))
                )

    def _without_alternatives(self, words: list[str]) -> Iterator[tuple[list[str], bool]]:
        """The question without a choice of which one side is the answer: "who won, X or Y?", "is it X or Y?".

        Where the question begins with its auxiliary, the answer takes the place of the choice.
        """
        lower = [plain(word) for word in words]
        if "or" not in lower[1:-1]:
            return
        place = lower.index("or", 1)
        answer = " ".join(self.answer.words).replace("-", " ").split()
        answer = [word for word in answer if word not in ARTICLES]
        for before in range(1, _MOST_ALTERNATIVE + 1):
            for after in range(1, _MOST_ALTERNATIVE + 1):
                sides = (lower[max(place - before, 0) : place], lower[place + 1 : place + 1 + after])
                named = [[word for word in side if word not in ARTICLES] for side in sides]
                if answer not in named or place - before < 1:
                    continue
                following = lower[place + 1 + after] if place + 1 + after < len(lower) else ""
                if lower[place - before - 1] in ARTICLES and self.answer.words[0] in ARTICLES:
                    continue
                # Where the answer is the first of the two, only a boundary shows where the second ends.
                open_end = following and following not in PREPOSITIONS and not verb_tags(following)
                if (answer != named[1] and open_end) or sides[1][-1:] == ["or"]:
                    continue
                head, tail = words[: place - before], words[place + 1 + after :]
                if is_yes_no(words):
                    yield [*head, self.answer.text, *tail], True
                elif not tail:
                    yield [*head[:-1], head[-1].rstrip(",:;-")], False

    # -- questions with a question word in front -----------------------------------------------------------

    def _read_asked(self, words: Sequence[str], place: int) -> tuple[Asked, int]:
        word = plain(words[place])
        following = plain(words[place + 1]) if place + 1 < len(words) else ""
        if word == "how" and following in _DEGREES:
            return Asked(word, (), following), place + 2
        return Asked(word), place + 1

    def _fronted(self, words: list[str], place: int, preposition: str) -> Iterator[ReadingDraft]:
        bare, start = self._read_asked(words, place)
        rest = words[start:]
        lower = [plain(word) for word in rest]
        pivots = self._pivots(bare, lower)
        if not any(map(_auxiliary, lower)):
            surest = max((verb_score(lower, pivot) for pivot in pivots), default=-3.0)
            if surest < (1 if bare.degree else 0):
                for draft in self._verbless(bare, rest, lower):
                    yield draft.add(max(surest + 1, 0.0), ("verbless", 1.0), ("verbless:verb", max(surest, -3.0)))
        surest = max((verb_score(lower, pivot) for pivot in pivots), default=0.0)
        adverbial = Asked(bare.word, (), bare.degree).is_adverbial
        for rank, pivot in enumerate(pivots):
            noun = tuple(rest[:pivot])
            asked = Asked(bare.word, noun, bare.degree, preposition)
            verb, tail = lower[pivot], rest[pivot + 1 :]
            pivot_features: tuple[tuple[str, float], ...] = (("pivot", float(rank)),)
            doubt = 0.0
            if not _auxiliary(verb):
                score = verb_score(lower, pivot)
                later = float(any(_auxiliary(word) for word in lower[pivot + 1 :]))
                doubt = max(1 - score, 0) * 0.7 + later * (bare.word in _WITH_NOUNS or bool(bare.degree) or adverbial)
                doubt += 0.5 * (surest - score)
                pivot_features += (("pivot:verb", min(score, 3)), ("pivot:auxiliary-later", later))
                pivot_features += (("pivot:surer", min(surest - score, 4.0)),)
            if bare.word not in _WITH_NOUNS and not bare.degree and noun:
                yield from self._modified(bare, noun, preposition, verb, tail, pivot_features, rank)
                continue
            for draft in self._pivoted(asked, verb, tail):
                yield draft.add(0.5 * rank + doubt, *pivot_features)

    def _verbless(self, bare: Asked, rest: list[str], lower: list[str]) -> Iterator[ReadingDraft]:
        """A question without its verb: "how many cups for a cake", "who the king of spain"."""
        if bare.degree in ("many", "much"):
            needed = "for" in lower[1:]
            ends = (place for place, word in enumerate(lower) if place and word in PREPOSITIONS)
            end = lower.index("for", 1) if needed else next(ends, len(rest))
            for phrase in core_phrases(Asked(bare.word, tuple(rest[:end]), bare.degree), self.answer):
                features = ((f"phrase:{bare.kind}:{phrase.name}", 1.0),)
                be = "are" if self.answer.is_plural or (bare.degree == "many" and not self.answer.is_one) else "is"
                if needed:
                    takes = (*features, ("verbless:takes", 1.0))
                    yield ReadingDraft(joined("it takes", phrase.words, rest[end:]), phrase.cost + 1, takes)
                    yield ReadingDraft(joined(phrase.words, be, "needed", rest[end:]), phrase.cost, features)
                there = (*features, ("verbless:there", 1.0))
                yield ReadingDraft(joined("there", be, phrase.words, rest[end:]), phrase.cost + needed, there)
        elif not bare.degree and bare.word not in ("when", "where", "why", "how"):
            yield from self._elliptical(rest, lower, False)
        else:
            for phrase in prepositional_phrases(Asked(bare.word, (), bare.degree), self.answer):
                features = ((f"phrase:{bare.kind}:{phrase.name}", 1.0),)
                yield ReadingDraft(joined(rest, "is", phrase.words), phrase.cost, features)

    def _pivots(self, asked: Asked, lower: list[str]) -> list[int]:
        """Where the auxiliary or verb after the question word and its noun may be, in the order they come."""
        takes_noun = asked.word in _WITH_NOUNS or bool(asked.degree)
        if asked.word == "what" and len(lower) > 1 and verb_tags(lower[0]) & FINITE and not _auxiliary(lower[0]):
            # "what causes tides" has its verb at once, "what plays did X write" has not.
            takes_noun = verbness(lower[0]) < 1.5 or any(map(_auxiliary, lower[1:6]))
        found = []
        for place, word in enumerate(lower):
            if _auxiliary(word):
                # "make" of "what make did he drive" is no verb.
                found = [place] if takes_noun and word in _DO and place < 6 else [*found, place]
                break
            if verb_tags(word) & FINITE and (place or not asked.degree):
                found.append(place)
                if not takes_noun and place == 0:
                    break
        return found[:5]

    def _modified(
        self,
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
        if asked.is_adverbial and not _auxiliary(verb):
            for phrase in prepositional_phrases(asked, self.answer):
                words = joined(noun, verb, tail, phrase.words)
                yield ReadingDraft(
                    words,
                    rank + phrase.cost,
                    (*features, ("not-inverted", 1.0), (f"phrase:{asked.kind}:{phrase.name}", 1.0)),
                )
        stripped = (*noun[:-1], noun[-1].rstrip(","))
        subject = bare.word in ("who", "whom")
        for draft in self._pivoted(asked, verb, tail):
            marked = draft.add(1.5 * rank, *features)
            words = marked.words
            if subject and words[:1] == (self.answer.text,):
                yield ReadingDraft(
                    joined(words[0], stripped, words[1:]), marked.cost, (*marked.features, ("between", 1.0))
                )
                continue
            yield ReadingDraft(joined(words, stripped), marked.cost + 1, (*marked.features, ("between:end", 1.0)))
            comma = (*stripped[:-1], f"{stripped[-1]},")
            yield ReadingDraft(joined(comma, words), marked.cost + 1, (*marked.features, ("between:front", 1.0)))
            yield ReadingDraft(words, marked.cost + 2, (*marked.features, ("between:dropped", 1.0)))

    def _pivoted(self, asked: Asked, verb: str, tail: list[str]) -> Iterator[ReadingDraft]:
        if asked.preposition and _auxiliary(verb) and verb not in BE:
            yield from self._inverted(asked, verb, tail, frozenset(("VBN",)) if verb in HAVE else BASE)
        elif verb in _DO:
            if not asked.degree or not cut_before_verb(tail, BASE, 1):
                yield from self._subject(asked, verb, tail)
            yield from self._inverted(asked, verb, tail, BASE)
        elif verb in BE:
            yield from self._copula(asked, verb, tail)
        elif verb in HAVE:
            yield from self._subject(asked, verb, tail)
            yield from self._inverted(asked, verb, tail, frozenset(("VBN",)))
        elif verb in MODALS:
            yield from self._subject(asked, verb, tail)
            yield from self._inverted(asked, verb, tail, BASE)
        else:
            yield from self._subject(asked, verb, tail)

    def _subject(self, asked: Asked, verb: str, tail: Sequence[str]) -> Iterator[ReadingDraft]:
        """The answer is the subject: "ANSWER wrote it", "ANSWER is the novel that was first"."""
        kind = asked.kind
        ends_open = float(bool(tail) and plain(tail[-1]) in PREPOSITIONS)
        shape = "do" if verb in _DO else "be" if verb in BE else "have" if verb in HAVE else "verb"
        copular, lower = shape == "be", [plain(word) for word in tail]
        # Numbers and dates are said last: "the population is 66,135".
        measured = copular and kind in ("what", "noun") and self.answer.kind != "name"
        base = (
            (f"subject:{kind}:{shape}{':value' if measured else ''}", 1.0),
            ("subject:ends-in-preposition", ends_open),
            ("subject:no-rest", float(not tail)),
            ("subject:pronoun", float(copular and lower[:1] in _PRONOUNS)),
            ("subject:predicate", float(copular and kind == "what" and _has_predicate(lower))),
            ("subject:setting", float(copular and _is_setting(asked) and _has_predicate(lower))),
            ("subject:verb-follows", _verb_follows(shape, tail)),
        )
        # One of several never "has": in "how many golds has Brazil won" the subject comes after the verb.
        disagrees = asked.degree == "many" and verb in ("has", "was", "does", "is") and not self.answer.is_one
        base += (("subject:disagrees", float(disagrees or (shape != "verb" and asked.head == "times"))),)
        cost = 1.5 * measured
        cost += (
            4.0 * (asked.is_adverbial or (bool(asked.degree) and not asked.noun))
            + 4 * ends_open
            + 3 * base[-3][1]
            + base[-2][1]
            + 3 * base[-4][1]
            + 4 * base[-5][1]
            + 4 * base[-1][1]
        )
        for form in self._agreeing(verb, asked.degree == "many"):
            features = (*base, *form.features)
            for phrase in core_phrases(asked, self.answer):
                named = (f"phrase:{kind}:{phrase.name}", 1.0)
                yield ReadingDraft(
                    joined(phrase.words, form.words, tail), cost + form.cost + phrase.cost, (*features, named)
                )
        if shape == "verb" and "VBN" in verb_tags(verb) and plain((*tail, "")[0]) in ("to", "by", "as"):
            be = "were" if self.answer.is_plural else "was"
            for phrase in list(core_phrases(asked, self.answer))[:2]:
                yield ReadingDraft(
                    joined(phrase.words, be, verb, tail), 1.5 + phrase.cost, (*base, ("verb:passive", 1.0))
                )
        if kind == "noun" and not asked.preposition:
            for form in self._finite(verb):
                clause = joined(form.words, tail)
                for relative in ("that", "who", "which"):
                    for draft in self._cleft(asked, (relative,), clause, verb):
                        wanted = "who" if asked.head in PERSON_NOUNS else "that"
                        yield draft.add(
                            cost + form.cost + (relative != wanted),
                            *base[1:],
                            ("cleft:subject", 1.0),
                            (f"cleft:{'usual' if relative == wanted else 'other'}-relative", 1.0),
                            *form.features,
                        )

    def _cleft(
        self, asked: Asked, relative: tuple[str, ...], clause: Sequence[str], verb: str
    ) -> Iterator[ReadingDraft]:
        """ "ANSWER is the N that ...", and the other way round."""
        past = verb in ("was", "were", "did", "had") or "VBD" in verb_tags(verb)
        plural = is_plural_noun(asked.head)
        noun = joined("the", asked.noun)
        many = self.answer.is_plural or plural
        for tense, (one, several) in (("present", ("is", "are")), ("past", ("was", "were"))):
            for be in (several, one) if many else (one,):
                features = (
                    (f"cleft:{tense}:{'past' if past else 'present'}", 1.0),
                    (f"cleft:{'plural' if be == several else 'singular'}:{'plural' if many else 'singular'}", 1.0),
                )
                cost = (tense == "past") * (0.5 if past else 1) + 0.5 * (many and be == one)
                yield ReadingDraft(
                    joined(self.answer.text, be, noun, relative, clause), cost + 1, (*features, ("cleft:first", 1.0))
                )
                yield ReadingDraft(
                    joined(noun, relative, clause, be, self.answer.text), cost + 2, (*features, ("cleft:last", 1.0))
                )

    def _copula(self, asked: Asked, verb: str, tail: list[str]) -> Iterator[ReadingDraft]:
        """A form of "be": the answer is its subject, its complement, or the time or place of a predicate."""
        lower = [plain(word) for word in tail]
        kind = asked.kind
        if lower[:1] == ["there"]:
            yield from self._existential(asked, verb, tail[1:])
            return
        if asked.word == "how" and asked.degree in ("many", "much") and tail:
            for be in self._be(verb, True):
                for phrase in core_phrases(asked, self.answer):
                    named = (f"phrase:{kind}:{phrase.name}", 1.0)
                    yield ReadingDraft(
                        joined("there", be.words, phrase.words, tail), 4 + be.cost + phrase.cost,
                        (*be.features, named, ("copula:there", 1.0)),
                    )  # fmt: skip
        if not asked.preposition:
            yield from self._subject(asked, verb, tail)
        if verb in ("is", "are") and lower and "VBN" in verb_tags(lower[0]) and asked.kind in ("who", "noun", "what"):
            for form in self._agreeing("has" if verb == "is" else "have"):
                for draft in self._subject_alone(asked, form, tail):
                    yield draft.add(2, ("subject:has-for-is", 1.0))
        for repaired in self._repaired(tail, lower):
            for draft in self._complement(asked, verb, repaired):
                yield draft.add(0, ("repaired", 1.0))
            for be in self._be(verb, True):
                yield ReadingDraft(joined(self.answer.text, be.words, repaired), 1, (*be.features, ("repaired", 1.0)))
        yield from self._complement(asked, verb, tail)
        for cut in cut_before_predicate(tail):
            for be in self._be(verb, False):
                if plain(cut.verb) not in SUBORDINATORS:
                    yield from self._placed(asked, cut, joined(be.words, cut.verb), be, f"be:{_predicate(cut.verb)}")
                if cut.log > -2.5:
                    yield from self._before_predicate(asked, cut, be)
                    yield from self._extraposed(asked, cut, be)
                    yield from self._wh_cleft(asked, cut, be)

    def _subject_alone(self, asked: Asked, form: ReadingDraft, tail: Sequence[str]) -> Iterator[ReadingDraft]:
        for phrase in list(core_phrases(asked, self.answer))[:2]:
            yield ReadingDraft(joined(phrase.words, form.words, tail), form.cost + phrase.cost, form.features)

    def _repaired(self, tail: Sequence[str], lower: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """A tail with an auxiliary of its own put right: "the date did X make it" is "the date X made it"."""
        place = next((place for place, word in enumerate(lower) if place and word in _DO), None)
        if place is not None:
            for cut in cut_before_verb(tail[place + 1 :], BASE, 2):
                for form in self._verb_forms(lower[place], cut):
                    yield joined(tail[:place], cut.subject, form.words, cut.rest)

    def _complement(self, asked: Asked, verb: str, tail: Sequence[str]) -> Iterator[ReadingDraft]:
        """The rest is the subject, and the answer what it is: "the population of X is ANSWER"."""
        lower = [plain(word) for word in tail]
        kind = asked.kind
        if asked.degree == "far" and "from" in lower:
            yield from self._distance(verb, tail, lower)
            return
        if not asked.preposition and not (asked.degree == "many" and asked.noun):
            phrases = list(core_phrases(asked, self.answer))
            if asked.is_adverbial:
                phrases = [AnswerPhrase((self.answer.text,), "alone", 0), *prepositional_phrases(asked, self.answer)]
            clause = float(bool(asked.degree) and any(word in ("when", "if", "after") for word in lower))
            value = "value" if self.answer.kind != "name" else "name"
            for be in self._be(verb, False):
                for phrase in phrases:
                    features = (
                        (f"complement:{kind}:{value}", 1.0),
                        ("complement:time", float(any(word in ("time", "date", "day") for word in lower[:4]))),
                        ("complement:predicate", float(_has_predicate(lower))),
                        ("complement:clause", clause),
                        (f"phrase:{kind}:{phrase.name}", 1.0),
                    )
                    yield ReadingDraft(
                        joined(tail, be.words, phrase.words),
                        1 + be.cost + phrase.cost + 2 * clause + (bool(asked.noun) and value == "name"),
                        (*features, *be.features),
                    )
            unit = lower[-1] if len(lower) > 3 and lower[-2] == "in" and is_plural_noun(lower[-1]) else ""
            if unit and asked.degree and self.answer.kind == "number":
                for be in self._be(verb, False):
                    for end in ((asked.degree,), ()) if asked.degree in UNITS else ((),):
                        words = joined(tail[:-2], be.words, self.answer.text, unit, end)
                        yield ReadingDraft(
                            words, be.cost + (not end), (*be.features, ("unit", 1.0), ("unit:alone", float(not end)))
                        )

    def _distance(self, verb: str, tail: Sequence[str], lower: list[str]) -> Iterator[ReadingDraft]:
        """ "X is 30 miles from Y": the unit that the question names goes with the number."""
        if lower[-2:-1] == ["in"] and self.answer.kind == "number":
            start = lower.index("from")
            for be in self._be(verb, False):
                words = joined(tail[:start], be.words, self.answer.text, tail[-1], tail[start:-2])
                yield ReadingDraft(words, be.cost, (*be.features, ("unit", 1.0)))

    def _wh_cleft(self, asked: Asked, cut: Cut, be: ReadingDraft) -> Iterator[ReadingDraft]:
        """ "ANSWER is where it was filmed", "ANSWER is what it is called"."""
        if asked.word in ("what", "where", "when", "who") and not asked.noun:
            for copula in ("is", "was") if be.words[0] in ("was", "were") else ("is",):
                clause = joined(cut.subject, be.words, cut.verb, cut.rest)
                features = (("wh-cleft", 1.0), (f"wh-cleft:{asked.word}", 1.0), ("cut", cut.log), *be.features)
                yield ReadingDraft(
                    joined(self.answer.text, copula, asked.word, clause), 3 + be.cost - cut.log, features
                )
                if plain(cut.subject[0]) in ARTICLES:
                    yield ReadingDraft(
                        joined(self.answer.text, copula, clause),
                        4 + be.cost - cut.log,
                        (*features, ("wh-cleft:none", 1.0)),
                    )

    def _before_predicate(self, asked: Asked, cut: Cut, be: ReadingDraft) -> Iterator[ReadingDraft]:
        """The answer between "be" and the rest: "X was six days old when ..."."""
        forms = prepositional_phrases(asked, self.answer) if asked.is_adverbial else core_phrases(asked, self.answer)
        for phrase in list(forms)[:4]:
            if asked.degree == "many" and plain(cut.verb) in PREPOSITIONS:
                continue
            if phrase.words[0] in PREPOSITIONS and _predicate(cut.verb) == "participle":
                continue
            features = (
                (f"before-predicate:{asked.kind}:{_predicate(cut.verb)}", 1.0),
                ("cut", cut.log),
                (f"phrase:{asked.kind}:{phrase.name}", 1.0),
                *be.features,
            )
            wanted = asked.degree == "far" and plain(cut.verb) == "from"
            cost = 1.5 + phrase.cost + be.cost - cut.log - 2 * wanted
            yield ReadingDraft(joined(cut.subject, be.words, phrase.words, cut.verb, cut.rest), cost, features)

    def _extraposed(self, asked: Asked, cut: Cut, be: ReadingDraft) -> Iterator[ReadingDraft]:
        """A relative clause brought back to its noun: "the seat that was not for safety was made in ..."."""
        lower = [plain(word) for word in cut.rest]
        relative = next((place for place, word in enumerate(lower) if word in ("that", "where", "which", "who")), None)
        if relative is None or relative > 3 or "VBN" not in verb_tags(plain(cut.verb)):
            return
        forms = prepositional_phrases(asked, self.answer) if asked.is_adverbial else core_phrases(asked, self.answer)
        for phrase in list(forms)[:3]:
            features = (
                ("extraposed", 1.0),
                ("cut", cut.log),
                (f"phrase:{asked.kind}:{phrase.name}", 1.0),
                *be.features,
            )
            words = joined(cut.subject, cut.rest[relative:], be.words, cut.verb, cut.rest[:relative], phrase.words)
            yield ReadingDraft(words, phrase.cost + be.cost - cut.log, features)

    def _existential(self, asked: Asked, verb: str, tail: Sequence[str]) -> Iterator[ReadingDraft]:
        """ "There are 12 seasons as of 2017", "12 seasons are there"."""
        for be in self._be(verb, True):
            for phrase in core_phrases(asked, self.answer):
                features = (*be.features, (f"phrase:{asked.kind}:{phrase.name}", 1.0))
                cost = be.cost + phrase.cost
                yield ReadingDraft(
                    joined("there", be.words, phrase.words, tail), cost, (*features, ("existential:there", 1.0))
                )
                yield ReadingDraft(
                    joined(phrase.words, be.words, "there", tail), cost + 1, (*features, ("existential:last", 1.0))
                )

    def _inverted(
        self, asked: Asked, auxiliary: str, tail: list[str], wanted: frozenset[str]
    ) -> Iterator[ReadingDraft]:
        """An auxiliary before its subject: the verb it belongs to is found, and takes its tense."""
        shape = "do" if auxiliary in _DO else "have" if auxiliary in HAVE else "modal"
        misused = frozenset(("VBD", "VBN")) if shape == "do" else frozenset[str]()
        cuts = cut_before_verb(tail, wanted, misused=misused)
        for cut in cuts:
            for form in self._verb_forms(auxiliary, cut):
                yield from self._placed(asked, cut, form.words, form, shape)
                if asked.kind == "noun":
                    yield from self._object_cleft(asked, cut, form, auxiliary)

    def _object_cleft(self, asked: Asked, cut: Cut, form: ReadingDraft, auxiliary: str) -> Iterator[ReadingDraft]:
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
            for draft in self._cleft(asked, relative, clause, auxiliary):
                yield draft.add(
                    1 + form.cost + 0.5 * place - cut.log,
                    ("cleft:object", 1.0),
                    (f"cleft:object:{fits}:{name}", 1.0),
                    ("cut", cut.log),
                    *form.features,
                )

    def _placed(
        self, asked: Asked, cut: Cut, verb: Sequence[str], form: ReadingDraft, shape: str
    ) -> Iterator[ReadingDraft]:
        """The answer in every place after the verb, in every form that the place allows."""
        rest = cut.rest
        if asked.preposition and rest and plain(rest[-1]) == asked.preposition:
            rest = rest[:-1]
        adverbial = asked.is_adverbial or asked.preposition or (asked.kind == "noun" and _is_setting(asked))
        found = list(places(rest))
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
        object_follows |= len(verb) > 1 and "VBD" in verb_tags(last) and _names_occasion(cut.subject)
        for rank, place in enumerate(found):
            open_end = place.name.startswith("stranded") or (place.gap == 0 and opens)
            if open_end:
                phrases = [*core_phrases(Asked(asked.word, asked.noun, asked.degree), self.answer)]
                if asked.word in ("where", "when"):
                    phrases = [AnswerPhrase((self.answer.text,), "alone", 0)]
            elif adverbial:
                phrases = list(prepositional_phrases(asked, self.answer))
            else:
                phrases = list(core_phrases(asked, self.answer))
                if asked.kind == "noun":
                    phrases += [each._replace(cost=each.cost + 1) for each in prepositional_phrases(asked, self.answer)]
            role = "adverbial" if adverbial else "core"
            # A verb's object stands right after it; a time or a place may stand anywhere.
            nearness = {"after-verb": 0, "end": 1, "after-be": 0}
            far = 0 if open_end else rank if adverbial else nearness.get(place.name, 1 + rank)
            for phrase in phrases:
                features = (
                    (f"{shape}:{asked.kind}", 1.0),
                    (f"place:{role}:{place.name}", 1.0),
                    (f"phrase:{asked.kind}:{phrase.name}", 1.0),
                    ("place:words-after", min(len(rest) - place.gap, 6) / 6),
                    ("place:stranded-unused", float(stranded and not open_end)),
                    ("place:passive-object", float(object_follows)),
                    ("cut", cut.log),
                    *form.features,
                )
                words = joined(cut.subject, verb, rest[: place.gap], phrase.words, rest[place.gap :])
                cost = 0.5 + form.cost + far + phrase.cost - cut.log + 2 * (stranded and not open_end)
                cost += 2 * object_follows
                yield ReadingDraft(words, cost, features)

    # -- forms of verbs ------------------------------------------------------------------------------------

    def _be(self, verb: str, of_answer: bool) -> Iterator[ReadingDraft]:
        """A form of "be" as it is and in the past; where the answer is its subject, in the answer's number too."""
        numbers = [(verb, "kept")]
        if of_answer:
            other = _PLURAL.get(verb) if self.answer.is_plural else _SINGULAR.get(verb) if self.answer.is_one else None
            if other:
                numbers = [(other, "answer"), (verb, "kept")]
        for form, number in numbers:
            features = ((f"number:{number}:{'plural' if self.answer.is_plural else 'singular'}", float(of_answer)),)
            yield ReadingDraft((form,), 0.5 * (form != numbers[0][0]), (*features, ("tense:kept", 1.0)))
            if form in _PAST:
                yield ReadingDraft((_PAST[form],), 1 + 0.5 * (form != numbers[0][0]), (*features, ("tense:past", 1.0)))

    def _agreeing(self, verb: str, counted: bool = False) -> Iterator[ReadingDraft]:
        """A finite verb of which the answer is the subject."""
        if verb in BE:
            yield from self._be(verb, True)
            return
        numbers = [(verb, "kept")]
        tags = verb_tags(verb)
        if counted and not self.answer.is_one:
            pass
        elif verb in HAVE or "VBD" not in tags:
            if self.answer.is_plural and ("VBZ" in tags or verb in ("has", "does")):
                numbers.append((_PLURAL.get(verb) or inflect(verb, "VB"), "plural"))
            elif not self.answer.is_plural and verb in ("have", "do"):
                numbers.append(("has" if verb == "have" else "does", "singular"))
            elif not self.answer.is_plural and "VBP" in tags and verb not in MODALS:
                numbers.append((inflect(verb, "VBZ"), "singular"))
        for form, number in numbers:
            features = (f"number:{number}:{'plural' if self.answer.is_plural else 'singular'}", 1.0)
            for variant in self._finite(form):
                yield variant.add(0.5 * (form != numbers[-1][0]), features)

    def _finite(self, verb: str) -> Iterator[ReadingDraft]:
        """A finite verb as it is, and in the past."""
        yield ReadingDraft((verb,), 0, (("tense:kept", 1.0),))
        past = _PAST.get(verb) if verb in BE or verb in HAVE else None
        if not past and verb not in MODALS and "VBD" not in verb_tags(verb):
            past = inflect(verb, "VBD")
        if past and past != verb:
            yield ReadingDraft((past,), 1, (("tense:past", 1.0),))

    def _verb_forms(self, auxiliary: str, cut: Cut, *, negated: bool = False) -> Iterator[ReadingDraft]:
        """A verb with the tense of the auxiliary that stood in front."""
        verb = plain(cut.verb)
        mark = cut.verb[len(cut.verb.rstrip(",;:")) :]
        if auxiliary not in _DO or negated:
            middle = ("not",) if negated else ()
            yield ReadingDraft(joined(auxiliary, middle, cut.verb), 0, (("tense:kept", 1.0),))
            if auxiliary == "will" and not negated:
                past = "was" if verb == "be" else inflect(verb, "VBD")
                yield ReadingDraft((past + mark,), 1, (("tense:past", 1.0), ("tense:will", 1.0)))
            return
        if not verb_tags(verb) & BASE:
            following = plain((*cut.rest, "")[0])
            object_follows = bool(following) and following not in PREPOSITIONS
            form = "object" if object_follows else "none"
            kept = ("tense:kept", 1.0)
            yield ReadingDraft((cut.verb,), 0, (kept, (f"verb:finite-already:{form}", 1.0)))
            yield ReadingDraft(("was", cut.verb), 0.5 + object_follows, (kept, (f"verb:passive:{form}", 1.0)))
            return
        tag = {"did": "VBD", "does": "VBZ", "do": "VBP"}[auxiliary]
        yield ReadingDraft((inflect(verb, tag) + mark,), 0, (("tense:kept", 1.0),))
        if auxiliary != "did":
            yield ReadingDraft((inflect(verb, "VBD") + mark,), 1, (("tense:past", 1.0),))


# -- what words look like ----------------------------------------------------------------------------------


def _both(many: bool) -> tuple[str, ...]:
    return ("are", "were") if many else ("is", "was")


def _names_occasion(words: Sequence[str]) -> bool:
    """Whether words begin with a time and go on with what happened then: "the last time the brewers"."""
    lower = [plain(word) for word in words[:4]]
    place = next((place for place, word in enumerate(lower) if word in TIME_NOUNS), 0)
    return lower[:1] == ["the"] and 0 < place < len(words) - 1 and plain(words[place + 1]) not in PREPOSITIONS


def _is_particle(place: AnswerPlace, rest: Sequence[str]) -> bool:
    """Whether a place is after a word that begins no time, and so belongs to its verb: "sworn in"."""
    return place.name.startswith("stranded") and plain(rest[place.gap - 1]) not in _BEFORE_TIMES


def _may_be_relative(lower: Sequence[str], place: int) -> bool:
    """Whether a question word inside a phrase may begin a relative clause: a noun comes before it, a verb after."""
    before = lower[place - 1] if place else ""
    after = lower[place + 1] if place + 1 < len(lower) else ""
    follows = bool(verb_tags(after) & FINITE) or _auxiliary(after)
    return lower[place] in ("who", "which") and follows and before not in PREPOSITIONS and not _auxiliary(before)


def _dated(lower: Sequence[str]) -> bool:
    return any(re.search(r"\b(?:1\d|20)\d\d\b", word) for word in lower)


def _has_predicate(lower: Sequence[str]) -> bool:
    """Whether words after "be" end in a participle or a preposition, and so want something between."""
    last = lower[-1] if lower else ""
    return last in PREPOSITIONS or ("VBN" in verb_tags(last) and verbness(last) > 0)


def _predicate(verb: str) -> str:
    word = plain(verb)
    tags = verb_tags(word)
    if "VBN" in tags or "VBG" in tags:
        return "participle" if "VBN" in tags else "progressive"
    if word in PREPOSITIONS:
        return "preposition"
    return "clause" if word in QUESTION_WORDS or word in ("that", "if") else "other"


def _verb_follows(shape: str, tail: Sequence[str]) -> float:
    """How surely a verb follows that a form of "do" belongs to, so that "do" is not the verb itself."""
    if shape != "do":
        return 0.0
    best = max((cut.score for cut in cut_before_verb(tail, BASE, 1)), default=-2.0)
    return min(max(best + 2, 0.0), 4.0)


def _is_setting(asked: Asked) -> bool:
    """Whether a noun names a time, a place or a part of a series: what things happen in."""
    return asked.head in TIME_NOUNS or asked.head in PLACE_NOUNS


def _cuts_at_articles(words: Sequence[str]) -> Iterator[Cut]:
    """Cuts before an article or a noun in the middle: "is X | a fruit"."""
    for place in range(1, len(words)):
        if plain(words[place]) in ARTICLES:
            yield Cut(tuple(words[:place]), words[place], tuple(words[place + 1 :]), -0.5)
