"""What a sentence says of a name on the side: "X, which is a city in Y, has three rivers", "X, a painter, died"."""

from __future__ import annotations

from veritab.decompose.tokens import ADVERBS, PREPOSITIONS, Token, is_adverb, is_finite
from veritab.decompose.verbs import is_participle, is_past, is_past_or_participle, is_sure

_RELATIVE = frozenset("who which".split())
_ARTICLES = frozenset("a an the".split())
_VAGUE = frozenset("a an no some one this these those there only few it he she they".split())
_LINKING = frozenset("of de da di del la le van von der den the al bin ibn y e du des and for in".split())
_JOINING = frozenset("and but while whereas where".split())
_LONGEST_NAME = 10


def aside(text: str, line: list[Token]) -> tuple[str, str] | None:
    """The aside after the subject and the sentence without it, each with the subject; None where there is none."""
    opened = _first_comma(line)
    if opened is None or opened + 2 >= len(line) or not _is_name(line[:opened]):
        return None
    inner = line[opened + 1]
    closed = _closing(line, opened)
    if closed is None:
        return None
    name = text[: line[opened].start].rstrip()
    said = text[inner.start : line[closed].start].rstrip()
    rest = f"{name} {text[line[closed + 1].start :]}"
    if inner.low in _RELATIVE and _begins_with_verb(line, opened + 2):
        return f"{name} {said[len(inner.text) :].strip()}", rest
    if inner.low in _ARTICLES and not _has_verb(line[opened + 1 : closed]):
        verb = next(p for p in range(closed + 1, len(line)) if is_finite(line, p))
        return f"{name} {_be(line, verb)} {said}", rest
    return None


def _first_comma(line: list[Token]) -> int | None:
    for place, token in enumerate(line[: _LONGEST_NAME + 1]):
        if token.text == "," and not token.depth:
            return place
    return None


def _is_name(line: list[Token]) -> bool:
    """Whether tokens name one thing: a capital letter in it, no verb, nothing joined."""
    if not line or line[0].low in _VAGUE or line[0].low in PREPOSITIONS or not line[0].text[0].isalnum():
        return False
    if any(not token.depth and token.low in ("and", "or", "who", "which", "that") for token in line):
        return False
    if any(token.low == "of" for token in line) and any(_is_noun(token) for token in line):
        return False  # "the coach of Riga, a club": the club is Riga, or not
    capitals = any(token.is_capital for token in line[1:]) or (line[0].is_capital and len(line) == 1)
    return capitals and not any(is_finite(line, place) for place in range(len(line)))


def _is_noun(token: Token) -> bool:
    return token.text[0].islower() and token.low not in _LINKING and not token.depth


def _closing(line: list[Token], opened: int) -> int | None:
    """The comma that ends an aside: the first one with the verb of the sentence after it."""
    for place in range(opened + 3, len(line) - 1):
        if line[place].text == "," and not line[place].depth and _begins_with_verb(line, place + 1):
            if _is_list(line, opened, place):
                return None
            return place
    return None


def _is_list(line: list[Token], opened: int, closed: int) -> bool:
    """Whether the comma may stand in a list of verbs of the aside itself: ", who wrote A, directed B and won C"."""
    if line[opened + 1].low not in _RELATIVE:
        return False
    if is_sure(line[closed + 1].low):
        return False
    return any(
        line[p].low in ("and", "but") and not line[p].depth and _begins_with_verb(line, p + 1)
        for p in range(closed + 1, len(line) - 1)
    )


def _begins_with_verb(line: list[Token], place: int) -> bool:
    while place < len(line) - 1 and is_adverb(line[place]):
        place += 1
    return place < len(line) and is_finite(line, place)


def _has_verb(line: list[Token]) -> bool:
    """Whether an apposition is none, since it has a verb, or speaks of another name too: "and Bob a singer"."""
    if any(line[p].is_capital and line[p + 1].low in _ARTICLES - {"the"} for p in range(len(line) - 1)):
        return True
    return any(is_finite(line, place) and is_sure(line[place].low) for place in range(len(line)))


def _be(line: list[Token], verb: int) -> str:
    word = line[verb].low
    born = any(token.low == "born" for token in line[verb : verb + 3])
    return "was" if is_past(word) and not born else "is"


def tail(text: str, line: list[Token]) -> list[str]:
    """A sentence and the relative clause at its end about the name just before it, as two; or the sentence alone."""
    for place in range(3, len(line) - 3):
        if line[place].text == "," and not line[place].depth and line[place + 1].low in _RELATIVE:
            name = _name_before(text, line, place)
            if line[place + 1].low == "which" and not _is_object(line, place):
                return [text]
            if name and _begins_with_verb(line, place + 2) and _is_plain(line, place):
                return [text[: line[place].start].rstrip(), f"{name} {text[line[place + 2].start :]}"]
            return [text]
    return [text]


def _is_object(line: list[Token], comma: int) -> bool:
    """Whether the name before a comma soon follows its verb, so that "which" means it and nothing larger."""
    start = comma
    while start and line[start - 1].is_capital:
        start -= 1
    verb = next((p for p in range(start - 1, max(start - 6, 0), -1) if is_finite(line, p)), None)
    if verb is None:
        return False
    small = PREPOSITIONS | ADVERBS | {"the"}
    return all(t.low in small or is_past_or_participle(t.low) or is_participle(t.low) for t in line[verb + 1 : start])


def _is_plain(line: list[Token], comma: int) -> bool:
    """Whether a verb stands before the relative clause, and the clause itself runs to the end."""
    before = any(is_finite(line, place) for place in range(comma))
    nested = any(not token.depth and token.low in ("that", "who", "which", "when") for token in line[:comma])
    joined = any(
        not line[p].depth
        and (line[p].low in _RELATIVE or line[p].low in ("and", "but", "while") or line[p].text in ",;")
        and _begins_with_verb(line, p + 1)
        for p in range(comma + 2, len(line) - 1)
    )
    clauses = any(
        line[p].text == ";" or (line[p].text == "," and line[p + 1].low in _JOINING)
        for p in range(comma + 2, len(line) - 1)
    )
    return before and not nested and not joined and not clauses


def _name_before(text: str, line: list[Token], comma: int) -> str:
    """The name a comma follows; empty when none does, or when it is one of several."""
    start = comma
    while (
        start
        and not line[start - 1].depth
        and (
            line[start - 1].is_capital
            or (
                start < comma
                and line[start - 1].low in _LINKING - {"and", "in", "for", "the"}
                and start > 1
                and line[start - 2].is_capital
            )
        )
    ):
        start -= 1
    if start == comma or start == 0 or not line[start].is_capital:
        return ""
    before = line[start - 1]
    if before.text == "," or before.low in ("and", "or"):
        return ""
    if start > 1 and line[start - 2].is_capital and not is_finite(line, start - 1):
        return ""  # perhaps one longer name: "Dawn over Rome"
    named = text[line[start].start : line[comma].start].rstrip()
    return f"the {named}" if before.low == "the" else named
