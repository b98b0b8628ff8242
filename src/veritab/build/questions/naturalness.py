"""How naturally a claim reads, by what good sentences do not have: the factor that its confidence is cut by.

The ranker's margin says which of several readings is meant. It does not say whether the best of them is good English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from veritab.build.inflection import BASE, is_plural_noun, lemma_of, verb_tags
from veritab.build.questions.answers import AnswerForm
from veritab.build.questions.clauses import plain
from veritab.build.questions.verb_forms import DO
from veritab.build.questions.verbness import verbness
from veritab.lexicon.grammar import (
    ARTICLES,
    AUXILIARIES,
    BE,
    MODALS,
    NEGATIONS,
    PREPOSITIONS,
)

ODD = 0.5
"""What each oddity leaves of the confidence."""
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_LISTS = re.compile(r"\b(?:in|the) order\b|\bselect (?:one|all)\b|\bwhich of the following\b|\bchoose\b", re.I)


def naturalness(claim: str, question: str, answer: str) -> float:
    """From 0 to 1: one half for every oddity."""
    words = [plain(word) for word in claim.split()]
    form = AnswerForm(answer)
    odd = (
        _says_twice(words, question, form),
        _breaks_verbs(words),
        _contradicts_year(claim, form),
        _clashes_in_number(words, form),
        _is_list(question, form),
        _ends_in_preposition(words),
        _puts_noun_beside(words, form),
        _says_preposition_twice(words, form),
    )
    return float(ODD ** sum(odd))


def _says_twice(words: Sequence[str], question: str, answer: AnswerForm) -> bool:
    """Whether the claim says a verb or noun more often than question and answer do: "opened in Las Vegas open"."""
    asked = Counter(lemma_of(plain(word)) for word in (*question.split(), *answer.words))
    said = Counter(lemma_of(word) for word in words if len(word) > 3 and verb_tags(word))
    if any(times > max(asked[word], 1) for word, times in said.items()):
        return True
    # In the past and in its base form: the asker's own slip, "did it open in Las Vegas open".
    past = {word for word in words if "VBD" in verb_tags(word) and len(word) > 3}
    return any(lemma_of(word) != word and lemma_of(word) in words for word in past)


def _breaks_verbs(words: Sequence[str]) -> bool:
    """Whether verbs stand together that never do: "is come", "has is", "not went", "does Demetrius love"."""
    return any(_breaks(words, place) for place in range(1, len(words)))


def _breaks(words: Sequence[str], place: int) -> bool:
    """Whether the verb there cannot follow the word before it."""
    before, word = words[place - 1], words[place]
    tags = verb_tags(word)
    only_past = "VBD" in tags and "VBN" not in tags
    if before in BE:
        bare = bool(tags & BASE) and "VBN" not in tags and verbness(word) > 1 and word != "like"
        there = words[place - 2 : place - 1] == ["there"]
        listed = there and any(
            "VBD" in verb_tags(each) and "VBN" not in verb_tags(each) for each in words[place : place + 4]
        )
        return listed or only_past or word in AUXILIARIES - {"had", "do", "does", "will"} or word == "come" or bare
    if before in ("has", "had", "to") or before in MODALS - {"can", "may", "might"}:
        return word in BE or word == "am"
    if before == "not":
        return only_past
    if before in DO and place > 1 and word not in NEGATIONS | ARTICLES and place < len(words) - 1:
        return any(verb_tags(each) & BASE and verbness(each) > -1 for each in words[place + 1 : place + 3])
    return False


def _contradicts_year(claim: str, answer: AnswerForm) -> bool:
    """Whether the answer is a time, and the claim names another year or the same one again."""
    if answer.kind not in ("date", "year", "month"):
        return False
    rest = claim.replace(answer.text, " ", 1)
    return bool(re.search(rf"\bin {_YEAR.pattern}", rest)) and bool(_YEAR.search(answer.text))


def _clashes_in_number(words: Sequence[str], answer: AnswerForm) -> bool:
    """Whether one thing "are", or several things are one noun: "English are the languages"."""
    start = len(answer.words)
    if words[:start] != answer.words and words[1 : start + 1] != answer.words:
        return False
    start += words[:start] != answer.words
    verb = words[start] if start < len(words) else ""
    one = answer.is_single and not answer.words[-1].endswith("s")
    return one and verb in ("are", "were") and answer.kind == "name"


def _is_list(question: str, answer: AnswerForm) -> bool:
    """Whether an order or a choice is asked for, which one name does not give."""
    return bool(_LISTS.search(question)) and answer.is_single


def _ends_in_preposition(words: Sequence[str]) -> bool:
    """Whether a preposition at the end wants something: "translated into"."""
    return len(words) > 2 and words[-1] in PREPOSITIONS - {"up", "out", "down", "off", "over", "in", "on", "along"}


def _says_preposition_twice(words: Sequence[str], answer: AnswerForm) -> bool:
    """Whether the answer ends the claim in a second place of the same preposition: "in India in New York"."""
    start = len(words) - len(answer.words)
    if answer.kind != "name" or words[start:] != answer.words or start < 4:
        return False
    start -= words[start - 1] in ARTICLES
    before = words[start - 1]
    said = next((place for place in range(start - 3, max(start - 7, 0), -1) if words[place] in PREPOSITIONS), 0)
    between = words[said + 1 : start - 1]
    verb = any(word in AUXILIARIES or (verb_tags(word) and verbness(word) > 0) for word in between)
    return before in ("in", "on", "at") and said > 0 and words[said] == before and not verb


def _puts_noun_beside(words: Sequence[str], answer: AnswerForm) -> bool:
    """Whether the answer has "of" after it and a plural: "2,800 homes of houses"."""
    if not answer.text[:1].isdigit() and "than" not in answer.words:
        return False
    size = len(answer.words)
    for place in range(len(words) - size - 1):
        if words[place : place + size] == answer.words and words[place + size] == "of":
            return is_plural_noun(answer.words[-1]) and is_plural_noun(words[place + size + 1])
    return False
