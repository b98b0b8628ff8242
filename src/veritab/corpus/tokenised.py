"""Text that was cut into tokens for parsers ("Inc. , was", "-LRB-", "``") becomes text as people write it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice

from veritab.text import squeeze

BRACKETS = {"LRB": "(", "RRB": ")", "LSB": "[", "RSB": "]", "LCB": "{", "RCB": "}"}
_BRACKET = re.compile(r"-([LR][RSC]B)-", re.IGNORECASE)


def restore_brackets(text: str) -> str:
    """Brackets as characters again: -LRB- is (."""
    return _BRACKET.sub(lambda match: BRACKETS[match[1].upper()], text)


# A token is what stands between two spaces. Every rule asks for whole tokens and makes none that a rule would ask for:
# that is why a second pass finds nothing to do.
_CLOSES = r"(?:[,.;:!?)\]}»”’]+|['’](?:s|m|d|re|ve|ll)|n't|N'T)"
_OPENER = r"[(\[{«„“‘]"
_DASH = re.compile(r"--(?<!\S--)(?!\S)")
_CONTRACTED = re.compile(r"[GgWw'](?<!\S.)(?:(?:on|an) (?=na(?!\S))|ot (?=ta(?!\S))|[Tt] (?=(?:is|was)(?!\S)))")
# A sentence that ended in "Inc." was given a full stop more.
_SECOND_STOP = re.compile(r" (?<=\w\. )\.(?!\S)")
_NEEDLESS = re.compile(r" (?:(?<=[$£€¥] )(?=[0-9])|(?<=(?<!\S)# )(?=[0-9])|(?<=[0-9] )(?=%(?!\S)))")
_BEFORE_CLOSING = re.compile(rf" (?={_CLOSES}(?!\S))")
_AFTER_OPENING = re.compile(rf" (?<={_OPENER} )")
_CLOSING = re.compile(_CLOSES)
_OPENING = re.compile(f"{_OPENER}+")
_MARKS = frozenset(("``", "''", '"', "'", "`"))
_QUOTE = re.compile(r"[\"'`](?<!\S.)(?:(?<=')'|(?<=`)`)?(?!\S)")
# Two single marks at the beginning, at the end or before a third are a double one; elsewhere they close and open.
_DOUBLE = re.compile(r"\A['`] ['`](?!\S)|(?<!\S)['`] ['`](?=\Z| ['`](?!\S))")
_MAY_BE_POSSESSIVE = re.compile(r"(?!(?:as|has|his|in|is|its|says|this|was|'s)\Z).*(?:[szx]|in)\Z", re.IGNORECASE)
# 'em, 'n and '70s begin with an apostrophe, not with a quotation mark.
_OPENED_QUOTE = re.compile(r"'(?!(?:em|n|til|cause|t)\b)[^\W\d][^']*", re.IGNORECASE)
_FAR_ENOUGH = 10


def detokenise(text: str) -> str:
    """Text as people write it, from text with spaces around its punctuation; other text hardly changes.

    Brackets and quotation marks get their usual characters, and `--` becomes an en dash. Dashes keep their spaces:
    nothing tells those of "1919 - 1991" from those of a range of pages.
    """
    text = squeeze(text)
    if "-" in text:
        text = _DASH.sub("–", restore_brackets(text))
    text = _NEEDLESS.sub("", _SECOND_STOP.sub("", _CONTRACTED.sub(_without_last, text)))
    if _QUOTE.search(text):
        text = _attach_quotes(_DOUBLE.sub('"', text).split(" "))
    return _AFTER_OPENING.sub("", _BEFORE_CLOSING.sub("", text))


def _without_last(match: re.Match[str]) -> str:
    return match[0][:-1]


def _attach_quotes(tokens: Sequence[str]) -> str:
    """Tokens as text, with every quotation mark that stands alone moved to the word it belongs to."""
    pieces: list[str] = []
    attached = True
    for token, opens in zip(tokens, _directions(tokens), strict=True):
        if opens is not None:
            token = "'" if token in ("'", "`") else '"'
        closes = opens is False or _CLOSING.fullmatch(token) is not None
        pieces.append(token if attached or closes else f" {token}")
        attached = opens or (opens is None and _OPENING.fullmatch(token) is not None)
    return "".join(pieces)


def _directions(tokens: Sequence[str]) -> Iterator[bool | None]:
    """For each token: whether it is a mark that opens a quotation (True), closes one (False), or no mark (None)."""
    start = 0
    for end, token in enumerate(tokens, 1):
        # A mark right after the full stop still belongs to the sentence.
        if end == len(tokens) or (token in (".", "!", "?") and tokens[end] not in _MARKS):
            yield from _directions_in_sentence(tokens[start:end])
            start = end


def _directions_in_sentence(tokens: Sequence[str]) -> Iterator[bool | None]:
    singles = [_single(tokens, index) for index in range(len(tokens))]
    ahead = deque(single for single in singles if single)
    in_single = in_double = False
    for index, (token, single) in enumerate(zip(tokens, singles, strict=True)):
        following = tokens[index + 1] if index + 1 < len(tokens) else "."
        opens: bool | None = None
        if single:
            ahead.popleft()
            inside = _inside_after(single, in_single, ahead, following)
            opens, in_single = inside and not in_single, inside
        elif token in _MARKS:
            opens = in_double = token == "``" or (token == '"' and not in_double)
        else:
            in_double ^= token.count('"') % 2 == 1
        if token in _MARKS:
            # A mark at either end has only one word to go to, and none opens before a comma.
            yield index == 0 or (bool(opens) and _CLOSING.fullmatch(following) is None)
        else:
            yield None


class _Single(Enum):
    """What the place of a single quotation mark, or apostrophe, says of it."""

    OPENS = "opens"
    CLOSES = "closes"
    EITHER = "either"
    POSSESSIVE = "a possessive, perhaps"


def _single(tokens: Sequence[str], index: int) -> _Single | None:
    token, singles = tokens[index], ("'", "`")
    if token not in singles:
        return _Single.OPENS if _OPENED_QUOTE.fullmatch(token) else None
    before = tokens[index - 1] if index else "("
    after = tokens[index + 1] if index + 1 < len(tokens) else "."
    if after in singles or _CLOSING.fullmatch(after):
        return _Single.CLOSES
    if token == "`" or before in singles or _OPENING.fullmatch(before):
        return _Single.OPENS
    return _Single.POSSESSIVE if _MAY_BE_POSSESSIVE.match(before) else _Single.EITHER


def _inside_after(single: _Single, inside: bool, ahead: Iterable[_Single], following: str) -> bool:
    """Whether the text after a mark is quoted."""
    if single is _Single.OPENS or single is _Single.CLOSES:
        return single is _Single.OPENS
    if single is _Single.EITHER:
        return not inside
    # It is a quotation mark where the marks to come fit better then; and if it opens something, that is a name.
    near = tuple(islice(ahead, _FAR_ENOUGH))
    fits = _misfits(near, not inside) < _misfits(near, inside)
    return not inside if fits and (inside or following[0].isupper()) else inside


def _misfits(marks: Iterable[_Single], inside: bool) -> int:
    misfits = 0
    for mark in marks:
        if mark is _Single.EITHER:
            inside = not inside
        elif mark is not _Single.POSSESSIVE:
            opens = mark is _Single.OPENS
            misfits += inside == opens
            inside = opens
    return misfits + inside
