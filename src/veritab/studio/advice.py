"""What somebody is told while writing a claim: the requirements of FEVER (A.1, A.2, A.4, A.8) and FEVEROUS (7.9.1).

Rules over words are wrong at times. Hence they advise, and the writer decides; only what makes a claim unusable, and
can be told without doubt, forbids submitting it (`FORBIDDING`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz

from veritab.lexicon.grammar import (
    ADVERBS,
    DETERMINERS,
    NAME_PARTICLES,
    NEGATION_WORDS,
    PERSONAL_PRONOUNS,
    POSSESSIVES,
    PREPOSITIONS,
)
from veritab.lexicon.names import is_of_place
from veritab.lexicon.numbers import CALENDAR_WORDS
from veritab.schema import LONGEST_CLAIM
from veritab.studio.vocabulary import MutationType
from veritab.text import STOP_WORDS, Span, Token, stems, tokenize, words
from veritab.text import sentences as split_sentences


class AdviceCode(StrEnum):
    """What is wrong with a claim, or may be."""

    EMPTY = "empty"
    TOO_LONG = "too-long"
    REPEATED = "repeated"
    COPIED = "copied"
    NEARLY_COPIED = "nearly-copied"
    SEVERAL_SENTENCES = "several-sentences"
    NO_PERIOD = "no-period"
    QUESTION = "question"
    SMALL_LETTER = "small-letter"
    PRONOUN = "pronoun"
    TITLE_MISSING = "title-missing"
    VAGUE_COUNT = "vague-count"
    HEDGE = "hedge"
    SUBJECTIVE = "subjective"
    PLAIN_NEGATION = "plain-negation"
    OTHER_SCRIPT = "other-script"
    NEAR_CLAIM = "near-claim"
    GIVEAWAY = "giveaway"
    GOLD_FIRST = "gold-first"


FORBIDDING = frozenset({AdviceCode.EMPTY, AdviceCode.TOO_LONG, AdviceCode.REPEATED, AdviceCode.COPIED})
"""What nobody may submit: no words at all, more than a claim may have, or the very words of another claim of the sheet
or of a sentence that is to be written about, since verifying that would test nothing."""


class Advice(NamedTuple):
    """One thing to tell the writer, and the characters of the claim that it is about, where it is about some."""

    code: AdviceCode
    message: str
    span: Span | None = None

    @property
    def forbids(self) -> bool:
        """Whether the claim cannot be submitted as it is."""
        return self.code in FORBIDDING


def advise(
    claim: str,
    *,
    title: str = "",
    sentences: Iterable[str] = (),
    others: Iterable[str] = (),
    mutation: MutationType | None = None,
) -> list[Advice]:
    """What to tell the writer of a claim, what forbids it first, then from its beginning to its end.

    `title` is that of the page, `sentences` are those of the highlight, `others` the other claims of the sheet, with
    the one that this is a mutation of. Where a field may stay blank, the caller asks no advice for a blank one.
    """
    if len(claim) > LONGEST_CLAIM:
        too_long = f"The claim has {len(claim):,} characters, and {LONGEST_CLAIM:,} are the most: say it shorter."
        return [Advice(AdviceCode.TOO_LONG, too_long, (LONGEST_CLAIM, len(claim)))]
    claim_words, tokens = words(claim), tokenize(claim)
    if not claim_words or not any(token.is_word for token in tokens):
        return [Advice(AdviceCode.EMPTY, "Write a claim: one sentence that states a fact.")]
    name = _PARENTHESIS.sub("", title) or title
    named = _find_title(claim, name)
    given = list(sentences)
    found = [
        *_compare(claim_words, given, others),
        *_advise_on_form(claim),
        *_advise_on_capitals(tokens, name, named, given),
        *_advise_on_pronoun(tokens, named),
        *_advise_on_title(claim_words, name),
        *_advise_on_words(claim, tokens, named),
        *(_advise_on_negation(tokens) if mutation is MutationType.NEGATION else ()),
    ]
    return sorted(found, key=lambda advice: (not advice.forbids, advice.span or (0, 0)))


_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*\Z")  # what tells pages of one name apart: "Mercury (planet)"


def _find_title(claim: str, name: str) -> frozenset[int]:
    """The characters of a claim that are those of the page's name."""
    found = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", claim, re.IGNORECASE) if name else ()
    return frozenset(at for match in found for at in range(*match.span()))


# -- copies ------------------------------------------------------------------------------------------------

_NEARLY = 85
"""From so much likeness in words, of 100, a claim is nearly a sentence."""
_FEWEST_COPIED = 6
"""So many words in a row that stand in a sentence are cut out of it, and fewer may be a name or a plain fact."""


def _compare(claim: list[str], sentences: Sequence[str], others: Iterable[str]) -> Iterator[Advice]:
    if any(words(other) == claim for other in others):
        yield Advice(AdviceCode.REPEATED, "Another claim here says this in the same words: write a different one.")
    for sentence in map(words, sentences):
        if sentence == claim:
            yield Advice(AdviceCode.COPIED, "This is a sentence of the page, word for word: say something of your own.")
            return
    if any(_is_nearly(claim, words(sentence)) for sentence in sentences):
        yield Advice(
            AdviceCode.NEARLY_COPIED,
            "This is nearly a sentence of the page: combine several facts, or say it in words of your own.",
        )


def _is_nearly(claim: list[str], sentence: list[str]) -> bool:
    if fuzz.ratio(claim, sentence) >= _NEARLY:
        return True
    return len(claim) >= _FEWEST_COPIED and f" {' '.join(claim)} " in f" {' '.join(sentence)} "


# -- form --------------------------------------------------------------------------------------------------

_ENDS_WITH_PERIOD = re.compile(r"[.。．।][\"'”’»)\]]*\s*\Z")
_ENDS_WITH_QUESTION = re.compile(r"\?[\"'”’»)\]]*\s*\Z")


def _advise_on_form(claim: str) -> Iterator[Advice]:
    # "Jeopardy! is a quiz show" is one sentence: the next one would begin with a capital.
    starts = [start for start, _ in split_sentences(claim) if not claim[start].islower()]
    lines = [match.end() for match in re.finditer(r"\n\s*(?=\S)", claim)]
    if further := sorted(start for start in {*starts[1:], *lines} if start):
        yield Advice(
            AdviceCode.SEVERAL_SENTENCES,
            "A claim is one sentence: join them, or leave one out.",
            (further[0], len(claim.rstrip())),
        )
    end = len(claim.rstrip())
    if _ENDS_WITH_QUESTION.search(claim):
        yield Advice(AdviceCode.QUESTION, "A claim states something: turn the question into a statement.", (0, end))
    elif not _ENDS_WITH_PERIOD.search(claim):
        yield Advice(AdviceCode.NO_PERIOD, "End the claim with a period.", (end - 1, end))


_PAGES_AT_ONCE = 64
"""So many pages are written about at a time whose names need not be looked for with every letter."""


def _advise_on_capitals(
    tokens: Sequence[Token], name: str, named: frozenset[int], sentences: Sequence[str]
) -> Iterator[Advice]:
    first = next(token for token in tokens if token.is_word)
    names = _names_in(tuple(sentences))
    name_words = {token.lower for token in tokenize(name)[1:] if token.is_capital} - NAME_PARTICLES
    for token in tokens:
        if not token.text.islower() or not token.text[0].isalpha():
            continue
        if token is first and not (token.start in named and name[0].islower()):
            yield Advice(AdviceCode.SMALL_LETTER, "Begin the claim with a capital letter.", (token.start, token.end))
        elif token.lower in names or (token.lower in name_words and token.start in named):
            message = f"Write the name with a capital letter: “{token.text.capitalize()}”."
            yield Advice(AdviceCode.SMALL_LETTER, message, (token.start, token.end))


@lru_cache(maxsize=_PAGES_AT_ONCE)
def _names_in(sentences: tuple[str, ...]) -> frozenset[str]:
    """The words that sentences always write with a capital letter, though they begin none."""
    capitals, small = set[str](), set[str](STOP_WORDS | NAME_PARTICLES)
    for sentence in sentences:
        for token in tokenize(sentence)[1:]:
            (capitals if token.is_capital else small).add(token.lower)
    return frozenset(capitals - small)


# -- what the claim is about -------------------------------------------------------------------------------

_SUBJECT_PRONOUNS = PERSONAL_PRONOUNS | frozenset("i we you".split())
_FIRST_PRONOUNS = _SUBJECT_PRONOUNS | POSSESSIVES | frozenset("my our your this these".split())
_MAY_BEGIN_CLAUSES = frozenset("after before since until as like than".split())
_BEGINNINGS = PREPOSITIONS - _MAY_BEGIN_CLAUSES
_IN_DATES = CALENDAR_WORDS | DETERMINERS | frozenset("year years century early late of st nd rd th".split())


def _advise_on_pronoun(tokens: Sequence[Token], named: frozenset[int]) -> Iterator[Advice]:
    """A pronoun that nothing before it can explain: first of all, or after a phrase such as "In 1912," or "Later"."""
    place = _subject_place(tokens)
    if place is None or tokens[place].start in named:
        return
    token = tokens[place]
    yield Advice(
        AdviceCode.PRONOUN,
        f"Who or what is “{token.text}”? Write the name, so that the claim can be understood by itself.",
        (token.start, token.end),
    )


def _subject_place(tokens: Sequence[Token]) -> int | None:
    """Where a pronoun stands that is the subject of the sentence; "In its first year, Hawaii" explains its own."""
    first = next(place for place, token in enumerate(tokens) if token.is_word)
    if tokens[first].lower in _FIRST_PRONOUNS:
        # "I Kissed a Girl" is the name of a song.
        is_name = tokens[first].depth or (first + 1 < len(tokens) and tokens[first + 1].is_capital)
        return None if is_name else first
    place = next((place for place, token in enumerate(tokens) if token.lower in _SUBJECT_PRONOUNS), None)
    if place is None:
        return None
    opening, *phrase = (token for token in tokens[first:place] if token.is_word or token.text == ",")
    commas = sum(token.text == "," for token in phrase)
    is_date = all(token.is_number or token.lower in _IN_DATES or token.text == "," for token in phrase)
    is_whole = commas == 1 and phrase[-1].text == ","
    is_adverb = opening.lower in ADVERBS and commas == len(phrase)
    return place if is_adverb or (opening.lower in _BEGINNINGS and (is_date or is_whole)) else None


def _advise_on_title(claim: Sequence[str], name: str) -> Iterator[Advice]:
    title_words = words(name)
    title_words = [word for word in title_words if word not in STOP_WORDS] or title_words
    if not title_words or any(_are_related(word, other) for word in title_words for other in claim):
        return
    initials = "".join(token.lower[0] for token in tokenize(name) if token.is_capital)
    name_stems = stems(name)
    if initials in claim or any(is_of_place(word, name_stems) for word in claim):
        return
    yield Advice(
        AdviceCode.TITLE_MISSING,
        f"The claim has no word of “{name}”, the page it is about: will readers know what it speaks of?",
    )


_SHARED_LETTERS = 4


def _are_related(one: str, other: str) -> bool:
    """Whether two words begin alike, as "Italy" and "Italian" do; short words and numbers must be the same."""
    if one == other:
        return True
    return not one[0].isdigit() and len(one) >= _SHARED_LETTERS and one[:_SHARED_LETTERS] == other[:_SHARED_LETTERS]


# -- words to avoid ----------------------------------------------------------------------------------------

_VAGUE_COUNT = re.compile(
    r"\b(?:several|numerous|various|countless|(?<!\bas )(?<!\bhow )many|(?:a )?few|lots of|plenty of"
    r"|a (?:lot|number|handful|couple) of|(?<!\d )(?:dozens|hundreds|thousands|millions|billions) of"
    r"|rarely|barely|seldom|hardly|often|frequently|occasionally|sometimes|usually)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:probably|possibly|perhaps|maybe|presumably|supposedly|apparently|allegedly|reportedly|seemingly|arguably"
    r"|(?:un)?likely|(?<!\bthe )(?<!\bmilitary )might|(?-i:may)|could (?:be|have)|seem(?:s|ed)?|appear(?:s|ed) to"
    r"|(?:is|are|was|were) (?:said|believed|thought|reported|rumou?red|alleged) (?:to|that))\b",
    re.IGNORECASE,
)
_SUBJECTIVE = re.compile(
    r"\b(?:popular(?! vote)|famous|well-known|successful|iconic|legendary|beloved|beautiful|important|impressive"
    r"|interesting|amazing)\b",
    re.IGNORECASE,
)
_AVOIDED = (
    (_VAGUE_COUNT, AdviceCode.VAGUE_COUNT, "“{}” may be any number: give the number, or say it without."),
    (_HEDGE, AdviceCode.HEDGE, "“{}” makes the claim hard to settle: state the fact itself."),
    (_SUBJECTIVE, AdviceCode.SUBJECTIVE, "“{}” is a matter of opinion: say what can be looked up instead."),
)


def _advise_on_words(claim: str, tokens: Sequence[Token], named: frozenset[int]) -> Iterator[Advice]:
    first = next(token.start for token in tokens if token.is_word)
    for pattern, code, message in _AVOIDED:
        for match in pattern.finditer(claim):
            # A capital inside a sentence is that of a name: "Famous Players".
            if match.start() not in named and (match.start() == first or not match[0][0].isupper()):
                yield Advice(code, message.format(match[0]), match.span())


def _advise_on_negation(tokens: Iterable[Token]) -> Iterator[Advice]:
    for token in tokens:
        if token.lower in NEGATION_WORDS or token.lower.endswith(("n't", "n’t")):
            yield Advice(
                AdviceCode.PLAIN_NEGATION,
                f"“{token.text}” gives the negation away: say what is so instead, or what rules the claim out.",
                (token.start, token.end),
            )
