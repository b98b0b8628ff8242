"""The first pass over a page of wikitext: what is not for readers goes, what is to be shown as written is protected.

Comments, references, galleries and hidden elements are removed. The content of `<nowiki>`, `<pre>` and `<math>` is
turned into character references, which are resolved last, when no markup is looked for any more.
"""

from __future__ import annotations

import re
from functools import lru_cache

from veritab.corpus.inline import BREAK, HIDDEN_STYLE

SOFT = "\x0f"
"""A line end inside a template or an HTML element: unlike a real one it does not end a table's line of cells."""
PIPE = "\x06"
"""{{!}}: a pipe for tables, but none for the templates around it."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")

# Templates that stand for a character of markup, where the character itself would be taken for markup.
_SIGNS = {
    "{{!}}": PIPE,
    "{{(!}}": "{" + PIPE,
    "{{!)}}": PIPE + "}",
    "{{!-}}": PIPE + "-",
    "{{!((}}": "[[",
    "{{))!}}": "]]",
}
_SPELLED_OUT = re.compile("|".join(map(re.escape, _SIGNS)))
_OPENING = re.compile(r"<!--|<([a-zA-Z]++)([^<>]*+)>")
_REFERENCE = re.compile(r"<(/?)ref\b[^<>]*+>", re.IGNORECASE)
_DROPPED = frozenset(
    """
    gallery references imagemap timeline templatestyles score graph mapframe maplink hiero inputbox categorytree
    indicator style script includeonly charinsert
    """.split()
)
_FORMULAS = frozenset({"math", "chem", "ce"})
_LITERALS = frozenset({"nowiki", "pre", "syntaxhighlight", "source"})
_MAY_HIDE = frozenset("span div p small big b i center font li ul ol sup sub table".split())
_ESCAPES = str.maketrans({character: f"&#{ord(character)};" for character in "<>[]{}|'=*#:;!_-"})


def settle_literals(text: str) -> str:
    """Remove comments, references, galleries and hidden elements; protect what is to be shown as written."""
    text = CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if "{{!" in text or "{{(" in text or "{{)" in text:
        text = _SPELLED_OUT.sub(lambda match: _SIGNS[match[0]], text)
    if "<" not in text:
        return text
    pieces: list[str] = []
    unclosed: set[str] = set()
    kept = position = 0
    while match := _OPENING.search(text, position):
        position = match.end()
        settled = _settle(text, match, unclosed)
        if settled is not None:
            shown, end = settled
            pieces += (text[kept : match.start()], shown)
            kept = position = end
    pieces.append(text[kept:])
    return "".join(pieces)


def _settle(text: str, opening: re.Match[str], unclosed: set[str]) -> tuple[str, int] | None:
    """What an element shows and where it ends; None for one that is read later."""
    end = opening.end()
    if opening[1] is None:
        return "", _comment_end(text, opening.start())
    tag, attributes = opening[1].lower(), opening[2]
    if tag == "ref":
        closing = None if attributes.endswith("/") else _REFERENCE.search(text, end)
        return "", closing.end() if closing and closing[1] else end
    if tag in _DROPPED or tag in _FORMULAS or tag in _LITERALS or tag == "poem":
        inside = None if attributes.endswith("/") or tag in unclosed else _closing(tag).search(text, end)
        if inside is None:
            if not attributes.endswith("/"):
                unclosed.add(tag)
            return "", end
        return _shown(tag, text[end : inside.start()]), inside.end()
    if tag in _MAY_HIDE and "style" in attributes and tag not in unclosed and HIDDEN_STYLE.search(attributes):
        hidden_end = _matching_end(text, tag, end)
        if hidden_end is None:
            unclosed.add(tag)
        return "", hidden_end or end
    return None


def _shown(tag: str, content: str) -> str:
    if tag in _DROPPED:
        return ""
    if tag == "poem":
        return settle_literals(content).strip().replace("\n", BREAK)
    if tag == "nowiki" or tag in _FORMULAS:
        return " ".join(content.split("\n")).translate(_ESCAPES)
    return f"{SOFT}{SOFT}{content.strip().translate(_ESCAPES).replace(chr(10), BREAK)}{SOFT}{SOFT}"


def _comment_end(text: str, start: int) -> int:
    """Where a comment ends; one alone on its line takes the line with it, so that it splits no list or paragraph."""
    end = text.find("-->", start + 4)
    if end < 0:
        return len(text)
    end += 3
    return end + 1 if text[start - 1 : start] == "\n" and text[end : end + 1] == "\n" else end


@lru_cache(maxsize=64)
def _closing(tag: str) -> re.Pattern[str]:
    return re.compile(rf"</{tag}\s*+>", re.IGNORECASE)


@lru_cache(maxsize=64)
def _either(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<(/?){tag}\b[^<>]*+>", re.IGNORECASE)


def _matching_end(text: str, tag: str, position: int) -> int | None:
    depth = 1
    for match in _either(tag).finditer(text, position):
        depth += -1 if match[1] else 1
        if not depth:
            return match.end()
    return None
