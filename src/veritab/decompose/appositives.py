"""Appositives and relative clauses become sentences: "X, which is a city, has three rivers", "X, a painter, died"."""

from __future__ import annotations

from veritab.decompose.parts_of_speech import is_adverb, is_finite
from veritab.decompose.verbs import is_always_finite, is_past, may_be_participle
from veritab.lexicon.grammar import ADVERBS, ARTICLES, CLAUSE_CONJUNCTIONS, NAME_PARTICLES, PREPOSITIONS
from veritab.text import Token

_RELATIVE = frozenset("who which".split())
_VAGUE = frozenset("a an no some one this these those there only few it he she they".split())
_JOINING = CLAUSE_CONJUNCTIONS | {"where"}
_LONGEST_NAME = 10


def split_appositive(text: str, tokens: list[Token]) -> tuple[str, str] | None:
    """The aside after the subject and the sentence without it, each with the subject; None without one."""
    opened = _first_comma(tokens)
    if opened is None or opened + 2 >= len(tokens) or not _is_name(tokens[:opened]):
        return None
    inner = tokens[opened + 1]
    closed = _closing(tokens, opened)
    if closed is None:
        return None
    name = text[: tokens[opened].start].rstrip()
    said = text[inner.start : tokens[closed].start].rstrip()
    rest = f"{name} {text[tokens[closed + 1].start :]}"
    if inner.lower in _RELATIVE and _begins_with_verb(tokens, opened + 2):
        return f"{name} {said[len(inner.text) :].strip()}", rest
    if inner.lower in ARTICLES and not _has_verb(tokens[opened + 1 : closed]):
        verb = next(p for p in range(closed + 1, len(tokens)) if is_finite(tokens, p))
        return f"{name} {_copula(tokens, verb)} {said}", rest
    return None


def _first_comma(tokens: list[Token]) -> int | None:
    for place, token in enumerate(tokens[: _LONGEST_NAME + 1]):
        if token.text == "," and not token.depth:
            return place
    return None


def _is_name(tokens: list[Token]) -> bool:
    """Whether tokens name one thing: a capital letter in it, no verb, nothing joined."""
    if not tokens or tokens[0].lower in _VAGUE or tokens[0].lower in PREPOSITIONS or not tokens[0].text[0].isalnum():
        return False
    if any(not token.depth and token.lower in ("and", "or", "who", "which", "that") for token in tokens):
        return False
    if any(token.lower == "of" for token in tokens) and any(_is_noun(token) for token in tokens):
        return False  # "the coach of Riga, a club": the club is Riga, or not
    capitals = any(token.is_capital for token in tokens[1:]) or (tokens[0].is_capital and len(tokens) == 1)
    return capitals and not any(is_finite(tokens, place) for place in range(len(tokens)))


def _is_noun(token: Token) -> bool:
    return token.text[0].islower() and token.lower not in NAME_PARTICLES and not token.depth


def _closing(tokens: list[Token], opened: int) -> int | None:
    """The comma that ends an aside: the first one with the verb of the sentence after it."""
    for place in range(opened + 3, len(tokens) - 1):
        if tokens[place].text == "," and not tokens[place].depth and _begins_with_verb(tokens, place + 1):
            if _is_list(tokens, opened, place):
                return None
            return place
    return None


def _is_list(tokens: list[Token], opened: int, closed: int) -> bool:
    """Whether the comma may be in a list of verbs of the aside itself: ", who wrote A, directed B and won C"."""
    if tokens[opened + 1].lower not in _RELATIVE:
        return False
    if is_always_finite(tokens[closed + 1].lower):
        return False
    return any(
        tokens[p].lower in ("and", "but") and not tokens[p].depth and _begins_with_verb(tokens, p + 1)
        for p in range(closed + 1, len(tokens) - 1)
    )


def _begins_with_verb(tokens: list[Token], place: int) -> bool:
    while place < len(tokens) - 1 and is_adverb(tokens[place]):
        place += 1
    return place < len(tokens) and is_finite(tokens, place)


def _has_verb(tokens: list[Token]) -> bool:
    """Whether words are not an appositive: they have a verb, or describe another name too, "and Bob a singer"."""
    if any(tokens[p].is_capital and tokens[p + 1].lower in ARTICLES - {"the"} for p in range(len(tokens) - 1)):
        return True
    return any(is_finite(tokens, place) and is_always_finite(tokens[place].lower) for place in range(len(tokens)))


def _copula(tokens: list[Token], verb: int) -> str:
    word = tokens[verb].lower
    born = any(token.lower == "born" for token in tokens[verb : verb + 3])
    return "was" if is_past(word) and not born else "is"


def split_final_relative(text: str, tokens: list[Token]) -> list[str]:
    """A sentence and the relative clause at its end about the name just before it, as two; or the sentence alone."""
    for place in range(3, len(tokens) - 3):
        if tokens[place].text == "," and not tokens[place].depth and tokens[place + 1].lower in _RELATIVE:
            name = _name_before(text, tokens, place)
            if tokens[place + 1].lower == "which" and not _is_object(tokens, place):
                return [text]
            if name and _begins_with_verb(tokens, place + 2) and _is_plain(tokens, place):
                return [text[: tokens[place].start].rstrip(), f"{name} {text[tokens[place + 2].start :]}"]
            return [text]
    return [text]


def _is_object(tokens: list[Token], comma: int) -> bool:
    """Whether the name before a comma soon follows its verb, so that "which" means it and nothing larger."""
    start = comma
    while start and tokens[start - 1].is_capital:
        start -= 1
    verb = next((p for p in range(start - 1, max(start - 6, 0), -1) if is_finite(tokens, p)), None)
    if verb is None:
        return False
    small = PREPOSITIONS | ADVERBS | {"the"}
    return all(t.lower in small or may_be_participle(t.lower) for t in tokens[verb + 1 : start])


def _is_plain(tokens: list[Token], comma: int) -> bool:
    """Whether a verb stands before the relative clause, and the clause itself runs to the end."""
    before = any(is_finite(tokens, place) for place in range(comma))
    nested = any(not token.depth and token.lower in ("that", "who", "which", "when") for token in tokens[:comma])
    joined = any(
        not tokens[p].depth
        and (tokens[p].lower in _RELATIVE or tokens[p].lower in ("and", "but", "while") or tokens[p].text in ",;")
        and _begins_with_verb(tokens, p + 1)
        for p in range(comma + 2, len(tokens) - 1)
    )
    clauses = any(
        tokens[p].text == ";" or (tokens[p].text == "," and tokens[p + 1].lower in _JOINING)
        for p in range(comma + 2, len(tokens) - 1)
    )
    return before and not nested and not joined and not clauses


def _name_before(text: str, tokens: list[Token], comma: int) -> str:
    """The name a comma follows; empty when none does, or when it is one of several."""
    start = comma
    while (
        start
        and not tokens[start - 1].depth
        and (
            tokens[start - 1].is_capital
            or (
                start < comma
                and tokens[start - 1].lower in NAME_PARTICLES - {"and", "in", "for", "the"}
                and start > 1
                and tokens[start - 2].is_capital
            )
        )
    ):
        start -= 1
    if start == comma or start == 0 or not tokens[start].is_capital:
        return ""
    before = tokens[start - 1]
    if before.text == "," or before.lower in ("and", "or"):
        return ""
    if start > 1 and tokens[start - 2].is_capital and not is_finite(tokens, start - 1):
        return ""  # perhaps one longer name: "Dawn over Rome"
    named = text[tokens[start].start : tokens[comma].start].rstrip()
    return f"the {named}" if before.lower == "the" else named
