"""Sentences whose second clause leaves the verb out: "A opened in 1889 and B in 1931" is two sentences."""

from __future__ import annotations

from veritab.decompose.clauses import subject_start
from veritab.decompose.parts_of_speech import is_adverb, is_finite, may_be_finite
from veritab.decompose.verbs import is_noun_or_verb, may_be_participle
from veritab.lexicon.grammar import DETERMINERS, PREPOSITIONS
from veritab.text import Token

_JOINTS = frozenset({"and", "but", "while", ";"})
_ANOTHER = frozenset({"another", "others"})
_FEWEST = 2


def split_gapped(text: str, tokens: list[Token]) -> tuple[str, str] | None:
    """The two sentences, the second with the verb of the first; None for any other sentence."""
    verb = _find_verb(tokens)
    if verb is None:
        return None
    joints = [place for place, token in enumerate(tokens) if token.lower in _JOINTS and not token.depth]
    for joint in reversed([place for place in joints if place > verb + 1]):
        rest = joint + 1
        while rest < len(tokens) and tokens[rest].lower in _JOINTS:
            rest += 1
        if len(tokens) - rest < _FEWEST or any(is_finite(tokens, place) for place in range(rest, len(tokens))):
            continue
        second = _complete(text, tokens, verb, joint, rest)
        if second:
            return text[: tokens[joint - 1].end].rstrip(" ,"), second
    return None


def _find_verb(tokens: list[Token]) -> int | None:
    """The verb of a sentence; one that no list has is known by its ending after a name."""
    for place in range(1, len(tokens)):
        token, before = tokens[place], tokens[place - 1]
        if may_be_finite(tokens, place) or (is_noun_or_verb(token.lower) and before.lower not in DETERMINERS):
            return place
        if before.is_capital and token.text[0].islower() and token.lower.endswith(("s", "ed")):
            return place if not before.lower.endswith(("'s", "’s")) and token.lower not in PREPOSITIONS else None
    return None


def _complete(text: str, tokens: list[Token], verb: int, joint: int, rest: int) -> str:
    """The second clause with what it leaves out of the first; empty where nothing shows what that is."""
    begin = subject_start(tokens, 0, verb)
    # "In 2011 A won the first race and B the second": the second was won in 2011 too.
    fronted, subject = text[: tokens[begin].start], text[tokens[begin].start : tokens[verb].start].rstrip()
    left = text[tokens[rest].start : tokens[-1].end]
    first = tokens[rest].lower
    if first in PREPOSITIONS:
        # "... to A from May and to B from June": the same prepositions in the same order.
        own = [token.lower for token in tokens[rest:] if token.lower in PREPOSITIONS]
        earlier = [token.lower for token in tokens[verb + 1 : joint] if token.lower in PREPOSITIONS]
        shared = next((place for place in range(verb + 1, joint) if tokens[place].lower == first), None)
        if len(own) < _FEWEST or own != earlier or shared is None:
            return ""
        return f"{text[: tokens[shared].start]}{left}"
    for place in range(rest + 1, len(tokens)):
        word = tokens[place].lower
        who = tokens[rest:place]
        if word in PREPOSITIONS:
            same = next((each for each in range(verb + 1, joint) if tokens[each].lower == word), None)
            if same is None or not _is_named(who) or not _is_verb_phrase(tokens[verb + 1 : same]):
                return ""
            named = subject if who[0].lower in _ANOTHER else text[who[0].start : who[-1].end]
            return (
                f"{named} {text[tokens[verb].start : tokens[same].start]}{text[tokens[place].start : tokens[-1].end]}"
            )
        if word in DETERMINERS:
            of_whom = tokens[place + 1].lower.endswith(("'s", "’s")) if place + 1 < len(tokens) else True
            if not all(token.is_capital for token in who) or of_whom:
                return ""
            end = verb + 2 if tokens[verb + 1].lower in PREPOSITIONS else verb + 1
            said = text[tokens[verb].start : tokens[end - 1].end]
            named = text[who[0].start : who[-1].end]
            return f"{fronted}{named} {said} {text[tokens[place].start : tokens[-1].end]}"
    return ""


def _is_named(tokens: list[Token]) -> bool:
    """Whether words may be a subject: a name, "the ..." or "another"."""
    return tokens[0].is_capital or tokens[0].lower in ("the", *_ANOTHER)


def _is_verb_phrase(tokens: list[Token]) -> bool:
    """Whether words after a verb belong to it: "back" in "dates back to", "born" in "was born in"."""
    return all(
        is_adverb(each) or may_be_participle(each.lower) or each.lower in ("back", "up", "out") for each in tokens
    )
