"""Articles in a claim that searchers leave out: "won last Super Bowl", "from bank"; the answer's words stay.

What needs one is told by `articles.json`, counted in Wikipedia's introductions. A question presupposes what it names,
so its phrases get "the"; an answer gets the article that its noun usually has, and "a" after "is".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from veritab.build.inflection import (
    is_adverb,
    is_common_word,
    is_noun,
    is_only_verb,
    is_plural_noun,
    lemma_of,
    verb_tags,
)
from veritab.build.questions.clauses import PARTICLES, plain
from veritab.build.questions.names import answer_spans
from veritab.build.questions.noun_phrases import BOUNDARIES, class_of, known_articles, phrase_end, phrase_keys
from veritab.build.questions.reading import lower_first
from veritab.build.questions.verbness import verbness
from veritab.lexicon.grammar import AUXILIARIES, BE, DETERMINERS, PERSONAL_PRONOUNS, POSSESSIVES, PREPOSITIONS

_BEFORE_TITLES = frozenset(
    """sing write play direct record perform star title call name voice produce make compose mean read watch release
    portray publish say spell stand cover""".split()
)
"""Verbs whose object may be a title or a word as such, which has the articles that it has."""
_TIMES = frozenset("year season week month night time summer winter spring fall decade century monday sunday".split())
_NEVER_WITH = (
    DETERMINERS | POSSESSIVES | PERSONAL_PRONOUNS | frozenset("i we you us my our your what which whose not".split())
)
_OPENING = PREPOSITIONS - PARTICLES | frozenset(("in", "on", "over", "around"))
_POSSESSIVE = re.compile(r"\w['’]s?$")
_WORD = re.compile(r"\S+")


def restore_articles(claim: str, answer: str) -> str:
    """The claim with an article before the phrases that nearly always have one."""
    matches = list(_WORD.finditer(claim))
    words = [match[0] for match in matches]
    kept = answer_spans(claim, answer)
    own = [any(start <= match.start() < end for start, end in kept) for match in matches]
    opens = [any(start == match.start() for start, _ in kept) for match in matches]
    quoted = False
    pieces, done = [], 0
    for place, match in enumerate(matches):
        quoted ^= words[place].count('"') % 2 == 1
        if quoted or (own[place] and not opens[place]) or not _may_begin(words, place):
            continue
        article = _wanted(words, place, own)
        if not article:
            continue
        before = claim[done : match.start()]
        if place == 0:
            first = answer.split()[0] if opens[0] else lower_first(claim).split()[0]
            pieces += [article.capitalize(), " ", first]
            done = len(first)
        else:
            pieces += [before, article, " "]
            done = match.start()
    return "".join(pieces) + claim[done:]


def _may_begin(words: Sequence[str], place: int) -> bool:
    """Whether a noun phrase may begin here: at the start, after a preposition, after a verb."""
    if plain(words[place]) in BOUNDARIES or not place:
        return not place and plain(words[0]) not in BOUNDARIES
    before = plain(words[place - 1])
    if words[place - 1][-1:] in ",;:.":
        return False
    if before == "to" and "VB" in verb_tags(words[place]):
        return False
    return before in _OPENING or before in BE or _is_main_verb(words, place - 1)


def _is_main_verb(words: Sequence[str], place: int) -> bool:
    """Whether a word is a verb, and no auxiliary before it has another: not in "the don't leave music video"."""
    auxiliaries = [at for at in range(place) if plain(words[at]) in AUXILIARIES]
    return (
        _is_verb(words, place)
        and (not auxiliaries or auxiliaries[-1] == place - 1)
        and not _stands_in_phrase(words, place)
    )


def _stands_in_phrase(words: Sequence[str], place: int) -> bool:
    """Whether only an article and adverbs stand before a word: "the commonly assumed value"."""
    at = place - 1
    while at > 0 and is_adverb(plain(words[at])):
        at -= 1
    return at >= 0 and plain(words[at]) in DETERMINERS


def _is_verb(words: Sequence[str], place: int) -> bool:
    word = words[place]
    low = plain(word)
    return place > 0 and word.islower() and bool(verb_tags(low)) and (verbness(low) > 0 or is_only_verb(low))


def _wanted(words: Sequence[str], start: int, own: Sequence[bool]) -> str:
    """The article for the phrase that begins here; empty where it needs none, or none is known."""
    end = _find_end(words, start)
    if end <= start:
        return ""
    phrase = [word.strip('.,;:!?"“”') for word in words[start:end]]
    low = [word.lower() for word in phrase]
    if start == 0:
        phrase[0] = lower_first(" ".join(words)).split()[0].strip('.,;:!?"“”') if not own[0] else phrase[0]
    if _NEVER_WITH.intersection(low) or any(map(_POSSESSIVE.search, phrase)) or not all(phrase):
        return ""
    before = plain(words[start - 1]) if start else ""
    following = plain(words[end]) if end < len(words) and words[end - 1][-1:] not in ",;:" else ""
    head, first = phrase[-1], low[0]
    if start == 0 and len(phrase) == 1 and own[0] and class_of(first) == "#th" and following in BE:
        return "the"
    if head.islower() and (not is_noun(low[-1]) or (verb_tags(low[-1]) and verbness(low[-1]) > 0)):
        return ""
    if first in ("last", "next", "this") and low[-1] in _TIMES and len(low) == 2:
        return ""
    known = known_articles()
    if any(class_of(word).startswith("#") or word in ("first", "last") for word in low[1:]):
        return ""  # two phrases without a word between: "outside England first time"
    if known.get(" ".join(phrase[:2])) == "" or (own[start] and class_of(first) == "#"):
        return ""
    if not own[start] and head.islower() and not _is_common_phrase(phrase, start):
        return ""
    key = next((key for key in phrase_keys(phrase, following) if key in known), "")
    article = known.get(key, "")
    if not article:
        return ""
    ranked = key.endswith(" ~")
    if before == "of" and head.islower() and "~" in key and not ranked:
        return ""  # What stands after "of" may be the rest of a title: "the sound of music movie".
    if own[start]:
        if phrase[0][:1].isupper() and not phrase[0].isupper() and article == "a":
            return ""
        if head.islower() and before in BE and not ranked and not key.endswith(" of") and following != "of":
            return "" if is_plural_noun(low[-1]) else "an" if first[0] in "aeiou" else "a"
        if article == "a":
            return "an" if first[0] in "aeiou" else "a"
        return article
    # Mere nouns in lower case may be a title: "in full house".
    mere = " ".join(phrase).islower() and following != "of" and class_of(first) == first
    return "the" if article == "the" and (ranked or not (mere or _takes_title(before))) else ""


def _is_common_phrase(phrase: Sequence[str], start: int) -> bool:
    """Whether a phrase is of common words, or of a name as it is written and a noun: not "downton abbey"."""
    if start == 0 and phrase[0][:1].isupper():
        return False
    return all(not word.islower() or not word.isalpha() or is_common_word(word) for word in phrase)


def _takes_title(before: str) -> bool:
    return bool(verb_tags(before)) and lemma_of(before) in _BEFORE_TITLES


def _find_end(words: Sequence[str], start: int) -> int:
    """Where the phrase that begins here ends: before a boundary or a verb; -1 where that is not clear."""
    end = phrase_end(words, start)
    limit = end if end >= 0 else min(len(words), start + 5)
    for place in range(start + 1, limit):
        if _is_verb(words, place):
            return place
    return end
